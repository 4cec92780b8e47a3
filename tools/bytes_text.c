/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of a file's bytes for people: a line per range, indented by depth; or the bytes in hex
 * with the range in the margin.
 *
 *     begin     length  what                          begin  bytes              what
 *         4         73  column_chunk ...                  4                      column_chunk ...
 *         4         45    page 0 DICTIONARY_PAGE          4                        page 0 ...
 *                                                         6  15 0A                   field ...
 *
 * A + before an offset: it counts in the uncompressed bytes of the page body above.
 */
#include "bytes_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum {
    HEX_WIDTH = 16, /* bytes in a line */
    HEX_LINES = 16, /* lines of a range; for further ones only their number is printed */
    HEX_BYTES = HEX_WIDTH * HEX_LINES
};

typedef struct text_printer {
    const lam_input *input;
    const bytes_choice *choice;
} text_printer;

/* --- The name of a range --------------------------------------------------------------------- */

/*
 * Colours of kinds: bytes that belong to no struct stand out, and values from their surroundings.
 */
static tool_colour colour_of(const lam_byte_range *range) {
    switch (range->kind) {
    case LAM_BYTE_UNKNOWN:
        return TOOL_COLOUR_RED;
    case LAM_BYTE_GAP:
    case LAM_BYTE_PADDING:
    case LAM_BYTE_ENCRYPTED:
        return TOOL_COLOUR_YELLOW;
    case LAM_BYTE_REPETITION_LEVELS:
    case LAM_BYTE_DEFINITION_LEVELS:
    case LAM_BYTE_RLE_RUN:
    case LAM_BYTE_BIT_PACKED_RUN:
        return TOOL_COLOUR_CYAN;
    case LAM_BYTE_VALUE:
    case LAM_BYTE_VALUES:
    case LAM_BYTE_PACKED_GROUP:
    case LAM_BYTE_VARIANT_VALUE:
    case LAM_BYTE_VARIANT_NAME:
        return TOOL_COLOUR_GREEN;
    case LAM_BYTE_COLUMN_CHUNK:
    case LAM_BYTE_PAGE:
    case LAM_BYTE_FOOTER:
        return TOOL_COLOUR_BOLD;
    default:
        return TOOL_COLOUR_NONE;
    }
}

static void print_location(const lam_byte_range *range) {
    if (range->depth == 0 && range->row_group >= 0)
        tool_print(" (row group %" PRId32 ", column %" PRId32 ")", range->row_group, range->column);
    if (range->kind == LAM_BYTE_PAGE && range->page >= 0)
        tool_print(" %" PRId64, range->page);
    if (range->index >= 0)
        tool_print(" %" PRId64, range->index);
}

/* "[12]", or "[12 from 3]" if contents are numbered. */
static void print_numbering(const lam_byte_range *range) {
    if (range->count >= 0 && range->first >= 0)
        tool_print(" [%" PRId64 " from %" PRId64 "]", range->count, range->first);
    else if (range->count >= 0)
        tool_print(" [%" PRId64 "]", range->count);
    if (range->bit_width >= 0)
        tool_print(" %" PRId32 " bits each", range->bit_width);
    if (range->uncompressed_size >= 0)
        tool_print(" of %" PRId64 " bytes", range->uncompressed_size);
}

static void print_what(const lam_byte_range *range) {
    const tool_colour colour = colour_of(range);
    tool_print("%*s", (int)(2 * range->depth), "");
    if (colour != TOOL_COLOUR_NONE)
        tool_set_colour(colour);
    tool_print("%s", lam_byte_kind_name(range->kind));
    if (colour != TOOL_COLOUR_NONE)
        tool_set_colour(TOOL_COLOUR_NONE);
    print_location(range);
    if (range->label != NULL)
        tool_print(" %s", range->label);
    print_numbering(range);
    if (range->value != NULL)
        tool_print(": %s", range->value);
    if (range->note != NULL)
        tool_print("  -- %s", range->note);
    tool_print("\n");
}

/* --- Lines ----------------------------------------------------------------------------------- */

static lam_status visit_line(void *state, const lam_byte_range *range, bool *expand,
                             lam_error *error) {
    text_printer *printer = state;
    (void)error;
    if (!bytes_is_chosen(printer->choice, range, expand))
        return LAM_STATUS_OK;
    tool_print("%c%10" PRIu64 " %10" PRIu64 "  ", range->is_in_body ? '+' : ' ', range->begin,
               range->length);
    print_what(range);
    return LAM_STATUS_OK;
}

/* --- Hex ------------------------------------------------------------------------------------- */

/* A line of up to HEX_WIDTH bytes, filled up with spaces. */
static void print_hex_line(const lam_byte_range *range, uint64_t at, const uint8_t *bytes,
                           size_t size) {
    char line[3 * HEX_WIDTH + 1];
    for (size_t i = 0; i < HEX_WIDTH; i++)
        snprintf(line + 3 * i, 4, i < size ? "%02X " : "   ", i < size ? bytes[i] : 0u);
    tool_print("%c%10" PRIu64 "  %s ", range->is_in_body ? '+' : ' ', range->begin + at, line);
}

/* The bytes of a range without printed ranges inside; its name is beside the first. */
static lam_status print_hex(const text_printer *printer, const lam_byte_range *range,
                            lam_error *error) {
    uint8_t room[HEX_BYTES];
    const uint8_t *bytes = range->bytes;
    size_t shown = range->length < HEX_BYTES ? (size_t)range->length : HEX_BYTES;
    if (bytes == NULL && range->is_in_body)
        shown = 0; /* it could not be uncompressed */
    if (bytes == NULL && shown > 0) {
        lam_status status =
            printer->input->read_at(printer->input->state, range->begin, shown, room, error);
        if (status != LAM_STATUS_OK)
            return status;
        bytes = room;
    }
    for (size_t at = 0; at == 0 || at < shown; at += HEX_WIDTH) {
        print_hex_line(range, at, bytes == NULL ? room : bytes + at,
                       shown - at < HEX_WIDTH ? shown - at : HEX_WIDTH);
        if (at == 0)
            print_what(range);
        else
            tool_print("\n");
    }
    if (shown < range->length)
        tool_print(" %10s  ... %" PRIu64 " more bytes\n", "", range->length - shown);
    return LAM_STATUS_OK;
}

static lam_status visit_hex(void *state, const lam_byte_range *range, bool *expand,
                            lam_error *error) {
    text_printer *printer = state;
    if (!bytes_is_chosen(printer->choice, range, expand))
        return LAM_STATUS_OK;
    if (!*expand)
        return print_hex(printer, range, error);
    print_hex_line(range, 0, NULL, 0);
    print_what(range);
    return LAM_STATUS_OK;
}

lam_status bytes_print_text(const lam_input *input, const lam_byte_map_options *options,
                            const bytes_choice *choice, bool hex, lam_error *error) {
    text_printer printer = {input, choice};
    if (hex)
        tool_print(" %10s  %-*s what\n", "begin", 3 * HEX_WIDTH, "bytes");
    else
        tool_print(" %10s %10s  what\n", "begin", "length");
    return lam_byte_map_walk(input, options, hex ? visit_hex : visit_line, &printer, error);
}
