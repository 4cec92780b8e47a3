/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schemas, random records: what the writer prints, the reader tells as the same events; what
 * columns print is what events print; and what the schema of inference reads, prints back.
 */
#include <inttypes.h>
#include <lamella/record.h>
#include <math.h>

#include "json_help.h"
#include "print_ways.h"
#include "support/random.h"

/* --- Schemas --------------------------------------------------------------------------------- */

/* Leaf types as physical type, length, and logical type. */
typedef struct leaf_type {
    lam_physical_type type;
    int32_t length;
    lam_logical_type logical;
} leaf_type;

static leaf_type random_type(lam_random *random) {
    static const leaf_type types[] = {
        {LAM_PHYSICAL_BOOLEAN, 0, {0}},
        {LAM_PHYSICAL_INT32, 0, {0}},
        {LAM_PHYSICAL_INT64, 0, {0}},
        {LAM_PHYSICAL_INT96, 0, {0}},
        {LAM_PHYSICAL_FLOAT, 0, {0}},
        {LAM_PHYSICAL_DOUBLE, 0, {0}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {0}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 5, {0}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_STRING}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_ENUM}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_JSON}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_BSON}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DATE}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_MILLIS}},
        {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIME, .unit = LAM_TIME_UNIT_NANOS}},
        {LAM_PHYSICAL_INT64,
         0,
         {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS, .adjusted_to_utc = true}},
        {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_NANOS}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
         12,
         {.kind = LAM_LOGICAL_TIMESTAMP, .unit = LAM_TIME_UNIT_MILLIS, .adjusted_to_utc = true}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 8, .is_signed = true}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 16}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 32}},
        {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_INTEGER, .bit_width = 64}},
        {LAM_PHYSICAL_INT32, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 9, .scale = 4}},
        {LAM_PHYSICAL_INT64, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 18, .scale = 18}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
         9,
         {.kind = LAM_LOGICAL_DECIMAL, .precision = 21, .scale = 2}},
        {LAM_PHYSICAL_BYTE_ARRAY, 0, {.kind = LAM_LOGICAL_DECIMAL, .precision = 50, .scale = 7}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, {.kind = LAM_LOGICAL_UUID}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 12, {.kind = LAM_LOGICAL_INTERVAL}},
        {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 2, {.kind = LAM_LOGICAL_FLOAT16}},
    };
    return types[lam_random_below(random, sizeof types / sizeof *types)];
}

typedef struct growing {
    lam_random *random;
    lam_schema_builder *builder;
    size_t fields;
} growing;

static void grow_fields(growing *g, unsigned depth);

static void grow_leaf(growing *g, const char *name, lam_repetition repetition) {
    leaf_type type = random_type(g->random);
    lam_field_options options = {.logical_type = type.logical, .type_length = type.length};
    cr_assert_eq(
        lam_schema_builder_add_leaf(g->builder, name, repetition, type.type, &options, NULL),
        LAM_STATUS_OK);
    g->fields++;
}

static void begin_group(growing *g, const char *name, lam_repetition repetition,
                        lam_logical_kind kind) {
    lam_field_options options = {.logical_type = {.kind = kind}};
    cr_assert_eq(lam_schema_builder_begin_group(g->builder, name, repetition, &options, NULL),
                 LAM_STATUS_OK);
    g->fields++;
}

static void end_group(growing *g) {
    cr_assert_eq(lam_schema_builder_end_group(g->builder, NULL), LAM_STATUS_OK);
}

static lam_repetition random_repetition(growing *g, unsigned bound) {
    return (lam_repetition)lam_random_below(g->random, bound);
}

