/* SPDX-License-Identifier: Apache-2.0 */
/* lamella cat: the records of a file as JSON, one per line. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/filter.h>
#include <lamella/projection.h>
#include <lamella/scan.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

typedef enum cat_conflicts { CONFLICTS_ERROR, CONFLICTS_TYPED } cat_conflicts;

typedef struct cat_options {
    const char *columns;
    uint64_t skip;  /* records still to leave out */
    uint64_t limit; /* records still to print */
    lam_json_binary binary;
    lam_json_variant variant;
    cat_conflicts conflicts; /* of VARIANTs */
    bool keep_going;
    const char *where; /* NULL is all records */
    lam_switch pruning;
    bool explain;
} cat_options;

/* Records to print: some leaves of a file, and which rows. */
typedef struct cat_part {
    const lam_reader *reader;
    const bool *leaves;               /* NULL is all */
    const lam_projection *projection; /* in their place, if it is not NULL */
    const bool *free_leaves;
    uint64_t skip;
    uint64_t limit;
    const lam_filter *filter; /* NULL is none */
    lam_switch pruning;
    lam_scan_report *report;   /* filled when not NULL */
    uint64_t *row_groups_read; /* by leaf; filled when not NULL */
} cat_part;

static lam_status copy_records(const cat_part *part, lam_json_writer *writer, uint64_t *ret_skipped,
                               uint64_t *ret_read, lam_error *error) {
    lam_record_reader *records;
    lam_scan_options options = lam_scan_options_default();
    options.leaves = part->leaves;
    options.projection = part->projection;
    options.filter = part->filter;
    options.pruning = part->pruning;
    lam_status status = lam_record_reader_open_scan(part->reader, &options, &records, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_record_reader_skip(records, part->skip, ret_skipped, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_writer_print(writer, records, part->limit, ret_read, error);
    bool ok = status == LAM_STATUS_OK; /* a report of what was read before a failure, too */
    if (part->report != NULL &&
        lam_record_reader_report(records, part->report, ok ? error : NULL) != LAM_STATUS_OK && ok)
        status = LAM_STATUS_INVALID;
    for (size_t i = 0; part->row_groups_read != NULL &&
                       i < lam_schema_leaf_count(lam_reader_schema(part->reader));
         i++)
        part->row_groups_read[i] = lam_record_reader_row_groups_of(records, i);
    lam_record_reader_close(records);
    return status;
}

/* Prints a part, and gives how many records were left out and printed; those before a failure are
 * printed too. */
static lam_status print_part(const cat_part *part, const cat_options *options,
                             uint64_t *ret_skipped, uint64_t *ret_read, lam_error *error) {
    lam_json_writer_options json = lam_json_writer_options_default();
    json.binary = options->binary;
    json.variant = options->variant;
    json.tolerate_conflicts = options->conflicts == CONFLICTS_TYPED;
    json.memory_limit = lam_reader_memory_limit(part->reader);
    json.leaves = part->leaves;
    json.projection = part->projection;
    json.free_leaves = part->free_leaves;
    lam_json_writer *writer;
    *ret_skipped = 0;
    *ret_read = 0;
    lam_status status = lam_json_writer_create(lam_reader_schema(part->reader), tool_stdout(),
                                               &json, NULL, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_error flush_error = lam_error_none();
    status = copy_records(part, writer, ret_skipped, ret_read, error);
    lam_status flushed = lam_json_writer_flush(writer, &flush_error);
    if (status == LAM_STATUS_OK && flushed != LAM_STATUS_OK) {
        status = flushed;
        *error = flush_error;
    }
    lam_json_writer_destroy(writer);
    return status;
}

static int print_all(const char *file, cat_part *part, cat_options *options) {
    lam_error error = lam_error_none();
    uint64_t skipped, read;
    part->skip = options->skip;
    part->limit = options->limit;
    lam_status status = print_part(part, options, &skipped, &read, &error);
    options->skip -= skipped;
    options->limit -= read;
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(file, &error);
}

/* --- Going on where a file is damaged ------------------------------------------------------ */

static lam_status read_through(const lam_reader *reader, size_t row_group, size_t leaf_index,
                               lam_error *error) {
    lam_column_reader *column;
    lam_status status = lam_column_reader_open(reader, row_group, leaf_index, &column, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_triples run;
    do {
        status = lam_column_reader_read(column, SIZE_MAX, &run, error);
    } while (status == LAM_STATUS_OK && run.count > 0);
    lam_column_reader_close(column);
    return status;
}

/* Unmarks the columns of a row group that cannot be read, and reports each; counts the rest. */
static size_t drop_damaged(const char *file, const lam_reader *reader, size_t row_group,
                           bool *leaves, int *result) {
    size_t left = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(reader)); i++) {
        lam_error error = lam_error_none();
        if (leaves[i] && read_through(reader, row_group, i, &error) != LAM_STATUS_OK) {
            leaves[i] = false;
            *result = tool_fail(file, &error);
        }
        left += leaves[i];
    }
    return left;
}

/* Prints what can be read of `count` rows of a row group, from row `first` of the file on. */
static int salvage(const char *file, const cat_part *whole, size_t row_group, uint64_t first,
                   uint64_t count, cat_options *options) {
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(whole->reader));
    bool *leaves = tool_allocate(leaf_count + 1, sizeof *leaves);
    int result = TOOL_OK;
    uint64_t skipped, read = 0;
    for (size_t i = 0; i < leaf_count; i++)
        leaves[i] = whole->leaves == NULL || whole->leaves[i];
    size_t left = drop_damaged(file, whole->reader, row_group, leaves, &result);
    if (left > 0 || result == TOOL_OK) {
        lam_error error = lam_error_none();
        cat_part part = {.reader = whole->reader,
                         .leaves = leaves,
                         .free_leaves = whole->free_leaves,
                         .skip = first,
                         .limit = count};
        if (print_part(&part, options, &skipped, &read, &error) != LAM_STATUS_OK)
            result = tool_fail(file, &error);
    }
    if (read < count)
        fprintf(stderr, "lamella: %s: %" PRIu64 " records of row group %zu are lost\n",
                tool_name(file), count - read, row_group);
    options->limit -= count;
    free(leaves);
    return result;
}

static int print_what_can_be_read(const char *file, const cat_part *whole, cat_options *options) {
    int worst = TOOL_OK;
    uint64_t first = 0;
    for (size_t i = 0; i < lam_reader_row_group_count(whole->reader); i++) {
        lam_error error = lam_error_none();
        lam_row_group_info group = lam_row_group_info_default();
        if (lam_reader_row_group(whole->reader, i, &group, &error) != LAM_STATUS_OK)
            return tool_fail(file, &error);
        uint64_t skip = options->skip < group.row_count ? options->skip : group.row_count;
        uint64_t count = group.row_count - skip;
        count = count < options->limit ? count : options->limit;
        options->skip -= skip;
        int result = count == 0 ? TOOL_OK : salvage(file, whole, i, first + skip, count, options);
        worst = result > worst ? result : worst;
        first += group.row_count;
    }
    return worst;
}

/* ------------------------------------------------------------------------------------------- */

/* What became of the condition, on standard error. */
static void explain(const char *file, const lam_scan_report *report, uint64_t bytes_read,
                    uint64_t file_size) {
    const char *name = tool_name(file);
    fprintf(stderr,
            "lamella: %s: %" PRIu64 " row groups examined; ruled out: %" PRIu64
            " by statistics, %" PRIu64 " by Bloom filters, %" PRIu64 " by the page index, %" PRIu64
            " by dictionaries\n",
            name, report->row_groups, report->row_groups_by_statistics, report->row_groups_by_bloom,
            report->row_groups_by_pages, report->row_groups_by_dictionary);
    fprintf(stderr,
            "lamella: %s: %" PRIu64 " pages of the condition's columns in the page index; "
            "ruled out: %" PRIu64 "\n",
            name, report->pages, report->pages_pruned);
    fprintf(stderr,
            "lamella: %s: %" PRIu64 " records; ruled out unread: %" PRIu64 "; matching: %" PRIu64
            "\n",
            name, report->rows, report->rows_pruned, report->rows_wanted);
    fprintf(stderr,
            "lamella: %s: %" PRIu64 " of %" PRIu64 " bytes read, %" PRIu64
            " of them page indexes and Bloom filters\n",
            name, bytes_read, file_size, report->index_bytes);
}

/* Which columns the records were read from. */
static void explain_columns(const char *file, const cat_part *whole) {
    const lam_schema *schema = lam_reader_schema(whole->reader);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        char path[256];
        if (whole->row_groups_read[i] == 0)
            continue;
        (void)lam_field_path(lam_schema_leaf(schema, i), path, sizeof path);
        fprintf(stderr, "lamella: %s: column %s: read in %" PRIu64 " of %zu row groups\n",
                tool_name(file), path, whole->row_groups_read[i],
                lam_reader_row_group_count(whole->reader));
    }
}

