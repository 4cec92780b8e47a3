/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the records of two files by a key, and finds those that differ, in no order. Of the rows
 * that are not equal at the same position, those of the file that has fewer go into a table, as
 * hashes of their key and of all of them, and those of the other file are looked up there. Rows
 * that do not fit into the memory limit are left to further passes over both files, each for the
 * keys of a class.
 *
 * Records with one key are numbered in each file, and those of one number belong together.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "diff.h"

typedef struct key_entry {
    diff_hash key;   /* both 0: free */
    uint64_t record; /* hash of the entire record */
    uint64_t row;
    uint32_t count; /* of the number 0: how many the table has, and how many were looked up */
    uint32_t found;
    bool is_taken;
} key_entry;

typedef struct key_table {
    key_entry *entries;
    size_t mask;
    size_t used;
    bool is_full;         /* a record found no room */
    uint64_t repeated[2]; /* records with the key of an earlier one */
} key_table;

/* The rows of a file that may differ, with hashes of their keys and of themselves. */
typedef struct key_stream {
    const diff_match *match;
    diff_lines *keys;
    diff_lines *records;
    diff_hash *key_hashes;
    uint64_t *record_hashes;
    size_t key_count;
    size_t record_count;
} key_stream;

enum { KEY_BATCH = 4096 };

/* --- The table ----------------------------------------------------------------------------- */

/* The key of the record with this number among those of one key. */
TOOL_WRAPS static diff_hash key_of_number(diff_hash key, uint32_t number) {
    key.low += UINT64_C(0x9E3779B97F4A7C15) * number;
    key.high ^= UINT64_C(0xD6E8FEB86659FD93) * number;
    key.low |= key.low == 0 && key.high == 0;
    return key;
}

static key_entry *find_entry(const key_table *table, diff_hash key) {
    size_t at = (size_t)key.high & table->mask;
    while ((table->entries[at].key.low != key.low || table->entries[at].key.high != key.high) &&
           (table->entries[at].key.low != 0 || table->entries[at].key.high != 0))
        at = (at + 1) & table->mask;
    return &table->entries[at];
}

static bool is_free(const key_entry *entry) {
    return entry->key.low == 0 && entry->key.high == 0;
}

static void add_entry(key_table *table, int side, diff_hash key, uint64_t record, uint64_t row) {
    diff_hash own = key_of_number(key, 0);
    table->is_full = table->is_full || table->used == table->mask;
    if (table->is_full)
        return;
    key_entry *entry = find_entry(table, own);
    if (!is_free(entry)) {
        table->repeated[side]++;
        own = key_of_number(key, ++entry->count);
        entry = find_entry(table, own);
    }
    table->used++;
    entry->key = own;
    entry->record = record;
    entry->row = row;
}

