/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the metadata of two files: what their footers say besides schema and columns. Key-values
 * are compared by key, whatever their order; a key that comes several times, by its occurrences.
 * ARROW:schema repeats the schema in another form, and counts only with --metadata all, as do the
 * writer of a file and its settings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

typedef struct key_value {
    const char *key;
    const char *value; /* NULL: none */
    size_t index;
} key_value;

static int order_keys(const void *left, const void *right) {
    const key_value *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

static key_value *list_keys(const lam_reader *reader, diff_metadata which, size_t *ret_count) {
    size_t count = tool_file_info(reader).key_value_count, kept = 0;
    const char *key, *value;
    key_value *list = tool_allocate(count + 1, sizeof *list);
    for (size_t i = 0; i < count && lam_reader_key_value(reader, i, &key, &value); i++) {
        if (which != DIFF_METADATA_ALL && strcmp(key, "ARROW:schema") == 0)
            continue;
        list[kept].key = key;
        list[kept].value = value;
        list[kept++].index = i;
    }
    qsort(list, kept, sizeof *list, order_keys);
    *ret_count = kept;
    return list;
}

static bool is_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void compare_keys(const diff_match *match, diff_report *report) {
    size_t a_count, b_count, i = 0, j = 0;
    diff_metadata which = report->options->metadata;
    key_value *a = list_keys(match->files[0].reader, which, &a_count);
    key_value *b = list_keys(match->files[1].reader, which, &b_count);
    while (i < a_count || j < b_count) {
        int order = i == a_count ? 1 : j == b_count ? -1 : strcmp(a[i].key, b[j].key);
        if (order < 0)
            diff_report_metadata(report, "removed", a[i].key, a[i].value, NULL);
        else if (order > 0)
            diff_report_metadata(report, "added", b[j].key, NULL, b[j].value);
        else if (!is_same_text(a[i].value, b[j].value))
            diff_report_metadata(report, "changed", a[i].key, a[i].value, b[j].value);
        i += order <= 0;
        j += order >= 0;
    }
    free(a);
    free(b);
}

/* --- With --metadata all ------------------------------------------------------------------- */

static void compare_texts(diff_report *report, const char *name, const char *a, const char *b) {
    if (!is_same_text(a, b))
        diff_report_metadata(report, "written", name, a, b);
}

static void compare_numbers(diff_report *report, const char *name, uint64_t a, uint64_t b) {
    char left[32], right[32];
    snprintf(left, sizeof left, "%" PRIu64, a);
    snprintf(right, sizeof right, "%" PRIu64, b);
    compare_texts(report, name, left, right);
}

enum { CODECS_TEXT = 256 };

/* The codecs of all chunks of a leaf: "SNAPPY ZSTD". */
static void list_codecs(const lam_reader *reader, size_t leaf, char *text) {
    uint32_t found = 0;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error;
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (lam_reader_column_chunk(reader, i, leaf, &info, &error) == LAM_STATUS_OK)
            found |= UINT32_C(1) << ((unsigned)info.codec & 31);
    }
    text[0] = '\0';
    for (unsigned codec = 0; codec < 32; codec++) {
        size_t used = strlen(text);
        if ((found >> codec & 1) != 0)
            snprintf(text + used, CODECS_TEXT - used, "%s%s", used == 0 ? "" : " ",
                     lam_codec_name((lam_codec)codec));
    }
}

static void compare_codecs(const diff_match *match, diff_report *report) {
    for (size_t i = 0; i < match->pair_count; i++) {
        const diff_pair *pair = &match->pairs[i];
        char a[CODECS_TEXT], b[CODECS_TEXT];
        list_codecs(match->files[0].reader, pair->leaves[0], a);
        list_codecs(match->files[1].reader, pair->leaves[1], b);
        if (strcmp(a, b) == 0)
            continue;
        char *path = tool_path_of(lam_schema_leaf(match->files[0].schema, pair->leaves[0]));
        size_t size = strlen(path) + sizeof "codec of ";
        char *name = tool_allocate(size, 1);
        snprintf(name, size, "codec of %s", path);
        compare_texts(report, name, a, b);
        free(name);
        free(path);
    }
}

void diff_compare_metadata(const diff_match *match, diff_report *report) {
    const lam_reader *a = match->files[0].reader, *b = match->files[1].reader;
    compare_keys(match, report);
    if (report->options->metadata != DIFF_METADATA_ALL)
        return;
    const lam_file_info info_a = tool_file_info(a), info_b = tool_file_info(b);
    compare_texts(report, "created_by", info_a.created_by, info_b.created_by);
    compare_numbers(report, "version", (uint64_t)info_a.version, (uint64_t)info_b.version);
    compare_numbers(report, "row groups", lam_reader_row_group_count(a),
                    lam_reader_row_group_count(b));
    compare_codecs(match, report);
}
