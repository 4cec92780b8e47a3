/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Column chunks that go from file to file, as they are or with another codec: metadata that do not
 * fit are left out, and all else stays.
 */
#include "file/copy/chunk_copy.h"

#include <criterion/criterion.h>
#include <lamella/check.h>
#include <string.h>

#include "file/copied_sample.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"

enum { PAGES_MOST = 20, BIG_INDEX = 1 << 20 };

static const lam_chunk_manner manners[] = {LAM_CHUNK_COPIED, LAM_CHUNK_RECOMPRESSED};

static lam_status refuse_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_ERROR, "%s", finding->message);
    return LAM_STATUS_OK;
}

/* Copies the sample's file, and ends the test unless the copy has its rows and breaks no rule. */
static lam_buffer copy_of(lam_file_sample *sample, lam_chunk_manner manner,
                          const lam_reader_options *reading) {
    lam_error error = lam_error_none();
    lam_trial_output trial = {0};
    lam_reader *reader = lam_file_sample_open(sample, reading);
    lam_status status = lam_copied_write(reader, manner, NULL, NULL, &trial, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_reader_close(reader);
    lam_input input = lam_input_memory(trial.bytes.data, trial.bytes.size);
    status = lam_check(&input, NULL, refuse_finding, NULL, NULL, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    lam_file_sample_expect_all(sample, reader, NULL);
    lam_reader_close(reader);
    return trial.bytes;
}

/* What the copy states of one chunk. */
typedef struct stated {
    bool column_index;
    bool offset_index;
    bool bloom;
    uint32_t statistics; /* `has` of them */
    bool dictionary;
    int64_t data_page_offset;
    int64_t dictionary_page_offset;
} stated;

static stated stated_of(lam_buffer file, size_t row_group, size_t leaf) {
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &file);
    const lam_meta_column_chunk *chunk = lam_footer_edit_chunk(&edit, row_group, leaf);
    const lam_meta_column *column = chunk->meta_data;
    stated is = {(chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0,
                 (chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0,
                 (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0,
                 column->statistics != NULL ? column->statistics->has : 0,
                 (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0,
                 column->data_page_offset,
                 column->dictionary_page_offset};
    lam_arena_finish(&edit.arena);
    return is;
}

/* --- Page indexes -------------------------------------------------------------------------- */

/* Decodes the offset index of the first chunk. */
static lam_meta_offset_index read_locations(lam_footer_edit *edit) {
    const lam_meta_column_chunk *chunk = lam_footer_edit_chunk(edit, 0, 0);
    lam_bytes bytes = {edit->file->data + chunk->offset_index_offset,
                       (size_t)chunk->offset_index_length};
    lam_meta_offset_index index;
    size_t size;
    cr_assert_eq(lam_meta_read_offset_index(bytes, &edit->arena, &index, &size, NULL),
                 LAM_STATUS_OK);
    cr_assert_leq(index.page_locations.count, PAGES_MOST);
    cr_assert_geq(index.page_locations.count, 4);
    return index;
}

/* Gives the first chunk another offset index. */
static void put_index_bytes(lam_footer_edit *edit, const void *bytes, size_t size) {
    lam_meta_column_chunk *chunk = lam_footer_edit_chunk(edit, 0, 0);
    chunk->offset_index_offset = lam_footer_edit_append(edit, bytes, size);
    chunk->offset_index_length = (int32_t)size;
}

static void put_locations(lam_footer_edit *edit, const lam_meta_offset_index *index) {
    lam_buffer bytes;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&bytes, &allocator);
    cr_assert_eq(lam_meta_write_offset_index(index, &bytes, NULL), LAM_STATUS_OK);
    put_index_bytes(edit, bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
}

/* Copies a file whose first chunk has an index that does not fit, and the others their own. */
static void expect_no_index(lam_file_sample *sample, const char *what) {
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        lam_buffer copy = copy_of(sample, manners[i], NULL);
        cr_expect_not(stated_of(copy, 0, 0).offset_index, "%s, manner %zu", what, i);
        cr_expect_not(stated_of(copy, 0, 0).column_index, "%s, manner %zu", what, i);
        cr_expect(stated_of(copy, 0, 1).offset_index, "%s, manner %zu", what, i);
        cr_expect(stated_of(copy, 1, 0).column_index, "%s, manner %zu", what, i);
        lam_buffer_finish(&copy);
    }
    lam_file_sample_finish(sample);
}

/* The same where only the pages contradict the index: they are read if they are made anew. */
static void expect_no_index_of_new_pages(lam_file_sample *sample, const char *what) {
    lam_buffer copy = copy_of(sample, LAM_CHUNK_RECOMPRESSED, NULL);
    cr_expect_not(stated_of(copy, 0, 0).offset_index, "%s", what);
    lam_buffer_finish(&copy);
    lam_file_sample_finish(sample);
}

/* One number of one location is another one. */
typedef struct wrong_location {
    const char *what;
    size_t page;
    int64_t offset; /* added */
    int32_t size;   /* added */
    int64_t row;    /* added */
    bool is_inside; /* of the chunk and in order, so that only the pages themselves contradict */
} wrong_location;

static const wrong_location wrong_locations[] = {
    {"an offset below zero", 0, INT64_MIN, 0, 0, false},
    {"an offset before the chunk", 0, -1, 0, 0, false},
    {"a page that begins inside the one before", 2, -1, 0, 0, false},
    {"a page of a size below zero", 1, 0, -100000, 0, false},
    {"a page that ends behind the chunk", 3, 0, 1000000, 0, false},
    {"a row below that of the page before", 2, 0, 0, -6, false},
    {"the row of the page before", 1, 0, 0, -5, false},
    {"a row behind the row group", 1, 0, 0, 40, false},
    {"a chunk that does not begin with row 0", 0, 0, 0, 1, false},
    {"a page that begins where no header is", 1, 1, -1, 0, true},
    {"a page that ends where no page ends", 1, 0, -1, 0, true},
};

Test(chunk_copy, locations_that_do_not_fit_the_pages_are_left_out) {
    for (size_t i = 0; i < sizeof wrong_locations / sizeof *wrong_locations; i++) {
        const wrong_location *wrong = &wrong_locations[i];
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_offset_index index = read_locations(&edit);
        lam_meta_page_location *page =
            (lam_meta_page_location *)(uintptr_t)&index.page_locations.items[wrong->page];
        page->offset = wrong->offset == INT64_MIN ? -1 : page->offset + wrong->offset;
        page->compressed_page_size += wrong->size;
        page->first_row_index += wrong->row;
        put_locations(&edit, &index);
        lam_footer_edit_end(&edit);
        if (wrong->is_inside)
            expect_no_index_of_new_pages(&sample, wrong->what);
        else
            expect_no_index(&sample, wrong->what);
    }
}

Test(chunk_copy, an_index_of_another_number_of_pages_is_left_out) {
    for (uint32_t fewer = 0; fewer < 2; fewer++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_offset_index index = read_locations(&edit);
        index.page_locations.count = fewer == 0 ? 0 : index.page_locations.count - 1;
        put_locations(&edit, &index);
        lam_footer_edit_end(&edit);
        if (fewer == 0)
            expect_no_index(&sample, "no pages");
        else
            expect_no_index_of_new_pages(&sample, "a page less");
    }
}

Test(chunk_copy, bytes_that_are_no_index_are_left_out) {
    for (int i = 0; i < 5; i++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column_chunk *chunk = lam_footer_edit_chunk(&edit, 0, 0);
        if (i == 0)
            chunk->offset_index_length--;
        else if (i == 1)
            put_index_bytes(&edit, "\xFF\xFF\xFF\xFF", 4);
        else if (i == 2)
            chunk->offset_index_length = 0;
        else if (i == 3)
            chunk->offset_index_offset = -5;
        else
            chunk->offset_index_offset = INT64_MAX;
        lam_footer_edit_end(&edit);
        expect_no_index(&sample, "no index");
    }
}

/* What readers can do without is done without where it takes more memory than they may have. */
Test(chunk_copy, an_index_above_the_memory_limit_is_left_out) {
    static const uint8_t zeros[BIG_INDEX];
    lam_reader_options reading = lam_reader_options_default();
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    put_index_bytes(&edit, zeros, sizeof zeros);
    lam_footer_edit_end(&edit);
    reading.memory_limit = BIG_INDEX / 4;
    lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, &reading);
    cr_expect_not(stated_of(copy, 0, 0).offset_index);
    cr_expect(stated_of(copy, 0, 1).offset_index);
    lam_buffer_finish(&copy);
    lam_file_sample_finish(&sample);
}

Test(chunk_copy, locations_are_copied_where_the_bounds_of_the_pages_are_not) {
    for (int i = 0; i < 7; i++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column_chunk *chunk = lam_footer_edit_chunk(&edit, 0, 0);
        if (i == 0)
            chunk->has &= ~(uint32_t)(LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                      LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH);
        else if (i == 1)
            chunk->column_index_length--;
        else if (i == 2)
            chunk->column_index_offset = -1;
        else if (i == 3) {
            chunk->column_index_offset = lam_footer_edit_append(&edit, "\xFF\xFF\xFF\xFF", 4);
            chunk->column_index_length = 4;
        } else if (i == 4) {
            lam_footer_edit_short_bounds(&edit, chunk);
        } else if (i == 5) { /* as Polars calls pages of NaNs */
            lam_footer_edit_null_page(&edit, chunk);
        } else { /* that of the second row group, which has fewer pages */
            chunk->column_index_offset = lam_footer_edit_chunk(&edit, 1, 0)->column_index_offset;
            chunk->column_index_length = lam_footer_edit_chunk(&edit, 1, 0)->column_index_length;
        }
        lam_footer_edit_end(&edit);
        for (size_t manner = 0; manner < 2; manner++) {
            lam_buffer copy = copy_of(&sample, manners[manner], NULL);
            cr_expect(stated_of(copy, 0, 0).offset_index, "case %d", i);
            cr_expect_not(stated_of(copy, 0, 0).column_index, "case %d", i);
            lam_buffer_finish(&copy);
        }
        lam_file_sample_finish(&sample);
    }
}

/* --- Statistics ---------------------------------------------------------------------------- */

Test(chunk_copy, bounds_without_an_order_are_left_out) {
    const uint32_t bounds = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE;
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    edit.meta.has &= ~(uint32_t)LAM_META_FILE_HAS_COLUMN_ORDERS;
    lam_footer_edit_end(&edit);
    lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, NULL);
    stated is = stated_of(copy, 0, 0);
    cr_expect_eq(is.statistics & bounds, 0);
    cr_expect_neq(is.statistics & LAM_META_STATISTICS_HAS_NULL_COUNT, 0);
    cr_expect_not(is.column_index);
    cr_expect(is.offset_index && is.bloom);
    lam_buffer_finish(&copy);
    lam_file_sample_finish(&sample);
}

/* Adds the deprecated bounds to those of a chunk, as old writers state them. */
static void add_old_bounds(lam_footer_edit *edit, size_t leaf) {
    lam_meta_statistics *statistics =
        (lam_meta_statistics *)(uintptr_t)lam_footer_edit_column(edit, 0, leaf)->statistics;
    statistics->has |= LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    statistics->min = statistics->min_value;
    statistics->max = statistics->max_value;
}

/* What of the text column is copied: this depends on who wrote it. */
typedef struct distrust {
    const char *created_by;
    bool bounds, old_bounds, null_count, column_index, offset_index, bloom;
} distrust;

Test(chunk_copy, what_a_writer_is_known_to_get_wrong_is_left_out) {
    static const distrust cases[] = {
        {"lamella", true, true, true, true, true, true},
        {"parquet-mr version 1.9.0", true, false, true, true, true, true},
        {"parquet-rs version 4.0.0", false, false, true, false, true, true},
        {"parquet-cpp-arrow version 5.0.0", true, false, false, false, true, true},
        {"parquet-go version 1.6.2", true, false, false, false, false, true},
        {"parquet-go version 18.4.0", true, false, true, true, true, false},
    };
    const uint32_t new = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE;
    const uint32_t old = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const distrust *trust = &cases[i];
        lam_file_sample sample = lam_copied_sample(trust->created_by);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        add_old_bounds(&edit, 1);
        lam_footer_edit_end(&edit);
        lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, NULL);
        stated is = stated_of(copy, 0, 1);
        cr_expect_eq((is.statistics & new) != 0, trust->bounds, "%s", trust->created_by);
        cr_expect_eq((is.statistics & old) != 0, trust->old_bounds, "%s", trust->created_by);
        cr_expect_eq((is.statistics & LAM_META_STATISTICS_HAS_NULL_COUNT) != 0, trust->null_count,
                     "%s", trust->created_by);
        cr_expect_eq(is.column_index, trust->column_index, "%s", trust->created_by);
        cr_expect_eq(is.offset_index, trust->offset_index, "%s", trust->created_by);
        cr_expect_eq(is.bloom, trust->bloom, "%s", trust->created_by);
        lam_buffer_finish(&copy);
        lam_file_sample_finish(&sample);
    }
}

