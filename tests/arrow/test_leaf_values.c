/* SPDX-License-Identifier: Apache-2.0 */
#include "arrow/leaf_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/leaf_dictionary.h"
#include "support/random.h"

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
    cr_assert_eq(lam_schema_parse(text, strlen(text), NULL, &t->schema, NULL), LAM_STATUS_OK);
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
