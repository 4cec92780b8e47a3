/* SPDX-License-Identifier: Apache-2.0 */
/* Names of encodings, and which physical types each goes with. */
#include "encoding/encoding.h"

#include <criterion/criterion.h>

Test(encoding, names_are_those_of_the_format) {
    cr_assert_str_eq(lam_encoding_name(LAM_ENCODING_PLAIN), "PLAIN");
    cr_assert_str_eq(lam_encoding_name(LAM_ENCODING_RLE_DICTIONARY), "RLE_DICTIONARY");
    cr_assert_str_eq(lam_encoding_name(LAM_ENCODING_ALP), "ALP");
    cr_assert_str_eq(lam_encoding_name((lam_encoding)1), "UNKNOWN");
    cr_assert_str_eq(lam_encoding_name((lam_encoding)-1), "UNKNOWN");
    cr_assert_str_eq(lam_encoding_type_name(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY),
                     "FIXED_LEN_BYTE_ARRAY");
    cr_assert_str_eq(lam_encoding_type_name((lam_physical_type)99), "UNKNOWN");
}

Test(encoding, types_go_with_encodings_as_the_specification_says) {
    for (int type = LAM_PHYSICAL_BOOLEAN; type <= LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY; type++) {
        lam_physical_type t = (lam_physical_type)type;
        bool is_int = t == LAM_PHYSICAL_INT32 || t == LAM_PHYSICAL_INT64;
        bool is_float = t == LAM_PHYSICAL_FLOAT || t == LAM_PHYSICAL_DOUBLE;
        bool is_bytes = t == LAM_PHYSICAL_BYTE_ARRAY,
             is_fixed = t == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
        cr_assert(lam_encoding_takes(LAM_ENCODING_PLAIN, t));
        cr_assert(lam_encoding_takes(LAM_ENCODING_PLAIN_DICTIONARY, t));
        cr_assert(lam_encoding_takes(LAM_ENCODING_RLE_DICTIONARY, t));
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_RLE, t), t == LAM_PHYSICAL_BOOLEAN);
        cr_assert_not(lam_encoding_takes(LAM_ENCODING_BIT_PACKED, t));
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_DELTA_BINARY_PACKED, t), is_int);
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, t), is_bytes);
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_DELTA_BYTE_ARRAY, t), is_bytes || is_fixed);
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_BYTE_STREAM_SPLIT, t),
                     is_int || is_float || is_fixed);
        cr_assert_eq(lam_encoding_takes(LAM_ENCODING_ALP, t), is_float);
    }
    cr_assert_not(lam_encoding_takes(LAM_ENCODING_PLAIN, LAM_PHYSICAL_GROUP));
    cr_assert_not(lam_encoding_takes((lam_encoding)77, LAM_PHYSICAL_INT32));
}
