/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema learned from JSON text: the text is records of that schema.
 *
 *     options (1 byte), JSON text
 */
#include <stdlib.h>

#include "fuzz/harness.h"
#include "fuzz/json_trip.h"
#include "json/inference_info.h"

enum { FEW_FIELDS = 5 };

/* A VARIANT does not hold everything: no number of 40 digits, no name twice. */
static bool has_variant(const lam_schema *schema) {
    for (size_t i = 0; i < lam_schema_field_count(schema); i++)
        if (lam_field_logical_type(lam_schema_field(schema, i))->kind == LAM_LOGICAL_VARIANT)
            return true;
    return false;
}

static void infer(lam_json_inference *inference, lam_bytes text, unsigned choice) {
    lam_error error = lam_error_none();
    lam_bytes left = text;
    lam_json_source source = lam_json_source_memory(&left);
    if (!lam_fuzz_judge(lam_json_inference_add(inference, &source, &error), &error,
                        LAM_FUZZ_OF_CALLER))
        return;
    lam_schema *schema;
    if (!lam_fuzz_judge(lam_json_inference_schema(inference, "schema", &schema, &error), &error,
                        LAM_FUZZ_OF_CALLER))
        return;
    lam_fuzz_json_text trip = {.schema = schema, .text = text, .must_fit = !has_variant(schema)};
    trip.options = lam_json_reader_options_default();
    trip.options.exact_integers = trip.options.exact_times = true;
    trip.options.whole_records = lam_test_json_info(inference).whole_records;
    trip.options.values_as_text = lam_test_json_info(inference).values_as_text;
    trip.piece = choice & 2 ? 5 : 0;
    LAM_FUZZ_EXPECT(lam_fuzz_json_trip(&trip) <= lam_test_json_info(inference).records);
    lam_schema_destroy(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    unsigned choice = (unsigned)lam_fuzz_number(&input, 1);
    lam_bytes text;
    uint8_t *block = lam_fuzz_rest(&input, &text);
    lam_allocator allocator = lam_fuzz_allocator();
    lam_json_inference_options options = lam_json_inference_options_default();
    options.max_fields = choice & 1 ? FEW_FIELDS : 0;
    options.on_clash = choice & 4 ? LAM_CLASH_STRING : LAM_CLASH_VARIANT;
    options.infer_decimals = (choice & 8) != 0;
    lam_json_inference *inference;
    LAM_FUZZ_OK(lam_json_inference_create(&options, &allocator, &inference, &fault));
    infer(inference, text, choice);
    lam_json_inference_destroy(inference);
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
