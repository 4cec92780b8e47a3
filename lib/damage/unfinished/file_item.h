/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of a file, one after the other, for walks that have no footer to rely on. Each item
 * states its own size, so searching is never needed:
 *
 *     first bytes         item
 *     "PLAM"              a recovery record
 *     15 vv 15            a page: PageHeader, then a body of compressed_page_size bytes
 *     15 vv 1C            a Bloom filter: BloomFilterHeader, then num_bytes bytes
 *     15 vv 19 xC         FileMetaData, its size, "PAR1"
 *     15 vv 19 x5         ColumnMetaData, a copy after the pages of its chunk
 *     26 vv 1C            ColumnChunk, likewise
 *     19 x1, x2 or xC     ColumnIndex, OffsetIndex
 *
 * (parquet.thrift: the first two fields of these structs, all required; ColumnChunk.file_offset,
 * deprecated, says where such copies are)
 */
#ifndef LAM_DAMAGE_UNFINISHED_FILE_ITEM_H
#define LAM_DAMAGE_UNFINISHED_FILE_ITEM_H

#include "base/arena.h"
#include "file/write/recovery_record.h"
#include "io/window.h"
#include "meta/metadata.h"

/* Bytes that decide the kind of an item: a field head, a number of up to 10, a field head. */
enum { LAM_FILE_ITEM_PEEK = 12 };

typedef enum lam_file_item_kind {
    LAM_FILE_ITEM_END,     /* of the file */
    LAM_FILE_ITEM_TORN,    /* an item begins here, and the file ends inside it */
    LAM_FILE_ITEM_UNKNOWN, /* none of the items below begins here */
    LAM_FILE_ITEM_PAGE,
    LAM_FILE_ITEM_BLOOM,
    LAM_FILE_ITEM_INDEX,
    LAM_FILE_ITEM_COLUMN, /* a copy of the footer's statements about the chunk before it */
    LAM_FILE_ITEM_FOOTER,
    LAM_FILE_ITEM_RECORD
} lam_file_item_kind;

/* A page, as its header states it. Numbers that its type does not have are -1. */
typedef struct lam_walked_page {
    uint64_t offset;      /* of its header */
    uint32_t header_size; /* bytes */
    uint32_t crc;
    int32_t compressed_size; /* bytes of the body */
    int32_t uncompressed_size;
    int32_t type;     /* lam_page_type */
    int32_t encoding; /* of the values */
    int32_t value_count;
    int32_t null_count; /* V2, as the next three */
    int32_t row_count;
    int32_t definition_bytes;
    int32_t repetition_bytes;
    bool is_compressed; /* false: the values of a V2 page are not */
    bool has_crc;
    bool is_sound;   /* its checksum was not found wrong */
    bool is_wrong;   /* its body does not match its checksum, whether or not that counts */
    bool begins_new; /* an item other than a page precedes it */
} lam_walked_page;

/* The offset after a page. */
static inline uint64_t lam_walked_page_end(const lam_walked_page *page) {
    return page->offset + page->header_size + (uint64_t)page->compressed_size;
}

/*
 * Copies the statements of the header of a data page V1 or V2 or of a dictionary page, without its
 * offset and size; false when it states too little, or the impossible.
 */
bool lam_walked_page_fill(const lam_meta_page_header *header, lam_walked_page *page);

typedef struct lam_file_item {
    lam_file_item_kind kind;
    lam_file_item_kind begun; /* the kind by the first bytes alone */
    uint64_t offset;
    uint64_t size;              /* all of its bytes; for a TORN one, those that the file has */
    uint64_t header_size;       /* of a PAGE or BLOOM, the bytes before its body; else as `size` */
    lam_walked_page page;       /* of a PAGE */
    lam_recovery_header header; /* of a RECORD, whose checksum is right */
    lam_bytes body;             /* of a RECORD, borrowed until the next call */
} lam_file_item;

/* A position that moves from item to item. */
typedef struct lam_file_items {
    lam_window window;
    lam_arena arena; /* the structs of one header */
    uint64_t next;   /* offset of the next item */
    uint64_t limit;  /* bytes that a record, an index or a footer may have */
} lam_file_items;

/* Starts after the magic at the start of the file. `read_ahead` as in lam_window. */
void lam_file_items_init(lam_file_items *items, const lam_input *input, size_t read_ahead,
                         uint64_t limit, const lam_allocator *allocator);
void lam_file_items_finish(lam_file_items *items);

/*
 * Gives the item at `next` and moves past it, but stays at END, TORN and UNKNOWN. LIMIT for
 * metadata above the limit, IO, NOMEM.
 */
lam_status lam_file_items_next(lam_file_items *items, lam_file_item *ret_item, lam_error *error);

/* Compares the checksum of a page that has one; the body is read in small pieces. */
lam_status lam_file_items_check_page(lam_file_items *items, const lam_walked_page *page,
                                     bool *ret_is_sound, lam_error *error);

#endif
