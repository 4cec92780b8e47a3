/*
 * The ends of a file:
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
enum { LAM_FOOTER_MAGIC_SIZE = 4, LAM_FOOTER_TAIL_SIZE = 8 };

typedef struct lam_footer {
    lam_meta_file meta;
    uint64_t offset; /* of its first byte in the file */
    uint32_t size;   /* bytes */
} lam_footer;

/*
 * Finds and reads the footer. Its bytes and structs are allocated from `arena`. CORRUPT when this
 * is no Parquet file or a truncated one, UNSUPPORTED when the footer is encrypted, LIMIT when it is
 * above the arena's budget.
 */
lam_status lam_footer_read(const lam_input *input, lam_arena *arena, lam_footer *ret_footer,
                           lam_error *error);

/* Appends footer, size and magic to `out`. LIMIT when the footer passes 2 GiB. */
lam_status lam_footer_write(const lam_meta_file *meta, lam_buffer *out, lam_error *error);

#endif
