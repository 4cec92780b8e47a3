/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences that are packed with more bits than their integers have. A column of INT64 is written
 * and then called one of INT32, or of lengths: the sums are the same modulo 2^32.
 */
#include <lamella/record.h>
#include <lamella/writer.h>

#include "check/forge_pages.h"
#include "support/test_file.h"
#include "support/whole_footer.h"

enum { COUNT = 300 };

/* The bits of a page header's encoding follow those of its number of values. */
static void change_encoding(lam_buffer *file, uint64_t page, int32_t encoding) {
    uint8_t *at = file->data + page;
    while (at[0] != 2 * LAM_ENCODING_DELTA_BINARY_PACKED || at[-1] != 0x15)
        at++;
    *at = (uint8_t)(2 * encoding);
}

static void expect_integers(const int64_t *values, int32_t type, int32_t encoding,
                            const char *rules) {
    lam_triples column = {COUNT, COUNT, NULL, NULL, values};
    lam_schema *schema = lam_test_schema("message m { required int64 a; }");
    lam_writer_options options = forge_options(1, false, false);
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_footer footer;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_test_writer written = lam_test_write_as(schema, &options);
    cr_assert_eq(
        lam_writer_set_encoding(written.writer, "a", LAM_ENCODING_DELTA_BINARY_PACKED, NULL),
        LAM_STATUS_OK);
    lam_test_put_triples(&written, &column, COUNT);
    lam_buffer trial = lam_test_written(&written);
    lam_buffer *file = &trial;
    lam_input input = lam_input_memory(file->data, file->size);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
    lam_meta_column *stated =
        (lam_meta_column *)footer.meta.row_groups.items[0].columns.items[0].meta_data;
    ((lam_meta_schema_element *)footer.meta.schema.items)[1].type = type;
    stated->type = type;
    stated->has &= ~(uint32_t)LAM_META_COLUMN_HAS_ENCODING_STATS;
    stated->encodings = (lam_meta_i32_list){&encoding, 1};
    change_encoding(file, (uint64_t)stated->data_page_offset, encoding);
    file->size = (size_t)footer.offset;
    cr_assert_eq(lam_footer_write(&footer.meta, file, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(file->data, file->size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
    lam_arena_finish(&arena);
    lam_buffer_finish(file);
    lam_schema_destroy(schema);
}

/* All 0, but for one that is `odd`. */
static const int64_t *one_of_them(size_t at, int64_t odd) {
    static int64_t values[COUNT];
    memset(values, 0, sizeof values);
    values[at] = odd;
    return values;
}

Test(check_delta, integers_of_32_bits_have_differences_of_32_bits) {
    const int32_t packed = LAM_ENCODING_DELTA_BINARY_PACKED;
    const int64_t wide = INT64_C(1) << 33;
    expect_integers(one_of_them(0, 0), LAM_PHYSICAL_INT32, packed, "");
    expect_integers(one_of_them(150, INT32_MAX), LAM_PHYSICAL_INT32, packed, "");
    expect_integers(one_of_them(0, INT64_MAX), LAM_PHYSICAL_INT64, packed, "");
    for (size_t at = 1; at < COUNT; at++)
        expect_integers(one_of_them(at, wide), LAM_PHYSICAL_INT32, packed, "delta-width");
    expect_integers(one_of_them(COUNT - 1, wide), LAM_PHYSICAL_INT64, packed, "");
}

Test(check_delta, lengths_of_byte_arrays_have_them_too) {
    const int32_t lengths = LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY;
    expect_integers(one_of_them(0, 0), LAM_PHYSICAL_BYTE_ARRAY, lengths, "");
    expect_integers(one_of_them(200, INT64_C(1) << 33), LAM_PHYSICAL_BYTE_ARRAY, lengths,
                    "delta-width");
}

/* --- Pages by hand --------------------------------------------------------------------------- */

/* INT32 in one page for each of the given bytes. */
static void expect_pages(const lam_bytes *pages, size_t count, uint32_t values, const char *rules) {
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    forge.encodings[0] = LAM_ENCODING_DELTA_BINARY_PACKED;
    for (size_t i = 0; i < count; i++) {
        lam_page_sections sections = {.value_count = values, .row_count = values};
        sections.encoding = LAM_ENCODING_DELTA_BINARY_PACKED;
        sections.values = pages[i];
        forge_pages_add(&forge, &sections, 0);
    }
    forge_pages_expect(&forge, (int64_t)(count * values), (int64_t)(count * values), rules, 0);
}

Test(check_delta, wide_differences_are_told_once_in_a_chunk) {
    /* 3 values in a block of 128, in miniblocks of 33 bits. */
    static const uint8_t wide[10 + 132] = {0x80, 1, 4, 3, 0, 0, 33, 0, 0, 0};
    const lam_bytes pages[2] = {{wide, sizeof wide}, {wide, sizeof wide}};
    expect_pages(pages, 2, 3, "delta-width");
}

/* The header speaks of 40 values; the bytes of those that the page has are there. */
Test(check_delta, values_that_no_triple_has_may_be_cut_short) {
    static const uint8_t cut[10 + 4] = {0x80, 1, 4, 40, 0, 0, 1, 2, 0, 0};
    const lam_bytes page = {cut, sizeof cut};
    expect_pages(&page, 1, 3, "page-values");
}

Test(check_delta, a_run_may_be_longer_than_what_is_read_at_once) {
    static const uint8_t lengthy[] = {0x80, 0x40, 1, 3, 0, 2, 0}; /* a block of 8192 */
    const lam_bytes page = {lengthy, sizeof lengthy};
    expect_pages(&page, 1, 3, "");
}
