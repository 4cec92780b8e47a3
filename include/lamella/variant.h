/*
 * VARIANT: values of any shape (VariantEncoding.md). A value is a pair of runs of bytes: the
 * metadata, a dictionary of field names, and the value, which refers to the names by number.
 *
 *     lam_variant            a view of such a pair; reading it copies nothing
 *     lam_variant_validate   proves a pair from somewhere else well formed, once
 *
 * Every accessor checks what it touches and never reads outside of the two runs, whatever they
 * hold, so that validating first is a matter of finding out early.
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

/* What a value is: the physical types of the format, with one kind for both booleans and one for
 * short and long strings. */
typedef enum lam_variant_kind {
    LAM_VARIANT_NULL = 0,
    LAM_VARIANT_BOOLEAN,
    LAM_VARIANT_INT8,
    LAM_VARIANT_INT16,
    LAM_VARIANT_INT32,
    LAM_VARIANT_INT64,
    LAM_VARIANT_FLOAT,
    LAM_VARIANT_DOUBLE,
    LAM_VARIANT_DECIMAL4,  /* up to 9 digits */
    LAM_VARIANT_DECIMAL8,  /* up to 18 */
    LAM_VARIANT_DECIMAL16, /* up to 38 */
    LAM_VARIANT_DATE,
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

/* "int8", "timestamp_ntz" and so on, as the enumerators in lower case; never NULL, static. */
LAM_PUBLIC const char *lam_variant_kind_name(lam_variant_kind kind);

/*
 * A view of a value and of the metadata that its field ids mean. Both are borrowed. Views of parts
 * of a value have the metadata of the whole.
 */
typedef struct lam_variant {
    lam_bytes metadata;
    lam_bytes value; /* may have bytes behind the value, which are not looked at */
} lam_variant;

LAM_PUBLIC lam_variant_kind lam_variant_kind_of(lam_variant variant);

/*
 * Bytes that the value takes. CORRUPT when there are fewer; UNSUPPORTED for UNKNOWN.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_size(lam_variant variant, size_t *ret_size,
                                                     lam_error *error);

/* --- Scalars -------------------------------------------------------------------------------- */

/* unscaled / 10^scale, where unscaled is the two's complement number high * 2^64 + low. */
typedef struct lam_decimal {
    uint64_t low;
    int64_t high;
    uint8_t scale; /* 0 to 38 */
} lam_decimal;

/* A value that is no object and no array; the kind says which member of `as` counts. */
typedef struct lam_variant_scalar {
    lam_variant_kind kind;
    union {
        bool boolean;
        int64_t integer;     /* INT8 to INT64; DATE: days, TIME: since midnight, TIMESTAMP and its
                                kin: since 1970-01-01 */
        float float32;       /* FLOAT */
        double float64;      /* DOUBLE */
        lam_decimal decimal; /* DECIMAL4 to DECIMAL16 */
        lam_bytes bytes;     /* BINARY; STRING, UTF-8; UUID, 16 bytes */
    } as;
} lam_variant_scalar;

/*
 * Reads a scalar of any kind; bytes are borrowed as the variant's are. INVALID for an object or an
 * array, UNSUPPORTED for UNKNOWN, CORRUPT when the value ends early. The text of a string is not
 * looked at.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get(lam_variant variant,
                                                    lam_variant_scalar *ret_scalar,
                                                    lam_error *error);
/* The same for one kind, or the kinds that are named; INVALID for any other. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_boolean(lam_variant variant, bool *ret_value,
                                                            lam_error *error);
/* INT8 to INT64. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_integer(lam_variant variant, int64_t *ret_value,
                                                            lam_error *error);
/* FLOAT and DOUBLE. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_double(lam_variant variant, double *ret_value,
                                                           lam_error *error);
/* DECIMAL4 to DECIMAL16, and INT8 to INT64 with scale 0. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_decimal(lam_variant variant,
                                                            lam_decimal *ret_value,
                                                            lam_error *error);
/* DATE. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_date(lam_variant variant, int32_t *ret_days,
                                                         lam_error *error);
/* TIME. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_time(lam_variant variant, int64_t *ret_micros,
                                                         lam_error *error);
/* TIMESTAMP and its kin, in the unit of the kind. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_timestamp(lam_variant variant,
                                                              int64_t *ret_value, lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_string(lam_variant variant, lam_bytes *ret_text,
                                                           lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_binary(lam_variant variant,
                                                           lam_bytes *ret_bytes, lam_error *error);
/* 16 bytes, in the order in which they are written as text. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_get_uuid(lam_variant variant, lam_bytes *ret_bytes,
                                                         lam_error *error);

/* --- Objects and arrays --------------------------------------------------------------------- */

/* Fields of an object, elements of an array. INVALID for any other kind. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_count(lam_variant variant, size_t *ret_count,
                                                      lam_error *error);
/*
 * The value of a field of an object, by binary search over its fields, which the format keeps in
 * the order of their names. NOT_FOUND when there is none; INVALID for any other kind.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_field(lam_variant object, const char *name,
                                                      size_t size, lam_variant *ret_value,
                                                      lam_error *error);
/* A field by its place in the order of names; NOT_FOUND behind the last. `ret_name` may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_field_at(lam_variant object, size_t index,
                                                         lam_bytes *ret_name,
                                                         lam_variant *ret_value, lam_error *error);
/* NOT_FOUND behind the last. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_element(lam_variant array, size_t index,
                                                        lam_variant *ret_value, lam_error *error);

/* A walk over the fields of an object or the elements of an array. Its members are its own. */
typedef struct lam_variant_iterator {
    lam_variant variant;
    size_t next;
    size_t count;
} lam_variant_iterator;

LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_iterate(lam_variant variant,
                                                        lam_variant_iterator *ret_iterator,
                                                        lam_error *error);
/*
 * Gives the next part, and its name in an object (no bytes in an array; `ret_name` may be NULL).
 * `*ret_more` is false, and nothing else is set, at the end.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_next(lam_variant_iterator *iterator,
                                                     lam_bytes *ret_name, lam_variant *ret_value,
                                                     bool *ret_more, lam_error *error);

/* --- Metadata ------------------------------------------------------------------------------- */

/*
 * Bytes of the metadata that `bytes` begins with; the value may stand behind it. Two bytes `01 00`,
 * an empty dictionary without its one offset, are taken as some writers mean them when nothing
 * stands behind them. CORRUPT when there are too few; UNSUPPORTED for a version other than 1.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_metadata_size(lam_bytes bytes, size_t *ret_size,
                                                              lam_error *error);
/* Names in the dictionary. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_metadata_count(lam_bytes metadata,
                                                               size_t *ret_count, lam_error *error);
/* A name by its field id, borrowed as the metadata is; NOT_FOUND behind the last. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_metadata_name(lam_bytes metadata, size_t id,
                                                              lam_bytes *ret_name,
                                                              lam_error *error);

/* --- The whole ------------------------------------------------------------------------------ */

/* What lam_variant_validate takes beyond what the specification allows; add up. */
enum {
    LAM_VARIANT_ACCEPT_WIDE_DECIMALS = 1, /* a decimal with more digits than its kind may have, as
                                             early writers chose the kind by the number's bytes */
    LAM_VARIANT_ACCEPT_ANY_ORDER = 2,     /* fields in any order, as writers left them that shred; a
                                             name may come twice then. lam_variant_field may not find
                                             them */
    LAM_VARIANT_ACCEPT_ANY_NAMES = 4 /* metadata that says its names are sorted and unique where
                                        they are not, as DuckDB 1.5.0 to 1.5.4 wrote it */
};

/*
 * Proves a pair well formed: the version, offsets that rise from 0 to the end of the names, names
 * in UTF-8, sorted and unique if the metadata says so; known types whose bytes are all there,
 * decimals of at most 38 digits behind the point and as many as their kind allows, strings in
 * UTF-8; fields with names in the dictionary, in their order, no name twice; offsets inside of
 * their object or array, whose values together take no more bytes than it has, and each none of the
 * one listed before it (they may stand in any order, and bytes between them are ignored); and
 * nothing behind either run. The metadata `01 00` counts as empty.
 *
 * Takes time in proportion to the bytes, and no memory. CORRUPT says what is wrong, with the offset
 * in its run; UNSUPPORTED for a later version or type; LIMIT beyond LAM_VARIANT_DEPTH_MAX.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_validate(lam_variant variant, unsigned accept,
                                                         lam_error *error);

/*
 * True when two well-formed values mean the same: field names rather than ids; exact numbers
 * (integers and decimals) by value; timestamps of one kind of time zone by value, whatever the
 * unit; floats and doubles bit for bit, and never the one equal to the other. False when either is
 * not well formed where it was looked at, or nested beyond LAM_VARIANT_DEPTH_MAX.
 */
LAM_PUBLIC bool lam_variant_equals(lam_variant a, lam_variant b);

/* --- Building ------------------------------------------------------------------------------- */

/*
 * A dictionary of field names that many values share. What has been added before its metadata is
 * first taken, or a value first finished with it, stands in sorted order, and the metadata says so;
 * names that come later, from builders too, stand behind and change the id of none before. So a
 * later metadata serves all earlier values. One thread at a time.
 */
typedef struct lam_variant_names lam_variant_names;

LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_names_create(const lam_allocator *allocator,
                                                             lam_variant_names **ret_names,
                                                             lam_error *error);
/* Adds a name of UTF-8, unless it is there. INVALID, LIMIT beyond 2^32 - 1 bytes in all, NOMEM. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_names_add(lam_variant_names *names,
                                                          const char *name, size_t size,
                                                          lam_error *error);
/* The metadata of all names so far, borrowed until another name is added or destroy. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_names_metadata(lam_variant_names *names,
                                                               lam_bytes *ret_metadata,
                                                               lam_error *error);
LAM_PUBLIC void lam_variant_names_destroy(lam_variant_names *names);

/* Zero means the default in every member. */
typedef struct lam_variant_builder_options {
    size_t struct_size;
    bool last_wins;           /* a field that comes twice in its object replaces the first */
    lam_variant_names *names; /* borrowed until destroy; NULL: each value has its own metadata, with
                                 its names only, sorted */
} lam_variant_builder_options;

LAM_GROWING(lam_variant_builder_options);

/*
 * Builds values from their parts in one pass:
 *
 *     value   put, copy | begin_object { field value } ... end_object
 *                       | begin_array { value } ... end_array
 *
 * and finish, once the value is whole. All sizes are the smallest that the format has: strings of
 * up to 63 bytes are short, ids, offsets and counts as narrow as they can be, values in the order
 * of their names. A call that fails leaves the builder as it was, except finish, after which the
 * next value may begin. STATE when a call comes where it cannot. One thread at a time.
 */
typedef struct lam_variant_builder lam_variant_builder;

/* `options` may be NULL; `allocator` may be NULL and is copied. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_create(
    const lam_variant_builder_options *options, const lam_allocator *allocator,
    lam_variant_builder **ret_builder, lam_error *error);
/* LIMIT beyond LAM_VARIANT_DEPTH_MAX. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_begin_object(lam_variant_builder *builder,
                                                                     lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_end_object(lam_variant_builder *builder,
                                                                   lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_begin_array(lam_variant_builder *builder,
                                                                    lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_end_array(lam_variant_builder *builder,
                                                                  lam_error *error);
/* Names the value that comes next. Any UTF-8, the empty name too; copied. INVALID, LIMIT. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_field(lam_variant_builder *builder,
                                                              const char *name, size_t size,
                                                              lam_error *error);
/*
 * Adds a scalar of exactly its kind; bytes are copied. INVALID when the number does not fit the
 * kind, a string is not UTF-8, a UUID has not 16 bytes, or the kind is none of a scalar; LIMIT for
 * more than 2^32 - 1 bytes.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put(lam_variant_builder *builder,
                                                            const lam_variant_scalar *scalar,
                                                            lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_null(lam_variant_builder *builder,
                                                                 lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_boolean(lam_variant_builder *builder,
                                                                    bool value, lam_error *error);
/* INT8 to INT64, the smallest that holds it. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_integer(lam_variant_builder *builder,
                                                                    int64_t value,
                                                                    lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_double(lam_variant_builder *builder,
                                                                   double value, lam_error *error);
/* DECIMAL4 to DECIMAL16 by the number of digits; INVALID for more than 38, or a scale above 38. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_decimal(lam_variant_builder *builder,
                                                                    lam_decimal value,
                                                                    lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_put_string(lam_variant_builder *builder,
                                                                   const char *text, size_t size,
                                                                   lam_error *error);
/*
 * Adds a value, or a part of one, that was made with any metadata: its names become names of this
 * one. Errors as lam_variant_validate gives them, and LIMIT beyond LAM_VARIANT_DEPTH_MAX.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_copy(lam_variant_builder *builder,
                                                             lam_variant variant, lam_error *error);
/*
 * Gives the value, borrowed until the next call; with shared names its metadata is borrowed from
 * them. INVALID when a field came twice in its object, unless `last_wins`; LIMIT for an object or
 * array of more than 2^32 - 1 bytes; STATE when the value is not whole.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_builder_finish(lam_variant_builder *builder,
                                                               lam_variant *ret_variant,
                                                               lam_error *error);
/* Drops the value that is being built. */
LAM_PUBLIC void lam_variant_builder_clear(lam_variant_builder *builder);
LAM_PUBLIC void lam_variant_builder_destroy(lam_variant_builder *builder);

/* --- Shredding and assembling (VariantShredding.md) ------------------------------------------ */

/* What a group of a schema is looked at for. */
typedef enum lam_variant_use {
    LAM_VARIANT_READ, /* also takes optional groups where the specification wants required ones, and
                         any repetition of value and typed_value but repeated */
    LAM_VARIANT_WRITE
} lam_variant_use;

/*
 * Whether a group holds a VARIANT, shredded or not: a binary `metadata`, and `value` or
 * `typed_value` or both, found by their names; typed_value a leaf of one of the types that the
 * specification lists, a group of fields, or a list of three levels. The group need not be
 * annotated as VARIANT, which writers of the first days left out. INVALID with the path of what is
 * wrong, UNSUPPORTED for a type of typed_value that is not listed.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_check_group(const lam_field *group,
                                                            lam_variant_use use, lam_error *error);

/* Zero means the default in every member. */
typedef struct lam_variant_shredder_options {
    size_t struct_size;
    bool trusted; /* values come from a builder, or were validated: they are not once more */
} lam_variant_shredder_options;

LAM_GROWING(lam_variant_shredder_options);

/*
 * Turns values into the events of one group of a schema, with the columns that the group has:
 *
 *     value             a value that typed_value has no room for, and the fields of an object that
 *                       are not shredded; NULL (no event) otherwise
 *     typed_value       a scalar of its kind; an integer also in a wider column, and in one of
 *                       decimals without digits behind the point; an object; an array
 *
 * What is assembled from them equals the value (lam_variant_equals), and prints as the same JSON.
 * One thread at a time.
 */
typedef struct lam_variant_shredder lam_variant_shredder;

/* The group is one for LAM_VARIANT_WRITE. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shredder_create(
    const lam_field *group, const lam_variant_shredder_options *options,
    const lam_allocator *allocator, lam_variant_shredder **ret_shredder, lam_error *error);
/*
 * Tells `sink` the group with one value in it, from its open to its close. A VARIANT that is
 * missing is told by saying nothing. Errors of validation; INVALID with the path where a value fits
 * no column, because there is no `value`; whatever the sink gives. A failure is handed over to the
 * sink by `fail`, so that its `end` reports it.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shredder_write(lam_variant_shredder *shredder,
                                                               lam_variant variant,
                                                               const lam_record_sink *sink,
                                                               lam_error *error);
LAM_PUBLIC void lam_variant_shredder_destroy(lam_variant_shredder *shredder);

/* Receives records in which each VARIANT is one value. */
typedef struct lam_variant_sink {
    lam_record_sink records; /* what is outside of the groups of VARIANTs */
    /* In place of the events of a group, with the state of `records`; the value is borrowed for the
       call. */
    lam_status (*variant)(void *state, const lam_field *group, lam_variant variant,
                          lam_error *error);
} lam_variant_sink;

/* Zero means the default in every member. */
typedef struct lam_variant_assembler_options {
    size_t struct_size;
    bool tolerate_conflicts; /* where value and typed_value are both there and cannot both be meant,
                                typed_value counts; CORRUPT otherwise */
    const lam_projection *projection; /* of the schema; borrowed until destroy. VARIANTs of which it
                                         wants parts become the objects of those. NULL for none */
} lam_variant_assembler_options;

LAM_GROWING(lam_variant_assembler_options);

/*
 * A sink in the middle: takes the events of records with the groups of VARIANTs, shredded in any
 * valid way or not at all, and passes them on with values in the place of the groups. Where a value
 * is missing that must be there (the VARIANT itself, an element) it is a null. Names of fields that
 * the metadata lacks, as it did with early writers, are added to it, and fields of an object that
 * are not in order are put in it; a decimal with more digits than its kind may have, and metadata
 * of the two bytes `01 00`, are passed on as they are. So what comes is well formed for
 * lam_variant_validate with LAM_VARIANT_ACCEPT_WIDE_DECIMALS. One thread at a time.
 */
typedef struct lam_variant_assembler lam_variant_assembler;

/*
 * The groups are those annotated as VARIANT whose leaves are all marked in `leaves` (NULL marks
 * all), and those of which a projection wants parts; the events of others are passed on as they
 * are. `next` is copied. Errors of lam_variant_check_group. `options` and `allocator` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_assembler_create(
    const lam_schema *schema, const bool *leaves, const lam_variant_assembler_options *options,
    const lam_variant_sink *next, const lam_allocator *allocator,
    lam_variant_assembler **ret_assembler, lam_error *error);
/* Whether the group is one of those that become values. */
LAM_PUBLIC bool lam_variant_assembler_takes(const lam_variant_assembler *assembler,
                                            const lam_field *group);
/*
 * The verbs; valid until destroy. CORRUPT with the path for bytes that are no VARIANT, and for
 * conflicts; LIMIT for what is nested too deep; STATE, INVALID for verbs that are out of place.
 */
LAM_PUBLIC lam_record_sink lam_variant_assembler_sink(lam_variant_assembler *assembler);
LAM_PUBLIC void lam_variant_assembler_destroy(lam_variant_assembler *assembler);

#ifdef __cplusplus
}
#endif

#endif
