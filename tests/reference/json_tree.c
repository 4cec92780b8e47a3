/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON into a tree by plain recursion, in an arena. */
#include "reference/json_tree.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_reader {
    const char *at;
    lam_arena *arena;
} json_reader;

static void *make(json_reader *reader, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(reader->arena, count, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

static void skip_space(json_reader *reader) {
    reader->at += strspn(reader->at, " \t\r\n");
}

/* Passes a character that has to come. */
static void expect(json_reader *reader, char c) {
    skip_space(reader);
    cr_assert_eq(*reader->at, c, "'%c' expected before: %.40s", c, reader->at);
    reader->at++;
}

/* Passes a character if it comes. */
static bool accept(json_reader *reader, char c) {
    skip_space(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static char *put_character(char *out, unsigned long c) {
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3F));
    } else {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    }
    return out;
}

static char *read_escape(json_reader *reader, char *out) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = *reader->at++;
    if (c == 'u') {
        char digits[5] = {0};
        strncpy(digits, reader->at, 4);
        reader->at += strlen(digits);
        return put_character(out, strtoul(digits, NULL, 16));
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    cr_assert_not_null(letter, "unknown escape before: %.40s", reader->at);
    *out = meanings[letter - letters];
    return out + 1;
}

static char *read_string(json_reader *reader, size_t *ret_size) {
    skip_space(reader);
    const char quote = *reader->at == '\'' ? '\'' : '"';
    expect(reader, quote);
    const char *end = reader->at;
    while (*end != quote && *end != '\0')
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    char *text = make(reader, (size_t)(end - reader->at) + 1, 1);
    char *out = text;
    while (reader->at < end) {
        if (*reader->at == '\\') {
            reader->at++;
            out = read_escape(reader, out);
        } else {
            *out++ = *reader->at++;
        }
    }
    expect(reader, quote);
    *ret_size = (size_t)(out - text);
    return text;
}

/* A name without quotation marks: letters, digits and underscores. */
static char *read_bare(json_reader *reader) {
    size_t size = 0;
    while (isalnum((unsigned char)reader->at[size]) || reader->at[size] == '_')
        size++;
    cr_assert_gt(size, 0, "no name: %.40s", reader->at);
    char *text = make(reader, size + 1, 1);
    memcpy(text, reader->at, size);
    reader->at += size;
    return text;
}

/* Bytes as pairs of hexadecimal digits, after an x. */
static char *read_hex(json_reader *reader, size_t *ret_size) {
    size_t digits = strspn(reader->at, "0123456789abcdefABCDEF");
    cr_assert_eq(digits % 2, 0, "half a byte: %.40s", reader->at);
    char *bytes = make(reader, digits / 2 + 1, 1);
    for (*ret_size = 0; *ret_size < digits / 2; reader->at += 2) {
        const char pair[] = {reader->at[0], reader->at[1], '\0'};
        bytes[(*ret_size)++] = (char)strtoul(pair, NULL, 16);
    }
    return bytes;
}

static lam_json_tree read_value(json_reader *reader);

/* The items of an array or the members of an object, after the opening bracket. */
static void read_items(json_reader *reader, char end, lam_json_tree *tree) {
    size_t capacity = 0;
    if (accept(reader, end))
        return;
    do {
        if (tree->count == capacity) {
            capacity = capacity * 2 + 8;
            lam_json_tree *items = make(reader, capacity, sizeof *items);
            const char **names = make(reader, capacity, sizeof *names);
            if (tree->count > 0) {
                memcpy(items, tree->items, tree->count * sizeof *items);
                memcpy(names, tree->names, tree->count * sizeof *names);
            }
            tree->items = items;
            tree->names = names;
        }
        size_t size;
        if (end == '}') {
            skip_space(reader);
            tree->names[tree->count] = *reader->at == '"' || *reader->at == '\''
                                           ? read_string(reader, &size)
                                           : read_bare(reader);
            expect(reader, ':');
        }
        tree->items[tree->count] = read_value(reader);
        tree->count++;
        if (accept(reader, end))
            return;
        expect(reader, ',');
    } while (!accept(reader, end)); /* a comma may come last */
}

static bool accept_word(json_reader *reader, const char *word) {
    if (strncmp(reader->at, word, strlen(word)) != 0)
        return false;
    reader->at += strlen(word);
    return true;
}

static lam_json_tree read_value(json_reader *reader) {
    lam_json_tree tree = {0};
    if (accept(reader, '[')) {
        tree.kind = LAM_JSON_ARRAY;
        read_items(reader, ']', &tree);
    } else if (accept(reader, '{')) {
        tree.kind = LAM_JSON_OBJECT;
        read_items(reader, '}', &tree);
    } else if (*reader->at == '"' || *reader->at == '\'') {
        tree.kind = LAM_JSON_STRING;
        tree.text = read_string(reader, &tree.size);
    } else if (accept_word(reader, "x")) {
        tree.kind = LAM_JSON_STRING;
        tree.text = read_hex(reader, &tree.size);
    } else if (accept_word(reader, "true")) {
        tree.kind = LAM_JSON_BOOLEAN;
        tree.boolean = true;
    } else if (accept_word(reader, "false")) {
        tree.kind = LAM_JSON_BOOLEAN;
    } else if (!accept_word(reader, "null")) {
        char *end;
        tree.kind = LAM_JSON_NUMBER;
        tree.integer = strtoll(reader->at, NULL, 10);
        tree.real = strtod(reader->at, &end);
        cr_assert_neq(end, reader->at, "no JSON value: %.40s", reader->at);
        reader->at = end;
    }
    return tree;
}

lam_json_tree lam_json_tree_next(const char **text, lam_arena *arena) {
    json_reader reader = {*text, arena};
    lam_json_tree tree = read_value(&reader);
    skip_space(&reader);
    *text = reader.at;
    return tree;
}

lam_json_tree lam_json_tree_parse(const char *text, lam_arena *arena) {
    const lam_json_tree tree = lam_json_tree_next(&text, arena);
    cr_assert_eq(*text, '\0', "more than one JSON value: %.40s", text);
    return tree;
}

const lam_json_tree *lam_json_tree_member(const lam_json_tree *object, const char *name) {
    for (size_t i = 0; i < object->count && object->kind == LAM_JSON_OBJECT; i++)
        if (strcmp(object->names[i], name) == 0)
            return &object->items[i];
    return NULL;
}
