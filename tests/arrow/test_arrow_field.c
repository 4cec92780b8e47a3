/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields by themselves: names of kinds, which types are equal, and how many children each kind has.
 */
#include "arrow/field/arrow_field.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arrow_field, every_kind_has_a_name_of_its_own) {
    for (int a = LAM_ARROW_NULL; a <= LAM_ARROW_DENSE_UNION; a++) {
        cr_assert_str_neq(lam_arrow_kind_name((lam_arrow_kind)a), "unknown");
        for (int b = LAM_ARROW_NULL; b < a; b++)
            cr_assert_str_neq(lam_arrow_kind_name((lam_arrow_kind)a),
                              lam_arrow_kind_name((lam_arrow_kind)b));
    }
    cr_assert_str_eq(lam_arrow_kind_name(LAM_ARROW_LARGE_LIST_VIEW), "large_list_view");
    cr_assert_str_eq(lam_arrow_kind_name(LAM_ARROW_DENSE_UNION), "dense_union");
    cr_assert_str_eq(lam_arrow_kind_name((lam_arrow_kind)999), "unknown");
}

Test(arrow_field, types_differ_by_kind_and_by_each_argument) {
    static const lam_arrow_type types[] = {
        {.kind = LAM_ARROW_INT32},
        {.kind = LAM_ARROW_UINT32},
        {.kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 9, .scale = 2},
        {.kind = LAM_ARROW_DECIMAL, .bit_width = 64, .precision = 9, .scale = 2},
        {.kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 8, .scale = 2},
        {.kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 9, .scale = 3},
        {.kind = LAM_ARROW_TIME32, .unit = LAM_ARROW_SECOND},
        {.kind = LAM_ARROW_TIME32, .unit = LAM_ARROW_MILLISECOND},
        {.kind = LAM_ARROW_TIME64, .unit = LAM_ARROW_MICROSECOND},
        {.kind = LAM_ARROW_TIME64, .unit = LAM_ARROW_NANOSECOND},
        {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_SECOND},
        {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_NANOSECOND},
        {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_SECOND},
        {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_MICROSECOND},
        {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_SECOND, .timezone = "UTC"},
        {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_SECOND, .timezone = "+00:00"},
        {.kind = LAM_ARROW_FIXED_SIZE_BINARY, .fixed_size = 3},
        {.kind = LAM_ARROW_FIXED_SIZE_BINARY, .fixed_size = 4},
        {.kind = LAM_ARROW_FIXED_SIZE_LIST, .fixed_size = 3},
        {.kind = LAM_ARROW_FIXED_SIZE_LIST, .fixed_size = 4},
        {.kind = LAM_ARROW_MAP},
        {.kind = LAM_ARROW_MAP, .keys_sorted = true},
        {.kind = LAM_ARROW_SPARSE_UNION},
        {.kind = LAM_ARROW_SPARSE_UNION, .union_ids = {(const uint8_t *)"\1\2", 2}},
        {.kind = LAM_ARROW_SPARSE_UNION, .union_ids = {(const uint8_t *)"\1\3", 2}},
        {.kind = LAM_ARROW_DENSE_UNION, .union_ids = {(const uint8_t *)"\1\2", 2}},
    };
    enum { COUNT = sizeof types / sizeof types[0] };
    for (size_t a = 0; a < COUNT; a++)
        for (size_t b = 0; b < COUNT; b++)
            cr_assert_eq(lam_arrow_type_equals(&types[a], &types[b]), a == b, "%zu and %zu", a, b);
    char zone[] = "UTC";
    lam_arrow_type other = types[14];
    other.timezone = zone;
    cr_assert(lam_arrow_type_equals(&types[14], &other));
}

static void is_faulty(lam_arrow_type type, const char *fault) {
    const char *found = lam_arrow_type_fault(&type);
    cr_assert_not_null(found);
    cr_assert_str_eq(found, fault);
    lam_arrow_field field = {.name = "", .type = type};
    cr_assert_eq(lam_arrow_field_complete(&field), found);
}

Test(arrow_field, times_have_the_units_that_their_width_holds) {
    is_faulty((lam_arrow_type){.kind = LAM_ARROW_TIME32, .unit = LAM_ARROW_MICROSECOND},
              "a time32 must count seconds or milliseconds");
    is_faulty((lam_arrow_type){.kind = LAM_ARROW_TIME64, .unit = LAM_ARROW_MILLISECOND},
              "a time64 must count microseconds or nanoseconds");
    is_faulty((lam_arrow_type){.kind = LAM_ARROW_TIMESTAMP, .unit = (lam_arrow_unit)4},
              "the unit of time is unknown");
    is_faulty((lam_arrow_type){.kind = LAM_ARROW_DURATION, .unit = (lam_arrow_unit)-1},
              "the unit of time is unknown");
}

/* --- Children --------------------------------------------------------------------------------- */

static const char *completed(lam_arrow_kind kind, lam_arrow_field *children, size_t count) {
    lam_arrow_field field = {.name = "f", .type = {.kind = kind}};
    field.children = children;
    field.child_count = count;
    return lam_arrow_field_complete(&field);
}

