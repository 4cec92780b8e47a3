/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and prints format strings. Types without arguments are one table for both directions;
 * those with arguments have a prefix and a parser each:
 *
 *     d:precision,scale[,width]   w:size   +w:size   tsU:zone   +ud:id,id,...   +us:id,id,...
 *
 * The invariant: a parsed type has passed lam_arrow_type_fault, and printing it gives a string that
 * parses to the same type (not always the same string: "d:9,2,128" prints as "d:9,2"). Nothing may
 * follow the arguments. (The Arrow C data interface, "Data type description -- format strings")
 */
#include "arrow/field/arrow_format.h"

#include <string.h>

#include "base/ascii.h"
#include "schema/text.h"

/* The string of one kind, or of one kind and unit. */
typedef struct spelling {
    char text[4]; /* NUL-terminated */
    uint8_t kind; /* lam_arrow_kind */
    uint8_t unit; /* lam_arrow_unit */
} spelling;

/* Types whose format string is always the same. The order of rows has no meaning. */
static const spelling spellings[] = {
    {"n", LAM_ARROW_NULL, 0},
    {"b", LAM_ARROW_BOOL, 0},
    {"c", LAM_ARROW_INT8, 0},
    {"C", LAM_ARROW_UINT8, 0},
    {"s", LAM_ARROW_INT16, 0},
    {"S", LAM_ARROW_UINT16, 0},
    {"i", LAM_ARROW_INT32, 0},
    {"I", LAM_ARROW_UINT32, 0},
    {"l", LAM_ARROW_INT64, 0},
    {"L", LAM_ARROW_UINT64, 0},
    {"e", LAM_ARROW_FLOAT16, 0},
    {"f", LAM_ARROW_FLOAT32, 0},
    {"g", LAM_ARROW_FLOAT64, 0},
    {"z", LAM_ARROW_BINARY, 0},
    {"Z", LAM_ARROW_LARGE_BINARY, 0},
    {"vz", LAM_ARROW_BINARY_VIEW, 0},
    {"u", LAM_ARROW_STRING, 0},
    {"U", LAM_ARROW_LARGE_STRING, 0},
    {"vu", LAM_ARROW_STRING_VIEW, 0},
    {"tdD", LAM_ARROW_DATE32, 0},
    {"tdm", LAM_ARROW_DATE64, 0},
    {"tts", LAM_ARROW_TIME32, LAM_ARROW_SECOND},
    {"ttm", LAM_ARROW_TIME32, LAM_ARROW_MILLISECOND},
    {"ttu", LAM_ARROW_TIME64, LAM_ARROW_MICROSECOND},
    {"ttn", LAM_ARROW_TIME64, LAM_ARROW_NANOSECOND},
    {"tDs", LAM_ARROW_DURATION, LAM_ARROW_SECOND},
    {"tDm", LAM_ARROW_DURATION, LAM_ARROW_MILLISECOND},
    {"tDu", LAM_ARROW_DURATION, LAM_ARROW_MICROSECOND},
    {"tDn", LAM_ARROW_DURATION, LAM_ARROW_NANOSECOND},
    {"tiM", LAM_ARROW_INTERVAL_MONTHS, 0},
    {"tiD", LAM_ARROW_INTERVAL_DAY_TIME, 0},
    {"tin", LAM_ARROW_INTERVAL_MONTH_DAY_NANO, 0},
    {"+l", LAM_ARROW_LIST, 0},
    {"+L", LAM_ARROW_LARGE_LIST, 0},
    {"+vl", LAM_ARROW_LIST_VIEW, 0},
    {"+vL", LAM_ARROW_LARGE_LIST_VIEW, 0},
    {"+s", LAM_ARROW_STRUCT, 0},
    {"+m", LAM_ARROW_MAP, 0},
    {"+r", LAM_ARROW_RUN_END_ENCODED, 0},
};

enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

