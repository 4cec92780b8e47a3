/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that hold what recovery looks for: whole logs, recovery records, footers, frames of
 * journals, page headers, magic numbers, cut anywhere and put together in any order. A log of such
 * values is cut off at any operation and opened again: what the values hold is never taken for part
 * of the log. Files of others in its folder stay as they are.
 *
 * Forged records have numbers from FORGED on, so that one that is believed shows up.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/log.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/model_disk.h"
#include "support/random.h"

enum { FORGED = 1000000, RECORDS = 60, MATERIAL = 3 };

#define SPOOF_SCHEMA "message m { required int64 number; required binary text; }"

static lam_schema *schema;
static lam_model_disk *forge; /* where the material comes from */
static lam_bytes material[MATERIAL];

/* --- Logging ------------------------------------------------------------------------------- */

static lam_status put_text(lam_log *log, uint64_t number, lam_bytes text) {
    lam_record_sink sink = lam_log_sink(log);
    (void)lam_begin(&sink, NULL);
    (void)lam_put_int64(&sink, lam_schema_find(schema, "number"), (int64_t)number, NULL);
    (void)lam_put_bytes(&sink, lam_schema_find(schema, "text"), text.data, text.size, NULL);
    return lam_end(&sink, NULL);
}

/* Values appear in the file as they are. */
static lam_writer_options plain_writer(void) {
    lam_writer_options writer = lam_writer_options_default();
    writer.codec = LAM_CODEC_UNCOMPRESSED;
    writer.dictionary = LAM_SWITCH_OFF;
    writer.delta = LAM_SWITCH_OFF;
    return writer;
}

/* Finds ".part", ".journal" and ".parquet" of a log. */
static lam_status keep_material(void *state, const lam_storage_entry *entry, lam_error *error) {
    const char *const ends[MATERIAL] = {".part", ".journal", ".parquet"};
    char path[300];
    (void)state;
    (void)error;
    snprintf(path, sizeof path, "logs/%s", entry->name);
    for (size_t i = 0; i < MATERIAL; i++)
        if (strcmp(entry->name + strlen(entry->name) - strlen(ends[i]), ends[i]) == 0)
            cr_assert(lam_model_disk_content(forge, path, &material[i]));
    return LAM_STATUS_OK;
}

