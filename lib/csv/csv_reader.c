/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads delimited text as columns of triples, by a schema without groups: one lam_triples for each
 * leaf and batch, whose strings point into the text's window.
 *
 * A batch is split, then converted column by column. If values do not fit, their records are taken
 * out of the batch, and it is converted again; or each is reported in its turn, and the runs of
 * records between them are converted again. All columns of a batch always have one triple for each
 * of its records.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "csv/csv_column.h"
#include "csv/csv_header.h"
#include "schema/logical_type.h"
#include "schema/tree.h"

enum {
    CSV_SHOWN_BYTES = 40, /* of a value in a message */
    CSV_READ_VALUES = 1 << 18
};

struct lam_csv_reader {
    lam_allocator allocator;
    lam_csv_options options;
    lam_schema *schema;
    lam_arena arena;
    lam_csv_splitter splitter;
    lam_csv_header header;
    lam_csv_column *columns; /* by leaf */
    lam_triples *triples;    /* by leaf */
    size_t count;
    size_t batch_records;
    size_t left, batch_count; /* of a batch with bad records: what has not been given yet */
    size_t given;             /* first record that was given last */
    size_t given_count;
    bool has_failed;  /* the last read */
    bool is_of_value; /* it has, and the record before `left` has a value that does not fit */
    uint64_t failed_line;
    lam_bytes failed_text;
    bool is_utf8; /* all of the batch is */
    uint8_t bad[LAM_CSV_BATCH_RECORDS];
    uint8_t absent[LAM_CSV_BATCH_RECORDS]; /* zeros: definition levels of a column of nulls */
    uint64_t skipped;                      /* for values that do not fit */
};

/* --- Columns ------------------------------------------------------------------------------- */

static lam_status csv_match_columns(lam_csv_reader *reader, lam_error *error) {
    bool has_header = reader->options.header != LAM_SWITCH_OFF;
    for (size_t i = 0; i < reader->header.count; i++) {
        const char *name = reader->header.names[i];
        const lam_field *root = lam_schema_root(reader->schema);
        const lam_field *leaf =
            has_header ? lam_field_child_named(root, name, strlen(name)) : lam_field_child(root, i);
        if (leaf != NULL)
            reader->columns[lam_field_ordinal(leaf)].position = i;
        else if (!reader->options.ignore_unknown)
            LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu: the schema has no column %s",
                     (unsigned long long)reader->splitter.line, name);
    }
    for (size_t i = 0; i < reader->count; i++)
        if (reader->columns[i].position == SIZE_MAX && reader->columns[i].max_definition == 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu: required column %s is missing",
                     (unsigned long long)reader->splitter.line,
                     lam_field_name(reader->columns[i].leaf));
    return LAM_STATUS_OK;
}

static lam_status csv_make_columns(lam_csv_reader *reader, lam_error *error) {
    void *values;
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, reader->count, &reader->columns, error));
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, reader->count, &reader->triples, error));
    reader->batch_records = CSV_READ_VALUES / (reader->count + 1) + 1;
    if (reader->batch_records > LAM_CSV_BATCH_RECORDS)
        reader->batch_records = LAM_CSV_BATCH_RECORDS;
    for (size_t i = 0; i < reader->count; i++) {
        const lam_field *leaf = lam_schema_leaf(reader->schema, i);
        LAM_TRY(lam_csv_column_init(&reader->columns[i], leaf, error));
        LAM_TRY(lam_arena_alloc(&reader->arena, reader->batch_records * lam_csv_element_size(leaf),
                                &values, error));
        reader->columns[i].values = values;
        LAM_TRY(lam_arena_bytes(&reader->arena, reader->batch_records,
                                &reader->columns[i].definition, error));
    }
    return LAM_STATUS_OK;
}

