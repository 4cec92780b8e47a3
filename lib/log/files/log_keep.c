/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the files of a log few, young and small enough, and room on the disk. Takes the moments at
 * which the log checks, and writes that find the disk full; gives fewer files, and writes that
 * succeed.
 *
 *     append --disk full--> take back what it has written --remove the oldest files--> append
 *
 * Only files that the options name are ever removed: those beyond keep_bytes, older than keep_ms,
 * or as many as keep_free requires, all of which a full disk lacks. A write that fails for another
 * reason, or with no file to remove, fails as it would have; and so does a sync, after which the
 * state of the disk is unknown.
 */
#include "log/files/log_keep.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "log/folder/disk_room.h"

/* --- Removing ------------------------------------------------------------------------------ */

static bool keep_has_free(const lam_log_options *options) {
    return options->keep_free_bytes > 0 || options->keep_free_percent > 0;
}

bool lam_log_keep_has_moments(const lam_log_options *options) {
    return options->keep_ms > 0 || keep_has_free(options);
}

static void keep_report(void *state, const char *path, uint64_t bytes) {
    const lam_log_keep *keep = state;
    const lam_log_options *options = &keep->settings->options;
    if (options->on_removed != NULL)
        options->on_removed(options->callback_state, path, bytes);
}

/* What retention needs; its memory is a share of the limit, for small limits. */
static lam_log_retention keep_retention(lam_log_keep *keep) {
    enum { LIMIT_PER_FILE = 64 << 10, FILES_LEAST = 64, FILES_MOST = 1024 };
    const lam_log_settings *settings = keep->settings;
    uint64_t most = settings->options.memory_limit / LIMIT_PER_FILE;
    return (lam_log_retention){.storage = &keep->beneath,
                               .allocator = &settings->allocator,
                               .root = keep->root,
                               .prefix = settings->prefix,
                               .keep_bytes = settings->options.keep_bytes,
                               .keep_ms = settings->options.keep_ms,
                               .run = settings->run,
                               .peers_since = keep->peers_since,
                               .state = keep,
                               .on_removed = keep_report,
                               .at_a_time = most < FILES_LEAST  ? FILES_LEAST
                                            : most > FILES_MOST ? FILES_MOST
                                                                : (size_t)most};
}

/* Makes the memory of retention when it is needed first. */
static lam_status keep_find_retainer(lam_log_keep *keep, lam_error *error) {
    if (keep->retainer != NULL)
        return LAM_STATUS_OK;
    const lam_log_retention retention = keep_retention(keep);
    return lam_log_retainer_create(&retention, &keep->retainer, error);
}

void lam_log_keep_begin(lam_log_keep *keep) {
    static const int64_t nanos = 1000000000;
    int64_t latest;
    if (keep == NULL)
        return;
    const lam_clock *clock = &keep->settings->clock;
    const lam_log_retention retention = keep_retention(keep);
    const int64_t now = clock->utc(clock->state) / nanos;
    if (lam_log_retention_latest(&retention, &latest, NULL) == LAM_STATUS_OK && latest < now)
        keep->peers_since = now;
}

/* Bytes that the disk lacks to have as much free as it is to have, with `needed` more. */
static lam_status keep_lacks(const lam_log_keep *keep, uint64_t needed, uint64_t *ret_bytes,
                             lam_error *error) {
    const lam_log_options *options = &keep->settings->options;
    uint64_t free_bytes = 0, size = 0;
    *ret_bytes = 0;
    if (!keep_has_free(options))
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_disk_room(keep->settings, keep->root, &free_bytes, &size, error));
    uint64_t wanted = size / 100 * options->keep_free_percent;
    wanted = wanted > options->keep_free_bytes ? wanted : options->keep_free_bytes;
    wanted = wanted > UINT64_MAX - needed ? UINT64_MAX : wanted + needed;
    *ret_bytes = wanted > free_bytes ? wanted - free_bytes : 0;
    return LAM_STATUS_OK;
}

/* Gives the files that were removed; failures are counted. */
static uint64_t keep_remove(lam_log_keep *keep, uint64_t must_free) {
    const lam_log_options *options = &keep->settings->options;
    const lam_clock *clock = &keep->settings->clock;
    lam_log_removed removed = {0};
    lam_status status = keep_find_retainer(keep, NULL);
    if (status == LAM_STATUS_OK && (options->keep_bytes | options->keep_ms | must_free) != 0)
        status = lam_log_retainer_run(keep->retainer, clock->utc(clock->state),
                                      clock->monotonic(clock->state), must_free, &removed, NULL);
    atomic_fetch_add(&keep->counts->removed_files, removed.files);
    atomic_fetch_add(&keep->counts->retention_failures, status != LAM_STATUS_OK);
    return removed.files;
}

