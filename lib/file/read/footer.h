/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two ends of a file:
 *
 *     "PAR1"  column chunks, indexes ...  footer  u32 size of the footer  "PAR1"
 *
 * An encrypted footer ends in "PARE" instead. (README.md of the format, section "File format")
 */
#ifndef LAM_FILE_READ_FOOTER_H
#define LAM_FILE_READ_FOOTER_H

#include <lamella/io.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "meta/metadata.h"

#define LAM_FOOTER_MAGIC "PAR1"
/* The tail is the size and the magic after the footer. */
enum { LAM_FOOTER_MAGIC_SIZE = 4, LAM_FOOTER_TAIL_SIZE = 8 };

/*
 * The footer and where it is; its column chunks stay encoded, in `meta.bytes`. All chunks and
 * indexes must be before `offset`.
 */
typedef struct lam_footer_view {
    lam_meta_file_view meta;
    uint64_t offset; /* of its first byte in the file */
    uint32_t size;   /* bytes */
} lam_footer_view;

/*
 * Finds and reads the footer; its structs are allocated from `arena`, its bytes from the arena's
 * allocator, off the arena's budget, until finish. CORRUPT if this is no Parquet file or a
 * truncated one, UNSUPPORTED if the footer is encrypted, LIMIT if it needs more than the budget.
 */
lam_status lam_footer_view_read(const lam_input *input, lam_arena *arena, lam_footer_view *ret_view,
                                lam_error *error);
/*
 * The same for the bytes of a footer that is not in the file, which are copied; its size is 0, and
 * all that it describes is before `offset`.
 */
lam_status lam_footer_view_copy(lam_bytes bytes, uint64_t offset, lam_arena *arena,
                                lam_footer_view *ret_view, lam_error *error);
void lam_footer_view_finish(lam_footer_view *view, const lam_allocator *allocator);

/* Appends footer, size and magic to `out`. LIMIT if the footer exceeds 2 GiB. */
lam_status lam_footer_write(const lam_meta_file *meta, lam_buffer *out, lam_error *error);
/* The same for a footer whose struct is in `out` already, from byte `first` to its end. */
lam_status lam_footer_close(lam_buffer *out, size_t first, lam_error *error);

#endif
