/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes records as a Parquet file in memory, by the same writer as any other file: those that a
 * function gives to a sink, or those of JSON, perhaps with a schema. If a record fails, none of
 * them is ever kept.
 */
#define _POSIX_C_SOURCE 200809L
#include "explain_records.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { RECORDS_AT_ONCE = 1024 };

/* What reading needs to know about an inferred schema. */
typedef struct record_schema {
    const lam_schema *schema;
    lam_schema *inferred; /* or NULL */
    lam_json_reader_options json;
} record_schema;

static lam_status infer(lam_bytes json, record_schema *ret, lam_error *error) {
    lam_json_inference *inference;
    lam_json_inference_info info = lam_json_inference_info_default();
    lam_json_source source = lam_json_source_memory(&json);
    lam_status status = lam_json_inference_create(NULL, tool_allocator(), &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_json_inference_add(inference, &source, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_schema(inference, "record", &ret->inferred, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_get_info(inference, &info, error);
    if (status == LAM_STATUS_OK) {
        ret->schema = ret->inferred;
        ret->json.whole_records = info.whole_records;
        ret->json.values_as_text = info.values_as_text;
    }
    lam_json_inference_destroy(inference);
    return status;
}

static bool encoding_of(const char *name, lam_encoding *ret_encoding) {
    for (int i = 0; name != NULL && i < 16; i++)
        if (strcmp(lam_encoding_name((lam_encoding)i), name) == 0) {
            *ret_encoding = (lam_encoding)i;
            return true;
        }
    return false;
}

/* Sets the encoding if a leaf can have it: the others keep the writer's choice. */
static void set_encodings(lam_writer *writer, const lam_schema *schema, const char *name) {
    lam_encoding encoding;
    if (!encoding_of(name, &encoding))
        return;
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        char *path = tool_path_of(lam_schema_leaf(schema, i));
        if (lam_writer_set_encoding(writer, path, encoding, NULL) != LAM_STATUS_OK) {
        }
        free(path);
    }
}

/* A leaf that cannot have one, as BOOLEAN, goes without. */
static void set_bloom_filters(lam_writer *writer, const lam_schema *schema) {
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        char *path = tool_path_of(lam_schema_leaf(schema, i));
        if (lam_writer_set_bloom_filter(writer, path, 0, 0, NULL) != LAM_STATUS_OK) {
        }
        free(path);
    }
}

/* Records of JSON, and where they fail. */
typedef struct json_driver {
    lam_bytes json;
    const record_schema *schema;
    uint64_t line;
} json_driver;

static lam_status drive_json(void *state, const lam_record_sink *sink, lam_error *error) {
    json_driver *driver = state;
    lam_json_reader *reader;
    lam_bytes left = driver->json;
    lam_json_source source = lam_json_source_memory(&left);
    lam_status status = lam_json_reader_create(
        driver->schema->schema, &source, &driver->schema->json, tool_allocator(), &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    size_t count = RECORDS_AT_ONCE;
    while (status == LAM_STATUS_OK && count > 0)
        status = lam_json_reader_read(reader, sink, RECORDS_AT_ONCE, &count, error);
    if (status != LAM_STATUS_OK)
        driver->line = lam_json_reader_line(reader);
    lam_json_reader_destroy(reader);
    return status;
}

static lam_status write_file(const lam_schema *schema, const explain_driver *driver,
                             const explain_writing *writing, const lam_output *file,
                             lam_error *error) {
    lam_writer *writer;
    lam_output borrowed = *file;
    lam_writer_options options = tool_writer_options();
    options.codec = writing->codec;
    options.data_page_version = writing->page_version;
    options.page_rows = writing->page_rows;
    options.row_group_rows = writing->row_group_rows;
    options.dictionary = writing->without_dictionary ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    options.compat = LAM_COMPAT_NEWEST;
    borrowed.close = NULL;
    lam_status status = lam_writer_open(schema, &borrowed, &options, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    set_encodings(writer, schema, writing->encoding);
    if (writing->has_bloom_filters)
        set_bloom_filters(writer, schema);
    lam_record_sink sink = lam_writer_sink(writer);
    status = driver->drive(driver->state, &sink, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

lam_status explain_write_driven(const lam_schema *schema, const explain_driver *driver,
                                const explain_writing *writing, lam_output *ret_file,
                                lam_error *error) {
    lam_output file = {0};
    lam_status status = lam_output_memory(tool_allocator(), &file, error);
    if (status == LAM_STATUS_OK)
        status = write_file(schema, driver, writing, &file, error);
    if (status == LAM_STATUS_OK)
        *ret_file = file;
    else
        lam_output_close(&file);
    return status;
}

lam_status explain_write_records(lam_bytes json, const lam_schema *schema,
                                 const explain_writing *writing, lam_output *ret_file,
                                 uint64_t *ret_line, lam_error *error) {
    record_schema chosen = {schema, NULL, lam_json_reader_options_default()};
    json_driver records = {json, &chosen, 0};
    explain_driver driver = {&records, drive_json};
    chosen.json.memory_limit = writing->memory_limit;
    lam_status status = schema == NULL ? infer(json, &chosen, error) : LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        status = explain_write_driven(chosen.schema, &driver, writing, ret_file, error);
    lam_schema_destroy(chosen.inferred);
    *ret_line = records.line;
    return status;
}
