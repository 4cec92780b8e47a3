/* SPDX-License-Identifier: Apache-2.0 */
/* Values that their column's type does not allow. They are written as plain columns, and then the
 * schema is annotated. */
#include <lamella/record.h>
#include <lamella/writer.h>

#include "check/forge_pages.h"
#include "file/file_sample.h"
#include "support/whole_footer.h"

/* A file of one required column, with a logical type put upon it afterwards. */
static void expect_values(const char *schema_text, const lam_triples *column,
                          lam_meta_logical_type type, int32_t converted, const char *rules) {
    lam_schema *schema = lam_test_schema(schema_text);
    lam_footer footer;
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&arena, &allocator, 0);
    lam_writer_options options = forge_options(1, true, true);
    lam_test_writer file = lam_test_write_as(schema, &options);
    lam_test_put_triples(&file, column, column->count);
    lam_buffer trial = lam_test_written(&file);
    lam_input input = lam_input_memory(trial.data, trial.size);
    cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
    lam_meta_schema_element *element = (lam_meta_schema_element *)&footer.meta.schema.items[1];
    element->logical_type = &type;
    if (converted >= 0) {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        element->converted_type = converted;
    }
    if (type.kind == LAM_META_LOGICAL_DECIMAL)
        element->precision = type.value.decimal.precision;
    if (type.kind == LAM_META_LOGICAL_DECIMAL)
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_PRECISION | LAM_META_SCHEMA_ELEMENT_HAS_SCALE;
    trial.size = (size_t)footer.offset;
    cr_assert_eq(lam_footer_write(&footer.meta, &trial, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(trial.data, trial.size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
    lam_arena_finish(&arena);
    lam_buffer_finish(&trial);
    lam_schema_destroy(schema);
}

static void expect_texts(const char *text, lam_meta_logical_kind kind, int32_t converted,
                         const char *rules) {
    lam_bytes values[3] = {forge_text("a"), forge_text(text), forge_text("\xC3\xBC")};
    lam_triples column = {.count = 3, .value_count = 3, .values = values};
    lam_meta_logical_type type = {.kind = kind};
    expect_values("required binary a;", &column, type, converted, rules);
}

Test(check_values, texts_are_utf8) {
    expect_texts("good", LAM_META_LOGICAL_STRING, LAM_META_CONVERTED_UTF8, "");
    expect_texts("b\xE4"
                 "d",
                 LAM_META_LOGICAL_STRING, LAM_META_CONVERTED_UTF8, "utf8");
    expect_texts("b\xE4"
                 "d",
                 LAM_META_LOGICAL_ENUM, LAM_META_CONVERTED_ENUM, "utf8");
    expect_texts("b\xE4"
                 "d",
                 LAM_META_LOGICAL_JSON, LAM_META_CONVERTED_JSON, "utf8 json");
    expect_texts("b\xE4"
                 "d",
                 LAM_META_LOGICAL_BSON, LAM_META_CONVERTED_BSON, "bson");
}

static void expect_numbers(int32_t number, lam_meta_logical_type type, int32_t converted,
                           const char *rules) {
    int32_t values[2] = {0, number};
    lam_triples column = {.count = 2, .value_count = 2, .values = values};
    expect_values("required int32 a;", &column, type, converted, rules);
}

Test(check_values, integers_are_of_their_width) {
    lam_meta_logical_type type = {.kind = LAM_META_LOGICAL_INTEGER};
    type.value.integer.bit_width = 8;
    type.value.integer.is_signed = true;
    expect_numbers(-128, type, LAM_META_CONVERTED_INT_8, "");
    expect_numbers(128, type, LAM_META_CONVERTED_INT_8, "value-range");
    type.value.integer.is_signed = false;
    expect_numbers(255, type, LAM_META_CONVERTED_UINT_8, "");
    expect_numbers(-1, type, LAM_META_CONVERTED_UINT_8, "value-range");
}

Test(check_values, decimals_have_their_digits) {
    lam_meta_logical_type type = {.kind = LAM_META_LOGICAL_DECIMAL};
    type.value.decimal.precision = 3;
    expect_numbers(-999, type, LAM_META_CONVERTED_DECIMAL, "");
    expect_numbers(1000, type, LAM_META_CONVERTED_DECIMAL, "value-range");
}

Test(check_values, times_are_within_a_day) {
    lam_meta_logical_type type = {.kind = LAM_META_LOGICAL_TIME};
    type.value.time.unit.kind = LAM_META_TIME_UNIT_MILLIS;
    expect_numbers(86399999, type, LAM_META_CONVERTED_TIME_MILLIS, "");
    expect_numbers(86400000, type, LAM_META_CONVERTED_TIME_MILLIS, "value-range");
}

Test(check_values, unknown_columns_are_null) {
    lam_meta_logical_type type = {.kind = LAM_META_LOGICAL_UNKNOWN};
    expect_numbers(7, type, -1, "unknown-null");
}

/* They add up to a time, which is all that readers need; a row group has one note. */
Test(check_values, nanoseconds_of_an_int96_outside_of_its_day_are_a_note) {
    uint8_t values[3][12] = {{0xFF, 0xFF, 0x4E, 0x91, 0x94, 0x4E, 0, 0, 0x8C, 0x3D, 0x25}};
    lam_triples column = {.count = 3, .value_count = 3, .values = values};
    for (int i = 0; i < 3; i++) {
        memcpy(values[1], i == 0 ? "\0\0\x4F\x91\x94\x4E\0\0" : "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
               8);
        lam_writer_options options = forge_options(1, true, true);
        if (i == 2)
            memset(values[1], 0, 8);
        lam_test_writer file = lam_test_write("message m { required int96 a; }", &options);
        lam_test_put_triples(&file, &column, 3);
        lam_buffer trial = lam_test_written(&file);
        lam_test_findings found = lam_test_check(trial.data, trial.size, NULL);
        cr_expect_str_eq(found.rules, i == 2 ? "" : "int96-nanoseconds", "%s", found.first);
        cr_expect_eq(found.totals.errors + found.totals.warnings, 0);
        lam_buffer_finish(&trial);
    }
}

/* --- Behind the last value ------------------------------------------------------------------ */

static const uint8_t numbers[20] = {1, 0, 0, 0, 2, 0, 0, 0, 3};

/* Three INT32, and bytes behind them or too few of them. */
static void expect_size(lam_encoding encoding, size_t size, const char *rules, uint64_t errors) {
    forge_pages forge;
    lam_page_sections sections = {.value_count = 3, .row_count = 3, .encoding = encoding};
    sections.values = (lam_bytes){numbers, size};
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    forge.encodings[0] = (int32_t)encoding;
    forge_pages_add(&forge, &sections, 0);
    forge_pages_expect(&forge, 3, 3, rules, errors);
}

/* All that is left over was an error, also where all values are there. */
Test(check_values, bytes_behind_the_last_value_are_a_warning_and_values_that_lack_an_error) {
    expect_size(LAM_ENCODING_PLAIN, 12, "", 0);
    expect_size(LAM_ENCODING_PLAIN, 13, "page-values", 0);
    expect_size(LAM_ENCODING_PLAIN, 20, "page-values", 0);
    expect_size(LAM_ENCODING_PLAIN, 11, "page-values", 1);
    expect_size(LAM_ENCODING_BYTE_STREAM_SPLIT, 12, "", 0);
    expect_size(LAM_ENCODING_BYTE_STREAM_SPLIT, 15, "page-values", 0);
    expect_size(LAM_ENCODING_BYTE_STREAM_SPLIT, 16, "page-values", 1);
    expect_size(LAM_ENCODING_BYTE_STREAM_SPLIT, 11, "page-values", 1);
}

Test(check_values, more_deltas_than_values_are_a_warning) {
    static const uint8_t deltas[] = {0x80, 1, 4, 4, 2, 2, 0, 0, 0, 0};
    for (uint32_t count = 3; count <= 5; count++) {
        forge_pages forge;
        lam_page_sections sections = {.value_count = count, .row_count = count};
        sections.encoding = LAM_ENCODING_DELTA_BINARY_PACKED;
        sections.values = (lam_bytes){deltas, sizeof deltas};
        forge_pages_start(&forge, "message m { required int32 a; }", 1);
        forge.encodings[0] = LAM_ENCODING_DELTA_BINARY_PACKED;
        forge_pages_add(&forge, &sections, 0);
        forge_pages_expect(&forge, count, count, count == 4 ? "" : "page-values", count == 5);
    }
}

Test(check_values, bytes_behind_a_dictionary_are_a_warning) {
    static const uint8_t indexes[] = {1, 6, 1};
    forge_pages forge;
    lam_page_sections sections = {.value_count = 3, .row_count = 3};
    sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
    sections.values = (lam_bytes){indexes, sizeof indexes};
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    forge.encodings[0] = LAM_ENCODING_RLE_DICTIONARY;
    forge.encodings[1] = LAM_ENCODING_PLAIN;
    lam_hand_made_dictionary(&forge.made, 2, (lam_bytes){numbers, sizeof numbers});
    forge_pages_add(&forge, &sections, 0);
    forge_pages_expect(&forge, 3, 3, "page-values dictionary-offset", 0);
}

/* Indexes are read by entry where values are text, and else value by value. */
Test(check_values, bytes_behind_indexes_are_a_warning) {
    static const char *const schemas[] = {"message m { required int32 a; }",
                                          "message m { required binary a; }"};
    static const uint8_t texts[] = {1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b'};
    static const uint8_t indexes[] = {1, 6, 1, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        forge_pages forge;
        lam_page_sections sections = {.value_count = 3, .row_count = 3};
        sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
        sections.values = (lam_bytes){indexes, i < 2 ? 3 : sizeof indexes};
        forge_pages_start(&forge, schemas[i % 2], 1);
        forge.encodings[0] = LAM_ENCODING_RLE_DICTIONARY;
        forge.encodings[1] = LAM_ENCODING_PLAIN;
        lam_bytes entries = {i % 2 == 0 ? numbers : texts, i % 2 == 0 ? 8 : sizeof texts};
        lam_hand_made_dictionary(&forge.made, 2, entries);
        forge_pages_add(&forge, &sections, 0);
        forge_pages_expect(&forge, 3, 3,
                           i < 2 ? "dictionary-offset" : "page-values dictionary-offset", 0);
    }
}

/* --- Large values ---------------------------------------------------------------------------- */

Test(check_values, a_value_larger_than_a_batch_is_read_alone) {
    enum { LARGE = 70000 };
    static uint8_t values[2 * LARGE];
    forge_pages forge;
    lam_page_sections sections = {.value_count = 2, .row_count = 2};
    sections.values = (lam_bytes){values, sizeof values};
    forge_pages_start(&forge, "message m { required fixed_len_byte_array(70000) a; }", 1);
    forge_pages_add(&forge, &sections, 0);
    forge_pages_expect(&forge, 2, 2, "", 0);
}

/* A few bytes can claim a value of any size. */
Test(check_values, a_value_above_the_memory_limit_is_not_read) {
    static const uint8_t lengths[] = {0x80, 1, 4, 1, 0, 0x80, 1, 4, 1, 0};
    lam_check_options options = lam_check_options_default();
    forge_pages forge;
    lam_page_sections sections = {.value_count = 1, .row_count = 1};
    sections.encoding = LAM_ENCODING_DELTA_BYTE_ARRAY;
    sections.values = (lam_bytes){lengths, sizeof lengths};
    forge_pages_start(&forge, "message m { required fixed_len_byte_array(1000000) a; }", 1);
    forge.encodings[0] = LAM_ENCODING_DELTA_BYTE_ARRAY;
    options.memory_limit = 900000;
    forge.options = &options;
    forge_pages_add(&forge, &sections, 0);
    forge_pages_expect(&forge, 1, 1, "limit unchecked", 1);
}
