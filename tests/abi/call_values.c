/* SPDX-License-Identifier: Apache-2.0 */
/* Public calls about what has no file: schemas, filters, VARIANTs, records in memory. */
#include <string.h>

#include "abi/call_trial.h"

void call_schemas(call_trial *trial) {
    lam_schema_builder *builder = NULL;
    lam_schema *built = NULL, *parsed = NULL;
    lam_projection *projection = NULL, *other = NULL;
    bool leaves[8] = {false};
    const lam_field *field;
    size_t position = 0;
    char name[8];
    lam_path_step_kind step;
    const lam_allocator *memory = &trial->allocator;
    CALL(lam_schema_builder_create, "m", memory, &builder);
    CALL(lam_schema_builder_add_leaf, builder, "id", LAM_REPETITION_REQUIRED, LAM_PHYSICAL_INT64,
         NULL);
    CALL(lam_schema_builder_begin_group, builder, "g", LAM_REPETITION_OPTIONAL, NULL);
    CALL(lam_schema_builder_add_leaf, builder, "x", LAM_REPETITION_REPEATED, LAM_PHYSICAL_FLOAT,
         NULL);
    CALL(lam_schema_builder_end_group, builder);
    CALL(lam_schema_builder_finish, builder, &built);
    CALL(lam_schema_parse, CALL_SCHEMA, sizeof CALL_SCHEMA - 1, memory, &parsed);
    lam_schema_destroy(parsed);
    parsed = NULL;
    CALL(lam_schema_parse_text, CALL_SCHEMA, memory, &parsed);
    CALL(lam_schema_resolve, parsed, "tags.list.element", &field);
    CALL(lam_path_next, "a.b", &position, name, sizeof name, &step);
    CALL(lam_schema_select, parsed, "tags", leaves);
    CALL(lam_schema_select_text, parsed, "id,tags", 7, memory, leaves);
    CALL(lam_variant_check_group, lam_schema_find(parsed, "v"), LAM_VARIANT_WRITE);
    CALL(lam_projection_create, parsed, memory, &projection);
    CALL(lam_projection_add, projection, "v.a.b");
    CALL(lam_projection_parse, parsed, "id,v.a", 6, memory, &other);
out:
    lam_projection_destroy(other);
    lam_projection_destroy(projection);
    lam_schema_destroy(parsed);
    lam_schema_destroy(built);
    lam_schema_builder_destroy(builder);
}

void call_filters(call_trial *trial) {
    static const char text[] = "id > 3 and name like 'a%' or v.a = 1";
    static const char map_schema[] =
        "message m { optional group m (MAP) { repeated group key_value { "
        "required binary key (STRING); optional int64 value; } } }";
    lam_filter_builder *builder = NULL, *of_map = NULL;
    lam_filter *filter = NULL, *parsed = NULL;
    lam_schema *maps = NULL;
    const lam_value key = {.bytes = {(const uint8_t *)"k", 1}};
    const lam_value range[] = {{.int64 = 2}, {.int64 = 9}};
    const lam_value some[] = {{.int64 = 1}, {.int64 = 5}, {.int64 = 7}};
    const lam_bytes pattern = {(const uint8_t *)"na%", 3};
    const lam_filter_like like = {.ignores_case = true};
    CALL(lam_filter_builder_create, trial->schema, &trial->allocator, &builder);
    CALL(lam_filter_builder_compare, builder, "id", LAM_FILTER_BETWEEN, range, 2);
    CALL(lam_filter_builder_compare, builder, "id", LAM_FILTER_LESS, &range[1], 1);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_AND);
    CALL(lam_filter_builder_compare, builder, "id", LAM_FILTER_EQUAL, some, 3);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_OR);
    CALL(lam_filter_builder_is_null, builder, "name", true);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_NOT);
    CALL(lam_filter_builder_like, builder, "name", pattern, &like);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_OR);
    CALL(lam_filter_builder_compare_fields, builder, "id", LAM_FILTER_GREATER, "real");
    CALL(lam_filter_builder_join, builder, LAM_FILTER_AND);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_AND);
    CALL(lam_filter_builder_finish, builder, &filter);
    CALL(lam_filter_parse, trial->schema, text, sizeof text - 1, NULL, &trial->allocator, &parsed);
    CALL(lam_schema_parse_text, map_schema, &trial->allocator, &maps);
    CALL(lam_filter_builder_create, maps, &trial->allocator, &of_map);
    CALL(lam_filter_builder_compare, of_map, "m.key_value.value", LAM_FILTER_EQUAL, range, 1);
    CALL(lam_filter_builder_for_key, of_map, key);
