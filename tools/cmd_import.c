/* SPDX-License-Identifier: Apache-2.0 */
/* lamella import: JSON records to a Parquet file. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <inttypes.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "import_choice.h"
#include "import_schema.h"
#include "tool.h"

static const char help[] =
    "usage: lamella import [options] -o OUT IN...\n"
    "\n"
    "Writes the JSON records of all inputs to one Parquet file. An input holds one\n"
    "object per line (NDJSON), or documents that may span lines: objects, and arrays\n"
    "of objects. \"-\" is standard input, or standard output for -o.\n"
    "\n"
    "Without --schema the schema is inferred from all records: every field becomes\n"
    "optional, numbers become int64 or double, objects groups, arrays lists, and\n"
    "fields of conflicting kinds a VARIANT, which takes any value. --variant makes\n"
    "any field a VARIANT, --variant-all each whole record.\n"
    "\n"
    "With --schema every record must match: a missing required field, a wrong kind, a\n"
    "number out of range, or an unknown field is an error that names file, line and\n"
    "path. OUT appears only after everything is written. A signal ends the import and\n"
    "leaves nothing behind; leftovers of a killed import to OUT are removed.\n"
    "\n"
    "A VARIANT is shredded: what its values have in common goes into separate\n"
    "columns, chosen from the first records, so that the file is smaller and one\n"
    "field can be read alone. --explain prints the choices and their reasons. cat\n"
    "prints the same records whatever the columns.\n"
    "\n"
    "  lamella import -o events.parquet events.ndjson\n"
    "  lamella import --schema 'message m { required int64 id; }' -o ids.parquet -\n"
    "  lamella import --variant-all --explain -o logs.parquet logs.ndjson\n"
    "  lamella import --codec snappy --row-group-size 64MiB -o out.parquet in1 in2\n"
    "\n"
    "SIZE is a number of bytes, optionally followed by K, M, G, T or KiB, MiB, GiB,\n"
    "TiB.\n"
    "\n"
    "options:\n"
    "  -o, --output OUT         the file to write\n"
    "  --schema FILE|TEXT       message text, or a file that holds it\n"
    "  --ignore-unknown         ignore fields that the schema does not have\n"
    "  --binary base64|hex|utf8 how bytes that are not text are given;\n"
    "                           default: base64\n"
    "  --variant PATH           make this field a VARIANT, whatever its values: a\n"
    "                           path of the schema, such as user or\n"
    "                           tags.list.element; may be repeated\n"
    "  --variant-all            make each whole record the value of one VARIANT, the\n"
    "                           column record; a record may then be any JSON\n"
    "  --shred auto|none|[PATH=]SCHEMA\n"
    "                           the columns of VARIANTs: inferred from the first\n"
    "                           records; only value; or the text of typed_value, or\n"
    "                           a file that holds it, for the VARIANT at PATH, or\n"
    "                           for all without PATH; default: auto, or none with\n"
    "                           --schema\n"
    "  --shred-presence SHARE   with --shred auto: give columns to fields that at\n"
    "                           least this share of the values has; default: 0.05\n"
    "  --shred-uniformity SHARE give a field a typed column if at least this share of\n"
    "                           its values has one type; default: 0.5\n"
    "  --shred-depth N          give columns to objects and arrays nested up to this\n"
    "                           deep, at most 64; default: 16\n"
    "  --shred-columns N        give one VARIANT at most this many columns, up to\n"
    "                           10000, for its most frequent fields; default: 500\n"
    "  --shred-paths N          count at most this many different fields, up to\n"
    "                           1000000; default: 20000\n"
    "  --shred-sample-rows N    sample at most this many records; default: 16384, or\n"
    "                           those of a smaller row group\n"
    "  --shred-sample-size SIZE sample at most this many bytes of values;\n"
    "                           default: 8MiB\n"
    "  --explain                print what --shred auto found and chose\n"
    "  --nearest-numbers        round numbers that no VARIANT can hold, of more than\n"
    "                           38 digits, to the nearest double; default: an error\n"
    "  --variant-form value|typed|storage\n"
    "                           how VARIANTs are given: as any JSON; with their\n"
    "                           kinds, as cat --variant typed prints them; or, with\n"
    "                           --schema, as the groups that store them;\n"
    "                           default: value\n"
    "  --memory-limit SIZE      memory for reading, most of it for a long record; an\n"
    "                           error names the line of a record that needs more;\n"
    "                           default: 1GiB. Inferring a schema may take the same\n"
    "                           again. If given, a row group also ends at a quarter\n"
    "                           of it\n"
    "  --timeout TIME           end with an error after this time, as in 10s, 500ms\n"
    "                           or 2m\n"
    "  --codec NAME[:LEVEL]     zstd (level 1 to 22, default: 3), gzip (1 to 12,\n"
    "                           default: 6), brotli (1 to 11, default: 5), snappy,\n"
    "                           lz4_raw or uncompressed; default: zstd\n"
    "  --row-group-size SIZE    end row groups at this size; default: 128MiB\n"
    "  --row-group-rows N       end row groups at this many rows; default: 1048576\n"
    "  --page-size SIZE         end pages at this size; default: 1MiB\n"
    "  --data-page-version 1|2  default: 1\n"
    "  --dictionary-size SIZE   limit dictionaries to this size; default: 1MiB\n"
    "  --no-dictionary          write plain values only\n"
    "  --encoding PATH=NAME     encoding of the leaf, or of all leaves below PATH:\n"
    "                           plain, rle, rle_dictionary, delta_binary_packed,\n"
    "                           delta_length_byte_array, delta_byte_array,\n"
    "                           byte_stream_split, alp; may be repeated\n"
    "  --compat max|modern|newest\n"
    "                           which readers to write for: all of them (plain values\n"
    "                           and dictionaries), current ones (also delta encodings\n"
    "                           and byte_stream_split), or the newest (also alp, and\n"
    "                           schemas with timestamps of 12 bytes);\n"
    "                           default: modern\n"
    "  --bloom PATH[=FPP]       write a Bloom filter for the leaf, or for all leaves\n"
    "                           below PATH, with this probability of a false\n"
    "                           positive; default: 0.01; may be repeated\n"
    "  --auto-bloom             write Bloom filters for texts, UUIDs and integers\n"
    "                           with many values in no order\n"
    "  --sorted PATH[:desc][:nulls-first]\n"
    "                           the records are sorted by this leaf; if repeated, by\n"
    "                           the one named first, then by the next. The file\n"
    "                           states the order, and a record out of order is an\n"
    "                           error\n"
    "  --meta KEY=VALUE         add a pair to the key-value metadata of the file; may\n"
    "                           be repeated\n"
    "  --float-total-order      write bounds of floating-point columns in IEEE 754\n"
    "                           total order, NaNs included, for readers that know it\n"
    "  --int96-order            write bounds of INT96 columns, in the order of\n"
    "                           timestamps, for readers that know it\n"
    "  --no-statistics          leave out counts, bounds and sizes of column chunks\n"
    "                           and pages\n"
    "  --no-page-index          leave out column indexes and offset indexes\n"
    "  -h, --help               print this page\n";

enum {
    RECORDS_AT_ONCE = 4096,
    DEFAULT_GROUP = 128 << 20, /* bytes, as the writer has it */
    SAMPLE_BYTES = 16 << 20,   /* that a schema is guessed from */
    SAMPLE_RECORDS = 16384     /* that shredding is inferred from, unless a row group has fewer */
};

