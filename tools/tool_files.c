/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the paths of files by operands, as the command line has them.
 *
 *     a.parquet         itself, like all that is no folder and no pattern
 *     sales             all files below it whose names end in .parquet or .parq
 *     'sales/2024-*.p'  what the pattern matches, and if that is a folder, all below it
 *     'sales/ ** /x.p'  without the blanks: in the folder and in any below it
 *
 * Names that begin with "." or "_" are passed over, as writers name files that are no data
 * (_SUCCESS, _metadata), unless the pattern begins so, too, or it is a folder with a key in its
 * name (_id=1). Folders are visited from a list rather than by recursion; a folder is never visited
 * if it is one of those that lead to it, so links in circles end. A file that a pattern finds in
 * two ways counts once.
 *
 * A folder's keys begin below the operand, those of a pattern after the names without wildcards,
 * and those of named files, as a shell names the matches of its own patterns, after the folders
 * that lead to all of them.
 */
#define _XOPEN_SOURCE 700
#include "tool_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folder_leftover.h"
#include "leftover_names.h"
#include "tool.h"
#include "tool_progress.h"

/* A folder to visit, with the names of the pattern that are left to match in it. */
typedef struct found_folder {
    char *path; /* "" is the current one */
    size_t name;
    size_t parent; /* that it was found in; SIZE_MAX for the first */
    dev_t device;  /* of its inode, to recognise it again */
    ino_t inode;
} found_folder;

/* The search of one operand. */
typedef struct file_search {
    tool_files *files;
    size_t operand;
    const char *text; /* the operand */
    char **names;     /* names of the pattern after its root; none for a folder */
    size_t name_count;
    size_t root_size; /* bytes of the path before the first name of keys */
    found_folder *folders;
    size_t folder_count;
} file_search;

/* The files whose paths have keys. */
static const tool_files *keyed_files;

/* --- Paths --------------------------------------------------------------------------------- */

static char *join_path(const char *folder, const char *name) {
    size_t size = strlen(folder);
    const char *slash = size > 0 && folder[size - 1] != '/' ? "/" : "";
    char *path = tool_allocate(size + strlen(name) + 2, 1);
    sprintf(path, "%s%s%s", folder, slash, name);
    return path;
}

static bool is_wild(const char *name) {
    return strpbrk(name, "*?[") != NULL;
}

static bool has_ending(const char *name, const char *ending) {
    size_t size = strlen(name), ending_size = strlen(ending);
    return size > ending_size && strcmp(name + size - ending_size, ending) == 0;
}

bool tool_has_parquet_name(const char *path) {
    return has_ending(path, ".parquet") || has_ending(path, ".parq");
}

/* Whether a name is that of a log's unfinished file. */
static bool is_of_log(const char *name) {
    return has_ending(name, ".parquet" LEFTOVER_PART) ||
           has_ending(name, ".parquet" LEFTOVER_JOURNAL);
}

/* Names of files that are no data. A field may begin so, and so may the folders of its values. */
static bool is_passed_over(const tool_files *files, const char *name, bool is_folder) {
    bool is_marked = name[0] == '.' || name[0] == '_';
    if (is_folder)
        return is_marked &&
               (strchr(name, '=') == NULL || strstr(name, FOLDER_LEFTOVER_MARK) != NULL);
    return is_marked && !(files->kind == TOOL_FILES_LOG && is_of_log(name));
}

static void fail_file(tool_files *files, const char *file, const char *message, int number) {
    if (!files->is_quiet)
        tool_say("lamella: %s: %s%s%s\n", file, message, number == 0 ? "" : ": ",
                 number == 0 ? "" : strerror(number));
    files->result = TOOL_BAD_INPUT;
}

/* Without memory the program ends: the other folders would say the same. */
static void fail_folder(tool_files *files, const char *path) {
    const char *name = path[0] == '\0' ? "." : path;
    if (errno == ENOMEM)
        tool_end_without_memory(name, "no memory to read the folder");
    fail_file(files, name, "cannot read the folder", errno);
}

