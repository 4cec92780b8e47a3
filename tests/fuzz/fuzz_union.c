/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of several schemas, with keys of folders beside them, read as one. The union is the same
 * in any order of the files, but for the order of fields; of a schema with itself it is that
 * schema; each value of a file is in it, or is refused; its paths lead to its leaves; and a file
 * that is rewritten from all of them has the same records.
 *
 *     u8 clash  u64 seed of records  u8 files  | u8 folder, schema | ...     (any_schema.h)
 */
#include <lamella/constant.h>
#include <lamella/dataset.h>
#include <lamella/json.h>
#include <lamella/rewrite.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/any_record.h"
#include "fuzz/any_rows.h"
#include "fuzz/any_schema.h"
#include "fuzz/harness.h"
#include "fuzz/json_holds.h"
#include "schema/nesting.h"
#include "schema/type_union.h"

enum { FILES_MOST = 4, RECORDS = 6, PATH_SIZE = 1024 };

static const char *const folders[] = {"",           "",
                                      "k=1/",       "k=x%2Fy/",
                                      "a=1/b=2/",   "a=2024-02-29/",
                                      "a%2Eb=007/", "k=__HIVE_DEFAULT_PARTITION__/"};

typedef struct union_file {
    lam_output bytes;
    lam_writer *writer;
    lam_reader *own;    /* of the file alone */
    lam_reader *reader; /* with the keys of folders; NULL: there are none */
    lam_bytes folder;
    lam_output printed; /* its records */
} union_file;

typedef struct union_trial {
    lam_allocator allocator;
    lam_clash on_clash;
    union_file files[FILES_MOST];
    size_t count;
    lam_path_keys *keys;
} union_trial;

static const lam_reader *reader_of(const union_file *file) {
    return file->reader == NULL ? file->own : file->reader;
}

static const lam_schema *schema_of(const union_file *file) {
    return lam_reader_schema(reader_of(file));
}

/* --- Files --------------------------------------------------------------------------------- */

static void write_file(union_trial *trial, union_file *file, lam_fuzz_input *input,
                       lam_random *dice) {
    const char *folder = folders[lam_fuzz_number(input, 1) % 8];
    lam_schema *schema = lam_fuzz_any_schema(input, &trial->allocator);
    char path[64];
    lam_output output;
    LAM_FUZZ_OK(lam_output_memory(&trial->allocator, &output, &fault));
    file->bytes = output;
    output.close = NULL;
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &trial->allocator;
    LAM_FUZZ_OK(lam_writer_open(schema, &output, &options, &file->writer, &fault));
    lam_record_sink sink = lam_writer_sink(file->writer);
    for (int i = 0; i < RECORDS; i++)
        LAM_FUZZ_OK(
            lam_fuzz_drive_record(lam_writer_schema(file->writer), &sink, dice, 70, &fault));
    LAM_FUZZ_OK(lam_writer_finish(file->writer, &fault));
    lam_schema_destroy(schema);
    snprintf(path, sizeof path, "%sa.parquet", folder);
    LAM_FUZZ_OK(lam_path_keys_add(trial->keys, path, &fault));
}

static void open_file(union_trial *trial, size_t index) {
    union_file *file = &trial->files[index];
    lam_reader_options options = lam_reader_options_default();
    lam_bytes bytes = lam_output_memory_bytes(&file->bytes);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_constant constants[8];
    options.allocator = &trial->allocator;
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &file->own, &fault));
    LAM_FUZZ_OK(lam_path_keys_of_file(trial->keys, index, constants, &fault));
    LAM_FUZZ_OK(lam_reader_show_constants(file->own, constants, lam_path_keys_count(trial->keys),
                                          &file->reader, &fault));
}

static void close_file(union_file *file) {
    lam_output_close(&file->printed);
    lam_reader_close(file->reader);
    lam_reader_close(file->own);
    lam_writer_close(file->writer);
    lam_output_close(&file->bytes);
}

