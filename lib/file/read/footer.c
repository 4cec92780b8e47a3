/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, reads and writes the footer: the last bytes of a file, from which everything else is
 * found.
 *
 *     ... Thrift struct FileMetaData   u32 size, little endian   "PAR1"
 *
 * Reading goes backwards: the last 8 bytes give the size, the size gives the start. All of it is
 * hostile. The size is compared with the file before it sizes anything, so a tail of noise costs
 * neither memory nor reads. Offsets in errors count from the start of the file, not of the footer.
 * (README.md of the format, section "File format")
 */
#include "file/read/footer.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "meta/compact.h"

/*
 * Reads the last 8 bytes and gives the size of the footer, which is between the two magics. The
 * magic at the start is not read: files without it are readable, and lam_check reports it.
 */
static lam_status read_tail(const lam_input *input, uint32_t *ret_size, lam_error *error) {
    enum { FOOTER_SMALLEST = LAM_FOOTER_MAGIC_SIZE + LAM_FOOTER_TAIL_SIZE };
    uint8_t tail[LAM_FOOTER_TAIL_SIZE];
    if (input->size < FOOTER_SMALLEST)
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_MAGIC,
                 "not a Parquet file: %" PRIu64 " bytes are too few to be one", input->size);
    LAM_TRY(input->read_at(input->state, input->size - sizeof tail, sizeof tail, tail, error));
    /* Encryption.md, "Encrypted footer mode": the same layout with its own magic. */
    if (memcmp(tail + 4, "PARE", 4) == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_ENCRYPTED, "the footer is encrypted");
    if (memcmp(tail + 4, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE) != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_MAGIC,
                 "not a Parquet file, or a truncated one: it does not end with PAR1");
    *ret_size = lam_load_le32(tail);
    if (*ret_size > input->size - FOOTER_SMALLEST) {
        lam_error_set(error, LAM_ERROR_CODE_FOOTER_LENGTH,
                      "a footer of %" PRIu32 " bytes is larger than the file", *ret_size);
        lam_error_at_offset(error, input->size - sizeof tail);
        return LAM_STATUS_CORRUPT;
    }
    return LAM_STATUS_OK;
}

/* The decoder counts from the first byte that it was given. */
static lam_status footer_shift_error(lam_status status, uint64_t offset, lam_error *error) {
    if (status != LAM_STATUS_OK && error != NULL && error->offset >= 0)
        error->offset += (int64_t)offset;
    return status;
}

/*
 * Allocates the bytes of a footer apart from the arena, whose blocks grow with the largest, and
 * takes them off its budget.
 */
static lam_status allocate_footer(lam_arena *arena, uint32_t size, uint8_t **ret_bytes,
                                  lam_error *error) {
    void *memory;
    if (arena->budget != 0 && size >= arena->budget)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "the memory limit of %zu bytes is reached (option memory_limit)", arena->budget);
    LAM_TRY(lam_alloc(&arena->allocator, size, &memory, error));
    if (arena->budget != 0)
        arena->budget -= size;
    *ret_bytes = memory;
    return LAM_STATUS_OK;
}

/* One read for the entire footer. */
lam_status lam_footer_view_read(const lam_input *input, lam_arena *arena, lam_footer_view *ret_view,
                                lam_error *error) {
    lam_footer_view view = {.size = 0};
    uint8_t *bytes;
    LAM_TRY(read_tail(input, &view.size, error));
    view.offset = input->size - LAM_FOOTER_TAIL_SIZE - view.size;
    LAM_TRY(allocate_footer(arena, view.size, &bytes, error));
    lam_status status = input->read_at(input->state, view.offset, view.size, bytes, error);
    if (status == LAM_STATUS_OK)
        status = footer_shift_error(
            lam_meta_read_file_view((lam_bytes){bytes, view.size}, arena, &view.meta, error),
            view.offset, error);
    if (status == LAM_STATUS_OK)
        *ret_view = view;
    else
        lam_free(&arena->allocator, bytes, view.size);
    return status;
}

lam_status lam_footer_view_copy(lam_bytes bytes, uint64_t offset, lam_arena *arena,
                                lam_footer_view *ret_view, lam_error *error) {
    lam_footer_view view = {.offset = offset};
    uint8_t *copy;
    if (bytes.size > UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a footer of %zu bytes is too large for the format", bytes.size);
    LAM_TRY(allocate_footer(arena, (uint32_t)bytes.size, &copy, error));
    memcpy(copy, bytes.data, bytes.size);
    lam_status status =
        lam_meta_read_file_view((lam_bytes){copy, bytes.size}, arena, &view.meta, error);
    if (status == LAM_STATUS_OK)
        *ret_view = view;
    else
        lam_free(&arena->allocator, copy, bytes.size);
    return status;
}

void lam_footer_view_finish(lam_footer_view *view, const lam_allocator *allocator) {
    lam_free(allocator, (void *)(uintptr_t)view->meta.bytes.data, view->meta.bytes.size);
    view->meta.bytes = (lam_bytes){NULL, 0};
}

/* --- Writing ------------------------------------------------------------------------------- */

/*
 * The size is known only after encoding, so it follows the struct. Readers treat it as signed,
 * which bounds it at 2 GiB.
 */
lam_status lam_footer_close(lam_buffer *out, size_t first, lam_error *error) {
    uint8_t tail[LAM_FOOTER_TAIL_SIZE];
    if (out->size - first > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a footer of %zu bytes is too large for the format", out->size - first);
    lam_store_le32(tail, (uint32_t)(out->size - first));
    memcpy(tail + 4, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE);
    return lam_buffer_append(out, tail, sizeof tail, error);
}

lam_status lam_footer_write(const lam_meta_file *meta, lam_buffer *out, lam_error *error) {
    size_t first = out->size;
    LAM_TRY(lam_meta_write_file(meta, out, error));
    return lam_footer_close(out, first, error);
}
