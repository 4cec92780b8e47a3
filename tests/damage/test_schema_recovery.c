/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cut files that say nothing of their pages, opened with a schema: a prefix of the rows, row group
 * by row group, or a refusal; never another row.
 */
#include "damage/unfinished/schema_recovery.h"

#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "file/read/file_reader.h"
#include "file/unfinished_sample.h"
#include "meta/compact.h"
#include "support/failing_alloc.h"

enum { SCHEMA_RECORDS = 90, SCHEMA_GROUP_ROWS = 20, GROUPS = 5 };

static const char *const cut_shapes[] = {
    "message m { required int64 a; optional binary s; required boolean b; optional double d; }",
    "message m { required int32 a; repeated group g { required int64 x; optional binary y;"
    " repeated float z; } required fixed_len_byte_array(5) f; }",
    "message m { optional group l (LIST) { repeated group list { optional int64 element; } }"
    " required int64 k; }",
    "message m { repeated int64 only; }",
    "message m { optional int32 only; }",
    "message m { required int64 a; required int64 b; required int64 c; }",
};
enum { CUT_SHAPES = sizeof cut_shapes / sizeof *cut_shapes };

static lam_file_sample cut_sample(const char *shape, unsigned round, bool has_dictionary) {
    static const lam_codec codecs[] = {LAM_CODEC_ZSTD, LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY,
                                       LAM_CODEC_GZIP};
    lam_random random = lam_random_start(lam_test_seed(round));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = SCHEMA_GROUP_ROWS;
    options.page_rows = 6;
    options.codec = codecs[round % 4];
    options.data_page_version = 1 + (int32_t)(round / 4 % 2);
    options.dictionary = has_dictionary ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.auto_bloom_filters = round % 3 == 0;
    lam_file_sample_init(&sample, lam_test_schema(shape), SCHEMA_RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* Opens every 29th prefix; gives how many of them had rows, and how many were refused. */
static void open_prefixes(lam_file_sample *sample, const lam_reader *like, size_t *ret_with_rows,
                          size_t *ret_refused) {
    lam_recover_options options = lam_recover_options_default();
    options.schema = like == NULL ? sample->schema : NULL;
    options.like = like;
    *ret_with_rows = *ret_refused = 0;
    for (size_t size = 4; size < sample->bytes.size; size += 29) {
        lam_recovery recovery;
        lam_status status;
        lam_reader *reader = lam_unfinished_open((lam_bytes){sample->bytes.data, size}, &options,
                                                 &recovery, &status);
        if (reader == NULL) {
            cr_assert_eq(status, LAM_STATUS_CORRUPT, "at %zu", size);
            ++*ret_refused;
            continue;
        }
        cr_assert_eq(recovery.rows, lam_reader_row_count(reader));
        *ret_with_rows += recovery.rows > 0;
        lam_unfinished_expect_records(sample, reader, (size_t)recovery.rows);
        lam_reader_close(reader);
    }
}

Test(schema_recovery, a_prefix_has_a_prefix_of_the_rows_or_is_refused) {
    for (unsigned round = 0; round < 8 * CUT_SHAPES; round++) {
        size_t with_rows, refused;
        lam_file_sample sample =
            cut_sample(cut_shapes[round % CUT_SHAPES], round / CUT_SHAPES, round % 2 == 0);
        open_prefixes(&sample, NULL, &with_rows, &refused);
        if (round % CUT_SHAPES < CUT_SHAPES - 1)
            cr_assert_gt(with_rows, refused, "round %u: %zu, %zu", round, with_rows, refused);
        lam_file_sample_finish(&sample);
    }
}

/* With a finished file of the same writer also columns of one type are told apart. */
Test(schema_recovery, a_file_of_the_same_writer_shows_the_rows_of_row_groups) {
    for (unsigned round = 0; round < 8 * CUT_SHAPES; round++) {
        size_t with_rows, refused;
        lam_file_sample sample =
            cut_sample(cut_shapes[round % CUT_SHAPES], round / CUT_SHAPES, false);
        lam_reader *like = lam_file_sample_open(&sample, NULL);
        open_prefixes(&sample, like, &with_rows, &refused);
        cr_assert_gt(with_rows, 0, "round %u", round);
        cr_assert_eq(refused, 0, "round %u: %zu", round, refused);
        lam_reader_close(like);
        lam_file_sample_finish(&sample);
    }
}

Test(schema_recovery, columns_of_one_type_without_dictionaries_are_ambiguous) {
    lam_file_sample sample = cut_sample(cut_shapes[CUT_SHAPES - 1], 1, false);
    lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size / 2);
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_reader *reader;
    options.schema = sample.schema;
    cr_assert_eq(lam_reader_open_unfinished(&input, &options, &reader, &recovery, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "the pages from offset 4 on can be column chunks of this "
                                    "schema in more than one way; nothing shows which is right");
    lam_file_sample_finish(&sample);
}

/* Appends the chunks of a sample, each with a copy of what a footer states of it behind. */
static void put_copies(lam_file_sample *sample, lam_bytes copy, lam_buffer *out) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    cr_assert_eq(lam_buffer_append(out, "PAR1", 4, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < 3 * lam_reader_row_group_count(reader); i++) {
        lam_page_list *list;
        lam_page_info page = lam_page_info_default();
        bool more = true;
        cr_assert_eq(lam_page_list_open(reader, i / 3, i % 3, &list, NULL), LAM_STATUS_OK);
        for (;;) {
            cr_assert_eq(lam_page_list_next(list, &page, &more, NULL), LAM_STATUS_OK);
            if (!more)
                break;
            cr_assert_eq(lam_buffer_append(out, sample->bytes.data + page.offset,
                                           page.header_size + page.compressed_size, NULL),
                         LAM_STATUS_OK);
        }
        lam_page_list_close(list);
        cr_assert_eq(lam_buffer_append(out, copy.data, copy.size, NULL), LAM_STATUS_OK);
    }
    lam_reader_close(reader);
}

/* Polars' files were read up to the first of them only, and those of older writers likewise. */
Test(schema_recovery, copies_of_metadata_behind_chunks_show_where_they_end) {
    static const uint8_t column[] = {0x15, 0x04, 0x19, 0x25, 0x00, 0x06, 0x19,
                                     0x18, 0x01, 'a',  0x15, 0x00, 0x16, 0x02,
                                     0x16, 0x02, 0x16, 0x02, 0x26, 0x08, 0x00};
    uint8_t chunk[3 + sizeof column + 1] = {0x26, 0x08, 0x1C};
    memcpy(chunk + 3, column, sizeof column);
    const lam_bytes copies[] = {{column, sizeof column}, {chunk, sizeof chunk}};
    lam_file_sample sample = cut_sample(cut_shapes[CUT_SHAPES - 1], 1, false);
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < 2; i++) {
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery;
        lam_status status;
        lam_buffer bytes;
        options.schema = sample.schema;
        lam_buffer_init(&bytes, &allocator);
        put_copies(&sample, copies[i], &bytes);
        lam_reader *reader =
            lam_unfinished_open(lam_buffer_bytes(&bytes), &options, &recovery, &status);
        cr_assert_not_null(reader, "%zu: %d", i, (int)status);
        cr_assert_eq(recovery.rows, SCHEMA_RECORDS);
        cr_assert_eq(recovery.lost_bytes, 0);
        lam_unfinished_expect_records(&sample, reader, SCHEMA_RECORDS);
        lam_reader_close(reader);
        lam_buffer_finish(&bytes);
    }
    lam_file_sample_finish(&sample);
}

Test(schema_recovery, a_schema_that_does_not_fit_is_refused) {
    lam_file_sample sample = cut_sample(cut_shapes[0], 0, true);
    lam_schema *other = lam_test_schema("message m { required int32 a; required int32 b; }");
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery;
    lam_status status;
    options.schema = other;
    cr_assert_null(lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 1},
                                       &options, &recovery, &status));
    cr_assert_eq(status, LAM_STATUS_CORRUPT);
    lam_reader *like = lam_file_sample_open(&sample, NULL);
    options.like = like;
    cr_assert_null(lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 1},
                                       &options, &recovery, &status));
    cr_assert_eq(status, LAM_STATUS_INVALID);
    lam_reader_close(like);
    lam_schema_destroy(other);
    lam_file_sample_finish(&sample);
}

