/*
 * VARIANT, from outside: the metadata as a whole, and of a value the part that says how long it is.
 * (VariantEncoding.md, sections "Metadata encoding" and "Value encoding")
 *
 *     metadata := header  dictionary_size  offset * (dictionary_size + 1)  bytes
 *                 version in bits 0-3, size of the numbers less 1 in bits 6-7
 *     value    := header  data
 *                 basic type in bits 0-1: primitive, short string, object, array
 *     object   := header  count  id * count  offset * (count + 1)  values
 *     array    := header  count  offset * (count + 1)  values
 */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "check/contents.h"

enum { VERSION = 1, SHORT_STRING = 1, OBJECT = 2, ARRAY = 3 };
enum { FIRST_STRING = 15, LAST_STRING = 16, LAST_PRIMITIVE = 20 };

/* Little-endian, of 1 to 4 bytes. */
static uint32_t load(const uint8_t *bytes, unsigned width) {
    uint32_t number = 0;
    for (unsigned i = 0; i < width; i++)
        number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

/* --- Metadata -------------------------------------------------------------------------------- */

/* Offsets rise from 0 to the size of what is behind them. */
static lam_status check_offsets(const uint8_t *offsets, unsigned width, uint64_t count,
                                uint64_t size, lam_error *error) {
    uint32_t before = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t offset = load(offsets + i * width, width);
        if (i == 0 ? offset != 0 : offset < before)
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "offset %" PRIu64 " of the names is %" PRIu32 ", behind %" PRIu32, i, offset,
                     before);
        before = offset;
    }
    if (before != size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the names end at byte %" PRIu32 " of %" PRIu64, before,
                 size);
    return LAM_STATUS_OK;
}

lam_status lam_variant_metadata_check(lam_bytes metadata, lam_error *error) {
    if (metadata.size == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no bytes");
    unsigned header = metadata.data[0], version = header & 0x0F, width = (header >> 6) + 1;
    if (version != VERSION)
        LAM_FAIL(error, LAM_STATUS_INVALID, "version %u", version);
    if (metadata.size < 1 + width)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu bytes, which lack the number of names",
                 metadata.size);
    uint64_t count = (uint64_t)load(metadata.data + 1, width) + 1;
    uint64_t left = metadata.size - 1 - width;
    if (count * width > left)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%" PRIu64 " offsets in %" PRIu64 " bytes", count,
                 left);
    const uint8_t *offsets = metadata.data + 1 + width;
    left -= count * width;
    LAM_TRY(check_offsets(offsets, width, count, left, error));
    if (lam_utf8_prefix(offsets + count * width, (size_t)left) < left)
        LAM_FAIL(error, LAM_STATUS_INVALID, "names that are not UTF-8");
    return LAM_STATUS_OK;
}

/* --- Values ---------------------------------------------------------------------------------- */

static lam_status check_size(uint64_t needed, uint64_t size, const char *what, lam_error *error) {
    if (needed == size)
        return LAM_STATUS_OK;
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s of %" PRIu64 " bytes in %" PRIu64, what, needed, size);
}

static lam_status check_text(const uint8_t *text, size_t size, lam_error *error) {
    if (lam_utf8_prefix(text, size) < size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a string that is not UTF-8");
    return LAM_STATUS_OK;
}

static lam_status check_primitive(lam_bytes value, lam_error *error) {
    /* Bytes behind the header, by type; binary and string have their size in front. */
    static const uint8_t sizes[LAST_PRIMITIVE + 1] = {0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17,
                                                      4, 8, 8, 4, 4, 4, 8, 8, 8, 16};
    unsigned type = value.data[0] >> 2;
    if (type > LAST_PRIMITIVE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "primitive type %u, which does not exist", type);
    uint64_t needed = 1 + (uint64_t)sizes[type];
    if (type < FIRST_STRING || type > LAST_STRING || value.size < needed)
        return check_size(needed, value.size, "a primitive value", error);
    LAM_TRY(check_size(needed + lam_load_le32(value.data + 1), value.size, "a long value", error));
    return type == LAST_STRING ? check_text(value.data + needed, value.size - (size_t)needed, error)
                               : LAM_STATUS_OK;
}

/* Objects and arrays: up to the last offset, which says where the values end. */
static lam_status check_nested(lam_bytes value, bool is_object, lam_error *error) {
    unsigned header = value.data[0] >> 2;
    unsigned offset_width = (header & 3) + 1;
    unsigned id_width = is_object ? (header >> 2 & 3) + 1 : 0;
    unsigned count_width = (header >> (is_object ? 4 : 2) & 1) != 0 ? 4 : 1;
    if (value.size < 1 + count_width)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu bytes, which lack the number of elements",
                 value.size);
    uint64_t count = load(value.data + 1, count_width);
    uint64_t start = 1 + count_width + count * (id_width + offset_width) + offset_width;
    if (start > value.size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%" PRIu64 " elements in %zu bytes", count, value.size);
    uint32_t end = load(value.data + start - offset_width, offset_width);
    return check_size(start + end, value.size, is_object ? "an object" : "an array", error);
}

lam_status lam_variant_value_check(lam_bytes value, lam_error *error) {
    if (value.size == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no bytes");
    unsigned header = value.data[0] >> 2;
    switch (value.data[0] & 3) {
    case SHORT_STRING:
        LAM_TRY(check_size(1 + (uint64_t)header, value.size, "a short string", error));
        return check_text(value.data + 1, value.size - 1, error);
    case OBJECT:
    case ARRAY:
        return check_nested(value, (value.data[0] & 3) == OBJECT, error);
    default:
        return check_primitive(value, error);
    }
}
