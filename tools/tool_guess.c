/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the name that a person may have meant: takes the word that is no name and all names, and
 * gives the nearest, when few letters differ. The distance always counts letters that are put in,
 * left out, changed, or swapped with their neighbour; upper and lower case are the same.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tool_option.h"

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

static int lower(char byte) {
    return tolower((unsigned char)byte);
}

/* Three rows of the table of distances between the beginnings of both are enough. */
static size_t distance_of(const char *a, const char *b) {
    size_t rows[3][TOOL_GUESS_LONGEST + 1];
    size_t b_size = strlen(b);
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least_of(above[j - 1] + !same, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least_of(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][b_size];
}

tool_guess tool_guess_start(const char *wanted) {
    tool_guess guess = {.wanted = wanted, .distance = strlen(wanted) / 3 + 1};
    if (guess.distance > 4)
        guess.distance = 4;
    return guess;
}

void tool_guess_try(tool_guess *guess, const char *name) {
    size_t size = strlen(name);
    if (size == 0 || size > TOOL_GUESS_LONGEST || guess->wanted[0] == '\0' ||
        strlen(guess->wanted) > TOOL_GUESS_LONGEST)
        return;
    size_t distance = distance_of(guess->wanted, name);
    /* The first bound is exclusive too: of "ab" one letter is half of it. */
    if (distance >= guess->distance || distance >= size)
        return;
    guess->distance = distance;
    memcpy(guess->best, name, size + 1);
}

void tool_guess_text(const tool_guess *guess, const char *prefix, char *text, size_t size) {
    if (guess->best[0] == '\0')
        snprintf(text, size, "%s", "");
    else
        snprintf(text, size, " (did you mean %s%s?)", prefix, guess->best);
}
