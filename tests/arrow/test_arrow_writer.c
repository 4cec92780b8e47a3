/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that write arrays refuse what is no stream, no schema or no option. Streams that break
 * their contract here do no harm.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/arrow.h>
#include <lamella/writer.h>
#include <string.h>

#include "arrow/array_source.h"
#include "arrow_text.h"
#include "support/test_file.h"

/* --- Streams that break their contract -------------------------------------------------------- */

static int give_released_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    memset(out, 0, sizeof *out);
    return 0;
}

static int give_nothing(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    (void)out;
    return 0;
}

static int fail(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    (void)out;
    return EIO;
}

static int no_array(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    (void)stream;
    memset(out, 0, sizeof *out);
    return 0;
}

static const char *no_message(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static void refused(int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *),
                    lam_status expected, const char *message) {
    struct ArrowArrayStream stream = {get_schema, no_array, no_message, release, NULL};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_write_file("no such folder/x", &stream, NULL, NULL, &error), expected);
    cr_assert_str_eq(error.message, message);
    lam_test_writer file = lam_test_write("message m { required int32 a; }", NULL);
    cr_assert_eq(lam_arrow_write_stream(file.writer, &stream, NULL, &error), expected);
    cr_assert_str_eq(error.message, message);
    lam_test_drop(&file);
}

Test(arrow_writer, a_stream_that_is_none_is_refused) {
    struct ArrowArrayStream stream = {0};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_write_file("x", NULL, NULL, NULL, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "the Arrow stream is NULL or released");
    cr_assert_eq(lam_arrow_write_file("x", &stream, NULL, NULL, NULL), LAM_STATUS_INVALID);
}

Test(arrow_writer, options_that_are_none_are_refused) {
    lam_array_source source = {.field = NULL};
    lam_arena arena = arrow_arena();
    lam_writer_options writing = lam_writer_options_default();
    lam_error error = lam_error_none();
    source.field = fields_of(&arena, "a:i");
    struct ArrowArrayStream stream = lam_array_source_open(&source);
    writing.struct_size--;
    cr_assert_eq(lam_arrow_write_file("no such folder/x", &stream, &writing, NULL, &error),
                 LAM_STATUS_INVALID);
    stream.release(&stream);
    lam_array_source_close(&source);
    lam_arena_finish(&arena);
}

/* What a writer of the column "a: int32" says to an Arrow schema and options. */
static void create_refused(const char *columns, const lam_arrow_write_options *options,
                           const char *words) {
    struct ArrowSchema schema = schema_of("a:i"), given = schema_of(columns);
    lam_arrow_writer *arrow;
    lam_schema *parquet;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, NULL), LAM_STATUS_OK);
    lam_test_writer file = lam_test_write_as(parquet, NULL);
    cr_assert_eq(lam_arrow_writer_create(file.writer, &given, options, &arrow, &error),
                 LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK, "the writer goes on");
    lam_test_drop(&file);
    lam_schema_destroy(parquet);
    schema.release(&schema);
    given.release(&given);
}

Test(arrow_writer, a_schema_that_the_writer_was_not_made_for_is_refused) {
    create_refused("a?:i", NULL, "the writer's schema is not the one that holds the Arrow schema");
    create_refused("a:i b:i", NULL, "the writer's schema is not the one");
}

Test(arrow_writer, a_switch_is_on_or_off) {
    lam_arrow_write_options options = lam_arrow_write_options_default();
    options.arrow_schema = (lam_switch)77;
    create_refused("a:i", &options, "arrow_schema");
}

/* The release callback of a schema that has none was called. */
Test(arrow_writer, a_stream_that_gives_a_released_schema_is_refused) {
    refused(give_released_schema, LAM_STATUS_INVALID, "the Arrow stream gave no schema");
}

Test(arrow_writer, a_stream_that_forgets_its_schema_is_refused) {
    refused(give_nothing, LAM_STATUS_INVALID, "the Arrow stream gave no schema");
}

Test(arrow_writer, a_stream_may_fail_without_saying_why) {
    refused(fail, LAM_STATUS_IO, "the Arrow stream failed with 5: no reason given");
}
