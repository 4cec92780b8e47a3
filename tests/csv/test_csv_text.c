/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 and UTF-16 texts, with byte order marks and in pieces, become UTF-8. */
#include "csv/csv_text.h"

#include "base/alloc.h"
#include "csv_help.h"

static lam_status read_text(const char *bytes, size_t size, size_t piece, size_t max_bytes,
                            char *ret_text, lam_error *error) {
    csv_pieces pieces = {bytes, size, piece};
    lam_csv_source source = source_of(&pieces);
    lam_allocator heap = lam_allocator_or_default(NULL);
    lam_csv_text text;
    lam_csv_text_init(&text, &source, max_bytes, &heap);
    lam_status status;
    do {
        status = lam_csv_text_fill(&text, error);
    } while (status == LAM_STATUS_OK && !text.is_at_end);
    size_t kept = text.bytes.size < 1000 ? text.bytes.size : 0;
    if (status == LAM_STATUS_OK) {
        memcpy(ret_text, text.bytes.data, kept);
        for (size_t i = 0; i < LAM_CSV_PADDING; i++)
            cr_expect_eq(text.bytes.data[text.bytes.size + i], 0);
    }
    ret_text[kept] = '\0';
    lam_csv_text_finish(&text);
    return status;
}

static void expect_text(const char *bytes, size_t size, const char *expected) {
    char text[1024];
    for (size_t piece = 0; piece < 5; piece++) {
        lam_error error = lam_error_none();
        cr_assert_eq(read_text(bytes, size, piece, 1 << 20, text, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_expect_str_eq(text, expected);
    }
}

#define EXPECT_TEXT(bytes, expected) expect_text(bytes, sizeof bytes - 1, expected)

Test(csv_text, text_without_a_mark_is_as_it_is) {
    EXPECT_TEXT("", "");
    EXPECT_TEXT("a", "a");
    EXPECT_TEXT("\xef\xbb", "\xef\xbb");
    EXPECT_TEXT("a,b\nc,d", "a,b\nc,d");
}

Test(csv_text, a_byte_order_mark_of_utf8_is_taken_off_once) {
    EXPECT_TEXT("\xef\xbb\xbf", "");
    EXPECT_TEXT("\xef\xbb\xbf"
                "a,b",
                "a,b");
    EXPECT_TEXT("\xef\xbb\xbf\xef\xbb\xbf", "\xef\xbb\xbf");
}

Test(csv_text, utf16_of_both_orders_becomes_utf8) {
    EXPECT_TEXT("\xff\xfe", "");
    EXPECT_TEXT("\xff\xfe"
                "a\0,\0\xe9\0\xac\x20\x3d\xd8\x00\xde\n\0",
                "a,\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
    EXPECT_TEXT("\xfe\xff"
                "\0a\0,\0\xe9\x20\xac\xd8\x3d\xde\x00\0\n",
                "a,\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
}

Test(csv_text, utf16_that_is_broken_is_refused) {
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {{"\xff\xfe"
                  "a",
                  3},
                 {"\xff\xfe\x3d\xd8", 4},
                 {"\xff\xfe\x3d\xd8"
                  "a\0",
                  6},
                 {"\xff\xfe\x00\xde", 4},
                 {"\xfe\xff\xd8\x3d\xd8\x3d", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 0; piece < 3; piece++) {
            char text[1024];
            lam_error error = lam_error_none();
            cr_expect_eq(read_text(cases[i].bytes, cases[i].size, piece, 1 << 20, text, &error),
                         LAM_STATUS_INVALID, "case %zu", i);
            cr_expect(strstr(error.message, "UTF-16") != NULL, "%s", error.message);
        }
}

Test(csv_text, long_utf16_is_whole) {
    enum { UNITS = 300000 };
    char *bytes = malloc(2 + 2 * UNITS);
    lam_error error = lam_error_none();
    memcpy(bytes, "\xff\xfe", 2);
    for (size_t i = 0; i < UNITS; i++)
        memcpy(bytes + 2 + 2 * i, "\xac\x20", 2); /* three bytes of UTF-8 each */
    csv_pieces pieces = {bytes, 2 + 2 * UNITS, 999};
    lam_csv_source source = source_of(&pieces);
    lam_csv_text window;
    lam_allocator heap = lam_allocator_or_default(NULL);
    lam_csv_text_init(&window, &source, 1 << 20, &heap);
    while (!window.is_at_end)
        cr_assert_eq(lam_csv_text_fill(&window, &error), LAM_STATUS_OK, "%s", error.message);
    cr_expect_eq(window.bytes.size, 3 * UNITS);
    for (size_t i = 0; i < window.bytes.size; i += 3)
        cr_assert_eq(memcmp(window.bytes.data + i, "\xe2\x82\xac", 3), 0);
    lam_csv_text_finish(&window);
    free(bytes);
}

Test(csv_text, a_window_that_would_pass_the_limit_of_a_record_is_refused) {
    size_t size = (size_t)3 << 20;
    char *bytes = malloc(size + 1), text[1024];
    lam_error error = lam_error_none();
    memset(bytes, 'a', size);
    cr_expect_eq(read_text(bytes, size, 0, 1 << 20, text, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "a record has more than 1048576 bytes");
    free(bytes);
}
