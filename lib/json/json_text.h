/*
 * Cuts JSON text into the texts of its records, in memory bounded by the largest of them. The text
 * is lines of one value each, or documents: values that may span lines, and arrays whose elements
 * are the records. Its first line tells which: it is documents when that line begins an array, ends
 * inside an object, or holds an object and more behind it. From a line on that holds an opening
 * bracket alone, it is documents too.
 */
#ifndef LAM_JSON_TEXT_H
#define LAM_JSON_TEXT_H

#include <lamella/json.h>

typedef enum lam_json_text_mode {
    LAM_JSON_TEXT_START,
    LAM_JSON_TEXT_LINES,
    LAM_JSON_TEXT_DOCUMENTS,   /* between documents */
    LAM_JSON_TEXT_ARRAY_FIRST, /* behind the [ of an array of records */
    LAM_JSON_TEXT_ARRAY_NEXT   /* behind a record in an array */
} lam_json_text_mode;

typedef struct lam_json_text {
    lam_allocator allocator;
    lam_json_source source;
    size_t max_record;
    char *data; /* a window of the text: [begin, end) is not yet handed out */
    size_t capacity;
    size_t begin;
    size_t end;
    uint64_t line;       /* on which `begin` is, from 1 */
    unsigned short_ones; /* refills in a row that need little of the window */
    lam_json_text_mode mode;
    bool ended;  /* the source has no more */
    bool failed; /* and nothing can follow */
} lam_json_text;

/* The text of one value, without white space around it where that costs nothing. */
typedef struct lam_json_piece {
    const char *text; /* LAM_STRUCTURAL_PADDING bytes behind it are readable */
    size_t size;
    uint64_t line;
} lam_json_piece;

void lam_json_text_init(lam_json_text *text, const lam_json_source *source, size_t max_record,
                        const lam_allocator *allocator);
void lam_json_text_finish(lam_json_text *text);

/*
 * Gives the next piece, borrowed until the next call; its text is NULL at the end. INVALID and
 * LIMIT with the line. After a failure only finish is allowed.
 */
lam_status lam_json_text_next(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error);

#endif
