/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether bytes are a VARIANT: each rule of the encoding broken alone, prefixes and changed bytes
 * of the samples.
 */
#include "variant/value/variant_layout.h"
#include "variant_help.h"

static lam_status validate(const char *metadata, const char *value, lam_error *error) {
    lam_variant variant = hex_variant(metadata, value);
    *error = lam_error_none();
    lam_status status = lam_variant_validate(variant, 0, error);
    free_variant(variant);
    return status;
}

static void expect_refused(const char *metadata, const char *value, const char *message,
                           int64_t offset) {
    lam_error error;
    cr_expect_eq(validate(metadata, value, &error), LAM_STATUS_CORRUPT, "%s | %s", metadata, value);
    cr_expect_str_eq(error.message, message, "%s | %s: %s", metadata, value, error.message);
    cr_expect_eq(error.offset, offset, "%s | %s: at %lld", metadata, value,
                 (long long)error.offset);
}

static void expect_taken(const char *metadata, const char *value) {
    lam_error error;
    cr_expect_eq(validate(metadata, value, &error), LAM_STATUS_OK, "%s | %s: %s", metadata, value,
                 error.message);
}

Test(variant_validate, the_samples_are_well_formed) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        lam_variant variant = sample(sample_names[i]);
        lam_error error = lam_error_none();
        cr_expect_eq(lam_variant_validate(variant, 0, &error), LAM_STATUS_OK, "%s: %s",
                     sample_names[i], error.message);
        free_variant(variant);
    }
}

Test(variant_validate, metadata_must_hold_together) {
    expect_refused("", "00", "variant: metadata without bytes", 0);
    expect_refused("01", "00", "variant: metadata that ends early", 0);
    expect_refused("01 01 00", "00", "variant: metadata that ends early", 0);
    expect_refused("01 00 01 61", "00", "variant: names that do not begin at offset 0", 2);
    expect_refused("01 01 01 01 61", "00", "variant: names that do not begin at offset 0", 2);
    expect_refused("01 00 00 61", "00", "variant: names that do not end where the metadata does",
                   3);
    expect_refused("01 01 00 02 61", "00", "variant: names that do not end where the metadata does",
                   4);
    expect_refused("01 02 00 03 02 61 62", "00",
                   "variant: offsets of names that fall, or lie outside", 2);
    expect_refused("01 03 00 02 01 03 61 62 63", "00",
                   "variant: offsets of names that fall, or lie outside", 3);
    expect_taken("01 02 00 01 02 62 61", "00");
    expect_taken("01 02 00 01 02 61 61", "00");
    expect_taken("21 00 00", "00"); /* the reserved bit */
    expect_taken("01 00", "00");
    expect_taken("11 00", "00");
    expect_taken("41 00 00", "00");
    expect_taken("01 01 00 00", "00"); /* an empty name */
}

Test(variant_validate, names_are_utf8_each_of_them) {
    expect_refused("01 01 00 01 FF", "00", "variant: a name that is not UTF-8", 4);
    /* U+00E9, torn between two names */
    expect_refused("01 02 00 01 02 C3 A9", "00", "variant: a name that is not UTF-8", 3);
    expect_taken("01 02 00 02 03 C3 A9 61", "00");
}

Test(variant_validate, the_metadata_tells_the_truth_about_its_order) {
    static const char problem[] =
        "variant: names that are not sorted and unique, although the metadata says so";
    expect_refused("11 02 00 01 02 62 61", "00", problem, 3);
    expect_refused("11 02 00 01 02 61 61", "00", problem, 3);
    expect_refused("11 02 00 02 03 61 62 61", "00", problem, 3); /* "ab" before "a" */
    expect_taken("11 02 00 01 03 61 61 62", "00");
    expect_taken("11 02 00 01 03 7A C3 A9", "00"); /* bytes are unsigned */
}

/*
 * DuckDB 1.5.0 to 1.5.4 set the bit of sorted names over names in the order in which they came, and
 * all of its VARIANTs were refused.
 */
