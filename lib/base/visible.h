/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of strangers in rooms of the library; lam_visible_prefix and _escape are public. */
#ifndef LAM_BASE_VISIBLE_H
#define LAM_BASE_VISIBLE_H

#include <lamella/common.h>

/*
 * Turns a text in a room of `capacity` bytes into one that shows: what does not becomes its escape,
 * or, if the room is too small for all escapes, a question mark each.
 */
void lam_visible_make(char *text, size_t capacity);

#endif
