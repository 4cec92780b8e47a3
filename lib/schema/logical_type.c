/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knows the logical types: takes a logical type and the physical type that it is to annotate, and
 * says whether it may, or what it annotates instead; gives its normal form and its name.
 *
 * The rules of LogicalTypes.md are a table with a line for each kind, or for each kind with one
 * argument if that selects the physical type (TIME in MILLIS is an int32, in MICROS an int64). A
 * kind or an argument without a line never exists. The bounds of DECIMAL and of a CRS are checked
 * after the table.
 */
#include "schema/logical_type.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "schema/type_statement.h"

/* Sets of physical types, one bit for each. */
enum {
    BOOLEAN = 1 << LAM_PHYSICAL_BOOLEAN,
    INT32 = 1 << LAM_PHYSICAL_INT32,
    INT64 = 1 << LAM_PHYSICAL_INT64,
    INT96 = 1 << LAM_PHYSICAL_INT96,
    FLOAT = 1 << LAM_PHYSICAL_FLOAT,
    DOUBLE = 1 << LAM_PHYSICAL_DOUBLE,
    BINARY = 1 << LAM_PHYSICAL_BYTE_ARRAY,
    FIXED = 1 << LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
    LOGICAL_TYPE_GROUP = 1 << LAM_PHYSICAL_GROUP,
    LEAF = LOGICAL_TYPE_GROUP - 1,
    ANY = LOGICAL_TYPE_GROUP | LEAF
};

/* What one kind, or one kind with one argument, may annotate. */
typedef struct lam_logical_rule {
    lam_logical_kind kind;
    int8_t argument; /* the unit of TIME, the width of INTEGER; 0 for any */
    uint16_t physical;
    int32_t length;   /* of FIXED; 0 for any */
    const char *says; /* the rule in words */
} lam_logical_rule;

/* 12 bytes hold a count of 96 bits, since parquet-format#601. */
#define TIMESTAMP_SAYS "annotates int64 or fixed_len_byte_array(12)"

/*
 * LogicalTypes.md, the sections of the same names; parquet.thrift for UNKNOWN, which annotates any
 * leaf.
 */
static const lam_logical_rule rules[] = {
    {LAM_LOGICAL_NONE, 0, ANY, 0, ""},
    {LAM_LOGICAL_STRING, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_ENUM, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_UUID, 0, FIXED, 16, "annotates fixed_len_byte_array(16)"},
    {LAM_LOGICAL_INTEGER, 8, INT32, 0, "of 8 bits annotates int32"},
    {LAM_LOGICAL_INTEGER, 16, INT32, 0, "of 16 bits annotates int32"},
    {LAM_LOGICAL_INTEGER, 32, INT32, 0, "of 32 bits annotates int32"},
    {LAM_LOGICAL_INTEGER, 64, INT64, 0, "of 64 bits annotates int64"},
    {LAM_LOGICAL_DECIMAL, 0, INT32 | INT64 | FIXED | BINARY, 0,
     "annotates int32, int64, fixed_len_byte_array or binary"},
    {LAM_LOGICAL_FLOAT16, 0, FIXED, 2, "annotates fixed_len_byte_array(2)"},
    {LAM_LOGICAL_DATE, 0, INT32, 0, "annotates int32"},
    {LAM_LOGICAL_TIME, LAM_TIME_UNIT_MILLIS, INT32, 0, "in MILLIS annotates int32"},
    {LAM_LOGICAL_TIME, LAM_TIME_UNIT_MICROS, INT64, 0, "in MICROS annotates int64"},
    {LAM_LOGICAL_TIME, LAM_TIME_UNIT_NANOS, INT64, 0, "in NANOS annotates int64"},
    {LAM_LOGICAL_TIMESTAMP, LAM_TIME_UNIT_MILLIS, INT64 | FIXED, 12, TIMESTAMP_SAYS},
    {LAM_LOGICAL_TIMESTAMP, LAM_TIME_UNIT_MICROS, INT64 | FIXED, 12, TIMESTAMP_SAYS},
    {LAM_LOGICAL_TIMESTAMP, LAM_TIME_UNIT_NANOS, INT64 | FIXED, 12, TIMESTAMP_SAYS},
    {LAM_LOGICAL_INTERVAL, 0, FIXED, 12, "annotates fixed_len_byte_array(12)"},
    {LAM_LOGICAL_JSON, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_BSON, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_VARIANT, 0, LOGICAL_TYPE_GROUP, 0, "annotates a group"},
    {LAM_LOGICAL_GEOMETRY, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_GEOGRAPHY, 0, BINARY, 0, "annotates binary"},
    {LAM_LOGICAL_FILE, 0, LOGICAL_TYPE_GROUP, 0, "annotates a group"},
    {LAM_LOGICAL_LIST, 0, LOGICAL_TYPE_GROUP, 0, "annotates a group"},
    {LAM_LOGICAL_MAP, 0, LOGICAL_TYPE_GROUP, 0, "annotates a group"},
    {LAM_LOGICAL_MAP_KEY_VALUE, 0, LOGICAL_TYPE_GROUP, 0, "annotates a group"},
    {LAM_LOGICAL_UNKNOWN, 0, LEAF, 0, "annotates a field without children"},
    {LAM_LOGICAL_UNRECOGNIZED, 0, ANY, 0, ""},
};

