/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the files of logs: takes a folder, with all folders in it, or one file, and gives each file
 * once, whether it is finished or not, from the oldest to the newest; journals with rows; and the
 * keys in the names of folders.
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
#include "tool_files.h"

enum { MISSING_MAX = 5 };

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

static int64_t time_of(const struct stat *about) {
    return (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec;
}

static void note_journal(tail_files *files, const char *path, const struct stat *about) {
    if (about->st_size <= LEFTOVER_JOURNAL_HEAD)
        return;
    files->journals =
        tool_reallocate(files->journals, files->journal_count + 1, sizeof *files->journals);
    files->journals[files->journal_count++] = (tail_journal){tool_copy_text(path), time_of(about)};
}

/* Notes an existing file. A finished one comes before any leftover of it. */
static void note_part(tail_files *files, const char *path, const struct stat *about, bool is_part) {
    tail_file *file = entry_of(files, leftover_final(path));
    if (file->missing == 0 && is_part)
        return;
    file->missing = 0;
    file->is_part = is_part;
    file->size = (uint64_t)about->st_size;
    file->modified = time_of(about);
}

static int note_file(tail_files *files, const char *path, bool is_quiet) {
    struct stat about;
    leftover_kind kind = leftover_kind_of(path);
    if (stat(path, &about) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return TOOL_OK; /* it is not there, or not any more */
        if (!is_quiet)
            tool_say("lamella: %s: cannot read: %s\n", path, strerror(errno));
        return TOOL_BAD_INPUT;
    }
    if (S_ISREG(about.st_mode) && kind == LEFTOVER_IS_JOURNAL)
        note_journal(files, path, &about);
    else if (S_ISREG(about.st_mode))
        note_part(files, path, &about, kind == LEFTOVER_IS_PART);
    return TOOL_OK;
}

static int list_folder(tail_files *files, bool is_quiet) {
    tool_files found;
    tool_files_find_log(files->path, is_quiet, &found);
    int worst = found.result;
    /* Finished files first: their names may have changed since the others were listed. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < found.count; i++) {
            const char *path = found.items[i].path;
            bool is_finished = leftover_kind_of(path) == LEFTOVER_IS_NONE;
            if (is_finished != (pass == 0))
                continue;
            int result = note_file(files, path, is_quiet);
            worst = result > worst ? result : worst;
        }
    tool_files_free(&found);
    return worst;
}

static int list_one_file(tail_files *files, bool is_quiet) {
    bool is_part = leftover_kind_of(files->path) == LEFTOVER_IS_PART;
    char *final = leftover_final(files->path);
    char *part = is_part ? tool_copy_text(files->path) : leftover_path(final, LEFTOVER_PART);
    char *journal = leftover_path(final, LEFTOVER_JOURNAL);
    int result = note_file(files, final, is_quiet);
    if (result == TOOL_OK)
        result = note_file(files, part, is_quiet);
    if (result == TOOL_OK)
        result = note_file(files, journal, is_quiet);
    free(journal);
    free(part);
    free(final);
    return result;
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

static void forget_journals(tail_files *files) {
    for (size_t i = 0; i < files->journal_count; i++)
        free(files->journals[i].path);
    files->journal_count = 0;
}

/* The keys of all files, whose texts determine their types together. */
static int note_keys(tail_files *files, bool is_quiet) {
    lam_error error = lam_error_none();
    size_t root = strlen(files->path);
    lam_path_keys_destroy(files->path_keys);
    files->path_keys = NULL;
    if (!files->is_folder)
        return TOOL_OK;
    lam_status status = lam_path_keys_create(tool_allocator(), &files->path_keys, &error);
    for (size_t i = 0; i < files->count && status == LAM_STATUS_OK; i++) {
        files->files[i].key = i;
        status = lam_path_keys_add(files->path_keys, files->files[i].path + root, &error);
    }
    if (status == LAM_STATUS_OK)
        return TOOL_OK;
    return is_quiet ? TOOL_BAD_INPUT : tool_fail(files->path, &error);
}

int tail_files_list(tail_files *files, bool is_quiet) {
    struct stat about;
    files->is_folder =
        files->is_folder || (stat(files->path, &about) == 0 && S_ISDIR(about.st_mode));
    forget_journals(files);
    for (size_t i = 0; i < files->count; i++) {
        files->files[i].missing++;
        tool_names_add(&files->numbers, files->files[i].path, i);
    }
    int result = files->is_folder ? list_folder(files, is_quiet) : list_one_file(files, is_quiet);
    tool_names_free(&files->numbers);
    forget_missing(files);
    if (files->count > 1)
        qsort(files->files, files->count, sizeof *files->files, compare_files);
    int keyed = note_keys(files, is_quiet);
    return keyed > result ? keyed : result;
}

int tail_files_open(tail_files *files, const char *path) {
    memset(files, 0, sizeof *files);
    files->path = path;
    return tail_files_list(files, false);
}

void tail_files_close(tail_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->files[i].path);
    free(files->files);
    forget_journals(files);
    free(files->journals);
    lam_path_keys_destroy(files->path_keys);
}

const tail_journal *tail_file_journal(const tail_files *files, const tail_file *file) {
    const tail_journal *found = NULL;
    size_t most = 0;
    if (!file->is_part)
        return NULL;
    for (size_t i = 0; i < files->journal_count; i++) {
        const tail_journal *journal = &files->journals[i];
        const char *slash = strrchr(journal->path, '/');
        size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - journal->path);
        bool is_above = strncmp(file->path, journal->path, folder) == 0;
        if (!is_above || (found != NULL && folder < most))
            continue;
        found = journal;
        most = folder;
    }
    return found;
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

static lam_status open_file(const tail_file *file, lam_reader **ret_reader, lam_error *error) {
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

lam_status tail_file_open(const tail_files *files, const tail_file *file, tail_reader *ret_reader,
                          lam_error *error) {
    size_t count = files->path_keys != NULL ? lam_path_keys_count(files->path_keys) : 0;
    *ret_reader = (tail_reader){NULL, NULL, NULL};
    lam_status status = open_file(file, &ret_reader->file, error);
    if (status == LAM_STATUS_OK && ret_reader->file != NULL && count > 0) {
        lam_constant *keys = tool_allocate(count, sizeof *keys);
        status = lam_path_keys_of_file(files->path_keys, file->key, keys, error);
        if (status == LAM_STATUS_OK)
            status =
                lam_reader_show_constants(ret_reader->file, keys, count, &ret_reader->keyed, error);
        free(keys);
    }
    if (status != LAM_STATUS_OK)
        tail_reader_close(ret_reader);
    else
        ret_reader->reader = ret_reader->keyed != NULL ? ret_reader->keyed : ret_reader->file;
    return status;
}

void tail_reader_close(tail_reader *reader) {
    lam_reader_close(reader->keyed);
    lam_reader_close(reader->file);
    *reader = (tail_reader){NULL, NULL, NULL};
}