/* Whether there is no such file, or a link to none, rather than one that cannot be read. */
static bool is_missing(int os_error) {
    return os_error == ENOENT || os_error == ENOTDIR || os_error == ELOOP;
}

/* --- Adding -------------------------------------------------------------------------------- */

/* Grows an array to twice its size if `count` is a power of two. */
static void *grow_array(void *items, size_t count, size_t size) {
    return count == 0 || (count & (count - 1)) == 0 ? tool_reallocate(items, 2 * count + 1, size)
                                                    : items;
}

static void add_file(tool_files *files, char *path, size_t operand, bool is_found) {
    size_t count = (size_t)files->count;
    files->items = grow_array(files->items, count, sizeof *files->items);
    files->items[count] = (tool_file){path, operand, 0, is_found, false};
    files->count++;
}

/* Adds a folder to those that are visited, unless it is one of those that lead to it. */
static void add_folder(file_search *search, char *path, size_t name, size_t parent, dev_t device,
                       ino_t inode) {
    const found_folder *folders = search->folders;
    for (size_t at = parent; at != SIZE_MAX; at = folders[at].parent)
        if (folders[at].device == device && folders[at].inode == inode) {
            free(path);
            return;
        }
    search->folders = grow_array(search->folders, search->folder_count, sizeof *folders);
    search->folders[search->folder_count++] = (found_folder){path, name, parent, device, inode};
}

/* --- Visiting folders ---------------------------------------------------------------------- */

/* True when an entry is searched for in the folder; ".." never is. */
static bool is_wanted(const tool_files *files, const char *pattern, const char *name,
                      bool is_folder) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    bool is_passed = is_passed_over(files, name, is_folder);
    if (pattern == NULL || strcmp(pattern, "**") == 0)
        return !is_passed;
    return (!is_passed || name[0] == pattern[0]) && fnmatch(pattern, name, 0) == 0;
}

/* Notes a file that a log has not finished, unless it has no rows: its magic or head alone. */
static void note_leftover(tool_files *files, const char *path, const char *entry,
                          const struct stat *about) {
    bool is_part = leftover_kind_of(entry) == LEFTOVER_IS_PART;
    if ((files->kind != TOOL_FILES_PARQUET && files->kind != TOOL_FILES_KEYED) ||
        !S_ISREG(about->st_mode) || !is_of_log(entry) ||
        about->st_size <= (is_part ? LEFTOVER_PART_HEAD : LEFTOVER_JOURNAL_HEAD))
        return;
    if (files->leftover_count++ == 0)
        files->leftover = tool_copy_text(path);
}

/*
 * Finds the type of an entry; false when it is passed over. A missing one has no mode: opening it
 * reports that.
 */
static bool examine_entry(tool_files *files, const char *path, struct stat *ret_about) {
    bool follows = files->kind != TOOL_FILES_LOG;
    ret_about->st_mode = 0;
    if ((follows ? stat(path, ret_about) : lstat(path, ret_about)) == 0 || is_missing(errno))
        return follows || S_ISDIR(ret_about->st_mode) || S_ISREG(ret_about->st_mode);
    fail_file(files, path, "cannot read", errno);
    return false;
}

/* Takes an entry of a folder: adds the file, or the folder to those that are visited. */
static void take_entry(file_search *search, size_t at, const char *entry) {
    tool_files *files = search->files;
    size_t name = search->folders[at].name;
    const char *pattern = name < search->name_count ? search->names[name] : NULL;
    bool is_deep = pattern != NULL && strcmp(pattern, "**") == 0;
    bool is_last = name + 1 >= search->name_count;
    bool may_be_left = (pattern == NULL || is_deep) && is_of_log(entry);
    struct stat about;
    if (!is_wanted(files, pattern, entry, true) && !may_be_left)
        return;
    char *path = join_path(search->folders[at].path, entry);
    bool is_examined = examine_entry(files, path, &about);
    bool is_folder = S_ISDIR(about.st_mode), is_there = about.st_mode != 0;
    if (is_examined && may_be_left)
        note_leftover(files, path, entry, &about);
    if (!is_examined || !is_wanted(files, pattern, entry, is_folder)) {
        free(path);
        return;
    }
    if (is_folder) {
        add_folder(search, path, is_deep || pattern == NULL ? name : name + 1, at, about.st_dev,
                   about.st_ino);
        return;
    }
    bool is_data = files->kind == TOOL_FILES_ANY || tool_has_parquet_name(entry) ||
                   (files->kind == TOOL_FILES_LOG && is_of_log(entry));
    if (!is_last || (is_there && !S_ISREG(about.st_mode) && pattern == NULL) ||
        ((pattern == NULL || is_deep) && !is_data)) {
        free(path);
        return;
    }
    add_file(files, path, search->operand, true);
}

