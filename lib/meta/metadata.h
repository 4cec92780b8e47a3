/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of a Parquet file as plain C structs, one for each struct of thrift/parquet.thrift
 * and in its order.
 *
 *   required field        a member by value
 *   optional struct       a pointer, NULL when absent
 *   other optional field  a member by value, present if its bit is set in `has`; the bit is
 *                         1 << field id, named LAM_META_<STRUCT>_HAS_<FIELD>
 *   enum                  int32_t, because files may hold numbers that this version does not know
 *   string, binary        lam_bytes; after reading, borrowed from the bytes that were read
 *   list                  {items, count}
 *   union                 {kind, value}: kind is the field id of the member
 *
 * Reading sets every member; absent ones are 0, NULL, empty or the default of the IDL. `has` then
 * also has the bits of the required fields and of the structs. Writing depends only on the named
 * bits and on the pointers.
 *
 * Nothing here is checked beyond the types: an offset may be negative, a count may be false, a list
 * may have the wrong length. Code that uses a number checks it.
 *
 *   file - row_group - column_chunk - column - statistics
 *        - schema_element                     - size_statistics
 *   page_header - data_page_header, data_page_header_v2, dictionary_page_header
 *
 * The structs of the schema are in metadata_schema.h, those of the page index in metadata_index.h.
 * The numbers of the enums are there, in <lamella/format.h> (lam_physical_type, lam_repetition,
 * lam_encoding, lam_page_type) and below.
 */
#ifndef LAM_META_METADATA_H
#define LAM_META_METADATA_H

#include <lamella/common.h>

#include "meta/metadata_index.h"
#include "meta/metadata_list.h"
#include "meta/metadata_schema.h"

/*
 * The kind of a union that a file leaves empty, and of one whose member this version does not know.
 * Both are written as an empty union. AS_READ, which reading never gives, has the bytes of
 * lam_meta_logical_type.as_read written.
 */
enum { LAM_META_UNION_EMPTY = 0, LAM_META_UNION_UNRECOGNIZED = -1, LAM_META_UNION_AS_READ = -2 };

/* --- Statistics ---------------------------------------------------------------------------- */

enum {
    LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES = 1u << 1,
    LAM_META_SIZE_STATISTICS_HAS_REPETITION_LEVEL_HISTOGRAM = 1u << 2,
    LAM_META_SIZE_STATISTICS_HAS_DEFINITION_LEVEL_HISTOGRAM = 1u << 3
};

/*
 * SizeStatistics: how much memory the values of a chunk or page take, and how many triples have
 * each level. A histogram has one element per level, 0 to the maximum; it may be absent if nothing
 * is lost: with repetition maximum 0, with definition maximum 0 or 1.
 *
 *   optional leaf, 3 nulls and 7 values: definition_level_histogram 3 7
 */
typedef struct lam_meta_size_statistics {
    uint32_t has;
    int64_t unencoded_byte_array_data_bytes; /* without lengths; of BYTE_ARRAY only */
    lam_meta_i64_list repetition_level_histogram;
    lam_meta_i64_list definition_level_histogram;
} lam_meta_size_statistics;

enum {
    LAM_META_BOUNDING_BOX_HAS_ZMIN = 1u << 5,
    LAM_META_BOUNDING_BOX_HAS_ZMAX = 1u << 6,
    LAM_META_BOUNDING_BOX_HAS_MMIN = 1u << 7,
    LAM_META_BOUNDING_BOX_HAS_MMAX = 1u << 8
};

/*
 * BoundingBox: the coordinates of all geometries of a chunk. xmin above xmax means, for GEOGRAPHY,
 * a box that crosses the antimeridian. z (height) and m (any measure) are optional.
 */
typedef struct lam_meta_bounding_box {
    uint32_t has;
    double xmin;
    double xmax;
    double ymin;
    double ymax;
    double zmin;
    double zmax;
    double mmin;
    double mmax;
} lam_meta_bounding_box;

enum { LAM_META_GEOSPATIAL_STATISTICS_HAS_GEOSPATIAL_TYPES = 1u << 2 };

/* GeospatialStatistics of a GEOMETRY or GEOGRAPHY chunk. (Geospatial.md) */
typedef struct lam_meta_geospatial_statistics {
    uint32_t has;
    const lam_meta_bounding_box *bbox;
    lam_meta_i32_list geospatial_types; /* WKB numbers: 1 is a point, 1001 one with z */
} lam_meta_geospatial_statistics;

