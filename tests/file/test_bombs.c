/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a few kilobytes that declare more than anyone could take: rows, bytes, entries, fields.
 * They are refused, or read piece by piece in little memory until the caller stops.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <lamella/scan.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "codec/codec.h"
#include "encoding/rle.h"
#include "file/file_sample.h"
#include "file/read/footer.h"
#include "file/read_everything.h"
#include "meta/compact.h"
#include "support/failing_alloc.h"
#include "support/stopwatch.h"

/* What a reader may hold when it hands on what it reads: far below the limit of 64 MiB. */
enum { STREAMING_BYTES = 1 << 20 };

static lam_bytes text_bytes(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

static lam_buffer empty_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void append(lam_buffer *out, const void *data, size_t size) {
    cr_assert_eq(lam_buffer_append(out, data, size, NULL), LAM_STATUS_OK);
}

static lam_everything read_everything(const lam_buffer *file, const char *name) {
    lam_input input = lam_input_memory(file->data, file->size);
    lam_stopwatch_start(name);
    lam_everything all = lam_read_everything(&input, name);
    lam_stopwatch_stop();
    return all;
}

/* --- Files of one column --------------------------------------------------------------------- */

static const lam_meta_schema_element root = {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
                                             .name = {(const uint8_t *)"m", 1},
                                             .num_children = 1};

/* A file of one chunk whose pages are in `pages`. */
typedef struct bomb {
    lam_repetition repetition; /* of the leaf */
    lam_physical_type type;
    lam_codec codec; /* 0: uncompressed */
    int64_t rows;
    int64_t triples;
    lam_buffer pages;
} bomb;

static lam_buffer write_bomb(const bomb *b) {
    const lam_meta_schema_element schema[2] = {
        root,
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
         .type = (int32_t)b->type,
         .repetition_type = (int32_t)b->repetition,
         .name = text_bytes("a")},
    };
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE,
                                        LAM_ENCODING_RLE_DICTIONARY};
    lam_bytes path = text_bytes("a");
    lam_meta_column column = {.type = (int32_t)b->type,
                              .encodings = {encodings, 3},
                              .path_in_schema = {&path, 1},
                              .codec = b->codec == 0 ? 0 : (int32_t)b->codec - 1,
                              .num_values = b->triples,
                              .total_uncompressed_size = (int64_t)b->pages.size,
                              .total_compressed_size = (int64_t)b->pages.size,
                              .data_page_offset = 4};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {
        .columns = {&chunk, 1}, .total_byte_size = (int64_t)b->pages.size, .num_rows = b->rows};
    lam_meta_file meta = {
        .version = 2, .schema = {schema, 2}, .num_rows = b->rows, .row_groups = {&group, 1}};
    lam_buffer file = empty_buffer();
    append(&file, "PAR1", 4);
    append(&file, b->pages.data, b->pages.size);
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    return file;
}

static void append_page(lam_buffer *pages, lam_meta_page_header *header, const lam_buffer *body) {
    header->compressed_page_size = (int32_t)body->size;
    cr_assert_eq(lam_meta_write_page_header(header, pages, NULL), LAM_STATUS_OK);
    append(pages, body->data, body->size);
}

/* A data page of either version, uncompressed. */
typedef struct page_sections {
    int version;
    int32_t triples;
    int32_t rows;
    int32_t nulls;
    lam_encoding encoding;
    lam_buffer repetition; /* runs; may be empty */
    lam_buffer definition;
    lam_buffer values;
} page_sections;

static void append_levels(lam_buffer *body, const lam_buffer *levels, int version) {
    uint8_t size[4] = {(uint8_t)levels->size};
    if (levels->size == 0)
        return;
    cr_assert_lt(levels->size, 256);
    append(body, size, version == 1 ? sizeof size : 0);
    append(body, levels->data, levels->size);
}