/* A log that is killed, with a final file, an open one with footers and records, and a journal. */
static void make_material(void) {
    static const lam_bytes text = {(const uint8_t *)"forged", 6};
    lam_model_clock model_clock = {INT64_C(1763856000000000000), 0};
    lam_model_disk *disk = lam_model_disk_create();
    lam_storage storage = lam_model_disk_storage(disk);
    lam_clock timer = lam_model_clock_start(&model_clock);
    lam_log_options options = lam_log_options_default();
    lam_writer_options writer = plain_writer();
    lam_log *log;
    options.storage = &storage;
    options.clock = &timer;
    options.writer = &writer;
    options.journal = true;
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_OK);
    for (uint64_t i = 0; i < 90; i++) {
        cr_assert_eq(put_text(log, FORGED + i, text), LAM_STATUS_OK);
        if (i % 20 == 19)
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
        if (i == 29)
            cr_assert_eq(lam_log_rotate(log, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK); /* the last ten, into the journal */
    forge = lam_model_disk_kill(disk);
    lam_log_close(log);
    lam_model_disk_destroy(disk);
    storage = lam_model_disk_storage(forge);
    cr_assert_eq(storage.list(storage.state, "logs", keep_material, NULL, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < MATERIAL; i++)
        cr_assert_gt(material[i].size, 0);
}

static void start(void) {
    schema = lam_test_schema(SPOOF_SCHEMA);
    make_material();
}

static void stop(void) {
    lam_model_disk_destroy(forge);
    lam_schema_destroy(schema);
}

TestSuite(log_spoofs, .init = start, .fini = stop);

/* --- Forgeries ----------------------------------------------------------------------------- */

enum { TEXT_ROOM = 1 << 15 };

/* The text of one record of a case: the same for the same numbers. Returns its size. */
static size_t forge_text(uint64_t seed, uint64_t number, uint8_t *text) {
    lam_random random = lam_random_start(seed * 1000 + number);
    size_t size = 0, parts = (size_t)lam_random_below(&random, 4);
    for (size_t i = 0; i < parts; i++) {
        lam_bytes from = material[lam_random_below(&random, MATERIAL)];
        size_t first = lam_random_chance(&random, 40) ? 0 : lam_random_below(&random, from.size);
        size_t count = from.size - first;
        if (lam_random_chance(&random, 50))
            count = (size_t)lam_random_below(&random, count + 1);
        count = count < TEXT_ROOM - size ? count : TEXT_ROOM - size;
        memcpy(text + size, from.data + first, count);
        size += count;
        if (lam_random_chance(&random, 20) && size + 4 <= TEXT_ROOM) {
            memcpy(text + size, "PAR1", 4);
            size += 4;
        }
        if (lam_random_chance(&random, 20) && size > 0)
            text[lam_random_below(&random, size)] ^= (uint8_t)(1 + lam_random_below(&random, 255));
    }
    return size;
}

/* --- Reading ------------------------------------------------------------------------------- */

typedef struct spoof_walk {
    lam_model_disk *disk;
    uint64_t seed;
    uint64_t next; /* the record that must come next */
    char names[40][128];
    size_t count;
} spoof_walk;

/* Texts come in as many batches as they like. */
static void read_spoof_group(spoof_walk *walk, const lam_reader *reader, size_t group) {
    static uint8_t text[TEXT_ROOM];
    lam_column_reader *numbers, *texts;
    lam_triples number = {0}, value = {0};
    cr_assert_eq(lam_column_reader_open(reader, group, 0, &numbers, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_open(reader, group, 1, &texts, NULL), LAM_STATUS_OK);
    for (size_t n = 0, t = 0;; n++, t++, walk->next++) {
        if (n == number.count) {
            cr_assert_eq(lam_column_reader_read(numbers, 100, &number, NULL), LAM_STATUS_OK);
            n = 0;
        }
        if (number.count == 0)
            break;
        if (t == value.count) {
            cr_assert_eq(lam_column_reader_read(texts, 100, &value, NULL), LAM_STATUS_OK);
            t = 0;
        }
        cr_assert_gt(value.count, 0);
        uint64_t found = (uint64_t)((const int64_t *)number.values)[n];
        lam_bytes bytes = ((const lam_bytes *)value.values)[t];
        cr_assert_eq(found, walk->next, "seed %" PRIu64 ": record %" PRIu64, walk->seed, found);
        size_t size = forge_text(walk->seed, found, text);
        cr_assert(bytes.size == size && (size == 0 || memcmp(bytes.data, text, size) == 0),
                  "seed %" PRIu64 ": record %" PRIu64 " is another", walk->seed, found);
    }
    lam_column_reader_close(numbers);
    lam_column_reader_close(texts);
}

static lam_status keep_name(void *state, const lam_storage_entry *entry, lam_error *error) {
    spoof_walk *walk = state;
    size_t size = strlen(entry->name);
    (void)error;
    if (size > 8 && strcmp(entry->name + size - 8, ".parquet") == 0 &&
        strncmp(entry->name, "log-", 4) == 0)
        snprintf(walk->names[walk->count++], sizeof walk->names[0], "logs/%s", entry->name);
    return LAM_STATUS_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* All records of a folder; a clock that goes on with each file puts the names in order. */
static uint64_t read_spoofs(lam_model_disk *disk, uint64_t seed) {
    spoof_walk walk = {.disk = disk, .seed = seed};
    lam_storage storage = lam_model_disk_storage(disk);
    cr_assert_eq(storage.list(storage.state, "logs", keep_name, &walk, NULL), LAM_STATUS_OK);
    qsort(walk.names, walk.count, sizeof walk.names[0], compare_names);
    for (size_t i = 0; i < walk.count; i++) {
        lam_bytes bytes;
        lam_reader *reader;
        cr_assert(lam_model_disk_content(disk, walk.names[i], &bytes));
        reader = lam_test_open(bytes.data, bytes.size, NULL);
        for (size_t g = 0; g < lam_reader_row_group_count(reader); g++)
            read_spoof_group(&walk, reader, g);
        lam_reader_close(reader);
    }
    return walk.next;
}

/* --- Cases --------------------------------------------------------------------------------- */

/* The end of a case, at an operation. */
typedef struct spoof_cut {
    lam_model_disk *disk, *after;
    lam_random random;
    uint64_t at;
    uint64_t durable, durable_then;
} spoof_cut;

static void note_durable(void *state, uint64_t durable, const char *path) {
    spoof_cut *cut = state;
    (void)path;
    cut->durable = durable;
}

static void cut_disk(spoof_cut *cut) {
    cut->durable_then = cut->durable;
    cut->after = lam_random_chance(&cut->random, 60) ? lam_model_disk_crash(cut->disk, &cut->random)
                                                     : lam_model_disk_kill(cut->disk);
}

static void watch(void *state, const char *what) {
    spoof_cut *cut = state;
    (void)what;
    if (cut->after == NULL && lam_model_disk_counts(cut->disk).operations + 1 >= cut->at)
        cut_disk(cut);
}

static uint64_t run_spoof(uint64_t seed) {
    static uint8_t text[TEXT_ROOM];
    lam_random random = lam_random_start(seed);
    lam_model_clock model_clock = {INT64_C(1763856000000000000), 0};
    lam_clock timer = lam_model_clock_start(&model_clock);
    spoof_cut cut = {.disk = lam_model_disk_create(), .at = 1 + lam_random_below(&random, 80)};
    lam_storage storage = lam_model_disk_storage(cut.disk);
    lam_writer_options writer = plain_writer();
    lam_log_options options = lam_log_options_default();
    lam_error error = lam_error_none();
    lam_log *log;
    cut.random = lam_random_start(lam_random_next(&random));
    writer.page_bytes = 1 + lam_random_below(&random, 20000);
    options.storage = &storage;
    options.clock = &timer;
    options.writer = &writer;
    options.journal = lam_random_chance(&random, 60);
    options.sync = options.journal && lam_random_chance(&random, 30) ? LAM_LOG_SYNC_RECORD
                                                                     : LAM_LOG_SYNC_DEFAULT;
    options.callback_state = &cut;
    options.on_durable = note_durable;
    lam_model_disk_watch(cut.disk, watch, &cut);
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_OK);
    for (uint64_t n = 0; n < RECORDS && cut.after == NULL; n++) {
        lam_bytes bytes = {text, forge_text(seed, n, text)};
        cr_assert_eq(put_text(log, n, bytes), LAM_STATUS_OK);
        lam_model_clock_advance(&model_clock, UINT64_C(1100000000)); /* a second for each name */
        if (lam_random_chance(&random, 20))
            cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
        if (lam_random_chance(&random, 10))
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
        if (lam_random_chance(&random, 3))
            cr_assert_eq(lam_log_rotate(log, NULL), LAM_STATUS_OK);
    }
    lam_model_disk_watch(cut.disk, NULL, NULL);
    if (cut.after == NULL)
        cut_disk(&cut);
    lam_log_close(log);
    lam_model_disk_destroy(cut.disk);
    storage = lam_model_disk_storage(cut.after);
    options.on_durable = NULL;
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, &error), LAM_STATUS_OK,
                 "seed %" PRIu64 ": %s", seed, error.message);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    uint64_t records = read_spoofs(cut.after, seed);
    cr_assert_geq(records, cut.durable_then, "seed %" PRIu64, seed);
    lam_model_disk_destroy(cut.after);
    return records;
}

Test(log_spoofs, values_are_never_taken_for_parts_of_a_log) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 1000;
    uint64_t seed = lam_test_seed(1), total = 0;
    for (uint64_t i = 0; i < count; i++)
        total += run_spoof(seed + i);
    cr_assert_gt(total, 5 * count); /* enough is left to be wrong */
}

