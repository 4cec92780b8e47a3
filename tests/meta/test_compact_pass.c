/* SPDX-License-Identifier: Apache-2.0 */
/* A footer whose column chunks stay encoded says what the whole footer says, also damaged. */
#include "meta/compact_pass.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "meta/compact.h"
#include "meta_tree.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/shared.h"

enum { GROUPS = 24, FOOTERS = 150, DAMAGES = 120 };

static lam_arena new_arena(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    return arena;
}

/* Changes numbers of a chunk, most of them a little, so that their bytes keep their lengths. */
static lam_meta_column_chunk vary(lam_random *random, const lam_meta_column_chunk *chunk,
                                  lam_arena *arena) {
    lam_meta_column_chunk varied = *chunk;
    void *memory;
    varied.file_offset ^= (int64_t)lam_random_below(random, 32);
    varied.offset_index_length ^= (int32_t)lam_random_below(random, 16);
    if (chunk->meta_data == NULL)
        return varied;
    cr_assert_eq(lam_arena_alloc(arena, sizeof(lam_meta_column), &memory, NULL), LAM_STATUS_OK);
    lam_meta_column *column = memory;
    *column = *chunk->meta_data;
    column->num_values ^= (int64_t)lam_random_below(random, 32);
    column->data_page_offset += (int64_t)lam_random_below(random, 3);
    if (lam_random_below(random, 20) == 0)
        column->total_compressed_size = (int64_t)lam_random_next(random);
    varied.meta_data = column;
    return varied;
}

/* Makes a random footer with many row groups of chunks that are alike, as writers make them. */
static lam_meta_file make_footer(lam_random *random, lam_arena *arena) {
    lam_meta_file file;
    void *memory;
    lam_meta_tree_random(random, &lam_meta_file_table, 3, arena, &file);
    if (file.row_groups.count == 0 || lam_random_below(random, 4) == 0)
        return file;
    const lam_meta_row_group *model = &file.row_groups.items[0];
    cr_assert_eq(lam_arena_array(arena, GROUPS, sizeof(lam_meta_row_group), &memory, NULL),
                 LAM_STATUS_OK);
    lam_meta_row_group *groups = memory;
    for (size_t g = 0; g < GROUPS; g++) {
        uint32_t count = model->columns.count;
        cr_assert_eq(lam_arena_array(arena, count, sizeof(lam_meta_column_chunk), &memory, NULL),
                     LAM_STATUS_OK);
        lam_meta_column_chunk *chunks = memory;
        for (uint32_t i = 0; i < count; i++)
            chunks[i] = vary(random, &model->columns.items[i], arena);
        groups[g] = *model;
        groups[g].columns = (lam_meta_column_chunk_list){chunks, count};
    }
    file.row_groups = (lam_meta_row_group_list){groups, GROUPS};
    return file;
}

/* Compares the row groups of both, chunk by chunk and as a whole. */
static void expect_same_groups(const lam_meta_file *whole, const lam_meta_file_view *view) {
    cr_assert_eq(whole->row_groups.count, view->row_groups.count);
    for (uint32_t g = 0; g < whole->row_groups.count; g++) {
        lam_arena arena = new_arena();
        const lam_meta_row_group *group = &whole->row_groups.items[g];
        lam_meta_row_group viewed;
        cr_assert_eq(group->columns.count, view->row_groups.items[g].columns.count);
        for (uint32_t i = 0; i < group->columns.count; i++) {
            lam_meta_column_chunk chunk;
            cr_assert_eq(lam_meta_read_column_chunk(view, g, i, &arena, &chunk, NULL),
                         LAM_STATUS_OK);
            cr_assert(lam_meta_tree_equals(&lam_meta_column_chunk_table, &group->columns.items[i],
                                           &chunk),
                      "row group %u, chunk %u", g, i);
        }
        cr_assert_eq(lam_meta_read_viewed_group(view, g, &arena, &viewed, NULL), LAM_STATUS_OK);
        cr_assert(lam_meta_tree_equals(&lam_meta_row_group_table, group, &viewed));
        lam_arena_finish(&arena);
    }
}

