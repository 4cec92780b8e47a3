/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that break a rule, as footers without row groups. */
#include "check/forge.h"
#include "file/file_sample.h"
#include "meta/meta_schema.h"

/* The findings in a file of no rows whose schema `change` may alter. */
static void expect_schema(const char *text, const char *rules,
                          void (*change)(lam_meta_schema_element *elements)) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_buffer out;
    lam_meta_file meta = {.version = 1, .has = LAM_META_FILE_HAS_CREATED_BY};
    lam_schema *schema = lam_test_schema(text);
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&out, &allocator);
    meta.created_by = forge_text("test version 1");
    cr_assert_eq(lam_meta_schema_export(schema, &arena, &meta.schema, NULL), LAM_STATUS_OK);
    if (change != NULL)
        change((lam_meta_schema_element *)meta.schema.items);
    cr_assert_eq(lam_buffer_append(&out, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &out, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(out.data, out.size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s: expected '%s', found '%s': %s", text, rules,
                     found.rules, found.first);
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

#define SCHEMA(TITLE, RULES, TEXT)                                                                 \
    Test(check_schema, TITLE) {                                                                    \
        expect_schema(TEXT, RULES, NULL);                                                          \
    }

#define CHANGED(TITLE, RULES, TEXT, ...)                                                           \
    static void change_##TITLE(lam_meta_schema_element *elements) {                                \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    Test(check_schema, TITLE) {                                                                    \
        expect_schema(TEXT, RULES, change_##TITLE);                                                \
    }

/* --- Elements ------------------------------------------------------------------------------- */

SCHEMA(every_annotation_that_is_right_is_clean, "",
       "required binary s (STRING); required binary e (ENUM); required fixed(16) u (UUID);"
       "required int32 i (INTEGER(8,true));"
       "required int32 d (DATE); required int64 t (TIME(MICROS,false)); required int64 n "
       "(TIMESTAMP(NANOS,true));"
       "required int64 p (DECIMAL(18,3)); required fixed(12) v (INTERVAL); required binary j "
       "(JSON); required binary b (BSON);"
       "required fixed(2) h (FLOAT16); required binary g (GEOMETRY); required int32 x (UNKNOWN); "
       "required uint64 y; repeated int32 r;")
CHANGED(the_elements_are_one_tree, "schema-tree", "required int32 a; required int32 b;",
        elements[0].num_children = 3)
CHANGED(a_type_that_does_not_exist_leaves_nothing_to_check, "unsupported unchecked",
        "required int32 a;", elements[1].type = 8)
CHANGED(a_field_has_a_repetition, "schema-element", "required int32 a;",
        elements[1].has &= ~(uint32_t)LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE)
CHANGED(an_interval_is_not_unknown, "schema-element", "required fixed(12) a (INTERVAL);",
        static const lam_meta_logical_type unknown = {.kind = LAM_META_LOGICAL_UNKNOWN};
        elements[1].logical_type = &unknown)
CHANGED(the_root_has_no_repetition, "schema-root", "required int32 a;",
        elements[0].has |= LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE)
CHANGED(siblings_have_different_names, "duplicate-name", "required int32 a; required int32 b;",
        elements[2].name = elements[1].name)
CHANGED(names_are_text, "text-utf8", "required int32 a;", elements[1].name = forge_text("\xC3"))
CHANGED(a_group_has_fields, "schema-element",
        "required int32 a; required group g { required int32 b; }", elements[0].num_children = 3;
        elements[2].num_children = 0)
CHANGED(a_logical_type_goes_with_its_physical_type, "logical-type", "required binary a (STRING);",
        elements[1].type = LAM_PHYSICAL_INT32)
CHANGED(a_decimal_fits_its_bytes, "logical-type", "required int32 a (DECIMAL(9,2));",
        ((lam_meta_logical_type *)elements[1].logical_type)->value.decimal.precision = 10)
CHANGED(a_logical_type_that_nobody_knows_is_noted, "unsupported", "required binary a (STRING);",
        ((lam_meta_logical_type *)elements[1].logical_type)->kind = LAM_META_UNION_EMPTY)

/* LogicalTypes.md, section "TIMESTAMP", and parquet-format#601. */
SCHEMA(a_timestamp_of_96_bits_is_newer_than_most_readers, "newer-type",
       "required fixed(12) t (TIMESTAMP(MILLIS,true));")
CHANGED(a_timestamp_of_96_bits_has_no_converted_type, "newer-type converted-type",
        "required fixed(12) t (TIMESTAMP(MILLIS,true));",
        elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        elements[1].converted_type = LAM_META_CONVERTED_TIMESTAMP_MILLIS)
CHANGED(an_old_timestamp_is_an_int64, "logical-type",
        "required fixed(12) t (TIMESTAMP(MILLIS,true));",
        elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        elements[1].converted_type = LAM_META_CONVERTED_TIMESTAMP_MILLIS;
        elements[1].logical_type = NULL)
CHANGED(a_timestamp_of_11_bytes_is_none, "logical-type",
        "required fixed(12) t (TIMESTAMP(MILLIS,true));", elements[1].type_length = 11)
CHANGED(a_timestamp_of_13_bytes_is_none, "logical-type",
        "required fixed(12) t (TIMESTAMP(MILLIS,true));", elements[1].type_length = 13)
/* parquet-format#592 */
CHANGED(a_vector_is_passed_over, "unsupported",
        "required int32 a; required group v { required group list { required float element; } }",
        elements[3].repetition_type = LAM_REPETITION_VECTOR)

CHANGED(converted_and_logical_type_agree, "converted-type", "required binary a (STRING);",
        elements[1].converted_type = LAM_META_CONVERTED_JSON)
CHANGED(a_type_without_converted_type_has_none, "converted-type",
        "required int64 a (TIMESTAMP(NANOS,true));",
        elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        elements[1].converted_type = LAM_META_CONVERTED_TIMESTAMP_MICROS)
CHANGED(a_decimal_says_the_same_twice, "converted-type", "required int32 a (DECIMAL(9,2));",
        elements[1].scale = 3)
CHANGED(a_missing_converted_type_is_a_slip, "converted-missing", "required binary a (STRING);",
        elements[1].has &= ~(uint32_t)LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE)
CHANGED(a_converted_type_alone_is_how_old_files_are, "", "required binary a (STRING);",
        elements[1].logical_type = NULL)

/* --- Lists and maps ------------------------------------------------------------------------- */

SCHEMA(lists_and_maps_as_they_should_be_are_clean, "",
       "optional group l (LIST) { repeated group list { optional int32 element; } }"
       "required group m (MAP) { repeated group key_value { required binary key; "
       "optional int32 value; } }"
       "optional group s (MAP) { repeated group key_value { required binary key; } }")
SCHEMA(a_list_has_one_child, "list-structure",
       "optional group l (LIST) { repeated int32 a; repeated int32 b; }")
SCHEMA(the_child_of_a_list_is_repeated, "list-structure",
       "optional group l (LIST) { optional group list { optional int32 element; } }")
SCHEMA(a_list_of_two_levels_is_legacy, "list-legacy",
       "optional group l (LIST) { repeated int32 element; }")
SCHEMA(a_list_of_tuples_is_legacy, "list-legacy",
       "optional group l (LIST) { repeated group list { required int32 a; required int32 b; } }")
SCHEMA(a_list_of_other_names_is_legacy, "list-legacy",
       "optional group l (LIST) { repeated group bag { optional int32 array_element; } }")
SCHEMA(a_repeated_list_in_a_list_is_legacy, "list-legacy",
       "optional group l (LIST) { repeated group array (LIST) { repeated int32 array; } }")
SCHEMA(a_repeated_list_elsewhere_is_wrong, "list-structure",
       "repeated group l (LIST) { repeated group list { optional int32 element; } }")
SCHEMA(a_map_has_pairs, "map-structure",
       "optional group m (MAP) { required group key_value { required int32 key; } }")
SCHEMA(a_map_has_no_third_field, "map-structure",
       "optional group m (MAP) { repeated group key_value { required int32 key; "
       "optional int32 value; optional int32 more; } }")
SCHEMA(a_map_is_not_repeated, "map-structure",
       "repeated group m (MAP) { repeated group key_value { required int32 key; } }")
SCHEMA(a_key_is_not_repeated, "map-structure repeated-mixed",
       "optional group m (MAP) { repeated group key_value { repeated int32 key; "
       "optional int32 value; } }")
SCHEMA(a_key_is_required, "map-key",
       "optional group m (MAP) { repeated group key_value { optional int32 key; "
       "optional int32 value; } }")
SCHEMA(a_map_of_other_names_is_legacy, "map-legacy",
       "optional group m (MAP) { repeated group map { required int32 key; optional int32 v; } }")
SCHEMA(a_map_key_value_outside_of_a_map_is_legacy, "map-legacy",
       "optional group m (MAP_KEY_VALUE) { repeated group key_value { required int32 key; "
       "optional int32 value; } }")
SCHEMA(a_map_key_value_inside_of_a_map_is_fine, "",
       "optional group m (MAP) { repeated group key_value (MAP_KEY_VALUE) { required int32 key; "
       "optional int32 value; } }")
SCHEMA(annotated_and_bare_lists_do_not_mix, "repeated-mixed",
       "repeated int32 r; optional group l (LIST) { repeated group list { required int32 element; "
       "} }")

/* --- Variants and files --------------------------------------------------------------------- */

SCHEMA(variants_as_they_should_be_are_clean, "",
       "optional group v (VARIANT(1)) { required binary metadata; required binary value; }"
       "optional group w (VARIANT(1)) { required binary metadata; optional binary value; "
       "optional int64 typed_value; }")
SCHEMA(a_variant_has_metadata, "variant-structure",
       "optional group v (VARIANT(1)) { required binary value; }")
SCHEMA(a_variant_has_no_repeated_metadata, "variant-structure",
       "optional group v (VARIANT(1)) { repeated binary metadata; required binary value; }")
SCHEMA(optional_metadata_are_a_slip, "variant-repetition",
       "optional group v (VARIANT(1)) { optional binary metadata; required binary value; }")
SCHEMA(a_variant_has_nothing_else, "variant-structure",
       "optional group v (VARIANT(1)) { required binary metadata; required binary value; "
       "optional int32 more; }")
SCHEMA(a_variant_without_value_is_a_slip, "variant-value",
       "optional group v (VARIANT(1)) { required binary metadata; optional int64 typed_value; }")
SCHEMA(files_as_they_should_be_are_clean, "",
       "optional group f (FILE) { optional binary uri (STRING); optional int64 offset; "
       "optional int64 size; optional binary content_type (STRING); "
       "optional binary checksum (STRING); optional binary inline; }")
SCHEMA(a_file_has_its_own_fields_only, "file-structure",
       "optional group f (FILE) { optional binary url (STRING); }")
SCHEMA(a_file_has_its_own_types, "file-structure",
       "optional group f (FILE) { optional binary uri; }")
SCHEMA(fields_of_a_file_are_optional, "file-structure",
       "optional group f (FILE) { required int64 size; }")

/* --- Odd groups ------------------------------------------------------------------------------ */

SCHEMA(a_map_of_one_leaf_is_none, "map-structure",
       "optional group m (MAP) { repeated int32 key_value; }")
SCHEMA(a_map_of_two_children_is_none, "map-structure",
       "optional group m (MAP) { required int32 key; optional int32 value; }")
SCHEMA(a_value_is_not_repeated, "map-structure repeated-mixed",
       "optional group m (MAP) { repeated group key_value { required int32 key; "
       "repeated int32 value; } }")
SCHEMA(a_map_whose_key_has_another_name_is_legacy, "map-legacy",
       "optional group m (MAP) { repeated group key_value { required int32 k; "
       "optional int32 value; } }")
SCHEMA(a_map_whose_value_has_another_name_is_legacy, "map-legacy",
       "optional group m (MAP) { repeated group key_value { required int32 key; "
       "optional int32 v; } }")
CHANGED(the_root_has_no_type, "schema-element", "required int32 a;",
        elements[0].has |= LAM_META_SCHEMA_ELEMENT_HAS_TYPE;
        elements[0].type = LAM_PHYSICAL_INT32)
CHANGED(an_old_timestamp_of_micros_is_an_int64, "logical-type",
        "required fixed(12) t (TIMESTAMP(MICROS,true));",
        elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        elements[1].converted_type = LAM_META_CONVERTED_TIMESTAMP_MICROS;
        elements[1].logical_type = NULL)
SCHEMA(a_variant_whose_metadata_is_repeated_is_none, "variant-structure",
       "optional group v (VARIANT(1)) { repeated binary metadata; required binary value; }")
SCHEMA(a_variant_whose_value_is_repeated_is_none, "variant-structure",
       "optional group v (VARIANT(1)) { required binary metadata; repeated binary value; }")
SCHEMA(a_variant_whose_value_is_a_number_is_none, "variant-structure",
       "optional group v (VARIANT(1)) { required binary metadata; required int32 value; }")
SCHEMA(a_variant_whose_typed_value_is_required_is_none, "variant-structure",
       "optional group v (VARIANT(1)) { required binary metadata; optional binary value; "
       "required int32 typed_value; }")
CHANGED(
    a_variant_of_a_later_version_is_noted, "unsupported",
    "optional group v (VARIANT(1)) { required binary metadata; required binary value; }",
    ((lam_meta_logical_type *)elements[1].logical_type)->value.variant.specification_version = 2)
CHANGED(a_decimal_has_one_precision, "converted-type", "required int32 a (DECIMAL(9,2));",
        elements[1].precision = 8)
CHANGED(a_map_of_no_fields_is_none, "map-structure schema-element",
        "optional group m (MAP) { repeated group key_value { required int32 key; } }",
        elements[0].num_children = 2;
        elements[2].num_children = 0)
SCHEMA(a_file_has_its_own_physical_types, "file-structure",
       "optional group f (FILE) { optional int32 size; }")
CHANGED(an_old_date_is_an_int32, "logical-type", "required fixed(12) t (TIMESTAMP(MICROS,true));",
        elements[1].has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        elements[1].converted_type = LAM_META_CONVERTED_DATE; elements[1].logical_type = NULL)
CHANGED(the_root_is_no_list, "schema-root converted-missing",
        "repeated group list { optional int32 element; }",
        static const lam_meta_logical_type list = {.kind = LAM_META_LOGICAL_LIST};
        elements[0].logical_type = &list;
        elements[0].has |= LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        elements[0].repetition_type = LAM_REPETITION_REPEATED)
CHANGED(the_root_is_no_map, "schema-root converted-missing",
        "repeated group key_value { required int32 key; }",
        static const lam_meta_logical_type map = {.kind = LAM_META_LOGICAL_MAP};
        elements[0].logical_type = &map;
        elements[0].has |= LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        elements[0].repetition_type = LAM_REPETITION_REPEATED)
