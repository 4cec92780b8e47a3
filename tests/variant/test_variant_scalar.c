/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars are written and read back as they were. */
#include "variant/value/variant_scalar.h"

#include "variant/random_variant.h"
#include "variant_help.h"

static bool same(const lam_variant_scalar *a, const lam_variant_scalar *b) {
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case LAM_VARIANT_NULL:
        return true;
    case LAM_VARIANT_BOOLEAN:
        return a->as.boolean == b->as.boolean;
    case LAM_VARIANT_FLOAT:
        return memcmp(&a->as.float32, &b->as.float32, 4) == 0;
    case LAM_VARIANT_DOUBLE:
        return memcmp(&a->as.float64, &b->as.float64, 8) == 0;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return a->as.decimal.low == b->as.decimal.low && a->as.decimal.high == b->as.decimal.high &&
               a->as.decimal.scale == b->as.decimal.scale;
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_STRING:
    case LAM_VARIANT_UUID:
        return a->as.bytes.size == b->as.bytes.size &&
               memcmp(a->as.bytes.data, b->as.bytes.data, a->as.bytes.size) == 0;
    default:
        return a->as.integer == b->as.integer;
    }
}

Test(variant_scalar, what_is_written_is_read_back) {
    uint64_t seed = lam_test_seed(77);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (unsigned i = 0; i < 20000; i++) {
        lam_variant_scalar scalar = lam_random_scalar(&random), back;
        lam_error error = lam_error_none();
        lam_buffer_clear(&out);
        cr_assert_eq(lam_variant_scalar_write(&out, &scalar, &error), LAM_STATUS_OK, "%s",
                     error.message);
        lam_variant variant = {{(const uint8_t *)"\x01\x00", 2}, lam_buffer_bytes(&out)};
        cr_assert_eq(lam_variant_validate(variant, 0, &error), LAM_STATUS_OK, "seed %llu: %s: %s",
                     (unsigned long long)seed, lam_variant_kind_name(scalar.kind), error.message);
        cr_assert_eq(lam_variant_get(variant, &back, NULL), LAM_STATUS_OK);
        cr_assert(same(&scalar, &back), "seed %llu: %s", (unsigned long long)seed,
                  lam_variant_kind_name(scalar.kind));
    }
    lam_buffer_finish(&out);
}

#if SIZE_MAX > UINT32_MAX
/* The bytes are not looked at. */
Test(variant_scalar, more_bytes_than_a_length_can_tell_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_buffer out;
    lam_variant_scalar scalar = {LAM_VARIANT_BINARY, {0}};
    scalar.as.bytes = (lam_bytes){(const uint8_t *)"", (size_t)UINT32_MAX + 1};
    lam_buffer_init(&out, &allocator);
    cr_expect_eq(lam_variant_scalar_write(&out, &scalar, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "variant: a value of more than 2^32 - 1 bytes");
    cr_expect_eq(out.size, 0);
    lam_buffer_finish(&out);
}
#endif