/* Reads bytes in both ways, which must agree: the same failure at the same place, or the same. */
static lam_status expect_same(lam_bytes bytes) {
    lam_arena arena = new_arena();
    lam_meta_file whole;
    lam_meta_file_view view;
    lam_error one = lam_error_none(), other = lam_error_none();
    lam_status status = lam_meta_read_file(bytes, &arena, &whole, &one);
    cr_assert_eq(lam_meta_read_file_view(bytes, &arena, &view, &other), status, "%s; %s",
                 one.message, other.message);
    if (status == LAM_STATUS_OK) {
        expect_same_groups(&whole, &view);
        lam_meta_file head = whole;
        head.row_groups = (lam_meta_row_group_list){NULL, 0};
        lam_meta_file same = {view.has,
                              view.version,
                              view.schema,
                              view.num_rows,
                              {NULL, 0},
                              view.key_value_metadata,
                              view.created_by,
                              view.column_orders,
                              view.encryption_algorithm,
                              view.footer_signing_key_metadata};
        cr_assert(lam_meta_tree_equals(&lam_meta_file_table, &head, &same));
    } else {
        cr_assert_str_eq(one.message, other.message);
        cr_assert_eq(one.offset, other.offset);
        cr_assert_eq(lam_error_kind(&one), lam_error_kind(&other));
    }
    lam_arena_finish(&arena);
    return status;
}

Test(compact_pass, a_chunk_that_stayed_encoded_decodes_as_in_the_whole_footer) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (size_t i = 0; i < FOOTERS; i++) {
        lam_arena arena = new_arena();
        lam_allocator allocator = lam_allocator_default();
        lam_meta_file file = make_footer(&random, &arena);
        lam_buffer bytes;
        lam_buffer_init(&bytes, &allocator);
        cr_assert_eq(lam_meta_write_file(&file, &bytes, NULL), LAM_STATUS_OK);
        cr_assert_eq(expect_same(lam_buffer_bytes(&bytes)), LAM_STATUS_OK);
        lam_buffer_finish(&bytes);
        lam_arena_finish(&arena);
    }
}

/* A damaged byte, or the end, in any place: of a number, a length, a head, a stop. */
Test(compact_pass, a_damaged_footer_is_refused_as_the_whole_one_is) {
    lam_random random = lam_random_start(lam_test_seed(2));
    size_t refused = 0, read = 0;
    for (size_t i = 0; i < FOOTERS / 5; i++) {
        lam_arena arena = new_arena();
        lam_allocator allocator = lam_allocator_default();
        lam_meta_file file = make_footer(&random, &arena);
        lam_buffer bytes;
        lam_buffer_init(&bytes, &allocator);
        cr_assert_eq(lam_meta_write_file(&file, &bytes, NULL), LAM_STATUS_OK);
        for (size_t d = 0; d < DAMAGES; d++) {
            size_t at = lam_random_below(&random, bytes.size), size = bytes.size;
            uint8_t before = bytes.data[at];
            if (d % 8 == 0)
                bytes.size = at;
            else if (d % 2 == 0)
                bytes.data[at] ^= (uint8_t)(1u << lam_random_below(&random, 8));
            else
                bytes.data[at] = (uint8_t)lam_random_next(&random);
            if (expect_same(lam_buffer_bytes(&bytes)) == LAM_STATUS_OK)
                read++;
            else
                refused++;
            bytes.size = size;
            bytes.data[at] = before;
        }
        lam_buffer_finish(&bytes);
        lam_arena_finish(&arena);
    }
    cr_assert_gt(read, 100);
    cr_assert_gt(refused, 100);
}

/* --- Limits ---------------------------------------------------------------------------------- */

#define NO_SLACK(text) (const uint8_t *)(text), sizeof(text) - 1

