/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives the reader of records: cuts the text into pieces, parses each into tokens, and replays the
 * tokens into the caller's sink, one record after the other.
 *
 *     lam_json_text --piece--> lam_json_tokens --tokens--> lam_json_record --events--> sink
 *
 * All memory but this struct comes from a budget, so that a hostile text ends in LIMIT rather than
 * in a machine without memory. The invariant after a failure: either the window is at the next
 * record and reading may continue, or `failed` is set and every later call fails with STATE.
 */
#include <inttypes.h>
#include <lamella/json.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/stop.h"
#include "text/time_format.h"
#include "json/parse/json_locate.h"
#include "json/parse/json_text.h"
#include "json/read/json_record.h"

struct lam_json_reader {
    lam_budget budget; /* of all memory but this struct */
    lam_json_text text;
    lam_json_record record;
    const lam_stop *stop;
    uint64_t line;     /* on which the last record begins */
    lam_bytes refused; /* its text, if it was refused */
    bool failed;       /* no record can be found after the last failure */
};

/* Reads from memory. The state is the remaining range, which belongs to the caller. */
static lam_status memory_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                              lam_error *error) {
    lam_bytes *left = state;
    size_t size = left->size < capacity ? left->size : capacity;
    (void)error;
    if (size > 0) {
        memcpy(buffer, left->data, size);
        left->data += size;
        left->size -= size;
    }
    *ret_size = size;
    return LAM_STATUS_OK;
}

lam_json_source lam_json_source_memory(lam_bytes *left) {
    lam_json_source source = {left, memory_read};
    return source;
}

static lam_status json_reader_check_options(const lam_json_reader_options *options,
                                            lam_error *error) {
    if ((unsigned)options->binary > LAM_JSON_BINARY_UTF8)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown binary form %d", (int)options->binary);
    if ((unsigned)options->variant > LAM_JSON_VARIANT_STORAGE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown JSON form %d of VARIANTs",
                 (int)options->variant);
    if ((unsigned)options->epoch > LAM_JSON_EPOCH_NANOS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown unit %d of numbers since 1970",
                 (int)options->epoch);
    LAM_TRY(lam_time_formats_check(
        (lam_time_formats){options->time_formats, options->time_format_count}, error));
    return lam_json_check_limit(options->max_record_bytes, options->memory_limit, error);
}

/*
 * The members are cleared memory until they are initialized, so that destroy works at every step.
 */
lam_status lam_json_reader_create(const lam_schema *schema, const lam_json_source *source,
                                  const lam_json_reader_options *options,
                                  const lam_allocator *allocator, lam_json_reader **ret_reader,
                                  lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_reader_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_reader_options, options, &chosen, error));
    LAM_TRY(lam_schema_require(schema, error));
    LAM_TRY(json_reader_check_options(&chosen, error));
    lam_json_reader *reader;
    LAM_TRY(LAM_NEW(&own, &reader, error));
    lam_budget_init(&reader->budget, &own,
                    lam_json_memory_limit(chosen.memory_limit, chosen.max_record_bytes));
    lam_allocator drawing = lam_budget_allocator(&reader->budget);
    reader->stop = chosen.stop;
    lam_json_text_init(&reader->text, source, lam_json_limit(chosen.max_record_bytes), &drawing);
    reader->text.only_lines = chosen.only_lines;
    reader->text.line = chosen.first_line == 0 ? 1 : chosen.first_line;
    LAM_TRY_OUT(lam_json_record_init(&reader->record, schema, &chosen, &drawing, error));
    *ret_reader = reader;
    return LAM_STATUS_OK;
out:
    lam_json_reader_destroy(reader);
    return status;
}

/* Parses the text of a record; if memory is short, without the memory of the records before it. */
static lam_status parse_piece(lam_json_record *record, const lam_json_piece *piece,
                              lam_error *error) {
    lam_status status = lam_json_tokens_parse(&record->parsed, piece->text, piece->size, NULL);
    if (status == LAM_STATUS_OK)
        return status;
    if (status == LAM_STATUS_CANCELLED)
        return lam_stop_fail(record->stop, error);
    if (status == LAM_STATUS_LIMIT)
        lam_json_record_give_back(record);
    return lam_json_tokens_parse(&record->parsed, piece->text, piece->size, error);
}

