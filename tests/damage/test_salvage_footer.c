/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with one wrong bit behind their pages, in the footer or a page index, which no checksum
 * covers: never is a value given that was not written in its row and column, and a null that was
 * not written is reported as lost. LAMELLA_ROUNDS overrides the number of files, LAMELLA_SEED the
 * seed of the first one:
 *
 *     LAMELLA_ROUNDS=100000 build/tests/test_salvage_footer
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/salvage.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"

enum { FILES = 100, DAMAGES_OF_EACH = 20, ROWS_MOST = 120, LEAVES_MOST = 40, PATH_MOST = 200 };

static const char shape[] =
    "message m {"
    "  required int64 a; optional int32 b; optional binary c; required binary d;"
    "  required fixed_len_byte_array(6) e; optional fixed_len_byte_array(12) f;"
    "  required boolean g; repeated int32 h; optional double i; required int32 j;"
    "  optional group k (LIST) { repeated group list { optional int32 element; } }"
    "  optional group l { required int32 m; optional float n; }"
    "  required group o { optional group p { optional binary q; } repeated binary r; }"
    "}";

/* The triples of a leaf, and where each row begins among them. */
typedef struct leaf_cells {
    char path[PATH_MOST];
    size_t row_count;
    size_t *rows; /* row_count + 1 of them */
    uint8_t *repetition;
    lam_bytes *values; /* without data: null */
    size_t count;
} leaf_cells;

typedef struct file_cells {
    lam_arena arena;
    leaf_cells leaves[LEAVES_MOST];
    size_t leaf_count;
    uint64_t group_rows[ROWS_MOST];
    size_t group_count;
} file_cells;

typedef struct footer_trial {
    lam_file_sample sample;
    lam_writer_options options;
    file_cells whole;
    uint64_t pages_end;
    lam_buffer damaged;
    uint64_t seed;
    uint64_t offset; /* of the bit */
    int bit;
} footer_trial;

/* Of all rounds. */
static struct {
    uint64_t files;
    uint64_t unopened;
    uint64_t cells;
    uint64_t lost;
    uint64_t wrong[2]; /* with checksums, without */
} totals;

static size_t number_of_files(void) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    return rounds != NULL ? (size_t)strtoull(rounds, NULL, 10) / DAMAGES_OF_EACH
                          : FILES / lam_test_step();
}

/* --- Cells --------------------------------------------------------------------------------- */

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(arena, count + 1, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

/* Appends a triple of a leaf. */
static void keep_triple(file_cells *cells, leaf_cells *leaf, const lam_triples *one, size_t size) {
    lam_bytes *value = &leaf->values[leaf->count];
    leaf->repetition[leaf->count] = one->repetition == NULL ? 0 : one->repetition[0];
    *value = (lam_bytes){NULL, 0};
    if (leaf->repetition[leaf->count] == 0)
        leaf->rows[leaf->row_count++] = leaf->count;
    if (one->value_count > 0) {
        lam_bytes given = {one->values, size};
        if (size == 0)
            given = *(const lam_bytes *)one->values;
        uint8_t *copy = take(&cells->arena, given.size, 1);
        memcpy(copy, given.data, given.size);
        *value = (lam_bytes){copy, given.size};
    }
    leaf->count++;
}

static void read_leaf(file_cells *cells, const lam_reader *reader, size_t index) {
    const lam_field *field = lam_schema_leaf(lam_reader_schema(reader), index);
    leaf_cells *leaf = &cells->leaves[index];
    size_t size = lam_field_physical_type(field) == LAM_PHYSICAL_BYTE_ARRAY ? 0
                  : lam_field_physical_type(field) == LAM_PHYSICAL_BOOLEAN
                      ? 1
                      : (size_t)lam_field_type_length(field);
    const size_t most = 4000;
    lam_error error = lam_error_none();
    memset(leaf, 0, sizeof *leaf);
    (void)lam_field_path(field, leaf->path, sizeof leaf->path);
    leaf->rows = take(&cells->arena, most, sizeof(size_t));
    leaf->repetition = take(&cells->arena, most, 1);
    leaf->values = take(&cells->arena, most, sizeof(lam_bytes));
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        lam_triples one = {.count = 1};
        cr_assert_eq(lam_column_reader_open(reader, group, index, &column, NULL), LAM_STATUS_OK);
        while (one.count > 0) {
            cr_assert_eq(lam_column_reader_read(column, 1, &one, &error), LAM_STATUS_OK, "%s",
                         error.message);
            cr_assert_lt(leaf->count, most);
            if (one.count > 0)
                keep_triple(cells, leaf, &one, size);
        }
        lam_column_reader_close(column);
    }
    leaf->rows[leaf->row_count] = leaf->count;
}

