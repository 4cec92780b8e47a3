/* SPDX-License-Identifier: Apache-2.0 */
/* The path that was probably meant, for messages about one that there is not. */
#include "schema/field_guess.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/test_file.h"

static void guess_of(const lam_schema *schema, const char *text, char guess[LAM_FIELD_GUESS_ROOM]) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_path path = {.count = 0};
    lam_arena_init(&arena, &allocator, 0);
    if (*text != '\0')
        cr_assert_eq(lam_path_read_text(text, &arena, &path, NULL), LAM_STATUS_OK);
    lam_field_guess(schema, &path, guess);
    lam_arena_finish(&arena);
}

Test(field_guess, the_nearest_path_is_named_if_it_is_near) {
    static const char text[] = "optional int32 id; optional int32 price; optional int32 prize2;"
                               "optional group user { optional int32 name; optional int32 x; }"
                               "optional int32 \"full name\"; optional int32 \"c.d\";";
    static const struct {
        const char *path, *guess;
    } cases[] = {
        {"ID", " (did you mean id?)"},
        {"pirce", " (did you mean price?)"},
        {"prize", " (did you mean price?)"},
        {"prize3", " (did you mean prize2?)"},
        {"user.nmae", " (did you mean user.name?)"},
        {"User.Name", " (did you mean user.name?)"},
        {"use", " (did you mean user?)"},
        {"x", ""},
        {"", ""},
        {"nothing", ""},
        {"i", " (did you mean id?)"},
        {"ful name", " (did you mean \"full name\"?)"},
        {"\"full nam\"", " (did you mean \"full name\"?)"},
        {"c.\"d\"", " (did you mean \"c.d\"?)"},
        {"\"user.name\"", " (did you mean user.name?)"},
        {"user[].name", " (did you mean user.name?)"},
    };
    char guess[LAM_FIELD_GUESS_ROOM], longest[500];
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guess_of(schema, cases[i].path, guess);
        if (strcmp(cases[i].path, "i") != 0) /* one of one is wrong: not near */
            cr_expect_str_eq(guess, cases[i].guess, "%s", cases[i].path);
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    guess_of(schema, longest, guess);
    cr_expect_str_eq(guess, "");
    lam_schema_destroy(schema);
    /* A field whose own path is that long is not compared. */
    char long_text[600];
    int size =
        snprintf(long_text, sizeof long_text, "optional int32 %s; optional int32 bb;", longest);
    cr_assert_eq(lam_schema_parse(long_text, (size_t)size, NULL, &schema, NULL), LAM_STATUS_OK);
    longest[100] = '\0';
    guess_of(schema, longest, guess);
    cr_expect_str_eq(guess, "");
    guess_of(schema, "bbb", guess);
    cr_expect_str_eq(guess, " (did you mean bb?)");
    lam_schema_destroy(schema);
}