static void append_data_page(lam_buffer *pages, const page_sections *sections) {
    lam_buffer body = empty_buffer();
    append_levels(&body, &sections->repetition, sections->version);
    append_levels(&body, &sections->definition, sections->version);
    append(&body, sections->values.data, sections->values.size);
    lam_meta_data_page_header v1 = {.num_values = sections->triples,
                                    .encoding = (int32_t)sections->encoding,
                                    .definition_level_encoding = LAM_ENCODING_RLE,
                                    .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_data_page_header_v2 v2 = {
        .num_values = sections->triples,
        .num_nulls = sections->nulls,
        .num_rows = sections->rows,
        .encoding = (int32_t)sections->encoding,
        .definition_levels_byte_length = (int32_t)sections->definition.size,
        .repetition_levels_byte_length = (int32_t)sections->repetition.size};
    lam_meta_page_header header = {.type =
                                       sections->version == 1 ? LAM_PAGE_DATA : LAM_PAGE_DATA_V2,
                                   .uncompressed_page_size = (int32_t)body.size};
    header.data_page_header = sections->version == 1 ? &v1 : NULL;
    header.data_page_header_v2 = sections->version == 2 ? &v2 : NULL;
    append_page(pages, &header, &body);
    lam_buffer_finish(&body);
}

/* Runs of `value`, `count` of them, behind what `out` holds. */
static void append_run(lam_buffer *out, unsigned width, uint32_t value, uint64_t count) {
    lam_rle_encoder encoder;
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, out);
    cr_assert_eq(lam_rle_write_run(&encoder, value, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
}

/* --- Rows without end ------------------------------------------------------------------------ */

enum { PAGES = 47, PAGE_TRIPLES = INT32_MAX };
#define TRIPLES ((int64_t)PAGES * PAGE_TRIPLES) /* 10^11 */

static void finish_sections(page_sections *sections) {
    lam_buffer_finish(&sections->repetition);
    lam_buffer_finish(&sections->definition);
    lam_buffer_finish(&sections->values);
}

static page_sections start_sections(int version) {
    page_sections sections = {.version = version, .triples = PAGE_TRIPLES, .rows = PAGE_TRIPLES};
    sections.repetition = empty_buffer();
    sections.definition = empty_buffer();
    sections.values = empty_buffer();
    return sections;
}

/* Nulls, one run of levels per page. */
static lam_buffer many_nulls(int version) {
    bomb b = {.repetition = LAM_REPETITION_OPTIONAL,
              .type = LAM_PHYSICAL_INT64,
              .rows = TRIPLES,
              .triples = TRIPLES,
              .pages = empty_buffer()};
    page_sections sections = start_sections(version);
    sections.nulls = PAGE_TRIPLES;
    append_run(&sections.definition, 1, 0, PAGE_TRIPLES);
    for (int i = 0; i < PAGES; i++)
        append_data_page(&b.pages, &sections);
    lam_buffer file = write_bomb(&b);
    finish_sections(&sections);
    lam_buffer_finish(&b.pages);
    return file;
}

static void append_dictionary(lam_buffer *pages, int32_t count, lam_bytes values) {
    lam_meta_dictionary_page_header dictionary = {.num_values = count};
    lam_meta_page_header header = {.type = LAM_PAGE_DICTIONARY,
                                   .uncompressed_page_size = (int32_t)values.size,
                                   .dictionary_page_header = &dictionary};
    lam_buffer body = empty_buffer();
    append(&body, values.data, values.size);
    append_page(pages, &header, &body);
    lam_buffer_finish(&body);
}

/* One string again and again: `width` bits of index, one run per page. */
static lam_buffer many_strings(int version, unsigned width) {
    bomb b = {.repetition = LAM_REPETITION_REQUIRED,
              .type = LAM_PHYSICAL_BYTE_ARRAY,
              .rows = TRIPLES,
              .triples = TRIPLES,
              .pages = empty_buffer()};
    page_sections sections = start_sections(version);
    sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
    append_dictionary(&b.pages, 1, (lam_bytes){(const uint8_t *)"\4\0\0\0boom", 8});
    uint8_t first = (uint8_t)width;
    append(&sections.values, &first, 1);
    append_run(&sections.values, width, 0, PAGE_TRIPLES);
    for (int i = 0; i < PAGES; i++)
        append_data_page(&b.pages, &sections);
    lam_buffer file = write_bomb(&b);
    finish_sections(&sections);
    lam_buffer_finish(&b.pages);
    return file;
}

/* A single record with as many elements. */
static lam_buffer many_elements(int version) {
    bomb b = {.repetition = LAM_REPETITION_REPEATED,
              .type = LAM_PHYSICAL_BOOLEAN,
              .rows = 1,
              .triples = TRIPLES,
              .pages = empty_buffer()};
    for (int i = 0; i < PAGES; i++) {
        page_sections sections = start_sections(version);
        sections.rows = i == 0;
        sections.encoding = LAM_ENCODING_RLE;
        if (i == 0)
            append_run(&sections.repetition, 1, 0, 1);
        append_run(&sections.repetition, 1, 1, PAGE_TRIPLES - (i == 0));
        append_run(&sections.definition, 1, 1, PAGE_TRIPLES);
        lam_buffer runs = empty_buffer();
        append_run(&runs, 1, 1, PAGE_TRIPLES);
        append_levels(&sections.values, &runs, 1); /* its size in front, in both versions */
        append_data_page(&b.pages, &sections);
        lam_buffer_finish(&runs);
        finish_sections(&sections);
    }
    lam_buffer file = write_bomb(&b);
    lam_buffer_finish(&b.pages);
    return file;
}

/* A sink that has enough after some verbs. */
typedef struct patience {
    uint64_t left;
    uint64_t after; /* verbs that come all the same */
} patience;

static lam_status spend(patience *p, lam_error *error) {
    p->after += p->left == 0;
    if (p->left == 0 || --p->left == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "enough");
    return LAM_STATUS_OK;
}

static lam_status take_verb(void *state, lam_error *error) {
    return spend(state, error);
}

static lam_status take_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return spend(state, error);
}

static lam_status take_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)leaf;
    (void)value;
    return spend(state, error);
}

