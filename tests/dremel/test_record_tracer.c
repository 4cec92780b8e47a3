/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/paper.h"
#include "support/failing_alloc.h"

static char text[4000];

static void print_to(void *state, const char *line, size_t size) {
    (void)state;
    strncat(text, line, size);
}

static lam_record_tracer *create(const lam_record_sink *next) {
    static const lam_record_sink nobody = {0};
    lam_record_tracer *tracer;
    text[0] = '\0';
    cr_assert_eq(lam_record_tracer_create(print_to, NULL, next != NULL ? next : &nobody, NULL,
                                          &tracer, NULL),
                 LAM_STATUS_OK);
    return tracer;
}

Test(record_tracer, each_event_is_a_line) {
    lam_schema *schema = lam_paper_schema();
    lam_record_tracer *tracer = create(NULL);
    lam_record_sink sink = lam_record_tracer_sink(tracer);
    cr_assert_eq(lam_paper_record(schema, 1, &sink, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(text, "begin\n"
                           "  put DocId 20\n"
                           "  open Links\n"
                           "    put Backward 10\n"
                           "    put Backward 30\n"
                           "    put Forward 80\n"
                           "  close Links\n"
                           "  open Name\n"
                           "    put Url \"http://C\"\n"
                           "  close Name\n"
                           "end\n");
    lam_record_tracer_destroy(tracer);
    lam_schema_destroy(schema);
}

Test(record_tracer, every_event_is_passed_on) {
    lam_schema *schema = lam_paper_schema();
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink next = lam_shredder_sink(shredder);
    lam_record_tracer *tracer = create(&next);
    lam_record_sink sink = lam_record_tracer_sink(tracer);
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_shredder_record_count(shredder), 1);
    cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_STATE);
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, NULL, lam_paper_number(1), NULL), LAM_STATUS_INVALID);
    lam_record_tracer_destroy(tracer);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(schema);
}

/* The line of one value of a leaf. */
static const char *line(lam_physical_type type, const lam_field_options *options, lam_value value) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_schema_builder_add_leaf(builder, "x", LAM_REPETITION_REQUIRED, type, options, NULL),
        LAM_STATUS_OK);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_record_tracer *tracer = create(NULL);
    lam_record_sink sink = lam_record_tracer_sink(tracer);
    cr_assert_eq(sink.put(sink.state, lam_schema_leaf(schema, 0), value, NULL), LAM_STATUS_OK);
    lam_record_tracer_destroy(tracer);
    lam_schema_destroy(schema);
    return text;
}

Test(record_tracer, numbers_are_shown_as_they_are_stored) {
    lam_value value = {.boolean = true};
    cr_assert_str_eq(line(LAM_PHYSICAL_BOOLEAN, NULL, value), "  put x true\n");
    value = (lam_value){.int32 = -5};
    cr_assert_str_eq(line(LAM_PHYSICAL_INT32, NULL, value), "  put x -5\n");
    value = (lam_value){.int64 = INT64_MIN};
    cr_assert_str_eq(line(LAM_PHYSICAL_INT64, NULL, value), "  put x -9223372036854775808\n");
    lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_INTEGER, .bit_width = 32}};
    value = (lam_value){.int32 = -1};
    cr_assert_str_eq(line(LAM_PHYSICAL_INT32, &options, value), "  put x 4294967295\n");
    options.logical_type.bit_width = 64;
    value = (lam_value){.int64 = -1};
    cr_assert_str_eq(line(LAM_PHYSICAL_INT64, &options, value), "  put x 18446744073709551615\n");
}

Test(record_tracer, reals_are_short_and_read_back_equal) {
    lam_value value = {.float32 = 0.1f};
    cr_assert_str_eq(line(LAM_PHYSICAL_FLOAT, NULL, value), "  put x 0.1\n");
    value = (lam_value){.float64 = 0.1};
    cr_assert_str_eq(line(LAM_PHYSICAL_DOUBLE, NULL, value), "  put x 0.1\n");
    value = (lam_value){.float64 = 0.1 + 0.2};
    cr_assert_str_eq(line(LAM_PHYSICAL_DOUBLE, NULL, value), "  put x 0.30000000000000004\n");
    value = (lam_value){.float64 = (double)NAN};
    cr_assert_not_null(strstr(line(LAM_PHYSICAL_DOUBLE, NULL, value), "nan\n"));
    value = (lam_value){.float64 = -INFINITY};
    cr_assert_str_eq(line(LAM_PHYSICAL_DOUBLE, NULL, value), "  put x -inf\n");
}

Test(record_tracer, text_is_quoted_and_other_bytes_are_hexadecimal) {
    lam_field_options string = {.logical_type = {.kind = LAM_LOGICAL_STRING}};
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text("a\"\\\n\xC3\xA4")),
                     "  put x \"a\\\"\\\\\\n\xC3\xA4\"\n");
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text("a\xFF")),
                     "  put x 0x61ff\n");
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, NULL, lam_paper_text("ab")), "  put x 0x6162\n");
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text("\x7F~")),
                     "  put x \"\\u007f~\"\n");
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text("")), "  put x \"\"\n");
}

