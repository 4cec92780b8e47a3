/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that change one thing in a rich file and name the rules that it breaks. */
#ifndef LAM_TESTS_FORGE_H
#define LAM_TESTS_FORGE_H

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <string.h>

#include "check/findings.h"
#include "check/rich_file.h"
#include "file/file_sample.h"
#include "meta/compact.h"

/* Puts the file together, checks it, and demands exactly these rules, ids with a space between. */
static inline void forge_expect(rich_file *file, const char *rules) {
    rich_file_end(file);
    lam_test_findings found = lam_test_check(file->data.data, file->data.size, NULL);
    cr_assert_str_eq(found.rules, rules, "expected '%s', found '%s': %s", rules, found.rules,
                     found.first);
    rich_file_finish(file);
}

/* How the file is written: one page version, with or without dictionary and checksums. */
static inline lam_writer_options forge_options(int version, bool dictionary, bool crc) {
    lam_writer_options options = lam_writer_options_default();
    options.data_page_version = version;
    options.dictionary = dictionary ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.page_crc = crc ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.statistics = LAM_SWITCH_OFF; /* what is said of the values is the test's own */
    options.page_index = LAM_SWITCH_OFF;
    return options;
}

/* Hands over a file of each page version, with and without dictionary and checksums. */
static inline void forge_each(void (*use)(lam_bytes file, const char *name)) {
    for (int version = 1; version <= 2; version++)
        for (int rest = 0; rest < 4; rest++) {
            rich_file file;
            lam_writer_options options = forge_options(version, rest & 1, rest & 2);
            rich_file_init(&file, &options);
            rich_file_end(&file);
            use(lam_buffer_bytes(&file.data), "a rich file");
            rich_file_finish(&file);
        }
}

/*
 * A test of SUITE: the statements change `file`, where `id`, `name`, `tags` and `x` are the chunks
 * of the first row group, `group`.
 */
#define FORGED(SUITE, TITLE, RULES, ...)                                                           \
    static void SUITE##_##TITLE(rich_file *file, rich_chunk *id, rich_chunk *name,                 \
                                rich_chunk *tags, rich_chunk *x, lam_meta_row_group *group) {      \
        (void)file, (void)id, (void)name, (void)tags, (void)x, (void)group;                        \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    Test(SUITE, TITLE) {                                                                           \
        rich_file file;                                                                            \
        lam_writer_options options = forge_options(1, false, false);                               \
        rich_file_init(&file, &options);                                                           \
        rich_chunk *chunks = file.chunks[0];                                                       \
        SUITE##_##TITLE(&file, &chunks[RICH_ID], &chunks[RICH_NAME], &chunks[RICH_TAGS],           \
                        &chunks[RICH_X], &file.groups[0]);                                         \
        forge_expect(&file, RULES);                                                                \
    }

/* The body of a data page, to be written to; `*ret_size` may be NULL. */
static inline uint8_t *forge_page(rich_file *file, const rich_chunk *chunk, size_t page,
                                  size_t *ret_size) {
    lam_meta_page_header header;
    size_t header_size;
    uint8_t *start = file->data.data + chunk->page_offsets[page];
    lam_bytes bytes = {start, file->data.size - (size_t)chunk->page_offsets[page]};
    cr_assert_eq(lam_meta_read_page_header(bytes, &file->arena, &header, &header_size, NULL),
                 LAM_STATUS_OK);
    if (ret_size != NULL)
        *ret_size = (size_t)header.compressed_page_size;
    return start + header_size;
}

/* The file without anything said of its values. */
static inline void forge_say_nothing(rich_file *file) {
    file->no_indexes = true;
    for (int group = 0; group < RICH_GROUPS; group++) {
        file->groups[group].sorting_columns.count = 0;
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
            file->chunks[group][leaf].column->statistics = NULL;
            file->chunks[group][leaf].column->size_statistics = NULL;
        }
    }
}

/* A file of triples as they stand, which nobody asks whether a record has made them. */
static inline lam_buffer forge_triples(const lam_schema *schema, const lam_writer_options *options,
                                       const lam_triples *columns, size_t rows) {
    lam_test_writer file = lam_test_write_as(schema, options);
    lam_test_put_triples(&file, columns, rows);
    return lam_test_written(&file);
}

/* Two columns of one group that contradict each other in row 1. */
static inline lam_buffer forge_difference(void) {
    lam_writer_options options = forge_options(1, false, false);
    lam_schema *schema =
        lam_test_schema("message m { optional group g { optional int32 a; optional int32 b; } }");
    uint8_t a[3] = {2, 1, 2}, b[3] = {2, 0, 2};
    int32_t values[2] = {7, 8};
    lam_triples columns[2] = {{3, 2, NULL, a, values}, {3, 2, NULL, b, values}};
    lam_buffer file = forge_triples(schema, &options, columns, 3);
    lam_schema_destroy(schema);
    return file;
}

static inline lam_bytes forge_text(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

/* Eight little-endian bytes that live as long as the file. */
static inline lam_bytes forge_number(rich_file *file, uint64_t number) {
    uint8_t *bytes;
    cr_assert_eq(lam_arena_bytes(&file->arena, 8, &bytes, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return (lam_bytes){bytes, 8};
}

static inline lam_bytes forge_double(rich_file *file, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return forge_number(file, bits);
}

#endif
