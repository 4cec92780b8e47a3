/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks values one by one: each is what the column's logical type allows and what its Bloom filter
 * knows, and the deprecated bounds hold it.
 *
 * Values come in batches, decoded, from a page or from a dictionary. Each rule is reported once in
 * a column chunk: once a value has broken it, later ones are not checked. (LogicalTypes.md;
 * BloomFilter.md)
 */
#include "check/values/check_single_values.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/int96.h"
#include "check/report/shown_value.h"
#include "check/values/check_contents.h"
#include "record/value_rules.h"
#include "stats/bloom.h"

/* --- Logical types ------------------------------------------------------------------------- */

/*
 * Gives the rule that the logical type imposes on each value; false when any value will do. INTEGER
 * of 8 and 16 bits is stored in INT32 and has values outside of its range; of 32 and 64 bits it has
 * none.
 */
static bool check_values_rule_of(const lam_field *leaf, lam_rule *ret_rule) {
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        *ret_rule = LAM_RULE_UTF8;
        return true;
    case LAM_LOGICAL_UNKNOWN:
        *ret_rule = LAM_RULE_UNKNOWN_NULL;
        return true;
    case LAM_LOGICAL_INTEGER:
        *ret_rule = LAM_RULE_VALUE_RANGE;
        return leaf->logical_type.bit_width < 32;
    case LAM_LOGICAL_DECIMAL:
    case LAM_LOGICAL_TIME:
        *ret_rule = LAM_RULE_VALUE_RANGE;
        return true;
    default:
        return false;
    }
}

/* Wraps the values as triples, so that the same function checks them as when they are written. */
static lam_status check_values_logical(lam_chunk_check *chunk, const void *values, size_t count,
                                       lam_check_location location) {
    lam_rule rule;
    const lam_triples batch = {.count = count, .value_count = count, .values = values};
    if (!check_values_rule_of(chunk->leaf, &rule) || chunk->reported[rule])
        return LAM_STATUS_OK;
    /* Stops at the first value that breaks the rule: one finding per rule and column chunk. */
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        lam_value value = lam_triples_value(&batch, chunk->leaf, i);
        if (lam_value_check(chunk->leaf, &value, &failure) == LAM_STATUS_OK)
            continue;
        chunk->reported[rule] = true;
        return lam_check_report(chunk->checker, rule, location, "%s", failure.message);
    }
    return LAM_STATUS_OK;
}

/*
 * Notes INT96 whose nanoseconds are outside of their day: readers that do not add the two up see
 * another time. (base/int96.h)
 */
static lam_status check_int96(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    const uint8_t *value = values;
    if (chunk->leaf->physical_type != LAM_PHYSICAL_INT96 ||
        chunk->reported[LAM_RULE_INT96_NANOSECONDS])
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++, value += LAM_INT96_SIZE) {
        if (lam_int96_is_within_day(value))
            continue;
        chunk->reported[LAM_RULE_INT96_NANOSECONDS] = true;
        return lam_check_report(chunk->checker, LAM_RULE_INT96_NANOSECONDS, location,
                                "a timestamp of day %" PRId32 " and %" PRId64
                                " nanoseconds, which are added up",
                                (int32_t)lam_load_le32(value + 8), (int64_t)lam_load_le64(value));
    }
    return LAM_STATUS_OK;
}

/* --- Bloom filter -------------------------------------------------------------------------- */

/*
 * Every value of the chunk must be in its Bloom filter: a filter that denies one makes readers skip
 * rows that match. (BloomFilter.md, "Technical Approach")
 */
static lam_status check_bloom(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    uint8_t scratch[LAM_VALUE_SCRATCH];
    if (chunk->stated.bloom == NULL || chunk->reported[LAM_RULE_BLOOM_VALUE])
        return LAM_STATUS_OK;
    lam_value_order order = lam_value_order_signed(chunk->leaf);
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = lam_value_plain(&order, values, i, scratch);
        if (lam_bloom_probe(chunk->stated.bloom, chunk->stated.bloom_blocks, lam_bloom_hash(value)))
            continue;
        chunk->reported[LAM_RULE_BLOOM_VALUE] = true;
        return lam_check_report(chunk->checker, LAM_RULE_BLOOM_VALUE, location,
                                "the Bloom filter denies the value %s",
                                lam_check_show(chunk->leaf, value).text);
    }
    return LAM_STATUS_OK;
}

lam_status lam_check_single_values(lam_chunk_check *chunk, const void *values, size_t count,
                                   lam_check_location location) {
    if (chunk->values.has_signed)
        LAM_TRY(lam_value_summary_add(&chunk->values.signed_total, values, count,
                                      chunk->checker->error));
    LAM_TRY(check_values_logical(chunk, values, count, location));
    LAM_TRY(check_int96(chunk, values, count, location));
    LAM_TRY(lam_check_contents(chunk, values, count, location));
    return check_bloom(chunk, values, count, location);
}
