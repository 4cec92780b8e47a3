/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages for tests: one leaf with a handful of triples, and what a page reader or writer of it
 * needs.
 *
 *     message m { repeated int32 a; }     { a: [7, 8] } { }
 *
 *     repetition 0 1 0    definition 1 1 0    values 7 8
 */
#ifndef LAM_TESTS_PAGE_SAMPLE_H
#define LAM_TESTS_PAGE_SAMPLE_H

#include "page/page.h"

typedef struct lam_page_sample {
    lam_schema *schema;
    const lam_field *leaf;
    lam_allocator allocator;
    lam_codec_context *codecs;
    lam_page_writer writer;
    lam_page_reader reader;
    lam_buffer out;
    lam_arena arena; /* of the header that was read */
} lam_page_sample;

extern const lam_page_sections lam_sample_sections;

/* The first leaf of the schema text is the one whose pages are read and written. */
void lam_page_sample_init(lam_page_sample *sample, const char *schema, lam_codec codec,
                          int32_t version, bool crc);
void lam_page_sample_finish(lam_page_sample *sample);

/* Writes a page to `out`, which then holds nothing else; gives the bytes without compression. */
uint64_t lam_page_sample_write(lam_page_sample *sample, const lam_page_sections *sections);

/* Takes the page in `out` apart. */
lam_bytes lam_page_sample_split(lam_page_sample *sample, lam_meta_page_header *ret_header);

#endif
