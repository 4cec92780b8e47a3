/*
 * The dictionary of a leaf that is read as indexes: that of the row group's column chunk, and
 * behind it the values of pages that are not dictionary encoded. Numbers once given stay.
 */
#ifndef LAM_ARROW_LEAF_DICTIONARY_H
#define LAM_ARROW_LEAF_DICTIONARY_H

#include "arrow/leaf_values.h"
#include "base/buffer.h"
#include "encoding/dictionary.h"

typedef struct lam_leaf_dictionary {
    lam_allocator allocator;
    lam_value_layout layout;
    lam_leaf_values values;          /* as Arrow has them */
    const lam_dictionary *chunk;     /* the chunk's own, once it is known */
    lam_dictionary_builder *builder; /* of values in plain pages; NULL until there are any */
    lam_buffer numbers;              /* uint32_t: of each value of the builder, its number here */
} lam_leaf_dictionary;

/* As lam_leaf_values_init. */
lam_status lam_leaf_dictionary_init(lam_leaf_dictionary *dictionary, const lam_field *leaf,
                                    const lam_arrow_type *type, lam_array_store *store,
                                    const lam_allocator *allocator, lam_error *error);
void lam_leaf_dictionary_finish(lam_leaf_dictionary *dictionary);

/* Forgets everything, for the next row group. */
void lam_leaf_dictionary_clear(lam_leaf_dictionary *dictionary);

/*
 * Takes the chunk's dictionary, whose indexes then are numbers here; borrowed until clear. Once,
 * before any value is added. CORRUPT when a value does not fit the type, though no row may have it.
 */
lam_status lam_leaf_dictionary_take(lam_leaf_dictionary *dictionary, const lam_dictionary *chunk,
                                    lam_error *error);

/* The numbers of values, those that are new added. LIMIT when there are too many. */
lam_status lam_leaf_dictionary_add(lam_leaf_dictionary *dictionary, const void *elements,
                                   size_t count, uint32_t *indexes, lam_error *error);

/* The values so far, as an array. */
lam_status lam_leaf_dictionary_export(lam_leaf_dictionary *dictionary, struct ArrowArray *ret_array,
                                      lam_error *error);

#endif
