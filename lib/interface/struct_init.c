/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the structs that grow for languages that do not compile the headers (docs/abi.md). In: a
 * number of lam_struct_kind, and the caller's memory. Out: the size that this version knows, and
 * the memory with its own size in front and zeros behind.
 *
 * Invariant: nothing but sizes comes from the headers, so that a program with this file links none
 * of what takes the structs.
 */
#include <string.h>

#include <lamella/arrow.h>
#include <lamella/byte_map.h>
#include <lamella/check.h>
#include <lamella/csv.h>
#include <lamella/dataset.h>
#include <lamella/details.h>
#include <lamella/filter_text.h>
#include <lamella/io.h>
#include <lamella/json.h>
#include <lamella/log.h>
#include <lamella/reader.h>
#include <lamella/recover.h>
#include <lamella/rewrite.h>
#include <lamella/salvage.h>
#include <lamella/scan.h>
#include <lamella/table.h>
#include <lamella/variant.h>
#include <lamella/variant_inference.h>
#include <lamella/writer.h>

/* No default, so that the compiler misses a kind without a row. */
#define KNOWN(kind, type)                                                                          \
    case LAM_STRUCT_##kind:                                                                        \
        return sizeof(type)

static size_t struct_known_size(lam_struct_kind kind) {
    switch (kind) {
        KNOWN(OUTPUT_FILE_OPTIONS, lam_output_file_options);
        KNOWN(WRITER_OPTIONS, lam_writer_options);
        KNOWN(READER_OPTIONS, lam_reader_options);
        KNOWN(ROW_GROUP_INFO, lam_row_group_info);
        KNOWN(COLUMN_CHUNK_INFO, lam_column_chunk_info);
        KNOWN(PAGE_INFO, lam_page_info);
        KNOWN(SCAN_OPTIONS, lam_scan_options);
        KNOWN(SCAN_REPORT, lam_scan_report);
        KNOWN(LOG_OPTIONS, lam_log_options);
        KNOWN(LOG_INFO, lam_log_info);
        KNOWN(ARROW_READ_OPTIONS, lam_arrow_read_options);
        KNOWN(ARROW_WRITE_OPTIONS, lam_arrow_write_options);
        KNOWN(SORTING_COLUMN, lam_sorting_column);
        KNOWN(CHUNK_DETAILS, lam_chunk_details);
        KNOWN(PAGE_COUNT, lam_page_count);
        KNOWN(BLOOM_INFO, lam_bloom_info);
        KNOWN(PAGE_INDEX_INFO, lam_page_index_info);
        KNOWN(PAGE_INDEX_ENTRY, lam_page_index_entry);
        KNOWN(RECOVERY, lam_recovery);
        KNOWN(RECOVER_OPTIONS, lam_recover_options);
        KNOWN(UNION_OPTIONS, lam_union_options);
        KNOWN(UNION_NOTICE, lam_union_notice);
        KNOWN(FILTER_TEXT_OPTIONS, lam_filter_text_options);
        KNOWN(VARIANT_BUILDER_OPTIONS, lam_variant_builder_options);
        KNOWN(VARIANT_SHREDDER_OPTIONS, lam_variant_shredder_options);
        KNOWN(VARIANT_ASSEMBLER_OPTIONS, lam_variant_assembler_options);
        KNOWN(VARIANT_INFERENCE_OPTIONS, lam_variant_inference_options);
        KNOWN(JSON_READER_OPTIONS, lam_json_reader_options);
        KNOWN(JSON_PARSER_OPTIONS, lam_json_parser_options);
        KNOWN(JSON_INFERENCE_OPTIONS, lam_json_inference_options);
        KNOWN(JSON_NOTICE, lam_json_notice);
        KNOWN(JSON_WRITER_OPTIONS, lam_json_writer_options);
        KNOWN(CSV_OPTIONS, lam_csv_options);
        KNOWN(CSV_NOTICE, lam_csv_notice);
        KNOWN(DELIMITED_OPTIONS, lam_delimited_options);
        KNOWN(REWRITE_OPTIONS, lam_rewrite_options);
        KNOWN(REWRITE_REPORT, lam_rewrite_report);
        KNOWN(CHECK_OPTIONS, lam_check_options);
        KNOWN(CHECK_TOTALS, lam_check_totals);
        KNOWN(SALVAGE_OPTIONS, lam_salvage_options);
        KNOWN(SALVAGE_LOSS, lam_salvage_loss);
        KNOWN(SALVAGE_ROWS, lam_salvage_rows);
        KNOWN(SALVAGE_REPORT, lam_salvage_report);
        KNOWN(BYTE_MAP_OPTIONS, lam_byte_map_options);
        KNOWN(FILE_INFO, lam_file_info);
        KNOWN(CSV_INFERENCE_INFO, lam_csv_inference_info);
        KNOWN(JSON_INFERENCE_INFO, lam_json_inference_info);
    }
    return 0;
}

size_t lam_struct_init(lam_struct_kind kind, void *memory, size_t size) {
    size_t known = struct_known_size(kind);
    if (known == 0 || memory == NULL || size < sizeof size)
        return known;
    memset(memory, 0, size);
    memcpy(memory, &size, sizeof size);
    return known;
}