/* A page whose checksum is wrong ends the rows before its row group. */
Test(schema_recovery, rows_end_before_a_damaged_page) {
    lam_file_sample sample = cut_sample(cut_shapes[0], 1, true);
    lam_recover_options options = lam_recover_options_default();
    options.schema = sample.schema;
    for (size_t at = 100; at < sample.bytes.size - 1000; at += 41) {
        lam_recovery recovery;
        lam_status status;
        sample.bytes.data[at] ^= 0x10;
        lam_reader *reader = lam_unfinished_open(
            (lam_bytes){sample.bytes.data, sample.bytes.size - 1}, &options, &recovery, &status);
        if (reader != NULL)
            cr_assert_leq(recovery.row_groups, GROUPS);
        lam_reader_close(reader);
        sample.bytes.data[at] ^= 0x10;
    }
    lam_file_sample_finish(&sample);
}

/* Memory that runs out is said to have run out: it leaves no shorter file, and no damaged one. */
static void starve_recovery(lam_bytes file, lam_recover_options options, uint64_t rows) {
    size_t failures = 0;
    for (lam_failing_alloc counter = {.fail_at = 1};; counter.fail_at++) {
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_recovery recovery;
        lam_status status;
        counter.requests = 0;
        options.allocator = &allocator;
        lam_reader *reader = lam_unfinished_open(file, &options, &recovery, &status);
        cr_assert(reader != NULL ? recovery.rows == rows : status == LAM_STATUS_NOMEM,
                  "request %zu: %d", counter.fail_at, (int)status);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", counter.fail_at);
        failures += reader == NULL;
        if (counter.requests < counter.fail_at)
            break;
    }
    cr_assert_gt(failures, 20);
}

