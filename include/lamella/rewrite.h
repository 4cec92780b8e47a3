/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites Parquet files: merges them, selects columns and rows, changes codecs, encodings or row
 * groups, sorts, and splits into several files.
 *
 * Whatever need not change is copied as it is. A column chunk is copied byte by byte if it keeps
 * its codec, encoding and pages; if only the codec changes, its pages are recompressed, and nothing
 * in them is decoded; otherwise its values are decoded and encoded. Row groups keep their bounds
 * unless rows are selected, sorted or split, or the options of the writer bound row groups.
 *
 * The schemas of several inputs are united as by lam_union: a field that one of them lacks is null
 * there, two types become one that holds both, and if there is none, they clash. Inside lists and
 * maps, fields are matched by position and get the names of the first input: writers disagree on
 * these names, and readers ignore them. Field ids that differ are left out. If leaving out columns
 * means that a group is no longer a VARIANT, FILE, MAP or LIST, it loses its logical type: a MAP
 * needs more than its key.
 *
 * Fields are in the order of the first input; those that only later ones have follow in their
 * group. Key-value metadata of all inputs are kept; for each key the first input that has it
 * decides. Keys that describe the columns (ARROW:schema, pandas and others) are kept if the columns
 * are those of the input and all inputs agree, and ARROW:schema loses the columns that are left
 * out. Statistics, page indexes and Bloom filters of copied chunks are kept as far as they are
 * known to be true, and so is the order of a row group whose rows stay together.
 */
#ifndef LAMELLA_REWRITE_H
#define LAMELLA_REWRITE_H

#include <lamella/common.h>
#include <lamella/dataset.h>
#include <lamella/reader.h>
#include <lamella/schema.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Progress in rows: those of all inputs, and again those of the output if they are sorted. The
 * total shrinks when a condition leaves out rows of a sort.
 */
typedef struct lam_rewrite_progress {
    size_t struct_size;
    uint64_t rows_done; /* never decreases; in a row group that is copied, by its columns */
    uint64_t rows_total;
} lam_rewrite_progress;

/* How to rewrite. Zero means the default in every member. */
typedef struct lam_rewrite_options {
    size_t struct_size;
    const lam_allocator *allocator;   /* copied; NULL is the C library's heap */
    const lam_reader_options *reader; /* of the inputs; borrowed until destroy */
    const lam_writer_options *writer; /* of the outputs; borrowed until destroy. The default of the
                                         codec keeps that of each chunk. row_group_bytes and
                                         row_group_rows give other row groups; page_bytes,
                                         page_rows, dictionary_bytes, data_page_version, dictionary
                                         and delta re-encode all chunks, compat those in encodings
                                         that it does not allow */
    uint64_t memory_limit;            /* bytes of rows being sorted, and of open files, at a time;
                                         default: 512 MiB; at least 1 MiB. To bound the memory of
                                         the whole rewrite, readers and writers included, use the
                                         `allocator` of a lam_budget; these rows then take half of
                                         it at most */
    const char *spill_folder; /* for rows that exceed the limit while sorting; default: /tmp.
                                         Files there have no name, so nothing remains of them.
                                         Borrowed until destroy */
    const lam_stop *stop;     /* borrowed until destroy; NULL: never */
    /*
     * Called by lam_rewrite_run in its own thread, after each batch of rows or column chunk, which
     * may be a thousand times a second. It must not call the rewrite; its arguments are borrowed
     * for the call. NULL: never.
     */
    void (*progress)(void *state, const lam_rewrite_progress *progress);
    void *progress_state;
    lam_clash on_clash; /* of fields whose types clash in the inputs; see dataset.h */
    bool first_keys;    /* keep only the key-value metadata of the first input */
} lam_rewrite_options;

LAM_GROWING(lam_rewrite_options);

/* What is to be done. One thread at a time. */
typedef struct lam_rewrite lam_rewrite;

/* Creates a rewrite without inputs. `options` may be NULL. Free it with lam_rewrite_destroy. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_create(const lam_rewrite_options *options,
                                                       lam_rewrite **ret_rewrite, lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_rewrite_destroy(lam_rewrite *rewrite);

/*
 * Adds an input after the others. `name` is what messages call it, and is copied. The reader is
 * borrowed until destroy. INVALID when its schema cannot be united with those before, as
 * lam_union_add; STATE once a choice was made.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_add_reader(lam_rewrite *rewrite,
                                                           const lam_reader *reader,
                                                           const char *name, lam_error *error);
/*
 * The same for a file, which is opened now, and again when its turn comes, so that there can be any
 * number of files.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_add_file(lam_rewrite *rewrite, const char *path,
                                                         lam_error *error);

/*
 * The schema of all inputs so far, with all columns; NULL without inputs. Borrowed until the next
 * input is added.
 */
