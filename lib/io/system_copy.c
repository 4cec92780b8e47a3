/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies ranges of bytes without taking them into the program, if the system can: takes two
 * descriptors, or an input and an output of any kind, and appends the range to the target.
 *
 * Bytes reported as copied are always in the target, in order; all others go the usual way, by
 * reading and writing, so that every failure is reported there.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* copy_file_range */
#else
#define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include "io/system_copy.h"

#include <errno.h>
#include <lamella/storage.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"
#include "io/input_file.h"
#include "io/storage_copy.h"

enum { SYSTEM_STEP = 1 << 30 }; /* bytes of one call, as some systems refuse more */

uint64_t lam_system_copy(int from, uint64_t offset, int to, uint64_t *to_offset, uint64_t size) {
    uint64_t copied = 0;
#if defined(__linux__)
    while (copied < size) {
        off_t source = (off_t)(offset + copied);
        off_t target = to_offset != NULL ? (off_t)*to_offset : 0;
        size_t step = size - copied < SYSTEM_STEP ? (size_t)(size - copied) : SYSTEM_STEP;
        ssize_t done =
            copy_file_range(from, &source, to, to_offset != NULL ? &target : NULL, step, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        copied += (uint64_t)done;
        if (to_offset != NULL)
            *to_offset += (uint64_t)done;
    }
#else
    (void)from, (void)offset, (void)to, (void)to_offset, (void)size;
#endif
    return copied;
}

lam_status lam_output_copy(void *output, const lam_input *input, uint64_t offset, uint64_t size,
                           lam_error *error) {
    const lam_output *to = output;
    lam_storage_file plain = {.state = to->state, .append = to->write};
    int source = lam_input_file_descriptor(input), target = lam_output_file_descriptor(to);
    uint64_t copied = 0;
    if (source >= 0 && target >= 0 && offset <= input->size && size <= input->size - offset)
        copied = lam_system_copy(source, offset, target, NULL, size);
    return lam_storage_copy_plain(&plain, input, offset + copied, size - copied, error);
}
