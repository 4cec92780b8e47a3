/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one file of a log, from its creation under a temporary name to its final one. Takes
 * records as triples, with their numbers in the log, and the moments of checkpoints and syncs,
 * which the engine decides; gives a file whose row groups each have a recovery record, and the
 * numbers of the first records that a kill, or a power cut, would take.
 *
 *     create _NAME.part   write ...   checkpoint, sync   ...   finish   sync   rename   sync folder
 *
 * The invariant: a record below `pending` is in a row group that has its recovery record after it,
 * and a record below `unsynced` is on the device, as its file's name is. (README.md of the format,
 * "Error recovery")
 */
#include "log/files/log_writer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/error.h"
#include "log/folder/storage_query.h"

enum {
    FOOTER_SHARE = 50,       /* bytes of the file per byte of dead footers: 2 % */
    FOOTER_BYTES = 16 << 10, /* that a file may have of them in any case */
    FOOTER_FIELD_BYTES = 64  /* of a footer, for each field of the schema: estimate */
};

/* --- Opening ------------------------------------------------------------------------------- */

/* The writer appends to the storage file; syncing and closing it are the business of this file. */
static lam_status log_output_write(void *state, const void *data, size_t size, lam_error *error) {
    lam_log_writer *file = state;
    return file->file.append(file->file.state, data, size, error);
}

