/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the keys of rows and sorts by them: takes the sort columns of rows, batch by batch, and
 * gives the order of the rows.
 *
 *     keys     00 80 00 2A 'f' 'o' 'o' 00 00     prefix 0080002A666F6F00, then all bytes
 *
 * Most rows differ in the first 8 bytes of their keys, so those are kept as numbers, and sorted
 * byte by byte from the last to the first (radix sort), which is stable; bytes that all rows have
 * in common cost nothing. Rows with one prefix are then compared by their entire keys. The
 * invariant: rows with equal keys stay in the order in which they were added.
 */
#include "rewrite/sort/sort_keys.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "schema/tree.h"

void lam_sort_order_add(lam_sort_order *order, const lam_field *leaf, size_t leaf_index,
                        bool descending, bool nulls_first) {
    size_t size = 0;
    order->codes[order->count] = lam_sort_code_of(leaf, descending, nulls_first);
    order->leaves[order->count++] = leaf_index;
    order->fits_prefix = true;
    for (size_t i = 0; i < order->count; i++) {
        size_t next = lam_sort_code_size(&order->codes[i]);
        size += next;
        order->fits_prefix = order->fits_prefix && next != 0 && next <= sizeof(uint64_t);
    }
    order->fits_prefix = order->fits_prefix && size <= sizeof(uint64_t);
}

void lam_sort_keys_init(lam_sort_keys *keys, lam_sort_order *order,
                        const lam_allocator *allocator) {
    keys->order = order;
    LAM_LIST_INIT(&keys->prefixes, allocator);
    lam_buffer_init(&keys->bytes, allocator);
    LAM_LIST_INIT(&keys->ends, allocator);
}

void lam_sort_keys_finish(lam_sort_keys *keys) {
    if (keys->order == NULL)
        return;
    LAM_LIST_FINISH(&keys->prefixes);
    lam_buffer_finish(&keys->bytes);
    LAM_LIST_FINISH(&keys->ends);
    keys->order = NULL;
}

void lam_sort_keys_clear(lam_sort_keys *keys) {
    keys->prefixes.count = 0;
    lam_buffer_clear(&keys->bytes);
    keys->ends.count = 0;
}

/* --- Adding -------------------------------------------------------------------------------- */

/* Appends the code of one row's value; `*value` counts the values before it. */
static lam_status add_code(lam_sort_keys *keys, size_t key, const lam_triples *column, size_t row,
                           size_t *value, lam_error *error) {
    lam_sort_code *code = &keys->order->codes[key];
    uint8_t scratch[LAM_VALUE_SCRATCH];
    if (column->definition != NULL && column->definition[row] != code->leaf->max_definition)
        return lam_sort_code_append(code, NULL, &keys->bytes, error);
    lam_bytes plain = lam_value_plain(&code->order, column->values, (*value)++, scratch);
    return lam_sort_code_append(code, &plain, &keys->bytes, error);
}

static uint64_t prefix_of(lam_bytes key) {
    uint64_t prefix = 0;
    for (size_t i = 0; i < sizeof prefix; i++)
        prefix = prefix << 8 | (i < key.size ? key.data[i] : 0);
    return prefix;
}

/* If prefixes are enough the bytes of a key are forgotten again. */
static lam_status add_row(lam_sort_keys *keys, const lam_triples *columns, size_t row,
                          size_t *values, lam_error *error) {
    const lam_sort_order *order = keys->order;
    size_t before = keys->bytes.size;
    for (size_t i = 0; i < order->count; i++)
        LAM_TRY(add_code(keys, i, &columns[order->leaves[i]], row, &values[i], error));
    lam_bytes key = {keys->bytes.data + before, keys->bytes.size - before};
    LAM_TRY(LAM_LIST_RESERVE(&keys->prefixes, 1, error));
    keys->prefixes.items[keys->prefixes.count++] = prefix_of(key);
    if (order->fits_prefix) {
        keys->bytes.size = before;
        return LAM_STATUS_OK;
    }
    return LAM_LIST_ADD(&keys->ends, &keys->bytes.size, error);
}

