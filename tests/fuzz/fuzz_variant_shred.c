/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shredded VARIANTs of any schema, both ways.
 *
 *     choice (1 byte), schema as message text, a NUL, and then, by the choice,
 *
 *     JSON lines   what they shred to breaks no rule (shredding_judge.h), and prints as it does
 *                  when nothing is shredded; and so with the columns that inference chooses
 *     events       a byte each, and sizes and bytes of values: what is assembled from them,
 *                  whatever they are, is a VARIANT; parts of them too
 */
#include <lamella/dremel.h>
#include <lamella/json.h>
#include <lamella/projection.h>
#include <lamella/variant_inference.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/harness.h"
#include "variant/shredding_judge.h"

enum { EVENTS_MAX = 4000, DEPTH_MAX = 250 };

/* --- JSON into columns and back --------------------------------------------------------------- */

static uint64_t read_json(const lam_schema *schema, lam_bytes text, const lam_record_sink *sink,
                          bool *ret_all, lam_error *error) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_json_source source = lam_json_source_memory(&text);
    lam_json_reader *reader;
    size_t records = 0;
    *ret_all = false;
    if (lam_json_reader_create(schema, &source, NULL, &allocator, &reader, error) != LAM_STATUS_OK)
        return 0;
    *ret_all = lam_json_reader_read(reader, sink, SIZE_MAX, &records, error) == LAM_STATUS_OK;
    lam_json_reader_destroy(reader);
    return records;
}

/* The text of records that go through a judge before they are printed. */
static lam_output print_judged(const lam_schema *schema, lam_bytes text, uint64_t *ret_records,
                               bool *ret_all, lam_error *error) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_json_writer *writer;
    lam_record_checker *checker;
    lam_shredding_judge judge;
    lam_output output;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    LAM_FUZZ_OK(lam_json_writer_create(schema, &output, NULL, &allocator, &writer, &fault));
    lam_record_sink sink = lam_json_writer_sink(writer);
    LAM_FUZZ_OK(lam_record_checker_create(schema, &sink, &allocator, &checker, &fault));
    sink = lam_record_checker_sink(checker);
    lam_shredding_judge_init(&judge, &sink);
    sink = lam_shredding_judge_sink(&judge);
    *ret_records = read_json(schema, text, &sink, ret_all, error);
    if (judge.verdict != NULL)
        lam_fuzz_fail(__FILE__, __LINE__, judge.verdict, NULL);
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_shredding_judge_finish(&judge);
    lam_record_checker_destroy(checker);
    lam_json_writer_destroy(writer);
    return output;
}

/* One field v, a VARIANT of which nothing is shredded. */
static lam_schema *plain_schema(void) {
    static const char text[] = "message m { optional group v (VARIANT) { required binary metadata; "
                               "required binary value; } }";
    lam_allocator allocator = lam_fuzz_allocator();
    lam_schema *schema;
    LAM_FUZZ_OK(lam_schema_parse(text, sizeof text - 1, &allocator, &schema, &fault));
    return schema;
}

static void shred_json(const lam_schema *schema, const lam_field *group, lam_bytes text) {
    lam_error error = lam_error_none(), plain_error = lam_error_none();
    uint64_t records, plain_records;
    bool all, plain_all;
    if (lam_variant_check_group(group, LAM_VARIANT_WRITE, NULL) != LAM_STATUS_OK)
        return;
    lam_output shredded = print_judged(schema, text, &records, &all, &error);
    lam_schema *plain = plain_schema();
    lam_output whole = print_judged(plain, text, &plain_records, &plain_all, &plain_error);
    bool no_column = strstr(error.message, "no column named value") != NULL;
    LAM_FUZZ_EXPECT(no_column || all == plain_all);
    LAM_FUZZ_EXPECT(no_column || records == plain_records);
    lam_bytes a = lam_output_memory_bytes(&shredded), b = lam_output_memory_bytes(&whole);
    LAM_FUZZ_EXPECT(no_column ||
                    (a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0)));
    lam_output_close(&shredded);
    lam_output_close(&whole);
    lam_schema_destroy(plain);
}

