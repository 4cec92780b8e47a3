/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a VARIANT, read in place. (VariantEncoding.md, "Metadata encoding", "Value
 * encoding")
 *
 *     metadata  | header | size | offset 0 .. offset size | names |
 *     value     | header | data |
 *     object    data: | count | id 0 .. id count-1 | offset 0 .. offset count | values |
 *     array     data: | count | offset 0 .. offset count | values |
 *
 * The bits of the headers, from the lowest on; a width is in bytes, less 1:
 *
 *     metadata          4 version, 1 names are sorted, 1 unused, 2 width of size and offsets
 *     0 primitive       2 basic type, 6 type
 *     1 short string    2 basic type, 6 length
 *     2 object          2 basic type, 2 width of offsets, 2 width of ids, 1 large, 1 unused
 *     3 array           2 basic type, 2 width of offsets, 1 large, 3 unused
 *
 * A large object or array has a count of 4 bytes, any other one of 1 byte. For example:
 *
 *     {"a": 7}   metadata   01 01 00 01 61     version 1, 1 name, offsets 0 and 1, "a"
 *                value      02 01 00 00 02 0C 07
 *                           object, 1 field, id 0, offsets 0 and 2, int8 7
 *
 * All numbers are little-endian. Offsets of names count from the first byte of the names, those of
 * values from the first byte of the values; the last one is the size of all of them.
 *
 * Every function here checks its bounds and gives NULL or a few words about the problem; the caller
 * turns these into an error with a status and, if it has one, a path or an offset.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_LAYOUT_H
#define LAM_VARIANT_VALUE_VARIANT_LAYOUT_H

#include <lamella/variant.h>

#include "base/bytes.h"

enum {
    LAM_VARIANT_VERSION = 1,
    LAM_VARIANT_SORTED = 16, /* in the header of metadata */
    /* The basic types: the lowest two bits of the first byte of a value. */
    LAM_VARIANT_BASIC_PRIMITIVE = 0,
    LAM_VARIANT_BASIC_SHORT_STRING = 1,
    LAM_VARIANT_BASIC_OBJECT = 2,
    LAM_VARIANT_BASIC_ARRAY = 3,
    LAM_VARIANT_SHORT_STRING_MAX = 63, /* bytes: the length has 6 bits */
    LAM_VARIANT_TYPE_COUNT = 21,       /* primitive types that are known */
    LAM_VARIANT_SCALE_MAX = 38         /* digits after the point of a decimal */
};

/* One primitive type of the format. The table below is indexed by the number in the header. */
typedef struct lam_variant_type {
    uint8_t kind; /* lam_variant_kind */
    uint8_t size; /* bytes after the header; for binary and string, only those of the length */
} lam_variant_type;

extern const lam_variant_type lam_variant_types[LAM_VARIANT_TYPE_COUNT];

/* Bytes that hold the number without leading zeros: 1 to 4, as an offset or an id has them. */
static inline unsigned lam_variant_width(uint32_t number) {
    return 1u + (number > 0xFF) + (number > 0xFFFF) + (number > 0xFFFFFF);
}

/*
 * Loads a little-endian number of 1 to 4 bytes. The caller has checked that all of them are there.
 */
static inline uint32_t lam_variant_load(const uint8_t *at, unsigned width) {
    switch (width) {
    case 1:
        return at[0];
    case 2:
        return lam_load_le16(at);
    case 3:
        return lam_load_le16(at) | (uint32_t)at[2] << 16;
    default:
        return lam_load_le32(at);
    }
}

/* Loads number `index` of a list of ids or offsets, all of the same width. */
static inline uint32_t lam_variant_number(const uint8_t *list, size_t index, unsigned width) {
    return lam_variant_load(list + index * width, width);
}

/* --- Metadata ------------------------------------------------------------------------------- */

/*
 * The names of a dictionary, in place. The lists are inside the metadata once it is opened; each
 * single offset is checked when it is used.
 */
typedef struct lam_variant_names_view {
    const uint8_t *offsets; /* count + 1 of them */
    const uint8_t *bytes;
    size_t size; /* bytes from the first name to the end of the metadata */
    size_t count;
    uint8_t width;  /* bytes of an offset */
    bool is_sorted; /* opened: the metadata claims it; validated: it is true */
} lam_variant_names_view;

/*
 * Whether metadata claims that its names are sorted and unique. The metadata has at least one byte.
 */
static inline bool lam_variant_says_sorted(lam_bytes metadata) {
    return (metadata.data[0] & LAM_VARIANT_SORTED) != 0;
}

/*
 * Opens metadata of version 1 and finds its lists. Gives the problem, or NULL for none. The empty
 * dictionary `01 00`, which lacks its one offset, is accepted.
 */
const char *lam_variant_open_names(lam_bytes metadata, lam_variant_names_view *ret_names);
/*
 * The error code of metadata that did not open: a version other than 1 is UNSUPPORTED, as a later
 * specification may define it; all else is CORRUPT.
 */
lam_error_code lam_variant_names_code(lam_bytes metadata);

/*
 * Gives a name by its id. False when the id is out of range, or when its offsets fall or point past
 * the end.
 */
static inline bool lam_variant_name_at(const lam_variant_names_view *names, size_t id,
                                       lam_bytes *ret_name) {
    if (id >= names->count)
        return false;
    uint32_t start = lam_variant_number(names->offsets, id, names->width);
    uint32_t end = lam_variant_number(names->offsets, id + 1, names->width);
    if (start > end || end > names->size)
        return false;
    ret_name->data = names->bytes + start;
    ret_name->size = end - start;
    return true;
}

/*
 * Below, above or equal to 0 in the order of unsigned bytes, which is the order that the format
 * demands for the fields of an object and for a sorted dictionary.
 */
static inline int lam_variant_compare_names(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    if (common > 0 && a.data[0] != b.data[0]) /* decides most comparisons without a call */
        return a.data[0] < b.data[0] ? -1 : 1;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* --- Objects and arrays --------------------------------------------------------------------- */

/*
 * An object or array, in place. Once it is opened, its lists and all of its values are inside the
 * bytes from which it was opened.
 */
typedef struct lam_variant_container {
    const uint8_t *ids;     /* of an object: count of them */
    const uint8_t *offsets; /* count + 1 of them; the last one is values_size */
    const uint8_t *values;  /* the first byte, which the offsets count from */
    uint32_t values_size;   /* bytes of all values */
    uint32_t count;         /* fields or elements */
    uint8_t id_width;       /* bytes of an id; 0 for an array */
    uint8_t offset_width;   /* bytes of an offset */
} lam_variant_container;

/* Whether the value is an object or array: basic types 2 and 3 share the second bit. */
static inline bool lam_variant_is_container(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 2) != 0;
}

static inline bool lam_variant_is_object(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 3) == LAM_VARIANT_BASIC_OBJECT;
}

