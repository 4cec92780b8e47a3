/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the decoder of each encoding, and holds the decoders that are thin layers over others: RLE
 * booleans and dictionary indexes over hybrid runs, DELTA_BINARY_PACKED. Takes the value bytes of a
 * page, and gives its values as elements of lam_triples.values, in order, any number at a time.
 * Every byte is from a file: lengths are always checked against the bytes left before they are
 * used, and indexes against the dictionary before they are looked up. No encoding but ALP and
 * DELTA_BYTE_ARRAY allocates. (Encodings.md, "Dictionary Encoding", "Run Length Encoding /
 * Bit-Packing Hybrid")
 */
#include "encoding/decoder.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "encoding/alp.h"
#include "encoding/byte_stream_split.h"
#include "encoding/delta_byte_array.h"
#include "encoding/delta_length_byte_array.h"
#include "encoding/encoding.h"
#include "encoding/plain.h"
#include "kernel/kernel.h"

enum {
    INDEX_BLOCK = 512,     /* indexes that are checked and looked up together, on the stack */
    DECODER_LONG_RUN = 64, /* equal indexes that are worth a look-up of their own */
    DECODER_LENGTH_SIZE = 4
};

/* --- RLE booleans -------------------------------------------------------------------------- */

/* Booleans are levels of one bit: a byte each, 0 or 1. */
static lam_status read_rle_booleans(lam_decoder *decoder, size_t count, void *values,
                                    lam_error *error) {
    return lam_rle_read_levels(&decoder->runs, count, values, error);
}

static lam_status skip_runs(lam_decoder *decoder, size_t count, lam_error *error) {
    return lam_rle_skip(&decoder->runs, count, error);
}

/*
 * Reports bytes after the run of the last value. The run itself may continue, as packed runs are
 * padded to eight values: these are no surplus.
 */
static lam_status read_runs_end(const lam_decoder *decoder, lam_error *error) {
    size_t rest = (size_t)(decoder->runs.end - decoder->runs.next);
    if (decoder->end != NULL) /* booleans: the bytes after the stated length */
        rest += (size_t)(decoder->end - decoder->next);
    if (rest > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu bytes after the last run", rest);
    return LAM_STATUS_OK;
}

/*
 * Opens RLE booleans. Encodings.md, section "Run Length Encoding / Bit-Packing Hybrid": the runs
 * are preceded by their length, 4 bytes little endian. A page without values may have no bytes at
 * all.
 *
 *     02 00 00 00   0C 01      six times true: length 2, run 6 << 1, value 1
 */
static lam_status init_rle_booleans(lam_decoder *decoder, lam_bytes bytes, lam_error *error) {
    lam_bytes runs = {NULL, 0};
    if (bytes.size > 0) {
        if (bytes.size < DECODER_LENGTH_SIZE)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "RLE booleans without their length");
        runs.data = bytes.data + DECODER_LENGTH_SIZE;
        runs.size = lam_load_le32(bytes.data);
        if (runs.size > bytes.size - DECODER_LENGTH_SIZE)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                     "RLE booleans of %zu bytes where %zu are left", runs.size,
                     bytes.size - DECODER_LENGTH_SIZE);
        decoder->next = runs.data + runs.size;
        decoder->end = bytes.data + bytes.size;
    }
    decoder->read = read_rle_booleans;
    decoder->skip = skip_runs;
    decoder->read_end = read_runs_end;
    return lam_rle_decoder_init(&decoder->runs, decoder->kernels, runs, 1, error);
}

/* --- Dictionary indexes -------------------------------------------------------------------- */

/* Fails for an index that is not in the dictionary. */
static lam_status decoder_fail_index(const lam_decoder *decoder, uint32_t index, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_INDEX,
             "dictionary index %u where the dictionary has %zu values", index,
             decoder->dictionary->count);
}

/*
 * Fails when values are requested without a dictionary. A page of nulls only may lack one, so this
 * is checked when values are read, not when the page is opened.
 */
static lam_status decoder_check_dictionary(const lam_decoder *decoder, size_t count,
                                           lam_error *error) {
    if (count > 0 && decoder->dictionary == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_MISSING,
                 "%s values without a dictionary page before them",
                 lam_encoding_name(decoder->encoding));
    return LAM_STATUS_OK;
}

