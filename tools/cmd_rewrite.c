/* SPDX-License-Identifier: Apache-2.0 */
/* lamella rewrite: Parquet files to Parquet files, merged, cut, sorted, divided, recompressed. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import_choice.h"
#include "rewrite_folder.h"
#include "rewrite_inputs.h"
#include "rewrite_salvage.h"
#include "tool.h"
#include "tool_files.h"
#include "tool_progress.h"
#include "union_notice.h"

/* "1000000" and "1000000rows" are rows, "256MiB" bytes. */
typedef struct rewrite_split {
    uint64_t rows;
    uint64_t bytes;
} rewrite_split;

typedef struct rewrite_options {
    const char *output;
    const char *columns;
    const char *where;
    const char *partitions;
    const char *temporary;
    lam_writer_options writer;
    rewrite_split split;
    import_choices choices;
    lam_clash on_clash;
    bool explain;
    bool salvages;
    salvage_request salvage;
} rewrite_options;

/* --- Options ------------------------------------------------------------------------------- */

static bool take_codec(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_parse_codec(value, &((rewrite_options *)chosen)->writer);
}

static bool take_split(const tool_option *option, const char *value, void *chosen) {
    rewrite_split *split = &((rewrite_options *)chosen)->split;
    (void)option;
    *split = (rewrite_split){0, 0};
    if (tool_parse_count(value, &split->rows))
        return split->rows > 0;
    return tool_parse_limit(value, &split->bytes);
}

static bool take_encoding(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((rewrite_options *)chosen)->choices, IMPORT_ENCODING, value);
}

static bool take_bloom(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((rewrite_options *)chosen)->choices, IMPORT_BLOOM, value);
}

static bool take_sort_key(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((rewrite_options *)chosen)->choices, IMPORT_SORTED, value);
}

static bool take_version(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    ((rewrite_options *)chosen)->writer.data_page_version = value[0] - '0';
    return strcmp(value, "1") == 0 || strcmp(value, "2") == 0;
}

