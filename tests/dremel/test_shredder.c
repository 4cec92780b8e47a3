/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records become columns: the paper's example, fields in any order, each mistake of a record by its
 * message, and memory that runs out anywhere.
 */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <string.h>

#include "reference/paper.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_shredder *shredder;
static lam_record_sink sink;
static lam_failing_alloc counter;

static void start(void) {
    schema = lam_paper_schema();
    lam_allocator allocator = lam_failing_allocator(&counter);
    cr_assert_eq(lam_shredder_create(schema, &allocator, &shredder, NULL), LAM_STATUS_OK);
    sink = lam_shredder_sink(shredder);
}

static void finish(void) {
    lam_shredder_destroy(shredder);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    lam_schema_destroy(schema);
}

TestSuite(shredder, .init = start, .fini = finish);

static const lam_field *field(const char *path) {
    return lam_schema_find(schema, path);
}

static void expect(lam_status got, lam_status want, const lam_error *error, const char *words) {
    cr_assert_eq(got, want, "%s: %s", lam_status_name(got), error->message);
    cr_assert_eq(error->status, want);
    cr_assert_not_null(strstr(error->message, words), "'%s' lacks '%s'", error->message, words);
}

static lam_status begin(void) {
    return sink.begin(sink.state, NULL);
}

static lam_status put_number(const char *path, int64_t number, lam_error *error) {
    return sink.put(sink.state, field(path), lam_paper_number(number), error);
}

static lam_status put_text(const char *path, const char *text, lam_error *error) {
    return sink.put(sink.state, field(path), lam_paper_text(text), error);
}

static lam_status open_group(const char *path, lam_error *error) {
    return sink.open(sink.state, field(path), error);
}

static lam_status close_group(const char *path, lam_error *error) {
    return sink.close(sink.state, field(path), error);
}

static lam_status end(lam_error *error) {
    return sink.end(sink.state, error);
}

/* The columns of r1, or of r1 and r2. */
static void expect_paper(size_t records) {
    cr_assert_eq(lam_shredder_record_count(shredder), records);
    for (size_t leaf = 0; leaf < LAM_PAPER_LEAVES; leaf++) {
        const lam_paper_column *want = &lam_paper_columns[leaf];
        lam_triples got = lam_shredder_triples(shredder, leaf);
        size_t count = want->count;
        for (size_t later = 2; later > records && count > 0; later--)
            while (count > 0 && want->repetition[--count] != 0) {
            }
        cr_assert_eq(got.count, count, "%s", want->path);
        size_t values = 0;
        uint8_t max = lam_field_max_definition(lam_schema_leaf(schema, leaf));
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(got.repetition ? got.repetition[i] : 0, want->repetition[i]);
            cr_assert_eq(got.definition ? got.definition[i] : max, want->definition[i]);
            values += want->definition[i] == max;
        }
        cr_assert_eq(got.value_count, values);
        for (size_t i = 0; i < values && leaf < 3; i++)
            cr_assert_eq(((const int64_t *)got.values)[i], want->numbers[i]);
        for (size_t i = 0; i < values && leaf >= 3; i++) {
            lam_bytes text = ((const lam_bytes *)got.values)[i];
            cr_assert_eq(text.size, strlen(want->texts[i]));
            cr_assert_eq(memcmp(text.data, want->texts[i], text.size), 0);
        }
    }
}

static void shred_paper(void) {
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_paper_record(schema, 1, &sink, NULL), LAM_STATUS_OK);
}

Test(shredder, the_paper_s_records_give_the_paper_s_columns) {
    shred_paper();
    expect_paper(2);
}

Test(shredder, levels_that_are_all_alike_are_not_shown) {
    shred_paper();
    lam_triples id = lam_shredder_triples(shredder, 0);
    cr_assert_null(id.repetition);
    cr_assert_null(id.definition);
    lam_triples forward = lam_shredder_triples(shredder, 2);
    cr_assert_not_null(forward.repetition);
    cr_assert_null(forward.definition, "no null in the column");
    cr_assert_not_null(lam_shredder_triples(shredder, 1).definition);
}

Test(shredder, a_leaf_that_is_not_there_has_no_triples) {
    shred_paper();
    cr_assert_eq(lam_shredder_triples(shredder, 6).count, 0);
    cr_assert_null(lam_shredder_triples(shredder, 6).values);
}

Test(shredder, an_open_record_is_not_shown) {
    shred_paper();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 30, NULL), LAM_STATUS_OK);
    cr_assert_eq(open_group("Links", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_number("Links.Forward", 1, NULL), LAM_STATUS_OK);
    expect_paper(2);
}

