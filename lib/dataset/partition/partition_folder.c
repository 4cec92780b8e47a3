/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the folder of a value or null of a partition's leaf: its path below the root, by the
 * partition's checked format, as Hive names it.
 *
 * The folder always depends on the value alone, and values of one period have one folder; the
 * locale, the time zone and the calendar of the C library make no difference. Each name has at most
 * LAM_PARTITION_FOLDER_MAX bytes, is UTF-8, and is not cut within a character or an escape. The
 * hash after a name that is cut is that of the entire text, so different texts stay apart:
 *
 *     host=aaaaaaaaaaaa...aaaa~0f3c5a7e91b2d4c6
 *
 * With %v alone, a name that is not cut holds the value: a null, an empty text and the text that
 * means a null have three different names.
 */
#include "dataset/partition/partition_folder.h"

#include <xxhash.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "schema/leaf_error.h"
#include "schema/text.h"
#include "schema/tree.h"
#include "text/time_text.h"

static const int64_t SECONDS_OF_FOLDER_DAY = 86400;

/* After a name that is cut: '~' and 16 digits. */
enum { FOLDER_HASH_SIZE = 17 };

/* The texts of directives for one value. */
typedef struct folder_value {
    bool is_null;
    bool is_far; /* the calendar's numbers do not show its year: they count as a null */
    int64_t year;
    int month, day, of_year; /* from 1 */
    int hour, minute, second;
    char digits[LAM_TIME_TEXT_MAX]; /* %v of a number, a date, true and false */
    lam_bytes text;                 /* %v, not escaped yet */
} folder_value;

/* One folder's name while it is made; text without room only makes `size` too large. */
typedef struct folder_name {
    uint8_t bytes[LAM_PARTITION_FOLDER_MAX + 1]; /* and a slash */
    size_t size;
} folder_name;

/* --- Escaping ------------------------------------------------------------------------------ */

static bool folder_needs_escape(uint8_t byte) {
    return byte < 0x20 || byte == 0x7F || strchr("\"#%'*/:=?\\^[]{}", byte) != NULL;
}

/*
 * Writes the text of the first character, or of a byte that is no character, to `text`; returns how
 * many bytes that was, and its size.
 */
static size_t folder_escape_one(const uint8_t *bytes, size_t size, uint8_t text[4],
                                size_t *ret_size) {
    size_t character = lam_utf8_prefix(bytes, 1);
    for (size_t i = 2; character == 0 && i <= 4 && i <= size; i++)
        character = lam_utf8_prefix(bytes, i);
    if (character > 0 && !folder_needs_escape(bytes[0])) {
        memcpy(text, bytes, character);
        *ret_size = character;
        return character;
    }
    text[0] = '%';
    text[1] = (uint8_t) "0123456789ABCDEF"[bytes[0] >> 4];
    text[2] = (uint8_t) "0123456789ABCDEF"[bytes[0] & 15];
    *ret_size = 3;
    return 1;
}

lam_status lam_folder_escape(lam_buffer *out, const uint8_t *bytes, size_t size, lam_error *error) {
    for (size_t at = 0; at < size;) {
        uint8_t text[4];
        size_t text_size;
        at += folder_escape_one(bytes + at, size - at, text, &text_size);
        LAM_TRY(lam_buffer_append(out, text, text_size, error));
    }
    return LAM_STATUS_OK;
}

/* --- Values -------------------------------------------------------------------------------- */

static size_t folder_print_integer(uint64_t magnitude, bool is_negative, char *text) {
    char reversed[20];
    size_t count = 0, size = 0;
    do
        reversed[count++] = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    if (is_negative)
        text[size++] = '-';
    while (count > 0)
        text[size++] = reversed[--count];
    return size;
}

/* The calendar's numbers. A year has four digits. */
static void folder_set_date(folder_value *value, int64_t days) {
    lam_date_split(days, &value->year, &value->month, &value->day);
    value->of_year = (int)(days - lam_date_join(value->year, 1, 1)) + 1;
    value->is_far = value->year < 0 || value->year > 9999;
}

