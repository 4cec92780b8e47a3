/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the sample of an inference: takes options, and records or single values, and gives
 * counts of paths.
 *
 * A record comes through the sink: an assembler makes values of its VARIANT groups, which are
 * validated and counted in the tree of their group; all other fields are ignored. A value can be
 * added directly, too. The invariant: no value is counted once sample_bytes are spent, and none
 * through the sink after sample_records, while the sink still accepts records. All memory but the
 * handle itself comes from the budget. (VariantShredding.md)
 */
#include "variant/infer/variant_infer.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/search.h"

/* The meaning of 0 in an option, as in variant_inference.h. */
enum {
    DEFAULT_DEPTH = 16,
    DEFAULT_COLUMNS = 500,
    DEFAULT_PATHS = 20000,
    DEFAULT_RECORDS = 16384,
    DEFAULT_BYTES = 8 << 20,
    DEFAULT_MEMORY = 1 << 30
};

static const double DEFAULT_PRESENCE = 0.05, DEFAULT_UNIFORMITY = 0.5;

/* --- Options ---------------------------------------------------------------------------------- */

/* Checks a share and puts in its default. The comparison is written so that a NaN fails. */
static lam_status take_share(const char *name, double initial, double *share, lam_error *error) {
    if (!(*share >= 0 && *share <= 1))
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s is %g, not a share above 0 and up to 1", name,
                 *share);
    *share = *share == 0 ? initial : *share;
    return LAM_STATUS_OK;
}

/* Checks the options and puts in the defaults. */
static lam_status take_options(const lam_variant_inference_options *given,
                               lam_variant_inference_options *chosen, lam_error *error) {
    LAM_TRY(LAM_OPTIONS_READ(lam_variant_inference_options, given, chosen, error));
    LAM_TRY(take_share("min_presence", DEFAULT_PRESENCE, &chosen->min_presence, error));
    LAM_TRY(take_share("min_uniformity", DEFAULT_UNIFORMITY, &chosen->min_uniformity, error));
    if (chosen->max_depth > LAM_VARIANT_INFERENCE_DEPTH_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a depth of %u is above %d",
                 (unsigned)chosen->max_depth, LAM_VARIANT_INFERENCE_DEPTH_MAX);
    if (chosen->max_columns > LAM_VARIANT_INFERENCE_COLUMNS_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%u columns are more than %d",
                 (unsigned)chosen->max_columns, LAM_VARIANT_INFERENCE_COLUMNS_MAX);
    if (chosen->max_paths > LAM_VARIANT_INFERENCE_PATHS_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu paths are more than %d", chosen->max_paths,
                 LAM_VARIANT_INFERENCE_PATHS_MAX);
    if (chosen->memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes",
                 chosen->memory_limit);
    chosen->max_depth += chosen->max_depth == 0 ? DEFAULT_DEPTH : 0;
    chosen->max_columns += chosen->max_columns == 0 ? DEFAULT_COLUMNS : 0;
    chosen->max_paths += chosen->max_paths == 0 ? DEFAULT_PATHS : 0;
    chosen->sample_records += chosen->sample_records == 0 ? DEFAULT_RECORDS : 0;
    chosen->sample_bytes += chosen->sample_bytes == 0 ? DEFAULT_BYTES : 0;
    chosen->memory_limit += chosen->memory_limit == 0 ? DEFAULT_MEMORY : 0;
    return LAM_STATUS_OK;
}

lam_status lam_variant_inference_chosen(const lam_variant_inference *inference,
                                        lam_variant_inference_options *ret_options,
                                        lam_error *error) {
    return LAM_INFO_WRITE(lam_variant_inference_options, &inference->options, ret_options, error);
}

/* --- Which VARIANTs are inferred -------------------------------------------------------------- */

/* Whether columns are inferred for a field: VARIANTs that have a typed_value keep it. */
static bool is_inferred(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_VARIANT &&
           lam_field_child_named(field, "typed_value", strlen("typed_value")) == NULL;
}

/* Sets up a tree for each VARIANT, once the group is known to hold one. */
static lam_status find_variants(lam_variant_inference *inference, lam_error *error) {
    const lam_schema *schema = inference->schema;
    size_t count = 0;
    for (size_t i = 1; i < schema->field_count; i++)
        count += is_inferred(&schema->fields[i]);
    LAM_TRY(LAM_ARRAY(&inference->allocator, count, &inference->variants, error));
    inference->variant_capacity = count;
    for (size_t i = 1; i < schema->field_count; i++) {
        if (!is_inferred(&schema->fields[i]))
            continue;
        LAM_TRY(lam_variant_check_group(&schema->fields[i], LAM_VARIANT_READ, error));
        LAM_TRY(lam_variant_paths_init(&inference->variants[inference->variant_count++],
                                       &schema->fields[i], &inference->options,
                                       &inference->allocator, error));
    }
    return LAM_STATUS_OK;
}

