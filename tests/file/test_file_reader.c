/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening files: footers made by hand that break one demand each, options, bounds of memory, and
 * damage that leaves the other columns readable.
 */
#include "file/read/file_reader.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"
#include "support/whole_footer.h"

/* --- Footers made by hand -------------------------------------------------------------------- */

/* A file of two INT32 columns and two row groups whose footer is open to change. */
typedef struct hand_made {
    lam_file_sample sample;
    lam_reader *reader;      /* of the file as it was written */
    lam_footer_change whole; /* what the footer states */
    lam_meta_file meta;
    lam_meta_row_group groups[2];
    lam_meta_column_chunk chunks[2][2];
    lam_meta_column columns[2][2];
    lam_buffer bytes;
} hand_made;

static void start(hand_made *made) {
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 5;
    lam_file_sample_init(&made->sample,
                         lam_test_schema("message m { required int32 a; required int32 b; }"), 10,
                         100, &random);
    lam_file_sample_write(&made->sample, &options, NULL);
    made->reader = lam_file_sample_open(&made->sample, NULL);
    lam_footer_change_begin(&made->whole, made->reader);
    made->meta = made->whole.meta;
    for (size_t g = 0; g < 2; g++) {
        made->groups[g] = made->meta.row_groups.items[g];
        for (size_t c = 0; c < 2; c++) {
            made->chunks[g][c] = made->groups[g].columns.items[c];
            made->columns[g][c] = *made->chunks[g][c].meta_data;
            made->chunks[g][c].meta_data = &made->columns[g][c];
        }
        made->groups[g].columns.items = made->chunks[g];
    }
    made->meta.row_groups.items = made->groups;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&made->bytes, &allocator);
}

static void finish(hand_made *made) {
    lam_buffer_finish(&made->bytes);
    lam_footer_change_end(&made->whole);
    lam_reader_close(made->reader);
    lam_file_sample_finish(&made->sample);
}

/* Opens the file with the changed footer. */
static lam_status open_changed(hand_made *made, lam_reader **ret_reader, lam_error *error) {
    lam_buffer_clear(&made->bytes);
    cr_assert_eq(lam_buffer_append(&made->bytes, made->sample.bytes.data,
                                   (size_t)made->reader->footer.offset, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&made->meta, &made->bytes, NULL), LAM_STATUS_OK);
    lam_input input = lam_input_memory(made->bytes.data, made->bytes.size);
    *error = lam_error_none();
    lam_status status = lam_reader_open(&input, NULL, ret_reader, error);
    cr_assert_eq(status == LAM_STATUS_OK, input.read_at == NULL);
    return status;
}

static void expect_open(hand_made *made, lam_status status) {
    lam_reader *reader = NULL;
    lam_error error;
    cr_assert_eq(open_changed(made, &reader, &error), status, "%s", error.message);
    if (status == LAM_STATUS_OK)
        lam_reader_close(reader);
    else
        cr_assert_null(reader);
}

/* Reads one column to its end; gives the first failure, which must name its place. */
static lam_status read_column(const lam_reader *reader, size_t group, size_t leaf) {
    lam_column_reader *column;
    lam_error error = lam_error_none();
    lam_triples run = {.count = 1};
    lam_status status = lam_column_reader_open(reader, group, leaf, &column, &error);
    if (status == LAM_STATUS_OK) {
        while (status == LAM_STATUS_OK && run.count > 0)
            status = lam_column_reader_read(column, 3, &run, &error);
        lam_column_reader_close(column);
    }
    if (status != LAM_STATUS_OK) {
        cr_assert_eq(error.row_group, (int32_t)group);
        cr_assert_eq(error.column, (int32_t)leaf);
    }
    return status;
}

/* The chunk (1, 0) fails, and all the others are read. */
static void expect_one_broken(hand_made *made, lam_status status) {
    lam_reader *reader;
    lam_error error;
    cr_assert_eq(open_changed(made, &reader, &error), LAM_STATUS_OK, "%s", error.message);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(read_column(reader, i / 2, i % 2), i == 2 ? status : LAM_STATUS_OK);
    lam_page_list *list;
    if (lam_page_list_open(reader, 1, 0, &list, &error) == LAM_STATUS_OK)
        lam_page_list_close(list);
    lam_reader_close(reader);
}

