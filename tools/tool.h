/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the program share. */
#ifndef LAMELLA_TOOLS_TOOL_H
#define LAMELLA_TOOLS_TOOL_H

#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool_option.h"
#include "tool_print.h"

/* A function whose unsigned arithmetic wraps on purpose: see lib/base/wrap.h. */
#if defined(__clang__)
#define TOOL_WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define TOOL_WRAPS
#endif

/* Exit statuses. */
enum { TOOL_OK = 0, TOOL_BAD_INPUT = 1, TOOL_BAD_USAGE = 2 };

extern const tool_command tool_import;
extern const tool_command tool_cat;
extern const tool_command tool_head;
extern const tool_command tool_sample;
extern const tool_command tool_count;
extern const tool_command tool_summary;
extern const tool_command tool_schema;
extern const tool_command tool_meta;
extern const tool_command tool_pages;
extern const tool_command tool_bytes;
extern const tool_command tool_levels;
extern const tool_command tool_trace;
extern const tool_command tool_explain;
extern const tool_command tool_automaton;
extern const tool_command tool_check;
extern const tool_command tool_diff;
extern const tool_command tool_log;
extern const tool_command tool_recover;
extern const tool_command tool_append;
extern const tool_command tool_tail;
extern const tool_command tool_rewrite;

/*
 * Prints "lamella: FILE: message (row group G, column C, offset O)"; gives TOOL_BAD_INPUT. Ends the
 * program if memory has failed: continuing would report falsehoods.
 */
int tool_fail(const char *file, const lam_error *error);

/*
 * The same for an option that names anything missing in the file: prints "lamella: FILE: --OPTION:
 * message" and gives TOOL_BAD_USAGE, unless memory, the system or the file is at fault.
 */
int tool_fail_option(const char *file, const char *option, const lam_error *error);

/* The same for a condition, with a hint if it is written as in other languages. */
int tool_fail_where(const char *file, const char *where, lam_error *error);

/* Prints "lamella: message" and how to get help for the command; gives TOOL_BAD_USAGE. */
int tool_misuse(const tool_command *command, const char *format, ...) LAM_PRINTF(2, 3);

/*
 * Opens a file to be read by tool_read, which waits for the writer of a FIFO; -1 or NULL if the
 * system refuses.
 */
int tool_open_descriptor(const char *path);
FILE *tool_open_stream(const char *path);
/*
 * Reads available bytes of a descriptor, as read does, and waits for them no longer than the
 * program has time, or until it is asked to end: CANCELLED then, IO if the system refuses.
 * `*ret_size` of 0 is the end.
 */
lam_status tool_read(int descriptor, void *buffer, size_t size, size_t *ret_size, lam_error *error);

/* The values of these options; 0 and NULL if they are not given. */
typedef struct tool_limits {
    uint64_t memory_limit;
    const lam_stop *stop;
} tool_limits;

const tool_limits *tool_limits_of_program(void);
/* CANCELLED after the deadline. */
lam_status tool_check_time(lam_error *error);

/*
 * The allocator of everything that is made in a run: one budget of --memory-limit. NULL, the heap,
 * without a limit.
 */
const lam_allocator *tool_allocator(void);
/* Bounds only that, before anything is drawn on it: for a library that keeps its own limit. */
void tool_bound_allocator(uint64_t most);
/* What the end of an open file states. */
static inline lam_file_info tool_file_info(const lam_reader *reader) {
    lam_file_info info = lam_file_info_default();
    if (lam_reader_file_info(reader, &info, NULL) != LAM_STATUS_OK)
        abort();
    return info;
}

/* Options of readers with all limits of the program. */
lam_reader_options tool_reader_options(void);
/* Likewise, of writers of a command's own. */
lam_writer_options tool_writer_options(void);

/* "10s", "500ms", "2m", "1h", or seconds without a unit, as nanoseconds; false for other texts. */
bool tool_parse_duration(const char *text, int64_t *ret_nanoseconds);

/* "128MiB", "64K", "1000" as a number of bytes; false for other texts, or above 2^62. */
bool tool_parse_size(const char *text, uint64_t *ret_size);
/* The same for a limit, which is not 0. */
bool tool_parse_limit(const char *text, uint64_t *ret_limit);
/* A number without unit. */
bool tool_parse_count(const char *text, uint64_t *ret_count);

/* Refuses standard output, "-", for Parquet, if it is a terminal; gives -1 to go on. */
int tool_check_output(const tool_command *command, const char *path);
/*
 * Makes the output file, of which a signal that ends the program leaves nothing. `path` as for
 * lam_output_create_file, or "-" for standard output.
 */
lam_status tool_create_file(const char *path, lam_output *ret_output, lam_error *error);
/* The files of the system; such a signal leaves nothing of one that is to replace another. */
lam_storage tool_storage(void);

/*
 * Ends the program a moment after that many nanoseconds, whatever it then does or waits for, with
 * one line and the status below; incomplete files are removed, as by a signal.
 */
void tool_end_after(int64_t nanoseconds);
/*
 * Undoes this: the end of a command has to restore a file. From here on a signal that would end the
 * program requests `stop`, which the limits of the program have.
 */
