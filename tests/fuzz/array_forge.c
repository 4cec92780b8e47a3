/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a right array, each buffer into a block of its own, and forges some of its numbers. */
#include "fuzz/array_forge.h"

#include <stdlib.h>

#include "arrow/array_rows.h"
#include "support/host_order.h"

enum {
    ROOM_SLOTS = 64, /* behind those that there are */
    ROOM_BYTES = ROOM_SLOTS * 32,
    BUFFERS_MOST = 8,
    CHILDREN_MOST = 8
};

/* --- Blocks -------------------------------------------------------------------------------- */

static void *new_block(lam_forged_array *forged, size_t size) {
    void *block = calloc(size > 0 ? size : 1, 1);
    void **blocks = realloc(forged->blocks, (forged->block_count + 1) * sizeof *blocks);
    if (block == NULL || blocks == NULL)
        abort();
    forged->blocks = blocks;
    blocks[forged->block_count++] = block;
    return block;
}

static const void *copy_buffer(lam_forged_array *forged, const void *from, size_t size) {
    if (from == NULL)
        return NULL;
    size_t shift = forged->is_shifted;
    uint8_t *block = new_block(forged, shift + size + (forged->has_room ? ROOM_BYTES : 0));
    if (size > 0)
        memcpy(block + shift, from, size);
    return block + shift;
}

static size_t number_at(const void *numbers, size_t width, size_t index) {
    return (size_t)lam_test_load((const uint8_t *)numbers + index * width, width);
}

/* Bytes of an offset, or 0 where there are none. */
static size_t offset_width(const lam_arrow_field *field) {
    if (field->is_dictionary)
        return 0;
    switch (field->type.kind) {
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_MAP:
        return 4;
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LARGE_LIST_VIEW:
        return 8;
    default:
        return 0;
    }
}

static bool has_views(const lam_arrow_field *field) {
    return !field->is_dictionary &&
           (field->type.kind == LAM_ARROW_BINARY_VIEW || field->type.kind == LAM_ARROW_STRING_VIEW);
}

static bool has_list_views(const lam_arrow_field *field) {
    return !field->is_dictionary && (field->type.kind == LAM_ARROW_LIST_VIEW ||
                                     field->type.kind == LAM_ARROW_LARGE_LIST_VIEW);
}

static bool has_data(const lam_arrow_field *field) {
    return offset_width(field) > 0 && field->type.kind >= LAM_ARROW_BINARY &&
           field->type.kind <= LAM_ARROW_STRING_VIEW;
}

/* Bytes of what stands in the second buffer for each slot; 0 for bits. */
static size_t slot_width(const lam_arrow_field *field) {
    if (has_views(field))
        return 16;
    if (offset_width(field) > 0)
        return offset_width(field);
    return !field->is_dictionary && field->type.kind == LAM_ARROW_BOOL ? 0 : lam_slot_width(field);
}

/* Bytes of a buffer of the array as it was made. */
static size_t buffer_size(const lam_forged_node *node, const struct ArrowArray *from, int64_t n) {
    size_t width = slot_width(node->field);
    if (n == 0 || width == 0)
        return (node->slots + 7) / 8;
    if (n == 1)
        return (node->slots + (offset_width(node->field) > 0 && !has_list_views(node->field))) *
               width;
    if (has_list_views(node->field))
        return node->slots * width;
    if (!has_views(node->field))
        return node->data_size;
    if (n == from->n_buffers - 1)
        return (size_t)(from->n_buffers - 3) * sizeof(int64_t);
    return number_at(from->buffers[from->n_buffers - 1], sizeof(int64_t), (size_t)n - 2);
}

/* --- The tree ------------------------------------------------------------------------------ */

static void count_nodes(const struct ArrowArray *array, size_t *count) {
    ++*count;
    for (int64_t i = 0; i < array->n_children; i++)
        count_nodes(array->children[i], count);
    if (array->dictionary != NULL)
        count_nodes(array->dictionary, count);
}

