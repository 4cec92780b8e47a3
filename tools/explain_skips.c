/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what conditions skip of a file: for each an object with the scan's conclusions as the
 * library hands them to its watch (lamella/pruning.h), and its report. Nothing is decided here, and
 * the object stays small: conclusions, probes and row groups beyond a number are counted instead of
 * listed.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_skips.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain_scan.h"
#include "tool.h"
#include "tool_bound.h"

enum {
    CONDITIONS_MOST = 8,
    GROUPS_MOST = 1000,      /* that are listed */
    TESTS_MOST = 6000,       /* of conclusions, of all conditions together */
    TESTS_OF_CONCLUSION = 8, /* parts of one condition */
    PROBES_OF_GROUP = 16,    /* values of `in` */
    RUNS_MOST = 100,         /* of rows that are left, in one row group */
    VALUES_MOST = 8,
    BOUND_WIDTH = 60,
    READ_WHOLE = 32 << 20,   /* bytes of a file whose wanted rows are read with all columns */
    SEARCHED_MOST = 64 << 20 /* bytes that are searched in larger ones */
};

/* A row group as the watching scan comes to it. */
typedef struct skip_group {
    uint64_t rows;
    uint64_t left;   /* rows that metadata cannot rule out */
    uint64_t stored; /* bytes of the condition's columns that are to be searched */
    uint64_t wanted;
    const char *cause; /* why none is left */
    bool is_searched;
    bool is_listed;
} skip_group;

typedef struct skip_run {
    uint64_t first;
    uint64_t count;
} skip_run;

typedef struct skip_printer {
    const lam_reader *reader;
    size_t tests_left; /* that may be printed */
    /* The same for those of pages, with and without rows that are left: neither kind crowds out the
     * other, nor later row groups. */
    size_t left_ranges;
    size_t lost_ranges;
    size_t listed; /* row groups */
    bool has_open_probes;
    skip_group *groups;
    size_t at;          /* the current row group */
    uint64_t first_row; /* of it, in the file */
    bool is_open;       /* its object */
    bool is_listed;
    size_t probes;        /* of the row group */
    size_t ranges;        /* of the row group that are listed */
    size_t ranges_hidden; /* ... that are not */
    skip_run runs[RUNS_MOST];
    size_t run_count;
    uint64_t runs_hidden;
    uint64_t search_left; /* bytes */
    bool is_cut;          /* the search ended before the file */
    lam_scan_report last;
} skip_printer;

/* --- Facts --------------------------------------------------------------------------------- */

static void print_outcomes(unsigned outcomes) {
    tool_print("\"may_be\":[%s%s%s]", (outcomes & LAM_PRUNING_TRUE) != 0 ? "\"true\"" : "",
               (outcomes & LAM_PRUNING_FALSE) == 0  ? ""
               : (outcomes & LAM_PRUNING_TRUE) != 0 ? ",\"false\""
                                                    : "\"false\"",
               (outcomes & LAM_PRUNING_UNKNOWN) == 0                      ? ""
               : (outcomes & (LAM_PRUNING_TRUE | LAM_PRUNING_FALSE)) != 0 ? ",\"unknown\""
                                                                          : "\"unknown\"");
}

static void print_bound(const lam_field *leaf, lam_bytes bound) {
    char text[TOOL_BOUND_TEXT];
    tool_bound_text(leaf, bound, BOUND_WIDTH, text);
    tool_print_text(text, strlen(text));
}

static void print_count(const char *name, int64_t count) {
    if (count >= 0)
        tool_print(",\"%s\":%" PRId64, name, count);
}

/* What the footer says about a chunk, which was read before; false if it cannot be. */
static bool find_chunk(const skip_printer *printer, size_t row_group, const lam_field *leaf,
                       lam_column_chunk_info *info) {
    lam_error error = lam_error_none();
    lam_status status = lam_reader_column_chunk(printer->reader, row_group,
                                                lam_field_first_leaf(leaf), info, &error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    return status == LAM_STATUS_OK;
}

static void print_chunk(const skip_printer *printer, const lam_pruning_column *column) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    if (!find_chunk(printer, printer->at, column->leaf, &info))
        return;
    int64_t offset =
        info.dictionary_page_offset > 0 ? info.dictionary_page_offset : info.data_page_offset;
    tool_print(",\"chunk\":{\"offset\":%" PRId64 ",\"size\":%" PRId64, offset,
               info.total_compressed_size);
    print_count("bloom_filter", info.bloom_filter_offset);
    print_count("column_index", info.column_index_offset);
    tool_print("}");
}