/* All records as lines behind those in `printed`; false when a value is refused. */
static bool print_records(const union_trial *trial, const lam_reader *reader, lam_output *printed) {
    lam_json_writer *writer;
    lam_record_reader *records;
    lam_error error = lam_error_none();
    uint64_t count;
    LAM_FUZZ_OK(lam_json_writer_create(lam_reader_schema(reader), printed, NULL, &trial->allocator,
                                       &writer, &fault));
    LAM_FUZZ_OK(lam_record_reader_open(reader, NULL, &records, &fault));
    lam_record_sink sink = lam_json_writer_sink(writer);
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error);
    bool is_read = lam_fuzz_judge(status, &error, 1 << LAM_STATUS_INVALID);
    LAM_FUZZ_EXPECT(!is_read || count == RECORDS);
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_record_reader_close(records);
    lam_json_writer_destroy(writer);
    return is_read;
}

/* --- Schemas ------------------------------------------------------------------------------- */

/* False when the types clash, and that is an error. */
static bool add_schema(const union_trial *trial, lam_union *all, const lam_schema *schema) {
    lam_error error = lam_error_none();
    lam_status status = lam_union_add(all, schema, "file", &error);
    bool may_clash = trial->on_clash == LAM_CLASH_ERROR;
    return lam_fuzz_judge(status, &error, may_clash ? 1 << LAM_STATUS_INVALID : 0);
}

/* The union of the files that are named by their bits, in turn from one of them on. */
static lam_union *unite(const union_trial *trial, unsigned files, size_t from, bool is_reverse) {
    lam_union_options options = lam_union_options_default();
    lam_union *all;
    bool is_united = true;
    options.on_clash = trial->on_clash;
    LAM_FUZZ_OK(lam_union_create(&options, &trial->allocator, &all, &fault));
    for (size_t i = 0; i < trial->count && is_united; i++) {
        size_t at = (from + (is_reverse ? trial->count - i : i)) % trial->count;
        if (files >> at & 1)
            is_united = add_schema(trial, all, schema_of(&trial->files[at]));
    }
    if (is_united)
        return all;
    lam_union_destroy(all);
    return NULL;
}

static bool are_alike(const lam_field *a, const lam_field *b);

/* Children by name, in any order. */
static bool children_are_alike(const lam_field *a, const lam_field *b) {
    if (a->child_count != b->child_count)
        return false;
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i);
        const lam_field *other = lam_field_child_named(b, child->name, child->name_size);
        if (other == NULL || !are_alike(child, other))
            return false;
    }
    return true;
}

/* Lists and maps have the names of the first file, and VARIANTs its columns. */
static bool are_alike(const lam_field *a, const lam_field *b) {
    const lam_leaf_type x = lam_leaf_type_of(a), y = lam_leaf_type_of(b);
    if (a->repetition != b->repetition || !lam_leaf_type_equals(&x, &y))
        return false;
    if (a->logical_type.kind == LAM_LOGICAL_VARIANT)
        return true;
    if (!lam_is_list(a) && !lam_is_map(a))
        return children_are_alike(a, b);
    for (; a->child_count == 1 && b->child_count == 1;
         a = lam_child_at(a, 0), b = lam_child_at(b, 0))
        if (!are_alike(lam_child_at(a, 0), lam_child_at(b, 0)) &&
            lam_child_at(a, 0)->child_count != 1)
            return false;
    return a->child_count == b->child_count;
}

/* A VARIANT holds what clashes otherwise, if it comes before. */
static void expect_alike(const union_trial *trial, const lam_union *a, const lam_union *b) {
    LAM_FUZZ_EXPECT(trial->on_clash == LAM_CLASH_ERROR || (a != NULL && b != NULL));
    if (a != NULL && b != NULL)
        LAM_FUZZ_EXPECT(children_are_alike(lam_schema_root(lam_union_schema(a)),
                                           lam_schema_root(lam_union_schema(b))));
}

