/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays and their writers where the system has no more locks. The call is defined here, and passes
 * on to that of the C library unless a test has it fail.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "arrow/array/array_owner.h"
#include "arrow_text.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

static int fails_at, calls; /* from 1; 0 never */

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    int (*call)(pthread_mutex_t *, const pthread_mutexattr_t *);
    *(void **)&call = dlsym(RTLD_NEXT, "pthread_mutex_init");
    return ++calls == fails_at ? ENOMEM : call(mutex, attributes);
}

Test(arrow_locks, a_store_without_a_lock_is_none) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_array_store *store = NULL;
    lam_error error = lam_error_none();
    fails_at = calls + 1;
    cr_assert_eq(lam_array_store_create(&allocator, &store, &error), LAM_STATUS_NOMEM);
    cr_assert_str_eq(error.message, "the system has no more locks");
    cr_assert_null(store);
    cr_assert_eq(counter.live_bytes, 0);
}

/* Each lock in turn, of which the writer of a file has others than that of arrays. */
Test(arrow_locks, a_writer_of_arrays_without_a_lock_is_none) {
    struct ArrowSchema schema = schema_of("a:i");
    lam_status status = LAM_STATUS_NOMEM;
    size_t failures = 0;
    for (int n = 1; status != LAM_STATUS_OK; n++, failures++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_writer_options options = lam_writer_options_default();
        lam_schema *parquet;
        lam_arrow_writer *arrow = NULL;
        lam_error error = lam_error_none();
        options.allocator = &allocator;
        fails_at = 0;
        cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, NULL), LAM_STATUS_OK);
        lam_test_writer file = lam_test_write_as(parquet, &options);
        fails_at = calls + n;
        status = lam_arrow_writer_create(file.writer, &schema, NULL, &arrow, &error);
        cr_assert_eq(status, calls < fails_at ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        if (status != LAM_STATUS_OK)
            cr_assert_str_eq(error.message, "the system has no more locks");
        lam_arrow_writer_destroy(arrow);
        lam_test_drop(&file);
        lam_schema_destroy(parquet);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_eq(failures, 2, "one lock, and none left to fail");
    schema.release(&schema);
}
