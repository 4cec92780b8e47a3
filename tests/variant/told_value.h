/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values from a short text. It is JSON (reference/json_tree.h) of integers and doubles; a string
 * that begins with a tilde is another scalar: '~1.50' a decimal, '~date', '~time', '~timestamp' ...
 * a value of the kind that is named, and '~timestamp 5' the one whose integer is 5.
 */
#ifndef LAM_TESTS_TOLD_VALUE_H
#define LAM_TESTS_TOLD_VALUE_H

#include <criterion/criterion.h>
#include <ctype.h>
#include <lamella/variant.h>
#include <stdlib.h>
#include <string.h>

#include "reference/json_tree.h"

static inline void put_decimal_text(lam_variant_builder *builder, const char *text) {
    lam_decimal decimal = {0, 0, 0};
    bool negative = *text == '-', fraction = false;
    uint64_t number = 0;
    for (text += negative; *text != '\0'; text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        number = number * 10 + (uint64_t)(*text - '0');
        decimal.scale = (uint8_t)(decimal.scale + fraction);
    }
    int64_t value = negative ? -(int64_t)number : (int64_t)number;
    decimal.low = (uint64_t)value;
    decimal.high = value < 0 ? -1 : 0;
    cr_assert_eq(lam_variant_builder_put_decimal(builder, decimal, NULL), LAM_STATUS_OK);
}

static inline void put_named_scalar(lam_variant_builder *builder, const char *name) {
    static const uint8_t bytes[16] = "0123456789abcdef";
    const size_t size = strcspn(name, " ");
    const int64_t integer = name[size] == ' ' ? strtoll(name + size, NULL, 10) : 1;
    lam_variant_scalar scalar = {LAM_VARIANT_NULL, {.integer = integer}};
    if (isdigit((unsigned char)*name) || *name == '-') {
        put_decimal_text(builder, name);
        return;
    }
    while (strncmp(lam_variant_kind_name(scalar.kind), name, size) != 0 ||
           lam_variant_kind_name(scalar.kind)[size] != '\0') {
        scalar.kind = (lam_variant_kind)(scalar.kind + 1);
        cr_assert_lt((int)scalar.kind, (int)LAM_VARIANT_OBJECT, "%s", name);
    }
    if (scalar.kind == LAM_VARIANT_BINARY || scalar.kind == LAM_VARIANT_UUID)
        scalar.as.bytes = (lam_bytes){bytes, sizeof bytes};
    if (scalar.kind == LAM_VARIANT_FLOAT)
        scalar.as.float32 = 0.5f;
    cr_assert_eq(lam_variant_builder_put(builder, &scalar, NULL), LAM_STATUS_OK);
}

static inline void put_tree(lam_variant_builder *builder, const lam_json_tree *tree) {
    lam_status status = LAM_STATUS_OK;
    switch (tree->kind) {
    case LAM_JSON_NULL:
        status = lam_variant_builder_put_null(builder, NULL);
        break;
    case LAM_JSON_BOOLEAN:
        status = lam_variant_builder_put_boolean(builder, tree->boolean, NULL);
        break;
    case LAM_JSON_NUMBER:
        status = tree->real == (double)tree->integer
                     ? lam_variant_builder_put_integer(builder, tree->integer, NULL)
                     : lam_variant_builder_put_double(builder, tree->real, NULL);
        break;
    case LAM_JSON_STRING:
        if (tree->text[0] == '~')
            put_named_scalar(builder, tree->text + 1);
        else
            status = lam_variant_builder_put_string(builder, tree->text, tree->size, NULL);
        break;
    case LAM_JSON_ARRAY:
        status = lam_variant_builder_begin_array(builder, NULL);
        for (size_t i = 0; i < tree->count; i++)
            put_tree(builder, &tree->items[i]);
        cr_assert_eq(lam_variant_builder_end_array(builder, NULL), LAM_STATUS_OK);
        break;
    case LAM_JSON_OBJECT:
        status = lam_variant_builder_begin_object(builder, NULL);
        for (size_t i = 0; i < tree->count; i++) {
            const char *name = tree->names[i];
            cr_assert_eq(lam_variant_builder_field(builder, name, strlen(name), NULL),
                         LAM_STATUS_OK);
            put_tree(builder, &tree->items[i]);
        }
        cr_assert_eq(lam_variant_builder_end_object(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
}

/* Puts the value of a text, at any place where a value can be. */
static inline void put_value(lam_variant_builder *builder, const char *text) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_json_tree tree = lam_json_tree_parse(text, &arena);
    put_tree(builder, &tree);
    lam_arena_finish(&arena);
}

#endif
