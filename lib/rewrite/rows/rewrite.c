/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects what is to be rewritten, and how: takes inputs, then choices by the paths of their
 * united schema, and gives a lam_rewrite, which rewrite_run.c carries out.
 *
 * The invariant: `schema` holds the rows of every input, and a choice is checked against it when it
 * is made, so that a mistake of the caller is reported before any file is written. A failed call
 * changes nothing.
 */
#include "rewrite/flow/rewrite_state.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/error.h"
#include "base/options.h"
#include "dataset/partition/partition.h"
#include "file/write/file_writer.h"
#include "rewrite/rows/rewrite_keys.h"
#include "rewrite/sort/sort_keys.h"
#include "scan/condition/filter_text_read.h"
#include "schema/schema_choose.h"

enum { REWRITE_MEMORY = 512 << 20, REWRITE_MEMORY_LEAST = 1 << 20 };

/* --- Life ---------------------------------------------------------------------------------- */

/* Rows take at most half of the common bound: readers and writers draw on it, too. */
static uint64_t rows_limit(uint64_t chosen, uint64_t bound) {
    uint64_t limit = chosen != 0 ? chosen : REWRITE_MEMORY;
    return bound != 0 && bound / 2 < limit ? bound / 2 : limit;
}

lam_status lam_rewrite_create(const lam_rewrite_options *given, lam_rewrite **ret_rewrite,
                              lam_error *error) {
    lam_rewrite_options options;
    lam_writer_options writer;
    lam_reader_options reader;
    LAM_TRY(LAM_OPTIONS_READ(lam_rewrite_options, given, &options, error));
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, options.writer, &writer, error));
    LAM_TRY(LAM_OPTIONS_READ(lam_reader_options, options.reader, &reader, error));
    if (options.memory_limit != 0 && options.memory_limit < REWRITE_MEMORY_LEAST)
        LAM_FAIL(error, LAM_STATUS_INVALID, "memory_limit is %llu, and must be at least %d",
                 (unsigned long long)options.memory_limit, (int)REWRITE_MEMORY_LEAST);
    lam_allocator allocator = lam_allocator_or_default(options.allocator);
    lam_rewrite *rewrite;
    LAM_TRY(LAM_NEW(&allocator, &rewrite, error));
    const lam_union_options uniting = {sizeof uniting, options.on_clash};
    lam_status status = lam_union_create(&uniting, &allocator, &rewrite->all, error);
    if (status != LAM_STATUS_OK) {
        lam_free(&allocator, rewrite, sizeof *rewrite);
        return status;
    }
    rewrite->allocator = allocator;
    rewrite->writer = writer;
    rewrite->writer.allocator = &rewrite->allocator;
    rewrite->writer.stop = options.stop;
    rewrite->reader = reader;
    rewrite->reader.allocator = &rewrite->allocator;
    rewrite->reader.stop = options.stop;
    rewrite->memory_limit = rows_limit(options.memory_limit, lam_budget_bound(&allocator));
    rewrite->spill_folder = options.spill_folder;
    rewrite->stop = options.stop;
    rewrite->progress = options.progress;
    rewrite->progress_state = options.progress_state;
    rewrite->first_keys = options.first_keys;
    LAM_LIST_INIT(&rewrite->inputs, &allocator);
    lam_buffer_init(&rewrite->where, &allocator);
    LAM_LIST_INIT(&rewrite->keys, &allocator);
    LAM_LIST_INIT(&rewrite->partitions, &allocator);
    LAM_LIST_INIT(&rewrite->row_leaves, &allocator);
    LAM_LIST_INIT(&rewrite->file_leaves, &allocator);
    LAM_LIST_INIT(&rewrite->key_values, &allocator);
    lam_hash_index_init(&rewrite->keys_taken, &allocator);
    lam_arena_init(&rewrite->arena, &allocator, 0);
    *ret_rewrite = rewrite;
    return LAM_STATUS_OK;
}

