/* SPDX-License-Identifier: Apache-2.0 */
/* lamella log: JSON records or CSV from a pipe into files that survive crashes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_choice.h"
#include "log_csv.h"
#include "log_feed.h"
#include "log_fields.h"
#include "tool.h"

enum {
    SAMPLE_RECORDS = 1000,
    SAMPLE_MS = 1000,
    PATIENCE_MS = 2000,       /* for readers of acknowledgements, once a signal came */
    LINE_LEAST = 1 << 20,     /* bytes of the longest line that is taken at least */
    LOG_MEMORY = 64 << 20,    /* as the library has it */
    BYTES_OF_FIELD = 16 << 10 /* of them, for each field that the first records bring */
};

/* --- The log ------------------------------------------------------------------------------- */

static uint64_t memory_of(const log_choice *choice) {
    return choice->log.memory_limit == 0 ? LOG_MEMORY : choice->log.memory_limit;
}

/*
 * Called by the log's thread, one at a time; no other thread prints. A reader that stops reading
 * holds the log up, as any pipe does, but not its end: once a signal came, further lines are left
 * out.
 */
static void acknowledge(void *state, uint64_t durable, const char *path) {
    log_feed *feed = state;
    if (feed->is_unread || !log_signals_wait_to_write(STDOUT_FILENO, PATIENCE_MS)) {
        feed->is_unread = true;
        return;
    }
    tool_print("{\"durable\": %" PRIu64 ", \"file\": ", durable);
    tool_print_text(path, strlen(path));
    tool_print("}\n");
    tool_push();
}

/*
 * A signal ends the recovery of leftovers. A log of one file is not opened without them, so it ends
 * only before the first byte of the text is read: all that was read is logged.
 */
static lam_status open_log(const log_choice *choice, const lam_schema *schema, log_feed *feed,
                           lam_error *error) {
    lam_log_options options = choice->log;
    options.background = true;
    options.stop = choice->is_file && feed->text->end > 0 ? NULL : log_signals_stop();
    options.callback_state = feed;
    if (choice->acknowledges)
        options.on_durable = acknowledge;
    return choice->is_file ? lam_log_open_file(schema, choice->output, &options, &feed->log, error)
                           : lam_log_open(schema, choice->output, &options, &feed->log, error);
}

/* The failure of a predecessor's leftover, or of the log; no record of the text was logged. */
static int fail_open(const log_choice *choice, const log_text *text, const lam_error *error) {
    if (error->status != LAM_STATUS_CANCELLED)
        return tool_fail(choice->output, error);
    tool_say("lamella: %s: a signal came while the file of a predecessor was read: it stays as it "
             "is, and nothing of %s was read\n",
             choice->output, text->name);
    return TOOL_BAD_INPUT;
}

static void request_checkpoint(void *state) {
    lam_log_request_checkpoint(state);
}

static void refuse_line(void *state, uint64_t line, lam_bytes text) {
    log_feed_refuse(state, line, "the line is too long (option --memory-limit)", text);
}

/* Gives the failure of a log whose thread has failed while no record comes. */
static lam_status check_log(void *state, lam_error *error) {
    const log_feed *feed = state;
    return lam_log_poll(feed->log, NULL, error);
}

/* Reports events other than records. */
static void report(const log_choice *choice, log_feed *feed) {
    lam_log_info info = lam_log_info_default();
    if (lam_log_get_info(feed->log, &info, NULL) != LAM_STATUS_OK)
        return;
    if (info.recovered > 0)
        tool_say("lamella: %s: %" PRIu64 " record%s of a predecessor %s recovered\n",
                 choice->output, info.recovered, tool_s(info.recovered),
                 info.recovered == 1 ? "was" : "were");
    tool_say_passed_over(choice->output, info.passed_over);
    tool_say_unrecovered(choice->output, info.unrecovered);
    tool_say_put_aside(choice->output, info.put_aside);
    if (info.dropped > 0)
        tool_say("lamella: %s: %" PRIu64 " record%s dropped, as the disk is too slow\n",
                 choice->output, info.dropped, info.dropped == 1 ? " was" : "s were");
    if (info.retention_failures > 0)
        tool_say("lamella: %s: old files could not be removed, %" PRIu64 " times\n", choice->output,
                 info.retention_failures);
    if (feed->is_unread)
        tool_say("lamella: standard output: nobody reads it; not all is acknowledged\n");
    if (feed->refused > 0)
        tool_say("lamella: %s: %" PRIu64 " record%s refused\n", feed->text->name, feed->refused,
                 feed->refused == 1 ? " was" : "s were");
    bad_lines_say(feed->bad, feed->text->name);
}

