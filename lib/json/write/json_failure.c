/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says at which field printing failed, before the message of the failure.
 *
 * The status stays what it was: only the words change, which a caller shows to the source of the
 * record.
 */
#include "base/error.h"
#include "schema/text.h"
#include "json/write/json_writer.h"

lam_status lam_json_at_field(const lam_field *field, lam_error *error) {
    char path[120];
    lam_error inner = *error;
    (void)lam_field_path(field, path, sizeof path);
    return lam_error_set(error, lam_error_kind(&inner), "%s: %s", path, inner.message);
}
