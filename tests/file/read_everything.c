/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads all there is of a file that may be anything, up to bounds that no small file passes by
 * being honest, and demands good manners of the library.
 */
#include "file/read_everything.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/details.h>
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/file_info.h"

/* A small file may hold any number of nulls; this is what is asked for of each column and file. */
enum { TRIPLES_MAX = 2000000, RECORDS_MAX = 500000, PEAK_MAX = 256 << 20 };

typedef struct visit {
    const char *name;
    const lam_reader *reader;
    lam_everything result;
} visit;

/* Keeps the first failure of a kind. */
static void note(visit *v, lam_status status, const lam_error *error, lam_status *kind) {
    if (status == LAM_STATUS_OK)
        return;
    cr_assert_eq(error->status, status, "%s", v->name);
    cr_assert_neq(error->message[0], '\0', "%s: a failure without a message", v->name);
    cr_assert_null(strchr(error->message, '\n'), "%s: %s", v->name, error->message);
    cr_assert(status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
                  status == LAM_STATUS_LIMIT,
              "%s: %s: %s", v->name, lam_status_name(status), error->message);
    if (*kind == LAM_STATUS_OK)
        *kind = status;
    if (v->result.error.status == LAM_STATUS_OK)
        v->result.error = *error;
}

static void read_footer(visit *v) {
    char text[4096];
    const lam_reader *reader = v->reader;
    lam_schema_print(lam_reader_schema(reader), text, sizeof text);
    v->result.row_count = lam_reader_row_count(reader);
    if (lam_test_file_info(reader).created_by != NULL)
        cr_assert_lt(strlen(lam_test_file_info(reader).created_by),
                     lam_test_file_info(reader).file_size);
    for (size_t i = 0; i < lam_test_file_info(reader).key_value_count; i++)
        cr_assert_not_null(lam_test_key(reader, i));
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_row_group_info info = lam_row_group_info_default();
        cr_assert_eq(lam_reader_row_group(reader, i, &info, NULL), LAM_STATUS_OK);
    }
}

static void read_pages(visit *v, size_t row_group, size_t leaf) {
    lam_error error = lam_error_none();
    lam_page_list *list;
    lam_status status = lam_page_list_open(v->reader, row_group, leaf, &list, &error);
    note(v, status, &error, &v->result.columns);
    if (status != LAM_STATUS_OK)
        return;
    bool more = true;
    while (more) {
        lam_page_info info = lam_page_info_default();
        status = lam_page_list_next(list, &info, &more, &error);
        note(v, status, &error, &v->result.columns);
        if (status != LAM_STATUS_OK)
            break;
    }
    lam_page_list_close(list);
}

/* The sum of all bytes, so that all of them are touched. */
static uint64_t touch(const lam_field *leaf, const lam_triples *run) {
    uint64_t sum = 0;
    const lam_bytes *bytes = run->values;
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY) {
        for (size_t i = 0; i < run->value_count; i++)
            for (size_t b = 0; b < bytes[i].size; b++)
                sum += bytes[i].data[b];
        return sum;
    }
    size_t size = run->value_count * (size_t)lam_field_type_length(leaf);
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)run->values)[i];
    return sum;
}

static volatile uint64_t touched;

static void read_column(visit *v, size_t row_group, size_t leaf) {
    lam_error error = lam_error_none();
    lam_column_reader *column;
    lam_status status = lam_column_reader_open(v->reader, row_group, leaf, &column, &error);
    note(v, status, &error, &v->result.columns);
    if (status != LAM_STATUS_OK)
        return;
    lam_triples run = {.count = 1};
    for (size_t triples = 0; run.count > 0 && triples < TRIPLES_MAX; triples += run.count) {
        status = lam_column_reader_read(column, SIZE_MAX, &run, &error);
        note(v, status, &error, &v->result.columns);
        if (status != LAM_STATUS_OK)
            break;
        v->result.triple_count += run.count;
        touched += touch(lam_schema_leaf(lam_reader_schema(v->reader), leaf), &run);
    }
    lam_column_reader_close(column);
}

static void read_columns(visit *v) {
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(v->reader));
    for (size_t row_group = 0; row_group < lam_reader_row_group_count(v->reader); row_group++) {
        for (size_t leaf = 0; leaf < leaves; leaf++) {
            lam_column_chunk_info info = lam_column_chunk_info_default();
            lam_error error = lam_error_none();
            note(v, lam_reader_column_chunk(v->reader, row_group, leaf, &info, &error), &error,
                 &v->result.columns);
            read_pages(v, row_group, leaf);
            read_column(v, row_group, leaf);
        }
    }
}

static void read_records(visit *v, const lam_allocator *allocator) {
    lam_error error = lam_error_none();
    lam_record_sink nowhere = {0};
    lam_record_checker *checker;
    lam_record_reader *records;
    lam_status status = lam_record_checker_create(lam_reader_schema(v->reader), &nowhere, allocator,
                                                  &checker, &error);
    note(v, status, &error, &v->result.records);
    lam_record_sink sink = lam_record_checker_sink(checker);
    status = lam_record_reader_open(v->reader, NULL, &records, &error);
    note(v, status, &error, &v->result.records);
    uint64_t count = 1;
    while (count > 0 && v->result.record_count < RECORDS_MAX) {
        status = lam_record_reader_read(records, &sink, 1000, &count, &error);
        if (status == LAM_STATUS_INVALID) { /* a value that is not of its logical type */
            v->result.records = status;
            break;
        }
        note(v, status, &error, &v->result.records);
        if (status != LAM_STATUS_OK)
            break;
        v->result.record_count += count;
    }
    lam_record_reader_close(records);
    lam_record_checker_destroy(checker);
}

