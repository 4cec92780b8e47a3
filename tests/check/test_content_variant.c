/* Metadata and values of VARIANT, as far as they are looked at. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check/contents.h"

typedef lam_status (*variant_check)(lam_bytes bytes, lam_error *error);

static lam_status check(variant_check how, const char *bytes, size_t size, lam_error *error) {
    /* In a block of its own, so that a step beyond it is seen. */
    uint8_t *exact = malloc(size + (size == 0));
    memcpy(exact, bytes, size);
    lam_status status = how((lam_bytes){exact, size}, error);
    free(exact);
    return status;
}

/* Good as it stands, and with a byte less or more it is not. */
static void expect_good(variant_check how, const char *bytes, size_t size) {
    lam_error error = lam_error_none();
    char more[80] = "";
    cr_assert_eq(check(how, bytes, size, &error), LAM_STATUS_OK, "%s", error.message);
    for (size_t less = 0; less < size; less++)
        cr_assert_eq(check(how, bytes, less, &error), LAM_STATUS_INVALID, "%zu", less);
    cr_assert_lt(size, sizeof more);
    memcpy(more, bytes, size);
    cr_assert_eq(check(how, more, size + 1, &error), LAM_STATUS_INVALID);
}

static void expect_bad(variant_check how, const char *bytes, size_t size, const char *words) {
    lam_error error = lam_error_none();
    cr_assert_eq(check(how, bytes, size, &error), LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
}

#define METADATA(BYTES) expect_good(lam_variant_metadata_check, BYTES, sizeof(BYTES) - 1)
#define NO_METADATA(BYTES, WORDS)                                                                  \
    expect_bad(lam_variant_metadata_check, BYTES, sizeof(BYTES) - 1, WORDS)
#define VALUE(BYTES) expect_good(lam_variant_value_check, BYTES, sizeof(BYTES) - 1)
#define NO_VALUE(BYTES, WORDS) expect_bad(lam_variant_value_check, BYTES, sizeof(BYTES) - 1, WORDS)

Test(content_variant, metadata_is_a_list_of_names) {
    METADATA("\x01\0\0");
    METADATA("\x11\2\0\1\3"
             "abc");
    METADATA("\x01\1\0\2\xC3\xBC");
    METADATA("\x41\1\0\0\0\1\0"
             "a");
    METADATA("\x81\1\0\0\0\0\0\1\0\0"
             "a");
    METADATA("\xC1\1\0\0\0\0\0\0\0\1\0\0\0"
             "a");
    METADATA("\x21\0\0"); /* a bit that readers ignore */
    METADATA("\x01\2\0\1\1"
             "a");
}

Test(content_variant, metadata_that_is_none_is_bad) {
    NO_METADATA("", "no bytes");
    NO_METADATA("\x02\0\0", "version 2");
    NO_METADATA("\x00\0\0", "version 0");
    NO_METADATA("\x01\1\1\1"
                "a",
                "offset 0");
    NO_METADATA("\x01\2\0\2\1"
                "ab",
                "offset 2 of the names is 1, behind 2");
    NO_METADATA("\x01\1\0\1\xC3", "not UTF-8");
    NO_METADATA("\xC1\xFF\xFF\xFF\xFF\0\0\0\0", "offsets in");
    NO_METADATA("\xC1\xFF\xFF\xFF", "lack the number of names");
}

Test(content_variant, primitive_values_have_their_sizes) {
    static const char sizes[] = {0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, -1, -1, 8, 8, 8, 16};
    char bytes[32] = "";
    for (size_t type = 0; type < sizeof sizes; type++) {
        bytes[0] = (char)(type << 2);
        if (sizes[type] >= 0)
            expect_good(lam_variant_value_check, bytes, (size_t)sizes[type] + 1);
    }
    NO_VALUE("", "no bytes");
    NO_VALUE("\x54", "primitive type 21");
    NO_VALUE("\xFC", "primitive type 63");
}

Test(content_variant, strings_and_binary_state_their_sizes) {
    VALUE("\x01");
    VALUE("\x0D"
          "abc");
    VALUE("\x40\2\0\0\0\xC3\xBC");
    VALUE("\x3C\2\0\0\0\xFF\xFF");
    NO_VALUE("\x05\xFF", "not UTF-8");
    NO_VALUE("\x40\1\0\0\0\xFF", "not UTF-8");
    NO_VALUE("\x40\xFF\xFF\xFF\xFF"
             "a",
             "a long value of 4294967300 bytes in 6");
}

Test(content_variant, objects_and_arrays_end_where_their_last_offset_says) {
    VALUE("\x02\0\0");                   /* {} */
    VALUE("\x03\0\0");                   /* [] */
    VALUE("\x02\1\0\0\2\x0C\x07");       /* one name, one byte */
    VALUE("\x42\1\0\0\0\0\0\2\x0C\x07"); /* its number of elements in 4 bytes */
    VALUE("\x12\1\0\0\0\2\x0C\x07");     /* the name's number in 2 bytes */
    VALUE("\x03\2\0\1\2\0\0");           /* [null, null] */
    VALUE("\x13\1\0\0\0\0\1\0");         /* its number of elements in 4 bytes */
    VALUE("\x07\1\0\0\1\0\0");           /* offsets of two bytes */
    NO_VALUE("\x13\xFF\xFF\xFF\xFF\0\0\0", "4294967295 elements in 8 bytes");
    NO_VALUE("\x42\1\0", "lack the number of elements");
    NO_VALUE("\x02\1\0\0\3\x0C\x07", "an object of 8 bytes in 7");
}