/* The format of the text, if the command line does not give it. */
static lam_status find_format(const log_choice *choice, log_text *text, bool *ret_csv,
                              lam_error *error) {
    char unfit[300];
    *ret_csv = choice->format >= LOG_FORMAT_CSV;
    if (choice->format != LOG_FORMAT_AUTO)
        return LAM_STATUS_OK;
    lam_status status = log_csv_recognize(text, &choice->csv, ret_csv, error);
    if (status != LAM_STATUS_OK || text->whole == 0 ||
        !log_choice_is_unfit(choice, text->name, *ret_csv, unfit, sizeof unfit))
        return status;
    *error = lam_error_none();
    error->status = LAM_STATUS_INVALID;
    snprintf(error->message, sizeof error->message, "%s", unfit);
    return LAM_STATUS_INVALID;
}

/* Feeds the log, until the text ends. */
static lam_status feed_log(const log_choice *choice, log_feed *feed, bool *ret_text,
                           lam_error *error) {
    *ret_text = true;
    lam_status status = find_format(choice, feed->text, &feed->is_csv, error);
    if (status != LAM_STATUS_OK) {
        *ret_text = !log_feed_has_failed(feed);
        return status;
    }
    return feed->is_csv ? log_csv_run(feed, ret_text, error) : log_feed_run(feed, ret_text, error);
}

/* Logs all that the text has; the feed knows the text. */
static int log_text_into(const log_choice *choice, const lam_schema *schema,
                         const lam_csv_options *csv, log_feed *feed) {
    lam_error error = lam_error_none();
    log_text *text = feed->text;
    feed->json = lam_json_reader_options_default();
    feed->csv = *csv;
    feed->infers = choice->schema == NULL;
    feed->growth = (schema_growth){feed->infers, false, LAM_CLASH_ERROR};
    feed->new_field = choice->new_field;
    feed->rest_name = choice->rest;
    feed->memory = memory_of(choice);
    feed->stops = choice->stops;
    bool is_of_text = false;
    lam_status status = open_log(choice, schema, feed, &error);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND)
        return tool_misuse(&tool_log, "%s", error.message);
    if (status != LAM_STATUS_OK)
        return fail_open(choice, text, &error);
    feed->json.max_record_bytes = text->line_bytes;
    feed->json.only_lines = true;
    feed->json.ignore_unknown = choice->new_field == LOG_NEW_FIELD_IGNORE;
    feed->json.ignore_unknown_nulls = choice->new_field == LOG_NEW_FIELD_WIDEN;
    feed->json.exact_integers = choice->schema == NULL;
    feed->json.epoch = choice->epoch;
    feed->json.time_formats = choice->csv.time_formats;
    feed->json.time_format_count = choice->csv.time_format_count;
    feed->csv.exact_integers = choice->schema == NULL;
    feed->csv.max_record_bytes = text->line_bytes;
    text->idle = check_log;
    log_signals_set_checkpoint(request_checkpoint, feed->log);
    status = feed_log(choice, feed, &is_of_text, &error);
    /* Records that were read before a failure of the input are kept. */
    lam_error end_error = lam_error_none();
    lam_status end_status = status == LAM_STATUS_OK || (is_of_text && !feed->is_headless)
                                ? lam_log_finish(feed->log, &end_error)
                                : LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && !is_of_text)
        status = lam_log_poll(feed->log, NULL, &error); /* its own failure, without a line */
    log_signals_set_checkpoint(NULL, NULL);
    report(choice, feed);
    lam_log_close(feed->log);
    if (status != LAM_STATUS_OK)
        (void)(is_of_text ? tool_fail(text->name, &error) : tool_fail(choice->output, &error));
    if (end_status != LAM_STATUS_OK)
        (void)tool_fail(choice->output, &end_error);
    return status != LAM_STATUS_OK || end_status != LAM_STATUS_OK || feed->refused > 0 ||
                   choice->bad.has_failed
               ? TOOL_BAD_INPUT
               : TOOL_OK;
}

