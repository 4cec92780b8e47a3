/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers the logs of a folder and of all folders in it: finished files replace killed logs'
 * leftovers.
 *
 *     root/imu/_x.parquet.part        -> recover_file -> root/imu/x.parquet; the leftover goes
 *     root/imu/k=1/_y.parquet.part    the same: partition folders belong to the log above them
 *     root/pose/_z.parquet.journal    -> a log of its prefix that is opened and has no records
 *     root/_day.parquet.part          of a log of one file: removed if no row is lost
 *
 * The invariant: a leftover is removed only after its file is durable; files that a log is writing
 * are locked, and left alone.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leftover_names.h"
#include "recover_file.h"
#include "tool.h"
#include "tool_files.h"

enum { MIDDLE = 1 + 16 + 1 + 16 }; /* bytes of "-20261123T004500Z-00c0ffee12345678" */

/* A log that left something. */
typedef struct left_log {
    char *folder;
    char *prefix; /* of the names of its files */
} left_log;

typedef struct folder_recovery {
    lam_storage storage;
    const recover_request *request;
    left_log *logs;
    size_t log_count;
    bool has_said;      /* anything about a leftover */
    uint64_t useless;   /* parts that cannot be read, each of which was reported */
    uint64_t put_aside; /* with the journals among them */
} folder_recovery;

/* --- Finding ------------------------------------------------------------------------------- */

/* The bytes of the prefix in the final name of a log's file; 0 for another name. */
static size_t prefix_size(const char *name) {
    static const char suffix[] = ".parquet";
    size_t size = strlen(name), end = sizeof suffix - 1;
    if (size <= end + MIDDLE || strcmp(name + size - end, suffix) != 0)
        return 0;
    const char *middle = name + size - end - MIDDLE;
    bool is_one = middle[0] == '-' && middle[9] == 'T' && middle[16] == 'Z' && middle[17] == '-' &&
                  strspn(middle + 18, "0123456789abcdef") >= 16;
    return is_one ? (size_t)(middle - name) : 0;
}

/*
 * Bytes of the folder of the log that left a file: that of a journal, else the one above all
 * partition folders, but not above the one that is recovered, which is `root` bytes.
 */
static size_t folder_of_log(const char *path, size_t root, leftover_kind kind) {
    size_t size = (size_t)(strrchr(path, '/') - path);
    while (kind == LEFTOVER_IS_PART && size > root) {
        size_t first = size;
        while (first > root && path[first - 1] != '/')
            first--;
        if (memchr(path + first, '=', size - first) == NULL)
            break;
        size = first > root ? first - 1 : root;
    }
    return size > root ? size : root;
}

/* Notes a log by its folder and prefix, unless it is known. */
static void add_log(folder_recovery *recovery, const char *path, size_t folder_size,
                    const char *name, size_t prefix) {
    for (size_t i = 0; i < recovery->log_count; i++) {
        const left_log *log = &recovery->logs[i];
        if (strlen(log->folder) == folder_size && memcmp(log->folder, path, folder_size) == 0 &&
            strlen(log->prefix) == prefix && memcmp(log->prefix, name, prefix) == 0)
            return;
    }
    left_log log = {tool_copy_text(path), tool_copy_text(name)};
    log.folder[folder_size] = '\0';
    log.prefix[prefix] = '\0';
    recovery->logs =
        tool_reallocate(recovery->logs, recovery->log_count + 1, sizeof *recovery->logs);
    recovery->logs[recovery->log_count++] = log;
}

/* --- Recovering ---------------------------------------------------------------------------- */

/* Whether anything has the name. */
static bool is_taken(const lam_storage *storage, const char *path) {
    lam_storage_file file = {0};
    uint64_t size;
    lam_error error = lam_error_none();
    (void)storage->open_own(storage->state, path, NULL, &file, &size, &error);
    lam_storage_file_close(&file);
    return error.code != LAM_ERROR_CODE_FILE_MISSING;
}

/* Reports the outcome for a leftover. */
static void say_of(folder_recovery *recovery, const char *path, const char *what) {
    recovery->has_said = true;
    tool_say("lamella: %s: %s\n", path, what);
}

