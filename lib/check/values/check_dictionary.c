/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the dictionary page of a column chunk and the pages of indexes into it. (Encodings.md,
 * section "Dictionary Encoding")
 *
 * A few bytes of indexes may mean very many and very long values: one run of 4 bytes repeats an
 * entry of a megabyte a million times. Strings are therefore checked once per entry, not once per
 * value, and the entries are ranked:
 *
 *   entries   0 pear   1 apple   2 fig        ranks   2 0 1
 *   page      0 2 2 0                         bounds  entry 2 (rank 1), entry 0 (rank 2)
 *
 * The bounds of a page are the entries with the lowest and the highest rank that its indexes name.
 * Every index is compared with the number of entries before it is used.
 */
#include "check/values/check_dictionary.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "check/chunk/check_crc.h"
#include "check/report/shown_value.h"
#include "check/values/check_rest.h"
#include "check/values/check_single_values.h"

/* --- The dictionary page --------------------------------------------------------------------- */

/*
 * Decodes the entries. Their number comes from the header and is bounded before it sizes anything,
 * by the bytes that this many PLAIN values must take: 4 for the length of each byte array, else the
 * size of a value. The array of entries must be within the memory limit, too.
 */
static lam_status check_dictionary_decode_dictionary(lam_chunk_check *chunk, uint32_t count,
                                                     lam_decoder *ret_decoder, lam_error *failure) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    lam_bytes bytes = lam_buffer_bytes(&chunk->dictionary.bytes);
    size_t element = lam_layout_size(chunk->layout);
    size_t least = chunk->layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 4 : element;
    /*
     * A boolean takes a bit, not bytes, so that the bound below would not hold; such a dictionary
     * would save nothing.
     */
    if (chunk->layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(failure, LAM_STATUS_UNSUPPORTED, "a dictionary of booleans");
    if (count > bytes.size / least)
        LAM_FAIL(failure, LAM_ERROR_CODE_DICTIONARY_PAGE,
                 "a dictionary of %" PRIu32 " values cannot have %zu bytes", count, bytes.size);
    if (count > chunk->checker->memory_limit / element)
        LAM_FAIL(failure, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a dictionary of %" PRIu32 " values is above the memory limit of %" PRIu64, count,
                 chunk->checker->memory_limit);
    LAM_TRY(lam_alloc(allocator, count * element, &chunk->dictionary.values, failure));
    chunk->dictionary.size = count * element;
    /* unreachable: PLAIN takes all of these types, and no memory */
    LAM_TRY(lam_decoder_init(ret_decoder, chunk->checker->kernels, LAM_ENCODING_PLAIN,
                             chunk->layout, bytes, NULL, &chunk->values.arena, failure));
    LAM_TRY(lam_decoder_read(ret_decoder, count, chunk->dictionary.values, failure));
    chunk->dictionary.entries.values = chunk->dictionary.values;
    chunk->dictionary.entries.count = count;
    return LAM_STATUS_OK;
}

/*
 * Checks the claim of is_sorted: entries in ascending order. NaNs have a position in total order
 * only. (parquet.thrift, DictionaryPageHeader.is_sorted)
 */
static lam_status check_sorted(lam_chunk_check *chunk,
                               const lam_meta_dictionary_page_header *header,
                               lam_check_location location) {
    uint8_t a[LAM_VALUE_SCRATCH], b[LAM_VALUE_SCRATCH];
    const lam_value_order *order = &chunk->order;
    if (!header->is_sorted || order->comparison == LAM_COMPARISON_UNDEFINED)
        return LAM_STATUS_OK;
    for (size_t i = 1; i < chunk->dictionary.entries.count; i++) {
        lam_bytes before = lam_value_plain(order, chunk->dictionary.entries.values, i - 1, a);
        lam_bytes value = lam_value_plain(order, chunk->dictionary.entries.values, i, b);
        if (!order->is_total && (lam_value_is_nan(order, before) || lam_value_is_nan(order, value)))
            continue;
        if (lam_value_compare(order, before, value) > 0)
            return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_SORTED, location,
                                    "entry %zu, %s, is less than the entry before it", i,
                                    lam_check_show(chunk->leaf, value).text);
    }
    return LAM_STATUS_OK;
}

/*
 * Reads the page down to its entries. If that fails, the pages of indexes cannot be read, but are
 * not reported again for it.
 */
