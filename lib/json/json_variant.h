/*
 * VARIANT in JSON, both ways. A value prints as the JSON that it means, or with its kinds told,
 * each value as an object of one member:
 *
 *     {"a": 1, "b": [2.50, null]}
 *     {"object":{"a":{"int8":1},"b":{"array":[{"decimal4":2.50},{"null":null}]}}}
 */
#ifndef LAM_JSON_JSON_VARIANT_H
#define LAM_JSON_JSON_VARIANT_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "variant/variant_schema.h"
#include "json/json_shape.h"
#include "json/json_tokens.h"

/*
 * Marks the nodes of groups that become values: VARIANTs of which every leaf is projected, or of
 * which a projection wants parts, unless they show as the groups that hold them. `leaves` as in
 * lam_json_shape_init, `projection` may be NULL. Tells whether there are any.
 */
bool lam_json_variant_mark(lam_json_shape *shape, const bool *leaves,
                           const lam_projection *projection, lam_json_variant form);

/*
 * Appends the text of a value. It is checked where it is looked at, but is to be validated before,
 * as hostile bytes can stand for more values than they have room for. CORRUPT, UNSUPPORTED, LIMIT.
 */
lam_status lam_json_variant_write(lam_buffer *text, lam_variant variant, lam_json_variant form,
                                  lam_json_binary binary, lam_error *error);

/* How a value is read. */
typedef struct lam_json_variant_reader {
    const lam_json_tokens *parsed;
    lam_variant_builder *builder;
    const lam_variant_plan *plan; /* of the columns that the value goes to; NULL for none */
    lam_json_variant form;
    lam_json_binary binary;
    bool nearest_numbers;
    lam_buffer *scratch;
    uint32_t at; /* the token that is looked at, and after a failure where it was */
} lam_json_variant_reader;

/*
 * Tells the builder the value at a token, in the form that `reader` says, but does not finish it.
 * INVALID, LIMIT, NOMEM.
 */
lam_status lam_json_variant_read(lam_json_variant_reader *reader, uint32_t token, lam_error *error);
/* The same for the form of kinds. */
lam_status lam_json_variant_read_typed(lam_json_variant_reader *reader, uint32_t token,
                                       lam_error *error);

#endif
