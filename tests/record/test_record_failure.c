/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All sinks keep the first failure of a record until its end. Each of them is driven through the
 * same mistakes.
 */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/variant.h>
#include <lamella/writer.h>
#include <string.h>

#include "record/record_failure.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

#define SCHEMA "message m { required int32 a; optional group g { required int64 b; } }"

/* A sink of the library with what stands behind it, and how many whole records arrived there. */
typedef struct subject {
    const char *name;
    lam_schema *schema;
    lam_shredder *shredder;
    lam_record_checker *checker;
    lam_variant_assembler *assembler;
    lam_writer *writer;
    lam_record_sink sink;
} subject;

enum { SHREDDER, CHECKER, ASSEMBLER, WRITER, SUBJECTS };

static void take_writer(subject *s) {
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(s->schema, &output, NULL, &s->writer, NULL), LAM_STATUS_OK);
    s->sink = lam_writer_sink(s->writer);
}

static subject start(int which) {
    subject s = {0};
    lam_variant_sink next = {0};
    s.schema = lam_test_parse(SCHEMA);
    cr_assert_eq(lam_shredder_create(s.schema, NULL, &s.shredder, NULL), LAM_STATUS_OK);
    lam_record_sink behind = s.sink = lam_shredder_sink(s.shredder);
    next.records = behind;
    switch (which) {
    case CHECKER:
        s.name = "checker";
        cr_assert_eq(lam_record_checker_create(s.schema, &behind, NULL, &s.checker, NULL),
                     LAM_STATUS_OK);
        s.sink = lam_record_checker_sink(s.checker);
        break;
    case ASSEMBLER:
        s.name = "assembler of VARIANTs";
        cr_assert_eq(
            lam_variant_assembler_create(s.schema, NULL, NULL, &next, NULL, &s.assembler, NULL),
            LAM_STATUS_OK);
        s.sink = lam_variant_assembler_sink(s.assembler);
        break;
    case WRITER:
        s.name = "writer";
        take_writer(&s);
        break;
    default:
        s.name = "shredder";
        break;
    }
    return s;
}

static size_t records_of(const subject *s) {
    return s->writer != NULL ? (size_t)lam_writer_record_count(s->writer)
                             : lam_shredder_record_count(s->shredder);
}

static void stop(subject *s) {
    lam_writer_close(s->writer);
    lam_variant_assembler_destroy(s->assembler);
    lam_record_checker_destroy(s->checker);
    lam_shredder_destroy(s->shredder);
    lam_schema_destroy(s->schema);
}

static lam_error untouched(void) {
    lam_error error;
    memset(&error, 0x5A, sizeof error);
    return error;
}

static bool is_untouched(const lam_error *error) {
    lam_error before = untouched();
    return memcmp(error, &before, sizeof before) == 0;
}

static void put_good_record(const subject *s) {
    lam_error error = lam_error_none();
    lam_begin(&s->sink, NULL);
    lam_put_int32(&s->sink, lam_schema_find(s->schema, "a"), 1, NULL);
    cr_assert_eq(lam_end(&s->sink, &error), LAM_STATUS_OK, "%s: %s", s->name, error.message);
}

Test(record_failure, a_failed_verb_is_reported_at_the_end_and_the_record_is_dropped) {
    for (int which = 0; which < SUBJECTS; which++) {
        subject s = start(which);
        const lam_field *a = lam_schema_find(s.schema, "a"), *g = lam_schema_find(s.schema, "g");
        put_good_record(&s);
        lam_begin(&s.sink, NULL);
        cr_assert_eq(lam_open(&s.sink, a, NULL), LAM_STATUS_INVALID); /* keeps its words as well */
        lam_error error = untouched();
        cr_assert_eq(lam_put_int32(&s.sink, a, 1, &error), LAM_STATUS_INVALID);
        cr_assert_eq(lam_put_double(&s.sink, a, 1, &error), LAM_STATUS_INVALID);
        cr_assert_eq(lam_open(&s.sink, g, &error), LAM_STATUS_INVALID);
        cr_assert_eq(lam_close(&s.sink, g, &error), LAM_STATUS_INVALID);
        cr_assert(is_untouched(&error), "%s", s.name);
        cr_assert_eq(lam_end(&s.sink, &error), LAM_STATUS_INVALID);
        cr_assert_eq(error.status, LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, "a: a leaf opened as a group", "%s", s.name);
        cr_assert_eq(records_of(&s), 1, "%s", s.name);
        put_good_record(&s);
        cr_assert_eq(records_of(&s), 2, "%s", s.name);
        stop(&s);
    }
}