static void print_column(const skip_printer *printer, const lam_pruning_column *column,
                         bool has_chunk) {
    tool_print("{\"triples\":%" PRId64, column->triples);
    if (column->has_bounds) {
        tool_print(",\"min\":");
        print_bound(column->leaf, column->min);
        tool_print(",\"max\":");
        print_bound(column->leaf, column->max);
    }
    print_count("nulls", column->nulls);
    print_count("nans", column->nans);
    if (column->is_all_null)
        tool_print(",\"is_all_null\":true");
    if (column->has_bloom)
        tool_print(",\"has_bloom\":true");
    if (has_chunk)
        print_chunk(printer, column);
    if (column->page_count > 0)
        tool_print(",\"is_of_page\":%s,\"page\":%zu,\"pages\":%zu,\"first_row\":%" PRIu64
                   ",\"rows\":%" PRIu64 ",\"offset\":%" PRId64 ",\"size\":%" PRId64,
                   column->is_of_page ? "true" : "false", column->page, column->page_count,
                   column->page_first_row, column->page_row_count, column->page_offset,
                   column->page_size);
    tool_print("}");
}

static void print_test(const skip_printer *printer, const lam_pruning_test *test, bool has_chunk) {
    tool_print("{");
    print_outcomes(test->outcomes);
    if (test->has_residuals)
        tool_print(",\"has_residuals\":true");
    if (test->column != NULL) {
        tool_print(",\"column\":");
        print_column(printer, test->column, has_chunk);
    }
    if (test->other != NULL) {
        tool_print(",\"other\":");
        print_column(printer, test->other, has_chunk);
    }
    tool_print("}");
}

static void print_conclusion(skip_printer *printer, const lam_pruning_conclusion *conclusion) {
    bool is_whole = conclusion->stage != LAM_PRUNING_PAGES;
    tool_print("{");
    if (!is_whole)
        tool_print("\"first\":%" PRIu64 ",\"rows\":%" PRIu64 ",", conclusion->first_row,
                   conclusion->row_count);
    print_outcomes(conclusion->outcomes);
    tool_print(",\"tests\":[");
    for (size_t i = 0; i < conclusion->test_count && i < TESTS_OF_CONCLUSION; i++) {
        tool_print(i == 0 ? "" : ",");
        print_test(printer, conclusion->tests[i], is_whole);
        printer->tests_left -= printer->tests_left > 0;
    }
    tool_print("]}");
}

/* --- The condition ------------------------------------------------------------------------- */

