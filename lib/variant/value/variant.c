/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views VARIANT values: the functions of lamella/variant.h for reading, on top of variant_layout.h.
 *
 * Takes a view, which is two borrowed runs of bytes, and gives a scalar, a child or a name, which
 * are borrowed, too. Each call reads and checks the bytes that it needs, so it takes time for one
 * header or one child and not for the entire value; only a field by its name costs a binary search.
 * The invariant: bytes of any content give a status, never an access outside of the two runs, with
 * or without validation before. (VariantEncoding.md, "Value encoding")
 */
#include <lamella/variant.h>

#include "base/error.h"
#include "variant/value/variant_layout.h"

/* In the order of the enumerators. A number out of range, which a caller may cast, is "unknown". */
const char *lam_variant_kind_name(lam_variant_kind kind) {
    static const char *const names[] = {"null",
                                        "boolean",
                                        "int8",
                                        "int16",
                                        "int32",
                                        "int64",
                                        "float",
                                        "double",
                                        "decimal4",
                                        "decimal8",
                                        "decimal16",
                                        "date",
                                        "time",
                                        "timestamp",
                                        "timestamp_ntz",
                                        "timestamp_nanos",
                                        "timestamp_ntz_nanos",
                                        "binary",
                                        "string",
                                        "uuid",
                                        "object",
                                        "array",
                                        "unknown"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

/* Makes an error of the words that the functions of variant_layout.h return. */
static lam_status variant_corrupt(const char *problem, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
}

/*
 * The status when a value is not of the kind that the caller asks for: no bytes at all are CORRUPT,
 * an unknown type is UNSUPPORTED, any other kind is the fault of the caller.
 */
static lam_status of_other_kind(lam_variant variant, const char *expected, lam_error *error) {
    lam_variant_kind kind = lam_variant_kind_of(variant);
    if (kind == LAM_VARIANT_UNKNOWN && variant.value.size == 0)
        return variant_corrupt("a value ends early", error);
    LAM_FAIL(error,
             kind == LAM_VARIANT_UNKNOWN ? LAM_ERROR_CODE_UNSUPPORTED_VARIANT
                                         : LAM_ERROR_CODE_VARIANT_KIND,
             "variant: expected %s, found %s", expected, lam_variant_kind_name(kind));
}

/* From the first byte alone: the kind is known even if the value ends early. */
lam_variant_kind lam_variant_kind_of(lam_variant variant) {
    if (variant.value.size == 0)
        return LAM_VARIANT_UNKNOWN;
    unsigned type = variant.value.data[0] >> 2;
    switch (variant.value.data[0] & 3) {
    case LAM_VARIANT_BASIC_PRIMITIVE:
        return type < LAM_VARIANT_TYPE_COUNT ? (lam_variant_kind)lam_variant_types[type].kind
                                             : LAM_VARIANT_UNKNOWN;
    case LAM_VARIANT_BASIC_SHORT_STRING:
        return LAM_VARIANT_STRING;
    case LAM_VARIANT_BASIC_OBJECT:
        return LAM_VARIANT_OBJECT;
    default:
        return LAM_VARIANT_ARRAY;
    }
}

/* --- Scalars -------------------------------------------------------------------------------- */

/* Loads a little-endian number of 1, 2, 4 or 8 bytes and extends its sign. */
static int64_t load_signed(const uint8_t *at, size_t size) {
    switch (size) {
    case 1:
        return (int8_t)at[0];
    case 2:
        return (int16_t)lam_load_le16(at);
    case 4:
        return (int32_t)lam_load_le32(at);
    default:
        return (int64_t)lam_load_le64(at);
    }
}

/*
 * Loads the scale, one byte, and the unscaled number in 4, 8 or 16 bytes. The scale is not checked
 * here: only lam_variant_validate does.
 */
static void variant_load_decimal(const uint8_t *at, size_t size, lam_decimal *ret_decimal) {
    ret_decimal->scale = at[0];
    if (size == 17) {
        ret_decimal->low = lam_load_le64(at + 1);
        ret_decimal->high = (int64_t)lam_load_le64(at + 9);
    } else {
        int64_t unscaled = load_signed(at + 1, size - 1);
        ret_decimal->low = (uint64_t)unscaled;
        ret_decimal->high = unscaled < 0 ? -1 : 0;
    }
}

/* Reads a primitive value, `size` bytes with its header, all of them present. */
static void load_primitive(const uint8_t *value, size_t size, lam_variant_scalar *ret_scalar) {
    const uint8_t *at = value + 1;
    const lam_variant_type *type = &lam_variant_types[value[0] >> 2];
    uint32_t bits;
    uint64_t wide_bits;
    ret_scalar->kind = (lam_variant_kind)type->kind;
    switch (ret_scalar->kind) {
    case LAM_VARIANT_NULL:
        break;
    case LAM_VARIANT_BOOLEAN:
        ret_scalar->as.boolean = value[0] >> 2 == 1; /* type 1 is true, 2 is false */
        break;
    case LAM_VARIANT_FLOAT:
        bits = lam_load_le32(at);
        memcpy(&ret_scalar->as.float32, &bits, sizeof bits);
        break;
    case LAM_VARIANT_DOUBLE:
        wide_bits = lam_load_le64(at);
        memcpy(&ret_scalar->as.float64, &wide_bits, sizeof wide_bits);
        break;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        variant_load_decimal(at, type->size, &ret_scalar->as.decimal);
        break;
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_STRING:
        ret_scalar->as.bytes.data = at + 4; /* after the length, which determines `size` */
        ret_scalar->as.bytes.size = size - 5;
        break;
    case LAM_VARIANT_UUID:
        ret_scalar->as.bytes.data = at;
        ret_scalar->as.bytes.size = 16;
        break;
    default: /* integers, dates and times */
        ret_scalar->as.integer = load_signed(at, type->size);
    }
}

/*
 * Each member is stored where it is read: assembling a scalar first and copying all of it would
 * wait for the narrow stores.
 */
void lam_variant_load_scalar(lam_bytes value, lam_variant_scalar *ret_scalar) {
    if ((value.data[0] & 3) != LAM_VARIANT_BASIC_SHORT_STRING) {
        load_primitive(value.data, value.size, ret_scalar);
        return;
    }
    ret_scalar->kind = LAM_VARIANT_STRING;
    ret_scalar->as.bytes.data = value.data + 1;
    ret_scalar->as.bytes.size = value.size - 1;
}

/* UNKNOWN is the last enumerator, after OBJECT and ARRAY, so one comparison refuses all three. */
lam_status lam_variant_get(lam_variant variant, lam_variant_scalar *ret_scalar, lam_error *error) {
    lam_bytes value = {variant.value.data, 0};
    lam_variant_kind kind = lam_variant_kind_of(variant);
    if (kind >= LAM_VARIANT_OBJECT)
        return of_other_kind(variant, "a scalar", error);
    const char *problem = lam_variant_measure(variant.value, &value.size);
    if (problem != NULL)
        return variant_corrupt(problem, error);
    lam_variant_load_scalar(value, ret_scalar);
    return LAM_STATUS_OK;
}

/* --- Objects and arrays --------------------------------------------------------------------- */

/* Opens an object or array, with an error for any other kind. */
static lam_status variant_open_container(lam_variant variant, lam_variant_container *ret_container,
                                         lam_error *error) {
    if (!lam_variant_is_container(variant.value))
        return of_other_kind(variant, "an object or array", error);
    const char *problem = lam_variant_open_container(variant.value, ret_container);
    return problem == NULL ? LAM_STATUS_OK : variant_corrupt(problem, error);
}

static lam_status open_object(lam_variant variant, lam_variant_container *ret_object,
                              lam_error *error) {
    if (!lam_variant_is_object(variant.value))
        return of_other_kind(variant, "an object", error);
    return variant_open_container(variant, ret_object, error);
}

static lam_status variant_open_names(lam_bytes metadata, lam_variant_names_view *ret_names,
                                     lam_error *error) {
    const char *problem = lam_variant_open_names(metadata, ret_names);
    if (problem != NULL)
        LAM_FAIL(error, lam_variant_names_code(metadata), "variant: %s", problem);
    return LAM_STATUS_OK;
}

/* Gives a child of a container as a view, which has the metadata of the entire value. */
static lam_status child_of(lam_variant whole, const lam_variant_container *container, size_t index,
                           lam_variant *ret_child, lam_error *error) {
    lam_bytes value;
    const char *problem = lam_variant_child(container, index, &value);
    if (problem != NULL)
        return variant_corrupt(problem, error);
    ret_child->metadata = whole.metadata;
    ret_child->value = value;
    return LAM_STATUS_OK;
}

/* Gives the name of the field `index` of an object. */
static lam_status variant_name_of(const lam_variant_names_view *names,
                                  const lam_variant_container *object, size_t index,
                                  lam_bytes *ret_name, lam_error *error) {
    if (!lam_variant_name_at(names, lam_variant_id_at(object, index), ret_name))
        return variant_corrupt("a field id that the metadata does not have", error);
    return LAM_STATUS_OK;
}

lam_status lam_variant_count(lam_variant variant, size_t *ret_count, lam_error *error) {
    lam_variant_container container;
    LAM_TRY(variant_open_container(variant, &container, error));
    *ret_count = container.count;
    return LAM_STATUS_OK;
}

/*
 * The binary search alone: an object whose fields are not in order may hide the name, as the header
 * of this function says. The message holds at most 80 bytes of the name.
 */
lam_status lam_variant_field(lam_variant object, const char *name, size_t size,
                             lam_variant *ret_value, lam_error *error) {
    lam_variant_container container;
    lam_variant_names_view names;
    const lam_bytes wanted = {(const uint8_t *)name, size};
    uint32_t index;
    bool found;
    LAM_TRY(open_object(object, &container, error));
    LAM_TRY(variant_open_names(object.metadata, &names, error));
    const char *problem = lam_variant_search_field(&names, &container, wanted, &index, &found);
    if (problem != NULL)
        return variant_corrupt(problem, error);
    if (found)
        return child_of(object, &container, index, ret_value, error);
    LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_NOT_FOUND, "variant: the object has no field \"%.*s\"",
             (int)(size < 80 ? size : 80), name == NULL ? "" : name);
}

lam_status lam_variant_field_at(lam_variant object, size_t index, lam_bytes *ret_name,
                                lam_variant *ret_value, lam_error *error) {
    lam_variant_container container;
    lam_variant_names_view names;
    lam_variant child;
    LAM_TRY(open_object(object, &container, error));
    if (index >= container.count)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_NOT_FOUND,
                 "variant: the object has %lu fields, no field %zu", (unsigned long)container.count,
                 index);
    /* Into a local first: the output must not change when the name fails. */
    LAM_TRY(child_of(object, &container, index, &child, error));
    if (ret_name != NULL) {
        LAM_TRY(variant_open_names(object.metadata, &names, error));
        LAM_TRY(variant_name_of(&names, &container, index, ret_name, error));
    }
    *ret_value = child;
    return LAM_STATUS_OK;
}

