/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delimited text: what inference takes, the reader reads with the schema that was inferred, and to
 * the same values however the text comes in pieces.
 *
 *     options (2 bytes), text
 */
#include <lamella/csv.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "csv/inference_info_csv.h"
#include "fuzz/harness.h"

enum { SMALL_RECORD = 64, NO_PIECES = 0 };

/* What is left of a text, and how its pieces are cut. */
typedef struct csv_text {
    lam_bytes left;
    uint32_t walk; /* NO_PIECES: all at once */
} csv_text;

static lam_status read_text(void *state, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    csv_text *text = state;
    size_t most = text->left.size < capacity ? text->left.size : capacity, size = most;
    (void)error;
    if (text->walk != NO_PIECES && most > 0) {
        size = lam_fuzz_piece(&text->walk, most);
        size = size == 0 ? 1 : size;
    }
    if (size > 0)
        memcpy(buffer, text->left.data, size);
    text->left.data += size;
    text->left.size -= size;
    *ret_size = size;
    return LAM_STATUS_OK;
}

static lam_csv_options make_options(unsigned choice) {
    static const char delimiters[] = {0, ',', ';', '\t'};
    lam_csv_options options = lam_csv_options_default();
    options.delimiter = delimiters[choice & 3];
    options.header = choice & 4 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.skip_bad_lines = choice & 8;
    options.infer_decimals = choice & 16;
    options.infer_times = choice & 32 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.null_text = choice & 64 ? "NA" : NULL;
    options.max_record_bytes = choice & 128 ? SMALL_RECORD : 0;
    options.decimal_mark = choice & 256 ? ',' : '.';
    options.quote = choice & 512 ? '\'' : '"';
    return options;
}

static uint64_t hash_batch(const lam_schema *schema, const lam_triples *columns, size_t records,
                           uint64_t hash) {
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        lam_value_layout layout = {lam_field_physical_type(leaf), lam_field_type_length(leaf)};
        LAM_FUZZ_EXPECT(columns[i].count == records && columns[i].value_count <= records);
        if (columns[i].definition != NULL)
            hash = lam_fuzz_hash(hash, columns[i].definition, records);
        hash = lam_fuzz_hash_values(hash, layout, columns[i].values, columns[i].value_count);
    }
    return hash;
}

/* Reads all; gives whether that went well, the records, and what stands for their values. */
static bool read_all(const lam_schema *schema, lam_bytes bytes, uint32_t walk,
                     const lam_csv_options *options, uint64_t *ret_records) {
    csv_text text = {bytes, walk};
    lam_csv_source source = {&text, read_text};
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records = 1;
    *ret_records = 0;
    if (!lam_fuzz_judge(
            lam_csv_reader_create(schema, &source, options, &allocator, &reader, &error), &error,
            LAM_FUZZ_OF_CALLER))
        return false;
    bool is_good = true;
    while (is_good && records > 0) {
        is_good = lam_fuzz_judge(lam_csv_reader_read(reader, &columns, &records, &error), &error,
                                 LAM_FUZZ_OF_CALLER);
        if (is_good && records > 0)
            (void)hash_batch(schema, columns, records, 0);
        *ret_records += is_good ? records : 0;
    }
    lam_csv_reader_destroy(reader);
    return is_good;
}

static void infer(lam_csv_inference *inference, lam_bytes bytes, lam_csv_options options) {
    csv_text text = {bytes, NO_PIECES};
    lam_csv_source source = {&text, read_text};
    lam_error error = lam_error_none();
    lam_schema *schema;
    uint64_t whole, pieces;
    if (!lam_fuzz_judge(lam_csv_inference_add(inference, &source, false, &error), &error,
                        LAM_FUZZ_OF_CALLER) ||
        !lam_fuzz_judge(lam_csv_inference_schema(inference, "schema", &schema, &error), &error,
                        LAM_FUZZ_OF_CALLER))
        return;
    options.delimiter = lam_test_csv_info(inference).delimiter;
    bool is_good = read_all(schema, bytes, NO_PIECES, &options, &whole);
    bool is_utf8 = bytes.size == 0 || lam_utf8_prefix(bytes.data, bytes.size) == bytes.size;
    LAM_FUZZ_EXPECT(is_good || !is_utf8);
    LAM_FUZZ_EXPECT(read_all(schema, bytes, 1, &options, &pieces) == is_good);
    LAM_FUZZ_EXPECT(!is_good || whole == pieces);
    lam_schema_destroy(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_csv_options options = make_options((unsigned)lam_fuzz_number(&input, 2));
    lam_allocator allocator = lam_fuzz_allocator();
    lam_bytes text;
    uint8_t *block = lam_fuzz_rest(&input, &text);
    lam_csv_inference *inference;
    LAM_FUZZ_OK(lam_csv_inference_create(&options, &allocator, &inference, &fault));
    infer(inference, text, options);
    lam_csv_inference_destroy(inference);
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
