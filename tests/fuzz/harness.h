/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput: any bytes, one
 * thing to do with them, and what must be true afterwards. It is linked with libFuzzer where the
 * build has it (option `fuzz`), and otherwise with replay.c, which hands it the files of a corpus.
 */
#ifndef LAM_FUZZ_HARNESS_H
#define LAM_FUZZ_HARNESS_H

#include <lamella/record.h>
#include <lamella/writer.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "encoding/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size, unsigned seed);

/* Ends the process, as a finding, with the place and the broken promise. */
void lam_fuzz_fail(const char *file, int line, const char *promise, const lam_error *error);
#define LAM_FUZZ_EXPECT(promise)                                                                   \
    ((promise) ? (void)0 : lam_fuzz_fail(__FILE__, __LINE__, #promise, NULL))
/* The same for a call that must succeed; it is handed `&fault`. */
#define LAM_FUZZ_OK(call)                                                                          \
    do {                                                                                           \
        lam_error fault = lam_error_none();                                                        \
        if ((call) != LAM_STATUS_OK)                                                               \
            lam_fuzz_fail(__FILE__, __LINE__, #call, &fault);                                      \
    } while (0)

/* Whose fault a failure may be. */
enum {
    LAM_FUZZ_OF_FILE =
        1 << LAM_STATUS_CORRUPT | 1 << LAM_STATUS_UNSUPPORTED | 1 << LAM_STATUS_LIMIT,
    LAM_FUZZ_OF_CALLER =
        1 << LAM_STATUS_INVALID | 1 << LAM_STATUS_UNSUPPORTED | 1 << LAM_STATUS_LIMIT
};

/*
 * True when `status` is OK; a finding unless it is one of `allowed` and `error` tells it in one
 * line.
 */
bool lam_fuzz_judge(lam_status status, const lam_error *error, unsigned allowed);

/* --- Memory -------------------------------------------------------------------------------- */

/* Bytes that one input may hold at once; the allocator refuses more, which is a finding. */
enum { LAM_FUZZ_MEMORY_MAX = 256 << 20 };

/* Counts for the whole process. */
lam_allocator lam_fuzz_allocator(void);
/* At the end of each input: a finding when something was not given back. */
void lam_fuzz_expect_no_leak(void);

/* A block of exactly `size` bytes, so that the sanitizer sees every step beyond it; free() it. */
void *lam_fuzz_block(size_t size);

/*
 * A writer to memory. Its schema may be one that only other writers make: false when it is refused.
 * `*ret_bytes` is for lam_output_memory_bytes until the writer is closed.
 */
bool lam_fuzz_open_writer(const lam_schema *schema, const lam_allocator *allocator,
                          lam_output *ret_bytes, lam_writer **ret_writer);

/* --- Input --------------------------------------------------------------------------------- */

/* Numbers from the front of an input, zero behind its end. */
typedef struct lam_fuzz_input {
    const uint8_t *next;
    size_t left;
} lam_fuzz_input;

uint64_t lam_fuzz_number(lam_fuzz_input *input, unsigned bytes);
/* A copy in a block of its own of what is left; free() it. */
uint8_t *lam_fuzz_rest(lam_fuzz_input *input, lam_bytes *ret_bytes);

/* Next size of a call that reads in pieces: a walk that depends on `*state` only. */
size_t lam_fuzz_piece(uint32_t *state, size_t left);

/* --- Values -------------------------------------------------------------------------------- */

/* A type and its length from two bytes. */
lam_value_layout lam_fuzz_layout(lam_fuzz_input *input);
/* Whether elements of lam_triples.values are equal bit for bit. */
bool lam_fuzz_values_equal(lam_value_layout layout, const void *a, const void *b, size_t count);
/* Adds all their bytes to a hash, which looks at every one of them. */
uint64_t lam_fuzz_hash(uint64_t hash, const void *bytes, size_t size);
uint64_t lam_fuzz_hash_values(uint64_t hash, lam_value_layout layout, const void *values,
                              size_t count);

/* --- Records ------------------------------------------------------------------------------- */

/*
 * A sink that looks at every value and passes the verbs on to `next`, if it has them. After
 * `verbs_left` verbs it cancels with STATE, since a few bytes may stand for any number of records.
 */
typedef struct lam_fuzz_sink {
    lam_record_sink next;
    uint64_t verbs_left;
    uint64_t hash; /* of the verbs of whole records */
    uint64_t open_hash;
    uint64_t records;
    bool cancelled;
    bool next_failed;
} lam_fuzz_sink;

lam_record_sink lam_fuzz_sink_verbs(lam_fuzz_sink *sink);

#endif
