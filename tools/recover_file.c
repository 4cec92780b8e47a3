/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers one unfinished file as a new one, with a line of numbers, and an exit status that always
 * says whether rows are lost.
 */
#include "recover_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

int recover_worse(int one, int other) {
    static const int ranks[] = {
        [TOOL_OK] = 0, [RECOVER_LOST] = 1, [TOOL_BAD_INPUT] = 2, [TOOL_BAD_USAGE] = 3};
    return ranks[one] > ranks[other] ? one : other;
}

static const char *bool_text(bool value) {
    return value ? "true" : "false";
}

static void print_json(const char *file, const char *output, const lam_recovery *found) {
    tool_print("{\"file\":");
    tool_print_text(file, strlen(file));
    tool_print(",\"output\":");
    tool_print_text(output, strlen(output));
    tool_print(",\"row_groups\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"bytes\":%" PRIu64,
               found->row_groups, found->rows, found->bytes);
    tool_print(",\"journal_rows\":%" PRIu64 ",\"lost_row_groups\":%" PRIu64
               ",\"lost_rows\":%" PRIu64 ",\"lost_bytes\":%" PRIu64,
               found->journal_rows, found->lost_row_groups, found->lost_rows, found->lost_bytes);
    tool_print(",\"finished\":%s,\"complete\":%s,\"lacks_checksums\":%s}\n",
               bool_text(found->has_footer), bool_text(found->is_complete),
               bool_text(found->lacks_checksums));
}

static void print_text(const char *file, const char *output, const lam_recovery *found) {
    tool_print("%s: %" PRIu64 " row group%s, %" PRIu64 " row%s, %" PRIu64 " bytes kept", file,
               found->row_groups, tool_s(found->row_groups), found->rows, tool_s(found->rows),
               found->bytes);
    if (found->journal_rows > 0)
        tool_print(", and %" PRIu64 " row%s of the journal", found->journal_rows,
                   tool_s(found->journal_rows));
    if (found->is_complete)
        tool_print("; nothing lost");
    else
        tool_print("; %" PRIu64 " row group%s, %" PRIu64 " row%s, %" PRIu64 " byte%s lost",
                   found->lost_row_groups, tool_s(found->lost_row_groups), found->lost_rows,
                   tool_s(found->lost_rows), found->lost_bytes, tool_s(found->lost_bytes));
    if (found->lacks_checksums)
        tool_print("; not all pages have checksums");
    tool_print("; made %s\n", output);
}

lam_status recover_try(const char *file, const char *output, const recover_request *request,
                       int *ret_result, lam_error *error) {
    lam_recovery found = lam_recovery_default();
    lam_status status = lam_recover(file, output, &request->options, &found, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (request->json)
        print_json(file, output, &found);
    else
        print_text(file, output, &found);
    *ret_result = found.is_complete ? TOOL_OK : RECOVER_LOST;
    return LAM_STATUS_OK;
}

bool recover_is_empty(const char *file, const lam_error *error) {
    if (error->code != LAM_ERROR_CODE_LEFTOVER_EMPTY)
        return false;
    tool_say("lamella: %s: it was only begun, and nothing in it was durable\n", file);
    return true;
}

int recover_file(const char *file, const char *output, const recover_request *request) {
    int result;
    lam_error error = lam_error_none();
    if (recover_try(file, output, request, &result, &error) == LAM_STATUS_OK)
        return result;
    return recover_is_empty(file, &error) ? TOOL_OK : tool_fail(file, &error);
}
