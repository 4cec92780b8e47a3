/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One page of any type, with any of the structs that a page header may have, among pages that are
 * right: before, between or behind them, in files of several writers, with and without a codec.
 * Every way to read or copy such a file gives the values that its pages have, or fails at the page.
 *
 * (parquet.thrift, PageHeader: the type "indicates which of the *_header fields is set")
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <lamella/byte_map.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/dremel.h>
#include <lamella/recover.h>
#include <lamella/rewrite.h>
#include <lamella/salvage.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "codec/codec.h"
#include "file/copy/row_group_copy.h"
#include "file/copy/row_group_keep.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "support/test_file.h"

enum { PAGE_ROWS = 3, MOST_ROWS = 3 * PAGE_ROWS, STRUCTS = 16, PADDING = 40 };
enum { HAS_V1 = 1, HAS_INDEX = 2, HAS_DICTIONARY = 4, HAS_V2 = 8 };

typedef enum position { BEFORE, BETWEEN, BEHIND, POSITIONS } position;

static const int32_t types[] = {-1, 0, 1, 2, 3, 4, 17};
static const char *const writers[] = {
    NULL, /* not stated */
    "parquet-mr",
    "parquet-mr version 1.2.8 (build x)",
    "parquet-mr version 1.8.1 (build x)",
    "parquet-cpp version 1.5.1-SNAPSHOT",
    "DuckDB version v1.5.0 (build x)",
    "parquet-go version 18.4.0",
    "lamella version 0.2.0",
};
enum {
    TYPES = sizeof types / sizeof types[0],
    WRITERS = sizeof writers / sizeof writers[0],
    CELLS = TYPES * STRUCTS * WRITERS * 2 * POSITIONS
};

/* A file, and what is expected of it. */
typedef struct cell {
    int32_t type;
    unsigned structs;
    const char *writer;
    lam_codec codec;
    position at;
    lam_codec_context *codecs;
    lam_file_sample sample;
    lam_reader *reader;
    int64_t offset; /* of the page */
    int64_t values[MOST_ROWS];
    size_t value_count;
    bool is_half;   /* the header lacks the struct of its type */
    bool is_behind; /* the page is where the chunk has all values already */
    bool reads;
    int64_t more; /* by which the stated size of the chunk is too large */
    char name[160];
} cell;

/* --- Files ----------------------------------------------------------------------------------- */

static unsigned struct_needed(int32_t type) {
    return type == LAM_PAGE_DATA         ? HAS_V1
           : type == LAM_PAGE_DICTIONARY ? HAS_DICTIONARY
           : type == LAM_PAGE_DATA_V2    ? HAS_V2
                                         : 0;
}

static bool holds_triples(int32_t type) {
    return type == LAM_PAGE_DATA || type == LAM_PAGE_DATA_V2;
}

/* Appends a page of three values; each page has other ones. */
static int64_t append_page(cell *made, lam_footer_edit *edit, int32_t type, unsigned structs,
                           int64_t first, int64_t *plain_size) {
    const lam_meta_data_page_header v1 = {.num_values = PAGE_ROWS};
    const lam_meta_index_page_header index = {0};
    const lam_meta_dictionary_page_header dictionary = {.num_values = PAGE_ROWS};
    const lam_meta_data_page_header_v2 v2 = {.num_values = PAGE_ROWS, .num_rows = PAGE_ROWS};
    lam_meta_page_header header = {.type = type};
    uint8_t plain[8 * PAGE_ROWS];
    lam_buffer body;
    lam_buffer_init(&body, &edit->file->allocator);
    header.data_page_header = structs & HAS_V1 ? &v1 : NULL;
    header.index_page_header = structs & HAS_INDEX ? &index : NULL;
    header.dictionary_page_header = structs & HAS_DICTIONARY ? &dictionary : NULL;
    header.data_page_header_v2 = structs & HAS_V2 ? &v2 : NULL;
    for (int64_t i = 0; i < PAGE_ROWS; i++)
        lam_store_le64(plain + 8 * i, (uint64_t)(first + i));
    if (made->codec == LAM_CODEC_UNCOMPRESSED)
        cr_assert_eq(lam_buffer_append(&body, plain, sizeof plain, NULL), LAM_STATUS_OK);
    else
        cr_assert_eq(lam_codec_compress(made->codecs, made->codec, 0,
                                        (lam_bytes){plain, sizeof plain}, &body, NULL),
                     LAM_STATUS_OK);
    int64_t offset = (int64_t)edit->file->size;
    header.uncompressed_page_size = sizeof plain;
    header.compressed_page_size = (int32_t)body.size;
    cr_assert_eq(lam_meta_write_page_header(&header, edit->file, NULL), LAM_STATUS_OK);
    *plain_size += (int64_t)edit->file->size - offset + (int64_t)sizeof plain;
    (void)lam_footer_edit_append(edit, body.data, body.size);
    lam_buffer_finish(&body);
    return offset;
}

