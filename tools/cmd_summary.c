/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lamella summary: what the columns of files hold and take, over all row groups and files. Takes
 * footers, and prints a line for each column; columns of several files are one if they have the
 * same path and type. Of several such columns in one file, which writers are free to make, the
 * first is one with the first of another file, and so on. Facts that some chunk does not state are
 * unknown for all of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta_print.h"
#include "size_findings.h"
#include "text_reader.h"
#include "tool.h"
#include "tool_bound.h"
#include "tool_names.h"
#include "tool_table.h"

enum { BOUND_WIDTH = 24, CODECS = 32 };

/* One column, and what all of its chunks say together. */
typedef struct column_summary {
    char *path;
    char *type;            /* physical and logical */
    const lam_field *leaf; /* of the first file that has it, which stays open */
    size_t next;           /* column of the same path and type; SIZE_MAX: none */
    size_t file;           /* of the first of these: the current file, and */
    size_t latest;         /*   which of them was its last */
    uint32_t encodings;
    uint32_t codecs;
    int64_t stored;
    int64_t uncompressed;
    int64_t values;
    int64_t nulls;    /* -1: some chunk does not say */
    int64_t distinct; /* the same; of more than one chunk it is not known */
    uint64_t chunks;
    bool has_bounds;   /* all chunks with values have stated them so far */
    lam_bytes minimum; /* copies; NULL data before the first */
    lam_bytes maximum;
} column_summary;

typedef struct summary_options {
    bool json;
    bool findings;
    lam_compat compat;
    enum { SUMMARY_SORT_SCHEMA, SUMMARY_SORT_STORED } sort;
    const char *columns;
    column_summary *items;
    size_t count;
    size_t room;
    tool_names numbers;   /* of items, by type and path */
    lam_reader **readers; /* of the leaves of the items */
    size_t reader_count;
    size_t file_count;
    uint64_t rows;
    uint64_t row_groups;
    uint64_t bytes;
} summary_options;

/* --- Adding up ----------------------------------------------------------------------------- */

static char *type_of(const lam_field *leaf) {
    const lam_logical_type *logical = lam_field_logical_type(leaf);
    const char *physical = meta_type_name(leaf);
    size_t size = logical->kind == LAM_LOGICAL_NONE ? 0 : lam_logical_type_print(logical, NULL, 0);
    size_t used = strlen(physical);
    char *text = tool_allocate(used + size + 40, 1);
    strcpy(text, physical);
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        used += (size_t)snprintf(text + used, 20, "(%" PRId32 ")", lam_field_type_length(leaf));
    if (size > 0) {
        text[used++] = ' ';
        lam_logical_type_print(logical, text + used, size + 1);
    }
    return text;
}

/* One text for a type and a path, which both may hold any character. */
static char *key_of(const char *type, const char *path) {
    size_t room = strlen(type) + strlen(path) + 24;
    char *key = tool_allocate(room, 1);
    snprintf(key, room, "%zu %s%s", strlen(type), type, path);
    return key;
}

/* Adds an entry; gives its number. The texts become its own. */
static size_t add_column(summary_options *options, const lam_field *leaf, char *path, char *type) {
    if (options->count == options->room) {
        options->room = 2 * options->room + 64;
        options->items = tool_reallocate(options->items, options->room, sizeof *options->items);
    }
    options->items[options->count] = (column_summary){
        .path = path, .type = type, .leaf = leaf, .next = SIZE_MAX, .has_bounds = true};
    return options->count++;
}

/* The entry of a leaf of the current file, which is added if it is new. */
static column_summary *find_column(summary_options *options, const lam_field *leaf) {
    char *path = tool_path_of(leaf), *type = type_of(leaf), *key = key_of(type, path);
    size_t first = tool_names_find(&options->numbers, key), number = first;
    if (first == SIZE_MAX) {
        first = number = add_column(options, leaf, path, type);
        tool_names_add(&options->numbers, key, first);
    } else if (options->items[first].file == options->file_count) {
        size_t latest = options->items[first].latest;
        number = options->items[latest].next;
        if (number == SIZE_MAX) {
            number = add_column(options, leaf, path, type);
            options->items[latest].next = number;
        }
    }
    if (options->items[number].path != path) {
        free(path);
        free(type);
    }
    free(key);
    options->items[first].file = options->file_count;
    options->items[first].latest = number;
    return &options->items[number];
}

