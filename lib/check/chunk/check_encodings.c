/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the encodings that the pages of a column chunk have with those that the footer names:
 * the list `encodings`, and encoding_stats with the number of pages for each page type and
 * encoding.
 *
 * Pages are counted while they are walked, by their headers alone, so that pages that cannot be
 * decoded count as well. The footer may count V2 data pages as V1 (a warning), and name dictionary
 * encoding by either of its two names. (parquet.thrift, ColumnMetaData.encodings and
 * PageEncodingStats)
 */
#include "check/chunk/check_encodings.h"

#include <inttypes.h>

#include "base/error.h"
#include "encoding/encoding.h"

/* How many pages of one type have their values in one encoding. */
typedef struct lam_encoding_count {
    int32_t page_type;
    int32_t encoding;
    int64_t count;
} lam_encoding_count;

enum { ENCODING_BITS = 32 }; /* encodings 0 to 31 in a set; today's end at 10 */

uint32_t lam_check_encoding_bit(int32_t encoding) {
    return encoding >= 0 && encoding < ENCODING_BITS ? UINT32_C(1) << encoding : 0;
}

/* A linear search is enough: a chunk has two or three kinds of pages. */
lam_status lam_check_count_encoding(lam_chunk_check *chunk, int32_t page_type, int32_t encoding) {
    lam_encoding_count *counts = (lam_encoding_count *)chunk->pages.encoding_counts.data;
    size_t size = chunk->pages.encoding_counts.size / sizeof *counts;
    for (size_t i = 0; i < size; i++)
        if (counts[i].page_type == page_type && counts[i].encoding == encoding) {
            counts[i].count++;
            return LAM_STATUS_OK;
        }
    /*
     * Headers may state any of 2^32 encodings: a hostile chunk must not make the search quadratic.
     */
    if (size == 2 * ENCODING_BITS)
        return LAM_STATUS_OK;
    lam_encoding_count fresh = {page_type, encoding, 1};
    return lam_buffer_append(&chunk->pages.encoding_counts, &fresh, sizeof fresh,
                             chunk->checker->error);
}

/*
 * Compares the list with the pages. Encodings of values must be listed; those of levels and
 * dictionaries may be, since writers differ in whether they list them.
 */
static lam_status check_encodings_list(lam_chunk_check *chunk) {
    const lam_meta_i32_list *list = &chunk->column->encodings;
    const uint32_t dictionaries = lam_check_encoding_bit(LAM_ENCODING_PLAIN_DICTIONARY) |
                                  lam_check_encoding_bit(LAM_ENCODING_RLE_DICTIONARY);
    uint32_t listed = 0, used = chunk->pages.data_encodings | chunk->pages.other_encodings;
    for (uint32_t i = 0; i < list->count; i++)
        listed |= lam_check_encoding_bit(list->items[i]);
    uint32_t missing = chunk->pages.data_encodings & ~listed;
    if ((missing & dictionaries) != 0 && (listed & dictionaries) != 0)
        missing &= ~dictionaries; /* two names of one encoding */
    for (int32_t i = 0; i < ENCODING_BITS; i++) {
        if ((missing & lam_check_encoding_bit(i)) != 0)
            LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_ENCODINGS_MISSING, chunk->location,
                                     "the list of encodings lacks %s (%" PRId32 ")",
                                     lam_encoding_name((lam_encoding)i), i));
        if (chunk->pages.data_pages > 0 && (listed & ~used & lam_check_encoding_bit(i)) != 0)
            LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_ENCODINGS_UNUSED, chunk->location,
                                     "the list of encodings has %s (%" PRId32
                                     "), which no page uses",
                                     lam_encoding_name((lam_encoding)i), i));
    }
    return LAM_STATUS_OK;
}

/* Whether a count for the page type `found` belongs to `page_type`; with `both`, V1 includes V2. */
static bool counts_as(int32_t found, int32_t page_type, bool both) {
    return found == page_type || (both && page_type == LAM_PAGE_DATA && found == LAM_PAGE_DATA_V2);
}

