/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports differences, one at a time, as lines for people or JSON objects for programs. All are
 * counted, and the first of them printed, up to --limit; with --brief one line says that there is
 * one. Records are counted from 0, as cat --skip does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "tool_screen.h"

static uint64_t count_all(const diff_report *report) {
    return report->schema_count + report->metadata_count + report->removed + report->added +
           report->changed;
}

bool diff_report_is_different(const diff_report *report) {
    return count_all(report) > 0;
}

bool diff_report_is_over(const diff_report *report) {
    return report->options->is_brief && diff_report_is_different(report);
}

/* Whether a difference is to be printed; begins the output with the names of the files. */
static bool begin_difference(diff_report *report) {
    if (report->options->is_brief || report->printed == report->options->limit)
        return false;
    if (report->printed++ == 0 && !report->options->is_json)
        tool_print("--- %s\n+++ %s\n", tool_name(report->names[0]), tool_name(report->names[1]));
    return true;
}

static void print_member(const char *name, const char *text) {
    if (text == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_text(text, strlen(text));
}

/* --- Schema and metadata ------------------------------------------------------------------- */

/* Begins a line about one side: only in the first file (0), or only in the second (1). */
static void begin_side(int side) {
    tool_set_colour(side == 0 ? TOOL_COLOUR_RED : TOOL_COLOUR_GREEN);
    tool_print("%c ", "-+"[side]);
}

static void end_side(void) {
    tool_set_colour(TOOL_COLOUR_NONE);
    tool_print("\n");
}

static void print_schema_line(const char *what, const char *path, const char *a, const char *b) {
    if (a != NULL && b != NULL) {
        tool_print("schema: %s%s%s: %s -> %s\n", path, *path == '\0' ? "" : ": ", what, a, b);
        return;
    }
    begin_side(a == NULL);
    tool_print("schema: %s: %s", path, a == NULL ? b : a);
    end_side();
}

void diff_report_schema(diff_report *report, const char *what, const char *path, const char *a,
                        const char *b) {
    report->schema_count++;
    if (!begin_difference(report))
        return;
    if (!report->options->is_json) {
        print_schema_line(what, path, a, b);
        return;
    }
    tool_print("{\"kind\":\"schema\",\"what\":");
    tool_print_text(what, strlen(what));
    print_member("path", path);
    print_member("a", a);
    print_member("b", b);
    tool_print("}\n");
}

static void print_text_or_none(const char *text) {
    if (text == NULL)
        tool_print("none");
    else
        tool_print_text(text, strlen(text));
}

void diff_report_metadata(diff_report *report, const char *what, const char *key, const char *a,
                          const char *b) {
    report->metadata_count++;
    if (!begin_difference(report))
        return;
    if (report->options->is_json) {
        tool_print("{\"kind\":\"metadata\",\"what\":");
        tool_print_text(what, strlen(what));
        print_member("key", key);
        print_member("a", a);
        print_member("b", b);
        tool_print("}\n");
        return;
    }
    bool is_removed = strcmp(what, "removed") == 0,
         is_one = is_removed || strcmp(what, "added") == 0;
    if (is_one)
        begin_side(!is_removed);
    tool_print("metadata: ");
    tool_print_text(key, strlen(key));
    tool_print(": ");
    if (!is_one || is_removed)
        print_text_or_none(a);
    if (!is_one)
        tool_print(" -> ");
    if (!is_one || !is_removed)
        print_text_or_none(b);
    if (is_one)
        end_side();
    else
        tool_print("\n");
}

/* --- Records ------------------------------------------------------------------------------- */

/* Orders by the record of the first file, or of the second if there is no other. */
static int order_records(const void *left, const void *right) {
    const diff_record *a = left, *b = right;
    uint64_t one = a->rows[a->rows[0] == DIFF_NONE], other = b->rows[b->rows[0] == DIFF_NONE];
    if (one != other)
        return one < other ? -1 : 1;
    return (a->rows[0] == DIFF_NONE) - (b->rows[0] == DIFF_NONE);
}

/* Leaves the first by number. */
static void sort_records(diff_records *records) {
    if (records->is_any_order && records->count > 1)
        qsort(records->all, records->count, sizeof *records->all, order_records);
    records->count = records->count < records->most ? records->count : (size_t)records->most;
}

void diff_records_add(diff_records *records, diff_report *report, uint64_t a, uint64_t b) {
    if (a != DIFF_NONE && b != DIFF_NONE)
        report->changed++;
    else
        *(a == DIFF_NONE ? &report->added : &report->removed) += 1;
    if (report->options->is_brief || records->most == 0 ||
        (!records->is_any_order && records->count == records->most))
        return;
    if (records->count / 2 >= records->most)
        sort_records(records);
    if (records->count == records->capacity) {
        records->capacity = 2 * records->capacity + 64;
        records->all = tool_reallocate(records->all, records->capacity, sizeof *records->all);
    }
    diff_record record = {{a, b}};
    records->all[records->count++] = record;
}

/* The texts of some records: those of both files, and keys. */
enum { TEXT_A, TEXT_B, TEXT_KEY, TEXT_COUNT, BATCH = 256 };

typedef struct text_batch {
    const diff_record *records;
    size_t count;
    char *texts[TEXT_COUNT][BATCH];
} text_batch;

/* Which texts to read of one file: `order` are indexes of the batch, in the order of rows. */
typedef struct text_fetch {
    char **texts;
    size_t order[BATCH];
    size_t count;
    size_t next;
    uint64_t rows[BATCH];
} text_fetch;

static void take_text(void *state, const char *line, size_t size) {
    text_fetch *fetch = state;
    char *copy = tool_allocate(size + 1, 1);
    memcpy(copy, line, size);
    fetch->texts[fetch->order[fetch->next++]] = copy;
}

static void add_fetch(text_fetch *fetch, size_t index, uint64_t row) {
    size_t at = fetch->count++;
    for (; at > 0 && fetch->rows[at - 1] > row; at--) {
        fetch->rows[at] = fetch->rows[at - 1];
        fetch->order[at] = fetch->order[at - 1];
    }
    fetch->rows[at] = row;
    fetch->order[at] = index;
}

static int fetch_texts(text_fetch *fetch, const diff_file *file, const bool *leaves) {
    if (fetch->count == 0)
        return TOOL_OK;
    diff_lines *lines = diff_lines_open(file, leaves, take_text, fetch);
    int result = lines == NULL ? DIFF_TROUBLE : TOOL_OK;
    for (size_t i = 0; i < fetch->count && result == TOOL_OK; i++) {
        result = diff_lines_skip_to(lines, fetch->rows[i]);
        if (result == TOOL_OK)
            result = diff_lines_read(lines, 1);
    }
    diff_lines_close(lines);
    return result;
}

static int read_batch(text_batch *batch, const diff_match *match) {
    int result = TOOL_OK;
    for (int side = 0; side < 2 && result == TOOL_OK; side++) {
        const diff_file *file = &match->files[side];
        text_fetch whole = {.texts = batch->texts[side]}, keys = {.texts = batch->texts[TEXT_KEY]};
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t *rows = batch->records[i].rows;
            if (rows[side] != DIFF_NONE)
                add_fetch(&whole, i, rows[side]);
            if (side == 0 && rows[0] != DIFF_NONE && rows[1] != DIFF_NONE)
                add_fetch(&keys, i, rows[0]);
        }
        result = fetch_texts(&whole, file, file->compared);
        if (result == TOOL_OK && file->key != NULL)
            result = fetch_texts(&keys, file, file->key);
    }
    return result;
}

