/*
 * A filter as a program in postfix order. Each step gives an outcome per record; outcomes are
 * numbered so that AND is the smaller and OR the larger of two.
 *
 *     a > 3 and not b is null        compare a > 3
 *                                    null b
 *                                    not
 *                                    and
 */
#ifndef LAM_FILTER_FILTER_PROGRAM_H
#define LAM_FILTER_FILTER_PROGRAM_H

#include <lamella/filter.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/tree.h"
#include "stats/value_order.h"

enum { LAM_OUTCOME_FALSE = 0, LAM_OUTCOME_UNKNOWN = 1, LAM_OUTCOME_TRUE = 2 };

typedef enum lam_test_kind {
    LAM_TEST_LESS,
    LAM_TEST_LESS_OR_EQUAL,
    LAM_TEST_GREATER,
    LAM_TEST_GREATER_OR_EQUAL,
    LAM_TEST_NOT_EQUAL,
    LAM_TEST_IN,      /* any of the values; equality is one with one value */
    LAM_TEST_ANY,     /* whatever the value is */
    LAM_TEST_UNKNOWN, /* unknown for each value, and for null */
    LAM_TEST_NULL,
    LAM_TEST_NOT_NULL
} lam_test_kind;

/* A condition on a path of a VARIANT: filter_path.h. */
typedef struct lam_filter_path lam_filter_path;

/* A condition on one leaf. */
typedef struct lam_filter_test {
    lam_test_kind kind;
    const lam_field *leaf; /* NULL, NOT_NULL: any leaf below the field */
    lam_value_order order;
    const lam_bytes *values; /* PLAIN bytes, in order and each once */
    size_t value_count;
    uint8_t present_definition; /* NULL, NOT_NULL: the field is there from this level on */
    uint8_t slot_definition;    /* ... and could be there from this level on */
    uint8_t slot_repetition;    /* ... once for each repetition level up to this */
    /* Of a path of a VARIANT; what is above is right where other columns have no values. */
    const lam_filter_path *path; /* NULL: it is right everywhere */
} lam_filter_test;

typedef enum lam_step_kind { LAM_STEP_TEST, LAM_STEP_NOT, LAM_STEP_AND, LAM_STEP_OR } lam_step_kind;

typedef struct lam_filter_step {
    lam_step_kind kind;
    uint32_t test; /* TEST: which */
} lam_filter_step;

struct lam_filter {
    lam_arena arena; /* holds all below */
    lam_allocator allocator;
    lam_schema *schema;
    const lam_filter_test *tests;
    size_t test_count;
    const lam_filter_step *steps;
    size_t step_count;
    size_t depth; /* outcomes that are kept at once, at most */
};

/* Below, at or above 0 as `a` is less than, equal to or greater than `b`: see lamella/filter.h. */
int lam_filter_compare(const lam_value_order *order, lam_bytes a, lam_bytes b);

/* Of a comparison; `operation` is one of the enumerators. */
lam_test_kind lam_test_kind_of(lam_filter_operator operation);

/* Whether a value passes a comparison with one other, to which it lies as `order` has it. */
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

/* Whether the outcome depends on values, and not only on whether they are there. */
static inline bool lam_filter_needs_values(const lam_filter_test *test) {
    return test->kind < LAM_TEST_ANY;
}

/* Whether each of `count` elements of lam_triples.values passes a test that asks values: 1 or 0. */
void lam_filter_match_values(const lam_filter_test *test, const void *values, size_t count,
                             uint8_t *matches);

/*
 * Follows the records of one leaf. Start with `records` at 0 and `outcomes` cleared, and give batches
 * of triples as they come; a batch may end inside a record. `matches` has an element per value of
 * the batch; it may be NULL for a test that asks no values. `outcomes` must have room for all
 * records.
 */
typedef struct lam_filter_rows {
    size_t records;    /* begun so far */
    uint8_t *outcomes; /* one per record */
} lam_filter_rows;

void lam_filter_match_rows(const lam_filter_test *test, const lam_triples *triples,
                           const uint8_t *matches, lam_filter_rows *rows);

/*
 * Runs the program over `count` records. `tests` has the outcomes of each test. `stack` has room
 * for depth * count; the outcome is in its first `count` bytes.
 */
void lam_filter_run(const lam_filter *filter, const uint8_t *const *tests, size_t count,
                    uint8_t *stack);

#endif
