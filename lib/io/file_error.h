/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of files: the file's name, the action that failed, and the reason of the operating system.
 */
#ifndef LAM_IO_FILE_ERROR_H
#define LAM_IO_FILE_ERROR_H

#include <lamella/common.h>

/*
 * A path as messages show it: a long one loses its first characters, so that the reason fits after
 * it.
 */
typedef struct lam_file_name {
    char text[160];
} lam_file_name;

/* NULL means a file without a path, which messages do not name. */
lam_file_name lam_file_name_of(const char *path);

/*
 * Reports "NAME: WHAT: REASON", with the words of the operating system for an errno. `code` is the
 * kind of failure unless the errno has a kind of its own: no such file, no space. Returns the
 * status.
 */
lam_status lam_file_fail(const lam_file_name *name, lam_error_code code, int os_error,
                         const char *what, lam_error *error);

/* Reports "NAME: WHAT" for a failure that the operating system did not report. */
lam_status lam_file_refuse(const lam_file_name *name, int kind, const char *what, lam_error *error);

#endif
