/* SPDX-License-Identifier: Apache-2.0 */
/* Logical and converted types of elements: which one counts, and what unknown ones become. */
#include "meta/meta_logical.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "meta/schema_elements.h"

Test(meta_logical, the_logical_type_wins) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_TIME,
                                     .value = {.time = {.unit = {LAM_META_TIME_UNIT_MILLIS}}}};
    lam_meta_schema_element element = leaf("t", LAM_PHYSICAL_INT32);
    element.has |= CONVERTED;
    element.converted_type = LAM_META_CONVERTED_DATE;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_DATE);
    element.logical_type = &logical;
    lam_logical_type type = import_one(element);
    cr_assert_eq(type.kind, LAM_LOGICAL_TIME);
    cr_assert_eq(type.unit, LAM_TIME_UNIT_MILLIS);
    cr_assert_not(type.adjusted_to_utc);
}

/* parquet-mr 1.12 wrote intervals so, and they were taken for columns of nulls. */
Test(meta_logical, an_interval_that_is_unknown_as_a_logical_type_is_an_interval) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_UNKNOWN};
    lam_meta_schema_element element = leaf("i", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY);
    element.has |= LENGTH | CONVERTED;
    element.type_length = 12;
    element.logical_type = &logical;
    element.converted_type = LAM_META_CONVERTED_INTERVAL;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_INTERVAL);
    element.has &= ~(uint32_t)CONVERTED;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNKNOWN);
    element.has |= CONVERTED;
    element.converted_type = LAM_META_CONVERTED_DECIMAL;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNKNOWN);
}

Test(meta_logical, an_old_time_is_in_utc) {
    lam_meta_schema_element element = leaf("t", LAM_PHYSICAL_INT64);
    element.has |= CONVERTED;
    element.converted_type = LAM_META_CONVERTED_TIMESTAMP_MICROS;
    lam_logical_type type = import_one(element);
    cr_assert_eq(type.kind, LAM_LOGICAL_TIMESTAMP);
    cr_assert_eq(type.unit, LAM_TIME_UNIT_MICROS);
    cr_assert(type.adjusted_to_utc);
}

/* LogicalTypes.md, section "TIMESTAMP": the converted types are those of int64 alone. */
Test(meta_logical, a_timestamp_of_96_bits_has_a_logical_type_and_no_old_one) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_TIMESTAMP};
    logical.value.time.unit.kind = LAM_META_TIME_UNIT_MILLIS;
    lam_meta_schema_element element = leaf("t", LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY);
    element.has |= LAM_META_SCHEMA_ELEMENT_HAS_TYPE_LENGTH;
    element.type_length = 12;
    element.logical_type = &logical;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_TIMESTAMP);
    element.type_length = 13;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
    element.type_length = 12;
    element.logical_type = NULL;
    element.has |= CONVERTED;
    element.converted_type = LAM_META_CONVERTED_TIMESTAMP_MILLIS;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
}

/*
 * parquet-format#592: `required group emb (VECTOR) { vector group list { required float element; }
 * }` with the number of FILE for VECTOR, and a column beside it.
 */
Test(meta_logical, a_vector_is_named_and_the_group_around_it_is_no_file) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_FILE};
    lam_meta_schema_element elements[] = {root(2), root(1), root(1),
                                          leaf("element", LAM_PHYSICAL_FLOAT),
                                          leaf("b", LAM_PHYSICAL_INT32)};
    for (int i = 1; i < 5; i++) {
        elements[i].has |= REPETITION;
        elements[i].repetition_type = LAM_REPETITION_REQUIRED;
    }
    elements[1].logical_type = &logical;
    elements[2].repetition_type = LAM_REPETITION_VECTOR;
    lam_schema *schema;
    lam_error error = lam_error_none();
    cr_assert_eq(import(elements, 5, &schema, &error), LAM_STATUS_OK, "%s", error.message);
    const lam_field *group = lam_field_child(lam_schema_root(schema), 0);
    cr_assert_eq(lam_field_logical_type(group)->kind, LAM_LOGICAL_UNRECOGNIZED);
    cr_assert_eq(lam_field_repetition(lam_field_child(group, 0)), LAM_REPETITION_VECTOR);
    lam_schema_destroy(schema);
    elements[2].repetition_type = LAM_REPETITION_OPTIONAL;
    cr_assert_eq(import(elements, 5, &schema, &error), LAM_STATUS_OK);
    group = lam_field_child(lam_schema_root(schema), 0);
    cr_assert_eq(lam_field_logical_type(group)->kind, LAM_LOGICAL_FILE);
    lam_schema_destroy(schema);
    elements[2].has &= ~(uint32_t)REPETITION; /* its number then says nothing */
    elements[2].repetition_type = LAM_REPETITION_VECTOR;
    cr_assert_eq(import(elements, 5, &schema, &error), LAM_STATUS_OK);
    group = lam_field_child(lam_schema_root(schema), 0);
    cr_assert_eq(lam_field_logical_type(group)->kind, LAM_LOGICAL_FILE);
    lam_schema_destroy(schema);
    elements[2].has |= REPETITION;
    elements[2].repetition_type = 4;
    cr_assert_eq(import(elements, 5, &schema, &error), LAM_STATUS_CORRUPT);
}