/*
 * Makes a file of a leftover that is taken, and removes it. Others may change it meanwhile; one
 * that is empty, or cannot be read, is left to the log of its prefix.
 */
static int recover_taken(folder_recovery *recovery, const char *part, const char *output) {
    const lam_storage *storage = &recovery->storage;
    recover_request request = *recovery->request;
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    request.options.ignores_locks = true; /* it is the lock of this program */
    lam_status status = recover_try(part, output, &request, &result, &error);
    recovery->has_said = recovery->has_said || status == LAM_STATUS_OK;
    if (recover_is_empty(part, &error)) {
        recovery->has_said = true;
        return TOOL_OK;
    }
    if (status == LAM_STATUS_OK)
        status = storage->remove(storage->state, part, &error);
    bool is_useless = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
    if (status == LAM_STATUS_OK || error.code == LAM_ERROR_CODE_FILE_MISSING ||
        error.code == LAM_ERROR_CODE_FILE_EXISTS)
        return result;
    if (!is_useless)
        return tool_fail(part, &error);
    recovery->useless++;
    say_of(recovery, part, "nothing can be recovered");
    return TOOL_BAD_INPUT;
}

/* Whether a file begins as one of Parquet, rather than as something of somebody's. */
static bool is_parquet(const char *path) {
    char magic[4];
    FILE *file = fopen(path, "rb");
    bool is_one = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                  memcmp(magic, "PAR1", sizeof magic) == 0;
    if (file != NULL)
        fclose(file);
    return is_one;
}

/*
 * Makes the file of a log of one file, of a part that is taken or of a journal alone. The leftovers
 * are removed if no row is lost; an unreadable one, which may not be a log's, stays.
 */
static int recover_one_file(folder_recovery *recovery, const char *part, const char *output) {
    const lam_storage *storage = &recovery->storage;
    recover_request request = *recovery->request;
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    request.options.ignores_locks = true;
    lam_status status = recover_try(part, output, &request, &result, &error);
    bool is_empty = recover_is_empty(part, &error);
    recovery->has_said = recovery->has_said || is_empty || status == LAM_STATUS_OK;
    if (is_empty || (status == LAM_STATUS_OK && result == TOOL_OK)) {
        char *journal = leftover_path(output, LEFTOVER_JOURNAL);
        (void)storage->remove(storage->state, part, NULL);
        (void)storage->remove(storage->state, journal, NULL);
        free(journal);
        return TOOL_OK;
    }
    if (status == LAM_STATUS_OK)
        return result;
    bool is_useless = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
    if (error.code == LAM_ERROR_CODE_FILE_MISSING || (is_useless && !is_parquet(part)))
        return TOOL_OK;
    recovery->has_said = true;
    return tool_fail(part, &error);
}

/*
 * Takes a leftover, so that no other process works on it. One that already has its file, since a
 * recovery was interrupted, is left to the log of its prefix, and so is a journal.
 */
static int recover_leftover(folder_recovery *recovery, const char *path, leftover_kind kind,
                            bool is_of_folder) {
    lam_storage_file file;
    uint64_t size;
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    const lam_storage *storage = &recovery->storage;
    if (storage->open_own(storage->state, path, NULL, &file, &size, &error) != LAM_STATUS_OK) {
        if (error.code == LAM_ERROR_CODE_FILE_BUSY)
            say_of(recovery, path, "a log is writing it");
        bool is_left = error.code == LAM_ERROR_CODE_FILE_BUSY ||
                       error.code == LAM_ERROR_CODE_FILE_KIND ||
                       error.code == LAM_ERROR_CODE_FILE_MISSING;
        return is_left ? TOOL_OK : tool_fail(path, &error);
    }
    char *output = leftover_final(path), *part = leftover_path(output, LEFTOVER_PART);
    if (is_taken(storage, output)) {
        if (!is_of_folder)
            say_of(recovery, path, "the finished file is there already");
    } else if (!is_of_folder && (kind == LEFTOVER_IS_PART || !is_taken(storage, part))) {
        result = recover_one_file(recovery, kind == LEFTOVER_IS_PART ? path : part, output);
    } else if (kind == LEFTOVER_IS_PART) {
        result = recover_taken(recovery, path, output);
    }
    free(part);
    free(output);
    lam_storage_file_close(&file);
    return result;
}

