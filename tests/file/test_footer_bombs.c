/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Footers of a few bytes that declare lists and groups of billions, or that are nested and wide
 * beyond all use: refused, or read within the memory limit.
 */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file_sample.h"
#include "file/read/footer.h"
#include "file/read_everything.h"
#include "support/failing_alloc.h"
#include "support/stopwatch.h"

/* What may be held for a footer that is smaller than that. */
enum { LITTLE = 1 << 20 };

static lam_buffer empty_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void append(lam_buffer *out, const void *data, size_t size) {
    cr_assert_eq(lam_buffer_append(out, data, size, NULL), LAM_STATUS_OK);
}

static lam_buffer end_file(lam_buffer footer) {
    lam_buffer file = empty_buffer();
    uint8_t size[4] = {(uint8_t)footer.size, (uint8_t)(footer.size >> 8),
                       (uint8_t)(footer.size >> 16), (uint8_t)(footer.size >> 24)};
    append(&file, "PAR1", 4);
    append(&file, footer.data, footer.size);
    append(&file, size, sizeof size);
    append(&file, "PAR1", 4);
    lam_buffer_finish(&footer);
    return file;
}

static lam_everything expect_not_opened(lam_buffer file, const char *name) {
    lam_input input = lam_input_memory(file.data, file.size);
    lam_stopwatch_start(name);
    lam_everything all = lam_read_everything(&input, name);
    lam_stopwatch_stop();
    cr_assert(all.opened == LAM_STATUS_CORRUPT || all.opened == LAM_STATUS_LIMIT ||
                  all.opened == LAM_STATUS_UNSUPPORTED,
              "%s: %s", name, lam_status_name(all.opened));
    lam_buffer_finish(&file);
    return all;
}

/* `field` is the head of a list in FileMetaData, which is all there is behind it. */
Test(footer_bombs, lists_of_more_elements_than_bytes_are_refused) {
    static const struct {
        const char *bytes;
        size_t size;
    } starts[] = {
        {"\x15\x02\x19", 3},                              /* schema */
        {"\x15\x02\x29\x1C\x00\x16\x00\x19", 8},          /* row_groups */
        {"\x15\x02\x29\x1C\x00\x16\x00\x19\x0C\x19", 10}, /* key_value_metadata */
        {"\x15\x02\x29\x1C\x00\xF9", 6},                  /* a list that nobody knows */
        {"\x15\x02\x29\x1C\x00\xFA", 6},                  /* a set */
    };
    static const char *const counts[] = {"\xFC\xFF\xFF\xFF\xFF\x07",
                                         "\xFC\xFF\xFF\xFF\xFF\x0F",
                                         "\xFC\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
                                         "\xF1\xFF\xFF\xFF\xFF\x07",
                                         "\xF9\xFF\xFF\xFF\xFF\x07",
                                         "\xF8\xFF\xFF\xFF\xFF\x07"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            lam_buffer footer = empty_buffer();
            static const uint8_t rest[4000];
            append(&footer, starts[i].bytes, starts[i].size);
            append(&footer, counts[c], strlen(counts[c]));
            append(&footer, rest, c % 2 == 0 ? sizeof rest : 10);
            lam_everything all = expect_not_opened(end_file(footer), "list");
            cr_assert_lt(all.peak_bytes, LITTLE, "%zu bytes", all.peak_bytes);
        }
    }
}

/* Structs in structs, and lists in lists, that nobody knows. */
Test(footer_bombs, metadata_nested_without_end_is_refused) {
    static const char *const heads[] = {"\x1C", "\x19\x19", "\x19", "\x1B\x01\x8B"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        lam_buffer footer = empty_buffer();
        append(&footer, "\xEC", 1); /* field 14, a struct */
        for (int depth = 0; depth < 1000000; depth++)
            append(&footer, heads[i], strlen(heads[i]));
        expect_not_opened(end_file(footer), "nesting");
    }
}

/* A schema of `count` elements below the root: one below the other, or side by side. */
static lam_buffer write_schema(uint32_t count, bool deep) {
    lam_meta_schema_element *schema = calloc(count + 1, sizeof *schema);
    cr_assert_not_null(schema);
    for (uint32_t i = 0; i <= count; i++) {
        bool is_group = i == 0 || (deep && i < count);
        schema[i].name = (lam_bytes){(const uint8_t *)"a", 1};
        schema[i].has =
            is_group ? LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN : LAM_META_SCHEMA_ELEMENT_HAS_TYPE;
        schema[i].has |= i > 0 ? LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE : 0;
        schema[i].repetition_type = LAM_REPETITION_OPTIONAL;
        schema[i].type = LAM_PHYSICAL_INT32;
        schema[i].num_children = is_group ? (deep ? 1 : (int32_t)count) : 0;
    }
    lam_meta_file meta = {.version = 1, .schema = {schema, count + 1}};
    lam_buffer file = empty_buffer();
    append(&file, "PAR1", 4);
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    free(schema);
    return file;
}

Test(footer_bombs, a_schema_10000_deep_is_refused) {
    expect_not_opened(write_schema(10000, true), "deep schema");
    expect_not_opened(write_schema(1000000, true), "deeper schema");
}

Test(footer_bombs, a_schema_a_million_wide_is_refused_or_read_within_the_limit) {
    static const uint32_t widths[] = {50000, 1000000};
    for (size_t i = 0; i < 2; i++) {
        lam_buffer file = write_schema(widths[i], false);
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        options.allocator = &allocator;
        lam_input input = lam_input_memory(file.data, file.size);
        lam_reader *reader = NULL;
        lam_error error = lam_error_none();
        lam_stopwatch_start("wide schema");
        lam_status status = lam_reader_open(&input, &options, &reader, &error);
        cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_LIMIT && i > 0), "%s",
                  error.message);
        if (status == LAM_STATUS_OK)
            cr_assert_eq(lam_schema_leaf_count(lam_reader_schema(reader)), widths[i]);
        lam_reader_close(reader);
        lam_stopwatch_stop();
        cr_assert_lt(counter.peak_bytes, (size_t)256 << 20, "%zu bytes", counter.peak_bytes);
        cr_assert_eq(counter.live_bytes, 0);
        lam_buffer_finish(&file);
    }
}

/* More children than there are elements. */
Test(footer_bombs, groups_of_more_children_than_elements_are_refused) {
    static const int32_t counts[] = {INT32_MAX, INT32_MIN, -1, 1000000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        lam_meta_schema_element schema[2] = {
            {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN, .name = {(const uint8_t *)"m", 1}}};
        schema[1] = schema[0];
        schema[0].num_children = counts[i];
        schema[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        schema[1].num_children = counts[3 - i];
        lam_meta_file meta = {.version = 1, .schema = {schema, 2}};
        lam_buffer file = empty_buffer();
        append(&file, "PAR1", 4);
        cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
        expect_not_opened(file, "children");
    }
}