LAM_PUBLIC const lam_schema *lam_rewrite_schema(const lam_rewrite *rewrite);

/*
 * The union that made this schema, with notices of fields that clash; NULL for NULL. Borrowed until
 * destroy.
 */
LAM_PUBLIC const lam_union *lam_rewrite_union(const lam_rewrite *rewrite);

/* --- Choices ------------------------------------------------------------------------------- */

/*
 * Keeps only some columns: one bool for each leaf of lam_rewrite_schema, copied. INVALID when none
 * is true.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_set_leaves(lam_rewrite *rewrite, const bool *leaves,
                                                           lam_error *error);
/*
 * Keeps only rows for which a condition is true, which lam_filter_parse reads with the schema of
 * all inputs, and then with that of each one: it may name any column of any input, and an input
 * that lacks it has nulls there. Copied; errors are those of lam_filter_parse.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_set_where(lam_rewrite *rewrite, const char *text,
                                                          lam_error *error);
/*
 * Sorts all rows by the leaf at a path, after the keys added before, and records this order
 * in the output. The order is that of the logical type (parquet.thrift, ColumnOrder), INT96 by
 * time; rows with equal keys keep their order. NaN is the largest value; -0 and +0 are equal.
 * `descending` reverses the order of values; nulls come last unless `nulls_first`, either way.
 * INVALID when the leaf is repeated or has no order, NOT_FOUND.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_add_sort_key(lam_rewrite *rewrite, const char *path,
                                                             bool descending, bool nulls_first,
                                                             lam_error *error);
/*
 * Writes the rows of each value of the leaf at a path to files of their own, in folders
 * "NAME=value" below those of the partitions added before, named as Hive does. The column is left
 * out of the files: lam_path_keys has its values again, and a value whose folder would need a name
 * of more than 200 bytes is UNSUPPORTED in lam_rewrite_run, with its row. INVALID for a leaf that
 * is not a STRING, ENUM, integer, BOOLEAN, DATE or TIMESTAMP at the top of the schema; NOT_FOUND.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_add_partition(lam_rewrite *rewrite,
                                                              const char *path, lam_error *error);
/*
 * Starts another file when one has `rows` rows, or about `bytes` bytes (the size of the last row
 * group is an estimate); 0: no such bound.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_set_split(lam_rewrite *rewrite, uint64_t rows,
                                                          uint64_t bytes, lam_error *error);
/* As lam_writer_set_encoding and lam_writer_set_bloom_filter, in every output. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_set_encoding(lam_rewrite *rewrite, const char *path,
                                                             lam_encoding encoding,
                                                             lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_set_bloom_filter(lam_rewrite *rewrite,
                                                                 const char *path, double fpp,
                                                                 uint64_t distinct_count,
                                                                 lam_error *error);

/* --- Running ------------------------------------------------------------------------------- */

/*
 * Opens the output of a file. `folder` is that of a partition, "a=1/b=2", or "" without one, and is
 * borrowed for the call; `number` counts the files of each folder from 0.
 */
typedef struct lam_rewrite_target {
    void *state;
    lam_status (*open)(void *state, const char *folder, uint64_t number, lam_output *ret_output,
                       lam_error *error);
} lam_rewrite_target;

/* What was done. */
typedef struct lam_rewrite_report {
    size_t struct_size;
    uint64_t rows;                /* written */
    uint64_t files;               /* written; at least 1, except with partitions and no rows */
    uint64_t bytes;               /* of these files */
    uint64_t chunks_copied;       /* column chunks that were copied as they are */
    uint64_t chunks_recompressed; /* whose pages got another codec */
    uint64_t chunks_encoded;      /* re-encoded, with row groups as they were */
    uint64_t spilled_bytes;       /* written to the spill folder */
} lam_rewrite_report;

LAM_GROWING(lam_rewrite_report);

/*
 * Reads all inputs and writes the outputs, each of which is finished once it is complete. Call it
 * once. All rows of the first input come first, then those of the next. After a failure no further
 * output is finished; finished ones stay. `ret_report` may be NULL. Errors are those of
 * reading and writing, with the name of the input in front.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_rewrite_run(lam_rewrite *rewrite,
                                                    const lam_rewrite_target *target,
                                                    lam_rewrite_report *ret_report,
                                                    lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
