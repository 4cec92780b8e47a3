/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries and the pages of their indexes. */
#include <lamella/writer.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "check/forge_pages.h"
#include "encoding/dictionary.h"
#include "file/file_sample.h"
#include "meta/meta_schema.h"
#include "page/page.h"

static rich_chunk *with_dictionary(rich_file *file) {
    lam_writer_options options = forge_options(1, true, false);
    rich_file_init(file, &options);
    forge_say_nothing(file);
    return &file->chunks[0][RICH_NAME];
}

/* The first page of names has levels, a bit width of 3, and one run of 3 groups of indexes. */
Test(check_dictionary, an_index_beyond_the_dictionary_is_found) {
    rich_file file;
    size_t size;
    rich_chunk *name = with_dictionary(&file);
    uint8_t *body = forge_page(&file, name, 0, &size);
    size_t levels = 4 + (size_t)body[0];
    cr_assert_eq(body[levels], 3, "the bit width");
    body[levels + 2] |= 7; /* of 7 entries */
    forge_expect(&file, "dictionary-index");
}

Test(check_dictionary, a_dictionary_that_does_not_decode_is_found) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    uint8_t *page = file.data.data + name->column->dictionary_page_offset;
    uint8_t *entries = page;
    while (memcmp(entries, "n0", 2) != 0)
        entries++;
    entries[-4] = 0x7F;
    forge_expect(&file, "dictionary-page");
}

Test(check_dictionary, a_dictionary_of_more_entries_than_bytes_is_found) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    uint8_t *at = file.data.data + name->column->dictionary_page_offset;
    while (at[0] != 0x15 || at[1] != 14) /* zigzag 7 */
        at++;
    at[1] = 120;
    forge_expect(&file, "dictionary-page");
}

/*
 * Makes a V1 data page one of a dictionary: the type, and the id of the struct, which is 2 more and
 * begins with the same two fields.
 */
static void make_dictionary(rich_file *file, size_t offset) {
    lam_allocator heap = lam_allocator_default();
    lam_bytes bytes = {file->data.data + offset, file->data.size - offset};
    lam_meta_page_header header = {.type = -1};
    lam_arena arena;
    size_t before, size = 0;
    lam_arena_init(&arena, &heap, 0);
    cr_assert_eq(lam_meta_read_page_header(bytes, &arena, &header, &before, NULL), LAM_STATUS_OK);
    file->data.data[offset + 1] = 2 * LAM_PAGE_DICTIONARY;
    for (size_t i = offset + 2; size != before; i++) {
        cr_assert_lt(i, offset + before);
        file->data.data[i] += 0x20;
        if (lam_meta_read_page_header(bytes, &arena, &header, &size, NULL) != LAM_STATUS_OK)
            size = 0;
        if (size != before)
            file->data.data[i] -= 0x20;
    }
    lam_arena_finish(&arena);
}

Test(check_dictionary, there_is_one_dictionary_page) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    make_dictionary(&file, (size_t)name->page_offsets[2]);
    forge_expect(&file, "dictionary-place chunk-values chunk-rows");
}

static void move(int64_t *offset, int64_t location) {
    *offset += *offset > location;
}

/* Puts a byte into the data, and everything behind it a byte further. */
static void insert(rich_file *file, rich_chunk *within, size_t location, uint8_t byte) {
    cr_assert_eq(lam_buffer_append_byte(&file->data, 0, NULL), LAM_STATUS_OK);
    uint8_t *at = file->data.data + location;
    memmove(at + 1, at, file->data.size - location - 1);
    *at = byte;
    for (int group = 0; group < RICH_GROUPS; group++) {
        move(&file->groups[group].file_offset, (int64_t)location);
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
            lam_meta_column *column = file->chunks[group][leaf].column;
            move(&column->data_page_offset, (int64_t)location);
            move(&column->dictionary_page_offset, (int64_t)location);
        }
    }
    within->column->total_compressed_size++;
    within->column->total_uncompressed_size++;
    file->groups[0].total_compressed_size++;
    file->groups[0].total_byte_size++;
}

/*
 * is_sorted is field 3, behind the number of values and the encoding. The entries are n00, n01,
 * n02, n03, n05, n06, n04.
 */
static void expect_sorted(char last, const char *rules) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    size_t at = (size_t)name->column->dictionary_page_offset;
    while (memcmp(file.data.data + at, "\x15\x0E\x15\x00", 4) != 0)
        at++;
    uint8_t *entry = file.data.data + at;
    while (memcmp(entry, "n04", 3) != 0)
        entry++;
    entry[2] = (uint8_t)last;
    insert(&file, name, at + 4, 0x11);
    forge_expect(&file, rules);
}

