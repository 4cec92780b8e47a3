/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files that appears under its name when all of them are complete. */
#ifndef LAMELLA_TOOLS_REWRITE_FOLDER_H
#define LAMELLA_TOOLS_REWRITE_FOLDER_H

#include <lamella/rewrite.h>

/*
 * Makes a folder with a temporary name beside `path`, of which a signal or a failure that ends the
 * program leaves nothing. `path` must not exist, or be an empty folder. False with the reason in
 * `error`; INVALID for a path that is in use. One folder at a time.
 */
bool rewrite_folder_begin(const char *path, lam_error *error);
/*
 * Writes a small file of the folder, which can be made again: it is not synced. That would take
 * most of the time, and as much again to remove it.
 */
lam_status rewrite_folder_put(const char *name, const char *text, size_t size, lam_error *error);
/* Files of the folder, "part-00000.parquet" and so on in each partition. */
lam_rewrite_target rewrite_folder_target(void);
/* Gives the folder its name. */
bool rewrite_folder_end(lam_error *error);
/* Removes a folder that was not ended; has no other effect. */
void rewrite_folder_drop(void);

#endif
