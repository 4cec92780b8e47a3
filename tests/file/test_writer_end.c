/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is whole up to each checkpoint, whatever follows; recovery records stand where they
 * should; and any failure poisons the writer.
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/details.h>
#include <lamella/recover.h>
#include <lamella/writer.h>
#include <string.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "file/write/file_writer.h"
#include "file/write/recovery_record.h"
#include "support/failing_alloc.h"

#define SCHEMA "message m { required int32 a; optional group g { repeated binary b (STRING); } }"

static const uint8_t file_id[LAM_RECOVERY_ID_SIZE] = "0123456789abcde";

static lam_test_writer start(bool records, const lam_writer_options *options) {
    lam_test_writer file = lam_test_write(SCHEMA, options);
    if (records)
        lam_writer_start_records(file.writer, file_id);
    return file;
}

static void put_rows(lam_test_writer *file, int32_t first, int32_t count) {
    const lam_schema *schema = lam_writer_schema(file->writer);
    const lam_field *a = lam_schema_find(schema, "a");
    const lam_field *g = lam_schema_find(schema, "g");
    const lam_field *b = lam_schema_find(schema, "g.b");
    for (int32_t i = first; i < first + count; i++) {
        (void)lam_begin(&file->sink, NULL);
        (void)lam_put_int32(&file->sink, a, i, NULL);
        (void)lam_open(&file->sink, g, NULL);
        for (int32_t n = 0; n < i % 3; n++)
            (void)lam_put_string(&file->sink, b, "text", NULL);
        (void)lam_close(&file->sink, g, NULL);
        cr_assert_eq(lam_end(&file->sink, NULL), LAM_STATUS_OK);
    }
}

/* Opens the first `size` bytes, and expects `rows` rows from 0 on in `groups` row groups. */
static void expect_file(const lam_test_writer *file, size_t size, size_t groups, uint64_t rows) {
    lam_reader *reader = lam_test_open(file->trial->bytes.data, size, NULL);
    cr_assert_eq(lam_reader_row_count(reader), rows);
    cr_assert_eq(lam_reader_row_group_count(reader), groups);
    int32_t expected = 0;
    for (size_t group = 0; group < groups; group++) {
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, group, 0, &column, NULL), LAM_STATUS_OK);
        do {
            cr_assert_eq(lam_column_reader_read(column, 1000, &triples, NULL), LAM_STATUS_OK);
            for (size_t i = 0; i < triples.value_count; i++)
                cr_assert_eq(((const int32_t *)triples.values)[i], expected++);
        } while (triples.count > 0);
        lam_column_reader_close(column);
    }
    cr_assert_eq((uint64_t)expected, rows);
    lam_reader_close(reader);
}

Test(writer_end, a_file_is_whole_up_to_each_checkpoint) {
    for (int records = 0; records < 2; records++) {
        size_t sizes[4];
        lam_test_writer file = start(records == 1, NULL);
        for (size_t i = 0; i < 4; i++) {
            put_rows(&file, (int32_t)i * 100, 100);
            cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_writer_bytes_written(file.writer), file.trial->bytes.size);
            sizes[i] = file.trial->bytes.size;
        }
        put_rows(&file, 400, 7);
        cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < 4; i++)
            expect_file(&file, sizes[i], i + 1, (i + 1) * 100);
        expect_file(&file, file.trial->bytes.size, 5, 407);
        lam_test_drop(&file);
    }
}

/* The footer of a checkpoint has no page indexes, since they are written at the end. */
Test(writer_end, page_indexes_of_all_row_groups_come_with_the_last_footer) {
    lam_test_writer file = start(true, NULL);
    put_rows(&file, 0, 100);
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    size_t cut = file.trial->bytes.size;
    put_rows(&file, 100, 100);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    for (int whole = 0; whole < 2; whole++) {
        lam_reader *reader =
            lam_test_open(file.trial->bytes.data, whole ? file.trial->bytes.size : cut, NULL);
        for (size_t group = 0; group < lam_reader_row_group_count(reader); group++)
            for (size_t leaf = 0; leaf < 2; leaf++) {
                lam_column_chunk_info info = lam_column_chunk_info_default();
                lam_page_index_reader *index;
                cr_assert_eq(lam_reader_column_chunk(reader, group, leaf, &info, NULL),
                             LAM_STATUS_OK);
                cr_assert_eq(info.offset_index_offset > 0, whole == 1);
                cr_assert_eq(info.column_index_offset > 0, whole == 1);
                if (whole == 0)
                    continue;
                cr_assert_eq(lam_page_index_reader_open(reader, group, leaf, &index, NULL),
                             LAM_STATUS_OK);
                lam_page_index_reader_close(index);
            }
        lam_reader_close(reader);
    }
    lam_test_drop(&file);
}

Test(writer_end, a_checkpoint_without_rows_repeats_the_footer) {
    lam_test_writer file = start(false, NULL);
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    expect_file(&file, file.trial->bytes.size, 0, 0);
    put_rows(&file, 0, 1);
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    size_t first = file.trial->bytes.size;
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_gt(file.trial->bytes.size, first);
    expect_file(&file, file.trial->bytes.size, 1, 1);
    lam_test_drop(&file);
}

