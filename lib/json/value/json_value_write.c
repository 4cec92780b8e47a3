/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints values of leaves as JSON, in the forms that json_value_read.c reads: takes a lam_value and
 * the meaning of its leaf, and appends text to a buffer.
 *
 * Most values have LAM_JSON_SCALAR_ROOM bytes reserved first and then print without a check;
 * strings, bytes and decimals, whose length is open, reserve their own. A file may hold values that
 * their annotation does not allow, such as a time outside of the day: they print in another form
 * that reads back to the same value, rather than fail. (LogicalTypes.md; json.h draws the forms)
 */
#include <lamella/json.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "text/decimal_text.h"
#include "text/json_string.h"
#include "text/number_text.h"
#include "text/time_text.h"
#include "json/parse/json_scalar.h"
#include "json/value/json_value.h"

/* Copies a word without its NUL. */
static size_t json_value_put(char *out, const char *text) {
    size_t size = strlen(text);
    memcpy(out, text, size);
    return size;
}

/*
 * An exponent of all ones is NaN, or an infinity if the fraction is 0. (LogicalTypes.md, "FLOAT16")
 */
static size_t put_half(char *out, lam_bytes value) {
    uint16_t bits = lam_load_le16(value.data);
    if ((bits & 0x7C00) == 0x7C00)
        return lam_json_put_special(out, (bits & 0x3FF) != 0, bits >> 15);
    return lam_half_print(bits, out);
}

/*
 * Three little-endian unsigned integers of 32 bits. (LogicalTypes.md, "INTERVAL")
 *
 *     01 00 00 00  02 00 00 00  03 00 00 00     {"months":1,"days":2,"millis":3}
 */
static size_t put_interval(char *out, lam_bytes value) {
    static const char *const names[] = {"{\"months\":", ",\"days\":", ",\"millis\":"};
    size_t size = 0;
    for (size_t i = 0; i < 3; i++) {
        size += json_value_put(out + size, names[i]);
        size += lam_uint64_print(lam_load_le32(value.data + 4 * i), out + size);
    }
    return size + json_value_put(out + size, "}");
}

/* Unscaled integers of 32 and 64 bits, or big-endian bytes of any length. */
static lam_status json_value_write_decimal(lam_buffer *text, const lam_field *leaf, lam_value value,
                                           lam_error *error) {
    int32_t scale = leaf->logical_type.scale;
    if (leaf->physical_type == LAM_PHYSICAL_INT32)
        return lam_decimal_print_int64(text, value.int32, scale, error);
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        return lam_decimal_print_int64(text, value.int64, scale, error);
    return lam_decimal_print_bytes(text, value.bytes, scale, error);
}

/* An UNKNOWN leaf has no values; if a file has one even so, it prints as its physical type. */
static lam_status write_physical(lam_buffer *text, const lam_field *leaf, lam_value value,
                                 lam_json_binary binary, lam_error *error) {
    /*
     * A copy without the annotation, for this call alone. Text that is not UTF-8 cannot come up:
     * the type has no text.
     */
    struct lam_field plain = *leaf;
    plain.logical_type.kind = LAM_LOGICAL_NONE;
    return lam_json_value_write(text, &plain, lam_json_meaning_of(&plain), value, binary, false,
                                error);
}

/*
 * Bytes of fixed length are checked first, as the forms below read that many bytes; the value may
 * come from a caller of lam_json_print_value.
 */