/* The record that belongs to one of the other file; NULL when there is none. */
static key_entry *take_entry(key_table *table, int side, diff_hash key) {
    key_entry *entry = find_entry(table, key_of_number(key, 0));
    if (is_free(entry))
        return NULL;
    uint32_t number = entry->found++;
    table->repeated[side] += number > 0;
    if (number > entry->count)
        return NULL;
    entry = find_entry(table, key_of_number(key, number));
    entry->is_taken = true;
    return entry;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static void take_key(void *state, const char *line, size_t size) {
    key_stream *stream = state;
    stream->key_hashes[stream->key_count++] = diff_hash_json(line, size);
}

static void take_record(void *state, const char *line, size_t size) {
    key_stream *stream = state;
    stream->record_hashes[stream->record_count++] = diff_hash_line(stream->match, line, size).low;
}

static int read_batch(key_stream *stream, uint64_t first, uint64_t count) {
    stream->key_count = stream->record_count = 0;
    int result = diff_lines_skip_to(stream->keys, first);
    if (result == TOOL_OK)
        result = diff_lines_skip_to(stream->records, first);
    if (result == TOOL_OK)
        result = diff_lines_read(stream->keys, count);
    return result == TOOL_OK ? diff_lines_read(stream->records, count) : result;
}

/* One pass over the rows of both files. */
typedef struct key_pass {
    const diff_match *match;
    const diff_dirt *dirt;
    diff_report *report;
    diff_records *records;
    key_table table;
    int built; /* the file whose rows are in the table */
    uint64_t pass;
    uint64_t passes;
} key_pass;

static void take_row(key_pass *pass, int side, diff_hash key, uint64_t record, uint64_t row) {
    if (key.low % pass->passes != pass->pass)
        return;
    if (side == pass->built) {
        add_entry(&pass->table, side, key, record, row);
        return;
    }
    key_entry *entry = take_entry(&pass->table, side, key);
    if (entry != NULL && entry->record == record)
        return;
    uint64_t other = entry == NULL ? DIFF_NONE : entry->row;
    diff_records_add(pass->records, pass->report, side == 0 ? row : other, side == 0 ? other : row);
}

static int take_rows(key_pass *pass, key_stream *stream, int side, uint64_t first, uint64_t end) {
    int result = TOOL_OK;
    while (first < end && result == TOOL_OK && !diff_report_is_over(pass->report)) {
        uint64_t count = end - first < KEY_BATCH ? end - first : KEY_BATCH;
        result = read_batch(stream, first, count);
        for (size_t i = 0; i < count && result == TOOL_OK; i++)
            take_row(pass, side, stream->key_hashes[i], stream->record_hashes[i], first + i);
        first += count;
    }
    return result;
}

/* All rows of a file that may differ. */
static int take_file(key_pass *pass, int side) {
    const diff_file *file = &pass->match->files[side];
    key_stream stream = {.match = pass->match};
    uint64_t first, end, from = 0;
    int result = DIFF_TROUBLE;
    stream.key_hashes = tool_allocate(KEY_BATCH, sizeof *stream.key_hashes);
    stream.record_hashes = tool_allocate(KEY_BATCH, sizeof *stream.record_hashes);
    stream.keys = diff_lines_open(file, file->key, take_key, &stream);
    if (stream.keys != NULL)
        stream.records = diff_lines_open(file, file->compared, take_record, &stream);
    if (stream.records != NULL)
        result = TOOL_OK;
    while (result == TOOL_OK && diff_dirt_next(pass->dirt, from, &first, &end)) {
        result = take_rows(pass, &stream, side, first, end);
        from = end;
    }
    if (result == TOOL_OK)
        result = take_rows(pass, &stream, side, pass->dirt->rows, file->rows);
    diff_lines_close(stream.keys);
    diff_lines_close(stream.records);
    free(stream.key_hashes);
    free(stream.record_hashes);
    return result;
}

static void report_left(key_pass *pass) {
    for (size_t i = 0; i <= pass->table.mask; i++) {
        const key_entry *entry = &pass->table.entries[i];
        if (!is_free(entry) && !entry->is_taken)
            diff_records_add(pass->records, pass->report, pass->built == 0 ? entry->row : DIFF_NONE,
                             pass->built == 0 ? DIFF_NONE : entry->row);
    }
}

/* ------------------------------------------------------------------------------------------- */

static uint64_t count_rows(const diff_match *match, const diff_dirt *dirt, int side) {
    uint64_t first, end, from = 0, count = match->files[side].rows - dirt->rows;
    for (; diff_dirt_next(dirt, from, &first, &end); from = end)
        count += end - first;
    return count;
}

static void note_repeated(const diff_match *match, const key_table *table) {
    for (int side = 0; side < 2; side++)
        if (table->repeated[side] > 0) {
            tool_say("lamella: %s: --key: %" PRIu64
                     " records have the key of an earlier one; those "
                     "of both files are compared in their order\n",
                     tool_name(match->files[side].name), table->repeated[side]);
        }
}

static int fail_full(const key_pass *pass) {
    tool_say("lamella: %s: --key: too many records with one key for a memory limit of %" PRIu64
             " bytes; choose a key that is unique, or raise --memory-limit\n",
             tool_name(pass->match->files[pass->built].name), diff_memory_limit());
    return DIFF_TROUBLE;
}

static int run_passes(key_pass *pass, uint64_t rows) {
    uint64_t most = diff_memory_limit() / sizeof *pass->table.entries, size = 1024;
    int result = TOOL_OK;
    while (size < 2 * rows && 2 * size <= most)
        size *= 2;
    /* Keys spread evenly over the classes, which leave a good part of the table free. */
    pass->passes = rows <= size / 2 ? 1 : rows / (size / 2) + 1;
    pass->table.entries = tool_allocate((size_t)size, sizeof *pass->table.entries);
    pass->table.mask = (size_t)size - 1;
    for (; pass->pass < pass->passes && result == TOOL_OK; pass->pass++) {
        for (size_t i = 0; i < size && pass->pass > 0; i++)
            pass->table.entries[i] = (key_entry){.row = 0};
        pass->table.used = 0;
        result = take_file(pass, pass->built);
        if (result == TOOL_OK && pass->table.is_full)
            result = fail_full(pass);
        if (result == TOOL_OK)
            result = take_file(pass, 1 - pass->built);
        if (result == TOOL_OK)
            report_left(pass);
        if (diff_report_is_over(pass->report))
            break;
    }
    free(pass->table.entries);
    return result;
}

int diff_by_key(const diff_match *match, diff_report *report, diff_records *records) {
    diff_dirt dirt;
    key_pass pass = {.match = match, .dirt = &dirt, .report = report, .records = records};
    int result = diff_compare_columns(match, 0, 0, &dirt);
    if (result == TOOL_OK) {
        uint64_t a = count_rows(match, &dirt, 0), b = count_rows(match, &dirt, 1);
        pass.built = a <= b ? 0 : 1;
        if (a + b > 0)
            result = run_passes(&pass, a <= b ? a : b);
    }
    if (result == TOOL_OK)
        note_repeated(match, &pass.table);
    diff_dirt_finish(&dirt);
    return result;
}
