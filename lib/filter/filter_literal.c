#include "filter/filter_literal.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "filter/filter_number.h"
#include "text/binary_text.h"
#include "text/decimal_text.h"
#include "text/number_text.h"
#include "text/time_text.h"

typedef struct literal {
    const lam_filter_lexer *lexer;
    const lam_field *leaf;
    lam_arena *arena;
    lam_buffer scratch; /* the text without marks, or a number */
    lam_value value;
    lam_literal_position position;
} literal;

static lam_status expected(const literal *it, const char *what, lam_error *error) {
    return lam_filter_lexer_expected(it->lexer, what, error);
}

static const char *text_of(const literal *it) {
    return (const char *)it->scratch.data;
}

static lam_status keep_bytes(literal *it, const void *bytes, size_t size, lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(it->arena, bytes, size, &copy, error));
    it->value.bytes.data = (const uint8_t *)copy;
    it->value.bytes.size = size;
    return LAM_STATUS_OK;
}

/* --- Text ---------------------------------------------------------------------------------- */

static lam_status take_text(literal *it, const char *what, lam_error *error) {
    if (it->lexer->token != LAM_FILTER_TOKEN_TEXT)
        return expected(it, what, error);
    LAM_TRY(lam_filter_lexer_append(it->lexer, &it->scratch, error));
    return lam_buffer_append_byte(&it->scratch, 0, error); /* never NULL; not part of the text */
}

static size_t text_size(const literal *it) {
    return it->scratch.size - 1;
}

static lam_status read_hex(literal *it, lam_error *error) {
    const lam_filter_lexer *lexer = it->lexer;
    const char *digits = lexer->text + lexer->start + 2;
    size_t size = lexer->end - lexer->start - 3, taken;
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(it->arena, size / 2 + 1, &bytes, error));
    if (!lam_hex_parse(digits, size, bytes, &taken))
        return expected(it, "two hexadecimal digits for each byte", error);
    it->value.bytes.data = bytes;
    it->value.bytes.size = taken;
    return LAM_STATUS_OK;
}

static lam_status read_bytes(literal *it, const char *what, lam_error *error) {
    if (it->lexer->token == LAM_FILTER_TOKEN_HEX)
        return read_hex(it, error);
    LAM_TRY(take_text(it, what, error));
    return keep_bytes(it, it->scratch.data, text_size(it), error);
}

static lam_status read_uuid(literal *it, lam_error *error) {
    static const char what[] = "a UUID such as '00112233-4455-6677-8899-aabbccddeeff'";
    uint8_t bytes[16];
    if (it->lexer->token == LAM_FILTER_TOKEN_HEX)
        return read_hex(it, error);
    LAM_TRY(take_text(it, what, error));
    if (!lam_uuid_parse(text_of(it), text_size(it), bytes))
        return expected(it, what, error);
    return keep_bytes(it, bytes, sizeof bytes, error);
}

/* --- Times --------------------------------------------------------------------------------- */

static lam_status read_date(literal *it, lam_error *error) {
    static const char what[] = "a date such as '2024-10-24'";
    LAM_TRY(take_text(it, what, error));
    if (!lam_date_parse(text_of(it), text_size(it), &it->value.int32))
        return expected(it, what, error);
    return LAM_STATUS_OK;
}

static lam_status read_time(literal *it, lam_error *error) {
    static const char what[] = "a time such as '12:34:56.789', of no more digits than its column";
    int64_t time;
    LAM_TRY(take_text(it, what, error));
    if (!lam_time_parse(text_of(it), text_size(it), it->leaf->logical_type.unit, &time))
        return expected(it, what, error);
    if (it->leaf->physical_type == LAM_PHYSICAL_INT32)
        it->value.int32 = (int32_t)time;
    else
        it->value.int64 = time;
    return LAM_STATUS_OK;
}

static lam_status read_timestamp(literal *it, lam_error *error) {
    const lam_logical_type *type = &it->leaf->logical_type;
    bool utc = type->adjusted_to_utc;
    uint8_t bytes[12]; /* of a fixed_len_byte_array */
    const char *what =
        utc ? "a timestamp such as '2024-10-24T12:34:56Z', of no more digits than its column"
            : "a timestamp such as '2024-10-24T12:34:56', of no more digits than its column";
    LAM_TRY(take_text(it, what, error));
    if (it->leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        if (!lam_timestamp_96_parse(text_of(it), text_size(it), type->unit, utc, bytes))
            return expected(it, what, error);
        return keep_bytes(it, bytes, sizeof bytes, error);
    }
    if (!lam_timestamp_parse(text_of(it), text_size(it), type->unit, utc, &it->value.int64))
        return expected(it, what, error);
    return LAM_STATUS_OK;
}

