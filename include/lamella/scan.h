/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the records of a Parquet file: all of them, or the ones that a filter wants, with all of
 * their fields or a projection.
 */
#ifndef LAMELLA_SCAN_H
#define LAMELLA_SCAN_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lam_filter lam_filter;               /* filter.h */
typedef struct lam_projection lam_projection;       /* projection.h */
typedef struct lam_pruning_watch lam_pruning_watch; /* pruning.h */

/* Reads the records of all row groups in order, for all leaves or a projection. */
typedef struct lam_record_reader lam_record_reader;

/* Which records to read. Zero means the default in every member. */
typedef struct lam_scan_options {
    size_t struct_size;
    const bool *leaves; /* the projected leaves, as lam_schema_select marks them; NULL means all;
                           used during the call only */
    const lam_projection *projection; /* made for the reader's schema; borrowed until close; NULL:
                                         as `leaves` says, of which only one may be given */
    const lam_filter *filter; /* made for the reader's schema; NULL means all records; borrowed
                                 until close */
    lam_switch pruning;       /* pass over what statistics, page index or Bloom filter rule out; off
                                 reads all that the filter or the projection asks; default: on */
    const lam_stop *stop;     /* in place of the reader's; borrowed until close; NULL: the same */
    const lam_pruning_watch *watch; /* is called for each conclusion; borrowed until close; NULL:
                                       none */
    uint64_t max_records;           /* read at most this many, after those that a first skip passes,
                                 and nothing after them; 0: all */
} lam_scan_options;

LAM_GROWING(lam_scan_options);

/*
 * Opens the records of a file: all of them, or those that a filter wants, with all fields, or with
 * leaves or paths of VARIANTs that a projection wants. The reader must outlive the record reader;
 * `options` may be NULL.
 *
 * Row groups are skipped if their statistics or Bloom filters rule out every record, and ranges of
 * pages if the page index does. Of the rest, the filter's columns are read first, and the other
 * columns only where records are wanted.
 *
 * If a projection wants only some paths of a VARIANT, a `value` column is not read in a row group
 * in which, by its statistics, it has only nulls, and `metadata` is not read where no `value` is.
 * The events of records are the same without them; lam_variant_assembler, given the projection,
 * makes values of these events.
 *
 * Metadata that contradicts itself, its chunk or its schema is not used, nor is an offset index
 * that a page contradicts: one that begins inside a record, or has other rows. It is CORRUPT only
 * where records may have been left out by then. Metadata that is merely untrue (bounds that do not
 * bound, a Bloom filter that lacks a value, a wrong count of nulls) cannot be recognised without
 * reading everything: lam_check finds it, and a scan without `pruning` is not misled by it.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_open_scan(const lam_reader *reader,
                                                                const lam_scan_options *options,
                                                                lam_record_reader **ret_records,
                                                                lam_error *error);

/* All records with the leaves that are marked; NULL means all. */
static inline LAM_NODISCARD lam_status lam_record_reader_open(const lam_reader *reader,
                                                              const bool *leaves,
                                                              lam_record_reader **ret_records,
                                                              lam_error *error) {
    lam_scan_options options = lam_scan_options_default();
    options.leaves = leaves;
    return lam_record_reader_open_scan(reader, &options, ret_records, error);
}

/* What a scan has looked at so far. */
typedef struct lam_scan_report {
    size_t struct_size;
    uint64_t row_groups;               /* that the scan has come to */
    uint64_t row_groups_by_statistics; /* passed over by their statistics alone */
    uint64_t row_groups_by_bloom;      /* ... with the help of Bloom filters */
    uint64_t row_groups_by_pages;      /* ... of the page index, which ruled out every page */
    uint64_t row_groups_by_dictionary; /* ... of dictionaries, which have no value that is wanted */
    uint64_t pages;                    /* of the filter's columns, where the page index was asked */
    uint64_t pages_pruned;             /* of those, without a record that may be wanted */
    uint64_t rows;                     /* of those row groups */
    uint64_t rows_pruned;              /* ruled out by metadata */
    uint64_t rows_wanted;              /* found */
    uint64_t index_bytes;              /* read of page indexes and Bloom filters */
    uint64_t filter_page_bytes;        /* of pages opened for the filter, uncompressed */
} lam_scan_report;

LAM_GROWING(lam_scan_report);

LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_report(const lam_record_reader *records,
                                                             lam_scan_report *ret_report,
                                                             lam_error *error);
/* Row groups in which this leaf has been read so far, filter reads excluded. */
LAM_PUBLIC uint64_t lam_record_reader_row_groups_of(const lam_record_reader *records,
                                                    size_t leaf_index);

/*
 * Drives `sink` with up to `max_records` records; fewer only at the end of the file. After a
 * failure every later call is STATE.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_read(lam_record_reader *records,
                                                           const lam_record_sink *sink,
                                                           uint64_t max_records,
                                                           uint64_t *ret_records, lam_error *error);
/*
 * Skips up to `count` records, fewer only at the end of the file; whole row groups are not read at
 * all.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_skip(lam_record_reader *records,
                                                           uint64_t count, uint64_t *ret_records,
                                                           lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_record_reader_close(lam_record_reader *records);

#ifdef __cplusplus
}
#endif

#endif
