/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a record of five leaves takes to encode for a journal, on one core, for batches of
 * several sizes: a time, a number, a small integer, a text that may be absent, and a message. No
 * test runs it; benchmarks proper see public headers only.
 */
#include <lamella/dremel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "file/write/triple_batch.h"
#include "log/journal/journal_write.h"
#include "schema/tree.h"

enum { RECORDS = 4096, LEAVES = 5, ROUNDS = 200, REPEATS = 7 };

static const char SCHEMA[] = "message m { required int64 time; optional double value;\n"
                             "required int32 level; optional binary unit (STRING);\n"
                             "required binary message (STRING); }";

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void need(lam_status status) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s\n", lam_status_name(status));
    exit(1);
}

static void shred(lam_shredder *shredder, const lam_schema *schema) {
    lam_record_sink sink = lam_shredder_sink(shredder);
    char message[80];
    for (int i = 0; i < RECORDS; i++) {
        snprintf(message, sizeof message, "request %d was answered in %d ms", i, i % 97);
        need(lam_begin(&sink, NULL));
        need(lam_put_int64(&sink, lam_leaf_at(schema, 0), 1700000000000 + i, NULL));
        if (i % 8 != 0)
            need(lam_put_double(&sink, lam_leaf_at(schema, 1), i * 0.5, NULL));
        need(lam_put_int32(&sink, lam_leaf_at(schema, 2), i % 5, NULL));
        if (i % 3 != 0)
            need(lam_put_string(&sink, lam_leaf_at(schema, 3), "degrees", NULL));
        need(lam_put_string(&sink, lam_leaf_at(schema, 4), message, NULL));
        need(lam_end(&sink, NULL));
    }
}

/* --- A storage that drops what it is given -------------------------------------------------- */

static lam_status drop(void *state, const void *data, size_t size, lam_error *error) {
    (void)data;
    (void)error;
    *(uint64_t *)state += size;
    return LAM_STATUS_OK;
}

static void close_nothing(void *state) {
    (void)state;
}

static lam_status create(void *state, const char *path, lam_storage_file *ret_file,
                         lam_error *error) {
    (void)path;
    (void)error;
    lam_storage_file file = {.state = state, .append = drop, .close = close_nothing};
    *ret_file = file;
    return LAM_STATUS_OK;
}

/* --- Measuring ------------------------------------------------------------------------------ */

/* Cuts the records into batches before the time is taken. */
static lam_triples *cut(const lam_shredder *shredder, const lam_schema *schema, size_t batch) {
    lam_triples *columns = calloc(RECORDS / batch * LEAVES, sizeof *columns);
    for (size_t leaf = 0; columns != NULL && leaf < LEAVES; leaf++) {
        lam_triples rest = lam_shredder_triples(shredder, leaf);
        for (size_t i = 0; i < RECORDS / batch; i++)
            columns[i * LEAVES + leaf] =
                lam_triples_take(lam_kernels_get(), lam_leaf_at(schema, leaf), &rest, batch);
    }
    return columns;
}

static void measure(const lam_shredder *shredder, lam_schema *schema, size_t batch) {
    static const uint8_t id[LAM_JOURNAL_ID_SIZE] = {1};
    uint64_t bytes = 0;
    double best = 1e9;
    uint32_t number, file;
    lam_storage storage = {.state = &bytes, .create = create};
    lam_triples *columns = cut(shredder, schema, batch);
    lam_journal_writer *writer;
    need(columns == NULL ? LAM_STATUS_NOMEM : LAM_STATUS_OK);
    need(lam_journal_writer_create(&storage, "j", NULL, id, NULL, &writer, NULL));
    need(lam_journal_writer_add_schema(writer, schema, NULL, &number, NULL));
    need(lam_journal_writer_add_file(writer, number, id, "f", &file, NULL));
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now();
        bytes = 0;
        for (size_t round = 0; round < ROUNDS; round++)
            for (size_t i = 0; i < RECORDS / batch; i++)
                need(lam_journal_writer_add_rows(writer, file, i * batch, i * batch,
                                                 columns + i * LEAVES, batch, NULL));
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    double records = (double)ROUNDS * RECORDS;
    printf("batches of %4zu  %7.1f ns and %5.1f bytes per record  %7.0f MB/s\n", batch,
           best / records * 1e9, (double)bytes / records, (double)bytes / best * 1e-6);
    lam_journal_writer_close(writer);
    free(columns);
}

int main(void) {
    lam_schema *schema;
    lam_shredder *shredder;
    need(lam_schema_parse(SCHEMA, sizeof SCHEMA - 1, NULL, &schema, NULL));
    need(lam_shredder_create(schema, NULL, &shredder, NULL));
    shred(shredder, schema);
    for (size_t batch = 1; batch <= RECORDS; batch *= 8)
        measure(shredder, schema, batch);
    lam_shredder_destroy(shredder);
    lam_schema_destroy(schema);
    return 0;
}
