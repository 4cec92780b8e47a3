/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of a column cursor's pages: headers in the order of the file, and bodies without
 * compression.
 *
 *   cursor -> file source                    walk, codec
 *   cursor -> cached source -> file source   pages that were uncompressed before are not again
 *
 * A source only moves forward. What it gives of a page lives until the next page is requested, and
 * the bytes of a data page until those of the next data page are: they are in the page reader's
 * memory, or lent by the file.
 */
#ifndef LAM_CHUNK_READ_PAGE_SOURCE_H
#define LAM_CHUNK_READ_PAGE_SOURCE_H

#include "chunk/read/page_walk.h"
#include "page/page.h"

/* A page whose header was read. */
typedef struct lam_source_page {
    lam_meta_page_header header;
    uint64_t offset; /* of the header */
} lam_source_page;

typedef struct lam_page_source lam_page_source;

/* The verbs are called through the functions below; a source sets all of them. */
struct lam_page_source {
    lam_status (*next)(lam_page_source *source, bool passes, lam_source_page *ret_page,
                       lam_error *error);
    lam_status (*data)(lam_page_source *source, const lam_source_page *page, uint64_t first_row,
                       lam_bytes *ret_plain, lam_error *error);
    lam_status (*dictionary)(lam_page_source *source, const lam_source_page *page,
                             lam_buffer *values, uint32_t *ret_count, lam_error *error);
    lam_status (*leave)(lam_page_source *source, uint64_t end_row, lam_error *error);
};

/* Reads the header of the next page. `passes`: its body is likely not asked for. */
static inline lam_status lam_page_source_next(lam_page_source *source, bool passes,
                                              lam_source_page *ret_page, lam_error *error) {
    return source->next(source, passes, ret_page, error);
}
/* Gives the bytes of the page, a data page, whose first triple belongs to row `first_row`. */
static inline lam_status lam_page_source_data(lam_page_source *source, const lam_source_page *page,
                                              uint64_t first_row, lam_bytes *ret_plain,
                                              lam_error *error) {
    return source->data(source, page, first_row, ret_plain, error);
}
/* Moves the bytes of the page, a dictionary page, into `values`; gives the number of entries. */
static inline lam_status lam_page_source_dictionary(lam_page_source *source,
                                                    const lam_source_page *page, lam_buffer *values,
                                                    uint32_t *ret_count, lam_error *error) {
    return source->dictionary(source, page, values, ret_count, error);
}
/* Ends the use of the last data page, if there is one: its rows end before `end_row`. */
static inline lam_status lam_page_source_leave(lam_page_source *source, uint64_t end_row,
                                               lam_error *error) {
    return source->leave(source, end_row, error);
}

/* Pages of a file. */
typedef struct lam_file_source {
    lam_page_source source;
    lam_page_walk walk;
    lam_page_reader *reader; /* borrowed */
} lam_file_source;

/* `reader` uncompresses; its body holds the open data page. Input and reader are borrowed. */
void lam_file_source_init(lam_file_source *file, const lam_input *input, lam_chunk_range range,
                          lam_page_reader *reader, const lam_allocator *allocator);
void lam_file_source_finish(lam_file_source *file);

#endif
