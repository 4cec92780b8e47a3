/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of decoded values are collected into the buffers of an array. The example of the header
 * comes first, then byte arrays in every form, and dictionaries.
 */
#include "arrow/read/leaf_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/read/leaf_dictionary.h"
#include "base/utf8.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"

typedef struct trial {
    lam_allocator allocator;
    lam_schema *schema;
    lam_array_store *store;
    lam_arrow_field field;
    lam_leaf_values values;
} trial;

static void start(trial *t, const char *leaf, lam_arrow_kind kind) {
    char text[100];
    memset(t, 0, sizeof *t);
    t->allocator = lam_allocator_default();
    snprintf(text, sizeof text, "message m { optional %s; }", leaf);
    t->schema = lam_test_parse(text);
    cr_assert_eq(lam_array_store_create(&t->allocator, &t->store, NULL), LAM_STATUS_OK);
    t->field.name = "a";
    t->field.type.kind = kind;
    t->field.nullable = true;
    cr_assert_eq(lam_leaf_values_init(&t->values, lam_kernels_get(), lam_schema_leaf(t->schema, 0),
                                      &t->field.type, t->store, NULL),
                 LAM_STATUS_OK);
}

static void finish(trial *t) {
    lam_leaf_values_finish(&t->values);
    lam_array_store_drop(t->store);
    lam_schema_destroy(t->schema);
}

