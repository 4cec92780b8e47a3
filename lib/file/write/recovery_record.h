/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that a log's files carry after each row group and before each footer, in bytes that
 * belong to no column chunk: a truncated file is rebuilt from them.
 *
 *     bytes  4      1     1        2      4     8         8       16       `size`  4
 *           "PLAM"  kind  version  0 0    size  sequence  synced  file id  body    crc
 *
 * Numbers are little-endian. `size` counts the body; `crc` is the CRC-32 of all bytes before it, as
 * pages have it. A walk that expects a page header never mistakes a record for one: 'P' (0x50)
 * would be a field of type 0, and a Thrift struct has none.
 *
 * `sequence` counts the records of a file from 0. `synced` is how many bytes of the file were
 * durable when the record was made, so that damage below it is no cut but a fault of the medium.
 * The file id is random, and the same in all records of a file: blocks of an older file that
 * reappear after a power cut belong to another.
 *
 *     FIRST      body: FileMetaData with the schema and all row groups so far; after the first row
 *                group that this writer wrote
 *     ROW_GROUP  body: RowGroup; after each later one
 *     FOOTER     body: u32, bytes of the footer that follows at once, with its size and magic; u32,
 *                the CRC-32 of its FileMetaData, which has no other checksum
 *     END        no body: page indexes and the last footer follow
 *
 * The metadata refer to no page index. (parquet.thrift, FileMetaData, RowGroup; README.md of the
 * format, "Error recovery")
 */
#ifndef LAM_FILE_WRITE_RECOVERY_RECORD_H
#define LAM_FILE_WRITE_RECOVERY_RECORD_H

#include "base/buffer.h"

#define LAM_RECOVERY_MAGIC "PLAM"

enum {
    LAM_RECOVERY_HEADER_SIZE = 44, /* bytes before the body */
    LAM_RECOVERY_CRC_SIZE = 4,     /* after it */
    LAM_RECOVERY_ID_SIZE = 16
};

typedef enum lam_recovery_kind {
    LAM_RECOVERY_FIRST = 1,
    LAM_RECOVERY_ROW_GROUP = 2,
    LAM_RECOVERY_FOOTER = 3,
    LAM_RECOVERY_END = 4
} lam_recovery_kind;

/* The header of a record. */
typedef struct lam_recovery_header {
    lam_recovery_kind kind;
    uint32_t size; /* of the body, in bytes */
    uint64_t sequence;
    uint64_t synced;
    uint8_t file_id[LAM_RECOVERY_ID_SIZE];
} lam_recovery_header;

/*
 * Appends a record; `header->size` is ignored, as the body says it. LIMIT for a body above 2 GiB.
 * `out` keeps its size on failure.
 */
lam_status lam_recovery_record_write(const lam_recovery_header *header, lam_bytes body,
                                     lam_buffer *out, lam_error *error);

/*
 * Reads a header from LAM_RECOVERY_HEADER_SIZE bytes. False when they are no header of this
 * version. The checksum, which lam_recovery_record_check compares once the complete record is in
 * memory, does not belong to it.
 */
bool lam_recovery_header_read(const uint8_t *bytes, lam_recovery_header *ret_header);

/* True when the checksum of a complete record, header to crc, is right. */
bool lam_recovery_record_check(lam_bytes record);

#endif
