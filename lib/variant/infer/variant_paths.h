/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that inference learns about one VARIANT: a tree of paths, each with the number of values of
 * each kind that were found there. A path is a position of values, in any value of the column.
 *
 *     {"a": [1, null]}      path 0  ""     object 2
 *     {"a": [], "b": 2.5}   path 1  a      array 2
 *                           path 2  a[]    int8 1, null 1
 *                           path 3  b      decimal4 1
 *
 * A path has a larger index than its parent. Paths are known by their index; 0, the value itself,
 * means none in links, as it is no path's child.
 */
#ifndef LAM_VARIANT_INFER_VARIANT_PATHS_H
#define LAM_VARIANT_INFER_VARIANT_PATHS_H

#include <lamella/variant_inference.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "variant/value/variant_layout.h"

enum { LAM_VARIANT_SCALES = LAM_VARIANT_SCALE_MAX + 1 };

/* The decimals at a path, by scale: 0 to 38 digits after the point. */
typedef struct lam_decimal_sightings {
    uint64_t counts[LAM_VARIANT_SCALES];
    uint8_t digits[LAM_VARIANT_SCALES]; /* of the longest number with that scale */
    uint64_t doubles;                   /* those that print like some double, of any scale */
} lam_decimal_sightings;

/* The type that the typed_value of a path gets. */
typedef struct lam_variant_type_choice {
    lam_variant_kind kind; /* UNKNOWN: none */
    uint8_t scale;         /* of a decimal */
    uint8_t digits;        /* of a decimal: the precision of its column, 9, 18 or 38 */
    uint64_t count;        /* values that the column holds */
} lam_variant_type_choice;

/* One path: its name and links, its counts, and its choice. */
typedef struct lam_variant_path {
    const char *name; /* NUL-terminated; NULL for the value itself and for elements */
    uint32_t name_size;
    uint32_t parent;
    uint32_t first_child; /* fields of the objects here, in the order of their first occurrence */
    uint32_t last_child;
    uint32_t next_child;                 /* the next field of the parent */
    uint32_t element;                    /* of the arrays here */
    uint16_t depth;                      /* objects and arrays around it */
    uint64_t last_value;                 /* number of the last value that had the path, from 1 */
    uint64_t present;                    /* values that have the path */
    uint64_t count;                      /* occurrences: more than `present` inside arrays */
    uint64_t kinds[LAM_VARIANT_UNKNOWN]; /* occurrences by kind; an integer by its smallest one */
    lam_decimal_sightings *decimals;     /* NULL before the first */
    /* The choice, by variant_choose.c. */
    lam_variant_type_choice type; /* the most common one */
    double presence;              /* share of values or parents that have it, 0 to 1 */
    double uniformity;            /* share of `type` among values that are not null, 0 to 1 */
    uint8_t choice;               /* lam_variant_choice */
    uint8_t reason;               /* lam_variant_reason */
} lam_variant_path;

/* The tree of one VARIANT. */
typedef struct lam_variant_paths {
    lam_allocator allocator;
    const lam_field *group;                       /* the VARIANT; NULL if not set up */
    const lam_variant_inference_options *options; /* borrowed; with every default in place */
    lam_arena arena;                              /* names, decimals */
    LAM_LIST(lam_variant_path) list;              /* [0] is the value itself */
    lam_hash_index fields;                        /* by parent and name */
    uint64_t values;                              /* values counted so far */
    uint64_t passed_over; /* occurrences of paths that were not held, beyond max_paths */
    lam_buffer text;      /* one decimal, printed */
} lam_variant_paths;

/* Sets up a tree with the path of the value itself. Call finish after a failure, too. NOMEM. */
lam_status lam_variant_paths_init(lam_variant_paths *paths, const lam_field *group,
                                  const lam_variant_inference_options *options,
                                  const lam_allocator *allocator, lam_error *error);
/* Has no effect on a tree that is all zero. */
void lam_variant_paths_finish(lam_variant_paths *paths);

/* Counts a value that is well formed, and everything inside it down to max_depth. NOMEM. */
lam_status lam_variant_paths_count(lam_variant_paths *paths, lam_variant variant, lam_error *error);

/*
 * Decides for each path whether it gets columns, and which. `schema_depth` is the depth of the
 * group in its schema, which bounds how deep columns can be. May be called again after more values.
 * NOMEM.
 */
lam_status lam_variant_choose(lam_variant_paths *paths, unsigned schema_depth, lam_error *error);

/* Whether the path gets a typed_value of this kind: OBJECT and ARRAY are groups. */
static inline bool lam_variant_path_is(const lam_variant_path *path, lam_variant_kind kind) {
    return path->choice == LAM_VARIANT_SHREDDED && path->type.kind == kind;
}

/* The next path in the order in which children follow their parents; 0 after the last. */
uint32_t lam_variant_paths_next(const lam_variant_paths *paths, uint32_t index);

#endif
