/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the records that a scan wants, and gives them to the caller's sink: row group by row group
 * it finds the wanted rows, opens the columns of the projection, and drives the sink through an
 * assembler.
 *
 *     scan.c: ranges of wanted rows -> leaf_rows.c: their triples, skipping the others
 *                                   -> assembler -> events of records -> sink
 *                                   or a lam_row_taker, which takes columns instead
 *
 * A row group is read in one of the two ways. If the caller changes the way within a row group, it
 * is opened again at its current row. The invariant: a row group is open only while it has wanted
 * rows to read, and it is closed with the last of them; if ranges are given one by one, its cursors
 * rest in between. After a failed read the assembler may be inside a record, so every later call is
 * STATE.
 */
#include "scan/rows/record_reader.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/search.h"
#include "base/thread/stop.h"
#include "dremel/assembly.h"
#include "file/read/file_reader.h"
#include "scan/evaluate/leaf_choice.h"
#include "scan/rows/scan.h"
#include <lamella/dremel.h>

struct lam_record_reader {
    lam_allocator allocator; /* of this struct alone; all else draws on the session */
    lam_read_session session;
    const lam_reader *reader;         /* the session's */
    const lam_projection *projection; /* NULL: the same leaves in every row group */
    lam_scan scan;
    lam_arena arena;            /* page locations of the chunks of the open row group */
    bool *leaves;               /* one per leaf of the schema; of the current row group, if there is
                                 * a projection */
    size_t column_count;        /* leaves that are read in some row group */
    lam_leaf_rows *columns;     /* one for each of those, in their order */
    lam_triple_source *sources; /* of those that the row group needs */
    lam_assembler *assembler;   /* NULL between row groups, when no leaf is projected, and when
                                 * columns are taken */
    const lam_row_taker *way;   /* that the open row group was opened for; NULL: events */
    bool is_taken;              /* by `way`, which has not declined it */
    size_t row_group;           /* the open one, or the next to open */
    bool is_open;               /* a row group: its wanted rows are found */
    bool has_columns;           /* its columns and assembler exist */
    bool is_visiting;           /* ranges are given one by one */
    bool failed;
    uint64_t visited;   /* the row after the last range of a visit to `row_group` */
    uint64_t rows_left; /* wanted rows of the open row group that are not read */
    uint64_t most;      /* wanted rows of the row groups after it that may be read */
};

/* The row count that the footer states, which opening the reader has checked. */
static uint64_t rows_of(const lam_record_reader *records, size_t row_group) {
    return lam_reader_rows_of_group(records->reader, row_group);
}

/* Puts the columns aside, each with its cursor where it is. */
static void rest_columns(lam_record_reader *records) {
    lam_assembler_destroy(records->assembler);
    records->assembler = NULL;
    if (records->is_taken)
        records->way->close(records->way->state);
    records->is_taken = false;
    for (size_t i = 0; i < records->column_count; i++)
        lam_leaf_rows_rest(&records->columns[i]);
    records->has_columns = false;
}

/* The arena keeps a block for the page locations of the next row group. */
static void close_columns(lam_record_reader *records) {
    rest_columns(records);
    for (size_t i = 0; i < records->column_count; i++)
        lam_leaf_rows_stop(&records->columns[i]);
    lam_arena_reset(&records->arena);
}

/* Leaves the open row group, all of whose wanted rows are read or passed. */
static void leave_row_group(lam_record_reader *records) {
    records->is_open = false;
    if (records->is_visiting) {
        rest_columns(records);
        return;
    }
    close_columns(records);
    records->row_group++;
}

/*
 * Allocates a column for every leaf of the projection, in the order of leaves, which is the order
 * in which the assembler expects its sources.
 */
static lam_status allocate_columns(lam_record_reader *records, lam_error *error) {
    LAM_TRY(
        LAM_ARRAY(&records->reader->allocator, records->column_count, &records->columns, error));
    LAM_TRY(
        LAM_ARRAY(&records->reader->allocator, records->column_count, &records->sources, error));
    size_t next = 0;
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(records->reader->schema); leaf++) {
        if (!records->leaves[leaf])
            continue;
        records->columns[next].ranges = &records->scan.ranges;
        records->columns[next].leaf_index = leaf;
        next++;
    }
    return LAM_STATUS_OK;
}

