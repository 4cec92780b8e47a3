/* SPDX-License-Identifier: Apache-2.0 */
/* What columns print is what the events of their records print. */
#include <lamella/filter_text.h>

#include "print_ways.h"

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
Test(json_rows, text_that_is_not_utf8_fails_as_in_the_assembled_variant) {
    written_file file;
    lam_writer_options plain = plain_options();
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
