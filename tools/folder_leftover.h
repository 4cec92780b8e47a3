/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hidden folders in which commands make a folder of files: from the path of the folder to make, the
 * hidden one's name, its lock, and the removal of those that killed runs left.
 */
#ifndef LAMELLA_TOOLS_FOLDER_LEFTOVER_H
#define LAMELLA_TOOLS_FOLDER_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>

#define FOLDER_LEFTOVER_MARK ".lamella-" /* in the names of hidden folders */

/*
 * Makes a hidden folder beside `target` that this user alone can enter, ".NAME.lamella-PID-RANDOM",
 * and writes its path into `hidden`. False with errno, ENAMETOOLONG when it is longer than
 * `capacity`.
 */
bool folder_leftover_make(const char *target, char *hidden, size_t capacity);

/*
 * Opens and locks a hidden folder that was just made, until the descriptor is closed: while its
 * lock is held, no run removes it. -1 with errno; ESTALE if another run has taken the folder for a
 * leftover.
 */
int folder_leftover_open(const char *hidden);

/* Whether a name still leads to the folder that is open, and that is this user's. */
bool folder_leftover_is_there(const char *path, int descriptor);

/* Removes the hidden folders of killed runs that made `target`, and returns how many these were. */
size_t folder_leftover_remove(const char *target);

#endif
