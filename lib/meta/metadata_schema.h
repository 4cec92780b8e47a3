/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema in the metadata of a Parquet file: SchemaElement of thrift/parquet.thrift, and the
 * types that it is annotated with, by the rules of metadata.h. (LogicalTypes.md)
 *
 *   message m { optional group a (LIST) { repeated group list { optional int32 element; } } }
 *
 *   element  name     num_children  type   repetition
 *   0        m        1
 *   1        a        1                    OPTIONAL    LIST
 *   2        list     1                    REPEATED
 *   3        element                INT32  OPTIONAL
 */
#ifndef LAM_META_METADATA_SCHEMA_H
#define LAM_META_METADATA_SCHEMA_H

#include <lamella/common.h>

/*
 * ConvertedType: the annotations of the format before LogicalType. Writers state them beside it for
 * old readers, if one means the same.
 */
typedef enum lam_meta_converted_type {
    LAM_META_CONVERTED_UTF8 = 0,
    LAM_META_CONVERTED_MAP = 1,
    LAM_META_CONVERTED_MAP_KEY_VALUE = 2,
    LAM_META_CONVERTED_LIST = 3,
    LAM_META_CONVERTED_ENUM = 4,
    LAM_META_CONVERTED_DECIMAL = 5,
    LAM_META_CONVERTED_DATE = 6,
    LAM_META_CONVERTED_TIME_MILLIS = 7,
    LAM_META_CONVERTED_TIME_MICROS = 8,
    LAM_META_CONVERTED_TIMESTAMP_MILLIS = 9,
    LAM_META_CONVERTED_TIMESTAMP_MICROS = 10,
    LAM_META_CONVERTED_UINT_8 = 11,
    LAM_META_CONVERTED_UINT_16 = 12,
    LAM_META_CONVERTED_UINT_32 = 13,
    LAM_META_CONVERTED_UINT_64 = 14,
    LAM_META_CONVERTED_INT_8 = 15,
    LAM_META_CONVERTED_INT_16 = 16,
    LAM_META_CONVERTED_INT_32 = 17,
    LAM_META_CONVERTED_INT_64 = 18,
    LAM_META_CONVERTED_JSON = 19,
    LAM_META_CONVERTED_BSON = 20,
    LAM_META_CONVERTED_INTERVAL = 21
} lam_meta_converted_type;

/* DecimalType: the number is the unscaled integer times 10^-scale. */
typedef struct lam_meta_decimal_type {
    uint32_t has;
    int32_t scale;
    int32_t precision;
} lam_meta_decimal_type;

/* TimeUnit: the unit that a TIME or TIMESTAMP counts. */
typedef enum lam_meta_time_unit_kind {
    LAM_META_TIME_UNIT_MILLIS = 1,
    LAM_META_TIME_UNIT_MICROS = 2,
    LAM_META_TIME_UNIT_NANOS = 3
} lam_meta_time_unit_kind;

typedef struct lam_meta_time_unit {
    int32_t kind; /* lam_meta_time_unit_kind or LAM_META_UNION_... */
} lam_meta_time_unit;

/* TIME and TIMESTAMP. */
typedef struct lam_meta_time_type {
    uint32_t has;
    bool is_adjusted_to_utc;
    lam_meta_time_unit unit;
} lam_meta_time_type;

/* IntType: an integer of 8, 16, 32 or 64 bits, stored as INT32 or INT64. */
typedef struct lam_meta_int_type {
    uint32_t has;
    int8_t bit_width;
    bool is_signed;
} lam_meta_int_type;

enum { LAM_META_VARIANT_TYPE_HAS_SPECIFICATION_VERSION = 1u << 1 };

/* VariantType: the version of the VARIANT encoding in the group, if stated. */
typedef struct lam_meta_variant_type {
    uint32_t has;
    int8_t specification_version;
} lam_meta_variant_type;

enum { LAM_META_GEOMETRY_TYPE_HAS_CRS = 1u << 1 };

/* GeometryType: WKB in a plane. Without a coordinate reference system, OGC:CRS84 applies. */
typedef struct lam_meta_geometry_type {
    uint32_t has;
    lam_bytes crs;
} lam_meta_geometry_type;

