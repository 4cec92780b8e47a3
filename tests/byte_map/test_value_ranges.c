/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of pages: in every encoding, page version and codec, ranges number the values as the
 * decoder reads them, and say what it reads.
 */
#define _POSIX_C_SOURCE 200809L
#include "byte_map/encodings/value_ranges.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_map/byte_tiles.h"
#include "byte_map/walk/byte_text.h"
#include "encoding/encoding.h"
#include "encoding/plain.h"
#include "file/file_sample.h"
#include "support/test_file.h"

TestSuite(value_ranges, .timeout = 250);

enum { VALUES_MOST = 4000, RECORDS = 1500, VALUE_BYTES = 12 };

/* --- What ranges say ----------------------------------------------------------------------- */

/* The values of one column as texts, in the order of their numbers. */
typedef struct said {
    const lam_field *leaf;
    size_t count;
    lam_byte_text texts[VALUES_MOST];
    size_t dictionary_count;
    lam_byte_text dictionary[VALUES_MOST];
    size_t page_first; /* in `texts`, of the first value of the page */
    uint64_t levels;   /* triples by the runs of definition levels */
    bool is_dictionary_page;
    bool is_in_values; /* else runs are levels */
    bool is_lengths;   /* differences are lengths */
    bool is_indexed;
    long long min_delta;  /* of the block */
    size_t without_bytes; /* sections of width 0, in all files */
    size_t exceptions;    /* of ALP, likewise */
    uint8_t streams[VALUES_MOST][VALUE_BYTES];
    size_t stream;
} said;

static void say(said *all, size_t number, const char *text) {
    if (all->is_dictionary_page) {
        cr_assert_eq(number, all->dictionary_count);
        snprintf(all->dictionary[all->dictionary_count++].text, LAM_BYTE_TEXT_ROOM, "%s", text);
        return;
    }
    cr_assert_eq(all->page_first + number, all->count, "%zu", number);
    cr_assert_lt(all->count, VALUES_MOST);
    if (all->is_indexed) {
        size_t index = (size_t)strtoul(text, NULL, 10);
        cr_assert_lt(index, all->dictionary_count);
        text = all->dictionary[index].text;
    }
    if (lam_field_physical_type(all->leaf) == LAM_PHYSICAL_BOOLEAN)
        text = text[0] == '0' ? "false" : "true";
    snprintf(all->texts[all->count++].text, LAM_BYTE_TEXT_ROOM, "%s", text);
}

/* "1 2 3" is three values. */
static void say_each(said *all, const lam_byte_range *range) {
    char copy[LAM_BYTE_TEXT_ROOM], *rest = copy, *word;
    int64_t number = range->first;
    snprintf(copy, sizeof copy, "%s", range->value);
    while ((word = strtok_r(rest, " ", &rest)) != NULL)
        say(all, (size_t)number++, word);
    cr_assert_eq(number, range->first + range->count);
}

/* Of width 0: the first value, from which others differ by the minimum, or not at all. */
static void say_without_bytes(said *all, const lam_byte_range *range) {
    all->without_bytes++;
    for (int64_t i = 0; i < range->count; i++) {
        char text[LAM_BYTE_TEXT_ROOM];
        snprintf(text, sizeof text, "%s", range->value);
        if (range->kind == LAM_BYTE_MINIBLOCK)
            snprintf(text, sizeof text, "%lld",
                     strtoll(range->value, NULL, 10) + (long long)i * all->min_delta);
        say(all, (size_t)(range->first + i), text);
    }
}

static void say_stream(said *all, const lam_byte_range *range) {
    for (int64_t i = 0; i < range->count; i++)
        all->streams[i][all->stream] = range->bytes[i];
    all->stream++;
    if (all->stream < (size_t)lam_field_type_length(all->leaf))
        return;
    all->stream = 0;
    for (int64_t i = 0; i < range->count; i++) {
        lam_byte_text text;
        lam_byte_text_of_value(
            all->leaf, (lam_bytes){all->streams[i], (size_t)lam_field_type_length(all->leaf)},
            &text);
        say(all, (size_t)i, text.text);
    }
}

static void enter_section(said *all, const lam_byte_range *range) {
    switch (range->kind) {
    case LAM_BYTE_PAGE:
        all->page_first = all->count;
        all->is_dictionary_page = strcmp(range->label, "DICTIONARY_PAGE") == 0;
        all->is_lengths = false;
        break;
    case LAM_BYTE_COLUMN_CHUNK:
        all->dictionary_count = 0;
        break;
    case LAM_BYTE_REPETITION_LEVELS:
    case LAM_BYTE_DEFINITION_LEVELS:
        all->is_in_values = false;
        break;
    case LAM_BYTE_VALUES:
        all->is_in_values = true;
        all->is_indexed = strstr(range->label, "DICTIONARY") != NULL;
        break;
    case LAM_BYTE_DELTAS:
        all->is_lengths = range->label != NULL;
        break;
    default:
        break;
    }
}

