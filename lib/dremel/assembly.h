/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of assembly, for the loops that follow the automaton over the columns of a record:
 * assembler.c makes events of them, json/write/json_rows.c makes text.
 *
 *     lam_assembly_start
 *     loop     lam_assembly_expects   the levels of the next triple are as the record needs them
 *              lam_assembly_open      the groups that begin with it
 *              lam_assembly_advance   to the triple after it
 *              lam_assembly_follow    closes groups, and goes to the next leaf
 *
 * A loop takes the values of a leaf by itself, between open and advance. The tables and the bounds
 * are drawn in assembler.c.
 */
#ifndef LAM_DREMEL_ASSEMBLY_H
#define LAM_DREMEL_ASSEMBLY_H

#include <lamella/dremel.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
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

/* Where a loop is within a record: the groups that are open, and the bounds of the next levels. */
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
 * Calls `record` for up to `max_records` records, each of which it assembles with the steps below,
 * and gives their number. The errors of lam_assembler_read.
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
 * Opens the next group that begins with the triple, which all its leaves start at the repetition
 * level of; false if there is none.
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

/* The element of lam_triples.values at an address; byte arrays are borrowed. */
static inline lam_value lam_assembly_value(const lam_assembly_leaf *leaf, const uint8_t *element) {
    lam_value value = LAM_ZERO_INIT;
    switch ((lam_physical_type)leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = *element != 0;
        break;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value, element, sizeof(int32_t));
        break;
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value, element, sizeof(int64_t));
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        memcpy(&value.bytes, element, sizeof(lam_bytes));
        break;
    default: /* FIXED_LEN_BYTE_ARRAY and INT96 */
        value.bytes.data = element;
        value.bytes.size = leaf->element_size;
        break;
    }
    return value;
}

/* The next value of the column. */
static inline lam_value lam_assembly_take_value(lam_assembly_leaf *leaf) {
    lam_value value = lam_assembly_value(leaf, leaf->values);
    leaf->values += leaf->element_size;
    return value;
}

/*
 * Goes to the leaf after a triple of `definition`, along an edge that closed groups already, or
 * fails, if the way back starts another element of `turn` although the triple says that there is
 * none, as an ancestor of the element is absent or the list is empty.
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

#endif
