/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up the bytes of a column, by its chunks, as the footer states them, and the headers of the
 * pages of a few. No page is ever decoded, and the work is bounded, however many chunks and pages
 * there are.
 */
#include "size_facts.h"

#include "tool.h"

enum { CHUNKS_WALKED = 4, PAGES_WALKED = 2000 /* of each */ };

static void add_details(const lam_reader *reader, size_t group, size_t leaf, size_facts *facts) {
    lam_chunk_details details = lam_chunk_details_default();
    if (lam_reader_chunk_details(reader, group, leaf, &details, NULL) != LAM_STATUS_OK)
        return;
    const lam_statistics *known = &details.statistics;
    const lam_bytes bounds[] = {known->min_value, known->max_value, known->old_min, known->old_max};
    for (size_t i = 0; i < 4; i++) {
        double size = bounds[i].data == NULL ? 0 : (double)bounds[i].size;
        facts->bound_bytes += size;
        facts->longest_bound = size > facts->longest_bound ? size : facts->longest_bound;
    }
    facts->bloom += details.bloom_filter_length > 0 ? (double)details.bloom_filter_length : 0;
    facts->page_index += details.column_index_length > 0 ? (double)details.column_index_length : 0;
    facts->page_index += details.offset_index_length > 0 ? (double)details.offset_index_length : 0;
}

static double at_least_zero(int64_t number) {
    return number > 0 ? (double)number : 0;
}

static void add_chunk(const lam_column_chunk_info *info, size_facts *facts) {
    facts->stored += at_least_zero(info->total_compressed_size);
    facts->triples += at_least_zero(info->value_count);
    facts->nulls =
        facts->nulls < 0 || info->null_count < 0 ? -1 : facts->nulls + (double)info->null_count;
    if (facts->chunks == 0)
        facts->codec = info->codec;
    else if (facts->codec != info->codec)
        facts->codec = LAM_CODEC_DEFAULT;
    facts->chunks++;
}

static lam_status walk_pages(const lam_reader *reader, size_t group, size_t leaf, size_facts *facts,
                             lam_error *error) {
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true, has_dictionary = false;
    double plain = 0;
    lam_status status = lam_page_list_open(reader, group, leaf, &list, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < PAGES_WALKED; i++) {
        status = lam_page_list_next(list, &page, &more, error);
        if (status != LAM_STATUS_OK || !more)
            break;
        double size = (double)page.header_size + (double)page.compressed_size;
        facts->walked += size;
        if (page.type == LAM_PAGE_DICTIONARY) {
            has_dictionary = true;
            facts->dictionary_bytes += size;
        } else if (page.type == LAM_PAGE_DATA || page.type == LAM_PAGE_DATA_V2) {
            facts->data_pages++;
            facts->data_bytes += size;
            facts->header_bytes += page.header_size;
            if (page.encoding >= 0 && page.encoding < 32)
                facts->encodings |= UINT32_C(1) << page.encoding;
            plain += page.encoding == LAM_ENCODING_PLAIN ? size : 0;
        }
    }
    lam_page_list_close(list);
    if (has_dictionary && plain > 0) {
        facts->given_up++;
        facts->plain_after += plain;
    }
    return status;
}

lam_status size_collect(const lam_reader *reader, size_t leaf, size_facts *ret_facts,
                        lam_error *error) {
    size_facts facts = {.leaf = leaf, .codec = LAM_CODEC_DEFAULT};
    size_t groups = lam_reader_row_group_count(reader);
    for (size_t group = 0; group < groups; group++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        lam_status status = lam_reader_column_chunk(reader, group, leaf, &info, error);
        if (status != LAM_STATUS_OK)
            return status;
        lam_row_group_info rows = lam_row_group_info_default();
        status = lam_reader_row_group(reader, group, &rows, error);
        if (status != LAM_STATUS_OK)
            return status;
        if (rows.row_count > facts.rows_of_chunk)
            facts.rows_of_chunk = rows.row_count;
        add_chunk(&info, &facts);
        add_details(reader, group, leaf, &facts);
    }
    size_t walked = groups < CHUNKS_WALKED ? groups : CHUNKS_WALKED;
    for (size_t i = 0; i < walked; i++) {
        lam_status status = walk_pages(reader, groups / walked * i, leaf, &facts, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    *ret_facts = facts;
    return LAM_STATUS_OK;
}
