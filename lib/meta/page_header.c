/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports what page headers have in common: takes a decoded header, whose type and structs may
 * contradict each other, and gives one verdict, and the numbers that pages of several types state.
 *
 *     type  DATA_PAGE 0         data_page_header         triples, encoding
 *           INDEX_PAGE 1        (skipped)
 *           DICTIONARY_PAGE 2   dictionary_page_header   entries, encoding
 *           DATA_PAGE_V2 3      data_page_header_v2      triples, encoding
 *           others              (skipped)
 *
 * After the verdict, the struct of a page is always present without another check. Structs of other
 * types are ignored. (parquet.thrift, PageHeader: the type "indicates which of the *_header fields
 * is set"; README.md of the format, "Column chunks": readers skip pages that they have no interest
 * in)
 */
#include "meta/page_header.h"

#include <inttypes.h>

#include "base/error.h"

lam_status lam_page_header_check(const lam_meta_page_header *header, lam_error *error) {
    const char *lacks = NULL;
    if (header->type == LAM_PAGE_DATA && header->data_page_header == NULL)
        lacks = "data_page_header";
    if (header->type == LAM_PAGE_DICTIONARY && header->dictionary_page_header == NULL)
        lacks = "dictionary_page_header";
    if (header->type == LAM_PAGE_DATA_V2 && header->data_page_header_v2 == NULL)
        lacks = "data_page_header_v2";
    if (lacks != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page of type %" PRId32 " lacks its %s",
                 header->type, lacks);
    return LAM_STATUS_OK;
}

int32_t lam_page_header_count(const lam_meta_page_header *header) {
    switch (header->type) {
    case LAM_PAGE_DATA:
        return header->data_page_header->num_values;
    case LAM_PAGE_DATA_V2:
        return header->data_page_header_v2->num_values;
    case LAM_PAGE_DICTIONARY:
        return header->dictionary_page_header->num_values;
    default:
        return -1;
    }
}

int32_t lam_page_header_encoding(const lam_meta_page_header *header) {
    switch (header->type) {
    case LAM_PAGE_DATA:
        return header->data_page_header->encoding;
    case LAM_PAGE_DATA_V2:
        return header->data_page_header_v2->encoding;
    case LAM_PAGE_DICTIONARY:
        return header->dictionary_page_header->encoding;
    default:
        return -1;
    }
}

const lam_meta_statistics *lam_page_header_statistics(const lam_meta_page_header *header) {
    switch (header->type) {
    case LAM_PAGE_DATA:
        return header->data_page_header->statistics;
    case LAM_PAGE_DATA_V2:
        return header->data_page_header_v2->statistics;
    default:
        return NULL;
    }
}
