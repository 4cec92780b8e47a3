/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In: two JSON texts that the writer made. Out: whether one holds the values of the other. The
 * recursion is as deep as the texts, which schemas of a few levels make.
 */
#include "fuzz/json_holds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4096 };

/* --- Steps through a text ------------------------------------------------------------------ */

static const char *end_of_string(const char *at) {
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

static const char *end_of_value(const char *at) {
    unsigned depth = 0;
    do {
        if (*at == '"') {
            at = end_of_string(at);
            continue;
        }
        depth += *at == '[' || *at == '{';
        depth -= *at == ']' || *at == '}';
        at++;
        if (depth == 0)
            at += strcspn(at, ",]}\n");
    } while (depth > 0);
    return at;
}

/* The first item or member; NULL when there is none. */
static const char *first_of(const char *container) {
    return container[1] == ']' || container[1] == '}' ? NULL : container + 1;
}

static const char *value_of(const char *member) {
    return end_of_string(member) + 1;
}

static const char *next_of(const char *entry, bool is_member) {
    const char *end = end_of_value(is_member ? value_of(entry) : entry);
    return *end == ',' ? end + 1 : NULL;
}

/* The text of a string without its marks, up to the size of the buffer. */
static void read_string(const char *at, char *text) {
    const char *end = end_of_string(at) - 1;
    size_t size = 0;
    for (at++; at < end && size < TEXT_MAX - 1; at++) {
        at += *at == '\\' && (at[1] == '"' || at[1] == '\\');
        text[size++] = *at;
    }
    text[size] = '\0';
}

/* --- Values -------------------------------------------------------------------------------- */

/* Numbers of the same digits, but for zeros at the end of a fraction. */
static bool same_digits(const char *a, size_t a_size, const char *b, size_t b_size) {
    while (memchr(a, '.', a_size) != NULL && (a[a_size - 1] == '0' || a[a_size - 1] == '.'))
        a_size--;
    while (memchr(b, '.', b_size) != NULL && (b[b_size - 1] == '0' || b[b_size - 1] == '.'))
        b_size--;
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool number_holds(const char *wide, const char *narrow) {
    size_t size = strspn(narrow, "-+.0123456789eE"), wide_size = strspn(wide, "-+.0123456789eE");
    char whole[512];
    if (size == 0 || wide_size == 0)
        return false;
    if (same_digits(wide, wide_size, narrow, size))
        return true;
    double a = strtod(wide, NULL), b = strtod(narrow, NULL);
    snprintf(whole, sizeof whole, "%.0f", a);
    if (strcspn(narrow, ".eE") >= size)
        return strlen(whole) == size && memcmp(whole, narrow, size) == 0;
    /* Of a narrow real the shortest digits are printed: not those of all its bits. */
    return fabs(a - b) <= fabs(b) * (size < 8 ? 1e-3 : 1e-6);
}

/* "2024-01-01", "2024-01-01T00:00" and "2024-01-01T00:00:00.000" are one. */
static bool moment_holds(const char *wide, const char *narrow) {
    size_t same = 0, size = strlen(narrow), wide_size = strlen(wide);
    bool has_zone = size > 0 && narrow[size - 1] == 'Z';
    if (has_zone != (wide_size > 0 && wide[wide_size - 1] == 'Z') || size < 8)
        return false;
    size -= has_zone;
    wide_size -= has_zone;
    while (same < size && same < wide_size && wide[same] == narrow[same])
        same++;
    return same == size && strspn(wide + same, "T:.0") == wide_size - same;
}

/* A null, or containers of nothing else. */
static bool is_empty(const char *at) {
    if (*at == 'n')
        return true;
    if (*at != '[' && *at != '{')
        return false;
    const char *entry = first_of(at);
    for (; entry != NULL; entry = next_of(entry, *at == '{'))
        if (*at == '[' || !is_empty(value_of(entry)))
            return false;
    return true;
}

static bool string_holds(const char *wide, const char *narrow) {
    char text[TEXT_MAX], other[TEXT_MAX];
    read_string(wide, text);
    if (*narrow != '"')
        return lam_fuzz_json_holds(text, narrow);
    read_string(narrow, other);
    return strcmp(text, other) == 0 || moment_holds(text, other) ||
           (*text == '"' && lam_fuzz_json_holds(text, narrow));
}

static bool array_holds(const char *wide, const char *narrow) {
    const char *x = first_of(wide), *y = first_of(narrow);
    for (; x != NULL && y != NULL; x = next_of(x, false), y = next_of(y, false))
        if (!lam_fuzz_json_holds(x, y))
            return false;
    return x == NULL && y == NULL;
}

/* The member of a name that comes after so many others of it. */
static const char *member_of(const char *object, const char *name, size_t size, size_t skipped) {
    const char *at = first_of(object);
    for (; at != NULL; at = next_of(at, true))
        if ((size_t)(end_of_string(at) - at) == size && memcmp(at, name, size) == 0 &&
            skipped-- == 0)
            return at;
    return NULL;
}

static bool object_holds(const char *wide, const char *narrow) {
    const char *at, *other;
    for (at = first_of(narrow); at != NULL; at = next_of(at, true)) {
        size_t size = (size_t)(end_of_string(at) - at), before = 0;
        while (member_of(narrow, at, size, before) != at)
            before++;
        other = member_of(wide, at, size, before);
        if (other == NULL ? !is_empty(value_of(at))
                          : !lam_fuzz_json_holds(value_of(other), value_of(at)))
            return false;
    }
    for (at = first_of(wide); at != NULL; at = next_of(at, true))
        if (member_of(narrow, at, (size_t)(end_of_string(at) - at), 0) == NULL &&
            !is_empty(value_of(at)))
            return false;
    return true;
}

/* A map whose keys became texts: of [{"key":k,"value":v}] the object {k:v}. */
static bool map_holds(const char *wide, const char *narrow) {
    const char *x = first_of(wide), *y = first_of(narrow);
    for (; x != NULL && y != NULL; x = next_of(x, true), y = next_of(y, false)) {
        const char *key = member_of(y, "\"key\"", 5, 0), *value = member_of(y, "\"value\"", 7, 0);
        if (*y != '{' || key == NULL || !lam_fuzz_json_holds(x, value_of(key)) ||
            (value != NULL && !lam_fuzz_json_holds(value_of(x), value_of(value))))
            return false;
    }
    return x == NULL && y == NULL;
}

bool lam_fuzz_json_holds(const char *wide, const char *narrow) {
    if (*narrow == 'n')
        return is_empty(wide);
    if (*wide == '"')
        return string_holds(wide, narrow);
    if (*wide == '{' && *narrow == '[')
        return map_holds(wide, narrow);
    if (*wide == '[' && *narrow == '[')
        return array_holds(wide, narrow);
    if (*wide == '{' && *narrow == '{')
        return object_holds(wide, narrow);
    return *wide == *narrow && (*wide == 't' || *wide == 'f') ? true : number_holds(wide, narrow);
}
