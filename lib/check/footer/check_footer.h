/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer states about the file itself. */
#ifndef LAM_CHECK_FOOTER_CHECK_FOOTER_H
#define LAM_CHECK_FOOTER_CHECK_FOOTER_H

#include "check/report/report.h"

/* Version, number of rows, texts and the judge: all that needs no schema. */
lam_status lam_check_footer(lam_checker *checker);
/*
 * Metadata that readers ignore because their writer is known to get them wrong, whether they are
 * wrong in this file or not. Needs the schema.
 */
lam_status lam_check_known_faults(lam_checker *checker);

#endif
