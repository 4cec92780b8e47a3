/* The reader of a column chunk, as the files of this folder share it: what is open, and how far. */
#ifndef LAM_CHUNK_CHUNK_READER_H
#define LAM_CHUNK_CHUNK_READER_H

#include "chunk/chunk.h"
#include "chunk/ghost_levels.h"
#include "encoding/decoder.h"
#include "page/page.h"

struct lam_chunk_reader {
    lam_allocator allocator;
    lam_chunk_source source;
    lam_value_layout layout;
    lam_codec_context *own_codecs; /* NULL where the source brings one */
    lam_page_walk walk;
    lam_page_reader page_reader;

    lam_buffer dictionary_bytes;
    void *dictionary_values;
    size_t dictionary_values_size;
    lam_dictionary dictionary;
    bool has_dictionary;

    const lam_meta_page_location *locations; /* of the offset index; NULL when it is not used */
    size_t page_count;
    size_t next_location; /* in `locations`, at or behind the next page */
    bool must_begin;      /* the next page was found by the index, so a record begins with it */

    lam_cached_chunk *cache_out;     /* or NULL */
    lam_cached_chunk *cache_in;      /* or NULL */
    lam_page_rows_location location; /* of the page whose bytes the page reader holds */
    uint64_t dictionary_offset;      /* of the dictionary page's header */

    bool has_page;
    uint64_t page_offset;    /* of the open page's header */
    uint64_t page_bytes;     /* of all data pages opened so far, uncompressed */
    lam_ghost_levels ghosts; /* where the source has some */
    lam_page page;
    lam_decoder decoder;
    bool decoding;         /* `decoder` has started on the page */
    uint32_t page_triples; /* already read of the open page */
    uint32_t page_rows;
    size_t batch_values; /* values of what was read last that nobody has asked for yet */
    size_t
        deferred_values; /* values of the open page that were skipped and are still to be decoded */
    lam_arena arena;     /* values that the decoder builds for the open page */

    bool failed;
    uint64_t triples; /* read of the chunk */
    uint64_t rows;
    size_t batch_triples;
    uint8_t *repetition; /* room for that many each */
    uint8_t *definition;
    void *values; /* NULL until the first page with values */
};

/*
 * Goes to the next page with triples; there must be one. Data pages whose rows are all among the
 * next `*pass_rows` are stepped over unread when it is known how many they are; `*pass_rows` counts
 * down, and when no triple is left to read, no page is open.
 */
lam_status lam_chunk_next_page(lam_chunk_reader *reader, uint64_t *pass_rows, lam_error *error);

/*
 * After the last triple of a page: true when the next one begins with a record, as it does where
 * the offset index knows the page. It is held to that.
 */
bool lam_chunk_page_ends_record(lam_chunk_reader *reader);

/* What is known of a page before it is opened; -1 when it is not. */
typedef struct lam_page_row_count {
    int64_t triples;
    int64_t rows; /* records that begin in it */
} lam_page_row_count;

/*
 * Counts what the page that was stepped over last has. `stated` are the rows that the offset index
 * gives it, or -1; `passes` says that rows will be passed over, so that it is worth the levels of
 * the page to know how many it has. The bytes of the header's strings are gone then.
 */
lam_status lam_chunk_count_rows(lam_chunk_reader *reader, const lam_meta_page_header *header,
                                int64_t stated, bool passes, lam_page_row_count *ret_count,
                                lam_error *error);

/* The open page must have held the rows that the offset index gives it. */
lam_status lam_chunk_leave_page(lam_chunk_reader *reader, lam_error *error);

/* The chunk must not have more rows than its row group, or other ones at its end. */
lam_status lam_chunk_check_rows(const lam_chunk_reader *reader, lam_error *error);

/* Behind the last triple no page may have more; what is no page at all is nobody's business. */
lam_status lam_chunk_check_rest(lam_chunk_reader *reader, lam_error *error);

/* The array that lends values, and decodes those that are skipped; made when first needed. */
lam_status lam_chunk_need_values(lam_chunk_reader *reader, lam_error *error);

static inline bool lam_chunk_page_is_read(const lam_chunk_reader *reader) {
    return !reader->has_page || reader->page_triples == reader->page.value_count;
}

#endif
