/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows values in messages, from PLAIN bytes: numbers as numbers, all else as a word, quoted and
 * cut.
 *
 * The bytes may have any size and hold anything: those that do not have the size of the type's
 * numbers are a word. The text always ends within its room.
 */
#include "check/report/shown_value.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/wide_int.h"
#include "schema/text.h"
#include "stats/value_order.h"
#include "text/time_text.h"

/*
 * Bytes that have not the size of a number of the leaf's type are shown as a word, which lam_show
 * keeps on one line and cuts: bounds from a footer can have any size.
 */
lam_shown_value lam_check_show(const lam_field *leaf, lam_bytes value) {
    lam_shown_value shown;
    const lam_value_order order = lam_value_order_signed(leaf);
    bool is_number = value.size == order.size && value.size > 0; /* of byte arrays, it is 0 */
    float single;
    double number;
    uint32_t bits = 0;
    uint64_t wide = 0;
    if (is_number && value.size == 4)
        bits = lam_load_le32(value.data);
    if (is_number && value.size == 8)
        wide = lam_load_le64(value.data);
    /* PLAIN floats are the little-endian bits of IEEE 754 numbers. */
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &wide, sizeof number);
    lam_physical_type type = is_number ? leaf->physical_type : LAM_PHYSICAL_BYTE_ARRAY;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    if (leaf->logical_type.kind == LAM_LOGICAL_TIMESTAMP && value.size == LAM_WIDE_INT_BYTES)
        shown.text[lam_timestamp_96_print(value.data, leaf->logical_type.unit,
                                          leaf->logical_type.adjusted_to_utc, shown.text)] = '\0';
    else if (type == LAM_PHYSICAL_BOOLEAN)
        snprintf(shown.text, sizeof shown.text, "%s", value.data[0] != 0 ? "true" : "false");
    else if (type == LAM_PHYSICAL_INT32 && is_unsigned)
        snprintf(shown.text, sizeof shown.text, "%" PRIu32, bits);
    else if (type == LAM_PHYSICAL_INT32)
        snprintf(shown.text, sizeof shown.text, "%" PRId32, (int32_t)bits);
    else if (type == LAM_PHYSICAL_INT64 && is_unsigned)
        snprintf(shown.text, sizeof shown.text, "%" PRIu64, wide);
    else if (type == LAM_PHYSICAL_INT64)
        snprintf(shown.text, sizeof shown.text, "%" PRId64, (int64_t)wide);
    /* Nine and seventeen digits distinguish any two floats, and any two doubles. */
    else if (type == LAM_PHYSICAL_FLOAT)
        snprintf(shown.text, sizeof shown.text, "%.9g", (double)single);
    else if (type == LAM_PHYSICAL_DOUBLE)
        snprintf(shown.text, sizeof shown.text, "%.17g", number);
    else
        snprintf(shown.text, sizeof shown.text, "%s",
                 lam_show((const char *)value.data, value.size).text);
    return shown;
}