Test(file_reader, a_footer_that_is_written_again_reads_the_same) {
    hand_made made;
    lam_reader *reader;
    lam_error error;
    start(&made);
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK);
    lam_file_sample_expect_all(&made.sample, reader, NULL);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, row_groups_that_do_not_go_with_the_schema_are_corrupt) {
    hand_made made;
    start(&made);
    made.groups[1].columns.count = 1;
    expect_open(&made, LAM_STATUS_CORRUPT);
    made.groups[1].columns.count = 0;
    expect_open(&made, LAM_STATUS_CORRUPT);
    made.groups[1].columns.count = 2;
    made.groups[1].num_rows = -1;
    expect_open(&made, LAM_STATUS_CORRUPT);
    made.groups[1].num_rows = 5;
    expect_open(&made, LAM_STATUS_OK);
    finish(&made);
}

Test(file_reader, rows_that_no_number_counts_are_corrupt) {
    hand_made made;
    lam_meta_row_group groups[3];
    lam_error error;
    lam_reader *reader;
    start(&made);
    for (size_t i = 0; i < 3; i++) {
        groups[i] = made.groups[0];
        groups[i].num_rows = INT64_MAX;
    }
    made.meta.row_groups.items = groups;
    made.meta.row_groups.count = 3;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_CORRUPT);
    cr_expect_eq(error.code, LAM_ERROR_CODE_ROW_GROUP_ROWS);
    cr_expect_not_null(strstr(error.message, "row group 2"));
    groups[2].num_rows = 1;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_reader_row_count(reader), UINT64_MAX);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, a_column_that_cannot_be_read_leaves_the_others_readable) {
    hand_made made;
    start(&made);
    made.chunks[1][0].has |= LAM_META_COLUMN_CHUNK_HAS_FILE_PATH;
    made.chunks[1][0].file_path = (lam_bytes){(const uint8_t *)"other.parquet", 13};
    expect_one_broken(&made, LAM_STATUS_UNSUPPORTED);
    static const uint8_t long_path[500] = "a path of which a message shows the beginning";
    made.chunks[1][0].file_path = (lam_bytes){long_path, sizeof long_path};
    expect_one_broken(&made, LAM_STATUS_UNSUPPORTED);
    made.chunks[1][0].has = 0;
    lam_meta_column_crypto crypto = {.kind = LAM_META_COLUMN_CRYPTO_FOOTER_KEY};
    made.chunks[1][0].crypto_metadata = &crypto;
    expect_one_broken(&made, LAM_STATUS_UNSUPPORTED);
    made.chunks[1][0].crypto_metadata = NULL;
    made.chunks[1][0].meta_data = NULL;
    expect_one_broken(&made, LAM_STATUS_CORRUPT);
    made.chunks[1][0].meta_data = &made.columns[1][0];
    made.columns[1][0].codec = LAM_CODEC_LZO - 1;
    expect_one_broken(&made, LAM_STATUS_UNSUPPORTED);
    made.columns[1][0].codec = made.columns[0][0].codec;
    made.columns[1][0].type = LAM_PHYSICAL_FLOAT;
    expect_one_broken(&made, LAM_STATUS_CORRUPT);
    made.columns[1][0].type = LAM_PHYSICAL_INT32;
    made.columns[1][0].total_compressed_size = INT64_MAX;
    expect_one_broken(&made, LAM_STATUS_CORRUPT);
    made.columns[1][0].total_compressed_size = 10;
    expect_one_broken(&made, LAM_STATUS_CORRUPT);
    finish(&made);
}

Test(file_reader, row_groups_may_lie_in_any_order) {
    hand_made made;
    lam_reader *reader;
    lam_error error;
    start(&made);
    lam_meta_row_group first = made.groups[0];
    made.groups[0] = made.groups[1];
    made.groups[1] = first;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(read_column(reader, i / 2, i % 2), LAM_STATUS_OK);
    for (size_t i = 0; i < 5; i++) { /* and the records come in the footer's order */
        lam_tree_item swap = made.sample.records[i];
        made.sample.records[i] = made.sample.records[5 + i];
        made.sample.records[5 + i] = swap;
    }
    lam_file_sample_expect_all(&made.sample, reader, NULL);
    lam_reader_close(reader);
    finish(&made);
}

