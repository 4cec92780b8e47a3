/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of `lamella import`: the table, the values that only this command has, and the
 * combinations that it refuses. A value that an option cannot have is never stored.
 */
#include "import_option.h"

#include <stdlib.h>
#include <string.h>

#include "csv_option.h"
#include "import_type.h"

enum {
    SAMPLE_RECORDS = 16384 /* that shredding is inferred from, unless a row group has fewer */
};

/* --- Values -------------------------------------------------------------------------------- */

static bool take_codec(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_parse_codec(value, &((import_options *)chosen)->writer);
}

static bool take_no_dictionary(const tool_option *option, const char *value, void *chosen) {
    lam_writer_options *writer = &((import_options *)chosen)->writer;
    (void)option;
    (void)value;
    writer->dictionary = writer->delta = LAM_SWITCH_OFF;
    return true;
}

static bool take_encoding(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((import_options *)chosen)->choices, IMPORT_ENCODING, value);
}

static bool take_bloom(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((import_options *)chosen)->choices, IMPORT_BLOOM, value);
}

static bool take_sorted(const tool_option *option, const char *value, void *chosen) {
    import_options *options = chosen;
    (void)option;
    options->writer.check_sorting = true;
    return import_choices_add(&options->choices, IMPORT_SORTED, value);
}

static bool take_meta(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    return import_choices_add(&((import_options *)chosen)->choices, IMPORT_META, value);
}

static bool take_memory(const tool_option *option, const char *value, void *chosen) {
    return tool_take_memory_limit(option, value, chosen) &&
           tool_parse_limit(value, &((import_options *)chosen)->json.memory_limit);
}

/* Adds a text, which is not copied, to a list. */
static void add_text(char ***texts, int *count, const char *text) {
    *texts = tool_reallocate(*texts, (size_t)*count + 1, sizeof **texts);
    (*texts)[(*count)++] = (char *)(uintptr_t)text;
}

static bool take_variant(const tool_option *option, const char *value, void *chosen) {
    import_layout *layout = &((import_options *)chosen)->layout;
    (void)option;
    add_text(&layout->variants, &layout->variant_count, value);
    return *value != '\0';
}

static bool take_shred(const tool_option *option, const char *value, void *chosen) {
    import_layout *layout = &((import_options *)chosen)->layout;
    (void)option;
    add_text(&layout->shreds, &layout->shred_count, value);
    return *value != '\0' && *value != '=';
}

static bool take_threshold(const tool_option *option, const char *value, void *chosen) {
    import_layout *layout = &((import_options *)chosen)->layout;
    layout->threshold = option->name;
    return import_threshold_set(&layout->inference, option->name, value);
}

static bool take_type(const tool_option *option, const char *value, void *chosen) {
    import_layout *layout = &((import_options *)chosen)->layout;
    size_t count = layout->fields.column_count;
    char *text = tool_copy_text(value);
    (void)option;
    layout->columns = tool_reallocate(layout->columns, count + 1, sizeof *layout->columns);
    if (!import_type_parse(text, &layout->columns[count])) {
        free(text);
        return false;
    }
    layout->fields.column_count++;
    return true;
}

static bool take_records(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    ((import_options *)chosen)->records = value;
    return import_records_is_path(value);
}

/* --- The table ----------------------------------------------------------------------------- */

#define AT(member) .at = offsetof(import_options, member)

#define TYPE_HELP                                                                                  \
    "the type of a field, whatever its values look like: " IMPORT_TYPE_NAMES "; may be repeated"

#define THRESHOLD(words, value, must_be, text)                                                     \
    {                                                                                              \
        .name = words, .kind = TOOL_OPTION_TEXT, .argument = value, .take = take_threshold,        \
        .must = must_be, .holds = TOOL_HOLDS_JSON, .help = text                                    \
    }

