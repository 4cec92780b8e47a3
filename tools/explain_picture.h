/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and lists of lines in a picture, as SVG, one file of a folder for each step. */
#ifndef LAMELLA_TOOLS_EXPLAIN_PICTURE_H
#define LAMELLA_TOOLS_EXPLAIN_PICTURE_H

#include <lamella/lamella.h>

enum {
    PICTURE_ROWS = 14,   /* of a list: the last ones */
    PICTURE_VALUE = 24,  /* characters of a value or name */
    PICTURE_WORDS = 110, /* characters of a line of words */
    PICTURES_MOST = 2000
};

/* How a list stands out, in its name and in its frame. */
typedef enum picture_mark { PICTURE_PLAIN, PICTURE_CURRENT, PICTURE_NEXT } picture_mark;

typedef struct picture_row {
    char text[128];
    bool is_new; /* since the last picture */
} picture_row;

typedef struct picture_list {
    char *name;
    picture_mark mark;
    picture_row rows[PICTURE_ROWS]; /* the last ones */
    size_t count;                   /* of all */
} picture_list;

typedef struct picture {
    char title[600];
    char words[512];
    picture_list *lists; /* columns, side by side */
    size_t list_count;
    picture_list *wide; /* below them, or NULL */
} picture;

/* Copies complete characters, and marks where it cuts. */
void picture_cut(const char *from, size_t size, size_t most, char *to, size_t capacity);
/* A value as JSON, cut; NULL: "NULL". */
void picture_value(const lam_field *leaf, const lam_value *value, char *text, size_t capacity);
/* Adds a line, which is new. */
void picture_add(picture_list *list, const char *format, ...) LAM_PRINTF(2, 3);
/* Writes the picture as a file of the folder that rewrite_folder.h began. Nothing is new then. */
lam_status picture_write(const picture *drawn, const char *name, lam_error *error);

#endif
