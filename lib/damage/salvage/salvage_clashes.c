/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds clashes, rows in which the levels of columns contradict each other, in a salvage with its
 * surveys. Pages without a checksum may be damaged in their levels and decode all the same:
 *
 *     repeated group g { required a; optional b }     a   R D    0 1    1 1    0 0
 *     the same, with one wrong bit                    b   R D    0 2    1 1    0 1
 *                                                     g          0 1    1 1    0 ?
 *
 * All leaves of a group have the same slots of it (dremel/slots.h), row by row. Each leaf that can
 * be read is compared with the next one, by the nearest group around both: levels that agree for
 * that group agree for all groups around it. A slot walk ends at the first contradiction; here both
 * columns continue with the next row. (README.md of the format, "Nested Encoding")
 *
 * The invariant: in rows without a clash, the columns that are not lost can be assembled.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "damage/salvage/salvage_losses.h"
#include "dremel/slot_walk.h"
#include "file/read/file_reader.h"
#include "rewrite/flow/leaf_feed.h"
#include "schema/leaf_error.h"

enum {
    CLASH_ROWS = 4096, /* compared at once */
    CLASHES_MOST = 64  /* of a top-level field in a row group; the last one takes all the others */
};

/* A leaf of the current top-level field. */
typedef struct clash_leaf {
    lam_slot_column column; /* its batch: the current rows */
    lam_leaf_map map;       /* of the leaf to itself */
    lam_leaf_feed feed;
    lam_salvage_losses losses;
    bool is_lost; /* in the current rows */
} clash_leaf;

typedef struct clash_finder {
    lam_salvage *salvage;
    size_t row_group;
    const lam_field *top;
    clash_leaf *leaves; /* of `top` */
    size_t clashes;     /* of `top` in the row group */
    uint32_t *fields;   /* by row of the batch: index of the field that clashes, 0 for none */
    lam_buffer bounds;
} clash_finder;

/* --- Rows of a batch ----------------------------------------------------------------------- */

/*
 * Goes to the next slot of a column; false after the last one, where a row begins that is not a
 * slot.
 */
static bool next_clash_slot(lam_slot_column *column) {
    while (!lam_slot_column_is_spent(column)) {
        lam_slot_column_step(column);
        if (column->repetition <= column->slots.repetition)
            return true;
    }
    column->repetition = column->definition = 0;
    return false;
}

/* Goes to the first slot of the next row. */
static bool leave_row(lam_slot_column *column) {
    bool any;
    do
        any = next_clash_slot(column);
    while (column->repetition > 0);
    return any;
}

/* A column at the first slot of a group in the current rows. */
static lam_slot_column slots_of_rows(const clash_leaf *leaf, const lam_field *group,
                                     bool *ret_any) {
    lam_slot_column column = leaf->column;
    column.slots = lam_slots_of(group);
    *ret_any = leave_row(&column);
    return column;
}

static void note(clash_finder *finder, size_t row, const lam_field *field) {
    const lam_schema *schema = finder->salvage->reader.schema;
    uint32_t *noted = &finder->fields[row];
    *noted = *noted == 0 ? field->index : lam_common_field(&schema->fields[*noted], field)->index;
}

/* Notes the rows in which two leaves give other levels to the nearest field around both. */
static void compare_leaves(clash_finder *finder, const clash_leaf *one, const clash_leaf *other) {
    const lam_field *group = lam_common_field(one->column.leaf, other->column.leaf);
    size_t rows = 0; /* that have begun */
    if (group->max_definition == 0)
        return;
    bool has_a, has_b;
    lam_slot_column a = slots_of_rows(one, group, &has_a), b = slots_of_rows(other, group, &has_b);
    while (has_a || has_b) {
        bool begin = a.repetition == 0 && b.repetition == 0;
        rows += begin;
        if (a.repetition == b.repetition && lam_slots_agree(a.slots, a.definition, b.definition)) {
            has_a = next_clash_slot(&a);
            has_b = next_clash_slot(&b);
            continue;
        }
        note(finder, rows - 1, group);
        /* One may have gone on to the next row while the other has elements in this one. */
        bool leave_a = begin || a.repetition > 0, leave_b = begin || b.repetition > 0;
        if (leave_a)
            has_a = leave_row(&a);
        if (leave_b)
            has_b = leave_row(&b);
    }
}

/* Notes the rows in which a leaf has another element of a list that has none, or is not there. */
static void compare_elements(clash_finder *finder, const clash_leaf *leaf) {
    const lam_triples *rows = &leaf->column.batch;
    size_t row = 0;
    if (rows->repetition == NULL || rows->definition == NULL)
        return;
    for (size_t i = 1; i < rows->count; i++) {
        uint8_t r = rows->repetition[i];
        row += r == 0;
        if (!lam_slots_may_follow(leaf->column.least, rows->definition[i - 1], r,
                                  rows->definition[i]))
            note(finder, row, leaf->column.leaf);
    }
}