typedef struct import_options {
    const char *output;
    import_layout layout;
    lam_json_reader_options json;
    lam_writer_options writer;
    import_choices choices;
} import_options;

/* --- Copying ------------------------------------------------------------------------------- */

/* On a terminal, tells once a second how far it got, on a line that is blank at the end. */
typedef struct import_progress {
    bool shown;
    time_t next;
} import_progress;

static import_progress progress_start(void) {
    import_progress progress = {false, time(NULL) + 1};
    return progress;
}

static void progress_step(import_progress *progress, uint64_t records) {
    time_t now = time(NULL);
    if (now < progress->next || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%" PRIu64 " records", records);
    progress->shown = true;
    progress->next = now + 1;
}

static void progress_end(const import_progress *progress) {
    if (progress->shown)
        fprintf(stderr, "\r%28s\r", "");
}

static lam_status import_input(tool_text *input, const import_options *options, lam_writer *writer,
                               import_progress *progress, lam_error *error) {
    lam_json_source source = tool_text_source(input);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_json_reader *reader;
    lam_status status = lam_json_reader_create(lam_writer_schema(writer), &source, &options->json,
                                               NULL, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    size_t records;
    do {
        status = lam_json_reader_read(reader, &sink, RECORDS_AT_ONCE, &records, error);
        progress_step(progress, lam_writer_record_count(writer));
    } while (status == LAM_STATUS_OK && records == RECORDS_AT_ONCE);
    lam_json_reader_destroy(reader);
    return status;
}

static lam_status open_writer(const import_options *options, const lam_schema *schema,
                              lam_writer **ret_writer, lam_error *error) {
    lam_output output;
    size_t removed = 0;
    bool is_stdout = strcmp(options->output, "-") == 0;
    if (!is_stdout &&
        lam_output_remove_leftovers(options->output, &removed, NULL) == LAM_STATUS_OK &&
        removed > 0)
        fprintf(stderr, "lamella: %s: removed %zu unfinished file%s of runs that were killed\n",
                options->output, removed, removed == 1 ? "" : "s");
    lam_status status = is_stdout ? lam_output_descriptor(STDOUT_FILENO, NULL, &output, error)
                                  : tool_create_file(options->output, &output, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_writer_open(schema, &output, &options->writer, ret_writer, error);
    if (status != LAM_STATUS_OK)
        lam_output_close(&output);
    return status;
}

/*
 * Writes the file. When `ret_misfit` is given the schema is a guess: a record that does not fit
 * sets `*ret_misfit` and prints nothing.
 */
static int write_file(tool_text *inputs, int count, const lam_schema *schema,
                      const import_options *options, bool *ret_misfit) {
    lam_error error = lam_error_none();
    lam_writer *writer;
    const char *name = strcmp(options->output, "-") == 0 ? "standard output" : options->output;
    lam_status status = open_writer(options, schema, &writer, &error);
    bool is_open = status == LAM_STATUS_OK;
    if (is_open)
        status = import_choices_apply(&options->choices, writer, &error);
    if (status != LAM_STATUS_OK && is_open)
        lam_writer_close(writer);
    if (status == LAM_STATUS_NOT_FOUND && ret_misfit != NULL) {
        *ret_misfit = true; /* the field may come after the sample */
        return TOOL_OK;
    }
    /* The schema is valid: what does not go with it can only be an option. */
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND)
        return tool_misuse(&tool_import, "%s", error.message);
    if (status != LAM_STATUS_OK)
        return tool_fail(name, &error);
    import_progress progress = progress_start();
    for (int i = 0; i < count && status == LAM_STATUS_OK; i++) {
        lam_status begun = tool_text_begin(&inputs[i], &error);
        status = begun == LAM_STATUS_OK
                     ? import_input(&inputs[i], options, writer, &progress, &error)
                     : begun;
        tool_text_end(&inputs[i]);
        /* A record that does not fit is the input's fault, a full disk the output's. */
        if (status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT || inputs[i].failed ||
            begun != LAM_STATUS_OK)
            name = inputs[i].name;
    }
    if (status == LAM_STATUS_INVALID && ret_misfit != NULL) {
        *ret_misfit = true;
        status = LAM_STATUS_OK;
    } else if (status == LAM_STATUS_OK) {
        status = lam_writer_finish(writer, &error);
    }
    lam_writer_close(writer);
    progress_end(&progress);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(name, &error);
}

/*
 * Makes the schema of the first `limit` bytes and writes with it. Only what is final is explained.
 */
static int write_with_schema(tool_text *inputs, int count, const import_options *options,
                             size_t limit, bool *ret_misfit) {
    import_schema schema;
    int result = import_schema_make(&options->layout, &options->json, inputs, count, limit, &schema,
                                    ret_misfit);
    bool is_made = result == TOOL_OK && (ret_misfit == NULL || !*ret_misfit);
    if (is_made)
        result = write_file(inputs, count, schema.schema, options, ret_misfit);
    if (is_made && result == TOOL_OK && options->layout.explain &&
        (ret_misfit == NULL || !*ret_misfit))
        import_explain(schema.inference);
    import_schema_free(&schema);
    return result;
}

/*
 * Infers and writes in one pass where it can: the schema of a sample is the schema of all records
 * when all of them fit it, because inference refuses nothing that the reader takes. What was
 * written for a guess that fails is abandoned, so that standard output never sees a guess.
 */
static int import_inputs(tool_text *inputs, int count, const import_options *options) {
    bool misfit = false;
    bool infers = options->layout.schema == NULL && !options->layout.variant_all;
    if (infers && strcmp(options->output, "-") != 0) {
        int result = write_with_schema(inputs, count, options, SAMPLE_BYTES, &misfit);
        if (!misfit)
            return result;
    }
    return write_with_schema(inputs, count, options, SIZE_MAX, NULL);
}

static int import_all(const import_options *options, int count, char **names) {
    tool_text *inputs = tool_allocate((size_t)count, sizeof *inputs);
    int result = tool_texts_open(inputs, count, names, import_reads_ahead(&options->layout));
    if (result == TOOL_OK)
        result = import_inputs(inputs, count, options);
    tool_texts_close(inputs, count);
    free(inputs);
    return result;
}

/* --- Options ------------------------------------------------------------------------------- */

static bool parse_codec(const char *text, lam_writer_options *options) {
    static const struct {
        const char *name;
        lam_codec codec;
        uint64_t level_max; /* 0: no levels */
    } codecs[] = {{"zstd", LAM_CODEC_ZSTD, 22},       {"gzip", LAM_CODEC_GZIP, 12},
                  {"brotli", LAM_CODEC_BROTLI, 11},   {"snappy", LAM_CODEC_SNAPPY, 0},
                  {"lz4_raw", LAM_CODEC_LZ4_RAW, 0},  {"uncompressed", LAM_CODEC_UNCOMPRESSED, 0},
                  {"none", LAM_CODEC_UNCOMPRESSED, 0}};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        uint64_t level = 0;
        if (strlen(codecs[i].name) != length || strncmp(codecs[i].name, text, length) != 0)
            continue;
        if (text[length] == ':' && (!tool_parse_count(text + length + 1, &level) || level < 1 ||
                                    level > codecs[i].level_max))
            return false;
        options->codec = codecs[i].codec;
        options->codec_level = (int32_t)level;
        return true;
    }
    return false;
}

enum {
    OPTION_GROUP_SIZE = 256,
    OPTION_GROUP_ROWS,
    OPTION_PAGE_SIZE,
    OPTION_PAGE_VERSION,
    OPTION_DICTIONARY_SIZE,
    OPTION_NO_DICTIONARY,
    OPTION_ENCODING,
    OPTION_COMPAT,
    OPTION_BLOOM,
    OPTION_AUTO_BLOOM,
    OPTION_SORTED,
    OPTION_META,
    OPTION_TOTAL_ORDER,
    OPTION_INT96_ORDER,
    OPTION_NO_STATISTICS,
    OPTION_NO_PAGE_INDEX,
    OPTION_VARIANT,
    OPTION_VARIANT_ALL,
    OPTION_SHRED,
    OPTION_EXPLAIN,
    OPTION_NEAREST,
    OPTION_MEMORY,
    OPTION_TIMEOUT,
    OPTION_THRESHOLD /* and those behind it, by import_threshold */
};

static bool parse_binary(const char *text, lam_json_binary *ret_binary) {
    static const char *const names[] = {"base64", "hex", "utf8"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_binary = (lam_json_binary)i;
            return true;
        }
    return false;
}

static bool parse_compat(const char *text, lam_compat *ret_compat) {
    static const char *const names[] = {"max", "modern", "newest"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret_compat = (lam_compat)(LAM_COMPAT_MAX + i);
            return true;
        }
    return false;
}

static bool parse_positive_size(const char *text, uint64_t *ret_size) {
    return tool_parse_size(text, ret_size) && *ret_size > 0;
}

/* Applies one option that has a value; false when the value is no good. */
static bool apply_value(int option, char *value, import_options *options) {
    uint64_t number;
    switch (option) {
    case 'o':
        options->output = value;
        return true;
    case 's':
        options->layout.schema = value;
        return true;
    case 'b':
        return parse_binary(value, &options->json.binary);
    case 'v':
        return tool_parse_variant(value, &options->json.variant);
    case OPTION_VARIANT:
        options->layout.variants[options->layout.variant_count++] = value;
        return true;
    case OPTION_SHRED:
        options->layout.shreds[options->layout.shred_count++] = value;
        return *value != '\0' && *value != '=';
    case 'c':
        return parse_codec(value, &options->writer);
    case OPTION_MEMORY:
        return tool_parse_limit(value, &options->json.memory_limit);
    case OPTION_TIMEOUT:
        return tool_set_timeout(value);
    case OPTION_GROUP_SIZE:
        return parse_positive_size(value, &options->writer.row_group_bytes);
    case OPTION_GROUP_ROWS:
        return tool_parse_count(value, &options->writer.row_group_rows) &&
               options->writer.row_group_rows > 0;
    case OPTION_PAGE_SIZE:
        return parse_positive_size(value, &options->writer.page_bytes);
    case OPTION_ENCODING:
        return import_choices_add(&options->choices, IMPORT_ENCODING, value);
    case OPTION_COMPAT:
        return parse_compat(value, &options->writer.compat);
    case OPTION_BLOOM:
        return import_choices_add(&options->choices, IMPORT_BLOOM, value);
    case OPTION_SORTED:
        options->writer.check_sorting = true;
        return import_choices_add(&options->choices, IMPORT_SORTED, value);
    case OPTION_META:
        return import_choices_add(&options->choices, IMPORT_META, value);
    case OPTION_DICTIONARY_SIZE:
        return parse_positive_size(value, &options->writer.dictionary_bytes);
    default:
        if (!tool_parse_count(value, &number) || number < 1 || number > 2)
            return false;
        options->writer.data_page_version = (int32_t)number;
        return true;
    }
}

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"schema", required_argument, NULL, 's'},
    {"ignore-unknown", no_argument, NULL, 'u'},
    {"binary", required_argument, NULL, 'b'},
    {"variant-form", required_argument, NULL, 'v'},
    {"variant", required_argument, NULL, OPTION_VARIANT},
    {"variant-all", no_argument, NULL, OPTION_VARIANT_ALL},
    {"shred", required_argument, NULL, OPTION_SHRED},
    {"shred-presence", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_PRESENCE},
    {"shred-uniformity", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_UNIFORMITY},
    {"shred-depth", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_DEPTH},
    {"shred-columns", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_COLUMNS},
    {"shred-paths", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_PATHS},
    {"shred-sample-rows", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_SAMPLE_ROWS},
    {"shred-sample-size", required_argument, NULL, OPTION_THRESHOLD + IMPORT_SHRED_SAMPLE_SIZE},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"nearest-numbers", no_argument, NULL, OPTION_NEAREST},
    {"memory-limit", required_argument, NULL, OPTION_MEMORY},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"codec", required_argument, NULL, 'c'},
    {"row-group-size", required_argument, NULL, OPTION_GROUP_SIZE},
    {"row-group-rows", required_argument, NULL, OPTION_GROUP_ROWS},
    {"page-size", required_argument, NULL, OPTION_PAGE_SIZE},
    {"data-page-version", required_argument, NULL, OPTION_PAGE_VERSION},
    {"dictionary-size", required_argument, NULL, OPTION_DICTIONARY_SIZE},
    {"no-dictionary", no_argument, NULL, OPTION_NO_DICTIONARY},
    {"encoding", required_argument, NULL, OPTION_ENCODING},
    {"compat", required_argument, NULL, OPTION_COMPAT},
    {"bloom", required_argument, NULL, OPTION_BLOOM},
    {"auto-bloom", no_argument, NULL, OPTION_AUTO_BLOOM},
    {"float-total-order", no_argument, NULL, OPTION_TOTAL_ORDER},
    {"int96-order", no_argument, NULL, OPTION_INT96_ORDER},
    {"sorted", required_argument, NULL, OPTION_SORTED},
    {"meta", required_argument, NULL, OPTION_META},
    {"no-statistics", no_argument, NULL, OPTION_NO_STATISTICS},
    {"no-page-index", no_argument, NULL, OPTION_NO_PAGE_INDEX},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* Applies one option that has no value; false when it is none of those. */
