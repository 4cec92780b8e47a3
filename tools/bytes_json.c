/* SPDX-License-Identifier: Apache-2.0 */
/* A file as "lamella bytes --json" prints it: see bytes_json.h. */
#include "bytes_json.h"

#include <inttypes.h>
#include <string.h>

#include "tool.h"

enum { DEPTH_MOST = 128 }; /* the library's trees are less deep */

/* --- Choice ---------------------------------------------------------------------------------- */

static bool is_chosen_column(const bytes_choice *choice, const lam_byte_range *range) {
    if (choice->leaves == NULL)
        return true;
    return range->column >= 0 && (size_t)range->column < choice->leaf_count &&
           choice->leaves[range->column];
}

/* True for ranges of a chosen row group and column, and for a chosen page of them. */
static bool is_inside_choice(const bytes_choice *choice, const lam_byte_range *range) {
    if (choice->has_row_group && (uint64_t)range->row_group != choice->row_group)
        return false;
    if (!is_chosen_column(choice, range))
        return false;
    return !choice->has_page || range->page < 0 || (uint64_t)range->page == choice->page;
}

/* With --page, a chunk is printed only for its page, and ranges outside of chunks are not. */
bool bytes_is_chosen(const bytes_choice *choice, const lam_byte_range *range, bool *expand) {
    bool has_choice = choice->leaves != NULL || choice->has_row_group || choice->has_page;
    bool is_inside = !has_choice || (range->row_group >= 0 && is_inside_choice(choice, range));
    if (choice->has_page && range->depth == 0 && range->kind != LAM_BYTE_COLUMN_CHUNK)
        is_inside = false;
    if (choice->depth != 0 && range->depth + 1 >= choice->depth)
        *expand = false;
    if (!is_inside)
        *expand = false;
    if (choice->seen != NULL && is_inside && range->kind == LAM_BYTE_UNKNOWN)
        choice->seen->unknown++;
    if (!is_inside && !choice->lists_others)
        return false;
    return choice->wants == NULL || choice->wants(choice->state, range, expand);
}

void bytes_print_hex(const uint8_t *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * 256 + 1];
    for (size_t i = 0; i < size;) {
        size_t count = size - i < 256 ? size - i : 256;
        for (size_t j = 0; j < count; j++, i++) {
            text[2 * j] = digits[bytes[i] >> 4];
            text[2 * j + 1] = digits[bytes[i] & 15];
        }
        text[2 * count] = '\0';
        tool_print("%s", text);
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

/* The ranges that are open, from the top down. */
typedef struct json_printer {
    const bytes_choice *choice;
    uint32_t open;  /* ranges whose object is not closed */
    bool has_any;   /* the open list has an element */
    bool is_packed; /* and that is "uncompressed" */
    struct {
        int32_t row_group;
        int32_t column;
        int64_t page;
        bool has_list;
    } stack[DEPTH_MOST];
} json_printer;

static void print_text_member(const char *name, const char *text) {
    if (text == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_text(text, strlen(text));
}

static void print_number_member(const char *name, int64_t number, int64_t around) {
    if (number >= 0 && number != around)
        tool_print(",\"%s\":%" PRId64, name, number);
}

static void print_range(const json_printer *printer, const lam_byte_range *range) {
    uint32_t depth = range->depth;
    bool is_inside = depth > 0 && depth <= DEPTH_MOST;
    tool_print("{\"kind\":\"%s\",\"begin\":%" PRIu64 ",\"length\":%" PRIu64,
               lam_byte_kind_name(range->kind), range->begin, range->length);
    print_text_member("label", range->label);
    print_number_member("row_group", range->row_group,
                        is_inside ? printer->stack[depth - 1].row_group : -1);
    print_number_member("column", range->column, is_inside ? printer->stack[depth - 1].column : -1);
    print_number_member("page", range->page, is_inside ? printer->stack[depth - 1].page : -1);
    print_number_member("first", range->first, -1);
    print_number_member("count", range->count, -1);
    print_number_member("bit_width", range->bit_width, -1);
    print_number_member("uncompressed_size", range->uncompressed_size, -1);
    print_number_member("index", range->index, -1);
    print_text_member("value", range->value);
    print_text_member("note", range->note);
    if (printer->choice->print_more != NULL)
        printer->choice->print_more(printer->choice->state, range);
}

/* Closes objects, and their lists, until `depth` of them are open. */
static void close_down_to(json_printer *printer, uint32_t depth) {
    while (printer->open > depth) {
        printer->open--;
        tool_print(printer->stack[printer->open].has_list ? "]}" : "}");
        printer->has_any = true;
    }
}

/* Opens the list of the range around, if it has none yet, or continues it. */
static void begin_element(json_printer *printer, uint32_t depth, bool is_in_content) {
    if (depth > 0 && !printer->stack[depth - 1].has_list) {
        tool_print(",\"%s\":[", is_in_content ? "uncompressed" : "children");
        printer->stack[depth - 1].has_list = true;
    } else if (printer->has_any) {
        tool_print(",");
    }
}

static lam_status visit_json(void *state, const lam_byte_range *range, bool *expand,
                             lam_error *error) {
    json_printer *printer = state;
    uint32_t depth = range->depth;
    (void)error;
    if (!bytes_is_chosen(printer->choice, range, expand))
        return LAM_STATUS_OK;
    if (depth >= DEPTH_MOST) {
        *expand = false;
        return LAM_STATUS_OK;
    }
    close_down_to(printer, depth);
    begin_element(printer, depth, printer->is_packed);
    print_range(printer, range);
    printer->stack[depth].row_group = range->row_group;
    printer->stack[depth].column = range->column;
    printer->stack[depth].page = range->page;
    printer->stack[depth].has_list = false;
    printer->open = depth + 1;
    printer->has_any = false;
    printer->is_packed = range->uncompressed_size >= 0;
    return LAM_STATUS_OK;
}

lam_status bytes_print_json(const char *file, const lam_input *input,
                            const lam_byte_map_options *options, const bytes_choice *choice,
                            lam_error *error) {
    json_printer printer = {.choice = choice};
    tool_print("{\"file\":");
    tool_print_text(file, strlen(file));
    tool_print(",\"size\":%" PRIu64 ",\"ranges\":[", input->size);
    lam_status status = lam_byte_map_walk(input, options, visit_json, &printer, error);
    close_down_to(&printer, 0);
    tool_print("]}\n");
    return status;
}

lam_status bytes_print_variant_json(lam_bytes metadata, lam_bytes value,
                                    const lam_byte_map_options *options, const bytes_choice *choice,
                                    lam_error *error) {
    json_printer printer = {.choice = choice};
    tool_print("[");
    lam_status status =
        lam_byte_map_walk_variant(metadata, value, options, visit_json, &printer, error);
    close_down_to(&printer, 0);
    tool_print("]");
    return status;
}
