/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row group that is being written: a chunk writer per leaf in memory, then all chunks to the
 * output one after the other, and their description for the footer.
 */
#ifndef LAM_FILE_WRITE_ROW_GROUP_WRITE_H
#define LAM_FILE_WRITE_ROW_GROUP_WRITE_H

#include <lamella/reader.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/thread/task_runner.h"
#include "chunk/write/chunk_write.h"
#include "file/write/page_index_write.h"
#include "file/write/row_sorting.h"
#include "schema/tree.h"

/* A key and its value for the chunks of one leaf. */
typedef struct lam_leaf_key_value {
    size_t leaf_index;
    lam_meta_key_value key_value;
} lam_leaf_key_value;

typedef struct lam_row_group_writer {
    lam_allocator allocator;
    const lam_schema *schema;
    const lam_task_runner *runner; /* encodes leaves at the same time */
    lam_chunk_options options;
    lam_codec_context *codecs; /* shared by all chunk writers */
    bool owns_codecs;
    lam_chunk_writer **chunks; /* one per leaf, made by its first use */
    bool *is_chosen;           /* by leaf: its chunk writer has what the caller chose */
    lam_page_index page_index; /* of the chunks of all row groups that ended */
    lam_row_sorting sorting;   /* the order that the caller states */
    LAM_LIST(lam_leaf_key_value) key_values;
    lam_buffer scratch;     /* the header of one Bloom filter */
    uint64_t rows;          /* that every leaf has got */
    lam_task_cost *costs;   /* of each leaf */
    _Atomic uint64_t bytes; /* held by the chunk writers, as of the last add */
} lam_row_group_writer;

/*
 * Schema and runner are borrowed until finish, which is allowed after a failure. With
 * `check_sorting` rows are compared as they arrive. `codecs` are borrowed until finish; NULL: made
 * here.
 */
lam_status lam_row_group_writer_init(lam_row_group_writer *writer, const lam_schema *schema,
                                     const lam_chunk_options *options, bool check_sorting,
                                     const lam_task_runner *runner, lam_codec_context *codecs,
                                     const lam_allocator *allocator, lam_error *error);
void lam_row_group_writer_finish(lam_row_group_writer *writer);

/* As lam_writer_set_encoding, for one leaf. */
lam_status lam_row_group_writer_set_encoding(lam_row_group_writer *writer, size_t leaf_index,
                                             lam_encoding encoding, lam_error *error);

/* As lam_chunk_writer_set_bloom, for one leaf. */
lam_status lam_row_group_writer_set_bloom(lam_row_group_writer *writer, size_t leaf_index,
                                          double fpp, uint64_t distinct_count, bool is_guess,
                                          lam_error *error);

/* Requests filters that are guesses, for the leaves whose values may identify something. */
lam_status lam_row_group_writer_guess_blooms(lam_row_group_writer *writer, lam_error *error);

/*
 * Adds a key and its value to the metadata of a leaf's chunks, from the open row group on. Their
 * bytes are borrowed until the footer is written.
 */
lam_status lam_row_group_writer_add_key_value(lam_row_group_writer *writer, size_t leaf_index,
                                              const lam_meta_key_value *key_value,
                                              lam_error *error);

/*
 * Adds complete records of one leaf. Several threads may add to different leaves at once. INVALID
 * or NOMEM leave a row group that cannot be completed.
 */
lam_status lam_row_group_writer_add(lam_row_group_writer *writer, size_t leaf_index,
                                    const lam_triples *triples, lam_error *error);
/*
 * Runs a task for each leaf, those that took longest first. The task adds records of its leaf.
 */
lam_status lam_row_group_writer_run(lam_row_group_writer *writer, lam_fallible_task *task,
                                    void *context, lam_error *error);
/* Counts records that every leaf has got. INVALID if they are not in the order that is stated. */
lam_status lam_row_group_writer_count(lam_row_group_writer *writer, uint64_t rows,
                                      lam_error *error);

/*
 * Writes all chunks and their Bloom filters to `output` from `*offset` on, which moves past them,
 * describes them in `ret_group` with memory of `arena`, and starts the next row group. The offsets
 * of the page index in the description are final only after lam_page_index_write.
 */
lam_status lam_row_group_writer_end(lam_row_group_writer *writer, lam_output *output,
                                    uint64_t *offset, size_t ordinal, lam_arena *arena,
                                    lam_meta_row_group *ret_group, lam_error *error);

/*
 * For row groups that consist of chunks of several origins, while no row is counted: ends the chunk
 * of one leaf, writes and describes it; then, after all chunks, writes its Bloom filter, which was
 * borrowed until then, and starts the next chunk.
 */
lam_status lam_row_group_writer_put_chunk(lam_row_group_writer *writer, size_t leaf_index,
                                          lam_output *output, uint64_t *offset, lam_arena *arena,
                                          lam_meta_column *column,
                                          lam_meta_column_chunk *description, lam_bytes *ret_bloom,
                                          lam_error *error);
lam_status lam_row_group_writer_put_bloom(lam_row_group_writer *writer, size_t leaf_index,
                                          lam_bytes bloom, lam_output *output, uint64_t *offset,
                                          lam_meta_column *column, lam_error *error);

#endif