static lam_status read_int96(literal *it, lam_error *error) {
    static const char what[] = "a timestamp such as '2024-10-24T12:34:56'";
    enum { JULIAN_DAY_OF_1970 = 2440588 };
    int64_t days, nanos;
    uint8_t bytes[12];
    LAM_TRY(take_text(it, what, error));
    if (!lam_day_time_parse(text_of(it), text_size(it), &days, &nanos))
        return expected(it, what, error);
    lam_store_le64(bytes, (uint64_t)nanos);
    lam_store_le32(bytes + 8, (uint32_t)(days + JULIAN_DAY_OF_1970));
    return keep_bytes(it, bytes, sizeof bytes, error);
}

/* --- Floating point ------------------------------------------------------------------------ */

static lam_status read_special(literal *it, double *ret_number, lam_error *error) {
    static const struct {
        const char *name;
        double number;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    LAM_TRY(take_text(it, "a number", error));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text_of(it), names[i].name) == 0) {
            *ret_number = names[i].number;
            return LAM_STATUS_OK;
        }
    return expected(it, "a number, 'NaN', 'Infinity' or '-Infinity'", error);
}

static uint16_t half_of_special(double number) {
    return isnan(number) ? 0x7E00 : number > 0 ? 0x7C00 : 0xFC00;
}

static lam_status read_half(literal *it, double special, bool is_special, lam_error *error) {
    uint16_t half = half_of_special(special);
    uint8_t bytes[2];
    if (!is_special && !lam_half_parse(text_of(it), it->scratch.size, &half))
        return expected(it, "a number within the range of FLOAT16", error);
    lam_store_le16(bytes, half);
    return keep_bytes(it, bytes, sizeof bytes, error);
}

static lam_status read_float(literal *it, lam_error *error) {
    bool is_special = it->lexer->token == LAM_FILTER_TOKEN_TEXT;
    double number = 0;
    if (is_special)
        LAM_TRY(read_special(it, &number, error));
    else if (it->lexer->token == LAM_FILTER_TOKEN_NUMBER)
        LAM_TRY(lam_filter_number_plain(it->lexer, &it->scratch, error));
    else
        return expected(it, "a number", error);
    switch (it->leaf->physical_type) {
    case LAM_PHYSICAL_FLOAT:
        it->value.float32 = (float)number;
        if (!is_special && !lam_float_parse(text_of(it), it->scratch.size, &it->value.float32))
            return expected(it, "a number within the range of FLOAT", error);
        return LAM_STATUS_OK;
    case LAM_PHYSICAL_DOUBLE:
        it->value.float64 = number;
        if (!is_special && !lam_double_parse(text_of(it), it->scratch.size, &it->value.float64))
            return expected(it, "a number within the range of DOUBLE", error);
        return LAM_STATUS_OK;
    default:
        return read_half(it, number, is_special, error);
    }
}

/* --- Integers and decimals ----------------------------------------------------------------- */

/* The least value of the type, or with `most` the largest. */
static lam_status take_limit(literal *it, bool most, lam_error *error) {
    const lam_field *leaf = it->leaf;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    it->position = most ? LAM_LITERAL_ABOVE : LAM_LITERAL_BELOW_ALL;
    if (leaf->physical_type == LAM_PHYSICAL_INT32) {
        it->value.int32 = is_unsigned ? (most ? -1 : 0) : (most ? INT32_MAX : INT32_MIN);
        return LAM_STATUS_OK;
    }
    if (leaf->physical_type == LAM_PHYSICAL_INT64) {
        it->value.int64 = is_unsigned ? (most ? -1 : 0) : (most ? INT64_MAX : INT64_MIN);
        return LAM_STATUS_OK;
    }
    size_t size = (size_t)leaf->type_length;
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(it->arena, size, &bytes, error));
    memset(bytes, most ? 0xFF : 0, size);
    bytes[0] ^= 0x80;
    it->value.bytes.data = bytes;
    it->value.bytes.size = size;
    return LAM_STATUS_OK;
}

static lam_status take_integer(literal *it, const lam_filter_number *number, lam_error *error) {
    const lam_field *leaf = it->leaf;
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    bool is_wide = leaf->physical_type == LAM_PHYSICAL_INT64;
    int64_t value = 0;
    uint64_t large = 0;
    bool fits;
    if (is_unsigned)
        fits = lam_uint64_parse(number->digits, number->size, &large) &&
               (is_wide || large <= UINT32_MAX);
    else
        fits = lam_int64_parse(number->digits, number->size, &value) &&
               (is_wide || (value >= INT32_MIN && value <= INT32_MAX));
    if (!fits)
        return take_limit(it, !number->is_negative, error);
    if (is_wide)
        it->value.int64 = is_unsigned ? (int64_t)large : value;
    else
        it->value.int32 = is_unsigned ? (int32_t)(uint32_t)large : (int32_t)value;
    return LAM_STATUS_OK;
}