void lam_rewrite_destroy(lam_rewrite *rewrite) {
    if (rewrite == NULL)
        return;
    lam_allocator allocator = rewrite->allocator;
    for (size_t i = 0; i < rewrite->inputs.count; i++) {
        lam_rewrite_input *input = &rewrite->inputs.items[i];
        lam_free(&allocator, input->name, strlen(input->name) + 1);
        lam_schema_destroy(input->schema);
    }
    if (rewrite->leaves != NULL)
        lam_free(&allocator, rewrite->leaves,
                 rewrite->schema->leaf_count * sizeof *rewrite->leaves);
    lam_union_destroy(rewrite->all);
    lam_schema_destroy(rewrite->row_schema);
    lam_schema_destroy(rewrite->file_schema);
    LAM_LIST_FINISH(&rewrite->inputs);
    lam_buffer_finish(&rewrite->where);
    LAM_LIST_FINISH(&rewrite->keys);
    LAM_LIST_FINISH(&rewrite->partitions);
    LAM_LIST_FINISH(&rewrite->row_leaves);
    LAM_LIST_FINISH(&rewrite->file_leaves);
    LAM_LIST_FINISH(&rewrite->key_values);
    lam_hash_index_finish(&rewrite->keys_taken);
    lam_arena_finish(&rewrite->arena);
    lam_free(&allocator, rewrite, sizeof *rewrite);
}

const lam_schema *lam_rewrite_schema(const lam_rewrite *rewrite) {
    return rewrite != NULL ? rewrite->schema : NULL;
}

const lam_union *lam_rewrite_union(const lam_rewrite *rewrite) {
    return rewrite != NULL ? rewrite->all : NULL;
}

/* --- Inputs -------------------------------------------------------------------------------- */

lam_status lam_rewrite_blame(const char *name, lam_status status, lam_error *error) {
    char message[sizeof error->message];
    size_t size = strlen(name);
    if (status == LAM_STATUS_OK || error == NULL || status == LAM_STATUS_CANCELLED ||
        (strncmp(error->message, name, size) == 0 && error->message[size] == ':'))
        return status;
    memcpy(message, error->message, sizeof message);
    snprintf(error->message, sizeof error->message, "%.120s: %.180s", name, message);
    lam_error_make_line(error->message, sizeof error->message);
    return status;
}

lam_status lam_rewrite_open_input(const lam_rewrite *rewrite, size_t index,
                                  const lam_reader **ret_reader, lam_error *error) {
    const lam_rewrite_input *input = &rewrite->inputs.items[index];
    lam_reader *reader;
    *ret_reader = input->reader;
    if (input->reader != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_rewrite_blame(
        input->name, lam_reader_open_file(input->name, &rewrite->reader, &reader, error), error));
    if (!lam_schema_same_shape(reader->schema, input->schema)) {
        lam_reader_close(reader);
        LAM_FAIL(error, LAM_STATUS_INVALID, "%.200s: the file has another schema than before",
                 input->name);
    }
    *ret_reader = reader;
    return LAM_STATUS_OK;
}

lam_status lam_rewrite_show_input(const lam_rewrite *rewrite, const lam_reader *reader,
                                  lam_reader **ret_shown, lam_error *error) {
    *ret_shown = NULL;
    return lam_reader_show(reader, rewrite->schema, NULL, ret_shown, error);
}

/* The reader is our own unless it is the caller's. */
void lam_rewrite_close_input(const lam_rewrite *rewrite, size_t index, const lam_reader *reader) {
    if (reader != rewrite->inputs.items[index].reader)
        lam_reader_close((lam_reader *)(uintptr_t)reader);
}

