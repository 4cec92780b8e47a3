/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the sample of a file's records and columns as members of a page's JSON object. A column or
 * record that cannot be read is always a note, not a failure.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "automaton_json.h"
#include "levels_json.h"
#include "tool.h"

enum {
    RECORDS_TEXT_MOST = 512 << 10,
    NOTES_MOST = 16,
    TRIPLES_MOST = 4000,
    TRIPLES_OF_LEAF = 100,
    TRIPLES_AT_ONCE = 4096
};

/* --- Notes --------------------------------------------------------------------------------- */

static struct {
    char *items[NOTES_MOST];
    size_t count;
} notes;

void explain_notes_begin(void) {
    for (size_t i = 0; i < notes.count; i++)
        free(notes.items[i]);
    notes.count = 0;
}

void explain_note(const lam_field *leaf, const char *text) {
    if (notes.count == NOTES_MOST)
        return;
    char *path = leaf == NULL ? NULL : tool_path_of(leaf);
    size_t size = (path == NULL ? 0 : strlen(path) + 2) + strlen(text) + 1;
    char *note = tool_allocate(size, 1);
    snprintf(note, size, "%s%s%s", path == NULL ? "" : path, path == NULL ? "" : ": ", text);
    free(path);
    notes.items[notes.count++] = note;
}

void explain_note_failure(const lam_field *leaf, const lam_error *error) {
    if (error->status == LAM_STATUS_NOMEM || error->status == LAM_STATUS_CANCELLED ||
        error->status == LAM_STATUS_IO) /* the file may be sound, and the page lacks some of it */
        tool_end_without_memory(NULL, error->message);
    explain_note(leaf, error->message);
}

void explain_print_notes(void) {
    tool_print("[");
    for (size_t i = 0; i < notes.count; i++) {
        tool_print(i == 0 ? "" : ",");
        tool_print_text(notes.items[i], strlen(notes.items[i]));
    }
    tool_print("]");
    explain_notes_begin();
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * Prints the complete lines of text with commas in between; gives their number. The first is
 * counted even if it is too long, and printed as null.
 */
static uint64_t print_lines(lam_bytes text, size_t most) {
    uint64_t count = 0;
    size_t begin = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\n')
            continue;
        if (count > 0 && i > most)
            break;
        tool_print(count++ == 0 ? "" : ",");
        if (i - begin > most)
            explain_note(NULL, "The first record is too large to be shown as JSON.");
        tool_print("%.*s", i - begin > most ? 4 : (int)(i - begin),
                   i - begin > most ? "null" : (const char *)text.data + begin);
        begin = i + 1;
    }
    return count;
}

