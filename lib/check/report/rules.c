/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules: id, severity, summary and section of the specification, indexed by lam_rule.
 *
 * The summary states what holds in a file that keeps the rule, so that the table reads as a list of
 * what a check has proven; docs/check.md and `lamella check --rules` print it. The severity follows
 * from what a breach does to readers:
 *
 *   error     a reader gets wrong data, fails, or skips rows that match
 *   warning   the format demands otherwise, but readers get the data
 *   note      allowed, old, or beyond this build
 *
 * Ids are stable: programs compare them. A rule with a worse and a harmless form has the severity
 * of the worse one; lam_check_warn reports the other.
 */
#include "check/report/rules.h"

static const lam_check_rule RULES[LAM_RULE_COUNT] = {
    /*
     * The file and its footer. Without them nothing can be found, so that most breaches are errors.
     */
    [LAM_RULE_FILE_MAGIC] = {"file-magic", LAM_SEVERITY_ERROR, "the file begins and ends with PAR1",
                             "README.md, File format"},
    [LAM_RULE_FOOTER_LENGTH] = {"footer-length", LAM_SEVERITY_ERROR,
                                "the length of the footer lies within the file",
                                "README.md, File format"},
    [LAM_RULE_FOOTER] = {"footer", LAM_SEVERITY_ERROR, "the footer can be read",
                         "README.md, Metadata"},
    [LAM_RULE_FOOTER_THRIFT] = {"footer-thrift", LAM_SEVERITY_ERROR,
                                "Apache Thrift reads the same from the footer",
                                "README.md, Metadata"},
    /*
     * A judge that is not available or crashes says nothing about the file: never more than a note.
     */
    [LAM_RULE_FOOTER_UNJUDGED] = {"footer-unjudged", LAM_SEVERITY_NOTE,
                                  "Apache Thrift checks the footer", "README.md, Metadata"},
    /* The version does not affect how a file must be read. */
    [LAM_RULE_FILE_VERSION] = {"file-version", LAM_SEVERITY_WARNING, "the version is 1 or 2",
                               "parquet.thrift, FileMetaData.version"},
    [LAM_RULE_FILE_ROWS] = {"file-rows", LAM_SEVERITY_ERROR,
                            "the number of rows is the sum of those of the row groups",
                            "parquet.thrift, FileMetaData.num_rows"},
    [LAM_RULE_CREATED_BY] = {"created-by", LAM_SEVERITY_NOTE,
                             "created_by has the form \"<application> version <version>\"",
                             "parquet.thrift, FileMetaData.created_by"},
    /* A note even when the fault is real: the rule that it breaks reports that by itself. */
    [LAM_RULE_KNOWN_FAULT] =
        {"known-fault", LAM_SEVERITY_NOTE,
         "the writer, in this version, has no known fault that affects the file",
         "parquet.thrift, FileMetaData.created_by"},
    /* Readers that keep a dictionary of keys lose all but one value of a repeated key. */
    [LAM_RULE_KEY_VALUE] = {"key-value", LAM_SEVERITY_WARNING,
                            "keys of the key-value metadata are not empty and come once",
                            "parquet.thrift, KeyValue"},
    [LAM_RULE_TEXT_UTF8] = {"text-utf8", LAM_SEVERITY_ERROR,
                            "names, keys and other texts of the metadata are UTF-8",
                            "README.md, Metadata"},
    /*
     * The following are findings about parts of the file that were not checked; see passes_over in
     * report.c. They are notes because the file is not at fault, but for limits, which the caller
     * may raise.
     */
    [LAM_RULE_ENCRYPTED] = {"encrypted", LAM_SEVERITY_NOTE,
                            "nothing is encrypted: anything that is, is skipped",
                            "Encryption.md, 5. File Format"},
    [LAM_RULE_UNSUPPORTED] =
        {"unsupported", LAM_SEVERITY_NOTE,
         "this build reads all codecs, encodings and types: columns that use others are skipped",
         "README.md, Extensibility"},
    [LAM_RULE_LIMIT] =
        {"limit", LAM_SEVERITY_WARNING,
         "nothing exceeds the memory limit of the check: anything that does, is skipped",
         "README.md, Configurations"},
    /* An error, so that a file of which nothing was seen never passes as good. */
    [LAM_RULE_UNCHECKED] = {"unchecked", LAM_SEVERITY_ERROR,
                            "at least one page can be checked if there are rows",
                            "README.md, File format"},
    /* The schema. Errors are structures that readers misunderstand or refuse. */
    [LAM_RULE_SCHEMA_TREE] = {"schema-tree", LAM_SEVERITY_ERROR,
                              "the elements of the schema are exactly one tree",
                              "parquet.thrift, FileMetaData.schema"},
    /* Several writers give the root a repetition, which has no meaning there. */
    [LAM_RULE_SCHEMA_ROOT] = {"schema-root", LAM_SEVERITY_NOTE,
                              "the root of the schema has no repetition",
                              "parquet.thrift, SchemaElement.repetition_type"},
    [LAM_RULE_SCHEMA_ELEMENT] = {"schema-element", LAM_SEVERITY_WARNING,
                                 "an element has the members of its kind of field, and no others",
                                 "parquet.thrift, SchemaElement"},
    /*
     * Columns are found by position as well, so that the data is not lost, but one name finds only
     * one of them.
     */
    [LAM_RULE_DUPLICATE_NAME] = {"duplicate-name", LAM_SEVERITY_WARNING,
                                 "fields of one group have different names",
                                 "parquet.thrift, ColumnMetaData.path_in_schema"},
    [LAM_RULE_LOGICAL_TYPE] = {"logical-type", LAM_SEVERITY_ERROR,
                               "a logical type annotates a physical type that it allows",
                               "LogicalTypes.md, Metadata"},
    [LAM_RULE_NEWER_TYPE] = {"newer-type", LAM_SEVERITY_NOTE,
                             "types are those of version 2.14 of the format or older",
                             "LogicalTypes.md, TIMESTAMP"},
    /*
     * Old readers follow the converted type, new ones the logical type: if the two differ, they
     * read different values. If the converted type is only missing, old readers see the physical
     * type.
     */
    [LAM_RULE_CONVERTED_TYPE] = {"converted-type", LAM_SEVERITY_ERROR,
                                 "the converted type agrees with the logical type",
                                 "LogicalTypes.md, Compatibility"},
    [LAM_RULE_CONVERTED_MISSING] =
        {"converted-missing", LAM_SEVERITY_WARNING,
         "a logical type has its converted type beside it, if one exists",
         "LogicalTypes.md, Compatibility"},
    [LAM_RULE_LIST_STRUCTURE] = {"list-structure", LAM_SEVERITY_ERROR,
                                 "a LIST has one child, and that is repeated",
                                 "LogicalTypes.md, Lists"},
    /* LogicalTypes.md has rules for reading the old forms of lists and maps, so they are notes. */
    [LAM_RULE_LIST_LEGACY] = {"list-legacy", LAM_SEVERITY_NOTE,
                              "a LIST has three levels, named list and element",
                              "LogicalTypes.md, Lists"},
    [LAM_RULE_MAP_STRUCTURE] = {"map-structure", LAM_SEVERITY_ERROR,
                                "a MAP has one child, a repeated group of a key and a value",
                                "LogicalTypes.md, Maps"},
    [LAM_RULE_MAP_KEY] = {"map-key", LAM_SEVERITY_WARNING, "the key of a MAP is required",
                          "LogicalTypes.md, Maps"},
    [LAM_RULE_MAP_LEGACY] =
        {"map-legacy", LAM_SEVERITY_NOTE,
         "a MAP is not annotated MAP_KEY_VALUE, and its parts are named key_value, key and value",
         "LogicalTypes.md, Maps"},
    [LAM_RULE_VARIANT_STRUCTURE] = {"variant-structure", LAM_SEVERITY_ERROR,
                                    "a VARIANT has a binary metadata, a binary value, and "
                                    "perhaps an optional typed_value",
                                    "LogicalTypes.md, VARIANT"},
    [LAM_RULE_VARIANT_VALUE] = {"variant-value", LAM_SEVERITY_WARNING,
                                "a VARIANT has a value, shredded or not",
                                "LogicalTypes.md, VARIANT"},
    [LAM_RULE_VARIANT_REPETITION] = {"variant-repetition", LAM_SEVERITY_WARNING,
                                     "metadata, shredded fields and shredded elements are "
                                     "required, and their members are optional",
                                     "VariantShredding.md, Objects"},
    [LAM_RULE_FILE_STRUCTURE] = {"file-structure", LAM_SEVERITY_ERROR,
                                 "a FILE has only its own optional fields",
                                 "LogicalTypes.md, FILE"},
    [LAM_RULE_REPEATED_MIXED] = {"repeated-mixed", LAM_SEVERITY_NOTE,
                                 "lists are annotated or bare repeated fields, not both",
                                 "LogicalTypes.md, Nested Types"},
    [LAM_RULE_COLUMN_ORDERS] = {"column-orders", LAM_SEVERITY_ERROR,
                                "there is one column order per column, and it fits the type",
                                "parquet.thrift, FileMetaData.column_orders"},
    /* Without an order min_value and max_value must be ignored: the bounds are of no use. */
    [LAM_RULE_COLUMN_ORDERS_MISSING] =
        {"column-orders-missing", LAM_SEVERITY_WARNING,
         "there are column orders if there are min_value and max_value",
         "parquet.thrift, FileMetaData.column_orders"},
    /*
     * Row groups. A column without a chunk, or the reverse, makes a row group unreadable; wrong
     * sums and offsets mislead only those who plan reads with them.
     */
    [LAM_RULE_ROW_GROUP_COLUMNS] = {"row-group-columns", LAM_SEVERITY_ERROR,
                                    "a row group has one column chunk per column",
                                    "parquet.thrift, RowGroup.columns"},
    [LAM_RULE_ROW_GROUP_ROWS] = {"row-group-rows", LAM_SEVERITY_ERROR,
                                 "the number of rows of a row group is not negative",
                                 "parquet.thrift, RowGroup.num_rows"},
    [LAM_RULE_ROW_GROUP_ORDINAL] = {"row-group-ordinal", LAM_SEVERITY_WARNING,
                                    "the ordinal of a row group is its position in the file",
                                    "parquet.thrift, RowGroup.ordinal"},
    [LAM_RULE_ROW_GROUP_BYTES] =
        {"row-group-bytes", LAM_SEVERITY_WARNING,
         "the sizes of a row group are the sums of those of its column chunks",
         "parquet.thrift, RowGroup.total_byte_size"},
    [LAM_RULE_ROW_GROUP_OFFSET] = {"row-group-offset", LAM_SEVERITY_WARNING,
                                   "the offset of a row group is that of its first page",
                                   "parquet.thrift, RowGroup.file_offset"},
    [LAM_RULE_SORTING_COLUMNS] = {"sorting-columns", LAM_SEVERITY_ERROR,
                                  "sorting columns are columns of the schema",
                                  "parquet.thrift, RowGroup.sorting_columns"},
    /* Readers that trust the order find too few rows when they search, or merge wrongly. */
    [LAM_RULE_SORTING_ORDER] = {"sorting-order", LAM_SEVERITY_ERROR,
                                "the rows are in the order of the sorting columns",
                                "parquet.thrift, RowGroup.sorting_columns"},
    [LAM_RULE_SORTING_UNVERIFIED] = {"sorting-unverified", LAM_SEVERITY_NOTE,
                                     "the order of the rows can be verified by all sorting columns",
                                     "parquet.thrift, RowGroup.sorting_columns"},
    /*
     * Column chunks. Their path, type, range and counts decide what readers decode: errors. Offsets
     * and lists that readers do not need are warnings.
     */
    [LAM_RULE_CHUNK_METADATA] = {"chunk-metadata", LAM_SEVERITY_ERROR,
                                 "a column chunk has its metadata in the footer",
                                 "parquet.thrift, ColumnChunk.meta_data"},
    [LAM_RULE_EXTERNAL_FILE] = {"external-file", LAM_SEVERITY_NOTE,
                                "a column chunk is in this file: others are skipped",
                                "parquet.thrift, ColumnChunk.file_path"},
    [LAM_RULE_CHUNK_PATH] = {"chunk-path", LAM_SEVERITY_ERROR,
                             "the path of a column chunk is that of its column",
                             "parquet.thrift, ColumnMetaData.path_in_schema"},
    [LAM_RULE_CHUNK_TYPE] = {"chunk-type", LAM_SEVERITY_ERROR,
                             "the type of a column chunk is that of its column",
                             "parquet.thrift, ColumnMetaData.type"},
    [LAM_RULE_CHUNK_RANGE] = {"chunk-range", LAM_SEVERITY_ERROR,
                              "a column chunk lies between the first magic and the footer",
                              "README.md, File format"},
    [LAM_RULE_RANGE_OVERLAP] = {"range-overlap", LAM_SEVERITY_ERROR,
                                "column chunks, indexes and Bloom filters do not overlap",
                                "README.md, File format"},
    [LAM_RULE_CHUNK_BYTES] = {"chunk-bytes", LAM_SEVERITY_ERROR,
                              "the pages of a column chunk fill its total_compressed_size",
                              "parquet.thrift, ColumnMetaData.total_compressed_size"},
    /* PARQUET-816, which readers know how to work around. */
    [LAM_RULE_CHUNK_BYTES_HEADER] =
        {"chunk-bytes-header", LAM_SEVERITY_WARNING,
         "total_compressed_size counts the header of the dictionary page, too",
         "parquet.thrift, ColumnMetaData.total_compressed_size"},
    [LAM_RULE_CHUNK_UNCOMPRESSED] =
        {"chunk-uncompressed", LAM_SEVERITY_WARNING,
         "total_uncompressed_size is the sum over the pages and their headers",
         "parquet.thrift, ColumnMetaData.total_uncompressed_size"},
    [LAM_RULE_CHUNK_VALUES] = {"chunk-values", LAM_SEVERITY_ERROR,
                               "the pages of a column chunk have its num_values",
                               "parquet.thrift, ColumnMetaData.num_values"},
    [LAM_RULE_CHUNK_ROWS] = {"chunk-rows", LAM_SEVERITY_ERROR,
                             "a column chunk has as many rows as its row group",
                             "parquet.thrift, RowGroup.num_rows"},
    [LAM_RULE_DATA_PAGE_OFFSET] = {"data-page-offset", LAM_SEVERITY_WARNING,
                                   "data_page_offset is where the first data page is",
                                   "parquet.thrift, ColumnMetaData.data_page_offset"},
    [LAM_RULE_DICTIONARY_OFFSET] =
        {"dictionary-offset", LAM_SEVERITY_WARNING,
         "dictionary_page_offset is where the dictionary page is, and absent without one",
         "parquet.thrift, ColumnMetaData.dictionary_page_offset"},
    [LAM_RULE_ENCODINGS_MISSING] = {"encodings-missing", LAM_SEVERITY_WARNING,
                                    "all encodings of values in a column chunk are in its list",
                                    "parquet.thrift, ColumnMetaData.encodings"},
    /* Writers list encodings of levels, or ones that they might have used: harmless. */
    [LAM_RULE_ENCODINGS_UNUSED] = {"encodings-unused", LAM_SEVERITY_NOTE,
                                   "all encodings in the list of a column chunk are used",
                                   "parquet.thrift, ColumnMetaData.encodings"},
    /*
     * Readers decide by these counts whether all pages of a chunk have a dictionary, and with it
     * which values cannot occur.
     */
    [LAM_RULE_ENCODING_STATS] = {"encoding-stats", LAM_SEVERITY_ERROR,
                                 "encoding_stats count the pages of each type and encoding",
                                 "parquet.thrift, PageEncodingStats"},
    [LAM_RULE_ENCODING_STATS_TYPE] = {"encoding-stats-type", LAM_SEVERITY_WARNING,
                                      "encoding_stats distinguish V2 data pages from V1 data pages",
                                      "parquet.thrift, PageEncodingStats.page_type"},
    /*
     * Pages. What cannot be decoded is an error; a wrong count beside levels that are right is a
     * warning, because readers can count the levels.
     */
    [LAM_RULE_PAGE_HEADER] =
        {"page-header", LAM_SEVERITY_ERROR,
         "a page header can be read, and its page lies within the column chunk",
         "README.md, Column chunks"},
    [LAM_RULE_PAGE_TYPE] = {"page-type", LAM_SEVERITY_NOTE,
                            "a page is a data page or a dictionary page: others are skipped",
                            "README.md, Extensibility"},
    [LAM_RULE_PAGE_CRC] = {"page-crc", LAM_SEVERITY_ERROR, "a page matches its checksum",
                           "README.md, Checksumming"},
    [LAM_RULE_PAGE_BODY] = {"page-body", LAM_SEVERITY_ERROR,
                            "a page uncompresses to its size, and has room for its levels",
                            "README.md, Data Pages"},
    [LAM_RULE_PAGE_NULLS] = {"page-nulls", LAM_SEVERITY_WARNING,
                             "a V2 page has the nulls that its header states",
                             "parquet.thrift, DataPageHeaderV2.num_nulls"},
    [LAM_RULE_PAGE_ROWS] = {"page-rows", LAM_SEVERITY_WARNING,
                            "a V2 page has the rows that its header states",
                            "parquet.thrift, DataPageHeaderV2.num_rows"},
    /* An error if an offset index leads into the middle of a row, else reported as a warning. */
    [LAM_RULE_PAGE_BOUNDARY] =
        {"page-boundary", LAM_SEVERITY_ERROR,
         "a page begins with a row if it is a V2 page or there is an offset index",
         "parquet.thrift, DataPageHeaderV2.num_rows"},
    [LAM_RULE_PAGE_COMPRESSED] = {"page-compressed", LAM_SEVERITY_WARNING,
                                  "a V2 page with compressed values says that they are compressed",
                                  "parquet.thrift, DataPageHeaderV2.is_compressed"},
    [LAM_RULE_PAGE_ENCODING] = {"page-encoding", LAM_SEVERITY_ERROR,
                                "an encoding is one that the type of the column allows",
                                "Encodings.md, Supported Encodings"},
    /* Reported as a warning if all values are there and something follows them. */
    [LAM_RULE_PAGE_VALUES] =
        {"page-values", LAM_SEVERITY_ERROR,
         "the values of a page decode, as many as its levels state, with nothing left over",
         "README.md, Data Pages"},
    /* All sums are modulo 2^32, so that decoders get the same integers. */
    [LAM_RULE_DELTA_WIDTH] =
        {"delta-width", LAM_SEVERITY_WARNING,
         "differences of 32-bit integers, lengths among them, are packed with at most 32 bits",
         "Encodings.md, Delta Encoding"},
    [LAM_RULE_LEVEL_ENCODING] = {"level-encoding", LAM_SEVERITY_NOTE,
                                 "levels are in RLE or BIT_PACKED, and the header of a V1 page "
                                 "names one of them even if there are no levels",
                                 "parquet.thrift, DataPageHeader"},
    /*
     * Dictionaries. An index that is too large, or a missing dictionary, leaves values undefined.
     */
    [LAM_RULE_DICTIONARY_PLACE] =
        {"dictionary-place", LAM_SEVERITY_ERROR,
         "a column chunk has at most one dictionary page, and that is its first page",
         "README.md, Column chunks"},
    [LAM_RULE_DICTIONARY_MISSING] = {"dictionary-missing", LAM_SEVERITY_ERROR,
                                     "pages of indexes have a dictionary page before them",
                                     "Encodings.md, Dictionary Encoding"},
    [LAM_RULE_DICTIONARY_PAGE] =
        {"dictionary-page", LAM_SEVERITY_ERROR,
         "a dictionary page holds the number of plain values that its header states",
         "Encodings.md, Dictionary Encoding"},
    [LAM_RULE_DICTIONARY_INDEX] = {"dictionary-index", LAM_SEVERITY_ERROR,
                                   "indexes are below the size of the dictionary",
                                   "Encodings.md, Dictionary Encoding"},
    [LAM_RULE_DICTIONARY_SORTED] = {"dictionary-sorted", LAM_SEVERITY_ERROR,
                                    "a dictionary is sorted if it claims to be",
                                    "parquet.thrift, DictionaryPageHeader.is_sorted"},
    /*
     * Levels. No record has such levels, so that no reader can assemble one, and different readers
     * go wrong in different ways.
     */
    /* Reported as a warning if all levels are there and something follows them. */
    [LAM_RULE_LEVELS] = {"levels", LAM_SEVERITY_ERROR,
                         "levels decode, as many as the page has values, with nothing left over",
                         "Encodings.md, Run Length Encoding / Bit-Packing Hybrid"},
    [LAM_RULE_LEVELS_RANGE] = {"levels-range", LAM_SEVERITY_ERROR,
                               "no level is above the maximum that the schema gives",
                               "README.md, Nested Encoding"},
    [LAM_RULE_LEVELS_FIRST] = {"levels-first", LAM_SEVERITY_ERROR,
                               "the first repetition level of a column chunk is 0",
                               "README.md, Nested Encoding"},
    [LAM_RULE_LEVELS_STRUCTURE] =
        {"levels-structure", LAM_SEVERITY_ERROR,
         "a value that repeats a field is defined as far as that field, and follows one that is",
         "README.md, Nested Encoding"},
    [LAM_RULE_LEVELS_AGREE] = {"levels-agree", LAM_SEVERITY_ERROR,
                               "columns of one group agree on where the group is",
                               "README.md, Nested Encoding"},
    /* Single values: their logical type promises what they are. */
    [LAM_RULE_UTF8] = {"utf8", LAM_SEVERITY_ERROR, "values of STRING, ENUM and JSON are UTF-8",
                       "LogicalTypes.md, String Types"},
    [LAM_RULE_VALUE_RANGE] = {"value-range", LAM_SEVERITY_ERROR,
                              "values are within what their logical type allows",
                              "LogicalTypes.md, Numeric Types"},
    /* A note, as both add up to a time; but some readers go by the day alone. */
    [LAM_RULE_INT96_NANOSECONDS] = {"int96-nanoseconds", LAM_SEVERITY_NOTE,
                                    "nanoseconds of an INT96 are within its day",
                                    "parquet.thrift, ColumnOrder"},
    [LAM_RULE_UNKNOWN_NULL] = {"unknown-null", LAM_SEVERITY_ERROR,
                               "columns of UNKNOWN hold nulls only",
                               "LogicalTypes.md, UNKNOWN (always null)"},
    [LAM_RULE_JSON] = {"json", LAM_SEVERITY_ERROR, "values of JSON are valid JSON",
                       "LogicalTypes.md, JSON"},
    [LAM_RULE_BSON] = {"bson", LAM_SEVERITY_ERROR, "values of BSON are BSON documents",
                       "LogicalTypes.md, BSON"},
    [LAM_RULE_WKB] = {"wkb", LAM_SEVERITY_ERROR,
                      "values of GEOMETRY and GEOGRAPHY are well-known binary in its ISO form",
                      "Geospatial.md, Background"},
    [LAM_RULE_GEOGRAPHIC_RANGE] =
        {"geographic-range", LAM_SEVERITY_WARNING,
         "longitudes are within -180 and 180, latitudes within -90 and 90",
         "Geospatial.md, Coordinate Reference System"},
    [LAM_RULE_VARIANT_METADATA] = {"variant-metadata", LAM_SEVERITY_ERROR,
                                   "the metadata of a VARIANT has version 1 and a list of names, "
                                   "and is present where a value is",
                                   "VariantEncoding.md, Metadata encoding"},
    /*
     * The warnings about VARIANTs are departures that readers understand: the values come out
     * complete.
     */
    [LAM_RULE_VARIANT_METADATA_EMPTY] =
        {"variant-metadata-empty", LAM_SEVERITY_WARNING,
         "metadata without names has its one offset, and therefore three bytes",
         "VariantEncoding.md, Metadata encoding"},
    [LAM_RULE_VARIANT_METADATA_ORDER] =
        {"variant-metadata-order", LAM_SEVERITY_WARNING,
         "names in the metadata of a VARIANT are sorted and unique if it says so",
         "VariantEncoding.md, Metadata encoding"},
    [LAM_RULE_VARIANT_BYTES] = {"variant-bytes", LAM_SEVERITY_ERROR,
                                "a value of a VARIANT is whole, with names that the metadata has",
                                "VariantEncoding.md, Value encoding"},
    [LAM_RULE_VARIANT_DECIMAL] = {"variant-decimal", LAM_SEVERITY_WARNING,
                                  "a decimal in a VARIANT has no more digits than its type holds",
                                  "VariantEncoding.md, Encoding types"},
    [LAM_RULE_VARIANT_ORDER] = {"variant-order", LAM_SEVERITY_WARNING,
                                "fields of an object in a VARIANT are in the order of their names",
                                "VariantEncoding.md, Object field ID order and uniqueness"},
    /*
     * Readers find a field twice, or take one of two values: which one differs from reader to
     * reader.
     */
    [LAM_RULE_VARIANT_SHREDDING] =
        {"variant-shredding", LAM_SEVERITY_ERROR,
         "value holds what typed_value cannot, or the fields of an object that are not shredded",
         "VariantShredding.md, Value Shredding"},
    [LAM_RULE_VARIANT_MISSING] =
        {"variant-missing", LAM_SEVERITY_WARNING,
         "value and typed_value are both null only for a missing field of an object",
         "VariantShredding.md, Value Shredding"},
    [LAM_RULE_VARIANT_NAMES] = {"variant-names", LAM_SEVERITY_WARNING,
                                "the metadata has the names of shredded fields, too",
                                "VariantShredding.md, Variant Metadata"},
    /*
     * Statistics. Bounds and counts that are too narrow hide rows from filters: errors. Those that
     * are too wide, or that readers ignore, cost speed at most.
     */
    [LAM_RULE_NULL_COUNT] = {"null-count", LAM_SEVERITY_ERROR, "null_count counts the nulls",
                             "parquet.thrift, Statistics.null_count"},
    [LAM_RULE_NULL_COUNT_LEAF] = {"null-count-leaf", LAM_SEVERITY_WARNING,
                                  "null_count counts the nulls of the groups above the column, too",
                                  "parquet.thrift, Statistics.null_count"},
    [LAM_RULE_NAN_COUNT] =
        {"nan-count", LAM_SEVERITY_ERROR,
         "nan_count counts the NaNs, and is present where the column order requires it",
         "parquet.thrift, Statistics.nan_count"},
    [LAM_RULE_DISTINCT_COUNT] = {"distinct-count", LAM_SEVERITY_WARNING,
                                 "distinct_count is not below the distinct values found",
                                 "parquet.thrift, Statistics.distinct_count"},
    [LAM_RULE_BOUND_SIZE] = {"bound-size", LAM_SEVERITY_ERROR,
                             "a bound is a value of the column's type",
                             "parquet.thrift, Statistics.min_value"},
    [LAM_RULE_MIN_VALUE] = {"min-value", LAM_SEVERITY_ERROR, "no value is below min_value",
                            "parquet.thrift, Statistics.min_value"},
    [LAM_RULE_MAX_VALUE] = {"max-value", LAM_SEVERITY_ERROR, "no value is above max_value",
                            "parquet.thrift, Statistics.max_value"},
    [LAM_RULE_BOUND_EXACT] = {"bound-exact", LAM_SEVERITY_ERROR,
                              "a bound that claims to be exact is among the values",
                              "parquet.thrift, Statistics.is_max_value_exact"},
    /*
     * Loose bounds are allowed, and text is often shortened; for numbers it is a sign of a mistake.
     */
    [LAM_RULE_BOUND_LOOSE] = {"bound-loose", LAM_SEVERITY_NOTE,
                              "the bounds of numbers are among the values",
                              "parquet.thrift, Statistics.min_value"},
    [LAM_RULE_BOUND_NAN] = {"bound-nan", LAM_SEVERITY_WARNING,
                            "bounds are not NaN where there are other values",
                            "parquet.thrift, ColumnOrder"},
    /* -0.0 and +0.0 are equal in TYPE_ORDER, so that readers must expect either sign anyway. */
    [LAM_RULE_BOUND_ZERO] =
        {"bound-zero", LAM_SEVERITY_NOTE,
         "a min_value of zero is -0.0 and a max_value of zero is +0.0 in TYPE_ORDER",
         "parquet.thrift, ColumnOrder"},
    [LAM_RULE_BOUND_FORM] = {"bound-form", LAM_SEVERITY_WARNING,
                             "bounds, shortened or not, are values of the logical type",
                             "parquet.thrift, Statistics.min_value"},
    [LAM_RULE_BOUND_UNDEFINED] = {"bound-undefined", LAM_SEVERITY_WARNING,
                                  "columns without an order have no bounds",
                                  "parquet.thrift, ColumnOrder"},
    [LAM_RULE_BOUND_WITHOUT_VALUES] = {"bound-without-values", LAM_SEVERITY_WARNING,
                                       "there are no bounds where all values are null",
                                       "parquet.thrift, Statistics.min_value"},
    /* Readers use the deprecated bounds only if signed order is right, or not at all. */
    [LAM_RULE_BOUND_DEPRECATED] = {"bound-deprecated", LAM_SEVERITY_WARNING,
                                   "the deprecated min and max are bounds in signed order",
                                   "parquet.thrift, Statistics.min"},
    [LAM_RULE_LEVEL_HISTOGRAM] = {"level-histogram", LAM_SEVERITY_ERROR,
                                  "histograms count the levels", "parquet.thrift, SizeStatistics"},
    [LAM_RULE_UNENCODED_BYTES] = {"unencoded-bytes", LAM_SEVERITY_ERROR,
                                  "unencoded_byte_array_data_bytes is the size of all byte arrays",
                                  "parquet.thrift, SizeStatistics"},
    /* Filters miss geometries outside of the box; superfluous axes and types lose nothing. */
    [LAM_RULE_GEOSPATIAL_STATISTICS] = {"geospatial-statistics", LAM_SEVERITY_WARNING,
                                        "only GEOMETRY and GEOGRAPHY have geospatial statistics",
                                        "Geospatial.md, Statistics"},
    [LAM_RULE_GEOSPATIAL_BOUNDS] = {"geospatial-bounds", LAM_SEVERITY_ERROR,
                                    "all points lie within the bounding box",
                                    "Geospatial.md, Bounding Box"},
    [LAM_RULE_GEOSPATIAL_ROUNDING] =
        {"geospatial-rounding", LAM_SEVERITY_WARNING,
         "the bounding box of a GEOGRAPHY is not rounded so that points lie just outside of it",
         "Geospatial.md, Bounding Box"},
    [LAM_RULE_GEOSPATIAL_BOX] = {"geospatial-box", LAM_SEVERITY_WARNING,
                                 "the bounding box has the axes that points have, with both ends",
                                 "Geospatial.md, Bounding Box"},
    [LAM_RULE_GEOSPATIAL_TYPES] = {"geospatial-types", LAM_SEVERITY_ERROR,
                                   "geospatial_types have each type of geometry once, or are empty",
                                   "Geospatial.md, Geospatial Types"},
    [LAM_RULE_GEOSPATIAL_TYPES_UNUSED] = {"geospatial-types-unused", LAM_SEVERITY_NOTE,
                                          "geospatial_types have no type without a geometry",
                                          "Geospatial.md, Geospatial Types"},
    /*
     * The page index and Bloom filters. Readers jump to pages and skip pages by what these state,
     * without reading the pages first: almost everything is an error.
     */
    [LAM_RULE_INDEX_RANGE] = {"index-range", LAM_SEVERITY_ERROR,
                              "indexes and Bloom filters lie within the file, before the footer",
                              "PageIndex.md, Technical Approach"},
    /* The structs end by themselves, so that a length that is too large is harmless. */
    [LAM_RULE_INDEX_LENGTH] = {"index-length", LAM_SEVERITY_WARNING,
                               "the length of an index is the number of bytes that it takes",
                               "parquet.thrift, ColumnChunk.offset_index_length"},
    [LAM_RULE_OFFSET_INDEX] = {"offset-index", LAM_SEVERITY_ERROR, "an offset index can be read",
                               "parquet.thrift, OffsetIndex"},
    [LAM_RULE_OFFSET_INDEX_MISSING] = {"offset-index-missing", LAM_SEVERITY_ERROR,
                                       "a column index has an offset index beside it",
                                       "parquet.thrift, ColumnIndex"},
    [LAM_RULE_OFFSET_INDEX_PAGES] = {"offset-index-pages", LAM_SEVERITY_ERROR,
                                     "an offset index has one location per data page",
                                     "parquet.thrift, OffsetIndex.page_locations"},
    [LAM_RULE_OFFSET_INDEX_LOCATION] = {"offset-index-location", LAM_SEVERITY_ERROR,
                                        "a location is the offset and the size of its page",
                                        "parquet.thrift, PageLocation"},
    [LAM_RULE_OFFSET_INDEX_ROWS] = {"offset-index-rows", LAM_SEVERITY_ERROR,
                                    "first_row_index is the page's first row",
                                    "parquet.thrift, PageLocation.first_row_index"},
    [LAM_RULE_COLUMN_INDEX] = {"column-index", LAM_SEVERITY_ERROR, "a column index can be read",
                               "parquet.thrift, ColumnIndex"},
    [LAM_RULE_COLUMN_INDEX_PAGES] = {"column-index-pages", LAM_SEVERITY_ERROR,
                                     "the lists of a column index have one element per data page",
                                     "parquet.thrift, ColumnIndex"},
    [LAM_RULE_NULL_PAGES] = {"null-pages", LAM_SEVERITY_ERROR,
                             "null_pages marks the pages that hold only nulls",
                             "parquet.thrift, ColumnIndex.null_pages"},
    [LAM_RULE_BOUNDARY_ORDER] = {"boundary-order", LAM_SEVERITY_ERROR,
                                 "the bounds of the pages are in the order that is stated",
                                 "parquet.thrift, ColumnIndex.boundary_order"},
    [LAM_RULE_BLOOM_HEADER] = {"bloom-header", LAM_SEVERITY_ERROR,
                               "a Bloom filter has a header and a bitset of whole blocks",
                               "BloomFilter.md, File Format"},
    [LAM_RULE_BLOOM_LENGTH] = {"bloom-length", LAM_SEVERITY_ERROR,
                               "bloom_filter_length is the size of header and bitset",
                               "BloomFilter.md, File Format"},
    [LAM_RULE_BLOOM_VALUE] = {"bloom-value", LAM_SEVERITY_ERROR,
                              "a Bloom filter holds every value of its column chunk",
                              "BloomFilter.md, Technical Approach"},
};

/* `rule` is below LAM_RULE_COUNT. */
const lam_check_rule *lam_rule_of(lam_rule rule) {
    return &RULES[rule];
}

const lam_check_rule *lam_check_rule_at(size_t index) {
    return index < LAM_RULE_COUNT ? &RULES[index] : NULL;
}

/* Also for numbers that are no severity, as callers may pass any. */
const char *lam_severity_name(lam_severity severity) {
    static const char *const names[] = {"note", "warning", "error"};
    size_t index = (size_t)severity;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}
