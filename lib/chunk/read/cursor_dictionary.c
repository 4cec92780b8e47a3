/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the entries of a cursor's dictionary, from the first page of the chunk.
 *
 * The invariant: a cursor has at most one dictionary, which is read before the first data page is
 * opened, and its number of entries is bounded by the bytes that it has before it sizes anything.
 * (README.md of the format, "Column chunks"; Encodings.md, "Dictionary Encoding")
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/read/cursor_state.h"

/*
 * How many triples are lent at once. A run gives a long text of the dictionary as often as it likes
 * for two bytes, so that printing, hashing or copying a batch would take gigabytes before the stop
 * is checked; with this bound it is for LENT_TEXT bytes, or for one text.
 */
static size_t lent_most(const lam_column_cursor *cursor) {
    enum { LENT_TEXT = 1 << 20 };
    const lam_bytes *texts = cursor->dictionary_values;
    size_t largest = 1;
    if (cursor->page.layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return SIZE_MAX;
    for (size_t i = 0; i < cursor->dictionary.count; i++)
        largest = texts[i].size > largest ? texts[i].size : largest;
    return largest > LENT_TEXT ? 1 : LENT_TEXT / largest;
}

/*
 * Decodes the entries of the dictionary. Their number comes from the page header: an entry takes at
 * least 4 bytes (BYTE_ARRAY, its length) or its fixed length, which bounds the number before it
 * sizes anything. An empty string takes 4 bytes in the file and 16 here, hence the second bound.
 */
lam_status lam_cursor_decode_dictionary(lam_column_cursor *cursor, uint32_t count,
                                        lam_error *error) {
    lam_bytes bytes = lam_buffer_bytes(&cursor->dictionary_bytes);
    size_t element = lam_layout_size(cursor->page.layout);
    size_t least = cursor->page.layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 4 : element;
    if (count > bytes.size / least)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE,
                 "a dictionary of %" PRIu32 " values cannot have %zu bytes", count, bytes.size);
    if (count > cursor->chunk.memory_limit / element)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a dictionary of %" PRIu32 " values is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 count, cursor->chunk.memory_limit);
    LAM_TRY(lam_alloc(&cursor->allocator, count * element, &cursor->dictionary_values, error));
    cursor->dictionary_values_size = count * element;
    lam_decoder decoder;
    /* unreachable: values of any type and any bytes begin as PLAIN */
    LAM_TRY(lam_decoder_init(&decoder, cursor->chunk.kernels, LAM_ENCODING_PLAIN,
                             cursor->page.layout, bytes, NULL, &cursor->page.arena, error));
    LAM_TRY(lam_decoder_read(&decoder, count, cursor->dictionary_values, error));
    cursor->dictionary.values = cursor->dictionary_values;
    cursor->dictionary.count = count;
    cursor->lent_most = lent_most(cursor);
    /* Byte arrays are slices of these bytes, and a cache keeps them; all others are copies. */
    if (cursor->source == &cursor->file.source &&
        cursor->page.layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        lam_buffer_finish(&cursor->dictionary_bytes);
    cursor->has_dictionary = true;
    return LAM_STATUS_OK;
}

/*
 * Reads the dictionary page, which must be the first one: indexes before it would have no meaning,
 * and a second one would change the meaning of indexes that were read. Booleans never have one.
 */
lam_status lam_cursor_read_dictionary(lam_column_cursor *cursor, const lam_source_page *page,
                                      lam_error *error) {
    if (cursor->has_dictionary || cursor->page.is_open)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PLACE,
                 "a dictionary page that is not the chunk's first page");
    if (cursor->page.layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE, "a dictionary of booleans");
    uint32_t count;
    LAM_TRY(
        lam_page_source_dictionary(cursor->source, page, &cursor->dictionary_bytes, &count, error));
    return lam_cursor_decode_dictionary(cursor, count, error);
}

/* Steps back to the header of a page that is no dictionary. */
static lam_status load_dictionary(lam_column_cursor *cursor, lam_error *error) {
    lam_source_page page;
    LAM_TRY(lam_page_source_next(cursor->source, false, &page, error));
    if (page.header.type != LAM_PAGE_DICTIONARY) {
        cursor->file.walk.next = page.offset;
        return LAM_STATUS_OK;
    }
    lam_status status = lam_cursor_read_dictionary(cursor, &page, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_offset(error, page.offset);
    return status;
}

lam_status lam_cursor_load_dictionary(lam_column_cursor *cursor, lam_error *error) {
    if (cursor->has_dictionary || cursor->page.is_open || lam_page_walk_at_end(&cursor->file.walk))
        return LAM_STATUS_OK;
    return load_dictionary(cursor, error);
}