/* Columns of one type gave each other's values. */
Test(file_reader, chunks_in_another_order_than_the_leaves_are_corrupt) {
    hand_made made;
    lam_reader *reader;
    lam_error error;
    lam_column_reader *column;
    lam_page_list *list;
    lam_column_chunk_info info = lam_column_chunk_info_default();
    start(&made);
    lam_meta_column_chunk first = made.chunks[1][0];
    made.chunks[1][0] = made.chunks[1][1];
    made.chunks[1][1] = first;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK, "%s", error.message);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(read_column(reader, i / 2, i % 2), i < 2 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_column_reader_open(reader, 1, 0, &column, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "the column chunk is of column 'b', not of 'a'");
    cr_assert_eq(lam_page_list_open(reader, 1, 1, &list, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_reader_column_chunk(reader, 1, 1, &info, &error), LAM_STATUS_CORRUPT);
    lam_reader_close(reader);
    made.columns[1][0].path_in_schema.count = 0; /* nothing is said, so nothing is wrong */
    made.columns[1][1].path_in_schema.count = 0;
    made.chunks[1][1] = made.chunks[1][0];
    made.chunks[1][0] = first;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK, "%s", error.message);
    lam_file_sample_expect_all(&made.sample, reader, NULL);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, a_row_group_without_rows_may_lie_anywhere) {
    hand_made made;
    lam_reader *reader;
    lam_error error;
    start(&made);
    lam_meta_row_group groups[3] = {made.groups[0], made.groups[0], made.groups[1]};
    lam_meta_column_chunk chunks[2] = {made.chunks[0][0], made.chunks[0][1]};
    lam_meta_column empty[2] = {made.columns[0][0], made.columns[0][1]};
    for (size_t i = 0; i < 2; i++) {
        empty[i].num_values = 0;
        empty[i].data_page_offset = INT64_MAX;
        chunks[i].meta_data = &empty[i];
    }
    groups[1].num_rows = 0;
    groups[1].columns.items = chunks;
    made.meta.row_groups.items = groups;
    made.meta.row_groups.count = 3;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK);
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(read_column(reader, i / 2, i % 2), LAM_STATUS_OK);
    lam_file_sample_expect_all(&made.sample, reader, NULL);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, chunks_or_groups_that_do_not_exist_are_the_callers_fault) {
    hand_made made;
    start(&made);
    lam_meta_column_chunk chunk = {0};
    lam_arena arena = lam_reader_chunk_arena(made.reader);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_row_group_info group = lam_row_group_info_default();
    lam_page_list *list;
    lam_column_reader *reader;
    static const size_t places[][2] = {{2, 0}, {0, 2}, {SIZE_MAX, 0}, {0, SIZE_MAX}};
    for (size_t i = 0; i < 4; i++) {
        size_t g = places[i][0], c = places[i][1];
        cr_assert_eq(lam_reader_find_column(made.reader, g, c, &arena, &chunk, NULL),
                     LAM_STATUS_INVALID);
        cr_assert_eq(lam_reader_column_chunk(made.reader, g, c, &info, NULL), LAM_STATUS_INVALID);
        cr_assert_eq(lam_page_list_open(made.reader, g, c, &list, NULL), LAM_STATUS_INVALID);
        cr_assert_eq(lam_column_reader_open(made.reader, g, c, &reader, NULL), LAM_STATUS_INVALID);
    }
    cr_assert_eq(lam_reader_row_group(made.reader, 2, &group, NULL), LAM_STATUS_INVALID);
    cr_assert_null(chunk.meta_data);
    finish(&made);
}

/* --- Options --------------------------------------------------------------------------------- */

static lam_status open_with(const lam_file_sample *sample, const lam_reader_options *options,
                            lam_reader **ret_reader) {
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_error error = lam_error_none();
    lam_status status = lam_reader_open(&input, options, ret_reader, &error);
    cr_assert_eq(error.status, status);
    return status;
}

