/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the structural index without simdjson, byte by byte: for machines that simdjson does not
 * know. The positions and results for a text are those of structural.cpp, as its header specifies
 * them.
 *
 * The invariant: a token begins at each bracket, brace, colon and comma outside of strings, at each
 * quote that opens a string, and at every other byte that is not white space, if the byte before it
 * ends a token (white space, punctuation, or the quote that closes a string). A backslash takes the
 * meaning from the byte after it, outside of strings, too.
 */
#include "json/parse/structural.h"

#include <stdbool.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/utf8.h"

struct lam_structural {
    uint32_t *positions; /* one for each byte of the longest text, and one after the last */
    size_t capacity;
};

size_t lam_structural_size(void) {
    return sizeof(lam_structural);
}

lam_structural *lam_structural_init(void *memory) {
    lam_structural *structural = memory;
    structural->positions = NULL;
    structural->capacity = 0;
    return structural;
}

size_t lam_structural_capacity(const lam_structural *structural) {
    return structural->capacity;
}

size_t lam_structural_cost(size_t capacity) {
    return capacity == 0 ? 0 : (capacity + 1) * sizeof(uint32_t);
}

lam_structural_result lam_structural_reserve(lam_structural *structural, size_t capacity) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_free(&allocator, structural->positions, lam_structural_cost(structural->capacity));
    (void)lam_structural_init(structural);
    if (capacity == 0)
        return LAM_STRUCTURAL_OK;
    if (LAM_ARRAY(&allocator, capacity + 1, &structural->positions, NULL) != LAM_STATUS_OK)
        return LAM_STRUCTURAL_NO_MEMORY;
    structural->capacity = capacity;
    return LAM_STRUCTURAL_OK;
}

void lam_structural_finish(lam_structural *structural) {
    (void)lam_structural_reserve(structural, 0);
}

static bool is_punctuation(uint8_t byte) {
    return byte == '{' || byte == '}' || byte == '[' || byte == ']' || byte == ':' || byte == ',';
}

/* The position of the loop below in the text. */
typedef struct scan_state {
    bool in_string;
    bool is_escaped; /* the next byte */
    bool in_scalar;  /* the byte before belongs to a token that may go on */
    bool has_control;
} scan_state;

/* Takes one byte, and says whether a token begins at it. */
static bool begins_token(scan_state *state, uint8_t byte) {
    bool is_escaped = state->is_escaped;
    bool is_quote = byte == '"' && !is_escaped;
    state->is_escaped = byte == '\\' && !is_escaped;
    if (state->in_string) {
        state->has_control |= byte < 0x20;
        state->in_string = !is_quote;
        state->in_scalar = !is_quote;
        return false;
    }
    bool begins = is_punctuation(byte) || (!lam_ascii_is_space(byte) && !state->in_scalar);
    state->in_string = is_quote;
    state->in_scalar = !is_punctuation(byte) && !lam_ascii_is_space(byte) && !is_quote;
    return begins;
}

/* Faults are reported in the same order as by simdjson. */
lam_structural_result lam_structural_index(lam_structural *structural, const uint8_t *text,
                                           size_t size, const uint32_t **ret_positions,
                                           size_t *ret_count) {
    scan_state state = {0};
    size_t count = 0;
    if ((size > structural->capacity || structural->capacity == 0) &&
        lam_structural_reserve(structural, size > 0 ? size : 1) != LAM_STRUCTURAL_OK)
        return LAM_STRUCTURAL_NO_MEMORY;
    for (size_t i = 0; i < size; i++)
        if (begins_token(&state, text[i]))
            structural->positions[count++] = (uint32_t)i;
    if (state.in_string)
        return LAM_STRUCTURAL_OPEN_STRING;
    if (state.has_control)
        return LAM_STRUCTURAL_CONTROL;
    *ret_count = count;
    if (count == 0)
        return LAM_STRUCTURAL_OK;
    if (lam_utf8_prefix(text, size) != size)
        return LAM_STRUCTURAL_NOT_UTF8;
    structural->positions[count] = (uint32_t)size;
    *ret_positions = structural->positions;
    return LAM_STRUCTURAL_OK;
}
