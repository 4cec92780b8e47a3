/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a projection of a list of paths: takes a text, and gives a projection, with the leaves of
 * the fields that are selected, and the paths into VARIANTs.
 *
 *     *, !event, event2.user.id       with VARIANTs event and event2
 *     *            all leaves
 *     event2...    all of event2 is selected already
 *     !event       without the leaves of event
 *
 * Paths that are left out are first removed from fields, then from VARIANTs, which go entirely,
 * with the paths into them. Any order of the same paths always gives the same projection.
 * (lamella/projection.h)
 */
#include <lamella/projection.h>

#include "base/alloc.h"
#include "base/error.h"
#include "schema/path_list.h"
#include "variant/shred/variant_projection.h"

/* A projection on its way. */
typedef struct projection_reader {
    lam_projection *projection;
    const char *text;
    const lam_path_item *items;
    size_t item_count;
    lam_arena arena;
    bool *leaves;  /* selected by fields */
    bool *without; /* left out */
} projection_reader;

/* Adds a path into a VARIANT, unless the VARIANT is left out. */
static lam_status projection_add_inside(projection_reader *reader, const lam_path_match *match,
                                        const lam_path_item *item, lam_error *error) {
    if (item->excludes)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a path into a VARIANT cannot be left out");
    if (reader->without[match->field->first_leaf])
        return LAM_STATUS_OK;
    return lam_projection_add_inside(reader->projection, match->field,
                                     item->path.words + match->used, item->path.count - match->used,
                                     error);
}

/* Takes an item: marks leaves of fields, and adds paths into VARIANTs if that is requested. */
static lam_status projection_take(projection_reader *reader, const lam_path_item *item, bool inside,
                                  lam_error *error) {
    lam_path_search search;
    lam_path_match match;
    LAM_TRY(lam_path_search_start(&search, reader->projection->schema, &item->path,
                                  LAM_PATH_INTO_VARIANTS, error));
    while (lam_path_search_next(&search, &match)) {
        bool is_whole = match.used == item->path.count;
        if (is_whole && !inside)
            lam_field_mark(match.field, true, item->excludes ? reader->without : reader->leaves);
        else if (!is_whole && inside)
            LAM_TRY(projection_add_inside(reader, &match, item, error));
    }
    return LAM_STATUS_OK;
}

/* Whether nothing is selected by name, so that the list begins with all fields. */
static bool projection_is_open(const projection_reader *reader) {
    for (size_t i = 0; i < reader->item_count; i++)
        if (!reader->items[i].excludes)
            return false;
    return true;
}

/* Moves the marks to the projection, which may have leaves of paths into VARIANTs already. */
static lam_status projection_finish(projection_reader *reader, lam_error *error) {
    lam_projection *projection = reader->projection;
    bool is_open = projection_is_open(reader), any = false;
    for (size_t i = 0; i < projection->schema->leaf_count; i++) {
        if ((reader->leaves[i] || is_open) && !reader->without[i]) {
            projection->leaves[i] = true;
            projection->needs[i] = LAM_NEED_ALWAYS;
        }
        any = any || projection->leaves[i];
    }
    if (!any)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no column is left");
    return LAM_STATUS_OK;
}

static lam_status projection_read(projection_reader *reader, size_t size, lam_error *error) {
    size_t room = reader->projection->schema->leaf_count + 1;
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, room, &reader->leaves, error));
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, room, &reader->without, error));
    LAM_TRY(lam_path_list_read(reader->text, size, &reader->arena, &reader->items,
                               &reader->item_count, error));
    for (int inside = 0; inside < 2; inside++)
        for (size_t i = 0; i < reader->item_count; i++)
            LAM_TRY(lam_path_item_locate(
                &reader->items[i], reader->text,
                projection_take(reader, &reader->items[i], inside == 1, error), error));
    return projection_finish(reader, error);
}

lam_status lam_projection_parse(const lam_schema *schema, const char *text, size_t size,
                                const lam_allocator *allocator, lam_projection **ret_projection,
                                lam_error *error) {
    lam_status status;
    lam_allocator chosen = lam_allocator_or_default(allocator);
    projection_reader reader = {.text = text};
    LAM_TRY(lam_projection_create(schema, allocator, &reader.projection, error));
    lam_arena_init(&reader.arena, &chosen, 0);
    LAM_TRY_OUT(projection_read(&reader, size, error));
    *ret_projection = reader.projection;
    reader.projection = NULL;
out:
    lam_arena_finish(&reader.arena);
    lam_projection_destroy(reader.projection);
    return status;
}
