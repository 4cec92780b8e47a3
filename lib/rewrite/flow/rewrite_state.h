/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a rewrite: its inputs, the caller's choices, and, while it runs, the schemas that
 * follow from both. Shared by the sources of this folder.
 *
 *     schema          all columns of all inputs
 *     row_schema      those of the rows on their way: the chosen ones, sort keys, partitions
 *     file_schema     those of the outputs: the chosen ones without partitions
 */
#ifndef LAM_REWRITE_FLOW_REWRITE_STATE_H
#define LAM_REWRITE_FLOW_REWRITE_STATE_H

#include <lamella/dataset.h>
#include <lamella/rewrite.h>

#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "file/read/file_reader.h"
#include "schema/tree.h"

typedef struct lam_rewrite_input {
    const lam_reader *reader; /* borrowed; NULL: the file is opened when it is its turn */
    char *name;               /* a path, if `reader` is NULL */
    lam_schema *schema;       /* shared */
    uint64_t rows;
} lam_rewrite_input;

typedef struct lam_rewrite_key {
    size_t leaf; /* of `schema` */
    bool descending;
    bool nulls_first;
} lam_rewrite_key;

/* The choices for a leaf of `schema`. */
typedef struct lam_rewrite_leaf {
    bool is_left_out;
    bool has_encoding;
    bool has_bloom;
    bool had_bloom; /* the first input with rows has a Bloom filter of it */
    bool has_nans;  /* rows are sorted by it, and have NaNs there */
    lam_encoding encoding;
    double fpp;
    uint64_t distinct_count;
} lam_rewrite_leaf;

/* A key of the inputs. */
typedef struct lam_rewrite_key_value {
    lam_meta_key_value pair;
    size_t input; /* the first that has it */
    bool differs; /* in another input */
} lam_rewrite_key_value;

/* Leaves by their indexes. */
typedef LAM_LIST(size_t) lam_leaf_list;

struct lam_rewrite {
    lam_allocator allocator;
    lam_writer_options writer; /* of the outputs, complete */
    lam_reader_options reader; /* of the inputs, complete */
    uint64_t memory_limit;
    const char *spill_folder; /* or NULL */
    const lam_stop *stop;
    void (*progress)(void *state, const lam_rewrite_progress *progress);
    void *progress_state;
    LAM_LIST(lam_rewrite_input) inputs;
    lam_union *all;           /* of the schemas of all inputs */
    const lam_schema *schema; /* the union's; NULL: there are no inputs */
    lam_rewrite_leaf *leaves; /* of `schema`, once there is a choice */
    lam_buffer where;         /* a condition with a NUL; empty: none */
    LAM_LIST(lam_rewrite_key) keys;
    lam_leaf_list partitions; /* of `schema` */
    uint64_t split_rows;
    uint64_t split_bytes;
    LAM_LIST(lam_rewrite_key_value) key_values; /* in `arena` */
    lam_hash_index keys_taken;                  /* the first entry of each key */
    lam_arena arena;
    bool first_keys; /* only those of the first input are given */
    bool has_run;
    /* While it runs: */
    bool keeps_codec; /* no codec was chosen */
    bool encodes_all; /* pages change in more than their codec */
    bool chooses_compat;
    const lam_rewrite_target *target;
    lam_schema *row_schema;
    lam_schema *file_schema;
    lam_leaf_list row_leaves;  /* of `schema`, by leaf of `row_schema` */
    lam_leaf_list file_leaves; /* of `row_schema`, by leaf of `file_schema` */
    lam_rewrite_report report;
    lam_rewrite_progress done; /* the number reported last */
    uint64_t rows_before;      /* of inputs and row groups that are done */
    uint64_t rows_taken;       /* that were handed on */
};

/* Reports the number of rows done, those before the current row group included. */
void lam_rewrite_report_rows(lam_rewrite *rewrite, uint64_t rows);

/* Opens an input, or gives the reader that the caller has; to be given back. */
lam_status lam_rewrite_open_input(const lam_rewrite *rewrite, size_t index,
                                  const lam_reader **ret_reader, lam_error *error);
/*
 * Shows the reader of an input in the union; `*ret_shown` is NULL if that makes no difference, and
 * else to be closed before the input.
 */
lam_status lam_rewrite_show_input(const lam_rewrite *rewrite, const lam_reader *reader,
                                  lam_reader **ret_shown, lam_error *error);
void lam_rewrite_close_input(const lam_rewrite *rewrite, size_t index, const lam_reader *reader);

/* Puts the name of an input in front of a message, unless it is there; returns the status. */
lam_status lam_rewrite_blame(const char *name, lam_status status, lam_error *error);

#endif