static struct ArrowArray export_array(trial *t, bool keep) {
    struct ArrowArray array;
    size_t buffers = lam_leaf_values_buffer_count(&t->values);
    int64_t length = (int64_t)t->values.count;
    cr_assert_eq(lam_array_create(t->store, buffers > 0 ? 1 + buffers : 0, 0, false, &array, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_export(&t->values, keep, &array, NULL), LAM_STATUS_OK);
    array.length = length;
    return array;
}

static void append(trial *t, const void *elements, size_t count) {
    cr_assert_eq(lam_leaf_values_reserve(&t->values, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_append(&t->values, elements, count, NULL), LAM_STATUS_OK);
}

/* The example at the top of leaf_values.h. */
Test(leaf_values, the_example_of_the_header) {
    trial t;
    static const int32_t first[] = {7, 3, 5}, second[] = {1, 4, 2};
    start(&t, "int32 a", LAM_ARROW_INT32);
    cr_assert_eq(lam_leaf_values_reserve(&t.values, 10, NULL), LAM_STATUS_OK);
    append(&t, first, 3);
    lam_leaf_values_spread(&t.values, (const uint8_t[]){0x0B}, 4);
    memcpy(lam_leaf_values_room(&t.values), second, sizeof second);
    lam_leaf_values_filled(&t.values, 3);
    lam_leaf_values_spread(&t.values, (const uint8_t[]){0x19}, 6);
    struct ArrowArray array = export_array(&t, false);
    cr_assert_arr_eq(array.buffers[1], ((int32_t[]){7, 3, 0, 5, 1, 0, 0, 4, 2, 0}), 40);
    array.release(&array);
    finish(&t);
}

Test(leaf_values, an_array_of_nothing_has_the_buffers_of_its_layout) {
    static const struct {
        const char *leaf;
        lam_arrow_kind kind;
    } rows[] = {{"int32 a", LAM_ARROW_INT32},         {"boolean a", LAM_ARROW_BOOL},
                {"binary a", LAM_ARROW_BINARY},       {"binary a", LAM_ARROW_LARGE_BINARY},
                {"binary a", LAM_ARROW_BINARY_VIEW},  {"binary a", LAM_ARROW_STRING},
                {"binary a", LAM_ARROW_LARGE_STRING}, {"binary a", LAM_ARROW_STRING_VIEW},
                {"int32 a", LAM_ARROW_NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        trial t;
        start(&t, rows[i].leaf, rows[i].kind);
        struct ArrowArray array = export_array(&t, false);
        const char *flaw = lam_array_flaw(&t.field, &array);
        cr_assert_null(flaw, "%s", flaw);
        array.release(&array);
        finish(&t);
    }
}

Test(leaf_values, a_value_in_a_column_of_type_null_is_corrupt) {
    trial t;
    static const int32_t one = 1;
    start(&t, "int32 a", LAM_ARROW_NULL);
    lam_leaf_values_spread(&t.values, NULL, 3);
    cr_assert_eq(lam_leaf_values_append(&t.values, &one, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_values_append(&t.values, &one, 1, NULL), LAM_STATUS_CORRUPT);
    finish(&t);
}

Test(leaf_values, a_leaf_without_a_way_to_its_type_is_unsupported) {
    static const struct {
        const char *leaf;
        lam_arrow_kind kind;
        const char *words;
    } rows[] = {{"fixed_len_byte_array(3) a", LAM_ARROW_STRING, "a: strings of fixed length"},
                {"int32 a", LAM_ARROW_BINARY_VIEW, "a: strings of fixed length"},
                {"float a", LAM_ARROW_INT32, "a: cannot convert its physical type"}};
    for (size_t i = 0; i < 3; i++) {
        trial t;
        lam_leaf_values values;
        lam_leaf_dictionary dictionary;
        lam_arrow_type type = {.kind = rows[i].kind};
        lam_error error = lam_error_none();
        start(&t, rows[i].leaf, LAM_ARROW_NULL);
        const lam_field *leaf = lam_schema_leaf(t.schema, 0);
        cr_assert_eq(lam_leaf_values_init(&values, lam_kernels_get(), leaf, &type, t.store, &error),
                     LAM_STATUS_UNSUPPORTED);
        cr_assert_not_null(strstr(error.message, rows[i].words), "%s", error.message);
        cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(), leaf, &type, t.store,
                                              &t.allocator, NULL),
                     LAM_STATUS_UNSUPPORTED);
        finish(&t);
    }
}

Test(leaf_values, more_values_than_memory_can_have_are_nomem) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_INT32, LAM_ARROW_STRING};
    for (size_t k = 0; k < 2; k++) {
        trial t;
        lam_error error = lam_error_none();
        start(&t, k == 0 ? "int32 a" : "binary a", kinds[k]);
        cr_assert_eq(lam_leaf_values_reserve(&t.values, SIZE_MAX / 2, &error), LAM_STATUS_NOMEM);
        cr_assert_not_null(strstr(error.message, "no memory for"));
        cr_assert_eq(lam_leaf_values_reserve(&t.values, 1, NULL), LAM_STATUS_OK);
        lam_leaf_values_spread(&t.values, (const uint8_t[]){0}, k == 0);
        cr_assert_eq(lam_leaf_values_reserve(&t.values, SIZE_MAX, NULL), LAM_STATUS_NOMEM);
        finish(&t);
    }
}

/* What is expected is a guess, and no promise. */
Test(leaf_values, what_is_expected_beyond_all_memory_is_not_reserved) {
    trial t;
    static const int32_t one = 1;
    start(&t, "int32 a", LAM_ARROW_INT32);
    lam_leaf_values_expect(&t.values, SIZE_MAX, SIZE_MAX, false);
    append(&t, &one, 1);
    lam_leaf_values_spread(&t.values, NULL, 1);
    cr_assert_lt(t.values.slots->capacity, 1000);
    finish(&t);
}

