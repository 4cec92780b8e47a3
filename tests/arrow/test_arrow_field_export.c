/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields leave through the Arrow C data interface: every member as the interface has it, and memory
 * that lives until each part is released, in any order.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "arrow/field/arrow_field.h"
#include "arrow/random_fields.h"
#include "support/failing_alloc.h"

static lam_failing_alloc counter;
static lam_allocator allocator;
static lam_arena arena;

static void set_up(void) {
    lam_allocator heap = lam_allocator_default();
    lam_arena_init(&arena, &heap, 0);
    memset(&counter, 0, sizeof counter);
    allocator = lam_failing_allocator(&counter);
}

static void tear_down(void) {
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

TestSuite(arrow_field_export, .init = set_up, .fini = tear_down);

static struct ArrowSchema exported(const lam_arrow_field *field) {
    struct ArrowSchema schema;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_export(field, &allocator, &schema, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return schema;
}

static void free_schema(struct ArrowSchema *schema) {
    schema->release(schema);
    cr_assert_null(schema->release);
}

/* A struct "p" of a list "l" of int32, a map "m" of string to double, and a dictionary "d". */
static lam_arrow_field sample(void) {
    static lam_arrow_field element = {.name = "element", .type = {.kind = LAM_ARROW_INT32}};
    static lam_arrow_field pair[] = {
        {.name = "key", .type = {.kind = LAM_ARROW_STRING}},
        {.name = "value", .type = {.kind = LAM_ARROW_FLOAT64}, .nullable = true}};
    static lam_arrow_field entries = {.name = "entries", .type = {.kind = LAM_ARROW_STRUCT}};
    static lam_arrow_key_value key_values[] = {
        {{(const uint8_t *)"k", 1}, {(const uint8_t *)"v", 1}}};
    static lam_arrow_field children[3];
    entries.children = pair;
    entries.child_count = 2;
    children[0] = (lam_arrow_field){.name = "l", .type = {.kind = LAM_ARROW_LIST}};
    children[0].nullable = true;
    children[0].children = &element;
    children[0].child_count = 1;
    children[0].metadata = (lam_arrow_metadata){1, key_values};
    children[1] = (lam_arrow_field){.name = "m", .type = {.kind = LAM_ARROW_MAP}};
    children[1].type.keys_sorted = true;
    children[1].children = &entries;
    children[1].child_count = 1;
    children[2] = (lam_arrow_field){.name = "d", .type = {.kind = LAM_ARROW_LARGE_STRING}};
    children[2].is_dictionary = true;
    children[2].dictionary_ordered = true;
    children[2].index_kind = LAM_ARROW_UINT8;
    lam_arrow_field root = {.name = "p", .type = {.kind = LAM_ARROW_STRUCT}};
    root.children = children;
    root.child_count = 3;
    return root;
}

Test(arrow_field_export, every_member_says_what_the_field_does) {
    lam_arrow_field root = sample();
    struct ArrowSchema schema = exported(&root);
    cr_assert_str_eq(schema.format, "+s");
    cr_assert_str_eq(schema.name, "p");
    cr_assert_null(schema.metadata);
    cr_assert_eq(schema.flags, 0);
    cr_assert_eq(schema.n_children, 3);
    cr_assert_null(schema.dictionary);
    const struct ArrowSchema *list = schema.children[0], *map = schema.children[1],
                             *dictionary = schema.children[2];
    cr_assert_str_eq(list->format, "+l");
    cr_assert_eq(list->flags, ARROW_FLAG_NULLABLE);
    int32_t one = 1;
    cr_assert_arr_eq(list->metadata, &one, 4);
    cr_assert_arr_eq(list->metadata + 4, &one, 4);
    cr_assert_eq(list->metadata[8], 'k');
    cr_assert_arr_eq(list->metadata + 9, &one, 4);
    cr_assert_eq(list->metadata[13], 'v');
    cr_assert_str_eq(list->children[0]->name, "element");
    cr_assert_null(list->children[0]->children);
    cr_assert_str_eq(map->format, "+m");
    cr_assert_eq(map->flags, ARROW_FLAG_MAP_KEYS_SORTED);
    cr_assert_eq(map->children[0]->children[1]->flags, ARROW_FLAG_NULLABLE);
    cr_assert_str_eq(dictionary->format, "C");
    cr_assert_eq(dictionary->flags, ARROW_FLAG_DICTIONARY_ORDERED);
    cr_assert_str_eq(dictionary->dictionary->format, "U");
    free_schema(&schema);
}

Test(arrow_field_export, a_dictionary_of_nested_values_has_its_children_inside) {
    lam_arrow_field field = sample().children[1];
    field.is_dictionary = true;
    field.nullable = true;
    field.index_kind = LAM_ARROW_INT64;
    struct ArrowSchema schema = exported(&field);
    cr_assert_str_eq(schema.format, "l");
    cr_assert_eq(schema.n_children, 0);
    cr_assert_eq(schema.flags, ARROW_FLAG_NULLABLE);
    cr_assert_str_eq(schema.dictionary->format, "+m");
    cr_assert(schema.dictionary->flags & ARROW_FLAG_MAP_KEYS_SORTED);
    cr_assert_eq(schema.dictionary->n_children, 1);
    cr_assert_str_eq(schema.dictionary->children[0]->children[0]->name, "key");
    free_schema(&schema);
}

Test(arrow_field_export, metadata_that_the_interface_cannot_say_is_a_limit) {
    lam_arrow_key_value pair = {{(const uint8_t *)"k", 1},
                                {(const uint8_t *)"v", (size_t)INT32_MAX + 1}};
    lam_arrow_field field = {.name = "a", .type = {.kind = LAM_ARROW_INT32}};
    struct ArrowSchema schema = {.n_children = 77};
    lam_error error = lam_error_none();
    field.metadata = (lam_arrow_metadata){1, &pair};
    cr_assert_eq(lam_arrow_field_export(&field, &allocator, &schema, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "the metadata is too long for Arrow's interface");
    cr_assert_eq(schema.n_children, 77, "the output of a failed call is left alone");
}

/* As many as there are numbers for, or nearly, so that whatever is added is too much. */
Test(arrow_field_export, more_children_than_memory_can_have_are_nomem) {
    enum { LONG = 2000 };
    char text[LONG + 1];
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    lam_arrow_key_value pair = {{(const uint8_t *)text, LONG}, {(const uint8_t *)text, LONG}};
    const size_t child = sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema);
    const lam_arrow_field plain = {.name = "a", .type = {.kind = LAM_ARROW_STRUCT}};
    lam_arrow_field fields[] = {plain, plain, plain};
    fields[0].type = (lam_arrow_type){.kind = LAM_ARROW_TIMESTAMP, .timezone = text};
    fields[1].name = text;
    fields[2].metadata = (lam_arrow_metadata){1, &pair};
    for (size_t i = 0; i < 3; i++)
        for (size_t less = 0; less < LONG / child; less++) {
            struct ArrowSchema schema;
            lam_error error = lam_error_none();
            fields[i].child_count = less == 0 ? SIZE_MAX : SIZE_MAX / child - less + 1;
            cr_assert_eq(lam_arrow_field_export(&fields[i], &allocator, &schema, &error),
                         LAM_STATUS_NOMEM);
            cr_assert_not_null(strstr(error.message, "no memory for a schema of"));
        }
    cr_assert_eq(counter.requests, 0);
}

Test(arrow_field_export, random_fields_come_back_as_they_went) {
    uint64_t seed = lam_test_seed(7);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1000; round++) {
        lam_arena_reset(&arena);
        lam_arrow_field field = lam_random_field(&random, &arena, 5), back;
        struct ArrowSchema schema = exported(&field);
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_field_import(&schema, &arena, &back, &error), LAM_STATUS_OK,
                     "seed %llu, round %d: %s", (unsigned long long)seed, round, error.message);
        free_schema(&schema);
        cr_assert_eq(counter.live_bytes, 0);
        const char *difference = lam_fields_differ(&field, &back);
        cr_assert_null(difference, "seed %llu, round %d: %s", (unsigned long long)seed, round,
                       difference);
    }
}