/*
 * A filter or a projection refers to fields of one schema by address, so it serves that schema
 * only.
 */
static lam_status record_reader_check_options(const lam_reader *reader,
                                              const lam_scan_options *options, lam_error *error) {
    LAM_TRY(lam_switch_check(options->pruning, "pruning", error));
    if (options->projection != NULL && options->projection->schema != reader->schema)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the projection was made for another schema");
    if (options->projection != NULL && options->leaves != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a scan has leaves or a projection, not both");
    return lam_scan_check_filter(reader, options->filter, error);
}

/*
 * From the session on all memory is allocated through the session's reader, which counts it against
 * the memory limit. With a projection `leaves` is the set for the entire file, from which each row
 * group gets its own; the columns are those of the entire file.
 */
lam_status lam_record_reader_open_scan(const lam_reader *reader, const lam_scan_options *given,
                                       lam_record_reader **ret_records, lam_error *error) {
    lam_status status;
    lam_scan_options options;
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    size_t leaf_count = lam_schema_leaf_count(reader->schema);
    LAM_TRY(LAM_OPTIONS_READ(lam_scan_options, given, &options, error));
    LAM_TRY(record_reader_check_options(reader, &options, error));
    lam_record_reader *records;
    LAM_TRY(LAM_NEW(&reader->allocator, &records, error));
    records->allocator = reader->allocator;
    lam_read_session_init(&records->session, reader, options.stop);
    records->reader = reader = &records->session.reader;
    records->projection = options.projection;
    records->most = options.max_records != 0 ? options.max_records : UINT64_MAX;
    const bool *leaves = options.projection == NULL ? options.leaves : options.projection->leaves;
    lam_scan_init(&records->scan, reader, options.filter, !lam_switch_is_on(options.pruning));
    records->scan.prune.watch = options.watch;
    lam_arena_init(&records->arena, &reader->allocator, (size_t)reader->memory_limit);
    LAM_TRY_OUT(
        lam_codec_context_create(&reader->allocator, &records->session.reader.codecs, error));
    LAM_TRY_OUT(LAM_ARRAY(&records->reader->allocator, leaf_count, &records->leaves, error));
    for (size_t i = 0; i < leaf_count; i++) {
        records->leaves[i] = leaves == NULL || leaves[i];
        records->column_count += records->leaves[i];
    }
    LAM_TRY_OUT(allocate_columns(records, error));
    /* Pages that the filter uncompresses are kept only for leaves that are read after it. */
    lam_scan_cache_pages(&records->scan,
                         options.projection == NULL ? records->leaves : options.projection->leaves,
                         lam_scan_cache_budget(reader, 1));
    *ret_records = records;
    return LAM_STATUS_OK;
out:
    lam_record_reader_close(records);
    return status;
}

lam_status lam_record_reader_report(const lam_record_reader *records, lam_scan_report *ret_report,
                                    lam_error *error) {
    return LAM_INFO_WRITE(lam_scan_report, &records->scan.report, ret_report, error);
}

/*
 * Also closes a half-made reader: every member is empty or valid from the first possible failure
 * on.
 */
void lam_record_reader_close(lam_record_reader *records) {
    if (records == NULL)
        return;
    lam_allocator allocator = records->allocator;
    if (records->columns != NULL)
        close_columns(records);
    lam_scan_finish(&records->scan);
    lam_arena_finish(&records->arena);
    const lam_allocator *inner = &records->reader->allocator;
    lam_free(inner, records->columns, records->column_count * sizeof(lam_leaf_rows));
    lam_free(inner, records->sources, records->column_count * sizeof(lam_triple_source));
    lam_free(inner, records->leaves, lam_schema_leaf_count(records->reader->schema));
    lam_codec_context_destroy(records->session.reader.codecs);
    lam_free(&allocator, records, sizeof *records);
}

/* Columns are in the order of leaves, so a binary search finds a leaf's column. */
uint64_t lam_record_reader_row_groups_of(const lam_record_reader *records, size_t leaf_index) {
    size_t at;
    LAM_BISECT(at, 0, records->column_count, records->columns[at].leaf_index < leaf_index);
    bool found = at < records->column_count && records->columns[at].leaf_index == leaf_index;
    return found ? records->columns[at].row_groups : 0;
}

/* Opens the chunk of a column, unless its cursor rests, and starts before the first range. */
static lam_status record_reader_open_column(lam_record_reader *records, lam_leaf_rows *column,
                                            lam_error *error) {
    lam_column_cursor *cursor;
    if (lam_leaf_rows_resume(column))
        return LAM_STATUS_OK;
    LAM_TRY(lam_scan_open_cursor(&records->scan, records->row_group, column->leaf_index,
                                 &records->arena, &records->scan.report.index_bytes, &cursor,
                                 error));
    lam_leaf_rows_start(column, cursor, rows_of(records, records->row_group));
    return LAM_STATUS_OK;
}

/*
 * Leaves out columns of VARIANTs in which, by the statistics, this row group has no values to read.
 * If pruning is off, statistics are not believed, and all columns stay.
 */
static lam_status record_reader_choose_leaves(lam_record_reader *records, lam_error *error) {
    if (records->projection == NULL || records->scan.no_pruning)
        return LAM_STATUS_OK;
    return lam_leaf_choose(records->reader, records->projection, records->row_group,
                           records->leaves, error);
}

/*
 * Opens the columns of the open row group before its first row that is wanted and not read, for the
 * taker or, if there is none or it declines, for events. Without any leaf there is no assembler,
 * only a number of records.
 */
static lam_status open_columns(lam_record_reader *records, const lam_row_taker *taker,
                               bool declines, lam_error *error) {
    size_t count = 0;
    LAM_TRY(record_reader_choose_leaves(records, error));
    for (size_t i = 0; i < records->column_count; i++) {
        lam_leaf_rows *column = &records->columns[i];
        if (!records->leaves[column->leaf_index])
            continue;
        LAM_TRY(record_reader_open_column(records, column, error));
        records->sources[count++] = (lam_triple_source){column, lam_leaf_rows_read};
    }
    records->way = taker;
    if (count > 0 && taker != NULL && !declines)
        LAM_TRY(taker->open(taker->state, records->reader, records->leaves, records->columns,
                            records->column_count, &records->assembler, error));
    records->is_taken = records->assembler != NULL;
    if (count > 0 && !records->is_taken)
        LAM_TRY(lam_assembler_create(records->reader->schema, records->leaves, records->sources,
                                     &records->reader->allocator, &records->assembler, error));
    records->has_columns = true;
    return LAM_STATUS_OK;
}

/* Closes the columns, and cuts the rows read off the wanted rows: they can be opened again. */
static void reopen_at_row(lam_record_reader *records) {
    uint64_t done = records->scan.ranges.rows - records->rows_left;
    close_columns(records);
    lam_row_ranges_cut(&records->scan.ranges, done, UINT64_MAX);
}

/*
 * Makes the columns those of a way to read, and opens them again at the same row if they were open
 * for another.
 */
static lam_status choose_way(lam_record_reader *records, const lam_row_taker *taker,
                             lam_error *error) {
    if (records->has_columns && records->way == taker)
        return LAM_STATUS_OK;
    if (records->has_columns)
        reopen_at_row(records);
    return open_columns(records, taker, false, error);
}

/*
 * Opens the next row group that has wanted rows beyond the first `*skip` ones, and counts `*skip`
 * down by the rows that it passes. False at the end of the file. Without a filter, a row group that
 * is skipped entirely is not even pruned.
 */
static lam_status record_reader_advance(lam_record_reader *records, uint64_t *skip, bool *ret_more,
                                        lam_error *error) {
    size_t count = records->most > 0 ? lam_reader_row_group_count(records->reader) : 0;
    for (; records->row_group < count; records->row_group++) {
        uint64_t rows = rows_of(records, records->row_group);
        if (records->scan.filter == NULL && rows <= *skip) {
            *skip -= rows;
            continue;
        }
        LAM_TRY(lam_scan_group(&records->scan, records->row_group, error));
        /* From here on only wanted rows count. */
        rows = records->scan.ranges.rows;
        uint64_t passed = rows < *skip ? rows : *skip;
        *skip -= passed;
        uint64_t left = rows - passed < records->most ? rows - passed : records->most;
        lam_row_ranges_cut(&records->scan.ranges, passed, left);
        if (left > 0) {
            records->rows_left = left;
            records->most -= left;
            records->is_open = true;
            *ret_more = true;
            return LAM_STATUS_OK;
        }
    }
    *ret_more = false;
    return LAM_STATUS_OK;
}

/* The verbs of a sink that drops everything. */
static lam_status pass(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_group(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)group;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state;
    (void)leaf;
    (void)value;
    (void)error;
    return LAM_STATUS_OK;
}

/* The sink of records that are skipped within a row group. */
static const lam_record_sink NOWHERE = {NULL, pass, pass_group, pass_value, pass_group, pass, NULL};

enum { EMPTY_BATCH = 4096 }; /* records without fields between checks of the stop */

/*
 * Replays records without any field: no column exists that could end the loop, and the count may be
 * large, so the stop is checked here.
 */
static lam_status read_empty(const lam_record_reader *records, const lam_record_sink *sink,
                             uint64_t count, lam_error *error) {
    for (uint64_t i = 0; i < count && sink != &NOWHERE; i++) {
        if (i % EMPTY_BATCH == 0)
            LAM_TRY(lam_stop_check(records->reader->stop, error));
        LAM_TRY(sink->begin(sink->state, error));
        LAM_TRY(sink->end(sink->state, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Adds to a LIMIT which record of the file was too large for the sink or for the memory limit. The
 * assembler counts wanted records; the ranges turn that into a row of the row group.
 */
static void record_reader_locate_row(const lam_record_reader *records, lam_error *error) {
    if (records->assembler == NULL) /* it could not be made again */
        return;
    uint64_t ended = lam_assembler_record_count(records->assembler);
    if (ended < records->scan.ranges.rows)
        lam_error_at_row(error, records->row_group,
                         lam_row_ranges_row(&records->scan.ranges, ended));
}

/* Reads records of the open row group from the columns that were taken, or as events. */
static lam_status record_reader_read_columns(lam_record_reader *records,
                                             const lam_record_sink *sink, size_t count,
                                             size_t *ret_count, lam_error *error) {
    const lam_row_taker *way = records->way;
    bool declines = false;
    size_t taken = 0;
    if (records->is_taken) {
        LAM_TRY(way->read(way->state, records->assembler, count, sink == &NOWHERE, &taken,
                          &declines, error));
        *ret_count = taken;
        if (!declines)
            return LAM_STATUS_OK;
        records->rows_left -= taken;
        reopen_at_row(records);
        records->rows_left = records->scan.ranges.rows;
        LAM_TRY(open_columns(records, way, true, error));
    }
    return lam_assembler_read(records->assembler, sink, count - taken, ret_count, error);
}

/*
 * Reads `count` records of the open row group, at most as many as it has left, and closes it with
 * the last one. The sink is not used when the columns are taken, unless it is NOWHERE.
 */
static lam_status read_from_row_group(lam_record_reader *records, const lam_record_sink *sink,
                                      size_t count, lam_error *error) {
    if (records->assembler == NULL) {
        LAM_TRY(read_empty(records, sink, count, error));
    } else {
        uint64_t left = records->rows_left - count;
        size_t got;
        lam_status status = record_reader_read_columns(records, sink, count, &got, error);
        if (status == LAM_STATUS_LIMIT)
            record_reader_locate_row(records, error);
        LAM_TRY(status);
        if (got != records->rows_left - left)
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                     "the columns of row group %zu end before its last record", records->row_group);
        count = got;
    }
    records->rows_left -= count;
    if (records->rows_left == 0)
        leave_row_group(records);
    return LAM_STATUS_OK;
}

/* Reads on from row group to row group until `max_records` are done or the file ends. */
static lam_status record_reader_read_records(lam_record_reader *records, const lam_row_taker *taker,
                                             const lam_record_sink *sink, uint64_t max_records,
                                             uint64_t *done, lam_error *error) {
    while (*done < max_records) {
        bool more = true;
        uint64_t skip = 0;
        if (!records->is_open)
            LAM_TRY(record_reader_advance(records, &skip, &more, error));
        if (!more)
            break;
        LAM_TRY(choose_way(records, taker, error));
        uint64_t wanted = max_records - *done;
        wanted = wanted < records->rows_left ? wanted : records->rows_left;
        size_t count = wanted < SIZE_MAX ? (size_t)wanted : SIZE_MAX;
        LAM_TRY(read_from_row_group(records, sink, count, error));
        *done += count;
    }
    return LAM_STATUS_OK;
}

/*
 * `*ret_records` is written only on success; records that the sink took before a failure stay
 * taken.
 */
lam_status lam_record_reader_take(lam_record_reader *records, const lam_row_taker *taker,
                                  const lam_record_sink *sink, uint64_t max_records,
                                  uint64_t *ret_records, lam_error *error) {
    if (records->failed)
        LAM_FAIL(error, LAM_STATUS_STATE, "an earlier read failed");
    uint64_t done = 0;
    lam_status status = record_reader_read_records(records, taker, sink, max_records, &done, error);
    if (status != LAM_STATUS_OK) {
        records->failed = true;
        return status;
    }
    *ret_records = done;
    return LAM_STATUS_OK;
}

lam_status lam_record_reader_read(lam_record_reader *records, const lam_record_sink *sink,
                                  uint64_t max_records, uint64_t *ret_records, lam_error *error) {
    return lam_record_reader_take(records, NULL, sink, max_records, ret_records, error);
}

/*
 * Skips records: those of the open row group through the assembler, unless it is skipped to its
 * end; then complete row groups, unread; then into the one where the skip ends, whose first rows
 * are cut from its ranges.
 */
static lam_status skip_records(lam_record_reader *records, uint64_t count, uint64_t *ret_skipped,
                               lam_error *error) {
    uint64_t left = count;
    bool more;
    if (records->is_open) {
        uint64_t rows = records->rows_left < left ? records->rows_left : left;
        if (rows == records->rows_left) {
            leave_row_group(records);
        } else if (records->has_columns) {
            LAM_TRY(read_from_row_group(records, &NOWHERE, (size_t)rows, error));
        } else {
            lam_row_ranges_cut(&records->scan.ranges, rows, UINT64_MAX);
            records->rows_left -= rows;
        }
        left -= rows;
    }
    if (left > 0)
        LAM_TRY(record_reader_advance(records, &left, &more, error));
    *ret_skipped = count - left;
    return LAM_STATUS_OK;
}

lam_status lam_record_reader_skip(lam_record_reader *records, uint64_t count, uint64_t *ret_records,
                                  lam_error *error) {
    if (records->failed)
        LAM_FAIL(error, LAM_STATUS_STATE, "an earlier read failed");
    uint64_t skipped = 0;
    lam_status status = skip_records(records, count, &skipped, error);
    records->failed = status != LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        *ret_records = skipped;
    return status;
}

/* --- Ranges that are given one by one ------------------------------------------------------ */

lam_status lam_record_reader_visit(lam_record_reader *records, size_t row_group,
                                   lam_row_range range, const bool *leaves, lam_error *error) {
    bool goes_on = records->is_visiting && !records->failed && !records->has_columns &&
                   records->row_group == row_group && records->visited <= range.begin;
    if (!goes_on)
        close_columns(records);
    records->is_open = false;
    records->is_visiting = true;
    records->failed = true; /* until all that follows has gone well */
    records->most = 0;
    records->row_group = row_group;
    LAM_TRY(lam_stop_check(records->reader->stop, error));
    lam_row_ranges_clear(&records->scan.ranges);
    LAM_TRY(lam_row_ranges_add(&records->scan.ranges, range.begin, range.end, error));
    for (size_t i = 0; i < records->column_count; i++) {
        size_t leaf = records->columns[i].leaf_index;
        records->leaves[leaf] = leaves[leaf];
    }
    records->failed = false;
    records->visited = range.end;
    records->rows_left = range.end - range.begin;
    records->is_open = true;
    return LAM_STATUS_OK;
}
