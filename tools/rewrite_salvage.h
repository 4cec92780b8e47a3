/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite --salvage: a sound file of what is left of a damaged one, and a report about the losses.
 */
#ifndef LAMELLA_TOOLS_REWRITE_SALVAGE_H
#define LAMELLA_TOOLS_REWRITE_SALVAGE_H

#include <lamella/salvage.h>

typedef struct salvage_request {
    lam_salvage_manner manner;
    const char *schema; /* of files without a footer, as tool_read_schema takes it; or NULL */
    const char *like;   /* a complete file of the same writer; or NULL */
    bool json;
} salvage_request;

/*
 * Writes what is left of `input` to `output`, and reports on standard error. Gives TOOL_OK if
 * nothing is lost, RECOVER_LOST if rows or values are, TOOL_BAD_INPUT if nothing can be used.
 */
int rewrite_salvage(const char *input, const char *output, const salvage_request *request,
                    const lam_writer_options *writer);

#endif
