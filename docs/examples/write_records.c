/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes nested records, one verb at a time: sensors with their readings.
 *
 *     write_records FILE
 */
#include <lamella/lamella.h>
#include <stdio.h>

static const char text[] = "message sensor {"
                           "  required binary name (STRING);"
                           "  optional group place { required double lat; required double lon; }"
                           "  repeated int32 reading;"
                           "}";

/* What is absent is not mentioned, and what is repeated is put once for each element. */
static lam_status write_sensors(const lam_schema *schema, lam_writer *writer, lam_error *error) {
    const lam_field *name = lam_schema_find(schema, "name");
    const lam_field *place = lam_schema_find(schema, "place");
    const lam_field *lat = lam_schema_find(schema, "place.lat");
    const lam_field *lon = lam_schema_find(schema, "place.lon");
    const lam_field *reading = lam_schema_find(schema, "reading");
    lam_record_sink sink = lam_writer_sink(writer);
    lam_status status = LAM_STATUS_OK;
    for (int32_t i = 0; i < 1000 && status == LAM_STATUS_OK; i++) {
        lam_begin(&sink, error); /* a failure is kept, and lam_end returns it */
        lam_put_string(&sink, name, i % 2 == 0 ? "north" : "south", error);
        if (i % 3 == 0) {
            lam_open(&sink, place, error);
            lam_put_double(&sink, lat, 48.1 + i, error);
            lam_put_double(&sink, lon, 11.5, error);
            lam_close(&sink, place, error);
        }
        for (int32_t k = 0; k < i % 4; k++)
            lam_put_int32(&sink, reading, 100 * i + k, error);
        status = lam_end(&sink, error);
    }
    return status;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    lam_status status = lam_schema_parse_text(text, NULL, &schema, &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_open_file(schema, argc > 1 ? argv[1] : NULL, NULL, &writer, &error);
    if (status == LAM_STATUS_OK)
        status = write_sensors(schema, writer, &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error); /* only now the file is there */
    if (status == LAM_STATUS_OK)
        printf("%d records\n", (int)lam_writer_record_count(writer));
    else
        fprintf(stderr, "%s: %s\n", lam_status_name(status), error.message);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return status == LAM_STATUS_OK ? 0 : 1;
}
