/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of JSON (RFC 8259), and steps over text that follows it: a text is checked once, and
 * walked after that without a bound, as no string, array or object of it lacks its end.
 */
#ifndef LAM_TEXT_JSON_GRAMMAR_H
#define LAM_TEXT_JSON_GRAMMAR_H

#include "base/ascii.h"
#include "base/buffer.h"

/*
 * Checks that all of a text is one value with white space around it. That it is UTF-8 is not
 * checked. INVALID says what is wrong and where. `nesting` is room for the containers that are
 * open: it comes empty, grows by a byte for each, and is left for the caller to clear; NOMEM when
 * it cannot. So no input can exhaust the stack.
 */
lam_status lam_json_grammar_check(lam_bytes text, lam_buffer *nesting, lam_error *error);

/* The closing quotation mark of the string whose opening one is before `at`. */
static inline const uint8_t *lam_json_string_end(const uint8_t *at) {
    for (;; at++) {
        if (*at == '"')
            return at;
        at += *at == '\\';
    }
}

/* The first byte after an array or object. */
static inline const uint8_t *lam_json_nested_end(const uint8_t *at) {
    size_t depth = 0;
    do {
        if (*at == '"')
            at = lam_json_string_end(at + 1);
        depth += *at == '[' || *at == '{';
        depth -= *at == ']' || *at == '}';
        at++;
    } while (depth > 0);
    return at;
}

/* The first byte after a number, true, false or null inside of an array or object. */
static inline const uint8_t *lam_json_word_end(const uint8_t *at) {
    while (*at != ',' && *at != '}' && *at != ']' && !lam_ascii_is_space((char)*at))
        at++;
    return at;
}

#endif