/*
 * Reads one record, or none at the end of the text. A failure of the text or grammar has a line and
 * a column; one of a value has a line and its path, and one of the sink a line alone, as the sink
 * knows more about it than the text does.
 */
static lam_status read_one(lam_json_reader *reader, const lam_record_sink *sink, bool *ret_any,
                           lam_error *error) {
    enum { JSON_READER_PATH_ROOM = 100 };
    lam_json_record *record = &reader->record;
    lam_json_piece piece = {0};
    LAM_TRY(lam_stop_check(reader->stop, error));
    record->sink_failed = false;
    lam_status status = lam_json_text_next(&reader->text, &piece, error);
    *ret_any = piece.text != NULL;
    reader->refused = (lam_bytes){(const uint8_t *)piece.text, piece.size};
    /* Set before the record is parsed: the line of a refused record counts too. */
    if (status != LAM_STATUS_OK || piece.text != NULL)
        reader->line = status == LAM_STATUS_OK ? piece.line : reader->text.line;
    if (status != LAM_STATUS_OK || piece.text == NULL)
        return status;
    status = parse_piece(record, &piece, error);
    if (status != LAM_STATUS_OK)
        return lam_json_locate_syntax(&piece, record->parsed.problem, status, error);
    status = lam_json_record_replay(record, sink, error);
    if (status != LAM_STATUS_INVALID && status != LAM_STATUS_LIMIT)
        return status;
    char path[JSON_READER_PATH_ROOM] = "";
    /* The path is made only now, after the failure. */
    if (!record->sink_failed)
        lam_json_record_path(record, path, sizeof path);
    return lam_json_locate_value(&piece, record->at, path, status, error);
}

/*
 * Whether reading may continue with the next record: this record is at fault, or alone needs too
 * much memory. A LIMIT of the sink is not the record's, and would come again.
 */
static bool may_go_on(const lam_json_reader *reader, lam_status status) {
    if (status == LAM_STATUS_OK)
        return true;
    return !reader->text.failed && (status == LAM_STATUS_INVALID ||
                                    (status == LAM_STATUS_LIMIT && !reader->record.sink_failed));
}

/* `*ret_records` counts the complete records, also when the next one fails. */
lam_status lam_json_reader_read(lam_json_reader *reader, const lam_record_sink *sink,
                                size_t max_records, size_t *ret_records, lam_error *error) {
    size_t records = 0;
    lam_status status = LAM_STATUS_OK;
    if (reader->failed)
        status =
            lam_error_set(error, LAM_STATUS_STATE, "the text cannot be read past the last failure");
    while (status == LAM_STATUS_OK && records < max_records) {
        bool any;
        status = read_one(reader, sink, &any, error);
        if (status == LAM_STATUS_OK && !any)
            break;
        /* A record that failed is not counted, and ends the call. */
        records += status == LAM_STATUS_OK;
    }
    if (status == LAM_STATUS_LIMIT)
        lam_json_record_give_back(&reader->record); /* the next one may need it */
    reader->failed = reader->failed || !may_go_on(reader, status);
    if (status == LAM_STATUS_OK || reader->failed)
        reader->refused = (lam_bytes){NULL, 0};
    *ret_records = records;
    return status;
}

uint64_t lam_json_reader_line(const lam_json_reader *reader) {
    return reader->line;
}

lam_bytes lam_json_reader_text(const lam_json_reader *reader) {
    return reader->refused;
}

void lam_json_reader_destroy(lam_json_reader *reader) {
    if (reader == NULL)
        return;
    lam_allocator allocator = reader->budget.beneath;
    lam_json_text_finish(&reader->text);
    lam_json_record_finish(&reader->record);
    lam_free(&allocator, reader, sizeof *reader);
}