static int print_whole(const char *file, cat_part *whole, uint64_t *bytes_read,
                       cat_options *options) {
    lam_scan_report report = lam_scan_report_default();
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(whole->reader));
    lam_error error = lam_error_none();
    lam_filter *filter = NULL;
    lam_filter_text_options text = lam_filter_text_options_default();
    text.storage = options->variant == LAM_JSON_VARIANT_STORAGE;
    if (options->where != NULL &&
        lam_filter_parse(lam_reader_schema(whole->reader), options->where, strlen(options->where),
                         &text, NULL, &filter, &error) != LAM_STATUS_OK)
        return tool_fail_option(file, "where", &error);
    whole->filter = filter;
    whole->pruning = options->pruning;
    whole->report = &report;
    whole->row_groups_read = tool_allocate(leaf_count + 1, sizeof *whole->row_groups_read);
    int result = print_all(file, whole, options);
    if (options->explain) {
        if (options->columns != NULL)
            explain_columns(file, whole);
        explain(file, &report, *bytes_read, lam_reader_file_size(whole->reader));
    }
    free(whole->row_groups_read);
    lam_filter_destroy(filter);
    return result;
}

/* The fields to print: leaves where VARIANTs show as groups or damage is passed over, else a
 * projection, whose paths go on in VARIANTs. */
