/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts logical types. Takes the annotations of a schema element, and gives one
 * lam_logical_type, or the reverse. Both directions use the same two tables: kinds by LogicalType,
 * complete types by ConvertedType.
 *
 *   file                                             schema
 *   LogicalType INTEGER(8, true), converted INT_8    INTEGER, bit_width 8, is_signed
 *   converted UINT_16 alone                          INTEGER, bit_width 16
 *   LogicalType 77, converted UTF8                   UNRECOGNIZED
 *
 * An annotation that is not understood in full becomes UNRECOGNIZED, never a guess: the values are
 * then read by their physical type. (LogicalTypes.md; parquet.thrift, LogicalType)
 */
#include "meta/meta_logical.h"

#include <string.h>

#include "base/error.h"
#include "meta/compact.h"
#include "schema/logical_type.h"
#include "schema/type_statement.h"

/* --- LogicalType ---------------------------------------------------------------------------- */

/* The kinds of the schema by the kinds of the file; ids that are not used are NONE. */
static const uint8_t KINDS[] = {
    [LAM_META_LOGICAL_STRING] = LAM_LOGICAL_STRING,
    [LAM_META_LOGICAL_MAP] = LAM_LOGICAL_MAP,
    [LAM_META_LOGICAL_LIST] = LAM_LOGICAL_LIST,
    [LAM_META_LOGICAL_ENUM] = LAM_LOGICAL_ENUM,
    [LAM_META_LOGICAL_DECIMAL] = LAM_LOGICAL_DECIMAL,
    [LAM_META_LOGICAL_DATE] = LAM_LOGICAL_DATE,
    [LAM_META_LOGICAL_TIME] = LAM_LOGICAL_TIME,
    [LAM_META_LOGICAL_TIMESTAMP] = LAM_LOGICAL_TIMESTAMP,
    [LAM_META_LOGICAL_INTEGER] = LAM_LOGICAL_INTEGER,
    [LAM_META_LOGICAL_UNKNOWN] = LAM_LOGICAL_UNKNOWN,
    [LAM_META_LOGICAL_JSON] = LAM_LOGICAL_JSON,
    [LAM_META_LOGICAL_BSON] = LAM_LOGICAL_BSON,
    [LAM_META_LOGICAL_UUID] = LAM_LOGICAL_UUID,
    [LAM_META_LOGICAL_FLOAT16] = LAM_LOGICAL_FLOAT16,
    [LAM_META_LOGICAL_VARIANT] = LAM_LOGICAL_VARIANT,
    [LAM_META_LOGICAL_GEOMETRY] = LAM_LOGICAL_GEOMETRY,
    [LAM_META_LOGICAL_GEOGRAPHY] = LAM_LOGICAL_GEOGRAPHY,
    [LAM_META_LOGICAL_FILE] = LAM_LOGICAL_FILE,
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* Gives the kind of the schema; UNRECOGNIZED for a number out of the table. */
static lam_logical_kind import_kind(int32_t kind) {
    if (kind < 0 || kind >= KIND_COUNT || KINDS[kind] == LAM_LOGICAL_NONE)
        return LAM_LOGICAL_UNRECOGNIZED;
    return (lam_logical_kind)KINDS[kind];
}

/*
 * Gives the kind of the file; 0 for a kind with a converted type only (INTERVAL, MAP_KEY_VALUE), or
 * none.
 */
static int32_t export_kind(lam_logical_kind kind) {
    for (int32_t i = 1; i < KIND_COUNT; i++) {
        if (KINDS[i] == kind && kind != LAM_LOGICAL_NONE)
            return i;
    }
    return 0;
}

/* A unit that is not known leaves no meaning to the number. */
static void import_time(const lam_meta_time_type *time, lam_logical_type *type) {
    type->adjusted_to_utc = time->is_adjusted_to_utc;
    if (time->unit.kind >= LAM_META_TIME_UNIT_MILLIS && time->unit.kind <= LAM_META_TIME_UNIT_NANOS)
        type->unit = (lam_time_unit)time->unit.kind;
    else
        type->kind = LAM_LOGICAL_UNRECOGNIZED;
}

/*
 * Algorithms of the schema are one above those of the file, so that 0 means that the file names
 * none.
 */
static void import_geography(const lam_meta_geography_type *geography, lam_logical_type *type) {
    if ((geography->has & LAM_META_GEOGRAPHY_TYPE_HAS_ALGORITHM) == 0)
        return;
    if (geography->algorithm >= 0 && geography->algorithm < LAM_EDGE_ALGORITHM_KARNEY)
        type->algorithm = (lam_edge_algorithm)(geography->algorithm + 1);
    else
        type->kind = LAM_LOGICAL_UNRECOGNIZED;
}

/* Gives the coordinate reference system if its bit is set. */
static lam_bytes crs_of(uint32_t has, uint32_t bit, lam_bytes crs) {
    return (has & bit) != 0 ? crs : (lam_bytes){NULL, 0};
}

/*
 * Copies a LogicalType with its arguments, which stay as the file has them: the builder checks
 * them.
 */
static void import_logical(const lam_meta_logical_type *logical, lam_logical_type *type,
                           lam_bytes *crs) {
    type->kind = import_kind(logical->kind);
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
        type->precision = logical->value.decimal.precision;
        type->scale = logical->value.decimal.scale;
        break;
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        import_time(&logical->value.time, type);
        break;
    case LAM_LOGICAL_INTEGER:
        type->bit_width = logical->value.integer.bit_width;
        type->is_signed = logical->value.integer.is_signed;
        break;
    case LAM_LOGICAL_VARIANT:
        type->version = logical->value.variant.specification_version;
        break;
    case LAM_LOGICAL_GEOMETRY:
        *crs = crs_of(logical->value.geometry.has, LAM_META_GEOMETRY_TYPE_HAS_CRS,
                      logical->value.geometry.crs);
        break;
    case LAM_LOGICAL_GEOGRAPHY:
        import_geography(&logical->value.geography, type);
        *crs = crs_of(logical->value.geography.has, LAM_META_GEOGRAPHY_TYPE_HAS_CRS,
                      logical->value.geography.crs);
        break;
    default:
        break;
    }
}
/*
 * Makes a LogicalType in the arena, whose memory is zeroed. Optional arguments are stated only if
 * the schema has them.
 */