/* In other orders, united in parts, and with files that are there already. */
static void expect_any_order(const union_trial *trial, lam_union *all, lam_random *dice) {
    unsigned every = (1u << trial->count) - 1;
    size_t from = (size_t)lam_random_below(dice, trial->count);
    lam_union *other = unite(trial, every, from, true);
    expect_alike(trial, all, other);
    lam_union_destroy(other);
    other = unite(trial, every & ~(1u << from), 0, false);
    lam_union *one = unite(trial, 1u << from, 0, false);
    if (other != NULL && add_schema(trial, one, lam_union_schema(other)))
        expect_alike(trial, all, one);
    lam_union_destroy(other);
    lam_union_destroy(one);
    if (all == NULL)
        return;
    const lam_schema *before = lam_union_schema(all);
    for (size_t i = 0; i < trial->count; i++)
        LAM_FUZZ_EXPECT(add_schema(trial, all, schema_of(&trial->files[i])));
    LAM_FUZZ_EXPECT(lam_union_schema(all) == before);
    LAM_FUZZ_EXPECT(add_schema(trial, all, before) && lam_union_schema(all) == before);
}

static void expect_paths(const lam_schema *schema) {
    size_t count = lam_schema_leaf_count(schema), marked = 0;
    bool *leaves = lam_fuzz_block(count * sizeof *leaves);
    char path[PATH_SIZE];
    for (size_t i = 0; i < count; i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i), *found = NULL;
        LAM_FUZZ_EXPECT(lam_field_path(leaf, path, sizeof path) < sizeof path);
        LAM_FUZZ_OK(lam_schema_resolve(schema, path, &found, &fault));
        LAM_FUZZ_EXPECT(found == leaf);
        LAM_FUZZ_OK(lam_schema_select_text(schema, path, strlen(path), NULL, leaves, &fault));
        LAM_FUZZ_EXPECT(leaves[i]);
        for (size_t other = marked = 0; other < count; other++)
            marked += leaves[other];
        LAM_FUZZ_EXPECT(marked == 1);
    }
    free(leaves);
}

/* --- Records ------------------------------------------------------------------------------- */

static void expect_held(lam_bytes wide, lam_bytes narrow) {
    const char *x = (const char *)wide.data, *y = (const char *)narrow.data;
    for (int i = 0; i < RECORDS; i++) {
        if (!lam_fuzz_json_holds(x, y)) {
            fprintf(stderr, "%.*s\n%.*s\n", (int)strcspn(y, "\n"), y, (int)strcspn(x, "\n"), x);
            lam_fuzz_fail(__FILE__, __LINE__, "the union holds each value", NULL);
        }
        x = strchr(x, '\n') + 1;
        y = strchr(y, '\n') + 1;
    }
}

/* Prints the records of all files as the union has them; false when a value is refused. */
static bool show_files(const union_trial *trial, const lam_schema *schema, lam_output *printed) {
    bool are_read = true;
    for (size_t i = 0; i < trial->count && are_read; i++) {
        const lam_reader *reader = reader_of(&trial->files[i]);
        lam_reader *shown = NULL;
        size_t before = lam_output_memory_bytes(printed).size;
        LAM_FUZZ_OK(lam_reader_show(reader, schema, NULL, &shown, &fault));
        are_read = print_records(trial, shown == NULL ? reader : shown, printed);
        lam_bytes all = lam_output_memory_bytes(printed);
        if (are_read)
            expect_held((lam_bytes){all.data + before, all.size - before},
                        lam_output_memory_bytes(&trial->files[i].printed));
        lam_reader_close(shown);
    }
    return are_read;
}

static lam_status open_target(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    (void)error;
    LAM_FUZZ_EXPECT(*folder == '\0' && number == 0);
    *ret_output = *(lam_output *)state;
    ret_output->close = NULL;
    return LAM_STATUS_OK;
}

