/* The VARIANT groups of a schema, as the reader of records fills them. */
#ifndef LAM_JSON_JSON_VARIANT_COLUMN_H
#define LAM_JSON_JSON_VARIANT_COLUMN_H

#include "json/json_variant.h"

typedef struct lam_json_variant_columns {
    lam_allocator allocator;
    lam_variant_builder *builder;     /* NULL when there is no such group */
    lam_variant_shredder **shredders; /* by field; NULL but for those groups */
    size_t field_count;
    lam_json_variant form;
    lam_json_binary binary;
    bool nearest_numbers;
    unsigned patience; /* small values until the memory of a large one is given back */
    lam_buffer scratch;
} lam_json_variant_columns;

/*
 * Marks the groups in `shape`. finish is due after a failure too. INVALID, UNSUPPORTED for a group
 * that no value could be written to.
 */
lam_status lam_json_variant_columns_init(lam_json_variant_columns *columns, lam_json_shape *shape,
                                         const lam_json_reader_options *options,
                                         const lam_allocator *allocator, lam_error *error);
/* Does nothing to what is all zero. */
void lam_json_variant_columns_finish(lam_json_variant_columns *columns);

/*
 * Tells `sink` the group with the value at a token. INVALID for a value that no VARIANT holds, or
 * that fits none of its columns; `*ret_at` is then the token where it was.
 */
lam_status lam_json_variant_columns_replay(lam_json_variant_columns *columns,
                                           const lam_json_node *node, const lam_json_tokens *parsed,
                                           uint32_t token, const lam_record_sink *sink,
                                           uint32_t *ret_at, lam_error *error);

#endif
