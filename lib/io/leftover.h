/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The temporary names of files that are being written, and how to find out whether their writers
 * are still running.
 *
 *     _NAME.lamella-PID-RANDOM.part   a file that a killed writer leaves may be worth recovering
 *     _NAME.lamella-PID-RANDOM.tmp    disposable: the program that made it can make it again
 *
 * They are beside the file NAME; readers of folders pass over names that begin with "_". Those of
 * earlier builds have none before them, and are found as well. PID is the process in decimal;
 * RANDOM has 16 hexadecimal digits, so that no name is used twice, and nobody can take one in
 * advance. As long as its writer runs the file is locked (flock). The lock ends with the process,
 * however that ends, and unlike a process number it cannot be mistaken for another process's.
 */
#ifndef LAM_IO_LEFTOVER_H
#define LAM_IO_LEFTOVER_H

#include <lamella/io.h>

#define LAM_LEFTOVER_MARK ".lamella-"

/*
 * Writes a new temporary name for `path`. If the last name of the path is too long for the
 * addition, it is cut and "~" follows. INVALID when the path is too long.
 */
lam_status lam_leftover_name(const char *path, bool is_disposable, char *name, size_t capacity,
                             lam_error *error);

/* True when `name` is a temporary name of a file called `last`; both are without folders. */
bool lam_leftover_is_of(const char *last, const char *name, bool *ret_is_disposable);

/*
 * Where a file of this path is, or will be: the target of `path` if it is a link, else the path
 * itself. `capacity` is at most PATH_MAX. INVALID, IO.
 */
lam_status lam_leftover_target(const char *path, char *target, size_t capacity, lam_error *error);

#endif
