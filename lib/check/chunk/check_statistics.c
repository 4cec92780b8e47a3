/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares statistics and size statistics with what was counted from levels and values: bounds,
 * nulls, NaNs, distinct values, histograms of levels, bytes of byte arrays.
 *
 * The same functions serve pages, column chunks and the column index; `what` names the source in
 * messages. A bound is compared in the column's order with the true minimum or maximum, and need
 * not be tight unless it claims to be exact:
 *
 *   values 3 5 9    min_value 2: a bound    3: exact    4: wrong, hides a 3
 *
 * Bounds of any size come from the file and are only compared if they are values of the column,
 * perhaps shortened. (parquet.thrift, Statistics, ColumnOrder and SizeStatistics)
 */
#include "check/chunk/check_statistics.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/utf8.h"
#include "check/footer/check_schema.h"
#include "check/report/shown_value.h"

/* --- Bounds -------------------------------------------------------------------------------- */

bool lam_bound_compares(const lam_value_order *order, lam_bytes bound) {
    if (order->comparison == LAM_COMPARISON_UNDEFINED)
        return false;
    /* Some writers shorten fixed-length bytes, which can still be compared. */
    return lam_value_fits(order, bound) ||
           (order->comparison == LAM_COMPARISON_BYTES && bound.size <= order->size);
}

/* Logical types whose values are UTF-8. */
static bool check_statistics_is_text(const lam_field *leaf) {
    lam_logical_kind kind = leaf->logical_type.kind;
    return kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM || kind == LAM_LOGICAL_JSON;
}

/*
 * Numbers need no shortening: a bound that is not a value is loose for no reason. The enumerators
 * from SIGNED_32 to DOUBLE are all numbers.
 */
static bool check_statistics_is_number(const lam_value_order *order) {
    return order->comparison >= LAM_COMPARISON_SIGNED_32 &&
           order->comparison <= LAM_COMPARISON_DOUBLE;
}

/* One of the two bounds, and what it should bound. */
typedef struct bound_side {
    const lam_stated_bounds *stated;
    const char *name; /* "min_value" */
    bool is_min;
    int exact;        /* 1 exact, 0 not exact, -1 not stated */
    lam_bytes bound;  /* as stated */
    lam_bytes actual; /* the true minimum or maximum; empty when there is none */
} bound_side;

/*
 * Checks a bound by itself; `*ret_compares` is true when it can be compared with values. In
 * type-defined order -0.0 equals +0.0: a zero should be -0.0 as a minimum and +0.0 as a maximum, so
 * that it bounds both. (parquet.thrift, ColumnOrder)
 */
static lam_status check_form(lam_chunk_check *chunk, const bound_side *side, bool *ret_compares) {
    const lam_value_order *order = &chunk->order;
    lam_bytes bound = side->bound;
    lam_check_location location = side->stated->location;
    bool negative = false;
    *ret_compares = lam_bound_compares(order, bound);
    if (!*ret_compares)
        return lam_check_report(chunk->checker, LAM_RULE_BOUND_SIZE, location,
                                "%s in %s is %zu bytes, which is not a value of the column",
                                side->name, side->stated->what, bound.size);
    if (!lam_value_fits(order, bound))
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_BOUND_FORM, location,
                                 "%s in %s has %zu bytes, but values have %" PRIu32, side->name,
                                 side->stated->what, bound.size, order->size));
    if (check_statistics_is_text(chunk->leaf) &&
        lam_utf8_prefix(bound.data, bound.size) < bound.size)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_BOUND_FORM, location,
                                 "%s in %s is not UTF-8: %s", side->name, side->stated->what,
                                 lam_check_show(chunk->leaf, bound).text));
    if (!order->is_total && lam_value_fits(order, bound) &&
        lam_value_is_float_zero(order, bound, &negative) && negative != side->is_min)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_BOUND_ZERO, location, "%s in %s is %s",
                                 side->name, side->stated->what, negative ? "-0.0" : "+0.0"));
    return LAM_STATUS_OK;
}

