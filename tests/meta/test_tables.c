/* SPDX-License-Identifier: Apache-2.0 */
/* The tables say what thrift/parquet.thrift says: every field, its id, type and presence. */
#include "meta/tables.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/shared.h"

static char *idl;

static void open_idl(void) {
    size_t size;
    idl = lam_test_read_file(LAMELLA_IDL, &size);
    cr_assert_not_null(idl);
}

static void close_idl(void) {
    free(idl);
}

TestSuite(tables, .init = open_idl, .fini = close_idl);

/* What stands between the braces of a definition; NULL when there is none. */
static const char *find_body(const char *keyword, const char *name) {
    char head[80];
    snprintf(head, sizeof head, "\n%s %s {", keyword, name);
    const char *found = strstr(idl, head);
    return found == NULL ? NULL : found + strlen(head);
}

static unsigned kind_of(const char *type) {
    static const struct {
        const char *type;
        unsigned kind;
    } KINDS[] = {
        {"bool", LAM_META_KIND_BOOL},    {"i8", LAM_META_KIND_I8},
        {"i16", LAM_META_KIND_I16},      {"i32", LAM_META_KIND_I32},
        {"i64", LAM_META_KIND_I64},      {"double", LAM_META_KIND_DOUBLE},
        {"string", LAM_META_KIND_BYTES}, {"binary", LAM_META_KIND_BYTES},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(type, KINDS[i].type) == 0)
            return KINDS[i].kind;
    }
    return find_body("enum", type) != NULL ? LAM_META_KIND_I32 : LAM_META_KIND_STRUCT;
}

static void check_struct(const lam_meta_struct *table, const char *name);

static void check_type(const lam_meta_field *field, const char *type, bool is_optional) {
    char element[64];
    if (sscanf(type, "list<%63[^>]>", element) == 1) {
        cr_assert_eq(field->kind, LAM_META_KIND_LIST, "%s", field->name);
        cr_assert_eq(field->element, kind_of(element), "%s", field->name);
        if (field->element == LAM_META_KIND_STRUCT)
            check_struct(field->child, element);
    } else if (kind_of(type) != LAM_META_KIND_STRUCT) {
        cr_assert_eq(field->kind, kind_of(type), "%s", field->name);
    } else if (field->kind == LAM_META_KIND_EMPTY) {
        const char *body = find_body("struct", type);
        cr_assert_not_null(body, "%s", type);
        cr_assert_eq(*body, '}', "%s has fields", type);
    } else {
        cr_assert_eq(field->kind, is_optional ? LAM_META_KIND_POINTER : LAM_META_KIND_STRUCT, "%s",
                     field->name);
        check_struct(field->child, type);
    }
}

static void check_field(const lam_meta_struct *table, const char *line) {
    int id;
    char words[3][64];
    int read = sscanf(line, " %d: %63[^ ] %63[^ ;] %63[^ ;]", &id, words[0], words[1], words[2]);
    cr_assert(read >= 3, "%s", line);
    bool is_required = strcmp(words[0], "required") == 0;
    bool is_optional = strcmp(words[0], "optional") == 0;
    cr_assert_eq(table->is_union, !is_required && !is_optional, "%s", table->name);
    const char *type = table->is_union ? words[0] : words[1];
    const char *name = table->is_union ? words[1] : words[2];
    const lam_meta_field *field = lam_meta_find(table, id);
    cr_assert_not_null(field, "%s.%s", table->name, name);
    cr_assert_str_eq(field->name, name, "%s", table->name);
    cr_assert_eq((table->required >> id & 1) != 0, is_required, "%s.%s", table->name, name);
    check_type(field, type, is_optional);
}

static void check_struct(const lam_meta_struct *table, const char *name) {
    const char *at = find_body(table->is_union ? "union" : "struct", name);
    cr_assert_not_null(at, "%s", name);
    size_t fields = 0;
    for (; *at != '}'; at = strchr(at, '\n') + 1) {
        if (*at == '\n')
            continue;
        check_field(table, at);
        fields++;
    }
    for (int32_t id = 1; id <= table->last_id; id++)
        fields -= lam_meta_find(table, id) != NULL;
    cr_assert_eq(fields, 0, "%s has fields that the IDL does not know", table->name);
}

static void check_message(const lam_meta_struct *table) {
    check_struct(table, table->name);
}

Test(tables, footers_are_those_of_the_idl) {
    check_message(&lam_meta_file_table);
    check_message(&lam_meta_file_crypto_table);
}

Test(tables, page_headers_are_those_of_the_idl) {
    check_message(&lam_meta_page_header_table);
}

Test(tables, indexes_are_those_of_the_idl) {
    check_message(&lam_meta_offset_index_table);
    check_message(&lam_meta_column_index_table);
    check_message(&lam_meta_bloom_filter_header_table);
}
