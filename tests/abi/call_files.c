/* SPDX-License-Identifier: Apache-2.0 */
/* Public calls about files: writing, reading, copying, rewriting, and the outputs beneath. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "abi/call_trial.h"

enum { LEAVES = 6 };

/* --- Writing --------------------------------------------------------------------------------- */

static lam_writer_options writer_options(call_trial *trial) {
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &trial->allocator;
    options.codec = LAM_CODEC_SNAPPY;
    options.page_rows = 6;
    options.row_group_rows = 15;
    return options;
}

void call_writing(call_trial *trial) {
    lam_output output = {0};
    lam_writer *writer = NULL;
    lam_writer_options options = writer_options(trial);
    CALL(lam_output_memory, &trial->allocator, &output);
    CALL(lam_writer_open, trial->schema, &output, &options, &writer);
    CALL(lam_writer_set_encoding, writer, "name", LAM_ENCODING_DELTA_BYTE_ARRAY);
    CALL(lam_writer_set_bloom_filter, writer, "id", 0, 0);
    CALL(lam_writer_add_key_value, writer, NULL, "where", "west");
    CALL(lam_writer_add_key_value, writer, "id", "unit", "none");
    CALL(lam_writer_add_sorting_column, writer, "id", false, false);
    lam_record_sink sink = lam_writer_sink(writer);
    call_put_rows(trial, &sink);
    if (trial->status != LAM_STATUS_OK)
        goto out;
    CALL(lam_writer_end_row_group, writer);
    call_put_rows(trial, &sink);
    if (trial->status != LAM_STATUS_OK)
        goto out;
    CALL(lam_writer_checkpoint, writer);
    CALL(lam_writer_finish, writer);
out:
    lam_writer_close(writer);
    lam_output_close(&output);
}

static void open_sample(call_trial *trial, lam_reader **ret_reader) {
    lam_input input = lam_input_memory(trial->file.data, trial->file.size);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &trial->allocator;
    CALL(lam_reader_open, &input, &options, ret_reader);
out:
    return;
}

/* Triples from a column reader into a file, row groups into another, and a file that goes on. */
void call_copying(call_trial *trial) {
    lam_writer *writer = NULL;
    lam_reader *reader = NULL;
    lam_column_reader *columns[LEAVES] = {NULL};
    lam_triples triples[LEAVES];
    lam_writer_options options = writer_options(trial);
    const lam_storage storage = lam_storage_files();
    open_sample(trial, &reader);
    if (reader == NULL)
        return;
    CALL(lam_writer_open_file, trial->schema, trial->target, &options, &writer);
    for (size_t i = 0; i < LEAVES; i++) {
        CALL(lam_column_reader_open, reader, 0, i, &columns[i]);
        CALL(lam_column_reader_read, columns[i], SIZE_MAX, &triples[i]);
    }
    CALL(lam_writer_write_triples, writer, triples, CALL_ROWS);
    CALL(lam_writer_copy_row_groups, writer, reader, 0, 1);
    CALL(lam_writer_finish, writer);
    lam_writer_close(writer);
    writer = NULL;
    CALL(lam_writer_open_append, trial->target, NULL, LAM_APPEND_ANEW, &storage, &options, &writer);
    CALL(lam_writer_copy_row_groups, writer, reader, 0, 1);
    CALL(lam_writer_finish, writer);
out:
    for (size_t i = 0; i < LEAVES; i++)
        lam_column_reader_close(columns[i]);
    lam_writer_close(writer);
    lam_reader_close(reader);
}

static lam_status report_leftover(void *state, const lam_leftover *leftover, lam_error *error) {
    (void)state, (void)leftover, (void)error;
    return LAM_STATUS_OK;
}

void call_outputs(call_trial *trial) {
    lam_output file = {0}, disposable = {0}, direct = {0};
    lam_output_file_options options = lam_output_file_options_default();
    size_t removed;
    int descriptor = open("/dev/null", O_WRONLY);
    options.is_disposable = true;
    CALL(lam_output_create_file, trial->target, NULL, &trial->allocator, &file);
    CALL(lam_output_create_file, trial->target, &options, &trial->allocator, &disposable);
    CALL(lam_output_descriptor, descriptor, &trial->allocator, &direct);
    CALL(lam_output_leftovers, trial->target, report_leftover, NULL);
    CALL(lam_output_remove_leftovers, trial->target, &removed);
out:
    lam_output_close(&direct);
    lam_output_close(&disposable);
    lam_output_close(&file);
    close(descriptor);
}

/* --- Reading --------------------------------------------------------------------------------- */

