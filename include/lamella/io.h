/*
 * Input and output: files, memory, or the caller's own callbacks.
 *
 * A reader asks for byte ranges and never assumes a position; a writer only appends and never
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
 * Maps a regular file. Faster for files that stay as they are; a file that is truncated while it
 * is mapped kills the process with SIGBUS, so this is the caller's choice. UNSUPPORTED where the
 * system has no mapping.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_input_map_file(const char *path,
                                                       const lam_allocator *allocator,
                                                       lam_input *ret_input, lam_error *error);

/* Reads from the caller's memory, borrowed until the input is closed. Cannot fail. */
LAM_PUBLIC lam_input lam_input_memory(const void *data, size_t size);

/* Closes an input and clears it; does nothing to one that is clear. */
LAM_PUBLIC void lam_input_close(lam_input *input);

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

/*
 * Writes a file. The bytes go to a temporary name beside `path`; finish syncs them to the device
 * and renames, so `path` either keeps its old content or has all of the new one. The temporary
 * name is removed by close. Where `path` is not a regular file (a pipe, /dev/stdout), it is written
 * directly.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_output_create_file(const char *path,
                                                           const lam_allocator *allocator,
                                                           lam_output *ret_output,
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

/* Closes an output and clears it; does nothing to one that is clear. */
LAM_PUBLIC void lam_output_close(lam_output *output);

#ifdef __cplusplus
}
#endif

#endif