Test(record_failure, a_failure_of_the_driver_is_kept_as_that_of_a_verb) {
    for (int which = 0; which < SUBJECTS; which++) {
        subject s = start(which);
        lam_error mine = lam_error_none(), error = untouched();
        (void)lam_error_set(&mine, LAM_STATUS_LIMIT, "the driver is tired");
        lam_begin(&s.sink, NULL);
        lam_put_int32(&s.sink, lam_schema_find(s.schema, "a"), 1, NULL);
        cr_assert_eq(s.sink.fail(s.sink.state, &mine, NULL), LAM_STATUS_LIMIT);
        (void)lam_error_set(&mine, LAM_STATUS_STATE, "twice");
        cr_assert_eq(s.sink.fail(s.sink.state, &mine, &error), LAM_STATUS_LIMIT);
        cr_assert(is_untouched(&error));
        cr_assert_eq(lam_end(&s.sink, &error), LAM_STATUS_LIMIT);
        cr_assert_str_eq(error.message, "the driver is tired");
        cr_assert_eq(records_of(&s), 0);
        put_good_record(&s);
        cr_assert_eq(records_of(&s), 1);
        stop(&s);
    }
}

Test(record_failure, a_begin_forgets_the_failure_of_a_record_that_was_not_ended) {
    for (int which = 0; which < SUBJECTS; which++) {
        subject s = start(which);
        lam_begin(&s.sink, NULL);
        cr_assert_neq(lam_put_int64(&s.sink, NULL, 1, NULL), LAM_STATUS_OK);
        put_good_record(&s);
        cr_assert_eq(records_of(&s), 1);
        stop(&s);
    }
}

Test(record_failure, a_failing_end_ends_the_record) {
    for (int which = 0; which < SUBJECTS; which++) {
        subject s = start(which);
        lam_error error = lam_error_none();
        lam_begin(&s.sink, NULL);
        cr_assert_eq(lam_end(&s.sink, &error), LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, "a: required, but missing");
        cr_assert_eq(lam_end(&s.sink, &error), LAM_STATUS_STATE, "%s", s.name);
        put_good_record(&s);
        cr_assert_eq(records_of(&s), 1);
        stop(&s);
    }
}

Test(record_failure, verbs_without_a_record_fail_until_one_begins) {
    for (int which = 0; which < SUBJECTS; which++) {
        subject s = start(which);
        lam_error error = lam_error_none();
        cr_assert_eq(lam_put_int32(&s.sink, lam_schema_find(s.schema, "a"), 1, NULL),
                     LAM_STATUS_STATE);
        cr_assert_eq(lam_end(&s.sink, &error), LAM_STATUS_STATE);
        cr_assert_eq(records_of(&s), 0);
        put_good_record(&s);
        stop(&s);
    }
}

