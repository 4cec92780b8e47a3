/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells leftovers of a log in which no record was durable from damaged files: when a walk has found
 * no row group in a file, says whether a log can have called any record in it durable.
 *
 *     ""  "PA"  00 00 ..  "PAR1"               the name was there, and no byte
 *     "PAR1" 15 04 15                          the file ends inside its first page
 *     "PAR1" 15 04 15 .. 00 00 00 00           its length was ahead of its bytes, which are zeros
 *
 * The invariant: a row group is durable once a recovery record follows it and both were synced, so
 * that a file without a complete page has none, unless it was damaged after that. Then records are
 * left of it: a file with their magic anywhere is never called empty.
 */
#include "damage/unfinished/empty_leftover.h"

#include <string.h>

#include "base/error.h"
#include "file/read/footer.h"
#include "io/window.h"

enum {
    LEFTOVER_PIECE = 64 << 10, /* bytes that are looked at at once */
    LEFTOVER_HEADER = 256      /* of a page header, whose end may be zeros */
};

/* A leftover, read once from its start to its end. */
typedef struct leftover_scan {
    uint64_t zeros_from; /* offset after the last byte that is not 0 */
    bool has_magic;      /* of a recovery record */
} leftover_scan;

static bool has_record_magic(lam_bytes piece) {
    const size_t magic = sizeof LAM_RECOVERY_MAGIC - 1;
    for (size_t i = 0; i + magic <= piece.size; i++) {
        const uint8_t *next =
            memchr(piece.data + i, LAM_RECOVERY_MAGIC[0], piece.size - magic + 1 - i);
        if (next == NULL)
            return false;
        if (memcmp(next, LAM_RECOVERY_MAGIC, magic) == 0)
            return true;
        i = (size_t)(next - piece.data);
    }
    return false;
}

static void scan_piece(leftover_scan *scan, uint64_t offset, lam_bytes piece) {
    size_t end = piece.size;
    while (end > 0 && piece.data[end - 1] == 0)
        end--;
    if (end > 0)
        scan->zeros_from = offset + end;
    scan->has_magic = scan->has_magic || has_record_magic(piece);
}

/* Each piece begins with the end of the one before, where a magic may be cut. */
static lam_status scan_leftover(leftover_scan *scan, const lam_input *input, const lam_stop *stop,
                                const lam_allocator *allocator, lam_error *error) {
    enum { OVERLAP = sizeof LAM_RECOVERY_MAGIC - 2 };
    lam_status status = LAM_STATUS_OK;
    lam_window window;
    lam_window_init(&window, input, input->size, LEFTOVER_PIECE, allocator);
    for (uint64_t at = 0; status == LAM_STATUS_OK && at < input->size && !scan->has_magic;) {
        uint64_t left = input->size - at;
        lam_bytes piece = {NULL, left < LEFTOVER_PIECE ? (size_t)left : LEFTOVER_PIECE};
        status = lam_stop_check(stop, error);
        if (status == LAM_STATUS_OK)
            status = lam_window_lend(&window, at, piece.size, &piece.data, error);
        if (status == LAM_STATUS_OK)
            scan_piece(scan, at, piece);
        at += piece.size < left ? piece.size - OVERLAP : left;
    }
    lam_window_finish(&window);
    return status;
}

static bool has_sound_page(const lam_recovery_walk *walk) {
    const lam_walked_page *pages = walk->pages.items;
    bool has = false;
    for (size_t i = 0; i < walk->pages.count; i++)
        has = has || pages[i].is_sound;
    return has;
}

/* Whether only zeros follow the bytes that ended the walk, or the header that begins there. */
static bool is_zeros(const leftover_scan *scan, const lam_input *input,
                     const lam_recovery_walk *walk) {
    return scan->zeros_from <= walk->stopped_at ||
           (scan->zeros_from < input->size &&
            scan->zeros_from - walk->stopped_at <= LEFTOVER_HEADER);
}

lam_status lam_leftover_is_empty(const lam_input *input, const lam_recovery_walk *walk,
                                 const lam_stop *stop, const lam_allocator *allocator,
                                 bool *ret_is_empty, lam_error *error) {
    leftover_scan scan = {0};
    *ret_is_empty = input->size <= LAM_FOOTER_MAGIC_SIZE;
    if (*ret_is_empty)
        return LAM_STATUS_OK;
    if (walk != NULL && (walk->has_meta || walk->has_records || has_sound_page(walk)))
        return LAM_STATUS_OK;
    LAM_TRY(scan_leftover(&scan, input, stop, allocator, error));
    if (walk == NULL)
        *ret_is_empty = scan.zeros_from == 0;
    else
        *ret_is_empty = !scan.has_magic && (walk->ended_in_item || is_zeros(&scan, input, walk));
    return LAM_STATUS_OK;
}