Test(record_tracer, long_bytes_are_cut_between_characters) {
    lam_field_options string = {.logical_type = {.kind = LAM_LOGICAL_STRING}};
    char stars[101] = {0};
    memset(stars, '*', 100);
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text(stars)),
                     "  put x \"****************************************************************\""
                     "... (100 bytes)\n");
    memcpy(stars + 63, "\xC3\xA4", 2);
    cr_assert_str_eq(line(LAM_PHYSICAL_BYTE_ARRAY, &string, lam_paper_text(stars)),
                     "  put x \"***************************************************************\""
                     "... (100 bytes)\n");
}

Test(record_tracer, no_memory_is_an_error_without_a_leak) {
    lam_schema *schema = lam_paper_schema();
    lam_record_sink nobody = {0};
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_record_tracer *tracer = NULL;
        text[0] = '\0';
        lam_status status =
            lam_record_tracer_create(print_to, NULL, &nobody, &allocator, &tracer, NULL);
        if (status == LAM_STATUS_OK) {
            lam_record_sink sink = lam_record_tracer_sink(tracer);
            status = lam_paper_record(schema, 0, &sink, NULL);
        }
        lam_record_tracer_destroy(tracer);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 100);
    }
    lam_schema_destroy(schema);
}

Test(record_tracer, what_has_no_value_to_show_is_a_line_all_the_same) {
    lam_schema *schema = lam_paper_schema();
    lam_record_tracer *tracer = create(NULL);
    lam_record_sink sink = lam_record_tracer_sink(tracer);
    lam_value nothing = {.bytes = {NULL, 3}};
    cr_assert_eq(sink.put(sink.state, NULL, nothing, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, lam_schema_find(schema, "Links"), nothing, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, lam_schema_find(schema, "Name.Url"), nothing, NULL),
                 LAM_STATUS_OK);
    nothing.bytes.size = 0;
    cr_assert_eq(sink.put(sink.state, lam_schema_find(schema, "Name.Url"), nothing, NULL),
                 LAM_STATUS_OK);
    cr_assert_str_eq(text, "put\n  put Links\n    put Url NULL\n    put Url \"\"\n");
    lam_record_tracer_destroy(tracer);
    lam_schema_destroy(schema);
}

/* One event of a tracer that has seen no other, with request `fail_at` refused. */
static lam_status trace_one(const lam_field *field, char verb, lam_value value, size_t fail_at) {
    static const lam_record_sink nobody = {0};
    lam_failing_alloc counter = {.fail_at = fail_at};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_record_tracer *tracer = NULL;
    text[0] = '\0';
    lam_status status =
        lam_record_tracer_create(print_to, NULL, &nobody, &allocator, &tracer, &error);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_record_tracer_sink(tracer);
        status = verb == 'o'   ? sink.open(sink.state, field, &error)
                 : verb == 'c' ? sink.close(sink.state, field, &error)
                               : sink.put(sink.state, field, value, &error);
        if (status != LAM_STATUS_OK)
            cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_NOMEM);
    }
    lam_record_tracer_destroy(tracer);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(error.status, status);
    return status;
}

/* The line begins with memory for 64 bytes, and grows at each of its parts in turn. */
static void expect_whole_lines_or_none(const lam_field *field, char verb, const char *bytes) {
    lam_value value = lam_paper_text(bytes);
    for (size_t fail_at = 1;; fail_at++) {
        lam_status status = trace_one(field, verb, value, fail_at);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_str_eq(text, "");
        cr_assert_lt(fail_at, 10);
    }
    size_t size = strlen(text);
    cr_assert_geq(size, 64);
    cr_assert_eq(text[size - 1], '\n');
}

Test(record_tracer, a_line_that_has_no_memory_is_not_printed) {
    for (int letters = 55; letters < 64; letters++) {
        char name[64], fields[200];
        lam_schema *schema;
        memset(name, 'n', sizeof name);
        snprintf(fields, sizeof fields, "optional binary %.*s (STRING); optional binary %.*sx;",
                 letters, name, letters - 1, name);
        cr_assert_eq(lam_schema_parse_text(fields, NULL, &schema, NULL), LAM_STATUS_OK);
        expect_whole_lines_or_none(lam_schema_leaf(schema, 0), 'p', "a\"");
        expect_whole_lines_or_none(lam_schema_leaf(schema, 1), 'p', "a\"");
        lam_schema_destroy(schema);
    }
}

Test(record_tracer, a_deep_line_that_has_no_memory_is_not_printed) {
    enum { DEPTH = 40 };
    char fields[DEPTH * 30] = "";
    lam_schema *schema;
    for (int i = 0; i < DEPTH; i++)
        strcat(fields, "optional group g {");
    strcat(fields, "optional int32 a;");
    for (int i = 0; i < DEPTH; i++)
        strcat(fields, "}");
    cr_assert_eq(lam_schema_parse_text(fields, NULL, &schema, NULL), LAM_STATUS_OK);
    for (size_t depth = 29; depth < DEPTH; depth++) {
        expect_whole_lines_or_none(lam_schema_field(schema, depth), 'o', "");
        expect_whole_lines_or_none(lam_schema_field(schema, depth), 'c', "");
    }
    lam_schema_destroy(schema);
}
