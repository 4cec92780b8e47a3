/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other writers in every encoding that they use, held against the values beside them. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/shared.h"

/* Skips the test when the file is not there. */
static lam_reader *open_shared(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "parquet-testing/data/%s", name);
    if (!lam_test_shared_exists(path))
        cr_skip_test("%s is not there", path);
    lam_reader *reader;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_reader_open_file(lam_test_shared(path), NULL, &reader, &error), LAM_STATUS_OK,
                 "%s: %s", name, error.message);
    return reader;
}

/* --- Columns ------------------------------------------------------------------------------- */

static size_t element_size(const lam_field *leaf) {
    return lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY
               ? sizeof(lam_bytes)
               : (size_t)lam_field_type_length(leaf);
}

/* Calls `each` with every value of a flat leaf in the first row group, NULL for a null. */
static void each_value(const lam_reader *reader, size_t leaf_index, size_t batch,
                       void (*each)(void *state, size_t row, const void *value), void *state) {
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), leaf_index);
    lam_column_reader *column;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_column_reader_open(reader, 0, leaf_index, &column, &error), LAM_STATUS_OK);
    size_t row = 0, size = element_size(leaf);
    for (lam_triples triples;; row += triples.count) {
        cr_assert_eq(lam_column_reader_read(column, batch, &triples, &error), LAM_STATUS_OK, "%s",
                     error.message);
        if (triples.count == 0)
            break;
        const uint8_t *next = triples.values;
        for (size_t i = 0; i < triples.count; i++) {
            bool is_null = triples.definition != NULL &&
                           triples.definition[i] < lam_field_max_definition(leaf);
            each(state, row + i, is_null ? NULL : next);
            if (!is_null)
                next += size;
        }
    }
    cr_assert_eq(row, lam_reader_row_count(reader));
    lam_column_reader_close(column);
}

static uint32_t encodings_of(const lam_reader *reader, size_t leaf_index) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(reader, 0, leaf_index, &info, NULL), LAM_STATUS_OK);
    return info.encodings;
}

/* --- CSV ----------------------------------------------------------------------------------- */

/* Cells of a table, row by row, the header first; an empty cell is "". */
typedef struct table {
    char *text;
    char **cells;
    size_t columns;
    size_t rows;
} table;

/* Takes a cell off the front; gives what ends it. */
static char *take_cell(char *next, char **ret_cell, char *ret_end) {
    char *to = next;
    *ret_cell = next;
    bool quoted = *next == '"';
    next += quoted;
    while (*next != '\0' && (quoted || (*next != ',' && *next != '\n' && *next != '\r'))) {
        if (quoted && *next == '"' && *++next != '"') {
            quoted = false;
            continue;
        }
        *to++ = *next++;
    }
    next += *next == '\r';
    *ret_end = *next;
    *to = '\0';
    return *ret_end == '\0' ? next : next + 1;
}

static table read_table(const char *name) {
    char path[200], *next, end = '\0';
    snprintf(path, sizeof path, "parquet-testing/data/%s", name);
    size_t size;
    table t = {lam_test_read_file(lam_test_shared(path), &size), NULL, 0, 0};
    cr_assert_neq(t.text, NULL, "%s", path);
    t.cells = calloc(size + 1, sizeof *t.cells);
    size_t count = 0, columns = 0;
    for (next = t.text; *next != '\0';) {
        next = take_cell(next, &t.cells[count++], &end);
        columns++;
        if (end == ',' && *next != '\0')
            continue;
        cr_assert(t.columns == 0 || columns == t.columns, "row %zu of %s", t.rows, name);
        t.columns = columns;
        t.rows++;
        columns = 0;
    }
    return t;
}

typedef struct expectation {
    const table *table;
    size_t column;
    lam_physical_type type;
} expectation;

static void expect_cell(void *state, size_t row, const void *value) {
    const expectation *e = state;
    cr_assert_lt(row + 1, e->table->rows);
    const char *cell = e->table->cells[(row + 1) * e->table->columns + e->column];
    char text[32] = "";
    lam_bytes bytes = {(const uint8_t *)text, 0};
    if (value != NULL && e->type == LAM_PHYSICAL_BYTE_ARRAY)
        memcpy(&bytes, value, sizeof bytes);
    else if (value != NULL && e->type == LAM_PHYSICAL_INT64)
        bytes.size = (size_t)snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)value);
    else if (value != NULL)
        bytes.size = (size_t)snprintf(text, sizeof text, "%" PRId32, *(const int32_t *)value);
    cr_assert_eq(bytes.size, strlen(cell), "row %zu, column %zu: %s", row, e->column, cell);
    cr_assert(bytes.size == 0 || memcmp(bytes.data, cell, bytes.size) == 0,
              "row %zu, column %zu: %s", row, e->column, cell);
}

/* Every column of the file, in batches of several sizes, is the column of the table. */
static void expect_table(const char *name, const char *csv, uint32_t encodings) {
    lam_reader *reader = open_shared(name);
    const lam_schema *schema = lam_reader_schema(reader);
    table t = read_table(csv);
    cr_assert_eq(t.columns, lam_schema_leaf_count(schema));
    cr_assert_eq(t.rows, lam_reader_row_count(reader) + 1);
    uint32_t seen = 0;
    for (size_t i = 0; i < t.columns; i++) {
        expectation e = {&t, i, lam_field_physical_type(lam_schema_leaf(schema, i))};
        seen |= encodings_of(reader, i);
        each_value(reader, i, 1, expect_cell, &e);
        each_value(reader, i, 7, expect_cell, &e);
        each_value(reader, i, 100000, expect_cell, &e);
    }
    cr_assert_eq(seen & encodings, encodings, "%s has the encodings %x", name, seen);
    free(t.cells);
    free(t.text);
    lam_reader_close(reader);
}

