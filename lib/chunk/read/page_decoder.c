/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the levels and values of one page: takes the runs of its levels and its encoded values,
 * as page_read.c has opened them, and gives batches.
 *
 * The invariant: triples and rows are counted when their levels are read; all values of a batch are
 * read or skipped before the next batch. Skipped values are only counted until a later value of the
 * page is wanted, so the values after the last wanted one are never decoded.
 */
#include "chunk/read/page_decoder.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "kernel/kernel.h"

enum { LEVEL_BLOCK = 256 }; /* levels searched at once for the start of a record */

/* --- Memory -------------------------------------------------------------------------------- */

lam_status lam_batch_room_init(lam_batch_room *room, size_t triples, size_t element,
                               const lam_allocator *allocator, lam_error *error) {
    void *memory;
    *room = (lam_batch_room){.allocator = *allocator, .triples = triples, .element = element};
    LAM_TRY(lam_alloc(&room->allocator, triples, &memory, error));
    room->repetition = memory;
    LAM_TRY(lam_alloc(&room->allocator, triples, &memory, error));
    room->definition = memory;
    return LAM_STATUS_OK;
}

void lam_batch_room_finish(lam_batch_room *room) {
    lam_free(&room->allocator, room->repetition, room->triples);
    lam_free(&room->allocator, room->definition, room->triples);
    lam_free(&room->allocator, room->values, room->triples * room->element);
}

lam_status lam_batch_room_need_values(lam_batch_room *room, lam_error *error) {
    if (room->values != NULL)
        return LAM_STATUS_OK;
    return lam_alloc(&room->allocator, room->triples * room->element, &room->values, error);
}

void lam_page_decoder_init(lam_page_decoder *decoder, const lam_kernels *kernels,
                           const lam_field *leaf, lam_batch_room *room, size_t arena_limit,
                           const lam_allocator *allocator) {
    *decoder = (lam_page_decoder){.kernels = kernels, .leaf = leaf, .room = room};
    decoder->layout.type = (lam_physical_type)leaf->physical_type;
    decoder->layout.type_length = leaf->type_length;
    lam_arena_init(&decoder->arena, allocator, arena_limit);
    lam_buffer_init(&decoder->before, allocator);
}

void lam_page_decoder_finish(lam_page_decoder *decoder) {
    lam_arena_finish(&decoder->arena);
    lam_buffer_finish(&decoder->before);
}

void lam_page_decoder_open(lam_page_decoder *decoder, const lam_page *page,
                           const lam_dictionary *dictionary) {
    decoder->page = *page;
    decoder->dictionary = dictionary;
    decoder->is_open = true;
    decoder->decodes = false;
    decoder->triples = 0;
    decoder->rows = 0;
    decoder->batch_values = 0;
    decoder->deferred_values = 0;
    lam_arena_reset(&decoder->arena);
}

/* --- Levels -------------------------------------------------------------------------------- */

/*
 * Checks levels against the leaf's maximum. A bit width of 2 allows a level 3 although the maximum
 * is 2, and levels index tables further on, so a damaged page must fail here.
 */
static lam_status check_levels(const lam_kernels *kernels, const uint8_t *levels, size_t count,
                               uint8_t max_level, const char *kind, lam_error *error) {
    uint8_t highest = kernels->max_u8(levels, count);
    if (highest > max_level)
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_RANGE, "%s level %u where the maximum is %u", kind,
                 (unsigned)highest, (unsigned)max_level);
    return LAM_STATUS_OK;
}

/*
 * Finds a run of the usual level (repetition 0, or the maximal definition) at the position of
 * `runs`: true if all of the next `*count` levels are of it, or at least `long_run` of them, to
 * which `*count` is then reduced. Such a run is skipped entirely and never becomes single levels:
 *
 *   definition runs 3 x 5000, maximum 3, *count 2048: true, *count stays
 *   definition runs 3 x 100, then others, long_run 64: true, *count becomes 100
 */
static lam_status find_run(lam_rle_decoder *runs, uint8_t max_level, uint8_t whole, size_t long_run,
                           size_t *count, bool *ret_is_run, lam_error *error) {
    if (max_level == 0) {
        *ret_is_run = true;
        return LAM_STATUS_OK;
    }
    size_t length;
    uint32_t value;
    bool packed;
    LAM_TRY(lam_rle_peek_run(runs, *count, &length, &value, &packed, error));
    *ret_is_run = !packed && value == whole && (length == *count || length >= long_run);
    if (*ret_is_run)
        *count = length;
    return LAM_STATUS_OK;
}

