/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles complete records from columns: a source of triples for each projected leaf becomes the
 * events of as many records as requested.
 *
 * The loop over the triples of a record is in assembly.h, with the drawing of the tables that are
 * made here. Each batch is always checked once, when it arrives, so that the loop needs no check to
 * index the tables, and a failure is final.
 */
#include "dremel/assembly.h"

#include "base/alloc.h"
#include "dremel/automaton.h"
#include "dremel/grammar.h"
#include "schema/leaf_error.h"

/* A hostile schema may be both deep and wide; the tables of a real one are far smaller. */
static const size_t ASSEMBLER_TABLE_BUDGET = (size_t)256 << 20;

static const uint8_t END_OF_COLUMN = LAM_LEVEL_END;
static const uint8_t LEVEL_ZERO = 0;

/* --- The columns ----------------------------------------------------------------------------- */

/* CORRUPT for levels that no record shreds to. */
static lam_status assembler_corrupt(const lam_assembly_leaf *leaf, const char *what,
                                    lam_error *error) {
    return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, leaf->field, "%s", what);
}

/*
 * Checks a batch once, when it arrives, so that its levels can index the tables and its values
 * cannot run out: then the loop over the triples needs no bounds checks.
 */
static lam_status assembler_check_batch(const lam_assembly_leaf *leaf, const lam_triples *batch,
                                        lam_error *error) {
    size_t value_count = batch->count;
    if (batch->definition != NULL) {
        uint8_t highest = 0;
        value_count = 0;
        for (size_t i = 0; i < batch->count; i++) {
            highest = batch->definition[i] > highest ? batch->definition[i] : highest;
            value_count += batch->definition[i] == leaf->max_definition;
        }
        if (highest > leaf->max_definition)
            return assembler_corrupt(leaf, "definition level above the maximum", error);
    }
    if (batch->repetition != NULL) {
        uint8_t highest = 0;
        for (size_t i = 0; i < batch->count; i++)
            highest = batch->repetition[i] > highest ? batch->repetition[i] : highest;
        if (highest > leaf->max_repetition)
            return assembler_corrupt(leaf, "repetition level above the maximum", error);
    }
    if (value_count != batch->value_count || (value_count > 0 && batch->values == NULL))
        return lam_field_fail(error, LAM_ERROR_CODE_PAGE_VALUES, leaf->field,
                              "%zu values where the definition levels state %zu",
                              batch->values == NULL ? 0 : batch->value_count, value_count);
    return LAM_STATUS_OK;
}

/*
 * Starts on the next batch, or shows the end of the column. If all levels of a batch are equal, the
 * pointer stays on one constant level (a step of 0) instead of filling an array.
 */
lam_status lam_assembly_read_batch(lam_assembly_leaf *leaf, lam_error *error) {
    lam_triples batch = {0};
    lam_status status = leaf->source.read(leaf->source.state, &batch, error);
    if (status != LAM_STATUS_OK) {
        lam_error_of_leaf(error, leaf->field);
        return status;
    }
    leaf->left = batch.count;
    leaf->repetition_step = 0;
    leaf->definition_step = 0;
    leaf->repetition = &LEVEL_ZERO;
    leaf->definition = &END_OF_COLUMN;
    if (batch.count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(assembler_check_batch(leaf, &batch, error));
    leaf->values = batch.values;
    leaf->definition = &leaf->max_definition;
    if (batch.repetition != NULL) {
        leaf->repetition = batch.repetition;
        leaf->repetition_step = 1;
    }
    if (batch.definition != NULL) {
        leaf->definition = batch.definition;
        leaf->definition_step = 1;
    }
    return LAM_STATUS_OK;
}

/* --- Records --------------------------------------------------------------------------------- */

/*
 * Reports why the next triple is wrong: the column has ended, or one of the two levels is not as
 * expected.
 */
static lam_status contradiction(const lam_assembly_leaf *leaf, uint8_t wanted_repetition,
                                lam_error *error) {
    if (leaf->left == 0)
        return assembler_corrupt(leaf, "the column ends before the others", error);
    if (*leaf->repetition != wanted_repetition)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, leaf->field,
                              "repetition level %u where the record needs %u", *leaf->repetition,
                              wanted_repetition);
    return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, leaf->field,
                          "definition level %u contradicts the columns before", *leaf->definition);
}

