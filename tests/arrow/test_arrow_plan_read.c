/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is read as: lists and maps of every age, projections, metadata, the original schema
 * and dictionaries, as a text for each.
 */
#include <criterion/criterion.h>

#include "arrow/schema/ipc_schema.h"
#include "arrow_text.h"
#include "support/failing_alloc.h"
#include "support/random.h"

/* --- Shapes ----------------------------------------------------------------------------------- */

/* What a message is read as: with these options, and NULL for none. free() it. */
static char *read_as(const char *message, const lam_arrow_read_options *options) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, options, NULL, &error), LAM_STATUS_OK,
                 "%s: %s", message, error.message);
    char *text = text_of(&plan.schema);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return text;
}

static void becomes(const char *message, const char *expected) {
    char *text = read_as(message, NULL);
    cr_expect_str_eq(text, expected, "%s\nbecomes  %s\nexpected %s", message, text, expected);
    free(text);
}

/* Each example of LogicalTypes.md, section "Lists", and the comment that says what it is. */
Test(arrow_plan_read, lists_of_every_age) {
    becomes("required group my_list (LIST) { repeated group list { optional binary element "
            "(STRING); } }",
            "my_list:+l[element?:u]");
    becomes("optional group my_list (LIST) { repeated group list { required binary element "
            "(STRING); } }",
            "my_list?:+l[element:u]");
    becomes("optional group array_of_arrays (LIST) { repeated group list { required group element "
            "(LIST) { repeated group list { required int32 element; } } } }",
            "array_of_arrays?:+l[element:+l[element:i]]");
    becomes("optional group my_list (LIST) { repeated group element { required binary str "
            "(STRING); } }",
            "my_list?:+l[str:u]");
    becomes("optional group my_list (LIST) { repeated int32 element; }", "my_list?:+l[element:i]");
    becomes("optional group my_list (LIST) { repeated group element { required binary str "
            "(STRING); required int32 num; } }",
            "my_list?:+l[element:+s[str:u num:i]]");
    becomes("optional group my_list (LIST) { repeated group array (LIST) { repeated int32 array; } "
            "}",
            "my_list?:+l[array:+l[array:i]]");
    becomes("optional group my_list (LIST) { repeated group array { required binary str (STRING); "
            "} }",
            "my_list?:+l[array:+s[str:u]]");
    becomes("optional group my_list (LIST) { repeated group my_list_tuple { required binary str "
            "(STRING); } }",
            "my_list?:+l[my_list_tuple:+s[str:u]]");
    becomes("optional group my_list (LIST) { repeated group element { optional binary str "
            "(STRING); } }",
            "my_list?:+l[str?:u]");
    becomes("repeated int32 num;", "num:+l[num:i]");
    becomes("repeated group my_list { required int32 num; optional binary str (STRING); }",
            "my_list:+l[my_list:+s[num:i str?:u]]");
}

Test(arrow_plan_read, lists_by_halves) {
    becomes("repeated group a (LIST) { repeated group list { optional int32 element; } }",
            "a:+l[a:+l[element?:i]]");
    becomes("optional group a (LIST) { repeated group list { repeated int32 x; } }",
            "a?:+l[list:+s[x:+l[x:i]]]");
    becomes("optional group a (LIST) { repeated group list (MAP) { repeated group kv { required "
            "int32 k; optional int32 v; } } }",
            "a?:+l[list:+m[kv:+s[k:i v?:i]]]");
    becomes("optional group a (LIST) { optional int32 element; }", "a?:+s[element?:i]");
    becomes("optional group a (LIST) { repeated int32 x; repeated int32 y; }",
            "a?:+s[x:+l[x:i] y:+l[y:i]]");
    becomes("repeated group a { repeated group b { repeated int32 c; } }",
            "a:+l[a:+s[b:+l[b:+s[c:+l[c:i]]]]]");
}

