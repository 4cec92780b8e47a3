/*
 * VARIANTs as a whole, once each of their columns was looked at alone: the records of a row group
 * are assembled, each value is held against the metadata that it was made with, and each pair of
 * value and typed_value against what may be there. (VariantEncoding.md; VariantShredding.md,
 * sections "Value Shredding", "Arrays" and "Objects")
 *
 *     value     typed_value
 *     null      null          a field of a shredded object, which is missing
 *     there     null          any value, but for what typed_value is for: an object, an array
 *     null      there         a value of the shredded type
 *     there     there         an object, whose shredded fields are not in value
 */
#include <inttypes.h>
#include <lamella/dremel.h>

#include "base/alloc.h"
#include "base/error.h"
#include "check/checker.h"
#include "schema/nesting.h"
#include "schema/text.h"
#include "variant/variant_construct.h"
#include "variant/variant_validate.h"

/* What is reported once per pair of columns, of a row group. */
enum {
    REPORTED_BYTES = 1,
    REPORTED_DECIMAL = 2,
    REPORTED_CONFLICT = 4,
    REPORTED_MISSING = 8,
    REPORTED_NAME = 16,
    REPORTED_TYPED = 32,
    REPORTED_LATER = 64,
    REPORTED_ORDER = 128
};

typedef struct variant_check {
    lam_checker *checker;
    lam_check_location location; /* of the row group */
    lam_variant_gather gather;
    uint8_t *reported; /* by node of the plan */
    bool is_open;
    bool is_lost;       /* the open one has what is no value of its column */
    size_t deepest;     /* in the open one, the depth of a value that is good by itself */
    bool reported_null; /* metadata that are null beside a value, of the row group */
    uint64_t row;
    lam_status status; /* of telling, which ends everything when it is not OK */
} variant_check;

/* --- Telling ---------------------------------------------------------------------------------- */

/* True the first time that it is asked for a pair of columns. */
static bool check_variants_is_first(variant_check *check, uint32_t node, uint8_t what) {
    bool first = (check->reported[node] & what) == 0;
    check->reported[node] |= what;
    return first;
}

/* At a leaf of a pair of columns: `value`, or one below `typed_value`. */
static lam_check_location check_variants_location_of(const variant_check *check, uint32_t node) {
    const lam_variant_node_plan *plan = &check->gather.plan.nodes[node];
    lam_check_location location = lam_check_at_row(check->location, check->row);
    location.column = (int32_t)(plan->value != NULL ? plan->value : plan->typed)->first_leaf;
    return location;
}

static const lam_variant_pair *check_variants_pair_at(const variant_check *check, size_t index) {
    return (const lam_variant_pair *)(const void *)check->gather.pairs.data + index;
}

static lam_bytes value_of(const variant_check *check, const lam_variant_pair *pair) {
    lam_bytes value = {NULL, (size_t)pair->value_size};
    if (value.size > 0)
        value.data = check->gather.encoder.source.data + pair->value_offset;
    return value;
}

/* --- One pair --------------------------------------------------------------------------------- */

/* A slip of writers that readers make sense of. */
static lam_status report_slip(variant_check *check, uint32_t node, uint8_t what, lam_rule rule,
                              const char *words) {
    if (!check_variants_is_first(check, node, what))
        return LAM_STATUS_OK;
    return lam_check_report(check->checker, rule, check_variants_location_of(check, node), "%s",
                            words);
}

/* The bytes are a value; `*ret_good` says that they can be looked into. */
static lam_status check_variants_bytes(variant_check *check, const lam_variant_pair *pair,
                                       bool *ret_good) {
    lam_error failure = lam_error_none();
    lam_variant_traits met;
    lam_status status = lam_variant_validate_value(
        &check->gather.dictionary.given, value_of(check, pair),
        LAM_VARIANT_ACCEPT_WIDE_DECIMALS | LAM_VARIANT_ACCEPT_ANY_ORDER, &met, &failure);
    unsigned accepted = met.accepted;
    if (status == LAM_STATUS_OK && (accepted & LAM_VARIANT_ACCEPT_ANY_ORDER) != 0)
        status = lam_variant_check_unique(&check->gather, value_of(check, pair), &failure);
    *ret_good = status == LAM_STATUS_OK;
    if (*ret_good && met.depth > check->deepest)
        check->deepest = met.depth;
    if ((accepted & LAM_VARIANT_ACCEPT_WIDE_DECIMALS) != 0)
        LAM_TRY(report_slip(check, pair->node, REPORTED_DECIMAL, LAM_RULE_VARIANT_DECIMAL,
                            "a decimal has more digits than its type may have"));
    if ((accepted & LAM_VARIANT_ACCEPT_ANY_ORDER) != 0)
        LAM_TRY(report_slip(check, pair->node, REPORTED_ORDER, LAM_RULE_VARIANT_ORDER,
                            "fields of an object are not in the order of their names"));
    uint8_t what = status == LAM_STATUS_CORRUPT ? REPORTED_BYTES : REPORTED_LATER;
    if (*ret_good || !check_variants_is_first(check, pair->node, what))
        return LAM_STATUS_OK;
    return lam_check_report_failure(check->checker, LAM_RULE_VARIANT_BYTES,
                                    check_variants_location_of(check, pair->node), status,
                                    &failure);
}

