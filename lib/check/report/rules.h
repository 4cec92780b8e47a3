/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a check, by number; docs/check.md lists them. The order is that of the table there:
 * the file, the schema, row groups, column chunks, pages, dictionaries, levels, values, statistics,
 * indexes.
 *
 * Numbers are internal and may change from version to version; ids never do, and lam_check_rule_at
 * finds rules in this order.
 */
#ifndef LAM_CHECK_REPORT_RULES_H
#define LAM_CHECK_REPORT_RULES_H

#include <lamella/check.h>

/* Each number is the index of a row in rules.c, which says severity, summary and section. */
typedef enum lam_rule {
    /* the file and its footer: check.c, check_footer.c, check_key_values.c. */
    LAM_RULE_FILE_MAGIC,
    LAM_RULE_FOOTER_LENGTH,
    LAM_RULE_FOOTER,
    LAM_RULE_FOOTER_THRIFT,
    LAM_RULE_FOOTER_UNJUDGED,
    LAM_RULE_FILE_VERSION,
    LAM_RULE_FILE_ROWS,
    LAM_RULE_CREATED_BY,
    LAM_RULE_KNOWN_FAULT,
    LAM_RULE_KEY_VALUE,
    LAM_RULE_TEXT_UTF8,
    /* Findings about parts that could not be checked; they may be reported anywhere. */
    LAM_RULE_ENCRYPTED,
    LAM_RULE_UNSUPPORTED,
    LAM_RULE_LIMIT,
    LAM_RULE_UNCHECKED,

    /* The schema: check_schema.c. */
    LAM_RULE_SCHEMA_TREE,
    LAM_RULE_SCHEMA_ROOT,
    LAM_RULE_SCHEMA_ELEMENT,
    LAM_RULE_DUPLICATE_NAME,
    LAM_RULE_LOGICAL_TYPE,
    LAM_RULE_NEWER_TYPE,
    LAM_RULE_CONVERTED_TYPE,
    LAM_RULE_CONVERTED_MISSING,
    LAM_RULE_LIST_STRUCTURE,
    LAM_RULE_LIST_LEGACY,
    LAM_RULE_MAP_STRUCTURE,
    LAM_RULE_MAP_KEY,
    LAM_RULE_MAP_LEGACY,
    LAM_RULE_VARIANT_STRUCTURE,
    LAM_RULE_VARIANT_VALUE,
    LAM_RULE_VARIANT_REPETITION,
    LAM_RULE_FILE_STRUCTURE,
    LAM_RULE_REPEATED_MIXED,
    LAM_RULE_COLUMN_ORDERS,
    LAM_RULE_COLUMN_ORDERS_MISSING,

    /* Row groups and the order of their rows: check_row_group.c, check_sorting.c. */
    LAM_RULE_ROW_GROUP_COLUMNS,
    LAM_RULE_ROW_GROUP_ROWS,
    LAM_RULE_ROW_GROUP_ORDINAL,
    LAM_RULE_ROW_GROUP_BYTES,
    LAM_RULE_ROW_GROUP_OFFSET,
    LAM_RULE_SORTING_COLUMNS,
    LAM_RULE_SORTING_ORDER,
    LAM_RULE_SORTING_UNVERIFIED,

    /* Column chunks: check_chunk.c, check_ranges.c, check_encodings.c. */
    LAM_RULE_CHUNK_METADATA,
    LAM_RULE_EXTERNAL_FILE,
    LAM_RULE_CHUNK_PATH,
    LAM_RULE_CHUNK_TYPE,
    LAM_RULE_CHUNK_RANGE,
    LAM_RULE_RANGE_OVERLAP,
    LAM_RULE_CHUNK_BYTES,
    LAM_RULE_CHUNK_BYTES_HEADER,
    LAM_RULE_CHUNK_UNCOMPRESSED,
    LAM_RULE_CHUNK_VALUES,
    LAM_RULE_CHUNK_ROWS,
    LAM_RULE_DATA_PAGE_OFFSET,
    LAM_RULE_DICTIONARY_OFFSET,
    LAM_RULE_ENCODINGS_MISSING,
    LAM_RULE_ENCODINGS_UNUSED,
    LAM_RULE_ENCODING_STATS,
    LAM_RULE_ENCODING_STATS_TYPE,

    /* Pages: check_chunk.c (headers), check_page.c, check_values.c, check_delta.c. */
    LAM_RULE_PAGE_HEADER,
    LAM_RULE_PAGE_TYPE,
    LAM_RULE_PAGE_CRC,
    LAM_RULE_PAGE_BODY,
    LAM_RULE_PAGE_NULLS,
    LAM_RULE_PAGE_ROWS,
    LAM_RULE_PAGE_BOUNDARY,
    LAM_RULE_PAGE_COMPRESSED,
    LAM_RULE_PAGE_ENCODING,
    LAM_RULE_PAGE_VALUES,
    LAM_RULE_DELTA_WIDTH,
    LAM_RULE_LEVEL_ENCODING,

    /* Dictionaries and the indexes into them: check_dictionary.c. */
    LAM_RULE_DICTIONARY_PLACE,
    LAM_RULE_DICTIONARY_MISSING,
    LAM_RULE_DICTIONARY_PAGE,
    LAM_RULE_DICTIONARY_INDEX,
    LAM_RULE_DICTIONARY_SORTED,

    /* Levels: check_levels.c; between columns: check_level_digests.c. */
    LAM_RULE_LEVELS,
    LAM_RULE_LEVELS_RANGE,
    LAM_RULE_LEVELS_FIRST,
    LAM_RULE_LEVELS_STRUCTURE,
    LAM_RULE_LEVELS_AGREE,

    /* Values by themselves: check_values.c, check_contents.c; complete VARIANTs:
     * check_variants.c. */
    LAM_RULE_UTF8,
    LAM_RULE_VALUE_RANGE,
    LAM_RULE_INT96_NANOSECONDS,
    LAM_RULE_UNKNOWN_NULL,
    LAM_RULE_JSON,
    LAM_RULE_BSON,
    LAM_RULE_WKB,
    LAM_RULE_GEOGRAPHIC_RANGE,
    LAM_RULE_VARIANT_METADATA,
    LAM_RULE_VARIANT_METADATA_EMPTY,
    LAM_RULE_VARIANT_METADATA_ORDER,
    LAM_RULE_VARIANT_BYTES,
    LAM_RULE_VARIANT_DECIMAL,
    LAM_RULE_VARIANT_ORDER,
    LAM_RULE_VARIANT_SHREDDING,
    LAM_RULE_VARIANT_MISSING,
    LAM_RULE_VARIANT_NAMES,

    /* Statistics of pages and chunks: check_statistics.c, check_geospatial.c. */
    LAM_RULE_NULL_COUNT,
    LAM_RULE_NULL_COUNT_LEAF,
    LAM_RULE_NAN_COUNT,
    LAM_RULE_DISTINCT_COUNT,
    LAM_RULE_BOUND_SIZE,
    LAM_RULE_MIN_VALUE,
    LAM_RULE_MAX_VALUE,
    LAM_RULE_BOUND_EXACT,
    LAM_RULE_BOUND_LOOSE,
    LAM_RULE_BOUND_NAN,
    LAM_RULE_BOUND_ZERO,
    LAM_RULE_BOUND_FORM,
    LAM_RULE_BOUND_UNDEFINED,
    LAM_RULE_BOUND_WITHOUT_VALUES,
    LAM_RULE_BOUND_DEPRECATED,
    LAM_RULE_LEVEL_HISTOGRAM,
    LAM_RULE_UNENCODED_BYTES,
    LAM_RULE_GEOSPATIAL_STATISTICS,
    LAM_RULE_GEOSPATIAL_BOUNDS,
    LAM_RULE_GEOSPATIAL_ROUNDING,
    LAM_RULE_GEOSPATIAL_BOX,
    LAM_RULE_GEOSPATIAL_TYPES,
    LAM_RULE_GEOSPATIAL_TYPES_UNUSED,

    /* The page index: check_index.c. */
    LAM_RULE_INDEX_RANGE,
    LAM_RULE_INDEX_LENGTH,
    LAM_RULE_OFFSET_INDEX,
    LAM_RULE_OFFSET_INDEX_MISSING,
    LAM_RULE_OFFSET_INDEX_PAGES,
    LAM_RULE_OFFSET_INDEX_LOCATION,
    LAM_RULE_OFFSET_INDEX_ROWS,
    LAM_RULE_COLUMN_INDEX,
    LAM_RULE_COLUMN_INDEX_PAGES,
    LAM_RULE_NULL_PAGES,
    LAM_RULE_BOUNDARY_ORDER,

    /* Bloom filters: check_bloom.c, check_values.c. */
    LAM_RULE_BLOOM_HEADER,
    LAM_RULE_BLOOM_LENGTH,
    LAM_RULE_BLOOM_VALUE,

    /* The number of rules, and the size of every array that is indexed by rule. */
    LAM_RULE_COUNT
} lam_rule;

/* Static; never NULL for a rule of the enum. */
const lam_check_rule *lam_rule_of(lam_rule rule);

#endif
