/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unites the schemas of several named files, one after the other, with notices about the union.
 *
 * The files whose schemas changed the union are kept, so that messages can name the one that
 * brought a type. The invariant: the union can hold the rows of each of these schemas.
 */
#include <lamella/dataset.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"
#include "base/options.h"
#include "dataset/union/leaf_map.h"
#include "schema/schema_union.h"

/* A file that changed the union. */
typedef struct union_file {
    lam_schema *schema; /* held */
    const char *name;
} union_file;

struct lam_union {
    lam_allocator allocator;
    lam_clash on_clash;
    lam_schema *schema; /* held; NULL: no file yet */
    LAM_LIST(union_file) files;
    LAM_LIST(lam_union_notice) notices;
    lam_arena arena; /* texts */
};

/* A schema on its way into the union. */
typedef struct union_step {
    lam_union *all;
    const char *name; /* of its file, in the arena */
} union_step;

lam_status lam_union_create(const lam_union_options *given, const lam_allocator *allocator,
                            lam_union **ret_union, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_union_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_union_options, given, &options, error));
    if ((unsigned)options.on_clash > LAM_CLASH_ERROR)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown treatment %d of clashes",
                 (int)options.on_clash);
    lam_union *all;
    LAM_TRY(LAM_NEW(&own, &all, error));
    all->allocator = own;
    all->on_clash = options.on_clash;
    LAM_LIST_INIT(&all->files, &own);
    LAM_LIST_INIT(&all->notices, &own);
    lam_arena_init(&all->arena, &own, 0);
    *ret_union = all;
    return LAM_STATUS_OK;
}

void lam_union_destroy(lam_union *all) {
    if (all == NULL)
        return;
    lam_allocator allocator = all->allocator;
    for (size_t i = 0; i < all->files.count; i++)
        lam_schema_destroy(all->files.items[i].schema);
    lam_schema_destroy(all->schema);
    LAM_LIST_FINISH(&all->files);
    LAM_LIST_FINISH(&all->notices);
    lam_arena_finish(&all->arena);
    lam_free(&allocator, all, sizeof *all);
}

const lam_schema *lam_union_schema(const lam_union *all) {
    return all == NULL ? NULL : all->schema;
}

/* --- Notices ------------------------------------------------------------------------------- */

static lam_status keep_union_text(lam_union *all, const char *text, const char **ret_text,
                                  lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(&all->arena, text, strlen(text), &copy, error));
    *ret_text = copy;
    return LAM_STATUS_OK;
}

/* The field of another schema of the same union; NULL when it has none, or one without values. */
static const lam_field *find_like(const lam_schema *schema, const lam_field *field) {
    const lam_field *path[LAM_SCHEMA_DEPTH_MAX], *at = lam_schema_root(schema);
    size_t depth = field->depth;
    for (; field->index != 0; field = lam_parent_of(field))
        path[field->depth - 1] = field;
    for (size_t i = 0; i < depth && at != NULL; i++)
        at = lam_leaf_map_step(at, path[i]);
    return at == NULL || lam_field_is_nothing(at) ? NULL : at;
}

/* The file that first had a field of the union, and the field there. */
static const lam_field *find_first_file(const lam_union *all, const lam_field *field,
                                        const char **ret_name) {
    for (size_t i = 0; i < all->files.count; i++) {
        const lam_field *found = find_like(all->files.items[i].schema, field);
        if (found == NULL)
            continue;
        *ret_name = all->files.items[i].name;
        return found;
    }
    *ret_name = all->files.items[0].name;
    return field;
}

/* As lam_schema_pair.note. */
static lam_status note_clash(void *state, const lam_field *first, const lam_field *second,
                             lam_error *error) {
    const union_step *step = state;
    lam_union *all = step->all;
    lam_union_notice notice = lam_union_notice_default();
    const lam_field *earlier = find_first_file(all, first, &notice.names[0]);
    size_t size = lam_field_path(first, NULL, 0) + 1;
    void *memory;
    notice.became = all->on_clash;
    notice.names[1] = step->name;
    LAM_TRY(lam_arena_alloc(&all->arena, size, &memory, error));
    (void)lam_field_path(first, memory, size);
    notice.path = memory;
    LAM_TRY(keep_union_text(all, lam_field_type_text(earlier).text, &notice.types[0], error));
    LAM_TRY(keep_union_text(all, lam_field_type_text(second).text, &notice.types[1], error));
    return LAM_LIST_ADD(&all->notices, &notice, error);
}

