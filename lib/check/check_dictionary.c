/*
 * The dictionary of a column chunk, and pages of indexes into it.
 * (Encodings.md, section "Dictionary Encoding")
 *
 * A few bytes of indexes may stand for very many and very long values. What the checks want to know
 * of strings is therefore asked once of each entry, and not of each value: the entries are ranked,
 * so that the bounds of a page are the lowest and highest rank that its indexes name.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "check/chunk_check.h"

/* --- The dictionary page --------------------------------------------------------------------- */

/* Decodes the entries; their number is bounded by the bytes that they must take. */
static lam_status check_dictionary_decode_dictionary(lam_chunk_check *chunk, uint32_t count,
                                                     lam_decoder *ret_decoder, lam_error *failure) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    lam_bytes bytes = lam_buffer_bytes(&chunk->dictionary_bytes);
    size_t element = lam_layout_size(chunk->layout);
    size_t least = chunk->layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 4 : element;
    if (chunk->layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(failure, LAM_STATUS_UNSUPPORTED, "a dictionary of booleans");
    if (count > bytes.size / least)
        LAM_FAIL(failure, LAM_ERROR_CODE_DICTIONARY_PAGE,
                 "a dictionary of %" PRIu32 " values cannot have %zu bytes", count, bytes.size);
    if (count > chunk->checker->memory_limit / element)
        LAM_FAIL(failure, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a dictionary of %" PRIu32 " values is above the memory limit of %" PRIu64, count,
                 chunk->checker->memory_limit);
    LAM_TRY(lam_alloc(allocator, count * element, &chunk->dictionary_values, failure));
    chunk->dictionary_size = count * element;
    LAM_TRY(lam_decoder_init(ret_decoder, LAM_ENCODING_PLAIN, chunk->layout, bytes, NULL,
                             &chunk->values_arena, failure));
    LAM_TRY(lam_decoder_read(ret_decoder, count, chunk->dictionary_values, failure));
    chunk->dictionary.values = chunk->dictionary_values;
    chunk->dictionary.count = count;
    return LAM_STATUS_OK;
}

/* parquet.thrift, DictionaryPageHeader.is_sorted: in ascending order. */
static lam_status check_sorted(lam_chunk_check *chunk,
                               const lam_meta_dictionary_page_header *header,
                               lam_check_location location) {
    uint8_t a[LAM_VALUE_SCRATCH], b[LAM_VALUE_SCRATCH];
    const lam_value_order *order = &chunk->order;
    if (!header->is_sorted || order->comparison == LAM_COMPARISON_UNDEFINED)
        return LAM_STATUS_OK;
    for (size_t i = 1; i < chunk->dictionary.count; i++) {
        lam_bytes before = lam_value_plain(order, chunk->dictionary.values, i - 1, a);
        lam_bytes value = lam_value_plain(order, chunk->dictionary.values, i, b);
        if (!order->is_total && (lam_value_is_nan(order, before) || lam_value_is_nan(order, value)))
            continue;
        if (lam_value_compare(order, before, value) > 0)
            return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_SORTED, location,
                                    "entry %zu, %s, is less than the entry before it", i,
                                    lam_check_show(chunk->leaf, value).text);
    }
    return LAM_STATUS_OK;
}

static lam_status check_dictionary_read_dictionary(lam_chunk_check *chunk,
                                                   const lam_meta_page_header *header,
                                                   lam_check_location location) {
    lam_bytes body;
    uint32_t count;
    lam_decoder decoder;
    lam_error failure = lam_error_none();
    lam_status status = lam_page_check_sizes(&chunk->reader, header, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_walk_body(&chunk->walk, &body, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_read_dictionary(&chunk->reader, header, body, &chunk->dictionary_bytes,
                                          &count, &failure);
    if (status == LAM_STATUS_OK)
        status = check_dictionary_decode_dictionary(chunk, count, &decoder, &failure);
    chunk->dictionary_reads = status == LAM_STATUS_OK;
    chunk->whole &= chunk->dictionary_reads;
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(chunk->checker, LAM_RULE_DICTIONARY_PAGE, location, status,
                                        &failure);
    LAM_TRY(lam_check_rest(chunk, &decoder, location));
    return check_sorted(chunk, header->dictionary_page_header, location);
}

lam_status lam_check_dictionary_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                     uint64_t offset) {
    lam_check_location location = lam_check_at(chunk->location, offset);
    bool good;
    if (chunk->has_dictionary || chunk->pages > 1) {
        chunk->whole = false;
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_PLACE, location,
                                chunk->has_dictionary
                                    ? "a second dictionary page"
                                    : "a dictionary page that is not the chunk's first page");
    }
    chunk->has_dictionary = true;
    chunk->dictionary_offset = location.offset;
    LAM_TRY(lam_check_crc(chunk, header, offset, &good));
    chunk->whole &= good && chunk->decodes;
    return good && chunk->decodes ? check_dictionary_read_dictionary(chunk, header, location)
                                  : LAM_STATUS_OK;
}

/* --- Ranks ---------------------------------------------------------------------------------- */

static lam_bytes check_dictionary_entry_at(const lam_chunk_check *chunk, uint32_t index) {
    uint8_t scratch[LAM_VALUE_SCRATCH]; /* unused: the entries are bytes */
    return lam_value_plain(&chunk->order, chunk->dictionary.values, index, scratch);
}

