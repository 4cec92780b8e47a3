/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Infers a schema from delimited text. Sources come one after the other; the schema is that of all
 * their records, with columns united by name, in the order in which they first occur.
 *
 * Each field of each record goes to the kinds of its column (csv_kind.h); the first of another kind
 * than those before is kept for a notice. Memory is always a window of text and the columns.
 * Records without as many fields as the first are left to the reader, which reports or skips them
 * in the same way.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/options.h"
#include "base/utf8.h"
#include "csv/csv_column.h"
#include "csv/csv_first.h"
#include "csv/csv_header.h"
#include "csv/csv_kind.h"

enum { CSV_INFERRED_VALUES = 1 << 18, CSV_NOTICE_BYTES = 64 };

/* A column: the kind of its values, and the first value of another kind. */
typedef struct csv_inferred {
    lam_csv_kinds kinds;
    lam_bytes other; /* in the arena, no longer than CSV_NOTICE_BYTES */
    uint64_t line;
    size_t source;
} csv_inferred;

struct lam_csv_inference {
    lam_allocator allocator;
    lam_csv_options options;
    lam_arena arena;
    LAM_LIST(char *) names;         /* in the arena */
    LAM_LIST(csv_inferred) columns; /* as many */
    lam_hash_index columns_by_name;
    size_t count;
    uint64_t records;
    size_t source; /* number of the one being read, from 0 */
    size_t sources;
    lam_csv_first_line first_line;
};

lam_status lam_csv_inference_create(const lam_csv_options *options, const lam_allocator *allocator,
                                    lam_csv_inference **ret_inference, lam_error *error) {
    lam_allocator heap = lam_allocator_or_default(allocator);
    lam_csv_options complete;
    LAM_TRY(lam_csv_options_check(options, &complete, error));
    lam_csv_inference *inference;
    LAM_TRY(LAM_NEW(&heap, &inference, error));
    inference->allocator = heap;
    inference->options = complete;
    lam_arena_init(&inference->arena, &heap, 0);
    LAM_LIST_INIT(&inference->names, &heap);
    LAM_LIST_INIT(&inference->columns, &heap);
    lam_hash_index_init(&inference->columns_by_name, &heap);
    *ret_inference = inference;
    return LAM_STATUS_OK;
}

void lam_csv_inference_destroy(lam_csv_inference *inference) {
    if (inference == NULL)
        return;
    lam_allocator heap = inference->allocator;
    lam_arena_finish(&inference->arena);
    LAM_LIST_FINISH(&inference->names);
    LAM_LIST_FINISH(&inference->columns);
    lam_hash_index_finish(&inference->columns_by_name);
    lam_free(&heap, inference, sizeof *inference);
}

/* Finds a column by name, most likely at `guess`, or adds it. */
static lam_status csv_find_column(lam_csv_inference *inference, char *name, size_t guess,
                                  size_t *ret_index, lam_error *error) {
    char **names = inference->names.items;
    if (guess < inference->count && strcmp(names[guess], name) == 0) {
        *ret_index = guess;
        return LAM_STATUS_OK;
    }
    lam_hash_index *index = &inference->columns_by_name;
    uint32_t hash = lam_hash_index_hash(index, name, strlen(name)), found;
    LAM_HASH_INDEX_FIND(index, hash, found, strcmp(names[found], name) == 0);
    if (found != LAM_HASH_INDEX_NONE) {
        *ret_index = found;
        return LAM_STATUS_OK;
    }
    csv_inferred column = {.line = 0};
    lam_csv_kinds_init(&column.kinds, &inference->options);
    LAM_TRY(lam_hash_index_reserve(index, error));
    LAM_TRY(LAM_LIST_ADD(&inference->names, &name, error));
    LAM_TRY(LAM_LIST_ADD(&inference->columns, &column, error));
    lam_hash_index_put(index, hash, (uint32_t)inference->count);
    *ret_index = inference->count++;
    return LAM_STATUS_OK;
}

/* Keeps the first value of another kind than those before. */
static lam_status csv_keep_other(lam_csv_inference *inference, const lam_csv_splitter *splitter,
                                 size_t record, lam_bytes value, csv_inferred *column,
                                 lam_error *error) {
    char *copy;
    size_t size = value.size < CSV_NOTICE_BYTES ? value.size : CSV_NOTICE_BYTES;
    size = lam_utf8_prefix(value.data, size);
    LAM_TRY(lam_arena_copy(&inference->arena, (const char *)value.data, size, &copy, error));
    column->other = (lam_bytes){(const uint8_t *)copy, size};
    column->line = lam_csv_line(splitter, record);
    column->source = inference->source;
    return LAM_STATUS_OK;
}

/* Takes one field of all records of a batch. */
static lam_status csv_infer_column(lam_csv_inference *inference, const lam_csv_splitter *splitter,
                                   size_t position, csv_inferred *column, lam_error *error) {
    const uint8_t *bytes = splitter->text.bytes.data;
    const lam_csv_field *field = lam_csv_fields(splitter) + position;
    const char *null_text = inference->options.null_text, mark = inference->options.decimal_mark;
    const lam_bytes null = {(const void *)null_text, null_text == NULL ? 0 : strlen(null_text)};
    for (size_t i = 0; i < splitter->record_count; i++, field += splitter->field_count) {
        const lam_bytes value = {bytes + field->start, field->size};
        if (lam_csv_is_null(*field, bytes, null, false))
            column->kinds.has_empty_texts =
                column->kinds.has_empty_texts || !lam_csv_is_null(*field, bytes, null, true);
        else if (lam_csv_kinds_add(&column->kinds, value.data, value.size, mark))
            LAM_TRY(csv_keep_other(inference, splitter, i, value, column, error));
    }
    return LAM_STATUS_OK;
}