/* Zeros at the end of a file without checksums made all of it unusable. */
Test(schema_recovery, a_damaged_page_without_a_checksum_costs_what_is_behind_it) {
    lam_random random = lam_random_start(lam_test_seed(5));
    lam_writer_options writing = lam_writer_options_default();
    lam_recover_options options = lam_recover_options_default();
    lam_file_sample sample;
    writing.row_group_rows = SCHEMA_GROUP_ROWS;
    writing.page_rows = 6;
    writing.codec = LAM_CODEC_UNCOMPRESSED;
    writing.dictionary = LAM_SWITCH_OFF;
    writing.page_crc = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema(cut_shapes[0]), SCHEMA_RECORDS, 70, &random);
    lam_file_sample_write(&sample, &writing, NULL);
    lam_reader *whole = lam_file_sample_open(&sample, NULL);
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    cr_assert_eq(lam_page_list_open(whole, GROUPS - 1, 1, &list, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(list, &page, &more, NULL), LAM_STATUS_OK);
    memset(sample.bytes.data + page.offset + page.header_size, 0xFF, (size_t)page.compressed_size);
    lam_page_list_close(list);
    for (int keeps_cut = 0; keeps_cut < 2; keeps_cut++) {
        lam_recovery recovery;
        lam_status status;
        options.like = whole;
        options.keeps_cut = keeps_cut != 0;
        lam_reader *reader = lam_unfinished_open(
            (lam_bytes){sample.bytes.data, sample.bytes.size - 1}, &options, &recovery, &status);
        cr_assert_eq(reader != NULL, keeps_cut != 0);
        if (reader != NULL)
            cr_assert(recovery.is_cut && recovery.row_groups == GROUPS &&
                      recovery.rows == SCHEMA_RECORDS);
        lam_reader_close(reader);
    }
    starve_recovery((lam_bytes){sample.bytes.data, sample.bytes.size - 1}, options, SCHEMA_RECORDS);
    lam_reader_close(whole);
    lam_file_sample_finish(&sample);
}

/* Pages are counted once for each kind of leaf: what one counts is not what another does. */
Test(schema_recovery, leaves_that_differ_in_one_trait_are_told_apart) {
    static const char shape[] =
        "message m { optional int64 a; repeated int64 b; optional group g { optional int64 c; }"
        "            optional double d; optional int32 e; repeated fixed_len_byte_array(8) f; }";
    for (unsigned round = 0; round < 8; round++) {
        size_t with_rows, refused;
        lam_file_sample sample = cut_sample(shape, round, true);
        open_prefixes(&sample, NULL, &with_rows, &refused);
        cr_assert_gt(with_rows, 0, "round %u", round);
        lam_file_sample_finish(&sample);
    }
}

/* Without another file the columns of a row group that is cut are told apart by their types. */
Test(schema_recovery, the_chunks_before_a_cut_come_back_by_the_schema_alone) {
    lam_file_sample sample = cut_sample(cut_shapes[0], 1, false);
    lam_reader *whole = lam_file_sample_open(&sample, NULL);
    lam_recover_options options = lam_recover_options_default();
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_recovery recovery;
    lam_status status;
    options.schema = sample.schema;
    options.keeps_cut = true;
    cr_assert_eq(lam_reader_column_chunk(whole, 2, 3, &info, NULL), LAM_STATUS_OK);
    lam_bytes bytes = {sample.bytes.data, (size_t)info.data_page_offset};
    lam_reader *reader = lam_unfinished_open(bytes, &options, &recovery, &status);
    cr_assert_not_null(reader, "%d", (int)status);
    cr_assert(recovery.is_cut && !recovery.follows_like);
    cr_assert_eq(recovery.row_groups, 3);
    cr_assert_eq(recovery.rows, 3 * SCHEMA_GROUP_ROWS);
    lam_reader_close(reader);
    lam_reader_close(whole);
    lam_file_sample_finish(&sample);
}