enum {
    LAM_META_STATISTICS_HAS_MAX = 1u << 1,
    LAM_META_STATISTICS_HAS_MIN = 1u << 2,
    LAM_META_STATISTICS_HAS_NULL_COUNT = 1u << 3,
    LAM_META_STATISTICS_HAS_DISTINCT_COUNT = 1u << 4,
    LAM_META_STATISTICS_HAS_MAX_VALUE = 1u << 5,
    LAM_META_STATISTICS_HAS_MIN_VALUE = 1u << 6,
    LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT = 1u << 7,
    LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT = 1u << 8,
    LAM_META_STATISTICS_HAS_NAN_COUNT = 1u << 9
};

/*
 * Statistics of a chunk or page: bounds and counts. Bounds are PLAIN bytes, those of BYTE_ARRAY
 * without their length: the INT32 1 is 01 00 00 00, the string "ab" is 61 62.
 *
 * min and max are deprecated: writers compared them as signed bytes whatever the type. min_value
 * and max_value are in the column's order, and may be shortened, if not exact, to a lower or upper
 * bound.
 */
typedef struct lam_meta_statistics {
    uint32_t has;
    bool is_max_value_exact;
    bool is_min_value_exact;
    lam_bytes max; /* deprecated */
    lam_bytes min;
    int64_t null_count;
    int64_t distinct_count;
    lam_bytes max_value; /* in the order that ColumnOrder states */
    lam_bytes min_value;
    int64_t nan_count;
} lam_meta_statistics;

/* --- Pages --------------------------------------------------------------------------------- */

/* DataPageHeader: of a V1 page, whose levels are inside the compressed body. */
typedef struct lam_meta_data_page_header {
    uint32_t has;
    int32_t num_values; /* triples, nulls included */
    int32_t encoding;   /* lam_encoding, of the values */
    int32_t definition_level_encoding;
    int32_t repetition_level_encoding;
    const lam_meta_statistics *statistics;
} lam_meta_data_page_header;

/* IndexPageHeader: reserved by the format, without fields; such pages are ignored. */
typedef struct lam_meta_index_page_header {
    uint32_t has;
} lam_meta_index_page_header;

enum { LAM_META_DICTIONARY_PAGE_HEADER_HAS_IS_SORTED = 1u << 3 };

/* DictionaryPageHeader: of the page whose values the indexes of the chunk refer to. */
typedef struct lam_meta_dictionary_page_header {
    uint32_t has;
    int32_t num_values; /* entries */
    int32_t encoding;   /* PLAIN, or PLAIN_DICTIONARY, which means the same here */
    bool is_sorted;
} lam_meta_dictionary_page_header;

/* Set when writing only to state it: an absent is_compressed reads as true. */
enum { LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED = 1u << 7 };

/*
 * DataPageHeaderV2: of a page whose levels precede the compressed values and stay uncompressed.
 * Such a page must begin with a record.
 */
typedef struct lam_meta_data_page_header_v2 {
    uint32_t has;
    int32_t num_values; /* triples, nulls included */
    int32_t num_nulls;
    int32_t num_rows; /* records that begin in the page */
    int32_t encoding; /* lam_encoding, of the values */
    int32_t definition_levels_byte_length;
    int32_t repetition_levels_byte_length;
    bool is_compressed; /* true when absent */
    const lam_meta_statistics *statistics;
} lam_meta_data_page_header_v2;

enum { LAM_META_PAGE_HEADER_HAS_CRC = 1u << 4 };

/*
 * PageHeader: precedes every page in the file. The pointer that goes with `type` is set, of data
 * pages and dictionaries, which page_header.h checks when one is read; others are ignored.
 *
 *   | PageHeader, in the compact protocol | body of compressed_page_size bytes |
 */
typedef struct lam_meta_page_header {
    uint32_t has;
    int32_t type;                   /* lam_page_type */
    int32_t uncompressed_page_size; /* bytes, without this header */
    int32_t compressed_page_size;   /* bytes, without this header */
    int32_t crc;                    /* CRC-32 of the bytes after this header */
    const lam_meta_data_page_header *data_page_header;
    const lam_meta_index_page_header *index_page_header;
    const lam_meta_dictionary_page_header *dictionary_page_header;
    const lam_meta_data_page_header_v2 *data_page_header_v2;
} lam_meta_page_header;

