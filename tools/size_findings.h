/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a file larger than it has to be, in words with numbers. */
#ifndef LAMELLA_TOOLS_SIZE_FINDINGS_H
#define LAMELLA_TOOLS_SIZE_FINDINGS_H

#include "size_facts.h"
#include "size_trial.h"

typedef struct size_finding {
    const char *kind; /* static: "encoding", "pages", "footer" and so on */
    size_t leaf;      /* SIZE_MAX: the file */
    double saves;     /* bytes, at most */
    char *text;       /* a sentence; names the column */
    char *options;    /* of lamella rewrite that make it so, or NULL */
    size_trial trial; /* of "encoding", else empty */
    double stored;    /* bytes of the column */
} size_finding;

typedef struct size_findings {
    size_finding *items; /* the largest saving first */
    size_t count;
    size_t weighed; /* columns that were written in other ways */
    size_t small;   /* columns that are too small, or too many, to be */
    size_t failed;  /* columns that cannot be read */
} size_findings;

/*
 * Weighs the chosen leaves of a file, NULL: all. `input` has the bytes of the file, to find those
 * that belong to no struct; NULL: they are not searched for. Never proposes features that readers
 * of `compat` lack. Fails only for want of memory or time.
 */
lam_status size_find(const lam_reader *reader, const lam_input *input, const bool *leaves,
                     lam_compat compat, size_findings *ret_findings, lam_error *error);
void size_findings_free(size_findings *findings);

/* Prints {"judged":N,"small":N,"failed":N,"findings":[...],"options":...}. */
void size_print_json(const lam_reader *reader, const size_findings *findings);
/* Prints a line for each, and the command that makes use of them. */
void size_print_text(const size_findings *findings);

#endif
