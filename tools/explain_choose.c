/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses conditions on the leaves of a page that show how a file is skipped: at most one by each
 * of two rules, the first that holds of
 *
 *     page        LEAF = the minimum of the page in the middle of a row group
 *     row_group   LEAF = the minimum of the row group in the middle
 *     outside     LEAF > its maximum in the row group
 *
 * and, if a leaf has a Bloom filter,
 *
 *     bloom       LEAF = a value between its bounds that the filter does not have
 *
 * Each condition has always been tried, and the scan rules rows out by it. Others teach nothing, so
 * a file without statistics gets no condition.
 */
#include "explain_skips.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_scan.h"
#include "tool.h"
#include "tool_bound.h"

enum { LEAVES_TRIED = 12, VALUES_TRIED = 24, TEXT_MOST = 4096, GUESS_MOST = 40 };

/* --- Text ---------------------------------------------------------------------------------- */

/* A bound as a value of a condition; false if it has no short text. */
static bool put_bound(FILE *out, const lam_field *leaf, lam_bytes bound) {
    char text[TOOL_BOUND_TEXT];
    tool_bound_text(leaf, bound, TOOL_BOUND_TEXT, text);
    size_t size = strlen(text);
    if (bound.data == NULL || strstr(text, "...") != NULL || strchr(text, '\\') != NULL)
        return false;
    if (strncmp(text, "0x", 2) == 0) {
        fprintf(out, "x'%s'", text + 2);
    } else if (text[0] == '"' && size >= 2) {
        fputc('\'', out);
        for (size_t i = 1; i + 1 < size; i++)
            fprintf(out, text[i] == '\'' ? "''" : "%c", text[i]);
        fputc('\'', out);
    } else {
        fputs(text, out);
    }
    return true;
}

/* "LEAF = VALUE", to be freed; NULL if the value has no text. */
static char *condition_of(const lam_field *leaf, const char *operation, lam_bytes bound) {
    tool_memory memory;
    char *path = tool_path_of(leaf);
    tool_memory_begin(&memory, NULL);
    fprintf(memory.file, "%s %s ", path, operation);
    free(path);
    bool is_good = put_bound(memory.file, leaf, bound);
    tool_memory_end(&memory, true);
    if (is_good && memory.size <= TEXT_MOST)
        return memory.text;
    free(memory.text);
    return NULL;
}

/* --- Trying -------------------------------------------------------------------------------- */

typedef struct choice_state {
    const explain_subject *subject;
    const explain_sample *sample;
    explain_condition *chosen;
    size_t count;
} choice_state;

/* Want of memory or time ends the program; else whether a call succeeded. */
static bool is_good(lam_status status) {
    if (status == LAM_STATUS_NOMEM || status == LAM_STATUS_CANCELLED)
        tool_end_without_memory(NULL,
                                status == LAM_STATUS_NOMEM ? "no memory" : "it took too long");
    return status == LAM_STATUS_OK;
}

/* Keeps a condition by which something is ruled out, and by a Bloom filter if it should be. */
static bool keep_if_it_skips(choice_state *choice, char *text, const char *rule, bool by_bloom) {
    lam_scan_report report = lam_scan_report_default();
    lam_error error = lam_error_none();
    if (text == NULL)
        return false;
    lam_status status = explain_scan_prune(choice->subject, text, &report, &error);
    if (status == LAM_STATUS_CANCELLED)
        tool_end_without_memory(NULL, error.message);
    bool skips = by_bloom ? report.row_groups_by_bloom > 0 : report.rows_pruned > 0;
    if (!is_good(status) || !skips) {
        free(text);
        return false;
    }
    choice->chosen[choice->count++] = (explain_condition){text, rule};
    return true;
}

static bool try_page(choice_state *choice, const lam_field *leaf) {
    lam_page_index_reader *index;
    lam_page_index_info info = lam_page_index_info_default();
    lam_page_index_entry entry = lam_page_index_entry_default();
    char *text = NULL;
    if (!is_good(lam_page_index_reader_open(choice->subject->reader, choice->sample->row_group,
                                            lam_field_first_leaf(leaf), &index, NULL)))
        return false;
    if (is_good(lam_page_index_reader_info(index, &info, NULL)) && info.page_count > 1 &&
        info.has_bounds && info.has_offsets &&
        is_good(lam_page_index_reader_page(index, info.page_count / 2, &entry, NULL)) &&
        entry.has_bounds && !entry.is_null)
        text = condition_of(leaf, "=", entry.min_value);
    bool is_kept = keep_if_it_skips(choice, text, "page", false);
    lam_page_index_reader_close(index);
    return is_kept;
}

