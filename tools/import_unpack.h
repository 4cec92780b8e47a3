/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a descriptor, unpacked if they are gzip or zstd, whatever the name of the file. */
#ifndef LAMELLA_TOOLS_IMPORT_UNPACK_H
#define LAMELLA_TOOLS_IMPORT_UNPACK_H

#include <lamella/common.h>

typedef struct tool_unpack tool_unpack;

/* Ends the program if there is no memory for it. */
tool_unpack *tool_unpack_create(void);
void tool_unpack_destroy(tool_unpack *unpack);

/* The descriptor is at its start again. */
void tool_unpack_restart(tool_unpack *unpack);

/*
 * Reads up to `capacity` bytes, 0 only at the end. INVALID for data that are broken or cut, or
 * packed in another way; IO if the descriptor cannot be read.
 */
lam_status tool_unpack_read(tool_unpack *unpack, int descriptor, void *buffer, size_t capacity,
                            size_t *ret_size, lam_error *error);

/* Whether the bytes read so far were packed. */
bool tool_unpack_is_packed(const tool_unpack *unpack);

#endif
