/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file as a stream of Arrow arrays, row group after row group, batch after batch: a reader
 * and options become the callbacks of the C stream interface.
 *
 *     get_next -> find_group          the scan finds the wanted rows of the next row group
 *                 stream_read_batch   a task per leaf decodes its column, on any thread; others
 *                                     find the wanted rows of row groups that follow
 *                   lam_nesting_build the calling thread puts the leaves together
 *
 * The invariant: between two calls, all columns and `start` are at the same row of the same row
 * group. After a failure the stream stays failed, and returns the same code again. (Arrow C stream
 * interface)
 */
#include <errno.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array/array_nesting.h"
#include "arrow/read/leaf_column.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/task_runner.h"
#include "file/read/file_reader.h"
#include "scan/condition/filter_text_read.h"
#include "scan/rows/scan_ahead.h"

static const uint64_t DEFAULT_BATCH_ROWS = 65536;

/* The task of one leaf, for all batches of the stream. */
typedef struct leaf_task {
    lam_leaf_column column;
    uint64_t size; /* bytes of its first chunk: larger ones start first */
    size_t leaf;   /* number of the leaf in the plan; tasks are sorted by size */
    lam_status status;
    lam_error error;
} leaf_task;

/* Bytes of a location in words. */
enum { LOCATION_ROOM = sizeof((lam_error *)0)->column_path + 140 };

typedef struct read_stream {
    lam_allocator allocator;
    lam_reader *owned;        /* closed with the stream, or NULL */
    lam_read_session session; /* its memory budget pays for all but the arrays */
    const lam_reader *reader; /* that of the session */
    lam_arrow_plan plan;
    lam_array_store *store;
    leaf_task *tasks;
    size_t task_count;         /* tasks whose columns were made */
    lam_leaf_levels *levels;   /* of the batch, by leaf of the plan; borrowed from the columns */
    struct ArrowArray *leaves; /* of the batch, by leaf of the plan */
    lam_task_runner runner;

    lam_filter *where; /* parsed from the caller's text, or NULL */
    bool *read_leaves; /* by leaf of the file: is it in the plan? NULL without a filter */
    lam_scan_ahead ahead;
    size_t searches;         /* tasks of the batch that search further row groups */
    lam_scan_report *report; /* of the caller, or NULL */
    lam_scan *scan;          /* of the row group that is being read */
    size_t row_group;
    uint64_t group_rows;  /* wanted rows of it that were not returned yet */
    bool opens_group;     /* the columns must open it, at `start`, for the next batch */
    uint64_t skip_rows;   /* wanted rows to be passed over */
    uint64_t rows_left;   /* rows that may still be returned */
    uint64_t batch_rows;  /* most rows of a batch, by the options */
    uint64_t likely_rows; /* most rows of a batch, by the memory that batches took */
    uint64_t rows;        /* of the batch that is being read */
    lam_row_cursor start; /* where that batch starts */
    lam_row_list list;    /* its wanted rows, for flat leaves */

    lam_status status; /* of the failure that ended the stream */
    char message[sizeof((lam_error *)0)->message + LOCATION_ROOM];
} read_stream;

/* --- One batch ----------------------------------------------------------------------------- */

/* The scan runs its own tasks with it, too. */
static void run_all(void *state, void (*task)(void *context, size_t index), void *context,
                    size_t count) {
    const read_stream *stream = state;
    lam_task_runner_run(&stream->runner, task, context, count);
}

/*
 * Goes to the next row group with a row to return; `group_rows` stays 0 when there is no such row
 * group. Rows that the options skip are cut off the ranges of the scan, and so are those beyond the
 * most rows: columns never open row groups that are skipped entirely.
 */