/* The argument that selects a line of the table: a width, or a unit. */
static int32_t argument_of(const lam_logical_type *type) {
    switch (type->kind) {
    case LAM_LOGICAL_INTEGER:
        return type->bit_width;
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        return (int32_t)type->unit;
    default:
        return 0;
    }
}

/* The line for a kind and its argument; NULL when the kind or the argument does not exist. */
static const lam_logical_rule *logical_type_rule_of(const lam_logical_type *type) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].kind == type->kind && rules[i].argument == argument_of(type))
            return &rules[i];
    return NULL;
}

/*
 * Decimal digits that n bytes of two's complement always hold: floor(log10(2^(8n-1) - 1)), computed
 * as (8n - 1) * log10(2), with log10(2) as a fraction of 2^32. 4 bytes hold 9, 8 hold 18, 16 hold
 * 38. Lengths whose digits exceed every int32 precision are not bounded.
 */
static int32_t digits_in_bytes(int32_t n) {
    if (n > INT32_C(1) << 28)
        return INT32_MAX;
    return (int32_t)((UINT64_C(8) * (uint32_t)n - 1) * UINT64_C(1292913986) >> 32);
}

/*
 * Section "DECIMAL": precision and scale, and the digits that the physical type holds. A BYTE_ARRAY
 * holds any number.
 */
static const char *decimal_problem(const lam_logical_type *type, lam_physical_type physical,
                                   int32_t type_length) {
    if (type->precision < 1)
        return "has no precision of at least 1";
    if (type->scale < 0 || type->scale > type->precision)
        return "has a scale that is not between 0 and its precision";
    if (physical == LAM_PHYSICAL_INT32 && type->precision > 9)
        return "has more than the 9 digits of an int32";
    if (physical == LAM_PHYSICAL_INT64 && type->precision > 18)
        return "has more than the 18 digits of an int64";
    if (physical == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
        type->precision > digits_in_bytes(type_length))
        return "has more digits than its bytes hold";
    return NULL;
}

/* The reason why no line of the table matches. */
static const char *argument_problem(const lam_logical_type *type) {
    switch (type->kind) {
    case LAM_LOGICAL_INTEGER:
        return "has a width other than 8, 16, 32 and 64 bits";
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        return "has a unit other than MILLIS, MICROS and NANOS";
    default:
        return "is not a logical type";
    }
}

/* A CRS is a string of the footer, so it must be UTF-8; its contents are not interpreted. */
static const char *crs_problem(const lam_logical_type *type) {
    if (type->algorithm < LAM_EDGE_ALGORITHM_DEFAULT || type->algorithm > LAM_EDGE_ALGORITHM_KARNEY)
        return "has an edge algorithm that does not exist";
    if (type->crs == NULL)
        return NULL;
    size_t size = strlen(type->crs);
    return lam_utf8_prefix((const uint8_t *)type->crs, size) == size
               ? NULL
               : "has a CRS that is not UTF-8";
}

/* First the line of the table, then the arguments that the table does not have. */
const char *lam_logical_type_problem(const lam_logical_type *type, lam_physical_type physical,
                                     int32_t type_length) {
    const lam_logical_rule *rule = logical_type_rule_of(type);
    if (rule == NULL)
        return argument_problem(type);
    /*
     * The length of a FIXED_LEN_BYTE_ARRAY is part of what a type annotates: UUID takes 16 bytes
     * alone.
     */
    if ((rule->physical >> physical & 1) == 0)
        return rule->says;
    if (physical == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY && rule->length != 0 &&
        rule->length != type_length)
        return rule->says;
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
        return decimal_problem(type, physical, type_length);
    case LAM_LOGICAL_VARIANT:
        return type->version < 0 ? "has a negative version" : NULL;
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
        return crs_problem(type);
    default:
        return NULL;
    }
}

/*
 * Copies only the arguments that the kind has. Callers may leave anything in the others, and types
 * with different rests must be equal.
 */
