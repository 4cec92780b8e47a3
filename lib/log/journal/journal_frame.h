/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a journal: a file beside the files of a log, with the rows that are in none of their
 * row groups yet. It is no part of Parquet.
 *
 *     journal   head, frame*
 *
 *     bytes  7          1        16      4
 *     head   "LAMJRNL"  version  log id  crc
 *
 *     bytes  4    4     8         1     size
 *     frame  crc  size  sequence  kind  body
 *
 *     SCHEMA  u32 number; FileMetaData without row groups, to the end of the body
 *     FILE    u32 number, u32 number of its schema, 16 bytes file id; its path, to the end
 *     ROWS    u32 number of the file, u32 records (at least 1), u64 index of the first row in the
 *             file, u64 index of the first record in the log; a column for each leaf:
 *
 *             u8 flags, u32 triples, u32 values; repetition levels, definition levels: a byte for
 *             each triple; values
 *
 *     END     u32 number of a file that is final: none of its rows is missing, wherever it is now
 *
 * Numbers are little-endian. Flag 1: the column has repetition levels, else all are 0. Flag 2: it
 * has definition levels, else all are the maximum. Values are PLAIN, but a BOOLEAN is a byte of 0
 * or 1. A path is relative to the folder of the journal, with '/' between its names, none of which
 * is "." or "..".
 *
 * `crc` is the CRC-32 of what precedes it in the head. In a frame it is that of the log id and all
 * bytes that follow it. So a frame belongs to one journal. Sequences are consecutive in the entire
 * life of the file, and continue when it is cut back to the head: frames that are already in a file
 * of the log may follow new ones after a power cut, and are refused by their sequence. A number is
 * given to a schema or file once, and the others refer to numbers of frames before them. Nothing
 * follows the END of a file.
 *
 *     4C 41 4D 4A 52 4E 4C 01  00 01 .. 0F  crc        the head
 *     crc  22 00 00 00  07 00 00 00 00 00 00 00  03    the 8th frame: ROWS, 34 bytes
 *     00 00 00 00  01 00 00 00                         of file 0: one record,
 *     02 00 00 00 00 00 00 00                          which is its third row
 *     05 00 00 00 00 00 00 00                          and the sixth of the log
 *     02  01 00 00 00  00 00 00 00  00                 column: no value, definition level 0
 */
#ifndef LAM_LOG_JOURNAL_JOURNAL_FRAME_H
#define LAM_LOG_JOURNAL_JOURNAL_FRAME_H

#include <lamella/record.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "kernel/kernel.h"
#include "meta/metadata.h"

enum {
    LAM_JOURNAL_HEAD_SIZE = 28,
    LAM_JOURNAL_HEADER_SIZE = 17, /* of a frame */
    LAM_JOURNAL_ID_SIZE = 16,
    LAM_JOURNAL_BODY_MAX = 1 << 30 /* bytes of a body */
};

typedef enum lam_journal_kind {
    LAM_JOURNAL_SCHEMA = 1,
    LAM_JOURNAL_FILE = 2,
    LAM_JOURNAL_ROWS = 3,
    LAM_JOURNAL_END = 4
} lam_journal_kind;

/* The header of a frame. */
typedef struct lam_journal_header {
    uint32_t crc;
    uint32_t size; /* of the body */
    uint64_t sequence;
    uint8_t kind; /* lam_journal_kind, or any other number */
} lam_journal_header;

/* A body of kind FILE. */
typedef struct lam_journal_file {
    uint32_t number;
    uint32_t schema; /* its number */
    uint8_t id[LAM_JOURNAL_ID_SIZE];
    lam_bytes path; /* borrowed */
} lam_journal_file;

/* A body of kind ROWS, up to the columns. */
typedef struct lam_journal_rows {
    uint32_t file; /* its number */
    uint32_t record_count;
    uint64_t first_row;    /* index in the file */
    uint64_t first_record; /* index in the log */
} lam_journal_rows;

