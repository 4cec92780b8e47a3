/* SPDX-License-Identifier: Apache-2.0 */
/* How far an import is, on a terminal. */
#ifndef LAMELLA_TOOLS_IMPORT_PROGRESS_H
#define LAMELLA_TOOLS_IMPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Printed once a second, on a line that is blank at the end. */
typedef struct import_progress {
    bool shown;
    time_t next;
} import_progress;

import_progress import_progress_start(void);
void import_progress_step(import_progress *progress, uint64_t records);
void import_progress_end(const import_progress *progress);

#endif
