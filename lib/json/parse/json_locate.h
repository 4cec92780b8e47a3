/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and inference share this: default limits, and putting the position before the message of
 * a failure.
 *
 *     syntax    line 7, column 12: expected a colon, found '='
 *     value     line 7: addresses[2].city: expected a string, found a number
 */
#ifndef LAM_JSON_PARSE_JSON_LOCATE_H
#define LAM_JSON_PARSE_JSON_LOCATE_H

#include "json/parse/json_text.h"

/* The limit of a record that an option asks for: 64 MiB for 0. */
size_t lam_json_limit(size_t max_record_bytes);
/* The budget that options ask for; for 0, 16 times the limit of a record, and at least 1 GiB. */
size_t lam_json_memory_limit(uint64_t memory_limit, size_t max_record_bytes);
/* INVALID above 1 GiB, and for a memory limit that a size_t cannot count. */
lam_status lam_json_check_limit(size_t max_record_bytes, uint64_t memory_limit, lam_error *error);

/*
 * Puts "line L, column C: " before the message of an INVALID at an offset of the piece, and "line
 * L: " before that of a LIMIT. Returns `status`; other failures stay as they are.
 */
lam_status lam_json_locate_syntax(const lam_json_piece *piece, size_t offset, lam_status status,
                                  lam_error *error);
/*
 * Puts "line L: " and the path, if it is not empty, before the message of an INVALID or a LIMIT.
 * Not if the error has a location in a file: then the sink that raised it knows better.
 */
lam_status lam_json_locate_value(const lam_json_piece *piece, size_t offset, const char *path,
                                 lam_status status, lam_error *error);

/*
 * The path of a value, as "addresses[2].city", made from its beginning on. If it does not fit the
 * room, bytes at its beginning go, so that the end, which is nearest to the failure, stays.
 */
typedef struct lam_json_path {
    char *text; /* always NUL-terminated */
    size_t size;
    size_t capacity;
    size_t whole; /* bytes of the uncut path */
} lam_json_path;

/* `capacity` is at least 2. */
void lam_json_path_start(lam_json_path *path, char *text, size_t capacity);
void lam_json_path_add_name(lam_json_path *path, const char *name, size_t size);
void lam_json_path_add_index(lam_json_path *path, size_t index);
/* Drops the remains of a character that was cut. */
void lam_json_path_end(lam_json_path *path);

#endif
