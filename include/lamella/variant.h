/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANT: values whose types are known only from the values themselves (VariantEncoding.md). A
 * value is two runs of bytes: the metadata, a dictionary of field names, and the value, which
 * refers to the names by number.
 *
 *     lam_variant             a view of both runs; reading it copies nothing
 *     lam_variant_validate    proves runs from an untrusted source well formed, once
 *     lam_variant_builder     makes values
 *     lam_variant_shredder    splits values into the columns of a group, and
 *     lam_variant_assembler   makes values of these columns (VariantShredding.md)
 *
 * Every accessor checks the bytes that it reads and never reads outside of the two runs, whatever
 * they hold, so validating first serves only to find errors early. Views have no state: any number
 * of threads may read the same bytes.
 */
#ifndef LAMELLA_VARIANT_H
#define LAMELLA_VARIANT_H

#include <lamella/common.h>
#include <lamella/projection.h>
#include <lamella/record.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most objects and arrays inside each other that are validated, built, printed or shredded. */
#define LAM_VARIANT_DEPTH_MAX 1024

/*
 * The kinds of values: the physical types of the format, with one kind for both booleans and one
 * for short and long strings. (VariantEncoding.md, "Encoding types")
 */
typedef enum lam_variant_kind {
    LAM_VARIANT_NULL = 0,
    LAM_VARIANT_BOOLEAN,
    LAM_VARIANT_INT8,
    LAM_VARIANT_INT16,
    LAM_VARIANT_INT32,
    LAM_VARIANT_INT64,
    LAM_VARIANT_FLOAT,
    LAM_VARIANT_DOUBLE,
    LAM_VARIANT_DECIMAL4,            /* up to 9 digits */
    LAM_VARIANT_DECIMAL8,            /* up to 18 */
    LAM_VARIANT_DECIMAL16,           /* up to 38 */
    LAM_VARIANT_DATE,                /* days */
    LAM_VARIANT_TIME,                /* microseconds, in no time zone */
    LAM_VARIANT_TIMESTAMP,           /* microseconds, UTC */
    LAM_VARIANT_TIMESTAMP_NTZ,       /* microseconds, in no time zone */
    LAM_VARIANT_TIMESTAMP_NANOS,     /* nanoseconds, UTC */
    LAM_VARIANT_TIMESTAMP_NTZ_NANOS, /* nanoseconds, in no time zone */
    LAM_VARIANT_BINARY,
    LAM_VARIANT_STRING,
    LAM_VARIANT_UUID,
    LAM_VARIANT_OBJECT,
    LAM_VARIANT_ARRAY,
    LAM_VARIANT_UNKNOWN /* no bytes at all, or a type of a later specification */
} lam_variant_kind;

/*
 * The enumerator's name in lower case: "int8", "timestamp_ntz" and so on; "unknown" for numbers out
 * of range. Never NULL, static.
 */
LAM_PUBLIC const char *lam_variant_kind_name(lam_variant_kind kind);

/*
 * A view of a value and of the metadata that its field ids refer to. Both are borrowed. Views of
 * fields and elements have the metadata of the whole value.
 */
typedef struct lam_variant {
    lam_bytes metadata;
    lam_bytes value; /* bytes after the value are allowed, and ignored by accessors */
} lam_variant;

/* The kind, from the first byte alone; UNKNOWN without bytes. */
LAM_PUBLIC lam_variant_kind lam_variant_kind_of(lam_variant variant);

/* --- Scalars -------------------------------------------------------------------------------- */

/* The smallest kind of integers that holds the number. */
static inline lam_variant_kind lam_variant_integer_kind(int64_t number) {
    if (number >= INT8_MIN && number <= INT8_MAX)
        return LAM_VARIANT_INT8;
    if (number >= INT16_MIN && number <= INT16_MAX)
        return LAM_VARIANT_INT16;
    return number >= INT32_MIN && number <= INT32_MAX ? LAM_VARIANT_INT32 : LAM_VARIANT_INT64;
}

/*
 * The number unscaled / 10^scale, where unscaled is the two's complement number high * 2^64 + low:
 * -1.25 is {low 0xFFFFFFFFFFFFFF83, high -1, scale 2}.
 */
typedef struct lam_decimal {
    uint64_t low;
    int64_t high;
    uint8_t scale; /* 0 to 38 */
} lam_decimal;