void tool_end_by_itself(lam_stop *stop);
/* The same with the stop of the program, which all that works and waits asks from here on. */
void tool_end_when_asked(void);
/* Whether a signal has asked for the end; and lets it end the program, if one has. */
bool tool_is_asked_to_end(void);
void tool_end_as_asked(void);
/* The line has been printed. */
void tool_note_deadline(void);

/*
 * The status of tool_end_without_memory and tool_end_after from now on, instead of TOOL_BAD_INPUT.
 */
void tool_set_failure(int status);
/* Keeps the numbers of standard descriptors that are closed from being those of other files. */
void tool_hold_descriptors(void);

/*
 * A further function that removes files if the program ends early, by a signal, too: it must be
 * safe in a handler. And all of them together.
 */
void tool_set_remover(void (*remove)(void));
void tool_remove_unfinished(void);

/* Reports the number of a log's leftovers that were passed over, as they may be somebody else's. */
void tool_say_passed_over(const char *path, uint64_t count);
/* Reports the number that stay as they are, since recovering them takes too much. */
void tool_say_unrecovered(const char *path, uint64_t count);
/* Reports the number that cannot be read, and are kept. */
void tool_say_put_aside(const char *path, uint64_t count);

/*
 * The function that restores a file that is changed in place, if the program ends for want of
 * memory before it is closed; NULL: none.
 */
void tool_set_give_up(void (*call)(void *state), void *state);

/* Ends the program with one line and TOOL_BAD_INPUT. `file` may be NULL. */
_Noreturn void tool_end_without_memory(const char *file, const char *message);

/* Memory, cleared or grown, and copies of text; without memory the program ends. To be freed with
 * free(). */
void *tool_allocate(size_t count, size_t size);
void *tool_reallocate(void *memory, size_t count, size_t size);
char *tool_copy_text(const char *text);
/* The path of a field, as lam_field_path writes it, the same way. */
char *tool_path_of(const lam_field *field);

/* Text that is made in memory, which must not move. */
typedef struct tool_memory {
    const char *about; /* the file that a want of memory is reported for, or NULL */
    FILE *file;        /* to print to */
    char *text;        /* from end on; to be freed with free() */
    size_t size;
} tool_memory;

/* Both end the program when there is no memory; end also if not `is_whole`. */
void tool_memory_begin(tool_memory *memory, const char *about);
void tool_memory_end(tool_memory *memory, bool is_whole);

/*
 * The position of a mark that ends a path, outside of quotation marks, from a position on; the size
 * of the text when there is none.
 */
size_t tool_mark_from(const char *text, size_t position, char mark);

/* Prints the path of a field, as text or as a JSON string. */
void tool_print_path(const lam_field *field);
void tool_print_path_json(const lam_field *field);

/*
 * Marks the leaves that a list of paths selects, as lam_schema_select_text reads it; NULL stays
 * all. The array is freed with free(). On failure prints why and gives the exit status, else
 * TOOL_OK.
 */
int tool_select(const char *file, const lam_schema *schema, const char *columns, bool **ret_leaves);

/*
 * The same as a projection, whose paths may go on into VARIANTs, as lam_projection_parse reads
 * them. To be freed with lam_projection_destroy.
 */
int tool_project(const char *file, const lam_schema *schema, const char *columns,
                 lam_projection **ret_projection);

/*
 * Without operands, standard input is the one, unless it is a terminal. False without any, which is
 * reported.
 */
bool tool_need_operands(const tool_command *command, int *count, char ***operands);

/*
 * Calls `each` for every file that the operands mean (tool_files.h), without keys, in turn; gives
 * the worst exit status.
 */
int tool_each_file(const tool_command *command, int count, char **operands,
                   int (*each)(const char *file, void *state), void *state);

/*
 * Opens a Parquet file within the program's limits; "-" is standard input. On failure prints why
 * and gives the exit status, else TOOL_OK.
 */
int tool_open(const char *file, lam_reader **ret_reader);

/* The same; adds up the bytes that are read of the file, until it is closed. */
int tool_open_counted(const char *file, uint64_t *bytes_read, lam_reader **ret_reader);
/* The same for a file made from `file`, which is closed with the reader, or on failure. */
int tool_open_made(const char *file, FILE *made, lam_reader **ret_reader);

/* The same without reading anything, to be closed by lam_input_close. */
int tool_open_input(const char *file, lam_input *ret_input);

/* The `read_at` of an input whose state is a FILE that can be read at any position. */
lam_status tool_stream_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error);

/*
 * The leaves whose text prints as the JSON that it is, because the file says so. To be freed with
 * free().
 */
bool *tool_free_leaves(const lam_reader *reader);

/* How messages speak of an input: its name, or "standard input" for "-". */
const char *tool_name(const char *file);

/*
 * The file itself when it can be read twice; otherwise closes it and gives a copy of its remaining
 * bytes, without a name. To be read by its descriptor. On failure prints why, gives NULL and leaves
 * the file open.
 */
FILE *tool_rewindable(FILE *file, const char *name);

/*
 * The schema of `text`, which may be message text or the name of a file that holds it. On failure
 * prints why and gives the exit status: it is the command line that is wrong, or the file.
 */
int tool_read_schema(const char *text, lam_schema **ret_schema);

#endif
