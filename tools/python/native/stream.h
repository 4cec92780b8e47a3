/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of Arrow arrays out of files, and what is asked of them. */
#ifndef LAMPY_STREAM_H
#define LAMPY_STREAM_H

#include "files.h"

/* What to read. Texts are owned; zero means all of it. */
typedef struct lampy_query {
    char *select;   /* a list of paths, as lam_schema_select_text reads it; NULL: all columns */
    char *where;    /* a condition, as lam_filter_parse reads it; NULL: all rows */
    uint64_t limit; /* 0: all */
    bool is_empty;  /* no row at all: a limit of 0, as Python says it */
    uint64_t batch_rows;
    uint32_t threads;
    bool plain; /* no dictionaries */
} lampy_query;

/*
 * Reads the keywords select, where, limit, batch_rows, threads and dictionaries; what is None
 * or missing keeps its default. -1 with an exception.
 */
int lampy_query_parse(PyObject *keywords, lampy_query *ret_query);
int lampy_query_copy(const lampy_query *query, lampy_query *ret_copy);
void lampy_query_finish(lampy_query *query);

/*
 * A capsule "arrow_array_stream" that reads the files from their beginning. `requested` is a
 * capsule "arrow_schema" or None. NULL with an exception.
 */
PyObject *lampy_stream_new(lampy_state *state, lampy_files *files, const lampy_query *query,
                           PyObject *requested);

/* A capsule "arrow_schema" of what such a stream gives. */
PyObject *lampy_stream_schema(lampy_state *state, lampy_files *files, const lampy_query *query);

#endif
