/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as the JSON that they print as: for STRINGs, and for VARIANTs of values that have no kind
 * of their own there. UNSUPPORTED in a build without JSON.
 */
#ifndef LAM_DATASET_UNION_VALUE_TEXT_H
#define LAM_DATASET_UNION_VALUE_TEXT_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "schema/tree.h"

/* Appends the text of a value, without the quotation marks of a string; bytes are base64. */
lam_status lam_value_write_text(const lam_field *leaf, lam_value value, lam_buffer *text,
                                lam_error *error);

/* Appends the `value` of the VARIANT that its JSON is, which has no names beside those of none. */
lam_status lam_value_write_variant(const lam_field *leaf, lam_value value, lam_buffer *bytes,
                                   lam_error *error);

#endif
