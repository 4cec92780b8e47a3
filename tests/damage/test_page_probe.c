/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of which only the header is known: what they can be, and what they cannot. */
#include "damage/unfinished/page_probe.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

#include "file/file_sample.h"
#include "meta/compact.h"
#include "schema/tree.h"
#include "support/ending_input.h"

enum { BODY_MOST = 4000, LIMIT = 1 << 20, GAP_SECTOR = 4096 };

/* A page V1 without a codec, at the start of a file. */
typedef struct probed_page {
    lam_buffer bytes;
    lam_walked_page page;
} probed_page;

static void make_page(probed_page *made, lam_encoding encoding, int32_t value_count,
                      lam_bytes body) {
    const lam_meta_data_page_header data = {.num_values = value_count,
                                            .encoding = encoding,
                                            .definition_level_encoding = LAM_ENCODING_RLE,
                                            .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA,
                                   .uncompressed_page_size = (int32_t)body.size,
                                   .compressed_page_size = (int32_t)body.size,
                                   .data_page_header = &data};
    lam_allocator heap = lam_allocator_default();
    memset(made, 0, sizeof *made);
    lam_buffer_init(&made->bytes, &heap);
    cr_assert_eq(lam_meta_write_page_header(&header, &made->bytes, NULL), LAM_STATUS_OK);
    made->page.header_size = (uint32_t)made->bytes.size;
    cr_assert(lam_walked_page_fill(&header, &made->page));
    cr_assert_eq(lam_buffer_append(&made->bytes, body.data, body.size, NULL), LAM_STATUS_OK);
}

static lam_status probe_rows(const probed_page *made, const lam_input *input, const char *shape,
                             uint64_t limit, lam_page_fit *fit, lam_error *error) {
    lam_allocator heap = lam_allocator_default();
    lam_schema *schema = lam_test_schema(shape);
    lam_page_probe probe;
    cr_assert_eq(lam_page_probe_init(&probe, input, NULL, limit, NULL, &heap, NULL), LAM_STATUS_OK);
    lam_status status = lam_page_probe_rows(&probe, &made->page, lam_leaf_at(schema, 0),
                                            LAM_CODEC_UNCOMPRESSED, fit, error);
    lam_page_probe_finish(&probe);
    lam_schema_destroy(schema);
    return status;
}

#define BODY(literal)                                                                              \
    { (const uint8_t *)(literal), sizeof(literal) - 1 }

Test(page_probe, a_page_fits_a_leaf_with_as_many_values_as_its_bytes_hold) {
    static const char text[] = "message m { optional binary s; }";
    static const struct {
        const char *shape;
        lam_bytes body; /* of three values */
        bool fits;
    } cases[] = {
        {text, BODY("\2\0\0\0\6\1\1\0\0\0a\2\0\0\0bc\0\0\0\0"), true},
        {text, BODY("\2\0\0\0\6\1\1\0\0\0a\2\0\0\0bc\0\0"), false},      /* half of a length */
        {text, BODY("\2\0\0\0\6\1\1\0\0\0a\2\0\0\0bc\1\0\0\0"), false},  /* too short a string */
        {text, BODY("\2\0\0\0\6\1\1\0\0\0a\2\0\0\0bc\0\0\0\0x"), false}, /* bytes behind */
        {text, BODY("\2\0\0\0\6\0"), true},                              /* three nulls */
        {text, BODY("\2\0\0\0\6\0x"), false},                            /* and a byte */
        {"message m { required boolean b; }", BODY("\5"), true},
        {"message m { required boolean b; }", BODY("\5\5"), false},
        {"message m { required int32 a; }", BODY("abcdefghijkl"), true},
        {"message m { required int32 a; }", BODY("abcdefghijk"), false},
        {"message m { optional group g { optional int32 a; } }", BODY("\2\0\0\0\6\1"), true},
        {"message m { optional group g { optional int32 a; } }", BODY("\2\0\0\0\6\3"), false},
        {"message m { repeated int32 a; }", BODY("\2\0\0\0\6\0\2\0\0\0\6\0"), true},
        {"message m { repeated group g { repeated int32 a; } }", BODY("\2\0\0\0\6\3\2\0\0\0\6\0"),
         false}, /* repeats at no field */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        probed_page made;
        lam_page_fit fit;
        make_page(&made, LAM_ENCODING_PLAIN, 3, cases[i].body);
        lam_input input = lam_input_memory(made.bytes.data, made.bytes.size);
        cr_assert_eq(probe_rows(&made, &input, cases[i].shape, LIMIT, &fit, NULL), LAM_STATUS_OK);
        cr_assert_eq(fit.fits, cases[i].fits, "%zu", i);
        if (fit.fits)
            cr_assert(fit.rows == 3 && fit.begins, "%zu", i);
        lam_buffer_finish(&made.bytes);
    }
}

