/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lists of paths and marks the leaves that they select. Takes a text from anyone, and gives
 * items, or marks of leaves.
 *
 *     *, !user     in a schema with id, user.a and user.b
 *     *            id  user.a  user.b
 *     !user        id
 *
 * Selected leaves are always marked before those that are left out, so the order of a list does not
 * matter.
 */
#include "schema/path_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"

/* --- Reading ------------------------------------------------------------------------------- */

lam_status lam_path_item_locate(const lam_path_item *item, const char *text, lam_status status,
                                lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        lam_error_at_character(text, item->offset, error);
    return status;
}

/* Takes one path, and the sign before it. */
static lam_status path_list_take(const char *text, size_t size, size_t *at, lam_arena *arena,
                                 lam_path_item *item, lam_error *error) {
    while (*at < size && lam_ascii_is_space(text[*at]))
        ++*at;
    item->offset = *at;
    item->excludes = *at < size && (text[*at] == '!' || text[*at] == '-');
    *at += item->excludes;
    return lam_path_read(text, size, at, LAM_PATH_IN_LIST, arena, &item->path, error);
}

lam_status lam_path_list_read(const char *text, size_t size, lam_arena *arena,
                              const lam_path_item **ret_items, size_t *ret_count,
                              lam_error *error) {
    size_t most = 1, count = 0, at = 0, good = lam_utf8_prefix((const uint8_t *)text, size);
    if (good < size) {
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "the text is not UTF-8");
        lam_error_at_character(text, good, error);
        return LAM_STATUS_INVALID;
    }
    for (size_t i = 0; i < size; i++)
        most += text[i] == ',';
    lam_path_item *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, most, &items, error));
    for (;; at++) { /* after the comma */
        LAM_TRY(path_list_take(text, size, &at, arena, &items[count++], error));
        if (at >= size)
            break;
    }
    *ret_items = items;
    *ret_count = count;
    return LAM_STATUS_OK;
}

/* --- Selecting ----------------------------------------------------------------------------- */

/* Sets the leaves at and below all fields of a path. */
static lam_status path_list_mark(const lam_schema *schema, const lam_path *path, bool mark,
                                 bool *leaves, lam_error *error) {
    lam_path_search search;
    lam_path_match match;
    LAM_TRY(lam_path_search_start(&search, schema, path, 0, error));
    while (lam_path_search_next(&search, &match))
        lam_field_mark(match.field, mark, leaves);
    return LAM_STATUS_OK;
}

/* First the selected leaves, or all, then those that are left out. */
static lam_status path_list_select(const lam_schema *schema, const char *text, size_t size,
                                   lam_arena *arena, bool *leaves, lam_error *error) {
    const lam_path_item *items;
    size_t count, selected = 0;
    bool is_open = true;
    LAM_TRY(lam_path_list_read(text, size, arena, &items, &count, error));
    for (size_t i = 0; i < count; i++)
        is_open = is_open && items[i].excludes;
    memset(leaves, is_open, schema->leaf_count);
    for (int excludes = 0; excludes < 2; excludes++)
        for (size_t i = 0; i < count; i++)
            if (items[i].excludes == (excludes == 1))
                LAM_TRY(lam_path_item_locate(
                    &items[i], text,
                    path_list_mark(schema, &items[i].path, !items[i].excludes, leaves, error),
                    error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        selected += leaves[i];
    if (selected == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_SYNTAX, "character 1: no column is left");
    return LAM_STATUS_OK;
}

/* The marks are made in memory of their own, so that a failure leaves those of the caller alone. */
lam_status lam_schema_select_text(const lam_schema *schema, const char *text, size_t size,
                                  const lam_allocator *allocator, bool *leaves, lam_error *error) {
    lam_status status;
    lam_allocator chosen = lam_allocator_or_default(allocator);
    lam_arena arena;
    bool *marks;
    LAM_TRY(lam_schema_require(schema, error));
    lam_arena_init(&arena, &chosen, 0);
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, schema->leaf_count + 1, &marks, error));
    LAM_TRY_OUT(path_list_select(schema, text, size, &arena, marks, error));
    memcpy(leaves, marks, schema->leaf_count);
out:
    lam_arena_finish(&arena);
    return status;
}