/* --- Files of others ----------------------------------------------------------------------- */

Test(log_spoofs, files_of_others_stay) {
    static const char *const names[] = {
        "logs/notes.txt",
        "logs/_x.parquet.part",
        "logs/_log-x.parquet.part",
        "logs/_log-20251123T000000Z-0123.parquet.part",
        "logs/_log-20251123T000000Z-0123456789ABCDEF.parquet.part",
        "logs/_log-20251123T000000Z-0123456789abcdef.part",
        "logs/_other-20251123T000000Z-0123456789abcdef.parquet.part",
        "logs/_other-20251123T000000Z-0123456789abcdef.parquet.journal",
        "logs/_logs-20251123T000000Z-0123456789abcdef.parquet.journal",
        "logs/_other-20251123T000000Z-0123456789abcdef.parquet.lamella-4711-00c0ffee12345678.tmp",
        "logs/_log-20251123T000000Z-0123456789abcdef.parquet.part.bad",
        "logs/folder/_log-20251123T000000Z-0123456789abcdef.parquet.part",
        "_log-20251123T000000Z-0123456789abcdef.parquet.part",
    };
    lam_model_disk *disk = lam_model_disk_create();
    lam_storage storage = lam_model_disk_storage(disk);
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    options.storage = &storage;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lam_model_disk_put(disk, names[i], material[i % MATERIAL].data,
                           material[i % MATERIAL].size);
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_OK);
    cr_assert_eq(put_text(log, 0, (lam_bytes){NULL, 0}), LAM_STATUS_OK);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lam_bytes bytes;
        cr_assert(lam_model_disk_content(disk, names[i], &bytes), "%s", names[i]);
        cr_assert_eq(bytes.size, material[i % MATERIAL].size, "%s", names[i]);
    }
    lam_model_disk_destroy(disk);
}