static lam_reader *open_counted(const lam_buffer *file, const lam_allocator *allocator) {
    lam_reader_options options = lam_reader_options_default();
    options.allocator = allocator;
    return lam_test_open(file->data, file->size, &options);
}

/* Reads until the sink has enough: then nothing comes any more, and little was held. */
static void expect_cancelled(const lam_buffer *file, uint64_t verbs, const char *name) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    patience p = {.left = verbs};
    lam_record_sink sink = {&p, take_verb, take_group, take_value, take_group, take_verb, NULL};
    lam_error error = lam_error_none();
    lam_record_reader *records;
    uint64_t count;
    lam_stopwatch_start(name);
    lam_reader *reader = open_counted(file, &allocator);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error),
                 LAM_STATUS_INVALID, "%s", name);
    cr_assert_str_eq(error.message, "enough", "%s", name);
    cr_assert_eq(p.left, 0, "%s", name);
    cr_assert_eq(p.after, 0, "%s: %" PRIu64 " verbs after the last", name, p.after);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    lam_stopwatch_stop();
    cr_assert_lt(counter.peak_bytes, STREAMING_BYTES, "%s: %zu bytes", name, counter.peak_bytes);
    cr_assert_eq(counter.live_bytes, 0, "%s", name);
}

/* Ten million triples, asked for in any amounts, and no more than that is read. */
static void expect_streamed(const lam_buffer *file, size_t at_once, const char *name) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_column_reader *column;
    lam_stopwatch_start(name);
    lam_reader *reader = open_counted(file, &allocator);
    cr_assert_eq(lam_column_reader_open(reader, 0, 0, &column, &error), LAM_STATUS_OK);
    for (size_t triples = 0; triples < 10000000;) {
        lam_triples run;
        cr_assert_eq(lam_column_reader_read(column, at_once, &run, &error), LAM_STATUS_OK, "%s: %s",
                     name, error.message);
        cr_assert(run.count > 0 && run.count <= at_once, "%s", name);
        triples += run.count;
    }
    lam_column_reader_close(column);
    lam_reader_close(reader);
    lam_stopwatch_stop();
    cr_assert_lt(counter.peak_bytes, STREAMING_BYTES, "%s: %zu bytes", name, counter.peak_bytes);
}