static lam_status report_conflict(variant_check *check, uint32_t node, const char *words) {
    if (!check_variants_is_first(check, node, REPORTED_CONFLICT))
        return LAM_STATUS_OK;
    return lam_check_report(check->checker, LAM_RULE_VARIANT_SHREDDING,
                            check_variants_location_of(check, node), "%s", words);
}

/* No field of an object in value is one that is shredded. */
static lam_status check_rest(variant_check *check, const lam_variant_pair *pair) {
    lam_variant_container object;
    if (lam_variant_open_container(value_of(check, pair), &object) != NULL)
        return LAM_STATUS_OK;
    for (uint32_t i = 0; i < object.count; i++) {
        lam_bytes name = {NULL, 0};
        (void)lam_variant_name_at(&check->gather.dictionary.given, lam_variant_id_at(&object, i),
                                  &name);
        uint32_t child = lam_variant_plan_find(&check->gather.plan, pair->node, name);
        if (child != LAM_VARIANT_NO_NODE &&
            check_variants_is_first(check, child, REPORTED_CONFLICT))
            return lam_check_report(check->checker, LAM_RULE_VARIANT_SHREDDING,
                                    check_variants_location_of(check, pair->node),
                                    "value has the field %s, which is shredded",
                                    lam_show((const char *)name.data, name.size).text);
    }
    return LAM_STATUS_OK;
}

/* What is in value may be there beside typed_value, or instead of it. */
static lam_status check_variants_value(variant_check *check, const lam_variant_pair *pair) {
    uint8_t form = check->gather.plan.nodes[pair->node].form;
    lam_bytes value = value_of(check, pair);
    bool good, is_object = lam_variant_is_object(value);
    LAM_TRY(check_variants_bytes(check, pair, &good));
    if (!good)
        return LAM_STATUS_OK;
    if (pair->has_typed && form != LAM_VARIANT_TYPED_OBJECT)
        return report_conflict(check, pair->node, "both value and typed_value are present");
    if (pair->has_typed && !is_object)
        return report_conflict(
            check, pair->node,
            "typed_value is an object, but value, which is also present, is not");
    if (form == LAM_VARIANT_TYPED_OBJECT && is_object && !pair->has_typed)
        return report_conflict(check, pair->node, "value is an object where typed_value is null");
    if (form == LAM_VARIANT_TYPED_ARRAY && lam_variant_is_array(value))
        return report_conflict(check, pair->node, "value is an array where typed_value is null");
    return pair->has_typed ? check_rest(check, pair) : LAM_STATUS_OK;
}

static lam_status check_missing(variant_check *check, const lam_variant_pair *pair) {
    if (check->gather.plan.nodes[pair->node].is_field ||
        !check_variants_is_first(check, pair->node, REPORTED_MISSING))
        return LAM_STATUS_OK;
    return lam_check_report(
        check->checker, LAM_RULE_VARIANT_MISSING, check_variants_location_of(check, pair->node),
        "%s has neither value nor typed_value", pair->node == 0 ? "a VARIANT" : "an element");
}

static lam_status check_variants_name(variant_check *check, const lam_variant_pair *pair) {
    const lam_variant_node_plan *node = &check->gather.plan.nodes[pair->node];
    uint32_t id;
    lam_bytes name = lam_variant_field_name(node);
    if (!node->is_field || lam_variant_dictionary_find(&check->gather.dictionary, name, &id) ||
        !check_variants_is_first(check, pair->node, REPORTED_NAME))
        return LAM_STATUS_OK;
    return lam_check_report(check->checker, LAM_RULE_VARIANT_NAMES,
                            check_variants_location_of(check, pair->node),
                            "the metadata lacks the name %s of a shredded field",
                            lam_show(node->field->name, node->field->name_size).text);
}

