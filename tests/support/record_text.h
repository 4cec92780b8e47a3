/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as text, told to any sink, without the library's own JSON reader:
 *
 *     {id: 1, name: 'one', tags: [3, null]} {id: 2, v: {metadata: x010000, value: x0C05}}
 *
 * It is JSON in which names may stand bare, single quotes do for double ones, xHH.. are bytes, and
 * numbers may be nan or inf. An object is a group, told in the order of its members; a member that
 * comes twice is opened twice. An array is the elements of a repeated field, of a LIST of three
 * levels, or the entries of a MAP, {key, value} each. A null is left out.
 */
#ifndef LAM_TESTS_RECORD_TEXT_H
#define LAM_TESTS_RECORD_TEXT_H

#include <lamella/record.h>
#include <stdarg.h>

/* Tells all records; the first failure of the sink ends it. A text that does not fit the schema
 * ends the test. */
lam_status lam_tell(const lam_schema *schema, const lam_record_sink *sink, const char *records,
                    lam_error *error);

/* The same, one whose text is made as printf makes it, of at most 4 KiB. */
lam_status lam_vtell(const lam_schema *schema, const lam_record_sink *sink, lam_error *error,
                     const char *format, va_list arguments);

#endif
