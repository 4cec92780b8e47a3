/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the structs of thrift/parquet.thrift in constant tables, in the order of the IDL: for
 * each field its id, the C member that holds it, and its kind. A struct comes after those that it
 * contains.
 *
 *   struct KeyValue {                   key_value_fields:
 *     1: required string key              [1] "key",   offset of key,   BYTES
 *     2: optional string value            [2] "value", offset of value, BYTES
 *   }                                   key_value_table: "KeyValue", required ID(1)
 *
 * The invariant: table and C struct name the same members, which the compiler checks by offsetof;
 * names, ids, kinds and presence are those of the IDL, which the tests compare with its text and
 * with Thrift's own code. Ids stay below 32, the bits of `has`. (parquet.thrift)
 */
#include "meta/tables.h"

#include <stddef.h>

#include "meta/metadata.h"

/* The bit of a field in `required`, `has` and `seen`. */
#define ID(id) (1u << (id))
#define LAST_ID(fields) (sizeof(fields) / sizeof(fields)[0] - 1)

/* clang-format off */
/*
 * The fields of lam_meta_x are the array x_fields, and its table is x_table. A field of a plain
 * kind, one with a struct, a list of plain elements, a list of structs, a union member with a
 * struct, one without.
 */
#define TABLES_FIELD(type, member, kind)                                                                  \
    { #member, NULL, offsetof(lam_meta_##type, member), LAM_META_KIND_##kind, 0 }
/* The same for members whose name in the IDL is in mixed case. */
#define TABLES_NAMED(name, type, member, kind)                                                          \
    { name, NULL, offsetof(lam_meta_##type, member), LAM_META_KIND_##kind, 0 }
#define TABLES_NAMED_CHILD(name, type, member, kind, child)                                             \
    { name, &child##_table, offsetof(lam_meta_##type, member), LAM_META_KIND_##kind, 0 }
#define TABLES_CHILD(type, member, kind, child)                                                           \
    { #member, &child##_table, offsetof(lam_meta_##type, member), LAM_META_KIND_##kind, 0 }
#define TABLES_LIST(type, member, element)                                                                \
    { #member, NULL, offsetof(lam_meta_##type, member), LAM_META_KIND_LIST,                        \
      LAM_META_KIND_##element }
#define LIST_OF(type, member, child)                                                               \
    { #member, &child##_table, offsetof(lam_meta_##type, member), LAM_META_KIND_LIST,              \
      LAM_META_KIND_STRUCT }
#define LIST_POSITIONS(type, member, child)                                                           \
    { #member, &child##_table, offsetof(lam_meta_##type, member), LAM_META_KIND_LIST,              \
      LAM_META_KIND_POSITION }
#define MEMBER(type, name, member, child)                                                                \
    { #name, &child##_table, offsetof(lam_meta_##type, value.member), LAM_META_KIND_STRUCT, 0 }
#define TABLES_EMPTY(name)                                                                                \
    { #name, NULL, 0, LAM_META_KIND_EMPTY, 0 }

#define STRUCT(type, idl_name, required)                                                           \
    {                                                                                              \
        idl_name, type##_fields, NULL, (required), sizeof(lam_meta_##type),                        \
            LAST_ID(type##_fields), false, 0                                                       \
    }
#define UNION(type, idl_name)                                                                      \
    { idl_name, type##_fields, NULL, 0, sizeof(lam_meta_##type), LAST_ID(type##_fields), true, 0 }
/* clang-format on */

/* --- Statistics ---------------------------------------------------------------------------- */

/*
 * SizeStatistics, BoundingBox, GeospatialStatistics, Statistics: all that bounds or counts values.
 */
static const lam_meta_field size_statistics_fields[] = {
    [1] = TABLES_FIELD(size_statistics, unencoded_byte_array_data_bytes, I64),
    [2] = TABLES_LIST(size_statistics, repetition_level_histogram, I64),
    [3] = TABLES_LIST(size_statistics, definition_level_histogram, I64),
};
static const lam_meta_struct size_statistics_table = STRUCT(size_statistics, "SizeStatistics", 0);

static const lam_meta_field bounding_box_fields[] = {
    [1] = TABLES_FIELD(bounding_box, xmin, DOUBLE), [2] = TABLES_FIELD(bounding_box, xmax, DOUBLE),
    [3] = TABLES_FIELD(bounding_box, ymin, DOUBLE), [4] = TABLES_FIELD(bounding_box, ymax, DOUBLE),
    [5] = TABLES_FIELD(bounding_box, zmin, DOUBLE), [6] = TABLES_FIELD(bounding_box, zmax, DOUBLE),
    [7] = TABLES_FIELD(bounding_box, mmin, DOUBLE), [8] = TABLES_FIELD(bounding_box, mmax, DOUBLE),
};
static const lam_meta_struct bounding_box_table =
    STRUCT(bounding_box, "BoundingBox", ID(1) | ID(2) | ID(3) | ID(4));

static const lam_meta_field geospatial_statistics_fields[] = {
    [1] = TABLES_CHILD(geospatial_statistics, bbox, POINTER, bounding_box),
    [2] = TABLES_LIST(geospatial_statistics, geospatial_types, I32),
};
static const lam_meta_struct geospatial_statistics_table =
    STRUCT(geospatial_statistics, "GeospatialStatistics", 0);

static const lam_meta_field statistics_fields[] = {
    [1] = TABLES_FIELD(statistics, max, BYTES),
    [2] = TABLES_FIELD(statistics, min, BYTES),
    [3] = TABLES_FIELD(statistics, null_count, I64),
    [4] = TABLES_FIELD(statistics, distinct_count, I64),
    [5] = TABLES_FIELD(statistics, max_value, BYTES),
    [6] = TABLES_FIELD(statistics, min_value, BYTES),
    [7] = TABLES_FIELD(statistics, is_max_value_exact, BOOL),
    [8] = TABLES_FIELD(statistics, is_min_value_exact, BOOL),
    [9] = TABLES_FIELD(statistics, nan_count, I64),
};
static const lam_meta_struct statistics_table = STRUCT(statistics, "Statistics", 0);

/* --- Schema -------------------------------------------------------------------------------- */

/*
 * The arguments of logical types. Types without arguments have no table; they are EMPTY in
 * LogicalType.
 */
static const lam_meta_field decimal_type_fields[] = {
    [1] = TABLES_FIELD(decimal_type, scale, I32),
    [2] = TABLES_FIELD(decimal_type, precision, I32),
};
static const lam_meta_struct decimal_type_table =
    STRUCT(decimal_type, "DecimalType", ID(1) | ID(2));

static const lam_meta_field time_unit_fields[] = {
    [1] = TABLES_EMPTY(MILLIS),
    [2] = TABLES_EMPTY(MICROS),
    [3] = TABLES_EMPTY(NANOS),
};
static const lam_meta_struct time_unit_table = UNION(time_unit, "TimeUnit");

static const lam_meta_field time_type_fields[] = {
    [1] = TABLES_NAMED("isAdjustedToUTC", time_type, is_adjusted_to_utc, BOOL),
    [2] = TABLES_CHILD(time_type, unit, STRUCT, time_unit),
};
static const lam_meta_struct time_type_table = STRUCT(time_type, "TimeType", ID(1) | ID(2));

static const lam_meta_field int_type_fields[] = {
    [1] = TABLES_NAMED("bitWidth", int_type, bit_width, I8),
    [2] = TABLES_NAMED("isSigned", int_type, is_signed, BOOL),
};
static const lam_meta_struct int_type_table = STRUCT(int_type, "IntType", ID(1) | ID(2));

static const lam_meta_field variant_type_fields[] = {
    [1] = TABLES_FIELD(variant_type, specification_version, I8),
};
static const lam_meta_struct variant_type_table = STRUCT(variant_type, "VariantType", 0);

static const lam_meta_field geometry_type_fields[] = {
    [1] = TABLES_FIELD(geometry_type, crs, BYTES),
};
static const lam_meta_struct geometry_type_table = STRUCT(geometry_type, "GeometryType", 0);

static const lam_meta_field geography_type_fields[] = {
    [1] = TABLES_FIELD(geography_type, crs, BYTES),
    [2] = TABLES_FIELD(geography_type, algorithm, I32),
};
static const lam_meta_struct geography_type_table = STRUCT(geography_type, "GeographyType", 0);

/* LogicalType. Id 9 is reserved for INTERVAL and unknown here. */
static const lam_meta_field logical_type_fields[] = {
    [1] = TABLES_EMPTY(STRING),
    [2] = TABLES_EMPTY(MAP),
    [3] = TABLES_EMPTY(LIST),
    [4] = TABLES_EMPTY(ENUM),
    [5] = MEMBER(logical_type, DECIMAL, decimal, decimal_type),
    [6] = TABLES_EMPTY(DATE),
    [7] = MEMBER(logical_type, TIME, time, time_type),
    [8] = MEMBER(logical_type, TIMESTAMP, time, time_type),
    [10] = MEMBER(logical_type, INTEGER, integer, int_type),
    [11] = TABLES_EMPTY(UNKNOWN),
    [12] = TABLES_EMPTY(JSON),
    [13] = TABLES_EMPTY(BSON),
    [14] = TABLES_EMPTY(UUID),
    [15] = TABLES_EMPTY(FLOAT16),
    [16] = MEMBER(logical_type, VARIANT, variant, variant_type),
    [17] = MEMBER(logical_type, GEOMETRY, geometry, geometry_type),
    [18] = MEMBER(logical_type, GEOGRAPHY, geography, geography_type),
    [19] = TABLES_EMPTY(FILE),
};
const lam_meta_struct lam_meta_logical_type_table = {
    .name = "LogicalType",
    .fields = logical_type_fields,
    .size = sizeof(lam_meta_logical_type),
    .last_id = LAST_ID(logical_type_fields),
    .is_union = true,
    .as_read = offsetof(lam_meta_logical_type, as_read),
};

/*
 * SchemaElement. Only the name is required: the root has no repetition, a group no type, a leaf no
 * children.
 */
static const lam_meta_field schema_element_fields[] = {
    [1] = TABLES_FIELD(schema_element, type, I32),
    [2] = TABLES_FIELD(schema_element, type_length, I32),
    [3] = TABLES_FIELD(schema_element, repetition_type, I32),
    [4] = TABLES_FIELD(schema_element, name, BYTES),
    [5] = TABLES_FIELD(schema_element, num_children, I32),
    [6] = TABLES_FIELD(schema_element, converted_type, I32),
    [7] = TABLES_FIELD(schema_element, scale, I32),
    [8] = TABLES_FIELD(schema_element, precision, I32),
    [9] = TABLES_FIELD(schema_element, field_id, I32),
    [10] = TABLES_NAMED_CHILD("logicalType", schema_element, logical_type, POINTER,
                              lam_meta_logical_type),
};
static const lam_meta_struct schema_element_table = STRUCT(schema_element, "SchemaElement", ID(4));

/* --- Pages --------------------------------------------------------------------------------- */

/*
 * PageHeader has one pointer per kind of page. Each page in a file begins with one, so its numbers
 * are the fields that are read most often.
 */
static const lam_meta_field data_page_header_fields[] = {
    [1] = TABLES_FIELD(data_page_header, num_values, I32),
    [2] = TABLES_FIELD(data_page_header, encoding, I32),
    [3] = TABLES_FIELD(data_page_header, definition_level_encoding, I32),
    [4] = TABLES_FIELD(data_page_header, repetition_level_encoding, I32),
    [5] = TABLES_CHILD(data_page_header, statistics, POINTER, statistics),
};
static const lam_meta_struct data_page_header_table =
    STRUCT(data_page_header, "DataPageHeader", ID(1) | ID(2) | ID(3) | ID(4));

/* A struct without fields: the array holds id 0 only, since C has no empty arrays. */
static const lam_meta_field index_page_header_fields[] = {{NULL, NULL, 0, 0, 0}};
static const lam_meta_struct index_page_header_table =
    STRUCT(index_page_header, "IndexPageHeader", 0);

static const lam_meta_field dictionary_page_header_fields[] = {
    [1] = TABLES_FIELD(dictionary_page_header, num_values, I32),
    [2] = TABLES_FIELD(dictionary_page_header, encoding, I32),
    [3] = TABLES_FIELD(dictionary_page_header, is_sorted, BOOL),
};
static const lam_meta_struct dictionary_page_header_table =
    STRUCT(dictionary_page_header, "DictionaryPageHeader", ID(1) | ID(2));

static const lam_meta_field data_page_header_v2_fields[] = {
    [1] = TABLES_FIELD(data_page_header_v2, num_values, I32),
    [2] = TABLES_FIELD(data_page_header_v2, num_nulls, I32),
    [3] = TABLES_FIELD(data_page_header_v2, num_rows, I32),
    [4] = TABLES_FIELD(data_page_header_v2, encoding, I32),
    [5] = TABLES_FIELD(data_page_header_v2, definition_levels_byte_length, I32),
    [6] = TABLES_FIELD(data_page_header_v2, repetition_levels_byte_length, I32),
    [7] = TABLES_FIELD(data_page_header_v2, is_compressed, BOOL),
    [8] = TABLES_CHILD(data_page_header_v2, statistics, POINTER, statistics),
};
/* The one default in the IDL that is not zero: an absent is_compressed is true. */
static const lam_meta_data_page_header_v2 data_page_header_v2_initial = {.is_compressed = true};
static const lam_meta_struct data_page_header_v2_table = {
    .name = "DataPageHeaderV2",
    .fields = data_page_header_v2_fields,
    .initial = &data_page_header_v2_initial,
    .required = ID(1) | ID(2) | ID(3) | ID(4) | ID(5) | ID(6),
    .size = sizeof(lam_meta_data_page_header_v2),
    .last_id = LAST_ID(data_page_header_v2_fields),
};

static const lam_meta_field page_header_fields[] = {
    [1] = TABLES_FIELD(page_header, type, I32),
    [2] = TABLES_FIELD(page_header, uncompressed_page_size, I32),
    [3] = TABLES_FIELD(page_header, compressed_page_size, I32),
    [4] = TABLES_FIELD(page_header, crc, I32),
    [5] = TABLES_CHILD(page_header, data_page_header, POINTER, data_page_header),
    [6] = TABLES_CHILD(page_header, index_page_header, POINTER, index_page_header),
    [7] = TABLES_CHILD(page_header, dictionary_page_header, POINTER, dictionary_page_header),
    [8] = TABLES_CHILD(page_header, data_page_header_v2, POINTER, data_page_header_v2),
};
const lam_meta_struct lam_meta_page_header_table =
    STRUCT(page_header, "PageHeader", ID(1) | ID(2) | ID(3));

/* --- Bloom filters ------------------------------------------------------------------------- */

/* BloomFilterHeader: three unions of one member each, so that the format may add others. */
static const lam_meta_field bloom_filter_algorithm_fields[] = {[1] = TABLES_EMPTY(BLOCK)};
static const lam_meta_struct bloom_filter_algorithm_table =
    UNION(bloom_filter_algorithm, "BloomFilterAlgorithm");

static const lam_meta_field bloom_filter_hash_fields[] = {[1] = TABLES_EMPTY(XXHASH)};
static const lam_meta_struct bloom_filter_hash_table = UNION(bloom_filter_hash, "BloomFilterHash");

static const lam_meta_field bloom_filter_compression_fields[] = {[1] = TABLES_EMPTY(UNCOMPRESSED)};
static const lam_meta_struct bloom_filter_compression_table =
    UNION(bloom_filter_compression, "BloomFilterCompression");

static const lam_meta_field bloom_filter_header_fields[] = {
    [1] = TABLES_NAMED("numBytes", bloom_filter_header, num_bytes, I32),
    [2] = TABLES_CHILD(bloom_filter_header, algorithm, STRUCT, bloom_filter_algorithm),
    [3] = TABLES_CHILD(bloom_filter_header, hash, STRUCT, bloom_filter_hash),
    [4] = TABLES_CHILD(bloom_filter_header, compression, STRUCT, bloom_filter_compression),
};
const lam_meta_struct lam_meta_bloom_filter_header_table =
    STRUCT(bloom_filter_header, "BloomFilterHeader", ID(1) | ID(2) | ID(3) | ID(4));

/* --- Row groups ---------------------------------------------------------------------------- */

/*
 * RowGroup, its ColumnChunks, and their ColumnMetaData. The crypto structs are read to know that a
 * chunk is encrypted, and by which key.
 */
static const lam_meta_field key_value_fields[] = {
    [1] = TABLES_FIELD(key_value, key, BYTES),
    [2] = TABLES_FIELD(key_value, value, BYTES),
};
static const lam_meta_struct key_value_table = STRUCT(key_value, "KeyValue", ID(1));

static const lam_meta_field sorting_column_fields[] = {
    [1] = TABLES_FIELD(sorting_column, column_idx, I32),
    [2] = TABLES_FIELD(sorting_column, descending, BOOL),
    [3] = TABLES_FIELD(sorting_column, nulls_first, BOOL),
};
static const lam_meta_struct sorting_column_table =
    STRUCT(sorting_column, "SortingColumn", ID(1) | ID(2) | ID(3));

static const lam_meta_field page_encoding_stats_fields[] = {
    [1] = TABLES_FIELD(page_encoding_stats, page_type, I32),
    [2] = TABLES_FIELD(page_encoding_stats, encoding, I32),
    [3] = TABLES_FIELD(page_encoding_stats, count, I32),
};
static const lam_meta_struct page_encoding_stats_table =
    STRUCT(page_encoding_stats, "PageEncodingStats", ID(1) | ID(2) | ID(3));

static const lam_meta_field column_fields[] = {
    [1] = TABLES_FIELD(column, type, I32),
    [2] = TABLES_LIST(column, encodings, I32),
    [3] = TABLES_LIST(column, path_in_schema, BYTES),
    [4] = TABLES_FIELD(column, codec, I32),
    [5] = TABLES_FIELD(column, num_values, I64),
    [6] = TABLES_FIELD(column, total_uncompressed_size, I64),
    [7] = TABLES_FIELD(column, total_compressed_size, I64),
    [8] = LIST_OF(column, key_value_metadata, key_value),
    [9] = TABLES_FIELD(column, data_page_offset, I64),
    [10] = TABLES_FIELD(column, index_page_offset, I64),
    [11] = TABLES_FIELD(column, dictionary_page_offset, I64),
    [12] = TABLES_CHILD(column, statistics, POINTER, statistics),
    [13] = LIST_OF(column, encoding_stats, page_encoding_stats),
    [14] = TABLES_FIELD(column, bloom_filter_offset, I64),
    [15] = TABLES_FIELD(column, bloom_filter_length, I32),
    [16] = TABLES_CHILD(column, size_statistics, POINTER, size_statistics),
    [17] = TABLES_CHILD(column, geospatial_statistics, POINTER, geospatial_statistics),
};
static const lam_meta_struct column_table =
    STRUCT(column, "ColumnMetaData", ID(1) | ID(2) | ID(3) | ID(4) | ID(5) | ID(6) | ID(7) | ID(9));

static const lam_meta_field encryption_with_column_key_fields[] = {
    [1] = TABLES_LIST(encryption_with_column_key, path_in_schema, BYTES),
    [2] = TABLES_FIELD(encryption_with_column_key, key_metadata, BYTES),
};
static const lam_meta_struct encryption_with_column_key_table =
    STRUCT(encryption_with_column_key, "EncryptionWithColumnKey", ID(1));

static const lam_meta_field column_crypto_fields[] = {
    [1] = TABLES_EMPTY(ENCRYPTION_WITH_FOOTER_KEY),
    [2] = MEMBER(column_crypto, ENCRYPTION_WITH_COLUMN_KEY, column_key, encryption_with_column_key),
};
static const lam_meta_struct column_crypto_table = UNION(column_crypto, "ColumnCryptoMetaData");

static const lam_meta_field column_chunk_fields[] = {
    [1] = TABLES_FIELD(column_chunk, file_path, BYTES),
    [2] = TABLES_FIELD(column_chunk, file_offset, I64),
    [3] = TABLES_CHILD(column_chunk, meta_data, POINTER, column),
    [4] = TABLES_FIELD(column_chunk, offset_index_offset, I64),
    [5] = TABLES_FIELD(column_chunk, offset_index_length, I32),
    [6] = TABLES_FIELD(column_chunk, column_index_offset, I64),
    [7] = TABLES_FIELD(column_chunk, column_index_length, I32),
    [8] = TABLES_CHILD(column_chunk, crypto_metadata, POINTER, column_crypto),
    [9] = TABLES_FIELD(column_chunk, encrypted_column_metadata, BYTES),
};
const lam_meta_struct lam_meta_column_chunk_table = STRUCT(column_chunk, "ColumnChunk", ID(2));

static const lam_meta_field row_group_fields[] = {
    [1] = LIST_OF(row_group, columns, lam_meta_column_chunk),
    [2] = TABLES_FIELD(row_group, total_byte_size, I64),
    [3] = TABLES_FIELD(row_group, num_rows, I64),
    [4] = LIST_OF(row_group, sorting_columns, sorting_column),
    [5] = TABLES_FIELD(row_group, file_offset, I64),
    [6] = TABLES_FIELD(row_group, total_compressed_size, I64),
    [7] = TABLES_FIELD(row_group, ordinal, I16),
};
const lam_meta_struct lam_meta_row_group_table =
    STRUCT(row_group, "RowGroup", ID(1) | ID(2) | ID(3));

/* The same without the column chunks, which are checked and stay encoded. */
static const lam_meta_field row_group_view_fields[] = {
    [1] = LIST_POSITIONS(row_group_view, columns, lam_meta_column_chunk),
    [2] = TABLES_FIELD(row_group_view, total_byte_size, I64),
    [3] = TABLES_FIELD(row_group_view, num_rows, I64),
    [4] = LIST_OF(row_group_view, sorting_columns, sorting_column),
    [5] = TABLES_FIELD(row_group_view, file_offset, I64),
    [6] = TABLES_FIELD(row_group_view, total_compressed_size, I64),
    [7] = TABLES_FIELD(row_group_view, ordinal, I16),
};
static const lam_meta_struct row_group_view_table =
    STRUCT(row_group_view, "RowGroup", ID(1) | ID(2) | ID(3));

/* --- Page index ---------------------------------------------------------------------------- */

/* The page index: OffsetIndex and ColumnIndex are messages of their own, after the row groups. */
static const lam_meta_field column_order_fields[] = {
    [1] = TABLES_EMPTY(TYPE_ORDER),
    [2] = TABLES_EMPTY(IEEE_754_TOTAL_ORDER),
    [3] = TABLES_EMPTY(INT96_TIMESTAMP_ORDER),
};
static const lam_meta_struct column_order_table = UNION(column_order, "ColumnOrder");

static const lam_meta_field page_location_fields[] = {
    [1] = TABLES_FIELD(page_location, offset, I64),
    [2] = TABLES_FIELD(page_location, compressed_page_size, I32),
    [3] = TABLES_FIELD(page_location, first_row_index, I64),
};
static const lam_meta_struct page_location_table =
    STRUCT(page_location, "PageLocation", ID(1) | ID(2) | ID(3));

static const lam_meta_field offset_index_fields[] = {
    [1] = LIST_OF(offset_index, page_locations, page_location),
    [2] = TABLES_LIST(offset_index, unencoded_byte_array_data_bytes, I64),
};
const lam_meta_struct lam_meta_offset_index_table = STRUCT(offset_index, "OffsetIndex", ID(1));

static const lam_meta_field column_index_fields[] = {
    [1] = TABLES_LIST(column_index, null_pages, BOOL),
    [2] = TABLES_LIST(column_index, min_values, BYTES),
    [3] = TABLES_LIST(column_index, max_values, BYTES),
    [4] = TABLES_FIELD(column_index, boundary_order, I32),
    [5] = TABLES_LIST(column_index, null_counts, I64),
    [6] = TABLES_LIST(column_index, repetition_level_histograms, I64),
    [7] = TABLES_LIST(column_index, definition_level_histograms, I64),
    [8] = TABLES_LIST(column_index, nan_counts, I64),
};
const lam_meta_struct lam_meta_column_index_table =
    STRUCT(column_index, "ColumnIndex", ID(1) | ID(2) | ID(3) | ID(4));

/* --- File ---------------------------------------------------------------------------------- */

/* FileMetaData and FileCryptoMetaData: both algorithms have the same fields. */
static const lam_meta_field aes_gcm_fields[] = {
    [1] = TABLES_FIELD(aes_gcm, aad_prefix, BYTES),
    [2] = TABLES_FIELD(aes_gcm, aad_file_unique, BYTES),
    [3] = TABLES_FIELD(aes_gcm, supply_aad_prefix, BOOL),
};
static const lam_meta_struct aes_gcm_table = STRUCT(aes_gcm, "AesGcmV1", 0);

static const lam_meta_field encryption_fields[] = {
    [1] = MEMBER(encryption, AES_GCM_V1, aes_gcm, aes_gcm),
    [2] = MEMBER(encryption, AES_GCM_CTR_V1, aes_gcm, aes_gcm),
};
static const lam_meta_struct encryption_table = UNION(encryption, "EncryptionAlgorithm");

static const lam_meta_field file_fields[] = {
    [1] = TABLES_FIELD(file, version, I32),
    [2] = LIST_OF(file, schema, schema_element),
    [3] = TABLES_FIELD(file, num_rows, I64),
    [4] = LIST_OF(file, row_groups, lam_meta_row_group),
    [5] = LIST_OF(file, key_value_metadata, key_value),
    [6] = TABLES_FIELD(file, created_by, BYTES),
    [7] = LIST_OF(file, column_orders, column_order),
    [8] = TABLES_CHILD(file, encryption_algorithm, POINTER, encryption),
    [9] = TABLES_FIELD(file, footer_signing_key_metadata, BYTES),
};
const lam_meta_struct lam_meta_file_table =
    STRUCT(file, "FileMetaData", ID(1) | ID(2) | ID(3) | ID(4));

/* The same with row groups whose column chunks stay encoded. */
static const lam_meta_field file_view_fields[] = {
    [1] = TABLES_FIELD(file_view, version, I32),
    [2] = LIST_OF(file_view, schema, schema_element),
    [3] = TABLES_FIELD(file_view, num_rows, I64),
    [4] = LIST_OF(file_view, row_groups, row_group_view),
    [5] = LIST_OF(file_view, key_value_metadata, key_value),
    [6] = TABLES_FIELD(file_view, created_by, BYTES),
    [7] = LIST_OF(file_view, column_orders, column_order),
    [8] = TABLES_CHILD(file_view, encryption_algorithm, POINTER, encryption),
    [9] = TABLES_FIELD(file_view, footer_signing_key_metadata, BYTES),
};
const lam_meta_struct lam_meta_file_view_table =
    STRUCT(file_view, "FileMetaData", ID(1) | ID(2) | ID(3) | ID(4));

static const lam_meta_field file_crypto_fields[] = {
    [1] = TABLES_CHILD(file_crypto, encryption_algorithm, STRUCT, encryption),
    [2] = TABLES_FIELD(file_crypto, key_metadata, BYTES),
};
const lam_meta_struct lam_meta_file_crypto_table = STRUCT(file_crypto, "FileCryptoMetaData", ID(1));

/* --- Elements ------------------------------------------------------------------------------ */

size_t lam_meta_element_size(const lam_meta_field *list) {
    switch (list->element) {
    case LAM_META_KIND_BOOL:
        return sizeof(bool);
    case LAM_META_KIND_I32:
        return sizeof(int32_t);
    case LAM_META_KIND_I64:
        return sizeof(int64_t);
    case LAM_META_KIND_BYTES:
        return sizeof(lam_bytes);
    case LAM_META_KIND_POSITION:
        return sizeof(uint32_t);
    default:
        return list->child->size;
    }
}