static lam_status find_group(read_stream *stream, lam_error *error) {
    while (stream->group_rows == 0) {
        LAM_TRY(lam_scan_ahead_next(&stream->ahead, run_all, stream, &stream->scan,
                                    &stream->row_group, error));
        if (stream->scan == NULL)
            return LAM_STATUS_OK;
        lam_row_ranges *ranges = &stream->scan->ranges;
        uint64_t rows = ranges->rows;
        uint64_t passed = rows < stream->skip_rows ? rows : stream->skip_rows;
        stream->skip_rows -= passed;
        lam_row_ranges_cut(ranges, passed, stream->rows_left);
        stream->group_rows = ranges->rows;
        stream->opens_group = true;
    }
    return LAM_STATUS_OK;
}

/*
 * Reads one leaf of the batch. Tasks of a batch share only what is constant, and the array store,
 * which locks.
 */
static lam_status stream_read_leaf(read_stream *stream, leaf_task *task, lam_error *error) {
    if (stream->opens_group)
        LAM_TRY(lam_leaf_column_open_at(&task->column, stream->scan, stream->row_group,
                                        &stream->start, error));
    return lam_leaf_column_read(&task->column, stream->rows, &stream->list,
                                &stream->levels[task->leaf], &stream->leaves[task->leaf], error);
}

/* Searches come first, since each takes an entire row group, and a leaf's task one batch. */
static void run_task(void *context, size_t index) {
    read_stream *stream = context;
    if (index < stream->searches) {
        lam_scan_ahead_search(&stream->ahead, index);
        return;
    }
    leaf_task *task = &stream->tasks[index - stream->searches];
    task->error = lam_error_none();
    task->status = stream_read_leaf(stream, task, &task->error);
}

/*
 * Returns the failure of the first leaf in the plan, so that the error does not depend on the
 * threads.
 */
static lam_status first_failure(const read_stream *stream, lam_error *error) {
    const leaf_task *failed = NULL;
    for (size_t i = 0; i < stream->task_count; i++) {
        const leaf_task *task = &stream->tasks[i];
        if (task->status != LAM_STATUS_OK && (failed == NULL || task->leaf < failed->leaf))
            failed = task;
    }
    if (failed == NULL)
        return LAM_STATUS_OK;
    *error = failed->error;
    return failed->status;
}

static uint64_t stream_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/*
 * Reads `stream->rows` rows, and drops all of their arrays when that fails. The arrays of leaves
 * are moved into `ret_array` on success; releasing what was moved does nothing.
 */
static lam_status try_batch(read_stream *stream, struct ArrowArray *ret_array, lam_error *error) {
    LAM_TRY(lam_row_list_make(&stream->list, &stream->start, stream->rows, error));
    lam_array_store_start_batch(stream->store, (size_t)stream->reader->memory_limit);
    run_all(stream, run_task, stream, stream->searches + stream->task_count);
    lam_scan_ahead_keep(&stream->ahead, stream->searches);
    lam_status status = first_failure(stream, error);
    if (status == LAM_STATUS_OK)
        status = lam_nesting_build(&stream->plan, stream->rows, stream->levels, stream->leaves,
                                   stream->reader->memory_limit, stream->store, ret_array, error);
    for (size_t i = 0; i < stream->task_count; i++)
        lam_array_release(&stream->leaves[i]);
    return status;
}

/* Names the row that needs more memory than the limit even alone. */
static void stream_locate_row(const read_stream *stream, lam_error *error) {
    lam_row_cursor cursor = stream->start;
    lam_error_at_row(error, stream->row_group, lam_row_cursor_next(&cursor, 1).begin);
}

/*
 * Estimates how many rows have room in half of the memory limit, by the batch that was just read: a
 * buffer that grows exists twice for a moment.
 */
static void stream_expect_rows(read_stream *stream) {
    double bytes = (double)lam_array_store_batch_size(stream->store) / (double)stream->rows;
    double rows = bytes > 0 ? (double)stream->reader->memory_limit / 2 / bytes : 1e18;
    stream->likely_rows = rows < 1 ? 1 : rows < 1e18 ? (uint64_t)rows : (uint64_t)1e18;
}