lam_status lam_variant_element(lam_variant array, size_t index, lam_variant *ret_value,
                               lam_error *error) {
    lam_variant_container container;
    if (!lam_variant_is_array(array.value))
        return of_other_kind(array, "an array", error);
    LAM_TRY(variant_open_container(array, &container, error));
    if (index >= container.count)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_NOT_FOUND,
                 "variant: the array has %lu elements, no element %zu",
                 (unsigned long)container.count, index);
    return child_of(array, &container, index, ret_value, error);
}

/* Only the count is kept; every step opens the container again, which reads its header alone. */
lam_status lam_variant_iterate(lam_variant variant, lam_variant_iterator *ret_iterator,
                               lam_error *error) {
    size_t count;
    LAM_TRY(lam_variant_count(variant, &count, error));
    ret_iterator->variant = variant;
    ret_iterator->next = 0;
    ret_iterator->count = count;
    return LAM_STATUS_OK;
}

lam_status lam_variant_next(lam_variant_iterator *iterator, lam_bytes *ret_name,
                            lam_variant *ret_value, bool *ret_more, lam_error *error) {
    bool more = iterator->next < iterator->count;
    if (more && lam_variant_is_object(iterator->variant.value)) {
        LAM_TRY(
            lam_variant_field_at(iterator->variant, iterator->next, ret_name, ret_value, error));
    } else if (more) {
        LAM_TRY(lam_variant_element(iterator->variant, iterator->next, ret_value, error));
        if (ret_name != NULL)
            memset(ret_name, 0, sizeof *ret_name);
    }
    iterator->next += more;
    *ret_more = more;
    return LAM_STATUS_OK;
}
