/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANT in JSON, in both directions. A value prints as the JSON that it means, or with its kinds,
 * each value as an object of one member that is named as its kind:
 *
 *     {"a": 1, "b": [2.50, null]}
 *     {"object":{"a":{"int8":1},"b":{"array":[{"decimal4":2.50},{"null":null}]}}}
 */
#ifndef LAM_JSON_VALUE_JSON_VARIANT_H
#define LAM_JSON_VALUE_JSON_VARIANT_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "variant/shred/variant_schema.h"
#include "json/parse/json_shape.h"
#include "json/parse/json_tokens.h"

/*
 * Marks the nodes of groups that become values: VARIANTs that are projected entirely, or whose
 * paths a projection wants; none if they show as the groups that hold them. `leaves` is as in
 * lam_json_shape_init, `projection` may be NULL. Returns whether there are any.
 */
bool lam_json_variant_mark(lam_json_shape *shape, const bool *leaves,
                           const lam_projection *projection, lam_json_variant form);

/*
 * Appends the text of a value. Every byte that is read is checked, but the value must be validated
 * before, as hostile bytes can make more values than they have room for. CORRUPT, UNSUPPORTED,
 * LIMIT.
 */
lam_status lam_json_variant_write(lam_buffer *text, lam_variant variant, lam_json_variant form,
                                  lam_json_binary binary, lam_error *error);

/* The source and target of a value, and how it is read. */
typedef struct lam_json_variant_reader {
    const lam_json_tokens *parsed;
    lam_variant_builder *builder;
    const lam_variant_plan *plan; /* columns that the value goes to; NULL for none */
    lam_json_variant form;
    lam_json_binary binary;
    bool nearest_numbers;
    lam_buffer *scratch;
    uint32_t at; /* the token that is read; after a failure, the one at fault */
} lam_json_variant_reader;

/*
 * Replays the value at a token into the builder, in the form that `reader` says, but does not
 * finish it. INVALID, LIMIT, NOMEM.
 */
lam_status lam_json_variant_read(lam_json_variant_reader *reader, uint32_t token, lam_error *error);
/* The same for the form TYPED. */
lam_status lam_json_variant_read_typed(lam_json_variant_reader *reader, uint32_t token,
                                       lam_error *error);

#endif
