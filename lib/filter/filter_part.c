#include "filter/filter_part.h"

#include "base/error.h"

/* The chain on its way down. */
typedef struct finder {
    const lam_variant_plan *plan;
    lam_filter_part *part;
    const lam_field *chain[LAM_SCHEMA_DEPTH_MAX + 1];
    lam_filter_guard guards[LAM_SCHEMA_DEPTH_MAX + 1];
    size_t length;
    bool passes_array; /* of the VARIANT */
} finder;

static void add(finder *it, const lam_field *field) {
    it->chain[it->length++] = field;
    it->guards[it->length] = (lam_filter_guard){NULL, 0};
}

lam_status lam_filter_locate_part(const lam_schema *schema, const char *path,
                                  lam_variant_location *ret_location, lam_error *error) {
    lam_variant_location location;
    LAM_TRY(lam_variant_locate(schema, path, true, &location, error));
    if (!lam_is_variant_group(location.field))
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.150s' is no VARIANT, nor inside of one",
                 path);
    *ret_location = location;
    return LAM_STATUS_OK;
}

/* --- The path ------------------------------------------------------------------------------ */

static lam_status copy_step(lam_arena *arena, lam_bytes name, lam_part_step *step,
                            lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(arena, name.data, name.size, &copy, error));
    step->name.data = (const uint8_t *)copy;
    step->name.size = name.size;
    return LAM_STATUS_OK;
}

static lam_status take_steps(const char *rest, lam_arena *arena, lam_buffer *name,
                             lam_filter_part *part, lam_error *error) {
    lam_part_step steps[LAM_VARIANT_DEPTH_MAX];
    size_t count = 0;
    void *memory;
    for (; *rest != '\0'; count++) {
        if (count + 1 == LAM_VARIANT_DEPTH_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                     LAM_VARIANT_DEPTH_MAX - 1);
        LAM_TRY(lam_variant_take_step(&rest, true, name, &steps[count].elements, error));
        LAM_TRY(copy_step(arena, lam_buffer_bytes(name), &steps[count], error));
    }
    LAM_TRY(lam_arena_array(arena, count, sizeof *steps, &memory, error));
    if (count > 0)
        memcpy(memory, steps, count * sizeof *steps);
    part->steps = memory;
    part->step_count = count;
    return LAM_STATUS_OK;
}

/* --- The chain ----------------------------------------------------------------------------- */

/* The groups down to the VARIANT. */
static void add_groups(finder *it, const lam_field *variant) {
    const lam_field *groups[LAM_SCHEMA_DEPTH_MAX + 1];
    size_t count = 0;
    for (const lam_field *field = variant; field->index != 0; field = lam_parent_of(field))
        groups[count++] = field;
    it->guards[0] = (lam_filter_guard){NULL, 0};
    while (count > 0) {
        add(it, groups[--count]);
        if (groups[count]->repetition == LAM_REPETITION_REPEATED)
            it->part->slot_length = it->length;
    }
}

static void enter_field(finder *it, const lam_variant_node_plan *pair, uint32_t field) {
    add(it, pair->typed);
    add(it, it->plan->nodes[field].field);
}

static void enter_elements(finder *it, const lam_variant_node_plan *pair) {
    add(it, pair->typed);
    add(it, pair->list);
    add(it, it->plan->nodes[pair->parts].field);
    it->passes_array = true;
}

/* Goes from a pair of value and typed_value to the next one on the path; false at the last. */
static bool go_on(finder *it, uint32_t *node, size_t *at) {
    lam_filter_part *part = it->part;
    const lam_variant_node_plan *pair = &it->plan->nodes[*node];
    const lam_part_step *step = *at < part->step_count ? &part->steps[*at] : NULL;
    bool is_array = pair->form == LAM_VARIANT_TYPED_ARRAY;
    if (step != NULL && !step->elements && pair->form == LAM_VARIANT_TYPED_OBJECT) {
        uint32_t found = lam_variant_plan_find(it->plan, *node, step->name);
        if (found != LAM_VARIANT_NO_NODE) {
            enter_field(it, pair, found);
            *node = found;
            ++*at;
            return true;
        }
    }
    bool is_through = step != NULL && step->elements;
    if (!is_through || !is_array)
        it->guards[it->length] = (lam_filter_guard){pair->value, *at};
    if (is_array && (is_through || (step == NULL && part->question == LAM_PART_COMPARES))) {
        enter_elements(it, pair);
        *node = pair->parts;
        *at += is_through;
        return true;
    }
    part->ends_in_guard = step != NULL || pair->form == LAM_VARIANT_UNTYPED;
    if (!part->ends_in_guard)
        add(it, pair->typed);
    return false;
}

static const lam_field *first_leaf_of(const lam_field *field) {
    return lam_leaf_at(field->schema, field->first_leaf);
}

