#include "json/json_tape.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/utf8.h"
#include "json/json_string.h"

/* What may come next. */
typedef enum place {
    VALUE,          /* a value */
    FIRST_ELEMENT,  /* a value or ] */
    FIRST_KEY,      /* a key or } */
    KEY,            /* a key */
    COLON,          /* : */
    BEHIND_ELEMENT, /* , or ] */
    BEHIND_MEMBER,  /* , or } */
    BEHIND_ALL      /* nothing */
} place;

static const char *const expected[] = {
    "expected a value",      "expected a value or ]",
    "expected a key or }",   "expected a key in quotes",
    "expected a colon",      "expected a comma or ]",
    "expected a comma or }", "expected nothing behind the value",
};

const char *lam_json_kind_name(uint8_t kind) {
    static const char *const names[] = {"an object", "an array", "a string", "a number",
                                        "a number",  "true",     "false",    "null"};
    return names[kind];
}

lam_status lam_json_tape_init(lam_json_tape *tape, const lam_allocator *allocator,
                              lam_error *error) {
    void *memory;
    memset(tape, 0, sizeof *tape);
    LAM_TRY(lam_alloc(allocator, lam_structural_size(), &memory, error));
    tape->allocator = *allocator;
    tape->structural = lam_structural_init(memory);
    return LAM_STATUS_OK;
}

void lam_json_tape_finish(lam_json_tape *tape) {
    if (tape->structural == NULL)
        return;
    lam_structural_finish(tape->structural);
    lam_free(&tape->allocator, tape->structural, lam_structural_size());
    lam_free(&tape->allocator, tape->tokens, tape->capacity * sizeof *tape->tokens);
    memset(tape, 0, sizeof *tape);
}