/* Finds whether there is a header, unless that is known. */
static lam_status csv_decide_first(lam_csv_inference *inference, const lam_csv_splitter *splitter,
                                   lam_error *error) {
    if (inference->options.header != LAM_SWITCH_DEFAULT ||
        splitter->text.next == splitter->text.bytes.size)
        return LAM_STATUS_OK;
    LAM_TRY(lam_csv_first_decide(splitter, &inference->options, &inference->first_line, error));
    bool is_data = inference->first_line == LAM_CSV_FIRST_DATA;
    inference->options.header = is_data ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return LAM_STATUS_OK;
}

static lam_status csv_infer_records(lam_csv_inference *inference, lam_csv_splitter *splitter,
                                    bool is_sample, lam_error *error) {
    lam_csv_header header;
    size_t *columns;
    splitter->text.is_sample = is_sample;
    LAM_TRY(lam_csv_splitter_begin(splitter, error));
    inference->options.delimiter = (char)splitter->delimiter;
    LAM_TRY(csv_decide_first(inference, splitter, error));
    LAM_TRY(lam_csv_header_read(splitter, inference->options.header != LAM_SWITCH_OFF,
                                &inference->arena, &header, error));
    LAM_TRY(LAM_ARENA_ARRAY(&inference->arena, header.count, &columns, error));
    for (size_t i = 0; i < header.count; i++)
        LAM_TRY(csv_find_column(inference, header.names[i], i, &columns[i], error));
    for (;;) {
        LAM_TRY(lam_csv_split(splitter, CSV_INFERRED_VALUES / (header.count + 1) + 1, is_sample,
                              error));
        if (splitter->record_count == 0)
            return LAM_STATUS_OK;
        csv_inferred *inferred = inference->columns.items;
        inference->records += splitter->record_count;
        for (size_t i = 0; i < header.count; i++)
            LAM_TRY(csv_infer_column(inference, splitter, i, &inferred[columns[i]], error));
    }
}

lam_status lam_csv_inference_add(lam_csv_inference *inference, const lam_csv_source *source,
                                 bool is_sample, lam_error *error) {
    lam_csv_splitter splitter;
    inference->source = inference->sources++;
    lam_csv_splitter_init(&splitter, source, &inference->options, &inference->allocator);
    lam_status status = csv_infer_records(inference, &splitter, is_sample, error);
    lam_csv_splitter_finish(&splitter);
    return status;
}

lam_status lam_csv_inference_schema(lam_csv_inference *inference, const char *message_name,
                                    lam_schema **ret_schema, lam_error *error) {
    lam_schema_builder *builder;
    char **names = inference->names.items;
    const csv_inferred *columns = inference->columns.items;
    LAM_TRY(lam_schema_builder_create(message_name, &inference->allocator, &builder, error));
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < inference->count && status == LAM_STATUS_OK; i++)
        status = lam_csv_kinds_add_leaf(&columns[i].kinds, builder, names[i], error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, ret_schema, error);
    lam_schema_builder_destroy(builder);
    return status;
}

static size_t csv_notice_count(const lam_csv_inference *inference) {
    const csv_inferred *columns = inference->columns.items;
    size_t count = 0;
    for (size_t i = 0; i < inference->count; i++)
        count += lam_csv_kinds_clash(&columns[i].kinds) != NULL;
    return count;
}

lam_status lam_csv_inference_get_info(const lam_csv_inference *inference,
                                      lam_csv_inference_info *ret_info, lam_error *error) {
    lam_csv_inference_info info = lam_csv_inference_info_default();
    info.first_line = inference->first_line;
    info.delimiter = inference->options.delimiter;
    info.records = inference->records;
    info.notice_count = csv_notice_count(inference);
    return LAM_INFO_WRITE(lam_csv_inference_info, &info, ret_info, error);
}

lam_status lam_csv_inference_notice(const lam_csv_inference *inference, size_t index,
                                    lam_csv_notice *ret_notice, lam_error *error) {
    const csv_inferred *columns = inference->columns.items;
    const size_t count = csv_notice_count(inference);
    lam_csv_notice notice = lam_csv_notice_default();
    if (index >= count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no notice %zu: there are %zu", index, count);
    for (size_t i = 0, seen = 0; seen <= index; i++) {
        const csv_inferred *column = &columns[i];
        notice.kind = lam_csv_kinds_clash(&column->kinds);
        seen += notice.kind != NULL;
        notice.column = inference->names.items[i];
        notice.fitting = column->kinds.fitting;
        notice.others = column->kinds.others;
        notice.other = column->other;
        notice.line = column->line;
        notice.source = column->source;
    }
    return LAM_INFO_WRITE(lam_csv_notice, &notice, ret_notice, error);
}
