/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows how far a command is, on a terminal, by the bytes that inputs have given: in a line on
 * standard error, written over and over, and cleared before any other text is printed. Prints
 * nothing in the first second, nor if standard error is no terminal.
 *
 *     42 %  2,520,000 records  210.4 MB/s  0:07 left
 */
#ifndef LAMELLA_TOOLS_TOOL_PROGRESS_H
#define LAMELLA_TOOLS_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts again. `total` is in bytes, 0 if unknown; `noun` may be NULL. */
void tool_progress_begin(uint64_t total, const char *noun);
/* The same with the sizes of files as far as they have any. */
void tool_progress_begin_files(int count, char **files, const char *noun);
/* More bytes are to come than `total` said. */
void tool_progress_expect(uint64_t bytes);
/* Bytes were read. */
void tool_progress_read(uint64_t bytes);
/* The number of records, or of what the noun says, that are done. */
void tool_progress_count(uint64_t count);
/* Clears the line until the next step. */
void tool_progress_hide(void);
void tool_progress_end(void);

/* Whether bytes are to be counted. */
bool tool_progress_is_on(void);

#endif