/*
 * Reads a batch, with half as many rows again and again when it exceeds the memory limit: how much
 * rows take is not known before they are decoded. An error that has a row already is about a value
 * in that row, which fewer rows would not change.
 */
static lam_status stream_read_batch(read_stream *stream, struct ArrowArray *ret_array,
                                    lam_error *error) {
    stream->rows =
        stream_least(stream_least(stream->batch_rows, stream->likely_rows), stream->group_rows);
    if (stream->opens_group)
        lam_row_cursor_init(&stream->start, &stream->scan->ranges, NULL);
    stream->searches = lam_scan_ahead_spare(&stream->ahead);
    lam_status status = try_batch(stream, ret_array, error);
    while (status == LAM_STATUS_LIMIT && error->row < 0 &&
           (stream->rows > 1 || stream->searches > 0)) {
        /* Memory that searches took at the same time is no reason for a smaller batch. */
        if (stream->searches == 0)
            stream->rows /= 2;
        stream->searches = 0;
        /*
         * A failed read leaves columns anywhere: open them again at `start`. That also starts new
         * dictionaries, which have room for the values of fewer rows.
         */
        stream->opens_group = true;
        *error = lam_error_none();
        status = try_batch(stream, ret_array, error);
    }
    if (status == LAM_STATUS_LIMIT)
        stream_locate_row(stream, error);
    LAM_TRY(status);
    stream_expect_rows(stream);
    stream->opens_group = false;
    lam_row_cursor_go(&stream->start, &stream->list.end);
    stream->group_rows -= stream->rows;
    stream->rows_left -= stream->rows;
    return LAM_STATUS_OK;
}

/* --- Callbacks ----------------------------------------------------------------------------- */

/*
 * Codes of failures. The C stream interface has codes of errno only. EINVAL means damage and misuse
 * alike; the message says more.
 */
static int stream_code_of(lam_status status) {
    switch (status) {
    case LAM_STATUS_UNSUPPORTED:
        return ENOSYS;
    case LAM_STATUS_LIMIT:
        return EOVERFLOW;
    case LAM_STATUS_NOMEM:
        return ENOMEM;
    case LAM_STATUS_IO:
        return EIO;
    case LAM_STATUS_CANCELLED:
        return ECANCELED;
    default:
        return EINVAL;
    }
}

/* Checks whether the message starts with the path of the column, or there is no path to add. */
static bool names_column(const lam_error *error) {
    size_t size = strlen(error->column_path);
    return size == 0 ||
           (strncmp(error->message, error->column_path, size) == 0 && error->message[size] == ':');
}

/*
 * Ends the stream and keeps the message, followed by its location in words, since the callbacks
 * cannot return an error:
 *
 *     a.b: a string is not UTF-8 (row group 0, column 1, row 17)
 *
 * LOCATION_ROOM is enough for four numbers and a path: `size` never reaches the end of `location`.
 */
static int stream_fail_stream(read_stream *stream, lam_status status, const lam_error *error) {
    char location[LOCATION_ROOM] = ""; /* each part begins with a comma */
    int size = 0;
    if (error->row_group >= 0)
        size = snprintf(location, sizeof location, ", row group %" PRId32, error->row_group);
    if (error->column >= 0)
        size += snprintf(location + size, sizeof location - (size_t)size,
                         ", column %" PRId32 "%s%s", error->column, names_column(error) ? "" : " ",
                         names_column(error) ? "" : error->column_path);
    if (error->row >= 0)
        size +=
            snprintf(location + size, sizeof location - (size_t)size, ", row %" PRId64, error->row);
    if (error->offset >= 0)
        size += snprintf(location + size, sizeof location - (size_t)size, ", offset %" PRId64,
                         error->offset);
    if (size == 0)
        snprintf(stream->message, sizeof stream->message, "%s", error->message);
    else
        snprintf(stream->message, sizeof stream->message, "%s (%s)", error->message, location + 2);
    stream->status = status;
    return stream_code_of(status);
}