Test(leaf_values, data_buffers_are_lent_in_any_order) {
    trial t;
    lam_array_block *first, *page;
    start(&t, "binary a", LAM_ARROW_STRING_VIEW);
    cr_assert_eq(lam_array_block_create(t.store, 10, &first, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_array_block_create(t.store, 20, &page, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(lam_leaf_values_lend_page(&t.values, page, 20, NULL), LAM_STATUS_OK);
        cr_assert_eq(t.values.lent_count, LAM_LEAF_PAGE_DATA);
    }
    for (int round = 0; round < 2; round++)
        cr_assert_eq(lam_leaf_values_lend(&t.values, LAM_LEAF_DICTIONARY_DATA, first, 10, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(t.values.lent_count, LAM_LEAF_PAGE_DATA);
    lam_array_block_drop(first);
    lam_array_block_drop(page);
    struct ArrowArray array = export_array(&t, false);
    cr_assert_eq(array.n_buffers, 4 + LAM_LEAF_PAGE_DATA);
    const char *flaw = lam_array_flaw(&t.field, &array);
    cr_assert_null(flaw, "%s", flaw);
    array.release(&array);
    finish(&t);
}

/* --- Byte arrays --------------------------------------------------------------------------- */

enum { VALUES = 3000 };

/* Any values with any gaps come back from every form, in runs of any length. */
static void trial_of_bytes(lam_arrow_kind kind, lam_random *random) {
    trial t;
    static uint8_t bytes[VALUES * 40], bits[VALUES];
    static lam_bytes slots[VALUES], dense[VALUES];
    size_t count = lam_random_below(random, VALUES), at = 0, used = 0;
    bool readable = lam_random_chance(random, 50);
    start(&t, "binary a", kind);
    while (at < count) {
        size_t run = 1 + lam_random_below(random, count - at), present = 0;
        memset(bits, 0, (run + 7) / 8);
        for (size_t i = 0; i < run; i++) {
            lam_bytes value = {NULL, 0};
            if (lam_random_chance(random, 80)) {
                value.data = bytes + used;
                value.size = lam_random_below(random, lam_random_chance(random, 5) ? 40 : 20);
                for (size_t b = 0; b < value.size; b++)
                    bytes[used++] = (uint8_t)('a' + lam_random_below(random, 26));
                dense[present++] = value;
                bits[i / 8] |= (uint8_t)(1 << i % 8);
            }
            slots[at + i] = value;
        }
        t.values.text_end = readable ? bytes + sizeof bytes : NULL;
        cr_assert_eq(lam_leaf_values_reserve(&t.values, run, NULL), LAM_STATUS_OK);
        append(&t, dense, present);
        lam_leaf_values_spread(&t.values, bits, run);
        at += run;
    }
    struct ArrowArray array = export_array(&t, false);
    const char *flaw = lam_array_flaw(&t.field, &array);
    cr_assert_null(flaw, "%s", flaw);
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = lam_array_slot_bytes(&t.field, &array, (int64_t)i);
        cr_assert_eq(value.size, slots[i].size);
        cr_assert(value.size == 0 || memcmp(value.data, slots[i].data, value.size) == 0);
    }
    array.release(&array);
    finish(&t);
}

Test(leaf_values, byte_arrays_come_out_in_every_form) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_BINARY,       LAM_ARROW_LARGE_BINARY,
                                           LAM_ARROW_BINARY_VIEW,  LAM_ARROW_STRING,
                                           LAM_ARROW_LARGE_STRING, LAM_ARROW_STRING_VIEW};
    lam_random random = lam_random_start(lam_test_seed(61));
    for (int round = 0; round < 300; round++)
        trial_of_bytes(kinds[round % 6], &random);
}

static lam_bytes text(const char *characters) {
    lam_bytes bytes = {(const uint8_t *)characters, strlen(characters)};
    return bytes;
}

Test(leaf_values, strings_that_are_not_utf_8_never_leave) {
    /* The last pair is a character in two halves: UTF-8 only as a whole. */
    static const char *const wrong[][2] = {
        {"a", "\xFF"}, {"\x80", "a"}, {"\xC3", "a"}, {"a", "\xE2\x82"}, {"\xC3", "\xA9"}};
    static const lam_arrow_kind kinds[] = {LAM_ARROW_STRING, LAM_ARROW_LARGE_STRING,
                                           LAM_ARROW_STRING_VIEW};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 5; i++) {
            trial t;
            lam_bytes values[] = {text(wrong[i][0]), text(wrong[i][1])};
            start(&t, "binary a", kinds[k]);
            cr_assert_eq(lam_leaf_values_reserve(&t.values, 2, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_leaf_values_append(&t.values, values, 2, NULL), LAM_STATUS_CORRUPT);
            finish(&t);
        }
        trial t;
        lam_bytes values[] = {text("\xC3\xA9"), text(""), text("\xF0\x9F\xAA\xB5"), text("oak")};
        start(&t, "binary a", kinds[k]);
        append(&t, values, 4);
        finish(&t);
    }
}

