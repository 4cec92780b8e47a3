/* SPDX-License-Identifier: Apache-2.0 */
/* Views that lead into pages: when they do, that they outlive the stream, and when they do not. */
#include "arrow/read/leaf_pages.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/hand_arrays.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { ROWS = 20000, TEXT = 60, PAGE_BYTES = 100000 };

static const lam_arrow_field view_field = {
    .name = "a", .type = {.kind = LAM_ARROW_STRING_VIEW}, .nullable = true};

static size_t string_of(int64_t row, bool is_long, char *text) {
    const char *tail = row % 5 == 0 ? " \xD1\x81\xD0\xBB\xD0\xBE\xD0\xB2\xD0\xBE" : " and more";
    return (size_t)snprintf(text, TEXT, "%lld%s", (long long)(row * 7919),
                            is_long && row % 4 != 0 ? tail : "");
}

/* Strings with offsets, written to a column whose Arrow type is string_view. */
static hand_writer write_texts(bool is_long, lam_encoding encoding, lam_codec codec) {
    static uint8_t views[ROWS][16], validity[ROWS / 8];
    static char data[ROWS * TEXT];
    int64_t size = 0;
    lam_writer_options options = lam_writer_options_default();
    options.codec = codec;
    options.page_bytes = PAGE_BYTES;
    hand_writer hand = hand_open_with("a?:vu", &options);
    cr_assert_eq(lam_writer_set_encoding(hand.writer, "a", encoding, NULL), LAM_STATUS_OK);
    memset(views, 0, sizeof views);
    memset(validity, 0, sizeof validity);
    for (int64_t i = 0; i < ROWS; i++) {
        char text[TEXT];
        int32_t length = (int32_t)string_of(i, is_long, text), place[2] = {0, (int32_t)size};
        validity[i / 8] |= (uint8_t)((i % 11 != 0) << i % 8);
        memcpy(views[i], &length, 4);
        memcpy(views[i] + 4, text, length > 12 ? 4 : (size_t)length);
        if (length > 12) {
            memcpy(views[i] + 8, place, sizeof place);
            memcpy(data + size, text, (size_t)length);
            size += length;
        }
    }
    hand_array column = HAND(ROWS, 4, validity, views, data, &size);
    lam_error error = lam_error_none();
    cr_assert_eq(hand_write(&hand, hand_at(&column), ROWS, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return hand;
}

static void expect_texts(const struct ArrowArray *column, int64_t first, bool is_long) {
    const char *flaw = lam_array_flaw(&view_field, column);
    cr_assert_null(flaw, "%s", flaw);
    for (int64_t i = 0; i < column->length; i++) {
        char text[TEXT];
        size_t size = string_of(first + i, is_long, text);
        cr_assert_eq(lam_array_slot_valid(column, i), (first + i) % 11 != 0);
        if ((first + i) % 11 == 0)
            continue;
        lam_bytes bytes = lam_array_slot_bytes(&view_field, column, i);
        cr_assert(bytes.size == size && memcmp(bytes.data, text, size) == 0, "row %lld",
                  (long long)(first + i));
    }
}

/* Reads all, checks it when everything else is gone; returns the data buffers of the arrays. */
static int64_t read_texts(hand_writer *hand, uint64_t batch_rows, bool is_long) {
    enum { MOST_ARRAYS = ROWS / 20 + 1 };
    static struct ArrowArray arrays[MOST_ARRAYS];
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options reading = lam_reader_options_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_bytes bytes = hand_bytes(hand);
    struct ArrowArrayStream stream;
    size_t count = 0;
    int64_t rows = 0, buffers = 0;
    reading.allocator = &allocator;
    options.batch_rows = batch_rows;
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, &reading);
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    for (;; count++) {
        cr_assert(count < MOST_ARRAYS);
        cr_assert_eq(stream.get_next(&stream, &arrays[count]), 0);
        if (arrays[count].release == NULL)
            break;
    }
    stream.release(&stream);
    lam_reader_close(reader);
    for (size_t i = 0; i < count; i++) {
        expect_texts(arrays[i].children[0], rows, is_long);
        rows += arrays[i].length;
        buffers += arrays[i].children[0]->n_buffers - 3;
        arrays[i].release(&arrays[i]);
    }
    cr_assert_eq(rows, ROWS);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    return buffers;
}

Test(leaf_pages, long_views_stay_in_pages_that_an_array_has_most_of) {
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN,
                                             LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY};
    for (size_t i = 0; i < 2; i++) {
        hand_writer hand = write_texts(true, encodings[i], LAM_CODEC_SNAPPY);
        cr_assert_eq(lam_writer_finish(hand.writer, NULL), LAM_STATUS_OK);
        cr_assert_gt(read_texts(&hand, 0, true), 1 + 2);
        cr_assert_gt(read_texts(&hand, 7000, true), 3);
        /* An array of 20 rows would keep a page of thousands: these have their own bytes only. */
        cr_assert_eq(read_texts(&hand, 20, true), ROWS / 20);
        hand_close(&hand);
    }
}

