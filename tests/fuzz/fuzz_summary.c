/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says about any file, in words and as JSON. (command_run.h) */
#include "fuzz/command_run.h"
#include "fuzz/harness.h"

static const lam_fuzz_command commands[] = {
    {"summary @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"summary --findings @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"summary --findings --json @in", LAM_FUZZ_COMMAND_JSON},
    {"summary --json @in", LAM_FUZZ_COMMAND_JSON},
    {"meta --verbose @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"meta --json @in", LAM_FUZZ_COMMAND_JSON},
    {"pages @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"pages --index @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"pages --json @in", LAM_FUZZ_COMMAND_JSON},
    {"bytes --all @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"bytes --json --all @in", LAM_FUZZ_COMMAND_JSON},
    {"schema @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"schema --json @in", LAM_FUZZ_COMMAND_JSON},
    {"schema --levels @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"schema --arrow @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"schema --sql @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"levels --explain @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"levels --json @in", LAM_FUZZ_COMMAND_JSON},
    {"trace --limit 3 @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"trace --limit 3 --json @in", LAM_FUZZ_COMMAND_JSON},
    {"trace --variants --limit 3 @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"automaton @in", LAM_FUZZ_COMMAND_PEOPLE},
    {"automaton --json @in", LAM_FUZZ_COMMAND_JSON},
    {"check --all @in", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_PEOPLE},
    {"check --json @in", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_JSON},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_command_try(commands, sizeof commands / sizeof commands[0], data, size);
    return 0;
}
