/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of VARIANTs read from files: always what the paths say of the whole value, whatever columns
 * were read for it. */
#include <lamella/projection.h>
#include <lamella/scan.h>
#include <lamella/writer.h>

#include "scan/evaluate/leaf_choice.h"

#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "variant/random_fitting.h"
#include "variant/random_shredding.h"
#include "variant/random_variant.h"
#include "variant/shred_trip.h"
#include "variant/value/variant_layout.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

/* --- What a projection means, by the whole value ---------------------------------------------- */

enum { PATHS_MAX = 4, NAMES_MAX = 6, NAME_ROOM = 48 };

typedef struct path_names {
    lam_bytes names[NAMES_MAX];
    uint8_t bytes[NAMES_MAX][NAME_ROOM];
    size_t count;
} path_names;

typedef struct wanted_paths {
    path_names paths[PATHS_MAX];
    size_t count;
} wanted_paths;

static bool is_name(const path_names *path, size_t depth, lam_bytes name) {
    return depth < path->count && path->names[depth].size == name.size &&
           memcmp(path->names[depth].data, name.data, name.size) == 0;
}

static bool is_on(const path_names *path, const lam_bytes *way, size_t depth) {
    for (size_t i = 0; i < depth; i++)
        if (!is_name(path, i, way[i]))
            return false;
    return true;
}

/* Whether the value at the end of a way is wanted as it is. */
static bool ends_here(const wanted_paths *wanted, const lam_bytes *way, size_t depth) {
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->paths[i].count == depth && is_on(&wanted->paths[i], way, depth))
            return true;
    return false;
}

/* Whether anything of a value that is not wanted itself is. */
static bool any_part(const wanted_paths *wanted, lam_variant value, lam_bytes *way, size_t depth) {
    lam_variant_iterator iterator;
    lam_variant part;
    bool more, any = false;
    if (lam_variant_kind_of(value) != LAM_VARIANT_OBJECT || depth == NAMES_MAX)
        return false;
    OK(lam_variant_iterate(value, &iterator, NULL));
    do {
        OK(lam_variant_next(&iterator, &way[depth], &part, &more, NULL));
        any =
            any ||
            (more && (ends_here(wanted, way, depth + 1) || any_part(wanted, part, way, depth + 1)));
    } while (more && !any);
    return any;
}

static void build_parts(const wanted_paths *wanted, lam_variant value, lam_bytes *way, size_t depth,
                        lam_variant_builder *builder) {
    lam_variant_iterator iterator;
    lam_variant part;
    bool more = lam_variant_kind_of(value) == LAM_VARIANT_OBJECT;
    OK(lam_variant_builder_begin_object(builder, NULL));
    if (more)
        OK(lam_variant_iterate(value, &iterator, NULL));
    while (more) {
        OK(lam_variant_next(&iterator, &way[depth], &part, &more, NULL));
        if (!more)
            break;
        bool ends = ends_here(wanted, way, depth + 1);
        lam_bytes name = way[depth];
        if (!ends && !any_part(wanted, part, way, depth + 1))
            continue;
        way[depth] = name;
        OK(lam_variant_builder_field(builder, (const char *)name.data, name.size, NULL));
        if (ends)
            OK(lam_variant_builder_copy(builder, part, NULL));
        else
            build_parts(wanted, part, way, depth + 1, builder);
    }
    OK(lam_variant_builder_end_object(builder, NULL));
}

/* --- Paths ------------------------------------------------------------------------------------ */

static void add_name(path_names *path, lam_bytes name) {
    if (name.size > NAME_ROOM || memchr(name.data, '\0', name.size) != NULL)
        return;
    memcpy(path->bytes[path->count], name.data, name.size);
    path->names[path->count] = (lam_bytes){path->bytes[path->count], name.size};
    path->count++;
}

/* A walk down a value, now and then to where there is nothing. */
static void pick_path(lam_random *random, lam_variant value, path_names *path) {
    static const char other[] = "no such name";
    size_t count, length = 1 + (size_t)lam_random_below(random, NAMES_MAX);
    path->count = 0;
    while (path->count < length && lam_variant_kind_of(value) == LAM_VARIANT_OBJECT) {
        lam_bytes name;
        OK(lam_variant_count(value, &count, NULL));
        if (count == 0 || lam_random_chance(random, 8))
            break;
        OK(lam_variant_field_at(value, (size_t)lam_random_below(random, count), &name, &value,
                                NULL));
        size_t before = path->count;
        add_name(path, name);
        if (path->count == before)
            break;
    }
    if (path->count == 0 || (path->count < length && lam_random_chance(random, 20)))
        add_name(path, (lam_bytes){(const uint8_t *)other, sizeof other - 1});
}

