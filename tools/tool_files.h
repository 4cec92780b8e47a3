/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that the operands of a command line mean: those that they name, those below a folder,
 * those that a pattern in quotation marks matches.
 */
#ifndef LAMELLA_TOOLS_TOOL_FILES_H
#define LAMELLA_TOOLS_TOOL_FILES_H

#include <lamella/constant.h>

/* The paragraph about folders, of commands whose files have keys. */
#define TOOL_FOLDER_HELP                                                                           \
    "\n\nFILE may also be a folder, for all *.parquet and *.parq files in and below it, or a "     \
    "pattern in quotation marks, such as \"sales/2024-*/**/*.parquet\". Names that begin with "    \
    "\".\" or \"_\" are skipped. Folders named NAME=TEXT, whatever NAME begins with, are fields "  \
    "of the files in them: --where and --columns may name them, and files that they rule out are " \
    "not read. With several files, a field that is missing from one is null there, for --where "   \
    "and --columns."

typedef struct tool_file {
    char *path;
    size_t operand; /* its index */
    size_t key;     /* where its keys are, if it has some */
    bool is_found;  /* by a folder or a pattern; else it is the operand itself */
    bool has_keys;
} tool_file;

typedef enum tool_files_kind {
    TOOL_FILES_PARQUET, /* of folders *.parquet and *.parq */
    TOOL_FILES_KEYED,   /* the same; folders named NAME=TEXT are keys */
    TOOL_FILES_ANY,     /* of folders all that is in them */
    TOOL_FILES_LOG      /* as PARQUET, and unfinished files of logs (leftover_names.h); links in
                         * folders are not followed, as those of strangers may be among them */
} tool_files_kind;

typedef struct tool_files {
    tool_file *items; /* in the order of the operands; those of one sorted by their bytes */
    int count;
    int result; /* TOOL_OK, or the status of a file that was not found, which was printed */
    tool_files_kind kind;
    bool is_quiet; /* unreadable files are not printed */
    lam_path_keys *path_keys;
    size_t key_count;
    char *leftover; /* a file with rows that a log has not finished; with PARQUET and KEYED */
    size_t leftover_count;
} tool_files;

/*
 * Finds the files of the operands. With KEYED the folders on the way to a file, if they are
 * named NAME=TEXT, become columns of the reader that tool_open gives for a path of them, until
 * free. `*ret_files` must not move until then.
 */
void tool_files_find(int count, char **operands, tool_files_kind kind, tool_files *ret_files);
void tool_files_free(tool_files *files);

/* The files of one folder with LOG, whose absence is no failure. */
void tool_files_find_log(const char *folder, bool is_quiet, tool_files *ret_files);

/* Says once that further rows are in files that a log has not finished, if it is so. */
void tool_files_say_leftovers(tool_files *files);

/* Progress by the sizes of the files. */
void tool_files_begin_progress(const tool_files *files);

/* Calls `each` for every file in turn; gives the worst exit status, that of finding included. */
int tool_each_of(const tool_files *files, int (*each)(const char *file, void *state), void *state);

/*
 * The keys of a path of the files that have them, and the number of keys; NULL for other paths. To
 * be freed with free().
 */
lam_constant *tool_file_keys(const char *path, size_t *ret_count);

/* Whether a name ends in .parquet or .parq. */
bool tool_has_parquet_name(const char *path);

/* True when a folder or a pattern led to a path of the files that have keys. */
bool tool_file_is_found(const char *path);

#endif
