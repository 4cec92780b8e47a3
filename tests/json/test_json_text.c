/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where records begin and end in a text: lines, documents, arrays, and texts that come in pieces or
 * break off.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "support/failing_alloc.h"
#include "json/parse/json_text.h"

/* Gives its text in pieces of `step` bytes. */
typedef struct slow_source {
    const char *text;
    size_t left;
    size_t step;
} slow_source;

static lam_status slow_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    slow_source *slow = state;
    size_t size = slow->left < slow->step ? slow->left : slow->step;
    (void)error;
    size = size < capacity ? size : capacity;
    memcpy(buffer, slow->text, size);
    slow->text += size;
    slow->left -= size;
    *ret_size = size;
    return LAM_STATUS_OK;
}

/* All pieces as "line:text|", and the failure at the end, if there is one. */
static void cut_bytes(const char *text, size_t size, size_t step, size_t limit, char *result,
                      size_t capacity) {
    slow_source slow = {text, size, step};
    lam_json_source source = {&slow, slow_read};
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_json_text cutter;
    lam_json_piece piece;
    lam_json_text_init(&cutter, &source, limit, &allocator);
    lam_status status;
    *result = '\0';
    while ((status = lam_json_text_next(&cutter, &piece, &error)) == LAM_STATUS_OK &&
           piece.text != NULL) {
        size_t used = strlen(result);
        snprintf(result + used, capacity - used, "%d:%.*s|", (int)piece.line, (int)piece.size,
                 piece.text);
    }
    if (status != LAM_STATUS_OK) {
        size_t used = strlen(result);
        snprintf(result + used, capacity - used, "!%s", error.message);
    }
    lam_json_text_finish(&cutter);
}

static void cut(const char *text, size_t step, size_t limit, char *result, size_t capacity) {
    cut_bytes(text, strlen(text), step, limit, result, capacity);
}

/* The same text in UTF-16, the low byte first or the high one, gives the same pieces. */
static void expect_pieces_of_utf16(const char *text, size_t step, const char *expected) {
    size_t size = strlen(text);
    char *wide = malloc(2 * size + 2), result[1024];
    for (int low = 0; low < 2; low++) {
        memcpy(wide, low == 0 ? "\xFF\xFE" : "\xFE\xFF", 2);
        for (size_t i = 0; i < size; i++) {
            wide[2 + 2 * i + (size_t)low] = text[i];
            wide[3 + 2 * i - (size_t)low] = '\0';
        }
        cut_bytes(wide, 2 * size + 2, step, 1 << 20, result, sizeof result);
        cr_expect_str_eq(result, expected, "%s\nin UTF-16 by %zu gave\n%s", text, step, result);
    }
    free(wide);
}

static void expect_pieces(const char *text, const char *expected) {
    for (size_t step = 1; step <= 64; step = step * 2 + 1) {
        char result[1024];
        cut(text, step, 1 << 20, result, sizeof result);
        cr_expect_str_eq(result, expected, "%s\nin steps of %zu gave\n%s", text, step, result);
        if ((unsigned char)text[0] < 0x80)
            expect_pieces_of_utf16(text, step, expected);
    }
}

Test(json_text, lines_of_records) {
    expect_pieces("", "");
    expect_pieces(" \n\r\n \t", "");
    expect_pieces("{\"a\":1}", "1:{\"a\":1}|");
    expect_pieces("{\"a\":1}\n{\"a\":2}\n", "1:{\"a\":1}|2:{\"a\":2}|");
    expect_pieces("\n\n{\"a\":1}\n\n \n{\"a\":2}", "3:{\"a\":1}|6:{\"a\":2}|");
    expect_pieces("{}\r\n{}\r\n", "1:{}\r|2:{}\r|");
    expect_pieces("\xEF\xBB\xBF{}\n{}", "1:{}|2:{}|");
}

Test(json_text, broken_lines_stay_lines) {
    expect_pieces("1\n{}\n", "1:1|2:{}|");
    expect_pieces("{\"a\n{}\n", "1:{\"a|2:{}|");
    expect_pieces("{}x\n{}\n", "1:{}x|2:{}|");
    expect_pieces("{}\n{\"a\":\n{}\n", "1:{}|2:{\"a\":|3:{}|");
    expect_pieces("{}\n{", "1:{}|2:{|");
    expect_pieces("x{\n{}", "1:x{|2:{}|");
    expect_pieces("{", "1:{|");
}