Test(variant_validate, names_that_break_the_promise_of_an_order_are_taken_on_request) {
    /* "b", "a": {"a": 1, "b": 2}, whose ids fall, and the same with ids that rise */
    lam_variant variant = hex_variant("110200010262 61", "02 02 01 00 00 02 04 0C01 0C02");
    cr_expect_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_ORDER, NULL),
                 LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_NAMES, NULL), LAM_STATUS_OK);
    lam_variant part;
    cr_expect_eq(lam_variant_field(variant, "a", 1, &part, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_variant_field(variant, "b", 1, &part, NULL), LAM_STATUS_OK);
    free_variant(variant);
    variant = hex_variant("110200010262 61", "02 02 00 01 00 02 04 0C02 0C01");
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_NAMES, NULL),
                 LAM_STATUS_CORRUPT, "names count, not ids");
    free_variant(variant);
    variant = hex_variant("11020001036162", "00"); /* offsets are looked at all the same */
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_NAMES, NULL),
                 LAM_STATUS_CORRUPT);
    free_variant(variant);
}

Test(variant_validate, a_version_or_type_of_later_is_unsupported) {
    lam_error error;
    cr_expect_eq(validate("02 00 00", "00", &error), LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, "variant: metadata of a version other than 1");
    cr_expect_eq(validate("01 00 00", "54", &error), LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, "variant: a value of the unknown type 21");
    cr_expect_eq(validate("01 00 00", "03 01 00 01 FC", &error), LAM_STATUS_UNSUPPORTED);
}

Test(variant_validate, nothing_stands_behind_the_value) {
    expect_refused("010000", "00 00", "variant: bytes after the value", 1);
    expect_refused("010000", "03 00 00 00", "variant: bytes after the value", 3);
    expect_refused("010000", "", "variant: a value ends early", 0);
}

Test(variant_validate, decimals_have_the_digits_of_their_type) {
    static const char digits[] = "variant: a decimal of more digits than its type may have";
    static const char scale[] = "variant: a decimal of more than 38 digits after the point";
    expect_taken("010000", "20 26 FFC99A3B");              /* 999999999 */
    expect_refused("010000", "20 00 00CA9A3B", digits, 0); /* 1000000000 */
    expect_refused("010000", "20 00 00000080", digits, 0); /* -2^31 */
    expect_refused("010000", "20 27 00000000", scale, 0);  /* scale 39 */
    expect_taken("010000", "24 00 FFFF63A7B3B6E00D");      /* 10^18 - 1 */
    expect_refused("010000", "24 00 000064A7B3B6E00D", digits, 0);
    expect_refused("010000", "24 00 0000000000000080", digits, 0);
    expect_taken("010000", "28 00 FFFFFFFF3F228A097AC4865AA84C3B4B"); /* 10^38 - 1 */
    expect_taken("010000", "28 26 01000000C0DD75F6853B79A557B3C4B4"); /* 1 - 10^38 */
    expect_refused("010000", "28 00 0000000040228A097AC4865AA84C3B4B", digits, 0);
    expect_refused("010000", "28 00 00000000000000000000000000000080", digits, 0);
    expect_refused("010000", "03 02 00 01 07 00 20 FF 00000000", scale, 6);
}

/* Early writers chose DECIMAL4 for every number of four bytes. */
/* A writer that shreds left the fields of what is not shredded in the order in which they came. */
Test(variant_validate, fields_in_any_order_are_taken_on_request) {
    lam_variant variant = hex_variant("010200010262 61", "02 02 00 01 00 02 04 0C05 0C06");
    cr_expect_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, NULL),
                 LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_ORDER, NULL), LAM_STATUS_OK);
    free_variant(variant);
    variant = hex_variant("010200010262 61", "02 02 00 02 00 02 04 0C05 0C06"); /* no such name */
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_ANY_ORDER, NULL),
                 LAM_STATUS_CORRUPT);
    free_variant(variant);
}

Test(variant_validate, decimals_that_are_too_wide_for_their_type_are_taken_on_request) {
    lam_variant variant = hex_variant("010000", "20 00 00CA9A3B");
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_variant_validate(variant, 8, NULL), LAM_STATUS_INVALID);
    free_variant(variant);
    variant = hex_variant("010000", "28 00 0000000040228A097AC4865AA84C3B4B");
    cr_expect_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, NULL),
                 LAM_STATUS_CORRUPT, "39 digits");
    free_variant(variant);
}

Test(variant_validate, strings_are_utf8_short_and_long) {
    expect_refused("010000", "09 61 80", "variant: a string that is not UTF-8", 2);
    expect_refused("010000", "40 02000000 C3 28", "variant: a string that is not UTF-8", 5);
    expect_taken("010000", "3C 02000000 C3 28"); /* binary */
    expect_taken("010000", "01");
    expect_taken("010000", "40 00000000");
}

