/* SPDX-License-Identifier: Apache-2.0 */
/* Leftovers of which not one page is whole, and damaged files, which they must not be taken for. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <string.h>

#include "damage/unfinished/file_item.h"
#include "file/unfinished_sample.h"

enum { RECORDS = 20, GROUP_ROWS = 5, ROOM = 100000 };

static const char shape[] = "message m { required int64 a; optional binary s; }";

/* A log of four row groups, and where its first page ends. */
static void begin_log(lam_file_sample *sample, lam_unfinished_sample *log, uint64_t *ret_page_end) {
    lam_input input;
    lam_file_items items;
    lam_file_item item;
    lam_random random = lam_random_start(lam_test_seed(3));
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = GROUP_ROWS;
    options.page_index = LAM_SWITCH_OFF;
    lam_file_sample_init(sample, lam_test_schema(shape), RECORDS, 70, &random);
    lam_file_sample_write(sample, &options, NULL);
    lam_unfinished_sample_init(log, lam_buffer_bytes(&sample->bytes),
                               &(lam_unfinished_plan){.file_id = 7});
    lam_allocator allocator = lam_allocator_default();
    input = lam_input_memory(log->bytes.data, log->bytes.size);
    lam_file_items_init(&items, &input, 0, ROOM, &allocator);
    cr_assert_eq(lam_file_items_next(&items, &item, NULL), LAM_STATUS_OK);
    cr_assert_eq(item.kind, LAM_FILE_ITEM_PAGE);
    *ret_page_end = item.offset + item.size;
    lam_file_items_finish(&items);
}

static void end_log(lam_file_sample *sample, lam_unfinished_sample *log) {
    lam_unfinished_sample_finish(log);
    lam_file_sample_finish(sample);
}

/* The code with which bytes are refused as a leftover, or as a file; 0: they are read. */
static lam_error_code refusal_of(const uint8_t *bytes, size_t size, bool is_leftover) {
    lam_input input = lam_input_memory(bytes, size);
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    options.is_leftover = is_leftover;
    if (lam_reader_open_unfinished(&input, &options, &reader, &recovery, &error) != LAM_STATUS_OK)
        cr_assert_eq(error.status, LAM_STATUS_CORRUPT);
    lam_reader_close(reader);
    return error.code;
}

Test(empty_leftover, a_file_that_ends_in_its_first_page_had_nothing_durable) {
    lam_file_sample sample;
    lam_unfinished_sample log;
    uint64_t page_end;
    begin_log(&sample, &log, &page_end);
    for (size_t size = 0; size < page_end; size++) {
        cr_expect_eq(refusal_of(log.bytes.data, size, true), LAM_ERROR_CODE_LEFTOVER_EMPTY,
                     "at %zu", size);
        cr_expect_eq(refusal_of(log.bytes.data, size, false), LAM_ERROR_CODE_FOOTER, "at %zu",
                     size);
    }
    for (size_t size = (size_t)page_end; size <= log.bytes.size; size++)
        cr_expect_neq(refusal_of(log.bytes.data, size, true), LAM_ERROR_CODE_LEFTOVER_EMPTY,
                      "at %zu", size);
    end_log(&sample, &log);
}

/* The length of a file may be ahead of its bytes, which are zeros then. */
Test(empty_leftover, so_had_one_that_is_zeros_from_its_first_page_on) {
    static uint8_t bytes[ROOM];
    static const size_t sizes[] = {300, 4096, 65536, ROOM};
    lam_file_sample sample;
    lam_unfinished_sample log;
    uint64_t page_end;
    begin_log(&sample, &log, &page_end);
    /* The end of a page may be zeros: its checksum tells. */
    while (log.bytes.data[page_end - 1] == 0)
        page_end--;
    for (size_t at = 0; at < page_end; at++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            memset(bytes, 0, sizeof bytes);
            memcpy(bytes, log.bytes.data, at);
            if (at > 0 && at < 4)
                continue; /* a part of the magic, in one block with zeros, is somebody else's */
            cr_expect_eq(refusal_of(bytes, sizes[i], true), LAM_ERROR_CODE_LEFTOVER_EMPTY,
                         "%zu of %zu", at, sizes[i]);
        }
    end_log(&sample, &log);
}

/* A damaged size leads past the end of the file; the records of its row groups are there. */
Test(empty_leftover, a_damaged_file_is_not_taken_for_one) {
    lam_file_sample sample;
    lam_unfinished_sample log;
    uint64_t page_end;
    begin_log(&sample, &log, &page_end);
    for (size_t at = 0; at < page_end; at++)
        for (int bit = 0; bit < 8; bit++) {
            log.bytes.data[at] ^= (uint8_t)(1 << bit);
            cr_expect_neq(refusal_of(log.bytes.data, log.bytes.size, true),
                          LAM_ERROR_CODE_LEFTOVER_EMPTY, "%zu.%d", at, bit);
            log.bytes.data[at] ^= (uint8_t)(1 << bit);
        }
    for (size_t from = 0; from < log.ends[2]; from += 5) { /* whole sectors, too */
        uint8_t kept[512];
        size_t size = log.ends[3] - from < sizeof kept ? log.ends[3] - from : sizeof kept;
        memcpy(kept, log.bytes.data + from, size);
        memset(log.bytes.data + from, 0, size);
        if (memmem(log.bytes.data, log.bytes.size, "PLAM", 4) != NULL)
            cr_expect_neq(refusal_of(log.bytes.data, log.bytes.size, true),
                          LAM_ERROR_CODE_LEFTOVER_EMPTY, "%zu", from);
        memcpy(log.bytes.data + from, kept, size);
    }
    end_log(&sample, &log);
}

Test(empty_leftover, bytes_that_no_log_writes_are_not_taken_for_one) {
    static const char *const texts[] = {"PARQPARQ", "PAR1PLAM", "hello, world", "PAR1garbage"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_neq(refusal_of((const uint8_t *)texts[i], strlen(texts[i]), true),
                      LAM_ERROR_CODE_LEFTOVER_EMPTY, "%s", texts[i]);
}

Test(empty_leftover, a_stop_ends_the_search) {
    static uint8_t zeros[ROOM];
    lam_recovery recovery;
    lam_status status;
    lam_stop stop = {0};
    lam_recover_options options = lam_recover_options_default();
    options.is_leftover = true;
    options.stop = &stop;
    lam_stop_request(&stop);
    cr_expect_null(lam_unfinished_open((lam_bytes){zeros, ROOM}, &options, &recovery, &status));
    cr_expect_eq(status, LAM_STATUS_CANCELLED);
}
