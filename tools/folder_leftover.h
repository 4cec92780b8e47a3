/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hidden folders in which commands make a folder of files. In: the path of the folder that is
 * to be made. Out: the hidden one's name, its lock, and the removal of those that killed runs left.
 */
#ifndef LAMELLA_TOOLS_FOLDER_LEFTOVER_H
#define LAMELLA_TOOLS_FOLDER_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes a hidden folder beside `target` that this user alone can enter, ".NAME.lamella-PID-RANDOM",
 * and writes its path into `hidden`. False with errno, ENAMETOOLONG when it is longer than
 * `capacity`.
 */
bool folder_leftover_make(const char *target, char *hidden, size_t capacity);

/*
 * Locks a hidden folder that was just made, until the descriptor is closed: as long as its lock is
 * held, no run removes it. -1 where the file system has no such locks, and where another run has
 * taken the folder for a leftover, with errno ESTALE.
 */
int folder_leftover_lock(const char *hidden);

/* Removes the hidden folders of killed runs that made `target`, and returns how many these were. */
size_t folder_leftover_remove(const char *target);

#endif
