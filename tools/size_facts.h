/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer and some page headers state about the bytes of a file. */
#ifndef LAMELLA_TOOLS_SIZE_FACTS_H
#define LAMELLA_TOOLS_SIZE_FACTS_H

#include <lamella/lamella.h>

/* Of one column, all chunks together. */
typedef struct size_facts {
    size_t leaf;
    uint64_t chunks;
    uint64_t rows_of_chunk; /* the most */
    double stored;          /* bytes */
    double triples;
    double nulls;         /* -1: some chunk does not state them */
    double bound_bytes;   /* of minimum and maximum in the footer */
    double longest_bound; /* bytes */
    lam_codec codec;      /* DEFAULT: chunks differ */
    double bloom;         /* bytes of Bloom filters */
    double page_index;    /* bytes of column and offset indexes */
    /* Of the chunks whose page headers were read. */
    double walked; /* their bytes */
    double data_pages;
    double data_bytes;   /* with headers */
    double header_bytes; /* of data pages */
    double dictionary_bytes;
    uint32_t encodings; /* bit e: data pages in encoding e */
    uint64_t given_up;  /* chunks with a dictionary and PLAIN pages after it */
    double plain_after; /* bytes of those pages */
} size_facts;

/* Adds up the chunks of a leaf, and reads the page headers of some of them. */
lam_status size_collect(const lam_reader *reader, size_t leaf, size_facts *ret_facts,
                        lam_error *error);

#endif
