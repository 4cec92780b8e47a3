/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary that many values share (lam_variant_names of lamella/variant.h), as builders see
 * it: the numbers of a table of names, and the field ids that these names get.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_SHARED_NAMES_H
#define LAM_VARIANT_VALUE_VARIANT_SHARED_NAMES_H

#include "variant/value/variant_names.h"

/* A number is given when a name arrives, an id when it is first needed; numbers[ids[n]] is n. */
struct lam_variant_names {
    lam_allocator allocator;
    lam_variant_name_table table;
    uint32_t *ids;     /* by number, of the first `fixed` numbers */
    uint32_t *numbers; /* by id: the inverse */
    size_t fixed;      /* names that have an id */
    size_t capacity;   /* elements of `ids`, of `numbers` and of `spare`, which are one block */
    uint32_t *spare;   /* room for sorting */
    bool is_sorted;    /* the ids are in the order of the names */
    lam_buffer metadata;
    size_t in_metadata; /* names that `metadata` has, plus 1; 0 when there is none yet */
};

/* Gives ids to the names that have none. Ids that are given never change. NOMEM. */
lam_status lam_variant_names_fix(lam_variant_names *names, lam_error *error);

#endif