/* Levels are decoded in pieces: the first one says how the page begins. */
Test(page_probe, a_page_of_many_levels_begins_as_its_first_one_does) {
    for (int begins = 0; begins < 2; begins++) {
        /* One level, then 1999 of 0: runs, then as many definition levels. */
        uint8_t body[] = {5, 0, 0, 0, 2, 1, 0x9E, 0x1F, 0, 3, 0, 0, 0, 0xA0, 0x1F, 0};
        probed_page made;
        lam_page_fit fit;
        body[5] = (uint8_t)!begins;
        make_page(&made, LAM_ENCODING_PLAIN, 2000, (lam_bytes){body, sizeof body});
        lam_input input = lam_input_memory(made.bytes.data, made.bytes.size);
        cr_assert_eq(
            probe_rows(&made, &input, "message m { repeated int32 a; }", LIMIT, &fit, NULL),
            LAM_STATUS_OK);
        cr_assert(fit.fits && fit.begins == (begins != 0));
        cr_assert_eq(fit.rows, 1999u + (unsigned)begins);
        lam_buffer_finish(&made.bytes);
    }
}

/* A page of 2^31 levels in one run was counted to its end, for seconds. */
Test(page_probe, a_stop_ends_the_counting_of_levels) {
    probed_page made;
    const uint8_t levels[] = {6, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0};
    const lam_stop stop = {.requested = 1};
    lam_allocator heap = lam_allocator_default();
    lam_schema *schema = lam_test_schema("message m { optional binary s; }");
    lam_page_probe probe;
    lam_page_fit fit;
    lam_error error = lam_error_none();
    make_page(&made, LAM_ENCODING_PLAIN, INT32_MAX, (lam_bytes){levels, sizeof levels});
    lam_input input = lam_input_memory(made.bytes.data, made.bytes.size);
    cr_assert_eq(lam_page_probe_init(&probe, &input, NULL, LIMIT, &stop, &heap, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_page_probe_rows(&probe, &made.page, lam_leaf_at(schema, 0),
                                     LAM_CODEC_UNCOMPRESSED, &fit, &error),
                 LAM_STATUS_CANCELLED);
    cr_expect_eq(error.code, LAM_ERROR_CODE_CANCELLED);
    lam_page_probe_finish(&probe);
    lam_schema_destroy(schema);
    lam_buffer_finish(&made.bytes);
}

Test(page_probe, what_is_no_fault_of_the_page_is_reported) {
    static const uint8_t body[BODY_MOST] = {0};
    static const char shape[] = "message m { required int32 a; }";
    probed_page made;
    lam_page_fit fit;
    lam_error error = lam_error_none();
    make_page(&made, LAM_ENCODING_PLAIN, BODY_MOST / 4, (lam_bytes){body, sizeof body});
    lam_ending_input ending = {.file = lam_buffer_bytes(&made.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    cr_assert_eq(probe_rows(&made, &input, shape, LIMIT, &fit, NULL), LAM_STATUS_OK);
    cr_assert(fit.fits && fit.rows == BODY_MOST / 4);
    size_t reads = ending.reads;
    for (size_t number = 1; number <= reads; number++) {
        lam_ending_input_again(&ending, number, 0);
        cr_assert_eq(probe_rows(&made, &input, shape, LIMIT, &fit, NULL), LAM_STATUS_IO);
        lam_ending_input_again(&ending, number, 0);
        cr_assert_eq(probe_rows(&made, &input, shape, LIMIT, &fit, &error), LAM_STATUS_IO);
        cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
    }
    lam_ending_input_again(&ending, 0, 0);
    cr_assert_eq(probe_rows(&made, &input, shape, 1000, &fit, &error), LAM_STATUS_LIMIT);
    lam_buffer_finish(&made.bytes);
}

/* --- Bytes that cannot be read --------------------------------------------------------------- */

/* A probe of a file whose second sector cannot be read, and is passed. */
typedef struct gap_probe {
    lam_ending_input ending;
    lam_input input;
    lam_patched_input patched;
    lam_page_probe probe;
} gap_probe;

static void gap_probe_begin(gap_probe *gap, lam_bytes file) {
    lam_allocator heap = lam_allocator_default();
    gap->ending =
        (lam_ending_input){.file = file, .gap_begin = GAP_SECTOR, .gap_end = GAP_SECTOR + 1};
    gap->input = lam_ending_input_of(&gap->ending);
    lam_patched_input_init(&gap->patched, &gap->input, &heap);
    gap->patched.passes_gaps = true;
    cr_assert_eq(lam_page_probe_init(&gap->probe, &gap->patched.input, &gap->patched, LIMIT, NULL,
                                     &heap, NULL),
                 LAM_STATUS_OK);
}

static void gap_probe_end(gap_probe *gap) {
    lam_page_probe_finish(&gap->probe);
    lam_patched_input_finish(&gap->patched);
}

static lam_page_fit fit_beside_gap(const probed_page *made, const char *shape) {
    lam_schema *schema = lam_test_schema(shape);
    gap_probe gap;
    lam_page_fit fit;
    gap_probe_begin(&gap, lam_buffer_bytes(&made->bytes));
    cr_assert_eq(lam_page_probe_rows(&gap.probe, &made->page, lam_leaf_at(schema, 0),
                                     LAM_CODEC_UNCOMPRESSED, &fit, NULL),
                 LAM_STATUS_OK);
    gap_probe_end(&gap);
    lam_schema_destroy(schema);
    return fit;
}

/* Levels of 0 in their stead would be rows that are not there. */
Test(page_probe, a_page_that_is_read_in_part_has_the_rows_that_its_header_says) {
    enum { LEVELS = 64 << 10, GROUPS = LEVELS / 8 };
    static uint8_t body[2 * (4 + 3 + GROUPS)]; /* a bit-packed run each of both levels */
    const char *repeated = "message m { repeated int32 a; }";
    const char *flat = "message m { optional int32 a; }";
    probed_page made;
    for (size_t at = 0; at < sizeof body; at += sizeof body / 2) {
        const uint8_t run[] = {3 + GROUPS % 256, (3 + GROUPS) / 256, 0, 0, 0x81, 0x80, 1};
        memcpy(body + at, run, sizeof run);
    }
    make_page(&made, LAM_ENCODING_PLAIN, LEVELS, (lam_bytes){body, sizeof body});
    lam_input input = lam_input_memory(made.bytes.data, made.bytes.size);
    lam_page_fit fit;
    cr_assert_eq(probe_rows(&made, &input, repeated, LIMIT, &fit, NULL), LAM_STATUS_OK);
    cr_assert(fit.fits && fit.rows == LEVELS);
    cr_assert(!fit_beside_gap(&made, repeated).fits);
    fit = fit_beside_gap(&made, flat);
    cr_assert(fit.fits && fit.begins && fit.rows == LEVELS);
    made.page.type = LAM_PAGE_DATA_V2;
    made.page.row_count = 9;
    fit = fit_beside_gap(&made, repeated);
    cr_assert(fit.fits && fit.begins && fit.rows == 9);
    made.page.row_count = -1;
    cr_assert(!fit_beside_gap(&made, repeated).fits);
    lam_buffer_finish(&made.bytes);
}

/* --- Codecs ---------------------------------------------------------------------------------- */

static lam_status probe_codec(const lam_input *input, const lam_walked_page *page, uint64_t limit,
                              lam_codec *codec, lam_error *error) {
    lam_allocator heap = lam_allocator_default();
    lam_page_probe probe;
    cr_assert_eq(lam_page_probe_init(&probe, input, NULL, limit, NULL, &heap, NULL), LAM_STATUS_OK);
    lam_status status = lam_page_probe_codec(&probe, page, 1, codec, error);
    lam_page_probe_finish(&probe);
    return status;
}

/* Where no page shows what it was compressed with, it was not compressed. */
Test(page_probe, a_page_that_shows_no_codec_leaves_all) {
    static const uint8_t bytes[400] = {0xEE, 0xEE, 0xEE, 0xEE};
    lam_input input = lam_input_memory(bytes, sizeof bytes);
    const lam_walked_page page = {.header_size = 20,
                                  .compressed_size = 100,
                                  .uncompressed_size = 200,
                                  .type = LAM_PAGE_DATA,
                                  .is_compressed = true,
                                  .is_sound = true};
    lam_walked_page pages[8];
    lam_codec codec;
    lam_error error = lam_error_none();
    for (size_t i = 0; i < 8; i++)
        pages[i] = page;
    pages[0].is_sound = false;
    pages[1].compressed_size = 0;
    pages[2].uncompressed_size = 0;
    pages[3].is_compressed = false;
    pages[4].type = pages[5].type = pages[6].type = LAM_PAGE_DATA_V2;
    pages[4].definition_bytes = -1;
    pages[5].repetition_bytes = 100; /* all of it */
    pages[6].definition_bytes = 90;
    pages[6].repetition_bytes = 120;
    pages[7].compressed_size = 300;
    for (size_t i = 0; i < 8; i++) {
        cr_assert_eq(probe_codec(&input, &pages[i], 250, &codec, NULL), LAM_STATUS_OK, "%zu", i);
        cr_assert_eq(codec, LAM_CODEC_UNCOMPRESSED, "%zu", i);
    }
    cr_assert_eq(probe_codec(&input, &page, 150, &codec, NULL), LAM_STATUS_OK);
    cr_assert_eq(probe_codec(&input, &page, LIMIT, &codec, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "no codec uncompresses all pages of the file");
}

Test(page_probe, a_page_that_cannot_be_read_shows_nothing) {
    static const uint8_t bytes[400] = {0};
    lam_ending_input ending = {.file = {bytes, sizeof bytes}, .fail_at = 1};
    lam_input input = lam_ending_input_of(&ending);
    lam_error error = lam_error_none();
    lam_codec codec;
    const lam_walked_page page = {.header_size = 20,
                                  .compressed_size = 100,
                                  .uncompressed_size = 200,
                                  .is_compressed = true,
                                  .is_sound = true};
    cr_assert_eq(probe_codec(&input, &page, LIMIT, &codec, &error), LAM_STATUS_IO);
    cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
}

Test(page_probe, a_page_that_is_read_in_part_shows_no_codec) {
    static const uint8_t bytes[3 * GAP_SECTOR] = {0xEE, 0xEE, 0xEE, 0xEE};
    lam_input input = lam_input_memory(bytes, sizeof bytes);
    gap_probe gap;
    lam_codec codec = LAM_CODEC_DEFAULT;
    const lam_walked_page page = {.header_size = 20,
                                  .compressed_size = 2 * GAP_SECTOR,
                                  .uncompressed_size = 200,
                                  .is_compressed = true,
                                  .is_sound = true};
    cr_assert_eq(probe_codec(&input, &page, LIMIT, &codec, NULL), LAM_STATUS_CORRUPT);
    gap_probe_begin(&gap, (lam_bytes){bytes, sizeof bytes});
    cr_assert_eq(lam_page_probe_codec(&gap.probe, &page, 1, &codec, NULL), LAM_STATUS_OK);
    cr_assert_eq(codec, LAM_CODEC_UNCOMPRESSED); /* as where no page shows one */
    gap_probe_end(&gap);
}
