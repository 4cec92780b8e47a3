/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes old files of a log, which is a storage with a folder and a prefix, until as many bytes,
 * or as much time, are left as may stay, and counts the removed ones.
 *
 * A walk lists all folders, sums up the final files, and remembers a bounded number of the oldest,
 * which are removed from the oldest on until all others may stay; then another walk may follow. A
 * log keeps that memory, adds its own files, and walks again after RETENTION_WALK_NS, as others may
 * have added or removed files.
 *
 * Only names that the log makes are ever removed, and only files of its own user count. The time in
 * a name counts, not one of the file system, which a copy changes; but a clock that is behind gives
 * new files the oldest names, so files of the run are removed last, and the youngest stays.
 */
#include "log/folder/log_retention.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/sort.h"
#include "dataset/partition/partition.h"
#include "log/folder/log_name.h"

enum { RETENTION_AT_A_TIME = 1024 };

static const uint64_t RETENTION_WALK_NS = UINT64_C(600000000000); /* ten minutes */

/* A file that may be removed. */
typedef struct retention_file {
    int64_t seconds; /* in its name */
    bool is_of_run;
    uint64_t size;
    char *path;       /* from the allocator */
    size_t path_size; /* bytes, with the NUL */
} retention_file;

/* One walk through all folders. */
typedef struct retention_pass {
    const lam_log_retention *of;
    lam_allocator allocator;
    size_t most;                    /* files that are remembered at its end */
    LAM_LIST(retention_file) files; /* twice as many before they are cut */
    bool is_cut;                    /* younger files were forgotten */
    int64_t bound;                  /* if so: files of a later second are forgotten at once, */
    bool has_run_bound;             /*   and others if this second is one of the run's files */
    uint64_t sum;                   /* bytes of all final files */
    uint64_t must_free;             /* bytes that are still to go in any case */
    int64_t latest;                 /* second in a name that the last walk has found */
    lam_buffer newest;  /* the path of the file that ended last, with a NUL; empty: none */
    lam_buffer folders; /* below the root, still to be listed: texts with NULs, the last one next */
    lam_buffer folder;  /* the current one, below the root; with a NUL */
    lam_buffer path;
    lam_buffer name;
} retention_pass;

/* --- Remembering files --------------------------------------------------------------------- */

/*
 * Those of the run last, by time, then by path: the choice does not depend on the order of listing.
 */
static int retention_by_age(const void *state, const void *a, const void *b) {
    const retention_file *first = a, *second = b;
    (void)state;
    if (first->is_of_run != second->is_of_run)
        return first->is_of_run ? 1 : -1;
    if (first->seconds != second->seconds)
        return first->seconds < second->seconds ? -1 : 1;
    return strcmp(first->path, second->path);
}

static void retention_sort(retention_pass *pass) {
    lam_sort(pass->files.items, pass->files.count, sizeof(retention_file), retention_by_age, NULL);
}

/* Sorts the files and forgets all but the oldest `count`, which is not 0. */
static void retention_cut(retention_pass *pass, size_t count) {
    retention_file *files = pass->files.items;
    size_t before = pass->files.count;
    retention_sort(pass);
    if (before <= count)
        return;
    for (size_t i = count; i < before; i++)
        lam_free(&pass->allocator, files[i].path, files[i].path_size);
    pass->files.count = count;
    pass->is_cut = true;
    pass->bound = files[count - 1].seconds;
    pass->has_run_bound = files[count - 1].is_of_run;
}

/* Whether a file is younger than all that are remembered, and some were forgotten. */
static bool retention_is_forgotten(const retention_pass *pass, const retention_file *file) {
    if (!pass->is_cut || file->is_of_run != pass->has_run_bound)
        return pass->is_cut && file->is_of_run;
    return file->seconds > pass->bound;
}

