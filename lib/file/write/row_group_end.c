/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends the row group that a writer has in memory: writes its pages, its description in the footer,
 * and, for a log, the record after it.
 *
 *     row group  [record]  row group  [record]  ...
 *
 * The invariant: `offset` is the number of bytes written, and the footer describes all row groups
 * before it. A failure may leave incomplete data in the output, so callers poison the writer.
 * (README.md of the format, "File format")
 */
#include "base/error.h"
#include "file/write/writer_state.h"

lam_status lam_writer_append(lam_writer *writer, lam_bytes bytes, lam_error *error) {
    LAM_TRY(writer->output.write(writer->output.state, bytes.data, bytes.size, error));
    writer->offset += bytes.size;
    return LAM_STATUS_OK;
}

lam_status lam_writer_write_record(lam_writer *writer, lam_recovery_kind kind, lam_bytes body,
                                   lam_error *error) {
    lam_status status;
    lam_buffer bytes;
    lam_buffer_init(&bytes, &writer->allocator);
    writer->record.kind = kind;
    LAM_TRY_OUT(lam_recovery_record_write(&writer->record, body, &bytes, error));
    LAM_TRY_OUT(lam_writer_append(writer, lam_buffer_bytes(&bytes), error));
    writer->record.sequence++;
out:
    lam_buffer_finish(&bytes);
    return status;
}

/* The first record has all that a footer needs, each later one the row group before it. */
static lam_status record_row_group(lam_writer *writer, lam_error *error) {
    lam_status status;
    bool is_first = !writer->has_first_record;
    lam_buffer body;
    lam_buffer_init(&body, &writer->allocator);
    if (is_first)
        LAM_TRY_OUT(lam_footer_build_encode(&writer->footer, writer->schema,
                                            &writer->row_group.options, &body, error));
    else
        LAM_TRY_OUT(lam_footer_build_encode_last(&writer->footer, &body, error));
    LAM_TRY_OUT(lam_writer_write_record(writer,
                                        is_first ? LAM_RECOVERY_FIRST : LAM_RECOVERY_ROW_GROUP,
                                        lam_buffer_bytes(&body), error));
    writer->has_first_record = true;
out:
    lam_buffer_finish(&body);
    return status;
}

lam_status lam_writer_write_indexes(lam_writer *writer, lam_error *error) {
    uint64_t columns_at, offsets_at;
    LAM_TRY(lam_page_index_write(&writer->row_group.page_index, &writer->output, &writer->offset,
                                 &columns_at, &offsets_at, error));
    return lam_footer_build_resolve(&writer->footer, columns_at, offsets_at, error);
}

/*
 * A walk over the bytes must be able to pass all bytes between records, so page indexes are written
 * early only in files without records.
 */
lam_status lam_writer_add_row_group(lam_writer *writer, const lam_meta_row_group *group,
                                    lam_error *error) {
    LAM_TRY(lam_footer_build_add_row_group(&writer->footer, group, error));
    if (writer->has_records)
        return record_row_group(writer, error);
    if (lam_page_index_byte_count(&writer->row_group.page_index) > writer->index_bytes)
        return lam_writer_write_indexes(writer, error);
    return LAM_STATUS_OK;
}

lam_status lam_writer_write_row_group(lam_writer *writer, lam_error *error) {
    writer->bytes_since_check = 0;
    writer->rows_since_check = 0;
    if (writer->row_group.rows == 0)
        return LAM_STATUS_OK;
    size_t ordinal = writer->footer.row_group_count;
    if (ordinal >= INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "the file has %zu row groups", ordinal);
    lam_meta_row_group group;
    LAM_TRY(lam_row_group_writer_end(&writer->row_group, &writer->output, &writer->offset, ordinal,
                                     &writer->footer.scratch, &group, error));
    return lam_writer_add_row_group(writer, &group, error);
}
