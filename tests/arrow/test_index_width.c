/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries of arrays are those of their batches, those of a file are of row groups: together
 * they may have more values than the indexes of the arrays could number.
 */
#include "arrow/array/index_width.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/hand_arrays.h"
#include "arrow/plan_reads.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

/* Words come again, so that a dictionary is worth its page. */
enum { WORD_SIZE = 4, WORDS_MOST = 70000, TIMES = 6, ROWS_MOST = TIMES * 33000 };

/* All words, of which each array has the next ones as its dictionary, and indexes of its rows. */
typedef struct word_source {
    char text[WORDS_MOST * WORD_SIZE + 1];
    int32_t offsets[WORDS_MOST + 1];
    uint16_t indexes[ROWS_MOST];
    uint8_t short_indexes[ROWS_MOST];
} word_source;

static word_source words;

/* Row i of an array is its word i % count. */
static void make_words(int64_t count) {
    for (int32_t i = 0; i < WORDS_MOST; i++) {
        char word[WORD_SIZE + 1];
        snprintf(word, sizeof word, "%c%c%c%c", 'a' + i / 17576 % 26, 'a' + i / 676 % 26,
                 'a' + i / 26 % 26, 'a' + i % 26);
        memcpy(words.text + i * WORD_SIZE, word, WORD_SIZE);
        words.offsets[i + 1] = (i + 1) * WORD_SIZE;
    }
    for (int64_t i = 0; i < TIMES * count; i++) {
        words.indexes[i] = (uint16_t)(i % count);
        words.short_indexes[i] = (uint8_t)(i % count);
    }
}

typedef struct word_file {
    lam_buffer bytes;
    lam_schema *schema;
} word_file;

/* Writes `arrays` arrays of `count` words, each TIMES times, as one column. */
static word_file write_words(const char *columns, size_t arrays, int64_t count,
                             const lam_writer_options *options) {
    word_file file;
    struct ArrowSchema schema = schema_of(columns);
    lam_arrow_writer *arrow;
    lam_error error = lam_error_none();
    bool is_short = strchr(columns, 'c') != NULL || strchr(columns, 'C') != NULL;
    lam_writer_options writing = options != NULL ? *options : lam_writer_options_default();
    writing.delta = LAM_SWITCH_OFF; /* so that dictionaries are what is smaller */
    make_words(count);
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &file.schema, NULL), LAM_STATUS_OK);
    lam_test_writer made = lam_test_write_as(file.schema, &writing);
    cr_assert_eq(lam_arrow_writer_create(made.writer, &schema, NULL, &arrow, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < arrays; i++) {
        hand_array dictionary = HAND(count, 3, NULL, words.offsets + i * (size_t)count, words.text);
        hand_array column =
            HAND(TIMES * count, 2, NULL,
                 is_short ? (const void *)words.short_indexes : (const void *)words.indexes);
        hand_array root = hand_root();
        column.array.dictionary = hand_at(&dictionary);
        hand_adopt(&root, &column);
        root.array.length = TIMES * count;
        cr_assert_eq(lam_arrow_write_array(arrow, hand_at(&root), &error), LAM_STATUS_OK, "%s",
                     error.message);
    }
    lam_arrow_writer_destroy(arrow);
    file.bytes = lam_test_written(&made);
    schema.release(&schema);
    return file;
}

static lam_reader *open_words(const word_file *file, const lam_allocator *allocator) {
    return lam_test_open(file->bytes.data, file->bytes.size,
                         LAM_TEST_READER(.allocator = allocator));
}

static void close_words(word_file *file) {
    lam_buffer_finish(&file->bytes);
    lam_schema_destroy(file->schema);
}

/* The one column as it comes back. */
static lam_arrow_field field_of(const lam_reader *reader, lam_arena *arena) {
    struct ArrowSchema schema;
    lam_arrow_field field;
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_field_import(&schema, arena, &field, NULL), LAM_STATUS_OK);
    schema.release(&schema);
    return field;
}

static size_t index_at(const lam_arrow_field *field, const struct ArrowArray *column, int64_t row) {
    const void *indexes = column->buffers[1];
    switch (field->children[0].index_kind) {
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
        return ((const uint8_t *)indexes)[row];
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
        return ((const uint16_t *)indexes)[row];
    default:
        return ((const uint32_t *)indexes)[row];
    }
}

