/* SPDX-License-Identifier: Apache-2.0 */
/* How far an import is, on a terminal. */
#define _POSIX_C_SOURCE 200809L
#include "import_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

import_progress import_progress_start(void) {
    import_progress progress = {false, time(NULL) + 1};
    return progress;
}

void import_progress_step(import_progress *progress, uint64_t records) {
    time_t now = time(NULL);
    if (now < progress->next || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%" PRIu64 " records", records);
    progress->shown = true;
    progress->next = now + 1;
}

void import_progress_end(const import_progress *progress) {
    if (progress->shown)
        fprintf(stderr, "\r%28s\r", "");
}