/* What indexes mean: elements of the dictionary, or what the caller made of each. */
typedef struct index_meaning {
    const uint8_t *entries;
    size_t size; /* bytes of one */
} index_meaning;

/*
 * Writes the entry of one index `count` times. A FIXED_LEN_BYTE_ARRAY of length 0 has no bytes to
 * write.
 */
static lam_status take_run(const lam_decoder *decoder, const index_meaning *meaning, uint32_t index,
                           size_t count, uint8_t *elements, lam_error *error) {
    if (index >= decoder->dictionary->count)
        return decoder_fail_index(decoder, index, error);
    if (meaning->size > 0)
        decoder->kernels->fill(meaning->entries + index * meaning->size, meaning->size, count,
                               elements);
    return LAM_STATUS_OK;
}

/*
 * Reads up to INDEX_BLOCK indexes, whatever runs they are in, and looks them up. Their maximum is
 * checked, once for all: then no index can be outside.
 */
static lam_status decoder_take_block(lam_decoder *decoder, const index_meaning *meaning,
                                     size_t count, uint8_t *elements, lam_error *error) {
    const lam_kernels *kernels = decoder->kernels;
    uint32_t indexes[INDEX_BLOCK];
    LAM_TRY(lam_rle_read_indexes(&decoder->runs, count, indexes, error));
    uint32_t max = kernels->max_u32(indexes, count);
    if (max >= decoder->dictionary->count)
        return decoder_fail_index(decoder, max, error);
    kernels->gather(meaning->entries, meaning->size, indexes, count, elements);
    return LAM_STATUS_OK;
}

/*
 * Reads what indexes mean: long repeated runs by filling, all others by blocks, which may hold
 * several runs. Indexes are not stored for a long run.
 */
static lam_status take_entries(lam_decoder *decoder, const index_meaning *meaning, size_t count,
                               uint8_t *elements, lam_error *error) {
    while (count > 0) {
        size_t some;
        uint32_t index;
        bool packed;
        LAM_TRY(lam_rle_peek_run(&decoder->runs, count, &some, &index, &packed, error));
        if (packed || some < DECODER_LONG_RUN) { /* and the runs after it, which may be as short */
            some = count < INDEX_BLOCK ? count : INDEX_BLOCK;
            LAM_TRY(decoder_take_block(decoder, meaning, some, elements, error));
        } else {
            LAM_TRY(take_run(decoder, meaning, index, some, elements, error));
            lam_rle_pass(&decoder->runs, some);
        }
        elements += some * meaning->size;
        count -= some;
    }
    return LAM_STATUS_OK;
}

static lam_status decoder_read_dictionary(lam_decoder *decoder, size_t count, void *values,
                                          lam_error *error) {
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    if (count == 0)
        return LAM_STATUS_OK;
    index_meaning meaning = {decoder->dictionary->values, lam_layout_size(decoder->layout)};
    return take_entries(decoder, &meaning, count, values, error);
}

lam_status lam_decoder_read_slots(lam_decoder *decoder, const void *entries, size_t size,
                                  size_t count, void *slots, lam_error *error) {
    /* Fails for a wrong call, never for a wrong file, as below. */
    assert(decoder->read == decoder_read_dictionary);
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    index_meaning meaning = {entries, size};
    return take_entries(decoder, &meaning, count, slots, error);
}

/* Skipped indexes are not checked; a wrong one among them changes no value that is read. */
static lam_status skip_dictionary(lam_decoder *decoder, size_t count, lam_error *error) {
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    return skip_runs(decoder, count, error);
}

