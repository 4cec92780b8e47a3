/* SPDX-License-Identifier: Apache-2.0 */
/* The input files of a rewrite, and the messages when one of them fails. */
#ifndef LAMELLA_TOOLS_REWRITE_INPUTS_H
#define LAMELLA_TOOLS_REWRITE_INPUTS_H

#include <lamella/rewrite.h>

/* Readers that stay open: of standard input, and of files that have columns of their folders. */
typedef struct rewrite_inputs {
    lam_reader **items;
    int count;
    lam_reader *of_stdin; /* one of them, or NULL */
} rewrite_inputs;

/*
 * Adds files to a rewrite; those that need not stay open are opened when it is their turn. On
 * failure prints why, as rewrite_fail, and gives the exit status. Close the inputs after the
 * rewrite, whatever this gives.
 */
int rewrite_inputs_add(rewrite_inputs *inputs, lam_rewrite *rewrite, const char *output, int count,
                       char **names);
void rewrite_inputs_close(rewrite_inputs *inputs);

/*
 * Prints the failure of a rewrite, under the name of the input with which the message begins; other
 * failures are about the output, and so is one that happened while an input was being written.
 * Gives the exit status.
 */
int rewrite_fail(const char *output, lam_error *error, int count, char **names);

#endif