static bool apply_flag(int option, import_options *options) {
    bool *flag = option == 'u'                  ? &options->json.ignore_unknown
                 : option == OPTION_VARIANT_ALL ? &options->layout.variant_all
                 : option == OPTION_EXPLAIN     ? &options->layout.explain
                 : option == OPTION_NEAREST     ? &options->json.nearest_numbers
                 : option == OPTION_TOTAL_ORDER ? &options->writer.float_total_order
                 : option == OPTION_INT96_ORDER ? &options->writer.int96_order
                 : option == OPTION_AUTO_BLOOM  ? &options->writer.auto_bloom_filters
                                                : NULL;
    lam_switch *off = option == OPTION_NO_DICTIONARY   ? &options->writer.dictionary
                      : option == OPTION_NO_STATISTICS ? &options->writer.statistics
                      : option == OPTION_NO_PAGE_INDEX ? &options->writer.page_index
                                                       : NULL;
    if (flag != NULL)
        *flag = true;
    if (off != NULL)
        *off = LAM_SWITCH_OFF;
    if (option == OPTION_NO_DICTIONARY)
        options->writer.delta = LAM_SWITCH_OFF;
    return flag != NULL || off != NULL;
}

/* Bounds what is learnt, and the row group, by the memory that reading has. */
static void apply_memory_limit(import_options *chosen) {
    uint64_t limit = chosen->json.memory_limit, most = limit / 4 + 1;
    uint64_t *group = &chosen->writer.row_group_bytes;
    if (limit == 0)
        return;
    chosen->layout.inference.memory_limit = limit;
    *group = *group == 0 ? DEFAULT_GROUP : *group;
    *group = *group < most ? *group : most;
}

