/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted runs of rows in a spill file: writing them, and merging them. */
#ifndef LAM_REWRITE_SORT_SORT_MERGE_H
#define LAM_REWRITE_SORT_SORT_MERGE_H

#include "codec/codec.h"
#include "io/spill_file.h"
#include "rewrite/flow/rewrite_flow.h"
#include "rewrite/sort/sort_gather.h"
#include "rewrite/sort/sort_keys.h"

/* Blocks of rows in a spill file, sorted, one after the other. */
typedef struct lam_sort_run {
    uint64_t begin; /* bytes of the file */
    uint64_t end;
} lam_sort_run;

/* Appends blocks to a spill file, which is opened with the first. */
typedef struct lam_run_writer {
    const lam_schema *schema;
    const char *folder; /* or NULL */
    lam_codec_context *codecs;
    lam_spill_file *file;
    lam_buffer block;
    lam_buffer stored;
    uint64_t bytes; /* written in all */
} lam_run_writer;

void lam_run_writer_init(lam_run_writer *writer, const lam_schema *schema, const char *folder,
                         lam_codec_context *codecs, const lam_allocator *allocator);
void lam_run_writer_finish(lam_run_writer *writer);
/* A row sink whose batches become blocks; `file` of the writer must be set. */
lam_row_sink lam_run_writer_sink(lam_run_writer *writer);

/* What a merge needs. */
typedef struct lam_sort_merge {
    const lam_schema *schema;
    lam_sort_order *order;
    const lam_spill_file *file;
    lam_codec_context *codecs;
    const lam_allocator *allocator;
    size_t batch_rows; /* of the batches that go to the sink, at most */
    const lam_stop *stop;
} lam_sort_merge;

/*
 * Gives the rows of `count` runs, which are in order, to a sink in order. Of rows with equal keys
 * those of the first run come first.
 */
lam_status lam_sort_merge_runs(const lam_sort_merge *merge, const lam_sort_run *runs, size_t count,
                               const lam_row_sink *sink, lam_error *error);

#endif