/* --- Bloom filters ------------------------------------------------------------------------- */

/* Each of the three unions has one member so far, of kind 1: split block, xxHash, uncompressed. */
typedef struct lam_meta_bloom_filter_algorithm {
    int32_t kind;
} lam_meta_bloom_filter_algorithm;

typedef struct lam_meta_bloom_filter_hash {
    int32_t kind;
} lam_meta_bloom_filter_hash;

typedef struct lam_meta_bloom_filter_compression {
    int32_t kind;
} lam_meta_bloom_filter_compression;

enum {
    LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK = 1,
    LAM_META_BLOOM_FILTER_HASH_XXHASH = 1,
    LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED = 1
};

/*
 * BloomFilterHeader: precedes the bitset of a filter in the file. A filter whose unions have other
 * kinds cannot be used.
 */
typedef struct lam_meta_bloom_filter_header {
    uint32_t has;
    int32_t num_bytes; /* of the bitset */
    lam_meta_bloom_filter_algorithm algorithm;
    lam_meta_bloom_filter_hash hash;
    lam_meta_bloom_filter_compression compression;
} lam_meta_bloom_filter_header;

/* --- Row groups ---------------------------------------------------------------------------- */

enum { LAM_META_KEY_VALUE_HAS_VALUE = 1u << 2 };

/* KeyValue: text of the application, of a file or of a chunk. A key without a value is allowed. */
typedef struct lam_meta_key_value {
    uint32_t has;
    lam_bytes key;
    lam_bytes value;
} lam_meta_key_value;

typedef struct lam_meta_key_value_list {
    const lam_meta_key_value *items;
    uint32_t count;
} lam_meta_key_value_list;

/*
 * SortingColumn: one key by which the rows of a row group are sorted; the first key is the major
 * one.
 */
typedef struct lam_meta_sorting_column {
    uint32_t has;
    int32_t column_idx; /* leaf index */
    bool descending;
    bool nulls_first;
} lam_meta_sorting_column;

typedef struct lam_meta_sorting_column_list {
    const lam_meta_sorting_column *items;
    uint32_t count;
} lam_meta_sorting_column_list;

/* PageEncodingStats: how many pages of a type and encoding a chunk has. */
typedef struct lam_meta_page_encoding_stats {
    uint32_t has;
    int32_t page_type; /* lam_page_type */
    int32_t encoding;
    int32_t count; /* pages */
} lam_meta_page_encoding_stats;

typedef struct lam_meta_page_encoding_stats_list {
    const lam_meta_page_encoding_stats *items;
    uint32_t count;
} lam_meta_page_encoding_stats_list;

enum {
    LAM_META_COLUMN_HAS_KEY_VALUE_METADATA = 1u << 8,
    LAM_META_COLUMN_HAS_INDEX_PAGE_OFFSET = 1u << 10,
    LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET = 1u << 11,
    LAM_META_COLUMN_HAS_ENCODING_STATS = 1u << 13,
    LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET = 1u << 14,
    LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH = 1u << 15
};

/*
 * ColumnMetaData: all that the footer states about a column chunk. Offsets count from the start of
 * the file.
 *
 *   dictionary_page_offset, or data_page_offset without a dictionary
 *   | dictionary page | data pages ...     |
 *   <------ total_compressed_size --------->
 */
typedef struct lam_meta_column {
    uint32_t has;
    int32_t type;                       /* lam_physical_type */
    lam_meta_i32_list encodings;        /* lam_encoding */
    lam_meta_bytes_list path_in_schema; /* names from below the root to the leaf */
    int32_t codec;                      /* as in the format: lam_codec less one */
    int32_t bloom_filter_length;        /* bytes, its header included */
    int64_t num_values;                 /* triples, nulls included */
    int64_t total_uncompressed_size;    /* bytes, page headers included */
    int64_t total_compressed_size;      /* bytes, page headers included */
    lam_meta_key_value_list key_value_metadata;
    int64_t data_page_offset;
    int64_t index_page_offset;
    int64_t dictionary_page_offset;
    const lam_meta_statistics *statistics;
    lam_meta_page_encoding_stats_list encoding_stats;
    int64_t bloom_filter_offset;
    const lam_meta_size_statistics *size_statistics;
    const lam_meta_geospatial_statistics *geospatial_statistics;
} lam_meta_column;

