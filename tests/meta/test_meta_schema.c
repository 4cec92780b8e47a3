/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flat list of schema elements becomes a tree and back; what is no tree, or contradicts itself,
 * is corrupt.
 */
#include "meta/meta_schema.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/compact.h"
#include "meta/schema_elements.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/shared.h"

/* --- Trees ---------------------------------------------------------------------------------- */

Test(meta_schema, elements_in_preorder_become_a_tree) {
    lam_meta_schema_element elements[] = {root(3),
                                          leaf("a", LAM_PHYSICAL_INT32),
                                          group("b", 2),
                                          group("c", 1),
                                          leaf("d", LAM_PHYSICAL_BOOLEAN),
                                          leaf("e", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY),
                                          leaf("f", LAM_PHYSICAL_DOUBLE)};
    elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_FIELD_ID;
    elements[1].field_id = -7;
    elements[5].has |= LENGTH;
    elements[5].type_length = 9;
    elements[6].has |= CHILDREN; /* a leaf may say that it has no children */
    lam_schema *schema;
    cr_assert_eq(import(elements, 7, &schema, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(lam_field_name(lam_schema_root(schema)), "root");
    cr_assert_eq(lam_schema_leaf_count(schema), 4);
    const lam_field *d = lam_schema_find(schema, "b.c.d");
    cr_assert_not_null(d);
    cr_assert_eq(lam_field_max_definition(d), 3);
    cr_assert_eq(lam_field_max_repetition(d), 1);
    cr_assert_eq(lam_field_type_length(lam_schema_find(schema, "b.e")), 9);
    int32_t id = 0;
    cr_assert(lam_field_id(lam_schema_find(schema, "a"), &id));
    cr_assert_eq(id, -7);
    cr_assert_not_null(lam_schema_find(schema, "f"));
    lam_schema_destroy(schema);
}

Test(meta_schema, a_root_alone_is_a_schema) {
    lam_meta_schema_element elements[] = {root(0)};
    for (uint32_t round = 0; round < 2; round++) {
        lam_schema *schema;
        cr_assert_eq(import(elements, 1, &schema, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_schema_leaf_count(schema), 0);
        lam_schema_destroy(schema);
        elements[0].has = 0; /* nor need it count its children */
    }
}

Test(meta_schema, siblings_of_one_name_and_groups_without_fields_are_taken) {
    lam_meta_schema_element elements[] = {root(3), group("g", 0), leaf("x", LAM_PHYSICAL_INT64),
                                          leaf("x", LAM_PHYSICAL_INT64)};
    lam_schema *schema;
    cr_assert_eq(import(elements, 4, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_leaf_count(schema), 2);
    lam_schema_destroy(schema);
    elements[1].has = REPETITION; /* a count of 0 may be left out */
    cr_assert_eq(import(elements, 4, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_field_physical_type(lam_schema_find(schema, "g")), LAM_PHYSICAL_GROUP);
    lam_schema_destroy(schema);
}

Test(meta_schema, elements_that_are_not_one_tree_are_corrupt) {
    lam_schema *schema = NULL;
    cr_assert_eq(import(NULL, 0, &schema, NULL), LAM_STATUS_CORRUPT);
    lam_meta_schema_element more[] = {root(1), leaf("a", LAM_PHYSICAL_INT32),
                                      leaf("b", LAM_PHYSICAL_INT32)};
    EXPECT_IMPORT(more, LAM_STATUS_CORRUPT);
    lam_meta_schema_element fewer[] = {root(2), leaf("a", LAM_PHYSICAL_INT32)};
    EXPECT_IMPORT(fewer, LAM_STATUS_CORRUPT);
    lam_meta_schema_element inside[] = {root(1), group("g", INT32_MAX),
                                        leaf("a", LAM_PHYSICAL_INT32)};
    EXPECT_IMPORT(inside, LAM_STATUS_CORRUPT);
    lam_meta_schema_element below_none[] = {root(-1), leaf("a", LAM_PHYSICAL_INT32)};
    EXPECT_IMPORT(below_none, LAM_STATUS_CORRUPT);
    lam_meta_schema_element group_below_none[] = {root(1), group("g", -2)};
    EXPECT_IMPORT(group_below_none, LAM_STATUS_CORRUPT);
}

Test(meta_schema, a_field_that_contradicts_itself_is_corrupt) {
    lam_meta_schema_element elements[] = {root(1), leaf("a", LAM_PHYSICAL_INT32)};
    elements[1].repetition_type = 4;
    EXPECT_IMPORT(elements, LAM_STATUS_CORRUPT);
    elements[1] = leaf("a", LAM_PHYSICAL_INT32);
    elements[1].has |= CHILDREN;
    elements[1].num_children = 1;
    EXPECT_IMPORT(elements, LAM_STATUS_CORRUPT);
    elements[1] = leaf("a", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY);
    EXPECT_IMPORT(elements, LAM_STATUS_CORRUPT); /* no length */
    elements[1] = leaf("a", (lam_physical_type)8);
    EXPECT_IMPORT(elements, LAM_STATUS_UNSUPPORTED);
    elements[1] = leaf("a", (lam_physical_type)-1);
    EXPECT_IMPORT(elements, LAM_STATUS_UNSUPPORTED);
}

/* Files of hyparquet's writer were refused, which leaves out the repetition of required fields. */
Test(meta_schema, a_field_without_repetition_is_required) {
    lam_meta_schema_element elements[] = {root(2), group("g", 1), leaf("a", LAM_PHYSICAL_INT32),
                                          leaf("b", LAM_PHYSICAL_INT32)};
    lam_schema *schema;
    elements[1].has = CHILDREN;
    elements[2].has = TYPE;
    elements[2].repetition_type = 3; /* which it does not have */
    cr_assert_eq(import(elements, 4, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_field_repetition(lam_schema_find(schema, "g")), LAM_REPETITION_REQUIRED);
    cr_assert_eq(lam_field_repetition(lam_schema_find(schema, "g.a")), LAM_REPETITION_REQUIRED);
    cr_assert_eq(lam_field_max_definition(lam_schema_find(schema, "g.a")), 0);
    cr_assert_eq(lam_field_repetition(lam_schema_find(schema, "b")), LAM_REPETITION_REPEATED);
    lam_schema_destroy(schema);
}

/* It was called corrupt, which it is not, and nothing said which name it was. */
Test(meta_schema, a_text_that_holds_a_NUL_is_unsupported_and_named) {
    static const char wanted[] =
        "the %s '%s' in the schema holds a NUL byte, and texts end at one here";
    static const lam_bytes bad = {(const uint8_t *)"a\0b", 3}, none = {(const uint8_t *)"\0", 1};
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_GEOMETRY};
    logical.value.geometry =
        (lam_meta_geometry_type){.has = LAM_META_GEOMETRY_TYPE_HAS_CRS, .crs = bad};
    for (size_t i = 0; i < 4; i++) {
        lam_meta_schema_element elements[] = {root(1), leaf("x", LAM_PHYSICAL_BYTE_ARRAY)};
        if (i == 3)
            elements[1].logical_type = &logical;
        else
            elements[i == 0 ? 0 : 1].name = i == 2 ? none : bad;
        lam_schema *schema = NULL;
        lam_error error = lam_error_none();
        char message[256];
        cr_assert_eq(import(elements, 2, &schema, &error), LAM_STATUS_UNSUPPORTED);
        snprintf(message, sizeof message, wanted, i == 3 ? "CRS" : "name",
                 i == 2 ? "\"\\x00\"" : "\"a\\x00b\"");
        cr_assert_str_eq(error.message, message);
        cr_assert_null(schema);
    }
}

Test(meta_schema, a_tree_may_be_as_deep_as_the_limit_and_no_deeper) {
    static lam_meta_schema_element elements[400];
    elements[0] = root(1);
    for (size_t i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        elements[i] = group("g", 1);
    elements[LAM_SCHEMA_DEPTH_MAX] = leaf("x", LAM_PHYSICAL_INT32);
    lam_schema *schema = NULL;
    cr_assert_eq(import(elements, LAM_SCHEMA_DEPTH_MAX + 1, &schema, NULL), LAM_STATUS_OK);
    lam_schema_destroy(schema);
    elements[LAM_SCHEMA_DEPTH_MAX] = group("g", 1);
    elements[LAM_SCHEMA_DEPTH_MAX + 1] = leaf("x", LAM_PHYSICAL_INT32);
    schema = NULL;
    cr_assert_eq(import(elements, LAM_SCHEMA_DEPTH_MAX + 2, &schema, NULL), LAM_STATUS_LIMIT);
    for (size_t i = 1; i < 400; i++)
        elements[i] = group("g", 1);
    EXPECT_IMPORT(elements, LAM_STATUS_LIMIT);
}

Test(meta_schema, random_elements_give_a_schema_or_a_clean_error) {
    uint64_t seed = lam_test_seed(21);
    lam_random random = lam_random_start(seed);
    size_t good = 0;
    for (int round = 0; round < 20000; round++) {
        lam_meta_schema_element elements[12];
        size_t count = 1 + (size_t)lam_random_below(&random, 12);
        elements[0] = root((int32_t)lam_random_below(&random, 4));
        for (size_t i = 1; i < count; i++) {
            elements[i] = lam_random_chance(&random, 40)
                              ? group("g", (int32_t)lam_random_below(&random, 4))
                              : leaf("x", (lam_physical_type)lam_random_below(&random, 7));
            if (lam_random_chance(&random, 30)) {
                elements[i].has |= CONVERTED;
                elements[i].converted_type = (int32_t)lam_random_below(&random, 25) - 1;
            }
        }
        lam_schema *schema = NULL;
        lam_error error = lam_error_none();
        lam_status status = import(elements, count, &schema, &error);
        cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_CORRUPT && schema == NULL),
                  "seed %" PRIu64 ", round %d: %s", seed, round, error.message);
        if (status == LAM_STATUS_OK)
            cr_assert_eq(lam_schema_field_count(schema), count);
        lam_schema_destroy(schema);
        good += status == LAM_STATUS_OK;
    }
    cr_assert(good > 100 && good < 19000, "%zu", good);
}

/* --- Export --------------------------------------------------------------------------------- */

/* A type, and the number of its converted type: -1 for none. */
static const struct {
    lam_physical_type physical;
    int32_t length;
    lam_logical_type logical;
    int32_t converted;
} TYPES[] = {
    {LAM_PHYSICAL_INT96, 0, {.kind = LAM_LOGICAL_NONE}, -1},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_STRING}, LAM_META_CONVERTED_UTF8},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_ENUM}, LAM_META_CONVERTED_ENUM},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_JSON}, LAM_META_CONVERTED_JSON},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_BSON}, LAM_META_CONVERTED_BSON},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}, -1},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2, {.kind = LAM_LOGICAL_FLOAT16}, -1},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     12,
     {.kind = LAM_LOGICAL_INTERVAL},
     LAM_META_CONVERTED_INTERVAL},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     7,
     {.kind = LAM_LOGICAL_DECIMAL, .precision = 15, .scale = 3},
     LAM_META_CONVERTED_DECIMAL},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DATE}, LAM_META_CONVERTED_DATE},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_UNKNOWN}, -1},
    {LAM_PHYSICAL_INT32,
     0,
     {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MILLIS},
     LAM_META_CONVERTED_TIME_MILLIS},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MICROS, .adjusted_to_utc = true},
     LAM_META_CONVERTED_TIME_MICROS},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_NANOS}, -1},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS, .adjusted_to_utc = true},
     LAM_META_CONVERTED_TIMESTAMP_MILLIS},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS},
     LAM_META_CONVERTED_TIMESTAMP_MICROS},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}, -1},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     12,
     {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS, .adjusted_to_utc = true},
     -1},
    {LAM_PHYSICAL_INT32,
     0,
     {.kind = LAM_LOGICAL_INTEGER, .bit_width = 8},
     LAM_META_CONVERTED_UINT_8},
    {LAM_PHYSICAL_INT32,
     0,
     {.kind = LAM_LOGICAL_INTEGER, .bit_width = 16, .is_signed = true},
     LAM_META_CONVERTED_INT_16},
    {LAM_PHYSICAL_INT32,
     0,
     {.kind = LAM_LOGICAL_INTEGER, .bit_width = 32},
     LAM_META_CONVERTED_UINT_32},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_INTEGER, .bit_width = 64, .is_signed = true},
     LAM_META_CONVERTED_INT_64},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_GEOMETRY, .crs = "OGC:CRS84"}, -1},
    {LAM_PHYSICAL_BYTE_ARRAY,
     0,
     {.kind = LAM_LOGICAL_GEOGRAPHY, .algorithm = LAM_EDGE_ALGORITHM_THOMAS},
     -1},
};

enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static lam_schema *schema_of_types(void) {
    lam_allocator heap = lam_allocator_default();
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("types", &heap, &builder, NULL), LAM_STATUS_OK);
    for (int i = 0; i < TYPE_COUNT; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        lam_field_options options = {.logical_type = TYPES[i].logical,
                                     .type_length = TYPES[i].length,
                                     .has_id = i % 2 == 0,
                                     .id = i % 2 == 0 ? i - 5 : 0};
        lam_error error = lam_error_none();
        cr_assert_eq(lam_schema_builder_add_leaf(builder, name, (lam_repetition)(i % 3),
                                                 TYPES[i].physical, &options, &error),
                     LAM_STATUS_OK, "%s", error.message);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

/* Export, write, read, import. */
static void expect_to_come_back(const lam_schema *schema, const char *place) {
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    lam_meta_file file = {.version = 2};
    lam_meta_file read;
    lam_error error = lam_error_none();
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    lam_schema *back;
    cr_assert_eq(lam_meta_schema_export(schema, &arena, &file.schema, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_meta_write_file(&file, &out, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_meta_read_file(lam_buffer_bytes(&out), &arena, &read, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_meta_schema_import(&read.schema, &heap, &back, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert(lam_schema_equals(schema, back), "%s", place);
    lam_schema_destroy(back);
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
}

Test(meta_schema, a_schema_comes_back_from_its_elements) {
    lam_schema *schema = schema_of_types();
    expect_to_come_back(schema, "all types");
    lam_schema_destroy(schema);
}

Test(meta_schema, both_logical_and_converted_type_are_written) {
    lam_schema *schema = schema_of_types();
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    lam_meta_schema_element_list list;
    cr_assert_eq(lam_meta_schema_export(schema, &arena, &list, NULL), LAM_STATUS_OK);
    cr_assert_eq(list.count, TYPE_COUNT + 1);
    cr_assert_eq(list.items[0].has, CHILDREN);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const lam_meta_schema_element *element = &list.items[i + 1];
        bool converted = (element->has & CONVERTED) != 0;
        cr_assert_eq(converted ? element->converted_type : -1, TYPES[i].converted, "type %zu", i);
        lam_logical_kind kind = TYPES[i].logical.kind;
        cr_assert_eq(element->logical_type == NULL,
                     kind == LAM_LOGICAL_NONE || kind == LAM_LOGICAL_INTERVAL, "type %zu", i);
        bool digits = kind == LAM_LOGICAL_DECIMAL;
        cr_assert_eq(element->has & (SCALE | PRECISION), digits ? SCALE | PRECISION : 0);
        cr_assert_eq((element->has & LENGTH) != 0, TYPES[i].length != 0);
    }
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

Test(meta_schema, no_memory_is_an_error_each_time) {
    lam_schema *schema = schema_of_types();
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena arena;
        lam_arena_init(&arena, &allocator, 0);
        lam_meta_schema_element_list list;
        lam_schema *back = NULL;
        status = lam_meta_schema_export(schema, &arena, &list, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_meta_schema_import(&list, &allocator, &back, NULL);
        cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_NOMEM && back == NULL));
        cr_assert(fail_at > 1 || status == LAM_STATUS_NOMEM);
        lam_schema_destroy(back);
        lam_arena_finish(&arena);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_schema_destroy(schema);
}

/* --- Real files ----------------------------------------------------------------------------- */

static bool has_unrecognized(const lam_schema *schema) {
    for (size_t i = 0; i < lam_schema_field_count(schema); i++) {
        if (lam_field_logical_type(lam_schema_field(schema, i))->kind == LAM_LOGICAL_UNRECOGNIZED)
            return true;
    }
    return false;
}

static void import_real(void *state, const char *path) {
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    cr_assert_not_null(bytes, "%s", path);
    if (size >= 12 && memcmp(bytes + size - 4, "PAR1", 4) == 0) {
        size_t footer_size = lam_load_le32(bytes + size - 8);
        cr_assert(footer_size <= size - 12, "%s", path);
        lam_allocator heap = lam_allocator_default();
        lam_arena arena;
        lam_arena_init(&arena, &heap, 0);
        lam_bytes footer = {(const uint8_t *)bytes + size - 8 - footer_size, footer_size};
        lam_meta_file file;
        lam_schema *schema;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_meta_read_file(footer, &arena, &file, &error), LAM_STATUS_OK, "%s: %s",
                     path, error.message);
        cr_assert_eq(lam_meta_schema_import(&file.schema, &heap, &schema, &error), LAM_STATUS_OK,
                     "%s: %s", path, error.message);
        for (uint32_t i = 0; i < file.row_groups.count; i++)
            cr_assert_eq(lam_schema_leaf_count(schema), file.row_groups.items[i].columns.count);
        if (!has_unrecognized(schema)) /* nobody can write what he does not know */
            expect_to_come_back(schema, path);
        lam_schema_destroy(schema);
        lam_arena_finish(&arena);
        ++*(size_t *)state;
    }
    free(bytes);
}

Test(meta_schema, real_schemas_come_back_from_their_elements) {
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("parquet-testing is not there");
    size_t files = 0;
    lam_test_each_file(lam_test_shared("parquet-testing/data"), import_real, &files);
    cr_assert(files > 50);
}
