/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a file with fields that only other files have. In: a reader, the schema of all files, and
 * the leaves that are wanted of it. Out: a reader of the same bytes with another footer, in which
 * the wanted leaves that were missing are columns of nulls.
 *
 *     file      a  g { x }                  leaves   0  1
 *     all       b  g { y  x }  a            wanted   b  g.y
 *     shown     b  g { y  x }  a            leaves   -  -  1  0
 *
 * Fields are in the order of the schema of all files, so that files of different orders look alike.
 * The invariant: what the new footer states of the file's own columns is what the old one states,
 * by another number. (parquet.thrift, FileMetaData)
 */
#include <inttypes.h>
#include <lamella/constant.h>
#include <string.h>

#include "base/error.h"
#include "file/absent_chunk.h"
#include "file/extended_footer.h"
#include "file/field_union.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"

/* A leaf of the shown file. */
typedef struct shown_leaf {
    bool is_absent;
    size_t own;             /* its number in the file */
    lam_absent_leaf absent; /* else */
} shown_leaf;

/* The new end of a file while it is made. */
typedef struct shown_footer {
    const lam_reader *reader;
    const lam_schema *all;
    const bool *wanted; /* by leaf of `all` */
    lam_arena arena;    /* the footer as structs, under the memory limit */
    lam_meta_file meta;
    lam_meta_schema_element_list all_elements;
    lam_meta_schema_element *elements;
    size_t element_count;
    shown_leaf *leaves;
    size_t leaf_count;
    bool has_changed;
    lam_buffer tail;
} shown_footer;

/* --- The schema ---------------------------------------------------------------------------- */

static void show_element(shown_footer *footer, const lam_meta_schema_element *element) {
    footer->elements[footer->element_count++] = *element;
}

static void show_own_leaf(shown_footer *footer, size_t own) {
    footer->has_changed = footer->has_changed || own != footer->leaf_count;
    footer->leaves[footer->leaf_count++] = (shown_leaf){.own = own};
}

/* A field of the file with all below it. */
static void show_subtree(shown_footer *footer, const lam_field *own) {
    for (size_t i = 0; i < own->subtree_size; i++)
        show_element(footer, &footer->meta.schema.items[own->index + i]);
    for (size_t i = 0; i < own->leaf_count; i++)
        show_own_leaf(footer, own->first_leaf + i);
}

static bool is_wanted(const shown_footer *footer, const lam_field *field) {
    for (size_t i = 0; i < field->leaf_count; i++)
        if (footer->wanted[field->first_leaf + i])
            return true;
    return false;
}

/* The names from below the root to a leaf, as the footer states them. */
static lam_status path_of_absent(shown_footer *footer, const lam_field *leaf,
                                 lam_meta_bytes_list *ret_path, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(&footer->arena, leaf->depth, sizeof(lam_bytes), &memory, error));
    lam_bytes *names = memory;
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        names[field->depth - 1] = (lam_bytes){(const uint8_t *)field->name, field->name_size};
    *ret_path = (lam_meta_bytes_list){names, leaf->depth};
    return LAM_STATUS_OK;
}

static lam_status show_absent_leaf(shown_footer *footer, const lam_field *leaf,
                                   const lam_absent_leaf *above, lam_error *error) {
    shown_leaf *shown = &footer->leaves[footer->leaf_count++];
    *shown = (shown_leaf){.is_absent = true, .absent = *above};
    shown->absent.physical_type = leaf->physical_type;
    return path_of_absent(footer, leaf, &shown->absent.path, error);
}

/*
 * A field that the file lacks, with the wanted leaves below it; all of them where the group means
 * nothing without one. `above` has the levels so far.
 */
static lam_status show_absent(shown_footer *footer, const lam_field *field, bool is_whole,
                              const lam_absent_leaf *above, lam_error *error) {
    lam_absent_leaf at = *above;
    size_t index = footer->element_count;
    bool is_first = at.max_definition == at.group->max_definition;
    show_element(footer, &footer->all_elements.items[field->index]);
    lam_meta_schema_element *element = &footer->elements[index];
    if (is_first && element->repetition_type == LAM_REPETITION_REQUIRED)
        element->repetition_type = LAM_REPETITION_OPTIONAL;
    at.max_definition += element->repetition_type != LAM_REPETITION_REQUIRED;
    at.max_repetition += element->repetition_type == LAM_REPETITION_REPEATED;
    footer->has_changed = true;
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        return show_absent_leaf(footer, field, &at, error);
    is_whole = is_whole || field->logical_type.kind == LAM_LOGICAL_VARIANT ||
               field->logical_type.kind == LAM_LOGICAL_MAP;
    element->num_children = 0;
    for (size_t i = 0; i < field->child_count; i++) {
        const lam_field *child = lam_child_at(field, i);
        if (!is_whole && !is_wanted(footer, child))
            continue;
        footer->elements[index].num_children++;
        LAM_TRY(show_absent(footer, child, is_whole, &at, error));
    }
    return LAM_STATUS_OK;
}

