/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random records with a VARIANT somewhere inside, and conditions on it whose outcomes are worked
 * out on the whole values.
 */
#include "scan/variant_table.h"

#include <lamella/filter_text.h>

#include "scan/condition/filter_program.h"
#include "variant/random_fitting.h"
#include "variant/random_variant.h"
#include "variant/shred_trip.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        lam_error ok_error = lam_error_none();                                                     \
        cr_assert_eq((call), LAM_STATUS_OK, "%s: %s", #call, ok_error.message);                    \
    } while (0)

static void find_variant(variant_table *table) {
    static const char *const paths[] = {"v", "f.v", "f.g.v", "f.g.h.v"};
    table->last_repeated = 0;
    for (size_t i = 0; i < 4; i++) {
        const lam_field *field = lam_schema_find(table->schema, paths[i]);
        if (field == NULL)
            continue;
        table->depth = i + 1;
        strcpy(table->path, paths[i]);
        for (size_t k = table->depth; k > 0; k--) {
            table->around[k - 1] = field;
            field = lam_field_parent(field);
        }
        for (size_t k = 1; k <= table->depth; k++)
            if (lam_field_repetition(table->around[k - 1]) == LAM_REPETITION_REPEATED)
                table->last_repeated = k;
        return;
    }
    cr_assert_fail("no VARIANT");
}

static void note(variant_table *table, occurrence found) {
    found.record = table->records;
    OK(lam_buffer_append(&table->occurrences, &found, sizeof found, &ok_error));
}

static void write_value(variant_table *table) {
    occurrence found = {.is_there = true};
    lam_variant variant;
    if (lam_random_chance(table->random, 75))
        lam_random_fitting(table->random, table->builder, table->around[table->depth - 1]);
    else
        lam_random_variant(table->random, table->builder,
                           1 + (unsigned)lam_random_below(table->random, table->value_size));
    OK(lam_variant_builder_finish(table->builder, &variant, &ok_error));
    OK(lam_variant_shredder_write(table->shredder, variant, &table->sink, &ok_error));
    found.value = keep_variant(variant);
    note(table, found);
}

/* The groups from one on, down to the VARIANT. */
static void write_groups(variant_table *table, size_t at) {
    if (at == AROUND_MAX)
        return; /* the VARIANT was the last */
    const lam_field *group = table->around[at];
    lam_repetition repetition = lam_field_repetition(group);
    unsigned times = 1;
    if (repetition == LAM_REPETITION_OPTIONAL)
        times = lam_random_chance(table->random, 85);
    else if (repetition == LAM_REPETITION_REPEATED)
        times = (unsigned)lam_random_below(table->random, 4);
    if (times == 0 && repetition == LAM_REPETITION_OPTIONAL)
        note(table, (occurrence){.has_place = at + 1 > table->last_repeated});
    for (; times > 0; times--) {
        if (at + 1 == table->depth) {
            write_value(table);
            continue;
        }
        OK(table->sink.open(table->sink.state, group, &ok_error));
        write_groups(table, at + 1);
        OK(table->sink.close(table->sink.state, group, &ok_error));
    }
}

void variant_table_put_number(const variant_table *table, const char *leaf, size_t number) {
    lam_value value = {.int32 = (int32_t)number};
    OK(table->sink.put(table->sink.state, field_of(table->schema, leaf), value, &ok_error));
}

void variant_table_write(variant_table *table, lam_random *random, const lam_schema *schema,
                         lam_record_sink sink, size_t records, unsigned value_size) {
    lam_allocator allocator = lam_allocator_default();
    memset(table, 0, sizeof *table);
    lam_buffer_init(&table->occurrences, &allocator);
    table->random = random;
    table->value_size = value_size;
    table->schema = schema;
    table->sink = sink;
    find_variant(table);
    OK(lam_variant_builder_create(NULL, NULL, &table->builder, &ok_error));
    OK(lam_variant_shredder_create(table->around[table->depth - 1], NULL, NULL, &table->shredder,
                                   &ok_error));
    for (; table->records < records; table->records++) {
        OK(sink.begin(sink.state, &ok_error));
        variant_table_put_number(table, "n", table->records / 4);
        write_groups(table, 0);
        variant_table_put_number(table, "o", table->records);
        OK(sink.end(sink.state, &ok_error));
    }
    lam_variant_shredder_destroy(table->shredder);
    lam_variant_builder_destroy(table->builder);
}

static size_t occurrence_count(const variant_table *table) {
    return table->occurrences.size / sizeof(occurrence);
}

static const occurrence *occurrence_at(const variant_table *table, size_t index) {
    return (const occurrence *)(const void *)table->occurrences.data + index;
}

void variant_table_finish(variant_table *table) {
    for (size_t i = 0; i < occurrence_count(table); i++)
        if (occurrence_at(table, i)->is_there)
            free_variant(occurrence_at(table, i)->value);
    lam_buffer_finish(&table->occurrences);
}

/* --- Conditions ------------------------------------------------------------------------------- */

static void add_text(table_condition *made, const char *more) {
    size_t size = strlen(made->text), added = strlen(more);
    cr_assert_lt(size + added, sizeof made->text);
    memcpy(made->text + size, more, added + 1);
}

