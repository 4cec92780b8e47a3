/* SPDX-License-Identifier: Apache-2.0 */
/* lamella append: more records after those of a finished file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <lamella/dataset.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "append_wider.h"
#include "import_parquet.h"
#include "tool.h"
#include "tool_files.h"
#include "union_notice.h"

/*
 * Whether a file begins like Parquet files; one that cannot be opened fails again later. A pipe
 * gives its bytes once, to the reader of records.
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

/* Row groups are copied if they have the columns of FILE, and else their records are written. */
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

static int append_parquet(const char *input, lam_writer *writer) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    int result = tool_open(input, &reader);
    if (result != TOOL_OK)
        return result;
    lam_status status = append_reader(reader, writer, &error);
    lam_reader_close(reader);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(input, &error);
}

/* Names the way out if an append in place ends at a schema. */
static int fail_in_place(const char *name, lam_error *error) {
    bool is_certain =
        error->code == LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN || error->code == LAM_ERROR_CODE_NONE;
    size_t size = strlen(error->message);
    snprintf(error->message + size, sizeof error->message - size,
             " (without --in-place, the file %s a wider schema)", is_certain ? "gets" : "may get");
    return tool_fail(name, error);
}

/*
 * Appends records of JSON. One that does not fit the schema of FILE is no failure yet if FILE may
 * get a wider one: `*ret_misfit` has it then.
 */
static int append_json(append_input *input, const append_options *options, lam_writer *writer,
                       lam_error *ret_misfit) {
    lam_error error = lam_error_none();
    bool is_input = false;
    bool may_widen = options->manner != LAM_APPEND_IN_PLACE && !options->json.ignore_unknown;
    int result = append_open_text(input);
    if (result == TOOL_OK && may_widen)
        result = tool_texts_keep(&input->text, 1);
    if (result != TOOL_OK)
        return result;
    lam_status status = append_read_text(&input->text, &options->json, writer, &is_input, &error);
    if (status == LAM_STATUS_OK)
        return TOOL_OK;
    if (status == LAM_STATUS_INVALID && is_input && may_widen) {
        *ret_misfit = error;
        return TOOL_OK;
    }
    const char *name = is_input ? input->text.name : options->output;
    bool is_of_schema = is_input && error.code >= LAM_ERROR_CODE_RECORD_FIELD_MISSING &&
                        error.code <= LAM_ERROR_CODE_RECORD_VALUE_RANGE;
    return is_of_schema && options->manner == LAM_APPEND_IN_PLACE && !options->json.ignore_unknown
               ? fail_in_place(name, &error)
               : tool_fail(name, &error);
}

/* Options of JSON need an input of it. Gives -1 to go on. */
static int check_options(int count, append_input *inputs) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        int result = recognize(inputs[i].path, &inputs[i].is_parquet);
        if (result != TOOL_OK)
            return result;
        any = any || !inputs[i].is_parquet;
    }
    return any ? -1 : tool_check_holds(&tool_append, inputs[0].path, TOOL_HOLDS_PARQUET);
}

/* The file is as it was before. */
static void give_up(void *writer) {
    lam_writer_close(writer);
}

/*
 * Appends the records that the schema of FILE holds; `*ret_name` is the text of one that it does
 * not.
 */
