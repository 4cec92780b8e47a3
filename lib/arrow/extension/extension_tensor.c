/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks tensors. The parameters fix the number of dimensions, of which all other members must have
 * one element each:
 *
 *     fixed shape       "shape" has a size for each dimension; their product is the list's size
 *     variable shape    the storage's "shape" child is a list of as many int32 as dimensions
 *
 * From the storage and the parameters of a field it finds a fault, as a static text. Memory is at
 * most a byte per dimension, and dimensions are counted in the text, so short parameters never ask
 * for much. (Arrow, "Canonical Extension Types", "Fixed shape tensor", "Variable shape tensor")
 */
#include "arrow/extension/extension_tensor.h"

#include <string.h>

#include "arrow/extension/extension_parameters.h"
#include "base/error.h"

/* The elements of an array, counted by reading them. */
static size_t extension_tensor_count_of(const lam_parameter *array) {
    lam_parameter element;
    size_t position = 0;
    size_t count = 0;
    while (lam_parameter_next(array, &position, &element))
        count++;
    return count;
}

/* True for an array of one string for each dimension. */
static bool are_names(const lam_parameter *names, size_t dimensions) {
    lam_parameter name;
    size_t position = 0;
    if (names->kind != LAM_PARAMETER_ARRAY || extension_tensor_count_of(names) != dimensions)
        return false;
    while (lam_parameter_next(names, &position, &name))
        if (name.kind != LAM_PARAMETER_STRING)
            return false;
    return true;
}

/*
 * Whether an array has each number from 0 to `dimensions` - 1 once: as many elements as dimensions,
 * each in that range, and none seen before. [1, 0] is one of 2 dimensions; [1, 1] and [1, 2] are
 * not.
 */
static lam_status is_permutation(const lam_parameter *permutation, size_t dimensions,
                                 lam_arena *arena, bool *ret_is, lam_error *error) {
    lam_parameter element;
    size_t position = 0;
    int64_t index;
    uint8_t *seen;
    *ret_is = false;
    if (permutation->kind != LAM_PARAMETER_ARRAY ||
        extension_tensor_count_of(permutation) != dimensions)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARENA_ARRAY(arena, dimensions, &seen, error));
    while (lam_parameter_next(permutation, &position, &element))
        if (!lam_parameter_number(&element, 0, (int64_t)dimensions - 1, &index) || seen[index]++)
            return LAM_STATUS_OK;
    *ret_is = true;
    return LAM_STATUS_OK;
}

/*
 * Checks the members that both tensors have, dim_names and permutation; either may be missing or
 * null.
 */
static lam_status check_layout(const lam_parameter *object, size_t dimensions, lam_arena *arena,
                               const char **ret_fault, lam_error *error) {
    lam_parameter value;
    bool is = true;
    if (!lam_parameters_find(object, "dim_names", &value) ||
        (value.kind > LAM_PARAMETER_NULL && !are_names(&value, dimensions))) {
        *ret_fault = "dim_names of the tensor are not one string for each dimension";
        return LAM_STATUS_OK;
    }
    /* A duplicate key is wrong whatever its values are. */
    bool once = lam_parameters_find(object, "permutation", &value);
    if (once && value.kind > LAM_PARAMETER_NULL)
        LAM_TRY(is_permutation(&value, dimensions, arena, &is, error));
    if (!once || !is)
        *ret_fault = "permutation of the tensor is not each dimension's number once";
    return LAM_STATUS_OK;
}

/* --- Fixed shape ------------------------------------------------------------------------------ */

/*
 * The number of elements of a tensor of that shape, which is the product of its sizes, and 1 for no
 * dimensions at all; false when the array is no shape.
 */
static bool elements_of(const lam_parameter *shape, int64_t *ret_elements) {
    lam_parameter element;
    size_t position = 0;
    int64_t size;
    int64_t elements = 1;
    if (shape->kind != LAM_PARAMETER_ARRAY)
        return false;
    while (lam_parameter_next(shape, &position, &element)) {
        if (!lam_parameter_number(&element, 0, INT32_MAX, &size))
            return false;
        /* A product beyond the size of any list stays as it is, so that it cannot overflow; a later
         * dimension of size 0 still makes it 0. */
        elements = elements > INT32_MAX && size > 0 ? elements : elements * size;
    }
    *ret_elements = elements;
    return true;
}

