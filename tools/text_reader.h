/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of all that holds records: Parquet files as they are, JSON and CSV as import makes them.
 */
#ifndef LAMELLA_TOOLS_TEXT_READER_H
#define LAMELLA_TOOLS_TEXT_READER_H

#include <lamella/reader.h>

/* The paragraph about them, of commands that read them. */
#define TEXT_READER_HELP                                                                           \
    "\n\nFILE may also be JSON or CSV, compressed with gzip or zstd or not: it is read as "        \
    "\"lamella "                                                                                   \
    "import\" without options makes a Parquet file of it, which is in a temporary file meanwhile."

/*
 * Opens a file, as tool_open_counted, or the file that import makes of it. At least `most` records
 * of a text are there, or all of them. Texts are made once, if they are opened again soon. On
 * failure, also if an option is not for the file's format, prints why and gives the exit status.
 */
int text_reader_open(const char *file, uint64_t most, uint64_t *bytes_read,
                     lam_reader **ret_reader);

/* Reports an option that is not for the format of a regular file, if it is a text. */
int text_reader_check(const char *file);

/*
 * Whether a regular file is a text that may hold records, and no Parquet file: it does not begin
 * as one, and is not named as one.
 */
bool text_reader_is_text(const char *file);

#endif
