/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open file as the library sees it, and the session through which one handle reads it.
 */
#ifndef LAM_FILE_READ_FILE_READER_H
#define LAM_FILE_READ_FILE_READER_H

#include <lamella/reader.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/budget.h"
#include "chunk/read/column_cursor.h"
#include "chunk/read/derived_chunk.h"
#include "file/read/chunk_lists.h"
#include "file/read/footer.h"

/*
 * How a reader shows leaves that its file has in another form, or not at all: as the leaves of a
 * schema of its own, whose chunks are derived from those of the file.
 */
typedef struct lam_reader_view lam_reader_view;
struct lam_reader_view {
    /* Whether chunks of a leaf are derived; those of others are read as any. */
    bool (*derives)(const lam_reader_view *view, size_t leaf_index);
    /* Derives a chunk of such a leaf. `reader` is the handle's own. */
    lam_status (*derive)(const lam_reader_view *view, const lam_reader *reader, size_t row_group,
                         size_t leaf_index, lam_derived_chunk **ret_chunk, lam_error *error);
    void (*destroy)(lam_reader_view *view);
};

/* Who knows which chunks are damaged, and what is read in place of their pages. */
typedef struct lam_reader_holes {
    const void *state;
    /* Derives the rest of a chunk; NULL where it is whole. */
    lam_status (*derive)(const void *state, const lam_column_chunk *chunk,
                         const lam_allocator *allocator, lam_derived_chunk **ret_chunk,
                         lam_error *error);
} lam_reader_holes;

struct lam_reader {
    lam_allocator allocator;
    lam_input input;            /* owned */
    uint64_t file_size;         /* bytes of the file; the input may have others after them */
    const lam_kernels *kernels; /* of every handle that reads the file; NULL: those of this CPU */
    uint64_t memory_limit;      /* of each handle that reads */
    bool verify_crc;
    const lam_stop *stop;      /* or NULL */
    lam_codec_context *codecs; /* of a session that one thread uses; or NULL */
    lam_arena arena;           /* footer and texts */
    lam_footer_view footer;    /* its bytes are owned */
    lam_chunk_lists *lists;    /* owned; what chunk_details.c lends */
    lam_schema *schema;
    uint64_t row_count;
    const char *created_by;
    uint32_t faults; /* that its writer is known to have: lam_fault */
    /* 0, or the last row group is cut: it has this many chunks, and the last of them may
     * continue. */
    size_t cut_chunks;
    bool is_divided;               /* the footer was made of page headers, for a file without one */
    const lam_reader_holes *holes; /* borrowed; NULL: all chunks are read as they are */
    lam_reader_view *view;         /* owned; NULL: the file is shown as it is */
    const char **keys;             /* one per KeyValue, NUL-terminated */
    const char **values;           /* likewise; NULL if the file gives none */
};

/*
 * Opening in two steps, for files whose footer comes from elsewhere: a reader without a footer,
 * whose arena is ready for one; then everything that follows from `reader->footer`, which moves the
 * input into the reader. After a failure of the second the reader can only be closed. `options` are
 * a complete struct.
 */
lam_status lam_reader_create(const lam_input *input, const lam_reader_options *options,
                             lam_reader **ret_reader, lam_error *error);
lam_status lam_reader_take_footer(lam_reader *reader, const lam_reader_options *options,
                                  lam_input *input, lam_error *error);

/*
 * The open file as one handle reads it: allocations through the session's reader draw on the memory
 * limit, and all calls end once the session's stop is requested. Must not move, as the allocator
 * refers to the budget.
 */
typedef struct lam_read_session {
    lam_reader reader; /* a copy, which owns nothing */
    lam_budget budget;
} lam_read_session;

/* `reader` must outlive the session. `stop` is borrowed as long; NULL keeps the reader's own. */
void lam_read_session_init(lam_read_session *session, const lam_reader *reader,
                           const lam_stop *stop);

/* Requested where pages are read: a program that only reads footers links no kernels. */
static inline const lam_kernels *lam_reader_kernels(const lam_reader *reader) {
    return reader->kernels != NULL ? reader->kernels : lam_kernels_get();
}

/* --- What the footer states ----------------------------------------------------------------- */

/* A row group but for its column chunks, which stay encoded. The index must be in range. */
static inline const lam_meta_row_group_view *lam_reader_row_group_view(const lam_reader *reader,
                                                                       size_t row_group) {
    return &reader->footer.meta.row_groups.items[row_group];
}

/* The rows of a row group; opening has checked that they are not negative. */
static inline uint64_t lam_reader_rows_of_group(const lam_reader *reader, size_t row_group) {
    return (uint64_t)lam_reader_row_group_view(reader, row_group)->num_rows;
}

/* An arena for chunks as the functions below decode them, under the reader's memory limit. */
static inline lam_arena lam_reader_chunk_arena(const lam_reader *reader) {
    lam_arena arena;
    lam_arena_init(&arena, &reader->allocator, (size_t)reader->memory_limit);
    return arena;
}

/* Memory of most chunks, for arenas of one call: it saves two allocations. */
typedef struct lam_chunk_room {
    max_align_t bytes[1024 / sizeof(max_align_t)];
} lam_chunk_room;

/* The same with memory on the caller's stack. */
static inline lam_arena lam_reader_chunk_arena_in(const lam_reader *reader, lam_chunk_room *room) {
    lam_arena arena;
    lam_arena_init_in(&arena, &reader->allocator, (size_t)reader->memory_limit, room, sizeof *room);
    return arena;
}

/*
 * Decodes the footer's description of a column chunk into `*ret_chunk` and `arena`; strings are
 * lent by the reader. Each call decodes again: a loop calls it once for each chunk. NOMEM, or LIMIT
 * by the arena's budget; errors name row group and column. The indexes must be in range.
 */
lam_status lam_reader_decode_chunk(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   lam_arena *arena, lam_meta_column_chunk *ret_chunk,
                                   lam_error *error);

/*
 * The same for a chunk that is in this file and not encrypted, so that it has `meta_data`. INVALID
 * if there is no such chunk, UNSUPPORTED if it is in another file or encrypted, CORRUPT if the
 * footer leaves it out or has another column's in its position.
 */
lam_status lam_reader_find_column(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_arena *arena, lam_meta_column_chunk *ret_chunk,
                                  lam_error *error);

/* What a cursor needs to know about a chunk from lam_reader_find_column. */
lam_column_chunk lam_reader_chunk_of(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                     const lam_meta_column *column);
/* Whether chunks of a leaf are derived by the reader's view, and have no pages. */
bool lam_reader_derives(const lam_reader *reader, size_t leaf_index);
/* Opens a column chunk; errors name row group and column. */
lam_status lam_reader_open_cursor(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_column_cursor **ret_cursor, lam_error *error);

#endif
