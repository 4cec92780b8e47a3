/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal of standard output, if there is one: its width, what it can show, and a pager for
 * output that is longer than it. Asked once, at the start of a command, so that a pager in between
 * changes none of the answers.
 */
#ifndef LAMELLA_TOOLS_TOOL_SCREEN_H
#define LAMELLA_TOOLS_TOOL_SCREEN_H

#include <lamella/common.h>

typedef struct tool_screen {
    bool is_terminal;
    bool has_colours; /* a terminal, and neither NO_COLOR nor a TERM that says otherwise */
    bool is_utf8;     /* by the locale */
    size_t width;     /* columns; 0: unknown, and unlimited */
} tool_screen;

const tool_screen *tool_screen_of_program(void);

/* The look of text that is printed from here on, if the screen has colours. */
typedef enum tool_colour {
    TOOL_COLOUR_NONE,
    TOOL_COLOUR_BOLD,
    TOOL_COLOUR_DIM,
    TOOL_COLOUR_RED,
    TOOL_COLOUR_GREEN,
    TOOL_COLOUR_YELLOW,
    TOOL_COLOUR_CYAN
} tool_colour;

void tool_set_colour(tool_colour colour);

/*
 * Sends standard output through the user's pager from here on, as git does, if it is a terminal:
 * LAMELLA_PAGER, PAGER, or less; an empty name or "cat" means none. Has no effect the second time.
 */
void tool_page_begin(void);
/* Does not, from here on. */
void tool_page_refuse(void);
/* Ends the output, and waits until the pager is left. Has no effect without one. */
void tool_page_end(void);

/* The width of one character, and its end. */
typedef struct tool_glyph {
    const char *end;
    unsigned width;    /* columns, of its escape if it is shown by one */
    bool is_printable; /* on this screen */
    bool is_visible;   /* on any (lam_visible_prefix) */
} tool_glyph;

/* The number of a character of `size` bytes, which is complete and well-formed. */
uint32_t tool_code_point(const char *text, size_t size);

/* The character at `text`, which is not `end`; bytes that are not UTF-8 are one each. */
tool_glyph tool_glyph_at(const char *text, const char *end);

/*
 * A copy of a text of any bytes in which invisible characters are escaped (lam_visible_escape),
 * line breaks and NULs, too. At most `most` columns, complete characters; to be freed. For a
 * screen, characters that it cannot show are escaped as well.
 */
char *tool_printable(const char *text, size_t size, size_t most, bool is_for_screen);

/* Columns that a text takes, which shows. */
size_t tool_text_width(const char *text);

/*
 * Prints words from the line's position (`column`) on, and further lines after `indent` blanks, so
 * that none is wider than `width` except for words that are; 0: all in one line. A line break in
 * the text begins a line, and blanks after it stay.
 */
void tool_print_wrapped(const char *text, size_t column, size_t indent, size_t width);

/* Characters of visible UTF-8 text: its width if no screen is asked. */
size_t tool_character_count(const char *text);

#endif