static int stream_get_schema(struct ArrowArrayStream *stream_struct, struct ArrowSchema *out) {
    read_stream *stream = stream_struct->private_data;
    lam_error error = lam_error_none();
    lam_status status =
        lam_arrow_field_export(&stream->plan.schema, &stream->allocator, out, &error);
    if (status == LAM_STATUS_OK)
        return 0;
    lam_status before = stream->status;
    int code = stream_fail_stream(stream, status, &error);
    stream->status = before; /* arrays can still be read */
    return code;
}

/*
 * Writes the report of the scan so far, with the indexes that columns read; the size of the struct
 * was checked on opening.
 */
static void stream_report(read_stream *stream) {
    if (stream->report == NULL)
        return;
    lam_scan_report sum = lam_scan_ahead_report(&stream->ahead);
    for (size_t i = 0; i < stream->task_count; i++)
        sum.index_bytes += stream->tasks[i].column.index_bytes;
    (void)LAM_INFO_WRITE(lam_scan_report, &sum, stream->report, NULL);
}

/*
 * A batch has at least one row. The end of the stream is an array that is released, by the C stream
 * interface.
 */
static int get_next(struct ArrowArrayStream *stream_struct, struct ArrowArray *out) {
    read_stream *stream = stream_struct->private_data;
    lam_error error = lam_error_none();
    if (stream->status != LAM_STATUS_OK)
        return stream_code_of(stream->status);
    lam_status status = stream->rows_left > 0 ? find_group(stream, &error) : LAM_STATUS_OK;
    if (status == LAM_STATUS_OK && stream->group_rows == 0)
        memset(out, 0, sizeof *out);
    else if (status == LAM_STATUS_OK)
        status = stream_read_batch(stream, out, &error);
    stream_report(stream);
    return status == LAM_STATUS_OK ? 0 : stream_fail_stream(stream, status, &error);
}

static const char *get_last_error(struct ArrowArrayStream *stream_struct) {
    const read_stream *stream = stream_struct->private_data;
    return stream->message[0] != '\0' ? stream->message : NULL;
}

/*
 * Frees a stream, complete or not: memory is allocated as zeros, and every finish accepts those.
 * Threads end first, then what they use. Arrays that the caller still has stay valid: they hold the
 * store.
 */
static void destroy_stream(read_stream *stream) {
    lam_allocator allocator = stream->allocator;
    size_t leaves = stream->plan.leaf_count;
    lam_task_runner_finish(&stream->runner);
    for (size_t i = 0; i < stream->task_count; i++)
        lam_leaf_column_finish(&stream->tasks[i].column);
    lam_free(&allocator, stream->tasks, leaves * sizeof *stream->tasks);
    lam_free(&allocator, stream->levels, leaves * sizeof *stream->levels);
    lam_free(&allocator, stream->leaves, leaves * sizeof *stream->leaves);
    lam_row_list_finish(&stream->list);
    lam_scan_ahead_finish(&stream->ahead);
    lam_filter_destroy(stream->where);
    lam_free(&allocator, stream->read_leaves, lam_schema_leaf_count(stream->reader->schema));
    lam_array_store_drop(stream->store);
    lam_arrow_plan_finish(&stream->plan);
    lam_reader_close(stream->owned);
    lam_free(&allocator, stream, sizeof *stream);
}

static void release_stream(struct ArrowArrayStream *stream_struct) {
    destroy_stream(stream_struct->private_data);
    stream_struct->release = NULL;
}

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status stream_check_options(const lam_reader *reader,
                                       const lam_arrow_read_options *options, lam_error *error) {
    size_t groups = lam_reader_row_group_count(reader);
    LAM_TRY(lam_switch_check(options->pruning, "pruning", error));
    if (options->row_groups == NULL && options->row_group_count > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu row groups are requested, but none is given",
                 options->row_group_count);
    for (size_t i = 0; options->row_groups != NULL && i < options->row_group_count; i++)
        if (options->row_groups[i] >= groups)
            LAM_FAIL(error, LAM_STATUS_INVALID, "no row group %zu: there are %zu",
                     options->row_groups[i], groups);
    if (options->report != NULL)
        LAM_TRY(LAM_INFO_CHECK(lam_scan_report, options->report, error));
    return LAM_STATUS_OK;
}

