/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes one data page batch by batch: the levels of a batch first, then its values. It knows the
 * page and its leaf, and neither the chunk nor the rows before.
 *
 *   lam_page -> repetition runs -> |        -> |
 *               definition runs -> | levels -> | batch
 *               values          ----------> values, indexes, or none
 *
 * A batch never crosses a page, and never ends a record too late: with a bound of n rows it ends
 * before record n + 1. (README.md of the format, "Nested Encoding")
 */
#ifndef LAM_CHUNK_READ_PAGE_DECODER_H
#define LAM_CHUNK_READ_PAGE_DECODER_H

#include "encoding/decoder.h"
#include "page/page.h"
#include "schema/tree.h"

/* Some triples of one page. Its levels are read first, then all of its values. */
typedef struct lam_batch {
    size_t count;        /* triples */
    size_t value_count;  /* values, count minus the nulls */
    size_t row_count;    /* records that begin in the batch */
    bool has_repetition; /* levels were decoded; else all are 0 */
    bool has_definition; /* levels were decoded; else all are the leaf's maximum */
    bool is_dictionary;  /* the values are indexes into the chunk's dictionary */
} lam_batch;

/* The bounds of a batch, and the run of equal levels that is worth a batch of its own. */
typedef struct lam_batch_bounds {
    size_t triples;
    uint64_t rows; /* records that may begin in it; 0: the rest of the open record */
    size_t long_run;
    bool is_lent; /* values, too, which a cursor bounds by what they lead to */
} lam_batch_bounds;

/* Arrays for one batch: where triples are lent from, and where skipped values go. */
typedef struct lam_batch_room {
    lam_allocator allocator;
    size_t triples;
    size_t element; /* bytes of one value */
    uint8_t *repetition;
    uint8_t *definition;
    void *values; /* NULL until needed */
} lam_batch_room;

/* Allocates the arrays of levels. NOMEM; finish is allowed after a failure. */
lam_status lam_batch_room_init(lam_batch_room *room, size_t triples, size_t element,
                               const lam_allocator *allocator, lam_error *error);
void lam_batch_room_finish(lam_batch_room *room);
/* Allocates the array of values if there is none yet. */
lam_status lam_batch_room_need_values(lam_batch_room *room, lam_error *error);

typedef struct lam_page_decoder {
    const lam_kernels *kernels;
    const lam_field *leaf;
    lam_value_layout layout;
    lam_batch_room *room; /* borrowed: for skipped values */
    lam_arena arena;      /* values that are built for the open page */

    bool is_open;
    lam_page page;
    const lam_dictionary *dictionary; /* NULL if the chunk has none */
    lam_decoder decoder;
    bool decodes;           /* `decoder` has started on the page */
    uint32_t triples;       /* levels read of the page */
    uint32_t rows;          /* records that began */
    size_t batch_values;    /* values of the last batch that are not read yet */
    size_t deferred_values; /* skipped values that are not decoded yet */

    bool has_sequels;  /* byte arrays go on from page to page: see lam_decoder_go_on */
    lam_buffer before; /* of such pages: the last value of the page before the open one */
} lam_page_decoder;

/* `arena_limit` bounds the bytes of values that are built. Leaf and room are borrowed. */
void lam_page_decoder_init(lam_page_decoder *decoder, const lam_kernels *kernels,
                           const lam_field *leaf, lam_batch_room *room, size_t arena_limit,
                           const lam_allocator *allocator);
void lam_page_decoder_finish(lam_page_decoder *decoder);

/* Opens a page instead of the one before; its bytes and the dictionary are borrowed. */
void lam_page_decoder_open(lam_page_decoder *decoder, const lam_page *page,
                           const lam_dictionary *dictionary);

/*
 * Keeps the last value of the open page, all of which was read or skipped, if pages continue from
 * page to page. To be called while its bytes exist. CORRUPT; NOMEM.
 */
lam_status lam_page_decoder_keep_last(lam_page_decoder *decoder, lam_error *error);

/* True if no page is open, or all levels of the open one were read. */
static inline bool lam_page_decoder_is_read(const lam_page_decoder *decoder) {
    return !decoder->is_open || decoder->triples == decoder->page.value_count;
}

/*
 * Reads the levels of the next batch of the open page; each array has room for `bounds->triples`
 * bytes, or may be NULL if the leaf's maximum is 0. A count of 0: the next triple begins a record,
 * and the bounds allow none. CORRUPT.
 */
lam_status lam_page_decoder_read_levels(lam_page_decoder *decoder, const lam_batch_bounds *bounds,
                                        uint8_t *repetition, uint8_t *definition,
                                        lam_batch *ret_batch, lam_error *error);
/*
 * The target of values: elements, or indexes, or the entries that the caller made of a dictionary.
 */
typedef struct lam_value_target {
    void *values;
    uint32_t *indexes;   /* instead of values */
    const void *entries; /* their elements instead of the dictionary's */
    size_t entry_size;
    const lam_value_picks *picks; /* only these; NULL: all */
} lam_value_target;

/* Reads the next `count` values of the batch, or the picked ones among them. */
lam_status lam_page_decoder_read(lam_page_decoder *decoder, size_t count,
                                 const lam_value_target *to, lam_error *error);
/* Skips the next `count` values; they are decoded only if a later value of the page needs it. */
void lam_page_decoder_skip(lam_page_decoder *decoder, size_t count);
/*
 * After the last value: reports bytes that follow it and show that values are wrong, as far as all
 * values were decoded.
 */
lam_status lam_page_decoder_end(const lam_page_decoder *decoder, lam_error *error);

/*
 * After the last level: whether bytes are left over. Some writers leave some, and of a lower
 * maximum than the levels were written for, packed runs take fewer bytes.
 */
static inline bool lam_page_decoder_levels_have_rest(const lam_page_decoder *decoder) {
    const lam_page *page = &decoder->page;
    return page->repetition.next != page->repetition.end ||
           page->definition.next != page->definition.end;
}

/*
 * After the last value, with all of them decoded: whether bytes or values are left over. No
 * encoding permits them, and in a page of nulls they are values that the levels deny. A page that
 * cannot be decoded at all has no rest. NOMEM.
 */
lam_status lam_page_decoder_find_rest(lam_page_decoder *decoder, bool *ret_has_rest,
                                      lam_error *error);

/*
 * Gives the end of the memory that holds the byte arrays of the last read; NULL if there is no
 * common end. A copy by full registers may read past the end of a value up to there.
 */
const uint8_t *lam_page_decoder_text_end(const lam_page_decoder *decoder,
                                         lam_bytes dictionary_bytes);

#endif
