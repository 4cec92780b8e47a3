/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lib/table share. */
#ifndef LAM_TESTS_TABLE_HELP_H
#define LAM_TESTS_TABLE_HELP_H

#include <lamella/table.h>

#include "json/print_ways.h"

/* Groups in groups, a list, a map, text with all that is escaped. */
#define TABLE_FIELDS                                                                               \
    "optional int32 id; optional group user { optional binary name (STRING); "                     \
    "required group at { optional double x; } }"                                                   \
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } }"     \
    "optional group m (MAP) { repeated group key_value { required binary key (STRING); "           \
    "optional boolean value; } } optional boolean ok"

#define TABLE_RECORDS                                                                              \
    "{\"id\":1,\"user\":{\"name\":\"a\\n\\\"b\\\"\",\"at\":{\"x\":1.5}},\"tags\":[\"}\",null],"    \
    "\"m\":{\"\\\"k\":true},\"ok\":true}\n"                                                        \
    "{\"id\":null,\"user\":null,\"tags\":null,\"m\":null,\"ok\":null}\n"                           \
    "{\"id\":-3,\"user\":{\"name\":\"\",\"at\":{\"x\":null}},\"tags\":[],\"m\":{},\"ok\":false}\n"

#endif
