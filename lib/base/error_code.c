/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the codes of lam_error, of this version or any other, for logs and for programs that
 * compare texts; the names are part of its contract.
 *
 * A code's name is always its enumerator in lower case with dashes; a code that means the same as a
 * rule of lam_check has the name of that rule. tests/style/births.py compares numbers, names and
 * rules.
 */
#include <lamella/common.h>

typedef struct code_name {
    lam_error_code code;
    const char *name;
} code_name;

/* In the order of the numbers; a number is never used again, so lines are only added. */
static const code_name NAMES[] = {
    {LAM_ERROR_CODE_NONE, "unspecified"},
    {LAM_ERROR_CODE_RECORD_FIELD_MISSING, "record-field-missing"},
    {LAM_ERROR_CODE_RECORD_FIELD_REPEATED, "record-field-repeated"},
    {LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, "record-field-unknown"},
    {LAM_ERROR_CODE_RECORD_FIELD_KIND, "record-field-kind"},
    {LAM_ERROR_CODE_RECORD_VALUE_TYPE, "record-value-type"},
    {LAM_ERROR_CODE_RECORD_VALUE_RANGE, "record-value-range"},
    {LAM_ERROR_CODE_RECORD_VALUE_SIZE, "record-value-size"},
    {LAM_ERROR_CODE_RECORD_VALUE_UTF8, "record-value-utf8"},
    {LAM_ERROR_CODE_RECORD_ORDER, "record-order"},
    {LAM_ERROR_CODE_JSON_SYNTAX, "json-syntax"},
    {LAM_ERROR_CODE_SCHEMA_SYNTAX, "schema-syntax"},
    {LAM_ERROR_CODE_FILTER_SYNTAX, "filter-syntax"},
    {LAM_ERROR_CODE_FIELD_AMBIGUOUS, "field-ambiguous"},
    {LAM_ERROR_CODE_ARROW_ARRAY, "arrow-array"},
    {LAM_ERROR_CODE_VARIANT_KIND, "variant-kind"},
    {LAM_ERROR_CODE_WRITER_FAILED, "writer-failed"},
    {LAM_ERROR_CODE_WRITER_FINISHED, "writer-finished"},
    {LAM_ERROR_CODE_RECORD_OPEN, "record-open"},
    {LAM_ERROR_CODE_RECORD_NOT_OPEN, "record-not-open"},
    {LAM_ERROR_CODE_READER_FAILED, "reader-failed"},
    {LAM_ERROR_CODE_FILE_MAGIC, "file-magic"},
    {LAM_ERROR_CODE_FOOTER_LENGTH, "footer-length"},
    {LAM_ERROR_CODE_FOOTER, "footer"},
    {LAM_ERROR_CODE_SCHEMA_TREE, "schema-tree"},
    {LAM_ERROR_CODE_SCHEMA_ELEMENT, "schema-element"},
    {LAM_ERROR_CODE_ROW_GROUP_COLUMNS, "row-group-columns"},
    {LAM_ERROR_CODE_ROW_GROUP_ROWS, "row-group-rows"},
    {LAM_ERROR_CODE_ARROW_SCHEMA, "arrow-schema"},
    {LAM_ERROR_CODE_CHUNK_METADATA, "chunk-metadata"},
    {LAM_ERROR_CODE_CHUNK_PATH, "chunk-path"},
    {LAM_ERROR_CODE_CHUNK_TYPE, "chunk-type"},
    {LAM_ERROR_CODE_CHUNK_RANGE, "chunk-range"},
    {LAM_ERROR_CODE_CHUNK_BYTES, "chunk-bytes"},
    {LAM_ERROR_CODE_CHUNK_VALUES, "chunk-values"},
    {LAM_ERROR_CODE_CHUNK_ROWS, "chunk-rows"},
    {LAM_ERROR_CODE_PAGE_HEADER, "page-header"},
    {LAM_ERROR_CODE_PAGE_CRC, "page-crc"},
    {LAM_ERROR_CODE_PAGE_BODY, "page-body"},
    {LAM_ERROR_CODE_PAGE_ENCODING, "page-encoding"},
    {LAM_ERROR_CODE_PAGE_VALUES, "page-values"},
    {LAM_ERROR_CODE_LEVEL_ENCODING, "level-encoding"},
    {LAM_ERROR_CODE_RLE_RUNS, "rle-runs"},
    {LAM_ERROR_CODE_DICTIONARY_PLACE, "dictionary-place"},
    {LAM_ERROR_CODE_DICTIONARY_MISSING, "dictionary-missing"},
    {LAM_ERROR_CODE_DICTIONARY_PAGE, "dictionary-page"},
    {LAM_ERROR_CODE_DICTIONARY_INDEX, "dictionary-index"},
    {LAM_ERROR_CODE_LEVELS_RANGE, "levels-range"},
    {LAM_ERROR_CODE_LEVELS_FIRST, "levels-first"},
    {LAM_ERROR_CODE_LEVELS_STRUCTURE, "levels-structure"},
    {LAM_ERROR_CODE_LEVELS_AGREE, "levels-agree"},
    {LAM_ERROR_CODE_UTF8, "utf8"},
    {LAM_ERROR_CODE_VALUE_RANGE, "value-range"},
    {LAM_ERROR_CODE_UNKNOWN_NULL, "unknown-null"},
    {LAM_ERROR_CODE_VARIANT_METADATA, "variant-metadata"},
    {LAM_ERROR_CODE_VARIANT_BYTES, "variant-bytes"},
    {LAM_ERROR_CODE_VARIANT_SHREDDING, "variant-shredding"},
    {LAM_ERROR_CODE_INDEX_RANGE, "index-range"},
    {LAM_ERROR_CODE_OFFSET_INDEX, "offset-index"},
    {LAM_ERROR_CODE_OFFSET_INDEX_ROWS, "offset-index-rows"},
    {LAM_ERROR_CODE_COLUMN_INDEX, "column-index"},
    {LAM_ERROR_CODE_INDEX_PAGES, "index-pages"},
    {LAM_ERROR_CODE_BLOOM_HEADER, "bloom-header"},
    {LAM_ERROR_CODE_BLOOM_LENGTH, "bloom-length"},
    {LAM_ERROR_CODE_JOURNAL, "journal"},
    {LAM_ERROR_CODE_LEFTOVER_EMPTY, "leftover-empty"},
    {LAM_ERROR_CODE_ENCRYPTED, "encrypted"},
    {LAM_ERROR_CODE_EXTERNAL_FILE, "external-file"},
    {LAM_ERROR_CODE_UNSUPPORTED_CODEC, "unsupported-codec"},
    {LAM_ERROR_CODE_UNSUPPORTED_ENCODING, "unsupported-encoding"},
    {LAM_ERROR_CODE_UNSUPPORTED_PAGE, "unsupported-page"},
    {LAM_ERROR_CODE_UNSUPPORTED_VECTOR, "unsupported-vector"},
    {LAM_ERROR_CODE_UNSUPPORTED_BLOOM, "unsupported-bloom"},
    {LAM_ERROR_CODE_UNSUPPORTED_VARIANT, "unsupported-variant"},
    {LAM_ERROR_CODE_UNSUPPORTED_ARROW, "unsupported-arrow"},
    {LAM_ERROR_CODE_UNSUPPORTED_GEOMETRY, "unsupported-geometry"},
    {LAM_ERROR_CODE_MEMORY_LIMIT, "memory-limit"},
    {LAM_ERROR_CODE_FORMAT_LIMIT, "format-limit"},
    {LAM_ERROR_CODE_SCHEMA_LIMIT, "schema-limit"},
    {LAM_ERROR_CODE_VARIANT_LIMIT, "variant-limit"},
    {LAM_ERROR_CODE_RECORD_LIMIT, "record-limit"},
    {LAM_ERROR_CODE_NUMBER_LIMIT, "number-limit"},
    {LAM_ERROR_CODE_FILTER_LIMIT, "filter-limit"},
    {LAM_ERROR_CODE_ARROW_LIMIT, "arrow-limit"},
    {LAM_ERROR_CODE_FILE_MISSING, "file-missing"},
    {LAM_ERROR_CODE_FILE_KIND, "file-kind"},
    {LAM_ERROR_CODE_FILE_OPEN, "file-open"},
    {LAM_ERROR_CODE_FILE_READ, "file-read"},
    {LAM_ERROR_CODE_FILE_SHORT, "file-short"},
    {LAM_ERROR_CODE_FILE_WRITE, "file-write"},
    {LAM_ERROR_CODE_DISK_FULL, "disk-full"},
    {LAM_ERROR_CODE_CALLBACK, "callback"},
    {LAM_ERROR_CODE_FILE_EXISTS, "file-exists"},
    {LAM_ERROR_CODE_FILE_BUSY, "file-busy"},
    {LAM_ERROR_CODE_FIELD_NOT_FOUND, "field-not-found"},
    {LAM_ERROR_CODE_VARIANT_NOT_FOUND, "variant-not-found"},
    {LAM_ERROR_CODE_CANCELLED, "cancelled"},
    {LAM_ERROR_CODE_DEADLINE, "deadline"},
};

/* Searched from the first on: names are for failures, and failures are rare. */
const char *lam_error_code_name(lam_error_code code) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (NAMES[i].code == code)
            return NAMES[i].name;
    return "unknown";
}