static void grow_field(growing *g, const char *name, unsigned repetitions, unsigned depth) {
    static const char *const middle[] = {"list", "array", "element", "bag"};
    lam_repetition repetition = random_repetition(g, repetitions);
    lam_field_options text = {.logical_type = {.kind = LAM_LOGICAL_STRING}};
    switch (depth > 4 || g->fields > 30 ? 0 : lam_random_below(g->random, 8)) {
    case 0:
    case 1:
    case 2:
        grow_leaf(g, name, repetition);
        break;
    case 3:
        begin_group(g, name, repetition, LAM_LOGICAL_NONE);
        grow_fields(g, depth + 1);
        end_group(g);
        break;
    case 4: /* three levels, or a repeated group that may be the element */
        begin_group(g, name, (lam_repetition)(repetition % 2), LAM_LOGICAL_LIST);
        begin_group(g, middle[lam_random_below(g->random, 4)], LAM_REPETITION_REPEATED,
                    LAM_LOGICAL_NONE);
        grow_field(g, "element", 2, depth + 2);
        if (lam_random_chance(g->random, 20))
            grow_leaf(g, "more", LAM_REPETITION_OPTIONAL);
        end_group(g);
        end_group(g);
        break;
    case 5: /* two levels */
        begin_group(g, name, (lam_repetition)(repetition % 2), LAM_LOGICAL_LIST);
        grow_leaf(g, "item", LAM_REPETITION_REPEATED);
        end_group(g);
        break;
    default:
        begin_group(g, name, (lam_repetition)(repetition % 2), LAM_LOGICAL_MAP);
        begin_group(g, "key_value", LAM_REPETITION_REPEATED, LAM_LOGICAL_NONE);
        if (lam_random_chance(g->random, 50))
            cr_assert_eq(lam_schema_builder_add_leaf(g->builder, "key", LAM_REPETITION_REQUIRED,
                                                     LAM_PHYSICAL_BYTE_ARRAY, &text, NULL),
                         LAM_STATUS_OK);
        else
            grow_field(g, "key", 1, 9);
        if (lam_random_chance(g->random, 80))
            grow_field(g, "value", 2, depth + 2);
        end_group(g);
        end_group(g);
    }
}

static void grow_fields(growing *g, unsigned depth) {
    static const char *const names[] = {"a",   "b.c",  "\xC3\xA9 \"q\"",
                                        "key", "list", "element_tuple"};
    size_t count = 1 + lam_random_below(g->random, 5);
    for (size_t i = 0; i < count; i++)
        grow_field(g, names[i], 3, depth);
}

static lam_schema *random_schema(lam_random *random) {
    growing g = {random, NULL, 0};
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &g.builder, NULL), LAM_STATUS_OK);
    grow_fields(&g, 0);
    cr_assert_eq(lam_schema_builder_finish(g.builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(g.builder);
    return schema;
}

/* --- Records --------------------------------------------------------------------------------- */

static int64_t random_int64(lam_random *random) {
    return (int64_t)lam_random_next(random) >> lam_random_below(random, 64);
}

static size_t random_text(lam_random *random, uint8_t *bytes) {
    static const char *const parts[] = {"a",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "",
                                        "\x01",
                                        "\xC3\xA9",
                                        "\xE4\xB8\x8A",
                                        "\xF0\x9F\x98\x80",
                                        "lorem ipsum dolor",
                                        "}"};
    size_t size = 0, count = lam_random_below(random, 6);
    for (size_t i = 0; i < count; i++) {
        const char *part = parts[lam_random_below(random, sizeof parts / sizeof *parts)];
        memcpy(bytes + size, part, strlen(part));
        size += strlen(part);
    }
    return size;
}

/* A number of fewer than `digits` digits as big-endian two's complement; of `length`, or fewest. */
static size_t random_decimal(lam_random *random, size_t length, uint8_t *bytes) {
    size_t size = length > 0 ? length : 1 + lam_random_below(random, 16);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lam_random_next(random);
    if (length > 0) /* 2^64 has 20 digits */
        bytes[0] = bytes[1] >> 7 ? 0xFF : 0;
    else if (size > 1 && (bytes[0] == 0 || bytes[0] == 0xFF))
        bytes[0] ^= 0x55;
    return size;
}

static lam_value random_bytes(lam_random *random, const lam_field *leaf, uint8_t *bytes) {
    lam_logical_kind kind = lam_field_logical_type(leaf)->kind;
    size_t length = (size_t)lam_field_type_length(leaf);
    size_t size = length > 0 ? length : lam_random_below(random, 20);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lam_random_next(random);
    if (kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM || kind == LAM_LOGICAL_JSON)
        size = random_text(random, bytes);
    if (kind == LAM_LOGICAL_DECIMAL)
        size = random_decimal(random, length, bytes);
    if (kind == LAM_LOGICAL_FLOAT16 && (bytes[1] & 0x7C) == 0x7C)
        bytes[1] &= 0xBF; /* NaN has many forms, and one text */
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT96 && lam_random_chance(random, 70))
        memset(bytes + 6, 0, 3); /* most have a time inside the day, and a year people know */
    lam_value value = {.bytes = {bytes, size}};
    return value;
}

