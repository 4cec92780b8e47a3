/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast JSON becomes VARIANT and VARIANT JSON, and values are shredded into columns and put
 * together again, on one core:
 *
 *     bench_variant [FILE]
 *
 * FILE holds one JSON value per line, and is shredded as inference wants it; without it the lines
 * are log events of one shape, as a service might write them, and what is shredded are their
 * fields. "JSON parsed" is the parser of the library and the search for members, with nothing made
 * of them.
 */
#include <lamella/dremel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { LINES = 40000, LINE_ROOM = 1024, INFERRED_LINES = 16384 };

static const char PLAIN[] =
    "message m { required group v (VARIANT) { required binary metadata; required binary value; } }";

static const char SHREDDED[] =
    "message m { required group v (VARIANT) {\n"
    "  required binary metadata; optional binary value;\n"
    "  optional group typed_value {\n"
    "    required group id { optional binary value; optional int64 typed_value; }\n"
    "    required group time { optional binary value; optional binary typed_value (STRING); }\n"
    "    required group level { optional binary value; optional binary typed_value (STRING); }\n"
    "    required group took { optional binary value; optional int32 typed_value (DECIMAL(9,3)); "
    "}\n"
    "    required group ok { optional binary value; optional boolean typed_value; }\n"
    "    required group tags { optional binary value; optional group typed_value (LIST) {\n"
    "      repeated group list { required group element {\n"
    "        optional binary value; optional binary typed_value (STRING); } } } }\n"
    "    required group user { optional binary value; optional group typed_value {\n"
    "      required group name { optional binary value; optional binary typed_value (STRING); }\n"
    "      required group zip { optional binary value; optional int32 typed_value; } } }\n"
    "  } } }\n";

/* --- Lines and what they become --------------------------------------------------------------- */

typedef struct line {
    const char *text;
    size_t size;
    lam_variant variant; /* a copy of its own */
} line;

typedef struct workload {
    line *lines;
    size_t count;
    size_t text_bytes;
    size_t variant_bytes;
    size_t values; /* in all lines: scalars, objects and arrays */
    lam_schema *plain;
    lam_schema *shredded;
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_shredder *columns; /* all lines, shredded */
} workload;

