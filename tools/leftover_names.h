/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of files that a log has not finished (log.h):
 *
 *     logs/_x.parquet.part       the file that becomes logs/x.parquet
 *     logs/_x.parquet.journal    rows of this or of other files of the log
 *
 * Earlier builds put no "_" before them; such names are read as well.
 */
#ifndef LAMELLA_TOOLS_LEFTOVER_NAMES_H
#define LAMELLA_TOOLS_LEFTOVER_NAMES_H

#include <stddef.h>

#define LEFTOVER_PART ".part"
#define LEFTOVER_JOURNAL ".journal"

/* Bytes of a leftover that has no rows: the magic of a file, and the head of a journal. */
enum { LEFTOVER_PART_HEAD = 4, LEFTOVER_JOURNAL_HEAD = 28 };

typedef enum leftover_kind {
    LEFTOVER_IS_NONE,
    LEFTOVER_IS_PART,
    LEFTOVER_IS_JOURNAL
} leftover_kind;

/* The kind of a path by its name. */
leftover_kind leftover_kind_of(const char *path);

/* The path without the suffix and the mark; a copy of one that is no leftover. To be freed. */
char *leftover_final(const char *path);

/*
 * The path of a final one with a suffix: the existing one, preferably with the mark; with the mark
 * if neither exists. To be freed.
 */
char *leftover_path(const char *final, const char *suffix);

#endif
