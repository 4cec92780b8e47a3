/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the events of records, collects those of each VARIANT group into one value, and passes all
 * others on, as the sink in the middle.
 *
 *     open event, put event.metadata, .., close event    becomes    variant(event, value)
 *     any other event                                     is passed on as it is
 *
 * The verbs of lam_record_sink come in; the same verbs and one more go out. Which groups are
 * collected is decided once, by the leaves and the projection. The invariant: between two events at
 * most one VARIANT is open, and `open` is NULL outside of it; a VARIANT never contains another one
 * in the schema. (VariantShredding.md, "Reconstructing a Shredded Variant")
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "dremel/grammar.h"
#include "record/record_failure.h"
#include "variant/shred/variant_gather.h"

struct lam_variant_assembler {
    lam_allocator allocator;
    lam_schema *schema;
    lam_variant_sink next;
    lam_variant_gather *gathers; /* one for each VARIANT that becomes a value */
    size_t gather_count;         /* those that are set up, and must be finished */
    size_t gather_capacity;
    uint32_t *gather_of;      /* by field: its gather plus 1 if it is the group of one, else 0 */
    lam_variant_gather *open; /* NULL outside of VARIANTs */
    lam_record_failure failure;
};

/* Whether all leaves of the group are marked; a NULL list marks all. */
static bool variant_assembler_is_whole(const lam_field *group, const bool *leaves) {
    for (uint32_t i = 0; leaves != NULL && i < group->leaf_count; i++)
        if (!leaves[group->first_leaf + i])
            return false;
    return true;
}

/*
 * Sets up the VARIANTs that become values: those wanted by paths of a projection, and those whose
 * columns are all read. The inside of a taken group is passed over; the inside of a group that is
 * not taken is inspected, too.
 */
static lam_status make_gathers(lam_variant_assembler *assembler, const bool *leaves,
                               const lam_variant_assembler_options *options, lam_error *error) {
    const lam_schema *schema = assembler->schema;
    size_t count = 0;
    for (size_t i = 1; i < schema->field_count; i++)
        count += schema->fields[i].logical_type.kind == LAM_LOGICAL_VARIANT;
    LAM_TRY(LAM_ARRAY(&assembler->allocator, schema->field_count, &assembler->gather_of, error));
    LAM_TRY(LAM_ARRAY(&assembler->allocator, count, &assembler->gathers, error));
    assembler->gather_capacity = count;
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        i++;
        if (field->logical_type.kind != LAM_LOGICAL_VARIANT)
            continue;
        const lam_projection_tree *tree = lam_projection_tree_of(options->projection, field);
        if (tree == NULL && !variant_assembler_is_whole(field, leaves))
            continue;
        LAM_TRY(lam_variant_gather_init(&assembler->gathers[assembler->gather_count++], field, tree,
                                        options->tolerate_conflicts, &assembler->allocator, error));
        assembler->gather_of[field->index] = (uint32_t)assembler->gather_count;
        i = field->index + field->subtree_size;
    }
    return LAM_STATUS_OK;
}

lam_status lam_variant_assembler_create(const lam_schema *schema, const bool *leaves,
                                        const lam_variant_assembler_options *options,
                                        const lam_variant_sink *next,
                                        const lam_allocator *allocator,
                                        lam_variant_assembler **ret_assembler, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_variant_assembler_options chosen;
    LAM_TRY(LAM_OPTIONS_READ(lam_variant_assembler_options, options, &chosen, error));
    if (chosen.projection != NULL && chosen.projection->schema != schema)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the projection was made for another schema");
    LAM_TRY(lam_schema_require(schema, error));
    lam_variant_assembler *assembler;
    LAM_TRY(LAM_NEW(&own, &assembler, error));
    assembler->allocator = own;
    assembler->schema = lam_schema_share(schema);
    assembler->next = *next;
    lam_record_failure_init(&assembler->failure);
    lam_status status = make_gathers(assembler, leaves, &chosen, error);
    if (status != LAM_STATUS_OK) {
        lam_variant_assembler_destroy(assembler);
        return status;
    }
    *ret_assembler = assembler;
    return LAM_STATUS_OK;
}

/* Also for an assembler that create could not finish: arrays may be NULL. */
void lam_variant_assembler_destroy(lam_variant_assembler *assembler) {
    if (assembler == NULL)
        return;
    lam_allocator allocator = assembler->allocator;
    for (size_t i = 0; i < assembler->gather_count; i++)
        lam_variant_gather_finish(&assembler->gathers[i]);
    lam_free(&allocator, assembler->gathers,
             assembler->gather_capacity * sizeof *assembler->gathers);
    lam_free(&allocator, assembler->gather_of,
             assembler->gather_of == NULL
                 ? 0
                 : assembler->schema->field_count * sizeof *assembler->gather_of);
    lam_schema_destroy(assembler->schema);
    lam_free(&allocator, assembler, sizeof *assembler);
}

bool lam_variant_assembler_takes(const lam_variant_assembler *assembler, const lam_field *group) {
    return group != NULL && group->schema == assembler->schema &&
           assembler->gather_of[group->index] != 0;
}

/* --- The verbs -------------------------------------------------------------------------------- */

