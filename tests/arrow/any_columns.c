/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of every family of Arrow types with random values, and the file that they make. */
#include "arrow/any_columns.h"

#include <criterion/criterion.h>
#include <lamella/writer.h>

#include "arrow/random_arrays.h"
#include "arrow_text.h"
#include "file/file_sample.h"

/* As in arrow_text.h. */
static const char *const families[LAM_ANY_COLUMNS] = {
    "a?:+l[item?:+s[b?:u c?:+L[item:i] d?:+m[entries:+s[key:u value?:vz]]]] e:+w:2[item?:+s[f?:b]]"
    " g?:+vl`key=value`[item?:+vL[item?:l]]",
    "a?:vu b?:vz c:vu d?:+vl[item?:vu] e?:+vL[item:vz] f?:U g:Z@7",
    "a?:{c}u b?:{i!}z c:{S}i d?:{C}w:4 e?:{l}vu f?:+l[item?:{s}U] g?:{L}tsu:UTC",
    "a?:+r[run_ends:i values?:u] b:+r[run_ends:s values:g] c?:+r[run_ends:l values?:vz]"
    " d?:+l[item?:+r[run_ends:i values?:tdD]] e?:tiM f?:d:30,4 g?:e h?:n",
    "a?:w:16<arrow.uuid> b?:{s}u<arrow.json> c?:c<arrow.bool8>"
    " d?:n<arrow.opaque|{\"type_name\":\"t\",\"vendor_name\":\"v\"}>"
    " e?:+w:4<arrow.fixed_shape_tensor|{\"shape\":[2,2],\"dim_names\":[\"x\",\"y\"]}>[item?:f]"
    " f?:+s<arrow.variable_shape_tensor>[data:+l[item?:i] shape:+w:1[item:i]]"
    " g?:z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\"}> h?:+l[item?:u<test.unknown|abc>]",
    "a?:+s<arrow.parquet.variant>[metadata:{c}z value?:vz]"
    " b?:+s<arrow.parquet.variant>[typed_value?:l value?:z metadata:+r[run_ends:i values:z]]"
    " c:+s<arrow.parquet.variant>[metadata:vz value?:z typed_value?:+l[element:+s[value?:z"
    " typed_value?:u]]]",
};

lam_any_columns lam_any_columns_from(const char *text, size_t rows, lam_random *random) {
    lam_any_columns columns = {.arena = arrow_arena()};
    lam_allocator heap = lam_allocator_default();
    lam_error error = lam_error_none();
    struct ArrowSchema schema = schema_of(text);
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &columns.schema, &error), LAM_STATUS_OK,
                 "%s", error.message);
    schema.release(&schema);
    columns.field = fields_of(&columns.arena, text);
    columns.array = lam_random_array(random, &columns.arena, columns.field, rows, NULL);
    columns.array->length = (int64_t)rows;
    lam_buffer_init(&columns.file, &heap);
    return columns;
}

lam_any_columns lam_any_columns_of(size_t family, size_t rows, lam_random *random) {
    return lam_any_columns_from(families[family], rows, random);
}

void lam_any_columns_finish(lam_any_columns *columns) {
    lam_schema_destroy(columns->schema);
    lam_buffer_finish(&columns->file);
    lam_arena_finish(&columns->arena);
}

lam_array_source lam_any_columns_source(const lam_any_columns *columns, int64_t slice_rows) {
    lam_array_source source = {
        .field = columns->field, .array = columns->array, .slice_rows = slice_rows};
    return source;
}

void lam_any_columns_write(lam_any_columns *columns, uint64_t group_rows, uint64_t page_rows) {
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = group_rows;
    options.page_rows = page_rows;
    lam_array_source source = lam_any_columns_source(columns, INT64_MAX);
    struct ArrowArrayStream stream = lam_array_source_open(&source);
    lam_test_writer written = lam_test_write_as(columns->schema, &options);
    cr_assert_eq(lam_arrow_write_stream(written.writer, &stream, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_buffer trial = lam_test_written(&written);
    lam_array_source_close(&source);
    columns->file = trial;
}