/* --- Bloom filters ------------------------------------------------------------------------- */

/* Gives the first chunk another filter, of a header and of so many bytes behind it. */
static void put_bloom(lam_footer_edit *edit, int32_t stated_bytes, size_t bytes) {
    static const uint8_t zeros[64];
    const lam_meta_bloom_filter_header header = {
        .num_bytes = stated_bytes, .algorithm = {1}, .hash = {1}, .compression = {1}};
    lam_meta_column *column = lam_footer_edit_column(edit, 0, 0);
    column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    column->bloom_filter_offset = (int64_t)edit->file->size;
    cr_assert_eq(lam_meta_write_bloom_filter_header(&header, edit->file, NULL), LAM_STATUS_OK);
    (void)lam_footer_edit_append(edit, zeros, bytes);
}

static void spoil_bloom(lam_footer_edit *edit, int way) {
    lam_meta_column *column = lam_footer_edit_column(edit, 0, 0);
    switch (way) {
    case 0:
        column->bloom_filter_offset = -1;
        break;
    case 1: /* right before the footer, where nothing is left */
        column->bloom_filter_offset = (int64_t)edit->file->size;
        break;
    case 2:
        column->bloom_filter_offset = lam_footer_edit_append(edit, "\xFF\xFF\xFF\xFF", 4);
        break;
    case 3: /* the header does not end before the footer */
        put_bloom(edit, 32, 0);
        edit->file->size -= 2;
        break;
    case 4:
        put_bloom(edit, 0, 32);
        break;
    case 5:
        put_bloom(edit, 33, 64);
        break;
    case 6: /* the bitset does not end before the footer */
        put_bloom(edit, 64, 63);
        break;
    case 7:
        put_bloom(edit, -32, 32);
        break;
    default:
        column->bloom_filter_length++;
    }
}