Test(shredder, a_begin_gives_up_the_open_record) {
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 30, NULL), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_text("Name.Url", "gone", NULL), LAM_STATUS_OK);
    shred_paper();
    expect_paper(2);
}

Test(shredder, fields_may_come_in_any_order) {
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_text("Name.Url", "u", NULL), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name.Language", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_text("Name.Language.Code", "c", NULL), LAM_STATUS_OK);
    cr_assert_eq(close_group("Name.Language", NULL), LAM_STATUS_OK);
    cr_assert_eq(close_group("Name", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(end(NULL), LAM_STATUS_OK);
    lam_triples country = lam_shredder_triples(shredder, 4);
    cr_assert_eq(country.count, 1);
    cr_assert_eq(country.repetition[0], 0);
    cr_assert_eq(country.definition[0], 2);
}

Test(shredder, a_missing_required_leaf_is_named) {
    lam_error error = lam_error_none();
    shred_paper();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(end(&error), LAM_STATUS_INVALID, &error, "DocId: required");
    cr_assert_eq(error.column, 0);
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name.Language", NULL), LAM_STATUS_OK);
    cr_assert_eq(put_text("Name.Language.Country", "gone", NULL), LAM_STATUS_OK);
    expect(close_group("Name.Language", &error), LAM_STATUS_INVALID, &error,
           "Name.Language.Code: required");
    cr_assert_eq(error.column, 3);
    expect_paper(2);
}

Test(shredder, a_field_that_is_not_repeated_appears_once) {
    lam_error error = lam_error_none();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 1, NULL), LAM_STATUS_OK);
    expect(put_number("DocId", 2, &error), LAM_STATUS_INVALID, &error, "DocId: appears twice");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Links", NULL), LAM_STATUS_OK);
    cr_assert_eq(close_group("Links", NULL), LAM_STATUS_OK);
    expect(open_group("Links", &error), LAM_STATUS_INVALID, &error, "Links: appears twice");
    shred_paper();
    expect_paper(2);
}

Test(shredder, a_field_belongs_to_its_group_and_schema) {
    lam_error error = lam_error_none();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(put_text("Name.Url", "u", &error), LAM_STATUS_INVALID, &error,
           "Name.Url: does not belong to Document: open Name first");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Links", NULL), LAM_STATUS_OK);
    expect(put_number("DocId", 1, &error), LAM_STATUS_INVALID, &error,
           "DocId: does not belong to Links, which is open: close that first");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Links", NULL), LAM_STATUS_OK);
    expect(put_text("Name.Url", "u", &error), LAM_STATUS_INVALID, &error,
           "Name.Url: does not belong to Links, which is open: close that first");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(open_group("", &error), LAM_STATUS_INVALID, &error, "does not belong");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(open_group("DocId", &error), LAM_STATUS_INVALID, &error, "DocId: a leaf opened");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(put_number("Links", 1, &error), LAM_STATUS_INVALID, &error, "Links: a value");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(put_number("NoSuchField", 1, &error), LAM_STATUS_INVALID, &error, "no such field");
    lam_schema *other = lam_paper_schema();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    expect(sink.put(sink.state, lam_schema_find(other, "DocId"), lam_paper_number(1), &error),
           LAM_STATUS_INVALID, &error, "DocId: field of another schema");
    lam_schema_destroy(other);
    shred_paper();
    expect_paper(2);
}

Test(shredder, verbs_out_of_order_are_refused) {
    lam_error error = lam_error_none();
    expect(end(&error), LAM_STATUS_STATE, &error, "outside of a record");
    expect(put_number("DocId", 1, &error), LAM_STATUS_STATE, &error, "outside of a record");
    expect(close_group("Links", &error), LAM_STATUS_STATE, &error, "outside of a record");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
    expect(close_group("Links", &error), LAM_STATUS_STATE, &error,
           "Links: closed while Name is open");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
    expect(end(&error), LAM_STATUS_STATE, &error, "closed while Name is open");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 1, NULL), LAM_STATUS_OK);
    expect(close_group("", NULL), LAM_STATUS_STATE, &error, "");
    expect(end(&error), LAM_STATUS_STATE, &error, "closed while"); /* kept */
    expect(end(&error), LAM_STATUS_STATE, &error, "outside of a record");
    shred_paper();
    expect_paper(2);
}

