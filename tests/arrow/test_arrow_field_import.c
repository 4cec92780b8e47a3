/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields come in through the Arrow C data interface from structs made by hand: what is taken, what
 * is refused and with which path, however deep or broken the tree is.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/field/arrow_field.h"
#include "support/failing_alloc.h"

/* --- Structs by hand -------------------------------------------------------------------------- */

static void release(struct ArrowSchema *schema) {
    schema->release = NULL;
}

/* A struct that is freed by nobody, since it is on the stack; it is nullable. */
static struct ArrowSchema made(const char *format, const char *name, struct ArrowSchema **children,
                               int64_t n_children) {
    struct ArrowSchema schema = {0};
    schema.format = format;
    schema.name = name;
    schema.flags = ARROW_FLAG_NULLABLE;
    schema.n_children = n_children;
    schema.children = children;
    schema.release = release;
    return schema;
}

static lam_arena arena;

static void set_up(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&arena, &allocator, 0);
}

static void tear_down(void) {
    lam_arena_finish(&arena);
}

TestSuite(arrow_field_import, .init = set_up, .fini = tear_down);

static lam_arrow_field imported(const struct ArrowSchema *schema) {
    lam_arrow_field field;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_import(schema, &arena, &field, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return field;
}

static void refused(const struct ArrowSchema *schema, lam_status status, const char *message) {
    lam_arrow_field field = {.child_count = 77};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_import(schema, &arena, &field, &error), status, "%s",
                 error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(field.child_count, 77, "the output of a failed call is left alone");
}

/* The same below the root, as field "x". */
static void refused_below(struct ArrowSchema *schema, lam_status status, const char *message) {
    struct ArrowSchema *children[] = {schema};
    struct ArrowSchema root = made("+s", "", children, 1);
    schema->name = "x";
    refused(&root, status, message);
}

/* --- What is taken ---------------------------------------------------------------------------- */

Test(arrow_field_import, a_tree_is_copied_whole) {
    char format[] = "tsu:Europe/Paris", name[] = "when", metadata[] = "....\3...key\5...value";
    int32_t numbers[] = {1, 3, 5};
    memcpy(metadata, &numbers[0], 4);
    memcpy(metadata + 4, &numbers[1], 4);
    memcpy(metadata + 11, &numbers[2], 4);
    struct ArrowSchema when = made(format, name, NULL, 0);
    when.metadata = metadata;
    struct ArrowSchema ids = made("+ud:5,9", "choice", NULL, 2);
    struct ArrowSchema number = made("i", NULL, NULL, 0), text = made("u", "t", NULL, 0);
    text.flags = 0;
    struct ArrowSchema *two[] = {&number, &text};
    ids.children = two;
    struct ArrowSchema *children[] = {&when, &ids};
    struct ArrowSchema root = made("+s", "root", children, 2);
    root.flags = 0;
    lam_arrow_field field = imported(&root);
    memset(format, '?', sizeof format - 1);
    memset(name, '?', sizeof name - 1);
    memset(metadata, '?', sizeof metadata - 1);
    cr_assert_str_eq(field.name, "root");
    cr_assert_eq(field.type.kind, LAM_ARROW_STRUCT);
    cr_assert_not(field.nullable);
    cr_assert_eq(field.child_count, 2);
    const lam_arrow_field *first = &field.children[0], *second = &field.children[1];
    cr_assert_str_eq(first->name, "when");
    cr_assert(first->nullable);
    cr_assert_eq(first->type.unit, LAM_ARROW_MICROSECOND);
    cr_assert_str_eq(first->type.timezone, "Europe/Paris");
    cr_assert_eq(first->metadata.count, 1);
    const lam_bytes *value = lam_arrow_metadata_find(&first->metadata, "key");
    cr_assert(value != NULL && value->size == 5 && memcmp(value->data, "value", 5) == 0);
    cr_assert_eq(second->type.union_ids.size, 2);
    cr_assert_eq(second->type.union_ids.data[1], 9);
    cr_assert_str_eq(second->children[0].name, "", "a NULL name is an empty one");
    cr_assert_not(second->children[1].nullable);
}

Test(arrow_field_import, a_dictionary_has_the_type_of_its_values) {
    struct ArrowSchema values = made("u", "", NULL, 0);
    struct ArrowSchema field = made("S", "d", NULL, 0);
    field.dictionary = &values;
    field.flags = ARROW_FLAG_DICTIONARY_ORDERED;
    lam_arrow_field seen = imported(&field);
    cr_assert(seen.is_dictionary && seen.dictionary_ordered);
    cr_assert_eq(seen.index_kind, LAM_ARROW_UINT16);
    cr_assert_eq(seen.type.kind, LAM_ARROW_STRING);
    cr_assert_str_eq(seen.name, "d");
    cr_assert_not(seen.nullable, "that the values are nullable says nothing of the field");
}

Test(arrow_field_import, children_of_a_dictionary_are_those_of_its_values) {
    struct ArrowSchema key = made("u", "k", NULL, 0), value = made("i", "v", NULL, 0);
    struct ArrowSchema *pair[] = {&key, &value};
    struct ArrowSchema entries = made("+s", "entries", pair, 2);
    struct ArrowSchema *one[] = {&entries};
    struct ArrowSchema values = made("+m", "", one, 1);
    values.flags |= ARROW_FLAG_MAP_KEYS_SORTED;
    struct ArrowSchema field = made("c", "d", NULL, 0);
    field.dictionary = &values;
    lam_arrow_field seen = imported(&field);
    cr_assert_eq(seen.type.kind, LAM_ARROW_MAP);
    cr_assert(seen.type.keys_sorted);
    cr_assert_not(seen.dictionary_ordered);
    cr_assert_eq(seen.child_count, 1);
    cr_assert_str_eq(seen.children[0].children[1].name, "v");
    cr_assert_not(seen.children[0].nullable);
    cr_assert_not(seen.children[0].children[0].nullable);
}

Test(arrow_field_import, flags_of_other_types_are_passed_over) {
    struct ArrowSchema field = made("i", "f", NULL, 0);
    field.flags = -1;
    lam_arrow_field seen = imported(&field);
    cr_assert(seen.nullable);
    cr_assert_not(seen.is_dictionary || seen.dictionary_ordered || seen.type.keys_sorted);
}

/* --- What is refused -------------------------------------------------------------------------- */

Test(arrow_field_import, what_is_released_is_not_looked_at) {
    refused(NULL, LAM_STATUS_INVALID, "the schema is NULL or released");
    struct ArrowSchema schema = made("i", "", NULL, 0);
    schema.release = NULL;
    refused(&schema, LAM_STATUS_INVALID, "the schema is NULL or released");
    refused_below(&schema, LAM_STATUS_INVALID, "schema: a child is NULL or released");
    struct ArrowSchema *none[] = {NULL};
    struct ArrowSchema list = made("+l", "", none, 1);
    refused_below(&list, LAM_STATUS_INVALID, "x: a child is NULL or released");
    list.children = NULL;
    refused_below(&list, LAM_STATUS_INVALID, "x: a child is NULL or released");
    struct ArrowSchema values = made("u", "", NULL, 0), field = made("i", "", NULL, 0);
    field.dictionary = &values;
    values.release = NULL;
    refused_below(&field, LAM_STATUS_INVALID, "x: the dictionary is released");
}

Test(arrow_field_import, a_format_is_known_text) {
    struct ArrowSchema schema = made(NULL, "", NULL, 0);
    refused_below(&schema, LAM_STATUS_INVALID, "x: the format string is not text");
    schema.format = "tsu:\xFF";
    refused_below(&schema, LAM_STATUS_INVALID, "x: the format string is not text");
    schema.format = "q";
    refused_below(&schema, LAM_STATUS_INVALID, "x: the format string is unknown");
    schema.format = "d:77,0,256";
    refused_below(&schema, LAM_STATUS_INVALID,
                  "x: the precision of a decimal must be 1 to 9, 18, 38 or 76 digits, depending on "
                  "its width");
}

Test(arrow_field_import, a_name_is_text) {
    struct ArrowSchema bad = made("i", "a\xC3", NULL, 0);
    struct ArrowSchema *children[] = {&bad};
    struct ArrowSchema root = made("+s", "", children, 1);
    refused(&root, LAM_STATUS_INVALID, "a\\xc3: the name is not UTF-8");
}

Test(arrow_field_import, a_path_leads_to_the_fault) {
    struct ArrowSchema deep = made("i", "z", NULL, -1);
    struct ArrowSchema *in_deep[] = {&deep};
    struct ArrowSchema list = made("+l", "y", in_deep, 1);
    struct ArrowSchema *in_list[] = {&list};
    struct ArrowSchema outer = made("+s", "x", in_list, 1);
    refused_below(&outer, LAM_STATUS_INVALID, "x.y.z: the number of children is negative");
    deep.n_children = 0;
    deep.metadata = "\xFF\xFF\xFF\xFF";
    refused_below(&outer, LAM_STATUS_INVALID, "x.y.z: the metadata has a negative number");
    deep.metadata = NULL;
    list.format = "+w:-1";
    refused_below(&outer, LAM_STATUS_INVALID, "x.y: a fixed size must not be negative");
}

Test(arrow_field_import, children_are_counted_by_type) {
    struct ArrowSchema one = made("i", "a", NULL, 0), two = made("i", "b", NULL, 0);
    struct ArrowSchema *pair[] = {&one, &two};
    struct ArrowSchema list = made("+l", "", pair, 2);
    refused_below(&list, LAM_STATUS_INVALID, "x: a list must have one child, its elements");
    list.format = "+vL";
    refused_below(&list, LAM_STATUS_INVALID, "x: a list must have one child, its elements");
    list.format = "u";
    refused_below(&list, LAM_STATUS_INVALID, "x: a type that is not nested must not have children");
    list.format = "+m";
    refused_below(&list, LAM_STATUS_INVALID, "x: a map must have one child, its entries");
    list.format = "+us:1";
    refused_below(&list, LAM_STATUS_INVALID, "x: a union must have as many children as type ids");
    list.format = "+r";
    refused_below(&list, LAM_STATUS_INVALID,
                  "x: run ends must be int16, int32 or int64, and not nullable");
    one.flags = 0;
    lam_arrow_field field = imported(&list);
    cr_assert_eq(field.type.kind, LAM_ARROW_RUN_END_ENCODED);
}

Test(arrow_field_import, dictionaries_are_integers_over_plain_values) {
    struct ArrowSchema values = made("u", "", NULL, 0), field = made("f", "", NULL, 0);
    field.dictionary = &values;
    refused_below(&field, LAM_STATUS_INVALID, "x: the indices of a dictionary must be integers");
    struct ArrowSchema other = made("i", "", NULL, 0);
    struct ArrowSchema *children[] = {&other};
    field.format = "i";
    field.children = children;
    field.n_children = 1;
    refused_below(&field, LAM_STATUS_INVALID,
                  "x: the indices of a dictionary must not have children");
    field.n_children = 0;
    struct ArrowSchema inner = made("u", "", NULL, 0);
    values.format = "i";
    values.dictionary = &inner;
    refused_below(&field, LAM_STATUS_UNSUPPORTED,
                  "x: a dictionary's values are dictionary encoded");
    values.dictionary = NULL;
    field.format = "?";
    refused_below(&field, LAM_STATUS_INVALID, "x: the format string is unknown");
}

Test(arrow_field_import, metadata_of_the_values_of_a_dictionary_is_checked) {
    const int32_t negative = -1;
    struct ArrowSchema values = made("u", "", NULL, 0), field = made("i", "", NULL, 0);
    field.dictionary = &values;
    values.metadata = (const char *)&negative;
    refused_below(&field, LAM_STATUS_INVALID, "x: the metadata has a negative number");
}

Test(arrow_field_import, numbers_of_children_are_bounded_before_they_size_anything) {
    struct ArrowSchema one = made("i", "a", NULL, 0);
    struct ArrowSchema *pair[] = {&one, &one};
    struct ArrowSchema root = made("+s", "", pair, INT64_MAX);
    refused(&root, LAM_STATUS_LIMIT, "schema: the schema has too many fields");
    root.n_children = LAM_SCHEMA_FIELDS_MAX;
    refused(&root, LAM_STATUS_LIMIT, "schema: the schema has too many fields");
    root.n_children = INT64_MIN;
    refused(&root, LAM_STATUS_INVALID, "schema: the number of children is negative");
}

Test(arrow_field_import, a_schema_that_contains_itself_ends) {
    struct ArrowSchema list = made("+l", "l", NULL, 1);
    struct ArrowSchema *itself[] = {&list};
    list.children = itself;
    struct ArrowSchema *children[] = {&list};
    struct ArrowSchema root = made("+s", "", children, 1);
    lam_arrow_field field;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_import(&root, &arena, &field, &error), LAM_STATUS_LIMIT);
    cr_assert_not_null(strstr(error.message, "...: the field is nested too deep"));
    /* Twice in each struct: without a bound on fields 2 to the 250 of them. */
    struct ArrowSchema *twice[] = {&root, &root};
    root.children = twice;
    root.n_children = 2;
    cr_assert_eq(lam_arrow_field_import(&root, &arena, &field, &error), LAM_STATUS_LIMIT);
}

