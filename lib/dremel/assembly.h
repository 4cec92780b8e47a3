/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles step by step: turns columns back into records (Dremel paper, section 4.3). Takes
 * triples of each projected leaf, and gives the events of a record, by the loop at the end of this
 * header, from which assembler.c and assembly_watch.c make functions. json/write/json_rows.c takes
 * the same steps and makes text.
 *
 * The automaton (automaton.c) determines which leaf is read next. It remains to keep the right
 * groups open, and that takes three tables per leaf:
 *
 *     open_to[d]            how many groups of the path the definition level d opens
 *     edges[r].next         the leaf after this one, when the next level in its column is r
 *     edges[r].close_to     how many groups stay open on the way there
 *
 * On the way forward, the groups that both leaves share stay open; on the way back, those above the
 * repeated field whose next element begins. For Name.Language.Country of the paper's Document, with
 * maximum definition level 3 and maximum repetition level 2:
 *
 *     d           0   1   2   3        r           0     1     2
 *     open_to     0   1   2   2        next        Url   Url   Code
 *                                      close_to    1     1     1
 *
 * Columns of one schema can contradict each other, and in a damaged file they do. Each step knows
 * the levels of the next triple beforehand, or bounds of them, so that every contradiction is found
 * where it occurs: columns that pass are those to which some record shreds.
 */
#ifndef LAM_DREMEL_ASSEMBLY_H
#define LAM_DREMEL_ASSEMBLY_H

#include <lamella/dremel.h>

#include "base/arena.h"
#include "base/error.h"
#include "dremel/element.h"
#include "schema/tree.h"

/*
 * A definition level that no leaf has (LAM_SCHEMA_DEPTH_MAX is 250): a column that has ended shows
 * it, so that its end fails the test of the level and needs none of its own.
 */
enum { LAM_LEVEL_END = 255, LAM_LEVEL_MAX = 254 };

/* The automaton's edge, with what the assembler does on the way. */
typedef struct lam_assembly_edge {
    uint32_t next;    /* leaf; leaf_count is the end of the record */
    uint8_t close_to; /* groups of the path that stay open */
    uint8_t least; /* definition level that the next triple has at least, if its groups are open */
    bool back;     /* to a leaf at or before this one */
} lam_assembly_edge;

/*
 * A projected leaf: its position in its column, and its tables. The first members are the next
 * triple, which is read ahead: the levels after a triple decide what follows it.
 */
typedef struct lam_assembly_leaf {
    const uint8_t *repetition; /* the level of the next triple */
    const uint8_t *definition;
    const uint8_t *values;   /* the next value */
    size_t left;             /* triples of the batch, the next one included; 0 at the end */
    uint8_t repetition_step; /* 0 when the batch has one level for all */
    uint8_t definition_step;
    uint8_t max_repetition;
    uint8_t max_definition;
    uint8_t physical_type;
    uint32_t element_size;
    const uint8_t *open_to;
    const lam_field *const *path; /* the groups above the leaf, without the root */
    const lam_assembly_edge *edges;
    const lam_field *field;
    lam_triple_source source;
} lam_assembly_leaf;

struct lam_assembler {
    lam_allocator allocator;
    lam_schema *schema;
    lam_arena arena; /* holds leaves and tables */
    lam_assembly_leaf *leaves;
    size_t leaf_count;
    bool started;
    bool failed;
    uint64_t ended;                                /* records */
    uint8_t opened_with[LAM_SCHEMA_DEPTH_MAX + 1]; /* per number of open groups: repetition level */
};

/* Records whose end the sink has accepted so far, including those of a read that failed. */
uint64_t lam_assembler_record_count(const lam_assembler *assembler);

/*
 * The position of a loop within a record: the groups that are open, and the bounds of the next
 * levels.
 */
typedef struct lam_assembly_position {
    lam_assembly_leaf *leaf;
    size_t depth;       /* groups that are open */
    uint8_t repetition; /* of the next triple */
    uint8_t least;      /* its definition level, at least */
    uint8_t most;
} lam_assembly_position;

