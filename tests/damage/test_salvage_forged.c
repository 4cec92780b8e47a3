/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged files whose values hold pages, footers and records: never is a row given that was not
 * written. Each cell of what is salvaged is the one that was written in its row, or it is null, and
 * the report says that it is lost. LAMELLA_ROUNDS overrides the number of files, LAMELLA_SEED the
 * seed of the first one:
 *
 *     LAMELLA_ROUNDS=100000 build/tests/test_salvage_forged
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/recover.h>
#include <lamella/salvage.h>
#include <stdlib.h>
#include <string.h>

#include "damage/forged_file.h"
#include "file/file_sample.h"

enum { ROUNDS = 1500, DAMAGES_OF_EACH = 4 };

typedef struct forged_trial {
    lam_forged_file file;
    lam_buffer damaged;
    uint64_t ranges[2][2]; /* of the damage */
    lam_forged_damage kind;
    uint64_t seed;
    bool has_footer;
    bool is_lost[FORGED_LEAVES][FORGED_MOST_ROWS];
    size_t kept[FORGED_MOST_ROWS]; /* rows of the file that were written */
    size_t kept_count;
} forged_trial;

/* Of all rounds. */
static struct {
    uint64_t cells;
    uint64_t lost;
    uint64_t unopened;
} totals;

static size_t number_of_rounds(void) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    return rounds != NULL ? (size_t)strtoull(rounds, NULL, 10) : ROUNDS / lam_test_step();
}

/* --- What may differ ----------------------------------------------------------------------- */

static bool touches(const forged_trial *trial, uint64_t begin, uint64_t end) {
    for (size_t i = 0; i < 2; i++)
        if (trial->ranges[i][0] < end && begin < trial->ranges[i][1])
            return true;
    return false;
}

/*
 * True when the damage changed bytes on which a cell depends, and nothing sums them: the body of
 * its page, or of its dictionary, and, unless only bodies count, their headers. In a file without a
 * footer nothing contradicts a header that counts a triple too few of a list in the last chunk.
 */
static bool is_unchecked(const forged_trial *trial, size_t leaf, size_t row, bool bodies_only) {
    const lam_forged_file *file = &trial->file;
    bool is_last_list = !trial->has_footer && leaf == FORGED_LISTS && !bodies_only;
    if (file->options.page_crc == LAM_SWITCH_ON && !is_last_list)
        return false;
    for (size_t i = 0; i < file->page_count; i++) {
        const lam_forged_page *page = &file->pages[i];
        if (page->leaf != leaf || page->row_group != row / file->group_rows ||
            !touches(trial, bodies_only ? page->body : page->begin, page->end))
            continue;
        if (page->is_dictionary || leaf == FORGED_LISTS ||
            (page->first_row <= row && row < page->end_row))
            return true;
    }
    return false;
}

/* --- Cells --------------------------------------------------------------------------------- */

