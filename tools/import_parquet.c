/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imports Parquet files: their records are read and written again, with the schema as it is. An
 * input that begins with PAR1 gets a reader, and its records go to a writer.
 *
 * A reader reads at any position: a regular file is read as it is, all else is copied to a
 * temporary file first. A reader always holds its source, so the text may be ended meanwhile.
 */
#define _POSIX_C_SOURCE 200809L
#include "import_parquet.h"

#include <errno.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"
#include "tool_progress.h"

enum { COPIED_AT_ONCE = 65536, RECORDS_AT_ONCE = 4096 };

static lam_status fail_system(lam_error *error, const char *what) {
    *error = lam_error_none();
    error->status = errno == ENOMEM ? LAM_STATUS_NOMEM : LAM_STATUS_IO;
    snprintf(error->message, sizeof error->message, "%s: %s", what, strerror(errno));
    return error->status;
}

/* --- Copies -------------------------------------------------------------------------------- */

static void close_copy(void *state) {
    fclose(state);
}

/* A file that the text has open itself. */
static void leave_open(void *state) {
    (void)state;
}

static lam_status copy_all(tool_text *input, FILE *copy, uint64_t *ret_size, lam_error *error) {
    lam_json_source source = tool_text_source(input);
    char block[COPIED_AT_ONCE];
    size_t size = 1;
    *ret_size = 0;
    while (size > 0) {
        lam_status status = source.read(source.state, block, sizeof block, &size, error);
        if (status != LAM_STATUS_OK)
            return status;
        if (fwrite(block, 1, size, copy) != size)
            return fail_system(error, "cannot copy to a temporary file");
        *ret_size += size;
    }
    return fflush(copy) == 0 ? LAM_STATUS_OK
                             : fail_system(error, "cannot copy to a temporary file");
}

static lam_status open_copy(tool_text *input, lam_input *ret_input, lam_error *error) {
    uint64_t size;
    FILE *copy = tmpfile();
    if (copy == NULL)
        return fail_system(error, "cannot copy to a temporary file");
    lam_status status = tool_text_begin(input, error);
    if (status == LAM_STATUS_OK)
        status = copy_all(input, copy, &size, error);
    tool_text_end(input);
    if (status != LAM_STATUS_OK) {
        fclose(copy);
        return status;
    }
    lam_input made = {copy, size, tool_stream_read_at, NULL, close_copy};
    *ret_input = made;
    return LAM_STATUS_OK;
}

/* --- Readers ------------------------------------------------------------------------------- */

lam_status import_parquet_bytes(tool_text *input, lam_input *ret_input, lam_error *error) {
    struct stat about;
    if (input->is_packed || (input->path == NULL && input->start != 0))
        return open_copy(input, ret_input, error);
    if (input->path != NULL)
        return lam_input_open_file(input->path, NULL, ret_input, error);
    if (fstat(fileno(input->file), &about) != 0)
        return fail_system(error, "cannot read");
    lam_input made = {input->file, (uint64_t)about.st_size, tool_stream_read_at, NULL, leave_open};
    *ret_input = made;
    return LAM_STATUS_OK;
}

