/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shreds: takes one value, and replays it as the events of a group of columns. For each group of
 * value and typed_value in the plan, and the value that belongs there:
 *
 *     an object, and typed_value is one   value: its fields that have no group, if there are any
 *                                         typed_value: a group for each field of the plan, with the
 *                                         value of the field, or empty if the object lacks it
 *     an array, and typed_value is one    typed_value: each element
 *     a scalar that fits typed_value      typed_value
 *     anything else                       value
 *
 * The invariant: every scalar of the value reaches exactly one column, and a lam_variant_gather
 * makes an equal value from them again. The calls nest as deep as the schema does, never as deep as
 * the value. (VariantShredding.md, "Value Shredding", "Objects", "Arrays")
 */
#include "variant/shred/variant_shred.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "dremel/grammar.h"
#include "record/record_failure.h"
#include "schema/leaf_error.h"
#include "variant/shred/variant_column.h"
#include "variant/value/variant_encoder.h"
#include "variant/value/variant_layout.h"
#include "variant/value/variant_validate.h"

struct lam_variant_shredder {
    lam_allocator allocator;
    lam_schema *schema;
    lam_variant_plan plan;
    bool trusted;                 /* values are not validated */
    lam_variant_names_view names; /* of the value that is being replayed */
    const lam_record_sink *sink;  /* the target of its events */
    LAM_LIST(uint32_t) matches;   /* a stack: for the open objects, the field of each child */
    lam_variant_encoder rest;     /* the fields of one object that are not shredded */
    LAM_LIST(uint32_t) rest_ids;  /* their field ids */
    lam_buffer rest_bytes;        /* their object, encoded */
    lam_buffer room; /* bytes of one decimal, as long as the longest column of the plan */
};

/* In `matches`: the object lacks this field of the plan. */
static const uint32_t VARIANT_SHRED_NO_FIELD = UINT32_MAX;

/*
 * The buffers are initialized before anything can fail, so that destroy works on a half-made
 * shredder.
 */
lam_status lam_variant_shredder_create(const lam_field *group,
                                       const lam_variant_shredder_options *options,
                                       const lam_allocator *allocator,
                                       lam_variant_shredder **ret_shredder, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_variant_shredder_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_variant_shredder_options, options, &chosen, error));
    if (group == NULL)
        return lam_field_fail_missing(error, "");
    lam_variant_shredder *shredder;
    LAM_TRY(LAM_NEW(&own, &shredder, error));
    shredder->allocator = own;
    shredder->schema = lam_schema_share(group->schema);
    shredder->trusted = chosen.trusted;
    lam_variant_encoder_init(&shredder->rest, &own);
    LAM_LIST_INIT(&shredder->matches, &own);
    LAM_LIST_INIT(&shredder->rest_ids, &own);
    lam_buffer_init(&shredder->rest_bytes, &own);
    lam_buffer_init(&shredder->room, &own);
    LAM_TRY_OUT(lam_variant_plan_init(&shredder->plan, group, LAM_VARIANT_WRITE, &own, error));
    size_t longest = LAM_VARIANT_DECIMAL_ROOM;
    for (size_t i = 0; i < shredder->plan.node_count; i++) {
        const lam_field *typed = shredder->plan.nodes[i].typed;
        if (typed != NULL && (size_t)typed->type_length > longest)
            longest = (size_t)typed->type_length;
    }
    LAM_TRY_OUT(lam_buffer_reserve(&shredder->room, longest, error));
    *ret_shredder = shredder;
    return LAM_STATUS_OK;
out:
    lam_variant_shredder_destroy(shredder);
    return status;
}

void lam_variant_shredder_destroy(lam_variant_shredder *shredder) {
    if (shredder == NULL)
        return;
    lam_allocator allocator = shredder->allocator;
    lam_variant_plan_finish(&shredder->plan);
    lam_variant_encoder_finish(&shredder->rest);
    LAM_LIST_FINISH(&shredder->matches);
    LAM_LIST_FINISH(&shredder->rest_ids);
    lam_buffer_finish(&shredder->rest_bytes);
    lam_buffer_finish(&shredder->room);
    lam_schema_destroy(shredder->schema);
    lam_free(&allocator, shredder, sizeof *shredder);
}

