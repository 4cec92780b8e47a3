/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file that a killed writer left: opened, read, and its row groups copied into a new
 * file, which has the same rows and is finished. Checksums of records are made right on demand, so
 * that changed records are reached; four bytes, where the magic is, choose how.
 */
#include <lamella/recover.h>
#include <lamella/scan.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "file/write/recovery_record.h"
#include "fuzz/harness.h"

enum { MAGIC = 4, MEMORY_LIMIT = 4 << 20, RECORD_VERBS_MAX = 100000 };

enum {
    CHOICE_FIX = 1,
    CHOICE_NO_CRC = 2,
    CHOICE_NO_BORROW = 4,
    CHOICE_SMALL_LIMIT = 8,
    CHOICE_SCHEMA = 16
};

/* That of the seeds, for files without records. */
static const char shape[] = "message m { required int64 a; optional binary s; repeated group g "
                            "{ optional int32 x; } }";

/* Makes the checksum of everything right that has the header of a record. */
static void fix_records(uint8_t *bytes, size_t size) {
    const size_t most = LAM_RECOVERY_HEADER_SIZE + LAM_RECOVERY_CRC_SIZE;
    for (size_t at = 0; size >= most && at <= size - most; at++) {
        lam_recovery_header header;
        if (bytes[at] != 'P' || !lam_recovery_header_read(bytes + at, &header) ||
            header.size > size - at - most)
            continue;
        size_t end = at + LAM_RECOVERY_HEADER_SIZE + header.size;
        lam_store_le32(bytes + end, lam_crc32(0, bytes + at, end - at));
    }
}

static bool judge(lam_status status, const lam_error *error) {
    return lam_fuzz_judge(status, error, LAM_FUZZ_OF_FILE);
}

/* Reads all records; true when they came to their end. */
static bool read_rows(const lam_reader *reader, uint64_t *ret_hash) {
    lam_fuzz_sink sink = {.verbs_left = RECORD_VERBS_MAX};
    lam_record_sink verbs = lam_fuzz_sink_verbs(&sink);
    lam_error error = lam_error_none();
    lam_record_reader *records;
    uint64_t count = 0;
    if (!judge(lam_record_reader_open(reader, NULL, &records, &error), &error))
        return false;
    lam_status status = lam_record_reader_read(records, &verbs, UINT64_MAX, &count, &error);
    lam_record_reader_close(records);
    if (sink.cancelled || !judge(status, &error))
        return false;
    LAM_FUZZ_EXPECT(count == lam_reader_row_count(reader));
    *ret_hash = sink.hash;
    return true;
}

/* Copies what was found; the copy has a footer, the same row groups and the same rows. */
static void copy_rows(const lam_reader *reader, bool is_readable, uint64_t hash) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_output memory;
    lam_writer *writer;
    if (!lam_fuzz_open_writer(lam_reader_schema(reader), &allocator, &memory, &writer))
        return;
    size_t groups = lam_reader_row_group_count(reader);
    if (judge(lam_writer_copy_row_groups(writer, reader, 0, groups, &error), &error)) {
        LAM_FUZZ_OK(lam_writer_finish(writer, &fault));
        lam_bytes bytes = lam_output_memory_bytes(&memory);
        lam_input input = lam_input_memory(bytes.data, bytes.size);
        lam_reader *copy = NULL;
        lam_reader_options reading = lam_reader_options_default();
        uint64_t other = 0;
        reading.allocator = &allocator;
        LAM_FUZZ_OK(lam_reader_open(&input, &reading, &copy, &fault));
        LAM_FUZZ_EXPECT(lam_reader_row_group_count(copy) == groups);
        LAM_FUZZ_EXPECT(lam_reader_row_count(copy) == lam_reader_row_count(reader));
        if (is_readable && read_rows(copy, &other))
            LAM_FUZZ_EXPECT(other == hash);
        lam_reader_close(copy);
    }
    lam_writer_close(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_fuzz_input whole = {data, size};
    lam_bytes rest;
    uint8_t *bytes = lam_fuzz_rest(&whole, &rest);
    unsigned choice = size > 0 ? data[0] : 0;
    if (size >= MAGIC)
        memcpy(bytes, "PAR1", MAGIC);
    if ((choice & CHOICE_FIX) != 0)
        fix_records(bytes, size);
    lam_recover_options options = lam_recover_options_default();
    options.allocator = &allocator;
    options.no_checksums = (choice & CHOICE_NO_CRC) != 0;
    options.memory_limit = (choice & CHOICE_SMALL_LIMIT) != 0 ? 16 << 10 : MEMORY_LIMIT;
    lam_schema *schema = NULL;
    if ((choice & CHOICE_SCHEMA) != 0)
        LAM_FUZZ_OK(lam_schema_parse(shape, strlen(shape), &allocator, &schema, &fault));
    options.schema = schema;
    lam_input input = lam_input_memory(bytes, size);
    if ((choice & CHOICE_NO_BORROW) != 0)
        input.borrow = NULL;
    lam_recovery recovery = lam_recovery_default();
    lam_reader *reader = NULL;
    lam_error error = lam_error_none();
    if (judge(lam_reader_open_unfinished(&input, &options, &reader, &recovery, &error), &error)) {
        uint64_t hash = 0;
        LAM_FUZZ_EXPECT(recovery.rows == lam_reader_row_count(reader));
        LAM_FUZZ_EXPECT(recovery.row_groups == lam_reader_row_group_count(reader));
        LAM_FUZZ_EXPECT(recovery.has_footer || recovery.lost_bytes <= size);
        LAM_FUZZ_EXPECT(recovery.has_footer || recovery.bytes <= size);
        bool is_readable = read_rows(reader, &hash);
        copy_rows(reader, is_readable, hash);
        lam_reader_close(reader);
    }
    lam_input_close(&input);
    lam_schema_destroy(schema);
    free(bytes);
    lam_fuzz_expect_no_leak();
    return 0;
}
