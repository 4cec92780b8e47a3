/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks complete VARIANTs, once each of their columns has been checked alone: assembles the
 * records of a row group, compares each value with the metadata that it was made with, and each
 * pair of value and typed_value with what is allowed. (VariantEncoding.md; VariantShredding.md,
 * sections "Value Shredding", "Arrays" and "Objects")
 *
 *     value     typed_value
 *     null      null          a field of a shredded object that is missing
 *     present   null          any value except what typed_value is for: an object, an array
 *     null      present       a value of the shredded type
 *     present   present       an object whose shredded fields are not in value
 *
 * Events of the assembler go through a lam_variant_gather, which collects the pairs of one VARIANT;
 * they are checked when its group closes. Each kind of finding is reported once per pair of columns
 * and row group, so that a wrong writer does not make a million of them.
 */
#include "check/values/check_variants.h"

#include <inttypes.h>
#include <lamella/dremel.h>

#include "base/alloc.h"
#include "base/error.h"
#include "check/chunk/check_cursor.h"
#include "schema/nesting.h"
#include "schema/text.h"
#include "variant/shred/variant_construct.h"
#include "variant/value/variant_validate.h"

/*
 * Bits of variant_check.reported: findings that are reported once per pair of columns in a row
 * group.
 */
enum {
    REPORTED_BYTES = 1,    /* the bytes of value are malformed */
    REPORTED_DECIMAL = 2,  /* a decimal with too many digits */
    REPORTED_CONFLICT = 4, /* value and typed_value contradict each other */
    REPORTED_MISSING = 8,  /* both are null where something must be */
    REPORTED_NAME = 16,    /* the metadata lacks the name of a shredded field */
    REPORTED_TYPED = 32,   /* a value that its typed_value column cannot hold */
    REPORTED_LATER = 64,   /* beyond this build or its limits */
    REPORTED_ORDER = 128   /* fields out of order */
};

/* One VARIANT group in one row group. */
typedef struct variant_check {
    lam_checker *checker;
    lam_check_location location; /* of the row group */
    lam_variant_gather gather;   /* the pairs of the open VARIANT, and the plan of its columns */
    uint8_t *reported;           /* by node of the plan: bits of the enum above */
    bool is_open;                /* an instance of the group is open */
    bool is_lost;                /* something in the open one is no value of its column */
    size_t deepest; /* in the open one: the depth of the deepest `value` that is good by itself */
    bool reported_null; /* that metadata are null beside a value, in this row group */
    uint64_t row;       /* in the row group, the one that is being assembled */
    lam_status status;  /* of reporting; the check ends when it is not OK */
} variant_check;

/* --- Reporting -------------------------------------------------------------------------------- */

/* True the first time that it is called for a pair of columns and a kind of finding. */
static bool check_variants_is_first(variant_check *check, uint32_t node, uint8_t what) {
    bool first = (check->reported[node] & what) == 0;
    check->reported[node] |= what;
    return first;
}

/*
 * The location of a pair: the current row, and the first leaf of `value` or else of `typed_value`.
 */
static lam_check_location check_variants_location_of(const variant_check *check, uint32_t node) {
    const lam_variant_node_plan *plan = &check->gather.plan.nodes[node];
    lam_check_location location = lam_check_at_row(check->location, check->row);
    location.column = (int32_t)(plan->value != NULL ? plan->value : plan->typed)->first_leaf;
    return location;
}

/*
 * The bytes of `value` are kept by the encoder, which may move them: offsets are turned into
 * pointers as late as here.
 */
static lam_bytes value_of(const variant_check *check, const lam_variant_pair *pair) {
    lam_bytes value = {NULL, (size_t)pair->value_size};
    if (value.size > 0)
        value.data = check->gather.encoder.source.data + pair->value_offset;
    return value;
}

/* --- One pair --------------------------------------------------------------------------------- */

/* Reports a departure that readers understand. */
static lam_status report_slip(variant_check *check, uint32_t node, uint8_t what, lam_rule rule,
                              const char *words) {
    if (!check_variants_is_first(check, node, what))
        return LAM_STATUS_OK;
    return lam_check_report(check->checker, rule, check_variants_location_of(check, node), "%s",
                            words);
}

/*
 * Checks that the bytes of `value` are a value; `*ret_good` is true when they can be inspected
 * further. Two departures are tolerated and reported as warnings: wide decimals and unordered
 * fields. With unordered fields, validation cannot prove by order that names are unique, so that it
 * is checked apart.
 */
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

/* Reports a contradiction between value and typed_value. */
static lam_status report_conflict(variant_check *check, uint32_t node, const char *words) {
    if (!check_variants_is_first(check, node, REPORTED_CONFLICT))
        return LAM_STATUS_OK;
    return lam_check_report(check->checker, LAM_RULE_VARIANT_SHREDDING,
                            check_variants_location_of(check, node), "%s", words);
}

