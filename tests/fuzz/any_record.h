/* SPDX-License-Identifier: Apache-2.0 */
/* Records of any schema, drawn from random numbers. */
#ifndef LAM_FUZZ_ANY_RECORD_H
#define LAM_FUZZ_ANY_RECORD_H

#include <lamella/record.h>

#include "support/random.h"

/*
 * Drives a sink with one record: optional and repeated fields are there in `presence` of 100 cases.
 * Ends with the first failure of the sink, or of its end. The values are of their leaf's logical
 * type in most schemas, and of its physical type in all.
 */
lam_status lam_fuzz_drive_record(const lam_schema *schema, const lam_record_sink *sink,
                                 lam_random *random, unsigned presence, lam_error *error);

#endif
