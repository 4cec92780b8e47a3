/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the wanted rows of a row group from the levels and values of its columns, as lines.
 *
 * The loop is that of the assembler, with text for events: a triple prints its lead, its value if
 * there is one, and its trail, all of them ready except values that no dictionary holds. The levels
 * are checked as the assembler checks them, so columns that contradict each other end with the same
 * failure, after the same records. The invariant: outside of a record all text is complete lines.
 * (json_levels.h draws the tables)
 */
#include "json/write/json_rows.h"

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/assembly.h"
#include "json/write/json_writer.h"

enum {
    LEVEL_BUDGET = 16 << 20, /* bytes of the texts of levels */
    ENTRY_BUDGET = 16 << 20, /* bytes of the texts of all dictionaries of a row group */
    ENTRY_LEAF = 2 << 20     /* of one */
};

/* --- One record ------------------------------------------------------------------------------ */

/*
 * The end of the text, kept out of memory while a record prints: each text is appended at the end
 * of the one before, so all of them would wait for it.
 */
typedef struct line_end {
    uint8_t *out;
    const uint8_t *limit;
} line_end;

static inline line_end end_of(const lam_buffer *text) {
    if (text->data == NULL)
        return (line_end){NULL, NULL};
    return (line_end){text->data + text->size, text->data + text->capacity};
}

static inline void put_end(lam_buffer *text, line_end end) {
    text->size = end.out == NULL ? 0 : (size_t)(end.out - text->data);
}

static lam_status grow_line(lam_buffer *text, line_end *end, size_t room, lam_error *error) {
    put_end(text, *end);
    LAM_TRY(lam_buffer_grow(text, room, error));
    *end = end_of(text);
    return LAM_STATUS_OK;
}

static inline lam_status need_room(lam_buffer *text, line_end *end, size_t room, lam_error *error) {
    return room <= (size_t)(end->limit - end->out) ? LAM_STATUS_OK
                                                   : grow_line(text, end, room, error);
}

/* Prints the next value of a leaf. Most are texts of a dictionary by now. */
static inline lam_status put_next(lam_json_writer *writer, lam_json_leaf *leaf,
                                  lam_assembly_leaf *column, line_end *end, lam_error *error) {
    lam_bytes value = lam_json_leaf_take(leaf, column);
    if (value.size == 0) {
        put_end(&writer->text, *end);
        LAM_TRY(lam_json_leaf_print(writer, leaf, column, error));
        *end = end_of(&writer->text);
        return LAM_STATUS_OK;
    }
    LAM_TRY(need_room(&writer->text, end, value.size + LAM_JSON_LEVEL_PADDING, error));
    end->out = lam_json_put_short(end->out, value);
    return LAM_STATUS_OK;
}

/* Prints the lead and the value of a leaf outside of groups, by one text if that is kept. */
static inline lam_status put_flat(lam_json_writer *writer, lam_json_leaf *leaf,
                                  lam_assembly_leaf *column, uint8_t definition, line_end *end,
                                  lam_error *error) {
    bool has_value = definition == column->max_definition;
    lam_bytes text = {NULL, 0};
    if (has_value)
        text = lam_json_leaf_take(leaf, column);
    if (text.size > 0) {
        LAM_TRY(need_room(&writer->text, end, text.size + LAM_JSON_LEVEL_PADDING, error));
        end->out = lam_json_put_short(end->out, text);
        return LAM_STATUS_OK;
    }
    LAM_TRY(need_room(&writer->text, end, leaf->levels->lead_room, error));
    end->out = lam_json_put_short(end->out, leaf->levels->lead[definition]);
    if (!has_value)
        return LAM_STATUS_OK;
    put_end(&writer->text, *end);
    LAM_TRY(lam_json_leaf_print(writer, leaf, column, error));
    *end = end_of(&writer->text);
    return LAM_STATUS_OK;
}

/*
 * Prints one record of leaves outside of groups, each of which has one triple: the loop below
 * without levels to follow.
 */
