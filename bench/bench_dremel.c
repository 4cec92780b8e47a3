/*
 * How fast records become triples and triples records, on one core: a flat record of three leaves,
 * and the Dremel paper's two Document records.
 *
 *     bench_dremel [SECONDS]       seconds per measurement, 1 when not given
 *
 * A measurement repeats batches of BATCH records and reports the median batch. The sink of the
 * assembler adds the values up and does nothing else.
 */
#define _DEFAULT_SOURCE
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BATCH = 20000, BATCHES_MAX = 10000, LEAVES_MAX = 6 };

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void must(lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "bench_dremel: %s: %s\n", lam_status_name(status), error->message);
    exit(1);
}

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

/* Verbs in a row: the first that fails ends the record. */
#define PUT(field, value)                                                                          \
    if ((status = sink->put(sink->state, w->fields[field], (value), NULL)) != LAM_STATUS_OK)       \
    return status
#define NUMBER(field, number) PUT(field, (lam_value){.int64 = (int64_t)(number)})
#define TEXT(field, text) PUT(field, text_value(text, sizeof(text) - 1))
#define OPEN(field)                                                                                \
    if ((status = sink->open(sink->state, w->fields[field], NULL)) != LAM_STATUS_OK)               \
    return status
#define CLOSE(field)                                                                               \
    if ((status = sink->close(sink->state, w->fields[field], NULL)) != LAM_STATUS_OK)              \
    return status

static lam_status flat_record(const workload *w, const lam_record_sink *sink, uint64_t number) {
    lam_status status = sink->begin(sink->state, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    NUMBER(FLAT_TIME, number);
    PUT(FLAT_VALUE, (lam_value){.float64 = (double)number * 0.5});
    TEXT(FLAT_UNIT, "degrees");
    return sink->end(sink->state, NULL);
}

static lam_status first_document(const workload *w, const lam_record_sink *sink, uint64_t number) {
    lam_status status;
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
    lam_status status;
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
    lam_status status = sink->begin(sink->state, NULL);
    if (status == LAM_STATUS_OK)
        status =
            number % 2 == 0 ? first_document(w, sink, number) : second_document(w, sink, number);
    return status == LAM_STATUS_OK ? sink->end(sink->state, NULL) : status;
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

static double shred_batch(const workload *w, lam_shredder *shredder) {
    lam_record_sink sink = lam_shredder_sink(shredder);
    lam_error error = lam_error_none();
    lam_shredder_clear(shredder);
    double start = now();
    for (uint64_t i = 0; i < BATCH; i++)
        must(w->record(w, &sink, i), &error);
    return now() - start;
}

static double assemble_batch(const workload *w, lam_shredder *shredder) {
    whole_column columns[LEAVES_MAX];
    lam_triple_source sources[LEAVES_MAX];
    for (size_t i = 0; i < lam_schema_leaf_count(w->schema); i++) {
        columns[i].triples = lam_shredder_triples(shredder, i);
        columns[i].given = false;
        sources[i].state = &columns[i];
        sources[i].read = read_whole;
    }
    static volatile uint64_t kept;
    uint64_t sum = 0;
    lam_record_sink sink = {&sum, add_event, add_group, add_value, add_group, add_event};
    lam_error error = lam_error_none();
    lam_assembler *assembler;
    must(lam_assembler_create(w->schema, NULL, sources, NULL, &assembler, &error), &error);
    size_t records;
    double start = now();
    must(lam_assembler_read(assembler, &sink, BATCH, &records, &error), &error);
    double seconds = now() - start;
    kept = kept + sum;
    lam_assembler_destroy(assembler);
    return seconds;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const workload *w, const char *what, lam_shredder *shredder, double seconds,
                    double (*batch)(const workload *, lam_shredder *)) {
    static double times[BATCHES_MAX];
    size_t count = 0;
    for (double end = now() + seconds; count < BATCHES_MAX && (count < 3 || now() < end);)
        times[count++] = batch(w, shredder);
    qsort(times, count, sizeof times[0], by_time);
    double median = times[count / 2];
    double triples = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(w->schema); i++)
        triples += (double)lam_shredder_triples(shredder, i).count;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-9s %-9s %7.2f M records/s %8.2f M triples/s %7.2f ns/triple %6ld KiB peak\n", what,
           w->name, BATCH / median / 1e6, triples / median / 1e6, median / triples * 1e9,
           usage.ru_maxrss);
}

static void run(workload *w, double seconds) {
    lam_error error = lam_error_none();
    must(lam_schema_parse(w->text, strlen(w->text), NULL, &w->schema, &error), &error);
    for (size_t i = 0; i < lam_schema_field_count(w->schema); i++)
        w->fields[i] = lam_schema_field(w->schema, i);
    lam_shredder *shredder;
    must(lam_shredder_create(w->schema, NULL, &shredder, &error), &error);
    measure(w, "shred", shredder, seconds, shred_batch);
    measure(w, "assemble", shredder, seconds, assemble_batch);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(w->schema);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    workload flat = {.name = "flat", .text = FLAT, .record = flat_record};
    workload document = {.name = "Document", .text = DOCUMENT, .record = document_record};
    run(&flat, seconds);
    run(&document, seconds);
    return 0;
}
