/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides about rows in which columns are lost: divides the rows by the losses of all columns into
 * ranges, and says for each of their leaves whether it is read, null, or its rows are left out.
 *
 *     optional group a { required b; repeated group c { required d; optional e } }
 *     lost   null                      known by
 *     b      a                         each row has one
 *     d      a, as no field around it  each row has one
 *            below a may be null
 *     e      e                         the levels of d
 *     d, e   a
 *
 * The invariant: the position of each null is known. The nearest group around it that may be
 * missing or repeated has a readable leaf, whose levels are cut to that group; or there is no such
 * group. (Dremel paper, section 4.1)
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "damage/salvage/salvage_losses.h"
#include "schema/tree.h"

/* The decision about one range of rows. */
typedef struct salvage_planner {
    lam_salvage *salvage;
    bool *relaxed; /* by field: becomes optional in the output */
    lam_salvage_leaf *leaves;
    lam_salvage_losses *losses; /* by leaf, at the current rows */
    size_t leaf_count;
} salvage_planner;

/* --- Positions of nulls -------------------------------------------------------------------- */

static bool has_intact_leaf(const salvage_planner *planner, const lam_field *field,
                            int32_t *ret_leaf) {
    for (uint32_t i = field->first_leaf; i < field->first_leaf + field->leaf_count; i++) {
        if (planner->leaves[i].is_lost)
            continue;
        *ret_leaf = (int32_t)i;
        return true;
    }
    return false;
}

/*
 * Finds the leaf that shows where a field is: a readable one below the nearest group around it that
 * is not required. False when there is none; -1 for a field that occurs once in each row.
 */
static bool find_guide(const salvage_planner *planner, const lam_field *field, int32_t *ret_guide) {
    const lam_field *group = lam_parent_of(field);
    while (group->index != 0 && group->repetition == LAM_REPETITION_REQUIRED)
        group = lam_parent_of(group);
    *ret_guide = -1;
    return group->index == 0 || has_intact_leaf(planner, group, ret_guide);
}

/* The field that is lost with a leaf: all of a VARIANT, whose columns explain each other. */
static const lam_field *lost_field(const lam_field *leaf) {
    const lam_field *lost = leaf;
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        if (field->logical_type.kind == LAM_LOGICAL_VARIANT)
            lost = field;
    return lost;
}

static bool may_be_null(const salvage_planner *planner, const lam_field *field) {
    return field->repetition == LAM_REPETITION_OPTIONAL ||
           (field->repetition != LAM_REPETITION_REPEATED && planner->relaxed[field->index]);
}

/* The nearest field around a lost leaf that may be null, and whose position is known. */
static const lam_field *find_null(const salvage_planner *planner, const lam_field *leaf,
                                  int32_t *ret_guide) {
    for (const lam_field *at = lost_field(leaf); at->index != 0; at = lam_parent_of(at))
        if (may_be_null(planner, at) && find_guide(planner, at, ret_guide))
            return at;
    return NULL;
}

/* The key of a MAP stays required. (LogicalTypes.md, "Maps") */
static bool is_map_key(const lam_field *field) {
    return field->ordinal == 0 &&
           lam_parent_of(lam_parent_of(field))->logical_type.kind == LAM_LOGICAL_MAP;
}

/* A field to make optional, so that a leaf may be null; NULL when there is none. */
static const lam_field *find_relaxable(const salvage_planner *planner, const lam_field *leaf) {
    int32_t guide;
    for (const lam_field *at = lost_field(leaf); at->index != 0; at = lam_parent_of(at))
        if (at->repetition != LAM_REPETITION_REPEATED && !is_map_key(at) &&
            find_guide(planner, at, &guide))
            return at;
    return NULL;
}

/* --- One range of rows --------------------------------------------------------------------- */

/* Makes a field null: the leaves below it, unless a group around it is null already. */
static void make_null(salvage_planner *planner, const lam_field *field, int32_t guide) {
    const lam_schema *schema = planner->salvage->reader.schema;
    for (uint32_t i = field->first_leaf; i < field->first_leaf + field->leaf_count; i++) {
        lam_salvage_leaf *leaf = &planner->leaves[i];
        if (leaf->null_field != 0 && schema->fields[leaf->null_field].depth <= field->depth)
            continue;
        leaf->null_field = field->index;
        leaf->guide = guide;
    }
}

