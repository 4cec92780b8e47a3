/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads the records between row groups from which a truncated file is rebuilt: a header
 * and a body become bytes, and bytes a header and a body. The bytes are drawn in recovery_record.h.
 *
 * A record is never believed before its checksum was compared; until then, its header only says how
 * many bytes to fetch for that.
 */
#include "file/write/recovery_record.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"

enum { RECOVERY_VERSION = 1 };

lam_status lam_recovery_record_write(const lam_recovery_header *header, lam_bytes body,
                                     lam_buffer *out, lam_error *error) {
    uint8_t bytes[LAM_RECOVERY_HEADER_SIZE] = LAM_RECOVERY_MAGIC;
    if (body.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "the metadata of the file have %zu bytes",
                 body.size);
    bytes[4] = (uint8_t)header->kind;
    bytes[5] = RECOVERY_VERSION;
    lam_store_le32(bytes + 8, (uint32_t)body.size);
    lam_store_le64(bytes + 12, header->sequence);
    lam_store_le64(bytes + 20, header->synced);
    memcpy(bytes + 28, header->file_id, LAM_RECOVERY_ID_SIZE);
    uint32_t crc = lam_crc32(lam_crc32(0, bytes, sizeof bytes), body.data, body.size);
    LAM_TRY(lam_buffer_reserve(out, sizeof bytes + body.size + LAM_RECOVERY_CRC_SIZE, error));
    uint8_t *at = out->data + out->size;
    memcpy(at, bytes, sizeof bytes);
    if (body.size > 0)
        memcpy(at + sizeof bytes, body.data, body.size);
    lam_store_le32(at + sizeof bytes + body.size, crc);
    out->size += sizeof bytes + body.size + LAM_RECOVERY_CRC_SIZE;
    return LAM_STATUS_OK;
}

bool lam_recovery_header_read(const uint8_t *bytes, lam_recovery_header *ret_header) {
    if (memcmp(bytes, LAM_RECOVERY_MAGIC, 4) != 0 || bytes[4] < LAM_RECOVERY_FIRST ||
        bytes[4] > LAM_RECOVERY_END || bytes[5] != RECOVERY_VERSION || bytes[6] != 0 ||
        bytes[7] != 0)
        return false;
    ret_header->kind = (lam_recovery_kind)bytes[4];
    ret_header->size = lam_load_le32(bytes + 8);
    ret_header->sequence = lam_load_le64(bytes + 12);
    ret_header->synced = lam_load_le64(bytes + 20);
    memcpy(ret_header->file_id, bytes + 28, LAM_RECOVERY_ID_SIZE);
    return ret_header->size <= INT32_MAX;
}

bool lam_recovery_record_check(lam_bytes record) {
    size_t size = record.size - LAM_RECOVERY_CRC_SIZE;
    return lam_crc32(0, record.data, size) == lam_load_le32(record.data + size);
}
