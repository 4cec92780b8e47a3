/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which row groups of a completed walk are kept, and makes the metadata of a file that has
 * them, with what was found and lost.
 *
 * The invariant: the kept rows are a prefix of those that were written, except for row groups that
 * were durable and were damaged later; and no data without a checksum that may be torn are kept.
 * (recovery_walk.h)
 */
#include "base/error.h"
#include "base/options.h"
#include "damage/unfinished/recovery_walk.h"

enum {
    DECIDE_INDEX_FIELDS = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                          LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH |
                          LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                          LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH,
    DECIDE_BLOOM_FIELDS =
        LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH
};

/* Counts one row group as found or as lost. */
static void count_group(lam_recovery *recovery, const lam_meta_row_group *row_group,
                        const lam_walked_group *group, bool is_kept) {
    if (is_kept) {
        recovery->row_groups++;
        recovery->rows += (uint64_t)row_group->num_rows;
        recovery->bytes += group->bytes;
    } else {
        recovery->lost_row_groups++;
        recovery->lost_rows += row_group->num_rows > 0 ? (uint64_t)row_group->num_rows : 0;
    }
}

/*
 * Leaves out data that may be damaged unnoticed, if they were not known to be durable: Bloom
 * filters and page indexes have no checksums, and a torn filter denies values that are there. The
 * chunks of a sound row group all have metadata, which were compared with the pages.
 */
static lam_status drop_unchecked(lam_recovery_walk *walk, lam_meta_row_group *group,
                                 lam_error *error) {
    uint32_t count = group->columns.count;
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, count, &chunks, error));
    lam_meta_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, count, &columns, error));
    for (uint32_t i = 0; i < count; i++) {
        chunks[i] = group->columns.items[i];
        chunks[i].has &= ~(uint32_t)DECIDE_INDEX_FIELDS;
        columns[i] = *chunks[i].meta_data;
        columns[i].has &= ~(uint32_t)DECIDE_BLOOM_FIELDS;
        chunks[i].meta_data = &columns[i];
    }
    group->columns.items = chunks;
    return LAM_STATUS_OK;
}

/* Texts are those of the newest footer: a log adds key-value metadata while it runs. */
static void fill_meta(const lam_recovery_walk *walk, const lam_meta_row_group *groups, size_t count,
                      uint64_t rows, lam_meta_file *meta) {
    const uint32_t texts = LAM_META_FILE_HAS_KEY_VALUE_METADATA | LAM_META_FILE_HAS_CREATED_BY;
    *meta = walk->meta;
    meta->row_groups.items = groups;
    meta->row_groups.count = (uint32_t)count;
    meta->num_rows = (int64_t)rows;
    if (walk->has_footer) {
        meta->has = (meta->has & ~texts) | (walk->footer.has & texts);
        meta->key_value_metadata = walk->footer.key_value_metadata;
        meta->created_by = walk->footer.created_by;
    }
}

/*
 * A damaged row group in the synced part is a fault of the medium, and those after it are as good
 * as ever. Any other damage is a cut: blocks may have reached the disk in any order, so that no row
 * group after it can be trusted to follow. Ordinals are those in the new list of row groups.
 */
lam_status lam_recovery_walk_decide(lam_recovery_walk *walk, lam_meta_file *ret_meta,
                                    lam_recovery *ret_recovery, lam_error *error) {
    const lam_walked_group *groups = walk->groups.items;
    lam_recovery recovery = lam_recovery_default();
    const lam_meta_row_group *row_groups = walk->row_groups.items;
    size_t count = walk->groups.count, kept = 0;
    bool is_cut = false;
    lam_meta_row_group *items;
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, count, &items, error));
    for (size_t i = 0; i < count; i++) {
        const lam_meta_row_group *row_group = &row_groups[i];
        is_cut = is_cut || (!groups[i].is_sound && groups[i].end > walk->synced);
        bool is_kept = !is_cut && groups[i].is_sound;
        count_group(&recovery, row_group, &groups[i], is_kept);
        if (!is_kept)
            continue;
        items[kept] = *row_group;
        if (groups[i].end > walk->synced)
            LAM_TRY(drop_unchecked(walk, &items[kept], error));
        if (kept <= INT16_MAX)
            items[kept].ordinal = (int16_t)kept;
        else
            items[kept].has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_ORDINAL;
        kept++;
    }
    recovery.lost_bytes = walk->items.window.end - walk->claimed_bytes - recovery.bytes;
    recovery.is_complete = recovery.lost_bytes == 0 && recovery.lost_row_groups == 0;
    fill_meta(walk, items, kept, recovery.rows, ret_meta);
    *ret_recovery = recovery;
    return LAM_STATUS_OK;
}
