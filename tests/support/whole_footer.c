/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes a footer as a whole, for tests that compare or change what it states. */
#include "support/whole_footer.h"

#include <stdlib.h>

#include "base/error.h"
#include "meta/compact.h"

static void must(lam_status status) {
    if (status != LAM_STATUS_OK)
        abort();
}

lam_status lam_footer_read(const lam_input *input, lam_arena *arena, lam_footer *ret_footer,
                           lam_error *error) {
    lam_footer_view view;
    lam_footer footer;
    LAM_TRY(lam_footer_view_read(input, arena, &view, error));
    /* The bytes move into the arena, which outlives the view. */
    lam_bytes bytes = view.meta.bytes;
    char *copy;
    lam_status status = lam_arena_copy(arena, bytes.data, bytes.size, &copy, error);
    lam_footer_view_finish(&view, &arena->allocator);
    LAM_TRY(status);
    bytes.data = (const uint8_t *)copy;
    LAM_TRY(lam_meta_read_file(bytes, arena, &footer.meta, error));
    footer.offset = view.offset;
    footer.size = view.size;
    *ret_footer = footer;
    return LAM_STATUS_OK;
}

void lam_footer_change_begin(lam_footer_change *change, lam_reader *reader) {
    lam_bytes bytes = reader->footer.meta.bytes;
    char *copy;
    change->reader = reader;
    lam_arena_init(&change->arena, &reader->allocator, 0);
    must(lam_arena_copy(&change->arena, bytes.data, bytes.size, &copy, NULL));
    bytes.data = (const uint8_t *)copy;
    must(lam_meta_read_file(bytes, &change->arena, &change->meta, NULL));
}

lam_meta_column_chunk *lam_footer_change_chunk(const lam_footer_change *change, size_t row_group,
                                               size_t leaf) {
    return (lam_meta_column_chunk *)(uintptr_t)&change->meta.row_groups.items[row_group]
        .columns.items[leaf];
}

lam_meta_column *lam_footer_change_column(const lam_footer_change *change, size_t row_group,
                                          size_t leaf) {
    return (lam_meta_column *)(uintptr_t)lam_footer_change_chunk(change, row_group, leaf)
        ->meta_data;
}

void lam_footer_change_apply(lam_footer_change *change) {
    lam_reader *reader = change->reader;
    lam_footer_view view;
    lam_buffer bytes;
    lam_buffer_init(&bytes, &reader->allocator);
    must(lam_meta_write_file(&change->meta, &bytes, NULL));
    must(lam_footer_view_copy(lam_buffer_bytes(&bytes), reader->footer.offset, &reader->arena,
                              &view, NULL));
    lam_footer_view_finish(&reader->footer, &reader->allocator);
    reader->footer = view;
    lam_buffer_finish(&bytes);
}

void lam_footer_change_end(lam_footer_change *change) {
    lam_arena_finish(&change->arena);
}