static bool is_text(lam_bytes a, lam_bytes b) {
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void expect_text(const forged_trial *trial, size_t leaf, size_t row, lam_bytes got,
                        lam_bytes wanted) {
    bool is_forged =
        got.size >= strlen(FORGED_TEXT) && memcmp(got.data, FORGED_TEXT, strlen(FORGED_TEXT)) == 0;
    cr_assert(!is_forged || is_unchecked(trial, leaf, row, true),
              "seed %llu, damage %d: leaf %zu, row %zu is forged", (unsigned long long)trial->seed,
              (int)trial->kind, leaf, row);
    if (is_unchecked(trial, leaf, row, false))
        return;
    cr_assert(wanted.data != NULL && is_text(got, wanted),
              "seed %llu, damage %d: leaf %zu, row %zu differs", (unsigned long long)trial->seed,
              (int)trial->kind, leaf, row);
}

static void expect_number(const forged_trial *trial, size_t leaf, size_t row, int64_t got) {
    int64_t wanted = leaf == FORGED_ROWS ? (int64_t)row : trial->file.numbers[row];
    cr_assert(got == wanted || is_unchecked(trial, leaf, row, false),
              "seed %llu, damage %d: leaf %zu, row %zu is %lld", (unsigned long long)trial->seed,
              (int)trial->kind, leaf, row, (long long)got);
}

/* A null that was not written is a cell that is lost. */
static void expect_null(const forged_trial *trial, size_t leaf, size_t row) {
    bool was_null = leaf == FORGED_TEXTS && trial->file.texts[row].data == NULL;
    cr_assert(was_null || trial->is_lost[leaf][row] || is_unchecked(trial, leaf, row, false),
              "seed %llu, damage %d: leaf %zu, row %zu is null, and was not",
              (unsigned long long)trial->seed, (int)trial->kind, leaf, row);
    totals.lost += trial->is_lost[leaf][row];
}

/* --- What was salvaged --------------------------------------------------------------------- */

/* Compares the leaf of a row group; `*at` counts the rows that were kept. */
static void compare_leaf(const forged_trial *trial, const lam_reader *rest, size_t group,
                         size_t leaf, size_t *at) {
    lam_column_reader *column;
    lam_triples triples;
    size_t row = 0, item = 0;
    cr_assert_eq(lam_column_reader_open(rest, group, leaf, &column, NULL), LAM_STATUS_OK);
    for (;;) {
        cr_assert_eq(lam_column_reader_read(column, 1, &triples, NULL), LAM_STATUS_OK);
        if (triples.count == 0)
            break;
        bool begins = triples.repetition == NULL || triples.repetition[0] == 0;
        item = begins ? 0 : item + 1;
        if (begins) {
            cr_assert_lt(*at, trial->kept_count);
            row = trial->kept[(*at)++];
            totals.cells++;
        }
        bool is_unsure = leaf == FORGED_LISTS && is_unchecked(trial, leaf, row, false);
        if (leaf == FORGED_LISTS && triples.value_count == 0)
            cr_assert(trial->file.list_sizes[row] == 0 || is_unsure, "seed %llu: row %zu is empty",
                      (unsigned long long)trial->seed, row);
        else if (triples.value_count == 0)
            expect_null(trial, leaf, row);
        else if (leaf == FORGED_LISTS && !is_unsure && item >= trial->file.list_sizes[row])
            cr_assert_fail("seed %llu: row %zu has %zu items", (unsigned long long)trial->seed, row,
                           item + 1);
        else if (leaf == FORGED_LISTS)
            expect_text(trial, leaf, row, *(const lam_bytes *)triples.values,
                        trial->file.lists[row][item < 2 ? item : 0]);
        else if (leaf == FORGED_TEXTS)
            expect_text(trial, leaf, row, *(const lam_bytes *)triples.values,
                        trial->file.texts[row]);
        else
            expect_number(trial, leaf, row, *(const int64_t *)triples.values);
    }
    lam_column_reader_close(column);
}

static void compare_rest(const forged_trial *trial, const lam_buffer *bytes) {
    size_t at[FORGED_LEAVES] = {0};
    lam_reader *rest = lam_test_open(bytes->data, bytes->size, NULL);
    for (size_t group = 0; group < lam_reader_row_group_count(rest); group++)
        for (size_t leaf = 0; leaf < FORGED_LEAVES; leaf++)
            compare_leaf(trial, rest, group, leaf, &at[leaf]);
    for (size_t leaf = 0; leaf < FORGED_LEAVES; leaf++)
        cr_assert_eq(at[leaf], trial->kept_count, "seed %llu", (unsigned long long)trial->seed);
    lam_reader_close(rest);
}

/* Notes which cells are reported as lost, and which rows are kept. */
static void note_report(forged_trial *trial, const lam_salvage *salvage) {
    lam_salvage_loss loss = lam_salvage_loss_default();
    lam_salvage_rows rows = lam_salvage_rows_default();
    memset(trial->is_lost, 0, sizeof trial->is_lost);
    trial->kept_count = 0;
    for (size_t i = 0; lam_salvage_loss_at(salvage, i, &loss, NULL) == LAM_STATUS_OK; i++)
        for (uint64_t row = 0; row < loss.row_count; row++)
            trial->is_lost[loss.leaf_index]
                          [loss.row_group * trial->file.group_rows + loss.first_row + row] = true;
    for (size_t i = 0; lam_salvage_rows_at(salvage, i, &rows, NULL) == LAM_STATUS_OK; i++)
        for (uint64_t row = 0; row < rows.row_count && !rows.is_left_out; row++)
            trial->kept[trial->kept_count++] =
                rows.row_group * trial->file.group_rows + (size_t)(rows.first_row + row);
}

static void salvage_and_compare(forged_trial *trial, const lam_reader *reader) {
    lam_salvage_options options = lam_salvage_options_default();
    lam_salvage *salvage;
    options.manner = LAM_SALVAGE_OPTIONAL;
    cr_assert_eq(lam_salvage_open(reader, &options, &salvage, NULL), LAM_STATUS_OK);
    note_report(trial, salvage);
    lam_test_writer file = lam_test_write_as(lam_salvage_schema(salvage), NULL);
    cr_assert_eq(lam_salvage_write(salvage, file.writer, NULL), LAM_STATUS_OK);
    lam_buffer out = lam_test_written(&file);
    lam_salvage_close(salvage);
    compare_rest(trial, &out);
    lam_buffer_finish(&out);
}

/* The same of the file without its footer, whose chunks are found by their pages. */
static void try_without_footer(forged_trial *trial) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_input whole = lam_input_memory(trial->file.bytes.data, trial->file.bytes.size);
    lam_input input = lam_input_memory(trial->damaged.data, (size_t)trial->file.pages_end);
    lam_reader *like, *reader;
    cr_assert_eq(lam_reader_open(&whole, NULL, &like, NULL), LAM_STATUS_OK);
    options.like = like;
    options.keeps_cut = true;
    options.no_checksums = true;
    lam_status status = lam_reader_open_unfinished(&input, &options, &reader, &found, NULL);
    if (status == LAM_STATUS_CORRUPT) {
        options.no_checksums = false;
        status = lam_reader_open_unfinished(&input, &options, &reader, &found, NULL);
    }
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT, "seed %llu",
              (unsigned long long)trial->seed);
    totals.unopened += status != LAM_STATUS_OK;
    trial->has_footer = false;
    if (status == LAM_STATUS_OK) {
        salvage_and_compare(trial, reader);
        lam_reader_close(reader);
    }
    lam_reader_close(like);
}

