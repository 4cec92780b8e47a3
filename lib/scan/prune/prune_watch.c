/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the conclusions of row_prune.c. Takes a row group with the facts of its columns and the
 * sets of its tests, and gives the structs of lamella/pruning.h to the caller's watch.
 *
 *     probed    each value that a Bloom filter was read for
 *     concluded the outcomes of the condition and of each test, with their facts
 *
 * It never decides: sets and facts are those by which the rows are passed over. A scan with a watch
 * that succeeds finds the same rows as one without, and counts the same unless the structs take the
 * room of an index.
 */
#include "scan/prune/prune_watch.h"

#include "base/error.h"
#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"
#include "stats/bloom.h"

/* The bits of both enumerations are the same. */
_Static_assert((int)LAM_PRUNING_FALSE == LAM_MAY_BE_FALSE &&
                   (int)LAM_PRUNING_UNKNOWN == LAM_MAY_BE_UNKNOWN &&
                   (int)LAM_PRUNING_TRUE == LAM_MAY_BE_TRUE,
               "outcomes are handed over as they are");

/* What a conclusion points to: in the arena, for each test. */
typedef struct watched_test {
    lam_pruning_test test;
    lam_pruning_column columns[2];
} watched_test;

struct lam_watched_group {
    watched_test *tests;
    const lam_pruning_test **list; /* pointers to their members */
};

/* --- Bloom filters ------------------------------------------------------------------------- */

/* What a filter says about a value. */
static lam_pruning_probe probe_of(const lam_chunk_bloom *bloom, lam_bytes value) {
    lam_pruning_probe probe = {.value = value};
    probe.hash = lam_bloom_hash(value);
    probe.block_count = bloom->block_count;
    probe.block = lam_bloom_block_of(bloom->block_count, probe.hash);
    probe.block_offset = bloom->offset + (int64_t)probe.block * LAM_BLOOM_BLOCK_SIZE;
    probe.bits = lam_chunk_bloom_block(bloom, probe.block);
    lam_bloom_bits_of(probe.hash, probe.word_bits);
    probe.may_hold = lam_chunk_bloom_may_hold(bloom, value);
    return probe;
}

/* The values that a test looks for in a column: those of the leaf, or a key of a map. */
static lam_status watch_column_probes(const lam_pruned_group *group, size_t number,
                                      const lam_pruned_column *column, lam_error *error) {
    const lam_pruning_watch *watch = group->prune->watch;
    const lam_filter_test *test = &group->filter->tests[number];
    const lam_field *leaf = column->index.claims.leaf;
    lam_filter_facts facts = lam_pruned_facts(column, false);
    lam_filter_test sought = *test;
    const lam_bytes *values;
    size_t count = lam_filter_sought(test, leaf, &values);
    if (test->leaf != leaf)
        sought.order = test->peer->other_order;
    for (size_t i = 0; i < count && column->index.bloom.block_count > 0; i++) {
        lam_pruning_probe probe = probe_of(&column->index.bloom, values[i]);
        probe.row_group = group->row_group;
        probe.test = number;
        probe.leaf = leaf;
        probe.decides = lam_filter_bloom_decides(&sought, &facts, values[i]);
        LAM_TRY(watch->probed(watch->state, &probe, error));
    }
    return LAM_STATUS_OK;
}

static lam_status watch_probes(const lam_pruned_group *group, lam_error *error) {
    for (size_t i = 0; i < group->filter->test_count; i++) {
        const lam_pruned_test *test = &group->pruning[i];
        if (test->leaf != NULL)
            LAM_TRY(watch_column_probes(group, i, test->leaf, error));
        if (test->other != NULL)
            LAM_TRY(watch_column_probes(group, i, test->other, error));
    }
    return LAM_STATUS_OK;
}

/* --- Decisions ----------------------------------------------------------------------------- */

static lam_pruning_column watched_column(const lam_pruned_column *column, bool by_page) {
    const lam_trusted_metadata *index = &column->index;
    lam_filter_facts facts = lam_pruned_facts(column, by_page);
    lam_pruning_column watched = {.leaf = index->claims.leaf,
                                  .has_bounds = facts.has_bounds,
                                  .is_all_null = lam_filter_facts_all_null(&facts),
                                  .has_bloom = facts.may_hold != NULL,
                                  .min = facts.min,
                                  .max = facts.max,
                                  .triples = facts.triple_count,
                                  .nulls = facts.null_count,
                                  .nans = facts.nan_count};
    if (!by_page || column->page >= index->page_count)
        return watched;
    watched.is_of_page = index->has_bounds;
    watched.page_count = index->page_count;
    watched.page = column->page;
    watched.page_first_row = lam_trusted_metadata_first_row(index, column->page);
    watched.page_row_count =
        lam_trusted_metadata_first_row(index, column->page + 1) - watched.page_first_row;
    watched.page_offset = index->locations[column->page].offset;
    watched.page_size = index->locations[column->page].compressed_page_size;
    return watched;
}

