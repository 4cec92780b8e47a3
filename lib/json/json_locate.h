/* What reading and inferring share about limits, and about telling where a failure was. */
#ifndef LAM_JSON_LOCATE_H
#define LAM_JSON_LOCATE_H

#include "json/json_text.h"

/* The limit that an option asks for: 64 MiB for 0. */
size_t lam_json_limit(size_t max_record_bytes);
/* The budget that options ask for: for 0, 16 times the limit of a record, at least 1 GiB. */
size_t lam_json_memory_limit(uint64_t memory_limit, size_t max_record_bytes);
/* INVALID above 1 GiB, and for a memory limit that no size_t counts. */
lam_status lam_json_check_limit(size_t max_record_bytes, uint64_t memory_limit, lam_error *error);

/* Of a LIMIT, both put "line L: " before the message, the second the path, too. */
/* Puts "line L, column C: " before the message of a failure at an offset of the piece. */
lam_status lam_json_locate_syntax(const lam_json_piece *piece, size_t offset, lam_status status,
                                  lam_error *error);
/* Puts "line L: " before it, and the path if it is not empty. */
lam_status lam_json_locate_value(const lam_json_piece *piece, size_t offset, const char *path,
                                 lam_status status, lam_error *error);

/*
 * The path of a value, as "addresses[2].city", made from the front on. Where it does not fit its
 * room the front of it goes.
 */
typedef struct lam_json_path {
    char *text; /* NUL-terminated all the time */
    size_t size;
    size_t capacity;
    size_t whole; /* bytes that it would have */
} lam_json_path;

/* `capacity` is at least 2. */
void lam_json_path_start(lam_json_path *path, char *text, size_t capacity);
void lam_json_path_add_name(lam_json_path *path, const char *name, size_t size);
void lam_json_path_add_index(lam_json_path *path, size_t index);
/* Drops what the cut has left of a character. */
void lam_json_path_end(lam_json_path *path);

#endif
