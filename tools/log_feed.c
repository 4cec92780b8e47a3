/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a log by complete lines of JSON: as they come, their records go to the log, and a line to
 * standard error for each that is refused.
 *
 *     line -> reader -> producer            a record as the schema has it
 *          -> wider schema -> new reader    a new field or type: the line is read again
 *          -> split -> reader -> producer   a new field that moves into a VARIANT
 *
 * The invariant: a record is in the log once, or refused with its line; reading ends only with a
 * failure of the log or of the input.
 */
#include "log_feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log_fields.h"
#include "tool.h"

enum {
    RECORDS_AT_ONCE = 1024,
    LINES_AT_ONCE = 64 << 10,   /* bytes that one schema is widened for */
    BYTES_OF_COLUMN = 64 << 10, /* of the memory limit, for each column that comes later */
    LOG_WIDENINGS_MOST = 100,
    CAUTION = 3, /* how far a number of lines is shifted when they have too many fields */
    CAUTIONS_MOST = 18
};

/* --- Readers and producers ----------------------------------------------------------------- */

lam_status log_feed_start(log_feed *feed, lam_error *error) {
    lam_status status = lam_log_producer_create(feed->log, &feed->producer, error);
    if (status != LAM_STATUS_OK)
        return status;
    feed->sink = lam_log_producer_sink(feed->producer);
    if (feed->growth.widens && feed->new_field == LOG_NEW_FIELD_WIDEN) {
        log_exact_start(&feed->exact, lam_log_schema(feed->log), feed->sink);
        feed->sink = log_exact_sink(&feed->exact);
    }
    return LAM_STATUS_OK;
}

void log_feed_stop(log_feed *feed) {
    lam_log_producer_destroy(feed->producer);
    feed->producer = NULL;
}

static void stop_reading(log_feed *feed) {
    lam_json_reader_destroy(feed->reader);
    lam_json_reader_destroy(feed->rest_reader);
    feed->reader = feed->rest_reader = NULL;
    log_feed_stop(feed);
}

/* Reads from this line on, by the present schema of the log. */
static lam_status start_reading(log_feed *feed, uint64_t line, lam_error *error) {
    lam_json_source source = log_text_source(feed->text);
    stop_reading(feed);
    log_text_rewind(feed->text, line);
    lam_status status = log_feed_start(feed, error);
    if (status != LAM_STATUS_OK)
        return status;
    feed->json.first_line = line;
    return lam_json_reader_create(lam_log_schema(feed->log), &source, &feed->json, NULL,
                                  &feed->reader, error); /* a line bounds it */
}

