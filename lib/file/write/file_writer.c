/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file from its first byte to its last, forwards only. Takes records, which are shredded
 * into memory, moved into the chunk writers in batches, and written as row groups:
 *
 *     verbs -> shredder -> (batch) -> chunk writers -> (row group) -> output
 *     full columns of triples ----------^
 *
 * The invariant: the bytes depend on the records and the options, never on how the calls of
 * lam_writer_write_triples or lam_writer_add_leaf split the records; batches and checks fall on the
 * same records either way. A failed verb costs its own record; a failure of anything that has begun
 * to encode poisons the writer, because chunk writers cannot be rolled back.
 */
#include "file/write/file_writer.h"

#include <lamella/dremel.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "file/read/footer.h"
#include "file/write/triple_batch.h"
#include "file/write/writer_options.h"
#include "file/write/writer_state.h"
#include "record/record_failure.h"
#include "record/value_rules.h"
#include "schema/group_shape.h"
#include "schema/leaf_error.h"
#include "schema/text.h"
#include "variant/shred/variant_schema.h"

/*
 * Bounds of a batch: few enough records to stay in cache, and no more bytes than a share of the row
 * group. The limits of a row group are checked after each batch, and whenever a share of its bytes
 * has arrived.
 */
enum {
    BATCH_RECORDS = LAM_BATCH_RECORDS,
    FILE_WRITER_BATCH_BYTES = 1 << 20,
    CHECKS_PER_ROW_GROUP = 16, /* a row group exceeds its bytes by 1/16, more or less */
    FIRST_ROWS = 16,           /* rows before the first check, which show how large rows are */
    /*
     * Bytes of page indexes that are kept for the end. A file with more gets those so far between
     * two row groups, so that their memory has a bound; readers find them through the footer.
     */
    INDEX_BYTES = 32 << 20
};

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status check_new_group(const lam_field *group, const lam_allocator *allocator,
                                  lam_error *error) {
    lam_group_problem problem = lam_group_find_problem(group);
    lam_variant_plan plan;
    char path[96];
    if (problem.what != NULL) {
        lam_field_path(problem.field, path, sizeof path);
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' %s; write %s",
                 lam_show(path, strlen(path)).text, problem.what, lam_group_model(group));
    }
    if (group->logical_type.kind != LAM_LOGICAL_VARIANT)
        return LAM_STATUS_OK;
    LAM_TRY(lam_variant_plan_init(&plan, group, LAM_VARIANT_READ, allocator, error));
    lam_variant_plan_finish(&plan);
    return LAM_STATUS_OK;
}

lam_status lam_writer_check_new_schema(const lam_schema *schema, const lam_allocator *allocator,
                                       lam_error *error) {
    for (size_t i = 0; !schema->is_of_file && i < schema->field_count; i++)
        LAM_TRY(check_new_group(&schema->fields[i], allocator, error));
    return LAM_STATUS_OK;
}

/*
 * Writes the magic at once, so that an output that cannot be written fails here. The output is
 * moved last: after any failure it still belongs to the caller, and `writer->output` is empty,
 * which close accepts.
 */