lam_status lam_decoder_read_indexes(lam_decoder *decoder, size_t count, uint32_t *indexes,
                                    lam_error *error) {
    /* Fails for a wrong call, never for a wrong file: callers check the encoding first. */
    assert(decoder->read == decoder_read_dictionary);
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    while (count > 0) {
        size_t some = count < INDEX_BLOCK ? count : INDEX_BLOCK;
        LAM_TRY(lam_rle_read_indexes(&decoder->runs, some, indexes, error));
        uint32_t max = decoder->kernels->max_u32(indexes, some);
        if (max >= decoder->dictionary->count)
            return decoder_fail_index(decoder, max, error);
        indexes += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

/* The state of a pick of indexes: the next of the picks, and the position of the next value. */
typedef struct pick_progress {
    size_t at;
    size_t first;
    size_t end; /* position after the last value */
} pick_progress;

/* Fetches a block of indexes one by one, and moves to the next that is picked. */
static lam_status decoder_fetch_block(lam_decoder *decoder, const lam_value_picks *picks,
                                      pick_progress *progress, uint32_t *indexes, size_t *ret_count,
                                      lam_error *error) {
    const uint16_t *positions = picks->positions + progress->at;
    size_t left = picks->count - progress->at, some = left < INDEX_BLOCK ? left : INDEX_BLOCK;
    size_t end = some < left ? positions[some] : progress->end;
    LAM_TRY(lam_rle_pick_indexes(&decoder->runs, positions, some, progress->first,
                                 end - progress->first, indexes, error));
    uint32_t max = decoder->kernels->max_u32(indexes, some);
    if (some > 0 && max >= decoder->dictionary->count)
        return decoder_fail_index(decoder, max, error);
    progress->at += some;
    progress->first = end;
    *ret_count = some;
    return LAM_STATUS_OK;
}

/* Reads a block of indexes, and takes the picked ones: `*ret_count` of them, perhaps none. */
static lam_status decoder_choose_block(lam_decoder *decoder, const lam_value_picks *picks,
                                       pick_progress *progress, uint32_t *indexes,
                                       size_t *ret_count, lam_error *error) {
    const uint16_t *positions = picks->positions + progress->at;
    size_t left = progress->end - progress->first, most = picks->count - progress->at, count = 0;
    uint32_t block[INDEX_BLOCK];
    left = left < INDEX_BLOCK ? left : INDEX_BLOCK;
    LAM_TRY(lam_decoder_read_indexes(decoder, left, block, error));
    for (; count < most && positions[count] - progress->first < left; count++)
        indexes[count] = block[positions[count] - progress->first];
    progress->at += count;
    progress->first += left;
    *ret_count = count;
    return LAM_STATUS_OK;
}

static lam_status decoder_pick_block(lam_decoder *decoder, const lam_value_picks *picks, bool few,
                                     pick_progress *progress, uint32_t *indexes, size_t *ret_count,
                                     lam_error *error) {
    return few ? decoder_fetch_block(decoder, picks, progress, indexes, ret_count, error)
               : decoder_choose_block(decoder, picks, progress, indexes, ret_count, error);
}

lam_status lam_decoder_pick_indexes(lam_decoder *decoder, size_t count,
                                    const lam_value_picks *picks, uint32_t *indexes,
                                    lam_error *error) {
    pick_progress progress = {0, picks->first, picks->first + count};
    bool few = lam_picks_are_few(picks->count, count);
    assert(decoder->read == decoder_read_dictionary);
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    for (size_t some; progress.first < progress.end; indexes += some)
        LAM_TRY(decoder_pick_block(decoder, picks, few, &progress, indexes, &some, error));
    return LAM_STATUS_OK;
}

lam_status lam_decoder_pick_slots(lam_decoder *decoder, const void *entries, size_t size,
                                  size_t count, const lam_value_picks *picks, void *slots,
                                  lam_error *error) {
    pick_progress progress = {0, picks->first, picks->first + count};
    bool few = lam_picks_are_few(picks->count, count);
    uint32_t indexes[INDEX_BLOCK];
    uint8_t *next = slots;
    assert(decoder->read == decoder_read_dictionary);
    LAM_TRY(decoder_check_dictionary(decoder, count, error));
    for (size_t some; progress.first < progress.end; next += some * size) {
        LAM_TRY(decoder_pick_block(decoder, picks, few, &progress, indexes, &some, error));
        decoder->kernels->gather(entries, size, indexes, some, next);
    }
    return LAM_STATUS_OK;
}

/*
 * Opens a page of dictionary indexes. Encodings.md, section "Dictionary Encoding": one byte of bit
 * width, then the runs up to the end of the page. A page without values may have no bytes at all.
 *
 *     01  03 02      width 1, one packed group: the indexes 0 1 0 0 0 0 0 0
 */
static lam_status init_dictionary(lam_decoder *decoder, lam_bytes bytes,
                                  const lam_dictionary *dictionary, lam_error *error) {
    lam_bytes runs = {NULL, 0};
    unsigned bit_width = 0;
    if (bytes.size > 0) {
        bit_width = bytes.data[0];
        runs.data = bytes.data + 1;
        runs.size = bytes.size - 1;
    }
    decoder->read = decoder_read_dictionary;
    decoder->skip = skip_dictionary;
    decoder->read_end = read_runs_end;
    decoder->dictionary = dictionary;
    return lam_rle_decoder_init(&decoder->runs, decoder->kernels, runs, bit_width, error);
}

/* --- DELTA_BINARY_PACKED ------------------------------------------------------------------- */

static lam_status read_deltas(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    return lam_delta_read(&decoder->deltas, count, values, error);
}

/* Reports values that have not been read, then bytes after the stream. */
static lam_status read_deltas_end(const lam_decoder *decoder, lam_error *error) {
    const lam_delta_decoder *deltas = &decoder->deltas;
    if (deltas->left > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "%" PRIu32 " delta encoded values after the last one", deltas->left);
    if (deltas->next < deltas->end)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu bytes after the delta encoded values",
                 (size_t)(deltas->end - deltas->next));
    return LAM_STATUS_OK;
}

static lam_status init_deltas(lam_decoder *decoder, lam_bytes bytes, lam_error *error) {
    decoder->read = read_deltas;
    decoder->read_end = read_deltas_end;
    unsigned bits = decoder->layout.type == LAM_PHYSICAL_INT32 ? 32 : 64;
    return lam_delta_decoder_init(&decoder->deltas, decoder->kernels, bits, bytes, error);
}

/* ------------------------------------------------------------------------------------------- */

/*
 * Opens PLAIN values. decoder->next is never NULL, so that pointers into an empty page can be
 * compared and subtracted.
 */
static void init_plain(lam_decoder *decoder, lam_bytes bytes) {
    static const uint8_t nothing[1];
    decoder->next = bytes.size > 0 ? bytes.data : nothing;
    decoder->end = decoder->next + bytes.size;
    decoder->read_end = lam_plain_read_end;
    if (decoder->layout.type == LAM_PHYSICAL_BOOLEAN) {
        decoder->read = lam_plain_read_booleans;
        decoder->skip = lam_plain_skip_booleans;
    } else if (decoder->layout.type == LAM_PHYSICAL_BYTE_ARRAY) {
        decoder->read = lam_plain_read_byte_arrays;
        decoder->skip = lam_plain_skip_byte_arrays;
    } else {
        decoder->read = lam_plain_read_fixed;
        decoder->skip = lam_plain_skip_fixed;
    }
}

lam_status lam_decoder_init(lam_decoder *decoder, const lam_kernels *kernels, lam_encoding encoding,
                            lam_value_layout layout, lam_bytes bytes,
                            const lam_dictionary *dictionary, lam_arena *arena, lam_error *error) {
    /*
     * Built apart and copied at the end, so that a failure leaves *decoder untouched. Encodings
     * without a name fall through to UNSUPPORTED: one that is newer than this library is not
     * corrupt.
     */
    lam_decoder fresh = {
        .kernels = kernels, .layout = layout, .encoding = encoding, .arena = arena};
    if (lam_encoding_name(encoding)[0] != 'U' && !lam_encoding_takes(encoding, layout.type))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_ENCODING, "%s values cannot be in the encoding %s",
                 lam_encoding_type_name(layout.type), lam_encoding_name(encoding));
    switch (encoding) {
    case LAM_ENCODING_PLAIN:
        init_plain(&fresh, bytes);
        break;
    case LAM_ENCODING_RLE:
        LAM_TRY(init_rle_booleans(&fresh, bytes, error));
        break;
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        LAM_TRY(init_dictionary(&fresh, bytes, dictionary, error));
        break;
    case LAM_ENCODING_DELTA_BINARY_PACKED:
        LAM_TRY(init_deltas(&fresh, bytes, error));
        break;
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        LAM_TRY(lam_delta_length_open(&fresh, bytes, error));
        break;
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        LAM_TRY(lam_delta_strings_open(&fresh, bytes, error));
        break;
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        lam_byte_streams_open(&fresh, bytes);
        break;
    case LAM_ENCODING_ALP:
        LAM_TRY(lam_alp_open(&fresh, bytes, error));
        break;
    default:
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ENCODING,
                 "reading the encoding %s (%d) is not supported", lam_encoding_name(encoding),
                 (int)encoding);
    }
    *decoder = fresh;
    return LAM_STATUS_OK;
}

