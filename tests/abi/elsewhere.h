/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions whose allocations fail in tests of their own, and where. */
#ifndef LAM_TESTS_ELSEWHERE_H
#define LAM_TESTS_ELSEWHERE_H

static const struct {
    const char *function;
    const char *source;
} elsewhere[] = {
    {"lam_arrow_export_schema", "tests/arrow/test_instant_unit.c"},
    {"lam_arrow_import_schema", "tests/arrow/test_arrow_to_parquet.c"},
    {"lam_arrow_read_file", "tests/arrow/test_arrow_failures.c"},
    {"lam_arrow_read_stream", "tests/arrow/test_instant_unit.c"},
    {"lam_arrow_write_array", "tests/arrow/test_arrow_failures.c"},
    {"lam_arrow_write_file", "tests/arrow/test_arrow_failures.c"},
    {"lam_arrow_write_stream", "tests/arrow/test_arrow_failures.c"},
    {"lam_arrow_writer_create", "tests/arrow/test_arrow_failures.c"},
    {"lam_budget_create", "tests/base/test_budget.c"},
    {"lam_csv_inference_add", "tests/csv/test_csv_infer.c"},
    {"lam_csv_inference_create", "tests/csv/test_csv_infer.c"},
    {"lam_csv_inference_get_info", "tests/csv/test_csv_infer.c"},
    {"lam_csv_inference_notice", "tests/csv/test_csv_infer.c"},
    {"lam_csv_inference_schema", "tests/csv/test_csv_infer.c"},
    {"lam_csv_reader_create", "tests/csv/test_csv_reader.c"},
    {"lam_csv_reader_read", "tests/csv/test_csv_reader.c"},
    {"lam_csv_reader_widen", "tests/csv/test_csv_reader.c"},
    {"lam_delimited_writer_create", "tests/table/test_delimited_write.c"},
    {"lam_delimited_writer_flush", "tests/table/test_delimited_write.c"},
    {"lam_delimited_writer_print", "tests/table/test_delimited_write.c"},
    {"lam_json_reader_create", "tests/json/test_json_reader.c"},
    {"lam_json_reader_read", "tests/json/test_json_reader.c"},
    {"lam_json_writer_create", "tests/json/test_no_memory.c"},
    {"lam_json_writer_flush", "tests/json/test_no_memory.c"},
    {"lam_json_writer_print", "tests/json/test_no_memory.c"},
    {"lam_recover", "tests/log/test_append.c"},
    {"lam_rewrite_add_partition", "tests/rewrite/test_rewrite_run.c"},
    {"lam_salvage_loss_at", "tests/damage/test_salvage.c"},
    {"lam_salvage_rows_at", "tests/damage/test_salvage.c"},
    {"lam_table_create", "tests/table/test_table.c"},
    {"lam_table_read", "tests/table/test_table.c"},
    {"lam_variant_assembler_create", "tests/variant/test_variant_projection.c"},
    {"lam_variant_inference_add", "tests/variant/test_variant_infer.c"},
    {"lam_variant_inference_chosen", "tests/variant/test_variant_infer.c"},
    {"lam_variant_inference_create", "tests/variant/test_variant_infer.c"},
    {"lam_variant_inference_schema", "tests/variant/test_variant_infer.c"},
    {"lam_variant_shred_group", "tests/variant/test_variant_relayout.c"},
    {"lam_variant_shredder_create", "tests/variant/test_variant_shred.c"},
    {"lam_variant_shredder_write", "tests/variant/test_variant_shred.c"},
};

#endif