lam_status lam_writer_open_with(const lam_writer_inside *inside, const lam_schema *schema,
                                lam_output *output, const lam_writer_options *given,
                                lam_writer **ret_writer, lam_error *error) {
    lam_status status;
    lam_writer_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, given, &options, error));
    LAM_TRY(lam_schema_require(schema, error));
    if (output == NULL || output->write == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no output to write to");
    lam_codec codec = options.codec == LAM_CODEC_DEFAULT ? LAM_CODEC_ZSTD : options.codec;
    LAM_TRY(lam_writer_options_check(&options, codec, error));
    LAM_TRY(lam_writer_options_check_schema(&options, schema, error));
    lam_allocator allocator = lam_allocator_or_default(options.allocator);
    LAM_TRY(lam_writer_check_new_schema(schema, &allocator, error));
    lam_writer *writer;
    LAM_TRY(LAM_NEW(&allocator, &writer, error));
    writer->beneath = allocator;
    lam_budget_init(&writer->budget, &allocator, (size_t)options.memory_limit);
    lam_budget_describe(&writer->budget, "writing would exceed the memory limit",
                        (size_t)options.memory_limit);
    if (options.memory_limit != 0)
        allocator = lam_budget_allocator(&writer->budget);
    writer->allocator = allocator;
    uint64_t bound = lam_budget_bound(&allocator);
    lam_writer_options_fit(&options, bound);
    writer->index_bytes = bound == 0 || bound / 8 > INDEX_BYTES ? INDEX_BYTES : bound / 8;
    lam_record_failure_init(&writer->record_failure);
    writer->row_group_bytes = lam_writer_or_default(options.row_group_bytes, LAM_ROW_GROUP_BYTES);
    writer->row_group_rows = lam_writer_or_default(options.row_group_rows, 1 << 20);
    writer->bytes_per_check = writer->row_group_bytes / CHECKS_PER_ROW_GROUP + 1;
    writer->rows_per_check = FIRST_ROWS;
    writer->batch_bytes = writer->bytes_per_check < FILE_WRITER_BATCH_BYTES
                              ? writer->bytes_per_check
                              : FILE_WRITER_BATCH_BYTES;
    lam_footer_build_init(&writer->footer, &allocator);
    lam_chunk_options chunk = lam_writer_chunk_options(&options, codec);
    chunk.kernels = inside->kernels;
    chunk.is_bounded = bound != 0 || inside->is_scarce;
    writer->schema = lam_schema_share(schema);
    LAM_TRY_OUT(lam_footer_build_created_by(&writer->footer, options.created_by, error));
    LAM_TRY_OUT(lam_shredder_create(writer->schema, &allocator, &writer->shredder, error));
    writer->shredder_sink = lam_shredder_sink(writer->shredder);
    LAM_TRY_OUT(lam_task_runner_init(&writer->runner, options.thread_count, options.executor,
                                     &allocator, error));
    LAM_TRY_OUT(lam_row_group_writer_init(&writer->row_group, writer->schema, &chunk,
                                          options.check_sorting, &writer->runner, inside->codecs,
                                          &allocator, error));
    if (options.auto_bloom_filters)
        LAM_TRY_OUT(lam_row_group_writer_guess_blooms(&writer->row_group, error));
    if (inside->offset == 0)
        LAM_TRY_OUT(output->write(output->state, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE, error));
    writer->offset = inside->offset != 0 ? inside->offset : LAM_FOOTER_MAGIC_SIZE;
    writer->output = *output;
    memset(output, 0, sizeof *output);
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_writer_close(writer);
    return status;
}

lam_status lam_writer_open(const lam_schema *schema, lam_output *output,
                           const lam_writer_options *given, lam_writer **ret_writer,
                           lam_error *error) {
    const lam_writer_inside inside = {lam_kernels_get(), NULL, 0, false};
    return lam_writer_open_with(&inside, schema, output, given, ret_writer, error);
}

/* An output that was created here is closed here if the writer does not take it. */
lam_status lam_writer_open_file(const lam_schema *schema, const char *path,
                                const lam_writer_options *given, lam_writer **ret_writer,
                                lam_error *error) {
    lam_writer_options options;
    lam_output output;
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, given, &options, error));
    LAM_TRY(lam_schema_require(schema, error));
    if (path == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path (NULL)");
    LAM_TRY(lam_output_create_file(path, NULL, options.allocator, &output, error));
    lam_status status = lam_writer_open(schema, &output, &options, ret_writer, error);
    if (status != LAM_STATUS_OK)
        lam_output_close(&output);
    return status;
}

void lam_writer_close(lam_writer *writer) {
    if (writer == NULL)
        return;
    lam_allocator beneath = writer->beneath;
    lam_output_close(&writer->output);
    lam_row_group_writer_finish(&writer->row_group);
    lam_task_runner_finish(&writer->runner);
    lam_shredder_destroy(writer->shredder);
    lam_schema_destroy(writer->schema);
    lam_footer_build_finish(&writer->footer);
    lam_free(&beneath, writer, sizeof *writer);
}

/* --- Row groups ---------------------------------------------------------------------------- */

/*
 * Estimates the rows until the next check from the average row so far. The number at most doubles
 * from check to check, because later rows may be larger:
 *
 *     16, 32, 64, ... 1024 rows while rows are small; down to 1 when they are large
 */
static size_t rows_until_check(const lam_writer *writer) {
    const lam_row_group_writer *group = &writer->row_group;
    size_t most =
        writer->rows_per_check < BATCH_RECORDS / 2 ? 2 * writer->rows_per_check : BATCH_RECORDS;
    uint64_t row_bytes = group->rows == 0 ? 0 : group->bytes / group->rows;
    uint64_t rows = writer->bytes_per_check / (row_bytes + 1);
    return rows > most ? most : rows > 0 ? (size_t)rows : 1;
}

