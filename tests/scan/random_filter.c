/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws columns and filters over them, and works out the outcome of each record in the plainest
 * way.
 */
#include "scan/random_filter.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <math.h>
#include <string.h>

#include "scan/condition/filter_program.h"
#include "support/test_file.h"

static const char SCHEMA[] =
    "optional int32 a; required double b; optional binary c (STRING);"
    "optional group d (LIST) { repeated group list { optional int32 element; } }";

static int32_t random_number(lam_random *random) {
    return (int32_t)lam_random_below(random, 7) - 3;
}

static double random_double(lam_random *random) {
    static const double pool[] = {NAN, -0.0, 0.0, 1.5, -2.0, INFINITY, -INFINITY};
    return pool[lam_random_below(random, sizeof pool / sizeof *pool)];
}

static lam_bytes random_text(lam_random *random) {
    static const uint8_t letters[] = "ababab";
    return (lam_bytes){letters + lam_random_below(random, 2), (size_t)lam_random_below(random, 4)};
}

static void add(lam_triples *column, uint8_t *repetition, uint8_t *definition, uint8_t r,
                uint8_t d) {
    repetition[column->count] = r;
    definition[column->count++] = d;
}

static void shred_list(random_table *table, const random_row *row) {
    lam_triples *column = &table->columns[3];
    if (row->length <= 0)
        add(column, table->repetition[3], table->definition[3], 0, row->length == 0);
    for (int i = 0; i < row->length; i++) {
        add(column, table->repetition[3], table->definition[3], i > 0, row->has_item[i] ? 3 : 2);
        if (row->has_item[i])
            table->d[column->value_count++] = row->items[i];
    }
}

static void shred(random_table *table, const random_row *row) {
    lam_triples *columns = table->columns;
    add(&columns[0], table->repetition[0], table->definition[0], 0, row->has_a);
    if (row->has_a)
        table->a[columns[0].value_count++] = row->a;
    add(&columns[1], table->repetition[1], table->definition[1], 0, 0);
    table->b[columns[1].value_count++] = row->b;
    add(&columns[2], table->repetition[2], table->definition[2], 0, row->has_c);
    if (row->has_c)
        table->c[columns[2].value_count++] = row->c;
    shred_list(table, row);
}

void random_table_fill(random_table *table, lam_random *random) {
    memset(table, 0, sizeof *table);
    table->schema = lam_test_parse(SCHEMA);
    table->row_count = 1 + (size_t)lam_random_below(random, RANDOM_ROWS);
    unsigned nulls = (unsigned)lam_random_below(random, 4) * 30;
    for (size_t i = 0; i < table->row_count; i++) {
        random_row *row = &table->rows[i];
        row->has_a = !lam_random_chance(random, nulls);
        row->a = random_number(random);
        row->b = random_double(random);
        row->has_c = !lam_random_chance(random, nulls);
        row->c = random_text(random);
        row->length =
            (int)lam_random_below(random, RANDOM_ITEMS + 1) - lam_random_chance(random, nulls);
        for (int item = 0; item < row->length; item++) {
            row->has_item[item] = !lam_random_chance(random, nulls);
            row->items[item] = random_number(random);
        }
        shred(table, row);
    }
    const void *values[RANDOM_LEAVES] = {table->a, table->b, table->c, table->d};
    for (size_t i = 0; i < RANDOM_LEAVES; i++) {
        table->columns[i].values = values[i];
        table->columns[i].repetition = i == 3 ? table->repetition[i] : NULL;
        table->columns[i].definition = i == 1 ? NULL : table->definition[i];
    }
}

void random_table_finish(random_table *table) {
    lam_schema_destroy(table->schema);
}

/* --- Outcomes one by one ------------------------------------------------------------------- */

static int order_doubles(double a, double b) {
    if (isnan(a) || isnan(b))
        return (int)(isnan(a) != 0) - (int)(isnan(b) != 0);
    return (a > b) - (a < b);
}

