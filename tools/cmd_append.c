/* SPDX-License-Identifier: Apache-2.0 */
/* lamella append: more records behind those of a finished file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <lamella/dataset.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import_parquet.h"
#include "import_text.h"
#include "tool.h"
#include "tool_files.h"

enum { RECORDS_AT_ONCE = 4096 };

typedef struct append_options {
    const char *output;
    lam_append_manner manner;
    lam_json_reader_options json;
} append_options;

/*
 * Whether a file begins as Parquet files do; one that cannot be opened is met again. A pipe gives
 * its bytes once, to who reads records.
 */
static int recognize(const char *path, bool *ret_is_parquet) {
    char magic[4] = "";
    struct stat about;
    *ret_is_parquet = false;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || S_ISFIFO(about.st_mode))
        return TOOL_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return TOOL_OK;
    errno = 0;
    size_t size = fread(magic, 1, sizeof magic, file);
    int os_error = ferror(file) ? errno : 0;
    fclose(file);
    *ret_is_parquet = size == sizeof magic && memcmp(magic, "PAR1", sizeof magic) == 0;
    if (os_error == 0 || os_error == EISDIR)
        return TOOL_OK;
    tool_say("lamella: %s: cannot read: %s\n", path, strerror(os_error));
    return TOOL_BAD_INPUT;
}