enum { LAM_META_ENCRYPTION_WITH_COLUMN_KEY_HAS_KEY_METADATA = 1u << 2 };

/* EncryptionWithColumnKey: the chunk has a key of its own. (Encryption.md) */
typedef struct lam_meta_encryption_with_column_key {
    uint32_t has;
    lam_meta_bytes_list path_in_schema;
    lam_bytes key_metadata;
} lam_meta_encryption_with_column_key;

/* ColumnCryptoMetaData: by which key a chunk is encrypted. */
typedef enum lam_meta_column_crypto_kind {
    LAM_META_COLUMN_CRYPTO_FOOTER_KEY = 1,
    LAM_META_COLUMN_CRYPTO_COLUMN_KEY = 2
} lam_meta_column_crypto_kind;

typedef struct lam_meta_column_crypto {
    int32_t kind; /* lam_meta_column_crypto_kind or LAM_META_UNION_... */
    union {
        lam_meta_encryption_with_column_key column_key;
    } value;
} lam_meta_column_crypto;

enum {
    LAM_META_COLUMN_CHUNK_HAS_FILE_PATH = 1u << 1,
    LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET = 1u << 4,
    LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH = 1u << 5,
    LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET = 1u << 6,
    LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH = 1u << 7,
    LAM_META_COLUMN_CHUNK_HAS_ENCRYPTED_COLUMN_METADATA = 1u << 9
};

/*
 * ColumnChunk: the metadata of a chunk, and where its offset index and column index are. The
 * metadata are absent if they are encrypted.
 */
typedef struct lam_meta_column_chunk {
    uint32_t has;
    int32_t offset_index_length;
    lam_bytes file_path; /* of another file that has the chunk; this one if absent */
    int64_t file_offset; /* deprecated: 0, or anything */
    const lam_meta_column *meta_data;
    int64_t offset_index_offset;
    int64_t column_index_offset;
    int32_t column_index_length;
    const lam_meta_column_crypto *crypto_metadata;
    lam_bytes encrypted_column_metadata;
} lam_meta_column_chunk;

typedef struct lam_meta_column_chunk_list {
    const lam_meta_column_chunk *items;
    uint32_t count;
} lam_meta_column_chunk_list;

enum {
    LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS = 1u << 4,
    LAM_META_ROW_GROUP_HAS_FILE_OFFSET = 1u << 5,
    LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE = 1u << 6,
    LAM_META_ROW_GROUP_HAS_ORDINAL = 1u << 7
};

/* RowGroup: the chunks of a range of rows, one per leaf in the order of the schema. */
typedef struct lam_meta_row_group {
    uint32_t has;
    int16_t ordinal;
    lam_meta_column_chunk_list columns; /* one per leaf */
    int64_t total_byte_size;            /* before compression */
    int64_t num_rows;
    lam_meta_sorting_column_list sorting_columns;
    int64_t file_offset; /* of the first page */
    int64_t total_compressed_size;
} lam_meta_row_group;

typedef struct lam_meta_row_group_list {
    const lam_meta_row_group *items;
    uint32_t count;
} lam_meta_row_group_list;

/* Where structs that stay encoded begin, in bytes from the first one of their message. */
typedef struct lam_meta_position_list {
    const uint32_t *items;
    uint32_t count;
} lam_meta_position_list;

/* RowGroup without its column chunks: of these it has the positions in the footer. */
typedef struct lam_meta_row_group_view {
    uint32_t has; /* LAM_META_ROW_GROUP_HAS_... */
    int16_t ordinal;
    lam_meta_position_list columns; /* one per leaf */
    int64_t total_byte_size;
    int64_t num_rows;
    lam_meta_sorting_column_list sorting_columns;
    int64_t file_offset;
    int64_t total_compressed_size;
} lam_meta_row_group_view;

typedef struct lam_meta_row_group_view_list {
    const lam_meta_row_group_view *items;
    uint32_t count;
} lam_meta_row_group_view_list;

/* --- Orders of columns --------------------------------------------------------------------- */

/*
 * ColumnOrder: the order in which the bounds of a column are. TYPE is the order that
 * LogicalTypes.md gives for the type; in it a NaN has no position, and -0 equals +0. IEEE_754_TOTAL
 * orders these, too:
 *
 *   -NaN < -Infinity < ... < -0 < +0 < ... < Infinity < NaN
 */
