/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a VARIANT: views, validation, copies, JSON, and the map of the bytes.
 *
 *     size of the metadata (2 bytes), metadata, value
 */
#include <lamella/byte_map.h>
#include <lamella/json.h>
#include <lamella/variant.h>
#include <stdlib.h>

#include "fuzz/harness.h"
#include "variant/value/variant_layout.h"

enum { LOOKS_MAX = 2000, STACK_MAX = 64, PARTS_MAX = 40, MAP_LEVELS = 80 };

static const unsigned OF_BYTES = 1 << LAM_STATUS_CORRUPT | 1 << LAM_STATUS_UNSUPPORTED;

/* A part of a value lies inside of it. */
static void expect_inside(lam_variant whole, lam_variant part) {
    LAM_FUZZ_EXPECT(part.value.data >= whole.value.data);
    LAM_FUZZ_EXPECT(part.value.data + part.value.size <= whole.value.data + whole.value.size);
    LAM_FUZZ_EXPECT(part.metadata.data == whole.metadata.data);
}

static uint64_t look_at_scalar(lam_variant variant) {
    lam_variant_scalar scalar;
    lam_error error = lam_error_none();
    lam_status status = lam_variant_get(variant, &scalar, &error);
    if (!lam_fuzz_judge(status, &error, OF_BYTES))
        return 0;
    if (scalar.kind == LAM_VARIANT_BINARY || scalar.kind == LAM_VARIANT_STRING ||
        scalar.kind == LAM_VARIANT_UUID)
        return lam_fuzz_hash(0, scalar.as.bytes.data, scalar.as.bytes.size);
    return 1;
}

/* Every getter, on every part, up to a number of them: offsets may make few bytes many parts. */
static void look(lam_variant variant) {
    lam_variant stack[STACK_MAX], part, found;
    size_t depth = 0, count;
    stack[depth++] = variant;
    for (size_t looks = 0; depth > 0 && looks < LOOKS_MAX; looks++) {
        lam_variant top = stack[--depth];
        lam_error error = lam_error_none();
        lam_variant_kind kind = lam_variant_kind_of(top);
        if (kind != LAM_VARIANT_OBJECT && kind != LAM_VARIANT_ARRAY) {
            (void)look_at_scalar(top);
            continue;
        }
        if (!lam_fuzz_judge(lam_variant_count(top, &count, &error), &error, OF_BYTES))
            continue;
        for (size_t i = 0; i < count && i < PARTS_MAX; i++) {
            lam_bytes name = {NULL, 0};
            error = lam_error_none();
            lam_status status = kind == LAM_VARIANT_OBJECT
                                    ? lam_variant_field_at(top, i, &name, &part, &error)
                                    : lam_variant_element(top, i, &part, &error);
            if (!lam_fuzz_judge(status, &error, OF_BYTES))
                continue;
            expect_inside(top, part);
            error = lam_error_none();
            if (kind == LAM_VARIANT_OBJECT)
                lam_fuzz_judge(
                    lam_variant_field(top, (const char *)name.data, name.size, &found, &error),
                    &error, OF_BYTES | 1 << LAM_STATUS_NOT_FOUND);
            if (depth < STACK_MAX)
                stack[depth++] = part;
        }
    }
}

static lam_output print(lam_variant variant, lam_json_variant form) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_output output;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    LAM_FUZZ_OK(lam_json_print_variant(variant, form, LAM_JSON_BINARY_BASE64, &output, &fault));
    return output;
}

/* What is printed is read, and what is read prints as the same text from then on. */
static void trip(lam_variant variant, lam_json_variant form, bool same_text) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_json_parser_options options = lam_json_parser_options_default();
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_variant again;
    options.form = form;
    LAM_FUZZ_OK(lam_json_parser_create(&options, &allocator, &parser, &fault));
    LAM_FUZZ_OK(lam_variant_builder_create(NULL, &allocator, &builder, &fault));
    lam_output text = print(variant, form);
    for (unsigned round = 0; round < 2; round++) {
        lam_bytes before = lam_output_memory_bytes(&text);
        lam_error error = lam_error_none();
        lam_status status =
            lam_json_parser_read(parser, (const char *)before.data, before.size, builder, &error);
        if (status != LAM_STATUS_OK && strstr(error.message, "nested too deep") != NULL)
            break; /* with its kinds told, a value nests twice as deep in JSON */
        lam_fuzz_judge(status, &error, 0);
        LAM_FUZZ_OK(lam_variant_builder_finish(builder, &again, &fault));
        LAM_FUZZ_OK(lam_variant_validate(again, 0, &fault));
        lam_output next = print(again, form);
        lam_bytes after = lam_output_memory_bytes(&next);
        bool same = before.size == after.size && memcmp(before.data, after.data, after.size) == 0;
        LAM_FUZZ_EXPECT(same || (round == 0 && !same_text));
        lam_output_close(&text);
        text = next;
    }
    lam_output_close(&text);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
}

