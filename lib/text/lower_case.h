/* SPDX-License-Identifier: Apache-2.0 */
/* Capital letters of any script, and their small ones. */
#ifndef LAM_TEXT_LOWER_CASE_H
#define LAM_TEXT_LOWER_CASE_H

#include <stdint.h>

/* Gives the small letter of a capital one; any other number as it is. */
uint32_t lam_lower_case(uint32_t character);

#endif
