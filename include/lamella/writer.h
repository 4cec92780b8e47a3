/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a Parquet file: records or whole columns of triples go in, bytes come out in one forward
 * pass.
 */
#ifndef LAMELLA_WRITER_H
#define LAMELLA_WRITER_H

#include <lamella/common.h>
#include <lamella/executor.h>
#include <lamella/format.h>
#include <lamella/io.h>
#include <lamella/record.h>
#include <lamella/schema.h>
#include <lamella/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who is to read a file: which encodings may be chosen where they are smaller, and which types a
 * schema may have. */
typedef enum lam_compat {
    LAM_COMPAT_DEFAULT,
    LAM_COMPAT_MAX,    /* every reader: PLAIN and dictionaries */
    LAM_COMPAT_MODERN, /* current readers: delta encodings and BYTE_STREAM_SPLIT, too */
    LAM_COMPAT_NEWEST  /* readers of the newest format: ALP, and BYTE_STREAM_SPLIT of any type, too;
                          TIMESTAMP on fixed_len_byte_array(12), where a schema has it */
} lam_compat;

/* How to write. Zero means the default in every member; what is out of range is INVALID. */
typedef struct lam_writer_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    lam_codec codec;
    int32_t codec_level;       /* ZSTD: 1 to 22, 0 is 3; GZIP: 1 to 12, 0 is 6; BROTLI: 1 to 11
                                  (its quality), 0 is 5; the other codecs take 0 only. Where pages
                                  of ZSTD are not larger with level 1 than with this, it is 1 */
    int32_t data_page_version; /* 1 or 2; 0 is 1 */
    uint64_t row_group_bytes;  /* encoded bytes that end a row group; 0 is 128 MiB */
    uint64_t row_group_rows;   /* rows that end a row group; 0 is 1048576 */
    uint64_t page_bytes;       /* bytes before compression that end a page: values counted in PLAIN,
                                  or as indexes of 4 bytes, levels without runs; 0 is 1 MiB */
    uint64_t page_rows;        /* rows that end a page; 0 is 20000 */
    uint64_t dictionary_bytes; /* PLAIN bytes that a dictionary may hold; 0 is 1 MiB */
    lam_switch dictionary;     /* try dictionaries; default: on */
    lam_switch delta;          /* choose delta encodings, which some readers lack, where `compat`
                                  allows them and they are smaller; default: on */
    lam_switch page_crc;       /* write the checksum of each page; default: on */
    const char *created_by;    /* copied; NULL is "lamella version V (build V)" */
    lam_switch statistics;     /* write counts, bounds and sizes of chunks and pages: statistics and
                                  column indexes; default: on */
    lam_switch page_index;     /* write column indexes and offset indexes; default: on */
    bool float_total_order;    /* floating-point columns in IEEE 754 total order: NaNs and signed
                                  zeros have bounds, for readers that know that order */
    bool auto_bloom_filters;   /* Bloom filters for strings, byte arrays, UUIDs and plain integers
                                  where a chunk has many distinct values in no order */
    lam_compat compat;         /* the default is MODERN */
    bool int96_order;          /* INT96 columns in the order of timestamps, likewise */
    bool check_sorting;        /* compare the rows of each row group by the sorting columns that are
                                  stated; see lam_writer_add_sorting_column */
    const lam_stop *stop;      /* looked at before each page; a writer that it stopped can only be
                                  closed. Borrowed until close; NULL: never */
    uint32_t thread_count;     /* threads that encode and compress columns, the caller's included;
                                  the file does not depend on it; default: 1. The allocator must
                                  allow calls from several threads */
    const lam_executor *executor; /* encodes columns on the caller's threads instead; copied */
    uint64_t memory_limit;        /* bytes that the writer may hold, the output's excluded; what
                                     cannot be written within is LIMIT. Row groups, pages and
                                     dictionaries end at a share of it (an eighth, and a 32nd) where
                                     that is less than what the options say; so they do where
                                     `allocator` is that of a lam_budget. 0: no limit */
} lam_writer_options;

LAM_GROWING(lam_writer_options);

/* Writes one file. One thread at a time. */
typedef struct lam_writer lam_writer;

/*
 * Starts a file on `output`. On success the output moves into the writer and `*output` is cleared;
 * on failure it stays with the caller. The schema is shared. `options` may be NULL. INVALID for a
 * type of the schema that `compat` does not allow, and, unless the schema is of a file, for a LIST,
 * MAP, VARIANT or FILE that readers could not take for one; UNSUPPORTED for a VECTOR.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_open(const lam_schema *schema, lam_output *output,
                                                    const lam_writer_options *options,
                                                    lam_writer **ret_writer, lam_error *error);

/* The same for a file, which appears under `path` when finish succeeds. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_open_file(const lam_schema *schema, const char *path,
                                                         const lam_writer_options *options,
                                                         lam_writer **ret_writer, lam_error *error);

/* The schema that the writer was opened with; NULL if the writer is NULL. */
LAM_PUBLIC const lam_schema *lam_writer_schema(const lam_writer *writer);