enum { LAM_META_GEOGRAPHY_TYPE_HAS_CRS = 1u << 1, LAM_META_GEOGRAPHY_TYPE_HAS_ALGORITHM = 1u << 2 };

/* GeographyType: WKB on an ellipsoid, whose edges follow an algorithm, SPHERICAL if absent. */
typedef struct lam_meta_geography_type {
    uint32_t has;
    int32_t algorithm; /* SPHERICAL 0, VINCENTY 1, THOMAS 2, ANDOYER 3, KARNEY 4 */
    lam_bytes crs;
} lam_meta_geography_type;

/* LogicalType: the ids of its members. The format reserves id 9 for INTERVAL. */
typedef enum lam_meta_logical_kind {
    LAM_META_LOGICAL_STRING = 1,
    LAM_META_LOGICAL_MAP = 2,
    LAM_META_LOGICAL_LIST = 3,
    LAM_META_LOGICAL_ENUM = 4,
    LAM_META_LOGICAL_DECIMAL = 5,
    LAM_META_LOGICAL_DATE = 6,
    LAM_META_LOGICAL_TIME = 7,
    LAM_META_LOGICAL_TIMESTAMP = 8,
    LAM_META_LOGICAL_INTEGER = 10,
    LAM_META_LOGICAL_UNKNOWN = 11,
    LAM_META_LOGICAL_JSON = 12,
    LAM_META_LOGICAL_BSON = 13,
    LAM_META_LOGICAL_UUID = 14,
    LAM_META_LOGICAL_FLOAT16 = 15,
    LAM_META_LOGICAL_VARIANT = 16,
    LAM_META_LOGICAL_GEOMETRY = 17,
    LAM_META_LOGICAL_GEOGRAPHY = 18,
    LAM_META_LOGICAL_FILE = 19
} lam_meta_logical_kind;

/* A LogicalType; types without a member of `value` have no arguments. */
typedef struct lam_meta_logical_type {
    int32_t kind; /* lam_meta_logical_kind or LAM_META_UNION_... */
    union {
        lam_meta_decimal_type decimal;
        lam_meta_time_type time; /* TIME and TIMESTAMP */
        lam_meta_int_type integer;
        lam_meta_variant_type variant;
        lam_meta_geometry_type geometry;
        lam_meta_geography_type geography;
    } value;
    lam_bytes as_read; /* the union on the wire, unknown fields and members included */
} lam_meta_logical_type;

enum {
    LAM_META_SCHEMA_ELEMENT_HAS_TYPE = 1u << 1,
    LAM_META_SCHEMA_ELEMENT_HAS_TYPE_LENGTH = 1u << 2,
    LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE = 1u << 3,
    LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN = 1u << 5,
    LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE = 1u << 6,
    LAM_META_SCHEMA_ELEMENT_HAS_SCALE = 1u << 7,
    LAM_META_SCHEMA_ELEMENT_HAS_PRECISION = 1u << 8,
    LAM_META_SCHEMA_ELEMENT_HAS_FIELD_ID = 1u << 9
};

/*
 * SchemaElement: one field of the schema, which the footer lists in preorder. A group has
 * num_children and no type; a leaf has a type. The root has no repetition.
 */
typedef struct lam_meta_schema_element {
    uint32_t has;
    int32_t type;            /* lam_physical_type, never GROUP */
    int32_t type_length;     /* bytes, of FIXED_LEN_BYTE_ARRAY */
    int32_t repetition_type; /* lam_repetition */
    lam_bytes name;
    int32_t num_children;
    int32_t converted_type; /* lam_meta_converted_type */
    int32_t scale;          /* of the converted type DECIMAL */
    int32_t precision;      /* likewise */
    int32_t field_id;       /* of the application, as table formats use it */
    const lam_meta_logical_type *logical_type;
} lam_meta_schema_element;

typedef struct lam_meta_schema_element_list {
    const lam_meta_schema_element *items;
    uint32_t count;
} lam_meta_schema_element_list;

#endif