typedef enum lam_meta_column_order_kind {
    LAM_META_COLUMN_ORDER_TYPE = 1,
    LAM_META_COLUMN_ORDER_IEEE_754_TOTAL = 2,
    LAM_META_COLUMN_ORDER_INT96_TIMESTAMP = 3
} lam_meta_column_order_kind;

typedef struct lam_meta_column_order {
    int32_t kind; /* lam_meta_column_order_kind or LAM_META_UNION_... */
} lam_meta_column_order;

typedef struct lam_meta_column_order_list {
    const lam_meta_column_order *items;
    uint32_t count;
} lam_meta_column_order_list;

/* --- File ---------------------------------------------------------------------------------- */

enum {
    LAM_META_AES_GCM_HAS_AAD_PREFIX = 1u << 1,
    LAM_META_AES_GCM_HAS_AAD_FILE_UNIQUE = 1u << 2,
    LAM_META_AES_GCM_HAS_SUPPLY_AAD_PREFIX = 1u << 3
};

/* AesGcmV1 and AesGcmCtrV1, whose fields are the same. (Encryption.md, section "Algorithms") */
typedef struct lam_meta_aes_gcm {
    uint32_t has;
    bool supply_aad_prefix;
    lam_bytes aad_prefix;
    lam_bytes aad_file_unique;
} lam_meta_aes_gcm;

typedef enum lam_meta_encryption_kind {
    LAM_META_ENCRYPTION_AES_GCM_V1 = 1,
    LAM_META_ENCRYPTION_AES_GCM_CTR_V1 = 2
} lam_meta_encryption_kind;

/* EncryptionAlgorithm: how an encrypted file, or a signed footer, is made. */
typedef struct lam_meta_encryption {
    int32_t kind; /* lam_meta_encryption_kind or LAM_META_UNION_... */
    union {
        lam_meta_aes_gcm aes_gcm; /* both kinds */
    } value;
} lam_meta_encryption;

enum {
    LAM_META_FILE_HAS_KEY_VALUE_METADATA = 1u << 5,
    LAM_META_FILE_HAS_CREATED_BY = 1u << 6,
    LAM_META_FILE_HAS_COLUMN_ORDERS = 1u << 7,
    LAM_META_FILE_HAS_FOOTER_SIGNING_KEY_METADATA = 1u << 9
};

/*
 * FileMetaData: the footer, the last thing in a file but for its length and the magic number.
 *
 *   PAR1 | row groups, page index, Bloom filters ... | FileMetaData | length, u32 | PAR1
 */
typedef struct lam_meta_file {
    uint32_t has;
    int32_t version;
    lam_meta_schema_element_list schema; /* preorder, the root first */
    int64_t num_rows;                    /* of all row groups */
    lam_meta_row_group_list row_groups;
    lam_meta_key_value_list key_value_metadata;
    lam_bytes created_by; /* the writer and its version, as known_faults.h reads it */
    lam_meta_column_order_list column_orders; /* one per leaf */
    const lam_meta_encryption *encryption_algorithm;
    lam_bytes footer_signing_key_metadata;
} lam_meta_file;

/*
 * FileMetaData as readers of some columns use it: all is decoded but the column chunks, which are
 * most of a footer's bytes. lam_meta_read_column_chunk decodes one of them.
 */
typedef struct lam_meta_file_view {
    uint32_t has; /* LAM_META_FILE_HAS_... */
    int32_t version;
    lam_meta_schema_element_list schema;
    int64_t num_rows;
    lam_meta_row_group_view_list row_groups;
    lam_meta_key_value_list key_value_metadata;
    lam_bytes created_by;
    lam_meta_column_order_list column_orders;
    const lam_meta_encryption *encryption_algorithm;
    lam_bytes footer_signing_key_metadata;
    lam_bytes bytes; /* of the footer, borrowed: positions of chunks count from the first */
} lam_meta_file_view;

enum { LAM_META_FILE_CRYPTO_HAS_KEY_METADATA = 1u << 2 };

/* FileCryptoMetaData: precedes an encrypted footer, in a file whose magic number is PARE. */
typedef struct lam_meta_file_crypto {
    uint32_t has;
    lam_meta_encryption encryption_algorithm;
    lam_bytes key_metadata;
} lam_meta_file_crypto;

#endif