/*
 * After a failure the VARIANT that was open is dropped, so that the next record starts clean, and
 * the failure is handed to the next sink.
 */
static lam_status variant_assembler_keep_failure(lam_variant_assembler *assembler,
                                                 lam_status status, lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    assembler->open = NULL;
    (void)lam_record_failure_keep(&assembler->failure, status, error);
    lam_record_sink_fail(&assembler->next.records, &assembler->failure.error);
    return status;
}

/* A record begins outside of all VARIANTs, even if the one before was never ended. */
static lam_status variant_assembler_on_begin(void *state, lam_error *error) {
    lam_variant_assembler *assembler = state;
    const lam_record_sink *next = &assembler->next.records;
    lam_record_failure_clear(&assembler->failure);
    assembler->open = NULL;
    return variant_assembler_keep_failure(
        assembler, next->begin(next->state, &assembler->failure.error), error);
}

/* Inside a VARIANT the group is one of its columns; else it may be a VARIANT itself. */
static lam_status variant_assembler_on_open(void *state, const lam_field *group, lam_error *error) {
    lam_variant_assembler *assembler = state;
    const lam_record_sink *next = &assembler->next.records;
    lam_error *kept = &assembler->failure.error;
    LAM_TRY(lam_record_failure_status(&assembler->failure));
    if (assembler->open != NULL)
        return variant_assembler_keep_failure(
            assembler, lam_variant_gather_open(assembler->open, group, kept), error);
    if (!lam_variant_assembler_takes(assembler, group))
        return variant_assembler_keep_failure(assembler, next->open(next->state, group, kept),
                                              error);
    assembler->open = &assembler->gathers[assembler->gather_of[group->index] - 1];
    return variant_assembler_keep_failure(assembler,
                                          lam_variant_gather_begin(assembler->open, kept), error);
}

static lam_status variant_assembler_on_put(void *state, const lam_field *leaf, lam_value value,
                                           lam_error *error) {
    lam_variant_assembler *assembler = state;
    const lam_record_sink *next = &assembler->next.records;
    lam_error *kept = &assembler->failure.error;
    LAM_TRY(lam_record_failure_status(&assembler->failure));
    if (assembler->open == NULL)
        return variant_assembler_keep_failure(assembler, next->put(next->state, leaf, value, kept),
                                              error);
    return variant_assembler_keep_failure(
        assembler, lam_variant_gather_put(assembler->open, leaf, value, kept), error);
}

/*
 * The group of a VARIANT is complete: `open` is reset first, as the value or the next sink may
 * fail.
 */
static lam_status end_variant(lam_variant_assembler *assembler, const lam_field *group,
                              lam_error *error) {
    lam_variant_gather *open = assembler->open;
    lam_variant variant;
    assembler->open = NULL;
    LAM_TRY(lam_variant_gather_end(open, &variant, error));
    return assembler->next.variant(assembler->next.records.state, group, variant, error);
}

static lam_status variant_assembler_on_close(void *state, const lam_field *group,
                                             lam_error *error) {
    lam_variant_assembler *assembler = state;
    const lam_record_sink *next = &assembler->next.records;
    lam_variant_gather *open = assembler->open;
    lam_error *kept = &assembler->failure.error;
    LAM_TRY(lam_record_failure_status(&assembler->failure));
    if (open == NULL)
        return variant_assembler_keep_failure(assembler, next->close(next->state, group, kept),
                                              error);
    if (!lam_variant_gather_at_top(open) || group != open->plan.group)
        return variant_assembler_keep_failure(assembler,
                                              lam_variant_gather_close(open, group, kept), error);
    return variant_assembler_keep_failure(assembler, end_variant(assembler, group, kept), error);
}

static lam_status check_outside(const lam_variant_assembler *assembler, lam_error *error) {
    if (assembler->open != NULL)
        LAM_FAIL(error, LAM_STATUS_STATE, "a record ends inside a group");
    return LAM_STATUS_OK;
}

static lam_status variant_assembler_on_end(void *state, lam_error *error) {
    lam_variant_assembler *assembler = state;
    const lam_record_sink *next = &assembler->next.records;
    lam_error *kept = &assembler->failure.error;
    lam_status status = lam_record_failure_status(&assembler->failure);
    if (status == LAM_STATUS_OK)
        status = variant_assembler_keep_failure(assembler, check_outside(assembler, kept), NULL);
    if (status != LAM_STATUS_OK)
        lam_record_sink_end_failed(next);
    else
        status = next->end(next->state, kept);
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    (void)lam_record_failure_keep(&assembler->failure, status, NULL);
    return lam_record_failure_end(&assembler->failure, error);
}

static lam_status on_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_variant_assembler *assembler = state;
    lam_status status = lam_record_failure_take(&assembler->failure, failure, error);
    assembler->open = NULL;
    lam_record_sink_fail(&assembler->next.records, &assembler->failure.error);
    return status;
}

lam_record_sink lam_variant_assembler_sink(lam_variant_assembler *assembler) {
    lam_record_sink sink = {assembler,
                            variant_assembler_on_begin,
                            variant_assembler_on_open,
                            variant_assembler_on_put,
                            variant_assembler_on_close,
                            variant_assembler_on_end,
                            on_fail};
    return sink;
}
