/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the records that are left of a damaged file: takes a salvage, and which of its ranges of
 * rows is wanted next, and gives a record reader of these rows, without the columns that are lost
 * there.
 *
 *     rows     [0, 500)   [500, 900)   [900, 1000)
 *     leaf a   read       read         lost
 *     leaf b   read       lost         read
 *     record   {a, b}     {a}          {b}
 *
 * A range is always read from the columns that have lost none of its rows. Ranges in order read
 * each page once, however many there are.
 */
#include "base/error.h"
#include "damage/salvage/salvage_state.h"
#include "scan/rows/record_reader.h"

lam_status lam_salvage_open_records(const lam_salvage *salvage, const bool *leaves,
                                    lam_record_reader **ret_records, lam_error *error) {
    lam_scan_options scan = lam_scan_options_default();
    if (salvage == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no salvage (NULL)");
    scan.leaves = leaves;
    scan.stop = salvage->options.stop;
    return lam_record_reader_open_scan(&salvage->reader, &scan, ret_records, error);
}

lam_status lam_salvage_go_to(const lam_salvage *salvage, lam_record_reader *records, size_t index,
                             bool *ret_leaves, lam_error *error) {
    const lam_salvage_range *ranges = salvage->ranges.items;
    const lam_salvage_leaf *states = salvage->leaves.items;
    if (index >= salvage->ranges.count)
        LAM_FAIL(error, LAM_STATUS_NOT_FOUND, "there are no %zu ranges of rows", index + 1);
    const lam_salvage_range *rows = &ranges[index];
    for (size_t i = 0; i < salvage->reader.schema->leaf_count; i++)
        ret_leaves[i] = rows->leaves == SIZE_MAX || !states[rows->leaves + i].is_lost;
    return lam_record_reader_visit(records, rows->row_group,
                                   (lam_row_range){rows->begin, rows->end}, ret_leaves, error);
}
