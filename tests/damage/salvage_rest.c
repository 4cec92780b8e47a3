/* SPDX-License-Identifier: Apache-2.0 */
/* Damages a page of a file, salvages it, and checks what is left. */
#include "damage/salvage_rest.h"

#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <string.h>

#include "file/file_sample.h"

void lam_test_damage_page(lam_buffer *file, size_t leaf, size_t number) {
    lam_page_info page = lam_page_info_default();
    lam_page_list *list;
    bool more = true;
    lam_reader *reader = lam_test_open(file->data, file->size, NULL);
    cr_assert_eq(lam_page_list_open(reader, 0, leaf, &list, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i <= number;) {
        cr_assert_eq(lam_page_list_next(list, &page, &more, NULL), LAM_STATUS_OK);
        cr_assert(more);
        i += page.type != LAM_PAGE_DICTIONARY;
    }
    file->data[page.offset + page.header_size + page.compressed_size - 1] ^= 1;
    lam_page_list_close(list);
    lam_reader_close(reader);
}

uint64_t lam_test_write_rest(const lam_salvage *salvage) {
    lam_test_writer file = lam_test_write_as(lam_salvage_schema(salvage), NULL);
    lam_check_totals totals = lam_check_totals_default();
    cr_assert_eq(lam_salvage_write(salvage, file.writer, NULL), LAM_STATUS_OK);
    lam_buffer bytes = lam_test_written(&file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_check(&input, NULL, NULL, NULL, &totals, NULL), LAM_STATUS_OK);
    cr_assert_eq(totals.errors, 0);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    uint64_t rows = lam_reader_row_count(reader);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
    return rows;
}

uint64_t lam_test_compare_chunk(const lam_reader *rest, const lam_reader *whole, size_t group,
                                size_t leaf) {
    lam_column_reader *found, *wanted;
    uint64_t rows = 0;
    lam_physical_type type =
        lam_field_physical_type(lam_schema_leaf(lam_reader_schema(whole), leaf));
    if (lam_column_reader_open(rest, group, leaf, &found, NULL) != LAM_STATUS_OK)
        return 0;
    cr_assert_eq(lam_column_reader_open(whole, group, leaf, &wanted, NULL), LAM_STATUS_OK);
    for (;;) {
        lam_triples a, b;
        if (lam_column_reader_read(found, 1, &a, NULL) != LAM_STATUS_OK || a.count == 0)
            break;
        cr_assert_eq(lam_column_reader_read(wanted, 1, &b, NULL), LAM_STATUS_OK);
        cr_assert_eq(b.count, 1);
        cr_assert_eq(a.value_count, b.value_count);
        unsigned level = a.repetition == NULL ? 0 : a.repetition[0];
        cr_assert_eq(level, b.repetition == NULL ? 0 : b.repetition[0]);
        cr_assert(a.definition == NULL || a.definition[0] == b.definition[0]);
        rows += level == 0;
        if (a.value_count == 0)
            continue;
        if (type == LAM_PHYSICAL_BYTE_ARRAY) {
            const lam_bytes *x = a.values, *y = b.values;
            cr_assert(x->size == y->size && memcmp(x->data, y->data, x->size) == 0);
        } else {
            size_t size = type == LAM_PHYSICAL_INT32 ? sizeof(int32_t) : sizeof(int64_t);
            cr_assert_eq(memcmp(a.values, b.values, size), 0);
        }
    }
    lam_column_reader_close(found);
    lam_column_reader_close(wanted);
    return rows;
}
