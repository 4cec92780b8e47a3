/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of several files together, for what names fields of some of them: where a file lacks
 * such a field it has nulls. Files are opened for it only when a name makes that necessary.
 */
#ifndef LAMELLA_TOOLS_FILE_FIELDS_H
#define LAMELLA_TOOLS_FILE_FIELDS_H

#include <lamella/reader.h>

#include "tool_files.h"

typedef struct file_fields {
    const tool_files *files; /* to collect from; NULL: only what is added */
    lam_schema *schema;      /* of all files so far; NULL without any */
    bool is_collected;       /* from `files` */
    const char *fitting;     /* a file that the condition was read for; or NULL */
} file_fields;

/* What names fields. */
typedef struct file_wishes {
    const char *columns; /* NULL: none */
    const char *where;
    bool is_storage; /* VARIANTs are groups */
} file_wishes;

/* `files` is borrowed until end, and may be NULL. */
file_fields file_fields_begin(const tool_files *files);
void file_fields_end(file_fields *fields);

/* Adds the fields of one more file. */
void file_fields_add(file_fields *fields, const lam_schema *schema);

/*
 * Gives a reader that has all the fields which are named, to be closed before `reader`; NULL when
 * `reader` has them. On failure prints why and gives the exit status, else TOOL_OK.
 */
int file_fields_show(file_fields *fields, const char *file, const lam_reader *reader,
                     const file_wishes *wishes, lam_reader **ret_shown);

#endif
