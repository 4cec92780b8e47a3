/* SPDX-License-Identifier: Apache-2.0 */
/* What paths are made of: texts become words, names become texts that read back to them. */
#include "schema/path_text.h"

#include "schema_texts.h"
#include "support/failing_alloc.h"

/*
 * Words as text: <name>, "name" for one between marks, ~pattern~, and []; ! where one is missing.
 */
static lam_status words_of(const char *text, lam_path_use use, char *words, size_t *ret_end,
                           lam_error *error) {
    lam_path_reader reader = lam_path_reader_start(text, strlen(text), 0, use);
    lam_path_word word;
    bool more = true;
    for (*words = '\0'; more;) {
        lam_status status = lam_path_reader_next(&reader, &word, &more, error);
        if (status != LAM_STATUS_OK)
            return status;
        if (!more)
            break;
        const char *marks = word.kind == LAM_PATH_PATTERN ? "~~" : word.is_quoted ? "\"\"" : "<>";
        if (word.kind == LAM_PATH_ELEMENTS) {
            words += sprintf(words, "[]");
            continue;
        }
        *words++ = marks[0];
        for (size_t from = 0; from < word.size;) {
            lam_bytes bytes = lam_path_word_bytes(&word, &from);
            words += sprintf(words, "%.*s", (int)bytes.size, (const char *)bytes.data);
        }
        *words++ = marks[1];
        *words = '\0';
    }
    if (reader.needs_name)
        strcat(words, "!");
    *ret_end = reader.at;
    return LAM_STATUS_OK;
}