static void expect_page(cell *made, int64_t first) {
    for (int64_t i = 0; i < PAGE_ROWS; i++)
        made->values[made->value_count++] = first + i;
}

/* What reading comes to: a half page is met unless the chunk has all its values before it. */
static void decide(cell *made) {
    bool is_data = holds_triples(made->type);
    made->is_half = (made->structs & struct_needed(made->type)) != struct_needed(made->type);
    made->is_behind = made->at == BEHIND && !is_data;
    made->reads = made->is_behind || !made->is_half;
    if (made->type == LAM_PAGE_DICTIONARY && made->at == BETWEEN)
        made->reads = false;
}

static lam_file_sample bare_sample(void) {
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.dictionary = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    options.statistics = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema("required int64 a;"), 1, 100, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* States the writer, and a chunk of all pages behind the first bytes of the file. */
static void describe(cell *made, lam_footer_edit *edit, int64_t begin, int64_t plain_size) {
    lam_meta_column *column = lam_footer_edit_column(edit, 0, 0);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)&edit->meta.row_groups.items[0];
    int64_t size = (int64_t)edit->file->size - begin;
    column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_ENCODING_STATS;
    column->codec = (int32_t)made->codec - 1;
    column->num_values = (int64_t)made->value_count;
    column->data_page_offset = begin;
    column->total_compressed_size = group->total_compressed_size = size + made->more;
    column->total_uncompressed_size = group->total_byte_size = plain_size;
    column->size_statistics = NULL;
    group->num_rows = edit->meta.num_rows = (int64_t)made->value_count;
    edit->meta.has &= ~(uint32_t)LAM_META_FILE_HAS_CREATED_BY;
    if (made->writer != NULL) {
        edit->meta.has |= LAM_META_FILE_HAS_CREATED_BY;
        edit->meta.created_by = (lam_bytes){(const uint8_t *)made->writer, strlen(made->writer)};
    }
}

static void make_cell(cell *made) {
    static const char *const positions[] = {"before", "between", "behind"};
    static const uint8_t padding[PADDING] = {0};
    lam_footer_edit edit;
    int64_t plain_size = 0;
    decide(made);
    snprintf(made->name, sizeof made->name, "type %d, structs %u, %s, %s, codec %d",
             (int)made->type, made->structs, positions[made->at],
             made->writer == NULL ? "nobody" : made->writer, (int)made->codec);
    if (made->more != 0)
        snprintf(made->name + strlen(made->name), sizeof made->name - strlen(made->name), ", %+d",
                 (int)made->more);
    made->sample = bare_sample();
    made->value_count = 0;
    lam_footer_edit_begin(&edit, &made->sample.bytes);
    int64_t begin = (int64_t)made->sample.bytes.size;
    for (position i = BEFORE; i < POSITIONS; i++) {
        int64_t first = 1000 * (int64_t)i;
        if (i != made->at) {
            (void)append_page(made, &edit, i % 2 == 0 ? LAM_PAGE_DATA : LAM_PAGE_DATA_V2,
                              i % 2 == 0 ? HAS_V1 : HAS_V2, first, &plain_size);
            expect_page(made, first);
        } else {
            made->offset = append_page(made, &edit, made->type, made->structs, first, &plain_size);
            if (holds_triples(made->type))
                expect_page(made, first);
        }
    }
    describe(made, &edit, begin, plain_size);
    if (made->more != 0)
        (void)lam_footer_edit_append(&edit, padding, sizeof padding);
    lam_footer_edit_end(&edit);
    made->reader = lam_test_open(made->sample.bytes.data, made->sample.bytes.size, NULL);
}