static lam_status export_logical(const lam_logical_type *type, lam_arena *arena,
                                 const lam_meta_logical_type **ret_logical, lam_error *error) {
    lam_meta_logical_type *logical;
    LAM_TRY(LAM_ARENA_NEW(arena, &logical, error));
    *ret_logical = logical;
    logical->kind = export_kind(type->kind);
    lam_bytes crs = {(const uint8_t *)type->crs, type->crs == NULL ? 0 : strlen(type->crs)};
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
        logical->value.decimal.precision = type->precision;
        logical->value.decimal.scale = type->scale;
        break;
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        logical->value.time.is_adjusted_to_utc = type->adjusted_to_utc;
        logical->value.time.unit.kind = (int32_t)type->unit;
        break;
    case LAM_LOGICAL_INTEGER:
        logical->value.integer.bit_width = type->bit_width;
        logical->value.integer.is_signed = type->is_signed;
        break;
    case LAM_LOGICAL_VARIANT:
        logical->value.variant.has =
            type->version == 0 ? 0 : LAM_META_VARIANT_TYPE_HAS_SPECIFICATION_VERSION;
        logical->value.variant.specification_version = type->version;
        break;
    case LAM_LOGICAL_GEOMETRY:
        logical->value.geometry.has = type->crs == NULL ? 0 : LAM_META_GEOMETRY_TYPE_HAS_CRS;
        logical->value.geometry.crs = crs;
        break;
    case LAM_LOGICAL_GEOGRAPHY:
        logical->value.geography.has =
            (type->crs == NULL ? 0 : LAM_META_GEOGRAPHY_TYPE_HAS_CRS) |
            (type->algorithm == LAM_EDGE_ALGORITHM_DEFAULT ? 0
                                                           : LAM_META_GEOGRAPHY_TYPE_HAS_ALGORITHM);
        logical->value.geography.crs = crs;
        logical->value.geography.algorithm = (int32_t)type->algorithm - 1;
        break;
    default:
        break;
    }
    return LAM_STATUS_OK;
}

