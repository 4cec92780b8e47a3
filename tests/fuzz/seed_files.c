/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeds that are Parquet files of many schemas, encodings and codecs, and the metadata and pages in
 * them.
 */
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "chunk/read/page_walk.h"
#include "fuzz/any_record.h"
#include "fuzz/seeds.h"
#include "meta/compact.h"
#include "support/random.h"

static lam_random dice;

const char *const lam_seed_schemas[] = {
    "message m { required int32 a; optional int64 b; }",
    "message m { optional boolean a; required float b; optional double c; required int96 d; }",
    "message m { optional binary a (STRING); required fixed(5) b; optional binary c; }",
    "message m { optional int32 a (DECIMAL(9,2)); optional int64 b (DECIMAL(18,4)); optional "
    "fixed(9) c (DECIMAL(20,3)); optional binary d (DECIMAL(30,0)); }",
    "message m { optional int32 a (DATE); optional int32 b (TIME(MILLIS,true)); optional int64 c "
    "(TIME(NANOS,false)); optional int64 d (TIMESTAMP(MICROS,true)); optional int96 e; }",
    "message m { optional int8 a; optional uint16 b; optional uint64 c; optional fixed(2) d "
    "(FLOAT16); optional fixed(16) e (UUID); optional fixed(12) f (INTERVAL); }",
    "message m { optional binary a (ENUM); optional binary b (JSON); optional binary c (BSON); "
    "optional binary d (GEOMETRY(OGC:CRS84)); optional int32 e (UNKNOWN); }",
    "message Document { required int64 DocId; optional group Links { repeated int64 Backward; "
    "repeated int64 Forward; } repeated group Name { repeated group Language { required binary "
    "Code; optional binary Country; } optional binary Url; } }",
    "message m { optional group l (LIST) { repeated group list { optional group element (LIST) { "
    "repeated group list { optional int32 element; } } } } }",
    "message m { optional group m (MAP) { repeated group key_value { required binary key (STRING); "
    "optional group value { optional double x; repeated boolean y; } } } }",
    "message m { optional group old (LIST) { repeated int32 array; } repeated binary bare "
    "(STRING); "
    "optional group k (MAP) { repeated group map (MAP_KEY_VALUE) { required int32 key; } } }",
    "message m { optional group v (VARIANT(1)) { required binary metadata; required binary value; "
    "} }",
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value; "
    "optional group typed_value { required group a { optional binary value; optional int64 "
    "typed_value; } required group b { optional binary value; optional group typed_value (LIST) { "
    "repeated group list { required group element { optional binary value; } } } } } } }",
    NULL,
};

/* --- Files --------------------------------------------------------------------------------- */

typedef struct plan {
    const char *schema;
    lam_writer_options options;
    lam_encoding encoding; /* PLAIN: the writer's choice */
    size_t records;
    unsigned presence;
    bool without_crc; /* read without looking at checksums */
} plan;

/* The footer and the head of the first page, behind the number of their message. */
static void save_metadata(lam_bytes file) {
    uint8_t front[512] = {1};
    uint32_t size = lam_load_le32(file.data + file.size - 8);
    size = size < file.size ? size : 0;
    lam_buffer footer;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&footer, &allocator);
    LAM_SEED_TRY(lam_buffer_append_byte(&footer, 0, &error));
    LAM_SEED_TRY(lam_buffer_append(&footer, file.data + file.size - 8 - size, size, &error));
    lam_seed_write("metadata", lam_buffer_bytes(&footer));
    lam_buffer_finish(&footer);
    memcpy(front + 1, file.data + 4, 100);
    lam_seed_write("metadata", (lam_bytes){front, 101});
}

/* Rows of the V2 pages of a chunk as pyarrow before 12 counts them, which is to say triples. */
static void lie_in_chunk(uint8_t *file, size_t body, const lam_meta_column *column) {
    lam_allocator allocator = lam_allocator_default();
    lam_input input = lam_input_memory(file, body);
    lam_chunk_range range;
    lam_page_walk walk;
    lam_meta_page_header header;
    uint64_t offset;
    lam_buffer changed;
    lam_buffer_init(&changed, &allocator);
    LAM_SEED_TRY(lam_chunk_find(column, body, &range, &error));
    lam_page_walk_init(&walk, &input, range, &allocator);
    while (!lam_page_walk_at_end(&walk)) {
        LAM_SEED_TRY(lam_page_walk_next(&walk, &header, &offset, &error));
        if (header.data_page_header_v2 == NULL)
            continue;
        lam_meta_data_page_header_v2 v2 = *header.data_page_header_v2;
        v2.num_rows = v2.num_values;
        v2.num_nulls = 0;
        header.data_page_header_v2 = &v2;
        lam_buffer_clear(&changed);
        LAM_SEED_TRY(lam_meta_write_page_header(&header, &changed, &error));
        if (changed.size == walk.body - offset)
            memcpy(file + offset, changed.data, changed.size);
    }
    lam_page_walk_finish(&walk);
    lam_buffer_finish(&changed);
}

