/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast records become triples and triples records, on one core: a flat record of three leaves,
 * and the Dremel paper's two Document records. The sink of the assembler adds the values up and
 * does nothing else.
 */
#include <lamella/dremel.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"

enum { BATCH = 20000, BATCHES = 20, LEAVES_MAX = 6 };

/* --- What is shredded ------------------------------------------------------------------------ */

typedef struct workload workload;

struct workload {
    const char *name;
    const char *text; /* of the schema */
    lam_status (*record)(const workload *w, const lam_record_sink *sink, uint64_t number);
    lam_schema *schema;
    const lam_field *fields[16]; /* in preorder */
};

static const char FLAT[] = "message Reading {\n"
                           "  required int64 time;\n"
                           "  optional double value;\n"
                           "  optional binary unit (STRING);\n"
                           "}\n";

static const char DOCUMENT[] = "message Document {\n"
                               "  required int64 DocId;\n"
                               "  optional group Links {\n"
                               "    repeated int64 Backward;\n"
                               "    repeated int64 Forward;\n"
                               "  }\n"
                               "  repeated group Name {\n"
                               "    repeated group Language {\n"
                               "      required binary Code (STRING);\n"
                               "      optional binary Country (STRING);\n"
                               "    }\n"
                               "    optional binary Url (STRING);\n"
                               "  }\n"
                               "}\n";

enum { FLAT_TIME = 1, FLAT_VALUE, FLAT_UNIT };
enum { DOC_ID = 1, LINKS, BACKWARD, FORWARD, NAME, LANGUAGE, CODE, COUNTRY, URL };

static lam_value text_value(const char *text, size_t size) {
    lam_value value;
    value.bytes.data = (const uint8_t *)text;
    value.bytes.size = size;
    return value;
}

/* A verb, and the end of the record when it fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        lam_status status = (call);                                                                \
        if (status != LAM_STATUS_OK)                                                               \
            return status;                                                                         \
    } while (0)
#define PUT(field, value) TRY(sink->put(sink->state, w->fields[field], (value), NULL))
#define NUMBER(field, number) PUT(field, (lam_value){.int64 = (int64_t)(number)})
#define TEXT(field, text) PUT(field, text_value(text, sizeof(text) - 1))
#define OPEN(field) TRY(sink->open(sink->state, w->fields[field], NULL))
#define CLOSE(field) TRY(sink->close(sink->state, w->fields[field], NULL))

static lam_status flat_record(const workload *w, const lam_record_sink *sink, uint64_t number) {
    TRY(sink->begin(sink->state, NULL));
    NUMBER(FLAT_TIME, number);
    PUT(FLAT_VALUE, (lam_value){.float64 = (double)number * 0.5});
    TEXT(FLAT_UNIT, "degrees");
    return sink->end(sink->state, NULL);
}

static lam_status first_document(const workload *w, const lam_record_sink *sink, uint64_t number) {
    NUMBER(DOC_ID, number);
    OPEN(LINKS);
    NUMBER(FORWARD, 20);
    NUMBER(FORWARD, 40);
    NUMBER(FORWARD, 60);
    CLOSE(LINKS);
    OPEN(NAME);
    OPEN(LANGUAGE);
    TEXT(CODE, "en-us");
    TEXT(COUNTRY, "us");
    CLOSE(LANGUAGE);
    OPEN(LANGUAGE);
    TEXT(CODE, "en");
    CLOSE(LANGUAGE);
    TEXT(URL, "http://A");
    CLOSE(NAME);
    OPEN(NAME);
    TEXT(URL, "http://B");
    CLOSE(NAME);
    OPEN(NAME);
    OPEN(LANGUAGE);
    TEXT(CODE, "en-gb");
    TEXT(COUNTRY, "gb");
    CLOSE(LANGUAGE);
    CLOSE(NAME);
    return LAM_STATUS_OK;
}

static lam_status second_document(const workload *w, const lam_record_sink *sink, uint64_t number) {
    NUMBER(DOC_ID, number);
    OPEN(LINKS);
    NUMBER(BACKWARD, 10);
    NUMBER(BACKWARD, 30);
    NUMBER(FORWARD, 80);
    CLOSE(LINKS);
    OPEN(NAME);
    TEXT(URL, "http://C");
    CLOSE(NAME);
    return LAM_STATUS_OK;
}

static lam_status document_record(const workload *w, const lam_record_sink *sink, uint64_t number) {
    TRY(sink->begin(sink->state, NULL));
    TRY(number % 2 == 0 ? first_document(w, sink, number) : second_document(w, sink, number));
    return sink->end(sink->state, NULL);
}

/* --- What assembled records go into ---------------------------------------------------------- */

