/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the headers of a chunk, and how the chunk is found where the footer states its
 * place in several ways.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "meta/compact.h"
#include "page/page.h"
#include "support/failing_alloc.h"

/* A header, with statistics of `statistics_size` bytes, and a body of `body_size` bytes. */
static void append_page(lam_buffer *out, lam_page_type type, size_t statistics_size,
                        size_t body_size) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    cr_assert_eq(lam_buffer_reserve(&text, statistics_size + body_size + 1, NULL), LAM_STATUS_OK);
    memset(text.data, 'x', statistics_size + body_size);
    lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_MAX_VALUE};
    statistics.max_value = (lam_bytes){text.data, statistics_size};
    lam_meta_data_page_header v1 = {.num_values = 7, .statistics = &statistics};
    lam_meta_index_page_header index = {0};
    lam_meta_page_header header = {.type = (int32_t)type};
    header.compressed_page_size = header.uncompressed_page_size = (int32_t)body_size;
    if (type == LAM_PAGE_DATA)
        header.data_page_header = &v1;
    else
        header.index_page_header = &index;
    cr_assert_eq(lam_meta_write_page_header(&header, out, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(out, text.data, body_size, NULL), LAM_STATUS_OK);
    lam_buffer_finish(&text);
}

/* An input that never lends, as a file. */
static lam_status copy_out(void *state, uint64_t offset, size_t size, void *buffer,
                           lam_error *error) {
    (void)error;
    const lam_buffer *bytes = state;
    cr_assert(offset <= bytes->size && size <= bytes->size - offset);
    memcpy(buffer, bytes->data + offset, size);
    return LAM_STATUS_OK;
}

static lam_input input_of(lam_buffer *bytes, bool lends) {
    lam_input copying = {bytes, bytes->size, copy_out, NULL, NULL};
    return lends ? lam_input_memory(bytes->data, bytes->size) : copying;
}

static lam_buffer new_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

