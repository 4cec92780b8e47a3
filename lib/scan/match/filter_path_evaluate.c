/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches the bytes of a residual value for the remaining steps of a path, and raises the outcome
 * of the record with the values found there. Takes a VARIANT value as a file holds it, unchecked,
 * and the steps that the columns have not taken; gives an outcome, or CORRUPT.
 *
 *     path items[].price, value {"items": [{"price": 5}, {"name": "x"}]}
 *     follow: into items           an array, and [] comes next: open it
 *     element 0: into price        5: compare
 *     element 1: into price        missing: unknown
 *
 * Invariants: arrays are on a stack of fixed depth, not of calls, and the elements visited at one
 * depth are together no longer than the value. The search ends at the first TRUE, since outcomes
 * only rise. (VariantEncoding.md, "Value encoding")
 */
#include <string.h>

#include "base/error.h"
#include "scan/condition/filter_path.h"

/*
 * An open array. `taken` counts the bytes of the elements so far: never more than the array has, so
 * that a hostile file cannot multiply the work by elements that share bytes, once per level of
 * nesting.
 */
typedef struct filter_path_evaluate_frame {
    const uint8_t *array; /* its bytes end with those of the entire value, at most */
    uint32_t count;       /* elements */
    uint32_t next;        /* the element to take next */
    uint32_t step;        /* the step that follows the elements */
    uint32_t taken;       /* bytes */
} filter_path_evaluate_frame;

/*
 * The open arrays; the innermost is the current one, and the one around it is opened again after
 * it.
 */
typedef struct array_stack {
    const uint8_t *end; /* of the bytes of the entire value */
    size_t depth;
    size_t at_hand; /* `depth` when `innermost` is the array on top */
    lam_variant_container innermost;
    filter_path_evaluate_frame frames[LAM_VARIANT_DEPTH_MAX];
} array_stack;

/* The path, the names of the value, and the outcome so far. */
typedef struct value_search {
    const lam_filter_path *path;
    const lam_variant_names_view *names;
    uint8_t outcome;
} value_search;

static lam_status filter_path_evaluate_corrupt(const char *problem, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
}

static void filter_path_evaluate_raise_to(value_search *search, uint8_t outcome) {
    search->outcome = search->outcome > outcome ? search->outcome : outcome;
}

/*
 * Replaces an object by its field of that name. Leaves `*value` empty if the path is missing: no
 * such field, or not an object.
 */
static lam_status filter_path_evaluate_enter_field(const value_search *search, lam_bytes name,
                                                   lam_bytes *value, lam_error *error) {
    lam_variant_container object;
    uint32_t index = 0;
    bool found = false;
    const char *problem = NULL;
    if (lam_variant_is_object(*value)) {
        problem = lam_variant_open_container(*value, &object);
        if (problem == NULL)
            problem = lam_variant_find_field(search->names, &object, name, &index, &found);
        if (problem == NULL && found)
            problem = lam_variant_child(&object, index, value);
    }
    if (!found)
        value->size = 0;
    return problem == NULL ? LAM_STATUS_OK : filter_path_evaluate_corrupt(problem, error);
}

/*
 * Takes the steps that are names. Stops after the last step, before a [], or where the path is
 * missing: then `*value` is empty, as it is when [] meets a value that is not an array.
 */
static lam_status follow(const value_search *search, size_t *step, lam_bytes *value,
                         lam_error *error) {
    const lam_filter_path *path = search->path;
    while (*step < path->step_count && value->size > 0 && !path->steps[*step].elements)
        LAM_TRY(
            filter_path_evaluate_enter_field(search, path->steps[(*step)++].name, value, error));
    if (*step < path->step_count && !lam_variant_is_array(*value))
        value->size = 0;
    return LAM_STATUS_OK;
}

/*
 * Raises the outcome with the value at the end of the path, which is empty if the path is missing.
 * Missing values, nulls and containers compare as unknown; nulls do so because no literal has their
 * class.
 */