static struct ArrowArray *copy_array(lam_forged_array *forged, const lam_arrow_field *field,
                                     const struct ArrowArray *from) {
    lam_forged_node *node = &forged->nodes[forged->node_count++];
    struct ArrowArray *array = new_block(forged, sizeof *array);
    *array = *from;
    node->field = field;
    node->array = array;
    node->slots = (size_t)(from->offset + from->length);
    if (has_data(field))
        node->data_size = number_at(from->buffers[1], offset_width(field), node->slots);
    array->buffers = new_block(forged, BUFFERS_MOST * sizeof *array->buffers);
    for (int64_t i = 0; i < from->n_buffers; i++)
        array->buffers[i] = copy_buffer(forged, from->buffers[i], buffer_size(node, from, i));
    array->children = new_block(forged, CHILDREN_MOST * sizeof *array->children);
    for (int64_t i = 0; i < from->n_children; i++)
        array->children[i] = copy_array(forged, &field->children[i], from->children[i]);
    if (from->dictionary != NULL) {
        lam_arrow_field *values = new_block(forged, sizeof *values);
        *values = *field;
        values->is_dictionary = false;
        array->dictionary = copy_array(forged, values, from->dictionary);
    }
    return array;
}

void lam_forged_array_init(lam_forged_array *forged, const lam_arrow_field *field,
                           const struct ArrowArray *array, bool has_room, bool is_shifted) {
    size_t count = 0;
    memset(forged, 0, sizeof *forged);
    forged->has_room = has_room;
    forged->is_shifted = is_shifted;
    count_nodes(array, &count);
    forged->nodes = calloc(count, sizeof *forged->nodes);
    if (forged->nodes == NULL)
        abort();
    copy_array(forged, field, array);
}

void lam_forged_array_finish(lam_forged_array *forged) {
    for (size_t i = 0; i < forged->block_count; i++)
        free(forged->blocks[i]);
    free(forged->blocks);
    free(forged->nodes);
}

/* --- Forgeries ----------------------------------------------------------------------------- */

/* What no array can have. */
static const int64_t absurd[] = {-1, -2, INT32_MIN, INT64_MIN, INT64_MIN + 1};
enum { ABSURD = sizeof absurd / sizeof absurd[0] };

/* A number of slots, one of those that the buffers have room for, or an absurd one. */
static int64_t some_slots(const lam_forged_node *node, uint64_t choice) {
    size_t most = node->slots + ROOM_SLOTS / 2;
    size_t pick = (size_t)(choice % (most + ABSURD));
    return pick < most ? (int64_t)pick : absurd[pick - most];
}

/* Lengths and offsets may not go beyond the room together. */
static void forge_extent(lam_forged_node *node, bool is_length, uint64_t choice) {
    struct ArrowArray *array = node->array;
    int64_t *number = is_length ? &array->length : &array->offset;
    int64_t other = is_length ? array->offset : array->length, old = *number;
    *number = some_slots(node, choice);
    if (*number > 0 && other > 0 && *number + other > (int64_t)(node->slots + ROOM_SLOTS / 2))
        *number = old;
}

static void forge_null_count(lam_forged_node *node, uint64_t choice) {
    static const int64_t some[] = {-2, -1, 0, 1, 2, INT64_MAX, INT64_MIN};
    size_t pick = (size_t)(choice % 9);
    node->array->null_count = pick < 7 ? some[pick] : node->array->length + (int64_t)pick - 7;
}

static void forge_counts(lam_forged_node *node, uint64_t choice) {
    static const int64_t counts[] = {0, 1, 2, 3, 4, 6, -1, INT64_MAX, INT64_MIN};
    int64_t count = counts[choice / 2 % 9], old = node->array->n_buffers;
    if (choice % 2 == 0)
        node->array->n_children = count;
    else if (!has_views(node->field) || count < 3 || count > old)
        node->array->n_buffers = count;
}

