/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of texts, such as the paths of columns or files: found without a search through all. */
#ifndef LAMELLA_TOOLS_TOOL_NAMES_H
#define LAMELLA_TOOLS_TOOL_NAMES_H

#include <stddef.h>

/* Starts as {0}. */
typedef struct tool_names {
    void *root;
} tool_names;

/* The number of a text; SIZE_MAX: it is not there. */
size_t tool_names_find(const tool_names *names, const char *text);
/* Adds a text that is not there, which is copied. */
void tool_names_add(tool_names *names, const char *text, size_t number);
/* Removes all. */
void tool_names_free(tool_names *names);

#endif
