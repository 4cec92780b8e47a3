/*
 * The sink in the middle: takes the events of records, collects those of each VARIANT group into
 * one value, and passes all others on.
 *
 *     open event, put event.metadata, .., close event    becomes    variant(event, value)
 *     any other event                                     is passed on as it is
 *
 * In come the verbs of lam_record_sink; out go the same verbs and one more. Which groups are
 * collected is decided once, by the leaves and the projection. The invariant: between two events at
 * most one VARIANT is open, and `open` is NULL outside of it; a VARIANT never contains another one
 * in the schema. (VariantShredding.md, "Reconstructing a Shredded Variant")
 */
#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"
#include "variant/variant_gather.h"

struct lam_variant_assembler {
    lam_allocator allocator;
    const lam_schema *schema;
    lam_variant_sink next;
    lam_variant_gather *gathers; /* one for each VARIANT that becomes a value */
    size_t gather_count;         /* those that are set up, and must be finished */
    size_t gather_capacity;
    uint32_t *gather_of;      /* by field: its gather plus 1 if it is the group of one, else 0 */
    lam_variant_gather *open; /* NULL outside of VARIANTs */
};

/* Whether all leaves of the group are marked; a NULL list marks all. */
static bool is_whole(const lam_field *group, const bool *leaves) {
    for (uint32_t i = 0; leaves != NULL && i < group->leaf_count; i++)
        if (!leaves[group->first_leaf + i])
            return false;
    return true;
}

/*
 * Sets up the VARIANTs that become values: those wanted by paths of a projection, and those of
 * which every column is read. What is inside of a taken group is passed over; what is inside of a
 * group that is not taken is inspected too.
 */
static lam_status make_gathers(lam_variant_assembler *assembler, const bool *leaves,
                               const lam_variant_assembler_options *options, lam_error *error) {
    const lam_schema *schema = assembler->schema;
    void *memory;
    size_t count = 0;
    for (size_t i = 1; i < schema->field_count; i++)
        count += schema->fields[i].logical_type.kind == LAM_LOGICAL_VARIANT;
    LAM_TRY(lam_alloc_array(&assembler->allocator, schema->field_count, sizeof(uint32_t), &memory,
                            error));
    assembler->gather_of = memory;
    LAM_TRY(
        lam_alloc_array(&assembler->allocator, count, sizeof(lam_variant_gather), &memory, error));
    assembler->gathers = memory;
    assembler->gather_capacity = count;
    for (size_t i = 1; i < schema->field_count;) {
        const lam_field *field = &schema->fields[i];
        i++;
        if (field->logical_type.kind != LAM_LOGICAL_VARIANT)
            continue;
        const lam_variant_wish *wish = lam_projection_wish(options->projection, field);
        if (wish == NULL && !is_whole(field, leaves))
            continue;
        LAM_TRY(lam_variant_gather_init(&assembler->gathers[assembler->gather_count++], field, wish,
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
    lam_variant_assembler_options chosen = lam_variant_assembler_options_default();
    void *memory;
    if (options != NULL)
        chosen = *options;
    if (chosen.struct_size != sizeof chosen)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "options of a variant assembler have the wrong struct_size");
    if (chosen.projection != NULL && chosen.projection->schema != schema)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the projection was made for another schema");
    LAM_TRY(lam_alloc_array(&own, 1, sizeof(lam_variant_assembler), &memory, error));
    lam_variant_assembler *assembler = memory;
    assembler->allocator = own;
    assembler->schema = schema;
    assembler->next = *next;
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
    lam_free(&allocator, assembler, sizeof *assembler);
}

bool lam_variant_assembler_takes(const lam_variant_assembler *assembler, const lam_field *group) {
    return group != NULL && group->schema == assembler->schema &&
           assembler->gather_of[group->index] != 0;
}

/* --- The verbs -------------------------------------------------------------------------------- */

/* After a failure the VARIANT that was open is dropped, so that the next record starts clean. */
static lam_status settle(lam_variant_assembler *assembler, lam_status status) {
    if (status != LAM_STATUS_OK)
        assembler->open = NULL;
    return status;
}

/* A record begins outside of all VARIANTs, even if the one before was never ended. */
static lam_status on_begin(void *state, lam_error *error) {
    lam_variant_assembler *assembler = state;
    assembler->open = NULL;
    return assembler->next.records.begin(assembler->next.records.state, error);
}

/* Inside of a VARIANT the group is one of its columns; else it may be a VARIANT itself. */
static lam_status on_open(void *state, const lam_field *group, lam_error *error) {
    lam_variant_assembler *assembler = state;
    if (assembler->open != NULL)
        return settle(assembler, lam_variant_gather_open(assembler->open, group, error));
    if (!lam_variant_assembler_takes(assembler, group))
        return assembler->next.records.open(assembler->next.records.state, group, error);
    assembler->open = &assembler->gathers[assembler->gather_of[group->index] - 1];
    return settle(assembler, lam_variant_gather_begin(assembler->open, error));
}

static lam_status on_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_variant_assembler *assembler = state;
    if (assembler->open == NULL)
        return assembler->next.records.put(assembler->next.records.state, leaf, value, error);
    return settle(assembler, lam_variant_gather_put(assembler->open, leaf, value, error));
}

/*
 * The close of the VARIANT's own group ends it: `open` is reset first, as the value or the next
 * sink may fail.
 */
static lam_status on_close(void *state, const lam_field *group, lam_error *error) {
    lam_variant_assembler *assembler = state;
    lam_variant_gather *open = assembler->open;
    lam_variant variant;
    if (open == NULL)
        return assembler->next.records.close(assembler->next.records.state, group, error);
    if (!lam_variant_gather_at_top(open) || group != open->plan.group)
        return settle(assembler, lam_variant_gather_close(open, group, error));
    assembler->open = NULL;
    LAM_TRY(lam_variant_gather_end(open, &variant, error));
    return assembler->next.variant(assembler->next.records.state, group, variant, error);
}

/*
 * The grammar of records demands that groups are closed; the check is for callers without a
 * grammar.
 */
static lam_status on_end(void *state, lam_error *error) {
    lam_variant_assembler *assembler = state;
    if (assembler->open != NULL) {
        assembler->open = NULL;
        LAM_FAIL(error, LAM_STATUS_STATE, "a record ends inside a group");
    }
    return assembler->next.records.end(assembler->next.records.state, error);
}

lam_record_sink lam_variant_assembler_sink(lam_variant_assembler *assembler) {
    lam_record_sink sink = {assembler, on_begin, on_open, on_put, on_close, on_end};
    return sink;
}