/* Reads all. `count` is that of write_words. */
static void read_words(const lam_reader *reader, uint64_t batch_rows, int64_t count, int64_t rows) {
    lam_arena arena = arrow_arena();
    lam_arrow_field field = field_of(reader, &arena);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray first = {0}, array;
    int64_t done = 0;
    int code;
    options.batch_rows = batch_rows;
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        const char *flaw = lam_array_flaw(&field, &array);
        cr_assert_null(flaw, "%s", flaw);
        const struct ArrowArray *column = array.children[0];
        for (int64_t i = 0; i < array.length; i++) {
            int64_t at =
                ((const int32_t *)column->dictionary->buffers[1])[index_at(&field, column, i)];
            int64_t word = (done + i) / (TIMES * count) * count + (done + i) % count;
            cr_assert(memcmp((const char *)column->dictionary->buffers[2] + at,
                             words.text + word * WORD_SIZE, WORD_SIZE) == 0);
        }
        done += array.length;
        if (first.release == NULL)
            first = array;
        else
            array.release(&array);
    }
    if (first.release != NULL) { /* what came behind has not changed it */
        cr_assert_null(lam_array_flaw(&field, &first));
        cr_assert_arr_eq(first.children[0]->dictionary->buffers[2], words.text, WORD_SIZE);
        first.release(&first);
    }
    cr_assert_eq(code, 0, "%s", stream.get_last_error(&stream));
    cr_assert_eq(done, rows);
    stream.release(&stream);
    lam_arena_finish(&arena);
}

static void expect_words(const char *columns, size_t arrays, int64_t count,
                         const lam_writer_options *options, lam_arrow_kind kind) {
    static const uint64_t batches[] = {0, 7000, 33};
    word_file file = write_words(columns, arrays, count, options);
    lam_reader *reader = open_words(&file, NULL);
    lam_arena arena = arrow_arena();
    lam_arrow_field field = field_of(reader, &arena);
    cr_assert_eq(field.children[0].index_kind, kind, "%s, %zu arrays of %lld: %s", columns, arrays,
                 (long long)count, lam_arrow_kind_name(field.children[0].index_kind));
    for (size_t i = 0; i < (count < 1000 ? 3 : 2); i++)
        read_words(reader, batches[i], count, (int64_t)arrays * TIMES * count);
    lam_arena_finish(&arena);
    lam_reader_close(reader);
    close_words(&file);
}

/* Such a file could not be read: 300 values had indexes of 8 bits. */
Test(index_width, indexes_are_as_wide_as_the_dictionaries_of_all_row_groups_need) {
    expect_words("a:{c}u", 1, 128, NULL, LAM_ARROW_INT8);
    expect_words("a:{c}u", 2, 65, NULL, LAM_ARROW_INT32);
    expect_words("a:{C}u", 2, 128, NULL, LAM_ARROW_UINT8);
    expect_words("a:{C}u", 3, 100, NULL, LAM_ARROW_INT32);
    expect_words("a:{s}u", 2, 16384, NULL, LAM_ARROW_INT16);
    expect_words("a:{s}u", 3, 11000, NULL, LAM_ARROW_INT32);
    expect_words("a:{S}u", 2, 32768, NULL, LAM_ARROW_UINT16);
}

Test(index_width, each_row_group_has_a_dictionary_of_its_own) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = TIMES * 100;
    expect_words("a:{c}u", 3, 100, &options, LAM_ARROW_INT8);
    options.row_group_rows = TIMES * 100 + 29; /* the first has one too many */
    expect_words("a:{c}u", 3, 100, &options, LAM_ARROW_INT32);
}

/* Nothing but reading them tells how many values pages without dictionary have. */
Test(index_width, values_without_dictionary_may_be_more_than_can_be_numbered) {
    lam_writer_options options = lam_writer_options_default();
    options.dictionary = LAM_SWITCH_OFF;
    expect_words("a:{c}u", 1, 128, &options, LAM_ARROW_INT8);
    expect_words("a:{c}u", 3, 100, &options, LAM_ARROW_INT8);
    options.row_group_rows = TIMES * 100;
    expect_words("a:{c}u", 3, 100, &options, LAM_ARROW_INT8);
    /* A dictionary that ends early, and plain pages behind it. */
    options = lam_writer_options_default();
    options.dictionary_bytes = 400;
    options.page_rows = 20;
    expect_words("a:{c}u", 1, 120, &options, LAM_ARROW_INT8);
    expect_words("a:{s}u", 3, 100, &options, LAM_ARROW_INT16);
}

Test(index_width, any_allocation_may_fail) {
    word_file file = write_words("a:{c}u", 3, 100, NULL);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader *reader = open_words(&file, &allocator);
        lam_arrow_plan plan;
        counter.fail_at = counter.requests + n;
        status = lam_arrow_plan_read(&plan, reader, NULL, &allocator, NULL);
        cr_assert_eq(status, counter.requests < counter.fail_at ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK) {
            cr_assert_eq(plan.schema.children[0].index_kind, LAM_ARROW_INT32);
            lam_arrow_plan_finish(&plan);
        }
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    close_words(&file);
}

static void expect_int32(const lam_arrow_plan *plan) {
    cr_assert_eq(plan->schema.children[0].index_kind, LAM_ARROW_INT32);
}

/* Damage of the file is left for those who read it; a failure of the machine is told. */
Test(index_width, any_read_may_fail) {
    word_file file = write_words("a:{c}u", 3, 100, NULL);
    lam_plan_reads_fail(lam_buffer_bytes(&file.bytes), expect_int32);
    close_words(&file);
}
