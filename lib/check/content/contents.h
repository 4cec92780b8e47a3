/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks bytes that have a format of their own: JSON and BSON. Decodes no further.
 *
 * All functions give INVALID, saying what is wrong and where, or NOMEM. `nesting` is room for the
 * containers that are open: it comes empty, grows with the nesting of the bytes and never beyond
 * their size, and is left for the caller to clear. So no input can exhaust the stack.
 */
#ifndef LAM_CHECK_CONTENT_CONTENTS_H
#define LAM_CHECK_CONTENT_CONTENTS_H

#include "base/buffer.h"

/* A JSON text (RFC 8259), by its grammar only: that it is UTF-8 is another rule's concern. */
lam_status lam_json_grammar_check(lam_bytes text, lam_buffer *nesting, lam_error *error);

/* A BSON document (bsonspec.org, version 1.1). */
lam_status lam_bson_check(lam_bytes document, lam_buffer *nesting, lam_error *error);

#endif
