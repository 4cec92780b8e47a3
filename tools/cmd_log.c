/* SPDX-License-Identifier: Apache-2.0 */
/* lamella log: JSON records from a pipe into files that survive crashes. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_feed.h"
#include "log_fields.h"
#include "tool.h"

static const char help[] =
    "usage: lamella log [options] -o PATH [INPUT]\n"
    "\n"
    "Writes JSON records, one object per line (NDJSON), to Parquet files as they\n"
    "come, so that they survive the end of the program and of the power. INPUT is a\n"
    "file or pipe; default: standard input.\n"
    "\n"
    "PATH is a folder, in which files follow each other, or one file if it ends in\n"
    "\".parquet\". A file has \".part\" behind its name until it is finished. What a\n"
    "predecessor left unfinished is recovered first.\n"
    "\n"
    "A record is durable after the next checkpoint: the records so far are then in\n"
    "the file, with a footer, and synced. With --journal it is durable after the\n"
    "next sync. SIGUSR1 requests a checkpoint. SIGINT, SIGTERM and SIGHUP finish all\n"
    "files, with every line that was read as a whole, and the exit status is 0.\n"
    "\n"
    "Without --schema the schema is inferred from the first 1,000 records, or those\n"
    "of the first second, unless one file goes on that a predecessor left. A record\n"
    "that does not fit is refused: an error names its line, the log goes on, and the\n"
    "exit status is 1 in the end.\n"
    "\n"
    "  sensor | lamella log -o readings/\n"
    "  sensor | lamella log --journal --sync 100ms --acknowledge -o readings/\n"
    "  sensor | lamella log --partition date=%Y-%m-%d --by time -o readings/\n"
    "\n"
    "SIZE is a number of bytes, optionally followed by K, M, G, T or KiB, MiB, GiB,\n"
    "TiB; TIME a number and ms, s, m, h or d.\n"
    "\n"
    "options:\n"
    "  -o, --output PATH        the folder or file to write\n"
    "  --schema FILE|TEXT       message text, or a file that holds it\n"
    "  --on-new-field widen|refuse|variant|ignore\n"
    "                           a field that the schema does not have: the schema\n"
    "                           gets it, and the next records are in a new file; its\n"
    "                           record is refused; it moves into a VARIANT; it is\n"
    "                           left out; default: widen, or refuse for one file\n"
    "  --rest NAME              that VARIANT; default: rest\n"
    "  --stop-on-error          end with the first record that is refused\n"
    "  --checkpoint TIME|SIZE|Nrows\n"
    "                           make a file durable this long after its first record\n"
    "                           that is not, or after so many bytes or rows; may be\n"
    "                           given once for each; default: 10s, or as --journal\n"
    "                           needs it\n"
    "  --journal                keep records that are not in the file yet in a\n"
    "                           journal beside it, synced on its own\n"
    "  --sync never|checkpoint|TIME|record\n"
    "                           sync never (records survive a kill, but no power\n"
    "                           cut), at checkpoints, also each TIME, or, with\n"
    "                           --journal, each record; default: checkpoint, or 1s\n"
    "                           with --journal\n"
    "  --rotate SIZE|TIME       begin a new file at this size or age; may be given\n"
    "                           once for each; default: 256MiB\n"
    "  --partition FORMAT       folders by a field of the record, as in\n"
    "                           date=%Y-%m-%d/hour=%H, in UTC; %v is the value itself\n"
    "  --by PATH                that field; default of FORMAT: NAME=%v\n"
    "  --open-files N           keep at most so many files open; default: 16\n"
    "  --prefix NAME            begin the names of files with this; default: log\n"
    "  --keep SIZE|TIME         remove the oldest finished files beyond this size or\n"
    "                           age; may be given once for each; default: keep all\n"
    "  --leftovers recover|keep what becomes of unfinished files of a predecessor;\n"
    "                           default: recover\n"
    "  --queue block|drop-newest|drop-oldest\n"
    "                           when the disk is too slow: stop reading, or drop\n"
    "                           records, whose number is reported; default: block\n"
    "  --memory-limit SIZE      bytes that the log may hold; default: 64MiB\n"
    "  --meta KEY=VALUE         add a pair to the key-value metadata of each file;\n"
    "                           may be given more than once\n"
    "  --acknowledge            print a line of JSON after each sync, of the records\n"
    "                           that are durable since the start, and the file synced\n"
    "                           last: {\"durable\": 1000, \"file\": \"readings/...\"}\n"
    "  -h, --help               print this page\n";

enum {
    SAMPLE_RECORDS = 1000,
    SAMPLE_MS = 1000,
    LINE_LEAST = 1 << 20, /* bytes of the longest line that is taken at least */
    LOG_MEMORY = 64 << 20 /* as the library has it */
};