/* Binary search by the index of the group. */
const lam_variant_paths *lam_variant_paths_of(const lam_variant_inference *inference,
                                              const lam_field *group) {
    size_t at, count = inference->variant_count;
    if (group == NULL || group->schema != inference->schema)
        return NULL;
    LAM_BISECT(at, 0, count, inference->variants[at].group->index < group->index);
    return at < count && inference->variants[at].group == group ? &inference->variants[at] : NULL;
}

bool lam_variant_inference_is_full(const lam_variant_inference *inference) {
    return inference->records >= inference->options.sample_records ||
           inference->bytes >= inference->options.sample_bytes;
}

/*
 * Validates with decimals of any width, as early writers left them. The last value may be larger
 * than the bytes left in the sample: its bytes count as these, and all of its values are counted.
 */
lam_status lam_variant_inference_add(lam_variant_inference *inference, const lam_field *group,
                                     lam_variant variant, lam_error *error) {
    const lam_variant_paths *found = lam_variant_paths_of(inference, group);
    if (found == NULL || inference->bytes >= inference->options.sample_bytes)
        return LAM_STATUS_OK;
    LAM_TRY(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, error));
    size_t left = inference->options.sample_bytes - inference->bytes;
    size_t size = variant.value.size;
    inference->bytes += size < left ? size : left;
    return lam_variant_paths_count(&inference->variants[found - inference->variants], variant,
                                   error);
}

/* --- As a sink -------------------------------------------------------------------------------- */

/* Events outside of VARIANTs are of no interest here, but a sink must have all verbs. */
static lam_status variant_infer_on_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status on_group(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)group;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status variant_infer_on_put(void *state, const lam_field *leaf, lam_value value,
                                       lam_error *error) {
    (void)value;
    return on_group(state, leaf, error);
}

/* Only records that end count, so a record that fails halfway does not use up the sample. */
static lam_status variant_infer_on_end(void *state, lam_error *error) {
    (void)error;
    ((lam_variant_inference *)state)->records++;
    return LAM_STATUS_OK;
}

/* Records beyond the sample still arrive, from a caller that replays an entire file. */
static lam_status on_variant(void *state, const lam_field *group, lam_variant variant,
                             lam_error *error) {
    lam_variant_inference *inference = state;
    if (inference->records >= inference->options.sample_records)
        return LAM_STATUS_OK;
    return lam_variant_inference_add(inference, group, variant, error);
}

lam_record_sink lam_variant_inference_sink(lam_variant_inference *inference) {
    return lam_variant_assembler_sink(inference->assembler);
}

/*
 * --- The inference -----------------------------------------------------------------------------
 */

lam_status lam_variant_inference_create(const lam_schema *schema,
                                        const lam_variant_inference_options *options,
                                        const lam_allocator *allocator,
                                        lam_variant_inference **ret_inference, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_variant_inference_options chosen;
    lam_status status;
    LAM_TRY(take_options(options, &chosen, error));
    LAM_TRY(lam_schema_require(schema, error));
    lam_variant_inference *inference;
    LAM_TRY(LAM_NEW(&own, &inference, error));
    lam_budget_init(&inference->budget, &own, (size_t)chosen.memory_limit);
    inference->allocator = lam_budget_allocator(&inference->budget);
    inference->options = chosen;
    inference->schema = lam_schema_share(schema);
    lam_arena_init(&inference->arena, &inference->allocator, 0);
    lam_variant_sink next = {{inference, variant_infer_on_begin, on_group, variant_infer_on_put,
                              on_group, variant_infer_on_end, NULL},
                             on_variant};
    LAM_TRY_OUT(find_variants(inference, error));
    LAM_TRY_OUT(lam_variant_assembler_create(schema, NULL, NULL, &next, &inference->allocator,
                                             &inference->assembler, error));
    *ret_inference = inference;
    return LAM_STATUS_OK;
out:
    lam_variant_inference_destroy(inference);
    return status;
}

/*
 * Also for an inference that create could not finish. The handle itself is not drawn on the budget.
 */
void lam_variant_inference_destroy(lam_variant_inference *inference) {
    if (inference == NULL)
        return;
    lam_allocator own = inference->budget.beneath, allocator = inference->allocator;
    lam_variant_assembler_destroy(inference->assembler);
    for (size_t i = 0; i < inference->variant_count; i++)
        lam_variant_paths_finish(&inference->variants[i]);
    if (inference->variants != NULL)
        lam_free(&allocator, inference->variants,
                 inference->variant_capacity * sizeof *inference->variants);
    lam_arena_finish(&inference->arena);
    lam_schema_destroy(inference->schema);
    lam_free(&own, inference, sizeof *inference);
}
