/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical types in message text: a name, and arguments in parentheses. (LogicalTypes.md)
 *
 *     STRING  ENUM  UUID  DATE  JSON  BSON  FLOAT16  INTERVAL  UNKNOWN
 *     LIST  MAP  MAP_KEY_VALUE  FILE  UNRECOGNIZED
 *     DECIMAL(9,2)            precision, scale; a scale of 0 may be left out
 *     TIME(MILLIS,true)       unit, adjusted to UTC; in either order
 *     TIMESTAMP(NANOS,false)  the same
 *     INTEGER(16,false)       width in bits, signed; in either order; INT is another name
 *     VARIANT  VARIANT(1)     version
 *     GEOMETRY  GEOMETRY(OGC:CRS84)  GEOMETRY("{\"type\": \"GeographicCRS\"}")
 *     GEOGRAPHY  GEOGRAPHY(OGC:CRS84)  GEOGRAPHY(OGC:CRS84,KARNEY)  GEOGRAPHY(KARNEY)
 *
 * Also accepted are the converted types of older files: UTF8, INT_8 to UINT_64, TIME_MILLIS,
 * TIME_MICROS, TIMESTAMP_MILLIS, TIMESTAMP_MICROS; and NULL, the name of UNKNOWN in parquet.thrift.
 * A CRS is a word, quoted where text.h requires it or if it would read as the name of an algorithm.
 */
#ifndef LAM_SCHEMA_ANNOTATION_H
#define LAM_SCHEMA_ANNOTATION_H

#include "schema/message_lexer.h"
#include "schema/text.h"
#include "schema/tree.h"

/* Prints the type; empty for NONE. */
void lam_annotation_print(lam_text *text, const lam_logical_type *type);

/*
 * Reads an annotation from its name on and moves past it. The CRS of the result, if any, is
 * borrowed from `crs`. INVALID, NOMEM.
 */
lam_status lam_annotation_parse(lam_lexer *lexer, lam_buffer *crs, lam_logical_type *ret_type,
                                lam_error *error);

#endif
