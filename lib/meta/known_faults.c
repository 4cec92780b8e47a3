/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells who wrote a file, and finds the rows of fault_table.c that concern it: those of its
 * application and version. Then it tells which leaves a fault concerns, and which metadata.
 *
 *   "parquet-mr version 1.8.1 (build 4aba4da)"   application parquet-mr, version 1.8.1
 *   "parquet-cpp version 1.3.0-SNAPSHOT"         before 1.3.0, so it has the faults of 1.2
 *   "parquet-mr (build 32c4664)"                 any version, as in parquet-mr before 1.8
 *   "Polars"                                     any version
 *
 * Writers that cannot be told apart always have the faults of each other. (FileMetaData.created_by)
 */
#include "meta/known_faults.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "meta/compact.h"
#include "meta/fault_table.h"

/* --- Who wrote a file ------------------------------------------------------------------------ */

/*
 * Parsed: "application version 1.2.3-suffix (build ...)", "application v1.2.3", or only an
 * application.
 */
typedef struct known_faults_writer {
    lam_bytes application;
    bool has_version;
    uint16_t version[3];
    lam_bytes suffix; /* after the numbers: "-SNAPSHOT", "rc1", "-cdh5.5.0" */
} known_faults_writer;

/* Gives the index of a word; the size of the text if it has none. */
static size_t find_word(lam_bytes text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.data + i, word, size) == 0)
            return i;
    return text.size;
}

/*
 * Gives the index of " version ", or of " v" and a digit, and that of the numbers after it; without
 * either, that of " (build ", or the size of the text. A name may contain spaces: "flow-php parquet
 * version 1.0" is cut before " version ".
 */
static size_t find_version(lam_bytes text, size_t *ret_numbers) {
    static const char word[] = " version ";
    size_t found = find_word(text, word);
    if (found < text.size) {
        *ret_numbers = found + sizeof word - 1;
        *ret_numbers += *ret_numbers < text.size && text.data[*ret_numbers] == 'v';
        return found;
    }
    for (size_t i = 0; i + 2 < text.size; i++)
        if (text.data[i] == ' ' && text.data[i + 1] == 'v' &&
            lam_ascii_is_digit(text.data[i + 2])) {
            *ret_numbers = i + 2;
            return i;
        }
    *ret_numbers = text.size;
    return find_word(text, " (build ");
}

/*
 * Reads digits and moves past them; a number above 65535 counts as 65535, later than all in the
 * table.
 */
static uint16_t known_faults_read_number(lam_bytes text, size_t *at) {
    uint32_t number = 0;
    for (; *at < text.size && lam_ascii_is_digit(text.data[*at]); ++*at) {
        number = number * 10 + (text.data[*at] - (uint32_t)'0');
        number = number > UINT16_MAX ? UINT16_MAX : number;
    }
    return (uint16_t)number;
}

/*
 * Parses up to three numbers. Missing ones are 0: "version 18" is 18.0.0. Text without a version is
 * all application.
 */
static known_faults_writer read_writer(lam_bytes text) {
    known_faults_writer by = {0};
    size_t at, end;
    if (text.size == 0) /* its data may be NULL, to which not even 0 can be added */
        return by;
    by.application = (lam_bytes){text.data, find_version(text, &at)};
    by.has_version = at < text.size && lam_ascii_is_digit(text.data[at]);
    for (int i = 0; i < 3 && by.has_version; i++) {
        by.version[i] = known_faults_read_number(text, &at);
        if (at + 1 >= text.size || text.data[at] != '.' || !lam_ascii_is_digit(text.data[at + 1]))
            break;
        at++;
    }
    for (end = at; end < text.size && text.data[end] != ' ';)
        end++;
    by.suffix = (lam_bytes){text.data + at, end - at};
    return by;
}

