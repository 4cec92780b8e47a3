/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a journal by their bytes. Any schema comes back, and no changed or forged byte sizes
 * anything.
 */
#include "log/journal/journal_frame.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "file/write/triple_batch.h"
#include "log/journal_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

enum { ROWS_SIZE = 24 /* of a body before its columns */ };

static lam_buffer empty_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

/* A frame of rows; the body is at LAM_JOURNAL_HEADER_SIZE. */
static lam_buffer frame_of(lam_journal_sample *sample) {
    lam_journal_stream stream = {0};
    lam_journal_rows rows = {0, (uint32_t)sample->record_count, 0, 0};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_journal_rows_write(&stream, sample->schema, &rows,
                                        lam_journal_sample_columns(sample, 0, sample->record_count),
                                        &out, NULL),
                 LAM_STATUS_OK);
    return out;
}

static lam_bytes columns_of(const lam_buffer *frame) {
    lam_bytes bytes = {frame->data + LAM_JOURNAL_HEADER_SIZE + ROWS_SIZE,
                       frame->size - LAM_JOURNAL_HEADER_SIZE - ROWS_SIZE};
    return bytes;
}

/* --- Bytes --------------------------------------------------------------------------------- */

Test(journal_frame, a_head_is_these_bytes) {
    static const uint8_t golden[] = {'L', 'A', 'M', 'J', 'R', 'N', 'L', 1,  0,  1,  2,  3,
                                     4,   5,   6,   7,   8,   9,   10,  11, 12, 13, 14, 15};
    uint8_t head[LAM_JOURNAL_HEAD_SIZE], log_id[LAM_JOURNAL_ID_SIZE];
    lam_journal_head_write(lam_journal_sample_id, head);
    cr_assert_eq(memcmp(head, golden, sizeof golden), 0);
    cr_assert_eq(lam_load_le32(head + 24), 0x68DE3A98u, "%08x", lam_load_le32(head + 24));
    cr_assert_eq(lam_journal_head_read(head, log_id, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(log_id, lam_journal_sample_id, sizeof log_id), 0);
}

Test(journal_frame, every_changed_bit_of_a_head_is_refused) {
    uint8_t head[LAM_JOURNAL_HEAD_SIZE], log_id[LAM_JOURNAL_ID_SIZE];
    lam_journal_head_write(lam_journal_sample_id, head);
    for (size_t bit = 0; bit < 8 * sizeof head; bit++) {
        lam_error error = lam_error_none();
        head[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_eq(lam_journal_head_read(head, log_id, &error), LAM_STATUS_CORRUPT);
        cr_assert_eq(error.code, LAM_ERROR_CODE_JOURNAL);
        head[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

Test(journal_frame, a_head_is_torn_when_zeros_end_it) {
    uint8_t head[LAM_JOURNAL_HEAD_SIZE];
    for (size_t size = 0; size <= sizeof head; size++) {
        lam_journal_head_write(lam_journal_sample_id, head);
        memset(head + size, 0, sizeof head - size);
        cr_assert_eq(lam_journal_head_is_torn(head), size < sizeof head, "%zu", size);
    }
    memset(head, 0, sizeof head);
    memcpy(head, "PAR1", 4);
    cr_assert(!lam_journal_head_is_torn(head));
}

/* The example that journal_frame.h draws. */
Test(journal_frame, a_frame_of_rows_is_these_bytes) {
    static const uint8_t golden[] = {0x22, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
                                     0,    1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0,
                                     0,    0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    lam_schema *schema = lam_test_schema("message m { optional int64 a; }");
    lam_journal_stream stream = {lam_journal_seed(lam_journal_sample_id), 7};
    lam_journal_rows rows = {0, 1, 2, 5};
    uint8_t definition = 0;
    lam_triples column = {.count = 1, .definition = &definition};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_journal_rows_write(&stream, schema, &rows, &column, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(out.size, 4 + sizeof golden);
    cr_assert_eq(memcmp(out.data + 4, golden, sizeof golden), 0);
    cr_assert_eq(lam_load_le32(out.data), 0xDDE1C261u, "%08x", lam_load_le32(out.data));
    cr_assert_eq(stream.sequence, 8);
    cr_assert(lam_journal_frame_check(stream.seed, lam_buffer_bytes(&out)));
    lam_buffer_finish(&out);
    lam_schema_destroy(schema);
}

Test(journal_frame, values_and_levels_lie_side_by_side) {
    static const uint8_t golden[] = {1, 3, 0,   0,   0, 3, 0, 0, 0, 0, 1, 0, 2,   0,
                                     0, 0, 'a', 'b', 0, 0, 0, 0, 1, 0, 0, 0, 'c', /* a */
                                     0, 2, 0,   0,   0, 2, 0, 0, 0, 1, 0};        /* b */
    lam_schema *schema = lam_test_schema("message m { repeated binary a; required boolean b; }");
    lam_journal_stream stream = {0};
    lam_journal_rows rows = {0, 2, 0, 0};
    uint8_t repetition[] = {0, 1, 0}, bools[] = {1, 0};
    lam_bytes values[] = {{(const uint8_t *)"ab", 2}, {NULL, 0}, {(const uint8_t *)"c", 1}};
    lam_triples columns[] = {{3, 3, repetition, NULL, values}, {2, 2, NULL, NULL, bools}};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_journal_rows_write(&stream, schema, &rows, columns, &out, NULL),
                 LAM_STATUS_OK);
    lam_bytes bytes = columns_of(&out);
    cr_assert_eq(bytes.size, sizeof golden);
    cr_assert_eq(memcmp(bytes.data, golden, sizeof golden), 0);
    lam_buffer_finish(&out);
    lam_schema_destroy(schema);
}

Test(journal_frame, a_checksum_covers_the_header_the_body_and_the_log_id) {
    lam_random random = lam_random_start(7);
    lam_journal_sample sample;
    lam_journal_sample_init(&sample, lam_test_schema("message m { required int32 a; }"), 3, 100,
                            &random);
    lam_buffer out = frame_of(&sample);
    cr_assert(
        !lam_journal_frame_check(lam_journal_seed(lam_journal_sample_id), lam_buffer_bytes(&out)));
    for (size_t bit = 0; bit < 8 * out.size; bit++) {
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert(!lam_journal_frame_check(0, lam_buffer_bytes(&out)), "bit %zu", bit);
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    lam_buffer_finish(&out);
    lam_journal_sample_free(&sample);
}

/* --- There and back ------------------------------------------------------------------------ */

static void trip(uint64_t seed) {
    static const unsigned presences[] = {10, 50, 95, 100};
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_journal_sample sample;
    lam_schema *schema = lam_tree_random_schema(&random, 30);
    lam_journal_sample_init(&sample, schema, 1 + (size_t)lam_random_below(&random, 40),
                            presences[lam_random_below(&random, 4)], &random);
    lam_buffer out = frame_of(&sample);
    lam_bytes body = {out.data + LAM_JOURNAL_HEADER_SIZE, out.size - LAM_JOURNAL_HEADER_SIZE};
    lam_journal_rows rows;
    lam_bytes bytes;
    lam_arena arena;
    lam_triples *columns;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_journal_rows_read(body, &rows, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(rows.record_count, sample.record_count);
    cr_assert_eq(lam_journal_columns_read(lam_kernels_get(), schema, bytes, sample.record_count,
                                          &arena, &columns, NULL),
                 LAM_STATUS_OK, "seed %" PRIu64, seed);
    cr_assert(lam_journal_sample_equals(&sample, 0, sample.record_count, columns), "seed %" PRIu64,
              seed);
    lam_arena_finish(&arena);
    lam_buffer_finish(&out);
    lam_journal_sample_free(&sample);
}

Test(journal_frame, columns_of_any_schema_come_back) {
    uint64_t seed = lam_test_seed(1);
    for (uint64_t i = 0; i < 1000; i++)
        trip(seed + i);
}

Test(journal_frame, a_schema_comes_back_with_its_key_values) {
    lam_meta_key_value pair = {
        LAM_META_KEY_VALUE_HAS_VALUE, {(const uint8_t *)"k", 1}, {(const uint8_t *)"v", 1}};
    lam_meta_key_value_list pairs = {&pair, 1};
    lam_journal_stream stream = {0};
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_buffer metadata = empty_buffer(), out = empty_buffer();
    uint32_t number;
    lam_bytes read;
    cr_assert_eq(lam_journal_metadata_write(schema, &pairs, &metadata, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_journal_schema_write(&stream, 9, lam_buffer_bytes(&metadata), &out, NULL),
                 LAM_STATUS_OK);
    lam_bytes body = {out.data + LAM_JOURNAL_HEADER_SIZE, out.size - LAM_JOURNAL_HEADER_SIZE};
    cr_assert_eq(lam_journal_schema_read(body, &number, &read, NULL), LAM_STATUS_OK);
    cr_assert_eq(number, 9);
    cr_assert_eq(read.size, metadata.size);
    cr_assert_eq(memcmp(read.data, metadata.data, read.size), 0);
    lam_buffer_finish(&metadata);
    lam_buffer_finish(&out);
    lam_schema_destroy(schema);
}

/* --- What is refused ----------------------------------------------------------------------- */

Test(journal_frame, paths_that_leave_the_folder_are_refused) {
    static const struct {
        const char *path;
        size_t size;
        bool allowed;
    } paths[] = {{"a", 1, true},       {"a=1/b.parquet", 13, true},
                 {".a/b.", 5, true},   {"..a/...", 7, true},
                 {"", 0, false},       {"/a", 2, false},
                 {"a/", 2, false},     {"a//b", 4, false},
                 {".", 1, false},      {"..", 2, false},
                 {"a/../b", 6, false}, {"a/./b", 5, false},
                 {"a\0b", 3, false}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        lam_journal_stream stream = {0};
        lam_journal_file file = {.path = {(const uint8_t *)"x", 1}}, read;
        lam_buffer out = empty_buffer();
        cr_assert_eq(lam_journal_file_write(&stream, &file, &out, NULL), LAM_STATUS_OK);
        out.size--;
        cr_assert_eq(lam_buffer_append(&out, paths[i].path, paths[i].size, NULL), LAM_STATUS_OK);
        lam_bytes body = {out.data + LAM_JOURNAL_HEADER_SIZE, out.size - LAM_JOURNAL_HEADER_SIZE};
        cr_assert_eq(lam_journal_file_read(body, &read, NULL),
                     paths[i].allowed ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%zu", i);
        file.path = (lam_bytes){(const uint8_t *)paths[i].path, paths[i].size};
        size_t size = out.size;
        cr_assert_eq(lam_journal_file_write(&stream, &file, &out, NULL),
                     paths[i].allowed ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%zu", i);
        cr_assert_eq(stream.sequence, 1 + paths[i].allowed);
        cr_assert_eq(out.size > size, paths[i].allowed);
        lam_buffer_finish(&out);
    }
}

Test(journal_frame, short_bodies_and_impossible_rows_are_refused) {
    uint8_t body[32] = {0};
    uint32_t number;
    lam_journal_file file;
    lam_journal_rows rows;
    lam_bytes rest;
    for (size_t size = 0; size <= ROWS_SIZE; size++) {
        lam_bytes bytes = {body, size};
        cr_assert_eq(lam_journal_schema_read(bytes, &number, &rest, NULL),
                     size < 4 ? LAM_STATUS_CORRUPT : LAM_STATUS_OK);
        cr_assert_eq(lam_journal_file_read(bytes, &file, NULL), LAM_STATUS_CORRUPT);
        cr_assert_eq(lam_journal_rows_read(bytes, &rows, &rest, NULL), LAM_STATUS_CORRUPT);
    }
    lam_bytes bytes = {body, ROWS_SIZE};
    body[4] = 1;
    cr_assert_eq(lam_journal_rows_read(bytes, &rows, &rest, NULL), LAM_STATUS_OK);
    memset(body + 8, 0xFF, 8);
    cr_assert_eq(lam_journal_rows_read(bytes, &rows, &rest, NULL), LAM_STATUS_CORRUPT);
    memset(body + 8, 0, 8);
    memset(body + 16, 0xFF, 8);
    cr_assert_eq(lam_journal_rows_read(bytes, &rows, &rest, NULL), LAM_STATUS_CORRUPT);
}

/* Reads columns of which nothing is known. What is accepted keeps the promises of lam_triples. */
static void read_any(const lam_schema *schema, lam_bytes bytes, size_t record_count,
                     bool must_fail) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_arena arena;
    lam_triples *columns;
    lam_arena_init(&arena, &allocator, 0);
    lam_status status = lam_journal_columns_read(lam_kernels_get(), schema, bytes, record_count,
                                                 &arena, &columns, &error);
    if (status == LAM_STATUS_OK) {
        cr_assert(!must_fail);
        for (size_t i = 0; i < schema->leaf_count; i++)
            cr_assert_eq(lam_triples_check(lam_kernels_get(), lam_leaf_at(schema, i), &columns[i],
                                           record_count, NULL),
                         LAM_STATUS_OK);
    } else {
        cr_assert_eq(status, LAM_STATUS_CORRUPT, "%s", error.message);
    }
    lam_arena_finish(&arena);
}

Test(journal_frame, columns_that_are_cut_or_changed_never_contradict_themselves) {
    lam_random random = lam_random_start(lam_test_seed(3));
    lam_journal_sample sample;
    lam_journal_sample_init(
        &sample,
        lam_test_schema("message m { optional group g { repeated binary a; optional boolean b; }\n"
                        "required int64 c; optional fixed_len_byte_array(3) d; }"),
        9, 70, &random);
    lam_buffer out = frame_of(&sample);
    lam_bytes bytes = columns_of(&out);
    for (size_t size = 0; size <= bytes.size; size++) {
        lam_bytes prefix = {bytes.data, size};
        read_any(sample.schema, prefix, sample.record_count, size < bytes.size);
    }
    read_any(sample.schema, bytes, sample.record_count + 1, true);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        uint8_t *byte = out.data + (out.size - bytes.size) + bit / 8;
        *byte ^= (uint8_t)(1 << bit % 8);
        read_any(sample.schema, bytes, sample.record_count, false);
        *byte ^= (uint8_t)(1 << bit % 8);
    }
    cr_assert_eq(lam_buffer_append_byte(&out, 0, NULL), LAM_STATUS_OK);
    read_any(sample.schema, columns_of(&out), sample.record_count, true);
    lam_buffer_finish(&out);
    lam_journal_sample_free(&sample);
}

Test(journal_frame, a_boolean_is_0_or_1) {
    lam_random random = lam_random_start(1);
    lam_journal_sample sample;
    lam_journal_sample_init(&sample, lam_test_schema("message m { required boolean a; }"), 4, 100,
                            &random);
    lam_buffer out = frame_of(&sample);
    out.data[out.size - 1] = 2;
    read_any(sample.schema, columns_of(&out), 4, true);
    lam_buffer_finish(&out);
    lam_journal_sample_free(&sample);
}

/* A count alone must not size anything. */
Test(journal_frame, counts_without_their_bytes_allocate_nothing) {
    static const char *const schemas[] = {"message m { optional int64 a; }",
                                          "message m { optional binary a; }",
                                          "message m { optional boolean a; }"};
    uint8_t bytes[9 + 8] = {0, 0xFF, 0xFF, 0xFF, 0x3F, 0xFF, 0xFF, 0xFF, 0x3F};
    for (size_t i = 0; i < 3; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_schema *schema = lam_test_schema(schemas[i]);
        lam_bytes columns = {bytes, sizeof bytes};
        lam_triples *read;
        lam_arena arena;
        lam_arena_init(&arena, &allocator, 0);
        for (uint8_t flags = 0; flags < 5; flags++) {
            bytes[0] = flags;
            cr_assert_eq(lam_journal_columns_read(lam_kernels_get(), schema, columns, 0x3FFFFFFF,
                                                  &arena, &read, NULL),
                         LAM_STATUS_CORRUPT);
        }
        cr_assert_lt(counter.peak_bytes, 1 << 16);
        lam_arena_finish(&arena);
        lam_schema_destroy(schema);
    }
}

Test(journal_frame, more_than_a_body_may_have_is_refused_before_it_is_copied) {
    lam_schema *schema = lam_test_schema("message m { required int64 a; }");
    lam_journal_stream stream = {0};
    lam_journal_rows rows = {0, LAM_JOURNAL_BODY_MAX + 1u, 0, 0};
    lam_triples column = {.count = LAM_JOURNAL_BODY_MAX + (size_t)1,
                          .value_count = LAM_JOURNAL_BODY_MAX + (size_t)1};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_journal_rows_write(&stream, schema, &rows, &column, &out, NULL),
                 LAM_STATUS_LIMIT);
    cr_assert_eq(out.size, 0);
    cr_assert_eq(stream.sequence, 0);
    lam_buffer_finish(&out);
    lam_schema_destroy(schema);
}

/* --- Without memory ------------------------------------------------------------------------ */

/* Writes metadata, a schema, a file and rows, and reads the rows; the first failure ends it. */
static lam_status use_memory(lam_journal_sample *sample, const lam_allocator *allocator) {
    lam_status status;
    lam_journal_stream stream = {0};
    lam_journal_file file = {.path = {(const uint8_t *)"x", 1}};
    lam_journal_rows rows = {0, (uint32_t)sample->record_count, 0, 0};
    lam_buffer metadata, out;
    lam_arena arena;
    lam_triples *columns;
    lam_buffer_init(&metadata, allocator);
    lam_buffer_init(&out, allocator);
    lam_arena_init(&arena, allocator, 0);
    status = lam_journal_metadata_write(sample->schema, NULL, &metadata, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_journal_schema_write(&stream, 0, lam_buffer_bytes(&metadata), &out, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_journal_file_write(&stream, &file, &out, NULL);
    size_t size = out.size;
    if (status == LAM_STATUS_OK) {
        status = lam_journal_rows_write(&stream, sample->schema, &rows,
                                        lam_journal_sample_columns(sample, 0, sample->record_count),
                                        &out, NULL);
        cr_assert_eq(stream.sequence, status == LAM_STATUS_OK ? 3 : 2);
        cr_assert_eq(out.size == size, status != LAM_STATUS_OK);
    }
    size += LAM_JOURNAL_HEADER_SIZE + ROWS_SIZE;
    if (status == LAM_STATUS_OK) {
        lam_bytes bytes = {out.data + size, out.size - size};
        status = lam_journal_columns_read(lam_kernels_get(), sample->schema, bytes,
                                          sample->record_count, &arena, &columns, NULL);
    }
    lam_buffer_finish(&metadata);
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
    return status;
}

Test(journal_frame, without_memory_nothing_is_written_and_nothing_leaks) {
    lam_random random = lam_random_start(5);
    lam_journal_sample sample;
    lam_journal_sample_init(&sample,
                            lam_test_schema("message m { optional binary a; repeated int64 b; }"),
                            200, 80, &random);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = use_memory(&sample, &allocator);
        cr_assert(status == LAM_STATUS_NOMEM || counter.requests < fail_at);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_journal_sample_free(&sample);
}

Test(journal_frame, bytes_without_a_whole_header_are_no_frame) {
    static const uint8_t zeros[LAM_JOURNAL_HEADER_SIZE];
    for (size_t size = 0; size < sizeof zeros; size++)
        cr_assert_not(lam_journal_frame_check(0, (lam_bytes){zeros, size}));
}
