/* SPDX-License-Identifier: Apache-2.0 */
/* lamella tail: the last records of a log, and new ones as they come. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/projection.h>
#include <lamella/scan.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "leftover_names.h"
#include "record_choice.h"
#include "tail_files.h"
#include "text_reader.h"
#include "tool.h"

enum {
    POLL_NS = 200000000,
    LAST_RECORDS = 10,
    BEHIND_S = 5 /* that row groups may be older than a journal before this is said */
};

typedef struct tail_options {
    uint64_t records;
    bool follow;
    const char *columns; /* NULL is all */
    row_style style;
    row_printer printer;
    lam_clash on_clash;
    file_fields fields; /* of all files so far, if they must look alike */
    tool_names said;    /* journals that were named */
} tail_options;

static volatile sig_atomic_t ended;

static void on_end(int number) {
    (void)number;
    ended = 1;
}

/* --- Printing ------------------------------------------------------------------------------ */

/* The fields to print: leaves if VARIANTs show as groups, else a projection. */
static int choose_columns(const char *file, const lam_schema *schema, const tail_options *options,
                          bool **ret_leaves, lam_projection **ret_projection) {
    *ret_leaves = NULL;
    *ret_projection = NULL;
    if (options->style.variant == LAM_JSON_VARIANT_STORAGE)
        return tool_select(file, schema, options->columns, ret_leaves);
    return tool_project(file, schema, options->columns, ret_projection);
}