out:
    lam_filter_builder_destroy(of_map);
    lam_schema_destroy(maps);
    lam_filter_destroy(parsed);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
}

void call_variant_filters(call_trial *trial) {
    lam_filter_builder *builder = NULL;
    lam_filter *filter = NULL;
    const lam_variant_scalar range[] = {{.kind = LAM_VARIANT_INT64, .as.integer = 1},
                                        {.kind = LAM_VARIANT_INT64, .as.integer = 5}};
    const lam_bytes pattern = {(const uint8_t *)"b_", 2};
    CALL(lam_filter_builder_create, trial->schema, &trial->allocator, &builder);
    CALL(lam_filter_builder_compare_scalars, builder, "v.a", LAM_FILTER_BETWEEN, range, 2);
    CALL(lam_filter_builder_compare_scalars, builder, "id", LAM_FILTER_EQUAL, range, 1);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_OR);
    CALL(lam_filter_builder_is_missing, builder, "v.b", false);
    CALL(lam_filter_builder_is_null, builder, "v.c", true);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_AND);
    CALL(lam_filter_builder_like, builder, "v.d", pattern, NULL);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_OR);
    CALL(lam_filter_builder_join, builder, LAM_FILTER_AND);
    CALL(lam_filter_builder_finish, builder, &filter);
out:
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
}

/* --- VARIANTs -------------------------------------------------------------------------------- */

static void put_scalar(call_trial *trial, lam_variant_builder *builder, lam_variant_kind kind) {
    static const uint8_t bytes[16] = {1, 2, 3};
    lam_variant_scalar scalar = {.kind = kind, .as.integer = 7};
    if (kind == LAM_VARIANT_BINARY || kind == LAM_VARIANT_UUID)
        scalar.as.bytes = (lam_bytes){bytes, sizeof bytes};
    CALL(lam_variant_builder_put, builder, &scalar);
out:
    return;
}

static void build(call_trial *trial, lam_variant_builder *builder, lam_variant *ret_variant) {
    static const lam_variant_kind kinds[] = {LAM_VARIANT_DATE, LAM_VARIANT_TIME,
                                             LAM_VARIANT_TIMESTAMP, LAM_VARIANT_BINARY,
                                             LAM_VARIANT_UUID};
    const lam_decimal decimal = {.low = 123, .scale = 2};
    CALL(lam_variant_builder_begin_array, builder);
    CALL(lam_variant_builder_begin_object, builder);
    CALL(lam_variant_builder_field, builder, "a", 1);
    CALL(lam_variant_builder_put_null, builder);
    CALL(lam_variant_builder_field, builder, "b", 1);
    CALL(lam_variant_builder_put_string, builder, "some text", 9);
    CALL(lam_variant_builder_end_object, builder);
    CALL(lam_variant_builder_put_boolean, builder, true);
    CALL(lam_variant_builder_put_integer, builder, 7);
    CALL(lam_variant_builder_put_double, builder, 1.5);
    CALL(lam_variant_builder_put_decimal, builder, decimal);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && trial->status == LAM_STATUS_OK; i++)
        put_scalar(trial, builder, kinds[i]);
    if (trial->status != LAM_STATUS_OK)
        return;
    CALL(lam_variant_builder_end_array, builder);
    CALL(lam_variant_builder_finish, builder, ret_variant);
out:
    return;
}

static void take_apart(call_trial *trial, lam_variant all) {
    lam_variant item, field;
    lam_variant_scalar scalar;
    lam_variant_iterator walk;
    lam_bytes bytes;
    size_t count;
    bool more;
    CALL(lam_variant_validate, all, 0);
    CALL(lam_variant_count, all, &count);
    CALL(lam_variant_element, all, 0, &item);
    CALL(lam_variant_field, item, "b", 1, &field);
    CALL(lam_variant_iterate, item, &walk);
    CALL(lam_variant_next, &walk, &bytes, &field, &more);
    CALL(lam_variant_element, all, 1, &item);
    CALL(lam_variant_get, item, &scalar);
out:
    return;
}

static lam_status visit_range(void *state, const lam_byte_range *range, bool *expand,
                              lam_error *error) {
    (void)state, (void)range, (void)expand, (void)error;
    return LAM_STATUS_OK;
}

