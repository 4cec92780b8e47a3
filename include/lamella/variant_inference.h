/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses which values inside of VARIANTs get columns of their own, from a sample.
 * (VariantShredding.md)
 *
 *     records --lam_variant_inference_sink--> counts of values by path --> a schema, and reasons
 *
 * A path is a position inside of the values of a VARIANT, the same for all of them: "" is the value
 * itself, "user.name" a field, "tags[]" the elements of an array. A name stands in quotation marks
 * where it is empty or holds a dot, a bracket or a quotation mark, as in user."a.b". Values are
 * counted by path and by kind. A frequent path gets columns; where one type is common enough, one
 * of them has that type:
 *
 *     integers            int32 or int64, the narrower that holds all; int8 and int16 on request
 *     decimals            those of the most common scale, in 4, 8 or 16 bytes
 *     objects             a group of the fields that are frequent; the others stay in `value`
 *     arrays              a list, where the elements have a common type
 *     other scalars       their type
 *
 * Every path that has a type keeps its `value` beside it, so that any value can be written.
 */
#ifndef LAMELLA_VARIANT_INFERENCE_H
#define LAMELLA_VARIANT_INFERENCE_H

#include <lamella/variant.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest values of max_depth, max_columns and max_paths. */
enum {
    LAM_VARIANT_INFERENCE_DEPTH_MAX = 64,
    LAM_VARIANT_INFERENCE_COLUMNS_MAX = 10000,
    LAM_VARIANT_INFERENCE_PATHS_MAX = 1000000
};

/* Thresholds, limits of the sample and of memory. Zero means the default in every member. */
typedef struct lam_variant_inference_options {
    size_t struct_size;
    double min_presence;   /* least share of the values of a VARIANT that have the field, and of the
                              objects at its parent path; above 0, at most 1; default: 0.05 */
    double min_uniformity; /* least share of one type among values that are present and not null;
                              above 0, at most 1; default: 0.5 */
    uint32_t max_depth;    /* objects and arrays inside each other that are counted; at most
                              LAM_VARIANT_INFERENCE_DEPTH_MAX; default: 16 */
    uint32_t max_columns;  /* columns that are added to one VARIANT, for its most frequent paths; at
                              most LAM_VARIANT_INFERENCE_COLUMNS_MAX; default: 500 */
    size_t max_paths;      /* paths that are held in memory for one VARIANT; later ones are ignored;
                              at most LAM_VARIANT_INFERENCE_PATHS_MAX; default: 20,000 */
    uint64_t sample_records;  /* records of the sample; default: 16,384 */
    size_t sample_bytes;      /* bytes of values in the sample; default: 8 MiB */
    bool narrow_integers;     /* use int8 and int16 where they hold all: the same bytes in a file as
                                 int32, which has more room for values beyond the sample */
    bool decimals_as_doubles; /* a decimal that prints as the same text as a double counts as one,
                                 too: for values from JSON, where lam_json_reader reads a number
                                 with a point as the type of its column */
    uint64_t memory_limit;    /* bytes for the present value and all counts; LIMIT beyond;
                                 default: 1 GiB */
} lam_variant_inference_options;

LAM_GROWING(lam_variant_inference_options);

/* The counts of a sample, and the choice made from them. One thread at a time. */
typedef struct lam_variant_inference lam_variant_inference;

/*
 * Creates an inference for the groups of `schema` that are annotated as VARIANT and have no
 * typed_value. It holds the schema; the options are copied. `options` and `allocator` may be NULL.
 * INVALID for options out of range and for such a group that does not hold a VARIANT, UNSUPPORTED
 * as lam_variant_check_group reports it, LIMIT, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_create(
    const lam_schema *schema, const lam_variant_inference_options *options,
    const lam_allocator *allocator, lam_variant_inference **ret_inference, lam_error *error);
/* The options in effect: those given, with the defaults filled in. */
LAM_PUBLIC LAM_NODISCARD lam_status
lam_variant_inference_chosen(const lam_variant_inference *inference,
                             lam_variant_inference_options *ret_options, lam_error *error);
/*
 * A sink that counts the records of the schema, in the same order of verbs as a writer takes them;
 * valid until destroy. Records beyond the sample are accepted and ignored. The errors of
 * lam_variant_assembler_sink, and LIMIT beyond memory_limit.
 */
LAM_PUBLIC lam_record_sink lam_variant_inference_sink(lam_variant_inference *inference);
/*
 * Counts one value of a group, with or without the sink in use; the value is not kept. A value of a
 * group that is not inferred is ignored, as is any value once sample_bytes are spent. The errors of
 * lam_variant_validate with LAM_VARIANT_ACCEPT_WIDE_DECIMALS; LIMIT, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_add(lam_variant_inference *inference,
                                                              const lam_field *group,
                                                              lam_variant variant,
                                                              lam_error *error);
/*
 * Whether the sample has reached sample_records or sample_bytes, so that further records are
 * ignored.
 */
