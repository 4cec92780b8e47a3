/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports structs that belong to no page: footers, column and offset indexes, headers of Bloom
 * filters with their bitsets, and the magic at both ends. Takes offset and size, and gives ranges
 * by field.
 *
 * Bytes are never loaded before the range is entered, so that an outline reads none. (README.md of
 * the format, "File format"; PageIndex.md; BloomFilter.md; Encryption.md)
 */
#include "byte_map/file/index_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "byte_map/walk/byte_text.h"
#include "byte_map/walk/thrift_ranges.h"
#include "meta/compact.h"

enum {
    BLOOM_BLOCK_BYTES = 32,    /* 8 words of 32 bits */
    FOOTER_SIGNATURE = 12 + 16 /* nonce and tag */
};

/* --- Structs ------------------------------------------------------------------------------- */

lam_status lam_byte_index(lam_byte_walk *walk, lam_byte_kind kind, uint64_t begin, uint64_t size,
                          lam_error *error) {
    const lam_meta_struct *table =
        kind == LAM_BYTE_COLUMN_INDEX ? &lam_meta_column_index_table : &lam_meta_offset_index_table;
    lam_byte_range range = lam_byte_range_of(kind, begin, size);
    range.label = table->name;
    range.is_expandable = size > 0;
    return lam_byte_enter_bytes(walk, &range, lam_byte_struct_inside, table, error);
}

/* Gives the bytes of the struct that a view begins with; all of them if it cannot be measured. */
static size_t measure_struct(lam_byte_view view) {
    size_t size = 0;
    lam_status status = lam_meta_measure((lam_bytes){view.data, view.size}, &size, NULL);
    return status == LAM_STATUS_OK && size > 0 ? size : view.size;
}

/* A plaintext footer is followed by a signature if columns are encrypted. (Encryption.md) */
static lam_status footer_sections(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                  lam_error *error) {
    size_t size = walk->is_signed ? measure_struct(view) : view.size;
    (void)what;
    if (view.size - size != FOOTER_SIGNATURE)
        return lam_byte_struct(walk, &lam_meta_file_table, view, error);
    LAM_TRY(lam_byte_struct(walk, &lam_meta_file_table, lam_byte_view_cut(view, 0, size), error));
    lam_byte_range rest = lam_byte_range_in(LAM_BYTE_ENCRYPTED, view, size, FOOTER_SIGNATURE);
    rest.label = "signature";
    return lam_byte_leaf(walk, &rest, error);
}

lam_status lam_byte_footer(lam_byte_walk *walk, uint64_t begin, uint64_t size, const char *note,
                           lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_FOOTER, begin, size);
    range.label = lam_meta_file_table.name;
    range.note = note;
    range.is_expandable = size > 0;
    return lam_byte_enter_bytes(walk, &range, footer_sections, NULL, error);
}

static lam_status encrypted_sections(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                     lam_error *error) {
    size_t size = measure_struct(view);
    (void)what;
    lam_byte_range head = lam_byte_range_in(LAM_BYTE_STRUCT, view, 0, size);
    head.label = lam_meta_file_crypto_table.name;
    head.is_expandable = true;
    LAM_TRY(lam_byte_enter_view(walk, &head, lam_byte_view_cut(view, 0, size),
                                lam_byte_struct_inside, &lam_meta_file_crypto_table, error));
    if (size == view.size)
        return LAM_STATUS_OK;
    lam_byte_range rest = lam_byte_range_in(LAM_BYTE_ENCRYPTED, view, size, view.size - size);
    rest.label = lam_meta_file_table.name;
    return lam_byte_leaf(walk, &rest, error);
}

lam_status lam_byte_encrypted_footer(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                                     lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_FOOTER, begin, size);
    range.note = "encrypted";
    range.is_expandable = size > 0;
    return lam_byte_enter_bytes(walk, &range, encrypted_sections, NULL, error);
}

/* --- Ends of a file ------------------------------------------------------------------------ */

lam_status lam_byte_magic(lam_byte_walk *walk, uint64_t begin, lam_error *error) {
    char magic[5] = "";
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_MAGIC, begin, 4);
    LAM_TRY(walk->input->read_at(walk->input->state, begin, 4, magic, error));
    range.label = magic;
    range.bytes = (const uint8_t *)magic;
    return lam_byte_leaf(walk, &range, error);
}

