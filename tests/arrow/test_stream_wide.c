/* SPDX-License-Identifier: Apache-2.0 */
/* Many columns: what a stream does for each must not grow with their number. */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/read/footer.h"
#include "support/stopwatch.h"
#include "support/test_file.h"

enum { COLUMNS = 20000, NAME_SIZE = 16 };

typedef struct wide_footer {
    char names[COLUMNS][NAME_SIZE];
    lam_bytes paths[COLUMNS];
    lam_meta_schema_element schema[COLUMNS + 1];
    lam_meta_column columns[COLUMNS];
    lam_meta_column_chunk chunks[COLUMNS];
} wide_footer;

/* A file of one row and no pages, whose chunks say that each is larger than the one before. */
static lam_buffer write_footer(void) {
    wide_footer *wide = calloc(1, sizeof *wide);
    lam_allocator heap = lam_allocator_default();
    lam_buffer file;
    wide->schema[0].name = (lam_bytes){(const uint8_t *)"m", 1};
    wide->schema[0].num_children = COLUMNS;
    wide->schema[0].has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    for (int32_t i = 0; i < COLUMNS; i++) {
        snprintf(wide->names[i], NAME_SIZE, "c%05d", (int)i);
        wide->paths[i] = (lam_bytes){(const uint8_t *)wide->names[i], 6};
        wide->schema[i + 1].name = wide->paths[i];
        wide->schema[i + 1].type = LAM_PHYSICAL_INT32;
        wide->schema[i + 1].repetition_type = LAM_REPETITION_REQUIRED;
        wide->schema[i + 1].has =
            LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        wide->columns[i].type = LAM_PHYSICAL_INT32;
        wide->columns[i].path_in_schema = (lam_meta_bytes_list){&wide->paths[i], 1};
        wide->columns[i].num_values = 1;
        wide->columns[i].total_uncompressed_size = i;
        wide->columns[i].total_compressed_size = i;
        wide->columns[i].data_page_offset = LAM_FOOTER_MAGIC_SIZE;
        wide->chunks[i].meta_data = &wide->columns[i];
    }
    lam_meta_row_group group = {.columns = {wide->chunks, COLUMNS}, .num_rows = 1};
    lam_meta_file meta = {
        .version = 1, .schema = {wide->schema, COLUMNS + 1}, .row_groups = {&group, 1}};
    meta.num_rows = 1;
    lam_buffer_init(&file, &heap);
    cr_assert_eq(lam_buffer_append(&file, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE, NULL), 0);
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    free(wide);
    return file;
}

/* Columns were put in order by inserting each among all that are larger. */
Test(stream_wide, opening_takes_time_for_each_column_and_not_for_each_pair) {
    lam_buffer file = write_footer();
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    lam_error error = lam_error_none();
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    lam_stopwatch_start("a stream of 20,000 columns");
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    cr_assert_eq(schema.n_children, COLUMNS);
    schema.release(&schema);
    stream.release(&stream);
    lam_stopwatch_stop();
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}
