/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file, or several that are read as one: the union of their schemas and keys of their folders.
 */
#ifndef LAMPY_FILES_H
#define LAMPY_FILES_H

#include "source.h"

/* Immutable once made. Counted; may be used and dropped by any thread, with or without the GIL. */
typedef struct lampy_files lampy_files;

/*
 * Reads the footers of all sources. `keys` are their paths below the folder of the data set, whose
 * folders NAME=VALUE become columns; NULL where there is none. Takes over `sources`, an array of
 * malloc and its elements, even on failure. NULL with an exception. With the GIL.
 */
lampy_files *lampy_files_new(lampy_state *state, lampy_source **sources, size_t count,
                             const char *const *keys);
lampy_files *lampy_files_keep(lampy_files *files);
/* NULL is allowed. */
void lampy_files_drop(lampy_files *files);

size_t lampy_files_count(const lampy_files *files);
uint64_t lampy_files_rows(const lampy_files *files);
const lam_schema *lampy_files_schema(const lampy_files *files);
lampy_source *lampy_files_source(const lampy_files *files, size_t index);
/* Whether reads call Python. */
bool lampy_files_use_python(const lampy_files *files);
const char *lampy_files_name(const lampy_files *files, size_t index);

/* A reader that shows its file in the union, and what it stands on. */
typedef struct lampy_reader {
    lam_reader *chain[3]; /* the file, with constants, in the union; NULL at the end */
    lam_reader *shown;    /* the last of them */
} lampy_reader;

/* Opens file `index`; with or without the GIL, better without. */
lam_status lampy_files_open(lampy_files *files, size_t index, lampy_reader *ret_reader,
                            lam_error *error);
/* Closes it; one that is cleared is nothing. */
void lampy_reader_close(lampy_reader *reader);

/*
 * Writes what a source raised first as a text such as "ValueError: closed", and forgets it, or, if
 * it is a KeyboardInterrupt or the like, has it raised later. False when none raised anything. With
 * the GIL.
 */
bool lampy_files_explain(lampy_files *files, char *text, size_t capacity);

/*
 * Sets the exception that is behind a failure in file `index`: that of a source, or of the library.
 * NULL.
 */
PyObject *lampy_files_raise(lampy_state *state, lampy_files *files, size_t index, lam_status status,
                            const lam_error *error);

#endif
