/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores times as INT96: a day and its nanoseconds become 12 bytes, if they fit. The invariant:
 * lam_int96_load gives the same time for the bytes that were stored, and every time that it gives
 * can be stored. (parquet.thrift, Type.INT96)
 */
#include "base/int96.h"

bool lam_int96_store(lam_int96 time, uint8_t *bytes) {
    const int64_t first = INT32_MIN - LAM_INT96_EPOCH_DAY, last = INT32_MAX - LAM_INT96_EPOCH_DAY;
    int64_t day = time.day < first ? first : time.day > last ? last : time.day;
    /* Whole days are compared first: neither their difference nor a product may overflow. */
    const int64_t most = INT64_MAX / LAM_NANOS_OF_DAY, least = INT64_MIN / LAM_NANOS_OF_DAY;
    if (time.day > last + most || time.day < first + least - 1)
        return false;
    int64_t days = time.day - day, nanos = time.nanos;
    if (days < 0) { /* round toward zero, so that the product is not beyond the sum */
        days++;
        nanos -= LAM_NANOS_OF_DAY;
    }
    int64_t whole = days * LAM_NANOS_OF_DAY;
    if (nanos > 0 ? whole > INT64_MAX - nanos : whole < INT64_MIN - nanos)
        return false;
    lam_store_le64(bytes, (uint64_t)(whole + nanos));
    lam_store_le32(bytes + 8, (uint32_t)(int32_t)(day + LAM_INT96_EPOCH_DAY));
    return true;
}
