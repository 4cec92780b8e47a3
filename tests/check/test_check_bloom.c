/* SPDX-License-Identifier: Apache-2.0 */
/* Bloom filters that are not true. */
#include "check/forge.h"

FORGED(check_bloom, a_value_that_the_filter_denies_is_found, "bloom-value",
       memset(id->bloom, 0, sizeof id->bloom))
FORGED(check_bloom, one_missing_bit_is_found, "bloom-value", int byte = 0;
       while (name->bloom[byte] == 0) byte++; name->bloom[byte] &= (uint8_t)(name->bloom[byte] - 1))
FORGED(check_bloom, a_length_that_is_not_is_found, "bloom-length", id->bloom_length = 1)
FORGED(check_bloom, a_bitset_has_whole_blocks, "bloom-header", id->bloom_header.num_bytes = 40)
FORGED(check_bloom, an_empty_bitset_is_none, "bloom-header", id->bloom_header.num_bytes = 0)
FORGED(check_bloom, a_bitset_of_any_number_of_blocks_is_read, "bloom-length bloom-value",
       /* The other half of the bits is then asked in vain. */
       id->bloom_header.num_bytes = 32;
       memset(id->bloom, 0, 32))
FORGED(check_bloom, an_algorithm_nobody_knows_is_passed_over, "unsupported",
       id->bloom_header.algorithm.kind = LAM_META_UNION_EMPTY)
FORGED(check_bloom, a_bitset_that_runs_into_the_footer_is_out_of_range, "bloom-length index-range",
       rich_chunk *last = &file->chunks[1][RICH_X];
       last->bloom_header.num_bytes = 96)
FORGED(check_bloom, a_hash_nobody_knows_is_passed_over, "unsupported",
       id->bloom_header.hash.kind = LAM_META_UNION_EMPTY)
FORGED(check_bloom, a_compression_nobody_knows_is_passed_over, "unsupported",
       id->bloom_header.compression.kind = LAM_META_UNION_EMPTY)
