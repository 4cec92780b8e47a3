/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One small file for each feature of the format, with every byte changed, and cut at every byte:
 * the right rows, or a clean failure. A page with a checksum is never read wrongly. Metadata have
 * no checksums, so that some changes of them give other rows, or hide rows from a condition: the
 * kinds of bytes where that happens are listed below, with the reason why no reader can see it, and
 * the list must be exact.
 *
 * The test takes each byte with a few other values; LAMELLA_SWEEP=all takes all 255 of them, and
 * then demands that everything that is listed is met.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/byte_map.h>
#include <lamella/column.h>
#include <lamella/dremel.h>
#include <lamella/filter.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/feature_files.h"
#include "file/read_everything.h"

enum { KINDS_MOST = 400, DEPTH_MOST = 16, KIND_SIZE = 80 };

/* --- What bytes are -------------------------------------------------------------------------- */

static char kinds[KINDS_MOST][KIND_SIZE];
static size_t kind_count;

static uint16_t kind_number(const char *name) {
    for (size_t i = 0; i < kind_count; i++)
        if (strcmp(kinds[i], name) == 0)
            return (uint16_t)i;
    cr_assert_lt(kind_count, KINDS_MOST);
    snprintf(kinds[kind_count], KIND_SIZE, "%.*s", KIND_SIZE - 1, name);
    return (uint16_t)kind_count++;
}

typedef struct byte_kinds {
    uint16_t *of;                        /* a number for each byte of the file */
    char structs[DEPTH_MOST][KIND_SIZE]; /* the struct that a range at each depth belongs to */
    char fields[DEPTH_MOST][KIND_SIZE];
    bool has_checksums;
} byte_kinds;

static bool is_struct(const lam_byte_range *range) {
    return range->label != NULL && range->label[0] >= 'A' && range->label[0] <= 'Z' &&
           (range->kind == LAM_BYTE_ELEMENT || range->kind == LAM_BYTE_FOOTER ||
            range->kind == LAM_BYTE_COLUMN_INDEX || range->kind == LAM_BYTE_OFFSET_INDEX ||
            range->kind == LAM_BYTE_PAGE_HEADER || range->kind == LAM_BYTE_BLOOM_HEADER ||
            range->kind == LAM_BYTE_STRUCT);
}

/* "Struct.field", or "Struct.field.field" for what is in a struct inside it, with ".head" and
 * ".count" behind it for its id and type, and for those of a list. Else the name of the kind. */
static lam_status note_kind(void *state, const lam_byte_range *range, bool *expand,
                            lam_error *error) {
    byte_kinds *all = state;
    uint32_t depth = range->depth < DEPTH_MOST - 1 ? range->depth : DEPTH_MOST - 2;
    char name[2 * KIND_SIZE];
    (void)error;
    if (depth > 0) {
        memcpy(all->structs[depth], all->structs[depth - 1], KIND_SIZE);
        memcpy(all->fields[depth], all->fields[depth - 1], KIND_SIZE);
    } else {
        all->structs[0][0] = all->fields[0][0] = '\0';
    }
    if (is_struct(range)) {
        snprintf(all->structs[depth], KIND_SIZE, "%s", range->label);
        all->fields[depth][0] = '\0';
    } else if (range->kind == LAM_BYTE_FIELD && range->label != NULL) {
        size_t size = strlen(all->fields[depth]);
        snprintf(all->fields[depth] + size, KIND_SIZE - size, "%s%s", size > 0 ? "." : "",
                 range->label);
    }
    *expand = *expand && range->kind != LAM_BYTE_PAGE_BODY &&
              range->kind != LAM_BYTE_REPETITION_LEVELS &&
              range->kind != LAM_BYTE_DEFINITION_LEVELS;
    if (all->structs[depth][0] == '\0')
        snprintf(name, sizeof name, "%s%s", lam_byte_kind_name(range->kind),
                 all->has_checksums ? "" : " without checksum");
    else
        snprintf(name, sizeof name, "%s.%s%s", all->structs[depth],
                 range->kind == LAM_BYTE_STOP ? "stop" : all->fields[depth],
                 range->kind == LAM_BYTE_FIELD_HEAD  ? ".head"
                 : range->kind == LAM_BYTE_LIST_HEAD ? ".count"
                                                     : "");
    name[KIND_SIZE - 1] = '\0';
    uint16_t number = kind_number(name);
    for (uint64_t i = 0; i < range->length; i++)
        all->of[range->begin + i] = number;
    return LAM_STATUS_OK;
}

static uint16_t *find_kinds(const lam_file_sample *sample, const lam_feature_file *of) {
    byte_kinds *all = calloc(1, sizeof *all);
    all->has_checksums = lam_feature_has_checksums(of);
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    uint16_t *numbers = calloc(sample->bytes.size, sizeof *numbers);
    all->of = numbers;
    cr_assert_eq(lam_byte_map_walk(&input, NULL, note_kind, all, NULL), LAM_STATUS_OK);
    free(all);
    return numbers;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* What a reader makes of a file. */
typedef struct outcome {
    bool is_whole;  /* everything could be read */
    uint64_t rows;  /* a hash of the schema, the levels and the values */
    uint64_t found; /* rows that a condition finds; UINT64_MAX: it failed */
} outcome;

static void mix(uint64_t *hash, const void *bytes, size_t size) {
    const uint8_t *next = bytes;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ next[i]) * UINT64_C(0x100000001B3);
}

static void mix_value(uint64_t *hash, const lam_field *leaf, lam_value value) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BYTE_ARRAY:
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
    case LAM_PHYSICAL_INT96:
        mix(hash, &value.bytes.size, sizeof value.bytes.size);
        mix(hash, value.bytes.data, value.bytes.size);
        break;
    case LAM_PHYSICAL_BOOLEAN:
        mix(hash, &value.boolean, sizeof value.boolean);
        break;
    default:
        mix(hash, &value, (size_t)lam_field_type_length(leaf));
    }
}

static void mix_levels(uint64_t *hash, const uint8_t *levels, uint8_t same, size_t count) {
    for (size_t i = 0; i < count; i++)
        mix(hash, levels == NULL ? &same : &levels[i], 1);
}

static bool mix_column(uint64_t *hash, const lam_reader *reader, size_t group, size_t index) {
    lam_column_reader *column;
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), index);
    lam_triples run = {.count = 1};
    if (lam_column_reader_open(reader, group, index, &column, NULL) != LAM_STATUS_OK)
        return false;
    lam_status status = LAM_STATUS_OK;
    while (run.count > 0) {
        status = lam_column_reader_read(column, SIZE_MAX, &run, NULL);
        if (status != LAM_STATUS_OK)
            break;
        mix_levels(hash, run.repetition, 0, run.count);
        mix_levels(hash, run.definition, (uint8_t)lam_field_max_definition(leaf), run.count);
        for (size_t i = 0; i < run.value_count; i++)
            mix_value(hash, leaf, lam_triples_value(&run, leaf, i));
    }
    lam_column_reader_close(column);
    return status == LAM_STATUS_OK;
}

static lam_status find_rows(const lam_reader *reader, const lam_filter *filter,
                            uint64_t *ret_count) {
    lam_record_reader *records;
    lam_record_sink nowhere = {0};
    lam_record_checker *checker;
    lam_scan_options options = lam_scan_options_default();
    bool leaves[16] = {true};
    options.filter = filter;
    options.leaves = leaves;
    if (lam_schema_leaf_count(lam_reader_schema(reader)) > 16)
        return LAM_STATUS_INVALID;
    lam_status status =
        lam_record_checker_create(lam_reader_schema(reader), &nowhere, NULL, &checker, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_record_checker_sink(checker);
    status = lam_record_reader_open_scan(reader, &options, &records, NULL);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_read(records, &sink, UINT64_MAX, ret_count, NULL);
        lam_record_reader_close(records);
    }
    lam_record_checker_destroy(checker);
    return status;
}

/* The row of one `id`, asked for as a bound and as a value. */
static uint64_t count_found(const lam_reader *reader) {
    lam_filter_builder *builder;
    lam_filter *filter = NULL;
    uint64_t count = UINT64_MAX;
    const lam_value least = {.int64 = 39}, most = {.int64 = 39};
    if (lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, NULL) != LAM_STATUS_OK)
        return UINT64_MAX;
    bool is_made = lam_filter_builder_compare(builder, "id", LAM_FILTER_GREATER_OR_EQUAL, &least, 1,
                                              NULL) == LAM_STATUS_OK &&
                   lam_filter_builder_compare(builder, "id", LAM_FILTER_EQUAL, &most, 1, NULL) ==
                       LAM_STATUS_OK &&
                   lam_filter_builder_and(builder, NULL) == LAM_STATUS_OK &&
                   lam_filter_builder_finish(builder, &filter, NULL) == LAM_STATUS_OK;
    if (is_made && find_rows(reader, filter, &count) != LAM_STATUS_OK)
        count = UINT64_MAX;
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    return count;
}

