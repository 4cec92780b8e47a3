/*
 * The metadata of Parquet files in Thrift's language: names, numbers and types as in version 2.14
 * of the format. On disk it travels in the compact protocol.
 */
namespace c_glib Lam

// How values are stored.
enum Type {
  BOOLEAN = 0;
  INT32 = 1;
  INT64 = 2;
  INT96 = 3;  // no longer written; old timestamps
  FLOAT = 4;
  DOUBLE = 5;
  BYTE_ARRAY = 6;
  FIXED_LEN_BYTE_ARRAY = 7;
}

// What values mean, as files said it before LogicalType came.
enum ConvertedType {
  UTF8 = 0;
  MAP = 1;
  MAP_KEY_VALUE = 2;  // the repeated group inside a map
  LIST = 3;
  ENUM = 4;
  DECIMAL = 5;  // with scale and precision of the element
  DATE = 6;
  TIME_MILLIS = 7;
  TIME_MICROS = 8;
  TIMESTAMP_MILLIS = 9;
  TIMESTAMP_MICROS = 10;
  UINT_8 = 11;
  UINT_16 = 12;
  UINT_32 = 13;
  UINT_64 = 14;
  INT_8 = 15;
  INT_16 = 16;
  INT_32 = 17;
  INT_64 = 18;
  JSON = 19;
  BSON = 20;
  INTERVAL = 21;
}

// How often a field occurs in its parent.
enum FieldRepetitionType {
  REQUIRED = 0;  // exactly once
  OPTIONAL = 1;  // once or not at all
  REPEATED = 2;  // any number of times; proposed, and not read: VECTOR = 3 (parquet-format#592)
}

// How large a column becomes in memory, and how its levels are distributed.
struct SizeStatistics {
  1: optional i64 unencoded_byte_array_data_bytes;  // without lengths
  2: optional list<i64> repetition_level_histogram;  // how many triples have level 0, 1, 2, ...
  3: optional list<i64> definition_level_histogram;
}

// The box around all geometries; x may wrap around, with xmin above xmax.
struct BoundingBox {
  1: required double xmin;
  2: required double xmax;
  3: required double ymin;
  4: required double ymax;
  5: optional double zmin;
  6: optional double zmax;
  7: optional double mmin;
  8: optional double mmax;
}

// Bounds of a GEOMETRY or GEOGRAPHY column.
struct GeospatialStatistics {
  1: optional BoundingBox bbox;
  2: optional list<i32> geospatial_types;  // WKB type numbers that occur; empty is not known
}

// Bounds and counts of a column chunk or a page. Bounds are PLAIN bytes without length.
struct Statistics {
  1: optional binary max;  // old bounds: compared signed, whatever the type
  2: optional binary min;
  3: optional i64 null_count;
  4: optional i64 distinct_count;
  5: optional binary max_value;  // bounds in the order that column_orders names
  6: optional binary min_value;
  7: optional bool is_max_value_exact;  // false: a value above all, not the largest one
  8: optional bool is_min_value_exact;
  9: optional i64 nan_count;  // floating-point columns only
}

// The members of LogicalType. Those without fields only have a name.
struct StringType {}
struct UUIDType {}
struct MapType {}
struct ListType {}
struct EnumType {}
struct DateType {}
struct Float16Type {}

// every value is null
struct NullType {}

// The number is the integer stored, divided by 10 to the power of scale.
struct DecimalType {
  1: required i32 scale;
  2: required i32 precision;
}

struct MilliSeconds {}
struct MicroSeconds {}
struct NanoSeconds {}

union TimeUnit {
  1: MilliSeconds MILLIS;
  2: MicroSeconds MICROS;
  3: NanoSeconds NANOS;
}

// An instant when isAdjustedToUTC, else what a clock on the wall shows.
struct TimestampType {
  1: required bool isAdjustedToUTC;
  2: required TimeUnit unit;
}

struct TimeType {
  1: required bool isAdjustedToUTC;
  2: required TimeUnit unit;
}

// bitWidth is 8, 16, 32 or 64.
struct IntType {
  1: required i8 bitWidth;
  2: required bool isSigned;
}

struct JsonType {}
struct BsonType {}

// A group of metadata, value and optionally shredded values.
struct VariantType {
  1: optional i8 specification_version;
}

// How the line between two points on the globe runs.
enum EdgeInterpolationAlgorithm {
  SPHERICAL = 0;
  VINCENTY = 1;
  THOMAS = 2;
  ANDOYER = 3;
  KARNEY = 4;
}

// Shapes as WKB on a plane; without crs it is OGC:CRS84.
struct GeometryType {
  1: optional string crs;
}

// Shapes as WKB on a globe.
struct GeographyType {
  1: optional string crs;
  2: optional EdgeInterpolationAlgorithm algorithm;
}

// A group that refers to a file or holds one.
struct FileType {}

