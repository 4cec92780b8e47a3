/* SPDX-License-Identifier: Apache-2.0 */
/* Values in messages: what a file states, or holds, for a person to read. */
#ifndef LAM_CHECK_REPORT_SHOWN_VALUE_H
#define LAM_CHECK_REPORT_SHOWN_VALUE_H

#include "schema/tree.h"

/* A value for a message: a number or a quoted text, cut when long. */
typedef struct lam_shown_value {
    char text[72];
} lam_shown_value;

/* `value` is PLAIN bytes without a length, of any size: hostile bounds are shown too, as text. */
lam_shown_value lam_check_show(const lam_field *leaf, lam_bytes value);

#endif
