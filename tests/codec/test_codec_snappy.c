#include "codec/codec_snappy.h"

#include <criterion/criterion.h>
#include <string.h>

static lam_status decompress(const char *bytes, size_t size, uint8_t *out, size_t out_size) {
    lam_bytes in = {(const uint8_t *)bytes, size};
    return lam_snappy_decompress(in, out, out_size, NULL);
}

Test(codec_snappy, a_block_is_its_length_literals_and_copies) {
    /* Length 9; a literal of three bytes; a copy of six from three back. */
    uint8_t out[9];
    cr_assert_eq(decompress("\x09\x08"
                            "abc\x09\x03",
                            7, out, 9),
                 LAM_STATUS_OK);
    cr_assert_arr_eq(out, "abcabcabc", 9);
}

Test(codec_snappy, a_copy_from_before_the_start_is_corrupt) {
    uint8_t out[9];
    cr_assert_eq(decompress("\x09\x08"
                            "abc\x09\x04",
                            7, out, 9),
                 LAM_STATUS_CORRUPT);
}

Test(codec_snappy, a_length_of_4_gib_in_front_of_nothing_is_corrupt) {
    uint8_t out[9];
    cr_assert_eq(decompress("\xFF\xFF\xFF\xFF\x0F", 5, out, 9), LAM_STATUS_CORRUPT);
    cr_assert_eq(decompress("\xFF\xFF\xFF\xFF\xFF\x0F", 6, out, 9), LAM_STATUS_CORRUPT);
}
