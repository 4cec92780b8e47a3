/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on the values of leaves, which select records.
 *
 * A condition is true, false or unknown, as in SQL: a comparison with a null is unknown, NOT, AND
 * and OR follow from that, and only records whose condition is true are selected. A leaf inside of
 * repeated fields may have many values in a record; a comparison holds when it holds for any of
 * them (SQL: value = ANY (array)), is unknown when it holds for none and there is a null among
 * them, and false otherwise, so also for an empty list.
 *
 * Paths are read as by lam_schema_resolve, and, but for lam_filter_builder_compare and
 * lam_filter_builder_compare_fields, may go on inside of a VARIANT, as for lam_projection_add. []
 * after a name there, or after the VARIANT itself, leads to the elements of an array:
 * event.items[].price. A condition holds when it holds for any of them, as with repeated fields. A
 * path that ends at an array is compared by the elements of the array. Names lead through objects
 * only: after anything else a value is missing. Where a VARIANT is shredded, only the columns that
 * can hold the path are read, and statistics of typed_value serve to skip rows where `value` beside
 * it has no values. (VariantShredding.md, "Objects", "Arrays")
 *
 * A path is NOT_FOUND when the schema has no such field, INVALID when it is not well formed or
 * ambiguous, LIMIT for LAM_VARIANT_DEPTH_MAX names or more inside of a VARIANT; the errors of
 * lam_variant_check_group.
 *
 * Values compare by their logical type (LogicalTypes.md): numbers by value, strings by their bytes,
 * dates and times by time. -0 equals +0; a NaN equals every NaN and is greater than all other
 * numbers.
 */
#ifndef LAMELLA_FILTER_H
#define LAMELLA_FILTER_H

#include <lamella/common.h>
#include <lamella/record.h>
#include <lamella/schema.h>
#include <lamella/variant.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable once built; may be used from any number of threads. */
typedef struct lam_filter lam_filter;

typedef enum lam_filter_operator {
    LAM_FILTER_EQUAL = 0,
    LAM_FILTER_NOT_EQUAL,
    LAM_FILTER_LESS,
    LAM_FILTER_LESS_OR_EQUAL,
    LAM_FILTER_GREATER,
    LAM_FILTER_GREATER_OR_EQUAL,
    LAM_FILTER_BETWEEN /* from the first of two values to the second, both included */
} lam_filter_operator;

/*
 * Builds a filter in postfix order: conditions first, then the operators that join them. `a and not
 * b` is compare a, compare b, not, and. Any failure leaves the builder as it was.
 */
typedef struct lam_filter_builder lam_filter_builder;

/* `allocator` may be NULL and is copied. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_create(const lam_schema *schema,
                                                              const lam_allocator *allocator,
                                                              lam_filter_builder **ret_builder,
                                                              lam_error *error);
/*
 * Adds a comparison of a leaf, or of the only leaf below a group, with values in the form that
 * lam_record_sink.put takes; bytes are copied. EQUAL is true for any of `count` values, 0 or more;
 * BETWEEN takes two, other operators one. Unknown for a null. NOT_FOUND when there is no such
 * field; INVALID when the group has several leaves, a value has the wrong length, the number of
 * values is not that of the operator, or the operator needs an order that the type does not have.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_compare(lam_filter_builder *builder,
                                                               const char *path,
                                                               lam_filter_operator operation,
                                                               const lam_value *values,
                                                               size_t count, lam_error *error);
/*
 * The same with values that carry their kind, any but null, objects and arrays; bytes are copied.
 * The path may go on inside of a VARIANT.
 *
 * A value is compared with those of its class only: numbers (integers, decimals, floats and
 * doubles; exact numbers by their digits, a float or double with the number of its kind that is
 * nearest to the given one), booleans, dates, times, timestamps in UTC and others (in any unit),
 * strings, binaries, UUIDs. A double stands for the number that it prints as.
 *
 * A leaf has values of one class, and another is INVALID; a number may be one that the leaf cannot
 * have, such as 10.5 or 1e10 for an INT32, and a string the text of a value, such as '2024-10-24'
 * for a DATE (lamella/filter_text.h). In a VARIANT the condition is unknown where the path is
 * missing or null, leads to an object, or to a value of a class that none of `values` has; EQUAL is
 * true for any of the values of the class, BETWEEN takes two, and other operators one value of each
 * class at most, INVALID otherwise.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_compare_scalars(
    lam_filter_builder *builder, const char *path, lam_filter_operator operation,
    const lam_variant_scalar *values, size_t count, lam_error *error);

/* How a pattern is read and compared. Zero means the default in every member. */
typedef struct lam_filter_like {
    char escape; /* an ASCII character that makes the next one stand for itself; default: none */
    bool ignores_case; /* capital letters equal their small ones, as below */
    bool is_prefix;    /* no character is special: the texts that begin with these bytes. INVALID
                          with the other two */
} lam_filter_like;

