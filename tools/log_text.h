/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that log reads: from a pipe or a file, as they come. */
#ifndef LAMELLA_TOOLS_LOG_TEXT_H
#define LAMELLA_TOOLS_LOG_TEXT_H

#include <lamella/json.h>
#include <lamella/stop.h>

typedef struct log_text {
    const char *name;
    int descriptor;
    char *data;
    size_t capacity;
    size_t given;      /* of `data`: what is given to the reader lies before this */
    size_t whole;      /* the whole lines end here */
    size_t end;        /* what was read ends here */
    uint64_t line;     /* number of the first line of `data`, from 1 */
    size_t found_at;   /* a line that was found: its place and number */
    uint64_t found;    /*   0: none */
    size_t line_bytes; /* a longer line is refused */
    bool skips;        /* the rest of a line that was too long is to come */
    bool has_ended;
    bool gives_bytes;   /* as they come, whole lines or not */
    bool has_added_end; /* behind a last line without an end */
    void *state;        /* of the callbacks */
    /* A line is longer than `line_bytes`; it becomes an empty one. `text` is its beginning. */
    void (*refuse)(void *state, uint64_t line, lam_bytes text);
    /* Once a second while nothing comes: gives a failure that ends the reading. */
    lam_status (*idle)(void *state, lam_error *error);
} log_text;

/*
 * Opens a file, or standard input for "-". On failure prints why and gives the exit status.
 * log_text_close is needed after a failure too.
 */
int log_text_open(log_text *text, const char *path, size_t line_bytes);
void log_text_close(log_text *text);

/*
 * Waits for another line, and then up to `wait_ms` for more, until there are `lines` more lines, or
 * `line_bytes` bytes. Nothing of them is given yet, so that another call adds to them. Gives all
 * lines that are whole.
 */
lam_status log_text_sample(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                           lam_error *error);
/* Waits up to `wait_ms` until there are `lines` lines, with those that are there already. */
lam_status log_text_sample_more(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                                lam_error *error);

/*
 * From now on the text is given as it comes, line or not: whoever reads it finds the records, and
 * refuses what is too long. The source ends with CANCELLED where a signal ended the text.
 */
void log_text_give_bytes(log_text *text);

/*
 * Gives whole lines as soon as they come. When the reader asks for more it must be done with all
 * that it has got.
 */
lam_json_source log_text_source(log_text *text);

/* A line that was given since the last time that the reader asked; without its end. */
lam_bytes log_text_line(log_text *text, uint64_t line);
/* The same line and those behind it that are there, as long as they have `most` bytes at most. */
lam_bytes log_text_lines(log_text *text, uint64_t line, size_t most);
/* Gives the lines from this one on again. */
void log_text_rewind(log_text *text, uint64_t line);

/*
 * Makes SIGINT, SIGTERM and SIGHUP the end of every text, where they are not ignored: what was read
 * as whole lines is still given. SIGUSR1 calls `checkpoint`, if it is not NULL, with `state`.
 */
void log_signals_catch(void);
void log_signals_set_checkpoint(void (*checkpoint)(void *state), void *state);
/* Whether one of them came. */
bool log_signals_have_ended(void);
/* Is requested by the signals that end the program. */
const lam_stop *log_signals_stop(void);
/*
 * Waits until somebody who reads makes room for a line; false when one of them came and nobody does
 * for so long.
 */
bool log_signals_wait_to_write(int descriptor, int patience_ms);

#endif
