/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files, one for each feature of the format. In: a feature. Out: its file in memory. The rows
 * are numbered in `id`, so that a condition can ask for one of them; all else is random, and the
 * same at each run.
 */
#include "file/feature_files.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/dremel.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { PRESENCE = 75, LEAVES_MOST = 8 };

typedef enum file_trait {
    HAS_BLOOM = 1,
    HAS_SORTING = 2,
    HAS_KEY_VALUES = 4,
    HAS_NO_INDEX = 8,
    HAS_NO_STATISTICS = 16,
    HAS_NO_CHECKSUMS = 32,
    HAS_PAGES = 64, /* several in a chunk, and several row groups */
    HAS_NO_DICTIONARY = 128
} file_trait;

#define NUMBERS "optional int32 a; optional int64 b;"
#define REALS "optional float a; optional double b;"
#define TEXTS "optional binary c (STRING); optional fixed_len_byte_array(3) d;"
#define DOCUMENT                                                                                   \
    "optional group l (LIST) { repeated group list { optional group element {"                     \
    " optional binary x; repeated int32 y; } } }"

/* Encoding PLAIN stands for the writer's own choice, but with HAS_NO_DICTIONARY. */
const lam_feature_file lam_feature_files[LAM_FEATURE_FILES] = {
    {"plain", NUMBERS TEXTS, 0, LAM_CODEC_UNCOMPRESSED, 1, HAS_NO_DICTIONARY},
    {"booleans", "optional boolean a; repeated boolean b;", LAM_ENCODING_RLE,
     LAM_CODEC_UNCOMPRESSED, 2, 0},
    {"dictionary", NUMBERS TEXTS, LAM_ENCODING_RLE_DICTIONARY, LAM_CODEC_UNCOMPRESSED, 1, 0},
    {"dictionary of pages", NUMBERS, LAM_ENCODING_RLE_DICTIONARY, LAM_CODEC_SNAPPY, 2, HAS_PAGES},
    {"deltas", NUMBERS, LAM_ENCODING_DELTA_BINARY_PACKED, LAM_CODEC_UNCOMPRESSED, 1, 0},
    {"lengths", "optional binary a;", LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, LAM_CODEC_UNCOMPRESSED,
     1, 0},
    {"prefixes", "optional binary a;", LAM_ENCODING_DELTA_BYTE_ARRAY, LAM_CODEC_UNCOMPRESSED, 2, 0},
    {"streams", REALS, LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_CODEC_UNCOMPRESSED, 1, 0},
    {"alp", REALS, LAM_ENCODING_ALP, LAM_CODEC_UNCOMPRESSED, 1, 0},
    {"snappy", TEXTS, 0, LAM_CODEC_SNAPPY, 1, 0},
    {"zstd", TEXTS, 0, LAM_CODEC_ZSTD, 2, 0},
    {"gzip", TEXTS, 0, LAM_CODEC_GZIP, 1, 0},
    {"brotli", TEXTS, 0, LAM_CODEC_BROTLI, 2, 0},
    {"lz4", TEXTS, 0, LAM_CODEC_LZ4_RAW, 1, 0},
    {"page index", NUMBERS TEXTS, 0, LAM_CODEC_SNAPPY, 1, HAS_PAGES},
    {"no page index", NUMBERS, 0, LAM_CODEC_SNAPPY, 2, HAS_PAGES | HAS_NO_INDEX},
    {"no statistics", NUMBERS, 0, LAM_CODEC_SNAPPY, 2, HAS_NO_STATISTICS | HAS_NO_INDEX},
    {"bloom filter", NUMBERS, 0, LAM_CODEC_SNAPPY, 1, HAS_BLOOM | HAS_NO_STATISTICS},
    {"sorting columns", NUMBERS, 0, LAM_CODEC_SNAPPY, 1, HAS_SORTING},
    {"key-value metadata", NUMBERS, 0, LAM_CODEC_SNAPPY, 1, HAS_KEY_VALUES},
    {"nesting", DOCUMENT, 0, LAM_CODEC_SNAPPY, 1, HAS_PAGES},
    {"nesting in v2", DOCUMENT, 0, LAM_CODEC_UNCOMPRESSED, 2, 0},
    {"map",
     "optional group m (MAP) { repeated group key_value { required binary key (STRING);"
     " optional double value; } }",
     0, LAM_CODEC_SNAPPY, 1, 0},
    {"variant",
     "optional group v (VARIANT(1)) { required binary metadata; required binary value; }", 0,
     LAM_CODEC_SNAPPY, 1, 0},
    {"times",
     "optional int32 a (DATE); optional int64 b (TIME(MICROS,true));"
     " optional int64 c (TIMESTAMP(NANOS,false)); optional int96 d;",
     0, LAM_CODEC_SNAPPY, 1, 0},
    {"decimals",
     "optional int32 a (DECIMAL(9,2)); optional fixed_len_byte_array(9) b (DECIMAL(20,3));", 0,
     LAM_CODEC_SNAPPY, 1, 0},
    {"small types",
     "optional int32 a (INTEGER(8,true)); optional int64 b (INTEGER(64,false));"
     " optional fixed_len_byte_array(2) c (FLOAT16); optional fixed_len_byte_array(16) d (UUID);",
     0, LAM_CODEC_SNAPPY, 2, 0},
    {"annotations", "optional binary a (ENUM); optional binary b (JSON); optional binary c (BSON);",
     0, LAM_CODEC_SNAPPY, 1, 0},
    {"no checksums", NUMBERS TEXTS, 0, LAM_CODEC_SNAPPY, 1, HAS_NO_CHECKSUMS},
};
static lam_writer_options options_of(const lam_feature_file *of) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = of->codec;
    options.data_page_version = of->page_version;
    options.created_by = "test";
    options.page_rows = (of->traits & HAS_PAGES) != 0 ? 5 : 0;
    options.row_group_rows = (of->traits & HAS_PAGES) != 0 ? 14 : 0;
    options.page_index = (of->traits & HAS_NO_INDEX) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.statistics = (of->traits & HAS_NO_STATISTICS) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_crc = (of->traits & HAS_NO_CHECKSUMS) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.dictionary = (of->traits & HAS_NO_DICTIONARY) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.delta = (of->traits & HAS_NO_DICTIONARY) != 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return options;
}

