/* SPDX-License-Identifier: Apache-2.0 */
/* How often the memory of a page that is read moves: callers may lend it, and no page grows. */
#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

#include "page/page_sample.h"
#include "support/failing_alloc.h"

#define OPTIONAL "message m { optional int32 a; }"

/* The page grew, by the one byte that codecs are given at least, and moved behind its levels. */
Test(page_memory, a_page_of_long_levels_and_an_empty_frame_takes_memory_once) {
    enum { RUNS = 200, NULLS = 8 * RUNS };
    uint8_t body[2 * RUNS + 1]; /* runs of eight nulls, and what SNAPPY makes of no bytes */
    const lam_meta_data_page_header_v2 v2 = {.num_values = NULLS,
                                             .num_nulls = NULLS,
                                             .num_rows = NULLS,
                                             .encoding = LAM_ENCODING_PLAIN,
                                             .definition_levels_byte_length = 2 * RUNS,
                                             .is_compressed = true};
    const lam_meta_page_header header = {.type = LAM_PAGE_DATA_V2,
                                         .uncompressed_page_size = 2 * RUNS,
                                         .compressed_page_size = sizeof body,
                                         .data_page_header_v2 = &v2};
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_page_sample sample;
    lam_page_reader reader;
    lam_page page;
    memset(body, 0, sizeof body);
    for (size_t i = 0; i < RUNS; i++)
        body[2 * i] = 8 << 1;
    lam_page_sample_init(&sample, OPTIONAL, LAM_CODEC_SNAPPY, 2, false);
    lam_page_reader_init(&reader, lam_kernels_get(), LAM_CODEC_SNAPPY, sample.leaf, false, 1 << 20,
                         sample.codecs, &allocator);
    cr_assert_eq(lam_page_read_data(&reader, &header, (lam_bytes){body, sizeof body}, &page, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(page.value_count, NULLS);
    cr_assert_eq(page.values.size, 0);
    cr_assert_eq(counter.requests, 1);
    lam_page_reader_finish(&reader);
    lam_page_sample_finish(&sample);
    cr_assert_eq(counter.live_bytes, 0);
}
