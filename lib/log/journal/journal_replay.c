/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays the rows of a journal that a file lacks: takes a journal, the id of the file, and how
 * many rows the file has, and gives the rows after them as batches of triples, to a callback or a
 * writer.
 *
 * The invariant: rows are handed over in their order, each once, and none after a gap. A journal
 * may still have rows that are in the file: it is cut back only after they are synced there, and a
 * power cut may undo that. Such batches are skipped, or cut at a record.
 */
#include "log/journal/journal_replay.h"

#include <string.h>

#include "base/error.h"
#include "file/write/triple_batch.h"
#include "schema/tree.h"

lam_status lam_journal_list_files(const lam_input *input, const lam_allocator *allocator,
                                  lam_status (*each)(void *state, const lam_journal_file_info *file,
                                                     lam_error *error),
                                  void *state, lam_journal_end *ret_end, lam_error *error) {
    lam_status status;
    lam_journal_reader *reader;
    lam_journal_batch batch;
    bool found = true;
    LAM_TRY(lam_journal_reader_open(input, allocator, &reader, error));
    while (found)
        LAM_TRY_OUT(lam_journal_reader_next(reader, &batch, &found, error));
    const lam_journal_file_info *file;
    for (size_t i = 0; (file = lam_journal_reader_file(reader, i)) != NULL; i++)
        LAM_TRY_OUT(each(state, file, error));
    if (ret_end != NULL)
        *ret_end = lam_journal_reader_end(reader);
    status = LAM_STATUS_OK;
out:
    lam_journal_reader_close(reader);
    return status;
}

/*
 * Hands over the rows of a batch from row `next_row` on, of which it has at least one: the records
 * before are taken from the start of each column.
 */
static lam_status
journal_hand_over(lam_journal_reader *reader, lam_journal_batch batch, uint64_t next_row,
                  lam_status (*each)(void *state, const lam_journal_batch *batch,
                                     const lam_triples *columns, lam_error *error),
                  void *state, lam_error *error) {
    lam_triples *columns;
    size_t skipped = (size_t)(next_row - batch.first_row);
    const lam_schema *schema = batch.file->schema;
    LAM_TRY(lam_journal_reader_columns(reader, &columns, error));
    const lam_kernels *kernels = lam_kernels_get();
    for (size_t i = 0; skipped > 0 && i < schema->leaf_count; i++)
        (void)lam_triples_take(kernels, lam_leaf_at(schema, i), &columns[i], skipped);
    batch.first_row += skipped;
    batch.first_record += skipped;
    batch.record_count -= skipped;
    return each(state, &batch, columns, error);
}

lam_status lam_journal_replay(const lam_input *input, const uint8_t *file_id, uint64_t row_count,
                              const lam_allocator *allocator,
                              lam_status (*each)(void *state, const lam_journal_batch *batch,
                                                 const lam_triples *columns, lam_error *error),
                              void *state, lam_journal_replayed *ret_replayed, lam_error *error) {
    lam_status status;
    lam_journal_reader *reader;
    lam_journal_batch batch;
    lam_journal_replayed replayed = {0};
    uint64_t next_row = row_count;
    bool found = true;
    LAM_TRY(lam_journal_reader_open(input, allocator, &reader, error));
    for (;;) {
        LAM_TRY_OUT(lam_journal_reader_next(reader, &batch, &found, error));
        if (!found)
            break;
        uint64_t end_row = batch.first_row + batch.record_count;
        if (memcmp(batch.file->id, file_id, LAM_JOURNAL_ID_SIZE) != 0 || end_row <= next_row)
            continue;
        if (batch.first_row > next_row) {
            replayed.has_gap = true;
            replayed.gap_end = batch.first_row;
            break;
        }
        LAM_TRY_OUT(journal_hand_over(reader, batch, next_row, each, state, error));
        next_row = end_row;
    }
    replayed.row_count = next_row - row_count;
    replayed.end = lam_journal_reader_end(reader);
    *ret_replayed = replayed;
    status = LAM_STATUS_OK;
out:
    lam_journal_reader_close(reader);
    return status;
}

static lam_status journal_write_batch(void *state, const lam_journal_batch *batch,
                                      const lam_triples *columns, lam_error *error) {
    lam_writer *writer = state;
    if (!lam_schema_equals(lam_writer_schema(writer), batch->file->schema))
        LAM_FAIL(error, LAM_STATUS_INVALID, "the file in the journal has another schema");
    return lam_writer_write_triples(writer, columns, batch->record_count, error);
}

lam_status lam_journal_replay_into(const lam_input *input, const uint8_t *file_id,
                                   uint64_t row_count, const lam_allocator *allocator,
                                   lam_writer *writer, lam_journal_replayed *ret_replayed,
                                   lam_error *error) {
    return lam_journal_replay(input, file_id, row_count, allocator, journal_write_batch, writer,
                              ret_replayed, error);
}