static lam_status add_input(lam_rewrite *rewrite, const lam_reader *reader, bool is_borrowed,
                            const char *name, lam_error *error) {
    lam_rewrite_input input = {.reader = is_borrowed ? reader : NULL, .rows = reader->row_count};
    size_t key_values = rewrite->key_values.count;
    void *memory;
    if (rewrite->leaves != NULL || rewrite->has_run)
        LAM_FAIL(error, LAM_STATUS_STATE, "inputs are added before anything is chosen");
    LAM_TRY(LAM_LIST_RESERVE(&rewrite->inputs, 1, error));
    LAM_TRY(lam_alloc(&rewrite->allocator, strlen(name) + 1, &memory, error));
    lam_status status = lam_rewrite_take_key_values(rewrite, reader, error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_blame(name, lam_union_add(rewrite->all, reader->schema, name, error),
                                   error);
    if (status != LAM_STATUS_OK) {
        rewrite->key_values.count = key_values;
        lam_free(&rewrite->allocator, memory, strlen(name) + 1);
        return status;
    }
    input.name = memory;
    memcpy(input.name, name, strlen(name) + 1);
    input.schema = lam_schema_share(reader->schema);
    rewrite->schema = lam_union_schema(rewrite->all);
    return LAM_LIST_ADD(&rewrite->inputs, &input, error);
}

lam_status lam_rewrite_add_reader(lam_rewrite *rewrite, const lam_reader *reader, const char *name,
                                  lam_error *error) {
    if (rewrite == NULL || reader == NULL || name == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no input, or no name of it (NULL)");
    return add_input(rewrite, reader, true, name, error);
}

lam_status lam_rewrite_add_file(lam_rewrite *rewrite, const char *path, lam_error *error) {
    lam_reader *reader;
    if (rewrite == NULL || path == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path (NULL)");
    LAM_TRY(lam_rewrite_blame(path, lam_reader_open_file(path, &rewrite->reader, &reader, error),
                              error));
    lam_status status = add_input(rewrite, reader, false, path, error);
    lam_reader_close(reader);
    return status;
}

/* --- Choices ------------------------------------------------------------------------------- */

/* Makes the list of choices for all leaves, before the first of them. */
static lam_status start_choices(lam_rewrite *rewrite, lam_error *error) {
    if (rewrite == NULL || rewrite->schema == NULL)
        LAM_FAIL(error, LAM_STATUS_STATE, "there are no inputs");
    if (rewrite->has_run)
        LAM_FAIL(error, LAM_STATUS_STATE, "the rewrite has run");
    if (rewrite->leaves != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARRAY(&rewrite->allocator, rewrite->schema->leaf_count, &rewrite->leaves, error));
    return LAM_STATUS_OK;
}

static lam_status find_field(const lam_rewrite *rewrite, const char *path,
                             const lam_field **ret_field, lam_error *error) {
    const lam_field *field;
    LAM_TRY(lam_schema_resolve(rewrite->schema, path, &field, error));
    if (field->leaf_count == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "field '%.150s' has no columns", path);
    *ret_field = field;
    return LAM_STATUS_OK;
}

lam_status lam_rewrite_set_leaves(lam_rewrite *rewrite, const bool *leaves, lam_error *error) {
    bool any = false;
    LAM_TRY(start_choices(rewrite, error));
    for (size_t i = 0; i < rewrite->schema->leaf_count; i++)
        any = any || leaves[i];
    if (!any)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no column is left");
    for (size_t i = 0; i < rewrite->schema->leaf_count; i++)
        rewrite->leaves[i].is_left_out = !leaves[i];
    return LAM_STATUS_OK;
}

lam_status lam_rewrite_set_where(lam_rewrite *rewrite, const char *text, lam_error *error) {
    lam_filter *filter;
    LAM_TRY(start_choices(rewrite, error));
    LAM_TRY(lam_filter_text_read(rewrite->schema, text, &rewrite->allocator, &filter, error));
    lam_filter_destroy(filter);
    lam_buffer_clear(&rewrite->where);
    return lam_buffer_append(&rewrite->where, text, strlen(text) + 1, error);
}

lam_status lam_rewrite_add_sort_key(lam_rewrite *rewrite, const char *path, bool descending,
                                    bool nulls_first, lam_error *error) {
    const lam_field *field;
    LAM_TRY(start_choices(rewrite, error));
    LAM_TRY(find_field(rewrite, path, &field, error));
    if (field->physical_type == LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "'%.150s' is a group, not a column to sort by", path);
    if (field->max_repetition > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "'%.150s' repeats: a row has no one value of it", path);
    if (!lam_sort_code_exists(field))
        LAM_FAIL(error, LAM_STATUS_INVALID, "'%.150s' has a type without an order", path);
    for (size_t i = 0; i < rewrite->keys.count; i++)
        if (rewrite->keys.items[i].leaf == field->first_leaf)
            LAM_FAIL(error, LAM_STATUS_INVALID, "'%.150s' is a sort key already", path);
    if (rewrite->keys.count == LAM_SORT_KEYS_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "more than %d sort keys", (int)LAM_SORT_KEYS_MAX);
    lam_rewrite_key key = {field->first_leaf, descending, nulls_first};
    return LAM_LIST_ADD(&rewrite->keys, &key, error);
}

lam_status lam_rewrite_add_partition(lam_rewrite *rewrite, const char *path, lam_error *error) {
    const lam_field *field;
    lam_partition *partition;
    LAM_TRY(start_choices(rewrite, error));
    LAM_TRY(find_field(rewrite, path, &field, error));
    for (size_t i = 0; i < rewrite->partitions.count; i++)
        if (rewrite->partitions.items[i] == field->first_leaf)
            LAM_FAIL(error, LAM_STATUS_INVALID, "'%.150s' is a partition already", path);
    if (rewrite->partitions.count == LAM_SORT_KEYS_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "more than %d partitions", (int)LAM_SORT_KEYS_MAX);
    if (field->depth != 1)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "'%.150s' is inside a group, and folders have names without groups", path);
    LAM_TRY(lam_partition_of_leaf(field, NULL, &rewrite->allocator, &partition, error));
    lam_partition_destroy(partition);
    size_t leaf = field->first_leaf;
    return LAM_LIST_ADD(&rewrite->partitions, &leaf, error);
}

lam_status lam_rewrite_set_split(lam_rewrite *rewrite, uint64_t rows, uint64_t bytes,
                                 lam_error *error) {
    LAM_TRY(start_choices(rewrite, error));
    rewrite->split_rows = rows;
    rewrite->split_bytes = bytes;
    return LAM_STATUS_OK;
}

lam_status lam_rewrite_set_encoding(lam_rewrite *rewrite, const char *path, lam_encoding encoding,
                                    lam_error *error) {
    const lam_field *field;
    LAM_TRY(start_choices(rewrite, error));
    LAM_TRY(find_field(rewrite, path, &field, error));
    LAM_TRY(lam_column_check_encoding(field, encoding, error));
    for (size_t i = 0; i < field->leaf_count; i++) {
        rewrite->leaves[field->first_leaf + i].has_encoding = true;
        rewrite->leaves[field->first_leaf + i].encoding = encoding;
    }
    return LAM_STATUS_OK;
}

lam_status lam_rewrite_set_bloom_filter(lam_rewrite *rewrite, const char *path, double fpp,
                                        uint64_t distinct_count, lam_error *error) {
    const lam_field *field;
    LAM_TRY(start_choices(rewrite, error));
    LAM_TRY(find_field(rewrite, path, &field, error));
    LAM_TRY(lam_column_check_bloom(field, fpp, error));
    for (size_t i = 0; i < field->leaf_count; i++) {
        lam_rewrite_leaf *leaf = &rewrite->leaves[field->first_leaf + i];
        leaf->has_bloom = true;
        leaf->fpp = fpp;
        leaf->distinct_count = distinct_count;
    }
    return LAM_STATUS_OK;
}