lam_status lam_assembly_contradiction(const lam_assembly_position *position, lam_error *error) {
    return contradiction(position->leaf, position->repetition, error);
}

lam_status lam_assembly_fail_empty_list(const lam_assembly_leaf *leaf, lam_error *error) {
    return assembler_corrupt(leaf, "another element of a list that is empty", error);
}

/* The events of an assembler's records go to a sink. */
typedef struct assembler_replay {
    lam_assembler *assembler;
    const lam_record_sink *sink;
} assembler_replay;

static lam_status assemble_record(void *state, lam_error *error) {
    const assembler_replay *replay = state;
    return lam_assembly_record(replay->assembler, replay->sink, NULL, error);
}

/* The first column has ended: all others must have ended, too. */
static lam_status assembler_check_ends(const lam_assembler *assembler, lam_error *error) {
    for (size_t i = 0; i < assembler->leaf_count; i++)
        if (assembler->leaves[i].left > 0)
            return assembler_corrupt(&assembler->leaves[i],
                                     "the column continues after others have ended", error);
    return LAM_STATUS_OK;
}

/*
 * After a record each column ends or begins another one. Checked also when the caller stops here,
 * since the next record may never be requested.
 */
static lam_status check_boundary(const lam_assembler *assembler, lam_error *error) {
    for (size_t i = 0; i < assembler->leaf_count; i++)
        if (assembler->leaves[i].left > 0 && *assembler->leaves[i].repetition != 0)
            return contradiction(&assembler->leaves[i], 0, error);
    return LAM_STATUS_OK;
}

/* Reads the first batches if need be, then complete records, as many as requested and available. */
static lam_status assemble(lam_assembler *assembler,
                           lam_status (*record)(void *state, lam_error *error), void *state,
                           size_t max_records, size_t *ret_records, lam_error *error) {
    if (!assembler->started)
        for (size_t i = 0; i < assembler->leaf_count; i++)
            LAM_TRY(lam_assembly_read_batch(&assembler->leaves[i], error));
    assembler->started = true;
    uint64_t before = assembler->ended;
    while (assembler->ended - before < max_records && assembler->leaves[0].left > 0) {
        LAM_TRY(record(state, error));
        assembler->ended++;
    }
    if (assembler->leaves[0].left == 0)
        LAM_TRY(assembler_check_ends(assembler, error));
    LAM_TRY(check_boundary(assembler, error));
    *ret_records = (size_t)(assembler->ended - before);
    return LAM_STATUS_OK;
}

/* A failure is final: columns would go on at different records. */
lam_status lam_assembly_read(lam_assembler *assembler,
                             lam_status (*record)(void *state, lam_error *error), void *state,
                             size_t max_records, size_t *ret_records, lam_error *error) {
    if (assembler->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_READER_FAILED, "the assembler has failed before");
    lam_status status = assemble(assembler, record, state, max_records, ret_records, error);
    assembler->failed = status != LAM_STATUS_OK;
    return status;
}

lam_status lam_assembler_read(lam_assembler *assembler, const lam_record_sink *sink,
                              size_t max_records, size_t *ret_records, lam_error *error) {
    assembler_replay replay = {assembler, sink};
    return lam_assembly_read(assembler, assemble_record, &replay, max_records, ret_records, error);
}

uint64_t lam_assembler_record_count(const lam_assembler *assembler) {
    return assembler->ended;
}

/* --- The tables ------------------------------------------------------------------------------ */

/* The groups above a leaf, outermost first; neighbours in one group share the array. */
static lam_status build_path(lam_assembler *assembler, lam_assembly_leaf *leaf, lam_error *error) {
    bool first = leaf == assembler->leaves;
    if (!first && leaf[-1].field->parent == leaf->field->parent) {
        leaf->path = leaf[-1].path;
        return LAM_STATUS_OK;
    }
    size_t group_count = (size_t)leaf->field->depth - 1;
    const lam_field **path;
    LAM_TRY(LAM_ARENA_ARRAY(&assembler->arena, group_count, &path, error));
    const lam_field *group = leaf->field;
    while (group_count > 0) {
        group = lam_parent_of(group);
        path[--group_count] = group;
    }
    leaf->path = path;
    return LAM_STATUS_OK;
}

/*
 * Tabulates how many groups of the path are open at each definition level: a group is open when the
 * level reaches the group's own maximum. Required groups have the maximum of their parent and open
 * with it.
 */
