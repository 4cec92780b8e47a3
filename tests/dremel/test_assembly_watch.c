/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever watches the assembly of the paper's records sees each step between its events, and can
 * end it.
 */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <stdio.h>
#include <string.h>

#include "reference/paper.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_paper_source paper[LAM_PAPER_LEAVES];
static lam_triple_source sources[LAM_PAPER_LEAVES];
static char text[8000];

static void start(void) {
    schema = lam_paper_schema();
    text[0] = '\0';
    for (size_t i = 0; i < LAM_PAPER_LEAVES; i++)
        sources[i] = lam_paper_source_init(&paper[i], i);
}

static void finish(void) {
    lam_schema_destroy(schema);
}

TestSuite(assembly_watch, .init = start, .fini = finish);

static void note(const char *piece) {
    strncat(text, piece, sizeof text - strlen(text) - 1);
}

static lam_status note_read(void *state, const lam_assembly_step *step, lam_error *error) {
    char line[80];
    (void)state;
    (void)error;
    snprintf(line, sizeof line, "%zu %s %u %u (%zu)", step->state, lam_field_name(step->leaf),
             step->repetition, step->definition, step->open_count);
    note(line);
    cr_expect_eq(step->next_state, 0, "known to follow only");
    return LAM_STATUS_OK;
}

static lam_status note_follow(void *state, const lam_assembly_step *step, lam_error *error) {
    char line[80];
    (void)state;
    (void)error;
    snprintf(line, sizeof line, " %u%s-> %zu (%zu)\n", step->next_repetition,
             step->is_last ? "! " : " ", step->next_state, step->kept_count);
    note(line);
    return LAM_STATUS_OK;
}

static const lam_assembly_watch notes = {NULL, note_read, note_follow};

static lam_status note_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    note("begin\n");
    return LAM_STATUS_OK;
}

static lam_status note_end(void *state, lam_error *error) {
    (void)state;
    (void)error;
    note("end\n");
    return LAM_STATUS_OK;
}

static lam_status note_open(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)error;
    note(" <");
    note(lam_field_name(group));
    return LAM_STATUS_OK;
}

static lam_status note_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)state;
    (void)leaf;
    (void)value;
    (void)error;
    note(" *");
    return LAM_STATUS_OK;
}

static lam_status note_close(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)error;
    note(lam_field_name(group));
    note(">\n");
    return LAM_STATUS_OK;
}

static const lam_record_sink events = {NULL,       note_begin, note_open, note_put,
                                       note_close, note_end,   NULL};

