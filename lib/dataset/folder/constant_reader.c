/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a file with columns that it does not have: takes the input, and names with values, and
 * gives a reader of another file, which exists only in memory: the bytes of this one up to its
 * footer, chunks of the constants, and a footer with their fields and chunks after those of the
 * file.
 *
 *     | bytes of the file | chunks of row group 0, 1 ... | FileMetaData | size | PAR1 |
 *      from the input      in memory
 *
 * The file is opened as it is first, so that everything that opening demands is checked by then,
 * with the same errors. The invariant: the new footer states the same about the file's own columns
 * as the old one, and a chunk that reaches beyond the old footer reaches beyond the new one. If the
 * footer has no column orders, the new one has none for the constants. (parquet.thrift,
 * FileMetaData)
 */
#include <inttypes.h>
#include <lamella/constant.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/utf8.h"
#include "dataset/folder/constant_chunk.h"
#include "file/read/extended_footer.h"
#include "file/read/extended_input.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "schema/tree.h"

/* The new end of a file while it is made. */
typedef struct constant_footer {
    const lam_reader *reader;
    const lam_constant **constants; /* those without a field in the file */
    size_t constant_count;
    lam_arena arena; /* the footer as structs, under the memory limit */
    lam_meta_file meta;
    lam_buffer tail;
} constant_footer;

/* --- Constants ----------------------------------------------------------------------------- */

static lam_status constant_check(const lam_constant *constants, size_t index, lam_error *error) {
    const lam_constant *constant = &constants[index];
    const lam_bytes *text = &constant->value.bytes;
    if (constant->name == NULL || constant->name[0] == '\0')
        LAM_FAIL(error, LAM_STATUS_INVALID, "constant %zu has no name", index);
    size_t size = strlen(constant->name);
    if (lam_utf8_prefix((const uint8_t *)constant->name, size) != size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the name of constant %zu is not UTF-8", index);
    if ((unsigned)constant->type > LAM_CONSTANT_DATE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the constant '%s' has no type", constant->name);
    if (constant->type == LAM_CONSTANT_STRING && !constant->is_null &&
        lam_utf8_prefix(text->data, text->size) != text->size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the constant '%s' is not UTF-8", constant->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(constants[i].name, constant->name) == 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "the constant '%s' is there twice", constant->name);
    return LAM_STATUS_OK;
}

static bool constant_is_in_file(const lam_schema *schema, const lam_constant *constant) {
    return lam_field_child_named(lam_schema_root(schema), constant->name, strlen(constant->name)) !=
           NULL;
}

static lam_status constant_choose(constant_footer *footer, const lam_constant *constants,
                                  size_t count, lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, count, &footer->constants, error));
    for (size_t i = 0; i < count; i++)
        if (!constant_is_in_file(footer->reader->schema, &constants[i]))
            footer->constants[footer->constant_count++] = &constants[i];
    return LAM_STATUS_OK;
}

/* --- The footer ---------------------------------------------------------------------------- */

/* The fields of the constants are the last of the root. */
static lam_status extend_schema(constant_footer *footer, lam_error *error) {
    lam_meta_schema_element_list *schema = &footer->meta.schema;
    if (schema->count > (uint32_t)INT32_MAX - footer->constant_count)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "the schema has too many fields");
    size_t count = schema->count + footer->constant_count;
    lam_meta_schema_element *elements;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, count, &elements, error));
    memcpy(elements, schema->items, schema->count * sizeof *elements);
    elements[0].has |= LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    elements[0].num_children += (int32_t)footer->constant_count;
    for (size_t i = 0; i < footer->constant_count; i++)
        elements[schema->count + i] = lam_constant_element(footer->constants[i]);
    *schema = (lam_meta_schema_element_list){elements, (uint32_t)count};
    return LAM_STATUS_OK;
}

/* A list is complete or absent, so that leaves of a file without one have an empty union. */
static lam_status extend_orders(constant_footer *footer, lam_error *error) {
    lam_meta_file *meta = &footer->meta;
    size_t leaves = lam_schema_leaf_count(footer->reader->schema);
    bool has_orders = (meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) != 0;
    lam_meta_column_order *orders;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, leaves + footer->constant_count, &orders, error));
    for (size_t i = 0; i < leaves; i++)
        orders[i].kind = has_orders && i < meta->column_orders.count
                             ? meta->column_orders.items[i].kind
                             : LAM_META_UNION_EMPTY;
    for (size_t i = 0; i < footer->constant_count; i++)
        orders[leaves + i].kind = LAM_META_COLUMN_ORDER_TYPE;
    meta->column_orders.items = orders;
    meta->column_orders.count = (uint32_t)(leaves + footer->constant_count);
    meta->has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    return LAM_STATUS_OK;
}

static lam_status extend_row_group(constant_footer *footer, lam_meta_row_group *group,
                                   lam_error *error) {
    size_t own = group->columns.count, before = footer->tail.size;
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, own + footer->constant_count, &chunks, error));
    memcpy(chunks, group->columns.items, own * sizeof *chunks);
    for (size_t i = 0; i < footer->constant_count; i++)
        LAM_TRY(lam_constant_chunk_write(footer->constants[i], (uint64_t)group->num_rows,
                                         footer->reader->footer.offset + footer->tail.size,
                                         &footer->arena, &footer->tail, &chunks[own + i], error));
    group->columns.items = chunks;
    group->columns.count = (uint32_t)(own + footer->constant_count);
    lam_extended_add_size(&group->total_byte_size, footer->tail.size - before);
    lam_extended_add_size(&group->total_compressed_size, footer->tail.size - before);
    return LAM_STATUS_OK;
}

