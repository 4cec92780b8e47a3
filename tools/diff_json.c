/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares records as JSON text that the library printed: hashes the texts, and finds where two of
 * them differ. The text is known to be JSON, so it is only walked, not checked. Members of objects
 * are always compared by name, whatever their order, elements of arrays by position, and all else
 * as text. Values nested deeper than DEPTH_MOST are text, too.
 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

enum { DEPTH_MOST = 1500 };

/* --- Hashes -------------------------------------------------------------------------------- */

#define LOW_FACTOR UINT64_C(0x9E3779B97F4A7C15)
#define HIGH_FACTOR UINT64_C(0xD6E8FEB86659FD93)

TOOL_WRAPS static uint64_t spread(uint64_t hash) {
    hash ^= hash >> 32;
    hash *= UINT64_C(0xFF51AFD7ED558CCD);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 32;
}

TOOL_WRAPS static void hash_word(diff_hash *hash, uint64_t word) {
    hash->low = (hash->low ^ word) * LOW_FACTOR;
    hash->low ^= hash->low >> 31;
    hash->high = (hash->high + word) * HIGH_FACTOR;
    hash->high ^= hash->high >> 29;
}

diff_hash diff_hash_text(const char *text, size_t size) {
    diff_hash hash = {size, ~(uint64_t)size};
    uint64_t word;
    for (; size >= sizeof word; text += sizeof word, size -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash_word(&hash, word);
    }
    word = 0;
    memcpy(&word, text, size);
    hash_word(&hash, word);
    hash.low = spread(hash.low);
    hash.high = spread(hash.high);
    return hash;
}

/* --- Walking ------------------------------------------------------------------------------- */

typedef struct json_text {
    const char *at;
    const char *end;
} json_text;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static void skip_blanks(json_text *text) {
    while (text->at < text->end && is_blank(*text->at))
        text->at++;
}

static void skip_string(json_text *text) {
    for (text->at++; text->at < text->end && *text->at != '"'; text->at++)
        text->at += *text->at == '\\';
    text->at += text->at < text->end;
}

/* Takes a value off the text, of whatever depth. */
static json_text take_value(json_text *text) {
    skip_blanks(text);
    json_text value = *text;
    size_t depth = 0;
    while (text->at < text->end) {
        char byte = *text->at;
        if (byte == '"') {
            skip_string(text);
        } else if (depth == 0 && (byte == ',' || byte == '}' || byte == ']' || byte == ':')) {
            break;
        } else {
            depth += byte == '{' || byte == '[';
            depth -= byte == '}' || byte == ']';
            text->at++;
        }
        if (depth == 0 && text->at > value.at &&
            (text->at[-1] == '"' || text->at[-1] == '}' || text->at[-1] == ']'))
            break;
    }
    value.end = text->at;
    while (value.end > value.at && is_blank(value.end[-1]))
        value.end--;
    return value;
}

static char kind_of(json_text value) {
    return value.at == value.end || (*value.at != '{' && *value.at != '[') ? 's' : *value.at;
}

/* The inside of an object or array. */
static json_text inside(json_text value) {
    json_text content = {value.at + 1, value.end - 1};
    skip_blanks(&content);
    return content;
}

/* Takes an element, or a member with its name; false at the end. */
static bool take_next(json_text *content, json_text *name, json_text *value) {
    skip_blanks(content);
    if (content->at < content->end && *content->at == ',')
        content->at++;
    skip_blanks(content);
    if (content->at >= content->end)
        return false;
    if (name != NULL) {
        *name = take_value(content);
        skip_blanks(content);
        content->at++; /* the colon */
    }
    *value = take_value(content);
    return true;
}

