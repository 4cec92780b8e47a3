/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a file with the fields of several: takes a reader, the schema into which its own was
 * united, and the leaves that are wanted from that, and gives a reader of the same bytes with
 * another footer, whose leaves have the types of the union, and nulls where the file has no values.
 *
 *     file      int64 a;  group g { x }            leaves   0  1
 *     all       b;  group g { y; x }  double a     wanted   b  g.y
 *     shown     b;  group g { y; x }  double a     leaves   -  -  1  0 as double
 *
 * Fields are in the order of the union, so that files of different orders look alike. The
 * invariant: a row of the shown file has the values of that row of the file. Chunks are derived
 * when they are read: showing reads only the footer.
 */
#include <lamella/dataset.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/union/leaf_chunk.h"
#include "dataset/union/shown_footer.h"
#include "file/read/extended_footer.h"
#include "schema/nesting.h"
#include "schema/schema_choose.h"
#include "schema/schema_union.h"
#include "schema/type_union.h"

typedef struct shown_view {
    lam_reader_view view;
    lam_allocator allocator;
    const lam_reader *source; /* borrowed */
    lam_schema *all;          /* held: the union */
    lam_schema *schema;       /* held: the file that is shown */
    lam_leaf_mapping mapping; /* from the union to the file */
    lam_shown_leaf *leaves;   /* by leaf of `schema` */
    uint32_t *numbers;        /* of these in the union */
} shown_view;

/* --- Which leaves -------------------------------------------------------------------------- */

static void mark_all_below(const lam_field *field, bool *marks) {
    for (size_t i = 0; i < field->leaf_count; i++)
        marks[field->first_leaf + i] = true;
}

static bool is_any_wanted(const lam_field *field, const bool *wanted) {
    for (size_t i = 0; i < field->leaf_count; i++)
        if (wanted[field->first_leaf + i])
            return true;
    return false;
}

/* A group that is meaningless without one of its leaves. */
static bool is_shown_whole(const lam_field *field) {
    lam_logical_kind kind = field->logical_type.kind;
    return kind == LAM_LOGICAL_VARIANT || kind == LAM_LOGICAL_MAP ||
           kind == LAM_LOGICAL_MAP_KEY_VALUE;
}

/* Marks the wanted leaves of a field that the file lacks. */
static void mark_absent(const lam_field *field, const bool *wanted, bool *marks) {
    if (!is_any_wanted(field, wanted))
        return;
    if (!lam_is_group(field) || is_shown_whole(field)) {
        mark_all_below(field, marks);
        return;
    }
    for (size_t i = 0; i < field->child_count; i++)
        mark_absent(lam_child_at(field, i), wanted, marks);
}

/* Marks the wanted leaves, and those that the file has, below two groups that are the same. */
static void mark_group(const lam_field *all, const lam_field *own, const bool *wanted,
                       bool *marks) {
    for (size_t i = 0; i < all->child_count; i++) {
        const lam_field *child = lam_child_at(all, i), *mine = lam_leaf_map_step(own, child);
        bool goes_on = mine != NULL && lam_is_group(child) && lam_is_group(mine) &&
                       child->logical_type.kind != LAM_LOGICAL_VARIANT;
        if (mine == NULL)
            mark_absent(child, wanted, marks);
        else if (goes_on)
            mark_group(child, mine, wanted, marks);
        else
            mark_all_below(child, marks);
    }
}

static lam_status choose_shown(shown_view *view, const bool *wanted, bool *marks,
                               lam_error *error) {
    size_t count = view->all->leaf_count;
    if (wanted == NULL)
        memset(marks, true, count);
    else
        mark_group(lam_schema_root(view->all), lam_schema_root(view->source->schema), wanted,
                   marks);
    return lam_schema_choose(view->all, marks, &view->allocator, &view->schema, error);
}

/* --- How they are read --------------------------------------------------------------------- */

