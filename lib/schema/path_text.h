/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a path: one grammar, read and printed, for every call and option that names a field.
 *
 *     path     name { "." name | "[]" }
 *     name     plain, up to a dot or []; or between quotation marks, two of which mean one
 *
 *     user.name            user, name
 *     "a.b".c              a.b, c
 *     items[].price        items, [], price
 *     "say ""hi"""         say "hi"
 *     No.                  No, and a plain name without bytes: together the name "No." (ALONE)
 *
 * What else ends a plain name, and what else a path has, depends on its context:
 *
 *     ALONE       no more: all of the text is the path
 *     LIST        a comma; * in a plain name is any characters
 *     CONDITION   all but letters, digits and _; a name may be followed by [ and the key of a map
 *
 * In the last two, blanks around names, dots and brackets do not count.
 */
#ifndef LAM_SCHEMA_PATH_TEXT_H
#define LAM_SCHEMA_PATH_TEXT_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/text.h"

/*
 * The names and [] of the deepest field twice, as names may hold dots, and those of the deepest
 * path into a VARIANT.
 */
enum { LAM_PATH_WORDS_MAX = 2 * LAM_SCHEMA_DEPTH_MAX + 1024 };

typedef enum lam_path_use { LAM_PATH_ALONE, LAM_PATH_IN_LIST, LAM_PATH_IN_CONDITION } lam_path_use;

typedef enum lam_path_word_kind {
    LAM_PATH_NAME,
    LAM_PATH_PATTERN,  /* a name, in which each * means any characters */
    LAM_PATH_ELEMENTS, /* [] */
    LAM_PATH_KEY       /* between brackets, which is the caller's to read */
} lam_path_word_kind;

/* Borrows the text. */
typedef struct lam_path_word {
    const char *text; /* of a name between marks: the bytes between them, doubled marks as they
                       * are */
    size_t size;
    lam_path_word_kind kind;
    bool is_quoted;
} lam_path_word;

/* A path as it was read. */
typedef struct lam_path {
    const lam_path_word *words;
    size_t count;
    lam_bytes text; /* as it is written, without blanks around it */
    size_t offset;  /* of its first byte in the text around it */
} lam_path;

/* --- Reading ------------------------------------------------------------------------------- */

/* A position in a text, from which one path is read word by word. */
typedef struct lam_path_reader {
    const char *text;
    size_t size;
    size_t at;
    lam_path_use use;
    bool needs_name; /* at the beginning, and after a dot */
} lam_path_reader;

static inline lam_path_reader lam_path_reader_start(const char *text, size_t size, size_t at,
                                                    lam_path_use use) {
    return (lam_path_reader){text, size, at, use, true};
}

/*
 * Takes the next word and the blanks around it; `*ret_more` is false where the path ends. In a
 * CONDITION a path also ends where a name is missing, and `needs_name` stays set, as the caller
 * knows what else may be there; after a KEY `at` is after its [. INVALID with the character.
 */
lam_status lam_path_reader_next(lam_path_reader *reader, lam_path_word *ret_word, bool *ret_more,
                                lam_error *error);

/*
 * Reads the path at `*at` into memory of `arena`, and moves `*at` past it and its blanks. For paths
 * ALONE and in a LIST. INVALID, LIMIT for more than LAM_PATH_WORDS_MAX words, NOMEM.
 */
lam_status lam_path_read(const char *text, size_t size, size_t *at, lam_path_use use,
                         lam_arena *arena, lam_path *ret_path, lam_error *error);

/* The same for a path that is all of a text, which ends with a NUL. */
lam_status lam_path_read_text(const char *text, lam_arena *arena, lam_path *ret_path,
                              lam_error *error);

/* The next bytes of the name that a word means, from `*from` on, which moves; empty at the end. */
lam_bytes lam_path_word_bytes(const lam_path_word *word, size_t *from);

/* Whether words with dots between them, of any marks, mean a name. */
bool lam_path_words_are(const lam_path_word *words, size_t count, const char *name, size_t size);

/* Copies the name that a word means into `arena`. INVALID for an empty one without marks, NOMEM. */
lam_status lam_path_word_copy(const lam_path_word *word, lam_arena *arena, lam_bytes *ret_name,
                              lam_error *error);

/*
 * Puts "character C: " before the message of a failure, which stays one line. Characters of `text`
 * are counted from 1. `error` may be NULL.
 */
void lam_error_at_character(const char *text, size_t offset, lam_error *error);

/* --- Printing ------------------------------------------------------------------------------ */

/*
 * Whether a word has a meaning in conditions, in any case of its letters, so that no plain name is
 * it.
 */
bool lam_path_is_keyword(const char *word, size_t size);

/* Whether a name is a word of a condition, and so is read back by every use without marks. */
bool lam_path_name_is_plain(const char *name, size_t size);

/*
 * Appends a name so that every use of paths reads it back: plain if it is a word of a condition,
 * else between quotation marks.
 */
void lam_path_put_name(lam_text *text, const char *name, size_t size);

/*
 * The same before `end`, for paths that are written from their last name on; gives the beginning.
 */
char *lam_path_name_before(char *end, const char *name, size_t size);

/*
 * Writes the names down to a field with dots between them and no marks, as lam_field_path does
 * otherwise: for labels and guesses, not to be read back.
 */
size_t lam_field_label(const lam_field *field, char *buffer, size_t capacity);

#endif