/* What does not go together. */
static int check_options(import_options *chosen) {
    import_layout *layout = &chosen->layout;
    if (layout->schema != NULL && (layout->variant_all || layout->variant_count > 0))
        return tool_misuse(&tool_import,
                           "--schema already says which fields are VARIANTs: leave out %s",
                           layout->variant_all ? "--variant-all" : "--variant");
    if (layout->variant_all && layout->variant_count > 0)
        return tool_misuse(&tool_import, "--variant-all leaves nothing for --variant");
    if (chosen->json.variant == LAM_JSON_VARIANT_STORAGE && layout->schema == NULL)
        return tool_misuse(&tool_import, "--variant-form storage needs --schema");
    if (chosen->json.variant == LAM_JSON_VARIANT_STORAGE && layout->shred_count > 0)
        return tool_misuse(&tool_import, "--variant-form storage leaves nothing for --shred");
    chosen->json.exact_integers = layout->schema == NULL; /* as inference from all records is */
    chosen->json.whole_records = layout->variant_all;
    if (layout->threshold != NULL && !import_infers_columns(layout))
        return tool_misuse(&tool_import, "--%s needs --shred auto", layout->threshold);
    if (layout->inference.sample_records == 0 && chosen->writer.row_group_rows < SAMPLE_RECORDS)
        layout->inference.sample_records = chosen->writer.row_group_rows;
    apply_memory_limit(chosen);
    chosen->json.stop = chosen->writer.stop = tool_limits_of_program()->stop;
    return TOOL_OK;
}