/*
 * A value that is neither an object nor an array; the kind says which member of `as` counts, none
 * for NULL.
 */
typedef struct lam_variant_scalar {
    lam_variant_kind kind;
    union {
        bool boolean;
        int64_t integer;     /* INT8 to INT64; DATE: days since 1970-01-01; TIME: microseconds since
                                midnight; TIMESTAMP to TIMESTAMP_NTZ_NANOS: since 1970-01-01, in
                                the unit of the kind */
        float float32;       /* FLOAT */
        double float64;      /* DOUBLE */
        lam_decimal decimal; /* DECIMAL4 to DECIMAL16 */
        lam_bytes bytes;     /* BINARY; STRING, UTF-8; UUID, 16 bytes */
    } as;
} lam_variant_scalar;

/*
 * Reads a scalar of any kind; its bytes are borrowed as the variant's are. INVALID for an object or
 * an array, UNSUPPORTED for a type of a later specification, CORRUPT when the value ends early. A
 * string is not checked to be UTF-8, nor a decimal's scale to be at most 38.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get(lam_variant variant,
                                                    lam_variant_scalar *ret_scalar,
                                                    lam_error *error);
/* --- Objects and arrays --------------------------------------------------------------------- */

/*
 * The number of fields of an object, or of elements of an array. INVALID for any other kind,
 * UNSUPPORTED for a type of a later specification, CORRUPT when the value ends early.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_count(lam_variant variant, size_t *ret_count,
                                                      lam_error *error);
/*
 * Gives the value of a field of an object, by a binary search for its name, as the format keeps
 * fields in the order of their names. `name` has `size` bytes and needs no NUL. NOT_FOUND when the
 * object has no such field; INVALID for any other kind; UNSUPPORTED, CORRUPT.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_field(lam_variant object, const char *name,
                                                      size_t size, lam_variant *ret_value,
                                                      lam_error *error);
/*
 * Gives the element of an array at an index from 0. NOT_FOUND after the last; INVALID for any
 * other kind; UNSUPPORTED, CORRUPT.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_element(lam_variant array, size_t index,
                                                        lam_variant *ret_value, lam_error *error);

/*
 * A walk over the fields of an object or the elements of an array. The members are private; there
 * is nothing to free.
 */
typedef struct lam_variant_iterator {
    lam_variant variant;
    size_t next;
    size_t count;
} lam_variant_iterator;

/* Begins a walk. The errors of lam_variant_count. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_iterate(lam_variant variant,
                                                        lam_variant_iterator *ret_iterator,
                                                        lam_error *error);
/*
 * Gives the next value, and its name in an object (no bytes in an array; `ret_name` may be NULL).
 * At the end `*ret_more` is false, and nothing else is set. CORRUPT, UNSUPPORTED.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_next(lam_variant_iterator *iterator,
                                                     lam_bytes *ret_name, lam_variant *ret_value,
                                                     bool *ret_more, lam_error *error);

/* --- The whole ------------------------------------------------------------------------------ */

/* What lam_variant_validate accepts beyond the specification; add them up. */
enum {
    LAM_VARIANT_ACCEPT_WIDE_DECIMALS = 1, /* a decimal with more digits than its kind may have:
                                             early writers chose the kind by the number's bytes */
    LAM_VARIANT_ACCEPT_ANY_ORDER = 2,     /* fields in any order, as some writers that shred leave
                                             them, and a name twice; lam_variant_field may miss
                                             fields of such an object */
    LAM_VARIANT_ACCEPT_ANY_NAMES = 4 /* metadata with a false claim of sorted and unique names, as
                                        DuckDB 1.5.0 to 1.5.4 wrote it */
};

/*
 * Proves a variant well formed:
 *
 *   - metadata of version 1, or `01 00`, which counts as empty; offsets that rise from 0 to the end
 *     of the names; names in UTF-8, sorted and unique if the metadata claims it
 *   - known types, all bytes of each; decimals with at most 38 digits after the point and no more
 *     digits than their kind allows; strings in UTF-8
 *   - fields with ids in the dictionary, in the order of their names, no name twice
 *   - offsets inside of their object or array, whose values together take no more bytes than it
 *     has; no value shares bytes with the one listed before it. Values may stand in any order, and
 *     bytes between them are ignored
 *   - no bytes after the metadata or the value
 *
 * `accept` is 0 or a sum of LAM_VARIANT_ACCEPT_... Takes time in proportion to the bytes, and no
 * memory from an allocator. CORRUPT with the problem and its offset in its run; UNSUPPORTED for a
 * later version or type; LIMIT beyond LAM_VARIANT_DEPTH_MAX; INVALID for unknown bits in `accept`.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_validate(lam_variant variant, unsigned accept,
                                                         lam_error *error);

/*
 * True when two well-formed values mean the same. Fields are compared by name, not by id; exact
 * numbers (integers and decimals) by value; timestamps in UTC by value whatever their unit, and so
 * those in no time zone; floats and doubles bit for bit, and never as equal to each other. False
 * when either is malformed where it was read, or nested beyond LAM_VARIANT_DEPTH_MAX.
 */
LAM_PUBLIC bool lam_variant_equals(lam_variant a, lam_variant b);

/* --- Building ------------------------------------------------------------------------------- */

/* Options of a builder. Zero means the default in every member. */
typedef struct lam_variant_builder_options {
    size_t struct_size;
    bool last_wins; /* of fields with one name in an object the last counts; default: the value is
                       refused */
} lam_variant_builder_options;

LAM_GROWING(lam_variant_builder_options);

/*
 * Builds values in one pass from calls for single values:
 *
 *     value   put, copy | begin_object { field value } ... end_object
 *                       | begin_array { value } ... end_array
 *
 * and finish, once the value is complete. Everything has the smallest size that the format allows:
 * strings of up to 63 bytes are short, ids, offsets and counts are as narrow as possible, and
 * values stand in the order of their names. A call that fails leaves the builder as it was, except
 * finish, after which the next value may begin. STATE for a call that is out of order. One thread
 * at a time.
 */
typedef struct lam_variant_builder lam_variant_builder;

/* Creates a builder. `options` may be NULL; `allocator` may be NULL and is copied. NOMEM. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_create(
    const lam_variant_builder_options *options, const lam_allocator *allocator,
    lam_variant_builder **ret_builder, lam_error *error);
/* Opens an object as the next value. LIMIT beyond LAM_VARIANT_DEPTH_MAX; STATE, NOMEM. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_begin_object(lam_variant_builder *builder,
                                                                     lam_error *error);
/* Closes the innermost object. STATE if an array is innermost, or a field has no value yet. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_end_object(lam_variant_builder *builder,
                                                                   lam_error *error);
/* Opens an array as the next value. LIMIT beyond LAM_VARIANT_DEPTH_MAX; STATE, NOMEM. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_begin_array(lam_variant_builder *builder,
                                                                    lam_error *error);
/* Closes the innermost array. STATE if an object is innermost. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_end_array(lam_variant_builder *builder,
                                                                  lam_error *error);
/*
 * Names the next value of an object. Any UTF-8 of `size` bytes, which are copied; the name may be
 * empty. INVALID for bytes that are not UTF-8; STATE, LIMIT, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_field(lam_variant_builder *builder,
                                                              const char *name, size_t size,
                                                              lam_error *error);
/*
 * Adds a scalar as exactly its kind; bytes are copied. INVALID when the number does not fit the
 * kind, a string is not UTF-8, a UUID does not have 16 bytes, or the kind is not that of a scalar;
 * LIMIT for more than 2^32 - 1 bytes; STATE, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put(lam_variant_builder *builder,
                                                            const lam_variant_scalar *scalar,
                                                            lam_error *error);
/*
 * The following calls add a scalar of one kind, with the errors of lam_variant_builder_put. This
 * one adds a Variant null.
 */
static inline LAM_NODISCARD lam_status lam_variant_builder_put_null(lam_variant_builder *builder,
                                                                    lam_error *error) {
    lam_variant_scalar scalar = LAM_ZERO_INIT;
    return lam_variant_builder_put(builder, &scalar, error);
}

static inline LAM_NODISCARD lam_status lam_variant_builder_put_boolean(lam_variant_builder *builder,
                                                                       bool value,
                                                                       lam_error *error) {
    lam_variant_scalar scalar = LAM_ZERO_INIT;
    scalar.kind = LAM_VARIANT_BOOLEAN;
    scalar.as.boolean = value;
    return lam_variant_builder_put(builder, &scalar, error);
}

/* Adds INT8, INT16, INT32 or INT64, the smallest that holds the number. */
static inline LAM_NODISCARD lam_status lam_variant_builder_put_integer(lam_variant_builder *builder,
                                                                       int64_t value,
                                                                       lam_error *error) {
    lam_variant_scalar scalar = LAM_ZERO_INIT;
    scalar.kind = lam_variant_integer_kind(value);
    scalar.as.integer = value;
    return lam_variant_builder_put(builder, &scalar, error);
}

static inline LAM_NODISCARD lam_status lam_variant_builder_put_double(lam_variant_builder *builder,
                                                                      double value,
                                                                      lam_error *error) {
    lam_variant_scalar scalar = LAM_ZERO_INIT;
    scalar.kind = LAM_VARIANT_DOUBLE;
    scalar.as.float64 = value;
    return lam_variant_builder_put(builder, &scalar, error);
}

/*
 * Adds a string of `size` bytes, which are copied and need no NUL. INVALID for bytes that are not
 * UTF-8.
 */
static inline LAM_NODISCARD lam_status lam_variant_builder_put_string(lam_variant_builder *builder,
                                                                      const char *text, size_t size,
                                                                      lam_error *error) {
    lam_variant_scalar scalar = LAM_ZERO_INIT;
    scalar.kind = LAM_VARIANT_STRING;
    scalar.as.bytes.data = (const uint8_t *)text;
    scalar.as.bytes.size = size;
    return lam_variant_builder_put(builder, &scalar, error);
}

/*
 * Adds DECIMAL4, DECIMAL8 or DECIMAL16, by the number of digits; INVALID for more than 38 digits,
 * or a scale above 38.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_decimal(lam_variant_builder *builder,
                                                                    lam_decimal value,
                                                                    lam_error *error);
/*
 * Adds a value, or any value inside of one, that was made with any metadata: its names become names
 * of this builder. The errors of lam_variant_validate; LIMIT beyond LAM_VARIANT_DEPTH_MAX; STATE,
 * NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_copy(lam_variant_builder *builder,
                                                             lam_variant variant, lam_error *error);
/*
 * Gives the value, borrowed until the next call. Its metadata has just its names, sorted. INVALID
 * when a field appears twice in its object, unless `last_wins`; LIMIT for an object
 * or array of more than 2^32 - 1 bytes; STATE when the value is not complete; NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_finish(lam_variant_builder *builder,
                                                               lam_variant *ret_variant,
                                                               lam_error *error);
/* Drops the value that is being built, so that the next one may begin. */
LAM_PUBLIC void lam_variant_builder_clear(lam_variant_builder *builder);
/* Frees the builder and the value that it gave; NULL is allowed. */
LAM_PUBLIC void lam_variant_builder_destroy(lam_variant_builder *builder);

/* --- Shredding and assembling (VariantShredding.md) ------------------------------------------ */

/* The purpose for which a group of a schema is checked. */
typedef enum lam_variant_use {
    LAM_VARIANT_READ, /* also accepts optional groups where the specification demands required ones,
                         and required as well as optional `value` and `typed_value` */
    LAM_VARIANT_WRITE /* exactly as the specification demands */
} lam_variant_use;

/*
 * Checks whether a group holds a VARIANT, shredded or not: a binary `metadata`, and `value` or
 * `typed_value` or both, found by their names in any order; typed_value is a leaf of one of the
 * types that the specification lists, a group of fields, or a list of three levels. The group need
 * not be annotated as VARIANT, as early writers left the annotation out. INVALID with the path of
 * the field that is wrong, UNSUPPORTED for a type of typed_value that is not listed and for a later
 * version; LIMIT, NOMEM. (VariantShredding.md, "Value Shredding")
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_check_group(const lam_field *group,
                                                            lam_variant_use use, lam_error *error);

/* Options of a shredder. Zero means the default in every member. */
typedef struct lam_variant_shredder_options {
    size_t struct_size;
    bool trusted; /* skip the validation of values, which come from a builder or were validated;
                     default: validate each */
} lam_variant_shredder_options;

LAM_GROWING(lam_variant_shredder_options);

/*
 * Turns values into the events of one group of a schema, for the columns that the group has:
 *
 *     value             a value that typed_value cannot hold, and the fields of an object that are
 *                       not shredded; NULL (no event) otherwise
 *     typed_value       a scalar of its kind; an integer also in a wider column, and in a column of
 *                       decimals of scale 0; an object; an array
 *
 * A value that is assembled from them equals the original (lam_variant_equals), and prints as the
 * same JSON. One thread at a time.
 */