const tool_option import_option_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OPTION_FILE,
     AT(output),
     .argument = "OUT",
     .missing = "name the file to write",
     .help = "the file to write"},
    {.name = "format",
     .kind = TOOL_OPTION_ENUM,
     AT(format),
     .values = TOOL_VALUES("auto", "json", "csv", "tsv", "parquet"),
     .least = IMPORT_FORMAT_AUTO,
     .group = "inputs",
     .help = "the format of the inputs; auto: Parquet begins with PAR1, JSON with { or [, and CSV "
             "has a comma, semicolon, tab or | in its first line; default: auto"},
    {.name = "memory-limit",
     .kind = TOOL_OPTION_SIZE,
     .argument = "SIZE",
     .least = 1,
     .take = take_memory,
     .help = "memory for reading, mainly for long records; a record that needs more is an error "
             "that names its line; default: 1GiB, and as much again for inferring a schema. If "
             "given, it bounds the whole run, and row groups end at an eighth of it"},
    TOOL_TIMEOUT_ROW,
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     AT(layout.schema),
     .argument = "FILE|TEXT",
     .group = "schema",
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = "message text, or a file that holds it"},
    {.name = "ignore-unknown",
     .kind = TOOL_OPTION_FLAG,
     AT(json.ignore_unknown),
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = "ignore fields that the schema does not have"},
    {.name = "type",
     .kind = TOOL_OPTION_PATH,
     .repeatable = true,
     .argument = "PATH=TYPE",
     .values = import_type_names,
     .take = take_type,
     .must = "PATH=TYPE, as in price=decimal(10,2), where TYPE is " IMPORT_TYPE_NAMES,
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = TYPE_HELP},
    {.name = "no-infer-times",
     .kind = TOOL_OPTION_OFF,
     AT(csv.infer_times),
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = "leave dates, times and timestamps as text"},
    {.name = "no-infer-maps",
     .kind = TOOL_OPTION_OFF,
     AT(layout.fields.infer_maps),
     .holds = TOOL_HOLDS_JSON,
     .help = "keep JSON objects whose keys are data as groups"},
    {.name = "infer-decimals",
     .kind = TOOL_OPTION_FLAG,
     AT(csv.infer_decimals),
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = "make numbers with a decimal point decimals instead of doubles"},
    {.name = "epoch",
     .kind = TOOL_OPTION_ENUM,
     AT(json.epoch),
     .values = TOOL_VALUES("seconds", "millis", "micros", "nanos"),
     .least = LAM_JSON_EPOCH_SECONDS,
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,
     .help = "the unit of numbers in timestamp columns, counted since 1970; default: they are an "
             "error"},
    TIME_FORMAT_ROW(import_options),
    {.name = "on-clash",
     .kind = TOOL_OPTION_ENUM,
     AT(layout.on_clash),
     .values = TOOL_VALUES("variant", "string", "error"),
     .least = LAM_CLASH_VARIANT,
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_PARQUET,
     .help = "what becomes of a field whose values clash, such as numbers and strings in JSON, or "
             "types of Parquet files that no type holds together: a VARIANT, a STRING with other "
             "values as JSON text, or an error; default: variant"},
    {.name = "records",
     .kind = TOOL_OPTION_TEXT,
     .argument = "PATH",
     .take = take_records,
     .must = "names separated by dots, with [] after arrays, as in data.features[]",
     .group = "JSON",
     .holds = TOOL_HOLDS_JSON,
     .help = "take the values at this path of each document as records, as in features[] or "
             "data.items[].rows[]; ignore everything else"},
    {.name = "binary",
     .kind = TOOL_OPTION_ENUM,
     AT(json.binary),
     .values = TOOL_VALUES("base64", "hex", "utf8"),
     .least = LAM_JSON_BINARY_BASE64,
     .holds = TOOL_HOLDS_JSON,
     .help = "how JSON holds bytes that are not text; default: base64"},
    {.name = "nearest-numbers",
     .kind = TOOL_OPTION_FLAG,
     AT(json.nearest_numbers),
     .holds = TOOL_HOLDS_JSON,
     .help = "round numbers of more than 38 digits, which no VARIANT can hold, to the nearest "
             "double; default: an error"},
    CSV_OPTION_ROWS(import_options),
    BAD_LINES_ROWS(import_options),
    {.name = "variant",
     .kind = TOOL_OPTION_PATH,
     .repeatable = true,
     .argument = "PATH",
     .take = take_variant,
     .must = "a path of the schema",
     .group = "VARIANTs",
     .holds = TOOL_HOLDS_JSON,
     .help = "make this field a VARIANT, whatever its values: a path of the schema, such as user "
             "or tags.list.element; may be repeated"},
    {.name = "variant-all",
     .kind = TOOL_OPTION_FLAG,
     AT(layout.variant_all),
     .holds = TOOL_HOLDS_JSON,
     .help = "make each record the value of one VARIANT, the column named record; a record may "
             "then be any JSON"},
    {.name = "variant-form",
     .kind = TOOL_OPTION_ENUM,
     AT(json.variant),
     .values = TOOL_VALUES("value", "typed", "storage"),
     .least = LAM_JSON_VARIANT_VALUE,
     .holds = TOOL_HOLDS_JSON,
     .help = "how the input writes VARIANTs: as any JSON; with their types, as cat --variant "
             "typed prints them; or, with --schema, as the groups that store them; default: value"},
    {.name = "shred",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "auto|none|[PATH=]SCHEMA",
     .values = TOOL_VALUES("auto", "none"),
     .take = take_shred,
     .must = "auto, none or a schema",
     .holds = TOOL_HOLDS_JSON,
     .help = "the columns of VARIANTs: inferred from the first records; only value; or the schema "
             "of typed_value, as text or a file, for the VARIANT at PATH, or for all of them "
             "without PATH; default: auto, or none with --schema"},
    {.name = "explain",
     .kind = TOOL_OPTION_FLAG,
     AT(layout.explain),
     .holds = TOOL_HOLDS_JSON,
     .help = "print what --shred auto found and chose"},
    THRESHOLD("shred-presence", "SHARE", IMPORT_MUST_SHARE,
              "with --shred auto: give columns to fields that at least this share of the values "
              "have; default: 0.05"),
    THRESHOLD("shred-uniformity", "SHARE", IMPORT_MUST_SHARE,
              "give a field a typed column if at least this share of its values has one type; "
              "default: 0.5"),
    THRESHOLD("shred-depth", "N", "from 1 to 64",
              "give columns to objects and arrays nested up to this deep, at most 64; default: 16"),
    THRESHOLD("shred-columns", "N", "from 1 to 10000",
              "give one VARIANT at most this many columns (up to 10000), for its most frequent "
              "fields; default: 500"),
    THRESHOLD("shred-paths", "N", "from 1 to 1000000",
              "count at most this many different fields, up to 1000000; default: 20000"),
    THRESHOLD("shred-sample-rows", "N", "a number above 0",
              "sample at most this many records; default: 16384, or those of a smaller row group"),
    THRESHOLD("shred-sample-size", "SIZE", "a size above 0",
              "sample at most this many bytes of values; default: 8MiB"),
    {.name = "codec",
     .kind = TOOL_OPTION_TEXT,
     .argument = "NAME[:LEVEL]",
     .values = TOOL_VALUES("zstd", "gzip", "brotli", "snappy", "lz4_raw", "uncompressed"),
     .take = take_codec,
     .must = "zstd, gzip or brotli, also with :LEVEL, snappy, lz4_raw or uncompressed",
     .group = "the file",
     .help = "zstd (level 1 to 22, default: 3), gzip (1 to 12, default: 6), brotli (1 to 11, "
             "default: 5), snappy, lz4_raw or uncompressed; default: zstd"},
    {.name = "row-group-size",
     .kind = TOOL_OPTION_SIZE,
     AT(writer.row_group_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "end row groups at this size; default: 128MiB"},
    {.name = "row-group-rows",
     .kind = TOOL_OPTION_COUNT,
     AT(writer.row_group_rows),
     .argument = "N",
     .least = 1,
     .help = "end row groups at this many rows; default: 1048576"},
    {.name = "page-size",
     .kind = TOOL_OPTION_SIZE,
     AT(writer.page_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "end pages at this size; default: 1MiB"},
    {.name = "data-page-version",
     .kind = TOOL_OPTION_ENUM,
     AT(writer.data_page_version),
     .values = TOOL_VALUES("1", "2"),
     .least = 1,
     .help = "default: 1"},
    {.name = "dictionary-size",
     .kind = TOOL_OPTION_SIZE,
     AT(writer.dictionary_bytes),
     .argument = "SIZE",
     .least = 1,
     .help = "limit dictionaries to this size; default: 1MiB"},
    {.name = "no-dictionary",
     .kind = TOOL_OPTION_OFF,
     .take = take_no_dictionary,
     .help = "write plain values only"},
    {.name = "encoding",
     .kind = TOOL_OPTION_PATH,
     .repeatable = true,
     .argument = "PATH=NAME",
     .values =
         TOOL_VALUES("plain", "rle", "rle_dictionary", "delta_binary_packed",
                     "delta_length_byte_array", "delta_byte_array", "byte_stream_split", "alp"),
     .take = take_encoding,
     .must = "PATH=NAME",
     .help = "encoding of the leaf, or of all leaves below PATH: plain, rle, rle_dictionary, "
             "delta_binary_packed, delta_length_byte_array, delta_byte_array, byte_stream_split, "
             "alp; may be repeated"},
    {.name = "compat",
     .kind = TOOL_OPTION_ENUM,
     AT(writer.compat),
     .values = TOOL_VALUES("max", "modern", "newest"),
     .least = LAM_COMPAT_MAX,
     .help = "which readers to write for: all of them (plain values and dictionaries), current "
             "ones (also delta encodings and byte_stream_split), or the newest (also alp, and "
             "schemas with timestamps of 12 bytes); default: modern"},
    {.name = "bloom",
     .kind = TOOL_OPTION_PATH,
     .repeatable = true,
     .argument = "PATH[=FPP]",
     .take = take_bloom,
     .must = "PATH, or PATH=FPP with a probability below 1",
     .help = "write a Bloom filter for the leaf, or for all leaves below PATH, with this "
             "probability of a false positive; default: 0.01; may be repeated"},
    {.name = "auto-bloom",
     .kind = TOOL_OPTION_FLAG,
     AT(writer.auto_bloom_filters),
     .help = "write Bloom filters for strings, UUIDs and integers with many values in no order"},
    {.name = "sorted",
     .kind = TOOL_OPTION_PATH,
     .repeatable = true,
     .argument = "PATH[:asc|:desc][:nulls-first]",
     .take = take_sorted,
     .must = "a path of the schema",
     .help = "the records are sorted by this leaf; if repeated, by the first one, then by the "
             "next. The file records the order; a record out of order is an error"},
    {.name = "meta",
     .kind = TOOL_OPTION_TEXT,
     .repeatable = true,
     .argument = "KEY=VALUE",
     .take = take_meta,
     .must = "KEY=VALUE, and each key once",
     .help = "add a pair to the key-value metadata of the file; may be repeated"},
    {.name = "float-total-order",
     .kind = TOOL_OPTION_FLAG,
     AT(writer.float_total_order),
     .help = "write bounds of floating-point columns in IEEE 754 total order, NaNs included, for "
             "readers that know it"},
    {.name = "int96-order",
     .kind = TOOL_OPTION_FLAG,
     AT(writer.int96_order),
     .help = "write bounds of INT96 columns, in the order of timestamps, for readers that know it"},
    {.name = "no-statistics",
     .kind = TOOL_OPTION_OFF,
     AT(writer.statistics),
     .help = "write no counts, bounds and sizes of column chunks and pages"},
    {.name = "no-page-index",
     .kind = TOOL_OPTION_OFF,
     AT(writer.page_index),
     .help = "write no column indexes and offset indexes"},
    {.name = NULL}};

/* --- All together -------------------------------------------------------------------------- */

import_options import_options_default(void) {
    import_options options;
    memset(&options, 0, sizeof options);
    options.writer = lam_writer_options_default();
    options.json = lam_json_reader_options_default();
    options.csv = lam_csv_options_default();
    options.layout.fields = lam_json_inference_options_default();
    options.layout.inference = lam_variant_inference_options_default();
    options.most_records = UINT64_MAX;
    options.json.memory_limit = tool_limits_of_program()->memory_limit; /* where it was taken */
    return options;
}

void import_options_free(import_options *options) {
    import_choices_free(&options->choices);
    for (size_t i = 0; i < options->layout.fields.column_count; i++)
        free((char *)(uintptr_t)options->layout.columns[i].path);
    free(options->layout.columns);
    free(options->layout.variants);
    free(options->layout.shreds);
    free(options->notices);
    csv_free_forms(&options->csv);
}

/* Bounds the inference by the memory that reading has; the writer sees the limit itself. */
static void apply_memory_limit(import_options *options) {
    uint64_t limit = options->json.memory_limit, record = limit / 8 + 1;
    if (limit == 0)
        return;
    options->layout.inference.memory_limit = limit;
    /* A window of CSV is up to four times a record, and has as much again in fields. */
    if (record < (uint64_t)64 << 20)
        options->csv.max_record_bytes = (size_t)record;
}

/* Options that exclude each other. */
static int check_together(const import_options *options) {
    static const char *const inferring[] = {"type", "no-infer-times", "no-infer-maps",
                                            "infer-decimals", "on-clash"};
    const import_layout *layout = &options->layout;
    if (layout->schema != NULL && (layout->variant_all || layout->variant_count > 0))
        return tool_misuse(&tool_import,
                           "--schema already says which fields are VARIANTs: leave out %s",
                           layout->variant_all ? "--variant-all" : "--variant");
    for (size_t i = 0; i < sizeof inferring / sizeof *inferring && layout->schema != NULL; i++)
        if (tool_is_given(inferring[i]))
            return tool_misuse(&tool_import, "--schema already says which types: leave out --%s",
                               inferring[i]);
    if (layout->variant_all && layout->variant_count > 0)
        return tool_misuse(&tool_import, "--variant-all leaves nothing for --variant");
    if (options->json.variant == LAM_JSON_VARIANT_STORAGE && layout->schema == NULL)
        return tool_misuse(&tool_import, "--variant-form storage needs --schema");
    if (options->json.variant == LAM_JSON_VARIANT_STORAGE && layout->shred_count > 0)
        return tool_misuse(&tool_import, "--variant-form storage leaves nothing for --shred");
    if (options->bad.skips && options->records != NULL)
        return tool_misuse(&tool_import,
                           "--records takes documents, in which nothing shows where "
                           "the record after a bad one begins: leave out --%s",
                           options->bad.path != NULL ? "rejects" : "skip-bad-lines");
    if (layout->threshold != NULL && !import_infers_columns(layout))
        return tool_misuse(&tool_import, "--%s needs --shred auto", layout->threshold);
    return -1;
}

int import_options_check(import_options *options) {
    import_layout *layout = &options->layout;
    int result = check_together(options);
    if (result >= 0)
        return result;
    options->json.exact_integers = layout->schema == NULL; /* as inference from all records is */
    options->json.whole_records = layout->variant_all;
    options->csv.ignore_unknown = options->json.ignore_unknown;
    options->csv.skip_bad_lines = layout->fields.skip_bad_lines = options->json.only_lines =
        options->bad.skips;
    options->csv.epoch = (lam_csv_epoch)options->json.epoch;
    options->json.time_formats = layout->fields.time_formats = options->csv.time_formats;
    options->json.time_format_count = layout->fields.time_format_count =
        options->csv.time_format_count;
    layout->fields.infer_times = options->csv.infer_times;
    layout->fields.infer_decimals = options->csv.infer_decimals;
    if (layout->inference.sample_records == 0 && options->writer.row_group_rows < SAMPLE_RECORDS)
        layout->inference.sample_records = options->writer.row_group_rows;
    if (options->format == IMPORT_FORMAT_TSV && options->csv.delimiter == 0)
        options->csv.delimiter = '\t';
    apply_memory_limit(options);
    options->writer.allocator = tool_allocator();
    options->csv.stop = options->json.stop = options->writer.stop = tool_limits_of_program()->stop;
    return -1;
}