/* Shreds as inference from the text wants it, with options that the choice says. */
static void infer_columns(unsigned choice, lam_bytes text) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *plain = plain_schema(), *schema;
    lam_variant_inference *inference;
    lam_error error = lam_error_none();
    bool all;
    options.decimals_as_doubles = choice & 2;
    options.narrow_integers = choice & 4;
    options.min_presence = choice & 8 ? 0.001 : 0.6;
    options.min_uniformity = choice & 16 ? 0.001 : 0.9;
    options.max_columns = choice & 32 ? 5 : 0;
    options.max_depth = choice & 64 ? 2 : 0;
    options.max_paths = choice & 128 ? 4 : 0;
    LAM_FUZZ_OK(lam_variant_inference_create(plain, &options, &allocator, &inference, &fault));
    lam_record_sink sink = lam_variant_inference_sink(inference);
    (void)read_json(plain, text, &sink, &all, &error);
    LAM_FUZZ_OK(lam_variant_inference_schema(inference, &schema, &fault));
    shred_json(schema, lam_schema_field(schema, 1), text);
    lam_schema_destroy(schema);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(plain);
}

/* --- Any events ------------------------------------------------------------------------------- */

typedef struct event_source {
    lam_fuzz_input *input;
    uint8_t room[64];
    uint8_t *block; /* of a long value */
} event_source;

/* A value of a leaf: bytes of a size that is told before them, or of the type's. */
static lam_value next_value(event_source *source, const lam_field *leaf) {
    lam_fuzz_input *input = source->input;
    lam_physical_type type = lam_field_physical_type(leaf);
    lam_value value;
    uint64_t bits = 0;
    if (type != LAM_PHYSICAL_BYTE_ARRAY && type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
        type != LAM_PHYSICAL_INT96) {
        bits = lam_fuzz_number(input, 1 + (unsigned)(lam_field_type_length(leaf) - 1));
        memset(&value, 0, sizeof value);
        if (type == LAM_PHYSICAL_BOOLEAN)
            value.boolean = bits & 1;
        else
            memcpy(&value, &bits, sizeof bits);
        return value;
    }
    size_t size = (size_t)lam_field_type_length(leaf);
    if (type == LAM_PHYSICAL_BYTE_ARRAY)
        size = (size_t)lam_fuzz_number(input, 1);
    free(source->block);
    source->block = lam_fuzz_block(size);
    for (size_t i = 0; i < size; i++)
        source->block[i] = (uint8_t)lam_fuzz_number(input, 1);
    value.bytes.data = source->block;
    value.bytes.size = size;
    return value;
}

static lam_status on_nothing(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status on_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return on_nothing(state, error);
}

static lam_status on_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf;
    (void)value;
    return on_nothing(state, error);
}

/* What is assembled is well formed. */
static lam_status on_variant(void *state, const lam_field *group, lam_variant variant,
                             lam_error *error) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_output output;
    lam_error problem = lam_error_none();
    lam_status status = lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, &problem);
    if (status != LAM_STATUS_OK)
        lam_fuzz_fail(__FILE__, __LINE__, "what is assembled is well formed", &problem);
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    LAM_FUZZ_OK(lam_json_print_variant(variant, LAM_JSON_VARIANT_TYPED, LAM_JSON_BINARY_BASE64,
                                       &output, &fault));
    lam_output_close(&output);
    return on_group(state, group, error);
}

/* One verb by a byte: begin, end, close, or a child of the group that is open, by its ordinal. */
static lam_status tell_event(event_source *source, const lam_schema *schema,
                             const lam_record_sink *sink, const lam_field **open, size_t *depth,
                             lam_error *error) {
    unsigned event = (unsigned)lam_fuzz_number(source->input, 1);
    if (event == 0xFF || *depth == 0) {
        open[0] = lam_schema_root(schema);
        *depth = 1;
        return sink->begin(sink->state, error);
    }
    const lam_field *top = open[*depth - 1];
    size_t count = lam_field_child_count(top);
    const lam_field *child = lam_field_child(top, event % (count + 1));
    if (child == NULL && *depth == 1) {
        *depth = 0;
        return sink->end(sink->state, error);
    }
    if (child == NULL) {
        --*depth;
        return sink->close(sink->state, top, error);
    }
    if (lam_field_is_leaf(child))
        return sink->put(sink->state, child, next_value(source, child), error);
    if (*depth < DEPTH_MAX)
        open[(*depth)++] = child;
    return sink->open(sink->state, child, error);
}

