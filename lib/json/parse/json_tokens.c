/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the text of one JSON value into tokens. simdjson's first stage finds where each token
 * begins and checks strings for UTF-8 and control characters; one pass over these positions, a
 * state machine of eight states with a stack of open containers, checks the grammar, numbers, words
 * and escapes (RFC 8259).
 *
 * The invariants on which every reader of the tokens relies: the text is well-formed JSON, so
 * numbers parse, escapes are complete and objects alternate names and values; and `next` of a token
 * is above its index and at most `count`. Values are not converted here: a token is a range of
 * bytes and a kind.
 *
 * Memory is kept from text to text, and given back after a number of small texts or one large one.
 */
#include "json/parse/json_tokens.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "base/utf8.h"
#include "text/json_string.h"

/* Tokens, or bytes of text, above which memory is not kept for later texts. */
enum { JSON_TOKENS_LARGE = 1 << 20 };

/*
 * The states: what may come next. The order matters: below COLON a string may come, up to
 * FIRST_ELEMENT any value.
 */
typedef enum json_expectation {
    VALUE,          /* a value */
    FIRST_ELEMENT,  /* a value or ] */
    FIRST_KEY,      /* a key or } */
    KEY,            /* a key */
    COLON,          /* : */
    BEHIND_ELEMENT, /* , or ] */
    BEHIND_MEMBER,  /* , or } */
    BEHIND_ALL      /* nothing: the value is complete */
} json_expectation;

/* By state. */
static const char *const json_tokens_expected[] = {
    "expected a value",      "expected a value or ]",
    "expected a key or }",   "expected a key in quotes",
    "expected a colon",      "expected a comma or ]",
    "expected a comma or }", "expected nothing after the value",
};

/* By kind; integers and reals are both "a number", as they are in JSON. */
const char *lam_json_kind_name(uint8_t kind) {
    static const char *const names[] = {"an object", "an array", "a string", "a number",
                                        "a number",  "true",     "false",    "null"};
    return names[kind];
}

lam_status lam_json_tokens_init(lam_json_tokens *parsed, const lam_allocator *allocator,
                                lam_error *error) {
    void *memory;
    memset(parsed, 0, sizeof *parsed);
    LAM_TRY(lam_alloc(allocator, lam_structural_size(), &memory, error));
    parsed->allocator = *allocator;
    parsed->structural = lam_structural_init(memory);
    return LAM_STATUS_OK;
}

void lam_json_tokens_finish(lam_json_tokens *parsed) {
    if (parsed->structural == NULL)
        return;
    lam_structural_finish(parsed->structural);
    lam_free_elsewhere(&parsed->allocator, parsed->index_cost);
    lam_free(&parsed->allocator, parsed->structural, lam_structural_size());
    lam_free(&parsed->allocator, parsed->tokens, parsed->capacity * sizeof *parsed->tokens);
    memset(parsed, 0, sizeof *parsed);
}

/* The capacity for `needed`: twice the old one, but for large amounts little more than needed. */
static size_t grown(size_t capacity, size_t needed) {
    size_t more = needed > JSON_TOKENS_LARGE ? needed + needed / 16 : capacity * 2;
    return more > needed ? more : needed;
}

/* Gives the index back, and its bytes to the budget. */
static void drop_index(lam_json_tokens *parsed) {
    (void)lam_structural_reserve(parsed->structural, 0);
    lam_free_elsewhere(&parsed->allocator, parsed->index_cost);
    parsed->index_cost = 0;
}

static lam_status json_tokens_no_memory(size_t size, lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory to parse %zu bytes of JSON", size);
}

/*
 * Makes room for the index of a text. The old index is given back first, so that only one is
 * counted. simdjson allocates on its own, so its bytes are counted towards the budget before it
 * does.
 */
static lam_status make_index_room(lam_json_tokens *parsed, size_t size, lam_error *error) {
    enum { JSON_TOKENS_SMALLEST = 64 * 1024 };
    size_t capacity = lam_structural_capacity(parsed->structural);
    if (size <= capacity && capacity > 0)
        return LAM_STATUS_OK;
    capacity = grown(capacity == 0 ? JSON_TOKENS_SMALLEST / 2 : capacity, size);
    drop_index(parsed);
    LAM_TRY(lam_alloc_elsewhere(&parsed->allocator, lam_structural_cost(capacity), error));
    parsed->index_cost = lam_structural_cost(capacity);
    if (lam_structural_reserve(parsed->structural, capacity) == LAM_STRUCTURAL_OK)
        return LAM_STATUS_OK;
    drop_index(parsed);
    return json_tokens_no_memory(size, error);
}

