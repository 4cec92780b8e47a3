/* SPDX-License-Identifier: Apache-2.0 */
/* Public calls about records as JSON, and about logs. */
#include <criterion/criterion.h>
#include <string.h>

#include "abi/call_trial.h"

static const char json_text[] = "{\"a\":1,\"b\":{\"c\":\"x\"},\"d\":1}\n{\"a\":2.5,\"d\":\"y\"}\n";

void call_json(call_trial *trial) {
    lam_json_inference *inference = NULL;
    lam_schema *schema = NULL;
    lam_output output = {0};
    lam_variant_builder *builder = NULL;
    lam_json_parser *parser = NULL;
    lam_variant variant;
    lam_json_notice notice = lam_json_notice_default();
    lam_json_inference_info info = lam_json_inference_info_default();
    lam_bytes left = {(const uint8_t *)json_text, sizeof json_text - 1};
    lam_json_source source = lam_json_source_memory(&left);
    const lam_value value = {.int64 = 5};
    CALL(lam_json_inference_create, NULL, &trial->allocator, &inference);
    CALL(lam_json_inference_add, inference, &source);
    CALL(lam_json_inference_schema, inference, "m", &schema);
    CALL(lam_json_inference_get_info, inference, &info);
    cr_assert_gt(info.notice_count, 0);
    CALL(lam_json_inference_notice, inference, 0, &notice);
    CALL(lam_output_memory, &trial->allocator, &output);
    CALL(lam_json_print_text, "a\"b", 3, &output);
    CALL(lam_json_print_value, lam_schema_leaf(trial->schema, 0), value, LAM_JSON_BINARY_BASE64,
         &output);
    CALL(lam_json_parser_create, NULL, &trial->allocator, &parser);
    CALL(lam_variant_builder_create, NULL, &trial->allocator, &builder);
    CALL(lam_json_parser_read, parser, "{\"x\":[1,2]}", 11, builder);
    CALL(lam_variant_builder_finish, builder, &variant);
    CALL(lam_json_print_variant, variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64, &output);
out:
    lam_json_parser_destroy(parser);
    lam_variant_builder_destroy(builder);
    lam_output_close(&output);
    lam_schema_destroy(schema);
    lam_json_inference_destroy(inference);
}

/* --- Logs ------------------------------------------------------------------------------------ */

static const char log_schema[] = "message m { required int64 id; }";
static const char wide_schema[] = "message m { required int64 id; optional double x; }";

static lam_log_options log_options(call_trial *trial, const lam_storage *storage) {
    lam_log_options options = lam_log_options_default();
    options.allocator = &trial->allocator;
    options.storage = storage;
    options.journal = true;
    return options;
}

static void put_id(call_trial *trial, const lam_record_sink *sink, const lam_schema *schema) {
    CALL(lam_begin, sink);
    CALL(lam_put_int64, sink, lam_schema_leaf(schema, 0), 5);
    CALL(lam_end, sink);
out:
    return;
}

void call_log(call_trial *trial) {
    lam_schema *schema = NULL, *wide = NULL;
    lam_log *log = NULL;
    lam_log_producer *producer = NULL;
    lam_log_info info = lam_log_info_default();
    const lam_storage storage = lam_model_disk_storage(trial->disk);
    const lam_log_options options = log_options(trial, &storage);
    uint64_t wait_ns;
    CALL(lam_schema_parse_text, log_schema, &trial->allocator, &schema);
    CALL(lam_schema_parse_text, wide_schema, &trial->allocator, &wide);
    CALL(lam_log_open, schema, "logs", &options, &log);
    CALL(lam_log_producer_create, log, &producer);
    const lam_record_sink sink = lam_log_producer_sink(producer);
    put_id(trial, &sink, lam_log_schema(log));
    if (trial->status != LAM_STATUS_OK)
        goto out;
    CALL(lam_log_poll, log, &wait_ns);
    CALL(lam_log_checkpoint, log);
    CALL(lam_log_rotate, log);
    lam_log_producer_destroy(producer);
    producer = NULL;
    CALL(lam_log_widen, log, wide);
    CALL(lam_log_get_info, log, &info);
    CALL(lam_log_finish, log);
out:
    lam_log_producer_destroy(producer);
    lam_log_close(log);
    lam_schema_destroy(wide);
    lam_schema_destroy(schema);
}

static void keep_column(struct ArrowArray *array) {
    array->release = NULL;
}

static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

void call_log_columns(call_trial *trial) {
    static const int64_t ids[] = {1, 2, 3};
    const void *column_buffers[] = {NULL, ids}, *row_buffers[] = {NULL};
    struct ArrowSchema field = {.format = "l", .name = "id", .release = keep_schema};
    struct ArrowSchema *fields[] = {&field};
    struct ArrowSchema arrow = {
        .format = "+s", .name = "", .n_children = 1, .children = fields, .release = keep_schema};
    struct ArrowArray column = {
        .length = 3, .n_buffers = 2, .buffers = column_buffers, .release = keep_column};
    struct ArrowArray *columns[] = {&column};
    struct ArrowArray rows = {.length = 3,
                              .n_buffers = 1,
                              .n_children = 1,
                              .buffers = row_buffers,
                              .children = columns,
                              .release = keep_column};
    lam_schema *schema = NULL;
    lam_log *log = NULL;
    lam_log_arrays *arrays = NULL;
    const lam_storage storage = lam_model_disk_storage(trial->disk);
    const lam_log_options options = log_options(trial, &storage);
    const lam_triples triples = {3, 3, NULL, NULL, ids};
    CALL(lam_log_open_arrow, &arrow, "arrays", &options, &log);
    CALL(lam_log_finish, log);
    lam_log_close(log);
    log = NULL;
    CALL(lam_log_open_arrow_file, &arrow, "arrays.parquet", &options, &log);
    CALL(lam_log_finish, log);
    lam_log_close(log);
    log = NULL;
    CALL(lam_arrow_import_schema, &arrow, &trial->allocator, &schema);
    CALL(lam_log_open_file, schema, "one.parquet", &options, &log);
    CALL(lam_log_write_triples, log, &triples, 3);
    CALL(lam_log_arrays_create, log, &arrow, &arrays);
    CALL(lam_log_arrays_write, arrays, &rows);
    CALL(lam_log_finish, log);
out:
    lam_log_arrays_destroy(arrays);
    lam_log_close(log);
    lam_schema_destroy(schema);
}