enum { TEXT_VALUES = 60, TEXT_MOST = 60 * 400 };

/* Slices of one text, most of which is UTF-8, with anything of up to 10 bytes between them. */
static size_t draw_slices(lam_random *random, uint8_t *bytes, lam_bytes *slices) {
    static const char *const words[] = {"a", "\xC3\xA9", "\xE4\xB8\x8A", "\xF0\x9F\xAA\xB5"};
    size_t used = 0, count = 1 + (size_t)lam_random_below(random, TEXT_VALUES);
    unsigned wrong = lam_random_chance(random, 50) ? 0 : 1;
    for (size_t i = 0; i < count; i++) {
        size_t most = lam_random_chance(random, 10) ? 390 : 60, start = used;
        for (size_t left = (size_t)lam_random_below(random, most); left >= 4; left -= 4) {
            const char *word = words[lam_random_below(random, 4)];
            memcpy(bytes + used, word, strlen(word));
            used += strlen(word);
        }
        slices[i] = (lam_bytes){bytes + start, used - start};
        if (lam_random_chance(random, wrong) && used > start)
            bytes[start + (size_t)lam_random_below(random, used - start)] = 0xA9;
        if (lam_random_chance(random, wrong) && used > start)
            slices[i].size--;
        if (lam_random_chance(random, wrong) && slices[i].size > 0)
            slices[i] = (lam_bytes){slices[i].data + 1, slices[i].size - 1};
        for (uint64_t gap = lam_random_below(random, 4); gap > 0; gap--)
            bytes[used++] = lam_random_chance(random, wrong) ? 0xFF : '-';
    }
    return count;
}

Test(leaf_values, views_of_a_page_are_utf_8_if_each_of_them_is) {
    static uint8_t bytes[TEXT_MOST];
    static lam_bytes slices[TEXT_VALUES];
    lam_random random = lam_random_start(lam_test_seed(62));
    size_t wrong = 0;
    enum { ROUNDS = 4000 };
    for (int round = 0; round < ROUNDS; round++) {
        trial t;
        size_t count = draw_slices(&random, bytes, slices);
        bool good = true;
        for (size_t i = 0; i < count; i++)
            good &= lam_utf8_prefix(slices[i].data, slices[i].size) == slices[i].size;
        start(&t, "binary a", LAM_ARROW_STRING_VIEW);
        t.values.is_in_order = lam_random_chance(&random, 70);
        t.values.text_end = lam_random_chance(&random, 70) ? bytes + sizeof bytes : NULL;
        cr_assert_eq(lam_leaf_values_reserve(&t.values, count, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_leaf_values_append(&t.values, slices, count, NULL),
                     good ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "round %d", round);
        wrong += !good;
        finish(&t);
    }
    cr_assert(wrong > ROUNDS / 20 && wrong < ROUNDS - ROUNDS / 20, "%zu wrong", wrong);
}

Test(leaf_values, more_bytes_than_an_offset_can_say_are_above_the_limit) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_BINARY, LAM_ARROW_BINARY_VIEW};
    for (size_t k = 0; k < 2; k++) {
        trial t;
        lam_error error = lam_error_none();
        lam_bytes values[] = {text("bytes of a longer value"), text("and of another one")};
        start(&t, "binary a", kinds[k]);
        cr_assert_eq(t.values.data_most, INT32_MAX);
        t.values.data_most = 30;
        append(&t, values, 1);
        cr_assert_eq(lam_leaf_values_reserve(&t.values, 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_leaf_values_append(&t.values, values + 1, 1, &error), LAM_STATUS_LIMIT);
        cr_assert_not_null(strstr(error.message, "smaller batches"));
        t.values.data_most = 20;
        t.values.data_size = 0;
        cr_assert_eq(lam_leaf_values_append(&t.values, values, 1, NULL), LAM_STATUS_LIMIT);
        finish(&t);
    }
}

