/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of pages made by hand, measured under stated sizes that are right, too small and too
 * large: where reading gives the values, measuring gives their pages, and elsewhere the place.
 */
#include "file/write/chunk_measure.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

enum { PAGE_ROWS = 3, CHUNK_ROWS = 6, JUNK = 40 };

static lam_file_sample six_rows(void) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.dictionary = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema("required int64 a;"), CHUNK_ROWS, 100, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/*
 * Appends a page of one kind: v and w have three values (V1, V2), u too, and says that it is not
 * compressed; e has none; d is a dictionary, i an index page, x one of a type that nobody knows; m
 * and n state negative numbers, s a negative size; h has no struct for its type, z is no page.
 */
static int64_t append_kind(lam_footer_edit *edit, char kind) {
    uint8_t values[8 * PAGE_ROWS];
    lam_meta_data_page_header v1 = {.num_values = kind == 'e' ? 0 : kind == 'm' ? -1 : PAGE_ROWS};
    const lam_meta_data_page_header_v2 v2 = {.num_values = PAGE_ROWS,
                                             .num_rows = PAGE_ROWS,
                                             .is_compressed = kind != 'u',
                                             .has = LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED};
    const lam_meta_dictionary_page_header dictionary = {.num_values = kind == 'n' ? -1 : PAGE_ROWS};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA};
    for (size_t i = 0; i < PAGE_ROWS; i++)
        lam_store_le64(values + 8 * i, 1000 + i);
    if (kind == 'w' || kind == 'u') {
        header.type = LAM_PAGE_DATA_V2;
        header.data_page_header_v2 = &v2;
    } else if (kind == 'd' || kind == 'n') {
        header.type = LAM_PAGE_DICTIONARY;
        header.dictionary_page_header = &dictionary;
    } else if (kind == 'i' || kind == 'x') {
        header.type = kind == 'i' ? LAM_PAGE_INDEX : 17;
    } else if (kind == 'h') {
        header.data_page_header_v2 = &v2;
    } else if (kind == 'z') {
        return lam_footer_edit_append(edit, "\0\0\0\0\0\0\0", 7);
    } else {
        header.data_page_header = &v1;
    }
    int64_t offset = lam_footer_edit_append_page(edit, header, values, sizeof values);
    if (kind == 's') /* zigzag -24 */
        edit->file->data[offset + 3]--;
    return offset;
}

/* A chunk of these pages; `offsets` has that of each, and at last their end. */
static lam_file_sample sample_of_pages(const char *kinds, int64_t stated_more, int64_t *offsets) {
    static const uint8_t junk[JUNK] = {0};
    lam_file_sample sample = six_rows();
    lam_footer_edit edit;
    size_t i = 0;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
    column->statistics = NULL;
    column->data_page_offset = (int64_t)sample.bytes.size;
    for (; kinds[i] != '\0'; i++)
        offsets[i] = append_kind(&edit, kinds[i]);
    offsets[i] = (int64_t)sample.bytes.size;
    (void)lam_footer_edit_append(&edit, junk, sizeof junk);
    column->total_compressed_size = offsets[i] - column->data_page_offset + stated_more;
    lam_footer_edit_end(&edit);
    return sample;
}

/* Reads the values of the chunk. */
static lam_status read_values(const lam_reader *reader, lam_error *error) {
    lam_column_cursor *cursor;
    lam_triples triples;
    LAM_TRY(lam_reader_open_cursor(reader, 0, 0, &cursor, error));
    lam_status status;
    do
        status = lam_column_cursor_read(cursor, 100, &triples, error);
    while (status == LAM_STATUS_OK && triples.count > 0);
    lam_column_cursor_destroy(cursor);
    return status;
}

static lam_status measure(const lam_reader *reader, lam_chunk_measure *ret, lam_error *error) {
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_meta_column_chunk chunk;
    lam_chunk_range range;
    lam_status status = lam_reader_find_column(reader, 0, 0, &arena, &chunk, error);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_find(chunk.meta_data, reader->footer.offset, &range, error);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_measure_pages(reader, chunk.meta_data, range, ret, error);
    lam_arena_finish(&arena);
    return status;
}