static lam_shown_kind how_shown(const lam_leaf_map *map) {
    if (map->is_absent)
        return LAM_SHOWN_ABSENT;
    if (map->whole != NULL || (!map->is_same && map->change.how != LAM_VALUE_SAME))
        return LAM_SHOWN_CHANGED;
    return map->is_same ? LAM_SHOWN_OWN : LAM_SHOWN_LEVELS;
}

/* Statements about values of one type do not hold for another type with the same bytes. */
static bool means_alike(const lam_field *own, const lam_field *leaf) {
    const lam_leaf_type a = lam_leaf_type_of(own), b = lam_leaf_type_of(leaf);
    return lam_leaf_type_equals(&a, &b);
}

static void find_how(shown_view *view, size_t index, size_t number) {
    const lam_field *leaf = lam_leaf_at(view->schema, index);
    lam_leaf_map map;
    lam_leaf_map_fill(&map, &view->mapping, number, leaf);
    lam_shown_leaf *shown = &view->leaves[index];
    *shown = (lam_shown_leaf){.how = (uint8_t)how_shown(&map), .own = map.source};
    view->numbers[index] = (uint32_t)number;
    if (map.is_absent)
        shown->counts_nulls =
            map.source < 0 ||
            lam_leaf_at(view->source->schema, (size_t)map.source)->max_repetition ==
                map.max_repetition;
    else if (shown->how < LAM_SHOWN_CHANGED &&
             !means_alike(lam_leaf_at(view->source->schema, (size_t)map.source), leaf))
        shown->how = LAM_SHOWN_CHANGED;
}

static lam_status find_leaves(shown_view *view, const bool *marks, lam_error *error) {
    size_t count = view->schema->leaf_count, index = 0;
    LAM_TRY(LAM_ARRAY(&view->allocator, count + 1, &view->leaves, error));
    LAM_TRY(LAM_ARRAY(&view->allocator, count + 1, &view->numbers, error));
    view->mapping = lam_leaf_mapping_of(view->all, view->source->schema);
    for (size_t i = 0; i < view->all->leaf_count; i++)
        if (marks[i])
            find_how(view, index++, i);
    return LAM_STATUS_OK;
}

/* --- The view ------------------------------------------------------------------------------ */

static void shown_destroy(lam_reader_view *base) {
    shown_view *view = (shown_view *)(void *)base;
    lam_allocator allocator = view->allocator;
    size_t count = view->schema == NULL ? 0 : view->schema->leaf_count + 1;
    lam_free(&allocator, view->leaves, count * sizeof *view->leaves);
    lam_free(&allocator, view->numbers, count * sizeof *view->numbers);
    lam_schema_destroy(view->schema);
    lam_schema_destroy(view->all);
    lam_free(&allocator, view, sizeof *view);
}

static bool shown_derives(const lam_reader_view *base, size_t leaf_index) {
    const shown_view *view = (const shown_view *)(const void *)base;
    return view->leaves[leaf_index].how != LAM_SHOWN_OWN;
}

/* The file itself, with the memory, the stop and so on of the handle that reads. */
static lam_reader source_of_handle(const shown_view *view, const lam_reader *reader) {
    lam_reader source = *view->source;
    source.allocator = reader->allocator;
    source.memory_limit = reader->memory_limit;
    source.verify_crc = reader->verify_crc;
    source.stop = reader->stop;
    source.codecs = reader->codecs;
    return source;
}

static lam_status shown_derive(const lam_reader_view *base, const lam_reader *reader,
                               size_t row_group, size_t leaf_index, lam_derived_chunk **ret_chunk,
                               lam_error *error) {
    const shown_view *view = (const shown_view *)(const void *)base;
    lam_leaf_map map;
    const lam_reader source = source_of_handle(view, reader);
    const lam_derived_leaf leaf = {&source, row_group, view->all, view->numbers[leaf_index]};
    lam_leaf_map_fill(&map, &view->mapping, view->numbers[leaf_index],
                      lam_leaf_at(view->schema, leaf_index));
    return map.whole != NULL ? lam_whole_chunk_create(&leaf, &map, ret_chunk, error)
                             : lam_leaf_chunk_create(&leaf, &map, ret_chunk, error);
}

