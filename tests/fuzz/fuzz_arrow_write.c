/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow arrays to a file: random ones of random schemas, right as they are made or with numbers
 * forged (array_forge.h). What is taken comes back row by row, as records, or as arrays, and these
 * make the same file; what is refused is told with the field's name, and leaves no trace in the
 * file that goes on. An input takes one of these ways, so that many can be tried in little time.
 *
 *     u64 seed of schema and values  u8 choice  u8 rows  u8 slice rows  forgeries of 6 bytes ...
 */
#include <lamella/arrow.h>
#include <lamella/column.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdlib.h>

#include "arrow/array_flaw.h"
#include "arrow/array_rows.h"
#include "arrow/array_source.h"
#include "arrow/random_arrays.h"
#include "fuzz/array_forge.h"
#include "fuzz/harness.h"

/* Bits of the choice. */
enum {
    DEPTH_BITS = 3,
    SHIFTED = 4,
    SMALL_PAGES = 8,
    SMALL_GROUPS = 16,
    NO_ARROW_SCHEMA = 32,
    BACK_AS_ROWS = 64, /* otherwise as arrays */
    GO_ON = 128        /* with the right array, when the forged one is refused */
};
enum { ROWS_MOST = 36, FORGERIES_MOST = 8, VERBS_MOST = 1000000 };

typedef struct write_trial {
    lam_allocator allocator;
    lam_arena arena;
    unsigned choice;
    int64_t slice_rows;
    lam_arrow_field field;
    struct ArrowArray *array;
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
} write_trial;

static void start(write_trial *trial, lam_fuzz_input *input) {
    lam_random random = lam_random_start(lam_fuzz_number(input, 8));
    trial->allocator = lam_fuzz_allocator();
    lam_arena_init(&trial->arena, &trial->allocator, 0);
    trial->choice = (unsigned)lam_fuzz_number(input, 1);
    int64_t rows = (int64_t)(lam_fuzz_number(input, 1) % ROWS_MOST);
    trial->slice_rows = 1 + (int64_t)(lam_fuzz_number(input, 1) % ROWS_MOST);
    trial->field = lam_random_columns(&random, &trial->arena, trial->choice & DEPTH_BITS);
    trial->array = lam_random_array(&random, &trial->arena, &trial->field, (size_t)rows, NULL);
    trial->array->length = rows;
    LAM_FUZZ_OK(
        lam_arrow_field_export(&trial->field, &trial->allocator, &trial->arrow_schema, &fault));
    LAM_FUZZ_OK(
        lam_arrow_import_schema(&trial->arrow_schema, &trial->allocator, &trial->schema, &fault));
}

static void stop(write_trial *trial) {
    trial->arrow_schema.release(&trial->arrow_schema);
    lam_schema_destroy(trial->schema);
    lam_arena_finish(&trial->arena);
}

/* --- Writing ------------------------------------------------------------------------------- */

typedef struct open_file {
    lam_output output;
    lam_writer *writer;
} open_file;

static lam_arrow_write_options arrow_options(const write_trial *trial) {
    lam_arrow_write_options options = lam_arrow_write_options_default();
    options.arrow_schema = (trial->choice & NO_ARROW_SCHEMA) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return options;
}

static open_file open_writer(const write_trial *trial) {
    open_file file;
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &trial->allocator;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.page_rows = trial->choice & SMALL_PAGES ? 5 : 0;
    options.row_group_rows = trial->choice & SMALL_GROUPS ? 17 : 0;
    LAM_FUZZ_OK(lam_output_memory(&trial->allocator, &file.output, &fault));
    lam_output lent = file.output;
    lent.close = NULL;
    LAM_FUZZ_OK(lam_writer_open(trial->schema, &lent, &options, &file.writer, &fault));
    return file;
}

static lam_bytes finish_writer(open_file *file) {
    LAM_FUZZ_OK(lam_writer_finish(file->writer, &fault));
    lam_writer_close(file->writer);
    return lam_output_memory_bytes(&file->output);
}

static open_file write_stream(const write_trial *trial, struct ArrowArrayStream *stream,
                              lam_bytes *ret_bytes) {
    open_file file = open_writer(trial);
    lam_arrow_write_options options = arrow_options(trial);
    LAM_FUZZ_OK(lam_arrow_write_stream(file.writer, stream, &options, &fault));
    *ret_bytes = finish_writer(&file);
    return file;
}

static open_file write_slices(const write_trial *trial, const struct ArrowArray *array,
                              lam_bytes *ret_bytes) {
    lam_array_source source = {
        .field = &trial->field, .array = array, .slice_rows = trial->slice_rows};
    struct ArrowArrayStream stream = lam_array_source_open(&source);
    open_file file = write_stream(trial, &stream, ret_bytes);
    stream.release(&stream);
    LAM_FUZZ_EXPECT(lam_array_source_is_released(&source));
    lam_array_source_close(&source);
    return file;
}

