/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input and output: files, memory, or the caller's own callbacks.
 *
 * A reader requests byte ranges and never assumes a position; a writer only appends and never
 * seeks, so an output may be a pipe, a socket or an object-store upload.
 */
#ifndef LAMELLA_IO_H
#define LAMELLA_IO_H

#include <lamella/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A source of bytes with a known size. A caller may fill in its own callbacks.
 *
 * read_at  copies exactly `size` bytes from `offset` into `buffer`; a short read is an error.
 *          May be called from several threads at once.
 * borrow   NULL, or returns a pointer to `size` bytes at `offset` that stays valid until close,
 *          or NULL when that range cannot be lent. Lets memory and mapped files skip the copy.
 * close    frees the state; cannot fail.
 *
 * Both read calls are only made with offset + size <= the struct's `size`.
 */
typedef struct lam_input {
    void *state;
    uint64_t size; /* bytes, fixed while the input is open */
    lam_status (*read_at)(void *state, uint64_t offset, size_t size, void *buffer,
                          lam_error *error);
    const uint8_t *(*borrow)(void *state, uint64_t offset, size_t size);
    void (*close)(void *state);
} lam_input;

/*
 * Opens a regular file for positioned reads. IO when it cannot be opened or is not seekable.
 * `allocator` may be NULL and is copied.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_input_open_file(const char *path,
                                                        const lam_allocator *allocator,
                                                        lam_input *ret_input, lam_error *error);

/*
 * Maps a regular file. Faster for files that do not change; a file that is truncated while it is
 * mapped kills the process with SIGBUS, so this is the caller's choice. UNSUPPORTED where the
 * system has no mapping.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_input_map_file(const char *path,
                                                       const lam_allocator *allocator,
                                                       lam_input *ret_input, lam_error *error);

/* Reads from the caller's memory, borrowed until the input is closed. Cannot fail. */
LAM_PUBLIC lam_input lam_input_memory(const void *data, size_t size);

/* Closes an input and clears it; does nothing to one that is cleared. */
static inline void lam_input_close(lam_input *input) {
    lam_input cleared = LAM_ZERO_INIT;
    if (input->close != NULL)
        input->close(input->state);
    *input = cleared;
}

/*
 * A sink of bytes. A caller may fill in its own callbacks.
 *
 * write   appends all `size` bytes or fails; a failed output is not written again.
 * finish  makes everything written durable and complete; called at most once, after the last write.
 * close   frees the state; cannot fail. Without a successful finish before it, the output is
 *         abandoned: a file is removed.
 */
typedef struct lam_output {
    void *state;
    lam_status (*write)(void *state, const void *data, size_t size, lam_error *error);
    lam_status (*finish)(void *state, lam_error *error);
    void (*close)(void *state);
} lam_output;

/* How a file is written. Zero means the default in every member. */
typedef struct lam_output_file_options {
    size_t struct_size;
    bool is_disposable; /* what a killed process leaves is worthless, as its program can make the
                           file again; false keeps it for recovery */
} lam_output_file_options;

LAM_GROWING(lam_output_file_options);

/*
 * Writes a file. The bytes go to a temporary name beside `path`; finish syncs them to the device
 * and renames, so `path` either keeps its old content or has all of the new one. Close removes the
 * temporary name. A file that is replaced hands on its permissions, owner and group, as far as the
 * process may give them; a link leads to the file that is replaced. Where `path` is not a regular
 * file (a pipe, /dev/stdout), it is written directly.
 * Any number of outputs of one path may be open, in one process or several: each has a temporary
 * name of its own, and the last one to finish determines the content. `options` and
 * `allocator` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_create_file(const char *path,
                                                           const lam_output_file_options *options,
                                                           const lam_allocator *allocator,
                                                           lam_output *ret_output,
                                                           lam_error *error);

/*
 * The temporary name of an open file, which a signal handler may unlink before the process ends;
 * NULL when there is none. Borrowed until finish or close.
 */
LAM_PUBLIC const char *lam_output_temporary_path(const lam_output *output);

/*
 * A temporary file that a killed process left. Its name is "_", the name of the file, ".lamella-",
 * the number of the process, "-", 16 random hexadecimal digits, and ".part", or ".tmp" for a
 * disposable file; earlier builds put no "_" before it. While
 * its writer runs the file is locked with flock. So a leftover is a regular file of the same owner
 * with such a name, without a second one and without a lock; on file systems without locks no file
 * is known to be one. A lock that does not reach other machines, as on network file systems that
 * are mounted so, shows nothing about writers there.
 */
typedef struct lam_leftover {
    const char *path; /* borrowed for the call */
    uint64_t size;    /* bytes */
    bool is_disposable;
    bool is_written; /* its writer is running, or this cannot be determined */
} lam_leftover;

/*
 * Reports each temporary file of the caller's own beside `path` to `each`, in any order. `each` may
 * read, move or remove one that is not being written: it is locked until `each` returns. A failure
 * of `each` ends the call with that status. IO when the folder cannot be read.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_leftovers(
    const char *path,
    lam_status (*each)(void *state, const lam_leftover *leftover, lam_error *error), void *state,
    lam_error *error);

/*
 * Removes the temporary files beside `path` that are disposable and not being written, and gives
 * their number. A file that cannot be removed stays. Nothing else in the library removes a
 * leftover.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_remove_leftovers(const char *path,
                                                                size_t *ret_removed,
                                                                lam_error *error);

/* Writes to an open file descriptor, which stays open. finish does not sync. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_descriptor(int descriptor,
                                                          const lam_allocator *allocator,
                                                          lam_output *ret_output, lam_error *error);

/*
 * Collects everything in memory. `lam_output_memory_bytes` borrows what was written so far, until
 * the next write or close.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_memory(const lam_allocator *allocator,
                                                      lam_output *ret_output, lam_error *error);
LAM_PUBLIC lam_bytes lam_output_memory_bytes(const lam_output *output);

/* Closes an output and clears it; does nothing to one that is cleared. */
static inline void lam_output_close(lam_output *output) {
    lam_output cleared = LAM_ZERO_INIT;
    if (output->close != NULL)
        output->close(output->state);
    *output = cleared;
}

#ifdef __cplusplus
}
#endif

#endif
