/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter as a program in postfix order. Each step pushes the outcomes of a test, or replaces the
 * last one or two by their NOT, AND or OR. There is one outcome per record, numbered so that AND is
 * the smaller and OR the larger of two.
 *
 *     a > 3 and not b is null        compare a > 3
 *                                    null b
 *                                    not
 *                                    and
 *
 * Steps refer to tests by number. The same program runs on outcomes of records (lam_filter_run) and
 * on sets of outcomes that metadata leaves possible (scan/match/filter_prune.h).
 */
#ifndef LAM_SCAN_CONDITION_FILTER_PROGRAM_H
#define LAM_SCAN_CONDITION_FILTER_PROGRAM_H

#include <lamella/filter.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "dremel/slots.h"
#include "stats/value_order.h"

/* In this order, which the maximum and minimum above rely on; NOT is 2 - outcome. */
enum { LAM_OUTCOME_FALSE = 0, LAM_OUTCOME_UNKNOWN = 1, LAM_OUTCOME_TRUE = 2 };

/* The kinds up to LIKE depend on values, the others on levels alone: lam_filter_needs_values. */
typedef enum lam_test_kind {
    LAM_TEST_LESS,
    LAM_TEST_LESS_OR_EQUAL,
    LAM_TEST_GREATER,
    LAM_TEST_GREATER_OR_EQUAL,
    LAM_TEST_NOT_EQUAL,
    LAM_TEST_IN,      /* any of the values; equality is IN with one value */
    LAM_TEST_BETWEEN, /* from the first of two values to the second */
    LAM_TEST_LIKE,    /* a text of the pattern */
    LAM_TEST_ANY,     /* true for each value, unknown for a null */
    LAM_TEST_UNKNOWN, /* unknown for each value and for a null */
    LAM_TEST_NULL,
    LAM_TEST_NOT_NULL
} lam_test_kind;

/* A condition on a path of a VARIANT: scan/condition/filter_path.h. */
typedef struct lam_filter_path lam_filter_path;

/* A pattern of texts: scan/condition/filter_pattern.h. */
typedef struct lam_filter_pattern lam_filter_pattern;

/* A second leaf that is read beside the first: scan/condition/filter_peer.h. */
typedef struct lam_filter_peer lam_filter_peer;

/* A condition on one leaf, or on a leaf and its peer. */
typedef struct lam_filter_test {
    lam_test_kind kind;
    const lam_field *leaf; /* of NULL and NOT_NULL: any leaf below the field */
    lam_value_order order;
    const lam_bytes *values; /* PLAIN bytes, ascending, without duplicates; of LIKE a prefix */
    size_t value_count;
    bool excludes_low;                 /* BETWEEN: the first value itself does not pass */
    const lam_filter_pattern *pattern; /* LIKE */
    lam_slots slots;                   /* NULL, NOT_NULL: of the field */
    /*
     * NULL: the members above always decide. Otherwise they decide only where the residual columns
     * of this path have no values, and with has_leaf_test of the path.
     */
    const lam_filter_path *path; /* NULL: it is right everywhere */
    const lam_filter_peer *peer; /* NULL: the leaf alone decides */
    /* For reports: the bytes of the text that say it, none if several tests share them. */
    size_t text_offset;
    size_t text_size;
    bool is_turned; /* they say the opposite, as `not in` does, and a step NOT follows */
} lam_filter_test;

typedef enum lam_step_kind { LAM_STEP_TEST, LAM_STEP_NOT, LAM_STEP_AND, LAM_STEP_OR } lam_step_kind;

typedef struct lam_filter_step {
    lam_step_kind kind;
    uint32_t test; /* TEST: its number */
} lam_filter_step;

/* Immutable once built, so that threads may share it. */
struct lam_filter {
    lam_arena arena; /* holds everything below */
    lam_allocator allocator;
    lam_schema *schema;
    const lam_filter_test *tests;
    size_t test_count;
    const lam_filter_step *steps;
    size_t step_count;
    size_t depth; /* the most outcomes per record on the stack */
};

/*
 * Gives a number below, at or above 0 as `a` is less than, equal to or greater than `b`, in the
 * order of lamella/filter.h.
 */
int lam_filter_compare(const lam_value_order *order, lam_bytes a, lam_bytes b);

/* Gives the kind of a comparison; `operation` is one of the enumerators. */
lam_test_kind lam_test_kind_of(lam_filter_operator operation);

/*
 * True when a value passes a comparison with another; `order` is that of the value against the
 * other, as compare functions give it. Not for IN and the operators after it.
 */
static inline bool lam_test_passes(lam_test_kind kind, int order) {
    switch (kind) {
    case LAM_TEST_LESS:
        return order < 0;
    case LAM_TEST_LESS_OR_EQUAL:
        return order <= 0;
    case LAM_TEST_GREATER:
        return order > 0;
    case LAM_TEST_GREATER_OR_EQUAL:
        return order >= 0;
    default: /* NOT_EQUAL */
        return order != 0;
    }
}

/* True when the outcome depends on values, and not only on whether they are present. */
static inline bool lam_filter_needs_values(const lam_filter_test *test) {
    return test->kind < LAM_TEST_ANY;
}

/*
 * Writes 1 or 0 for each of `count` elements of lam_triples.values: whether it passes a test that
 * needs values.
 */
void lam_filter_match_values(const lam_filter_test *test, const void *values, size_t count,
                             uint8_t *matches);

/*
 * Progress through the records of one leaf. Start with `records` at 0 and `outcomes` cleared, and
 * pass batches of triples in order; a batch may end inside a record. `outcomes` has room for all
 * records.
 */
typedef struct lam_filter_rows {
    size_t records;    /* that have begun so far */
    uint8_t *outcomes; /* one per record */
} lam_filter_rows;

/*
 * Raises the outcomes of the records that a batch belongs to. `matches` has an element per value of
 * the batch; it may be NULL for a test that needs no values.
 */
void lam_filter_match_rows(const lam_filter_test *test, const lam_triples *triples,
                           const uint8_t *matches, lam_filter_rows *rows);

/*
 * Runs the program over `count` records. `tests` has the outcomes of each test. `stack` has room
 * for depth * count; the result is in its first `count` bytes.
 */
void lam_filter_run(const lam_filter *filter, const uint8_t *const *tests, size_t count,
                    uint8_t *stack);

#endif