void call_reading(call_trial *trial) {
    lam_reader *reader = NULL, *shown = NULL, *with = NULL, *keyed = NULL, *unfinished = NULL;
    lam_path_keys *keys = NULL;
    lam_union *all = NULL;
    lam_union_notice notice = lam_union_notice_default();
    static const char other_text[] =
        "message m { required binary id (STRING); optional int32 more; }";
    lam_schema *other = NULL;
    lam_column_reader *column = NULL;
    lam_triples triples;
    lam_input input = {0}, mapped = {0};
    lam_reader_options options = lam_reader_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_constant constant;
    options.allocator = &trial->allocator;
    recover.allocator = &trial->allocator;
    CALL(lam_reader_open_file, trial->path, &options, &reader);
    CALL(lam_union_create, NULL, &trial->allocator, &all);
    CALL(lam_union_add, all, lam_reader_schema(reader), "a.parquet");
    CALL(lam_schema_parse, other_text, sizeof other_text - 1, &trial->allocator, &other);
    CALL(lam_union_add, all, other, "b.parquet");
    CALL(lam_union_notice_at, all, 0, &notice);
    CALL(lam_reader_show, reader, lam_union_schema(all), NULL, &shown);
    CALL(lam_column_reader_open, shown, 0, 1, &column);
    CALL(lam_column_reader_read, column, SIZE_MAX, &triples);
    CALL(lam_input_open_file, trial->path, &trial->allocator, &input);
    CALL(lam_path_keys_create, &trial->allocator, &keys);
    CALL(lam_path_keys_add, keys, "a/k=1/x.parquet");
    CALL(lam_path_keys_add, keys, "a/k=2/x.parquet");
    CALL(lam_path_keys_of_file, keys, 0, &constant);
    CALL(lam_reader_show_constants, reader, &constant, 1, &keyed);
    CALL(lam_reader_open_with_constants, &input, &constant, 1, &options, &with);
    input = (lam_input){0};
    CALL(lam_input_map_file, trial->path, &trial->allocator, &mapped);
    CALL(lam_reader_open_unfinished, &mapped, &recover, &unfinished, &found);
    mapped = (lam_input){0};
out:
    lam_column_reader_close(column);
    lam_schema_destroy(other);
    lam_union_destroy(all);
    lam_path_keys_destroy(keys);
    lam_input_close(&input);
    lam_input_close(&mapped);
    lam_reader_close(unfinished);
    lam_reader_close(with);
    lam_reader_close(keyed);
    lam_reader_close(shown);
    lam_reader_close(reader);
}

void call_details(call_trial *trial) {
    lam_reader *reader = NULL;
    lam_page_list *list = NULL;
    lam_page_index_reader *index = NULL;
    lam_file_info stated = lam_file_info_default();
    lam_row_group_info group = lam_row_group_info_default();
    lam_column_chunk_info chunk = lam_column_chunk_info_default();
    lam_chunk_details details = lam_chunk_details_default();
    lam_bloom_info bloom = lam_bloom_info_default();
    lam_sorting_column sorting = lam_sorting_column_default();
    lam_page_count pages = lam_page_count_default();
    lam_page_info page = lam_page_info_default();
    lam_page_index_info info = lam_page_index_info_default();
    lam_page_index_entry entry = lam_page_index_entry_default();
    lam_bytes key, text;
    lam_value value;
    bool more;
    open_sample(trial, &reader);
    if (reader == NULL)
        return;
    CALL(lam_reader_file_info, reader, &stated);
    CALL(lam_reader_row_group, reader, 0, &group);
    CALL(lam_reader_column_chunk, reader, 0, 0, &chunk);
    CALL(lam_reader_chunk_details, reader, 0, 0, &details);
    CALL(lam_bound_value, lam_schema_leaf(trial->schema, 0), details.statistics.min_value, &value);
    CALL(lam_reader_chunk_key_value, reader, 0, 0, 0, &key, &text);
    CALL(lam_reader_bloom_filter, reader, 0, 0, &bloom);
    CALL(lam_reader_sorting_column, reader, 0, 0, &sorting);
    CALL(lam_reader_page_count, reader, 0, 0, 0, &pages);
    CALL(lam_page_list_open, reader, 0, 1, &list);
    CALL(lam_page_list_next, list, &page, &more);
    CALL(lam_page_index_reader_open, reader, 0, 0, &index);
    CALL(lam_page_index_reader_info, index, &info);
    CALL(lam_page_index_reader_page, index, 0, &entry);
out:
    lam_page_index_reader_close(index);
    lam_page_list_close(list);
    lam_reader_close(reader);
}

