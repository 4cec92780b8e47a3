/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds tests of two leaves: takes fields, and adds a test with a peer to the builder, or the peer
 * to an existing test. Whether two leaves can be read side by side depends on their positions in
 * the schema, and whether their values compare on their types:
 *
 *     a, g.b           common: the root       no repeated field below it    compared by record
 *     l[].a, l[].b     common: the element    none below it                 compared by element
 *     a, l[].b         common: the root       the list is below it          refused
 *
 * The invariant: both leaves have one triple for each slot of the common field. (LogicalTypes.md,
 * "Maps")
 */
#include "scan/condition/filter_peer.h"

#include "base/error.h"
#include "scan/condition/filter_values.h"
#include "schema/nesting.h"

/* --- Types --------------------------------------------------------------------------------- */

/* Values of one class compare with each other. */
typedef enum peer_class {
    PEER_BOOLEAN,
    PEER_NUMBER,
    PEER_TEXT, /* and bytes */
    PEER_UUID,
    PEER_DATE,
    PEER_TIME,
    PEER_TIMESTAMP, /* in no zone */
    PEER_TIMESTAMP_UTC,
    PEER_OTHER /* only with a leaf of the same type */
} peer_class;

static peer_class peer_class_of_number(const lam_field *leaf) {
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_DATE:
        return PEER_DATE;
    case LAM_LOGICAL_TIME:
        return PEER_TIME;
    case LAM_LOGICAL_TIMESTAMP:
        return leaf->logical_type.adjusted_to_utc ? PEER_TIMESTAMP_UTC : PEER_TIMESTAMP;
    default:
        return PEER_NUMBER;
    }
}

/*
 * The class of a leaf. Timestamps of 96 bits, which no number of 64 bits holds, and decimals of
 * more than 38 digits compare with leaves of their own type alone.
 */
static peer_class peer_class_of(const lam_field *leaf) {
    enum { MOST_DIGITS = 38 };
    lam_logical_kind kind = leaf->logical_type.kind;
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return PEER_BOOLEAN;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return peer_class_of_number(leaf);
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return PEER_NUMBER;
    case LAM_PHYSICAL_INT96:
        return PEER_TIMESTAMP;
    default:
        break;
    }
    if (kind == LAM_LOGICAL_FLOAT16 ||
        (kind == LAM_LOGICAL_DECIMAL && leaf->logical_type.precision <= MOST_DIGITS))
        return PEER_NUMBER;
    if (kind == LAM_LOGICAL_UUID)
        return PEER_UUID;
    return kind == LAM_LOGICAL_NONE || kind == LAM_LOGICAL_STRING || kind == LAM_LOGICAL_ENUM ||
                   kind == LAM_LOGICAL_JSON || kind == LAM_LOGICAL_BSON
               ? PEER_TEXT
               : PEER_OTHER;
}

static bool peer_is_dated(peer_class class) {
    return class == PEER_DATE || class == PEER_TIMESTAMP || class == PEER_TIMESTAMP_UTC;
}

/* Whether PLAIN bytes mean the same in both leaves, which are of one class. */
static bool peer_is_alike(const lam_field *a, const lam_field *b, peer_class class) {
    const lam_logical_type *x = &a->logical_type, *y = &b->logical_type;
    if (class == PEER_TEXT || class == PEER_UUID)
        return true;
    return lam_filter_order_of(a).comparison == lam_filter_order_of(b).comparison &&
           a->physical_type == b->physical_type && x->scale == y->scale && x->unit == y->unit &&
           (class != PEER_OTHER || (x->kind == y->kind && a->type_length == b->type_length));
}

/* Finds how two leaves compare; false when they do not. A date is the midnight that it begins. */
static bool peer_find_form(const lam_field *a, const lam_field *b, lam_peer_form *ret_form) {
    peer_class x = peer_class_of(a), y = peer_class_of(b);
    bool are_dated = peer_is_dated(x) && peer_is_dated(y);
    bool is_alike = x == y && peer_is_alike(a, b, x);
    *ret_form = is_alike ? LAM_PEER_ALIKE : x == PEER_NUMBER ? LAM_PEER_NUMBERS : LAM_PEER_TIMES;
    return is_alike || (x == y && x != PEER_OTHER) ||
           (are_dated && (x == PEER_DATE || y == PEER_DATE));
}

/* --- Places -------------------------------------------------------------------------------- */