static lam_status add_event(void *state, lam_error *error) {
    (void)error;
    *(uint64_t *)state += 1;
    return LAM_STATUS_OK;
}

static lam_status add_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return add_event(state, error);
}

static lam_status add_value(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf;
    (void)error;
    *(uint64_t *)state += (uint64_t)value.int64;
    return LAM_STATUS_OK;
}

typedef struct whole_column {
    lam_triples triples;
    bool given;
} whole_column;

static lam_status read_whole(void *state, lam_triples *ret_triples, lam_error *error) {
    (void)error;
    whole_column *column = state;
    lam_triples none = {0};
    *ret_triples = column->given ? none : column->triples;
    column->given = true;
    return LAM_STATUS_OK;
}

/* --- Measuring ------------------------------------------------------------------------------- */

typedef struct bench {
    const workload *work;
    lam_shredder *shredder; /* holds the batch that was shredded last */
} bench;

static void shred_batch(const bench *b) {
    lam_record_sink sink = lam_shredder_sink(b->shredder);
    lam_error error = lam_error_none();
    lam_shredder_clear(b->shredder);
    for (uint64_t i = 0; i < BATCH; i++)
        measure_check(b->work->record(b->work, &sink, i), &error);
}

static double shred(void *state) {
    double start = measure_now();
    for (int i = 0; i < BATCHES; i++)
        shred_batch(state);
    return measure_now() - start;
}

/* Seconds that one batch takes; creating the assembler is left out. */
static double assemble_batch(const bench *b, uint64_t *sum) {
    whole_column columns[LEAVES_MAX];
    lam_triple_source sources[LEAVES_MAX];
    for (size_t i = 0; i < lam_schema_leaf_count(b->work->schema); i++) {
        columns[i].triples = lam_shredder_triples(b->shredder, i);
        columns[i].given = false;
        sources[i].state = &columns[i];
        sources[i].read = read_whole;
    }
    lam_record_sink sink = {sum, add_event, add_group, add_value, add_group, add_event, NULL};
    lam_error error = lam_error_none();
    lam_assembler *assembler;
    measure_check(lam_assembler_create(b->work->schema, NULL, sources, NULL, &assembler, &error),
                  &error);
    size_t records;
    double start = measure_now();
    measure_check(lam_assembler_read(assembler, &sink, BATCH, &records, &error), &error);
    double seconds = measure_now() - start;
    lam_assembler_destroy(assembler);
    return seconds;
}

static double assemble(void *state) {
    static volatile uint64_t kept; /* so that nothing is optimized away */
    uint64_t sum = 0;
    double seconds = 0;
    for (int i = 0; i < BATCHES; i++)
        seconds += assemble_batch(state, &sum);
    kept = kept + sum;
    return seconds;
}

static void measure(const char *what, bench *b, double (*work)(void *state)) {
    double seconds = measure_median(work, b);
    double triples = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(b->work->schema); i++)
        triples += (double)lam_shredder_triples(b->shredder, i).count * BATCHES;
    char name[64];
    snprintf(name, sizeof name, "%s %s, records", what, b->work->name);
    measure_print(name, seconds, "record", (double)BATCH * BATCHES, 0);
    snprintf(name, sizeof name, "%s %s, triples", what, b->work->name);
    measure_print(name, seconds, "triple", triples, 0);
}

static void run(workload *work) {
    lam_error error = lam_error_none();
    measure_check(lam_schema_parse(work->text, strlen(work->text), NULL, &work->schema, &error),
                  &error);
    for (size_t i = 0; i < lam_schema_field_count(work->schema); i++)
        work->fields[i] = lam_schema_field(work->schema, i);
    bench b = {work, NULL};
    measure_check(lam_shredder_create(work->schema, NULL, &b.shredder, &error), &error);
    measure("shred", &b, shred);
    measure("assemble", &b, assemble);
    lam_shredder_destroy(b.shredder);
    lam_schema_destroy(work->schema);
}

int main(void) {
    workload flat = {.name = "flat", .text = FLAT, .record = flat_record};
    workload document = {.name = "Document", .text = DOCUMENT, .record = document_record};
    run(&flat);
    run(&document);
    return 0;
}
