/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts between values that levels stand for, and the room they need, when columns are printed
 * side by side.
 */
#include "json/write/json_levels.h"

#include "json_help.h"
#include "scarce_memory.h"

enum { ARENA = 1 << 20, DEEP = 70 };

/* The tables of all leaves of some fields, in an arena. */
typedef struct made_levels {
    lam_schema *schema;
    lam_json_shape shape;
    lam_arena arena;
    lam_json_levels *levels;
} made_levels;

static made_levels make(const char *fields, size_t budget) {
    static const bool leaves[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    lam_allocator allocator = lam_allocator_default();
    made_levels made = {.schema = fields_of(fields)};
    cr_assert_eq(lam_json_shape_init(&made.shape, made.schema, NULL, NULL, &allocator, NULL),
                 LAM_STATUS_OK);
    lam_arena_init(&made.arena, &allocator, budget);
    cr_assert_eq(lam_json_levels_create(&made.shape, leaves, NULL, &made.arena, &made.levels, NULL),
                 LAM_STATUS_OK);
    return made;
}

static void drop(made_levels *made) {
    lam_arena_finish(&made->arena);
    lam_json_shape_finish(&made->shape);
    lam_schema_destroy(made->schema);
}

static void expect_text(lam_bytes text, const char *expected) {
    cr_expect_eq(text.size, strlen(expected), "%.*s is not %s", (int)text.size, text.data,
                 expected);
    cr_expect_eq(memcmp(text.data, expected, strlen(expected)), 0, "%.*s is not %s", (int)text.size,
                 text.data, expected);
}

static void expect_lead(const lam_json_levels *levels, size_t r, size_t d, const char *expected) {
    expect_text(levels->lead[r * levels->definitions + d], expected);
}

static void expect_trail(const lam_json_levels *levels, size_t d, size_t next_r,
                         const char *expected) {
    expect_text(levels->trail[d * levels->repetitions + next_r], expected);
}

/* The tables that json_levels.h draws. */
Test(json_levels, two_lists_have_the_texts_of_the_header) {
    made_levels made =
        make("optional group a (LIST) { repeated group list { optional int32 element; } }"
             "optional group b (LIST) { repeated group list { optional int32 element; } }",
             ARENA);
    const lam_json_levels *a = &made.levels[0], *b = &made.levels[1];
    cr_assert(a->definitions == 4 && a->repetitions == 2);
    expect_lead(a, 0, 0, "{\"a\":null");
    expect_lead(a, 0, 1, "{\"a\":[");
    expect_lead(a, 0, 2, "{\"a\":[null");
    expect_lead(a, 0, 3, "{\"a\":[");
    expect_lead(a, 1, 2, ",null");
    expect_lead(a, 1, 3, ",");
    expect_lead(b, 0, 0, ",\"b\":null");
    expect_lead(b, 0, 3, ",\"b\":[");
    expect_lead(b, 1, 3, ",");
    expect_trail(a, 0, 0, "");
    expect_trail(a, 1, 0, "]");
    expect_trail(a, 3, 0, "]");
    expect_trail(a, 3, 1, "");
    expect_trail(b, 0, 0, "}\n");
    expect_trail(b, 1, 0, "]}\n");
    expect_trail(b, 2, 1, "");
    drop(&made);
}

Test(json_levels, rooms_are_those_of_the_longest_texts_with_their_padding) {
    made_levels made =
        make("required int32 a_name_that_is_longer_than_the_padding_of_texts;", ARENA);
    static const char lead[] = "{\"a_name_that_is_longer_than_the_padding_of_texts\":";
    expect_lead(made.levels, 0, 0, lead);
    cr_expect_eq(made.levels->lead_room, strlen(lead) + LAM_JSON_LEVEL_PADDING);
    cr_expect_eq(made.levels->trail_room, 2 + LAM_JSON_LEVEL_PADDING);
    drop(&made);
}

/* Texts up to the padding take one copy, longer ones another. */
Test(json_levels, a_short_put_copies_a_text_of_any_length) {
    uint8_t text[100 + LAM_JSON_LEVEL_PADDING], out[sizeof text];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)i;
    for (size_t size = 0; size <= 100; size++) {
        cr_assert_eq(lam_json_put_short(out, (lam_bytes){text, size}), out + size);
        cr_assert_eq(memcmp(out, text, size), 0);
    }
}