typedef struct log_command {
    const char *output;
    const char *schema;
    const char *input;
    const char *rest;
    bool is_file;
    bool has_policy; /* --on-new-field was given */
    log_new_field new_field;
    bool acknowledges;
    bool stops;
    lam_log_options log;
    lam_log_key_value *pairs; /* of --meta, allocated with their texts */
} log_command;

/* --- Options ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

/* "10s", "500ms", "30d": milliseconds, above 0; a unit is required. */
static bool parse_time(const char *text, uint64_t *ret_ms) {
    int64_t nanoseconds;
    uint64_t days;
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && strcmp(text + digits, "d") == 0 && digits < 6) {
        days = strtoull(text, NULL, 10);
        *ret_ms = days * 86400000;
        return days > 0;
    }
    if (text[digits] == '\0' || !tool_parse_duration(text, &nanoseconds) || nanoseconds <= 0)
        return false;
    *ret_ms = (uint64_t)nanoseconds / 1000000;
    return true;
}

/* "100000rows". */
static bool parse_rows(const char *text, uint64_t *ret_rows) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || strcmp(text + digits, "rows") != 0)
        return false;
    *ret_rows = strtoull(text, NULL, 10);
    return *ret_rows > 0;
}

/* A size or a time; "10m" is minutes, as sizes have upper-case letters. */
static bool parse_size_or_time(const char *text, uint64_t *size, uint64_t *ms) {
    return parse_time(text, ms) || tool_parse_limit(text, size);
}

static bool parse_sync(const char *text, lam_log_options *options) {
    if (strcmp(text, "never") == 0)
        options->sync = LAM_LOG_SYNC_NEVER;
    else if (strcmp(text, "checkpoint") == 0)
        options->sync = LAM_LOG_SYNC_CHECKPOINT;
    else if (strcmp(text, "record") == 0)
        options->sync = LAM_LOG_SYNC_RECORD;
    else {
        options->sync = LAM_LOG_SYNC_INTERVAL;
        return parse_time(text, &options->sync_ms);
    }
    return true;
}

/* The place of a word in a list that ends with NULL; -1 when it is not there. */
static int find_word(const char *word, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool parse_policy(const char *text, log_command *command) {
    static const char *const words[] = {"widen", "refuse", "variant", "ignore", NULL};
    int found = find_word(text, words);
    command->new_field = (log_new_field)found;
    command->has_policy = true;
    return found >= 0;
}

static bool parse_queue(const char *text, lam_log_options *options) {
    static const char *const words[] = {"block", "drop-newest", "drop-oldest", NULL};
    int found = find_word(text, words);
    options->when_full = (lam_log_full)(found + LAM_LOG_FULL_BLOCK);
    return found >= 0;
}

static bool parse_leftovers(const char *text, lam_log_options *options) {
    static const char *const words[] = {"recover", "keep", NULL};
    int found = find_word(text, words);
    options->leftovers = (lam_log_leftovers)(found + LAM_LOG_LEFTOVERS_RECOVER);
    return found >= 0;
}

static bool parse_open_files(const char *text, lam_log_options *options) {
    uint64_t count;
    if (!tool_parse_count(text, &count) || count == 0 || count > 4096)
        return false;
    options->open_files = (uint32_t)count;
    return true;
}

/* "KEY=VALUE"; a key comes once. */
static bool add_pair(const char *text, log_command *command) {
    const char *equals = strchr(text, '=');
    size_t count = command->log.key_value_count;
    size_t size = equals != NULL ? (size_t)(equals - text) : 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(command->pairs[i].key) == size && memcmp(command->pairs[i].key, text, size) == 0)
            return false;
    if (size == 0)
        return false;
    char *copy = tool_copy_text(text);
    copy[size] = '\0';
    command->pairs = tool_reallocate(command->pairs, count + 1, sizeof *command->pairs);
    command->pairs[count] = (lam_log_key_value){copy, copy + size + 1};
    command->log.key_values = command->pairs;
    command->log.key_value_count = count + 1;
    return true;
}