static void expect_same(lam_bytes a, lam_bytes b) {
    LAM_FUZZ_EXPECT(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
}

/* --- Reading back -------------------------------------------------------------------------- */

/* The rows of the file are those of the array. */
static void expect_rows(const write_trial *trial, const lam_reader *reader,
                        const struct ArrowArray *array) {
    lam_fuzz_sink wanted = {.verbs_left = VERBS_MOST}, found = {.verbs_left = UINT64_MAX};
    lam_record_sink wanted_verbs = lam_fuzz_sink_verbs(&wanted);
    lam_record_sink found_verbs = lam_fuzz_sink_verbs(&found);
    lam_record_reader *records;
    uint64_t count;
    const lam_schema *schema = lam_reader_schema(reader);
    if (lam_drive_rows(schema, &trial->field, array, &wanted_verbs, NULL) != LAM_STATUS_OK)
        return; /* too many of them */
    LAM_FUZZ_OK(lam_record_reader_open(reader, NULL, &records, &fault));
    LAM_FUZZ_OK(lam_record_reader_read(records, &found_verbs, UINT64_MAX, &count, &fault));
    lam_record_reader_close(records);
    LAM_FUZZ_EXPECT(count == (uint64_t)array->length);
    LAM_FUZZ_EXPECT(found.records == wanted.records && found.hash == wanted.hash);
}

/* A stream that looks at each array on its way. */
typedef struct watched_stream {
    struct ArrowArrayStream inner;
    lam_arrow_field field;
    int64_t rows;
} watched_stream;

static int watch_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    watched_stream *watched = stream->private_data;
    return watched->inner.get_schema(&watched->inner, out);
}

static int watch_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    watched_stream *watched = stream->private_data;
    int code = watched->inner.get_next(&watched->inner, out);
    LAM_FUZZ_EXPECT(code == 0);
    if (out->release != NULL) {
        LAM_FUZZ_EXPECT(lam_array_flaw(&watched->field, out) == NULL);
        watched->rows += out->length;
    }
    return code;
}

static const char *watch_error(struct ArrowArrayStream *stream) {
    watched_stream *watched = stream->private_data;
    return watched->inner.get_last_error(&watched->inner);
}

static void watch_release(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

/* The arrays that the file gives are right, and make the same file again. */
static void expect_arrays(write_trial *trial, const lam_reader *reader, lam_bytes bytes,
                          int64_t rows) {
    watched_stream watched = {.rows = 0};
    struct ArrowArrayStream stream = {watch_schema, watch_next, watch_error, watch_release,
                                      &watched};
    struct ArrowSchema schema;
    lam_bytes again;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.batch_rows = (uint64_t)trial->slice_rows;
    LAM_FUZZ_OK(lam_arrow_read_stream(reader, &options, &watched.inner, &fault));
    LAM_FUZZ_EXPECT(watched.inner.get_schema(&watched.inner, &schema) == 0);
    LAM_FUZZ_OK(lam_arrow_field_import(&schema, &trial->arena, &watched.field, &fault));
    schema.release(&schema);
    open_file file = write_stream(trial, &stream, &again);
    watched.inner.release(&watched.inner);
    LAM_FUZZ_EXPECT(watched.rows == rows);
    expect_same(bytes, again);
    lam_output_close(&file.output);
}

static void expect_back(write_trial *trial, const struct ArrowArray *array, lam_bytes bytes) {
    lam_reader *reader;
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &trial->allocator;
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &reader, &fault));
    if (trial->choice & BACK_AS_ROWS)
        expect_rows(trial, reader, array);
    else
        expect_arrays(trial, reader, bytes, array->length);
    lam_reader_close(reader);
}

/* --- Right ones and forged ones ------------------------------------------------------------ */

static bool names_a_field(const char *message) {
    return strncmp(message, "array: ", 7) == 0 ||
           (message[0] == 'c' && message[1] >= '0' && message[1] <= '3');
}

/* The right array, in slices. */
static open_file write_right(const write_trial *trial, lam_bytes *ret_bytes) {
    lam_forged_array copy;
    lam_forged_array_init(&copy, &trial->field, trial->array, false, trial->choice & SHIFTED);
    open_file file = write_slices(trial, copy.nodes[0].array, ret_bytes);
    lam_forged_array_finish(&copy);
    return file;
}

/* An array that is refused leaves no trace: the right one makes its usual file. */
static void expect_usual(const write_trial *trial, open_file *file) {
    lam_bytes usual, bytes = finish_writer(file);
    open_file right = write_right(trial, &usual);
    expect_same(bytes, usual);
    lam_output_close(&right.output);
}

static void write_forged(write_trial *trial, const struct ArrowArray *forged) {
    lam_arrow_writer *arrow;
    open_file file = open_writer(trial);
    lam_arrow_write_options options = arrow_options(trial);
    lam_error error = lam_error_none();
    LAM_FUZZ_OK(
        lam_arrow_writer_create(file.writer, &trial->arrow_schema, &options, &arrow, &fault));
    lam_status status = lam_arrow_write_array(arrow, forged, &error);
    bool is_taken = lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER);
    bool goes_on = !is_taken && (trial->choice & GO_ON);
    LAM_FUZZ_EXPECT(is_taken || names_a_field(error.message));
    if (goes_on)
        LAM_FUZZ_OK(lam_arrow_write_array(arrow, trial->array, &fault));
    lam_arrow_writer_destroy(arrow);
    if (is_taken)
        expect_back(trial, forged, finish_writer(&file));
    else if (goes_on)
        expect_usual(trial, &file);
    else
        lam_writer_close(file.writer);
    lam_output_close(&file.output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    write_trial trial;
    lam_bytes bytes;
    start(&trial, &input);
    if (input.left == 0) {
        open_file file = write_right(&trial, &bytes);
        expect_back(&trial, trial.array, bytes);
        lam_output_close(&file.output);
    } else {
        lam_forged_array forged;
        lam_forged_array_init(&forged, &trial.field, trial.array, true, trial.choice & SHIFTED);
        for (int i = 0; i < FORGERIES_MOST && input.left > 0; i++)
            lam_forge(&forged, &input);
        write_forged(&trial, forged.nodes[0].array);
        lam_forged_array_finish(&forged);
    }
    stop(&trial);
    lam_fuzz_expect_no_leak();
    return 0;
}
