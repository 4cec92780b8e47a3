/*
 * Which parts of VARIANTs are worth columns of their own, learnt from a sample of values.
 * (VariantShredding.md)
 *
 *     records --lam_variant_inference_sink--> what is where, how often --> a schema, and reasons
 *
 * A path is where values stand inside of a VARIANT, whichever value they are of: "" is the value
 * itself, "user.name" a field, "tags[]" the elements of an array; names stand between quotation
 * marks where they are empty or hold a dot, a bracket or a quotation mark, as in user."a.b". Each
 * path is counted by the kinds that come there. One that is frequent gets columns; where one type
 * is common enough, one of them has that type:
 *
 *     integers            int32 or int64, the narrower that holds all; int8 and int16 on request
 *     decimals            those of the commonest scale, in 4, 8 or 16 bytes
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

enum {
    LAM_VARIANT_INFERENCE_DEPTH_MAX = 64,
    LAM_VARIANT_INFERENCE_COLUMNS_MAX = 10000,
    LAM_VARIANT_INFERENCE_PATHS_MAX = 1000000
};

/* Zero means the default in every member. */
typedef struct lam_variant_inference_options {
    size_t struct_size;
    double min_presence;   /* least share of the values of a VARIANT that have the field, and in
                              arrays also of the elements; above 0, at most 1; default 0.05 */
    double min_uniformity; /* least share of one type among what is there and not null; above 0, at
                              most 1; default 0.5 */
    uint32_t max_depth;    /* objects and arrays inside each other that are looked into; at most
                              LAM_VARIANT_INFERENCE_DEPTH_MAX; default 16 */
    uint32_t max_columns;  /* that are added to one VARIANT; at most
                              LAM_VARIANT_INFERENCE_COLUMNS_MAX; default 500. The most frequent
                              paths have them */
    size_t max_paths;      /* that are held in memory, for one VARIANT; at most
                              LAM_VARIANT_INFERENCE_PATHS_MAX; default 20,000. Others are not
                              looked at */
    uint64_t sample_records;  /* that are looked at; default 16,384 */
    size_t sample_bytes;      /* of values that are looked at; default 8 MiB */
    bool narrow_integers;     /* int8 and int16 where they hold all: the same bytes in a file as
                                 int32, which has more room for what comes behind the sample */
    bool decimals_as_doubles; /* a decimal that prints as the same text as a double counts as one,
                                 too: for values that come from JSON, where lam_json_reader makes of
                                 numbers with a point what their column has */
    uint64_t memory_limit;    /* bytes for the value that is looked at and all that is learnt:
                                 LIMIT beyond; default 1 GiB */
} lam_variant_inference_options;

LAM_GROWING(lam_variant_inference_options);

/* One thread at a time. */
typedef struct lam_variant_inference lam_variant_inference;

/*
 * Looks at the groups of `schema` that are annotated as VARIANT and have no typed_value. `options`
 * and `allocator` may be NULL. INVALID for options out of their range, and for such a group that
 * holds no VARIANT.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_create(
    const lam_schema *schema, const lam_variant_inference_options *options,
    const lam_allocator *allocator, lam_variant_inference **ret_inference, lam_error *error);
/* The options, with the defaults where none were given. */
LAM_PUBLIC LAM_NODISCARD lam_status
lam_variant_inference_chosen(const lam_variant_inference *inference,
                             lam_variant_inference_options *ret_options, lam_error *error);
/*
 * The verbs, which take records of the schema as a writer does; valid until destroy. Errors as
 * lam_variant_assembler_sink gives them.
 */
LAM_PUBLIC lam_record_sink lam_variant_inference_sink(lam_variant_inference *inference);
/*
 * Looks at one value of a group, with or without the verbs. A group that is not looked at, and what
 * comes when the bytes of the sample are spent, changes nothing. Errors of lam_variant_validate,
 * which takes decimals of any width.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_add(lam_variant_inference *inference,
                                                              const lam_field *group,
                                                              lam_variant variant,
                                                              lam_error *error);
/* Whether the sample is as large as the options want it: there is nothing to look at any more. */
LAM_PUBLIC bool lam_variant_inference_is_full(const lam_variant_inference *inference);
/*
 * Chooses, and gives a schema that is like the first one but for the VARIANTs that are shredded, to
 * be freed with lam_schema_destroy. LIMIT where a schema grows too large. May be called again.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_inference_schema(lam_variant_inference *inference,
                                                                 lam_schema **ret_schema,
                                                                 lam_error *error);
LAM_PUBLIC void lam_variant_inference_destroy(lam_variant_inference *inference);

/* --- Why ------------------------------------------------------------------------------------- */

