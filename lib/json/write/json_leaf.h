/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of one leaf in a row group, as JSON text. An entry of a dictionary becomes text when a
 * value refers to it first, and is copied from then on.
 */
#ifndef LAM_JSON_WRITE_JSON_LEAF_H
#define LAM_JSON_WRITE_JSON_LEAF_H

#include "base/buffer.h"
#include "dremel/assembly.h"
#include "scan/evaluate/leaf_rows.h"
#include "json/write/json_levels.h"

/* The text of a dictionary's entry; a size of 0 means that it is not made. */
typedef struct lam_json_entry {
    uint32_t start;
    uint32_t size;
} lam_json_entry;

/* Values whose entries are looked up together, so that they need not wait for memory. */
enum { LAM_JSON_ENTRY_BLOCK = 128 };

typedef struct lam_json_leaf {
    const lam_json_node *node;
    const lam_json_levels *levels;
    bool has_list;       /* the leaf alone is in its innermost list */
    bool is_indexes;     /* the values of the batch are indexes into the dictionary */
    bool is_kept;        /* `entries` hold the dictionary, as far as it has been printed */
    uint16_t block_next; /* the next value in `block` */
    uint16_t block_size;
    const lam_dictionary *dictionary;
    lam_json_entry *entries; /* by index; NULL if texts are not kept */
    size_t entry_count;
    lam_buffer texts;    /* of the entries, with LAM_JSON_LEVEL_PADDING bytes after them */
    lam_bytes lead;      /* the beginning of each: the same before every value, or empty */
    size_t values_left;  /* of the batch, those in `block` not counted */
    size_t memory;       /* most bytes of entries and their texts */
    lam_leaf_rows *rows; /* borrowed, as the cursor in it */
    lam_allocator allocator;
    lam_json_entry block[LAM_JSON_ENTRY_BLOCK]; /* entries of the values that come next */
} lam_json_leaf;

/*
 * `memory` bounds what is kept from the dictionary. A caller that prints the same lead before every
 * value sets `lead`, and gets it with the texts of entries. Allocates nothing.
 */
void lam_json_leaf_init(lam_json_leaf *leaf, const lam_json_node *node,
                        const lam_json_levels *levels, lam_leaf_rows *rows, size_t memory,
                        const lam_allocator *allocator);
void lam_json_leaf_finish(lam_json_leaf *leaf);

/* The `read` of a lam_triple_source, whose values may be indexes. */
lam_status lam_json_leaf_read(void *state, lam_triples *ret_triples, lam_error *error);

/* Looks up the entries of the values that come next, at least one. */
void lam_json_leaf_find_entries(lam_json_leaf *leaf, const lam_assembly_leaf *column);

/*
 * Gives the text of the next value, with LAM_JSON_LEVEL_PADDING bytes after it, and passes the
 * value; empty if it has none yet: lam_json_leaf_print makes it, and passes the value.
 */
static inline lam_bytes lam_json_leaf_take(lam_json_leaf *leaf, lam_assembly_leaf *column) {
    lam_bytes text = {NULL, 0};
    if (!leaf->is_kept)
        return text;
    if (leaf->block_next == leaf->block_size)
        lam_json_leaf_find_entries(leaf, column);
    lam_json_entry entry = leaf->block[leaf->block_next];
    if (entry.size == 0)
        return text;
    leaf->block_next++;
    column->values += sizeof(uint32_t);
    text.data = leaf->texts.data + entry.start;
    text.size = entry.size;
    return text;
}

/* Appends the next value of the column, after its lead. The errors of the writer, with the path. */
lam_status lam_json_leaf_print(lam_json_writer *writer, lam_json_leaf *leaf,
                               lam_assembly_leaf *column, lam_error *error);

#endif