static void free_cell(cell *made) {
    lam_reader_close(made->reader);
    lam_file_sample_finish(&made->sample);
}

/* --- What is expected ------------------------------------------------------------------------ */

/* A failure is CORRUPT and names the page; `is_right` is what the oracle says of success. */
static void expect_status(const cell *made, const char *way, bool is_right, lam_status status,
                          const lam_error *error) {
    if (is_right) {
        cr_assert_eq(status, LAM_STATUS_OK, "%s, %s: %s", made->name, way, error->message);
        return;
    }
    cr_assert_eq(status, LAM_STATUS_CORRUPT, "%s, %s: %s", made->name, way,
                 lam_status_name(status));
    cr_assert(made->more != 0 || error->offset == made->offset, "%s, %s: %s (%" PRId64 ")",
              made->name, way, error->message, error->offset);
    cr_assert_eq(error->row_group, 0, "%s, %s", made->name, way);
    cr_assert_eq(error->column, 0, "%s, %s", made->name, way);
}

/* Reads the values of all chunks of column 0. */
static lam_status read_values(const lam_reader *reader, int64_t *values, size_t *ret_count,
                              lam_error *error) {
    *ret_count = 0;
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        lam_triples triples = {.count = 1};
        LAM_TRY(lam_column_reader_open(reader, group, 0, &column, error));
        lam_status status = LAM_STATUS_OK;
        while (status == LAM_STATUS_OK && triples.count > 0) {
            status = lam_column_reader_read(column, 2, &triples, error);
            for (size_t i = 0; status == LAM_STATUS_OK && i < triples.value_count; i++) {
                cr_assert_lt(*ret_count, (size_t)MOST_ROWS);
                values[(*ret_count)++] =
                    lam_triples_value(&triples, lam_schema_leaf(lam_reader_schema(reader), 0), i)
                        .int64;
            }
        }
        lam_column_reader_close(column);
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

static lam_status refuse_error(void *state, const lam_finding *finding, lam_error *error) {
    (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_ERROR, "%s: %s: %s", (const char *)state,
                 finding->rule->id, finding->message);
    return LAM_STATUS_OK;
}

/* The values of a file that was written: all of them, or, where some may be lost, some in order. */
static void expect_values(const cell *made, const char *way, const lam_buffer *file,
                          bool may_lack) {
    lam_input input = lam_input_memory(file->data, file->size);
    lam_reader *reader;
    lam_error error = lam_error_none();
    int64_t values[MOST_ROWS];
    size_t count, at = 0;
    char what[220];
    snprintf(what, sizeof what, "%s, %s", made->name, way);
    cr_assert_eq(lam_check(&input, NULL, refuse_error, what, NULL, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, &error), LAM_STATUS_OK, "%s, %s: %s",
                 made->name, way, error.message);
    cr_assert_eq(read_values(reader, values, &count, &error), LAM_STATUS_OK, "%s, %s: %s",
                 made->name, way, error.message);
    lam_reader_close(reader);
    cr_assert(may_lack || count == made->value_count, "%s, %s: %zu values", made->name, way, count);
    for (size_t i = 0; i < count; i++, at++) {
        while (may_lack && at < made->value_count && made->values[at] != values[i])
            at++;
        cr_assert_lt(at, made->value_count, "%s, %s", made->name, way);
        cr_assert_eq(values[i], made->values[at], "%s, %s", made->name, way);
    }
}

/* --- Ways to read ---------------------------------------------------------------------------- */

static void try_columns(const cell *made) {
    lam_error error = lam_error_none();
    int64_t values[MOST_ROWS];
    size_t count;
    lam_status status = read_values(made->reader, values, &count, &error);
    expect_status(made, "columns", made->reads, status, &error);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(count, made->value_count, "%s", made->name);
        cr_assert_eq(memcmp(values, made->values, count * sizeof *values), 0, "%s", made->name);
    }
}

