/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles under a watch: takes an assembler, a sink and a watch, and always gives the same events
 * as without a watch, which sees each step between them. Apart from assembler.c, so that programs
 * without a watch link only one loop.
 */
#include <lamella/dremel.h>

#include "dremel/assembly.h"

typedef struct watched_replay {
    lam_assembler *assembler;
    const lam_record_sink *sink;
    const lam_assembly_watch *watch;
} watched_replay;

static lam_status assemble_watched(void *state, lam_error *error) {
    const watched_replay *replay = state;
    return lam_assembly_record(replay->assembler, replay->sink, replay->watch, error);
}

lam_status lam_assembler_read_watched(lam_assembler *assembler, const lam_record_sink *sink,
                                      const lam_assembly_watch *watch, size_t max_records,
                                      size_t *ret_records, lam_error *error) {
    watched_replay replay = {assembler, sink, watch};
    return lam_assembly_read(assembler, assemble_watched, &replay, max_records, ret_records, error);
}