/*
 * Marks the leaves that are read, so that the scan opens their chunks together with those of the
 * filter.
 */
static lam_status mark_leaves(read_stream *stream, lam_error *error) {
    LAM_TRY(LAM_ARRAY(&stream->allocator, lam_schema_leaf_count(stream->reader->schema),
                      &stream->read_leaves, error));
    for (size_t i = 0; i < stream->plan.leaf_count; i++)
        stream->read_leaves[stream->plan.leaves[i]->leaf->first_leaf] = true;
    return LAM_STATUS_OK;
}

/* Gives the filter of the options, or the one parsed from their text; NULL without either. */
static lam_status choose_filter(read_stream *stream, const lam_arrow_read_options *options,
                                const lam_filter **ret_filter, lam_error *error) {
    if (options->where != NULL && options->filter != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "choose rows by a filter or by its text, not both");
    if (options->where != NULL)
        LAM_TRY(lam_filter_text_read(stream->reader->schema, options->where, &stream->allocator,
                                     &stream->where, error));
    *ret_filter = options->where != NULL ? stream->where : options->filter;
    return LAM_STATUS_OK;
}

/* Prepares the scan over all row groups of the options. Nothing is read yet. */
static lam_status start_scan(read_stream *stream, const lam_arrow_read_options *options,
                             lam_error *error) {
    const lam_filter *filter;
    LAM_TRY(choose_filter(stream, options, &filter, error));
    if (filter != NULL)
        LAM_TRY(mark_leaves(stream, error));
    lam_scan_plan plan = {.filter = filter,
                          .no_pruning = !lam_switch_is_on(options->pruning),
                          .row_groups = options->row_groups,
                          .row_group_count = options->row_group_count,
                          .together = options->thread_count,
                          .leaves = stream->read_leaves};
    stream->report = options->report;
    return lam_scan_ahead_init(&stream->ahead, stream->reader, &plan, error);
}

/*
 * Gives the size of a leaf by its first chunk, 0 when that is not known: it only decides which task
 * starts first. NOMEM is the only failure.
 */
static lam_status find_leaf_size(const lam_reader *reader, size_t leaf_index, uint64_t *ret_size,
                                 lam_error *error) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_error cause = lam_error_none();
    *ret_size = 0;
    if (lam_reader_row_group_count(reader) == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_reader_column_chunk(reader, 0, leaf_index, &info, &cause);
    if (status == LAM_STATUS_NOMEM)
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    if (status == LAM_STATUS_OK)
        *ret_size = (uint64_t)info.total_uncompressed_size;
    return LAM_STATUS_OK;
}

/*
 * Large chunks first: a long task that starts last keeps all other threads waiting. By leaf among
 * equals, so the order is total.
 */
static int compare_tasks(const void *a, const void *b) {
    const leaf_task *one = a, *other = b;
    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return (one->leaf > other->leaf) - (one->leaf < other->leaf);
}

/*
 * Makes a task for each leaf, then sorts them. `task_count` counts the columns that destroy_stream
 * has to finish if a later one fails.
 */
static lam_status create_tasks(read_stream *stream, lam_error *error) {
    size_t count = stream->plan.leaf_count;
    LAM_TRY(LAM_ARRAY(&stream->allocator, count, &stream->tasks, error));
    LAM_TRY(LAM_ARRAY(&stream->allocator, count, &stream->levels, error));
    LAM_TRY(LAM_ARRAY(&stream->allocator, count, &stream->leaves, error));
    for (size_t leaf = 0; leaf < count; leaf++) {
        const lam_arrow_node *node = stream->plan.leaves[leaf];
        leaf_task *task = &stream->tasks[leaf];
        /* unreachable: a plan gives a leaf only types that it has a conversion to */
        LAM_TRY(lam_leaf_column_init(&task->column, stream->reader, node, stream->store, error));
        task->leaf = leaf;
        stream->task_count++;
        LAM_TRY(find_leaf_size(stream->reader, node->leaf->first_leaf, &task->size, error));
    }
    if (count > 1)
        qsort(stream->tasks, count, sizeof *stream->tasks, compare_tasks);
    return LAM_STATUS_OK;
}