static lam_status put_flat_record(lam_json_writer *writer, lam_error *error) {
    lam_json_rows *rows = &writer->rows;
    line_end end = end_of(&writer->text);
    size_t count = rows->assembler->leaf_count; /* of `leaves`, which may have room for more */
    for (size_t i = 0; i < count; i++) {
        lam_json_leaf *leaf = &rows->leaves[i];
        lam_assembly_leaf *column = &rows->assembler->leaves[i];
        uint8_t definition = *column->definition;
        if (definition > column->max_definition) {
            lam_assembly_position at = {.leaf = column};
            return lam_assembly_contradiction(&at, error);
        }
        LAM_TRY(put_flat(writer, leaf, column, definition, &end, error));
        LAM_TRY(lam_assembly_advance(column, error));
    }
    put_end(&writer->text, end);
    return lam_buffer_append(&writer->text, "}\n", 2, error);
}

/*
 * Prints the elements that follow, in a list that is the leaf's alone: each is a lead and a value,
 * and the automaton would come back to the leaf after each. The current triple is then the first
 * that is not one of them.
 */
static inline lam_status put_elements(lam_json_writer *writer, lam_json_leaf *leaf,
                                      lam_assembly_leaf *column, line_end *end, lam_error *error) {
    const lam_json_levels *levels = leaf->levels;
    uint8_t again = column->max_repetition, present = column->max_definition;
    lam_bytes lead = levels->lead[again * levels->definitions + present];
    while (*column->repetition == again && *column->definition == present) {
        LAM_TRY(need_room(&writer->text, end, levels->lead_room, error));
        end->out = lam_json_put_short(end->out, lead);
        LAM_TRY(put_next(writer, leaf, column, end, error));
        LAM_TRY(lam_assembly_advance(column, error));
    }
    return LAM_STATUS_OK;
}

/* Prints one record; the assembler's loop (dremel/assembly.h) draws it as events. */
static lam_status put_record(lam_json_writer *writer, lam_error *error) {
    lam_json_rows *rows = &writer->rows;
    lam_assembler *assembler = rows->assembler;
    lam_assembly_position at = lam_assembly_start(assembler);
    line_end end = end_of(&writer->text);
    for (;;) {
        lam_assembly_leaf *column = at.leaf;
        lam_json_leaf *leaf = &rows->leaves[column - assembler->leaves];
        const lam_json_levels *levels = leaf->levels;
        uint8_t definition = *column->definition;
        if (!lam_assembly_expects(&at))
            return lam_assembly_contradiction(&at, error);
        while (lam_assembly_open(assembler, &at, definition))
            continue;
        lam_bytes lead = levels->lead[at.repetition * levels->definitions + definition];
        LAM_TRY(need_room(&writer->text, &end, levels->lead_room, error));
        if (levels->joins && lead.size > 0 && lead.data[0] == ',' && end.out[-1] == '{')
            lead = (lam_bytes){lead.data + 1, lead.size - 1};
        end.out = lam_json_put_short(end.out, lead);
        if (definition == column->max_definition)
            LAM_TRY(put_next(writer, leaf, column, &end, error));
        LAM_TRY(lam_assembly_advance(column, error));
        if (leaf->has_list && definition == column->max_definition)
            LAM_TRY(put_elements(writer, leaf, column, &end, error));

        size_t next = *column->repetition;
        const lam_assembly_edge *edge = &column->edges[next];
        LAM_TRY(need_room(&writer->text, &end, levels->trail_room, error));
        end.out =
            lam_json_put_short(end.out, levels->trail[definition * levels->repetitions + next]);
        if (at.depth > edge->close_to)
            at.depth = edge->close_to;
        if (edge->next == assembler->leaf_count)
            break;
        LAM_TRY(lam_assembly_follow(assembler, &at, edge, definition, error));
    }
    put_end(&writer->text, end);
    return LAM_STATUS_OK;
}

