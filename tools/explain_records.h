/* SPDX-License-Identifier: Apache-2.0 */
/* Records as a Parquet file in memory, to be explained like any other file. */
#ifndef LAMELLA_TOOLS_EXPLAIN_RECORDS_H
#define LAMELLA_TOOLS_EXPLAIN_RECORDS_H

#include <lamella/lamella.h>

/* How the file is written. */
typedef struct explain_writing {
    const char
        *encoding; /* of all leaves that can have it: "PLAIN"; NULL or "": the writer's own */
    bool without_dictionary;
    int32_t page_version;    /* 1 or 2 */
    uint64_t page_rows;      /* 0: the default */
    uint64_t row_group_rows; /* likewise */
    bool has_bloom_filters;  /* of all leaves that can have them */
    uint64_t memory_limit;   /* 0: the default */
    lam_codec codec;
} explain_writing;

/*
 * The records of `json` in a file of this schema, which is inferred from them if NULL. The output
 * is memory, to be closed by the caller. `*ret_line` is the line of a record that fails, else 0.
 */
lam_status explain_write_records(lam_bytes json, const lam_schema *schema,
                                 const explain_writing *writing, lam_output *ret_file,
                                 uint64_t *ret_line, lam_error *error);

/*
 * The same for records that `drive` gives to a sink: each failure of it, TOOL_OK or not, is kept in
 * its state.
 */
typedef struct explain_driver {
    void *state;
    lam_status (*drive)(void *state, const lam_record_sink *sink, lam_error *error);
} explain_driver;

lam_status explain_write_driven(const lam_schema *schema, const explain_driver *driver,
                                const explain_writing *writing, lam_output *ret_file,
                                lam_error *error);

#endif