/* Reads `count` levels, or skips them if they are a run. */
static lam_status take_levels(lam_rle_decoder *runs, uint8_t max_level, bool is_run, size_t count,
                              const char *kind, uint8_t *levels, lam_error *error) {
    if (max_level == 0)
        return LAM_STATUS_OK;
    if (is_run)
        return lam_rle_skip(runs, count, error);
    LAM_TRY(lam_rle_read_levels(runs, count, levels, error));
    return check_levels(runs->kernels, levels, count, max_level, kind, error);
}

/*
 * Gives the index at which record `*rows` + 1 of the levels begins, or `count` if there are fewer;
 * counts `*rows` down by the records before it.
 *
 *   levels 0 1 1 0 1 0, *rows 2: gives 5, *rows becomes 0
 *   levels 1 1 0,       *rows 0: gives 2, the rest of the open record
 *
 * Blocks are counted by a kernel; only the block in which the record begins is searched.
 */
static size_t find_record(const lam_kernels *kernels, const uint8_t *repetition, size_t count,
                          uint64_t *rows) {
    uint64_t left = *rows;
    size_t at = 0;
    while (at < count) {
        size_t some = count - at < LEVEL_BLOCK ? count - at : LEVEL_BLOCK;
        size_t begin = kernels->count_u8(repetition + at, some, 0);
        if (begin > left)
            break;
        left -= begin;
        at += some;
    }
    for (; at < count; at++) {
        if (repetition[at] != 0)
            continue;
        if (left == 0)
            break;
        left--;
    }
    *rows = left;
    return at;
}

/*
 * Reads the repetition levels of a batch and ends it before one record too many. The end is known
 * only after decoding, so the runs are set back to the beginning of the batch and skipped to its
 * end.
 */
static lam_status take_repetition(lam_page_decoder *decoder, const lam_batch_bounds *bounds,
                                  size_t *count, uint8_t *levels, lam_batch *batch,
                                  lam_error *error) {
    lam_rle_decoder *runs = &decoder->page.repetition;
    uint8_t max_level = decoder->leaf->max_repetition;
    bool all_records;
    LAM_TRY(find_run(runs, max_level, 0, bounds->long_run, count, &all_records, error));
    if (all_records && *count > bounds->rows)
        *count = (size_t)bounds->rows;
    lam_rle_decoder start = *runs;
    LAM_TRY(take_levels(runs, max_level, all_records, *count, "repetition", levels, error));
    batch->row_count = *count;
    if (!all_records) {
        uint64_t left = bounds->rows;
        size_t end = find_record(runs->kernels, levels, *count, &left);
        if (end < *count) {
            *runs = start;
            /* unreachable: the same runs were read */
            LAM_TRY(lam_rle_skip(runs, end, error));
            *count = end;
        }
        batch->row_count = bounds->rows - left;
    }
    batch->has_repetition = !all_records;
    return LAM_STATUS_OK;
}

/*
 * Definition runs may shorten the batch first, then repetition levels: what was "all defined" stays
 * so for fewer triples.
 */
