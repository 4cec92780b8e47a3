/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps schemas without data, in both directions: makes the plan that reading or writing would use
 * for a schema, and keeps only the plan's schema, so that the schema seen before a file is read or
 * written is the one that the data then has.
 *
 * The result always owns its memory, and nothing of the plan remains.
 */
#include <lamella/arrow.h>

#include "arrow/array/arrow_plan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "file/read/file_reader.h"

lam_status lam_arrow_export_schema(const lam_reader *reader, const lam_arrow_read_options *options,
                                   struct ArrowSchema *ret_schema, lam_error *error) {
    lam_arrow_plan plan;
    LAM_TRY(lam_arrow_plan_read(&plan, reader, options, &reader->allocator, error));
    lam_status status = lam_arrow_field_export(&plan.schema, &reader->allocator, ret_schema, error);
    lam_arrow_plan_finish(&plan);
    return status;
}

lam_status lam_arrow_import_schema(const struct ArrowSchema *schema, const lam_allocator *allocator,
                                   lam_schema **ret_schema, lam_error *error) {
    lam_arrow_plan plan;
    LAM_TRY(lam_arrow_plan_write(&plan, schema, allocator, ret_schema, error));
    lam_arrow_plan_finish(&plan);
    return LAM_STATUS_OK;
}
