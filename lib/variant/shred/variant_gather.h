/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles one VARIANT: notes the events of its group as they come, with the fields in any order,
 * and makes a value of them when the group is closed. (VariantShredding.md, "Reconstructing a
 * Shredded Variant")
 *
 *     event { metadata, value, typed_value { tags { value } time { value } } }
 *
 *     pairs      0 event: value, typed        subtree of 3
 *                1   tags: value
 *                2   time: value
 *
 * Noting is in variant_gather.c, making the value in variant_construct.c.
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_GATHER_H
#define LAM_VARIANT_SHRED_VARIANT_GATHER_H

#include <lamella/record.h>

#include "variant/shred/variant_projection.h"
#include "variant/shred/variant_schema.h"
#include "variant/value/variant_dictionary.h"
#include "variant/value/variant_encoder.h"
#include "variant/value/variant_names.h"

/*
 * In `ids`, instead of an id: the name was not searched in this dictionary yet; the dictionary
 * lacks it; it is about to be added.
 */
#define LAM_VARIANT_ID_NOT_SOUGHT UINT32_MAX
#define LAM_VARIANT_ID_MISSING (UINT32_MAX - 1)
#define LAM_VARIANT_ID_COMING (UINT32_MAX - 2)

/*
 * A group of value and typed_value that occurred in the record: a field of an object with one of
 * them at least, an element at least as an open and a close. Those inside it follow it.
 */
typedef struct lam_variant_pair {
    uint32_t node;         /* of the plan */
    uint32_t subtree_size; /* pairs inside, and itself */
    bool has_value;        /* `value` is not null */
    bool has_typed;        /* typed_value is not null */
    uint64_t value_offset; /* of the bytes of `value` in the source of the nodes */
    uint64_t value_size;
    uint64_t typed_offset; /* of a scalar typed_value there, as VARIANT bytes */
    uint64_t typed_size;
} lam_variant_pair;

/* One VARIANT of a schema, reused for every record. */
typedef struct lam_variant_gather {
    lam_allocator allocator;
    lam_variant_plan plan;
    const lam_projection_tree *tree; /* the paths that are wanted; NULL for all */
    bool tolerate;                   /* typed_value counts if it conflicts with `value` */
    lam_variant_dictionary dictionary;
    lam_variant_name_table names;     /* of the fields of the plan */
    LAM_LIST(uint32_t) numbers;       /* by node of the plan: its name in that table */
    LAM_LIST(uint32_t) sorted;        /* numbers of names, in the order of the names */
    LAM_LIST(uint32_t) ids;           /* by number: the id in the dictionary, or one of above */
    LAM_LIST(lam_bytes) missing;      /* names to be added */
    bool is_extended;                 /* names were added to this dictionary before */
    lam_buffer metadata;              /* a copy of the open group's */
    bool has_metadata;                /* it is not null */
    LAM_LIST(lam_variant_pair) pairs; /* of the open group, in preorder */
    uint32_t open_pairs[LAM_SCHEMA_DEPTH_MAX];          /* indexes of the pairs that are open */
    const lam_field *open_fields[LAM_SCHEMA_DEPTH_MAX]; /* the group and those open inside it */
    size_t pair_depth;
    size_t field_depth;
    bool is_reordered;           /* nodes were made of an object whose fields are not in order */
    lam_variant_encoder encoder; /* its source has the bytes of all columns of the group */
    lam_buffer value;            /* the assembled value */
} lam_variant_gather;

/*
 * Sets up a gather for a group. `tree` is borrowed until finish; with one, columns that it does not
 * need may be missing, and metadata may be missing if no `value` is present. The errors of
 * lam_variant_plan_init. Call lam_variant_gather_finish after a failure, too.
 */
lam_status lam_variant_gather_init(lam_variant_gather *gather, const lam_field *group,
                                   const lam_projection_tree *tree, bool tolerate,
                                   const lam_allocator *allocator, lam_error *error);
void lam_variant_gather_finish(lam_variant_gather *gather);

/* The group is opened. Everything about the record before is forgotten. */
lam_status lam_variant_gather_begin(lam_variant_gather *gather, lam_error *error);
/*
 * Notes an event inside the group. INVALID for a field that does not belong there or appears twice,
 * STATE for a close without its open; CORRUPT, with the path, for a column's value that is not one
 * of its type.
 */
lam_status lam_variant_gather_open(lam_variant_gather *gather, const lam_field *group,
                                   lam_error *error);
lam_status lam_variant_gather_put(lam_variant_gather *gather, const lam_field *leaf,
                                  lam_value value, lam_error *error);
lam_status lam_variant_gather_close(lam_variant_gather *gather, const lam_field *group,
                                    lam_error *error);
/*
 * The group is closed: gives its value, borrowed until the next begin. CORRUPT, UNSUPPORTED with
 * the path for bytes that are not a VARIANT, CORRUPT for conflicts and missing metadata, INVALID
 * for a shredded field that appears twice, LIMIT for a value nested too deep; NOMEM.
 */
lam_status lam_variant_gather_end(lam_variant_gather *gather, lam_variant *ret_variant,
                                  lam_error *error);

/* True when the only open field is the group itself. */
static inline bool lam_variant_gather_at_top(const lam_variant_gather *gather) {
    return gather->field_depth == 1;
}

#endif
