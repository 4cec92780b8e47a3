/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a journal writes and when it syncs, by its bytes, and what a failure of the storage leaves.
 */
#include "log/journal/journal_write.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "file/file_sample.h"
#include "log/journal_sample.h"
#include "support/failing_alloc.h"

static const uint8_t file_id[LAM_JOURNAL_ID_SIZE] = {
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF};

/* A journal in memory, with a schema and a file, and records for it. */
typedef struct fixture {
    lam_journal_store store;
    lam_journal_sample sample;
    lam_journal_writer *writer;
    uint32_t schema;
    uint32_t file;
} fixture;

static void fixture_init(fixture *f, size_t record_count, const lam_allocator *allocator) {
    lam_random random = lam_random_start(11);
    lam_storage storage = lam_journal_store_storage(&f->store);
    lam_journal_sample_init(&f->sample,
                            lam_test_schema("message m { required int64 t; optional binary s; }"),
                            record_count, 80, &random);
    cr_assert_eq(lam_journal_writer_create(&storage, "logs/j", NULL, lam_journal_sample_id,
                                           allocator, &f->writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(f->writer, f->sample.schema, NULL, &f->schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(
        lam_journal_writer_add_file(f->writer, f->schema, file_id, "a.parquet", &f->file, NULL),
        LAM_STATUS_OK);
}

static void fixture_finish(fixture *f) {
    lam_journal_writer_close(f->writer);
    lam_journal_sample_free(&f->sample);
    lam_journal_store_free(&f->store);
}

static lam_status add(fixture *f, size_t first, size_t count) {
    return lam_journal_sample_add(&f->sample, f->writer, f->file, first, count, NULL);
}

/* The kinds of the frames, one digit each; they must be consecutive and right. */
static const char *kinds(const lam_journal_store *store, uint64_t *ret_sequence) {
    static char text[64];
    uint32_t seed = lam_journal_seed(lam_journal_sample_id);
    size_t count = 0;
    for (size_t at = LAM_JOURNAL_HEAD_SIZE; at < store->bytes.size;) {
        lam_journal_header header = lam_journal_header_read(store->bytes.data + at);
        lam_bytes frame = {store->bytes.data + at, LAM_JOURNAL_HEADER_SIZE + header.size};
        cr_assert_leq(frame.size, store->bytes.size - at);
        cr_assert(lam_journal_frame_check(seed, frame));
        cr_assert(count == 0 || header.sequence == *ret_sequence + 1);
        *ret_sequence = header.sequence;
        cr_assert_lt(count, sizeof text - 1);
        text[count++] = (char)('0' + header.kind);
        at += frame.size;
    }
    text[count] = '\0';
    return text;
}

Test(journal_write, a_small_journal_is_these_bytes) {
    static const char golden[] =
        "LAMJRNL\x01\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x98\x3A\xDE"
        "\x68"
        /* frame 0: SCHEMA 0: version 2, two elements, no rows, no row groups */
        "....\x1B\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00"
        "\x15\x04\x19\x2C\x48\x01m\x15\x02\x00\x15\x02\x25\x00\x18\x01t\x00\x16\x00\x19\x0C\x00"
        /* frame 1: FILE 0 of schema 0, its id and path */
        "....\x1B\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"
        "\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\xFA\xFB\xFC\xFD\xFE\xFF"
        "d/f"
        /* frame 2: ROWS of file 0: two, from row 3 and record 4; a column of two int32 */
        "....\x29\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x02\x00\x00\x00"
        "\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00"
        "\x00\x02\x00\x00\x00\x02\x00\x00\x00\x2A\x00\x00\x00\xFF\xFF\xFF\xFF";
    lam_journal_store store = {0};
    lam_storage storage = lam_journal_store_storage(&store);
    lam_schema *schema = lam_test_schema("message m { required int32 t; }");
    lam_journal_writer *writer;
    uint32_t number, file;
    int32_t values[] = {42, -1};
    lam_triples column = {2, 2, NULL, NULL, values};
    cr_assert_eq(
        lam_journal_writer_create(&storage, "j", NULL, lam_journal_sample_id, NULL, &writer, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(writer, schema, NULL, &number, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_file(writer, number, file_id, "d/f", &file, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_rows(writer, file, 3, 4, &column, 2, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(store.bytes.size, sizeof golden - 1);
    uint64_t last;
    cr_assert_str_eq(kinds(&store, &last), "123");
    for (size_t i = 0; i < sizeof golden - 1; i++)
        if (golden[i] != '.') /* of a checksum, which kinds() has compared */
            cr_assert_eq(store.bytes.data[i], (uint8_t)golden[i], "byte %zu is %02X", i,
                         store.bytes.data[i]);
    lam_journal_writer_close(writer);
    lam_schema_destroy(schema);
    lam_journal_store_free(&store);
}

/* --- Collecting ---------------------------------------------------------------------------- */

Test(journal_write, schemas_and_files_are_written_before_their_first_rows) {
    fixture f = {0};
    uint64_t last;
    uint32_t second;
    fixture_init(&f, 10, NULL);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(f.store.bytes.size, LAM_JOURNAL_HEAD_SIZE);
    cr_assert_eq(add(&f, 0, 2), LAM_STATUS_OK);
    cr_assert_eq(add(&f, 2, 1), LAM_STATUS_OK);
    cr_assert_eq(add(&f, 3, 0), LAM_STATUS_OK);
    cr_assert_eq(
        lam_journal_writer_add_file(f.writer, f.schema, file_id, "b.parquet", &second, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, second, 3, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(add(&f, 4, 1), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(kinds(&f.store, &last), "1233233");
    cr_assert_eq(last, 6);
    fixture_finish(&f);
}

Test(journal_write, frames_are_collected_and_due_from_64_kib_on) {
    fixture f = {0};
    fixture_init(&f, 500, NULL);
    size_t appends = f.store.appends;
    while (!lam_journal_writer_is_due(f.writer)) {
        cr_assert_lt(lam_journal_writer_byte_count(f.writer),
                     LAM_JOURNAL_HEAD_SIZE + LAM_JOURNAL_APPEND_SIZE);
        cr_assert_eq(add(&f, 0, 500), LAM_STATUS_OK);
    }
    cr_assert_eq(f.store.bytes.size, LAM_JOURNAL_HEAD_SIZE);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_geq(f.store.bytes.size, LAM_JOURNAL_HEAD_SIZE + LAM_JOURNAL_APPEND_SIZE);
    cr_assert_eq(lam_journal_writer_byte_count(f.writer), f.store.bytes.size);
    cr_assert_not(lam_journal_writer_is_due(f.writer));
    cr_assert_eq(f.store.appends, appends + 1);
    fixture_finish(&f);
}

Test(journal_write, a_large_buffer_is_given_back) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    static uint8_t large[4 << 20];
    fixture f = {0};
    fixture_init(&f, 1, &allocator);
    int64_t time = 0;
    lam_bytes text = {large, sizeof large};
    lam_triples columns[] = {{1, 1, NULL, NULL, &time}, {1, 1, NULL, NULL, &text}};
    cr_assert_eq(lam_journal_writer_add_rows(f.writer, f.file, 0, 0, columns, 1, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_gt(f.store.bytes.size, sizeof large);
    cr_assert_lt(counter.live_bytes, 1 << 20);
    fixture_finish(&f);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(journal_write, unknown_numbers_and_paths_elsewhere_are_invalid) {
    fixture f = {0};
    uint32_t number = 77;
    fixture_init(&f, 1, NULL);
    cr_assert_eq(lam_journal_writer_add_file(f.writer, 1, file_id, "x", &number, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_journal_writer_add_file(f.writer, 0, file_id, "../x", &number, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(number, 77);
    cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, 1, 0, 1, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_journal_writer_byte_count(f.writer), LAM_JOURNAL_HEAD_SIZE);
    fixture_finish(&f);
}

Test(journal_write, a_file_that_ended_gets_no_rows_and_the_others_do) {
    fixture f = {0};
    uint32_t files[5], later;
    uint64_t last;
    fixture_init(&f, 1, NULL);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(lam_journal_writer_add_file(f.writer, f.schema, file_id, "b", &files[i], NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, files[1], 0, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_end_file(f.writer, files[1], NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_end_file(f.writer, files[4], NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_end_file(f.writer, files[4], NULL), LAM_STATUS_INVALID);
    lam_journal_writer_forget_file(f.writer, files[4]);
    lam_journal_writer_forget_file(f.writer, files[2]);
    cr_assert_eq(lam_journal_writer_add_file(f.writer, f.schema, file_id, "b", &later, NULL),
                 LAM_STATUS_OK);
    cr_assert_gt(later, files[4]);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, files[i], 0, 1, NULL),
                     i == 1 || i == 2 || i == 4 ? LAM_STATUS_INVALID : LAM_STATUS_OK);
    cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, later, 0, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(kinds(&f.store, &last), "1234232323");
    cr_assert_eq(lam_journal_writer_cut(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_end_file(f.writer, later, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_byte_count(f.writer), LAM_JOURNAL_HEAD_SIZE);
    fixture_finish(&f);
}

/* --- Syncing and cutting ------------------------------------------------------------------- */

/*
 * A journal was always truncated: a power cut that left a part of what was cut off left rows of a
 * file without the frame behind them that says it has ended, and a replay made that file again.
 */
Test(journal_write, a_journal_of_a_file_that_ended_is_begun_anew) {
    fixture f = {0};
    uint32_t file;
    uint64_t last;
    fixture_init(&f, 2, NULL);
    cr_assert_eq(lam_journal_writer_add_file(f.writer, f.schema, file_id, "b", &file, NULL),
                 LAM_STATUS_OK);
    for (size_t round = 0; round < 2; round++) {
        cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, file, round, 1, NULL),
                     LAM_STATUS_OK);
        if (round == 1)
            cr_assert_eq(lam_journal_writer_end_file(f.writer, file, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_journal_writer_sync(f.writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_journal_writer_cut(f.writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(f.store.truncates, 1);
        cr_assert_eq(f.store.removes, round);
    }
    cr_assert_eq(f.store.folder_syncs, 1);
    cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, f.file, 0, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_sync(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(f.store.folder_syncs, 2, "the new name is not durable");
    cr_assert_str_eq(kinds(&f.store, &last), "123");
    fixture_finish(&f);
}

Test(journal_write, the_first_sync_is_also_that_of_the_folder) {
    static const char *const paths[][2] = {
        {"j", "."}, {"logs/j", "logs"}, {"/j", "/"}, {"/a/b/j", "/a/b"}};
    for (size_t i = 0; i < 4; i++) {
        lam_journal_store store = {0};
        lam_storage storage = lam_journal_store_storage(&store);
        lam_journal_writer *writer;
        cr_assert_eq(lam_journal_writer_create(&storage, paths[i][0], NULL, lam_journal_sample_id,
                                               NULL, &writer, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(store.folder_syncs, 0);
        for (int sync = 0; sync < 2; sync++)
            cr_assert_eq(lam_journal_writer_sync(writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(store.syncs, 2);
        cr_assert_eq(store.folder_syncs, 1);
        cr_assert_str_eq(store.folder, paths[i][1]);
        lam_journal_writer_close(writer);
        lam_journal_store_free(&store);
    }
}

Test(journal_write, the_sequence_goes_on_behind_a_cut) {
    fixture f = {0};
    uint64_t last;
    fixture_init(&f, 10, NULL);
    cr_assert_eq(lam_journal_writer_cut(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(f.store.truncates, 0);
    cr_assert_eq(add(&f, 0, 1), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(kinds(&f.store, &last), "123");
    cr_assert_eq(last, 2);
    cr_assert_eq(add(&f, 1, 1), LAM_STATUS_OK); /* number 3, never appended */
    cr_assert_eq(lam_journal_writer_cut(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_byte_count(f.writer), LAM_JOURNAL_HEAD_SIZE);
    cr_assert_eq(f.store.bytes.size, LAM_JOURNAL_HEAD_SIZE);
    cr_assert_eq(add(&f, 2, 1), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(kinds(&f.store, &last), "123");
    cr_assert_eq(last, 6);
    fixture_finish(&f);
}

Test(journal_write, remove_leaves_no_file) {
    fixture f = {0};
    fixture_init(&f, 1, NULL);
    cr_assert_eq(lam_journal_writer_remove(f.writer, NULL), LAM_STATUS_OK);
    cr_assert(!f.store.exists);
    f.writer = NULL;
    fixture_finish(&f);
}

/* --- Failures ------------------------------------------------------------------------------ */

/* Calls of the storage: create, append the head, append, sync, sync_folder, truncate, append. */
static lam_status use_storage(fixture *f) {
    lam_status status = add(f, 0, 2);
    if (status == LAM_STATUS_OK)
        status = lam_journal_writer_sync(f->writer, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_journal_writer_cut(f->writer, NULL);
    if (status == LAM_STATUS_OK)
        status = add(f, 2, 2);
    if (status == LAM_STATUS_OK)
        status = lam_journal_writer_flush(f->writer, NULL);
    return status;
}

/* Its frames are appended when there is room, or dropped by a cut. */
Test(journal_write, a_full_disk_leaves_the_journal_as_it_was) {
    fixture f = {0};
    lam_error error = lam_error_none();
    fixture_init(&f, 4, NULL);
    f.store.fail_at = 3;
    f.store.fails_full = true;
    cr_assert_eq(add(&f, 0, 2), LAM_STATUS_OK);
    uint64_t bytes = lam_journal_writer_byte_count(f.writer);
    cr_assert_eq(lam_journal_writer_flush(f.writer, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
    cr_assert(lam_journal_writer_is_usable(f.writer));
    cr_assert_eq(f.store.bytes.size, LAM_JOURNAL_HEAD_SIZE);
    cr_assert_eq(lam_journal_writer_byte_count(f.writer), bytes);
    cr_assert_eq(lam_journal_writer_sync(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(f.store.bytes.size, bytes);
    fixture_finish(&f);
}

Test(journal_write, a_failure_of_the_storage_poisons) {
    for (size_t fail_at = 3; fail_at <= 7; fail_at++) {
        fixture f = {.store = {.fail_at = fail_at}};
        lam_error error = lam_error_none();
        fixture_init(&f, 4, NULL);
        cr_assert_eq(use_storage(&f), LAM_STATUS_IO, "call %zu", fail_at);
        size_t calls = f.store.calls;
        cr_assert_eq(calls, fail_at);
        cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, f.file, 0, 1, &error),
                     LAM_STATUS_STATE);
        cr_assert_eq(error.code, LAM_ERROR_CODE_WRITER_FAILED);
        cr_assert(strstr(error.message, "fails") != NULL, "%s", error.message);
        cr_assert_eq(lam_journal_writer_flush(f.writer, NULL), LAM_STATUS_STATE);
        cr_assert_eq(lam_journal_writer_sync(f.writer, NULL), LAM_STATUS_STATE);
        cr_assert_eq(lam_journal_writer_cut(f.writer, NULL), LAM_STATUS_STATE);
        cr_assert_eq(f.store.calls, calls);
        cr_assert_eq(lam_journal_writer_remove(f.writer, NULL), LAM_STATUS_OK);
        f.writer = NULL;
        fixture_finish(&f);
    }
    fixture f = {.store = {.fail_at = 8}};
    fixture_init(&f, 4, NULL);
    cr_assert_eq(use_storage(&f), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_remove(f.writer, NULL), LAM_STATUS_IO);
    f.writer = NULL;
    fixture_finish(&f);
}

Test(journal_write, a_journal_that_cannot_be_created_is_not_left_behind) {
    for (size_t fail_at = 1; fail_at <= 2; fail_at++) {
        lam_journal_store store = {.fail_at = fail_at, .fails_full = true};
        lam_storage storage = lam_journal_store_storage(&store);
        lam_error error = lam_error_none();
        lam_journal_writer *writer = NULL;
        cr_assert_eq(lam_journal_writer_create(&storage, "j", NULL, lam_journal_sample_id, NULL,
                                               &writer, &error),
                     LAM_STATUS_IO);
        cr_assert_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
        cr_assert(writer == NULL && !store.exists);
        lam_journal_store_free(&store);
    }
}

/* Creates a journal and adds rows; each call that has no memory is tried again. */
static size_t use_memory(lam_failing_alloc *counter, size_t fail_at) {
    lam_random random = lam_random_start(12);
    lam_journal_sample sample;
    lam_journal_store store = {0};
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_storage storage = lam_journal_store_storage(&store);
    lam_journal_writer *writer = NULL;
    uint32_t schema, file;
    size_t failures = 0;
    uint64_t last;
    lam_journal_sample_init(&sample, lam_test_schema("message m { repeated binary s; }"), 20, 80,
                            &random);
    counter->fail_at = fail_at;
#define RETRY(call)                                                                                \
    while ((call) != LAM_STATUS_OK)                                                                \
    failures++
    RETRY(lam_journal_writer_create(&storage, "j", NULL, lam_journal_sample_id, &allocator, &writer,
                                    NULL));
    RETRY(lam_journal_writer_add_schema(writer, sample.schema, NULL, &schema, NULL));
    RETRY(lam_journal_writer_add_file(writer, schema, file_id, "f", &file, NULL));
    RETRY(lam_journal_sample_add(&sample, writer, file, 0, 2, NULL));
    RETRY(lam_journal_sample_add(&sample, writer, file, 2, 18, NULL));
    RETRY(lam_journal_writer_sync(writer, NULL));
#undef RETRY
    cr_assert_str_eq(kinds(&store, &last), "1233");
    lam_journal_writer_close(writer);
    lam_journal_sample_free(&sample);
    lam_journal_store_free(&store);
    return failures;
}

Test(journal_write, a_call_without_memory_can_be_tried_again) {
    size_t fail_at = 1;
    for (;; fail_at++) {
        lam_failing_alloc counter = {0};
        size_t failures = use_memory(&counter, fail_at);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (counter.requests < fail_at)
            break;
        cr_assert_eq(failures, 1, "request %zu", fail_at);
    }
    cr_assert_gt(fail_at, 8);
}

#if SIZE_MAX > UINT32_MAX
Test(journal_write, more_records_than_a_frame_can_count_are_refused) {
    fixture f = {0};
    lam_error error = lam_error_none();
    fixture_init(&f, 1, NULL);
    cr_assert_eq(
        lam_journal_writer_add_rows(f.writer, f.file, 0, 0, NULL, (size_t)UINT32_MAX + 1, &error),
        LAM_STATUS_LIMIT, "%s", error.message);
    fixture_finish(&f);
}
#endif

/* The note of an end is a frame like others: it may find no memory, or come after a failure. */
Test(journal_write, an_end_that_cannot_be_noted_is_reported) {
    fixture f = {0};
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    size_t refused = 0;
    fixture_init(&f, 10, &allocator);
    cr_assert_eq(add(&f, 0, 10), LAM_STATUS_OK);
    /* The room of collected frames is used up by the ends of other files, one by one. */
    for (size_t i = 0; i < 200; i++) {
        uint32_t other;
        cr_assert_eq(
            lam_journal_writer_add_file(f.writer, f.schema, file_id, "b.parquet", &other, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_journal_sample_add(&f.sample, f.writer, other, 0, 1, NULL), LAM_STATUS_OK);
        counter.fail_at = counter.requests + 1;
        lam_status status = lam_journal_writer_end_file(f.writer, other, NULL);
        counter.fail_at = 0;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        refused += status == LAM_STATUS_NOMEM;
    }
    cr_assert_gt(refused, 0);
    f.store.fail_at = f.store.calls + 1;
    cr_assert_neq(lam_journal_writer_sync(f.writer, NULL), LAM_STATUS_OK);
    cr_assert_neq(lam_journal_writer_end_file(f.writer, f.file, NULL), LAM_STATUS_OK);
    fixture_finish(&f);
    cr_assert_eq(counter.live_bytes, 0);
}