static void decide_asked(const variant_table *table, const random_condition *asked,
                         uint8_t *outcomes) {
    memset(outcomes, LAM_OUTCOME_FALSE, table->records);
    for (size_t i = 0; i < occurrence_count(table); i++) {
        const occurrence *found = occurrence_at(table, i);
        uint8_t outcome = found->is_there ? random_condition_of_value(asked, found->value)
                                          : random_condition_of_missing(asked, found->has_place);
        if (outcome > outcomes[found->record])
            outcomes[found->record] = outcome;
    }
}

/* A condition on the number `n`, by which metadata tell of pages. */
static void decide_number(const variant_table *table, size_t bound, uint8_t *outcomes) {
    for (size_t i = 0; i < table->records; i++)
        outcomes[i] = i / 4 < bound ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

static void join(const variant_table *table, bool is_and, uint8_t *left, const uint8_t *right) {
    for (size_t i = 0; i < table->records; i++)
        left[i] = (left[i] < right[i]) == is_and ? left[i] : right[i];
}

static void turn(const variant_table *table, uint8_t *outcomes) {
    for (size_t i = 0; i < table->records; i++)
        outcomes[i] = (uint8_t)(LAM_OUTCOME_TRUE - outcomes[i]);
}

/* Adds a test to the builder, or to the text; gives what it is of each record. */
static void add_test(variant_table *table, bool with_numbers, table_condition *made,
                     lam_filter_builder *builder, uint8_t *outcomes) {
    static lam_variant nothing;
    size_t places = occurrence_count(table);
    random_condition *asked = &made->asked[made->count++];
    lam_variant sample = nothing;
    if (places > 0)
        sample = occurrence_at(table, (size_t)lam_random_below(table->random, places))->value;
    if (with_numbers && lam_random_chance(table->random, 20)) {
        size_t bound = (size_t)lam_random_below(table->random, table->records / 4 + 2);
        char text[32];
        snprintf(text, sizeof text, "n < %zu", bound);
        add_text(made, text);
        if (!made->is_text)
            OK(lam_filter_builder_compare(builder, "n", LAM_FILTER_LESS,
                                          &(lam_value){.int32 = (int32_t)bound}, 1, &ok_error));
        decide_number(table, bound, outcomes);
        return;
    }
    random_condition_make(table->random, table->path, sample, made->is_text, asked);
    add_text(made, asked->text);
    if (!made->is_text)
        OK(random_condition_add(asked, builder, &ok_error));
    decide_asked(table, asked, outcomes);
}

/* A test, behind NOT or not. */
static void add_turned(variant_table *table, bool with_numbers, table_condition *made,
                       lam_filter_builder *builder, uint8_t *outcomes) {
    bool is_turned = lam_random_chance(table->random, 25);
    if (is_turned)
        add_text(made, "not (");
    add_test(table, with_numbers, made, builder, outcomes);
    if (!is_turned)
        return;
    add_text(made, ")");
    if (!made->is_text)
        OK(lam_filter_builder_not(builder, &ok_error));
    turn(table, outcomes);
}

/* Puts words around the text so far. */
static void surround(table_condition *made, const char *before, const char *behind) {
    size_t size = strlen(made->text), front = strlen(before);
    memmove(made->text + front, made->text, size + 1);
    memcpy(made->text, before, front);
    add_text(made, behind);
}

lam_filter *variant_table_condition(variant_table *table, bool with_numbers,
                                    table_condition *made) {
    lam_filter_builder *builder;
    lam_filter *filter;
    size_t tests = 1 + (size_t)lam_random_below(table->random, TABLE_TESTS);
    made->count = 0;
    made->text[0] = '\0';
    made->is_text = lam_random_chance(table->random, 50);
    made->outcomes = calloc(table->records + 1, 2);
    uint8_t *right = made->outcomes + table->records;
    OK(lam_filter_builder_create(table->schema, NULL, &builder, &ok_error));
    add_turned(table, with_numbers, made, builder, made->outcomes);
    for (size_t i = 1; i < tests; i++) {
        bool is_and = lam_random_chance(table->random, 50);
        surround(made, "(", is_and ? ") and " : ") or ");
        add_turned(table, with_numbers, made, builder, right);
        join(table, is_and, made->outcomes, right);
        if (!made->is_text)
            OK(is_and ? lam_filter_builder_and(builder, &ok_error)
                      : lam_filter_builder_or(builder, &ok_error));
    }
    if (made->is_text) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_filter_parse(table->schema, made->text, strlen(made->text), NULL, NULL,
                                      &filter, &error),
                     LAM_STATUS_OK, "%s: %s", made->text, error.message);
    } else {
        OK(lam_filter_builder_finish(builder, &filter, &ok_error));
    }
    lam_filter_builder_destroy(builder);
    return filter;
}

void variant_table_describe(uint64_t seed, const variant_table *table,
                            const table_condition *made) {
    fprintf(stderr, "seed %llu, VARIANT %s: %s\n", (unsigned long long)seed, table->path,
            made->text);
    for (size_t i = 0; i < made->count && !made->is_text; i++)
        fprintf(stderr, "  %s: question %d, turned %d, operation %d, %zu values\n",
                made->asked[i].path, (int)made->asked[i].question, (int)made->asked[i].is_turned,
                (int)made->asked[i].operation, made->asked[i].value_count);
}
