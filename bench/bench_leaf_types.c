/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value costs on its way from a page to an Arrow array, for each physical type, encoding and
 * Arrow type: a column in memory, uncompressed, is read as a stream whose batches are dropped.
 *
 *     bench_leaf_types [WORD [ROWS]]    only the lines with WORD in them
 *
 * Printed is processor time per row, the least of some rounds, of a required column and of one with
 * a twentieth of nulls; and both in parts of the cheapest kin, which is the column of the same
 * encoding and the same width of the Arrow element; strings have kin of their length, short (5 to
 * 30 bytes) or long (66 to 390), and dictionary arrays each other. The lines that cost more than 3
 * times their cheapest kin come again at the end, with the reason where there is one.
 */
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "leaf_sample.h"
#include "measure.h"

enum { ROWS = 1 << 19, ROUNDS = 7, LINES_MAX = 1000, TEXT_BYTES = 32 << 20, LONG_TEXT = 200 };

#define MANY (UINT64_C(1) << 40)

/* --- Kinds ----------------------------------------------------------------------------------- */

#define NUMBERS LEAF_VALUES_NUMBERS
#define SIGNED LEAF_VALUES_SIGNED
#define REALS LEAF_VALUES_REALS
#define BITS LEAF_VALUES_BITS
#define HALVES LEAF_VALUES_HALVES
#define INSTANTS LEAF_VALUES_INSTANTS
#define TEXT LEAF_VALUES_TEXT