static const char *kind_name(lam_pruning_kind kind) {
    static const char *const names[] = {"comparison", "equality", "pattern", "null", "constant"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "comparison";
}

/* The tests of the condition, as the first conclusion has them: the same in each row group. */
static void print_tests(const char *text, const lam_pruning_conclusion *conclusion) {
    tool_print(",\"tests\":[");
    for (size_t i = 0; i < conclusion->test_count && i < TESTS_OF_CONCLUSION; i++) {
        const lam_pruning_test *test = conclusion->tests[i];
        tool_print("%s{\"kind\":\"%s\"", i == 0 ? "" : ",", kind_name(test->kind));
        if (test->text_size > 0) {
            tool_print(",\"text\":");
            tool_print_text(text + test->text_offset, test->text_size);
        }
        if (test->column != NULL) {
            tool_print(",\"path\":");
            tool_print_path_json(test->column->leaf);
        }
        if (test->other != NULL) {
            tool_print(",\"other_path\":");
            tool_print_path_json(test->other->leaf);
        }
        if (test->is_keyed)
            tool_print(",\"is_keyed\":true");
        tool_print(",\"value_count\":%zu,\"values\":[", test->value_count);
        for (size_t k = 0; k < test->value_count && k < VALUES_MOST && test->column != NULL; k++) {
            tool_print(k == 0 ? "" : ",");
            print_bound(test->column->leaf, test->values[k]);
        }
        tool_print("]}");
    }
    tool_print("],\"test_count\":%zu,\"row_groups\":[", conclusion->test_count);
}

/* --- Row groups ---------------------------------------------------------------------------- */

typedef struct skip_state {
    skip_printer printer;
    const char *text;
    bool has_tests; /* they are printed */
} skip_state;

/* Of very many row groups those with rows that may be left are listed first of all. */
static void begin_group(skip_state *state, size_t index, bool may_have_rows) {
    skip_printer *printer = &state->printer;
    lam_row_group_info info = lam_row_group_info_default();
    printer->at = index;
    printer->probes = printer->ranges = printer->ranges_hidden = printer->run_count = 0;
    printer->runs_hidden = 0;
    printer->is_open = true;
    size_t most = may_have_rows ? GROUPS_MOST : GROUPS_MOST / 2;
    printer->is_listed = printer->listed < most && printer->tests_left > 0;
    printer->groups[index].is_listed = printer->is_listed;
    if (lam_reader_row_group(printer->reader, index, &info, NULL) == LAM_STATUS_OK)
        printer->groups[index].rows = info.row_count;
    if (!printer->is_listed)
        return;
    tool_print("%s{\"index\":%zu,\"first\":%" PRIu64 ",\"rows\":%" PRIu64,
               printer->listed++ == 0 ? "" : ",", index, printer->first_row, info.row_count);
    print_count("size",
                info.total_compressed_size > 0 ? info.total_compressed_size : info.total_byte_size);
}

static void close_probes(skip_printer *printer) {
    tool_print(printer->has_open_probes ? "]" : "");
    printer->has_open_probes = false;
}

static void end_group(skip_printer *printer) {
    skip_group *group = &printer->groups[printer->at];
    if (!printer->is_open)
        return;
    printer->is_open = false;
    printer->first_row += group->rows;
    if (!printer->is_listed)
        return;
    close_probes(printer);
    tool_print(printer->ranges > 0 ? "]" : "");
    tool_print(",\"ranges_hidden\":%zu,\"left_rows\":%" PRIu64 ",\"left\":[",
               printer->ranges_hidden, group->left);
    for (size_t i = 0; i < printer->run_count; i++)
        tool_print("%s[%" PRIu64 ",%" PRIu64 "]", i == 0 ? "" : ",", printer->runs[i].first,
                   printer->runs[i].count);
    tool_print("],\"left_hidden\":%" PRIu64 "}", printer->runs_hidden);
}

/* Adds rows that are left; neighbours join. */
static void add_run(skip_printer *printer, uint64_t first, uint64_t count) {
    skip_run *last = printer->run_count > 0 ? &printer->runs[printer->run_count - 1] : NULL;
    printer->groups[printer->at].left += count;
    if (last != NULL && last->first + last->count == first)
        last->count += count;
    else if (printer->run_count < RUNS_MOST)
        printer->runs[printer->run_count++] = (skip_run){first, count};
    else
        printer->runs_hidden++;
}

/* The bytes that a search for the rows that are left has to read at most. */
static uint64_t stored_bytes(const skip_printer *printer,
                             const lam_pruning_conclusion *conclusion) {
    uint64_t sum = 0;
    for (size_t i = 0; i < conclusion->test_count; i++) {
        const lam_pruning_column *column = conclusion->tests[i]->column;
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (column != NULL && find_chunk(printer, conclusion->row_group, column->leaf, &info))
            sum += info.total_uncompressed_size > 0 ? (uint64_t)info.total_uncompressed_size : 0;
    }
    return sum;
}

static void print_range(skip_printer *printer, const lam_pruning_conclusion *conclusion) {
    bool is_left = (conclusion->outcomes & LAM_PRUNING_TRUE) != 0;
    size_t *room = is_left ? &printer->left_ranges : &printer->lost_ranges;
    if (*room < conclusion->test_count) {
        printer->ranges_hidden++;
        return;
    }
    *room -= conclusion->test_count;
    tool_print(printer->ranges++ == 0 ? ",\"ranges\":[" : ",");
    print_conclusion(printer, conclusion);
}

static lam_status concluded(void *state, const lam_pruning_conclusion *conclusion,
                            lam_error *error) {
    skip_state *skips = state;
    skip_printer *printer = &skips->printer;
    bool may_be_true = (conclusion->outcomes & LAM_PRUNING_TRUE) != 0;
    (void)error;
    if (!skips->has_tests)
        print_tests(skips->text, conclusion);
    skips->has_tests = true;
    if (conclusion->stage == LAM_PRUNING_STATISTICS) {
        begin_group(skips, conclusion->row_group, may_be_true);
        printer->groups[printer->at].stored = stored_bytes(printer, conclusion);
        if (printer->is_listed)
            tool_print(",\"statistics\":");
    } else if (conclusion->stage == LAM_PRUNING_BLOOM) {
        close_probes(printer);
        if (printer->is_listed)
            tool_print(",\"bloom\":");
    }
    if (conclusion->stage == LAM_PRUNING_PAGES && may_be_true)
        add_run(printer, conclusion->first_row, conclusion->row_count);
    if (conclusion->outcomes == LAM_PRUNING_TRUE && conclusion->stage == LAM_PRUNING_STATISTICS) {
        add_run(printer, 0, conclusion->row_count);
        printer->groups[printer->at].stored = 0;
    }
    if (!printer->is_listed)
        return LAM_STATUS_OK;
    if (conclusion->stage == LAM_PRUNING_PAGES)
        print_range(printer, conclusion);
    else
        print_conclusion(printer, conclusion);
    return LAM_STATUS_OK;
}

static void print_bits(lam_bytes bits) {
    for (size_t i = 0; i < bits.size; i++)
        tool_print("%02x", bits.data[i]);
}

static lam_status probed(void *state, const lam_pruning_probe *probe, lam_error *error) {
    skip_printer *printer = &((skip_state *)state)->printer;
    (void)error;
    if (!printer->is_listed || printer->probes >= PROBES_OF_GROUP || printer->tests_left == 0)
        return LAM_STATUS_OK;
    printer->tests_left--;
    tool_print(printer->probes++ == 0 ? ",\"probes\":[" : ",");
    printer->has_open_probes = true;
    tool_print("{\"test\":%zu,\"value\":", probe->test);
    print_bound(probe->leaf, probe->value);
    tool_print(",\"hash\":\"%016" PRIx64 "\",\"blocks\":%" PRIu32 ",\"block\":%" PRIu32
               ",\"offset\":%" PRId64 ",\"bits\":\"",
               probe->hash, probe->block_count, probe->block, probe->block_offset);
    print_bits(probe->bits);
    tool_print("\",\"word_bits\":[");
    for (size_t i = 0; i < sizeof probe->word_bits; i++)
        tool_print("%s%u", i == 0 ? "" : ",", probe->word_bits[i]);
    tool_print("],\"decides\":%s,\"may_hold\":%s}", probe->decides ? "true" : "false",
               probe->may_hold ? "true" : "false");
    return LAM_STATUS_OK;
}

static lam_status ended(void *state, size_t row_group, const lam_scan_report *report,
                        lam_error *error) {
    skip_state *skips = state;
    (void)report, (void)error;
    if (!skips->printer.is_open && skips->has_tests)
        begin_group(skips, row_group, false); /* without a row there is no conclusion */
    end_group(&skips->printer);
    return LAM_STATUS_OK;
}

/* --- The search ---------------------------------------------------------------------------- */

static const char *cause_of(const lam_scan_report *before, const lam_scan_report *after) {
    if (after->row_groups_by_statistics > before->row_groups_by_statistics)
        return "statistics";
    if (after->row_groups_by_bloom > before->row_groups_by_bloom)
        return "Bloom filter";
    if (after->row_groups_by_pages > before->row_groups_by_pages)
        return "page index";
    return after->row_groups_by_dictionary > before->row_groups_by_dictionary ? "dictionary" : NULL;
}

/* Ends a search that would read too much of a large file for a page. */
static lam_status check_search(skip_printer *printer, size_t next, lam_error *error) {
    if (next >= lam_reader_row_group_count(printer->reader))
        return LAM_STATUS_OK;
    const skip_group *group = &printer->groups[next];
    uint64_t bytes = group->left == 0 ? 0 : group->stored;
    if (bytes <= printer->search_left) {
        printer->search_left -= bytes;
        return LAM_STATUS_OK;
    }
    printer->is_cut = true;
    *error = lam_error_none();
    return error->status = LAM_STATUS_CANCELLED;
}

static lam_status searched(void *state, size_t row_group, const lam_scan_report *report,
                           lam_error *error) {
    skip_printer *printer = state;
    skip_group *group = &printer->groups[row_group];
    group->wanted = report->rows_wanted - printer->last.rows_wanted;
    group->cause = cause_of(&printer->last, report);
    group->is_searched = true;
    printer->last = *report;
    return check_search(printer, row_group + 1, error);
}

static void print_report(const explain_scan *scan, const skip_printer *printer,
                         const lam_scan_report *report, bool reads_all) {
    size_t count = lam_reader_row_group_count(printer->reader);
    const char *before = "";
    tool_print(",\"searched\":[");
    for (size_t i = 0; i < count && printer->groups[i].is_searched; i++) {
        if (!printer->groups[i].is_listed)
            continue;
        tool_print("%s{\"index\":%zu,\"wanted\":%" PRIu64, before, i, printer->groups[i].wanted);
        before = ",";
        if (printer->groups[i].cause != NULL)
            tool_print(",\"ruled_out_by\":\"%s\"", printer->groups[i].cause);
        tool_print("}");
    }
    tool_print("],\"report\":{\"row_groups\":%" PRIu64 ",\"by_statistics\":%" PRIu64
               ",\"by_bloom\":%" PRIu64 ",\"by_pages\":%" PRIu64 ",\"by_dictionary\":%" PRIu64,
               report->row_groups, report->row_groups_by_statistics, report->row_groups_by_bloom,
               report->row_groups_by_pages, report->row_groups_by_dictionary);
    tool_print(",\"pages\":%" PRIu64 ",\"pages_ruled_out\":%" PRIu64 ",\"rows\":%" PRIu64
               ",\"rows_ruled_out\":%" PRIu64 ",\"rows_wanted\":%" PRIu64,
               report->pages, report->pages_pruned, report->rows, report->rows_pruned,
               report->rows_wanted);
    tool_print(",\"bytes_read\":%" PRIu64 ",\"index_bytes\":%" PRIu64 ",\"file_size\":%" PRIu64
               ",\"reads_all_columns\":%s,\"is_cut\":%s}",
               scan->bytes_read, report->index_bytes, tool_file_info(scan->reader).file_size,
               reads_all ? "true" : "false", printer->is_cut ? "true" : "false");
}

/* --- All of it ----------------------------------------------------------------------------- */

static void print_failure(const lam_error *error) {
    if (error->status == LAM_STATUS_NOMEM || error->status == LAM_STATUS_CANCELLED)
        tool_end_without_memory(NULL, error->message);
    tool_print(",\"error\":");
    tool_print_text(error->message, strlen(error->message));
}

/* Two scans: one of the metadata alone, row group by row group, and one that counts. */
static void print_scans(const explain_subject *subject, explain_scan *scan, skip_state *skips) {
    skip_printer *printer = &skips->printer;
    lam_error error = lam_error_none();
    lam_scan_report report = lam_scan_report_default();
    const lam_pruning_watch watching = {skips, true, probed, concluded, ended};
    const lam_pruning_watch searching = {printer, false, NULL, NULL, searched};
    bool reads_all = tool_file_info(scan->reader).file_size <= READ_WHOLE;
    lam_status status = explain_scan_run(scan, false, &watching, &report, &error);
    end_group(printer);
    if (skips->has_tests)
        tool_print("]");
    if (status == LAM_STATUS_OK) {
        explain_scan counted;
        status = explain_scan_open(subject, skips->text, &counted, &error);
        if (status != LAM_STATUS_OK) {
            print_failure(&error);
            return;
        }
        report = lam_scan_report_default();
        printer->search_left = reads_all ? UINT64_MAX : SEARCHED_MOST;
        status = check_search(printer, 0, &error);
        if (status == LAM_STATUS_OK)
            status = explain_scan_run(&counted, reads_all, &searching, &report, &error);
        print_report(&counted, printer, &report, reads_all);
        explain_scan_close(&counted);
    }
    if (status != LAM_STATUS_OK && !printer->is_cut)
        print_failure(&error);
}

static void print_condition(const explain_subject *subject, const char *text, const char *rule,
                            size_t tests) {
    explain_scan scan;
    skip_state skips = {.text = text};
    lam_error error = lam_error_none();
    tool_print("{\"text\":");
    tool_print_text(text, strlen(text));
    tool_print(",\"chosen_by\":\"%s\"", rule);
    if (explain_scan_open(subject, text, &scan, &error) != LAM_STATUS_OK) {
        print_failure(&error);
        tool_print("}");
        return;
    }
    size_t count = lam_reader_row_group_count(scan.reader);
    skips.printer = (skip_printer){.reader = scan.reader,
                                   .tests_left = tests,
                                   .left_ranges = tests / 3,
                                   .lost_ranges = tests / 3,
                                   .groups = tool_allocate(count + 1, sizeof(skip_group))};
    print_scans(subject, &scan, &skips);
    tool_print(",\"row_group_count\":%zu}", count);
    free(skips.printer.groups);
    explain_scan_close(&scan);
}

void explain_print_skips(const explain_subject *subject, const explain_sample *sample) {
    explain_condition chosen[EXPLAIN_CHOSEN_MOST];
    bool is_given = subject->where_count > 0;
    size_t count =
        is_given ? subject->where_count : explain_choose_conditions(subject, sample, chosen);
    size_t shown = count < CONDITIONS_MOST ? count : CONDITIONS_MOST;
    tool_print(",\"skips\":{\"is_chosen\":%s,\"conditions\":[", is_given ? "false" : "true");
    for (size_t i = 0; i < shown; i++) {
        tool_print(i == 0 ? "" : ",");
        print_condition(subject, is_given ? subject->where[i] : chosen[i].text,
                        is_given ? "reader" : chosen[i].rule, TESTS_MOST / shown);
    }
    tool_print("]}");
    for (size_t i = 0; i < count && !is_given; i++)
        free(chosen[i].text);
    if (shown < count)
        explain_note(NULL, "Only the first 8 conditions are shown.");
}
