/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and key-value metadata, of the file and of column chunks. */
#ifndef LAM_CHECK_FOOTER_CHECK_KEY_VALUES_H
#define LAM_CHECK_FOOTER_CHECK_KEY_VALUES_H

#include "check/report/report.h"

/* Checks that a text is UTF-8; `what` names it in the message. */
lam_status lam_check_text(lam_checker *checker, lam_bytes text, const char *what,
                          lam_check_location location);
/* Checks key-value metadata, of the file or of a column chunk: UTF-8, no empty key, none twice. */
lam_status lam_check_key_values(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                lam_check_location location);

#endif