static int append_fitting(const append_options *options, append_input *inputs, int count,
                          const char **ret_name, lam_error *ret_misfit) {
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
    for (int i = 0; i < count && result == TOOL_OK && *ret_name == NULL; i++) {
        result = inputs[i].is_parquet ? append_parquet(inputs[i].path, writer)
                                      : append_json(&inputs[i], options, writer, ret_misfit);
        if (ret_misfit->status != LAM_STATUS_OK)
            *ret_name = inputs[i].text.name;
    }
    if (result == TOOL_OK && *ret_name == NULL &&
        lam_writer_finish(writer, &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    tool_set_give_up(NULL, NULL);
    lam_writer_close(writer);
    return result;
}

static int append_all(const append_options *options, append_input *inputs, int count) {
    lam_error misfit = lam_error_none(), of_text = lam_error_none();
    const char *name, *text = NULL;
    int result = append_find_misfit(options, inputs, count, &name, &misfit);
    if (result == TOOL_OK && name != NULL && options->manner == LAM_APPEND_IN_PLACE)
        result = fail_in_place(name, &misfit);
    if (result == TOOL_OK && name == NULL)
        result = append_fitting(options, inputs, count, &text, &of_text);
    if (result == TOOL_OK && (name != NULL || text != NULL))
        result = append_wider(options, inputs, count, text, &of_text);
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
     .help = "write at the end of FILE, which keeps its schema"},
    CLASH_ROW_WITH(append_options, on_clash, CLASH_HELP "error"),
    {.name = "ignore-unknown",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(append_options, json.ignore_unknown),
     .holds = TOOL_HOLDS_JSON,
     .help =
         "ignore fields that the schema of FILE does not have, so that JSON does not change the "
         "schema"},
    {.name = "binary",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(append_options, json.binary),
     .values = TOOL_VALUES("base64", "hex", "utf8"),
     .holds = TOOL_HOLDS_JSON,
     .help = "how JSON holds bytes that are not text; default: base64"},
    {.name = "memory-limit",
     .kind = TOOL_OPTION_SIZE,
     .argument = "SIZE",
     .least = 1,
     .take = tool_take_memory_limit,
     .help = "memory for reading and writing; default: for reading, that of import and cat"},
    TOOL_TIMEOUT_ROW,
    {.name = NULL}};

/* Appends the files that the operands mean. */
static int append_found(const append_options *options, int count, char **operands) {
    tool_files files;
    tool_files_find(count, operands, TOOL_FILES_KEYED, &files);
    append_input *inputs = tool_allocate((size_t)files.count + 1, sizeof *inputs);
    for (int i = 0; i < files.count; i++)
        inputs[i].path = files.items[i].path;
    int result = files.result == TOOL_OK ? check_options(files.count, inputs) : files.result;
    if (result < 0 && options->manner == LAM_APPEND_IN_PLACE)
        tool_end_when_asked();
    if (result < 0)
        result = append_all(options, inputs, files.count);
    tool_files_say_leftovers(&files);
    for (int i = 0; i < files.count; i++)
        if (inputs[i].is_open)
            tool_texts_close(&inputs[i].text, 1);
    free(inputs);
    tool_files_free(&files);
    return result;
}

static int run(int argc, char **argv) {
    append_options chosen = {NULL, LAM_APPEND_ANEW, LAM_CLASH_ERROR,
                             lam_json_reader_options_default()};
    int operands, result = tool_take_options(&tool_append, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (operands == 0)
        return tool_misuse(&tool_append, "no file given");
    chosen.json.memory_limit = tool_limits_of_program()->memory_limit;
    chosen.json.ignore_unknown_nulls = true;
    chosen.json.stop = tool_limits_of_program()->stop;
    return append_found(&chosen, operands, argv + 1);
}

const tool_command tool_append = {
    .name = "append",
    .summary = "add records to a finished file",
    .usage = "[options] -o FILE INPUT...",
    .description =
        "Appends the records of all inputs to a finished Parquet file, whoever wrote it. An input "
        "is a Parquet file, or JSON that \"lamella import\" accepts. Row groups with the columns "
        "of FILE are copied as they are; columns in another order are re-encoded, as are those "
        "whose types fit into FILE's, as int64 fits into double; a column that an input lacks is "
        "null. \"-\" is JSON on standard input, and so is a pipe. A folder or a pattern stands "
        "for all Parquet files that match, with the fields of their folders, as in cat.\n\nIf an "
        "input needs it, FILE's schema becomes wider, and a message says how: by a field that "
        "only the input has, by a type that holds the values of both, by allowing nulls in a "
        "required field. Columns whose types change are re-encoded. Two types that no type can "
        "hold together are an error, unless --on-clash says what the field becomes. An error "
        "names the first field that differs, or the line of a record that does not fit, and FILE "
        "stays as it was.\n\nFILE is replaced by a new file when that is complete; its row groups "
        "are copied, or shared if the file system can do that. Permissions, owner and group stay; "
        "if FILE is a link, the file that it leads to is replaced. With --in-place row groups are "
        "written at the end of FILE, whose schema stays: fewer bytes, but a kill or a power cut "
        "leaves a file that \"lamella recover\" has to repair, with _FILE.append beside it. Any "
        "other end leaves FILE as it was, or with all records if it came too late.",
    .examples =
        (const char *const[]){"lamella append -o all.parquet monday.parquet tuesday.parquet",
                              "lamella append --in-place -o events.parquet more.ndjson", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "FILE has all records"}, {1, "FILE is as it was: " TOOL_EXIT_FAILURE},
                        {2, TOOL_EXIT_MISUSE}),
    .run = run,
};