/* --- ConvertedType -------------------------------------------------------------------------- */

/* Types by their arguments. The converted types of times always mean UTC. */
#define WITHOUT_ARGUMENTS(kind)                                                                    \
    {                                                                                              \
        LAM_LOGICAL_##kind, 0, 0, (lam_time_unit)0, false, 0, false, 0, (lam_edge_algorithm)0,     \
            NULL, NULL                                                                             \
    }
#define OF_TIME(kind, unit)                                                                        \
    {                                                                                              \
        LAM_LOGICAL_##kind, 0, 0, LAM_TIME_UNIT_##unit, true, 0, false, 0, (lam_edge_algorithm)0,  \
            NULL, NULL                                                                             \
    }
#define OF_INTEGER(bit_width, is_signed)                                                           \
    {                                                                                              \
        LAM_LOGICAL_INTEGER, 0, 0, (lam_time_unit)0, false, (bit_width), (is_signed), 0,           \
            (lam_edge_algorithm)0, NULL, NULL                                                      \
    }

/* The type that each converted type means; the arguments of DECIMAL are in the element. */
static const lam_logical_type CONVERTED[] = {
    [LAM_META_CONVERTED_UTF8] = WITHOUT_ARGUMENTS(STRING),
    [LAM_META_CONVERTED_MAP] = WITHOUT_ARGUMENTS(MAP),
    [LAM_META_CONVERTED_MAP_KEY_VALUE] = WITHOUT_ARGUMENTS(MAP_KEY_VALUE),
    [LAM_META_CONVERTED_LIST] = WITHOUT_ARGUMENTS(LIST),
    [LAM_META_CONVERTED_ENUM] = WITHOUT_ARGUMENTS(ENUM),
    [LAM_META_CONVERTED_DECIMAL] = WITHOUT_ARGUMENTS(DECIMAL),
    [LAM_META_CONVERTED_DATE] = WITHOUT_ARGUMENTS(DATE),
    [LAM_META_CONVERTED_TIME_MILLIS] = OF_TIME(TIME, MILLIS),
    [LAM_META_CONVERTED_TIME_MICROS] = OF_TIME(TIME, MICROS),
    [LAM_META_CONVERTED_TIMESTAMP_MILLIS] = OF_TIME(TIMESTAMP, MILLIS),
    [LAM_META_CONVERTED_TIMESTAMP_MICROS] = OF_TIME(TIMESTAMP, MICROS),
    [LAM_META_CONVERTED_UINT_8] = OF_INTEGER(8, false),
    [LAM_META_CONVERTED_UINT_16] = OF_INTEGER(16, false),
    [LAM_META_CONVERTED_UINT_32] = OF_INTEGER(32, false),
    [LAM_META_CONVERTED_UINT_64] = OF_INTEGER(64, false),
    [LAM_META_CONVERTED_INT_8] = OF_INTEGER(8, true),
    [LAM_META_CONVERTED_INT_16] = OF_INTEGER(16, true),
    [LAM_META_CONVERTED_INT_32] = OF_INTEGER(32, true),
    [LAM_META_CONVERTED_INT_64] = OF_INTEGER(64, true),
    [LAM_META_CONVERTED_JSON] = WITHOUT_ARGUMENTS(JSON),
    [LAM_META_CONVERTED_BSON] = WITHOUT_ARGUMENTS(BSON),
    [LAM_META_CONVERTED_INTERVAL] = WITHOUT_ARGUMENTS(INTERVAL),
};

enum { CONVERTED_COUNT = sizeof CONVERTED / sizeof CONVERTED[0] };

