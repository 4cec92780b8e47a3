/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies row groups for a caller of the library: takes a writer, and row groups of a file with the
 * same schema, and appends the same row groups, their pages as they are. Writes none unless all of
 * them exist.
 */
#include <lamella/recover.h>

#include "base/error.h"
#include "file/copy/row_group_copy.h"
#include "file/read/file_reader.h"

lam_status lam_writer_copy_row_groups(lam_writer *writer, const lam_reader *reader, size_t first,
                                      size_t count, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    size_t there = reader->footer.meta.row_groups.count;
    if (first > there || count > there - first)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no row groups %zu to %zu: there are %zu", first,
                 first + count, there);
    LAM_TRY(lam_writer_check_schemas(writer->schema, reader->schema, "file that is copied", error));
    return lam_writer_copy_range(writer, reader, first, count, error);
}