Test(check_dictionary, a_dictionary_that_claims_to_be_sorted_is) {
    expect_sorted('7', "");
    expect_sorted('6', "");
    expect_sorted('4', "dictionary-sorted");
}

/* --- Many long values of few bytes ----------------------------------------------------------- */

enum { ENTRIES = 64, LENGTH = 256 << 10, VALUES = 1 << 22 };

/* A dictionary of texts that differ in their last byte, and a page of all its indexes in turn. */
static size_t write_pages(lam_buffer *out, uint64_t *ret_uncompressed) {
    lam_allocator allocator = lam_allocator_default();
    lam_codec_context *codecs;
    lam_page_writer pages;
    lam_buffer texts, values;
    uint32_t *indexes = malloc(VALUES * sizeof *indexes);
    uint64_t uncompressed;
    uint8_t size[4];
    lam_buffer_init(&texts, &allocator);
    lam_buffer_init(&values, &allocator);
    cr_assert_eq(lam_codec_context_create(&allocator, &codecs, NULL), LAM_STATUS_OK);
    lam_page_writer_init(&pages, LAM_CODEC_ZSTD, 1, 1, true, codecs, &allocator);
    lam_store_le32(size, LENGTH);
    for (size_t i = 0; i < ENTRIES; i++) {
        cr_assert_eq(lam_buffer_append(&texts, size, sizeof size, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_buffer_reserve(&texts, LENGTH, NULL), LAM_STATUS_OK);
        memset(texts.data + texts.size, 'a', LENGTH);
        texts.size += LENGTH;
        texts.data[texts.size - 1] = (uint8_t)('0' + i);
    }
    for (size_t i = 0; i < VALUES; i++)
        indexes[i] = (uint32_t)(i * 37 % ENTRIES);
    cr_assert_eq(
        lam_dictionary_write_indexes(lam_kernels_get(), indexes, VALUES, ENTRIES, &values, NULL),
        LAM_STATUS_OK);
    lam_page_sections sections = {.value_count = VALUES,
                                  .row_count = VALUES,
                                  .encoding = LAM_ENCODING_RLE_DICTIONARY,
                                  .values = lam_buffer_bytes(&values)};
    cr_assert_eq(lam_page_write_dictionary(&pages, ENTRIES, lam_buffer_bytes(&texts), out,
                                           ret_uncompressed, NULL),
                 LAM_STATUS_OK);
    size_t data_offset = out->size;
    cr_assert_eq(lam_page_write_data(&pages, &sections, out, &uncompressed, NULL), LAM_STATUS_OK);
    *ret_uncompressed += uncompressed;
    lam_page_writer_finish(&pages);
    lam_codec_context_destroy(codecs);
    lam_buffer_finish(&texts);
    lam_buffer_finish(&values);
    free(indexes);
    return data_offset;
}

/* Looked at one by one, these values would be a terabyte. */
Test(check_dictionary, long_entries_are_looked_at_once_and_not_for_every_value) {
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE,
                                        LAM_ENCODING_RLE_DICTIONARY};
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = lam_test_schema("message m { required binary a (STRING); }");
    lam_buffer out;
    lam_arena arena;
    uint64_t uncompressed;
    lam_buffer_init(&out, &allocator);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_buffer_append(&out, "PAR1", 4, NULL), LAM_STATUS_OK);
    size_t data_offset = write_pages(&out, &uncompressed);
    lam_bytes path = forge_text("a");
    lam_meta_column column = {.type = LAM_PHYSICAL_BYTE_ARRAY,
                              .codec = LAM_CODEC_ZSTD - 1,
                              .num_values = VALUES,
                              .data_page_offset = (int64_t)data_offset,
                              .dictionary_page_offset = 4,
                              .encodings = {encodings, 3},
                              .path_in_schema = {&path, 1}};
    column.has = LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    column.total_compressed_size = (int64_t)out.size - 4;
    column.total_uncompressed_size = (int64_t)uncompressed;
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {.columns = {&chunk, 1}, .num_rows = VALUES};
    group.total_byte_size = (int64_t)uncompressed;
    lam_meta_file meta = {.version = 1, .num_rows = VALUES, .row_groups = {&group, 1}};
    meta.has = LAM_META_FILE_HAS_CREATED_BY;
    meta.created_by = forge_text("test version 1");
    cr_assert_eq(lam_meta_schema_export(schema, &arena, &meta.schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &out, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(out.data, out.size, NULL);
    cr_assert_str_eq(found.rules, "", "%s", found.first);
    cr_assert_eq(found.totals.values, VALUES);
    lam_arena_finish(&arena);
    lam_buffer_finish(&out);
    lam_schema_destroy(schema);
}

/* --- Dictionaries by hand -------------------------------------------------------------------- */

/* A dictionary whose header says that its entries are sorted. */
static void put_sorted(forge_pages *forge, int32_t count, lam_bytes values) {
    lam_meta_dictionary_page_header dictionary = {.has =
                                                      LAM_META_DICTIONARY_PAGE_HEADER_HAS_IS_SORTED,
                                                  .num_values = count,
                                                  .is_sorted = true};
    lam_meta_page_header header = {.type = LAM_PAGE_DICTIONARY,
                                   .uncompressed_page_size = (int32_t)values.size,
                                   .compressed_page_size = (int32_t)values.size,
                                   .dictionary_page_header = &dictionary};
    cr_assert_eq(lam_meta_write_page_header(&header, &forge->made.pages, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&forge->made.pages, values.data, values.size, NULL),
                 LAM_STATUS_OK);
}

/* A chunk of one value, number 0 of a dictionary of these bytes. */
static void expect_dictionary(const char *schema, bool is_sorted, uint32_t count, lam_bytes values,
                              const lam_check_options *options, const char *rules) {
    static const uint8_t index[] = {1, 2, 0};
    forge_pages forge;
    lam_page_sections sections = {.value_count = 1, .row_count = 1};
    sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
    sections.values = (lam_bytes){index, sizeof index};
    forge_pages_start(&forge, schema, 1);
    forge.encodings[0] = LAM_ENCODING_RLE_DICTIONARY;
    forge.encodings[1] = LAM_ENCODING_PLAIN;
    forge.order = LAM_META_COLUMN_ORDER_TYPE;
    if (is_sorted)
        put_sorted(&forge, (int32_t)count, values);
    else
        lam_hand_made_dictionary(&forge.made, count, values);
    forge_pages_add(&forge, &sections, 0);
    lam_buffer file = forge_pages_file(&forge, 1, 1);
    lam_test_findings found = lam_test_check(file.data, file.size, options);
    cr_expect_str_eq(found.rules, rules, "%s: found '%s': %s", schema, found.rules, found.last);
    lam_buffer_finish(&file);
}

#define BYTES(array)                                                                               \
    (lam_bytes) {                                                                                  \
        array, sizeof array                                                                        \
    }

Test(check_dictionary, booleans_have_none) {
    static const uint8_t bits[1] = {2};
    expect_dictionary("message m { required boolean a; }", false, 2, BYTES(bits), NULL,
                      "unsupported dictionary-offset unchecked");
}

Test(check_dictionary, an_index_into_none_is_found) {
    expect_dictionary("message m { required binary a; }", false, 0, (lam_bytes){NULL, 0}, NULL,
                      "dictionary-index dictionary-offset");
    expect_dictionary("message m { required int32 a; }", false, 0, (lam_bytes){NULL, 0}, NULL,
                      "dictionary-index dictionary-offset");
}

/* Four bytes each in the file, and more in memory. */
Test(check_dictionary, many_short_entries_are_above_the_memory_limit) {
    static const uint8_t zeros[4 * 5000];
    lam_check_options options = lam_check_options_default();
    options.memory_limit = 5000 * sizeof(lam_bytes) / 2;
    expect_dictionary("message m { required binary a; }", false, 5000, BYTES(zeros), &options,
                      "limit dictionary-offset unchecked");
}

/* NaNs have no place in the order of a type, and some types have no order. */
Test(check_dictionary, what_has_no_order_is_not_found_unsorted) {
    /* 2, NaN, 1, and 2, 1 of which the second is less. */
    static const uint8_t floats[12] = {0, 0, 0, 0x40, 0, 0, 0xC0, 0x7F, 0, 0, 0x80, 0x3F};
    static const uint8_t less[8] = {0, 0, 0, 0x40, 0, 0, 0x80, 0x3F};
    static const uint8_t wide[24] = {2, [12] = 1};
    expect_dictionary("message m { required float a; }", true, 3, BYTES(floats), NULL,
                      "dictionary-offset");
    expect_dictionary("message m { required float a; }", true, 2, BYTES(less), NULL,
                      "dictionary-sorted dictionary-offset");
    expect_dictionary("message m { required int96 a; }", true, 2, BYTES(wide), NULL,
                      "dictionary-offset");
}
