/* SPDX-License-Identifier: Apache-2.0 */
/* The files that operands name: themselves, what is in folders, and what patterns match. */
#ifndef LAMELLA_TOOLS_IMPORT_FILES_H
#define LAMELLA_TOOLS_IMPORT_FILES_H

typedef struct tool_files {
    char **names; /* each allocated */
    int count;
} tool_files;

/*
 * Takes each operand in turn. A name that exists is that file; of a folder, all files in it and
 * below, in the order of their names, without those whose names begin with . or _ ; of a name that
 * does not exist and has * ? or [ in it, the files that it matches, with ** for any folders. On
 * failure prints why and gives the exit status; the files are to be freed in any case.
 */
int tool_files_find(int count, char **operands, tool_files *ret_files);
void tool_files_free(tool_files *files);

#endif
