/* SPDX-License-Identifier: Apache-2.0 */
/* Records that carry their number, and what a disk in memory holds of them. */
#include "log/log_sample.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR_US_RECORDS = 100 };

int64_t lam_log_sample_time(uint64_t number) {
    return INT64_C(1700000000000000) + (int64_t)(number / HOUR_US_RECORDS) * INT64_C(3600000000);
}

lam_status lam_log_sample_put(const lam_record_sink *sink, const lam_schema *schema, uint64_t first,
                              uint64_t count, lam_error *error) {
    const lam_field *number = lam_schema_find(schema, "number");
    const lam_field *text = lam_schema_find(schema, "text");
    const lam_field *at = lam_schema_find(schema, "at");
    const lam_field *tags = lam_schema_find(schema, "tags");
    const lam_field *list = lam_schema_find(schema, "tags.list");
    const lam_field *element = lam_schema_find(schema, "tags.list.element");
    const lam_field *negative = lam_schema_find(schema, "negative");
    for (uint64_t n = first; n < first + count; n++) {
        char words[40];
        snprintf(words, sizeof words, "record %" PRIu64, n);
        (void)lam_begin(sink, NULL);
        (void)lam_put_int64(sink, number, (int64_t)n, NULL);
        if (n % 7 != 0)
            (void)lam_put_string(sink, text, words, NULL);
        (void)lam_put_int64(sink, at, lam_log_sample_time(n), NULL);
        if (n % 3 != 0) {
            (void)lam_open(sink, tags, NULL);
            for (uint64_t tag = 0; tag < n % 3; tag++) {
                (void)lam_open(sink, list, NULL);
                (void)lam_put_string(sink, element, "tag", NULL);
                (void)lam_close(sink, list, NULL);
            }
            (void)lam_close(sink, tags, NULL);
        }
        if (negative != NULL)
            (void)lam_put_int64(sink, negative, -(int64_t)n, NULL);
        lam_status status = lam_end(sink, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

/* --- Reading ------------------------------------------------------------------------------- */

static void add_number(lam_log_numbers *all, uint64_t number) {
    if (all->count == all->room) {
        all->room = 2 * all->room + 1000;
        all->numbers = realloc(all->numbers, all->room * sizeof *all->numbers);
        cr_assert_not_null(all->numbers);
    }
    all->numbers[all->count++] = number;
}

/* Keeps the first fault; returns false. */
static bool note_fault(lam_log_numbers *all, const char *path, const char *what, uint64_t number) {
    if (all->fault[0] == '\0')
        snprintf(all->fault, sizeof all->fault, "%.120s: %.120s, record or row %" PRIu64, path,
                 what, number);
    return false;
}

/* A column of a row group, a batch after the other. */
typedef struct column_walk {
    lam_column_reader *reader;
    lam_triples triples;
    size_t slot, value;
    bool has_failed;
} column_walk;

/* The next slot of a column: false at its end. `*ret_value` is its value, NULL for none. */
static bool next_slot(column_walk *column, size_t element, uint8_t definition_max,
                      const void **ret_value, uint8_t *ret_repetition, uint8_t *ret_definition) {
    if (column->slot == column->triples.count) {
        if (lam_column_reader_read(column->reader, 1000, &column->triples, NULL) != LAM_STATUS_OK)
            column->has_failed = true;
        if (column->has_failed || column->triples.count == 0)
            return false;
        column->slot = column->value = 0;
    }
    const lam_triples *triples = &column->triples;
    *ret_repetition = triples->repetition != NULL ? triples->repetition[column->slot] : 0;
    *ret_definition =
        triples->definition != NULL ? triples->definition[column->slot] : definition_max;
    column->slot++;
    *ret_value = *ret_definition == definition_max
                     ? (const uint8_t *)triples->values + element * column->value++
                     : NULL;
    return true;
}

static bool same_text(const void *value, const char *text) {
    const lam_bytes *bytes = value;
    return bytes->size == strlen(text) && memcmp(bytes->data, text, bytes->size) == 0;
}

/* Whether the next record of the tags' column has n % 3 of them. */
static bool tags_agree(column_walk *column, uint64_t n) {
    uint64_t slots = n % 3 > 0 ? n % 3 : 1;
    const void *value;
    uint8_t repetition, definition;
    for (uint64_t i = 0; i < slots; i++) {
        if (!next_slot(column, sizeof(lam_bytes), 3, &value, &repetition, &definition) ||
            (repetition == 0) != (i == 0))
            return false;
        if (n % 3 == 0 ? definition != 0 : value == NULL || !same_text(value, "tag"))
            return false;
    }
    return true;
}

/* Whether the next record of all columns is the one that its number says; adds the number. */
static bool record_agrees(column_walk columns[], size_t count, lam_log_numbers *all) {
    const void *value;
    uint8_t repetition, definition;
    char words[40];
    if (!next_slot(&columns[0], sizeof(int64_t), 0, &value, &repetition, &definition))
        return false;
    int64_t number = *(const int64_t *)value, at = lam_log_sample_time((uint64_t)number);
    uint64_t n = (uint64_t)number;
    snprintf(words, sizeof words, "record %" PRIu64, n);
    if (!next_slot(&columns[1], sizeof(lam_bytes), 1, &value, &repetition, &definition) ||
        (n % 7 == 0 ? value != NULL : value == NULL || !same_text(value, words)))
        return false;
    if (!next_slot(&columns[2], sizeof(int64_t), 0, &value, &repetition, &definition) ||
        *(const int64_t *)value != at)
        return false;
    if (!tags_agree(&columns[3], n))
        return false;
    if (count > 4 &&
        (!next_slot(&columns[4], sizeof(int64_t), 1, &value, &repetition, &definition) ||
         value == NULL || *(const int64_t *)value != -number))
        return false;
    add_number(all, n);
    return true;
}

/* Compares every record of a row group with what its number says it is. */
static bool read_row_group(const lam_reader *reader, const char *path, size_t group,
                           lam_log_numbers *all) {
    enum { MOST = 5 };
    column_walk columns[MOST] = {{NULL, {0}, 0, 0, false}};
    lam_row_group_info info = lam_row_group_info_default();
    size_t count = lam_schema_leaf_count(lam_reader_schema(reader));
    lam_status status = lam_reader_row_group(reader, group, &info, NULL);
    bool is_whole = status == LAM_STATUS_OK && (count == 4 || count == MOST);
    for (size_t i = 0; is_whole && i < count; i++)
        is_whole =
            lam_column_reader_open(reader, group, i, &columns[i].reader, NULL) == LAM_STATUS_OK;
    uint64_t row = 0;
    while (is_whole && row < info.row_count && record_agrees(columns, count, all))
        row++;
    for (size_t i = 0; i < MOST; i++)
        lam_column_reader_close(columns[i].reader);
    return is_whole && row == info.row_count ? true
                                             : note_fault(all, path, "is not as it was put", row);
}

/* Whether numbers of the same span ascend. */
static bool spans_ascend(const uint64_t *numbers, size_t count) {
    enum { SPANS_MOST = 64 };
    uint64_t next[SPANS_MOST] = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t span = numbers[i] / LAM_LOG_SAMPLE_SPAN;
        if (span >= SPANS_MOST || numbers[i] < next[span])
            return false;
        next[span] = numbers[i] + 1;
    }
    return true;
}

/* What reading does not need may be wrong as well: page indexes, Bloom filters, statistics. */
typedef struct sample_check {
    lam_log_numbers *all;
    const char *path;
} sample_check;

static lam_status note_finding(void *state, const lam_finding *finding, lam_error *error) {
    const sample_check *check = state;
    (void)error;
    if (finding->severity == LAM_SEVERITY_ERROR)
        (void)note_fault(check->all, check->path, finding->message, 0);
    return LAM_STATUS_OK;
}

static void read_file(lam_model_disk *disk, const char *path, lam_log_numbers *all) {
    lam_bytes bytes;
    lam_reader *reader;
    lam_error error = lam_error_none();
    cr_assert(lam_model_disk_content(disk, path, &bytes), "%s", path);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    sample_check check = {all, path};
    size_t first = all->count;
    if (lam_check(&input, NULL, note_finding, &check, NULL, &error) != LAM_STATUS_OK)
        (void)note_fault(all, path, error.message, 0);
    if (lam_reader_open(&input, NULL, &reader, &error) != LAM_STATUS_OK) {
        (void)note_fault(all, path, error.message, 0);
        return;
    }
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
        if (!read_row_group(reader, path, i, all))
            break;
    lam_reader_close(reader);
    for (size_t i = first + 1; i < all->count; i++)
        all->is_ascending &= all->numbers[i - 1] < all->numbers[i];
    if (all->count > first)
        all->has_spans_in_order &= spans_ascend(all->numbers + first, all->count - first);
}

void lam_log_sample_list(lam_model_disk *disk, const char *path, lam_log_numbers *all) {
    read_file(disk, path, all);
}

uint64_t lam_log_sample_count(lam_model_disk *disk, const char *path, uint64_t first) {
    lam_log_numbers all = {0};
    read_file(disk, path, &all);
    cr_assert_str_empty(all.fault, "%s", all.fault);
    for (size_t i = 0; i < all.count; i++)
        cr_assert_eq(all.numbers[i], first + i, "%s: row %zu", path, i);
    free(all.numbers);
    return all.count;
}

/* --- Folders ------------------------------------------------------------------------------- */

typedef struct folder_walk {
    lam_model_disk *disk;
    lam_storage storage;
    const char *folder;
    lam_log_numbers *all;
} folder_walk;

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void walk_folder(folder_walk *walk, const char *folder);

static lam_status visit(void *state, const lam_storage_entry *entry, lam_error *error) {
    folder_walk *walk = state;
    lam_log_numbers *all = walk->all;
    char path[1024];
    (void)error;
    snprintf(path, sizeof path, "%s%s%s", walk->folder, walk->folder[0] == '\0' ? "" : "/",
             entry->name);
    if (entry->is_folder) {
        walk_folder(walk, path);
    } else if (ends_with(entry->name, ".parquet")) {
        read_file(walk->disk, path, all);
        all->files++;
    } else {
        size_t size = strlen(all->others);
        all->other_files++;
        all->bad_files += ends_with(entry->name, ".bad");
        snprintf(all->others + size, sizeof all->others - size, " %s (%llu)", path,
                 (unsigned long long)entry->size);
    }
    return LAM_STATUS_OK;
}

static void walk_folder(folder_walk *walk, const char *folder) {
    const char *outer = walk->folder;
    lam_error error = lam_error_none();
    walk->folder = folder;
    lam_status status = walk->storage.list(walk->storage.state, folder, visit, walk, &error);
    cr_assert(status == LAM_STATUS_OK || error.code == LAM_ERROR_CODE_FILE_MISSING, "%s",
              error.message);
    walk->folder = outer;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void lam_log_sample_numbers(lam_model_disk *disk, const char *folder, lam_log_numbers *ret_all) {
    folder_walk walk = {disk, lam_model_disk_storage(disk), "", ret_all};
    memset(ret_all, 0, sizeof *ret_all);
    ret_all->is_ascending = true;
    ret_all->has_spans_in_order = true;
    walk_folder(&walk, folder);
    if (ret_all->count > 0)
        qsort(ret_all->numbers, ret_all->count, sizeof(uint64_t), compare_numbers);
}

void lam_log_numbers_free(lam_log_numbers *all) {
    free(all->numbers);
    memset(all, 0, sizeof *all);
}

lam_log_content lam_log_sample_read(lam_model_disk *disk, const char *folder) {
    lam_log_numbers all;
    lam_log_content content = {0};
    lam_log_sample_numbers(disk, folder, &all);
    cr_assert_str_empty(all.fault, "%s", all.fault);
    content.files = all.files;
    content.other_files = all.other_files;
    content.is_ascending = all.is_ascending;
    content.records = all.count;
    for (size_t i = 0; i < all.count; i++) {
        content.distinct += i == 0 || all.numbers[i] != all.numbers[i - 1];
        content.prefix += all.numbers[i] == content.prefix;
    }
    content.highest = all.count > 0 ? all.numbers[all.count - 1] + 1 : 0;
    lam_log_numbers_free(&all);
    return content;
}