/* Opening has checked that each row group has a chunk per leaf, and rows that are not negative. */
static lam_status extend_row_groups(constant_footer *footer, lam_error *error) {
    lam_meta_row_group_list *list = &footer->meta.row_groups;
    uint64_t limit = footer->reader->memory_limit;
    lam_meta_row_group *groups;
    LAM_TRY(LAM_ARENA_ARRAY(&footer->arena, list->count, &groups, error));
    for (uint32_t i = 0; i < list->count; i++) {
        groups[i] = list->items[i];
        LAM_TRY(extend_row_group(footer, &groups[i], error));
        if (footer->tail.size > limit)
            LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                     "the constant columns need more than the memory limit of %" PRIu64
                     " (option memory_limit)",
                     limit);
    }
    list->items = groups;
    return LAM_STATUS_OK;
}

static lam_status move_claims(constant_footer *footer, lam_error *error) {
    const lam_meta_row_group_list *list = &footer->meta.row_groups;
    for (uint32_t i = 0; i < list->count; i++) {
        /* extend_row_group has allocated them. */
        lam_meta_column_chunk *chunks =
            (lam_meta_column_chunk *)(uintptr_t)list->items[i].columns.items;
        size_t own = list->items[i].columns.count - footer->constant_count;
        for (size_t k = 0; k < own; k++)
            LAM_TRY(lam_extended_move_claim(&chunks[k].meta_data, footer->reader->footer.offset,
                                            footer->tail.size, &footer->arena, error));
    }
    return LAM_STATUS_OK;
}

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status make_tail(constant_footer *footer, lam_error *error) {
    LAM_TRY(lam_meta_read_file(footer->reader->footer.meta.bytes, &footer->arena, &footer->meta,
                               error));
    LAM_TRY(extend_schema(footer, error));
    LAM_TRY(extend_orders(footer, error));
    LAM_TRY(extend_row_groups(footer, error));
    LAM_TRY(move_claims(footer, error));
    return lam_footer_write(&footer->meta, &footer->tail, error);
}

/* Makes the bytes that follow the file's; none if it has fields for all constants. */
static lam_status tail_of(const lam_reader *reader, const lam_constant *constants, size_t count,
                          lam_buffer *ret_tail, lam_error *error) {
    constant_footer footer = {.reader = reader};
    lam_arena_init(&footer.arena, &reader->allocator, (size_t)reader->memory_limit);
    lam_buffer_init(&footer.tail, &reader->allocator);
    lam_status status = constant_choose(&footer, constants, count, error);
    if (status == LAM_STATUS_OK && footer.constant_count > 0)
        status = make_tail(&footer, error);
    lam_arena_finish(&footer.arena);
    if (status == LAM_STATUS_OK)
        *ret_tail = footer.tail;
    else
        lam_buffer_finish(&footer.tail);
    return status;
}

/* Opens the file that `tail` makes of it; takes the input of the plain reader in any case. */
static lam_status open_extended(lam_reader *plain, lam_buffer *tail,
                                const lam_reader_options *options, lam_input *input,
                                lam_reader **ret_reader, lam_error *error) {
    lam_input extended;
    uint64_t kept = plain->footer.offset, size = plain->input.size;
    *input = plain->input;
    memset(&plain->input, 0, sizeof plain->input);
    lam_reader_close(plain);
    lam_status status = lam_extended_input_create(input, kept, tail, &extended, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_reader_open(&extended, options, ret_reader, error);
    if (status == LAM_STATUS_OK)
        (*ret_reader)->file_size = size;
    else
        *input = lam_extended_input_release(&extended);
    return status;
}

lam_status lam_reader_open_with_constants(lam_input *input, const lam_constant *constants,
                                          size_t count, const lam_reader_options *given,
                                          lam_reader **ret_reader, lam_error *error) {
    lam_reader_options options;
    lam_reader *plain;
    lam_buffer tail;
    LAM_TRY(LAM_OPTIONS_READ(lam_reader_options, given, &options, error));
    for (size_t i = 0; i < count; i++)
        LAM_TRY(constant_check(constants, i, error));
    LAM_TRY(lam_reader_open(input, &options, &plain, error));
    lam_status status = tail_of(plain, constants, count, &tail, error);
    if (status != LAM_STATUS_OK) {
        *input = plain->input;
        memset(&plain->input, 0, sizeof plain->input);
        lam_reader_close(plain);
        return status;
    }
    if (tail.size == 0)
        *ret_reader = plain;
    else
        status = open_extended(plain, &tail, &options, input, ret_reader, error);
    lam_buffer_finish(&tail);
    return status;
}

lam_status lam_reader_show_constants(const lam_reader *reader, const lam_constant *constants,
                                     size_t count, lam_reader **ret_reader, lam_error *error) {
    lam_buffer tail;
    lam_reader *shown = NULL;
    if (reader == NULL || (constants == NULL && count > 0))
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader, or no constants (NULL)");
    for (size_t i = 0; i < count; i++)
        LAM_TRY(constant_check(constants, i, error));
    LAM_TRY(tail_of(reader, constants, count, &tail, error));
    lam_status status =
        tail.size > 0 ? lam_extended_open(reader, &tail, &shown, error) : LAM_STATUS_OK;
    lam_buffer_finish(&tail);
    if (status == LAM_STATUS_OK)
        *ret_reader = shown;
    return status;
}