/* Gives the tokens back; their text may be parsed again. */
static void drop_tokens(lam_json_tokens *parsed) {
    lam_free(&parsed->allocator, parsed->tokens, parsed->capacity * sizeof *parsed->tokens);
    parsed->tokens = NULL;
    parsed->capacity = 0;
}

void lam_json_tokens_give_back(lam_json_tokens *parsed) {
    drop_tokens(parsed);
    drop_index(parsed);
    parsed->count = 0;
}

/*
 * Makes room for the tokens of `count` structural positions, so that adding one needs no check. At
 * most every second position is a token: in a container each token but the first has a comma or
 * colon before it, and the first is matched by the closing bracket. In text that is not closed that
 * bracket may be missing, once for each level, hence the second summand. The tokens of the text
 * before are not kept; room for many goes when a number of texts in a row did not need it.
 */
static lam_status json_tokens_make_room(lam_json_tokens *parsed, size_t count, lam_error *error) {
    enum { JSON_TOKENS_PATIENCE = 16 };
    size_t needed = count / 2 + 1 + (LAM_JSON_DEPTH_MAX + 1) / 2;
    bool is_short = parsed->capacity > JSON_TOKENS_LARGE / 4 && needed < parsed->capacity / 4;
    parsed->short_ones = is_short ? parsed->short_ones + 1 : 0;
    if (needed <= parsed->capacity && parsed->short_ones < JSON_TOKENS_PATIENCE)
        return LAM_STATUS_OK;
    if (needed > LAM_JSON_TOKENS_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT, "the text has more than %zu tokens",
                 (size_t)LAM_JSON_TOKENS_MAX);
    size_t capacity =
        parsed->short_ones == JSON_TOKENS_PATIENCE ? needed : grown(parsed->capacity, needed);
    capacity = capacity < LAM_JSON_TOKENS_MAX ? capacity : LAM_JSON_TOKENS_MAX;
    void *tokens;
    parsed->short_ones = 0;
    drop_tokens(parsed);
    LAM_TRY(lam_alloc(&parsed->allocator, capacity * sizeof *parsed->tokens, &tokens, error));
    parsed->tokens = tokens;
    parsed->capacity = capacity;
    return LAM_STATUS_OK;
}

/* Fails with the position of the problem in `problem`. */
static lam_status problem_at(lam_json_tokens *parsed, size_t position, const char *message,
                             lam_error *error) {
    parsed->problem = position;
    LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "%s", message);
}

/* Fails with what was expected, and the byte that was found instead. */
static lam_status wrong_token(lam_json_tokens *parsed, size_t position, json_expectation where,
                              lam_error *error) {
    unsigned char c = (unsigned char)parsed->text[position];
    parsed->problem = position;
    if (c >= 0x20 && c < 0x7F)
        LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "%s, found '%c'", json_tokens_expected[where],
                 c);
    LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "%s, found byte 0x%02x",
             json_tokens_expected[where], c);
}

/*
 * Checks eight bytes at once: each is 0x30 to 0x3F, and still is when 6 is added, so it is at most
 * 0x39. Adding 6 cannot carry into the next byte if the first test holds.
 */
static bool are_digits(const char *c) {
    const uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0), zeros = UINT64_C(0x3030303030303030);
    uint64_t bytes;
    memcpy(&bytes, c, 8);
    return (bytes & high) == zeros && ((bytes + UINT64_C(0x0606060606060606)) & high) == zeros;
}

/* Skips eight digits a step while that many bytes are left, then one by one. */
static const char *skip_digits(const char *c, const char *end) {
    while (end - c >= 8 && are_digits(c))
        c += 8;
    while (c < end && lam_ascii_is_digit(*c))
        c++;
    return c;
}

/*
 * True when all of `c` to `end` is a JSON number: [-] (0 | 1-9 digits) [. digits] [e [+-] digits].
 */
