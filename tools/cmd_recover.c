/* SPDX-License-Identifier: Apache-2.0 */
/* lamella recover: whole files from unfinished ones. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <inttypes.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recover_file.h"
#include "tool.h"

static const char help[] =
    "usage: lamella recover [options] FILE...\n"
    "\n"
    "Makes a whole Parquet file of each FILE that was not finished: a \".part\" of a\n"
    "log that was killed, with the rows of its journal, or a file of another writer\n"
    "that was cut off. Whole row groups are copied as they are. FILE and its journal\n"
    "stay; the new file appears when all of it is durable, and replaces no other.\n"
    "\n"
    "A folder of logs is recovered as the next log in it would do it: finished files\n"
    "are made of all that its predecessors left, partition folders included, and\n"
    "what was recovered is removed. What cannot be recovered gets \".bad\" behind its\n"
    "name. What a log is writing is left alone.\n"
    "\n"
    "  lamella recover readings.parquet.part\n"
    "  lamella recover -o whole.parquet --like sibling.parquet cut.parquet\n"
    "\n"
    "The exit status is 0 if nothing was lost, 3 if something was, 1 if nothing of a\n"
    "file can be used, or on other failures, and 2 if the command line is wrong; for\n"
    "several files it is the worst of theirs, and 1 is worse than 3.\n"
    "\n"
    "options:\n"
    "  -o, --output OUT     the file to make; default: FILE without \".part\", or FILE\n"
    "                       with \".recovered.parquet\" in place of \".parquet\"\n"
    "  --in-place           FILE was appended to in place, and that was interrupted:\n"
    "                       put the new file in its place, and remove FILE.append\n"
    "  --schema FILE|TEXT   the schema, for files of other writers: message text, or\n"
    "                       a file that holds it\n"
    "  --like FILE          a whole file of the same writer, for the same purpose\n"
    "  --no-checksums       believe pages without comparing their checksums\n"
    "  --json               print an object for each file\n" TOOL_LIMIT_HELP;

enum { OPTION_IN_PLACE = 1, OPTION_SCHEMA, OPTION_LIKE, OPTION_CHECKSUMS, OPTION_JSON };

/* "x.parquet.part" gives "x.parquet", "x.parquet" "x.recovered.parquet". */
static char *default_output(const char *file) {
    static const char part[] = ".part", parquet[] = ".parquet", recovered[] = ".recovered.parquet";
    size_t size = strlen(file);
    char *output = tool_allocate(size + sizeof recovered, 1);
    memcpy(output, file, size);
    if (size > sizeof part - 1 && strcmp(file + size - (sizeof part - 1), part) == 0) {
        output[size - (sizeof part - 1)] = '\0';
        return output;
    }
    if (size > sizeof parquet - 1 && strcmp(file + size - (sizeof parquet - 1), parquet) == 0)
        size -= sizeof parquet - 1;
    strcpy(output + size, recovered);
    return output;
}

static int recover_one(const char *file, const recover_request *request, const char *given) {
    struct stat about;
    if (request->in_place)
        return recover_file(file, file, request, NULL);
    if (given == NULL && stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return recover_folder(file, request);
    char *output = given != NULL ? tool_copy_text(given) : default_output(file);
    int result = recover_file(file, output, request, NULL);
    free(output);
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

static int run(int argc, char **argv) {
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"in-place", no_argument, NULL, OPTION_IN_PLACE},
                                            {"schema", required_argument, NULL, OPTION_SCHEMA},
                                            {"like", required_argument, NULL, OPTION_LIKE},
                                            {"no-checksums", no_argument, NULL, OPTION_CHECKSUMS},
                                            {"json", no_argument, NULL, OPTION_JSON},
                                            TOOL_LIMIT_OPTIONS};
    const char *output = NULL, *schema_text = NULL, *like = NULL;
    recover_request request = {lam_recover_options_default(), false, false};
    lam_schema *schema = NULL;
    lam_reader *reader = NULL;
    int option, result;
    while ((option = tool_next_option_of(&tool_recover, argc, argv, ":ho:", options, &result)) !=
           -1) {
        if (option == 'o')
            output = optarg;
        else if (option == OPTION_IN_PLACE)
            request.in_place = true;
        else if (option == OPTION_SCHEMA)
            schema_text = optarg;
        else if (option == OPTION_LIKE)
            like = optarg;
        else if (option == OPTION_CHECKSUMS)
            request.options.no_checksums = true;
        else
            request.json = true;
    }
    if (result >= 0)
        return result;
    if (optind == argc)
        return tool_misuse(&tool_recover, "no file given");
    if (output != NULL && argc - optind > 1)
        return tool_misuse(&tool_recover, "-o names one file: give one FILE");
    if (output != NULL && request.in_place)
        return tool_misuse(&tool_recover, "--in-place and -o exclude each other");
    if (schema_text != NULL && like != NULL)
        return tool_misuse(&tool_recover, "--like has a schema: leave out --schema");
    result = read_helpers(schema_text, like, &schema, &reader);
    request.options.schema = schema;
    request.options.like = reader;
    request.options.memory_limit = tool_limits_of_program()->memory_limit;
    request.options.stop = tool_limits_of_program()->stop;
    if (result == TOOL_OK)
        result = recover_all(argc - optind, argv + optind, &request, output);
    lam_reader_close(reader);
    lam_schema_destroy(schema);
    return result;
}

const tool_command tool_recover = {"recover", "make whole files of unfinished ones", help, run};
