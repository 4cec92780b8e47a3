/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types as format strings of the Arrow C data interface.
 *
 *     n b c C s S i I l L e f g     null, bool, int8 to uint64, float16, float, double
 *     z Z vz    u U vu              binary, large, view; string, large, view
 *     d:19,10   d:19,10,256         decimal: precision, scale, and width if it is not 128 bits
 *     w:42                          fixed_size_binary
 *     tdD tdm                       date32, date64
 *     tts ttm ttu ttn               time: s, ms, us, ns
 *     tss:Europe/Paris  tsn:        timestamp: unit and time zone, if any
 *     tDs tDm tDu tDn               duration
 *     tiM tiD tin                   interval: months, days and time, months days and nanoseconds
 *     +l +L +vl +vL +w:3 +s +m +r   lists, their views, fixed_size_list, struct, map,
 *                                   run_end_encoded
 *     +ud:0,1   +us:4,5             dense and sparse union: a type id for each child
 *
 * (The Arrow C data interface, "Data type description -- format strings")
 */
#ifndef LAM_ARROW_FIELD_ARROW_FORMAT_H
#define LAM_ARROW_FIELD_ARROW_FORMAT_H

#include "arrow/field/arrow_field.h"

/* Most children of a union, whose type ids are 0 to 127. */
#define LAM_ARROW_UNION_MAX 128

/*
 * Parses a format string. The type's time zone points into `format`, its union ids into `room`.
 * Returns NULL, or a static text for an error message, as lam_arrow_type_fault does.
 */
const char *lam_arrow_format_parse(const char *format, uint8_t room[LAM_ARROW_UNION_MAX],
                                   lam_arrow_type *ret_type);

/*
 * Writes the format string of a type without fault, cut to `capacity` - 1 bytes and NUL-terminated;
 * returns its full length.
 */
size_t lam_arrow_format_print(const lam_arrow_type *type, char *buffer, size_t capacity);

#endif
