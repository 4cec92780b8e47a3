/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of `lamella log`: the table, the values that only this command has, and the
 * combinations that it refuses. A value that an option cannot have is never stored.
 */
#define _POSIX_C_SOURCE 200809L
#include "log_choice.h"

#include <stdlib.h>
#include <string.h>

#include "csv_option.h"

/* --- Values -------------------------------------------------------------------------------- */

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

static bool take_checkpoint(const tool_option *option, const char *value, void *chosen) {
    lam_log_options *log = &((log_choice *)chosen)->log;
    (void)option;
    return parse_rows(value, &log->checkpoint_rows) ||
           parse_size_or_time(value, &log->checkpoint_bytes, &log->checkpoint_ms);
}

static bool take_rotate(const tool_option *option, const char *value, void *chosen) {
    lam_log_options *log = &((log_choice *)chosen)->log;
    (void)option;
    return parse_size_or_time(value, &log->rotate_bytes, &log->rotate_ms);
}

static bool take_keep(const tool_option *option, const char *value, void *chosen) {
    lam_log_options *log = &((log_choice *)chosen)->log;
    (void)option;
    return parse_size_or_time(value, &log->keep_bytes, &log->keep_ms);
}

/* "2GiB" or "10%", of the disk. */
static bool take_keep_free(const tool_option *option, const char *value, void *chosen) {
    lam_log_options *log = &((log_choice *)chosen)->log;
    size_t digits = strspn(value, "0123456789");
    (void)option;
    if (digits == 0 || digits > 3 || strcmp(value + digits, "%") != 0)
        return tool_parse_limit(value, &log->keep_free_bytes);
    log->keep_free_percent = strtoull(value, NULL, 10);
    return log->keep_free_percent > 0 && log->keep_free_percent <= 100;
}

static bool take_sync(const tool_option *option, const char *value, void *chosen) {
    lam_log_options *log = &((log_choice *)chosen)->log;
    (void)option;
    log->sync_ms = 0;
    if (strcmp(value, "never") == 0)
        log->sync = LAM_LOG_SYNC_NEVER;
    else if (strcmp(value, "checkpoint") == 0)
        log->sync = LAM_LOG_SYNC_CHECKPOINT;
    else if (strcmp(value, "record") == 0)
        log->sync = LAM_LOG_SYNC_RECORD;
    else if (parse_time(value, &log->sync_ms))
        log->sync = LAM_LOG_SYNC_INTERVAL;
    else
        return false;
    return true;
}

static bool take_new_field(const tool_option *option, const char *value, void *chosen) {
    log_choice *choice = chosen;
    for (unsigned i = 0; option->values[i] != NULL; i++) {
        if (strcmp(option->values[i], value) != 0)
            continue;
        choice->new_field = (log_new_field)i;
        choice->has_policy = true;
        return true;
    }
    return false;
}

static bool take_open_files(const tool_option *option, const char *value, void *chosen) {
    uint64_t count;
    (void)option;
    if (!tool_parse_count(value, &count) || count == 0 || count > 4096)
        return false;
    ((log_choice *)chosen)->log.open_files = (uint32_t)count;
    return true;
}

/* Any text but none. */
static bool take_name(const tool_option *option, const char *value, void *chosen) {
    *(const char **)((char *)chosen + option->at) = value;
    return *value != '\0';
}

/* "KEY=VALUE"; a key comes once. */
static bool take_pair(const tool_option *option, const char *value, void *chosen) {
    log_choice *choice = chosen;
    const char *equals = strchr(value, '=');
    size_t count = choice->log.key_value_count;
    size_t size = equals != NULL ? (size_t)(equals - value) : 0;
    (void)option;
    for (size_t i = 0; i < count; i++)
        if (strlen(choice->pairs[i].key) == size && memcmp(choice->pairs[i].key, value, size) == 0)
            return false;
    if (size == 0)
        return false;
    char *copy = tool_copy_text(value);
    copy[size] = '\0';
    choice->pairs = tool_reallocate(choice->pairs, count + 1, sizeof *choice->pairs);
    choice->pairs[count] = (lam_log_key_value){copy, copy + size + 1};
    choice->log.key_values = choice->pairs;
    choice->log.key_value_count = count + 1;
    return true;
}

/* --- The table ----------------------------------------------------------------------------- */