static volatile uint64_t touched; /* keeps what nobody looks at */

static uint64_t touch_bytes(lam_bytes bytes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum += bytes.data[i];
    return sum;
}

static uint64_t touch_counts(const lam_level_counts *levels) {
    uint64_t sum = 0;
    for (size_t i = 0; i < levels->level_count; i++)
        sum += (uint64_t)levels->counts[i];
    return sum;
}

static void read_page_index(visit *v, size_t row_group, size_t leaf) {
    lam_error error = lam_error_none();
    lam_page_index_reader *index;
    lam_status status = lam_page_index_reader_open(v->reader, row_group, leaf, &index, &error);
    note(v, status, &error, &v->result.details);
    if (status != LAM_STATUS_OK)
        return;
    uint64_t sum = 0;
    lam_page_index_info info = lam_page_index_info_default();
    cr_assert_eq(lam_page_index_reader_info(index, &info, NULL), LAM_STATUS_OK);
    for (size_t page = 0; page < info.page_count; page++) {
        lam_page_index_entry entry = lam_page_index_entry_default();
        cr_assert_eq(lam_page_index_reader_page(index, page, &entry, NULL), LAM_STATUS_OK);
        if (entry.has_bounds)
            sum += touch_bytes(entry.min_value) + touch_bytes(entry.max_value) +
                   touch_counts(&entry.repetition) + touch_counts(&entry.definition);
    }
    touched = sum;
    lam_page_index_reader_close(index);
}

static void read_chunk_details(visit *v, size_t row_group, size_t leaf) {
    lam_error error = lam_error_none();
    lam_chunk_details details = lam_chunk_details_default();
    lam_value value;
    lam_bloom_info bloom = lam_bloom_info_default();
    uint64_t sum = 0;
    lam_status status = lam_reader_chunk_details(v->reader, row_group, leaf, &details, &error);
    note(v, status, &error, &v->result.details);
    if (status != LAM_STATUS_OK)
        return;
    const lam_statistics *statistics = &details.statistics;
    const lam_field *field = lam_schema_leaf(lam_reader_schema(v->reader), leaf);
    if (lam_bound_value(field, statistics->min_value, &value, NULL) == LAM_STATUS_OK)
        sum += touch_bytes(statistics->min_value) + touch_bytes(statistics->max_value);
    sum += touch_counts(&details.repetition) + touch_counts(&details.definition);
    for (size_t i = 0; i < details.geospatial.type_count; i++)
        sum += (uint64_t)details.geospatial.types[i];
    for (size_t i = 0; i < details.page_count_count; i++) {
        lam_page_count count = lam_page_count_default();
        cr_assert_eq(lam_reader_page_count(v->reader, row_group, leaf, i, &count, NULL),
                     LAM_STATUS_OK);
    }
    for (size_t i = 0; i < details.key_value_count; i++) {
        lam_bytes key, text;
        cr_assert_eq(lam_reader_chunk_key_value(v->reader, row_group, leaf, i, &key, &text, NULL),
                     LAM_STATUS_OK);
        sum += touch_bytes(key) + touch_bytes(text);
    }
    touched = sum;
    status = lam_reader_bloom_filter(v->reader, row_group, leaf, &bloom, &error);
    note(v, status, &error, &v->result.details);
    read_page_index(v, row_group, leaf);
}

static void read_details(visit *v) {
    lam_error first = v->result.error;
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(v->reader));
    for (size_t row_group = 0; row_group < lam_reader_row_group_count(v->reader); row_group++)
        for (size_t leaf = 0; leaf < leaves; leaf++)
            read_chunk_details(v, row_group, leaf);
    v->result.error = first;
}

lam_everything lam_read_everything(lam_input *input, const char *name) {
    visit v = {.name = name};
    v.result.error = lam_error_none();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    lam_error error = lam_error_none();
    lam_reader *reader;
    lam_status status = lam_reader_open(input, &options, &reader, &error);
    note(&v, status, &error, &v.result.opened);
    if (status == LAM_STATUS_OK) {
        v.reader = reader;
        read_footer(&v);
        read_columns(&v);
        read_records(&v, &allocator);
        read_details(&v);
        lam_reader_close(reader);
    }
    lam_input_close(input);
    cr_assert_eq(counter.live_bytes, 0, "%s: %zu bytes leak", name, counter.live_bytes);
    cr_assert_eq(counter.wrong_sizes, 0, "%s", name);
    cr_assert_lt(counter.peak_bytes, PEAK_MAX, "%s: %zu bytes at once", name, counter.peak_bytes);
    v.result.peak_bytes = counter.peak_bytes;
    return v.result;
}
