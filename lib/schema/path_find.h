/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path leads: the one resolver for all calls and options that name a field.
 *
 *     a.b          b in the group a; without one, a field named a.b, as dots may belong
 *                  to names without marks
 *     "a.b"        only a field named a.b
 *     items[]      the element of a list, whatever fields hold it, or of a repeated field
 *     event.a      if event is a VARIANT and the caller allows that: event, and the word a left
 *     m['k'], m.k  the values of a map, if the caller allows that, and the word of the key
 *
 * A path that may be read in several ways is read in the first of these that leads anywhere: name
 * by name, with keys of maps, with dots in names. Several fields of one name, which files may have,
 * and several ways to put dots into names are ambiguous.
 */
#ifndef LAM_SCHEMA_PATH_FIND_H
#define LAM_SCHEMA_PATH_FIND_H

#include "schema/path_text.h"
#include "schema/tree.h"

/* What a path may have besides names of fields and [], as bits. */
enum {
    LAM_PATH_INTO_VARIANTS = 1, /* it ends at a VARIANT, and further words lead into its values */
    LAM_PATH_TO_KEYS = 2        /* it leads through keys of maps */
};

/* Where a path ends. */
typedef struct lam_path_match {
    const lam_field *field;
    size_t used;          /* words that led there; the others lead into a VARIANT */
    size_t key_count;     /* words that are keys of maps */
    size_t key;           /* the last of them, */
    const lam_field *map; /*   and the map; NULL without any */
} lam_path_match;

/* A group on the way, and what was tried below it. */
typedef struct lam_path_frame {
    lam_path_match at;
    const lam_field *child; /* that was tried last; NULL before the first */
    size_t taken;           /* words of its name */
} lam_path_frame;

/* All fields that a path leads to, one after the other. Takes no memory but its own. */
typedef struct lam_path_search {
    const lam_path *path;
    unsigned allowed; /* LAM_PATH_INTO_VARIANTS, LAM_PATH_TO_KEYS */
    unsigned manner;
    size_t depth; /* of the frames in use */
    lam_path_frame frames[LAM_SCHEMA_DEPTH_MAX + 1];
    size_t furthest; /* the most words that led anywhere, and where */
    const lam_field *furthest_field;
} lam_path_search;

/*
 * Finds the one field to which a path leads. NOT_FOUND, with the field that may be meant; INVALID
 * (FIELD_AMBIGUOUS), with all that it may mean.
 */
lam_status lam_path_find(const lam_schema *schema, const lam_path *path, unsigned allowed,
                         lam_path_match *ret_match, lam_error *error);

/*
 * Goes before the first field of a path that selects: fields with one name, which only their
 * columns tell apart, are all meant, and so are all that fit a pattern. Other failures as of
 * lam_path_find.
 */
lam_status lam_path_search_start(lam_path_search *search, const lam_schema *schema,
                                 const lam_path *path, unsigned allowed, lam_error *error);

/* Gives the next field; false after the last. */
bool lam_path_search_next(lam_path_search *search, lam_path_match *ret_match);

/* A group annotated as VARIANT. A schema has that annotation on no leaf. */
static inline bool lam_is_variant_group(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_VARIANT;
}

/* Sets the marks of the leaves at and below a field. */
static inline void lam_field_mark(const lam_field *field, bool mark, bool *leaves) {
    for (size_t i = 0; i < field->leaf_count; i++)
        leaves[field->first_leaf + i] = mark;
}

#endif
