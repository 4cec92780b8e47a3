/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns become records: the paper's example, columns that contradict each other, and sources and
 * sinks that fail at any step.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "reference/broken_runs.h"
#include "reference/paper.h"
#include "reference/record_tree.h"
#include "schema/tree.h"
#include "support/event_lines.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_arena arena;
static lam_paper_source paper[LAM_PAPER_LEAVES];
static lam_triple_source sources[LAM_PAPER_LEAVES];

static void start(void) {
    schema = lam_paper_schema();
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < LAM_PAPER_LEAVES; i++)
        sources[i] = lam_paper_source_init(&paper[i], i);
}

static void finish(void) {
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

TestSuite(assembler, .init = start, .fini = finish);

static lam_assembler *create(const bool *leaves) {
    lam_assembler *assembler;
    cr_assert_eq(lam_assembler_create(schema, leaves, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    return assembler;
}

static void expect_trace(event_lines *lines, const char *want) {
    cr_assert_str_eq(lines->text == NULL ? "" : lines->text, want);
    event_lines_free(lines);
}

/* All events of assembling what the sources give. */
static lam_status trace(const bool *leaves, event_lines *lines, size_t *ret_records,
                        lam_error *error) {
    lam_assembler *assembler = create(leaves);
    lam_record_sink sink = event_lines_sink(lines);
    lam_status status = lam_assembler_read(assembler, &sink, SIZE_MAX, ret_records, error);
    lam_assembler_destroy(assembler);
    return status;
}

Test(assembler, the_paper_s_columns_give_the_paper_s_records) {
    event_lines lines = {0};
    size_t records = 0;
    cr_assert_eq(trace(NULL, &lines, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, 2);
    expect_trace(&lines, "begin\n"
                         "  put DocId 10\n"
                         "  open Links\n"
                         "    put Forward 20\n"
                         "    put Forward 40\n"
                         "    put Forward 60\n"
                         "  close Links\n"
                         "  open Name\n"
                         "    open Language\n"
                         "      put Code \"en-us\"\n"
                         "      put Country \"us\"\n"
                         "    close Language\n"
                         "    open Language\n"
                         "      put Code \"en\"\n"
                         "    close Language\n"
                         "    put Url \"http://A\"\n"
                         "  close Name\n"
                         "  open Name\n"
                         "    put Url \"http://B\"\n"
                         "  close Name\n"
                         "  open Name\n"
                         "    open Language\n"
                         "      put Code \"en-gb\"\n"
                         "      put Country \"gb\"\n"
                         "    close Language\n"
                         "  close Name\n"
                         "end\n"
                         "begin\n"
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
}

Test(assembler, the_paper_s_projection_gives_the_paper_s_records) {
    /* Figure 6: DocId and Name.Language.Country. */
    bool leaves[6] = {true, false, false, false, true, false};
    sources[1] = sources[4];
    event_lines lines = {0};
    size_t records = 0;
    cr_assert_eq(trace(leaves, &lines, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, 2);
    expect_trace(&lines, "begin\n"
                         "  put DocId 10\n"
                         "  open Name\n"
                         "    open Language\n"
                         "      put Country \"us\"\n"
                         "    close Language\n"
                         "    open Language\n"
                         "    close Language\n"
                         "  close Name\n"
                         "  open Name\n"
                         "  close Name\n"
                         "  open Name\n"
                         "    open Language\n"
                         "      put Country \"gb\"\n"
                         "    close Language\n"
                         "  close Name\n"
                         "end\n"
                         "begin\n"
                         "  put DocId 20\n"
                         "  open Name\n"
                         "  close Name\n"
                         "end\n");
}

Test(assembler, records_come_in_portions_and_then_no_more) {
    lam_assembler *assembler = create(NULL);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    static const size_t wanted[] = {0, 1, 0, 5, 5};
    static const size_t got[] = {0, 1, 0, 1, 0};
    for (size_t i = 0; i < 5; i++) {
        size_t records = 99;
        cr_assert_eq(lam_assembler_read(assembler, &sink, wanted[i], &records, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(records, got[i]);
    }
    lam_assembler_destroy(assembler);
}

Test(assembler, no_leaf_is_invalid) {
    bool leaves[6] = {false};
    lam_assembler *assembler = NULL;
    cr_assert_eq(lam_assembler_create(schema, leaves, sources, NULL, &assembler, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_null(assembler);
}

/* --- Columns that contradict ----------------------------------------------------------------- */

/* The columns are refused, and the error names the leaf where the contradiction shows. */
static void expect_corrupt(int32_t column, const char *words) {
    event_lines lines = {0};
    size_t records = 99;
    lam_error error = lam_error_none();
    lam_status status = trace(NULL, &lines, &records, &error);
    cr_assert_eq(status, LAM_STATUS_CORRUPT, "%s", lam_status_name(status));
    cr_assert_eq(records, 99);
    cr_assert_eq(error.column, column, "%s", error.message);
    cr_assert_not_null(strstr(error.message, words), "'%s' lacks '%s'", error.message, words);
    event_lines_free(&lines);
}

static void set_levels(size_t leaf, size_t count, size_t value_count, const uint8_t *repetition,
                       const uint8_t *definition) {
    paper[leaf].triples.count = count;
    paper[leaf].triples.value_count = value_count;
    paper[leaf].triples.repetition = repetition;
    paper[leaf].triples.definition = definition;
}

Test(assembler, a_level_above_the_maximum_is_corrupt) {
    static const uint8_t r[] = {0, 2, 1, 0}, d[] = {2, 2, 2, 2};
    set_levels(2, 4, 4, r, d);
    expect_corrupt(2, "Links.Forward: repetition level above");
    finish();
    start();
    static const uint8_t r0[] = {0, 1, 1, 0}, d0[] = {2, 3, 2, 2};
    set_levels(2, 4, 3, r0, d0);
    expect_corrupt(2, "Links.Forward: definition level above");
}

Test(assembler, a_first_repetition_level_above_0_is_corrupt) {
    static const uint8_t r[] = {1, 1, 1, 0}, d[] = {2, 2, 2, 2};
    set_levels(2, 4, 4, r, d);
    expect_corrupt(2, "Links.Forward: repetition level 1 where the record needs 0");
}

Test(assembler, a_group_that_only_some_of_its_leaves_have_is_corrupt) {
    /* Links is there for Backward (level 1), not for Forward (level 0), and the other way round. */
    static const uint8_t r[] = {0, 0}, d[] = {0, 2};
    set_levels(2, 2, 1, r, d);
    expect_corrupt(2, "Links.Forward: definition level 0 contradicts");
    finish();
    start();
    static const uint8_t r1[] = {0, 0, 1}, d1[] = {0, 2, 2};
    set_levels(1, 3, 2, r1, d1);
    expect_corrupt(2, "Links.Forward: definition level 2 contradicts");
}

Test(assembler, lists_of_different_length_are_corrupt) {
    /* The first Name has one Language by Country, two by Code. */
    static const uint8_t r[] = {0, 1, 1, 0}, d[] = {3, 1, 3, 1};
    set_levels(4, 4, 2, r, d);
    expect_corrupt(3, "Name.Language.Code: repetition level 2 where the record needs 1");
    finish();
    start();
    static const uint8_t r1[] = {0, 2, 2, 1, 1, 0}, d1[] = {3, 2, 2, 1, 3, 1};
    set_levels(4, 6, 2, r1, d1);
    expect_corrupt(3, "Name.Language.Code: repetition level 1 where the record needs 2");
}

Test(assembler, another_element_of_an_empty_list_is_corrupt) {
    static const uint8_t r[] = {0, 1, 0}, d[] = {1, 2, 2};
    set_levels(1, 3, 2, r, d);
    expect_corrupt(1, "Links.Backward: another element of a list that is empty");
    finish();
    start();
    static const uint8_t r1[] = {0, 1, 0}, d1[] = {2, 1, 2};
    set_levels(1, 3, 2, r1, d1);
    expect_corrupt(1, "Links.Backward: definition level 1 contradicts");
}

/* The first column goes on within the last record: nobody saw it, as the records were enough. */
Test(assembler, another_element_behind_the_last_record_is_corrupt) {
    static const uint8_t r[] = {0, 2, 1, 1, 0, 1}, d[] = {2, 2, 1, 2, 1, 1};
    static const bool leaves[] = {false, false, false, true, true, true};
    size_t records = 99;
    set_levels(3, 6, 3, r, d);
    memmove(sources, sources + 3, 3 * sizeof sources[0]);
    lam_assembler *assembler = create(leaves);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_assembler_read(assembler, &sink, 2, &records, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(records, 99);
    cr_assert_eq(error.column, 3, "%s", error.message);
    cr_assert_not_null(strstr(error.message, "repetition level 1 where the record needs 0"), "%s",
                       error.message);
    lam_assembler_destroy(assembler);
}

Test(assembler, a_wrong_number_of_values_is_corrupt) {
    paper[2].triples.value_count = 3;
    expect_corrupt(2, "Links.Forward: 3 values where the definition levels state 4");
    finish();
    start();
    set_levels(0, 2, 1, NULL, NULL);
    expect_corrupt(0, "DocId: 1 values where the definition levels state 2");
    finish();
    start();
    paper[0].triples.values = NULL;
    expect_corrupt(0, "DocId: 0 values where the definition levels state 2");
}

Test(assembler, columns_of_different_length_are_corrupt) {
    set_levels(5, 3, 2, lam_paper_columns[5].repetition, lam_paper_columns[5].definition);
    expect_corrupt(5, "Name.Url: the column ends before the others");
    finish();
    start();
    set_levels(0, 1, 1, NULL, NULL);
    expect_corrupt(1, "Links.Backward: the column continues after others have ended");
    finish();
    start();
    set_levels(3, 0, 0, NULL, NULL);
    expect_corrupt(3, "Name.Language.Code: the column ends before the others");
}

Test(assembler, columns_without_triples_are_no_records) {
    for (size_t i = 0; i < LAM_PAPER_LEAVES; i++)
        set_levels(i, 0, 0, NULL, NULL);
    event_lines lines = {0};
    size_t records = 99;
    cr_assert_eq(trace(NULL, &lines, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, 0);
    expect_trace(&lines, "");
}

/* --- Failures from outside ------------------------------------------------------------------- */

static lam_status read_failure(void *state, lam_triples *ret_triples, lam_error *error) {
    (void)state;
    (void)ret_triples;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
    }
    return LAM_STATUS_IO;
}

Test(assembler, a_source_that_fails_is_named_and_ends_it_all) {
    sources[3].read = read_failure;
    lam_assembler *assembler = create(NULL);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    lam_error error = lam_error_none();
    size_t records = 99;
    cr_assert_eq(lam_assembler_read(assembler, &sink, 1, &records, &error), LAM_STATUS_IO);
    cr_assert_eq(error.column, 3);
    cr_assert_eq(records, 99);
    cr_assert_eq(lam_assembler_read(assembler, &sink, 1, &records, &error), LAM_STATUS_STATE);
    lam_assembler_destroy(assembler);
}

static lam_status refuse(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_LIMIT;
}

Test(assembler, a_sink_that_fails_ends_it_all) {
    lam_assembler *assembler = create(NULL);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    sink.end = refuse;
    size_t records = 99;
    cr_assert_eq(lam_assembler_read(assembler, &sink, 9, &records, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(records, 99);
    cr_assert_eq(lam_assembler_read(assembler, &sink, 9, &records, NULL), LAM_STATUS_STATE);
    lam_assembler_destroy(assembler);
}

Test(assembler, no_memory_is_an_error_without_a_leak) {
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_assembler *assembler = NULL;
        lam_status status =
            lam_assembler_create(schema, NULL, sources, &allocator, &assembler, NULL);
        lam_assembler_destroy(assembler);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_null(assembler);
        cr_assert_lt(fail_at, 100);
    }
}

Test(assembler, reading_allocates_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_assembler *assembler;
    cr_assert_eq(lam_assembler_create(schema, NULL, sources, &allocator, &assembler, NULL),
                 LAM_STATUS_OK);
    size_t requests = counter.requests;
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, schema, &arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    size_t records;
    cr_assert_eq(lam_assembler_read(assembler, &sink, 9, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, requests);
    lam_assembler_destroy(assembler);
}

/* --- As deep as a schema may be -------------------------------------------------------------- */

static lam_schema *deep_schema(lam_repetition repetition) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(lam_schema_builder_begin_group(builder, "g", repetition, NULL, NULL),
                     LAM_STATUS_OK);
    for (const char *name = "ab"; *name != '\0'; name++) {
        char leaf[2] = {*name, '\0'};
        cr_assert_eq(
            lam_schema_builder_add_leaf(builder, leaf, repetition, LAM_PHYSICAL_INT32, NULL, NULL),
            LAM_STATUS_OK);
    }
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    lam_schema *deep;
    cr_assert_eq(lam_schema_builder_finish(builder, &deep, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return deep;
}

static lam_tree_item deep_record(const lam_schema *deep, size_t levels) {
    lam_tree_item record = lam_tree_item_empty(lam_schema_root(deep), &arena);
    lam_tree_item *item = &record;
    const lam_field *field = lam_schema_root(deep);
    for (size_t i = 0; i < levels && !lam_field_is_leaf(field); i++) {
        const lam_field *child = lam_field_child(field, 0);
        item = lam_tree_append(&item->fields[0], child, &arena);
        field = child;
    }
    return record;
}

static void check_deep(lam_repetition repetition) {
    lam_schema *deep = deep_schema(repetition);
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(deep, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t levels = 0; levels <= LAM_SCHEMA_DEPTH_MAX; levels++) {
        lam_tree_item record = deep_record(deep, levels);
        cr_assert_eq(lam_tree_drive(deep, &record, &sink, NULL, false, NULL), LAM_STATUS_OK);
    }
    lam_random random = lam_random_start(1);
    lam_broken_runs runs[2];
    for (size_t i = 0; i < 2; i++) {
        lam_broken_runs_init(&runs[i], lam_schema_leaf(deep, i), lam_shredder_triples(shredder, i),
                             7, &random);
        sources[i] = lam_broken_runs_source(&runs[i]);
    }
    lam_assembler *assembler;
    cr_assert_eq(lam_assembler_create(deep, NULL, sources, NULL, &assembler, NULL), LAM_STATUS_OK);
    lam_tree_builder builder;
    lam_tree_builder_init(&builder, deep, &arena);
    sink = lam_tree_builder_sink(&builder);
    size_t records;
    cr_assert_eq(lam_assembler_read(assembler, &sink, SIZE_MAX, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, LAM_SCHEMA_DEPTH_MAX + 1);
    for (size_t levels = 0; levels <= LAM_SCHEMA_DEPTH_MAX; levels++) {
        lam_tree_item want = deep_record(deep, levels);
        cr_assert(lam_tree_equals(lam_schema_root(deep), &want, &builder.records.items[levels]));
    }
    lam_assembler_destroy(assembler);
    lam_shredder_destroy(shredder);
    for (size_t i = 0; i < 2; i++)
        lam_broken_runs_finish(&runs[i]);
    lam_schema_destroy(deep);
}

Test(assembler, a_schema_may_be_as_deep_as_its_limit) {
    check_deep(LAM_REPETITION_OPTIONAL);
    check_deep(LAM_REPETITION_REPEATED);
}
