/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the VARIANTs of the sample: their pairs of columns with the rule that applies to each,
 * their bytes as ranges, and the assembled values. Takes a file and a choice, and gives members of
 * the page's object:
 *
 *     "variant_rules": {"missing": "value and typed_value are both null: ...", ...}
 *     "variants": [as in variant_pairs_json.h, ...]
 *
 * Values are always printed by the library, as cat and bytes print them, and only as many as a page
 * can hold; those left out are counted. A value that cannot be assembled, so that its record cannot
 * be printed, is shown with its bytes all the same. (VariantShredding.md)
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_sample.h"
#include "tool.h"
#include "variant_pairs_json.h"

enum { PAIRS_MOST = 500 };

static void print_found(void *state, const variant_found *found) {
    variant_pairs_print_json(state, found);
}

static void note_failure(const lam_error *error) {
    explain_note_failure(NULL, error);
}

static lam_status read_variants(const lam_reader *reader, const explain_sample *sample,
                                variant_pairs_json *printer, lam_error *error) {
    lam_record_reader *records;
    variant_pairs *pairs;
    lam_scan_options scan = lam_scan_options_default();
    uint64_t count, first = sample->row_group_first + sample->first;
    scan.leaves = sample->leaves;
    lam_status status = variant_pairs_create(lam_reader_schema(reader), sample->leaves, first,
                                             PAIRS_MOST, print_found, printer, &pairs, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = variant_pairs_sink(pairs);
    status = lam_record_reader_open_scan(reader, &scan, &records, error);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_skip(records, first, &count, error);
        for (uint64_t i = 0; i < sample->chosen_count && status == LAM_STATUS_OK; i++)
            status = lam_record_reader_read(records, &sink, 1, &count, error);
        lam_record_reader_close(records);
    }
    variant_pairs_destroy(pairs);
    return status;
}

static void print_rules(void) {
    tool_print(",\"variant_rules\":{");
    for (int rule = 0; rule < VARIANT_RULE_COUNT; rule++)
        tool_print("%s\"%s\":\"%s\"", rule == 0 ? "" : ",", variant_rule_name((variant_rule)rule),
                   variant_rule_words((variant_rule)rule));
    tool_print("}");
}

void explain_print_variants(const lam_reader *reader, const explain_sample *sample) {
    variant_pairs_json printer = {.is_bounded = true, .failure = note_failure};
    lam_error error = lam_error_none();
    if (!variant_pairs_has_any(lam_reader_schema(reader)))
        return;
    print_rules();
    tool_print(",\"variants\":[");
    if (sample->has_row_group && sample->leaf_count > 0 &&
        read_variants(reader, sample, &printer, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    tool_print("]");
    if (printer.is_cut)
        explain_note(NULL, "Of VARIANTs only as much is taken apart as a page can hold; lamella "
                           "bytes --all prints every byte of them.");
}
