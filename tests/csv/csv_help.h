/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of lib/csv share: text as a source that gives it in pieces, an inferred schema as
 * one line, and records read to text: their values with | between, nulls as nothing, with a line
 * end behind each.
 */
#ifndef LAM_TESTS_CSV_HELP_H
#define LAM_TESTS_CSV_HELP_H

#include <criterion/criterion.h>
#include <lamella/csv.h>
#include <lamella/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test_file.h"

/* What is left of a text, and the most bytes that one call gives. */
typedef struct csv_pieces {
    const char *text;
    size_t size;
    size_t piece;
} csv_pieces;

static inline lam_status read_piece(void *state, void *buffer, size_t capacity, size_t *ret_size,
                                    lam_error *error) {
    csv_pieces *left = state;
    size_t size = left->size < capacity ? left->size : capacity;
    (void)error;
    size = left->piece != 0 && left->piece < size ? left->piece : size;
    memcpy(buffer, left->text, size);
    left->text += size;
    left->size -= size;
    *ret_size = size;
    return LAM_STATUS_OK;
}

static inline csv_pieces pieces_of(const char *text, size_t piece) {
    csv_pieces pieces = {text, strlen(text), piece};
    return pieces;
}

static inline lam_csv_source source_of(csv_pieces *pieces) {
    lam_csv_source source = {pieces, read_piece};
    return source;
}

/* Infers from one text; the schema as message text, with single spaces, without its name. */
static inline lam_status infer_csv(const char *text, const lam_csv_options *options, char *printed,
                                   size_t capacity, lam_error *error) {
    lam_csv_inference *inference;
    lam_schema *schema;
    char message[8192];
    csv_pieces pieces = pieces_of(text, 0);
    lam_csv_source source = source_of(&pieces);
    lam_status status = lam_csv_inference_create(options, NULL, &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_csv_inference_add(inference, &source, false, error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_schema(inference, "m", &schema, error);
    lam_csv_inference_destroy(inference);
    if (status != LAM_STATUS_OK)
        return status;
    lam_schema_print(schema, message, sizeof message);
    lam_schema_destroy(schema);
    char *out = printed;
    const char *in = strchr(message, '{') + 1;
    for (; strcmp(in, "\n}\n") != 0 && (size_t)(out - printed) + 2 < capacity; in++) {
        bool is_blank = *in == '\n' || *in == ' ';
        if (!is_blank || (out > printed && out[-1] != ' '))
            *out++ = is_blank ? ' ' : *in;
    }
    *out = '\0';
    return LAM_STATUS_OK;
}

static inline void expect_inferred(const char *text, const lam_csv_options *options,
                                   const char *expected) {
    char printed[8192];
    lam_error error = lam_error_none();
    cr_assert_eq(infer_csv(text, options, printed, sizeof printed, &error), LAM_STATUS_OK, "%s: %s",
                 text, error.message);
    cr_expect_str_eq(printed, expected, "%s gave\n%s", text, printed);
}

static inline lam_schema *schema_of(const char *fields) {
    char text[4096];
    snprintf(text, sizeof text, "message m { %s }", fields);
    lam_schema *schema = lam_test_parse(text);
    return schema;
}

/* Appends a value: numbers as they print, bytes as text, fixed bytes in hex. */
static inline size_t print_element(const lam_field *leaf, const uint8_t *at, char *out) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return (size_t)sprintf(out, "%s", *at ? "true" : "false");
    case LAM_PHYSICAL_INT32:
        return (size_t)sprintf(out, "%d", *(const int32_t *)(const void *)at);
    case LAM_PHYSICAL_INT64:
        return (size_t)sprintf(out, "%lld", (long long)*(const int64_t *)(const void *)at);
    case LAM_PHYSICAL_FLOAT:
        return (size_t)sprintf(out, "%.9g", (double)*(const float *)(const void *)at);
    case LAM_PHYSICAL_DOUBLE:
        return (size_t)sprintf(out, "%.17g", *(const double *)(const void *)at);
    case LAM_PHYSICAL_BYTE_ARRAY: {
        lam_bytes bytes = *(const lam_bytes *)(const void *)at;
        memcpy(out, bytes.data, bytes.size);
        return bytes.size;
    }
    default: {
        size_t size = 0;
        for (int32_t i = 0; i < lam_field_type_length(leaf); i++)
            size += (size_t)sprintf(out + size, "%02x", at[i]);
        return size;
    }
    }
}

static inline size_t element_size(const lam_field *leaf) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return 1;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        return 4;
    case LAM_PHYSICAL_BYTE_ARRAY:
        return sizeof(lam_bytes);
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return (size_t)lam_field_type_length(leaf);
    default:
        return 8;
    }
}

static inline void print_batch(const lam_schema *schema, const lam_triples *columns, size_t records,
                               char **out) {
    size_t used[16] = {0}, leaves = lam_schema_leaf_count(schema);
    cr_assert_leq(leaves, 16);
    for (size_t record = 0; record < records; record++) {
        for (size_t i = 0; i < leaves; i++) {
            const lam_field *leaf = lam_schema_leaf(schema, i);
            const lam_triples *column = &columns[i];
            cr_assert_eq(column->count, records);
            bool is_null = column->definition != NULL && column->definition[record] == 0;
            const uint8_t *values = column->values;
            if (!is_null)
                *out += print_element(leaf, values + used[i]++ * element_size(leaf), *out);
            *(*out)++ = i + 1 == leaves ? '\n' : '|';
        }
    }
    for (size_t i = 0; i < leaves; i++)
        cr_assert_eq(used[i], columns[i].value_count);
}

/* Reads all of a text; `printed` must have room. Gives what was skipped as well. */
static inline lam_status read_csv_bytes(const lam_schema *schema, csv_pieces pieces,
                                        const lam_csv_options *options,
                                        const lam_allocator *allocator, char *printed,
                                        uint64_t *ret_skipped, lam_error *error) {
    lam_csv_source source = source_of(&pieces);
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records = 1;
    lam_status status = lam_csv_reader_create(schema, &source, options, allocator, &reader, error);
    *printed = '\0';
    if (status != LAM_STATUS_OK)
        return status;
    while (records > 0 && status == LAM_STATUS_OK) {
        status = lam_csv_reader_read(reader, &columns, &records, error);
        if (status == LAM_STATUS_OK && records > 0)
            print_batch(schema, columns, records, &printed);
    }
    *printed = '\0';
    *ret_skipped = lam_csv_reader_skipped(reader);
    lam_csv_reader_destroy(reader);
    return status;
}

static inline void expect_read(const char *fields, const char *text, const lam_csv_options *options,
                               const char *expected) {
    char printed[16384];
    uint64_t skipped;
    for (size_t piece = 0; piece < 4; piece++) {
        lam_error error = lam_error_none();
        lam_schema *schema = schema_of(fields);
        cr_assert_eq(read_csv_bytes(schema, pieces_of(text, piece), options, NULL, printed,
                                    &skipped, &error),
                     LAM_STATUS_OK, "%s: %s", text, error.message);
        cr_expect_str_eq(printed, expected, "%s gave\n%s", text, printed);
        lam_schema_destroy(schema);
    }
}

static inline void expect_refused(const char *fields, const char *text,
                                  const lam_csv_options *options, lam_status status,
                                  const char *message) {
    char printed[16384];
    uint64_t skipped;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(fields);
    cr_expect_eq(
        read_csv_bytes(schema, pieces_of(text, 0), options, NULL, printed, &skipped, &error),
        status, "%s", text);
    cr_expect_str_eq(error.message, message, "%s: %s", text, error.message);
    lam_schema_destroy(schema);
}

#endif
