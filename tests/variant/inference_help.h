/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values from a short text, and what inference makes of them. The text is JSON of integers and
 * doubles; a string that begins with a tilde is another scalar: "~1.50" a decimal, "~date",
 * "~time", "~timestamp" ... a value of the kind that is named.
 */
#ifndef LAM_TESTS_INFERENCE_HELP_H
#define LAM_TESTS_INFERENCE_HELP_H

#include <ctype.h>
#include <lamella/variant_inference.h>

#include "base/arena.h"
#include "reference/json_tree.h"
#include "shred_trip.h"

#define VARIANT_SCHEMA                                                                             \
    "message m { optional group v (VARIANT(1)) { required binary metadata; required binary "       \
    "value; "                                                                                      \
    "} }"

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
    lam_variant_scalar scalar = {LAM_VARIANT_NULL, {.integer = 1}};
    if (isdigit((unsigned char)*name) || *name == '-') {
        put_decimal_text(builder, name);
        return;
    }
    while (strcmp(lam_variant_kind_name(scalar.kind), name) != 0) {
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

/* Adds values that are separated by bars to the inference, for the group `v`. */
static inline void add_values(lam_variant_inference *inference, const lam_schema *schema,
                              const char *values) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_builder *builder;
    char text[1024];
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    while (*values != '\0') {
        size_t size = strcspn(values, "|");
        lam_arena arena;
        lam_variant variant;
        lam_error error = lam_error_none();
        cr_assert_lt(size, sizeof text);
        memcpy(text, values, size);
        text[size] = '\0';
        lam_arena_init(&arena, &allocator, 0);
        lam_json_tree tree = lam_json_tree_parse(text, &arena);
        put_tree(builder, &tree);
        lam_arena_finish(&arena);
        cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_variant_inference_add(inference, field_of(schema, "v"), variant, &error),
                     LAM_STATUS_OK, "%s", error.message);
        values += size + (values[size] == '|');
    }
    lam_variant_builder_destroy(builder);
}

static inline size_t finding_count(const lam_variant_inference *inference) {
    size_t count = 0;
    while (lam_variant_inference_finding(inference, count) != NULL)
        count++;
    return count;
}

/* What is chosen of values: "path:TYPE" for each path with a type, "path:value" for one alone. */
static inline void print_choice(const lam_variant_inference *inference, char *text, size_t room) {
    size_t at = 0;
    text[0] = '\0';
    const lam_variant_finding *finding;
    for (size_t i = 0; (finding = lam_variant_inference_finding(inference, i)) != NULL; i++) {
        if (finding->choice == LAM_VARIANT_NOT_SHREDDED)
            continue;
        at += (size_t)snprintf(text + at, room - at, "%s%s:%s", at == 0 ? "" : " ", finding->path,
                               finding->choice == LAM_VARIANT_SHREDDED ? finding->type : "value");
        cr_assert_lt(at, room);
    }
}

/* Checks what is chosen, and that the schema is one that can be written. */
static inline void expect_choice(const lam_variant_inference_options *options, const char *values,
                                 const char *expected) {
    char text[2048];
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_inference_create(schema, options, NULL, &inference, &error),
                 LAM_STATUS_OK, "%s", error.message);
    add_values(inference, schema, values);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, &error), LAM_STATUS_OK, "%s",
                 error.message);
    print_choice(inference, text, sizeof text);
    cr_expect_str_eq(text, expected, "%s gave %s", values, text);
    cr_expect_eq(lam_variant_check_group(field_of(made, "v"), LAM_VARIANT_WRITE, &error),
                 LAM_STATUS_OK, "%s: %s", values, error.message);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

#endif