static lam_status note_unrelated(const union_step *step, lam_error *error) {
    lam_union *all = step->all;
    lam_union_notice notice = lam_union_notice_default();
    notice.kind = LAM_UNION_NOTICE_UNRELATED;
    notice.names[0] = all->files.items[0].name;
    notice.names[1] = step->name;
    return LAM_LIST_ADD(&all->notices, &notice, error);
}

size_t lam_union_notice_count(const lam_union *all) {
    return all == NULL ? 0 : all->notices.count;
}

lam_status lam_union_notice_at(const lam_union *all, size_t index, lam_union_notice *ret_notice,
                               lam_error *error) {
    const size_t count = lam_union_notice_count(all);
    if (index >= count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no notice %zu: there are %zu", index, count);
    return LAM_INFO_WRITE(lam_union_notice, &all->notices.items[index], ret_notice, error);
}

/* --- Adding -------------------------------------------------------------------------------- */

/* A schema that does not fit the union does not fit that of some file: which one? */
static lam_status blame_united_file(const lam_union *all, const lam_schema_pair *given,
                                    lam_status status, lam_error *error) {
    lam_schema_pair pair = *given;
    pair.note = NULL;
    for (size_t i = 0; i < all->files.count; i++) {
        lam_schema *united = NULL;
        lam_error failure = lam_error_none();
        pair.first = all->files.items[i].schema;
        pair.first_name = all->files.items[i].name;
        lam_status found = lam_schema_unite(&pair, &all->allocator, &united, &failure);
        lam_schema_destroy(united);
        if (found != LAM_STATUS_INVALID)
            continue;
        if (error != NULL)
            *error = failure;
        return found;
    }
    return status;
}

static lam_status unite_schema(const union_step *step, const lam_schema *schema,
                               lam_schema **ret_schema, lam_error *error) {
    lam_union *all = step->all;
    if (all->schema == NULL) {
        *ret_schema = lam_schema_share(schema);
        return LAM_STATUS_OK;
    }
    const lam_schema_pair pair = {all->schema,   schema,     "the files before",     step->name,
                                  all->on_clash, note_clash, (void *)(uintptr_t)step};
    lam_status status = lam_schema_unite(&pair, &all->allocator, ret_schema, error);
    if (status == LAM_STATUS_INVALID)
        return blame_united_file(all, &pair, status, error);
    if (status == LAM_STATUS_OK && !lam_schema_shares_fields(all->schema, schema)) {
        status = note_unrelated(step, error);
        if (status != LAM_STATUS_OK)
            lam_schema_destroy(*ret_schema);
    }
    return status;
}

lam_status lam_union_add(lam_union *all, const lam_schema *schema, const char *name,
                         lam_error *error) {
    union_step step = {all, NULL};
    union_file file = {NULL, NULL};
    lam_schema *united;
    LAM_TRY(lam_schema_require(schema, error));
    if (all == NULL || name == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no union, or no name (NULL)");
    size_t notices = all->notices.count;
    LAM_TRY(LAM_LIST_RESERVE(&all->files, 1, error));
    LAM_TRY(keep_union_text(all, name, &step.name, error));
    lam_status status = unite_schema(&step, schema, &united, error);
    if (status != LAM_STATUS_OK) {
        all->notices.count = notices;
        return status;
    }
    if (united == all->schema) {
        lam_schema_destroy(united);
        return LAM_STATUS_OK;
    }
    lam_schema_destroy(all->schema);
    all->schema = united;
    file = (union_file){lam_schema_share(schema), step.name};
    return LAM_LIST_ADD(&all->files, &file, error);
}
