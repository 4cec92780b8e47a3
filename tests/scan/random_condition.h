/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random conditions on parts of VARIANTs, and what they are of a whole value, worked out in the
 * plainest way: the oracle for all that lib/filter and lib/scan do with parts.
 */
#ifndef LAM_TESTS_RANDOM_CONDITION_H
#define LAM_TESTS_RANDOM_CONDITION_H

#include <lamella/filter.h>
#include <lamella/variant.h>

#include "support/random.h"

enum {
    PATH_STEPS = 6,
    PATH_NAME_ROOM = 48,
    PATH_VALUES = 9,
    PATH_BYTES_ROOM = 300,
    PATH_TEXT_ROOM = 4096
};

typedef struct path_step {
    bool elements;
    size_t size;
    uint8_t name[PATH_NAME_ROOM];
} path_step;

/* A value that is compared with; a number is its text. */
typedef struct path_value {
    lam_variant_scalar scalar;
    uint8_t bytes[PATH_BYTES_ROOM];
    char number[PATH_BYTES_ROOM]; /* "" where it is not finite */
    double special;               /* what it is then */
    bool is_spelled;              /* a text, which spells other times, too */
} path_value;

typedef enum path_question { PATH_COMPARES, PATH_IS_NULL, PATH_IS_MISSING } path_question;

typedef struct random_condition {
    path_step steps[PATH_STEPS];
    size_t step_count;
    path_question question;
    bool is_turned;
    lam_filter_operator operation;
    path_value values[PATH_VALUES];
    size_t value_count;
    char text[PATH_TEXT_ROOM]; /* the condition as text; "" when it was not made as one */
    char path[PATH_TEXT_ROOM];
} random_condition;

/*
 * A condition on a path inside the VARIANT at `path`, mostly on one that `sample` has; as text only
 * when `is_text`.
 */
void random_condition_make(lam_random *random, const char *path, lam_variant sample, bool is_text,
                           random_condition *ret_condition);

/* Adds it to a builder; the status of the builder. */
lam_status random_condition_add(const random_condition *condition, lam_filter_builder *builder,
                                lam_error *error);

/* Of a scalar at the end of the path; LAM_OUTCOME of filter_program.h. */
uint8_t random_condition_of_scalar(const random_condition *condition,
                                   const lam_variant_scalar *scalar);

uint8_t random_condition_of_value(const random_condition *condition, lam_variant value);

/* Where the VARIANT is missing; `has_place` is false where it has no place to be in. */
uint8_t random_condition_of_missing(const random_condition *condition, bool has_place);

/* Below, at or above 0; *ret_alike is false for values of different classes. */
int path_value_compare(const lam_variant_scalar *scalar, const path_value *value, bool *ret_alike);

/* The value as the builder takes it, made from a scalar. */
void path_value_of(const lam_variant_scalar *scalar, path_value *ret_value);

#endif
