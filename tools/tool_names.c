/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the numbers of texts from a file or folder, and finds the number of a text.
 *
 * They are in a search tree of the C library, which is balanced: a stranger who chooses the texts
 * chooses neither its depth nor collisions. A text is always there once.
 */
#define _XOPEN_SOURCE 700
#include "tool_names.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

typedef struct numbered_name {
    size_t number;
    const char *text; /* after the struct, or the caller's while it is searched for */
} numbered_name;

static int compare_names(const void *one, const void *other) {
    return strcmp(((const numbered_name *)one)->text, ((const numbered_name *)other)->text);
}

size_t tool_names_find(const tool_names *names, const char *text) {
    const numbered_name wanted = {0, text};
    numbered_name *const *node = tfind(&wanted, (void *const *)&names->root, compare_names);
    return node == NULL ? SIZE_MAX : (*node)->number;
}

void tool_names_add(tool_names *names, const char *text, size_t number) {
    const size_t size = strlen(text) + 1;
    numbered_name *name = tool_allocate(sizeof *name + size, 1);
    *name = (numbered_name){number, memcpy(name + 1, text, size)};
    if (tsearch(name, &names->root, compare_names) == NULL)
        tool_end_without_memory(NULL, "no memory");
}

void tool_names_free(tool_names *names) {
    while (names->root != NULL) {
        numbered_name *name = *(numbered_name **)names->root;
        tdelete(name, &names->root, compare_names);
        free(name);
    }
}