static lam_status check_pair(variant_check *check, const lam_variant_pair *pair) {
    if (!pair->has_value && !pair->has_typed)
        return check_missing(check, pair);
    LAM_TRY(check_variants_name(check, pair));
    return pair->has_value ? check_variants_value(check, pair) : LAM_STATUS_OK;
}

/* Parts that are good each by itself may be nested too deep together. Each of those around a value
 * takes two levels of the schema at least. */
static lam_status check_depth(variant_check *check) {
    lam_error failure = lam_error_none();
    lam_variant whole;
    if (check->deepest + LAM_SCHEMA_DEPTH_MAX / 2 <= LAM_VARIANT_DEPTH_MAX)
        return LAM_STATUS_OK;
    lam_status status = lam_variant_gather_end(&check->gather, &whole, &failure);
    bool is_reported = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_INVALID;
    if (is_reported ||
        (status == LAM_STATUS_LIMIT && !check_variants_is_first(check, 0, REPORTED_LATER)))
        return LAM_STATUS_OK;
    return lam_check_report_failure(check->checker, LAM_RULE_VARIANT_BYTES,
                                    check_variants_location_of(check, 0), status, &failure);
}

static lam_status report_null_metadata(variant_check *check) {
    lam_check_location location = lam_check_at_row(check->location, check->row);
    location.column = (int32_t)check->gather.plan.metadata->first_leaf;
    if (check->reported_null)
        return LAM_STATUS_OK;
    check->reported_null = true;
    return lam_check_report(check->checker, LAM_RULE_VARIANT_METADATA, location,
                            "the metadata is null, but there is a value that needs it");
}

/* A VARIANT of which all events came. What is wrong with its metadata was reported with their column.
 */
static lam_status check_whole(variant_check *check) {
    lam_variant_gather *gather = &check->gather;
    lam_error failure = lam_error_none();
    bool same;
    if (check->is_lost)
        return LAM_STATUS_OK;
    if (lam_variant_lacks_metadata(gather))
        return report_null_metadata(check);
    lam_status status = lam_variant_dictionary_set(
        &gather->dictionary, lam_variant_given_metadata(gather), &same, &failure);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED)
        return LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        status = lam_variant_dictionary_order(&gather->dictionary, &failure);
    LAM_TRY(lam_check_report_failure(check->checker, LAM_RULE_VARIANT_METADATA, check->location,
                                     status, &failure));
    size_t count = gather->pairs.size / sizeof(lam_variant_pair);
    for (size_t i = 0; i < count; i++)
        LAM_TRY(check_pair(check, check_variants_pair_at(check, i)));
    return check_depth(check);
}

/* --- Records ---------------------------------------------------------------------------------- */

static lam_status check_variants_on_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status check_variants_on_end(void *state, lam_error *error) {
    (void)error;
    ((variant_check *)state)->row++;
    return LAM_STATUS_OK;
}

static lam_status check_variants_on_open(void *state, const lam_field *group, lam_error *error) {
    variant_check *check = state;
    if (group == check->gather.plan.group) {
        check->is_open = true;
        check->is_lost = false;
        check->deepest = 0;
        return lam_variant_gather_begin(&check->gather, error);
    }
    return check->is_open ? lam_variant_gather_open(&check->gather, group, error) : LAM_STATUS_OK;
}

static lam_status check_variants_on_put(void *state, const lam_field *leaf, lam_value value,
                                        lam_error *error) {
    variant_check *check = state;
    lam_error failure = lam_error_none();
    (void)error;
    if (!check->is_open)
        return LAM_STATUS_OK;
    lam_status status = lam_variant_gather_put(&check->gather, leaf, value, &failure);
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    const lam_variant_plan *plan = &check->gather.plan;
    uint32_t node = plan->roles[leaf->index - plan->group->index].node;
    check->is_lost = true;
    if (status == LAM_STATUS_CORRUPT && !check_variants_is_first(check, node, REPORTED_TYPED))
        return LAM_STATUS_OK;
    lam_check_location location = check_variants_location_of(check, node);
    location.column = (int32_t)leaf->first_leaf;
    check->status = lam_check_report_failure(check->checker, LAM_RULE_VARIANT_BYTES, location,
                                             status, &failure);
    return check->status;
}

