/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_sample.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR_US_RECORDS = 100 };

static int64_t time_of(uint64_t number) {
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
    for (uint64_t n = first; n < first + count; n++) {
        char words[40];
        snprintf(words, sizeof words, "record %" PRIu64, n);
        (void)lam_begin(sink, NULL);
        (void)lam_put_int64(sink, number, (int64_t)n, NULL);
        if (n % 7 != 0)
            (void)lam_put_string(sink, text, words, NULL);
        (void)lam_put_int64(sink, at, time_of(n), NULL);
        if (n % 3 != 0) {
            (void)lam_open(sink, tags, NULL);
            for (uint64_t tag = 0; tag < n % 3; tag++) {
                (void)lam_open(sink, list, NULL);
                (void)lam_put_string(sink, element, "tag", NULL);
                (void)lam_close(sink, list, NULL);
            }
            (void)lam_close(sink, tags, NULL);
        }
        lam_status status = lam_end(sink, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

/* --- Reading ------------------------------------------------------------------------------- */

typedef struct number_set {
    uint64_t *numbers;
    size_t count;
    size_t room;
} number_set;

static void add_number(number_set *set, uint64_t number) {
    if (set->count == set->room) {
        set->room = 2 * set->room + 1000;
        set->numbers = realloc(set->numbers, set->room * sizeof *set->numbers);
        cr_assert_not_null(set->numbers);
    }
    set->numbers[set->count++] = number;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Triples of one column of one row group, all at once; the row groups of tests are small. */
static lam_triples read_column(lam_column_reader *column, uint64_t rows) {
    lam_triples triples;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_column_reader_read(column, (size_t)rows * 4 + 10, &triples, &error),
                 LAM_STATUS_OK, "%s", error.message);
    return triples;
}

/* Compares every record of a row group with what its number says it is. */
static void read_row_group(const lam_reader *reader, size_t group, number_set *set) {
    lam_column_reader *columns[4];
    lam_row_group_info info = lam_row_group_info_default();
    cr_assert_eq(lam_reader_row_group(reader, group, &info, NULL), LAM_STATUS_OK);
    uint64_t rows = info.row_count;
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(lam_column_reader_open(reader, group, i, &columns[i], NULL), LAM_STATUS_OK);
    for (uint64_t done = 0; done < rows;) {
        lam_triples numbers = read_column(columns[0], rows);
        cr_assert_gt(numbers.count, 0);
        lam_triples texts = {0};
        size_t text_at = 0, text_value = 0;
        for (size_t i = 0; i < numbers.count; i++, done++) {
            uint64_t n = (uint64_t)((const int64_t *)numbers.values)[i];
            char words[40];
            snprintf(words, sizeof words, "record %" PRIu64, n);
            if (text_at == texts.count) {
                texts = read_column(columns[1], rows);
                cr_assert_gt(texts.count, 0);
                text_at = text_value = 0;
            }
            bool has_text = texts.definition == NULL || texts.definition[text_at] == 1;
            text_at++;
            cr_assert_eq(has_text, n % 7 != 0, "record %" PRIu64, n);
            if (has_text) {
                lam_bytes value = ((const lam_bytes *)texts.values)[text_value++];
                cr_assert(value.size == strlen(words) && memcmp(value.data, words, value.size) == 0,
                          "record %" PRIu64, n);
            }
            add_number(set, n);
        }
    }
    size_t first = set->count - (size_t)rows;
    for (uint64_t done = 0; done < rows;) {
        lam_triples times = read_column(columns[2], rows);
        cr_assert_gt(times.count, 0);
        for (size_t i = 0; i < times.count; i++, done++)
            cr_assert_eq(((const int64_t *)times.values)[i],
                         time_of(set->numbers[first + (size_t)done]));
    }
    uint64_t tags = 0, expected_tags = 0;
    for (size_t i = first; i < set->count; i++)
        expected_tags += set->numbers[i] % 3;
    for (lam_triples read;;) {
        read = read_column(columns[3], rows);
        if (read.count == 0)
            break;
        tags += read.value_count;
    }
    cr_assert_eq(tags, expected_tags);
    for (size_t i = 0; i < 4; i++)
        lam_column_reader_close(columns[i]);
}

static void read_file(lam_model_disk *disk, const char *path, number_set *set) {
    lam_bytes bytes;
    lam_reader *reader;
    lam_error error = lam_error_none();
    cr_assert(lam_model_disk_content(disk, path, &bytes), "%s", path);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, &error), LAM_STATUS_OK, "%s: %s", path,
                 error.message);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
        read_row_group(reader, i, set);
    lam_reader_close(reader);
}

uint64_t lam_log_sample_count(lam_model_disk *disk, const char *path, uint64_t first) {
    number_set set = {0};
    read_file(disk, path, &set);
    for (size_t i = 0; i < set.count; i++)
        cr_assert_eq(set.numbers[i], first + i, "%s: row %zu", path, i);
    free(set.numbers);
    return set.count;
}

/* --- Folders ------------------------------------------------------------------------------- */

typedef struct folder_walk {
    lam_model_disk *disk;
    lam_storage storage;
    const char *folder;
    number_set all;
    lam_log_content content;
} folder_walk;

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void walk_folder(folder_walk *walk, const char *folder);

static lam_status visit(void *state, const lam_storage_entry *entry, lam_error *error) {
    folder_walk *walk = state;
    char path[1024];
    (void)error;
    snprintf(path, sizeof path, "%s/%s", walk->folder, entry->name);
    if (entry->is_folder) {
        walk_folder(walk, path);
    } else if (ends_with(entry->name, ".parquet")) {
        size_t first = walk->all.count;
        read_file(walk->disk, path, &walk->all);
        for (size_t i = first + 1; i < walk->all.count; i++)
            walk->content.is_ascending &= walk->all.numbers[i - 1] < walk->all.numbers[i];
        walk->content.files++;
    } else {
        walk->content.other_files++;
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

lam_log_content lam_log_sample_read(lam_model_disk *disk, const char *folder) {
    folder_walk walk = {disk, lam_model_disk_storage(disk), "", {0}, {0}};
    walk.content.is_ascending = true;
    walk_folder(&walk, folder);
    if (walk.all.count > 0)
        qsort(walk.all.numbers, walk.all.count, sizeof(uint64_t), compare_numbers);
    walk.content.records = walk.all.count;
    for (size_t i = 0; i < walk.all.count; i++) {
        walk.content.distinct += i == 0 || walk.all.numbers[i] != walk.all.numbers[i - 1];
        walk.content.prefix += walk.all.numbers[i] == walk.content.prefix;
    }
    walk.content.highest = walk.all.count > 0 ? walk.all.numbers[walk.all.count - 1] + 1 : 0;
    free(walk.all.numbers);
    return walk.content;
}
