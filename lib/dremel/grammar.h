/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of events as a receiver applies it: which verb may come next, and which repetition
 * level it carries.
 *
 * Each open group remembers the repetition level it was opened with. A field that appears in a
 * group for the first time inherits that level: no field has been repeated since. A field that
 * appears again must be a repeated one, and it is this field that repeats, so it carries its own
 * maximum. That is the complete rule of repetition levels:
 *
 *     begin                          root opened with 0
 *       open Name                    0, inherited
 *         open Language              0, inherited
 *           put Code "en-us"         0, inherited
 *         close Language
 *         open Language              2, Language appears again in this Name
 *           put Code "en"            2, inherited
 *         close Language
 *       close Name
 *       open Name                    1, Name appears again in this record
 *         put Url "http://B"         1, inherited
 *       close Name
 *     end
 *
 * To detect "again", marks are never cleared: every opening of a group has a number of its own, and
 * a field stores the number of the group in which it appeared last.
 */
#ifndef LAM_DREMEL_GRAMMAR_H
#define LAM_DREMEL_GRAMMAR_H

#include <lamella/common.h>

#include "base/error.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"

typedef struct lam_open_group {
    const lam_field *field;
    const lam_field *last; /* the field that appeared last in it, NULL at first */
    uint64_t opening;      /* number of this opening, unique in the grammar */
    uint32_t index;        /* of `field` in the schema */
    uint32_t seen_count;   /* different fields that appeared */
    uint8_t repetition;    /* level it was opened with */
} lam_open_group;

typedef struct lam_grammar {
    lam_schema *schema;
    lam_open_group *top;   /* the innermost open group; stack[0] when no record is open */
    lam_open_group *stack; /* [0] is outside of records, [1] the root, [n] a group of depth n - 1 */
    size_t stack_size;
    uint64_t *seen;    /* per field of the schema: the opening in which it appeared last */
    bool *demanding;   /* per field: at least one of its children must appear */
    uint64_t openings; /* groups opened so far, in all records */
    lam_allocator allocator;
} lam_grammar;

/*
 * Shares the schema, and allocates all memory that the grammar ever needs: no verb allocates.
 * NOMEM.
 */
lam_status lam_grammar_init(lam_grammar *grammar, const lam_schema *schema,
                            const lam_allocator *allocator, lam_error *error);
void lam_grammar_finish(lam_grammar *grammar);

/*
 * Report why a verb is refused: INVALID when the record does not match the schema, else STATE.
 * Apart from the inline checks, so that the usual case stays small.
 */
lam_status lam_grammar_refuse_field(const lam_grammar *grammar, const lam_field *field,
                                    bool want_leaf, lam_error *error);
lam_status lam_grammar_refuse_close(const lam_grammar *grammar, const lam_field *group,
                                    lam_error *error);

/* True between begin and end. */
static inline bool lam_grammar_in_record(const lam_grammar *grammar) {
    return grammar->top != grammar->stack;
}

/* Closes all groups without a check for missing fields. */
static inline void lam_grammar_drop(lam_grammar *grammar) {
    grammar->top = grammar->stack;
}

/* Opens a group that was admitted. The stack has room: it is as deep as the schema. */
static inline void lam_grammar_push(lam_grammar *grammar, const lam_field *group,
                                    uint8_t repetition) {
    lam_open_group *top = ++grammar->top;
    top->field = group;
    top->last = NULL;
    top->opening = ++grammar->openings;
    top->index = group->index;
    top->seen_count = 0;
    top->repetition = repetition;
}

/*
 * Admits a field to the open group and gives its repetition level. Outside of a record the open
 * group is stack[0], and no field has its index for a parent: this case needs no test of its own.
 */
static inline lam_status lam_grammar_admit(lam_grammar *grammar, const lam_field *field,
                                           bool want_leaf, uint8_t *ret_repetition,
                                           lam_error *error) {
    lam_open_group *top = grammar->top;
    if (field == NULL || field->parent != top->index || field->schema != grammar->schema ||
        field->index == 0 || (field->physical_type != LAM_PHYSICAL_GROUP) != want_leaf)
        return lam_grammar_refuse_field(grammar, field, want_leaf, error);
    /* First in this group: inherits. Again: only a repeated field may, at its own level. */
    if (grammar->seen[field->index] != top->opening) {
        grammar->seen[field->index] = top->opening;
        top->seen_count++;
        *ret_repetition = top->repetition;
    } else {
        if (field->repetition != LAM_REPETITION_REPEATED)
            return lam_grammar_refuse_field(grammar, field, want_leaf, error);
        *ret_repetition = field->max_repetition;
    }
    top->last = field;
    return LAM_STATUS_OK;
}

/* Opens the root. A record that is still open is dropped. */
static inline void lam_grammar_begin(lam_grammar *grammar) {
    lam_grammar_drop(grammar);
    lam_grammar_push(grammar, grammar->schema->fields, 0);
}

/* True when a repeated field appears again after another field of the same group. */
static inline bool lam_grammar_is_apart(const lam_grammar *grammar, const lam_field *field) {
    const lam_open_group *top = grammar->top;
    return field != NULL && field->schema == grammar->schema &&
           field->repetition == LAM_REPETITION_REPEATED &&
           grammar->seen[field->index] == top->opening && top->last != field;
}

/* Admits a group and opens it. */
static inline lam_status lam_grammar_open(lam_grammar *grammar, const lam_field *group,
                                          lam_error *error) {
    uint8_t repetition = 0;
    LAM_TRY(lam_grammar_admit(grammar, group, false, &repetition, error));
    lam_grammar_push(grammar, group, repetition);
    return LAM_STATUS_OK;
}

/*
 * The next field at or after `*ordinal` that did not appear in the open group, NULL at the end. A
 * group in which all fields appeared is recognized by their number, without a walk over them.
 */
static inline const lam_field *lam_grammar_next_unseen(const lam_grammar *grammar,
                                                       size_t *ordinal) {
    const lam_open_group *top = grammar->top;
    if (top->seen_count == top->field->child_count)
        return NULL;
    while (*ordinal < top->field->child_count) {
        const lam_field *child = lam_child_at(top->field, (*ordinal)++);
        if (grammar->seen[child->index] != top->opening)
            return child;
    }
    return NULL;
}

/*
 * True when a field that did not appear must have appeared: a required one, except a group without
 * leaves, which leaves no trace in any column.
 */
static inline bool lam_grammar_demands(const lam_field *unseen) {
    return unseen->repetition == LAM_REPETITION_REQUIRED && unseen->leaf_count > 0;
}

/* True when no field appeared in the open group and none must. */
static inline bool lam_grammar_may_be_empty(const lam_grammar *grammar) {
    return grammar->top->seen_count == 0 && !grammar->demanding[grammar->top->index];
}

/*
 * Checks that a close (or, with the root, an end) names the open group. The caller checks for
 * missing fields before it pops the group.
 */
static inline lam_status lam_grammar_check_close(const lam_grammar *grammar, const lam_field *group,
                                                 lam_error *error) {
    if (!lam_grammar_in_record(grammar) || grammar->top->field != group)
        return lam_grammar_refuse_close(grammar, group, error);
    return LAM_STATUS_OK;
}

/* Closes the open group; the one around it is open again, with all that appeared in it. */
static inline void lam_grammar_pop(lam_grammar *grammar) {
    grammar->top--;
}

#endif
