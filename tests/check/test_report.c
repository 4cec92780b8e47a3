/* SPDX-License-Identifier: Apache-2.0 */
/* How findings leave: counted, whoever listens, and one line each, whatever the file has in it. */
#include "check/report/report.h"

#include "check/forge.h"
#include "support/whole_footer.h"

TestSuite(report);

/* A callback of NULL was called. */
Test(report, without_a_callback_findings_are_counted) {
    lam_check_totals totals = lam_check_totals_default();
    lam_input input = lam_input_memory("PAR0\0\0\0\0PAR1", 12);
    cr_assert_eq(lam_check(&input, NULL, NULL, NULL, &totals, NULL), LAM_STATUS_OK);
    cr_assert_eq(totals.errors, 2);
}

/* The name of a group of two columns that contradict each other is quoted, and their path. */
static void expect_named(lam_bytes name, const char *words) {
    static const uint8_t there[2] = {1, 1}, away[2] = {1, 0};
    lam_triples columns[2] = {{2, 0, NULL, there, NULL}, {2, 0, NULL, away, NULL}};
    lam_schema *schema =
        lam_test_schema("message m { optional group g { optional int32 a; optional int32 b; } }");
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_footer footer;
    lam_buffer file = forge_triples(schema, NULL, columns, 2);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
    ((lam_meta_schema_element *)footer.meta.schema.items)[1].name = name;
    for (int leaf = 0; leaf < 2; leaf++)
        ((lam_bytes *)footer.meta.row_groups.items[0]
             .columns.items[leaf]
             .meta_data->path_in_schema.items)[0] = name;
    file.size = (size_t)footer.offset;
    cr_assert_eq(lam_footer_write(&footer.meta, &file, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_not_null(strstr(found.rules, "levels-agree"), "%s", found.first);
    cr_assert_not_null(strstr(found.last, words), "%s", found.last);
    lam_arena_finish(&arena);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}

/* A name with a line break made two lines of a finding. */
Test(report, a_finding_is_one_line_whatever_the_names_are) {
    char name[1400];
    expect_named(forge_text("a\nb\x7F"), "of the group \"a\\nb\\u007f\" differ from those in "
                                         "column \"a\\nb\\u007f\".a");
    expect_named(forge_text("a\xFF\x80z"), "of the group a\\xff\\x80z differ");
    expect_named(forge_text("gr\xC3\xB6\xC3\x9F"
                            "e"),
                 "of the group gr\xC3\xB6\xC3\x9F"
                 "e differ");
    for (size_t odd = 0; odd < 2; odd++) { /* of which one cuts a character in two */
        memset(name, 'x', sizeof name);
        for (size_t i = odd; i + 2 < sizeof name; i += 2)
            memcpy(name + i, "\xC3\xB6", 2);
        name[sizeof name - 1] = '\0';
        expect_named(forge_text(name), "\xC3\xB6");
    }
}