/* A name without wildcards is not searched for. */
static void take_plain_name(file_search *search, size_t at) {
    const found_folder folder = search->folders[at];
    bool is_last = folder.name + 1 == search->name_count;
    struct stat about;
    char *path = join_path(folder.path, search->names[folder.name]);
    bool is_there = stat(path, &about) == 0;
    if (!is_there && !is_missing(errno))
        fail_file(search->files, path, "cannot read", errno);
    if (!is_there)
        free(path);
    else if (S_ISDIR(about.st_mode))
        add_folder(search, path, folder.name + 1, at, about.st_dev, about.st_ino);
    else if (is_last)
        add_file(search->files, path, search->operand, true);
    else
        free(path);
}

static void visit_folder(file_search *search, size_t at) {
    const found_folder found = search->folders[at];
    const char *path = found.path;
    size_t name = found.name;
    if (name + 1 < search->name_count && strcmp(search->names[name], "**") == 0)
        add_folder(search, tool_copy_text(path), name + 1, found.parent, found.device, found.inode);
    if (name < search->name_count && !is_wild(search->names[name])) {
        take_plain_name(search, at);
        return;
    }
    DIR *folder;
    do
        folder = opendir(path[0] == '\0' ? "." : path);
    while (folder == NULL && errno == EINTR);
    if (folder == NULL) {
        fail_folder(search->files, path);
        return;
    }
    for (const struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;)
        take_entry(search, at, entry->d_name);
    if (errno != 0)
        fail_folder(search->files, path);
    closedir(folder);
}

/* --- One operand --------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b) {
    return strcmp(((const tool_file *)a)->path, ((const tool_file *)b)->path);
}

/* Sorts the files from `first` on; leaves out duplicates. */
static void sort_files(tool_files *files, size_t first) {
    tool_file *items = files->items;
    size_t kept = first, count = (size_t)files->count;
    if (count == first)
        return;
    qsort(items + first, count - first, sizeof *items, compare_files);
    for (size_t i = first; i < count; i++) {
        if (i > first && strcmp(items[i].path, items[kept - 1].path) == 0)
            free(items[i].path);
        else
            items[kept++] = items[i];
    }
    files->count = (int)kept;
}

/* Notes the keys of a file, which begin after the root; false if it has too many. */
static bool note_keys_of(tool_files *files, tool_file *file, size_t root_size) {
    lam_error error = lam_error_none();
    file->key = files->key_count++;
    file->has_keys = true;
    if (lam_path_keys_add(files->path_keys, file->path + root_size, &error) == LAM_STATUS_OK)
        return true;
    files->result = tool_fail(file->path, &error);
    return false;
}

/* The same of the files from `first` on. */
static void note_keys(file_search *search, size_t first) {
    tool_files *files = search->files;
    for (size_t i = first; i < (size_t)files->count; i++) {
        if (note_keys_of(files, &files->items[i], search->root_size))
            continue;
        while ((size_t)files->count > i)
            free(files->items[--files->count].path);
    }
}

/* Whether a folder's name after the root has the form of a key. */
static bool has_key(const char *path, size_t root_size) {
    const char *end = strrchr(path, '/'), *equals = strchr(path + root_size, '=');
    return end != NULL && equals != NULL && equals < end;
}

