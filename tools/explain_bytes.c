/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of the sample, as `bytes --json` prints them, with the bytes themselves. In: a file,
 * and the triples of the sample in each chunk. Out: a tree of ranges. The invariant: the top of the
 * tree covers the file, but only what the sample's records are in is opened, and only so much of it
 * as a page can hold; what is not opened is one range.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <string.h>

#include "bytes_json.h"
#include "explain_sample.h"
#include "tool.h"

enum {
    RANGES_MOST = 5000,    /* inside of pages, and as many of everything else */
    VARIANTS_MOST = 2500,  /* of those inside of pages, inside of VARIANTs */
    NEIGHBOURS_MOST = 48,  /* side by side, of those that hold nothing of the sample */
    TOP_MOST = 1000,       /* the same at the top */
    PAGES_MOST = 160,      /* that are opened */
    DATA_MOST = 384 << 10, /* of all ranges that are printed with their bytes */
    DATA_OF_RANGE_MOST = 1024,
    DEPTH_MOST = 128
};

typedef struct byte_printer {
    const explain_subject *subject;
    const explain_sample *sample;
    const explain_triples *triples;
    size_t beside[DEPTH_MOST + 1]; /* ranges before this one, by depth */
    size_t in_pages;               /* ranges that were printed */
    size_t in_variants;            /* those of them that are inside of a VARIANT */
    size_t elsewhere;
    size_t page_count;
    size_t data_size;
    uint64_t page_first; /* triple of the chunk that the page begins with */
    bool counts_values;  /* numbers of the section are those of values, else of triples */
    bool is_cut;
} byte_printer;

/* Whether a range is in a chunk of the sample. */
static bool is_in_sample(const byte_printer *printer, const lam_byte_range *range) {
    size_t count = lam_schema_leaf_count(lam_reader_schema(printer->subject->reader));
    return range->row_group >= 0 && (size_t)range->row_group == printer->sample->row_group &&
           range->column >= 0 && (size_t)range->column < count &&
           printer->sample->leaves[range->column];
}

static bool overlaps(const lam_byte_range *range, uint64_t first, uint64_t end) {
    return range->first >= 0 && (uint64_t)range->first < end &&
           (uint64_t)range->first + (range->count < 0 ? 1 : (uint64_t)range->count) > first;
}

/* Whether a data page holds a triple of the sample; a dictionary page does for all. */
static bool is_sampled_page(const byte_printer *printer, const lam_byte_range *range) {
    const explain_triples *triples = &printer->triples[range->column];
    return range->first < 0 || overlaps(range, triples->first, triples->end);
}

/* Whether something inside of a page is about the sample. */
static bool is_sampled_content(const byte_printer *printer, const lam_byte_range *range) {
    const explain_triples *triples = &printer->triples[range->column];
    uint64_t before = printer->page_first;
    uint64_t first = triples->first > before ? triples->first - before : 0;
    uint64_t end = triples->end > before ? triples->end - before : 0;
    if (!printer->counts_values)
        return overlaps(range, first, end);
    /* There are as many values as triples, or fewer. */
    uint64_t value = triples->first >= before ? triples->values_before : 0;
    return overlaps(range, value, value + (end - first));
}

static bool wants_content(byte_printer *printer, const lam_byte_range *range, size_t beside) {
    if (range->kind == LAM_BYTE_VALUES)
        printer->counts_values = true;
    if (range->kind == LAM_BYTE_REPETITION_LEVELS || range->kind == LAM_BYTE_DEFINITION_LEVELS)
        printer->counts_values = false;
    if (printer->in_pages >= RANGES_MOST ||
        (beside >= NEIGHBOURS_MOST && !is_sampled_content(printer, range)))
        return false;
    if (range->kind >= LAM_BYTE_VARIANT_METADATA && printer->in_variants++ >= VARIANTS_MOST)
        return false;
    printer->in_pages++;
    return true;
}

static bool wants_page(byte_printer *printer, const lam_byte_range *range, size_t beside,
                       bool *expand) {
    bool is_sampled = is_sampled_page(printer, range);
    if (is_sampled && printer->page_count < PAGES_MOST) {
        printer->page_count++;
        printer->page_first = range->first < 0 ? 0 : (uint64_t)range->first;
    } else {
        *expand = false;
        printer->is_cut |= is_sampled;
    }
    return is_sampled || beside < NEIGHBOURS_MOST;
}

static bool wants_top(const byte_printer *printer, const lam_byte_range *range, size_t beside,
                      bool *expand) {
    bool is_sampled = is_in_sample(printer, range);
    bool belongs = range->kind == LAM_BYTE_COLUMN_CHUNK || range->kind == LAM_BYTE_COLUMN_INDEX ||
                   range->kind == LAM_BYTE_OFFSET_INDEX || range->kind == LAM_BYTE_BLOOM_FILTER;
    if (belongs && !is_sampled)
        *expand = false;
    return !belongs || is_sampled || beside < TOP_MOST;
}

static bool wants(void *state, const lam_byte_range *range, bool *expand) {
    byte_printer *printer = state;
    if (range->depth >= DEPTH_MOST)
        return false;
    size_t beside = printer->beside[range->depth]++;
    bool is_wanted = false;
    printer->beside[range->depth + 1] = 0;
    if (range->depth == 0)
        is_wanted = wants_top(printer, range, beside, expand);
    else if (range->kind == LAM_BYTE_PAGE)
        is_wanted = wants_page(printer, range, beside, expand);
    else if (range->page >= 0)
        is_wanted = wants_content(printer, range, beside);
    else
        is_wanted = beside < NEIGHBOURS_MOST && printer->elsewhere++ < RANGES_MOST;
    printer->is_cut |= !is_wanted;
    *expand &= is_wanted;
    return is_wanted;
}

/* Adds the bytes of a range with nothing inside, if there is room. */
static void print_data(void *state, const lam_byte_range *range) {
    byte_printer *printer = state;
    uint8_t bytes[DATA_OF_RANGE_MOST];
    size_t size = range->length < sizeof bytes ? (size_t)range->length : sizeof bytes;
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
    bytes_print_hex(bytes, size);
    tool_print("\"");
}

void explain_print_bytes(const explain_subject *subject, const explain_sample *sample,
                         const explain_triples *triples) {
    byte_printer printer = {.subject = subject, .sample = sample, .triples = triples};
    lam_error error = lam_error_none();
    lam_byte_map_options options = lam_byte_map_options_default();
    bytes_choice choice = {
        .lists_others = true, .wants = wants, .print_more = print_data, .state = &printer};
    options.memory_limit = lam_reader_memory_limit(subject->reader);
    tool_print(",\"bytes\":");
    if (bytes_print_json(subject->name, subject->input, &options, &choice, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    if (printer.is_cut)
        explain_note(NULL, "Bytes are shown down to single values where they belong to these "
                           "records, and else in part; lamella bytes --all prints everything.");
}
