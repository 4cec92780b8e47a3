/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journals are read back up to what a kill or a power cut left of them. No changed bit gives a
 * wrong row.
 */
#include "log/journal/journal_read.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/scan.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "file/file_sample.h"
#include "log/journal_sample.h"
#include "support/failing_alloc.h"

/*
 * Reads all batches, each of which must be the next one of the journal; the number of batches, or
 * SIZE_MAX when a frame is refused.
 */
static size_t read_batches(lam_journal_mixed *j, const lam_input *input,
                           const lam_allocator *allocator, lam_journal_end *ret_end,
                           lam_status *ret_status) {
    lam_journal_reader *reader;
    lam_journal_batch batch;
    lam_triples *columns;
    size_t count = 0;
    bool found = true;
    *ret_status = lam_journal_reader_open(input, allocator, &reader, NULL);
    if (*ret_status != LAM_STATUS_OK)
        return 0;
    while (found && *ret_status == LAM_STATUS_OK) {
        *ret_status = lam_journal_reader_next(reader, &batch, &found, NULL);
        if (*ret_status == LAM_STATUS_OK && found)
            *ret_status = lam_journal_reader_columns(reader, &columns, NULL);
        if (*ret_status != LAM_STATUS_OK || !found)
            break;
        cr_assert_lt(count, j->batch_count);
        size_t file = j->batches[count].file;
        cr_assert_eq(memcmp(batch.file->id, j->ids[file], LAM_JOURNAL_ID_SIZE), 0);
        cr_assert_str_eq(batch.file->path, lam_journal_mixed_path(file));
        cr_assert(lam_schema_equals(batch.file->schema, j->samples[file].schema));
        cr_assert_eq(batch.first_row, j->batches[count].first);
        cr_assert_eq(batch.first_record, j->batches[count].first);
        cr_assert_eq(batch.record_count, j->batches[count].count);
        cr_assert(lam_journal_sample_equals(&j->samples[file], j->batches[count].first,
                                            batch.record_count, columns));
        count++;
    }
    *ret_end = lam_journal_reader_end(reader);
    lam_journal_reader_close(reader);
    return count;
}

/* --- There and back ------------------------------------------------------------------------ */

/* An input that lends nothing, so that everything goes through the window. */
static lam_input without_borrow(const lam_journal_mixed *j) {
    lam_input input = lam_journal_store_input(&j->store);
    input.borrow = NULL;
    return input;
}

Test(journal_read, batches_of_any_schemas_come_back) {
    uint64_t seed = lam_test_seed(1);
    for (uint64_t i = 0; i < 200; i++) {
        lam_random random = lam_random_start(seed + i);
        lam_journal_mixed j = {.batch_count = 0};
        lam_journal_mixed_init(&j, &random, 20);
        lam_input input = i % 2 == 0 ? without_borrow(&j) : lam_journal_store_input(&j.store);
        lam_journal_end end;
        lam_status status;
        cr_assert_eq(read_batches(&j, &input, NULL, &end, &status), j.batch_count, "seed %" PRIu64,
                     seed + i);
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert_eq(end.kind, LAM_JOURNAL_END_CLEAN);
        cr_assert_eq(end.offset, j.store.bytes.size);
        cr_assert_eq(end.left, 0);
        lam_journal_mixed_finish(&j);
    }
}

/* --- What a kill or a power cut leaves ----------------------------------------------------- */

static size_t batches_before(const lam_journal_mixed *j, size_t size) {
    size_t count = 0;
    while (count < j->batch_count && j->batches[count].end <= size)
        count++;
    return count;
}

