/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the two machines as lines for a reader. */
#ifndef LAMELLA_TOOLS_TRACE_TEXT_H
#define LAMELLA_TOOLS_TRACE_TEXT_H

#include "trace_steps.h"

typedef struct trace_text {
    bool is_shredding;
    bool begins; /* the event "begin" is still to print */
    bool has_begun;
    size_t depth;                   /* groups that are open */
    const lam_automaton *automaton; /* of assembly: of the same leaves */
} trace_text;

/* `automaton` is that of the leaves that are assembled, or NULL for shredding. */
trace_text trace_text_start(const lam_automaton *automaton);
trace_printer trace_text_printer(trace_text *text);

#endif