static void copy_bound(lam_bytes *kept, lam_bytes bound) {
    uint8_t *copy = tool_allocate(bound.size + 1, 1);
    memcpy(copy, bound.data, bound.size);
    free((void *)(uintptr_t)kept->data);
    *kept = (lam_bytes){copy, bound.size};
}

/* Chunks without values have no bounds to add. */
static void add_bounds(column_summary *item, const lam_column_chunk_info *info) {
    if (info->value_count == 0 || info->null_count == info->value_count)
        return;
    item->has_bounds &= info->min_value.data != NULL && info->max_value.data != NULL;
    if (!item->has_bounds)
        return;
    if (item->minimum.data == NULL ||
        lam_bound_compare(item->leaf, info->min_value, item->minimum) < 0)
        copy_bound(&item->minimum, info->min_value);
    if (item->maximum.data == NULL ||
        lam_bound_compare(item->leaf, info->max_value, item->maximum) > 0)
        copy_bound(&item->maximum, info->max_value);
}

static void add_chunk(column_summary *item, const lam_column_chunk_info *info) {
    unsigned codec = info->codec_number >= 0 && info->codec_number < CODECS - 1
                         ? (unsigned)info->codec_number
                         : CODECS - 1;
    item->encodings |= info->encodings;
    item->codecs |= UINT32_C(1) << codec;
    item->stored = meta_add(item->stored, info->total_compressed_size);
    item->uncompressed = meta_add(item->uncompressed, info->total_uncompressed_size);
    item->values = meta_add(item->values, info->value_count);
    item->nulls =
        item->nulls < 0 || info->null_count < 0 ? -1 : meta_add(item->nulls, info->null_count);
    item->distinct = item->chunks == 0 ? info->distinct_count : -1;
    item->chunks++;
    add_bounds(item, info);
}

static int add_columns(const char *file, const lam_reader *reader, summary_options *options) {
    const lam_schema *schema = lam_reader_schema(reader);
    lam_error error = lam_error_none();
    bool *leaves;
    int result = tool_select(file, schema, options->columns, &leaves);
    for (size_t i = 0; i < lam_schema_leaf_count(schema) && result == TOOL_OK; i++) {
        if (leaves != NULL && !leaves[i])
            continue;
        column_summary *item = find_column(options, lam_schema_leaf(schema, i));
        for (size_t group = 0; group < lam_reader_row_group_count(reader) && result == TOOL_OK;
             group++) {
            lam_column_chunk_info info = lam_column_chunk_info_default();
            if (lam_reader_column_chunk(reader, group, i, &info, &error) == LAM_STATUS_OK)
                add_chunk(item, &info);
            else
                result = tool_fail(file, &error);
        }
    }
    free(leaves);
    return result;
}

/* The reader stays open if fields of its schema are in use. */
static int add_file(const char *file, void *state) {
    summary_options *options = state;
    lam_reader *reader;
    int result = text_reader_open(file, UINT64_MAX, NULL, &reader);
    if (result != TOOL_OK)
        return result;
    options->rows += lam_reader_row_count(reader);
    options->row_groups += lam_reader_row_group_count(reader);
    options->bytes += tool_file_info(reader).file_size;
    options->file_count++;
    size_t known = options->count;
    result = add_columns(file, reader, options);
    if (options->count == known) {
        lam_reader_close(reader);
        return result;
    }
    options->readers =
        tool_reallocate(options->readers, options->reader_count + 1, sizeof(lam_reader *));
    options->readers[options->reader_count++] = reader;
    return result;
}

/* --- Findings ------------------------------------------------------------------------------ */

static void print_findings(const char *file, const lam_reader *reader,
                           const size_findings *findings, bool json) {
    if (json) {
        tool_print("{\"file\":");
        tool_print_text(file, strlen(file));
        tool_print(",\"size\":%" PRIu64 ",\"sizes\":", tool_file_info(reader).file_size);
        size_print_json(reader, findings);
        tool_print("}\n");
        return;
    }
    tool_print("%s, %" PRIu64 " bytes\n", tool_name(file), tool_file_info(reader).file_size);
    size_print_text(findings);
}