static lam_bytes first_lines(lam_bytes lines, size_t most) {
    size_t end = 0;
    for (; most > 0 && end < lines.size; most--) {
        const uint8_t *newline = memchr(lines.data + end, '\n', lines.size - end);
        end = newline == NULL ? lines.size : (size_t)(newline - lines.data) + 1;
    }
    return (lam_bytes){lines.data, end};
}

/*
 * The schema of lines. All that came at once are used, as more lines tell more of types, but if
 * they have more fields than the memory limit has room for: files of many columns have few rows.
 */
static lam_status schema_of_lines(const log_choice *choice, lam_bytes lines,
                                  lam_schema **ret_schema, lam_error *error) {
    lam_schema *schema = NULL;
    lam_status status =
        log_schema_of_lines(NULL, &(schema_growth){0}, lines, &choice->csv, &schema, error);
    if (status == LAM_STATUS_LIMIT ||
        (schema != NULL && lam_schema_leaf_count(schema) > memory_of(choice) / BYTES_OF_FIELD)) {
        lam_schema_destroy(schema);
        schema = NULL;
        status = log_schema_of_lines(NULL, &(schema_growth){0}, first_lines(lines, SAMPLE_RECORDS),
                                     &choice->csv, &schema, error);
    }
    *ret_schema = schema;
    return status;
}

/*
 * The schema of the first records; NULL when there are none. If a record has no value at all, the
 * schema waits for more.
 */
static lam_status infer_schema(const log_choice *choice, log_text *text, lam_schema **ret_schema,
                               lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_bytes lines = {NULL, 0};
    *ret_schema = NULL;
    while (status == LAM_STATUS_OK && *ret_schema == NULL) {
        bool is_more = text->whole > 0 && lines.size == 0; /* after the recognized lines */
        status = is_more ? log_text_sample_more(text, SAMPLE_RECORDS, SAMPLE_MS, &lines, error)
                         : log_text_sample(text, SAMPLE_RECORDS, SAMPLE_MS, &lines, error);
        if (status == LAM_STATUS_OK && lines.size > 0)
            status = schema_of_lines(choice, lines, ret_schema, error);
        if (text->has_ended || lines.size >= text->line_bytes)
            break;
    }
    return status;
}

/* Names the first line that is no record, as in a text of another format. */
static int fail_without_schema(const log_text *text) {
    lam_error error = lam_error_none();
    const lam_bytes lines = {(const uint8_t *)text->data, text->whole};
    if (log_check_lines(lines, &error) != LAM_STATUS_OK)
        return tool_fail(text->name, &error);
    tool_say("lamella: %s: no record has a value to infer a schema from\n", text->name);
    return TOOL_BAD_INPUT;
}