const tool_option log_option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(log_choice, output),
     .argument = "PATH",
     .take = take_name,
     .must = "the name of a folder or file",
     .missing = "name the folder or file to write",
     .help = "the folder or file to write"},
    {.name = "stop-on-error",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(log_choice, stops),
     .help = "end at the first record that is refused"},
    {.name = "format",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(log_choice, format),
     .values = TOOL_VALUES("auto", "ndjson", "csv", "tsv"),
     .least = LOG_FORMAT_AUTO,
     .group = "input",
     .help = "the format of the input; auto: CSV if the first line has a comma, semicolon, tab or "
             "|, and neither of the first two lines looks like a JSON record; default: auto"},
    {.name = "epoch",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(log_choice, epoch),
     .values = TOOL_VALUES("seconds", "millis", "micros", "nanos"),
     .least = LAM_JSON_EPOCH_SECONDS,
     .help = "the unit of numbers in timestamp columns, counted since 1970; default: they are "
             "refused"},
    TIME_FORMAT_ROW(log_choice),
    CSV_OPTION_ROWS(log_choice),
    BAD_LINES_ROWS(log_choice),
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(log_choice, schema),
     .argument = "FILE|TEXT",
     .group = "schema",
     .help = "message text, or a file that holds it"},
    {.name = "on-new-field",
     .kind = TOOL_OPTION_ENUM,
     .values = TOOL_VALUES("widen", "refuse", "variant", "ignore"),
     .take = take_new_field,
     .help = "what becomes of a field that the schema does not have: it is added, and a new file "
             "begins, as it does when a value needs a wider type than the inferred one, such as "
             "double for int64; its record is refused; it moves into a VARIANT; or it is left "
             "out; default: widen, or refuse for one file. A log widens at most 100 times, and by "
             "at most one column for each 64KiB of its memory limit; after that, records are "
             "refused"},
    {.name = "rest",
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(log_choice, rest),
     .argument = "NAME",
     .take = take_name,
     .must = "the name of a field",
     .help = "the name of that VARIANT; default: rest"},
    {.name = "checkpoint",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "TIME|SIZE|Nrows",
     .take = take_checkpoint,
     .must = "a time, a size or a number of rows, as in 10s, 64MiB or 100000rows",
     .group = "what survives",
     .help =
         "make records durable after this time, or this many bytes or rows; may be given once for "
         "each; default: 10s, or as --journal needs it"},
    {.name = "journal",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(log_choice, log.journal),
     .help = "keep records that are not in the file yet in a journal beside it, which is synced "
             "by itself"},
    {.name = "sync",
     .kind = TOOL_OPTION_TEXT,
     .argument = "never|checkpoint|TIME|record",
     .values = TOOL_VALUES("never", "checkpoint", "record"),
     .take = take_sync,
     .must = "never, checkpoint, record or a time, as in 100ms",
     .help = "when to sync: never (records survive a kill, but no power cut); at checkpoints; "
             "also after each TIME; or, with --journal, after each record; default: checkpoint, "
             "or 1s with --journal"},
    {.name = "leftovers",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(log_choice, log.leftovers),
     .values = TOOL_VALUES("recover", "keep"),
     .least = LAM_LOG_LEFTOVERS_RECOVER,
     .help = "whether to recover or keep unfinished files of a predecessor; default: recover"},
    {.name = "acknowledge",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(log_choice, acknowledges),
     .help = "print a line of JSON after each sync: how many records have become durable since "
             "the start, and the file that was synced: {\"durable\": 1000, \"file\": "
             "\"readings/...\"}"},
    {.name = "rotate",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "SIZE|TIME",
     .take = take_rotate,
     .must = "a size or a time, as in 256MiB or 1h",
     .group = "files",
     .help = "begin a new file at this size or age; may be given once for each; default: 256MiB"},
    {.name = "partition",
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(log_choice, log.partition_format),
     .argument = "FORMAT",
     .help = "divide records into folders by a field, as in date=%Y-%m-%d/hour=%H, in UTC; %v is "
             "the value itself"},
    {.name = "by",
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(log_choice, log.partition_by),
     .argument = "PATH",
     .help = "that field; without --partition, FORMAT is NAME=%v, which pandas reads only with "
             "partitioning=None, because the field is in the files, too"},
    {.name = "open-files",
     .kind = TOOL_OPTION_COUNT,
     .argument = "N",
     .take = take_open_files,
     .least = 1,
     .most = 4096,
     .help = "keep at most this many files open; default: 16"},
    {.name = "prefix",
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(log_choice, log.prefix),
     .argument = "NAME",
     .help = "begin the names of files with this; default: log"},
    {.name = "keep",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "SIZE|TIME",
     .take = take_keep,
     .must = "a size or a time, as in 10GiB or 30d",
     .help = "remove the oldest finished files if they exceed this size or age; may be given once "
             "for each; default: keep all"},
    {.name = "keep-free",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "SIZE|N%",
     .take = take_keep_free,
     .must = "a size or a share of the disk, as in 2GiB or 10%",
     .help = "remove the oldest finished files while less than this much of the disk is free, and "
             "when it is full; may be given once for each; default: none"},
    {.name = "meta",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "KEY=VALUE",
     .take = take_pair,
     .must = "KEY=VALUE, and each key once",
     .help = "add a pair to the key-value metadata of each file; may be given more than once"},
    {.name = "queue",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(log_choice, log.when_full),
     .values = TOOL_VALUES("block", "drop-newest", "drop-oldest"),
     .least = LAM_LOG_FULL_BLOCK,
     .group = "limits",
     .help = "if the disk is too slow, stop reading, or drop records and report how many; "
             "default: block"},
    {.name = "memory-limit",
     .kind = TOOL_OPTION_SIZE,
     .at = offsetof(log_choice, log.memory_limit),
     .argument = "SIZE",
     .least = 1,
     .help = "memory of the log; default: 64MiB"},
    {.name = NULL}};

