/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the functions that need JSON, in a build without it: takes the calls of value_text.h,
 * for values that become text, and those of whole_value.h, for fields that become one value, and
 * gives UNSUPPORTED.
 *
 * A reader that is shown in a union always fails where it would need text, and only there.
 */
#include "base/error.h"
#include "dataset/union/value_text.h"
#include "dataset/union/whole_value.h"

static lam_status fail_without_text(lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "values become text, and this build has no JSON");
}

lam_status lam_value_write_text(const lam_field *leaf, lam_value value, lam_buffer *text,
                                lam_error *error) {
    (void)leaf;
    (void)value;
    (void)text;
    return fail_without_text(error);
}

lam_status lam_value_write_variant(const lam_field *leaf, lam_value value, lam_buffer *bytes,
                                   lam_error *error) {
    (void)leaf;
    (void)value;
    (void)bytes;
    return fail_without_text(error);
}

lam_status lam_whole_value_create(const lam_field *source, lam_repetition repetition,
                                  bool is_variant, const lam_allocator *allocator,
                                  lam_whole_value **ret_whole, lam_error *error) {
    (void)source;
    (void)repetition;
    (void)is_variant;
    (void)allocator;
    (void)ret_whole;
    return fail_without_text(error);
}

void lam_whole_value_destroy(lam_whole_value *whole) {
    (void)whole;
}

lam_status lam_whole_value_begin(lam_whole_value *whole, lam_error *error) {
    (void)whole;
    return fail_without_text(error);
}

lam_status lam_whole_value_open(lam_whole_value *whole, const lam_field *group, lam_error *error) {
    (void)whole;
    (void)group;
    return fail_without_text(error);
}

lam_status lam_whole_value_put(lam_whole_value *whole, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    (void)whole;
    (void)leaf;
    (void)value;
    return fail_without_text(error);
}

lam_status lam_whole_value_close(lam_whole_value *whole, const lam_field *group, lam_error *error) {
    (void)whole;
    (void)group;
    return fail_without_text(error);
}

lam_status lam_whole_value_end(lam_whole_value *whole, lam_variant *ret_value, lam_error *error) {
    (void)whole;
    (void)ret_value;
    return fail_without_text(error);
}
