/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file's footer as if the file had other leaves: takes its footer, and for each leaf of
 * another schema how it is read, and gives a footer in which leaves that are read unchanged have
 * the same chunk under another number, and derived ones a chunk without pages.
 *
 *     file      a  g.x              own 0, own 1
 *     shown     b  g.y  g.x  a      absent, absent, own 1, changed 0
 *
 * The new footer always states the same about the file's chunks as the old one, and nothing about
 * values that change. (parquet.thrift, FileMetaData)
 */
#include "dataset/union/shown_footer.h"

#include <lamella/json.h>
#include <string.h>

#include "base/error.h"
#include "file/read/footer.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"
#include "schema/tree.h"
#include "text/number_text.h"

/* The new end of a file while it is made. */
typedef struct shown_footer {
    const lam_reader *reader;
    const lam_schema *schema;
    const lam_shown_leaf *leaves;
    lam_arena arena; /* the footer as structs, under the memory limit */
    lam_meta_file meta;
    lam_meta_bytes_list *paths; /* by leaf; empty if the file has the same names */
} shown_footer;

/* --- Columns ------------------------------------------------------------------------------- */

static bool has_same_path(const lam_field *a, const lam_field *b) {
    if (a->depth != b->depth)
        return false;
    for (; a->index != 0; a = lam_parent_of(a), b = lam_parent_of(b))
        if (a->name_size != b->name_size || memcmp(a->name, b->name, a->name_size) != 0)
            return false;
    return true;
}

/* The names from below the root to a leaf, as the footer states them. */
static lam_status make_path(shown_footer *footer, size_t index, lam_error *error) {
    const lam_field *leaf = lam_leaf_at(footer->schema, index);
    const lam_shown_leaf *shown = &footer->leaves[index];
    if (shown->how == LAM_SHOWN_OWN &&
        has_same_path(leaf, lam_leaf_at(footer->reader->schema, (size_t)shown->own)))
        return LAM_STATUS_OK;
    lam_bytes *names;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, leaf->depth, &names, error));
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        names[field->depth - 1] = (lam_bytes){(const uint8_t *)field->name, field->name_size};
    footer->paths[index] = (lam_meta_bytes_list){names, leaf->depth};
    return LAM_STATUS_OK;
}

static lam_status make_paths(shown_footer *footer, lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, footer->schema->leaf_count, &footer->paths, error));
    for (size_t i = 0; i < footer->schema->leaf_count; i++)
        LAM_TRY(make_path(footer, i, error));
    return LAM_STATUS_OK;
}

/* A list is complete or absent, so that leaves of a file without one have an empty union. */
static lam_status show_orders(shown_footer *footer, lam_error *error) {
    lam_meta_file *meta = &footer->meta;
    bool has_orders = (meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0;
    size_t count = footer->schema->leaf_count;
    lam_meta_column_order *orders;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, count, &orders, error));
    for (size_t i = 0; i < count; i++) {
        const lam_shown_leaf *leaf = &footer->leaves[i];
        bool is_own = leaf->how == LAM_SHOWN_OWN || leaf->how == LAM_SHOWN_LEVELS;
        bool is_stated = has_orders && (uint32_t)leaf->own < meta->column_orders.count;
        orders[i].kind = !is_own     ? LAM_META_COLUMN_ORDER_TYPE
                         : is_stated ? meta->column_orders.items[leaf->own].kind
                                     : LAM_META_UNION_EMPTY;
    }
    meta->column_orders.items = orders;
    meta->column_orders.count = (uint32_t)count;
    meta->has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    return LAM_STATUS_OK;
}

/* --- Chunks -------------------------------------------------------------------------------- */