/* Each row is beside one that is passed, and differs by what only compact_read.c decides. */
Test(compact_pass, what_no_chunk_has_is_left_to_the_reader) {
    static const struct {
        const lam_meta_struct *table;
        const uint8_t *bytes;
        size_t size;
        bool passes;
    } rows[] = {
        {&lam_meta_row_group_table, NO_SLACK("\x19\x0C\x16\x02\x16\x04\x00"), true},
        {&lam_meta_row_group_table, NO_SLACK("\x19\x0C\x16\x02\x16\x04\x26\x02\x00"), true},
        /* the ordinal, a number of 16 bits */
        {&lam_meta_row_group_table, NO_SLACK("\x19\x0C\x16\x02\x16\x04\x44\x02\x00"), false},
        {&lam_meta_row_group_table, NO_SLACK("\x19\xFC\x00\x16\x02\x16\x04\x00"), true},
        /* a count of more than 28 bits */
        {&lam_meta_row_group_table,
         NO_SLACK("\x19\xFC\x80\x80\x80\x80\x80\x00\x16\x02\x16\x04\x00"), false},
        {&lam_meta_column_index_table, NO_SLACK("\x19\x01\x19\x08\x19\x08\x15\x00\x00"), true},
        /* a list of a bool */
        {&lam_meta_column_index_table, NO_SLACK("\x19\x11\x01\x19\x08\x19\x08\x15\x00\x00"), false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[600] = {0};
        memcpy(bytes, rows[i].bytes, rows[i].size);
        cr_expect_eq(lam_meta_pass(rows[i].table, bytes, bytes + sizeof bytes),
                     rows[i].passes ? bytes + rows[i].size : NULL, "row %zu", i);
        cr_expect_null(lam_meta_pass(rows[i].table, bytes, bytes + rows[i].size), "row %zu", i);
    }
}

/* A footer of groups of chunks that are alike, with a path and statistics each. */
static void write_footer(lam_buffer *bytes) {
    static const int32_t encodings[] = {0, 3};
    static const lam_bytes path = {(const uint8_t *)"a", 1};
    lam_meta_column column = {.encodings = {encodings, 2}, .path_in_schema = {&path, 1}};
    lam_meta_column_chunk chunks[40];
    lam_meta_row_group groups[3];
    for (size_t i = 0; i < 40; i++)
        chunks[i] = (lam_meta_column_chunk){.meta_data = &column};
    for (size_t i = 0; i < 3; i++)
        groups[i] = (lam_meta_row_group){.columns = {chunks, 40}};
    lam_meta_file file = {.version = 2, .row_groups = {groups, 3}};
    cr_assert_eq(lam_meta_write_file(&file, bytes, NULL), LAM_STATUS_OK);
}

/* Reads a footer and the chunks of its last row group, which it then gives. */
static lam_status read_all(lam_bytes bytes, const lam_allocator *allocator, uint64_t budget,
                           lam_error *error) {
    lam_arena arena, of_group;
    lam_meta_file_view view;
    lam_meta_row_group group = {.num_rows = 4711};
    lam_arena_init(&arena, allocator, 0);
    lam_arena_init(&of_group, allocator, budget);
    lam_status status = lam_meta_read_file_view(bytes, &arena, &view, error);
    if (status == LAM_STATUS_OK)
        status = lam_meta_read_viewed_group(&view, 2, &of_group, &group, error);
    cr_assert_eq(group.num_rows, status == LAM_STATUS_OK ? 0 : 4711);
    cr_assert_eq(group.columns.count, status == LAM_STATUS_OK ? 40 : 0);
    lam_arena_finish(&of_group);
    lam_arena_finish(&arena);
    return status;
}

Test(compact_pass, without_memory_it_says_so_and_leaks_nothing) {
    lam_allocator heap = lam_allocator_default();
    lam_buffer bytes;
    lam_buffer_init(&bytes, &heap);
    write_footer(&bytes);
    lam_status status = LAM_STATUS_NOMEM;
    size_t failures = 0;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        status = read_all(lam_buffer_bytes(&bytes), &allocator, 0, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(error.status, status);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert_geq(failures, 5);
    status = LAM_STATUS_LIMIT;
    failures = 0;
    for (uint64_t budget = 256; status != LAM_STATUS_OK; budget += 256) {
        status = read_all(lam_buffer_bytes(&bytes), &heap, budget, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert_geq(failures, 5);
    lam_buffer_finish(&bytes);
}

Test(compact_pass, a_footer_of_more_than_32_bits_is_above_the_limit) {
    if (sizeof(size_t) == sizeof(uint32_t))
        cr_skip_test("no size is that large");
    lam_arena arena = new_arena();
    lam_meta_file_view view = {.version = 4711};
    lam_error error = lam_error_none();
    lam_bytes bytes = {(const uint8_t *)"", (size_t)((uint64_t)UINT32_MAX + 1)};
    cr_assert_eq(lam_meta_read_file_view(bytes, &arena, &view, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(view.version, 4711);
    lam_arena_finish(&arena);
}

Test(compact_pass, bytes_that_are_cut_after_the_footer_was_read_are_corrupt) {
    lam_allocator heap = lam_allocator_default();
    lam_arena arena = new_arena();
    lam_meta_file_view view;
    lam_meta_column_chunk chunk = {.file_offset = 4711};
    lam_error error = lam_error_none();
    lam_buffer bytes;
    lam_buffer_init(&bytes, &heap);
    write_footer(&bytes);
    cr_assert_eq(lam_meta_read_file_view(lam_buffer_bytes(&bytes), &arena, &view, NULL),
                 LAM_STATUS_OK);
    view.bytes.size = view.row_groups.items[0].columns.items[1] - 1;
    cr_assert_eq(lam_meta_read_column_chunk(&view, 0, 0, &arena, &chunk, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, (int64_t)view.bytes.size);
    cr_assert_eq(chunk.file_offset, 4711);
    lam_buffer_finish(&bytes);
    lam_arena_finish(&arena);
}