static lam_assembler *create(const bool *leaves) {
    lam_assembler *assembler;
    cr_assert_eq(lam_assembler_create(schema, leaves, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    return assembler;
}

/* The paper's second record: what is read, what it opens, which state follows, what it closes. */
Test(assembly_watch, each_step_comes_between_its_events) {
    lam_assembler *assembler = create(NULL);
    size_t records;
    cr_assert_eq(lam_assembler_read_watched(assembler, &events, &notes, 1, &records, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(records, 1);
    text[0] = '\0';
    cr_assert_eq(lam_assembler_read_watched(assembler, &events, &notes, 9, &records, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(records, 1);
    cr_assert_str_eq(text, "begin\n"
                           "0 DocId 0 0 (0) * 0! -> 1 (0)\n"
                           "1 Backward 0 2 (0) <Links * 1 -> 1 (1)\n"
                           "1 Backward 1 2 (1) * 0! -> 2 (1)\n"
                           "2 Forward 0 2 (1) * 0! -> 3 (0)\nLinks>\n"
                           "3 Code 0 1 (0) <Name 0! -> 4 (1)\n"
                           "4 Country 0 1 (1) 0! -> 5 (1)\n"
                           "5 Url 0 2 (1) * 0! -> 6 (0)\nName>\n"
                           "end\n");
    lam_assembler_destroy(assembler);
}

Test(assembly_watch, states_are_those_of_the_projected_leaves) {
    bool leaves[6] = {true, false, false, false, true, false};
    lam_triple_source two[2] = {sources[0], sources[4]};
    memcpy(sources, two, sizeof two);
    lam_assembler *assembler = create(leaves);
    size_t records;
    cr_assert_eq(lam_assembler_read_watched(assembler, &events, &notes, 1, &records, NULL),
                 LAM_STATUS_OK);
    cr_assert_str_eq(text, "begin\n"
                           "0 DocId 0 0 (0) * 0 -> 1 (0)\n"
                           "1 Country 0 3 (0) <Name <Language * 2 -> 1 (1)\nLanguage>\n"
                           "1 Country 2 2 (1) <Language 1 -> 1 (0)\nLanguage>\nName>\n"
                           "1 Country 1 1 (0) <Name 1 -> 1 (0)\nName>\n"
                           "1 Country 1 3 (0) <Name <Language * 0 -> 2 (0)\nLanguage>\nName>\n"
                           "end\n");
    lam_assembler_destroy(assembler);
}

static lam_status refuse(void *state, const lam_assembly_step *step, lam_error *error) {
    (void)state;
    (void)step;
    (void)error;
    return LAM_STATUS_LIMIT;
}

Test(assembly_watch, a_watch_can_end_the_read) {
    const lam_assembly_watch watches[] = {{NULL, refuse, note_follow}, {NULL, note_read, refuse}};
    for (int i = 0; i < 2; i++) {
        size_t records = 7;
        for (size_t leaf = 0; leaf < LAM_PAPER_LEAVES; leaf++)
            sources[leaf] = lam_paper_source_init(&paper[leaf], leaf);
        lam_assembler *assembler = create(NULL);
        cr_expect_eq(lam_assembler_read_watched(assembler, &events, &watches[i], 1, &records, NULL),
                     LAM_STATUS_LIMIT);
        cr_expect_eq(records, 7);
        cr_expect_eq(lam_assembler_read(assembler, &events, 1, &records, NULL), LAM_STATUS_STATE);
        lam_assembler_destroy(assembler);
    }
}

Test(assembly_watch, columns_that_contradict_each_other_are_corrupt_as_without_a_watch) {
    paper[5].triples.count--; /* Url ends before the others */
    lam_assembler *assembler = create(NULL);
    size_t records;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_assembler_read_watched(assembler, &events, &notes, SIZE_MAX, &records, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.column_path, "Name.Url");
    lam_assembler_destroy(assembler);
}

/* A sink that refuses event `refused`, from 1. */
typedef struct refusing {
    size_t events, refused;
} refusing;

static lam_status refuse_now_and_then(refusing *sink, lam_error *error) {
    if (++sink->events != sink->refused)
        return LAM_STATUS_OK;
    *error = lam_error_none();
    error->status = LAM_STATUS_LIMIT;
    return LAM_STATUS_LIMIT;
}

static lam_status refuse_bound(void *state, lam_error *error) {
    return refuse_now_and_then(state, error);
}

static lam_status refuse_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return refuse_now_and_then(state, error);
}

static lam_status refuse_value(void *state, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    (void)leaf;
    (void)value;
    return refuse_now_and_then(state, error);
}

Test(assembly_watch, a_sink_that_refuses_any_event_ends_the_read) {
    lam_status status = LAM_STATUS_LIMIT;
    size_t refused = 0;
    while (status != LAM_STATUS_OK) {
        refusing state = {0, ++refused};
        lam_record_sink sink = {&state,       refuse_bound, refuse_group, refuse_value,
                                refuse_group, refuse_bound, NULL};
        lam_error error = lam_error_none();
        size_t records = 0;
        for (size_t leaf = 0; leaf < LAM_PAPER_LEAVES; leaf++)
            sources[leaf] = lam_paper_source_init(&paper[leaf], leaf);
        lam_assembler *assembler = create(NULL);
        status = lam_assembler_read_watched(assembler, &sink, &notes, SIZE_MAX, &records, &error);
        cr_expect_eq(error.status, status);
        lam_assembler_destroy(assembler);
        cr_assert_lt(refused, 100);
        if (status == LAM_STATUS_OK) {
            cr_expect_eq(records, 2);
            cr_expect_eq(state.events, refused - 1);
        } else {
            cr_expect_eq(status, LAM_STATUS_LIMIT);
            cr_expect_eq(state.events, refused); /* none behind it */
        }
    }
    cr_expect_gt(refused, 20);
}

static lam_status fail_to_read(void *state, lam_triples *ret_triples, lam_error *error) {
    lam_paper_source *source = state;
    if (source->given) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        return LAM_STATUS_IO;
    }
    source->given = true;
    *ret_triples = source->triples;
    return LAM_STATUS_OK;
}

Test(assembly_watch, a_column_that_cannot_be_read_on_ends_the_read) {
    sources[2].read = fail_to_read;
    lam_assembler *assembler = create(NULL);
    size_t records = 0;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_assembler_read_watched(assembler, &events, &notes, SIZE_MAX, &records, &error),
                 LAM_STATUS_IO);
    cr_expect_eq(error.status, LAM_STATUS_IO);
    lam_assembler_destroy(assembler);
}

Test(assembly_watch, an_empty_list_that_goes_on_is_corrupt) {
    static const uint8_t repetition[] = {0, 1}, definition[] = {1, 2};
    lam_error error = lam_error_none();
    size_t records = 0;
    paper[1].triples.repetition = repetition; /* Backward of a Links without any */
    paper[1].triples.definition = definition;
    paper[1].triples.count = 2;
    paper[1].triples.value_count = 1;
    lam_assembler *assembler = create(NULL);
    cr_expect_eq(lam_assembler_read_watched(assembler, &events, &notes, SIZE_MAX, &records, &error),
                 LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.column_path, "Links.Backward");
    lam_assembler_destroy(assembler);
}
