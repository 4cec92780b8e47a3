/* SPDX-License-Identifier: Apache-2.0 */
/* Values and shredded groups for fuzz_variant and fuzz_variant_shred. */
#include <lamella/variant.h>
#include <string.h>

#include "fuzz/seeds.h"
#include "support/random.h"
#include "variant/random_shredding.h"
#include "variant/random_variant.h"

enum { VALUES = 60, GROUPS = 40 };

static void save_pair(lam_variant variant) {
    lam_allocator allocator = lam_allocator_default();
    const uint8_t head[] = {(uint8_t)variant.metadata.size, (uint8_t)(variant.metadata.size >> 8)};
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append(&seed, head, sizeof head, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, variant.metadata.data, variant.metadata.size, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, variant.value.data, variant.value.size, &error));
    lam_seed_write("variant", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

static void save_group(uint8_t choice, const char *schema, const void *rest, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append_byte(&seed, choice, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, schema, strlen(schema) + 1, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, rest, size, &error));
    lam_seed_write("variant_shred", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

static const char event_schema[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value; "
    "optional group typed_value { required group a { optional binary value; optional binary "
    "typed_value (STRING); } required group b { optional group typed_value (LIST) { repeated group "
    "list { required group element { optional binary value; optional double typed_value; } } } "
    "optional binary value; } } } }";
static const char number_schema[] =
    "message m { optional group v (VARIANT) { optional int64 typed_value; optional binary value; "
    "required binary metadata; } }";
/* Metadata may be null: for reading only. */
static const char null_schema[] =
    "message m { optional group v (VARIANT) { optional int64 typed_value; optional binary value; "
    "optional binary metadata; } }";
static const char lines[] =
    "{\"v\":{\"a\":\"x\",\"b\":[1.5,2,null,{\"a\":[]}],\"c\":1e300}}\n{\"v\":null}\n"
    "{\"v\":{\"a\":1,\"b\":{}}}\n{\"v\":[1,2.50,-0.0,true]}\n{}\n{\"v\":{}}\n"
    "{\"v\":12345678901234567890}\n{\"v\":{\"b\":[],\"a\":null}}\n";
/* begin, open v, put metadata of three bytes, open typed_value ... */
static const char events[] = "\xFF\0\0\3\1\0\0\2\0\1\1x\2\1\0\0\0\1\0\0\0\0\0\0\xF0\x3F\2\1\1\2"
                             "\2\3\1";
static const char number_events[] = "\xFF\0\2\3\1\0\0\0\5\0\0\0\0\0\0\0\3\1";

/* {"a":1,"b":2} with the names b, a, which the metadata calls sorted. */
static const lam_variant unsorted = {{(const uint8_t *)"\x11\2\0\1\2ba", 7},
                                     {(const uint8_t *)"\2\2\1\0\0\2\4\x0C\1\x0C\2", 11}};

void lam_seed_variants(void) {
    lam_random random = lam_random_start(20260303);
    lam_variant_builder *builder;
    char text[8192];
    LAM_SEED_TRY(lam_variant_builder_create(NULL, NULL, &builder, &error));
    for (unsigned i = 0; i < VALUES; i++) {
        lam_variant variant;
        lam_random_variant(&random, builder, 1 + i);
        LAM_SEED_TRY(lam_variant_builder_finish(builder, &variant, &error));
        if (variant.metadata.size <= UINT16_MAX && variant.value.size < 2000)
            save_pair(variant);
    }
    lam_variant_builder_destroy(builder);
    save_pair(unsorted);
    for (unsigned i = 0; i < GROUPS; i++) {
        lam_schema *schema = lam_random_shredding(&random, 90);
        if (lam_schema_print(schema, text, sizeof text) < 2000)
            save_group((uint8_t)(1 + 2 * (i % 2)), text, events, sizeof events - 1);
        lam_schema_destroy(schema);
    }
    save_group(0, event_schema, lines, sizeof lines - 1);
    save_group(0, number_schema, lines, sizeof lines - 1);
    save_group(1, null_schema, events, sizeof events - 1);
    save_group(3, null_schema, number_events, sizeof number_events - 1);
    save_group(1, event_schema, events, sizeof events - 1);
    save_group(3, number_schema, number_events, sizeof number_events - 1);
}
