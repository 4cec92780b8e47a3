/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of any file as tables, as delimited text and as JSON. (command_run.h) */
#include "fuzz/command_run.h"
#include "fuzz/harness.h"

static const lam_fuzz_command commands[] = {
    {"cat -f table @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"cat -f table --wide @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"cat -f csv @in", 0},
    {"cat -f tsv @in", 0},
    {"cat -f csv --keep-going @in", 0},
    {"cat -f table --keep-going @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"cat -f json @in", LAM_FUZZ_COMMAND_JSON},
    {"cat -f ndjson --keep-going @in", LAM_FUZZ_COMMAND_JSON},
    {"cat --where b>1 --explain @in", LAM_FUZZ_COMMAND_JSON},
    {"cat -f csv --where a>1 --skip 2 --binary hex @in", 0},
    {"head -f table @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"head -f tsv --variant storage @in", 0},
    {"head -f table --variant typed --binary utf8 @in @other", LAM_FUZZ_COMMAND_PEOPLE},
    {"sample -n 3 --seed 1 -f table @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"sample -n 3 --seed 1 -f csv --where a>1 @in @other", 0},
    {"count --where a>1 @in @other", 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_command_try(commands, sizeof commands / sizeof commands[0], data, size);
    return 0;
}
