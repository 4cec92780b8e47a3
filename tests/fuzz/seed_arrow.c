/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds of the targets that read Arrow schemas: messages of random fields, and metadata. */
#include <stdlib.h>
#include <string.h>

#include "arrow/field/arrow_metadata.h"
#include "arrow/ipc_samples.h"
#include "arrow/random_fields.h"
#include "arrow/schema/ipc_schema.h"
#include "base/base64.h"
#include "fuzz/seeds.h"

enum { RANDOM_SCHEMAS = 60, FRAME = 8 };

static void save(uint8_t way, lam_bytes bytes) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append_byte(&seed, way, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, bytes.data, bytes.size, &error));
    lam_seed_write("arrow_schema", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

/* A value, and the message within. */
static void save_value(lam_bytes value, lam_arena *arena) {
    uint8_t *bytes;
    size_t size;
    save(0, value);
    LAM_SEED_TRY(lam_arena_bytes(arena, value.size / 4 * 3, &bytes, &error));
    if (!lam_base64_parse((const char *)value.data, value.size, bytes, &size) || size < FRAME)
        return;
    lam_bytes message = {bytes + FRAME, size - FRAME};
    save(2, message);
}

static void save_metadata(const lam_arrow_metadata *metadata, lam_arena *arena) {
    lam_bytes bytes;
    uint8_t *memory;
    LAM_SEED_TRY(lam_arrow_metadata_size(metadata, &bytes.size, &error));
    LAM_SEED_TRY(lam_arena_bytes(arena, bytes.size, &memory, &error));
    lam_arrow_metadata_export(metadata, (char *)memory);
    bytes.data = memory;
    save(1, bytes);
}

void lam_seed_arrow(void) {
    static const char *const samples[] = {flat_types,  nested_types, bare,      big_endian,
                                          old_version, no_header,    no_type,   wide_integer,
                                          short_map,   odd_time,     odd_union, nul_name};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        lam_bytes value = {(const uint8_t *)samples[i], strlen(samples[i])};
        save_value(value, &arena);
    }
    lam_random random = lam_random_start(1);
    for (int i = 0; i < RANDOM_SCHEMAS; i++) {
        lam_arena_reset(&arena);
        lam_arrow_field schema = lam_random_schema(&random, &arena, 4);
        lam_bytes value;
        LAM_SEED_TRY(lam_ipc_schema_write(&schema, &arena, &value, &error));
        if (value.size > 0)
            save_value(value, &arena);
        if (schema.metadata.count > 0)
            save_metadata(&schema.metadata, &arena);
    }
    lam_arena_finish(&arena);
}