Test(arrow_plan_read, maps_of_every_age) {
    becomes("required group my_map (MAP) { repeated group key_value { required binary key "
            "(STRING); optional int32 value; } }",
            "my_map:+m[key_value:+s[key:u value?:i]]");
    becomes("optional group my_map (MAP) { repeated group map { required binary str (STRING); "
            "required int32 num; } }",
            "my_map?:+m[map:+s[str:u num:i]]");
    becomes("optional group my_map (MAP_KEY_VALUE) { repeated group map { required binary key "
            "(STRING); optional int32 value; } }",
            "my_map?:+m[map:+s[key:u value?:i]]");
    becomes("optional group my_map (MAP) { repeated group map (MAP_KEY_VALUE) { required int32 "
            "key; optional group value (MAP) { repeated group key_value { required int32 key; "
            "required int32 value; } } } }",
            "my_map?:+m[map:+s[key:i value?:+m[key_value:+s[key:i value:i]]]]");
    becomes("repeated group m (MAP) { repeated group kv { required int32 k; required int32 v; } }",
            "m:+l[m:+m[kv:+s[k:i v:i]]]");
}

/* Arrow's maps have both keys and values, and keys that are never null. */
Test(arrow_plan_read, a_map_that_arrow_has_not_is_a_list_of_its_entries) {
    becomes("required group m (MAP) { repeated group key_value { required int32 key; } }",
            "m:+l[key_value:+s[key:i]]");
    becomes("required group m (MAP) { repeated group key_value { optional int32 key; required "
            "int32 value; } }",
            "m:+l[key_value:+s[key?:i value:i]]");
    becomes("required group m (MAP) { repeated group key_value { required int32 key; repeated "
            "int32 value; } }",
            "m:+s[key_value:+l[key_value:+s[key:i value:+l[value:i]]]]");
}

Test(arrow_plan_read, ids_are_those_of_the_fields_that_arrow_has) {
    becomes("required group s = 1 { optional group l (LIST) = 2 { repeated group list = 3 { "
            "optional int32 element = 4; } } required group m (MAP) = 5 { repeated group kv = 6 { "
            "required int32 k = 7; required int32 v = 8; } } repeated int32 r = 9; optional group "
            "t (LIST) = 10 { repeated int32 array = 11; } }",
            "s:+s@1[l?:+l@2[element?:i@4] m:+m@5[kv:+s@6[k:i@7 v:i@8]] r:+l@9[r:i] "
            "t?:+l@10[array:i@11]]");
}

Test(arrow_plan_read, a_variant_is_a_struct_of_its_parts) {
    becomes("optional group v (VARIANT(1)) { required binary metadata; optional binary value; "
            "optional group typed_value (LIST) { repeated group list { required group element { "
            "optional binary value; optional binary typed_value (STRING); } } } }",
            "v?:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:+l[element:+s[value?:z "
            "typed_value?:u]]]");
}

/* --- Projections ------------------------------------------------------------------------------ */

static void projects(const char *message, const char *marks, const char *expected) {
    bool leaves[16];
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    for (size_t i = 0; marks[i] != '\0'; i++)
        leaves[i] = marks[i] == 'x';
    char *text = read_as(message, &options);
    cr_expect_str_eq(text, expected, "%s of %s\nbecomes  %s\nexpected %s", marks, message, text,
                     expected);
    free(text);
}

Test(arrow_plan_read, what_is_not_projected_is_not_there) {
    static const char message[] =
        "message m { required int32 a; required group b { optional group c (LIST) { repeated group "
        "list { required group element { optional int32 d; optional int32 e; } } } required int32 "
        "f; } repeated group g { required int32 h; required int32 i; } }";
    projects(message, "xxxxxx", "a:i b:+s[c?:+l[element:+s[d?:i e?:i]] f:i] g:+l[g:+s[h:i i:i]]");
    projects(message, "------", "");
    projects(message, "x-----", "a:i");
    projects(message, "-x---x", "b:+s[c?:+l[element:+s[d?:i]]] g:+l[g:+s[i:i]]");
    projects(message, "---x--", "b:+s[f:i]");
}

Test(arrow_plan_read, half_a_map_is_a_list) {
    static const char message[] =
        "message m { required group m (MAP) { repeated group kv { required group k { required "
        "int32 a; required int32 b; } required int32 v; } } }";
    projects(message, "xxx", "m:+m[kv:+s[k:+s[a:i b:i] v:i]]");
    projects(message, "x-x", "m:+m[kv:+s[k:+s[a:i] v:i]]");
    projects(message, "xx-", "m:+l[kv:+s[k:+s[a:i b:i]]]");
    projects(message, "--x", "m:+l[kv:+s[v:i]]");
}

