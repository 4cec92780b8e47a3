/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the finest unit for timestamps of 96 bits by holding values and bounds against it: each one
 * that does not count in 64 bits makes the unit coarser, from nanoseconds (years 1677 to 2262)
 * toward seconds. The plan's fields have units before, and afterwards units that count every
 * instant seen here.
 *
 * The unit only ever gets coarser, so one pass over the chunks is enough. What cannot be read is
 * ignored: only failures of the machine end the search, and a value beyond the unit is found again
 * when its row is read (leaf_instant.c).
 */
#include "arrow/read/instant_unit.h"

#include "arrow/read/leaf_instant.h"
#include "base/error.h"
#include "base/recursion.h"
#include "file/read/file_reader.h"
#include "scan/prune/trusted_metadata.h"

enum {
    CHUNKS_MOST = 4,         /* row groups whose dictionaries are read, at most */
    INSTANT_UNIT_BLOCK = 512 /* values that are converted at once */
};

/* The search for one column. */
typedef struct column_units {
    const lam_reader *reader;
    const lam_field *leaf;
    lam_instant_load load;
    lam_arrow_unit unit; /* counts all instants so far; starts as the unit of the field */
} column_units;

/* Failures of the machine are passed on; failures of the file only end the search in it. */
static bool instant_unit_is_grave(lam_status status) {
    return status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM;
}

/*
 * Coarsens the unit until it counts the value. An instant that no unit counts leaves the coarsest,
 * and fails when it is read.
 */
static void hold(column_units *column, const uint8_t *value) {
    lam_instant instant;
    int64_t count;
    bool exact, loads = column->load(value, &instant);
    while (column->unit > LAM_ARROW_SECOND &&
           !(loads && lam_instant_count(instant, column->unit, &count, &exact)))
        column->unit--;
}

/*
 * The same for a block of values, most of them counted by the unit already: one conversion of the
 * entire block, as the reader does it, is far cheaper than a test of each value. `cuts` makes it
 * fail for range alone, not for digits too fine.
 */
static void hold_block(column_units *column, const uint8_t *values, size_t count) {
    int64_t slots[INSTANT_UNIT_BLOCK];
    lam_leaf_conversion conversion = {0};
    lam_leaf_instant_init(&conversion, column->leaf, column->unit);
    conversion.cuts = true;
    if (conversion.convert(&conversion, values, count, slots, NULL) == LAM_STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++)
        hold(column, values + i * LAM_INSTANT_SIZE);
}

/* --- Statistics ---------------------------------------------------------------------------- */

/*
 * Holds the bounds of a chunk. `ret_known`: they cover all of its values, or it has none, so that
 * its dictionary need not be read. Statistics that contradict themselves are not bounds
 * (scan/prune/trusted_metadata.h).
 */