/*
 * Bounds may be NaN only in total order, and there only if all values are NaN. (parquet.thrift,
 * ColumnOrder)
 */
static lam_status check_nan(lam_chunk_check *chunk, const bound_side *side,
                            const lam_value_summary *summary, bool *ret_goes_on) {
    bool is_nan = lam_value_is_nan(&chunk->order, side->bound);
    bool may_be = chunk->order.is_total && summary->bounds_are_nan;
    *ret_goes_on = !is_nan || may_be;
    if (*ret_goes_on)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_BOUND_NAN, side->stated->location,
                            "%s in %s is NaN", side->name, side->stated->what);
}

/* Checks one bound, from its form to its tightness; the first finding ends it. */
static lam_status check_statistics_side(lam_chunk_check *chunk, const bound_side *side,
                                        const lam_value_summary *summary) {
    bool goes_on;
    const lam_value_order *order = &chunk->order;
    lam_check_location location = side->stated->location;
    LAM_TRY(check_form(chunk, side, &goes_on));
    if (goes_on)
        LAM_TRY(check_nan(chunk, side, summary, &goes_on));
    if (!goes_on)
        return LAM_STATUS_OK;
    /* All values are null, or NaN outside of total order. */
    if (!summary->has_bounds)
        return lam_check_report(chunk->checker, LAM_RULE_BOUND_WITHOUT_VALUES, location,
                                "%s in %s is %s, but there is no value%s", side->name,
                                side->stated->what, lam_check_show(chunk->leaf, side->bound).text,
                                summary->value_count > 0 ? " but NaN" : "");
    int distance = lam_value_compare(order, side->bound, side->actual);
    if (side->is_min ? distance > 0 : distance < 0)
        return lam_check_report(chunk->checker,
                                side->is_min ? LAM_RULE_MIN_VALUE : LAM_RULE_MAX_VALUE, location,
                                "%s in %s is %s, but there is the value %s", side->name,
                                side->stated->what, lam_check_show(chunk->leaf, side->bound).text,
                                lam_check_show(chunk->leaf, side->actual).text);
    /*
     * The bound is a value. Otherwise it is only loose: an error if it claims to be exact, a note
     * if it is a number and claims nothing.
     */
    if (distance == 0)
        return LAM_STATUS_OK;
    if (side->exact == 1)
        return lam_check_report(chunk->checker, LAM_RULE_BOUND_EXACT, location,
                                "%s in %s claims to be exactly %s but is %s", side->name,
                                side->stated->what, lam_check_show(chunk->leaf, side->bound).text,
                                lam_check_show(chunk->leaf, side->actual).text);
    if (side->exact < 0 && check_statistics_is_number(order) &&
        lam_check_once(chunk, LAM_RULE_BOUND_LOOSE))
        return lam_check_report(chunk->checker, LAM_RULE_BOUND_LOOSE, location,
                                "%s in %s is %s and could be %s", side->name, side->stated->what,
                                lam_check_show(chunk->leaf, side->bound).text,
                                lam_check_show(chunk->leaf, side->actual).text);
    return LAM_STATUS_OK;
}

/*
 * Reports bounds that cannot be compared, for one of two reasons: the footer has no column orders
 * at all (once per file), or the type of this column has no order (once per chunk). A list of
 * orders of a wrong length has been reported with the schema.
 */
