/* SPDX-License-Identifier: Apache-2.0 */
/* Edits metadata: each change makes a new list of key-values in an arena, and the old one stays. */
#ifndef LAM_ARROW_FIELD_ARROW_METADATA_EDIT_H
#define LAM_ARROW_FIELD_ARROW_METADATA_EDIT_H

#include "arrow/field/arrow_field.h"

/* The key that holds the id of a Parquet field, in decimal. */
#define LAM_ARROW_FIELD_ID_KEY "PARQUET:field_id"

/* The key of the footer's metadata that holds the Arrow schema from which a file was written. */
#define LAM_ARROW_SCHEMA_KEY "ARROW:schema"

/* The keys that hold the name of a field's extension type and its parameters. */
#define LAM_ARROW_EXTENSION_NAME_KEY "ARROW:extension:name"
#define LAM_ARROW_EXTENSION_METADATA_KEY "ARROW:extension:metadata"

/* The bytes of a text, without its NUL. */
static inline lam_bytes lam_arrow_text(const char *text) {
    lam_bytes bytes = {(const uint8_t *)text, 0};
    while (text[bytes.size] != '\0')
        bytes.size++;
    return bytes;
}

bool lam_arrow_bytes_equal(lam_bytes bytes, const char *text);
/* Whether a field has the extension type with that name. */
bool lam_arrow_is_extension(const lam_arrow_field *field, const char *name);

/*
 * Sets the value of a key, at the position of the key or else at the end. Key and value are
 * borrowed for the life of the arena. NOMEM.
 */
lam_status lam_arrow_metadata_set(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                                  lam_bytes value, lam_error *error);

/* Removes all key-values of a key. NOMEM. */
lam_status lam_arrow_metadata_drop(lam_arena *arena, lam_arrow_metadata *metadata, const char *key,
                                   lam_error *error);

#endif