/* The first of several fields of one name. */
static bool is_first_of_name(const lam_field *group, const lam_field *child) {
    return lam_field_child_named(group, child->name, child->name_size) == child;
}

/* A group of the file, whose fields in `all` are those of `like`. */
static lam_status show_group(shown_footer *footer, const lam_field *own, const lam_field *like,
                             lam_error *error) {
    size_t index = footer->element_count;
    int32_t children = 0;
    const lam_absent_leaf above = {
        .group = own, .max_repetition = own->max_repetition, .max_definition = own->max_definition};
    show_element(footer, &footer->meta.schema.items[own->index]);
    for (size_t i = 0; i < like->child_count; i++) {
        const lam_field *child = lam_child_at(like, i);
        const lam_field *mine = lam_field_child_named(own, child->name, child->name_size);
        bool is_added = mine == NULL && lam_group_may_gain(own) && is_wanted(footer, child);
        if (!is_first_of_name(like, child) || (mine == NULL && !is_added))
            continue;
        children++;
        if (is_added)
            LAM_TRY(show_absent(footer, child, false, &above, error));
        else if (lam_fields_are_alike(mine, child))
            LAM_TRY(show_group(footer, mine, child, error));
        else
            show_subtree(footer, mine);
    }
    for (size_t i = 0; i < own->child_count; i++) {
        const lam_field *mine = lam_child_at(own, i);
        if (is_first_of_name(own, mine) &&
            lam_field_child_named(like, mine->name, mine->name_size) != NULL)
            continue;
        children++;
        show_subtree(footer, mine);
    }
    footer->elements[index].has |= LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    footer->elements[index].num_children = children;
    return LAM_STATUS_OK;
}

static lam_status show_schema(shown_footer *footer, lam_error *error) {
    const lam_schema *own = footer->reader->schema;
    void *memory;
    LAM_TRY(lam_meta_schema_export(footer->all, &footer->arena, &footer->all_elements, error));
    LAM_TRY(lam_arena_array(&footer->arena, own->field_count + footer->all->field_count,
                            sizeof(lam_meta_schema_element), &memory, error));
    footer->elements = memory;
    LAM_TRY(lam_arena_array(&footer->arena, own->leaf_count + footer->all->leaf_count,
                            sizeof(shown_leaf), &memory, error));
    footer->leaves = memory;
    LAM_TRY(show_group(footer, lam_schema_root(own), lam_schema_root(footer->all), error));
    footer->meta.schema =
        (lam_meta_schema_element_list){footer->elements, (uint32_t)footer->element_count};
    return LAM_STATUS_OK;
}

/* --- The rest of the footer ---------------------------------------------------------------- */

/* A list is complete or absent, so that leaves of a file without one have an empty union. */
static lam_status show_orders(shown_footer *footer, lam_error *error) {
    lam_meta_file *meta = &footer->meta;
    bool has_orders = (meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0;
    void *memory;
    LAM_TRY(lam_arena_array(&footer->arena, footer->leaf_count, sizeof(lam_meta_column_order),
                            &memory, error));
    lam_meta_column_order *orders = memory;
    for (size_t i = 0; i < footer->leaf_count; i++) {
        const shown_leaf *leaf = &footer->leaves[i];
        bool is_stated = has_orders && leaf->own < meta->column_orders.count;
        orders[i].kind = leaf->is_absent ? LAM_META_COLUMN_ORDER_TYPE
                         : is_stated     ? meta->column_orders.items[leaf->own].kind
                                         : LAM_META_UNION_EMPTY;
    }
    meta->column_orders.items = orders;
    meta->column_orders.count = (uint32_t)footer->leaf_count;
    meta->has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    return LAM_STATUS_OK;
}

/* Columns have other numbers; one that is none of the file stays none. */
static lam_status show_sorting(shown_footer *footer, lam_meta_sorting_column_list *sorting,
                               lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(&footer->arena, sorting->count, sizeof(lam_meta_sorting_column),
                            &memory, error));
    lam_meta_sorting_column *columns = memory;
    for (uint32_t i = 0; i < sorting->count; i++) {
        columns[i] = sorting->items[i];
        columns[i].column_idx = -1;
        for (size_t k = 0; k < footer->leaf_count && sorting->items[i].column_idx >= 0; k++)
            if (!footer->leaves[k].is_absent &&
                footer->leaves[k].own == (size_t)sorting->items[i].column_idx)
                columns[i].column_idx = (int32_t)k;
    }
    sorting->items = columns;
    return LAM_STATUS_OK;
}