Test(variant_validate, fields_are_in_the_dictionary_in_order_and_unique) {
    static const char order[] =
        "variant: fields that are not in the order of their names, or twice";
    expect_refused("01 01 00 01 61", "02 01 01 00 01 00",
                   "variant: a field id that the metadata does not have", 2);
    expect_refused("010000", "02 01 00 00 01 00",
                   "variant: a field id that the metadata does not have", 2);
    expect_taken("01 02 00 01 02 62 61", "02 02 01 00 00 01 02 00 00"); /* ids 1 a, 0 b */
    expect_refused("01 02 00 01 02 62 61", "02 02 00 01 00 01 02 00 00", order, 3);
    expect_refused("01 02 00 01 02 61 61", "02 02 00 01 00 01 02 00 00", order, 3);
    expect_refused("11 02 00 01 02 61 62", "02 02 01 00 00 01 02 00 00", order, 3);
    expect_refused("11 01 00 01 61", "02 02 00 00 00 01 02 00 00", order, 3);
    expect_refused("01 01 00 01 61", "02 02 00 00 00 01 02 00 00", order, 3);
}

Test(variant_validate, offsets_lie_inside_and_their_values_do_not_overlap) {
    static const char outside[] = "variant: an offset outside of its object or array";
    static const char overlap[] = "variant: values that overlap in their object or array";
    expect_refused("010000", "03 01 01 01 00", outside, 2);
    expect_refused("010000", "03 02 00 02 02 00 00", outside, 3);
    expect_refused("010000", "03 02 00 00 01 00", overlap, 0);
    expect_refused("010000", "03 03 00 01 00 02 00 00", overlap, 0);
    expect_refused("010000", "03 01 00 01 0C", "variant: a value ends early", 2);
    /* any order, and bytes that belong to no value */
    expect_taken("11 02 00 01 02 61 62", "02 02 00 01 02 00 03 0C 07 00");
    expect_taken("010000", "03 02 01 03 05 FF 00 FF 0C 07");
    expect_taken("010000", "03 00 05 AABBCCDDEE");
}

/* Only the sum of their sizes was looked at, so that a gap made up for shared bytes. */
Test(variant_validate, neighbours_do_not_overlap_beside_a_gap) {
    static const char overlap[] = "variant: values that overlap in their object or array";
    expect_refused("010000", "03 02 00 00 04 0C05 0C06", overlap, 0);
    expect_refused("010000", "03 02 00 01 04 0C05 0000", overlap, 0);
    expect_refused("010000", "03 02 01 00 04 0C05 0000", overlap, 0);
    expect_refused("11 02 00 01 02 61 62", "02 02 00 01 00 00 04 0C05 0C06", overlap, 0);
    /* A container between them, and its parts, change nothing. */
    expect_refused("010000", "03 02 00 03 09 03 01 00 01 00 00 00 00 00", overlap, 0);
    expect_taken("010000", "03 02 00 05 06 03 01 00 01 00 00");
    expect_taken("010000", "03 02 02 00 04 0C05 0C06");
}

/* Two arrays inside each other share the bytes of two elements: 2^n values in 5n bytes. */
Test(variant_validate, shared_bytes_cannot_make_few_bytes_stand_for_many_values) {
    enum { LEVELS = 40 };
    uint8_t value[8 * LEVELS + 1];
    size_t at = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        size_t inside = (LEVELS - 1 - i) * 8 + 1;
        const uint8_t head[] = {0x07, 2, 0, 0, 0, 0, (uint8_t)inside, (uint8_t)(inside >> 8)};
        memcpy(value + at, head, sizeof head);
        at += sizeof head;
    }
    value[at++] = 0;
    lam_variant variant = {hex_bytes("010000"), {exact_block(value, at), at}};
    cr_expect_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_CORRUPT);
    free_variant(variant);
}

/* [[[...]]], `depth` arrays. */
static lam_variant nested(size_t depth) {
    size_t size = 3, at = 0;
    for (size_t i = 1; i < depth; i++)
        size += 10;
    uint8_t *value = malloc(size);
    for (size_t i = 1; i < depth; i++) {
        size_t inside = size - at - 10;
        const uint8_t head[] = {
            0x0F, 1, 0, 0, 0, 0, (uint8_t)inside, (uint8_t)(inside >> 8), (uint8_t)(inside >> 16),
            0};
        memcpy(value + at, head, sizeof head);
        at += sizeof head;
    }
    memset(value + at, 0, 3);
    value[at] = 3;
    lam_variant variant = {hex_bytes("010000"), {value, size}};
    return variant;
}

