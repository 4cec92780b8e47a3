/* SPDX-License-Identifier: Apache-2.0 */
#include "arrow_sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NULL_PERCENT = 5, LIST_MAX = 8 };

static uint64_t random_state = 1;

static uint64_t random_number(void) {
    random_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = random_state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t random_below(uint64_t bound) {
    return random_number() % bound;
}

static void *allocate(size_t size) {
    void *memory = calloc(size > 0 ? size : 1, 1);
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Arrays and schemas ---------------------------------------------------------------------- */

/* Nothing is freed before the program ends. */
static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

typedef struct column {
    struct ArrowSchema *schema;
    struct ArrowArray *array;
} column;

/* A column with room for buffers and children, and validity bits when it may have nulls. */
static column make(const char *name, const char *format, size_t length, bool nullable,
                   size_t buffers, size_t children) {
    column made = {allocate(sizeof(struct ArrowSchema)), allocate(sizeof(struct ArrowArray))};
    made.schema->name = name;
    made.schema->format = format;
    made.schema->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    made.schema->n_children = made.array->n_children = (int64_t)children;
    made.schema->children = allocate(children * sizeof *made.schema->children);
    made.array->children = allocate(children * sizeof *made.array->children);
    made.schema->release = release_schema;
    made.array->release = release_array;
    made.array->length = (int64_t)length;
    made.array->n_buffers = (int64_t)buffers;
    made.array->buffers = allocate(buffers * sizeof *made.array->buffers);
    if (nullable) {
        uint8_t *validity = allocate(length / 8 + 1);
        for (size_t i = 0; i < length; i++)
            if (random_below(100) >= NULL_PERCENT)
                validity[i / 8] |= (uint8_t)(1 << i % 8);
            else
                made.array->null_count++;
        made.array->buffers[0] = validity;
    }
    return made;
}

static void adopt(column parent, size_t index, column child) {
    parent.schema->children[index] = child.schema;
    parent.array->children[index] = child.array;
}

/* --- Values ---------------------------------------------------------------------------------- */

static column int64s(const char *name, const char *format, size_t length, bool nullable,
                     int64_t start, uint64_t step) {
    column made = make(name, format, length, nullable, 2, 0);
    int64_t *values = allocate(length * sizeof *values);
    for (size_t i = 0; i < length; i++) {
        values[i] = start;
        start += step == 1 ? 1 : 1 + (int64_t)random_below(step);
    }
    made.array->buffers[1] = values;
    return made;
}

static column int32s(const char *name, size_t length, bool nullable, uint64_t bound) {
    column made = make(name, "i", length, nullable, 2, 0);
    int32_t *values = allocate(length * sizeof *values);
    for (size_t i = 0; i < length; i++)
        values[i] = (int32_t)random_below(bound);
    made.array->buffers[1] = values;
    return made;
}

static column doubles(const char *name, size_t length, bool nullable) {
    column made = make(name, "g", length, nullable, 2, 0);
    double *values = allocate(length * sizeof *values);
    for (size_t i = 0; i < length; i++)
        values[i] = (double)(random_number() >> 11) * 0x1p-53;
    made.array->buffers[1] = values;
    return made;
}

/* `distinct` strings, or all different when it is 0. */
static column strings(const char *name, const char *prefix, size_t length, bool nullable,
                      uint64_t distinct) {
    enum { MOST = 32 };
    column made = make(name, "u", length, nullable, 3, 0);
    int32_t *offsets = allocate((length + 1) * sizeof *offsets);
    char *data = allocate(length * MOST);
    for (size_t i = 0; i < length; i++) {
        uint64_t number = distinct > 0 ? random_below(distinct) : random_number() >> 4;
        int size = snprintf(data + offsets[i], MOST, distinct > 0 ? "%s%02" PRIu64 : "%s%" PRIx64,
                            prefix, number);
        offsets[i + 1] = offsets[i] + size;
    }
    made.array->buffers[1] = offsets;
    made.array->buffers[2] = data;
    return made;
}

/* A list column without its child, and the number of its elements. */
static column lists(const char *name, size_t length, size_t *ret_elements) {
    column made = make(name, "+l", length, true, 2, 1);
    int32_t *offsets = allocate((length + 1) * sizeof *offsets);
    for (size_t i = 0; i < length; i++)
        offsets[i + 1] = offsets[i] + (int32_t)random_below(LIST_MAX + 1);
    made.array->buffers[1] = offsets;
    *ret_elements = (size_t)offsets[length];
    return made;
}

/* --- The tables ------------------------------------------------------------------------------ */

static double bytes_of(const struct ArrowSchema *schema, const struct ArrowArray *array) {
    double bytes = 0, length = (double)array->length;
    switch (schema->format[0]) {
    case 'l':
    case 'g':
    case 't':
        bytes = 8 * length;
        break;
    case 'i':
        bytes = 4 * length;
        break;
    case 'u':
        bytes = 4 * length + ((const int32_t *)array->buffers[1])[array->length];
        break;
    default:
        bytes = schema->format[1] == 'l' ? 4 * length : 0;
        break;
    }
    for (int64_t i = 0; i < array->n_children; i++)
        bytes += bytes_of(schema->children[i], array->children[i]);
    return bytes;
}

static void finish(column table, arrow_sample *ret_sample) {
    ret_sample->schema = *table.schema;
    ret_sample->array = *table.array;
    ret_sample->bytes = bytes_of(table.schema, table.array);
}

void arrow_sample_flat(size_t rows, arrow_sample *ret_sample) {
    const int64_t start = INT64_C(1700000000000000);
    column table = make("", "+s", rows, false, 1, 7);
    adopt(table, 0, int64s("sequence", "l", rows, false, 0, 1));
    adopt(table, 1, int32s("small", rows, true, 1000));
    adopt(table, 2, doubles("random", rows, true));
    adopt(table, 3, strings("category", "category-", rows, true, 50));
    adopt(table, 4, strings("unique", "u", rows, false, 0));
    adopt(table, 5, int64s("time", "tsu:", rows, false, start, 2000));
    adopt(table, 6, int64s("time or null", "tsu:", rows, true, start, 2000));
    finish(table, ret_sample);
}

void arrow_sample_nested(size_t rows, arrow_sample *ret_sample) {
    size_t elements;
    column table = make("", "+s", rows, false, 1, 3);
    column words = lists("words", rows, &elements);
    adopt(words, 0, strings("item", "word-", elements, true, 2000));
    column points = lists("points", rows, &elements);
    column point = make("item", "+s", elements, true, 1, 3);
    adopt(point, 0, strings("name", "word-", elements, true, 2000));
    adopt(point, 1, int32s("number", elements, true, 1000));
    adopt(point, 2, doubles("weight", elements, true));
    adopt(points, 0, point);
    column outer = make("outer", "+s", rows, true, 1, 2);
    column inner = make("inner", "+s", rows, true, 1, 2);
    adopt(inner, 0, int64s("id", "l", rows, true, 0, UINT64_C(1) << 40));
    adopt(inner, 1, strings("name", "word-", rows, true, 2000));
    adopt(outer, 0, inner);
    adopt(outer, 1, doubles("weight", rows, true));
    adopt(table, 0, words);
    adopt(table, 1, points);
    adopt(table, 2, outer);
    finish(table, ret_sample);
}

arrow_sample arrow_sample_column(const arrow_sample *sample, size_t index) {
    arrow_sample alone;
    column table = make("", "+s", (size_t)sample->array.length, false, 1, 1);
    column one = {sample->schema.children[index], sample->array.children[index]};
    adopt(table, 0, one);
    finish(table, &alone);
    return alone;
}