static bool is_exception(const lam_byte_range *range) {
    return range->kind == LAM_BYTE_VALUE && range->label != NULL &&
           strcmp(range->label, "exception") == 0;
}

static lam_status listen(void *state, const lam_byte_range *range) {
    said *all = state;
    enter_section(all, range);
    all->exceptions += is_exception(range);
    if (range->kind == LAM_BYTE_DEFINITION_LEVELS)
        all->levels += (uint64_t)range->count;
    if (!all->is_in_values)
        return LAM_STATUS_OK;
    if (range->kind == LAM_BYTE_STREAM)
        say_stream(all, range);
    else if (is_exception(range))
        snprintf(all->texts[all->page_first + (size_t)range->first].text, LAM_BYTE_TEXT_ROOM, "%s",
                 range->value);
    else if (range->kind == LAM_BYTE_VALUE && range->count > 1)
        for (int64_t i = 0; i < range->count; i++)
            say(all, (size_t)(range->first + i), range->value);
    else if (range->kind == LAM_BYTE_VALUE)
        say(all, (size_t)range->first, range->value);
    else if (range->kind == LAM_BYTE_PACKED_GROUP && !all->is_lengths)
        say_each(all, range);
    else if (range->kind == LAM_BYTE_RLE_RUN)
        for (int64_t i = 0; i < range->count; i++)
            say(all, (size_t)(range->first + i), range->value);
    else if (range->kind == LAM_BYTE_VARINT && !all->is_lengths &&
             strcmp(range->label, "first_value") == 0)
        say(all, 0, range->value);
    else if ((range->kind == LAM_BYTE_MINIBLOCK || range->kind == LAM_BYTE_ALP_PACKED) &&
             range->length == 0 && !all->is_lengths)
        say_without_bytes(all, range);
    else if (range->kind == LAM_BYTE_VARINT && strcmp(range->label, "min_delta") == 0)
        all->min_delta = strtoll(range->value, NULL, 10);
    return LAM_STATUS_OK;
}

/* --- What the decoder says ----------------------------------------------------------------- */

static void expect_same(const said *all, const lam_reader *reader, const char *name) {
    size_t at = 0;
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        lam_triples triples;
        lam_error error = lam_error_none();
        lam_value_layout layout = {lam_field_physical_type(all->leaf),
                                   lam_field_type_length(all->leaf)};
        cr_assert_eq(lam_column_reader_open(reader, group, 0, &column, &error), LAM_STATUS_OK);
        for (;;) {
            cr_assert_eq(lam_column_reader_read(column, 500, &triples, &error), LAM_STATUS_OK,
                         "%s: %s", name, error.message);
            if (triples.count == 0)
                break;
            for (size_t i = 0; i < triples.value_count; i++, at++) {
                lam_buffer plain;
                lam_byte_text text;
                lam_allocator allocator = lam_allocator_default();
                lam_buffer_init(&plain, &allocator);
                const uint8_t *value =
                    (const uint8_t *)triples.values + i * lam_layout_size(layout);
                lam_bytes bytes = {value, 1};
                if (layout.type == LAM_PHYSICAL_BYTE_ARRAY) {
                    memcpy(&bytes, value, sizeof bytes);
                } else if (layout.type != LAM_PHYSICAL_BOOLEAN) {
                    cr_assert_eq(lam_plain_append(layout, value, 1, &plain, &error), LAM_STATUS_OK);
                    bytes = lam_buffer_bytes(&plain);
                }
                lam_byte_text_of_value(all->leaf, bytes, &text);
                cr_assert_lt(at, all->count, "%s", name);
                cr_assert_str_eq(all->texts[at].text, text.text, "%s: value %zu", name, at);
                lam_buffer_finish(&plain);
            }
        }
        lam_column_reader_close(column);
    }
    cr_assert_eq(at, all->count, "%s: %zu values, %zu in ranges", name, at, all->count);
}

/* --- Files --------------------------------------------------------------------------------- */