static int order_texts(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static bool holds(lam_filter_operator operation, int order) {
    switch (operation) {
    case LAM_FILTER_EQUAL:
        return order == 0;
    case LAM_FILTER_NOT_EQUAL:
        return order != 0;
    case LAM_FILTER_LESS:
        return order < 0;
    case LAM_FILTER_LESS_OR_EQUAL:
        return order <= 0;
    case LAM_FILTER_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static uint8_t outcome_of(bool there, bool holds_for_it) {
    if (!there)
        return LAM_OUTCOME_UNKNOWN;
    return holds_for_it ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

static uint8_t larger(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static uint8_t compare_row(const random_row *row, size_t leaf, lam_filter_operator operation,
                           lam_value value) {
    if (leaf == 0)
        return outcome_of(row->has_a,
                          holds(operation, (row->a > value.int32) - (row->a < value.int32)));
    if (leaf == 1)
        return outcome_of(true, holds(operation, order_doubles(row->b, value.float64)));
    if (leaf == 2)
        return outcome_of(row->has_c, holds(operation, order_texts(row->c, value.bytes)));
    uint8_t outcome = row->length < 0 ? LAM_OUTCOME_UNKNOWN : LAM_OUTCOME_FALSE;
    for (int i = 0; i < row->length; i++) {
        int32_t item = row->items[i];
        outcome = larger(outcome,
                         outcome_of(row->has_item[i],
                                    holds(operation, (item > value.int32) - (item < value.int32))));
    }
    return outcome;
}

/* Field 4 is the list itself. */
static bool null_row(const random_row *row, size_t field, bool wants_null) {
    if (field == 0)
        return row->has_a != wants_null;
    if (field == 1)
        return !wants_null;
    if (field == 2)
        return row->has_c != wants_null;
    if (field == 4)
        return (row->length < 0) == wants_null;
    for (int i = 0; i < row->length; i++)
        if (row->has_item[i] != wants_null)
            return true;
    return false;
}

/* --- Filters ------------------------------------------------------------------------------- */

static const char *const PATHS[] = {"a", "b", "c", "d.list.element", "d"};

static lam_value random_value(size_t leaf, lam_random *random) {
    lam_value value;
    memset(&value, 0, sizeof value);
    if (leaf == 1)
        value.float64 = random_double(random);
    else if (leaf == 2)
        value.bytes = random_text(random);
    else
        value.int32 = random_number(random);
    return value;
}

static void add_comparison(lam_filter_builder *builder, const random_table *table,
                           lam_random *random, uint8_t *outcomes) {
    size_t leaf = (size_t)lam_random_below(random, RANDOM_LEAVES);
    lam_filter_operator operation = (lam_filter_operator)lam_random_below(random, 6);
    lam_value value = random_value(leaf, random);
    const char *path = leaf == 3 && lam_random_chance(random, 50) ? "d" : PATHS[leaf];
    cr_assert_eq(lam_filter_builder_compare(builder, path, operation, &value, 1, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < table->row_count; i++)
        outcomes[i] = compare_row(&table->rows[i], leaf, operation, value);
}

/* With no values at all a test is false wherever there is no null. */
static void add_in(lam_filter_builder *builder, const random_table *table, lam_random *random,
                   uint8_t *outcomes) {
    lam_value values[5];
    size_t leaf = (size_t)lam_random_below(random, RANDOM_LEAVES);
    size_t count = 1 + (size_t)lam_random_below(random, 5);
    for (size_t i = 0; i < count; i++)
        values[i] = random_value(leaf, random);
    cr_assert_eq(
        lam_filter_builder_compare(builder, PATHS[leaf], LAM_FILTER_EQUAL, values, count, NULL),
        LAM_STATUS_OK);
    for (size_t i = 0; i < table->row_count; i++) {
        outcomes[i] = compare_row(&table->rows[i], leaf, LAM_FILTER_EQUAL, values[0]);
        for (size_t k = 1; k < count; k++)
            outcomes[i] = larger(outcomes[i],
                                 compare_row(&table->rows[i], leaf, LAM_FILTER_EQUAL, values[k]));
    }
}

/* From one value to another: of a list any element has to be in between, not one on each side. */
static uint8_t between_row(const random_row *row, size_t leaf, lam_value low, lam_value high) {
    uint8_t least = compare_row(row, leaf, LAM_FILTER_GREATER_OR_EQUAL, low);
    uint8_t most = compare_row(row, leaf, LAM_FILTER_LESS_OR_EQUAL, high);
    if (leaf != 3)
        return least < most ? least : most;
    uint8_t outcome = row->length < 0 ? LAM_OUTCOME_UNKNOWN : LAM_OUTCOME_FALSE;
    for (int i = 0; i < row->length; i++)
        outcome = larger(outcome, outcome_of(row->has_item[i], row->items[i] >= low.int32 &&
                                                                   row->items[i] <= high.int32));
    return outcome;
}

static void add_between(lam_filter_builder *builder, const random_table *table, lam_random *random,
                        uint8_t *outcomes) {
    size_t leaf = (size_t)lam_random_below(random, RANDOM_LEAVES);
    lam_value low = random_value(leaf, random), high = random_value(leaf, random);
    cr_assert_eq(lam_filter_builder_compare(builder, PATHS[leaf], LAM_FILTER_BETWEEN,
                                            (const lam_value[]){low, high}, 2, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < table->row_count; i++)
        outcomes[i] = between_row(&table->rows[i], leaf, low, high);
}

/* Texts of random tables have characters of one byte only. */
static bool is_like(const uint8_t *text, size_t size, const char *pattern) {
    if (*pattern == '\0')
        return size == 0;
    if (*pattern == '%')
        return is_like(text, size, pattern + 1) ||
               (size > 0 && is_like(text + 1, size - 1, pattern));
    return size > 0 && (*pattern == '_' || (uint8_t)*pattern == *text) &&
           is_like(text + 1, size - 1, pattern + 1);
}

static void add_like(lam_filter_builder *builder, const random_table *table, lam_random *random,
                     uint8_t *outcomes) {
    char pattern[8] = {0};
    lam_bytes text = random_text(random);
    size_t size = text.size < 4 ? text.size : 4;
    memcpy(pattern, text.data, size);
    for (size_t i = 0; i < size; i++)
        if (lam_random_chance(random, 20))
            pattern[i] = lam_random_chance(random, 50) ? '%' : '_';
    if (lam_random_chance(random, 70))
        pattern[size++] = '%';
    cr_assert_eq(lam_filter_builder_like(builder, "c", (lam_bytes){(const uint8_t *)pattern, size},
                                         NULL, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < table->row_count; i++) {
        const random_row *row = &table->rows[i];
        outcomes[i] =
            outcome_of(row->has_c, row->has_c && is_like(row->c.data, row->c.size, pattern));
    }
}

static void add_null(lam_filter_builder *builder, const random_table *table, lam_random *random,
                     uint8_t *outcomes) {
    size_t field = (size_t)lam_random_below(random, 5);
    bool is_null = lam_random_chance(random, 50);
    cr_assert_eq(lam_filter_builder_is_null(builder, PATHS[field], is_null, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < table->row_count; i++)
        outcomes[i] =
            null_row(&table->rows[i], field, is_null) ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

static void add_test(lam_filter_builder *builder, const random_table *table, lam_random *random,
                     uint8_t *outcomes) {
    uint64_t kind = lam_random_below(random, 6);
    if (kind == 0)
        add_in(builder, table, random, outcomes);
    else if (kind == 1)
        add_null(builder, table, random, outcomes);
    else if (kind == 2)
        add_between(builder, table, random, outcomes);
    else if (kind == 3)
        add_like(builder, table, random, outcomes);
    else
        add_comparison(builder, table, random, outcomes);
    if (lam_random_chance(random, 30)) {
        cr_assert_eq(lam_filter_builder_not(builder, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < table->row_count; i++)
            outcomes[i] = (uint8_t)(LAM_OUTCOME_TRUE - outcomes[i]);
    }
}

static void join(lam_filter_builder *builder, size_t count, lam_random *random, const uint8_t *more,
                 uint8_t *outcomes) {
    bool is_and = lam_random_chance(random, 50);
    cr_assert_eq(is_and ? lam_filter_builder_and(builder, NULL)
                        : lam_filter_builder_or(builder, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < count; i++)
        if (is_and == (more[i] < outcomes[i]))
            outcomes[i] = more[i];
}

lam_filter *random_filter(const random_table *table, const lam_schema *schema, lam_random *random,
                          uint8_t *outcomes) {
    lam_filter_builder *builder;
    lam_filter *filter;
    uint8_t stack[3][RANDOM_ROWS];
    size_t height = 0;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    size_t left = 1 + (size_t)lam_random_below(random, RANDOM_TESTS);
    while (left > 0 || height > 1) {
        bool joins = height > 1 && (left == 0 || height == 3 || lam_random_chance(random, 50));
        if (joins) {
            height--;
            join(builder, table->row_count, random, stack[height], stack[height - 1]);
        } else {
            add_test(builder, table, random, stack[height++]);
            left--;
        }
    }
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    memcpy(outcomes, stack[0], table->row_count);
    return filter;
}
