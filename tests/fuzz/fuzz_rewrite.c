/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites any file in any way: other columns, rows, order, codecs, encodings, pages, several
 * files. What is written opens; it has the records of the file where all of them are kept, in order
 * or sorted; and where `check` found no error in the file, it finds none in what is written, and
 * the file is not refused as broken. (any_file.h)
 */
#include <lamella/rewrite.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/any_file.h"
#include "fuzz/any_rows.h"
#include "fuzz/harness.h"
#include "support/random.h"

enum { CELLS_MAX = 100000, FILES_MAX = 64, PATH_SIZE = 300, REWRITE_LIMIT = 4 << 20 };

/* One file that is written. */
typedef struct written_file {
    lam_buffer bytes;
    bool is_finished;
} written_file;

typedef struct rewrite_trial {
    const lam_fuzz_file *file;
    lam_allocator allocator;
    lam_random dice;
    lam_rewrite *rewrite;
    lam_writer_options writing;
    lam_rewrite_options options;
    unsigned inputs;
    bool is_whole;  /* all records with all columns are written */
    bool is_sorted; /* in another order */
    bool is_sound;  /* `check` finds no error in the file */
    lam_fuzz_rows rows;
    written_file files[FILES_MAX];
    size_t file_count;
} rewrite_trial;

/* --- Outputs ------------------------------------------------------------------------------- */

static lam_status write_file(void *state, const void *data, size_t size, lam_error *error) {
    written_file *file = state;
    LAM_FUZZ_EXPECT(!file->is_finished);
    return lam_buffer_append(&file->bytes, data, size, error);
}

static lam_status finish_file(void *state, lam_error *error) {
    written_file *file = state;
    (void)error;
    file->is_finished = true;
    return LAM_STATUS_OK;
}

static lam_status open_file(void *state, const char *folder, uint64_t number,
                            lam_output *ret_output, lam_error *error) {
    rewrite_trial *trial = state;
    (void)number;
    LAM_FUZZ_EXPECT(strstr(folder, "..") == NULL || strchr(folder, '=') != NULL);
    if (trial->file_count == FILES_MAX) {
        *error = lam_error_none();
        error->status = LAM_STATUS_UNSUPPORTED;
        strcpy(error->message, "enough files");
        return LAM_STATUS_UNSUPPORTED;
    }
    written_file *file = &trial->files[trial->file_count++];
    lam_buffer_init(&file->bytes, &trial->allocator);
    *ret_output = (lam_output){file, write_file, finish_file, NULL};
    return LAM_STATUS_OK;
}

/* --- Options ------------------------------------------------------------------------------- */

static bool one_in(rewrite_trial *trial, unsigned count) {
    return lam_random_below(&trial->dice, count) == 0;
}

/* The path of some leaf; false where it cannot be named. */
static bool any_path(rewrite_trial *trial, char *path) {
    const lam_schema *schema = lam_rewrite_schema(trial->rewrite);
    size_t leaves = lam_schema_leaf_count(schema);
    if (leaves == 0)
        return false;
    const lam_field *leaf = lam_schema_leaf(schema, (size_t)lam_random_below(&trial->dice, leaves));
    return lam_field_path(leaf, path, PATH_SIZE) < PATH_SIZE;
}

static void choose_writing(rewrite_trial *trial) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD,
                                       LAM_CODEC_GZIP, LAM_CODEC_LZ4_RAW};
    lam_random *dice = &trial->dice;
    lam_writer_options *writing = &trial->writing;
    *writing = lam_writer_options_default();
    if (one_in(trial, 4))
        writing->codec = codecs[lam_random_below(dice, 5)];
    if (one_in(trial, 6))
        writing->data_page_version = 1 + (int32_t)lam_random_below(dice, 2);
    if (one_in(trial, 6))
        writing->page_rows = 1 + lam_random_below(dice, 20);
    if (one_in(trial, 6))
        writing->row_group_rows = 1 + lam_random_below(dice, 40);
    if (one_in(trial, 8))
        writing->dictionary = LAM_SWITCH_OFF;
    if (one_in(trial, 8))
        writing->page_index = LAM_SWITCH_OFF;
    if (one_in(trial, 8))
        writing->statistics = LAM_SWITCH_OFF;
    if (one_in(trial, 8))
        writing->page_crc = LAM_SWITCH_OFF;
    writing->float_total_order = one_in(trial, 6);
    writing->auto_bloom_filters = one_in(trial, 6);
    writing->compat = (lam_compat)lam_random_below(dice, LAM_COMPAT_NEWEST + 1);
}