static int apply_threshold(const char *name, int threshold, const char *value,
                           import_layout *layout) {
    layout->threshold = name;
    if (import_threshold_set(&layout->inference, (import_threshold)threshold, value))
        return TOOL_OK;
    return tool_misuse(&tool_import, "--%s cannot be '%s': it must be %s", name, value,
                       import_threshold_values((import_threshold)threshold));
}

static int apply(int option, char *value, const char *name, import_options *options) {
    if (option >= OPTION_THRESHOLD)
        return apply_threshold(name, option - OPTION_THRESHOLD, value, &options->layout);
    if (apply_flag(option, options) || apply_value(option, value, options))
        return TOOL_OK;
    return tool_misuse(&tool_import, "--%s cannot be '%s'", name, value);
}

static int parse_options(int argc, char **argv, import_options *chosen, bool *ret_done) {
    int option, result, index = 0;
    *ret_done = true;
    while ((option = getopt_long(argc, argv, ":ho:", long_options, &index)) != -1) {
        if (tool_common_option(&tool_import, option, argv, &result))
            return result;
        result = apply(option, optarg, long_options[index].name, chosen);
        if (result != TOOL_OK)
            return result;
    }
    if (chosen->output == NULL)
        return tool_misuse(&tool_import, "-o is missing: name the file to write");
    if (optind == argc)
        return tool_misuse(&tool_import, "no file given");
    result = check_options(chosen);
    *ret_done = result != TOOL_OK;
    return result;
}

static int run(int argc, char **argv) {
    import_options chosen = {0};
    bool done;
    char **words = tool_allocate(2 * (size_t)argc, sizeof *words);
    chosen.writer = lam_writer_options_default();
    chosen.json = lam_json_reader_options_default();
    chosen.layout.inference = lam_variant_inference_options_default();
    chosen.layout.variants = words;
    chosen.layout.shreds = words + argc;
    import_choices_init(&chosen.choices, argc);
    int result = parse_options(argc, argv, &chosen, &done);
    if (!done)
        result = import_all(&chosen, argc - optind, argv + optind);
    import_choices_free(&chosen.choices);
    free(words);
    return result;
}

const tool_command tool_import = {
    .name = "import", .summary = "write JSON records to a Parquet file", .help = help, .run = run};
