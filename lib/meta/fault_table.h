/* SPDX-License-Identifier: Apache-2.0 */
/* The two tables of known_faults.h. */
#ifndef LAM_META_FAULT_TABLE_H
#define LAM_META_FAULT_TABLE_H

#include "meta/known_faults.h"

/* A writer that is sound, from a version on, of metadata that are in doubt. */
typedef struct lam_sound_writer {
    const char *application;
    uint16_t from[3];
    uint32_t faults; /* that it has not */
} lam_sound_writer;

const lam_known_fault *lam_fault_table(size_t *ret_count);
const lam_sound_writer *lam_sound_writers(size_t *ret_count);

#endif
