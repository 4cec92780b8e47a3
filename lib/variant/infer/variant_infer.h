/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of inference: the trees of paths of all VARIANTs of a schema, and the report about the
 * last choice.
 */
#ifndef LAM_VARIANT_INFER_VARIANT_INFER_H
#define LAM_VARIANT_INFER_VARIANT_INFER_H

#include "base/budget.h"
#include "schema/tree.h"
#include "variant/infer/variant_paths.h"

struct lam_variant_inference {
    lam_budget budget;                     /* memory_limit */
    lam_allocator allocator;               /* of all but this struct; draws on the budget */
    lam_variant_inference_options options; /* with every default in place */
    lam_schema *schema;                    /* held */
    lam_variant_assembler *assembler;      /* makes values of the records of a sink */
    lam_variant_paths *variants;           /* in the order of their groups in the schema */
    size_t variant_count;                  /* those that are set up */
    size_t variant_capacity;
    uint64_t records; /* that ended in the sink */
    size_t bytes;     /* of values in the sample, at most sample_bytes */
    lam_arena arena;  /* holds the findings of the last choice */
    lam_variant_finding *findings;
    size_t finding_count;
};

/* The tree of a group; NULL for a group that is not inferred. */
const lam_variant_paths *lam_variant_paths_of(const lam_variant_inference *inference,
                                              const lam_field *group);

/* Makes the findings of a choice, which replace those of the one before. NOMEM. */
lam_status lam_variant_report(lam_variant_inference *inference, lam_error *error);

#endif
