/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the files of a log. In: a folder, with partition folders, or one file. Out: each file once,
 * whether it is finished or not, from the oldest to the newest.
 *
 * The invariant: a file has one entry from its first row to its removal, by its final name; so its
 * rows are counted once.
 */
#define _POSIX_C_SOURCE 200809L
#include "tail_files.h"

#include <errno.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "leftover_names.h"
#include "tool.h"

enum { DEPTH_MAX = 64, MISSING_MAX = 5 };

static bool has_suffix(const char *text, const char *suffix) {
    size_t size = strlen(text), length = strlen(suffix);
    return size > length && strcmp(text + size - length, suffix) == 0;
}

/* Two texts in one, to be freed. */
static char *concatenate(const char *one, const char *between, const char *other) {
    size_t room = strlen(one) + strlen(between) + strlen(other) + 1;
    char *text = tool_allocate(room, 1);
    snprintf(text, room, "%s%s%s", one, between, other);
    return text;
}

/* --- Listing ------------------------------------------------------------------------------- */

/* The entry of a final name, new or known; `path` moves into it. */
static tail_file *entry_of(tail_files *files, char *path) {
    const size_t number = tool_names_find(&files->numbers, path);
    if (number != SIZE_MAX) {
        free(path);
        return &files->files[number];
    }
    tool_names_add(&files->numbers, path, files->count);
    files->files = tool_reallocate(files->files, files->count + 1, sizeof *files->files);
    tail_file *file = &files->files[files->count++];
    memset(file, 0, sizeof *file);
    file->path = path;
    file->missing = 1;
    return file;
}

static lam_status fail_tail_file(const char *path, lam_error *error) {
    if (errno == ENOENT || errno == ENOTDIR)
        return LAM_STATUS_OK; /* it is not there, or not any more */
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    error->os_error = errno;
    snprintf(error->message, sizeof error->message, "%s: cannot read: %s", path, strerror(errno));
    return error->status;
}

/* Notes a file that is there. A finished one comes before what may be left of it. */
static lam_status note_file(tail_files *files, const char *path, lam_error *error) {
    struct stat about;
    bool is_part = leftover_kind_of(path) == LEFTOVER_IS_PART;
    if (stat(path, &about) != 0)
        return fail_tail_file(path, error);
    if (!S_ISREG(about.st_mode))
        return LAM_STATUS_OK;
    tail_file *file = entry_of(files, leftover_final(path));
    if (file->missing == 0 && is_part)
        return LAM_STATUS_OK;
    file->missing = 0;
    file->is_part = is_part;
    file->size = (uint64_t)about.st_size;
    file->modified = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    return LAM_STATUS_OK;
}

/* Notes the journal that is beside the files, or in the root of their folders. */
static void note_journal(tail_files *files, const char *path) {
    struct stat about;
    if (files->journal != NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    files->journal = tool_copy_text(path);
}

/* A folder on the way down. */
typedef struct tail_step {
    tail_files *files;
    const char *folder;
    int depth;
} tail_step;

static lam_status list_folder(const tail_step *step, lam_error *error);

static lam_status note_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    const tail_step *step = state;
    lam_status status = LAM_STATUS_OK;
    bool has_slash = has_suffix(step->folder, "/");
    char *path = concatenate(step->folder, has_slash ? "" : "/", entry->name);
    if (entry->is_folder && strchr(entry->name, '=') != NULL && step->depth < DEPTH_MAX) {
        tail_step inner = {step->files, path, step->depth + 1};
        status = list_folder(&inner, error);
    } else if (has_suffix(entry->name, ".parquet") ||
               has_suffix(entry->name, ".parquet" LEFTOVER_PART)) {
        status = note_file(step->files, path, error);
    } else if (step->depth == 0 && has_suffix(entry->name, ".parquet" LEFTOVER_JOURNAL)) {
        note_journal(step->files, path);
    }
    free(path);
    return status;
}