static void judge_choice(lam_status status, const lam_error *error) {
    (void)lam_fuzz_judge(status, error, LAM_FUZZ_OF_CALLER | 1 << LAM_STATUS_NOT_FOUND);
}

static void choose_leaves(rewrite_trial *trial) {
    lam_error error = lam_error_none();
    size_t count = lam_schema_leaf_count(lam_rewrite_schema(trial->rewrite));
    bool *leaves = calloc(count + 1, sizeof *leaves);
    if (leaves == NULL)
        abort();
    /* A type may need all fields of its group, as VARIANT does. */
    bool by_field = one_in(trial, 2);
    trial->is_sound = trial->is_sound && by_field;
    const lam_field *root = lam_schema_root(lam_rewrite_schema(trial->rewrite));
    for (size_t i = 0; i < lam_field_child_count(root); i++) {
        const lam_field *field = lam_field_child(root, i);
        size_t first = lam_field_first_leaf(field);
        bool is_kept = lam_random_chance(&trial->dice, 60);
        for (size_t leaf = first; leaf < first + lam_field_leaf_count(field); leaf++)
            leaves[leaf] = by_field ? is_kept : lam_random_chance(&trial->dice, 60);
    }
    judge_choice(lam_rewrite_set_leaves(trial->rewrite, leaves, &error), &error);
    free(leaves);
    trial->is_whole = false;
}

static void choose_rows(rewrite_trial *trial) {
    static const char *const conditions[] = {"%s is null", "%s is not null", "%s > 20",
                                             "%s <= 'aaz'", "not (%s = 3)"};
    lam_error error = lam_error_none();
    char path[PATH_SIZE], text[PATH_SIZE + 32];
    if (!any_path(trial, path))
        return;
    snprintf(text, sizeof text, conditions[lam_random_below(&trial->dice, 5)], path);
    lam_status status = lam_rewrite_set_where(trial->rewrite, text, &error);
    judge_choice(status, &error);
    trial->is_whole = trial->is_whole && status != LAM_STATUS_OK;
}

static void choose_order(rewrite_trial *trial) {
    lam_error error = lam_error_none();
    char path[PATH_SIZE];
    if (!any_path(trial, path))
        return;
    lam_status status =
        lam_rewrite_add_sort_key(trial->rewrite, path, one_in(trial, 2), one_in(trial, 2), &error);
    judge_choice(status, &error);
    trial->is_sorted = trial->is_sorted || status == LAM_STATUS_OK;
}

static void choose_partition(rewrite_trial *trial) {
    lam_error error = lam_error_none();
    char path[PATH_SIZE];
    if (!any_path(trial, path))
        return;
    lam_status status = lam_rewrite_add_partition(trial->rewrite, path, &error);
    judge_choice(status, &error);
    trial->is_whole = trial->is_whole && status != LAM_STATUS_OK;
}

static void choose_column(rewrite_trial *trial) {
    lam_error error = lam_error_none();
    char path[PATH_SIZE];
    if (!any_path(trial, path))
        return;
    lam_encoding encoding = (lam_encoding)lam_random_below(&trial->dice, LAM_ENCODING_ALP + 1);
    if (one_in(trial, 2))
        judge_choice(lam_rewrite_set_encoding(trial->rewrite, path, encoding, &error), &error);
    else
        judge_choice(lam_rewrite_set_bloom_filter(trial->rewrite, path, 0.01, 100, &error), &error);
}

static void choose(rewrite_trial *trial) {
    lam_error error = lam_error_none();
    if (one_in(trial, 5))
        choose_leaves(trial);
    if (one_in(trial, 5))
        choose_rows(trial);
    for (unsigned i = 0; i < 2 && one_in(trial, 5); i++)
        choose_order(trial);
    if (one_in(trial, 6))
        choose_partition(trial);
    if (one_in(trial, 6))
        judge_choice(lam_rewrite_set_split(trial->rewrite, 1 + lam_random_below(&trial->dice, 20),
                                           0, &error),
                     &error);
    if (one_in(trial, 4))
        choose_column(trial);
}

/* --- What comes of it ---------------------------------------------------------------------- */

