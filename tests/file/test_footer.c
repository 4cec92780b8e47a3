/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a file: magic, size and footer, what is no Parquet file, and failures with their
 * offsets.
 */
#include "file/read/footer.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "file/file_sample.h"

static lam_status read_footer(const void *bytes, size_t size, size_t budget,
                              lam_footer_view *ret_footer, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_input input = lam_input_memory(bytes, size);
    *error = lam_error_none();
    lam_arena_init(&arena, &allocator, budget);
    lam_status status = lam_footer_view_read(&input, &arena, ret_footer, error);
    if (status == LAM_STATUS_OK)
        lam_footer_view_finish(ret_footer, &allocator);
    lam_arena_finish(&arena);
    return status;
}

static lam_buffer small_file(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_meta_schema_element root = {.name = {(const uint8_t *)"m", 1}};
    root.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    lam_meta_file meta = {.version = 1, .schema = {&root, 1}, .num_rows = 7};
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_buffer_append(&out, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &out, NULL), LAM_STATUS_OK);
    return out;
}

Test(footer, what_is_written_is_read) {
    lam_buffer file = small_file();
    lam_footer_view footer;
    lam_error error;
    cr_assert_eq(memcmp(file.data + file.size - 4, "PAR1", 4), 0);
    cr_assert_eq(read_footer(file.data, file.size, 0, &footer, &error), LAM_STATUS_OK);
    cr_assert_eq(footer.offset, 4);
    cr_assert_eq(footer.size, file.size - 12);
    cr_assert_eq(footer.meta.num_rows, 7);
    cr_assert_eq(footer.meta.schema.count, 1);
    lam_buffer_finish(&file);
}

Test(footer, what_is_too_small_or_has_no_magic_is_no_parquet_file) {
    lam_footer_view footer;
    lam_error error;
    char bytes[16] = "PAR1";
    for (size_t size = 0; size < 12; size++) {
        cr_assert_eq(read_footer("PAR1PAR1PAR1", size, 0, &footer, &error), LAM_STATUS_CORRUPT);
        cr_assert_not_null(strstr(error.message, "not a Parquet file"));
    }
    memcpy(bytes + 12, "PAR2", 4);
    cr_assert_eq(read_footer(bytes, 16, 0, &footer, &error), LAM_STATUS_CORRUPT);
    cr_assert_not_null(strstr(error.message, "not a Parquet file"));
}

Test(footer, an_encrypted_footer_is_not_corrupt) {
    lam_footer_view footer;
    lam_error error;
    cr_assert_eq(read_footer("PAREabcd\4\0\0\0PARE", 16, 0, &footer, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_not_null(strstr(error.message, "encrypted"));
}

Test(footer, a_size_that_reaches_before_the_file_is_corrupt) {
    lam_buffer file = small_file();
    lam_footer_view footer;
    lam_error error;
    uint8_t *size = file.data + file.size - 8;
    for (int n = 0; n < 3; n++) {
        uint8_t right = *size;
        *size += (uint8_t)n;
        if (n == 2)
            size[3] = 0xFF;
        lam_status status = read_footer(file.data, file.size, 0, &footer, &error);
        cr_assert_eq(status, n == 0 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        if (n > 0)
            cr_assert_eq(error.offset, (int64_t)file.size - 8);
        *size = right;
    }
    lam_buffer_finish(&file);
}

Test(footer, a_footer_above_the_budget_is_above_the_limit) {
    lam_buffer file = small_file();
    lam_footer_view footer;
    lam_error error;
    cr_assert_eq(read_footer(file.data, file.size, 10, &footer, &error), LAM_STATUS_LIMIT);
    lam_buffer_finish(&file);
}

Test(footer, the_offset_of_a_failure_is_that_in_the_file) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer file;
    lam_footer_view footer;
    lam_error error;
    lam_buffer_init(&file, &allocator);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(lam_buffer_append_byte(&file, 0, NULL), LAM_STATUS_OK);
    /* version 1, then a byte that begins no field */
    cr_assert_eq(lam_buffer_append(&file, "\x15\x02\x1E\x00\4\0\0\0PAR1", 12, NULL), LAM_STATUS_OK);
    cr_assert_eq(read_footer(file.data, file.size, 0, &footer, &error), LAM_STATUS_CORRUPT);
    cr_assert_geq(error.offset, 102);
    cr_assert_leq(error.offset, 104);
    lam_buffer_finish(&file);
}

static lam_status refuse(void *state, uint64_t offset, size_t size, void *buffer,
                         lam_error *error) {
    int *reads_left = state;
    if ((*reads_left)-- == 0)
        LAM_FAIL(error, LAM_STATUS_IO, "the wire is cut");
    memcpy(buffer, "\4\0\0\0PAR1", size < 8 ? size : 8);
    (void)offset;
    return LAM_STATUS_OK;
}

Test(footer, a_failing_read_is_passed_on) {
    for (int reads = 0; reads < 2; reads++) {
        lam_allocator allocator = lam_allocator_default();
        int reads_left = reads;
        lam_input input = {&reads_left, 1000, refuse, NULL, NULL};
        lam_arena arena;
        lam_footer_view footer;
        lam_error error = lam_error_none();
        lam_arena_init(&arena, &allocator, 0);
        cr_assert_eq(lam_footer_view_read(&input, &arena, &footer, &error), LAM_STATUS_IO);
        cr_assert_str_eq(error.message, "the wire is cut");
        lam_arena_finish(&arena);
    }
}

/* Nothing behind the sizes is looked at, so that nothing has to be there. */
Test(footer, what_is_too_large_for_the_format_is_refused_before_it_is_touched) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_buffer out = {.allocator = allocator, .size = (size_t)INT32_MAX + 11};
    cr_assert_eq(lam_footer_close(&out, 10, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    lam_bytes bytes = {NULL, SIZE_MAX};
    lam_footer_view view;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 1000);
    cr_assert_eq(lam_footer_view_copy(bytes, 0, &arena, &view, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(error.code,
                 SIZE_MAX > UINT32_MAX ? LAM_ERROR_CODE_FORMAT_LIMIT : LAM_ERROR_CODE_MEMORY_LIMIT);
    lam_arena_finish(&arena);
}