/*
 * True for texts of a pattern, in which % is any characters and _ is one; unknown for a null. The
 * leaf has the type STRING, ENUM or JSON, or bytes without a logical type (INVALID otherwise); in a
 * VARIANT the condition is unknown for values that are no strings.
 * Letters are compared in lower case with `ignores_case`: each character is replaced by its
 * Simple_Lowercase_Mapping (Unicode 14), whatever the language, so that \u00C4 equals \u00E4 but
 * "SS" differs from \u00DF. `pattern` is copied; `like` may be NULL. INVALID when the pattern ends
 * with its escape character. Other failures as of lam_filter_builder_compare.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_like(lam_filter_builder *builder,
                                                            const char *path, lam_bytes pattern,
                                                            const lam_filter_like *like,
                                                            lam_error *error);
/*
 * Compares two leaves of one record. Numbers compare by value whatever their types are, but a
 * DECIMAL with a floating-point number by the one of its kind that is nearest; dates, which are
 * midnight, with timestamps; timestamps and times of any units; texts and bytes by their bytes.
 * Unknown where either is null. Inside of repeated fields the leaves are in the same innermost one,
 * l.list.element.a and l.list.element.b, and the condition holds when it holds for any element.
 * INVALID for types without an order in common (a timestamp in UTC and one in no zone, too), and
 * when only one leaf is repeated or both are in different lists; NOT_FOUND.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_compare_fields(lam_filter_builder *builder,
                                                                      const char *path,
                                                                      lam_filter_operator operation,
                                                                      const char *other_path,
                                                                      lam_error *error);
/*
 * Restricts the condition before, one of the above or IS NULL on a field inside of the values of a
 * map (m.key_value.value), to the entry with a key, as lam_record_sink.put takes it; bytes are
 * copied. The condition is then on m['key'] of SQL: where a map is null or lacks the key, the value
 * is null. STATE when no condition comes before; INVALID when it is no such condition, or the map
 * cannot have the key.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_for_key(lam_filter_builder *builder,
                                                               lam_value key, lam_error *error);
/*
 * True where the field, a leaf or a group, is null, or with `is_null` false where it is not; never
 * unknown. Inside of repeated fields: true if any occurrence is. An empty list is not null. Inside
 * of a VARIANT: where the path is missing, or leads to a Variant null.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_is_null(lam_filter_builder *builder,
                                                               const char *path, bool is_null,
                                                               lam_error *error);
/*
 * Tells a path inside of a VARIANT that is missing from one that leads to a Variant null: true
 * where it is missing, or with `is_missing` false where it is not. INVALID for a path that leads to
 * no VARIANT.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_is_missing(lam_filter_builder *builder,
                                                                  const char *path, bool is_missing,
                                                                  lam_error *error);

typedef enum lam_filter_join { LAM_FILTER_AND = 0, LAM_FILTER_OR, LAM_FILTER_NOT } lam_filter_join;

/*
 * Joins the last two conditions, or negates the last one. STATE when there are fewer; INVALID for
 * an unknown join.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_join(lam_filter_builder *builder,
                                                            lam_filter_join join, lam_error *error);
static inline LAM_NODISCARD lam_status lam_filter_builder_and(lam_filter_builder *builder,
                                                              lam_error *error) {
    return lam_filter_builder_join(builder, LAM_FILTER_AND, error);
}
static inline LAM_NODISCARD lam_status lam_filter_builder_or(lam_filter_builder *builder,
                                                             lam_error *error) {
    return lam_filter_builder_join(builder, LAM_FILTER_OR, error);
}
static inline LAM_NODISCARD lam_status lam_filter_builder_not(lam_filter_builder *builder,
                                                              lam_error *error) {
    return lam_filter_builder_join(builder, LAM_FILTER_NOT, error);
}
/* Gives the filter, whose one condition must be complete (STATE otherwise); empties the builder. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_builder_finish(lam_filter_builder *builder,
                                                              lam_filter **ret_filter,
                                                              lam_error *error);
LAM_PUBLIC void lam_filter_builder_destroy(lam_filter_builder *builder);

/*
 * Sets to true what a filter reads: `leaves` has a bool for each leaf of its schema, and the others
 * stay as they are. Of a VARIANT these are all of its leaves.
 */
LAM_PUBLIC void lam_filter_mark_leaves(const lam_filter *filter, bool *leaves);

/* NULL is allowed. */
LAM_PUBLIC void lam_filter_destroy(lam_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
