/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The temporary names of files that are being written, and how to find out whether their writers
 * are still running.
 *
 *     PATH.lamella-PID-TIME.part   what a killed writer leaves under it may be worth recovering
 *     PATH.lamella-PID-TIME.tmp    disposable: the program that made it can make it again
 *
 * PID is the process in decimal, TIME the moment in nanoseconds since 1970 in 16 hexadecimal
 * digits, so that no name is used twice. As long as its writer runs the file is locked (flock). The
 * lock ends with the process, however that ends, and unlike a process number it cannot be mistaken
 * for that of another process.
 */
#ifndef LAM_IO_LEFTOVER_H
#define LAM_IO_LEFTOVER_H

#include <lamella/io.h>

/*
 * Writes the temporary name for `path`, which differs with `try`. Where the last name of the path
 * is too long for the addition, it is cut and "~" follows. INVALID when the path is too long.
 */
lam_status lam_leftover_name(const char *path, bool is_disposable, unsigned try, char *name,
                             size_t capacity, lam_error *error);

/*
 * Locks a file that its caller has just created. False when another process found it before the
 * lock and takes it for a leftover: the caller must create another one. True on a file system
 * without locks.
 */
bool lam_leftover_claim(int descriptor);

/*
 * The file that `path` leads to, through links, or `path` itself where no file exists. `capacity`
 * is at most PATH_MAX. INVALID, IO.
 */
lam_status lam_leftover_target(const char *path, char *target, size_t capacity, lam_error *error);

#endif
