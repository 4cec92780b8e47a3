/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the sections of a page. In come a header that was read, and where it is; out go ranges:
 *
 *     data page V1      page_header | page_body: repetition levels, definition levels, values
 *     data page V2      page_header | repetition levels | definition levels | page_body: values
 *     dictionary page   page_header | page_body: values
 *
 * The invariant: sizes are those of the header as far as the page has room for them; what they
 * leave over is UNKNOWN. (README.md of the format, "Data Pages"; parquet.thrift, DataPageHeader,
 * DataPageHeaderV2)
 */
#include "byte_map/page_ranges.h"

#include "byte_map/thrift_ranges.h"
#include "meta/tables.h"

static lam_status report_header(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                                lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_PAGE_HEADER, begin, size);
    range.label = lam_meta_page_header_table.name;
    range.is_expandable = true;
    return lam_byte_enter_bytes(walk, &range, lam_byte_struct_inside, &lam_meta_page_header_table,
                                error);
}

static lam_status report_body(lam_byte_walk *walk, lam_codec codec, uint64_t begin, uint64_t size,
                              lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_PAGE_BODY, begin, size);
    if (size == 0)
        return LAM_STATUS_OK;
    range.label = codec == LAM_CODEC_DEFAULT ? NULL : lam_codec_name(codec);
    return lam_byte_leaf(walk, &range, error);
}

lam_status lam_byte_page_sections(lam_byte_walk *walk, const lam_byte_page *page,
                                  lam_error *error) {
    LAM_TRY(report_header(walk, page->begin, page->header_size, error));
    return report_body(walk, page->codec, page->begin + page->header_size,
                       (uint64_t)page->header->compressed_page_size, error);
}

lam_status lam_byte_lone_page(lam_byte_walk *walk, uint64_t begin, uint32_t header_size,
                              uint32_t body_size, lam_error *error) {
    lam_byte_range range =
        lam_byte_range_of(LAM_BYTE_PAGE, begin, (uint64_t)header_size + body_size);
    bool inside;
    range.is_expandable = true;
    range.note = "a page of no column chunk";
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    LAM_TRY(report_header(walk, begin, header_size, error));
    LAM_TRY(report_body(walk, LAM_CODEC_DEFAULT, begin + header_size, body_size, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}