/* Bytes of the folders that lead to all files which are named. */
static size_t shared_folders(const tool_files *files, size_t *ret_count) {
    const char *first = NULL;
    size_t size = 0;
    *ret_count = 0;
    for (int i = 0; i < files->count; i++) {
        const char *path = files->items[i].path;
        if (files->items[i].is_found || strcmp(path, "-") == 0)
            continue;
        const char *end = strrchr(path, '/');
        const size_t most = end == NULL ? 0 : (size_t)(end - path) + 1;
        size_t same = 0;
        if (first == NULL) {
            first = path;
            size = most;
        }
        for (size_t j = 0; j < size && j < most && path[j] == first[j]; j++)
            same = path[j] == '/' ? j + 1 : same;
        size = same;
        ++*ret_count;
    }
    return size;
}

/* Named files may be matches of a pattern of the shell's. */
static void note_named_keys(tool_files *files) {
    size_t named, root_size = shared_folders(files, &named);
    bool any = false;
    for (int i = 0; i < files->count && named > 1; i++)
        any = any || (!files->items[i].is_found && has_key(files->items[i].path, root_size));
    for (int i = 0; i < files->count && any; i++)
        if (!files->items[i].is_found && strcmp(files->items[i].path, "-") != 0)
            any = note_keys_of(files, &files->items[i], root_size);
}

static void fail_without_files(const file_search *search) {
    tool_files *files = search->files;
    fail_file(files, search->text,
              search->names != NULL           ? "no file matches"
              : files->kind == TOOL_FILES_ANY ? "no file in the folder"
                                              : "no Parquet file (*.parquet, *.parq) is in this "
                                                "folder",
              0);
    tool_files_say_leftovers(files);
}

/* Visits all folders, the first of which is noted; more are added on the way. */
static void search_folders(file_search *search) {
    tool_files *files = search->files;
    size_t first = (size_t)files->count;
    int before = files->result;
    const lam_stop *stop = tool_limits_of_program()->stop;
    files->result = TOOL_OK;
    for (size_t i = 0; i < search->folder_count; i++) {
        if (lam_stop_is_due(stop)) {
            fail_file(files, search->text, "the time limit has expired", 0);
            break;
        }
        visit_folder(search, i);
    }
    sort_files(files, first);
    if (files->kind == TOOL_FILES_KEYED)
        note_keys(search, first);
    if ((size_t)files->count == first && files->result == TOOL_OK && files->kind != TOOL_FILES_LOG)
        fail_without_files(search);
    files->result = files->result > before ? files->result : before;
    for (size_t i = 0; i < search->folder_count; i++)
        free(search->folders[i].path);
    free(search->folders);
}

static void find_below(file_search *search, const struct stat *about) {
    search->root_size = strlen(search->text);
    add_folder(search, tool_copy_text(search->text), 0, SIZE_MAX, about->st_dev, about->st_ino);
    search_folders(search);
}

/* Cuts the pattern into its names; those before the first with wildcards are the root. */
static void find_matches(file_search *search) {
    char *pattern = tool_copy_text(search->text), *rest = NULL;
    size_t root = 0, wild = strcspn(pattern, "*?[");
    struct stat about;
    search->names = tool_allocate(strlen(pattern) / 2 + 2, sizeof *search->names);
    for (size_t i = 0; i < wild; i++)
        root = pattern[i] == '/' ? i + 1 : root;
    char *folder = tool_copy_text(pattern);
    folder[root] = '\0';
    for (char *name = strtok_r(pattern + root, "/", &rest); name != NULL;
         name = strtok_r(NULL, "/", &rest)) {
        const char *last = search->name_count > 0 ? search->names[search->name_count - 1] : "";
        if (strcmp(name, "**") != 0 || strcmp(last, "**") != 0)
            search->names[search->name_count++] = name;
    }
    search->root_size = root;
    if (stat(root == 0 ? "." : folder, &about) == 0)
        add_folder(search, folder, 0, SIZE_MAX, about.st_dev, about.st_ino);
    else
        free(folder);
    search_folders(search);
    free(search->names);
    free(pattern);
}

