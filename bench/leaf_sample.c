/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the values of one column from numbers, and writes them as triples, so that each physical
 * type and encoding is written as it was asked for. Which Arrow type a reader gives is in
 * ARROW:schema; its text is taken from an empty file that the Arrow writer makes.
 */
#include "leaf_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { DISTINCT = 1000, NULL_SHARE = 20, ALPHABET = 26, LENGTH_MAX = 32 };

static void *take_memory(size_t size) {
    void *memory = calloc(size > 0 ? size : 1, 1);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* The values of a column while they are made. */
typedef struct leaf_column {
    const leaf_kind *kind;
    uint32_t length; /* bytes of a FIXED_LEN_BYTE_ARRAY or INT96 */
    size_t count;
    char *values;
    char *text; /* what elements of BYTE_ARRAY point to */
    size_t text_size;
} leaf_column;

/* The number that value `i` is made of. */
static uint64_t number_of(const leaf_kind *kind, lam_encoding encoding, size_t i) {
    if (encoding == LAM_ENCODING_RLE_DICTIONARY)
        return mix(mix(i) % DISTINCT);
    bool rises = encoding == LAM_ENCODING_DELTA_BINARY_PACKED && kind->values < LEAF_VALUES_BITS;
    return rises ? i * 128 + mix(i) % 256 : mix(i);
}

static int64_t limited(const leaf_kind *kind, uint64_t number) {
    int64_t value = (int64_t)(number % kind->limit);
    return kind->values == LEAF_VALUES_SIGNED ? value - (int64_t)(kind->limit / 2) : value;
}

/* A number of so many bits in so many bytes, positive or negative, the first byte foremost. */
static void put_bits(uint8_t *bytes, uint32_t length, uint64_t bits, uint64_t number) {
    uint8_t sign = number & 1 ? 0xFF : 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t low = 8 * (uint64_t)(length - 1 - i); /* the number of this byte's lowest bit */
        uint8_t mask = bits >= low + 8 ? 0xFF
                       : bits <= low   ? 0
                                       : (uint8_t)((1U << (bits - low)) - 1);
        bytes[i] = (uint8_t)(mix(number + i) & mask) ^ sign;
    }
}

static void put_instant(uint8_t *bytes, uint64_t number) {
    const uint64_t day_millis = 86400000, milli = 1000000; /* so that any unit can hold it */
    const uint32_t epoch = 2440588, days = 20000;
    uint64_t nanos = number % day_millis * milli;
    uint32_t day = epoch + (uint32_t)(mix(number) % days);
    memcpy(bytes, &nanos, sizeof nanos);
    memcpy(bytes + sizeof nanos, &day, sizeof day);
}

static void put_fixed(const leaf_column *column, uint8_t *bytes, uint64_t number) {
    switch (column->kind->values) {
    case LEAF_VALUES_INSTANTS:
        put_instant(bytes, number);
        break;
    case LEAF_VALUES_HALVES:
        bytes[0] = (uint8_t)number;
        bytes[1] = 0x3C; /* exponent 0, the upper bits of the significand 0 */
        break;
    case LEAF_VALUES_INTERVALS:
        for (uint32_t i = 0; i < column->length; i++) /* three numbers of 31 bits */
            bytes[i] = (uint8_t)(mix(number + i) & (i % sizeof(uint32_t) == 3 ? 0x7F : 0xFF));
        break;
    default:
        put_bits(bytes, column->length, column->kind->limit, number);
        break;
    }
}

/* Bytes of a value of BYTE_ARRAY. */
static size_t text_size_of(const leaf_kind *kind, uint64_t number) {
    if (kind->values == LEAF_VALUES_BITS) /* as few as have room for the sign */
        return kind->limit / 8 + 1;
    return kind->limit / 3 + mix(number) % (13 * kind->limit / 8);
}

static void put_text(leaf_column *column, size_t i, uint64_t number) {
    size_t size = text_size_of(column->kind, number);
    char *text = column->text + column->text_size;
    if (column->kind->values == LEAF_VALUES_BITS)
        put_bits((uint8_t *)text, (uint32_t)size, column->kind->limit, number);
    else
        for (size_t b = 0; b < size; b++)
            text[b] = (char)('a' + mix(number + b) % ALPHABET);
    column->text_size += size;
    ((lam_bytes *)(void *)column->values)[i] = (lam_bytes){(const uint8_t *)text, size};
}

static void put_value(leaf_column *column, size_t i, uint64_t number) {
    const leaf_kind *kind = column->kind;
    int64_t wide = kind->limit > 0 ? limited(kind, number) : 0;
    int32_t narrow = (int32_t)wide;
    double real = (double)(wide % 10000000) / 100;
    float single = (float)real;
    switch (kind->type) {
    case LAM_PHYSICAL_BOOLEAN:
        column->values[i] = (char)(number & 1);
        break;
    case LAM_PHYSICAL_INT32:
        memcpy(column->values + i * sizeof narrow, &narrow, sizeof narrow);
        break;
    case LAM_PHYSICAL_INT64:
        memcpy(column->values + i * sizeof wide, &wide, sizeof wide);
        break;
    case LAM_PHYSICAL_FLOAT:
        memcpy(column->values + i * sizeof single, &single, sizeof single);
        break;
    case LAM_PHYSICAL_DOUBLE:
        memcpy(column->values + i * sizeof real, &real, sizeof real);
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        put_text(column, i, number);
        break;
    default:
        put_fixed(column, (uint8_t *)column->values + i * column->length, number);
        break;
    }
}