/*
 * True if a converted type may annotate the element. Those of TIMESTAMP annotate INT64 only, and
 * the logical type a FIXED_LEN_BYTE_ARRAY(12), too. (LogicalTypes.md, section "TIMESTAMP")
 */
static bool is_for_element(const lam_logical_type *converted,
                           const lam_meta_schema_element *element) {
    return converted->kind != LAM_LOGICAL_TIMESTAMP ||
           (element->has & LAM_META_SCHEMA_ELEMENT_HAS_TYPE) == 0 ||
           element->type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
}

/* Copies the meaning of a converted type. */
static void import_converted(const lam_meta_schema_element *element, lam_logical_type *type) {
    int32_t converted = element->converted_type;
    if (converted < 0 || converted >= CONVERTED_COUNT) {
        type->kind = LAM_LOGICAL_UNRECOGNIZED;
        return;
    }
    *type = CONVERTED[converted];
    if (!is_for_element(type, element)) {
        *type = (lam_logical_type)WITHOUT_ARGUMENTS(UNRECOGNIZED);
        return;
    }
    if (type->kind == LAM_LOGICAL_DECIMAL) {
        type->precision = element->precision;
        type->scale = element->scale;
    }
}

/*
 * Finds the converted type of equal kind and arguments, if there is one. `adjusted_to_utc` is not
 * compared: local times get the converted type of those in UTC, since old readers and writers know
 * no other.
 */
static void export_converted(const lam_logical_type *type, lam_meta_schema_element *element) {
    int32_t i = 0;
    while (i < CONVERTED_COUNT &&
           (CONVERTED[i].kind != type->kind || CONVERTED[i].unit != type->unit ||
            CONVERTED[i].bit_width != type->bit_width || CONVERTED[i].is_signed != type->is_signed))
        i++;
    if (i == CONVERTED_COUNT || !is_for_element(type, element))
        return;
    element->has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
    element->converted_type = i;
    if (type->kind == LAM_LOGICAL_DECIMAL) {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_SCALE | LAM_META_SCHEMA_ELEMENT_HAS_PRECISION;
        element->scale = type->scale;
        element->precision = type->precision;
    }
}

/* --- Both ----------------------------------------------------------------------------------- */

/*
 * The LogicalType wins, with one exception: INTERVAL has no logical type of its own
 * (LogicalTypes.md, section "INTERVAL"), and parquet-mr 1.12 wrote UNKNOWN beside it.
 */
void lam_meta_logical_import(const lam_meta_schema_element *element, lam_logical_type *ret_type,
                             lam_bytes *ret_crs) {
    lam_logical_type type = LAM_ZERO_INIT;
    lam_bytes crs = {NULL, 0};
    bool has_converted = (element->has & LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE) != 0;
    if (element->logical_type != NULL)
        import_logical(element->logical_type, &type, &crs);
    /* An absent converted_type is 0, UTF8, and cannot be taken for INTERVAL. */
    bool is_interval =
        type.kind == LAM_LOGICAL_UNKNOWN && element->converted_type == LAM_META_CONVERTED_INTERVAL;
    if (has_converted && (element->logical_type == NULL || is_interval))
        import_converted(element, &type);
    *ret_type = type;
    *ret_crs = crs;
}

/* States both annotations, if both exist. */
static lam_status export_usual(const lam_logical_type *type, lam_arena *arena,
                               lam_meta_schema_element *element, lam_error *error) {
    if (export_kind(type->kind) != 0)
        LAM_TRY(export_logical(type, arena, &element->logical_type, error));
    export_converted(type, element);
    return LAM_STATUS_OK;
}

static void export_number(bool has, uint32_t bit, int32_t number, int32_t *ret_number,
                          lam_meta_schema_element *element) {
    if (!has)
        return;
    element->has |= bit;
    *ret_number = number;
}

