/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the parameters of an extension type, a JSON object (RFC 8259), in place.
 *
 *     {"shape": [2, 5], "dim_names": ["row", "column"]}
 */
#ifndef LAM_ARROW_EXTENSION_EXTENSION_PARAMETERS_H
#define LAM_ARROW_EXTENSION_EXTENSION_PARAMETERS_H

#include "base/arena.h"
#include "base/buffer.h"

/* Most levels of objects and arrays nested in each other. */
#define LAM_PARAMETER_DEPTH_MAX 64

typedef enum lam_parameter_kind {
    LAM_PARAMETER_ABSENT,
    LAM_PARAMETER_NULL,
    LAM_PARAMETER_BOOLEAN,
    LAM_PARAMETER_NUMBER,
    LAM_PARAMETER_STRING,
    LAM_PARAMETER_ARRAY,
    LAM_PARAMETER_OBJECT
} lam_parameter_kind;

typedef struct lam_parameter {
    lam_parameter_kind kind;
    lam_bytes text; /* as it is written, quotation marks and brackets included */
} lam_parameter;

/*
 * Reads an object, all of it. False when the text is not one: not JSON, not UTF-8, a string with
 * half of a surrogate pair, nested too deep, or something after it.
 */
bool lam_parameters_read(lam_bytes text, lam_parameter *ret_object);

/*
 * Finds a member of an object. False when the key is there more than once; ABSENT when it is
 * missing.
 */
bool lam_parameters_find(const lam_parameter *object, const char *key, lam_parameter *ret_value);

/*
 * Gives the elements of an array one after another: `*position` is 0 at first. False after the last
 * one.
 */
bool lam_parameter_next(const lam_parameter *array, size_t *position, lam_parameter *ret_element);

/* The same for the members of an object, with their names, which are strings. */
bool lam_parameter_next_member(const lam_parameter *object, size_t *position,
                               lam_parameter *ret_name, lam_parameter *ret_value);

/*
 * True when the value is a whole number from `least` to `most`, written in digits, without a
 * fraction or an exponent.
 */
bool lam_parameter_number(const lam_parameter *value, int64_t least, int64_t most,
                          int64_t *ret_number);

/* Most characters of a name that is asked for. */
#define LAM_PARAMETER_NAME_MAX 40

/* True when the value is the string `text`, which is ASCII of at most LAM_PARAMETER_NAME_MAX. */
bool lam_parameter_is(const lam_parameter *value, const char *text);

/*
 * The text of a string with its escapes replaced, NUL-terminated and possibly with a NUL inside.
 * NOMEM.
 */
lam_status lam_parameter_text(const lam_parameter *string, lam_arena *arena, lam_bytes *ret_text,
                              lam_error *error);

#endif