static int choose_columns(const char *file, const lam_schema *schema, const cat_options *options,
                          bool **ret_leaves, lam_projection **ret_projection) {
    *ret_leaves = NULL;
    *ret_projection = NULL;
    if (options->keep_going || options->variant == LAM_JSON_VARIANT_STORAGE)
        return tool_select(file, schema, options->columns, ret_leaves);
    return tool_project(file, schema, options->columns, ret_projection);
}

static int print_records(const char *file, const lam_reader *reader, uint64_t *bytes_read,
                         cat_options *options) {
    bool *leaves;
    lam_projection *projection;
    int result = choose_columns(file, lam_reader_schema(reader), options, &leaves, &projection);
    if (result != TOOL_OK)
        return result;
    bool *free_leaves = tool_free_leaves(reader);
    cat_part whole = {
        .reader = reader, .leaves = leaves, .projection = projection, .free_leaves = free_leaves};
    whole.limit = UINT64_MAX;
    result = options->keep_going ? print_what_can_be_read(file, &whole, options)
                                 : print_whole(file, &whole, bytes_read, options);
    free(leaves);
    free(free_leaves);
    lam_projection_destroy(projection);
    return result;
}

static int cat_file(const char *file, void *state) {
    lam_reader *reader;
    cat_options *options = state;
    uint64_t bytes_read = 0;
    int result = tool_open_counted(file, &bytes_read, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_records(file, reader, &bytes_read, options);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(cat_options, columns),
     .argument = "A,B.C",
     .group = "which records and fields",
     .help = "only the leaves below these paths; no others are read. A path into a VARIANT "
             "continues with the fields of its objects, as in event.user.\"a.b\", with quotation "
             "marks around unusual names: each value is then an object of the parts that exist, "
             "read from few columns if it is shredded"},
    {.name = "skip",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(cat_options, skip),
     .argument = "N",
     .help = "leave out the first N records of all files together"},
    {.name = "limit",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(cat_options, limit),
     .argument = "N",
     .help = "print at most N records of all files together"},
    {.name = "where",
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(cat_options, where),
     .argument = "CONDITION",
     .help =
         "print only records for which the condition is true; it may use fields that are not "
         "printed. Fields are compared (= != < <= > >=, between A and B, in (A, B)) with numbers, "
         "true, false, 'text', '2024-10-24', x'00FF'; also: is null, is not null, and, or, not, "
         "( ). Unusual names need quotation marks. A comparison with a list is true if it is true "
         "for an element. Paths into VARIANTs continue as in --columns, and with [] for the "
         "elements of arrays, as in event.items[].price < 10; they also allow: is missing, is not "
         "missing. --skip and --limit count only records that match"},
    {.name = "no-pruning",
     .kind = TOOL_OPTION_OFF,
     .at = offsetof(cat_options, pruning),
     .help = "with --where: ignore statistics, page indexes and Bloom filters, and test every "
             "record"},
    {.name = "explain",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(cat_options, explain),
     .help = "report on standard error which columns were read, what was ruled out and how, and "
             "how many bytes of the file were read"},
    {.name = "binary",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(cat_options, binary),
     .values = TOOL_VALUES("base64", "hex", "utf8"),
     .least = LAM_JSON_BINARY_BASE64,
     .group = "how values are printed",
     .help = "how to print bytes that are not text; default: base64"},
    {.name = "variant",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(cat_options, variant),
     .values = TOOL_VALUES("value", "typed", "storage"),
     .least = LAM_JSON_VARIANT_VALUE,
     .help = "print VARIANTs as their values; as values with their kinds, as in {\"int8\":5}; or "
             "as the groups that store them, in which paths of --columns then select columns; "
             "default: value"},
    {.name = "variant-conflicts",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(cat_options, conflicts),
     .values = TOOL_VALUES("error", "typed"),
     .least = CONFLICTS_ERROR,
     .group = "damage",
     .help = "if value and typed_value of a shredded VARIANT are both present against the rules: "
             "report an error, or use typed_value; default: error"},
    {.name = "keep-going",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(cat_options, keep_going),
     .help = "if a column of a row group is damaged, report it, leave its field out of those "
             "records, and continue; the exit status is still 1. Paths of --columns then select "
             "columns, in VARIANTs too"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    cat_options chosen = {.limit = UINT64_MAX, .binary = LAM_JSON_BINARY_BASE64};
    int operands, result = tool_take_options(&tool_cat, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (chosen.keep_going && (chosen.where != NULL || chosen.explain))
        return tool_misuse(&tool_cat, "--keep-going cannot be combined with --where or --explain");
    return tool_each_file(&tool_cat, operands, argv + 1, cat_file, &chosen);
}

const tool_command tool_cat = {
    .name = "cat",
    .summary = "print records as JSON, one per line",
    .usage = "[options] FILE...",
    .description =
        "Prints the records of each Parquet file, one JSON object per line, every field in schema "
        "order. FILE may be \"-\" for standard input. Every value keeps all its bits: \"lamella "
        "import\" makes the same records from the output, given the schema that \"lamella "
        "schema\" prints where inference would choose another."
        "\n\n"
        "Values are printed as follows: integers with all 64 bits; floats as the shortest text "
        "that reads back equal, and \"NaN\", \"Infinity\", \"-Infinity\"; decimals with all "
        "digits of their scale; dates, times and timestamps in ISO 8601 with the digits of their "
        "unit, with Z if in UTC; lists as arrays; maps as objects, or as arrays of "
        "{\"key\":..,\"value\":..} if the keys are not strings; VARIANTs as their values, "
        "shredded or not; bytes as chosen by --binary.",
    .examples =
        (const char *const[]){
            "lamella cat events.parquet",
            "lamella cat --columns id,user.name --limit 10 events.parquet",
            "lamella cat --where \"price > 10 and tags is not null\" events.parquet", NULL},
    .options = option_rows,
    .run = run,
};
