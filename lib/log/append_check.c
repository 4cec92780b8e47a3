/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what the note beside a file means. In: the file, and the size that the note states. Out:
 * whether everything behind that size came through.
 *
 *     | old row groups, old footer |  new row groups  footer |   whole: the note is to be removed
 *     | old row groups, old footer |  new row groups         |   interrupted: the note counts
 *     | row groups and a footer of a recovered file     |        whole
 *
 * The invariant: a footer alone is no proof. A power cut may keep the end of a file and lose what
 * is before it, so each new page is compared with its checksum, which appended pages always have.
 * (parquet.thrift, PageHeader.crc)
 */
#include "log/append_check.h"

#include "base/crc32.h"
#include "base/error.h"
#include "chunk/page_walk.h"
#include "file/file_reader.h"
#include "meta/metadata.h"
#include "schema/tree.h"

/* Damage makes `*ret_sound` false; other failures are passed on. */
static lam_status append_forgive(lam_status status, const lam_error *failure, bool *ret_sound,
                                 lam_error *error) {
    *ret_sound = status == LAM_STATUS_OK;
    if (status != LAM_STATUS_NOMEM && status != LAM_STATUS_IO)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* Compares the checksums of all pages of a chunk; CORRUPT for a wrong one. */
static lam_status verify_pages(const lam_reader *reader, lam_chunk_range range, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_page_walk walk;
    lam_meta_page_header header;
    uint64_t offset;
    lam_bytes body;
    lam_page_walk_init(&walk, &reader->input, range, &reader->allocator);
    while (!lam_page_walk_at_end(&walk)) {
        LAM_TRY_OUT(lam_page_walk_next(&walk, &header, &offset, error));
        LAM_TRY_OUT(lam_page_walk_body(&walk, &body, error));
        if ((header.has & LAM_META_PAGE_HEADER_HAS_CRC) != 0 &&
            (uint32_t)header.crc != lam_crc32(0, body.data, body.size))
            LAM_FAIL_OUT(error, LAM_ERROR_CODE_PAGE_CRC, "a page does not match its checksum");
    }
out:
    lam_page_walk_finish(&walk);
    return status;
}

/* The same for all chunks that end behind the first `size` bytes. */
static lam_status verify_appended(const lam_reader *reader, uint64_t size, lam_error *error) {
    for (size_t i = 0; i < reader->footer.meta.row_groups.count; i++)
        for (size_t leaf = 0; leaf < reader->schema->leaf_count; leaf++) {
            const lam_meta_column *column;
            lam_chunk_range range;
            LAM_TRY(lam_reader_find_column(reader, i, leaf, &column, error));
            LAM_TRY(lam_chunk_find(column, reader->footer.offset, &range, error));
            if (range.size > 0 && range.offset + range.size > size)
                LAM_TRY(verify_pages(reader, range, error));
        }
    return LAM_STATUS_OK;
}

lam_status lam_append_is_whole(const lam_storage *storage, const char *path, uint64_t size,
                               const lam_allocator *allocator, bool *ret_is_whole,
                               lam_error *error) {
    lam_reader_options options = lam_reader_options_default();
    lam_error failure = lam_error_none();
    lam_input input;
    lam_reader *reader;
    options.allocator = allocator;
    LAM_TRY(storage->open_input(storage->state, path, &input, error));
    lam_status status = lam_reader_open(&input, &options, &reader, &failure);
    if (status != LAM_STATUS_OK) {
        lam_input_close(&input);
        return append_forgive(status, &failure, ret_is_whole, error);
    }
    status = verify_appended(reader, size, &failure);
    lam_reader_close(reader);
    return append_forgive(status, &failure, ret_is_whole, error);
}
