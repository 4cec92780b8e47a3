/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow schemas out of bytes: ARROW:schema as it stands in a file, the message within, and the
 * metadata of struct ArrowSchema. What is read comes back the same from what is written of it.
 */
#include <stdlib.h>

#include "arrow/field/arrow_metadata.h"
#include "arrow/random_fields.h"
#include "arrow/schema/ipc_schema.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "fuzz/harness.h"

static lam_allocator allocator;

static void write_and_read(const lam_arrow_field *schema, lam_arena *arena) {
    lam_bytes value;
    lam_arrow_field again;
    LAM_FUZZ_OK(lam_ipc_schema_write(schema, arena, &value, &fault));
    LAM_FUZZ_OK(lam_ipc_schema_read(value, arena, &again, &fault));
    LAM_FUZZ_EXPECT(lam_fields_differ(schema, &again) == NULL);
}

static void export_and_import(const lam_arrow_field *schema, lam_arena *arena) {
    struct ArrowSchema exported;
    lam_arrow_field again;
    LAM_FUZZ_OK(lam_arrow_field_export(schema, &allocator, &exported, &fault));
    LAM_FUZZ_OK(lam_arrow_field_import(&exported, arena, &again, &fault));
    LAM_FUZZ_EXPECT(lam_fields_differ(schema, &again) == NULL);
    exported.release(&exported);
    LAM_FUZZ_EXPECT(exported.release == NULL);
}

static void read_value(lam_bytes value, lam_arena *arena) {
    lam_arrow_field schema;
    lam_error error = lam_error_none();
    lam_status status = lam_ipc_schema_read(value, arena, &schema, &error);
    LAM_FUZZ_EXPECT(arena->used <= 100 * value.size + 1000);
    if (!lam_fuzz_judge(status, &error, LAM_FUZZ_OF_FILE))
        return;
    write_and_read(&schema, arena);
    export_and_import(&schema, arena);
}

/* A message, in the frame and the letters around it. */
static void read_message(lam_bytes message, lam_arena *arena) {
    size_t size = 8 + message.size;
    uint8_t *framed = lam_fuzz_block(size);
    lam_store_le32(framed, UINT32_MAX);
    lam_store_le32(framed + 4, (uint32_t)message.size);
    if (message.size > 0)
        memcpy(framed + 8, message.data, message.size);
    char *text = lam_fuzz_block((size + 2) / 3 * 4);
    lam_bytes value = {(const uint8_t *)text, lam_base64_print(framed, size, text)};
    read_value(value, arena);
    free(text);
    free(framed);
}

static void read_metadata(lam_bytes bytes, lam_arena *arena) {
    size_t size, again;
    lam_arrow_metadata metadata;
    const char *text = (const char *)bytes.data;
    if (lam_arrow_metadata_measure(text, bytes.size, &size) != NULL)
        return;
    LAM_FUZZ_EXPECT(size <= bytes.size);
    LAM_FUZZ_OK(lam_arrow_metadata_import(text, size, arena, &metadata, &fault));
    LAM_FUZZ_OK(lam_arrow_metadata_size(&metadata, &again, &fault));
    if (metadata.count == 0)
        return;
    LAM_FUZZ_EXPECT(again == size);
    char *exported = lam_fuzz_block(size);
    lam_arrow_metadata_export(&metadata, exported);
    LAM_FUZZ_EXPECT(memcmp(exported, text, size) == 0);
    free(exported);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_arena arena;
    lam_bytes bytes;
    allocator = lam_fuzz_allocator();
    lam_arena_init(&arena, &allocator, 0);
    uint64_t way = lam_fuzz_number(&input, 1);
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    if (way == 0)
        read_value(bytes, &arena);
    else if (way == 1)
        read_metadata(bytes, &arena);
    else
        read_message(bytes, &arena);
    free(block);
    lam_arena_finish(&arena);
    lam_fuzz_expect_no_leak();
    return 0;
}
