/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans a file by the text of a condition: gives the scan's report, and its conclusions to a watch.
 * The library always does the same as for cat --where, and the bytes that it reads are counted at
 * the same point, between it and the file.
 */
#include "explain_scan.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

static lam_status scan_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    explain_scan *scan = state;
    scan->bytes_read += size;
    return scan->input->read_at(scan->input->state, offset, size, buffer, error);
}

lam_status explain_scan_open(const explain_subject *subject, const char *where,
                             explain_scan *ret_scan, lam_error *error) {
    explain_scan scan = {.input = subject->input};
    lam_reader_options options = tool_reader_options();
    options.memory_limit = tool_file_info(subject->reader).memory_limit;
    options.stop = subject->stop;
    *ret_scan = scan;
    lam_input input = {ret_scan, subject->input->size, scan_read_at, NULL, NULL};
    lam_status status = lam_reader_open(&input, &options, &ret_scan->reader, error);
    if (status == LAM_STATUS_OK)
        status = lam_filter_parse(lam_reader_schema(ret_scan->reader), where, strlen(where), NULL,
                                  NULL, &ret_scan->filter, error);
    if (status != LAM_STATUS_OK)
        explain_scan_close(ret_scan);
    return status;
}

void explain_scan_close(explain_scan *scan) {
    lam_filter_destroy(scan->filter);
    lam_reader_close(scan->reader);
    scan->filter = NULL;
    scan->reader = NULL;
}

/* --- Records without a receiver ------------------------------------------------------------ */

static lam_status take_border(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status take_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status take_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

lam_status explain_scan_run(explain_scan *scan, bool reads_all, const lam_pruning_watch *watch,
                            lam_scan_report *ret_report, lam_error *error) {
    const lam_record_sink nobody = {NULL,       take_border, take_group, take_value,
                                    take_group, take_border, NULL};
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(scan->reader));
    bool *none = tool_allocate(leaf_count + 1, sizeof *none);
    lam_record_reader *records;
    uint64_t count;
    lam_scan_options options = lam_scan_options_default();
    options.filter = scan->filter;
    options.leaves = reads_all ? NULL : none;
    options.watch = watch;
    lam_status status = lam_record_reader_open_scan(scan->reader, &options, &records, error);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_read(records, &nobody, UINT64_MAX, &count, error);
        if (lam_record_reader_report(records, ret_report, NULL) != LAM_STATUS_OK)
            *ret_report = lam_scan_report_default();
        lam_record_reader_close(records);
    }
    free(none);
    return status;
}

lam_status explain_scan_prune(const explain_subject *subject, const char *where,
                              lam_scan_report *ret_report, lam_error *error) {
    const lam_pruning_watch watch = {.metadata_only = true};
    explain_scan scan;
    lam_status status = explain_scan_open(subject, where, &scan, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = explain_scan_run(&scan, false, &watch, ret_report, error);
    explain_scan_close(&scan);
    return status;
}
