/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of any file: it ends well whatever it finds, says the same when it is asked again, and
 * the columns and the records of a file without an error in it read. (any_file.h)
 */
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/scan.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/any_file.h"
#include "fuzz/any_rows.h"
#include "fuzz/harness.h"

enum { VALUES_MAX = 500000, VERBS_MAX = 4000000, MANY_LEAVES = 16, LIMIT = 4 << 20 };

typedef struct findings {
    uint64_t counts[LAM_SEVERITY_ERROR + 1];
    uint64_t hash;
    uint64_t left; /* until the check is cancelled */
} findings;

static lam_status found(void *state, const lam_finding *finding, lam_error *error) {
    findings *all = state;
    size_t length = strlen(finding->message);
    LAM_FUZZ_EXPECT(finding->rule != NULL && length > 0);
    LAM_FUZZ_EXPECT(strchr(finding->message, '\n') == NULL);
    LAM_FUZZ_EXPECT(lam_utf8_prefix((const uint8_t *)finding->message, length) == length);
    all->counts[finding->severity]++;
    all->hash = lam_fuzz_hash(all->hash, finding->message, length);
    if (all->left-- > 0)
        return LAM_STATUS_OK;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_STATE;
    }
    return LAM_STATUS_STATE;
}

static findings check(const lam_fuzz_file *file, uint64_t most) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_check_options options = lam_check_options_default();
    options.allocator = &allocator;
    options.memory_limit = LIMIT;
    findings all = {.left = most};
    lam_check_totals totals = lam_check_totals_default();
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file->bytes, file->size);
    if (file->choice & LAM_FUZZ_FILE_NO_BORROW)
        input.borrow = NULL;
    lam_status status = lam_check(&input, &options, found, &all, &totals, &error);
    if (most == UINT64_MAX) {
        LAM_FUZZ_EXPECT(status == LAM_STATUS_OK);
        LAM_FUZZ_EXPECT(totals.errors == all.counts[LAM_SEVERITY_ERROR]);
        LAM_FUZZ_EXPECT(totals.warnings == all.counts[LAM_SEVERITY_WARNING]);
        LAM_FUZZ_EXPECT(totals.notes == all.counts[LAM_SEVERITY_NOTE]);
    } else {
        LAM_FUZZ_EXPECT(status == LAM_STATUS_OK || status == LAM_STATUS_STATE);
    }
    lam_input_close(&input);
    return all;
}

static void expect_column(const lam_fuzz_file *file, size_t row_group, size_t leaf) {
    /* What a build does not read is a note, and so is what needs more memory than the limit. */
    const unsigned allowed = 1 << LAM_STATUS_UNSUPPORTED | 1 << LAM_STATUS_LIMIT;
    lam_error error = lam_error_none();
    lam_column_reader *column;
    lam_triples run = {.count = 1};
    if (!lam_fuzz_judge(lam_column_reader_open(file->reader, row_group, leaf, &column, &error),
                        &error, allowed))
        return;
    while (run.count > 0)
        if (!lam_fuzz_judge(lam_column_reader_read(column, SIZE_MAX, &run, &error), &error,
                            allowed))
            break;
    lam_column_reader_close(column);
}

/* All records come, unless they are too many or some column is beyond the build or the limit. */
static void expect_records(const lam_fuzz_file *file) {
    lam_error error = lam_error_none();
    lam_record_reader *records;
    lam_fuzz_sink sink = {.verbs_left = VERBS_MAX};
    lam_record_sink verbs = lam_fuzz_sink_verbs(&sink);
    unsigned allowed = 1 << LAM_STATUS_UNSUPPORTED | 1 << LAM_STATUS_LIMIT;
    /* The limit holds for each open column, so that many of them may need more than there is. */
    if (lam_schema_leaf_count(lam_reader_schema(file->reader)) > MANY_LEAVES)
        allowed |= 1 << LAM_STATUS_NOMEM;
    if (!lam_fuzz_judge(lam_record_reader_open(file->reader, NULL, &records, &error), &error,
                        allowed))
        return;
    uint64_t count = 0;
    lam_status status = lam_record_reader_read(records, &verbs, UINT64_MAX, &count, &error);
    if (!sink.cancelled && lam_fuzz_judge(status, &error, allowed))
        LAM_FUZZ_EXPECT(count == sink.records && count == lam_reader_row_count(file->reader));
    lam_record_reader_close(records);
}

static void expect_readable(const lam_fuzz_file *file) {
    LAM_FUZZ_EXPECT(file->opened != LAM_STATUS_CORRUPT);
    if (file->reader == NULL)
        return;
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(file->reader));
    for (size_t group = 0; group < lam_reader_row_group_count(file->reader); group++)
        for (size_t leaf = 0; leaf < leaves; leaf++)
            expect_column(file, group, leaf);
    expect_records(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader == NULL || lam_fuzz_is_small(file.reader, VALUES_MAX)) {
        findings all = check(&file, UINT64_MAX);
        findings again = check(&file, UINT64_MAX);
        LAM_FUZZ_EXPECT(all.hash == again.hash);
        check(&file, file.seed % 4);
        if (all.counts[LAM_SEVERITY_ERROR] == 0 && (file.choice & LAM_FUZZ_FILE_SMALL_LIMIT) == 0)
            expect_readable(&file);
    }
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