static lam_status export_statement(const lam_type_statement *statement, lam_arena *arena,
                                   lam_meta_schema_element *element, lam_error *error) {
    export_number(statement->has_converted, LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE,
                  statement->converted, &element->converted_type, element);
    export_number(statement->has_scale, LAM_META_SCHEMA_ELEMENT_HAS_SCALE, statement->scale,
                  &element->scale, element);
    export_number(statement->has_precision, LAM_META_SCHEMA_ELEMENT_HAS_PRECISION,
                  statement->precision, &element->precision, element);
    if (statement->logical.data == NULL)
        return LAM_STATUS_OK;
    lam_meta_logical_type *logical;
    LAM_TRY(LAM_ARENA_NEW(arena, &logical, error));
    logical->kind = LAM_META_UNION_AS_READ;
    logical->as_read = statement->logical;
    element->logical_type = logical;
    return LAM_STATUS_OK;
}

lam_status lam_meta_logical_export(const lam_logical_type *type, lam_arena *arena,
                                   lam_meta_schema_element *element, lam_error *error) {
    return type->statement != NULL ? export_statement(type->statement, arena, element, error)
                                   : export_usual(type, arena, element, error);
}

/* --- Statements ----------------------------------------------------------------------------- */

static lam_type_statement statement_of(const lam_meta_schema_element *element,
                                       const lam_logical_type *type) {
    bool is_leaf = (element->has & LAM_META_SCHEMA_ELEMENT_HAS_TYPE) != 0;
    bool is_fixed = is_leaf && element->type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    lam_type_statement statement = LAM_ZERO_INIT;
    statement.means = lam_logical_type_normal(type);
    statement.physical_type = is_leaf ? (lam_physical_type)element->type : LAM_PHYSICAL_GROUP;
    statement.type_length =
        lam_physical_type_length(statement.physical_type, is_fixed ? element->type_length : 0);
    if (element->logical_type != NULL)
        statement.logical = element->logical_type->as_read;
    statement.has_converted = (element->has & LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE) != 0;
    statement.has_scale = (element->has & LAM_META_SCHEMA_ELEMENT_HAS_SCALE) != 0;
    statement.has_precision = (element->has & LAM_META_SCHEMA_ELEMENT_HAS_PRECISION) != 0;
    statement.converted = element->converted_type;
    statement.scale = element->scale;
    statement.precision = element->precision;
    return statement;
}

/* True when the element states its type in the usual way. */
static lam_status is_usual(const lam_type_statement *statement, const lam_logical_type *type,
                           lam_arena *arena, bool *ret_usual, lam_error *error) {
    lam_meta_schema_element usual = {0};
    lam_buffer bytes;
    lam_status status = LAM_STATUS_OK;
    lam_buffer_init(&bytes, &arena->allocator);
    usual.has =
        statement->physical_type == LAM_PHYSICAL_GROUP ? 0 : LAM_META_SCHEMA_ELEMENT_HAS_TYPE;
    usual.type = (int32_t)statement->physical_type;
    LAM_TRY_OUT(export_usual(type, arena, &usual, error));
    lam_type_statement wanted = statement_of(&usual, type);
    if (usual.logical_type != NULL) {
        LAM_TRY_OUT(lam_meta_write_logical_type(usual.logical_type, &bytes, error));
        wanted.logical = lam_buffer_bytes(&bytes);
    }
    *ret_usual = lam_type_statement_equals(statement, &wanted);
out:
    lam_buffer_finish(&bytes);
    return status;
}

lam_status lam_meta_logical_statement(const lam_meta_schema_element *element,
                                      const lam_logical_type *type, lam_arena *arena,
                                      const lam_type_statement **ret_statement, lam_error *error) {
    lam_type_statement statement = statement_of(element, type);
    bool usual = false;
    *ret_statement = NULL;
    if (statement.logical.data == NULL && !statement.has_converted && !statement.has_scale &&
        !statement.has_precision)
        return LAM_STATUS_OK;
    /* A type that its field may not have is dropped when the schema is built. */
    if (lam_logical_type_problem(type, statement.physical_type, statement.type_length) == NULL)
        LAM_TRY(is_usual(&statement, type, arena, &usual, error));
    return usual
               ? LAM_STATUS_OK
               : lam_type_statement_copy(&statement, &statement.means, arena, ret_statement, error);
}
