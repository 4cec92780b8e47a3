/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every message of the metadata: reads it, writes it, and reads that again.
 *
 *     which message (1 byte), its bytes
 */
#include <stdlib.h>

#include "fuzz/harness.h"
#include "meta/any_message.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"

enum { BUDGET = 16 << 20 };

/* What is written of a message that was read is the same as what is written of that. */
static void rewrite(const lam_test_message *kind, const lam_test_any *message) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_buffer first, second;
    lam_arena arena;
    lam_test_any again;
    size_t size;
    lam_buffer_init(&first, &allocator);
    lam_buffer_init(&second, &allocator);
    lam_arena_init(&arena, &allocator, 0);
    LAM_FUZZ_OK(kind->write(message, &first, &fault));
    LAM_FUZZ_OK(kind->read(lam_buffer_bytes(&first), &arena, &again, &size, &fault));
    LAM_FUZZ_EXPECT(size == first.size);
    LAM_FUZZ_OK(kind->write(&again, &second, &fault));
    LAM_FUZZ_EXPECT(first.size == second.size);
    LAM_FUZZ_EXPECT(memcmp(first.data, second.data, first.size) == 0);
    lam_arena_finish(&arena);
    lam_buffer_finish(&first);
    lam_buffer_finish(&second);
}

/* A tree that comes from a footer survives the way through one. */
static void import_schema(const lam_meta_schema_element_list *elements) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_schema *schema, *again;
    if (!lam_fuzz_judge(lam_meta_schema_import(elements, &allocator, &schema, &error), &error,
                        LAM_FUZZ_OF_FILE))
        return;
    lam_meta_file file = {0}, read;
    lam_buffer bytes;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&bytes, &allocator);
    LAM_FUZZ_OK(lam_meta_schema_export(schema, &arena, &file.schema, &fault));
    LAM_FUZZ_OK(lam_meta_write_file(&file, &bytes, &fault));
    LAM_FUZZ_OK(lam_meta_read_file(lam_buffer_bytes(&bytes), &arena, &read, &fault));
    LAM_FUZZ_OK(lam_meta_schema_import(&read.schema, &allocator, &again, &fault));
    LAM_FUZZ_EXPECT(lam_schema_equals(schema, again));
    lam_buffer_finish(&bytes);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
    lam_schema_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    const lam_test_message *kind =
        &lam_test_messages[lam_fuzz_number(&input, 1) % LAM_TEST_MESSAGES];
    lam_bytes bytes;
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_arena arena;
    lam_test_any message;
    size_t taken = 0;
    lam_arena_init(&arena, &allocator, BUDGET);
    if (lam_fuzz_judge(kind->read(bytes, &arena, &message, &taken, &error), &error,
                       LAM_FUZZ_OF_FILE) &&
        taken > 0) {
        LAM_FUZZ_EXPECT(taken <= bytes.size);
        rewrite(kind, &message);
        if (kind == &lam_test_messages[0])
            import_schema(&message.file.schema);
    }
    lam_arena_finish(&arena);
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
