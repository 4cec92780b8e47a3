/*
 * What inference learns of one VARIANT: a tree of paths, each with the kinds of value that stood
 * there.
 *
 *     {"a": [1, null]}      path 0  ""     object 2
 *     {"a": [], "b": 2.5}   path 1  a      array 2
 *                           path 2  a[]    int8 1, null 1
 *                           path 3  b      decimal4 1
 *
 * A path is behind its parent. Paths are known by their index; 0, the value itself,
 * stands for none in links.
 */
#ifndef LAM_VARIANT_VARIANT_PATHS_H
#define LAM_VARIANT_VARIANT_PATHS_H

#include <lamella/variant_inference.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "variant/variant_layout.h"

enum { LAM_VARIANT_SCALES = LAM_VARIANT_SCALE_MAX + 1 };

/* The decimals at a path, by the digits behind their point. */
typedef struct lam_decimal_sightings {
    uint64_t counts[LAM_VARIANT_SCALES];
    uint8_t digits[LAM_VARIANT_SCALES]; /* of the longest number */
    uint64_t doubles;                   /* those that print as a double does */
} lam_decimal_sightings;

/* What a path becomes: a kind of typed_value. */
typedef struct lam_variant_type_choice {
    lam_variant_kind kind; /* UNKNOWN: none */
    uint8_t scale;         /* of a decimal */
    uint8_t digits;        /* the most that its column holds */
    uint64_t count;        /* of the values that are of this type */
} lam_variant_type_choice;

typedef struct lam_variant_path {
    const char *name; /* NUL-terminated; NULL for the value itself and for elements */
    uint32_t name_size;
    uint32_t parent;
    uint32_t first_child; /* fields of the objects here, as they were first seen */
    uint32_t last_child;
    uint32_t next_child;
    uint32_t element; /* of the arrays here */
    uint16_t depth;   /* objects and arrays around it */
    uint64_t last_value;
    uint64_t present; /* values that have the path */
    uint64_t count;
    uint64_t kinds[LAM_VARIANT_UNKNOWN];
    lam_decimal_sightings *decimals; /* NULL before the first */
    /* What is chosen, by variant_choose.c. */
    lam_variant_type_choice type; /* the commonest */
    double presence;
    double uniformity;
    uint8_t choice; /* lam_variant_choice */
    uint8_t reason; /* lam_variant_reason */
} lam_variant_path;

typedef struct lam_variant_paths {
    lam_allocator allocator;
    const lam_field *group;
    const lam_variant_inference_options *options; /* with every default in place */
    lam_arena arena;                              /* names, decimals */
    lam_variant_path *paths;
    size_t count;
    size_t capacity;
    uint32_t *table; /* fields by parent and name: open addressing, at most half full */
    size_t table_size;
    uint64_t values; /* that were looked at */
    uint64_t passed_over;
    lam_buffer text; /* of a decimal */
} lam_variant_paths;

/* finish is due after a failure, too. NOMEM. */
lam_status lam_variant_paths_init(lam_variant_paths *paths, const lam_field *group,
                                  const lam_variant_inference_options *options,
                                  const lam_allocator *allocator, lam_error *error);
/* Does nothing to what is all zero. */
void lam_variant_paths_finish(lam_variant_paths *paths);

/* Looks at a value that is well formed. NOMEM. */
lam_status lam_variant_paths_count(lam_variant_paths *paths, lam_variant variant, lam_error *error);

/*
 * Fills in what is chosen for each path. `schema_depth` is that of the group. NOMEM.
 */
lam_status lam_variant_choose(lam_variant_paths *paths, unsigned schema_depth, lam_error *error);

/* Objects count as LAM_VARIANT_OBJECT, and so on: what typed_value of the path is a group for. */
static inline bool lam_variant_path_is(const lam_variant_path *path, lam_variant_kind kind) {
    return path->choice == LAM_VARIANT_SHREDDED && path->type.kind == kind;
}

/*
 * The next path in the order in which children follow their parents; 0 behind the last.
 */
uint32_t lam_variant_paths_next(const lam_variant_paths *paths, uint32_t index);

#endif