lam_status lam_json_value_write(lam_buffer *text, const lam_field *leaf, lam_json_meaning meaning,
                                lam_value value, lam_json_binary binary, bool replace_invalid,
                                lam_error *error) {
    if ((leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
         leaf->physical_type == LAM_PHYSICAL_INT96) &&
        value.bytes.size != (size_t)leaf->type_length)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_SIZE, "expected %d bytes, found %zu",
                 (int)leaf->type_length, value.bytes.size);
    LAM_TRY(lam_buffer_reserve(text, LAM_JSON_SCALAR_ROOM, error));
    char *out = (char *)text->data + text->size;
    bool wide = leaf->physical_type == LAM_PHYSICAL_INT64;
    const lam_logical_type *type = &leaf->logical_type;
    switch (meaning) {
    case LAM_JSON_MEANS_BOOLEAN:
        text->size += json_value_put(out, value.boolean ? "true" : "false");
        break;
    case LAM_JSON_MEANS_INT32:
        text->size += lam_int64_print(value.int32, out);
        break;
    case LAM_JSON_MEANS_INT64:
        text->size += lam_int64_print(value.int64, out);
        break;
    case LAM_JSON_MEANS_UINT32:
        text->size += lam_uint64_print((uint32_t)value.int32, out);
        break;
    case LAM_JSON_MEANS_UINT64:
        text->size += lam_uint64_print((uint64_t)value.int64, out);
        break;
    case LAM_JSON_MEANS_FLOAT:
        text->size += lam_json_put_float(out, value.float32);
        break;
    case LAM_JSON_MEANS_DOUBLE:
        text->size += lam_json_put_double(out, value.float64);
        break;
    case LAM_JSON_MEANS_FLOAT16:
        text->size += put_half(out, value.bytes);
        break;
    case LAM_JSON_MEANS_DECIMAL:
        return json_value_write_decimal(text, leaf, value, error);
    case LAM_JSON_MEANS_TEXT:
    case LAM_JSON_MEANS_FREE:
        return lam_json_string_print(text, value.bytes.data, value.bytes.size, replace_invalid,
                                     error);
    case LAM_JSON_MEANS_BYTES:
        return lam_json_bytes_write(text, value.bytes, binary, replace_invalid, error);
    case LAM_JSON_MEANS_DATE:
        text->size += lam_json_put_date(out, value.int32);
        break;
    case LAM_JSON_MEANS_TIME:
        text->size += lam_json_put_time(out, wide ? value.int64 : value.int32, type->unit);
        break;
    case LAM_JSON_MEANS_TIMESTAMP:
        text->size += lam_json_put_timestamp(out, value.int64, type->unit, type->adjusted_to_utc);
        break;
    case LAM_JSON_MEANS_TIMESTAMP_96:
        text->size +=
            lam_json_put_timestamp_96(out, value.bytes.data, type->unit, type->adjusted_to_utc);
        break;
    case LAM_JSON_MEANS_INT96:
        text->size += lam_json_put_int96(out, value.bytes.data);
        break;
    case LAM_JSON_MEANS_UUID:
        text->size += lam_json_put_uuid(out, value.bytes.data);
        break;
    case LAM_JSON_MEANS_INTERVAL:
        text->size += put_interval(out, value.bytes);
        break;
    default: /* LAM_JSON_MEANS_NOTHING */
        return write_physical(text, leaf, value, binary, error);
    }
    return LAM_STATUS_OK;
}

/*
 * A string ends at a quote that no backslash precedes; the byte after a backslash is copied with
 * it. The text is well-formed, so a backslash is never the last byte.
 */
lam_status lam_json_minify(lam_buffer *text, const char *json, size_t size, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(text, size, error));
    uint8_t *out = text->data + text->size;
    /* White space between tokens goes; inside a string all bytes stay. */
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = json[i];
        if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        *out++ = (uint8_t)c;
        if (in_string && c == '\\')
            *out++ = (uint8_t)json[++i];
        in_string ^= c == '"';
    }
    text->size = (size_t)(out - text->data);
    return LAM_STATUS_OK;
}

/* Writes the buffer to the output, if all went well, and frees it. */
static lam_status pass_on(lam_buffer *text, lam_status status, lam_output *output,
                          lam_error *error) {
    if (status == LAM_STATUS_OK)
        status = output->write(output->state, text->data, text->size, error);
    lam_buffer_finish(text);
    return status;
}

/* Goes through a buffer, so that the output gets a complete value or nothing. */
lam_status lam_json_print_value(const lam_field *leaf, lam_value value, lam_json_binary binary,
                                lam_output *output, lam_error *error) {
    if (leaf->physical_type == LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_KIND, "%s is a group and has no value",
                 leaf->name);
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    lam_status status =
        lam_json_value_write(&text, leaf, lam_json_meaning_of(leaf), value, binary, false, error);
    return pass_on(&text, status, output, error);
}

lam_status lam_json_print_text(const char *text, size_t size, lam_output *output,
                               lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer quoted;
    lam_buffer_init(&quoted, &allocator);
    lam_status status = lam_json_string_print(&quoted, text, size, true, error);
    return pass_on(&quoted, status, output, error);
}