/* What clashes with a field of FILE is none of its values, though its text would be. */
static lam_status check_clash(const append_options *options, const char *input,
                              const lam_reader *reader, const lam_writer *writer,
                              lam_error *error) {
    const lam_union_options strict = {sizeof strict, LAM_CLASH_ERROR};
    lam_union *both;
    lam_status status = lam_union_create(&strict, tool_allocator(), &both, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_union_add(both, lam_writer_schema(writer), tool_name(options->output), error);
    if (status == LAM_STATUS_OK)
        status = lam_union_add(both, lam_reader_schema(reader), tool_name(input), error);
    lam_union_destroy(both);
    return status;
}

/* Row groups are copied where they have the columns of FILE, and else their records are written. */
static lam_status append_reader(const lam_reader *reader, lam_writer *writer, lam_error *error) {
    lam_reader *shown;
    lam_status status = lam_reader_show(reader, lam_writer_schema(writer), NULL, &shown, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (shown == NULL)
        return lam_writer_copy_row_groups(writer, reader, 0, lam_reader_row_group_count(reader),
                                          error);
    status = import_parquet_records(shown, writer, error);
    lam_reader_close(shown);
    return status;
}

static int append_parquet(const char *input, const append_options *options, lam_writer *writer) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    int result = tool_open(input, &reader);
    if (result != TOOL_OK)
        return result;
    lam_status status = check_clash(options, input, reader, writer, &error);
    if (status == LAM_STATUS_OK)
        status = append_reader(reader, writer, &error);
    lam_reader_close(reader);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(input, &error);
}

static lam_status read_records(tool_text *text, const append_options *options, lam_writer *writer,
                               lam_error *error) {
    lam_json_source source = tool_text_source(text);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_reader *reader;
    size_t records = RECORDS_AT_ONCE;
    lam_status status = tool_text_begin(text, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_reader_create(lam_writer_schema(writer), &source, &options->json,
                                        tool_allocator(), &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && records == RECORDS_AT_ONCE)
        status = lam_json_reader_read(reader, &sink, RECORDS_AT_ONCE, &records, error);
    lam_json_reader_destroy(reader);
    return status;
}

static int append_json(char *input, const append_options *options, lam_writer *writer) {
    lam_error error = lam_error_none();
    tool_text text = {0};
    int result = tool_texts_open(&text, 1, &input);
    if (result == TOOL_OK) {
        lam_status status = read_records(&text, options, writer, &error);
        /* A record that does not fit is the input's fault, a full disk the output's. */
        bool is_of_input =
            status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT || text.failed;
        if (status != LAM_STATUS_OK)
            result = tool_fail(is_of_input ? text.name : options->output, &error);
        tool_text_end(&text);
    }
    tool_texts_close(&text, 1);
    return result;
}

static int append_input(char *input, const append_options *options, lam_writer *writer) {
    bool is_parquet;
    int result = recognize(input, &is_parquet);
    if (result != TOOL_OK)
        return result;
    return is_parquet ? append_parquet(input, options, writer)
                      : append_json(input, options, writer);
}

/* Options of JSON need an input of it. Gives -1 to go on. */
static int check_options(int count, char **inputs) {
    for (int i = 0; i < count; i++) {
        bool is_parquet;
        int result = recognize(inputs[i], &is_parquet);
        if (result != TOOL_OK || !is_parquet)
            return result != TOOL_OK ? result : -1;
    }
    return tool_check_holds(&tool_append, inputs[0], TOOL_HOLDS_PARQUET);
}

/* The file is as it was before. */
static void give_up(void *writer) {
    lam_writer_close(writer);
}

static int append_all(const append_options *options, int count, char **inputs) {
    lam_error error = lam_error_none();
    lam_writer_options writer_options = tool_writer_options();
    const lam_storage storage = tool_storage();
    lam_writer *writer;
    lam_status status = lam_writer_open_append(options->output, NULL, options->manner, &storage,
                                               &writer_options, &writer, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail(options->output, &error);
    int result = TOOL_OK;
    tool_set_give_up(give_up, writer);
    for (int i = 0; i < count && result == TOOL_OK; i++)
        result = append_input(inputs[i], options, writer);
    if (result == TOOL_OK && lam_writer_finish(writer, &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    tool_set_give_up(NULL, NULL);
    lam_writer_close(writer);
    if (result != TOOL_OK)
        tool_end_as_asked();
    return result;
}

static const tool_option option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(append_options, output),
     .missing = "name the file that gets the records",
     .argument = "FILE",
     .help = "the file that gets the records"},
    {.name = "in-place",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(append_options, manner),
     .least = LAM_APPEND_IN_PLACE,
     .help = "write behind the end of FILE"},
    {.name = "ignore-unknown",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(append_options, json.ignore_unknown),
     .holds = TOOL_HOLDS_JSON,
     .help = "ignore fields that the schema of FILE does not have"},
    {.name = "binary",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(append_options, json.binary),
     .values = TOOL_VALUES("base64", "hex", "utf8"),
     .holds = TOOL_HOLDS_JSON,
     .help = "how bytes that are not text are given in JSON; default: base64"},
    {.name = "memory-limit",
     .kind = TOOL_OPTION_SIZE,
     .argument = "SIZE",
     .least = 1,
     .take = tool_take_memory_limit,
     .help = "memory for reading and writing; default: as import and cat have it, for reading"},
    TOOL_TIMEOUT_ROW,
    {.name = NULL}};

/* Appends the files that the operands mean. */
static int append_found(const append_options *options, int count, char **operands) {
    tool_files files;
    tool_files_find(count, operands, TOOL_FILES_KEYED, &files);
    char **inputs = tool_allocate((size_t)files.count + 1, sizeof *inputs);
    for (int i = 0; i < files.count; i++)
        inputs[i] = files.items[i].path;
    int result = files.result == TOOL_OK ? check_options(files.count, inputs) : files.result;
    if (result < 0 && options->manner == LAM_APPEND_IN_PLACE)
        tool_end_when_asked();
    if (result < 0)
        result = append_all(options, files.count, inputs);
    tool_files_say_leftovers(&files);
    free(inputs);
    tool_files_free(&files);
    return result;
}

static int run(int argc, char **argv) {
    append_options chosen = {NULL, LAM_APPEND_ANEW, lam_json_reader_options_default()};
    int operands, result = tool_take_options(&tool_append, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (operands == 0)
        return tool_misuse(&tool_append, "no file given");
    chosen.json.memory_limit = tool_limits_of_program()->memory_limit;
    chosen.json.stop = tool_limits_of_program()->stop;
    return append_found(&chosen, operands, argv + 1);
}

const tool_command tool_append = {
    .name = "append",
    .summary = "add records to a finished file",
    .usage = "[options] -o FILE INPUT...",
    .description =
        "Appends the records of all inputs to a finished Parquet file, whoever wrote it. An input "
        "is a Parquet file, or JSON as \"lamella import\" takes it, and must match the schema of "
        "FILE. Row groups with the same columns are copied as they are; columns in another order, "
        "or of types whose values those of FILE hold, as double does for int64, are re-encoded, "
        "and what an input lacks is null. \"-\" is JSON on standard input, and so is a pipe. A "
        "folder or a pattern is all Parquet files that it means, with the fields of their folders, "
        "as for cat. An error names the first field that differs, or the "
        "line of a record that does not fit, and FILE stays as it was."
        "\n\n"
        "FILE is replaced by a new one when all of it is written; its row groups are copied, or "
        "shared where the file system can do that. Permissions, owner and group stay, and a link "
        "leads to the file that is replaced. With --in-place row groups are written behind "
        "the end of FILE: fewer bytes, but a kill or a power cut leaves a file that \"lamella "
        "recover\" has to repair, with _FILE.append beside it. Any other end leaves FILE as it "
        "was, or with all records if it came too late.",
    .examples =
        (const char *const[]){"lamella append -o all.parquet monday.parquet tuesday.parquet",
                              "lamella append --in-place -o events.parquet more.ndjson", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "FILE has all records"}, {1, "FILE is as it was: " TOOL_EXIT_FAILURE},
                        {2, TOOL_EXIT_MISUSE}),
    .run = run,
};
