/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens, measures and searches the bytes of metadata and values; variant_layout.h draws them.
 *
 * Takes bytes as they are in a file, and gives pointers into them, without copies or allocations.
 * The invariant: whatever the bytes hold, no function reads outside of the run that it is given,
 * and a view that is handed out covers only lists that were checked to be in the run. Sizes are
 * added in 64 bits and compared with the bytes left, so that a count of 2^32 - 1 in a header can
 * neither overflow nor be believed. (VariantEncoding.md, "Metadata encoding", "Value encoding")
 */
#include "variant/value/variant_layout.h"

#include "base/search.h"

static const char ends_early[] = "a value ends early";

/*
 * The index is the type number in the header of a primitive value; a time or timestamp in
 * microseconds or nanoseconds is a kind of its own. (VariantEncoding.md, "Encoding types")
 */
const lam_variant_type lam_variant_types[LAM_VARIANT_TYPE_COUNT] = {
    {LAM_VARIANT_NULL, 0},
    {LAM_VARIANT_BOOLEAN, 0}, /* true */
    {LAM_VARIANT_BOOLEAN, 0}, /* false */
    {LAM_VARIANT_INT8, 1},
    {LAM_VARIANT_INT16, 2},
    {LAM_VARIANT_INT32, 4},
    {LAM_VARIANT_INT64, 8},
    {LAM_VARIANT_DOUBLE, 8},
    {LAM_VARIANT_DECIMAL4, 5},
    {LAM_VARIANT_DECIMAL8, 9},
    {LAM_VARIANT_DECIMAL16, 17},
    {LAM_VARIANT_DATE, 4},
    {LAM_VARIANT_TIMESTAMP, 8},
    {LAM_VARIANT_TIMESTAMP_NTZ, 8},
    {LAM_VARIANT_FLOAT, 4},
    {LAM_VARIANT_BINARY, 4},
    {LAM_VARIANT_STRING, 4},
    {LAM_VARIANT_TIME, 8},
    {LAM_VARIANT_TIMESTAMP_NANOS, 8},
    {LAM_VARIANT_TIMESTAMP_NTZ_NANOS, 8},
    {LAM_VARIANT_UUID, 16},
};

lam_error_code lam_variant_names_code(lam_bytes metadata) {
    bool later = metadata.size > 0 && (metadata.data[0] & 15) != LAM_VARIANT_VERSION;
    return later ? LAM_ERROR_CODE_UNSUPPORTED_VARIANT : LAM_ERROR_CODE_VARIANT_BYTES;
}

/*
 * The header is one byte, so the size follows at 1 and the offsets at 1 + width. The division
 * avoids the product (count + 1) * width, which a hostile count would make as large as 2^34.
 */
const char *lam_variant_open_names(lam_bytes metadata, lam_variant_names_view *ret_names) {
    static const uint8_t no_offset[4] = {0};
    if (metadata.size == 0)
        return "metadata without bytes";
    unsigned header = metadata.data[0];
    unsigned width = (header >> 6) + 1;
    size_t left = metadata.size - 1;
    if ((header & 15) != LAM_VARIANT_VERSION)
        return "metadata of a version other than 1";
    if (left < width)
        return "metadata that ends early";
    const uint8_t *offsets = metadata.data + 1 + width;
    uint32_t count = lam_variant_load(metadata.data + 1, width);
    left -= width;
    lam_variant_names_view names = {offsets, NULL,           0,
                                    count,   (uint8_t)width, (header & LAM_VARIANT_SORTED) != 0};
    if (count == 0 && left == 0) { /* `01 00`: some writers leave out the one offset */
        names.offsets = no_offset;
        names.bytes = offsets;
    } else if (left / width < (uint64_t)count + 1) {
        return "metadata that ends early";
    } else {
        names.bytes = offsets + ((size_t)count + 1) * width;
        names.size = left - ((size_t)count + 1) * width;
    }
    *ret_names = names;
    return NULL;
}

/*
 * The value has at least one byte: the basic type was read from it. The last offset is the size of
 * all values; it must not exceed the bytes left, which makes every offset below it safe to follow.
 */