static lam_status check_variants_on_close(void *state, const lam_field *group, lam_error *error) {
    variant_check *check = state;
    if (check->is_open && group == check->gather.plan.group) {
        check->is_open = false;
        check->status = check_whole(check);
        return check->status;
    }
    return check->is_open ? lam_variant_gather_close(&check->gather, group, error) : LAM_STATUS_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static lam_status read_chunk(void *state, lam_triples *ret_triples, lam_error *error) {
    return lam_chunk_reader_read(state, SIZE_MAX, ret_triples, error);
}

typedef struct group_columns {
    bool *leaves; /* of the schema */
    lam_triple_source *sources;
    size_t count;
} group_columns;

static lam_status check_variants_open_columns(const variant_check *check, size_t row_group,
                                              lam_arena *arena, group_columns *columns,
                                              lam_error *failure) {
    const lam_field *group = check->gather.plan.group;
    void *memory;
    LAM_TRY(
        lam_arena_array(arena, check->checker->schema->leaf_count, sizeof(bool), &memory, failure));
    columns->leaves = memory;
    LAM_TRY(lam_arena_array(arena, group->leaf_count, sizeof(lam_triple_source), &memory, failure));
    columns->sources = memory;
    for (size_t i = group->first_leaf; i < (size_t)group->first_leaf + group->leaf_count; i++) {
        lam_chunk_reader *reader;
        LAM_TRY(lam_check_open_reader(check->checker, row_group, i, &reader, failure));
        columns->leaves[i] = true;
        columns->sources[columns->count++] = (lam_triple_source){reader, read_chunk};
    }
    return LAM_STATUS_OK;
}

static lam_status check_variants_read_records(variant_check *check, const group_columns *columns,
                                              lam_error *failure) {
    lam_record_sink sink = {check,
                            check_variants_on_begin,
                            check_variants_on_open,
                            check_variants_on_put,
                            check_variants_on_close,
                            check_variants_on_end,
                            NULL};
    lam_assembler *assembler;
    size_t count;
    LAM_TRY(lam_assembler_create(check->checker->schema, columns->leaves, columns->sources,
                                 &check->checker->allocator, &assembler, failure));
    lam_status status = lam_assembler_read(assembler, &sink, SIZE_MAX, &count, failure);
    lam_assembler_destroy(assembler);
    return status;
}

/* What keeps records from being read was reported, if it was not for want of memory. */
static lam_status check_records(variant_check *check, size_t row_group) {
    lam_checker *checker = check->checker;
    lam_error failure = lam_error_none();
    lam_arena arena;
    group_columns columns = {NULL, NULL, 0};
    lam_arena_init(&arena, &checker->allocator, 0);
    lam_status status = check_variants_open_columns(check, row_group, &arena, &columns, &failure);
    if (status == LAM_STATUS_OK)
        status = check_variants_read_records(check, &columns, &failure);
    for (size_t i = 0; i < columns.count; i++)
        lam_chunk_reader_destroy(columns.sources[i].state);
    lam_arena_finish(&arena);
    if (check->status != LAM_STATUS_OK)
        return check->status;
    return lam_check_report_failure(checker, LAM_RULE_VARIANT_BYTES,
                                    lam_check_at_row(check->location, check->row), status,
                                    &failure);
}

/* A group that can hold no VARIANT was reported with the schema. */
static lam_status check_variants_group(lam_checker *checker, size_t row_group,
                                       const lam_field *group) {
    variant_check check;
    lam_status status;
    void *memory;
    lam_error failure = lam_error_none();
    memset(&check, 0, sizeof check);
    check.checker = checker;
    check.location = lam_check_nowhere();
    check.location.row_group = row_group <= INT32_MAX ? (int32_t)row_group : -1;
    status =
        lam_variant_gather_init(&check.gather, group, NULL, true, &checker->allocator, &failure);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_UNSUPPORTED) {
        lam_variant_gather_finish(&check.gather);
        return LAM_STATUS_OK;
    }
    size_t nodes = check.gather.plan.node_count;
    if (status == LAM_STATUS_OK)
        status = lam_alloc_array(&checker->allocator, nodes, sizeof(uint8_t), &memory, &failure);
    if (status == LAM_STATUS_OK) {
        check.reported = memory;
        status = check_records(&check, row_group);
        lam_free(&checker->allocator, check.reported, nodes);
    } else if (checker->error != NULL) {
        *checker->error = failure;
    }
    lam_variant_gather_finish(&check.gather);
    return status;
}

lam_status lam_check_variants(lam_checker *checker, size_t row_group, const bool *sound) {
    const lam_schema *schema = checker->schema;
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        bool whole = field->logical_type.kind == LAM_LOGICAL_VARIANT && lam_is_group(field);
        i += whole ? field->subtree_size : 1;
        for (size_t leaf = 0; whole && leaf < field->leaf_count; leaf++)
            whole = sound[field->first_leaf + leaf];
        if (whole)
            LAM_TRY(check_variants_group(checker, row_group, field));
    }
    return LAM_STATUS_OK;
}