/* Reads the one record of a text that was split; the reader is made when it is needed first. */
static lam_status read_split(log_feed *feed, lam_error *error) {
    size_t records;
    feed->rest_left.data = (const uint8_t *)feed->rest.known.data;
    feed->rest_left.size = feed->rest.known.size;
    if (feed->rest_reader == NULL) {
        lam_json_source source = lam_json_source_memory(&feed->rest_left);
        lam_status status = lam_json_reader_create(lam_log_schema(feed->log), &source, &feed->json,
                                                   NULL, &feed->rest_reader, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return lam_json_reader_read(feed->rest_reader, &feed->sink, 1, &records, error);
}

/* --- Records that are not as the schema has them ------------------------------------------- */

void log_feed_refuse(log_feed *feed, uint64_t line, const char *message, lam_bytes text) {
    lam_error error = lam_error_none();
    if (feed->bad->skips) {
        bool had_failed = feed->bad->has_failed;
        if (bad_lines_add(feed->bad, feed->text->name, line, message, text, &error) !=
                LAM_STATUS_OK &&
            !had_failed)
            (void)tool_fail(feed->bad->path, &error); /* the records go on */
        return;
    }
    /* The reader of a split record counts lines of its own. */
    if (strncmp(message, "line ", 5) == 0) {
        message += 5;
        message += strspn(message, "0123456789");
        tool_say("lamella: %s: line %" PRIu64 "%s\n", feed->text->name, line, message);
    } else {
        tool_say("lamella: %s: line %" PRIu64 ": %s\n", feed->text->name, line, message);
    }
    feed->refused++;
}

bool log_feed_has_failed(const log_feed *feed) {
    lam_log_info info = lam_log_info_default();
    return lam_log_get_info(feed->log, &info, NULL) != LAM_STATUS_OK || info.has_failed;
}

bool log_feed_is_of_record(const log_feed *feed, lam_status status) {
    return (status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT) &&
           !log_feed_has_failed(feed);
}

bool log_feed_may_widen(log_feed *feed, size_t columns) {
    const size_t present = lam_schema_leaf_count(lam_log_schema(feed->log));
    if (feed->widenings == 0)
        feed->columns_most = present + feed->memory / BYTES_OF_COLUMN;
    return feed->widenings < LOG_WIDENINGS_MOST && columns <= feed->columns_most;
}

static lam_status pass_by(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

/* Whether a schema takes the record of a line, which no log gets. */
static bool takes_line(const log_feed *feed, const lam_schema *schema, lam_bytes line) {
    const lam_record_sink sink = {NULL, pass_by, pass_group, pass_value, pass_group, pass_by, NULL};
    lam_json_source source = lam_json_source_memory(&line);
    lam_json_reader *reader;
    size_t records;
    if (lam_json_reader_create(schema, &source, &feed->json, NULL, &reader, NULL) != LAM_STATUS_OK)
        return false;
    lam_status status = lam_json_reader_read(reader, &sink, 1, &records, NULL);
    lam_json_reader_destroy(reader);
    return status == LAM_STATUS_OK;
}

/* The schema that takes the record of a line; NULL when the log's can be no wider one for it. */
static lam_status schema_for_line(log_feed *feed, uint64_t line, lam_schema **ret_needed,
                                  lam_error *error) {
    lam_bytes text = log_text_line(feed->text, line);
    lam_schema *needed = NULL;
    lam_status status = log_schema_of_lines(lam_log_schema(feed->log), &feed->growth, text,
                                            &feed->csv, &needed, error);
    if (needed != NULL && !takes_line(feed, needed, text)) {
        lam_schema_destroy(needed);
        needed = NULL;
    }
    *ret_needed = needed;
    return status;
}

/*
 * A schema with the fields of the lines after this one, too, so that one file follows and not
 * several: of fewer lines if all have too many fields. NULL when they bring no fields.
 */
static lam_status schema_for_lines(log_feed *feed, uint64_t line, const lam_schema *needed,
                                   lam_schema **ret_wider, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_schema *wider = NULL;
    for (bool tries = true; tries && status == LAM_STATUS_OK;) {
        lam_bytes lines = log_text_lines(feed->text, line, LINES_AT_ONCE >> feed->cautions);
        status = log_schema_of_lines(needed, &feed->growth, lines, &feed->csv, &wider, error);
        bool is_refused =
            wider != NULL && (!log_exact_allows(&feed->exact, wider) ||
                              !log_feed_may_widen(feed, lam_schema_leaf_count(wider)));
        tries = is_refused && feed->cautions < CAUTIONS_MOST;
        feed->cautions += tries ? CAUTION : 0;
        if (is_refused) {
            lam_schema_destroy(wider);
            wider = NULL;
        }
    }
    *ret_wider = wider;
    return status;
}

/*
 * Gives the log the schema that a line needs, or one that the lines after it need, too. False if it
 * takes none, as with a folder for each day of a field that becomes a text.
 */
static lam_status take_wider(log_feed *feed, uint64_t line, const lam_schema *needed,
                             bool *ret_taken, lam_error *error) {
    lam_schema *wider = NULL;
    lam_status status = schema_for_lines(feed, line, needed, &wider, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_log_widen(feed->log, wider != NULL ? wider : needed, error);
    if (status == LAM_STATUS_INVALID && wider != NULL && !log_feed_has_failed(feed))
        status = lam_log_widen(feed->log, needed, error);
    lam_schema_destroy(wider);
    *ret_taken = status == LAM_STATUS_OK;
    return status == LAM_STATUS_INVALID && !log_feed_has_failed(feed) ? LAM_STATUS_OK : status;
}

void log_feed_say_limit(lam_error *error, bool is_unknown) {
    size_t size = strlen(error->message);
    snprintf(error->message + size, sizeof error->message - size, ", and the log %s (%s)",
             is_unknown ? "gets no more new ones" : "gets no wider types any more",
             is_unknown ? "--on-new-field variant takes any" : "--schema gives the types");
}

void log_feed_say_inexact(lam_error *error) {
    size_t size = strlen(error->message);
    snprintf(error->message + size, sizeof error->message - size,
             ", and a double does not keep all integers that were there before");
}

/*
 * Gives the log the new fields and wider types that the line needs, which is then read again; false
 * when that does not help. `*error` is why it is refused otherwise.
 */
static lam_status widen(log_feed *feed, uint64_t line, bool is_unknown, bool *ret_done,
                        lam_error *error) {
    lam_schema *needed = NULL;
    lam_error failure = lam_error_none();
    bool is_taken = false;
    *ret_done = false;
    if (feed->widened == line)
        return LAM_STATUS_OK;
    feed->widened = line;
    lam_status status = schema_for_line(feed, line, &needed, &failure);
    if (status == LAM_STATUS_OK && needed != NULL) {
        if (!log_exact_allows(&feed->exact, needed))
            log_feed_say_inexact(error);
        else if (log_feed_may_widen(feed, lam_schema_leaf_count(needed)))
            status = take_wider(feed, line, needed, &is_taken, &failure);
        else
            log_feed_say_limit(error, is_unknown);
    }
    lam_schema_destroy(needed);
    if (is_taken)
        status = start_reading(feed, line, &failure);
    *ret_done = is_taken && status == LAM_STATUS_OK;
    feed->widenings += is_taken;
    if (status != LAM_STATUS_OK)
        *error = failure;
    return status;
}

/*
 * Puts the record of the line with unknown fields in a VARIANT; `*error` is the reason for which it
 * is refused.
 */
static lam_status move_unknown(log_feed *feed, uint64_t line, bool *ret_done, lam_error *error) {
    *ret_done = false;
    if (!log_rest_split(&feed->rest, lam_log_schema(feed->log), feed->rest_name,
                        log_text_line(feed->text, line)))
        return LAM_STATUS_OK;
    lam_status status = read_split(feed, error);
    *ret_done = status == LAM_STATUS_OK;
    return status;
}

/* What to do about a failure; reading continues when it gives OK. */
static lam_status handle(log_feed *feed, lam_status status, lam_error *error) {
    bool is_done = false;
    uint64_t line = lam_json_reader_line(feed->reader);
    (void)feed->sink.fail(feed->sink.state, error, NULL); /* leaves the record */
    if (!log_feed_is_of_record(feed, status))
        return status;
    bool is_unknown = error->code == LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN;
    if (status == LAM_STATUS_INVALID && feed->new_field == LOG_NEW_FIELD_WIDEN &&
        (is_unknown || feed->growth.widens))
        status = widen(feed, line, is_unknown, &is_done, error);
    else if (is_unknown && feed->new_field == LOG_NEW_FIELD_VARIANT)
        status = move_unknown(feed, line, &is_done, error);
    if (is_done)
        return LAM_STATUS_OK;
    (void)feed->sink.fail(feed->sink.state, error, NULL);
    if (status != LAM_STATUS_OK && (feed->reader == NULL || !log_feed_is_of_record(feed, status)))
        return status;
    log_feed_refuse(feed, line, error->message, log_text_line(feed->text, line));
    /* A record without room under the memory limit ends a reader. */
    return status == LAM_STATUS_LIMIT ? start_reading(feed, line + 1, error) : LAM_STATUS_OK;
}

lam_status log_feed_run(log_feed *feed, bool *ret_text, lam_error *error) {
    size_t records = RECORDS_AT_ONCE;
    *ret_text = false;
    lam_status status = start_reading(feed, feed->text->line, error);
    while (status == LAM_STATUS_OK && records == RECORDS_AT_ONCE &&
           !(feed->stops && feed->refused > 0)) {
        status = lam_json_reader_read(feed->reader, &feed->sink, RECORDS_AT_ONCE, &records, error);
        if (status == LAM_STATUS_OK)
            continue;
        records = RECORDS_AT_ONCE;
        status = handle(feed, status, error);
    }
    *ret_text = status != LAM_STATUS_OK && !log_feed_has_failed(feed);
    stop_reading(feed);
    log_rest_free(&feed->rest);
    log_exact_free(&feed->exact);
    return status;
}
