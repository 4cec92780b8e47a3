/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of any file of which a condition is true, on a part of a VARIANT, on texts, or on two
 * leaves side by side: as many as are counted, whatever the file says of its columns. (any_file.h)
 */
#include <lamella/filter.h>
#include <lamella/scan.h>
#include <lamella/variant.h>

#include "fuzz/any_file.h"
#include "fuzz/harness.h"
#include "scan/condition/filter_peer.h"

enum { VERBS_MAX = 200000, TEXT_MAX = 4096 };

/* The first group that is a VARIANT; NULL when there is none. */
static const lam_field *find_variant(const lam_schema *schema) {
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT && !lam_field_is_leaf(field))
            return field;
    }
    return NULL;
}

/* A condition on a part that the seed chooses; NULL when the path leads to none. */
static lam_filter *choose_condition(const lam_fuzz_file *file, const lam_field *variant) {
    static const char *const ways[] = {"", ".a", ".b", "[]", ".a[]", ".a.b", "[].a", ".\"\""};
    static const lam_variant_scalar values[] = {
        {LAM_VARIANT_INT64, {.integer = 1}},
        {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"x", 1}}},
        {LAM_VARIANT_TIMESTAMP_NANOS, {.integer = -1}},
        {LAM_VARIANT_BOOLEAN, {.boolean = true}}};
    lam_allocator allocator = lam_fuzz_allocator();
    uint32_t seed = file->seed;
    lam_filter_builder *builder;
    lam_filter *filter = NULL;
    char path[TEXT_MAX + 16];
    lam_error error = lam_error_none();
    if (lam_field_path(variant, path, TEXT_MAX) >= TEXT_MAX)
        return NULL;
    strcat(path, ways[seed % 8]);
    LAM_FUZZ_OK(
        lam_filter_builder_create(lam_reader_schema(file->reader), &allocator, &builder, &fault));
    lam_status status =
        (seed >> 3 & 3) == 0 ? lam_filter_builder_is_null(builder, path, seed & 32, &error)
        : (seed >> 3 & 3) == 1
            ? lam_filter_builder_is_missing(builder, path, seed & 32, &error)
            : lam_filter_builder_compare_scalars(
                  builder, path, (lam_filter_operator)(seed / 32 % 6), values, 4, &error);
    if (lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER | 1 << LAM_STATUS_NOT_FOUND))
        LAM_FUZZ_OK(lam_filter_builder_finish(builder, &filter, &fault));
    lam_filter_builder_destroy(builder);
    return filter;
}

/* A key of the map around a leaf, in the member that its type takes. */
static lam_value key_around(const lam_field *leaf) {
    const lam_field *key;
    lam_value value = {.int64 = 1};
    if (lam_map_around(leaf, &key) == NULL)
        return value;
    lam_physical_type type = lam_field_physical_type(key);
    if (type == LAM_PHYSICAL_BOOLEAN)
        value.boolean = true;
    else if (type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
             type == LAM_PHYSICAL_INT96)
        value.bytes = (lam_bytes){(const uint8_t *)"a", 1};
    return value;
}

/* A condition on leaves that the seed chooses; NULL when they have none of that kind. */
static lam_filter *choose_leaves(const lam_fuzz_file *file) {
    static const lam_filter_like likes[] = {{0}, {.ignores_case = true}, {.is_prefix = true}};
    const lam_schema *schema = lam_reader_schema(file->reader);
    size_t count = lam_schema_leaf_count(schema);
    uint32_t seed = file->seed;
    lam_allocator allocator = lam_fuzz_allocator();
    lam_filter_builder *builder;
    lam_filter *filter = NULL;
    char path[TEXT_MAX], other[TEXT_MAX];
    lam_error error = lam_error_none();
    if (count == 0)
        return NULL;
    const lam_field *leaf = lam_schema_leaf(schema, seed / 64 % count);
    const lam_field *peer = lam_schema_leaf(schema, (seed / 64 + seed % 3) % count);
    if (lam_field_path(leaf, path, sizeof path) >= sizeof path ||
        lam_field_path(peer, other, sizeof other) >= sizeof other)
        return NULL;
    LAM_FUZZ_OK(lam_filter_builder_create(schema, &allocator, &builder, &fault));
    lam_status status = LAM_STATUS_OK;
    if ((seed >> 3 & 3) == 0) {
        status = lam_filter_builder_like(builder, path,
                                         (lam_bytes){(const uint8_t *)"a%_b%", 1 + seed % 5},
                                         &likes[seed % 3], &error);
    } else if ((seed >> 3 & 3) == 1) {
        status = lam_filter_builder_is_null(builder, path, (seed & 32) != 0, &error);
        if (status == LAM_STATUS_OK)
            status = lam_filter_builder_for_key(builder, key_around(leaf), &error);
    } else {
        status = lam_filter_builder_compare_fields(builder, path, (lam_filter_operator)(seed % 6),
                                                   other, &error);
    }
    if (lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER | 1 << LAM_STATUS_NOT_FOUND))
        LAM_FUZZ_OK(lam_filter_builder_finish(builder, &filter, &fault));
    lam_filter_builder_destroy(builder);
    return filter;
}

static void read_filtered(lam_fuzz_file *file, const lam_filter *filter, bool no_pruning) {
    lam_scan_options options = lam_scan_options_default();
    lam_fuzz_sink sink = {.verbs_left = VERBS_MAX};
    lam_record_sink verbs = lam_fuzz_sink_verbs(&sink);
    lam_error error = lam_error_none();
    lam_record_reader *records;
    uint64_t count;
    options.filter = filter;
    options.pruning = no_pruning ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    lam_status status = lam_record_reader_open_scan(file->reader, &options, &records, &error);
    if (!lam_fuzz_file_judge(file, status, &error))
        return;
    status = lam_record_reader_read(records, &verbs, UINT64_MAX, &count, &error);
    if (!sink.cancelled && lam_fuzz_file_judge(file, status, &error))
        LAM_FUZZ_EXPECT(count == sink.records && count <= lam_reader_row_count(file->reader));
    lam_record_reader_close(records);
}

static void filter_parts(lam_fuzz_file *file) {
    const lam_field *variant = find_variant(lam_reader_schema(file->reader));
    if (lam_reader_row_count(file->reader) > VERBS_MAX)
        return;
    lam_filter *filter = variant != NULL && (file->seed & 0x10000) == 0
                             ? choose_condition(file, variant)
                             : choose_leaves(file);
    for (int no_pruning = 0; filter != NULL && no_pruning < 2; no_pruning++)
        read_filtered(file, filter, no_pruning != 0);
    lam_filter_destroy(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL)
        filter_parts(&file);
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
