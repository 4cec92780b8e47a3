/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the footer of a file while the file is written, and writes it at the end.
 * (parquet.thrift, FileMetaData)
 */
#ifndef LAM_FILE_FOOTER_BUILD_H
#define LAM_FILE_FOOTER_BUILD_H

#include "base/arena.h"
#include "chunk/chunk.h"
#include "schema/tree.h"

typedef struct lam_footer_build {
    lam_arena arena;       /* holds everything that the structs below point at */
    lam_buffer row_groups; /* lam_meta_row_group */
    lam_buffer key_values; /* lam_meta_key_value */
    lam_bytes created_by;  /* in the arena */
    uint64_t rows;         /* of the row groups */
} lam_footer_build;

void lam_footer_build_init(lam_footer_build *footer, const lam_allocator *allocator);
void lam_footer_build_finish(lam_footer_build *footer);

/* Sets FileMetaData.created_by; NULL names this library. The text is copied. */
lam_status lam_footer_build_created_by(lam_footer_build *footer, const char *text,
                                       lam_error *error);
/* Copies a key and its value, which then live as long as the footer; `value` may be NULL. */
lam_status lam_footer_build_key_value(lam_footer_build *footer, lam_bytes key,
                                      const lam_bytes *value, lam_meta_key_value *ret_key_value,
                                      lam_error *error);
/* Adds a key and its value to the key-value metadata; copied likewise. */
lam_status lam_footer_build_add_key_value(lam_footer_build *footer, lam_bytes key,
                                          const lam_bytes *value, lam_error *error);

/* The number of row groups added so far, which is the ordinal of the next. */
static inline size_t lam_footer_build_row_groups(const lam_footer_build *footer) {
    return footer->row_groups.size / sizeof(lam_meta_row_group);
}
/* Adds a row group; the caller has allocated what it points at from the arena. */
lam_status lam_footer_build_add_row_group(lam_footer_build *footer, const lam_meta_row_group *group,
                                          lam_error *error);

/* Writes the footer, its size and the magic to `output` and adds their bytes to `*offset`. */
lam_status lam_footer_build_write(lam_footer_build *footer, const lam_schema *schema,
                                  const lam_chunk_options *options, lam_output *output,
                                  uint64_t *offset, lam_error *error);

#endif
