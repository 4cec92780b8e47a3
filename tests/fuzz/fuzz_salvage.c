/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Salvages any file, and the first bytes of it beside the whole as the file that it is like. What
 * is written opens, reads to its end, and breaks no rule of `check` but those on what values mean.
 * Of a file without an error in it nothing is lost, and its records come back in order. Where some
 * of its bytes cannot be read, no call fails for that. (any_file.h)
 */
#include <lamella/check.h>
#include <lamella/recover.h>
#include <lamella/salvage.h>
#include <stdlib.h>

#include "fuzz/any_file.h"
#include "fuzz/any_rows.h"
#include "fuzz/harness.h"

enum { CELLS_MAX = 500000, LIMIT = 4 << 20, GAP_MOST = 300, GAP_PIECE = 4096 };

static lam_status expect_of_source(void *state, const lam_finding *finding, lam_error *error) {
    (void)state;
    (void)error;
    if (finding->severity == LAM_SEVERITY_ERROR && !lam_fuzz_is_of_source(finding->rule->id))
        lam_fuzz_fail(__FILE__, __LINE__, finding->message, NULL);
    return LAM_STATUS_OK;
}

/* Checks what was written: it has `rows` rows, and those of `whole` if it is not NULL. */
static void expect_sound(lam_bytes bytes, uint64_t rows, const lam_fuzz_rows *whole) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_reader_options options = lam_reader_options_default();
    lam_check_options checking = lam_check_options_default();
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader = NULL;
    options.allocator = &allocator;
    checking.allocator = &allocator;
    LAM_FUZZ_OK(lam_check(&input, &checking, expect_of_source, NULL, NULL, &fault));
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &reader, &fault));
    LAM_FUZZ_EXPECT(lam_reader_row_count(reader) == rows);
    lam_fuzz_rows found = lam_fuzz_rows_of(reader);
    if (found.are_whole)
        LAM_FUZZ_EXPECT(found.count == rows);
    if (whole != NULL && found.are_whole)
        LAM_FUZZ_EXPECT(found.ordered == whole->ordered && found.count == whole->count);
    lam_reader_close(reader);
}

/* Writes what is left. A schema that only other writers make may be refused. */
static void write_salvaged(const lam_fuzz_file *file, const lam_salvage *salvage, uint64_t rows,
                           const lam_fuzz_rows *whole) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_output memory;
    lam_writer *writer;
    if (!lam_fuzz_open_writer(lam_salvage_schema(salvage), &allocator, &memory, &writer))
        return;
    if (lam_fuzz_file_judge(file, lam_salvage_write(salvage, writer, &error), &error)) {
        LAM_FUZZ_OK(lam_writer_finish(writer, &fault));
        expect_sound(lam_output_memory_bytes(&memory), rows, whole);
    }
    lam_writer_close(writer);
}

static void expect_report(const lam_salvage_report *report) {
    LAM_FUZZ_EXPECT(report->rows_left_out <= report->row_count);
    LAM_FUZZ_EXPECT(report->cells_lost <= report->cells);
    LAM_FUZZ_EXPECT(report->cells_given_up <= report->cells - report->cells_lost);
}

/* Salvages what a reader has; nothing may be lost of what `whole`, or NULL, says can be read. */
static void salvage_reader(const lam_fuzz_file *file, const lam_reader *reader,
                           const lam_fuzz_rows *whole) {
    lam_salvage_options options = lam_salvage_options_default();
    options.passes_unreadable = true;
    lam_salvage_report report = lam_salvage_report_default();
    lam_error error = lam_error_none();
    lam_salvage *salvage;
    options.manner = (lam_salvage_manner)(file->seed % (LAM_SALVAGE_OPTIONAL + 1));
    if (!lam_fuzz_is_small(reader, CELLS_MAX) ||
        !lam_fuzz_file_judge(file, lam_salvage_open(reader, &options, &salvage, &error), &error))
        return;
    LAM_FUZZ_OK(lam_salvage_report_of(salvage, &report, &fault));
    expect_report(&report);
    if (whole != NULL)
        LAM_FUZZ_EXPECT(report.cells_lost == 0 && report.rows_left_out == 0);
    write_salvaged(file, salvage, report.row_count - report.rows_left_out, whole);
    lam_salvage_close(salvage);
}

/* The file, of which some bytes cannot be read. */
typedef struct gap_file {
    const uint8_t *bytes;
    uint64_t begin;
    uint64_t end;
} gap_file;

static lam_status read_beside_gap(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    const gap_file *gap = state;
    if (offset < gap->end && offset + size > gap->begin) {
        if (error != NULL) {
            *error = lam_error_none();
            error->status = LAM_STATUS_IO;
            strcpy(error->message, "a bad sector");
        }
        return LAM_STATUS_IO;
    }
    memcpy(buffer, gap->bytes + offset, size);
    return LAM_STATUS_OK;
}

/*
 * Salvages the first bytes of the file, without its footer, beside the file itself. Where some of
 * them cannot be read, only the first ones end that: there the walk begins.
 */
static void salvage_prefix(const lam_fuzz_file *file, bool has_gap) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    size_t size = file->seed / 3 % file->size;
    gap_file gap = {.bytes = file->bytes};
    lam_input input = {.state = &gap, .size = size, .read_at = read_beside_gap};
    options.allocator = &allocator;
    options.memory_limit = LIMIT;
    options.like = file->reader;
    options.keeps_cut = true;
    options.no_checksums = file->seed % 2 == 0;
    options.passes_unreadable = true;
    if (has_gap && size > 0) {
        gap.begin = file->seed / 7 % size;
        gap.end = gap.begin + 1 + file->seed % GAP_MOST;
    }
    lam_status status = lam_reader_open_unfinished(&input, &options, &reader, &found, &error);
    if (status == LAM_STATUS_IO) {
        LAM_FUZZ_EXPECT(gap.end > 0 && gap.begin < GAP_PIECE);
    } else if (lam_fuzz_file_judge(file, status, &error)) {
        LAM_FUZZ_EXPECT(found.rows == lam_reader_row_count(reader));
        LAM_FUZZ_EXPECT(!found.is_cut || !found.is_complete);
        salvage_reader(file, reader, NULL);
    }
    lam_reader_close(reader);
}

static void salvage_beside_gap(const lam_fuzz_file *file) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_reader_options options = lam_reader_options_default();
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    gap_file gap = {.bytes = file->bytes};
    lam_input input = {.state = &gap, .size = file->size, .read_at = read_beside_gap};
    options.allocator = &allocator;
    options.memory_limit = LIMIT;
    if (lam_fuzz_file_judge(file, lam_reader_open(&input, &options, &reader, &error), &error)) {
        gap.begin = file->seed / 7 % file->size;
        gap.end = gap.begin + 1 + file->seed % GAP_MOST;
        salvage_reader(file, reader, NULL);
    }
    lam_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL && lam_fuzz_is_small(file.reader, CELLS_MAX)) {
        bool compares = (file.choice & (LAM_FUZZ_FILE_NO_CRC | LAM_FUZZ_FILE_SMALL_LIMIT)) == 0;
        lam_fuzz_rows whole = {.are_whole = false};
        const char *text;
        if (compares && lam_fuzz_errors_of((lam_bytes){file.bytes, file.size}, true, &text) == 0)
            whole = lam_fuzz_rows_of(file.reader);
        salvage_reader(&file, file.reader, whole.are_whole ? &whole : NULL);
        salvage_prefix(&file, file.seed / 11 % 2 == 0);
        salvage_beside_gap(&file);
    }
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