Test(json_levels, what_does_not_follow_from_levels_has_no_tables) {
    static const bool leaves[2] = {true, true};
    made_levels variant = make("optional group v (VARIANT(1)) { required binary metadata;"
                               " required binary value; }",
                               ARENA);
    variant.shape.nodes[1].form = LAM_JSON_FORM_VARIANT; /* as a writer of values does */
    cr_assert_eq(
        lam_json_levels_create(&variant.shape, leaves, NULL, &variant.arena, &variant.levels, NULL),
        LAM_STATUS_OK);
    cr_expect_null(variant.levels);
    drop(&variant);
    char deep[2048] = "";
    for (int i = 0; i < DEEP / 2; i++) /* more pairs of levels than tables are made for */
        strcat(deep, "repeated group g { ");
    strcat(deep, "optional int32 a;");
    for (int i = 0; i < DEEP / 2; i++)
        strcat(deep, " }");
    made_levels many = make(deep, ARENA);
    cr_expect_null(many.levels);
    drop(&many);
    made_levels large = make("required int32 a;", 16); /* beyond the budget of the arena */
    cr_expect_null(large.levels);
    drop(&large);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static lam_status make_tables(void *state, const lam_allocator *allocator, lam_error *error) {
    const lam_json_shape *shape = state;
    bool all[2 * DEEP];
    lam_json_levels *levels = NULL;
    lam_arena arena;
    memset(all, 1, sizeof all);
    lam_arena_init(&arena, allocator, ARENA);
    lam_status status = lam_json_levels_create(shape, all, NULL, &arena, &levels, error);
    cr_assert_eq(levels != NULL, status == LAM_STATUS_OK);
    lam_arena_finish(&arena);
    return status;
}

static void make_without_each(const char *fields, size_t count) {
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = fields_of(fields);
    lam_json_shape shape;
    cr_assert_eq(lam_json_shape_init(&shape, schema, NULL, NULL, &allocator, NULL), LAM_STATUS_OK);
    run_without_each(make_tables, &shape, count);
    lam_json_shape_finish(&shape);
    lam_schema_destroy(schema);
}

Test(json_levels, a_failure_that_nobody_asks_for_is_a_status_alone) {
    static const bool leaves[] = {true};
    lam_allocator allocator = lam_allocator_default();
    lam_failing_alloc counter = {.fail_at = 1, .fails_on = true};
    lam_allocator failing = lam_failing_allocator(&counter);
    lam_schema *schema = fields_of("required int32 a;");
    lam_json_levels *levels = NULL;
    lam_json_shape shape;
    lam_arena arena;
    lam_arena_init(&arena, &failing, ARENA);
    cr_assert_eq(lam_json_shape_init(&shape, schema, NULL, NULL, &allocator, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_levels_create(&shape, leaves, NULL, &arena, &levels, NULL),
                 LAM_STATUS_NOMEM);
    cr_expect_null(levels);
    lam_arena_finish(&arena);
    lam_json_shape_finish(&shape);
    lam_schema_destroy(schema);
}

/* With names of every length, each text is once the one that needs a larger buffer. */
Test(json_levels, memory_that_runs_out_is_a_failure) {
    static const char *const repetitions[] = {"optional", "required", "repeated"};
    for (size_t length = 1; length < 70; length++)
        for (size_t i = 0; i < 3; i++) {
            char name[80], fields[512];
            memset(name, 'n', length);
            name[length] = '\0';
            snprintf(fields, sizeof fields,
                     "optional int32 b; %s group %s { repeated group x { optional int32 i; "
                     "optional int32 j; }"
                     " optional group m (MAP) { repeated group key_value {"
                     " required binary key (STRING); optional group value { required int32 y; } } "
                     "} }",
                     repetitions[i], name);
            make_without_each(fields, SIZE_MAX);
        }
}

/*
 * Groups in groups, some of them behind a leaf, so that what closes them is longer than what opens
 * them: 64 bytes fit into a small buffer, and another bracket or brace does not.
 */
Test(json_levels, brackets_that_close_many_groups_take_memory_too) {
    for (int repeated = 0; repeated < DEEP; repeated += 64) {
        char fields[64 * DEEP] = "optional int32 a;";
        for (int i = DEEP; i > 0; i--) {
            strcat(fields, i == repeated ? "repeated group g {" : "required group g {");
            strcat(fields, i % 8 == 1 ? "optional int32 a;" : "");
        }
        for (int i = 0; i < DEEP; i++)
            strcat(fields, " }");
        make_without_each(fields, 40);
    }
}
