/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the bytes of the sample, as `bytes --json` prints them, with the bytes themselves: takes a
 * file, and the triples of the sample in each chunk, and gives a tree of ranges. The top of the
 * tree always covers the file, but only ranges with the sample's records are opened, and only as
 * many as a page can hold; a range that is not opened has no ranges inside. Entries of a dictionary
 * are shown if the sample's values are indexes of them: they are found before, in a walk of their
 * own.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes_json.h"
#include "explain_sample.h"
#include "tool.h"

enum {
    RANGES_MOST = 6000,    /* of the sample inside pages, and as many of all others */
    VARIANTS_MOST = 2500,  /* of those of the sample, inside VARIANTs */
    NEIGHBOURS_ALL = 5000, /* inside pages, of those without the sample's triples */
    NEIGHBOURS_MOST = 48,  /* side by side, of those without the sample's triples */
    TOP_MOST = 1000,       /* the same at the top */
    PAGES_MOST = 160,      /* that are opened */
    DATA_MOST = 384 << 10, /* of all ranges that are printed with their bytes */
    DATA_OF_RANGE_MOST = 1024,
    DEPTH_MOST = 128,
    ENTRIES_ALL = 2000, /* first ones of all dictionaries, in equal shares */
    ENTRIES_MOST = 1000 /* of a dictionary that the sample's values are indexes of */
};

/* Entries of a dictionary, in order. */
typedef struct entry_set {
    uint32_t *items;
    size_t count;
} entry_set;

typedef struct byte_printer {
    const explain_subject *subject;
    const explain_sample *sample;
    const explain_triples *triples;
    entry_set *entries;              /* by leaf */
    size_t beside[DEPTH_MOST + 1];   /* ranges before this one, by depth */
    bool is_sampled[DEPTH_MOST + 1]; /* the last range, by depth */
    size_t neighbours_most;          /* of a page, outside of the sample */
    size_t neighbours;               /* that may come yet */
    size_t in_pages;                 /* ranges that were printed */
    size_t in_variants;              /* those of them that are inside a VARIANT */
    size_t elsewhere;
    size_t page_count;
    size_t data_size;
    uint64_t page_first; /* triple of the chunk that the page begins with */
    bool is_dictionary;  /* numbers are those of entries */
    size_t entries_most; /* of a dictionary, the first ones */
    bool counts_values;  /* numbers of the section are those of values, else of triples */
    bool is_cut;
} byte_printer;

/* What is known about a chunk of the sample. */
typedef struct sampled_chunk {
    const explain_triples *triples;
    entry_set *entries;
} sampled_chunk;

/*
 * Finds what is known about the chunk that a range is in; false if that is not in the sample.
 * Ranges outside of chunks have no column, pages among them: no other code here uses one as an
 * index.
 */
static bool find_sampled(const byte_printer *printer, const lam_byte_range *range,
                         sampled_chunk *ret_chunk) {
    size_t count = lam_schema_leaf_count(lam_reader_schema(printer->subject->reader));
    if (range->row_group < 0 || (size_t)range->row_group != printer->sample->row_group ||
        range->column < 0 || (size_t)range->column >= count ||
        !printer->sample->leaves[range->column])
        return false;
    ret_chunk->triples = &printer->triples[range->column];
    ret_chunk->entries = &printer->entries[range->column];
    return true;
}

static bool is_in_sample(const byte_printer *printer, const lam_byte_range *range) {
    sampled_chunk chunk;
    return find_sampled(printer, range, &chunk);
}

static bool overlaps(const lam_byte_range *range, uint64_t first, uint64_t end) {
    return range->first >= 0 && (uint64_t)range->first < end &&
           (uint64_t)range->first + (range->count < 0 ? 1 : (uint64_t)range->count) > first;
}

/* The numbers of a dictionary page are those of its entries. */
static bool is_dictionary_page(const lam_byte_range *range) {
    return range->kind == LAM_BYTE_PAGE && range->label != NULL &&
           strcmp(range->label, "DICTIONARY_PAGE") == 0;
}

/* Whether a data page holds a triple of the sample; a dictionary page does for all. */
static bool is_sampled_page(const byte_printer *printer, const lam_byte_range *range) {
    sampled_chunk chunk;
    return find_sampled(printer, range, &chunk) &&
           (is_dictionary_page(range) || overlaps(range, chunk.triples->first, chunk.triples->end));
}

