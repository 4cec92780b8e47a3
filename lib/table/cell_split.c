/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a line of JSON into cells, one for each column, by the steps to them.
 *
 *     {"id":7,"user":{"name":"Ann","tags":["a"]}}\n
 *     ....... ........        ..........            passed over: all before a value
 *            7               "Ann"       ["a"]      cells
 *
 * The line is the library's own, so it is neither checked nor bounded: every member that shows is
 * there, in the order of the steps, or its group is null. (RFC 8259)
 */
#include "table/cell_split.h"

#include <string.h>

#include "text/json_grammar.h"
#include "text/json_string.h"

/* The beginning of the next member's value; brackets that close before it are passed over. */
static const uint8_t *next_member_value(const uint8_t *at) {
    while (*at == '{' || *at == '}' || *at == ',')
        at++;
    return lam_json_string_end(at + 1) + 2;
}

static lam_cell cell_of_string(const uint8_t *text, const uint8_t *end, uint8_t **scratch) {
    size_t size = (size_t)(end - text);
    if (memchr(text, '\\', size) == NULL)
        return (lam_cell){LAM_CELL_TEXT, {text, size}};
    uint8_t *made = *scratch;
    size = lam_json_string_unescape((const char *)text, size, (char *)made);
    *scratch += size;
    return (lam_cell){LAM_CELL_TEXT, {made, size}};
}

/* Takes the value at `*at`, and moves past it. */
static lam_cell take_value(const uint8_t **at, uint8_t **scratch) {
    const uint8_t *begin = *at, *end;
    lam_cell_kind kind = LAM_CELL_NUMBER;
    switch (*begin) {
    case '"':
        end = lam_json_string_end(begin + 1);
        *at = end + 1;
        return cell_of_string(begin + 1, end, scratch);
    case '[':
    case '{':
        *at = lam_json_nested_end(begin);
        return (lam_cell){LAM_CELL_NESTED, {begin, (size_t)(*at - begin)}};
    case 'n':
        *at = lam_json_word_end(begin);
        return (lam_cell){LAM_CELL_NULL, {begin, 0}};
    case 't':
    case 'f':
        kind = LAM_CELL_BOOLEAN;
        break;
    default:
        break;
    }
    *at = lam_json_word_end(begin);
    return (lam_cell){kind, {begin, (size_t)(*at - begin)}};
}

void lam_cell_split(const lam_cell_columns *columns, const uint8_t *line, uint8_t *scratch,
                    lam_cell *cells) {
    const uint8_t *at = line;
    for (size_t i = 0; i < columns->step_count;) {
        const lam_cell_step *step = &columns->steps[i];
        at = next_member_value(at);
        if (!step->is_group) {
            lam_cell *cell = &cells[step->first_cell];
            *cell = take_value(&at, &scratch);
            if (columns->are_times[step->first_cell] && cell->kind == LAM_CELL_TEXT)
                cell->kind = LAM_CELL_TIME;
            i++;
        } else if (*at == '{') {
            i++;
        } else {
            for (size_t cell = step->first_cell; cell < step->end_cell; cell++)
                cells[cell] = (lam_cell){LAM_CELL_NULL, {at, 0}};
            at = lam_json_word_end(at);
            i = step->next;
        }
    }
}
