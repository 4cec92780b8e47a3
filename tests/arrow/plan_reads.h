/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of Arrow types that look into a file, while its reads fail one after the other. */
#ifndef LAM_TESTS_PLAN_READS_H
#define LAM_TESTS_PLAN_READS_H

#include "arrow/array/arrow_plan.h"

/*
 * Fails each read of a file in turn while its types are chosen, which must end with that failure;
 * what is chosen in the end is for `expect`. There must be a read that can fail.
 */
void lam_plan_reads_fail(lam_bytes file, void (*expect)(const lam_arrow_plan *plan));

#endif