typedef struct lam_variant_shredder lam_variant_shredder;

/*
 * Creates a shredder for a group that passes lam_variant_check_group for LAM_VARIANT_WRITE, whose
 * errors it has. It holds the group's schema. `options` may be NULL; `allocator` may be NULL and is
 * copied. NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shredder_create(
    const lam_field *group, const lam_variant_shredder_options *options,
    const lam_allocator *allocator, lam_variant_shredder **ret_shredder, lam_error *error);
/*
 * Replays the group with one value in it into `sink`, from its open to its close. A missing VARIANT
 * has no events: do not call. The errors of lam_variant_validate; INVALID with the path where a
 * value fits no column, because there is no `value`; NOMEM, LIMIT; any status of the sink. A
 * failure is handed over to the sink by `fail`, so that its `end` reports it.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shredder_write(lam_variant_shredder *shredder,
                                                               lam_variant variant,
                                                               const lam_record_sink *sink,
                                                               lam_error *error);
/* Frees the shredder; NULL is allowed. */
LAM_PUBLIC void lam_variant_shredder_destroy(lam_variant_shredder *shredder);

/* Receives records in which each VARIANT is one value. */
typedef struct lam_variant_sink {
    lam_record_sink records; /* receives everything outside of VARIANT groups */
    /* Called instead of the events of a group, with the state of `records`; the value is borrowed
       for the call. */
    lam_status (*variant)(void *state, const lam_field *group, lam_variant variant,
                          lam_error *error);
} lam_variant_sink;

/* Options of an assembler. Zero means the default in every member. */
typedef struct lam_variant_assembler_options {
    size_t struct_size;
    bool tolerate_conflicts; /* typed_value counts where `value` is present as well and contradicts
                                it; default: CORRUPT */
    const lam_projection *projection; /* for the same schema, borrowed until destroy: VARIANTs with
                                         paths inside become objects of the values at these paths;
                                         default (NULL): none */
} lam_variant_assembler_options;

LAM_GROWING(lam_variant_assembler_options);

/*
 * A sink in the middle: takes the events of records in which VARIANT groups are shredded in any
 * valid way, or not at all, and passes them on with one value in the place of each group.
 *
 * A null stands for a value that is missing where there must be one: the VARIANT itself, an
 * element. Names of fields that the metadata lacks, as it did with early writers, are added to it,
 * and fields of an object that are not in order are sorted. A decimal with more digits than its
 * kind may have, and metadata of the two bytes `01 00`, are passed on as they are. So each value is
 * well formed for lam_variant_validate with LAM_VARIANT_ACCEPT_WIDE_DECIMALS. One thread at a time.
 */
typedef struct lam_variant_assembler lam_variant_assembler;

/*
 * Creates an assembler for the groups annotated as VARIANT whose leaves are all marked in `leaves`
 * (one bool for each leaf of the schema; NULL marks all), and for those with paths in the
 * projection. The events of other groups are passed on as they are. The assembler holds the schema;
 * `leaves` is used during the call only, and `next` is copied. `options` and `allocator` may be
 * NULL. INVALID for a projection of another schema; the errors of lam_variant_check_group; NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_assembler_create(
    const lam_schema *schema, const bool *leaves, const lam_variant_assembler_options *options,
    const lam_variant_sink *next, const lam_allocator *allocator,
    lam_variant_assembler **ret_assembler, lam_error *error);
/* Whether the group is one of those that become values; false for NULL. */
LAM_PUBLIC bool lam_variant_assembler_takes(const lam_variant_assembler *assembler,
                                            const lam_field *group);
/*
 * The verbs of the assembler; valid until destroy. CORRUPT with the path for bytes that are not a
 * VARIANT, and for conflicts; UNSUPPORTED for a later version or type; LIMIT for values nested too
 * deep; STATE, INVALID for verbs out of order; NOMEM; any status of `next`.
 */
LAM_PUBLIC lam_record_sink lam_variant_assembler_sink(lam_variant_assembler *assembler);
/* Frees the assembler; NULL is allowed. */
LAM_PUBLIC void lam_variant_assembler_destroy(lam_variant_assembler *assembler);

#ifdef __cplusplus
}
#endif

#endif
