/* SPDX-License-Identifier: Apache-2.0 */
/* Dicts as records. */
#ifndef LAMPY_FEEDER_H
#define LAMPY_FEEDER_H

#include "shape.h"

/* Drives a sink with dicts. Used with the GIL, by one thread at a time. */
typedef struct lampy_feeder lampy_feeder;

/* The schema is shared. NULL with an exception. */
lampy_feeder *lampy_feeder_new(lampy_state *state, const lam_schema *schema);
void lampy_feeder_free(lampy_feeder *feeder);

/*
 * Drives begin, and the verbs of one dict, without `end`, which is the caller's. -1 with an
 * exception, and the record is dropped.
 */
int lampy_feeder_feed(lampy_feeder *feeder, PyObject *record, const lam_record_sink *sink);

#endif
