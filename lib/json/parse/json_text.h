/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts JSON text into the texts of its records, in memory bounded by the largest of them. The text
 * is lines of one value each, or documents: values that may span lines, and arrays whose elements
 * are the records. Unless only_lines is set the first line decides: the text is documents if that
 * line begins an array, ends inside an object, or holds an object and another value after it. A
 * line that holds an opening bracket alone switches to documents as well, from that line on.
 */
#ifndef LAM_JSON_PARSE_JSON_TEXT_H
#define LAM_JSON_PARSE_JSON_TEXT_H

#include <lamella/json.h>

#include "text/utf16.h"

typedef enum lam_json_text_mode {
    LAM_JSON_TEXT_START,
    LAM_JSON_TEXT_LINES,
    LAM_JSON_TEXT_DOCUMENTS,   /* between documents */
    LAM_JSON_TEXT_ARRAY_FIRST, /* after the [ of an array of records */
    LAM_JSON_TEXT_ARRAY_NEXT   /* after a record in an array */
} lam_json_text_mode;

/*
 * The window of the text. Bytes from `begin` to `end` are read and not yet handed out; at least
 * LAM_STRUCTURAL_PADDING bytes after `end` belong to the window and are 0.
 */
typedef struct lam_json_text {
    lam_allocator allocator;
    lam_json_source source;
    size_t max_record;
    char *data; /* NULL before the first read */
    size_t capacity;
    size_t begin;
    size_t end;
    uint64_t line;       /* that `begin` is on, from 1 */
    unsigned short_ones; /* refills in a row that needed little of the window */
    lam_json_text_mode mode;
    lam_text_encoding encoding;
    uint8_t rest[4]; /* bytes of UTF-16 that are not a complete character yet */
    size_t rest_size;
    bool is_broken;  /* a lone surrogate follows */
    bool only_lines; /* no line turns the text into documents */
    bool skips_line; /* the remainder of the line at `begin` is of a record that was too long */
    bool ended;      /* the source has no more bytes */
    bool failed;     /* no record can be found after the failure */
} lam_json_text;

/* The text of one value, without white space around it if that costs nothing. */
typedef struct lam_json_piece {
    const char *text; /* LAM_STRUCTURAL_PADDING bytes after it are readable */
    size_t size;
    uint64_t line;
} lam_json_piece;

void lam_json_text_init(lam_json_text *text, const lam_json_source *source, size_t max_record,
                        const lam_allocator *allocator);
void lam_json_text_finish(lam_json_text *text);

/*
 * Gives the next piece, borrowed until the next call; its text is NULL at the end. INVALID and
 * LIMIT name the line. After a failure only finish is allowed, but for LIMIT with only_lines: the
 * next call continues after the line. `*ret_piece` is then its beginning.
 */
lam_status lam_json_text_next(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error);

#endif