static lam_status csv_begin(lam_csv_reader *reader, lam_error *error) {
    reader->count = lam_schema_leaf_count(reader->schema);
    for (size_t i = 1; i < lam_schema_field_count(reader->schema); i++) {
        const lam_field *field = lam_schema_field(reader->schema, i);
        if (!lam_field_is_leaf(field) || lam_field_max_repetition(field) > 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "%s is not one value, and CSV has only those",
                     lam_field_name(field));
    }
    LAM_TRY(csv_make_columns(reader, error));
    LAM_TRY(lam_csv_splitter_begin(&reader->splitter, error));
    LAM_TRY(lam_csv_header_read(&reader->splitter, reader->options.header != LAM_SWITCH_OFF,
                                &reader->arena, &reader->header, error));
    return reader->header.count == 0 ? LAM_STATUS_OK : csv_match_columns(reader, error);
}

lam_status lam_csv_reader_create(const lam_schema *schema, const lam_csv_source *source,
                                 const lam_csv_options *options, const lam_allocator *allocator,
                                 lam_csv_reader **ret_reader, lam_error *error) {
    lam_allocator heap = lam_allocator_or_default(allocator);
    lam_csv_options complete;
    if (schema == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no schema");
    LAM_TRY(lam_csv_options_check(options, &complete, error));
    complete.delimiter = complete.delimiter == 0 ? ',' : complete.delimiter;
    lam_csv_reader *reader;
    LAM_TRY(LAM_NEW(&heap, &reader, error));
    reader->allocator = heap;
    reader->options = complete;
    reader->schema = lam_schema_share(schema);
    lam_arena_init(&reader->arena, &heap, 0);
    lam_csv_splitter_init(&reader->splitter, source, &reader->options, &heap);
    lam_status status = csv_begin(reader, error);
    if (status == LAM_STATUS_OK)
        *ret_reader = reader;
    else
        lam_csv_reader_destroy(reader);
    return status;
}

void lam_csv_reader_destroy(lam_csv_reader *reader) {
    if (reader == NULL)
        return;
    lam_allocator heap = reader->allocator;
    lam_csv_splitter_finish(&reader->splitter);
    lam_arena_finish(&reader->arena);
    lam_schema_destroy(reader->schema);
    lam_free(&heap, reader, sizeof *reader);
}

uint64_t lam_csv_reader_skipped(const lam_csv_reader *reader) {
    return reader->splitter.skipped + reader->skipped;
}

/* --- Batches ------------------------------------------------------------------------------- */

static lam_csv_batch csv_make_batch(lam_csv_reader *reader, size_t first, size_t count) {
    const char *null_text = reader->options.null_text;
    lam_csv_batch batch = {.splitter = &reader->splitter, .first = first, .count = count};
    batch.bad = reader->bad + first;
    batch.is_utf8 = reader->is_utf8;
    batch.mark = reader->options.decimal_mark;
    batch.epoch = reader->options.epoch;
    batch.keeps_integers = reader->options.exact_integers;
    batch.formats =
        (lam_time_formats){reader->options.time_formats, reader->options.time_format_count};
    if (null_text != NULL)
        batch.null = (lam_bytes){(const void *)null_text, strlen(null_text)};
    return batch;
}

/* Converts all columns of records; those with a value that does not fit are marked. */
static size_t csv_convert_run(lam_csv_reader *reader, size_t first, size_t count) {
    lam_csv_batch batch = csv_make_batch(reader, first, count);
    reader->given = first;
    for (size_t i = 0; i < reader->count; i++) {
        lam_csv_column *column = &reader->columns[i];
        lam_triples *triples = &reader->triples[i];
        memset(triples, 0, sizeof *triples);
        triples->count = count;
        triples->definition = reader->absent;
        if (column->position == SIZE_MAX)
            continue;
        column->convert(column, &batch);
        triples->values = column->values;
        triples->value_count = column->value_count;
        triples->definition = column->value_count == triples->count ? NULL : column->definition;
    }
    return batch.bad_count;
}

static size_t csv_convert_batch(lam_csv_reader *reader) {
    const lam_csv_splitter *splitter = &reader->splitter;
    const uint8_t *bytes = splitter->text.bytes.data;
    reader->is_utf8 = splitter->kernels->is_utf8(bytes + splitter->batch_start,
                                                 splitter->text.next - splitter->batch_start);
    memset(reader->bad, 0, splitter->record_count);
    return csv_convert_run(reader, 0, splitter->record_count);
}

/* Takes the marked records out of the batch. */
static void csv_drop_bad(lam_csv_reader *reader) {
    lam_csv_splitter *splitter = &reader->splitter;
    lam_csv_field *fields = splitter->fields.items;
    const size_t step = splitter->field_count;
    size_t kept = 0;
    for (size_t i = 0; i < splitter->record_count; i++) {
        if (reader->bad[i])
            continue;
        memmove(fields + kept * step, fields + i * step, step * sizeof *fields);
        splitter->starts[kept++] = splitter->starts[i];
    }
    reader->skipped += splitter->record_count - kept;
    splitter->record_count = kept;
}

/* Reports which of the values of a record does not fit: the first that fails alone. */
static lam_status csv_fail_value(lam_csv_reader *reader, size_t record, lam_error *error) {
    lam_csv_splitter *splitter = &reader->splitter;
    const lam_csv_field *fields = lam_csv_fields(splitter) + record * splitter->field_count;
    char type[64];
    uint8_t is_bad;
    size_t i = 0;
    unsigned long long line = lam_csv_line(splitter, record);
    lam_csv_batch batch = csv_make_batch(reader, record, 1);
    reader->failed_line = line;
    batch.bad = &is_bad;
    for (is_bad = 0;; i++) {
        if (reader->columns[i].position != SIZE_MAX)
            reader->columns[i].convert(&reader->columns[i], &batch);
        if (batch.bad_count > 0)
            break;
    }
    const lam_csv_column *column = &reader->columns[i];
    lam_csv_field field = fields[column->position];
    const lam_logical_type *logical = lam_field_logical_type(column->leaf);
    if (lam_logical_type_print(logical, type, sizeof type) == 0)
        snprintf(type, sizeof type, "%s",
                 lam_physical_type_name(lam_field_physical_type(column->leaf)));
    int shown = field.size > CSV_SHOWN_BYTES ? CSV_SHOWN_BYTES : (int)field.size;
    if (shown == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu, column %s: a required value is missing",
                 line, lam_field_name(column->leaf));
    if (logical->kind == LAM_LOGICAL_STRING || logical->kind == LAM_LOGICAL_ENUM)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_UTF8,
                 "line %llu, column %s: the text is not UTF-8; iconv converts other encodings",
                 line, lam_field_name(column->leaf));
    LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu, column %s: '%.*s' is not %s", line,
             lam_field_name(column->leaf), shown,
             (const char *)splitter->text.bytes.data + field.start, type);
}