/* The path as text, with every name between quotation marks. */
static void print_path(const path_names *path, char *text) {
    text += sprintf(text, "v");
    for (size_t i = 0; i < path->count; i++) {
        text += sprintf(text, ".\"");
        for (size_t k = 0; k < path->names[i].size; k++) {
            if (path->names[i].data[k] == '"')
                *text++ = '"';
            *text++ = (char)path->names[i].data[k];
        }
        text += sprintf(text, "\"");
    }
}

/* --- Files ------------------------------------------------------------------------------------ */

typedef struct variant_file {
    lam_buffer bytes;
    lam_variant originals[KEPT_MAX];
    size_t count;
    lam_reader *reader;
} variant_file;

static void put_number(const lam_record_sink *sink, const lam_schema *schema, const char *name_) {
    lam_value value = {.int32 = 1};
    OK(sink->put(sink->state, field_of(schema, name_), value, NULL));
}

static void open_file(variant_file *file) {
    file->reader = lam_test_open(file->bytes.data, file->bytes.size, NULL);
}

/* Records with one VARIANT each, or none where it may be missing. */
static void write_file(lam_random *random, variant_file *file) {
    lam_schema *schema = lam_random_shredding(random, 100);
    lam_writer_options options = lam_writer_options_default();
    lam_variant_builder *builder;
    lam_variant_shredder *shredder;
    options.row_group_rows = 1 + lam_random_below(random, 8);
    options.statistics = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    lam_test_writer written = lam_test_write_as(schema, &options);
    const lam_schema *own = lam_writer_schema(written.writer);
    const lam_field *group = field_of(own, "v");
    lam_record_sink sink = written.sink;
    OK(lam_variant_builder_create(NULL, NULL, &builder, NULL));
    OK(lam_variant_shredder_create(group, NULL, NULL, &shredder, NULL));
    bool may_miss = lam_field_repetition(group) != LAM_REPETITION_REQUIRED;
    for (unsigned i = 0; i < 12; i++) {
        lam_variant variant;
        OK(sink.begin(sink.state, NULL));
        put_number(&sink, own, "n");
        if (!may_miss || lam_random_chance(random, 80)) {
            if (lam_random_chance(random, 60))
                lam_random_fitting(random, builder, group);
            else
                lam_random_variant(random, builder, 1 + (unsigned)lam_random_below(random, 60));
            OK(lam_variant_builder_finish(builder, &variant, NULL));
            OK(lam_variant_shredder_write(shredder, variant, &sink, NULL));
            file->originals[file->count++] = keep_variant(variant);
        }
        put_number(&sink, own, "o");
        OK(sink.end(sink.state, NULL));
    }
    lam_variant_shredder_destroy(shredder); /* its group is the writer's */
    lam_variant_builder_destroy(builder);
    file->bytes = lam_test_written(&written);
    lam_schema_destroy(schema);
    open_file(file);
}

static void free_file(variant_file *file) {
    for (size_t i = 0; i < file->count; i++)
        free_variant(file->originals[i]);
    lam_reader_close(file->reader);
    lam_buffer_finish(&file->bytes);
}

/* Reads the wanted parts; gives how many chunks were read for them. */
static uint64_t read_parts(const lam_reader *reader, const lam_projection *projection,
                           bool no_pruning, kept_values *kept) {
    lam_scan_options scan = lam_scan_options_default();
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    lam_variant_assembler *assembler;
    lam_record_reader *records;
    lam_error error = lam_error_none();
    uint64_t got, chunks = 0;
    scan.projection = options.projection = projection;
    scan.pruning = no_pruning ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    OK(lam_variant_assembler_create(lam_reader_schema(reader), lam_projection_leaves(projection),
                                    &options, &next, NULL, &assembler, NULL));
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    OK(lam_record_reader_open_scan(reader, &scan, &records, NULL));
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &got, &error), LAM_STATUS_OK,
                 "%s", error.message);
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(reader)); i++)
        chunks += lam_record_reader_row_groups_of(records, i);
    lam_record_reader_close(records);
    lam_variant_assembler_destroy(assembler);
    return chunks;
}

/* --- The tests -------------------------------------------------------------------------------- */

typedef struct part_totals {
    size_t found;       /* values with a part */
    uint64_t chunks;    /* read for them */
    uint64_t unpruned;  /* read where statistics are not asked */
    uint64_t available; /* leaves x row groups */
} part_totals;

