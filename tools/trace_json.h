/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the two machines as "lamella trace --json" prints them. */
#ifndef LAMELLA_TOOLS_TRACE_JSON_H
#define LAMELLA_TOOLS_TRACE_JSON_H

#include "trace_steps.h"

/*
 * Prints one object and a newline for each record. In shredding, a step is an event with the levels
 * of the group or value, the reason for its repetition level, and the triples that it writes:
 *
 *     {"machine":"shredder","record":0,"steps":[
 *       {"event":"begin","r":0,"d":0,"triples":[]},
 *       {"event":"put","field":"DocId","value":10,"r":0,"d":0,"words":"first DocId in this ...",
 *        "triples":[{"path":"DocId","r":0,"d":0,"value":10}]},
 *       {"event":"open","field":"Links","r":0,"d":1,"words":"...","triples":[]}, ...]}
 *
 * In assembly, a step is a state of the automaton, counted from 0, with the triple that it reads,
 * the events that this gives, the repetition level that comes next in that column (0 after the last
 * triple, with "is_last":true), the state that follows (the number of states is the end), and the
 * events on the way there:
 *
 *     {"machine":"assembler","record":0,"steps":[
 *       {"state":0,"path":"DocId","r":0,"d":0,"value":10,"means":"r=0: new record; ...",
 *        "events":[{"event":"begin"},{"event":"put","field":"DocId","value":10}],
 *        "next_r":0,"next":1,"words":"no further DocId in this record: ...","closes":[]}, ...]}
 *
 * A triple without "value" is a null, and "words" says what is absent. A record that fails has
 * "error" after its steps.
 */
typedef struct trace_json {
    bool is_shredding;
    bool has_step;  /* of the record */
    bool has_event; /* of the array of events that is open, or triple of the step */
    bool is_in_step;
    bool begins;                    /* the event "begin" is still to print */
    const lam_automaton *automaton; /* of assembly: of the same leaves */
} trace_json;

/* `automaton` is that of the leaves that are assembled, or NULL for shredding. */
trace_json trace_json_start(const lam_automaton *automaton);
trace_printer trace_json_printer(trace_json *json);

#endif