static bool scan_number(const char *c, const char *end, uint8_t *ret_kind) {
    uint8_t kind = LAM_JSON_INTEGER;
    c += *c == '-'; /* there is one byte at least */
    if (c == end || !lam_ascii_is_digit(*c))
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
static size_t json_tokens_trim(const char *text, size_t start, size_t next) {
    while (next > start + 1 && (text[next - 1] == ' ' || text[next - 1] == '\n' ||
                                text[next - 1] == '\r' || text[next - 1] == '\t'))
        next--;
    return next;
}

static bool is_word(const char *text, size_t size, const char *word, size_t word_size) {
    return size == word_size && memcmp(text, word, word_size) == 0;
}

/* Adds a token, in one store; its `next` is right for values that hold no others. */
static void add_token(lam_json_tokens *parsed, size_t start, size_t end, uint8_t kind,
                      bool escaped) {
    assert(parsed->count < parsed->capacity);
    lam_json_token *token = &parsed->tokens[parsed->count++];
    *token = (lam_json_token){(uint32_t)start, (uint32_t)end,
                              (uint32_t)parsed->count & LAM_JSON_TOKENS_MAX, kind & 7, escaped};
}

/* Adds the string that begins at `start`, before the token at `next`. */
static lam_status add_string(lam_json_tokens *parsed, size_t start, size_t next, lam_error *error) {
    const char *text = parsed->text;
    size_t end = json_tokens_trim(text, start, next) - 1;
    /* unreachable: between a closing quote and the next position there is only white space */
    if (end == start || text[end] != '"')
        return problem_at(parsed, start, "a string does not end", error);
    start++;
    bool escaped = parsed->any_escapes && memchr(text + start, '\\', end - start) != NULL;
    add_token(parsed, start, end, LAM_JSON_STRING, escaped);
    size_t bad;
    if (escaped && !lam_json_string_check(text + start, end - start, &bad))
        return problem_at(parsed, start + bad, "a string has an escape that is not valid", error);
    return LAM_STATUS_OK;
}

/*
 * Adds the number or word that begins at `start`, before the token at `next`. Only white space may
 * be between its end and `next`, as anything else would have a position of its own.
 */
static lam_status json_tokens_add_scalar(lam_json_tokens *parsed, size_t start, size_t next,
                                         json_expectation where, lam_error *error) {
    uint8_t kind = LAM_JSON_INTEGER;
    size_t end = json_tokens_trim(parsed->text, start, next);
    const char *text = parsed->text + start;
    size_t size = end - start;
    if (where > FIRST_ELEMENT)
        return wrong_token(parsed, start, where, error);
    if (*text == '-' || lam_ascii_is_digit(*text)) {
        if (!scan_number(text, text + size, &kind))
            return problem_at(parsed, start, "a number is not well formed", error);
    } else if (is_word(text, size, "null", 4)) {
        kind = LAM_JSON_NULL;
    } else if (is_word(text, size, "true", 4)) {
        kind = LAM_JSON_TRUE;
    } else if (is_word(text, size, "false", 5)) {
        kind = LAM_JSON_FALSE;
    } else {
        return wrong_token(parsed, start, where, error);
    }
    add_token(parsed, start, end, kind, false);
    return LAM_STATUS_OK;
}

/* The state of the pass over the positions. */
typedef struct builder {
    size_t depth; /* containers that are open; their tokens are in `open` of the tokens */
    json_expectation where;
    json_expectation behind; /* what comes after a complete value here */
} builder;

/* Adds the token of a container; its end and `next` are set when it closes. */
static lam_status json_tokens_open_container(lam_json_tokens *parsed, builder *b, size_t at,
                                             lam_error *error) {
    bool object = parsed->text[at] == '{';
    if (b->where > FIRST_ELEMENT)
        return wrong_token(parsed, at, b->where, error);
    if (b->depth == LAM_JSON_DEPTH_MAX)
        return problem_at(parsed, at, "arrays and objects are nested too deep", error);
    parsed->open[b->depth++] = (uint32_t)parsed->count;
    add_token(parsed, at, at, object ? LAM_JSON_OBJECT : LAM_JSON_ARRAY, false);
    b->where = object ? FIRST_KEY : FIRST_ELEMENT;
    b->behind = object ? BEHIND_MEMBER : BEHIND_ELEMENT;
    return LAM_STATUS_OK;
}

/*
 * Closes the innermost container, if the bracket matches it: objects and arrays have states of
 * their own, so the state suffices. A comma before the bracket leaves KEY or VALUE, and fails.
 */
static lam_status close_container(lam_json_tokens *parsed, builder *b, size_t at,
                                  lam_error *error) {
    bool object = parsed->text[at] == '}';
    if (b->where != (object ? FIRST_KEY : FIRST_ELEMENT) &&
        b->where != (object ? BEHIND_MEMBER : BEHIND_ELEMENT))
        return wrong_token(parsed, at, b->where, error);
    lam_json_token *token = &parsed->tokens[parsed->open[--b->depth]];
    token->end = (uint32_t)at + 1;
    /* The count is within 28 bits by json_tokens_make_room; the mask shows that to the compiler. */
    token->next = (uint32_t)parsed->count & LAM_JSON_TOKENS_MAX;
    /* The state after a complete value depends on the container around it, if any. */
    b->behind = BEHIND_ALL;
    if (b->depth > 0)
        b->behind = parsed->tokens[parsed->open[b->depth - 1]].kind == LAM_JSON_OBJECT
                        ? BEHIND_MEMBER
                        : BEHIND_ELEMENT;
    b->where = b->behind;
    return LAM_STATUS_OK;
}

/* Checks the grammar, one structural position a step, or two: a name takes its colon with it. */
static lam_status json_tokens_build(lam_json_tokens *parsed, const uint32_t *positions,
                                    size_t count, size_t size, lam_error *error) {
    const char *text = parsed->text;
    builder b = {0, VALUE, BEHIND_ALL};
    uint64_t steps = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = positions[i];
        LAM_TRY(lam_stop_step(parsed->stop, &steps, error));
        switch (text[at]) {
        /* A string is a name or a value, by the state. Unless it is a name, it ends a value. */
        case '"':
            if (b.where > KEY)
                return wrong_token(parsed, at, b.where, error);
            LAM_TRY(add_string(parsed, at, positions[i + 1], error));
            if (b.where < FIRST_KEY) {
                b.where = b.behind;
                break;
            }
            b.where = COLON;
            if (++i < count && text[positions[i]] != ':')
                return wrong_token(parsed, positions[i], COLON, error);
            if (i < count)
                b.where = VALUE;
            break;
        case '{':
        case '[':
            LAM_TRY(json_tokens_open_container(parsed, &b, at, error));
            break;
        case '}':
        case ']':
            LAM_TRY(close_container(parsed, &b, at, error));
            break;
        case ',':
            if (b.where != BEHIND_MEMBER && b.where != BEHIND_ELEMENT)
                return wrong_token(parsed, at, b.where, error);
            b.where = b.where == BEHIND_MEMBER ? KEY : VALUE;
            break;
        default:
            LAM_TRY(json_tokens_add_scalar(parsed, at, positions[i + 1], b.where, error));
            b.where = b.behind;
        }
    }
    /* Text of white space alone has no positions, and is no failure here. */
    if (b.where != BEHIND_ALL && count > 0)
        return problem_at(parsed, size, "the text ends inside a value", error);
    return LAM_STATUS_OK;
}

