/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary metadata of the Arrow C data interface: pairs come back as they went, and lengths that
 * lie are refused.
 */
#include "arrow/field/arrow_metadata.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"

/* Bytes of metadata: numbers in the machine's byte order, and text. */
typedef struct blob {
    char bytes[256];
    size_t size;
} blob;

static void add_number(blob *to, int32_t number) {
    memcpy(to->bytes + to->size, &number, sizeof number);
    to->size += sizeof number;
}

static void add_text(blob *to, const char *text) {
    memcpy(to->bytes + to->size, text, strlen(text));
    to->size += strlen(text);
}

static void add(blob *to, const char *text) {
    add_number(to, (int32_t)strlen(text));
    add_text(to, text);
}

static blob two_pairs(void) {
    blob two = {.size = 0};
    add_number(&two, 2);
    add(&two, "key1");
    add(&two, "value1");
    add(&two, "");
    add(&two, "nothing above");
    return two;
}

static bool is(lam_bytes bytes, const char *text) {
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

Test(arrow_metadata, pairs_come_out_in_order_and_go_back_as_they_were) {
    blob two = two_pairs();
    size_t size = 0;
    cr_assert_null(lam_arrow_metadata_measure(two.bytes, SIZE_MAX, &size));
    cr_assert_eq(size, two.size);
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_arrow_metadata metadata;
    cr_assert_eq(lam_arrow_metadata_import(two.bytes, size, &arena, &metadata, NULL),
                 LAM_STATUS_OK);
    blob original = two;
    memset(two.bytes, 0xEE, sizeof two.bytes); /* nothing of it is borrowed */
    cr_assert_eq(metadata.count, 2);
    cr_assert(is(metadata.key_values[0].key, "key1") && is(metadata.key_values[0].value, "value1"));
    cr_assert(is(metadata.key_values[1].key, "") &&
              is(metadata.key_values[1].value, "nothing above"));
    size_t again = 0;
    cr_assert_eq(lam_arrow_metadata_size(&metadata, &again, NULL), LAM_STATUS_OK);
    cr_assert_eq(again, size);
    lam_arrow_metadata_export(&metadata, two.bytes);
    cr_assert_arr_eq(two.bytes, original.bytes, size);
    lam_arena_finish(&arena);
}

Test(arrow_metadata, no_metadata_and_no_pairs_are_the_same) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_arrow_metadata metadata = {7, NULL};
    cr_assert_eq(lam_arrow_metadata_import(NULL, 0, &arena, &metadata, NULL), LAM_STATUS_OK);
    cr_assert_eq(metadata.count, 0);
    blob none = {.size = 0};
    add_number(&none, 0);
    size_t size = 99;
    cr_assert_null(lam_arrow_metadata_measure(none.bytes, SIZE_MAX, &size));
    cr_assert_eq(size, 4);
    cr_assert_eq(lam_arrow_metadata_import(none.bytes, size, &arena, &metadata, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(metadata.count, 0);
    cr_assert_eq(lam_arrow_metadata_size(&metadata, &size, NULL), LAM_STATUS_OK);
    cr_assert_eq(size, 0);
    lam_arrow_metadata_export(&metadata, NULL);
    lam_arena_finish(&arena);
}

Test(arrow_metadata, every_negative_number_is_refused) {
    for (int at = 0; at < 5; at++) {
        blob bad = {.size = 0};
        int32_t negative = at % 2 == 0 ? -1 : INT32_MIN;
        add_number(&bad, at == 0 ? negative : 2);
        for (int i = 1; i < 5; i++)
            if (i == at)
                add_number(&bad, negative);
            else
                add(&bad, "x");
        size_t size = 99;
        const char *fault = lam_arrow_metadata_measure(bad.bytes, SIZE_MAX, &size);
        cr_assert_not_null(fault);
        cr_assert_str_eq(fault, "the metadata has a negative number");
        cr_assert_eq(size, 99);
    }
}

Test(arrow_metadata, what_ends_early_is_found_where_the_end_is_known) {
    blob two = two_pairs();
    for (size_t room = 0; room < two.size; room++) {
        char *exact = malloc(room);
        memcpy(exact, two.bytes, room);
        size_t size;
        const char *fault = lam_arrow_metadata_measure(exact, room, &size);
        cr_assert_not_null(fault);
        cr_assert_str_eq(fault, "the metadata ends early");
        free(exact);
    }
    size_t size;
    cr_assert_null(lam_arrow_metadata_measure(two.bytes, two.size, &size));
    blob many = {.size = 0};
    add_number(&many, INT32_MAX);
    add_number(&many, INT32_MAX);
    cr_assert_not_null(lam_arrow_metadata_measure(many.bytes, many.size, &size));
}

Test(arrow_metadata, what_the_interface_cannot_say_is_a_limit) {
    uint8_t byte = 0;
    lam_arrow_key_value pair = {{&byte, 1}, {&byte, (size_t)INT32_MAX + 1}};
    lam_arrow_metadata metadata = {1, &pair};
    size_t size = 99;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_metadata_size(&metadata, &size, &error), LAM_STATUS_LIMIT);
    pair = (lam_arrow_key_value){{&byte, (size_t)INT32_MAX + 1}, {&byte, 1}};
    cr_assert_eq(lam_arrow_metadata_size(&metadata, &size, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "the metadata is too long for Arrow's interface");
    metadata.count = (size_t)INT32_MAX + 1;
    cr_assert_eq(lam_arrow_metadata_size(&metadata, &size, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(size, 99);
}

Test(arrow_metadata, each_allocation_may_fail) {
    blob two = two_pairs();
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena arena;
        lam_arena_init(&arena, &allocator, 0);
        lam_arrow_metadata metadata = {7, NULL};
        lam_status status = lam_arrow_metadata_import(two.bytes, two.size, &arena, &metadata, NULL);
        lam_arena_finish(&arena);
        cr_assert_eq(counter.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(metadata.count, 7);
    }
}

Test(arrow_metadata, the_first_value_of_a_key_is_found) {
    lam_arrow_key_value key_values[] = {
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"1", 1}},
        {{(const uint8_t *)"ab", 2}, {NULL, 0}},
        {{NULL, 0}, {(const uint8_t *)"3", 1}},
        {{(const uint8_t *)"a", 1}, {(const uint8_t *)"4", 1}},
    };
    lam_arrow_metadata metadata = {4, key_values};
    cr_assert_eq(lam_arrow_metadata_find(&metadata, "a"), &key_values[0].value);
    cr_assert_eq(lam_arrow_metadata_find(&metadata, "ab"), &key_values[1].value);
    cr_assert_eq(lam_arrow_metadata_find(&metadata, ""), &key_values[2].value);
    cr_assert_null(lam_arrow_metadata_find(&metadata, "b"));
    cr_assert_null(lam_arrow_metadata_find(&metadata, "abc"));
}

Test(arrow_metadata, an_extension_name_is_metadata) {
    lam_arrow_key_value key_values[] = {
        {{(const uint8_t *)"ARROW:extension:metadata", 24}, {(const uint8_t *)"{}", 2}},
        {{(const uint8_t *)"ARROW:extension:name", 20}, {(const uint8_t *)"arrow.uuid", 10}},
    };
    lam_arrow_field field = {.name = "u", .metadata = {2, key_values}};
    cr_assert(is(lam_arrow_extension_name(&field), "arrow.uuid"));
    field.metadata.count = 1;
    cr_assert_eq(lam_arrow_extension_name(&field).size, 0);
}