void call_scans(call_trial *trial) {
    lam_reader *reader = NULL;
    lam_filter *filter = NULL;
    lam_record_reader *all = NULL, *some = NULL;
    lam_record_checker *checker = NULL;
    lam_scan_options options = lam_scan_options_default();
    lam_scan_report report = lam_scan_report_default();
    const lam_record_sink nowhere = {0};
    uint64_t count;
    open_sample(trial, &reader);
    if (reader == NULL)
        return;
    CALL(lam_filter_parse, lam_reader_schema(reader), "id = 7", 6, NULL, &trial->allocator,
         &filter);
    CALL(lam_record_checker_create, lam_reader_schema(reader), &nowhere, &trial->allocator,
         &checker);
    const lam_record_sink sink = lam_record_checker_sink(checker);
    CALL(lam_record_reader_open, reader, NULL, &all);
    CALL(lam_record_reader_skip, all, 7, &count);
    CALL(lam_record_reader_read, all, &sink, UINT64_MAX, &count);
    options.filter = filter;
    CALL(lam_record_reader_open_scan, reader, &options, &some);
    CALL(lam_record_reader_read, some, &sink, UINT64_MAX, &count);
    CALL(lam_record_reader_report, some, &report);
out:
    lam_record_reader_close(some);
    lam_record_reader_close(all);
    lam_record_checker_destroy(checker);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
}

static lam_status visit_range(void *state, const lam_byte_range *range, bool *expand,
                              lam_error *error) {
    (void)state, (void)range, (void)expand, (void)error;
    return LAM_STATUS_OK;
}

static lam_status note_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)finding, (void)error;
    return LAM_STATUS_OK;
}

void call_maps(call_trial *trial) {
    const lam_input input = lam_input_memory(trial->file.data, trial->file.size);
    lam_byte_map_options map = lam_byte_map_options_default();
    lam_check_options check = lam_check_options_default();
    lam_check_totals totals = lam_check_totals_default();
    map.allocator = &trial->allocator;
    check.allocator = &trial->allocator;
    CALL(lam_byte_map_walk, &input, &map, visit_range, NULL);
    CALL(lam_check, &input, &check, note_finding, NULL, &totals);
out:
    return;
}

/* --- Rewriting ------------------------------------------------------------------------------- */

static lam_status open_memory(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    call_trial *trial = state;
    (void)folder, (void)number;
    return lam_output_memory(&trial->allocator, ret_output, error);
}

void call_rewriting(call_trial *trial) {
    lam_rewrite *rewrite = NULL;
    lam_reader *reader = NULL;
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite_report report = lam_rewrite_report_default();
    const lam_rewrite_target target = {trial, open_memory};
    const bool leaves[LEAVES] = {true, true, true, true};
    const lam_writer_options written = writer_options(trial);
    options.allocator = &trial->allocator;
    options.writer = &written;
    open_sample(trial, &reader);
    if (reader == NULL)
        return;
    CALL(lam_rewrite_create, &options, &rewrite);
    CALL(lam_rewrite_add_file, rewrite, trial->path);
    CALL(lam_rewrite_add_reader, rewrite, reader, "reader");
    CALL(lam_rewrite_set_leaves, rewrite, leaves);
    CALL(lam_rewrite_set_where, rewrite, "id > 3");
    CALL(lam_rewrite_set_encoding, rewrite, "id", LAM_ENCODING_PLAIN);
    CALL(lam_rewrite_set_bloom_filter, rewrite, "id", 0, 0);
    CALL(lam_rewrite_add_sort_key, rewrite, "real", true, false);
    CALL(lam_rewrite_set_split, rewrite, 10, 0);
    CALL(lam_rewrite_run, rewrite, &target, &report);
out:
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
}

void call_salvage(call_trial *trial) {
    lam_reader *reader = NULL;
    lam_salvage *salvage = NULL;
    lam_writer *writer = NULL;
    lam_record_reader *records = NULL;
    lam_output output = {0};
    bool readable[64]; /* more than the sample has leaves */
    lam_salvage_report report = lam_salvage_report_default();
    lam_writer_options options = writer_options(trial);
    open_sample(trial, &reader);
    if (reader == NULL)
        return;
    CALL(lam_salvage_open, reader, NULL, &salvage);
    CALL(lam_salvage_report_of, salvage, &report);
    CALL(lam_salvage_open_records, salvage, NULL, &records);
    CALL(lam_salvage_go_to, salvage, records, 0, readable);
    CALL(lam_output_memory, &trial->allocator, &output);
    CALL(lam_writer_open, lam_salvage_schema(salvage), &output, &options, &writer);
    CALL(lam_salvage_write, salvage, writer);
    CALL(lam_writer_finish, writer);
out:
    lam_writer_close(writer);
    lam_output_close(&output);
    lam_record_reader_close(records);
    lam_salvage_close(salvage);
    lam_reader_close(reader);
}
