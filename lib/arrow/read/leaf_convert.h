/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts values of a fixed size from their Parquet form to their Arrow form, one directly after
 * the other. Nulls have no values here: slots without a value are made later (leaf_values.h).
 */
#ifndef LAM_ARROW_READ_LEAF_CONVERT_H
#define LAM_ARROW_READ_LEAF_CONVERT_H

#include "arrow/array/instant.h"
#include "arrow/field/arrow_field.h"
#include "kernel/kernel.h"
#include "schema/tree.h"

typedef struct lam_leaf_conversion lam_leaf_conversion;

/*
 * Converts `count` elements, in the form of lam_triples.values, to as many slots. CORRUPT when a
 * value is outside of the type that the file claims for it, LIMIT when Parquet can hold the value
 * and Arrow cannot. After a failure the slots are undefined.
 */
typedef lam_status (*lam_leaf_convert)(const lam_leaf_conversion *conversion, const void *elements,
                                       size_t count, void *slots, lam_error *error);

struct lam_leaf_conversion {
    lam_leaf_convert convert; /* NULL: both forms have the same bytes */
    const lam_kernels *kernels;
    size_t element_size;     /* bytes of a value, as the cursor gives it */
    size_t slot_size;        /* bytes of a value in the buffer of the array */
    uint64_t bound[4];       /* DECIMAL: 10 to the power of the precision, lowest limb first */
    const uint8_t *text_end; /* BYTE_ARRAY: how far memory may be read beyond values, or NULL */
    lam_instant_load load;   /* TIMESTAMP of 96 bits in the file, as are the next two */
    lam_arrow_unit unit;     /* that the slots count */
    bool cuts;               /* cut digits below the unit; false: refuse them */
};

/*
 * Chooses the conversion from a leaf to an Arrow type of fixed size. A BOOL has a byte, 0 or 1, in
 * both forms. UNSUPPORTED when no conversion exists.
 */
lam_status lam_leaf_conversion_init(lam_leaf_conversion *conversion, const lam_kernels *kernels,
                                    const lam_field *leaf, const lam_arrow_type *type,
                                    lam_error *error);

/* Chooses the conversion from indexes of a dictionary, 31 bits in 32, to an integer kind. */
void lam_leaf_conversion_init_index(lam_leaf_conversion *conversion, lam_arrow_kind index_kind);

#endif
