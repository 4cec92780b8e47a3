/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of slots against values that are converted one by one: all forms of buffers, indexes in
 * runs, nulls, and entries that have no Arrow form.
 */
#include "arrow/read/leaf_table.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/read/leaf_text.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST_ENTRIES = 300, MOST_VALUES = 2000, MOST_BYTES = 32, MOST_TEXT = 80 };
enum { MANY = 1000000 }; /* values of a chunk, so that any dictionary pays */

typedef struct pair_of_types {
    const char *leaf;
    lam_arrow_type type;
} pair_of_types;

static const pair_of_types pairs[] = {
    {"int32 a (INTEGER(8,true))", {.kind = LAM_ARROW_INT8}},
    {"int32 a (INTEGER(16,false))", {.kind = LAM_ARROW_UINT16}},
    {"int32 a", {.kind = LAM_ARROW_INT32}},
    {"int32 a (DATE)", {.kind = LAM_ARROW_DATE64}},
    {"double a", {.kind = LAM_ARROW_FLOAT64}},
    {"int96 a", {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_MICROSECOND}},
    {"int32 a (DECIMAL(9,2))", {.kind = LAM_ARROW_DECIMAL, .precision = 9, .bit_width = 32}},
    {"int64 a (DECIMAL(15,2))", {.kind = LAM_ARROW_DECIMAL, .precision = 15, .bit_width = 128}},
    {"fixed_len_byte_array(7) a (DECIMAL(15,2))",
     {.kind = LAM_ARROW_DECIMAL, .precision = 15, .bit_width = 64}},
    {"fixed_len_byte_array(16) a (DECIMAL(38,2))",
     {.kind = LAM_ARROW_DECIMAL, .precision = 38, .bit_width = 128}},
    {"fixed_len_byte_array(20) a (DECIMAL(46,2))",
     {.kind = LAM_ARROW_DECIMAL, .precision = 46, .bit_width = 256}},
    {"fixed_len_byte_array(16) a (UUID)", {.kind = LAM_ARROW_FIXED_SIZE_BINARY, .fixed_size = 16}},
    {"binary a (DECIMAL(20,2))", {.kind = LAM_ARROW_DECIMAL, .precision = 20, .bit_width = 128}},
    {"binary a (STRING)", {.kind = LAM_ARROW_STRING}},
    {"binary a", {.kind = LAM_ARROW_LARGE_BINARY}},
    {"binary a (STRING)", {.kind = LAM_ARROW_LARGE_STRING}},
    {"binary a (STRING)", {.kind = LAM_ARROW_STRING_VIEW}},
    {"binary a", {.kind = LAM_ARROW_BINARY_VIEW}},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

typedef struct trial {
    lam_allocator allocator;
    lam_schema *schema;
    const lam_field *leaf;
    lam_array_store *store;
    lam_arrow_field field;
    lam_leaf_values one_by_one, by_table;
    lam_leaf_table table;
    lam_random random;
    uint64_t seed;
    uint8_t bytes[MOST_ENTRIES * MOST_TEXT];
    union {
        uint8_t fixed[MOST_ENTRIES * MOST_BYTES];
        int32_t i32[MOST_ENTRIES];
        int64_t i64[MOST_ENTRIES];
        double real[MOST_ENTRIES];
        lam_bytes text[MOST_ENTRIES];
    } entries;
    size_t entry_count;
} trial;

static lam_leaf_values values_of(trial *t) {
    lam_leaf_values values;
    cr_assert_eq(
        lam_leaf_values_init(&values, lam_kernels_get(), t->leaf, &t->field.type, t->store, NULL),
        LAM_STATUS_OK);
    values.conversion.cuts = true;
    return values;
}

static void start(trial *t, const pair_of_types *pair, uint64_t seed) {
    char text[100];
    memset(t, 0, sizeof *t);
    t->allocator = lam_allocator_default();
    snprintf(text, sizeof text, "message m { optional %s; }", pair->leaf);
    t->schema = lam_test_parse(text);
    cr_assert_eq(lam_array_store_create(&t->allocator, &t->store, NULL), LAM_STATUS_OK);
    t->leaf = lam_schema_leaf(t->schema, 0);
    t->field.name = "a";
    t->field.type = pair->type;
    t->field.nullable = true;
    t->one_by_one = values_of(t);
    t->by_table = values_of(t);
    lam_leaf_table_init(&t->table, &t->by_table);
    t->random = lam_random_start(seed);
    t->seed = seed;
}

static void finish(trial *t) {
    lam_leaf_table_clear(&t->table);
    lam_leaf_values_finish(&t->one_by_one);
    lam_leaf_values_finish(&t->by_table);
    lam_array_store_drop(t->store);
    lam_schema_destroy(t->schema);
}

/* Values that every type takes: small numbers, also of two's complement with the highest byte
 * first. */
static void make_entries(trial *t, size_t count) {
    size_t element = t->by_table.conversion.element_size;
    t->entry_count = count;
    for (size_t i = 0; i < count; i++) {
        int64_t number = (int64_t)lam_random_below(&t->random, 100) - (i % 2 == 0 ? 0 : 50);
        number = t->field.type.kind == LAM_ARROW_UINT16 ? (number & 0xFF) : number;
        uint8_t *bytes = t->bytes + i * MOST_TEXT;
        bool is_number = t->field.type.kind == LAM_ARROW_DECIMAL;
        size_t size = is_number ? 1 + (size_t)lam_random_below(&t->random, 16)
                                : (size_t)lam_random_below(&t->random, MOST_TEXT);
        switch (t->leaf->physical_type) {
        case LAM_PHYSICAL_INT32:
            t->entries.i32[i] = (int32_t)number;
            break;
        case LAM_PHYSICAL_INT64:
            t->entries.i64[i] = number;
            break;
        case LAM_PHYSICAL_DOUBLE:
            t->entries.real[i] = (double)number / 8;
            break;
        case LAM_PHYSICAL_BYTE_ARRAY:
            for (size_t b = 0; b < size; b++)
                bytes[b] = is_number ? (number < 0 ? 0xFF : 0) : (uint8_t)('a' + (i + b) % 26);
            if (is_number)
                bytes[size - 1] = (uint8_t)number;
            else if (size > 1 && i % 3 == 0)
                memcpy(bytes + size - 2, "\xC3\xA9", 2);
            t->entries.text[i] = (lam_bytes){bytes, size};
            break;
        case LAM_PHYSICAL_INT96:
            memset(t->entries.fixed + i * element, 0, element);
            t->entries.fixed[i * element] = (uint8_t)number;
            t->entries.fixed[i * element + 8] = 0x8C; /* the day 2440588 is 1970-01-01 */
            t->entries.fixed[i * element + 9] = 0x3D;
            t->entries.fixed[i * element + 10] = 0x25;
            break;
        default:
            memset(t->entries.fixed + i * element, number < 0 ? 0xFF : 0, element);
            t->entries.fixed[(i + 1) * element - 1] = (uint8_t)number;
        }
    }
}

/* What leaf_block.c does with indexes, given the table. */
static void append_by_table(trial *t, const uint32_t *indexes, size_t count) {
    const lam_leaf_values *table = &t->table.values;
    lam_leaf_values *values = &t->by_table;
    if (table->form == LAM_LEAF_FORM_OFFSETS_32 || table->form == LAM_LEAF_FORM_OFFSETS_64) {
        cr_assert_eq(lam_leaf_text_append_entries(values, table, indexes, count, NULL),
                     LAM_STATUS_OK);
        return;
    }
    if (table->data_size > 0)
        cr_assert_eq(lam_leaf_values_lend(values, LAM_LEAF_DICTIONARY_DATA, table->data,
                                          table->data_size, NULL),
                     LAM_STATUS_OK);
    lam_kernels_get()->gather(table->slots->data, table->slot_size, indexes, count,
                              lam_leaf_values_slots(values));
    lam_leaf_values_filled(values, count);
}

/* Indexes in runs, spread by random bits, block by block. */
static void append_both(trial *t, size_t slots) {
    uint8_t elements[MOST_VALUES * MOST_BYTES], bits[MOST_VALUES / 8 + 1] = {0};
    uint32_t indexes[MOST_VALUES];
    size_t element = t->by_table.conversion.element_size, count = 0;
    bool has_nulls = lam_random_chance(&t->random, 50);
    for (size_t i = 0; i < slots; i++) {
        if (has_nulls && lam_random_chance(&t->random, 30))
            continue;
        bits[i / 8] |= (uint8_t)(1 << i % 8);
        bool runs_on = count > 0 && lam_random_chance(&t->random, 70);
        indexes[count] =
            runs_on ? indexes[count - 1] : (uint32_t)lam_random_below(&t->random, t->entry_count);
        memcpy(elements + count * element, t->entries.fixed + indexes[count] * element, element);
        count++;
    }
    cr_assert_eq(lam_leaf_values_reserve(&t->one_by_one, slots, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_reserve(&t->by_table, slots, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_append(&t->one_by_one, elements, count, NULL), LAM_STATUS_OK,
                 "seed %llu", (unsigned long long)t->seed);
    append_by_table(t, indexes, count);
    lam_leaf_values_spread(&t->one_by_one, bits, slots);
    lam_leaf_values_spread(&t->by_table, bits, slots);
}

static struct ArrowArray export_values(trial *t, lam_leaf_values *values) {
    struct ArrowArray array;
    size_t buffers = lam_leaf_values_buffer_count(values);
    int64_t length = (int64_t)values->count;
    cr_assert_eq(lam_array_create(t->store, 1 + buffers, 0, false, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_export(values, false, &array, NULL), LAM_STATUS_OK);
    array.length = length;
    return array;
}

static void expect_equal(trial *t, const struct ArrowArray *a, const struct ArrowArray *b) {
    size_t slot = t->by_table.slot_size;
    bool has_text = t->by_table.form != LAM_LEAF_FORM_FIXED;
    cr_assert_eq(a->length, b->length);
    if (!has_text)
        cr_assert(memcmp(a->buffers[1], b->buffers[1], (size_t)a->length * slot) == 0, "seed %llu",
                  (unsigned long long)t->seed);
    for (int64_t i = 0; has_text && i < a->length; i++) {
        lam_bytes x = lam_array_slot_bytes(&t->field, a, i);
        lam_bytes y = lam_array_slot_bytes(&t->field, b, i);
        cr_assert(x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0),
                  "seed %llu", (unsigned long long)t->seed);
    }
    const char *flaw = has_text ? lam_array_flaw(&t->field, b) : NULL;
    cr_assert_null(flaw, "%s", flaw);
}

Test(leaf_table, slots_by_index_are_those_of_values_one_by_one) {
    static trial t;
    uint64_t seed = lam_test_seed(90);
    for (uint64_t round = 0; round < 30 * PAIRS; round++) {
        bool is_ready = false;
        start(&t, &pairs[round % PAIRS], seed + round);
        make_entries(&t, 1 + (size_t)lam_random_below(&t.random, MOST_ENTRIES));
        const lam_dictionary dictionary = {t.entries.fixed, t.entry_count};
        cr_assert_eq(
            lam_leaf_table_prepare(&t.table, &dictionary, t.entry_count, MANY, &is_ready, NULL),
            LAM_STATUS_OK);
        cr_assert(is_ready, "%s", pairs[round % PAIRS].leaf);
        /* Two arrays share the table. */
        for (int array = 0; array < 2; array++) {
            for (size_t blocks = lam_random_below(&t.random, 4); blocks > 0; blocks--)
                append_both(&t, (size_t)lam_random_below(&t.random, MOST_VALUES));
            struct ArrowArray a = export_values(&t, &t.one_by_one);
            struct ArrowArray b = export_values(&t, &t.by_table);
            expect_equal(&t, &a, &b);
            a.release(&a);
            b.release(&b);
        }
        finish(&t);
    }
}

Test(leaf_table, a_dictionary_is_converted_once_it_pays) {
    static trial t;
    bool is_ready = true;
    start(&t, &pairs[7], 1);
    make_entries(&t, 100);
    const lam_dictionary dictionary = {t.entries.fixed, 100}, none = {NULL, 0};
    cr_assert_eq(lam_leaf_table_prepare(&t.table, &none, 10, MANY, &is_ready, NULL), LAM_STATUS_OK);
    cr_assert(!is_ready);
    cr_assert_eq(lam_leaf_table_prepare(&t.table, NULL, 10, MANY, &is_ready, NULL), LAM_STATUS_OK);
    cr_assert(!is_ready);
    for (size_t i = 1; i <= 10; i++) {
        cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 10, MANY, &is_ready, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(is_ready, i == 10);
    }
    cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 1, MANY, &is_ready, NULL),
                 LAM_STATUS_OK);
    cr_assert(is_ready);
    lam_leaf_table_clear(&t.table);
    cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 1, MANY, &is_ready, NULL),
                 LAM_STATUS_OK);
    cr_assert(!is_ready);
    /* 100 of 199 values are converted: 99 are left, which are no reason to convert all entries. */
    lam_leaf_table_clear(&t.table);
    cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 100, 199, &is_ready, NULL),
                 LAM_STATUS_OK);
    cr_assert(!is_ready);
    finish(&t);
}