Test(shredder, a_dropped_record_leaves_nothing_behind) {
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_OK);
    size_t bytes = lam_shredder_byte_count(shredder);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(begin(), LAM_STATUS_OK);
        cr_assert_eq(put_number("DocId", 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(open_group("Links", NULL), LAM_STATUS_OK);
        cr_assert_eq(put_number("Links.Backward", 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(close_group("Links", NULL), LAM_STATUS_OK);
        for (int k = 0; k <= i % 7; k++) {
            cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
            cr_assert_eq(put_text("Name.Url", "a text that is gone", NULL), LAM_STATUS_OK);
            cr_assert_eq(close_group("Name", NULL), LAM_STATUS_OK);
        }
        cr_assert_eq(open_group("Links", NULL), LAM_STATUS_INVALID);
        cr_assert_eq(lam_shredder_byte_count(shredder), bytes);
        expect_paper(1);
    }
    cr_assert_eq(lam_paper_record(schema, 1, &sink, NULL), LAM_STATUS_OK);
    expect_paper(2);
}

Test(shredder, bytes_are_levels_elements_and_texts) {
    cr_assert_eq(lam_shredder_byte_count(shredder), 0);
    shred_paper();
    size_t levels = 0 + 2 * (3 + 4 + 5 + 5 + 4);
    size_t elements = 8 * sizeof(int64_t) + 8 * sizeof(lam_bytes);
    size_t texts = strlen("en-usenen-gbusgbhttp://Ahttp://Bhttp://C");
    cr_assert_eq(lam_shredder_byte_count(shredder), levels + elements + texts);
}

Test(shredder, once_warm_it_allocates_nothing) {
    for (int i = 0; i < 1000; i++)
        shred_paper();
    lam_shredder_clear(shredder);
    size_t requests = counter.requests;
    for (int i = 0; i < 1000; i++)
        shred_paper();
    cr_assert_eq(counter.requests, requests);
    lam_shredder_clear(shredder);
    shred_paper();
    expect_paper(2);
    cr_assert_eq(counter.requests, requests);
}

Test(shredder, clear_forgets_the_open_record_too) {
    shred_paper();
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_assert_eq(put_number("DocId", 1, NULL), LAM_STATUS_OK);
    lam_shredder_clear(shredder);
    cr_assert_eq(lam_shredder_record_count(shredder), 0);
    cr_assert_eq(lam_shredder_byte_count(shredder), 0);
    cr_assert_eq(lam_shredder_triples(shredder, 0).count, 0);
    cr_assert_eq(end(NULL), LAM_STATUS_STATE);
    shred_paper();
    expect_paper(2);
}

Test(shredder, no_memory_drops_the_record_and_the_next_one_goes_in) {
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc failing = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_shredder *other = NULL;
        lam_status status = lam_shredder_create(schema, &allocator, &other, NULL);
        if (status == LAM_STATUS_OK) {
            lam_record_sink its = lam_shredder_sink(other);
            status = lam_paper_record(schema, 0, &its, NULL);
            cr_assert_eq(lam_shredder_record_count(other), status == LAM_STATUS_OK);
            failing.fail_at = 0;
            lam_shredder *first = shredder;
            if (status == LAM_STATUS_NOMEM)
                cr_assert_eq(lam_paper_record(schema, 0, &its, NULL), LAM_STATUS_OK);
            shredder = other;
            expect_paper(1);
            shredder = first;
        }
        lam_shredder_destroy(other);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 200);
    }
}

Test(shredder, columns_that_grow_without_memory_keep_what_they_had) {
    size_t fail_at = counter.requests;
    for (int dropped = 0; dropped < 40;) {
        counter.fail_at = ++fail_at;
        lam_status status = lam_paper_record(schema, 0, &sink, NULL);
        dropped += status == LAM_STATUS_NOMEM;
        if (status == LAM_STATUS_OK)
            fail_at = counter.requests;
        size_t count = lam_shredder_record_count(shredder);
        cr_assert_eq(lam_shredder_triples(shredder, 0).count, count);
        cr_assert_eq(lam_shredder_triples(shredder, 3).count, 4 * count);
        cr_assert_eq(lam_shredder_triples(shredder, 3).value_count, 3 * count);
    }
}