/* The numbers of the page, of triples or of values, that are about the sample. */
static void find_numbers(const byte_printer *printer, const explain_triples *triples,
                         uint64_t *ret_first, uint64_t *ret_end) {
    uint64_t before = printer->page_first;
    uint64_t first = triples->first > before ? triples->first - before : 0;
    uint64_t end = triples->end > before ? triples->end - before : 0;
    if (printer->counts_values) {
        /* There are as many values as triples, or fewer. */
        uint64_t value = triples->first >= before ? triples->values_before : 0;
        end = value + (end - first);
        first = value;
    }
    *ret_first = first;
    *ret_end = end;
}

/* Whether the entry that a range begins with is one of a set. */
static bool has_entry(const entry_set *set, const lam_byte_range *range) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((int64_t)set->items[middle] < range->first)
            low = middle + 1;
        else
            high = middle;
    }
    return range->first >= 0 && low < set->count && set->items[low] == range->first;
}

/* Whether something inside a page is about the sample. */
static bool is_sampled_content(const byte_printer *printer, const lam_byte_range *range) {
    uint64_t first, end;
    sampled_chunk chunk;
    if (!find_sampled(printer, range, &chunk))
        return false;
    if (printer->is_dictionary)
        return has_entry(chunk.entries, range);
    find_numbers(printer, chunk.triples, &first, &end);
    return overlaps(range, first, end);
}

/*
 * The sample's ranges, with their insides, and a share of the other ranges of each page: else the
 * first pages would leave no room for others.
 */
static bool wants_content(byte_printer *printer, const lam_byte_range *range, size_t beside) {
    if (range->kind == LAM_BYTE_VALUES)
        printer->counts_values = true;
    if (range->kind == LAM_BYTE_REPETITION_LEVELS || range->kind == LAM_BYTE_DEFINITION_LEVELS)
        printer->counts_values = false;
    size_t most = printer->is_dictionary ? printer->entries_most : NEIGHBOURS_MOST;
    bool is_sampled = range->first < 0 ? range->depth > 0 && printer->is_sampled[range->depth - 1]
                                       : is_sampled_content(printer, range);
    printer->is_sampled[range->depth] = is_sampled;
    if (range->kind >= LAM_BYTE_VARIANT_METADATA && printer->in_variants++ >= VARIANTS_MOST)
        return false;
    if (is_sampled)
        return printer->in_pages++ < RANGES_MOST;
    if (beside >= most || printer->neighbours == 0)
        return false;
    printer->neighbours--;
    return true;
}