/* Remembers a file, unless it is among those that were forgotten. */
static lam_status retention_add(retention_pass *pass, const char *path, const lam_log_name *name,
                                uint64_t size, lam_error *error) {
    retention_file file = {.seconds = name->utc_seconds,
                           .is_of_run = lam_log_name_is_of_run(name, pass->of->run) ||
                                        name->utc_seconds >= pass->of->peers_since,
                           .size = size,
                           .path_size = strlen(path) + 1};
    void *memory;
    if (retention_is_forgotten(pass, &file))
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_RESERVE(&pass->files, 1, error));
    LAM_TRY(lam_alloc(&pass->allocator, file.path_size, &memory, error));
    file.path = memcpy(memory, path, file.path_size);
    pass->files.items[pass->files.count++] = file;
    if (pass->files.count >= 2 * pass->most)
        retention_cut(pass, pass->most);
    return LAM_STATUS_OK;
}

/* --- Listing ------------------------------------------------------------------------------- */

/* Path of an entry of the folder in work. */
static lam_status retention_join(retention_pass *pass, const char *name, lam_error *error) {
    LAM_TRY(lam_log_path_join(&pass->name, (const char *)pass->folder.data, name, "", error));
    return lam_log_path_join(&pass->path, pass->of->root, (const char *)pass->name.data, "", error);
}

/* Puts a partition folder on the list; all others are not the log's. */
static lam_status retention_add_folder(retention_pass *pass, const char *name, lam_error *error) {
    const char *folder = (const char *)pass->folder.data;
    size_t depth = folder[0] != '\0';
    for (; *folder != '\0'; folder++)
        depth += *folder == '/';
    if (depth >= LAM_PARTITION_DEPTH_MAX || strchr(name, '=') == NULL || name[0] == '=')
        return LAM_STATUS_OK;
    LAM_TRY(retention_join(pass, name, error));
    return lam_buffer_append(&pass->folders, pass->name.data, pass->name.size, error);
}

static lam_status retention_each(void *state, const lam_storage_entry *entry, lam_error *error) {
    retention_pass *pass = state;
    lam_log_name name;
    if (entry->is_folder)
        return retention_add_folder(pass, entry->name, error);
    if (entry->is_foreign || !lam_log_name_parse_of(entry->name, pass->of->prefix, &name) ||
        name.stage != LAM_LOG_STAGE_FINAL)
        return LAM_STATUS_OK;
    pass->sum += entry->size;
    pass->latest = name.utc_seconds > pass->latest ? name.utc_seconds : pass->latest;
    LAM_TRY(retention_join(pass, entry->name, error));
    if (pass->of->is_kept != NULL &&
        pass->of->is_kept(pass->of->state, (const char *)pass->path.data))
        return LAM_STATUS_OK;
    return retention_add(pass, (const char *)pass->path.data, &name, entry->size, error);
}

static bool retention_is_missing(const lam_error *failure) {
    return failure->code == LAM_ERROR_CODE_FILE_MISSING;
}

/* Moves the last folder of the list to `folder`. */
static lam_status retention_next_folder(retention_pass *pass, lam_error *error) {
    const uint8_t *folders = pass->folders.data;
    size_t first = pass->folders.size - 1;
    while (first > 0 && folders[first - 1] != '\0')
        first--;
    lam_buffer_clear(&pass->folder);
    LAM_TRY(lam_buffer_append(&pass->folder, folders + first, pass->folders.size - first, error));
    pass->folders.size = first;
    return LAM_STATUS_OK;
}

static void retention_free_files(retention_pass *pass, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        lam_free(&pass->allocator, pass->files.items[i].path, pass->files.items[i].path_size);
}

/*
 * Finds the oldest files, sorted, and the bytes of all; forgets all of before. Folders are listed
 * one after the other, not within each other: a storage may hold a lock while it lists.
 */
