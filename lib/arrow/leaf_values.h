/*
 * The values of one leaf on their way into the buffers of an Arrow array. They come without gaps,
 * a block at a time, behind what is there already, and then are spread over the slots of the block.
 *
 *     there  | 7 3 . 5 |                     appended  | 7 3 . 5 | 1 4 2
 *                                            spread    | 7 3 . 5 | 1 . . 4 2 .     bits 1 0 0 1 1 0
 *
 * A slot without a value has zeros, or the offset of the one before it.
 */
#ifndef LAM_ARROW_LEAF_VALUES_H
#define LAM_ARROW_LEAF_VALUES_H

#include "arrow/array_owner.h"
#include "arrow/leaf_convert.h"

typedef enum lam_leaf_form {
    LAM_LEAF_FORM_NONE, /* no buffer: type null */
    LAM_LEAF_FORM_BITS, /* a byte per slot, which becomes a bit in the end */
    LAM_LEAF_FORM_FIXED,
    LAM_LEAF_FORM_OFFSETS_32, /* offsets into data */
    LAM_LEAF_FORM_OFFSETS_64,
    LAM_LEAF_FORM_VIEWS /* 16 bytes with the value or its place in data */
} lam_leaf_form;

typedef struct lam_leaf_values {
    lam_array_store *store; /* borrowed */
    lam_leaf_form form;
    lam_leaf_conversion conversion; /* FIXED, BITS */
    bool is_text;                   /* data is to be UTF-8 */
    size_t slot_size;               /* bytes of a slot in `slots` */
    size_t count;                   /* slots */
    size_t pending;                 /* values appended since the last spread */
    size_t fault;                   /* of those of a failed append, the first that does not fit;
                                       SIZE_MAX when that is not known */
    lam_array_block *slots;         /* count + pending of them; OFFSETS have one more in front */
    lam_array_block *data;
    size_t data_size;
    const uint8_t
        *text_end;         /* how far memory may be read behind the values of an append, or NULL */
    size_t data_most;      /* OFFSETS_32, VIEWS: most bytes of data */
    size_t expected_count; /* of the next array */
    size_t expected_data;
} lam_leaf_values;

/*
 * For values of a leaf as an Arrow type; the leaf is not referred to afterwards. UNSUPPORTED when
 * the two do not go together. Nothing to finish after a failure.
 */
lam_status lam_leaf_values_init(lam_leaf_values *values, const lam_field *leaf,
                                const lam_arrow_type *type, lam_array_store *store,
                                lam_error *error);
/* For indexes, of 32 bits without sign, as an integer kind. */
void lam_leaf_values_init_indexes(lam_leaf_values *values, lam_arrow_kind index_kind,
                                  lam_array_store *store);
void lam_leaf_values_finish(lam_leaf_values *values);

/*
 * Says what the next array will likely take, so that its buffers need not grow; at least what the
 * one before took when that had as many rows. Nothing depends on it but speed and memory.
 */
void lam_leaf_values_expect(lam_leaf_values *values, size_t count, size_t data_size,
                            bool as_before);

/* Makes room for `count` more slots. */
lam_status lam_leaf_values_reserve(lam_leaf_values *values, size_t count, lam_error *error);

/*
 * Where the next values can be written as they are, in the room of reserve; NULL when they must go
 * through append.
 */
void *lam_leaf_values_room(lam_leaf_values *values);
/* Says that `count` values were written there. */
static inline void lam_leaf_values_filled(lam_leaf_values *values, size_t count) {
    values->pending += count;
}

/*
 * Converts `count` elements, as in lam_triples.values, in the room of reserve. CORRUPT when a value
 * does not fit the type, LIMIT when there are too many bytes for it.
 */
lam_status lam_leaf_values_append(lam_leaf_values *values, const void *elements, size_t count,
                                  lam_error *error);

/*
 * Gives the pending values their places among the next `count` slots: those whose bits are 1, or
 * all when `bits` is NULL.
 */
void lam_leaf_values_spread(lam_leaf_values *values, const uint8_t *bits, size_t count);

/* How many buffers the array has besides that of validity, which it has but for NONE. */
size_t lam_leaf_values_buffer_count(const lam_leaf_values *values);

/*
 * Gives buffers 1 and up of an array what came so far, and starts anew. With `keep`, what came so
 * far also stays, shared with the array, and more may be appended behind it.
 */
lam_status lam_leaf_values_export(lam_leaf_values *values, bool keep, struct ArrowArray *array,
                                  lam_error *error);

#endif
