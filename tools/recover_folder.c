/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers a folder of logs. In: a folder, and the partition folders in it. Out: finished files in
 * place of what logs left that were killed.
 *
 *     _x.parquet.part     -> recover_file -> x.parquet, and the leftover goes
 *     journals, the rest  -> a log of each prefix that is opened and has no records
 *
 * The invariant: a leftover goes only after its file is durable; what a log is writing is locked,
 * and left alone.
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

enum {
    MIDDLE = 1 + 16 + 1 + 16, /* bytes of "-20261123T004500Z-00c0ffee12345678" */
    DEPTH_MAX = 64            /* of partition folders */
};

/* Names that were found, each with memory of its own. */
typedef struct name_list {
    char **names;
    size_t count;
} name_list;

typedef struct folder_walk {
    lam_storage storage;
    const recover_request *request;
    name_list parts;    /* paths */
    name_list prefixes; /* of leftovers */
    uint64_t useless;   /* parts that cannot be read, each of which was reported */
    uint64_t put_aside; /* with the journals among them */
} folder_walk;

/* A folder on the way down. */
typedef struct folder_step {
    folder_walk *walk;
    const char *folder;
    int depth;
} folder_step;

static void list_add(name_list *list, char *name) {
    list->names = tool_reallocate(list->names, list->count + 1, sizeof *list->names);
    list->names[list->count++] = name;
}

static void list_free(name_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder), room = size + strlen(name) + 2;
    char *path = tool_allocate(room, 1);
    bool has_slash = size > 0 && folder[size - 1] == '/';
    snprintf(path, room, "%s%s%s", folder, has_slash ? "" : "/", name);
    return path;
}

/* --- Finding ------------------------------------------------------------------------------- */

static lam_status walk_folder(folder_walk *walk, const char *folder, int depth, lam_error *error);

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

static void add_prefix(folder_walk *walk, const char *name, size_t size) {
    for (size_t i = 0; i < walk->prefixes.count; i++)
        if (strlen(walk->prefixes.names[i]) == size &&
            memcmp(walk->prefixes.names[i], name, size) == 0)
            return;
    char *prefix = tool_copy_text(name);
    prefix[size] = '\0';
    list_add(&walk->prefixes, prefix);
}

static lam_status note_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    const folder_step *step = state;
    lam_status status = LAM_STATUS_OK;
    char *path = join(step->folder, entry->name);
    leftover_kind kind = leftover_kind_of(entry->name);
    char *final = leftover_final(entry->name);
    size_t prefix = prefix_size(final);
    bool is_part = kind == LEFTOVER_IS_PART && prefix > 0;
    if (entry->is_folder) {
        if (strchr(entry->name, '=') != NULL && step->depth < DEPTH_MAX)
            status = walk_folder(step->walk, path, step->depth + 1, error);
    } else if (is_part || (kind == LEFTOVER_IS_JOURNAL && prefix > 0 && step->depth == 0)) {
        add_prefix(step->walk, final, prefix);
        if (is_part)
            list_add(&step->walk->parts, path);
    }
    if (!is_part || entry->is_folder)
        free(path);
    free(final);
    return status;
}

