/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws lists of lines as an SVG file: columns side by side, and perhaps a wide list below them.
 * Text of a file never becomes markup, a list shows its last lines, and marks in colour are marked
 * by words or strokes, too.
 */
#include "explain_picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite_folder.h"
#include "tool.h"

enum {
    CELL_WIDTH = 210, /* of a column, in the units of the picture */
    CELLS_BESIDE = 6, /* columns side by side */
    CELLS_LEAST = 4,
    NAME_MARKED = 21, /* characters beside a mark */
    ROW_HEIGHT = 20
};

/* --- Text ---------------------------------------------------------------------------------- */

/* Copies complete characters, and marks where it cuts. */
void picture_cut(const char *from, size_t size, size_t most, char *to, size_t capacity) {
    size_t at = 0, characters = 0;
    while (at < size && characters < most) {
        size_t next = at + 1;
        while (next < size && ((unsigned char)from[next] & 0xC0) == 0x80)
            next++;
        if (next + 4 >= capacity)
            break;
        at = next;
        characters++;
    }
    memcpy(to, from, at);
    strcpy(to + at, at < size ? "\xE2\x80\xA6" : "");
}

void picture_value(const lam_field *leaf, const lam_value *value, char *text, size_t capacity) {
    lam_output output = {0};
    lam_error error = lam_error_none();
    strcpy(text, "NULL");
    if (value == NULL)
        return;
    lam_status status = lam_output_memory(tool_allocator(), &output, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_print_value(leaf, *value, tool_binary_for_people(leaf), &output, &error);
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    if (status == LAM_STATUS_OK)
        picture_cut((const char *)bytes.data, bytes.size, PICTURE_VALUE, text, capacity);
    else
        strcpy(text, "?");
    lam_output_close(&output);
}

void picture_add(picture_list *list, const char *format, ...) {
    picture_row *row = &list->rows[list->count++ % PICTURE_ROWS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
    row->is_new = true;
}

/* Bytes of text that are no markup, and no character that XML does not have. */
static size_t plain_size(const char *text) {
    size_t size = 0;
    while (text[size] != '\0' && strchr("<>&", text[size]) == NULL &&
           (unsigned char)text[size] >= 0x20 && text[size] != 0x7F &&
           strncmp(text + size, "\xEF\xBF\xBE", 3) != 0 &&
           strncmp(text + size, "\xEF\xBF\xBF", 3) != 0)
        size++;
    return size;
}

/* Prints text of XML. */
static void print_xml(const char *text) {
    while (*text != '\0') {
        size_t size = plain_size(text);
        if (size > 0)
            tool_print_shown(text, size);
        text += size;
        if (size > 0)
            continue;
        if (strchr("<>&", *text) != NULL)
            tool_print("&#%d;", *text);
        else
            tool_print("\xEF\xBF\xBD");
        text += *text == '\xEF' ? 3 : 1;
    }
}

static void print_line(int x, int y, const char *style, const char *text) {
    tool_print("<text x=\"%d\" y=\"%d\"%s>", x, y, style);
    print_xml(text);
    tool_print("</text>\n");
}

/* --- Lists --------------------------------------------------------------------------------- */

static void print_list(const picture_list *list, int x, int y, int width) {
    static const char *const strokes[] = {"#888", "#0b4f7d\" stroke-width=\"3",
                                          "#0b4f7d\" stroke-width=\"2\" stroke-dasharray=\"6 4"};
    static const char *const marks[] = {"", "\xE2\x96\xB6 ", "\xE2\x96\xB7 "};
    char name[160], cut[140];
    size_t shown = list->count < PICTURE_ROWS ? list->count : PICTURE_ROWS;
    tool_print("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
               "stroke=\"%s\"/>\n",
               x, y, width, ROW_HEIGHT * (PICTURE_ROWS + 1) + 8, strokes[list->mark]);
    picture_cut(list->name, strlen(list->name), list->mark == PICTURE_PLAIN ? 100 : NAME_MARKED,
                cut, sizeof cut);
    snprintf(name, sizeof name, "%s%s", marks[list->mark], cut);
    print_line(x + 8, y + 16, " font-weight=\"bold\"", name);
    for (size_t i = 0; i < shown; i++) {
        const picture_row *row = &list->rows[(list->count - shown + i) % PICTURE_ROWS];
        int top = y + ROW_HEIGHT * (int)(i + 1) + 4;
        if (row->is_new)
            tool_print("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#ffe2b0\" "
                       "stroke=\"#8a4b00\"/>\n",
                       x + 3, top, width - 6, ROW_HEIGHT - 1);
        print_line(x + 8, top + 15,
                   row->is_new ? " font-weight=\"bold\" xml:space=\"preserve\""
                               : " xml:space=\"preserve\"",
                   row->text);
    }
}

static void print_picture(const picture *drawn) {
    size_t beside = drawn->list_count < CELLS_BESIDE ? drawn->list_count : CELLS_BESIDE;
    size_t below = (drawn->list_count + CELLS_BESIDE - 1) / CELLS_BESIDE;
    int inner = CELL_WIDTH * (int)(beside < CELLS_LEAST ? CELLS_LEAST : beside);
    int width = inner + 20, block = ROW_HEIGHT * (PICTURE_ROWS + 2);
    int height = 90 + block * (int)(below + (drawn->wide != NULL));
    tool_print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
               "height=\"%d\" font-family=\"monospace\" font-size=\"13\" fill=\"#1d2129\">\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
               width, height, width, height, width, height);
    print_line(20, 30, " font-size=\"18\" font-weight=\"bold\"", drawn->title);
    print_line(20, 56, " font-size=\"14\"", drawn->words);
    for (size_t i = 0; i < drawn->list_count; i++)
        print_list(&drawn->lists[i], 20 + CELL_WIDTH * (int)(i % CELLS_BESIDE),
                   76 + block * (int)(i / CELLS_BESIDE), CELL_WIDTH - 14);
    if (drawn->wide != NULL)
        print_list(drawn->wide, 20, 76 + block * (int)below, inner - 14);
    tool_print("</svg>\n");
}

/* --- Files --------------------------------------------------------------------------------- */

static void age(picture_list *list) {
    for (size_t i = 0; i < PICTURE_ROWS; i++)
        list->rows[i].is_new = false;
}

lam_status picture_write(const picture *drawn, const char *name, lam_error *error) {
    tool_memory memory;
    tool_memory_begin(&memory, NULL);
    tool_print_into(memory.file);
    print_picture(drawn);
    bool is_whole = tool_print_is_whole();
    tool_print_into(NULL);
    tool_memory_end(&memory, is_whole);
    lam_status status = rewrite_folder_put(name, memory.text, memory.size, error);
    free(memory.text);
    for (size_t i = 0; i < drawn->list_count; i++)
        age(&drawn->lists[i]);
    if (drawn->wide != NULL)
        age(drawn->wide);
    return status;
}