/* A record that fails leaves no trace, and one that is passed over neither. */
static lam_status print_record(void *state, lam_error *error) {
    lam_json_writer *writer = state;
    lam_status status =
        writer->rows.is_flat ? put_flat_record(writer, error) : put_record(writer, error);
    if (status != LAM_STATUS_OK || writer->rows.passes) {
        writer->text.size = writer->whole;
        return status;
    }
    writer->whole = writer->text.size;
    return writer->whole < LAM_JSON_FLUSH_AT ? LAM_STATUS_OK : lam_json_writer_flush(writer, error);
}

/* --- The columns of a row group -------------------------------------------------------------- */

static void rows_close(void *state) {
    lam_json_writer *writer = state;
    lam_json_rows *rows = &writer->rows;
    for (size_t i = 0; i < rows->leaf_count; i++)
        lam_json_leaf_finish(&rows->leaves[i]);
    lam_free(&writer->allocator, rows->leaves, rows->leaf_count * sizeof *rows->leaves);
    rows->leaves = NULL;
    rows->leaf_count = 0;
}

/*
 * True if the columns that are read are the leaves that show; inside VARIANTs, any that the
 * projection may need.
 */
static bool shows_all(const lam_json_writer *writer, const lam_reader *reader, const bool *leaves) {
    const lam_schema *schema = writer->shape.schema;
    if (reader->schema != schema ||
        (writer->assembler != NULL && writer->variant != LAM_JSON_VARIANT_VALUE))
        return false;
    for (size_t i = 0; i < schema->leaf_count; i++) {
        bool shown = lam_json_node_of(&writer->shape, lam_leaf_at(schema, i))->shown;
        if (leaves[i] && !shown)
            return false;
        if (!leaves[i] && shown &&
            (writer->projection == NULL || writer->projection->needs[i] == LAM_NEED_ALWAYS))
            return false;
    }
    return true;
}

/* Makes the texts for the leaves of a row group, unless they are those of the one before. */
static lam_status choose_levels(lam_json_writer *writer, const bool *leaves, lam_error *error) {
    lam_json_rows *rows = &writer->rows;
    size_t count = writer->shape.schema->leaf_count;
    if (rows->made_for != NULL && memcmp(rows->made_for, leaves, count * sizeof *leaves) == 0)
        return LAM_STATUS_OK;
    rows->made_for = NULL;
    rows->levels = NULL;
    lam_arena_reset(&rows->arena);
    LAM_TRY(lam_json_levels_create(&writer->shape, leaves, writer->projection, &rows->arena,
                                   &rows->levels, error));
    if (rows->levels == NULL)
        lam_arena_reset(&rows->arena);
    LAM_TRY(LAM_ARENA_ARRAY(&rows->arena, count, &rows->made_for, error));
    memcpy(rows->made_for, leaves, count * sizeof *leaves);
    return LAM_STATUS_OK;
}

/* Sets up the leaves that have a cursor, and sources that read from them; gives their number. */
static lam_status open_leaves(lam_json_writer *writer, lam_leaf_rows *columns, size_t column_count,
                              lam_triple_source *sources, lam_error *error) {
    lam_json_rows *rows = &writer->rows;
    size_t most = writer->budget.most / 4, next = 0;
    size_t share = (most == 0 || most > ENTRY_BUDGET ? ENTRY_BUDGET : most) / column_count;
    LAM_TRY(LAM_ARRAY(&writer->allocator, column_count, &rows->leaves, error));
    rows->leaf_count = column_count;
    rows->is_flat = !writer->shape.omits_nulls; /* where every lead is as it is */
    for (size_t i = 0; i < column_count; i++) {
        if (columns[i].cursor == NULL)
            continue;
        const lam_field *field = lam_leaf_at(writer->shape.schema, columns[i].leaf_index);
        lam_json_leaf_init(&rows->leaves[next], lam_json_node_of(&writer->shape, field),
                           &rows->levels[next], &columns[i],
                           share < ENTRY_LEAF ? share : ENTRY_LEAF, &writer->allocator);
        rows->is_flat &= field->depth == 1 && field->max_repetition == 0;
        sources[next] = (lam_triple_source){&rows->leaves[next], lam_json_leaf_read};
        next++;
    }
    return LAM_STATUS_OK;
}

