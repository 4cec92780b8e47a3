/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a journal, and replays the rows that they lack. */
#ifndef LAM_LOG_JOURNAL_JOURNAL_REPLAY_H
#define LAM_LOG_JOURNAL_JOURNAL_REPLAY_H

#include <lamella/writer.h>

#include "log/journal/journal_read.h"

/*
 * Reads the entire journal and reports each of its files, borrowed for the call. A failure of
 * `each` ends it. `ret_end` may be NULL.
 */
lam_status lam_journal_list_files(const lam_input *input, const lam_allocator *allocator,
                                  lam_status (*each)(void *state, const lam_journal_file_info *file,
                                                     lam_error *error),
                                  void *state, lam_journal_end *ret_end, lam_error *error);

/* What was replayed for one file. */
typedef struct lam_journal_replayed {
    uint64_t row_count; /* rows that were handed over */
    bool has_gap;       /* rows are missing: the ones from `gap_end` on were not handed over */
    uint64_t gap_end;
    lam_journal_end end; /* of the journal; not reached if there is a gap */
} lam_journal_replayed;

/*
 * Hands over the rows of the file with that id which are not among the `row_count` ones that it
 * has, in order, in batches of complete records; borrowed memory is borrowed for the call. It stops
 * before the first row that does not follow the one before it. A failure of `each` ends it. The
 * caller checks in the list whether the file has ended, and so needs no replay.
 */
lam_status lam_journal_replay(const lam_input *input, const uint8_t *file_id, uint64_t row_count,
                              const lam_allocator *allocator,
                              lam_status (*each)(void *state, const lam_journal_batch *batch,
                                                 const lam_triples *columns, lam_error *error),
                              void *state, lam_journal_replayed *ret_replayed, lam_error *error);
/* The same, into a writer, whose schema must be that of the file: else INVALID. */
lam_status lam_journal_replay_into(const lam_input *input, const uint8_t *file_id,
                                   uint64_t row_count, const lam_allocator *allocator,
                                   lam_writer *writer, lam_journal_replayed *ret_replayed,
                                   lam_error *error);

#endif
