/* SPDX-License-Identifier: Apache-2.0 */
/* A footer whose column chunks stay encoded says what the whole footer says, also damaged. */
#include "meta/compact_pass.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "meta/compact.h"
#include "meta_tree.h"
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
