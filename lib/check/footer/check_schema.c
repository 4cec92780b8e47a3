/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the schema: each element by itself, the structure of annotated groups (LIST, MAP, VARIANT,
 * FILE), and the column orders of the leaves.
 *
 * Takes the flat list of elements in the footer and the tree that was made from it, which have the
 * same order: element i is field i, and field 0 is the root. The tree exists, so that child counts
 * and repetitions are sound; annotations are read again from the elements. Structures that readers
 * understand nevertheless are notes or warnings. (LogicalTypes.md; parquet.thrift, SchemaElement)
 */
#include "check/footer/check_schema.h"

#include <inttypes.h>
#include <lamella/variant.h>

#include "base/error.h"
#include "base/utf8.h"
#include "meta/meta_logical.h"
#include "schema/group_shape.h"
#include "schema/logical_type.h"
#include "schema/text.h"

/* The path of a field for a message. Names are hostile: a long path is cut. */
static lam_shown check_schema_path_of(const lam_field *field) {
    lam_shown path;
    if (lam_field_path(field, path.text, sizeof path.text) >= sizeof path.text)
        memcpy(path.text + sizeof path.text - sizeof "...", "...", sizeof "...");
    return path;
}

/* Only a leaf has a column. */
static lam_check_location check_schema_location_of(const lam_field *field) {
    lam_check_location location = lam_check_nowhere();
    if (lam_field_is_leaf(field))
        location.column = (int32_t)field->first_leaf;
    return location;
}

/* Reports "field a.b WHAT"; `what` starts with a verb. */
static lam_status check_schema_report(lam_checker *checker, lam_rule rule, const lam_field *field,
                                      const char *what) {
    return lam_check_report(checker, rule, check_schema_location_of(field), "field %s %s",
                            check_schema_path_of(field).text, what);
}

/* A name with a NUL inside counts up to it. */
static bool check_schema_is_named(const lam_field *field, const char *name) {
    return strcmp(field->name, name) == 0;
}

/* --- Elements ------------------------------------------------------------------------------ */

/* Whether an optional member is stated. */
static bool check_schema_has(const lam_meta_schema_element *element, uint32_t bit) {
    return (element->has & bit) != 0;
}

/*
 * Compares the converted type with the one that belongs to the logical type. That is the one that
 * this library would write: the logical type is exported to an element, and the two are compared.
 * For instance, STRING goes with UTF8 (0), TIMESTAMP in microseconds and UTC with TIMESTAMP_MICROS
 * (10), in nanoseconds with none. Scale and precision are stated twice for DECIMAL.
 * (parquet.thrift, LogicalType; LogicalTypes.md, "Compatibility")
 */
static lam_status check_converted(lam_checker *checker, const lam_field *field,
                                  const lam_meta_schema_element *element,
                                  const lam_logical_type *type) {
    lam_meta_schema_element expected = {0};
    lam_arena arena;
    expected.has = element->has & LAM_META_SCHEMA_ELEMENT_HAS_TYPE;
    expected.type = element->type;
    lam_arena_init(&arena, &checker->allocator, 0);
    lam_status status = lam_meta_logical_export(type, &arena, &expected, checker->error);
    lam_arena_finish(&arena);
    LAM_TRY(status);
    /* Four cases: neither, missing, superfluous, different. */
    bool stated = check_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE);
    bool wanted = check_schema_has(&expected, LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE);
    const char *name = lam_logical_kind_name(type->kind);
    if (!stated && !wanted)
        return LAM_STATUS_OK;
    if (!stated)
        return lam_check_report(checker, LAM_RULE_CONVERTED_MISSING,
                                check_schema_location_of(field),
                                "field %s is %s and lacks converted type %" PRId32,
                                check_schema_path_of(field).text, name, expected.converted_type);
    if (!wanted)
        return lam_check_report(checker, LAM_RULE_CONVERTED_TYPE, check_schema_location_of(field),
                                "field %s is %s, which has no converted type, but has %" PRId32,
                                check_schema_path_of(field).text, name, element->converted_type);
    if (element->converted_type != expected.converted_type)
        return lam_check_report(checker, LAM_RULE_CONVERTED_TYPE, check_schema_location_of(field),
                                "field %s is %s, whose converted type is %" PRId32
                                " and not %" PRId32,
                                check_schema_path_of(field).text, name, expected.converted_type,
                                element->converted_type);
    if (type->kind == LAM_LOGICAL_DECIMAL &&
        (element->scale != expected.scale || element->precision != expected.precision))
        return lam_check_report(checker, LAM_RULE_CONVERTED_TYPE, check_schema_location_of(field),
                                "field %s is a DECIMAL(%" PRId32 ",%" PRId32
                                ") but as a converted type (%" PRId32 ",%" PRId32 ")",
                                check_schema_path_of(field).text, expected.precision,
                                expected.scale, element->precision, element->scale);
    return LAM_STATUS_OK;
}

