/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the metadata structs in Thrift's compact protocol.
 *
 * Reading allocates lists and structs from `arena` (whose budget bounds them) and borrows strings
 * from the bytes given, so both must outlive the result. CORRUPT if the bytes are not the struct,
 * with the offset of the culprit counted from the first byte given; LIMIT if the arena's budget is
 * spent. Unknown fields are skipped, and so are known ones of another type, as in Thrift's own
 * readers; unknown union members and enum numbers are kept as such. On failure `*ret` is untouched;
 * memory from the arena stays in the arena.
 *
 * There are two manners. lam_meta_read_file, which has the exact length from the file, requires the
 * bytes to hold the complete struct, and ignores all after it. The others give in `*ret_size` how
 * many bytes the struct took, at least 1; OK with `*ret_size` 0 (and `*ret` untouched) means that
 * the bytes end inside the struct, so that the caller may fetch more and try again.
 *
 * Writing appends to `out` and fails with NOMEM, or INVALID if a string or list has more than 2^31
 * - 1 bytes or elements; `out` then has its old size. `error` may be NULL everywhere.
 */
#ifndef LAM_META_COMPACT_H
#define LAM_META_COMPACT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "meta/metadata.h"

lam_status lam_meta_read_file(lam_bytes bytes, lam_arena *arena, lam_meta_file *ret,
                              lam_error *error);
lam_status lam_meta_write_file(const lam_meta_file *file, lam_buffer *out, lam_error *error);

/*
 * Reads a footer whose column chunks stay encoded: they are checked as lam_meta_read_file checks
 * them, with the same failures, and cost 4 bytes each. `bytes` must outlive the view.
 */
lam_status lam_meta_read_file_view(lam_bytes bytes, lam_arena *arena, lam_meta_file_view *ret,
                                   lam_error *error);
/*
 * Decodes a column chunk, or all of a row group, of a view. Only memory can be lacking, unless the
 * bytes have changed. Both indexes must be in range.
 */
lam_status lam_meta_read_column_chunk(const lam_meta_file_view *file, size_t row_group,
                                      size_t column, lam_arena *arena, lam_meta_column_chunk *ret,
                                      lam_error *error);
/* Gives a row group of a view without any column chunk. */
lam_meta_row_group lam_meta_bare_row_group(const lam_meta_row_group_view *view);
lam_status lam_meta_read_viewed_group(const lam_meta_file_view *file, size_t row_group,
                                      lam_arena *arena, lam_meta_row_group *ret, lam_error *error);

/*
 * Gives the bytes that a struct of any kind takes, without decoding it: 0 when it ends beyond the
 * bytes given. CORRUPT when they begin no struct.
 */
lam_status lam_meta_measure(lam_bytes bytes, size_t *ret_size, lam_error *error);

lam_status lam_meta_read_row_group(lam_bytes bytes, lam_arena *arena, lam_meta_row_group *ret,
                                   size_t *ret_size, lam_error *error);
lam_status lam_meta_write_row_group(const lam_meta_row_group *group, lam_buffer *out,
                                    lam_error *error);

/* CORRUPT, too, when the header lacks the struct that goes with its type: see page_header.h. */
lam_status lam_meta_read_page_header(lam_bytes bytes, lam_arena *arena, lam_meta_page_header *ret,
                                     size_t *ret_size, lam_error *error);
lam_status lam_meta_write_page_header(const lam_meta_page_header *header, lam_buffer *out,
                                      lam_error *error);

lam_status lam_meta_read_offset_index(lam_bytes bytes, lam_arena *arena, lam_meta_offset_index *ret,
                                      size_t *ret_size, lam_error *error);
lam_status lam_meta_write_offset_index(const lam_meta_offset_index *index, lam_buffer *out,
                                       lam_error *error);

lam_status lam_meta_read_column_index(lam_bytes bytes, lam_arena *arena, lam_meta_column_index *ret,
                                      size_t *ret_size, lam_error *error);
lam_status lam_meta_write_column_index(const lam_meta_column_index *index, lam_buffer *out,
                                       lam_error *error);

lam_status lam_meta_read_bloom_filter_header(lam_bytes bytes, lam_arena *arena,
                                             lam_meta_bloom_filter_header *ret, size_t *ret_size,
                                             lam_error *error);
lam_status lam_meta_write_bloom_filter_header(const lam_meta_bloom_filter_header *header,
                                              lam_buffer *out, lam_error *error);

/* A part of the footer, for comparing it with the bytes of another one. */
lam_status lam_meta_write_logical_type(const lam_meta_logical_type *type, lam_buffer *out,
                                       lam_error *error);

lam_status lam_meta_read_file_crypto(lam_bytes bytes, lam_arena *arena, lam_meta_file_crypto *ret,
                                     size_t *ret_size, lam_error *error);
lam_status lam_meta_write_file_crypto(const lam_meta_file_crypto *crypto, lam_buffer *out,
                                      lam_error *error);

#endif
