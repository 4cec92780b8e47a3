/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives a leaf's chunk from the entire contents of a field of the file: takes the records of a
 * row group, cut to the field, and gives the triples of one leaf of a schema that has one value
 * there.
 *
 *     records --assemble--> events of the field --whole_value.c--> value --shred--> triples
 *
 *     file      optional group a { optional int64 b; }       {"a":{"b":2}}  {"a":null}
 *     target    optional group a (VARIANT) { ... }           {"b":2}        null
 *
 * The groups around the field are opened and closed as in the file; around the element of a list of
 * two levels the target has one group more. The invariant: each slot of the field gives one value,
 * or a null if the field is null.
 */
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <lamella/variant.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "dataset/union/leaf_chunk.h"
#include "dataset/union/whole_value.h"
#include "schema/nesting.h"
#include "schema/schema_choose.h"

enum {
    WHOLE_CHUNK_STEP = 16,      /* rows that are read before their bytes are looked at */
    WHOLE_CHUNK_ROWS = 256,     /* of a batch, at most */
    WHOLE_CHUNK_BYTES = 1 << 20 /* of a batch, about */
};

typedef struct whole_chunk {
    lam_derived_chunk chunk;
    lam_allocator allocator;
    lam_reader reader;          /* a copy, which owns nothing */
    lam_record_reader *records; /* cut to the field */
    const lam_field *field;     /* of the file */
    bool is_array;              /* it repeats, and not as the element of a list */
    lam_whole_value *value;
    bool has_begun; /* the value of a slot */
    lam_schema *schema;
    const lam_field *target; /* of `schema`: the field's new form, and the groups around it */
    size_t leaf;             /* of `schema` */
    /* By depth of a group around the field, those of the target: the first, and the one past the
     * last. */
    uint8_t first[LAM_SCHEMA_DEPTH_MAX + 1];
    uint8_t end[LAM_SCHEMA_DEPTH_MAX + 1];
    lam_shredder *shredder;
    lam_record_sink sink;                   /* of the shredder */
    lam_variant_shredder *variant_shredder; /* NULL: the target has no columns but those of all */
    uint64_t rows;                          /* of the row group */
    uint64_t next_row;                      /* of the records, the next to be read */
    lam_triples batch;                      /* what the shredder has, */
    size_t at;                              /* and how much of it was lent: triples, */
    size_t value_at;                        /* and values */
} whole_chunk;

/* --- Events -------------------------------------------------------------------------------- */

static lam_status finish_whole(whole_chunk *whole, lam_error *error) {
    const lam_field *target = whole->target;
    lam_variant made;
    whole->has_begun = false;
    LAM_TRY(lam_whole_value_end(whole->value, &made, error));
    if (whole->variant_shredder != NULL)
        return lam_variant_shredder_write(whole->variant_shredder, made, &whole->sink, error);
    if (!lam_is_group(target))
        return lam_put_bytes(&whole->sink, target, made.value.data, made.value.size, error);
    LAM_TRY(lam_open(&whole->sink, target, error));
    for (size_t i = 0; i < target->child_count; i++) {
        const lam_field *leaf = lam_child_at(target, i);
        lam_bytes bytes = strcmp(leaf->name, "metadata") == 0 ? made.metadata : made.value;
        LAM_TRY(lam_put_bytes(&whole->sink, leaf, bytes.data, bytes.size, error));
    }
    return lam_close(&whole->sink, target, error);
}

static lam_status begin_whole(whole_chunk *whole, lam_error *error) {
    if (whole->has_begun)
        return LAM_STATUS_OK;
    whole->has_begun = true;
    return lam_whole_value_begin(whole->value, error);
}

/* The groups of the target for a group of the file at this depth. */
static lam_status open_around(whole_chunk *whole, size_t depth, lam_error *error) {
    for (size_t i = whole->first[depth]; i < whole->end[depth]; i++)
        LAM_TRY(lam_open(&whole->sink, &whole->schema->fields[i], error));
    return LAM_STATUS_OK;
}