/*
 * TIMESTAMP_MILLIS or TIMESTAMP_MICROS alone, on a physical type that only the logical type may
 * annotate.
 */
static bool is_misplaced(const lam_meta_schema_element *element) {
    return element->logical_type == NULL &&
           (element->converted_type == LAM_META_CONVERTED_TIMESTAMP_MILLIS ||
            element->converted_type == LAM_META_CONVERTED_TIMESTAMP_MICROS);
}

/*
 * Checks the annotation of one element: known, on a physical type that it may annotate, and
 * consistent with its converted type. A CRS is text of the footer, and the only one in an
 * annotation.
 */
static lam_status check_annotation(lam_checker *checker, const lam_field *field,
                                   const lam_meta_schema_element *element) {
    lam_logical_type type;
    lam_bytes crs;
    lam_meta_logical_import(element, &type, &crs);
    if (type.kind == LAM_LOGICAL_UNRECOGNIZED && is_misplaced(element))
        return check_schema_report(
            checker, LAM_RULE_LOGICAL_TYPE, field,
            "is fixed_len_byte_array, and the converted types of TIMESTAMP annotate int64");
    if (type.kind == LAM_LOGICAL_UNRECOGNIZED)
        return lam_check_report(checker, LAM_RULE_UNSUPPORTED, check_schema_location_of(field),
                                "field %s has a logical type that this build does not know",
                                check_schema_path_of(field).text);
    if (lam_utf8_prefix(crs.data, crs.size) < crs.size)
        LAM_TRY(
            check_schema_report(checker, LAM_RULE_TEXT_UTF8, field, "has a CRS that is not UTF-8"));
    /* The same rules apply when a schema is built for writing. */
    const char *problem = lam_logical_type_problem(&type, (lam_physical_type)field->physical_type,
                                                   field->type_length);
    if (problem != NULL)
        return lam_check_report(checker, LAM_RULE_LOGICAL_TYPE, check_schema_location_of(field),
                                "field %s is %s, and %s %s", check_schema_path_of(field).text,
                                lam_physical_type_name((lam_physical_type)field->physical_type),
                                lam_logical_kind_name(type.kind), problem);
    if (type.kind == LAM_LOGICAL_TIMESTAMP &&
        field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        LAM_TRY(check_schema_report(
            checker, LAM_RULE_NEWER_TYPE, field,
            "is TIMESTAMP of 96 bits (parquet-format#601), which readers of 2.14 lack"));
    if (element->logical_type == NULL)
        return LAM_STATUS_OK;
    /* INTERVAL exists only as a converted type; a logical type beside it contradicts it. */
    if (type.kind == LAM_LOGICAL_INTERVAL)
        return check_schema_report(
            checker, LAM_RULE_SCHEMA_ELEMENT, field,
            "is an INTERVAL by its converted type, and UNKNOWN by its logical type");
    return check_converted(checker, field, element, &type);
}

/*
 * Checks what an element may state: the root has neither repetition nor type, all others have a
 * repetition, groups have fields, names are UTF-8 and unique in their group.
 */
static lam_status check_element(lam_checker *checker, const lam_field *field,
                                const lam_meta_schema_element *element) {
    bool is_leaf = lam_field_is_leaf(field);
    if (field->index == 0) {
        if (check_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE))
            LAM_TRY(lam_check_report(checker, LAM_RULE_SCHEMA_ROOT, lam_check_nowhere(),
                                     "the root of the schema has repetition %" PRId32,
                                     element->repetition_type));
        if (check_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_TYPE))
            LAM_TRY(lam_check_report(checker, LAM_RULE_SCHEMA_ELEMENT, lam_check_nowhere(),
                                     "the root of the schema has a physical type"));
    }
    if (field->index != 0 &&
        !check_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE))
        LAM_TRY(check_schema_report(checker, LAM_RULE_SCHEMA_ELEMENT, field,
                                    "has no repetition, and is read as required"));
    if (lam_utf8_prefix(element->name.data, element->name.size) < element->name.size)
        LAM_TRY(check_schema_report(checker, LAM_RULE_TEXT_UTF8, field,
                                    "has a name that is not UTF-8"));
    /* Only the root may be without fields: a file without columns. */
    if (!is_leaf && field->child_count == 0 && field->index != 0)
        LAM_TRY(check_schema_report(checker, LAM_RULE_SCHEMA_ELEMENT, field,
                                    "is a group without fields"));
    if (field->index != 0 &&
        /* The lookup gives the first field of a name; any other field that has it comes second. */
        lam_field_child_named(lam_parent_of(field), field->name, field->name_size) != field)
        LAM_TRY(check_schema_report(checker, LAM_RULE_DUPLICATE_NAME, field,
                                    "has the name of a field before it"));
    if (field->repetition == LAM_REPETITION_VECTOR)
        LAM_TRY(check_schema_report(checker, LAM_RULE_UNSUPPORTED, field,
                                    "is a VECTOR (parquet-format#592): its columns are skipped"));
    return check_annotation(checker, field, element);
}