/* Compares like strcmp: below 0, 0 or above 0. */
static int compare_versions(const uint16_t *a, const uint16_t *b) {
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/*
 * True for parquet-mr of Cloudera's CDH 5.5 and later, whose version is "1.5.0-cdh5.5.0": it has
 * the fix of 1.8.0. The digits are compared as a number, so that 5.11 is later than 5.5.
 */
static bool is_mended_by_cloudera(const known_faults_writer *by) {
    static const uint16_t version[3] = {1, 5, 0};
    static const char word[] = "-cdh5.";
    size_t at = sizeof word - 1;
    if (compare_versions(by->version, version) != 0 || by->suffix.size <= at ||
        memcmp(by->suffix.data, word, at) != 0)
        return false;
    return known_faults_read_number(by->suffix, &at) >= 5;
}

/*
 * True if a writer is older than `version`. A suffix marks a state before its version
 * (1.3.0-SNAPSHOT) or a variant of it (1.3.0-vendor); both are taken for the former, which at worst
 * ignores good metadata.
 */
static bool known_faults_is_below(const known_faults_writer *by, const uint16_t *version) {
    int order = compare_versions(by->version, version);
    return order < 0 || (order == 0 && by->suffix.size > 0);
}

/* Names are compared byte by byte. */
static bool known_faults_is_by(const known_faults_writer *by, const char *application) {
    size_t size = strlen(application);
    return by->application.size == size && memcmp(by->application.data, application, size) == 0;
}

/* An application that states no version may be an old one. */
static bool known_faults_is_sound(const known_faults_writer *by, uint32_t faults) {
    size_t count;
    const lam_sound_writer *sound = lam_sound_writers(&count);
    for (size_t i = 0; i < count; i++)
        if ((sound[i].faults & faults) == faults && known_faults_is_by(by, sound[i].application))
            return by->has_version && !known_faults_is_below(by, sound[i].from);
    return false;
}

/*
 * True if the application is the row's, and the version in its range. Cloudera's fix concerns the
 * one row of bounds.
 */
static bool applies(const lam_known_fault *fault, const known_faults_writer *by) {
    static const uint16_t none[3] = {0, 0, 0};
    if (fault->application == NULL)
        return !known_faults_is_sound(by, fault->faults);
    if (!known_faults_is_by(by, fault->application))
        return false;
    if (!by->has_version)
        return true;
    if (compare_versions(by->version, fault->from) < 0)
        return false;
    if (compare_versions(fault->below, none) == 0)
        return true;
    if (fault->faults == LAM_FAULT_BYTE_BOUNDS && is_mended_by_cloudera(by))
        return false;
    return known_faults_is_below(by, fault->below);
}

/* --------------------------------------------------------------------------------------------- */

size_t lam_known_fault_count(void) {
    size_t count;
    (void)lam_fault_table(&count);
    return count;
}

const lam_known_fault *lam_known_fault_at(size_t index) {
    size_t count;
    return &lam_fault_table(&count)[index];
}

bool lam_known_fault_applies(const lam_known_fault *fault, lam_bytes created_by) {
    known_faults_writer by = read_writer(created_by);
    return applies(fault, &by);
}

/*
 * Tries all rows, since applications repeat and ranges of versions overlap. Done once for each
 * file.
 */
uint32_t lam_known_faults(lam_bytes created_by) {
    known_faults_writer by = read_writer(created_by);
    uint32_t faults = 0;
    size_t count;
    const lam_known_fault *table = lam_fault_table(&count);
    for (size_t i = 0; i < count; i++)
        if (applies(&table[i], &by))
            faults |= table[i].faults;
    return faults;
}

/* --- What they concern ----------------------------------------------------------------------- */

/* Faults that spoil minimum and maximum, wherever they are. */
static const uint32_t SPOILT_BOUNDS = LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_TEXT_BOUNDS |
                                      LAM_FAULT_BYTE_DECIMALS | LAM_FAULT_TEXT_DECIMALS |
                                      LAM_FAULT_NUMBER_DECIMALS | LAM_FAULT_UUID_BOUNDS |
                                      LAM_FAULT_FLOAT16_BOUNDS | LAM_FAULT_UNSIGNED_BOUNDS |
                                      LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_BOUNDS;

/* Faults that spoil null_count. */
static const uint32_t NULL_COUNTS =
    LAM_FAULT_NULL_COUNTS | LAM_FAULT_ALL_NULL_COUNTS | LAM_FAULT_LIST_NULL_COUNTS;

/* Faults of all leaves that repeat, and of no others. */
static const uint32_t OF_LISTS = LAM_FAULT_LIST_NULL_COUNTS | LAM_FAULT_LIST_BOUNDS |
                                 LAM_FAULT_LIST_PAGES | LAM_FAULT_LIST_NULL_PAGES;

/*
 * True for a leaf in a LIST. Since 1.3, nothing distinguishes an ARRAY of DuckDB from a LIST;
 * before, its repeated group is called `array`. So all LISTs are checked.
 */
static bool is_in_list(const lam_field *leaf) {
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        if (field->repetition == LAM_REPETITION_REPEATED &&
            lam_parent_of(field)->logical_type.kind == LAM_LOGICAL_LIST)
            return true;
    return false;
}

/* True for a leaf in a VARIANT, at any depth. */
static bool is_in_variant(const lam_field *leaf) {
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        if (field->logical_type.kind == LAM_LOGICAL_VARIANT)
            return true;
    return false;
}

/*
 * Collects all faults that a leaf of this type can have, and keeps those of `faults`. Required
 * leaves have no nulls to miscount. The two that climb the schema are tested only if needed.
 */
uint32_t lam_known_faults_of_leaf(uint32_t faults, const lam_field *leaf) {
    const lam_logical_type *logical = &leaf->logical_type;
    bool is_text = leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY;
    bool is_bytes = is_text || leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    bool is_decimal = logical->kind == LAM_LOGICAL_DECIMAL;
    bool is_unsigned = logical->kind == LAM_LOGICAL_INTEGER && !logical->is_signed;
    uint32_t others = LAM_FAULT_OFFSET_INDEX | LAM_FAULT_BLOOM_FILTERS | LAM_FAULT_CHUNK_SIZES |
                      LAM_FAULT_V2_COMPRESSION;
    others |= is_bytes ? LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_UPPER_BOUNDS : 0u;
    others |= is_bytes ? LAM_FAULT_SEQUEL_PAGES : 0u;
    others |= is_text ? LAM_FAULT_TEXT_BOUNDS : 0u;
    others |= is_text && leaf->max_definition > 0 ? LAM_FAULT_NULL_COUNTS : 0u;
    others |= leaf->max_definition > 0 ? LAM_FAULT_ALL_NULL_COUNTS : 0u;
    others |= leaf->max_repetition > 0 ? OF_LISTS : 0u;
    others |= is_bytes && is_decimal ? LAM_FAULT_BYTE_DECIMALS : 0u;
    others |= is_text && is_decimal ? LAM_FAULT_TEXT_DECIMALS : 0u;
    others |= !is_bytes && is_decimal ? LAM_FAULT_NUMBER_DECIMALS : 0u;
    others |= logical->kind == LAM_LOGICAL_UUID ? LAM_FAULT_UUID_BOUNDS : 0u;
    others |= logical->kind == LAM_LOGICAL_FLOAT16 ? LAM_FAULT_FLOAT16_BOUNDS : 0u;
    others |= is_unsigned ? LAM_FAULT_UNSIGNED_BOUNDS : 0u;
    others |= leaf->physical_type == LAM_PHYSICAL_INT96 ? LAM_FAULT_INT96_BOUNDS : 0u;
    others |= is_unsigned || is_bytes ? LAM_FAULT_OLD_BOUNDS : 0u;
    if ((faults & LAM_FAULT_ARRAY_LEVELS) != 0 && is_in_list(leaf))
        others |= LAM_FAULT_ARRAY_LEVELS;
    if ((faults & LAM_FAULT_SORTED_VARIANTS) != 0 && is_in_variant(leaf))
        others |= LAM_FAULT_SORTED_VARIANTS;
    return faults & others;
}

bool lam_known_faults_may_have_sequels(const lam_meta_column *column) {
    for (uint32_t i = 0; i < column->encodings.count; i++)
        if (column->encodings.items[i] == LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY ||
            column->encodings.items[i] == LAM_ENCODING_DELTA_BYTE_ARRAY)
            return true;
    return false;
}

bool lam_known_faults_spoil_null_pages(uint32_t faults, const lam_field *leaf) {
    return (faults & LAM_FAULT_LIST_NULL_PAGES) != 0 && leaf->max_repetition > 0;
}

/* The test of 0 keeps the common case, a writer without faults, free of any work per leaf. */
bool lam_known_faults_spoil_null_counts(uint32_t faults, const lam_field *leaf) {
    return faults != 0 && (lam_known_faults_of_leaf(faults, leaf) & NULL_COUNTS) != 0;
}

bool lam_known_faults_spoil_statistics(uint32_t faults, const lam_field *leaf) {
    return faults != 0 && (lam_known_faults_of_leaf(faults, leaf) & SPOILT_BOUNDS) != 0;
}

bool lam_known_faults_spoil_column_index(uint32_t faults, const lam_field *leaf) {
    return faults != 0 &&
           (lam_known_faults_of_leaf(faults, leaf) & (SPOILT_BOUNDS | LAM_FAULT_UPPER_BOUNDS)) != 0;
}

/*
 * Gives the faults that a chunk can show, a set of lam_fault: those of metadata that it has. Levels
 * and VARIANTs are in the values, where only reading them would decide. Null pages are in the
 * column index, and few lists have any: they are not reported.
 */
static uint32_t faulty_of(const lam_meta_column_chunk *chunk) {
    const lam_meta_column *column = chunk->meta_data;
    const uint32_t old_bounds = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    const uint32_t new_bounds =
        LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE;
    uint32_t faulty = 0, stated = 0;
    if (column == NULL)
        return 0;
    if (column->statistics != NULL)
        stated = column->statistics->has;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0)
        faulty |= LAM_FAULT_UPPER_BOUNDS | SPOILT_BOUNDS;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0)
        faulty |= LAM_FAULT_OFFSET_INDEX | LAM_FAULT_LIST_PAGES;
    if ((stated & (old_bounds | new_bounds)) != 0)
        faulty |= SPOILT_BOUNDS;
    if ((stated & old_bounds) != 0)
        faulty |= LAM_FAULT_OLD_BOUNDS;
    if ((stated & LAM_META_STATISTICS_HAS_NULL_COUNT) != 0)
        faulty |= NULL_COUNTS;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0)
        faulty |= LAM_FAULT_BLOOM_FILTERS;
    if ((column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0)
        faulty |= LAM_FAULT_CHUNK_SIZES;
    if (column->codec != 0)
        faulty |= LAM_FAULT_V2_COMPRESSION;
    if (lam_known_faults_may_have_sequels(column))
        faulty |= LAM_FAULT_SEQUEL_PAGES;
    return faulty | LAM_FAULT_ARRAY_LEVELS | LAM_FAULT_SORTED_VARIANTS;
}

