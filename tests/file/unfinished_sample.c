/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes files as a log leaves them out of finished ones: their row groups, with records and footers
 * between.
 */
#include "file/unfinished_sample.h"

#include <criterion/criterion.h>
#include <lamella/scan.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "file/read/footer.h"
#include "file/write/recovery_record.h"
#include "meta/compact.h"

/* A file that is being made of another. */
typedef struct log_build {
    lam_unfinished_sample *log;
    const lam_unfinished_plan *plan;
    lam_arena arena;
    lam_meta_file meta;
    lam_meta_row_group *groups; /* with the offsets that they have in the new file */
    uint64_t sequence;
} log_build;

static void must(lam_status status) {
    cr_assert_eq(status, LAM_STATUS_OK);
}

static void append(lam_buffer *out, lam_bytes bytes) {
    must(lam_buffer_append(out, bytes.data, bytes.size, NULL));
}

/* The metadata with the first `count` row groups. */
static lam_meta_file meta_of(const log_build *build, size_t count) {
    lam_meta_file meta = build->meta;
    meta.row_groups.items = build->groups;
    meta.row_groups.count = (uint32_t)count;
    meta.num_rows = 0;
    for (size_t i = 0; i < count; i++)
        meta.num_rows += build->groups[i].num_rows;
    return meta;
}

static void add_record(log_build *build, lam_recovery_kind kind, lam_bytes body, uint64_t synced) {
    lam_recovery_header header = {.kind = kind, .sequence = build->sequence++, .synced = synced};
    memset(header.file_id, build->plan->file_id, sizeof header.file_id);
    must(lam_recovery_record_write(&header, body, &build->log->bytes, NULL));
}

static lam_buffer new_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

/* A footer with the first `count` row groups, behind the record that announces it. */
static void add_footer(log_build *build, size_t count, lam_recovery_kind kind) {
    lam_buffer footer = new_buffer();
    lam_meta_file meta = meta_of(build, count);
    uint8_t stated[8];
    must(lam_footer_write(&meta, &footer, NULL));
    lam_store_le32(stated, (uint32_t)footer.size);
    lam_store_le32(stated + 4, lam_crc32(0, footer.data, footer.size - 8));
    if (!build->plan->without_first)
        add_record(build, kind, (lam_bytes){stated, kind == LAM_RECOVERY_END ? 0 : sizeof stated},
                   0);
    append(&build->log->bytes, lam_buffer_bytes(&footer));
    lam_buffer_finish(&footer);
}

/* Copies a row group, whose bytes are from `start` to `end`, and corrects its offsets. */
static void copy_group(log_build *build, lam_bytes finished, size_t index, size_t start,
                       size_t end) {
    lam_meta_row_group *group = &build->groups[index];
    lam_unfinished_sample *log = build->log;
    int64_t shift = (int64_t)log->bytes.size - (int64_t)start;
    log->starts[index] = log->bytes.size;
    append(&log->bytes, (lam_bytes){finished.data + start, end - start});
    group->file_offset += shift;
    for (uint32_t i = 0; i < group->columns.count; i++) {
        lam_meta_column *column = (lam_meta_column *)group->columns.items[i].meta_data;
        column->data_page_offset += shift;
        column->dictionary_page_offset += shift;
        column->bloom_filter_offset += shift;
    }
}

static void add_group_record(log_build *build, size_t index) {
    lam_unfinished_sample *log = build->log;
    lam_buffer body = new_buffer();
    bool is_last = index + 1 == log->group_count;
    size_t synced = build->plan->synced_groups;
    lam_meta_file meta = meta_of(build, index + 1);
    if (index == 0)
        must(lam_meta_write_file(&meta, &body, NULL));
    else
        must(lam_meta_write_row_group(&build->groups[index], &body, NULL));
    if (!build->plan->without_first)
        add_record(build, index == 0 ? LAM_RECOVERY_FIRST : LAM_RECOVERY_ROW_GROUP,
                   lam_buffer_bytes(&body), is_last && synced > 0 ? log->ends[synced - 1] : 0);
    lam_buffer_finish(&body);
}

void lam_unfinished_sample_init(lam_unfinished_sample *log, lam_bytes finished,
                                const lam_unfinished_plan *plan) {
    lam_allocator allocator = lam_allocator_default();
    log_build build = {.log = log, .plan = plan};
    size_t body = finished.size - 8 - lam_load_le32(finished.data + finished.size - 8);
    memset(log, 0, sizeof *log);
    log->bytes = new_buffer();
    lam_arena_init(&build.arena, &allocator, 0);
    must(lam_meta_read_file((lam_bytes){finished.data + body, finished.size - 8 - body},
                            &build.arena, &build.meta, NULL));
    build.groups = (lam_meta_row_group *)build.meta.row_groups.items;
    log->group_count = build.meta.row_groups.count;
    cr_assert(log->group_count > 0 && log->group_count <= LAM_UNFINISHED_GROUPS_MOST);
    append(&log->bytes, (lam_bytes){finished.data, 4});
    for (size_t i = 0, start = 4; i < log->group_count; i++) {
        size_t end = i + 1 < log->group_count ? (size_t)build.groups[i + 1].file_offset : body;
        copy_group(&build, finished, i, start, end);
        add_group_record(&build, i);
        log->ends[i] = log->bytes.size;
        log->rows[i] = (size_t)build.groups[i].num_rows + (i > 0 ? log->rows[i - 1] : 0);
        if (plan->footer_every > 0 && (i + 1) % plan->footer_every == 0)
            add_footer(&build, i + 1, LAM_RECOVERY_FOOTER);
        start = end;
    }
    if (plan->is_finished)
        add_footer(&build, log->group_count, LAM_RECOVERY_END);
    lam_arena_finish(&build.arena);
}

void lam_unfinished_sample_finish(lam_unfinished_sample *log) {
    lam_buffer_finish(&log->bytes);
}

lam_reader *lam_unfinished_open(lam_bytes bytes, const lam_recover_options *options,
                                lam_recovery *ret_recovery, lam_status *ret_status) {
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    *ret_recovery = lam_recovery_default();
    *ret_status = lam_reader_open_unfinished(&input, options, &reader, ret_recovery, &error);
    cr_assert((*ret_status == LAM_STATUS_OK) == (reader != NULL));
    cr_assert((*ret_status == LAM_STATUS_OK) == (error.message[0] == '\0'), "%s", error.message);
    cr_assert((*ret_status == LAM_STATUS_OK) == (input.read_at == NULL));
    lam_input_close(&input);
    return reader;
}

void lam_unfinished_expect_records(lam_file_sample *sample, const lam_reader *reader,
                                   size_t count) {
    lam_record_reader *records;
    lam_tree_builder builder;
    lam_error error = lam_error_none();
    uint64_t read = 0;
    lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    cr_assert_eq(lam_reader_row_count(reader), count);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, &read, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(read, count);
    lam_file_sample_expect(sample, &builder, NULL, 0, count);
    lam_record_reader_close(records);
}
