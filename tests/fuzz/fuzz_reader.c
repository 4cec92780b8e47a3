/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole reader on any file: footer, infos, page lists, columns, records of all leaves and of
 * some. Columns are the same however they are read, and records after skipping too. (any_file.h)
 */
#include <lamella/column.h>
#include <lamella/scan.h>
#include <stdlib.h>

#include "fuzz/any_file.h"
#include "fuzz/harness.h"
#include "support/file_info.h"

enum { TRIPLES_MAX = 200000, VERBS_MAX = 200000, PAGES_MAX = 20000, TEXT_MAX = 4096 };

typedef struct visit {
    lam_fuzz_file file;
    size_t leaves;
    size_t pages_left;
    size_t triples_left;
    bool ran_out; /* the last records that were read would have taken more than the limit */
} visit;

static void read_infos(const visit *v) {
    char text[TEXT_MAX];
    const lam_reader *reader = v->file.reader;
    lam_schema_print(lam_reader_schema(reader), text, sizeof text);
    for (size_t i = 0; i < lam_schema_field_count(lam_reader_schema(reader)); i++) {
        const lam_field *field = lam_schema_field(lam_reader_schema(reader), i);
        lam_field_path(field, text, sizeof text);
        LAM_FUZZ_EXPECT(lam_field_index(field) == i);
    }
    for (size_t i = 0; i < lam_test_file_info(reader).key_value_count; i++)
        LAM_FUZZ_EXPECT(strlen(lam_test_key(reader, i)) < v->file.size);
    if (lam_test_file_info(reader).created_by != NULL)
        LAM_FUZZ_EXPECT(strlen(lam_test_file_info(reader).created_by) < v->file.size);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_row_group_info info = lam_row_group_info_default();
        LAM_FUZZ_OK(lam_reader_row_group(reader, i, &info, &fault));
    }
}

static void read_pages(visit *v, size_t row_group, size_t leaf) {
    lam_error error = lam_error_none();
    lam_page_list *list;
    if (!lam_fuzz_file_judge(
            &v->file, lam_page_list_open(v->file.reader, row_group, leaf, &list, &error), &error))
        return;
    lam_page_info info = lam_page_info_default();
    bool more = true;
    while (more && v->pages_left > 0 &&
           lam_fuzz_file_judge(&v->file, lam_page_list_next(list, &info, &more, &error), &error))
        v->pages_left--;
    lam_page_list_close(list);
}

typedef struct column_hash {
    lam_status status;
    uint64_t levels;
    uint64_t values;
    size_t triples;
    size_t value_count;
} column_hash;

static void hash_run(column_hash *hash, const lam_field *leaf, const lam_triples *run) {
    lam_value_layout layout = {lam_field_physical_type(leaf), lam_field_type_length(leaf)};
    size_t values = 0;
    for (size_t i = 0; i < run->count; i++) {
        uint8_t levels[2] = {run->repetition == NULL ? 0 : run->repetition[i],
                             run->definition == NULL ? lam_field_max_definition(leaf)
                                                     : run->definition[i]};
        LAM_FUZZ_EXPECT(levels[0] <= lam_field_max_repetition(leaf));
        LAM_FUZZ_EXPECT(levels[1] <= lam_field_max_definition(leaf));
        values += levels[1] == lam_field_max_definition(leaf);
        hash->levels = lam_fuzz_hash(hash->levels, levels, sizeof levels);
    }
    LAM_FUZZ_EXPECT(values == run->value_count);
    hash->values = lam_fuzz_hash_values(hash->values, layout, run->values, run->value_count);
    hash->triples += run->count;
    hash->value_count += run->value_count;
}

/* Reads up to `most` triples, all at once or in pieces that `split` chooses. */
static column_hash read_column(visit *v, size_t row_group, size_t leaf, size_t most,
                               uint32_t *split) {
    lam_error error = lam_error_none();
    lam_column_reader *column;
    column_hash hash = {0};
    hash.status = lam_column_reader_open(v->file.reader, row_group, leaf, &column, &error);
    if (!lam_fuzz_file_judge(&v->file, hash.status, &error))
        return hash;
    const lam_field *field = lam_schema_leaf(lam_reader_schema(v->file.reader), leaf);
    while (hash.triples < most) {
        lam_triples run;
        size_t left = most - hash.triples;
        size_t piece = split == NULL ? left : lam_fuzz_piece(split, left);
        hash.status = lam_column_reader_read(column, piece > 0 ? piece : 1, &run, &error);
        if (!lam_fuzz_file_judge(&v->file, hash.status, &error) || run.count == 0)
            break;
        LAM_FUZZ_EXPECT(run.count <= (piece > 0 ? piece : 1));
        hash_run(&hash, field, &run);
    }
    lam_column_reader_close(column);
    return hash;
}