static lam_status compare_value(value_search *search, lam_bytes value, lam_error *error) {
    const lam_filter_path *path = search->path;
    bool is_there = value.size > 0;
    if (path->question == LAM_PATH_COMPARES) {
        uint8_t outcome = LAM_OUTCOME_UNKNOWN;
        lam_variant_scalar scalar;
        if (is_there && !lam_variant_is_container(value)) {
            LAM_TRY(lam_variant_get((lam_variant){{NULL, 0}, value}, &scalar, error));
            outcome = lam_filter_path_compare(path, &scalar);
        }
        filter_path_evaluate_raise_to(search, outcome);
        return LAM_STATUS_OK;
    }
    if (is_there && path->question == LAM_PATH_IS_NULL)
        is_there = lam_variant_kind_of((lam_variant){{NULL, 0}, value}) != LAM_VARIANT_NULL;
    if (is_there == path->is_turned)
        filter_path_evaluate_raise_to(search, LAM_OUTCOME_TRUE);
    return LAM_STATUS_OK;
}

/* Pushes an array. The depth is checked, as a hostile value may nest as deep as its bytes allow. */
static lam_status open_array(array_stack *arrays, lam_bytes value, size_t step, lam_error *error) {
    if (arrays->depth == LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: nested deeper than %d",
                 LAM_VARIANT_DEPTH_MAX);
    const char *problem = lam_variant_open_container(value, &arrays->innermost);
    if (problem != NULL)
        return filter_path_evaluate_corrupt(problem, error);
    arrays->frames[arrays->depth++] =
        (filter_path_evaluate_frame){value.data, arrays->innermost.count, 0, (uint32_t)step, 0};
    arrays->at_hand = arrays->depth;
    return LAM_STATUS_OK;
}

/* Takes the next element of the array on top. */
static lam_status take_element(array_stack *arrays, lam_bytes *ret_value, lam_error *error) {
    filter_path_evaluate_frame *top = &arrays->frames[arrays->depth - 1];
    const char *problem = NULL;
    if (arrays->at_hand != arrays->depth) {
        const lam_bytes array = {top->array, (size_t)(arrays->end - top->array)};
        problem = lam_variant_open_container(array, &arrays->innermost);
        arrays->at_hand = arrays->depth;
    }
    /* unreachable: the array was opened before, in bytes that are no more than these */
    if (problem == NULL)
        problem = lam_variant_child(&arrays->innermost, top->next++, ret_value);
    if (problem != NULL)
        return filter_path_evaluate_corrupt(problem, error);
    if (ret_value->size > arrays->innermost.values_size - top->taken)
        return filter_path_evaluate_corrupt("elements that share bytes", error);
    top->taken += (uint32_t)ret_value->size;
    return LAM_STATUS_OK;
}

/* Closes arrays whose elements are all taken. False when none is left open. */
static bool close_arrays(array_stack *arrays) {
    const filter_path_evaluate_frame *frames = arrays->frames;
    while (arrays->depth > 0 && frames[arrays->depth - 1].next == frames[arrays->depth - 1].count)
        arrays->depth--;
    return arrays->depth > 0;
}

/*
 * One round per value: follow names, then open an array or compare; then take the next element of
 * the innermost array that still has one. A comparison reaches into an array even at the end of the
 * path, which then means its elements; an empty one does not raise the outcome.
 */
lam_status lam_filter_path_evaluate(const lam_filter_path *path, size_t step,
                                    const lam_variant_names_view *names, lam_bytes value,
                                    uint8_t *outcome, lam_error *error) {
    array_stack arrays;
    value_search search = {path, names, *outcome};
    arrays.depth = arrays.at_hand = 0;
    if (value.size == 0)
        return filter_path_evaluate_corrupt("no bytes", error);
    arrays.end = value.data + value.size;
    while (search.outcome != LAM_OUTCOME_TRUE) {
        LAM_TRY(follow(&search, &step, &value, error));
        bool is_through = step < path->step_count; /* at a [], and then an array or missing */
        if (lam_variant_is_array(value) && (is_through || path->question == LAM_PATH_COMPARES))
            LAM_TRY(open_array(&arrays, value, step + is_through, error));
        else
            LAM_TRY(compare_value(&search, value, error));
        if (!close_arrays(&arrays))
            break;
        step = arrays.frames[arrays.depth - 1].step;
        LAM_TRY(take_element(&arrays, &value, error));
    }
    *outcome = search.outcome;
    return LAM_STATUS_OK;
}
