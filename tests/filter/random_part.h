/*
 * Random conditions on parts of VARIANTs, and what they are of a whole value, worked out in the
 * plainest way: the oracle for all that lib/filter and lib/scan do with parts.
 */
#ifndef LAM_TESTS_RANDOM_PART_H
#define LAM_TESTS_RANDOM_PART_H

#include <lamella/filter.h>
#include <lamella/variant.h>

#include "support/random.h"

enum {
    PART_STEPS = 6,
    PART_NAME_ROOM = 48,
    PART_VALUES = 9,
    PART_BYTES_ROOM = 300,
    PART_TEXT_ROOM = 4096
};

typedef struct part_step {
    bool elements;
    size_t size;
    uint8_t name[PART_NAME_ROOM];
} part_step;

/* A value that is compared with; a number is its text. */
typedef struct part_value {
    lam_variant_scalar scalar;
    uint8_t bytes[PART_BYTES_ROOM];
    char number[PART_BYTES_ROOM]; /* "" where it is not finite */
    double special;               /* what it is then */
} part_value;

typedef enum part_question { PART_COMPARES, PART_IS_NULL, PART_IS_MISSING } part_question;

typedef struct random_part {
    part_step steps[PART_STEPS];
    size_t step_count;
    part_question question;
    bool is_turned;
    lam_filter_operator operation;
    part_value values[PART_VALUES];
    size_t value_count;
    char text[PART_TEXT_ROOM]; /* the condition as text; "" when it was not made as one */
    char path[PART_TEXT_ROOM];
} random_part;

/* A condition on a part of the VARIANT at `path`, mostly on one that `sample` has; as text only
 * when `is_text`. */
void random_part_make(lam_random *random, const char *path, lam_variant sample, bool is_text,
                      random_part *ret_part);

/* Adds it to a builder; the status of the builder. */
lam_status random_part_add(const random_part *part, lam_filter_builder *builder, lam_error *error);

/* Of a scalar at the end of the path; LAM_OUTCOME of filter_program.h. */
uint8_t random_part_of_scalar(const random_part *part, const lam_variant_scalar *scalar);

uint8_t random_part_of_value(const random_part *part, lam_variant value);

/* Where the VARIANT is missing; `has_place` is false where it has no place to be in. */
uint8_t random_part_of_missing(const random_part *part, bool has_place);

/* Below, at or above 0; *ret_alike is false for values of different classes. */
int part_value_compare(const lam_variant_scalar *scalar, const part_value *value, bool *ret_alike);

/* The value as the builder takes it, made from a scalar. */
void part_value_of(const lam_variant_scalar *scalar, part_value *ret_value);

#endif