/* --- Lists and maps ------------------------------------------------------------------------ */

/*
 * Checks the three levels of a LIST:
 *
 *     <optional | required> group a (LIST) {
 *       repeated group list {
 *         <optional | required> T element;
 *       }
 *     }
 *
 * Other forms that readers understand are legacy, a note: two levels, as in `repeated T array`, a
 * LIST of two levels as the element of another, and other names. (LogicalTypes.md, "Lists")
 */
static lam_status check_schema_list(lam_checker *checker, const lam_field *list) {
    const lam_field *middle = lam_child_at(list, 0);
    if (list->repetition == LAM_REPETITION_REPEATED && list->index != 0)
        return check_schema_report(checker, LAM_RULE_LIST_LEGACY, list,
                                   "is a LIST of two levels in a LIST");
    if (lam_field_is_leaf(middle) || middle->child_count != 1 ||
        lam_child_at(middle, 0)->repetition == LAM_REPETITION_REPEATED)
        return check_schema_report(checker, LAM_RULE_LIST_LEGACY, list,
                                   "is a LIST of two levels, as old writers made them");
    if (!check_schema_is_named(middle, "list") ||
        !check_schema_is_named(lam_child_at(middle, 0), "element"))
        return check_schema_report(checker, LAM_RULE_LIST_LEGACY, list,
                                   "is a LIST whose parts are not named list and element");
    return LAM_STATUS_OK;
}

/*
 * Checks the structure of a MAP:
 *
 *     <optional | required> group a (MAP) {
 *       repeated group key_value {
 *         required K key;
 *         <optional | required> V value;
 *       }
 *     }
 *
 * A map without values is a set of keys and allowed. MAP_KEY_VALUE instead of MAP is an old
 * annotation. (LogicalTypes.md, "Maps")
 */
static lam_status check_map(lam_checker *checker, const lam_field *map) {
    const lam_field *repeated = lam_child_at(map, 0);
    const lam_field *key = lam_child_at(repeated, 0);
    const lam_field *value = lam_child_at(repeated, repeated->child_count - 1);
    if (key->repetition != LAM_REPETITION_REQUIRED)
        LAM_TRY(check_schema_report(checker, LAM_RULE_MAP_KEY, map,
                                    "is a MAP whose key is not required"));
    if (!check_schema_is_named(repeated, "key_value") || !check_schema_is_named(key, "key") ||
        (value != key && !check_schema_is_named(value, "value")))
        return check_schema_report(checker, LAM_RULE_MAP_LEGACY, map,
                                   "is a MAP whose parts are not named key_value, key and value");
    return LAM_STATUS_OK;
}

/*
 * Notes a schema that has annotated lists or maps and bare repeated fields as well: probably one of
 * them was meant otherwise. The repeated fields inside a LIST or MAP, and a LIST of two levels
 * itself, are not bare. (LogicalTypes.md, "Nested Types")
 */
