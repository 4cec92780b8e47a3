/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/salvage_rest.h"

#include <criterion/criterion.h>
#include <lamella/check.h>

#include "file/file_sample.h"

void lam_test_damage_page(lam_buffer *file, size_t leaf, size_t number) {
    lam_input input = lam_input_memory(file->data, file->size);
    lam_page_info page = lam_page_info_default();
    lam_reader *reader;
    lam_page_list *list;
    bool more = true;
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
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
    lam_trial_output out = {0};
    lam_output output = lam_trial_output_open(&out);
    lam_writer *writer;
    lam_reader *reader;
    lam_check_totals totals = lam_check_totals_default();
    const lam_schema *schema = lam_salvage_schema(salvage);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_write(salvage, writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    lam_input input = lam_input_memory(out.bytes.data, out.bytes.size);
    cr_assert_eq(lam_check(&input, NULL, NULL, NULL, &totals, NULL), LAM_STATUS_OK);
    cr_assert_eq(totals.errors, 0);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    uint64_t rows = lam_reader_row_count(reader);
    lam_reader_close(reader);
    lam_trial_output_free(&out);
    return rows;
}
