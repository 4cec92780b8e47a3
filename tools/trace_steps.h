/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shredder and the assembler step by step: what each step does, for a printer. Only public
 * headers, so that this runs wherever the library does.
 */
#ifndef LAMELLA_TOOLS_TRACE_STEPS_H
#define LAMELLA_TOOLS_TRACE_STEPS_H

#include "level_source.h"

typedef enum trace_verb { TRACE_BEGIN, TRACE_OPEN, TRACE_PUT, TRACE_CLOSE, TRACE_END } trace_verb;

typedef struct trace_event {
    trace_verb verb;
    const lam_field *field; /* the root of BEGIN and END */
    const lam_value *value; /* of PUT, else NULL */
    /* Of shredding: the levels that the group was opened with, or those of the value. */
    unsigned repetition;
    unsigned definition;
} trace_event;

/* A triple that the shredder writes. */
typedef struct trace_triple {
    const lam_field *leaf;
    unsigned repetition;
    unsigned definition;
    const lam_value *value;  /* NULL for a null */
    const lam_field *absent; /* of a null: the field of the path that did not appear */
} trace_triple;

/*
 * A printer of steps. In shredding, each event is followed by the triples that it writes. In
 * assembly, `read` is followed by the events of the triple, and `follow` by those on the way to the
 * next state. `fail` ends a record that has begun, in place of end_record.
 */
typedef struct trace_printer {
    void *state;
    lam_status (*begin_record)(void *state, uint64_t record, lam_error *error);
    lam_status (*event)(void *state, const trace_event *event, lam_error *error);
    lam_status (*triple)(void *state, const trace_triple *triple, lam_error *error);
    lam_status (*read)(void *state, const lam_assembly_step *step, lam_error *error);
    lam_status (*follow)(void *state, const lam_assembly_step *step, lam_error *error);
    lam_status (*end_record)(void *state, lam_error *error);
    void (*fail)(void *state, const lam_error *error);
} trace_printer;

/*
 * A sink that shreds records and has each step printed: of fields that have leaves among the
 * marked ones (NULL: all), with the triples of these. `first_record` is the number of the first
 * record. Records are not kept. After a failure it only accepts destroy.
 */
typedef struct trace_shredder trace_shredder;

lam_status trace_shredder_create(const lam_schema *schema, const bool *leaves,
                                 uint64_t first_record, const trace_printer *printer,
                                 trace_shredder **ret_shredder, lam_error *error);
lam_record_sink trace_shredder_sink(trace_shredder *shredder);
/* The reader of the next record has failed before its end. */
void trace_shredder_fail(trace_shredder *shredder, const lam_error *failure);
void trace_shredder_destroy(trace_shredder *shredder);

/* Assembles a range of records from the marked leaves (NULL: all), and has each step printed. */
lam_status trace_assembly(const level_source *source, const bool *leaves, level_range range,
                          const trace_printer *printer, lam_error *error);

#endif
