/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums up the rows of any file, so that they can be compared with those of a file that was made of
 * it.
 */
#include "fuzz/any_rows.h"

#include <lamella/check.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/harness.h"
#include "support/texts.h"

enum { ROW_VERBS_MAX = 500000, CHECK_LIMIT = 16 << 20 };

void lam_fuzz_rows_add(lam_fuzz_rows *rows, const lam_reader *reader, uint64_t most) {
    lam_fuzz_sink sink = {.verbs_left = ROW_VERBS_MAX};
    lam_record_sink verbs = lam_fuzz_sink_verbs(&sink);
    lam_record_reader *records;
    uint64_t count = 1;
    if (!rows->are_whole || lam_record_reader_open(reader, NULL, &records, NULL) != LAM_STATUS_OK) {
        rows->are_whole = false;
        return;
    }
    for (; rows->are_whole && count > 0 && most > 0; most--) {
        sink.hash = 0;
        rows->are_whole =
            lam_record_reader_read(records, &verbs, 1, &count, NULL) == LAM_STATUS_OK &&
            !sink.cancelled;
        if (!rows->are_whole || count == 0)
            break;
        rows->ordered = lam_fuzz_hash(rows->ordered, &sink.hash, sizeof sink.hash);
        rows->sum += sink.hash;
        rows->count++;
    }
    lam_record_reader_close(records);
}

lam_fuzz_rows lam_fuzz_rows_of(const lam_reader *reader) {
    lam_fuzz_rows rows = {.are_whole = true};
    lam_fuzz_rows_add(&rows, reader, UINT64_MAX);
    return rows;
}

bool lam_fuzz_is_small(const lam_reader *reader, uint64_t most) {
    uint64_t leaves = lam_schema_leaf_count(lam_reader_schema(reader)), values = 0;
    for (size_t i = 0; i < leaves * lam_reader_row_group_count(reader); i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (lam_reader_column_chunk(reader, i / leaves, i % leaves, &info, NULL) == LAM_STATUS_OK &&
            info.value_count > 0)
            values += (uint64_t)info.value_count;
        if (values > most)
            return false;
    }
    return lam_reader_row_count(reader) <= (leaves == 0 ? most : most / leaves);
}

/* --- Errors -------------------------------------------------------------------------------- */

bool lam_fuzz_is_of_source(const char *rule) {
    static const char *const rules[] =
        LAM_TEXTS("utf8", "value-range", "unknown-null", "json", "bson", "wkb", "variant-bytes",
                  "variant-metadata", "variant-shredding", "variant-structure", "logical-type",
                  "converted-type", "list-structure", "map-structure", "file-structure",
                  "text-utf8", "unchecked");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

typedef struct error_count {
    bool with_values;
    uint64_t errors;
    char text[512]; /* of the first */
} error_count;

static lam_status count_error(void *state, const lam_finding *finding, lam_error *error) {
    error_count *count = state;
    (void)error;
    const char *rule = finding->rule->id;
    bool counts = count->with_values || !lam_fuzz_is_of_source(rule);
    /* Readers forgive headers that count otherwise; salvage does not, where others count right. */
    bool is_error = finding->severity == LAM_SEVERITY_ERROR || strcmp(rule, "page-nulls") == 0 ||
                    strcmp(rule, "page-rows") == 0;
    if (is_error && counts && count->errors++ == 0)
        snprintf(count->text, sizeof count->text, "%s: %s (row group %d, column %d)", rule,
                 finding->message, finding->row_group, finding->column);
    return LAM_STATUS_OK;
}

uint64_t lam_fuzz_errors_of(lam_bytes file, bool with_values, const char **ret_text) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_check_options options = lam_check_options_default();
    lam_input input = lam_input_memory(file.data, file.size);
    static error_count count;
    count = (error_count){.with_values = with_values};
    options.allocator = &allocator;
    options.memory_limit = CHECK_LIMIT;
    LAM_FUZZ_OK(lam_check(&input, &options, count_error, &count, NULL, &fault));
    lam_input_close(&input);
    *ret_text = count.text;
    return count.errors;
}