static const tool_option option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(rewrite_options, output),
     .missing = "name the file to write",
     .argument = "OUT",
     .help = "the file to write or, with --split and --partition-by, a folder that is new or "
             "empty; \"-\" is standard output"},
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(rewrite_options, columns),
     .argument = "A,B.C",
     .group = "which rows and columns",
     .help = "only the leaves below these paths; their chunks are copied"},
    {.name = "where",
     .kind = TOOL_OPTION_CONDITION,
     .at = offsetof(rewrite_options, where),
     .argument = "CONDITION",
     .help = "only rows for which the condition is true, as in cat"},
    CLASH_ROW(rewrite_options, on_clash),
    {.name = "sort-by",
     .kind = TOOL_OPTION_PATH,
     .argument = "PATH[:asc|:desc][:nulls-first]",
     .group = "the order of rows, and their files",
     .repeatable = true,
     .take = take_sort_key,
     .help = "sort all rows by this leaf; if repeated, by the first one, then by the next. Rows "
             "with equal keys keep their order. Nulls come last unless nulls-first is given; NaN "
             "is the largest number"},
    {.name = "split",
     .kind = TOOL_OPTION_SIZE,
     .argument = "ROWS|SIZE",
     .take = take_split,
     .must = "a number of rows, or a size with a unit, as in 256MiB",
     .help = "write files of at most this many rows, or of about this size (with a unit, as in "
             "256MiB), to the folder OUT: part-00000.parquet and so on"},
    {.name = "partition-by",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(rewrite_options, partitions),
     .argument = "A,B",
     .help = "write the rows of each value to folders A=value/B=value below OUT, as in Hive; the "
             "files do not have these columns, so a value whose folder would need a name of more "
             "than 200 bytes is refused"},
    {.name = "temporary",
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(rewrite_options, temporary),
     .argument = "FOLDER",
     .help = "the folder for temporary files if sorting exceeds the memory limit; nothing of them "
             "remains, even after a kill; default: the folder of OUT"},
    {.name = "codec",
     .kind = TOOL_OPTION_TEXT,
     .argument = "NAME[:LEVEL]",
     .values = TOOL_VALUES("zstd", "gzip", "brotli", "snappy", "lz4_raw", "uncompressed"),
     .group = "how files are written",
     .take = take_codec,
     .must = "zstd, gzip, brotli, snappy, lz4_raw or uncompressed, with a level after a colon "
             "where the codec has levels",
     .help = "zstd (level 1 to 22, default: 3), gzip (1 to 12, default: 6), brotli (1 to 11, "
             "default: 5), snappy, lz4_raw or uncompressed; default: each chunk keeps its own"},
    {.name = "row-group-size",
     .kind = TOOL_OPTION_SIZE,
     .at = offsetof(rewrite_options, writer.row_group_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "end row groups at this size; default: leave them as they are"},
    {.name = "row-group-rows",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(rewrite_options, writer.row_group_rows),
     .argument = "N",
     .least = 1,
     .help = "end row groups at this many rows; default: leave them as they are"},
    {.name = "page-size",
     .kind = TOOL_OPTION_SIZE,
     .at = offsetof(rewrite_options, writer.page_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "re-encode all values, and end pages at this size"},
    {.name = "data-page-version",
     .kind = TOOL_OPTION_TEXT,
     .argument = "1|2",
     .take = take_version,
     .must = "1 or 2",
     .help = "re-encode all values, in pages of this version"},
    {.name = "dictionary-size",
     .kind = TOOL_OPTION_SIZE,
     .at = offsetof(rewrite_options, writer.dictionary_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "re-encode all values, and limit dictionaries to this size"},
    {.name = "no-dictionary",
     .kind = TOOL_OPTION_OFF,
     .at = offsetof(rewrite_options, writer.dictionary),
     .help = "re-encode all values, without dictionaries"},
    {.name = "encoding",
     .kind = TOOL_OPTION_PATH,
     .argument = "PATH=NAME",
     .values =
         TOOL_VALUES("plain", "rle", "rle_dictionary", "delta_binary_packed",
                     "delta_length_byte_array", "delta_byte_array", "byte_stream_split", "alp"),
     .repeatable = true,
     .take = take_encoding,
     .must = "PATH=NAME with the name of an encoding",
     .help = "encoding of the leaf, or of all leaves below PATH: plain, rle, rle_dictionary, "
             "delta_binary_packed, delta_length_byte_array, delta_byte_array, byte_stream_split, "
             "alp"},
    {.name = "compat",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(rewrite_options, writer.compat),
     .values = TOOL_VALUES("max", "modern", "newest"),
     .least = LAM_COMPAT_MAX,
     .help = "which readers to write for: all of them (plain values and dictionaries), current "
             "ones (also delta encodings and byte_stream_split), or the newest (also alp). Chunks "
             "in encodings that they lack are re-encoded"},
    {.name = "bloom",
     .kind = TOOL_OPTION_PATH,
     .argument = "PATH[=FPP]",
     .repeatable = true,
     .take = take_bloom,
     .must = "PATH or PATH=FPP with a probability between 0 and 1",
     .help = "write a Bloom filter for the leaf, or for all leaves below PATH, with this "
             "probability of a false positive; default: 0.01"},
    {.name = "explain",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(rewrite_options, explain),
     .help = "report on standard error how many column chunks were copied, recompressed and "
             "re-encoded"},
    {.name = "salvage",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(rewrite_options, salvages),
     .group = "what is left of a damaged file",
     .help = "write a sound file of all pages of IN (a single file) that can still be read, and "
             "report on standard error which rows of which columns are lost"},
    {.name = "lost",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(rewrite_options, salvage.manner),
     .values = TOOL_VALUES("null", "leave-out", "optional"),
     .least = LAM_SALVAGE_NULLS,
     .help = "what becomes of rows that lost a column: null if the field or a group around it is "
             "optional, otherwise the row is left out; all of them are left out; or null, and "
             "required fields become optional as needed; default: null"},
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(rewrite_options, salvage.schema),
     .argument = "FILE|TEXT",
     .help = "the schema, if the footer is lost: message text, or a file that holds it"},
    {.name = "like",
     .kind = TOOL_OPTION_FILE,
     .at = offsetof(rewrite_options, salvage.like),
     .argument = "FILE",
     .help = "a sound file of the same writer, which has the schema"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(rewrite_options, salvage.json),
     .help = "report as one object"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

/* --- The output ---------------------------------------------------------------------------- */

static bool makes_folder(const rewrite_options *options) {
    return options->split.rows != 0 || options->split.bytes != 0 || options->partitions != NULL;
}

/* As the `open` of lam_rewrite_target, for the one file. */
static lam_status open_output(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    const rewrite_options *options = state;
    (void)folder;
    (void)number;
    return tool_create_file(options->output, ret_output, error);
}

/* The file would be replaced while it is read. */
static bool is_an_input(const rewrite_options *options, int count, char **inputs) {
    struct stat output, input;
    if (stat(options->output, &output) != 0 || !S_ISREG(output.st_mode))
        return false;
    for (int i = 0; i < count; i++)
        if (stat(inputs[i], &input) == 0 && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino)
            return true;
    return false;
}

/* --- The rewrite --------------------------------------------------------------------------- */

/* The paths between commas, without blanks around them if there is more. */
static int add_partitions(lam_rewrite *rewrite, const rewrite_options *options, const char *file) {
    lam_error error = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    if (options->partitions == NULL)
        return TOOL_OK;
    char *text = tool_copy_text(options->partitions);
    size_t whole = strlen(text);
    for (size_t begin = 0, end; begin <= whole && status == LAM_STATUS_OK; begin = end + 1) {
        end = tool_mark_from(text, begin, ',');
        size_t blanks = strspn(text + begin, " ");
        text[end] = '\0';
        status = lam_rewrite_add_partition(
            rewrite, text + begin + (begin + blanks < end ? blanks : 0), &error);
    }
    free(text);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail_option(file, "partition-by", &error);
}

static int make_choices(lam_rewrite *rewrite, const rewrite_options *options, const char *file) {
    lam_error error = lam_error_none();
    bool *leaves;
    int result = tool_select(file, lam_rewrite_schema(rewrite), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    lam_status status = LAM_STATUS_OK;
    if (leaves != NULL)
        status = lam_rewrite_set_leaves(rewrite, leaves, &error);
    free(leaves);
    if (status != LAM_STATUS_OK)
        return tool_fail_option(file, "columns", &error);
    if (options->where != NULL)
        status = lam_rewrite_set_where(rewrite, options->where, &error);
    if (status != LAM_STATUS_OK)
        return tool_fail_where(file, options->where, &error);
    status = import_choices_rewrite(&options->choices, rewrite, &error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_set_split(rewrite, options->split.rows, options->split.bytes, &error);
    if (status != LAM_STATUS_OK) {
        (void)tool_fail(file, &error);
        return status == LAM_STATUS_NOT_FOUND || status == LAM_STATUS_INVALID ||
                       error.code == LAM_ERROR_CODE_FILTER_LIMIT
                   ? TOOL_BAD_USAGE
                   : TOOL_BAD_INPUT;
    }
    return add_partitions(rewrite, options, file);
}

/* Bytes of the inputs, in proportion to the rows that are done. */
typedef struct rewrite_progress {
    uint64_t bytes_total;
    uint64_t bytes_done;
} rewrite_progress;

static void show_progress(void *state, const lam_rewrite_progress *rows) {
    rewrite_progress *progress = state;
    double share = rows->rows_total == 0 ? 0 : (double)rows->rows_done / (double)rows->rows_total;
    uint64_t done = (uint64_t)((double)progress->bytes_total * (share < 1 ? share : 1));
    if (done < progress->bytes_done)
        return;
    tool_progress_read(done - progress->bytes_done);
    progress->bytes_done = done;
}

/* Standard input and pipes are copied before, so that their sizes do not count. */
static void begin_progress(rewrite_progress *progress, int count, char **inputs) {
    struct stat about;
    for (int i = 0; i < count; i++)
        if (stat(inputs[i], &about) == 0 && S_ISREG(about.st_mode))
            progress->bytes_total += (uint64_t)about.st_size;
    tool_progress_begin(progress->bytes_total, NULL);
}

static void explain(const lam_rewrite_report *report) {
    tool_say("rows:         %" PRIu64 "\nfiles:        %" PRIu64 "\nbytes:        %" PRIu64
             "\ncopied:       %" PRIu64 " column chunks\nrecompressed: %" PRIu64
             " column chunks\nencoded:      %" PRIu64 " column chunks\nspilled:      %" PRIu64
             " bytes\n",
             report->rows, report->files, report->bytes, report->chunks_copied,
             report->chunks_recompressed, report->chunks_encoded, report->spilled_bytes);
}

static int run_rewrite(lam_rewrite *rewrite, const rewrite_options *options, int count,
                       char **inputs) {
    lam_error error = lam_error_none();
    lam_rewrite_report report = lam_rewrite_report_default();
    bool is_folder = makes_folder(options);
    lam_rewrite_target target = {(void *)(uintptr_t)options, open_output};
    if (is_folder && !rewrite_folder_begin(options->output, &error)) {
        rewrite_folder_drop();
        bool is_usage = error.status == LAM_STATUS_INVALID;
        (void)rewrite_fail(options->output, &error, count, inputs);
        return is_usage ? TOOL_BAD_USAGE : TOOL_BAD_INPUT;
    }
    if (is_folder)
        target = rewrite_folder_target();
    lam_status status = lam_rewrite_run(rewrite, &target, &report, &error);
    if (status == LAM_STATUS_OK && is_folder && !rewrite_folder_end(&error))
        status = error.status;
    if (is_folder)
        rewrite_folder_drop();
    if (status != LAM_STATUS_OK)
        return rewrite_fail(options->output, &error, count, inputs);
    tool_progress_end();
    if (options->explain)
        explain(&report);
    return TOOL_OK;
}

/* The folder of OUT, where there is room for it. */
static char *folder_of(const char *output) {
    const char *slash = strrchr(output, '/');
    char *folder = tool_copy_text(slash == NULL ? "." : output);
    if (slash == output)
        folder[1] = '\0';
    else if (slash != NULL)
        folder[slash - output] = '\0';
    return folder;
}

static int rewrite_all(rewrite_options *options, int count, char **inputs) {
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    rewrite_inputs open = {NULL, 0, NULL};
    lam_reader_options reader = tool_reader_options();
    lam_rewrite_options how = lam_rewrite_options_default();
    enum { LIMIT_LEAST = 1 << 20 };
    const tool_limits *limits = tool_limits_of_program();
    char *folder = folder_of(options->output);
    how.allocator = tool_allocator();
    how.reader = &reader;
    how.writer = &options->writer;
    how.memory_limit = limits->memory_limit != 0 && limits->memory_limit < LIMIT_LEAST
                           ? LIMIT_LEAST
                           : limits->memory_limit;
    rewrite_progress progress = {0, 0};
    how.on_clash = options->on_clash;
    how.stop = limits->stop;
    how.progress = show_progress;
    how.progress_state = &progress;
    how.spill_folder = options->temporary != NULL ? options->temporary : folder;
    int result = TOOL_OK;
    if (lam_rewrite_create(&how, &rewrite, &error) != LAM_STATUS_OK)
        result = tool_fail(options->output, &error);
    else {
        size_t noticed = 0;
        result = rewrite_inputs_add(&open, rewrite, options->output, count, inputs);
        if (result == TOOL_OK)
            union_say_notices(lam_rewrite_union(rewrite), true, &noticed);
        if (result == TOOL_OK)
            result = make_choices(rewrite, options, inputs[0]);
        begin_progress(&progress, count, inputs);
        if (result == TOOL_OK)
            result = run_rewrite(rewrite, options, count, inputs);
        tool_progress_end();
        lam_rewrite_destroy(rewrite);
    }
    rewrite_inputs_close(&open);
    free(folder);
    return result;
}

/* Rewrites the files that the operands mean. */
static int rewrite_found(rewrite_options *options, int count, char **operands) {
    tool_files files;
    tool_files_find(count, operands, TOOL_FILES_KEYED, &files);
    char **inputs = tool_allocate((size_t)files.count + 1, sizeof *inputs);
    for (int i = 0; i < files.count; i++)
        inputs[i] = files.items[i].path;
    int result = files.result;
    if (result == TOOL_OK && is_an_input(options, files.count, inputs))
        result = tool_misuse(&tool_rewrite, "%s is also an input", options->output);
    if (result == TOOL_OK)
        result = rewrite_all(options, files.count, inputs);
    free(inputs);
    tool_files_free(&files);
    return result;
}

/* The options that go with --salvage say how the one file is written. */
static int salvage_one(const rewrite_options *options, int count, char **inputs) {
    if (count != 1)
        return tool_misuse(&tool_rewrite, "--salvage takes one file");
    if (options->columns != NULL || options->where != NULL || makes_folder(options) ||
        options->choices.count > 0 || options->explain)
        return tool_misuse(&tool_rewrite,
                           "--salvage keeps all columns and all remaining rows, in one file: "
                           "select from that afterwards");
    if (is_an_input(options, count, inputs))
        return tool_misuse(&tool_rewrite, "%s is also an input", options->output);
    return rewrite_salvage(inputs[0], options->output, &options->salvage, &options->writer);
}

/* Options that are of no use without --salvage. */
static bool is_lone(const rewrite_options *options) {
    const salvage_request *salvage = &options->salvage;
    return !options->salvages &&
           (salvage->manner != LAM_SALVAGE_DEFAULT || salvage->schema != NULL ||
            salvage->like != NULL || salvage->json);
}

static int run(int argc, char **argv) {
    rewrite_options chosen = {.writer = lam_writer_options_default()};
    int operands;
    int result = tool_take_options(&tool_rewrite, argc, argv, &chosen, &operands);
    if (result < 0 && operands == 0)
        result = tool_misuse(&tool_rewrite, "no file given");
    else if (result < 0 && makes_folder(&chosen) && strcmp(chosen.output, "-") == 0)
        result = tool_misuse(&tool_rewrite, "several files cannot go to standard output");
    else if (result < 0 && is_lone(&chosen))
        result =
            tool_misuse(&tool_rewrite, "--lost, --schema, --like and --json go with --salvage");
    tool_print_exactly(chosen.salvage.json);
    if (result < 0)
        result = tool_check_output(&tool_rewrite, chosen.output);
    if (result < 0)
        result = chosen.salvages ? salvage_one(&chosen, operands, argv + 1)
                                 : rewrite_found(&chosen, operands, argv + 1);
    if (result == TOOL_OK)
        import_choices_say(&chosen.choices, chosen.writer.compat);
    import_choices_free(&chosen.choices);
    return result;
}

static const tool_elsewhere elsewhere[] = {
    {"rename", "columns keep their names; lamella cat FILE | jq -c ... | lamella import -o OUT - "
               "gives them others"},
    {"add", "no column is made; lamella cat FILE | jq -c ... | lamella import -o OUT - makes one"},
    {"type",
     "columns keep their types; lamella cat FILE | lamella import --type PATH=TYPE -o OUT - "
     "gives them others"},
    {"distinct", "duplicate records stay; lamella cat FILE | sort -u | lamella import -o OUT - "
                 "keeps each once"},
    {NULL, NULL}};

const tool_command tool_rewrite = {
    .name = "rewrite",
    .summary = "merge, cut, sort, split or recompress Parquet files",
    .usage = "[options] -o OUT IN...",
    .description =
        "Writes the rows of all inputs, one file after the other, to one Parquet file. Whatever "
        "need not change is copied as it is: without options, row groups; with --columns, the "
        "chunks of these columns; with --codec, pages are only recompressed. Rows are decoded "
        "only to select, sort or split them, or to change row groups. \"-\" is standard "
        "input.\n\nInputs may differ in their schemas and in the order of their columns. Fields "
        "of the same name become one field, whose type holds the values of all: int32 and int64 "
        "become int64, a DATE and a TIMESTAMP become a TIMESTAMP; docs/import.md has the table. A "
        "value that this type would change, such as a large int64 in a double, is an error that "
        "names its row. If no type holds both, they clash, and --on-clash says what the field "
        "becomes. A field that is optional in one input, or missing, is optional in the output, "
        "and null if it is missing.\n\nKey-value metadata, field ids, Bloom filters, statistics "
        "and the order of rows are kept as far as they remain true. OUT appears only after "
        "everything is written, and must not be one of the inputs." TOOL_FOLDER_HELP,
    .examples =
        (const char *const[]){
            "lamella rewrite -o all.parquet monday.parquet tuesday.parquet",
            "lamella rewrite --codec zstd:9 -o small.parquet big.parquet",
            "lamella rewrite --columns id,name --where \"id > 10\" -o some.parquet a.parquet",
            "lamella rewrite --sort-by time --sort-by id:desc -o out.parquet all.parquet",
            "lamella rewrite --partition-by country -o countries all.parquet",
            "lamella rewrite --salvage -o rest.parquet damaged.parquet", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "success; with --salvage, nothing was lost"},
                        {1, TOOL_EXIT_FAILURE "; with --salvage, nothing of the file can be used"},
                        {2, TOOL_EXIT_MISNAME},
                        {3, "with --salvage, something was lost, and the rest is in OUT"}),
    .run = run,
    .elsewhere = elsewhere,
};