/*
 * Checks that no field of an object in `value` is one that is shredded: readers would find it
 * twice. The object and its names have been validated. Reported per shredded field.
 */
static lam_status check_rest(variant_check *check, const lam_variant_pair *pair) {
    lam_variant_container object;
    (void)lam_variant_open_container(value_of(check, pair), &object);
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

/*
 * Checks that a `value` may be present beside typed_value, or instead of it: the table above, row
 * by row. An array in value where typed_value is an array, or an object where it is an object,
 * should have been shredded.
 */
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

/*
 * Only a field of an object can be missing. The VARIANT itself and elements of arrays need a value,
 * if only the VARIANT null (`00`), and readers take two nulls for that one: a warning.
 */
static lam_status check_missing(variant_check *check, const lam_variant_pair *pair) {
    if (check->gather.plan.nodes[pair->node].is_field ||
        !check_variants_is_first(check, pair->node, REPORTED_MISSING))
        return LAM_STATUS_OK;
    return lam_check_report(
        check->checker, LAM_RULE_VARIANT_MISSING, check_variants_location_of(check, pair->node),
        "%s has neither value nor typed_value", pair->node == 0 ? "a VARIANT" : "an element");
}

/*
 * Shredded fields have their names in the schema, but readers that rebuild the object need ids for
 * them, which only the metadata has.
 */
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

/* Checks one pair of value and typed_value as it occurred. */
static lam_status check_pair(variant_check *check, const lam_variant_pair *pair) {
    if (!pair->has_value && !pair->has_typed)
        return check_missing(check, pair);
    LAM_TRY(check_variants_name(check, pair));
    return pair->has_value ? check_variants_value(check, pair) : LAM_STATUS_OK;
}

/*
 * Checks the depth of the entire value. Values that are good by themselves may be nested too deep
 * together; each object or array of the schema around a value takes at least two levels of the
 * schema, so that most values cannot reach the limit and are not assembled for it.
 */
static lam_status check_depth(variant_check *check) {
    lam_error failure = lam_error_none();
    lam_variant whole;
    if (check->deepest + LAM_SCHEMA_DEPTH_MAX / 2 <= LAM_VARIANT_DEPTH_MAX)
        return LAM_STATUS_OK;
    lam_status status = lam_variant_gather_end(&check->gather, &whole, &failure);
    /* These have been reported with a pair, in words about the columns. */
    bool is_reported = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_INVALID;
    if (is_reported ||
        (status == LAM_STATUS_LIMIT && !check_variants_is_first(check, 0, REPORTED_LATER)))
        return LAM_STATUS_OK;
    return lam_check_report_failure(check->checker, LAM_RULE_VARIANT_BYTES,
                                    check_variants_location_of(check, 0), status, &failure);
}

/* Reported once per row group: without metadata the names in the value are lost. */
static lam_status report_null_metadata(variant_check *check) {
    lam_check_location location = lam_check_at_row(check->location, check->row);
    location.column = (int32_t)check->gather.plan.metadata->first_leaf;
    if (check->reported_null)
        return LAM_STATUS_OK;
    check->reported_null = true;
    return lam_check_report(check->checker, LAM_RULE_VARIANT_METADATA, location,
                            "the metadata is null, but there is a value that needs it");
}

/*
 * Checks a VARIANT whose events are complete. Defects of its metadata were reported with their
 * column; they hide what the value means, so that nothing more is checked. The metadata are often
 * those of the row before, which lam_variant_dictionary_set recognises.
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
    if (status == LAM_STATUS_OK)
        status = lam_variant_dictionary_order(&gather->dictionary, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(check->checker, LAM_RULE_VARIANT_METADATA, check->location,
                                        status, &failure);
    /* Pairs are in the order in which they were opened; 0 is the VARIANT itself. */
    size_t count = gather->pairs.count;
    for (size_t i = 0; i < count; i++)
        LAM_TRY(check_pair(check, lam_variant_pair_at(&check->gather, i)));
    return check_depth(check);
}

/* --- Records ---------------------------------------------------------------------------------- */

/* A record begins with no VARIANT open: those of the record before were closed with it. */
static lam_status check_variants_on_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

/* The row is complete; findings of the next record have the next number. */
static lam_status check_variants_on_end(void *state, lam_error *error) {
    (void)error;
    ((variant_check *)state)->row++;
    return LAM_STATUS_OK;
}

/*
 * The group itself starts a new VARIANT, even several times in a record if it is below a list.
 * Groups inside it go to the gather; groups around it mean nothing here.
 */
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

/*
 * All leaves that are read are inside the group and go to the gather. If it refuses the value, this
 * VARIANT is lost, and the record continues; only a status of reporting stops the assembler.
 */