/* --- Clashes ------------------------------------------------------------------------------- */

static lam_salvage_clash *last_clash(const clash_finder *finder) {
    return &LAM_LIST_LAST(&finder->salvage->clashes);
}

static void describe_clash(const clash_finder *finder, lam_salvage_clash *clash, uint64_t row,
                           const lam_field *field) {
    clash->first_leaf = field->first_leaf;
    clash->leaf_count = field->leaf_count;
    (void)lam_error_set(
        &clash->loss.error,
        field->leaf_count == 1 ? LAM_ERROR_CODE_LEVELS_STRUCTURE : LAM_ERROR_CODE_LEVELS_AGREE,
        field->leaf_count == 1 ? "the levels of the column contradict each other"
                               : "the levels of the columns of \"%s\" contradict each other",
        field->name);
    lam_error_at_row(&clash->loss.error, finder->row_group, row);
}

/* Adds a row to the last clash, if that ends before it or must take all others; or as one more. */
static lam_status add_clash(clash_finder *finder, uint64_t row, const lam_field *field,
                            lam_error *error) {
    lam_salvage *salvage = finder->salvage;
    lam_salvage_clash clash = {.row_group = finder->row_group,
                               .top = finder->top->index,
                               .loss = {.first_row = row, .end_row = row + 1}};
    if (finder->clashes > 0) {
        lam_salvage_clash *last = last_clash(finder);
        bool is_same =
            last->first_leaf == field->first_leaf && last->leaf_count == field->leaf_count;
        if (is_same && last->loss.end_row == row) {
            last->loss.end_row = row + 1;
            return LAM_STATUS_OK;
        }
        if (finder->clashes == CLASHES_MOST) {
            describe_clash(finder, last, last->loss.first_row, finder->top);
            last->loss.end_row = row + 1;
            return LAM_STATUS_OK;
        }
    }
    finder->clashes++;
    describe_clash(finder, &clash, row, field);
    return LAM_LIST_ADD(&salvage->clashes, &clash, error);
}

/* --- All rows ------------------------------------------------------------------------------ */

/* Compares the leaves that are not lost in some rows, as many of them as a batch has. */
static lam_status compare_batch(clash_finder *finder, lam_row_range range, lam_error *error) {
    const lam_schema *schema = finder->salvage->reader.schema;
    const clash_leaf *before = NULL;
    size_t rows = (size_t)(range.end - range.begin);
    memset(finder->fields, 0, rows * sizeof *finder->fields);
    for (uint32_t i = 0; i < finder->top->leaf_count; i++) {
        clash_leaf *leaf = &finder->leaves[i];
        if (leaf->is_lost)
            continue;
        LAM_TRY(lam_leaf_feed_read(&leaf->feed, &range, 1, rows, &leaf->column.batch, error));
        compare_elements(finder, leaf);
        if (before != NULL)
            compare_leaves(finder, before, leaf);
        before = leaf;
    }
    for (size_t i = 0; i < rows; i++)
        if (finder->fields[i] != 0)
            LAM_TRY(add_clash(finder, range.begin + i, &schema->fields[finder->fields[i]], error));
    return LAM_STATUS_OK;
}

/*
 * Compares the leaves in rows in which the same of them are lost. If all are, there may be any
 * number of rows: only the footer states it.
 */
static lam_status compare_salvaged_rows(clash_finder *finder, uint64_t begin, uint64_t end,
                                        lam_error *error) {
    bool is_any_left = false;
    for (uint32_t i = 0; i < finder->top->leaf_count; i++) {
        clash_leaf *leaf = &finder->leaves[i];
        leaf->is_lost = leaf->feed.cursor == NULL || lam_salvage_losses_have(&leaf->losses, begin);
        is_any_left |= !leaf->is_lost;
    }
    if (!is_any_left)
        return LAM_STATUS_OK;
    for (uint64_t at = begin; at < end; at += CLASH_ROWS) {
        lam_row_range range = {at, end - at < CLASH_ROWS ? end : at + CLASH_ROWS};
        LAM_TRY(lam_stop_check(finder->salvage->options.stop, error));
        LAM_TRY(compare_batch(finder, range, error));
    }
    return LAM_STATUS_OK;
}