lam_status lam_page_decoder_read_levels(lam_page_decoder *decoder, const lam_batch_bounds *bounds,
                                        uint8_t *repetition, uint8_t *definition,
                                        lam_batch *ret_batch, lam_error *error) {
    uint8_t max_d = decoder->leaf->max_definition;
    lam_page *page = &decoder->page;
    lam_batch batch = {0};
    bool all_defined;
    size_t count = page->value_count - decoder->triples;
    assert(decoder->batch_values == 0);
    count = count < bounds->triples ? count : bounds->triples;
    LAM_TRY(
        find_run(&page->definition, max_d, max_d, bounds->long_run, &count, &all_defined, error));
    LAM_TRY(take_repetition(decoder, bounds, &count, repetition, &batch, error));
    LAM_TRY(
        take_levels(&page->definition, max_d, all_defined, count, "definition", definition, error));
    batch.count = count;
    batch.has_definition = !all_defined;
    batch.value_count = all_defined ? count : decoder->kernels->count_u8(definition, count, max_d);
    batch.is_dictionary = page->encoding == LAM_ENCODING_PLAIN_DICTIONARY ||
                          page->encoding == LAM_ENCODING_RLE_DICTIONARY;
    decoder->triples += (uint32_t)count;
    decoder->rows += (uint32_t)batch.row_count;
    decoder->batch_values = batch.value_count;
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

/* --- Values -------------------------------------------------------------------------------- */

/* Starts the decoder at the first value of the page, and moves past those that were skipped. */
static lam_status start_values(lam_page_decoder *decoder, lam_error *error) {
    if (!decoder->decodes) {
        LAM_TRY(lam_decoder_init(&decoder->decoder, decoder->kernels, decoder->page.encoding,
                                 decoder->layout, decoder->page.values, decoder->dictionary,
                                 &decoder->arena, error));
        bool goes_on;
        if (decoder->has_sequels)
            LAM_TRY(lam_decoder_go_on(&decoder->decoder, decoder->page.value_count,
                                      lam_buffer_bytes(&decoder->before), &goes_on, error));
        decoder->decodes = true;
    }
    if (decoder->deferred_values == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_batch_room_need_values(decoder->room, error));
    LAM_TRY(lam_decoder_skip(&decoder->decoder, decoder->deferred_values, decoder->room->values,
                             decoder->room->triples, error));
    decoder->deferred_values = 0;
    return LAM_STATUS_OK;
}

lam_status lam_page_decoder_keep_last(lam_page_decoder *decoder, lam_error *error) {
    if (!decoder->has_sequels || !decoder->is_open || decoder->page.values.size == 0 ||
        decoder->page.encoding != LAM_ENCODING_DELTA_BYTE_ARRAY)
        return LAM_STATUS_OK;
    LAM_TRY(start_values(decoder, error));
    return lam_decoder_keep_last(&decoder->decoder, &decoder->before, error);
}

static lam_status page_decoder_pick(lam_decoder *decoder, size_t count, const lam_value_target *to,
                                    lam_error *error) {
    if (to->indexes != NULL)
        return lam_decoder_pick_indexes(decoder, count, to->picks, to->indexes, error);
    if (to->entries != NULL)
        return lam_decoder_pick_slots(decoder, to->entries, to->entry_size, count, to->picks,
                                      to->values, error);
    return lam_decoder_pick(decoder, count, to->picks, to->values, error);
}

lam_status lam_page_decoder_read(lam_page_decoder *decoder, size_t count,
                                 const lam_value_target *to, lam_error *error) {
    assert(count <= decoder->batch_values);
    LAM_TRY(start_values(decoder, error));
    if (to->picks != NULL)
        LAM_TRY(page_decoder_pick(&decoder->decoder, count, to, error));
    else if (to->indexes != NULL)
        LAM_TRY(lam_decoder_read_indexes(&decoder->decoder, count, to->indexes, error));
    else if (to->entries != NULL)
        LAM_TRY(lam_decoder_read_slots(&decoder->decoder, to->entries, to->entry_size, count,
                                       to->values, error));
    else
        LAM_TRY(lam_decoder_read(&decoder->decoder, count, to->values, error));
    decoder->batch_values -= count;
    return LAM_STATUS_OK;
}

void lam_page_decoder_skip(lam_page_decoder *decoder, size_t count) {
    assert(count <= decoder->batch_values);
    decoder->deferred_values += count;
    decoder->batch_values -= count;
}

lam_status lam_page_decoder_find_rest(lam_page_decoder *decoder, bool *ret_has_rest,
                                      lam_error *error) {
    lam_error failure = lam_error_none();
    *ret_has_rest = false;
    if (!decoder->decodes && decoder->page.values.size > 0) {
        lam_status status = start_values(decoder, &failure);
        if (status == LAM_STATUS_NOMEM && error != NULL)
            *error = failure;
        if (status != LAM_STATUS_OK)
            return status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK;
    }
    *ret_has_rest =
        decoder->decodes && lam_decoder_find_rest(&decoder->decoder, NULL) != LAM_STATUS_OK;
    return LAM_STATUS_OK;
}

lam_status lam_page_decoder_end(const lam_page_decoder *decoder, lam_error *error) {
    return decoder->decodes && decoder->deferred_values == 0
               ? lam_decoder_end(&decoder->decoder, error)
               : LAM_STATUS_OK;
}

/*
 * Byte arrays of these encodings are slices of the page or of the dictionary page, or the decoder
 * builds them in its arena, and says where the adjacent ones end.
 */
const uint8_t *lam_page_decoder_text_end(const lam_page_decoder *decoder,
                                         lam_bytes dictionary_bytes) {
    switch (decoder->page.encoding) {
    case LAM_ENCODING_PLAIN:
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return decoder->decoder.end;
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        return dictionary_bytes.size == 0 ? NULL : dictionary_bytes.data + dictionary_bytes.size;
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        return decoder->decoder.built_end;
    default:
        return NULL;
    }
}