Test(journal_read, every_prefix_has_the_batches_that_are_whole_in_it) {
    lam_random random = lam_random_start(lam_test_seed(21));
    lam_journal_mixed j = {.batch_count = 0};
    lam_journal_mixed_init(&j, &random, 0);
    cr_assert_gt(j.batch_count, 3);
    for (size_t size = 0; size <= j.store.bytes.size; size++) {
        lam_input input = lam_input_memory(j.store.bytes.data, size);
        lam_journal_end end;
        lam_status status;
        cr_assert_eq(read_batches(&j, &input, NULL, &end, &status), batches_before(&j, size));
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert(end.kind == LAM_JOURNAL_END_CLEAN || end.kind == LAM_JOURNAL_END_CUT);
        cr_assert_eq(end.kind == LAM_JOURNAL_END_CLEAN, size >= 28 && end.left == 0);
        cr_assert_eq(end.offset + end.left, size);
    }
    lam_journal_mixed_finish(&j);
}

Test(journal_read, no_changed_bit_gives_a_wrong_row) {
    lam_random random = lam_random_start(lam_test_seed(22));
    lam_journal_mixed j = {.batch_count = 0};
    lam_journal_mixed_init(&j, &random, 0);
    cr_assert_gt(j.batch_count, 3);
    for (size_t bit = 0; bit < 8 * j.store.bytes.size; bit++) {
        uint8_t *byte = &j.store.bytes.data[bit / 8];
        lam_input input = bit % 2 == 0 ? without_borrow(&j) : lam_journal_store_input(&j.store);
        lam_journal_end end = {.left = 0};
        lam_status status;
        *byte ^= (uint8_t)(1 << bit % 8);
        size_t count = read_batches(&j, &input, NULL, &end, &status);
        *byte ^= (uint8_t)(1 << bit % 8);
        cr_assert_eq(count, batches_before(&j, bit / 8));
        if (bit / 8 < LAM_JOURNAL_HEAD_SIZE) {
            cr_assert_eq(status, LAM_STATUS_CORRUPT);
            continue;
        }
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert(end.kind == LAM_JOURNAL_END_DAMAGED || end.kind == LAM_JOURNAL_END_CUT);
        cr_assert_leq(end.offset, bit / 8);
    }
    lam_journal_mixed_finish(&j);
}

/* The length of a file may be ahead of its content. */
Test(journal_read, zeros_end_a_journal) {
    lam_random random = lam_random_start(lam_test_seed(23));
    lam_journal_mixed j = {.batch_count = 0};
    uint8_t zeros[100] = {0};
    lam_journal_end end;
    lam_status status;
    lam_journal_mixed_init(&j, &random, 0);
    uint64_t size = j.store.bytes.size;
    cr_assert_eq(lam_buffer_append(&j.store.bytes, zeros, sizeof zeros, NULL), LAM_STATUS_OK);
    lam_input input = lam_journal_store_input(&j.store);
    cr_assert_eq(read_batches(&j, &input, NULL, &end, &status), j.batch_count);
    cr_assert_eq(end.kind, LAM_JOURNAL_END_DAMAGED);
    cr_assert_eq(end.offset, size);
    cr_assert_eq(end.left, sizeof zeros);
    lam_journal_mixed_finish(&j);

    input = lam_input_memory(zeros, sizeof zeros);
    cr_assert_eq(read_batches(&j, &input, NULL, &end, &status), 0);
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert_eq(end.kind, LAM_JOURNAL_END_DAMAGED);
    cr_assert_eq(end.left, sizeof zeros);
}

Test(journal_read, other_files_and_versions_are_refused) {
    uint8_t head[LAM_JOURNAL_HEAD_SIZE];
    lam_journal_reader *reader;
    lam_input input = lam_input_memory("PAR1 and something that is long enough", 38);
    cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_CORRUPT);
    lam_journal_head_write(lam_journal_sample_id, head);
    head[7] = 2;
    lam_store_le32(head + 24, lam_crc32(0, head, 24));
    input = lam_input_memory(head, sizeof head);
    cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_UNSUPPORTED);
}

