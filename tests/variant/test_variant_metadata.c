/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata is written with the narrowest offsets, its names in order. */
#include "variant/value/variant_metadata.h"

#include "support/random.h"
#include "variant_help.h"

Test(variant_metadata, names_are_put_together_with_the_narrowest_offsets) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_variant_metadata_writer writer;
    lam_bytes a = {(const uint8_t *)"abc", 3}, none = {NULL, 0};
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_variant_metadata_begin(&writer, 3, 6, false, &out, NULL), LAM_STATUS_OK);
    lam_variant_metadata_add(&writer, a);
    lam_variant_metadata_add(&writer, none);
    lam_variant_metadata_add(&writer, a);
    lam_bytes expected = hex_bytes("01 03 00 03 03 06 616263 616263");
    cr_assert_eq(out.size, expected.size);
    cr_expect_arr_eq(out.data, expected.data, expected.size);
    free((void *)(uintptr_t)expected.data);
    cr_expect_eq(lam_variant_metadata_begin(&writer, 1, UINT64_C(1) << 32, false, &out, NULL),
                 LAM_STATUS_LIMIT);
    lam_buffer_finish(&out);
}
