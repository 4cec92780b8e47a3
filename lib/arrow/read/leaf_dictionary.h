/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the dictionary of a leaf that is read as indexes: the values of the chunk's dictionary
 * page, followed by the values of pages that are not dictionary-encoded. A value keeps its number
 * until the chunk is opened again, or another one.
 *
 *     dictionary page   red green          numbers 0 1
 *     PLAIN page        green blue green   indexes 1 2 1, and blue is added as number 2
 */
#ifndef LAM_ARROW_READ_LEAF_DICTIONARY_H
#define LAM_ARROW_READ_LEAF_DICTIONARY_H

#include "arrow/read/leaf_values.h"
#include "base/list.h"
#include "encoding/dictionary.h"

typedef struct lam_leaf_dictionary {
    lam_allocator allocator;
    lam_value_layout layout;
    lam_leaf_values values;          /* all values so far, in their Arrow form */
    const lam_dictionary *chunk;     /* of the chunk, or NULL; borrowed */
    lam_dictionary_builder *builder; /* finds values again; NULL until one is needed */
    LAM_LIST(uint32_t) numbers;      /* the number here of each value of the builder */
} lam_leaf_dictionary;

/* As lam_leaf_values_init. */
lam_status lam_leaf_dictionary_init(lam_leaf_dictionary *dictionary, const lam_kernels *kernels,
                                    const lam_field *leaf, const lam_arrow_type *type,
                                    lam_array_store *store, const lam_allocator *allocator,
                                    lam_error *error);
void lam_leaf_dictionary_finish(lam_leaf_dictionary *dictionary);

/* Forgets all values, before a chunk is opened. */
void lam_leaf_dictionary_clear(lam_leaf_dictionary *dictionary);

/*
 * Takes the dictionary of the chunk, whose indexes are then numbers here; borrowed until clear. At
 * most once, and before any value is added. CORRUPT when one of its values is outside of the type,
 * even if no row has it.
 */
lam_status lam_leaf_dictionary_take(lam_leaf_dictionary *dictionary, const lam_dictionary *chunk,
                                    lam_error *error);

/* Finds the numbers of values, and adds those that are new. LIMIT when there are too many. */
lam_status lam_leaf_dictionary_add(lam_leaf_dictionary *dictionary, const void *elements,
                                   size_t count, uint32_t *indexes, lam_error *error);

/* Makes an array of the values so far, and stays ready for more. */
lam_status lam_leaf_dictionary_export(lam_leaf_dictionary *dictionary, struct ArrowArray *ret_array,
                                      lam_error *error);

#endif