/* Where values are read, the measured pages end at `end`, counted in pages. */
Test(chunk_measure, pages_are_measured_where_their_values_can_be_read) {
    static const struct {
        const char *kinds;
        int64_t more; /* the stated size, less the right one */
        size_t end, first_data;
        bool has_dictionary, denies;
    } rows[] = {
        {"vv", 0, 2, 0, false, false},   {"vw", 0, 2, 0, false, false},
        {"vu", 0, 2, 0, false, true},    {"dvv", 0, 3, 1, true, false},
        {"dvv", -1, 3, 1, true, false},  {"dvv", -13, 3, 1, true, false},
        {"idvv", 0, 4, 2, true, false},  {"xvivx", 0, 4, 1, false, false},
        {"vv", 1, 2, 0, false, false},   {"vv", JUNK, 2, 0, false, false},
        {"vvd", 0, 2, 0, false, false},  {"vvidx", 0, 2, 0, false, false},
        {"vve", 0, 3, 0, false, false},  {"evvie", 0, 5, 0, false, false},
        {"vvze", 0, 2, 0, false, false}, {"vvm", 0, 2, 0, false, false},
        {"dvvd", 0, 3, 1, true, false},  {"vvh", 0, 2, 0, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t offsets[8];
        lam_error error = lam_error_none();
        lam_chunk_measure is;
        lam_file_sample sample = sample_of_pages(rows[i].kinds, rows[i].more, offsets);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_assert_eq(read_values(reader, &error), LAM_STATUS_OK, "%s: %s", rows[i].kinds,
                     error.message);
        cr_assert_eq(measure(reader, &is, &error), LAM_STATUS_OK, "%s: %s", rows[i].kinds,
                     error.message);
        size_t begin = strspn(rows[i].kinds, "ix");
        cr_expect_eq(is.range.offset, (uint64_t)offsets[begin], "%s", rows[i].kinds);
        cr_expect_eq(is.range.offset + is.range.size, (uint64_t)offsets[rows[i].end], "%s %d",
                     rows[i].kinds, (int)rows[i].more);
        cr_expect_eq(is.uncompressed_size, is.range.size, "%s", rows[i].kinds);
        cr_expect_eq(is.range.offset + is.range.size + is.range.room, reader->footer.offset);
        cr_expect_eq(is.first_data, (uint64_t)offsets[rows[i].first_data], "%s", rows[i].kinds);
        cr_expect_eq(is.dictionary != UINT64_MAX, rows[i].has_dictionary, "%s", rows[i].kinds);
        cr_expect_eq(is.denies_compression, rows[i].denies, "%s", rows[i].kinds);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* Both fail, and measuring at the page that is wrong, or without one where pages are lacking. */
Test(chunk_measure, what_cannot_be_read_is_refused_where_it_is) {
    static const struct {
        const char *kinds;
        int64_t more;
        int at; /* the page; -1: none */
        lam_error_code code;
    } rows[] = {
        {"v", 0, -1, LAM_ERROR_CODE_CHUNK_VALUES},
        {"", 0, -1, LAM_ERROR_CODE_CHUNK_VALUES},
        {"vvv", 0, 2, LAM_ERROR_CODE_CHUNK_VALUES},
        {"vvdv", 0, 3, LAM_ERROR_CODE_CHUNK_VALUES},
        {"vv", -1, 1, LAM_ERROR_CODE_PAGE_HEADER},
        {"vh", 0, 1, LAM_ERROR_CODE_PAGE_HEADER},
        {"hv", 0, 0, LAM_ERROR_CODE_PAGE_HEADER},
        {"vz", 0, 1, LAM_ERROR_CODE_PAGE_HEADER},
        {"mvv", 0, 0, LAM_ERROR_CODE_PAGE_HEADER},
        {"svv", 0, 0, LAM_ERROR_CODE_PAGE_HEADER},
        {"vdv", 0, 1, LAM_ERROR_CODE_DICTIONARY_PLACE},
        {"ddvv", 0, 1, LAM_ERROR_CODE_DICTIONARY_PLACE},
        {"edvv", 0, 1, LAM_ERROR_CODE_DICTIONARY_PLACE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t offsets[8];
        lam_error error = lam_error_none();
        lam_chunk_measure is = {.first_data = 77};
        lam_file_sample sample = sample_of_pages(rows[i].kinds, rows[i].more, offsets);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_expect_eq(read_values(reader, NULL), LAM_STATUS_CORRUPT, "%s", rows[i].kinds);
        cr_expect_eq(measure(reader, &is, &error), LAM_STATUS_CORRUPT, "%s", rows[i].kinds);
        cr_expect_eq(error.code, rows[i].code, "%s: %s", rows[i].kinds, error.message);
        cr_expect_eq(error.offset, rows[i].at < 0 ? -1 : offsets[rows[i].at], "%s: %s",
                     rows[i].kinds, error.message);
        cr_expect_eq(is.first_data, 77);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* A dictionary that states a negative number is only met by readers that need it. */
Test(chunk_measure, a_negative_number_of_entries_is_refused) {
    int64_t offsets[8];
    lam_error error = lam_error_none();
    lam_chunk_measure is;
    lam_file_sample sample = sample_of_pages("nvv", 0, offsets);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    cr_expect_eq(read_values(reader, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(measure(reader, &is, &error), LAM_STATUS_CORRUPT);
    cr_expect_eq(error.offset, offsets[0]);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(chunk_measure, it_ends_cleanly_wherever_a_read_fails_or_the_caller_ends_it) {
    int64_t offsets[8];
    lam_file_sample sample = sample_of_pages("dvvez", 0, offsets);
    lam_ending_input ending = {.file = lam_buffer_bytes(&sample.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    lam_reader_options options = lam_reader_options_default();
    lam_chunk_measure is;
    size_t reads = 0;
    options.stop = &ending.stop;
    lam_reader *reader = lam_test_open_input(&input, &options);
    lam_status status = LAM_STATUS_IO;
    while (status == LAM_STATUS_IO) {
        lam_error error = lam_error_none();
        lam_ending_input_again(&ending, ++reads, 0);
        status = measure(reader, &is, &error);
        cr_assert_eq(status == LAM_STATUS_OK, error.message[0] == '\0');
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert_gt(reads, 1);
    lam_stop_request(&ending.stop);
    cr_assert_eq(measure(reader, &is, NULL), LAM_STATUS_CANCELLED);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