const lam_variant_plan *lam_variant_shredder_plan(const lam_variant_shredder *shredder) {
    return &shredder->plan;
}

/* --- Events ---------------------------------------------------------------------------------- */

static lam_status replay_open(lam_variant_shredder *shredder, const lam_field *group,
                              lam_error *error) {
    return shredder->sink->open(shredder->sink->state, group, error);
}

static lam_status replay_close(lam_variant_shredder *shredder, const lam_field *group,
                               lam_error *error) {
    return shredder->sink->close(shredder->sink->state, group, error);
}

static lam_status replay_bytes(lam_variant_shredder *shredder, const lam_field *leaf,
                               lam_bytes bytes, lam_error *error) {
    lam_value value;
    value.bytes = bytes;
    return shredder->sink->put(shredder->sink->state, leaf, value, error);
}

/*
 * Puts bytes into `value` of a node. A schema may leave that column out; a value that needs it is
 * then the fault of the caller, who chose the schema.
 */
static lam_status variant_shred_replay_value(lam_variant_shredder *shredder,
                                             const lam_variant_node_plan *node, lam_bytes value,
                                             lam_error *error) {
    lam_variant variant = {{NULL, 0}, value};
    if (node->value == NULL)
        return lam_field_fail(error, LAM_STATUS_INVALID, node->field,
                              "%s fits no column, and there is no column named value",
                              lam_variant_kind_name(lam_variant_kind_of(variant)));
    return replay_bytes(shredder, node->value, value, error);
}

/* --- Objects --------------------------------------------------------------------------------- */

/*
 * A value that the caller declared trusted is malformed after all. Bounds are checked even so:
 * trust saves the validation, and never allows a read outside of the runs.
 */
static lam_status fail_corrupt(const char *problem, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
}

/* Gives the bytes of a child. */
static lam_status open_child(const lam_variant_container *container, uint32_t index,
                             lam_bytes *ret_child, lam_error *error) {
    const char *problem = lam_variant_child(container, index, ret_child);
    return problem == NULL ? LAM_STATUS_OK : fail_corrupt(problem, error);
}

/*
 * Adds a field to the object of those that are not shredded. Its bytes stay in the value: the node
 * has their offset there.
 */
static lam_status keep_field(lam_variant_shredder *shredder, lam_bytes value,
                             const lam_variant_container *object, uint32_t index,
                             lam_error *error) {
    lam_bytes child;
    uint32_t id = lam_variant_id_at(object, index);
    uint32_t number = (uint32_t)shredder->rest_ids.count;
    if (shredder->rest.count == 0)
        LAM_TRY(lam_variant_encoder_begin(&shredder->rest, LAM_VARIANT_NODE_OBJECT, 0, error));
    LAM_TRY(open_child(object, index, &child, error));
    LAM_TRY(LAM_LIST_ADD(&shredder->rest_ids, &id, error));
    return lam_variant_encoder_add(&shredder->rest, number, (uint64_t)(child.data - value.data),
                                   child.size, error);
}

/*
 * Walks the fields of an object and the children of its node side by side, both in the order of
 * their names: pushes on `matches` which field each child is, and keeps the other fields for
 * `value`. Linear in both. Fields that are not in order, in a trusted value, may end up in `value`.
 */
