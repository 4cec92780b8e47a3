/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peeks at the page that a walk comes to next, or has come to: its header, and as many bytes of its
 * body as the codec needs, show whether it begins with a record.
 *
 *   | page that is read | header, beginning of the body ... | next page
 *                         ^ the walk, before and after
 *
 * A beginning that cannot be proven is always denied, so that damage costs time and fails where the
 * page is read. (parquet.thrift, OffsetIndex)
 */
#include "chunk/read/page_peek.h"

#include "base/error.h"
#include "base/thread/stop.h"
#include "meta/page_header.h"

/* Uncompresses the entire page, into memory of its own. */
static lam_status peek_whole(lam_page_walk *walk, lam_page_reader *reader,
                             const lam_meta_page_header *header, bool *ret_known,
                             uint8_t *ret_level, lam_error *error) {
    lam_buffer open = reader->body;
    lam_bytes body, plain;
    LAM_TRY(lam_page_check_sizes(reader, header, error));
    LAM_TRY(lam_page_walk_body(walk, &body, error));
    lam_buffer_init(&reader->body, &open.allocator);
    lam_status status = lam_page_uncompress(reader, header, body, &plain, error);
    if (status == LAM_STATUS_OK)
        *ret_known = lam_page_begin_level(reader, header, plain, ret_level);
    lam_buffer_finish(&reader->body);
    reader->body = open;
    return status;
}

/* A fault of the page is no failure; all else is one. */
static lam_status forgive_page(lam_status status, const lam_error *failure, lam_error *error) {
    if (status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
        status == LAM_STATUS_UNSUPPORTED || status == LAM_STATUS_LIMIT)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* Reads the level of the page whose header was read last. */
static lam_status peek_level(lam_page_walk *walk, lam_page_reader *reader,
                             const lam_meta_page_header *header, bool *ret_known,
                             uint8_t *ret_level, lam_error *error) {
    size_t size = lam_page_begin_size(reader, header);
    lam_bytes prefix;
    *ret_known = false;
    if (size > reader->memory_limit)
        return LAM_STATUS_OK;
    if (size > 0) {
        LAM_TRY(lam_page_walk_prefix(walk, size, &prefix, error));
        LAM_TRY(lam_page_begin_read(reader, header, prefix, ret_known, ret_level, error));
    }
    return *ret_known ? LAM_STATUS_OK
                      : peek_whole(walk, reader, header, ret_known, ret_level, error);
}

lam_status lam_page_peek_inside(lam_page_walk *walk, lam_page_reader *reader,
                                const lam_meta_page_header *header, bool *ret_inside,
                                lam_error *error) {
    lam_error failure = lam_error_none();
    uint8_t level = 0;
    bool is_known = false;
    lam_status status = peek_level(walk, reader, header, &is_known, &level, &failure);
    *ret_inside = status == LAM_STATUS_OK && is_known && level > 0;
    return forgive_page(status, &failure, error);
}

static lam_status peek_next(lam_page_walk *walk, lam_page_reader *reader, const lam_stop *stop,
                            bool *ret_begins, lam_error *error) {
    lam_meta_page_header header;
    uint64_t offset;
    uint8_t level = 0;
    bool is_known = false;
    do {
        LAM_TRY(lam_stop_check(stop, error));
        if (lam_page_walk_at_end(walk))
            return LAM_STATUS_OK;
        LAM_TRY(lam_page_walk_next(walk, &header, &offset, error));
    } while (!lam_page_header_is_data(&header) || lam_page_header_count(&header) == 0);
    LAM_TRY(peek_level(walk, reader, &header, &is_known, &level, error));
    *ret_begins = is_known && level == 0;
    return LAM_STATUS_OK;
}

lam_status lam_page_peek_begins(lam_page_walk *walk, lam_page_reader *reader, const lam_stop *stop,
                                bool *ret_begins, lam_error *error) {
    const lam_page_walk before = *walk;
    lam_error failure = lam_error_none();
    *ret_begins = false;
    walk->header_only = true;
    lam_status status = peek_next(walk, reader, stop, ret_begins, &failure);
    walk->body = before.body;
    walk->next = before.next;
    walk->room = before.room;
    walk->hidden = before.hidden;
    walk->header_only = before.header_only;
    walk->window.end = before.window.end;
    return forgive_page(status, &failure, error);
}
