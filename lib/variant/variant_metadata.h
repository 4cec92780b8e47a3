/* The bytes of a dictionary of names, put together name by name; and the order of its names. */
#ifndef LAM_VARIANT_VARIANT_METADATA_H
#define LAM_VARIANT_VARIANT_METADATA_H

#include "base/buffer.h"
#include "variant/variant_layout.h"

typedef struct lam_variant_metadata_writer {
    uint8_t *offsets; /* where the next one goes */
    uint8_t *names;   /* the first */
    uint32_t offset;
    unsigned width;
} lam_variant_metadata_writer;

/*
 * Makes room behind `out` for the metadata of `count` names of `bytes` in all; its size is that of
 * the buffer then. LIMIT when it does not fit the format.
 */
lam_status lam_variant_metadata_begin(lam_variant_metadata_writer *writer, size_t count,
                                      uint64_t bytes, bool is_sorted, lam_buffer *out,
                                      lam_error *error);
/* To be called for each of the names. */
void lam_variant_metadata_add(lam_variant_metadata_writer *writer, lam_bytes name);

/* Sorts numbers by whether the first of two stands behind the second; equals stay in turn. `spare`
 * has room for as many. */
void lam_variant_sort_numbers(uint32_t *numbers, size_t count, uint32_t *spare,
                              bool (*is_behind)(const void *state, uint32_t a, uint32_t b),
                              const void *state);

#endif