/* Where the last page ends. */
static uint64_t end_of_pages(const lam_reader *reader) {
    uint64_t end = 0;
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(reader));
    for (size_t i = 0; i < leaves * lam_reader_row_group_count(reader); i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        cr_assert_eq(lam_reader_column_chunk(reader, i / leaves, i % leaves, &info, NULL),
                     LAM_STATUS_OK);
        int64_t first =
            info.dictionary_page_offset > 0 ? info.dictionary_page_offset : info.data_page_offset;
        uint64_t last = (uint64_t)(first + info.total_compressed_size);
        end = last > end ? last : end;
    }
    return end;
}

/* Reads a whole file; gives the end of its pages. */
static uint64_t read_cells(file_cells *cells, const lam_buffer *bytes) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&cells->arena, &allocator, 0);
    lam_reader *reader = lam_test_open(bytes->data, bytes->size, NULL);
    cells->leaf_count = lam_schema_leaf_count(lam_reader_schema(reader));
    cells->group_count = lam_reader_row_group_count(reader);
    cr_assert_lt(cells->leaf_count, LEAVES_MOST);
    cr_assert_lt(cells->group_count, ROWS_MOST);
    for (size_t i = 0; i < cells->group_count; i++) {
        lam_row_group_info info = lam_row_group_info_default();
        cr_assert_eq(lam_reader_row_group(reader, i, &info, NULL), LAM_STATUS_OK);
        cells->group_rows[i] = (uint64_t)info.row_count;
    }
    for (size_t i = 0; i < cells->leaf_count; i++)
        read_leaf(cells, reader, i);
    uint64_t pages_end = end_of_pages(reader);
    lam_reader_close(reader);
    return pages_end;
}

static bool is_same_value(lam_bytes a, lam_bytes b) {
    bool are_values = a.data != NULL && b.data != NULL;
    return are_values ? a.size == b.size && memcmp(a.data, b.data, a.size) == 0 : a.data == b.data;
}

/* --- Comparing ----------------------------------------------------------------------------- */

/* What a salvage reports. */
typedef struct salvage_notes {
    lam_arena arena;
    bool *is_lost; /* by row group, leaf, row below ROWS_MOST */
    size_t leaf_count;
    size_t group_count;
    size_t *kept; /* ROWS_MOST * row group + row */
    size_t kept_count;
} salvage_notes;

static bool *lost_of(const salvage_notes *notes, size_t group, size_t leaf, size_t row) {
    return &notes->is_lost[(group * notes->leaf_count + leaf) * ROWS_MOST + row];
}

static void note_report(salvage_notes *notes, const lam_salvage *salvage) {
    const lam_reader *reader = lam_salvage_reader(salvage);
    lam_allocator allocator = lam_allocator_default();
    lam_salvage_loss loss = lam_salvage_loss_default();
    lam_salvage_rows rows = lam_salvage_rows_default();
    lam_arena_init(&notes->arena, &allocator, 0);
    notes->leaf_count = lam_schema_leaf_count(lam_reader_schema(reader));
    notes->group_count = lam_reader_row_group_count(reader);
    size_t cells = notes->group_count * notes->leaf_count * ROWS_MOST;
    notes->is_lost = take(&notes->arena, cells, 1);
    notes->kept = take(&notes->arena, notes->group_count * ROWS_MOST, sizeof(size_t));
    memset(notes->is_lost, 0, cells);
    notes->kept_count = 0;
    for (size_t i = 0; lam_salvage_loss_at(salvage, i, &loss, NULL) == LAM_STATUS_OK; i++)
        for (uint64_t row = loss.first_row;
             row < loss.first_row + loss.row_count && row < ROWS_MOST; row++)
            *lost_of(notes, loss.row_group, loss.leaf_index, (size_t)row) = true;
    for (size_t i = 0; lam_salvage_rows_at(salvage, i, &rows, NULL) == LAM_STATUS_OK; i++)
        for (uint64_t row = rows.first_row;
             row < rows.first_row + rows.row_count && !rows.is_left_out; row++) {
            cr_assert_lt(row, ROWS_MOST);
            notes->kept[notes->kept_count++] = rows.row_group * ROWS_MOST + (size_t)row;
        }
}

/*
 * The column of the whole file that one was which was salvaged; NULL for none. A name is no value:
 * where there are as many columns, a column is the one in its place, whatever its name became.
 */
