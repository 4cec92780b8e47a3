/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of somebody else, in C11: writes one file in each codec that the library writes, from
 * JSON where the library has it, and counts their rows. Prints the version of the library.
 */
#include <lamella/lamella.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 2 };

static lam_status put_rows(lam_writer *writer, const lam_schema *schema, lam_error *error) {
    lam_record_sink sink = lam_writer_sink(writer);
#ifdef LAM_HAVE_JSON
    static const char text[] = "{\"time\": 1}\n{\"time\": 2}\n";
    lam_bytes left = {(const uint8_t *)text, sizeof text - 1};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader = NULL;
    size_t count = 0;
    lam_status status = lam_json_reader_create(schema, &source, NULL, NULL, &reader, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_reader_read(reader, &sink, ROWS, &count, error);
    lam_json_reader_destroy(reader);
#else
    lam_status status = LAM_STATUS_OK;
    for (int64_t i = 1; i <= ROWS && status == LAM_STATUS_OK; i++) {
        lam_value value = {.int64 = i};
        status = sink.begin(sink.state, error);
        if (status == LAM_STATUS_OK)
            status = sink.put(sink.state, lam_schema_leaf(schema, 0), value, error);
        if (status == LAM_STATUS_OK)
            status = sink.end(sink.state, error);
    }
#endif
    return status;
}

static lam_status write_file(const char *path, lam_codec codec, lam_error *error) {
    static const char text[] = "message reading { required int64 time; }";
    lam_writer_options options = lam_writer_options_default();
    options.codec = codec;
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    lam_status status = lam_schema_parse(text, sizeof text - 1, NULL, &schema, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_open_file(schema, path, &options, &writer, error);
    if (status == LAM_STATUS_OK)
        status = put_rows(writer, lam_writer_schema(writer), error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return status;
}

static lam_status count_rows(const char *path, uint64_t *ret_rows, lam_error *error) {
    lam_reader *reader = NULL;
    lam_status status = lam_reader_open_file(path, NULL, &reader, error);
    if (status == LAM_STATUS_OK)
        *ret_rows = lam_reader_row_count(reader);
    lam_reader_close(reader);
    return status;
}

int main(void) {
    lam_error error = lam_error_none();
    int files = 0;
    for (lam_codec codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++) {
        uint64_t rows = 0;
        if (!lam_codec_is_writable(codec))
            continue;
        if (write_file("consumer.parquet", codec, &error) != LAM_STATUS_OK ||
            count_rows("consumer.parquet", &rows, &error) != LAM_STATUS_OK || rows != ROWS) {
            fprintf(stderr, "%s: %s, %d rows\n", lam_codec_name(codec), error.message, (int)rows);
            return 1;
        }
        files++;
    }
    if (files < 4 || strcmp(lam_version(), LAM_VERSION_STRING) != 0)
        return 1;
    printf("%s\n", lam_version());
    return 0;
}