static inline bool lam_variant_is_array(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 3) == LAM_VARIANT_BASIC_ARRAY;
}

/*
 * Opens a value that is an object or array. Gives the problem, or NULL, after which the header, the
 * lists and `values_size` bytes of values are known to be inside `value`. The single offsets are
 * not checked yet.
 */
const char *lam_variant_open_container(lam_bytes value, lam_variant_container *ret_container);

/* Bytes from the header to the end of the values; `value` is what the container was opened from. */
static inline size_t lam_variant_container_size(const lam_variant_container *container,
                                                lam_bytes value) {
    return (size_t)(container->values - value.data) + container->values_size;
}

/* The id of a field, `index` below the count. It may be out of range for the dictionary. */
static inline uint32_t lam_variant_id_at(const lam_variant_container *object, size_t index) {
    return lam_variant_number(object->ids, index, object->id_width);
}

/*
 * Gives the number of bytes that the value at the front of `value` takes. Returns the problem, or
 * NULL. A value of an unknown primitive type takes all bytes, as its size cannot be known.
 */
const char *lam_variant_measure(lam_bytes value, size_t *ret_size);

/*
 * Gives the field at an index in the order of names, from 0, and its name, borrowed from the
 * metadata; `ret_name` may be NULL. NOT_FOUND behind the last; the other errors of
 * lam_variant_field.
 */
lam_status lam_variant_field_at(lam_variant object, size_t index, lam_bytes *ret_name,
                                lam_variant *ret_value, lam_error *error);

/*
 * Reads a scalar of a known kind. `value` is exactly its bytes, as lam_variant_measure found them.
 */
void lam_variant_load_scalar(lam_bytes value, lam_variant_scalar *ret_scalar);

/*
 * Gives the bytes from a child, `index` below the count, to the end of its container. They begin
 * with the child, which is not measured. Returns the problem, or NULL.
 */
const char *lam_variant_child_start(const lam_variant_container *container, size_t index,
                                    lam_bytes *ret_bytes);

/*
 * Gives the bytes of a child, `index` below the count: lam_variant_child_start, measured. Returns
 * the problem, or NULL.
 */
const char *lam_variant_child(const lam_variant_container *container, size_t index,
                              lam_bytes *ret_value);

/*
 * Searches an object for a field by its name. `search` expects the fields in the order of their
 * names, as the format demands; `find` tries that first and then compares all of them, for objects
 * of writers that ignore the order. `*ret_index` counts only if `*ret_found`. Returns the problem,
 * or NULL.
 */
const char *lam_variant_search_field(const lam_variant_names_view *names,
                                     const lam_variant_container *object, lam_bytes name,
                                     uint32_t *ret_index, bool *ret_found);
const char *lam_variant_find_field(const lam_variant_names_view *names,
                                   const lam_variant_container *object, lam_bytes name,
                                   uint32_t *ret_index, bool *ret_found);

#endif