/*
 * Sets the encoding of the leaf at a path, or of all leaves below a group, in place of the
 * writer's own choice. That choice is a dictionary as long as it pays; otherwise, page by page,
 * PLAIN or, where it is smaller, DELTA_BINARY_PACKED for integers, and DELTA_BYTE_ARRAY (where
 * neighbours begin alike) or DELTA_LENGTH_BYTE_ARRAY for byte arrays; or, chunk by chunk,
 * BYTE_STREAM_SPLIT or ALP for numbers. RLE_DICTIONARY requests a dictionary in any case, which
 * still gives way to PLAIN when it is full. Must precede the first record. INVALID if the encoding
 * cannot hold a leaf's type or is deprecated; failures of lam_schema_resolve, as in the calls
 * below; nothing is changed then.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_set_encoding(lam_writer *writer, const char *path,
                                                            lam_encoding encoding,
                                                            lam_error *error);

/*
 * Writes a Bloom filter for each chunk of the leaf at a path, or of all leaves below a
 * group. `fpp` is the probability of a false positive, between 0 and 1; 0 requests the default,
 * 0.01. `distinct_count` is the expected number of distinct values in a chunk; with 0 each filter
 * gets the size that its chunk needs. Must precede the first record. INVALID if a leaf is BOOLEAN
 * or `fpp` is out of range, NOT_FOUND if there is no such field; nothing is changed then.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_set_bloom_filter(lam_writer *writer,
                                                                const char *path, double fpp,
                                                                uint64_t distinct_count,
                                                                lam_error *error);

/*
 * States in the footer that the rows of each row group are sorted by the leaf at a path; the
 * leaf that is added first takes precedence. Must precede the first record. INVALID if the field is
 * not a leaf, is repeated or below a repeated field, has a type without an order (INT96 without
 * `int96_order`, INTERVAL, GEOMETRY, GEOGRAPHY), or was added before; NOT_FOUND. (parquet.thrift,
 * SortingColumn)
 *
 * The order is trusted here; lam_check verifies it. With `check_sorting` rows are compared as they
 * are written: the first row that should precede the row before it is INVALID, with its number in
 * the file, counted from 0. So is a row whose NaN leaves the order undecided, unless floats are in
 * `float_total_order`. The failing call may be a later one than the call that wrote the row, and
 * the writer is then poisoned, because it has begun to encode the row.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_add_sorting_column(lam_writer *writer,
                                                                  const char *path, bool descending,
                                                                  bool nulls_first,
                                                                  lam_error *error);

/*
 * The verbs that write records; valid until close. Values are checked against their logical type,
 * as lam_record_checker does. A failed verb drops the open record and keeps those before it. If
 * `end` returns IO or NOMEM from writing pages, the writer is poisoned: every later call fails with
 * STATE and names the first failure. If the writer is NULL, every verb is INVALID.
 */
LAM_PUBLIC lam_record_sink lam_writer_sink(lam_writer *writer);

/*
 * Writes `record_count` whole records given as triples, with one element of `columns` per leaf in
 * schema order. INVALID, with nothing written, if a level is out of range, a column does not hold
 * exactly `record_count` records, or counts disagree. STATE while a record is open.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_write_triples(lam_writer *writer,
                                                             const lam_triples *columns,
                                                             size_t record_count, lam_error *error);

/* Ends the row group now; does nothing if it has no rows. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_end_row_group(lam_writer *writer, lam_error *error);

/*
 * Adds a key and its value, which may be NULL. Both are copied. INVALID if one is not UTF-8. With
 * `path` NULL they go to the footer's key-value metadata, at any time before finish. Otherwise they
 * go to the column chunks of the leaf at the path, or of all leaves below a group, in the open row
 * group and those after it; NOT_FOUND if there is no such field. (parquet.thrift,
 * ColumnMetaData.key_value_metadata)
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_add_key_value(lam_writer *writer, const char *path,
                                                             const char *key, const char *value,
                                                             lam_error *error);

/* Records written so far, those of the open row group included. */
LAM_PUBLIC uint64_t lam_writer_record_count(const lam_writer *writer);

/*
 * Ends the row group, and writes a footer after it: the bytes written so far are then a whole
 * file, and more row groups may follow. The footer becomes dead bytes inside the file, which no
 * reader minds; it describes all row groups so far, without their page indexes, so that footers
 * add up if there are many: the caller decides how often they pay. Syncs nothing. (README.md of the
 * format, "Error recovery")
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_checkpoint(lam_writer *writer, lam_error *error);

/* Bytes given to the output so far. */
LAM_PUBLIC uint64_t lam_writer_bytes_written(const lam_writer *writer);

/*
 * Bytes held in memory: for the open row group, and for the footer and the page indexes, which grow
 * with each row group until finish. (Page indexes beyond 32 MiB are written between row groups.)
 */
LAM_PUBLIC uint64_t lam_writer_buffered_bytes(const lam_writer *writer);

/*
 * Writes the rest and the footer, and finishes the output. The file is complete only if this
 * succeeds. STATE while a record is open, or after an earlier failure.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_finish(lam_writer *writer, lam_error *error);

/* Frees the writer; without a successful finish the output is abandoned. NULL is allowed. */
LAM_PUBLIC void lam_writer_close(lam_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
