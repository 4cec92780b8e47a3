/*
 * Reading a Parquet file: its metadata, its pages, its records.
 */
#ifndef LAMELLA_READER_H
#define LAMELLA_READER_H

#include <lamella/common.h>
#include <lamella/filter.h>
#include <lamella/io.h>
#include <lamella/projection.h>
#include <lamella/record.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to read. Zero means the default in every member. */
typedef struct lam_reader_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    uint64_t memory_limit;          /* bytes for the footer, and for each handle that reads: pages,
                                       dictionaries and indexes of all its columns, and all else
                                       that it holds; Arrow arrays of one batch count apart, by the
                                       same limit. 0 follows the file: 64 MiB or 8 times its size,
                                       whichever is more, and for handles 2 MiB more for each leaf
                                       of the schema, up to 1 GiB */
    bool no_page_crc;               /* do not verify page checksums that are there */
    const lam_stop *stop;           /* ends every call on the reader and its handles; borrowed
                                       until close; NULL: never */
} lam_reader_options;

static inline lam_reader_options lam_reader_options_default(void) {
    lam_reader_options options = LAM_ZERO_INIT;
    options.struct_size = sizeof options;
    return options;
}

/*
 * An open file. Immutable once open: several record readers, column readers and page lists of one
 * reader may be used from different threads at once, each by one thread at a time.
 */
typedef struct lam_reader lam_reader;

/*
 * Reads the footer. On success the input is moved into the reader and `*input` is cleared; on
 * failure it stays with the caller. `options` may be NULL. CORRUPT when it is no Parquet file or
 * the footer contradicts itself; UNSUPPORTED for an encrypted footer, for a physical type that this
 * version does not know, and for a schema in which a name or a CRS holds a NUL byte: the format
 * allows it, and names here are C strings; LIMIT when the footer needs more than the memory limit.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open(lam_input *input,
                                                    const lam_reader_options *options,
                                                    lam_reader **ret_reader, lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open_file(const char *path,
                                                         const lam_reader_options *options,
                                                         lam_reader **ret_reader, lam_error *error);
/* Everything borrowed from the reader ends here. NULL is allowed. */
LAM_PUBLIC void lam_reader_close(lam_reader *reader);

LAM_PUBLIC const lam_schema *lam_reader_schema(const lam_reader *reader);
LAM_PUBLIC uint64_t lam_reader_file_size(const lam_reader *reader);
/* The memory limit of each handle that reads, in bytes: the option, or what follows from the file.
 */
LAM_PUBLIC uint64_t lam_reader_memory_limit(const lam_reader *reader);
/* Bytes of the Thrift-serialised footer. */
LAM_PUBLIC uint32_t lam_reader_footer_size(const lam_reader *reader);
/* The `version` of the footer, 1 or 2 in files of today. */
LAM_PUBLIC int32_t lam_reader_version(const lam_reader *reader);
LAM_PUBLIC uint64_t lam_reader_row_count(const lam_reader *reader);
/* Who wrote the file; NULL when it does not say. Of this and the texts below what stands behind a
 * NUL byte is not seen. */
LAM_PUBLIC const char *lam_reader_created_by(const lam_reader *reader);
/*
 * A fault that the writer is known to have in the version that the file tells, or may have where it
 * tells none, and that something in this file may suffer from: what is wrong, what is not believed
 * on that account, and where the fault is told, in one line. NULL when `index`, counted from 0, is
 * behind the last; most files have none. Static.
 */
LAM_PUBLIC const char *lam_reader_known_fault(const lam_reader *reader, size_t index);
LAM_PUBLIC size_t lam_reader_key_value_count(const lam_reader *reader);
/* NULL when out of range; the value is NULL when the file gives none. */
LAM_PUBLIC const char *lam_reader_key(const lam_reader *reader, size_t index);
LAM_PUBLIC const char *lam_reader_value(const lam_reader *reader, size_t index);
LAM_PUBLIC size_t lam_reader_row_group_count(const lam_reader *reader);

typedef struct lam_row_group_info {
    uint64_t row_count;
    int64_t total_byte_size;       /* before compression, as the file states it */
    int64_t total_compressed_size; /* -1 when not stated */
    int64_t file_offset;           /* -1 when not stated */
    int32_t ordinal;               /* likewise */
    size_t sorting_column_count;   /* for lam_reader_sorting_column */
} lam_row_group_info;

LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_row_group(const lam_reader *reader, size_t row_group,
                                                         lam_row_group_info *ret_info,
                                                         lam_error *error);

/* What the footer says of one column chunk; absent numbers are -1, absent bytes have NULL data. */
typedef struct lam_column_chunk_info {
    const lam_field *leaf;
    lam_codec codec;
    int32_t codec_number; /* as in the format's `enum CompressionCodec` */
    uint32_t encodings;   /* bit e is set when encoding e is listed */
    int64_t value_count;  /* triples, nulls included */
    int64_t total_uncompressed_size;
    int64_t total_compressed_size;
    int64_t data_page_offset;
    int64_t dictionary_page_offset;
    int64_t offset_index_offset;
    int64_t column_index_offset;
    int64_t bloom_filter_offset;
    int64_t null_count;
    int64_t distinct_count;
    lam_bytes min_value; /* PLAIN bytes without length */
    lam_bytes max_value;
} lam_column_chunk_info;

LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_column_chunk(const lam_reader *reader,
                                                            size_t row_group, size_t leaf_index,
                                                            lam_column_chunk_info *ret_info,
                                                            lam_error *error);

/* --- Pages --------------------------------------------------------------------------------- */