static lam_status show_row_group(shown_footer *footer, size_t index, lam_meta_row_group *group,
                                 lam_error *error) {
    void *memory;
    size_t before = footer->tail.size;
    LAM_TRY(lam_arena_array(&footer->arena, footer->leaf_count, sizeof(lam_meta_column_chunk),
                            &memory, error));
    lam_meta_column_chunk *chunks = memory;
    for (size_t i = 0; i < footer->leaf_count; i++) {
        const shown_leaf *leaf = &footer->leaves[i];
        if (!leaf->is_absent)
            chunks[i] = group->columns.items[leaf->own];
        else
            LAM_TRY(lam_absent_chunk_write(footer->reader, index, &leaf->absent,
                                           footer->reader->footer.offset + footer->tail.size,
                                           &footer->arena, &footer->tail, &chunks[i], error));
    }
    group->columns = (lam_meta_column_chunk_list){chunks, (uint32_t)footer->leaf_count};
    lam_extended_add_size(&group->total_byte_size, footer->tail.size - before);
    lam_extended_add_size(&group->total_compressed_size, footer->tail.size - before);
    return show_sorting(footer, &group->sorting_columns, error);
}

/* Opening has checked that each row group has a chunk per leaf, and rows that are not negative. */
static lam_status show_row_groups(shown_footer *footer, lam_error *error) {
    lam_meta_row_group_list *list = &footer->meta.row_groups;
    void *memory;
    LAM_TRY(
        lam_arena_array(&footer->arena, list->count, sizeof(lam_meta_row_group), &memory, error));
    lam_meta_row_group *groups = memory;
    for (uint32_t i = 0; i < list->count; i++) {
        groups[i] = list->items[i];
        LAM_TRY(show_row_group(footer, i, &groups[i], error));
    }
    for (size_t i = 0; i < list->count * footer->leaf_count; i++) {
        const lam_meta_row_group *group = &groups[i / footer->leaf_count];
        lam_meta_column_chunk *chunks = (lam_meta_column_chunk *)(uintptr_t)group->columns.items;
        if (!footer->leaves[i % footer->leaf_count].is_absent)
            LAM_TRY(lam_extended_move_claim(&chunks[i % footer->leaf_count].meta_data,
                                            footer->reader->footer.offset, footer->tail.size,
                                            &footer->arena, error));
    }
    list->items = groups;
    return LAM_STATUS_OK;
}

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status show_footer(shown_footer *footer, lam_error *error) {
    LAM_TRY(lam_meta_read_file(footer->reader->footer.meta.bytes, &footer->arena, &footer->meta,
                               error));
    LAM_TRY(show_schema(footer, error));
    if (!footer->has_changed)
        return LAM_STATUS_OK;
    LAM_TRY(show_orders(footer, error));
    LAM_TRY(show_row_groups(footer, error));
    return lam_footer_write(&footer->meta, &footer->tail, error);
}

lam_status lam_reader_show_fields(const lam_reader *reader, const lam_schema *schema,
                                  const bool *leaves, lam_reader **ret_reader, lam_error *error) {
    LAM_TRY(lam_schema_require(schema, error));
    if (reader == NULL || leaves == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader, or no leaves (NULL)");
    shown_footer footer = {.reader = reader, .all = schema, .wanted = leaves};
    lam_arena_init(&footer.arena, &reader->allocator, (size_t)reader->memory_limit);
    lam_buffer_init(&footer.tail, &reader->allocator);
    lam_status status = show_footer(&footer, error);
    if (status == LAM_STATUS_OK && footer.has_changed)
        status = lam_extended_open(reader, &footer.tail, ret_reader, error);
    else if (status == LAM_STATUS_OK)
        *ret_reader = NULL;
    lam_buffer_finish(&footer.tail);
    lam_arena_finish(&footer.arena);
    return status;
}
