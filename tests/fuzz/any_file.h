/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Parquet file as fuzz input. It is a file as it stands, but that the four bytes of its first
 * magic choose how it is read; "PAR1" itself is one of the choices, so that files need no change.
 */
#ifndef LAM_FUZZ_ANY_FILE_H
#define LAM_FUZZ_ANY_FILE_H

#include <lamella/reader.h>

typedef struct lam_fuzz_file {
    uint8_t *bytes; /* in a block of their own */
    size_t size;
    unsigned choice; /* bits; see below */
    uint32_t seed;
    lam_status opened;
    lam_reader *reader; /* NULL when it could not be opened */
} lam_fuzz_file;

/* Bits of the first byte. 'P' has those of 0x50. */
enum {
    LAM_FUZZ_FILE_NO_CRC = 1,
    LAM_FUZZ_FILE_NO_BORROW = 2,
    LAM_FUZZ_FILE_SMALL_LIMIT = 4,
    LAM_FUZZ_FILE_SKIP = 8,
    LAM_FUZZ_FILE_HEX = 0x20,
    LAM_FUZZ_FILE_REPLACE = 0x80
};

void lam_fuzz_file_open(lam_fuzz_file *file, const uint8_t *data, size_t size);
void lam_fuzz_file_close(lam_fuzz_file *file);

/* Judges a failure of a call on the file. */
bool lam_fuzz_file_judge(const lam_fuzz_file *file, lam_status status, const lam_error *error);

#endif