/* Restarts the counts of the check, and ends the row group in memory if it has reached a limit. */
static lam_status end_full_row_group(lam_writer *writer, lam_error *error) {
    writer->rows_per_check = rows_until_check(writer);
    writer->bytes_since_check = 0;
    writer->rows_since_check = 0;
    if (writer->row_group.rows >= writer->row_group_rows ||
        writer->row_group.bytes >= writer->row_group_bytes)
        return lam_writer_write_row_group(writer, error);
    return LAM_STATUS_OK;
}

/* A task: moves the shredded triples of one leaf into its chunk writer. */
static lam_status drain_leaf(void *context, size_t leaf, lam_error *error) {
    lam_writer *writer = context;
    lam_triples triples = lam_shredder_triples(writer->shredder, leaf);
    return lam_row_group_writer_add(&writer->row_group, leaf, &triples, error);
}

/* Moves the shredded records into the chunk writers, then checks the limits. */
static lam_status drain(lam_writer *writer, lam_error *error) {
    size_t records = lam_shredder_record_count(writer->shredder);
    if (records == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_row_group_writer_run(&writer->row_group, drain_leaf, writer, error));
    LAM_TRY(lam_row_group_writer_count(&writer->row_group, records, error));
    lam_shredder_clear(writer->shredder);
    return end_full_row_group(writer, error);
}

/* A limit names the first row that is not in the pages yet. */
static lam_status at_open_row(const lam_writer *writer, lam_status status, lam_error *failure) {
    if (status == LAM_STATUS_LIMIT)
        lam_error_at_row(failure, writer->footer.row_group_count, writer->row_group.rows);
    return status;
}

/* Half of the leaves may have got the records when this fails, so failing poisons. */
static lam_status drain_or_poison(lam_writer *writer, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status = at_open_row(writer, drain(writer, &failure), &failure);
    return lam_writer_poison(writer, status, &failure, error);
}

/* Records in the shredder belong to the row group that ends. */
lam_status lam_writer_end_row_group(lam_writer *writer, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (writer->in_record)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_OPEN, "a record is open");
    LAM_TRY(drain_or_poison(writer, error));
    lam_error failure = lam_error_none();
    return lam_writer_poison(writer, lam_writer_write_row_group(writer, &failure), &failure, error);
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * A failed verb has ended its record for the writer; the next begin drops what the shredder keeps.
 */
static lam_status file_writer_keep_failure(lam_writer *writer, lam_status status,
                                           lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    writer->in_record = false;
    return lam_record_failure_keep(&writer->record_failure, status, error);
}

static lam_status begin_record(lam_writer *writer, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    /* unreachable: a shredder begins any record, and takes back the one before */
    LAM_TRY(writer->shredder_sink.begin(writer->shredder_sink.state, error));
    writer->in_record = true;
    return LAM_STATUS_OK;
}

static lam_status writer_begin(void *state, lam_error *error) {
    lam_writer *writer = state;
    lam_record_failure_clear(&writer->record_failure);
    return file_writer_keep_failure(writer, begin_record(writer, &writer->record_failure.error),
                                    error);
}

/* Refuses a verb outside of a record: with the failure that ended it, or because none began. */
static lam_status refuse_verb(lam_writer *writer, lam_error *error) {
    lam_error *kept = &writer->record_failure.error;
    LAM_TRY(lam_record_failure_status(&writer->record_failure));
    lam_status status = lam_writer_check_usable(writer, kept);
    if (status == LAM_STATUS_OK)
        status = lam_error_set(kept, LAM_ERROR_CODE_RECORD_NOT_OPEN, "no record is open");
    return file_writer_keep_failure(writer, status, error);
}

static lam_status writer_open(void *state, const lam_field *group, lam_error *error) {
    lam_writer *writer = state;
    const lam_record_sink *shredder = &writer->shredder_sink;
    if (!writer->in_record)
        return refuse_verb(writer, error);
    return file_writer_keep_failure(
        writer, shredder->open(shredder->state, group, &writer->record_failure.error), error);
}

/*
 * The shredder checks the order of verbs; lam_value_check the logical type (UTF-8, TIME ranges
 * ...).
 */
static lam_status writer_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    lam_writer *writer = state;
    const lam_record_sink *shredder = &writer->shredder_sink;
    lam_error *kept = &writer->record_failure.error;
    if (!writer->in_record)
        return refuse_verb(writer, error);
    lam_status status = shredder->put(shredder->state, leaf, value, kept);
    if (status == LAM_STATUS_OK && leaf->logical_type.kind != LAM_LOGICAL_NONE)
        status = lam_value_check(leaf, &value, kept);
    return file_writer_keep_failure(writer, status, error);
}