Test(chunk_copy, filters_that_do_not_fit_are_left_out) {
    for (int way = 0; way < 9; way++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        spoil_bloom(&edit, way);
        lam_footer_edit_end(&edit);
        lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, NULL);
        cr_expect_not(stated_of(copy, 0, 0).bloom, "way %d", way);
        cr_expect(stated_of(copy, 1, 0).bloom, "way %d", way);
        lam_buffer_finish(&copy);
        lam_file_sample_finish(&sample);
    }
}

Test(chunk_copy, a_filter_whose_length_is_not_stated_is_copied) {
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_footer_edit_column(&edit, 0, 0)->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    lam_footer_edit_end(&edit);
    lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, NULL);
    cr_expect(stated_of(copy, 0, 0).bloom);
    lam_buffer_finish(&copy);
    lam_file_sample_finish(&sample);
}

/* A file of which the part before the footer is far longer than what was written: zeros follow. */
typedef struct far_footer {
    lam_bytes file;
    size_t footer; /* where it is in `file` */
} far_footer;

static const uint64_t far_away = UINT64_C(1) << 32;

static lam_status read_far(void *state, uint64_t offset, size_t size, void *buffer,
                           lam_error *error) {
    const far_footer *far = state;
    (void)error;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = offset + i;
        if (at >= far->footer)
            at = at < far->footer + far_away ? far->file.size : at - far_away;
        ((uint8_t *)buffer)[i] = at < far->file.size ? far->file.data[at] : 0;
    }
    return LAM_STATUS_OK;
}