static const char unknown[] = "the format string is unknown";
static const char malformed[] = "the arguments of the format string are malformed";
static const char unit_letters[] = "smun"; /* by lam_arrow_unit */

/* --- Format to type --------------------------------------------------------------------------- */

/* Advances the text past `expected` if it starts with it. */
static bool arrow_format_take(const char **text, const char *expected) {
    size_t size = strlen(expected);
    if (strncmp(*text, expected, size) != 0)
        return false;
    *text += size;
    return true;
}

/*
 * Reads a decimal number of 32 bits, with a sign if it is negative, and advances the text past it.
 * The bound in the loop keeps `number` far from overflow; with a sign one more is allowed, for
 * INT32_MIN.
 */
static bool arrow_format_take_number(const char **text, int32_t *ret_number) {
    const char *at = *text;
    bool negative = *at == '-';
    int64_t number = 0;
    at += negative;
    if (*at < '0' || *at > '9')
        return false;
    for (; lam_ascii_is_digit(*at); at++) {
        number = number * 10 + (*at - '0');
        if (number > (int64_t)INT32_MAX + negative)
            return false;
    }
    *text = at;
    *ret_number = (int32_t)(negative ? -number : number);
    return true;
}

/*
 * "19,10" or "19,10,256": the width is 128 bits if it is left out. Whether precision and width go
 * together is for lam_arrow_type_fault to say.
 */
static const char *parse_decimal(const char *text, lam_arrow_type *type) {
    type->kind = LAM_ARROW_DECIMAL;
    type->bit_width = 128;
    if (!arrow_format_take_number(&text, &type->precision) || !arrow_format_take(&text, ",") ||
        !arrow_format_take_number(&text, &type->scale))
        return malformed;
    if (arrow_format_take(&text, ",") && !arrow_format_take_number(&text, &type->bit_width))
        return malformed;
    return *text == '\0' ? NULL : malformed;
}

/* One number. A negative size parses here and is refused as a fault of the type. */
static const char *parse_fixed(const char *text, lam_arrow_kind kind, lam_arrow_type *type) {
    type->kind = kind;
    return arrow_format_take_number(&text, &type->fixed_size) && *text == '\0' ? NULL : malformed;
}

/*
 * "s:Europe/Paris", after the "ts": the letter of a unit, a colon, and a zone or nothing. The zone
 * is not checked: names of zones change, and files keep whatever they were given.
 */
static const char *arrow_format_parse_timestamp(const char *text, lam_arrow_type *type) {
    const char *letter = *text == '\0' ? NULL : strchr(unit_letters, *text);
    if (letter == NULL || text[1] != ':')
        return unknown;
    type->kind = LAM_ARROW_TIMESTAMP;
    type->unit = (lam_arrow_unit)(letter - unit_letters);
    type->timezone = text[2] == '\0' ? NULL : text + 2;
    return NULL;
}

/*
 * "0,1,5", after the mode: the type ids, separated by commas. An empty list is a union without
 * children. The ids fill `room` as bytes; duplicates are found by lam_arrow_type_fault.
 */
static const char *parse_union(const char *text, lam_arrow_kind kind, uint8_t *room,
                               lam_arrow_type *type) {
    size_t count = 0;
    int32_t id;
    type->kind = kind;
    type->union_ids.data = room;
    while (*text != '\0') {
        if ((count > 0 && !arrow_format_take(&text, ",")) || !arrow_format_take_number(&text, &id))
            return malformed;
        if (count == LAM_ARROW_UNION_MAX || id < 0 || id >= LAM_ARROW_UNION_MAX)
            return "the type ids of a union must be distinct numbers from 0 to 127";
        room[count++] = (uint8_t)id;
    }
    type->union_ids.size = count;
    return NULL;
}

/*
 * Tries the table, then the prefixes. "+w:" and "w:" differ in their first byte, so the order is
 * free.
 */