/*
 * Where the last string that does not end begins, or the first control character inside one is. The
 * index reports only that there is one, so the text is scanned again for the position.
 */
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

/* The index of a large text is given back at once, as it is larger than the text itself. */
lam_status lam_json_tokens_parse(lam_json_tokens *parsed, const char *text, size_t size,
                                 lam_error *error) {
    const uint32_t *positions = NULL;
    size_t count = 0;
    parsed->text = text;
    parsed->count = 0;
    LAM_TRY(make_index_room(parsed, size, error));
    /* unreachable: room for the index was made above, and no other results exist */
    switch (
        lam_structural_index(parsed->structural, (const uint8_t *)text, size, &positions, &count)) {
    case LAM_STRUCTURAL_OK:
        break;
    case LAM_STRUCTURAL_NOT_UTF8:
        return problem_at(parsed, lam_utf8_prefix((const uint8_t *)text, size),
                          "the text is not UTF-8", error);
    case LAM_STRUCTURAL_OPEN_STRING:
        return problem_at(parsed, find_in_strings(text, size, false), "a string does not end",
                          error);
    case LAM_STRUCTURAL_CONTROL:
        return problem_at(parsed, find_in_strings(text, size, true),
                          "a control character inside a string", error);
    case LAM_STRUCTURAL_NO_MEMORY:
        return json_tokens_no_memory(size, error);
    }
    LAM_TRY(json_tokens_make_room(parsed, count, error));
    parsed->any_escapes = memchr(text, '\\', size) != NULL;
    lam_status status = json_tokens_build(parsed, positions, count, size, error);
    if (size > JSON_TOKENS_LARGE)
        drop_index(parsed);
    return status;
}
