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
#include "file/footer.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "meta/compact.h"

/*
 * Reads the last 8 bytes and gives the size of the footer, which lies between the two magics. The
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

/* One read for the whole footer; its structs are decoded into the same arena, under its budget. */
lam_status lam_footer_read(const lam_input *input, lam_arena *arena, lam_footer *ret_footer,
                           lam_error *error) {
    lam_footer footer;
    LAM_TRY(read_tail(input, &footer.size, error));
    footer.offset = input->size - LAM_FOOTER_TAIL_SIZE - footer.size;
    uint8_t *copy;
    LAM_TRY(lam_arena_bytes(arena, footer.size, &copy, error));
    LAM_TRY(input->read_at(input->state, footer.offset, footer.size, copy, error));
    lam_bytes bytes = {copy, footer.size};
    lam_status status = lam_meta_read_file(bytes, arena, &footer.meta, error);
    if (status != LAM_STATUS_OK) {
        /* The decoder counts from the first byte that it was given. */
        if (error != NULL && error->offset >= 0)
            error->offset += (int64_t)footer.offset;
        return status;
    }
    *ret_footer = footer;
    return LAM_STATUS_OK;
}

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
