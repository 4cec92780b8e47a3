/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON strings (RFC 8259, section 7) and the UTF-8 inside them.
 *
 *     "text"         bytes of UTF-8 as they are, save quote, backslash and those below 0x20
 *     \" \\ \/ \b \f \n \r \t
 *     \uXXXX         a UTF-16 code unit; two of them, high and low surrogate, for U+10000 and up
 */
#ifndef LAM_TEXT_JSON_STRING_H
#define LAM_TEXT_JSON_STRING_H

#include <lamella/common.h>

#include "base/buffer.h"

/*
 * True when every escape between the quotes is complete and no surrogate is alone; otherwise gives
 * the position of the first escape that is wrong.
 */
bool lam_json_string_check(const char *content, size_t size, size_t *ret_bad);

/*
 * Writes the text of a checked string to `text`, which has room for `size` bytes, and returns its
 * length: an escape is never shorter than the bytes that it means.
 */
size_t lam_json_string_unescape(const char *content, size_t size, char *text);

/* Bytes after a printed string for which there is room: those of the punctuation that follows. */
enum { LAM_JSON_ROOM_BEHIND_STRING = 8 };

/*
 * Appends text as a string in quotes, with room after it. Bytes that are not UTF-8 become U+FFFD if
 * `replace` is set, one for each maximal subpart (Unicode, section 3.9), and are INVALID otherwise.
 */
lam_status lam_json_string_print(lam_buffer *buffer, const void *text, size_t size, bool replace,
                                 lam_error *error);

#endif
