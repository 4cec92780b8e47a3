/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text as records of any schema.
 *
 *     options (1 byte), schema as message text, a NUL, JSON text
 */
#include <stdlib.h>

#include "fuzz/harness.h"
#include "fuzz/json_trip.h"

enum { SMALL_RECORD = 96, LEAVES_MAX = 4096 };

static void read_text(const lam_schema *schema, unsigned choice, lam_bytes text) {
    lam_fuzz_json_text trip = {.schema = schema, .text = text};
    trip.options = lam_json_reader_options_default();
    trip.options.binary = (lam_json_binary)((choice & 3) % 3);
    trip.options.ignore_unknown = choice & 4;
    trip.options.exact_integers = choice & 8;
    trip.options.max_record_bytes = choice & 16 ? SMALL_RECORD : 0;
    trip.piece = choice & 32 ? 7 : 0;
    trip.options.whole_records = choice & 64;
    trip.options.nearest_numbers = choice & 128;
    lam_fuzz_json_trip(&trip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    unsigned choice = (unsigned)lam_fuzz_number(&input, 1);
    lam_bytes rest;
    uint8_t *block = lam_fuzz_rest(&input, &rest);
    const uint8_t *nul = rest.size == 0 ? NULL : memchr(rest.data, 0, rest.size);
    lam_allocator allocator = lam_fuzz_allocator();
    lam_schema *schema;
    if (nul != NULL && lam_schema_parse((const char *)rest.data, (size_t)(nul - rest.data),
                                        &allocator, &schema, NULL) == LAM_STATUS_OK) {
        lam_bytes text = {nul + 1, rest.size - (size_t)(nul + 1 - rest.data)};
        if (lam_schema_leaf_count(schema) <= LEAVES_MAX)
            read_text(schema, choice, text);
        lam_schema_destroy(schema);
    }
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