static bool is_same_text(json_text a, json_text b) {
    return a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

/* --- Hashes of values ---------------------------------------------------------------------- */

/* Members count in no order. */
TOOL_WRAPS static void hash_member(diff_hash *hash, diff_hash member) {
    hash->low += spread(member.low);
    hash->high += spread(member.high);
}

static diff_hash hash_value(json_text value, unsigned depth) {
    char kind = depth < DEPTH_MOST ? kind_of(value) : 's';
    if (kind == 's')
        return diff_hash_text(value.at, (size_t)(value.end - value.at));
    diff_hash hash = {(uint64_t)kind, (uint64_t)kind};
    json_text content = inside(value), name = content, element;
    while (take_next(&content, kind == '{' ? &name : NULL, &element)) {
        diff_hash inner = hash_value(element, depth + 1);
        if (kind == '[') {
            hash_word(&hash, inner.low);
            hash_word(&hash, inner.high);
            continue;
        }
        diff_hash member = diff_hash_text(name.at, (size_t)(name.end - name.at));
        hash_word(&member, inner.low);
        hash_word(&member, inner.high);
        hash_member(&hash, member);
    }
    hash.low = spread(hash.low);
    hash.high = spread(hash.high);
    return hash;
}

diff_hash diff_hash_json(const char *text, size_t size) {
    json_text value = {text, text + size};
    return hash_value(value, 0);
}

diff_hash diff_hash_line(const diff_match *match, const char *text, size_t size) {
    return match->is_any_order ? diff_hash_json(text, size) : diff_hash_text(text, size);
}

/* --- Where two differ ---------------------------------------------------------------------- */

typedef struct json_comparison {
    diff_change_taker each;
    void *state;
    size_t count;
    char *path;
    size_t size;
    size_t capacity;
} json_comparison;

static void path_add(json_comparison *c, const char *text, size_t size) {
    if (c->size + size + 1 > c->capacity) {
        c->capacity = 2 * (c->size + size + 1);
        c->path = tool_reallocate(c->path, c->capacity, 1);
    }
    memcpy(c->path + c->size, text, size);
    c->size += size;
    c->path[c->size] = '\0';
}

/* Whether a name reads well without quotation marks. */
static bool is_plain(json_text name) {
    if (name.at == name.end)
        return false;
    for (const char *at = name.at; at < name.end; at++)
        if (strchr("\\.,:[]{}\" ", *at) != NULL)
            return false;
    return true;
}

static void path_add_name(json_comparison *c, json_text name) {
    json_text bare = {name.at + 1, name.end - 1};
    json_text shown = is_plain(bare) ? bare : name;
    if (c->size > 0)
        path_add(c, ".", 1);
    path_add(c, shown.at, (size_t)(shown.end - shown.at));
}

static void report_change(json_comparison *c, json_text a, json_text b) {
    lam_bytes left = {(const uint8_t *)a.at, (size_t)(a.end - a.at)};
    lam_bytes right = {(const uint8_t *)b.at, (size_t)(b.end - b.at)};
    c->count++;
    if (c->each != NULL)
        c->each(c->state, c->path, left, right);
}

/* Finds a member from where the last one was found; wraps around. */
static bool find_member(json_text object, json_text *from, json_text name, json_text *ret_value) {
    json_text other = name;
    for (int round = 0; round < 2; round++) {
        while (take_next(from, &other, ret_value))
            if (is_same_text(name, other))
                return true;
        *from = inside(object);
    }
    return false;
}

static size_t count_elements(json_text array) {
    json_text content = inside(array), element;
    size_t count = 0;
    while (take_next(&content, NULL, &element))
        count++;
    return count;
}

static void compare_values(json_comparison *c, json_text a, json_text b, unsigned depth);

static void compare_objects(json_comparison *c, json_text a, json_text b, unsigned depth) {
    static const json_text missing = {"", ""};
    size_t size = c->size;
    json_text content = inside(a), from = inside(b), name = content, value, other;
    while (take_next(&content, &name, &value)) {
        path_add_name(c, name);
        if (find_member(b, &from, name, &other))
            compare_values(c, value, other, depth + 1);
        else
            report_change(c, value, missing);
        c->size = size;
    }
    content = inside(b);
    from = inside(a);
    while (take_next(&content, &name, &value)) {
        if (find_member(a, &from, name, &other))
            continue;
        path_add_name(c, name);
        report_change(c, missing, value);
        c->size = size;
    }
}

static void compare_arrays(json_comparison *c, json_text a, json_text b, unsigned depth) {
    json_text left = inside(a), right = inside(b), one, other;
    size_t size = c->size, index = 0;
    while (take_next(&left, NULL, &one) && take_next(&right, NULL, &other)) {
        char text[32];
        int length = snprintf(text, sizeof text, "[%zu]", index++);
        path_add(c, text, (size_t)length);
        compare_values(c, one, other, depth + 1);
        c->size = size;
    }
}

static void compare_values(json_comparison *c, json_text a, json_text b, unsigned depth) {
    if (is_same_text(a, b))
        return;
    char kind = kind_of(a);
    if (kind != kind_of(b) || kind == 's' || depth >= DEPTH_MOST)
        report_change(c, a, b);
    else if (kind == '{')
        compare_objects(c, a, b, depth);
    else if (count_elements(a) == count_elements(b))
        compare_arrays(c, a, b, depth);
    else
        report_change(c, a, b);
}

size_t diff_compare_json(const char *a, size_t a_size, const char *b, size_t b_size,
                         diff_change_taker each, void *state) {
    json_comparison c = {.each = each, .state = state};
    json_text left = {a, a + a_size}, right = {b, b + b_size};
    path_add(&c, "", 0);
    compare_values(&c, left, right, 0);
    free(c.path);
    return c.count;
}
