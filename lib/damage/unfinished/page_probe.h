/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens single pages of which only the header is known: to find the codec of a file, and to count
 * the rows of a page as one of a given leaf.
 */
#ifndef LAM_DAMAGE_UNFINISHED_PAGE_PROBE_H
#define LAM_DAMAGE_UNFINISHED_PAGE_PROBE_H

#include "base/thread/stop.h"
#include "codec/codec.h"
#include "damage/unfinished/file_item.h"
#include "damage/unfinished/page_division.h"
#include "io/patched_input.h"

typedef struct lam_page_probe {
    lam_allocator allocator;
    const lam_input *input;
    const lam_patched_input *gaps; /* the same input, if bytes of it are passed; or NULL */
    uint64_t memory_limit;         /* of one page */
    const lam_stop *stop;          /* or NULL */
    lam_codec_context *codecs;
    lam_buffer body;   /* of a page, as it is in the file */
    lam_buffer output; /* uncompressed */
} lam_page_probe;

/* The input is borrowed until finish, as are `gaps` and `stop`, which may be NULL. */
lam_status lam_page_probe_init(lam_page_probe *probe, const lam_input *input,
                               const lam_patched_input *gaps, uint64_t memory_limit,
                               const lam_stop *stop, const lam_allocator *allocator,
                               lam_error *error);
void lam_page_probe_finish(lam_page_probe *probe);

/*
 * Finds the one codec that gives each page its stated size. CORRUPT when none does, or more than
 * one. As many pages are tried as it takes to leave one codec, of those that can be read.
 */
lam_status lam_page_probe_codec(lam_page_probe *probe, const lam_walked_page *pages, size_t count,
                                lam_codec *ret_codec, lam_error *error);

/*
 * Counts the rows of a data page as one of a leaf. It does not fit if levels or the size of PLAIN
 * values contradict that, or if its body cannot be read, and only that has the rows.
 */
lam_status lam_page_probe_rows(lam_page_probe *probe, const lam_walked_page *page,
                               const lam_field *leaf, lam_codec codec, lam_page_fit *ret_fit,
                               lam_error *error);

#endif