Test(json_text, documents_that_span_lines) {
    expect_pieces("{\n \"a\": 1\n}\n", "1:{\n \"a\": 1\n}|");
    expect_pieces("{}\n{}\r\n{ \r\n\"a\":1}\n{}", "1:{}|2:{}\r|3:{ \r\n\"a\":1}|5:{}|");
    expect_pieces("{}\n[\n{},\n{}]", "1:{}|3:{}|4:{}|");
    expect_pieces("{\n}\n{\n}{}", "1:{\n}|3:{\n}|4:{}|");
    expect_pieces("{} {\"b\":[1,{}]}\n", "1:{}|1:{\"b\":[1,{}]}|");
    expect_pieces("{\n\"a\":\"}\\\"{\"}", "1:{\n\"a\":\"}\\\"{\"}|");
    expect_pieces("{\n\"a\":[\n", "1:{\n\"a\":[\n|");
}

Test(json_text, arrays_of_records) {
    expect_pieces("[]", "");
    expect_pieces("[{\"a\":1},{\"a\":2}]", "1:{\"a\":1}|1:{\"a\":2}|");
    expect_pieces(" [\n {\"a\":\n1} ,\n {}\n]\n", "2:{\"a\":\n1}|4:{}|");
    expect_pieces("[{}]\n[{}]", "1:{}|2:{}|");
    expect_pieces("[1,\"a,]\",null,[1],true]", "1:1|1:\"a,]\"|1:null|1:[1]|1:true|");
    expect_pieces("[] {\"a\":1} []", "1:{\"a\":1}|");
}

Test(json_text, broken_documents_end_with_a_failure) {
    expect_pieces("[{},]", "1:{}|!line 1: expected a record after the comma, found ']'");
    expect_pieces("[{}\n{}]", "1:{}|!line 2: expected a comma or ] after a record, found '{'");
    expect_pieces("[,{}]", "!line 1: expected a record, found ','");
    expect_pieces("[", "!line 1: expected a record, found the end");
    expect_pieces("[{}", "1:{}|!line 1: expected a comma or ] after a record, found the end");
    expect_pieces("[{},\n", "1:{}|!line 2: expected a record after the comma, found the end");
    expect_pieces("[{}]]", "1:{}|!line 1: expected a record, found ']'");
    expect_pieces("{\n}}", "1:{\n}|!line 2: expected a record, found '}'");
    expect_pieces("[\n}", "!line 2: expected a record, found '}'");
    expect_pieces("[:1]", "!line 1: expected a record, found ':'");
    expect_pieces("[1}", "1:1|!line 1: expected a comma or ] after a record, found '}'");
    expect_pieces("[1 2]", "1:1|!line 1: expected a comma or ] after a record, found '2'");
    expect_pieces("[{}\x01]",
                  "1:{}|!line 1: expected a comma or ] after a record, found byte 0x01");
    expect_pieces("[{}\x7F]",
                  "1:{}|!line 1: expected a comma or ] after a record, found byte 0x7f");
}