static lam_status close_around(whole_chunk *whole, size_t depth, lam_error *error) {
    for (size_t i = whole->end[depth]; i > whole->first[depth]; i--)
        LAM_TRY(lam_close(&whole->sink, &whole->schema->fields[i - 1], error));
    return LAM_STATUS_OK;
}

/* An array covers the group around the field, and may be empty. */
static bool holds_array(const whole_chunk *whole, const lam_field *group) {
    return whole->is_array && lam_parent_of(whole->field) == group;
}

static bool is_below_whole(const whole_chunk *whole, const lam_field *field) {
    return field->depth > whole->field->depth;
}

static lam_status whole_begin(void *state, lam_error *error) {
    whole_chunk *whole = state;
    whole->has_begun = false;
    LAM_TRY(lam_begin(&whole->sink, error));
    return holds_array(whole, lam_schema_root(whole->field->schema)) ? begin_whole(whole, error)
                                                                     : LAM_STATUS_OK;
}

static lam_status whole_open(void *state, const lam_field *group, lam_error *error) {
    whole_chunk *whole = state;
    if (is_below_whole(whole, group))
        return lam_whole_value_open(whole->value, group, error);
    LAM_TRY(open_around(whole, group->depth, error));
    if (group != whole->field)
        return holds_array(whole, group) ? begin_whole(whole, error) : LAM_STATUS_OK;
    LAM_TRY(begin_whole(whole, error));
    return lam_whole_value_open(whole->value, group, error);
}

static lam_status whole_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    whole_chunk *whole = state;
    if (is_below_whole(whole, leaf) || whole->is_array)
        return lam_whole_value_put(whole->value, leaf, value, error);
    LAM_TRY(open_around(whole, leaf->depth, error));
    LAM_TRY(begin_whole(whole, error));
    LAM_TRY(lam_whole_value_put(whole->value, leaf, value, error));
    LAM_TRY(finish_whole(whole, error));
    return close_around(whole, leaf->depth, error);
}

static lam_status whole_close(void *state, const lam_field *group, lam_error *error) {
    whole_chunk *whole = state;
    if (is_below_whole(whole, group))
        return lam_whole_value_close(whole->value, group, error);
    if (group == whole->field) {
        LAM_TRY(lam_whole_value_close(whole->value, group, error));
        if (!whole->is_array)
            LAM_TRY(finish_whole(whole, error));
    } else if (holds_array(whole, group)) {
        LAM_TRY(finish_whole(whole, error));
    }
    return close_around(whole, group->depth, error);
}

static lam_status whole_end(void *state, lam_error *error) {
    whole_chunk *whole = state;
    if (holds_array(whole, lam_schema_root(whole->field->schema)))
        LAM_TRY(finish_whole(whole, error));
    return lam_end(&whole->sink, error);
}

/* --- Triples ------------------------------------------------------------------------------- */

/* Of a row group with rows left. */
static lam_status read_records(whole_chunk *whole, lam_error *error) {
    const lam_record_sink sink = {whole,       whole_begin, whole_open, whole_put,
                                  whole_close, whole_end,   NULL};
    uint64_t left = whole->rows - whole->next_row,
             most = left < WHOLE_CHUNK_ROWS ? left : WHOLE_CHUNK_ROWS;
    uint64_t read = 0, count;
    lam_shredder_clear(whole->shredder);
    do {
        uint64_t step = most - read < WHOLE_CHUNK_STEP ? most - read : WHOLE_CHUNK_STEP;
        LAM_TRY(lam_record_reader_read(whole->records, &sink, step, &count, error));
        read += count;
    } while (read < most && lam_shredder_byte_count(whole->shredder) < WHOLE_CHUNK_BYTES);
    whole->next_row += read;
    whole->batch = lam_shredder_triples(whole->shredder, whole->leaf);
    whole->at = whole->value_at = 0;
    return LAM_STATUS_OK;
}

