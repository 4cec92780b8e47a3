/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/arrow.h>
#include <lamella/writer.h>
#include <string.h>

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
    lam_schema *schema;
    lam_writer *writer;
    static const char text[] = "message m { required int32 a; }";
    cr_assert_eq(lam_schema_parse(text, strlen(text), NULL, &schema, NULL), LAM_STATUS_OK);
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_write_stream(writer, &stream, NULL, &error), expected);
    cr_assert_str_eq(error.message, message);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
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
