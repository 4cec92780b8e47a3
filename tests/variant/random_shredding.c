/* SPDX-License-Identifier: Apache-2.0 */
/* Random groups of a VARIANT, with every row of the table of VariantShredding.md. */
#include "variant/random_shredding.h"

#include "variant/take.h"

typedef struct growing {
    lam_random *random;
    lam_schema_builder *builder;
    unsigned values;
    unsigned fields; /* left */
} growing;

typedef struct leaf_type {
    lam_physical_type physical;
    int32_t length;
    lam_logical_type logical;
} leaf_type;

/* VariantShredding.md, "Shredded Value Types": every row, some of them in two ways. */
static const leaf_type types[] = {
    {LAM_PHYSICAL_BOOLEAN, 0, {0}},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 8, .is_signed = true}},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 16, .is_signed = true}},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 32, .is_signed = true}},
    {LAM_PHYSICAL_INT32, 0, {0}},
    {LAM_PHYSICAL_INT64, 0, {0}},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 64, .is_signed = true}},
    {LAM_PHYSICAL_FLOAT, 0, {0}},
    {LAM_PHYSICAL_DOUBLE, 0, {0}},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 9, .scale = 2}},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 18, .scale = 0}},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     16,
     {.kind = LAM_LOGICAL_DECIMAL, .precision = 38, .scale = 5}},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     9,
     {.kind = LAM_LOGICAL_DECIMAL, .precision = 20, .scale = 0}},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 38, .scale = 1}},
    {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DATE}},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MICROS}},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS, .adjusted_to_utc = true}},
    {LAM_PHYSICAL_INT64,
     0,
     {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS, .adjusted_to_utc = true}},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MICROS}},
    {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {0}},
    {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_STRING}},
    {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}},
};

static void leaf(growing *g, const char *name, lam_repetition repetition, const leaf_type *type) {
    lam_field_options options = {.logical_type = type->logical, .type_length = type->length};
    TAKE(lam_schema_builder_add_leaf(g->builder, name, repetition, type->physical, &options,
                                     &take_error));
}

static void open(growing *g, const char *name, lam_repetition repetition, lam_logical_kind kind) {
    lam_field_options options = {.logical_type = {.kind = kind}};
    TAKE(lam_schema_builder_begin_group(g->builder, name, repetition, &options, &take_error));
}

static void close(growing *g) {
    TAKE(lam_schema_builder_end_group(g->builder, &take_error));
}

static void pair(growing *g, unsigned depth, bool is_root);

/* The fields come in any order in the schema. */
static void typed_object(growing *g, unsigned depth) {
    static const char *const names[] = {"a",  "",  "id",  "value", "b",          "\xC3\xA9",
                                        "aa", "Z", "a.b", "n12",   "typed_value"};
    enum { COUNT = sizeof names / sizeof *names };
    size_t first = (size_t)lam_random_below(g->random, COUNT);
    size_t count = 1 + (size_t)lam_random_below(g->random, 5);
    open(g, "typed_value", LAM_REPETITION_OPTIONAL, LAM_LOGICAL_NONE);
    for (size_t i = 0; i < count; i++) {
        open(g, names[(first + i * 4) % COUNT], LAM_REPETITION_REQUIRED, LAM_LOGICAL_NONE);
        pair(g, depth + 1, false);
        close(g);
    }
    close(g);
}

static void typed_array(growing *g, unsigned depth) {
    static const char *const lists[] = {"list", "bag"}, *const elements[] = {"element", "item"};
    unsigned spelling = lam_random_chance(g->random, 20);
    open(g, "typed_value", LAM_REPETITION_OPTIONAL, LAM_LOGICAL_LIST);
    open(g, lists[spelling], LAM_REPETITION_REPEATED, LAM_LOGICAL_NONE);
    open(g, elements[spelling], LAM_REPETITION_REQUIRED, LAM_LOGICAL_NONE);
    pair(g, depth + 1, false);
    close(g);
    close(g);
    close(g);
}

static void typed_value(growing *g, unsigned depth) {
    unsigned choice = (unsigned)lam_random_below(g->random, 10);
    g->fields -= g->fields > 0;
    if (depth > 12 || g->fields == 0 || choice < 3)
        leaf(g, "typed_value", LAM_REPETITION_OPTIONAL,
             &types[lam_random_below(g->random, sizeof types / sizeof *types)]);
    else if (choice < 7)
        typed_object(g, depth);
    else
        typed_array(g, depth);
}

static void pair(growing *g, unsigned depth, bool is_root) {
    static const leaf_type binary = {LAM_PHYSICAL_BYTE_ARRAY, 0, {0}};
    bool has_typed = lam_random_chance(g->random, is_root ? 95 : 85);
    bool has_value = !has_typed || lam_random_chance(g->random, g->values);
    bool value_first = lam_random_chance(g->random, 70);
    lam_repetition repetition =
        is_root && !has_typed ? LAM_REPETITION_REQUIRED : LAM_REPETITION_OPTIONAL;
    if (has_value && value_first)
        leaf(g, "value", repetition, &binary);
    if (has_typed)
        typed_value(g, depth);
    if (has_value && !value_first)
        leaf(g, "value", repetition, &binary);
}

static lam_schema *grow(lam_random *random, unsigned values, unsigned most_around) {
    static const char *const around[] = {"f", "g", "h"};
    static const leaf_type binary = {LAM_PHYSICAL_BYTE_ARRAY, 0, {0}};
    static const leaf_type number = {LAM_PHYSICAL_INT32, 0, {0}};
    growing g = {random, NULL, values, 1 + (unsigned)lam_random_below(random, 40)};
    bool metadata_last = lam_random_chance(random, 30);
    unsigned groups = most_around == 0 ? 0 : (unsigned)lam_random_below(random, most_around + 1);
    lam_schema *schema;
    TAKE(lam_schema_builder_create("m", NULL, &g.builder, &take_error));
    leaf(&g, "n", LAM_REPETITION_REQUIRED, &number);
    for (unsigned i = 0; i < groups; i++)
        open(&g, around[i], (lam_repetition)lam_random_below(random, 3), LAM_LOGICAL_NONE);
    open(&g, "v", (lam_repetition)lam_random_below(random, 3), LAM_LOGICAL_VARIANT);
    if (!metadata_last)
        leaf(&g, "metadata", LAM_REPETITION_REQUIRED, &binary);
    pair(&g, 0, true);
    if (metadata_last)
        leaf(&g, "metadata", LAM_REPETITION_REQUIRED, &binary);
    for (unsigned i = 0; i <= groups; i++)
        close(&g);
    leaf(&g, "o", LAM_REPETITION_REQUIRED, &number);
    TAKE(lam_schema_builder_finish(g.builder, &schema, &take_error));
    lam_schema_builder_destroy(g.builder);
    return schema;
}

lam_schema *lam_random_shredding(lam_random *random, unsigned values) {
    return grow(random, values, 0);
}

lam_schema *lam_random_nested_shredding(lam_random *random, unsigned values) {
    return grow(random, values, 3);
}
