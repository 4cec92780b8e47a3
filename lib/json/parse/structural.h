/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structural index of JSON text: the positions at which each bracket, brace, colon and comma
 * outside of strings, each string and each other scalar begins. simdjson computes it, 64 bytes a
 * step, and checks on the way that the text is UTF-8 and that every string ends.
 *
 *     text     {"id": 17, "on": true}
 *     index    ^^   ^ ^ ^ ^   ^ ^   ^
 */
#ifndef LAM_JSON_PARSE_STRUCTURAL_H
#define LAM_JSON_PARSE_STRUCTURAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes after the text that must be readable: simdjson reads full blocks. */
#define LAM_STRUCTURAL_PADDING 64

typedef enum lam_structural_result {
    LAM_STRUCTURAL_OK,
    LAM_STRUCTURAL_NOT_UTF8,
    LAM_STRUCTURAL_OPEN_STRING, /* the last string does not end */
    LAM_STRUCTURAL_CONTROL,     /* a control character inside a string */
    LAM_STRUCTURAL_NO_MEMORY,
} lam_structural_result;

typedef struct lam_structural lam_structural;

/* Bytes of a lam_structural, at an address that suits any type. */
size_t lam_structural_size(void);
/* Makes one in the caller's memory; allocates nothing yet. */
lam_structural *lam_structural_init(void *memory);
void lam_structural_finish(lam_structural *structural);

/* The longest text for which there is room, and the bytes of heap that such room takes. */
size_t lam_structural_capacity(const lam_structural *structural);
size_t lam_structural_cost(size_t capacity);
/* Makes room for texts of that many bytes in place of the present room; 0 gives it back. */
lam_structural_result lam_structural_reserve(lam_structural *structural, size_t capacity);

/*
 * Indexes `size` bytes, less than 4 GiB, and makes room for them if there is not enough. The
 * positions are borrowed until the next call or finish, and are followed by one more that is
 * `size`. Text of white space alone has none.
 */
lam_structural_result lam_structural_index(lam_structural *structural, const uint8_t *text,
                                           size_t size, const uint32_t **ret_positions,
                                           size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif
