/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a writer: their check, their defaults, and what they mean for column chunks.
 */
#ifndef LAM_FILE_WRITE_WRITER_OPTIONS_H
#define LAM_FILE_WRITE_WRITER_OPTIONS_H

#include <lamella/writer.h>

#include "chunk/write/chunk_write.h"

enum {
    LAM_ROW_GROUP_BYTES = 128 << 20, /* of row groups, by default */
    LAM_PAGE_BYTES = 1 << 20         /* of pages and dictionaries */
};

/* In options, 0 requests the default. */
static inline uint64_t lam_writer_or_default(uint64_t number, uint64_t fallback) {
    return number != 0 ? number : fallback;
}

/*
 * INVALID, naming the option that is out of range. `codec` is the codec with the default resolved;
 * UNSUPPORTED if this build lacks it.
 */
lam_status lam_writer_options_check(const lam_writer_options *options, lam_codec codec,
                                    lam_error *error);
/* INVALID for a type that `compat` does not allow, UNSUPPORTED for a VECTOR. */
lam_status lam_writer_options_check_schema(const lam_writer_options *options,
                                           const lam_schema *schema, lam_error *error);
/*
 * For a file that continues another: the newest readers if types of its schema demand them, else
 * the default, so that readers of the original can read this one, too.
 */
lam_compat lam_writer_compat_of(const lam_schema *schema);

/*
 * Makes row groups, pages and dictionaries end at shares of a bound of memory; 0 changes nothing.
 */
void lam_writer_options_fit(lam_writer_options *options, uint64_t bound);

/* The options of the column chunks; the options and `codec` have been checked. */
lam_chunk_options lam_writer_chunk_options(const lam_writer_options *options, lam_codec codec);

#endif