static void free_pairs(log_command *command) {
    for (size_t i = 0; i < command->log.key_value_count; i++)
        free((char *)(uintptr_t)command->pairs[i].key);
    free(command->pairs);
}

enum {
    OPTION_SCHEMA = 256,
    OPTION_NEW_FIELD,
    OPTION_REST,
    OPTION_STOP,
    OPTION_CHECKPOINT,
    OPTION_JOURNAL,
    OPTION_SYNC,
    OPTION_ROTATE,
    OPTION_PARTITION,
    OPTION_BY,
    OPTION_OPEN_FILES,
    OPTION_PREFIX,
    OPTION_KEEP,
    OPTION_LEFTOVERS,
    OPTION_QUEUE,
    OPTION_MEMORY,
    OPTION_META,
    OPTION_ACKNOWLEDGE
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"schema", required_argument, NULL, OPTION_SCHEMA},
    {"on-new-field", required_argument, NULL, OPTION_NEW_FIELD},
    {"rest", required_argument, NULL, OPTION_REST},
    {"stop-on-error", no_argument, NULL, OPTION_STOP},
    {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
    {"journal", no_argument, NULL, OPTION_JOURNAL},
    {"sync", required_argument, NULL, OPTION_SYNC},
    {"rotate", required_argument, NULL, OPTION_ROTATE},
    {"partition", required_argument, NULL, OPTION_PARTITION},
    {"by", required_argument, NULL, OPTION_BY},
    {"open-files", required_argument, NULL, OPTION_OPEN_FILES},
    {"prefix", required_argument, NULL, OPTION_PREFIX},
    {"keep", required_argument, NULL, OPTION_KEEP},
    {"leftovers", required_argument, NULL, OPTION_LEFTOVERS},
    {"queue", required_argument, NULL, OPTION_QUEUE},
    {"memory-limit", required_argument, NULL, OPTION_MEMORY},
    {"meta", required_argument, NULL, OPTION_META},
    {"acknowledge", no_argument, NULL, OPTION_ACKNOWLEDGE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* Applies one option; false when its value is no good. */
static bool apply(int option, const char *value, log_command *command) {
    lam_log_options *log = &command->log;
    switch (option) {
    case 'o':
        command->output = value;
        return *value != '\0';
    case OPTION_SCHEMA:
        command->schema = value;
        return true;
    case OPTION_NEW_FIELD:
        return parse_policy(value, command);
    case OPTION_REST:
        command->rest = value;
        return *value != '\0';
    case OPTION_STOP:
        return command->stops = true;
    case OPTION_CHECKPOINT:
        return parse_rows(value, &log->checkpoint_rows) ||
               parse_size_or_time(value, &log->checkpoint_bytes, &log->checkpoint_ms);
    case OPTION_JOURNAL:
        return log->journal = true;
    case OPTION_SYNC:
        return parse_sync(value, log);
    case OPTION_ROTATE:
        return parse_size_or_time(value, &log->rotate_bytes, &log->rotate_ms);
    case OPTION_PARTITION:
        log->partition_format = value;
        return true;
    case OPTION_BY:
        log->partition_by = value;
        return true;
    case OPTION_OPEN_FILES:
        return parse_open_files(value, log);
    case OPTION_PREFIX:
        log->prefix = value;
        return true;
    case OPTION_KEEP:
        return parse_size_or_time(value, &log->keep_bytes, &log->keep_ms);
    case OPTION_LEFTOVERS:
        return parse_leftovers(value, log);
    case OPTION_QUEUE:
        return parse_queue(value, log);
    case OPTION_MEMORY:
        return tool_parse_limit(value, &log->memory_limit);
    case OPTION_META:
        return add_pair(value, command);
    default:
        return command->acknowledges = true;
    }
}

/* What does not go together. */
static int check_options(log_command *command) {
    const lam_log_options *log = &command->log;
    if (command->output == NULL)
        return tool_misuse(&tool_log, "-o is missing: name the folder or file to write");
    command->is_file = ends_with(command->output, ".parquet");
    if (command->is_file && command->new_field == LOG_NEW_FIELD_WIDEN && command->has_policy)
        return tool_misuse(&tool_log, "--on-new-field widen begins new files, and needs a folder");
    if (command->is_file && !command->has_policy)
        command->new_field = LOG_NEW_FIELD_REFUSE;
    if (log->partition_format != NULL && log->partition_by == NULL)
        return tool_misuse(&tool_log, "--partition needs --by");
    if (command->rest != NULL && command->new_field != LOG_NEW_FIELD_VARIANT)
        return tool_misuse(&tool_log, "--rest needs --on-new-field variant");
    if (command->rest == NULL)
        command->rest = "rest";
    if (log->sync == LAM_LOG_SYNC_RECORD && !log->journal)
        return tool_misuse(&tool_log, "--sync record needs --journal");
    return TOOL_OK;
}

static int parse_options(int argc, char **argv, log_command *command, bool *ret_done) {
    int option, result, index = 0;
    *ret_done = true;
    while ((option = getopt_long(argc, argv, ":ho:", long_options, &index)) != -1) {
        if (tool_common_option(&tool_log, option, argv, &result))
            return result;
        if (!apply(option, optarg, command))
            return tool_misuse(&tool_log, "--%s cannot be '%s'",
                               option == 'o' ? "output" : long_options[index].name, optarg);
    }
    if (argc - optind > 1)
        return tool_misuse(&tool_log, "one input at most");
    command->input = optind < argc ? argv[optind] : "-";
    result = check_options(command);
    *ret_done = result != TOOL_OK;
    return result;
}

/* --- The log ------------------------------------------------------------------------------- */

/* Called by the log's thread, one at a time; nobody else prints. */
static void acknowledge(void *state, uint64_t durable, const char *path) {
    (void)state;
    tool_print("{\"durable\": %" PRIu64 ", \"file\": ", durable);
    tool_print_text(path, strlen(path));
    tool_print("}\n");
    tool_push();
}

static lam_status open_log(const log_command *command, const lam_schema *schema, lam_log **ret_log,
                           lam_error *error) {
    lam_log_options options = command->log;
    options.background = true;
    if (command->acknowledges)
        options.on_durable = acknowledge;
    return command->is_file ? lam_log_open_file(schema, command->output, &options, ret_log, error)
                            : lam_log_open(schema, command->output, &options, ret_log, error);
}

static void request_checkpoint(void *state) {
    lam_log_request_checkpoint(state);
}

static void refuse_line(void *state, uint64_t line) {
    log_feed_refuse(state, line, "the line is too long (option --memory-limit)");
}

/* Gives the failure of a log whose thread has failed while no record comes. */
static lam_status check_log(void *state, lam_error *error) {
    const log_feed *feed = state;
    return lam_log_poll(feed->log, NULL, error);
}

/* Reports what happened besides records. */
static void report(const log_command *command, const log_feed *feed) {
    lam_log_info info = lam_log_info_default();
    if (lam_log_get_info(feed->log, &info, NULL) != LAM_STATUS_OK)
        return;
    if (info.recovered > 0)
        fprintf(stderr, "lamella: %s: %" PRIu64 " records of a predecessor were recovered\n",
                command->output, info.recovered);
    if (info.dropped > 0)
        fprintf(stderr, "lamella: %s: %" PRIu64 " records were dropped, as the disk is too slow\n",
                command->output, info.dropped);
    if (info.retention_failures > 0)
        fprintf(stderr, "lamella: %s: old files could not be removed, %" PRIu64 " times\n",
                command->output, info.retention_failures);
    if (feed->refused > 0)
        fprintf(stderr, "lamella: %s: %" PRIu64 " record%s refused\n", feed->text->name,
                feed->refused, feed->refused == 1 ? " was" : "s were");
}

/* Logs all that the text has. */
static int log_text_into(const log_command *command, const lam_schema *schema, log_text *text) {
    lam_error error = lam_error_none();
    log_feed feed = {.text = text,
                     .json = lam_json_reader_options_default(),
                     .new_field = command->new_field,
                     .rest_name = command->rest,
                     .stops = command->stops};
    bool is_of_text = false;
    lam_status status = open_log(command, schema, &feed.log, &error);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND)
        return tool_misuse(&tool_log, "%s", error.message);
    if (status != LAM_STATUS_OK)
        return tool_fail(command->output, &error);
    feed.json.max_record_bytes = text->line_bytes;
    feed.json.only_lines = true;
    feed.json.ignore_unknown = command->new_field == LOG_NEW_FIELD_IGNORE;
    feed.json.ignore_unknown_nulls = command->new_field == LOG_NEW_FIELD_WIDEN;
    feed.json.exact_integers = command->schema == NULL;
    text->state = &feed;
    text->refuse = refuse_line;
    text->idle = check_log;
    log_signals_set_checkpoint(request_checkpoint, feed.log);
    status = log_feed_run(&feed, &is_of_text, &error);
    /* What was read before a failure of the input is kept. */
    lam_error end_error = lam_error_none();
    lam_status end_status = status == LAM_STATUS_OK || is_of_text
                                ? lam_log_finish(feed.log, &end_error)
                                : LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && !is_of_text)
        status = lam_log_poll(feed.log, NULL, &error); /* its own failure, without a line */
    log_signals_set_checkpoint(NULL, NULL);
    report(command, &feed);
    lam_log_close(feed.log);
    if (status != LAM_STATUS_OK)
        (void)(is_of_text ? tool_fail(text->name, &error) : tool_fail(command->output, &error));
    if (end_status != LAM_STATUS_OK)
        (void)tool_fail(command->output, &end_error);
    return status != LAM_STATUS_OK || end_status != LAM_STATUS_OK || feed.refused > 0
               ? TOOL_BAD_INPUT
               : TOOL_OK;
}