static void expect_rewritten(const union_trial *trial, const lam_output *bytes, lam_bytes shown) {
    lam_bytes file = lam_output_memory_bytes(bytes);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_reader_options options = lam_reader_options_default();
    lam_reader *reader;
    lam_output printed;
    const char *text;
    options.allocator = &trial->allocator;
    if (lam_fuzz_errors_of(file, false, &text) > 0)
        lam_fuzz_fail(__FILE__, __LINE__, text, NULL);
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &reader, &fault));
    LAM_FUZZ_OK(lam_output_memory(&trial->allocator, &printed, &fault));
    LAM_FUZZ_EXPECT(lam_reader_row_count(reader) == RECORDS * trial->count);
    lam_json_writer *writer;
    lam_record_reader *records;
    uint64_t count;
    LAM_FUZZ_OK(lam_json_writer_create(lam_reader_schema(reader), &printed, NULL, &trial->allocator,
                                       &writer, &fault));
    LAM_FUZZ_OK(lam_record_reader_open(reader, NULL, &records, &fault));
    LAM_FUZZ_OK(lam_json_writer_print(writer, records, UINT64_MAX, &count, &fault));
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_bytes found = lam_output_memory_bytes(&printed);
    LAM_FUZZ_EXPECT(found.size == shown.size && memcmp(found.data, shown.data, found.size) == 0);
    lam_record_reader_close(records);
    lam_json_writer_destroy(writer);
    lam_reader_close(reader);
    lam_output_close(&printed);
}

static void rewrite(const union_trial *trial, bool are_read, lam_bytes shown) {
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *made;
    lam_output bytes;
    lam_error error = lam_error_none();
    options.allocator = &trial->allocator;
    options.on_clash = trial->on_clash;
    LAM_FUZZ_OK(lam_output_memory(&trial->allocator, &bytes, &fault));
    LAM_FUZZ_OK(lam_rewrite_create(&options, &made, &fault));
    for (size_t i = 0; i < trial->count; i++)
        LAM_FUZZ_OK(lam_rewrite_add_reader(made, reader_of(&trial->files[i]), "in", &fault));
    lam_rewrite_target target = {&bytes, open_target};
    lam_status status = lam_rewrite_run(made, &target, NULL, &error);
    if (lam_fuzz_judge(status, &error, are_read ? 0 : 1 << LAM_STATUS_INVALID)) {
        LAM_FUZZ_EXPECT(are_read);
        expect_rewritten(trial, &bytes, shown);
    }
    lam_rewrite_destroy(made);
    lam_output_close(&bytes);
}

static void try_union(union_trial *trial, lam_random *dice) {
    lam_union *all = unite(trial, (1u << trial->count) - 1, 0, false);
    expect_any_order(trial, all, dice);
    if (all == NULL)
        return;
    lam_output printed;
    LAM_FUZZ_OK(lam_output_memory(&trial->allocator, &printed, &fault));
    expect_paths(lam_union_schema(all));
    bool are_read = show_files(trial, lam_union_schema(all), &printed);
    rewrite(trial, are_read, lam_output_memory_bytes(&printed));
    lam_output_close(&printed);
    lam_union_destroy(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    union_trial trial = {.allocator = lam_fuzz_allocator()};
    trial.on_clash = (lam_clash)(lam_fuzz_number(&input, 1) % (LAM_CLASH_ERROR + 1));
    lam_random dice = lam_random_start(lam_fuzz_number(&input, 8));
    trial.count = 2 + (size_t)(lam_fuzz_number(&input, 1) % (FILES_MOST - 1));
    LAM_FUZZ_OK(lam_path_keys_create(&trial.allocator, &trial.keys, &fault));
    for (size_t i = 0; i < trial.count; i++)
        write_file(&trial, &trial.files[i], &input, &dice);
    for (size_t i = 0; i < trial.count; i++) {
        open_file(&trial, i);
        LAM_FUZZ_OK(lam_output_memory(&trial.allocator, &trial.files[i].printed, &fault));
        LAM_FUZZ_EXPECT(print_records(&trial, reader_of(&trial.files[i]), &trial.files[i].printed));
    }
    try_union(&trial, &dice);
    for (size_t i = 0; i < trial.count; i++)
        close_file(&trial.files[i]);
    lam_path_keys_destroy(trial.keys);
    lam_fuzz_expect_no_leak();
    return 0;
}
