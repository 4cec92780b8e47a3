/* SPDX-License-Identifier: Apache-2.0 */
/* What columns print is what the events of their records print. */
#include <lamella/filter_text.h>

#include "check/forge_pages.h"
#include "print_ways.h"
#include "json/write/json_writer.h"

#define LISTS                                                                                      \
    "required int64 id; optional binary name (STRING);"                                            \
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"     \
    "optional group m (MAP) { repeated group key_value { required binary key (STRING);"            \
    "  optional int32 value; } }"                                                                  \
    "repeated group bare { required boolean x; repeated int32 y; }"                                \
    "optional group s { optional group inner { optional double d; } required int32 day (DATE); }"

static const char RECORDS[] =
    "{\"id\":1,\"name\":\"a\\n\\\"b\",\"tags\":[\"x\",null,\"yy\"],\"m\":{\"k\":1,\"l\":null},"
    "\"bare\":[{\"x\":true,\"y\":[1,2]},{\"x\":false,\"y\":[]}],\"s\":{\"inner\":{\"d\":1.5},"
    "\"day\":\"2024-10-24\"}}\n"
    "{\"id\":2,\"name\":null,\"tags\":null,\"m\":null,\"bare\":[],\"s\":null}\n"
    "{\"id\":3,\"name\":\"\",\"tags\":[],\"m\":{},\"bare\":[{\"x\":true,\"y\":[7]}],"
    "\"s\":{\"inner\":null,\"day\":\"1969-12-31\"}}\n";

Test(json_rows, lists_maps_and_groups_print_as_they_were_read) {
    written_file file;
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = 5;
    options.row_group_rows = 31;
    lam_reader *reader = file_of(LISTS, RECORDS, 40, &options, &file);
    char *text = expect_same_ways(reader, NULL, NULL, 0, "all");
    for (int i = 0; i < 40; i++)
        cr_assert_eq(memcmp(text + (size_t)i * strlen(RECORDS), RECORDS, strlen(RECORDS)), 0);
    cr_assert_eq(strlen(text), 40 * strlen(RECORDS));
    free(text);
    for (uint64_t seed = 1; seed < 30; seed++)
        free(expect_same_ways(reader, NULL, NULL, seed, "in several calls"));
    lam_reader_close(reader);
    free(file.bytes);
}

Test(json_rows, every_projection_prints_as_the_events_do) {
    written_file file;
    lam_reader *reader = file_of(LISTS, RECORDS, 3, NULL, &file);
    for (unsigned mask = 0; mask < 1u << 9; mask++) {
        bool leaves[9];
        lam_scan_options scan = lam_scan_options_default();
        lam_json_writer_options options = lam_json_writer_options_default();
        for (unsigned i = 0; i < 9; i++)
            leaves[i] = mask >> i & 1;
        scan.leaves = leaves;
        options.leaves = leaves;
        free(expect_same_ways(reader, &scan, &options, 0, "projection"));
    }
    lam_reader_close(reader);
    free(file.bytes);
}

Test(json_rows, a_filter_prints_the_rows_that_it_wants) {
    written_file file;
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = 4;
    lam_reader *reader = file_of(LISTS, RECORDS, 30, &options, &file);
    lam_scan_options scan = lam_scan_options_default();
    lam_filter *filter;
    cr_assert_eq(
        lam_filter_parse(lam_reader_schema(reader), "id in (1, 3)", 12, NULL, NULL, &filter, NULL),
        LAM_STATUS_OK);
    scan.filter = filter;
    for (uint64_t seed = 0; seed < 10; seed++)
        free(expect_same_ways(reader, &scan, NULL, seed, "filter"));
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    free(file.bytes);
}

/* A writer for other leaves than those that are read gets events: the others are absent. */
Test(json_rows, leaves_that_are_not_read_print_as_absent) {
    written_file file;
    lam_reader *reader =
        file_of("required int64 id; optional int32 a;", "{\"id\":1,\"a\":2}", 1, NULL, &file);
    lam_scan_options scan = lam_scan_options_default();
    bool leaves[2] = {true, false};
    scan.leaves = leaves;
    char *text = expect_same_ways(reader, &scan, NULL, 0, "fewer leaves");
    cr_assert_str_eq(text, "{\"id\":1,\"a\":null}\n");
    free(text);
    lam_reader_close(reader);
    free(file.bytes);
}