static lam_status build_open_to(lam_assembler *assembler, lam_assembly_leaf *leaf,
                                lam_error *error) {
    uint8_t *open_to;
    LAM_TRY(lam_arena_bytes(&assembler->arena, (size_t)leaf->max_definition + 1, &open_to, error));
    uint8_t group_count = (uint8_t)(leaf->field->depth - 1);
    uint8_t open = 0;
    for (size_t level = 0; level <= leaf->max_definition; level++) {
        while (open < group_count && leaf->path[open]->max_definition <= level)
            open++;
        open_to[level] = open;
    }
    leaf->open_to = open_to;
    return LAM_STATUS_OK;
}

/*
 * Translates the automaton's edges of one state: `turn` becomes the number of groups that stay
 * open.
 */
static lam_status build_edges(lam_assembler *assembler, const lam_automaton *automaton,
                              size_t state, lam_error *error) {
    lam_assembly_leaf *leaf = &assembler->leaves[state];
    lam_assembly_edge *edges;
    LAM_TRY(LAM_ARENA_ARRAY(&assembler->arena, (size_t)leaf->max_repetition + 1, &edges, error));
    for (size_t level = 0; level <= leaf->max_repetition; level++) {
        lam_automaton_edge edge = lam_automaton_edge_at(automaton, state, (uint8_t)level);
        const lam_field *turn = &assembler->schema->fields[edge.turn];
        edges[level].next = edge.next;
        edges[level].back = edge.next <= state;
        /* Forward, `turn` itself stays open; back, only the groups above it. */
        edges[level].close_to = (uint8_t)(turn->depth - (edges[level].back ? 1 : 0));
        edges[level].least = turn->max_definition;
    }
    leaf->edges = edges;
    return LAM_STATUS_OK;
}

/* Fills in all leaves. Each takes O(depth + levels) memory, within the budget of the arena. */
static lam_status build_tables(lam_assembler *assembler, const lam_automaton *automaton,
                               const lam_triple_source *sources, lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(&assembler->arena, assembler->leaf_count, &assembler->leaves, error));
    for (size_t state = 0; state < assembler->leaf_count; state++) {
        lam_assembly_leaf *leaf = &assembler->leaves[state];
        leaf->field = lam_automaton_leaf(automaton, state);
        leaf->source = sources[state];
        leaf->max_repetition = leaf->field->max_repetition;
        leaf->max_definition = leaf->field->max_definition;
        leaf->physical_type = leaf->field->physical_type;
        leaf->element_size = (uint32_t)lam_element_size(leaf->field);
        LAM_TRY(build_path(assembler, leaf, error));
        LAM_TRY(build_open_to(assembler, leaf, error));
        LAM_TRY(build_edges(assembler, automaton, state, error));
    }
    return LAM_STATUS_OK;
}

/* The automaton is needed only while the tables are made. */
lam_status lam_assembler_create(const lam_schema *schema, const bool *leaves,
                                const lam_triple_source *sources, const lam_allocator *allocator,
                                lam_assembler **ret_assembler, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_automaton *automaton;
    LAM_TRY(lam_automaton_create(schema, leaves, &own, &automaton, error));
    lam_assembler *assembler = NULL;
    lam_status status;
    if (lam_automaton_state_count(automaton) == 0)
        LAM_FAIL_OUT(error, LAM_STATUS_INVALID, "no leaf to assemble records from");
    LAM_TRY_OUT(LAM_NEW(&own, &assembler, error));
    assembler->allocator = own;
    assembler->schema = lam_schema_share(schema);
    assembler->leaf_count = lam_automaton_state_count(automaton);
    lam_arena_init(&assembler->arena, &own, ASSEMBLER_TABLE_BUDGET);
    LAM_TRY_OUT(build_tables(assembler, automaton, sources, error));
    *ret_assembler = assembler;
out:
    lam_automaton_destroy(automaton);
    if (status != LAM_STATUS_OK)
        lam_assembler_destroy(assembler);
    return status;
}

void lam_assembler_destroy(lam_assembler *assembler) {
    if (assembler == NULL)
        return;
    lam_allocator allocator = assembler->allocator;
    lam_arena_finish(&assembler->arena);
    lam_schema_destroy(assembler->schema);
    lam_free(&allocator, assembler, sizeof *assembler);
}