Test(page_walk, it_steps_over_headers_of_any_length) {
    static const size_t sizes[] = {0, 1, 4000, 4096, 5000, 9000, 70000, 300000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    lam_allocator allocator = lam_allocator_default();
    lam_buffer bytes = new_buffer();
    uint64_t offsets[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        offsets[i] = bytes.size;
        append_page(&bytes, LAM_PAGE_DATA, sizes[i], 100 * i);
    }
    for (int lends = 0; lends < 2; lends++) {
        lam_input input = input_of(&bytes, lends != 0);
        lam_page_walk walk;
        lam_page_walk_init(&walk, &input, (lam_chunk_range){0, bytes.size, 0}, &allocator);
        for (size_t i = 0; i < COUNT; i++) {
            lam_meta_page_header header;
            uint64_t offset;
            lam_bytes body;
            cr_assert_not(lam_page_walk_at_end(&walk));
            cr_assert_eq(lam_page_walk_next(&walk, &header, &offset, NULL), LAM_STATUS_OK);
            cr_assert_eq(offset, offsets[i]);
            lam_bytes text = header.data_page_header->statistics->max_value;
            cr_assert_eq(text.size, sizes[i]);
            cr_assert(text.size == 0 || text.data[text.size - 1] == 'x');
            if (i % 2 == 0)
                continue; /* the body is nobody's duty */
            cr_assert_eq(lam_page_walk_body(&walk, &body, NULL), LAM_STATUS_OK);
            cr_assert_eq(body.size, 100 * i);
            for (size_t b = 0; b < body.size; b++)
                cr_assert_eq(body.data[b], 'x');
        }
        cr_assert(lam_page_walk_at_end(&walk));
        lam_page_walk_finish(&walk);
    }
    lam_buffer_finish(&bytes);
}

static lam_status walk_all(lam_buffer *bytes, uint64_t size, size_t *ret_pages, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_input input = input_of(bytes, true);
    lam_page_walk walk;
    lam_status status = LAM_STATUS_OK;
    *ret_pages = 0;
    lam_page_walk_init(&walk, &input, (lam_chunk_range){0, size, 0}, &allocator);
    while (status == LAM_STATUS_OK && !lam_page_walk_at_end(&walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        status = lam_page_walk_next(&walk, &header, &offset, error);
        *ret_pages += status == LAM_STATUS_OK;
    }
    lam_page_walk_finish(&walk);
    return status;
}

Test(page_walk, a_chunk_that_ends_inside_a_page_is_corrupt_at_that_page) {
    lam_buffer bytes = new_buffer();
    append_page(&bytes, LAM_PAGE_DATA, 5, 30);
    size_t second = bytes.size;
    append_page(&bytes, LAM_PAGE_INDEX, 0, 30);
    for (size_t size = 0; size <= bytes.size; size++) {
        size_t pages;
        lam_error error = lam_error_none();
        lam_status status = walk_all(&bytes, size, &pages, &error);
        if (size == 0 || size == second || size == bytes.size) {
            cr_assert_eq(status, LAM_STATUS_OK, "%zu", size);
            cr_assert_eq(pages, size == 0 ? 0 : size == second ? 1 : 2);
            continue;
        }
        cr_assert_eq(status, LAM_STATUS_CORRUPT, "%zu", size);
        cr_assert_eq(error.offset, size < second ? 0 : (int64_t)second);
    }
    lam_buffer_finish(&bytes);
}

Test(page_walk, a_page_of_negative_size_is_corrupt) {
    lam_buffer bytes = new_buffer();
    lam_meta_index_page_header index = {0};
    lam_meta_page_header header = {.type = LAM_PAGE_INDEX, .index_page_header = &index};
    header.compressed_page_size = -1;
    cr_assert_eq(lam_meta_write_page_header(&header, &bytes, NULL), LAM_STATUS_OK);
    size_t pages;
    cr_assert_eq(walk_all(&bytes, bytes.size, &pages, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(pages, 0);
    lam_buffer_finish(&bytes);
}

Test(page_walk, a_header_without_end_is_given_up_at_a_limit) {
    lam_buffer bytes = new_buffer();
    append_page(&bytes, LAM_PAGE_DATA, (size_t)40 << 20, 0);
    size_t pages;
    cr_assert_eq(walk_all(&bytes, bytes.size, &pages, NULL), LAM_STATUS_LIMIT);
    lam_buffer_finish(&bytes);
}

Test(page_walk, a_failing_input_is_passed_on) {
    lam_allocator allocator;
    lam_failing_alloc counter = {.fail_at = 1};
    allocator = lam_failing_allocator(&counter);
    lam_buffer bytes = new_buffer();
    append_page(&bytes, LAM_PAGE_DATA, 0, 10);
    lam_input input = input_of(&bytes, false);
    lam_page_walk walk;
    lam_meta_page_header header;
    uint64_t offset;
    lam_page_walk_init(&walk, &input, (lam_chunk_range){0, bytes.size, 0}, &allocator);
    cr_assert_eq(lam_page_walk_next(&walk, &header, &offset, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(lam_page_walk_next(&walk, &header, &offset, NULL), LAM_STATUS_OK);
    lam_page_walk_finish(&walk);
    cr_assert_eq(counter.live_bytes, 0);
    lam_buffer_finish(&bytes);
}

/* --- Finding the chunk ----------------------------------------------------------------------- */

typedef struct find_row {
    int64_t num_values, data, dictionary, size; /* dictionary -1: not given */
    lam_status status;
    uint64_t offset, found; /* of the range */
} find_row;

Test(page_walk, a_chunk_is_found_only_inside_the_file) {
    enum { LIMIT = 1000 };
    static const find_row rows[] = {
        {10, 4, -1, 100, LAM_STATUS_OK, 4, 100},
        {10, 50, 4, 100, LAM_STATUS_OK, 4, 100},
        {10, 4, 0, 100, LAM_STATUS_OK, 4, 100},  /* an offset of 0 is none */
        {10, 4, 50, 100, LAM_STATUS_OK, 4, 100}, /* behind the data pages it cannot be */
        {10, 4, -7, 100, LAM_STATUS_OK, 4, 100}, /* nor in front of the file */
        {10, 900, -1, 100, LAM_STATUS_OK, 900, 100},
        {10, 901, -1, 100, LAM_STATUS_CORRUPT, 0, 0},
        {10, 4, -1, 997, LAM_STATUS_CORRUPT, 0, 0},
        {10, -4, -1, 100, LAM_STATUS_CORRUPT, 0, 0},
        {10, 4, -1, -1, LAM_STATUS_CORRUPT, 0, 0},
        {10, INT64_MAX, -1, 1, LAM_STATUS_CORRUPT, 0, 0},
        {10, 4, -1, INT64_MAX, LAM_STATUS_CORRUPT, 0, 0},
        {10, INT64_MAX, -1, INT64_MAX, LAM_STATUS_CORRUPT, 0, 0},
        {10, INT64_MIN, -1, INT64_MIN, LAM_STATUS_CORRUPT, 0, 0},
        {-1, 4, -1, 100, LAM_STATUS_CORRUPT, 0, 0},
        {INT64_MIN, 4, -1, 100, LAM_STATUS_CORRUPT, 0, 0},
        {0, 0, -1, 0, LAM_STATUS_OK, 0, 0},
        {0, 5000, -1, 5000, LAM_STATUS_OK, 0, 0}, /* nothing lies anywhere */
        {0, -1, -1, -1, LAM_STATUS_OK, 0, 0},
        {10, 1000, -1, 0, LAM_STATUS_OK, 1000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_meta_column column = {.num_values = rows[i].num_values,
                                  .data_page_offset = rows[i].data,
                                  .total_compressed_size = rows[i].size};
        if (rows[i].dictionary != -1) {
            column.has = LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
            column.dictionary_page_offset = rows[i].dictionary;
        }
        lam_chunk_range range = {4711, 4711, 4711};
        cr_assert_eq(lam_chunk_find(&column, LIMIT, &range, NULL), rows[i].status, "row %zu", i);
        bool is_ok = rows[i].status == LAM_STATUS_OK;
        cr_assert_eq(range.offset, is_ok ? rows[i].offset : 4711, "row %zu", i);
        cr_assert_eq(range.size, is_ok ? rows[i].found : 4711, "row %zu", i);
        if (is_ok && range.size > 0)
            cr_assert_eq(range.room, LIMIT - range.offset - range.size, "row %zu", i);
    }
}

/* A chunk whose stated size leaves out its last `hidden` bytes. */
static lam_status read_with_hidden(lam_chunk_sample *sample, const lam_triple_column *column,
                                   size_t hidden) {
    int64_t size = sample->column.total_compressed_size;
    sample->column.total_compressed_size -= (int64_t)hidden;
    lam_error error = lam_error_none();
    lam_status status = lam_chunk_sample_read(sample, column, 100, &error);
    cr_assert_eq(error.status, status, "the first try left its failure: %s", error.message);
    sample->column.total_compressed_size = size;
    return status;
}

Test(page_walk, a_dictionary_header_that_the_size_leaves_out_is_given_back_and_no_more) {
    for (size_t page_rows = 15; page_rows <= 30; page_rows += 15) {
        lam_chunk_sample sample;
        lam_chunk_sample_init(&sample, "message m { optional int32 a; }");
        sample.options.page_rows = page_rows;
        lam_triple_shape shape = {.record_count = 30, .null_percent = 30, .distinct = 3};
        lam_random random = lam_random_start(11);
        lam_triple_column column;
        lam_triple_column_init(&column, sample.leaf, &shape, &random);
        lam_chunk_sample_write(&sample, &column, NULL);
        lam_meta_page_header headers[32];
        lam_arena arena;
        lam_arena_init(&arena, &sample.allocator, 0);
        cr_assert_gt(lam_chunk_sample_headers(&sample, headers, 32, &arena), 1);
        cr_assert_eq(headers[0].type, LAM_PAGE_DICTIONARY);
        size_t dictionary_header = sample.dictionary_size - (size_t)headers[0].compressed_page_size;
        for (size_t hidden = 1; hidden <= dictionary_header; hidden++)
            cr_assert_eq(read_with_hidden(&sample, &column, hidden), LAM_STATUS_OK, "%zu", hidden);
        cr_assert_eq(read_with_hidden(&sample, &column, dictionary_header + 1), LAM_STATUS_CORRUPT);
        lam_arena_finish(&arena);
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
    }
}