static lam_status writer_close(void *state, const lam_field *group, lam_error *error) {
    lam_writer *writer = state;
    const lam_record_sink *shredder = &writer->shredder_sink;
    if (!writer->in_record)
        return refuse_verb(writer, error);
    return file_writer_keep_failure(
        writer, shredder->close(shredder->state, group, &writer->record_failure.error), error);
}

/* Ends the record and drains a full batch: by records, by bytes, or by rows of the row group. */
static lam_status writer_end(void *state, lam_error *error) {
    lam_writer *writer = state;
    const lam_record_sink *shredder = &writer->shredder_sink;
    if (!writer->in_record)
        (void)refuse_verb(writer, NULL);
    else
        (void)file_writer_keep_failure(
            writer, shredder->end(shredder->state, &writer->record_failure.error), NULL);
    writer->in_record = false;
    LAM_TRY(lam_record_failure_end(&writer->record_failure, error));
    size_t records = lam_shredder_record_count(writer->shredder);
    if (records >= BATCH_RECORDS || records >= writer->row_group_rows - writer->row_group.rows ||
        lam_shredder_byte_count(writer->shredder) >= writer->batch_bytes)
        return drain_or_poison(writer, error);
    return LAM_STATUS_OK;
}

static lam_status writer_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_writer *writer = state;
    writer->in_record = false;
    return lam_record_failure_take(&writer->record_failure, failure, error);
}

lam_record_sink lam_writer_sink(lam_writer *writer) {
    lam_record_sink sink = {writer,       writer_begin, writer_open, writer_put,
                            writer_close, writer_end,   writer_fail};
    return writer != NULL ? sink : lam_record_sink_of_nobody();
}

/* --- Columns ------------------------------------------------------------------------------- */

/*
 * Records to write together: up to a multiple of the batch in the row group, so that row groups end
 * at the same record however calls are split. With 1000 rows and batches of 1024, the next has 24.
 */
static size_t records_to_write(const lam_writer *writer, uint64_t left) {
    uint64_t batch = BATCH_RECORDS - writer->row_group.rows % BATCH_RECORDS;
    uint64_t room = writer->row_group_rows - writer->row_group.rows;
    batch = batch < room ? batch : room;
    return (size_t)(left < batch ? left : batch);
}

/* Counts rows that every leaf has got, and checks the limits where a check falls. */
static lam_status end_rows(lam_writer *writer, size_t rows, lam_error *error) {
    LAM_TRY(lam_row_group_writer_count(&writer->row_group, rows, error));
    if (writer->row_group.rows % BATCH_RECORDS == 0 ||
        writer->row_group.rows == writer->row_group_rows ||
        writer->bytes_since_check >= writer->bytes_per_check ||
        writer->rows_since_check >= writer->rows_per_check)
        return end_full_row_group(writer, error);
    return LAM_STATUS_OK;
}

/*
 * Cuts the next records off all columns: `records`, or fewer if the next check comes before their
 * end. Its position depends on the sizes of the values alone, however they arrive. Returns the
 * number cut. The record with which the bytes become enough belongs to the batch, so at least one
 * is cut.
 */
static size_t cut_until_check(lam_writer *writer, lam_triple_batch *batches, size_t records) {
    uint64_t bytes =
        lam_triple_batches_cut(writer->row_group.options.kernels, writer->schema, batches, records);
    uint64_t room = writer->bytes_per_check - writer->bytes_since_check;
    if (bytes < room) {
        writer->bytes_since_check += bytes;
        return records;
    }
    /* The batch reaches the next check: cut it again after the record that completes the bytes. */
    size_t before = lam_triple_batches_find(writer->schema, batches, room);
    if (before < records)
        lam_triple_batches_cut(writer->row_group.options.kernels, writer->schema, batches, before);
    writer->bytes_since_check = writer->bytes_per_check;
    return before;
}

/* The columns that are being written. */
typedef struct columns_at_hand {
    lam_writer *writer;
    lam_triple_batch *batches; /* by leaf */
} columns_at_hand;

/* A task: `rest` moves on only after the chunk writer has taken `next`. */
static lam_status write_leaf_batch(void *context, size_t leaf, lam_error *error) {
    const columns_at_hand *columns = context;
    lam_triple_batch *batch = &columns->batches[leaf];
    LAM_TRY(lam_row_group_writer_add(&columns->writer->row_group, leaf, &batch->next, error));
    batch->rest = batch->after;
    return LAM_STATUS_OK;
}