void call_variants(call_trial *trial) {
    lam_variant_builder *builder = NULL, *copier = NULL;
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_variant all = {0}, copy = {0};
    options.allocator = &trial->allocator;
    CALL(lam_variant_builder_create, NULL, &trial->allocator, &builder);
    build(trial, builder, &all);
    if (trial->status != LAM_STATUS_OK)
        goto out;
    take_apart(trial, all);
    if (trial->status != LAM_STATUS_OK)
        goto out;
    CALL(lam_variant_builder_create, NULL, &trial->allocator, &copier);
    CALL(lam_variant_builder_copy, copier, all);
    CALL(lam_variant_builder_finish, copier, &copy);
    CALL(lam_byte_map_walk_variant, copy.metadata, copy.value, &options, visit_range, NULL);
out:
    lam_variant_builder_destroy(copier);
    lam_variant_builder_destroy(builder);
}

/* --- Records in memory ----------------------------------------------------------------------- */

static lam_status read_column(void *state, lam_triples *ret_triples, lam_error *error) {
    lam_triples *left = state;
    (void)error;
    *ret_triples = *left;
    left->count = left->value_count = 0;
    return LAM_STATUS_OK;
}

static lam_status watch_step(void *state, const lam_assembly_step *step, lam_error *error) {
    (void)state, (void)step, (void)error;
    return LAM_STATUS_OK;
}

enum { ANY_LEAVES = 9 };
#define ANY_SCHEMA                                                                                 \
    "message m { required boolean a; required int32 b; required int64 c; required float d; "       \
    "required double e; required binary f (STRING); required fixed_len_byte_array(2) g; "          \
    "required int32 h; required int64 i; }"

static void put_any(call_trial *trial, const lam_schema *schema, const lam_record_sink *sink) {
    CALL(lam_begin, sink);
    CALL(lam_put_boolean, sink, lam_schema_leaf(schema, 0), true);
    CALL(lam_put_int32, sink, lam_schema_leaf(schema, 1), 1);
    CALL(lam_put_int64, sink, lam_schema_leaf(schema, 2), 2);
    CALL(lam_put_float, sink, lam_schema_leaf(schema, 3), 3.0F);
    CALL(lam_put_double, sink, lam_schema_leaf(schema, 4), 4.0);
    CALL(lam_put_string, sink, lam_schema_leaf(schema, 5), "text");
    CALL(lam_put_bytes, sink, lam_schema_leaf(schema, 6), "ab", 2);
    CALL(lam_put_uint32, sink, lam_schema_leaf(schema, 7), 7);
    CALL(lam_put_uint64, sink, lam_schema_leaf(schema, 8), 8);
    CALL(lam_end, sink);
out:
    return;
}

void call_memory_of_records(call_trial *trial) {
    const lam_allocator *memory = &trial->allocator;
    lam_schema *schema = NULL;
    lam_shredder *shredder = NULL;
    lam_record_checker *checker = NULL, *reading = NULL;
    const lam_record_sink nowhere = {0};
    lam_automaton *automaton = NULL;
    lam_assembler *assembler = NULL;
    lam_triples columns[ANY_LEAVES];
    lam_triple_source sources[ANY_LEAVES];
    const lam_assembly_watch watch = {NULL, watch_step, watch_step};
    size_t count;
    CALL(lam_schema_parse_text, ANY_SCHEMA, memory, &schema);
    CALL(lam_shredder_create, schema, memory, &shredder);
    lam_record_sink sink = lam_shredder_sink(shredder);
    CALL(lam_record_checker_create, schema, &sink, memory, &checker);
    sink = lam_record_checker_sink(checker);
    for (int i = 0; i < 3 && trial->status == LAM_STATUS_OK; i++)
        put_any(trial, schema, &sink);
    if (trial->status != LAM_STATUS_OK)
        goto out;
    for (size_t i = 0; i < ANY_LEAVES; i++) {
        columns[i] = lam_shredder_triples(shredder, i);
        sources[i] = (lam_triple_source){&columns[i], read_column};
    }
    CALL(lam_automaton_create, schema, NULL, memory, &automaton);
    CALL(lam_assembler_create, schema, NULL, sources, memory, &assembler);
    CALL(lam_record_checker_create, schema, &nowhere, memory, &reading);
    sink = lam_record_checker_sink(reading);
    CALL(lam_assembler_read, assembler, &sink, 1, &count);
    CALL(lam_assembler_read_watched, assembler, &sink, &watch, 9, &count);
out:
    lam_assembler_destroy(assembler);
    lam_record_checker_destroy(reading);
    lam_automaton_destroy(automaton);
    lam_record_checker_destroy(checker);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(schema);
}
