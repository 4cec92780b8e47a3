/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random arrays of any field that Parquet can hold, laid out as freely as Arrow allows, with gaps,
 * overlaps and anything at all beneath nulls.
 */
#include "arrow/random_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array_rows.h"
#include "arrow/random_fields.h"
#include "support/host_order.h"

/* --- Fields ---------------------------------------------------------------------------------- */

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    if (lam_arena_array(arena, count + 1, size, &memory, NULL) != LAM_STATUS_OK)
        abort();
    return memory;
}

/* What is always null cannot be required; ids are given once. */
static void make_possible(lam_arrow_field *field) {
    field->metadata.count = 0;
    for (size_t i = 0; i < field->child_count; i++)
        make_possible(&field->children[i]);
    if (field->type.kind == LAM_ARROW_NULL || (field->type.kind == LAM_ARROW_RUN_END_ENCODED &&
                                               field->children[1].type.kind == LAM_ARROW_NULL))
        field->nullable = true;
    if (field->type.kind == LAM_ARROW_MAP && field->children[0].children[0].nullable)
        memset(&field->children[0].children[0].type, 0, sizeof field->type),
            field->children[0].children[0].type.kind = LAM_ARROW_INT32,
            field->children[0].children[0].child_count = 0,
            field->children[0].children[0].nullable = false;
}

static bool is_possible(lam_arrow_field *field) {
    lam_allocator heap = lam_allocator_default();
    lam_arrow_field root = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    struct ArrowSchema schema;
    lam_schema *parquet;
    root.child_count = 1;
    root.children = field;
    if (lam_arrow_field_export(&root, &heap, &schema, NULL) != LAM_STATUS_OK)
        return false;
    lam_status status = lam_arrow_import_schema(&schema, NULL, &parquet, NULL);
    schema.release(&schema);
    if (status == LAM_STATUS_OK)
        lam_schema_destroy(parquet);
    return status == LAM_STATUS_OK;
}

lam_arrow_field lam_random_columns(lam_random *random, lam_arena *arena, unsigned depth) {
    static const char *const names[] = {"c0", "c1", "c2", "c3"};
    lam_arrow_field root = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    root.child_count = 1 + (size_t)lam_random_below(random, 4);
    root.children = take(arena, root.child_count, sizeof root);
    for (size_t i = 0; i < root.child_count; i++) {
        do {
            root.children[i] = lam_random_field(random, arena, depth);
            make_possible(&root.children[i]);
        } while (!is_possible(&root.children[i]));
        root.children[i].name = names[i];
    }
    return root;
}

/* --- Values ---------------------------------------------------------------------------------- */

static int64_t day_of(lam_arrow_unit unit) {
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    return 86400 * units[unit];
}

