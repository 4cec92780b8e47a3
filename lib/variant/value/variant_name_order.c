/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts the names of one value by setting a bit for each at its index in a sorted list of all
 * names, and reading the bits from the first to the last.
 *
 * Takes numbers of names in any order, and gives the same numbers in the order of the names. That
 * is linear in the numbers and the words of marks, and no name is compared: JSON records repeat the
 * same few hundred names millions of times. If the list is far longer than the value, the scan over
 * the words would cost more than comparing, and the numbers are sorted directly. The invariant
 * between calls: all marks are 0, and the list holds exactly the first names of the table.
 */
#include "variant/value/variant_name_order.h"

#include "base/error.h"
#include "variant/value/variant_layout.h"

/* The list stays as it is while new names are at most this many plus a quarter of its length. */
enum { NEW_NAMES = 32, NEW_SHARE = 4 };
/* Most words of marks that are scanned for each name: beyond them, comparing names is faster. */
enum { WORDS_PER_NAME = 8 };

void lam_variant_name_order_init(lam_variant_name_order *order, const lam_allocator *allocator) {
    LAM_LIST_INIT(&order->list, allocator);
    LAM_LIST_INIT(&order->positions, allocator);
    LAM_LIST_INIT(&order->marks, allocator);
}

void lam_variant_name_order_finish(lam_variant_name_order *order) {
    LAM_LIST_FINISH(&order->list);
    LAM_LIST_FINISH(&order->positions);
    LAM_LIST_FINISH(&order->marks);
}

/* The lists keep their memory; the marks are already 0, and are made again with the next list. */
void lam_variant_name_order_clear(lam_variant_name_order *order) {
    order->list.count = 0;
}

/* Whether name `a` sorts before name `b`, by their bytes. */
static bool variant_name_order_is_before(const lam_variant_name_table *table, uint32_t a,
                                         uint32_t b) {
    return lam_variant_compare_names(lam_variant_name_bytes(&table->names.items[a]),
                                     lam_variant_name_bytes(&table->names.items[b])) < 0;
}

/*
 * Takes all names of the table into the list: sorts those that it lacks, then merges them in from
 * the back. The list alone is kept across the reallocation; places and marks are made again.
 */
static lam_status take_all(lam_variant_name_order *order, const lam_variant_name_table *table,
                           lam_error *error) {
    size_t known = order->list.count, count = table->names.count, words = count / 64 + 1;
    /* Three times the numbers: the list, the new ones after it, and the room to sort them. */
    LAM_TRY(LAM_LIST_RESERVE(&order->list, 3 * count - known, error));
    LAM_TRY(LAM_LIST_RESERVE(&order->positions, count, error));
    order->list.count = 0; /* a failure below leaves an empty list, which is valid */
    LAM_TRY(LAM_LIST_RESERVE(&order->marks, words, error));
    memset(order->marks.items, 0, words * sizeof(uint64_t));
    uint32_t *list = order->list.items, *added = list + count;
    size_t left = known, right = count - known;
    for (size_t i = 0; i < right; i++)
        added[i] = (uint32_t)(known + i);
    lam_variant_names_sort(table, added, right, added + right);
    /* In place from the last to the first: index at - 1 is never below an unread old one. */
    for (size_t at = count; right > 0; at--)
        list[at - 1] =
            left > 0 && variant_name_order_is_before(table, added[right - 1], list[left - 1])
                ? list[--left]
                : added[--right];
    for (size_t i = 0; i < count; i++)
        order->positions.items[list[i]] = (uint32_t)i;
    order->list.count = count;
    return LAM_STATUS_OK;
}

/*
 * Sets the marks of the numbers in the list, and copies the others to `others`. Returns the number
 * of these.
 */
static size_t set_marks(lam_variant_name_order *order, const uint32_t *numbers, size_t count,
                        uint32_t *others) {
    uint64_t *marks = order->marks.items;
    const uint32_t *positions = order->positions.items;
    size_t other_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] < order->list.count)
            marks[positions[numbers[i]] / 64] |= UINT64_C(1) << positions[numbers[i]] % 64;
        else
            others[other_count++] = numbers[i];
    }
    return other_count;
}

/* Index of the lowest bit that is set; there is one. */
static unsigned lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned at = 0;
    for (; (bits & 1) == 0; bits >>= 1)
        at++;
    return at;
#endif
}

/*
 * Writes the `count` marked numbers in the order of the list, and clears the marks. Stops at the
 * word of the last mark, so that the words after it are not scanned.
 */
static void take_marks(lam_variant_name_order *order, uint32_t *numbers, size_t count) {
    uint64_t *marks = order->marks.items;
    const uint32_t *list = order->list.items;
    size_t taken = 0;
    for (size_t word = 0; taken < count; word++) {
        for (uint64_t left = marks[word]; left != 0; left &= left - 1)
            numbers[taken++] = list[64 * word + lowest_bit(left)];
        marks[word] = 0;
    }
}

/* Marked numbers and new ones are two sorted lists at the end, which are merged from the back. */
lam_status lam_variant_name_order_sort(lam_variant_name_order *order,
                                       const lam_variant_name_table *table, uint32_t *numbers,
                                       size_t count, uint32_t *spare, lam_error *error) {
    if (table->names.count - order->list.count > NEW_NAMES + order->list.count / NEW_SHARE)
        LAM_TRY(take_all(order, table, error));
    if (order->list.count / 64 > count * WORDS_PER_NAME) {
        lam_variant_names_sort(table, numbers, count, spare);
        return LAM_STATUS_OK;
    }
    size_t others = set_marks(order, numbers, count, spare), left = count - others;
    take_marks(order, numbers, left);
    if (others == 0)
        return LAM_STATUS_OK;
    /* `numbers` has room for the others after the marked ones; sort them there, then merge. */
    memcpy(numbers + left, spare, others * sizeof *spare);
    lam_variant_names_sort(table, numbers + left, others, spare);
    memcpy(spare, numbers + left, others * sizeof *spare);
    for (size_t at = count; others > 0; at--)
        numbers[at - 1] =
            left > 0 && variant_name_order_is_before(table, spare[others - 1], numbers[left - 1])
                ? numbers[--left]
                : spare[--others];
    return LAM_STATUS_OK;
}