lam_status lam_decoder_go_on(lam_decoder *decoder, uint32_t most, lam_bytes before,
                             bool *ret_goes_on, lam_error *error) {
    const lam_delta_decoder *lengths = &decoder->deltas;
    uint64_t sum;
    *ret_goes_on = false;
    if (decoder->encoding == LAM_ENCODING_DELTA_BYTE_ARRAY)
        LAM_TRY(lam_delta_strings_go_on(decoder, before, &lengths, ret_goes_on, error));
    else if (decoder->encoding != LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY)
        return LAM_STATUS_OK;
    if (lengths->left > most)
        return LAM_STATUS_OK;
    LAM_TRY(lam_delta_sum(lengths, &sum, error));
    if (sum < (uint64_t)(decoder->end - decoder->next)) {
        decoder->next = decoder->end - sum;
        *ret_goes_on = true;
    }
    return LAM_STATUS_OK;
}

/* A value without bytes of its own, and one that was not read, may be a part of `before`. */
lam_status lam_decoder_keep_last(const lam_decoder *decoder, lam_buffer *before, lam_error *error) {
    lam_bytes last = lam_delta_strings_last(decoder);
    if (last.data == before->data) {
        before->size = last.size;
        return LAM_STATUS_OK;
    }
    lam_buffer_clear(before);
    return lam_buffer_append(before, last.data, last.size, error);
}

