/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries come out as dictionaries: their strings are there once, however often they are
 * used. */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/hand_arrays.h"
#include "support/failing_alloc.h"

enum { STRINGS = 10, STRING_SIZE = 50000, ROWS = 20000, BATCH_ROWS = 3000 };

/* Strings that together would take a gigabyte; every 7th row is null. */
static hand_writer write_strings(void) {
    static int32_t offsets[STRINGS + 1];
    static int8_t indexes[ROWS];
    static uint8_t validity[ROWS / 8];
    char *text = malloc(STRINGS * STRING_SIZE);
    hand_writer hand = hand_open("a?:{c}u");
    lam_error error = lam_error_none();
    for (int32_t i = 0; i < STRINGS; i++) {
        memset(text + i * STRING_SIZE, 'a' + i, STRING_SIZE);
        offsets[i + 1] = (i + 1) * STRING_SIZE;
    }
    for (int32_t i = 0; i < ROWS; i++) {
        indexes[i] = (int8_t)(i % STRINGS);
        validity[i / 8] |= (uint8_t)((i % 7 != 0) << i % 8);
    }
    hand_array dictionary = HAND(STRINGS, 3, NULL, offsets, text);
    hand_array column = HAND(ROWS, 2, validity, indexes);
    column.array.dictionary = hand_at(&dictionary);
    cr_assert_eq(hand_write(&hand, hand_at(&column), ROWS, &error), LAM_STATUS_OK, "%s",
                 error.message);
    free(text);
    return hand;
}

static void expect_strings(const struct ArrowArray *column, int64_t first) {
    const struct ArrowArray *dictionary = column->dictionary;
    const uint8_t *validity = column->buffers[0];
    const int8_t *indexes = column->buffers[1];
    const int32_t *offsets = dictionary->buffers[1];
    const char *text = dictionary->buffers[2];
    cr_assert_eq(dictionary->length, STRINGS);
    cr_assert_eq(offsets[STRINGS], STRINGS * STRING_SIZE);
    for (int64_t i = 0; i < column->length; i++) {
        int64_t row = first + i;
        bool is_there = validity[i / 8] >> i % 8 & 1;
        cr_assert(is_there == (row % 7 != 0));
        if (is_there)
            cr_assert(text[offsets[indexes[i]]] == 'a' + row % STRINGS);
    }
}

Test(stream_dictionary, strings_of_dictionaries_are_not_decoded_for_each_row) {
    enum { MEMORY_MOST = 16 << 20 };
    hand_writer hand = write_strings();
    cr_assert_eq(lam_writer_finish(hand.writer, NULL), LAM_STATUS_OK);
    lam_bytes bytes = hand_bytes(&hand);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options reading = lam_reader_options_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array, first = {0};
    int64_t rows = 0;
    reading.allocator = &allocator;
    options.batch_rows = BATCH_ROWS;
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, &reading);
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    for (;;) {
        cr_assert_eq(stream.get_next(&stream, &array), 0);
        if (array.release == NULL)
            break;
        expect_strings(array.children[0], rows);
        rows += array.length;
        if (first.release == NULL) {
            first = array;
            continue;
        }
        /* Batches of a row group share what they have in common. */
        cr_assert_eq(array.children[0]->dictionary->buffers[2],
                     first.children[0]->dictionary->buffers[2]);
        array.release(&array);
    }
    cr_assert_eq(rows, ROWS);
    stream.release(&stream);
    lam_reader_close(reader);
    expect_strings(first.children[0], 0);
    first.release(&first);
    cr_assert_lt(counter.peak_bytes, (size_t)MEMORY_MOST, "%zu bytes", counter.peak_bytes);
    cr_assert_eq(counter.live_bytes, 0);
    hand_close(&hand);
}
