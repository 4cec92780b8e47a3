/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that read two leaves side by side. Either both are compared with each other, or the second
 * is the key of a map and decides which values of the first are tested:
 *
 *     a < b            leaf a, other b         where both have a value, they are compared
 *     m['x'] = 5       leaf m.key_value.value, other m.key_value.key: a value counts where the key
 *                      beside it is 'x'
 *
 * Both leaves have the same slots of a field above them (dremel/slots.h): the field that is common
 * to them, without anything repeated below it for a comparison; the repeated group of the map.
 */
#ifndef LAM_SCAN_CONDITION_FILTER_PEER_H
#define LAM_SCAN_CONDITION_FILTER_PEER_H

#include "scan/condition/filter_builder.h"

/* How values of two leaves are compared. */
typedef enum lam_peer_form {
    LAM_PEER_ALIKE,   /* as PLAIN bytes, in the order of the first */
    LAM_PEER_NUMBERS, /* integers, decimals and floating-point numbers, by value */
    LAM_PEER_TIMES    /* dates, times and timestamps, by seconds and nanoseconds */
} lam_peer_form;

struct lam_filter_peer {
    const lam_field *other;
    lam_value_order other_order;
    const lam_field *around; /* the field whose slots both have */
    lam_peer_form form;      /* of a comparison */
    bool is_keyed;
    lam_bytes key; /* PLAIN bytes that the other leaf must have; only with is_keyed */
};

/*
 * Adds a comparison of two leaves, of any kind that compares with one value. INVALID if their
 * values have no order in common, or one of them repeats without the other.
 */
lam_status lam_filter_builder_compare_leaves(lam_filter_builder *builder, const lam_field *leaf,
                                             lam_test_kind kind, const lam_field *other,
                                             lam_error *error);

/*
 * Finds the innermost map whose values a field is, or is inside; NULL when there is none.
 * `*ret_key` is the leaf of its keys.
 */
const lam_field *lam_map_around(const lam_field *field, const lam_field **ret_key);

/*
 * Restricts the last condition, a test of a leaf inside the values of a map, to entries with a key
 * in PLAIN bytes, which is in the builder's arena. STATE, INVALID when it is no such test.
 */
lam_status lam_filter_builder_for_plain_key(lam_filter_builder *builder, lam_bytes key,
                                            lam_error *error);

/*
 * Gives a number below, at or above 0 as value `a` of the first leaf is less than, equal to or
 * greater than value `b` of the other. NaNs as in lamella/filter.h.
 */
int lam_peer_compare(const lam_filter_test *test, lam_bytes a, lam_bytes b);

#endif
