/* SPDX-License-Identifier: Apache-2.0 */
/* Delimited text as a window of UTF-8 bytes that moves on through a source. */
#ifndef LAM_CSV_CSV_TEXT_H
#define LAM_CSV_CSV_TEXT_H

#include <lamella/csv.h>

#include "base/buffer.h"
#include "text/utf16.h"

/* Bytes after the window that may be read, and are 0. */
enum { LAM_CSV_PADDING = 64 };

/* Bytes `next` to `size` of the buffer are the window. */
typedef struct lam_csv_text {
    lam_csv_source source;
    lam_buffer bytes;
    size_t next;
    size_t window_bytes;
    size_t max_bytes;
    lam_text_encoding encoding;
    uint8_t rest[4]; /* bytes of UTF-16 that are not a complete character yet */
    size_t rest_size;
    bool is_at_end;
    bool is_live;   /* one read is enough, whatever it gives */
    bool is_sample; /* bytes may be cut inside a character */
} lam_csv_text;

void lam_csv_text_init(lam_csv_text *text, const lam_csv_source *source, size_t max_bytes,
                       const lam_allocator *allocator);
void lam_csv_text_finish(lam_csv_text *text);

/*
 * Drops what is before `next` and reads more, unless the source is at its end, which sets
 * `is_at_end`. LIMIT when the window would pass `max_bytes`; INVALID for bytes that are not UTF-16
 * although the byte order mark says so.
 */
lam_status lam_csv_text_fill(lam_csv_text *text, lam_error *error);

#endif
