/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two machines of the Dremel paper: the shredder, which turns records into triples, and the
 * assembler, which turns triples back into records; and sinks that stand between a driver and a
 * receiver of records. Writers and record readers use them internally; programs that keep columns
 * elsewhere than in files use them directly.
 */
#ifndef LAMELLA_DREMEL_H
#define LAMELLA_DREMEL_H

#include <lamella/common.h>
#include <lamella/record.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Shredding ----------------------------------------------------------------------------- */

/* Shreds records of one schema into triples that it keeps in memory. One thread at a time. */
typedef struct lam_shredder lam_shredder;

/* `allocator` may be NULL and is copied. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_shredder_create(const lam_schema *schema,
                                                        const lam_allocator *allocator,
                                                        lam_shredder **ret_shredder,
                                                        lam_error *error);
/*
 * The verbs that feed the shredder; valid until destroy. They fail with INVALID when the record
 * does not match the schema (a required field is missing, a field occurs twice, a value has the
 * wrong length), with STATE when verbs come out of order, with NOMEM.
 */
LAM_PUBLIC lam_record_sink lam_shredder_sink(lam_shredder *shredder);
/*
 * The triples of one leaf for all whole records since the last clear; valid until the next verb or
 * clear. Level arrays are NULL as lam_triples allows. Empty when there is no such leaf.
 */
LAM_PUBLIC lam_triples lam_shredder_triples(const lam_shredder *shredder, size_t leaf_index);
/*
 * The same for the open record: what its events have written so far, nulls included. Valid until
 * the next verb. Empty between records.
 */
LAM_PUBLIC lam_triples lam_shredder_open_triples(const lam_shredder *shredder, size_t leaf_index);
/*
 * The innermost open group, the root included, and the repetition level that it was opened with;
 * NULL, and nothing written, between records. Its definition level is lam_field_max_definition.
 */
LAM_PUBLIC const lam_field *lam_shredder_open_group(const lam_shredder *shredder,
                                                    uint8_t *ret_repetition);
/* Whole records since the last clear. */
LAM_PUBLIC size_t lam_shredder_record_count(const lam_shredder *shredder);
/*
 * Bytes of levels and values held for those records and for the open one: a byte per level, an
 * element of lam_triples.values per value, 16 for a lam_bytes on any machine, and the bytes that
 * these point to.
 */
LAM_PUBLIC size_t lam_shredder_byte_count(const lam_shredder *shredder);
/* Discards all records, the open one too, and keeps the memory for the next ones. */
LAM_PUBLIC void lam_shredder_clear(lam_shredder *shredder);
LAM_PUBLIC void lam_shredder_destroy(lam_shredder *shredder);

/* --- The automaton ------------------------------------------------------------------------- */

/*
 * The finite-state machine that assembly follows (Dremel paper, section 4.3 and appendix C): a
 * state per projected leaf, and from each state a transition for each repetition level of what
 * comes next in that leaf's column. Immutable.
 */
typedef struct lam_automaton lam_automaton;

/*
 * `leaves` marks the projected leaves as lam_schema_select does; NULL means all, and if none is
 * marked the automaton has no states. LIMIT when the tables would outgrow 256 MiB, which takes a
 * schema that is deep and wide beyond all practical use.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_automaton_create(const lam_schema *schema,
                                                         const bool *leaves,
                                                         const lam_allocator *allocator,
                                                         lam_automaton **ret_automaton,
                                                         lam_error *error);
/* Number of states, which is the number of projected leaves. */
LAM_PUBLIC size_t lam_automaton_state_count(const lam_automaton *automaton);
/* The leaf of a state; states follow schema order. NULL when out of range. */
LAM_PUBLIC const lam_field *lam_automaton_leaf(const lam_automaton *automaton, size_t state);
/*
 * The state that follows when the next repetition level in this state's column is `repetition`
 * (0 to the leaf's maximum); state_count means the record ends, or an argument is out of range.
 */
LAM_PUBLIC size_t lam_automaton_next(const lam_automaton *automaton, size_t state,
                                     uint8_t repetition);
LAM_PUBLIC void lam_automaton_destroy(lam_automaton *automaton);

/* --- Assembly ------------------------------------------------------------------------------ */

/*
 * Supplies an assembler with the triples of one leaf. `read` gives the next run, borrowed until the
 * next read of the same source, or a count of 0 at the end. A run may end anywhere, in the middle
 * of a record, too.
 */