static void expect_endless(lam_buffer file, const char *name, int version) {
    char full[100];
    snprintf(full, sizeof full, "%s, version %d", name, version);
    cr_assert_lt(file.size, 8192, "%s: %zu bytes", full, file.size);
    expect_cancelled(&file, 1, full);
    expect_cancelled(&file, 1000, full);
    expect_cancelled(&file, 1000003, full);
    expect_streamed(&file, SIZE_MAX, full);
    expect_streamed(&file, 777, full);
    lam_buffer_finish(&file);
}

Test(bombs, rows_without_end_are_read_until_the_caller_has_enough) {
    for (int version = 1; version <= 2; version++) {
        expect_endless(many_nulls(version), "nulls", version);
        expect_endless(many_strings(version, 0), "strings of indexes without bits", version);
        expect_endless(many_strings(version, 1), "strings", version);
        expect_endless(many_strings(version, 32), "strings of wide indexes", version);
        expect_endless(many_elements(version), "elements of one list", version);
    }
}

Test(bombs, whole_row_groups_of_rows_without_end_are_skipped_at_once) {
    lam_buffer file = many_nulls(1);
    lam_allocator allocator = lam_allocator_default();
    lam_reader *reader = open_counted(&file, &allocator);
    lam_record_reader *records;
    uint64_t count = 0;
    lam_stopwatch_start("skip");
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_skip(records, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, TRIPLES);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    lam_stopwatch_stop();
    lam_buffer_finish(&file);
}

/* --- Bytes and entries without end ------------------------------------------------------------ */

/* What cannot be is corrupt; what could be but is too much is above the limit. */
static void expect_refused(const lam_buffer *file, const char *name) {
    lam_everything all = read_everything(file, name);
    lam_status status = all.opened != LAM_STATUS_OK ? all.opened : all.columns;
    cr_assert(status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT ||
                  status == LAM_STATUS_UNSUPPORTED,
              "%s: %s", name, lam_status_name(status));
    cr_assert_lt(all.peak_bytes, (size_t)130 << 20, "%s: %zu bytes", name, all.peak_bytes);
}