static const leaf_cells *find_leaf(const file_cells *whole, const file_cells *rest, size_t leaf) {
    if (whole->leaf_count == rest->leaf_count)
        return &whole->leaves[leaf];
    for (size_t i = 0; i < whole->leaf_count; i++)
        if (strcmp(whole->leaves[i].path, rest->leaves[leaf].path) == 0)
            return &whole->leaves[i];
    return NULL;
}

/* True when a column is lost in a row, or one of the same top-level field, with which it goes. */
static bool goes_with_lost(const salvage_notes *notes, const file_cells *rest, size_t group,
                           size_t leaf, size_t row) {
    size_t top = strcspn(rest->leaves[leaf].path, ".");
    bool is_lost = false;
    for (size_t i = 0; i < rest->leaf_count; i++)
        is_lost = is_lost || (strcspn(rest->leaves[i].path, ".") == top &&
                              strncmp(rest->leaves[i].path, rest->leaves[leaf].path, top) == 0 &&
                              *lost_of(notes, group, i, row));
    return is_lost;
}

/* True when a row has the same triples in both, or none where it may be null. */
static bool is_right(const leaf_cells *whole, size_t row, const leaf_cells *rest, size_t at,
                     bool may_be_null) {
    size_t begin = rest->rows[at], end = rest->rows[at + 1];
    bool has_value = false;
    for (size_t i = begin; i < end; i++)
        has_value = has_value || rest->values[i].data != NULL;
    if (may_be_null && !has_value)
        return true;
    if (whole == NULL || row >= whole->row_count ||
        end - begin != whole->rows[row + 1] - whole->rows[row])
        return false;
    bool is_same = true;
    for (size_t i = 0; i < end - begin; i++)
        is_same =
            is_same &&
            (rest->repetition[begin + i] == 0) == (whole->repetition[whole->rows[row] + i] == 0) &&
            is_same_value(rest->values[begin + i], whole->values[whole->rows[row] + i]);
    return is_same;
}

static void compare_rest(const footer_trial *trial, const salvage_notes *notes,
                         const lam_buffer *bytes) {
    file_cells rest;
    uint64_t wrong = 0;
    size_t first[ROWS_MOST + 1] = {0};
    const leaf_cells *worst = NULL;
    (void)read_cells(&rest, bytes);
    for (size_t i = 0; i < trial->whole.group_count; i++)
        first[i + 1] = first[i] + (size_t)trial->whole.group_rows[i];
    for (size_t leaf = 0; leaf < rest.leaf_count; leaf++) {
        const leaf_cells *found = &rest.leaves[leaf];
        const leaf_cells *wanted = find_leaf(&trial->whole, &rest, leaf);
        cr_assert_eq(found->row_count, notes->kept_count);
        for (size_t at = 0; at < found->row_count; at++) {
            size_t group = notes->kept[at] / ROWS_MOST, row = notes->kept[at] % ROWS_MOST;
            bool is_lost = *lost_of(notes, group, leaf, row);
            bool is_there =
                group < trial->whole.group_count && row < trial->whole.group_rows[group];
            size_t number = is_there ? first[group] + row : SIZE_MAX;
            bool may_be_null = goes_with_lost(notes, &rest, group, leaf, row);
            bool right = is_right(wanted, number, found, at, may_be_null);
            totals.cells++;
            totals.lost += is_lost;
            wrong += !right;
            worst = right ? worst : found;
        }
    }
    totals.wrong[trial->options.page_crc == LAM_SWITCH_OFF] += wrong;
    if (wrong > 0 && getenv("LAMELLA_ROUNDS") != NULL)
        cr_log_info("seed %llu, crc %d, V%d: bit %d of %llu of %zu: %llu cells wrong, as in %s",
                    (unsigned long long)trial->seed, trial->options.page_crc != LAM_SWITCH_OFF,
                    (int)trial->options.data_page_version, trial->bit,
                    (unsigned long long)trial->offset, trial->damaged.size,
                    (unsigned long long)wrong, worst->path);
    lam_arena_finish(&rest.arena);
}