/* A number of up to `digits` digits, in as many bytes as there are. */
static void put_decimal(lam_random *random, int32_t digits, size_t width, uint8_t *bytes) {
    uint8_t number[32] = {0};
    int32_t some = (int32_t)lam_random_below(random, (uint64_t)digits + 1);
    for (int32_t i = 0; i < some; i++) {
        unsigned carry = lam_random_chance(random, 30) ? 9 : (unsigned)lam_random_below(random, 10);
        for (size_t j = 0; j < sizeof number; j++) {
            carry += number[j] * 10u;
            number[j] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    unsigned flip = lam_random_chance(random, 50) ? 0xFF : 0, carry = flip & 1;
    for (size_t j = 0; j < width; j++) {
        carry += number[j] ^ flip;
        bytes[lam_test_byte_place(width, j)] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* A value that Parquet can hold, over random bytes. */
static void put_good(lam_random *random, const lam_arrow_type *type, uint8_t *bytes) {
    int64_t number;
    int32_t parts[2] = {(int32_t)lam_random_below(random, 1000),
                        (int32_t)lam_random_below(random, 99)};
    switch (type->kind) {
    case LAM_ARROW_DECIMAL:
        put_decimal(random, type->precision, (size_t)type->bit_width / 8, bytes);
        break;
    case LAM_ARROW_DATE64:
        number = ((int64_t)lam_random_below(random, 100000) - 50000) * 86400000;
        memcpy(bytes, &number, 8);
        break;
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
        number = (int64_t)lam_random_below(random, (uint64_t)day_of(type->unit));
        lam_test_store(bytes, type->kind == LAM_ARROW_TIME32 ? 4 : 8, (uint64_t)number);
        break;
    case LAM_ARROW_TIMESTAMP:
        number = (int64_t)lam_random_next(random) >> lam_random_below(random, 64);
        number = type->unit == LAM_ARROW_SECOND ? number / 1000 : number;
        memcpy(bytes, &number, 8);
        break;
    case LAM_ARROW_INTERVAL_MONTHS:
        memcpy(bytes, parts, 4);
        break;
    case LAM_ARROW_INTERVAL_DAY_TIME:
        memcpy(bytes, parts, 8);
        break;
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        number = (int64_t)lam_random_below(random, 5000) * 1000000;
        memcpy(bytes, parts, 8);
        memcpy(bytes + 8, &number, 8);
        break;
    default:
        break; /* any bytes will do */
    }
}

/* --- Arrays ---------------------------------------------------------------------------------- */

static void release(struct ArrowArray *array) {
    array->release = NULL;
}

/* An array on its way: all slots that its buffers have, used or not. */
typedef struct maker {
    lam_random *random;
    lam_arena *arena;
    const lam_arrow_field *field;
    struct ArrowArray *array;
    size_t count;
    uint8_t *live;  /* a byte per slot: to be read, if it is not null */
    uint8_t *valid; /* a byte per slot */
} maker;

static size_t below(const maker *make, uint64_t bound) {
    return (size_t)lam_random_below(make->random, bound);
}

static uint8_t *random_bytes(const maker *make, size_t size) {
    uint8_t *bytes = take(make->arena, size, 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lam_random_next(make->random);
    return bytes;
}

static void make_validity(maker *make) {
    static const unsigned percents[] = {0, 0, 10, 50, 100};
    unsigned percent = percents[below(make, 5)];
    bool is_null = make->field->type.kind == LAM_ARROW_NULL && !make->field->is_dictionary;
    size_t nulls = 0;
    make->valid = take(make->arena, make->count, 1);
    uint8_t *bits = take(make->arena, make->count / 8, 1);
    for (size_t i = 0; i < make->count; i++) {
        bool may = make->field->nullable || !make->live[i];
        make->valid[i] = !is_null && !(may && lam_random_chance(make->random, percent));
        bits[i / 8] |= (uint8_t)(make->valid[i] << i % 8);
        nulls += !make->valid[i];
    }
    if (make->array->n_buffers > 0 && (nulls > 0 || lam_random_chance(make->random, 50)))
        make->array->buffers[0] = bits;
}

static void put_offset(bool is_large, void *offsets, size_t index, size_t offset) {
    if (is_large)
        ((int64_t *)offsets)[index] = (int64_t)offset;
    else
        ((int32_t *)offsets)[index] = (int32_t)offset;
}

static void make_fixed(maker *make) {
    size_t width = lam_slot_width(make->field);
    uint8_t *bytes = random_bytes(make, make->count * width);
    bool few = lam_random_chance(make->random, 50); /* values that come again */
    for (size_t i = 0; i < make->count; i++) {
        if (few && i > 0 && lam_random_chance(make->random, 70)) {
            size_t from = below(make, i);
            if (!make->live[i] || (make->live[from] && make->valid[from])) {
                memcpy(bytes + i * width, bytes + from * width, width);
                continue;
            }
        }
        if (make->live[i] && make->valid[i])
            put_good(make->random, &make->field->type, bytes + i * width);
    }
    make->array->buffers[1] = bytes;
}

/* A word, or anything where nobody looks. */
static size_t put_word(maker *make, size_t slot, uint8_t *bytes) {
    static const char *const words[] = {
        "", "a", "größe", "価格", "a word of more than twelve bytes", "twelve bytes"};
    bool is_text = make->field->type.kind >= LAM_ARROW_STRING &&
                   make->field->type.kind <= LAM_ARROW_STRING_VIEW;
    size_t size = below(make, 20);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lam_random_next(make->random);
    if (!is_text || !make->live[slot] || !make->valid[slot])
        return size;
    const char *word = words[below(make, 6)];
    memcpy(bytes, word, strlen(word));
    return strlen(word);
}

enum { WORD_MAX = 40 };

static void make_bytes(maker *make, bool is_large) {
    uint8_t *data = take(make->arena, make->count * WORD_MAX + 8, 1);
    void *offsets = take(make->arena, make->count + 1, 8);
    size_t end = below(make, 8);
    put_offset(is_large, offsets, 0, end);
    for (size_t i = 0; i < make->count; i++) {
        end += put_word(make, i, data + end);
        put_offset(is_large, offsets, i + 1, end);
    }
    make->array->buffers[1] = offsets;
    make->array->buffers[2] = data;
}

static void make_views(maker *make) {
    uint8_t *views = random_bytes(make, make->count * 16);
    uint8_t *data[2] = {take(make->arena, make->count * WORD_MAX, 1),
                        take(make->arena, make->count * WORD_MAX, 1)};
    int64_t *sizes = take(make->arena, 2, 8);
    for (size_t i = 0; i < make->count; i++) {
        uint8_t word[WORD_MAX];
        int32_t size = (int32_t)put_word(make, i, word), buffer = (int32_t)below(make, 2);
        if (!make->valid[i])
            continue;
        memcpy(views + i * 16, &size, 4);
        if (size <= 12) {
            memcpy(views + i * 16 + 4, word, (size_t)size);
            continue;
        }
        int32_t offset = (int32_t)sizes[buffer];
        memcpy(views + i * 16 + 4, word, 4);
        memcpy(views + i * 16 + 8, &buffer, 4);
        memcpy(views + i * 16 + 12, &offset, 4);
        memcpy(data[buffer] + offset, word, (size_t)size);
        sizes[buffer] += size;
    }
    make->array->n_buffers = 5;
    make->array->buffers[1] = views;
    make->array->buffers[2] = data[0];
    make->array->buffers[3] = data[1];
    make->array->buffers[4] = sizes;
}

static void adopt(maker *make, size_t index, struct ArrowArray *child) {
    make->array->children[index] = child;
}

static void make_lists(maker *make, bool is_large) {
    void *offsets = take(make->arena, make->count + 1, 8);
    size_t *ends = take(make->arena, make->count + 1, sizeof *ends);
    ends[0] = below(make, 4);
    for (size_t i = 0; i < make->count; i++)
        ends[i + 1] = ends[i] + (lam_random_chance(make->random, 30) ? 0 : below(make, 5));
    uint8_t *live = take(make->arena, ends[make->count], 1);
    for (size_t i = 0; i < make->count; i++)
        memset(live + ends[i], make->live[i] && make->valid[i], ends[i + 1] - ends[i]);
    for (size_t i = 0; i <= make->count; i++)
        put_offset(is_large, offsets, i, ends[i]);
    make->array->buffers[1] = offsets;
    adopt(make, 0,
          lam_random_array(make->random, make->arena, make->field->children, ends[make->count],
                           live));
}

static void make_list_views(maker *make, bool is_large) {
    size_t elements = below(make, make->count * 3 + 1);
    void *offsets = take(make->arena, make->count, 8), *sizes = take(make->arena, make->count, 8);
    uint8_t *live = take(make->arena, elements, 1);
    for (size_t i = 0; i < make->count; i++) {
        size_t start = below(make, elements + 1), size = below(make, 5);
        size = size < elements - start ? size : elements - start;
        put_offset(is_large, offsets, i, start);
        put_offset(is_large, sizes, i, size);
        if (make->live[i] && make->valid[i])
            memset(live + start, 1, size);
    }
    make->array->buffers[1] = offsets;
    make->array->buffers[2] = sizes;
    adopt(make, 0,
          lam_random_array(make->random, make->arena, make->field->children, elements, live));
}

static void make_fixed_lists(maker *make) {
    size_t size = (size_t)make->field->type.fixed_size;
    uint8_t *live = take(make->arena, make->count * size, 1);
    for (size_t i = 0; i < make->count; i++)
        memset(live + i * size, make->live[i] && make->valid[i], size);
    adopt(make, 0,
          lam_random_array(make->random, make->arena, make->field->children, make->count * size,
                           live));
}

static void make_struct(maker *make) {
    uint8_t *live = take(make->arena, make->count, 1);
    for (size_t i = 0; i < make->count; i++)
        live[i] = make->live[i] && make->valid[i];
    for (size_t i = 0; i < make->field->child_count; i++)
        adopt(make, i,
              lam_random_array(make->random, make->arena, &make->field->children[i], make->count,
                               live));
}

static void make_runs(maker *make) {
    const lam_arrow_field *ends_field = &make->field->children[0];
    lam_arrow_field values = make->field->children[1];
    void *ends = take(make->arena, make->count + 1, 8);
    size_t runs = 0;
    for (size_t end = 0; end < make->count; runs++) {
        end += 1 + below(make, 5);
        if (ends_field->type.kind == LAM_ARROW_INT16)
            ((int16_t *)ends)[runs] = (int16_t)end;
        else
            put_offset(ends_field->type.kind == LAM_ARROW_INT64, ends, runs, end);
    }
    struct ArrowArray *run_ends = take(make->arena, 1, sizeof *run_ends);
    run_ends->length = (int64_t)runs;
    run_ends->n_buffers = 2;
    run_ends->buffers = take(make->arena, 2, sizeof(void *));
    run_ends->buffers[1] = ends;
    run_ends->release = release;
    values.nullable = make->field->nullable;
    adopt(make, 0, run_ends);
    adopt(make, 1, lam_random_array(make->random, make->arena, &values, runs, NULL));
}

static void make_dictionary(maker *make) {
    lam_arrow_field values = *make->field;
    size_t entries = 1 + below(make, 20), width = lam_slot_width(make->field);
    uint8_t *indexes = random_bytes(make, make->count * width);
    values.is_dictionary = false;
    for (size_t i = 0; i < make->count; i++) {
        uint64_t index = below(make, entries);
        if (make->valid[i])
            lam_test_store(indexes + i * width, width, index);
    }
    make->array->buffers[1] = indexes;
    make->array->dictionary = lam_random_array(make->random, make->arena, &values, entries, NULL);
}

static void make_slots(maker *make) {
    lam_arrow_kind kind = make->field->type.kind;
    if (make->field->is_dictionary) {
        make_dictionary(make);
        return;
    }
    switch (kind) {
    case LAM_ARROW_NULL:
        break;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_LARGE_STRING:
        make_bytes(make, kind == LAM_ARROW_LARGE_BINARY || kind == LAM_ARROW_LARGE_STRING);
        break;
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        make_views(make);
        break;
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_MAP:
        make_lists(make, kind == LAM_ARROW_LARGE_LIST);
        break;
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
        make_list_views(make, kind == LAM_ARROW_LARGE_LIST_VIEW);
        break;
    case LAM_ARROW_FIXED_SIZE_LIST:
        make_fixed_lists(make);
        break;
    case LAM_ARROW_STRUCT:
        make_struct(make);
        break;
    case LAM_ARROW_RUN_END_ENCODED:
        make_runs(make);
        break;
    default:
        make_fixed(make);
        break;
    }
}

static int64_t buffers_of(const lam_arrow_field *field) {
    lam_arrow_kind kind = field->type.kind;
    if (field->is_dictionary)
        return 2;
    if (kind == LAM_ARROW_NULL || kind == LAM_ARROW_RUN_END_ENCODED)
        return 0;
    if (kind == LAM_ARROW_STRUCT || kind == LAM_ARROW_FIXED_SIZE_LIST)
        return 1;
    bool three = (kind >= LAM_ARROW_BINARY && kind <= LAM_ARROW_STRING_VIEW) ||
                 kind == LAM_ARROW_LIST_VIEW || kind == LAM_ARROW_LARGE_LIST_VIEW;
    return three ? 3 : 2;
}

struct ArrowArray *lam_random_array(lam_random *random, lam_arena *arena,
                                    const lam_arrow_field *field, size_t length,
                                    const uint8_t *live) {
    enum { SPARE = 12 };
    struct ArrowArray *array = take(arena, 1, sizeof *array);
    maker make = {random, arena, field, array, 0, NULL, NULL};
    size_t before = lam_random_chance(random, 50) ? below(&make, SPARE) : 0;
    size_t behind = lam_random_chance(random, 50) ? below(&make, SPARE) : 0;
    make.count = before + length + behind;
    make.live = take(arena, make.count, 1);
    for (size_t i = 0; i < length; i++)
        make.live[before + i] = live == NULL || live[i];
    array->length = (int64_t)(length + behind);
    array->offset = (int64_t)before;
    array->null_count = field->type.kind == LAM_ARROW_RUN_END_ENCODED ? 0 : -1;
    array->n_buffers = buffers_of(field);
    array->buffers = take(arena, 5, sizeof(void *));
    array->n_children = field->is_dictionary ? 0 : (int64_t)field->child_count;
    array->children = take(arena, field->child_count, sizeof(void *));
    array->release = release;
    make_validity(&make);
    make_slots(&make);
    return array;
}