static void make_values(leaf_column *column, lam_encoding encoding) {
    size_t element = column->length > sizeof(lam_bytes) ? column->length : sizeof(lam_bytes);
    column->values = take_memory(column->count * element);
    if (column->kind->type == LAM_PHYSICAL_BYTE_ARRAY)
        column->text = take_memory(column->count * (2 * column->kind->limit + LENGTH_MAX));
    for (size_t i = 0; i < column->count; i++)
        put_value(column, i, number_of(column->kind, encoding, i));
}

/* --- Files ----------------------------------------------------------------------------------- */

static lam_schema *make_schema(const leaf_kind *kind, bool nulls) {
    char text[128];
    lam_error error = lam_error_none();
    lam_schema *schema;
    bool annotated = kind->logical[0] != '\0';
    snprintf(text, sizeof text, "message m { %s %s a %s%s%s; }", nulls ? "optional" : "required",
             kind->leaf, annotated ? "(" : "", kind->logical, annotated ? ")" : "");
    measure_check(lam_schema_parse_text(text, NULL, &schema, &error), &error);
    return schema;
}

static lam_writer *open_writer(const lam_schema *schema, size_t count, lam_output *file) {
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.page_crc = LAM_SWITCH_OFF;
    options.row_group_rows = count;
    options.row_group_bytes = (uint64_t)1 << 40;
    lam_writer *writer;
    measure_check(lam_output_memory(NULL, file, &error), &error);
    lam_output lent = *file;
    lent.close = NULL; /* the bytes outlive the writer */
    measure_check(lam_writer_open(schema, &lent, &options, &writer, &error), &error);
    return writer;
}

static void write_column(lam_writer *writer, const leaf_column *column, uint8_t *definition,
                         size_t rows) {
    lam_error error = lam_error_none();
    lam_triples triples = {rows, column->count, NULL, definition, column->values};
    measure_check(lam_writer_write_triples(writer, &triples, rows, &error), &error);
    measure_check(lam_writer_finish(writer, &error), &error);
}

bool leaf_sample_write(const leaf_kind *kind, lam_encoding encoding, bool nulls, size_t count,
                       const char *hint, lam_output *ret_file) {
    lam_error error = lam_error_none();
    lam_schema *schema = make_schema(kind, nulls);
    lam_writer *writer = open_writer(schema, count, ret_file);
    bool possible = lam_writer_set_encoding(writer, "a", encoding, &error) == LAM_STATUS_OK;
    if (possible) {
        uint32_t length = (uint32_t)lam_field_type_length(lam_schema_leaf(schema, 0));
        leaf_column column = {.kind = kind, .length = length};
        uint8_t *definition = nulls ? take_memory(count) : NULL;
        for (size_t i = 0; i < count; i++) {
            bool is_value = !nulls || mix(~(uint64_t)i) % NULL_SHARE != 0;
            column.count += is_value;
            if (nulls)
                definition[i] = is_value;
        }
        make_values(&column, encoding);
        if (hint != NULL)
            measure_check(lam_writer_add_key_value(writer, NULL, "ARROW:schema", hint, &error),
                          &error);
        write_column(writer, &column, definition, count);
        free(column.values);
        free(column.text);
        free(definition);
    } else {
        lam_output_close(ret_file);
    }
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return possible;
}

/* --- Hints ----------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

char *leaf_sample_hint(const char *format) {
    lam_error error = lam_error_none();
    struct ArrowSchema child = {.format = format, .name = "a", .release = release_schema};
    struct ArrowSchema *children = &child;
    struct ArrowSchema table = {.format = "+s",
                                .name = "",
                                .n_children = 1,
                                .children = &children,
                                .release = release_schema};
    lam_output file;
    lam_schema *schema;
    lam_arrow_writer *arrow;
    measure_check(lam_arrow_import_schema(&table, NULL, &schema, &error), &error);
    lam_writer *writer = open_writer(schema, 1, &file);
    measure_check(lam_arrow_writer_create(writer, &table, NULL, &arrow, &error), &error);
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_arrow_writer_destroy(arrow);
    lam_writer_close(writer);
    lam_schema_destroy(schema);

    lam_bytes bytes = lam_output_memory_bytes(&file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    const char *key, *text = "";
    if (!lam_reader_key_value(reader, 0, &key, &text))
        abort();
    size_t size = strlen(text) + 1;
    char *copy = take_memory(size);
    memcpy(copy, text, size);
    lam_reader_close(reader);
    lam_output_close(&file);
    return copy;
}
