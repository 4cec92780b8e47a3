/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What power cuts leave of files, sector by sector: of each file that was not durable, parts are
 * zeroed here, and recovering must give what was put or nothing.
 */
#include <criterion/criterion.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

enum { ROWS = 2000, HEAD = 4 };

TestSuite(torn_files, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* Bytes of a file, to change and to put back. */
typedef struct file_bytes {
    uint8_t *data;
    size_t size;
} file_bytes;

static file_bytes take_bytes(const char *path) {
    lam_bytes content;
    cr_assert(lam_model_disk_content(log_disk, path, &content), "%s", path);
    file_bytes bytes = {malloc(content.size), content.size};
    cr_assert_not_null(bytes.data);
    memcpy(bytes.data, content.data, content.size);
    return bytes;
}

/* Puts the file with a range of zeros, as a sector that did not reach the disk. */
static void put_torn(const char *path, const file_bytes *bytes, size_t offset, size_t size) {
    uint8_t *kept = malloc(bytes->size);
    cr_assert_not_null(kept);
    memcpy(kept, bytes->data, bytes->size);
    memset(kept + offset, 0, offset + size > bytes->size ? bytes->size - offset : size);
    lam_model_disk_put(log_disk, path, kept, bytes->size);
    free(kept);
}

/* A finished file of `rows` rows, of a writer without records of its row groups. */
static void make_plain_file(const char *path, uint64_t rows) {
    lam_test_writer file = lam_test_write_as(log_schema, NULL);
    cr_assert_eq(lam_log_sample_put(&file.sink, log_schema, 0, rows, NULL), LAM_STATUS_OK);
    lam_buffer bytes = lam_test_written(&file);
    lam_model_disk_put(log_disk, path, bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
}

static void append_rows(const char *path, uint64_t first, uint64_t count) {
    lam_writer *writer;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_open_append(path, NULL, LAM_APPEND_IN_PLACE, &log_storage, NULL,
                                        &writer, &error),
                 LAM_STATUS_OK, "%s", error.message);
    lam_log_disk_write(writer, first, count);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
}

/* Recovers into a new file, which must be sound: returns its rows; none when nothing can be had. */
static uint64_t recover_rows(const char *path) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    options.storage = &log_storage;
    if (lam_log_disk_has("whole.parquet"))
        lam_log_disk_remove("whole.parquet");
    lam_status status = lam_recover(path, "whole.parquet", &options, &found, &error);
    if (status == LAM_STATUS_CORRUPT)
        return 0;
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    uint64_t rows = lam_log_sample_count(log_disk, "whole.parquet", 0);
    cr_assert_eq(rows, found.rows);
    return rows;
}

/*
 * A file that was cut right behind a checkpoint is whole. After an append in place its recovery
 * stopped at the records of the append, which do not follow an END, and lost its rows.
 */
Test(torn_files, recovering_keeps_what_was_appended_behind_a_checkpoint) {
    lam_log *log = lam_log_disk_open("one.parquet", false, lam_log_options_default());
    lam_log_disk_put(log, 0, 100);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    file_bytes bytes = take_bytes("_one.parquet.part");
    lam_log_disk_finish(log);
    lam_model_disk_put(log_disk, "cut.parquet", bytes.data, bytes.size);
    append_rows("cut.parquet", 100, 50);
    cr_assert_eq(lam_log_sample_count(log_disk, "cut.parquet", 0), 150);
    cr_assert_eq(recover_rows("cut.parquet"), 150);
    free(bytes.data);
}

/*
 * The footer of an append in place was believed although pages before it had not reached the disk:
 * the file that was recovered had damaged pages, and the note beside it was ignored.
 */
