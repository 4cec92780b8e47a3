/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checker in front of a sink passes what is right, and refuses what the shredder would refuse.
 */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <string.h>

#include "reference/paper.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_record_checker *checker;
static lam_record_sink sink;

static void start_with(const lam_record_sink *next) {
    schema = lam_paper_schema();
    cr_assert_eq(lam_record_checker_create(schema, next, NULL, &checker, NULL), LAM_STATUS_OK);
    sink = lam_record_checker_sink(checker);
}

static void start(void) {
    lam_record_sink nobody = {0};
    start_with(&nobody);
}

static void finish(void) {
    lam_record_checker_destroy(checker);
    lam_schema_destroy(schema);
}

TestSuite(record_checker, .init = start, .fini = finish);

static const lam_field *field(const char *path) {
    return lam_schema_find(schema, path);
}

static void expect(lam_status got, lam_status want, const lam_error *error, const char *words) {
    cr_assert_eq(got, want, "%s", lam_status_name(got));
    cr_assert_not_null(strstr(error->message, words), "'%s' lacks '%s'", error->message, words);
}

Test(record_checker, the_paper_s_records_pass) {
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_paper_record(schema, 1, &sink, NULL), LAM_STATUS_OK);
}

Test(record_checker, elements_of_a_field_stay_together) {
    lam_error error = lam_error_none();
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Links"), NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(sink.put(sink.state, field("Links.Forward"), lam_paper_number(1), NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, field("Links.Backward"), lam_paper_number(1), NULL),
                 LAM_STATUS_OK);
    expect(sink.put(sink.state, field("Links.Forward"), lam_paper_number(1), &error),
           LAM_STATUS_INVALID, &error, "Links.Forward: its elements are separated by Backward");
    cr_assert_eq(error.column, 2);
}

Test(record_checker, a_group_s_elements_stay_together) {
    lam_error error = lam_error_none();
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.close(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.close(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, field("DocId"), lam_paper_number(1), NULL), LAM_STATUS_OK);
    expect(sink.open(sink.state, field("Name"), &error), LAM_STATUS_INVALID, &error,
           "Name: its elements are separated");
}

Test(record_checker, structure_is_checked_as_the_shredder_does) {
    lam_error error = lam_error_none();
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    expect(sink.end(sink.state, &error), LAM_STATUS_INVALID, &error, "DocId: required");
    expect(sink.end(sink.state, &error), LAM_STATUS_STATE, &error, "outside of a record");
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    expect(sink.open(sink.state, field("Name.Language"), &error), LAM_STATUS_INVALID, &error,
           "does not belong to Document");
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    expect(sink.put(sink.state, NULL, lam_paper_number(1), &error), LAM_STATUS_INVALID, &error,
           "no such field");
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Name.Language"), NULL), LAM_STATUS_OK);
    expect(sink.close(sink.state, field("Name"), &error), LAM_STATUS_STATE, &error,
           "Name: closed while Language is open");
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    expect(sink.close(sink.state, field(""), &error), LAM_STATUS_STATE, &error, "closed while");
}

Test(record_checker, a_value_is_held_to_its_type) {
    lam_error error = lam_error_none();
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.open(sink.state, field("Name"), NULL), LAM_STATUS_OK);
    expect(sink.put(sink.state, field("Name.Url"), lam_paper_text("http\xFF"), &error),
           LAM_STATUS_INVALID, &error, "Name.Url: byte 4 of 5 is not UTF-8 (0xFF)");
    cr_assert_eq(error.column, 5);
}

Test(record_checker, what_it_refuses_does_not_reach_the_next_sink) {
    finish();
    schema = lam_paper_schema();
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink next = lam_shredder_sink(shredder);
    cr_assert_eq(lam_record_checker_create(schema, &next, NULL, &checker, NULL), LAM_STATUS_OK);
    sink = lam_record_checker_sink(checker);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("DocId"), lam_paper_number(1), NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(sink.open(sink.state, field("Name"), NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("Name.Url"), lam_paper_text("\xFF"), NULL),
                     LAM_STATUS_INVALID);
        cr_assert_eq(sink.close(sink.state, field("Name"), NULL), LAM_STATUS_INVALID);
        cr_assert_eq(lam_paper_record(schema, i, &sink, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_shredder_record_count(shredder), 2);
    for (size_t leaf = 0; leaf < LAM_PAPER_LEAVES; leaf++)
        cr_assert_eq(lam_shredder_triples(shredder, leaf).count, lam_paper_columns[leaf].count);
    lam_shredder_destroy(shredder);
}

static lam_status refuse(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_IO;
}

Test(record_checker, a_failure_of_the_next_sink_is_passed_on) {
    finish();
    lam_record_sink next = {0};
    next.end = refuse;
    start_with(&next);
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_IO);
    next.begin = refuse;
    finish();
    start_with(&next);
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_IO);
    cr_assert_eq(sink.open(sink.state, field("Links"), NULL), LAM_STATUS_IO);
}

Test(record_checker, no_memory_is_an_error_without_a_leak) {
    lam_record_sink nobody = {0};
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_record_checker *other = NULL;
        lam_status status = lam_record_checker_create(schema, &nobody, &allocator, &other, NULL);
        lam_record_checker_destroy(other);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 100);
    }
}
