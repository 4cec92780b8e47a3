/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a schema as the footer has them, made by hand, and their import into a schema. */
#ifndef LAM_TESTS_SCHEMA_ELEMENTS_H
#define LAM_TESTS_SCHEMA_ELEMENTS_H

#include <criterion/criterion.h>
#include <string.h>

#include "meta/meta_schema.h"

enum {
    TYPE = LAM_META_SCHEMA_ELEMENT_HAS_TYPE,
    LENGTH = LAM_META_SCHEMA_ELEMENT_HAS_TYPE_LENGTH,
    REPETITION = LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
    CHILDREN = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
    CONVERTED = LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE,
    SCALE = LAM_META_SCHEMA_ELEMENT_HAS_SCALE,
    PRECISION = LAM_META_SCHEMA_ELEMENT_HAS_PRECISION
};

static inline lam_bytes text(const char *string) {
    return (lam_bytes){(const uint8_t *)string, strlen(string)};
}

static inline lam_meta_schema_element root(int32_t children) {
    return (lam_meta_schema_element){
        .has = CHILDREN, .name = text("root"), .num_children = children};
}

static inline lam_meta_schema_element group(const char *name, int32_t children) {
    return (lam_meta_schema_element){.has = REPETITION | CHILDREN,
                                     .repetition_type = LAM_REPETITION_OPTIONAL,
                                     .name = text(name),
                                     .num_children = children};
}

static inline lam_meta_schema_element leaf(const char *name, lam_physical_type type) {
    return (lam_meta_schema_element){.has = REPETITION | TYPE,
                                     .type = (int32_t)type,
                                     .repetition_type = LAM_REPETITION_REPEATED,
                                     .name = text(name)};
}

static inline lam_status import(const lam_meta_schema_element *elements, size_t count,
                                lam_schema **ret_schema, lam_error *error) {
    lam_allocator heap = lam_allocator_default();
    lam_meta_schema_element_list list = {elements, (uint32_t)count};
    return lam_meta_schema_import(&list, &heap, ret_schema, error);
}

static inline void expect(const lam_meta_schema_element *elements, size_t count,
                          lam_status expected) {
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(import(elements, count, &schema, &error), expected, "%s", error.message);
    cr_assert_eq(error.status, expected);
    cr_assert_null(schema);
}

#define EXPECT_IMPORT(elements, expected)                                                          \
    expect(elements, sizeof(elements) / sizeof(elements)[0], expected)

/* The logical type of a schema of one leaf. */
static inline lam_logical_type import_one(lam_meta_schema_element element) {
    static char crs[20];
    lam_meta_schema_element elements[] = {root(1), element};
    lam_schema *schema;
    lam_error error = lam_error_none();
    cr_assert_eq(import(elements, 2, &schema, &error), LAM_STATUS_OK, "%s", error.message);
    lam_logical_type type = *lam_field_logical_type(lam_schema_leaf(schema, 0));
    if (type.crs != NULL) {
        strncpy(crs, type.crs, sizeof crs - 1);
        type.crs = crs;
    }
    lam_schema_destroy(schema);
    return type;
}

#endif
