/* SPDX-License-Identifier: Apache-2.0 */
/* The files that operands name: themselves, what is in folders, and what patterns match. */
#ifndef LAMELLA_TOOLS_IMPORT_FILES_H
#define LAMELLA_TOOLS_IMPORT_FILES_H

typedef struct import_names {
    char **names; /* each allocated */
    int count;
} import_names;

/*
 * Takes each operand in turn. A name that exists is that file; of a folder, all files in it and
 * below, in the order of their names, without those whose names begin with . or _ ; of a name that
 * does not exist and has * ? or [ in it, the files that it matches, with ** for any folders. On
 * failure prints why and gives the exit status; the files are to be freed in any case.
 */
int import_names_find(int count, char **operands, import_names *ret_files);
void import_names_free(import_names *files);

#endif