static lam_status write_batches(lam_writer *writer, lam_triple_batch *batches, size_t record_count,
                                lam_error *error) {
    columns_at_hand columns = {writer, batches};
    while (record_count > 0) {
        size_t records = cut_until_check(writer, batches, records_to_write(writer, record_count));
        LAM_TRY(lam_row_group_writer_run(&writer->row_group, write_leaf_batch, &columns, error));
        LAM_TRY(end_rows(writer, records, error));
        record_count -= records;
    }
    return LAM_STATUS_OK;
}

/*
 * Checks all columns before writing any: written columns cannot be taken back. Records of the verbs
 * come first.
 */
lam_status lam_writer_write_triples(lam_writer *writer, const lam_triples *columns,
                                    size_t record_count, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (writer->in_record)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_OPEN, "a record is open");
    size_t leaves = writer->schema->leaf_count;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        lam_status status =
            lam_triples_check(writer->row_group.options.kernels, lam_leaf_at(writer->schema, leaf),
                              &columns[leaf], record_count, error);
        if (status != LAM_STATUS_OK)
            lam_error_of_leaf(error, lam_leaf_at(writer->schema, leaf));
        LAM_TRY(status);
    }
    return lam_writer_write_checked(writer, columns, record_count, error);
}

lam_status lam_writer_write_checked(lam_writer *writer, const lam_triples *columns,
                                    size_t record_count, lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    LAM_TRY(lam_writer_check_usable(writer, error));
    LAM_TRY(drain_or_poison(writer, error));
    /* Nothing of the new rows is encoded yet, so a NOMEM here leaves the writer usable. */
    lam_triple_batch *batches;
    LAM_TRY(LAM_ARRAY(&writer->allocator, leaves, &batches, error));
    for (size_t leaf = 0; leaf < leaves; leaf++)
        batches[leaf].rest = columns[leaf];
    lam_error failure = lam_error_none();
    lam_status status = write_batches(writer, batches, record_count, &failure);
    lam_free(&writer->allocator, batches, leaves * sizeof *batches);
    return lam_writer_poison(writer, at_open_row(writer, status, &failure), &failure, error);
}

/* The size of these rows is unknown before encoding, so the rows per check bound them. */
lam_status lam_writer_start_rows(lam_writer *writer, uint64_t left, size_t *ret_most,
                                 lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (writer->in_record)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_OPEN, "a record is open");
    LAM_TRY(drain_or_poison(writer, error));
    size_t before_check = writer->rows_per_check - writer->rows_since_check;
    *ret_most = records_to_write(writer, left < before_check ? left : before_check);
    return LAM_STATUS_OK;
}

/*
 * Bounds the bytes of the row group after the rows, as lam_chunk_writer_byte_count counts them. A
 * page that ends takes no more than its values in PLAIN and its levels, made longer by a codec and
 * a header; a dictionary that is given up turns into no more PLAIN bytes than it and its indexes
 * had, or it would have paid. So twice of everything, and a header for each page, is enough. A
 * check follows each batch, so that no rows wait for one if all before are complete batches.
 */
bool lam_writer_has_room(const lam_writer *writer, uint64_t rows, uint64_t bytes) {
    enum { PAGE_BYTES_LEAST = 64 << 10, HEADER_BYTES = 1 << 10 };
    const lam_row_group_writer *group = &writer->row_group;
    uint64_t pages = writer->schema->leaf_count * (rows / BATCH_RECORDS + 2);
    if (rows % BATCH_RECORDS != 0 || group->rows % BATCH_RECORDS != 0 ||
        writer->rows_per_check != BATCH_RECORDS || rows > writer->row_group_rows - group->rows ||
        bytes > writer->row_group_bytes || group->options.page_bytes < PAGE_BYTES_LEAST ||
        group->options.page_rows < BATCH_RECORDS)
        return false;
    uint64_t most =
        2 * (group->bytes + bytes) + bytes / PAGE_BYTES_LEAST * HEADER_BYTES + pages * HEADER_BYTES;
    return most < writer->row_group_bytes &&
           writer->bytes_per_check / (most / (group->rows + BATCH_RECORDS) + 1) >= BATCH_RECORDS;
}

lam_status lam_writer_add_leaf(lam_writer *writer, size_t leaf_index, const lam_triples *triples,
                               lam_error *error) {
    return lam_row_group_writer_add(&writer->row_group, leaf_index, triples, error);
}

const lam_task_runner *lam_writer_runner(const lam_writer *writer) {
    return &writer->runner;
}

lam_status lam_writer_end_rows(lam_writer *writer, size_t rows, lam_error *error) {
    lam_error failure = lam_error_none();
    writer->rows_since_check += rows;
    return lam_writer_poison(writer, end_rows(writer, rows, &failure), &failure, error);
}