bool lam_decoder_can_pick(lam_encoding encoding, lam_physical_type type, bool few) {
    switch (encoding) {
    case LAM_ENCODING_PLAIN:
        return few || type != LAM_PHYSICAL_BOOLEAN;
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        return true;
    case LAM_ENCODING_RLE:
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        return few;
    default:
        return false;
    }
}

/* Runs of positions that follow each other are read at once, and so are those between them. */
static lam_status decoder_pick_runs(lam_decoder *decoder, size_t count,
                                    const lam_value_picks *picks, uint8_t *values,
                                    lam_error *error) {
    size_t size = lam_layout_size(decoder->layout), first = picks->first;
    size_t end = first + count;
    for (size_t at = 0, some; at < picks->count; at += some) {
        size_t position = picks->positions[at];
        for (some = 1; at + some < picks->count && picks->positions[at + some] == position + some;)
            some++;
        if (position > first)
            LAM_TRY(decoder->skip(decoder, position - first, error));
        LAM_TRY(decoder->read(decoder, some, values + at * size, error));
        first = position + some;
    }
    return first < end ? decoder->skip(decoder, end - first, error) : LAM_STATUS_OK;
}

lam_status lam_decoder_pick(lam_decoder *decoder, size_t count, const lam_value_picks *picks,
                            void *values, lam_error *error) {
    assert(lam_decoder_can_pick(decoder->encoding, decoder->layout.type, true));
    if (decoder->read == decoder_read_dictionary)
        return decoder->dictionary == NULL
                   ? decoder_check_dictionary(decoder, count, error)
                   : lam_decoder_pick_slots(decoder, decoder->dictionary->values,
                                            lam_layout_size(decoder->layout), count, picks, values,
                                            error);
    if (decoder->read == lam_plain_read_fixed)
        return lam_plain_pick_fixed(decoder, count, picks, values, error);
    if (decoder->read == lam_plain_read_byte_arrays)
        return lam_plain_pick_byte_arrays(decoder, count, picks, values, error);
    return decoder_pick_runs(decoder, count, picks, values, error);
}

/*
 * Reads into the caller's room, again and again, if an encoding has no way to skip: delta values
 * depend on all those before them. `room_count` is at least 1.
 */
lam_status lam_decoder_skip(lam_decoder *decoder, size_t count, void *room, size_t room_count,
                            lam_error *error) {
    if (decoder->skip != NULL)
        return decoder->skip(decoder, count, error);
    for (size_t some; count > 0; count -= some) {
        some = count < room_count ? count : room_count;
        LAM_TRY(decoder->read(decoder, some, room, error));
    }
    return LAM_STATUS_OK;
}