/* The text before each change of a record, or between those of one in JSON. */
typedef struct change_print {
    const diff_report *report;
    const diff_record *record;
    const char *key;
    bool needs_comma;
} change_print;

static void print_number(const diff_record *record, const char *key) {
    if (key != NULL)
        tool_print("record %s", key);
    else if (record->rows[0] == record->rows[1])
        tool_print("record %" PRIu64, record->rows[0]);
    else
        tool_print("record %" PRIu64 " -> %" PRIu64, record->rows[0], record->rows[1]);
}

static void print_bytes(lam_bytes text) {
    if (text.size == 0)
        tool_print("none");
    else
        tool_print_shown((const char *)text.data, text.size);
}

static void print_change(void *state, const char *path, lam_bytes a, lam_bytes b) {
    change_print *print = state;
    if (!print->report->options->is_json) {
        print_number(print->record, print->key);
        tool_print(": %s: ", path);
        print_bytes(a);
        tool_print(" -> ");
        print_bytes(b);
        tool_print("\n");
        return;
    }
    tool_print("%s{\"path\":", print->needs_comma ? "," : "");
    tool_print_text(path, strlen(path));
    if (a.size > 0) {
        tool_print(",\"a\":");
        print_bytes(a);
    }
    if (b.size > 0) {
        tool_print(",\"b\":");
        print_bytes(b);
    }
    tool_print("}");
    print->needs_comma = true;
}