/*
 * Finds what is always the same: the lead of a flat leaf, and the way back to a leaf that has a
 * list of its own, after which nothing closes.
 */
static void find_shortcuts(lam_json_rows *rows) {
    for (size_t i = 0; i < rows->assembler->leaf_count; i++) {
        const lam_assembly_leaf *column = &rows->assembler->leaves[i];
        lam_json_leaf *leaf = &rows->leaves[i];
        const lam_json_levels *levels = leaf->levels;
        size_t again = column->max_repetition, present = column->max_definition;
        if (rows->is_flat)
            leaf->lead = levels->lead[present];
        leaf->has_list = again > 0 && column->edges[again].next == i && !levels->joins &&
                         levels->trail[present * levels->repetitions + again].size == 0;
    }
}

/* There is one leaf at least. */
static lam_status rows_open(void *state, const lam_reader *reader, const bool *leaves,
                            lam_leaf_rows *columns, size_t column_count,
                            lam_assembler **ret_assembler, lam_error *error) {
    lam_json_writer *writer = state;
    lam_json_rows *rows = &writer->rows;
    lam_triple_source *sources = NULL;
    lam_status status;
    if (rows->leaves != NULL || !shows_all(writer, reader, leaves))
        return LAM_STATUS_OK;
    LAM_TRY(choose_levels(writer, leaves, error));
    if (rows->levels == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARRAY(&writer->allocator, column_count, &sources, error));
    LAM_TRY_OUT(open_leaves(writer, columns, column_count, sources, error));
    LAM_TRY_OUT(lam_assembler_create(reader->schema, leaves, sources, &reader->allocator,
                                     &rows->assembler, error));
    find_shortcuts(rows);
    *ret_assembler = rows->assembler;
out:
    lam_free(&writer->allocator, sources, column_count * sizeof *sources);
    if (status != LAM_STATUS_OK)
        rows_close(writer);
    return status;
}

static lam_status rows_read(void *state, lam_assembler *assembler, size_t max_records, bool passes,
                            size_t *ret_records, bool *ret_declines, lam_error *error) {
    lam_json_writer *writer = state;
    lam_error failure = lam_error_none();
    uint64_t before = lam_assembler_record_count(assembler);
    writer->rows.passes = passes;
    writer->rows.declines = false;
    lam_status status =
        lam_assembly_read(assembler, print_record, writer, max_records, ret_records, &failure);
    *ret_declines = writer->rows.declines;
    if (*ret_declines) {
        *ret_records = (size_t)(lam_assembler_record_count(assembler) - before);
        return LAM_STATUS_OK;
    }
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* --- The writer ------------------------------------------------------------------------------ */

void lam_json_rows_init(lam_json_writer *writer) {
    writer->rows.taker = (lam_row_taker){writer, rows_open, rows_read, rows_close};
    lam_arena_init(&writer->rows.arena, &writer->allocator, LEVEL_BUDGET);
    lam_buffer_init(&writer->rows.scratch, &writer->allocator);
}

/* Also for a writer that create has left half-made. */
void lam_json_rows_finish(lam_json_rows *rows) {
    if (rows->taker.state == NULL)
        return;
    lam_arena_finish(&rows->arena);
    lam_buffer_finish(&rows->scratch);
}

/* A record that the verbs left open is dropped, as by their begin. */
lam_status lam_json_writer_print(lam_json_writer *writer, lam_record_reader *records,
                                 uint64_t max_records, uint64_t *ret_records, lam_error *error) {
    lam_record_sink sink = lam_json_writer_sink(writer);
    writer->text.size = writer->whole;
    writer->depth = 0;
    return lam_record_reader_take(records, &writer->rows.taker, &sink, max_records, ret_records,
                                  error);
}
