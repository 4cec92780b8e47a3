/*
 * The temporary names of files that are being written, and how their writers are known to live.
 *
 *     PATH.lamella-PID-TIME.part   what a killed writer leaves under it may be worth recovering
 *     PATH.lamella-PID-TIME.tmp    it is worth nothing: what made it makes it again
 *
 * PID is the process in decimal, TIME the moment in nanoseconds since 1970 in 16 hexadecimal
 * digits, so that no name comes twice. As long as its writer lives the file is locked (flock); the
 * lock goes with the process, however that ends, and cannot be mistaken for that of another process
 * with the same number.
 */
#ifndef LAM_IO_LEFTOVER_H
#define LAM_IO_LEFTOVER_H

#include <lamella/io.h>

/*
 * Writes the temporary name for `path`, which differs with `try`. The last part of a path that
 * leaves no room for more is cut, and "~" put in its place. INVALID when the path is too long.
 */
lam_status lam_leftover_name(const char *path, bool is_disposable, unsigned try, char *name,
                             size_t capacity, lam_error *error);

/*
 * Locks a file that its caller has just made. False when somebody else has found it before, and
 * takes it for one without a writer: another one has to be made. Where a file system has no locks
 * that is never so.
 */
bool lam_leftover_claim(int descriptor);

/* The file that `path` leads to, through links, or itself where nothing is there. INVALID, IO. */
lam_status lam_leftover_target(const char *path, char *target, size_t capacity, lam_error *error);

#endif
