/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every encoding, and every codec alone, in both directions through whole pages: one required
 * column from an array into a file in memory and back, without checksums. Rates are bytes of the
 * values in PLAIN (a byte for a boolean) per second, beside memcpy of as many.
 *
 *     bench_encodings [WORD]    only the lines with WORD in them
 */
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "measure.h"

enum { BYTES = 16 << 20, ALPHABET = 26 };

typedef struct encoding_case {
    lam_physical_type type;
    size_t element; /* bytes of one of `values` */
    lam_encoding encoding;
    lam_codec codec;
    size_t count;
    size_t plain_bytes;
    void *values;
    char *text; /* what lam_bytes point to */
    lam_schema *schema;
    lam_output output;
} encoding_case;

static const char *wanted = "";

static void *take_memory(size_t size) {
    void *memory = malloc(size);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t next_random(void) {
    static uint64_t state = 1;
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* --- Measuring ------------------------------------------------------------------------------- */

static double write_values(void *state) {
    encoding_case *c = state;
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    options.codec = c->codec;
    options.page_crc = LAM_SWITCH_OFF;
    options.row_group_rows = BYTES;
    options.row_group_bytes = (uint64_t)1 << 32;
    options.page_rows = BYTES;
    options.dictionary_bytes = 4 * BYTES;
    lam_writer *writer;
    lam_output_close(&c->output);
    measure_check(lam_output_memory(NULL, &c->output, &error), &error);
    lam_output lent = c->output;
    lent.close = NULL;
    measure_check(lam_writer_open(c->schema, &lent, &options, &writer, &error), &error);
    measure_check(lam_writer_set_encoding(writer, "a", c->encoding, &error), &error);
    lam_triples triples = {c->count, c->count, NULL, NULL, c->values};
    double start = measure_now();
    measure_check(lam_writer_write_triples(writer, &triples, c->count, &error), &error);
    measure_check(lam_writer_finish(writer, &error), &error);
    double seconds = measure_now() - start;
    lam_writer_close(writer);
    return seconds;
}

static void check_values(const encoding_case *c, const lam_triples *run, size_t done) {
    const lam_bytes *expected = (const lam_bytes *)c->values + done, *found = run->values;
    bool equal = true;
    if (c->text == NULL)
        equal = memcmp((const char *)c->values + done * c->element, run->values,
                       run->count * c->element) == 0;
    for (size_t i = 0; c->text != NULL && i < run->count; i++)
        equal &= expected[i].size == found[i].size &&
                 memcmp(expected[i].data, found[i].data, found[i].size) == 0;
    if (!equal) {
        fprintf(stderr, "other values came back\n");
        exit(1);
    }
}

static double read_all(encoding_case *c, bool check) {
    lam_error error = lam_error_none();
    lam_bytes bytes = lam_output_memory_bytes(&c->output);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    lam_column_reader *column;
    lam_triples run;
    size_t count = 0;
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    double start = measure_now();
    measure_check(lam_column_reader_open(reader, 0, 0, &column, &error), &error);
    do {
        measure_check(lam_column_reader_read(column, SIZE_MAX, &run, &error), &error);
        if (check)
            check_values(c, &run, count);
        count += run.count;
    } while (run.count > 0);
    lam_column_reader_close(column);
    double seconds = measure_now() - start;
    lam_reader_close(reader);
    if (count != c->count) {
        fprintf(stderr, "%zu values came back\n", count);
        exit(1);
    }
    return seconds;
}

static double read_values(void *state) {
    return read_all(state, false);
}

static double copy_values(void *state) {
    encoding_case *c = state;
    static char *copy;
    if (copy == NULL) { /* touched once, so that no page of it is new */
        copy = take_memory(2 * BYTES);
        memset(copy, 1, 2 * BYTES);
    }
    const void *from = c->text == NULL ? c->values : c->text;
    double start = measure_now();
    memcpy(copy, from, c->plain_bytes);
    return measure_now() - start;
}

/* Measures and prints a line; frees the values. */
static void run_case(const char *name, encoding_case *c) {
    if (strstr(name, wanted) != NULL) {
        double bytes = (double)c->plain_bytes * 1e-9;
        double encode = bytes / measure_median(write_values, c);
        read_all(c, true);
        double decode = bytes / measure_median(read_values, c);
        double copy = bytes / measure_median(copy_values, c);
        printf("%-52s %8.2f %8.2f %8.2f %7.1f%%\n", name, encode, decode, copy,
               (double)lam_output_memory_bytes(&c->output).size / (double)c->plain_bytes * 100);
        fflush(stdout);
    }
    lam_output_close(&c->output);
    lam_schema_destroy(c->schema);
    free(c->values);
    free(c->text);
}

/* --- Values ---------------------------------------------------------------------------------- */

/* A case with room for values of `BYTES` altogether, 0 for strings. */
static encoding_case start_case(const char *leaf, lam_physical_type type, size_t element,
                                lam_encoding encoding) {
    encoding_case c = {.type = type, .element = element, .encoding = encoding};
    char text[100];
    int size = snprintf(text, sizeof text, "message m { required %s a; }", leaf);
    lam_error error = lam_error_none();
    measure_check(lam_schema_parse(text, (size_t)size, NULL, &c.schema, &error), &error);
    c.codec = LAM_CODEC_UNCOMPRESSED;
    if (element > 0) {
        c.count = BYTES / element;
        c.plain_bytes = c.count * element;
        c.values = take_memory(c.plain_bytes + sizeof(uint64_t));
    }
    return c;
}

/* Stores the low bytes of a number as value `i`. */
static void set_number(encoding_case *c, size_t i, uint64_t number) {
    uint32_t narrow = (uint32_t)number;
    if (c->element == sizeof narrow)
        memcpy((char *)c->values + i * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy((char *)c->values + i * sizeof number, &number, sizeof number);
}

static uint64_t random_bits(unsigned width) {
    return width == 0 ? 0 : next_random() >> (64 - width);
}

/* Numbers whose steps have `width` bits. */
static encoding_case start_steps(unsigned bits, unsigned width, lam_encoding encoding) {
    encoding_case c = bits == 32 ? start_case("int32", LAM_PHYSICAL_INT32, 4, encoding)
                                 : start_case("int64", LAM_PHYSICAL_INT64, 8, encoding);
    uint64_t number = 0;
    for (size_t i = 0; i < c.count; i++)
        set_number(&c, i, number += random_bits(width));
    return c;
}

/* 2^width different numbers. */
static encoding_case start_choices(unsigned bits, unsigned width, lam_encoding encoding) {
    encoding_case c = bits == 32 ? start_case("int32", LAM_PHYSICAL_INT32, 4, encoding)
                                 : start_case("int64", LAM_PHYSICAL_INT64, 8, encoding);
    for (size_t i = 0; i < c.count; i++)
        set_number(&c, i, random_bits(width) * UINT64_C(0x9E3779B97F4A7C15));
    return c;
}

/* 1024 different numbers, each some 1 to 2 * run - 1 times before the next one comes. */
static encoding_case start_repeats(unsigned run, lam_encoding encoding) {
    encoding_case c = start_case("int64", LAM_PHYSICAL_INT64, 8, encoding);
    uint64_t number = 0;
    for (size_t i = 0, left = 0; i < c.count; i++, left--) {
        if (left == 0) {
            number = random_bits(10) * UINT64_C(0x9E3779B97F4A7C15);
            left = 1 + (size_t)(next_random() % (2 * run - 1));
        }
        set_number(&c, i, number);
    }
    return c;
}

static encoding_case start_fixed(size_t element, lam_encoding encoding) {
    char leaf[40];
    snprintf(leaf, sizeof leaf, "fixed_len_byte_array(%zu)", element);
    encoding_case c = start_case(leaf, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, element, encoding);
    for (size_t i = 0; i < c.plain_bytes; i++)
        ((uint8_t *)c.values)[i] = (uint8_t)(i % element < element / 2 ? 7 : next_random());
    return c;
}

/* Reals of two decimal digits behind the point, or any bits at all. */
static encoding_case start_reals(unsigned bits, bool decimal, lam_encoding encoding) {
    encoding_case c = bits == 32 ? start_case("float", LAM_PHYSICAL_FLOAT, 4, encoding)
                                 : start_case("double", LAM_PHYSICAL_DOUBLE, 8, encoding);
    for (size_t i = 0; i < c.count; i++) {
        double wide = (double)random_bits(17) / 100;
        float narrow = (float)((double)random_bits(17) / 100);
        uint64_t any = next_random();
        memcpy((char *)c.values + i * c.element,
               !decimal     ? (void *)&any
               : bits == 32 ? (void *)&narrow
                            : (void *)&wide,
               c.element);
    }
    return c;
}

static encoding_case start_booleans(unsigned run, lam_encoding encoding) {
    encoding_case c = start_case("boolean", LAM_PHYSICAL_BOOLEAN, 1, encoding);
    for (size_t i = 0; i < c.count; i++)
        ((uint8_t *)c.values)[i] = run == 1 ? next_random() & 1 : i / run & 1;
    return c;
}

/* Strings of about `length` letters that share `shared` with the one before; `choices` of them. */
static encoding_case start_strings(size_t length, size_t shared, size_t choices,
                                   lam_encoding encoding) {
    encoding_case c = start_case("binary", LAM_PHYSICAL_BYTE_ARRAY, 0, encoding);
    c.count = BYTES / (length + 4);
    lam_bytes *values = take_memory(c.count * sizeof *values);
    c.values = values;
    c.text = take_memory(2 * BYTES);
    memset(c.text, 'a', 2 * BYTES);
    char *next = c.text;
    for (size_t i = 0; i < c.count; i++) {
        size_t size = length / 2 + (size_t)(next_random() % (length + 1));
        if (choices > 0 && i >= choices) {
            values[i] = values[next_random() % choices];
        } else {
            values[i] = (lam_bytes){(const uint8_t *)next, size};
            for (size_t b = shared; b < size; b++)
                next[b] = (char)('a' + next_random() % ALPHABET);
            next += size;
        }
        c.plain_bytes += values[i].size + 4;
    }
    return c;
}

/* --- Lines ----------------------------------------------------------------------------------- */

static void run_named(encoding_case c, const char *what) {
    char name[100];
    snprintf(name, sizeof name, "%s %s", lam_encoding_name(c.encoding), what);
    run_case(name, &c);
}

static void run_widths(void) {
    char what[60];
    for (unsigned width = 0; width <= 64; width++) {
        snprintf(what, sizeof what, "INT64, width %u", width);
        run_named(start_steps(64, width, LAM_ENCODING_DELTA_BINARY_PACKED), what);
    }
    for (unsigned width = 0; width <= 32; width++) {
        snprintf(what, sizeof what, "INT32, width %u", width);
        run_named(start_steps(32, width, LAM_ENCODING_DELTA_BINARY_PACKED), what);
    }
    for (unsigned width = 0; width <= 20; width++) {
        snprintf(what, sizeof what, "INT64, width %u", width);
        run_named(start_choices(64, width, LAM_ENCODING_RLE_DICTIONARY), what);
    }
    for (unsigned run = 4; run <= 64; run *= 4) {
        snprintf(what, sizeof what, "INT64, runs of about %u", run);
        run_named(start_repeats(run, LAM_ENCODING_RLE_DICTIONARY), what);
    }
    for (unsigned width = 0; width <= 20; width += 4) {
        snprintf(what, sizeof what, "INT32, width %u", width);
        run_named(start_choices(32, width, LAM_ENCODING_RLE_DICTIONARY), what);
    }
}

static void run_numbers(void) {
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_BYTE_STREAM_SPLIT};
    for (size_t i = 0; i < 2; i++) {
        run_named(start_steps(32, 8, encodings[i]), "INT32");
        run_named(start_steps(64, 8, encodings[i]), "INT64");
        run_named(start_reals(32, true, encodings[i]), "FLOAT");
        run_named(start_reals(64, true, encodings[i]), "DOUBLE");
        run_named(start_fixed(2, encodings[i]), "FIXED_LEN_BYTE_ARRAY(2)");
        run_named(start_fixed(5, encodings[i]), "FIXED_LEN_BYTE_ARRAY(5)");
        run_named(start_fixed(12, encodings[i]), "FIXED_LEN_BYTE_ARRAY(12)");
        run_named(start_fixed(16, encodings[i]), "FIXED_LEN_BYTE_ARRAY(16)");
    }
    run_named(start_reals(32, true, LAM_ENCODING_ALP), "FLOAT of 2 decimal digits");
    run_named(start_reals(64, true, LAM_ENCODING_ALP), "DOUBLE of 2 decimal digits");
    run_named(start_reals(32, false, LAM_ENCODING_ALP), "FLOAT of any bits");
    run_named(start_reals(64, false, LAM_ENCODING_ALP), "DOUBLE of any bits");
    run_named(start_booleans(1, LAM_ENCODING_PLAIN), "BOOLEAN");
    run_named(start_booleans(1, LAM_ENCODING_RLE), "BOOLEAN, random");
    run_named(start_booleans(1000, LAM_ENCODING_RLE), "BOOLEAN, runs of 1000");
    run_named(start_booleans(20, LAM_ENCODING_RLE), "BOOLEAN, runs of 20");
}

static void run_strings(void) {
    static const lam_encoding encodings[] = {
        LAM_ENCODING_PLAIN, LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, LAM_ENCODING_DELTA_BYTE_ARRAY};
    for (size_t i = 0; i < 3; i++) {
        run_named(start_strings(8, 0, 0, encodings[i]), "of 8 letters");
        run_named(start_strings(20, 0, 0, encodings[i]), "of 20 letters");
        run_named(start_strings(20, 10, 0, encodings[i]), "of 20 letters, 10 shared");
        run_named(start_strings(200, 100, 0, encodings[i]), "of 200 letters, 100 shared");
    }
    run_named(start_fixed(16, LAM_ENCODING_DELTA_BYTE_ARRAY), "FIXED_LEN_BYTE_ARRAY(16)");
    run_named(start_fixed(5, LAM_ENCODING_DELTA_BYTE_ARRAY), "FIXED_LEN_BYTE_ARRAY(5)");
    run_named(start_fixed(16, LAM_ENCODING_RLE_DICTIONARY),
              "FIXED_LEN_BYTE_ARRAY(16), no two equal");
    run_named(start_strings(20, 0, 200, LAM_ENCODING_RLE_DICTIONARY), "200 strings of 20 letters");
    run_named(start_strings(20, 0, 20000, LAM_ENCODING_RLE_DICTIONARY),
              "20000 strings of 20 letters");
}

static void run_codecs(void) {
    static const lam_codec codecs[] = {LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD, LAM_CODEC_LZ4_RAW,
                                       LAM_CODEC_GZIP, LAM_CODEC_BROTLI};
    char name[80];
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        encoding_case numbers = start_steps(64, 8, LAM_ENCODING_PLAIN);
        encoding_case strings = start_strings(20, 10, 0, LAM_ENCODING_PLAIN);
        numbers.codec = strings.codec = codecs[i];
        snprintf(name, sizeof name, "%s PLAIN INT64", lam_codec_name(codecs[i]));
        run_case(name, &numbers);
        snprintf(name, sizeof name, "%s PLAIN of 20 letters, 10 shared", lam_codec_name(codecs[i]));
        run_case(name, &strings);
    }
}

/* Memory that is freed is used again: else the kernel, which clears new pages, is what is
 * measured. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    wanted = argc > 1 ? argv[1] : "";
    printf("%-52s %8s %8s %8s %8s\n", "GB/s", "encode", "decode", "memcpy", "size");
    run_numbers();
    run_strings();
    run_widths();
    run_codecs();
    return 0;
}