/* More kinds of leaves than are remembered of each page. */
Test(schema_recovery, leaves_of_many_kinds_are_told_apart) {
    char shape[1200] = "message m {";
    for (int width = 1; width <= 24; width++) {
        char leaf[60];
        snprintf(leaf, sizeof leaf, " optional fixed_len_byte_array(%d) f%d;", width, width);
        strncat(shape, leaf, sizeof shape - strlen(shape) - 1);
    }
    strncat(shape, " }", sizeof shape - strlen(shape) - 1);
    lam_random random = lam_random_start(lam_test_seed(6));
    lam_recover_options options = lam_recover_options_default();
    lam_file_sample sample;
    lam_recovery recovery;
    lam_status status;
    lam_file_sample_init(&sample, lam_test_schema(shape), 10, 70, &random);
    lam_file_sample_write(&sample, NULL, NULL);
    options.schema = sample.schema;
    lam_reader *reader = lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 1},
                                             &options, &recovery, &status);
    cr_assert_not_null(reader, "%d", (int)status);
    lam_unfinished_expect_records(&sample, reader, 10);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* --- Headers that say what cannot be --------------------------------------------------------- */

typedef void header_change(lam_meta_page_header *header);

/* Changes the header of a page, which keeps its size; false if there is no such page. */
static bool change_header(lam_file_sample *sample, size_t row_group, size_t leaf, size_t number,
                          header_change *change) {
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    cr_assert_eq(lam_page_list_open(reader, row_group, leaf, &list, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i <= number && more; i++)
        cr_assert_eq(lam_page_list_next(list, &page, &more, NULL), LAM_STATUS_OK);
    lam_page_list_close(list);
    lam_reader_close(reader);
    if (!more)
        return false;
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_buffer bytes;
    lam_meta_page_header header;
    size_t size;
    uint8_t *at = sample->bytes.data + page.offset;
    lam_arena_init(&arena, &heap, 0);
    lam_buffer_init(&bytes, &heap);
    cr_assert_eq(
        lam_meta_read_page_header((lam_bytes){at, page.header_size}, &arena, &header, &size, NULL),
        LAM_STATUS_OK);
    change(&header);
    cr_assert_eq(lam_meta_write_page_header(&header, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(bytes.size, size);
    memcpy(at, bytes.data, size);
    lam_arena_finish(&arena);
    lam_buffer_finish(&bytes);
    return true;
}

static void count_one_more(lam_meta_page_header *header) {
    ((lam_meta_data_page_header *)header->data_page_header)->num_values++;
}

/*
 * Rows of nulls came back that a header had counted, and its checksum does not cover. Of the row
 * group with such a page stay the chunks before it, if there are two that agree in their rows.
 */
Test(schema_recovery, a_header_that_counts_wrongly_costs_the_chunks_behind_two) {
    lam_random random = lam_random_start(lam_test_seed(5));
    for (size_t leaf = 0; leaf < 4; leaf++) {
        for (size_t page = 0; page < 2; page++) {
            lam_writer_options writing = lam_writer_options_default();
            lam_recover_options options = lam_recover_options_default();
            lam_file_sample sample;
            lam_recovery recovery;
            lam_status status;
            writing.row_group_rows = SCHEMA_GROUP_ROWS;
            writing.page_rows = 6;
            writing.codec = LAM_CODEC_UNCOMPRESSED;
            writing.dictionary = writing.delta = LAM_SWITCH_OFF;
            lam_file_sample_init(
                &sample,
                lam_test_schema("message m { required int64 a; required int32 b;"
                                "            required double c; required float d; }"),
                SCHEMA_RECORDS, 70, &random);
            lam_file_sample_write(&sample, &writing, NULL);
            lam_reader *like = lam_file_sample_open(&sample, NULL);
            cr_assert(change_header(&sample, 2, leaf, page, count_one_more));
            options.like = like;
            options.keeps_cut = true;
            lam_reader *reader =
                lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 1}, &options,
                                    &recovery, &status);
            cr_assert_not_null(reader);
            /* Without a page of the next one, nothing shows that a chunk is whole. */
            size_t chunks = leaf - (leaf > 0 && page == 0);
            cr_assert_eq(recovery.is_cut, chunks >= 2, "leaf %zu, page %zu", leaf, page);
            cr_assert_eq(recovery.row_groups, chunks >= 2 ? 3 : 2);
            cr_assert_eq(recovery.rows, SCHEMA_GROUP_ROWS * recovery.row_groups);
            cr_assert_eq(reader->cut_chunks, chunks >= 2 ? chunks : 0);
            lam_reader_close(reader);
            lam_reader_close(like);
            lam_file_sample_finish(&sample);
        }
    }
}

/* --- Small pages ----------------------------------------------------------------------------- */

enum { MANY_GROUPS = INT16_MAX + 2 };

static void put_small_page(lam_buffer *out, lam_meta_page_header header, const char *body) {
    size_t size = strlen(body);
    header.compressed_page_size = header.uncompressed_page_size = (int32_t)size;
    cr_assert_eq(lam_meta_write_page_header(&header, out, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(out, body, size, NULL), LAM_STATUS_OK);
}

/* Appends a dictionary of one int32, whose encoding is stated so, and one index of it. */
static void put_small_chunk(lam_buffer *out, int32_t encoding) {
    const lam_meta_dictionary_page_header dictionary = {.num_values = 1, .encoding = encoding};
    const lam_meta_data_page_header data = {.num_values = 1,
                                            .encoding = LAM_ENCODING_RLE_DICTIONARY,
                                            .definition_level_encoding = LAM_ENCODING_RLE,
                                            .repetition_level_encoding = LAM_ENCODING_RLE};
    put_small_page(
        out,
        (lam_meta_page_header){.type = LAM_PAGE_DICTIONARY, .dictionary_page_header = &dictionary},
        "four");
    put_small_page(out, (lam_meta_page_header){.type = LAM_PAGE_DATA, .data_page_header = &data},
                   "\x01\x02");
}

/* A file of small chunks of the only column. */
static lam_reader *open_small(const lam_buffer *bytes, lam_recovery *ret_recovery) {
    lam_recover_options options = lam_recover_options_default();
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_status status;
    options.schema = schema;
    lam_reader *reader =
        lam_unfinished_open(lam_buffer_bytes(bytes), &options, ret_recovery, &status);
    cr_assert_not_null(reader, "%d", (int)status);
    cr_assert_eq(ret_recovery->lost_bytes, 0);
    lam_schema_destroy(schema);
    return reader;
}

/* What a chunk is said to have are encodings that there are. */
Test(schema_recovery, an_encoding_that_nobody_knows_is_not_listed) {
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, -1, LAM_ENCODING_ALP + 1, INT32_MAX};
    enum { COUNT = sizeof encodings / sizeof *encodings };
    lam_allocator heap = lam_allocator_default();
    lam_recovery recovery;
    lam_buffer bytes;
    lam_buffer_init(&bytes, &heap);
    cr_assert_eq(lam_buffer_append(&bytes, "PAR1", 4, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < COUNT; i++)
        put_small_chunk(&bytes, encodings[i]);
    lam_reader *reader = open_small(&bytes, &recovery);
    cr_assert_eq(recovery.rows, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        cr_assert_eq(lam_reader_column_chunk(reader, i, 0, &info, NULL), LAM_STATUS_OK);
        cr_assert_eq(info.encodings,
                     1u << LAM_ENCODING_RLE_DICTIONARY | (i == 0 ? 1u << LAM_ENCODING_PLAIN : 0),
                     "%zu: %x", i, (unsigned)info.encodings);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

/* RowGroup.ordinal has 16 bits. */
Test(schema_recovery, more_row_groups_than_there_are_ordinals_have_none) {
    lam_allocator heap = lam_allocator_default();
    lam_row_group_info info = lam_row_group_info_default();
    lam_recovery recovery;
    lam_buffer bytes;
    lam_buffer_init(&bytes, &heap);
    cr_assert_eq(lam_buffer_append(&bytes, "PAR1", 4, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < MANY_GROUPS; i++)
        put_small_chunk(&bytes, LAM_ENCODING_PLAIN);
    lam_reader *reader = open_small(&bytes, &recovery);
    cr_assert_eq(recovery.rows, MANY_GROUPS);
    cr_assert_eq(lam_reader_row_group(reader, INT16_MAX, &info, NULL), LAM_STATUS_OK);
    cr_assert_eq(info.ordinal, INT16_MAX);
    cr_assert_eq(lam_reader_row_group(reader, MANY_GROUPS - 1, &info, NULL), LAM_STATUS_OK);
    cr_assert_eq(info.ordinal, -1);
    cr_assert_eq(info.row_count, 1);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}