/* The batches of an input, and its end. */
static size_t count_batches(const lam_input *input, lam_journal_end *ret_end) {
    lam_journal_reader *reader;
    lam_journal_batch batch;
    bool found = true;
    size_t count = 0;
    cr_assert_eq(lam_journal_reader_open(input, NULL, &reader, NULL), LAM_STATUS_OK);
    while (found) {
        cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_OK);
        count += found;
    }
    *ret_end = lam_journal_reader_end(reader);
    lam_journal_reader_close(reader);
    return count;
}

Test(journal_read, frames_from_before_a_cut_are_stale) {
    lam_journal_single s = {.file = 0};
    lam_journal_end end;
    lam_journal_single_init(&s, 10, lam_journal_sample_id);
    size_t first = lam_journal_single_add(&s, 0, 2);
    size_t second = lam_journal_single_add(&s, 2, 2);
    uint8_t old[4096];
    cr_assert_leq(second, sizeof old);
    memcpy(old, s.store.bytes.data, second);
    cr_assert_eq(lam_journal_writer_cut(s.writer, NULL), LAM_STATUS_OK);
    /* The same records again, so that the old frame fits exactly behind the new ones. */
    cr_assert_eq(lam_journal_single_add(&s, 0, 2), first);
    cr_assert_eq(lam_buffer_append(&s.store.bytes, old + first, second - first, NULL),
                 LAM_STATUS_OK);
    lam_input input = lam_journal_store_input(&s.store);
    cr_assert_eq(count_batches(&input, &end), 1);
    cr_assert_eq(end.kind, LAM_JOURNAL_END_STALE);
    cr_assert_eq(end.offset, first);
    cr_assert_eq(end.left, second - first);
    lam_journal_single_finish(&s);
}

Test(journal_read, frames_of_another_journal_are_refused) {
    static const uint8_t other_id[LAM_JOURNAL_ID_SIZE] = {9};
    lam_journal_single a = {.file = 0}, b = {.file = 0};
    lam_journal_end end;
    lam_journal_single_init(&a, 10, lam_journal_sample_id);
    lam_journal_single_init(&b, 10, other_id);
    size_t first = lam_journal_single_add(&a, 0, 2);
    lam_journal_single_add(&a, 2, 2);
    cr_assert_eq(lam_journal_single_add(&b, 0, 2), first);
    size_t size = lam_journal_single_add(&b, 2, 2);
    memcpy(a.store.bytes.data + first, b.store.bytes.data + first, size - first);
    lam_input input = lam_journal_store_input(&a.store);
    cr_assert_eq(count_batches(&input, &end), 1);
    cr_assert_eq(end.kind, LAM_JOURNAL_END_DAMAGED);
    lam_journal_single_finish(&a);
    lam_journal_single_finish(&b);
}

/* --- Frames with a right checksum and wrong contents --------------------------------------- */