static lam_status hold_bounds(column_units *column, size_t row_group, bool *ret_known,
                              lam_error *error) {
    const lam_trusted_metadata_kinds nothing_more = {0};
    lam_trusted_metadata index;
    lam_error cause = lam_error_none();
    *ret_known = false;
    lam_arena arena = lam_reader_chunk_arena(column->reader);
    lam_status status = lam_trusted_metadata_read(
        column->reader, row_group, column->leaf->first_leaf, nothing_more, &arena, &index, &cause);
    /* Bounds are lent by the reader, not by the arena. */
    lam_arena_finish(&arena);
    if (instant_unit_is_grave(status))
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    if (status != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    lam_filter_facts facts = lam_trusted_metadata_facts(&index);
    *ret_known = facts.has_bounds || lam_filter_facts_all_null(&facts);
    if (facts.has_bounds) {
        hold(column, facts.min.data);
        hold(column, facts.max.data);
    }
    return LAM_STATUS_OK;
}

/* --- Dictionary pages ---------------------------------------------------------------------- */

/*
 * Reads the footer only: the encodings of the chunk name a dictionary. A footer may list one in
 * vain; then the chunk is opened and no dictionary page is found.
 */
static lam_status has_dictionary(const column_units *column, size_t row_group, bool *ret_has,
                                 lam_error *error) {
    const uint32_t dictionaries =
        UINT32_C(1) << LAM_ENCODING_PLAIN_DICTIONARY | UINT32_C(1) << LAM_ENCODING_RLE_DICTIONARY;
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_error cause = lam_error_none();
    lam_status status =
        lam_reader_column_chunk(column->reader, row_group, column->leaf->first_leaf, &info, &cause);
    if (instant_unit_is_grave(status))
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    *ret_has = status == LAM_STATUS_OK && (info.encodings & dictionaries) != 0;
    return LAM_STATUS_OK;
}

/*
 * Holds all values of a dictionary page. Values that no row uses count too: they can only make the
 * unit coarser than necessary, never wrong.
 */
static lam_status hold_dictionary(column_units *column, size_t row_group, lam_error *error) {
    lam_column_cursor *cursor = NULL;
    lam_error cause = lam_error_none();
    lam_status status = lam_reader_open_cursor(column->reader, row_group, column->leaf->first_leaf,
                                               &cursor, &cause);
    if (status == LAM_STATUS_OK) {
        status = lam_column_cursor_load_dictionary(cursor, &cause);
        const lam_dictionary *dictionary =
            status == LAM_STATUS_OK ? lam_column_cursor_dictionary(cursor) : NULL;
        size_t count = dictionary != NULL ? dictionary->count : 0;
        for (size_t at = 0, some; at < count; at += some) {
            const uint8_t *values = dictionary->values;
            some = count - at < INSTANT_UNIT_BLOCK ? count - at : INSTANT_UNIT_BLOCK;
            hold_block(column, values + at * LAM_INSTANT_SIZE, some);
        }
        lam_column_cursor_destroy(cursor);
    }
    if (instant_unit_is_grave(status))
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    return LAM_STATUS_OK;
}

/* --- Choice -------------------------------------------------------------------------------- */

/*
 * Goes through all row groups. Bounds cost nothing, they are in the footer; dictionaries cost a
 * read each, so only CHUNKS_MOST of them are read, and none if `may_read` is false.
 */
static lam_status find_unit(column_units *column, bool may_read, lam_error *error) {
    size_t groups = lam_reader_row_group_count(column->reader), chunks_read = 0;
    for (size_t i = 0; i < groups; i++) {
        bool known, has;
        LAM_TRY(hold_bounds(column, i, &known, error));
        if (known || !may_read || chunks_read == CHUNKS_MOST)
            continue;
        LAM_TRY(has_dictionary(column, i, &has, error));
        if (!has)
            continue;
        LAM_TRY(hold_dictionary(column, i, error));
        chunks_read++;
    }
    return LAM_STATUS_OK;
}

/* The arguments of the walk, the same for all nodes. */
typedef struct unit_chooser {
    const lam_reader *reader;
    lam_time_unit requested;
    bool is_original;
    lam_error *error;
} unit_chooser;

/*
 * Chooses the unit of a leaf. Columns of other types, and timestamps that are INT64 in the file,
 * keep theirs.
 */
LAM_APART static lam_status choose_unit_of_leaf(const unit_chooser *chooser, lam_arrow_node *node,
                                                lam_arrow_field *field) {
    lam_instant_load load = lam_instant_load_of(node->leaf);
    if (load == NULL || field->type.kind != LAM_ARROW_TIMESTAMP)
        return LAM_STATUS_OK;
    column_units column = {chooser->reader, node->leaf, load, field->type.unit};
    if (chooser->requested == 0)
        LAM_TRY(find_unit(&column, !chooser->is_original, chooser->error));
    else
        column.unit = (lam_arrow_unit)chooser->requested; /* the same numbers */
    field->type.unit = column.unit;
    node->cuts_instants = chooser->requested != 0;
    return LAM_STATUS_OK;
}

/* Walks nodes and fields together, one tree in both. */
static lam_status instant_unit_choose(const unit_chooser *chooser, lam_arrow_node *node,
                                      lam_arrow_field *field) {
    if (node->shape == LAM_ARROW_NODE_VALUE)
        return choose_unit_of_leaf(chooser, node, field);
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(instant_unit_choose(chooser, &node->children[i], &field->children[i]));
    return LAM_STATUS_OK;
}

lam_status lam_instant_unit_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                   lam_time_unit requested, bool is_original, lam_error *error) {
    const unit_chooser chooser = {reader, requested, is_original, error};
    if ((int)requested < 0 || (int)requested > LAM_TIME_UNIT_NANOS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown unit of time %d", (int)requested);
    return instant_unit_choose(&chooser, &plan->root, &plan->schema);
}