/* A record of one file alone. */
static void print_whole(const diff_report *report, int side, uint64_t row, const char *text) {
    if (!report->options->is_json) {
        begin_side(side);
        tool_print("record %" PRIu64 ": %s", row, text);
        end_side();
        return;
    }
    tool_print("{\"kind\":\"record\",\"what\":\"%s\",\"%c_record\":%" PRIu64 ",\"%c\":%s}\n",
               side == 0 ? "removed" : "added", "ab"[side], row, "ab"[side], text);
}

static void print_changed(diff_report *report, const diff_record *record, const char *a,
                          const char *b, const char *key) {
    change_print print = {.report = report, .record = record, .key = key};
    size_t a_size = strlen(a), b_size = strlen(b);
    bool is_json = report->options->is_json;
    if (diff_compare_json(a, a_size, b, b_size, NULL, NULL) == 0) {
        /* Members of one name, which no path tells apart. */
        print_whole(report, 0, record->rows[0], a);
        print_whole(report, 1, record->rows[1], b);
        return;
    }
    if (is_json) {
        tool_print("{\"kind\":\"record\",\"what\":\"changed\",\"a_record\":%" PRIu64
                   ",\"b_record\":%" PRIu64,
                   record->rows[0], record->rows[1]);
        if (key != NULL)
            tool_print(",\"key\":%s", key);
        tool_print(",\"changes\":[");
    }
    (void)diff_compare_json(a, a_size, b, b_size, print_change, &print);
    if (is_json)
        tool_print("]}\n");
}

static void print_record(diff_report *report, const text_batch *batch, size_t i) {
    const diff_record *record = &batch->records[i];
    const char *a = batch->texts[TEXT_A][i], *b = batch->texts[TEXT_B][i];
    if (!begin_difference(report))
        return;
    if (a != NULL && b != NULL)
        print_changed(report, record, a, b, batch->texts[TEXT_KEY][i]);
    else if (a != NULL)
        print_whole(report, 0, record->rows[0], a);
    else if (b != NULL)
        print_whole(report, 1, record->rows[1], b);
}

int diff_records_print(diff_records *records, diff_report *report, const diff_match *match) {
    int result = TOOL_OK;
    text_batch *batch = tool_allocate(1, sizeof *batch);
    sort_records(records);
    for (size_t first = 0; first < records->count && result == TOOL_OK; first += batch->count) {
        batch->records = records->all + first;
        batch->count = records->count - first < BATCH ? records->count - first : BATCH;
        result = read_batch(batch, match);
        for (size_t i = 0; i < batch->count && result == TOOL_OK; i++)
            print_record(report, batch, i);
        for (size_t i = 0; i < TEXT_COUNT * (size_t)BATCH; i++) {
            free(batch->texts[i / BATCH][i % BATCH]);
            batch->texts[i / BATCH][i % BATCH] = NULL;
        }
    }
    free(batch);
    return result;
}

/* ------------------------------------------------------------------------------------------- */

void diff_report_end(diff_report *report) {
    uint64_t more = count_all(report) - report->printed;
    if (report->options->is_brief) {
        if (diff_report_is_different(report))
            tool_print("Files %s and %s differ\n", tool_name(report->names[0]),
                       tool_name(report->names[1]));
        return;
    }
    if (more == 0)
        return;
    const char *format = report->options->is_json
                             ? "{\"kind\":\"more\",\"count\":%" PRIu64 ",\"schema\":%" PRIu64
                               ",\"metadata\":%" PRIu64 ",\"removed\":%" PRIu64
                               ",\"added\":%" PRIu64 ",\"changed\":%" PRIu64 "}\n"
                             : "%" PRIu64 " more; in all: schema %" PRIu64 ", metadata %" PRIu64
                               ", records removed %" PRIu64 ", added %" PRIu64 ", changed %" PRIu64
                               "\n";
    tool_print(format, more, report->schema_count, report->metadata_count, report->removed,
               report->added, report->changed);
}