/* The common state of one journal's frames while they are written. */
typedef struct lam_journal_stream {
    uint32_t seed;     /* CRC-32 of the log id */
    uint64_t sequence; /* of the next frame */
} lam_journal_stream;

void lam_journal_head_write(const uint8_t *log_id, uint8_t *head);
/* CORRUPT when it is no head, UNSUPPORTED for another version. */
lam_status lam_journal_head_read(const uint8_t *head, uint8_t *ret_log_id, lam_error *error);

/*
 * True when zeros replace the head, or its end: the file grew before its content came, so that a
 * power cut interrupted its creation. No synced journal has such a head.
 */
bool lam_journal_head_is_torn(const uint8_t *head);

/* CRC-32 of a log id, from which those of the frames go on. */
uint32_t lam_journal_seed(const uint8_t *log_id);

/* --- Writing: each appends a frame, or keeps the size of `out` and the sequence as they are -- */

/*
 * Appends FileMetaData, the body of a SCHEMA after the number: the schema, and the key-values that
 * go with it. NOMEM, INVALID.
 */
lam_status lam_journal_metadata_write(const lam_schema *schema,
                                      const lam_meta_key_value_list *key_values, lam_buffer *out,
                                      lam_error *error);
/* `metadata` is what lam_journal_metadata_write wrote. NOMEM, LIMIT. */
lam_status lam_journal_schema_write(lam_journal_stream *stream, uint32_t number, lam_bytes metadata,
                                    lam_buffer *out, lam_error *error);
/* INVALID for a path that no FILE may have. */
lam_status lam_journal_file_write(lam_journal_stream *stream, const lam_journal_file *file,
                                  lam_buffer *out, lam_error *error);
/*
 * `columns` are `rows->record_count` records of the schema, as lam_triples_check demands, which is
 * not called. LIMIT for a body above LAM_JOURNAL_BODY_MAX.
 */
lam_status lam_journal_rows_write(lam_journal_stream *stream, const lam_schema *schema,
                                  const lam_journal_rows *rows, const lam_triples *columns,
                                  lam_buffer *out, lam_error *error);

lam_status lam_journal_end_write(lam_journal_stream *stream, uint32_t file, lam_buffer *out,
                                 lam_error *error);

/* --- Reading ------------------------------------------------------------------------------- */

/* From LAM_JOURNAL_HEADER_SIZE bytes; it must not be believed yet. */
lam_journal_header lam_journal_header_read(const uint8_t *bytes);
/* True when the checksum of a complete frame is right. */
bool lam_journal_frame_check(uint32_t seed, lam_bytes frame);

/* `ret_metadata` borrows from the body. All are CORRUPT for a body that contradicts itself. */
lam_status lam_journal_schema_read(lam_bytes body, uint32_t *ret_number, lam_bytes *ret_metadata,
                                   lam_error *error);
lam_status lam_journal_file_read(lam_bytes body, lam_journal_file *ret_file, lam_error *error);
/* `ret_columns` borrows the bytes of the columns from the body. */
lam_status lam_journal_rows_read(lam_bytes body, lam_journal_rows *ret_rows, lam_bytes *ret_columns,
                                 lam_error *error);
lam_status lam_journal_end_read(lam_bytes body, uint32_t *ret_file, lam_error *error);
/*
 * Reads the columns of a ROWS: one element of `*ret_columns` for each leaf, in the arena. Levels
 * and the bytes of byte arrays are borrowed from `bytes`; the arena holds at most four times as
 * many bytes, and the elements. Everything that lam_triples_check demands is checked, and that a
 * BOOLEAN is 0 or 1. That levels of different columns agree is not.
 */
lam_status lam_journal_columns_read(const lam_kernels *kernels, const lam_schema *schema,
                                    lam_bytes bytes, size_t record_count, lam_arena *arena,
                                    lam_triples **ret_columns, lam_error *error);

#endif