/* Makes the first of four letters, of which there are some in the file, a byte that no text has. */
static void spoil(written_file *file, const char *letters) {
    size_t found = 0;
    for (size_t i = 0; i + 4 <= file->size; i++)
        if (memcmp(file->bytes + i, letters, 4) == 0) {
            file->bytes[i] = (char)0xFF;
            found++;
        }
    cr_assert_gt(found, 0);
}

/* Without compression, checksums and statistics, so that bytes can be replaced. */
static lam_writer_options plain_options(void) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.page_crc = LAM_SWITCH_OFF;
    options.statistics = LAM_SWITCH_OFF;
    options.page_rows = 100;
    return options;
}

/* The record fails, with the path, after those before it; an entry of the dictionary that no record
 * read has fails none. */
Test(json_rows, text_that_is_not_utf8_fails_its_record_alone) {
    written_file file;
    lam_writer_options plain = plain_options();
    lam_schema *schema = fields_of("required int32 id; required binary s (STRING);");
    lam_writer *writer = open_writer(schema, &plain, &file);
    lam_record_sink sink = lam_writer_sink(writer);
    const lam_schema *written = lam_writer_schema(writer);
    for (int i = 0; i < 5000; i++) {
        const char *text = i == 4711 ? "gone" : "fine";
        cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_put_int32(&sink, lam_schema_leaf(written, 0), i, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_put_string(&sink, lam_schema_leaf(written, 1), text, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
    }
    finish_writer(writer, &file);
    spoil(&file, "gone");
    lam_reader *reader = open_file(&file);
    printed result = print_file(reader, NULL, NULL, FROM_COLUMNS, 0);
    static const char last[] = "{\"id\":4710,\"s\":\"fine\"}\n";
    cr_assert_eq(result.status, LAM_STATUS_INVALID);
    cr_assert_str_eq(result.error.message, "s: byte 0 of the text is not UTF-8");
    cr_assert_str_eq(result.text + strlen(result.text) - strlen(last), last);
    free(result.text);
    free(expect_same_ways(reader, NULL, NULL, 0, "not UTF-8"));
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
}

/* --- Paths of VARIANTs ----------------------------------------------------------------------- */

#define SHREDDED                                                                                   \
    "optional group v (VARIANT(1)) { required binary metadata; optional binary value;"             \
    " optional group typed_value {"                                                                \
    "  required group a { optional binary value; optional int32 typed_value (INTEGER(8,true)); }"  \
    "  required group b { optional binary value; optional group typed_value {"                     \
    "   required group c { optional binary value; optional binary typed_value (STRING); }"         \
    "   required group d { optional binary value; optional int32 typed_value; } } }"               \
    "  required group e { optional binary value; optional int64 typed_value (DECIMAL(18,2)); }"    \
    " } }"

static void expect_paths(const lam_reader *reader, const char *const *paths, size_t count,
                         uint64_t splits) {
    lam_projection *projection;
    lam_scan_options scan = lam_scan_options_default();
    lam_json_writer_options options = lam_json_writer_options_default();
    cr_assert_eq(lam_projection_create(lam_reader_schema(reader), NULL, &projection, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_projection_add(projection, paths[i], NULL), LAM_STATUS_OK);
    scan.projection = projection;
    options.projection = projection;
    free(expect_same_ways(reader, &scan, &options, splits, paths[0]));
    lam_projection_destroy(projection);
}

/* Every set of these paths; some share an object, some are not shredded. */
static void expect_all_paths(const lam_reader *reader, const char *const *all, size_t count) {
    for (unsigned mask = 1; mask < 1u << count; mask++) {
        const char *paths[8];
        size_t chosen = 0;
        for (size_t i = 0; i < count; i++)
            if (mask >> i & 1)
                paths[chosen++] = all[i];
        expect_paths(reader, paths, chosen, mask % 3);
    }
}

static const char *const PATHS[] = {"v.a", "v.b.c", "v.b.d", "v.e", "v.b", "v.zz", "id"};

/* The first row groups have nothing in `value`; the last has. */
static const char TYPED[] = "{\"id\":1,\"v\":{\"a\":1,\"b\":{\"c\":\"x\",\"d\":5},\"e\":1.25}}\n"
                            "{\"id\":2,\"v\":{\"b\":{\"d\":6}}}\n"
                            "{\"id\":3,\"v\":null}\n"
                            "{\"id\":4,\"v\":{}}\n"
                            "{\"id\":5,\"v\":{\"a\":-7,\"b\":{}}}\n"
                            "{\"id\":6,\"v\":{\"b\":{\"c\":\"\\u00e9\\\"\"},\"e\":-0.05}}\n";
static const char UNTYPED[] = "{\"id\":7,\"v\":{\"a\":\"text\",\"zz\":1}}\n{\"id\":8,\"v\":12}\n";

Test(json_rows, paths_of_a_variant_print_as_the_values_that_are_assembled) {
    written_file file;
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = 7;
    options.row_group_rows = 12;
    lam_schema *schema = fields_of("required int32 id; " SHREDDED);
    lam_writer *writer = open_writer(schema, &options, &file);
    lam_record_sink sink = lam_writer_sink(writer);
    const char *const texts[] = {TYPED, TYPED, TYPED, TYPED, UNTYPED, TYPED};
    size_t records;
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(read_json(lam_writer_schema(writer), texts[i], strlen(texts[i]), NULL, NULL,
                               &sink, &records, NULL),
                     LAM_STATUS_OK);
    finish_writer(writer, &file);
    lam_reader *reader = open_file(&file);
    expect_all_paths(reader, PATHS, sizeof PATHS / sizeof *PATHS);
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
}

Test(json_rows, variants_in_lists_print_as_the_values_that_are_assembled) {
    written_file file;
    lam_reader *reader = file_of(
        "optional group l (LIST) { repeated group list { optional group element (VARIANT(1)) {"
        " required binary metadata; optional binary value; optional group typed_value {"
        "  required group a { optional binary value; optional int32 typed_value; }"
        "  required group b { optional binary value; optional double typed_value; } } } } }",
        "{\"l\":[{\"a\":1,\"b\":1.5},{},null,{\"b\":2.5}]}\n{\"l\":[]}\n{\"l\":null}\n", 5, NULL,
        &file);
    static const char *const paths[] = {"l.list.element.a", "l.list.element.b"};
    expect_all_paths(reader, paths, 2);
    lam_reader_close(reader);
    free(file.bytes);
}

/* A value that no VARIANT can hold fails as the assembled VARIANT does, after the same records. */
static void expect_failure_of_paths(lam_switch statistics, lam_switch dictionary) {
    written_file file;
    lam_writer_options plain = plain_options();
    plain.statistics = statistics;
    plain.dictionary = dictionary;
    lam_schema *schema = fields_of("required int32 id; " SHREDDED);
    lam_writer *writer = open_writer(schema, &plain, &file);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int i = 0; i < 300; i++) {
        char text[80];
        size_t records;
        snprintf(text, sizeof text, "{\"id\":%d,\"v\":{\"a\":1,\"b\":{\"c\":\"%s\"}}}", i,
                 i == 222 ? "gone" : "fine");
        cr_assert_eq(read_json(lam_writer_schema(writer), text, strlen(text), NULL, NULL, &sink,
                               &records, NULL),
                     LAM_STATUS_OK);
    }
    finish_writer(writer, &file);
    spoil(&file, "gone");
    lam_reader *reader = open_file(&file);
    static const char *const paths[] = {"v.b.c", "v.a", "id"};
    for (uint64_t splits = 0; splits < 10; splits++)
        for (size_t count = 1; count < 4; count++)
            expect_paths(reader, paths, count, splits);
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
}

/* Statistics say that there is nothing in the `value` columns, so that columns print as members. */
Test(json_rows, text_that_is_not_utf8_fails_as_in_the_assembled_variant) {
    expect_failure_of_paths(LAM_SWITCH_OFF, LAM_SWITCH_ON);
    expect_failure_of_paths(LAM_SWITCH_ON, LAM_SWITCH_ON);
    expect_failure_of_paths(LAM_SWITCH_ON, LAM_SWITCH_OFF);
}

/* --- Without nulls --------------------------------------------------------------------------- */

#define SPARSE                                                                                     \
    "optional int32 a; optional group g { optional int32 x; optional group h { optional int32 y; " \
    "optional int32 z; } optional int32 w; } repeated int32 r; optional group l (LIST) { "         \
    "repeated "                                                                                    \
    "group list { optional int32 element; } } optional group m (MAP) { repeated group key_value "  \
    "{ "                                                                                           \
    "required binary key (STRING); optional int32 value; } } required int32 q; optional int32 b;"

static const char SPARSE_RECORDS[] =
    "{\"a\":1,\"g\":{\"x\":1,\"h\":{\"y\":1,\"z\":2},\"w\":3},\"r\":[1],\"l\":[1,null],\"m\":{"
    "\"k\":"
    "null},\"q\":1,\"b\":2}\n"
    "{\"a\":null,\"g\":{\"x\":null,\"h\":{\"y\":null,\"z\":2},\"w\":null},\"r\":[],\"l\":[],\"m\":{"
    "},"
    "\"q\":1,\"b\":null}\n"
    "{\"a\":null,\"g\":{\"x\":null,\"h\":{\"y\":null,\"z\":null},\"w\":3},\"r\":[],\"l\":null,"
    "\"m\":"
    "null,\"q\":1,\"b\":null}\n"
    "{\"a\":null,\"g\":{\"x\":null,\"h\":null,\"w\":null},\"r\":[],\"l\":[null],\"m\":{\"k\":1},"
    "\"q\":"
    "1,\"b\":null}\n"
    "{\"a\":null,\"g\":null,\"r\":[],\"l\":null,\"m\":null,\"q\":1,\"b\":7}\n";

static const char SPARSE_PRINTED[] =
    "{\"a\":1,\"g\":{\"x\":1,\"h\":{\"y\":1,\"z\":2},\"w\":3},\"r\":[1],\"l\":[1,null],\"m\":{"
    "\"k\":"
    "null},\"q\":1,\"b\":2}\n"
    "{\"g\":{\"h\":{\"z\":2}},\"r\":[],\"l\":[],\"m\":{},\"q\":1}\n"
    "{\"g\":{\"h\":{},\"w\":3},\"r\":[],\"q\":1}\n"
    "{\"g\":{},\"r\":[],\"l\":[null],\"m\":{\"k\":1},\"q\":1}\n"
    "{\"r\":[],\"q\":1,\"b\":7}\n";

Test(json_rows, nulls_may_be_left_out_of_objects) {
    written_file file;
    lam_json_writer_options options = lam_json_writer_options_default();
    options.omit_nulls = true;
    lam_reader *reader = file_of(SPARSE, SPARSE_RECORDS, 20, NULL, &file);
    char *text = expect_same_ways(reader, NULL, &options, 0, "without nulls");
    for (int i = 0; i < 20; i++)
        cr_assert_eq(memcmp(text + (size_t)i * strlen(SPARSE_PRINTED), SPARSE_PRINTED,
                            strlen(SPARSE_PRINTED)),
                     0, "%s", text);
    cr_expect_eq(strlen(text), 20 * strlen(SPARSE_PRINTED));
    free(text);
    lam_reader_close(reader);
    free(file.bytes);
}

Test(json_rows, flat_records_may_be_without_nulls) {
    written_file file;
    lam_json_writer_options options = lam_json_writer_options_default();
    options.omit_nulls = true;
    lam_reader *reader = file_of("optional int32 a; optional int32 b;",
                                 "{\"a\":1,\"b\":2}{\"b\":2}{\"a\":1}{}", 1, NULL, &file);
    char *text = expect_same_ways(reader, NULL, &options, 0, "flat");
    cr_expect_str_eq(text, "{\"a\":1,\"b\":2}\n{\"b\":2}\n{\"a\":1}\n{}\n");
    free(text);
    lam_reader_close(reader);
    free(file.bytes);
}

/* --- What columns cannot print ---------------------------------------------------------------- */

/* A file of one record, whose levels nobody compares. */
static lam_reader *file_of_triples(const char *fields, const lam_triples *columns,
                                   written_file *file) {
    lam_schema *schema = fields_of(fields);
    lam_writer *writer = open_writer(schema, NULL, file);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_write_triples(writer, columns, 1, &error), LAM_STATUS_OK, "%s",
                 error.message);
    finish_writer(writer, file);
    lam_schema_destroy(schema);
    return open_file(file);
}

static void expect_contradiction(const char *fields, const lam_triples *columns,
                                 const char *message) {
    written_file file;
    lam_reader *reader = file_of_triples(fields, columns, &file);
    for (print_way way = BY_EVENTS; way <= FROM_COLUMNS; way++) {
        printed result = print_file(reader, NULL, NULL, way, 0);
        cr_expect_eq(result.status, LAM_STATUS_CORRUPT);
        cr_expect_not_null(strstr(result.error.message, message), "%s", result.error.message);
        cr_expect_str_eq(result.text, "");
        free(result.text);
    }
    lam_reader_close(reader);
    free(file.bytes);
}

Test(json_rows, levels_that_contradict_each_other_print_nothing) {
    static const int32_t one[] = {1};
    static const uint8_t levels[] = {0, 1, 2};
    const lam_triples group[] = {{1, 1, NULL, levels + 2, one}, {1, 0, NULL, levels, NULL}};
    const lam_triples list[] = {{2, 1, levels, levels, one}};
    expect_contradiction("optional group g { optional int32 a; optional int32 b; }", group,
                         "g.b: definition level 0 contradicts");
    expect_contradiction("repeated int32 r;", list, "r: ");
}

/* A writer in the middle of a print, whose columns the record reader has not closed. */
typedef struct open_print {
    lam_output output;
    lam_json_writer *writer;
    lam_record_reader *records;
} open_print;

static void begin_print(open_print *print, const lam_reader *reader, const lam_schema *schema) {
    cr_assert_eq(lam_output_memory(NULL, &print->output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_writer_create(schema, &print->output, NULL, NULL, &print->writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &print->records, NULL), LAM_STATUS_OK);
}

static void end_print(open_print *print) {
    lam_record_reader_close(print->records);
    lam_json_writer_destroy(print->writer);
    lam_output_close(&print->output);
}

/* The end of a column shows a level that no leaf has. */
Test(json_rows, a_column_that_ends_before_the_others_is_corrupt) {
    static const uint8_t end = LAM_LEVEL_END;
    written_file file;
    lam_reader *reader = file_of("optional int32 a; optional int32 b;",
                                 "{\"a\":1,\"b\":1}\n{\"a\":2,\"b\":2}\n", 1, NULL, &file);
    open_print print;
    begin_print(&print, reader, lam_reader_schema(reader));
    lam_error error = lam_error_none();
    uint64_t count;
    cr_assert_eq(lam_json_writer_print(print.writer, print.records, 1, &count, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(count, 1);
    print.writer->rows.assembler->leaves[1].definition = &end;
    cr_expect_eq(lam_json_writer_print(print.writer, print.records, 1, &count, &error),
                 LAM_STATUS_CORRUPT);
    cr_expect_eq(strncmp(error.message, "b: ", 3), 0, "%s", error.message);
    end_print(&print);
    lam_reader_close(reader);
    free(file.bytes);
}

/* The entries of the dictionary were asked for before there was a value that refers to one. */
Test(json_rows, pages_without_values_need_no_dictionary) {
    static const uint8_t nulls[] = {6, 0};
    forge_pages forge;
    forge_pages_start(&forge, "message m { optional int64 a; }", 1);
    lam_page_sections sections = {.value_count = 3, .encoding = LAM_ENCODING_RLE_DICTIONARY};
    sections.definition = (lam_bytes){nulls, sizeof nulls};
    forge_pages_add(&forge, &sections, 0);
    lam_buffer file = forge_pages_file(&forge, 3, 3);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_reader *reader;
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    char *text = expect_same_ways(reader, NULL, NULL, 0, "nulls");
    cr_expect_str_eq(text, "{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n");
    free(text);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

/* The columns of one record reader are open; the records of the other come as events. */
Test(json_rows, two_record_readers_may_print_through_one_writer) {
    static const char expected[] = "{\"a\":1}\n{\"a\":1}\n{\"a\":2}\n{\"a\":2}\n";
    written_file file;
    lam_reader *reader = file_of("required int32 a;", "{\"a\":1}\n{\"a\":2}\n", 1, NULL, &file);
    open_print print;
    begin_print(&print, reader, lam_reader_schema(reader));
    lam_record_reader *other;
    uint64_t count;
    cr_assert_eq(lam_record_reader_open(reader, NULL, &other, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(lam_json_writer_print(print.writer, i % 2 == 0 ? print.records : other, 1,
                                           &count, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(count, 1);
    }
    lam_record_reader_close(other);
    cr_assert_eq(lam_json_writer_flush(print.writer, NULL), LAM_STATUS_OK);
    lam_bytes text = lam_output_memory_bytes(&print.output);
    cr_expect(text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0, "%.*s",
              (int)text.size, (const char *)text.data);
    end_print(&print);
    lam_reader_close(reader);
    free(file.bytes);
}

Test(json_rows, a_writer_of_another_schema_takes_no_records) {
    written_file file;
    lam_schema *schema = fields_of("required int32 a;");
    lam_reader *reader = file_of("required int32 a;", "{\"a\":1}\n", 1, NULL, &file);
    open_print print;
    begin_print(&print, reader, schema);
    lam_error error = lam_error_none();
    uint64_t count;
    cr_expect_eq(lam_json_writer_print(print.writer, print.records, 1, &count, &error),
                 LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "field a is not where it belongs");
    end_print(&print);
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
}

Test(json_rows, leaves_that_are_read_but_not_shown_are_passed_over) {
    static const bool shown[] = {true, false};
    written_file file;
    lam_reader *reader =
        file_of("required int64 id; optional int32 a;", "{\"id\":1,\"a\":2}", 1, NULL, &file);
    lam_json_writer_options options = lam_json_writer_options_default();
    options.leaves = shown;
    char *text = expect_same_ways(reader, NULL, &options, 0, "more leaves");
    cr_expect_str_eq(text, "{\"id\":1}\n");
    free(text);
    lam_reader_close(reader);
    free(file.bytes);
}

/* The scan leaves out what the projection of the writer shows. */
Test(json_rows, paths_that_are_not_read_print_as_absent) {
    static const bool read[] = {true, false};
    written_file file;
    lam_reader *reader =
        file_of("required int64 id; optional int32 a;", "{\"id\":1,\"a\":2}", 1, NULL, &file);
    lam_scan_options scan = lam_scan_options_default();
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_projection *projection;
    cr_assert_eq(lam_projection_create(lam_reader_schema(reader), NULL, &projection, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_projection_add(projection, "id", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_projection_add(projection, "a", NULL), LAM_STATUS_OK);
    options.projection = projection;
    scan.leaves = read;
    char *text = expect_same_ways(reader, &scan, &options, 0, "fewer paths");
    cr_expect_str_eq(text, "{\"id\":1,\"a\":null}\n");
    free(text);
    lam_projection_destroy(projection);
    lam_reader_close(reader);
    free(file.bytes);
}

/* A share of the limit does not hold the table of a large dictionary, whose entries print anew. */
Test(json_rows, a_dictionary_that_there_is_no_room_for_prints_entry_by_entry) {
    enum { DISTINCT = 6000, LIMIT = 1 << 20 };
    written_file file;
    lam_schema *schema =
        fields_of("required int32 a; required int32 b; required int32 c; required int32 d;");
    lam_writer *writer = open_writer(schema, NULL, &file);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_writer_options options = lam_json_writer_options_default();
    cr_assert_eq(lam_writer_set_encoding(writer, "a", LAM_ENCODING_RLE_DICTIONARY, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < 2 * DISTINCT; i++) {
        sink.begin(sink.state, NULL);
        for (size_t leaf = 0; leaf < 4; leaf++)
            lam_put_int32(&sink, lam_schema_leaf(lam_writer_schema(writer), leaf),
                          leaf == 0 ? i % DISTINCT : 0, NULL);
        cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
    }
    finish_writer(writer, &file);
    lam_reader *reader = open_file(&file);
    options.memory_limit = LIMIT;
    free(expect_same_ways(reader, NULL, &options, 0, "a large dictionary"));
    lam_reader_close(reader);
    free(file.bytes);
    lam_schema_destroy(schema);
}

/* An INT32 column holds what an INT8 of a VARIANT does not. */
Test(json_rows, a_value_outside_of_its_kind_fails_as_in_the_assembled_variant) {
    static const int32_t numbers[] = {127, 128};
    static const uint8_t empty[] = {0};
    static const lam_bytes metadata = {(const uint8_t *)"\x01\0\0", 3};
    static const char fields[] =
        "required group v (VARIANT(1)) { required binary metadata; optional binary value;"
        " required group typed_value { required group a { optional binary value;"
        " required int32 typed_value (INTEGER(8,true)); } } }";
    for (int i = 0; i < 2; i++) {
        written_file file;
        const lam_triples columns[] = {{1, 1, NULL, NULL, &metadata},
                                       {1, 0, NULL, empty, NULL},
                                       {1, 0, NULL, empty, NULL},
                                       {1, 1, NULL, NULL, &numbers[i]}};
        static const char *const paths[] = {"v.a"};
        lam_reader *reader = file_of_triples(fields, columns, &file);
        expect_paths(reader, paths, 1, 0);
        lam_reader_close(reader);
        free(file.bytes);
    }
}