static void *allocate(size_t size) {
    void *memory = malloc(size == 0 ? 1 : size);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static size_t print_line(char *text, uint64_t number, uint64_t *state) {
    static const char *const levels[] = {"info", "info", "info", "debug", "warning", "error"};
    static const char *const tags[] = {"web", "batch", "eu-west", "eu-north", "canary", "retry"};
    unsigned milliseconds = (unsigned)(next_random(state) % 1000);
    return (size_t)snprintf(
        text, LINE_ROOM,
        "{\"id\": %llu, \"time\": \"2024-10-24T12:%02u:%02u.%03uZ\", \"level\": \"%s\", "
        "\"took\": %u.%03u, \"ok\": %s, \"tags\": [\"%s\", \"%s\"], \"user\": {\"name\": "
        "\"user-%u\", \"zip\": %u, \"agent\": \"Mozilla/5.0 (X11; Linux x86_64)\"}, \"request\": "
        "{\"path\": \"/items/%u/detail\", \"bytes\": %u, \"headers\": {\"accept\": \"*/*\", "
        "\"host\": \"example.org\"}}, \"trace\": \"%08x%08x\"}",
        (unsigned long long)(1700000000000 + number), (unsigned)(number / 60 % 60),
        (unsigned)(number % 60), milliseconds, levels[next_random(state) % 6],
        (unsigned)(next_random(state) % 30), milliseconds,
        next_random(state) % 10 == 0 ? "false" : "true", tags[next_random(state) % 6],
        tags[next_random(state) % 6], (unsigned)(next_random(state) % 5000),
        10000 + (unsigned)(next_random(state) % 80000), (unsigned)(next_random(state) % 100000),
        (unsigned)(next_random(state) % 65536), (unsigned)next_random(state),
        (unsigned)next_random(state));
}

static void make_lines(workload *w) {
    uint64_t state = 1;
    w->lines = allocate(LINES * sizeof *w->lines);
    for (size_t i = 0; i < LINES; i++) {
        char *text = allocate(LINE_ROOM);
        w->lines[i].text = text;
        w->lines[i].size = print_line(text, i, &state);
    }
    w->count = LINES;
}

/* All of a file, which stays as long as the program. */
static char *read_file(const char *path, size_t *ret_size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    rewind(file);
    char *text = allocate((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    text[size] = '\n';
    *ret_size = (size_t)size + 1;
    return text;
}

static void read_lines(workload *w, const char *path) {
    size_t size, capacity = 0;
    char *text = read_file(path, &size);
    for (size_t at = 0; at < size;) {
        size_t end = (size_t)((char *)memchr(text + at, '\n', size - at) - text);
        if (w->count == capacity) {
            capacity = capacity * 2 + 1024;
            w->lines = realloc(w->lines, capacity * sizeof *w->lines);
            if (w->lines == NULL)
                abort();
        }
        if (end > at) {
            w->lines[w->count].text = text + at;
            w->lines[w->count++].size = end - at;
        }
        at = end + 1;
    }
}

static size_t count_values(lam_variant variant) {
    lam_variant_iterator walk;
    lam_variant part;
    bool more = true;
    size_t count = 1;
    if (lam_variant_iterate(variant, &walk, NULL) != LAM_STATUS_OK)
        return 1;
    while (lam_variant_next(&walk, NULL, &part, &more, NULL) == LAM_STATUS_OK && more)
        count += count_values(part);
    return count;
}

static lam_bytes copy_bytes(lam_bytes bytes) {
    uint8_t *copy = allocate(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    lam_bytes result = {copy, bytes.size};
    return result;
}

/* --- What is measured ------------------------------------------------------------------------- */

static lam_variant build(workload *w, const line *one) {
    lam_error error = lam_error_none();
    lam_variant variant;
    measure_check(lam_json_parser_read(w->parser, one->text, one->size, w->builder, &error),
                  &error);
    measure_check(lam_variant_builder_finish(w->builder, &variant, &error), &error);
    return variant;
}

static double time_build(void *state) {
    workload *w = state;
    double start = measure_now();
    for (size_t i = 0; i < w->count; i++)
        (void)build(w, &w->lines[i]);
    return measure_now() - start;
}

static double time_validate(void *state) {
    workload *w = state;
    lam_error error = lam_error_none();
    double start = measure_now();
    for (size_t i = 0; i < w->count; i++)
        measure_check(lam_variant_validate(w->lines[i].variant, 0, &error), &error);
    return measure_now() - start;
}

/* Reads one field of each value. */
static double time_look(void *state) {
    workload *w = state;
    double start = measure_now();
    size_t found = 0;
    for (size_t i = 0; i < w->count; i++) {
        lam_variant user, name;
        found += lam_variant_field(w->lines[i].variant, "user", 4, &user, NULL) == LAM_STATUS_OK &&
                 lam_variant_field(user, "name", 4, &name, NULL) == LAM_STATUS_OK;
    }
    double seconds = measure_now() - start;
    return found > w->count ? 0 : seconds;
}

static lam_status drop_bytes(void *state, const void *bytes, size_t size, lam_error *error) {
    (void)bytes;
    (void)error;
    *(size_t *)state += size;
    return LAM_STATUS_OK;
}

static double time_print(void *state) {
    workload *w = state;
    lam_error error = lam_error_none();
    lam_json_writer *writer;
    size_t written = 0;
    lam_output output = {0};
    output.state = &written;
    output.write = drop_bytes;
    measure_check(lam_json_writer_create(w->plain, &output, NULL, NULL, &writer, &error), &error);
    lam_record_sink sink = lam_json_writer_sink(writer);
    const lam_field *group = lam_schema_field(w->plain, 1);
    double start = measure_now();
    for (size_t i = 0; i < w->count; i++) {
        lam_value metadata, value;
        metadata.bytes = w->lines[i].variant.metadata;
        value.bytes = w->lines[i].variant.value;
        (void)!sink.begin(sink.state, NULL);
        (void)!sink.open(sink.state, group, NULL);
        (void)!sink.put(sink.state, lam_field_child(group, 0), metadata, NULL);
        (void)!sink.put(sink.state, lam_field_child(group, 1), value, NULL);
        measure_check(sink.close(sink.state, group, &error), &error);
        measure_check(sink.end(sink.state, &error), &error);
    }
    double seconds = measure_now() - start;
    lam_json_writer_destroy(writer);
    return seconds;
}

static double time_shred(void *state) {
    workload *w = state;
    lam_error error = lam_error_none();
    lam_variant_shredder_options options = lam_variant_shredder_options_default();
    lam_variant_shredder *shredder;
    options.trusted = true;
    measure_check(lam_variant_shredder_create(lam_schema_field(w->shredded, 1), &options, NULL,
                                              &shredder, &error),
                  &error);
    lam_shredder_clear(w->columns);
    lam_record_sink sink = lam_shredder_sink(w->columns);
    double start = measure_now();
    for (size_t i = 0; i < w->count; i++) {
        (void)!sink.begin(sink.state, NULL);
        measure_check(lam_variant_shredder_write(shredder, w->lines[i].variant, &sink, &error),
                      &error);
        measure_check(sink.end(sink.state, &error), &error);
    }
    double seconds = measure_now() - start;
    lam_variant_shredder_destroy(shredder);
    return seconds;
}

/* Reads all lines as records of a schema, each as the value of a field `v`. */
static double time_read(workload *w, const lam_schema *schema, const lam_record_sink *sink,
                        const lam_json_reader_options *options) {
    lam_error error = lam_error_none();
    size_t size = 0, records = 0;
    char *text = allocate(w->text_bytes + 8 * w->count);
    for (size_t i = 0; i < w->count; i++) {
        size += (size_t)sprintf(text + size, "{\"v\":");
        memcpy(text + size, w->lines[i].text, w->lines[i].size);
        size += w->lines[i].size;
        text[size++] = '}';
        text[size++] = '\n';
    }
    lam_bytes left = {(const uint8_t *)text, size};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    measure_check(lam_json_reader_create(schema, &source, options, NULL, &reader, &error), &error);
    double start = measure_now();
    measure_check(lam_json_reader_read(reader, sink, SIZE_MAX, &records, &error), &error);
    double seconds = measure_now() - start;
    lam_json_reader_destroy(reader);
    free(text);
    return seconds;
}

/* JSON to columns in one go, as an import does it. */
static double time_import(void *state) {
    workload *w = state;
    lam_record_sink sink = lam_shredder_sink(w->columns);
    lam_shredder_clear(w->columns);
    return time_read(w, w->shredded, &sink, NULL);
}

static lam_status on_event(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static double time_parse(void *state) {
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_error error = lam_error_none();
    lam_record_sink sink = {NULL, on_event, NULL, NULL, NULL, on_event, NULL};
    lam_schema *empty;
    options.ignore_unknown = true;
    measure_check(lam_schema_parse("message m { }", 13, NULL, &empty, &error), &error);
    double seconds = time_read(state, empty, &sink, &options);
    lam_schema_destroy(empty);
    return seconds;
}

/* --- Assembling ------------------------------------------------------------------------------- */

typedef struct whole_column {
    lam_triples triples;
    bool given;
} whole_column;

static lam_status read_whole(void *state, lam_triples *ret_triples, lam_error *error) {
    whole_column *column = state;
    lam_triples none = {0};
    (void)error;
    *ret_triples = column->given ? none : column->triples;
    column->given = true;
    return LAM_STATUS_OK;
}

static lam_status on_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return on_event(state, error);
}

static lam_status on_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf;
    (void)value;
    return on_event(state, error);
}

static lam_status on_variant(void *state, const lam_field *group, lam_variant variant,
                             lam_error *error) {
    (void)group;
    (void)error;
    *(size_t *)state += variant.value.size;
    return LAM_STATUS_OK;
}

static double time_assemble(void *state) {
    workload *w = state;
    lam_error error = lam_error_none();
    size_t bytes = 0, records, count = lam_schema_leaf_count(w->shredded);
    whole_column *columns = allocate(count * sizeof *columns);
    lam_triple_source *sources = allocate(count * sizeof *sources);
    lam_variant_sink next = {{&bytes, on_event, on_group, on_put, on_group, on_event, NULL},
                             on_variant};
    lam_variant_assembler *middle;
    lam_assembler *assembler;
    for (size_t i = 0; i < count; i++) {
        columns[i].triples = lam_shredder_triples(w->columns, i);
        columns[i].given = false;
        sources[i].state = &columns[i];
        sources[i].read = read_whole;
    }
    measure_check(
        lam_variant_assembler_create(w->shredded, NULL, NULL, &next, NULL, &middle, &error),
        &error);
    measure_check(lam_assembler_create(w->shredded, NULL, sources, NULL, &assembler, &error),
                  &error);
    lam_record_sink sink = lam_variant_assembler_sink(middle);
    double start = measure_now();
    measure_check(lam_assembler_read(assembler, &sink, SIZE_MAX, &records, &error), &error);
    double seconds = measure_now() - start;
    lam_assembler_destroy(assembler);
    lam_variant_assembler_destroy(middle);
    free(columns);
    free(sources);
    return seconds;
}

/* ---------------------------------------------------------------------------------------------- */

/* What import would shred: the schema from the first lines. */
static void infer_layout(workload *w) {
    lam_error error = lam_error_none();
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_variant_inference *inference;
    options.decimals_as_doubles = true;
    measure_check(lam_variant_inference_create(w->plain, &options, NULL, &inference, &error),
                  &error);
    const lam_field *group = lam_schema_field(w->plain, 1);
    for (size_t i = 0; i < w->count && i < INFERRED_LINES; i++)
        measure_check(lam_variant_inference_add(inference, group, w->lines[i].variant, &error),
                      &error);
    measure_check(lam_variant_inference_schema(inference, &w->shredded, &error), &error);
    lam_variant_inference_destroy(inference);
}

static void prepare(workload *w, bool infers) {
    lam_error error = lam_error_none();
    measure_check(lam_json_parser_create(NULL, NULL, &w->parser, &error), &error);
    measure_check(lam_variant_builder_create(NULL, NULL, &w->builder, &error), &error);
    measure_check(lam_schema_parse(PLAIN, sizeof PLAIN - 1, NULL, &w->plain, &error), &error);
    for (size_t i = 0; i < w->count; i++) {
        lam_variant variant = build(w, &w->lines[i]);
        w->lines[i].variant.metadata = copy_bytes(variant.metadata);
        w->lines[i].variant.value = copy_bytes(variant.value);
        w->text_bytes += w->lines[i].size;
        w->variant_bytes += variant.metadata.size + variant.value.size;
        w->values += count_values(variant);
    }
    if (infers)
        infer_layout(w);
    else
        measure_check(lam_schema_parse(SHREDDED, sizeof SHREDDED - 1, NULL, &w->shredded, &error),
                      &error);
    measure_check(lam_shredder_create(w->shredded, NULL, &w->columns, &error), &error);
    printf("%zu lines, %.1f MB of JSON, %.1f MB of variants, %zu values\n", w->count,
           (double)w->text_bytes / 1e6, (double)w->variant_bytes / 1e6, w->values);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        double (*work)(void *state);
    } measures[] = {{"JSON parsed", time_parse},           {"JSON to variant", time_build},
                    {"validate", time_validate},           {"one nested field of each", time_look},
                    {"variant to JSON", time_print},       {"variant to columns", time_shred},
                    {"columns to variant", time_assemble}, {"JSON to columns", time_import}};
    workload w = {0};
    if (argc > 1)
        read_lines(&w, argv[1]);
    else
        make_lines(&w);
    prepare(&w, argc > 1);
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        measure_print(measures[i].name, measure_median(measures[i].work, &w), "values",
                      (double)w.values, (double)w.text_bytes);
    return 0;
}
