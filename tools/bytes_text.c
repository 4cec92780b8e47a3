/* SPDX-License-Identifier: Apache-2.0 */
/* The map of a file's bytes for people: a line per range, indented by depth. */
#include "bytes_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

typedef struct text_printer {
    const bytes_choice *choice;
} text_printer;

static void print_printable(const char *text) {
    char *printable = tool_printable(text, strlen(text), SIZE_MAX, false);
    tool_print("%s", printable);
    free(printable);
}

static void print_location(const lam_byte_range *range) {
    if (range->depth == 0 && range->row_group >= 0)
        tool_print(" (row group %" PRId32 ", column %" PRId32 ")", range->row_group, range->column);
    if (range->kind == LAM_BYTE_PAGE && range->page >= 0)
        tool_print(" %" PRId64, range->page);
}

/* "12 values from 0", where contents are numbered. */
static void print_numbering(const lam_byte_range *range) {
    if (range->count >= 0 && range->first >= 0)
        tool_print(" [%" PRId64 " from %" PRId64 "]", range->count, range->first);
    else if (range->count >= 0)
        tool_print(" [%" PRId64 "]", range->count);
    if (range->bit_width >= 0)
        tool_print(" %" PRId32 " bits each", range->bit_width);
}

static void print_line(const lam_byte_range *range) {
    tool_print("%c%10" PRIu64 " %10" PRIu64 "  %*s%s", range->is_in_body ? '+' : ' ', range->begin,
               range->length, (int)(2 * range->depth), "", lam_byte_kind_name(range->kind));
    print_location(range);
    if (range->label != NULL) {
        tool_print(" ");
        print_printable(range->label);
    }
    print_numbering(range);
    if (range->uncompressed_size >= 0)
        tool_print(" of %" PRId64 " bytes", range->uncompressed_size);
    if (range->value != NULL) {
        tool_print(": ");
        print_printable(range->value);
    }
    if (range->note != NULL) {
        tool_print("  -- ");
        print_printable(range->note);
    }
    tool_print("\n");
}

static lam_status visit_line(void *state, const lam_byte_range *range, bool *expand,
                             lam_error *error) {
    text_printer *printer = state;
    (void)error;
    if (bytes_is_chosen(printer->choice, range, expand))
        print_line(range);
    return LAM_STATUS_OK;
}

lam_status bytes_print_text(const lam_input *input, const lam_byte_map_options *options,
                            const bytes_choice *choice, bool hex, lam_error *error) {
    text_printer printer = {.choice = choice};
    (void)hex;
    tool_print(" %10s %10s  what\n", "begin", "length");
    return lam_byte_map_walk(input, options, visit_line, &printer, error);
}
