/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a file from its first page to the end, or to the first bytes that are no item, and collects
 * what recovery records and footers describe on the way.
 *
 *     "PAR1"  pages  filters  record  pages  filters  record  record  footer  pages ...
 *             <-- row group -------->  <-- row group ------>  <- checkpoint ->
 */
#ifndef LAM_DAMAGE_UNFINISHED_RECOVERY_WALK_H
#define LAM_DAMAGE_UNFINISHED_RECOVERY_WALK_H

#include <lamella/recover.h>

#include "base/list.h"
#include "damage/unfinished/file_item.h"
#include "damage/unfinished/item_repair.h"
#include "damage/unfinished/page_tiles.h"
#include "damage/unfinished/walk_evidence.h"
#include "meta/metadata.h"

/* How to walk. */
typedef struct lam_recovery_walk_options {
    const lam_allocator *allocator;
    uint64_t memory_limit;   /* of the metadata that are kept, and of one record or footer */
    uint64_t verify_from;    /* compare the checksums of pages from this offset on */
    uint64_t durable_bytes;  /* of the start of the file, which were durable before any record */
    const lam_stop *stop;    /* or NULL */
    lam_item_repair *repair; /* of the input, to turn over bits of page headers; or NULL */
} lam_recovery_walk_options;

/* A row group that a record or a footer describes. */
typedef struct lam_walked_group {
    uint64_t end;   /* offset after the record, or the footer */
    uint64_t bytes; /* of its pages, as far as a lost one can count */
    bool is_sound;  /* its chunks are the pages that are there, whose checksums are right */
} lam_walked_group;

typedef struct lam_recovery_walk {
    lam_recovery_walk_options options;
    lam_file_items items;
    lam_walk_evidence evidence; /* against the items that the walk arrives at */
    lam_arena arena;            /* the records of row groups, and their decoded metadata */
    lam_arena footers[2];       /* the newest footer, and room to read the next */
    unsigned newest;            /* of the two */
    lam_meta_file meta;         /* schema and texts: of FIRST, or of the newest footer */
    lam_meta_file footer;       /* the newest one that is valid, if has_footer */
    bool has_meta;              /* the contents of the pages are stated */
    bool has_first;             /* and that was the record FIRST */
    bool has_footer;            /* a footer was passed that describes what precedes it */
    bool has_records;           /* a record was passed: the writer is a log */
    bool is_ended;              /* the last record was END */
    bool ended_in_item;         /* the file ends inside the item at stopped_at */
    bool ended_in_wrong_size;   /* a page that its checksum shows to end elsewhere ended the walk */
    bool ended_in_metadata;     /* the last item, or an index before, is not of a row group */
    bool lacks_crc;             /* some pages have no checksum, and count as sound */
    size_t leaf_count;          /* of the schema */
    size_t cut_chunks;          /* of the last row group, if that is cut: those that are present */
    LAM_LIST(lam_meta_row_group) row_groups;
    LAM_LIST(lam_walked_group) groups; /* one for each */
    LAM_LIST(lam_walked_page) pages;   /* that no row group has */
    LAM_LIST(lam_walked_bloom) blooms; /* likewise */
    bool passed_index;                 /* a page index was passed, and no page since */
    bool begins_new;                   /* the last item was no page */
    uint64_t stopped_at;               /* offset of the item that ended the walk */
    uint64_t end_offset;               /* offset of the last record */
    uint64_t last_footer;              /* offset of the last valid footer; 0 before the first */
    bool knows_footer;                 /* that one is not only valid: it cannot be torn */
    uint64_t synced;        /* the most bytes that a record states to have been durable */
    uint64_t next_sequence; /* of the records */
    uint64_t claimed_bytes; /* of the magic, records, footers, indexes and Bloom filters */
    uint8_t file_id[LAM_RECOVERY_ID_SIZE];
} lam_recovery_walk;

/* The input, which must begin with the magic, is borrowed until finish. Cannot fail. */
void lam_recovery_walk_init(lam_recovery_walk *walk, const lam_input *input,
                            const lam_recovery_walk_options *options);
void lam_recovery_walk_finish(lam_recovery_walk *walk);

/*
 * Walks as far as it goes: damage ends the walk and is no failure. CANCELLED, IO, NOMEM; LIMIT when
 * the metadata need more than the memory limit.
 */
lam_status lam_recovery_walk_run(lam_recovery_walk *walk, lam_error *error);

/*
 * Decides which row groups are kept: all up to the first damaged one that was not known to be
 * durable. Gives the metadata of a file that has them, in memory of the walk, and the counts.
 * Allowed after a run that has_meta. NOMEM, LIMIT.
 */
lam_status lam_recovery_walk_decide(lam_recovery_walk *walk, lam_meta_file *ret_meta,
                                    lam_recovery *ret_recovery, lam_error *error);

/*
 * True when a footer at `offset` begins an item, or the walk cannot know: not when it is inside a
 * page, a record or another item.
 */
bool lam_recovery_walk_allows_footer(const lam_recovery_walk *walk, uint64_t offset);

#endif
