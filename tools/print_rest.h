/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a damaged file, without the fields that cannot be read. */
#ifndef LAMELLA_TOOLS_PRINT_REST_H
#define LAMELLA_TOOLS_PRINT_REST_H

#include "record_choice.h"

/* What to print of a file; the leaves of `json`, NULL for all, are printed where they can be. */
typedef struct rest_job {
    const char *file;
    const lam_reader *reader;
    lam_json_writer_options json;
} rest_job;

/*
 * Prints the records that skip and limit of the choice leave, and counts both down; reports losses
 * on standard error. Records count even if none of their columns can be read.
 */
int print_rest(const rest_job *job, record_choice *choice);

#endif
