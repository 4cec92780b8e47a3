/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where paths lead: name by name, through dots in names, to lists, maps and VARIANTs, or nowhere.
 */
#include "schema/path_find.h"

#include "reference/paper.h"
#include "schema_texts.h"
#include "support/failing_alloc.h"
#include "support/stopwatch.h"

/* The path of a field where it is found, else the message. */
static const char *found(const lam_schema *schema, const char *path) {
    static char text[400];
    lam_error error = lam_error_none();
    const lam_field *field = NULL;
    lam_status status = lam_schema_resolve(schema, path, &field, &error);
    cr_assert_eq(field == NULL, status != LAM_STATUS_OK);
    cr_assert_eq(lam_schema_find(schema, path), field);
    if (status == LAM_STATUS_OK)
        (void)lam_field_path(field, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", error.message);
    return text;
}

/* A schema with siblings of one name, which only files have: a name for each leaf of the root. */
static lam_schema *twins_of(size_t count, const char *const *names) {
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_schema_builder_add_leaf(builder, names[i], LAM_REPETITION_OPTIONAL,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

Test(path_find, names_come_before_dots_in_names) {
    static const char schema_text[] =
        "optional int32 \"a.b\";"
        "optional group a { optional int32 b; optional int32 \"c.d\"; }"
        "optional group \"e.f\" { optional int32 \"g.h\"; optional int32 \"\"; }"
        "optional int32 No.; optional int32 \"\"; optional int32 \"x\\\"y\";"
        "optional int32 \"in\"; optional int32 \"a, b\"; optional int32 \"k[0]\"; optional int32 "
        "\" \";";
    static const char *const cases[][2] = {
        {"a.b", "a.b"},
        {"\"a.b\"", "\"a.b\""},
        {"a.\"b\"", "a.b"},
        {"\"a\".b", "a.b"},
        {"a.c.d", "a.\"c.d\""},
        {"a.\"c.d\"", "a.\"c.d\""},
        {"e.f.g.h", "\"e.f\".\"g.h\""},
        {"\"e.f\".g.h", "\"e.f\".\"g.h\""},
        {"e.f.\"g.h\"", "\"e.f\".\"g.h\""},
        {"e.f.\"\"", "\"e.f\".\"\""},
        {"No.", "\"No.\""},
        {"\"No.\"", "\"No.\""},
        {"\"\"", "\"\""},
        {"", ""},
        {"x\"y", "\"x\"\"y\""},
        {"\"x\"\"y\"", "\"x\"\"y\""},
        {"in", "\"in\""},
        {"a, b", "\"a, b\""},
        {"k[0]", "\"k[0]\""},
        {" ", "\" \""},
        {"a.c.\"d\"", "no field 'a.c.\"d\"' (did you mean a.\"c.d\"?)"},
        {"\"a\".\"b\".c", "no field '\"a\".\"b\".c'"},
        {"\"e.f.g.h\"", "no field '\"e.f.g.h\"' (did you mean \"e.f\".\"g.h\"?)"},
        {"No", "no field 'No' (did you mean \"No.\"?)"},
        {"e.f.", "no field 'e.f.' (did you mean \"e.f\".\"\"?)"},
        {"a.", "no field 'a.' (did you mean \"a.b\"?)"},
        {"A.B", "no field 'A.B' (did you mean \"a.b\"?)"},
        {"\"a", "character 1: the name that begins here does not end"},
        {"\"a\"b", "character 4: expected a dot, [] or the end"},
        {"a.b[]", "a.b has no elements: it is not a list"},
    };
    lam_schema *schema = parsed(schema_text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(found(schema, cases[i][0]), cases[i][1], "%s: %s", cases[i][0],
                         found(schema, cases[i][0]));
    lam_schema_destroy(schema);
}

Test(path_find, dots_that_can_be_put_into_names_in_several_ways_are_ambiguous) {
    lam_schema *schema =
        parsed("optional group a { optional group b { required int32 x; } required int32 \"b.c\"; }"
               "optional group \"a.b\" { required int32 c; required int32 \"d.e.f\";"
               "  optional group d { required int32 e; } }"
               "required int32 \"a.b.x.y\";");
    static const char *const cases[][2] = {
        {"a.b", "a.b"},
        {"a.b.x", "a.b.x"},
        {"a.b.c", "'a.b.c' is ambiguous: a.\"b.c\" (column 1), \"a.b\".c (column 2)"},
        {"\"a.b\".c", "\"a.b\".c"},
        {"a.\"b.c\"", "a.\"b.c\""},
        {"a.b.d", "\"a.b\".d"},
        {"a.b.d.e", "\"a.b\".d.e"},
        {"a.b.d.e.f", "\"a.b\".\"d.e.f\""},
        {"a.b.x.y", "\"a.b.x.y\""},
        {"a..b", "no field 'a..b' (did you mean a.b?)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(found(schema, cases[i][0]), cases[i][1], "%s: %s", cases[i][0],
                         found(schema, cases[i][0]));
    /* It selects neither, as another text says which. */
    lam_error error = lam_error_none();
    bool leaves[6] = {false};
    cr_expect_eq(lam_schema_select(schema, "a.b.c", leaves, &error), LAM_STATUS_INVALID);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FIELD_AMBIGUOUS);
    cr_expect(!leaves[1] && !leaves[2]);
    lam_schema_destroy(schema);
}

Test(path_find, fields_of_one_name_are_ambiguous_and_selected_together) {
    static const char *const names[] = {"ra", "x.y", "ra", "x.y", "b", "ra", "ra", "ra"};
    lam_schema *schema = twins_of(8, names);
    bool leaves[8] = {false};
    cr_expect_str_eq(found(schema, "ra"), "'ra' is ambiguous: ra (column 0), ra (column 2), ra "
                                          "(column 5) and 2 more");
    cr_expect_str_eq(found(schema, "x.y"),
                     "'x.y' is ambiguous: \"x.y\" (column 1), \"x.y\" (column 3)");
    cr_expect_str_eq(found(schema, "\"x.y\""),
                     "'\"x.y\"' is ambiguous: \"x.y\" (column 1), \"x.y\" (column 3)");
    cr_expect_str_eq(found(schema, "b"), "b");
    cr_expect_eq(lam_schema_select(schema, "ra", leaves, NULL), LAM_STATUS_OK);
    cr_expect(leaves[0] && !leaves[1] && leaves[2] && !leaves[3] && leaves[5] && leaves[7]);
    cr_expect_eq(lam_schema_select(schema, "x.y", leaves, NULL), LAM_STATUS_OK);
    cr_expect(leaves[1] && leaves[3] && !leaves[4]);
    lam_schema_destroy(schema);
}

Test(path_find, groups_and_fields_without_columns_say_which_columns_they_are) {
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int leaves = 0; leaves < 4; leaves += 2) {
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, "g", LAM_REPETITION_OPTIONAL, NULL, NULL),
            LAM_STATUS_OK);
        for (int i = 0; i < leaves; i++)
            cr_assert_eq(lam_schema_builder_add_leaf(builder, i == 0 ? "a" : "b",
                                                     LAM_REPETITION_OPTIONAL, LAM_PHYSICAL_INT32,
                                                     NULL, NULL),
                         LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    cr_expect_str_eq(found(schema, "g"), "'g' is ambiguous: g (no column), g (columns 0 to 1)");
    cr_expect_str_eq(found(schema, "g.b"), "g.b"); /* only one of them has it */
    lam_schema_destroy(schema);
}

Test(path_find, brackets_lead_to_the_elements_of_a_list) {
    lam_schema *schema =
        parsed("optional group l (LIST) { repeated group list { optional group element {"
               "  optional int32 cost; } } }"
               "optional group two (LIST) { repeated int32 array; }"
               "optional group deep (LIST) { repeated group list { optional group element (LIST) {"
               "  repeated group list { optional int32 element; } } } }"
               "repeated group r { optional int32 x; } optional int32 n; optional int32 \"q[]\";");
    static const char *const cases[][2] = {
        {"l[]", "l.list.element"},
        {"l[].cost", "l.list.element.cost"},
        {"l.list.element.cost", "l.list.element.cost"},
        {"two[]", "two.array"},
        {"deep[]", "deep.list.element"},
        {"deep[][]", "deep.list.element.list.element"},
        {"r[]", "r"},
        {"r[].x", "r.x"},
        {"r.x", "r.x"},
        {"\"q[]\"", "\"q[]\""},
        {"r[][]", "r has no elements: it is not a list"},
        {"two[][]", "two.array has no elements: it is not a list"},
        {"n[]", "n has no elements: it is not a list"},
        {"l.cost", "no field 'l.cost' (did you mean l.list?)"},
        {"q[]", "no field 'q[]' (did you mean \"q[]\"?)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(found(schema, cases[i][0]), cases[i][1], "%s: %s", cases[i][0],
                         found(schema, cases[i][0]));
    lam_schema_destroy(schema);
}

/* --- VARIANTs and maps --------------------------------------------------------------------- */

#define PAIR "(VARIANT(1)) { required binary metadata; required binary value; }"

/* "field, N words left", and the key if there is one; or the message. */
static void find_far(const lam_schema *schema, const char *text, lam_path_use use, unsigned allowed,
                     char *result) {
    lam_path_reader reader = lam_path_reader_start(text, strlen(text), 0, use);
    lam_path_word words[20];
    lam_path path = {words, 0, {(const uint8_t *)text, strlen(text)}, 0};
    lam_error error = lam_error_none();
    lam_path_match match;
    bool more = true;
    for (; more; path.count += more) {
        cr_assert_eq(lam_path_reader_next(&reader, &words[path.count], &more, NULL), LAM_STATUS_OK);
        if (more && words[path.count].kind == LAM_PATH_KEY) /* as a condition does */
            reader.at += strcspn(text + reader.at, "]") + 1;
    }
    if (lam_path_find(schema, &path, allowed, &match, &error) != LAM_STATUS_OK) {
        strcpy(result, error.message);
        return;
    }
    char field[100];
    (void)lam_field_path(match.field, field, sizeof field);
    result += sprintf(result, "%s, %zu", field, path.count - match.used);
    if (match.key_count > 0)
        sprintf(result, ", key %.*s of %s", (int)words[match.key].size, words[match.key].text,
                lam_field_name(match.map));
}

Test(path_find, a_path_ends_at_a_variant_where_that_is_allowed) {
    static const struct {
        const char *path, *inside, *storage; /* NULL: there is no such field */
    } cases[] = {
        {"v", "v, 0", "v, 0"},
        {"v.a", "v, 1", "\"v.a\", 0"},
        {"v.value", "v, 1", "v.value, 0"},
        {"v.a.b", "v, 2", NULL},
        {"\"v.a\"", "\"v.a\", 0", "\"v.a\", 0"},
        {"\"v.a\".b", "\"v.a\", 1", NULL},
        {"v.metadata", "v, 1", "v.metadata, 0"},
        {"l[].a", "l.list.element, 1", NULL},
        {"l[].value", "l.list.element, 1", "l.list.element.value, 0"},
        {"o.v[][].a", "o.v, 3", NULL},
        {"x.a", NULL, NULL},
    };
    lam_schema *schema = parsed(
        "optional group v " PAIR " optional group \"v.a\" " PAIR
        " optional group o { optional group v " PAIR " }"
        " optional group l (LIST) { repeated group list { optional group element " PAIR " } }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char result[400];
        for (unsigned allowed = 0; allowed <= LAM_PATH_INTO_VARIANTS; allowed++) {
            const char *expected = allowed == 0 ? cases[i].storage : cases[i].inside;
            find_far(schema, cases[i].path, LAM_PATH_ALONE, allowed, result);
            if (expected == NULL)
                cr_expect(strstr(result, "no ") != NULL, "%s: %s", cases[i].path, result);
            else
                cr_expect_str_eq(result, expected, "%s: %s", cases[i].path, result);
        }
    }
    lam_schema_destroy(schema);
}

Test(path_find, a_path_leads_through_keys_of_maps_where_that_is_allowed) {
    static const char *const cases[][2] = {
        {"m['k']", "m.key_value.value, 0, key [ of m"},
        {"m.k", "m.key_value.value, 0, key k of m"},
        {"m.\"k.l\"", "m.key_value.value, 0, key k.l of m"},
        {"m.key_value", "m.key_value, 0"},
        {"m.key_value.key", "m.key_value.key, 0"},
        {"g[5].x", "g.key_value.value.x, 0, key [ of g"},
        {"g[5].y", "no field 'g[5].y'"},
        {"g[1][2]", "g.key_value.value has no values by key"},
        {"twice[1][2]", "twice.key_value.value.key_value.value, 0, key [ of value"},
        {"keys[1]", "keys has no values by key"},
        {"n[1]", "n has no values by key"},
        /* A key is nearer than a dot in a name. */
        {"m.d", "m.key_value.value, 0, key d of m"},
        {"\"m.d\"", "\"m.d\", 0"},
    };
    lam_schema *schema =
        parsed("optional group m (MAP) { repeated group key_value { required binary key (STRING);"
               "  optional int32 value; } }"
               "optional group g (MAP) { repeated group key_value { required int32 key;"
               "  optional group value { optional int32 x; } } }"
               "optional group twice (MAP) { repeated group key_value { required int32 key;"
               "  optional group value (MAP) { repeated group key_value { required int32 key;"
               "    optional int32 value; } } } }"
               "optional group keys (MAP) { repeated group key_value { required int32 key; } }"
               "optional int32 n; optional int32 \"m.d\";");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char result[400];
        find_far(schema, cases[i][0], LAM_PATH_IN_CONDITION, LAM_PATH_TO_KEYS, result);
        cr_expect_str_eq(result, cases[i][1], "%s: %s", cases[i][0], result);
    }
    char result[400];
    find_far(schema, "m.k", LAM_PATH_IN_CONDITION, 0, result);
    cr_expect_str_eq(result, "no field 'm.k' (did you mean \"m.d\"?)");
    lam_schema_destroy(schema);
}

/* --- All fields, in bounded time ----------------------------------------------------------- */

Test(path_find, every_field_is_found_at_the_path_that_it_prints) {
    lam_random random = lam_random_start(lam_test_seed(8));
    for (int round = 0; round < 300; round++) {
        lam_schema *schema = random_schema(&random, 40, 10);
        size_t count = lam_schema_leaf_count(schema);
        bool *leaves = calloc(count + 1, 1);
        for (size_t i = 0; i < schema->field_count; i++) {
            const lam_field *field = lam_schema_field(schema, i), *again = NULL;
            lam_error error = lam_error_none();
            char path[2048];
            size_t size = lam_field_path(field, path, sizeof path);
            cr_assert_lt(size, sizeof path);
            cr_assert_eq(lam_schema_resolve(schema, path, &again, &error), LAM_STATUS_OK, "%s: %s",
                         path, error.message);
            cr_assert_eq(again, field, "%s", path);
            if (i == 0 || field->leaf_count == 0)
                continue;
            /* In a list, too, between others. */
            char list[2100];
            int length = snprintf(list, sizeof list, " %s ,%s", path, path);
            cr_assert_eq(lam_schema_select_text(schema, list, (size_t)length, NULL, leaves, &error),
                         LAM_STATUS_OK, "%s: %s", list, error.message);
            for (size_t leaf = 0; leaf < count; leaf++)
                cr_assert_eq(leaves[leaf], leaf >= field->first_leaf &&
                                               leaf < field->first_leaf + field->leaf_count);
        }
        free(leaves);
        lam_schema_destroy(schema);
    }
}

Test(path_find, a_dead_end_at_every_level_is_left_in_bounded_time) {
    /* Every name of "a", "a.a", "a.a.a" at every level: as many ways as there are partitions. */
    char deep[8192] = "message m {";
    for (int i = 0; i < 100; i++)
        strcat(deep, "optional int32 a.a; optional int32 a.a.a; optional group a {");
    strcat(deep, "required int32 b;");
    for (int i = 0; i < 101; i++)
        strcat(deep, "}");
    lam_schema *schema = parsed(deep);
    char path[2048] = "a";
    for (int i = 0; i < 400; i++)
        strcat(path, ".a");
    cr_assert_null(lam_schema_find(schema, path));
    lam_schema_destroy(schema);
}

Test(path_find, a_hundred_thousand_columns_are_found_in_time_for_their_names) {
    enum { COLUMNS = 100000 };
    lam_schema_builder *builder;
    lam_schema *schema;
    char path[64];
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(path, sizeof path, i % 2 == 0 ? "say \"%d\".x" : "col.%d", i);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, path, LAM_REPETITION_OPTIONAL,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_stopwatch_start("columns by their paths"); /* else a search of all for each: minutes */
    for (size_t i = 0; i < COLUMNS; i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        (void)lam_field_path(leaf, path, sizeof path);
        cr_assert_eq(lam_schema_find(schema, path), leaf);
        cr_assert_eq(lam_schema_find(schema, lam_field_name(leaf)), leaf);
    }
    lam_stopwatch_stop();
    lam_schema_destroy(schema);
}

Test(path_find, long_and_broken_texts_are_refused) {
    enum { SIZE = 1 << 20 };
    lam_schema *schema = parsed("optional int32 a;");
    char *text = malloc(SIZE + 1);
    lam_error error = lam_error_none();
    const lam_field *field;
    memset(text, '.', SIZE);
    text[SIZE] = '\0';
    cr_expect_eq(lam_schema_resolve(schema, text, &field, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "a path of more than 500 names");
    memset(text, 'n', SIZE);
    cr_expect_eq(lam_schema_resolve(schema, text, &field, &error), LAM_STATUS_NOT_FOUND);
    cr_expect_eq(strlen(error.message), strlen("no field ''") + 120);
    memset(text, '"', SIZE);
    cr_expect_eq(lam_schema_resolve(schema, text, &field, &error), LAM_STATUS_NOT_FOUND);
    text[SIZE - 1] = '\0';
    cr_expect_eq(lam_schema_resolve(schema, text, &field, &error), LAM_STATUS_INVALID);
    free(text);
    cr_expect_eq(lam_schema_resolve(schema, NULL, &field, &error), LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no path (NULL)");
    cr_expect_eq(lam_schema_resolve(NULL, "a", &field, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema (NULL)");
    lam_schema_destroy(schema);
}

/* --- Selecting ----------------------------------------------------------------------------- */

Test(path_find, a_leaf_selects_itself_and_a_group_all_below) {
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    cr_assert_eq(lam_schema_select(schema, "Links.Forward", leaves, NULL), LAM_STATUS_OK);
    cr_assert(!leaves[0] && !leaves[1] && leaves[2] && !leaves[3] && !leaves[4] && !leaves[5]);
    cr_assert_eq(lam_schema_select(schema, "Name.Language", leaves, NULL), LAM_STATUS_OK);
    cr_assert(!leaves[0] && !leaves[1] && leaves[2] && leaves[3] && leaves[4] && !leaves[5]);
    cr_assert_eq(lam_schema_select(schema, "", leaves, NULL), LAM_STATUS_OK);
    cr_assert(leaves[0] && leaves[1] && leaves[2] && leaves[3] && leaves[4] && leaves[5]);
    lam_schema_destroy(schema);
}

Test(path_find, a_path_to_nothing_marks_nothing) {
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_select(schema, "Name.Ulr", leaves, &error), LAM_STATUS_NOT_FOUND);
    cr_assert_str_eq(error.message, "no field 'Name.Ulr' (did you mean Name.Url?)");
    cr_assert_eq(lam_schema_select(schema, "DocId.x", leaves, NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_schema_select(schema, NULL, leaves, &error), LAM_STATUS_NOT_FOUND);
    for (size_t i = 0; i < 6; i++)
        cr_assert_not(leaves[i]);
    lam_schema_destroy(schema);
}