Test(path_text, a_text_is_words) {
    static const struct {
        const char *text, *words;
        lam_path_use use;
        int left; /* bytes behind the path */
    } cases[] = {
        {"a", "<a>", LAM_PATH_ALONE, 0},
        {"a.b", "<a><b>", LAM_PATH_ALONE, 0},
        {" a . b ", "< a >< b >", LAM_PATH_ALONE, 0},
        {" a . b ", "<a><b>", LAM_PATH_IN_LIST, 0},
        {"full name.first", "<full name><first>", LAM_PATH_ALONE, 0},
        {"\"a.b\"", "\"a.b\"", LAM_PATH_ALONE, 0},
        {"\"a\".\"b\"\"c\".d", "\"a\"\"b\"c\"<d>", LAM_PATH_ALONE, 0},
        {"\"\"", "\"\"", LAM_PATH_ALONE, 0},
        {"\"\"\"\"", "\"\"\"", LAM_PATH_ALONE, 0},
        {"\"\"\"\"\"\"", "\"\"\"\"", LAM_PATH_ALONE, 0},
        {"a\"b", "<a\"b>", LAM_PATH_ALONE, 0},
        {"a[].b[][]", "<a>[]<b>[][]", LAM_PATH_ALONE, 0},
        {"a [] . b", "<a>[]<b>", LAM_PATH_IN_LIST, 0},
        {"a[0]", "<a[0]>", LAM_PATH_ALONE, 0},
        {"m['k']", "<m['k']>", LAM_PATH_ALONE, 0},
        {"a,b*=c:d", "<a,b*=c:d>", LAM_PATH_ALONE, 0},
        {"No.", "<No><>", LAM_PATH_ALONE, 0},
        {".", "<><>", LAM_PATH_ALONE, 0},
        {"a..b", "<a><><b>", LAM_PATH_ALONE, 0},
        {"\"a\nb\"", "\"a\nb\"", LAM_PATH_ALONE, 0},
        {"a,b", "<a>", LAM_PATH_IN_LIST, 2},
        {" a , b", "<a>", LAM_PATH_IN_LIST, 3},
        {"\"a,b\",c", "\"a,b\"", LAM_PATH_IN_LIST, 2},
        {"a*.*", "~a*~~*~", LAM_PATH_IN_LIST, 0},
        {"\"a*\"", "\"a*\"", LAM_PATH_IN_LIST, 0},
        {"a.b >= 1", "<a><b>", LAM_PATH_IN_CONDITION, 4},
        {"a>1", "<a>", LAM_PATH_IN_CONDITION, 2},
        {"a . b [ ] = 1", "<a><b>[]", LAM_PATH_IN_CONDITION, 3},
        {"\"a b\".\xC3\xA4_1=1", "\"a b\"<\xC3\xA4_1>", LAM_PATH_IN_CONDITION, 2},
        {"a.1", "<a>!", LAM_PATH_IN_CONDITION, 1},
        {"a. ", "<a>!", LAM_PATH_IN_CONDITION, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        char words[100];
        size_t end = 0;
        cr_expect_eq(words_of(cases[i].text, cases[i].use, words, &end, &error), LAM_STATUS_OK,
                     "%s: %s", cases[i].text, error.message);
        cr_expect_str_eq(words, cases[i].words, "%s: %s", cases[i].text, words);
        cr_expect_eq((int)(strlen(cases[i].text) - end), cases[i].left, "%s", cases[i].text);
    }
}

Test(path_text, the_key_of_a_map_is_left_to_the_condition) {
    static const char text[] = "m[ 'k'].x";
    lam_path_reader reader = lam_path_reader_start(text, strlen(text), 0, LAM_PATH_IN_CONDITION);
    lam_path_word word;
    bool more;
    cr_assert_eq(lam_path_reader_next(&reader, &word, &more, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_path_reader_next(&reader, &word, &more, NULL), LAM_STATUS_OK);
    cr_assert(more && word.kind == LAM_PATH_KEY);
    cr_assert_eq(word.text - text, 1);
    cr_assert_str_eq(text + reader.at, "'k'].x");
    reader.at = 7; /* behind the ] */
    cr_assert_eq(lam_path_reader_next(&reader, &word, &more, NULL), LAM_STATUS_OK);
    cr_assert(more && word.kind == LAM_PATH_NAME && *word.text == 'x');
}

Test(path_text, what_is_no_path_is_refused_with_its_character) {
    static const struct {
        const char *text, *message;
        lam_path_use use;
    } cases[] = {
        {"", "character 1: expected a field (a name that is empty is written \"\")",
         LAM_PATH_ALONE},
        {"  ", "character 3: expected a field (a name that is empty is written \"\")",
         LAM_PATH_IN_LIST},
        {"a.,b", "character 3: expected a field (a name that is empty is written \"\")",
         LAM_PATH_IN_LIST},
        {"\"a\" .b", "character 4: expected a dot, [] or the end", LAM_PATH_ALONE},
        {"[]", "character 1: expected a field (a name that is empty is written \"\")",
         LAM_PATH_ALONE},
        {",a", "character 1: expected a field (a name that is empty is written \"\")",
         LAM_PATH_IN_LIST},
        {"\"a", "character 1: the name that begins here does not end", LAM_PATH_ALONE},
        {"\xC3\xA4.\"", "character 3: the name that begins here does not end", LAM_PATH_ALONE},
        {"a.\"b\"\"", "character 3: the name that begins here does not end", LAM_PATH_IN_CONDITION},
        {"\"a\"b", "character 4: expected a dot, [] or the end", LAM_PATH_ALONE},
        {"a[]b", "character 4: expected a dot, [] or the end", LAM_PATH_ALONE},
        {"\"a\"[0]", "character 4: expected a dot, [] or the end", LAM_PATH_ALONE},
        {"\"a\",b", "character 4: expected a dot, [] or the end", LAM_PATH_ALONE},
        {"\"a\"b", "character 4: expected a comma, a dot, or the end", LAM_PATH_IN_LIST},
        {"a.\"b\"\\", "character 6: expected a dot, [] or the end", LAM_PATH_ALONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        char words[100];
        size_t end = 0;
        cr_expect_eq(words_of(cases[i].text, cases[i].use, words, &end, &error), LAM_STATUS_INVALID,
                     "%s", cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text, error.message);
        cr_expect_eq(words_of(cases[i].text, cases[i].use, words, &end, NULL), LAM_STATUS_INVALID);
    }
}

Test(path_text, a_path_has_the_text_that_it_is_written_in) {
    static const char text[] = "x,  a . \"b\" , c";
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_path path;
    size_t at = 2;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_path_read(text, strlen(text), &at, LAM_PATH_IN_LIST, &arena, &path, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(path.count, 2);
    cr_assert_eq(path.offset, 4);
    cr_assert_eq(path.text.size, 7);
    cr_assert_eq(memcmp(path.text.data, "a . \"b\"", 7), 0);
    cr_assert_eq(text[at], ',');
    lam_arena_finish(&arena);
}

Test(path_text, a_path_of_very_many_words_is_refused) {
    enum { WORDS = 1 << 20 };
    lam_allocator allocator = lam_allocator_default();
    char *text = malloc(WORDS + 1);
    lam_error error = lam_error_none();
    lam_arena arena;
    lam_path path;
    lam_arena_init(&arena, &allocator, 0);
    memset(text, '.', WORDS);
    text[WORDS] = '\0';
    cr_expect_eq(lam_path_read_text(text, &arena, &path, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "a path of more than 1524 names");
    text[LAM_PATH_WORDS_MAX] = '\0';
    cr_expect_eq(lam_path_read_text(text, &arena, &path, &error), LAM_STATUS_LIMIT);
    text[LAM_PATH_WORDS_MAX - 1] = '\0';
    cr_expect_eq(lam_path_read_text(text, &arena, &path, &error), LAM_STATUS_OK);
    cr_expect_eq(path.count, LAM_PATH_WORDS_MAX);
    lam_arena_finish(&arena);
    free(text);
}

Test(path_text, a_copied_name_has_single_marks) {
    static const struct {
        const char *text, *name;
    } cases[] = {{"a b", "a b"}, {"\"a\"\"\"\"b\"", "a\"\"b"}, {"\"\"\"\"", "\""}, {"\"\"", ""}};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_path path;
    lam_bytes name;
    lam_error error = lam_error_none();
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(lam_path_read_text(cases[i].text, &arena, &path, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_path_word_copy(path.words, &arena, &name, NULL), LAM_STATUS_OK);
        cr_expect_eq(name.size, strlen(cases[i].name));
        cr_expect_str_eq((const char *)name.data, cases[i].name);
    }
    /*
     * Beside a dot without marks there may be nothing: it is a name for the name with the dot only.
     */
    cr_assert_eq(lam_path_read_text("a.", &arena, &path, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_path_word_copy(&path.words[1], &arena, &name, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a name that is empty is written \"\"");
    lam_arena_finish(&arena);
}

Test(path_text, without_memory_there_is_no_path_and_no_copy) {
    lam_failing_alloc failing = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&failing);
    const lam_path_word word = {"a", 1, LAM_PATH_NAME, false};
    lam_arena arena;
    lam_path path = {.count = 7};
    lam_bytes name;
    lam_arena_init(&arena, &allocator, 0);
    cr_expect_eq(lam_path_read_text("a.b", &arena, &path, NULL), LAM_STATUS_NOMEM);
    cr_expect_eq(path.count, 7);
    failing.fail_at = failing.requests + 1;
    cr_expect_eq(lam_path_word_copy(&word, &arena, &name, NULL), LAM_STATUS_NOMEM);
    lam_arena_finish(&arena);
    cr_expect_eq(failing.live_bytes, 0);
}

/* --- Printing ------------------------------------------------------------------------------ */

Test(path_text, a_name_that_is_no_word_stands_between_marks) {
    static const char *const cases[][2] = {
        {"a", "a"},
        {"_a1", "_a1"},
        {"gr\xC3\xB6\xC3\x9F"
         "e",
         "gr\xC3\xB6\xC3\x9F"
         "e"},
        {"element", "element"},
        {"android", "android"},
        {"", "\"\""},
        {"a.b", "\"a.b\""},
        {"1a", "\"1a\""},
        {"a b", "\"a b\""},
        {"user-agent", "\"user-agent\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"\"", "\"\"\"\""},
        {"a[]", "\"a[]\""},
        {"*", "\"*\""},
        {"a,b", "\"a,b\""},
        {"a=b", "\"a=b\""},
        {"a\nb", "\"a\nb\""},
        {"in", "\"in\""},
        {"Null", "\"Null\""},
        {"TRUE", "\"TRUE\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char printed_name[40];
        lam_text text = {printed_name, sizeof printed_name, 0};
        lam_path_put_name(&text, cases[i][0], strlen(cases[i][0]));
        cr_expect_eq(lam_text_finish(&text), strlen(cases[i][1]));
        cr_expect_str_eq(printed_name, cases[i][1]);
    }
}

Test(path_text, a_path_is_joined_by_dots_and_cut_like_snprintf) {
    lam_schema *schema =
        parsed("optional group Links { repeated int64 Forward; repeated int64 \"x.\\\"y\"; }");
    static const char *const paths[] = {"Links.Forward", "Links.\"x.\"\"y\""};
    static const char *const labels[] = {"Links.Forward", "Links.x.\"y"};
    for (size_t leaf = 0; leaf < 2; leaf++)
        for (size_t capacity = 0; capacity < 20; capacity++) {
            const lam_field *field = lam_schema_leaf(schema, leaf);
            char buffer[24], label[24];
            size_t length = strlen(paths[leaf]);
            memset(buffer, '?', sizeof buffer);
            cr_assert_eq(lam_field_path(field, capacity > 0 ? buffer : NULL, capacity), length);
            size_t kept = capacity == 0 ? 0 : capacity - 1 < length ? capacity - 1 : length;
            cr_assert_eq(memcmp(buffer, paths[leaf], kept), 0);
            cr_assert_eq(buffer[capacity > 0 ? kept : 0], capacity > 0 ? '\0' : '?');
            cr_assert_eq(buffer[capacity > kept ? capacity : kept + 1], '?');
            cr_assert_eq(lam_field_label(field, label, sizeof label), strlen(labels[leaf]));
            cr_assert_str_eq(label, labels[leaf]);
        }
    char root[4] = "???";
    cr_assert_eq(lam_field_path(lam_schema_root(schema), root, sizeof root), 0);
    cr_assert_str_eq(root, "");
    lam_schema_destroy(schema);
}