Test(file_reader, options_out_of_range_are_invalid) {
    hand_made made;
    lam_reader *reader = NULL;
    lam_reader_options options = lam_reader_options_default();
    start(&made);
    options.struct_size--;
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_INVALID);
    cr_assert_eq(lam_reader_open_file("no file", &options, &reader, NULL), LAM_STATUS_INVALID);
    options = lam_reader_options_default();
    options.page_crc = (lam_switch)7;
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_INVALID);
    options = lam_reader_options_default();
    options.memory_limit = UINT64_MAX;
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_INVALID);
    options.memory_limit = 50; /* no footer fits */
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_LIMIT);
    cr_assert_null(reader);
    finish(&made);
}

Test(file_reader, an_input_that_reads_nothing_is_invalid) {
    lam_input input = {.size = 100};
    lam_reader *reader;
    cr_assert_eq(lam_reader_open(NULL, NULL, &reader, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_INVALID);
}

/* Reads the end of a file that claims to be larger than any. */
static lam_status read_end(void *state, uint64_t offset, size_t size, void *buffer,
                           lam_error *error) {
    const lam_buffer *bytes = state;
    (void)error;
    cr_assert_geq(offset, UINT64_MAX / 2 - bytes->size);
    memcpy(buffer, bytes->data + (size_t)(offset - (UINT64_MAX / 2 - bytes->size)), size);
    return LAM_STATUS_OK;
}

Test(file_reader, the_memory_limit_of_the_largest_file_is_half_of_what_can_be_addressed) {
    hand_made made;
    start(&made);
    lam_input input = {&made.sample.bytes, UINT64_MAX / 2, read_end, NULL, NULL};
    lam_reader *reader = lam_test_open_input(&input, NULL);
    cr_expect_eq(lam_test_file_info(reader).memory_limit, SIZE_MAX / 2);
    cr_expect_eq(lam_test_file_info(reader).file_size, UINT64_MAX / 2);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, checksums_are_verified_unless_they_are_not_to_be) {
    hand_made made;
    lam_reader *reader;
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
    bool more;
    start(&made);
    cr_assert_eq(lam_page_list_open(made.reader, 0, 1, &list, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(list, &info, &more, NULL), LAM_STATUS_OK);
    lam_page_list_close(list);
    cr_assert(info.has_crc);
    /* the last byte of the page's header and the checksum's place in it are as in page_write */
    uint8_t *header = made.sample.bytes.data + info.offset;
    size_t at = 0;
    while (header[at] != 0x15 || at < 6)
        at++;
    header[at + 1] ^= 0x01;
    lam_reader_options options = lam_reader_options_default();
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_OK);
    cr_assert_eq(read_column(reader, 0, 1), LAM_STATUS_CORRUPT);
    cr_assert_eq(read_column(reader, 0, 0), LAM_STATUS_OK);
    lam_reader_close(reader);
    options.page_crc = LAM_SWITCH_OFF;
    cr_assert_eq(open_with(&made.sample, &options, &reader), LAM_STATUS_OK);
    cr_assert_eq(read_column(reader, 0, 1), LAM_STATUS_OK);
    lam_reader_close(reader);
    finish(&made);
}

Test(file_reader, a_file_that_is_not_there_is_an_io_failure) {
    lam_reader *reader = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_reader_open_file("/no/such/file.parquet", NULL, &reader, &error),
                 LAM_STATUS_IO);
    cr_assert_null(reader);
    cr_assert_neq(error.message[0], '\0');
    lam_reader_close(NULL);
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* Opens a file whose schema has `count` fields of one name. */
static lam_status open_wide(uint32_t count, lam_failing_alloc *counter) {
    lam_allocator own = lam_allocator_default();
    lam_meta_schema_element *elements = calloc((size_t)count + 1, sizeof *elements);
    elements[0].has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    elements[0].num_children = (int32_t)count;
    for (uint32_t i = 1; i <= count; i++) {
        elements[i].has =
            LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        elements[i].type = LAM_PHYSICAL_INT32;
    }
    lam_meta_file meta = {.version = 1, .schema = {elements, count + 1}};
    lam_buffer bytes;
    lam_buffer_init(&bytes, &own);
    cr_assert_eq(lam_buffer_append(&bytes, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &bytes, NULL), LAM_STATUS_OK);
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    lam_status status = lam_reader_open(&input, &options, &reader, NULL);
    if (status == LAM_STATUS_OK)
        lam_reader_close(reader);
    lam_buffer_finish(&bytes);
    free(elements);
    return status;
}

/* A footer that costs little in the file must not cost much memory or time. */
Test(file_reader, a_footer_of_many_fields_stays_within_bounds, .timeout = 20) {
    static const struct {
        uint32_t fields;
        lam_status status;
    } rows[] = {{10, LAM_STATUS_OK},
                {100000, LAM_STATUS_OK},
                {131000, LAM_STATUS_OK},
                {140000, LAM_STATUS_LIMIT},
                {600000, LAM_STATUS_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_failing_alloc counter = {0};
        cr_assert_eq(open_wide(rows[i].fields, &counter), rows[i].status, "row %zu", i);
        cr_assert_lt(counter.peak_bytes, (size_t)128 << 20, "%zu", counter.peak_bytes);
        cr_assert_eq(counter.live_bytes, 0);
    }
}

/* --- Large footers --------------------------------------------------------------------------- */

enum { WIDE_COLUMNS = 2000, WIDE_GROUPS = 100, WIDE_ROWS = 5 };

/* Writes a file of one page and a footer in which all chunks of a wide table are that page. */
static lam_buffer write_wide(void) {
    hand_made made;
    start(&made);
    static lam_meta_schema_element elements[WIDE_COLUMNS + 1];
    static char names[WIDE_COLUMNS][16];
    static lam_bytes paths[WIDE_COLUMNS];
    static lam_meta_column columns[WIDE_COLUMNS];
    static lam_meta_column_chunk chunks[WIDE_COLUMNS];
    static lam_meta_row_group groups[WIDE_GROUPS];
    elements[0] = (lam_meta_schema_element){.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
                                            .name = {(const uint8_t *)"m", 1},
                                            .num_children = WIDE_COLUMNS};
    for (size_t c = 0; c < WIDE_COLUMNS; c++) {
        int size = snprintf(names[c], sizeof names[c], "column_%04zu", c);
        paths[c] = (lam_bytes){(const uint8_t *)names[c], (size_t)size};
        elements[c + 1] = made.meta.schema.items[1];
        elements[c + 1].name = paths[c];
        columns[c] = made.columns[0][0];
        columns[c].path_in_schema = (lam_meta_bytes_list){&paths[c], 1};
        chunks[c] = made.chunks[0][0];
        chunks[c].meta_data = &columns[c];
    }
    for (size_t g = 0; g < WIDE_GROUPS; g++) {
        groups[g] = made.groups[0];
        groups[g].has = 0;
        groups[g].columns = (lam_meta_column_chunk_list){chunks, WIDE_COLUMNS};
    }
    made.meta.schema = (lam_meta_schema_element_list){elements, WIDE_COLUMNS + 1};
    made.meta.row_groups = (lam_meta_row_group_list){groups, WIDE_GROUPS};
    made.meta.has = 0;
    made.meta.num_rows = WIDE_ROWS * WIDE_GROUPS;
    lam_reader *reader = NULL;
    lam_error error;
    cr_assert_eq(open_changed(&made, &reader, &error), LAM_STATUS_OK, "%s", error.message);
    lam_reader_close(reader);
    lam_buffer bytes = made.bytes;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&made.bytes, &allocator);
    finish(&made);
    return bytes;
}

/* The structs of such a footer took seven times its bytes, above the default limit. */
Test(file_reader, one_column_of_a_wide_file_takes_no_more_memory_than_twice_the_footer) {
    lam_buffer file = write_wide();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    lam_error error = lam_error_none();
    lam_reader *reader = lam_test_open(file.data, file.size, &options);
    uint32_t footer = lam_test_file_info(reader).footer_size;
    cr_assert_gt(footer, 10 << 20);
    for (size_t g = 0; g < WIDE_GROUPS; g++) {
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, g, 1234, &column, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_column_reader_read(column, 100, &triples, &error), LAM_STATUS_OK);
        cr_assert_eq(triples.count, WIDE_ROWS);
        lam_column_reader_close(column);
    }
    lam_reader_close(reader);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_leq(counter.peak_bytes, 2 * (size_t)footer, "%zu bytes for a footer of %u",
                  counter.peak_bytes, (unsigned)footer);
    cr_log_info("%zu bytes for a footer of %u", counter.peak_bytes, (unsigned)footer);
    lam_buffer_finish(&file);
}