static lam_status read_records(const lam_reader *reader, const explain_sample *sample,
                               lam_output *text, lam_error *error) {
    lam_record_reader *records;
    lam_json_writer *writer = NULL;
    bool *free_leaves = tool_free_leaves(reader);
    uint64_t count = 0, first = sample->row_group_first + sample->first;
    lam_scan_options scan = lam_scan_options_default();
    lam_json_writer_options options = lam_json_writer_options_default();
    scan.leaves = sample->leaves;
    options.leaves = sample->leaves;
    options.replace_invalid = true;
    options.tolerate_conflicts = true;
    options.free_leaves = free_leaves;
    lam_status status = lam_record_reader_open_scan(reader, &scan, &records, error);
    if (status != LAM_STATUS_OK) {
        free(free_leaves);
        return status;
    }
    status = lam_record_reader_skip(records, first, &count, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_create(lam_reader_schema(reader), text, &options, tool_allocator(),
                                        &writer, error);
    /* One at a time: those before a failure are printed. */
    for (uint64_t i = 0; i < sample->count && status == LAM_STATUS_OK; i++) {
        status = lam_json_writer_print(writer, records, 1, &count, error);
        lam_status flushed = lam_json_writer_flush(writer, status == LAM_STATUS_OK ? error : NULL);
        status = status == LAM_STATUS_OK ? flushed : status;
        if (lam_output_memory_bytes(text).size > RECORDS_TEXT_MOST)
            break;
    }
    lam_record_reader_close(records);
    lam_json_writer_destroy(writer);
    free(free_leaves);
    return status;
}

void explain_print_records(const lam_reader *reader, explain_sample *sample) {
    lam_output text = {0};
    lam_error error = lam_error_none();
    if (!sample->has_row_group || sample->leaf_count == 0) {
        sample->count = 0;
        return;
    }
    lam_status status = lam_output_memory(tool_allocator(), &text, &error);
    if (status == LAM_STATUS_OK)
        status = read_records(reader, sample, &text, &error);
    if (status != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    uint64_t count = print_lines(lam_output_memory_bytes(&text), RECORDS_TEXT_MOST);
    if (count < sample->count)
        explain_note(NULL, "Fewer records are shown than were asked for: the next ones are too "
                           "large for a page, or cannot be read.");
    sample->count = count;
    lam_output_close(&text);
}

/* --- Columns ------------------------------------------------------------------------------- */

/* Where the data pages of a chunk begin, as triples are passed. */
typedef struct page_edge {
    lam_page_list *list;
    uint64_t next; /* first triple of the next page */
} page_edge;

static lam_status pass_page(page_edge *edge, lam_error *error) {
    lam_page_info page = lam_page_info_default();
    bool more = true;
    lam_status status = LAM_STATUS_OK;
    do
        status = lam_page_list_next(edge->list, &page, &more, error);
    while (status == LAM_STATUS_OK && more && page.type != LAM_PAGE_DATA &&
           page.type != LAM_PAGE_DATA_V2);
    if (status == LAM_STATUS_OK)
        edge->next =
            !more || page.value_count < 0 ? UINT64_MAX : edge->next + (uint64_t)page.value_count;
    return status;
}

/* The counts while triples are passed. */
typedef struct triple_count {
    const explain_sample *sample;
    unsigned max_definition;
    page_edge edge;
    uint64_t begun;  /* records */
    uint64_t at;     /* triples */
    uint64_t values; /* in the page */
    bool has_first;
    explain_triples found;
} triple_count;

static lam_status pass_run(triple_count *count, const lam_field *leaf, const lam_triples *run,
                           lam_error *error) {
    for (size_t i = 0; i < run->count; i++, count->at++) {
        while (count->at >= count->edge.next) {
            lam_status status = pass_page(&count->edge, error);
            if (status != LAM_STATUS_OK)
                return status;
            count->values = 0;
        }
        count->begun += level_repetition(run, i) == 0;
        if (count->begun > count->sample->first && !count->has_first) {
            count->has_first = true;
            count->found.first = count->at;
            count->found.values_before = count->values;
        }
        if (count->begun <= count->sample->first + count->sample->count)
            count->found.end = count->at + 1;
        count->values += level_definition(run, leaf, i) == count->max_definition;
    }
    return LAM_STATUS_OK;
}

/* Finds the triples of the sample in a chunk. */
static lam_status find_triples(const lam_reader *reader, const explain_sample *sample,
                               const lam_field *leaf, explain_triples *ret, lam_error *error) {
    lam_column_reader *column;
    lam_triples run = {0};
    triple_count count = {.sample = sample, .max_definition = lam_field_max_definition(leaf)};
    size_t index = lam_field_first_leaf(leaf);
    lam_status status =
        lam_page_list_open(reader, sample->row_group, index, &count.edge.list, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_column_reader_open(reader, sample->row_group, index, &column, error);
    if (status != LAM_STATUS_OK) {
        lam_page_list_close(count.edge.list);
        return status;
    }
    do {
        status = lam_column_reader_read(column, TRIPLES_AT_ONCE, &run, error);
        if (status == LAM_STATUS_OK)
            status = pass_run(&count, leaf, &run, error);
    } while (status == LAM_STATUS_OK && run.count > 0 &&
             count.begun <= sample->first + sample->count);
    lam_column_reader_close(column);
    lam_page_list_close(count.edge.list);
    if (status == LAM_STATUS_OK)
        *ret = count.found;
    return status;
}

/* How many triples of each leaf are shown: a single record may have millions. */
static uint64_t triples_share(const explain_sample *sample) {
    size_t share = TRIPLES_MOST / (sample->leaf_count > 0 ? sample->leaf_count : 1);
    return share > TRIPLES_OF_LEAF ? share : TRIPLES_OF_LEAF;
}

static void print_levels(const explain_subject *subject, const explain_sample *sample) {
    const lam_schema *schema = lam_reader_schema(subject->reader);
    level_source source = {
        .schema = schema, .reader = subject->reader, .triples_most = triples_share(sample)};
    level_range range = {sample->row_group_first + sample->first, sample->count};
    const char *before = "";
    tool_print(",\"levels\":[");
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        lam_error error = lam_error_none();
        if (!sample->leaves[i])
            continue;
        tool_print("%s", before);
        before = ",";
        if (levels_print_json(&source, lam_schema_leaf(schema, i), range, true, &error) !=
            LAM_STATUS_OK)
            explain_note_failure(lam_schema_leaf(schema, i), &error);
    }
    tool_print("]");
}

static void print_automaton(const explain_subject *subject, const explain_sample *sample) {
    lam_automaton *automaton;
    lam_error error = lam_error_none();
    tool_print(",\"automaton\":");
    if (lam_automaton_create(lam_reader_schema(subject->reader), sample->leaves, tool_allocator(),
                             &automaton, &error) != LAM_STATUS_OK) {
        explain_note_failure(NULL, &error);
        tool_print("null");
        return;
    }
    if (automaton_print_json(automaton, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    lam_automaton_destroy(automaton);
}

void explain_print_columns(const explain_subject *subject, const explain_sample *sample) {
    size_t count = lam_schema_leaf_count(lam_reader_schema(subject->reader));
    explain_triples *triples = tool_allocate(count + 1, sizeof *triples);
    const uint64_t most = triples_share(sample);
    const char *before = "";
    bool is_cut = false;
    print_levels(subject, sample);
    print_automaton(subject, sample);
    tool_print(",\"triples\":[");
    for (size_t i = 0; i < count; i++) {
        lam_error error = lam_error_none();
        if (!sample->leaves[i])
            continue;
        const lam_field *leaf = lam_schema_leaf(lam_reader_schema(subject->reader), i);
        if (sample->count > 0 &&
            find_triples(subject->reader, sample, leaf, &triples[i], &error) != LAM_STATUS_OK)
            explain_note_failure(leaf, &error);
        if (triples[i].end - triples[i].first > most) {
            triples[i].end = triples[i].first + most;
            is_cut = true;
        }
        tool_print("%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", before, triples[i].first,
                   triples[i].end, triples[i].values_before);
        before = ",";
    }
    tool_print("]");
    if (is_cut)
        explain_note(NULL, "Of columns with very many triples only the first are shown; lamella "
                           "levels prints all.");
    explain_print_steps(subject->reader, sample);
    explain_print_variants(subject->reader, sample);
    explain_print_bytes(subject, sample, triples);
    free(triples);
}
