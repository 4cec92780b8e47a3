/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that metadata state, beside the pages that are there: only the true ones are accepted. */
#include "damage/unfinished/page_tiles.h"

#include <criterion/criterion.h>
#include <lamella/format.h>

#include "support/failing_alloc.h"

enum { LEAVES = 2, GROUPS = 2, PAGES = 7, BLOOMS = 2 };

/*
 * Two row groups of two leaves, each with 100 bytes a page:
 *
 *     pages    d p p | p | filter | p | d p
 */
typedef struct tiled_file {
    lam_walked_page pages[PAGES];
    lam_walked_bloom blooms[BLOOMS];
    lam_meta_column columns[GROUPS][LEAVES];
    lam_meta_column_chunk chunks[GROUPS][LEAVES];
    lam_meta_row_group groups[GROUPS];
    lam_page_tiles tiles;
} tiled_file;

static const int32_t plain_and_indexes[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE_DICTIONARY};

static void set_page(tiled_file *file, size_t i, uint64_t offset, bool is_dictionary) {
    file->pages[i] = (lam_walked_page){.offset = offset,
                                       .header_size = 20,
                                       .compressed_size = 80,
                                       .type = is_dictionary ? LAM_PAGE_DICTIONARY : LAM_PAGE_DATA,
                                       .encoding = LAM_ENCODING_PLAIN,
                                       .value_count = 5};
}

static void set_chunk(tiled_file *file, size_t group, size_t leaf, size_t first, size_t count) {
    lam_meta_column *column = &file->columns[group][leaf];
    bool has_dictionary = file->pages[first].type == LAM_PAGE_DICTIONARY;
    int64_t offset = (int64_t)file->pages[first].offset;
    *column = (lam_meta_column){.encodings = {plain_and_indexes, 2},
                                .num_values = 5 * (int64_t)(count - has_dictionary),
                                .total_compressed_size = 100 * (int64_t)count,
                                .data_page_offset = offset + (has_dictionary ? 100 : 0)};
    if (has_dictionary) {
        column->has = LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = offset;
    }
    file->chunks[group][leaf].meta_data = column;
}

static void make_tiled(tiled_file *file) {
    static const uint64_t offsets[PAGES] = {4, 104, 204, 304, 454, 554, 654};
    *file = (tiled_file){.blooms = {{404, 50}, {754, 70}}};
    for (size_t i = 0; i < PAGES; i++)
        set_page(file, i, offsets[i], i == 0 || i == 5);
    file->pages[0].begins_new = file->pages[4].begins_new = true;
    set_chunk(file, 0, 0, 0, 3);
    set_chunk(file, 0, 1, 3, 1);
    set_chunk(file, 1, 0, 4, 1);
    set_chunk(file, 1, 1, 5, 2);
    for (size_t g = 0; g < GROUPS; g++)
        file->groups[g] = (lam_meta_row_group){.columns = {file->chunks[g], LEAVES}, .num_rows = 5};
    for (size_t g = 0; g < GROUPS; g++) {
        lam_meta_column *column = &file->columns[g][1];
        column->has |=
            LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
        column->bloom_filter_offset = (int64_t)file->blooms[g].offset;
        column->bloom_filter_length = (int32_t)file->blooms[g].size;
    }
    file->tiles = (lam_page_tiles){file->pages, PAGES, file->blooms, BLOOMS, true};
}

static bool matches(const tiled_file *file) {
    lam_allocator heap = lam_allocator_default();
    bool match = false;
    cr_assert_eq(
        lam_page_tiles_match(&file->tiles, file->groups, GROUPS, LEAVES, &heap, &match, NULL),
        LAM_STATUS_OK);
    return match;
}

