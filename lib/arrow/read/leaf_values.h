/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the values of one leaf in the buffers of an Arrow array. Values are appended without
 * gaps, a block at a time, and then spread over the slots of the block:
 *
 *     before     | 7 3 . 5 |
 *     appended   | 7 3 . 5 | 1 4 2
 *     spread     | 7 3 . 5 | 1 . . 4 2 .        by bits 1 0 0 1 1 0
 *
 * A slot without a value is zero, or repeats the offset of the slot before. Validity is not kept
 * here: it comes from the levels (array_levels.h).
 */
#ifndef LAM_ARROW_READ_LEAF_VALUES_H
#define LAM_ARROW_READ_LEAF_VALUES_H

#include "arrow/array/array_owner.h"
#include "arrow/read/leaf_convert.h"
#include "kernel/kernel.h"

typedef enum lam_leaf_form {
    LAM_LEAF_FORM_NONE,       /* no buffer: the null type */
    LAM_LEAF_FORM_BITS,       /* a byte per slot, packed to a bit at the end */
    LAM_LEAF_FORM_FIXED,      /* a value of slot_size bytes */
    LAM_LEAF_FORM_OFFSETS_32, /* int32 offsets into data */
    LAM_LEAF_FORM_OFFSETS_64, /* int64 offsets into data */
    LAM_LEAF_FORM_VIEWS       /* 16 bytes with the value or its offset in data */
} lam_leaf_form;

/* Numbers of data buffers that views name: copied bytes, then those of a dictionary, then pages. */
enum { LAM_LEAF_OWN_DATA = 0, LAM_LEAF_DICTIONARY_DATA = 1, LAM_LEAF_PAGE_DATA = 2 };

/* A data buffer that an array shares with others; `block` is NULL for one that is not used. */
typedef struct lam_leaf_lent {
    lam_array_block *block;
    size_t size; /* bytes of it in use */
} lam_leaf_lent;

typedef struct lam_leaf_values {
    const lam_kernels *kernels;
    lam_array_store *store; /* borrowed */
    lam_leaf_form form;
    lam_leaf_conversion conversion; /* FIXED, BITS */
    bool is_text;                   /* data must be UTF-8 */
    size_t slot_size;               /* bytes of a slot in `slots` */
    size_t count;                   /* slots */
    size_t pending;                 /* values that were appended and not spread */
    size_t fault;                   /* of a failed append, the first value that is refused;
                                       SIZE_MAX when that is not known */
    lam_array_block *slots;         /* count + pending of them, after a first offset of OFFSETS */
    lam_array_block *data;          /* OFFSETS, VIEWS: the bytes, or NULL so far */
    size_t data_size;               /* bytes of data in use */
    int32_t data_number;            /* VIEWS: that long values name as theirs in `data` */
    lam_array_block *lent;          /* VIEWS: data buffers from number 1 on, which live elsewhere,
                                       as an array of lam_leaf_lent; or NULL */
    size_t lent_count;
    const uint8_t
        *lent_text; /* VIEWS: start of the data buffer lent last, if the values of an append are
                     * there and are not copied; or NULL */
    const uint8_t
        *text_end;         /* how far memory may be read beyond the values of an append, or NULL */
    bool is_in_order;      /* the values of an append are in one text, in its order */
    size_t data_most;      /* most bytes that data may have */
    size_t expected_count; /* slots that the next array likely has */
    size_t expected_data;  /* bytes of data that it likely has */
} lam_leaf_values;

/*
 * Prepares for values of a leaf as an Arrow type; the leaf is not referred to afterwards.
 * UNSUPPORTED when no conversion exists. Nothing to finish after a failure.
 */
lam_status lam_leaf_values_init(lam_leaf_values *values, const lam_kernels *kernels,
                                const lam_field *leaf, const lam_arrow_type *type,
                                lam_array_store *store, lam_error *error);
/* Prepares for indexes, uint32_t each, as an integer kind. */
void lam_leaf_values_init_indexes(lam_leaf_values *values, const lam_kernels *kernels,
                                  lam_arrow_kind index_kind, lam_array_store *store);
void lam_leaf_values_finish(lam_leaf_values *values);

/*
 * Announces the likely size of the next array, so that its buffers need not grow. `as_before`: the
 * array has as many rows as the one before, so at least its size is expected. Only speed and memory
 * depend on it.
 */
void lam_leaf_values_expect(lam_leaf_values *values, size_t count, size_t data_size,
                            bool as_before);

/* Makes room for `count` more slots; pointers to slots may change. */
lam_status lam_leaf_values_reserve(lam_leaf_values *values, size_t count, lam_error *error);

/*
 * Returns where the next values can be written without conversion, in the room of reserve; NULL
 * when they must be appended.
 */
void *lam_leaf_values_room(lam_leaf_values *values);
/* Accepts `count` values that were written there. */
static inline void lam_leaf_values_filled(lam_leaf_values *values, size_t count) {
    values->pending += count;
}

/* Returns where the next slots are, in the room of reserve; for forms without offsets. */
void *lam_leaf_values_slots(lam_leaf_values *values);

/*
 * Makes `size` bytes of a block data buffer `number` of the array, 1 or more, shared with the
 * caller: views that are written as slots may lead there. Does nothing if it is that already.
 */
lam_status lam_leaf_values_lend(lam_leaf_values *values, size_t number, lam_array_block *block,
                                size_t size, lam_error *error);

/* The same for the page that values are in; it becomes the buffer that was lent last. */
lam_status lam_leaf_values_lend_page(lam_leaf_values *values, lam_array_block *block, size_t size,
                                     lam_error *error);

/*
 * Converts `count` elements, in the form of lam_triples.values, into the room of reserve. CORRUPT
 * when a value is outside of the type, LIMIT when their bytes are too many for its offsets.
 */
lam_status lam_leaf_values_append(lam_leaf_values *values, const void *elements, size_t count,
                                  lam_error *error);

/*
 * Moves the pending values to their slots, which are the next `count`: those whose bits are 1, or
 * all when `bits` is NULL. As many bits are 1 as values are pending.
 */
void lam_leaf_values_spread(lam_leaf_values *values, const uint8_t *bits, size_t count);

/* Returns how many buffers the array has besides validity, which all forms but NONE have. */
size_t lam_leaf_values_buffer_count(const lam_leaf_values *values);

/*
 * Hands the collected values over as buffers 1 and up of an array, and starts again. With `keep`
 * the values also stay, shared with the array, and more may be appended.
 */
lam_status lam_leaf_values_export(lam_leaf_values *values, bool keep, struct ArrowArray *array,
                                  lam_error *error);

#endif