static void compare_parts(uint64_t seed, const variant_file *file, const wanted_paths *wanted,
                          const kept_values *kept, part_totals *totals) {
    lam_variant_builder *builder;
    OK(lam_variant_builder_create(NULL, NULL, &builder, NULL));
    cr_assert_eq(kept->count, file->count, "seed %llu", (unsigned long long)seed);
    for (size_t i = 0; i < kept->count; i++) {
        lam_variant expected;
        lam_bytes way[NAMES_MAX + 1];
        size_t parts;
        lam_error error = lam_error_none();
        build_parts(wanted, file->originals[i], way, 0, builder);
        OK(lam_variant_builder_finish(builder, &expected, NULL));
        cr_assert_eq(lam_variant_validate(kept->values[i], 0, &error), LAM_STATUS_OK,
                     "seed %llu: %s", (unsigned long long)seed, error.message);
        cr_assert(lam_variant_equals(kept->values[i], expected), "seed %llu: value %zu",
                  (unsigned long long)seed, i);
        OK(lam_variant_count(expected, &parts, NULL));
        totals->found += parts > 0;
    }
    lam_variant_builder_destroy(builder);
}

static void try_paths(uint64_t seed, lam_random *random, const variant_file *file,
                      part_totals *totals) {
    static wanted_paths wanted;
    lam_projection *projection;
    wanted.count = 1 + (size_t)lam_random_below(random, PATHS_MAX);
    OK(lam_projection_create(lam_reader_schema(file->reader), NULL, &projection, NULL));
    for (size_t i = 0; i < wanted.count; i++) {
        char text[3 * NAMES_MAX * NAME_ROOM];
        size_t value = (size_t)lam_random_below(random, file->count);
        pick_path(random, file->originals[value], &wanted.paths[i]);
        print_path(&wanted.paths[i], text);
        cr_assert_eq(lam_projection_add(projection, text, NULL), LAM_STATUS_OK, "%s", text);
    }
    for (int no_pruning = 0; no_pruning < 2; no_pruning++) {
        kept_values kept = {0};
        uint64_t chunks = read_parts(file->reader, projection, no_pruning, &kept);
        compare_parts(seed, file, &wanted, &kept, totals);
        *(no_pruning ? &totals->unpruned : &totals->chunks) += chunks;
        free_kept(&kept);
    }
    totals->available += lam_schema_leaf_count(lam_reader_schema(file->reader)) *
                         lam_reader_row_group_count(file->reader);
    lam_projection_destroy(projection);
}

Test(leaf_choice, parts_are_those_of_the_whole_value_whatever_is_shredded, .timeout = 240) {
    uint64_t seed = lam_test_seed(20261122);
    part_totals totals = {0};
    for (uint64_t i = 0; i < 600; i++) {
        lam_random random = lam_random_start(seed + i);
        variant_file file;
        memset(&file, 0, sizeof file);
        write_file(&random, &file);
        for (int k = 0; k < 3 && file.count > 0; k++)
            try_paths(seed + i, &random, &file, &totals);
        free_file(&file);
    }
    cr_expect_gt(totals.found, 3000, "%zu", totals.found);
    cr_expect_lt(totals.chunks, totals.unpruned);
    cr_expect_lt(2 * totals.unpruned, totals.available);
}

static const char EVENT[] =
    "message m { required int32 n; optional group v (VARIANT) { required binary metadata;"
    "optional binary value; optional group typed_value {"
    "required group a { optional binary value; optional int64 typed_value; }"
    "required group b { optional binary value; optional int64 typed_value; } } }"
    "required int32 o; }";

/* Values with the names a and b, two to a row group. */
static void write_values(variant_file *file, const char *text, const char *const *values,
                         size_t count) {
    lam_test_writer written = lam_test_write(text, LAM_TEST_WRITER(.row_group_rows = 2));
    lam_variant_shredder *shredder;
    const lam_schema *own = lam_writer_schema(written.writer);
    lam_record_sink sink = written.sink;
    OK(lam_variant_shredder_create(field_of(own, "v"), NULL, NULL, &shredder, NULL));
    for (size_t i = 0; i < count; i++) {
        lam_variant variant = hex_variant("11 02 00 01 02 61 62", values[i]);
        OK(sink.begin(sink.state, NULL));
        put_number(&sink, own, "n");
        OK(lam_variant_shredder_write(shredder, variant, &sink, NULL));
        put_number(&sink, own, "o");
        OK(sink.end(sink.state, NULL));
        free_variant(variant);
    }
    lam_variant_shredder_destroy(shredder);
    file->bytes = lam_test_written(&written);
    open_file(file);
}