Test(torn_files, a_footer_of_an_append_is_not_believed_before_its_pages) {
    make_plain_file("file.parquet", 100);
    file_bytes old = take_bytes("file.parquet");
    append_rows("file.parquet", 100, 500);
    file_bytes bytes = take_bytes("file.parquet");
    lam_writer *writer;
    lam_model_disk_put(log_disk, "other.parquet", old.data, old.size);
    cr_assert_eq(lam_writer_open_append("other.parquet", NULL, LAM_APPEND_IN_PLACE, &log_storage,
                                        NULL, &writer, NULL),
                 LAM_STATUS_OK);
    lam_log_disk_write(writer, 100, 1);
    cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
    file_bytes written = take_bytes("_other.parquet.append"); /* the size is the same */
    cr_assert_eq(written.size, 16);
    lam_writer_close(writer);
    lam_model_disk_put(log_disk, "_file.parquet.append", written.data, written.size);
    for (size_t at = old.size; at < bytes.size; at += 64) {
        put_torn("file.parquet", &bytes, at, 64);
        uint64_t rows = recover_rows("file.parquet");
        cr_assert(rows == 100 || rows == 600, "zeros at %zu: %llu rows", at,
                  (unsigned long long)rows);
    }
    free(old.data);
    free(bytes.data);
    free(written.data);
}

/*
 * Bloom filters have no checksums: one that had not reached the disk was copied as it was, and
 * denied values that the pages have.
 */
Test(torn_files, nothing_that_has_no_checksum_is_believed) {
    lam_log_options options = lam_log_options_default();
    lam_writer_options writer = lam_writer_options_default();
    writer.auto_bloom_filters = true;
    options.writer = &writer;
    lam_log *log = lam_log_disk_open("one.parquet", false, options);
    lam_log_disk_put(log, 0, ROWS);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    file_bytes part = take_bytes("_one.parquet.part");
    lam_log_disk_finish(log);
    file_bytes whole = take_bytes("one.parquet"); /* with page indexes and the last footer */
    size_t kept = 0;
    for (size_t at = HEAD; at < whole.size; at += 64) {
        put_torn("_torn.parquet.part", at < part.size ? &part : &whole, at, 64);
        uint64_t rows = recover_rows("_torn.parquet.part");
        cr_assert(rows == 0 || rows == ROWS);
        kept += rows > 0;
    }
    cr_assert_gt(kept, 10);
    free(part.data);
    free(whole.data);
}

/*
 * A log of one file believed the footer of its predecessor's file where the first page was damaged,
 * as there was no record before that, and went on with pages that cannot be read.
 */
Test(torn_files, a_log_of_one_file_goes_on_with_sound_pages_only) {
    lam_log *log = lam_log_disk_open("one.parquet", false, lam_log_options_default());
    lam_log_disk_put(log, 0, 100);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    file_bytes part = take_bytes("_one.parquet.part");
    lam_log_disk_finish(log);
    for (size_t at = HEAD; at < part.size; at += 64) {
        put_torn("_two.parquet.part", &part, at, 64);
        lam_log_disk_finish(lam_log_disk_open("two.parquet", false, lam_log_options_default()));
        uint64_t rows = lam_log_sample_count(log_disk, "two.parquet", 0);
        cr_assert(rows == 0 || rows == 100);
        lam_log_disk_remove("two.parquet");
        if (lam_log_disk_has("_two.parquet.part.bad"))
            lam_log_disk_remove("_two.parquet.part.bad");
    }
    free(part.data);
}

/* Puts a file of nothing but a footer, and a byte behind it so that it is searched for. */
static void put_bare_footer(const char *path, uint64_t rows) {
    uint32_t footer = 0;
    make_plain_file("file.parquet", rows);
    file_bytes bytes = take_bytes("file.parquet");
    for (size_t i = 0; i < 4; i++)
        footer |= (uint32_t)bytes.data[bytes.size - 8 + i] << (8 * i);
    memmove(bytes.data + HEAD, bytes.data + bytes.size - 8 - footer, footer + 8);
    bytes.data = realloc(bytes.data, HEAD + footer + 9);
    cr_assert_not_null(bytes.data);
    bytes.data[HEAD + footer + 8] = 'x';
    lam_model_disk_put(log_disk, path, bytes.data, HEAD + footer + 9);
    free(bytes.data);
}

/*
 * A footer that states chunks where no page is was compared with pages of a missing array; one
 * without row groups was itself such an array. Both added zero to NULL.
 */
Test(torn_files, footers_without_pages_or_row_groups_give_no_rows) {
    put_bare_footer("bare.parquet", 100);
    cr_assert_eq(recover_rows("bare.parquet"), 0);
    put_bare_footer("empty.parquet", 0);
    cr_assert_eq(recover_rows("empty.parquet"), 0);
}
