/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink in the middle that looks at shredded VARIANTs as a writer must not write them
 * (VariantShredding.md): at the close of each pair of value and typed_value it knows what came.
 * Written from the tables of the specification, without the plans of the library.
 */
#ifndef LAM_TESTS_SHREDDING_JUDGE_H
#define LAM_TESTS_SHREDDING_JUDGE_H

#include <lamella/record.h>
#include <lamella/variant.h>

typedef struct lam_judged_pair {
    const lam_field *field;
    bool has_value;
    bool has_typed;
    bool is_part; /* an element, or the VARIANT itself: it must not be missing */
    lam_bytes value;
    uint8_t *bytes; /* of the value, kept for the next one */
} lam_judged_pair;

typedef struct lam_shredding_judge {
    lam_record_sink next;
    lam_bytes metadata; /* of the VARIANT that is open */
    uint8_t *metadata_bytes;
    lam_judged_pair *pairs; /* by depth */
    size_t pair_depth;
    const char *verdict; /* what was wrong first; NULL for nothing */
    size_t seen;         /* pairs */
    size_t both;         /* objects that are shredded in part */
} lam_shredding_judge;

/* `next` may have NULL verbs. */
void lam_shredding_judge_init(lam_shredding_judge *judge, const lam_record_sink *next);
void lam_shredding_judge_finish(lam_shredding_judge *judge);
lam_record_sink lam_shredding_judge_sink(lam_shredding_judge *judge);

#endif
