/* SPDX-License-Identifier: Apache-2.0 */
/* Records below a path of larger JSON documents. */
#ifndef LAMELLA_TOOLS_IMPORT_RECORDS_H
#define LAMELLA_TOOLS_IMPORT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct import_records import_records;

/* Whether a path is one: names with points between, [] after those whose value is an array. */
bool import_records_is_path(const char *path);

/* `path` is one, and borrowed. */
import_records *import_records_create(const char *path);
void import_records_destroy(import_records *records);

/* The text begins again. */
void import_records_restart(import_records *records);

/* Takes the next bytes of the text: all that is no record becomes blank, but line ends stay. */
void import_records_take(import_records *records, char *bytes, size_t size);

/* False for the first bytes of a text in UTF-16, whose marks are no bytes. */
bool import_records_can_read(const import_records *records, const char *bytes, size_t size);

/* Whether the path has led to a value so far, or to the array whose elements it means. */
bool import_records_lead(const import_records *records);
/* What is found where the path stops leading on: "the documents have type, features". */
void import_records_tell(const import_records *records, char *text, size_t size);

/* Whether the text may end here: no object, array or string is open. */
bool import_records_may_end(const import_records *records);

#endif