Test(record_failure, a_writer_finishes_after_a_failure_before_it_or_behind_it) {
    subject s = start(WRITER);
    lam_record_checker *checker;
    cr_assert_eq(lam_record_checker_create(s.schema, &s.sink, NULL, &checker, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_record_checker_sink(checker);
    put_good_record(&s);
    lam_begin(&sink, NULL);
    cr_assert_neq(lam_put_int64(&sink, lam_schema_find(s.schema, "a"), 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_end(&sink, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_finish(s.writer, NULL), LAM_STATUS_OK); /* no record is left open */
    cr_assert_eq(lam_writer_record_count(s.writer), 1);
    lam_record_checker_destroy(checker);
    stop(&s);
}

static lam_status fail_to_write(void *state, const void *data, size_t size, lam_error *error) {
    size_t *left = state;
    (void)data;
    if (size > *left)
        return lam_error_set(error, LAM_STATUS_IO, "the disk is full");
    *left -= size;
    return LAM_STATUS_OK;
}

static void leave_open(void *state) {
    (void)state;
}

Test(record_failure, a_poisoned_writer_stays_so) {
    size_t left = 4;
    lam_schema *schema;
    lam_writer *writer;
    lam_output output = {&left, fail_to_write, NULL, leave_open};
    lam_writer_options options = lam_writer_options_default();
    lam_error error = lam_error_none();
    options.row_group_rows = 1;
    cr_assert_eq(lam_schema_parse_text("required int32 a;", NULL, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(schema, &output, &options, &writer, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_begin(&sink, NULL);
    lam_put_int32(&sink, lam_schema_leaf(schema, 0), 1, NULL);
    cr_assert_eq(lam_end(&sink, &error), LAM_STATUS_IO);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_begin(&sink, NULL), LAM_STATUS_STATE);
        cr_assert_eq(lam_put_int32(&sink, lam_schema_leaf(schema, 0), 1, NULL), LAM_STATUS_STATE);
        cr_assert_eq(lam_end(&sink, &error), LAM_STATUS_STATE);
        cr_assert_str_eq(error.message, "the writer failed before: the disk is full");
    }
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_STATE);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
}

Test(record_failure, a_receiver_that_fails_without_words_gets_some) {
    lam_record_failure failure;
    lam_error error = lam_error_none();
    lam_record_failure_init(&failure);
    cr_assert_eq(lam_record_failure_keep(&failure, LAM_STATUS_IO, &error), LAM_STATUS_IO);
    cr_assert_eq(error.status, LAM_STATUS_IO);
    cr_assert_neq(error.message[0], '\0');
    cr_assert_eq(lam_record_failure_end(&failure, NULL), LAM_STATUS_IO);
    cr_assert_eq(lam_record_failure_end(&failure, &error), LAM_STATUS_OK);
}

static lam_status count_failure(void *state, const lam_error *failure, lam_error *error) {
    (void)error;
    *(int *)state += 1;
    return failure->status;
}

static lam_status count_end(void *state, lam_error *error) {
    (void)error;
    *(int *)state += 100;
    return LAM_STATUS_OK;
}

/* A sink without `fail` has seen no failure, and one without `end` needs none. */
Test(record_failure, a_failed_record_is_ended_where_the_failure_was_heard) {
    int calls = 0;
    lam_error failure = lam_error_none();
    failure.status = LAM_STATUS_LIMIT;
    lam_record_sink hears = {.state = &calls, .fail = count_failure};
    lam_record_sink ends = {.state = &calls, .end = count_end};
    lam_record_sink_fail(&hears, &failure);
    lam_record_sink_end_failed(&hears);
    cr_assert_eq(calls, 1);
    lam_record_sink_fail(&ends, &failure);
    lam_record_sink_end_failed(&ends);
    cr_assert_eq(calls, 1);
    ends.fail = count_failure;
    lam_record_sink_fail(&ends, &failure);
    lam_record_sink_end_failed(&ends);
    cr_assert_eq(calls, 102);
}

Test(record_failure, a_failure_that_says_ok_is_one_all_the_same) {
    lam_record_failure failure;
    lam_error given = lam_error_none(), error = lam_error_none();
    lam_record_failure_init(&failure);
    cr_assert_eq(lam_record_failure_take(&failure, &given, &error), LAM_STATUS_INVALID);
    cr_assert_eq(error.status, LAM_STATUS_INVALID);
    cr_assert_eq(lam_record_failure_end(&failure, &error), LAM_STATUS_INVALID);
}

Test(record_failure, no_sink_is_made_of_no_schema) {
    lam_error error = lam_error_none();
    lam_record_sink behind = lam_record_sink_of_nobody();
    lam_shredder *shredder = NULL;
    lam_record_checker *checker = NULL;
    lam_automaton *automaton = NULL;
    cr_assert_eq(lam_shredder_create(NULL, NULL, &shredder, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no schema (NULL)");
    cr_assert_eq(lam_record_checker_create(NULL, &behind, NULL, &checker, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_automaton_create(NULL, NULL, NULL, &automaton, NULL), LAM_STATUS_INVALID);
    cr_assert(shredder == NULL && checker == NULL && automaton == NULL);
}