static lam_status log_output_finish(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void log_output_close(void *state) {
    (void)state;
}

/* Creates the storage file, and the writer on it. */
static lam_status log_writer_start(lam_log_writer *file, const lam_log_writer_options *options,
                                   lam_error *error) {
    lam_output output = {file, log_output_write, log_output_finish, log_output_close};
    const lam_writer_inside inside = {lam_kernels_get(), options->codecs, 0, options->is_scarce};
    LAM_TRY(lam_storage_create_like(file->storage, (const char *)file->open_path.data,
                                    options->like, &file->file, error));
    LAM_TRY(lam_writer_open_with(&inside, options->schema, &output, options->writer, &file->writer,
                                 error));
    LAM_TRY(lam_writer_copy_key_values(file->writer, options->key_values, error));
    lam_writer_start_records(file->writer, file->id);
    return LAM_STATUS_OK;
}

lam_status lam_log_writer_open(const lam_log_writer_options *options, lam_log_writer **ret_file,
                               lam_error *error) {
    lam_status status;
    const lam_allocator allocator = *options->writer->allocator;
    lam_log_writer *file;
    LAM_TRY(LAM_NEW(&allocator, &file, error));
    file->allocator = allocator;
    file->storage = options->storage;
    lam_buffer_init(&file->key, &allocator);
    lam_buffer_init(&file->folder, &allocator);
    lam_buffer_init(&file->path, &allocator);
    lam_buffer_init(&file->open_path, &allocator);
    file->pending = UINT64_MAX;
    file->unsynced = UINT64_MAX;
    file->unsaved_since = UINT64_MAX;
    file->size_ratio = 1;
    file->opened_at = options->now;
    file->never_syncs = options->never_syncs;
    lam_entropy(file->id, sizeof file->id);
    LAM_TRY_OUT(lam_log_path_join(&file->folder, "", options->folder, "", error));
    LAM_TRY_OUT(lam_log_path_join(&file->path, "", options->path, "", error));
    LAM_TRY_OUT(lam_log_path_mark(&file->open_path, "", options->path, LAM_LOG_SUFFIX_OPEN, error));
    LAM_TRY_OUT(log_writer_start(file, options, error));
    *ret_file = file;
    return LAM_STATUS_OK;
out:
    lam_log_writer_close(file);
    return status;
}

void lam_log_writer_close(lam_log_writer *file) {
    if (file == NULL)
        return;
    lam_allocator allocator = file->allocator;
    lam_writer_close(file->writer);
    lam_storage_file_close(&file->file);
    lam_buffer_finish(&file->key);
    lam_buffer_finish(&file->folder);
    lam_buffer_finish(&file->path);
    lam_buffer_finish(&file->open_path);
    lam_free(&allocator, file, sizeof *file);
}

uint64_t lam_log_writer_bytes(const lam_log_writer *file) {
    return lam_writer_bytes_written(file->writer);
}

/* --- Records ------------------------------------------------------------------------------- */

/* Learns from a row group that ended how much smaller than estimated row groups become. */
static void learn_size(lam_log_writer *file, uint64_t estimated, uint64_t written) {
    double ratio = estimated > 0 ? (double)written / (double)estimated : 1;
    file->size_ratio = file->size_ratio * 0.5 + (ratio < 4 ? ratio : 4) * 0.5;
}

/* Record `index` of a call, by its number in the log. */
static uint64_t record_of(const lam_log_sequence *sequence, size_t index) {
    return sequence->first + (sequence->indexes != NULL ? sequence->indexes[index] : index);
}

/*
 * Notes that row groups may have ended. `sequence` is that of the last `record_count` rows, which
 * were written by this call; if a row group ended among them, the open one begins with one of them.
 */
static void note_row_groups(lam_log_writer *file, size_t record_count,
                            const lam_log_sequence *sequence) {
    uint64_t written = lam_writer_rows_written(file->writer);
    uint64_t before = file->rows - record_count;
    if (written == file->written_rows)
        return;
    uint64_t first = file->pending != UINT64_MAX ? file->pending : record_of(sequence, 0);
    if (file->unsynced == UINT64_MAX)
        file->unsynced = first;
    file->written_rows = written;
    file->pending =
        written < file->rows ? record_of(sequence, (size_t)(written - before)) : UINT64_MAX;
}

lam_status lam_log_writer_write(lam_log_writer *file, const lam_triples *columns,
                                size_t record_count, const lam_log_sequence *sequence, uint64_t now,
                                lam_error *error) {
    uint64_t before = lam_writer_bytes_written(file->writer);
    uint64_t estimated = lam_writer_row_group_bytes(file->writer);
    LAM_TRY(lam_writer_write_checked(file->writer, columns, record_count, error));
    if (lam_writer_bytes_written(file->writer) > before)
        learn_size(file, estimated, lam_writer_bytes_written(file->writer) - before);
    file->rows += record_count;
    if (file->unsaved_since == UINT64_MAX)
        file->unsaved_since = now;
    note_row_groups(file, record_count, sequence);
    if (file->pending == UINT64_MAX && file->written_rows < file->rows)
        file->pending = record_of(sequence, 0);
    return LAM_STATUS_OK;
}

/* They are in row groups then, so that no record of this log is pending. */
lam_status lam_log_writer_resume(lam_log_writer *file, lam_error *error) {
    LAM_TRY(lam_writer_end_row_group(file->writer, error));
    file->rows = lam_writer_rows_written(file->writer);
    file->written_rows = file->rows;
    file->checkpoint_rows = file->rows;
    file->checkpoint_bytes = lam_writer_bytes_written(file->writer);
    return LAM_STATUS_OK;
}

uint64_t lam_log_writer_expected_bytes(const lam_log_writer *file) {
    double open = (double)lam_writer_row_group_bytes(file->writer) * file->size_ratio;
    return lam_writer_bytes_written(file->writer) + (uint64_t)open +
           lam_writer_metadata_bytes(file->writer);
}

/* --- Checkpoints --------------------------------------------------------------------------- */

/* Bytes that a footer would have: estimate. */
static uint64_t next_footer_bytes(const lam_log_writer *file) {
    const lam_schema *schema = lam_writer_schema(file->writer);
    return lam_writer_footer_bytes(file->writer) +
           (uint64_t)lam_schema_field_count(schema) * FOOTER_FIELD_BYTES;
}

/* The first footers of a small file are worth more than their share: readers can open it. */
static bool footer_pays(const lam_log_writer *file, uint64_t bytes) {
    uint64_t allowed = bytes / FOOTER_SHARE;
    if (allowed < FOOTER_BYTES)
        allowed = FOOTER_BYTES;
    return file->footer_bytes + next_footer_bytes(file) <= allowed;
}

lam_status lam_log_writer_end_row_group(lam_log_writer *file, lam_error *error) {
    uint64_t before = lam_writer_bytes_written(file->writer);
    uint64_t estimated = lam_writer_row_group_bytes(file->writer);
    const lam_log_sequence none = {file->pending, NULL};
    LAM_TRY(lam_writer_end_row_group(file->writer, error));
    uint64_t bytes = lam_writer_bytes_written(file->writer);
    if (bytes > before)
        learn_size(file, estimated, bytes - before);
    note_row_groups(file, 0, &none);
    file->journal_bytes = 0;
    return LAM_STATUS_OK;
}

lam_status lam_log_writer_checkpoint(lam_log_writer *file, bool needs_footer, lam_error *error) {
    LAM_TRY(lam_log_writer_end_row_group(file, error));
    uint64_t bytes = lam_writer_bytes_written(file->writer);
    file->unsaved_since = UINT64_MAX;
    file->checkpoint_rows = file->rows;
    file->checkpoint_bytes = bytes;
    if (bytes == file->footer_end || (!needs_footer && !footer_pays(file, bytes)))
        return LAM_STATUS_OK;
    LAM_TRY(lam_writer_checkpoint(file->writer, error));
    file->footer_end = lam_writer_bytes_written(file->writer);
    file->footer_bytes += file->footer_end - bytes;
    return LAM_STATUS_OK;
}

lam_status lam_log_writer_sync(lam_log_writer *file, lam_error *error) {
    uint64_t bytes = lam_writer_bytes_written(file->writer);
    if (bytes > file->synced_bytes)
        LAM_TRY(file->file.sync(file->file.state, error));
    if (!file->is_synced_name)
        LAM_TRY(file->storage->sync_folder(file->storage->state, (const char *)file->folder.data,
                                           error));
    file->is_synced_name = true;
    file->synced_bytes = bytes;
    file->unsynced = UINT64_MAX;
    lam_writer_note_sync(file->writer);
    return LAM_STATUS_OK;
}

lam_status lam_log_writer_end(lam_log_writer *file, lam_error *error) {
    const lam_log_sequence none = {file->pending, NULL};
    LAM_TRY(lam_writer_finish(file->writer, error));
    note_row_groups(file, 0, &none);
    file->unsaved_since = UINT64_MAX;
    file->has_ended = true;
    return file->never_syncs ? LAM_STATUS_OK : lam_log_writer_sync(file, error);
}

/*
 * The content is durable before the name: a crash leaves the temporary name or the complete file.
 */
lam_status lam_log_writer_publish(lam_log_writer *file, lam_error *error) {
    const lam_storage *storage = file->storage;
    LAM_TRY(storage->rename(storage->state, (const char *)file->open_path.data,
                            lam_log_writer_path(file), error));
    if (!file->never_syncs)
        LAM_TRY(storage->sync_folder(storage->state, (const char *)file->folder.data, error));
    lam_storage_file_close(&file->file);
    return LAM_STATUS_OK;
}
