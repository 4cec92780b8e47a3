/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and reads the names of logs' leftovers, from paths to paths. The system is only ever asked
 * whether one exists. */
#define _POSIX_C_SOURCE 200809L
#include "leftover_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

static const char MARK = '_';

/* The beginning of a path's last name. */
static size_t folder_size(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* Bytes of the last name without a suffix; 0 when it lacks the suffix, or is only that. */
static size_t size_before(const char *name, const char *suffix) {
    size_t size = strlen(name), end = strlen(suffix);
    return size > end && strcmp(name + size - end, suffix) == 0 ? size - end : 0;
}

leftover_kind leftover_kind_of(const char *path) {
    const char *name = path + folder_size(path);
    return size_before(name, LEFTOVER_PART) > 0      ? LEFTOVER_IS_PART
           : size_before(name, LEFTOVER_JOURNAL) > 0 ? LEFTOVER_IS_JOURNAL
                                                     : LEFTOVER_IS_NONE;
}

char *leftover_final(const char *path) {
    static const char *const suffixes[] = {
        [LEFTOVER_IS_PART] = LEFTOVER_PART, [LEFTOVER_IS_JOURNAL] = LEFTOVER_JOURNAL};
    leftover_kind kind = leftover_kind_of(path);
    char *final = tool_copy_text(path);
    if (kind == LEFTOVER_IS_NONE)
        return final;
    char *name = final + folder_size(final);
    size_t size = size_before(name, suffixes[kind]);
    name[size] = '\0';
    if (size > 1 && name[0] == MARK)
        memmove(name, name + 1, size);
    return final;
}

char *leftover_path(const char *final, const char *suffix) {
    struct stat about;
    size_t folder = folder_size(final), room = strlen(final) + strlen(suffix) + 2;
    char *path = tool_allocate(room, 1);
    snprintf(path, room, "%s%s", final, suffix);
    bool is_there = stat(path, &about) == 0;
    char *marked = tool_allocate(room, 1);
    snprintf(marked, room, "%.*s%c%s%s", (int)folder, final, MARK, final + folder, suffix);
    char *chosen = is_there && stat(marked, &about) != 0 ? path : marked;
    free(chosen == path ? marked : path);
    return chosen;
}