/* Encoded values, and their positions, say nothing about the ones derived from them. */
static lam_status show_derived(shown_footer *footer, size_t index, const lam_meta_row_group *group,
                               lam_meta_column_chunk *ret_chunk, lam_error *error) {
    static const int32_t plain[] = {LAM_ENCODING_PLAIN};
    const lam_shown_leaf *leaf = &footer->leaves[index];
    const lam_meta_column *own = leaf->own < 0 ? NULL : group->columns.items[leaf->own].meta_data;
    lam_meta_column *column;
    LAM_TRY(LAM_ARENA_NEW(&footer->arena, &column, error));
    *column = (lam_meta_column){.type = lam_leaf_at(footer->schema, index)->physical_type,
                                .encodings = {plain, 1},
                                .path_in_schema = footer->paths[index],
                                .num_values = leaf->own < 0 ? group->num_rows
                                              : own == NULL ? 0
                                                            : own->num_values,
                                .data_page_offset = 4};
    if (leaf->how == LAM_SHOWN_LEVELS && own != NULL)
        column->statistics = own->statistics;
    if (leaf->how == LAM_SHOWN_ABSENT && leaf->counts_nulls) {
        lam_meta_statistics *statistics;
        LAM_TRY(LAM_ARENA_NEW(&footer->arena, &statistics, error));
        statistics->has = LAM_META_STATISTICS_HAS_NULL_COUNT;
        statistics->null_count = column->num_values;
        column->statistics = statistics;
    }
    *ret_chunk = (lam_meta_column_chunk){.meta_data = column};
    return LAM_STATUS_OK;
}

/* A chunk of the file, under the names of the shown leaf. */
static lam_status show_own(shown_footer *footer, size_t index, const lam_meta_row_group *group,
                           lam_meta_column_chunk *ret_chunk, lam_error *error) {
    *ret_chunk = group->columns.items[footer->leaves[index].own];
    if (footer->paths[index].count == 0 || ret_chunk->meta_data == NULL)
        return LAM_STATUS_OK;
    lam_meta_column *column;
    LAM_TRY(LAM_ARENA_NEW(&footer->arena, &column, error));
    *column = *ret_chunk->meta_data;
    column->path_in_schema = footer->paths[index];
    ret_chunk->meta_data = column;
    return LAM_STATUS_OK;
}

/* The first shown leaf that is read as each leaf of the file is; -1: none. */
static lam_status find_shown(shown_footer *footer, int32_t **ret_shown, lam_error *error) {
    size_t count = footer->reader->schema->leaf_count;
    int32_t *shown;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, count, &shown, error));
    for (size_t i = 0; i < count; i++)
        shown[i] = -1;
    for (size_t i = footer->schema->leaf_count; i > 0; i--)
        if (footer->leaves[i - 1].how <= LAM_SHOWN_LEVELS)
            shown[footer->leaves[i - 1].own] = (int32_t)(i - 1);
    *ret_shown = shown;
    return LAM_STATUS_OK;
}

/* Columns have other numbers; a column that the file lacks, or that changes, has none. */
static lam_status show_sorting(shown_footer *footer, const int32_t *shown,
                               lam_meta_sorting_column_list *sorting, lam_error *error) {
    lam_meta_sorting_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, sorting->count, &columns, error));
    for (uint32_t i = 0; i < sorting->count; i++) {
        int32_t own = sorting->items[i].column_idx;
        columns[i] = sorting->items[i];
        columns[i].column_idx =
            own < 0 || (size_t)own >= footer->reader->schema->leaf_count ? -1 : shown[own];
    }
    sorting->items = columns;
    return LAM_STATUS_OK;
}

static lam_status show_row_group(shown_footer *footer, const int32_t *shown,
                                 lam_meta_row_group *group, lam_error *error) {
    size_t count = footer->schema->leaf_count;
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, count, &chunks, error));
    for (size_t i = 0; i < count; i++)
        LAM_TRY(footer->leaves[i].how == LAM_SHOWN_OWN
                    ? show_own(footer, i, group, &chunks[i], error)
                    : show_derived(footer, i, group, &chunks[i], error));
    group->columns = (lam_meta_column_chunk_list){chunks, (uint32_t)count};
    return show_sorting(footer, shown, &group->sorting_columns, error);
}

