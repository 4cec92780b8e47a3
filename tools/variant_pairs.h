/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANTs as they are in columns: the pairs of `value` and `typed_value` of each, as the events of
 * records bring them, and the value that the library assembles from them. Only public headers.
 */
#ifndef LAMELLA_TOOLS_VARIANT_PAIRS_H
#define LAMELLA_TOOLS_VARIANT_PAIRS_H

#include <lamella/lamella.h>

/* What a pair means. (VariantShredding.md, "Value Shredding", "Objects", "Arrays") */
typedef enum variant_rule {
    VARIANT_RULE_MISSING,  /* both null: the object does not have this field */
    VARIANT_RULE_NULL,     /* both null where there must be a value: a null */
    VARIANT_RULE_VALUE,    /* `value` alone: of any type */
    VARIANT_RULE_SCALAR,   /* typed_value alone: a scalar of its type */
    VARIANT_RULE_ARRAY,    /* the same: an array */
    VARIANT_RULE_OBJECT,   /* the same: an object whose fields all have columns */
    VARIANT_RULE_PARTIAL,  /* both, and `value` is an object: it has the other fields */
    VARIANT_RULE_OVERLAP,  /* the same, but `value` has a field that has columns: those count */
    VARIANT_RULE_CONFLICT, /* both, where one must be null: typed_value counts */
    VARIANT_RULE_COUNT
} variant_rule;

/* "missing", and a sentence on why the rule applies and what follows. */
const char *variant_rule_name(variant_rule rule);
const char *variant_rule_words(variant_rule rule);

/* A group of `value` and typed_value: the VARIANT itself, a field or an element. */
typedef struct variant_pair {
    const lam_field *group;
    const lam_field *value_field; /* NULL: no such column */
    const lam_field *typed_field; /* likewise; a group for objects and arrays */
    size_t parent;                /* pair around, SIZE_MAX for the VARIANT itself */
    bool is_element;              /* of an array, else a field */
    size_t index;                 /* of an element */
    size_t element_count;         /* of an array */
    bool has_value;
    bool has_typed;
    lam_bytes value;  /* of the `value` column */
    char *typed_text; /* a scalar typed_value as JSON; or NULL */
} variant_pair;

/* `metadata` are those of the VARIANT. */
variant_rule variant_rule_of(const variant_pair *pair, lam_bytes metadata);

/* One VARIANT of one record. Everything is borrowed for the call. */
typedef struct variant_found {
    const lam_field *group;
    uint64_t record;
    bool has_metadata;
    lam_bytes metadata;
    const variant_pair *pairs; /* in preorder; [0] is the VARIANT itself */
    size_t pair_count;
    size_t pairs_left_out; /* after a number of them */
    lam_variant assembled; /* without bytes if it failed */
    const lam_error *failure;
} variant_found;

typedef void variant_visitor(void *state, const variant_found *found);

/*
 * A sink for records whose marked leaves are read; only VARIANTs with all of their leaves are
 * visited. A VARIANT that cannot be assembled is visited with its failure, which is not one of the
 * sink's: the rest of its record is passed over. `first_record` is the number of the first.
 */
typedef struct variant_pairs variant_pairs;

/* `most` pairs of a VARIANT are kept, and the others counted. */
lam_status variant_pairs_create(const lam_schema *schema, const bool *leaves, uint64_t first_record,
                                size_t most, variant_visitor *visitor, void *state,
                                variant_pairs **ret_pairs, lam_error *error);
/* Whether a schema has a VARIANT; and whether one of them is visited. */
bool variant_pairs_has_any(const lam_schema *schema);
bool variant_pairs_visits_any(const variant_pairs *pairs);
lam_record_sink variant_pairs_sink(variant_pairs *pairs);
void variant_pairs_destroy(variant_pairs *pairs);

/* A VARIANT as JSON, to be freed; NULL, with the reason, if it cannot be printed. */
char *variant_pairs_value_text(lam_variant variant, lam_error *error);

#endif