Test(meta_logical, a_file_at_the_end_of_the_schema_has_no_child_to_look_at) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_FILE};
    lam_meta_schema_element elements[] = {root(1), group("f", 0)}, *exact = malloc(sizeof elements);
    lam_schema *schema;
    elements[1].logical_type = &logical;
    memcpy(exact, elements, sizeof elements); /* so that reading beyond is seen */
    cr_assert_eq(import(exact, 2, &schema, NULL), LAM_STATUS_OK);
    const lam_field *file = lam_field_child(lam_schema_root(schema), 0);
    cr_assert_eq(lam_field_logical_type(file)->kind, LAM_LOGICAL_FILE);
    cr_assert_eq(lam_field_child_count(file), 0);
    lam_schema_destroy(schema);
    free(exact);
}

Test(meta_logical, an_old_decimal_has_its_digits_in_the_element) {
    lam_meta_schema_element element = leaf("d", LAM_PHYSICAL_INT32);
    element.has |= CONVERTED | SCALE | PRECISION;
    element.converted_type = LAM_META_CONVERTED_DECIMAL;
    element.scale = 2;
    element.precision = 9;
    lam_logical_type type = import_one(element);
    cr_assert_eq(type.kind, LAM_LOGICAL_DECIMAL);
    cr_assert_eq(type.scale, 2);
    cr_assert_eq(type.precision, 9);
    element.precision = 1; /* less than the scale */
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_NONE);
}

Test(meta_logical, an_unknown_logical_type_leaves_the_physical_type) {
    lam_meta_logical_type logical = {.kind = LAM_META_UNION_UNRECOGNIZED};
    lam_meta_schema_element element = leaf("x", LAM_PHYSICAL_INT64);
    element.logical_type = &logical;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
    logical.kind = LAM_META_UNION_EMPTY;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
    logical.kind = LAM_META_LOGICAL_TIMESTAMP; /* of an unknown unit */
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
    static const int32_t kinds[] = {9, 99, INT32_MAX, INT32_MIN}; /* 9 is reserved */
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        logical.kind = kinds[i];
        cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED, "%d", kinds[i]);
    }
    static const int32_t units[] = {LAM_META_UNION_UNRECOGNIZED, LAM_META_TIME_UNIT_NANOS + 1};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        logical.kind = LAM_META_LOGICAL_TIMESTAMP;
        logical.value.time.unit.kind = units[i];
        cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED, "unit %d", units[i]);
    }
    logical.kind = LAM_META_LOGICAL_STRING; /* not of INT64 */
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_NONE);
    element.logical_type = NULL;
    element.has |= CONVERTED;
    element.converted_type = 22;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
}

Test(meta_logical, a_globe_has_its_coordinates_and_its_edges) {
    lam_meta_logical_type logical = {.kind = LAM_META_LOGICAL_GEOGRAPHY};
    lam_meta_schema_element element = leaf("x", LAM_PHYSICAL_BYTE_ARRAY);
    element.logical_type = &logical;
    lam_logical_type type = import_one(element);
    cr_assert_null(type.crs);
    cr_assert_eq(type.algorithm, LAM_EDGE_ALGORITHM_DEFAULT);
    logical.value.geography.has =
        LAM_META_GEOGRAPHY_TYPE_HAS_CRS | LAM_META_GEOGRAPHY_TYPE_HAS_ALGORITHM;
    logical.value.geography.crs = text("srid:0");
    logical.value.geography.algorithm = 4;
    type = import_one(element);
    cr_assert_str_eq(type.crs, "srid:0");
    cr_assert_eq(type.algorithm, LAM_EDGE_ALGORITHM_KARNEY);
    logical.value.geography.algorithm = 5;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
    logical.value.geography.algorithm = -1;
    cr_assert_eq(import_one(element).kind, LAM_LOGICAL_UNRECOGNIZED);
}
