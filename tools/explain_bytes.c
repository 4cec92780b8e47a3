/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of the sample, as `bytes --json` prints them, with the bytes themselves. In: a file, and
 * the triples of the sample in each chunk. Out: a tree of ranges. The invariant: the top of the tree
 * covers the file, but only what the sample's records are in is opened, and only so much of it as
 * a page can hold; what is not opened is one range.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <string.h>

#include "bytes_json.h"
#include "explain_sample.h"
#include "tool.h"

enum {
    RANGES_MOST = 6000,
    PAGES_MOST = 160,
    DATA_MOST = 512 << 10, /* of all ranges that are printed with their bytes */
    DATA_OF_RANGE_MOST = 4096
};

typedef struct byte_printer {
    const explain_subject *subject;
    const explain_sample *sample;
    const explain_triples *triples;
    size_t range_count;
    size_t page_count;
    size_t data_size;
    bool is_cut;
} byte_printer;

/* Whether a page holds a triple of the sample, or the dictionary of those that do. */
static bool wants_page(byte_printer *printer, const lam_byte_range *range) {
    if (range->row_group < 0 || (size_t)range->row_group != printer->sample->row_group ||
        !printer->sample->leaves[range->column])
        return false;
    const explain_triples *triples = &printer->triples[range->column];
    bool is_data = range->first >= 0 && range->count >= 0;
    if (is_data && ((uint64_t)range->first >= triples->end ||
                    (uint64_t)range->first + (uint64_t)range->count <= triples->first))
        return false;
    if (printer->page_count >= PAGES_MOST) {
        printer->is_cut = true;
        return false;
    }
    printer->page_count++;
    return true;
}

static bool wants_chunk(const byte_printer *printer, const lam_byte_range *range) {
    size_t count = lam_schema_leaf_count(lam_reader_schema(printer->subject->reader));
    return range->row_group >= 0 && (size_t)range->row_group == printer->sample->row_group &&
           range->column >= 0 && (size_t)range->column < count &&
           printer->sample->leaves[range->column];
}

/* True for what a page of many values is made of: one after the other until there is no room. */
static bool wants_inside(void *state, const lam_byte_range *range) {
    byte_printer *printer = state;
    switch (range->kind) {
    case LAM_BYTE_COLUMN_CHUNK:
        return wants_chunk(printer, range);
    case LAM_BYTE_PAGE:
        return wants_page(printer, range);
    case LAM_BYTE_BLOOM_BITSET:
        return false;
    case LAM_BYTE_COLUMN_INDEX:
    case LAM_BYTE_OFFSET_INDEX:
    case LAM_BYTE_BLOOM_FILTER:
        if (!wants_chunk(printer, range))
            return false;
        break;
    default:
        break;
    }
    bool has_room = printer->range_count < RANGES_MOST;
    printer->is_cut |= !has_room;
    return has_room;
}

static void print_hex(const uint8_t *bytes, size_t size) {
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

/* Adds the bytes of a range with nothing inside, if there is room. */
static void print_data(void *state, const lam_byte_range *range) {
    byte_printer *printer = state;
    uint8_t bytes[DATA_OF_RANGE_MOST];
    size_t size = range->length < sizeof bytes ? (size_t)range->length : sizeof bytes;
    printer->range_count++;
    if (range->is_expandable || size == 0 || printer->data_size + size > DATA_MOST)
        return;
    if (range->bytes != NULL)
        memcpy(bytes, range->bytes, size);
    else if (range->is_in_body ||
             printer->subject->input->read_at(printer->subject->input->state, range->begin, size,
                                              bytes, NULL) != LAM_STATUS_OK)
        return;
    printer->data_size += size;
    tool_print(",\"hex\":\"");
    print_hex(bytes, size);
    tool_print("\"");
}

void explain_print_bytes(const explain_subject *subject, const explain_sample *sample,
                         const explain_triples *triples) {
    byte_printer printer = {.subject = subject, .sample = sample, .triples = triples};
    lam_error error = lam_error_none();
    lam_byte_map_options options = lam_byte_map_options_default();
    bytes_choice choice = {.lists_others = true,
                           .wants_inside = wants_inside,
                           .print_more = print_data,
                           .state = &printer};
    options.memory_limit = lam_reader_memory_limit(subject->reader);
    tool_print(",\"bytes\":");
    if (bytes_print_json(subject->name, subject->input, &options, &choice, &error) != LAM_STATUS_OK)
        explain_note(NULL, error.message);
    if (printer.is_cut)
        explain_note(NULL, "Not all ranges of bytes are shown down to single values; lamella bytes "
                           "--all prints them.");
}