/* The number of pages according to the footer. Unsigned: negative counts wrap around and differ. */
static int64_t stated_count(const lam_chunk_check *chunk, int32_t page_type, int32_t encoding,
                            bool both) {
    const lam_meta_page_encoding_stats_list *stats = &chunk->column->encoding_stats;
    uint64_t count = 0;
    for (uint32_t i = 0; i < stats->count; i++)
        if (counts_as(stats->items[i].page_type, page_type, both) &&
            stats->items[i].encoding == encoding)
            count += (uint64_t)stats->items[i].count;
    return (int64_t)count;
}

/* The number of pages that were walked. */
static int64_t seen_count(const lam_chunk_check *chunk, int32_t page_type, int32_t encoding,
                          bool both) {
    const lam_encoding_count *counts =
        (const lam_encoding_count *)chunk->pages.encoding_counts.data;
    int64_t count = 0;
    for (size_t i = 0; i < chunk->pages.encoding_counts.size / sizeof *counts; i++)
        if (counts_as(counts[i].page_type, page_type, both) && counts[i].encoding == encoding)
            count += counts[i].count;
    return count;
}

/* Reports a count of the footer beside the true one. */
static lam_status report_stats(lam_chunk_check *chunk, lam_rule rule, int32_t page_type,
                               int32_t encoding, bool both) {
    return lam_check_report(
        chunk->checker, rule, chunk->location,
        "encoding_stats count %" PRId64 " pages of type %" PRId32 " in %s, but there are %" PRId64,
        stated_count(chunk, page_type, encoding, both), page_type,
        lam_encoding_name((lam_encoding)encoding), seen_count(chunk, page_type, encoding, both));
}

/*
 * Compares the counts by page type and encoding. First with V1 and V2 together: a difference there
 * is an error and ends the comparison; then apart. If all counts of pages that exist are right, a
 * difference of the sums means that the footer counts pages that do not exist. (parquet.thrift,
 * PageEncodingStats)
 */
static lam_status check_encoding_stats(lam_chunk_check *chunk) {
    const lam_encoding_count *counts =
        (const lam_encoding_count *)chunk->pages.encoding_counts.data;
    size_t size = chunk->pages.encoding_counts.size / sizeof *counts;
    const lam_meta_page_encoding_stats_list *stats = &chunk->column->encoding_stats;
    uint64_t stated = 0, seen = 0;
    if ((chunk->column->has & LAM_META_COLUMN_HAS_ENCODING_STATS) == 0)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < size; i++) {
        int32_t encoding = counts[i].encoding;
        int32_t type = counts[i].page_type;
        int32_t either = type == LAM_PAGE_DATA_V2 ? (int32_t)LAM_PAGE_DATA : type;
        seen += (uint64_t)counts[i].count;
        if (stated_count(chunk, either, encoding, true) !=
            seen_count(chunk, either, encoding, true))
            return report_stats(chunk, LAM_RULE_ENCODING_STATS, either, encoding, true);
        if (stated_count(chunk, type, encoding, false) != counts[i].count &&
            lam_check_once(chunk, LAM_RULE_ENCODING_STATS_TYPE))
            LAM_TRY(report_stats(chunk, LAM_RULE_ENCODING_STATS_TYPE, type, encoding, false));
    }
    for (uint32_t i = 0; i < stats->count; i++)
        stated += (uint64_t)stats->items[i].count;
    if (stated == seen)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_ENCODING_STATS, chunk->location,
                            "encoding_stats count %" PRId64 " pages, but there are %" PRIu64,
                            (int64_t)stated, seen);
}

lam_status lam_check_encodings(lam_chunk_check *chunk) {
    LAM_TRY(check_encodings_list(chunk));
    return check_encoding_stats(chunk);
}
