/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints into a buffer that may be too small, and prints the words of message text: names and other
 * free text, plain if that can be read back, else between quotation marks.
 *
 *     plain     DocId   spark_schema   a.b   größe   a#b
 *     quoted    ""   "two words"   "a;b"   "a[0]"   "#1"   "say \"hi\""   "line\nbreak"   "\xFF"
 *
 * A plain word has no white space, no invisible character (lam_visible_prefix) and none of ; { } (
 * ) = , [ ] and does not begin with " or # or // or a slash and an asterisk. Escapes: \" \\ \n \r
 * \t and \xHH for one byte.
 */
#ifndef LAM_SCHEMA_TEXT_H
#define LAM_SCHEMA_TEXT_H

#include <lamella/common.h>

typedef struct lam_text {
    char *buffer;
    size_t capacity; /* bytes of `buffer`, the NUL included */
    size_t length;   /* of the entire text, whether it fits or not */
} lam_text;

/* Append text; bytes that do not fit are counted and not written. */
void lam_text_put(lam_text *text, const char *bytes, size_t size);
void lam_text_put_string(lam_text *text, const char *string);
void lam_text_put_int(lam_text *text, int64_t number);
void lam_text_put_repeated(lam_text *text, char byte, size_t count);
/* Appends a word, quoted if it must be. */
void lam_text_put_word(lam_text *text, const char *word, size_t size);
/* Appends a word between quotation marks. */
void lam_text_put_quoted(lam_text *text, const char *word, size_t size);
/* Ends the text with a NUL if the buffer has any room; returns the total length without it. */
size_t lam_text_finish(lam_text *text);

/*
 * True for the bytes that a plain word may contain. Brackets are among them, so that the parser can
 * explain a name such as a[9]; a name with one is printed between quotation marks.
 */
bool lam_word_byte(uint8_t byte);

/* A name for an error message: a word on one line, cut when it is long. */
typedef struct lam_shown {
    char text[72];
} lam_shown;

lam_shown lam_show(const char *name, size_t size);

#endif