static bool begins_row(const whole_chunk *whole, size_t at) {
    return whole->batch.repetition == NULL || whole->batch.repetition[at] == 0;
}

/* Cuts triples off the batch, to the end of `*rows` records at most. */
static lam_triples cut_triples(whole_chunk *whole, size_t max_triples, uint64_t *rows) {
    const lam_field *leaf = lam_leaf_at(whole->schema, whole->leaf);
    const lam_triples *batch = &whole->batch;
    lam_triples cut = {0};
    size_t begin = whole->at, values = whole->value_at;
    for (; whole->at < batch->count && whole->at - begin < max_triples; whole->at++) {
        if (begins_row(whole, whole->at) && *rows == 0)
            break;
        *rows -= begins_row(whole, whole->at);
        whole->value_at +=
            batch->definition == NULL || batch->definition[whole->at] == leaf->max_definition;
    }
    cut.count = whole->at - begin;
    cut.value_count = whole->value_at - values;
    cut.repetition = batch->repetition == NULL ? NULL : batch->repetition + begin;
    cut.definition = batch->definition == NULL ? NULL : batch->definition + begin;
    if (cut.value_count > 0)
        cut.values = (const uint8_t *)batch->values + values * lam_element_size(leaf);
    return cut;
}

static lam_status whole_chunk_read(lam_derived_chunk *chunk, size_t max_triples, uint64_t *rows,
                                   lam_triples *ret_triples, lam_error *error) {
    whole_chunk *whole = (whole_chunk *)(void *)chunk;
    if (whole->at == whole->batch.count && *rows > 0 && whole->next_row < whole->rows)
        LAM_TRY(read_records(whole, error));
    *ret_triples = cut_triples(whole, max_triples, rows);
    return LAM_STATUS_OK;
}

/* Rows that are left of the batch, the open one not counted. */
static uint64_t rows_left(const whole_chunk *whole) {
    uint64_t count = 0;
    for (size_t i = whole->at; i < whole->batch.count; i++)
        count += begins_row(whole, i);
    return count;
}

static lam_status whole_chunk_skip_to(lam_derived_chunk *chunk, uint64_t row, lam_error *error) {
    whole_chunk *whole = (whole_chunk *)(void *)chunk;
    uint64_t at = whole->next_row - rows_left(whole), skip = row > at ? row - at : 0, skipped;
    if (row >= whole->next_row) {
        LAM_TRY(lam_record_reader_skip(whole->records, row - whole->next_row, &skipped, error));
        whole->next_row = row;
        whole->at = whole->batch.count;
        return LAM_STATUS_OK;
    }
    (void)cut_triples(whole, SIZE_MAX, &skip);
    return LAM_STATUS_OK;
}

/* --- Life ---------------------------------------------------------------------------------- */

static void whole_chunk_destroy(lam_derived_chunk *chunk) {
    whole_chunk *whole = (whole_chunk *)(void *)chunk;
    lam_allocator allocator = whole->allocator;
    lam_record_reader_close(whole->records);
    lam_whole_value_destroy(whole->value);
    lam_variant_shredder_destroy(whole->variant_shredder);
    lam_shredder_destroy(whole->shredder);
    lam_schema_destroy(whole->schema);
    lam_free(&allocator, whole, sizeof *whole);
}

/* Goes down to the target beside the file's own fields; virtual ones belong to the one before. */
static void align_groups(whole_chunk *whole, const lam_field *target) {
    const lam_field *path[LAM_SCHEMA_DEPTH_MAX], *at = lam_schema_root(whole->field->schema);
    for (const lam_field *field = target; field->index != 0; field = lam_parent_of(field))
        path[field->depth - 1] = field;
    for (uint8_t i = 1; i < target->depth; i++) {
        const lam_field *next = lam_leaf_map_step(at, path[i - 1]);
        if (next != at)
            whole->first[next->depth] = i;
        whole->end[next->depth] = (uint8_t)(i + 1);
        at = next;
    }
}

