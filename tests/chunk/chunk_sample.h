/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks in memory for tests: a leaf, a chunk written of its triples, a footer's words. */
#ifndef LAM_TESTS_CHUNK_SAMPLE_H
#define LAM_TESTS_CHUNK_SAMPLE_H

#include "base/buffer.h"
#include "chunk/read/column_cursor.h"
#include "chunk/read/page_walk.h"
#include "chunk/triple_column.h"
#include "chunk/write/chunk_write.h"

enum { LAM_SAMPLE_OFFSET = 4 }; /* of the chunk in its "file", as if behind the magic */

typedef struct lam_chunk_sample {
    lam_schema *schema;
    const lam_field *leaf;
    lam_allocator allocator;
    lam_codec_context *codecs;
    lam_chunk_options options;
    lam_buffer bytes;         /* of the file: 4 bytes, dictionary page, data pages */
    lam_finished_chunk chunk; /* without its bytes, which are in `bytes` */
    size_t dictionary_size;
    lam_meta_column column; /* what a footer would say */
    uint64_t row_count;
} lam_chunk_sample;

/* Leaf 0 of the schema text; options as the writer's defaults, without codec. */
void lam_chunk_sample_init(lam_chunk_sample *sample, const char *schema);
void lam_chunk_sample_finish(lam_chunk_sample *sample);

/* Writes a chunk in one call, or with `random` in calls of any size. */
void lam_chunk_sample_write(lam_chunk_sample *sample, const lam_triple_column *column,
                            lam_random *random);

/* A place for `bytes` of a hand-made chunk of `value_count` triples in `row_count` records. */
void lam_chunk_sample_set(lam_chunk_sample *sample, const void *bytes, size_t size,
                          int64_t value_count, uint64_t row_count);

/*
 * Reads the chunk back in calls of up to `step` triples and compares; the first failure is given.
 * `column` may be NULL to compare nothing.
 */
lam_status lam_chunk_sample_read(const lam_chunk_sample *sample, const lam_triple_column *column,
                                 size_t step, lam_error *error);

/* Opens a reader on the sample, which must outlive it. */
lam_column_chunk lam_chunk_sample_chunk(const lam_chunk_sample *sample, lam_input *input);

/* The headers of the chunk's pages, at most `capacity`; their structs live in `arena`. */
size_t lam_chunk_sample_headers(const lam_chunk_sample *sample, lam_meta_page_header *headers,
                                size_t capacity, lam_arena *arena);

#endif
