/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers that show more columns than their file has do alike with its footer: the new one is
 * behind chunks in memory, and an extended input shows both in place of the old one.
 */
#ifndef LAM_FILE_READ_EXTENDED_FOOTER_H
#define LAM_FILE_READ_EXTENDED_FOOTER_H

#include "base/arena.h"
#include "file/read/file_reader.h"
#include "meta/metadata.h"

/* Adds a size to a stated one, which may be any number. */
void lam_extended_add_size(int64_t *stated, size_t size);

/*
 * A chunk of the file that claims bytes behind the old footer's beginning, at `footer_offset`, is
 * refused when it is read. What is there now must not make it readable, so its claim moves by the
 * `tail_size` bytes that were added. A changed description is a copy in `arena`. NOMEM.
 */
lam_status lam_extended_move_claim(const lam_meta_column **column, uint64_t footer_offset,
                                   size_t tail_size, lam_arena *arena, lam_error *error);

/*
 * Opens a reader of what a file becomes with the bytes of `tail`, which move into it on success, in
 * place of its footer. The input, the limits and the stop are those of `reader`, which stays open
 * until the new one is closed.
 */
lam_status lam_extended_open(const lam_reader *reader, lam_buffer *tail, lam_reader **ret_reader,
                             lam_error *error);

#endif
