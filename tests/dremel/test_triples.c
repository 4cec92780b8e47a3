/* SPDX-License-Identifier: Apache-2.0 */
/* A value taken out of triples is what put would take, for each physical type. */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "support/test_file.h"

static const char text[] =
    "message m { required boolean a; required int32 b; required int64 c; required float d; "
    "required double e; required binary f; required fixed_len_byte_array(3) g; required int96 h; }";

static lam_value second(const lam_schema *schema, size_t leaf, const void *values) {
    lam_triples triples = {2, 2, NULL, NULL, values};
    return lam_triples_value(&triples, lam_schema_leaf(schema, leaf), 1);
}

Test(triples, a_value_of_each_physical_type_is_as_put_takes_it) {
    static const uint8_t bools[] = {0, 1};
    static const int32_t int32s[] = {1, -2};
    static const int64_t int64s[] = {1, INT64_MIN};
    static const float floats[] = {1, -2.5f};
    static const double doubles[] = {1, 1e300};
    static const char fixed[] = "abcdef", int96[] = "0123456789ABabcdefghijkl";
    lam_bytes bytes[] = {{NULL, 0}, {(const uint8_t *)"xy", 2}};
    lam_schema *schema = lam_test_parse(text);
    cr_assert(second(schema, 0, bools).boolean);
    cr_assert_eq(second(schema, 1, int32s).int32, -2);
    cr_assert_eq(second(schema, 2, int64s).int64, INT64_MIN);
    cr_assert_eq(second(schema, 3, floats).float32, -2.5f);
    cr_assert_eq(second(schema, 4, doubles).float64, 1e300);
    cr_assert_arr_eq(second(schema, 5, bytes).bytes.data, "xy", 2);
    cr_assert_arr_eq(second(schema, 6, fixed).bytes.data, "def", 3);
    cr_assert_eq(second(schema, 6, fixed).bytes.size, 3);
    cr_assert_arr_eq(second(schema, 7, int96).bytes.data, "abcdefghijkl", 12);
    cr_assert_eq(second(schema, 7, int96).bytes.size, 12);
    lam_schema_destroy(schema);
}