static void put_random(const lam_record_sink *sink, const lam_field *leaf, int row,
                       lam_random *random) {
    lam_error error;
    char bytes[40];
    /* The last rows rise in equal steps, or not at all: such blocks have width 0. */
    int64_t number = row * 3 + (int64_t)lam_random_below(random, 1000) - 500;
    if (row >= RECORDS / 2)
        number = lam_field_physical_type(leaf) >= LAM_PHYSICAL_FLOAT ? 1000 : 17 * row;
    size_t size;
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        cr_assert_eq(lam_put_boolean(sink, leaf, lam_random_chance(random, 20), &error),
                     LAM_STATUS_OK);
        return;
    case LAM_PHYSICAL_INT32:
        cr_assert_eq(lam_put_int32(sink, leaf, (int32_t)number, &error), LAM_STATUS_OK);
        return;
    case LAM_PHYSICAL_INT64:
        cr_assert_eq(lam_put_int64(sink, leaf, number * INT64_C(1000000007), &error),
                     LAM_STATUS_OK);
        return;
    case LAM_PHYSICAL_FLOAT:
        cr_assert_eq(lam_put_float(sink, leaf, (float)number / 8, &error), LAM_STATUS_OK);
        return;
    case LAM_PHYSICAL_DOUBLE:
        cr_assert_eq(lam_put_double(sink, leaf,
                                    lam_random_chance(random, 3) ? NAN : (double)number / 100,
                                    &error),
                     LAM_STATUS_OK);
        return;
    case LAM_PHYSICAL_BYTE_ARRAY:
        size = (size_t)snprintf(bytes, sizeof bytes, "key %06d %" PRIu64, row / 7,
                                lam_random_below(random, 30));
        size = lam_random_chance(random, 5) ? 0 : size;
        break;
    default:
        snprintf(bytes, sizeof bytes, "%012d%" PRIu64, row, lam_random_below(random, 9));
        size = (size_t)lam_field_type_length(leaf);
    }
    cr_assert_eq(lam_put_bytes(sink, leaf, bytes, size, &error), LAM_STATUS_OK);
}

static lam_reader *make_file(const char *shape, lam_encoding encoding,
                             const lam_writer_options *options, lam_buffer *file) {
    lam_random random = lam_random_start((uint64_t)encoding);
    lam_test_writer made = lam_test_write(shape, options);
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(made.writer), 0);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_set_encoding(made.writer, "a", encoding, &error), LAM_STATUS_OK,
                 "%s: %s", shape, error.message);
    for (int row = 0; row < RECORDS; row++) {
        cr_assert_eq(lam_begin(&made.sink, &error), LAM_STATUS_OK);
        if (lam_field_max_definition(leaf) == 0 || lam_random_chance(&random, 70))
            put_random(&made.sink, leaf, row, &random);
        cr_assert_eq(lam_end(&made.sink, &error), LAM_STATUS_OK, "%s", error.message);
    }
    *file = lam_test_written(&made);
    return lam_test_open(file->data, file->size, NULL);
}

static said all;

static void try_encoding(const char *type, const char *repetition, lam_encoding encoding,
                         lam_codec codec, int32_t version) {
    static uint32_t
        ended; /* encodings that have been ended everywhere: one file of each is enough */
    char shape[100], name[200];
    lam_buffer file;
    lam_writer_options options = lam_writer_options_default();
    lam_byte_tiles tiles = {.each = listen, .state = &all};
    options.codec = codec;
    options.data_page_version = version;
    options.page_rows = 400;
    options.row_group_rows = 1000;
    snprintf(shape, sizeof shape, "message m { %s %s a; }", repetition, type);
    snprintf(name, sizeof name, "%s, %s, %s, version %d", shape, lam_encoding_name(encoding),
             lam_codec_name(codec), (int)version);
    lam_reader *reader = make_file(shape, encoding, &options, &file);
    size_t without_bytes = all.without_bytes, exceptions = all.exceptions;
    memset(&all, 0, sizeof all);
    all.without_bytes = without_bytes;
    all.exceptions = exceptions;
    all.leaf = lam_schema_leaf(lam_reader_schema(reader), 0);
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&file), name);
    if ((ended >> encoding & 1) == 0) {
        lam_byte_tiles_expect_ends(lam_buffer_bytes(&file), name);
        for (uint32_t depth = 1; depth < 9; depth++) {
            lam_byte_tiles outline = {.depth = depth};
            lam_byte_tiles_expect(&outline, lam_buffer_bytes(&file), name);
        }
    }
    ended |= 1u << encoding;
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%s: %s", name, tiles.unknown);
    cr_assert_eq(tiles.counts[LAM_BYTE_GAP], 0, "%s", name);
    cr_assert_eq(all.levels, repetition[0] == 'r' ? 0 : RECORDS, "%s", name);
    expect_same(&all, reader, name);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(value_ranges, say_what_the_decoder_reads_in_every_encoding) {
    static const char *const types[] = {"boolean", "int32",  "int64",  "int96",
                                        "float",   "double", "binary", "fixed_len_byte_array(7)"};
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_BROTLI,       LAM_CODEC_ZSTD,   LAM_CODEC_LZ4_RAW};
    size_t tried = 0;
    for (size_t type = 0; type < sizeof types / sizeof types[0]; type++)
        for (int encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++) {
            bool is_written =
                encoding != LAM_ENCODING_PLAIN_DICTIONARY &&
                (type != LAM_PHYSICAL_BOOLEAN || encoding != LAM_ENCODING_RLE_DICTIONARY) &&
                lam_encoding_takes((lam_encoding)encoding, (lam_physical_type)type);
            for (size_t codec = 0; is_written && codec < 6; codec++) {
                if (!lam_codec_is_writable(codecs[codec]))
                    continue;
                for (int32_t version = 1; version <= 2; version++) {
                    try_encoding(types[type], (codec & 1) != 0 ? "required" : "optional",
                                 (lam_encoding)encoding, codecs[codec], version);
                    tried++;
                }
            }
        }
    cr_assert_geq(tried, 25 * 2 * 2);
    cr_assert_gt(all.without_bytes, 0);
    cr_assert_gt(all.exceptions, 0);
}

