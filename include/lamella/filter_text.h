/*
 * Filters as text, in the manner of SQL's WHERE.
 */
#ifndef LAMELLA_FILTER_TEXT_H
#define LAMELLA_FILTER_TEXT_H

#include <lamella/common.h>
#include <lamella/filter.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a condition:
 *
 *     price > 10 and (tags is not null or not name in ('a', 'b')) and day between '2024-01-01' and
 *     '2024-01-31' and active
 *
 *     = == != <> < <= > >=        FIELD op VALUE, or VALUE op FIELD
 *     [not] in (VALUE, ...)       [not] between VALUE and VALUE       is [not] null
 *     not, and, or                in this order of strength, and parentheses
 *     FIELD                       alone, when it is BOOLEAN: is true
 *
 * A field is a dotted path of plain words (letters, digits and _), or of words between quotation
 * marks, where two marks stand for one: "full name".first. Where a word is also a keyword it stands
 * between quotation marks. The path of a group with one leaf stands for that leaf: tags = 'x' finds
 * lists that hold x. Keywords may be of any case.
 *
 * A value is written by the type of its field (LogicalTypes.md):
 *
 *     numbers, decimals      10  -2.5  1e6      any digits: 10.5 lies between the integers 10 and
 * 11 floating point         numbers, 'NaN', 'Infinity', '-Infinity' BOOLEAN                true
 * false STRING, ENUM, JSON     'text', where two marks stand for one: 'it''s' other bytes x'00FF',
 * or 'text' DATE, TIME, TIMESTAMP  '2024-10-24'  '12:34:56.789'  '2024-10-24T12:34:56.789Z' (a
 * space for the T); INT96 as a timestamp without Z UUID '00112233-4455-6677-8899-aabbccddeeff'
 *
 * `text` is `size` bytes of UTF-8, borrowed for the call; the schema is borrowed until
 * lam_filter_destroy. INVALID, NOT_FOUND and LIMIT name the column (from 1, in bytes) and what was
 * expected there.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_filter_parse(const lam_schema *schema, const char *text,
                                                     size_t size, const lam_allocator *allocator,
                                                     lam_filter **ret_filter, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
