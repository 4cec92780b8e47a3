/* SPDX-License-Identifier: Apache-2.0 */
#include "variant/variant_locate.h"

#include "support/failing_alloc.h"
#include "variant/shred_trip.h"

#define PAIR "(VARIANT) { required binary metadata; required binary value; } "

static const char SCHEMA[] =
    "message m { required int32 n; optional group z.y " PAIR "optional group z " PAIR
    "optional group a " PAIR "optional group o { optional group v " PAIR
    "optional int32 x; } optional group a.b " PAIR
    "optional group l (LIST) { repeated group list { optional group element " PAIR "} } }";

Test(variant_locate, a_path_leads_to_a_field_or_through_a_variant) {
    static const struct {
        const char *path, *field, *rest; /* field NULL: there is none */
        bool brackets;
    } cases[] = {
        {"n", "n", "", true},
        {"o", "o", "", true},
        {"o.x", "o.x", "", false},
        {"o.x[]", NULL, NULL, true},
        {"o.x.y", NULL, NULL, true},
        {"a", "a", "", true},
        {"a.c", "a", ".c", false},
        {"z.y.x", "z.y", ".x", false},
        {"z.x", "z", ".x", false},
        {"a[]", "a", "[]", true},
        {"a[]", NULL, NULL, false},
        {"a[", "a", "[", true},
        {"a.", "a", ".", true},
        {"a..c", "a", "..c", true},
        {"a.b", "a.b", "", true},
        {"a.b.c", "a.b", ".c", true},
        {"a.b[].c", "a.b", "[].c", true},
        {"a.bb", "a", ".bb", true},
        /* columns of a VARIANT are no fields */
        {"a.value", "a", ".value", true},
        {"a.metadata", "a", ".metadata", false},
        {"o.v.v", "o.v", ".v", true},
        {"o.v[][]", "o.v", "[][]", true},
        {"v.x", NULL, NULL, true},
        {"oxv.x", NULL, NULL, true},
        {"l.list.element.a", "l.list.element", ".a", true},
        {"l[].a", NULL, NULL, true},
        {"", "", "", true},
    };
    lam_schema *schema = schema_of(SCHEMA);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_variant_location found = {NULL, NULL};
        lam_error error = lam_error_none();
        char path[100];
        lam_status status =
            lam_variant_locate(schema, cases[i].path, cases[i].brackets, &found, &error);
        if (cases[i].field == NULL) {
            cr_expect_eq(status, LAM_STATUS_NOT_FOUND, "%s", cases[i].path);
            cr_expect_null(found.field);
            continue;
        }
        cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", cases[i].path, error.message);
        (void)lam_field_path(found.field, path, sizeof path);
        cr_expect_str_eq(path, cases[i].field, "%s: %s", cases[i].path, path);
        cr_expect_str_eq(found.rest, cases[i].rest, "%s: %s", cases[i].path, found.rest);
    }
    lam_schema_destroy(schema);
}

/* All steps of a rest as text: names in angles, [] as it is, ! where it is refused. */
static void print_steps(const char *rest, bool brackets, char *text) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer name;
    bool elements;
    lam_error error = lam_error_none();
    lam_buffer_init(&name, &allocator);
    *text = '\0';
    while (*rest != '\0') {
        const char *before = rest;
        lam_status status = lam_variant_take_step(&rest, brackets, &name, &elements, &error);
        if (status != LAM_STATUS_OK) {
            cr_expect_eq(status, LAM_STATUS_INVALID);
            cr_expect_eq(rest, before);
            strcat(text, "!");
            break;
        }
        text += elements ? sprintf(text, "[]")
                         : sprintf(text, "<%.*s>", (int)name.size,
                                   name.size == 0 ? "" : (const char *)name.data);
    }
    lam_buffer_finish(&name);
}

Test(variant_locate, steps_are_names_and_elements) {
    static const struct {
        const char *rest, *steps;
        bool brackets;
    } cases[] = {
        {".a", "<a>", true},
        {".a.b", "<a><b>", true},
        {".a[].b", "<a>[]<b>", true},
        {".a[].b", "<a[]><b>", false},
        {"[][]", "[][]", true},
        {"[]", "!", false},
        {"[", "!", true},
        {"[0]", "!", true},
        {".a[", "<a>!", true},
        {".a[]b", "<a>[]!", true},
        {".", "!", true},
        {"..a", "!", true},
        {".a.", "<a>!", true},
        {".\"\"", "<>", true},
        {".\"a.b\"[]", "<a.b>[]", true},
        {".\"a[]\"", "<a[]>", true},
        {".\"a\"\"b\".c", "<a\"b><c>", true},
        {".\"\"\"\"", "<\">", true},
        {".\"a", "!", true},
        {".\"a\"b", "!", true},
        {".\"a\"\"", "!", true},
        {".a\"b", "<a\"b>", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        print_steps(cases[i].rest, cases[i].brackets, text);
        cr_expect_str_eq(text, cases[i].steps, "%s: %s", cases[i].rest, text);
    }
}

Test(variant_locate, a_name_without_memory_leaves_the_rest_as_it_was) {
    static const char *const names[] = {".a", ".\"a\""};
    for (size_t i = 0; i < 2; i++) {
        lam_failing_alloc failing = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_buffer name;
        const char *rest = names[i];
        bool elements;
        lam_buffer_init(&name, &allocator);
        cr_expect_eq(lam_variant_take_step(&rest, true, &name, &elements, NULL), LAM_STATUS_NOMEM);
        cr_expect_eq(rest, names[i]);
        lam_buffer_finish(&name);
        cr_expect_eq(failing.live_bytes, 0);
    }
}