/* In the first row group every `a` is an integer, in the second one is a string. */
static void write_events(variant_file *file) {
    static const char *const values[] = {
        "02 02 00 01 00 02 04 0C05 0C06", "02 02 00 01 00 02 04 0C07 0C06",
        "02 02 00 01 00 02 04 0C05 0C06", "02 02 00 01 00 02 04 0578 0C06"};
    write_values(file, EVENT, values, 4);
}

static void expect_chosen(const lam_reader *reader, const lam_projection *projection,
                          size_t row_group, const char *expected) {
    const lam_schema *schema = lam_reader_schema(reader);
    bool leaves[16];
    char found[17] = "";
    OK(lam_leaf_choose(reader, projection, row_group, leaves, NULL));
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        found[i] = leaves[i] ? '1' : '0';
    found[lam_schema_leaf_count(schema)] = '\0';
    cr_expect_str_eq(found, expected, "row group %zu: %s", row_group, found);
}

Test(leaf_choice, a_value_column_is_read_where_it_has_values_and_metadata_with_it) {
    variant_file file;
    lam_projection *projection;
    memset(&file, 0, sizeof file);
    write_events(&file);
    OK(lam_projection_create(lam_reader_schema(file.reader), NULL, &projection, NULL));
    OK(lam_projection_add(projection, "v.a", NULL));
    /* n; metadata, value; a's value, typed_value; b's; o */
    expect_chosen(file.reader, projection, 0, "00001000");
    expect_chosen(file.reader, projection, 1, "01011000");
    lam_projection_destroy(projection);
    /* Nothing of it is there, but where the VARIANT is must be known. */
    OK(lam_projection_create(lam_reader_schema(file.reader), NULL, &projection, NULL));
    OK(lam_projection_add(projection, "v.c", NULL));
    OK(lam_projection_add(projection, "o", NULL));
    expect_chosen(file.reader, projection, 0, "00100001");
    lam_projection_destroy(projection);
    free_file(&file);
}

static const char EMPTY[] =
    "message m { required int32 n; optional group v (VARIANT) { required binary metadata;"
    "optional binary value; optional group typed_value {"
    "required group a { optional binary value; optional group typed_value {"
    "required group x { optional binary value; } required group y { optional binary value; } } }"
    "required group b { optional group typed_value (LIST) { repeated group list {"
    "required group element { optional binary value; optional group typed_value {"
    "required group x { optional binary value; } } } } } } } }"
    "required int32 o; }";

/* Without values a `value` column was left out, and with it the levels that alone told of an empty
 * object or array: it came out as missing. */
Test(leaf_choice, what_is_empty_is_there_though_no_column_has_a_value) {
    static const struct {
        const char *paths[2], *expected, *chosen;
    } cases[] = {
        {{"v.a"}, "02 01 00 00 03 020000", "000010000"},
        {{"v.b"}, "02 01 00 00 03 030000", "000000010"},
        {{"v.a", "v.b"}, "02 02 00 01 00 03 06 020000 030000", "000010010"},
        {{"v.b.z", "v.b"}, "02 01 00 00 03 030000", "000000110"},
        {{"v.a.x"}, "02 00 00", "000010000"},
    };
    variant_file file;
    memset(&file, 0, sizeof file);
    /* {"a":{},"b":[]} */
    write_values(&file, EMPTY, (const char *const[]){"02 02 00 01 00 03 06 020000 030000"}, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_projection *projection;
        kept_values kept = {0};
        lam_bytes expected = hex_bytes(cases[i].expected);
        OK(lam_projection_create(lam_reader_schema(file.reader), NULL, &projection, NULL));
        for (size_t k = 0; k < 2 && cases[i].paths[k] != NULL; k++)
            OK(lam_projection_add(projection, cases[i].paths[k], NULL));
        /* n; metadata, value; a's value, x, y; value of b's elements, their x; o */
        expect_chosen(file.reader, projection, 0, cases[i].chosen);
        (void)read_parts(file.reader, projection, false, &kept);
        cr_assert_eq(kept.count, 1);
        cr_assert_eq(kept.values[0].value.size, expected.size, "case %zu", i);
        cr_expect_arr_eq(kept.values[0].value.data, expected.data, expected.size, "case %zu", i);
        free((void *)(uintptr_t)expected.data);
        free_kept(&kept);
        lam_projection_destroy(projection);
    }
    free_file(&file);
}