Test(arrow_field_import, a_tree_may_be_as_deep_as_parquet_is) {
    struct ArrowSchema nodes[LAM_ARROW_DEPTH_MAX + 2], *pointers[LAM_ARROW_DEPTH_MAX + 2];
    for (int i = 0; i <= LAM_ARROW_DEPTH_MAX; i++) {
        pointers[i] = &nodes[i + 1];
        nodes[i] = made("+l", "l", &pointers[i], 1);
    }
    nodes[LAM_ARROW_DEPTH_MAX] = made("i", "l", NULL, 0);
    (void)imported(&nodes[0]);
    nodes[LAM_ARROW_DEPTH_MAX] = made("+l", "l", &pointers[LAM_ARROW_DEPTH_MAX], 1);
    nodes[LAM_ARROW_DEPTH_MAX + 1] = made("i", "l", NULL, 0);
    lam_arrow_field field;
    cr_assert_eq(lam_arrow_field_import(&nodes[0], &arena, &field, NULL), LAM_STATUS_LIMIT);
}

Test(arrow_field_import, each_allocation_may_fail) {
    struct ArrowSchema when = made("tsu:UTC", "when", NULL, 0), ids = made("+us:5", "u", NULL, 1);
    struct ArrowSchema number = made("i", "n", NULL, 0), values = made("u", "", NULL, 0);
    struct ArrowSchema *in_ids[] = {&number};
    ids.children = in_ids;
    number.dictionary = &values;
    enum { WIDE = 64 }; /* enough to need several blocks */
    struct ArrowSchema *children[WIDE];
    for (size_t i = 0; i < WIDE; i++)
        children[i] = i % 2 == 0 ? &when : &ids;
    struct ArrowSchema root = made("+s", "", children, WIDE);
    size_t failures = 0;
    for (;; failures++) {
        lam_failing_alloc counter = {.fail_at = failures + 1};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena own;
        lam_arena_init(&own, &allocator, 0);
        lam_arrow_field field;
        lam_status status = lam_arrow_field_import(&root, &own, &field, NULL);
        lam_arena_finish(&own);
        cr_assert_eq(counter.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    cr_assert_gt(failures, 2);
}