/* The innermost field that both are in: the parent of the later one, or of that, and so on. */
static const lam_field *peer_common(const lam_field *a, const lam_field *b) {
    while (a != b) {
        if (a->index > b->index)
            a = lam_parent_of(a);
        else
            b = lam_parent_of(b);
    }
    return a;
}

lam_status lam_filter_builder_compare_leaves(lam_filter_builder *builder, const lam_field *leaf,
                                             lam_test_kind kind, const lam_field *other,
                                             lam_error *error) {
    lam_filter_test test = {.kind = kind, .leaf = leaf, .order = lam_filter_order_of(leaf)};
    const lam_field *around = peer_common(leaf, other);
    lam_peer_form form;
    if (!peer_find_form(leaf, other, &form))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "values of field '%.80s' do not compare with those of field '%.80s'", leaf->name,
                 other->name);
    if (test.order.comparison == LAM_COMPARISON_UNDEFINED && kind != LAM_TEST_IN &&
        kind != LAM_TEST_NOT_EQUAL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "values of field '%.150s' have no order", leaf->name);
    if (around->max_repetition != leaf->max_repetition ||
        around->max_repetition != other->max_repetition)
        LAM_FAIL(
            error, LAM_STATUS_INVALID,
            "fields '%.80s' and '%.80s' are not in the same list, so that none of their values "
            "belong together",
            leaf->name, other->name);
    if (lam_is_in_vector(other))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                 "field '%.150s' is in a VECTOR (parquet-format#592), which is not read",
                 other->name);
    lam_filter_peer *peer;
    LAM_TRY(LAM_ARENA_NEW(&builder->arena, &peer, error));
    peer->other = other;
    peer->other_order = lam_filter_order_of(other);
    peer->around = around;
    peer->form = form;
    test.peer = peer;
    return lam_filter_builder_add(builder, &test, error);
}

/* --- Maps ---------------------------------------------------------------------------------- */

const lam_field *lam_map_around(const lam_field *field, const lam_field **ret_key) {
    for (const lam_field *on = field; on->index > 0; on = lam_parent_of(on)) {
        const lam_field *entries = lam_parent_of(on);
        if (entries->index == 0 || !lam_is_repeated(entries))
            continue;
        const lam_field *map = lam_parent_of(entries);
        const lam_field *key = lam_field_child(entries, 0);
        if (map->index == 0 || !lam_is_map(map) || key == on || !lam_field_is_leaf(key))
            continue;
        *ret_key = key;
        return map;
    }
    return NULL;
}

/* The last step, if it is a test: built last, and not joined with another yet. */
static lam_filter_test *peer_last_test(lam_filter_builder *builder) {
    if (builder->steps.count == 0 || LAM_LIST_LAST(&builder->steps).kind != LAM_STEP_TEST)
        return NULL;
    return &builder->tests.items[LAM_LIST_LAST(&builder->steps).test];
}

lam_status lam_filter_builder_for_plain_key(lam_filter_builder *builder, lam_bytes plain,
                                            lam_error *error) {
    lam_filter_test *test = peer_last_test(builder);
    const lam_field *key;
    if (test == NULL)
        LAM_FAIL(error, LAM_STATUS_STATE, "no condition on values of a map comes before its key");
    const lam_field *map =
        test->path == NULL && test->peer == NULL ? lam_map_around(test->leaf, &key) : NULL;
    if (map == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the condition before a key is not on values of a map");
    lam_filter_peer *peer;
    LAM_TRY(LAM_ARENA_NEW(&builder->arena, &peer, error));
    peer->other = key;
    peer->other_order = lam_filter_order_of(key);
    peer->around = lam_parent_of(key);
    peer->is_keyed = true;
    peer->key = plain;
    test->peer = peer;
    return LAM_STATUS_OK;
}

/* The key in the form of lam_record_sink.put; the condition that it restricts comes first. */
lam_status lam_filter_builder_for_key(lam_filter_builder *builder, lam_value key,
                                      lam_error *error) {
    const lam_filter_test *test = peer_last_test(builder);
    const lam_field *leaf = NULL;
    lam_bytes plain = {NULL, 0};
    if (test != NULL && test->path == NULL && lam_map_around(test->leaf, &leaf) != NULL)
        LAM_TRY(lam_filter_copy_value(leaf, &key, &builder->arena, &plain, error));
    return lam_filter_builder_for_plain_key(builder, plain, error);
}
