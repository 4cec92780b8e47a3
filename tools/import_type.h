/* SPDX-License-Identifier: Apache-2.0 */
/* The types that --type names: a field's path, and the type that it gets, whatever is inferred. */
#ifndef LAMELLA_TOOLS_IMPORT_TYPE_H
#define LAMELLA_TOOLS_IMPORT_TYPE_H

#include <lamella/json.h>

/*
 * Splits "PATH=TYPE" at the = sign that a type follows: the path is NUL-terminated in place, and an
 * = sign between quotation marks belongs to it. TYPE is as in message text, such as int64
 * (TIMESTAMP(MILLIS,true)), or one of the short names; of groups, only variant and map. False when
 * there is no path or no such type.
 */
bool import_type_parse(char *text, lam_json_column *ret_column);

/* The short names, for shells; ends with NULL. */
extern const char *const import_type_names[];

/* What TYPE can be, for messages. */
#define IMPORT_TYPE_NAMES                                                                          \
    "string, json, variant, map, boolean, int8 to int64, uint8 to uint64, float, double, "         \
    "decimal(P,S), date, time, timestamp, timestamp_utc, each of the last three also with _ms, "   \
    "_us or _ns, uuid, binary, or a type of a schema such as int64 (TIMESTAMP(MILLIS,true))"

#endif
