/* SPDX-License-Identifier: Apache-2.0 */
/* Which cells a spreadsheet would take for a formula, and how they are disarmed. */
#include "table/formula.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"

static void expect_sized(lam_cell_kind kind, const char *text, size_t size, char delimiter,
                         const char *wanted, size_t wanted_size) {
    lam_allocator allocator = lam_allocator_default();
    lam_cell cell = {kind, {(const uint8_t *)text, size}};
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_formula_disarm(&cell, delimiter, &out, NULL), LAM_STATUS_OK);
    cr_expect(out.size == wanted_size && memcmp(out.data, wanted, wanted_size) == 0, "%s gave %.*s",
              text, (int)out.size, (const char *)out.data);
    lam_buffer_finish(&out);
}

static void expect(lam_cell_kind kind, const char *text, char delimiter, const char *wanted) {
    expect_sized(kind, text, strlen(text), delimiter, wanted, strlen(wanted));
}

static void expect_text(const char *text, const char *wanted) {
    expect(LAM_CELL_TEXT, text, ',', wanted);
}

Test(formula, a_sign_at_the_beginning_of_a_text_is_disarmed) {
    expect_text("=1+1", "'=1+1");
    expect_text("+1", "'+1");
    expect_text("-1", "'-1");
    expect_text("@SUM(A1)", "'@SUM(A1)");
    expect_text("\t=1", "'\t'=1");
    expect_text("\r=1", "'\r'=1");
    expect_sized(LAM_CELL_TEXT, "\0=1", 3, ',', "'\0=1", 4);
    expect_text("\xEF\xBC\x9D"
                "1",
                "'\xEF\xBC\x9D"
                "1");
    expect_text("\xEF\xBC\x8B"
                "1",
                "'\xEF\xBC\x8B"
                "1");
    expect_text("\xEF\xBC\x8D"
                "1",
                "'\xEF\xBC\x8D"
                "1");
    expect_text("\xEF\xBC\xA0"
                "1",
                "'\xEF\xBC\xA0"
                "1");
}

Test(formula, other_texts_stay) {
    expect_sized(LAM_CELL_TEXT, "", 0, ',', "", 0);
    expect_text("a=b, -1 + 2 @ c", "a=b, -1 + 2 @ c");
    expect_text("'=1", "'=1");
    expect_text("\xEF\xBC\x9C"
                "1",
                "\xEF\xBC\x9C"
                "1");
    expect_text("\xEF\xBC", "\xEF\xBC");
    expect_text("2024-11-28", "2024-11-28");
}

Test(formula, numbers_and_booleans_stay) {
    expect(LAM_CELL_NUMBER, "-5", ',', "-5");
    expect(LAM_CELL_NUMBER, "-1.5e+3", ',', "-1.5e+3");
    expect(LAM_CELL_BOOLEAN, "true", ',', "true");
}

Test(formula, a_sign_behind_the_separator_of_another_locale_is_disarmed) {
    expect_text("a;=1;-2", "a;'=1;'-2");
    expect_text("a\t@b\n+c\r=d", "a\t'@b\n'+c\r'=d");
    expect_text("a,=1", "a,=1"); /* in quotation marks where the comma divides */
    expect(LAM_CELL_TEXT, "a,=1;=2", ';', "a,'=1;=2");
    expect(LAM_CELL_TEXT, "a,=1\t=2", '\t', "a,'=1\t=2");
    expect_text("a;", "a;");
}

Test(formula, json_stays_json) {
    expect(LAM_CELL_NESTED, "[-1,-2]", '\t', "[-1,-2]");
    expect(LAM_CELL_NESTED, "[\"a,=1\",-2]", '\t', "[\"a,'=1\",-2]");
    expect(LAM_CELL_NESTED, "{\"a;=\":\"\\\";@b\"}", ',', "{\"a;'=\":\"\\\";'@b\"}");
    expect(LAM_CELL_NESTED, "[\"\\\\\",-1]", ';', "[\"\\\\\",-1]");
}