static lam_status check_mixture(lam_checker *checker) {
    const lam_schema *schema = checker->schema;
    const lam_field *bare = NULL;
    bool annotated = false;
    for (size_t i = 1; i < schema->field_count; i++) {
        const lam_field *field = &schema->fields[i];
        lam_logical_kind own = field->logical_type.kind;
        lam_logical_kind above = lam_parent_of(field)->logical_type.kind;
        annotated |= own == LAM_LOGICAL_LIST || own == LAM_LOGICAL_MAP;
        /* The repeated group of a list or map, or a repeated list. */
        bool inside = above == LAM_LOGICAL_LIST || above == LAM_LOGICAL_MAP ||
                      above == LAM_LOGICAL_MAP_KEY_VALUE || own == LAM_LOGICAL_LIST ||
                      own == LAM_LOGICAL_MAP;
        if (field->repetition == LAM_REPETITION_REPEATED && !inside && bare == NULL)
            bare = field;
    }
    if (!annotated || bare == NULL)
        return LAM_STATUS_OK;
    return check_schema_report(
        checker, LAM_RULE_REPEATED_MIXED, bare,
        "is a bare repeated field in a schema that has annotated lists or maps too");
}

/* --- Groups that are one value ------------------------------------------------------------- */

/*
 * Checks a VARIANT with what is shredded within it. Reading is tolerant: a structure that cannot be
 * read is an error, one that can be read but must not be written is a warning (required instead of
 * optional, or the reverse). (VariantShredding.md)
 */
static lam_status check_schema_variant(lam_checker *checker, const lam_field *field) {
    lam_error failure = lam_error_none();
    const lam_field *typed = lam_field_child_named(field, "typed_value", 11);
    if (typed != NULL && typed->repetition != LAM_REPETITION_OPTIONAL)
        return check_schema_report(checker, LAM_RULE_VARIANT_STRUCTURE, field,
                                   "is a VARIANT whose typed_value is not optional");
    if (lam_field_child_named(field, "value", 5) == NULL)
        LAM_TRY(check_schema_report(checker, LAM_RULE_VARIANT_VALUE, field,
                                    "is a VARIANT without a value"));
    if (field->logical_type.version > 1)
        return check_schema_report(checker, LAM_RULE_UNSUPPORTED, field,
                                   "is a VARIANT of a version above 1");
    lam_status status = lam_variant_check_group(field, LAM_VARIANT_READ, &failure);
    lam_rule rule = LAM_RULE_VARIANT_STRUCTURE;
    if (status == LAM_STATUS_OK) {
        status = lam_variant_check_group(field, LAM_VARIANT_WRITE, &failure);
        rule = LAM_RULE_VARIANT_REPETITION;
    }
    if (status == LAM_STATUS_UNSUPPORTED) /* shredding has no such type */
        status = LAM_STATUS_INVALID;
    return lam_check_report_failure(checker, rule, check_schema_location_of(field), status,
                                    &failure);
}

/*
 * Checks a group by its annotation; a group without one may hold anything. What keeps readers from
 * understanding it as annotated is an error; forms that they understand nevertheless are not.
 */