/* A NUL is a byte like others, and no end of the text. */
Test(json_text, bytes_of_zero_are_no_records) {
    static const struct {
        const char *text;
        size_t size;
        const char *expected;
    } cases[] = {
        {"[\0]", 3, "!line 1: expected a record, found byte 0x00"},
        {"[{},\0]", 6, "1:{}|!line 1: expected a record after the comma, found byte 0x00"},
        {"{\n}\n\0", 5, "1:{\n}|!line 3: expected a record, found byte 0x00"},
        {"[{}]\0", 5, "1:{}|!line 1: expected a record, found byte 0x00"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step < 9; step += 7) {
            char result[256];
            cut_bytes(cases[i].text, cases[i].size, step, 100, result, sizeof result);
            cr_expect_str_eq(result, cases[i].expected, "%zu gave %s", i, result);
        }
}

Test(json_text, only_lines_does_not_look_for_documents) {
    static const char *const texts[] = {"[1]\n{}\n", "{\n}\n"};
    static const char *const expected[] = {"[1]", "{"};
    for (size_t i = 0; i < 2; i++) {
        slow_source slow = {texts[i], strlen(texts[i]), 3};
        lam_json_source source = {&slow, slow_read};
        lam_allocator allocator = lam_allocator_default();
        lam_json_text cutter;
        lam_json_piece piece;
        lam_json_text_init(&cutter, &source, 1 << 20, &allocator);
        cutter.only_lines = true;
        cr_assert_eq(lam_json_text_next(&cutter, &piece, NULL), LAM_STATUS_OK);
        cr_expect(piece.size == strlen(expected[i]) &&
                  memcmp(piece.text, expected[i], piece.size) == 0);
        cr_assert_eq(lam_json_text_next(&cutter, &piece, NULL), LAM_STATUS_OK);
        cr_expect_eq(piece.line, 2);
        lam_json_text_finish(&cutter);
    }
}

/*
 * Records of which two do not fit into the longest window: behind the second, what is left of the
 * third moves to the beginning, though it is more than was handed out.
 */
Test(json_text, what_is_left_moves_where_the_window_cannot_grow) {
    enum { LIMIT = 400 * 1024, COUNT = 3 };
    static const size_t sizes[COUNT] = {399 * 1024, 200 * 1024, 399 * 1024};
    char *text = malloc(COUNT * (LIMIT + 1)), *end = text;
    for (size_t i = 0; i < COUNT; i++) {
        memset(end, 'a' + (int)i, sizes[i]);
        end[sizes[i]] = '\n';
        end += sizes[i] + 1;
    }
    slow_source slow = {text, (size_t)(end - text), 4096};
    lam_json_source source = {&slow, slow_read};
    lam_allocator allocator = lam_allocator_default();
    lam_json_text cutter;
    lam_json_piece piece;
    const char *at = text;
    lam_json_text_init(&cutter, &source, LIMIT, &allocator);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(lam_json_text_next(&cutter, &piece, NULL), LAM_STATUS_OK);
        cr_assert_eq(piece.size, sizes[i]);
        cr_assert_eq(memcmp(piece.text, at, sizes[i]), 0);
        at += sizes[i] + 1;
    }
    cr_assert_eq(lam_json_text_next(&cutter, &piece, NULL), LAM_STATUS_OK);
    cr_expect_null(piece.text);
    lam_json_text_finish(&cutter);
    free(text);
}

Test(json_text, a_record_beyond_the_limit) {
    size_t size = 3 << 20;
    char *text = malloc(size + 1), result[1024];
    memset(text, 'x', size);
    text[0] = '\n';
    text[size] = '\0';
    cut(text, 1 << 16, 1 << 20, result, sizeof result);
    cr_expect_str_eq(result, "!line 2: the record is longer than the limit of 1048576 bytes");
    memcpy(text, "[\"", 2);
    cut(text, 1 << 16, 1 << 20, result, sizeof result);
    cr_expect_str_eq(result, "!line 1: the record is longer than the limit of 1048576 bytes");
    cut("{}\n{\"a\":1234}\n", 64, 5, result, sizeof result);
    cr_expect_str_eq(result, "1:{}|!line 2: the record is longer than the limit of 5 bytes");
    free(text);
}

Test(json_text, memory_stays_near_the_largest_record) {
    enum { LINES = 300000 };
    static const char line[] = "{\"a\":\"0123456789 0123456789 0123456789\"}\n";
    size_t size = strlen(line), count = 0;
    char *text = malloc(LINES * size);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + i * size, line, size);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    slow_source slow = {text, LINES * size, 100000};
    lam_json_source source = {&slow, slow_read};
    lam_json_text cutter;
    lam_json_piece piece;
    lam_json_text_init(&cutter, &source, 1 << 20, &allocator);
    while (lam_json_text_next(&cutter, &piece, NULL) == LAM_STATUS_OK && piece.text != NULL) {
        cr_assert_eq(piece.size, size - 1);
        cr_assert_eq(piece.line, ++count);
    }
    cr_expect_eq(count, LINES);
    cr_expect_lt(counter.peak_bytes, 1 << 20);
    lam_json_text_finish(&cutter);
    cr_expect_eq(counter.live_bytes, 0);
    free(text);
}

static lam_status refuse_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                              lam_error *error) {
    (void)state, (void)buffer, (void)capacity, (void)error;
    *ret_size = 7;
    return LAM_STATUS_IO;
}

Test(json_text, a_failing_source_is_passed_on) {
    lam_json_source source = {NULL, refuse_read};
    lam_allocator allocator = lam_allocator_default();
    lam_json_text cutter;
    lam_json_piece piece;
    lam_json_text_init(&cutter, &source, 1 << 20, &allocator);
    cr_expect_eq(lam_json_text_next(&cutter, &piece, NULL), LAM_STATUS_IO);
    cr_expect(cutter.failed);
    lam_json_text_finish(&cutter);
}

/* --- Sources that fail ------------------------------------------------------------------------ */

