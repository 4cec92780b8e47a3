/* The options of a writer: whether they can be, and their defaults. */
#ifndef LAM_FILE_WRITER_OPTIONS_H
#define LAM_FILE_WRITER_OPTIONS_H

#include <lamella/writer.h>

#include "chunk/chunk.h"

static inline uint64_t lam_writer_or_default(uint64_t number, uint64_t fallback) {
    return number != 0 ? number : fallback;
}

/* INVALID with the option that is out of range; `codec` is the one that stands for the default. */
lam_status lam_writer_options_check(const lam_writer_options *options, lam_codec codec,
                                    lam_error *error);
/* INVALID for a type that `compat` has no place for, UNSUPPORTED for a VECTOR. */
lam_status lam_writer_options_check_schema(const lam_writer_options *options,
                                           const lam_schema *schema, lam_error *error);
/* What they mean for column chunks. */
lam_chunk_options lam_writer_chunk_options(const lam_writer_options *options, lam_codec codec);

#endif
