/* SPDX-License-Identifier: Apache-2.0 */
/* `explain` of any file: its page or an object, of all that it has or of some. (command_run.h) */
#include "fuzz/command_run.h"
#include "fuzz/harness.h"

static const lam_fuzz_command commands[] = {
    {"explain --json -o - @in", LAM_FUZZ_COMMAND_JSON},
    {"explain -o @out @in", LAM_FUZZ_COMMAND_WRITES},
    {"explain --json --record 3 --limit 5 -o - @in", LAM_FUZZ_COMMAND_JSON},
    {"explain --json --row-group 1 -o - @in", LAM_FUZZ_COMMAND_JSON},
    {"explain --json --columns a -o - @in", LAM_FUZZ_COMMAND_JSON},
    {"explain --json --where b>1 --where a=aa -o - @in", LAM_FUZZ_COMMAND_JSON},
    {"explain --json --limit 2 --frames @frames -o @out @in", LAM_FUZZ_COMMAND_WRITES},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_command_try(commands, sizeof commands / sizeof commands[0], data, size);
    return 0;
}