/* Gives its text byte by byte, until a read fails. */
typedef struct ending_source {
    const char *text;
    size_t left;
    size_t reads, fail_at; /* the read that fails, from 1 */
} ending_source;

static lam_status ending_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                              lam_error *error) {
    ending_source *ending = state;
    (void)capacity;
    *ret_size = 0;
    if (++ending->reads == ending->fail_at)
        return lam_error_set(error, LAM_STATUS_IO, "read %zu", ending->reads);
    if (ending->left == 0)
        return LAM_STATUS_OK;
    memcpy(buffer, ending->text++, 1);
    ending->left--;
    *ret_size = 1;
    return LAM_STATUS_OK;
}

/* Each read fails in turn; gives the reads that there are. */
static size_t fail_each_read(const char *text, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    for (size_t fail_at = 1;; fail_at++) {
        ending_source ending = {text, size, 0, fail_at};
        lam_json_source source = {&ending, ending_read};
        lam_error error = lam_error_none();
        char expected[32];
        lam_json_text cutter;
        lam_json_piece piece;
        lam_json_text_init(&cutter, &source, 1 << 20, &allocator);
        lam_status status;
        do
            status = lam_json_text_next(&cutter, &piece, &error);
        while (status == LAM_STATUS_OK && piece.text != NULL);
        lam_json_text_finish(&cutter);
        if (status == LAM_STATUS_OK)
            return fail_at - 1;
        snprintf(expected, sizeof expected, "read %zu", fail_at);
        cr_assert_eq(status, LAM_STATUS_IO, "%s", error.message);
        cr_assert_str_eq(error.message, expected);
        cr_assert(cutter.failed && ending.reads == fail_at);
    }
}

Test(json_text, a_source_that_fails_at_any_read_is_passed_on) {
    static const char *const texts[] = {"{}\n\n {}\n", "     {}\n", "[ { } , 1 , [ ] ] \n [ ] ",
                                        "{\n}\n {} [1]\n", "{} {}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t size = strlen(texts[i]);
        char wide[64] = "\xFF\xFE";
        cr_expect_geq(fail_each_read(texts[i], size), size);
        for (size_t j = 0; j < size; j++)
            wide[2 + 2 * j] = texts[i][j];
        cr_expect_geq(fail_each_read(wide, 2 + 2 * size), 2 + 2 * size);
    }
}

static lam_status read_too_much(void *state, void *buffer, size_t capacity, size_t *ret_size,
                                lam_error *error) {
    (void)state, (void)error;
    memset(buffer, ' ', capacity);
    *ret_size = capacity + 1;
    return LAM_STATUS_OK;
}

Test(json_text, a_source_that_claims_more_than_there_is_room_for_is_refused) {
    lam_json_source source = {NULL, read_too_much};
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_json_text cutter;
    lam_json_piece piece;
    lam_json_text_init(&cutter, &source, 1 << 20, &allocator);
    cr_expect_neq(lam_json_text_next(&cutter, &piece, &error), LAM_STATUS_OK);
    cr_expect_str_eq(error.message, "the source returned more bytes than requested");
    lam_json_text_finish(&cutter);
}

Test(json_text, a_character_of_utf16_that_is_cut_is_named_with_its_place) {
    char result[128];
    cut_bytes("\xFF\xFE{", 3, 1, 100, result, sizeof result);
    cr_expect_str_eq(result, "!line 1, column 1: the text ends inside a character of UTF-16");
    cut_bytes("\xFF\xFE{\0}\0\n\0}", 9, 7, 100, result, sizeof result);
    cr_expect_str_eq(result, "1:{}|!line 2, column 1: the text ends inside a character of UTF-16");
}

Test(json_text, half_a_character_of_utf16_is_named_with_its_place) {
    static const struct {
        const char *text;
        size_t size;
        const char *expected;
    } cases[] = {
        {"\xFF\xFE{\0}\0\x34\xD8{\0", 10,
         "!line 1, column 3: the surrogate U+D834 has no other half in UTF-16"},
        {"\xFF\xFE\n\0{\0}\0\n\0{\0\0\xDC", 14,
         "2:{}|!line 3, column 2: the surrogate U+DC00 has no other half in UTF-16"},
        {"\xFE\xFF\xD8\x00\0{", 6,
         "!line 1, column 1: the surrogate U+D800 has no other half in UTF-16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step < 30; step += 28) {
            char result[256];
            cut_bytes(cases[i].text, cases[i].size, step, 100, result, sizeof result);
            cr_expect_str_eq(result, cases[i].expected, "%zu by %zu: %s", i, step, result);
        }
}