lam_status lam_sort_keys_add(lam_sort_keys *keys, const lam_triples *columns, size_t rows,
                             lam_error *error) {
    size_t values[LAM_SORT_KEYS_MAX] = {0};
    for (size_t i = 0; i < rows; i++)
        LAM_TRY(add_row(keys, columns, i, values, error));
    return LAM_STATUS_OK;
}

/* --- Comparing ----------------------------------------------------------------------------- */

static lam_bytes key_of(const lam_sort_keys *keys, size_t row) {
    const size_t *ends = keys->ends.items;
    size_t begin = row == 0 ? 0 : ends[row - 1];
    return (lam_bytes){keys->bytes.data + begin, ends[row] - begin};
}

/* Each key has bytes: those of its first value at least, or of its being null. */
static int compare_keys(lam_bytes a, lam_bytes b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

int lam_sort_keys_compare(const lam_sort_keys *a, size_t row_a, const lam_sort_keys *b,
                          size_t row_b) {
    uint64_t prefix_a = a->prefixes.items[row_a], prefix_b = b->prefixes.items[row_b];
    if (prefix_a != prefix_b)
        return prefix_a < prefix_b ? -1 : 1;
    return a->order->fits_prefix ? 0 : compare_keys(key_of(a, row_a), key_of(b, row_b));
}

/* --- Sorting ------------------------------------------------------------------------------- */

typedef struct sort_item {
    uint64_t prefix;
    uint32_t row;
} sort_item;

/* As lam_order: rows of one prefix. */
static int compare_items(const void *state, const void *a, const void *b) {
    const lam_sort_keys *keys = state;
    const sort_item *x = a, *y = b;
    int order = compare_keys(key_of(keys, x->row), key_of(keys, y->row));
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/*
 * Sorts by prefix, a byte at a time, from `items` to `spare` and back; gives which of both holds
 * the result.
 */
static sort_item *sort_by_prefix(sort_item *items, sort_item *spare, size_t count) {
    enum { VALUES = 256, BITS = 8 };
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        size_t starts[VALUES] = {0}, at = 0;
        for (size_t i = 0; i < count; i++)
            starts[items[i].prefix >> shift & (VALUES - 1)]++;
        if (starts[items[0].prefix >> shift & (VALUES - 1)] == count)
            continue;
        for (size_t i = 0; i < VALUES; i++) {
            size_t size = starts[i];
            starts[i] = at;
            at += size;
        }
        for (size_t i = 0; i < count; i++)
            spare[starts[items[i].prefix >> shift & (VALUES - 1)]++] = items[i];
        sort_item *other = items;
        items = spare;
        spare = other;
    }
    return items;
}

static void sort_equal_prefixes(const lam_sort_keys *keys, sort_item *items, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && items[end].prefix == items[begin].prefix; end++)
            ;
        if (end - begin > 1)
            lam_sort(items + begin, end - begin, sizeof *items, compare_items, keys);
    }
}

lam_status lam_sort_keys_sort(const lam_sort_keys *keys, lam_row_numbers *ret_rows,
                              lam_error *error) {
    size_t count = keys->prefixes.count;
    LAM_LIST(sort_item) memory;
    ret_rows->count = 0;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_RESERVE(ret_rows, count, error));
    LAM_LIST_INIT(&memory, &keys->prefixes.allocator);
    lam_status status = LAM_LIST_RESERVE(&memory, 2 * count, error);
    if (status == LAM_STATUS_OK) {
        sort_item *items = memory.items;
        for (size_t i = 0; i < count; i++)
            items[i] = (sort_item){keys->prefixes.items[i], (uint32_t)i};
        items = sort_by_prefix(items, items + count, count);
        if (!keys->order->fits_prefix)
            sort_equal_prefixes(keys, items, count);
        for (size_t i = 0; i < count; i++)
            ret_rows->items[i] = items[i].row;
        ret_rows->count = count;
    }
    LAM_LIST_FINISH(&memory);
    return status;
}
