/* SPDX-License-Identifier: Apache-2.0 */
/* Footers that state wrong or odd places: each byte still belongs to one range. */
#include "byte_map/file_extents.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_map/byte_tiles.h"
#include "file/file_sample.h"
#include "file/footer.h"
#include "support/shared.h"
#include "support/whole_footer.h"

TestSuite(file_extents);

/* A file whose footer is changed, and the lines of the ranges at its top. */
typedef struct changed_file {
    lam_file_sample sample;
    lam_footer_change change;
    lam_reader *reader;
    lam_buffer bytes;
    char lines[2000];
    size_t size;
} changed_file;

static void begin_change(changed_file *file) {
    lam_random random = lam_random_start(6);
    lam_writer_options options = lam_writer_options_default();
    memset(file, 0, sizeof *file);
    options.page_index = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_init(
        &file->sample,
        lam_test_schema("message m { required int32 a; required int32 b; required int32 c; }"), 20,
        50, &random);
    lam_file_sample_write(&file->sample, &options, NULL);
    file->reader = lam_file_sample_open(&file->sample, NULL);
    lam_footer_change_begin(&file->change, file->reader);
}

static lam_status add_line(void *state, const lam_byte_range *range) {
    changed_file *file = state;
    if (range->depth > 0)
        return LAM_STATUS_OK;
    int size = snprintf(file->lines + file->size, sizeof file->lines - file->size, "%s %s%s\n",
                        lam_byte_kind_name(range->kind), range->label == NULL ? "" : range->label,
                        range->length == 0 ? " (no bytes)" : "");
    cr_assert(size > 0 && (size_t)size < sizeof file->lines - file->size);
    file->size += (size_t)size;
    return LAM_STATUS_OK;
}

static void end_change(changed_file *file, const char *lines) {
    lam_allocator allocator = lam_allocator_default();
    lam_byte_tiles tiles = {.each = add_line, .state = file};
    uint64_t footer = file->sample.bytes.size - 8 - lam_reader_footer_size(file->reader);
    lam_buffer_init(&file->bytes, &allocator);
    cr_assert_eq(lam_buffer_append(&file->bytes, file->sample.bytes.data, (size_t)footer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&file->change.meta, &file->bytes, NULL), LAM_STATUS_OK);
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&file->bytes), "changed");
    lam_byte_tiles_expect_ends(lam_buffer_bytes(&file->bytes), "changed");
    cr_expect_str_eq(file->lines, lines, "%s", file->lines);
    lam_buffer_finish(&file->bytes);
    lam_footer_change_end(&file->change);
    lam_reader_close(file->reader);
    lam_file_sample_finish(&file->sample);
}

Test(file_extents, a_sound_footer_leaves_nothing_over) {
    changed_file file;
    begin_change(&file);
    end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, chunks_that_overlap_give_each_byte_to_the_first) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 0)->total_compressed_size += 10;
    end_change(&file, "magic PAR1\ncolumn_chunk a\nunknown \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, a_chunk_inside_of_another_has_no_bytes_of_its_own) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    const lam_meta_column *a = lam_footer_change_column(&file.change, 0, 0);
    b->data_page_offset = a->data_page_offset + 1;
    b->total_compressed_size = 3;
    end_change(&file, "magic PAR1\ncolumn_chunk a\nunknown  (no bytes)\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, a_chunk_that_is_too_short_leaves_a_gap) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 2)->total_compressed_size -= 5;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\ngap \n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, chunks_that_cannot_be_become_gaps) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 1)->total_compressed_size = INT64_MAX;
    lam_footer_change_column(&file.change, 0, 2)->data_page_offset = -1;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \nfooter FileMetaData\nfooter_length \n"
                      "magic PAR1\n");
}

Test(file_extents, a_chunk_without_values_takes_no_bytes_of_others) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    b->num_values = 0;
    b->data_page_offset = 4;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

/* PARQUET-816: the size of a chunk may leave out the header of its dictionary page. */
static lam_status keep_first_chunk(void *state, const lam_byte_range *range) {
    uint64_t *length = state;
    if (range->kind == LAM_BYTE_COLUMN_CHUNK && range->column == 0)
        *length = range->length;
    return LAM_STATUS_OK;
}

Test(file_extents, a_chunk_may_leave_out_the_header_of_its_dictionary) {
    static const char name[] = "parquet-testing/data/alltypes_dictionary.parquet";
    lam_allocator allocator = lam_allocator_default();
    lam_footer_change change;
    lam_reader *reader;
    lam_page_list *pages;
    lam_page_info page = lam_page_info_default();
    lam_buffer bytes;
    size_t size;
    bool more;
    uint64_t found = 0;
    lam_byte_tiles tiles = {.each = keep_first_chunk, .state = &found};
    if (!lam_test_shared_exists(name))
        cr_skip_test("no shared data");
    char *whole = lam_test_read_file(lam_test_shared(name), &size);
    lam_input input = lam_input_memory(whole, size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_open(reader, 0, 0, &pages, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(pages, &page, &more, NULL), LAM_STATUS_OK);
    cr_assert_eq(page.type, LAM_PAGE_DICTIONARY);
    lam_page_list_close(pages);
    lam_footer_change_begin(&change, reader);
    lam_meta_column *column = lam_footer_change_column(&change, 0, 0);
    int64_t stated = column->total_compressed_size;
    column->total_compressed_size -= page.header_size;
    lam_buffer_init(&bytes, &allocator);
    cr_assert_eq(lam_buffer_append(&bytes, whole, size - 8 - lam_reader_footer_size(reader), NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&change.meta, &bytes, NULL), LAM_STATUS_OK);
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&bytes), "short");
    cr_assert_eq(found, (uint64_t)stated);
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%s", tiles.unknown);
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
    free(whole);
}