void lam_log_keep_run(lam_log_keep *keep) {
    uint64_t must_free = 0;
    if (keep == NULL)
        return;
    /* Before the folder is made it cannot be measured, and has no files to remove. */
    lam_error failure = lam_error_none();
    lam_status status = keep_lacks(keep, 0, &must_free, &failure);
    if (failure.code != LAM_ERROR_CODE_FILE_MISSING)
        atomic_fetch_add(&keep->counts->retention_failures, status != LAM_STATUS_OK);
    (void)keep_remove(keep, must_free);
}

void lam_log_keep_add(lam_log_keep *keep, const char *path, uint64_t size) {
    if (keep != NULL && keep->retainer != NULL)
        lam_log_retainer_add(keep->retainer, path, size);
}

void lam_log_keep_forget(lam_log_keep *keep) {
    if (keep == NULL)
        return;
    lam_log_retainer_destroy(keep->retainer);
    keep->retainer = NULL;
}

/* --- A disk that is full --------------------------------------------------------------------- */

/*
 * Removes files so that a write of `needed` bytes may succeed; false when there are none. The
 * folders are listed again: on a shared disk, others have filled them.
 */
static bool keep_make_room(lam_log_keep *keep, uint64_t needed) {
    uint64_t must_free;
    if (keep_lacks(keep, needed, &must_free, NULL) != LAM_STATUS_OK)
        must_free = needed;
    if (must_free == 0 && keep_has_free(&keep->settings->options))
        must_free = needed; /* whatever it reports, it is full */
    return keep_remove(keep, must_free) > 0;
}

static bool keep_is_full(lam_status status, const lam_error *failure) {
    return status == LAM_STATUS_IO && failure->code == LAM_ERROR_CODE_DISK_FULL;
}

/* A file that is written, and how much of it there is. */
typedef struct keep_file {
    lam_log_keep *keep;
    lam_allocator allocator;
    lam_storage_file beneath;
    uint64_t size;
} keep_file;

/* What one call appends: bytes, or a range of an input. */
typedef struct keep_piece {
    const void *data;
    const lam_input *input;
    uint64_t offset;
    uint64_t size;
} keep_piece;

static lam_status keep_write(const keep_file *file, const keep_piece *piece, lam_error *error) {
    const lam_storage_file *beneath = &file->beneath;
    return piece->input == NULL
               ? beneath->append(beneath->state, piece->data, (size_t)piece->size, error)
               : beneath->copy(beneath->state, piece->input, piece->offset, piece->size, error);
}

/* Each try that finds the disk full costs at least one file, so the tries end. */
static lam_status keep_write_piece(keep_file *file, const keep_piece *piece, lam_error *error) {
    const lam_storage_file *beneath = &file->beneath;
    lam_error failure = lam_error_none();
    lam_status status = keep_write(file, piece, &failure);
    while (keep_is_full(status, &failure) &&
           beneath->truncate(beneath->state, file->size, NULL) == LAM_STATUS_OK &&
           keep_make_room(file->keep, piece->size)) {
        failure = lam_error_none();
        status = keep_write(file, piece, &failure);
    }
    if (status == LAM_STATUS_OK)
        file->size += piece->size;
    else if (error != NULL)
        *error = failure;
    return status;
}

static lam_status keep_append(void *state, const void *data, size_t size, lam_error *error) {
    const keep_piece piece = {.data = data, .size = size};
    return keep_write_piece(state, &piece, error);
}

static lam_status keep_copy(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                            lam_error *error) {
    const keep_piece piece = {.input = input, .offset = offset, .size = size};
    return keep_write_piece(state, &piece, error);
}

static lam_status keep_sync(void *state, lam_error *error) {
    const lam_storage_file *beneath = &((keep_file *)state)->beneath;
    return beneath->sync(beneath->state, error);
}

static lam_status keep_truncate(void *state, uint64_t size, lam_error *error) {
    keep_file *file = state;
    LAM_TRY(file->beneath.truncate(file->beneath.state, size, error));
    file->size = size;
    return LAM_STATUS_OK;
}

static void keep_close(void *state) {
    keep_file *file = state;
    lam_allocator allocator = file->allocator;
    lam_storage_file_close(&file->beneath);
    lam_free(&allocator, file, sizeof *file);
}

