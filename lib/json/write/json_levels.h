/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text around the values of a leaf, by its levels. All fields of a record print in the order of
 * the schema, so the text between two values follows from the levels beside them:
 *
 *     lead     printed by a triple of these levels before its value: names, brackets that open,
 *              and absent fields
 *     trail    printed by it after its value, if that repetition level follows: brackets that
 *              close
 *
 * For records of two fields a and b, both `optional group (LIST) { repeated group list { optional
 * int32 element; } }`, with definition levels 0 to 3:
 *
 *              r d           a               b                      d next r      a     b
 *     lead     0 0           {"a":null       ,"b":null     trail    0 0                 }\n
 *              0 1           {"a":[          ,"b":[                 1 0           ]     ]}\n
 *              0 2           {"a":[null      ,"b":[null             2 0, 3 0      ]     ]}\n
 *              0 3           {"a":[          ,"b":[                 2 1, 3 1
 *              1 2           ,null           ,null
 *              1 3           ,               ,
 */
#ifndef LAM_JSON_WRITE_JSON_LEVELS_H
#define LAM_JSON_WRITE_JSON_LEVELS_H

#include <string.h>

#include "json/parse/json_shape.h"
#include "json/write/json_member.h"

/* Bytes that can be read at any text of these tables, however short it is. */
enum { LAM_JSON_LEVEL_PADDING = 32 };

/*
 * Copies a text that can be read for LAM_JSON_LEVEL_PADDING bytes to where as many more can be
 * written, and gives its end there: nearly all texts are short, and take one copy of that many
 * bytes.
 */
static inline uint8_t *lam_json_put_short(uint8_t *out, lam_bytes text) {
    memcpy(out, text.data, LAM_JSON_LEVEL_PADDING);
    if (text.size > LAM_JSON_LEVEL_PADDING)
        memcpy(out + LAM_JSON_LEVEL_PADDING, text.data + LAM_JSON_LEVEL_PADDING,
               text.size - LAM_JSON_LEVEL_PADDING);
    return out + text.size;
}

/* The texts of one leaf. */
typedef struct lam_json_levels {
    const lam_bytes *lead;  /* [r * definitions + d] */
    const lam_bytes *trail; /* [d * repetitions + the next r] */
    size_t definitions;     /* definition levels, 0 to the leaf's maximum */
    size_t repetitions;
    size_t lead_room; /* the longest text of each table, with the padding */
    size_t trail_room;
    const lam_variant_node_plan *member; /* a field of a VARIANT; NULL: a column of its own */
    bool joins; /* a lead that begins with a comma loses it if its object has no member yet */
} lam_json_levels;

/*
 * Makes the texts of the leaves that are marked, in their order, within `arena`. `projection` is
 * the writer's, or NULL. `*ret_levels` is NULL if their text does not follow from levels alone: a
 * VARIANT is a value that is not made of members (json_member.h), or a group has no leaves; or if
 * the texts would pass the budget of the arena. NOMEM.
 */
lam_status lam_json_levels_create(const lam_json_shape *shape, const bool *leaves,
                                  const lam_projection *projection, lam_arena *arena,
                                  lam_json_levels **ret_levels, lam_error *error);

#endif
