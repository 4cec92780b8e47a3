/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In: bytes. Out: a schema that files may have, made as message text. The same bytes give the same,
 * and any bytes give one.
 */
#include "fuzz/any_schema.h"

#include <stdio.h>

enum { TEXT_SIZE = 1 << 14, DEPTH_MOST = 3, FIELDS_MOST = 24, FIELDS_AT_ONCE = 4 };

/* What is between the repetition and the name, and what is behind it. */
static const char *const leaf_types[][2] = {
    {"boolean", ""},
    {"int32", ""},
    {"int32", "(INTEGER(8,true))"},
    {"int32", "(INTEGER(16,false))"},
    {"int32", "(INTEGER(32,false))"},
    {"int64", ""},
    {"int64", "(INTEGER(64,true))"},
    {"int64", "(INTEGER(64,false))"},
    {"float", ""},
    {"double", ""},
    {"fixed_len_byte_array(2)", "(FLOAT16)"},
    {"int32", "(DECIMAL(9,2))"},
    {"int64", "(DECIMAL(18,0))"},
    {"binary", "(DECIMAL(20,1))"},
    {"fixed_len_byte_array(16)", "(DECIMAL(38,10))"},
    {"binary", "(STRING)"},
    {"binary", "(ENUM)"},
    {"binary", "(JSON)"},
    {"fixed_len_byte_array(16)", "(UUID)"},
    {"int32", "(DATE)"},
    {"int32", "(TIME(MILLIS,true))"},
    {"int64", "(TIME(MICROS,false))"},
    {"int64", "(TIME(NANOS,true))"},
    {"int64", "(TIMESTAMP(MILLIS,true))"},
    {"int64", "(TIMESTAMP(MICROS,false))"},
    {"int64", "(TIMESTAMP(NANOS,false))"},
    {"int64", "(TIMESTAMP(NANOS,true))"},
    {"int96", ""},
    {"binary", ""},
    {"fixed_len_byte_array(5)", ""},
    {"binary", "(BSON)"},
    {"fixed_len_byte_array(12)", "(INTERVAL)"},
    {"binary", "(GEOMETRY)"},
    {"int32", "(UNKNOWN)"},
};

enum { LEAF_TYPES = sizeof leaf_types / sizeof leaf_types[0] };

typedef enum group_kind {
    GROUP_PLAIN,
    GROUP_LIST,
    GROUP_LIST_OF_TWO_LEVELS,
    GROUP_MAP,
    GROUP_VARIANT,
    GROUP_VARIANT_SHREDDED,
    GROUP_KINDS
} group_kind;

static const char *const names[] = {"a", "b", "c", "\"a.b\"", "\"x \\\"\"", "list", "\"key\"", "k"};

typedef struct schema_text {
    lam_fuzz_input *input;
    char text[TEXT_SIZE];
    size_t size;
    unsigned fields;
} schema_text;

#define PUT(made, ...)                                                                             \
    ((made)->size +=                                                                               \
     (size_t)snprintf((made)->text + (made)->size, TEXT_SIZE - (made)->size, __VA_ARGS__))

static void put_fields(schema_text *made, unsigned depth);

/* A leaf or group of some type. */
static void put_field(schema_text *made, const char *repetition, const char *name, unsigned depth) {
    unsigned type = (unsigned)lam_fuzz_number(made->input, 1) % (LEAF_TYPES + GROUP_KINDS * 2);
    bool is_leaf = type < LEAF_TYPES || depth >= DEPTH_MOST || made->fields >= FIELDS_MOST;
    const char *const *leaf = leaf_types[type % LEAF_TYPES];
    made->fields++;
    if (is_leaf) {
        if (strcmp(leaf[1], "(UNKNOWN)") == 0 && strcmp(repetition, "required") == 0)
            repetition = "optional";
        PUT(made, "%s %s %s %s; ", repetition, leaf[0], name, leaf[1]);
        return;
    }
    group_kind kind = (group_kind)(type % GROUP_KINDS);
    if (kind != GROUP_PLAIN && strcmp(repetition, "repeated") == 0)
        repetition = "optional";
    switch (kind) {
    case GROUP_LIST:
        PUT(made, "%s group %s (LIST) { repeated group list { ", repetition, name);
        put_field(made, lam_fuzz_number(made->input, 1) & 1 ? "optional" : "required", "element",
                  depth + 1);
        PUT(made, "} } ");
        break;
    case GROUP_LIST_OF_TWO_LEVELS:
        leaf = leaf_types[lam_fuzz_number(made->input, 1) % (LEAF_TYPES - 1)];
        PUT(made, "%s group %s (LIST) { repeated %s array %s; } ", repetition, name, leaf[0],
            leaf[1]);
        break;
    case GROUP_MAP:
        leaf = leaf_types[lam_fuzz_number(made->input, 1) % (LEAF_TYPES - 1)];
        PUT(made, "%s group %s (MAP) { repeated group key_value { required %s key %s; ", repetition,
            name, leaf[0], leaf[1]);
        put_field(made, "optional", "value", depth + 1);
        PUT(made, "} } ");
        break;
    case GROUP_VARIANT:
        PUT(made, "%s group %s (VARIANT(1)) { required binary metadata; required binary value; } ",
            repetition, name);
        break;
    case GROUP_VARIANT_SHREDDED:
        PUT(made,
            "%s group %s (VARIANT(1)) { required binary metadata; optional binary value;"
            " optional int64 typed_value; } ",
            repetition, name);
        break;
    default:
        PUT(made, "%s group %s { ", repetition, name);
        put_fields(made, depth + 1);
        PUT(made, "} ");
        break;
    }
}

static void put_fields(schema_text *made, unsigned depth) {
    static const char *const repetitions[] = {"required", "optional", "repeated", "optional"};
    unsigned count = 1 + (unsigned)lam_fuzz_number(made->input, 1) % FIELDS_AT_ONCE, taken = 0;
    for (; count > 0; count--) {
        unsigned choice = (unsigned)lam_fuzz_number(made->input, 1), name = choice % 8;
        while (taken & 1u << name)
            name = (name + 1) % 8;
        taken |= 1u << name;
        put_field(made, repetitions[choice / 8 % 4], names[name], depth);
    }
}

lam_schema *lam_fuzz_any_schema(lam_fuzz_input *input, const lam_allocator *allocator) {
    schema_text made = {.input = input};
    lam_schema *schema = NULL;
    PUT(&made, "message m { ");
    put_fields(&made, 0);
    PUT(&made, "}");
    LAM_FUZZ_EXPECT(made.size < TEXT_SIZE);
    LAM_FUZZ_OK(lam_schema_parse(made.text, made.size, allocator, &schema, &fault));
    return schema;
}