static void try_records(const cell *made) {
    static const lam_record_sink nowhere;
    lam_error error = lam_error_none();
    lam_record_checker *checker;
    lam_record_reader *records;
    uint64_t count = 0;
    cr_assert_eq(
        lam_record_checker_create(lam_reader_schema(made->reader), &nowhere, NULL, &checker, NULL),
        LAM_STATUS_OK);
    const lam_record_sink sink = lam_record_checker_sink(checker);
    lam_status status = lam_record_reader_open(made->reader, NULL, &records, &error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error);
    expect_status(made, "records", made->reads, status, &error);
    cr_assert(!made->reads || count == made->value_count, "%s", made->name);
    lam_record_reader_close(records);
    lam_record_checker_destroy(checker);
}

/* Headers are listed to the end of the chunk, whatever they mean. */
static void try_pages(const cell *made) {
    lam_error error = lam_error_none();
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    size_t count = 0;
    cr_assert_eq(lam_page_list_open(made->reader, 0, 0, &list, NULL), LAM_STATUS_OK);
    lam_status status = LAM_STATUS_OK;
    while (status == LAM_STATUS_OK && more) {
        status = lam_page_list_next(list, &page, &more, &error);
        count += status == LAM_STATUS_OK && more;
    }
    expect_status(made, "pages", !made->is_half, status, &error);
    cr_assert_eq(count, made->is_half ? (size_t)made->at : POSITIONS, "%s", made->name);
    lam_page_list_close(list);
}

static lam_status count_unknown(void *state, const lam_byte_range *range, bool *expand,
                                lam_error *error) {
    (void)expand, (void)error;
    *(size_t *)state += range->kind == LAM_BYTE_UNKNOWN && range->column == 0;
    return LAM_STATUS_OK;
}

/* The map of a chunk is its pages up to the half one. */
static void try_map(const cell *made) {
    size_t unknown = 0;
    const lam_input input = lam_input_memory(made->sample.bytes.data, made->sample.bytes.size);
    cr_assert_eq(lam_byte_map_walk(&input, NULL, count_unknown, &unknown, NULL), LAM_STATUS_OK);
    cr_assert_eq(unknown, made->is_half ? 1u : 0u, "%s", made->name);
}

/* Whatever reading refuses, and what is behind the last value, is an error of the file. */
static void try_check(const cell *made) {
    lam_check_totals totals = lam_check_totals_default();
    const lam_input input = lam_input_memory(made->sample.bytes.data, made->sample.bytes.size);
    bool is_rest = made->is_behind && (made->is_half || made->type == LAM_PAGE_DICTIONARY);
    cr_assert_eq(lam_check(&input, NULL, NULL, NULL, &totals, NULL), LAM_STATUS_OK);
    if (made->type == LAM_PAGE_DICTIONARY && made->at == BEFORE && !made->is_half)
        return; /* its offset is not stated, which is an error of its own */
    cr_assert_eq(totals.errors > 0, !made->reads || is_rest, "%s: %" PRIu64, made->name,
                 totals.errors);
}

/* --- Ways to write --------------------------------------------------------------------------- */

typedef lam_status write_way(const cell *made, lam_writer *writer, lam_error *error);

/* Writes a file in one way, and compares it; where that fails, no file is finished. */
static void try_writing(const cell *made, const char *way, write_way *write, bool is_right) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write_as(lam_reader_schema(made->reader), NULL);
    lam_status status = write(made, file.writer, &error);
    expect_status(made, way, is_right, status, &error);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.trial->finished, is_right);
    if (is_right)
        expect_values(made, way, &file.trial->bytes, false);
    lam_test_drop(&file);
}

static lam_status copy_groups(const cell *made, lam_writer *writer, lam_error *error) {
    return lam_writer_copy_row_groups(writer, made->reader, 0, 1, error);
}

