/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema message of Arrow's IPC format: what pyarrow wrote is read, what is written comes back,
 * and no broken message does harm or stands for more than its bytes.
 */
#include "arrow/schema/ipc_schema.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/field/arrow_format.h"
#include "arrow/ipc_samples.h"
#include "arrow/random_fields.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "support/failing_alloc.h"

static lam_failing_alloc counter;
static lam_allocator allocator;
static lam_arena arena;

static void set_up(void) {
    memset(&counter, 0, sizeof counter);
    allocator = lam_failing_allocator(&counter);
    lam_arena_init(&arena, &allocator, 0);
}

static void tear_down(void) {
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

TestSuite(ipc_schema, .init = set_up, .fini = tear_down);

#ifdef LAM_HAVE_ARROW_SCHEMA

static lam_bytes text_bytes(const char *text) {
    return (lam_bytes){(const uint8_t *)text, strlen(text)};
}

static lam_arrow_field read_value(lam_bytes value) {
    lam_arrow_field schema;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_ipc_schema_read(value, &arena, &schema, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return schema;
}

static lam_bytes written(const lam_arrow_field *schema) {
    lam_bytes value;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_ipc_schema_write(schema, &arena, &value, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return value;
}

/* --- Those of others -------------------------------------------------------------------------- */

static void is_format(const lam_arrow_field *field, const char *format) {
    char found[64];
    lam_arrow_format_print(&field->type, found, sizeof found);
    cr_assert_str_eq(found, format, "%s is %s, not %s", field->name, found, format);
}

Test(ipc_schema, flat_types_of_pyarrow_are_read) {
    static const char *const formats[] = {
        "n",         "b",       "c",           "C",    "s",    "S",    "i",
        "I",         "l",       "L",           "e",    "f",    "g",    "d:9,2,32",
        "d:18,0,64", "d:38,-3", "d:76,76,256", "tdD",  "tdm",  "tts",  "ttm",
        "ttu",       "ttn",     "tss:",        "tsm:", "tsu:", "tsn:", "tsu:Europe/Paris",
        "tDs",       "tDm",     "tDu",         "tDn",  "tin",  "z",    "Z",
        "vz",        "u",       "U",           "vu",   "w:7"};
    enum { COUNT = sizeof formats / sizeof formats[0] };
    lam_arrow_field schema = read_value(text_bytes(flat_types));
    cr_assert_str_eq(schema.name, "");
    cr_assert_eq(schema.type.kind, LAM_ARROW_STRUCT);
    cr_assert_not(schema.nullable);
    cr_assert_eq(schema.metadata.count, 0);
    cr_assert_eq(schema.child_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const lam_arrow_field *field = &schema.children[i];
        char name[] = {(char)('a' + i / 26), (char)('a' + i % 26), '\0'};
        cr_assert_str_eq(field->name, name);
        is_format(field, formats[i]);
        cr_assert(field->nullable);
        cr_assert_not(field->is_dictionary);
        cr_assert_eq(field->child_count, 0);
    }
}

static void is_item(const lam_arrow_field *field) {
    cr_assert_str_eq(field->name, "item");
    cr_assert_eq(field->type.kind, LAM_ARROW_INT32);
    cr_assert_not(field->nullable);
}

Test(ipc_schema, nested_types_of_pyarrow_are_read) {
    static const char *const formats[] = {"+l", "+L", "+vl",     "+vL",   "+w:3", "+s",
                                          "+m", "+r", "+us:4,9", "+ud:0", "u",    "+l"};
    lam_arrow_field schema = read_value(text_bytes(nested_types));
    cr_assert_eq(schema.child_count, 12);
    const lam_arrow_field *fields = schema.children;
    for (size_t i = 0; i < 12; i++) {
        is_format(&fields[i], formats[i]);
        cr_assert_eq(fields[i].metadata.count, i % 4 == 0 ? 1 : 0);
        cr_assert_eq(fields[i].is_dictionary, i >= 10);
        if (i < 5 || i == 11)
            is_item(&fields[i].children[0]);
    }
    const lam_bytes *id = lam_arrow_metadata_find(&fields[8].metadata, "PARQUET:field_id");
    cr_assert(id != NULL && id->size == 1 && id->data[0] == '8');
    cr_assert_str_eq(fields[5].children[1].name, "y");
    cr_assert_not(fields[5].children[1].nullable);
    cr_assert(fields[6].type.keys_sorted);
    cr_assert_eq(fields[6].children[0].children[1].type.kind, LAM_ARROW_FLOAT64);
    cr_assert_eq(fields[7].children[0].type.kind, LAM_ARROW_INT16);
    cr_assert(fields[10].dictionary_ordered);
    cr_assert_eq(fields[10].index_kind, LAM_ARROW_UINT16);
    cr_assert_not(fields[11].dictionary_ordered);
    cr_assert_eq(fields[11].index_kind, LAM_ARROW_INT8);
    cr_assert_eq(schema.metadata.count, 2);
    cr_assert_eq(schema.metadata.key_values[1].key.size, 1);
    cr_assert_eq(schema.metadata.key_values[1].key.data[0], 0xFF, "metadata is bytes, not text");
    cr_assert_eq(schema.metadata.key_values[1].value.size, 1);
}

Test(ipc_schema, what_is_left_out_has_its_default) {
    lam_arrow_field schema = read_value(text_bytes(bare));
    const lam_arrow_field *fields = schema.children;
    cr_assert_str_eq(fields[0].name, "");
    is_format(&fields[0], "+ud:0,1");
    is_format(&fields[0].children[0], "tdm");
    is_format(&fields[0].children[1], "ttm");
    is_format(&fields[1], "d:5,0");
    cr_assert(fields[1].is_dictionary);
    cr_assert_eq(fields[1].index_kind, LAM_ARROW_INT32);
    is_format(&fields[2], "tss:");
    is_format(&fields[3], "tDm");
    cr_assert_not(fields[3].nullable);
}

/* --- Its own ---------------------------------------------------------------------------------- */

Test(ipc_schema, what_pyarrow_wrote_comes_back_after_writing) {
    static const char *const values[] = {flat_types, nested_types, bare};
    for (size_t i = 0; i < 3; i++) {
        lam_arrow_field schema = read_value(text_bytes(values[i]));
        lam_arrow_field back = read_value(written(&schema));
        cr_assert_null(lam_fields_differ(&schema, &back));
    }
}

Test(ipc_schema, random_schemas_come_back_as_they_went) {
    uint64_t seed = lam_test_seed(11);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 1000; round++) {
        lam_arena_reset(&arena);
        lam_arrow_field schema = lam_random_schema(&random, &arena, 5);
        lam_arrow_field back = read_value(written(&schema));
        const char *difference = lam_fields_differ(&schema, &back);
        cr_assert_null(difference, "seed %llu, round %d: %s", (unsigned long long)seed, round,
                       difference);
    }
}

Test(ipc_schema, the_root_is_a_struct_without_name_whatever_was_written) {
    lam_arrow_field root = {.name = "r", .type = {.kind = LAM_ARROW_STRUCT}, .nullable = true};
    lam_arrow_field back = read_value(written(&root));
    cr_assert_str_eq(back.name, "");
    cr_assert_not(back.nullable);
    cr_assert_eq(back.child_count, 0);
}

/* A message out of its base64, at its offset in the frame; free() it. */
static uint8_t *unframed(lam_bytes value, size_t *ret_size) {
    uint8_t *bytes = malloc(value.size / 4 * 3);
    cr_assert(lam_base64_parse((const char *)value.data, value.size, bytes, ret_size));
    return bytes;
}

static lam_bytes framed(const uint8_t *bytes, size_t size) {
    uint8_t *text;
    cr_assert_eq(lam_arena_bytes(&arena, (size + 2) / 3 * 4, &text, NULL), LAM_STATUS_OK);
    return (lam_bytes){text, lam_base64_print(bytes, size, (char *)text)};
}

Test(ipc_schema, the_frame_is_as_drawn) {
    lam_arrow_field schema = read_value(text_bytes(nested_types));
    size_t size;
    uint8_t *bytes = unframed(written(&schema), &size);
    cr_assert_eq(lam_load_le32(bytes), UINT32_MAX);
    cr_assert_eq(lam_load_le32(bytes + 4), size - 8);
    cr_assert_eq(size % 8, 0);
    free(bytes);
}

Test(ipc_schema, the_frame_of_older_writers_is_read_too) {
    lam_arrow_field schema = read_value(text_bytes(nested_types));
    size_t size;
    uint8_t *bytes = unframed(text_bytes(nested_types), &size);
    lam_arrow_field old = read_value(framed(bytes + 4, size - 4));
    cr_assert_null(lam_fields_differ(&schema, &old));
    free(bytes);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void refused(lam_bytes value, lam_status status, const char *message) {
    lam_arrow_field schema = {.child_count = 77};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_ipc_schema_read(value, &arena, &schema, &error), status, "%s", error.message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(schema.child_count, 77, "the output of a failed call is left alone");
}

Test(ipc_schema, what_cannot_be_read_says_why) {
    refused(text_bytes(big_endian), LAM_STATUS_UNSUPPORTED,
            "the Arrow schema is not little-endian");
    refused(text_bytes(old_version), LAM_STATUS_UNSUPPORTED,
            "the Arrow schema is of metadata version 3");
    refused(text_bytes(no_header), LAM_STATUS_CORRUPT,
            "the Arrow schema is a message of another kind");
    refused(text_bytes(no_type), LAM_STATUS_CORRUPT, "a: the field has no type");
    refused(text_bytes(wide_integer), LAM_STATUS_UNSUPPORTED,
            "s.i: an integer must be 8, 16, 32 or 64 bits wide");
    refused(text_bytes(short_map), LAM_STATUS_CORRUPT, "m: a map must have one child, its entries");
    refused(text_bytes(odd_time), LAM_STATUS_CORRUPT,
            "t: a time32 must count seconds or milliseconds");
    refused(text_bytes(odd_union), LAM_STATUS_CORRUPT,
            "u: the type ids of a union must be distinct numbers from 0 to 127");
    refused(text_bytes(nul_name), LAM_STATUS_UNSUPPORTED, "schema: a name has a NUL in it");
}

Test(ipc_schema, what_is_no_message_says_so) {
    refused(text_bytes("AA"), LAM_STATUS_CORRUPT, "the Arrow schema is not base64");
    refused(text_bytes("AAA%"), LAM_STATUS_CORRUPT, "the Arrow schema is not base64");
    refused(text_bytes(""), LAM_STATUS_CORRUPT, "the Arrow schema ends in its frame");
    refused(text_bytes("////"), LAM_STATUS_CORRUPT, "the Arrow schema ends in its frame");
    refused(text_bytes("/////wAA"), LAM_STATUS_CORRUPT, "the Arrow schema ends in its frame");
    refused(text_bytes("/////wAAAAA="), LAM_STATUS_CORRUPT,
            "the Arrow schema is not a FlatBuffers message");
    refused(text_bytes("/////wEAAAA="), LAM_STATUS_CORRUPT,
            "the Arrow schema has a message of 1 bytes, but 0 are present");
    refused(text_bytes("/////wQAAAAAAAAA"), LAM_STATUS_CORRUPT,
            "the Arrow schema is not a FlatBuffers message");
}

/* A union member that is not known, since it is newer, is not looked into. */
Test(ipc_schema, an_unknown_type_names_its_field) {
    lam_arrow_field leaf = {.name = "b", .type = {.kind = LAM_ARROW_LARGE_LIST_VIEW}};
    lam_arrow_field outer = {.name = "a", .type = {.kind = LAM_ARROW_LIST}};
    lam_arrow_field element = {.name = "e", .type = {.kind = LAM_ARROW_INT8}};
    lam_arrow_field root = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    root.children = &outer, outer.children = &leaf, leaf.children = &element;
    root.child_count = outer.child_count = leaf.child_count = 1;
    size_t size, found = 0;
    uint8_t *bytes = unframed(written(&root), &size);
    for (size_t i = 8; i < size; i++) {
        if (bytes[i] != 26) /* LargeListView */
            continue;
        bytes[i] = 27;
        lam_arrow_field schema;
        lam_error error = lam_error_none();
        lam_status status = lam_ipc_schema_read(framed(bytes, size), &arena, &schema, &error);
        found += status == LAM_STATUS_UNSUPPORTED &&
                 strcmp(error.message, "a.b: the type is unknown") == 0;
        bytes[i] = 26;
    }
    cr_assert_eq(found, 1);
    free(bytes);
}

static lam_status read_nested(size_t levels) {
    lam_arrow_field *fields = calloc(levels + 1, sizeof *fields);
    for (size_t i = 0; i <= levels; i++) {
        fields[i].name = "";
        fields[i].type.kind = i < levels ? LAM_ARROW_STRUCT : LAM_ARROW_INT8;
        fields[i].child_count = i < levels ? 1 : 0;
        fields[i].children = i < levels ? &fields[i + 1] : NULL;
    }
    lam_arrow_field back;
    lam_status status = lam_ipc_schema_read(written(&fields[0]), &arena, &back, NULL);
    free(fields);
    return status;
}

Test(ipc_schema, a_schema_may_be_as_deep_as_parquet_is) {
    cr_assert_eq(read_nested(1), LAM_STATUS_OK);
    cr_assert_eq(read_nested(LAM_ARROW_DEPTH_MAX), LAM_STATUS_OK);
    cr_assert_eq(read_nested(LAM_ARROW_DEPTH_MAX + 1), LAM_STATUS_LIMIT);
    cr_assert_eq(read_nested(3 * LAM_ARROW_DEPTH_MAX), LAM_STATUS_CORRUPT);
}

static bool is_refusal(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

Test(ipc_schema, every_prefix_is_refused) {
    size_t size;
    uint8_t *bytes = unframed(text_bytes(nested_types), &size);
    for (size_t kept = 0; kept < size; kept++) {
        lam_arena_reset(&arena);
        lam_arrow_field schema;
        cr_assert_eq(lam_ipc_schema_read(framed(bytes, kept), &arena, &schema, NULL),
                     LAM_STATUS_CORRUPT);
        if (kept <= 8)
            continue;
        lam_store_le32(bytes + 4, (uint32_t)kept - 8);
        lam_status status = lam_ipc_schema_read(framed(bytes, kept), &arena, &schema, NULL);
        cr_assert(status == LAM_STATUS_OK || is_refusal(status));
        lam_store_le32(bytes + 4, (uint32_t)size - 8);
    }
    free(bytes);
}

/* Every byte is read by somebody: what an offset points at afterwards must be looked at first. */
Test(ipc_schema, any_changed_byte_gives_a_schema_or_a_refusal) {
    size_t size, refusals = 0;
    uint8_t *bytes = unframed(text_bytes(nested_types), &size);
    static const uint8_t changes[] = {0x01, 0x04, 0x10, 0x80, 0xFF};
    for (size_t at = 0; at < size; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            lam_arena_reset(&arena);
            bytes[at] ^= changes[i];
            lam_arrow_field schema;
            lam_status status = lam_ipc_schema_read(framed(bytes, size), &arena, &schema, NULL);
            bytes[at] ^= changes[i];
            cr_assert(status == LAM_STATUS_OK || is_refusal(status), "byte %zu", at);
            refusals += status != LAM_STATUS_OK;
            if (status == LAM_STATUS_OK)
                (void)read_value(written(&schema));
        }
    cr_assert_gt(refusals, size);
    free(bytes);
}

/* --- Messages that stand for more than they are ----------------------------------------------- */

enum { IMAGE_MOST = 10 << 20 };

typedef struct image {
    uint8_t bytes[IMAGE_MOST];
    uint32_t size;
} image;

static uint32_t place(image *to, uint32_t size) {
    uint32_t at = (to->size + 3) / 4 * 4;
    to->size = at + size;
    return at;
}

/* An offset at `at` to what is there. */
static void point(image *in, uint32_t at, uint32_t there) {
    lam_store_le32(in->bytes + at, there - at);
}

/* A table behind its vtable, whose entries say where in the table each member is. */
static uint32_t place_table(image *to, const uint16_t *entries, uint16_t members, uint16_t size) {
    uint32_t vtable = place(to, 4 + 2u * members);
    lam_store_le16(to->bytes + vtable, (uint16_t)(4 + 2 * members));
    lam_store_le16(to->bytes + vtable + 2, size);
    for (uint16_t i = 0; i < members; i++)
        lam_store_le16(to->bytes + vtable + 4 + 2u * i, entries[i]);
    uint32_t table = place(to, size);
    lam_store_le32(to->bytes + table, table - vtable);
    return table;
}

/* Returns where the offset to the schema's fields is. */
static uint32_t place_head(image *to) {
    static const uint16_t message_entries[] = {8, 10, 4}, schema_entries[] = {0, 4};
    place(to, 4);
    uint32_t message = place_table(to, message_entries, 3, 12);
    uint32_t schema = place_table(to, schema_entries, 2, 8);
    point(to, 0, message);
    point(to, message + 4, schema);
    lam_store_le16(to->bytes + message + 8, 4); /* V5 */
    to->bytes[message + 10] = 1;                /* a schema */
    return schema + 4;
}

/* A struct field without children yet, which are at 16, and without name, which is at 4. */
static uint32_t place_struct(image *to) {
    static const uint16_t entries[] = {4, 0, 12, 8, 0, 16};
    uint32_t field = place_table(to, entries, 6, 20);
    uint32_t type = place_table(to, NULL, 0, 4);
    point(to, field + 8, type);
    to->bytes[field + 12] = 13;
    return field;
}

/* What `at` points to: a string of that size. */
static void place_string(image *to, uint32_t at, uint32_t size) {
    uint32_t string = place(to, 4 + size + 1);
    lam_store_le32(to->bytes + string, size);
    memset(to->bytes + string + 4, 's', size);
    point(to, at, string);
}

/* What `at` points to: `count` offsets, all to the same table, which is there already or placed
 * next. */
static uint32_t place_offsets(image *to, uint32_t at, uint32_t count) {
    uint32_t offsets = place(to, 4 + 4 * count);
    lam_store_le32(to->bytes + offsets, count);
    point(to, at, offsets);
    return offsets;
}

static void point_all(image *in, uint32_t offsets, uint32_t there) {
    uint32_t count = lam_load_le32(in->bytes + offsets);
    for (uint32_t i = 0; i < count; i++)
        point(in, offsets + 4 + 4 * i, there);
}

/* The image as a value, in the arena. */
static lam_bytes value_of(const image *of) {
    uint8_t *bytes = calloc(1, of->size + 8);
    lam_store_le32(bytes, UINT32_MAX);
    lam_store_le32(bytes + 4, of->size);
    memcpy(bytes + 8, of->bytes, of->size);
    lam_bytes value = framed(bytes, of->size + 8);
    free(bytes);
    return value;
}

static void image_refused(image *of, lam_status status, const char *message) {
    counter.peak_bytes = counter.live_bytes;
    refused(value_of(of), status, message);
    cr_assert_lt(counter.peak_bytes, 100 * (size_t)of->size);
}

Test(ipc_schema, one_long_text_for_many_fields_is_a_limit) {
    static image of;
    uint32_t head = place_head(&of);
    uint32_t offsets = place_offsets(&of, head, 1000);
    uint32_t field = place_struct(&of);
    place_string(&of, field + 4, 5000);
    place_offsets(&of, field + 16, 0);
    point_all(&of, offsets, field);
    image_refused(&of, LAM_STATUS_LIMIT, "schema: the schema repeats too much text");
}

/* Key-values that are all the same one, of a key or a value of 5000 bytes. */
static void repeat_metadata(uint32_t key_size, uint32_t value_size) {
    static const uint16_t field_entries[] = {4, 0, 12, 8, 0, 16, 20}, pair_entries[] = {4, 8};
    image *of = calloc(1, sizeof *of);
    uint32_t head = place_head(of);
    uint32_t offsets = place_offsets(of, head, 1);
    uint32_t field = place_table(of, field_entries, 7, 24);
    point_all(of, offsets, field);
    of->bytes[field + 12] = 13; /* a struct */
    place_string(of, field + 4, 0);
    point(of, field + 8, place_table(of, NULL, 0, 4));
    place_offsets(of, field + 16, 0);
    uint32_t pairs = place_offsets(of, field + 20, 1000);
    uint32_t pair = place_table(of, pair_entries, 2, 12);
    point_all(of, pairs, pair);
    place_string(of, pair + 4, key_size);
    place_string(of, pair + 8, value_size);
    image_refused(of, LAM_STATUS_LIMIT, "schema: the schema repeats too much text");
    free(of);
}

Test(ipc_schema, one_long_pair_that_is_repeated_is_a_limit) {
    repeat_metadata(5000, 0);
    repeat_metadata(0, 5000);
}

/* Offsets to one field, and room behind it, so that it could be as many. */
Test(ipc_schema, more_fields_than_parquet_has_are_a_limit) {
    static image of;
    uint32_t head = place_head(&of);
    uint32_t offsets = place_offsets(&of, head, LAM_SCHEMA_FIELDS_MAX);
    uint32_t field = place_struct(&of);
    place_string(&of, field + 4, 0);
    place_offsets(&of, field + 16, 0);
    point_all(&of, offsets, field);
    place(&of, IMAGE_MOST - of.size - 8);
    image_refused(&of, LAM_STATUS_LIMIT, "schema: the schema has too many fields");
}

/* Its type has no ids, and the field no list of children. */
Test(ipc_schema, a_union_without_children_is_one_of_none) {
    static const uint16_t entries[] = {4, 0, 12, 8};
    static image of;
    uint32_t head = place_head(&of);
    uint32_t offsets = place_offsets(&of, head, 1);
    uint32_t field = place_table(&of, entries, 4, 16);
    point_all(&of, offsets, field);
    of.bytes[field + 12] = 14;
    place_string(&of, field + 4, 1);
    point(&of, field + 8, place_table(&of, NULL, 0, 4));
    lam_arrow_field schema = read_value(value_of(&of));
    cr_assert_eq(schema.children[0].type.kind, LAM_ARROW_SPARSE_UNION);
    cr_assert_eq(schema.children[0].type.union_ids.size, 0);
    cr_assert_eq(schema.children[0].child_count, 0);
}

Test(ipc_schema, fields_that_double_at_each_level_are_refused) {
    static image of;
    uint32_t at = place_head(&of);
    for (int level = 0; level < 100; level++) {
        uint32_t offsets = place_offsets(&of, at, 2);
        uint32_t field = place_struct(&of);
        place_string(&of, field + 4, 0);
        point_all(&of, offsets, field);
        at = field + 16;
    }
    place_offsets(&of, at, 0);
    image_refused(&of, LAM_STATUS_CORRUPT, "the Arrow schema is not a FlatBuffers message");
}

/* Offsets point forward, so nothing can contain itself; the deepest image is refused in time. */
Test(ipc_schema, an_image_by_hand_is_read_like_any_other) {
    static image of;
    uint32_t at = place_head(&of);
    uint32_t offsets = place_offsets(&of, at, 3);
    uint32_t field = place_struct(&of);
    place_string(&of, field + 4, 4);
    place_offsets(&of, field + 16, 0);
    point_all(&of, offsets, field);
    lam_arrow_field schema = read_value(value_of(&of));
    cr_assert_eq(schema.child_count, 3);
    cr_assert_str_eq(schema.children[2].name, "ssss");
}

Test(ipc_schema, each_allocation_may_fail) {
    lam_allocator heap = lam_allocator_default();
    lam_arena own;
    lam_arena_init(&own, &heap, 0);
    lam_random random = lam_random_start(5);
    lam_arrow_field children[100], schema = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    schema.children = children;
    schema.child_count = 100;
    for (size_t i = 0; i < schema.child_count; i++)
        children[i] = lam_random_field(&random, &own, 3);
    size_t failures = 0;
    for (;; failures++) {
        lam_arena_finish(&arena);
        counter.requests = 0;
        counter.fail_at = failures + 1;
        lam_bytes value = {NULL, 77};
        lam_arrow_field back;
        lam_error error = lam_error_none();
        lam_status status = lam_ipc_schema_write(&schema, &arena, &value, &error);
        cr_assert(status == LAM_STATUS_OK || value.size == 77);
        if (status == LAM_STATUS_OK)
            status = lam_ipc_schema_read(value, &arena, &back, &error);
        cr_assert_eq(status, error.status);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "%s", error.message);
    }
    cr_assert_geq(failures, 10, "only %zu", failures);
    lam_arena_finish(&own);
}

#else

Test(ipc_schema, a_build_without_flatbuffers_says_so_and_writes_no_value) {
    lam_arrow_field schema = {.child_count = 77};
    lam_bytes value = {(const uint8_t *)flat_types, sizeof flat_types - 1};
    cr_assert_eq(lam_ipc_schema_read(value, &arena, &schema, NULL), LAM_STATUS_UNSUPPORTED);
    cr_assert_eq(schema.child_count, 77);
    schema = (lam_arrow_field){.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    cr_assert_eq(lam_ipc_schema_write(&schema, &arena, &value, NULL), LAM_STATUS_OK);
    cr_assert_eq(value.size, 0);
}

#endif