/* The bounds of a chunk; false if it has none. */
static bool bounds_of(const choice_state *choice, size_t row_group, const lam_field *leaf,
                      lam_statistics *ret_statistics) {
    lam_chunk_details details = lam_chunk_details_default();
    if (!is_good(lam_reader_chunk_details(choice->subject->reader, row_group,
                                          lam_field_first_leaf(leaf), &details, NULL)))
        return false;
    *ret_statistics = details.statistics;
    return details.statistics.min_value.data != NULL && details.statistics.max_value.data != NULL;
}

static bool try_row_group(choice_state *choice, const lam_field *leaf) {
    lam_statistics statistics;
    size_t count = lam_reader_row_group_count(choice->subject->reader);
    return count > 1 && bounds_of(choice, count / 2, leaf, &statistics) &&
           keep_if_it_skips(choice, condition_of(leaf, "=", statistics.min_value), "row_group",
                            false);
}

static bool try_outside(choice_state *choice, const lam_field *leaf) {
    lam_statistics statistics;
    return bounds_of(choice, choice->sample->row_group, leaf, &statistics) &&
           keep_if_it_skips(choice, condition_of(leaf, ">", statistics.max_value), "outside",
                            false);
}

/* --- Values that a Bloom filter lacks ------------------------------------------------------ */

/* A guess between the bounds: the middle and its successor, or the minimum with more appended. */
static bool guess(const lam_field *leaf, const lam_statistics *statistics, int number,
                  uint8_t room[GUESS_MOST], lam_bytes *ret_value) {
    lam_value min, max;
    lam_physical_type type = lam_field_physical_type(leaf);
    if (!is_good(lam_bound_value(leaf, statistics->min_value, &min, NULL)) ||
        !is_good(lam_bound_value(leaf, statistics->max_value, &max, NULL)))
        return false;
    if (type == LAM_PHYSICAL_INT32 || type == LAM_PHYSICAL_INT64) {
        bool is_narrow = type == LAM_PHYSICAL_INT32;
        int64_t low = is_narrow ? min.int32 : min.int64, high = is_narrow ? max.int32 : max.int64;
        uint64_t middle = (uint64_t)low + ((uint64_t)high - (uint64_t)low) / 2 + (uint64_t)number;
        if (low >= high || (int64_t)middle <= low || (int64_t)middle >= high)
            return false;
        for (size_t i = 0; i < (is_narrow ? 4u : 8u); i++)
            room[i] = (uint8_t)(middle >> 8 * i);
        *ret_value = (lam_bytes){room, is_narrow ? 4 : 8};
        return true;
    }
    size_t size = statistics->min_value.size;
    if (type != LAM_PHYSICAL_BYTE_ARRAY || size + 2 > GUESS_MOST)
        return false;
    memcpy(room, statistics->min_value.data, size);
    room[size] = (uint8_t)('a' + number % 26);
    *ret_value = (lam_bytes){room, size + 1};
    return true;
}

static bool try_bloom(choice_state *choice, const lam_field *leaf) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_statistics statistics;
    uint8_t room[GUESS_MOST];
    lam_bytes value;
    if (!is_good(lam_reader_column_chunk(choice->subject->reader, choice->sample->row_group,
                                         lam_field_first_leaf(leaf), &info, NULL)) ||
        info.bloom_filter_offset < 0 ||
        !bounds_of(choice, choice->sample->row_group, leaf, &statistics))
        return false;
    for (int i = 0; i < VALUES_TRIED; i++)
        if (guess(leaf, &statistics, i, room, &value) &&
            keep_if_it_skips(choice, condition_of(leaf, "=", value), "bloom", true))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------- */

/* Tries the leaves of the sample by one rule. */
static bool try_leaves(choice_state *choice, bool (*try_leaf)(choice_state *, const lam_field *)) {
    const lam_schema *schema = lam_reader_schema(choice->subject->reader);
    size_t tried = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(schema) && tried < LEAVES_TRIED; i++)
        if (choice->sample->leaves[i]) {
            tried++;
            if (try_leaf(choice, lam_schema_leaf(schema, i)))
                return true;
        }
    return false;
}

size_t explain_choose_conditions(const explain_subject *subject, const explain_sample *sample,
                                 explain_condition chosen[EXPLAIN_CHOSEN_MOST]) {
    choice_state choice = {subject, sample, chosen, 0};
    if (!sample->has_row_group || lam_reader_row_count(subject->reader) == 0)
        return 0;
    if (!try_leaves(&choice, try_page) && !try_leaves(&choice, try_row_group))
        (void)try_leaves(&choice, try_outside);
    (void)try_leaves(&choice, try_bloom);
    return choice.count;
}
