/* SPDX-License-Identifier: Apache-2.0 */
/* The Arrow schema of a damaged file: made anew where it is true of the columns, or left out. */
#include <criterion/criterion.h>
#include <lamella/salvage.h>

#include "arrow/schema/ipc_schema.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"

#ifdef LAM_HAVE_ARROW_SCHEMA

/* A file of one column with an Arrow schema of `count` columns. */
static void write_arrow_trial(lam_trial_output *trial, size_t count) {
    static const int64_t values[] = {1, 2, 3};
    const lam_triples column = {.count = 3, .value_count = 3, .values = values};
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_arrow_field children[2] = {{.name = "a"}, {.name = "b"}};
    lam_bytes value;
    char *text;
    lam_arena_init(&arena, &heap, SIZE_MAX);
    children[0].type.kind = children[1].type.kind = LAM_ARROW_INT64;
    const lam_arrow_field root = {
        .name = "", .type = {.kind = LAM_ARROW_STRUCT}, .child_count = count, .children = children};
    cr_assert_eq(lam_ipc_schema_write(&root, &arena, &value, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arena_copy(&arena, value.data, value.size, &text, NULL), LAM_STATUS_OK);
    lam_test_writer file = lam_test_write("message m { required int64 a; }", NULL);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "ARROW:schema", text, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "k", "v", NULL), LAM_STATUS_OK);
    lam_test_put_triples(&file, &column, 3);
    trial->bytes = lam_test_written(&file);
    lam_arena_finish(&arena);
}

/* Gives whether what was salvaged has an Arrow schema; `count` of its keys. */
static lam_status salvage_arrow(const lam_reader *reader, lam_error *error, size_t *ret_keys) {
    lam_salvage *salvage;
    lam_status status = lam_salvage_open(reader, NULL, &salvage, error);
    if (status == LAM_STATUS_OK) {
        lam_test_writer file = lam_test_write_as(lam_salvage_schema(salvage), NULL);
        status = lam_salvage_write(salvage, file.writer, error);
        if (status == LAM_STATUS_OK) {
            cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
            const lam_buffer *bytes = &file.trial->bytes;
            lam_reader *written = lam_test_open(bytes->data, bytes->size, NULL);
            *ret_keys = lam_test_file_info(written).key_value_count;
            lam_reader_close(written);
        }
        lam_test_drop(&file);
        lam_salvage_close(salvage);
    }
    return status;
}

Test(salvage_arrow, an_arrow_schema_is_made_anew_or_left_out) {
    for (size_t columns = 1; columns <= 2; columns++) {
        lam_trial_output file = {0};
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        lam_reader *reader;
        lam_status status = LAM_STATUS_NOMEM;
        size_t keys = 0;
        options.allocator = &allocator;
        write_arrow_trial(&file, columns);
        reader = lam_test_open(file.bytes.data, file.bytes.size, &options);
        size_t live = counter.live_bytes;
        for (size_t i = 2; status != LAM_STATUS_OK; i++) {
            lam_error error = lam_error_none();
            counter.fail_at = counter.requests + i / 2;
            status = salvage_arrow(reader, i % 2 == 0 ? &error : NULL, &keys);
            counter.fail_at = 0;
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", i / 2);
            cr_assert_eq(counter.live_bytes, live);
        }
        cr_assert_eq(keys, columns == 1 ? 2 : 1);
        lam_reader_close(reader);
        lam_trial_output_free(&file);
        cr_assert_eq(counter.live_bytes, 0);
    }
}

#endif