static void forge_pointers(lam_forged_node *node, uint64_t choice) {
    struct ArrowArray *array = node->array;
    size_t at = (size_t)(choice / 8);
    switch (choice % 8) {
    case 0:
    case 1:
    case 2:
        if (array->buffers != NULL)
            array->buffers[at % 3] = NULL;
        break;
    case 3:
        if (array->children != NULL)
            array->children[at % 3] = NULL;
        break;
    case 4:
        array->dictionary = array->dictionary == NULL ? array : NULL;
        break;
    case 5:
        array->release = NULL;
        break;
    case 6:
        array->children = NULL;
        break;
    default:
        array->buffers = NULL;
        break;
    }
}

/*
 * An offset into bytes stays where there are some, or is negative, and views of lists are not so
 * long that lists of lists of them grow without end; others may be anything.
 */
static uint64_t some_number(const lam_forged_node *node, size_t buffer, uint64_t number) {
    enum { LIST_MOST = 12 };
    if (has_list_views(node->field) && buffer == 2 && (int64_t)number > 0)
        return number % LIST_MOST;
    if (!has_data(node->field))
        return number;
    size_t most = node->data_size + ROOM_BYTES / 2;
    size_t pick = (size_t)(number % (most + ABSURD));
    return pick < most ? pick : (uint64_t)absurd[pick - most];
}

/* A number that is there, or one beside it: an offset, an index, a run end, a part of a view. */
static void forge_slot(lam_forged_node *node, size_t buffer, size_t slot, uint64_t number) {
    size_t width = slot_width(node->field);
    bool is_bytes = buffer == 2 && has_data(node->field);
    if (node->array->buffers == NULL || (int64_t)buffer >= node->array->n_buffers)
        return;
    if (buffer > 1 && !has_list_views(node->field) && !is_bytes)
        return;
    uint8_t *bytes = (uint8_t *)(uintptr_t)node->array->buffers[buffer];
    if (bytes == NULL)
        return;
    if (buffer == 0 || width == 0) {
        bytes[slot % (node->slots + 1) / 8] ^= (uint8_t)(1u << slot % 8);
    } else if (is_bytes) {
        bytes[slot % (node->data_size + 1)] = (uint8_t)number;
    } else if (has_views(node->field)) {
        uint32_t part = (uint32_t)number;
        memcpy(bytes + slot % (4 * node->slots + 1) * 4, &part, sizeof part);
    } else {
        uint64_t some = some_number(node, buffer, number);
        memcpy(bytes + slot % (node->slots + 1) * width, &some, width < 8 ? width : 8);
    }
}

void lam_forge(lam_forged_array *forged, lam_fuzz_input *input) {
    size_t pick = (size_t)lam_fuzz_number(input, 1);
    unsigned kind = (unsigned)lam_fuzz_number(input, 1);
    size_t slot = (size_t)lam_fuzz_number(input, 2);
    /* Small numbers, of either sign, are the likely ones to be taken for right. */
    uint64_t number = lam_fuzz_number(input, 2);
    if (kind & 0x80)
        number = (uint64_t)(int64_t)(int16_t)number << (kind >> 4 & 7) * 6;
    lam_forged_node *node = &forged->nodes[pick % forged->node_count];
    switch (kind % 16) {
    case 0:
        forge_extent(node, true, number);
        break;
    case 1:
        forge_extent(node, false, number);
        break;
    case 2:
        forge_null_count(node, number);
        break;
    case 3:
        forge_counts(node, number);
        break;
    case 4:
        forge_pointers(node, number);
        break;
    case 5:
    case 6:
        forge_slot(node, 0, slot, number);
        break;
    case 7:
    case 8:
    case 9:
        forge_slot(node, 2, slot, number);
        break;
    default:
        forge_slot(node, 1, slot, number);
        break;
    }
}
