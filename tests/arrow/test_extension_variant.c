/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANTs that Arrow shredded into unsigned numbers: they get a signed type that holds them, and
 * the values stay the same.
 */
#include "arrow/extension/extension_variant.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>

#include "arrow_text.h"
#include "support/test_file.h"

Test(extension_variant, unsigned_numbers_have_a_signed_type_that_holds_them) {
    cr_assert_eq(lam_extension_variant_kind(LAM_ARROW_UINT8), LAM_ARROW_INT16);
    cr_assert_eq(lam_extension_variant_kind(LAM_ARROW_UINT16), LAM_ARROW_INT32);
    cr_assert_eq(lam_extension_variant_kind(LAM_ARROW_UINT32), LAM_ARROW_INT64);
    cr_assert_eq(lam_extension_variant_kind(LAM_ARROW_INT32), LAM_ARROW_INT32);
    cr_assert_eq(lam_extension_variant_kind(LAM_ARROW_UINT64), LAM_ARROW_UINT64);
}

/* --- Values ----------------------------------------------------------------------------------- */

static void keep(struct ArrowArray *array) {
    array->release = NULL;
}

/* Arrays whose buffers are the test's: an array of `length` with these buffers and children. */
static struct ArrowArray array_of(int64_t length, const void **buffers, int64_t buffer_count,
                                  struct ArrowArray **children, int64_t child_count) {
    return (struct ArrowArray){.length = length,
                               .n_buffers = buffer_count,
                               .buffers = buffers,
                               .n_children = child_count,
                               .children = children,
                               .release = keep};
}

/* With its original schema the file gives the numbers as they were. */
static void reads_numbers(const lam_reader *reader, const char *format, const void *numbers) {
#ifdef LAM_HAVE_ARROW_SCHEMA
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray root;
    size_t size = *format == 'C' ? 1 : *format == 'S' ? 2 : 4;
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    cr_assert_str_eq(schema.children[0]->children[1]->format, format);
    cr_assert_eq(stream.get_next(&stream, &root), 0, "%s", stream.get_last_error(&stream));
    cr_assert_eq(root.length, 3);
    cr_assert_eq(memcmp(root.children[0]->children[1]->buffers[1], numbers, 3 * size), 0);
    root.release(&root);
    schema.release(&schema);
    stream.release(&stream);
#else
    (void)reader, (void)format, (void)numbers;
#endif
}

/* Writes three shredded numbers of a format and checks the elements of their column. */
static void writes_numbers(const char *format, const void *numbers, const int64_t *expected) {
    static const uint8_t metadata_bytes[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    static const int32_t offsets[] = {0, 3, 6, 9};
    const void *binary_buffers[] = {NULL, offsets, metadata_bytes};
    const void *number_buffers[] = {NULL, numbers};
    const void *struct_buffers[] = {NULL};
    struct ArrowArray metadata = array_of(3, binary_buffers, 3, NULL, 0);
    struct ArrowArray typed_value = array_of(3, number_buffers, 2, NULL, 0);
    struct ArrowArray *parts[] = {&metadata, &typed_value};
    struct ArrowArray variant = array_of(3, struct_buffers, 1, parts, 2);
    struct ArrowArray *columns[] = {&variant};
    struct ArrowArray root = array_of(3, struct_buffers, 1, columns, 1);
    char arrow[128];
    snprintf(arrow, sizeof arrow, "v:+s<arrow.parquet.variant>[metadata:z typed_value:%s]", format);
    struct ArrowSchema schema = schema_of(arrow);
    lam_schema *parquet;
    lam_arrow_writer *arrow_writer;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_test_writer file = lam_test_write_as(parquet, NULL);
    cr_assert_eq(lam_arrow_writer_create(file.writer, &schema, NULL, &arrow_writer, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_arrow_write_array(arrow_writer, &root, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_arrow_writer_destroy(arrow_writer);
    lam_buffer written = lam_test_written(&file);
    lam_reader *reader = lam_test_open(written.data, written.size, NULL);
    lam_column_reader *column;
    lam_triples triples;
    cr_assert_eq(lam_column_reader_open(reader, 0, 1, &column, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_read(column, 10, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.value_count, 3);
    bool wide = lam_field_physical_type(lam_schema_leaf(parquet, 1)) == LAM_PHYSICAL_INT64;
    for (size_t i = 0; i < 3; i++) {
        int64_t found =
            wide ? ((const int64_t *)triples.values)[i] : ((const int32_t *)triples.values)[i];
        cr_assert_eq(found, expected[i], "%s: %lld", format, (long long)found);
    }
    lam_column_reader_close(column);
    reads_numbers(reader, format, numbers);
    lam_reader_close(reader);
    lam_buffer_finish(&written);
    lam_schema_destroy(parquet);
    schema.release(&schema);
}

Test(extension_variant, unsigned_numbers_keep_their_values_both_ways) {
    static const uint8_t bytes[] = {0, 127, 255};
    static const uint16_t shorts[] = {0, 32768, 65535};
    static const uint32_t words[] = {0, UINT32_C(2147483648), UINT32_MAX};
    writes_numbers("C", bytes, (const int64_t[]){0, 127, 255});
    writes_numbers("S", shorts, (const int64_t[]){0, 32768, 65535});
    writes_numbers("I", words, (const int64_t[]){0, INT64_C(2147483648), UINT32_MAX});
}
