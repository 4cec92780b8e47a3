/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a chunk are listed with what their headers say, up to a header that is damaged. */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"

/* Lists the pages of the only chunk; gives their number. */
static size_t list_pages(const lam_file_sample *sample, lam_page_info *pages, size_t capacity) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_page_list *list;
    size_t count = 0;
    bool more = true;
    cr_assert_eq(lam_page_list_open(reader, 0, 0, &list, NULL), LAM_STATUS_OK);
    for (;;) {
        lam_page_info info = lam_page_info_default();
        cr_assert_eq(lam_page_list_next(list, &info, &more, NULL), LAM_STATUS_OK);
        if (!more)
            break;
        cr_assert_lt(count, capacity);
        pages[count++] = info;
    }
    lam_page_info none = lam_page_info_default();
    cr_assert_eq(lam_page_list_next(list, &none, &more, NULL), LAM_STATUS_OK);
    cr_assert_not(more);
    lam_page_list_close(list);
    lam_reader_close(reader);
    return count;
}

static lam_file_sample write_pages(int32_t version, bool crc) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_file_sample_init(&sample, lam_test_schema("message m { repeated int32 a; }"), 100, 60,
                         &random);
    for (size_t i = 0; i < 100; i++) /* something for a dictionary */
        for (size_t k = 0; k < sample.records[i].fields[0].count; k++)
            sample.records[i].fields[0].items[k].value.int32 = (int32_t)(i + k) % 3;
    lam_writer_options options = lam_writer_options_default();
    options.data_page_version = version;
    options.page_rows = 40;
    options.page_crc = crc ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_SNAPPY;
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

Test(page_list, pages_follow_each_other_and_hold_all_triples) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_file_sample sample = write_pages(version, version == 1);
        lam_page_info pages[8];
        cr_assert_eq(list_pages(&sample, pages, 8), 4);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_column_chunk_info chunk = lam_column_chunk_info_default();
        cr_assert_eq(lam_reader_column_chunk(reader, 0, 0, &chunk, NULL), LAM_STATUS_OK);
        int64_t next = chunk.dictionary_page_offset, triples = 0, rows = 0, uncompressed = 0;
        for (size_t i = 0; i < 4; i++) {
            cr_assert_eq(pages[i].offset, next);
            cr_assert_eq(pages[i].has_crc, version == 1);
            next += pages[i].header_size + pages[i].compressed_size;
            uncompressed += pages[i].header_size + pages[i].uncompressed_size;
            triples += i > 0 ? pages[i].value_count : 0;
            rows += i > 0 ? pages[i].row_count : 0;
        }
        cr_assert_eq(triples, chunk.value_count);
        cr_assert_eq(rows, version == 2 ? 100 : -3);
        cr_assert_eq(next - chunk.dictionary_page_offset, chunk.total_compressed_size);
        cr_assert_eq(uncompressed, chunk.total_uncompressed_size);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

Test(page_list, each_kind_of_page_says_what_its_header_has) {
    lam_page_info pages[8];
    lam_file_sample sample = write_pages(1, true);
    list_pages(&sample, pages, 8);
    lam_page_info dictionary = pages[0], v1 = pages[1];
    lam_file_sample_finish(&sample);
    sample = write_pages(2, true);
    list_pages(&sample, pages, 8);
    lam_page_info v2 = pages[3];
    lam_file_sample_finish(&sample);

    cr_assert_eq(dictionary.type, LAM_PAGE_DICTIONARY);
    cr_assert_eq(dictionary.value_count, 3);
    cr_assert_eq(dictionary.encoding, LAM_ENCODING_PLAIN);
    cr_assert_eq(dictionary.null_count, -1);
    cr_assert_eq(v1.type, LAM_PAGE_DATA);
    cr_assert_eq(v1.encoding, LAM_ENCODING_RLE_DICTIONARY);
    cr_assert_eq(v1.definition_level_encoding, LAM_ENCODING_RLE);
    cr_assert_eq(v1.repetition_level_encoding, LAM_ENCODING_RLE);
    cr_assert_eq(v1.row_count, -1);
    cr_assert_eq(v1.null_count, -1);
    cr_assert_eq(v1.definition_level_bytes, -1);
    cr_assert_eq(v2.type, LAM_PAGE_DATA_V2);
    cr_assert_eq(v2.row_count, 20);
    cr_assert_geq(v2.null_count, 1);
    cr_assert_gt(v2.definition_level_bytes, 0);
    cr_assert_gt(v2.repetition_level_bytes, 0);
    cr_assert_eq(v2.definition_level_encoding, -1);
    /* 20 rows of indexes that SNAPPY makes no smaller */
    cr_assert_not(v2.is_compressed);
    cr_assert(dictionary.is_compressed && v1.is_compressed);
}

Test(page_list, a_damaged_header_fails_at_its_place_every_time) {
    lam_file_sample sample = write_pages(1, true);
    lam_page_info pages[8];
    list_pages(&sample, pages, 8);
    sample.bytes.data[pages[2].offset] = 0xFF;
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
    bool more;
    cr_assert_eq(lam_page_list_open(reader, 0, 0, &list, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(lam_page_list_next(list, &info, &more, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_page_list_next(list, &info, &more, &error), LAM_STATUS_CORRUPT);
        cr_assert_eq(error.offset, pages[2].offset);
        cr_assert_eq(error.row_group, 0);
        cr_assert_eq(error.column, 0);
    }
    lam_page_list_close(list);
    lam_page_list_close(NULL);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