static lam_reader *open_written(const rewrite_trial *trial, const written_file *file) {
    lam_reader_options options = lam_reader_options_default();
    lam_bytes bytes = lam_buffer_bytes(&file->bytes);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader = NULL;
    options.allocator = &trial->allocator;
    LAM_FUZZ_EXPECT(file->is_finished);
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &reader, &fault));
    return reader;
}

static void expect_written(rewrite_trial *trial, const lam_rewrite_report *report) {
    lam_fuzz_rows found = {.are_whole = true};
    uint64_t rows = 0;
    LAM_FUZZ_EXPECT(report->files == trial->file_count);
    for (size_t i = 0; i < trial->file_count; i++) {
        lam_reader *reader = open_written(trial, &trial->files[i]);
        rows += lam_reader_row_count(reader);
        lam_fuzz_rows_add(&found, reader, UINT64_MAX);
        lam_reader_close(reader);
        const char *text;
        if (trial->is_sound &&
            lam_fuzz_errors_of(lam_buffer_bytes(&trial->files[i].bytes), true, &text) > 0)
            lam_fuzz_fail(__FILE__, __LINE__, text, NULL);
    }
    LAM_FUZZ_EXPECT(rows == report->rows);
    if (!trial->is_whole || !trial->rows.are_whole)
        return;
    LAM_FUZZ_EXPECT(report->rows == trial->rows.count);
    if (!found.are_whole)
        return;
    LAM_FUZZ_EXPECT(found.sum == trial->rows.sum);
    if (!trial->is_sorted)
        LAM_FUZZ_EXPECT(found.ordered == trial->rows.ordered);
}

static void run(rewrite_trial *trial) {
    lam_rewrite_target target = {trial, open_file};
    lam_rewrite_report report = lam_rewrite_report_default();
    lam_error error = lam_error_none();
    /* What a schema means may be refused, and what a file of no fault holds may be too large. */
    unsigned allowed = LAM_FUZZ_OF_CALLER;
    if (!trial->is_sound || !trial->rows.are_whole)
        allowed |= LAM_FUZZ_OF_FILE;
    lam_status status = lam_rewrite_run(trial->rewrite, &target, &report, &error);
    if (status == LAM_STATUS_CORRUPT && strncmp(error.message, "in: ", 4) != 0 &&
        strncmp(error.message, "again: ", 7) != 0)
        lam_fuzz_fail(__FILE__, __LINE__, "what is broken is named", &error);
    if (lam_fuzz_judge(status, &error, allowed))
        expect_written(trial, &report);
    for (size_t i = 0; i < trial->file_count; i++)
        lam_buffer_finish(&trial->files[i].bytes);
}

static void try_rewrite(const lam_fuzz_file *file) {
    rewrite_trial trial = {.file = file,
                           .allocator = lam_fuzz_allocator(),
                           .dice = lam_random_start(file->seed + file->choice * 0x1000000u),
                           .is_whole = true};
    const char *text;
    lam_error error = lam_error_none();
    trial.inputs = one_in(&trial, 5) ? 2 : 1;
    trial.rows.are_whole = true;
    for (unsigned i = 0; i < trial.inputs; i++)
        lam_fuzz_rows_add(&trial.rows, file->reader, UINT64_MAX);
    trial.is_sound = lam_fuzz_errors_of((lam_bytes){file->bytes, file->size}, true, &text) == 0;
    trial.options = lam_rewrite_options_default();
    trial.options.allocator = &trial.allocator;
    trial.options.memory_limit = REWRITE_LIMIT;
    choose_writing(&trial);
    if (one_in(&trial, 2)) {
        trial.options.writer = &trial.writing;
        /* Headers of pages that are copied may lack the count that this order requires. */
        trial.is_sound = trial.is_sound && !trial.writing.float_total_order;
    }
    LAM_FUZZ_OK(lam_rewrite_create(&trial.options, &trial.rewrite, &fault));
    bool is_added = true;
    for (unsigned i = 0; i < trial.inputs && is_added; i++)
        is_added = lam_fuzz_judge(
            lam_rewrite_add_reader(trial.rewrite, file->reader, i == 0 ? "in" : "again", &error),
            &error, LAM_FUZZ_OF_CALLER | LAM_FUZZ_OF_FILE);
    if (is_added) {
        choose(&trial);
        run(&trial);
    }
    lam_rewrite_destroy(trial.rewrite);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL && lam_fuzz_is_small(file.reader, CELLS_MAX))
        try_rewrite(&file);
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