static lam_value random_value(lam_random *random, const lam_field *leaf, uint8_t *bytes) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    lam_value value = {.int64 = 0};
    int64_t number = random_int64(random);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = number & 1;
        break;
    case LAM_PHYSICAL_INT32:
        if (type->kind == LAM_LOGICAL_INTEGER && type->is_signed)
            number = (int8_t)number;
        if (type->kind == LAM_LOGICAL_INTEGER && type->bit_width == 16)
            number = (uint16_t)number;
        if (type->kind == LAM_LOGICAL_DECIMAL)
            number %= 1000000000;
        value.int32 = (int32_t)number;
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = type->kind == LAM_LOGICAL_DECIMAL ? number % 1000000000000000000 : number;
        break;
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value.float32, &number, sizeof value.float32);
        value.float32 = isnan(value.float32) ? INFINITY : value.float32;
        break;
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value.float64, &number, sizeof value.float64);
        value.float64 = isnan(value.float64) ? -INFINITY : value.float64;
        break;
    default:
        return random_bytes(random, leaf, bytes);
    }
    return value;
}

/* Tells the same record to both sinks. Recursion as deep as the schemas here, which is little. */
static void tell_fields(lam_random *random, const lam_field *group,
                        const lam_record_sink sinks[2]) {
    for (size_t i = 0; i < lam_field_child_count(group); i++) {
        const lam_field *child = lam_field_child(group, i);
        lam_repetition repetition = lam_field_repetition(child);
        size_t count = repetition == LAM_REPETITION_REQUIRED   ? 1
                       : repetition == LAM_REPETITION_OPTIONAL ? lam_random_below(random, 2)
                                                               : lam_random_below(random, 4);
        for (; count > 0; count--) {
            uint8_t bytes[256];
            if (lam_field_is_leaf(child)) {
                lam_value value = random_value(random, child, bytes);
                for (int s = 0; s < 2; s++)
                    cr_assert_eq(sinks[s].put(sinks[s].state, child, value, NULL), LAM_STATUS_OK);
                continue;
            }
            for (int s = 0; s < 2; s++)
                cr_assert_eq(sinks[s].open(sinks[s].state, child, NULL), LAM_STATUS_OK);
            tell_fields(random, child, sinks);
            for (int s = 0; s < 2; s++)
                cr_assert_eq(sinks[s].close(sinks[s].state, child, NULL), LAM_STATUS_OK);
        }
    }
}

