/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the message of a file's failure from a path, an errno and what was tried: one line,
 * "data/x.parquet: cannot open: No such file or directory". The path comes first and the reason
 * last, and the reason is never cut: a path that is too long for the line keeps its end after
 * "...", as the name of the file says more than its folder.
 */
#include "io/file_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

lam_file_name lam_file_name_of(const char *path) {
    lam_file_name name = {""};
    size_t size = path == NULL ? 0 : strlen(path), room = sizeof name.text - 1;
    if (size == 0)
        return name;
    const char *kept = path;
    if (size > room) {
        kept += size - (room - strlen("..."));
        /* Not in the middle of a UTF-8 character. */
        while (((unsigned char)*kept & 0xC0) == 0x80)
            kept++;
    }
    snprintf(name.text, sizeof name.text, "%s%s", kept == path ? "" : "...", kept);
    return name;
}

/* The errnos that programs handle in a way of their own; a quota is a full disk. */
static lam_error_code file_error_code_of(int os_error, lam_error_code otherwise) {
    switch (os_error) {
    case ENOENT:
        return LAM_ERROR_CODE_FILE_MISSING;
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
        return LAM_ERROR_CODE_DISK_FULL;
    default:
        return otherwise;
    }
}

/* The errno is kept in the error as well, since the words depend on the locale. */
lam_status lam_file_fail(const lam_file_name *name, lam_error_code code, int os_error,
                         const char *what, lam_error *error) {
    lam_status status =
        lam_error_set(error, file_error_code_of(os_error, code), "%s%s%s: %s", name->text,
                      name->text[0] == '\0' ? "" : ": ", what, strerror(os_error));
    if (error != NULL)
        error->os_error = os_error;
    return status;
}

lam_status lam_file_refuse(const lam_file_name *name, int kind, const char *what,
                           lam_error *error) {
    return lam_error_set(error, kind, "%s%s%s", name->text, name->text[0] == '\0' ? "" : ": ",
                         what);
}
