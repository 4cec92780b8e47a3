/* SPDX-License-Identifier: Apache-2.0 */
/* How large a column would be in other encodings and codecs, by writing some of its values. */
#ifndef LAMELLA_TOOLS_SIZE_TRIAL_H
#define LAMELLA_TOOLS_SIZE_TRIAL_H

#include <lamella/lamella.h>

enum {
    SIZE_PLACES = 16,          /* of the file, at equal distances */
    SIZE_ROWS_OF_PLACE = 1250, /* that are written, or fewer if they are large */
    SIZE_WAYS_MOST = 32
};

/* One way to write a column. */
typedef struct size_way {
    lam_encoding encoding; /* RLE_DICTIONARY: with a dictionary for each chunk */
    lam_codec codec;
    double bytes; /* that all chunks of the column would take */
} size_way;

/* What is already known about the column. */
typedef struct size_column {
    size_t leaf;
    uint64_t triples; /* of all chunks */
    uint64_t chunks;
    uint64_t rows_of_chunk; /* the most */
    lam_codec codec;        /* is tried, too; DEFAULT: none */
    lam_compat compat;      /* encodings that other readers lack are not */
} size_column;

typedef struct size_trial {
    uint64_t rows; /* that were written */
    size_t places; /* where they are from */
    size_t count;
    size_way ways[SIZE_WAYS_MOST]; /* the smallest first */
} size_trial;

/*
 * Reads rows of a column at some places of the file, the same each time, of at most `most_bytes`
 * bytes in memory, and writes them in each way that the library's writer has for their type. Fails
 * as reading does.
 */
lam_status size_try(const lam_reader *reader, const size_column *column, uint64_t most_bytes,
                    size_trial *ret_trial, lam_error *error);

/* The entry of `encoding` and `codec`; NULL: it was not tried, or cannot be used. */
const size_way *size_find_way(const size_trial *trial, lam_encoding encoding, lam_codec codec);

#endif