// What values mean. A reader that does not know a member falls back to the physical type.
// Number 9 is kept free for INTERVAL, which has a ConvertedType only.
union LogicalType {
  1: StringType STRING;
  2: MapType MAP;
  3: ListType LIST;
  4: EnumType ENUM;
  5: DecimalType DECIMAL;
  6: DateType DATE;
  7: TimeType TIME;
  8: TimestampType TIMESTAMP;
  10: IntType INTEGER;
  11: NullType UNKNOWN;
  12: JsonType JSON;
  13: BsonType BSON;
  14: UUIDType UUID;
  15: Float16Type FLOAT16;
  16: VariantType VARIANT;
  17: GeometryType GEOMETRY;
  18: GeographyType GEOGRAPHY;
  19: FileType FILE;
}

// A field. The elements of a schema stand in preorder, the root (the message) first.
struct SchemaElement {
  1: optional Type type;  // leaves only
  2: optional i32 type_length;  // FIXED_LEN_BYTE_ARRAY: bytes of a value
  3: optional FieldRepetitionType repetition_type;  // not for the root
  4: required string name;
  5: optional i32 num_children;  // groups only
  6: optional ConvertedType converted_type;  // written beside logicalType for old readers
  7: optional i32 scale;  // of a converted DECIMAL
  8: optional i32 precision;
  9: optional i32 field_id;  // a number that stays when names change
  10: optional LogicalType logicalType;
}

// How values or levels become bytes (Encodings.md). Number 1 was never in use.
enum Encoding {
  PLAIN = 0;
  PLAIN_DICTIONARY = 2;  // no longer written: RLE_DICTIONARY with PLAIN dictionary
  RLE = 3;  // runs and bit-packed groups
  BIT_PACKED = 4;  // no longer written; levels only
  DELTA_BINARY_PACKED = 5;
  DELTA_LENGTH_BYTE_ARRAY = 6;
  DELTA_BYTE_ARRAY = 7;
  RLE_DICTIONARY = 8;
  BYTE_STREAM_SPLIT = 9;
  ALP = 10;  // floating point as scaled integers with exceptions
}

// How pages are compressed (Compression.md).
enum CompressionCodec {
  UNCOMPRESSED = 0;
  SNAPPY = 1;
  GZIP = 2;
  LZO = 3;
  BROTLI = 4;
  LZ4 = 5;  // no longer written: framed as in Hadoop
  ZSTD = 6;
  LZ4_RAW = 7;
}

enum PageType {
  DATA_PAGE = 0;
  INDEX_PAGE = 1;
  DICTIONARY_PAGE = 2;
  DATA_PAGE_V2 = 3;
}

// Whether the bounds of the pages in a column index ascend or descend.
enum BoundaryOrder {
  UNORDERED = 0;
  ASCENDING = 1;
  DESCENDING = 2;
}

// A page of levels and values, compressed together.
struct DataPageHeader {
  1: required i32 num_values;  // triples, nulls included
  2: required Encoding encoding;
  3: required Encoding definition_level_encoding;
  4: required Encoding repetition_level_encoding;
  5: optional Statistics statistics;
}

// Reserved.
struct IndexPageHeader {}

// The distinct values that the data pages of a chunk refer to.
struct DictionaryPageHeader {
  1: required i32 num_values;
  2: required Encoding encoding;
  3: optional bool is_sorted;
}

// A page whose levels stand uncompressed before the values, and that begins with a new row.
struct DataPageHeaderV2 {
  1: required i32 num_values;  // triples, nulls included
  2: required i32 num_nulls;
  3: required i32 num_rows;
  4: required Encoding encoding;
  5: required i32 definition_levels_byte_length;  // levels are RLE without a length in front
  6: required i32 repetition_levels_byte_length;
  7: optional bool is_compressed = true;  // of the values; the levels never are
  8: optional Statistics statistics;
}

// Bloom filters (BloomFilter.md).
struct SplitBlockAlgorithm {}

union BloomFilterAlgorithm {
  1: SplitBlockAlgorithm BLOCK;
}

struct XxHash {}

union BloomFilterHash {
  1: XxHash XXHASH;
}

struct Uncompressed {}

union BloomFilterCompression {
  1: Uncompressed UNCOMPRESSED;
}

// Stands before the bits of a filter.
struct BloomFilterHeader {
  1: required i32 numBytes;  // of the bits
  2: required BloomFilterAlgorithm algorithm;
  3: required BloomFilterHash hash;
  4: required BloomFilterCompression compression;
}

// Stands before each page. Exactly one of the last four fields is there, by type.
struct PageHeader {
  1: required PageType type;
  2: required i32 uncompressed_page_size;  // bytes, without this header
  3: required i32 compressed_page_size;  // bytes, without this header
  4: optional i32 crc;  // CRC-32 of the bytes that follow this header
  5: optional DataPageHeader data_page_header;
  6: optional IndexPageHeader index_page_header;
  7: optional DictionaryPageHeader dictionary_page_header;
  8: optional DataPageHeaderV2 data_page_header_v2;
}

struct KeyValue {
  1: required string key;
  2: optional string value;
}

// A column by which the rows of a row group are sorted.
struct SortingColumn {
  1: required i32 column_idx;  // index of the leaf
  2: required bool descending;
  3: required bool nulls_first;
}

