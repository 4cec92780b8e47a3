/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether a page that is not opened begins with a record. */
#ifndef LAM_CHUNK_READ_PAGE_PEEK_H
#define LAM_CHUNK_READ_PAGE_PEEK_H

#include <lamella/stop.h>

#include "chunk/read/page_walk.h"
#include "page/page.h"

/*
 * Reads the first repetition level of the next data page with triples, of a leaf that repeats. The
 * walk stays where it is, and so does the body of the reader; bytes that the walk has lent are
 * gone. `*ret_begins` is false if the level is above 0, if no page follows, and if the page is
 * damaged. As the input, NOMEM, CANCELLED.
 */
lam_status lam_page_peek_begins(lam_page_walk *walk, lam_page_reader *reader, const lam_stop *stop,
                                bool *ret_begins, lam_error *error);
/*
 * The same for the page that the walk has moved past, whose header was read last: a data page with
 * triples. `*ret_inside` is true if its first level is above 0, and false if that is unknown.
 */
lam_status lam_page_peek_inside(lam_page_walk *walk, lam_page_reader *reader,
                                const lam_meta_page_header *header, bool *ret_inside,
                                lam_error *error);

#endif