/* The schema of the field's new form alone. Each of its groups has one child down to there. */
static lam_status make_whole_target(whole_chunk *whole, const lam_derived_leaf *leaf,
                                    const lam_field *target, lam_error *error) {
    size_t count = leaf->target->leaf_count;
    bool *leaves;
    LAM_TRY(LAM_ARRAY(&whole->allocator, count, &leaves, error));
    for (size_t i = 0; i < target->leaf_count; i++)
        leaves[target->first_leaf + i] = true;
    lam_status status =
        lam_schema_choose(leaf->target, leaves, &whole->allocator, &whole->schema, error);
    lam_free(&whole->allocator, leaves, count * sizeof(bool));
    if (status != LAM_STATUS_OK)
        return status;
    whole->target = &whole->schema->fields[0];
    while (whole->target->depth < target->depth)
        whole->target = lam_child_at(whole->target, 0);
    whole->leaf = leaf->number - target->first_leaf;
    align_groups(whole, target);
    return LAM_STATUS_OK;
}

static lam_status open_records(whole_chunk *whole, size_t row_group, lam_error *error) {
    const lam_reader *reader = &whole->reader;
    size_t count = reader->schema->leaf_count;
    uint64_t before = 0, skipped;
    bool *leaves;
    LAM_TRY(LAM_ARRAY(&whole->allocator, count, &leaves, error));
    for (size_t i = 0; i < whole->field->leaf_count; i++)
        leaves[whole->field->first_leaf + i] = true;
    lam_status status = lam_record_reader_open(reader, leaves, &whole->records, error);
    lam_free(&whole->allocator, leaves, count * sizeof(bool));
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < row_group; i++)
        before += lam_reader_rows_of_group(reader, i);
    return lam_record_reader_skip(whole->records, before, &skipped, error);
}

static lam_status start_whole(whole_chunk *whole, const lam_derived_leaf *leaf,
                              const lam_leaf_map *map, lam_error *error) {
    lam_repetition repetition =
        map->whole_is_element ? LAM_REPETITION_REQUIRED : (lam_repetition)map->whole->repetition;
    whole->reader = *leaf->reader;
    whole->field = map->whole;
    whole->is_array = lam_is_repeated(map->whole) && !map->whole_is_element;
    whole->rows = lam_reader_rows_of_group(leaf->reader, leaf->row_group);
    LAM_TRY(make_whole_target(whole, leaf, map->whole_target, error));
    LAM_TRY(lam_whole_value_create(map->whole, repetition, lam_is_group(whole->target),
                                   &whole->allocator, &whole->value, error));
    LAM_TRY(lam_shredder_create(whole->schema, &whole->allocator, &whole->shredder, error));
    whole->sink = lam_shredder_sink(whole->shredder);
    if (whole->target->child_count > 2)
        LAM_TRY(lam_variant_shredder_create(whole->target, NULL, &whole->allocator,
                                            &whole->variant_shredder, error));
    return open_records(whole, leaf->row_group, error);
}

lam_status lam_whole_chunk_create(const lam_derived_leaf *leaf, const lam_leaf_map *map,
                                  lam_derived_chunk **ret_chunk, lam_error *error) {
    const lam_allocator *allocator = &leaf->reader->allocator;
    whole_chunk *whole;
    LAM_TRY(LAM_NEW(allocator, &whole, error));
    whole->chunk = (lam_derived_chunk){whole_chunk_skip_to, whole_chunk_read, whole_chunk_destroy};
    whole->allocator = *allocator;
    lam_status status = start_whole(whole, leaf, map, error);
    if (status == LAM_STATUS_OK)
        *ret_chunk = &whole->chunk;
    else
        whole_chunk_destroy(&whole->chunk);
    return status;
}