static lam_status list_folder(const tail_step *step, lam_error *error) {
    lam_storage storage = lam_storage_files();
    return storage.list(storage.state, step->folder, note_entry, (void *)(uintptr_t)step, error);
}

static int compare_files(const void *one, const void *other) {
    const tail_file *a = one, *b = other;
    if (a->modified != b->modified)
        return a->modified < b->modified ? -1 : 1;
    return strcmp(a->path, b->path);
}

static void forget_missing(tail_files *files) {
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (files->files[i].missing < MISSING_MAX)
            files->files[kept++] = files->files[i];
        else
            free(files->files[i].path);
    }
    files->count = kept;
}

lam_status tail_files_list(tail_files *files, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    free(files->journal);
    files->journal = NULL;
    for (size_t i = 0; i < files->count; i++) {
        files->files[i].missing++;
        tool_names_add(&files->numbers, files->files[i].path, i);
    }
    if (files->is_folder) {
        tail_step step = {files, files->path, 0};
        status = list_folder(&step, error);
    } else {
        bool is_part = leftover_kind_of(files->path) == LEFTOVER_IS_PART;
        char *final = leftover_final(files->path);
        char *part = is_part ? tool_copy_text(files->path) : leftover_path(final, LEFTOVER_PART);
        char *journal = leftover_path(final, LEFTOVER_JOURNAL);
        status = note_file(files, final, error);
        if (status == LAM_STATUS_OK)
            status = note_file(files, part, error);
        note_journal(files, journal);
        free(journal);
        free(final);
        free(part);
    }
    tool_names_free(&files->numbers);
    forget_missing(files);
    if (files->count > 1)
        qsort(files->files, files->count, sizeof *files->files, compare_files);
    return status;
}

int tail_files_open(tail_files *files, const char *path) {
    struct stat about;
    lam_error error = lam_error_none();
    memset(files, 0, sizeof *files);
    files->path = path;
    files->is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (tail_files_list(files, &error) != LAM_STATUS_OK)
        return tool_fail(path, &error);
    return TOOL_OK;
}

void tail_files_close(tail_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->files[i].path);
    free(files->files);
    free(files->journal);
}

/* --- Reading ------------------------------------------------------------------------------- */

bool tail_file_begin(tail_file *file) {
    if (file->missing > 0 ||
        (file->seen_size == file->size && file->seen_modified == file->modified &&
         file->seen_part == file->is_part))
        return false;
    file->seen_size = file->size;
    file->seen_modified = file->modified;
    file->seen_part = file->is_part;
    return true;
}

static lam_status open_part(const char *path, lam_reader **ret_reader, lam_error *error) {
    lam_input input;
    lam_recovery found = lam_recovery_default();
    lam_recover_options options = lam_recover_options_default();
    options.allocator = tool_allocator();
    options.memory_limit = tool_limits_of_program()->memory_limit;
    options.stop = tool_limits_of_program()->stop;
    lam_status status = lam_input_open_file(path, NULL, &input, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_reader_open_unfinished(&input, &options, ret_reader, &found, error);
    if (status != LAM_STATUS_OK)
        lam_input_close(&input);
    return status == LAM_STATUS_CORRUPT ? LAM_STATUS_OK : status; /* no row group yet */
}

lam_status tail_file_open(const tail_file *file, lam_reader **ret_reader, lam_error *error) {
    lam_reader_options options = tool_reader_options();
    lam_error missing = lam_error_none();
    *ret_reader = NULL;
    if (file->is_part) {
        char *part = leftover_path(file->path, LEFTOVER_PART);
        lam_status status = open_part(part, ret_reader, &missing);
        free(part);
        if (status == LAM_STATUS_OK || missing.code != LAM_ERROR_CODE_FILE_MISSING) {
            *error = missing;
            return status;
        }
    }
    return lam_reader_open_file(file->path, &options, ret_reader, error);
}
