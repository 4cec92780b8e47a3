/* SPDX-License-Identifier: Apache-2.0 */
/* Random values that mostly fit the columns of a VARIANT, and now and then do not. */
#include "variant/random_fitting.h"

#include <stdio.h>
#include <string.h>

#include "variant/random_variant.h"
#include "variant/shred/variant_schema.h"
#include "variant/take.h"

enum { ODD = 12 }; /* percent of values that are as they come */

/* Numbers of decimal columns have their scale, and are integers now and then. */
static void tell_scalar(lam_random *random, lam_variant_builder *builder, const lam_field *leaf) {
    lam_variant_kind kind = lam_variant_kind_of_leaf(leaf);
    bool is_decimal = kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16;
    if (is_decimal && lam_random_chance(random, 20))
        kind = LAM_VARIANT_INT16;
    else if (is_decimal)
        kind = (lam_variant_kind)(LAM_VARIANT_DECIMAL4 +
                                  lam_random_below(random, kind - LAM_VARIANT_DECIMAL4 + 1u));
    lam_variant_scalar scalar = lam_random_scalar_of(random, kind);
    if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16)
        scalar.as.decimal.scale = (uint8_t)lam_field_logical_type(leaf)->scale;
    TAKE(lam_variant_builder_put(builder, &scalar, &take_error));
}

static void tell_object(lam_random *random, lam_variant_builder *builder, const lam_field *typed) {
    TAKE(lam_variant_builder_begin_object(builder, &take_error));
    for (size_t i = 0; i < lam_field_child_count(typed); i++) {
        const lam_field *part = lam_field_child(typed, i);
        const char *name = lam_field_name(part);
        if (!lam_random_chance(random, 80))
            continue;
        TAKE(lam_variant_builder_field(builder, name, strlen(name), &take_error));
        lam_random_fitting(random, builder, part);
    }
    for (unsigned i = 0; lam_random_chance(random, 25); i++) {
        char name[16];
        snprintf(name, sizeof name, "rest%u", i);
        TAKE(lam_variant_builder_field(builder, name, strlen(name), &take_error));
        lam_random_variant(random, builder, 6);
    }
    TAKE(lam_variant_builder_end_object(builder, &take_error));
}

static void tell_array(lam_random *random, lam_variant_builder *builder, const lam_field *typed) {
    const lam_field *element = lam_field_child(lam_field_child(typed, 0), 0);
    TAKE(lam_variant_builder_begin_array(builder, &take_error));
    for (uint64_t count = lam_random_below(random, 4); count > 0; count--)
        lam_random_fitting(random, builder, element);
    TAKE(lam_variant_builder_end_array(builder, &take_error));
}

void lam_random_fitting(lam_random *random, lam_variant_builder *builder, const lam_field *pair) {
    const lam_field *typed = lam_field_child_named(pair, "typed_value", 11);
    if (typed == NULL || lam_random_chance(random, ODD))
        lam_random_variant(random, builder, 12);
    else if (lam_field_is_leaf(typed))
        tell_scalar(random, builder, typed);
    else if (lam_field_logical_type(typed)->kind == LAM_LOGICAL_LIST)
        tell_array(random, builder, typed);
    else
        tell_object(random, builder, typed);
}