/* Salvages the file with one damage. What the footer states has no checksum, and is not damaged. */
static void try_damage(forged_trial *trial, lam_random *random) {
    do
        trial->kind = lam_forged_file_damage(&trial->file, random, &trial->damaged, trial->ranges);
    while (touches(trial, trial->file.pages_end, UINT64_MAX));
    trial->has_footer = true;
    lam_reader *reader = lam_test_open(trial->damaged.data, trial->damaged.size, NULL);
    salvage_and_compare(trial, reader);
    lam_reader_close(reader);
    if (lam_random_chance(random, 50))
        try_without_footer(trial);
}

Test(salvage_forged, no_row_is_given_that_was_not_written, .timeout = 0) {
    static forged_trial trial;
    lam_allocator allocator = lam_allocator_default();
    uint64_t seed = lam_test_seed(71);
    size_t rounds = number_of_rounds();
    for (size_t round = 0; round < rounds; round += DAMAGES_OF_EACH) {
        lam_random random = lam_random_start(seed + round);
        trial.seed = seed + round;
        lam_buffer_init(&trial.damaged, &allocator);
        lam_forged_file_make(&trial.file, &random);
        for (size_t i = 0; i < DAMAGES_OF_EACH; i++)
            try_damage(&trial, &random);
        lam_forged_file_finish(&trial.file);
        lam_buffer_finish(&trial.damaged);
    }
    cr_log_info("%llu cells, %llu lost, %llu files without a footer not opened",
                (unsigned long long)totals.cells, (unsigned long long)totals.lost,
                (unsigned long long)totals.unopened);
}
