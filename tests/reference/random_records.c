/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas and records at random, for record_tree.h. */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <stdio.h>
#include <string.h>

#include "reference/record_tree.h"

/* --- Schemas --------------------------------------------------------------------------------- */

typedef struct schema_maker {
    lam_random *random;
    lam_schema_builder *builder;
    size_t fields_left; /* what the schema may still grow by */
    unsigned named;     /* fields named so far */
} schema_maker;

static lam_repetition any_repetition(lam_random *random) {
    return (lam_repetition)lam_random_below(random, 3);
}

static void add_leaf(schema_maker *maker) {
    char name[16];
    snprintf(name, sizeof name, "f%u", maker->named++);
    lam_field_options options = {0};
    lam_physical_type type = (lam_physical_type)lam_random_below(maker->random, 8);
    if (type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = 1 + (int32_t)lam_random_below(maker->random, 20);
    cr_assert_eq(lam_schema_builder_add_leaf(maker->builder, name, any_repetition(maker->random),
                                             type, &options, NULL),
                 LAM_STATUS_OK);
}

static void begin_group(schema_maker *maker) {
    char name[16];
    snprintf(name, sizeof name, "g%u", maker->named++);
    cr_assert_eq(lam_schema_builder_begin_group(maker->builder, name, any_repetition(maker->random),
                                                NULL, NULL),
                 LAM_STATUS_OK);
}

static void end_group(schema_maker *maker) {
    cr_assert_eq(lam_schema_builder_end_group(maker->builder, NULL), LAM_STATUS_OK);
}

/* The children of an open group: at least one, so that every group has leaves. */
static void fill_group(schema_maker *maker, size_t levels_left) {
    size_t count = 1 + (size_t)lam_random_below(maker->random, 4);
    for (size_t i = 0; i < count && (i == 0 || maker->fields_left > 0); i++) {
        maker->fields_left -= maker->fields_left > 0;
        if (levels_left > 1 && maker->fields_left > 0 && lam_random_chance(maker->random, 45)) {
            begin_group(maker);
            fill_group(maker, levels_left - 1);
            end_group(maker);
        } else {
            add_leaf(maker);
        }
    }
}

/* A chain of groups down to `depth`, with a leaf beside it here and there. */
static void fill_deeply(schema_maker *maker, size_t depth) {
    if (depth == 1) {
        add_leaf(maker);
        return;
    }
    if (lam_random_chance(maker->random, 10))
        add_leaf(maker);
    begin_group(maker);
    fill_deeply(maker, depth - 1);
    end_group(maker);
    if (lam_random_chance(maker->random, 10))
        add_leaf(maker);
}

lam_schema *lam_tree_random_schema(lam_random *random, size_t depth_max) {
    schema_maker maker = {random, NULL, 1 + (size_t)lam_random_below(random, 24), 0};
    cr_assert_eq(lam_schema_builder_create("message", NULL, &maker.builder, NULL), LAM_STATUS_OK);
    if (depth_max > 8 && lam_random_chance(random, 2))
        fill_deeply(&maker, 9 + (size_t)lam_random_below(random, depth_max - 8));
    else
        fill_group(&maker, 1 + (size_t)lam_random_below(random, 8));
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(maker.builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(maker.builder);
    return schema;
}

/* --- Records --------------------------------------------------------------------------------- */

typedef struct record_maker {
    lam_random *random;
    lam_arena *arena;
    unsigned presence;
    size_t items_left; /* optional and repeated items that the record may still grow by */
} record_maker;

static lam_bytes any_bytes(record_maker *maker, size_t size) {
    uint8_t *data = lam_tree_alloc(maker->arena, size, 1);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)lam_random_next(maker->random);
    lam_bytes bytes = {data, size};
    return bytes;
}

static lam_value any_value(record_maker *maker, const lam_field *leaf) {
    lam_value value = {0};
    uint64_t bits = lam_random_next(maker->random);
    uint32_t low = (uint32_t)bits; /* on machines of either order of bytes */
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = bits & 1;
        break;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value, &low, 4);
        break;
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value, &bits, 8);
        break;
    case LAM_PHYSICAL_BYTE_ARRAY: {
        bool is_long = lam_random_chance(maker->random, 1);
        value.bytes = any_bytes(maker, (size_t)(bits % (is_long ? 3000 : 12)));
        break;
    }
    default:
        value.bytes = any_bytes(maker, (size_t)lam_field_type_length(leaf));
        break;
    }
    return value;
}

static size_t any_count(record_maker *maker, const lam_field *field) {
    if (lam_field_repetition(field) == LAM_REPETITION_REQUIRED)
        return 1;
    if (maker->items_left == 0 || !lam_random_chance(maker->random, maker->presence))
        return 0;
    if (lam_field_repetition(field) == LAM_REPETITION_OPTIONAL)
        return 1;
    return 1 + (size_t)lam_random_below(maker->random, 3);
}

static void fill_item(record_maker *maker, const lam_field *field, lam_tree_item *item) {
    if (lam_field_is_leaf(field)) {
        item->value = any_value(maker, field);
        return;
    }
    for (size_t c = 0; c < lam_field_child_count(field); c++) {
        const lam_field *child = lam_field_child(field, c);
        size_t count = any_count(maker, child);
        for (size_t i = 0; i < count; i++) {
            maker->items_left -= maker->items_left > 0;
            fill_item(maker, child, lam_tree_append(&item->fields[c], child, maker->arena));
        }
    }
}

lam_tree_item lam_tree_random(lam_random *random, const lam_schema *schema, unsigned presence,
                              lam_arena *arena) {
    record_maker maker = {random, arena, presence, 60};
    if (lam_field_depth(lam_schema_leaf(schema, 0)) > 8 || lam_random_chance(random, 5))
        maker.items_left = 400;
    lam_tree_item record = lam_tree_item_empty(lam_schema_root(schema), arena);
    fill_item(&maker, lam_schema_root(schema), &record);
    return record;
}
