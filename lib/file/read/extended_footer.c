/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapts a footer's statements when chunks are put before it: takes sizes and offsets, which may be
 * any numbers, as they have not been checked, and gives those for the longer file.
 *
 * A chunk that could not be read before never becomes readable, and fails with the same error.
 * (parquet.thrift, ColumnMetaData)
 */
#include "file/read/extended_footer.h"

#include "base/error.h"
#include "chunk/read/page_walk.h"
#include "file/read/extended_input.h"

void lam_extended_add_size(int64_t *stated, size_t size) {
    if (*stated >= 0 && size <= (uint64_t)(INT64_MAX - *stated))
        *stated += (int64_t)size;
}

lam_status lam_extended_move_claim(const lam_meta_column **column, uint64_t footer_offset,
                                   size_t tail_size, lam_arena *arena, lam_error *error) {
    lam_chunk_range range;
    if (*column == NULL || lam_chunk_find(*column, footer_offset, &range, NULL) == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    lam_meta_column *copy;
    LAM_TRY(LAM_ARENA_NEW(arena, &copy, error));
    *copy = **column;
    lam_extended_add_size(&copy->total_compressed_size, tail_size);
    *column = copy;
    return LAM_STATUS_OK;
}

lam_status lam_extended_open(const lam_reader *reader, lam_buffer *tail, lam_reader **ret_reader,
                             lam_error *error) {
    lam_reader_options options = lam_reader_options_default();
    lam_input borrowed = reader->input, extended;
    borrowed.close = NULL;
    options.allocator = &reader->allocator;
    options.memory_limit = reader->memory_limit;
    options.page_crc = reader->verify_crc ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.stop = reader->stop;
    LAM_TRY(lam_extended_input_create(&borrowed, reader->footer.offset, tail, &extended, error));
    lam_status status = lam_reader_open(&extended, &options, ret_reader, error);
    if (status == LAM_STATUS_OK)
        (*ret_reader)->file_size = reader->file_size;
    else
        lam_input_close(&extended);
    return status;
}