static size_t folder_set_timestamp(folder_value *value, const lam_partition *partition,
                                   int64_t timestamp) {
    const lam_logical_type *type = lam_field_logical_type(partition->leaf);
    int64_t time;
    folder_set_date(value,
                    lam_floor_divide(timestamp, partition->units * SECONDS_OF_FOLDER_DAY, &time));
    int second = (int)(time / partition->units);
    value->hour = second / 3600;
    value->minute = second / 60 % 60;
    value->second = second % 60;
    return lam_timestamp_print(timestamp, type->unit, type->adjusted_to_utc, value->digits);
}

static size_t folder_set_integer(folder_value *value, const lam_partition *partition,
                                 lam_value given) {
    bool is_wide = lam_field_physical_type(partition->leaf) == LAM_PHYSICAL_INT64;
    int64_t number = is_wide ? given.int64 : given.int32;
    if (partition->kind == LAM_PARTITION_SIGNED)
        return folder_print_integer(lam_magnitude(number), number < 0, value->digits);
    return folder_print_integer(is_wide ? (uint64_t)number : (uint32_t)number, false,
                                value->digits);
}

static void folder_set(folder_value *value, const lam_partition *partition,
                       const lam_value *given) {
    value->is_null = given == NULL;
    if (given == NULL)
        return;
    value->text.data = (const uint8_t *)value->digits;
    switch (partition->kind) {
    case LAM_PARTITION_BOOLEAN:
        value->text.data = (const uint8_t *)(given->boolean ? "true" : "false");
        value->text.size = given->boolean ? 4 : 5;
        break;
    case LAM_PARTITION_DATE:
        folder_set_date(value, given->int32);
        value->text.size = lam_date_print(given->int32, value->digits);
        break;
    case LAM_PARTITION_TIMESTAMP:
        value->text.size = folder_set_timestamp(value, partition, given->int64);
        break;
    case LAM_PARTITION_TEXT:
        value->text = given->bytes;
        break;
    default:
        value->text.size = folder_set_integer(value, partition, *given);
        break;
    }
}

/* --- Names --------------------------------------------------------------------------------- */

static void folder_put(folder_name *name, const void *bytes, size_t size) {
    size_t room = name->size < LAM_PARTITION_FOLDER_MAX ? LAM_PARTITION_FOLDER_MAX - name->size : 0;
    if (room > 0)
        memcpy(name->bytes + name->size, bytes, size < room ? size : room);
    name->size += size;
}

static void folder_put_number(folder_name *name, int64_t number, size_t width) {
    uint8_t digits[4];
    for (size_t i = width; i > 0; i--, number /= 10)
        digits[i - 1] = (uint8_t)('0' + number % 10);
    folder_put(name, digits, width);
}

/* A text may be long: only as much is read as a name can hold. */
static void folder_put_text(folder_name *name, lam_bytes text) {
    for (size_t at = 0; at < text.size && name->size <= LAM_PARTITION_FOLDER_MAX;) {
        uint8_t escaped[4];
        size_t size;
        at += folder_escape_one(text.data + at, text.size - at, escaped, &size);
        folder_put(name, escaped, size);
    }
}

static void folder_put_directive(folder_name *name, const folder_value *value, uint8_t directive) {
    switch (directive) {
    case 'Y':
        folder_put_number(name, value->year, 4);
        break;
    case 'm':
        folder_put_number(name, value->month, 2);
        break;
    case 'd':
        folder_put_number(name, value->day, 2);
        break;
    case 'j':
        folder_put_number(name, value->of_year, 3);
        break;
    case 'H':
        folder_put_number(name, value->hour, 2);
        break;
    case 'M':
        folder_put_number(name, value->minute, 2);
        break;
    case 'S':
        folder_put_number(name, value->second, 2);
        break;
    default:
        folder_put_text(name, value->text);
        break;
    }
}

