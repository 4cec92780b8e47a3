/* SPDX-License-Identifier: Apache-2.0 */
/* The path of a field, for messages: names on the stack of a walk over a tree of fields. */
#ifndef LAM_ARROW_FIELD_ARROW_PATH_H
#define LAM_ARROW_FIELD_ARROW_PATH_H

#include <lamella/common.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lam_arrow_path {
    const struct lam_arrow_path *outer; /* NULL at the root, whose name no path shows */
    const char *name;                   /* NULL is the same as "" */
} lam_arrow_path;

/*
 * Sets an error "a.b: the reason" and returns its status; "schema: the reason" if the path is
 * empty. A long path is cut, so that the reason stays complete.
 */
lam_status lam_arrow_fail_at(const lam_arrow_path *path, int kind, const char *reason,
                             lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
