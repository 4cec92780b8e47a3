/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks to copy: see copied_sample.h. */
#include "file/copied_sample.h"

#include <criterion/criterion.h>

#include "support/test_file.h"

static const char copied_shape[] =
    "message m { required int64 a; optional binary s; repeated int32 x; }";

lam_file_sample lam_copied_sample(const char *created_by) {
    lam_random random = lam_random_start(lam_test_seed(31));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.row_group_rows = 32;
    options.page_rows = 5;
    options.codec = LAM_CODEC_SNAPPY;
    options.data_page_version = 2;
    options.created_by = created_by;
    lam_file_sample_init(&sample, lam_test_schema(copied_shape), LAM_COPIED_RECORDS, 70, &random);
    lam_test_writer file = lam_test_write_as(sample.schema, &options);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "a", 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "s", 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "x", LAM_ENCODING_RLE_DICTIONARY, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < LAM_COPIED_RECORDS; i++)
        cr_assert_eq(
            lam_tree_drive(sample.schema, &sample.records[i], &file.sink, NULL, false, NULL),
            LAM_STATUS_OK);
    sample.bytes = lam_test_written(&file);
    return sample;
}

lam_status lam_copied_write(const lam_reader *reader, lam_chunk_manner manner,
                            const lam_writer_options *options, lam_copy_bytes *copy,
                            lam_trial_output *trial, lam_error *error) {
    lam_output output = lam_trial_output_open(trial);
    lam_chunk_job jobs[LAM_COPIED_LEAVES];
    lam_writer *writer;
    for (size_t i = 0; i < LAM_COPIED_LEAVES; i++)
        jobs[i] = (lam_chunk_job){manner, i};
    lam_status status =
        lam_writer_open(lam_reader_schema(reader), &output, options, &writer, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (copy != NULL)
        lam_writer_set_copy(writer, copy, trial);
    for (size_t i = 0; i < lam_reader_row_group_count(reader) && status == LAM_STATUS_OK; i++)
        status = lam_writer_compose_row_group(writer, reader, i, jobs, NULL, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}
