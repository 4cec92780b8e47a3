/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several files read as one: the union of their schemas, and each file shown in it.
 *
 *     lam_union         unites schemas, and says what became of fields that clash
 *     lam_reader_show   a file with the fields, their order and their types of a union
 *
 * Which type holds the values of two others is one table, for files and for what is inferred from
 * text (docs/import.md). It is commutative and associative: except for the order of the fields, the
 * union does not depend on the order of the files.
 */
#ifndef LAMELLA_DATASET_H
#define LAMELLA_DATASET_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the default in every member. */
typedef struct lam_union_options {
    size_t struct_size;
    lam_clash on_clash;
} lam_union_options;

LAM_GROWING(lam_union_options);

/* The union of schemas that were added so far. One thread at a time. */
typedef struct lam_union lam_union;

/* `options` and `allocator` may be NULL. INVALID for options out of range. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_union_create(const lam_union_options *options,
                                                     const lam_allocator *allocator,
                                                     lam_union **ret_union, lam_error *error);
/*
 * Adds the schema of a file; `name` is what messages call it, and is copied. Names of fields decide
 * what is one field, in groups; in lists and maps positions do. A field that one of them lacks may
 * be absent; fields are in the order in which they came first.
 *
 *     types that the table unites     their union; where it needs a check, as int64 with double
 *                                     does, a value that does not fit fails when it is read
 *     UNKNOWN with any field          that field
 *     VARIANT with any field          a VARIANT, in the columns of the first that is shredded
 *     all else                        what `on_clash` says
 *
 * INVALID for a clash that is an error, and for VECTORs that differ, naming the field, both types
 * and both files; UNSUPPORTED if schemas differ in a group with two fields of one name. A
 * failed call changes nothing; a VARIANT that comes later undoes no clash. The schema is held.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_union_add(lam_union *all, const lam_schema *schema,
                                                  const char *name, lam_error *error);
/* The union so far; NULL before the first schema. Borrowed until the next is added, or destroy. */
LAM_PUBLIC const lam_schema *lam_union_schema(const lam_union *all);

typedef enum lam_union_notice_kind {
    LAM_UNION_NOTICE_CLASH = 0,    /* a field whose types clash */
    LAM_UNION_NOTICE_UNRELATED = 1 /* a file that has no field of those before it */
} lam_union_notice_kind;

/* What a user may want to know of a union. Texts are borrowed until destroy. */
typedef struct lam_union_notice {
    size_t struct_size;
    lam_union_notice_kind kind;
    lam_clash became;     /* CLASH: what the field became */
    const char *path;     /* CLASH: of the field; else NULL */
    const char *types[2]; /* CLASH: "int64", "binary (STRING)", "group"; else NULL */
    const char *names[2]; /* of the files: one that was added before, and the one that differs */
} lam_union_notice;

LAM_GROWING(lam_union_notice);

LAM_PUBLIC size_t lam_union_notice_count(const lam_union *all);
/* Gives a notice by its index; INVALID when out of range. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_union_notice_at(const lam_union *all, size_t index,
                                                        lam_union_notice *ret_notice,
                                                        lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_union_destroy(lam_union *all);

/*
 * Shows a file in a union: `schema` is one that the file's own was united into, and `leaves` has a
 * bool for each of its leaves, or is NULL. The result has the fields of `schema`, with their names,
 * types and order: all of them for NULL; else those that the file has, and those that `leaves`
 * marks, of a VARIANT or map all or none. What the file lacks is null, in a group that it has once
 * for each entry of the group. All that reads finds them: filters, projections, records, Arrow.
 *
 * Values change when they are read; one that its type does not hold fails with INVALID and its row:
 * an int64 that no double keeps, a timestamp beyond 64 bits of nanoseconds. A field that became a
 * VARIANT or STRING by a clash is the JSON of its values; in a VARIANT, numbers, dates, times and
 * bytes keep their kinds, except inside groups, lists and maps.
 *
 * `reader` is any reader, even of an unfinished file or with constants. The result uses its input,
 * limits and stop, so close `reader` after it; `leaves` is borrowed for the call.
 * `*ret_reader` is NULL if the file is the same already. INVALID for NULL, and for a schema that
 * the file's own would change; UNSUPPORTED in a build without JSON, if values have to
 * become text; LIMIT, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_show(const lam_reader *reader,
                                                    const lam_schema *schema, const bool *leaves,
                                                    lam_reader **ret_reader, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
