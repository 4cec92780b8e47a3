/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of JSON are escaped and read back, what is not UTF-8 is refused or replaced. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "support/random.h"
#include "text/json_string.h"
#include "json/scarce_memory.h"

static lam_buffer start(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void expect_print(const char *text, size_t size, bool replace, const char *expected) {
    lam_buffer buffer = start();
    lam_status status = lam_json_string_print(&buffer, text, size, replace, NULL);
    cr_expect_eq(status, expected == NULL ? LAM_STATUS_INVALID : LAM_STATUS_OK);
    if (expected != NULL) {
        cr_expect_eq(buffer.size, strlen(expected));
        cr_expect_eq(memcmp(buffer.data, expected, buffer.size), 0, "%.*s", (int)buffer.size,
                     (char *)buffer.data);
    }
    lam_buffer_finish(&buffer);
}

Test(json_string, escapes_what_it_must_and_nothing_else) {
    expect_print("", 0, false, "\"\"");
    expect_print("plain text / \x7f", 14, false, "\"plain text / \x7f\"");
    expect_print("\"\\\b\f\n\r\t", 7, false, "\"\\\"\\\\\\b\\f\\n\\r\\t\"");
    expect_print("\x01\x1f\0", 3, false, "\"\\u0001\\u001f\\u0000\"");
    expect_print("上海 \xF0\x9F\x98\x80", 11, false, "\"上海 \xF0\x9F\x98\x80\"");
}

Test(json_string, what_is_not_utf8_is_refused_or_replaced) {
    expect_print("a\xFFz", 3, false, NULL);
    expect_print("a\xFFz", 3, true, "\"a\xEF\xBF\xBDz\"");
    expect_print("\xE4\xB8", 2, true, "\"\xEF\xBF\xBD\""); /* one for a cut character */
    expect_print("\xE4\xB8"
                 "A",
                 3, true,
                 "\"\xEF\xBF\xBD"
                 "A\"");
    expect_print("\xED\xA0\x80", 3, true, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    expect_print("\xF4\x90\x80\x80", 4, false, NULL);
    expect_print("\xC0\x80", 2, false, NULL);
}

static void expect_unescape(const char *content, const char *expected, size_t size) {
    char text[64];
    size_t bad;
    cr_assert(lam_json_string_check(content, strlen(content), &bad), "%s", content);
    cr_expect_eq(lam_json_string_unescape(content, strlen(content), text), size, "%s", content);
    cr_expect_eq(memcmp(text, expected, size), 0, "%s", content);
}

Test(json_string, takes_every_escape) {
    expect_unescape("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8);
    expect_unescape("a\\u0041b", "aAb", 3);
    expect_unescape("\\u00e9\\u4E0A", "\xC3\xA9\xE4\xB8\x8A", 5);
    expect_unescape("\\ud83d\\ude00!", "\xF0\x9F\x98\x80!", 5);
    expect_unescape("\\u0000", "\0", 1);
    expect_unescape("plain", "plain", 5);
}

Test(json_string, refuses_escapes_that_are_not_whole) {
    static const struct {
        const char *content;
        size_t bad;
    } cases[] = {
        {"\\", 0},         {"ab\\x", 2},           {"\\u12", 0},          {"\\u12G4", 0},
        {"\\ud83d", 0},    {"\\ude00", 0},         {"\\ud83dxxxxxx", 0},  {"\\ud83d\\u0041", 0},
        {"\\n\\ud83d", 2}, {"\\ud83d\\n12345", 0}, {"\\ud83d\\ue000", 0}, {"\\ud83d\\u12x4", 0},
        {"\\U0041", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bad = 99;
        cr_expect_not(lam_json_string_check(cases[i].content, strlen(cases[i].content), &bad), "%s",
                      cases[i].content);
        cr_expect_eq(bad, cases[i].bad, "%s", cases[i].content);
    }
}

Test(json_string, random_text_comes_back) {
    uint64_t seed = lam_test_seed(23);
    lam_random random = lam_random_start(seed);
    lam_buffer buffer = start();
    for (int i = 0; i < 50000; i++) {
        char text[40], back[256];
        size_t size = lam_random_below(&random, sizeof text), bad;
        for (size_t j = 0; j < size; j++)
            text[j] = (char)lam_random_below(&random, i % 3 == 0 ? 256 : 128);
        size_t good = lam_utf8_prefix((const uint8_t *)text, size);
        lam_buffer_clear(&buffer);
        lam_status status = lam_json_string_print(&buffer, text, size, false, NULL);
        cr_assert_eq(status, good == size ? LAM_STATUS_OK : LAM_STATUS_INVALID);
        cr_assert(good < size || buffer.capacity - buffer.size >= LAM_JSON_ROOM_BEHIND_STRING);
        lam_buffer_clear(&buffer);
        cr_assert_eq(lam_json_string_print(&buffer, text, size, true, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_utf8_prefix(buffer.data, buffer.size), buffer.size);
        const char *content = (const char *)buffer.data + 1;
        cr_assert(lam_json_string_check(content, buffer.size - 2, &bad));
        size_t length = lam_json_string_unescape(content, buffer.size - 2, back);
        cr_assert(good < size || (length == size && memcmp(back, text, size) == 0), "seed %llu",
                  (unsigned long long)seed);
    }
    lam_buffer_finish(&buffer);
}

static lam_status print_escapes(void *state, const lam_allocator *allocator, lam_error *error) {
    static const char text[] = "\x01\x02\x03 a run of plain text between \x04\x05\x06\x07\"";
    lam_buffer buffer;
    (void)state;
    lam_buffer_init(&buffer, allocator);
    lam_status status = lam_json_string_print(&buffer, text, strlen(text), false, error);
    cr_assert(status != LAM_STATUS_OK ||
              buffer.capacity - buffer.size >= LAM_JSON_ROOM_BEHIND_STRING);
    lam_buffer_finish(&buffer);
    return status;
}

Test(json_string, escapes_that_there_is_no_room_for_are_refused) {
    lam_error error = lam_error_none();
    lam_buffer buffer = start();
    run_within_budgets(print_escapes, NULL, 300);
    run_without_each(print_escapes, NULL, 10);
    cr_expect_eq(lam_json_string_print(&buffer, "", SIZE_MAX, false, &error), LAM_STATUS_NOMEM);
    cr_expect_null(buffer.data);
}
