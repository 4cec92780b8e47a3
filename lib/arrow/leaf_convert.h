/*
 * Values of a fixed size from their Parquet form to their Arrow form, one behind the other. Nulls
 * are no matter here.
 */
#ifndef LAM_ARROW_LEAF_CONVERT_H
#define LAM_ARROW_LEAF_CONVERT_H

#include "arrow/arrow_field.h"
#include "arrow/instant.h"
#include "schema/tree.h"

typedef struct lam_leaf_conversion lam_leaf_conversion;

/*
 * Converts `count` elements, as in lam_triples.values, to as many slots. CORRUPT when a value does
 * not fit the type that the file claims for it, LIMIT when Parquet can hold it and Arrow cannot.
 */
typedef lam_status (*lam_leaf_convert)(const lam_leaf_conversion *conversion, const void *elements,
                                       size_t count, void *slots, lam_error *error);

struct lam_leaf_conversion {
    lam_leaf_convert convert; /* NULL: the bytes of both are the same */
    size_t element_size;
    size_t slot_size;
    uint64_t bound[4];     /* DECIMAL: 10 to the power of the precision, the lowest limb first */
    lam_instant_load load; /* TIMESTAMP of more than 64 bits in the file, as is what follows */
    lam_arrow_unit unit;
    bool cuts; /* digits that the unit does not count; they are refused otherwise */
};

/*
 * How values of a leaf become those of an Arrow type of fixed size. A BOOL has a byte, 0 or 1, in
 * both forms. UNSUPPORTED when the two do not go together.
 */
lam_status lam_leaf_conversion_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                                    const lam_arrow_type *type, lam_error *error);

/* How indexes of a dictionary, of up to 31 bits in 32, become those of an integer kind. */
void lam_leaf_conversion_init_index(lam_leaf_conversion *conversion, lam_arrow_kind index_kind);

#endif