static size_t count_lost(const salvage_planner *planner) {
    size_t lost = 0;
    for (size_t i = 0; i < planner->leaf_count; i++)
        lost += planner->leaves[i].is_lost;
    return lost;
}

/* Decides for rows with lost leaves; true when they are left out. */
static bool is_left_out(salvage_planner *planner) {
    const lam_schema *schema = planner->salvage->reader.schema;
    size_t read = 0;
    if (planner->salvage->options.manner == LAM_SALVAGE_LEAVE_OUT)
        return true;
    for (size_t i = 0; i < planner->leaf_count; i++) {
        int32_t guide;
        if (!planner->leaves[i].is_lost)
            continue;
        const lam_field *field = find_null(planner, lam_leaf_at(schema, i), &guide);
        if (field == NULL)
            return true;
        make_null(planner, field, guide);
    }
    for (size_t i = 0; i < planner->leaf_count; i++)
        read += planner->leaves[i].null_field == 0;
    return read == 0;
}

/* Marks the fields that must become optional for rows with lost leaves. */
static void relax(salvage_planner *planner) {
    const lam_schema *schema = planner->salvage->reader.schema;
    if (count_lost(planner) == planner->leaf_count)
        return;
    for (size_t i = 0; i < planner->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i), *field;
        int32_t guide;
        if (!planner->leaves[i].is_lost || find_null(planner, leaf, &guide) != NULL)
            continue;
        field = find_relaxable(planner, leaf);
        if (field != NULL)
            planner->relaxed[field->index] = true;
    }
}

/* --- All rows ------------------------------------------------------------------------------ */

/* Marks the leaves that are lost at a row; rows of a row group come in order. */
static void mark_lost(salvage_planner *planner, uint64_t row) {
    memset(planner->leaves, 0, planner->leaf_count * sizeof *planner->leaves);
    for (size_t leaf = 0; leaf < planner->leaf_count; leaf++)
        planner->leaves[leaf].is_lost = lam_salvage_losses_have(&planner->losses[leaf], row);
}

/* Adds a range of rows, with the decision about them. */
static lam_status add_salvage_range(salvage_planner *planner, size_t row_group, uint64_t begin,
                                    uint64_t end, lam_error *error) {
    lam_salvage *salvage = planner->salvage;
    size_t lost = count_lost(planner), given_up = 0;
    lam_salvage_range rows = {row_group, begin, end, lost, false, SIZE_MAX};
    lam_salvage_report *report = &salvage->report;
    if (lost > 0) {
        rows.is_left_out = is_left_out(planner);
        rows.leaves = salvage->leaves.count;
        LAM_TRY(LAM_LIST_APPEND(&salvage->leaves, planner->leaves, planner->leaf_count, error));
    }
    for (size_t i = 0; i < planner->leaf_count; i++)
        given_up +=
            !planner->leaves[i].is_lost && (rows.is_left_out || planner->leaves[i].null_field != 0);
    report->row_count += end - begin;
    report->rows_left_out += rows.is_left_out ? end - begin : 0;
    report->cells += (end - begin) * planner->leaf_count;
    report->cells_lost += (end - begin) * lost;
    report->cells_given_up += (end - begin) * given_up;
    return LAM_LIST_ADD(&salvage->ranges, &rows, error);
}

/* Calls for each range of a row group; `relaxes` only finds out what must become optional. */
static lam_status plan_salvaged_group(salvage_planner *planner, size_t row_group, bool relaxes,
                                      lam_buffer *bounds, lam_error *error) {
    lam_buffer_clear(bounds);
    LAM_TRY(lam_salvage_bounds(planner->salvage, row_group, 0, (uint32_t)planner->leaf_count,
                               bounds, error));
    const uint64_t *rows = (const uint64_t *)(const void *)bounds->data;
    size_t count = bounds->size / sizeof *rows;
    for (size_t leaf = 0; leaf < planner->leaf_count; leaf++)
        lam_salvage_losses_begin(&planner->losses[leaf], planner->salvage, row_group, leaf);
    for (size_t i = 0; i + 1 < count; i++) {
        if (rows[i] == rows[i + 1])
            continue;
        mark_lost(planner, rows[i]);
        if (relaxes)
            relax(planner);
        else
            LAM_TRY(add_salvage_range(planner, row_group, rows[i], rows[i + 1], error));
    }
    return LAM_STATUS_OK;
}