/* A stream fails with an errno: how is not compared, as records have been. */
static lam_status copy_arrow(const cell *made, lam_writer *writer, lam_error *error) {
    struct ArrowArrayStream stream;
    LAM_TRY(lam_arrow_read_stream(made->reader, NULL, &stream, error));
    lam_status status = lam_arrow_write_stream(writer, &stream, NULL, error);
    if (stream.release != NULL)
        stream.release(&stream);
    if (status != LAM_STATUS_OK) {
        cr_assert_not(made->reads, "%s, arrow: %s", made->name, error->message);
        *error = lam_error_none();
        error->offset = made->offset;
        error->row_group = error->column = 0;
        return LAM_STATUS_CORRUPT;
    }
    return status;
}

static lam_status open_trial(void *state, const char *folder, uint64_t number,
                             lam_output *ret_output, lam_error *error) {
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(state);
    return LAM_STATUS_OK;
}

static void try_rewrite(const cell *made, const char *way, const lam_writer_options *writing,
                        bool sorts) {
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    lam_trial_output trial = {0};
    const lam_rewrite_target target = {&trial, open_trial};
    options.writer = writing;
    cr_assert_eq(lam_rewrite_create(&options, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, made->reader, "in", NULL), LAM_STATUS_OK);
    if (sorts)
        cr_assert_eq(lam_rewrite_add_sort_key(rewrite, "a", false, false, NULL), LAM_STATUS_OK);
    lam_status status = lam_rewrite_run(rewrite, &target, NULL, &error);
    expect_status(made, way, made->reads, status, &error);
    lam_rewrite_destroy(rewrite);
    cr_assert(made->reads || !trial.finished, "%s, %s", made->name, way);
    if (made->reads)
        expect_values(made, way, &trial.bytes, false);
    lam_trial_output_free(&trial);
}

static void try_rewrites(const cell *made) {
    lam_writer_options codec = lam_writer_options_default();
    lam_writer_options pages = lam_writer_options_default();
    codec.codec = LAM_CODEC_ZSTD;
    pages.page_rows = 2;
    try_rewrite(made, "rewrite", NULL, false);
    try_rewrite(made, "rewrite with a codec", &codec, false);
    try_rewrite(made, "rewrite with pages", &pages, false);
    try_rewrite(made, "sort", NULL, true);
}

/* Row groups that stay where they are: described as they were, whatever their pages are. */
static void try_keep(const cell *made) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write_as(lam_reader_schema(made->reader), NULL);
    lam_status status = lam_writer_keep_row_groups(file.writer, made->reader, &error);
    if (status != LAM_STATUS_OK)
        expect_status(made, "keep", made->reads, status, &error);
    lam_test_drop(&file);
}

/* A file that is to be what it was: the copy reads as the original does. */
static void try_restore(const cell *made) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write_as(lam_reader_schema(made->reader), NULL);
    int64_t values[MOST_ROWS];
    size_t count;
    cr_assert_eq(lam_writer_restore_row_groups(file.writer, made->reader, &error), LAM_STATUS_OK,
                 "%s: %s", made->name, error.message);
    lam_buffer bytes = lam_test_written(&file);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    lam_status status = read_values(reader, values, &count, &error);
    cr_assert_eq(status, made->reads ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%s: %s", made->name,
                 error.message);
    cr_assert(!made->reads || count == made->value_count, "%s", made->name);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

/* --- Ways to save ---------------------------------------------------------------------------- */