typedef enum lam_variant_choice {
    LAM_VARIANT_NOT_SHREDDED = 0, /* in the `value` around it */
    LAM_VARIANT_SHREDDED_ALONE,   /* a column of its own, `value`, without a type */
    LAM_VARIANT_SHREDDED          /* `value` and `typed_value` */
} lam_variant_choice;

/* Why a path has no type; lam_variant_reason_text has the words. */
typedef enum lam_variant_reason {
    LAM_VARIANT_REASON_NONE = 0, /* it has one */
    LAM_VARIANT_REASON_RARE,     /* presence is below min_presence */
    LAM_VARIANT_REASON_MIXED,    /* no type has min_uniformity */
    LAM_VARIANT_REASON_NULL,     /* only nulls */
    LAM_VARIANT_REASON_NO_FIELD, /* an object without a field that is shredded */
    LAM_VARIANT_REASON_ELEMENTS, /* an array whose elements have no type */
    LAM_VARIANT_REASON_INSIDE,   /* what is around it is not shredded as an object or array */
    LAM_VARIANT_REASON_DEPTH,    /* deeper than max_depth, or than a schema can be */
    LAM_VARIANT_REASON_COLUMNS,  /* max_columns are taken by paths that are more frequent */
    LAM_VARIANT_REASON_NAME      /* no field of a schema can have its name */
} lam_variant_reason;

/* A few words without a full stop, "" for NONE; never NULL, static. */
LAM_PUBLIC const char *lam_variant_reason_text(lam_variant_reason reason);

/* What was seen at a path, and what became of it. */
typedef struct lam_variant_finding {
    const lam_field *group; /* of the first schema */
    const char *path;       /* UTF-8, NUL-terminated */
    uint64_t values;        /* of the group, that were looked at */
    uint64_t present;       /* of those, how many have the path */
    uint64_t count;         /* how often it comes in all of them: more than once inside of arrays */
    uint64_t kinds[LAM_VARIANT_UNKNOWN]; /* by lam_variant_kind; integers count for the smallest
                                            kind that holds them */
    double presence;                     /* what is compared with min_presence */
    double uniformity;                   /* of the commonest type, what is compared with
                                            min_uniformity; 0 where all are null */
    const char *type; /* the commonest type: "int64", "decimal(9,2)", "object" ...; "" where all are
                         null */
    lam_variant_choice choice;
    lam_variant_reason reason;
} lam_variant_finding;

/* Findings of the last lam_variant_inference_schema: each VARIANT by its place in the schema, parts
 * behind what they are part of. */
LAM_PUBLIC size_t lam_variant_inference_finding_count(const lam_variant_inference *inference);
/* Borrowed until the next call that changes the inference; NULL when out of range. */
LAM_PUBLIC const lam_variant_finding *
lam_variant_inference_finding(const lam_variant_inference *inference, size_t index);
/* How often a path of a group was not looked at, because max_paths are held already. */
LAM_PUBLIC uint64_t lam_variant_inference_passed_over(const lam_variant_inference *inference,
                                                      const lam_field *group);

/* --- A layout that is given ------------------------------------------------------------------ */

/*
 * Gives a schema like `schema`, in which the VARIANT `group`, one without typed_value, is shredded
 * as `typed_value` says: a field of that name, of any schema. Freed with lam_schema_destroy.
 * INVALID, UNSUPPORTED as lam_variant_check_group gives them for the group that it becomes.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_variant_shred_group(
    const lam_schema *schema, const lam_field *group, const lam_field *typed_value,
    const lam_allocator *allocator, lam_schema **ret_schema, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
