/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An Arrow schema as a tree in memory, whatever its source: struct ArrowSchema, the ARROW:schema of
 * a file, or a Parquet schema.
 */
#ifndef LAM_ARROW_FIELD_ARROW_FIELD_H
#define LAM_ARROW_FIELD_ARROW_FIELD_H

#include <lamella/arrow.h>

#include "base/arena.h"

typedef enum lam_arrow_kind {
    LAM_ARROW_NULL,
    LAM_ARROW_BOOL,
    LAM_ARROW_INT8,
    LAM_ARROW_UINT8,
    LAM_ARROW_INT16,
    LAM_ARROW_UINT16,
    LAM_ARROW_INT32,
    LAM_ARROW_UINT32,
    LAM_ARROW_INT64,
    LAM_ARROW_UINT64,
    LAM_ARROW_FLOAT16,
    LAM_ARROW_FLOAT32,
    LAM_ARROW_FLOAT64,
    LAM_ARROW_DECIMAL, /* bit_width 32, 64, 128 or 256 */
    LAM_ARROW_DATE32,  /* days */
    LAM_ARROW_DATE64,  /* milliseconds */
    LAM_ARROW_TIME32,  /* seconds or milliseconds */
    LAM_ARROW_TIME64,  /* microseconds or nanoseconds */
    LAM_ARROW_TIMESTAMP,
    LAM_ARROW_DURATION,
    LAM_ARROW_INTERVAL_MONTHS,
    LAM_ARROW_INTERVAL_DAY_TIME,
    LAM_ARROW_INTERVAL_MONTH_DAY_NANO,
    LAM_ARROW_BINARY,
    LAM_ARROW_LARGE_BINARY,
    LAM_ARROW_BINARY_VIEW,
    LAM_ARROW_STRING,
    LAM_ARROW_LARGE_STRING,
    LAM_ARROW_STRING_VIEW,
    LAM_ARROW_FIXED_SIZE_BINARY, /* fixed_size bytes */
    LAM_ARROW_LIST,
    LAM_ARROW_LARGE_LIST,
    LAM_ARROW_LIST_VIEW,
    LAM_ARROW_LARGE_LIST_VIEW,
    LAM_ARROW_FIXED_SIZE_LIST, /* fixed_size elements */
    LAM_ARROW_STRUCT,
    LAM_ARROW_MAP,             /* one child, a struct of key and value */
    LAM_ARROW_RUN_END_ENCODED, /* two children, run ends and values */
    LAM_ARROW_SPARSE_UNION,
    LAM_ARROW_DENSE_UNION
} lam_arrow_kind;

/* From coarse to fine; the numbers are those of Arrow's metadata. */
typedef enum lam_arrow_unit {
    LAM_ARROW_SECOND = 0,
    LAM_ARROW_MILLISECOND = 1,
    LAM_ARROW_MICROSECOND = 2,
    LAM_ARROW_NANOSECOND = 3
} lam_arrow_unit;

/* A type with its arguments; those that a kind does not have are 0 or NULL. */
typedef struct lam_arrow_type {
    lam_arrow_kind kind;
    int32_t bit_width;    /* DECIMAL */
    int32_t precision;    /* DECIMAL */
    int32_t scale;        /* DECIMAL, may be negative */
    lam_arrow_unit unit;  /* TIME32, TIME64, TIMESTAMP, DURATION */
    const char *timezone; /* TIMESTAMP: NULL without a zone; never "" */
    int32_t fixed_size;   /* FIXED_SIZE_BINARY, FIXED_SIZE_LIST: 0 or more */
    bool keys_sorted;     /* MAP */
    lam_bytes union_ids;  /* the unions: a type id of 0 to 127 for each child */
} lam_arrow_type;

typedef struct lam_arrow_key_value {
    lam_bytes key;
    lam_bytes value;
} lam_arrow_key_value;

typedef struct lam_arrow_metadata {
    size_t count;
    const lam_arrow_key_value *key_values; /* extension name and parameters among them */
} lam_arrow_metadata;

/*
 * A field. A dictionary-encoded one has the type and the children of its values, and `index_kind`
 * besides. In struct ArrowSchema its values may have metadata of their own, for which the schemas
 * in files have no room.
 */
typedef struct lam_arrow_field {
    const char *name; /* UTF-8, never NULL */
    lam_arrow_type type;
    bool nullable;
    bool is_dictionary;
    bool dictionary_ordered;
    lam_arrow_kind index_kind; /* INT8 to UINT64, when is_dictionary */
    lam_arrow_metadata metadata;
    lam_arrow_metadata values_metadata; /* when is_dictionary, and imported */
    size_t child_count;
    struct lam_arrow_field *children;
} lam_arrow_field;

/* Deepest nesting of a tree: the same as that of Parquet schemas. */
#define LAM_ARROW_DEPTH_MAX LAM_SCHEMA_DEPTH_MAX

/*
 * Builds the tree of a struct ArrowSchema in `arena`; the tree refers to nothing of `schema`.
 * INVALID, with the field's path, when it breaks the rules of the C data interface: an unknown
 * format, wrong numbers of children, a released or NULL child, text that is not UTF-8, metadata
 * with negative numbers; UNSUPPORTED when a dictionary's values are dictionary encoded themselves;
 * LIMIT when it is deeper than LAM_ARROW_DEPTH_MAX or has more fields than LAM_SCHEMA_FIELDS_MAX.
 * The entries and keys of maps come out as not nullable, as the format demands.
 */
lam_status lam_arrow_field_import(const struct ArrowSchema *schema, lam_arena *arena,
                                  lam_arrow_field *ret_field, lam_error *error);

/*
 * The mirror: a struct that owns its memory, taken from `allocator`, as does each struct below it,
 * so that children can be moved out. NOMEM, or LIMIT when metadata needs numbers above INT32_MAX.
 */
lam_status lam_arrow_field_export(const lam_arrow_field *field, const lam_allocator *allocator,
                                  struct ArrowSchema *ret_schema, lam_error *error);

/* The value of a key, or NULL; the name of the extension type, or empty bytes. */
const lam_bytes *lam_arrow_metadata_find(const lam_arrow_metadata *metadata, const char *key);
lam_bytes lam_arrow_extension_name(const lam_arrow_field *field);

/* True when both have the same kind and arguments. */
bool lam_arrow_type_equals(const lam_arrow_type *a, const lam_arrow_type *b);

/* The name of a kind in lower case, such as "large_list_view"; never NULL, static. */
const char *lam_arrow_kind_name(lam_arrow_kind kind);

/*
 * Bytes of an element in buffer 1 of an array, which may be an offset; 0 without such a buffer, or
 * for bits.
 */
size_t lam_arrow_slot_size(lam_arrow_kind kind, const lam_arrow_type *type);

/*
 * Checks a type's arguments. Returns a static text for the message, after a path and a colon, or
 * NULL when all is well.
 */
const char *lam_arrow_type_fault(const lam_arrow_type *type);

/*
 * Completes a field whose children are built: checks its type and the number and kinds of its
 * children, with the same result, and makes the entries and keys of a map not nullable.
 */
const char *lam_arrow_field_complete(lam_arrow_field *field);

#endif