/* Starts on the next batch of a column, or shows its end. */
lam_status lam_assembly_read_batch(lam_assembly_leaf *leaf, lam_error *error);
/* CORRUPT: why the next triple is not one that the record needs. */
lam_status lam_assembly_contradiction(const lam_assembly_position *position, lam_error *error);
/* CORRUPT: another element begins where there is no list. */
lam_status lam_assembly_fail_empty_list(const lam_assembly_leaf *leaf, lam_error *error);

/*
 * Calls `record` for up to `max_records` records, each assembled with the steps below, and gives
 * their number. The errors of lam_assembler_read.
 */
lam_status lam_assembly_read(lam_assembler *assembler,
                             lam_status (*record)(void *state, lam_error *error), void *state,
                             size_t max_records, size_t *ret_records, lam_error *error);

static inline lam_assembly_position lam_assembly_start(const lam_assembler *assembler) {
    lam_assembly_position position = {assembler->leaves, 0, 0, 0, LAM_LEVEL_MAX};
    return position;
}

/* True if the next triple of the leaf has levels that this record can have there. */
static inline bool lam_assembly_expects(const lam_assembly_position *position) {
    const lam_assembly_leaf *leaf = position->leaf;
    return *leaf->repetition == position->repetition && *leaf->definition >= position->least &&
           *leaf->definition <= position->most;
}

/*
 * Opens the next group that begins with the triple, at whose repetition level all its leaves start;
 * false if there is none.
 */
static inline bool lam_assembly_open(lam_assembler *assembler, lam_assembly_position *position,
                                     uint8_t definition) {
    if (position->depth >= position->leaf->open_to[definition])
        return false;
    assembler->opened_with[++position->depth] = position->repetition;
    return true;
}

/* Passes the triple that was read; then the levels of the next one, or the end, are in view. */
static inline lam_status lam_assembly_advance(lam_assembly_leaf *leaf, lam_error *error) {
    if (--leaf->left == 0)
        return lam_assembly_read_batch(leaf, error);
    leaf->repetition += leaf->repetition_step;
    leaf->definition += leaf->definition_step;
    return LAM_STATUS_OK;
}

/* The element of the column's values at an address. */
static inline lam_value lam_assembly_value(const lam_assembly_leaf *leaf, const uint8_t *element) {
    return lam_element_value(leaf->physical_type, leaf->element_size, element);
}

/* The next value of the column, which it passes. */
static inline lam_value lam_assembly_take_value(lam_assembly_leaf *leaf) {
    lam_value value = lam_assembly_value(leaf, leaf->values);
    leaf->values += leaf->element_size;
    return value;
}

/*
 * Goes to the leaf after a triple of `definition`, along an edge whose groups are closed already,
 * and bounds the levels of the triple that comes there:
 *
 *   - Its repetition level is known: on the way back it is the level that was followed; on the way
 *     forward the one that the innermost open group was opened with, because all leaves of an
 *     element start it at the same repetition level.
 *   - Its definition level is at least that of the groups that are open. Where a group that both
 *     leaves share is absent, it is exactly that of the leaf before.
 *
 * Three steps of the paper's first record, which is drawn in full above the loop:
 *
 *     from      r d   along        groups still open, opened with   to        r   d
 *     Country   0 3   2, back      Name 0                           Code      2   2 or more
 *     Country   2 2   1, forward   Name 0                           Url       0   1 or more
 *     Code      1 1   1, forward   Name 1; Language is absent       Country   1   1
 *
 * Url has level 0, with which its Name was opened, although the way to it was that of level 1.
 *
 * Fails if the way back starts another element although the triple says that there is none, as an
 * ancestor of the element is absent or the list is empty.
 */
static inline lam_status lam_assembly_follow(const lam_assembler *assembler,
                                             lam_assembly_position *position,
                                             const lam_assembly_edge *edge, uint8_t definition,
                                             lam_error *error) {
    if (edge->back && definition < edge->least)
        return lam_assembly_fail_empty_list(position->leaf, error);
    /* Whether a group that both leaves share is not there. */
    bool absent = position->depth < edge->close_to;
    position->repetition =
        edge->back ? *position->leaf->repetition : assembler->opened_with[position->depth];
    position->least = absent ? definition : edge->least;
    position->most = absent ? definition : LAM_LEVEL_MAX;
    position->leaf = &assembler->leaves[edge->next];
    return LAM_STATUS_OK;
}

