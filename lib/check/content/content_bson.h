/* SPDX-License-Identifier: Apache-2.0 */
/* Checks bytes that say they are BSON. Decodes no further. */
#ifndef LAM_CHECK_CONTENT_CONTENT_BSON_H
#define LAM_CHECK_CONTENT_CONTENT_BSON_H

#include "base/buffer.h"

/*
 * A BSON document (bsonspec.org, version 1.1). INVALID says what is wrong and where. `nesting` is
 * as in lam_json_grammar_check; NOMEM.
 */
lam_status lam_bson_check(lam_bytes document, lam_buffer *nesting, lam_error *error);

#endif