static lam_status report_undefined(lam_chunk_check *chunk, const lam_stated_bounds *stated) {
    bool orders;
    lam_checker *checker = chunk->checker;
    (void)lam_check_column_order(checker, chunk->leaf, &orders);
    if (orders) {
        if (!lam_check_once(chunk, LAM_RULE_BOUND_UNDEFINED))
            return LAM_STATUS_OK;
        return lam_check_report(checker, LAM_RULE_BOUND_UNDEFINED, stated->location,
                                "bounds in %s, but the column has no order", stated->what);
    }
    if ((checker->footer.meta.has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0 ||
        checker->reported_orders)
        return LAM_STATUS_OK;
    checker->reported_orders = true;
    return lam_check_report(checker, LAM_RULE_COLUMN_ORDERS_MISSING, stated->location,
                            "bounds in %s, but the footer has no column orders", stated->what);
}

/* Checks both bounds, each on its own: with one wrong, the other may still serve readers. */
lam_status lam_check_bounds(lam_chunk_check *chunk, const lam_stated_bounds *stated,
                            const lam_value_summary *summary) {
    if (!stated->has_min && !stated->has_max)
        return LAM_STATUS_OK;
    if (chunk->order.comparison == LAM_COMPARISON_UNDEFINED)
        return report_undefined(chunk, stated);
    bound_side min = {
        stated, "min_value", true, stated->min_exact, stated->min, lam_buffer_bytes(&summary->min)};
    bound_side max = {stated,      "max_value",
                      false,       stated->max_exact,
                      stated->max, lam_buffer_bytes(&summary->max)};
    if (stated->has_min)
        LAM_TRY(check_statistics_side(chunk, &min, summary));
    if (stated->has_max)
        LAM_TRY(check_statistics_side(chunk, &max, summary));
    return LAM_STATUS_OK;
}

/*
 * Checks the deprecated bounds `min` and `max` of a column chunk, which are in signed order
 * whatever the type. Decimals in bytes are not compared: writers took "signed" to mean two things.
 * (parquet.thrift, Statistics.min and max)
 */
static lam_status check_deprecated(lam_chunk_check *chunk, const char *what,
                                   lam_check_location location,
                                   const lam_meta_statistics *statistics,
                                   const lam_value_summary *summary) {
    lam_value_order order = lam_value_order_signed(chunk->leaf);
    if (order.comparison == LAM_COMPARISON_UNDEFINED || !summary->has_bounds ||
        summary->bounds_are_nan || order.comparison == LAM_COMPARISON_DECIMAL)
        return LAM_STATUS_OK;
    const lam_bytes bounds[2] = {statistics->min, statistics->max};
    const lam_bytes actual[2] = {lam_buffer_bytes(&summary->min), lam_buffer_bytes(&summary->max)};
    const uint32_t bits[2] = {LAM_META_STATISTICS_HAS_MIN, LAM_META_STATISTICS_HAS_MAX};
    for (int i = 0; i < 2; i++) {
        if ((statistics->has & bits[i]) == 0)
            continue;
        const char *name = i == 0 ? "min" : "max";
        if (!lam_value_fits(&order, bounds[i]))
            return lam_check_report(chunk->checker, LAM_RULE_BOUND_SIZE, location,
                                    "%s in %s is %zu bytes, which is not a value of the column",
                                    name, what, bounds[i].size);
        /* A NaN, which old writers may state, neither bounds nor contradicts values. */
        int distance = lam_value_is_nan(&order, bounds[i])
                           ? 0
                           : lam_value_compare(&order, bounds[i], actual[i]);
        if (i == 0 ? distance > 0 : distance < 0)
            return lam_check_report(chunk->checker, LAM_RULE_BOUND_DEPRECATED, location,
                                    "the deprecated %s in %s is %s, but there is the value %s",
                                    name, what, lam_check_show(chunk->leaf, bounds[i]).text,
                                    lam_check_show(chunk->leaf, actual[i]).text);
    }
    return LAM_STATUS_OK;
}

/* --- Counts -------------------------------------------------------------------------------- */

/* Optional members of statistics. */
static bool check_statistics_states(const lam_meta_statistics *statistics, uint32_t bit) {
    return (statistics->has & bit) != 0;
}

/* Total order requires nan_count; elsewhere it may be absent, and must be right if it is there. */
static lam_status check_nan_count(lam_chunk_check *chunk, const char *what,
                                  lam_check_location location,
                                  const lam_meta_statistics *statistics,
                                  const lam_value_summary *summary) {
    const lam_value_order *order = &chunk->order;
    if (!check_statistics_states(statistics, LAM_META_STATISTICS_HAS_NAN_COUNT)) {
        if (!order->is_total)
            return LAM_STATUS_OK; /* optional in type-defined order */
        return lam_check_report(chunk->checker, LAM_RULE_NAN_COUNT, location,
                                "%s lack nan_count, but the column is in IEEE 754 total order",
                                what);
    }
    if (!lam_value_order_signed(chunk->leaf).has_nans)
        return lam_check_report(
            chunk->checker, LAM_RULE_NAN_COUNT, location,
            "%s have a nan_count, but the column holds no floating-point numbers", what);
    if (order->comparison == LAM_COMPARISON_UNDEFINED ||
        (uint64_t)statistics->nan_count == summary->nan_count)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_NAN_COUNT, location,
                            "%s count %" PRId64 " NaNs, but there are %" PRIu64, what,
                            statistics->nan_count, summary->nan_count);
}

