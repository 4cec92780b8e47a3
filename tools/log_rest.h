/* SPDX-License-Identifier: Apache-2.0 */
/* Records with fields that the schema does not have: these move into one VARIANT. */
#ifndef LAMELLA_TOOLS_LOG_REST_H
#define LAMELLA_TOOLS_LOG_REST_H

#include <lamella/json.h>

/* Text that grows. */
typedef struct log_rest_text {
    char *data;
    size_t size;
    size_t capacity;
} log_rest_text;

typedef struct log_rest {
    log_rest_text known;   /* the record as the schema has it, and the rest */
    log_rest_text unknown; /* the rest */
} log_rest;

void log_rest_free(log_rest *rest);

/*
 * Makes `known` of the text of a record: fields that the schema lacks move into a member with that
 * name, in objects and arrays of the same shape:
 *
 *     {"a":1,"b":2,"l":[{"c":3},{"d":4}]}
 *     {"a":1,"l":[{"c":3},{}],"rest":{"b":2,"l":[{},{"d":4}]}}
 *
 * False when the text is not a record. The reader of `known` still has to check it.
 */
bool log_rest_split(log_rest *rest, const lam_schema *schema, const char *name, lam_bytes record);

#endif