static outcome read_file(const uint8_t *bytes, size_t size) {
    outcome found = {true, UINT64_C(0xCBF29CE484222325), UINT64_MAX};
    char text[2000];
    lam_reader *reader;
    lam_input input = lam_input_memory(bytes, size);
    if (lam_reader_open(&input, NULL, &reader, NULL) != LAM_STATUS_OK) {
        found.is_whole = false;
        return found;
    }
    size_t length = lam_schema_print(lam_reader_schema(reader), text, sizeof text);
    size_t leaves = lam_schema_leaf_count(lam_reader_schema(reader));
    mix(&found.rows, text, length < sizeof text ? length : sizeof text - 1);
    for (size_t leaf = 0; leaf < leaves && found.is_whole; leaf++)
        for (size_t group = 0; group < lam_reader_row_group_count(reader) && found.is_whole;
             group++)
            found.is_whole = mix_column(&found.rows, reader, group, leaf);
    if (found.is_whole)
        found.found = count_found(reader);
    lam_reader_close(reader);
    return found;
}

/* --- What no reader can see ------------------------------------------------------------------ */

typedef struct unseen {
    const char *kind;
    const char *reason;
} unseen;

/* Other rows, or another schema. */
static const unseen other_rows[] = {
    {"SchemaElement.name", "any text is a name"},
    {"SchemaElement.converted_type", "the values are of both types"},
    {"SchemaElement.logicalType", "the values are of both types"},
    {"SchemaElement.scale", "the values have any scale that their precision allows"},
    {"SchemaElement.precision", "the values have few digits"},
    {"SchemaElement.repetition_type", "the levels of the pages are among those of both fields"},
    {"SchemaElement.type_length",
     "shorter values leave bytes over, which readers ignore, and lamella check reports"},
    {"ColumnChunk.meta_data.data_page_offset",
     "at the offset is another page of as many values, with a right checksum"},
    {"PageHeader.data_page_header.encoding", "the bytes are values in both encodings"},
    {"PageHeader.data_page_header.definition_level_encoding",
     "the bytes are levels in both encodings, RLE and BIT_PACKED"},
    {"PageHeader.data_page_header_v2.encoding", "the bytes are values in both encodings"},
    {"PageHeader.data_page_header_v2.definition_levels_byte_length",
     "the checksum is that of levels and values together, and both are plausible when divided "
     "elsewhere"},
    {"PageHeader.data_page_header_v2.repetition_levels_byte_length",
     "the same; bytes of levels that a field does not have are ignored"},
    {"page_body without checksum", "nothing else says what the values are"},
};

/* The same rows, but a condition finds other ones. */
static const unseen other_found[] = {
    {"ColumnChunk.meta_data.statistics.min_value", "any value is a bound"},
    {"ColumnChunk.meta_data.statistics.max_value", "any value is a bound"},
    {"bloom_block", "a bit that is missing says that values are missing; filters have no checksum"},
};

enum {
    OTHER_ROWS = sizeof other_rows / sizeof other_rows[0],
    OTHER_FOUND = sizeof other_found / sizeof other_found[0]
};

/* A kind is of those that are listed, or of a field inside of one. */
static bool is_of(const char *kind, const char *listed) {
    size_t size = strlen(listed);
    return strncmp(kind, listed, size) == 0 && (kind[size] == '\0' || kind[size] == '.');
}

static bool is_listed(const unseen *list, size_t count, const char *kind) {
    for (size_t i = 0; i < count; i++)
        if (is_of(kind, list[i].kind))
            return true;
    return false;
}

static bool is_in_use(const unseen *entry, const size_t *met) {
    for (size_t i = 0; i < kind_count; i++)
        if (met[i] > 0 && is_of(kinds[i], entry->kind))
            return true;
    return false;
}

/* --- The sweep ------------------------------------------------------------------------------- */

typedef struct sweep {
    size_t tried;
    size_t refused;
    size_t same;
    size_t rows_met[KINDS_MOST]; /* changes that gave other rows, by kind */
    size_t found_met[KINDS_MOST];
} sweep;