/* More threads than tasks would never have work. */
static lam_status choose_threads(read_stream *stream, const lam_arrow_read_options *options,
                                 lam_error *error) {
    size_t count = stream->task_count > stream->ahead.slot_count ? stream->task_count
                                                                 : stream->ahead.slot_count;
    if (count > options->thread_count)
        count = options->thread_count;
    return lam_task_runner_init(&stream->runner, (uint32_t)count, options->executor,
                                &stream->allocator, error);
}

/*
 * Makes a stream. The footer and perhaps dictionary pages are read for the schema; row groups are
 * not.
 */
static lam_status open_stream(const lam_reader *reader, const lam_arrow_read_options *given,
                              read_stream **ret_stream, lam_error *error) {
    lam_status status;
    lam_arrow_read_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_arrow_read_options, given, &options, error));
    LAM_TRY(stream_check_options(reader, &options, error));
    read_stream *stream;
    LAM_TRY(LAM_NEW(&reader->allocator, &stream, error));
    stream->allocator = reader->allocator;
    lam_read_session_init(&stream->session, reader, options.stop);
    stream->reader = &stream->session.reader;
    lam_row_list_init(&stream->list, &stream->reader->allocator);
    stream->likely_rows = UINT64_MAX;
    stream->skip_rows = options.skip_rows;
    stream->rows_left = options.max_rows > 0 ? options.max_rows : UINT64_MAX;
    stream->batch_rows = options.batch_rows > 0 ? options.batch_rows : DEFAULT_BATCH_ROWS;
    LAM_TRY_OUT(
        lam_arrow_plan_read(&stream->plan, stream->reader, &options, &stream->allocator, error));
    LAM_TRY_OUT(lam_array_store_create(&stream->allocator, &stream->store, error));
    LAM_TRY_OUT(start_scan(stream, &options, error));
    LAM_TRY_OUT(create_tasks(stream, error));
    LAM_TRY_OUT(choose_threads(stream, &options, error));
    *ret_stream = stream;
    return LAM_STATUS_OK;
out:
    destroy_stream(stream);
    return status;
}

static void export_stream(read_stream *stream, struct ArrowArrayStream *ret_stream) {
    ret_stream->get_schema = stream_get_schema;
    ret_stream->get_next = get_next;
    ret_stream->get_last_error = get_last_error;
    ret_stream->release = release_stream;
    ret_stream->private_data = stream;
}

lam_status lam_arrow_read_stream(const lam_reader *reader, const lam_arrow_read_options *options,
                                 struct ArrowArrayStream *ret_stream, lam_error *error) {
    read_stream *stream;
    LAM_TRY(open_stream(reader, options, &stream, error));
    export_stream(stream, ret_stream);
    return LAM_STATUS_OK;
}

lam_status lam_arrow_read_file(const char *path, const lam_reader_options *reader_options,
                               const lam_arrow_read_options *options,
                               struct ArrowArrayStream *ret_stream, lam_error *error) {
    lam_reader *reader;
    read_stream *stream;
    LAM_TRY(lam_reader_open_file(path, reader_options, &reader, error));
    lam_status status = open_stream(reader, options, &stream, error);
    if (status != LAM_STATUS_OK) {
        lam_reader_close(reader);
        return status;
    }
    /* From here on the stream closes the reader; before, this function does. */
    stream->owned = reader;
    export_stream(stream, ret_stream);
    return LAM_STATUS_OK;
}
