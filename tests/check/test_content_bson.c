/* SPDX-License-Identifier: Apache-2.0 */
/* BSON documents, whole and broken. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "check/content/content_bson.h"
#include "support/failing_alloc.h"

static lam_buffer made;

static void start(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&made, &allocator);
}

static void finish(void) {
    lam_buffer_finish(&made);
}

TestSuite(content_bson, .init = start, .fini = finish);

static lam_status check(lam_bytes document, lam_error *error) {
    lam_buffer nesting;
    lam_allocator allocator = lam_allocator_default();
    /* In a block of its own, so that a step beyond it is seen. */
    uint8_t *exact = malloc(document.size + (document.size == 0));
    if (document.size > 0)
        memcpy(exact, document.data, document.size);
    lam_buffer_init(&nesting, &allocator);
    lam_status status = lam_bson_check((lam_bytes){exact, document.size}, &nesting, error);
    cr_assert(status != LAM_STATUS_OK || nesting.size == 0);
    lam_buffer_finish(&nesting);
    free(exact);
    return status;
}

/* A document around the elements. */
static lam_bytes wrap(const char *elements, size_t size) {
    uint8_t bytes[4];
    lam_store_le32(bytes, (uint32_t)(size + 5));
    lam_buffer_clear(&made);
    cr_assert_eq(lam_buffer_append(&made, bytes, 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&made, elements, size, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append_byte(&made, 0, NULL), LAM_STATUS_OK);
    return lam_buffer_bytes(&made);
}

/* String literals may hold NULs; the one that ends them is left out. */
#define GOOD(ELEMENTS) expect(ELEMENTS, sizeof(ELEMENTS) - 1, NULL)
#define BAD(ELEMENTS, WORDS) expect(ELEMENTS, sizeof(ELEMENTS) - 1, WORDS)

static void expect(const char *elements, size_t size, const char *words) {
    lam_error error = lam_error_none();
    lam_status status = check(wrap(elements, size), &error);
    cr_assert_eq(status, words == NULL ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%s", error.message);
    cr_assert(words == NULL || strstr(error.message, words) != NULL, "%s", error.message);
}

Test(content_bson, every_type_has_its_length) {
    GOOD("");
    GOOD("\x01x\0"
         "12345678");
    GOOD("\x02x\0\2\0\0\0a\0");
    GOOD("\x02x\0\3\0\0\0\xC3\xBC\0");
    GOOD("\x03x\0\5\0\0\0\0");
    GOOD("\x04x\0\5\0\0\0\0");
    GOOD("\x05x\0\3\0\0\0\0abc");
    GOOD("\x05x\0\0\0\0\0\x80");
    GOOD("\x05x\0\7\0\0\0\x02\3\0\0\0abc");
    GOOD("\x06x\0");
    GOOD("\x07x\0"
         "123456789012");
    GOOD("\x08x\0\0\x08y\0\1");
    GOOD("\x09x\0"
         "12345678");
    GOOD("\x0Ax\0");
    GOOD("\x0Bx\0a.*\0i\0");
    GOOD("\x0Cx\0\1\0\0\0\0"
         "123456789012");
    GOOD("\x0Dx\0\2\0\0\0f\0");
    GOOD("\x0Ex\0\2\0\0\0f\0");
    GOOD("\x0Fx\0\x0F\0\0\0\2\0\0\0f\0\5\0\0\0\0");
    GOOD("\x10x\0"
         "1234");
    GOOD("\x11x\0"
         "12345678");
    GOOD("\x12x\0"
         "12345678");
    GOOD("\x13x\0"
         "1234567890123456");
    GOOD("\x7Fx\0\xFFy\0");
}

static const char nested[] = "\x03"
                             "d\0\x1B\0\0\0"
                             "\x04"
                             "a\0\x0C\0\0\0\x08"
                             "0\0\1\x0A"
                             "1\0\0"
                             "\x10"
                             "n\0"
                             "1234"
                             "\0"
                             "\x0A"
                             "z\0";

Test(content_bson, documents_nest) {
    expect(nested, sizeof nested - 1, NULL);
}

Test(content_bson, no_prefix_is_a_document_and_no_changed_size) {
    lam_error error = lam_error_none();
    lam_bytes whole = wrap(nested, sizeof nested - 1);
    for (size_t size = 0; size < whole.size; size++)
        cr_assert_eq(check((lam_bytes){whole.data, size}, &error), LAM_STATUS_INVALID, "%zu", size);
    static const size_t sizes[] = {0, 7, 14};
    for (size_t i = 0; i < 3; i++)
        for (int change = -3; change <= 3; change++) {
            made.data[sizes[i]] = (uint8_t)(made.data[sizes[i]] + change);
            cr_assert_eq(check(lam_buffer_bytes(&made), &error),
                         change == 0 ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%zu %d", sizes[i],
                         change);
            made.data[sizes[i]] = (uint8_t)(made.data[sizes[i]] - change);
        }
}

Test(content_bson, what_cannot_be_is_bad) {
    lam_error error = lam_error_none();
    cr_assert_eq(check((lam_bytes){NULL, 0}, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "0 bytes are not a document");
    BAD("\x14x\0", "a type that does not exist");
    BAD("\x0A", "a name without end");
    BAD("\x0Ax", "a name without end");
    BAD("\x0A\xFF\0", "not UTF-8");
    BAD("\x10x\0"
        "123",
        "no room");
    BAD("\x02x\0\0\0\0\0", "does not end with 00");
    BAD("\x02x\0\1\0\0\0a", "does not end with 00");
    BAD("\x02x\0\2\0\0\0\xFF\0", "not UTF-8");
    BAD("\x02x\0\xFF\xFF\xFF\xFF\0", "a negative size");
    BAD("\x02x\0\xFF\xFF\xFF\x7F\0", "no room");
    BAD("\x02x\0\1\0", "no room");
    BAD("\x08x\0\2", "neither 0 nor 1");
    BAD("\x05x\0\7\0\0\0\x02\4\0\0\0abc", "two sizes");
    BAD("\x05x\0\3\0\0\0\x02\0\0\0\0", "two sizes");
    BAD("\x05x\0\0\0\0\0", "no room");
    BAD("\x03x\0\4\0\0\0", "a size that cannot be");
    BAD("\x03x\0\x20\0\0\0\0", "a size that cannot be");
    BAD("\x03x\0\5\0\0\0\1", "does not end with 00");
    BAD("\x0Fx\0\x10\0\0\0\2\0\0\0f\0\5\0\0\0\0", "another size");
    BAD("\x0Bx\0a.*\0i", "a name without end");
}

/* Any bytes are no trouble: every byte of a document with every value. */
Test(content_bson, changed_bytes_are_harmless) {
    lam_error error = lam_error_none();
    lam_bytes whole = wrap(nested, sizeof nested - 1);
    for (size_t at = 0; at < whole.size; at++) {
        uint8_t kept = made.data[at];
        for (unsigned byte = 0; byte < 256; byte++) {
            made.data[at] = (uint8_t)byte;
            lam_status status = check(whole, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID);
        }
        made.data[at] = kept;
    }
}

/* Documents, each the only element of the one around it. */
Test(content_bson, nesting_has_no_limit) {
    enum { DEPTH = 100000, STEP = 7 }; /* the size, a type and an empty name, and the end */
    size_t size = (size_t)DEPTH * STEP + 5;
    uint8_t *bytes = calloc(size, 1);
    for (size_t i = 0; i <= DEPTH; i++) {
        lam_store_le32(bytes + 6 * i, (uint32_t)(size - STEP * i));
        if (i < DEPTH)
            bytes[6 * i + 4] = 3;
    }
    lam_error error = lam_error_none();
    cr_assert_eq(check((lam_bytes){bytes, size}, &error), LAM_STATUS_OK, "%s", error.message);
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer nesting;
    lam_buffer_init(&nesting, &allocator);
    cr_assert_eq(lam_bson_check((lam_bytes){bytes, size}, &nesting, NULL), LAM_STATUS_NOMEM);
    lam_buffer_finish(&nesting);
    free(bytes);
}

Test(content_bson, a_document_is_not_larger_than_its_size_can_say) {
    static const uint8_t empty[] = {5, 0, 0, 0, 0};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer nesting;
    lam_error error = lam_error_none();
    lam_buffer_init(&nesting, &allocator);
    cr_assert_eq(lam_bson_check((lam_bytes){empty, sizeof empty}, &nesting, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_bson_check((lam_bytes){empty, (size_t)INT32_MAX + 1}, &nesting, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "2147483648 bytes are not a document");
    lam_buffer_finish(&nesting);
}
