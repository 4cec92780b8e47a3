/* SPDX-License-Identifier: Apache-2.0 */
/* An input that ends what reads it: see ending_input.h. */
#include "support/ending_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static lam_status read_or_end(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    lam_ending_input *ending = state;
    ending->reads++;
    if (ending->reads == ending->stop_at)
        lam_stop_request(&ending->stop);
    if (ending->reads == ending->fail_at)
        LAM_FAIL(error, LAM_STATUS_IO, LAM_ENDING_MESSAGE);
    if (offset < ending->gap_end && ending->gap_begin < offset + size) {
        ending->gap_reads++;
        LAM_FAIL(error, LAM_STATUS_IO, LAM_ENDING_MESSAGE);
    }
    if (offset > ending->file.size || size > ending->file.size - offset) {
        fprintf(stderr, "a read of %zu bytes is outside of the file\n", size);
        abort();
    }
    if (size > 0)
        memcpy(buffer, ending->file.data + offset, size);
    return LAM_STATUS_OK;
}

lam_input lam_ending_input_of(lam_ending_input *ending) {
    return (lam_input){.state = ending, .size = ending->file.size, .read_at = read_or_end};
}

void lam_ending_input_again(lam_ending_input *ending, size_t fail_at, size_t stop_at) {
    ending->reads = 0;
    ending->fail_at = fail_at;
    ending->stop_at = stop_at;
    memset(&ending->stop, 0, sizeof ending->stop);
}