Test(shredder, a_fixed_value_has_the_length_of_its_leaf) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_field_options options = {.type_length = 3};
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "f", LAM_REPETITION_REPEATED,
                                             LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, &options, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "t", LAM_REPETITION_OPTIONAL,
                                             LAM_PHYSICAL_INT96, NULL, NULL),
                 LAM_STATUS_OK);
    lam_schema *fixed;
    cr_assert_eq(lam_schema_builder_finish(builder, &fixed, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_shredder *own;
    cr_assert_eq(lam_shredder_create(fixed, NULL, &own, NULL), LAM_STATUS_OK);
    lam_record_sink its = lam_shredder_sink(own);
    lam_error error = lam_error_none();
    cr_assert_eq(its.begin(its.state, NULL), LAM_STATUS_OK);
    expect(its.put(its.state, lam_schema_leaf(fixed, 0), lam_paper_text("four"), &error),
           LAM_STATUS_INVALID, &error, "f: value of 4 bytes where each has 3");
    cr_assert_eq(error.column, 0);
    cr_assert_eq(its.begin(its.state, NULL), LAM_STATUS_OK);
    expect(its.put(its.state, lam_schema_leaf(fixed, 1), lam_paper_text("eleven long"), &error),
           LAM_STATUS_INVALID, &error, "t: value of 11 bytes where each has 12");
    cr_assert_eq(its.begin(its.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(its.put(its.state, lam_schema_leaf(fixed, 0), lam_paper_text("abc"), NULL), 0);
    cr_assert_eq(its.put(its.state, lam_schema_leaf(fixed, 0), lam_paper_text("def"), NULL), 0);
    cr_assert_eq(its.end(its.state, NULL), LAM_STATUS_OK);
    lam_triples triples = lam_shredder_triples(own, 0);
    cr_assert_eq(triples.count, 2);
    cr_assert_eq(memcmp(triples.values, "abcdef", 6), 0);
    lam_shredder_destroy(own);
    lam_schema_destroy(fixed);
}

Test(shredder, a_required_group_is_missing_when_nobody_opens_it) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_begin_group(builder, "g", LAM_REPETITION_REQUIRED, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_OPTIONAL,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    lam_schema *required;
    cr_assert_eq(lam_schema_builder_finish(builder, &required, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_shredder *own;
    cr_assert_eq(lam_shredder_create(required, NULL, &own, NULL), LAM_STATUS_OK);
    lam_record_sink its = lam_shredder_sink(own);
    lam_error error = lam_error_none();
    cr_assert_eq(its.begin(its.state, NULL), LAM_STATUS_OK);
    expect(its.end(its.state, &error), LAM_STATUS_INVALID, &error, "g: required, but missing");
    cr_assert_eq(error.column, -1);
    cr_assert_eq(its.begin(its.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(its.open(its.state, lam_schema_find(required, "g"), NULL), LAM_STATUS_OK);
    cr_assert_eq(its.close(its.state, lam_schema_find(required, "g"), NULL), LAM_STATUS_OK);
    cr_assert_eq(its.end(its.state, NULL), LAM_STATUS_OK);
    lam_triples triples = lam_shredder_triples(own, 0);
    cr_assert_eq(triples.count, 1);
    cr_assert_eq(triples.definition[0], 0);
    lam_shredder_destroy(own);
    lam_schema_destroy(required);
}

/* What the events so far have written can be seen, and where they stand. */
Test(shredder, the_open_record_shows_its_triples_and_its_open_group) {
    size_t code = 3, url = 5;
    uint8_t repetition = 9;
    cr_expect_null(lam_shredder_open_group(shredder, &repetition));
    cr_expect_eq(repetition, 9);
    cr_expect_eq(lam_shredder_open_triples(shredder, code).count, 0);
    cr_assert_eq(lam_paper_record(schema, 0, &sink, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_shredder_open_triples(shredder, code).count, 0, "no record is open");
    cr_assert_eq(begin(), LAM_STATUS_OK);
    cr_expect_eq(lam_shredder_open_group(shredder, &repetition), lam_schema_root(schema));
    cr_expect_eq(repetition, 0);
    cr_assert_eq(put_number("DocId", 20, NULL), LAM_STATUS_OK);
    for (unsigned name = 0; name < 2; name++) {
        cr_assert_eq(open_group("Name", NULL), LAM_STATUS_OK);
        cr_expect_eq(lam_shredder_open_group(shredder, &repetition), field("Name"));
        cr_expect_eq(repetition, name);
        cr_assert_eq(put_text("Name.Url", name == 0 ? "a" : "b", NULL), LAM_STATUS_OK);
        cr_expect_eq(lam_shredder_open_triples(shredder, code).count, name);
        cr_assert_eq(close_group("Name", NULL), LAM_STATUS_OK);
    }
    lam_triples codes = lam_shredder_open_triples(shredder, code);
    cr_assert_eq(codes.count, 2);
    cr_expect_eq(codes.value_count, 0);
    cr_expect(codes.repetition[0] == 0 && codes.repetition[1] == 1);
    cr_expect(codes.definition[0] == 1 && codes.definition[1] == 1);
    lam_triples urls = lam_shredder_open_triples(shredder, url);
    cr_assert_eq(urls.value_count, 2);
    cr_expect_eq(lam_triples_value(&urls, field("Name.Url"), 1).bytes.data[0], 'b');
    lam_triples whole = lam_shredder_triples(shredder, url);
    cr_expect_eq(whole.count, 3, "those of the record before");
    cr_expect_eq(lam_shredder_open_triples(shredder, 6).count, 0, "no such leaf");
    cr_assert_eq(end(NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_shredder_open_triples(shredder, url).count, 0);
}