/* A shredded variant without one of its columns would be read as another value. */
Test(arrow_plan_read, half_a_variant_is_a_struct) {
    static const char message[] =
        "message m { required group v (VARIANT(1)) { required binary "
        "metadata; optional binary value; optional int64 typed_value; } }";
    projects(message, "xx-", "v:+s[metadata:z value?:z]");
    projects(message, "--x", "v:+s[typed_value?:l]");
    projects(message, "xxx", "v:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:l]");
}

/* Files in the wild have groups without fields, which hold nothing. */
Test(arrow_plan_read, groups_without_columns_are_not_there) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_arrow_plan plan;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(lam_schema_builder_begin_group(
                         builder, "g", i == 0 ? LAM_REPETITION_OPTIONAL : LAM_REPETITION_REPEATED,
                         NULL, NULL),
                     LAM_STATUS_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "x", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_INT32, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    arrow_file file = file_of_schema(schema, NULL);
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    char *text = text_of(&plan.schema);
    cr_assert_str_eq(text, "g?:+s[x:i]");
    free(text);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

/* --- Metadata and ARROW:schema ---------------------------------------------------------------- */

static char *read_pairs(const char *message, const char *const *key_values,
                        const lam_arrow_read_options *options) {
    arrow_file file = file_of(message, key_values);
    lam_arrow_plan plan;
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, options, NULL, NULL), LAM_STATUS_OK);
    lam_arrow_field root = {.name = "", .child_count = 1, .children = &plan.schema};
    char *text = text_of(&root);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return text;
}

Test(arrow_plan_read, the_pairs_of_the_footer_are_the_metadata_of_the_root) {
    static const char *const key_values[] = {"a", "1", "ARROW:schema", "damaged", "b", "", "a",
                                             "2", NULL};
    char *text = read_pairs("message m { required int32 x; }", key_values, NULL);
    cr_assert_str_eq(text, ":+s`a=1``b=``a=2`[x:i]");
    free(text);
}

Test(arrow_plan_read, an_original_schema_without_value_is_none) {
    static const char *const key_values[] = {"ARROW:schema", NULL, NULL};
    char *text = read_pairs("message m { required int32 x; }", key_values, NULL);
    cr_assert_str_eq(text, ":+s[x:i]");
    free(text);
}

#ifdef LAM_HAVE_ARROW_SCHEMA
static char *schema_value(const char *original) {
    lam_arena arena = arrow_arena();
    lam_bytes value;
    cr_assert_eq(lam_ipc_schema_write(fields_of(&arena, original), &arena, &value, NULL),
                 LAM_STATUS_OK);
    char *copy = malloc(value.size + 1);
    memcpy(copy, value.data, value.size);
    copy[value.size] = '\0';
    lam_arena_finish(&arena);
    return copy;
}

Test(arrow_plan_read, the_original_schema_is_put_back_unless_it_shall_be_ignored) {
    static const char message[] = "message m { required int64 x; optional group l (LIST) { "
                                  "repeated group list { required binary element (STRING); } } }";
    char *value = schema_value("x:tDs`k=v` l?:+L[item:{c}u]");
    const char *const key_values[] = {"ARROW:schema", value, NULL};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    char *text = read_pairs(message, key_values, &options);
    cr_assert_str_eq(text, ":+s[x:tDs`k=v` l?:+L[item:{c}u]]");
    free(text);
    options.arrow_schema = LAM_SWITCH_OFF;
    text = read_pairs(message, key_values, &options);
    cr_assert_str_eq(text, ":+s[x:l l?:+l[element:u]]");
    free(text);
    free(value);
}