static bool takes_all(void) {
    const char *choice = getenv("LAMELLA_SWEEP");
    return choice != NULL && strcmp(choice, "all") == 0;
}

/* A copy of its own size, so that a read behind it is seen. */
static outcome try_bytes(const uint8_t *bytes, size_t size, const char *name) {
    uint8_t *copy = malloc(size + (size == 0));
    cr_assert_not_null(copy);
    memcpy(copy, bytes, size);
    lam_input input = lam_input_memory(copy, size);
    (void)lam_read_everything(&input, name);
    outcome got = read_file(copy, size);
    free(copy);
    return got;
}

static void note_outcome(sweep *all, outcome good, outcome got, uint16_t kind) {
    all->tried++;
    if (!got.is_whole || got.found == UINT64_MAX)
        all->refused++;
    else if (got.rows != good.rows)
        all->rows_met[kind]++;
    else if (got.found != good.found)
        all->found_met[kind]++;
    else
        all->same++;
}

static void change_bytes(sweep *all, lam_file_sample *sample, const lam_feature_file *of,
                         lam_random *random) {
    static const uint8_t few[] = {0x01, 0x80, 0xFF};
    uint16_t *kind_of = find_kinds(sample, of);
    uint8_t *bytes = sample->bytes.data;
    outcome good = read_file(bytes, sample->bytes.size);
    cr_assert(good.is_whole && good.found == 1, "%s", of->name);
    size_t step = takes_all() ? 1 : 5 * (size_t)lam_test_step();
    for (size_t at = (size_t)lam_random_below(random, step); at < sample->bytes.size; at += step) {
        uint8_t before = bytes[at];
        unsigned count = takes_all() ? 255 : 5;
        for (unsigned i = 0; i < count; i++) {
            bytes[at] = takes_all() ? (uint8_t)(before + 1 + i)
                        : i < 3     ? before ^ few[i]
                        : i == 3    ? 0
                                    : (uint8_t)lam_random_next(random);
            if (bytes[at] != before)
                note_outcome(all, good, try_bytes(bytes, sample->bytes.size, of->name),
                             kind_of[at]);
        }
        bytes[at] = before;
    }
    free(kind_of);
}

/* Everything that was met is listed, and, when all values were tried, the other way round. */
static size_t report(const char *what, const size_t *met, const unseen *list, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < kind_count; i++)
        if (met[i] > 0 && !is_listed(list, count, kinds[i])) {
            cr_log_error("%s: %zu changes of %s are not listed", what, met[i], kinds[i]);
            wrong++;
        }
    for (size_t i = 0; i < count && takes_all(); i++)
        if (!is_in_use(&list[i], met)) {
            cr_log_error("%s: %s is listed (%s), and was not met", what, list[i].kind,
                         list[i].reason);
            wrong++;
        }
    return wrong;
}

Test(changed_bytes, only_what_is_listed_gives_other_rows) {
    static sweep all;
    uint64_t seed = lam_test_seed(41);
    lam_random random = lam_random_start(seed);
    for (size_t i = 0; i < LAM_FEATURE_FILES; i++) {
        lam_file_sample sample;
        if (!lam_feature_make(&sample, &lam_feature_files[i]))
            continue;
        change_bytes(&all, &sample, &lam_feature_files[i], &random);
        lam_file_sample_finish(&sample);
    }
    size_t wrong = report("other rows", all.rows_met, other_rows, OTHER_ROWS) +
                   report("other rows found", all.found_met, other_found, OTHER_FOUND);
    printf("%zu changes: %zu refused, %zu with the same rows\n", all.tried, all.refused, all.same);
    cr_assert_eq(wrong, 0, "seed %" PRIu64, seed);
    cr_assert_gt(all.refused, all.tried / 4);
}

Test(changed_bytes, no_prefix_is_a_file) {
    size_t tried = 0;
    for (size_t i = 0; i < LAM_FEATURE_FILES; i++) {
        lam_file_sample sample;
        if (!lam_feature_make(&sample, &lam_feature_files[i]))
            continue;
        size_t step = takes_all() ? 1 : 3 * (size_t)lam_test_step();
        for (size_t size = 0; size < sample.bytes.size; size += step, tried++)
            cr_assert_not(try_bytes(sample.bytes.data, size, lam_feature_files[i].name).is_whole,
                          "%s: %zu", lam_feature_files[i].name, size);
        lam_file_sample_finish(&sample);
    }
    printf("%zu prefixes\n", tried);
}
