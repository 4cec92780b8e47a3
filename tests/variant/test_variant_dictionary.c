/* SPDX-License-Identifier: Apache-2.0 */
/* Names of metadata are found and ranked, sorted or not, and added behind their own. */
#include "variant/value/variant_dictionary.h"

#include "variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static lam_bytes word(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return bytes;
}

static void set(lam_variant_dictionary *dictionary, const char *hex, bool expected_same) {
    lam_bytes metadata = hex_bytes(hex);
    bool same;
    OK(lam_variant_dictionary_set(dictionary, metadata, &same, NULL));
    cr_expect_eq(same, expected_same, "%s", hex);
    free((void *)(uintptr_t)metadata.data);
    OK(lam_variant_dictionary_order(dictionary, NULL));
}

static void expect_id(const lam_variant_dictionary *dictionary, const char *name, int64_t id) {
    uint32_t found = 0;
    bool is_there = lam_variant_dictionary_find(dictionary, word(name), &found);
    cr_expect_eq(is_there, id >= 0, "%s", name);
    if (is_there)
        cr_expect_eq(found, id, "%s", name);
}

static lam_variant_dictionary new_dictionary(void) {
    lam_variant_dictionary dictionary;
    lam_allocator allocator = lam_allocator_default();
    lam_variant_dictionary_init(&dictionary, &allocator);
    return dictionary;
}

Test(variant_dictionary, names_are_found_in_sorted_and_other_metadata) {
    lam_variant_dictionary dictionary = new_dictionary();
    set(&dictionary, "11 03 00 01 02 04 61 62 6363", false);
    cr_expect_null(lam_variant_dictionary_ranks(&dictionary));
    expect_id(&dictionary, "a", 0);
    expect_id(&dictionary, "b", 1);
    expect_id(&dictionary, "cc", 2);
    expect_id(&dictionary, "c", -1);
    expect_id(&dictionary, "", -1);
    set(&dictionary, "11 03 00 01 02 04 61 62 6363", true);
    set(&dictionary, "01 03 00 02 03 04 6363 62 61", false);
    expect_id(&dictionary, "a", 2);
    expect_id(&dictionary, "cc", 0);
    expect_id(&dictionary, "d", -1);
    const uint32_t *ranks = lam_variant_dictionary_ranks(&dictionary);
    cr_expect_eq(ranks[0], 2);
    cr_expect_eq(ranks[1], 1);
    cr_expect_eq(ranks[2], 0);
    set(&dictionary, "01 00", false);
    expect_id(&dictionary, "", -1);
    lam_variant_dictionary_finish(&dictionary);
}

/* The bit of sorted names was believed, or the metadata refused. */
Test(variant_dictionary, names_that_are_not_in_the_order_they_claim_are_found_all_the_same) {
    lam_variant_dictionary dictionary = new_dictionary();
    set(&dictionary, "11 04 00 01 02 03 04 64 63 62 61", false);
    cr_expect_not_null(lam_variant_dictionary_ranks(&dictionary));
    expect_id(&dictionary, "a", 3);
    expect_id(&dictionary, "b", 2);
    expect_id(&dictionary, "c", 1);
    expect_id(&dictionary, "d", 0);
    expect_id(&dictionary, "e", -1);
    lam_bytes metadata = lam_variant_dictionary_metadata(&dictionary);
    cr_expect_eq(metadata.data[0], 1, "what is handed on claims no order");
    set(&dictionary, "11 04 00 01 02 03 04 64 63 62 61", true); /* the original is compared */
    set(&dictionary, "01 04 00 01 02 03 04 64 63 62 61", false);
    set(&dictionary, "11 02 00 01 02 61 61", false);
    cr_expect_eq(lam_variant_dictionary_metadata(&dictionary).data[0], 1, "sorted, but not unique");
    set(&dictionary, "11 02 00 01 02 61 62", false);
    cr_expect_eq(lam_variant_dictionary_metadata(&dictionary).data[0], 17);
    lam_variant_dictionary_finish(&dictionary);
}

Test(variant_dictionary, ids_of_one_name_have_one_rank) {
    lam_variant_dictionary dictionary = new_dictionary();
    set(&dictionary, "01 03 00 01 02 03 62 61 62", false);
    const uint32_t *ranks = lam_variant_dictionary_ranks(&dictionary);
    cr_expect_eq(ranks[0], ranks[2]);
    cr_expect_eq(ranks[1], 0);
    cr_expect_eq(ranks[0], 1);
    lam_variant_dictionary_finish(&dictionary);
}

Test(variant_dictionary, names_are_added_behind_its_own_any_number_of_times) {
    lam_variant_dictionary dictionary = new_dictionary();
    lam_bytes names[] = {word("z"), word("b")}, more[] = {word("y")};
    set(&dictionary, "11 02 00 01 02 61 63", false);
    OK(lam_variant_dictionary_extend(&dictionary, names, 2, NULL));
    OK(lam_variant_dictionary_order(&dictionary, NULL));
    OK(lam_variant_dictionary_extend(&dictionary, more, 1, NULL));
    OK(lam_variant_dictionary_order(&dictionary, NULL));
    expect_id(&dictionary, "a", 0);
    expect_id(&dictionary, "c", 1);
    expect_id(&dictionary, "z", 2);
    expect_id(&dictionary, "b", 3);
    expect_id(&dictionary, "y", 4);
    lam_bytes expected = hex_bytes("01 05 00 01 02 03 04 05 61 63 7A 62 79");
    lam_bytes metadata = lam_variant_dictionary_metadata(&dictionary);
    cr_assert_eq(metadata.size, expected.size);
    cr_expect_arr_eq(metadata.data, expected.data, expected.size);
    free((void *)(uintptr_t)expected.data);
    set(&dictionary, "11 02 00 01 02 61 63", true); /* it is the original that is compared */
    set(&dictionary, "01 00 00", false);
    cr_expect_eq(lam_variant_dictionary_metadata(&dictionary).size, 3);
    lam_variant_dictionary_finish(&dictionary);
}

Test(variant_dictionary, what_is_no_metadata_is_refused_each_time) {
    lam_variant_dictionary dictionary = new_dictionary();
    lam_bytes bad = hex_bytes("01 01 00 02 61");
    bool same;
    cr_expect_eq(lam_variant_dictionary_set(&dictionary, bad, &same, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_dictionary_set(&dictionary, bad, &same, NULL), LAM_STATUS_CORRUPT);
    free((void *)(uintptr_t)bad.data);
    lam_variant_dictionary_finish(&dictionary);
}