/* What is left are values of the file, in their order. */
static void try_salvage(const cell *made) {
    lam_error error = lam_error_none();
    lam_salvage_report report = lam_salvage_report_default();
    lam_salvage *salvage;
    lam_status status = lam_salvage_open(made->reader, NULL, &salvage, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", made->name, error.message);
    cr_assert_eq(lam_salvage_report_of(salvage, &report, NULL), LAM_STATUS_OK);
    lam_test_writer file = lam_test_write_as(lam_salvage_schema(salvage), NULL);
    status = lam_salvage_write(salvage, file.writer, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", made->name, error.message);
    lam_buffer bytes = lam_test_written(&file);
    lam_salvage_close(salvage);
    if (made->reads && !made->is_behind)
        cr_assert_eq(report.cells_lost, 0, "%s", made->name);
    expect_values(made, "salvage", &bytes, report.cells_lost > 0);
    lam_buffer_finish(&bytes);
}

/* Without its footer the file has no records; what is made of it is no other ones. */
static void try_recovery(const cell *made) {
    lam_input input =
        lam_input_memory(made->sample.bytes.data, (size_t)made->reader->footer.offset);
    lam_error error = lam_error_none();
    lam_recovery recovery = lam_recovery_default();
    lam_reader *reader;
    lam_status status = lam_reader_open_unfinished(&input, NULL, &reader, &recovery, &error);
    cr_assert_neq(status, LAM_STATUS_NOMEM);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(lam_reader_row_count(reader), 0, "%s", made->name);
        lam_reader_close(reader);
    } else {
        cr_assert_neq(error.message[0], '\0', "%s", made->name);
        lam_input_close(&input);
    }
}

/* --- The grid -------------------------------------------------------------------------------- */

static void try_cell(cell *made) {
    make_cell(made);
    try_columns(made);
    try_records(made);
    try_pages(made);
    try_map(made);
    try_check(made);
    try_writing(made, "copy", copy_groups, made->reads);
    try_writing(made, "arrow", copy_arrow, made->reads);
    try_rewrites(made);
    try_keep(made);
    try_restore(made);
    try_salvage(made);
    try_recovery(made);
    free_cell(made);
}

Test(page_types, a_page_of_any_header_gives_its_values_or_a_failure_at_its_place) {
    lam_allocator heap = lam_allocator_default();
    lam_codec_context *codecs;
    cr_assert_eq(lam_codec_context_create(&heap, &codecs, NULL), LAM_STATUS_OK);
    for (size_t number = 0; number < CELLS; number++) {
        cell made = {.codecs = codecs};
        size_t rest = number;
        made.type = types[rest % TYPES];
        rest /= TYPES;
        made.structs = (unsigned)(rest % STRUCTS);
        rest /= STRUCTS;
        made.writer = writers[rest % WRITERS];
        rest /= WRITERS;
        made.codec = rest % 2 == 0 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_SNAPPY;
        made.at = (position)(rest / 2);
        try_cell(&made);
    }
    lam_codec_context_destroy(codecs);
}

/*
 * Stated sizes that are wrong: what reading takes, every copy has, under a size that is right; and
 * what reading refuses, no copy takes. Copies went by what was stated, for most writers.
 */
Test(page_types, a_size_that_readers_forgive_is_right_in_every_copy) {
    static const int32_t kinds[] = {LAM_PAGE_DATA, LAM_PAGE_DICTIONARY, LAM_PAGE_INDEX};
    lam_allocator heap = lam_allocator_default();
    lam_codec_context *codecs;
    size_t forgiven = 0, refused = 0;
    cr_assert_eq(lam_codec_context_create(&heap, &codecs, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < 3 * WRITERS; i++)
        for (int64_t more = -PADDING; more <= PADDING; more++) {
            int64_t values[MOST_ROWS];
            size_t count;
            cell made = {.type = kinds[i % 3],
                         .structs = STRUCTS - 1,
                         .writer = writers[i / 3],
                         .codec = more % 2 == 0 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_SNAPPY,
                         .at = BEFORE,
                         .more = more,
                         .codecs = codecs};
            make_cell(&made);
            made.reads = read_values(made.reader, values, &count, NULL) == LAM_STATUS_OK;
            forgiven += made.reads && more != 0;
            refused += !made.reads;
            try_columns(&made);
            try_writing(&made, "copy", copy_groups, made.reads);
            try_writing(&made, "arrow", copy_arrow, made.reads);
            try_rewrites(&made);
            free_cell(&made);
        }
    cr_assert_gt(forgiven, 3 * WRITERS * PADDING);
    cr_assert_gt(refused, WRITERS * PADDING);
    lam_codec_context_destroy(codecs);
}