/* A copy means the same, and takes no more room. */
static void copy(lam_variant variant) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_variant_builder *builder;
    lam_variant same;
    LAM_FUZZ_OK(lam_variant_builder_create(NULL, &allocator, &builder, &fault));
    LAM_FUZZ_OK(lam_variant_builder_copy(builder, variant, &fault));
    LAM_FUZZ_OK(lam_variant_builder_finish(builder, &same, &fault));
    LAM_FUZZ_OK(lam_variant_validate(same, 0, &fault));
    LAM_FUZZ_EXPECT(lam_variant_equals(variant, same));
    LAM_FUZZ_EXPECT(same.value.size <= variant.value.size);
    lam_variant_builder_destroy(builder);
}

/* Where the ranges of each depth go on, and where those of the range around end. */
typedef struct map_levels {
    uint32_t open;
    uint64_t next[MAP_LEVELS];
    uint64_t end[MAP_LEVELS];
    uint64_t value_size;
    uint64_t unknown; /* bytes */
    unsigned sum;
    bool is_value;
} map_levels;

static void close_map(map_levels *map, uint32_t open) {
    for (; map->open > open; map->open--)
        LAM_FUZZ_EXPECT(map->next[map->open - 1] == map->end[map->open - 1]);
}

/* Ranges cover what is around them; bytes are read, so that the sanitizer sees where they end. */
static lam_status visit_map(void *state, const lam_byte_range *range, bool *expand,
                            lam_error *error) {
    map_levels *map = state;
    (void)error;
    if (range->depth == 0 && range->kind != LAM_BYTE_VARIANT_METADATA && !map->is_value) {
        close_map(map, 0);
        *map = (map_levels){.open = 1, .end = {map->value_size}, .is_value = true};
    }
    LAM_FUZZ_EXPECT(range->depth < map->open);
    close_map(map, range->depth + 1);
    LAM_FUZZ_EXPECT(range->begin == map->next[range->depth]);
    LAM_FUZZ_EXPECT(range->length <= map->end[range->depth] - range->begin);
    map->next[range->depth] += range->length;
    map->unknown += range->kind == LAM_BYTE_UNKNOWN ? range->length : 0;
    for (uint64_t i = 0; i < range->length; i++)
        map->sum += range->bytes[i];
    if (*expand) {
        LAM_FUZZ_EXPECT(map->open < MAP_LEVELS);
        map->next[map->open] = range->begin;
        map->end[map->open++] = range->begin + range->length;
    }
    return LAM_STATUS_OK;
}

/* Values may share bytes even in what is valid: then a range without bytes says so. */
static void map_bytes(lam_variant variant, bool is_valid) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_byte_map_options options = lam_byte_map_options_default();
    map_levels map = {.open = 1, .end = {variant.metadata.size}, .value_size = variant.value.size};
    options.allocator = &allocator;
    LAM_FUZZ_OK(lam_byte_map_walk_variant(variant.metadata, variant.value, &options, visit_map,
                                          &map, &fault));
    close_map(&map, 0);
    LAM_FUZZ_EXPECT(map.is_value || variant.value.size == 0);
    LAM_FUZZ_EXPECT(!is_valid || map.unknown == 0);
}

/* What is not well formed is refused by all that would have to walk it. */
static void expect_refused(lam_variant variant) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_output output;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    LAM_FUZZ_EXPECT(lam_json_print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_HEX,
                                           &output, NULL) != LAM_STATUS_OK);
    LAM_FUZZ_EXPECT(lam_output_memory_bytes(&output).size == 0);
    lam_output_close(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    size_t metadata_size = (size_t)lam_fuzz_number(&input, 2);
    if (metadata_size > input.left)
        metadata_size = input.left;
    uint8_t *metadata = lam_fuzz_block(metadata_size);
    if (metadata_size > 0)
        memcpy(metadata, input.next, metadata_size);
    input.next += metadata_size;
    input.left -= metadata_size;
    lam_variant variant = {{metadata, metadata_size}, {NULL, 0}};
    uint8_t *value = lam_fuzz_rest(&input, &variant.value);
    lam_error error = lam_error_none();
    look(variant);
    lam_status strict = lam_variant_validate(variant, 0, &error);
    lam_fuzz_judge(strict, &error, LAM_FUZZ_OF_FILE);
    map_bytes(variant, strict == LAM_STATUS_OK);
    lam_status lenient = lam_variant_validate(
        variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS | LAM_VARIANT_ACCEPT_ANY_NAMES, NULL);
    LAM_FUZZ_EXPECT(strict != LAM_STATUS_OK || lenient == LAM_STATUS_OK);
    LAM_FUZZ_EXPECT((lenient == LAM_STATUS_OK) || !lam_variant_equals(variant, variant) ||
                    variant.value.size > 0);
    if (lenient == LAM_STATUS_OK)
        trip(variant, LAM_JSON_VARIANT_VALUE, false);
    else
        expect_refused(variant);
    if (strict == LAM_STATUS_OK) {
        LAM_FUZZ_EXPECT(lam_variant_equals(variant, variant));
        trip(variant, LAM_JSON_VARIANT_TYPED, true);
        copy(variant);
    }
    free(metadata);
    free(value);
    lam_fuzz_expect_no_leak();
    return 0;
}