lam_status lam_byte_footer_tail(lam_byte_walk *walk, uint64_t begin, lam_error *error) {
    uint8_t bytes[4];
    char text[16];
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_FOOTER_LENGTH, begin, sizeof bytes);
    LAM_TRY(walk->input->read_at(walk->input->state, begin, sizeof bytes, bytes, error));
    snprintf(text, sizeof text, "%" PRIu32, lam_load_le32(bytes));
    range.value = text;
    range.bytes = bytes;
    LAM_TRY(lam_byte_leaf(walk, &range, error));
    return lam_byte_magic(walk, begin + sizeof bytes, error);
}

/* --- Bloom filters ------------------------------------------------------------------------- */

/* A block by its 8 words. */
static lam_status report_block(lam_byte_walk *walk, lam_byte_view view, size_t at, int64_t index,
                               lam_error *error) {
    char text[8 * 9 + 1];
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_BLOOM_BLOCK, view, at, BLOOM_BLOCK_BYTES);
    for (size_t word = 0; word < 8; word++)
        snprintf(text + 9 * word, sizeof text - 9 * word, "%08" PRIx32 "%s",
                 lam_load_le32(view.data + at + 4 * word), word < 7 ? " " : "");
    range.first = index;
    range.count = 1;
    range.value = text;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status report_blocks(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                lam_error *error) {
    size_t blocks = view.size / BLOOM_BLOCK_BYTES;
    (void)what;
    for (size_t i = 0; i < blocks; i++)
        LAM_TRY(report_block(walk, view, i * BLOOM_BLOCK_BYTES, (int64_t)i, error));
    return lam_byte_unknown(walk, view, blocks * BLOOM_BLOCK_BYTES,
                            view.size - blocks * BLOOM_BLOCK_BYTES, error,
                            "a bitset is made of blocks of %d bytes", BLOOM_BLOCK_BYTES);
}

/* Header and bitset; the header states the bitset's size. */
static lam_status bloom_sections(lam_byte_walk *walk, lam_byte_view view, size_t head_size,
                                 int32_t stated, lam_error *error) {
    size_t left = view.size - head_size;
    size_t bits = stated > 0 && (size_t)stated < left ? (size_t)stated : left;
    lam_byte_range head = lam_byte_range_in(LAM_BYTE_BLOOM_HEADER, view, 0, head_size);
    lam_byte_range set = lam_byte_range_in(LAM_BYTE_BLOOM_BITSET, view, head_size, bits);
    head.label = lam_meta_bloom_filter_header_table.name;
    head.is_expandable = true;
    LAM_TRY(lam_byte_enter_view(walk, &head, lam_byte_view_cut(view, 0, head_size),
                                lam_byte_struct_inside, &lam_meta_bloom_filter_header_table,
                                error));
    set.count = (int64_t)(bits / BLOOM_BLOCK_BYTES);
    set.is_expandable = bits > 0;
    LAM_TRY(lam_byte_enter_view(walk, &set, lam_byte_view_cut(view, head_size, bits), report_blocks,
                                NULL, error));
    return lam_byte_unknown(walk, view, head_size + bits, left - bits, error,
                            "bytes behind the bitset, of which the header states %" PRId32, stated);
}

static lam_status inside_of_bloom(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                  lam_error *error) {
    lam_meta_bloom_filter_header header;
    lam_arena arena;
    lam_error cause = lam_error_none();
    size_t size = 0;
    (void)what;
    lam_arena_init(&arena, &walk->allocator, (size_t)walk->limit);
    lam_status status = lam_meta_read_bloom_filter_header((lam_bytes){view.data, view.size}, &arena,
                                                          &header, &size, &cause);
    lam_arena_finish(&arena);
    if (status == LAM_STATUS_OK && size > 0)
        return bloom_sections(walk, view, size, header.num_bytes, error);
    if (status == LAM_STATUS_OK)
        return lam_byte_unknown(walk, view, 0, view.size, error, "the bytes end inside the header");
    /* unreachable: a header takes no memory, whose lack alone is no damage */
    if (lam_byte_is_damage(status))
        return lam_byte_unknown(walk, view, 0, view.size, error, "%s", cause.message);
    /* unreachable: likewise */
    if (error != NULL)
        *error = cause;
    return status;
}

lam_status lam_byte_bloom(lam_byte_walk *walk, uint64_t begin, uint64_t size, lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_BLOOM_FILTER, begin, size);
    range.is_expandable = true;
    return lam_byte_enter_bytes(walk, &range, inside_of_bloom, NULL, error);
}
