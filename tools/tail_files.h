/* SPDX-License-Identifier: Apache-2.0 */
/* The files that tail follows, finished ones and those that are being written. */
#ifndef LAMELLA_TOOLS_TAIL_FILES_H
#define LAMELLA_TOOLS_TAIL_FILES_H

#include <lamella/reader.h>
#include <lamella/storage.h>

#include "tool_names.h"

/* A file, under its final name or "_NAME.part". */
typedef struct tail_file {
    char *path;   /* the final name */
    bool is_part; /* only the unfinished file is there */
    uint64_t size;
    int64_t modified;   /* nanoseconds */
    uint64_t printed;   /* rows that are printed, or were there before */
    uint64_t seen_size; /* when it was read last */
    int64_t seen_modified;
    bool seen_part;
    int missing; /* listings in a row that did not have it */
} tail_file;

typedef struct tail_files {
    const char *path; /* a folder or a file */
    bool is_folder;
    tail_file *files; /* from the oldest to the newest */
    size_t count;
    tool_names numbers; /* of files, by path, while they are listed */
    char *journal; /* the path of one of them, when they were listed last; NULL: there is none */
} tail_files;

/* On failure prints why and gives the exit status. */
int tail_files_open(tail_files *files, const char *path);
void tail_files_close(tail_files *files);

/*
 * Finds out which files there are now, and sorts them by their times. What was known of them stays.
 * A file is forgotten when it is missing several times, as it may be renamed just now.
 */
lam_status tail_files_list(tail_files *files, lam_error *error);

/* Whether the file changed since it was read last; notes that it is read now. */
bool tail_file_begin(tail_file *file);

/*
 * Opens a file as far as it is written. A file whose name changed meanwhile is found under its
 * final name; one that is being written and has no row yet gives OK without a reader.
 */
lam_status tail_file_open(const tail_file *file, lam_reader **ret_reader, lam_error *error);

#endif
