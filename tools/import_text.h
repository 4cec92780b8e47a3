/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that import reads: files, pipes, standard input. */
#ifndef LAMELLA_TOOLS_IMPORT_TEXT_H
#define LAMELLA_TOOLS_IMPORT_TEXT_H

#include <lamella/json.h>
#include <stdio.h>
#include <sys/types.h>

#include "import_records.h"
#include "import_unpack.h"

typedef struct tool_text {
    const char *name;
    const char *path; /* of a regular file; NULL otherwise */
    FILE *file;       /* read by its descriptor alone; a regular file is open while it is read */
    dev_t device;     /* of the file, and its number there: both 0 if unknown */
    ino_t number;
    off_t start; /* in the file, -1 when it can be read only once */
    size_t left; /* bytes still to read, SIZE_MAX for all; a text that is cut ends with a line */
    bool failed; /* reading failed, or the packed bytes are broken */
    tool_unpack *unpack;      /* while it is read; NULL before */
    import_records *records;  /* the records read of it; NULL: all */
    import_records *searched; /* the same, for a text that was copied without all else */
    bool is_packed;           /* as gzip or zstd; known from peeking on */
    bool keeps;               /* bytes read from a pipe are kept, to be read again */
    char *ahead;              /* the kept bytes */
    size_t ahead_size, ahead_next, ahead_room;
} tool_text;

/*
 * Opens every input before any is read. A regular file is opened again each time that it is read,
 * so that there may be more of them than descriptors. Others can be read only once, unless
 * tool_texts_keep copies them. Packed texts are unpacked.
 */
int tool_texts_open(tool_text *inputs, int count, char **names);
void tool_texts_close(tool_text *inputs, int count);

/* Makes a text ready to be read from its start, and lets go of it. */
lam_status tool_text_begin(tool_text *input, lam_error *error);
void tool_text_end(tool_text *input);

/* Reads between begin and end. */
lam_json_source tool_text_source(tool_text *input);

/*
 * The first bytes of a text, which can be read again: at least up to the end of that many lines, if
 * the capacity has room for them.
 */
lam_status tool_text_peek(tool_text *input, size_t lines, char *bytes, size_t capacity,
                          size_t *ret_size, lam_error *error);

/* Whether a file that exists, or standard output for "-", is one of the texts. */
const tool_text *tool_texts_find(const tool_text *inputs, int count, const char *output);

/* Makes all texts ready to be read twice: pipes are copied. */
int tool_texts_keep(tool_text *inputs, int count);

/* Whether all texts can be read from their start again. */
bool tool_texts_are_rewindable(const tool_text *inputs, int count);

#endif