LAM_PUBLIC bool lam_variant_inference_is_full(const lam_variant_inference *inference);
/*
 * Chooses columns, and gives a schema that differs from the first one only in the VARIANTs that are
 * shredded. Free it with lam_schema_destroy; it does not depend on the inference. May be called
 * again, also after more values. LIMIT for a schema that becomes too large; NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_schema(lam_variant_inference *inference,
                                                                 lam_schema **ret_schema,
                                                                 lam_error *error);
/* Frees the inference and its findings; NULL is allowed. */
LAM_PUBLIC void lam_variant_inference_destroy(lam_variant_inference *inference);

/* --- Why ------------------------------------------------------------------------------------- */

/* The columns that a path gets. */
typedef enum lam_variant_choice {
    LAM_VARIANT_NOT_SHREDDED = 0, /* none: it stays in the `value` around it */
    LAM_VARIANT_SHREDDED_ALONE,   /* a `value` of its own, without a type */
    LAM_VARIANT_SHREDDED          /* `value` and `typed_value` */
} lam_variant_choice;

/* Why a path has no type; lam_variant_reason_text gives it in words. */
typedef enum lam_variant_reason {
    LAM_VARIANT_REASON_NONE = 0, /* it has one */
    LAM_VARIANT_REASON_RARE,     /* presence is below min_presence */
    LAM_VARIANT_REASON_MIXED,    /* no type has min_uniformity */
    LAM_VARIANT_REASON_NULL,     /* only nulls */
    LAM_VARIANT_REASON_NO_FIELD, /* an object without a field that is shredded */
    LAM_VARIANT_REASON_ELEMENTS, /* an array whose elements have no type */
    LAM_VARIANT_REASON_INSIDE,   /* the path around it is not shredded as an object or array */
    LAM_VARIANT_REASON_DEPTH,    /* deeper than max_depth, or than a schema can be */
    LAM_VARIANT_REASON_COLUMNS,  /* more frequent paths take all max_columns */
    LAM_VARIANT_REASON_NAME      /* no field of a schema can have its name */
} lam_variant_reason;

/* A few words without a full stop, "" for NONE and for unknown numbers; never NULL, static. */
LAM_PUBLIC const char *lam_variant_reason_text(lam_variant_reason reason);

/* The counts of one path, and the choice for it. Pointers are borrowed as the finding is. */
typedef struct lam_variant_finding {
    const lam_field *group; /* the VARIANT, in the schema given to create */
    const char *path;       /* inside of the VARIANT: UTF-8, NUL-terminated; a NUL in a name is ? */
    uint64_t values;        /* values of the group in the sample */
    uint64_t present;       /* those of them that have the path */
    uint64_t count;         /* occurrences in all of them: several in one value inside of arrays */
    uint64_t kinds[LAM_VARIANT_UNKNOWN]; /* occurrences by lam_variant_kind; an integer counts for
                                            the smallest kind that holds it */
    double presence;                     /* 0 to 1, compared with min_presence */
    double uniformity;                   /* 0 to 1: share of the most common type, compared with
                                            min_uniformity; 0 where all are null */
    const char *type; /* the most common type: "int64", "decimal(9,2)", "object" ...; "" where all
                         are null */
    lam_variant_choice choice;
    lam_variant_reason reason;
} lam_variant_finding;

/*
 * One finding of the last lam_variant_inference_schema, by its index; NULL after the last. They
 * are the VARIANTs in the order of the schema, and in each a path before the paths inside of it.
 * Borrowed until the next call that changes the inference, or destroy.
 */
LAM_PUBLIC const lam_variant_finding *
lam_variant_inference_finding(const lam_variant_inference *inference, size_t index);
/*
 * Occurrences of paths that were ignored because max_paths were held already; 0 for a group that is
 * not inferred.
 */
LAM_PUBLIC uint64_t lam_variant_inference_passed_over(const lam_variant_inference *inference,
                                                      const lam_field *group);

/* --- A layout that is given ------------------------------------------------------------------ */

/*
 * Gives a schema like `schema` in which the VARIANT `group`, one without typed_value, is shredded
 * as `typed_value` says: a field of that name, of any schema, which is copied. Free the result with
 * lam_schema_destroy. `allocator` may be NULL. INVALID for arguments that do not match; INVALID,
 * UNSUPPORTED as lam_variant_check_group reports them for the group that results; LIMIT, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shred_group(
    const lam_schema *schema, const lam_field *group, const lam_field *typed_value,
    const lam_allocator *allocator, lam_schema **ret_schema, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
