/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two ends of a file:
 *
 *     "PAR1"  column chunks, indexes ...  footer  u32 size of the footer  "PAR1"
 *
 * An encrypted footer ends in "PARE" instead. (README.md of the format, section "File format")
 */
#ifndef LAM_FILE_FOOTER_H
#define LAM_FILE_FOOTER_H

#include <lamella/io.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "meta/metadata.h"

#define LAM_FOOTER_MAGIC "PAR1"
/* The tail is the size and the magic behind the footer. */
enum { LAM_FOOTER_MAGIC_SIZE = 4, LAM_FOOTER_TAIL_SIZE = 8 };

/* The decoded footer and where it is. All chunks and indexes must lie before `offset`. */
typedef struct lam_footer {
    lam_meta_file meta;
    uint64_t offset; /* of its first byte in the file */
    uint32_t size;   /* bytes */
} lam_footer;

/*
 * Finds and reads the footer; its bytes and structs are allocated from `arena`. CORRUPT if this is
 * no Parquet file or a truncated one, UNSUPPORTED if the footer is encrypted, LIMIT if it needs
 * more than the arena's budget.
 */
lam_status lam_footer_read(const lam_input *input, lam_arena *arena, lam_footer *ret_footer,
                           lam_error *error);

/* Appends footer, size and magic to `out`. LIMIT if the footer exceeds 2 GiB. */
lam_status lam_footer_write(const lam_meta_file *meta, lam_buffer *out, lam_error *error);
/* The same for a footer whose struct is in `out` already, from byte `first` to its end. */
lam_status lam_footer_close(lam_buffer *out, size_t first, lam_error *error);

#endif
