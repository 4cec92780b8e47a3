/*
 * What stands inside of bytes that have a format of their own: whether they keep it. Nothing is
 * decoded beyond that.
 *
 * All of them give INVALID with what is wrong and where, or NOMEM. `nesting` is room for what is
 * open: it comes empty, grows with the depth of the bytes and never beyond their size, and is left
 * for the caller to clear.
 */
#ifndef LAM_CHECK_CONTENTS_H
#define LAM_CHECK_CONTENTS_H

#include "base/buffer.h"

/* A JSON text (RFC 8259), as far as its grammar goes: whether it is UTF-8 is not asked. */
lam_status lam_json_grammar_check(lam_bytes text, lam_buffer *nesting, lam_error *error);

/* A BSON document (bsonspec.org, version 1.1). */
lam_status lam_bson_check(lam_bytes document, lam_buffer *nesting, lam_error *error);

#endif