/* Splits the next records; all that fit are converted unless some are to be reported. */
static lam_status csv_next_batch(lam_csv_reader *reader, lam_error *error) {
    lam_csv_splitter *splitter = &reader->splitter;
    size_t bad;
    do {
        LAM_TRY(lam_csv_split(splitter, reader->batch_records, false, error));
        bad = splitter->record_count > 0 ? csv_convert_batch(reader) : 0;
        if (bad == 0 || !reader->options.skip_bad_lines)
            break;
        csv_drop_bad(reader);
    } while (splitter->record_count == 0);
    reader->batch_count = splitter->record_count;
    reader->left = splitter->record_count;
    if (bad > 0 && reader->options.skip_bad_lines)
        csv_convert_batch(reader);
    else if (bad > 0)
        reader->left = 0;
    return LAM_STATUS_OK;
}

static lam_status csv_read(lam_csv_reader *reader, size_t *ret_records, lam_error *error) {
    size_t first = reader->left;
    if (first == reader->batch_count) {
        reader->left = reader->batch_count = 0;
        lam_status status = csv_next_batch(reader, error);
        reader->failed_line = reader->splitter.failed_line;
        reader->failed_text =
            (lam_bytes){reader->splitter.text.bytes.data + reader->splitter.failed_start,
                        reader->splitter.failed_size};
        if (status != LAM_STATUS_OK)
            return status;
        *ret_records = reader->left;
        if (reader->left == reader->batch_count)
            return LAM_STATUS_OK;
        first = 0;
    }
    if (reader->bad[first]) {
        reader->left++;
        lam_status status = csv_fail_value(reader, first, error);
        reader->is_of_value = true;
        reader->failed_text = lam_csv_restore_record(&reader->splitter, first);
        return status;
    }
    while (reader->left < reader->batch_count && !reader->bad[reader->left])
        reader->left++;
    *ret_records = reader->left - first;
    (void)csv_convert_run(reader, first, *ret_records);
    return LAM_STATUS_OK;
}