/* --- All together -------------------------------------------------------------------------- */

int log_choice_check(log_choice *choice, int count, char **operands) {
    const lam_log_options *log = &choice->log;
    char text[300];
    if (count > 1)
        return tool_misuse(&tool_log, "one input at most");
    choice->input = count == 1 ? operands[0] : "-";
    choice->is_file = ends_with(choice->output, ".parquet");
    if (choice->is_file && choice->new_field == LOG_NEW_FIELD_WIDEN && choice->has_policy)
        return tool_misuse(&tool_log, "--on-new-field widen begins new files, and needs a folder");
    if (choice->is_file && !choice->has_policy)
        choice->new_field = LOG_NEW_FIELD_REFUSE;
    if (log->partition_format != NULL && log->partition_by == NULL)
        return tool_misuse(&tool_log, "--partition needs --by");
    if (choice->rest != NULL && choice->new_field != LOG_NEW_FIELD_VARIANT)
        return tool_misuse(&tool_log, "--rest needs --on-new-field variant");
    if (choice->stops && choice->bad.skips)
        return tool_misuse(&tool_log, "--stop-on-error leaves nothing to skip: leave out --%s",
                           choice->bad.path != NULL ? "rejects" : "skip-bad-lines");
    if (choice->rest == NULL)
        choice->rest = "rest";
    choice->csv.epoch = (lam_csv_epoch)choice->epoch;
    if (choice->format == LOG_FORMAT_TSV && choice->csv.delimiter == 0)
        choice->csv.delimiter = '\t';
    if (log->sync == LAM_LOG_SYNC_RECORD && !log->journal)
        return tool_misuse(&tool_log, "--sync record needs --journal");
    if (choice->format != LOG_FORMAT_AUTO &&
        log_choice_is_unfit(choice, NULL, choice->format != LOG_FORMAT_NDJSON, text, sizeof text))
        return tool_misuse(&tool_log, "%s", text);
    return -1;
}

bool log_choice_is_unfit(const log_choice *choice, const char *input, bool is_csv, char *text,
                         size_t size) {
    if (tool_find_unfit(&tool_log, input, is_csv ? TOOL_HOLDS_CSV : TOOL_HOLDS_JSON, text, size))
        return true;
    bool is_unfit = is_csv && choice->new_field == LOG_NEW_FIELD_VARIANT;
    if (is_unfit)
        snprintf(text, size, "--on-new-field variant needs JSON");
    return is_unfit;
}

void log_choice_free(log_choice *choice) {
    for (size_t i = 0; i < choice->log.key_value_count; i++)
        free((char *)(uintptr_t)choice->pairs[i].key);
    free(choice->pairs);
    csv_free_forms(&choice->csv);
}
