/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes text in memory: all that is printed into a stream becomes one text. The text is always
 * complete, or the program ends.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "tool.h"

void tool_memory_begin(tool_memory *memory, const char *about) {
    *memory = (tool_memory){.about = about};
    memory->file = open_memstream(&memory->text, &memory->size);
    if (memory->file == NULL)
        tool_end_without_memory(about, "no memory");
}

/* Closing gives the text its own memory, which may fail without a word. */
void tool_memory_end(tool_memory *memory, bool is_whole) {
    if (fclose(memory->file) != 0 || !is_whole || memory->text == NULL)
        tool_end_without_memory(memory->about, "no memory");
}