/* --- Ownership -------------------------------------------------------------------------------- */

Test(arrow_field_export, a_struct_may_be_moved_and_released_elsewhere) {
    lam_arrow_field root = sample();
    struct ArrowSchema schema = exported(&root);
    struct ArrowSchema moved = schema;
    memset(&schema, 0xEE, sizeof schema);
    cr_assert_str_eq(moved.children[0]->children[0]->format, "i");
    free_schema(&moved);
}

Test(arrow_field_export, children_outlive_the_parent_they_are_moved_out_of) {
    lam_arrow_field root = sample();
    struct ArrowSchema schema = exported(&root);
    struct ArrowSchema map = *schema.children[1], values = *schema.children[2]->dictionary;
    schema.children[1]->release = NULL;
    schema.children[2]->dictionary->release = NULL;
    free_schema(&schema);
    cr_assert_str_eq(map.format, "+m");
    struct ArrowSchema entries = *map.children[0];
    map.children[0]->release = NULL;
    free_schema(&map);
    cr_assert_str_eq(values.format, "U");
    cr_assert_str_eq(entries.children[1]->name, "value");
    free_schema(&entries);
    free_schema(&values);
}

Test(arrow_field_export, children_may_be_released_before_their_parent) {
    lam_arrow_field root = sample();
    struct ArrowSchema schema = exported(&root);
    free_schema(schema.children[2]->dictionary);
    free_schema(schema.children[0]);
    free_schema(&schema);
}

static void *release_there(void *schema) {
    ((struct ArrowSchema *)schema)->release(schema);
    return NULL;
}

Test(arrow_field_export, release_comes_from_any_thread) {
    lam_arrow_field root = sample();
    struct ArrowSchema schema = exported(&root);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, release_there, &schema), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_null(schema.release);
}

Test(arrow_field_export, each_allocation_may_fail) {
    lam_random random = lam_random_start(3);
    lam_arrow_field root = sample();
    root.children[0].children[0] = lam_random_field(&random, &arena, 3);
    size_t failures = 0;
    for (;; failures++) {
        counter.requests = 0;
        counter.fail_at = failures + 1;
        struct ArrowSchema schema = {.n_children = 77};
        lam_error error = lam_error_none();
        lam_status status = lam_arrow_field_export(&root, &allocator, &schema, &error);
        if (status == LAM_STATUS_OK) {
            free_schema(&schema);
            break;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(error.status, LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(schema.n_children, 77, "the output of a failed call is left alone");
    }
    cr_assert_geq(failures, 8, "a block for each struct");
}
