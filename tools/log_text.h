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
    size_t given;      /* of `data`: the bytes before it are given to the reader */
    size_t whole;      /* the complete lines end here */
    size_t end;        /* the bytes read end here */
    uint64_t line;     /* number of the first line of `data`, from 1 */
    size_t found_at;   /* a line that was found: its place and number */
    uint64_t found;    /*   0: none */
    size_t line_bytes; /* a longer line is refused */
    bool skips;        /* the end of a line that was too long is to come */
    bool has_ended;
    bool gives_bytes;   /* as they come, complete lines or not */
    bool has_added_end; /* after a last line without an end */
    void *state;        /* of the callbacks */
    /* A line is longer than `line_bytes`; it becomes an empty one. `text` is its beginning. */
    void (*refuse)(void *state, uint64_t line, lam_bytes text);
    /* Once a second while no bytes come: gives a failure that ends the reading. */
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
 * `line_bytes` bytes. None of them is given yet, so that another call adds to them. Gives all
 * complete lines.
 */
lam_status log_text_sample(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                           lam_error *error);
/* Waits up to `wait_ms` until there are `lines` lines, with the existing ones. */
lam_status log_text_sample_more(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                                lam_error *error);

/*
 * From now on the text is given as it comes, line or not: its reader finds the records, and refuses
 * those that are too long. The source ends with CANCELLED if a signal ended the text.
 */
void log_text_give_bytes(log_text *text);

/*
 * Gives complete lines as soon as they come. When the reader asks for more it must be done with all
 * that it has.
 */
lam_json_source log_text_source(log_text *text);

/* A line that was given since the last time that the reader asked; without its end. */
lam_bytes log_text_line(log_text *text, uint64_t line);
/* The same line and those present after it, up to `most` bytes. */
lam_bytes log_text_lines(log_text *text, uint64_t line, size_t most);
/* Gives the lines from this one on again. */
void log_text_rewind(log_text *text, uint64_t line);

/*
 * Makes SIGINT, SIGTERM and SIGHUP the end of every text, if they are not ignored: complete lines
 * that were read are still given. SIGUSR1 calls `checkpoint`, if it is not NULL, with `state`.
 */
void log_signals_catch(void);
void log_signals_set_checkpoint(void (*checkpoint)(void *state), void *state);
/* Whether one of them came. */
bool log_signals_have_ended(void);
/* Is requested by the signals that end the program. */
const lam_stop *log_signals_stop(void);
/*
 * Waits until a reader makes room for a line; false when one of them came and no reader does for
 * that long.
 */
bool log_signals_wait_to_write(int descriptor, int patience_ms);

#endif
