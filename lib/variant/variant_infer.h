/* Inside of the inference of shredding: the paths of each VARIANT, and what is told of them. */
#ifndef LAM_VARIANT_VARIANT_INFER_H
#define LAM_VARIANT_VARIANT_INFER_H

#include "base/budget.h"
#include "schema/tree.h"
#include "variant/variant_paths.h"

struct lam_variant_inference {
    lam_budget budget;
    lam_allocator allocator;               /* of all but this struct; draws on the budget */
    lam_variant_inference_options options; /* with every default in place */
    lam_schema *schema;
    lam_variant_assembler *assembler;
    lam_variant_paths *variants; /* by their groups' places in the schema */
    size_t variant_count;        /* those that are set up */
    size_t variant_capacity;
    uint64_t records;
    size_t bytes;
    lam_arena arena; /* holds what is below, of the last choice */
    lam_variant_finding *findings;
    size_t finding_count;
};

/* The paths of a group; NULL where it is not looked at. */
const lam_variant_paths *lam_variant_paths_of(const lam_variant_inference *inference,
                                              const lam_field *group);

/* Makes the findings of a choice that is made. NOMEM. */
lam_status lam_variant_report(lam_variant_inference *inference, lam_error *error);

#endif