static void report_file(void *state, const lam_log_file *file) {
    folder_recovery *recovery = state;
    recovery->has_said = true;
    if (recovery->request->json) {
        tool_print("{\"output\":");
        tool_print_text(file->path, strlen(file->path));
        tool_print(",\"rows\":%" PRIu64 "}\n", file->records);
    } else {
        tool_print("%s: made of a journal, %" PRIu64 " row%s\n", file->path, file->records,
                   tool_s(file->records));
    }
}

/* The remainder is the work of a log of that prefix: journals, and leftovers to put aside. */
static int open_log_of(folder_recovery *recovery, const char *folder, const char *prefix) {
    enum { LOG_LEAST = 2 << 20 }; /* as the library has it; the allocator bounds it below */
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_log *log = NULL;
    lam_log_options options = lam_log_options_default();
    const tool_limits *limits = tool_limits_of_program();
    options.allocator = tool_allocator();
    options.memory_limit = limits->memory_limit > LOG_LEAST ? limits->memory_limit : 0;
    options.stop = limits->stop;
    options.prefix = prefix;
    options.on_file = report_file;
    options.callback_state = recovery;
    lam_status status =
        lam_schema_parse_text("message m { optional int32 nothing; }", NULL, &schema, &error);
    if (status == LAM_STATUS_OK)
        status = lam_log_open(schema, folder, &options, &log, &error);
    lam_log_info info = lam_log_info_default();
    if (status == LAM_STATUS_OK && lam_log_get_info(log, &info, NULL) == LAM_STATUS_OK)
        tool_say_passed_over(folder, info.passed_over);
    tool_say_unrecovered(folder, info.unrecovered);
    uint64_t said = info.passed_over + info.unrecovered + info.put_aside;
    recovery->has_said = recovery->has_said || said > 0;
    recovery->put_aside += info.put_aside;
    if (status == LAM_STATUS_OK)
        status = lam_log_finish(log, &error);
    lam_log_close(log);
    lam_schema_destroy(schema);
    if (status != LAM_STATUS_OK)
        return tool_fail(folder, &error);
    if (info.incomplete > 0)
        tool_say("lamella: %s: %" PRIu64
                 " of the files made of a journal lack%s the rows after its "
                 "damage\n",
                 folder, info.incomplete, info.incomplete == 1 ? "s" : "");
    return info.unrecovered > 0 ? TOOL_BAD_INPUT : info.incomplete > 0 ? RECOVER_LOST : TOOL_OK;
}

/* Recovers one leftover, and notes its log for the rest. */
static int take_leftover(folder_recovery *recovery, const char *path, size_t root) {
    leftover_kind kind = leftover_kind_of(path);
    if (kind == LEFTOVER_IS_NONE)
        return TOOL_OK;
    char *final = leftover_final(path);
    const char *name = strrchr(final, '/') + 1;
    size_t prefix = prefix_size(name);
    if (prefix > 0)
        add_log(recovery, path, folder_of_log(path, root, kind), name, prefix);
    int result = recover_leftover(recovery, path, kind, prefix > 0);
    free(final);
    return result;
}

int recover_folder(const char *folder, const recover_request *request) {
    folder_recovery recovery = {.storage = lam_storage_files(), .request = request};
    tool_files files;
    tool_files_find_log(folder, false, &files);
    int worst = files.result;
    for (int i = 0; i < files.count; i++)
        worst = recover_worse(worst, take_leftover(&recovery, files.items[i].path, strlen(folder)));
    for (size_t i = 0; i < recovery.log_count; i++) {
        const left_log *log = &recovery.logs[i];
        worst = recover_worse(worst, open_log_of(&recovery, log->folder, log->prefix));
        free(log->folder);
        free(log->prefix);
    }
    if (recovery.put_aside > recovery.useless) {
        tool_say_put_aside(folder, recovery.put_aside - recovery.useless);
        worst = recover_worse(worst, TOOL_BAD_INPUT);
    }
    if (worst == TOOL_OK && !recovery.has_said)
        tool_say("lamella: %s: nothing to recover in this folder\n", folder);
    tool_files_free(&files);
    free(recovery.logs);
    return worst;
}