/* The first fault that is found is reported, from the storage to the layout. */
lam_status lam_extension_fixed_tensor(const lam_arrow_field *storage, lam_bytes parameters,
                                      lam_arena *arena, const char **ret_fault, lam_error *error) {
    lam_parameter object, shape;
    int64_t elements;
    *ret_fault = NULL;
    if (storage->type.kind != LAM_ARROW_FIXED_SIZE_LIST)
        *ret_fault = "arrow.fixed_shape_tensor must be fixed_size_list";
    else if (!lam_parameters_read(parameters, &object))
        *ret_fault = "the parameters of arrow.fixed_shape_tensor are not a JSON object";
    else if (!lam_parameters_find(&object, "shape", &shape) || !elements_of(&shape, &elements))
        *ret_fault = "shape of the tensor is not an array of sizes";
    else if (elements != storage->type.fixed_size)
        *ret_fault = "the shape of the tensor does not have as many elements as its list";
    else
        return check_layout(&object, extension_tensor_count_of(&shape), arena, ret_fault, error);
    return LAM_STATUS_OK;
}

/* --- Variable shape --------------------------------------------------------------------------- */

static const lam_arrow_field *extension_tensor_child_named(const lam_arrow_field *field,
                                                           const char *name) {
    for (size_t i = 0; i < field->child_count; i++)
        if (strcmp(field->children[i].name, name) == 0)
            return &field->children[i];
    return NULL;
}

/*
 * The number of dimensions, from the storage; false when the storage is not that of a
 * variable-shape tensor.
 */
static bool dimensions_of(const lam_arrow_field *storage, size_t *ret_dimensions) {
    if (storage->type.kind != LAM_ARROW_STRUCT || storage->child_count != 2)
        return false;
    const lam_arrow_field *data = extension_tensor_child_named(storage, "data");
    const lam_arrow_field *shape = extension_tensor_child_named(storage, "shape");
    if (data == NULL || shape == NULL || data->type.kind != LAM_ARROW_LIST ||
        shape->type.kind != LAM_ARROW_FIXED_SIZE_LIST ||
        shape->children[0].type.kind != LAM_ARROW_INT32 || shape->children[0].is_dictionary)
        return false;
    *ret_dimensions = (size_t)shape->type.fixed_size;
    return true;
}

/* Whether an array has for each dimension a size, or null if the size varies. */
static bool is_uniform(const lam_parameter *shape, size_t dimensions) {
    lam_parameter element;
    size_t position = 0;
    int64_t size;
    if (shape->kind != LAM_PARAMETER_ARRAY || extension_tensor_count_of(shape) != dimensions)
        return false;
    while (lam_parameter_next(shape, &position, &element))
        if (element.kind != LAM_PARAMETER_NULL &&
            !lam_parameter_number(&element, 0, INT32_MAX, &size))
            return false;
    return true;
}

/* The storage alone says how many dimensions there are, so the parameters may be left out. */
lam_status lam_extension_variable_tensor(const lam_arrow_field *storage, lam_bytes parameters,
                                         lam_arena *arena, const char **ret_fault,
                                         lam_error *error) {
    lam_parameter object, shape;
    size_t dimensions;
    *ret_fault = NULL;
    if (!dimensions_of(storage, &dimensions))
        *ret_fault = "arrow.variable_shape_tensor must be a struct of data, a list, and shape, a "
                     "fixed_size_list of int32";
    else if (parameters.size == 0)
        return LAM_STATUS_OK;
    else if (!lam_parameters_read(parameters, &object))
        *ret_fault = "the parameters of arrow.variable_shape_tensor are not a JSON object";
    else if (!lam_parameters_find(&object, "uniform_shape", &shape) ||
             (shape.kind > LAM_PARAMETER_NULL && !is_uniform(&shape, dimensions)))
        *ret_fault = "uniform_shape of the tensor is not a size or null for each dimension";
    else
        return check_layout(&object, dimensions, arena, ret_fault, error);
    return LAM_STATUS_OK;
}