/* Shows a watch the triple that is read next. */
static inline lam_status lam_assembly_show_triple(const lam_assembler *assembler,
                                                  const lam_assembly_position *at,
                                                  const lam_assembly_watch *watch,
                                                  lam_assembly_step *step, lam_error *error) {
    const lam_assembly_leaf *leaf = at->leaf;
    memset(step, 0, sizeof *step);
    step->state = (size_t)(leaf - assembler->leaves);
    step->leaf = leaf->field;
    step->repetition = *leaf->repetition;
    step->definition = *leaf->definition;
    step->open_count = at->depth;
    if (step->definition == leaf->max_definition)
        step->value = lam_assembly_value(leaf, leaf->values);
    return watch->read(watch->state, step, error);
}

/* Shows a watch the edge that follows the triple, before groups close. */
static inline lam_status lam_assembly_show_edge(const lam_assembly_position *at,
                                                const lam_assembly_edge *edge,
                                                const lam_assembly_watch *watch,
                                                lam_assembly_step *step, lam_error *error) {
    memset(&step->value, 0, sizeof step->value);
    step->is_last = at->leaf->left == 0;
    step->next_repetition = *at->leaf->repetition;
    step->next_state = edge->next;
    step->kept_count = at->depth < edge->close_to ? at->depth : edge->close_to;
    return watch->follow(watch->state, step, error);
}

/*
 * Replays one record into the sink. Each turn of the loop reads one triple: opens groups, puts the
 * value if there is one, advances, and closes groups on the way to the next leaf. The paper's first
 * record, triples as (value, repetition level, definition level), with the repetition level r that
 * comes next in the column:
 *
 *     leaf      triple          opens           r   to        closes
 *     DocId     10       0 0                    0   Backward
 *     Backward  null     0 1    Links           0   Forward
 *     Forward   20       0 2                    1   Forward
 *     Forward   40       1 2                    1   Forward
 *     Forward   60       1 2                    0   Code      Links
 *     Code      en-us    0 2    Name Language   2   Country
 *     Country   us       0 3                    2   Code      Language
 *     Code      en       2 2    Language        1   Country
 *     Country   null     2 2                    1   Url       Language
 *     Url       http://A 0 2                    1   Code      Name
 *     Code      null     1 1    Name            1   Country
 *     Country   null     1 1                    1   Url
 *     Url       http://B 1 2                    1   Code      Name
 *     Code      en-gb    1 2    Name Language   0   Country
 *     Country   gb       1 3                    0   Url       Language
 *     Url       null     1 1                    0   (end)     Name
 *
 * A watch, unless it is NULL, sees each triple before its events and each edge before groups close.
 * It is a constant where this becomes a function, so that assembly without one is not slower.
 */
static inline lam_status lam_assembly_record(lam_assembler *assembler, const lam_record_sink *sink,
                                             const lam_assembly_watch *watch, lam_error *error) {
    lam_assembly_position at = lam_assembly_start(assembler);
    lam_assembly_step step;
    LAM_TRY(sink->begin(sink->state, error));
    for (;;) {
        lam_assembly_leaf *leaf = at.leaf;
        uint8_t definition = *leaf->definition;
        if (!lam_assembly_expects(&at))
            return lam_assembly_contradiction(&at, error);
        if (watch != NULL)
            LAM_TRY(lam_assembly_show_triple(assembler, &at, watch, &step, error));
        while (lam_assembly_open(assembler, &at, definition))
            LAM_TRY(sink->open(sink->state, leaf->path[at.depth - 1], error));
        if (definition == leaf->max_definition)
            LAM_TRY(sink->put(sink->state, leaf->field, lam_assembly_take_value(leaf), error));
        LAM_TRY(lam_assembly_advance(leaf, error));

        const lam_assembly_edge *edge = &leaf->edges[*leaf->repetition];
        if (watch != NULL)
            LAM_TRY(lam_assembly_show_edge(&at, edge, watch, &step, error));
        while (at.depth > edge->close_to) {
            at.depth--;
            LAM_TRY(sink->close(sink->state, leaf->path[at.depth], error));
        }
        if (edge->next == assembler->leaf_count)
            return sink->end(sink->state, error);
        LAM_TRY(lam_assembly_follow(assembler, &at, edge, definition, error));
    }
}

#endif