/* --- Damage -------------------------------------------------------------------------------- */

static lam_status count_one(void *state, const lam_byte_range *range, bool *expand,
                            lam_error *error) {
    (void)range;
    (void)expand;
    (void)error;
    ++*(uint64_t *)state;
    return LAM_STATUS_OK;
}

/* Fails at a range, counted down. */
static lam_status fail_one(void *state, const lam_byte_range *range, bool *expand,
                           lam_error *error) {
    uint64_t *left = state;
    (void)range, (void)expand, (void)error;
    return --*left == 0 ? LAM_STATUS_STATE : LAM_STATUS_OK;
}

/*
 * Bytes of values at random never make many more ranges than there are bytes, and the walk ends at
 * any of them.
 */
Test(value_ranges, any_bytes_are_covered_in_few_ranges) {
    lam_random random = lam_random_start(4711);
    lam_schema *schema = lam_test_schema(
        "message m { required boolean a; required int32 b; required int64 c; required float d; "
        "required double e; required binary f; required fixed_len_byte_array(3) g; }");
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        uint64_t ranges = 0;
        size_t size = 1 + (size_t)lam_random_below(&random, sizeof bytes - 1);
        for (size_t i = 0; i < size; i++)
            bytes[i] = lam_random_chance(&random, 30) ? (uint8_t)lam_random_next(&random)
                                                      : (uint8_t)lam_random_below(&random, 4);
        if (lam_random_chance(&random, 50) && size > 5)
            memcpy(bytes, "\x80\x01\x04", 3); /* the header of differences */
        lam_byte_walk walk = {.visitor = count_one, .state = &ranges};
        lam_byte_view view = {bytes, size, 0};
        lam_byte_values values = {(lam_encoding)lam_random_below(&random, LAM_ENCODING_ALP + 1),
                                  lam_schema_leaf(schema, lam_random_below(&random, 7)),
                                  lam_random_below(&random, UINT32_MAX)};
        cr_assert_eq(lam_byte_values_of(&walk, view, &values, NULL), LAM_STATUS_OK);
        cr_assert_eq(walk.depth, 0);
        cr_assert_leq(ranges, 16 + 8 * size, "round %d", round);
        if (ranges == 0)
            continue;
        uint64_t left = 1 + lam_random_below(&random, ranges);
        lam_byte_walk ended = {.visitor = fail_one, .state = &left};
        cr_assert_eq(lam_byte_values_of(&ended, view, &values, NULL), LAM_STATUS_STATE);
    }
    lam_schema_destroy(schema);
}

/* A stream of 3 bytes may claim 2^31 - 1 strings without bytes. */
Test(value_ranges, many_strings_without_bytes_are_one_range) {
    static const uint8_t bytes[] = {0x80, 0x80, 0x80, 0x80, 0x08, 1, 0xFF,
                                    0xFF, 0xFF, 0xFF, 7,    0,    0, 0};
    uint64_t ranges = 0;
    lam_schema *schema = lam_test_schema("message m { required binary f; }");
    lam_byte_walk walk = {.visitor = count_one, .state = &ranges};
    lam_byte_view view = {bytes, sizeof bytes, 0};
    lam_byte_values values = {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, lam_schema_leaf(schema, 0),
                              INT32_MAX};
    cr_assert_eq(lam_byte_values_of(&walk, view, &values, NULL), LAM_STATUS_OK);
    cr_assert_leq(ranges, 20);
    lam_schema_destroy(schema);
}
