/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types that hold what the physical ones can, for files whose values do not keep to their logical
 * types.
 */
#include "arrow/schema/lenient_types.h"

#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <string.h>

#include "arrow/hand_arrays.h"
#include "support/test_file.h"

static void expect_formats(const char *message, const char *const *strict,
                           const char *const *lenient) {
    lam_buffer bytes = lam_test_file(message, "", NULL);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    for (int i = 0; i < 2; i++) {
        const char *const *formats = i == 0 ? strict : lenient;
        lam_arrow_read_options options = lam_arrow_read_options_default();
        struct ArrowSchema schema;
        options.lenient = i != 0;
        cr_assert_eq(lam_arrow_export_schema(reader, &options, &schema, NULL), LAM_STATUS_OK);
        for (int64_t at = 0; at < schema.n_children; at++)
            cr_assert_str_eq(schema.children[at]->format, formats[at]);
        schema.release(&schema);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

Test(lenient_types, types_hold_what_the_physical_ones_can) {
    static const char message[] =
        "message m { required int32 a (INTEGER(8,true)); optional int32 b (INTEGER(8,false));"
        " required int32 c (INTEGER(16,true)); required int32 d (INTEGER(16,false));"
        " required int32 e (INTEGER(32,false)); required int64 f (INTEGER(64,true));"
        " required int32 g (DECIMAL(5,2)); required int64 h (DECIMAL(5,2));"
        " required binary i (DECIMAL(38,3)); required fixed_len_byte_array(20) j (DECIMAL(39,3));"
        " required fixed_len_byte_array(2) k (DECIMAL(4,4)); required int64 l (DECIMAL(18,0)); }";
    static const char *const strict[] = {
        "c", "C", "s", "S", "I", "l", "d:5,2", "d:5,2", "d:38,3", "d:39,3,256", "d:4,4", "d:18,0"};
    static const char *const lenient[] = {"i",      "i",          "i",      "i",
                                          "I",      "l",          "d:10,2", "d:19,2",
                                          "d:38,3", "d:76,3,256", "d:38,4", "d:19,0"};
    expect_formats(message, strict, lenient);
}

/* A tensor of int16, a bool8 over int8 and what is shredded are none without their types. */
Test(lenient_types, extension_types_stay_what_they_are) {
    lam_arrow_plan plan;
    static const char *const columns[] = {
        "a:c<arrow.bool8>",
        "a:+w:2<arrow.fixed_shape_tensor|{\"shape\":[2]}>[x:s]",
    };
    for (size_t i = 0; i < 2; i++) {
        hand_writer hand = hand_open(columns[i]);
        lam_arrow_read_options options = lam_arrow_read_options_default();
        lam_reader *reader = hand_read(&hand);
        options.lenient = true;
        cr_assert_eq(lam_arrow_plan_read(&plan, reader, &options, NULL, NULL), LAM_STATUS_OK);
        const lam_arrow_field *field = plan.schema.children;
        cr_assert_gt(lam_arrow_extension_name(field).size, 0);
        while (field->child_count > 0)
            field = field->children;
        cr_assert_eq(field->type.kind, i == 0 ? LAM_ARROW_INT8 : LAM_ARROW_INT16);
        lam_arrow_plan_finish(&plan);
        lam_reader_close(reader);
        hand_close(&hand);
    }
}