typedef struct lam_triple_source {
    void *state;
    lam_status (*read)(void *state, lam_triples *ret_triples, lam_error *error);
} lam_triple_source;

/* Assembles records from the columns of the projected leaves. One thread at a time. */
typedef struct lam_assembler lam_assembler;

/*
 * `sources` has one element per projected leaf, in schema order, and is copied. INVALID when no
 * leaf is projected; LIMIT as for the automaton.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_assembler_create(
    const lam_schema *schema, const bool *leaves, const lam_triple_source *sources,
    const lam_allocator *allocator, lam_assembler **ret_assembler, lam_error *error);
/*
 * Drives `sink` with up to `max_records` records and gives their number, which is lower only at the
 * end of the columns. The sink gets fields in schema order, the elements of a repeated field side
 * by side, and no group without a projected leaf; none of its verbs may be NULL.
 *
 * CORRUPT, with the leaf's path and column, when the columns contradict each other or the schema: a
 * level above its maximum, a wrong number of values, levels that no record shreds to, a column that
 * ends inside a record or before the others. INVALID or any other status comes from a source or the
 * sink. A failure leaves the record at the sink open, without its end. After any failure the
 * assembler only accepts destroy.
 *
 * The end of a record shows only in the levels of the next triple, so sources are read one triple
 * ahead.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_assembler_read(lam_assembler *assembler,
                                                       const lam_record_sink *sink,
                                                       size_t max_records, size_t *ret_records,
                                                       lam_error *error);
/*
 * One step of assembly: in a state of the automaton a triple of the state's leaf is read, and the
 * repetition level of the triple after it in that column selects the next state.
 */
typedef struct lam_assembly_step {
    size_t state; /* of the automaton of the projected leaves, counted from 0 */
    const lam_field *leaf;
    uint8_t repetition; /* of the triple */
    uint8_t definition;
    lam_value value;   /* if the definition level is the leaf's maximum; borrowed for the call */
    size_t open_count; /* groups that are open before the step, the root not counted */
    /* Known to `follow` only. */
    bool is_last;            /* the column ends after the triple */
    uint8_t next_repetition; /* 0 at the end of the column */
    size_t next_state;       /* the number of states is the end of the record */
    size_t kept_count;       /* groups that stay open on the way there */
} lam_assembly_step;

/*
 * Watches assembly. `read` is called before the events of a step that open groups and put the
 * value, `follow` between them and those that close groups or end the record. A status other than
 * OK ends the read with it. Both are required.
 */
typedef struct lam_assembly_watch {
    void *state;
    lam_status (*read)(void *state, const lam_assembly_step *step, lam_error *error);
    lam_status (*follow)(void *state, const lam_assembly_step *step, lam_error *error);
} lam_assembly_watch;

/* lam_assembler_read with a watch, which is used during the call only. Slower. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_assembler_read_watched(
    lam_assembler *assembler, const lam_record_sink *sink, const lam_assembly_watch *watch,
    size_t max_records, size_t *ret_records, lam_error *error);
LAM_PUBLIC void lam_assembler_destroy(lam_assembler *assembler);

/* --- Sinks in the middle ------------------------------------------------------------------- */

/*
 * A sink in the middle keeps failures as every sink of the library does, its own and those of
 * `next`. It hands a failure of its own to `next` by `fail`, and later ends the record there by
 * `end`; a `next` without `fail` drops the record at its next begin.
 *
 * The checker checks every event and value before it passes it on to `next`: verbs in order, fields
 * where they belong, and each value against its logical type (UTF-8 text, integer width, decimal
 * precision, time of day, fixed length). INVALID names the path. `next` is copied; its verbs may be
 * NULL, and then nothing is passed on.
 */
typedef struct lam_record_checker lam_record_checker;

LAM_PUBLIC LAM_NODISCARD lam_status lam_record_checker_create(const lam_schema *schema,
                                                              const lam_record_sink *next,
                                                              const lam_allocator *allocator,
                                                              lam_record_checker **ret_checker,
                                                              lam_error *error);
LAM_PUBLIC lam_record_sink lam_record_checker_sink(lam_record_checker *checker);
LAM_PUBLIC void lam_record_checker_destroy(lam_record_checker *checker);

#ifdef __cplusplus
}
#endif

#endif