/* Appends a frame of any kind and body with a right checksum. */
static void append_frame(lam_buffer *bytes, uint64_t sequence, uint8_t kind, const void *body,
                         size_t size) {
    uint8_t header[LAM_JOURNAL_HEADER_SIZE];
    lam_store_le32(header + 4, (uint32_t)size);
    lam_store_le64(header + 8, sequence);
    header[16] = kind;
    uint32_t crc = lam_crc32(lam_journal_seed(lam_journal_sample_id), header + 4, 13);
    lam_store_le32(header, lam_crc32(crc, body, size));
    cr_assert_eq(lam_buffer_append(bytes, header, sizeof header, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(bytes, body, size, NULL), LAM_STATUS_OK);
}

Test(journal_read, contents_that_contradict_the_journal_are_corrupt) {
    static const struct {
        uint8_t kind;
        const char *body;
        size_t size;
    } frames[] = {
        {0, "", 0},                                                  /* an unknown kind */
        {5, "abcd", 4},                                              /* the same */
        {1, "\0\0\0\0\x15", 5},                                      /* a second schema 0 */
        {1, "\1\0\0\0\x15", 5},                                      /* metadata that are cut */
        {1, "\1\0\0\0\0", 5},                                        /* metadata without a schema */
        {2, "\0\0\0\0\0\0\0\0iiiiiiiiiiiiiiiif", 25},                /* a second file 0 */
        {2, "\1\0\0\0\1\0\0\0iiiiiiiiiiiiiiiif", 25},                /* of an unknown schema */
        {2, "\1\0\0\0\0\0\0\0iiiiiiiiiiiiiiii/f", 26},               /* in another folder */
        {3, "\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24}, /* of an unknown file */
        {3, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24}, /* without records */
        {3, "\0\0\0\0", 4},                                          /* cut */
        {4, "\1\0\0\0", 4},   /* the end of an unknown file */
        {4, "\0\0\0\0\0", 5}, /* an end that is too long */
    };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        lam_journal_single s = {.file = 0};
        lam_journal_reader *reader;
        lam_journal_batch batch;
        bool found;
        lam_error error = lam_error_none();
        lam_journal_single_init(&s, 3, lam_journal_sample_id);
        size_t size = lam_journal_single_add(&s, 0, 2);
        append_frame(&s.store.bytes, 3, frames[i].kind, frames[i].body, frames[i].size);
        lam_input input = lam_journal_store_input(&s.store);
        cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_OK);
        for (int again = 0; again < 2; again++) {
            cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, &error),
                         LAM_STATUS_CORRUPT, "%zu", i);
            cr_assert_eq(error.offset, (int64_t)size);
        }
        cr_assert_eq(lam_journal_reader_columns(reader, &(lam_triples *){NULL}, NULL),
                     LAM_STATUS_STATE);
        lam_journal_reader_close(reader);
        lam_journal_single_finish(&s);
    }
}

Test(journal_read, nothing_follows_the_end_of_a_file) {
    lam_journal_single s = {.file = 0};
    lam_journal_reader *reader;
    lam_journal_batch batch;
    bool found;
    lam_journal_single_init(&s, 3, lam_journal_sample_id);
    lam_journal_single_add(&s, 0, 2);
    cr_assert_eq(lam_journal_writer_end_file(s.writer, s.file, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(s.writer, NULL), LAM_STATUS_OK);
    lam_input input = lam_journal_store_input(&s.store);
    cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_OK);
    cr_assert(found && !batch.file->has_ended);
    cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_OK);
    cr_assert(!found && lam_journal_reader_file(reader, 0)->has_ended);
    lam_journal_reader_close(reader);
    append_frame(&s.store.bytes, 4, 4, "\0\0\0\0", 4);
    input = lam_journal_store_input(&s.store);
    cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_reader_next(reader, &batch, &found, NULL), LAM_STATUS_CORRUPT);
    lam_journal_reader_close(reader);
    lam_journal_single_finish(&s);
}

/* A size is compared with the bytes that are there before it sizes anything. */
Test(journal_read, sizes_beyond_the_file_allocate_nothing) {
    static const uint32_t sizes[] = {1000, LAM_JOURNAL_BODY_MAX, LAM_JOURNAL_BODY_MAX + 1u,
                                     UINT32_MAX};
    for (size_t i = 0; i < 4; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_journal_single s = {.file = 0};
        lam_journal_mixed j = {.batch_count = 0};
        lam_journal_end end;
        lam_status status;
        lam_journal_single_init(&s, 1, lam_journal_sample_id);
        append_frame(&s.store.bytes, 0, 3, "abcd", 4);
        lam_store_le32(s.store.bytes.data + LAM_JOURNAL_HEAD_SIZE + 4, sizes[i]);
        lam_input input = lam_journal_store_input(&s.store);
        input.borrow = NULL;
        cr_assert_eq(read_batches(&j, &input, &allocator, &end, &status), 0);
        cr_assert_eq(end.kind, i < 2 ? LAM_JOURNAL_END_CUT : LAM_JOURNAL_END_DAMAGED);
        cr_assert_lt(counter.peak_bytes, 1 << 20);
        lam_journal_single_finish(&s);
    }
}

/* --- Failures ------------------------------------------------------------------------------ */

