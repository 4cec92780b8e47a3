/* SPDX-License-Identifier: Apache-2.0 */
/* Filters as text, in the style of SQL's WHERE. docs/where.md has examples. */
#ifndef LAMELLA_FILTER_TEXT_H
#define LAMELLA_FILTER_TEXT_H

#include <lamella/common.h>
#include <lamella/filter.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the default in every member. */
typedef struct lam_filter_text_options {
    size_t struct_size;
    bool storage;       /* columns of VARIANTs are fields: metadata, value, typed_value */
    int64_t now_micros; /* what now() is, in microseconds since 1970 in UTC; default: the time of
                           the system */
} lam_filter_text_options;

LAM_GROWING(lam_filter_text_options);

/*
 * Reads a condition:
 *
 *     price > 10 and (tags is not null or not name in ('a', 'b')) and day between '2024-01-01' and
 *     '2024-01-31' and active
 *
 *     = == != <> < <= > >=        FIELD op VALUE, VALUE op FIELD, FIELD op FIELD
 *     [not] in (VALUE, ...)
 *     [not] between A and B       values or fields, both ends included
 *     [not] like 'a%_'            % is any characters, _ one; with escape '!', !% is a %
 *     [not] ilike 'a%'            the same, capital letters like small ones
 *     starts_with(FIELD, 'a')     no character is special
 *     is [not] null               and inside of VARIANTs is [not] missing
 *     not, and, or                in this order of strength, and parentheses
 *     FIELD                       alone, if it is BOOLEAN: is true
 *
 * A field is a path as in lamella/schema.h, whose plain names are words (letters, digits and _):
 * "full name".first. A first word that is also a keyword needs quotation marks. The path of a group
 * with one leaf stands for that leaf: tags = 'x' finds lists that hold x. Keywords may be in any
 * case. [] after a list leads to its elements, items[].price: the condition holds when it holds
 * for any of them. A key after a map leads to its value, m['k'], m[5] or, for a text, m.k: null
 * where the map lacks the key.
 *
 * The type of the field decides how a value is written (LogicalTypes.md):
 *
 *     numbers, decimals      10  -2.5  1e6      any digits: 10.5 lies between integers
 *     floating point         numbers, 'NaN', 'Infinity', '-Infinity'
 *     BOOLEAN                true  false
 *     STRING, ENUM, JSON     'text', where two marks stand for one: 'it''s'
 *     other bytes            x'00FF', or 'text'
 *     DATE, TIMESTAMP        '2024-10-24' is midnight, '2024-10-24T12:34:56.789' (a space for the
 *                            T); with Z or an offset not for columns in no zone, and INT96
 *                            now(), now() - 1d + 6h, with s, m, h, d, w: UTC
 *     TIME                   '12:34:56.789'
 *     UUID                   '00112233-4455-6677-8899-aabbccddeeff'
 *
 * Behind a VARIANT a path continues with names of fields of its values, any characters between
 * quotation marks, and [] for the elements of an array: event.location.latitude > 48, event."a.b"
 * is not null, event['a.b'] = 1, event.items[].price < 10. A value is then read as everything that
 * it may mean, a text also as the date, time, timestamp or UUID that it spells, and compared by
 * class, as in lam_filter_builder_compare_scalars. IS NULL is true where the path is missing or
 * leads to a Variant null, IS MISSING only where it is missing.
 *
 * `text` is `size` bytes of UTF-8, borrowed for the call. `options` may be NULL. INVALID, NOT_FOUND
 * and LIMIT name the character, from 1, and what was expected there.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_parse(const lam_schema *schema, const char *text,
                                                     size_t size,
                                                     const lam_filter_text_options *options,
                                                     const lam_allocator *allocator,
                                                     lam_filter **ret_filter, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
