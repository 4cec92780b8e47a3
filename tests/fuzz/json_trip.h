/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to records and back, for the targets that have to do with it. */
#ifndef LAM_FUZZ_JSON_TRIP_H
#define LAM_FUZZ_JSON_TRIP_H

#include <lamella/json.h>

/* How a text is read. */
typedef struct lam_fuzz_json_text {
    const lam_schema *schema;
    lam_bytes text;
    lam_json_reader_options options;
    unsigned piece; /* bytes that the source gives at a time; 0 is all */
    bool must_fit;  /* every record is as the schema says */
} lam_fuzz_json_text;

/*
 * Reads all records, goes on behind those that are refused, and prints what it reads to `printed`,
 * a memory output. Gives the number of records.
 */
uint64_t lam_fuzz_json_read(const lam_fuzz_json_text *text, lam_output *printed);

/* The same, and then demands that what is printed reads back and prints as it stands. */
uint64_t lam_fuzz_json_trip(const lam_fuzz_json_text *text);

#endif
