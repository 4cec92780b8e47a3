/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a condition as tokens, and the place of what is none. */
#include "scan/condition/filter_lexer.h"

#include <criterion/criterion.h>
#include <string.h>

/* The tokens of a text: a letter for the kind of each. */
static void kinds_of(const char *text, char *kinds) {
    static const char letters[] = "EWQNTHCM";
    lam_filter_lexer lexer;
    size_t count = 0;
    lam_status status = lam_filter_lexer_init(&lexer, text, strlen(text), NULL);
    while (status == LAM_STATUS_OK && lexer.token != LAM_FILTER_TOKEN_END) {
        kinds[count++] = letters[lexer.token];
        status = lam_filter_lexer_next(&lexer, NULL);
    }
    kinds[count] = status == LAM_STATUS_OK ? '\0' : '!';
    kinds[count + 1] = '\0';
}

Test(filter_lexer, text_is_cut_into_its_tokens) {
    static const struct {
        const char *text, *kinds;
    } cases[] = {
        {"", ""},
        {"a.b>=-1.5e3", "WMWMN"},
        {"\"a \"\" b\" = 'it''s'", "QMT"},
        {"x'00ff' xy _1 ä", "HWWW"},
        {".5 5. +7 1e+2", "NNNN"},
        {"a<>b!=c==d<=e<f>g", "WMWMWMWMWMWMW"},
        {"'open", "!"},
        {"1.2.3", "!"},
        {"1e", "!"},
        {"-", "!"},
        {"-.", "!"},
        {"+.e5", "!"},
        {"12ab", "!"},
        {"now() - 1d<now", "CMW"},
        {"NOW ( )+ 2h -30m and", "CW"},
        {"now() - 1x", "!"},
        {"now() - d", "!"},
        {"now(1)", "!"},
        {"a ; b", "W!"},
        {"a \xff", "!"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char kinds[64];
        kinds_of(cases[i].text, kinds);
        cr_expect_str_eq(kinds, cases[i].kinds, "%s", cases[i].text);
    }
}

Test(filter_lexer, an_error_names_the_character_and_what_stands_there) {
    lam_filter_lexer lexer;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_lexer_init(&lexer, "a ?", 3, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_lexer_expected(&lexer, "a number", &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "character 1: expected a number, found a");
    cr_expect_eq(lam_filter_lexer_next(&lexer, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "character 3: no word or literal begins with this character");
}