bool lam_feature_has_checksums(const lam_feature_file *of) {
    return (of->traits & HAS_NO_CHECKSUMS) == 0;
}

static lam_status set_traits(lam_writer *writer, const lam_feature_file *of, lam_error *error) {
    const lam_schema *schema = lam_writer_schema(writer);
    if ((of->traits & HAS_BLOOM) != 0)
        LAM_TRY(lam_writer_set_bloom_filter(writer, "id", 0, 0, error));
    if ((of->traits & HAS_SORTING) != 0)
        LAM_TRY(lam_writer_add_sorting_column(writer, "id", false, false, error));
    if ((of->traits & HAS_KEY_VALUES) != 0)
        LAM_TRY(lam_writer_add_key_value(writer, NULL, "where", "west", error));
    for (size_t i = 1; of->encoding != 0 && i < lam_schema_leaf_count(schema); i++) {
        char path[100];
        lam_field_path(lam_schema_leaf(schema, i), path, sizeof path);
        LAM_TRY(lam_writer_set_encoding(writer, path, of->encoding, error));
    }
    return LAM_STATUS_OK;
}

/* Triples, because they are not checked against their logical types: here random bytes will do. */
static lam_status put_rows(lam_file_sample *sample, lam_writer *writer, lam_error *error) {
    lam_shredder *shredder;
    lam_triples columns[LEAVES_MOST];
    size_t leaves = lam_schema_leaf_count(sample->schema);
    cr_assert_leq(leaves, (size_t)LEAVES_MOST);
    cr_assert_eq(lam_shredder_create(sample->schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t i = 0; i < sample->record_count; i++) {
        sample->records[i].fields[0].items[0].value.int64 = (int64_t)i * 3;
        cr_assert_eq(lam_tree_drive(sample->schema, &sample->records[i], &sink, NULL, false, NULL),
                     LAM_STATUS_OK);
    }
    for (size_t i = 0; i < leaves; i++)
        columns[i] = lam_shredder_triples(shredder, i);
    lam_status status = lam_writer_write_triples(writer, columns, sample->record_count, error);
    lam_shredder_destroy(shredder);
    return status;
}

lam_status lam_feature_write(lam_file_sample *sample, const lam_feature_file *of,
                             lam_output *output, const lam_allocator *allocator, lam_error *error) {
    lam_writer_options options = options_of(of);
    lam_writer *writer = NULL;
    options.allocator = allocator;
    lam_status status = lam_writer_open(sample->schema, output, &options, &writer, error);
    if (status == LAM_STATUS_OK)
        status = set_traits(writer, of, error);
    if (status == LAM_STATUS_OK)
        status = put_rows(sample, writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_output_close(output);
    return status;
}

bool lam_feature_make(lam_file_sample *sample, const lam_feature_file *of) {
    char text[500];
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_random random = lam_random_start(17);
    lam_error error = lam_error_none();
    snprintf(text, sizeof text, "message m { required int64 id; %s }", of->fields);
    lam_file_sample_init(sample, lam_test_schema(text), LAM_FEATURE_ROWS, PRESENCE, &random);
    if (lam_feature_write(sample, of, &output, NULL, &error) == LAM_STATUS_OK) {
        sample->bytes = trial.bytes;
        return true;
    }
    cr_assert_eq(error.code, LAM_ERROR_CODE_UNSUPPORTED_CODEC, "%s: %s", of->name, error.message);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(sample);
    return false;
}
