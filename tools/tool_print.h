/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one way to standard output and standard error. Texts of strangers (values, names, keys, names
 * of files, messages) go into it as %s or by their size, and come out so that they neither steer a
 * terminal nor pass for other texts: invisible characters are escaped (lam_visible_escape), on a
 * terminal whose locale is not UTF-8 all but ASCII. A machine's format is exact if no terminal
 * reads it; its escapes are those of JSON, so that JSON means the same on a terminal.
 */
#ifndef LAMELLA_TOOLS_TOOL_PRINT_H
#define LAMELLA_TOOLS_TOOL_PRINT_H

#include <lamella/lamella.h>
#include <stdarg.h>
#include <stdio.h>

/* --- Standard error ------------------------------------------------------------------------ */

/*
 * printf to standard error, after all that was printed to standard output. Texts of %s and %c are
 * escaped, line breaks, too; the format itself is printed as it is. Needs no memory.
 */
void tool_say(const char *format, ...) LAM_PRINTF(1, 2);
void tool_say_arguments(const char *format, va_list arguments) LAM_PRINTF(1, 0);
/* Lines that were made before: line breaks stay. */
void tool_say_lines(const char *lines);

/* The ending of a noun after a number: none after 1, else "s". */
const char *tool_s(uint64_t count);

/* --- Standard output ----------------------------------------------------------------------- */

/* printf to standard output; the same for %s and %c. */
void tool_print(const char *format, ...) LAM_PRINTF(1, 2);
/* A text by its size, of any bytes. */
void tool_print_shown(const char *text, size_t size);
/* The same, at most `most` bytes of it, complete characters, and "..." if that is not all. */
void tool_print_beginning(const char *text, size_t size, size_t most);
/* Text of several lines: line breaks and tabulators stay. */
void tool_print_lines(const char *lines);
/* Text of the program itself, as it is: colours. */
void tool_print_own(const char *text);
/* A JSON string in quotes, and a value of a leaf as JSON. */
void tool_print_text(const char *text, size_t size);
lam_status tool_print_value(const lam_field *leaf, lam_value value, lam_json_binary binary,
                            lam_error *error);
/* The form of bytes for people: those of a VARIANT, whose bits show their meaning, in hex. */
lam_json_binary tool_binary_for_people(const lam_field *leaf);
/* From now on texts of values end after that many bytes, with an ellipsis; 0: none does. */
void tool_cut_values(size_t most);
/* How many ended early since then. */
size_t tool_values_cut(void);

/*
 * Whether the output from here on is a machine's format, such as JSON or CSV, which is escaped only
 * for a terminal. By default it is not.
 */
void tool_print_exactly(bool is_exact);

/*
 * Standard output as an output, whose line breaks and tabulators stay; tool_flush must be called at
 * the end and says whether all got out.
 */
lam_output *tool_stdout(void);
int tool_flush(void);
/* Gets all out that was printed so far; a failure is kept for tool_flush. */
void tool_push(void);
/* Whether a write to standard output has failed. */
bool tool_stdout_failed(void);

/*
 * The output of the functions above goes into a file from now on, in memory for instance, instead
 * of standard output; NULL: there again.
 */
void tool_print_into(FILE *file);
/* Whether all that was printed since then has got into the file. */
bool tool_print_is_whole(void);

#endif
