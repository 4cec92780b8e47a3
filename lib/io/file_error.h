/* Errors of files: which one it is, what could not be done, and what the operating system says. */
#ifndef LAM_IO_FILE_ERROR_H
#define LAM_IO_FILE_ERROR_H

#include <lamella/common.h>

/* A path as messages name it: a long one loses its front, so that the reason has room behind it. */
typedef struct lam_file_name {
    char text[160];
} lam_file_name;

/* NULL: a file without a path, which messages do not name. */
lam_file_name lam_file_name_of(const char *path);

/*
 * Says "NAME: WHAT: REASON" with the words of the operating system for an errno. `code` is the
 * kind of failure where the errno is none of those that have a kind of their own: no such file, no
 * space. Returns the status.
 */
lam_status lam_file_fail(const lam_file_name *name, lam_error_code code, int os_error,
                         const char *what, lam_error *error);

/* Says "NAME: WHAT" of a failure that the operating system did not report. */
lam_status lam_file_refuse(const lam_file_name *name, int kind, const char *what, lam_error *error);

#endif