static lam_status retention_walk(retention_pass *pass, lam_error *error) {
    const lam_storage *storage = pass->of->storage;
    retention_free_files(pass, 0, pass->files.count);
    pass->files.count = 0;
    lam_buffer_clear(&pass->folders);
    pass->is_cut = false;
    pass->sum = 0;
    pass->latest = INT64_MIN;
    LAM_TRY(lam_buffer_append_byte(&pass->folders, '\0', error)); /* the root */
    while (pass->folders.size > 0) {
        lam_error failure = lam_error_none();
        LAM_TRY(retention_next_folder(pass, error));
        LAM_TRY(lam_log_path_join(&pass->path, pass->of->root, (const char *)pass->folder.data, "",
                                  error));
        /* `path` changes while entries are reported. */
        lam_buffer path = pass->path;
        lam_buffer_init(&pass->path, &pass->allocator);
        lam_status status =
            storage->list(storage->state, (const char *)path.data, retention_each, pass, &failure);
        lam_buffer_finish(&path);
        if (status != LAM_STATUS_OK && !retention_is_missing(&failure)) {
            if (error != NULL)
                *error = failure;
            return status;
        }
    }
    retention_cut(pass, pass->most);
    return LAM_STATUS_OK;
}

/* --- Removing ------------------------------------------------------------------------------ */

/* True when a file has had its time. A time in the future, of a clock that jumped, has not. */
static bool retention_is_expired(const lam_log_retention *retention, int64_t seconds) {
    static const int64_t nanos = 1000000000;
    int64_t time = seconds < INT64_MIN / nanos ? INT64_MIN : seconds * nanos;
    uint64_t most =
        retention->keep_ms > UINT64_MAX / 1000000 ? UINT64_MAX : retention->keep_ms * 1000000;
    return retention->keep_ms > 0 && retention->utc > time &&
           (uint64_t)retention->utc - (uint64_t)time >= most;
}

/* Removes the folder of a file, and those above it, while they are empty; changes the path. */
static void retention_remove_folders(const retention_pass *pass, char *path,
                                     lam_log_removed *removed) {
    const lam_storage *storage = pass->of->storage;
    size_t root = strlen(pass->of->root);
    for (;;) {
        char *slash = strrchr(path, '/');
        if (slash == NULL || (size_t)(slash - path) <= root)
            return;
        *slash = '\0';
        lam_error failure = lam_error_none();
        if (storage->remove(storage->state, path, &failure) != LAM_STATUS_OK)
            return; /* it is not empty, or gone, or stays for another reason */
        removed->folders++;
    }
}

/* Bytes of a path before its last slash. */
static size_t retention_folder_size(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}

/* True when two files are in one folder. */
static bool retention_same_folder(const char *a, const char *b) {
    size_t size = retention_folder_size(a);
    return size == retention_folder_size(b) && memcmp(a, b, size) == 0;
}

static int retention_by_path(const void *state, const void *a, const void *b) {
    (void)state;
    return strcmp(((const retention_file *)a)->path, ((const retention_file *)b)->path);
}

/* Removes the folders that the first `count` files, which are gone, have left empty. */
static void retention_clean(retention_pass *pass, size_t count, lam_log_removed *removed) {
    retention_file *files = pass->files.items;
    lam_sort(files, count, sizeof *files, retention_by_path, NULL);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || !retention_same_folder(files[i].path, files[i + 1].path))
            retention_remove_folders(pass, files[i].path, removed);
}

/* Removes one file. Its bytes no longer count once it is gone, whoever removed it. */
static lam_status retention_remove(retention_pass *pass, const retention_file *file,
                                   lam_log_removed *removed, lam_error *error) {
    const lam_storage *storage = pass->of->storage;
    lam_error failure = lam_error_none();
    lam_status status = storage->remove(storage->state, file->path, &failure);
    if (status != LAM_STATUS_OK && !retention_is_missing(&failure)) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    pass->sum -= file->size;
    pass->must_free -= file->size < pass->must_free ? file->size : pass->must_free;
    removed->files += status == LAM_STATUS_OK;
    removed->bytes += status == LAM_STATUS_OK ? file->size : 0;
    if (status == LAM_STATUS_OK && pass->of->on_removed != NULL)
        pass->of->on_removed(pass->of->state, file->path, file->size);
    return LAM_STATUS_OK;
}

static bool retention_is_over(const retention_pass *pass) {
    return pass->must_free > 0 || (pass->of->keep_bytes > 0 && pass->sum > pass->of->keep_bytes);
}

