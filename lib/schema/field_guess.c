/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses which field a path was meant to lead to: takes a path that leads nowhere, and gives the
 * path of the nearest field, if it is near: one wrong character for every three, at least one.
 * Characters are wrong if they are added, left out, replaced, or exchanged with the next one;
 * capital letters do not count.
 *
 *     prize       price         1 of 5: near
 *     ID          id            0: near
 *     user.nmae   user.name     1 of 9: near
 *     x           id            2 of 1: not near
 *
 * No memory is ever allocated, and long paths are not compared, so a schema of any size costs a
 * bounded time per field.
 */
#include "schema/field_guess.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

enum { FIELD_GUESS_LONGEST = 120 }; /* bytes of a path that is compared */

static size_t field_guess_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/*
 * Counts the mistakes between two paths row by row: `rows[0]` is that of the current character of
 * `a`, `rows[1]` of the one before, `rows[2]` of the one before that.
 */
static size_t field_guess_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t rows[3][FIELD_GUESS_LONGEST + 1];
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        memcpy(rows[2], rows[1], sizeof rows[0]);
        memcpy(rows[1], rows[0], sizeof rows[0]);
        rows[0][0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            char x = lam_ascii_lower(a[i - 1]), y = lam_ascii_lower(b[j - 1]);
            size_t best = rows[1][j - 1] + (x != y);
            best = field_guess_least(best, rows[1][j] + 1);
            best = field_guess_least(best, rows[0][j - 1] + 1);
            if (i > 1 && j > 1 && x == lam_ascii_lower(b[j - 2]) && y == lam_ascii_lower(a[i - 2]))
                best = field_guess_least(best, rows[2][j - 2] + 1);
            rows[0][j] = best;
        }
    }
    return rows[0][b_size];
}

/* Writes the names of a path with dots between, without their marks; gives the total size. */
static size_t field_guess_label(const lam_path *path, char *buffer, size_t capacity) {
    lam_text text = {buffer, capacity, 0};
    for (size_t i = 0; i < path->count && text.length <= capacity; i++) {
        const lam_path_word *word = &path->words[i];
        if (word->kind == LAM_PATH_ELEMENTS || word->kind == LAM_PATH_KEY) {
            lam_text_put_string(&text, "[]");
            continue;
        }
        lam_text_put(&text, ".", i > 0);
        for (size_t from = 0; from < word->size;) {
            lam_bytes bytes = lam_path_word_bytes(word, &from);
            lam_text_put(&text, (const char *)bytes.data, bytes.size);
        }
    }
    return lam_text_finish(&text);
}

void lam_field_guess(const lam_schema *schema, const lam_path *path,
                     char text[LAM_FIELD_GUESS_ROOM]) {
    char wanted[FIELD_GUESS_LONGEST + 1], other[FIELD_GUESS_LONGEST + 1];
    size_t size = field_guess_label(path, wanted, sizeof wanted);
    size_t most = size / 3 > 1 ? size / 3 : 1;
    const lam_field *best = NULL;
    text[0] = '\0';
    if (size == 0 || size > FIELD_GUESS_LONGEST)
        return;
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        size_t other_size = lam_field_label(field, other, sizeof other);
        if (other_size > FIELD_GUESS_LONGEST || other_size + most < size ||
            size + most < other_size)
            continue;
        size_t distance = field_guess_distance(wanted, size, other, other_size);
        if (distance > most || distance >= size)
            continue;
        best = field;
        if (distance == 0)
            break;
        most = distance - 1;
    }
    if (best == NULL)
        return;
    (void)lam_field_path(best, other, sizeof other);
    (void)snprintf(text, LAM_FIELD_GUESS_ROOM, " (did you mean %s?)", other);
}