/* Anything else would not hold the values of the file. */
static lam_status check_union(const lam_reader *reader, const lam_schema *schema,
                              lam_error *error) {
    char path[96];
    lam_schema *both;
    const lam_field *leaf;
    LAM_TRY(lam_schema_find_beyond(schema, reader->schema, LAM_CLASH_STRING, &reader->allocator,
                                   &both, &leaf, error));
    if (both == NULL)
        return LAM_STATUS_OK;
    const lam_field *own = lam_schema_field_like(schema, leaf);
    lam_field_path(leaf, path, sizeof path);
    if (own == NULL)
        lam_error_set(error, LAM_STATUS_INVALID, "there is no place for its field '%s'", path);
    else
        lam_error_set(error, LAM_STATUS_INVALID, "field '%s' would have to be %s, and is %s", path,
                      lam_field_describe(leaf).text, lam_field_describe(own).text);
    lam_schema_destroy(both);
    return LAM_STATUS_INVALID;
}

/* Chooses what is shown; `*ret_differs` is false if that is the file as it is. */
static lam_status make_shown_view(const lam_reader *reader, const lam_schema *schema,
                                  const bool *wanted, shown_view **ret_view, bool *ret_differs,
                                  lam_error *error) {
    lam_status status;
    bool *marks = NULL;
    size_t count = schema->leaf_count + 1;
    shown_view *view;
    LAM_TRY(LAM_NEW(&reader->allocator, &view, error));
    view->view = (lam_reader_view){shown_derives, shown_derive, shown_destroy};
    view->allocator = reader->allocator;
    view->source = reader;
    view->all = lam_schema_share(schema);
    LAM_TRY_OUT(LAM_ARRAY(&view->allocator, count, &marks, error));
    LAM_TRY_OUT(choose_shown(view, wanted, marks, error));
    LAM_TRY_OUT(find_leaves(view, marks, error));
    *ret_differs = !lam_schema_same_shape(view->schema, reader->schema);
    *ret_view = view;
out:
    lam_free(&reader->allocator, marks, count * sizeof(bool));
    if (status != LAM_STATUS_OK)
        shown_destroy(&view->view);
    return status;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* The schema is the view's own, with more than a footer states. */
static lam_status show_view(shown_view *view, lam_reader **ret_reader, lam_error *error) {
    lam_buffer tail;
    lam_buffer_init(&tail, &view->allocator);
    lam_status status =
        lam_shown_footer_write(view->source, view->schema, view->leaves, &tail, error);
    if (status == LAM_STATUS_OK)
        status = lam_extended_open(view->source, &tail, ret_reader, error);
    lam_buffer_finish(&tail);
    if (status != LAM_STATUS_OK)
        return status;
    lam_schema_destroy((*ret_reader)->schema);
    (*ret_reader)->schema = lam_schema_share(view->schema);
    (*ret_reader)->view = &view->view;
    return LAM_STATUS_OK;
}

lam_status lam_reader_show(const lam_reader *reader, const lam_schema *schema, const bool *leaves,
                           lam_reader **ret_reader, lam_error *error) {
    shown_view *view = NULL;
    bool differs;
    LAM_TRY(lam_schema_require(schema, error));
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    LAM_TRY(check_union(reader, schema, error));
    LAM_TRY(make_shown_view(reader, schema, leaves, &view, &differs, error));
    if (!differs) {
        shown_destroy(&view->view);
        *ret_reader = NULL;
        return LAM_STATUS_OK;
    }
    lam_status status = show_view(view, ret_reader, error);
    if (status != LAM_STATUS_OK)
        shown_destroy(&view->view);
    return status;
}