static void find_chain(finder *it, lam_variant_kind *ret_kind) {
    lam_filter_part *part = it->part;
    uint32_t node = 0;
    size_t at = 0;
    *ret_kind = LAM_VARIANT_UNKNOWN;
    add_groups(it, part->variant);
    if (part->question == LAM_PART_IS_MISSING && part->step_count == 0) {
        part->last_leaf = it->plan->metadata;
        part->has_leaf_test = true;
        return;
    }
    while (go_on(it, &node, &at))
        ;
    const lam_variant_node_plan *last = &it->plan->nodes[node];
    bool has_value = last->value != NULL, is_scalar = last->form == LAM_VARIANT_TYPED_SCALAR;
    part->is_element = node != 0 && !last->is_field && at == part->step_count;
    if (part->ends_in_guard) {
        part->last_leaf = has_value ? last->value : first_leaf_of(last->field);
        part->has_leaf_test = has_value;
    } else {
        part->last_leaf = first_leaf_of(last->typed);
        part->has_leaf_test = is_scalar || part->question != LAM_PART_COMPARES;
        if (is_scalar)
            *ret_kind = (lam_variant_kind)last->kind;
    }
    if (part->question != LAM_PART_COMPARES && it->passes_array)
        part->has_leaf_test = false; /* levels of the leaf do not tell no list from an empty one */
}

/* Names that lead on from a guard are looked up with the metadata. */
static bool needs_metadata(const finder *it) {
    for (size_t i = 0; i <= it->length; i++)
        for (size_t at = it->guards[i].step;
             it->guards[i].value != NULL && at < it->part->step_count; at++)
            if (!it->part->steps[at].elements)
                return true;
    return false;
}

static lam_status keep_chain(const finder *it, lam_arena *arena, lam_error *error) {
    void *chain, *guards;
    LAM_TRY(lam_arena_array(arena, it->length, sizeof *it->chain, &chain, error));
    LAM_TRY(lam_arena_array(arena, it->length + 1, sizeof *it->guards, &guards, error));
    memcpy(chain, it->chain, it->length * sizeof *it->chain);
    memcpy(guards, it->guards, (it->length + 1) * sizeof *it->guards);
    it->part->chain = chain;
    it->part->chain_length = it->length;
    it->part->guards = guards;
    it->part->metadata = needs_metadata(it) ? it->plan->metadata : NULL;
    return LAM_STATUS_OK;
}

lam_status lam_filter_part_find(const lam_variant_location *location, lam_arena *arena,
                                lam_filter_part *part, lam_variant_kind *ret_kind,
                                lam_error *error) {
    lam_status status;
    lam_variant_plan plan;
    lam_buffer name;
    finder it;
    it.plan = &plan;
    it.part = part;
    it.length = 0;
    it.passes_array = false;
    part->variant = location->field;
    LAM_TRY(
        lam_variant_plan_init(&plan, location->field, LAM_VARIANT_READ, &arena->allocator, error));
    lam_buffer_init(&name, &arena->allocator);
    LAM_TRY_OUT(take_steps(location->rest, arena, &name, part, error));
    find_chain(&it, ret_kind);
    LAM_TRY_OUT(keep_chain(&it, arena, error));
out:
    lam_buffer_finish(&name);
    lam_variant_plan_finish(&plan);
    return status;
}

void lam_filter_part_null_test(lam_filter_part *part, lam_filter_test *test) {
    const lam_field *slot = part->slot_length == 0 ? NULL : part->chain[part->slot_length - 1];
    test->kind = part->is_turned ? LAM_TEST_NOT_NULL : LAM_TEST_NULL;
    test->leaf = part->last_leaf;
    test->present_definition = part->ends_in_guard
                                   ? part->last_leaf->max_definition
                                   : part->chain[part->chain_length - 1]->max_definition;
    test->slot_definition = slot == NULL ? 0 : slot->max_definition;
    test->slot_repetition = slot == NULL ? 0 : slot->max_repetition;
    test->part = part;
}

/* --- Values -------------------------------------------------------------------------------- */

static bool is_among(const lam_reading_list *list, const lam_variant_scalar *scalar) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lam_reading_compare(scalar, &list->items[middle]);
        if (order == 0)
            return true;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

uint8_t lam_filter_part_compare(const lam_filter_part *part, const lam_variant_scalar *scalar) {
    lam_reading_class kind = lam_reading_class_of(scalar->kind);
    if (kind == LAM_READING_NO_CLASS || part->readings[kind].count == 0)
        return LAM_OUTCOME_UNKNOWN;
    const lam_reading_list *list = &part->readings[kind];
    bool is_true =
        part->comparison == LAM_TEST_IN
            ? is_among(list, scalar)
            : lam_test_passes(part->comparison, lam_reading_compare(scalar, &list->items[0]));
    return is_true ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}