/*
 * Distinct values are not counted, which would take memory for all of them, but some counts are
 * impossible: more than the values, 0 despite values, 1 although minimum and maximum differ.
 */
static lam_status check_distinct_count(lam_chunk_check *chunk, const char *what,
                                       lam_check_location location,
                                       const lam_meta_statistics *statistics,
                                       const lam_value_summary *summary) {
    int64_t stated = statistics->distinct_count;
    uint64_t least = summary->value_count > 0, most = summary->value_count;
    if (!check_statistics_states(statistics, LAM_META_STATISTICS_HAS_DISTINCT_COUNT))
        return LAM_STATUS_OK;
    /* Two different bounds are two values at least. */
    if (summary->has_bounds && lam_value_compare(&chunk->order, lam_buffer_bytes(&summary->min),
                                                 lam_buffer_bytes(&summary->max)) != 0)
        least = 2;
    if (stated >= 0 && (uint64_t)stated >= least && (uint64_t)stated <= most)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_DISTINCT_COUNT, location,
                            "%s count %" PRId64 " distinct values of %" PRIu64
                            ", but there are at least %" PRIu64,
                            what, stated, most, least);
}

/* Turns an optional boolean into 1, 0, or -1 when it is not stated. */
static int exactness(const lam_meta_statistics *statistics, uint32_t bit, bool exact) {
    return check_statistics_states(statistics, bit) ? exact : -1;
}

/*
 * Nulls are the triples without a value (ColumnOrder has nan_count + null_count == num_values).
 * Some writers count only those where just the leaf is missing: definition level one below the
 * maximum of an optional leaf. That is a finding of its own, once per chunk.
 */
lam_status lam_check_null_count(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, int64_t stated,
                                const lam_value_summary *summary, uint64_t null_count) {
    const lam_field *leaf = chunk->leaf;
    uint64_t of_leaf = 0;
    if ((uint64_t)stated == null_count)
        return LAM_STATUS_OK;
    /* At this level everything is defined except the leaf itself. */
    if (leaf->repetition == LAM_REPETITION_OPTIONAL)
        of_leaf = lam_value_summary_definition(summary)[leaf->max_definition - 1];
    bool leaf_only = leaf->max_definition > 0 && (uint64_t)stated == of_leaf;
    if (leaf_only && !lam_check_once(chunk, LAM_RULE_NULL_COUNT_LEAF))
        return LAM_STATUS_OK;
    return lam_check_report(
        chunk->checker, leaf_only ? LAM_RULE_NULL_COUNT_LEAF : LAM_RULE_NULL_COUNT, location,
        "%s: null_count is %" PRId64 ", but there are %" PRIu64 " nulls", what, stated, null_count);
}

/*
 * Deprecated bounds are checked only for the complete chunk: the summary in signed order covers all
 * pages.
 */
