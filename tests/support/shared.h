/* SPDX-License-Identifier: Apache-2.0 */
/* The shared test data: files that belong to the tests but not to the repository. */
#ifndef LAM_TESTS_SHARED_H
#define LAM_TESTS_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of a shared file ("cases/dremel-document.json"), in a static buffer that the next call
 * overwrites. The folder is LAMELLA_SHARED, or the one that the build was configured with.
 */
const char *lam_test_shared(const char *name);

/* True when the shared file or folder is there. */
bool lam_test_shared_exists(const char *name);

/* Reads a whole file, NUL-terminated; free() it. NULL when it cannot be read. */
char *lam_test_read_file(const char *path, size_t *ret_size);

/*
 * Calls `each` for every regular file below a shared folder, in name order, with its path. Returns
 * how many there were.
 */
size_t lam_test_each_file(const char *folder, void (*each)(void *state, const char *path),
                          void *state);

/* The same for every Parquet file below a folder of the shared data, with its bytes. */
size_t lam_test_each_parquet(const char *name,
                             void (*each)(void *state, const char *path, const void *bytes,
                                          size_t size),
                             void *state);

#endif
