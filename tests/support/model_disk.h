/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk in memory for tests of power cuts, kills and failures. It keeps apart what is durable and
 * what was done since, as real file systems do: a file's content becomes durable by its sync, a
 * name by a sync of its folder, and neither by the other. A crash makes a new disk that holds one
 * of the states in which a power cut can leave the old one:
 *
 *     content   each sector (512 or 4096 bytes) that changed since the sync is there, missing (old
 *               bytes, or zeros), torn after any byte, or zeroed; the length is any between the
 *               shortest and the longest since, so that zeros end the file where length came first
 *     names     of each folder's operations a prefix took place, or any subset in order; one that
 *               has lost its object (a rename of a file that was not created) does nothing
 *
 * Bytes that were durable and not cut off since are never changed. Everything follows from the
 * random numbers, and any thread may use a disk.
 *
 * Paths are like "log/date=1/x": the parts between slashes, of which empty ones and "." are
 * ignored; "" is the root, the only folder of a new disk.
 */
#ifndef LAM_TESTS_MODEL_DISK_H
#define LAM_TESTS_MODEL_DISK_H

#include <lamella/storage.h>

#include "support/random.h"

typedef struct lam_model_disk lam_model_disk;

lam_model_disk *lam_model_disk_create(void);

/* All files and inputs of the disk must be closed. */
void lam_model_disk_destroy(lam_model_disk *disk);

/*
 * The disk as a storage; borrows it. It has no copy of its own. Names change within one folder
 * only (INVALID otherwise).
 */
lam_storage lam_model_disk_storage(lam_model_disk *disk);

/*
 * A new disk as a power cut now leaves it. Nothing is open on it, and all of it is durable. The old
 * one stays as it is: many crashes of one state may be tried.
 */
lam_model_disk *lam_model_disk_crash(lam_model_disk *disk, lam_random *random);

/*
 * A new disk as the end of the process now leaves it: all that was written is there, but no more
 * durable than before, and nothing is open.
 */
lam_model_disk *lam_model_disk_kill(lam_model_disk *disk);

/* Makes everything durable. */
void lam_model_disk_sync(lam_model_disk *disk);

/* --- Failures -------------------------------------------------------------------------------- */

/*
 * Calls of a storage, its files and its inputs count as operations, all but close; a failed
 * operation has no effect, except for what is said here.
 */
typedef struct lam_model_fault {
    uint64_t at;         /* the operation that fails: its number, from 1; 0 for none */
    bool stays;          /* so do all that follow, as if the disk were gone */
    int os_error;        /* errno; 0 means EIO */
    size_t short_append; /* bytes that an append at `at` appends before it fails */
    bool loses_on_sync;  /* a sync that fails marks the bytes as written, though they are not: they
                             can be read, but the next sync does not make them durable */
} lam_model_fault;

/* Replaces the fault that was set before. */
void lam_model_disk_set_fault(lam_model_disk *disk, lam_model_fault fault);

/*
 * The bytes that all files may have together; appends beyond append what fits and report a full
 * disk (ENOSPC). 0 for any number.
 */
void lam_model_disk_set_limit(lam_model_disk *disk, uint64_t bytes);

/*
 * A crash may leave both names of a rename, as in a storage that makes a link and a removal of it:
 * more than storage.h allows.
 */
void lam_model_disk_set_renames_by_link(lam_model_disk *disk, bool by_link);

/*
 * Calls `before` ahead of each operation, also of those that then fail: `what` is the name of the
 * callback, such as "append". It may crash or kill the disk, and use its storage: those operations
 * are not watched. NULL ends it. Waits for a call of `before` in another thread, so that `state` is
 * not used afterwards; must not be called from `before`.
 */
typedef void lam_model_watch(void *state, const char *what);
void lam_model_disk_watch(lam_model_disk *disk, lam_model_watch *before, void *state);

typedef struct lam_model_counts {
    uint64_t operations;
    uint64_t syncs;         /* of files, successful ones */
    uint64_t folder_syncs;  /* successful ones */
    uint64_t bytes;         /* appended */
    uint64_t bytes_kept;    /* in all files that have a name */
    size_t open_files;      /* for writing */
    size_t most_open_files; /* at any time */
} lam_model_counts;

lam_model_counts lam_model_disk_counts(lam_model_disk *disk);

/* --- Content --------------------------------------------------------------------------------- */

/* Makes a durable file, and the folders above it; replaces one of the same path. */
void lam_model_disk_put(lam_model_disk *disk, const char *path, const void *data, size_t size);

/* Makes a file one of another user, which open_own refuses. A crash forgets that. */
void lam_model_disk_give_away(lam_model_disk *disk, const char *path);

/* The content of a file, borrowed until it changes; false when there is none of that path. */
bool lam_model_disk_content(lam_model_disk *disk, const char *path, lam_bytes *ret_content);

/* Writes all files into a folder of the operating system, for programs that check them. */
void lam_model_disk_export(lam_model_disk *disk, const char *folder);

/* --- A clock --------------------------------------------------------------------------------- */

/* Nanoseconds, which stand still until the test changes them, from any thread. */
typedef struct lam_model_clock {
    _Atomic int64_t utc;
    _Atomic uint64_t monotonic;
} lam_model_clock;

/* The clock as the library takes it; borrows it. */
lam_clock lam_model_clock_start(lam_model_clock *clock);

/* Advances both times. `utc` alone may be set to any time, as by an operator. */
void lam_model_clock_advance(lam_model_clock *clock, uint64_t nanoseconds);

#endif