static void salvage_and_compare(footer_trial *trial, const lam_reader *reader) {
    lam_salvage_options options = lam_salvage_options_default();
    lam_trial_output out = {0};
    lam_output output = lam_trial_output_open(&out);
    lam_salvage *salvage;
    lam_writer *writer = NULL;
    salvage_notes notes;
    lam_error error = lam_error_none();
    options.manner = LAM_SALVAGE_OPTIONAL;
    cr_assert_eq(lam_salvage_open(reader, &options, &salvage, &error), LAM_STATUS_OK, "%s",
                 error.message);
    note_report(&notes, salvage);
    lam_status status =
        lam_writer_open(lam_salvage_schema(salvage), &output, NULL, &writer, &error);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(lam_salvage_write(salvage, writer, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
        lam_writer_close(writer);
        compare_rest(trial, &notes, &out.bytes);
    } else {
        totals.unopened++;
        lam_output_close(&output);
    }
    lam_salvage_close(salvage);
    lam_arena_finish(&notes.arena);
    lam_trial_output_free(&out);
}

/* --------------------------------------------------------------------------------------------- */

static void choose_options(lam_writer_options *options, lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_UNCOMPRESSED,
                                       LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    *options = lam_writer_options_default();
    options->codec = codecs[lam_random_below(random, 4)];
    options->page_rows = 3 + lam_random_below(random, 60);
    options->row_group_rows = 20 + lam_random_below(random, ROWS_MOST);
    options->data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options->page_crc = lam_random_chance(random, 60) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->page_index = lam_random_chance(random, 30) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->statistics = lam_random_chance(random, 50) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->dictionary = lam_random_chance(random, 40) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->delta = lam_random_chance(random, 30) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
}

/* Where the footer begins. */
static uint64_t footer_of(const lam_buffer *bytes) {
    const uint8_t *tail = bytes->data + bytes->size - 8;
    uint64_t size = (uint64_t)tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16;
    return bytes->size - 8 - size;
}

/* Turns one bit over behind the pages, half of the time in the schema. */
static void damage(footer_trial *trial, lam_random *random) {
    enum { SCHEMA = 400 /* bytes */ };
    const lam_buffer *bytes = &trial->sample.bytes;
    uint64_t begin = footer_of(bytes), end = bytes->size - 8;
    if (lam_random_chance(random, 50))
        end = begin + SCHEMA < end ? begin + SCHEMA : end;
    else
        begin = trial->pages_end;
    lam_buffer_clear(&trial->damaged);
    cr_assert_eq(lam_buffer_append(&trial->damaged, bytes->data, bytes->size, NULL), LAM_STATUS_OK);
    trial->offset = begin + lam_random_below(random, end - begin);
    trial->bit = (int)lam_random_below(random, 8);
    trial->damaged.data[trial->offset] ^= (uint8_t)(1u << trial->bit);
}

static void try_damage(footer_trial *trial, lam_random *random) {
    lam_reader *reader;
    damage(trial, random);
    lam_input input = lam_input_memory(trial->damaged.data, trial->damaged.size);
    totals.files++;
    if (lam_reader_open(&input, NULL, &reader, NULL) != LAM_STATUS_OK) {
        totals.unopened++;
        return;
    }
    salvage_and_compare(trial, reader);
    lam_reader_close(reader);
}

Test(salvage_footer, no_row_is_given_that_was_not_written, .timeout = 0) {
    static footer_trial trial;
    static const unsigned presences[] = {100, 100, 90, 50};
    lam_allocator allocator = lam_allocator_default();
    uint64_t seed = lam_test_seed(73);
    size_t files = number_of_files();
    for (size_t file = 0; file < files; file++) {
        lam_random random = lam_random_start(seed + file);
        size_t rows = 10 + (size_t)lam_random_below(&random, ROWS_MOST - 10);
        trial.seed = seed + file;
        choose_options(&trial.options, &random);
        lam_file_sample_init(&trial.sample, lam_test_schema(shape), rows,
                             presences[lam_random_below(&random, 4)], &random);
        lam_file_sample_write(&trial.sample, &trial.options, NULL);
        lam_buffer_init(&trial.damaged, &allocator);
        trial.pages_end = read_cells(&trial.whole, &trial.sample.bytes);
        for (size_t i = 0; i < DAMAGES_OF_EACH; i++)
            try_damage(&trial, &random);
        lam_arena_finish(&trial.whole.arena);
        lam_buffer_finish(&trial.damaged);
        lam_file_sample_finish(&trial.sample);
    }
    cr_log_info("%llu files, %llu not opened; %llu cells, %llu lost, %llu and %llu wrong",
                (unsigned long long)totals.files, (unsigned long long)totals.unopened,
                (unsigned long long)totals.cells, (unsigned long long)totals.lost,
                (unsigned long long)totals.wrong[0], (unsigned long long)totals.wrong[1]);
    cr_assert_eq(totals.wrong[0] + totals.wrong[1], 0);
}