lam_logical_type lam_logical_type_normal(const lam_logical_type *type) {
    lam_logical_type normal;
    memset(&normal, 0, sizeof normal);
    normal.kind = type->kind;
    normal.statement = type->statement;
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
        normal.precision = type->precision;
        normal.scale = type->scale;
        break;
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        normal.unit = type->unit;
        normal.adjusted_to_utc = type->adjusted_to_utc;
        break;
    case LAM_LOGICAL_INTEGER:
        normal.bit_width = type->bit_width;
        normal.is_signed = type->is_signed;
        break;
    case LAM_LOGICAL_VARIANT:
        normal.version = type->version;
        break;
    case LAM_LOGICAL_GEOGRAPHY:
        normal.algorithm = type->algorithm;
        normal.crs = type->crs;
        break;
    case LAM_LOGICAL_GEOMETRY:
        normal.crs = type->crs;
        break;
    default:
        break;
    }
    return normal;
}

/* The copy of a statement means the type as it is now. */
lam_status lam_logical_type_keep(lam_logical_type *type, lam_arena *arena, lam_error *error) {
    char *crs;
    if (type->crs != NULL) {
        LAM_TRY(lam_arena_copy(arena, type->crs, strlen(type->crs), &crs, error));
        type->crs = crs;
    }
    return type->statement == NULL
               ? LAM_STATUS_OK
               : lam_type_statement_copy(type->statement, type, arena, &type->statement, error);
}

/* NULL, no CRS, differs from every text, the empty one included. */
static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/*
 * Compares every argument: those that a kind does not have are equal, as both are normal. For an
 * unknown type only its statement can be compared.
 */
bool lam_logical_type_equals(const lam_logical_type *a, const lam_logical_type *b) {
    if (a->kind == LAM_LOGICAL_UNRECOGNIZED && b->kind == LAM_LOGICAL_UNRECOGNIZED)
        return lam_type_statement_equals(a->statement, b->statement);
    return a->kind == b->kind && a->precision == b->precision && a->scale == b->scale &&
           a->unit == b->unit && a->adjusted_to_utc == b->adjusted_to_utc &&
           a->bit_width == b->bit_width && a->is_signed == b->is_signed &&
           a->version == b->version && a->algorithm == b->algorithm && same_text(a->crs, b->crs);
}

/* The names of message text, which are those of LogicalTypes.md. */
const char *lam_logical_kind_name(lam_logical_kind kind) {
    static const char *const names[] = {
        [LAM_LOGICAL_NONE] = "",
        [LAM_LOGICAL_STRING] = "STRING",
        [LAM_LOGICAL_MAP] = "MAP",
        [LAM_LOGICAL_LIST] = "LIST",
        [LAM_LOGICAL_ENUM] = "ENUM",
        [LAM_LOGICAL_DECIMAL] = "DECIMAL",
        [LAM_LOGICAL_DATE] = "DATE",
        [LAM_LOGICAL_TIME] = "TIME",
        [LAM_LOGICAL_TIMESTAMP] = "TIMESTAMP",
        [LAM_LOGICAL_INTEGER] = "INTEGER",
        [LAM_LOGICAL_UNKNOWN] = "UNKNOWN",
        [LAM_LOGICAL_JSON] = "JSON",
        [LAM_LOGICAL_BSON] = "BSON",
        [LAM_LOGICAL_UUID] = "UUID",
        [LAM_LOGICAL_FLOAT16] = "FLOAT16",
        [LAM_LOGICAL_VARIANT] = "VARIANT",
        [LAM_LOGICAL_GEOMETRY] = "GEOMETRY",
        [LAM_LOGICAL_GEOGRAPHY] = "GEOGRAPHY",
        [LAM_LOGICAL_FILE] = "FILE",
        [LAM_LOGICAL_INTERVAL] = "INTERVAL",
        [LAM_LOGICAL_MAP_KEY_VALUE] = "MAP_KEY_VALUE",
        [LAM_LOGICAL_UNRECOGNIZED] = "UNRECOGNIZED",
    };
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "";
}

/* In the order of lam_physical_type. */
int32_t lam_physical_type_length(lam_physical_type type, int32_t given_length) {
    static const int32_t lengths[] = {1, 4, 8, 12, 4, 8, 0, 0, 0};
    return type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ? given_length : lengths[type];
}

/* In the order of lam_physical_type; with the words that message_text.c prints. */
const char *lam_physical_type_name(lam_physical_type type) {
    static const char *const names[] = {"boolean", "int32",  "int64",  "int96",
                                        "float",   "double", "binary", "fixed_len_byte_array",
                                        "group"};
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "";
}
