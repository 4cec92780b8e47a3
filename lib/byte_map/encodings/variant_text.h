/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a VARIANT as short texts for people. */
#ifndef LAM_BYTE_MAP_ENCODINGS_VARIANT_TEXT_H
#define LAM_BYTE_MAP_ENCODINGS_VARIANT_TEXT_H

#include "byte_map/walk/byte_text.h"
#include "variant/value/variant_layout.h"

/* The first byte of metadata: "version 1, sorted names, offsets of 1 byte". */
void lam_byte_text_of_names_header(uint8_t header, lam_byte_text *text);
/* The first byte of a value: "object; count, ids and offsets of 1, 1 and 2 bytes", "int8". */
void lam_byte_text_of_variant_header(uint8_t header, lam_byte_text *text);
/* A value that is no object or array, from exactly its bytes; its type is known. */
void lam_byte_text_of_scalar(lam_bytes value, lam_byte_text *text);
/* The unscaled number of a decimal. */
void lam_byte_text_of_unscaled(const lam_decimal *decimal, lam_byte_text *text);
/* The id of a field, and its name, if it has one. */
void lam_byte_text_of_id(uint32_t id, const lam_bytes *name, lam_byte_text *text);

#endif