static lam_status match_fields(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                               lam_bytes value, const lam_variant_container *object,
                               lam_error *error) {
    const lam_variant_node_plan *children = &shredder->plan.nodes[node->children];
    uint32_t child = 0;
    lam_variant_encoder_clear(&shredder->rest);
    shredder->rest_ids.count = 0;
    LAM_TRY(LAM_LIST_RESERVE(&shredder->matches, node->child_count, error));
    uint32_t *matches = shredder->matches.items + shredder->matches.count;
    shredder->matches.count += node->child_count;
    for (uint32_t i = 0; i < object->count; i++) {
        lam_bytes name;
        int order = 1;
        if (!lam_variant_name_at(&shredder->names, lam_variant_id_at(object, i), &name))
            return fail_corrupt("a field id that the metadata does not have", error);
        for (; child < node->child_count; child++) {
            order = lam_variant_compare_names(lam_variant_field_name(&children[child]), name);
            if (order >= 0)
                break;
            matches[child] = VARIANT_SHRED_NO_FIELD;
        }
        if (child < node->child_count && order == 0)
            matches[child++] = i;
        else
            LAM_TRY(keep_field(shredder, value, object, i, error));
    }
    for (; child < node->child_count; child++)
        matches[child] = VARIANT_SHRED_NO_FIELD;
    return LAM_STATUS_OK;
}

/*
 * Puts the object of the kept fields into `value`, if there are any. They keep their order and
 * their ids, so no names are sorted.
 */
static lam_status replay_rest(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                              lam_bytes value, lam_error *error) {
    if (shredder->rest.count == 0)
        return LAM_STATUS_OK;
    lam_variant_naming naming = {NULL, shredder->rest_ids.items, false, false};
    uint32_t twice;
    lam_variant_encoder_end(&shredder->rest);
    lam_buffer_clear(&shredder->rest_bytes);
    LAM_TRY(lam_variant_encoder_write(&shredder->rest, &naming, value.data, &shredder->rest_bytes,
                                      &twice, error));
    return variant_shred_replay_value(shredder, node, lam_buffer_bytes(&shredder->rest_bytes),
                                      error);
}

static lam_status shred(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                        lam_bytes value, lam_error *error);

/*
 * `value` comes first because the buffers for the kept fields are shared with the objects inside.
 * Matches are read by offset, as the stack may move when an object inside pushes its own. Every
 * shredded field gets its group, which is required; an empty one means that the object lacks the
 * field.
 */
static lam_status shred_object(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                               lam_bytes value, lam_error *error) {
    lam_variant_container object;
    size_t matches = shredder->matches.count;
    (void)lam_variant_open_container(value, &object); /* measuring has opened it before */
    LAM_TRY(match_fields(shredder, node, value, &object, error));
    LAM_TRY(replay_rest(shredder, node, value, error));
    LAM_TRY(replay_open(shredder, node->typed, error));
    for (uint32_t i = 0; i < node->child_count; i++) {
        const lam_variant_node_plan *child = &shredder->plan.nodes[node->children + i];
        uint32_t field = shredder->matches.items[matches + i];
        lam_bytes inside;
        LAM_TRY(replay_open(shredder, child->field, error));
        if (field != VARIANT_SHRED_NO_FIELD) {
            LAM_TRY(open_child(&object, field, &inside, error));
            LAM_TRY(shred(shredder, child, inside, error));
        }
        LAM_TRY(replay_close(shredder, child->field, error));
    }
    shredder->matches.count = matches;
    return replay_close(shredder, node->typed, error);
}

/* --- Arrays, scalars, all of them ------------------------------------------------------------- */

/* An element is never missing: a Variant null has its bytes in `value`. */
static lam_status shred_array(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                              lam_bytes value, lam_error *error) {
    lam_variant_container array;
    const lam_variant_node_plan *element = &shredder->plan.nodes[node->children];
    (void)lam_variant_open_container(value, &array); /* measuring has opened it before */
    LAM_TRY(replay_open(shredder, node->typed, error));
    for (uint32_t i = 0; i < array.count; i++) {
        lam_bytes child;
        LAM_TRY(open_child(&array, i, &child, error));
        LAM_TRY(replay_open(shredder, node->list, error));
        LAM_TRY(replay_open(shredder, element->field, error));
        LAM_TRY(shred(shredder, element, child, error));
        LAM_TRY(replay_close(shredder, element->field, error));
        LAM_TRY(replay_close(shredder, node->list, error));
    }
    return replay_close(shredder, node->typed, error);
}