/* Prints all records of the open file but the first `skip`. */
static int print_reader(const char *file, const lam_reader *reader, uint64_t skip,
                        tail_options *options) {
    lam_error error = lam_error_none();
    lam_json_writer_options json = lam_json_writer_options_default();
    lam_scan_options scan = lam_scan_options_default();
    lam_projection *projection;
    bool *chosen;
    int result = choose_columns(file, lam_reader_schema(reader), options, &chosen, &projection);
    if (result != TOOL_OK)
        return result;
    bool *leaves = tool_free_leaves(reader);
    const row_run run = {skip, UINT64_MAX};
    scan.leaves = json.leaves = chosen;
    scan.projection = json.projection = projection;
    json.free_leaves = leaves;
    json.binary = options->style.binary;
    json.variant = options->style.variant;
    json.omit_nulls = options->style.omits_nulls;
    json.memory_limit = tool_file_info(reader).memory_limit;
    row_job job = {.reader = reader, .scan = &scan, .json = &json, .runs = &run, .run_count = 1};
    if (row_print(&options->printer, &job, &error) != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    free(leaves);
    free(chosen);
    lam_projection_destroy(projection);
    return result;
}

static bool needs_fields(const tail_options *options) {
    return options->columns != NULL || row_printer_has_header(&options->printer);
}

/* The same for a file, which has nulls in fields that only other files have, if that counts. */
static int print_rows_behind(const char *file, const lam_reader *reader, uint64_t skip,
                             tail_options *options) {
    const file_wishes wishes = {.columns = options->columns,
                                .is_storage = options->style.variant == LAM_JSON_VARIANT_STORAGE,
                                .needs_header = row_printer_has_header(&options->printer)};
    lam_reader *shown;
    int result = file_fields_show(&options->fields, file, reader, &wishes, &shown);
    if (result == TOOL_OK)
        result = print_reader(file, shown != NULL ? shown : reader, skip, options);
    lam_reader_close(shown);
    return result;
}

/* --- The last records ---------------------------------------------------------------------- */

/*
 * Finds from the newest file on where the last records begin; sets which records count as printed
 * before. Older files are only opened if they may grow.
 */
static int find_start(tail_files *files, uint64_t wanted, bool follows) {
    lam_error error = lam_error_none();
    for (size_t i = files->count; i > 0; i--) {
        tail_file *file = &files->files[i - 1];
        tail_reader opened;
        file->printed = UINT64_MAX;
        if (wanted == 0 && !(follows && (file->is_part || !files->is_folder)))
            continue;
        if (tail_file_open(files, file, &opened, &error) != LAM_STATUS_OK) {
            (void)tool_fail(file->path, &error);
            return TOOL_BAD_INPUT;
        }
        uint64_t rows = opened.reader == NULL ? 0 : lam_reader_row_count(opened.reader);
        uint64_t taken = rows < wanted ? rows : wanted;
        tail_reader_close(&opened);
        wanted -= taken;
        file->printed = rows - taken;
    }
    return TOOL_OK;
}

/* Whether rows of a file that is not finished are in its journal, and not read. */
static bool is_behind(const tail_file *file, const tail_journal *journal, bool follows) {
    int64_t behind = journal->modified - file->modified;
    return file->printed == 0 || !follows || behind > (int64_t)BEHIND_S * 1000000000;
}

/* Says once of each journal that rows are in it: it is not read here. */
static void say_journals(const tail_files *files, tail_options *options, bool follows) {
    for (size_t i = 0; i < files->count; i++) {
        const tail_file *file = &files->files[i];
        const tail_journal *journal = tail_file_journal(files, file);
        if (journal == NULL || file->missing > 0 || !is_behind(file, journal, follows) ||
            tool_names_find(&options->said, journal->path) != SIZE_MAX)
            continue;
        tool_names_add(&options->said, journal->path, i);
        char *part = leftover_path(file->path, LEFTOVER_PART);
        tool_say("lamella: %s: its %srows are in %s until a checkpoint of its log (option "
                 "--checkpoint of log), or \"lamella recover\" once that was killed\n",
                 part, file->printed == 0 ? "" : "newest ", journal->path);
        free(part);
    }
}

/*
 * Prints the records of a file beyond those that were printed. While following, a file that cannot
 * be read now is tried again when it has changed.
 */
static int print_file(const tail_files *files, tail_file *file, tail_options *options,
                      bool follows) {
    lam_error error = lam_error_none();
    tail_reader opened;
    lam_status status = tail_file_open(files, file, &opened, &error);
    if (status == LAM_STATUS_OK && opened.reader == NULL)
        return TOOL_OK;
    if (status != LAM_STATUS_OK) {
        tool_push();
        bool is_passing = follows && status != LAM_STATUS_CANCELLED && status != LAM_STATUS_LIMIT;
        return is_passing ? TOOL_OK : tool_fail(file->path, &error);
    }
    uint64_t rows = lam_reader_row_count(opened.reader);
    int result = TOOL_OK;
    if (rows < file->printed)
        file->printed = 0; /* another file has the name now */
    if (rows > file->printed)
        result = print_rows_behind(file->path, opened.reader, file->printed, options);
    if (result == TOOL_OK)
        file->printed = rows;
    tail_reader_close(&opened);
    tool_push();
    return result;
}

static int print_changed(tail_files *files, tail_options *options, bool follows) {
    int result = TOOL_OK;
    for (size_t i = 0; i < files->count && result == TOOL_OK && ended == 0; i++) {
        tail_file *file = &files->files[i];
        if (tail_file_begin(file) && file->printed != UINT64_MAX)
            result = print_file(files, file, options, follows);
    }
    if (result == TOOL_OK && ended == 0)
        say_journals(files, options, follows);
    if (follows)
        row_printer_end_table(&options->printer);
    return result;
}

/* --- Following ----------------------------------------------------------------------------- */

static void catch_ends(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_end; /* without SA_RESTART: a nap ends */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Naps at least four times as long as it worked, since a large file takes a while to read. */
static void nap(int64_t worked_ns) {
    int64_t span = worked_ns * 4 > POLL_NS ? worked_ns * 4 : POLL_NS;
    const struct timespec time = {(time_t)(span / 1000000000), (long)(span % 1000000000)};
    nanosleep(&time, NULL);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int follow(tail_files *files, tail_options *options) {
    int result = TOOL_OK;
    while (ended == 0 && result == TOOL_OK && !lam_stop_is_due(tool_limits_of_program()->stop)) {
        int64_t begun = now_ns();
        /* A folder that is gone may come back. */
        if (tail_files_list(files, true) == TOOL_OK)
            result = print_changed(files, options, true);
        if (result == TOOL_OK && tool_stdout_failed())
            break;
        if (result == TOOL_OK && ended == 0)
            nap(now_ns() - begun);
    }
    return result;
}

/* The fields of all files, so that columns may be in any of them. */
static int collect_fields(const tail_files *files, tail_options *options) {
    int result = TOOL_OK;
    for (size_t i = 0; i < files->count && result == TOOL_OK; i++) {
        lam_error error = lam_error_none();
        tail_reader opened;
        lam_status status = tail_file_open(files, &files->files[i], &opened, &error);
        if (status == LAM_STATUS_NOMEM)
            tool_end_without_memory(files->files[i].path, error.message);
        if (opened.reader != NULL)
            result = file_fields_add(&options->fields, files->files[i].path,
                                     lam_reader_schema(opened.reader));
        tail_reader_close(&opened);
    }
    return result;
}

/* A log without any file yet is waited for, or an error: that of a missing file. */
static int say_nothing_is_there(const tail_files *files, bool follows) {
    lam_error error = lam_error_none();
    tail_reader opened;
    tail_file missing = {.path = (char *)(uintptr_t)files->path};
    const char *what = files->is_folder ? "no file of a log is in this folder" : "no such file";
    if (follows) {
        tool_say("lamella: %s: %s yet: waiting for one\n", files->path, what);
        return TOOL_OK;
    }
    if (files->journal_count > 0) {
        tool_say("lamella: %s: its rows are in %s until a checkpoint of its log, or \"lamella "
                 "recover\" once that was killed\n",
                 files->path, files->journals[0].path);
        return TOOL_OK;
    }
    if (!files->is_folder && tail_file_open(files, &missing, &opened, &error) != LAM_STATUS_OK)
        return tool_fail(files->path, &error);
    tool_say("lamella: %s: %s\n", files->path, what);
    return TOOL_BAD_INPUT;
}

static int tail(const char *path, tail_options *options) {
    bool follows = options->follow;
    tail_files files;
    int result = tail_files_open(&files, path);
    if (result == TOOL_OK && files.count == 0)
        result = say_nothing_is_there(&files, follows);
    if (result == TOOL_OK && follows)
        catch_ends();
    if (result == TOOL_OK)
        result = find_start(&files, options->records, follows);
    if (result == TOOL_OK && needs_fields(options) && files.count > 1)
        result = collect_fields(&files, options);
    if (result == TOOL_OK)
        result = print_changed(&files, options, false);
    if (result == TOOL_OK && follows)
        result = follow(&files, options);
    tail_files_close(&files);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

/* The last records of a text, or of standard input, which do not grow. */
static int tail_text(const char *path, tail_options *options) {
    lam_reader *reader;
    int result = text_reader_open(path, UINT64_MAX, NULL, &reader);
    if (result != TOOL_OK)
        return result;
    uint64_t rows = lam_reader_row_count(reader);
    uint64_t taken = rows < options->records ? rows : options->records;
    result = print_reader(path, reader, rows - taken, options);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {{.name = "limit",
                                           .also = "records",
                                           .letter = 'n',
                                           .kind = TOOL_OPTION_COUNT,
                                           .at = offsetof(tail_options, records),
                                           .argument = "N",
                                           .help = "print the last N records; default: 10"},
                                          {.name = "follow",
                                           .letter = 'f',
                                           .kind = TOOL_OPTION_FLAG,
                                           .at = offsetof(tail_options, follow),
                                           .holds = TOOL_HOLDS_PARQUET,
                                           .help = "go on with new records"},
                                          {.name = "columns",
                                           .kind = TOOL_OPTION_PATHS,
                                           .at = offsetof(tail_options, columns),
                                           .argument = "A,B.C",
                                           .help = record_columns_help},
                                          CLASH_ROW(tail_options, on_clash),
                                          ROW_STYLE_ROWS(tail_options, style, 0),
                                          TOOL_LIMIT_ROWS,
                                          {.name = NULL}};

static int run(int argc, char **argv) {
    tail_options chosen = {.records = LAST_RECORDS};
    int operands, result = tool_take_options(&tool_tail, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (operands != 1)
        return tool_misuse(&tool_tail, "give one file or folder");
    row_format format = chosen.follow ? ROW_FORMAT_NDJSON : row_format_for_people();
    if (chosen.follow && chosen.style.format == ROW_FORMAT_JSON)
        return tool_misuse(&tool_tail, "an array has an end, and --follow has none");
    chosen.printer = row_printer_begin(&chosen.style, format);
    chosen.fields = file_fields_begin(NULL, chosen.on_clash);
    bool is_text = strcmp(argv[1], "-") == 0 || text_reader_is_text(argv[1]);
    result = is_text ? tail_text(argv[1], &chosen) : tail(argv[1], &chosen);
    row_printer_end(&chosen.printer, result == TOOL_OK);
    file_fields_end(&chosen.fields);
    tool_names_free(&chosen.said);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

const tool_command tool_tail = {
    .name = "tail",
    .summary = "print the last records of a log, and new ones",
    .usage = "[options] PATH",
    .description =
        "Prints the last records of a Parquet file, or of the newest files of a folder: on a "
        "terminal as a table, unless with -f, else as JSON, one object per line, as \"lamella "
        "cat\" prints them; --format chooses. All folders below it are included, and those named "
        "NAME=TEXT are fields. Files that a log is writing, or that a killed log left, are read "
        "up to their last row group: PATH may be \"_x.parquet.part\" or \"x.parquet\".\n\nWith -f "
        "it continues with the records that each checkpoint of a log writes, in new files too, "
        "until SIGINT or SIGTERM; if it waits for a first file, it says so. The rows of a journal "
        "are not read; a message says once where they are. Records of files that are written at "
        "the same time come file by file." TEXT_READER_HELP,
    .examples =
        (const char *const[]){"lamella tail -n 3 readings/",
                              "lamella tail --columns time,value -f readings.parquet", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "success, even if SIGINT or SIGTERM ended -f"}, {1, TOOL_EXIT_FAILURE},
                        {2, TOOL_EXIT_MISNAME}),
    .run = run,
};
