/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a value that is built have one number each, up to their limits. */
#include "variant/value/variant_names.h"

#include "variant_help.h"

static uint32_t intern(lam_variant_name_table *table, const char *name) {
    uint32_t number = 99;
    cr_assert_eq(lam_variant_name_intern(table, name, strlen(name), &number, NULL), LAM_STATUS_OK);
    return number;
}

static lam_variant_name_table new_table(void) {
    lam_variant_name_table table;
    lam_allocator allocator = lam_allocator_default();
    lam_variant_name_table_init(&table, &allocator);
    return table;
}

Test(variant_names, a_name_has_one_number) {
    lam_variant_name_table table = new_table();
    uint32_t number;
    cr_expect_not(lam_variant_name_find(&table, "a", 1, &number));
    cr_expect_eq(intern(&table, "a"), 0);
    cr_expect_eq(intern(&table, ""), 1);
    cr_expect_eq(intern(&table, "b"), 2);
    cr_expect_eq(intern(&table, "a"), 0);
    cr_expect_eq(intern(&table, ""), 1);
    cr_expect(lam_variant_name_find(&table, "b", 1, &number));
    cr_expect_eq(number, 2);
    cr_expect_not(lam_variant_name_find(&table, "c", 1, &number));
    lam_variant_name_table_finish(&table);
}

Test(variant_names, thousands_of_names_keep_their_numbers_and_bytes) {
    lam_variant_name_table table = new_table();
    char name[16];
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            snprintf(name, sizeof name, "%u", i * 2654435761u);
            cr_assert_eq(intern(&table, name), i);
            cr_assert_arr_eq(table.names.items[i].data, name, strlen(name));
        }
    lam_variant_name_table_clear(&table);
    cr_expect_eq(intern(&table, "x"), 0);
    lam_variant_name_table_finish(&table);
}

Test(variant_names, names_are_sorted_by_unsigned_bytes) {
    static const char *const names[] = {"b", "", "\xC3\xA9", "a", "aa", "Z", "ab", "a\x01"};
    static const char *const expected[] = {"", "Z", "a", "a\x01", "aa", "ab", "b", "\xC3\xA9"};
    lam_variant_name_table table = new_table();
    uint32_t numbers[8], spare[8];
    for (uint32_t i = 0; i < 8; i++)
        numbers[i] = intern(&table, names[i]);
    for (size_t count = 0; count <= 8; count++)
        lam_variant_names_sort(&table, numbers, count, spare);
    for (size_t i = 0; i < 8; i++)
        cr_expect_str_eq(names[numbers[i]], expected[i]);
    lam_variant_name_table_finish(&table);
}

Test(variant_names, a_name_that_is_not_utf8_is_refused) {
    lam_variant_name_table table = new_table();
    lam_error error = lam_error_none();
    uint32_t number;
    cr_expect_eq(lam_variant_name_intern(&table, "a\xFF", 2, &number, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "variant: byte 1 of a name of 2 is not UTF-8");
    cr_expect_eq(table.names.count, 0);
    lam_variant_name_table_finish(&table);
}

Test(variant_names, metadata_is_as_narrow_as_its_names_allow) {
    static const struct {
        size_t size;
        uint8_t header;
    } cases[] = {{255, 0x11}, {256, 0x51}, {65535, 0x51}, {65536, 0x91}, {1 << 24, 0xD1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_variant_name_table table = new_table();
        lam_buffer out;
        char *name = malloc(cases[i].size);
        uint32_t number;
        memset(name, 'n', cases[i].size);
        lam_buffer_init(&out, &table.names.allocator);
        cr_assert_eq(lam_variant_name_intern(&table, name, cases[i].size, &number, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_variant_names_write(&table, NULL, 1, true, &out, NULL), LAM_STATUS_OK);
        cr_expect_eq(out.data[0], cases[i].header, "%zu", cases[i].size);
        cr_expect_eq(
            lam_variant_validate((lam_variant){lam_buffer_bytes(&out), {&out.data[0], 0}}, 0, NULL),
            LAM_STATUS_CORRUPT, "no value");
        size_t size;
        cr_assert_eq(metadata_size(lam_buffer_bytes(&out), &size), LAM_ERROR_CODE_NONE);
        cr_expect_eq(size, out.size);
        lam_buffer_finish(&out);
        lam_variant_name_table_finish(&table);
        free(name);
    }
}

Test(variant_names, names_end_at_their_limits) {
    lam_variant_name_table table = new_table();
    lam_error error = lam_error_none();
    uint32_t number;
    lam_variant_name_table_clear(&table); /* nothing is there yet */
    cr_expect_eq(intern(&table, "a"), 0);
    table.byte_count = UINT32_MAX - 1; /* as if there were so many */
    cr_expect_eq(intern(&table, "b"), 1);
    cr_expect_eq(lam_variant_name_intern(&table, "c", 1, &number, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(error.status, LAM_STATUS_LIMIT);
    table.byte_count = 2;
    table.names.count = UINT32_MAX / 4;
    cr_expect_eq(lam_variant_name_intern(&table, "c", 1, &number, &error), LAM_STATUS_LIMIT);
    table.names.count = 2;
    cr_expect_eq(intern(&table, "c"), 2);
    lam_variant_name_table_finish(&table);
}
