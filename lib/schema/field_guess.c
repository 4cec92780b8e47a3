/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses which field a path was meant to lead to. A path that leads nowhere comes in; the path of
 * the field that is nearest goes out, if it is near: one wrong character for every three, at least
 * one. What counts as wrong are characters that are added, left out, replaced, or exchanged with
 * the next one; capital letters are no mistake worth counting.
 *
 *     prize       price         1 of 5: near
 *     ID          id            0: near
 *     user.nmae   user.name     1 of 9: near
 *     x           id            2 of 1: not near
 *
 * Invariant: nothing is allocated, and paths that are long are not compared, so that a schema of
 * any size costs a bounded time per field.
 */
#include "schema/field_guess.h"

#include <stdio.h>
#include <string.h>

enum { FIELD_GUESS_LONGEST = 120 }; /* bytes of a path that is compared */

static char field_guess_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t field_guess_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/*
 * Counts the mistakes between two paths row by row: `rows[0]` is that of the character at hand of
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
            char x = field_guess_lower(a[i - 1]), y = field_guess_lower(b[j - 1]);
            size_t best = rows[1][j - 1] + (x != y);
            best = field_guess_least(best, rows[1][j] + 1);
            best = field_guess_least(best, rows[0][j - 1] + 1);
            if (i > 1 && j > 1 && x == field_guess_lower(b[j - 2]) &&
                y == field_guess_lower(a[i - 2]))
                best = field_guess_least(best, rows[2][j - 2] + 1);
            rows[0][j] = best;
        }
    }
    return rows[0][b_size];
}

void lam_field_guess(const lam_schema *schema, const char *path, char text[LAM_FIELD_GUESS_ROOM]) {
    size_t size = strlen(path), most = size / 3 > 1 ? size / 3 : 1;
    text[0] = '\0';
    if (size == 0 || size > FIELD_GUESS_LONGEST)
        return;
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        char other[FIELD_GUESS_LONGEST + 1];
        size_t other_size = lam_field_path(lam_schema_field(schema, i), other, sizeof other);
        if (other_size > FIELD_GUESS_LONGEST || other_size + most < size ||
            size + most < other_size)
            continue;
        size_t distance = field_guess_distance(path, size, other, other_size);
        if (distance > most || distance >= size)
            continue;
        (void)snprintf(text, LAM_FIELD_GUESS_ROOM, " (did you mean %s?)", other);
        if (distance == 0)
            return;
        most = distance - 1;
    }
}