/* The last entry, and nothing else, is out of its type. */
Test(leaf_table, one_entry_without_an_arrow_form_leaves_no_table) {
    static const size_t bad_pairs[] = {0, 1, 6, 7, 8, 13, 15, 16};
    static trial t;
    for (size_t i = 0; i < sizeof bad_pairs / sizeof bad_pairs[0]; i++) {
        bool is_ready = true;
        start(&t, &pairs[bad_pairs[i]], 2);
        make_entries(&t, 50);
        size_t element = t.by_table.conversion.element_size;
        if (t.leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
            t.entries.text[49] = (lam_bytes){(const uint8_t *)"\xC3\x41", 2};
        else
            memset(t.entries.fixed + 49 * element, 0x7F, element);
        const lam_dictionary dictionary = {t.entries.fixed, 50};
        for (int again = 0; again < 2; again++) {
            cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 50, MANY, &is_ready, NULL),
                         LAM_STATUS_OK);
            cr_assert(!is_ready, "%s", pairs[bad_pairs[i]].leaf);
        }
        finish(&t);
    }
}

/* A footer may say that a chunk has fewer values than its pages have. */
Test(leaf_table, what_is_left_of_a_chunk_must_be_worth_a_table) {
    static const struct {
        size_t count;
        uint64_t all;
        bool is_ready;
    } cases[] = {{20, 40, true}, {19, 40, false}, {20, 39, false}, {21, 20, false}, {40, 60, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static trial t;
        bool is_ready;
        start(&t, &pairs[2], 1);
        make_entries(&t, 20);
        const lam_dictionary dictionary = {&t.entries, 20};
        cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, cases[i].count, cases[i].all,
                                            &is_ready, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(is_ready, cases[i].is_ready, "case %zu", i);
        finish(&t);
    }
}

Test(leaf_table, a_table_that_has_no_memory_is_nomem_and_not_refused) {
    static trial t;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_array_store *store, *before;
    lam_error error = lam_error_none();
    bool is_ready;
    start(&t, &pairs[2], 1);
    make_entries(&t, 20);
    before = t.table.values.store;
    cr_assert_eq(lam_array_store_create(&allocator, &store, NULL), LAM_STATUS_OK);
    t.table.values.store = store;
    const lam_dictionary dictionary = {&t.entries, 20};
    for (int i = 0; i < 2; i++) {
        counter.fail_at = counter.requests + 1;
        cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 20, MANY, &is_ready,
                                            i == 0 ? &error : NULL),
                     LAM_STATUS_NOMEM);
    }
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    cr_assert_not(t.table.is_refused);
    cr_assert_eq(lam_leaf_table_prepare(&t.table, &dictionary, 20, MANY, &is_ready, NULL),
                 LAM_STATUS_OK);
    cr_assert(is_ready);
    lam_leaf_table_clear(&t.table);
    lam_array_store_drop(store);
    cr_assert_eq(counter.live_bytes, 0);
    t.table.values.store = before;
    finish(&t);
}

