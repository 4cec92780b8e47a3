/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a record, made from one of its leaves, as Hive names partitions:
 *
 *     format    date=%Y-%m-%d/hour=%H
 *     folder    date=2026-11-23/hour=00
 *
 * %Y %m %d %H %M %S %j are numbers of a date or timestamp, always of 4, 2 or 3 digits; a date has
 * no %H %M %S. %v is the value of any leaf: text as it is, numbers in decimal, true and false,
 * dates and timestamps in ISO 8601. %% is %. All times are UTC; a timestamp without that adjustment
 * is taken as it is.
 *
 * Characters that could be misread in a folder's name are escaped, in values and in the format's
 * own text: control characters, " # % ' * / : = ? \ ^ [ ] { } and bytes that are no UTF-8 become
 * %XX, and so does a dot that a NAME made of the leaf's begins with. A null goes to
 * NAME=__HIVE_DEFAULT_PARTITION__, in each folder that depends on the value; so does a date outside
 * of the years 0000 to 9999 (from a clock that was never set, say), in each folder that has another
 * directive than %v. A value with exactly that text has %5F for its first letter. A folder's name
 * has at most LAM_PARTITION_FOLDER_MAX bytes: a longer one is cut and gets a hash of the value
 * after it, or it is refused if only the folder holds the value.
 */
#ifndef LAM_DATASET_PARTITION_PARTITION_H
#define LAM_DATASET_PARTITION_PARTITION_H

#include <lamella/record.h>
#include <lamella/schema.h>

#include "base/buffer.h"

#define LAM_PARTITION_NULL "__HIVE_DEFAULT_PARTITION__"

enum {
    LAM_PARTITION_DEPTH_MAX = 8,    /* folders in a format */
    LAM_PARTITION_FOLDER_MAX = 200, /* bytes of one folder's name */
    LAM_PARTITION_FIXED_MAX = 100   /* of these, bytes that the format itself gives */
};

typedef enum lam_partition_kind {
    LAM_PARTITION_BOOLEAN,
    LAM_PARTITION_SIGNED,
    LAM_PARTITION_UNSIGNED,
    LAM_PARTITION_DATE,
    LAM_PARTITION_TIMESTAMP,
    LAM_PARTITION_TEXT
} lam_partition_kind;

/* Immutable; any thread. */
typedef struct lam_partition {
    lam_allocator allocator;
    lam_schema *schema; /* shared */
    const lam_field *leaf;
    lam_partition_kind kind;
    int64_t units;     /* TIMESTAMP: in a second */
    int64_t period;    /* values with the same quotient by this, rounded down, have one folder; no
                       TEXT, BOOLEAN */
    lam_buffer names;  /* the format, escaped; a directive is the byte 1 and its letter */
    bool holds_values; /* files lack the leaf: no name is cut */
} lam_partition;

/*
 * Makes a partition by a leaf; a `format` of NULL is "NAME=%v" with the leaf's name. INVALID with
 * the reason when the leaf or the format cannot decide folders: a path that is no leaf, is repeated
 * or of another type than DATE, TIMESTAMP, STRING, ENUM, an integer or BOOLEAN; an unknown
 * directive or one that the type does not have; a folder that is empty, ".", "..", without NAME=,
 * whose NAME comes twice or has a directive, or that is too long.
 */
lam_status lam_partition_of_leaf(const lam_field *leaf, const char *format,
                                 const lam_allocator *allocator, lam_partition **ret_partition,
                                 lam_error *error);
/* The same for the leaf at a path, with the failures of lam_schema_resolve. */
lam_status lam_partition_create(const lam_schema *schema, const char *path, const char *format,
                                const lam_allocator *allocator, lam_partition **ret_partition,
                                lam_error *error);
/* NULL is allowed. */
void lam_partition_destroy(lam_partition *partition);

/*
 * Appends the folder of a value of the leaf, NULL for a null, without a slash at its ends and
 * without a NUL. UNSUPPORTED for a value that the folder would have to hold and cannot; NOMEM;
 * `out` then keeps its size.
 */
lam_status lam_partition_folder(const lam_partition *partition, const lam_value *value,
                                lam_buffer *out, lam_error *error);

#endif