/* Creates a file beneath; `like` may be NULL. A full disk may have no room for its name. */
static lam_status keep_create_beneath(lam_log_keep *keep, const char *path, const lam_input *like,
                                      lam_storage_file *ret_file, lam_error *error) {
    enum { NAME_BYTES = 4096 };
    const lam_storage *beneath = &keep->beneath;
    for (;;) {
        lam_error failure = lam_error_none();
        lam_status status =
            like != NULL ? beneath->create_like(beneath->state, path, like, ret_file, &failure)
                         : beneath->create(beneath->state, path, ret_file, &failure);
        if (keep_is_full(status, &failure) && keep_make_room(keep, NAME_BYTES))
            continue;
        if (status != LAM_STATUS_OK && error != NULL)
            *error = failure;
        return status;
    }
}

static lam_status keep_create_like(void *state, const char *path, const lam_input *like,
                                   lam_storage_file *ret_file, lam_error *error) {
    lam_log_keep *keep = state;
    const lam_allocator allocator = keep->settings->allocator;
    keep_file *file;
    LAM_TRY(LAM_NEW(&allocator, &file, error));
    file->keep = keep;
    file->allocator = allocator;
    lam_status status = keep_create_beneath(keep, path, like, &file->beneath, error);
    if (status != LAM_STATUS_OK) {
        lam_free(&allocator, file, sizeof *file);
        return status;
    }
    const lam_storage_file made = {
        file,      keep_append,   file->beneath.copy != NULL ? keep_copy : NULL,
        keep_sync, keep_truncate, keep_close};
    *ret_file = made;
    return LAM_STATUS_OK;
}

static lam_status keep_create(void *state, const char *path, lam_storage_file *ret_file,
                              lam_error *error) {
    return keep_create_like(state, path, NULL, ret_file, error);
}

/* --- The rest is the storage beneath --------------------------------------------------------- */

static const lam_storage *keep_beneath(void *state) {
    return &((lam_log_keep *)state)->beneath;
}

static lam_status keep_open(void *state, const char *path, lam_storage_file *ret_file,
                            uint64_t *ret_size, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->open(beneath->state, path, ret_file, ret_size, error);
}

static lam_status keep_open_input(void *state, const char *path, lam_input *ret_input,
                                  lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->open_input(beneath->state, path, ret_input, error);
}

static lam_status keep_rename(void *state, const char *from, const char *to, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->rename(beneath->state, from, to, error);
}

static lam_status keep_replace(void *state, const char *from, const char *to, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->replace(beneath->state, from, to, error);
}

static lam_status keep_remove_name(void *state, const char *path, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->remove(beneath->state, path, error);
}

static lam_status keep_make_folder(void *state, const char *path, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->make_folder(beneath->state, path, error);
}

static lam_status keep_sync_folder(void *state, const char *path, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->sync_folder(beneath->state, path, error);
}

static lam_status keep_list(void *state, const char *path,
                            lam_status (*each)(void *each_state, const lam_storage_entry *entry,
                                               lam_error *error),
                            void *each_state, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->list(beneath->state, path, each, each_state, error);
}

static lam_status keep_open_own(void *state, const char *path, const lam_input *beside,
                                lam_storage_file *ret_file, uint64_t *ret_size, lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->open_own(beneath->state, path, beside, ret_file, ret_size, error);
}

static lam_status keep_resolve(void *state, const char *path, char *target, size_t capacity,
                               lam_error *error) {
    const lam_storage *beneath = keep_beneath(state);
    return beneath->resolve(beneath->state, path, target, capacity, error);
}

void lam_log_keep_init(lam_log_keep *keep, lam_log_settings *settings, lam_log_counts *counts,
                       const char *root) {
    const lam_log_options *options = &settings->options;
    const lam_storage beneath = settings->storage;
    if (options->keep_bytes == 0 && options->keep_ms == 0 && !keep_has_free(options))
        return;
    *keep = (lam_log_keep){settings, counts, root, beneath, NULL, INT64_MAX};
    settings->keep = keep;
    settings->storage = (lam_storage){keep,
                                      keep_create,
                                      keep_open,
                                      keep_open_input,
                                      keep_rename,
                                      keep_replace,
                                      keep_remove_name,
                                      keep_make_folder,
                                      keep_sync_folder,
                                      keep_list,
                                      beneath.create_like != NULL ? keep_create_like : NULL,
                                      beneath.open_own != NULL ? keep_open_own : NULL,
                                      beneath.resolve != NULL ? keep_resolve : NULL};
}

void lam_log_keep_finish(lam_log_keep *keep) {
    lam_log_retainer_destroy(keep->retainer);
    memset(keep, 0, sizeof *keep);
}
