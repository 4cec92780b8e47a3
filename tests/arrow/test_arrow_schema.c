/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a file goes out through the Arrow C data interface and comes back the same. */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/writer.h>

#include "arrow/schema/ipc_schema.h"
#include "arrow_text.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

/* The schema of a file through the interface and back into a tree, as text; free() it. */
static char *exported(const arrow_file *file, const lam_arrow_read_options *options) {
    struct ArrowSchema schema;
    lam_arena arena = arrow_arena();
    lam_arrow_field root;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_export_schema(file->reader, options, &schema, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_str_eq(schema.format, "+s");
    cr_assert_str_eq(schema.name, "");
    cr_assert_eq(schema.flags & ARROW_FLAG_NULLABLE, 0);
    cr_assert_eq(lam_arrow_field_import(&schema, &arena, &root, &error), LAM_STATUS_OK, "%s",
                 error.message);
    schema.release(&schema);
    cr_assert_null(schema.release);
    char *text = text_of(&root);
    lam_arena_finish(&arena);
    return text;
}

Test(arrow_schema, a_file_has_the_schema_of_its_columns) {
    static const char *const key_values[] = {"k", "v", NULL};
    arrow_file file = file_of("message m { required int64 a; optional group l (LIST) { repeated "
                              "group list { required binary element (STRING); } } }",
                              key_values);
    char *text = exported(&file, NULL);
    cr_assert_str_eq(text, "a:l l?:+l[element:u]");
    free(text);
    const bool leaves[] = {false, true};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    options.dictionary_leaves = leaves;
    text = exported(&file, &options);
    cr_assert_str_eq(text, "l?:+l[element:{i}u]");
    free(text);
    close_file(&file);
}

/* What is exported stays when the reader is gone. */
Test(arrow_schema, an_exported_schema_outlives_the_reader) {
    static const char *const key_values[] = {"k", "v", NULL};
    arrow_file file = file_of("message m { required binary a (JSON) = 3; }", key_values);
    struct ArrowSchema schema;
    cr_assert_eq(lam_arrow_export_schema(file.reader, NULL, &schema, NULL), LAM_STATUS_OK);
    close_file(&file);
    cr_assert_str_eq(schema.children[0]->name, "a");
    cr_assert_str_eq(schema.children[0]->format, "u");
    cr_assert_not_null(schema.children[0]->metadata);
    cr_assert_not_null(schema.metadata);
    schema.release(&schema);
}

/* --- Metadata are bytes -------------------------------------------------------------------- */

#define BYTES(literal) ((lam_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

static const lam_arrow_key_value odd_pairs[] = {
    {BYTES("a\0b"), BYTES("c\0\0d")},
    {BYTES("a"), BYTES("")},
    {BYTES(""), BYTES("\0")},
    {BYTES("a\0"), BYTES("\0e")},
    {BYTES("ARROW:schema\0"), BYTES("no schema")},
};
enum { ODD_PAIRS = sizeof odd_pairs / sizeof odd_pairs[0] };

static void expect_odd_pairs(const lam_arrow_metadata *found) {
    cr_assert_eq(found->count, ODD_PAIRS);
    for (size_t i = 0; i < ODD_PAIRS; i++) {
        const lam_bytes *wanted[] = {&odd_pairs[i].key, &odd_pairs[i].value};
        const lam_bytes *got[] = {&found->key_values[i].key, &found->key_values[i].value};
        for (size_t j = 0; j < 2; j++) {
            cr_assert_eq(got[j]->size, wanted[j]->size, "pair %zu", i);
            cr_assert_arr_eq(got[j]->data, wanted[j]->data, wanted[j]->size, "pair %zu", i);
        }
    }
}

/* Keys and values were cut at a NUL when the schema was read. */
Test(arrow_schema, metadata_are_bytes_and_come_back_whole) {
    lam_arena arena = arrow_arena();
    lam_allocator heap = lam_allocator_default();
    lam_arrow_field *root = fields_of(&arena, "a?:u"), found;
    struct ArrowSchema schema;
    lam_schema *parquet;
    lam_arrow_writer *arrow;
    root->metadata = (lam_arrow_metadata){ODD_PAIRS, odd_pairs};
    root->children[0].metadata = root->metadata;
    cr_assert_eq(lam_arrow_field_export(root, &heap, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, NULL), LAM_STATUS_OK);
    lam_test_writer file = lam_test_write_as(parquet, NULL);
    cr_assert_eq(lam_arrow_writer_create(file.writer, &schema, NULL, &arrow, NULL), LAM_STATUS_OK);
    lam_arrow_writer_destroy(arrow);
    lam_buffer bytes = lam_test_written(&file);
    schema.release(&schema);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_field_import(&schema, &arena, &found, NULL), LAM_STATUS_OK);
    expect_odd_pairs(&found.metadata);
#ifdef LAM_HAVE_ARROW_SCHEMA
    expect_odd_pairs(&found.children[0].metadata);
#endif
    schema.release(&schema);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
    lam_schema_destroy(parquet);
    lam_arena_finish(&arena);
}

#ifdef LAM_HAVE_ARROW_SCHEMA
/* Import, write with ARROW:schema, read, export: the same schema, with its metadata. */
Test(arrow_schema, a_schema_comes_back_from_a_file) {
    static const char arrow[] =
        "i?:{c!}U`k=v` t:tss:Europe/Paris d:d:9,2,64 m:+m![e:+s[k:vu v?:tDn]] "
        "x:+w:6<arrow.fixed_shape_tensor|{\"shape\":[2,3]}>[item:e] o:z<vendor.o|\x01\x02>";
    struct ArrowSchema schema = schema_of(arrow);
    lam_arena arena = arrow_arena();
    lam_arrow_field root;
    lam_bytes value;
    lam_schema *parquet;
    cr_assert_eq(lam_arrow_field_import(&schema, &arena, &root, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_ipc_schema_write(&root, &arena, &value, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, NULL), LAM_STATUS_OK);
    schema.release(&schema);
    char *copy;
    cr_assert_eq(lam_arena_copy(&arena, value.data, value.size, &copy, NULL), LAM_STATUS_OK);
    const char *const key_values[] = {"ARROW:schema", copy, NULL};
    arrow_file file = file_of_schema(parquet, key_values);
    char *text = exported(&file, NULL);
    cr_assert_str_eq(text, arrow);
    free(text);
    close_file(&file);
    lam_arena_finish(&arena);
}
#endif

Test(arrow_schema, any_allocation_of_an_export_may_fail) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    arrow_file file =
        file_of("message m { required group a { repeated binary b (JSON) = 3; optional "
                "binary c (GEOGRAPHY(EPSG:4326)); } }",
                NULL);
    lam_reader *reader = lam_test_open(file.bytes.data, file.bytes.size, &options);
    size_t before = counter.live_bytes;
    for (size_t n = 1;; n++) {
        struct ArrowSchema schema;
        lam_error error = lam_error_none();
        counter.fail_at = counter.requests + n;
        lam_status status = lam_arrow_export_schema(reader, NULL, &schema, &error);
        if (status == LAM_STATUS_OK)
            schema.release(&schema);
        cr_assert_eq(counter.live_bytes, before);
        if (status == LAM_STATUS_OK) {
            cr_assert_gt(n, 5);
            break;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    lam_reader_close(reader);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    close_file(&file);
}
