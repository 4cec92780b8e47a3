/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of the program, run inside of a fuzz target, one after the other in one process. They
 * work in a folder of their own; what they print is looked at and thrown away.
 */
#ifndef LAM_FUZZ_COMMAND_RUN_H
#define LAM_FUZZ_COMMAND_RUN_H

#include <lamella/common.h>

/* Bits of a command line. */
enum {
    LAM_FUZZ_COMMAND_SILENT = 1, /* it may fail without a message, as diff and check do */
    LAM_FUZZ_COMMAND_JSON = 2,   /* what it prints is JSON */
    LAM_FUZZ_COMMAND_PEOPLE = 4, /* what it prints is for people, who see no control characters */
    LAM_FUZZ_COMMAND_MOST = 32,  /* words */
    LAM_FUZZ_COMMAND_WRITES = 8  /* it leaves the file "out" behind where it succeeds, else none */
};

/*
 * A command with its words, separated by blanks; those that begin with "@" stand for a path in the
 * folder: "@in" is FOLDER/in.
 */
typedef struct lam_fuzz_command {
    const char *words;
    unsigned bits; /* LAM_FUZZ_COMMAND_... */
} lam_fuzz_command;

/* The folder, which is made when it is first asked for and removed when the process ends. */
const char *lam_fuzz_folder(void);
/* Makes or replaces a file of it. */
void lam_fuzz_folder_write(const char *name, const void *bytes, size_t size);
/* Removes whatever is in it. */
void lam_fuzz_folder_clear(void);

/*
 * Runs a command within limits of memory and time. A finding unless it ends with a status of the
 * program, says why where it fails, and prints what the bits say. Gives the status.
 */
int lam_fuzz_command_run(const lam_fuzz_command *command);

/*
 * Runs one command of a list, which the first four bytes of an input choose: "@in" is the input
 * with its magic, "@other" the same with one byte changed, or the same.
 */
void lam_fuzz_command_try(const lam_fuzz_command *commands, size_t count, const uint8_t *data,
                          size_t size);

#endif