/* The footer of an empty file took the number 0, and no record with the schema followed. */
Test(writer_end, the_first_row_group_has_its_record_behind_any_footer) {
    lam_recovery recovery = lam_recovery_default();
    lam_reader *reader;
    lam_test_writer file = start(true, NULL);
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    put_rows(&file, 0, 10);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    lam_recovery_header header;
    size_t at = file.trial->bytes.size;
    do
        at--;
    while (!lam_recovery_header_read(file.trial->bytes.data + at, &header));
    cr_assert_eq(header.kind, LAM_RECOVERY_FIRST);
    lam_input input = lam_input_memory(file.trial->bytes.data, file.trial->bytes.size);
    cr_assert_eq(lam_reader_open_unfinished(&input, NULL, &reader, &recovery, NULL), LAM_STATUS_OK);
    cr_assert_eq(recovery.rows, 10);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(writer_end, a_checkpoint_inside_a_record_is_refused) {
    lam_test_writer file = start(false, NULL);
    cr_assert_eq(lam_begin(&file.sink, NULL), LAM_STATUS_OK);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_checkpoint(file.writer, &error), LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_OPEN);
    lam_test_drop(&file);
}

/* Behind each row group the record that describes it: FIRST, then ROW_GROUP, a FOOTER before the
 * footer, and END before the page indexes. */
Test(writer_end, records_stand_behind_row_groups_and_before_footers) {
    static const lam_recovery_kind kinds[] = {LAM_RECOVERY_FIRST, LAM_RECOVERY_ROW_GROUP,
                                              LAM_RECOVERY_FOOTER, LAM_RECOVERY_ROW_GROUP,
                                              LAM_RECOVERY_END};
    size_t ends[5], found = 0;
    lam_test_writer file = start(true, NULL);
    for (int32_t i = 0; i < 3; i++) {
        put_rows(&file, i * 10, 10);
        cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
        ends[i] = file.trial->bytes.size;
        if (i == 1) {
            lam_writer_note_sync(file.writer);
            cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
        }
    }
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    const uint8_t *bytes = file.trial->bytes.data;
    for (size_t at = 4; at + LAM_RECOVERY_HEADER_SIZE < file.trial->bytes.size; at++) {
        lam_recovery_header header;
        if (!lam_recovery_header_read(bytes + at, &header))
            continue;
        size_t size = LAM_RECOVERY_HEADER_SIZE + header.size + LAM_RECOVERY_CRC_SIZE;
        cr_assert_lt(found, 5);
        cr_assert_eq(header.kind, kinds[found]);
        cr_assert_eq(header.sequence, found);
        cr_assert_eq(header.synced, found < 2 ? 0 : ends[1]);
        cr_assert_eq(memcmp(header.file_id, file_id, sizeof file_id), 0);
        cr_assert(lam_recovery_record_check((lam_bytes){bytes + at, size}));
        if (header.kind == LAM_RECOVERY_ROW_GROUP)
            cr_assert_eq(at + size, found == 1 ? ends[1] : ends[2]);
        if (header.kind == LAM_RECOVERY_FOOTER) {
            uint32_t footer = lam_load_le32(bytes + at + LAM_RECOVERY_HEADER_SIZE);
            expect_file(&file, at + size + footer, 2, 20);
        }
        found++;
        at += size - 1;
    }
    cr_assert_eq(found, 5);
    expect_file(&file, file.trial->bytes.size, 3, 30);
    lam_test_drop(&file);
}

/* Structs of 5.7 KiB stayed for each row group of seven columns: 120 MB for 20,000 of them. */
Test(writer_end, the_memory_of_a_row_group_that_ended_is_what_the_footer_has_of_it) {
    enum { GROUPS = 2000 };
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &allocator;
    lam_test_writer file = start(false, &options);
    put_rows(&file, 0, 10);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    size_t before = counter.live_bytes;
    for (int32_t i = 1; i <= GROUPS; i++) {
        put_rows(&file, i * 10, 10);
        cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    }
    /* Buffers double when they grow. */
    cr_assert_leq(counter.live_bytes - before, 2 * lam_writer_metadata_bytes(file.writer));
    cr_assert_leq(lam_writer_metadata_bytes(file.writer) / GROUPS, 300);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    expect_file(&file, file.trial->bytes.size, GROUPS + 1, (GROUPS + 1) * 10);
    lam_test_drop(&file);
}

Test(writer_end, every_failing_write_and_allocation_of_a_checkpoint_poisons) {
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_writer_options options = lam_writer_options_default();
        options.allocator = &allocator;
        lam_test_writer file = start(true, &options);
        put_rows(&file, 0, 10);
        counter.fail_at = counter.requests + fail_at;
        lam_status status = lam_writer_checkpoint(file.writer, NULL);
        counter.fail_at = 0;
        if (status == LAM_STATUS_OK) {
            expect_file(&file, file.trial->bytes.size, 1, 10);
            lam_test_drop(&file);
            cr_assert_gt(fail_at, 5);
            break;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_STATE);
        lam_test_drop(&file);
        cr_assert_eq(counter.live_bytes, 0);
    }
    for (size_t fail_at = 2;; fail_at++) {
        lam_test_writer file = start(true, NULL);
        file.trial->fail_at_write = fail_at;
        put_rows(&file, 0, 10);
        lam_status status = lam_writer_checkpoint(file.writer, NULL);
        lam_test_drop(&file);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_IO);
    }
}
