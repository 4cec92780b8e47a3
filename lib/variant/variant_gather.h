/*
 * Assembling one VARIANT: notes the events of its group as they come, in any order of fields, and
 * makes a value of them when the group is closed. (VariantShredding.md, "Reconstructing a Shredded
 * Variant")
 */
#ifndef LAM_VARIANT_VARIANT_GATHER_H
#define LAM_VARIANT_VARIANT_GATHER_H

#include <lamella/record.h>

#include "variant/variant_dictionary.h"
#include "variant/variant_encoder.h"
#include "variant/variant_names.h"
#include "variant/variant_projection.h"
#include "variant/variant_schema.h"

/* In `ids`: a name that was not looked for in this dictionary yet; one that it lacks; and one that
 * is about to be added. */
#define LAM_VARIANT_ID_NOT_SOUGHT UINT32_MAX
#define LAM_VARIANT_ID_MISSING (UINT32_MAX - 1)
#define LAM_VARIANT_ID_COMING (UINT32_MAX - 2)

/* A pair of value and typed_value that occurred. Those inside of it follow it. */
typedef struct lam_variant_pair {
    uint32_t node;         /* of the plan */
    uint32_t subtree_size; /* pairs inside, and itself */
    bool has_value;
    bool has_typed;
    uint64_t value_offset; /* in the encoder's source */
    uint64_t value_size;
    uint64_t typed_offset; /* of a scalar, as the bytes of its variant */
    uint64_t typed_size;
} lam_variant_pair;

typedef struct lam_variant_gather {
    lam_allocator allocator;
    lam_variant_plan plan;
    const lam_projection_tree *tree; /* the parts that are wanted; NULL for the whole */
    bool tolerate;
    lam_variant_dictionary dictionary;
    lam_variant_name_table names; /* of the fields of the plan */
    lam_buffer numbers;           /* by node of the plan: its name in that table */
    lam_buffer sorted;            /* numbers of names, in the order of the names */
    lam_buffer ids;               /* by number: the id in the dictionary, or one of the above */
    lam_buffer missing;           /* names to be added */
    bool is_extended;             /* names were added to the dictionary once */
    lam_buffer metadata;          /* of the open group */
    bool has_metadata;            /* else it is null */
    lam_buffer pairs;
    uint32_t open_pairs[LAM_SCHEMA_DEPTH_MAX];
    const lam_field *open_fields[LAM_SCHEMA_DEPTH_MAX]; /* the group and what is open inside */
    size_t pair_depth;
    size_t field_depth;
    bool is_reordered; /* some object in the encoder has its fields from a value in another order */
    lam_variant_encoder encoder;
    lam_buffer value;
} lam_variant_gather;

/*
 * `tree` is borrowed until finish. With one the columns that it does not need may be missing, and
 * metadata where no value is. Errors of the plan. finish is due after a failure too.
 */
lam_status lam_variant_gather_init(lam_variant_gather *gather, const lam_field *group,
                                   const lam_projection_tree *tree, bool tolerate,
                                   const lam_allocator *allocator, lam_error *error);
void lam_variant_gather_finish(lam_variant_gather *gather);

/* The group is opened; what was noted before is forgotten. */
lam_status lam_variant_gather_begin(lam_variant_gather *gather, lam_error *error);
/* A field inside of the group. INVALID, STATE for what has no place there. */
lam_status lam_variant_gather_open(lam_variant_gather *gather, const lam_field *group,
                                   lam_error *error);
lam_status lam_variant_gather_put(lam_variant_gather *gather, const lam_field *leaf,
                                  lam_value value, lam_error *error);
lam_status lam_variant_gather_close(lam_variant_gather *gather, const lam_field *group,
                                    lam_error *error);
/*
 * The group is closed: gives the value, borrowed until the next begin. CORRUPT with the path; LIMIT
 * for what is nested too deep.
 */
lam_status lam_variant_gather_end(lam_variant_gather *gather, lam_variant *ret_variant,
                                  lam_error *error);

/* True when the only open field is the group itself. */
static inline bool lam_variant_gather_at_top(const lam_variant_gather *gather) {
    return gather->field_depth == 1;
}

#endif