/*
 * The faults of a row that a leaf of this file can have. Bounds of INT96 are always ignored unless
 * the column order is theirs, and then they are not wrong.
 */
static uint32_t faults_of_leaf_in(const lam_known_fault *fault, const lam_meta_file_view *meta,
                                  const lam_field *leaf) {
    uint32_t faults = lam_known_faults_of_leaf(fault->faults, leaf);
    const lam_meta_column_order_list *orders = &meta->column_orders;
    bool is_ordered = leaf->first_leaf < orders->count &&
                      orders->items[leaf->first_leaf].kind == LAM_META_COLUMN_ORDER_INT96_TIMESTAMP;
    return is_ordered ? faults : faults & ~(uint32_t)LAM_FAULT_INT96_BOUNDS;
}

/* Searches leaf by leaf, so that the first leaf is reported, whichever row group shows it. */
lam_status lam_known_fault_find(const lam_known_fault *fault, const lam_meta_file_view *meta,
                                const lam_schema *schema, lam_arena *arena, bool *ret_found,
                                size_t *ret_leaf, lam_error *error) {
    bool found = false;
    for (size_t leaf = 0; leaf < schema->leaf_count && !found; leaf++) {
        uint32_t faults = faults_of_leaf_in(fault, meta, lam_leaf_at(schema, leaf));
        for (uint32_t i = 0; faults != 0 && i < meta->row_groups.count && !found; i++) {
            lam_meta_column_chunk chunk;
            if (leaf >= meta->row_groups.items[i].columns.count)
                continue;
            lam_arena_reset(arena);
            LAM_TRY(lam_meta_read_column_chunk(meta, i, leaf, arena, &chunk, error));
            found = (faults & faulty_of(&chunk)) != 0;
        }
        if (found)
            *ret_leaf = leaf;
    }
    *ret_found = found;
    return LAM_STATUS_OK;
}
