/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a Parquet file: its metadata and the headers of its pages. column.h reads values, scan.h
 * reads records.
 */
#ifndef LAMELLA_READER_H
#define LAMELLA_READER_H

#include <lamella/common.h>
#include <lamella/format.h>
#include <lamella/io.h>
#include <lamella/schema.h>
#include <lamella/stop.h>

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
    lam_switch page_crc;            /* verify page checksums that are there; default: on */
    const lam_stop *stop;           /* ends every call on the reader and its handles; borrowed
                                       until close; NULL: never */
} lam_reader_options;

LAM_GROWING(lam_reader_options);

/*
 * An open file. Immutable once open: several record readers, column readers and page lists of one
 * reader may be used from different threads at once, each by one thread at a time.
 */
typedef struct lam_reader lam_reader;

/*
 * Reads the footer. On success the input moves into the reader and `*input` is cleared; on failure
 * it stays with the caller. `options` may be NULL. CORRUPT if the file is not a Parquet file or the
 * footer contradicts itself. UNSUPPORTED for an encrypted footer, for a physical type that this
 * version does not know, and for a schema in which a name or a CRS holds a NUL byte: the format
 * allows it, but names here are C strings. LIMIT if the footer needs more than the memory limit.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open(lam_input *input,
                                                    const lam_reader_options *options,
                                                    lam_reader **ret_reader, lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open_file(const char *path,
                                                         const lam_reader_options *options,
                                                         lam_reader **ret_reader, lam_error *error);
/* Frees the reader; everything borrowed from it ends here. NULL is allowed. */
LAM_PUBLIC void lam_reader_close(lam_reader *reader);

LAM_PUBLIC const lam_schema *lam_reader_schema(const lam_reader *reader);
/* Rows of all row groups. */
LAM_PUBLIC uint64_t lam_reader_row_count(const lam_reader *reader);
LAM_PUBLIC size_t lam_reader_row_group_count(const lam_reader *reader);

/* What the file is, as its end states it. Strings here and below are cut at the first NUL byte. */
typedef struct lam_file_info {
    size_t struct_size;
    uint64_t file_size;     /* bytes */
    uint64_t memory_limit;  /* bytes of each handle that reads: the option, or the default that
                               follows from the file */
    uint32_t footer_size;   /* bytes of the Thrift-encoded footer */
    int32_t version;        /* of the footer; 1 or 2 in present files */
    const char *created_by; /* the writer; NULL if it is not stated; borrowed until close */
    size_t key_value_count; /* for lam_reader_key_value */
} lam_file_info;

LAM_GROWING(lam_file_info);

LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_file_info(const lam_reader *reader,
                                                         lam_file_info *ret_info, lam_error *error);
/*
 * Gives a key and its value of the footer's key-value metadata, borrowed until close; the value is
 * NULL if the file gives none. False, with nothing set, after the last.
 */
LAM_PUBLIC bool lam_reader_key_value(const lam_reader *reader, size_t index, const char **ret_key,
                                     const char **ret_value);
/*
 * A fault that the writer is known to have in the version that the file states, or may have if it
 * states none, and that something in this file may suffer from. One line: what is wrong, what is
 * not believed for that reason, and where the fault is reported. NULL if `index`, counted from 0,
 * is after the last; most files have none. Static.
 */
LAM_PUBLIC const char *lam_reader_known_fault(const lam_reader *reader, size_t index);

typedef struct lam_row_group_info {
    size_t struct_size;
    uint64_t row_count;
    int64_t total_byte_size;       /* before compression, as the file states it */
    int64_t total_compressed_size; /* -1 when not stated */
    int64_t file_offset;           /* -1 when not stated */
    int32_t ordinal;               /* likewise */
    size_t sorting_column_count;   /* for lam_reader_sorting_column */
} lam_row_group_info;

LAM_GROWING(lam_row_group_info);

/* INVALID if there is no such row group. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_row_group(const lam_reader *reader, size_t row_group,
                                                         lam_row_group_info *ret_info,
                                                         lam_error *error);

/* What the footer says of one column chunk; absent numbers are -1, absent bytes have NULL data. */
typedef struct lam_column_chunk_info {
    size_t struct_size;
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

LAM_GROWING(lam_column_chunk_info);

/*
 * INVALID if there is no such chunk, UNSUPPORTED if it is in another file or encrypted, CORRUPT if
 * the footer does not describe it or has another column's chunk in its position.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_column_chunk(const lam_reader *reader,
                                                            size_t row_group, size_t leaf_index,
                                                            lam_column_chunk_info *ret_info,
                                                            lam_error *error);

/* --- Pages --------------------------------------------------------------------------------- */

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
    size_t struct_size;
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

LAM_GROWING(lam_page_info);

/* Steps through the page headers of one column chunk without decoding the pages. */
typedef struct lam_page_list lam_page_list;

/*
 * The reader is borrowed until close. Fails as lam_reader_column_chunk does; CORRUPT also if the
 * chunk cannot lie where the footer states.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_page_list_open(const lam_reader *reader, size_t row_group,
                                                       size_t leaf_index, lam_page_list **ret_list,
                                                       lam_error *error);
/*
 * Gives the next page; `*ret_more` is false at the end. CORRUPT if a header cannot be decoded or
 * its page does not lie in the chunk.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_page_list_next(lam_page_list *list, lam_page_info *ret_info,
                                                       bool *ret_more, lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_page_list_close(lam_page_list *list);

#ifdef __cplusplus
}
#endif

#endif
