/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the kinds of ranges, which may be any numbers, in lower case, from one table; programs that
 * read the JSON form compare the names.
 *
 * A kind of the public header without a name here is always "unknown", which a test finds.
 */
#include <lamella/byte_map.h>

const char *lam_byte_kind_name(lam_byte_kind kind) {
    static const char *const names[] = {
        [LAM_BYTE_UNKNOWN] = "unknown",
        [LAM_BYTE_GAP] = "gap",
        [LAM_BYTE_PADDING] = "padding",
        [LAM_BYTE_ENCRYPTED] = "encrypted",
        [LAM_BYTE_MAGIC] = "magic",
        [LAM_BYTE_FOOTER] = "footer",
        [LAM_BYTE_FOOTER_LENGTH] = "footer_length",
        [LAM_BYTE_COLUMN_CHUNK] = "column_chunk",
        [LAM_BYTE_COLUMN_INDEX] = "column_index",
        [LAM_BYTE_OFFSET_INDEX] = "offset_index",
        [LAM_BYTE_BLOOM_FILTER] = "bloom_filter",
        [LAM_BYTE_RECOVERY_RECORD] = "recovery_record",
        [LAM_BYTE_NUMBER] = "number",
        [LAM_BYTE_STRUCT] = "struct",
        [LAM_BYTE_FIELD] = "field",
        [LAM_BYTE_FIELD_HEAD] = "field_head",
        [LAM_BYTE_LIST_HEAD] = "list_head",
        [LAM_BYTE_ELEMENT] = "element",
        [LAM_BYTE_STOP] = "stop",
        [LAM_BYTE_PAGE] = "page",
        [LAM_BYTE_PAGE_HEADER] = "page_header",
        [LAM_BYTE_PAGE_BODY] = "page_body",
        [LAM_BYTE_REPETITION_LEVELS] = "repetition_levels",
        [LAM_BYTE_DEFINITION_LEVELS] = "definition_levels",
        [LAM_BYTE_RUNS_LENGTH] = "runs_length",
        [LAM_BYTE_VALUES] = "values",
        [LAM_BYTE_BIT_WIDTH] = "bit_width",
        [LAM_BYTE_RLE_RUN] = "rle_run",
        [LAM_BYTE_BIT_PACKED_RUN] = "bit_packed_run",
        [LAM_BYTE_RUN_HEADER] = "run_header",
        [LAM_BYTE_RUN_VALUE] = "run_value",
        [LAM_BYTE_PACKED_GROUP] = "packed_group",
        [LAM_BYTE_VALUE] = "value",
        [LAM_BYTE_VALUE_LENGTH] = "value_length",
        [LAM_BYTE_VALUE_BYTES] = "value_bytes",
        [LAM_BYTE_STREAM] = "stream",
        [LAM_BYTE_DELTAS] = "deltas",
        [LAM_BYTE_DELTA_HEADER] = "delta_header",
        [LAM_BYTE_VARINT] = "varint",
        [LAM_BYTE_DELTA_BLOCK] = "delta_block",
        [LAM_BYTE_MINIBLOCK] = "miniblock",
        [LAM_BYTE_ALP_HEADER] = "alp_header",
        [LAM_BYTE_ALP_OFFSETS] = "alp_offsets",
        [LAM_BYTE_ALP_VECTOR] = "alp_vector",
        [LAM_BYTE_ALP_PACKED] = "alp_packed",
        [LAM_BYTE_ALP_EXCEPTIONS] = "alp_exceptions",
        [LAM_BYTE_BLOOM_HEADER] = "bloom_header",
        [LAM_BYTE_BLOOM_BITSET] = "bloom_bitset",
        [LAM_BYTE_BLOOM_BLOCK] = "bloom_block",
        [LAM_BYTE_VARIANT_METADATA] = "variant_metadata",
        [LAM_BYTE_VARIANT_VALUE] = "variant_value",
        [LAM_BYTE_VARIANT_HEADER] = "variant_header",
        [LAM_BYTE_VARIANT_COUNT] = "variant_count",
        [LAM_BYTE_VARIANT_IDS] = "variant_ids",
        [LAM_BYTE_VARIANT_ID] = "variant_id",
        [LAM_BYTE_VARIANT_OFFSETS] = "variant_offsets",
        [LAM_BYTE_VARIANT_OFFSET] = "variant_offset",
        [LAM_BYTE_VARIANT_NAME] = "variant_name",
    };
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof names[0] && names[index] != NULL ? names[index]
                                                                          : "unknown";
}
