/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as a tree, for the small files of test data. It recurses, knows no numbers but int64 and
 * double, and ends the test at the first thing it does not understand. In tests' own text names may
 * stand without quotation marks, single ones do, xHH.. is a string of bytes, and a comma may come
 * last.
 */
#ifndef LAM_TESTS_JSON_TREE_H
#define LAM_TESTS_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum lam_json_kind {
    LAM_JSON_NULL,
    LAM_JSON_BOOLEAN,
    LAM_JSON_NUMBER,
    LAM_JSON_STRING,
    LAM_JSON_ARRAY,
    LAM_JSON_OBJECT
} lam_json_kind;

typedef struct lam_json_tree {
    lam_json_kind kind;
    bool boolean;
    int64_t integer;  /* a number, cut to an integer */
    double real;      /* a number */
    const char *text; /* UTF-8, NUL-terminated */
    size_t size;      /* of the text */
    size_t count;     /* items or members */
    struct lam_json_tree *items;
    const char **names; /* of an object's members */
} lam_json_tree;

/* The value at `*text`, which moves behind it. Everything lives in the arena. */
lam_json_tree lam_json_tree_next(const char **text, lam_arena *arena);
/* The only value of a text. */
lam_json_tree lam_json_tree_parse(const char *text, lam_arena *arena);

/* The member of an object; NULL when there is none. */
const lam_json_tree *lam_json_tree_member(const lam_json_tree *object, const char *name);

#endif