/* A scalar of an unknown type, which only a trusted value has, is passed on as bytes. */
static lam_status shred_scalar(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                               lam_bytes value, lam_error *error) {
    lam_variant variant = {{NULL, 0}, value};
    lam_variant_scalar scalar;
    lam_value column;
    if (lam_variant_kind_of(variant) == LAM_VARIANT_UNKNOWN)
        return variant_shred_replay_value(shredder, node, value, error);
    lam_variant_load_scalar(value, &scalar);
    if (!lam_variant_to_column(node, &scalar, shredder->room.data, &column))
        return variant_shred_replay_value(shredder, node, value, error);
    return shredder->sink->put(shredder->sink->state, node->typed, column, error);
}

/* Puts a value into the columns of a node. */
static lam_status shred(lam_variant_shredder *shredder, const lam_variant_node_plan *node,
                        lam_bytes value, lam_error *error) {
    switch (node->form) {
    case LAM_VARIANT_TYPED_OBJECT:
        if (lam_variant_is_object(value))
            return shred_object(shredder, node, value, error);
        break;
    case LAM_VARIANT_TYPED_ARRAY:
        if (lam_variant_is_array(value))
            return shred_array(shredder, node, value, error);
        break;
    case LAM_VARIANT_TYPED_SCALAR:
        if (!lam_variant_is_container(value))
            return shred_scalar(shredder, node, value, error);
        break;
    default:
        break;
    }
    return variant_shred_replay_value(shredder, node, value, error);
}

/*
 * Opens, and unless it is trusted validates, a value. A trusted one may have bytes after it, which
 * are cut off. Empty metadata is written as the specification has it, 01 00 00, never as 01 00.
 */
static lam_status variant_shred_check_variant(lam_variant_shredder *shredder, lam_variant *variant,
                                              lam_error *error) {
    static const uint8_t empty[] = {LAM_VARIANT_VERSION, 0, 0};
    const char *problem = NULL;
    if (!shredder->trusted) {
        LAM_TRY(lam_variant_validate_names(variant->metadata, 0, &shredder->names, error));
        LAM_TRY(lam_variant_validate_value(&shredder->names, variant->value, 0, NULL, error));
    } else {
        problem = lam_variant_open_names(variant->metadata, &shredder->names);
        if (problem == NULL)
            problem = lam_variant_measure(variant->value, &variant->value.size);
    }
    if (shredder->names.count == 0) { /* possibly the two bytes `01 00` */
        variant->metadata.data = empty;
        variant->metadata.size = sizeof empty;
    }
    return problem == NULL ? LAM_STATUS_OK : fail_corrupt(problem, error);
}

/*
 * The sink gets one group, from its open to its close. After a failure it is left inside it;
 * lam_variant_shredder_write hands the failure over, so that the record is dropped.
 */
static lam_status replay_group(lam_variant_shredder *shredder, lam_variant variant,
                               lam_error *error) {
    const lam_variant_plan *plan = &shredder->plan;
    LAM_TRY(variant_shred_check_variant(shredder, &variant, error));
    shredder->matches.count = 0;
    LAM_TRY(replay_open(shredder, plan->group, error));
    LAM_TRY(replay_bytes(shredder, plan->metadata, variant.metadata, error));
    LAM_TRY(shred(shredder, &plan->nodes[0], variant.value, error));
    return replay_close(shredder, plan->group, error);
}

lam_status lam_variant_shredder_write(lam_variant_shredder *shredder, lam_variant variant,
                                      const lam_record_sink *sink, lam_error *error) {
    lam_error failure = lam_error_none();
    shredder->sink = sink;
    lam_status status = replay_group(shredder, variant, &failure);
    if (status == LAM_STATUS_OK)
        return status;
    if (failure.status != status) /* the sink had failed before, and says so at its end */
        return status;
    lam_record_sink_fail(sink, &failure);
    if (error != NULL)
        *error = failure;
    return status;
}