Test(variant_validate, nesting_ends_at_a_limit) {
    lam_variant variant = nested(LAM_VARIANT_DEPTH_MAX);
    cr_expect_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_OK);
    cr_expect(lam_variant_equals(variant, variant));
    free_variant(variant);
    static const size_t depths[] = {LAM_VARIANT_DEPTH_MAX + 1, 10000, 100000};
    for (size_t i = 0; i < 3; i++) {
        lam_error error = lam_error_none();
        variant = nested(depths[i]);
        cr_expect_eq(lam_variant_validate(variant, 0, &error), LAM_STATUS_LIMIT);
        cr_expect_str_eq(error.message, "variant: nested deeper than 1024");
        cr_expect_not(lam_variant_equals(variant, variant));
        free_variant(variant);
    }
}

/* --- Damage --------------------------------------------------------------------------------- */

/* Looks at everything that views show, and keeps to a number of steps. */
static void look(lam_variant variant, size_t *steps) {
    lam_variant stack[32], part;
    size_t depth = 0, count, id;
    lam_variant_scalar scalar;
    lam_variant_names_view names;
    lam_bytes name;
    stack[depth++] = variant;
    while (depth > 0 && *steps > 0) {
        variant = stack[--depth];
        --*steps;
        if (lam_variant_count(variant, &count, NULL) != LAM_STATUS_OK) {
            (void)!lam_variant_get(variant, &scalar, NULL);
            continue;
        }
        (void)!lam_variant_field(variant, "names", 5, &part, NULL);
        for (size_t i = 0; i < count && i < 16 && depth < 32; i++)
            if (lam_variant_field_at(variant, i, &name, &part, NULL) == LAM_STATUS_OK ||
                lam_variant_element(variant, i, &part, NULL) == LAM_STATUS_OK)
                stack[depth++] = part;
    }
    if (lam_variant_open_names(variant.metadata, &names) != NULL)
        return;
    for (id = 0; id < 300; id++)
        if (!lam_variant_name_at(&names, id, &name))
            break;
}

static void expect_harmless(lam_variant variant) {
    lam_error error = lam_error_none();
    size_t steps = 1000;
    lam_status status = lam_variant_validate(variant, 0, &error);
    cr_expect(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
              status == LAM_STATUS_UNSUPPORTED || status == LAM_STATUS_LIMIT);
    look(variant, &steps);
    (void)lam_variant_equals(variant, variant);
}

Test(variant_validate, prefixes_of_the_samples_are_corrupt_and_do_no_harm) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        lam_variant whole = sample(sample_names[i]), cut = whole;
        for (size_t size = 0; size < whole.value.size; size++) {
            cut.value.size = size;
            cut.value.data = exact_block(whole.value.data, size);
            cr_expect_eq(lam_variant_validate(cut, 0, NULL), LAM_STATUS_CORRUPT, "%s cut to %zu",
                         sample_names[i], size);
            expect_harmless(cut);
            free((void *)(uintptr_t)cut.value.data);
        }
        cut = whole;
        for (size_t size = 0; size < whole.metadata.size; size++) {
            cut.metadata.size = size;
            cut.metadata.data = exact_block(whole.metadata.data, size);
            bool empty = size == 2 && whole.metadata.size == 3;
            cr_expect_eq(lam_variant_validate(cut, 0, NULL),
                         empty ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%s, metadata cut to %zu",
                         sample_names[i], size);
            expect_harmless(cut);
            free((void *)(uintptr_t)cut.metadata.data);
        }
        free_variant(whole);
    }
}

Test(variant_validate, no_change_of_a_byte_does_harm) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    size_t taken = 0, refused = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        lam_variant whole = sample(sample_names[i]);
        for (size_t at = 0; at < whole.metadata.size + whole.value.size; at++) {
            bool in_value = at >= whole.metadata.size;
            uint8_t *byte =
                (uint8_t *)(uintptr_t)(in_value ? whole.value.data : whole.metadata.data) +
                (in_value ? at - whole.metadata.size : at);
            uint8_t before = *byte;
            for (unsigned change = 1; change < 256; change++) {
                *byte = (uint8_t)(before ^ change);
                expect_harmless(whole);
                if (lam_variant_validate(whole, 0, NULL) == LAM_STATUS_OK)
                    taken++;
                else
                    refused++;
            }
            *byte = before;
        }
        free_variant(whole);
    }
    cr_expect_gt(taken, 1000);
    cr_expect_gt(refused, 1000);
}