static void lie_in_headers(uint8_t *file, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    size_t footer = lam_load_le32(file + size - 8), body = size - 8 - footer;
    lam_meta_file meta;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_bytes bytes = {file + body, footer};
    LAM_SEED_TRY(lam_meta_read_file(bytes, &arena, &meta, &error));
    for (uint32_t g = 0; g < meta.row_groups.count; g++)
        for (uint32_t c = 0; c < meta.row_groups.items[g].columns.count; c++)
            lie_in_chunk(file, body, meta.row_groups.items[g].columns.items[c].meta_data);
    lam_arena_finish(&arena);
}

static void save_file(const plan *p) {
    lam_schema *schema;
    lam_writer *writer;
    lam_output output;
    LAM_SEED_TRY(lam_schema_parse(p->schema, strlen(p->schema), NULL, &schema, &error));
    LAM_SEED_TRY(lam_output_memory(NULL, &output, &error));
    lam_output keep = output;
    keep.close = NULL; /* the memory is looked at before the writer closes it */
    LAM_SEED_TRY(lam_writer_open(schema, &output, &p->options, &writer, &error));
    for (size_t i = 0; i < lam_schema_leaf_count(schema) && p->encoding != LAM_ENCODING_PLAIN;
         i++) {
        char path[256];
        lam_field_path(lam_schema_leaf(schema, i), path, sizeof path);
        /* Leaves that the encoding does not go with keep the writer's choice. */
        if (lam_writer_set_encoding(writer, path, p->encoding, NULL) != LAM_STATUS_OK)
            continue;
    }
    LAM_SEED_TRY(lam_writer_add_key_value(writer, NULL, "who", "a seed", &error));
    lam_record_sink sink = lam_writer_sink(writer);
    for (size_t i = 0; i < p->records; i++) {
        LAM_SEED_TRY(
            lam_fuzz_drive_record(lam_writer_schema(writer), &sink, &dice, p->presence, &error));
    }
    LAM_SEED_TRY(lam_writer_finish(writer, &error));
    lam_bytes file = lam_output_memory_bytes(&keep);
    uint8_t *bytes = (uint8_t *)file.data; /* the first byte chooses how to read: see any_file.h */
    save_metadata(file);
    bytes[0] = p->without_crc ? 'Q' : 'P';
    lam_seed_write("files", file);
    if (p->options.data_page_version == 2) {
        lie_in_headers(bytes, file.size);
        lam_seed_write("files", file);
    }
    lam_writer_close(writer);
    lam_schema_destroy(schema);
}

static plan next_plan(size_t number) {
    static const lam_codec codecs[] = {
        LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_UNCOMPRESSED, LAM_CODEC_ZSTD,
        LAM_CODEC_GZIP,         LAM_CODEC_BROTLI, LAM_CODEC_LZ4_RAW};
    static const lam_encoding encodings[] = {
        LAM_ENCODING_PLAIN,
        LAM_ENCODING_DELTA_BINARY_PACKED,
        LAM_ENCODING_DELTA_BYTE_ARRAY,
        LAM_ENCODING_BYTE_STREAM_SPLIT,
        LAM_ENCODING_RLE_DICTIONARY,
        LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
        LAM_ENCODING_ALP,
        LAM_ENCODING_RLE,
    };
    size_t codec = number % (sizeof codecs / sizeof codecs[0]);
    plan p = {.options = lam_writer_options_default()};
    p.options.codec = codecs[codec];
    p.encoding = encodings[lam_random_below(&dice, sizeof encodings / sizeof encodings[0])];
    p.options.data_page_version = 1 + (int32_t)(number & 1);
    p.options.page_rows = 5 + lam_random_below(&dice, 40);
    p.options.row_group_rows = 8 + lam_random_below(&dice, 60);
    p.options.dictionary = p.encoding == LAM_ENCODING_PLAIN && lam_random_chance(&dice, 60)
                               ? LAM_SWITCH_OFF
                               : LAM_SWITCH_ON;
    p.options.page_crc = lam_random_chance(&dice, 40) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    p.records = (size_t)lam_random_below(&dice, 50);
    p.presence = lam_random_chance(&dice, 25) ? 100 : 20 + (unsigned)lam_random_below(&dice, 70);
    p.without_crc = lam_random_chance(&dice, 50);
    return p;
}

void lam_seed_files(void) {
    enum { EACH = 8 };
    dice = lam_random_start(1);
    for (size_t s = 0; lam_seed_schemas[s] != NULL; s++) {
        for (size_t i = 0; i < EACH; i++) {
            plan p = next_plan(s * (EACH - 1) + i);
            p.schema = lam_seed_schemas[s];
            /* A codec that this build lacks is left out. */
            lam_writer *writer;
            lam_schema *schema;
            lam_output output;
            LAM_SEED_TRY(lam_output_memory(NULL, &output, &error));
            LAM_SEED_TRY(lam_schema_parse(p.schema, strlen(p.schema), NULL, &schema, &error));
            lam_status status = lam_writer_open(schema, &output, &p.options, &writer, NULL);
            if (status == LAM_STATUS_OK)
                lam_writer_close(writer);
            lam_output_close(&output);
            lam_schema_destroy(schema);
            if (status == LAM_STATUS_OK)
                save_file(&p);
        }
    }
}