/* Every structural position begins at most one token. */
static lam_status make_room(lam_json_tape *tape, size_t count, lam_error *error) {
    if (count <= tape->capacity)
        return LAM_STATUS_OK;
    size_t capacity = tape->capacity * 2 > count ? tape->capacity * 2 : count;
    void *tokens = tape->tokens;
    size_t size;
    if (!lam_mul_size(capacity, sizeof *tape->tokens, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu JSON tokens", count);
    LAM_TRY(
        lam_realloc(&tape->allocator, &tokens, tape->capacity * sizeof *tape->tokens, size, error));
    tape->tokens = tokens;
    tape->capacity = capacity;
    return LAM_STATUS_OK;
}

static lam_status problem_at(lam_json_tape *tape, size_t position, const char *message,
                             lam_error *error) {
    tape->problem = position;
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s", message);
}

static lam_status wrong_token(lam_json_tape *tape, size_t position, place where, lam_error *error) {
    unsigned char c = (unsigned char)tape->text[position];
    tape->problem = position;
    if (c >= 0x20 && c < 0x7F)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s, found '%c'", expected[where], c);
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s, found byte 0x%02x", expected[where], c);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *c, const char *end) {
    while (c < end && is_digit(*c))
        c++;
    return c;
}

/* True when all of `c` to `end` is a JSON number. */
static bool scan_number(const char *c, const char *end, uint8_t *ret_kind) {
    uint8_t kind = LAM_JSON_INTEGER;
    c += c < end && *c == '-';
    if (c == end || !is_digit(*c))
        return false;
    c = *c == '0' ? c + 1 : skip_digits(c, end);
    if (c < end && *c == '.') {
        kind = LAM_JSON_REAL;
        const char *digits = ++c;
        c = skip_digits(c, end);
        if (c == digits)
            return false;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        kind = LAM_JSON_REAL;
        c++;
        c += c < end && (*c == '+' || *c == '-');
        const char *digits = c;
        c = skip_digits(c, end);
        if (c == digits)
            return false;
    }
    *ret_kind = kind;
    return c == end;
}

/* Where the scalar that begins at `start` ends: at the white space before the next token. */
static size_t trim(const char *text, size_t start, size_t next) {
    while (next > start + 1 && (text[next - 1] == ' ' || text[next - 1] == '\n' ||
                                text[next - 1] == '\r' || text[next - 1] == '\t'))
        next--;
    return next;
}

static bool is_word(const char *text, size_t size, const char *word, size_t word_size) {
    return size == word_size && memcmp(text, word, word_size) == 0;
}

/* Fills `token` for a string, number or word at `start` .. `end`. */
static lam_status scan_scalar(lam_json_tape *tape, size_t start, size_t end, place where,
                              lam_json_token *token, lam_error *error) {
    const char *text = tape->text + start;
    size_t size = end - start;
    token->start = (uint32_t)start;
    token->end = (uint32_t)end;
    token->escaped = false;
    if (*text == '"') {
        token->kind = LAM_JSON_STRING;
        if (size < 2 || text[size - 1] != '"')
            return problem_at(tape, start, "a string does not end", error);
        token->start++;
        token->end--;
        token->escaped = memchr(text + 1, '\\', size - 2) != NULL;
        size_t bad;
        if (token->escaped && !lam_json_string_check(text + 1, size - 2, &bad))
            return problem_at(tape, start + 1 + bad, "a string has an escape that is not valid",
                              error);
        return LAM_STATUS_OK;
    }
    if (where == KEY || where == FIRST_KEY)
        return wrong_token(tape, start, where, error);
    if (*text == '-' || is_digit(*text)) {
        if (!scan_number(text, text + size, &token->kind))
            return problem_at(tape, start, "a number is not well formed", error);
    } else if (is_word(text, size, "null", 4)) {
        token->kind = LAM_JSON_NULL;
    } else if (is_word(text, size, "true", 4)) {
        token->kind = LAM_JSON_TRUE;
    } else if (is_word(text, size, "false", 5)) {
        token->kind = LAM_JSON_FALSE;
    } else {
        return wrong_token(tape, start, where, error);
    }
    return LAM_STATUS_OK;
}

/* What may follow a whole value inside the container that is open. */
static place behind_value(const lam_json_tape *tape, size_t depth) {
    if (depth == 0)
        return BEHIND_ALL;
    bool object = tape->tokens[tape->open[depth - 1]].kind == LAM_JSON_OBJECT;
    return object ? BEHIND_MEMBER : BEHIND_ELEMENT;
}

/* The grammar, one structural position a step. */
static lam_status build(lam_json_tape *tape, const uint32_t *positions, size_t count, size_t size,
                        lam_error *error) {
    const char *text = tape->text;
    size_t depth = 0;
    place where = VALUE;
    for (size_t i = 0; i < count; i++) {
        size_t at = positions[i];
        char c = text[at];
        lam_json_token *token = &tape->tokens[tape->count];
        if (where <= FIRST_ELEMENT && (c == '{' || c == '[')) {
            if (depth == LAM_JSON_DEPTH_MAX)
                return problem_at(tape, at, "arrays and objects are nested too deep", error);
            token->kind = c == '{' ? LAM_JSON_OBJECT : LAM_JSON_ARRAY;
            token->escaped = false;
            token->start = (uint32_t)at;
            tape->open[depth++] = (uint32_t)tape->count++;
            where = c == '{' ? FIRST_KEY : FIRST_ELEMENT;
        } else if ((c == '}' && (where == FIRST_KEY || where == BEHIND_MEMBER)) ||
                   (c == ']' && (where == FIRST_ELEMENT || where == BEHIND_ELEMENT))) {
            lam_json_token *container = &tape->tokens[tape->open[--depth]];
            container->end = (uint32_t)at + 1;
            container->next = (uint32_t)tape->count;
            where = behind_value(tape, depth);
        } else if (where <= KEY) {
            size_t end = trim(text, at, i + 1 < count ? positions[i + 1] : size);
            LAM_TRY(scan_scalar(tape, at, end, where, token, error));
            token->next = (uint32_t)++tape->count;
            where = where >= FIRST_KEY ? COLON : behind_value(tape, depth);
        } else if (c == ',' && (where == BEHIND_MEMBER || where == BEHIND_ELEMENT)) {
            where = where == BEHIND_MEMBER ? KEY : VALUE;
        } else if (c == ':' && where == COLON) {
            where = VALUE;
        } else {
            return wrong_token(tape, at, where, error);
        }
    }
    if (where != BEHIND_ALL && count > 0)
        return problem_at(tape, size, "the text ends inside a value", error);
    return LAM_STATUS_OK;
}

/* Where the last string that does not end, or the first control character inside one, is. */
static size_t find_in_strings(const char *text, size_t size, bool control) {
    size_t start = size;
    bool inside = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') {
            inside = !inside;
            start = i;
        } else if (inside && text[i] == '\\') {
            i++;
        } else if (inside && control && (unsigned char)text[i] < 0x20) {
            return i;
        }
    }
    return start;
}

lam_status lam_json_tape_parse(lam_json_tape *tape, const char *text, size_t size,
                               lam_error *error) {
    const uint32_t *positions = NULL;
    size_t count = 0;
    tape->text = text;
    tape->count = 0;
    switch (
        lam_structural_index(tape->structural, (const uint8_t *)text, size, &positions, &count)) {
    case LAM_STRUCTURAL_OK:
        break;
    case LAM_STRUCTURAL_NOT_UTF8:
        return problem_at(tape, lam_utf8_prefix((const uint8_t *)text, size),
                          "the text is not UTF-8", error);
    case LAM_STRUCTURAL_OPEN_STRING:
        return problem_at(tape, find_in_strings(text, size, false), "a string does not end", error);
    case LAM_STRUCTURAL_CONTROL:
        return problem_at(tape, find_in_strings(text, size, true),
                          "a control character inside a string", error);
    case LAM_STRUCTURAL_NO_MEMORY:
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory to parse %zu bytes of JSON", size);
    }
    LAM_TRY(make_room(tape, count, error));
    return build(tape, positions, count, size, error);
}