/* --- Dictionaries -------------------------------------------------------------------------- */

static void expect_dictionary(lam_leaf_dictionary *dictionary, size_t count, const char **words) {
    struct ArrowArray array;
    lam_arrow_field field = {.name = "a", .type = {.kind = LAM_ARROW_STRING}};
    cr_assert_eq(lam_leaf_dictionary_export(dictionary, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(array.length, (int64_t)count);
    cr_assert_null(lam_array_flaw(&field, &array));
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = lam_array_slot_bytes(&field, &array, (int64_t)i);
        cr_assert_eq(value.size, strlen(words[i]));
        cr_assert_eq(memcmp(value.data, words[i], value.size), 0);
    }
    array.release(&array);
}

Test(leaf_values, values_of_plain_pages_go_behind_the_dictionary_of_the_chunk) {
    trial t;
    lam_leaf_dictionary dictionary;
    uint32_t indexes[5];
    struct ArrowArray before;
    start(&t, "binary a (STRING)", LAM_ARROW_STRING);
    cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(),
                                          lam_schema_leaf(t.schema, 0), &t.field.type, t.store,
                                          &t.allocator, NULL),
                 LAM_STATUS_OK);
    /* "oak" is there twice, which nothing forbids. */
    lam_bytes entries[] = {text("oak"), text("ash"), text("oak"), text("elm")};
    lam_dictionary chunk = {entries, 4};
    cr_assert_eq(lam_leaf_dictionary_take(&dictionary, &chunk, NULL), LAM_STATUS_OK);
    expect_dictionary(&dictionary, 4, (const char *[]){"oak", "ash", "oak", "elm"});
    cr_assert_eq(lam_leaf_dictionary_export(&dictionary, &before, NULL), LAM_STATUS_OK);
    lam_bytes more[] = {text("elm"), text("fir"), text("oak"), text("fir"), text("")};
    cr_assert_eq(lam_leaf_dictionary_add(&dictionary, more, 5, indexes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(indexes, ((uint32_t[]){3, 4, 0, 4, 5}), sizeof indexes);
    lam_bytes last[] = {text("yew"), text("ash")};
    cr_assert_eq(lam_leaf_dictionary_add(&dictionary, last, 2, indexes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(indexes, ((uint32_t[]){6, 1}), 8);
    expect_dictionary(&dictionary, 7,
                      (const char *[]){"oak", "ash", "oak", "elm", "fir", "", "yew"});
    cr_assert_eq(before.length, 4); /* what left earlier is as it was */
    cr_assert_eq(((const int32_t *)before.buffers[1])[4], 12);
    lam_leaf_dictionary_clear(&dictionary);
    expect_dictionary(&dictionary, 0, NULL);
    cr_assert_eq(lam_leaf_dictionary_add(&dictionary, last, 2, indexes, NULL), LAM_STATUS_OK);
    expect_dictionary(&dictionary, 2, (const char *[]){"yew", "ash"});
    cr_assert_eq(memcmp(before.buffers[2], "oakashoakelm", 12), 0);
    before.release(&before);
    lam_leaf_dictionary_finish(&dictionary);
    finish(&t);
}

Test(leaf_values, a_dictionary_of_more_than_2_to_the_31_values_is_above_the_limit) {
    trial t;
    lam_leaf_dictionary dictionary;
    lam_error error = lam_error_none();
    start(&t, "int32 a", LAM_ARROW_INT32);
    cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(),
                                          lam_schema_leaf(t.schema, 0), &t.field.type, t.store,
                                          &t.allocator, NULL),
                 LAM_STATUS_OK);
    const int32_t one = 1; /* the others are not looked at */
    const lam_dictionary chunk = {&one, (size_t)INT32_MAX + 1};
    cr_assert_eq(lam_leaf_dictionary_take(&dictionary, &chunk, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "a dictionary of more than 2147483647 values");
    lam_leaf_dictionary_finish(&dictionary);
    finish(&t);
}

/* A chunk's dictionary with a value that is there twice, then values of a plain page. */
static lam_status fill_dictionary(lam_leaf_dictionary *dictionary, bool is_text) {
    lam_bytes entries[] = {text("oak"), text("ash"), text("oak")};
    lam_bytes more[] = {text("a longer one than twelve bytes"), text("ash"), text("fir")};
    static const uint8_t booleans[] = {1, 0, 0};
    const lam_dictionary chunk = {entries, 3};
    struct ArrowArray array;
    uint32_t indexes[3];
    lam_status status = LAM_STATUS_OK;
    if (is_text)
        status = lam_leaf_dictionary_take(dictionary, &chunk, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_leaf_dictionary_add(
            dictionary, is_text ? (const void *)more : (const void *)booleans, 3, indexes, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_leaf_dictionary_export(dictionary, &array, NULL);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(array.length, is_text ? 5 : 2);
        array.release(&array);
    }
    return status;
}

Test(leaf_values, any_allocation_of_a_dictionary_may_fail) {
    for (int is_text = 0; is_text < 2; is_text++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t n = 2; /* the first is the store */
        for (; status != LAM_STATUS_OK; n++) {
            lam_failing_alloc counter = {.fail_at = n};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_leaf_dictionary dictionary;
            lam_array_store *store;
            trial t;
            start(&t, is_text ? "binary a" : "boolean a",
                  is_text ? LAM_ARROW_STRING_VIEW : LAM_ARROW_BOOL);
            cr_assert_eq(lam_array_store_create(&allocator, &store, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(),
                                                  lam_schema_leaf(t.schema, 0), &t.field.type,
                                                  store, &allocator, NULL),
                         LAM_STATUS_OK);
            status = fill_dictionary(&dictionary, is_text != 0);
            cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
            lam_leaf_dictionary_finish(&dictionary);
            lam_array_store_drop(store);
            cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
            finish(&t);
        }
        cr_assert_gt(n, 4);
    }
}

Test(leaf_values, a_dictionary_of_nulls_has_no_buffers) {
    trial t;
    lam_leaf_dictionary dictionary;
    struct ArrowArray array;
    start(&t, "int32 a", LAM_ARROW_NULL);
    cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(),
                                          lam_schema_leaf(t.schema, 0), &t.field.type, t.store,
                                          &t.allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_leaf_dictionary_export(&dictionary, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(array.n_buffers, 0);
    cr_assert_eq(array.length, 0);
    array.release(&array);
    lam_leaf_dictionary_finish(&dictionary);
    finish(&t);
}

Test(leaf_values, a_dictionary_of_booleans_has_both) {
    trial t;
    lam_leaf_dictionary dictionary;
    uint32_t indexes[4];
    struct ArrowArray array;
    static const uint8_t booleans[] = {1, 0, 0, 1};
    start(&t, "boolean a", LAM_ARROW_BOOL);
    cr_assert_eq(lam_leaf_dictionary_init(&dictionary, lam_kernels_get(),
                                          lam_schema_leaf(t.schema, 0), &t.field.type, t.store,
                                          &t.allocator, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_leaf_dictionary_add(&dictionary, booleans, 4, indexes, NULL),
                     LAM_STATUS_OK);
        cr_assert_arr_eq(indexes, ((uint32_t[]){1, 0, 0, 1}), 16);
    }
    cr_assert_eq(lam_leaf_dictionary_export(&dictionary, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(array.length, 2);
    cr_assert_eq(*(const uint8_t *)array.buffers[1] & 3, 2);
    array.release(&array);
    lam_leaf_dictionary_finish(&dictionary);
    finish(&t);
}