static lam_pruning_kind watched_kind(const lam_filter_test *test) {
    switch (test->kind) {
    case LAM_TEST_IN:
        return test->peer != NULL && !test->peer->is_keyed ? LAM_PRUNING_COMPARISON
                                                           : LAM_PRUNING_EQUALITY;
    case LAM_TEST_LIKE:
        return LAM_PRUNING_PATTERN;
    case LAM_TEST_ANY:
    case LAM_TEST_UNKNOWN:
        return LAM_PRUNING_CONSTANT;
    case LAM_TEST_NULL:
    case LAM_TEST_NOT_NULL:
        return LAM_PRUNING_NULL;
    default:
        return LAM_PRUNING_COMPARISON;
    }
}

static void fill_test(const lam_pruned_group *group, size_t number, bool by_page,
                      watched_test *ret_watched) {
    const lam_filter_test *test = &group->filter->tests[number];
    const lam_pruned_test *pruning = &group->pruning[number];
    lam_pruning_test *watched = &ret_watched->test;
    lam_outcome_set set = group->tests[number];
    watched->kind = watched_kind(test);
    watched->outcomes = test->is_turned ? lam_outcome_set_not(set) : set;
    watched->text_offset = test->text_offset;
    watched->text_size = test->text_size;
    watched->is_keyed = test->peer != NULL && test->peer->is_keyed;
    watched->values = test->values;
    watched->value_count = test->value_count;
    if (pruning->leaf != NULL) {
        ret_watched->columns[0] = watched_column(pruning->leaf, by_page);
        watched->column = &ret_watched->columns[0];
    }
    if (pruning->other != NULL) {
        ret_watched->columns[1] = watched_column(pruning->other, by_page);
        watched->other = &ret_watched->columns[1];
    }
    for (size_t i = 0; i < pruning->residual_count; i++) {
        lam_filter_facts facts = lam_pruned_facts(pruning->residuals[i], by_page);
        watched->has_residuals |= !lam_filter_facts_all_null(&facts);
    }
}

/*
 * Between two borders of pages the structs of the last ones are used again: the arena does not grow
 * with the pages.
 */
static lam_status allocate_watched(const lam_pruned_group *group, lam_error *error) {
    lam_row_prune *prune = group->prune;
    size_t count = group->filter->test_count;
    watched_test *tests;
    LAM_TRY(LAM_ARENA_ARRAY(&prune->arena, count, &tests, error));
    const lam_pruning_test **list;
    LAM_TRY(LAM_ARENA_ARRAY(&prune->arena, count, &list, error));
    LAM_TRY(LAM_ARENA_NEW(&prune->arena, &prune->watched, error));
    *prune->watched = (struct lam_watched_group){tests, list};
    for (size_t i = 0; i < count; i++)
        list[i] = &tests[i].test;
    return LAM_STATUS_OK;
}

lam_status lam_prune_watch_concluded(const lam_pruned_group *group, lam_pruning_stage stage,
                                     uint64_t begin, uint64_t end, lam_outcome_set set,
                                     lam_error *error) {
    const lam_pruning_watch *watch = group->prune->watch;
    if (watch == NULL)
        return LAM_STATUS_OK;
    if (stage == LAM_PRUNING_BLOOM && watch->probed != NULL)
        LAM_TRY(watch_probes(group, error));
    if (watch->concluded == NULL)
        return LAM_STATUS_OK;
    if (stage == LAM_PRUNING_STATISTICS)
        LAM_TRY(allocate_watched(group, error));
    for (size_t i = 0; i < group->filter->test_count; i++)
        fill_test(group, i, stage == LAM_PRUNING_PAGES, &group->prune->watched->tests[i]);
    lam_pruning_conclusion conclusion = {.stage = stage,
                                         .outcomes = set,
                                         .row_group = group->row_group,
                                         .first_row = begin,
                                         .row_count = end - begin,
                                         .tests = group->prune->watched->list,
                                         .test_count = group->filter->test_count};
    return watch->concluded(watch->state, &conclusion, error);
}