static void read_columns(visit *v) {
    uint32_t split = v->file.seed;
    for (size_t row_group = 0; row_group < lam_reader_row_group_count(v->file.reader);
         row_group++) {
        for (size_t leaf = 0; leaf < v->leaves; leaf++) {
            lam_column_chunk_info info = lam_column_chunk_info_default();
            lam_error error = lam_error_none();
            lam_fuzz_file_judge(
                &v->file, lam_reader_column_chunk(v->file.reader, row_group, leaf, &info, &error),
                &error);
            read_pages(v, row_group, leaf);
            size_t most = v->triples_left;
            if (most == 0)
                continue;
            column_hash whole = read_column(v, row_group, leaf, most, NULL);
            column_hash pieces = read_column(v, row_group, leaf, most, &split);
            v->triples_left -= whole.triples;
            LAM_FUZZ_EXPECT((whole.status == LAM_STATUS_OK) == (pieces.status == LAM_STATUS_OK));
            if (whole.status == LAM_STATUS_OK)
                LAM_FUZZ_EXPECT(whole.levels == pieces.levels && whole.values == pieces.values &&
                                whole.triples == pieces.triples);
        }
    }
}

/* Reads all records in pieces; true when they came to their end without a failure. */
static bool read_records(visit *v, const bool *leaves, uint64_t skip, lam_fuzz_sink *sink,
                         uint64_t *ret_records) {
    lam_error error = lam_error_none();
    lam_record_reader *records;
    lam_record_sink verbs = lam_fuzz_sink_verbs(sink);
    uint32_t split = v->file.seed;
    uint64_t count = 0, total = 0;
    bool good = lam_fuzz_file_judge(
        &v->file, lam_record_reader_open(v->file.reader, leaves, &records, &error), &error);
    if (!good)
        return false;
    if (skip > 0)
        good = lam_fuzz_file_judge(&v->file, lam_record_reader_skip(records, skip, &count, &error),
                                   &error);
    total = count;
    while (good) {
        uint64_t most = lam_fuzz_piece(&split, SIZE_MAX) + 1;
        lam_status status = lam_record_reader_read(records, &verbs, most, &count, &error);
        v->ran_out = status == LAM_STATUS_LIMIT;
        good = sink->cancelled ? false : lam_fuzz_file_judge(&v->file, status, &error);
        if (!good)
            break;
        LAM_FUZZ_EXPECT(count <= most);
        total += count;
        if (count < most)
            break;
    }
    lam_record_reader_close(records);
    *ret_records = total;
    return good;
}

static void read_all_records(visit *v) {
    lam_fuzz_sink all = {.verbs_left = VERBS_MAX}, rest = all, some = all;
    uint64_t records = 0, skipped = 0, projected = 0;
    bool good = read_records(v, NULL, 0, &all, &records);
    if (good)
        LAM_FUZZ_EXPECT(records == all.records && records == lam_reader_row_count(v->file.reader));
    if (v->file.choice & LAM_FUZZ_FILE_SKIP) {
        bool passed = read_records(v, NULL, v->file.seed % 64, &rest, &skipped);
        /* A skip opens the pages of all columns before any value is read, so that a small limit
           that is just enough without it can be passed with it. */
        bool fits = (v->file.choice & LAM_FUZZ_FILE_SMALL_LIMIT) == 0 || !v->ran_out;
        LAM_FUZZ_EXPECT(!good || rest.cancelled || !fits || (passed && skipped == records));
        return;
    }
    bool *leaves = calloc(v->leaves + 1, sizeof *leaves);
    uint32_t seed = v->file.seed;
    for (size_t i = 0; i < v->leaves; i++, seed = seed * 1664525u + 1013904223u)
        leaves[i] = i == v->file.seed % v->leaves || seed >> 30 == 0;
    bool passed = v->leaves == 0 || read_records(v, leaves, 0, &some, &projected);
    LAM_FUZZ_EXPECT(!good || some.cancelled || v->leaves == 0 || (passed && projected == records));
    free(leaves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    visit v = {.pages_left = PAGES_MAX, .triples_left = TRIPLES_MAX};
    lam_fuzz_file_open(&v.file, data, size);
    if (v.file.reader != NULL) {
        v.leaves = lam_schema_leaf_count(lam_reader_schema(v.file.reader));
        read_infos(&v);
        read_columns(&v);
        read_all_records(&v);
    }
    lam_fuzz_file_close(&v.file);
    lam_fuzz_expect_no_leak();
    return 0;
}