/* Big-endian two's complement, of the column's length when it has one. */
static lam_status take_decimal_bytes(literal *it, const lam_filter_number *number,
                                     lam_error *error) {
    lam_status status;
    lam_buffer unscaled;
    size_t length = (size_t)it->leaf->type_length;
    uint8_t *bytes;
    lam_buffer_init(&unscaled, &it->arena->allocator);
    LAM_TRY_OUT(lam_decimal_parse(number->digits, number->size, INT32_MAX, 0, &unscaled, error));
    if (length == 0) {
        status = keep_bytes(it, unscaled.data, unscaled.size, error);
        goto out;
    }
    if (unscaled.size > length) {
        status = take_limit(it, !number->is_negative, error);
        goto out;
    }
    LAM_TRY_OUT(lam_arena_bytes(it->arena, length, &bytes, error));
    memset(bytes, number->is_negative ? 0xFF : 0, length);
    memcpy(bytes + length - unscaled.size, unscaled.data, unscaled.size);
    it->value.bytes.data = bytes;
    it->value.bytes.size = length;
out:
    lam_buffer_finish(&unscaled);
    return status;
}

static lam_status read_number(literal *it, lam_error *error) {
    lam_filter_number number;
    if (it->lexer->token != LAM_FILTER_TOKEN_NUMBER)
        return expected(it, "a number", error);
    LAM_TRY(lam_filter_number_floor(it->lexer, it->leaf->logical_type.scale, &it->scratch, &number,
                                    error));
    it->position = number.is_exact ? LAM_LITERAL_EXACT : LAM_LITERAL_ABOVE;
    if (it->leaf->physical_type == LAM_PHYSICAL_INT32 ||
        it->leaf->physical_type == LAM_PHYSICAL_INT64)
        return take_integer(it, &number, error);
    return take_decimal_bytes(it, &number, error);
}

static lam_status read_boolean(literal *it, lam_error *error) {
    it->value.boolean = lam_filter_lexer_at_keyword(it->lexer, "true");
    if (!it->value.boolean && !lam_filter_lexer_at_keyword(it->lexer, "false"))
        return expected(it, "true or false", error);
    return LAM_STATUS_OK;
}

/* --- By type ------------------------------------------------------------------------------- */

static lam_status read_byte_array(literal *it, lam_error *error) {
    switch (it->leaf->logical_type.kind) {
    case LAM_LOGICAL_DECIMAL:
        return read_number(it, error);
    case LAM_LOGICAL_TIMESTAMP:
        return read_timestamp(it, error);
    case LAM_LOGICAL_UUID:
        return read_uuid(it, error);
    case LAM_LOGICAL_FLOAT16:
        return read_float(it, error);
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return read_bytes(it, "a text such as 'abc'", error);
    default:
        return read_bytes(it, "bytes such as x'00FF'", error);
    }
}

static lam_status read_int(literal *it, lam_error *error) {
    bool is_wide = it->leaf->physical_type == LAM_PHYSICAL_INT64;
    switch (it->leaf->logical_type.kind) {
    case LAM_LOGICAL_DATE:
        return is_wide ? read_number(it, error) : read_date(it, error);
    case LAM_LOGICAL_TIME:
        return read_time(it, error);
    case LAM_LOGICAL_TIMESTAMP:
        return is_wide ? read_timestamp(it, error) : read_number(it, error);
    default:
        return read_number(it, error);
    }
}

static lam_status read_value(literal *it, lam_error *error) {
    if (lam_filter_lexer_at_keyword(it->lexer, "null"))
        return expected(it, "a value (for null: is null)", error);
    switch (it->leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return read_boolean(it, error);
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return read_int(it, error);
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return read_float(it, error);
    case LAM_PHYSICAL_INT96:
        return read_int96(it, error);
    default:
        return read_byte_array(it, error);
    }
}

lam_status lam_filter_literal_read(const lam_filter_lexer *lexer, const lam_field *leaf,
                                   lam_arena *arena, lam_value *ret_value, lam_literal_position *ret_position,
                                   lam_error *error) {
    literal it;
    memset(&it, 0, sizeof it);
    it.lexer = lexer;
    it.leaf = leaf;
    it.arena = arena;
    lam_buffer_init(&it.scratch, &arena->allocator);
    lam_status status = read_value(&it, error);
    lam_buffer_finish(&it.scratch);
    if (status != LAM_STATUS_OK)
        return status;
    *ret_value = it.value;
    *ret_position = it.position;
    return LAM_STATUS_OK;
}