/*
 * The schema of the first records; NULL when there are none. Where a record has no value at all the
 * schema waits for more.
 */
static lam_status infer_schema(log_text *text, lam_schema **ret_schema, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_bytes lines = {NULL, 0};
    *ret_schema = NULL;
    while (status == LAM_STATUS_OK && *ret_schema == NULL) {
        status = log_text_sample(text, SAMPLE_RECORDS, SAMPLE_MS, &lines, error);
        if (status == LAM_STATUS_OK && lines.size > 0)
            status = log_schema_of_lines(NULL, lines, ret_schema, error);
        if (text->has_ended || lines.size >= text->line_bytes)
            break;
    }
    return status;
}

/* Makes the schema, and logs; an input without any record leaves nothing. */
static int log_all(const log_command *command, log_text *text) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL, *with_rest = NULL;
    int result = TOOL_OK;
    lam_status status = LAM_STATUS_OK;
    if (command->schema != NULL)
        result = tool_read_schema(command->schema, &schema);
    else if (command->is_file)
        schema = log_schema_of_leftover(command->output);
    if (schema == NULL && result == TOOL_OK)
        status = infer_schema(text, &schema, &error);
    if (status == LAM_STATUS_OK && schema != NULL && command->new_field == LOG_NEW_FIELD_VARIANT)
        status = log_schema_with_rest(schema, command->rest, &with_rest, &error);
    if (status != LAM_STATUS_OK)
        result = tool_fail(text->name, &error);
    else if (schema == NULL && result == TOOL_OK && text->whole > 0) {
        fprintf(stderr, "lamella: %s: no record has a value to infer a schema from\n", text->name);
        result = TOOL_BAD_INPUT;
    } else if (schema != NULL) {
        result = log_text_into(command, with_rest != NULL ? with_rest : schema, text);
    }
    lam_schema_destroy(with_rest);
    lam_schema_destroy(schema);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

static int run_log(const log_command *command) {
    log_text text;
    uint64_t memory = command->log.memory_limit == 0 ? LOG_MEMORY : command->log.memory_limit;
    uint64_t line = memory / 4 > LINE_LEAST ? memory / 4 : LINE_LEAST;
    log_signals_catch();
    int result =
        log_text_open(&text, command->input, line < (1 << 30) ? (size_t)line : (size_t)1 << 30);
    if (result == TOOL_OK)
        result = log_all(command, &text);
    log_text_close(&text);
    return result;
}

static int run(int argc, char **argv) {
    log_command command = {.log = lam_log_options_default()};
    bool done;
    int result = parse_options(argc, argv, &command, &done);
    if (!done)
        result = run_log(&command);
    free_pairs(&command);
    return result;
}

const tool_command tool_log = {.name = "log",
                               .summary = "write JSON records as they come, safe from crashes",
                               .help = help,
                               .run = run};