/* Merges two sorted runs of entries, [first, middle) and [middle, last). */
static void check_dictionary_merge(const lam_chunk_check *chunk, const uint32_t *in, uint32_t *out,
                                   size_t first, size_t middle, size_t last) {
    size_t left = first, right = middle;
    for (size_t at = first; at < last; at++) {
        bool takes_left =
            right == last ||
            (left < middle &&
             lam_value_compare(&chunk->order, check_dictionary_entry_at(chunk, in[left]),
                               check_dictionary_entry_at(chunk, in[right])) <= 0);
        out[at] = takes_left ? in[left++] : in[right++];
    }
}

/* Sorts the entries and gives each its rank; `scratch` has room for as many. */
static void rank_entries(lam_chunk_check *chunk, uint32_t *sorted, uint32_t *scratch) {
    size_t count = chunk->dictionary.count;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (uint32_t)i;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            size_t middle = first + width < count ? first + width : count;
            size_t last = middle + width < count ? middle + width : count;
            check_dictionary_merge(chunk, sorted, scratch, first, middle, last);
        }
        uint32_t *swap = sorted;
        sorted = scratch;
        scratch = swap;
    }
    for (size_t i = 0; i < count; i++)
        chunk->ranks[sorted[i]] = (uint32_t)i;
}

bool lam_check_takes_ranks(const lam_chunk_check *chunk) {
    bool is_bytes = chunk->layout.type == LAM_PHYSICAL_BYTE_ARRAY ||
                    chunk->layout.type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    return is_bytes && !lam_value_order_signed(chunk->leaf).has_nans && chunk->dictionary.count > 0;
}

static lam_status prepare_ranks(lam_chunk_check *chunk) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    size_t count = chunk->dictionary.count;
    void *memory;
    if (chunk->ranks != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_alloc_array(allocator, count, sizeof(uint32_t), &memory, chunk->checker->error));
    chunk->ranks = memory;
    LAM_TRY(lam_alloc_array(allocator, count, sizeof(bool), &memory, chunk->checker->error));
    chunk->entries_seen = memory;
    LAM_TRY(
        lam_alloc_array(allocator, count, 2 * sizeof(uint32_t), &memory, chunk->checker->error));
    uint32_t *scratch = memory;
    rank_entries(chunk, scratch, scratch + count);
    lam_free(allocator, memory, count * 2 * sizeof(uint32_t));
    return LAM_STATUS_OK;
}

void lam_check_free_dictionary(lam_chunk_check *chunk) {
    const lam_allocator *allocator = &chunk->checker->allocator;
    lam_free(allocator, chunk->dictionary_values, chunk->dictionary_size);
    lam_free(allocator, chunk->ranks, chunk->dictionary.count * sizeof(uint32_t));
    lam_free(allocator, chunk->entries_seen, chunk->dictionary.count * sizeof(bool));
    lam_buffer_finish(&chunk->dictionary_bytes);
}

/* --- Pages of indexes ----------------------------------------------------------------------- */

typedef struct index_reader {
    lam_chunk_check *chunk;
    lam_check_location location;
    lam_decoder indexes;
    uint32_t lowest; /* entries, by rank; UINT32_MAX before the first */
    uint32_t highest;
    bool good;
} index_reader;

/* Adds `count` values of one entry. */
static lam_status add_entry(index_reader *reader, uint32_t index, uint64_t count) {
    lam_chunk_check *chunk = reader->chunk;
    if (index >= chunk->dictionary.count) {
        reader->good = false;
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_INDEX, reader->location,
                                "dictionary index %" PRIu32 " where the dictionary has %zu values",
                                index, chunk->dictionary.count);
    }
    if (chunk->order.is_varied)
        chunk->page.byte_count += count * check_dictionary_entry_at(chunk, index).size;
    const uint32_t *ranks = chunk->ranks;
    if (reader->lowest == UINT32_MAX || ranks[index] < ranks[reader->lowest])
        reader->lowest = index;
    if (reader->highest == UINT32_MAX || ranks[index] > ranks[reader->highest])
        reader->highest = index;
    if (chunk->entries_seen[index])
        return LAM_STATUS_OK;
    chunk->entries_seen[index] = true;
    const uint8_t *entry =
        (const uint8_t *)chunk->dictionary.values + index * lam_layout_size(chunk->layout);
    return lam_check_single_values(chunk, entry, 1, reader->location);
}

/* Reads the next indexes, at most `left`; gives how many. */
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
        return *ret_outcome == LAM_STATUS_OK ? add_entry(reader, index, length) : LAM_STATUS_OK;
    }
    *ret_count = length < 256 ? length : 256;
    *ret_outcome = lam_rle_read_indexes(&reader->indexes.runs, *ret_count, indexes, failure);
    for (size_t i = 0; i < *ret_count && *ret_outcome == LAM_STATUS_OK && reader->good; i++)
        LAM_TRY(add_entry(reader, indexes[i], 1));
    return LAM_STATUS_OK;
}

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
        lam_decoder_init(&reader.indexes, page->encoding, chunk->layout, page->values,
                         &chunk->dictionary, &chunk->values_arena, &failure);
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
    chunk->page.value_count += count;
    return lam_value_summary_widen(&chunk->page, check_dictionary_entry_at(chunk, reader.lowest),
                                   check_dictionary_entry_at(chunk, reader.highest), false,
                                   chunk->checker->error);
}