static bool wants_page(byte_printer *printer, const lam_byte_range *range, size_t beside,
                       bool *expand) {
    bool is_sampled = is_sampled_page(printer, range);
    if (is_sampled && printer->page_count < PAGES_MOST) {
        printer->page_count++;
        printer->page_first = range->first < 0 ? 0 : (uint64_t)range->first;
        printer->is_dictionary = is_dictionary_page(range);
        printer->is_sampled[range->depth] = false;
        printer->neighbours = printer->is_dictionary ? 3 * printer->entries_most + NEIGHBOURS_MOST
                                                     : printer->neighbours_most;
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

/* Adds the bytes of a range without ranges inside, if there is room; for a stream, the sample's. */
static void print_data(void *state, const lam_byte_range *range) {
    byte_printer *printer = state;
    uint8_t bytes[DATA_OF_RANGE_MOST];
    uint64_t at = 0, end;
    sampled_chunk chunk;
    if (range->kind == LAM_BYTE_STREAM && range->length > sizeof bytes && range->bytes != NULL &&
        find_sampled(printer, range, &chunk))
        find_numbers(printer, chunk.triples, &at, &end);
    at = at < range->length ? at : 0;
    size_t size = range->length - at < sizeof bytes ? (size_t)(range->length - at) : sizeof bytes;
    if (range->is_expandable || size == 0 || printer->data_size + size > DATA_MOST)
        return;
    if (at > 0)
        tool_print(",\"hex_at\":%" PRIu64, at);
    if (range->bytes != NULL)
        memcpy(bytes, range->bytes + at, size);
    else if (range->is_in_body ||
             printer->subject->input->read_at(printer->subject->input->state, range->begin, size,
                                              bytes, NULL) != LAM_STATUS_OK)
        return;
    printer->data_size += size;
    tool_print(",\"hex\":\"");
    bytes_print_hex(bytes, size);
    tool_print("\"");
}

/* --- Entries of dictionaries --------------------------------------------------------------- */

static void add_entry(entry_set *set, uint64_t entry) {
    size_t at = set->count;
    if (set->count == ENTRIES_MOST || entry > UINT32_MAX)
        return;
    while (at > 0 && set->items[at - 1] > entry)
        at--;
    if (at > 0 && set->items[at - 1] == entry)
        return;
    if (set->items == NULL)
        set->items = tool_allocate(ENTRIES_MOST, sizeof *set->items);
    memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof *set->items);
    set->items[at] = (uint32_t)entry;
    set->count++;
}

/* Adds the indexes of the sample in a group or run, whose text has them. */
static void add_indexes(byte_printer *printer, const lam_byte_range *range, uint64_t from) {
    uint64_t first, end;
    char *text = (char *)(uintptr_t)range->value, *behind = text;
    sampled_chunk chunk;
    if (!find_sampled(printer, range, &chunk))
        return;
    find_numbers(printer, chunk.triples, &first, &end);
    for (uint64_t i = from; behind != NULL && *behind != '\0'; i++, text = behind) {
        uint64_t index = strtoull(text, &behind, 10);
        if (behind == text)
            return;
        if ((i >= first && i < end) || range->kind == LAM_BYTE_RUN_VALUE)
            add_entry(chunk.entries, index);
    }
}

static lam_status visit_indexes(void *state, const lam_byte_range *range, bool *expand,
                                lam_error *error) {
    byte_printer *printer = state;
    (void)error;
    if (range->depth == 0)
        *expand &= range->kind == LAM_BYTE_COLUMN_CHUNK && is_in_sample(printer, range);
    else if (range->kind == LAM_BYTE_PAGE) {
        *expand &= !is_dictionary_page(range) && is_sampled_page(printer, range) &&
                   printer->page_count++ < PAGES_MOST;
        printer->page_first = range->first < 0 ? 0 : (uint64_t)range->first;
    } else if (range->kind == LAM_BYTE_VALUES)
        *expand &= range->label != NULL && strstr(range->label, "DICTIONARY") != NULL;
    else if (range->kind == LAM_BYTE_RLE_RUN || range->kind == LAM_BYTE_BIT_PACKED_RUN)
        *expand &= is_sampled_content(printer, range);
    else if (range->kind == LAM_BYTE_PACKED_GROUP || range->kind == LAM_BYTE_RUN_VALUE)
        add_indexes(printer, range, range->first < 0 ? 0 : (uint64_t)range->first);
    else if (range->kind != LAM_BYTE_PAGE_BODY)
        *expand = false;
    return LAM_STATUS_OK;
}

/*
 * The entries that the sample's values are indexes of. Failures come again when the bytes are
 * printed.
 */
static entry_set *find_entries(const byte_printer *from, const lam_byte_map_options *options) {
    byte_printer printer = *from;
    size_t count = lam_schema_leaf_count(lam_reader_schema(from->subject->reader));
    lam_error error = lam_error_none();
    printer.counts_values = true;
    printer.entries = tool_allocate(count + 1, sizeof *printer.entries);
    if (lam_byte_map_walk(from->subject->input, options, visit_indexes, &printer, &error) ==
        LAM_STATUS_NOMEM)
        explain_note_failure(NULL, &error);
    return printer.entries;
}

static void free_entries(entry_set *entries, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(entries[i].items);
    free(entries);
}

/* ------------------------------------------------------------------------------------------- */

static size_t at_least(size_t number, size_t least) {
    return number > least ? number : least;
}

void explain_print_bytes(const explain_subject *subject, const explain_sample *sample,
                         const explain_triples *triples) {
    byte_printer printer = {.subject = subject, .sample = sample, .triples = triples};
    lam_error error = lam_error_none();
    lam_byte_map_options options = lam_byte_map_options_default();
    bytes_choice choice = {
        .lists_others = true, .wants = wants, .print_more = print_data, .state = &printer};
    options.allocator = tool_allocator();
    options.memory_limit = tool_file_info(subject->reader).memory_limit;
    size_t leaves = sample->leaf_count > 0 ? sample->leaf_count : 1;
    printer.entries = find_entries(&printer, &options);
    printer.entries_most = at_least(ENTRIES_ALL / leaves, NEIGHBOURS_MOST);
    printer.neighbours_most = at_least(NEIGHBOURS_ALL / leaves, 2 * NEIGHBOURS_MOST);
    tool_print(",\"bytes\":");
    if (bytes_print_json(subject->name, subject->input, &options, &choice, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    free_entries(printer.entries, lam_schema_leaf_count(lam_reader_schema(subject->reader)));
    if (printer.is_cut)
        explain_note(NULL, "Bytes are shown down to single values where they belong to these "
                           "records, and else in part; lamella bytes --all prints everything.");
}