/* A field of 31 bytes that nobody knows makes the header and its bitset too long. */
Test(chunk_copy, a_filter_whose_length_no_footer_states_is_left_out) {
    static const uint8_t unknown[] = {0x18, 29};
    static const uint8_t zeros[30];
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_error error = lam_error_none();
    lam_trial_output trial = {0};
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    put_bloom(&edit, INT32_MAX - 31, 0);
    edit.file->size--; /* the end of the struct follows the field */
    (void)lam_footer_edit_append(&edit, unknown, sizeof unknown);
    (void)lam_footer_edit_append(&edit, zeros, sizeof zeros);
    far_footer far = {.footer = edit.file->size};
    lam_footer_edit_end(&edit);
    far.file = lam_buffer_bytes(&sample.bytes);
    lam_input input = {&far, far.file.size + far_away, read_far, NULL, NULL};
    lam_reader *reader = lam_test_open_input(&input, NULL);
    cr_assert_gt(reader->footer.offset, far_away);
    lam_status status = lam_copied_write(reader, LAM_CHUNK_COPIED, NULL, NULL, &trial, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_expect_not(stated_of(trial.bytes, 0, 0).bloom);
    cr_expect(stated_of(trial.bytes, 1, 0).bloom);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(&sample);
}

/* --- Chunks -------------------------------------------------------------------------------- */

Test(chunk_copy, chunks_that_contradict_their_column_are_refused) {
    for (int i = 0; i < 2; i++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_error error = lam_error_none();
        lam_trial_output trial = {0};
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column *column = lam_footer_edit_column(&edit, 1, 0);
        if (i == 0)
            column->type = LAM_PHYSICAL_DOUBLE;
        else { /* the dictionary's offset is where the chunk begins */
            column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
            column->dictionary_page_offset = 4;
            column->data_page_offset = 4 + column->total_compressed_size;
        }
        lam_footer_edit_end(&edit);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_status status = lam_copied_write(reader, LAM_CHUNK_COPIED, NULL, NULL, &trial, &error);
        cr_assert_eq(status, LAM_STATUS_CORRUPT);
        cr_expect_eq(error.code, i == 0 ? LAM_ERROR_CODE_CHUNK_TYPE : LAM_ERROR_CODE_CHUNK_RANGE);
        cr_expect_eq(error.row_group, 1);
        cr_expect_eq(error.column, 0);
        lam_trial_output_free(&trial);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* Some writers state 0 for one of the two offsets, or the same for both. */
Test(chunk_copy, offsets_that_writers_state_otherwise_are_made_right) {
    static const struct {
        bool says_dictionary, says_data;
    } cases[] = {{true, true}, {true, false}, {false, true}};
    for (size_t i = 0; i < 5; i++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_column *column = lam_footer_edit_column(&edit, 0, 2);
        cr_assert((column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0);
        int64_t dictionary_size = column->data_page_offset - column->dictionary_page_offset;
        if (i == 3)
            column->data_page_offset = column->dictionary_page_offset;
        else if (i == 4) { /* an offset behind that of the data counts for nothing */
            column->data_page_offset = column->dictionary_page_offset;
            column->dictionary_page_offset++;
        } else if (!cases[i].says_dictionary) {
            column->data_page_offset = column->dictionary_page_offset;
            column->dictionary_page_offset = 0;
        } else if (!cases[i].says_data)
            column->data_page_offset = 0;
        lam_footer_edit_end(&edit);
        lam_buffer copy = copy_of(&sample, LAM_CHUNK_COPIED, NULL);
        stated is = stated_of(copy, 0, 2);
        cr_expect(is.dictionary, "case %zu", i);
        cr_expect_eq(is.data_page_offset - is.dictionary_page_offset, dictionary_size, "case %zu",
                     i);
        lam_buffer_finish(&copy);
        lam_file_sample_finish(&sample);
    }
}

/* A file of one row group, in whose chunks there are no triples. */
Test(chunk_copy, chunks_of_no_values_are_copied_without_their_pages) {
    lam_error error = lam_error_none();
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)&edit.meta.row_groups.items[0];
    edit.meta.row_groups.count = 1;
    edit.meta.num_rows = group->num_rows = 0;
    for (size_t leaf = 0; leaf < LAM_COPIED_LEAVES; leaf++)
        lam_footer_edit_column(&edit, 0, leaf)->num_values = 0;
    lam_footer_edit_end(&edit);
    for (size_t manner = 0; manner < 2; manner++) {
        lam_trial_output trial = {0};
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_status status = lam_copied_write(reader, manners[manner], NULL, NULL, &trial, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
        lam_reader_close(reader);
        for (size_t leaf = 0; leaf < LAM_COPIED_LEAVES; leaf++) {
            stated is = stated_of(trial.bytes, 0, leaf);
            cr_expect_not(is.offset_index || is.bloom || is.dictionary);
            cr_expect_eq(is.data_page_offset, 4);
        }
        lam_trial_output_free(&trial);
    }
    lam_file_sample_finish(&sample);
}

static lam_status append_range(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                               lam_error *error) {
    lam_trial_output *trial = state;
    cr_assert_gt(size, 0);
    return lam_buffer_append(&trial->bytes, input->borrow(input->state, offset, (size_t)size),
                             (size_t)size, error);
}

Test(chunk_copy, a_storage_that_copies_is_not_asked_for_chunks_without_pages) {
    lam_error error = lam_error_none();
    lam_trial_output trial = {0};
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_footer_edit_column(&edit, 0, 2)->num_values = 0;
    lam_footer_edit_end(&edit);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_status status =
        lam_copied_write(reader, LAM_CHUNK_COPIED, NULL, append_range, &trial, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(memcmp(trial.bytes.data + 4, sample.bytes.data + 4, 40), 0);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(&sample);
}

static const uint8_t *lend_nothing(void *state, uint64_t offset, size_t size) {
    (void)state, (void)offset, (void)size;
    return NULL;
}

Test(chunk_copy, an_input_that_lends_nothing_is_read) {
    lam_file_sample sample = lam_copied_sample(NULL);
    for (size_t manner = 0; manner < 2; manner++) {
        lam_trial_output trial = {0};
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_buffer lent = copy_of(&sample, manners[manner], NULL);
        reader->input.borrow = lend_nothing;
        cr_assert_eq(lam_copied_write(reader, manners[manner], NULL, NULL, &trial, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(trial.bytes.size, lent.size);
        cr_assert_eq(memcmp(trial.bytes.data, lent.data, lent.size), 0);
        lam_buffer_finish(&lent);
        lam_trial_output_free(&trial);
        lam_reader_close(reader);
    }
    lam_file_sample_finish(&sample);
}