static lam_status plan_all(salvage_planner *planner, bool relaxes, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_buffer bounds;
    lam_buffer_init(&bounds, &planner->salvage->allocator);
    size_t groups = planner->salvage->reader.footer.meta.row_groups.count;
    for (size_t i = 0; i < groups && status == LAM_STATUS_OK; i++)
        status = plan_salvaged_group(planner, i, relaxes, &bounds, error);
    lam_buffer_finish(&bounds);
    return status;
}

/* --- The schema of the output -------------------------------------------------------------- */

/* Copies a field with all below it; a schema is at most 250 levels deep. */
static lam_status copy_relaxed(lam_schema_builder *builder, const lam_field *field,
                               const bool *relaxed, lam_error *error) {
    lam_field_options options = lam_options_of_field(field);
    lam_repetition repetition =
        relaxed[field->index] ? LAM_REPETITION_OPTIONAL : (lam_repetition)field->repetition;
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        return lam_schema_builder_add_leaf(builder, field->name, repetition,
                                           (lam_physical_type)field->physical_type, &options,
                                           error);
    LAM_TRY(lam_schema_builder_begin_group(builder, field->name, repetition, &options, error));
    for (size_t i = 0; i < field->child_count; i++)
        LAM_TRY(copy_relaxed(builder, lam_child_at(field, i), relaxed, error));
    return lam_schema_builder_end_group(builder, error);
}

static lam_status make_relaxed_schema(const lam_salvage *salvage, const bool *relaxed,
                                      lam_schema **ret_schema, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_schema_builder *builder;
    const lam_field *root = lam_schema_root(salvage->reader.schema);
    LAM_TRY(lam_schema_builder_create(root->name, &salvage->allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < root->child_count; i++)
        LAM_TRY_OUT(copy_relaxed(builder, lam_child_at(root, i), relaxed, error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

/* A footer has no checksum: of a damaged one row groups may be gone. */
static uint64_t count_unknown_rows(const lam_reader *reader) {
    int64_t stated = reader->footer.meta.num_rows;
    bool is_more = stated >= 0 && (uint64_t)stated > reader->row_count;
    return is_more ? (uint64_t)stated - reader->row_count : 0;
}

static void count_damage(lam_salvage *salvage) {
    salvage->report.rows_unknown = count_unknown_rows(&salvage->reader);
    for (size_t i = 0; i < salvage->survey_count; i++) {
        const lam_page_survey *survey = salvage->surveys[i];
        size_t count;
        if (survey == NULL)
            continue;
        const lam_page_loss *losses = lam_page_survey_losses(survey, &count);
        salvage->report.pages_unplaced += survey->unplaced_pages;
        salvage->report.headers_repaired += survey->repaired;
        salvage->report.bytes_unknown += survey->unknown_bytes;
        for (size_t k = 0; k < count; k++)
            salvage->report.pages_damaged += losses[k].pages;
    }
}

static lam_status plan_with(salvage_planner *planner, lam_error *error) {
    lam_salvage *salvage = planner->salvage;
    bool relaxes = salvage->options.manner == LAM_SALVAGE_OPTIONAL;
    if (relaxes)
        LAM_TRY(plan_all(planner, true, error));
    LAM_TRY(plan_all(planner, false, error));
    if (relaxes)
        return make_relaxed_schema(salvage, planner->relaxed, &salvage->schema, error);
    salvage->schema = lam_schema_share(salvage->reader.schema);
    return LAM_STATUS_OK;
}

lam_status lam_salvage_plan(lam_salvage *salvage, lam_error *error) {
    lam_status status;
    const lam_schema *schema = salvage->reader.schema;
    lam_arena arena;
    salvage_planner planner = {.salvage = salvage, .leaf_count = schema->leaf_count};
    lam_arena_init(&arena, &salvage->allocator, 0);
    count_damage(salvage);
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, schema->field_count, &planner.relaxed, error));
    memset(planner.relaxed, 0, schema->field_count * sizeof(bool));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, schema->leaf_count, &planner.leaves, error));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, schema->leaf_count, &planner.losses, error));
    LAM_TRY_OUT(plan_with(&planner, error));
out:
    lam_arena_finish(&arena);
    return status;
}
