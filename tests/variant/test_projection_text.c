/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of fields and into VARIANTs, as text, select columns and parts. */
#include <criterion/criterion.h>
#include <lamella/projection.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/test_file.h"
#include "variant/shred/variant_projection.h"

/* Leaves: a id, b c v's metadata and value, d e w's, f x. */
static const char SCHEMA[] =
    "optional int32 id;"
    "optional group v (VARIANT(1)) { required binary metadata; required binary value; }"
    "optional group w (VARIANT(1)) { required binary metadata; required binary value; }"
    "optional group g { optional int32 x; }";

enum { LEAVES = 6 };

static lam_schema *schema_of(void) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    cr_assert_eq(lam_schema_leaf_count(schema), LEAVES);
    return schema;
}

Test(projection_text, fields_and_paths_into_variants_are_selected) {
    static const struct {
        const char *text, *leaves;
        bool has_paths; /* into v */
    } cases[] = {
        {"id", "a", false},          {"v", "bc", false},      {"v.a.b, id", "abc", true},
        {"v.\"a,b\".c", "bc", true}, {"v.a, v", "bc", false}, {"*, v.a", "abcdef", false},
        {"v.a, !v, id", "a", false}, {"!v, !w", "af", false}, {"g.*, v.a, !g.x", "bc", true},
        {"v.a, v.b", "bc", true},
    };
    lam_schema *schema = schema_of();
    const lam_field *v = lam_schema_find(schema, "v");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        lam_projection *projection;
        char letters[LEAVES + 1], *at = letters;
        cr_assert_eq(lam_projection_parse(schema, cases[i].text, strlen(cases[i].text), NULL,
                                          &projection, &error),
                     LAM_STATUS_OK, "%s: %s", cases[i].text, error.message);
        for (size_t leaf = 0; leaf < LEAVES; leaf++)
            if (lam_projection_leaves(projection)[leaf])
                *at++ = (char)('a' + leaf);
        *at = '\0';
        cr_expect_str_eq(letters, cases[i].leaves, "%s: %s", cases[i].text, letters);
        cr_expect_eq((lam_projection_tree_of(projection, v) != NULL), cases[i].has_paths, "%s",
                     cases[i].text);
        lam_projection_destroy(projection);
    }
    lam_schema_destroy(schema);
}

Test(projection_text, what_selects_nothing_is_refused_with_its_character) {
    static const struct {
        const char *text, *message;
        lam_status status;
    } cases[] = {
        {"id,", "character 4: expected a field (a name that is empty is written \"\")",
         LAM_STATUS_INVALID},
        {"id, v.*", "character 5: a path into a VARIANT has names only, no * or []",
         LAM_STATUS_INVALID},
        {"v[]", "character 1: a path into a VARIANT has names only, no * or []",
         LAM_STATUS_INVALID},
        {"id, !v.a", "character 5: a path into a VARIANT cannot be left out", LAM_STATUS_INVALID},
        {"id, !id", "no column is left", LAM_STATUS_INVALID},
        {"idd", "character 1: no field 'idd' (did you mean id?)", LAM_STATUS_NOT_FOUND},
    };
    lam_schema *schema = schema_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        lam_projection *projection = NULL;
        cr_expect_eq(lam_projection_parse(schema, cases[i].text, strlen(cases[i].text), NULL,
                                          &projection, &error),
                     cases[i].status, "%s", cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text, error.message);
        cr_expect_null(projection);
    }
    lam_schema_destroy(schema);
}

Test(projection_text, without_memory_there_is_no_projection) {
    static const char text[] = "v.a.\"b\"\"c\", g.*, !id";
    lam_schema *schema = schema_of();
    for (size_t request = 1;; request++) {
        lam_failing_alloc failing = {.fail_at = request};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_projection *projection = NULL;
        lam_status status =
            lam_projection_parse(schema, text, strlen(text), &allocator, &projection, NULL);
        cr_expect_eq(projection == NULL, status != LAM_STATUS_OK);
        lam_projection_destroy(projection);
        cr_assert_eq(failing.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    lam_schema_destroy(schema);
}

/* The text of a path begins with 64 bytes of memory, and is full at each of its parts in turn. */
Test(projection_text, memory_may_run_out_in_any_part_of_a_path) {
    lam_schema *schema = schema_of();
    for (int letters = 54; letters < 64; letters++) {
        char name[64], text[100];
        memset(name, 'n', sizeof name);
        int size = snprintf(text, sizeof text, "v.\"%.*s\"\"\".\"\"\"\"", letters, name);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t request = 1; status != LAM_STATUS_OK; request++) {
            lam_failing_alloc failing = {.fail_at = request};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_projection *projection = NULL;
            lam_error error = lam_error_none();
            status =
                lam_projection_parse(schema, text, (size_t)size, &allocator, &projection, &error);
            cr_expect_eq(projection == NULL, status != LAM_STATUS_OK);
            lam_projection_destroy(projection);
            cr_assert_eq(failing.live_bytes, 0);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s: %s", text,
                      error.message);
            cr_assert_lt(request, 100);
        }
    }
    lam_schema_destroy(schema);
}
