/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the state of a writer for all sources that change it: takes a failure or a choice, and says
 * whether the writer can continue, and what may be chosen before its first record.
 *
 * A writer that has failed once always repeats that failure, and only close is of use then.
 */
#include "file/write/writer_state.h"

#include <lamella/dremel.h>

#include "base/error.h"
#include "file/write/file_writer.h"
#include "schema/path_find.h"

const lam_allocator *lam_writer_allocator(const lam_writer *writer) {
    return &writer->allocator;
}

const lam_schema *lam_writer_schema(const lam_writer *writer) {
    return writer != NULL ? writer->schema : NULL;
}

/* In finished row groups, in the open one, and in the shredder. */
uint64_t lam_writer_record_count(const lam_writer *writer) {
    return writer->footer.rows + writer->row_group.rows +
           lam_shredder_record_count(writer->shredder);
}

/* Repeats the first failure as STATE, with the code of the operating system if it had one. */
static lam_status fail_again(const lam_writer *writer, lam_error *error) {
    lam_status status = lam_error_set(error, LAM_ERROR_CODE_WRITER_FAILED,
                                      "the writer failed before: %s", writer->failure.message);
    if (error != NULL)
        error->os_error = writer->failure.os_error;
    return status;
}

lam_status lam_writer_check_usable(const lam_writer *writer, lam_error *error) {
    if (writer == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no writer (NULL)");
    if (writer->failed)
        return fail_again(writer, error);
    if (writer->finished)
        LAM_FAIL(error, LAM_ERROR_CODE_WRITER_FINISHED, "the file is finished");
    return LAM_STATUS_OK;
}

/*
 * Keeps a failure that cannot be taken back and returns its status: from now on every call is
 * STATE. Callers pass a `failure` of their own, because `error` may be NULL.
 */
lam_status lam_writer_poison(lam_writer *writer, lam_status status, const lam_error *failure,
                             lam_error *error) {
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    writer->failed = true;
    writer->failure = *failure;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* Choices take effect for entire chunks, so none may follow the first record. */
lam_status lam_writer_check_choice(const lam_writer *writer, const char *what, const char *path,
                                   const lam_field **ret_field, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (writer->in_record || lam_writer_record_count(writer) > 0)
        LAM_FAIL(error, LAM_STATUS_STATE, "%s are chosen before the first record", what);
    return lam_schema_resolve(writer->schema, path, ret_field, error);
}

lam_row_group_writer *lam_writer_row_group(lam_writer *writer) {
    return &writer->row_group;
}
