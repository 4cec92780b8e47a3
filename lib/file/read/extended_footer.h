/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers that show more columns than their file has do alike with its footer: the new footer
 * follows chunks in memory, and an extended input shows both in place of the old one.
 */
#ifndef LAM_FILE_READ_EXTENDED_FOOTER_H
#define LAM_FILE_READ_EXTENDED_FOOTER_H

#include "base/arena.h"
#include "file/read/file_reader.h"
#include "meta/metadata.h"

/* Adds a size to a stated one, which may be any number. */
void lam_extended_add_size(int64_t *stated, size_t size);

/*
 * A chunk of the file that claims bytes past the old footer's beginning, at `footer_offset`, is
 * refused when it is read. The new bytes there must not make it readable, so its claim moves by the
 * `tail_size` bytes that were added. A changed description is a copy in `arena`. NOMEM.
 */
lam_status lam_extended_move_claim(const lam_meta_column **column, uint64_t footer_offset,
                                   size_t tail_size, lam_arena *arena, lam_error *error);

/*
 * Opens a reader of a file whose footer is replaced by the bytes of `tail`, which move into the
 * reader on success. The input, the limits and the stop are those of `reader`, which stays open
 * until the new one is closed.
 */
lam_status lam_extended_open(const lam_reader *reader, lam_buffer *tail, lam_reader **ret_reader,
                             lam_error *error);

#endif
