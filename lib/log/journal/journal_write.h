/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the journal of a log: rows, until they are in a synced row group. */
#ifndef LAM_LOG_JOURNAL_JOURNAL_WRITE_H
#define LAM_LOG_JOURNAL_JOURNAL_WRITE_H

#include <lamella/storage.h>

#include "log/journal/journal_frame.h"

/*
 * An open journal, used by one thread at a time. A call that appends, syncs or truncates and fails
 * poisons the writer: every later call but close and remove is STATE and names the first failure.
 * After INVALID, NOMEM, LIMIT and a flush that found the disk full (DISK_FULL) the journal is as it
 * was.
 */
typedef struct lam_journal_writer lam_journal_writer;

/*
 * Creates the journal `path`, which must not exist, and appends its head. `log_id` is 16 random
 * bytes that no other journal has. The storage and the path are copied; `allocator` may be NULL.
 */
lam_status lam_journal_writer_create(const lam_storage *storage, const char *path,
                                     const lam_input *like, const uint8_t *log_id,
                                     const lam_allocator *allocator,
                                     lam_journal_writer **ret_writer, lam_error *error);

/*
 * Adds a schema, which is shared, with key-values for the footer of its files (NULL: none), or a
 * file of a schema that was added, with its id of 16 bytes and its path relative to the folder of
 * the journal, under its final name. Nothing is written until rows come: frames of schemas and
 * files precede the first rows that need them, again after each cut.
 */
lam_status lam_journal_writer_add_schema(lam_journal_writer *writer, const lam_schema *schema,
                                         const lam_meta_key_value_list *key_values,
                                         uint32_t *ret_schema, lam_error *error);
lam_status lam_journal_writer_add_file(lam_journal_writer *writer, uint32_t schema,
                                       const uint8_t *file_id, const char *path, uint32_t *ret_file,
                                       lam_error *error);
/*
 * Notes that a file is final and durable under its name, so that its rows are not replayed, should
 * it be moved away or removed later; frees its memory. INVALID for an unknown number.
 */
lam_status lam_journal_writer_end_file(lam_journal_writer *writer, uint32_t file, lam_error *error);
/* Frees a file's memory without such a note. Has no effect for an unknown number. */
void lam_journal_writer_forget_file(lam_journal_writer *writer, uint32_t file);

/*
 * Adds complete records of a file: row `first_row` of the file, and record `first_record` of the
 * log, and those after it. `columns` has one element per leaf, as lam_triples_check demands, which
 * is not called. Frames are collected until a flush.
 */
lam_status lam_journal_writer_add_rows(lam_journal_writer *writer, uint32_t file,
                                       uint64_t first_row, uint64_t first_record,
                                       const lam_triples *columns, size_t record_count,
                                       lam_error *error);

/* True when LAM_JOURNAL_APPEND_SIZE bytes are collected, which is enough for an append. */
enum { LAM_JOURNAL_APPEND_SIZE = 64 << 10 };
bool lam_journal_writer_is_due(const lam_journal_writer *writer);
/* Appends the collected frames: the rows then survive the end of the process. */
lam_status lam_journal_writer_flush(lam_journal_writer *writer, lam_error *error);
/*
 * Flushes and syncs: the rows then survive a power cut. The first sync is also that of the folder,
 * which has the name.
 */
lam_status lam_journal_writer_sync(lam_journal_writer *writer, lam_error *error);
/*
 * Cuts the journal back to its head, and drops the collected frames: all its rows are in synced row
 * groups. It is harmless if a power cut undoes this, so it is not synced. If a file has ended since
 * the last cut, the journal is removed and created again.
 */
lam_status lam_journal_writer_cut(lam_journal_writer *writer, lam_error *error);

/* False once it is poisoned. */
bool lam_journal_writer_is_usable(const lam_journal_writer *writer);

/* Bytes of the journal, collected ones included. */
uint64_t lam_journal_writer_byte_count(const lam_journal_writer *writer);

/* Frees the writer and drops the collected frames; the file stays. NULL is allowed. */
void lam_journal_writer_close(lam_journal_writer *writer);
/* Closes, and removes the file, whatever failed before. The folder is not synced. */
lam_status lam_journal_writer_remove(lam_journal_writer *writer, lam_error *error);

#endif
