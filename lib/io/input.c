#include <lamella/io.h>
#include <string.h>

#include "base/error.h"

void lam_input_close(lam_input *input) {
    if (input->close != NULL)
        input->close(input->state);
    memset(input, 0, sizeof *input);
}

static lam_status memory_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                 lam_error *error) {
    (void)error;
    if (size > 0)
        memcpy(buffer, (const uint8_t *)state + offset, size);
    return LAM_STATUS_OK;
}

static const uint8_t *memory_borrow(void *state, uint64_t offset, size_t size) {
    (void)size;
    return (const uint8_t *)state + offset;
}

lam_input lam_input_memory(const void *data, size_t size) {
    lam_input input = {0};
    input.state = (void *)(uintptr_t)data;
    input.size = size;
    input.read_at = memory_read_at;
    input.borrow = data != NULL ? memory_borrow : NULL;
    return input;
}