enum {
    BINARY_PACKED = 1 << LAM_ENCODING_DELTA_BINARY_PACKED,
    DELTA_LENGTH = 1 << LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
    DELTA_STRINGS = 1 << LAM_ENCODING_DELTA_BYTE_ARRAY,
    BYTE_STREAMS = 1 << LAM_ENCODING_BYTE_STREAM_SPLIT
};

Test(encoded_files, delta_binary_packed_of_every_bit_width) {
    expect_table("delta_binary_packed.parquet", "delta_binary_packed_expect.csv", BINARY_PACKED);
}

Test(encoded_files, delta_byte_array) {
    expect_table("delta_byte_array.parquet", "delta_byte_array_expect.csv", DELTA_STRINGS);
}

Test(encoded_files, delta_encodings_of_optional_columns) {
    expect_table("delta_encoding_optional_column.parquet",
                 "delta_encoding_optional_column_expect.csv", BINARY_PACKED | DELTA_STRINGS);
}

Test(encoded_files, delta_encodings_of_required_columns) {
    expect_table("delta_encoding_required_column.parquet",
                 "delta_encoding_required_column_expect.csv", BINARY_PACKED | DELTA_STRINGS);
}

static void expect_fruit(void *state, size_t row, const void *value) {
    char expected[40];
    (void)state;
    size_t size = (size_t)snprintf(expected, sizeof expected, "apple_banana_mango%zu", row * row);
    const lam_bytes *bytes = value;
    cr_assert_neq(bytes, NULL);
    cr_assert_eq(bytes->size, size, "row %zu", row);
    cr_assert_eq(memcmp(bytes->data, expected, size), 0, "row %zu", row);
}

Test(encoded_files, delta_length_byte_array) {
    lam_reader *reader = open_shared("delta_length_byte_array.parquet");
    cr_assert_neq(encodings_of(reader, 0) & DELTA_LENGTH, 0);
    each_value(reader, 0, 1000, expect_fruit, NULL);
    each_value(reader, 0, 3, expect_fruit, NULL);
    lam_reader_close(reader);
}

/* --- Byte streams -------------------------------------------------------------------------- */

/* Values of a column, for comparing one with another. */
typedef struct collected {
    uint8_t bytes[300 * 16];
    size_t element;
    size_t size;
} collected;

static void collect(void *state, size_t row, const void *value) {
    collected *c = state;
    (void)row;
    cr_assert_neq(value, NULL);
    cr_assert_leq(c->size + c->element, sizeof c->bytes);
    memcpy(c->bytes + c->size, value, c->element);
    c->size += c->element;
}

static collected collect_column(const lam_reader *reader, size_t leaf_index, size_t batch) {
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), leaf_index);
    collected c = {.element = element_size(leaf)};
    each_value(reader, leaf_index, batch, collect, &c);
    return c;
}

Test(encoded_files, byte_stream_split_of_floats_and_doubles) {
    lam_reader *reader = open_shared("byte_stream_split.zstd.parquet");
    cr_assert_neq(encodings_of(reader, 0) & BYTE_STREAMS, 0);
    cr_assert_neq(encodings_of(reader, 1) & BYTE_STREAMS, 0);
    /* The first, the middle and the last value of each column. */
    static const float narrow[] = {0x1.c398fp+0f, -0x1.d8a9a2p-2f, 0x1.7aefeep-2f};
    static const double wide[] = {-0x1.4e788b338c8cfp+0, -0x1.c42791d261adfp-4,
                                  -0x1.6dc01e2f7fd16p-3};
    static const size_t rows[] = {0, 149, 299};
    collected floats = collect_column(reader, 0, 1000), doubles = collect_column(reader, 1, 10);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(memcmp(floats.bytes + rows[i] * 4, &narrow[i], 4), 0);
        cr_assert_eq(memcmp(doubles.bytes + rows[i] * 8, &wide[i], 8), 0);
    }
    lam_reader_close(reader);
}

Test(encoded_files, byte_stream_split_of_all_types_equals_the_plain_columns) {
    lam_reader *reader = open_shared("byte_stream_split_extended.gzip.parquet");
    size_t count = lam_schema_leaf_count(lam_reader_schema(reader));
    cr_assert_geq(count, 14);
    lam_column_reader *column;
    lam_triples triples;
    cr_assert_eq(lam_column_reader_open(reader, 0, 0, &column, NULL), LAM_STATUS_OK);
    lam_status status = lam_column_reader_read(column, 1, &triples, NULL);
    lam_column_reader_close(column);
    for (size_t i = 0; status == LAM_STATUS_OK && i < count; i += 2) {
        cr_assert_eq(encodings_of(reader, i) & BYTE_STREAMS, 0);
        cr_assert_neq(encodings_of(reader, i + 1) & BYTE_STREAMS, 0);
        collected plain = collect_column(reader, i, 1000), split = collect_column(reader, i + 1, 9);
        cr_assert_eq(plain.size, 200 * plain.element);
        cr_assert_eq(plain.size, split.size);
        cr_assert_eq(memcmp(plain.bytes, split.bytes, plain.size), 0, "column %zu", i);
    }
    lam_reader_close(reader);
    if (status == LAM_STATUS_UNSUPPORTED)
        cr_skip_test("GZIP is not in this build");
    cr_assert_eq(status, LAM_STATUS_OK);
}