static lam_status check_dictionary_read_dictionary(lam_chunk_check *chunk,
                                                   const lam_meta_page_header *header,
                                                   lam_check_location location) {
    lam_bytes body;
    uint32_t count;
    lam_decoder decoder;
    lam_error failure = lam_error_none();
    lam_status status = lam_page_check_sizes(&chunk->pages.reader, header, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_walk_body(&chunk->pages.walk, &body, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_read_dictionary(&chunk->pages.reader, header, body,
                                          &chunk->dictionary.bytes, &count, &failure);
    if (status == LAM_STATUS_OK)
        status = check_dictionary_decode_dictionary(chunk, count, &decoder, &failure);
    chunk->dictionary.reads = status == LAM_STATUS_OK;
    chunk->whole &= chunk->dictionary.reads;
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(chunk->checker, LAM_RULE_DICTIONARY_PAGE, location, status,
                                        &failure);
    LAM_TRY(lam_check_rest(chunk, &decoder, location));
    return check_sorted(chunk, header->dictionary_page_header, location);
}

/*
 * The page must be the first of its chunk, and the only one of its kind; chunk->pages.all_pages
 * counts this page already. (README.md of the format, "Column chunks")
 */
lam_status lam_check_dictionary_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                     uint64_t offset) {
    lam_check_location location = lam_check_at(chunk->location, offset);
    bool good;
    if (chunk->dictionary.is_met || chunk->pages.all_pages > 1)
        chunk->whole = false;
    if (chunk->dictionary.is_met)
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_PLACE, location,
                                "a second dictionary page");
    if (chunk->pages.all_pages > 1) /* readers may use it: its contents are checked, too */
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_PLACE, location,
                                 "a dictionary page that is not the chunk's first page"));
    chunk->dictionary.is_met = true;
    chunk->dictionary.offset = location.offset;
    LAM_TRY(lam_check_crc(chunk, header, offset, &good));
    chunk->whole &= good && chunk->decodes;
    return good && chunk->decodes ? check_dictionary_read_dictionary(chunk, header, location)
                                  : LAM_STATUS_OK;
}

/* --- Ranks ---------------------------------------------------------------------------------- */

/* The entry's bytes, borrowed from the dictionary. The index has been checked. */
static lam_bytes check_dictionary_entry_at(const lam_chunk_check *chunk, uint32_t index) {
    uint8_t scratch[LAM_VALUE_SCRATCH]; /* unused: the entries are byte arrays */
    return lam_value_plain(&chunk->order, chunk->dictionary.entries.values, index, scratch);
}

/* For lam_sort_numbers: `state` is the check of the chunk. */
static bool check_dictionary_behind(const void *state, uint32_t a, uint32_t b) {
    const lam_chunk_check *chunk = state;
    return lam_value_compare(&chunk->order, check_dictionary_entry_at(chunk, a),
                             check_dictionary_entry_at(chunk, b)) > 0;
}

/*
 * Sorts the entries and gives each its rank; `sorted` and `scratch` have room for one index per
 * entry.
 */
static void rank_entries(lam_chunk_check *chunk, uint32_t *sorted, uint32_t *scratch) {
    size_t count = chunk->dictionary.entries.count;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (uint32_t)i;
    lam_sort_numbers(sorted, count, scratch, check_dictionary_behind, chunk);
    for (size_t i = 0; i < count; i++)
        chunk->dictionary.ranks[sorted[i]] = (uint32_t)i;
}

/*
 * Only byte arrays, fixed or not: numbers are as fast to check one by one. FLOAT16 is a fixed
 * array, but its NaNs must be counted per value.
 */
bool lam_check_takes_ranks(const lam_chunk_check *chunk) {
    bool is_bytes = chunk->layout.type == LAM_PHYSICAL_BYTE_ARRAY ||
                    chunk->layout.type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    return is_bytes && !lam_value_order_signed(chunk->leaf).has_nans &&
           chunk->dictionary.entries.count > 0;
}

/*
 * Ranks the entries at the first page of indexes; a chunk that falls back to PLAIN at once needs
 * none.
 */
static lam_status prepare_ranks(lam_chunk_check *chunk) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    size_t count = chunk->dictionary.entries.count;
    void *memory;
    if (chunk->dictionary.ranks != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARRAY(allocator, count, &chunk->dictionary.ranks, chunk->checker->error));
    LAM_TRY(LAM_ARRAY(allocator, count, &chunk->dictionary.entries_seen, chunk->checker->error));
    LAM_TRY(
        lam_alloc_array(allocator, count, 2 * sizeof(uint32_t), &memory, chunk->checker->error));
    uint32_t *scratch = memory;
    rank_entries(chunk, scratch, scratch + count);
    lam_free(allocator, memory, count * 2 * sizeof(uint32_t));
    return LAM_STATUS_OK;
}

/* The count of entries is set last while decoding, so that ranks exist only if it is true. */
void lam_check_free_dictionary(lam_chunk_check *chunk) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    lam_free(allocator, chunk->dictionary.values, chunk->dictionary.size);
    lam_free(allocator, chunk->dictionary.ranks,
             chunk->dictionary.entries.count * sizeof(uint32_t));
    lam_free(allocator, chunk->dictionary.entries_seen,
             chunk->dictionary.entries.count * sizeof(bool));
    lam_buffer_finish(&chunk->dictionary.bytes);
}

/* --- Pages of indexes ----------------------------------------------------------------------- */