static lam_status fail_to_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)state;
    (void)offset;
    (void)size;
    (void)buffer;
    LAM_FAIL(error, LAM_ERROR_CODE_FILE_READ, "the medium fails");
}

Test(journal_read, a_failure_of_the_input_is_no_end) {
    lam_input input = {.size = 100, .read_at = fail_to_read};
    lam_journal_reader *reader = NULL;
    cr_assert_eq(lam_journal_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_IO);
    cr_assert(reader == NULL);
}

Test(journal_read, without_memory_nothing_leaks) {
    lam_random random = lam_random_start(lam_test_seed(24));
    lam_journal_mixed j = {.batch_count = 0};
    lam_status status = LAM_STATUS_NOMEM;
    lam_journal_mixed_init(&j, &random, 10);
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_input input = without_borrow(&j);
        lam_journal_end end;
        size_t count = read_batches(&j, &input, &allocator, &end, &status);
        cr_assert(status == LAM_STATUS_NOMEM ||
                  (counter.requests < fail_at && count == j.batch_count));
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_journal_mixed_finish(&j);
}

/* Reads nothing from an offset on. */
typedef struct ending_disk {
    lam_input whole;
    uint64_t end;
} ending_disk;

static lam_status read_before_end(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    const ending_disk *disk = state;
    if (offset + size > disk->end)
        LAM_FAIL(error, LAM_STATUS_IO, "the disk is gone");
    return disk->whole.read_at(disk->whole.state, offset, size, buffer, error);
}

/* A frame that cannot be read is not one that is damaged. */
Test(journal_read, what_the_disk_does_not_give_is_reported) {
    lam_journal_mixed j = {0};
    lam_random random = lam_random_start(lam_test_seed(7));
    lam_journal_mixed_init(&j, &random, 2);
    size_t size = j.store.bytes.size;
    for (uint64_t end = 0; end <= size; end += 1 + end / 50) {
        lam_input input = without_borrow(&j);
        ending_disk disk = {input, end};
        lam_journal_end ended;
        lam_status status;
        input.state = &disk;
        input.read_at = read_before_end;
        (void)read_batches(&j, &input, NULL, &ended, &status);
        cr_assert(status == LAM_STATUS_IO || status == LAM_STATUS_OK);
        cr_assert(status == LAM_STATUS_IO || ended.left == 0);
    }
    lam_journal_reader_close(NULL);
    lam_journal_mixed_finish(&j);
}

/* A journal that is longer than what is read at once. */
Test(journal_read, what_the_disk_does_not_give_later_is_reported) {
    enum { RECORDS = 40000, BATCHES = 20 };
    lam_journal_single s = {.file = 0};
    lam_journal_single_init(&s, RECORDS, lam_journal_sample_id);
    size_t size = 0, failures = 0;
    for (size_t i = 0; i < BATCHES; i++)
        size = lam_journal_single_add(&s, i * (RECORDS / BATCHES), RECORDS / BATCHES);
    for (uint64_t end = 1000; end < size; end += size / 97) {
        lam_input input = lam_journal_store_input(&s.store);
        ending_disk disk = {input, end};
        lam_journal_reader *reader;
        lam_journal_batch batch;
        bool found = true;
        lam_error error = lam_error_none();
        input.borrow = NULL;
        input.state = &disk;
        input.read_at = read_before_end;
        lam_status status = lam_journal_reader_open(&input, NULL, &reader, &error);
        if (status != LAM_STATUS_OK)
            continue;
        while (found && status == LAM_STATUS_OK)
            status = lam_journal_reader_next(reader, &batch, &found, &error);
        cr_assert_eq(status, LAM_STATUS_IO, "%" PRIu64 " of %zu bytes", end, size);
        cr_assert_str_eq(error.message, "the disk is gone");
        lam_journal_reader_close(reader);
        failures++;
    }
    cr_expect_gt(failures, 10);
    lam_journal_single_finish(&s);
}