lam_status import_parquet_open(tool_text *input, lam_reader **ret_reader, lam_error *error) {
    lam_input bytes;
    lam_reader_options options = tool_reader_options();
    lam_status status = import_parquet_bytes(input, &bytes, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_reader_open(&bytes, &options, ret_reader, error);
    if (status != LAM_STATUS_OK)
        lam_input_close(&bytes);
    return status;
}

static int add_schema(tool_text *input, lam_union *all, lam_reader **ret_reader) {
    lam_error error = lam_error_none();
    lam_status status = import_parquet_open(input, ret_reader, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail(input->name, &error);
    status = lam_union_add(all, lam_reader_schema(*ret_reader), input->name, &error);
    if (status == LAM_STATUS_OK)
        return TOOL_OK;
    lam_reader_close(*ret_reader);
    return tool_fail(input->name, &error);
}

int import_parquet_unite(tool_text *inputs, int count, lam_clash on_clash, lam_reader **ret_first,
                         lam_union **ret_all) {
    lam_error error = lam_error_none();
    const lam_union_options options = {sizeof options, on_clash};
    lam_union *all;
    lam_reader *reader, *first = NULL;
    /* An input that can be read only once is copied once. */
    int result = tool_texts_keep(inputs, count);
    if (result != TOOL_OK)
        return result;
    if (lam_union_create(&options, tool_allocator(), &all, &error) != LAM_STATUS_OK)
        return tool_fail(inputs[0].name, &error);
    for (int i = 0; i < count && result == TOOL_OK; i++) {
        result = add_schema(&inputs[i], all, &reader);
        if (i == 0 && result == TOOL_OK)
            first = reader;
        else if (result == TOOL_OK)
            lam_reader_close(reader);
    }
    if (result == TOOL_OK) {
        *ret_first = first;
        *ret_all = all;
        return TOOL_OK;
    }
    lam_reader_close(first);
    lam_union_destroy(all);
    return result;
}

/* --- Records ------------------------------------------------------------------------------- */

lam_status import_parquet_metadata(const lam_reader *reader, const import_choices *choices,
                                   lam_writer *writer, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    const char *key, *value;
    for (size_t i = 0; status == LAM_STATUS_OK && lam_reader_key_value(reader, i, &key, &value);
         i++)
        if (!import_choices_have_key(choices, key))
            status = lam_writer_add_key_value(writer, NULL, key, value, error);
    return status;
}

/*
 * A sink is of one schema, and each reader has its own: events go on with the field at the same
 * place of the writer's schema, which is equal.
 */
typedef struct same_fields {
    lam_record_sink sink;
    const lam_schema *schema;
} same_fields;

static const lam_field *same_field(const same_fields *same, const lam_field *field) {
    return lam_schema_field(same->schema, lam_field_index(field));
}

static lam_status same_begin(void *state, lam_error *error) {
    const same_fields *same = state;
    return lam_begin(&same->sink, error);
}

static lam_status same_open(void *state, const lam_field *group, lam_error *error) {
    const same_fields *same = state;
    return lam_open(&same->sink, same_field(same, group), error);
}

static lam_status same_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    const same_fields *same = state;
    return same->sink.put(same->sink.state, same_field(same, leaf), value, error);
}

static lam_status same_close(void *state, const lam_field *group, lam_error *error) {
    const same_fields *same = state;
    return lam_close(&same->sink, same_field(same, group), error);
}

static lam_status same_end(void *state, lam_error *error) {
    const same_fields *same = state;
    return lam_end(&same->sink, error);
}

lam_status import_parquet_records(const lam_reader *reader, lam_writer *writer, lam_error *error) {
    lam_record_reader *records;
    same_fields same = {lam_writer_sink(writer), lam_writer_schema(writer)};
    lam_record_sink sink = {&same, same_begin, same_open, same_put, same_close, same_end, NULL};
    uint64_t count = RECORDS_AT_ONCE;
    lam_status status = lam_record_reader_open(reader, NULL, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && count == RECORDS_AT_ONCE) {
        status = lam_record_reader_read(records, &sink, RECORDS_AT_ONCE, &count, error);
        tool_progress_count(lam_writer_record_count(writer));
    }
    lam_record_reader_close(records);
    return status;
}

lam_status import_parquet_input(tool_text *input, lam_writer *writer, bool *ret_is_input,
                                lam_error *error) {
    lam_reader *reader, *shown = NULL;
    lam_status status = import_parquet_open(input, &reader, error);
    *ret_is_input = status != LAM_STATUS_OK;
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_reader_show(reader, lam_writer_schema(writer), NULL, &shown, error);
    if (status == LAM_STATUS_OK)
        status = import_parquet_records(shown != NULL ? shown : reader, writer, error);
    lam_reader_close(shown);
    /* A disk that is full is the output's. */
    *ret_is_input = status != LAM_STATUS_OK && status != LAM_STATUS_IO;
    lam_reader_close(reader);
    return status;
}
