/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the values of one data page, whatever their encoding, as elements of lam_triples.values:
 * an interface of three functions that each encoding implements.
 */
#ifndef LAM_ENCODING_DECODER_H
#define LAM_ENCODING_DECODER_H

#include <lamella/common.h>
#include <lamella/format.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/rle.h"
#include "encoding/value_layout.h"

/*
 * Reads the values of one page from the first to the last. Allocates only from `arena`, and needs
 * no finish.
 */
typedef struct lam_decoder {
    lam_status (*read)(struct lam_decoder *decoder, size_t count, void *values, lam_error *error);
    /* Skips values; NULL if that is not cheaper than reading them. */
    lam_status (*skip)(struct lam_decoder *decoder, size_t count, lam_error *error);
    /* Reports trailing bytes and values; NULL if the encoding cannot detect them. */
    lam_status (*read_end)(const struct lam_decoder *decoder, lam_error *error);
    const lam_kernels *kernels;
    lam_value_layout layout;
    lam_encoding encoding;
    const uint8_t *next; /* bytes not read yet */
    const uint8_t *end;
    union {
        unsigned bit;             /* PLAIN booleans: bits of *next already read */
        lam_rle_decoder runs;     /* RLE, RLE_DICTIONARY */
        lam_delta_decoder deltas; /* DELTA_BINARY_PACKED; DELTA_LENGTH_BYTE_ARRAY: the lengths */
        struct {
            size_t count; /* BYTE_STREAM_SPLIT: values of the page */
            size_t left;
            size_t rest; /* surplus bytes, fewer than a value has */
        } streams;
        void *state; /* of DELTA_BYTE_ARRAY and of ALP, in the arena */
    };
    const uint8_t *built_end; /* DELTA_BYTE_ARRAY: end of the memory that has the byte arrays of the
                                 last read side by side; NULL if they are not */
    const lam_dictionary *dictionary; /* RLE_DICTIONARY, PLAIN_DICTIONARY */
    lam_arena *arena;                 /* holds state, and values that must be built */
} lam_decoder;

/*
 * Starts on the value bytes of a page, borrowed until the last value is used (byte arrays are views
 * into them). `dictionary` may be NULL when the chunk has none: reading then fails. `arena` is
 * borrowed as long; only DELTA_BYTE_ARRAY and ALP take memory from it. CORRUPT when the bytes
 * cannot be of that encoding, or the encoding does not take the type; UNSUPPORTED for an encoding
 * that this version does not read. On failure *decoder is untouched.
 */
lam_status lam_decoder_init(lam_decoder *decoder, const lam_kernels *kernels, lam_encoding encoding,
                            lam_value_layout layout, lam_bytes bytes,
                            const lam_dictionary *dictionary, lam_arena *arena, lam_error *error);

/*
 * For a page that continues from the page before, as some writers left them: the prefix of its
 * first value is of `before`, the last value of the page before, which is borrowed as long as the
 * bytes are. Its own values are in its last bytes, after those of earlier pages. The page has at
 * most `most` values, none of which is read yet. `*ret_goes_on` is true if the page shows either;
 * it cannot in other encodings than DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. CORRUPT when
 * lengths cannot be. (known_faults.h, LAM_FAULT_SEQUEL_PAGES)
 */
lam_status lam_decoder_go_on(lam_decoder *decoder, uint32_t most, lam_bytes before,
                             bool *ret_goes_on, lam_error *error);
/*
 * Puts the value that was read last into `before`, the value from which the page continued: the
 * next page continues from it. Only for DELTA_BYTE_ARRAY. NOMEM.
 */
lam_status lam_decoder_keep_last(const lam_decoder *decoder, lam_buffer *before, lam_error *error);

/*
 * Reads exactly `count` values into `values`, aligned for elements of that type. Byte arrays that
 * are built (DELTA_BYTE_ARRAY) live until the next read. CORRUPT when fewer are left, their bytes
 * are impossible or the dictionary is missing; NOMEM, or LIMIT when the arena's budget is spent.
 * After a failure some of `values` may be written, and the decoder can only be dropped.
 */
static inline lam_status lam_decoder_read(lam_decoder *decoder, size_t count, void *values,
                                          lam_error *error) {
    return decoder->read(decoder, count, values, error);
}

/*
 * Reads the indexes of a dictionary encoding instead of the values: all are inside the dictionary.
 * Only for PLAIN_DICTIONARY and RLE_DICTIONARY.
 */
lam_status lam_decoder_read_indexes(lam_decoder *decoder, size_t count, uint32_t *indexes,
                                    lam_error *error);

/*
 * Reads, instead of the values, what the caller made of each entry of the dictionary: `entries` has
 * one element of `size` bytes for each. Only for PLAIN_DICTIONARY and RLE_DICTIONARY.
 */
lam_status lam_decoder_read_slots(lam_decoder *decoder, const void *entries, size_t size,
                                  size_t count, void *slots, lam_error *error);

/* Which of the next values are wanted: their positions in ascending order. */
typedef struct lam_value_picks {
    const uint16_t *positions;
    size_t count;
    size_t first; /* position of the next value */
} lam_value_picks;

/* True if fewer than one of eight values is picked: then each is fetched alone. */
static inline bool lam_picks_are_few(size_t picked, size_t count) {
    return picked <= count / 8;
}

/*
 * True for values that may be read by lam_decoder_pick, few of them or many. Few: those of
 * encodings that skip values without decoding them, and that never build a byte array. Many: those
 * for which a pick costs no more than reading all and moving the wanted ones together.
 */
bool lam_decoder_can_pick(lam_encoding encoding, lam_physical_type type, bool few);
/*
 * Reads those of the next `count` values that are picked, as read does, and skips the others. If
 * few are picked, the others are not checked.
 */
lam_status lam_decoder_pick(lam_decoder *decoder, size_t count, const lam_value_picks *picks,
                            void *values, lam_error *error);
/* The same for read_indexes and read_slots. */
lam_status lam_decoder_pick_indexes(lam_decoder *decoder, size_t count,
                                    const lam_value_picks *picks, uint32_t *indexes,
                                    lam_error *error);
lam_status lam_decoder_pick_slots(lam_decoder *decoder, const void *entries, size_t size,
                                  size_t count, const lam_value_picks *picks, void *slots,
                                  lam_error *error);

/*
 * Skips exactly `count` values, decoding no more than it takes to find the next one. `room` is
 * scratch for `room_count` elements, at least 1; CORRUPT as in read.
 */
lam_status lam_decoder_skip(lam_decoder *decoder, size_t count, void *room, size_t room_count,
                            lam_error *error);

/*
 * After the last value: CORRUPT when bytes or values are left over. No encoding permits them, yet
 * there are writers that leave them, so this is a finding, not a reason to refuse the page.
 */
static inline lam_status lam_decoder_find_rest(const lam_decoder *decoder, lam_error *error) {
    return decoder->read_end(decoder, error);
}

/*
 * After the last value: CORRUPT when the surplus shows that the values read are wrong. That is so
 * in BYTE_STREAM_SPLIT alone: with more values than the page states, each stream begins elsewhere.
 */
static inline lam_status lam_decoder_end(const lam_decoder *decoder, lam_error *error) {
    bool is_split = decoder->encoding == LAM_ENCODING_BYTE_STREAM_SPLIT;
    return is_split && decoder->streams.left > 0 ? lam_decoder_find_rest(decoder, error)
                                                 : LAM_STATUS_OK;
}

#endif