static int find_in_reader(const char *file, const lam_reader *reader, const lam_input *input,
                          const summary_options *options) {
    size_findings findings;
    lam_error error = lam_error_none();
    bool *leaves;
    int result = tool_select(file, lam_reader_schema(reader), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    lam_status status = size_find(reader, input, leaves, options->compat, &findings, &error);
    free(leaves);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    print_findings(file, reader, &findings, options->json);
    size_findings_free(&findings);
    return TOOL_OK;
}

/* The bytes are read twice: by the reader, and to find those that belong to no struct. */
static int find_in_file(const char *file, void *state) {
    lam_input input;
    lam_reader *reader;
    lam_error error = lam_error_none();
    lam_reader_options options = tool_reader_options();
    int result = text_reader_check(file);
    if (result == TOOL_OK)
        result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    lam_input own = input;
    own.close = NULL;
    if (lam_reader_open(&own, &options, &reader, &error) != LAM_STATUS_OK) {
        result = tool_fail(file, &error);
    } else {
        result = find_in_reader(file, reader, &input, state);
        lam_reader_close(reader);
    }
    lam_input_close(&input);
    return result;
}

/* --- Printing ------------------------------------------------------------------------------ */

static const char *codec_name(unsigned number) {
    static const char *const names[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                        "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
    return number < sizeof names / sizeof names[0] ? names[number] : "UNKNOWN";
}

/* Names of the bits that are set, with `between` between them. */
static void list_names(uint32_t bits, bool are_codecs, const char *between, char *text,
                       size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < 32; i++)
        if ((bits >> i & 1) != 0 && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : between,
                                 are_codecs ? codec_name(i) : lam_encoding_name((lam_encoding)i));
}

static int64_t stored_of_all(const summary_options *options) {
    int64_t stored = 0;
    for (size_t i = 0; i < options->count; i++)
        stored = meta_add(stored, options->items[i].stored);
    return stored;
}

static void add_bound(tool_table *table, const column_summary *item, lam_bytes bound) {
    char text[TOOL_BOUND_TEXT];
    lam_bytes none = {NULL, 0};
    tool_table_add(table, "%s",
                   tool_bound_text(item->leaf, item->has_bounds ? bound : none, BOUND_WIDTH, text));
}

static void add_line(tool_table *table, const column_summary *item, int64_t all) {
    char names[400];
    tool_table_add(table, "%s", item->path);
    tool_table_add(table, "%s", item->type);
    list_names(item->encodings, false, " ", names, sizeof names);
    tool_table_add(table, "%s", names);
    list_names(item->codecs, true, " ", names, sizeof names);
    tool_table_add(table, "%s", names);
    tool_table_add_number(table, item->stored);
    tool_table_add_number(table, item->uncompressed);
    if (item->stored > 0)
        tool_table_add(table, "%.2f", (double)item->uncompressed / (double)item->stored);
    else
        tool_table_add(table, "-");
    tool_table_add(table, "%.1f %%", all > 0 ? 100.0 * (double)item->stored / (double)all : 0.0);
    tool_table_add_number(table, item->values);
    tool_table_add_number(table, item->nulls);
    tool_table_add_number(table, item->distinct);
    add_bound(table, item, item->minimum);
    add_bound(table, item, item->maximum);
}

static void print_summary(const summary_options *options) {
    static const char *const titles[] = {"column",       "type",  "encodings", "codec",  "stored",
                                         "uncompressed", "ratio", "share",     "values", "nulls",
                                         "distinct",     "min",   "max"};
    enum { COLUMNS = sizeof titles / sizeof titles[0], RIGHT = 0x7F0 };
    tool_table table = tool_table_start(COLUMNS, RIGHT);
    tool_print("%" PRIu64 " row%s in %" PRIu64 " row group%s of %zu file%s, %" PRIu64 " bytes\n\n",
               options->rows, tool_s(options->rows), options->row_groups,
               tool_s(options->row_groups), options->file_count, tool_s(options->file_count),
               options->bytes);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    const int64_t all = stored_of_all(options);
    for (size_t i = 0; i < options->count; i++)
        add_line(&table, &options->items[i], all);
    tool_table_end(&table);
}

static void print_names_json(uint32_t bits, bool are_codecs) {
    char names[400];
    list_names(bits, are_codecs, "\",\"", names, sizeof names);
    tool_print("%s%s%s", names[0] == '\0' ? "" : "\"", names, names[0] == '\0' ? "" : "\"");
}

static void print_bound_member(const column_summary *item, const char *name, lam_bytes bound) {
    if (!item->has_bounds || bound.data == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_bound_json(item->leaf, bound);
}

static void print_item_json(const column_summary *item) {
    tool_print("{\"path\":");
    tool_print_text(item->path, strlen(item->path));
    tool_print(",\"type\":");
    tool_print_text(item->type, strlen(item->type));
    tool_print(",\"encodings\":[");
    print_names_json(item->encodings, false);
    tool_print("],\"codecs\":[");
    print_names_json(item->codecs, true);
    tool_print("],\"stored\":%" PRId64 ",\"uncompressed\":%" PRId64 ",\"values\":%" PRId64,
               item->stored, item->uncompressed, item->values);
    if (item->nulls >= 0)
        tool_print(",\"nulls\":%" PRId64, item->nulls);
    if (item->distinct >= 0)
        tool_print(",\"distinct\":%" PRId64, item->distinct);
    print_bound_member(item, "min", item->minimum);
    print_bound_member(item, "max", item->maximum);
    tool_print("}");
}

static void print_summary_json(const summary_options *options) {
    tool_print("{\"files\":%zu,\"rows\":%" PRIu64 ",\"row_groups\":%" PRIu64 ",\"bytes\":%" PRIu64
               ",\"columns\":[",
               options->file_count, options->rows, options->row_groups, options->bytes);
    for (size_t i = 0; i < options->count; i++) {
        tool_print("%s", i == 0 ? "" : ",");
        print_item_json(&options->items[i]);
    }
    tool_print("]}\n");
}

static int compare_stored(const void *a, const void *b) {
    const column_summary *left = a, *right = b;
    if (left->stored != right->stored)
        return left->stored < right->stored ? 1 : -1;
    return strcmp(left->path, right->path);
}

static void sort_by_stored(summary_options *options) {
    if (options->count > 0)
        qsort(options->items, options->count, sizeof *options->items, compare_stored);
}

static void free_summary(summary_options *options) {
    for (size_t i = 0; i < options->count; i++) {
        free(options->items[i].path);
        free(options->items[i].type);
        free((void *)(uintptr_t)options->items[i].minimum.data);
        free((void *)(uintptr_t)options->items[i].maximum.data);
    }
    free(options->items);
    tool_names_free(&options->numbers);
    for (size_t i = 0; i < options->reader_count; i++)
        lam_reader_close(options->readers[i]);
    free(options->readers);
}

/* ------------------------------------------------------------------------------------------- */

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(summary_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths"},
    {.name = "sort",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(summary_options, sort),
     .values = TOOL_VALUES("schema", "stored"),
     .help = "the order of the columns: that of the schema, or by stored bytes, largest first; "
             "default: schema"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(summary_options, json),
     .help = "print one object, without what is not known"},
    {.name = "findings",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(summary_options, findings),
     .holds = TOOL_HOLDS_PARQUET,
     .help = "instead, print what would make each file smaller: other encodings and codecs for "
             "its columns, tried on some of their rows, and whatever else costs bytes; with "
             "--json, an object for each file"},
    {.name = "compat",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(summary_options, compat),
     .values = TOOL_VALUES("max", "modern", "newest"),
     .least = LAM_COMPAT_MAX,
     .holds = TOOL_HOLDS_PARQUET,
     .help = "which readers --findings considers, as in rewrite; default: modern"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    summary_options chosen = {.compat = LAM_COMPAT_MODERN};
    int operands, result = tool_take_options(&tool_summary, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (tool_is_given("compat") && !chosen.findings)
        return tool_misuse(&tool_summary, "--compat needs --findings");
    tool_print_exactly(chosen.json);
    result = tool_each_file(&tool_summary, operands, argv + 1,
                            chosen.findings ? find_in_file : add_file, &chosen);
    if (chosen.file_count > 0 && result != TOOL_BAD_USAGE) {
        if (chosen.sort == SUMMARY_SORT_STORED)
            sort_by_stored(&chosen);
        if (chosen.json)
            print_summary_json(&chosen);
        else
            print_summary(&chosen);
    }
    free_summary(&chosen);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

const tool_command tool_summary = {
    .name = "summary",
    .summary = "print what each column holds and how much space it takes",
    .usage = "[options] FILE...",
    .description =
        "Prints a line for each column over all row groups of all files: its type, encodings and "
        "codecs, bytes stored and uncompressed with their ratio, its share of all that is stored, "
        "the number of values (including nulls), of nulls and of distinct values, and the lowest "
        "and highest value. All of it comes from the footers; \"-\" stands for what not every "
        "chunk says. The number of distinct values is known for single chunks only. FILE may be "
        "\"-\" for standard input." TEXT_READER_HELP,
    .examples =
        (const char *const[]){"lamella summary events.parquet", "lamella summary --json *.parquet",
                              "lamella summary --findings events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