static const char *arrow_format_parse(const char *text, uint8_t *room, lam_arrow_type *type) {
    for (size_t i = 0; i < SPELLINGS; i++)
        if (strcmp(text, spellings[i].text) == 0) {
            type->kind = (lam_arrow_kind)spellings[i].kind;
            type->unit = (lam_arrow_unit)spellings[i].unit;
            return NULL;
        }
    if (arrow_format_take(&text, "d:"))
        return parse_decimal(text, type);
    if (arrow_format_take(&text, "w:"))
        return parse_fixed(text, LAM_ARROW_FIXED_SIZE_BINARY, type);
    if (arrow_format_take(&text, "+w:"))
        return parse_fixed(text, LAM_ARROW_FIXED_SIZE_LIST, type);
    if (arrow_format_take(&text, "ts"))
        return arrow_format_parse_timestamp(text, type);
    if (arrow_format_take(&text, "+ud:"))
        return parse_union(text, LAM_ARROW_DENSE_UNION, room, type);
    if (arrow_format_take(&text, "+us:"))
        return parse_union(text, LAM_ARROW_SPARSE_UNION, room, type);
    return unknown;
}

/* `ret_type` is untouched when there is a fault. */
const char *lam_arrow_format_parse(const char *format, uint8_t room[LAM_ARROW_UNION_MAX],
                                   lam_arrow_type *ret_type) {
    lam_arrow_type type;
    memset(&type, 0, sizeof type);
    const char *fault = arrow_format_parse(format, room, &type);
    if (fault == NULL)
        fault = lam_arrow_type_fault(&type);
    if (fault == NULL)
        *ret_type = type;
    return fault;
}

/* --- Type to format --------------------------------------------------------------------------- */

/* A width of 128 bits is the default and is left out. */
static void print_decimal(const lam_arrow_type *type, lam_text *text) {
    lam_text_put_string(text, "d:");
    lam_text_put_int(text, type->precision);
    lam_text_put_string(text, ",");
    lam_text_put_int(text, type->scale);
    if (type->bit_width == 128)
        return;
    lam_text_put_string(text, ",");
    lam_text_put_int(text, type->bit_width);
}

static void print_union(const lam_arrow_type *type, lam_text *text) {
    lam_text_put_string(text, type->kind == LAM_ARROW_DENSE_UNION ? "+ud:" : "+us:");
    for (size_t i = 0; i < type->union_ids.size; i++) {
        if (i > 0)
            lam_text_put_string(text, ",");
        lam_text_put_int(text, type->union_ids.data[i]);
    }
}

/* Prints any type; the table has every kind that the other cases leave over. */
static void print(const lam_arrow_type *type, lam_text *text) {
    switch (type->kind) {
    case LAM_ARROW_DECIMAL:
        print_decimal(type, text);
        return;
    case LAM_ARROW_FIXED_SIZE_BINARY:
    case LAM_ARROW_FIXED_SIZE_LIST:
        lam_text_put_string(text, type->kind == LAM_ARROW_FIXED_SIZE_BINARY ? "w:" : "+w:");
        lam_text_put_int(text, type->fixed_size);
        return;
    case LAM_ARROW_TIMESTAMP:
        lam_text_put_string(text, "ts");
        lam_text_put(text, &unit_letters[type->unit], 1);
        lam_text_put_string(text, ":");
        lam_text_put_string(text, type->timezone == NULL ? "" : type->timezone);
        return;
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        print_union(type, text);
        return;
    default:
        /* Kinds without a unit have unit 0 in both, as LAM_ARROW_SECOND is 0. */
        for (size_t i = 0; i < SPELLINGS; i++)
            if (spellings[i].kind == type->kind && spellings[i].unit == type->unit)
                lam_text_put_string(text, spellings[i].text);
        return;
    }
}

size_t lam_arrow_format_print(const lam_arrow_type *type, char *buffer, size_t capacity) {
    lam_text text = {buffer, capacity, 0};
    print(type, &text);
    return lam_text_finish(&text);
}
