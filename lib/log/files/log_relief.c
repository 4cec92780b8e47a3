/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives back the room that a log's journal takes, when a write of the journal finds the disk full,
 * or too little of it is free: row groups replace the journal.
 *
 *     journal --disk full--> end row groups, sync them --cut the journal--> retention --> go on
 *
 * The invariant: the journal is cut only when every record of it is in a row group that is as
 * durable as the policy demands, so that no durable record is lost; and it leaves room for its row
 * groups, as far as the disk can be measured, so that it can be cut.
 */
#include "log/files/log_relief.h"

#include "base/error.h"
#include "log/files/log_keep.h"
#include "log/folder/disk_room.h"

enum {
    RELIEF_STEP = 64 << 10,  /* bytes of the journal between two looks at the disk */
    RELIEF_SLACK = 64 << 10, /* bytes that files may take beyond estimates, twice */
    RELIEF_SHARE = 8         /* of the journal that records which need it are to have, */
};                           /*   from that share of its limit on */

lam_status lam_log_relief_sync(lam_log_files *files, lam_log_writer *file, lam_error *error) {
    if (file->never_syncs)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_writer_sync(file, error));
    atomic_fetch_add(&files->counts->syncs, 1);
    return LAM_STATUS_OK;
}

lam_status lam_log_relief_checkpoint(lam_log_files *files, lam_log_writer *file, bool needs_footer,
                                     lam_error *error) {
    LAM_TRY(lam_log_writer_checkpoint(file, needs_footer, error));
    LAM_TRY(lam_log_relief_sync(files, file, error));
    atomic_fetch_add(&files->counts->checkpoints, 1);
    return LAM_STATUS_OK;
}

lam_status lam_log_relieve(lam_log_files *files, lam_error *error) {
    for (size_t i = 0; i < files->count; i++)
        if (!files->open[i]->has_ended)
            LAM_TRY(lam_log_relief_checkpoint(files, files->open[i], false, error));
    LAM_TRY(lam_journal_writer_cut(files->journal, error));
    files->journal_measured = 0;
    return LAM_STATUS_OK;
}

static lam_status relief_try(const lam_log_files *files, bool syncs, lam_error *error) {
    return syncs ? lam_journal_writer_sync(files->journal, error)
                 : lam_journal_writer_flush(files->journal, error);
}

lam_status lam_log_relief_keep(lam_log_files *files, bool syncs, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status = relief_try(files, syncs, &failure);
    if (status == LAM_STATUS_IO && failure.code == LAM_ERROR_CODE_DISK_FULL &&
        lam_journal_writer_is_usable(files->journal)) {
        LAM_TRY(lam_log_relieve(files, error));
        return relief_try(files, syncs, error);
    }
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* --- Before it comes to that ----------------------------------------------------------------- */

/*
 * The journal is as large as it may be, or most of it is of records that need it no more, but
 * others keep it from being cut.
 */
static bool relief_is_stale(const lam_log_files *files, uint64_t bytes) {
    const uint64_t most = files->settings->options.journal_bytes;
    uint64_t needed = 0;
    for (size_t i = 0; i < files->count; i++)
        needed += files->open[i]->journal_bytes;
    return bytes >= most || (bytes >= most / RELIEF_SHARE && bytes / RELIEF_SHARE >= needed);
}

/* Bytes that another batch, and then ending all files may take. */
static uint64_t relief_needs(const lam_log_files *files, uint64_t batch_bytes) {
    uint64_t bytes = RELIEF_SLACK + batch_bytes;
    for (size_t i = 0; i < files->count; i++)
        bytes += lam_writer_row_group_bytes(files->open[i]->writer) +
                 lam_writer_metadata_bytes(files->open[i]->writer);
    return 2 * bytes;
}

/* A disk that cannot be measured has room until a write says otherwise. */
static bool relief_is_short(const lam_log_files *files, uint64_t batch_bytes) {
    uint64_t free_bytes, size;
    return files->count > 0 &&
           lam_log_disk_room(files->settings, (const char *)files->open[0]->folder.data,
                             &free_bytes, &size, NULL) == LAM_STATUS_OK &&
           free_bytes < relief_needs(files, batch_bytes);
}

lam_status lam_log_relief_run(lam_log_files *files, uint64_t batch_bytes, bool *ret_ends,
                              lam_error *error) {
    uint64_t bytes = lam_journal_writer_byte_count(files->journal), written = 0;
    *ret_ends = false;
    if (relief_is_stale(files, bytes))
        return lam_log_relieve(files, error);
    if (bytes < files->journal_measured)
        files->journal_measured = 0; /* it was cut */
    if (bytes < files->journal_measured + RELIEF_STEP)
        return LAM_STATUS_OK;
    files->journal_measured = bytes;
    if (!relief_is_short(files, batch_bytes))
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_relieve(files, error));
    lam_log_keep_run(files->settings->keep);
    for (size_t i = 0; i < files->count; i++)
        written += lam_log_writer_bytes(files->open[i]);
    *ret_ends = files->settings->keep != NULL && written >= RELIEF_STEP &&
                relief_is_short(files, batch_bytes);
    return LAM_STATUS_OK;
}
