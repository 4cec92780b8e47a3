/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeds of the target that plans arrays: random Arrow schemas with the Parquet schemas that they
 * become.
 */
#include <string.h>

#include "arrow/array/arrow_plan.h"
#include "arrow/random_fields.h"
#include "arrow/schema/ipc_schema.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "fuzz/seeds.h"

enum { RANDOM_SCHEMAS = 400, FRAME = 8, MESSAGE = 1 << 16 };

static void save(uint8_t way, lam_bytes first, const char *message) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    uint8_t size[2];
    lam_buffer_init(&seed, &allocator);
    lam_store_le16(size, (uint16_t)first.size);
    LAM_SEED_TRY(lam_buffer_append_byte(&seed, way, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, size, 2, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, first.data, first.size, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, message, strlen(message), &error));
    lam_seed_write("arrow_plan", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

/* An Arrow schema and the Parquet schema that it becomes; nothing when it becomes none. */
static void save_pair(const lam_arrow_field *schema, lam_arena *arena) {
    static char message[MESSAGE];
    lam_allocator allocator = lam_allocator_default();
    struct ArrowSchema exported;
    lam_schema *parquet;
    lam_bytes value;
    uint8_t *bytes;
    size_t size;
    LAM_SEED_TRY(lam_arrow_field_export(schema, &allocator, &exported, &error));
    lam_status status = lam_arrow_import_schema(&exported, &allocator, &parquet, NULL);
    exported.release(&exported);
    if (status != LAM_STATUS_OK)
        return;
    LAM_SEED_TRY(lam_ipc_schema_write(schema, arena, &value, &error));
    if (lam_schema_print(parquet, message, sizeof message) < sizeof message && value.size > 0 &&
        value.size <= UINT16_MAX) {
        save(0, value, message);
        LAM_SEED_TRY(lam_arena_bytes(arena, value.size / 4 * 3, &bytes, &error));
        if (lam_base64_parse((const char *)value.data, value.size, bytes, &size) && size > FRAME)
            save(1, (lam_bytes){bytes + FRAME, size - FRAME}, message);
    }
    lam_schema_destroy(parquet);
}

static void save_parameters(uint8_t which, const char *parameters) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append_byte(&seed, 2, &error));
    LAM_SEED_TRY(lam_buffer_append_byte(&seed, which, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, parameters, strlen(parameters), &error));
    lam_seed_write("arrow_plan", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

void lam_seed_arrow_plan(void) {
    static const char *const parameters[] = {
        "",
        "{}",
        "{\"type_name\":\"varray\",\"vendor_name\":\"Oracle\"}",
        "{\"shape\":[2,3],\"dim_names\":[\"a\",\"b\"],\"permutation\":[1,0]}",
        "{\"uniform_shape\":[400,null,3],\"dim_names\":[\"H\",\"W\",\"C\"]}",
        "{\"crs\":\"OGC:CRS84\",\"edges\":\"karney\"}",
        "{\"crs\":\"4326\",\"crs_type\":\"srid\"}",
        "{\"crs\":{\"$schema\":\"x\",\"id\":{\"code\":4326}},\"crs_type\":\"projjson\"}",
        "{\"crs\":\"\\u0041\\uD83D\\uDE00\\n\\\"\",\"edges\":null}",
    };
    for (uint8_t which = 0; which < 6; which++)
        for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
            save_parameters(which, parameters[i]);
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_random random = lam_random_start(2);
    for (int i = 0; i < RANDOM_SCHEMAS; i++) {
        lam_arena_reset(&arena);
        lam_arrow_field schema = lam_random_schema(&random, &arena, 4);
        if (schema.child_count > 3)
            schema.child_count = 3;
        save_pair(&schema, &arena);
    }
    lam_arena_finish(&arena);
}