Test(leaf_choice, a_projection_is_of_one_schema_and_in_place_of_leaves) {
    variant_file file, other;
    lam_projection *projection;
    lam_record_reader *records = NULL;
    lam_variant_assembler *assembler = NULL;
    lam_scan_options options = lam_scan_options_default();
    lam_variant_assembler_options assembling = lam_variant_assembler_options_default();
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    const bool leaves[8] = {true};
    memset(&file, 0, sizeof file);
    memset(&other, 0, sizeof other);
    write_events(&file);
    write_events(&other);
    OK(lam_projection_create(lam_reader_schema(other.reader), NULL, &projection, NULL));
    options.projection = assembling.projection = projection;
    cr_expect_eq(lam_record_reader_open_scan(file.reader, &options, &records, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_assembler_create(lam_reader_schema(file.reader), NULL, &assembling,
                                              &next, NULL, &assembler, NULL),
                 LAM_STATUS_INVALID);
    options.leaves = leaves;
    cr_expect_eq(lam_record_reader_open_scan(other.reader, &options, &records, NULL),
                 LAM_STATUS_INVALID);
    lam_projection_destroy(projection);
    free_file(&file);
    free_file(&other);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* All that it takes to read parts of a file. */
typedef struct reading {
    lam_reader *reader;
    lam_projection *projection;
    lam_variant_assembler *assembler;
    lam_record_reader *records;
} reading;

static lam_status prepare(const variant_file *file, const lam_allocator *allocator, reading *made,
                          kept_values *kept) {
    static const char *const paths[] = {"v.a", "v.\"\".b", "v.id", "v.value.\"a.b\"", "o"};
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_reader_options opening = lam_reader_options_default();
    lam_scan_options scan = lam_scan_options_default();
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    opening.allocator = allocator;
    lam_status status = lam_reader_open(&input, &opening, &made->reader, NULL);
    if (status != LAM_STATUS_OK) {
        lam_input_close(&input);
        return status;
    }
    const lam_schema *schema = lam_reader_schema(made->reader);
    status = lam_projection_create(schema, allocator, &made->projection, NULL);
    for (size_t i = 0; status == LAM_STATUS_OK && i < sizeof paths / sizeof *paths; i++) {
        status = lam_projection_add(made->projection, paths[i], NULL);
        /* What could not be added can be when there is memory again. */
        if (status == LAM_STATUS_NOMEM)
            OK(lam_projection_add(made->projection, paths[i], NULL));
    }
    options.projection = scan.projection = made->projection;
    if (status == LAM_STATUS_OK)
        status = lam_variant_assembler_create(schema, lam_projection_leaves(made->projection),
                                              &options, &next, allocator, &made->assembler, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_open_scan(made->reader, &scan, &made->records, NULL);
    return status;
}

static lam_status read_all(const variant_file *file, const lam_allocator *allocator,
                           kept_values *kept) {
    reading made = {NULL, NULL, NULL, NULL};
    uint64_t got;
    lam_status status = prepare(file, allocator, &made, kept);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_variant_assembler_sink(made.assembler);
        status = lam_record_reader_read(made.records, &sink, UINT64_MAX, &got, NULL);
    }
    lam_record_reader_close(made.records);
    lam_variant_assembler_destroy(made.assembler);
    lam_projection_destroy(made.projection);
    lam_reader_close(made.reader);
    return status;
}

static void expect_no_harm(const variant_file *file) {
    kept_values whole = {0};
    lam_status status = LAM_STATUS_NOMEM;
    OK(read_all(file, NULL, &whole));
    cr_expect_eq(whole.count, file->count);
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        kept_values kept = {0};
        status = read_all(file, &allocator, &kept);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu: %d", n,
                  (int)status);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_leq(kept.count, whole.count, "request %zu", n);
        for (size_t i = 0; i < kept.count; i++) /* those before the failure are right */
            cr_assert(lam_variant_equals(kept.values[i], whole.values[i]), "request %zu", n);
        cr_assert_lt(n, 5000);
        free_kept(&kept);
    }
    free_kept(&whole);
}

Test(leaf_choice, memory_that_runs_out_is_an_error_and_nothing_leaks, .timeout = 120) {
    uint64_t seed = lam_test_seed(7);
    variant_file file;
    memset(&file, 0, sizeof file);
    write_events(&file);
    file.count = 4; /* which it keeps no originals of */
    expect_no_harm(&file);
    file.count = 0;
    free_file(&file);
    for (uint64_t i = 0; i < 5; i++) {
        lam_random random = lam_random_start(seed + i);
        memset(&file, 0, sizeof file);
        write_file(&random, &file);
        expect_no_harm(&file);
        free_file(&file);
    }
}