lam_status lam_check_statistics(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, const lam_meta_statistics *statistics,
                                const lam_value_summary *summary, uint64_t null_count) {
    if (check_statistics_states(statistics, LAM_META_STATISTICS_HAS_NULL_COUNT))
        LAM_TRY(lam_check_null_count(chunk, what, location, statistics->null_count, summary,
                                     null_count));
    LAM_TRY(check_nan_count(chunk, what, location, statistics, summary));
    LAM_TRY(check_distinct_count(chunk, what, location, statistics, summary));
    lam_stated_bounds bounds = {
        what,
        location,
        check_statistics_states(statistics, LAM_META_STATISTICS_HAS_MIN_VALUE),
        check_statistics_states(statistics, LAM_META_STATISTICS_HAS_MAX_VALUE),
        statistics->min_value,
        statistics->max_value,
        exactness(statistics, LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT,
                  statistics->is_min_value_exact),
        exactness(statistics, LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT,
                  statistics->is_max_value_exact)};
    LAM_TRY(lam_check_bounds(chunk, &bounds, summary));
    if (summary != &chunk->values.total)
        return LAM_STATUS_OK;
    return check_deprecated(chunk, what, location, statistics,
                            chunk->values.has_signed ? &chunk->values.signed_total
                                                     : &chunk->values.total);
}

/* --- Sizes --------------------------------------------------------------------------------- */

/* Reports the first difference; the others usually follow from it. */
lam_status lam_check_histogram(lam_chunk_check *chunk, const char *what,
                               lam_check_location location, const int64_t *stated,
                               const uint64_t *actual, size_t count) {
    for (size_t i = 0; i < count; i++)
        if ((uint64_t)stated[i] != actual[i])
            return lam_check_report(chunk->checker, LAM_RULE_LEVEL_HISTOGRAM, location,
                                    "%s counts level %zu %" PRId64 " times, but it occurs %" PRIu64
                                    " times",
                                    what, i, stated[i], actual[i]);
    return LAM_STATUS_OK;
}

/* A histogram has one count for each level from 0 to the maximum. */
static lam_status check_levels_of(lam_chunk_check *chunk, const char *what,
                                  const lam_meta_i64_list *stated, const uint64_t *actual,
                                  size_t levels) {
    if (stated->count == 0) /* optional, and some writers leave it empty */
        return LAM_STATUS_OK;
    if (stated->count != levels)
        return lam_check_report(chunk->checker, LAM_RULE_LEVEL_HISTOGRAM, chunk->location,
                                "%s has %" PRIu32 " elements for %zu levels", what, stated->count,
                                levels);
    return lam_check_histogram(chunk, what, chunk->location, stated->items, actual, levels);
}

/*
 * unencoded_byte_array_data_bytes counts the bytes of all values without their lengths, as if no
 * dictionary existed. (parquet.thrift, SizeStatistics)
 */
lam_status lam_check_size_statistics(lam_chunk_check *chunk) {
    const lam_meta_size_statistics *sizes = chunk->column->size_statistics;
    const lam_value_summary *total = &chunk->values.total;
    if (sizes == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(check_levels_of(chunk, "repetition_level_histogram", &sizes->repetition_level_histogram,
                            lam_value_summary_repetition(total), total->repetition_levels));
    LAM_TRY(check_levels_of(chunk, "definition_level_histogram", &sizes->definition_level_histogram,
                            lam_value_summary_definition(total), total->definition_levels));
    if ((sizes->has & LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES) == 0)
        return LAM_STATUS_OK;
    if (chunk->layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return lam_check_report(chunk->checker, LAM_RULE_UNENCODED_BYTES, chunk->location,
                                "unencoded_byte_array_data_bytes of a column that holds no byte "
                                "arrays");
    if ((uint64_t)sizes->unencoded_byte_array_data_bytes == total->byte_count)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_UNENCODED_BYTES, chunk->location,
                            "unencoded_byte_array_data_bytes is %" PRId64
                            ", but the byte arrays have %" PRIu64,
                            sizes->unencoded_byte_array_data_bytes, total->byte_count);
}