const char *lam_variant_open_container(lam_bytes value, lam_variant_container *ret_container) {
    unsigned header = value.data[0] >> 2;
    bool is_object = (value.data[0] & 3) == LAM_VARIANT_BASIC_OBJECT;
    bool is_large = header & (is_object ? 16 : 4);
    size_t count_width = is_large ? 4 : 1;
    size_t left = value.size - 1;
    if (left < count_width)
        return ends_early;
    left -= count_width;
    unsigned id_width = is_object ? (header >> 2 & 3) + 1 : 0, offset_width = (header & 3) + 1;
    uint32_t count = lam_variant_load(value.data + 1, (unsigned)count_width);
    /* At most 2^32 * 8 + 4, so no overflow in 64 bits. */
    uint64_t lists = (uint64_t)count * (id_width + offset_width) + offset_width;
    if (lists > left)
        return ends_early;
    const uint8_t *ids = value.data + 1 + count_width;
    const uint8_t *offsets = ids + (size_t)count * id_width;
    uint32_t values_size = lam_variant_number(offsets, count, offset_width);
    if (values_size > left - (size_t)lists)
        return ends_early;
    ret_container->ids = ids;
    ret_container->offsets = offsets;
    ret_container->values = ids + (size_t)lists;
    ret_container->values_size = values_size;
    ret_container->count = count;
    ret_container->id_width = (uint8_t)id_width;
    ret_container->offset_width = (uint8_t)offset_width;
    return NULL;
}

/*
 * Only the header of a container is read: its size follows from the last offset, so measuring takes
 * constant time however deep the value is nested.
 */
const char *lam_variant_measure(lam_bytes value, size_t *ret_size) {
    if (value.size == 0)
        return ends_early;
    unsigned header = value.data[0] >> 2;
    lam_variant_container container;
    const char *problem;
    uint64_t size;
    switch (value.data[0] & 3) {
    case LAM_VARIANT_BASIC_PRIMITIVE:
        if (header >= LAM_VARIANT_TYPE_COUNT) {
            *ret_size = value.size;
            return NULL;
        }
        size = 1 + (uint64_t)lam_variant_types[header].size;
        /* After the 4 bytes of the length; with fewer than 5 bytes the test below fails anyway. */
        if (lam_variant_types[header].kind == LAM_VARIANT_BINARY ||
            lam_variant_types[header].kind == LAM_VARIANT_STRING)
            size += value.size < 5 ? 0 : lam_load_le32(value.data + 1);
        break;
    case LAM_VARIANT_BASIC_SHORT_STRING:
        size = 1 + (uint64_t)header;
        break;
    default:
        problem = lam_variant_open_container(value, &container);
        if (problem != NULL)
            return problem;
        size = lam_variant_container_size(&container, value);
    }
    if (size > value.size)
        return ends_early;
    *ret_size = (size_t)size;
    return NULL;
}

/* An offset equal to values_size would be a child without bytes, which no value is. */
const char *lam_variant_child_start(const lam_variant_container *container, size_t index,
                                    lam_bytes *ret_bytes) {
    uint32_t offset = lam_variant_number(container->offsets, index, container->offset_width);
    if (offset >= container->values_size)
        return "an offset outside of its object or array";
    ret_bytes->data = container->values + offset;
    ret_bytes->size = container->values_size - offset;
    return NULL;
}

const char *lam_variant_child(const lam_variant_container *container, size_t index,
                              lam_bytes *ret_value) {
    lam_bytes value = {NULL, 0};
    const char *problem = lam_variant_child_start(container, index, &value);
    if (problem == NULL)
        problem = lam_variant_measure(value, &value.size);
    if (problem == NULL)
        *ret_value = value;
    return problem;
}

/*
 * Binary search by name, which reads one name of the dictionary per step: at most 33 for the
 * largest object. Fields that are not in order can be missed, but bounds are kept all the same.
 */
const char *lam_variant_search_field(const lam_variant_names_view *names,
                                     const lam_variant_container *object, lam_bytes name,
                                     uint32_t *ret_index, bool *ret_found) {
    const char *problem = NULL;
    lam_bytes found;
    size_t at;
    LAM_BISECT_EQUAL(at, 0, object->count,
                     lam_variant_name_at(names, lam_variant_id_at(object, (uint32_t)at), &found)
                         ? lam_variant_compare_names(found, name)
                         : (problem = "a field id that the metadata does not have", 0));
    *ret_found = problem == NULL && at < object->count;
    if (*ret_found)
        *ret_index = (uint32_t)at;
    return problem;
}

const char *lam_variant_find_field(const lam_variant_names_view *names,
                                   const lam_variant_container *object, lam_bytes name,
                                   uint32_t *ret_index, bool *ret_found) {
    const char *problem = lam_variant_search_field(names, object, name, ret_index, ret_found);
    if (problem != NULL)
        return problem;
    /* Not there, or not in order: compare all of them, and ignore ids without a name. */
    for (uint32_t i = 0; i < object->count && !*ret_found; i++) {
        lam_bytes found = {NULL, 0};
        *ret_found = lam_variant_name_at(names, lam_variant_id_at(object, i), &found) &&
                     found.size == name.size && lam_variant_compare_names(found, name) == 0;
        *ret_index = i;
    }
    return NULL;
}
