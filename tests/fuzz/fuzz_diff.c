/* SPDX-License-Identifier: Apache-2.0 */
/* `diff` of any file and the same file, or one that differs in a byte. (command_run.h) */
#include "fuzz/command_run.h"
#include "fuzz/harness.h"

enum { OF_PEOPLE = LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_PEOPLE };

static const lam_fuzz_command commands[] = {
    {"diff @in @other", OF_PEOPLE},
    {"diff --json @in @other", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_JSON},
    {"diff --metadata all @in @other", OF_PEOPLE},
    {"diff --metadata all --json @in @other", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_JSON},
    {"diff --key a @in @other", OF_PEOPLE},
    {"diff --key a,b --json @in @other", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_JSON},
    {"diff -q @in @other", OF_PEOPLE},
    {"diff --limit 0 --columns a @in @other", OF_PEOPLE},
    {"diff --ignore schema @in @other", OF_PEOPLE},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_command_try(commands, sizeof commands / sizeof commands[0], data, size);
    return 0;
}