/* Makes the schema, and logs; an input without any record leaves no file. */
static int log_all(log_choice *choice, log_text *text) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL, *with_rest = NULL;
    lam_csv_options csv = choice->csv;
    log_feed feed = {.text = text, .bad = &choice->bad};
    text->state = &feed;
    text->refuse = refuse_line;
    int result = TOOL_OK;
    bool is_csv = false;
    lam_status status = LAM_STATUS_OK;
    if (choice->schema != NULL)
        result = tool_read_schema(choice->schema, &schema);
    else if (choice->is_file &&
             log_schema_of_leftover(choice->output, &schema, &error) != LAM_STATUS_OK)
        result = fail_open(choice, text, &error);
    if (schema == NULL && result == TOOL_OK) {
        status = find_format(choice, text, &is_csv, &error);
        choice->format = is_csv ? LOG_FORMAT_CSV : LOG_FORMAT_NDJSON;
        if (status == LAM_STATUS_OK)
            status = is_csv ? log_csv_schema(text, &csv, &schema, &error)
                            : infer_schema(choice, text, &schema, &error);
    }
    if (status == LAM_STATUS_OK && schema != NULL && choice->new_field == LOG_NEW_FIELD_VARIANT)
        status =
            schema_growth_make(&(schema_growth){0}, schema, NULL, choice->rest, &with_rest, &error);
    if (status != LAM_STATUS_OK)
        result = tool_fail(text->name, &error);
    else if (schema == NULL && result == TOOL_OK && text->whole > 0 && !is_csv) {
        result = fail_without_schema(text);
    } else if (schema != NULL) {
        result = log_text_into(choice, with_rest != NULL ? with_rest : schema, &csv, &feed);
    }
    lam_schema_destroy(with_rest);
    lam_schema_destroy(schema);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

static int run_log(log_choice *choice) {
    log_text text;
    const uint64_t memory = memory_of(choice);
    uint64_t line = memory / 4 > LINE_LEAST ? memory / 4 : LINE_LEAST;
    log_signals_catch();
    tool_bound_allocator(memory);
    int result =
        log_text_open(&text, choice->input, line < (1 << 30) ? (size_t)line : (size_t)1 << 30);
    if (result == TOOL_OK)
        result = bad_lines_open(&choice->bad, true);
    if (result == TOOL_OK)
        result = log_all(choice, &text);
    int closed = bad_lines_close(&choice->bad);
    log_text_close(&text);
    return result == TOOL_OK ? closed : result;
}

static int run(int argc, char **argv) {
    log_choice choice = {.log = lam_log_options_default(), .csv = lam_csv_options_default()};
    int operands, result = tool_take_options(&tool_log, argc, argv, &choice, &operands);
    if (result < 0)
        result = log_choice_check(&choice, operands, argv + 1);
    if (result < 0)
        result = run_log(&choice);
    log_choice_free(&choice);
    return result;
}

const tool_command tool_log = {
    .name = "log",
    .summary = "write JSON or CSV records as they arrive, safe from crashes",
    .usage = "[options] -o PATH [INPUT]",
    .description =
        "Writes records of JSON, one object per line (NDJSON), or CSV to Parquet files as they "
        "arrive, so that they survive a crash of the program and a loss of power. INPUT is a file "
        "or pipe; default: standard input.\n\nPATH is a folder for many files, or one file if it "
        "ends in \".parquet\". Until a file is finished its name is \"_NAME.part\", which readers "
        "of folders skip. What a predecessor left unfinished is recovered first.\n\nA record is "
        "durable after the next checkpoint: all records so far are then in the file, with a "
        "footer, and synced. With --journal it is durable after the next sync. SIGUSR1 requests a "
        "checkpoint. SIGINT, SIGTERM and SIGHUP finish all files, with every line that was read "
        "completely.\n\nWithout --schema the schema is inferred from the first 1,000 records, or "
        "those of the first second, unless the log continues a predecessor's file. The schema of "
        "a folder becomes wider as --on-new-field says. A record that does not fit is refused: an "
        "error names its line, and the log continues.\n\nSIZE is a number of bytes, optionally "
        "followed by K, M, G, T or KiB, MiB, GiB, TiB; TIME is a number followed by ms, s, m, h "
        "or d.",
    .examples =
        (const char *const[]){
            "sensor | lamella log -o readings/",
            "sensor | lamella log --journal --sync 100ms --acknowledge -o readings/",
            "tail -n +1 -F meter.csv | lamella log --format csv -o readings/",
            "sensor | lamella log --partition date=%Y-%m-%d --by time -o readings/", NULL},
    .options = log_option_rows,
    .exits = TOOL_EXITS(
        {0, "every record was written, even if SIGINT, SIGTERM or SIGHUP ended the log"},
        {1, "a record was refused, or the input cannot be read, or memory or a disk failed"},
        {2, TOOL_EXIT_MISUSE}),
    .run = run,
};
