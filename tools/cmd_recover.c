/* SPDX-License-Identifier: Apache-2.0 */
/* lamella recover: complete files from unfinished ones. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "leftover_names.h"
#include "recover_file.h"
#include "tool.h"

typedef struct recover_options {
    const char *output;
    const char *schema;
    const char *like;
    recover_request request;
} recover_options;

/* "_x.parquet.part" gives "x.parquet", "x.parquet" "x.recovered.parquet". */
static char *default_output(const char *file) {
    static const char parquet[] = ".parquet", recovered[] = ".recovered.parquet";
    size_t size = strlen(file);
    if (leftover_kind_of(file) == LEFTOVER_IS_PART)
        return leftover_final(file);
    char *output = tool_allocate(size + sizeof recovered, 1);
    memcpy(output, file, size);
    if (size > sizeof parquet - 1 && strcmp(file + size - (sizeof parquet - 1), parquet) == 0)
        size -= sizeof parquet - 1;
    strcpy(output + size, recovered);
    return output;
}

/*
 * The path that the operand means: itself, or else a log's leftover of a file with that name. To be
 * freed.
 */
static char *find_leftover(const char *file) {
    struct stat about;
    char *found = NULL;
    if (stat(file, &about) != 0) {
        char *final = leftover_final(file), *journal = leftover_path(final, LEFTOVER_JOURNAL);
        found = leftover_path(final, LEFTOVER_PART);
        if (stat(found, &about) != 0 && stat(journal, &about) != 0) {
            free(found);
            found = NULL;
        }
        free(journal);
        free(final);
    }
    return found != NULL ? found : tool_copy_text(file);
}

static int recover_one(const char *operand, const recover_request *request, const char *given) {
    struct stat about;
    if (request->in_place)
        return recover_file(operand, operand, request);
    if (given == NULL && stat(operand, &about) == 0 && S_ISDIR(about.st_mode))
        return recover_folder(operand, request);
    char *file = find_leftover(operand);
    char *output = given != NULL ? tool_copy_text(given) : default_output(file);
    int result = recover_file(file, output, request);
    free(output);
    free(file);
    return result;
}

static int recover_all(int count, char **files, recover_request *request, const char *given) {
    int worst = TOOL_OK;
    for (int i = 0; i < count; i++)
        worst = recover_worse(worst, recover_one(files[i], request, given));
    return recover_worse(worst, tool_flush());
}

/* What --schema and --like say; the worst status. */
static int read_helpers(const char *schema_text, const char *like, lam_schema **ret_schema,
                        lam_reader **ret_reader) {
    int result = TOOL_OK;
    if (schema_text != NULL)
        result = tool_read_schema(schema_text, ret_schema);
    return result == TOOL_OK && like != NULL ? tool_open(like, ret_reader) : result;
}

static const tool_option option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(recover_options, output),
     .argument = "OUT",
     .help = "the file to make; default: \"x.parquet\" for \"_x.parquet.part\", or FILE with "
             "\".recovered.parquet\" in place of \".parquet\""},
    {.name = "in-place",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(recover_options, request.in_place),
     .help = "repair FILE after an interrupted append in place: put the new file in its place, "
             "and remove its note \"_FILE.append\""},
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(recover_options, schema),
     .argument = "FILE|TEXT",
     .help = "the schema, for files of other writers: message text, or a file that holds it"},
    {.name = "like",
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(recover_options, like),
     .argument = "FILE",
     .help = "a sound file of the same writer, which has the schema"},
    {.name = "no-checksums",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(recover_options, request.options.no_checksums),
     .help = "do not compare checksums of pages"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(recover_options, request.json),
     .help = "print an object for each file"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    recover_options chosen = {.request = {lam_recover_options_default(), false, false}};
    const lam_storage storage = tool_storage();
    lam_schema *schema = NULL;
    lam_reader *reader = NULL;
    int operands, result = tool_take_options(&tool_recover, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.request.json);
    if (operands == 0)
        return tool_misuse(&tool_recover, "no file given");
    if (chosen.output != NULL && operands > 1)
        return tool_misuse(&tool_recover, "-o names one file: give one FILE");
    if (chosen.output != NULL && chosen.request.in_place)
        return tool_misuse(&tool_recover, "--in-place and -o exclude each other");
    if (chosen.schema != NULL && chosen.like != NULL)
        return tool_misuse(&tool_recover, "--like has a schema: leave out --schema");
    result = read_helpers(chosen.schema, chosen.like, &schema, &reader);
    chosen.request.options.storage = &storage;
    chosen.request.options.schema = schema;
    chosen.request.options.like = reader;
    chosen.request.options.allocator = tool_allocator();
    chosen.request.options.memory_limit = tool_limits_of_program()->memory_limit;
    chosen.request.options.stop = tool_limits_of_program()->stop;
    if (result == TOOL_OK)
        result = recover_all(operands, argv + 1, &chosen.request, chosen.output);
    lam_reader_close(reader);
    lam_schema_destroy(schema);
    return result;
}

const tool_command tool_recover = {
    .name = "recover",
    .summary = "make complete files of unfinished ones",
    .usage = "[options] FILE...",
    .description =
        "Makes a complete Parquet file of each unfinished FILE: the \"_x.parquet.part\" of a log "
        "that was killed (\"x.parquet\" for short), with the rows of its journal, or a truncated "
        "file of another writer. Complete row groups are copied as they are. FILE and its journal "
        "stay; the new file appears when all of it is durable, with the permissions, owner and "
        "group of FILE, and replaces no other file.\n\nA folder is recovered with all folders in "
        "it, as the next log in each would do: everything that logs left becomes finished files, "
        "and what was recovered is removed. What cannot be recovered gets \".bad\" at the end of "
        "its name. Files that a log is writing are left alone, as are files of other users, "
        "links, even to folders, and files with a second name. If there is nothing to recover in "
        "FOLDER, a message says so.\n\nA \".part\" without a single complete page held nothing "
        "durable: a message says so, and it does not count as a loss.",
    .examples =
        (const char *const[]){"lamella recover _readings.parquet.part",
                              "lamella recover -o whole.parquet --like sibling.parquet cut.parquet",
                              NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "nothing was lost"},
                        {1, "nothing of a file can be used, or memory or a disk failed"},
                        {2, TOOL_EXIT_MISUSE},
                        {3, "something was lost, and the rest was recovered; with several files, "
                            "1 takes precedence over 3"}),
    .run = run,
};
