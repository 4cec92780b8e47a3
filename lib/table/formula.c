/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps texts from being formulas when a spreadsheet opens delimited text, by apostrophes in the
 * texts of cells.
 *
 *     =1+1                '=1+1          the sign of a formula begins the cell
 *     -5                  '-5            a text; a number stays -5
 *     a;=1+1              a;'=1+1        if lists are divided by ";", it begins a cell
 *     ["a;@b"]            ["a;'@b"]      in strings of JSON alone, so that it stays JSON
 *
 * A spreadsheet divides lines at the separator of its own locale, and then takes no quotation mark
 * within a cell for one. So every sign counts at the beginning of a text or after a byte that may
 * end a cell: a comma, a semicolon, a tabulator, a line break. The file's own separator is in
 * quotation marks, which a spreadsheet that divides there respects.
 *
 * Text is never removed, and a text without such a sign stays as it is. (OWASP, CSV injection)
 */
#include "table/formula.h"

#include "base/error.h"

/* The bytes of a sign that begins a formula, also as full-width forms; 0: none. */
static size_t formula_sign_size(const uint8_t *at, size_t left) {
    if (left > 0 && (*at == '=' || *at == '+' || *at == '-' || *at == '@'))
        return 1;
    bool is_wide = left >= 3 && at[0] == 0xEF && at[1] == 0xBC &&
                   (at[2] == 0x9D || at[2] == 0x8B || at[2] == 0x8D || at[2] == 0xA0);
    return is_wide ? 3 : 0;
}

static bool may_end_cell(uint8_t byte, char delimiter) {
    return byte != (uint8_t)delimiter &&
           (byte == ',' || byte == ';' || byte == '\t' || byte == '\n' || byte == '\r');
}

/* Controls count, too: spreadsheets pass over some of them. */
static bool begins_formula(lam_bytes text) {
    return text.size > 0 && (text.data[0] < ' ' || formula_sign_size(text.data, text.size) > 0);
}

lam_status lam_formula_disarm(const lam_cell *cell, char delimiter, lam_buffer *out,
                              lam_error *error) {
    const lam_bytes text = cell->text;
    const bool is_json = cell->kind == LAM_CELL_NESTED;
    if (cell->kind != LAM_CELL_TEXT && !is_json)
        return lam_buffer_append(out, text.data, text.size, error);
    LAM_TRY(lam_buffer_reserve(out, text.size, error)); /* a size that can be doubled */
    LAM_TRY(lam_buffer_reserve(out, 2 * text.size + 1, error));
    uint8_t *at = out->data + out->size;
    bool is_in_string = !is_json;
    if (!is_json && begins_formula(text))
        *at++ = '\'';
    for (size_t i = 0; i < text.size; i++) {
        bool is_escaped = is_json && text.data[i] == '\\';
        *at++ = text.data[i];
        if (is_escaped) /* of a string: no quotation mark that ends it follows */
            *at++ = text.data[++i];
        else if (is_json && text.data[i] == '"')
            is_in_string = !is_in_string;
        else if (is_in_string && may_end_cell(text.data[i], delimiter) &&
                 formula_sign_size(text.data + i + 1, text.size - i - 1) > 0)
            *at++ = '\'';
    }
    out->size = (size_t)(at - out->data);
    return LAM_STATUS_OK;
}