/* Cuts a name that is too long, before a character and not within %XX, and puts the hash there. */
static void folder_cut(folder_name *name, lam_bytes text) {
    size_t cut = LAM_PARTITION_FOLDER_MAX - FOLDER_HASH_SIZE;
    uint64_t hash = XXH3_64bits(text.data, text.size);
    while ((name->bytes[cut] & 0xC0) == 0x80)
        cut--;
    if (name->bytes[cut - 1] == '%')
        cut -= 1;
    else if (name->bytes[cut - 2] == '%')
        cut -= 2;
    name->bytes[cut++] = '~';
    for (int shift = 60; shift >= 0; shift -= 4)
        name->bytes[cut++] = (uint8_t) "0123456789abcdef"[hash >> shift & 15];
    name->size = cut;
}

/* The text that means a null begins with an escape if it is the value, as in DuckDB. */
static void folder_keep_from_null(folder_name *name, size_t text) {
    static const char escaped[] = "%5F";
    const size_t size = sizeof LAM_PARTITION_NULL - 1;
    if (name->size != text + size || memcmp(name->bytes + text, LAM_PARTITION_NULL, size) != 0)
        return;
    name->size = text;
    folder_put(name, escaped, sizeof escaped - 1);
    folder_put(name, &LAM_PARTITION_NULL[1], size - 1);
}

/* True when a folder of a partition's names has a directive that the value has no text for. */
static bool folder_is_null(const uint8_t *format, size_t size, const folder_value *value) {
    bool is_null = false;
    for (size_t i = 0; i + 1 < size && !is_null; i++)
        if (format[i] == LAM_FOLDER_DIRECTIVE)
            is_null = value->is_null || (value->is_far && format[i + 1] != 'v');
    return is_null;
}

/*
 * Makes one folder's name from its `size` bytes in the partition's names; `*ret_is_cut` is true
 * when it does not hold the value's entire text.
 */
static void folder_make(const uint8_t *format, size_t size, const folder_value *value,
                        folder_name *name, bool *ret_is_cut) {
    const uint8_t *equals = memchr(format, '=', size);
    bool is_constant = memchr(format, LAM_FOLDER_DIRECTIVE, size) == NULL;
    name->size = 0;
    *ret_is_cut = false;
    if (folder_is_null(format, size, value)) {
        folder_put(name, format, (size_t)(equals + 1 - format));
        folder_put(name, LAM_PARTITION_NULL, sizeof LAM_PARTITION_NULL - 1);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        if (format[i] == LAM_FOLDER_DIRECTIVE)
            folder_put_directive(name, value, format[++i]);
        else
            folder_put(name, &format[i], 1);
    }
    *ret_is_cut = name->size > LAM_PARTITION_FOLDER_MAX;
    if (*ret_is_cut)
        folder_cut(name, value->text);
    else if (!is_constant)
        folder_keep_from_null(name, (size_t)(equals + 1 - format));
}

static lam_status folder_fail_cut(const lam_partition *partition, lam_bytes text,
                                  lam_error *error) {
    char path[LAM_FIELD_PATH_ROOM];
    (void)lam_field_path(partition->leaf, path, sizeof path);
    LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
             "%.36s... of column %.60s cannot name a folder, which has %d bytes at most",
             lam_show((const char *)text.data, text.size).text, path, LAM_PARTITION_FOLDER_MAX);
}

lam_status lam_partition_folder(const lam_partition *partition, const lam_value *value,
                                lam_buffer *out, lam_error *error) {
    const uint8_t *format = partition->names.data;
    size_t left = partition->names.size, before = out->size;
    folder_value made = {0};
    folder_set(&made, partition, value);
    for (;;) {
        folder_name name;
        bool is_cut;
        const uint8_t *slash = memchr(format, '/', left);
        size_t size = slash != NULL ? (size_t)(slash - format) : left;
        folder_make(format, size, &made, &name, &is_cut);
        if (slash != NULL)
            name.bytes[name.size] = '/';
        lam_status status =
            is_cut && partition->holds_values
                ? folder_fail_cut(partition, made.text, error)
                : lam_buffer_append(out, name.bytes, name.size + (slash != NULL), error);
        if (status != LAM_STATUS_OK) {
            out->size = before;
            return status;
        }
        if (slash == NULL)
            return LAM_STATUS_OK;
        format += size + 1;
        left -= size + 1;
    }
}
