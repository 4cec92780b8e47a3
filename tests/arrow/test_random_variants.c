/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of seed 000, built as they are drawn there: they are written and come back. */
#include <lamella/dremel.h>
#include <lamella/json.h>
#include <lamella/scan.h>

#include "arrow/array_rows.h"
#include "arrow/hand_arrays.h"
#include "support/event_lines.h"

/* The rows of an array as text. */
static event_lines rows_of(const lam_schema *schema, const struct ArrowSchema *arrow_schema,
                           const struct ArrowArray *array) {
    event_lines lines = {0};
    lam_arrow_field field;
    lam_arena arena = arrow_arena();
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_field_import(arrow_schema, &arena, &field, NULL), LAM_STATUS_OK);
    lam_record_sink sink = event_lines_sink(&lines);
    cr_assert_eq(lam_drive_rows(schema, &field, array, &sink, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_arena_finish(&arena);
    return lines;
}

/* The values that the file holds, a line of JSON each. */
static void expect_json(const lam_reader *reader, const char *expected) {
    lam_allocator allocator = lam_allocator_default();
    lam_output output;
    lam_json_writer *writer;
    lam_record_reader *records;
    lam_error error = lam_error_none();
    uint64_t count;
    cr_assert_eq(lam_output_memory(&allocator, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_json_writer_create(lam_reader_schema(reader), &output, NULL, NULL, &writer, NULL),
        LAM_STATUS_OK);
    lam_record_sink sink = lam_json_writer_sink(writer);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_bytes printed = lam_output_memory_bytes(&output);
    cr_assert_eq(printed.size, strlen(expected), "%.*s", (int)printed.size,
                 (const char *)printed.data);
    cr_assert_eq(memcmp(printed.data, expected, printed.size), 0, "%.*s", (int)printed.size,
                 (const char *)printed.data);
    lam_record_reader_close(records);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
}

static void comes_back(const char *columns, struct ArrowArray *column, int64_t rows,
                       const char *message, const char *json) {
    lam_error error = lam_error_none();
    hand_writer hand = hand_open(columns);
    cr_assert_eq(hand_write(&hand, column, rows, &error), LAM_STATUS_OK, "%s", error.message);
    lam_reader *reader = hand_read(&hand);
    char printed[2000];
    lam_schema_print(hand.schema, printed, sizeof printed);
    cr_assert_str_eq(printed, message);
    expect_json(reader, json);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    hand_array root = hand_root();
    root.array.length = rows;
    root.array.n_children = 1;
    root.children[0] = column;
    event_lines before = rows_of(hand.schema, &hand.arrow_schema, hand_at(&root));
    event_lines after = rows_of(hand.schema, &schema, &array);
    cr_assert_str_eq(after.text, before.text);
    event_lines_free(&before);
    event_lines_free(&after);
    array.release(&array);
    schema.release(&schema);
    stream.release(&stream);
    lam_reader_close(reader);
    hand_close(&hand);
}

/* Four rows of empty metadata. */
#define EMPTY_4 "\1\0\1\0\1\0\1\0"

static void measure(const uint8_t *validity, const char *values, const char *json) {
    hand_array *variant = STRUCTS(4, validity, BYTES(4, NULL, INTS(0, 2, 4, 6, 8), EMPTY_4),
                                  BYTES(4, BITS(0x06), INTS(0, 0, 1, 5, 5), values),
                                  VALUES(4, BITS(0x09), ((const int64_t[]){34, 0, 0, 100})));
    comes_back("measurement?:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:l]",
               hand_at(variant), 4,
               "message schema {\n"
               "  optional group measurement (VARIANT(1)) {\n"
               "    required binary metadata;\n"
               "    optional binary value;\n"
               "    optional int64 typed_value;\n"
               "  }\n"
               "}\n",
               json);
}

/* As it is drawn the validity leaves "n/a" out, whose first byte is that of an array; with that of
 * a string of three bytes all four rows are values. */
Test(random_variants, measurement) {
    measure(BITS(0x0B), "\0\x13\x6E\x2F\x61",
            "{\"measurement\":34}\n"
            "{\"measurement\":null}\n"
            "{\"measurement\":null}\n"
            "{\"measurement\":100}\n");
    measure(BITS(0x0F), "\0\x0D\x6E\x2F\x61",
            "{\"measurement\":34}\n"
            "{\"measurement\":null}\n"
            "{\"measurement\":\"n/a\"}\n"
            "{\"measurement\":100}\n");
}

Test(random_variants, tags) {
    hand_array *value = BYTES(7, BITS(0x08), INTS(0, 0, 0, 0, 1, 1, 1, 1), "\0");
    hand_array *typed = BYTES(7, BITS(0x77), INTS(0, 6, 11, 17, 17, 23, 28, 35),
                              "comedydramahorrorcomedydramaromance");
    hand_array *variant =
        STRUCTS(4, BITS(0x07), BYTES(4, NULL, INTS(0, 2, 4, 6, 8), EMPTY_4),
                BYTES(4, BITS(0x08), INTS(0, 0, 0, 0, 1), "\0"),
                LISTS(4, BITS(0x07), INTS(0, 2, 4, 7, 7), STRUCTS(7, NULL, value, typed)));
    comes_back("tags?:+s<arrow.parquet.variant>[metadata:z value?:z "
               "typed_value?:+l[element:+s[value?:z typed_value?:u]]]",
               hand_at(variant), 4,
               "message schema {\n"
               "  optional group tags (VARIANT(1)) {\n"
               "    required binary metadata;\n"
               "    optional binary value;\n"
               "    optional group typed_value (LIST) {\n"
               "      repeated group list {\n"
               "        required group element {\n"
               "          optional binary value;\n"
               "          optional binary typed_value (STRING);\n"
               "        }\n"
               "      }\n"
               "    }\n"
               "  }\n"
               "}\n",
               "{\"tags\":[\"comedy\",\"drama\"]}\n"
               "{\"tags\":[\"horror\",null]}\n"
               "{\"tags\":[\"comedy\",\"drama\",\"romance\"]}\n"
               "{\"tags\":null}\n");
}

/* What is drawn as VariantEncode(...) stands here as it is encoded. */
#define EMAIL                                                                                      \
    "\2\1\0\0\x11\x41"                                                                             \
    "user@example.com"
#define ERROR_MESSAGE                                                                              \
    "\2\1\0\0\x0F\x39"                                                                             \
    "malformed: ..."
#define NO_OBJECT                                                                                  \
    "\x61"                                                                                         \
    "malformed: not an object"
#define CLICK                                                                                      \
    "\2\1\0\0\x08\x1D"                                                                             \
    "_button"

/* Checks the ten rows of event, with more fields of the shredded object unless they are NULL. */
static void event_comes_back(hand_array *location, hand_array *tags, const char *type,
                             const char *message, const char *json) {
    static const uint8_t names[] = "\1\0\1\1\0\5email\1\1\0\x09"
                                   "error_msg\1\0\1\1\0\5click\1\0\1\0\1\0\1\0\1\0";
    static const int32_t names_at[] = {0, 2, 11, 24, 26, 35, 37, 39, 41, 43, 45};
    static const uint8_t rows_there[] = {0xFF, 0x01}, values_there[] = {0x1E, 0x01};
    static const int32_t values_at[] = {0, 0, 22, 42, 67, 80, 80, 80, 80, 81, 81};
    static const uint8_t typed_there[] = {0xF7, 0x00}, in_type[] = {0x20, 0x00};
    static const int32_t in_type_at[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    static const uint8_t types_there[] = {0x43, 0x00};
    static const int32_t types_at[] = {0, 4, 9, 9, 9, 9, 9, 13, 13, 13, 13};
    static const uint8_t in_time[] = {0x40, 0x00}, times_there[] = {0x33, 0x00};
    static const int32_t in_time_at[] = {0, 0, 0, 0, 0, 0, 0, 11, 11, 11, 11};
    static const int64_t times[10] = {1729794114937, 1729794146402, 0, 0,
                                      1729794240241, 1729794954163};
    hand_array *event_type = STRUCTS(10, NULL, BYTES(10, in_type, in_type_at, ""),
                                     BYTES(10, types_there, types_at, "nooploginnoop"));
    hand_array *event_ts = STRUCTS(10, NULL,
                                   BYTES(10, in_time, in_time_at,
                                         "\x29"
                                         "2024-10-24"),
                                   VALUES(10, times_there, times));
    hand_array *event =
        STRUCTS(10, rows_there, BYTES(10, NULL, names_at, names),
                BYTES(10, values_there, values_at, EMAIL ERROR_MESSAGE NO_OBJECT CLICK "\0"),
                STRUCTS(10, typed_there, event_type, event_ts, location, tags));
    comes_back(type, hand_at(event), 10, message, json);
}

#define EVENT_FIELDS                                                                               \
    "event_type:+s[value?:z typed_value?:u] event_ts:+s[value?:z typed_value?:tsu:UTC]"
#define EVENT_MESSAGE                                                                              \
    "message schema {\n"                                                                           \
    "  optional group event (VARIANT(1)) {\n"                                                      \
    "    required binary metadata;\n"                                                              \
    "    optional binary value;\n"                                                                 \
    "    optional group typed_value {\n"                                                           \
    "      required group event_type {\n"                                                          \
    "        optional binary value;\n"                                                             \
    "        optional binary typed_value (STRING);\n"                                              \
    "      }\n"                                                                                    \
    "      required group event_ts {\n"                                                            \
    "        optional binary value;\n"                                                             \
    "        optional int64 typed_value (TIMESTAMP(MICROS,true));\n"                               \
    "      }\n"

#define EVENT_REST                                                                                 \
    "{\"event\":{\"email\":\"user@example.com\",\"event_ts\":\"1970-01-21T00:29:54.146402Z\","     \
    "\"event_type\":\"login\"}}\n"                                                                 \
    "{\"event\":{\"error_msg\":\"malformed: ...\"}}\n"                                             \
    "{\"event\":\"malformed: not an object\"}\n"                                                   \
    "{\"event\":{\"click\":\"_button\",\"event_ts\":\"1970-01-21T00:29:54.240241Z\"}}\n"           \
    "{\"event\":{\"event_ts\":\"1970-01-21T00:29:54.954163Z\",\"event_type\":null}}\n"             \
    "{\"event\":{\"event_ts\":\"2024-10-24\",\"event_type\":\"noop\"}}\n"                          \
    "{\"event\":{}}\n"                                                                             \
    "{\"event\":null}\n"                                                                           \
    "{\"event\":null}\n"

Test(random_variants, event) {
    event_comes_back(
        NULL, NULL,
        "event?:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:+s[" EVENT_FIELDS "]]",
        EVENT_MESSAGE "    }\n"
                      "  }\n"
                      "}\n",
        "{\"event\":{\"event_ts\":\"1970-01-21T00:29:54.114937Z\",\"event_type\":\"noop\"}}"
        "\n" EVENT_REST);
}

Test(random_variants, event_with_objects_and_lists_inside) {
    /* The last example, in row 0: {"longitude": 1.5, "latitude": 5.5} and ["foo", "bar", "baz"]. */
    static const double far[10] = {1.5}, wide[10] = {5.5};
    static const int32_t no_bytes[11] = {0};
    const uint8_t none[] = {0, 0}, first[] = {0x01, 0};
    hand_array *longitude =
        STRUCTS(10, NULL, BYTES(10, none, no_bytes, ""), VALUES(10, first, far));
    hand_array *latitude =
        STRUCTS(10, NULL, BYTES(10, none, no_bytes, ""), VALUES(10, first, wide));
    hand_array *location =
        STRUCTS(10, NULL, BYTES(10, none, no_bytes, ""), STRUCTS(10, first, longitude, latitude));
    hand_array *words = STRUCTS(3, NULL, BYTES(3, none, no_bytes, ""),
                                BYTES(3, NULL, INTS(0, 3, 6, 9), "foobarbaz"));
    hand_array *tags = STRUCTS(10, NULL, BYTES(10, none, no_bytes, ""),
                               LISTS(10, first, INTS(0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3), words));
    event_comes_back(
        location, tags,
        "event?:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:+s[" EVENT_FIELDS
        " location:+s[value?:z typed_value?:+s[longitude:+s[value?:z typed_value?:g] "
        "latitude:+s[value?:z typed_value?:g]]] "
        "tags:+s[value?:z typed_value?:+l[element:+s[value?:z typed_value?:u]]]]]",
        EVENT_MESSAGE "      required group location {\n"
                      "        optional binary value;\n"
                      "        optional group typed_value {\n"
                      "          required group longitude {\n"
                      "            optional binary value;\n"
                      "            optional double typed_value;\n"
                      "          }\n"
                      "          required group latitude {\n"
                      "            optional binary value;\n"
                      "            optional double typed_value;\n"
                      "          }\n"
                      "        }\n"
                      "      }\n"
                      "      required group tags {\n"
                      "        optional binary value;\n"
                      "        optional group typed_value (LIST) {\n"
                      "          repeated group list {\n"
                      "            required group element {\n"
                      "              optional binary value;\n"
                      "              optional binary typed_value (STRING);\n"
                      "            }\n"
                      "          }\n"
                      "        }\n"
                      "      }\n"
                      "    }\n"
                      "  }\n"
                      "}\n",
        "{\"event\":{\"event_ts\":\"1970-01-21T00:29:54.114937Z\",\"event_type\":\"noop\","
        "\"location\":{\"latitude\":5.5,\"longitude\":1.5},"
        "\"tags\":[\"foo\",\"bar\",\"baz\"]}}\n" EVENT_REST);
}
