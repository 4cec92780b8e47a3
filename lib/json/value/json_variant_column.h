/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VARIANT groups of a schema, as the reader of records fills them: JSON to a value, and the
 * value to the columns of its group.
 */
#ifndef LAM_JSON_VALUE_JSON_VARIANT_COLUMN_H
#define LAM_JSON_VALUE_JSON_VARIANT_COLUMN_H

#include "json/value/json_variant.h"

typedef struct lam_json_variant_columns {
    lam_allocator allocator;
    lam_variant_builder *builder;     /* NULL without such a group */
    lam_variant_shredder **shredders; /* by field; NULL for all others */
    size_t field_count;
    lam_json_variant form;
    lam_json_binary binary;
    bool nearest_numbers;
    unsigned patience; /* small values until the memory of a large one is given back, or 0 */
    lam_buffer scratch;
} lam_json_variant_columns;

/*
 * Marks the groups in `shape`. finish must be called after a failure too. INVALID, UNSUPPORTED for
 * a group that no value can be written to.
 */
lam_status lam_json_variant_columns_init(lam_json_variant_columns *columns, lam_json_shape *shape,
                                         const lam_json_reader_options *options,
                                         const lam_allocator *allocator, lam_error *error);
/* Has no effect on columns that are all zero. */
void lam_json_variant_columns_finish(lam_json_variant_columns *columns);

/* Gives back the memory of a large value, which is not needed any more. */
void lam_json_variant_columns_give_back(lam_json_variant_columns *columns);

/*
 * Replays the group with the value at a token into `sink`. INVALID for a value that no VARIANT
 * holds, or that none of its columns can take; `*ret_at` is then the token at fault.
 */
lam_status lam_json_variant_columns_replay(lam_json_variant_columns *columns,
                                           const lam_json_node *node, const lam_json_tokens *parsed,
                                           uint32_t token, const lam_record_sink *sink,
                                           uint32_t *ret_at, lam_error *error);

#endif