/* Each byte changed in turn: what is damaged is left out, and never stands in the way. */
Test(arrow_plan_read, a_damaged_original_schema_is_passed_over) {
    static const char message[] = "message m { required int64 x; required binary y (STRING); }";
    char *value = schema_value("x:tDs`k=v` y:{c}u");
    size_t size = strlen(value);
    for (size_t i = 0; i < size; i++) {
        char *broken = malloc(size + 1);
        memcpy(broken, value, size + 1);
        broken[i] = broken[i] == 'A' ? '/' : 'A';
        const char *const key_values[] = {"ARROW:schema", broken, NULL};
        free(read_pairs(message, key_values, NULL));
        broken[i] = '\0';
        free(read_pairs(message, key_values, NULL));
        free(broken);
    }
    free(value);
}
#endif

/* --- Dictionaries ----------------------------------------------------------------------------- */

Test(arrow_plan_read, strings_and_bytes_can_be_asked_for_as_dictionaries) {
    static const char message[] =
        "message m { required binary a (STRING); required binary b (JSON) = 4; repeated binary c; "
        "required fixed_len_byte_array(16) d (UUID); required int32 e; }";
    const bool dictionary[] = {true, true, true, true, false};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.dictionary_leaves = dictionary;
    char *text = read_as(message, &options);
    cr_assert_str_eq(text, "a:{i}u b:{i}u@4 c:+l[c:{i}z] d:{i}w:16 e:i");
    free(text);
}

/* Dictionaries inside of a VARIANT are those of its metadata alone. */
Test(arrow_plan_read, a_variant_of_dictionaries_is_a_struct) {
    static const char message[] = "message m { required group v (VARIANT(1)) { required binary "
                                  "metadata; required binary value; } }";
    bool dictionary[] = {true, false};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.dictionary_leaves = dictionary;
    char *text = read_as(message, &options);
    cr_assert_str_eq(text, "v:+s<arrow.parquet.variant>[metadata:{i}z value:z]");
    free(text);
    dictionary[1] = true;
    text = read_as(message, &options);
    cr_assert_str_eq(text, "v:+s[metadata:{i}z value:{i}z]");
    free(text);
}

Test(arrow_plan_read, other_values_are_not_given_as_dictionaries) {
    static const char *const columns[] = {"boolean b", "int32 b", "int64 b (DECIMAL(3,2))",
                                          "double b", "binary b (UNKNOWN)"};
    static const char *const types[] = {"bool", "int32", "decimal", "double", "null"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char message[128];
        char expected[128];
        snprintf(message, sizeof message, "message m { required group a { required %s; } }",
                 columns[i]);
        snprintf(expected, sizeof expected, "a.b: values of type %s cannot be read as a dictionary",
                 types[i]);
        const bool dictionary[] = {true};
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.dictionary_leaves = dictionary;
        arrow_file file = file_of(message, NULL);
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error),
                     LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, expected);
        close_file(&file);
    }
}

Test(arrow_plan_read, options_of_another_size_are_refused) {
    arrow_file file = file_of("message m { required int32 a; }", NULL);
    lam_arrow_plan plan;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_error error = lam_error_none();
    options.arrow_schema = (lam_switch)77;
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error),
                 LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, "arrow_schema"), "%s", error.message);
    options = lam_arrow_read_options_default();
    options.struct_size--;
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error),
                 LAM_STATUS_INVALID);
    close_file(&file);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(arrow_plan_read, any_allocation_may_fail) {
    const char *key_values[] = {"k", "v", NULL, NULL, NULL};
#ifdef LAM_HAVE_ARROW_SCHEMA
    char *value = schema_value("a?:+L[item:+s[x:tDs y:{c}u]] g:Z<geoarrow.wkb|{}>`k=v`");
    key_values[2] = "ARROW:schema";
    key_values[3] = value;
#endif
    arrow_file file =
        file_of("message m { optional group a (LIST) { repeated group list { required "
                "group element = 4 { required int64 x = 3; required binary y (STRING); } "
                "} } required binary g (GEOMETRY); optional group m (MAP) { "
                "repeated group key_value = 5 { required int32 key; optional int32 value; } } }",
                key_values);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        lam_status status = lam_arrow_plan_read(&plan, file.reader, NULL, &allocator, &error);
        if (status == LAM_STATUS_OK)
            lam_arrow_plan_finish(&plan);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK) {
            cr_assert_gt(n, 2);
            break;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    }
    close_file(&file);
#ifdef LAM_HAVE_ARROW_SCHEMA
    free(value);
#endif
}
