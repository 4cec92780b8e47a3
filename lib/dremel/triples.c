/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one value out of a run of triples. In: lam_triples and the leaf that they belong to. Out: a
 * lam_value, whose bytes are borrowed from the run.
 *
 * Values are packed without gaps for the nulls, so `index` counts values and not triples: it is the
 * number of definition levels at the maximum before the wanted one. Name.Language.Country of the
 * paper's first record has four triples and two values:
 *
 *     definition   3    2    1    3
 *     values       us             gb       values[0] is "us", values[1] is "gb"
 */
#include <lamella/record.h>
#include <string.h>

/* The element types are those that lam_triples (record.h) lists for each physical type. */
lam_value lam_triples_value(const lam_triples *triples, const lam_field *leaf, size_t index) {
    const void *values = triples->values;
    lam_value value;
    memset(&value, 0, sizeof value);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = ((const uint8_t *)values)[index] != 0;
        break;
    case LAM_PHYSICAL_INT32:
        value.int32 = ((const int32_t *)values)[index];
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = ((const int64_t *)values)[index];
        break;
    case LAM_PHYSICAL_FLOAT:
        value.float32 = ((const float *)values)[index];
        break;
    case LAM_PHYSICAL_DOUBLE:
        value.float64 = ((const double *)values)[index];
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        value.bytes = ((const lam_bytes *)values)[index];
        break;
    default:
        /* FIXED_LEN_BYTE_ARRAY and INT96: elements of type_length bytes, one after the other. */
        value.bytes.size = (size_t)lam_field_type_length(leaf);
        value.bytes.data = (const uint8_t *)values + index * value.bytes.size;
        break;
    }
    return value;
}