// How many pages of a chunk have this type and this encoding.
struct PageEncodingStats {
  1: required PageType page_type;
  2: required Encoding encoding;
  3: required i32 count;
}

// A column chunk. Offsets count from the start of the file.
struct ColumnMetaData {
  1: required Type type;
  2: required list<Encoding> encodings;
  3: required list<string> path_in_schema;  // names below the root
  4: required CompressionCodec codec;
  5: required i64 num_values;  // triples, nulls included
  6: required i64 total_uncompressed_size;  // bytes of all pages, headers included
  7: required i64 total_compressed_size;  // bytes of all pages, headers included
  8: optional list<KeyValue> key_value_metadata;
  9: required i64 data_page_offset;
  10: optional i64 index_page_offset;
  11: optional i64 dictionary_page_offset;
  12: optional Statistics statistics;
  13: optional list<PageEncodingStats> encoding_stats;
  14: optional i64 bloom_filter_offset;
  15: optional i32 bloom_filter_length;  // bytes, header included
  16: optional SizeStatistics size_statistics;
  17: optional GeospatialStatistics geospatial_statistics;
}

// Encryption (Encryption.md).
struct EncryptionWithFooterKey {}

struct EncryptionWithColumnKey {
  1: required list<string> path_in_schema;
  2: optional binary key_metadata;
}

union ColumnCryptoMetaData {
  1: EncryptionWithFooterKey ENCRYPTION_WITH_FOOTER_KEY;
  2: EncryptionWithColumnKey ENCRYPTION_WITH_COLUMN_KEY;
}

// Where a column chunk and what belongs to it are found.
struct ColumnChunk {
  1: optional string file_path;  // when the chunk is in another file
  2: required i64 file_offset = 0;  // no longer in use; 0
  3: optional ColumnMetaData meta_data;
  4: optional i64 offset_index_offset;
  5: optional i32 offset_index_length;
  6: optional i64 column_index_offset;
  7: optional i32 column_index_length;
  8: optional ColumnCryptoMetaData crypto_metadata;
  9: optional binary encrypted_column_metadata;  // instead of meta_data, or beside a redacted one
}

// Some rows of all columns.
struct RowGroup {
  1: required list<ColumnChunk> columns;  // one chunk per leaf, in schema order
  2: required i64 total_byte_size;  // before compression
  3: required i64 num_rows;
  4: optional list<SortingColumn> sorting_columns;
  5: optional i64 file_offset;  // of the first page
  6: optional i64 total_compressed_size;
  7: optional i16 ordinal;  // place in the file, for encryption
}

// The orders that bounds keep to.
struct TypeDefinedOrder {}
struct IEEE754TotalOrder {}
struct Int96TimestampOrder {}

// The order of the bounds of one column.
union ColumnOrder {
  1: TypeDefinedOrder TYPE_ORDER;  // by the logical type, or else the physical type
  2: IEEE754TotalOrder IEEE_754_TOTAL_ORDER;
  3: Int96TimestampOrder INT96_TIMESTAMP_ORDER;
}

struct PageLocation {
  1: required i64 offset;
  2: required i32 compressed_page_size;  // bytes, header included
  3: required i64 first_row_index;  // in the row group
}

// Where the data pages of a chunk are (PageIndex.md).
struct OffsetIndex {
  1: required list<PageLocation> page_locations;
  2: optional list<i64> unencoded_byte_array_data_bytes;  // one per page
}

// The bounds of the data pages of a chunk (PageIndex.md). Lists have one element per page.
struct ColumnIndex {
  1: required list<bool> null_pages;  // true: nothing but nulls, the bounds are empty
  2: required list<binary> min_values;
  3: required list<binary> max_values;
  4: required BoundaryOrder boundary_order;
  5: optional list<i64> null_counts;
  6: optional list<i64> repetition_level_histograms;  // one number per page and level
  7: optional list<i64> definition_level_histograms;
  8: optional list<i64> nan_counts;
}

struct AesGcmV1 {
  1: optional binary aad_prefix;
  2: optional binary aad_file_unique;
  3: optional bool supply_aad_prefix;
}

struct AesGcmCtrV1 {
  1: optional binary aad_prefix;
  2: optional binary aad_file_unique;
  3: optional bool supply_aad_prefix;
}

union EncryptionAlgorithm {
  1: AesGcmV1 AES_GCM_V1;
  2: AesGcmCtrV1 AES_GCM_CTR_V1;
}

// The footer.
struct FileMetaData {
  1: required i32 version;  // 1 or 2
  2: required list<SchemaElement> schema;  // preorder
  3: required i64 num_rows;
  4: required list<RowGroup> row_groups;
  5: optional list<KeyValue> key_value_metadata;
  6: optional string created_by;  // "application version 1.2.3 (build abc)"
  7: optional list<ColumnOrder> column_orders;  // one per leaf
  8: optional EncryptionAlgorithm encryption_algorithm;  // when the footer is signed, not encrypted
  9: optional binary footer_signing_key_metadata;
}

// Stands before an encrypted footer.
struct FileCryptoMetaData {
  1: required EncryptionAlgorithm encryption_algorithm;
  2: optional binary key_metadata;
}
