/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of several files together, if each of them must look like all: names of fields that a
 * file lacks find nulls in it, and one header serves all. A field has the type that all files give
 * it. Files are opened for it only when that is necessary.
 */
#ifndef LAMELLA_TOOLS_FILE_FIELDS_H
#define LAMELLA_TOOLS_FILE_FIELDS_H

#include <lamella/reader.h>

#include "tool_files.h"
#include "union_notice.h"

typedef struct file_fields {
    const tool_files *files; /* to collect from; NULL: only the added ones */
    lam_clash on_clash;
    lam_union *all;      /* of all files so far; NULL without any */
    bool is_collected;   /* from `files` */
    int result;          /* of that; a failure is printed once */
    size_t noticed;      /* notices that were printed */
    const char *fitting; /* a file that the condition was read for; or NULL */
} file_fields;

/* What makes files look alike. */
typedef struct file_wishes {
    const char *columns; /* NULL: none are named */
    const char *where;
    bool is_storage;   /* VARIANTs are groups */
    bool needs_header; /* of all columns of all files */
} file_wishes;

/* `files` is borrowed until end, and may be NULL. */
file_fields file_fields_begin(const tool_files *files, lam_clash on_clash);
void file_fields_end(file_fields *fields);

/* Adds the fields of one more file. On failure prints why and gives the exit status. */
int file_fields_add(file_fields *fields, const char *file, const lam_schema *schema);

/*
 * Gives a reader that has all wanted fields, to be closed before `reader`; NULL when `reader` is
 * that. On failure prints why and gives the exit status, else TOOL_OK.
 */
int file_fields_show(file_fields *fields, const char *file, const lam_reader *reader,
                     const file_wishes *wishes, lam_reader **ret_shown);

#endif