/* --- Whole files ----------------------------------------------------------------------------- */

enum { ROWS = 3000, BAD_ROW = 2222 };

/* Two numbers in turns; one row has a third, which is not of 8 bits. */
static lam_reader *write_numbers(lam_file_sample *sample) {
    static int32_t numbers[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        numbers[i] = i == BAD_ROW ? 300 : (int32_t)(i % 2);
    memset(sample, 0, sizeof *sample);
    sample->schema = lam_test_schema("message m { required int32 a (INTEGER(8,true)); }");
    const lam_triples triples = {.count = ROWS, .value_count = ROWS, .values = numbers};
    lam_test_writer file = lam_test_write_as(sample->schema, NULL);
    lam_test_put_triples(&file, &triples, ROWS);
    sample->bytes = lam_test_written(&file);
    return lam_file_sample_open(sample, NULL);
}

static int drain(const lam_reader *reader, uint64_t skip_rows, uint64_t max_rows, int64_t *ret_rows,
                 char *message, size_t message_size) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    options.skip_rows = skip_rows;
    options.max_rows = max_rows;
    options.batch_rows = 1000;
    *ret_rows = 0;
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    int code;
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        *ret_rows += array.length;
        array.release(&array);
    }
    if (code != 0)
        snprintf(message, message_size, "%s", stream.get_last_error(&stream));
    stream.release(&stream);
    return code;
}

Test(leaf_table, a_bad_entry_fails_the_rows_that_have_it_and_no_others) {
    lam_file_sample sample;
    lam_reader *reader = write_numbers(&sample);
    int64_t rows;
    char message[300];
    cr_assert_eq(drain(reader, 0, BAD_ROW, &rows, message, sizeof message), 0);
    cr_assert_eq(rows, BAD_ROW);
    cr_assert_eq(drain(reader, BAD_ROW + 1, 0, &rows, message, sizeof message), 0);
    cr_assert_eq(rows, ROWS - BAD_ROW - 1);
    cr_assert_neq(drain(reader, 0, 0, &rows, message, sizeof message), 0);
    cr_assert_eq(rows, 2000);
    cr_assert(strstr(message, "row 2222") != NULL, "%s", message);
    cr_assert(strstr(message, "8 bits") != NULL, "%s", message);
    lam_reader_close(reader);
    lam_schema_destroy(sample.schema);
    lam_buffer_finish(&sample.bytes);
}