static const leaf_kind numbers[] = {
    {"boolean", "", "b", NUMBERS, 2, LAM_PHYSICAL_BOOLEAN, "bit", false},
    {"int32", "INTEGER(8,true)", "c", SIGNED, 256, LAM_PHYSICAL_INT32, "1", false},
    {"int32", "INTEGER(8,false)", "C", NUMBERS, 256, LAM_PHYSICAL_INT32, "1", false},
    {"int32", "INTEGER(16,true)", "s", SIGNED, 65536, LAM_PHYSICAL_INT32, "2", false},
    {"int32", "INTEGER(16,false)", "S", NUMBERS, 65536, LAM_PHYSICAL_INT32, "2", false},
    {"int32", "", "i", SIGNED, 2000000000, LAM_PHYSICAL_INT32, "4", false},
    {"int32", "INTEGER(32,false)", "I", NUMBERS, 2000000000, LAM_PHYSICAL_INT32, "4", false},
    {"int32", "DATE", "tdD", NUMBERS, 20000, LAM_PHYSICAL_INT32, "4", false},
    {"int32", "DATE", "tdm", NUMBERS, 20000, LAM_PHYSICAL_INT32, "8", false},
    {"int32", "TIME(MILLIS,true)", "ttm", NUMBERS, 86400000, LAM_PHYSICAL_INT32, "4", false},
    {"int64", "", "l", SIGNED, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "INTEGER(64,false)", "L", NUMBERS, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "", "tDu", SIGNED, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "TIME(MICROS,true)", "ttu", NUMBERS, UINT64_C(86400000000), LAM_PHYSICAL_INT64, "8",
     false},
    {"int64", "TIMESTAMP(MILLIS,true)", "tsm:UTC", NUMBERS, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "TIMESTAMP(MICROS,false)", "tsu:", NUMBERS, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "TIMESTAMP(NANOS,true)", "tsn:UTC", NUMBERS, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int96", "", "tsn:", INSTANTS, 0, LAM_PHYSICAL_INT96, "8", false},
    {"int96", "", "tsu:", INSTANTS, 0, LAM_PHYSICAL_INT96, "8", false},
    {"int96", "", "tsm:", INSTANTS, 0, LAM_PHYSICAL_INT96, "8", false},
    {"float", "", "f", REALS, MANY, LAM_PHYSICAL_FLOAT, "4", false},
    {"double", "", "g", REALS, MANY, LAM_PHYSICAL_DOUBLE, "8", false},
};

#define FIXED(length) "fixed_len_byte_array(" #length ")"

static const leaf_kind decimals[] = {
    {"int32", "DECIMAL(9,2)", "d:9,2,32", SIGNED, 999999999, LAM_PHYSICAL_INT32, "4", false},
    {"int32", "DECIMAL(9,2)", "d:9,2,64", SIGNED, 999999999, LAM_PHYSICAL_INT32, "8", false},
    {"int32", "DECIMAL(9,2)", "d:9,2", SIGNED, 999999999, LAM_PHYSICAL_INT32, "16", false},
    {"int32", "DECIMAL(9,2)", "d:9,2,256", SIGNED, 999999999, LAM_PHYSICAL_INT32, "32", false},
    {"int64", "DECIMAL(15,2)", "d:15,2,64", SIGNED, MANY, LAM_PHYSICAL_INT64, "8", false},
    {"int64", "DECIMAL(15,2)", "d:15,2", SIGNED, MANY, LAM_PHYSICAL_INT64, "16", false},
    {"int64", "DECIMAL(15,2)", "d:15,2,256", SIGNED, MANY, LAM_PHYSICAL_INT64, "32", false},
    {FIXED(4), "DECIMAL(9,2)", "d:9,2,32", BITS, 29, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "4", false},
    {FIXED(4), "DECIMAL(9,2)", "d:9,2", BITS, 29, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16", false},
    {FIXED(7), "DECIMAL(15,2)", "d:15,2,64", BITS, 49, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "8",
     false},
    {FIXED(7), "DECIMAL(15,2)", "d:15,2", BITS, 49, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16", false},
    {FIXED(7), "DECIMAL(15,2)", "d:15,2,256", BITS, 49, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "32",
     false},
    {FIXED(8), "DECIMAL(18,2)", "d:18,2,64", BITS, 59, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "8",
     false},
    {FIXED(8), "DECIMAL(18,2)", "d:18,2", BITS, 59, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16", false},
    {FIXED(11), "DECIMAL(25,2)", "d:25,2", BITS, 83, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16",
     false},
    {FIXED(16), "DECIMAL(38,2)", "d:38,2", BITS, 126, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16",
     false},
    {FIXED(16), "DECIMAL(38,2)", "d:38,2,256", BITS, 126, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "32",
     false},
    {FIXED(32), "DECIMAL(76,2)", "d:76,2,256", BITS, 252, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "32",
     false},
    {"binary", "DECIMAL(9,2)", "d:9,2,32", BITS, 29, LAM_PHYSICAL_BYTE_ARRAY, "4", false},
    {"binary", "DECIMAL(15,2)", "d:15,2,64", BITS, 49, LAM_PHYSICAL_BYTE_ARRAY, "8", false},
    {"binary", "DECIMAL(15,2)", "d:15,2", BITS, 49, LAM_PHYSICAL_BYTE_ARRAY, "16", false},
    {"binary", "DECIMAL(38,2)", "d:38,2", BITS, 126, LAM_PHYSICAL_BYTE_ARRAY, "16", false},
    {"binary", "DECIMAL(76,2)", "d:76,2,256", BITS, 252, LAM_PHYSICAL_BYTE_ARRAY, "32", false},
};

static const leaf_kind fixed[] = {
    {FIXED(2), "FLOAT16", "e", HALVES, 0, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "2", false},
    {FIXED(2), "", "w:2", BITS, 16, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "2", false},
    {FIXED(4), "", "w:4", BITS, 32, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "4", false},
    {FIXED(5), "", "w:5", BITS, 40, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "5", false},
    {FIXED(8), "", "w:8", BITS, 64, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "8", false},
    {FIXED(12), "INTERVAL", "tin", LEAF_VALUES_INTERVALS, 0, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
     "16", false},
    {FIXED(16), "", "w:16", BITS, 128, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16", false},
    {FIXED(16), "", "w:16", BITS, 128, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "index", true},
    {FIXED(16), "UUID", "w:16", BITS, 128, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "16", false},
    {FIXED(32), "", "w:32", BITS, 256, LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, "32", false},
};

/* Strings of 5 to 30 bytes, and of 66 to 390. */
static const leaf_kind strings[] = {
    {"binary", "STRING", "u", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "STRING", "U", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "STRING", "vu", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "STRING", "u", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "index", true},
    {"binary", "", "z", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "", "Z", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "", "vz", TEXT, 16, LAM_PHYSICAL_BYTE_ARRAY, "short", false},
    {"binary", "STRING", "u", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "long", false},
    {"binary", "STRING", "U", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "long", false},
    {"binary", "STRING", "vu", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "long", false},
    {"binary", "STRING", "u", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "index", true},
    {"binary", "", "z", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "long", false},
    {"binary", "", "vz", TEXT, LONG_TEXT, LAM_PHYSICAL_BYTE_ARRAY, "long", false},
};

static const lam_encoding encodings[] = {
    LAM_ENCODING_PLAIN,
    LAM_ENCODING_RLE_DICTIONARY,
    LAM_ENCODING_RLE,
    LAM_ENCODING_DELTA_BINARY_PACKED,
    LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
    LAM_ENCODING_DELTA_BYTE_ARRAY,
    LAM_ENCODING_BYTE_STREAM_SPLIT,
    LAM_ENCODING_ALP,
};

/* --- Measuring ------------------------------------------------------------------------------- */

enum { REQUIRED, WITH_NULLS, COLUMNS };

typedef struct line {
    const leaf_kind *kind;
    lam_encoding encoding;
    double nanos[COLUMNS]; /* per row */
    double share[COLUMNS]; /* in parts of the cheapest kin's */
} line;

static line lines[LINES_MAX];
static size_t line_count;

/* The name of a line: the encoding, what is in the file, the Arrow format. */
static void line_name(const line *l, char *buffer, size_t capacity) {
    const leaf_kind *kind = l->kind;
    snprintf(buffer, capacity, "%-23s %-24s %-23s %s%s", lam_encoding_name(l->encoding), kind->leaf,
             kind->logical, kind->dictionary ? "dictionary of " : "", kind->format);
}

/* The array has to be of the type that is measured. */
static void check_format(const leaf_kind *kind, struct ArrowArrayStream *stream) {
    struct ArrowSchema schema;
    measure_check_stream(stream->get_schema(stream, &schema), stream);
    const struct ArrowSchema *column = schema.children[0];
    bool has_dictionary = column->dictionary != NULL;
    const char *format = has_dictionary ? column->dictionary->format : column->format;
    if (strcmp(format, kind->format) != 0 || has_dictionary != kind->dictionary) {
        fprintf(stderr, "%s %s is read as %s, not as %s\n", kind->leaf, kind->logical, format,
                kind->format);
        exit(1);
    }
    schema.release(&schema);
}

/* Reads the column once; gives the processor's seconds. */
static double read_column(const lam_reader *reader, const leaf_kind *kind, size_t rows) {
    lam_error error = lam_error_none();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    size_t count = 0;
    options.dictionary_leaves = kind->dictionary ? &kind->dictionary : NULL;
    double start = measure_cpu();
    measure_check(lam_arrow_read_stream(reader, &options, &stream, &error), &error);
    for (;;) {
        measure_check_stream(stream.get_next(&stream, &array), &stream);
        if (array.release == NULL)
            break;
        count += (size_t)array.length;
        array.release(&array);
    }
    double seconds = measure_cpu() - start;
    check_format(kind, &stream);
    stream.release(&stream);
    if (count != rows) {
        fprintf(stderr, "%zu rows came back\n", count);
        exit(1);
    }
    return seconds;
}

static double least_nanos(const lam_output *file, const leaf_kind *kind, size_t rows) {
    lam_error error = lam_error_none();
    lam_bytes bytes = lam_output_memory_bytes(file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    double least = read_column(reader, kind, rows);
    for (int i = 1; i < ROUNDS; i++) {
        double seconds = read_column(reader, kind, rows);
        least = seconds < least ? seconds : least;
    }
    lam_reader_close(reader);
    return least * 1e9 / (double)rows;
}

/* Measures one kind in one encoding, if that can hold it. */
static void run_line(const leaf_kind *kind, lam_encoding encoding, const char *hint, size_t rows,
                     const char *wanted) {
    char name[160];
    line *l = &lines[line_count];
    *l = (line){.kind = kind, .encoding = encoding};
    line_name(l, name, sizeof name);
    if (strstr(name, wanted) == NULL || line_count == LINES_MAX)
        return;
    if (kind->type == LAM_PHYSICAL_BYTE_ARRAY && rows > TEXT_BYTES / kind->limit)
        rows = TEXT_BYTES / kind->limit;
    for (int nulls = REQUIRED; nulls < COLUMNS; nulls++) {
        lam_output file;
        if (!leaf_sample_write(kind, encoding, nulls == WITH_NULLS, rows, hint, &file))
            return;
        l->nanos[nulls] = least_nanos(&file, kind, rows);
        lam_output_close(&file);
    }
    line_count++;
}

static void run_kinds(const leaf_kind *kinds, size_t count, size_t rows, const char *wanted) {
    for (size_t i = 0; i < count; i++) {
        char *hint = kinds[i].dictionary ? NULL : leaf_sample_hint(kinds[i].format);
        for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++)
            run_line(&kinds[i], encodings[e], hint, rows, wanted);
        free(hint);
    }
}

/* --- Kin ------------------------------------------------------------------------------------- */

static bool are_kin(const line *a, const line *b) {
    return a->encoding == b->encoding && strcmp(a->kind->kin, b->kind->kin) == 0;
}

static void compare_kin(void) {
    for (size_t i = 0; i < line_count; i++) {
        for (int column = 0; column < COLUMNS; column++) {
            double least = lines[i].nanos[column];
            for (size_t k = 0; k < line_count; k++)
                if (are_kin(&lines[i], &lines[k]) && lines[k].nanos[column] < least)
                    least = lines[k].nanos[column];
            lines[i].share[column] = lines[i].nanos[column] / least;
        }
    }
}

static int by_kin(const void *a, const void *b) {
    const line *x = a, *y = b;
    if (x->encoding != y->encoding)
        return x->encoding < y->encoding ? -1 : 1;
    int kin = strcmp(x->kind->kin, y->kind->kin);
    if (kin != 0)
        return kin;
    return (x->nanos[REQUIRED] > y->nanos[REQUIRED]) - (x->nanos[REQUIRED] < y->nanos[REQUIRED]);
}

static bool is_marked(const line *l) {
    const double most = 3;
    return l->share[REQUIRED] > most || l->share[WITH_NULLS] > most;
}

/*
 * Why columns cost more than their kin, where that cannot be helped: the first row that agrees. A
 * member is the beginning of a name, NULL for any.
 */
enum { ANY_ENCODING = -1 };

static const struct {
    int encoding;
    const char *leaf;
    const char *logical;
    const char *format;
    const char *kin;
    const char *reason;
} reasons[] = {
    {ANY_ENCODING, "int32", "INTEGER(16", NULL, "2",
     "four bytes are read for each two of the array, its kin have two"},
    {ANY_ENCODING, "int96", NULL, NULL, NULL,
     "12 bytes: days times a factor plus nanoseconds by a factor, each checked for overflow"},
    {ANY_ENCODING, "int32", "DATE", "tdm", NULL,
     "a day is multiplied, and the array is twice as wide as the file"},
    {ANY_ENCODING, "int32", "DECIMAL", NULL, NULL,
     "each number is compared with its precision and widened; its kin are copied"},
    {ANY_ENCODING, "int64", "DECIMAL", NULL, NULL,
     "each number is compared with its precision; its kin are copied"},
    {LAM_ENCODING_BYTE_STREAM_SPLIT, "fixed_len_byte_array(32)", NULL, NULL, NULL,
     "a value comes from 32 streams, of its kin from 4 or 16"},
    {LAM_ENCODING_DELTA_BYTE_ARRAY, "binary", NULL, NULL, NULL,
     "two lengths a value, of which one depends on the value before"},
    {ANY_ENCODING, "fixed_len_byte_array", "DECIMAL", NULL, NULL,
     "bytes are reversed and compared with the precision; its kin are copied"},
    {ANY_ENCODING, "binary", "DECIMAL", NULL, NULL,
     "each value has a length of its own to read and to shift by; its kin are copied"},
    {ANY_ENCODING, "fixed_len_byte_array(12)", "INTERVAL", NULL, NULL,
     "milliseconds become nanoseconds of 64 bits, so every part moves"},
    {LAM_ENCODING_RLE_DICTIONARY, "binary", NULL, NULL, "long",
     "the bytes are copied for each row, where views lead into the dictionary"},
    {LAM_ENCODING_RLE_DICTIONARY, "binary", NULL, NULL, "short",
     "the bytes are copied for each row, where views lead into the dictionary"},
    {ANY_ENCODING, "binary", NULL, NULL, "index",
     "nearly every value is new and hashed: 200 bytes, of its kin 16"},
};

static bool begins_with(const char *name, const char *start) {
    return start == NULL || strncmp(name, start, strlen(start)) == 0;
}

static const char *reason_of(const line *l) {
    const leaf_kind *kind = l->kind;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if ((reasons[i].encoding == ANY_ENCODING || reasons[i].encoding == (int)l->encoding) &&
            begins_with(kind->leaf, reasons[i].leaf) &&
            begins_with(kind->logical, reasons[i].logical) &&
            begins_with(kind->format, reasons[i].format) && begins_with(kind->kin, reasons[i].kin))
            return reasons[i].reason;
    return "";
}

static void print_line(const line *l) {
    char name[160];
    line_name(l, name, sizeof name);
    printf("%-95s %5s %8.2f %8.2f %7.1fx %6.1fx", name, l->kind->kin, l->nanos[REQUIRED],
           l->nanos[WITH_NULLS], l->share[REQUIRED], l->share[WITH_NULLS]);
    printf("%s%s\n", is_marked(l) ? "  * " : "", is_marked(l) ? reason_of(l) : "");
}

static void print_lines(void) {
    size_t marked = 0, unexplained = 0;
    printf("%-95s %5s %8s %8s %8s %7s\n", "ns per row", "kin", "required", "nulls", "of kin",
           "nulls");
    for (size_t i = 0; i < line_count; i++) {
        if (i > 0 && !are_kin(&lines[i - 1], &lines[i]))
            printf("\n");
        print_line(&lines[i]);
        marked += is_marked(&lines[i]);
        unexplained += is_marked(&lines[i]) && reason_of(&lines[i])[0] == '\0';
    }
    printf("\n%zu of %zu lines cost more than 3 times their cheapest kin, %zu without a reason\n",
           marked, line_count, unexplained);
    for (size_t i = 0; i < line_count; i++)
        if (is_marked(&lines[i]))
            print_line(&lines[i]);
}

/* Memory that is freed is used again: else the kernel, which clears new pages, is what is
 * measured. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

#define RUN(kinds) run_kinds(kinds, sizeof kinds / sizeof kinds[0], rows, wanted)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : "";
    size_t rows = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : ROWS;
    keep_memory();
    RUN(numbers);
    RUN(decimals);
    RUN(fixed);
    RUN(strings);
    compare_kin();
    qsort(lines, line_count, sizeof lines[0], by_kin);
    print_lines();
    return 0;
}