static void check_round_trip(lam_random *random, uint64_t seed, int round) {
    enum { RECORDS = 5 };
    lam_schema *schema = random_schema(random);
    lam_output output;
    lam_json_writer *writer;
    lam_json_writer_options writing = lam_json_writer_options_default();
    lam_json_reader_options reading = lam_json_reader_options_default();
    event_log told = {NULL, 0, 0}, read = {NULL, 0, 0};
    writing.binary = (lam_json_binary)(round % 2);
    reading.binary = writing.binary;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(schema, &output, &writing, NULL, &writer, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sinks[2] = {log_sink(&told), lam_json_writer_sink(writer)};
    for (int i = 0; i < RECORDS; i++) {
        for (int s = 0; s < 2; s++)
            cr_assert_eq(sinks[s].begin(sinks[s].state, NULL), LAM_STATUS_OK);
        tell_fields(random, lam_schema_root(schema), sinks);
        for (int s = 0; s < 2; s++)
            cr_assert_eq(sinks[s].end(sinks[s].state, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_bytes text = lam_output_memory_bytes(&output);
    lam_record_sink sink = log_sink(&read);
    size_t records = 0;
    lam_error error = lam_error_none();
    lam_status status = read_json(schema, (const char *)text.data, text.size, &reading, NULL, &sink,
                                  &records, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "seed %" PRIu64 " round %d: %s\n%.*s", seed, round,
                 error.message, (int)text.size, (const char *)text.data);
    cr_assert_eq(records, RECORDS);
    cr_assert(told.size == read.size && memcmp(told.text, read.text, told.size) == 0,
              "seed %" PRIu64 " round %d: %.*s", seed, round, (int)text.size,
              (const char *)text.data);
    free(told.text);
    free(read.text);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

Test(json_random, records_of_any_schema_come_back_as_the_same_events) {
    uint64_t seed = lam_test_seed(31);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 3000; round++)
        check_round_trip(&random, seed, round);
}

/* --- Columns --------------------------------------------------------------------------------- */

static lam_writer_options random_options(lam_random *random) {
    lam_writer_options options = lam_writer_options_default();
    options.compat = LAM_COMPAT_NEWEST; /* which has all types */
    options.page_rows = 1 + lam_random_below(random, 30);
    options.row_group_rows = 1 + lam_random_below(random, 60);
    options.dictionary_bytes = 1 + lam_random_below(random, 300);
    options.dictionary = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.data_page_version = (int32_t)lam_random_below(random, 3);
    return options;
}

/*
 * Puts a value that the format allows into the file: a time within its day. A record with another
 * value that the writer refuses is dropped by its end.
 */
static lam_status put_allowed(void *state, const lam_field *leaf, lam_value value,
                              lam_error *error) {
    const lam_record_sink *file = state;
    bool is_time = lam_field_logical_type(leaf)->kind == LAM_LOGICAL_TIME;
    if (is_time && lam_field_physical_type(leaf) == LAM_PHYSICAL_INT32)
        value.int32 = (int32_t)((uint32_t)value.int32 % 86400000);
    if (is_time && lam_field_physical_type(leaf) == LAM_PHYSICAL_INT64)
        value.int64 = (int64_t)((uint64_t)value.int64 % 86400000000);
    (void)file->put(file->state, leaf, value, error);
    return LAM_STATUS_OK;
}

static lam_status begin_any(void *state, lam_error *error) {
    const lam_record_sink *file = state;
    return file->begin(file->state, error);
}

static lam_status open_any(void *state, const lam_field *group, lam_error *error) {
    const lam_record_sink *file = state;
    (void)file->open(file->state, group, error);
    return LAM_STATUS_OK;
}

static lam_status close_any(void *state, const lam_field *group, lam_error *error) {
    const lam_record_sink *file = state;
    (void)file->close(file->state, group, error);
    return LAM_STATUS_OK;
}

static lam_status end_any(void *state, lam_error *error) {
    const lam_record_sink *file = state;
    (void)file->end(file->state, error);
    return LAM_STATUS_OK;
}

/* Returns the number of records that were compared. */
static uint64_t check_columns(lam_random *random, uint64_t seed, int round) {
    char context[80];
    bool leaves[256];
    written_file file;
    lam_schema *schema = random_schema(random);
    lam_writer_options options = random_options(random);
    lam_writer *writer = open_writer(schema, &options, &file);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_record_sink any = {&sink, begin_any, open_any, put_allowed, close_any, end_any, NULL};
    event_log told = {NULL, 0, 0};
    lam_record_sink sinks[2] = {any, log_sink(&told)};
    snprintf(context, sizeof context, "seed %" PRIu64 " round %d", seed, round);
    for (size_t i = lam_random_below(random, 80); i > 0; i--) {
        for (int s = 0; s < 2; s++)
            cr_assert_eq(sinks[s].begin(sinks[s].state, NULL), LAM_STATUS_OK);
        tell_fields(random, lam_schema_root(lam_writer_schema(writer)), sinks);
        for (int s = 0; s < 2; s++)
            cr_assert_eq(sinks[s].end(sinks[s].state, NULL), LAM_STATUS_OK, "%s", context);
    }
    finish_writer(writer, &file);
    lam_reader *reader = open_file(&file);
    uint64_t row_count = lam_reader_row_count(reader);
    size_t leaf_count = lam_schema_leaf_count(schema);
    cr_assert_leq(leaf_count, sizeof leaves);
    for (int projection = 0; projection < 3; projection++) {
        lam_scan_options scan = lam_scan_options_default();
        lam_json_writer_options printing = lam_json_writer_options_default();
        for (size_t i = 0; i < leaf_count; i++)
            leaves[i] = projection == 0 || lam_random_chance(random, 50);
        printing.binary = (lam_json_binary)(round % 2);
        printing.leaves = projection == 0 ? NULL : leaves;
        scan.leaves = printing.leaves;
        free(expect_same_ways(reader, &scan, &printing, lam_random_below(random, 3), context));
    }
    free(told.text);
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
    return row_count;
}

Test(json_random, columns_of_any_schema_print_as_the_events_of_their_records) {
    uint64_t seed = lam_test_seed(41);
    lam_random random = lam_random_start(seed);
    uint64_t records = 0;
    for (int round = 0; round < 400; round++)
        records += check_columns(&random, seed, round);
    cr_assert_gt(records, 4000); /* most are written */
}

/* --- Documents of any shape ------------------------------------------------------------------ */

static void random_json(lam_random *random, char *text, unsigned depth) {
    static const char *const scalars[] = {"null",
                                          "true",
                                          "1",
                                          "-2.5",
                                          "\"x\"",
                                          "9007199254740993",
                                          "1e300",
                                          "{}",
                                          "[]",
                                          "\"\\u00e9\\n\"",
                                          "18446744073709551615"};
    size_t kind = lam_random_below(random, depth > 3 ? 6 : 10);
    if (kind < 6) {
        strcat(text, scalars[lam_random_below(random, kind < 4 ? 5 : 11)]);
        return;
    }
    bool object = kind < 8;
    size_t count = lam_random_below(random, 4);
    strcat(text, object ? "{" : "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            strcat(text, ",");
        if (object)
            sprintf(text + strlen(text), "\"k%u\":", (unsigned)i);
        random_json(random, text, depth + 1);
    }
    strcat(text, object ? "}" : "]");
}

Test(json_random, documents_of_any_shape_print_the_same_twice_after_inference) {
    enum { ROOM = 1 << 16 };
    uint64_t seed = lam_test_seed(37);
    lam_random random = lam_random_start(seed);
    char *text = malloc(ROOM);
    for (int round = 0; round < 3000; round++) {
        lam_json_inference *inference;
        lam_schema *schema;
        lam_error error = lam_error_none();
        text[0] = '\0';
        for (int i = 0; i < 4; i++) {
            strcat(text, "{\"a\":");
            random_json(&random, text, 0);
            strcat(text, "}\n");
        }
        lam_bytes left = {(const uint8_t *)text, strlen(text)};
        lam_json_source source = lam_json_source_memory(&left);
        cr_assert_eq(lam_json_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_json_inference_add(inference, &source, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, &error), LAM_STATUS_OK,
                     "%s", error.message);
        lam_json_reader_options reading = lam_json_reader_options_default();
        lam_json_writer_options writing = lam_json_writer_options_default();
        char *once = copy_json(schema, text, &reading, &writing, &error);
        cr_assert_not_null(once, "seed %" PRIu64 " round %d: %s\n%s", seed, round, error.message,
                           text);
        char *twice = copy_json(schema, once, &reading, &writing, &error);
        cr_assert_not_null(twice, "seed %" PRIu64 " round %d: %s\n%s", seed, round, error.message,
                           once);
        cr_assert_str_eq(once, twice, "seed %" PRIu64 " round %d", seed, round);
        event_log first = {NULL, 0, 0}, second = {NULL, 0, 0};
        lam_record_sink first_sink = log_sink(&first), second_sink = log_sink(&second);
        size_t records;
        cr_assert_eq(
            read_json(schema, text, strlen(text), &reading, NULL, &first_sink, &records, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(
            read_json(schema, once, strlen(once), &reading, NULL, &second_sink, &records, NULL),
            LAM_STATUS_OK);
        cr_assert_str_eq(first.text, second.text, "seed %" PRIu64 " round %d", seed, round);
        free(first.text);
        free(second.text);
        free(once);
        free(twice);
        lam_json_inference_destroy(inference);
        lam_schema_destroy(schema);
    }
    free(text);
}