/* Parts of the first field, which should be a VARIANT; NULL for the whole. */
static lam_projection *want_parts(const lam_schema *schema, unsigned choice) {
    static const char *const ways[] = {"a", "b.a", "a,b.b", "\"\".a.a,c"};
    lam_allocator allocator = lam_fuzz_allocator();
    lam_projection *projection = NULL;
    char path[300];
    const lam_field *first = lam_field_child(lam_schema_root(schema), 0);
    if ((choice & 4) == 0 || first == NULL || strlen(lam_field_name(first)) > 200)
        return NULL;
    LAM_FUZZ_OK(lam_projection_create(schema, &allocator, &projection, &fault));
    for (const char *way = ways[choice >> 3 & 3]; *way != '\0'; way += *way == ',') {
        size_t size = strcspn(way, ",");
        lam_error error = lam_error_none();
        snprintf(path, sizeof path, "%s.%.*s", lam_field_name(first), (int)size, way);
        (void)lam_fuzz_judge(lam_projection_add(projection, path, &error), &error,
                             LAM_FUZZ_OF_CALLER | 1 << LAM_STATUS_NOT_FOUND);
        way += size;
    }
    return projection;
}

static void assemble_events(const lam_schema *schema, unsigned choice, lam_fuzz_input *input) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = {{NULL, on_nothing, on_group, on_put, on_group, on_nothing, NULL},
                             on_variant};
    lam_variant_assembler *assembler;
    event_source source = {input, {0}, NULL};
    const lam_field *open[DEPTH_MAX + 1];
    size_t depth = 0;
    lam_error error = lam_error_none();
    lam_projection *projection = want_parts(schema, choice);
    options.tolerate_conflicts = (choice & 2) != 0;
    options.projection = projection;
    lam_status status =
        lam_variant_assembler_create(schema, NULL, &options, &next, &allocator, &assembler, &error);
    if (!lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER)) {
        lam_projection_destroy(projection);
        return;
    }
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    for (size_t i = 0; i < EVENTS_MAX && input->left > 0; i++) {
        error = lam_error_none();
        status = tell_event(&source, schema, &sink, open, &depth, &error);
        if (!lam_fuzz_judge(status, &error,
                            LAM_FUZZ_OF_FILE | LAM_FUZZ_OF_CALLER | 1 << LAM_STATUS_STATE))
            depth = 0;
    }
    lam_variant_assembler_destroy(assembler);
    lam_projection_destroy(projection);
    free(source.block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_allocator allocator = lam_fuzz_allocator();
    unsigned choice = (unsigned)lam_fuzz_number(&input, 1);
    const uint8_t *nul = input.left == 0 ? NULL : memchr(input.next, 0, input.left);
    lam_schema *schema;
    if (nul != NULL && lam_schema_parse((const char *)input.next, (size_t)(nul - input.next),
                                        &allocator, &schema, NULL) == LAM_STATUS_OK) {
        input.left -= (size_t)(nul + 1 - input.next);
        input.next = nul + 1;
        const lam_field *root = lam_schema_root(schema);
        const lam_field *first = lam_field_child(root, 0);
        bool is_one = lam_field_child_count(root) == 1 && !lam_field_is_leaf(first) &&
                      lam_field_repetition(first) == LAM_REPETITION_OPTIONAL &&
                      strcmp(lam_field_name(first), "v") == 0 &&
                      lam_field_logical_type(first)->kind == LAM_LOGICAL_VARIANT;
        if (choice & 1)
            assemble_events(schema, choice, &input);
        else if (is_one) {
            lam_bytes text;
            uint8_t *block = lam_fuzz_rest(&input, &text);
            shred_json(schema, first, text);
            infer_columns(choice, text);
            free(block);
        }
        lam_schema_destroy(schema);
    }
    lam_fuzz_expect_no_leak();
    return 0;
}
