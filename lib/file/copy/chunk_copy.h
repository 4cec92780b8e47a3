/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One column chunk of another file in the row group that a writer is about to describe: its pages,
 * page indexes and Bloom filter as they are, or its pages with another codec.
 */
#ifndef LAM_FILE_COPY_CHUNK_COPY_H
#define LAM_FILE_COPY_CHUNK_COPY_H

#include "base/list.h"
#include "file/copy/inside_records.h"
#include "file/write/chunk_measure.h"
#include "file/write/writer_state.h"

/* A data page in the old file, and in the new one. */
typedef struct lam_moved_page {
    uint64_t from; /* offset of its header */
    uint64_t to;
    uint64_t old_size; /* header included */
    uint64_t size;
} lam_moved_page;

/* A chunk as its own file states it, checked by lam_chunk_copy_find. */
typedef struct lam_chunk_source {
    const lam_field *leaf; /* of the reader's schema */
    const lam_field *own;  /* that of the writer which it becomes */
    lam_meta_column_chunk old;
    lam_chunk_range range;     /* of its pages, as measured; no bytes for a chunk without values */
    lam_chunk_measure measure; /* of a chunk with values */
    lam_inside_records inside; /* likewise, unless damage is kept */
} lam_chunk_source;

/* What chunks are copied from and to, and memory that is reused from chunk to chunk. */
typedef struct lam_chunk_copy {
    lam_writer *writer;
    const lam_reader *reader;
    size_t row_group;
    uint32_t faults;   /* of the original's writer that the new file does not confess to */
    bool keeps_damage; /* chunks whose headers cannot be read are copied, too, as they are stated */
    lam_arena arena;   /* page indexes as read, under the memory limit of the reader */
    lam_buffer piece;  /* bytes on their way */
    LAM_LIST(lam_moved_page) moved; /* of a chunk whose pages changed their sizes */
} lam_chunk_copy;

/* Writer and reader are borrowed until finish. */
void lam_chunk_copy_init(lam_chunk_copy *copy, lam_writer *writer, const lam_reader *reader);
void lam_chunk_copy_finish(lam_chunk_copy *copy);

/*
 * Finds a chunk of the current row group, which becomes that of the leaf `own`, and walks over its
 * page headers; its structs are in `arena`. UNSUPPORTED or CORRUPT, with the location, when it is
 * encrypted, in another file, not where its footer says, has pages whose headers cannot be read or
 * that do not hold its values, or has a fault that readers correct by the name of the file's
 * writer, or V2 pages that begin inside records.
 */
lam_status lam_chunk_copy_find(lam_chunk_copy *copy, size_t leaf_index, const lam_field *own,
                               lam_arena *arena, lam_chunk_source *ret_source, lam_error *error);

/*
 * Appends the pages of a chunk, as they are unless their headers would become false, adds its page
 * indexes to those of the writer, and describes it in `column` and `chunk`, with memory of `arena`.
 * A failure leaves an output that cannot go on.
 */
lam_status lam_chunk_copy_pages(lam_chunk_copy *copy, const lam_chunk_source *source,
                                lam_arena *arena, lam_meta_column *column,
                                lam_meta_column_chunk *chunk, lam_error *error);
/*
 * The same with the codec of the writer: pages are uncompressed and compressed, without decoding
 * their values. UNSUPPORTED for a codec that this build does not read, CORRUPT for pages that do
 * not uncompress to the stated size.
 */
lam_status lam_chunk_copy_recompress(lam_chunk_copy *copy, const lam_chunk_source *source,
                                     lam_arena *arena, lam_meta_column *column,
                                     lam_meta_column_chunk *chunk, lam_error *error);
/*
 * The same with the bodies of the pages as they are, under headers that state no more than stays
 * true.
 */
lam_status lam_chunk_copy_restate(lam_chunk_copy *copy, const lam_chunk_source *source,
                                  lam_arena *arena, lam_meta_column *column,
                                  lam_meta_column_chunk *chunk, lam_error *error);
/* Appends the Bloom filter of a chunk, header and bitset, if it has one whose length is known. */
lam_status lam_chunk_copy_bloom(lam_chunk_copy *copy, const lam_chunk_source *source,
                                lam_meta_column *column, lam_error *error);

/* --- For the sources that copy ------------------------------------------------------------- */

/*
 * Statistics of a chunk that may not be stated any more: bits of lam_meta_statistics.has. Such
 * counts and bounds would become false.
 */
uint32_t lam_chunk_copy_untrue_statistics(const lam_chunk_copy *copy,
                                          const lam_chunk_source *source);
/* Appends a range of the reader's input, which is inside it. */
lam_status lam_chunk_copy_range(lam_chunk_copy *copy, uint64_t offset, uint64_t size,
                                lam_error *error);
/*
 * Starts the description of a chunk that begins at the writer's offset: everything but offsets and
 * sizes.
 */
lam_status lam_chunk_copy_describe(lam_chunk_copy *copy, const lam_chunk_source *source,
                                   lam_arena *arena, lam_meta_column *column, lam_error *error);
/*
 * Adds the page indexes of a chunk, if it has them, they fit it, and its pages begin with records.
 * Pages moved by `shift`, or, if that is NULL, as `moved` has it.
 */
lam_status lam_chunk_copy_indexes(lam_chunk_copy *copy, const lam_chunk_source *source,
                                  const int64_t *shift, lam_meta_column_chunk *chunk,
                                  lam_error *error);

#endif