static lam_status check_schema_group(lam_checker *checker, const lam_field *field) {
    static const lam_rule rules[] = {
        [LAM_LOGICAL_LIST] = LAM_RULE_LIST_STRUCTURE,
        [LAM_LOGICAL_MAP] = LAM_RULE_MAP_STRUCTURE,
        [LAM_LOGICAL_MAP_KEY_VALUE] = LAM_RULE_MAP_STRUCTURE,
        [LAM_LOGICAL_VARIANT] = LAM_RULE_VARIANT_STRUCTURE,
    };
    lam_logical_kind kind = field->logical_type.kind;
    lam_logical_kind above = lam_parent_of(field)->logical_type.kind;
    lam_group_problem problem = lam_group_find_problem(field);
    const char *what;
    if (kind == LAM_LOGICAL_MAP_KEY_VALUE && above != LAM_LOGICAL_MAP)
        LAM_TRY(check_schema_report(checker, LAM_RULE_MAP_LEGACY, field,
                                    "is a map, annotated MAP_KEY_VALUE"));
    if (problem.what != NULL && kind != LAM_LOGICAL_FILE)
        return check_schema_report(checker, rules[kind], problem.field, problem.what);
    switch (kind) {
    case LAM_LOGICAL_LIST:
        return check_schema_list(checker, field);
    case LAM_LOGICAL_MAP_KEY_VALUE: /* within a MAP it only marks the repeated group */
        return above == LAM_LOGICAL_MAP ? LAM_STATUS_OK : check_map(checker, field);
    case LAM_LOGICAL_MAP:
        return check_map(checker, field);
    case LAM_LOGICAL_VARIANT:
        return check_schema_variant(checker, field);
    case LAM_LOGICAL_FILE: /* every field that is wrong, and not the first alone */
        for (size_t i = 0; i < field->child_count; i++)
            if ((what = lam_file_member_problem(lam_child_at(field, i))) != NULL)
                LAM_TRY(check_schema_report(checker, LAM_RULE_FILE_STRUCTURE,
                                            lam_child_at(field, i), what));
        return LAM_STATUS_OK;
    default:
        return LAM_STATUS_OK;
    }
}

/* --- Column orders ------------------------------------------------------------------------- */

/*
 * Checks that there is one order per leaf and that each suits its type. An order that this build
 * does not know leaves the bounds of its column uncompared. (parquet.thrift, ColumnOrder)
 */
static lam_status check_column_orders(lam_checker *checker) {
    const lam_meta_file_view *meta = &checker->footer.meta;
    const lam_meta_column_order_list *orders = &meta->column_orders;
    if ((meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) == 0)
        return LAM_STATUS_OK;
    if (orders->count != checker->schema->leaf_count)
        return lam_check_report(checker, LAM_RULE_COLUMN_ORDERS, lam_check_nowhere(),
                                "the footer has %" PRIu32 " column orders for %zu columns",
                                orders->count, checker->schema->leaf_count);
    for (uint32_t i = 0; i < orders->count; i++) {
        const lam_field *leaf = lam_leaf_at(checker->schema, i);
        /* Only for has_nans, which does not depend on the order. */
        lam_value_order order = lam_value_order_signed(leaf);
        int32_t kind = orders->items[i].kind;
        if (kind == LAM_META_COLUMN_ORDER_IEEE_754_TOTAL && !order.has_nans)
            LAM_TRY(check_schema_report(checker, LAM_RULE_COLUMN_ORDERS, leaf,
                                        "has the order of floating-point numbers but holds none"));
        if (kind == LAM_META_COLUMN_ORDER_INT96_TIMESTAMP &&
            leaf->physical_type != LAM_PHYSICAL_INT96)
            LAM_TRY(check_schema_report(checker, LAM_RULE_COLUMN_ORDERS, leaf,
                                        "has the order of INT96 but holds another type"));
        if (kind == LAM_META_UNION_EMPTY || kind == LAM_META_UNION_UNRECOGNIZED)
            LAM_TRY(check_schema_report(checker, LAM_RULE_UNSUPPORTED, leaf,
                                        "has a column order that this build does not know"));
    }
    return LAM_STATUS_OK;
}

/* Fields are checked in the order of the file, groups before their children. */
lam_status lam_check_schema(lam_checker *checker) {
    const lam_schema *schema = checker->schema;
    if (schema == NULL)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < schema->field_count; i++) {
        const lam_field *field = &schema->fields[i];
        LAM_TRY(check_element(checker, field, &checker->footer.meta.schema.items[i]));
        if (!lam_field_is_leaf(field))
            LAM_TRY(check_schema_group(checker, field));
    }
    LAM_TRY(check_mixture(checker));
    return check_column_orders(checker);
}

/*
 * A list of orders of another length cannot be assigned to columns and counts as absent; the rule
 * column-orders reports it.
 */
int32_t lam_check_column_order(const lam_checker *checker, const lam_field *leaf,
                               bool *ret_stated) {
    const lam_meta_column_order_list *orders = &checker->footer.meta.column_orders;
    *ret_stated = orders->count == checker->schema->leaf_count;
    return *ret_stated ? orders->items[leaf->first_leaf].kind : LAM_META_UNION_EMPTY;
}
