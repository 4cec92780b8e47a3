/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the ranges of a file: where it is, how it reports a range, and how it reads bytes.
 *
 *     enter    reports a range; true if its inside is wanted: then report that, and leave
 *     leaf     reports a range that has no ranges inside
 *
 * The invariant that all sources of this folder keep: between enter and leave, ranges are reported
 * in order, and cover the range (or the uncompressed bytes of a page body) without overlap.
 */
#ifndef LAM_BYTE_MAP_WALK_BYTE_WALK_H
#define LAM_BYTE_MAP_WALK_BYTE_WALK_H

#include <lamella/byte_map.h>
#include <lamella/schema.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/page_walk.h"
#include "codec/codec.h"
#include "meta/metadata.h"

/* Where a walk is, and what it always needs. */
typedef struct lam_byte_walk {
    const lam_input *input;
    lam_allocator allocator; /* counts against the limit */
    uint64_t limit;          /* bytes of one struct, page or footer */
    const lam_stop *stop;
    lam_byte_visitor visitor;
    void *state;

    uint32_t depth;
    bool is_in_body;
    int32_t row_group;
    int32_t column;
    int64_t page;

    const lam_schema *schema; /* NULL if the footer has none that can be read */
    uint32_t faults;          /* that the writer is known to have: lam_fault */
    lam_codec_context *codecs;
    const char *gap_note;   /* of gaps */
    uint64_t footer_offset; /* where chunks and indexes must end */
    bool is_signed;         /* the footer is followed by its signature */
} lam_byte_walk;

/* Bytes in memory, and where they are: in the file, or in the uncompressed body of a page. */
typedef struct lam_byte_view {
    const uint8_t *data;
    size_t size;
    uint64_t begin; /* of data[0] */
} lam_byte_view;

/* `size` bytes of a view from `at` on. */
static inline lam_byte_view lam_byte_view_cut(lam_byte_view view, size_t at, size_t size) {
    lam_byte_view cut = {size > 0 ? view.data + at : view.data, size, view.begin + at};
    return cut;
}

/* A range of a kind, without other members. */
lam_byte_range lam_byte_range_of(lam_byte_kind kind, uint64_t begin, uint64_t length);
/* The same for `size` bytes of a view, from `at` on. */
lam_byte_range lam_byte_range_in(lam_byte_kind kind, lam_byte_view view, size_t at, size_t size);

/*
 * Reports a range; depth and location are filled in. True if its inside is wanted: the walk is then
 * inside, until leave. CANCELLED, or any failure of the visitor.
 */
lam_status lam_byte_enter(lam_byte_walk *walk, lam_byte_range *range, bool *ret_inside,
                          lam_error *error);
void lam_byte_leave(lam_byte_walk *walk);
lam_status lam_byte_leaf(lam_byte_walk *walk, lam_byte_range *range, lam_error *error);

/* Reports bytes that are not understood, if there are any; the note has a printf format. */
lam_status lam_byte_unknown(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                            lam_error *error, const char *format, ...) LAM_PRINTF(6, 7);

/* True for failures that are the file's, so that the walk continues after the damage. */
static inline bool lam_byte_is_damage(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

/*
 * Lends bytes of the file, which must have them: from the input itself, or from `buffer`, whose
 * contents they replace. IO, NOMEM; LIMIT above the memory limit.
 */
lam_status lam_byte_load(lam_byte_walk *walk, uint64_t begin, uint64_t size, lam_buffer *buffer,
                         lam_byte_view *ret_view, lam_error *error);

/* Reports the inside of a range that was entered, from its bytes. `what` is the caller's. */
typedef lam_status lam_byte_inside(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                   lam_error *error);
/*
 * Reports a range of the file; if it is wanted, loads its bytes, calls `inside` and leaves. Bytes
 * that cannot be loaded for lack of memory limit are UNKNOWN.
 */
lam_status lam_byte_enter_bytes(lam_byte_walk *walk, lam_byte_range *range, lam_byte_inside *inside,
                                const void *what, lam_error *error);
/* The same for bytes that are in memory. */
lam_status lam_byte_enter_view(lam_byte_walk *walk, lam_byte_range *range, lam_byte_view view,
                               lam_byte_inside *inside, const void *what, lam_error *error);

#endif
