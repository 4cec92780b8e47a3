/* What reading and inferring share about limits, and about telling where a failure was. */
#ifndef LAM_JSON_PLACE_H
#define LAM_JSON_PLACE_H

#include "json/json_text.h"

/* The limit that an option asks for: 64 MiB for 0. */
size_t lam_json_limit(size_t max_record_bytes);
/* INVALID above 1 GiB. */
lam_status lam_json_check_limit(size_t max_record_bytes, lam_error *error);

/* Puts "line L, column C: " before the message of a failure at an offset of the piece. */
lam_status lam_json_place_syntax(const lam_json_piece *piece, size_t offset, lam_status status,
                                 lam_error *error);
/* Puts "line L: " before it, and the path if it is not empty. */
lam_status lam_json_place_value(const lam_json_piece *piece, size_t offset, const char *path,
                                lam_status status, lam_error *error);

#endif