Test(arrow_field, each_kind_has_its_number_of_children) {
    for (int i = LAM_ARROW_NULL; i <= LAM_ARROW_DENSE_UNION; i++) {
        lam_arrow_kind kind = (lam_arrow_kind)i;
        if (kind == LAM_ARROW_DECIMAL || kind == LAM_ARROW_TIME64 || kind == LAM_ARROW_MAP ||
            kind == LAM_ARROW_RUN_END_ENCODED)
            continue; /* need arguments or children of certain kinds */
        bool list = kind >= LAM_ARROW_LIST && kind <= LAM_ARROW_FIXED_SIZE_LIST;
        lam_arrow_field children[] = {{.name = "a"}, {.name = "b"}};
        for (size_t count = 0; count <= 2; count++) {
            bool good = kind == LAM_ARROW_STRUCT || (list ? count == 1 : count == 0);
            cr_assert_eq(completed(kind, children, count) == NULL, good, "%s with %zu children",
                         lam_arrow_kind_name(kind), count);
        }
    }
}

Test(arrow_field, a_union_has_a_child_for_each_type_id) {
    lam_arrow_field children[] = {{.name = "a"}, {.name = "b"}};
    lam_arrow_field field = {.name = "u", .type = {.kind = LAM_ARROW_DENSE_UNION}};
    field.type.union_ids = (lam_bytes){(const uint8_t *)"\7\1", 2};
    field.children = children;
    field.child_count = 2;
    cr_assert_null(lam_arrow_field_complete(&field));
    field.child_count = 1;
    cr_assert_str_eq(lam_arrow_field_complete(&field),
                     "a union must have as many children as type ids");
}

Test(arrow_field, a_map_is_a_list_of_structs_of_two) {
    lam_arrow_field pair[] = {{.name = "key", .nullable = true},
                              {.name = "value", .nullable = true}};
    lam_arrow_field entries = {
        .name = "entries", .type = {.kind = LAM_ARROW_STRUCT}, .nullable = true};
    entries.children = pair;
    entries.child_count = 2;
    cr_assert_null(completed(LAM_ARROW_MAP, &entries, 1));
    cr_assert_not(entries.nullable, "entries are never null");
    cr_assert_not(pair[0].nullable, "nor are keys");
    cr_assert(pair[1].nullable, "but values may be");
    cr_assert_str_eq(completed(LAM_ARROW_MAP, &entries, 0),
                     "a map must have one child, its entries");
    entries.is_dictionary = true;
    cr_assert_str_eq(completed(LAM_ARROW_MAP, &entries, 1),
                     "the entries of a map must be a struct");
    entries.is_dictionary = false;
    entries.child_count = 1;
    cr_assert_str_eq(completed(LAM_ARROW_MAP, &entries, 1),
                     "the entries of a map must have two children");
    entries.type.kind = LAM_ARROW_LIST;
    cr_assert_str_eq(completed(LAM_ARROW_MAP, &entries, 1),
                     "the entries of a map must be a struct");
}

Test(arrow_field, run_ends_are_integers_without_nulls) {
    lam_arrow_field pair[] = {{.name = "run_ends", .type = {.kind = LAM_ARROW_INT16}},
                              {.name = "values", .nullable = true}};
    cr_assert_null(completed(LAM_ARROW_RUN_END_ENCODED, pair, 2));
    cr_assert_str_eq(completed(LAM_ARROW_RUN_END_ENCODED, pair, 1),
                     "a run_end_encoded must have two children, run ends and values");
    static const char fault[] = "run ends must be int16, int32 or int64, and not nullable";
    for (int i = LAM_ARROW_NULL; i <= LAM_ARROW_STRING; i++) {
        pair[0].type.kind = (lam_arrow_kind)i;
        bool good = i == LAM_ARROW_INT16 || i == LAM_ARROW_INT32 || i == LAM_ARROW_INT64;
        cr_assert_eq(completed(LAM_ARROW_RUN_END_ENCODED, pair, 2) == NULL, good);
    }
    pair[0].type.kind = LAM_ARROW_INT64;
    pair[0].nullable = true;
    cr_assert_str_eq(completed(LAM_ARROW_RUN_END_ENCODED, pair, 2), fault);
    pair[0].nullable = false;
    pair[0].is_dictionary = true;
    cr_assert_str_eq(completed(LAM_ARROW_RUN_END_ENCODED, pair, 2), fault);
}

Test(arrow_field, indices_of_a_dictionary_are_integers) {
    for (int i = LAM_ARROW_NULL; i <= LAM_ARROW_DENSE_UNION; i++) {
        lam_arrow_field field = {.name = "d", .type = {.kind = LAM_ARROW_STRING}};
        field.is_dictionary = true;
        field.index_kind = (lam_arrow_kind)i;
        bool good = i >= LAM_ARROW_INT8 && i <= LAM_ARROW_UINT64;
        cr_assert_eq(lam_arrow_field_complete(&field) == NULL, good);
    }
}