typedef enum lam_page_type {
    LAM_PAGE_DATA = 0,
    LAM_PAGE_INDEX = 1,
    LAM_PAGE_DICTIONARY = 2,
    LAM_PAGE_DATA_V2 = 3
} lam_page_type;

/* What is said of the values of a page or a column chunk. (parquet.thrift, Statistics) */
typedef struct lam_statistics {
    int64_t null_count; /* numbers are -1 when they are not stated */
    int64_t nan_count;
    int64_t distinct_count;
    lam_bytes min_value; /* PLAIN bytes without length, in the order of the column; NULL data when
                            not stated */
    lam_bytes max_value;
    int8_t is_min_exact; /* 1 when min_value is among the values, 0 when it need not be, -1 when
                            that is not stated */
    int8_t is_max_exact;
    lam_bytes old_min; /* the deprecated bounds, compared signed whatever the type means */
    lam_bytes old_max;
} lam_statistics;

/* What one page header says. Absent numbers are -1. */
typedef struct lam_page_info {
    lam_page_type type;
    int64_t offset;      /* of the header, in the file */
    int32_t header_size; /* bytes */
    int32_t compressed_size;
    int32_t uncompressed_size;
    int32_t value_count;               /* triples; dictionary entries in a dictionary page */
    int32_t null_count;                /* V2 only */
    int32_t row_count;                 /* V2 only */
    int32_t encoding;                  /* lam_encoding, as the file states it */
    int32_t definition_level_encoding; /* V1 only */
    int32_t repetition_level_encoding; /* V1 only */
    int32_t definition_level_bytes;    /* V2 only */
    int32_t repetition_level_bytes;    /* V2 only */
    bool is_compressed;
    bool has_crc;
    uint32_t crc;
    lam_statistics statistics; /* of data pages; bytes are borrowed until the next page */
} lam_page_info;

/* Walks the page headers of one column chunk without decoding the pages. */
typedef struct lam_page_list lam_page_list;

LAM_PUBLIC LAM_NODISCARD lam_status lam_page_list_open(const lam_reader *reader, size_t row_group,
                                                       size_t leaf_index, lam_page_list **ret_list,
                                                       lam_error *error);
/* Gives the next page; `*ret_more` is false at the end. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_page_list_next(lam_page_list *list, lam_page_info *ret_info,
                                                       bool *ret_more, lam_error *error);
LAM_PUBLIC void lam_page_list_close(lam_page_list *list);

/* --- Records ------------------------------------------------------------------------------- */

/* Reads the records of all row groups in order, for all leaves or a projection. */
typedef struct lam_record_reader lam_record_reader;

/* `leaves` marks the projected leaves (see lam_schema_select); NULL means all. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_open(const lam_reader *reader,
                                                           const bool *leaves,
                                                           lam_record_reader **ret_records,
                                                           lam_error *error);

/* Which records to read. Zero means the default in every member. */
typedef struct lam_scan_options {
    size_t struct_size;
    const bool *leaves; /* the projected leaves, as above; used during the call only */
    const lam_projection *projection; /* made for the reader's schema; borrowed until close; NULL:
                                         as `leaves` says, of which only one may be given */
    const lam_filter *filter; /* made for the reader's schema; NULL means all records; borrowed
                                 until close */
    bool no_pruning;          /* trust no statistics, page index or Bloom filter: read all that
                                 the filter or the projection asks */
    const lam_stop *stop;     /* in place of the reader's; borrowed until close; NULL: the same */
} lam_scan_options;

static inline lam_scan_options lam_scan_options_default(void) {
    lam_scan_options options = LAM_ZERO_INIT;
    options.struct_size = sizeof options;
    return options;
}

/*
 * The same for the records that a filter wants, or the parts that a projection does.
 *
 * Row groups are passed over when their statistics or Bloom filters say that they have no wanted
 * record, ranges of pages when the page index says so, and of the rest the filter's columns are
 * read first and the others only where records are wanted.
 *
 * Of a VARIANT of which a projection wants parts, a `value` column is not read in a row group whose
 * statistics say that it has only nulls there, and `metadata` not where no `value` is; the events
 * of records are the same without them. lam_variant_assembler, given the projection, makes values
 * of these events.
 *
 * Metadata that contradicts itself, its chunk or its schema is not used, and an offset index that a
 * page contradicts is CORRUPT. Metadata that is merely untrue (bounds that do not bound, a Bloom
 * filter that lacks a value, a count of nulls) cannot be told from the truth without reading
 * everything: lam_check finds it, and `no_pruning` is not misled by it.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_open_scan(const lam_reader *reader,
                                                                const lam_scan_options *options,
                                                                lam_record_reader **ret_records,
                                                                lam_error *error);

/* What a scan has looked at so far. */
typedef struct lam_scan_report {
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

LAM_PUBLIC lam_scan_report lam_record_reader_report(const lam_record_reader *records);
/* Row groups for whose records a leaf was read so far; what a filter reads is not counted. */
LAM_PUBLIC uint64_t lam_record_reader_row_groups_of(const lam_record_reader *records,
                                                    size_t leaf_index);

/* Drives `sink` with up to `max_records` records; fewer only at the end of the file. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_read(lam_record_reader *records,
                                                           const lam_record_sink *sink,
                                                           uint64_t max_records,
                                                           uint64_t *ret_records, lam_error *error);
/* Passes over up to `count` records; whole row groups are not read at all. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_record_reader_skip(lam_record_reader *records,
                                                           uint64_t count, uint64_t *ret_records,
                                                           lam_error *error);
LAM_PUBLIC void lam_record_reader_close(lam_record_reader *records);

#ifdef __cplusplus
}
#endif

#endif