Test(leaf_pages, other_views_are_copied) {
    static const struct {
        bool is_long;
        lam_encoding encoding;
        lam_codec codec;
    } ways[] = {
        {false, LAM_ENCODING_PLAIN, LAM_CODEC_SNAPPY},           /* short */
        {true, LAM_ENCODING_DELTA_BYTE_ARRAY, LAM_CODEC_SNAPPY}, /* built, not slices */
        {true, LAM_ENCODING_PLAIN, LAM_CODEC_UNCOMPRESSED},      /* bytes of the file */
    };
    for (size_t i = 0; i < 3; i++) {
        hand_writer hand = write_texts(ways[i].is_long, ways[i].encoding, ways[i].codec);
        cr_assert_eq(lam_writer_finish(hand.writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(read_texts(&hand, 0, ways[i].is_long), 1);
        hand_close(&hand);
    }
}

/* A page that lies in the memory of a far larger one before it keeps none of that. */
Test(leaf_pages, a_small_page_behind_a_large_one_is_copied_from) {
    enum { SHORT = 5000, LONG = 100, LENGTH = 20 };
    static uint8_t views[SHORT + LONG][16];
    static const char data[] = "a text of 20 letters";
    int64_t size = LENGTH;
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_SNAPPY;
    options.page_rows = SHORT;
    options.dictionary = LAM_SWITCH_OFF;
    options.delta = LAM_SWITCH_OFF;
    hand_writer hand = hand_open_with("a:vu", &options);
    for (int32_t row = 0; row < SHORT + LONG; row++) {
        const int32_t length = row < SHORT ? 12 : LENGTH, place[2] = {0, 0};
        memcpy(views[row], &length, 4);
        memcpy(views[row] + 4, data, 12);
        if (row >= SHORT)
            memcpy(views[row] + 8, place, sizeof place);
    }
    hand_array column = HAND(SHORT + LONG, 4, NULL, views, data, &size);
    cr_assert_eq(hand_write(&hand, hand_at(&column), SHORT + LONG, NULL), LAM_STATUS_OK);
    lam_reader *reader = hand_read(&hand);
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    const char *flaw = lam_array_flaw(&view_field, array.children[0]);
    cr_assert_null(flaw, "%s", flaw);
    cr_assert_eq(array.children[0]->n_buffers, 4);
    for (int64_t row = SHORT; row < SHORT + LONG; row++) {
        lam_bytes text = lam_array_slot_bytes(&view_field, array.children[0], row);
        cr_assert(text.size == LENGTH && memcmp(text.data, data, LENGTH) == 0);
    }
    array.release(&array);
    stream.release(&stream);
    lam_reader_close(reader);
    hand_close(&hand);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* The row groups have pages of 100 rows each, whose texts become longer from page to page. */
enum { GROWING_ROWS = 3000, GROWING_PAGE_ROWS = 100, GROWING_MOST = 700 };

static size_t growing_text(size_t row, char *text) {
    size_t size = 20 + row * (GROWING_MOST - 20) / GROWING_ROWS;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (row + i * i) % 26);
    return size;
}

static hand_writer write_growing(void) {
    static char data[GROWING_ROWS * GROWING_MOST];
    static int32_t offsets[GROWING_ROWS + 1];
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_SNAPPY;
    options.page_rows = GROWING_PAGE_ROWS;
    options.dictionary = LAM_SWITCH_OFF;
    options.delta = LAM_SWITCH_OFF;
    hand_writer hand = hand_open_with("a:vu", &options);
    static uint8_t views[GROWING_ROWS][16];
    for (size_t row = 0; row < GROWING_ROWS; row++) {
        int32_t size = (int32_t)growing_text(row, data + offsets[row]), place[] = {0, offsets[row]};
        memcpy(views[row], &size, 4);
        memcpy(views[row] + 4, data + offsets[row], 4);
        memcpy(views[row] + 8, place, sizeof place);
        offsets[row + 1] = offsets[row] + size;
    }
    int64_t size = offsets[GROWING_ROWS];
    hand_array column = HAND(GROWING_ROWS, 4, NULL, views, data, &size);
    cr_assert_eq(hand_write(&hand, hand_at(&column), GROWING_ROWS, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(hand.writer, NULL), LAM_STATUS_OK);
    return hand;
}

/* Reads all in batches, or until it fails; gives what the last call returned. */
static int read_growing(const hand_writer *hand, const lam_reader_options *reading,
                        uint64_t batch_rows) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_bytes bytes = hand_bytes(hand);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_reader *reader;
    size_t row = 0;
    int code;
    options.batch_rows = batch_rows;
    if (lam_reader_open(&input, reading, &reader, NULL) != LAM_STATUS_OK)
        return ENOMEM;
    if (lam_arrow_read_stream(reader, &options, &stream, NULL) != LAM_STATUS_OK) {
        lam_reader_close(reader);
        return ENOMEM;
    }
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        for (int64_t i = 0; i < array.length; i++, row++) {
            char text[GROWING_MOST];
            size_t size = growing_text(row, text);
            lam_bytes value = lam_array_slot_bytes(&view_field, array.children[0], i);
            cr_assert(value.size == size && memcmp(value.data, text, size) == 0, "row %zu", row);
        }
        array.release(&array);
    }
    cr_assert(code != 0 || row == GROWING_ROWS);
    stream.release(&stream);
    lam_reader_close(reader);
    return code;
}

Test(leaf_pages, pages_may_be_larger_from_one_to_the_next) {
    hand_writer hand = write_growing();
    cr_assert_eq(read_growing(&hand, NULL, 0), 0);
    cr_assert_eq(read_growing(&hand, NULL, 30), 0);
    hand_close(&hand);
}

/* What a batch may not hold is taken for the page alone, until that is too much as well. */
Test(leaf_pages, a_limit_of_memory_gives_right_rows_or_a_failure) {
    hand_writer hand = write_growing();
    size_t failures = 0, successes = 0;
    for (uint64_t limit = 20000; limit < 400000; limit += limit / 12) {
        lam_reader_options reading = lam_reader_options_default();
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        reading.allocator = &allocator;
        reading.memory_limit = limit;
        int code = read_growing(&hand, &reading, 150);
        failures += code != 0;
        successes += code == 0;
        cr_assert_eq(counter.live_bytes, 0, "limit %llu", (unsigned long long)limit);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(failures, 2);
    cr_assert_gt(successes, 2);
    hand_close(&hand);
}

Test(leaf_pages, any_allocation_may_fail) {
    hand_writer hand = write_growing();
    int code = ENOMEM;
    for (size_t n = 1; code != 0; n += lam_test_step()) {
        lam_reader_options reading = lam_reader_options_default();
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        reading.allocator = &allocator;
        code = read_growing(&hand, &reading, 1000);
        cr_assert_eq(code, counter.requests < n ? 0 : ENOMEM, "request %zu", n);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    hand_close(&hand);
}