/* Changes a file, number `change` from 0 on; false for a number that there is not. */
static bool make_wrong(tiled_file *file, int change) {
    lam_meta_column *first = &file->columns[0][0], *second = &file->columns[0][1];
    lam_meta_column_chunk *chunk = &file->chunks[0][1];
    static const lam_meta_column_crypto crypto = {0};
    switch (change) {
    case 0: /* encrypted away */
        chunk->meta_data = NULL;
        return true;
    case 1:
        chunk->crypto_metadata = &crypto;
        return true;
    case 2: /* in another file */
        chunk->has |= LAM_META_COLUMN_CHUNK_HAS_FILE_PATH;
        return true;
    case 3:
        second->data_page_offset = -304;
        return true;
    case 4:
        second->total_compressed_size = -100;
        return true;
    case 5:
        second->num_values = -5;
        return true;
    case 6:
        second->num_values++;
        return true;
    case 7: /* a part of a page */
        second->total_compressed_size--;
        return true;
    case 8: /* two pages */
        first->total_compressed_size -= 100;
        return true;
    case 9: /* a dictionary that is elsewhere */
        first->dictionary_page_offset++;
        return true;
    case 10: /* none: its page is left over */
        first->has = 0;
        return true;
    case 11:
        first->encodings.count = 0;
        return true;
    case 12: /* something lies inside of a chunk */
        file->pages[1].begins_new = true;
        return true;
    case 13: /* a second dictionary */
        file->pages[2].type = LAM_PAGE_DICTIONARY;
        first->num_values -= 5;
        return true;
    case 14: /* pages that are of no chunk */
        file->groups[1].columns.count = 1;
        return true;
    case 15:
        file->groups[1].num_rows = -1;
        return true;
    case 16: /* a chunk without bytes has no values */
        second->total_compressed_size = 0;
        return true;
    case 17:
        second->bloom_filter_offset++;
        return true;
    case 18:
        second->bloom_filter_offset = -404;
        return true;
    case 19:
        second->bloom_filter_length++;
        return true;
    case 20: /* behind the last one */
        second->bloom_filter_offset = 1000;
        return true;
    case 21:
        file->tiles.page_count--;
        return true;
    case 22:
        file->tiles.bloom_count = 0;
        return true;
    case 23: /* the same chunk once more */
        *second = *first;
        return true;
    case 24: /* pages end where a chunk goes on */
        file->columns[1][1].total_compressed_size += 100;
        return true;
    default:
        return false;
    }
}

Test(page_tiles, chunks_are_what_the_pages_are_and_nothing_else) {
    tiled_file file;
    make_tiled(&file);
    cr_assert(matches(&file));
    for (int change = 0; make_wrong(&file, change); change++) {
        cr_assert_not(matches(&file), "change %d", change);
        make_tiled(&file);
    }
}

Test(page_tiles, what_the_format_leaves_open_is_accepted) {
    tiled_file file;
    make_tiled(&file);
    file.columns[0][0].data_page_offset = 0; /* the dictionary says where the chunk begins */
    cr_assert(matches(&file));
    make_tiled(&file);
    file.columns[1][1].has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    cr_assert(matches(&file));
    make_tiled(&file);
    file.columns[0][1].has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET; /* at 0: it has none */
    cr_assert(matches(&file));
    make_tiled(&file);
    file.columns[0][1].has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    file.columns[0][1].dictionary_page_offset = 1000; /* behind its data, where it cannot be */
    cr_assert(matches(&file));
    make_tiled(&file);
    file.columns[0][0].encodings.count = 0;
    file.tiles.lists_encodings = false;
    cr_assert(matches(&file));
    make_tiled(&file); /* a chunk of no rows has no pages */
    file.columns[0][1].total_compressed_size = file.columns[0][1].num_values = 0;
    for (size_t i = 3; i + 1 < PAGES; i++)
        file.pages[i] = file.pages[i + 1];
    file.tiles.page_count--;
    cr_assert(matches(&file));
}

Test(page_tiles, row_groups_are_the_same_with_the_same_chunks) {
    static const struct {
        int change;
        size_t group; /* that is another one then */
    } cases[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0},  {5, 0},
                 {6, 0}, {7, 0}, {8, 0}, {9, 0}, {14, 1}, {15, 1}};
    tiled_file file, other;
    make_tiled(&file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t group = cases[i].group;
        make_tiled(&other);
        cr_assert(lam_row_group_is_same(&file.groups[group], &other.groups[group]));
        make_wrong(&other, cases[i].change);
        cr_assert_not(lam_row_group_is_same(&file.groups[group], &other.groups[group]), "%zu", i);
        cr_assert_not(lam_row_group_is_same(&other.groups[group], &file.groups[group]), "%zu", i);
        cr_assert(lam_row_group_is_same(&file.groups[1 - group], &other.groups[1 - group]));
    }
}

Test(page_tiles, memory_that_runs_out_is_no_answer) {
    tiled_file file;
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    bool match;
    make_tiled(&file);
    cr_assert_eq(
        lam_page_tiles_match(&file.tiles, file.groups, GROUPS, LEAVES, &allocator, &match, NULL),
        LAM_STATUS_NOMEM);
    cr_assert_eq(counter.live_bytes, 0);
}