static void find_files(tool_files *files, char *operand, size_t index) {
    file_search search = {.files = files, .operand = index, .text = operand};
    struct stat about;
    bool is_there = strcmp(operand, "-") == 0 || stat(operand, &about) == 0;
    if (is_there && strcmp(operand, "-") != 0 && S_ISDIR(about.st_mode))
        find_below(&search, &about);
    else if (!is_there && strstr(operand, "://") != NULL)
        fail_file(files, operand, "it is an address, and only files are read", 0);
    else if (!is_there && is_wild(operand))
        find_matches(&search);
    else
        add_file(files, operand, index, false);
}

void tool_files_find(int count, char **operands, tool_files_kind kind, tool_files *ret_files) {
    lam_error error = lam_error_none();
    tool_files *files = ret_files;
    *files = (tool_files){.kind = kind, .result = TOOL_OK};
    if (kind == TOOL_FILES_KEYED &&
        lam_path_keys_create(tool_allocator(), &files->path_keys, &error) != LAM_STATUS_OK)
        tool_end_without_memory(NULL, error.message);
    for (int i = 0; i < count; i++)
        find_files(files, operands[i], (size_t)i);
    if (kind == TOOL_FILES_KEYED)
        note_named_keys(files);
    if (kind == TOOL_FILES_KEYED)
        keyed_files = files;
}

void tool_files_find_log(const char *folder, bool is_quiet, tool_files *ret_files) {
    struct stat about;
    file_search search = {.files = ret_files, .text = folder};
    *ret_files = (tool_files){.kind = TOOL_FILES_LOG, .result = TOOL_OK, .is_quiet = is_quiet};
    if (stat(folder, &about) != 0)
        fail_folder(ret_files, folder);
    else
        find_below(&search, &about);
}

void tool_files_say_leftovers(tool_files *files) {
    if (files->leftover_count == 0)
        return;
    char more[40] = "";
    if (files->leftover_count > 1)
        snprintf(more, sizeof more, " and %zu more", files->leftover_count - 1);
    tool_say(
        "lamella: %s%s: further rows, of a log that is running or was killed; \"lamella tail\" "
        "shows those in row groups, \"lamella recover\" finishes what a killed log left\n",
        files->leftover, more);
    free(files->leftover);
    files->leftover = NULL;
    files->leftover_count = 0;
}

void tool_files_free(tool_files *files) {
    if (keyed_files == files)
        keyed_files = NULL;
    for (int i = 0; i < files->count; i++)
        if (files->items[i].is_found)
            free(files->items[i].path);
    free(files->items);
    free(files->leftover);
    lam_path_keys_destroy(files->path_keys);
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* The file whose path this is, not only its text; NULL when there is none. Mostly the next one. */
static const tool_file *keyed_file(const char *path) {
    static size_t next;
    size_t count = keyed_files == NULL ? 0 : (size_t)keyed_files->count;
    for (size_t i = 0; i < count; i++) {
        size_t at = (next + i) % count;
        if (keyed_files->items[at].path == path) {
            next = at + 1;
            return &keyed_files->items[at];
        }
    }
    return NULL;
}

bool tool_file_is_found(const char *path) {
    const tool_file *file = keyed_file(path);
    return file != NULL && file->is_found;
}

lam_constant *tool_file_keys(const char *path, size_t *ret_count) {
    lam_error error = lam_error_none();
    const tool_file *file = keyed_file(path);
    *ret_count = 0;
    if (file == NULL || !file->has_keys)
        return NULL;
    size_t count = lam_path_keys_count(keyed_files->path_keys);
    lam_constant *keys = tool_allocate(count + 1, sizeof *keys);
    if (lam_path_keys_of_file(keyed_files->path_keys, file->key, keys, &error) == LAM_STATUS_OK)
        *ret_count = count;
    return keys;
}

void tool_files_begin_progress(const tool_files *files) {
    struct stat about;
    tool_progress_begin(0, NULL);
    for (int i = 0; i < files->count; i++)
        if (stat(files->items[i].path, &about) == 0 && S_ISREG(about.st_mode))
            tool_progress_expect((uint64_t)about.st_size);
}