/* A page whose body is no more than `body`, and that claims to be `size` bytes. */
static void expect_size_refused(lam_codec codec, int version, int32_t size, lam_bytes body) {
    char name[100];
    snprintf(name, sizeof name, "%s page of %" PRId32 " bytes, version %d", lam_codec_name(codec),
             size, version);
    bomb b = {.repetition = LAM_REPETITION_REQUIRED,
              .type = LAM_PHYSICAL_INT64,
              .codec = codec,
              .rows = 1000,
              .triples = 1000,
              .pages = empty_buffer()};
    lam_meta_data_page_header v1 = {.num_values = 1000,
                                    .definition_level_encoding = LAM_ENCODING_RLE,
                                    .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_data_page_header_v2 v2 = {.num_values = 1000,
                                       .num_rows = 1000,
                                       .has = LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED,
                                       .is_compressed = true};
    lam_meta_dictionary_page_header dictionary = {.num_values = 1000};
    lam_meta_page_header header = {
        .type = version == 0   ? LAM_PAGE_DICTIONARY
                : version == 1 ? LAM_PAGE_DATA
                               : LAM_PAGE_DATA_V2,
        .uncompressed_page_size = size,
        .dictionary_page_header = version == 0 ? &dictionary : NULL,
        .data_page_header = version == 1 ? &v1 : NULL,
        .data_page_header_v2 = version == 2 ? &v2 : NULL,
    };
    lam_buffer bytes = empty_buffer();
    append(&bytes, body.data, body.size);
    append_page(&b.pages, &header, &bytes);
    lam_buffer file = write_bomb(&b);
    expect_refused(&file, name);
    lam_buffer_finish(&bytes);
    lam_buffer_finish(&b.pages);
    lam_buffer_finish(&file);
}

/* Zeros, compressed: a few kilobytes that are `size` bytes indeed, or as near as the codec goes. */
static lam_buffer compress_zeros(lam_codec codec, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    lam_codec_context *context;
    lam_buffer out = empty_buffer();
    uint8_t *zeros = calloc(size, 1);
    cr_assert_not_null(zeros);
    cr_assert_eq(lam_codec_context_create(&allocator, &context, NULL), LAM_STATUS_OK);
    lam_bytes in = {zeros, size};
    cr_assert_eq(lam_codec_compress(context, codec, 0, in, &out, NULL), LAM_STATUS_OK);
    lam_codec_context_destroy(context);
    free(zeros);
    return out;
}

Test(bombs, pages_that_claim_sizes_beyond_all_measure_are_refused) {
    static const int32_t sizes[] = {INT32_MAX, 1 << 30, (64 << 20) + 1, 64 << 20, 20 << 20};
    static const uint8_t junk[64] = {1, 2, 3};
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_LZO,          LAM_CODEC_BROTLI, LAM_CODEC_LZ4,
                                       LAM_CODEC_ZSTD,         LAM_CODEC_LZ4_RAW};
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        for (int version = 0; version <= 2; version++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                expect_size_refused(codecs[i], version, sizes[s], (lam_bytes){junk, sizeof junk});
                expect_size_refused(codecs[i], version, sizes[s], (lam_bytes){junk, 0});
            }
        }
    }
}

/* The bytes do become so many, or more: more than is claimed, and more than may be held. */
Test(bombs, pages_that_grow_without_end_stop_at_what_they_claim) {
    static const lam_codec codecs[] = {LAM_CODEC_SNAPPY, LAM_CODEC_GZIP, LAM_CODEC_BROTLI,
                                       LAM_CODEC_ZSTD, LAM_CODEC_LZ4_RAW};
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (lam_codec_check_write(codecs[i], 0, NULL) != LAM_STATUS_OK)
            continue;
        lam_buffer zeros = compress_zeros(codecs[i], 100 << 20);
        for (int version = 0; version <= 2; version++) {
            expect_size_refused(codecs[i], version, 8000, lam_buffer_bytes(&zeros));
            expect_size_refused(codecs[i], version, 100 << 20, lam_buffer_bytes(&zeros));
            expect_size_refused(codecs[i], version, 50 << 20, lam_buffer_bytes(&zeros));
        }
        lam_buffer_finish(&zeros);
    }
}

Test(bombs, dictionaries_of_more_entries_than_bytes_are_refused) {
    static const lam_physical_type types[] = {LAM_PHYSICAL_INT32, LAM_PHYSICAL_DOUBLE,
                                              LAM_PHYSICAL_BYTE_ARRAY};
    static const int32_t counts[] = {INT32_MAX, 1 << 24, 1000};
    static const uint8_t values[24];
    for (size_t i = 0; i < 9; i++) {
        bomb b = {.repetition = LAM_REPETITION_REQUIRED,
                  .type = types[i % 3],
                  .rows = 100,
                  .triples = 100,
                  .pages = empty_buffer()};
        append_dictionary(&b.pages, counts[i / 3], (lam_bytes){values, sizeof values});
        page_sections sections = start_sections(1);
        sections.triples = 100;
        sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
        append(&sections.values, "\0", 1);
        append_data_page(&b.pages, &sections);
        lam_buffer file = write_bomb(&b);
        expect_refused(&file, "dictionary");
        finish_sections(&sections);
        lam_buffer_finish(&b.pages);
        lam_buffer_finish(&file);
    }
}
