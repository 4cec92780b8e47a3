/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the footer of a file while the file is written, and writes it: at the end, and before
 * that as often as the file is to be readable up to here. Row groups are kept as the bytes that the
 * footer will have of them, about a tenth of their structs. (parquet.thrift, FileMetaData)
 */
#ifndef LAM_FILE_WRITE_FOOTER_BUILD_H
#define LAM_FILE_WRITE_FOOTER_BUILD_H

#include "base/arena.h"
#include "base/list.h"
#include "chunk/write/chunk_write.h"
#include "schema/tree.h"

typedef struct lam_footer_build {
    lam_arena arena;       /* holds created_by and what the key-value metadata point at */
    lam_arena scratch;     /* one row group, or the schema, as structs */
    lam_buffer row_groups; /* RowGroup structs in the compact protocol, one after the other */
    size_t row_group_count;
    size_t last;     /* where the row group that was added last begins */
    size_t resolved; /* bytes of `row_groups` whose offsets of page indexes are final */
    LAM_LIST(lam_meta_key_value) key_values;
    lam_bytes created_by; /* in the arena */
    uint64_t rows;        /* of the row groups */
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

/*
 * Adds a row group. The offsets of its page indexes, if it has any, count from the first column
 * index and the first offset index that are not in the file yet, until they are resolved. What the
 * struct points at may be in `scratch`, which is empty afterwards.
 */
lam_status lam_footer_build_add_row_group(lam_footer_build *footer, const lam_meta_row_group *group,
                                          lam_error *error);
/* Adds a row group whose page indexes, if it has any, are in the file: its offsets are final. */
lam_status lam_footer_build_add_resolved(lam_footer_build *footer, const lam_meta_row_group *group,
                                         lam_error *error);
/* States where in the file the column indexes and the offset indexes of all row groups begin. */
lam_status lam_footer_build_resolve(lam_footer_build *footer, uint64_t columns_at,
                                    uint64_t offsets_at, lam_error *error);

/*
 * Appends FileMetaData to `out`, or the RowGroup that was added last. Neither mentions page indexes
 * that are not resolved.
 */
lam_status lam_footer_build_encode(lam_footer_build *footer, const lam_schema *schema,
                                   const lam_chunk_options *options, lam_buffer *out,
                                   lam_error *error);
lam_status lam_footer_build_encode_last(lam_footer_build *footer, lam_buffer *out,
                                        lam_error *error);

/* Bytes in memory. A footer has as many, and those of the schema. */
uint64_t lam_footer_build_byte_count(const lam_footer_build *footer);

#endif