/* A page of indexes while it is read. */
typedef struct index_reader {
    lam_chunk_check *chunk;
    lam_check_location location;
    lam_decoder indexes;
    uint32_t lowest;  /* the entry with the lowest rank; UINT32_MAX before the first */
    uint32_t highest; /* the entry with the highest rank, likewise */
    bool good;        /* false after an index beyond the dictionary */
} index_reader;

/*
 * Adds `count` values of one entry: bytes, bounds, and at the first time in the chunk everything
 * that is checked of single values.
 */
static lam_status add_entry(index_reader *reader, uint32_t index, uint64_t count) {
    lam_chunk_check *chunk = reader->chunk;
    if (index >= chunk->dictionary.entries.count) {
        reader->good = false;
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_INDEX, reader->location,
                                "dictionary index %" PRIu32 " where the dictionary has %zu values",
                                index, chunk->dictionary.entries.count);
    }
    if (chunk->order.is_varied)
        chunk->values.page.byte_count += count * check_dictionary_entry_at(chunk, index).size;
    const uint32_t *ranks = chunk->dictionary.ranks;
    if (reader->lowest == UINT32_MAX || ranks[index] < ranks[reader->lowest])
        reader->lowest = index;
    if (reader->highest == UINT32_MAX || ranks[index] > ranks[reader->highest])
        reader->highest = index;
    /* The value has been compared with its type and the Bloom filter before. */
    if (chunk->dictionary.entries_seen[index])
        return LAM_STATUS_OK;
    chunk->dictionary.entries_seen[index] = true;
    const uint8_t *entry =
        (const uint8_t *)chunk->dictionary.entries.values + index * lam_layout_size(chunk->layout);
    return lam_check_single_values(chunk, entry, 1, reader->location);
}

/*
 * Reads the next indexes, at most `left`, and gives their number. A repeated run is one entry,
 * however long it is. `*ret_outcome` is the failure of the page, if any; the status is that of the
 * check.
 */
static lam_status check_dictionary_read_some(index_reader *reader, uint64_t left, size_t *ret_count,
                                             lam_status *ret_outcome, lam_error *failure) {
    uint32_t indexes[256], index;
    size_t length, most = left < SIZE_MAX ? (size_t)left : SIZE_MAX;
    bool packed;
    *ret_outcome = lam_rle_peek_run(&reader->indexes.runs, most, &length, &index, &packed, failure);
    if (*ret_outcome != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    *ret_count = length;
    if (!packed) {
        *ret_outcome = lam_rle_skip(&reader->indexes.runs, length, failure);
        /* unreachable: this run is at least that long */
        return *ret_outcome == LAM_STATUS_OK ? add_entry(reader, index, length) : LAM_STATUS_OK;
    }
    /* Packed indexes differ and are added one by one. */
    *ret_count = length < 256 ? length : 256;
    *ret_outcome = lam_rle_read_indexes(&reader->indexes.runs, *ret_count, indexes, failure);
    /* unreachable: the outcome is good, as the decoder has all of this run */
    for (size_t i = 0; i < *ret_count && *ret_outcome == LAM_STATUS_OK && reader->good; i++)
        LAM_TRY(add_entry(reader, indexes[i], 1));
    return LAM_STATUS_OK;
}

/*
 * Counts the page's values by its indexes and widens the bounds by two entries at the end. `count`
 * is at least 1, so that there are a lowest and a highest entry then.
 */
lam_status lam_check_indexes(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                             lam_check_location location, bool *ret_good) {
    index_reader reader = {.chunk = chunk,
                           .location = location,
                           .lowest = UINT32_MAX,
                           .highest = UINT32_MAX,
                           .good = true};
    lam_error failure = lam_error_none();
    LAM_TRY(prepare_ranks(chunk));
    lam_status outcome =
        lam_decoder_init(&reader.indexes, chunk->checker->kernels, page->encoding, chunk->layout,
                         page->values, &chunk->dictionary.entries, &chunk->values.arena, &failure);
    for (uint64_t left = count; left > 0 && outcome == LAM_STATUS_OK && reader.good;) {
        size_t some = 0;
        LAM_TRY(lam_stop_check(chunk->checker->stop, chunk->checker->error));
        LAM_TRY(check_dictionary_read_some(&reader, left, &some, &outcome, &failure));
        left -= some;
    }
    *ret_good = reader.good && outcome == LAM_STATUS_OK;
    if (outcome != LAM_STATUS_OK)
        return lam_check_report_failure(chunk->checker, LAM_RULE_PAGE_VALUES, location, outcome,
                                        &failure);
    if (!reader.good)
        return LAM_STATUS_OK;
    LAM_TRY(lam_check_rest(chunk, &reader.indexes, location));
    chunk->values.page.value_count += count;
    return lam_value_summary_widen(
        &chunk->values.page, check_dictionary_entry_at(chunk, reader.lowest),
        check_dictionary_entry_at(chunk, reader.highest), false, chunk->checker->error);
}