static lam_status check_variants_on_put(void *state, const lam_field *leaf, lam_value value,
                                        lam_error *error) {
    variant_check *check = state;
    lam_error failure = lam_error_none();
    (void)error;
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

/* When the group itself closes, all pairs of the VARIANT are known. */
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

/* Lets the assembler read from a cursor, batch by batch. */
static lam_status read_chunk(void *state, lam_triples *ret_triples, lam_error *error) {
    return lam_column_cursor_read(state, SIZE_MAX, ret_triples, error);
}

/* The columns of the group, open for assembling: the others of the schema are not read. */
typedef struct group_columns {
    bool *leaves;               /* by leaf of the schema: it is read */
    lam_triple_source *sources; /* of those leaves, in their order */
    size_t count;
} group_columns;

/*
 * Opens a reader for each leaf below the group. `columns->count` counts those that must be closed,
 * also after a failure.
 */
static lam_status check_variants_open_columns(const variant_check *check, lam_arena *arena,
                                              group_columns *columns, lam_error *failure) {
    const lam_field *group = check->gather.plan.group;
    LAM_TRY(LAM_ARENA_ARRAY(arena, check->checker->schema->leaf_count, &columns->leaves, failure));
    LAM_TRY(LAM_ARENA_ARRAY(arena, group->leaf_count, &columns->sources, failure));
    for (size_t i = group->first_leaf; i < (size_t)group->first_leaf + group->leaf_count; i++) {
        lam_column_cursor *reader;
        LAM_TRY(lam_check_open_cursor(check->checker, i, &reader, failure));
        columns->leaves[i] = true;
        columns->sources[columns->count++] = (lam_triple_source){reader, read_chunk};
    }
    return LAM_STATUS_OK;
}

/*
 * Assembles all records of the row group into the sink; what the sink reports goes through
 * check->status.
 */
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

/*
 * Checks all records. The columns were sound when each was read alone, and agreed with each other,
 * so that reading them again can only fail for want of memory, a failed input or a stop.
 */
static lam_status check_records(variant_check *check) {
    lam_checker *checker = check->checker;
    lam_error failure = lam_error_none();
    lam_arena arena;
    group_columns columns = {NULL, NULL, 0};
    lam_arena_init(&arena, &checker->allocator, 0);
    lam_status status = check_variants_open_columns(check, &arena, &columns, &failure);
    if (status == LAM_STATUS_OK)
        status = check_variants_read_records(check, &columns, &failure);
    for (size_t i = 0; i < columns.count; i++)
        lam_column_cursor_destroy(columns.sources[i].state);
    lam_arena_finish(&arena);
    if (check->status != LAM_STATUS_OK)
        return check->status;
    return lam_check_report_failure(checker, LAM_RULE_VARIANT_BYTES,
                                    lam_check_at_row(check->location, check->row), status,
                                    &failure);
}

/*
 * Checks one VARIANT group of the schema. A group whose structure can hold no VARIANT has been
 * reported with the schema and has no plan.
 */
static lam_status check_variants_group(lam_checker *checker, size_t row_group,
                                       const lam_field *group) {
    variant_check check;
    lam_status status;
    lam_error failure = lam_error_none();
    memset(&check, 0, sizeof check);
    check.checker = checker;
    check.location = lam_check_nowhere();
    /* unreachable: in a test, as this many row groups take a footer of 2 GiB */
    check.location.row_group = row_group <= INT32_MAX ? (int32_t)row_group : -1;
    status =
        lam_variant_gather_init(&check.gather, group, NULL, true, &checker->allocator, &failure);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_UNSUPPORTED) {
        lam_variant_gather_finish(&check.gather);
        return LAM_STATUS_OK;
    }
    /* One byte per pair of columns. */
    size_t nodes = check.gather.plan.node_count;
    if (status == LAM_STATUS_OK)
        status = LAM_ARRAY(&checker->allocator, nodes, &check.reported, &failure);
    if (status == LAM_STATUS_OK) {
        status = check_records(&check);
        lam_free(&checker->allocator, check.reported, nodes);
    } else if (checker->error != NULL) {
        *checker->error = failure;
    }
    lam_variant_gather_finish(&check.gather);
    return status;
}

/*
 * Finds the VARIANT groups, skips what is inside them, and checks those whose columns are all
 * sound.
 */
lam_status lam_check_variants(lam_checker *checker, size_t row_group, const bool *sound) {
    const lam_schema *schema = checker->schema;
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        bool whole = field->logical_type.kind == LAM_LOGICAL_VARIANT; /* a group */
        i += whole ? field->subtree_size : 1;
        for (size_t leaf = 0; whole && leaf < field->leaf_count; leaf++)
            whole = sound[field->first_leaf + leaf];
        if (whole)
            LAM_TRY(check_variants_group(checker, row_group, field));
    }
    return LAM_STATUS_OK;
}
