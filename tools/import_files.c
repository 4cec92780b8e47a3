/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the files that operands name. In: words of the command line. Out: names of files, in the
 * order of the words, and within a folder or a pattern in the order of bytes.
 *
 * A pattern walks the folder in front of its first mark, and each component is matched on its own
 * (POSIX, "Shell Command Language", section 2.13.3), ** with none, one or more. The invariant: a
 * file is named at most once for each word, and never one whose name begins with a point, or, in a
 * folder, with an underscore, which marks what is not data (_SUCCESS).
 */
#define _POSIX_C_SOURCE 200809L
#include "import_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

enum { DEPTH_MAX = 64 };

typedef struct search {
    import_names *files;
    const char *pattern; /* what the path below the start must match; NULL: any */
    const char *start;
} search;

static void add(import_names *files, const char *name) {
    size_t count = (size_t)files->count;
    files->names = tool_reallocate(files->names, count + 1, sizeof *files->names);
    files->names[files->count++] = tool_copy_text(name);
}

void import_names_free(import_names *files) {
    for (int i = 0; i < files->count; i++)
        free(files->names[i]);
    free(files->names);
    *files = (import_names){NULL, 0};
}

/* --- Patterns ------------------------------------------------------------------------------ */

/* Takes the first component of a path, without the slash behind it; gives what follows. */
static const char *split(const char *path, char *component, size_t capacity) {
    size_t size = strcspn(path, "/");
    snprintf(component, capacity, "%.*s", (int)size, path);
    path += size;
    return path + strspn(path, "/");
}

static bool matches(const char *pattern, const char *path) {
    char wanted[1024], name[1024];
    if (*pattern == '\0' || *path == '\0')
        return *pattern == *path;
    const char *rest = split(pattern, wanted, sizeof wanted);
    if (strcmp(wanted, "**") == 0)
        return *rest == '\0' || matches(rest, path) ||
               matches(pattern, split(path, name, sizeof name));
    const char *below = split(path, name, sizeof name);
    return fnmatch(wanted, name, FNM_PERIOD) == 0 && matches(rest, below);
}

/* --- Folders ------------------------------------------------------------------------------- */

static int walk(const search *s, const char *folder, int depth);

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int take_entry(const search *s, const char *folder, const char *name, int depth) {
    struct stat about, target;
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = tool_allocate(size, 1);
    bool is_rooted = folder[0] == '\0' || folder[strlen(folder) - 1] == '/';
    snprintf(path, size, "%s%s%s", folder, is_rooted ? "" : "/", name);
    int result = TOOL_OK;
    bool exists = lstat(path, &about) == 0;
    /* Links to folders are not followed: they may lead back. */
    bool is_link = exists && S_ISLNK(about.st_mode) && stat(path, &target) == 0;
    if (exists && S_ISDIR(about.st_mode)) {
        if (depth < DEPTH_MAX)
            result = walk(s, path, depth + 1);
    } else if (!(is_link && S_ISDIR(target.st_mode))) {
        const char *below = path + strlen(s->start);
        if (s->pattern == NULL || matches(s->pattern, below + strspn(below, "/")))
            add(s->files, path);
    }
    free(path);
    return result;
}

static int walk(const search *s, const char *folder, int depth) {
    struct dirent **entries;
    int result = TOOL_OK, count = scandir(*folder == '\0' ? "." : folder, &entries, NULL, by_name);
    if (count < 0) {
        fprintf(stderr, "lamella: %s: cannot read the folder: %s\n", folder, strerror(errno));
        return TOOL_BAD_INPUT;
    }
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        bool is_hidden = name[0] == '.' || (s->pattern == NULL && name[0] == '_');
        if (!is_hidden && result == TOOL_OK)
            result = take_entry(s, folder, name, depth);
        free(entries[i]);
    }
    free(entries);
    return result;
}

/* --- Operands ------------------------------------------------------------------------------ */

static int find_pattern(const char *operand, import_names *files) {
    size_t size = strcspn(operand, "*?[");
    while (size > 0 && operand[size - 1] != '/')
        size--;
    char *start = tool_copy_text(operand);
    start[size] = '\0';
    search s = {files, operand + size, start};
    struct stat about;
    bool exists = stat(size == 0 ? "." : start, &about) == 0 && S_ISDIR(about.st_mode);
    int before = files->count, result = exists ? walk(&s, start, 0) : TOOL_OK;
    free(start);
    if (result == TOOL_OK && files->count == before) {
        fprintf(stderr, "lamella: %s: no file matches\n", operand);
        return TOOL_BAD_INPUT;
    }
    return result;
}

static int find_folder(const char *operand, import_names *files) {
    search s = {files, NULL, operand};
    int before = files->count, result = walk(&s, operand, 0);
    if (result == TOOL_OK && files->count == before) {
        fprintf(stderr, "lamella: %s: no file in the folder\n", operand);
        return TOOL_BAD_INPUT;
    }
    return result;
}

int import_names_find(int count, char **operands, import_names *ret_files) {
    int result = TOOL_OK;
    *ret_files = (import_names){NULL, 0};
    for (int i = 0; i < count && result == TOOL_OK; i++) {
        struct stat about;
        const char *operand = operands[i];
        bool exists = strcmp(operand, "-") == 0 || stat(operand, &about) == 0;
        if (!exists && operand[strcspn(operand, "*?[")] != '\0')
            result = find_pattern(operand, ret_files);
        else if (exists && strcmp(operand, "-") != 0 && S_ISDIR(about.st_mode))
            result = find_folder(operand, ret_files);
        else
            add(ret_files, operand);
    }
    return result;
}
