/* SPDX-License-Identifier: Apache-2.0 */
/* The least that logs records into a folder. */
#include <lamella/log.h>
#include <stdio.h>

int main(int count, char **arguments) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_log *log;
    lam_log_producer *producer;
    lam_error error = lam_error_none();
    if (count < 2 || lam_schema_builder_create("m", NULL, &builder, &error) != LAM_STATUS_OK ||
        lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED, LAM_PHYSICAL_INT64, NULL,
                                    &error) != LAM_STATUS_OK ||
        lam_schema_builder_finish(builder, &schema, &error) != LAM_STATUS_OK ||
        lam_log_open(schema, arguments[1], NULL, &log, &error) != LAM_STATUS_OK ||
        lam_log_producer_create(log, &producer, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    const lam_record_sink sink = lam_log_producer_sink(producer);
    (void)lam_begin(&sink, NULL);
    (void)lam_put_int64(&sink, lam_schema_leaf(schema, 0), 1, NULL);
    lam_status status = lam_end(&sink, &error);
    lam_log_producer_destroy(producer);
    if (status == LAM_STATUS_OK)
        status = lam_log_finish(log, &error);
    lam_log_close(log);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
    return status == LAM_STATUS_OK ? 0 : (puts(error.message), 1);
}