/* Whether this is the youngest of all, or the file that ended last: the clock may have jumped. */
static bool retention_is_newest(const retention_pass *pass, size_t at) {
    const char *path = pass->files.items[at].path;
    return (at + 1 == pass->files.count && !pass->is_cut) ||
           (pass->newest.size > 0 && strcmp(path, (const char *)pass->newest.data) == 0);
}

/* Forgets the first `gone` files, which are removed. */
static void retention_forget(retention_pass *pass, size_t gone) {
    size_t left = pass->files.count - gone;
    retention_file *files = pass->files.items;
    retention_free_files(pass, 0, gone);
    if (gone > 0)
        memmove(files, files + gone, left * sizeof *files);
    pass->files.count = left;
}

/*
 * Removes the remembered files that may not stay; `*ret_gone` is how many. True when all that is
 * remembered had to go, and some that were forgotten may have to.
 */
static bool retention_remove_all(retention_pass *pass, lam_log_removed *removed, size_t *ret_gone,
                                 lam_status *status, lam_error *error) {
    retention_file *files = pass->files.items;
    size_t count = pass->files.count, at = 0, gone = 0, stay = 0;
    for (; at < count; at++) {
        if (!retention_is_expired(pass->of, files[at].seconds) &&
            (!retention_is_over(pass) || retention_is_newest(pass, at))) {
            stay++;
            continue;
        }
        lam_status failed =
            retention_remove(pass, &files[at], removed, *status == LAM_STATUS_OK ? error : NULL);
        if (failed == LAM_STATUS_OK) {
            retention_file swap = files[gone];
            files[gone++] = files[at];
            files[at] = swap;
        } else if (*status == LAM_STATUS_OK) {
            *status = failed;
        }
    }
    retention_clean(pass, gone, removed);
    retention_forget(pass, gone);
    if (gone > 0 && gone < count) /* the files that stay may have lost their places */
        retention_sort(pass);
    removed->left_bytes = pass->sum;
    removed->oldest_seconds = gone < count ? pass->files.items[0].seconds : INT64_MAX;
    *ret_gone = gone;
    return stay == 0 && pass->is_cut &&
           (retention_is_over(pass) || retention_is_expired(pass->of, pass->bound));
}

/* --- All passes ---------------------------------------------------------------------------- */

static void retention_pass_init(retention_pass *pass, const lam_log_retention *retention) {
    memset(pass, 0, sizeof *pass);
    pass->of = retention;
    pass->allocator = lam_allocator_or_default(retention->allocator);
    pass->most = retention->at_a_time > 0 ? retention->at_a_time : RETENTION_AT_A_TIME;
    LAM_LIST_INIT(&pass->files, &pass->allocator);
    lam_buffer_init(&pass->folders, &pass->allocator);
    lam_buffer_init(&pass->folder, &pass->allocator);
    lam_buffer_init(&pass->path, &pass->allocator);
    lam_buffer_init(&pass->name, &pass->allocator);
    lam_buffer_init(&pass->newest, &pass->allocator);
}

static void retention_pass_finish(retention_pass *pass) {
    retention_free_files(pass, 0, pass->files.count);
    LAM_LIST_FINISH(&pass->files);
    lam_buffer_finish(&pass->folders);
    lam_buffer_finish(&pass->folder);
    lam_buffer_finish(&pass->path);
    lam_buffer_finish(&pass->name);
    lam_buffer_finish(&pass->newest);
}

/*
 * Walks if `walks`, and removes, until all others may stay. A walk that could not remove any file
 * is the last one. `*ret_walked` is false when the memory is not that of a complete walk.
 */
static lam_status retention_run(retention_pass *pass, bool walks, lam_log_removed *removed,
                                bool *ret_walked, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    bool again = true;
    while (again) {
        size_t gone;
        if (walks) {
            lam_status walked = retention_walk(pass, status == LAM_STATUS_OK ? error : NULL);
            *ret_walked = walked == LAM_STATUS_OK;
            if (walked != LAM_STATUS_OK)
                return status == LAM_STATUS_OK ? walked : status;
        }
        again = retention_remove_all(pass, removed, &gone, &status, error) && (gone > 0 || !walks);
        walks = true;
    }
    return status;
}

