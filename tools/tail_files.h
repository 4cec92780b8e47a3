/* SPDX-License-Identifier: Apache-2.0 */
/* The files that tail follows, finished ones and those that are being written. */
#ifndef LAMELLA_TOOLS_TAIL_FILES_H
#define LAMELLA_TOOLS_TAIL_FILES_H

#include <lamella/constant.h>
#include <lamella/reader.h>

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
    size_t key;  /* its number in the path keys */
} tail_file;

/* A journal that has rows. */
typedef struct tail_journal {
    char *path;
    int64_t modified;
} tail_journal;

typedef struct tail_files {
    const char *path; /* a folder or a file */
    bool is_folder;   /* it is one now, or was one */
    tail_file *files; /* from the oldest to the newest */
    size_t count;
    tool_names numbers;     /* of files, by path, while they are listed */
    tail_journal *journals; /* that were there when they were listed last */
    size_t journal_count;
    lam_path_keys *path_keys; /* the folders named NAME=TEXT of a folder, likewise */
} tail_files;

/* The readers of a file: of its rows so far, and with the keys of its folders. */
typedef struct tail_reader {
    lam_reader *file;
    lam_reader *keyed;  /* or NULL */
    lam_reader *reader; /* the one to read; NULL: the file has no row yet */
} tail_reader;

/* On failure prints why and gives the exit status. */
int tail_files_open(tail_files *files, const char *path);
void tail_files_close(tail_files *files);

/*
 * Finds the files that exist now, and sorts them by their times. Known facts about them stay. A
 * file is forgotten when it is missing several times, as it may just be renamed. An unreadable one
 * is reported unless `is_quiet`, and determines an exit status.
 */
int tail_files_list(tail_files *files, bool is_quiet);

/* Whether the file changed since it was read last; notes that it is read now. */
bool tail_file_begin(tail_file *file);

/*
 * The journal of the log of a file that is not finished, if it has rows: beside it, or in a folder
 * above it; NULL without one.
 */
const tail_journal *tail_file_journal(const tail_files *files, const tail_file *file);

/*
 * Opens a file as far as it is written. A file whose name changed meanwhile is found under its
 * final name; one that is being written and has no row yet gives OK without a reader.
 */
lam_status tail_file_open(const tail_files *files, const tail_file *file, tail_reader *ret_reader,
                          lam_error *error);
void tail_reader_close(tail_reader *reader);

#endif
