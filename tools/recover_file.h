/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery of one file, and of a folder of logs, with a report. */
#ifndef LAMELLA_TOOLS_RECOVER_FILE_H
#define LAMELLA_TOOLS_RECOVER_FILE_H

#include <lamella/recover.h>

/* The exit status of a file that has lost rows. */
enum { RECOVER_LOST = 3 };

typedef struct recover_request {
    lam_recover_options options;
    bool json;
    bool in_place;
} recover_request;

/* The worse of two exit statuses. */
int recover_worse(int one, int other);

/* Makes `output` from `file`, reports what was kept and lost, and gives the exit status. */
int recover_file(const char *file, const char *output, const recover_request *request);

/* The same, but for the report of a failure. */
lam_status recover_try(const char *file, const char *output, const recover_request *request,
                       int *ret_result, lam_error *error);

/* Whether the failure is that there were no rows to make a file from; reports this. */
bool recover_is_empty(const char *file, const lam_error *error);

/* Recovers all that logs left in a folder, as the next log would do it. */
int recover_folder(const char *folder, const recover_request *request);

#endif
