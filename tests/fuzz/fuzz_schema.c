/* SPDX-License-Identifier: Apache-2.0 */
/* Message text of a schema: what parses prints as text that parses to the same tree. */
#include <stdlib.h>

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_schema *schema, *again;
    lam_bytes text;
    uint8_t *block = lam_fuzz_rest(&input, &text);
    lam_status status =
        lam_schema_parse((const char *)text.data, text.size, &allocator, &schema, &error);
    if (lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER)) {
        size_t length = lam_schema_print(schema, NULL, 0);
        char *printed = lam_fuzz_block(length + 1);
        LAM_FUZZ_EXPECT(lam_schema_print(schema, printed, length + 1) == length);
        LAM_FUZZ_EXPECT(printed[length] == '\0');
        LAM_FUZZ_OK(lam_schema_parse(printed, length, &allocator, &again, &fault));
        LAM_FUZZ_EXPECT(lam_schema_equals(schema, again));
        lam_schema_destroy(again);
        lam_schema_destroy(schema);
        free(printed);
    }
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
