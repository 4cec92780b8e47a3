/* SPDX-License-Identifier: Apache-2.0 */
/* Changes what the footer of a file states: see footer_edit.h. */
#include "file/footer_edit.h"

#include <criterion/criterion.h>

#include "file/read/footer.h"
#include "meta/compact.h"
#include "support/whole_footer.h"

void lam_footer_edit_begin(lam_footer_edit *edit, lam_buffer *file) {
    lam_allocator allocator = lam_allocator_default();
    lam_footer footer;
    lam_input input = lam_input_memory(file->data, file->size);
    edit->file = file;
    lam_arena_init(&edit->arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, &edit->arena, &footer, NULL), LAM_STATUS_OK);
    lam_input_close(&input);
    edit->meta = footer.meta;
    file->size = (size_t)footer.offset;
}

lam_meta_column_chunk *lam_footer_edit_chunk(lam_footer_edit *edit, size_t row_group, size_t leaf) {
    const lam_meta_row_group *group = &edit->meta.row_groups.items[row_group];
    return (lam_meta_column_chunk *)(uintptr_t)&group->columns.items[leaf];
}

lam_meta_column *lam_footer_edit_column(lam_footer_edit *edit, size_t row_group, size_t leaf) {
    return (lam_meta_column *)(uintptr_t)lam_footer_edit_chunk(edit, row_group, leaf)->meta_data;
}

int64_t lam_footer_edit_append(lam_footer_edit *edit, const void *bytes, size_t size) {
    size_t offset = edit->file->size;
    cr_assert_eq(lam_buffer_append(edit->file, bytes, size, NULL), LAM_STATUS_OK);
    return (int64_t)offset;
}

int64_t lam_footer_edit_append_page(lam_footer_edit *edit, lam_meta_page_header header,
                                    const void *body, size_t size) {
    size_t offset = edit->file->size;
    header.uncompressed_page_size = header.compressed_page_size = (int32_t)size;
    cr_assert_eq(lam_meta_write_page_header(&header, edit->file, NULL), LAM_STATUS_OK);
    (void)lam_footer_edit_append(edit, body, size);
    return (int64_t)offset;
}

void lam_footer_edit_end(lam_footer_edit *edit) {
    cr_assert_eq(lam_footer_write(&edit->meta, edit->file, NULL), LAM_STATUS_OK);
    lam_arena_finish(&edit->arena);
}

/* Gives a chunk its column index again, after a change. */
static void edit_bounds(lam_footer_edit *edit, lam_meta_column_chunk *chunk,
                        void (*change)(lam_meta_column_index *index)) {
    lam_allocator heap = lam_allocator_default();
    lam_bytes bytes = {edit->file->data + chunk->column_index_offset,
                       (size_t)chunk->column_index_length};
    lam_meta_column_index index;
    lam_arena arena;
    lam_buffer out;
    size_t size;
    lam_arena_init(&arena, &heap, 0);
    lam_buffer_init(&out, &heap);
    cr_assert_eq(lam_meta_read_column_index(bytes, &arena, &index, &size, NULL), LAM_STATUS_OK);
    change(&index);
    cr_assert_eq(lam_meta_write_column_index(&index, &out, NULL), LAM_STATUS_OK);
    chunk->column_index_offset = lam_footer_edit_append(edit, out.data, out.size);
    chunk->column_index_length = (int32_t)out.size;
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
}

static void shorten(lam_meta_column_index *index) {
    cr_assert_gt(index->max_values.count, 1);
    index->max_values.count--;
}

void lam_footer_edit_short_bounds(lam_footer_edit *edit, lam_meta_column_chunk *chunk) {
    edit_bounds(edit, chunk, shorten);
}

/* The lists were allocated when the index was read. */
static void call_null(lam_meta_column_index *index) {
    cr_assert(!index->null_pages.items[0]);
    ((bool *)(uintptr_t)index->null_pages.items)[0] = true;
    ((lam_bytes *)(uintptr_t)index->min_values.items)[0].size = 0;
    ((lam_bytes *)(uintptr_t)index->max_values.items)[0].size = 0;
}

void lam_footer_edit_null_page(lam_footer_edit *edit, lam_meta_column_chunk *chunk) {
    edit_bounds(edit, chunk, call_null);
}