static lam_status walk_folder(folder_walk *walk, const char *folder, int depth, lam_error *error) {
    folder_step step = {walk, folder, depth};
    return walk->storage.list(walk->storage.state, folder, note_entry, &step, error);
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

/*
 * Makes a file of a leftover that is taken, and removes it. What others do to it meanwhile is
 * theirs; what has nothing in it, or cannot be read, is left to the log of its prefix.
 */
static int recover_taken(folder_walk *walk, const char *part, const char *output) {
    recover_request request = *walk->request;
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    request.options.ignores_locks = true; /* it is the lock of this program */
    lam_status status = recover_try(part, output, &request, &result, &error);
    if (recover_is_empty(part, &error))
        return TOOL_OK;
    if (status == LAM_STATUS_OK)
        status = walk->storage.remove(walk->storage.state, part, &error);
    bool is_useless = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
    if (status == LAM_STATUS_OK || error.code == LAM_ERROR_CODE_FILE_MISSING ||
        error.code == LAM_ERROR_CODE_FILE_EXISTS)
        return result;
    if (!is_useless)
        return tool_fail(part, &error);
    walk->useless++;
    tool_say("lamella: %s: nothing can be recovered\n", part);
    return TOOL_BAD_INPUT;
}

/*
 * Takes a leftover, so that nobody else works on it. One that has its file already, since a
 * recovery was interrupted, is left to the log of its prefix.
 */
static int recover_part(folder_walk *walk, const char *part) {
    lam_storage_file file;
    uint64_t size;
    lam_error error = lam_error_none();
    int result = TOOL_OK;
    const lam_storage *storage = &walk->storage;
    if (storage->open_own(storage->state, part, NULL, &file, &size, &error) != LAM_STATUS_OK) {
        if (error.code == LAM_ERROR_CODE_FILE_BUSY)
            tool_say("lamella: %s: a log is writing it\n", part);
        bool is_left = error.code == LAM_ERROR_CODE_FILE_BUSY ||
                       error.code == LAM_ERROR_CODE_FILE_KIND ||
                       error.code == LAM_ERROR_CODE_FILE_MISSING;
        return is_left ? TOOL_OK : tool_fail(part, &error);
    }
    char *output = leftover_final(part);
    if (!is_taken(storage, output))
        result = recover_taken(walk, part, output);
    free(output);
    lam_storage_file_close(&file);
    return result;
}

static void report_file(void *state, const lam_log_file *file) {
    const recover_request *request = state;
    if (request->json) {
        tool_print("{\"output\":");
        tool_print_text(file->path, strlen(file->path));
        tool_print(",\"rows\":%" PRIu64 "}\n", file->records);
    } else {
        tool_print("%s: made of a journal, %" PRIu64 " rows\n", file->path, file->records);
    }
}

/* What is left is the work of a log of that prefix: journals, and leftovers to put aside. */
static int open_log_of(folder_walk *walk, const char *folder, const char *prefix) {
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
    options.callback_state = (void *)(uintptr_t)walk->request;
    lam_status status =
        lam_schema_parse_text("message m { optional int32 nothing; }", NULL, &schema, &error);
    if (status == LAM_STATUS_OK)
        status = lam_log_open(schema, folder, &options, &log, &error);
    lam_log_info info = lam_log_info_default();
    if (status == LAM_STATUS_OK && lam_log_get_info(log, &info, NULL) == LAM_STATUS_OK)
        tool_say_passed_over(folder, info.passed_over);
    tool_say_unrecovered(folder, info.unrecovered);
    walk->put_aside += info.put_aside;
    if (status == LAM_STATUS_OK)
        status = lam_log_finish(log, &error);
    lam_log_close(log);
    lam_schema_destroy(schema);
    if (status != LAM_STATUS_OK)
        return tool_fail(folder, &error);
    if (info.incomplete > 0)
        tool_say("lamella: %s: %" PRIu64 " of the files made of a journal lack%s rows behind its "
                 "damage\n",
                 folder, info.incomplete, info.incomplete == 1 ? "s" : "");
    return info.unrecovered > 0 ? TOOL_BAD_INPUT : info.incomplete > 0 ? RECOVER_LOST : TOOL_OK;
}

int recover_folder(const char *folder, const recover_request *request) {
    lam_error error = lam_error_none();
    folder_walk walk = {.storage = lam_storage_files(), .request = request};
    lam_status status = walk_folder(&walk, folder, 0, &error);
    int worst = status == LAM_STATUS_OK ? TOOL_OK : tool_fail(folder, &error);
    for (size_t i = 0; i < walk.parts.count; i++)
        worst = recover_worse(worst, recover_part(&walk, walk.parts.names[i]));
    for (size_t i = 0; i < walk.prefixes.count; i++)
        worst = recover_worse(worst, open_log_of(&walk, folder, walk.prefixes.names[i]));
    if (walk.put_aside > walk.useless) {
        tool_say_put_aside(folder, walk.put_aside - walk.useless);
        worst = recover_worse(worst, TOOL_BAD_INPUT);
    }
    list_free(&walk.parts);
    list_free(&walk.prefixes);
    return worst;
}
