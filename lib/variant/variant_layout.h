/*
 * The bytes of a VARIANT, read where they lie. (VariantEncoding.md)
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
 * A large object or array has a count of 4 bytes, others of 1.
 *
 * All numbers are little-endian. Offsets of names count from the first byte of the names, those of
 * values from the first byte of the values; the last one is the size of all of them.
 *
 * Everything here checks its bounds and gives NULL or the words of what is wrong; it is for the
 * caller to make an error of them.
 */
#ifndef LAM_VARIANT_VARIANT_LAYOUT_H
#define LAM_VARIANT_VARIANT_LAYOUT_H

#include <lamella/variant.h>

#include "base/bytes.h"

enum {
    LAM_VARIANT_VERSION = 1,
    LAM_VARIANT_SORTED = 16, /* in the header of metadata */
    LAM_VARIANT_BASIC_PRIMITIVE = 0,
    LAM_VARIANT_BASIC_SHORT_STRING = 1,
    LAM_VARIANT_BASIC_OBJECT = 2,
    LAM_VARIANT_BASIC_ARRAY = 3,
    LAM_VARIANT_SHORT_STRING_MAX = 63,
    LAM_VARIANT_TYPE_COUNT = 21, /* primitive types that are known */
    LAM_VARIANT_SCALE_MAX = 38
};

/* The primitive types by their number in the format. */
typedef struct lam_variant_type {
    uint8_t kind; /* lam_variant_kind */
    uint8_t size; /* bytes behind the header; of binary and string, those of their length */
} lam_variant_type;

extern const lam_variant_type lam_variant_types[LAM_VARIANT_TYPE_COUNT];

/* Of the bytes that are not negligible: 1 to 4 for a number that fits 32 bits. */
static inline unsigned lam_variant_width(uint32_t number) {
    return 1u + (number > 0xFF) + (number > 0xFFFF) + (number > 0xFFFFFF);
}

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

/* Number `index` of a list. */
static inline uint32_t lam_variant_number(const uint8_t *list, size_t index, unsigned width) {
    return lam_variant_load(list + index * width, width);
}

/* --- Metadata ------------------------------------------------------------------------------- */

typedef struct lam_variant_names_view {
    const uint8_t *offsets; /* count + 1 of them */
    const uint8_t *bytes;
    size_t size; /* of all bytes that stand there, up to the end of the run */
    size_t count;
    uint8_t width;
    bool is_sorted; /* opened: the metadata says so; validated: so it is */
} lam_variant_names_view;

/* Metadata that is well formed says that its names are sorted and unique. */
static inline bool lam_variant_says_sorted(lam_bytes metadata) {
    return (metadata.data[0] & LAM_VARIANT_SORTED) != 0;
}

/* What is wrong, or NULL. */
const char *lam_variant_open_names(lam_bytes metadata, lam_variant_names_view *ret_names);

/* False when the id or its offsets are out of bounds. */
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

/* Below, above or equal to 0 by unsigned bytes, the order of the names of an object. */
static inline int lam_variant_compare_names(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    if (common > 0 && a.data[0] != b.data[0]) /* which tells most of them apart */
        return a.data[0] < b.data[0] ? -1 : 1;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* --- Objects and arrays --------------------------------------------------------------------- */

typedef struct lam_variant_container {
    const uint8_t *ids;     /* of an object: count of them */
    const uint8_t *offsets; /* count + 1 of them */
    const uint8_t *values;
    uint32_t values_size;
    uint32_t count;
    uint8_t id_width; /* 0 for an array */
    uint8_t offset_width;
} lam_variant_container;

static inline bool lam_variant_is_container(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 2) != 0;
}

static inline bool lam_variant_is_object(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 3) == LAM_VARIANT_BASIC_OBJECT;
}

static inline bool lam_variant_is_array(lam_bytes value) {
    return value.size > 0 && (value.data[0] & 3) == LAM_VARIANT_BASIC_ARRAY;
}

/* Opens a value that is a container. What is wrong, or NULL; then all of it lies in the run. */
const char *lam_variant_open_container(lam_bytes value, lam_variant_container *ret_container);

static inline size_t lam_variant_container_size(const lam_variant_container *container,
                                                lam_bytes value) {
    return (size_t)(container->values - value.data) + container->values_size;
}

static inline uint32_t lam_variant_id_at(const lam_variant_container *object, size_t index) {
    return lam_variant_number(object->ids, index, object->id_width);
}

/*
 * Bytes of the value that `value` begins with; what is wrong, or NULL. A type that is not known
 * takes all bytes.
 */
const char *lam_variant_measure(lam_bytes value, size_t *ret_size);

/* A scalar of a known kind, of whose bytes none is missing: those that were measured. */
void lam_variant_load_scalar(lam_bytes value, lam_variant_scalar *ret_scalar);

/*
 * The bytes from a part, `index` below the count, to the end of its container: the part is what
 * they begin with, but was not measured. What is wrong, or NULL.
 */
const char *lam_variant_child_start(const lam_variant_container *container, size_t index,
                                    lam_bytes *ret_bytes);

/* The bytes of a part, `index` below the count. What is wrong, or NULL. */
const char *lam_variant_child(const lam_variant_container *container, size_t index,
                              lam_bytes *ret_value);

/*
 * Looks for a field of an object by its name: among fields in the order of their names; `find` goes
 * on with all of them, should they stand in another one. What is wrong, or NULL.
 */
const char *lam_variant_search_field(const lam_variant_names_view *names,
                                     const lam_variant_container *object, lam_bytes name,
                                     uint32_t *ret_index, bool *ret_found);
const char *lam_variant_find_field(const lam_variant_names_view *names,
                                   const lam_variant_container *object, lam_bytes name,
                                   uint32_t *ret_index, bool *ret_found);

#endif