lam_status lam_csv_reader_read(lam_csv_reader *reader, const lam_triples **ret_columns,
                               size_t *ret_records, lam_error *error) {
    size_t records = 0;
    reader->is_of_value = false;
    lam_status status = csv_read(reader, &records, error);
    reader->has_failed = status != LAM_STATUS_OK;
    if (reader->has_failed)
        return status;
    reader->given_count = records;
    *ret_columns = reader->triples;
    *ret_records = records;
    return LAM_STATUS_OK;
}

uint64_t lam_csv_reader_line(const lam_csv_reader *reader, size_t record) {
    const lam_csv_splitter *splitter = &reader->splitter;
    if (reader->has_failed)
        return reader->failed_line;
    return reader->given + record < splitter->record_count
               ? lam_csv_line(splitter, reader->given + record)
               : splitter->line;
}

lam_bytes lam_csv_reader_text(const lam_csv_reader *reader) {
    return reader->has_failed ? reader->failed_text : (lam_bytes){NULL, 0};
}

void lam_csv_reader_lines(const lam_csv_reader *reader, uint64_t *ret_lines) {
    lam_csv_lines(&reader->splitter, reader->given, reader->given_count, ret_lines);
}

/* --- Other types --------------------------------------------------------------------------- */

static lam_status csv_check_wider(const lam_csv_reader *reader, const lam_schema *schema,
                                  lam_error *error) {
    if (schema == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no schema");
    if (!reader->is_of_value)
        LAM_FAIL(error, LAM_STATUS_STATE, "no value was refused by the last read");
    bool has_same_names = lam_schema_leaf_count(schema) == reader->count &&
                          lam_schema_field_count(schema) == reader->count + 1;
    for (size_t i = 0; has_same_names && i < reader->count; i++)
        has_same_names = lam_field_max_repetition(lam_schema_leaf(schema, i)) == 0 &&
                         strcmp(lam_field_name(lam_schema_leaf(schema, i)),
                                lam_field_name(reader->columns[i].leaf)) == 0;
    if (!has_same_names)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the wider schema has other columns");
    return LAM_STATUS_OK;
}

/* Room for values is new if they take more. */
static lam_status csv_widen_columns(lam_csv_reader *reader, const lam_schema *schema,
                                    lam_csv_column **ret_columns, lam_error *error) {
    void *values;
    lam_csv_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(&reader->arena, reader->count, &columns, error));
    for (size_t i = 0; i < reader->count; i++) {
        const lam_csv_column *present = &reader->columns[i];
        const lam_field *leaf = lam_schema_leaf(schema, i);
        const size_t size = lam_csv_element_size(leaf);
        LAM_TRY(lam_csv_column_init(&columns[i], leaf, error));
        columns[i].position = present->position;
        columns[i].values = present->values;
        columns[i].definition = present->definition;
        if (size <= lam_csv_element_size(present->leaf))
            continue;
        LAM_TRY(lam_arena_alloc(&reader->arena, reader->batch_records * size, &values, error));
        columns[i].values = values;
    }
    *ret_columns = columns;
    return LAM_STATUS_OK;
}

lam_status lam_csv_reader_widen(lam_csv_reader *reader, const lam_schema *schema,
                                lam_error *error) {
    lam_csv_column *columns;
    LAM_TRY(csv_check_wider(reader, schema, error));
    LAM_TRY(csv_widen_columns(reader, schema, &columns, error));
    lam_schema_destroy(reader->schema);
    reader->schema = lam_schema_share(schema);
    reader->columns = columns;
    reader->is_of_value = reader->has_failed = false;
    reader->left--;
    const size_t count = reader->batch_count - reader->left;
    lam_csv_take_again(&reader->splitter, reader->left);
    memset(reader->bad + reader->left, 0, count);
    (void)csv_convert_run(reader, reader->left, count);
    return LAM_STATUS_OK;
}