lam_status lam_log_retain(const lam_log_retention *retention, lam_log_removed *ret_removed,
                          lam_error *error) {
    lam_log_removed removed = {.oldest_seconds = INT64_MAX};
    lam_status status = LAM_STATUS_OK;
    retention_pass pass;
    bool walked;
    retention_pass_init(&pass, retention);
    pass.must_free = retention->must_free;
    if (retention->keep_bytes > 0 || retention->keep_ms > 0 || retention->must_free > 0)
        status = retention_run(&pass, true, &removed, &walked, error);
    retention_pass_finish(&pass);
    *ret_removed = removed;
    return status;
}

lam_status lam_log_retention_latest(const lam_log_retention *retention, int64_t *ret_seconds,
                                    lam_error *error) {
    retention_pass pass;
    retention_pass_init(&pass, retention);
    lam_status status = retention_walk(&pass, error);
    *ret_seconds = pass.latest;
    retention_pass_finish(&pass);
    return status;
}

/* --- Memory between calls ------------------------------------------------------------------ */

struct lam_log_retainer {
    lam_log_retention of;
    retention_pass pass;
    bool has_walked; /* the pass knows the oldest files */
    uint64_t walked_at;
};

lam_status lam_log_retainer_create(const lam_log_retention *retention,
                                   lam_log_retainer **ret_retainer, lam_error *error) {
    lam_allocator allocator = lam_allocator_or_default(retention->allocator);
    lam_log_retainer *retainer;
    LAM_TRY(LAM_NEW(&allocator, &retainer, error));
    retainer->of = *retention;
    retention_pass_init(&retainer->pass, &retainer->of);
    *ret_retainer = retainer;
    return LAM_STATUS_OK;
}

void lam_log_retainer_destroy(lam_log_retainer *retainer) {
    if (retainer == NULL)
        return;
    lam_allocator allocator = retainer->pass.allocator;
    retention_pass_finish(&retainer->pass);
    lam_free(&allocator, retainer, sizeof *retainer);
}

/* A file that cannot be remembered is found by the next walk, which is soon then. */
void lam_log_retainer_add(lam_log_retainer *retainer, const char *path, uint64_t size) {
    lam_log_name name;
    const char *slash = strrchr(path, '/');
    if (!lam_log_name_parse_of(slash != NULL ? slash + 1 : path, retainer->of.prefix, &name))
        return;
    if (lam_log_path_join(&retainer->pass.newest, "", path, "", NULL) != LAM_STATUS_OK)
        lam_buffer_clear(&retainer->pass.newest);
    if (!retainer->has_walked)
        return;
    retainer->pass.sum += size;
    retainer->has_walked = retention_add(&retainer->pass, path, &name, size, NULL) == LAM_STATUS_OK;
    const retention_file *files = retainer->pass.files.items;
    size_t count = retainer->pass.files.count;
    if (count > 1 && retention_by_age(NULL, &files[count - 2], &files[count - 1]) > 0)
        retention_sort(&retainer->pass); /* the clock has jumped back */
}

lam_status lam_log_retainer_run(lam_log_retainer *retainer, int64_t utc, uint64_t now,
                                uint64_t must_free, lam_log_removed *ret_removed,
                                lam_error *error) {
    lam_log_removed removed = {.oldest_seconds = INT64_MAX};
    bool walks = !retainer->has_walked || now - retainer->walked_at >= RETENTION_WALK_NS;
    bool walked = false;
    retainer->of.utc = utc;
    retainer->pass.must_free = must_free;
    lam_status status = retention_run(&retainer->pass, walks, &removed, &walked, error);
    if (walks || walked) {
        retainer->has_walked = walked;
        retainer->walked_at = now;
    }
    *ret_removed = removed;
    return status;
}
