/* SPDX-License-Identifier: Apache-2.0 */
/* The least that writes records: one field, and one record. */
#include <lamella/writer.h>
#include <stdio.h>

int main(int count, char **arguments) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_writer *writer;
    lam_error error = lam_error_none();
    if (count < 2 || lam_schema_builder_create("m", NULL, &builder, &error) != LAM_STATUS_OK ||
        lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED, LAM_PHYSICAL_INT64, NULL,
                                    &error) != LAM_STATUS_OK ||
        lam_schema_builder_finish(builder, &schema, &error) != LAM_STATUS_OK ||
        lam_writer_open_file(schema, arguments[1], NULL, &writer, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    const lam_record_sink sink = lam_writer_sink(writer);
    (void)lam_begin(&sink, NULL);
    (void)lam_put_int64(&sink, lam_schema_leaf(schema, 0), 1, NULL);
    lam_status status = lam_end(&sink, &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error);
    lam_writer_close(writer);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
    return status == LAM_STATUS_OK ? 0 : (puts(error.message), 1);
}
