/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of any file as JSON, printed from columns: the text and the failure are those of their
 * events, for all leaves and for some, and for the rows that a salvage leaves. (any_file.h)
 */
#include <lamella/json.h>
#include <lamella/salvage.h>
#include <lamella/scan.h>
#include <stdlib.h>

#include "base/error.h"
#include "fuzz/any_file.h"
#include "fuzz/harness.h"

enum { TEXT_MAX = 1 << 20, WRITER_LIMIT = 4 << 20, RANGES_MAX = 40 };

/* What was printed: an output that takes so many bytes, and what came of it. */
typedef struct sheet {
    uint64_t hash;
    size_t size;
    bool is_full;
    lam_status status;
    lam_error error;
    uint64_t records;
} sheet;

static lam_status write_sheet(void *state, const void *data, size_t size, lam_error *error) {
    sheet *of = state;
    of->is_full = of->is_full || size > TEXT_MAX - of->size;
    if (of->is_full)
        return lam_error_set(error, LAM_ERROR_CODE_DISK_FULL, "the sheet is full");
    of->hash = lam_fuzz_hash(of->hash, data, size);
    of->size += size;
    return LAM_STATUS_OK;
}

/* Prints all records of a reader in calls of any size. */
static void print_records(const lam_fuzz_file *file, lam_record_reader *records,
                          lam_json_writer *writer, bool by_columns, sheet *of) {
    uint32_t split = file->seed;
    uint64_t most = 0, count = 0;
    lam_record_sink verbs = lam_json_writer_sink(writer);
    while (of->status == LAM_STATUS_OK && count == most) {
        most = lam_fuzz_piece(&split, SIZE_MAX / 2) + 1;
        if (by_columns)
            of->status = lam_json_writer_print(writer, records, most, &count, &of->error);
        else
            of->status = lam_record_reader_read(records, &verbs, most, &count, &of->error);
        of->records += of->status == LAM_STATUS_OK ? count : 0;
        if (of->error.status != of->status)
            lam_fuzz_fail(__FILE__, __LINE__, "the error has the status of the call", &of->error);
    }
    lam_error error = lam_error_none();
    lam_status flushed = lam_json_writer_flush(writer, &error);
    LAM_FUZZ_EXPECT(flushed == LAM_STATUS_OK || of->is_full);
    if (!of->is_full)
        lam_fuzz_judge(of->status, &of->error,
                       LAM_FUZZ_OF_CALLER | LAM_FUZZ_OF_FILE | 1 << LAM_STATUS_NOMEM);
}

/* The text does not depend on what records are made of, unless memory ends first. */
static void compare(const sheet *columns, const sheet *events) {
    if (columns->is_full || events->is_full || columns->status == LAM_STATUS_LIMIT ||
        events->status == LAM_STATUS_LIMIT || columns->status == LAM_STATUS_NOMEM ||
        events->status == LAM_STATUS_NOMEM)
        return;
    LAM_FUZZ_EXPECT(columns->status == events->status);
    LAM_FUZZ_EXPECT(strcmp(columns->error.message, events->error.message) == 0);
    LAM_FUZZ_EXPECT(columns->size == events->size && columns->hash == events->hash);
    LAM_FUZZ_EXPECT(columns->records == events->records);
}

/* False for a schema with a VARIANT that can hold no values, which is refused. */
static bool open_writer(const lam_fuzz_file *file, const bool *leaves, sheet *of,
                        lam_output *output, lam_json_writer **ret_writer) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_error error = lam_error_none();
    *output = (lam_output){.state = of, .write = write_sheet};
    *of = (sheet){.error = lam_error_none()};
    options.binary =
        file->choice & LAM_FUZZ_FILE_HEX ? LAM_JSON_BINARY_HEX : LAM_JSON_BINARY_BASE64;
    options.replace_invalid = file->choice & LAM_FUZZ_FILE_REPLACE;
    options.omit_nulls = file->seed & 1;
    options.variant = file->seed & 6 ? LAM_JSON_VARIANT_VALUE : LAM_JSON_VARIANT_STORAGE;
    options.leaves = leaves;
    options.memory_limit = WRITER_LIMIT;
    lam_status status = lam_json_writer_create(lam_reader_schema(file->reader), output, &options,
                                               &allocator, ret_writer, &error);
    return lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER | LAM_FUZZ_OF_FILE);
}

static bool print_file(const lam_fuzz_file *file, const bool *leaves, bool by_columns, sheet *of) {
    lam_error error = lam_error_none();
    lam_record_reader *records;
    lam_json_writer *writer;
    lam_output output;
    uint64_t skipped;
    if (!open_writer(file, leaves, of, &output, &writer))
        return false;
    bool is_open = lam_fuzz_file_judge(
        file, lam_record_reader_open(file->reader, leaves, &records, &error), &error);
    if (is_open) {
        if (file->choice & LAM_FUZZ_FILE_SKIP)
            of->status = lam_record_reader_skip(records, file->seed % 64, &skipped, &of->error);
        print_records(file, records, writer, by_columns, of);
        lam_record_reader_close(records);
    }
    lam_json_writer_destroy(writer);
    return is_open;
}

/* Prints a range of what is left; its leaves are those that can be read there. */
static bool print_range(const lam_fuzz_file *file, const lam_salvage *salvage,
                        lam_record_reader *records, size_t range, bool *leaves, bool by_columns,
                        sheet *of) {
    lam_error error = lam_error_none();
    lam_json_writer *writer;
    lam_output output;
    lam_status status = lam_salvage_go_to(salvage, records, range, leaves, &error);
    if (status != LAM_STATUS_OK || !open_writer(file, leaves, of, &output, &writer))
        return false;
    print_records(file, records, writer, by_columns, of);
    /* The records borrow the writer until they go elsewhere. */
    status = lam_salvage_go_to(salvage, records, range, leaves, &error);
    LAM_FUZZ_EXPECT(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
    lam_json_writer_destroy(writer);
    return status == LAM_STATUS_OK;
}

static void print_rest(const lam_fuzz_file *file, bool *leaves) {
    lam_error error = lam_error_none();
    lam_salvage *salvage;
    lam_record_reader *records;
    const unsigned allowed = LAM_FUZZ_OF_FILE | 1 << LAM_STATUS_NOMEM;
    if (!lam_fuzz_judge(lam_salvage_open(file->reader, NULL, &salvage, &error), &error, allowed))
        return;
    if (lam_fuzz_judge(lam_salvage_open_records(salvage, NULL, &records, &error), &error,
                       allowed)) {
        for (size_t i = 0; i < RANGES_MAX; i++) {
            sheet columns, events;
            if (!print_range(file, salvage, records, i, leaves, true, &columns) ||
                !print_range(file, salvage, records, i, leaves, false, &events))
                break;
            compare(&columns, &events);
        }
        lam_record_reader_close(records);
    }
    lam_salvage_close(salvage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL) {
        sheet columns, events;
        size_t count = lam_schema_leaf_count(lam_reader_schema(file.reader));
        bool *leaves = calloc(count + 1, sizeof *leaves);
        uint32_t seed = file.seed;
        for (size_t i = 0; i < count; i++, seed = seed * 1664525u + 1013904223u)
            leaves[i] = i == file.seed % count || seed >> 31 == 0;
        if (print_file(&file, NULL, true, &columns) && print_file(&file, NULL, false, &events))
            compare(&columns, &events);
        if (count > 0 && print_file(&file, leaves, true, &columns) &&
            print_file(&file, leaves, false, &events))
            compare(&columns, &events);
        if (file.seed & 0x100)
            print_rest(&file, leaves);
        free(leaves);
    }
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