/* Opening has checked that each row group has a chunk per leaf, and rows that are not negative. */
static lam_status show_row_groups(shown_footer *footer, const int32_t *shown, lam_error *error) {
    lam_meta_row_group_list *list = &footer->meta.row_groups;
    lam_meta_row_group *groups;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, list->count, &groups, error));
    for (uint32_t i = 0; i < list->count; i++) {
        groups[i] = list->items[i];
        LAM_TRY(show_row_group(footer, shown, &groups[i], error));
    }
    list->items = groups;
    return LAM_STATUS_OK;
}

/* --- Key-value metadata -------------------------------------------------------------------- */

/* Free JSON is marked by the numbers of leaves, with spaces between. (lamella/json.h) */
static lam_status show_free_json(shown_footer *footer, const int32_t *shown, lam_bytes *value,
                                 lam_error *error) {
    enum { DIGITS = 11 }; /* of a number, with a space */
    size_t count = footer->reader->schema->leaf_count, size = 0;
    const char *text = (const char *)value->data;
    void *memory;
    LAM_TRY(lam_arena_alloc(&footer->arena, (value->size / 2 + 1) * DIGITS, &memory, error));
    char *made = memory;
    for (size_t begin = 0, end; begin < value->size; begin = end + 1) {
        uint64_t leaf;
        for (end = begin; end < value->size && text[end] != ' ';)
            end++;
        if (!lam_uint64_parse(text + begin, end - begin, &leaf) || leaf >= count || shown[leaf] < 0)
            continue;
        if (size > 0)
            made[size++] = ' ';
        size += lam_uint64_print((uint64_t)shown[leaf], made + size);
    }
    *value = (lam_bytes){(const uint8_t *)made, size};
    return LAM_STATUS_OK;
}

static bool shown_key_is(const lam_meta_key_value *pair, const char *name) {
    size_t size = strlen(name);
    return pair->key.size == size && memcmp(pair->key.data, name, size) == 0;
}

/* An Arrow schema describes the file's own columns, and no others. */
static lam_status show_key_values(shown_footer *footer, const int32_t *shown, lam_error *error) {
    lam_meta_key_value_list *list = &footer->meta.key_value_metadata;
    uint32_t kept = 0;
    lam_meta_key_value *pairs;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, list->count, &pairs, error));
    for (uint32_t i = 0; i < list->count; i++) {
        if (shown_key_is(&list->items[i], "ARROW:schema"))
            continue;
        pairs[kept] = list->items[i];
        if (shown_key_is(&pairs[kept], LAM_JSON_FREE_KEY))
            LAM_TRY(show_free_json(footer, shown, &pairs[kept].value, error));
        kept++;
    }
    *list = (lam_meta_key_value_list){pairs, kept};
    return LAM_STATUS_OK;
}

/* --- The footer ---------------------------------------------------------------------------- */

static lam_status write_shown(shown_footer *footer, lam_buffer *tail, lam_error *error) {
    int32_t *shown = NULL;
    LAM_TRY(lam_meta_read_file(footer->reader->footer.meta.bytes, &footer->arena, &footer->meta,
                               error));
    LAM_TRY(lam_meta_schema_export(footer->schema, &footer->arena, &footer->meta.schema, error));
    LAM_TRY(make_paths(footer, error));
    LAM_TRY(find_shown(footer, &shown, error));
    LAM_TRY(show_orders(footer, error));
    LAM_TRY(show_row_groups(footer, shown, error));
    LAM_TRY(show_key_values(footer, shown, error));
    return lam_footer_write(&footer->meta, tail, error);
}

lam_status lam_shown_footer_write(const lam_reader *reader, const lam_schema *schema,
                                  const lam_shown_leaf *leaves, lam_buffer *tail,
                                  lam_error *error) {
    shown_footer footer = {.reader = reader, .schema = schema, .leaves = leaves};
    lam_arena_init(&footer.arena, &reader->allocator, (size_t)reader->memory_limit);
    lam_status status = write_shown(&footer, tail, error);
    lam_arena_finish(&footer.arena);
    return status;
}