/* Starts the feeds of the leaves of the top-level field that have any row left. */
static lam_status start_clash_leaves(clash_finder *finder, lam_error *error) {
    lam_salvage *salvage = finder->salvage;
    for (uint32_t i = 0; i < finder->top->leaf_count; i++) {
        clash_leaf *leaf = &finder->leaves[i];
        size_t index = finder->top->first_leaf + i;
        const lam_page_survey *survey = lam_salvage_survey_of(salvage, finder->row_group, index);
        lam_column_cursor *cursor;
        lam_leaf_feed_stop(&leaf->feed);
        lam_salvage_losses_begin(&leaf->losses, salvage, finder->row_group, index);
        if ((salvage->options.leaves != NULL && !salvage->options.leaves[index]) ||
            (survey != NULL && survey->lost_rows == survey->row_count))
            continue;
        LAM_TRY(lam_reader_open_cursor(&salvage->reader, finder->row_group, index, &cursor, error));
        lam_leaf_feed_start(&leaf->feed, cursor, leaf->column.leaf);
    }
    return LAM_STATUS_OK;
}

static lam_status compare_row_group(clash_finder *finder, lam_error *error) {
    const lam_field *top = finder->top;
    lam_buffer_clear(&finder->bounds);
    LAM_TRY(lam_salvage_bounds(finder->salvage, finder->row_group, top->first_leaf, top->leaf_count,
                               &finder->bounds, error));
    const uint64_t *rows = (const uint64_t *)(const void *)finder->bounds.data;
    size_t count = finder->bounds.size / sizeof *rows;
    for (size_t i = 0; i + 1 < count; i++)
        if (rows[i] < rows[i + 1])
            LAM_TRY(compare_salvaged_rows(finder, rows[i], rows[i + 1], error));
    return LAM_STATUS_OK;
}

/* --- Top-level fields ---------------------------------------------------------------------- */

/* Whether levels of the field can contradict each other. */
static bool can_clash(const lam_schema *schema, const lam_field *top) {
    for (uint32_t i = top->first_leaf; i < top->first_leaf + top->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        if (leaf->max_repetition > 0)
            return true;
        if (i > top->first_leaf &&
            lam_common_field(lam_leaf_at(schema, i - 1), leaf)->max_definition > 0)
            return true;
    }
    return false;
}

static void init_clash_leaf(clash_leaf *leaf, const lam_field *field,
                            const lam_allocator *allocator) {
    lam_slot_column_init(&leaf->column, field, field);
    leaf->map.leaf = field;
    leaf->map.source = (int32_t)field->first_leaf;
    leaf->map.is_same = true;
    lam_leaf_feed_init(&leaf->feed, &leaf->map, allocator);
}

/* Compares the leaves of a top-level field in a row group. */
static lam_status compare_field(clash_finder *finder, const lam_field *top, lam_error *error) {
    const lam_salvage *salvage = finder->salvage;
    LAM_TRY(LAM_ARRAY(&salvage->allocator, top->leaf_count, &finder->leaves, error));
    finder->top = top;
    finder->clashes = 0;
    for (uint32_t i = 0; i < top->leaf_count; i++)
        init_clash_leaf(&finder->leaves[i],
                        lam_leaf_at(salvage->reader.schema, top->first_leaf + i),
                        &salvage->allocator);
    lam_status status = start_clash_leaves(finder, error);
    if (status == LAM_STATUS_OK)
        status = compare_row_group(finder, error);
    for (uint32_t i = 0; i < top->leaf_count; i++)
        lam_leaf_feed_finish(&finder->leaves[i].feed);
    lam_free(&salvage->allocator, finder->leaves, top->leaf_count * sizeof(clash_leaf));
    return status;
}

static lam_status compare_all(clash_finder *finder, lam_error *error) {
    const lam_schema *schema = finder->salvage->reader.schema;
    const lam_field *root = lam_schema_root(schema);
    size_t groups = finder->salvage->reader.footer.meta.row_groups.count;
    for (finder->row_group = 0; finder->row_group < groups; finder->row_group++)
        for (size_t i = 0; i < root->child_count; i++) {
            const lam_field *top = lam_child_at(root, i);
            lam_status status = LAM_STATUS_OK;
            if (can_clash(schema, top))
                status = compare_field(finder, top, error);
            if (status != LAM_STATUS_OK)
                lam_error_at_leaf(error, finder->row_group, lam_leaf_at(schema, top->first_leaf));
            LAM_TRY(status);
        }
    return LAM_STATUS_OK;
}

lam_status lam_salvage_find_clashes(lam_salvage *salvage, lam_error *error) {
    clash_finder finder = {.salvage = salvage};
    LAM_TRY(LAM_ARRAY(&salvage->allocator, CLASH_ROWS, &finder.fields, error));
    lam_buffer_init(&finder.bounds, &salvage->allocator);
    lam_status status = compare_all(&finder, error);
    lam_buffer_finish(&finder.bounds);
    lam_free(&salvage->allocator, finder.fields, CLASH_ROWS * sizeof *finder.fields);
    return status;
}
