/* SPDX-License-Identifier: Apache-2.0 */
/* The fields and levels of the drawing in slots.h. */
#include "dremel/slots.h"

#include <criterion/criterion.h>

#include "support/test_file.h"

static const char FIELDS[] = "optional group a (LIST) { repeated group list {"
                             "  optional group element { optional int32 x; } } }";

static const char *const paths[] = {"a", "a.list", "a.list.element", "a.list.element.x"};

static lam_slots slots_of(const lam_schema *schema, size_t field) {
    return lam_slots_of(lam_schema_find(schema, paths[field]));
}

Test(slots, levels_say_where_a_field_is_and_where_it_could_be) {
    /* For each triple of x what it is of each field: present, missing, or nothing. */
    static const struct {
        uint8_t repetition, definition;
        const char *slots;
    } triples[] = {{0, 4, "pppp"}, {1, 3, "-ppm"}, {1, 2, "-pmm"}, {0, 1, "p---"}, {0, 0, "m---"}};
    lam_schema *schema = lam_test_parse(FIELDS);
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++) {
        uint8_t r = triples[i].repetition, d = triples[i].definition;
        for (size_t field = 0; field < 4; field++) {
            lam_slots slots = slots_of(schema, field);
            char found = d >= slots.present ? 'p' : 'm';
            if (!lam_slots_has(slots, r, d))
                found = '-';
            cr_expect_eq(found, triples[i].slots[field], "%s, triple %zu", paths[field], i);
        }
    }
    lam_schema_destroy(schema);
}

/* Two leaves agree on a slot where both have the field, or lack it at the same level. */
Test(slots, leaves_agree_on_what_is_above_a_field) {
    lam_schema *schema = lam_test_parse(FIELDS);
    for (size_t field = 0; field < 4; field++) {
        lam_slots slots = slots_of(schema, field);
        for (uint8_t a = 0; a <= 4; a++)
            for (uint8_t b = 0; b <= 4; b++) {
                uint8_t seen_a = a < slots.present ? a : slots.present;
                uint8_t seen_b = b < slots.present ? b : slots.present;
                cr_expect_eq(lam_slots_agree(slots, a, b), seen_a == seen_b, "%s: %d and %d",
                             paths[field], a, b);
            }
    }
    lam_schema_destroy(schema);
}

/* Another element needs one before it, and has to be there itself. */
Test(slots, a_triple_follows_where_the_list_has_elements) {
    uint8_t least[2] = {9, 9};
    lam_schema *schema = lam_test_parse(FIELDS);
    lam_slots_least(lam_schema_find(schema, paths[3]), least);
    cr_expect_eq(least[0], 0);
    cr_expect_eq(least[1], 2);
    for (uint8_t before = 0; before <= 4; before++)
        for (uint8_t d = 0; d <= 4; d++) {
            cr_expect(lam_slots_may_follow(least, before, 0, d));
            cr_expect_eq(lam_slots_may_follow(least, before, 1, d), before >= 2 && d >= 2);
        }
    lam_schema_destroy(schema);
}
