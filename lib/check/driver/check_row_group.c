/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks row groups: the claims of each about its column chunks (sums, first offset, ordinal,
 * sorting columns), then the chunks themselves, then what takes several columns, which are VARIANTs
 * and the order of rows.
 *
 * Several columns are compared only if each of them was read completely and without an error:
 * damage of one column is reported with that column, never again as a disagreement. Row groups
 * beyond max_rows are not touched. (parquet.thrift, RowGroup)
 */
#include "check/driver/check_row_group.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/wrap.h"
#include "check/driver/check_chunk.h"
#include "check/values/check_sorting.h"
#include "check/values/check_variants.h"
#include "chunk/read/page_walk.h"
#include "meta/compact.h"

/*
 * Compares total_byte_size and total_compressed_size with the sums over the column chunks. A chunk
 * without metadata makes the sums unknown; that is reported with the chunk. Unsigned sums wrap
 * around instead of overflowing. (parquet.thrift, RowGroup)
 */
LAM_WRAPS static lam_status check_sizes(lam_checker *checker, const lam_meta_row_group *group,
                                        lam_check_location location) {
    uint64_t uncompressed = 0, compressed = 0;
    for (uint32_t i = 0; i < group->columns.count; i++) {
        const lam_meta_column *column = group->columns.items[i].meta_data;
        if (column == NULL)
            return LAM_STATUS_OK;
        uncompressed += (uint64_t)column->total_uncompressed_size;
        compressed += (uint64_t)column->total_compressed_size;
    }
    if ((uint64_t)group->total_byte_size != uncompressed)
        LAM_TRY(lam_check_report(checker, LAM_RULE_ROW_GROUP_BYTES, location,
                                 "the row group claims %" PRId64
                                 " uncompressed bytes, but its column chunks have %" PRId64,
                                 group->total_byte_size, (int64_t)uncompressed));
    if ((group->has & LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE) != 0 &&
        (uint64_t)group->total_compressed_size != compressed)
        LAM_TRY(lam_check_report(checker, LAM_RULE_ROW_GROUP_BYTES, location,
                                 "the row group claims %" PRId64
                                 " compressed bytes, but its column chunks have %" PRId64,
                                 group->total_compressed_size, (int64_t)compressed));
    return LAM_STATUS_OK;
}

/*
 * Compares file_offset with the offset of the first page, data or dictionary. Chunks in other
 * files, and chunks whose range makes no sense, leave the first page unknown. Chunks without values
 * have an empty range and may claim any offset. (parquet.thrift, RowGroup.file_offset)
 */
static lam_status check_offset(lam_checker *checker, const lam_meta_row_group *group,
                               lam_check_location location) {
    uint64_t first = UINT64_MAX;
    if ((group->has & LAM_META_ROW_GROUP_HAS_FILE_OFFSET) == 0)
        return LAM_STATUS_OK;
    for (uint32_t i = 0; i < group->columns.count; i++) {
        const lam_meta_column_chunk *chunk = &group->columns.items[i];
        lam_chunk_range range;
        if (chunk->meta_data == NULL || (chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0 ||
            lam_chunk_find(chunk->meta_data, checker->footer.offset, &range, NULL) != LAM_STATUS_OK)
            return LAM_STATUS_OK;
        if (range.size > 0 && range.offset < first)
            first = range.offset;
    }
    if (first == UINT64_MAX || (uint64_t)group->file_offset == first)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_ROW_GROUP_OFFSET, location,
                            "the row group claims to begin at offset %" PRId64
                            ", but its first page is at %" PRIu64,
                            group->file_offset, first);
}

/*
 * `*ret_sound` is true when there are sorting columns and each is a column of the schema: the
 * row-by-row comparison indexes the leaves with them.
 */
static lam_status check_sorting_columns(lam_checker *checker, const lam_meta_row_group *group,
                                        lam_check_location location, bool *ret_sound) {
    const lam_meta_sorting_column_list *sorting = &group->sorting_columns;
    *ret_sound = sorting->count > 0;
    for (uint32_t i = 0; i < sorting->count; i++) {
        int32_t index = sorting->items[i].column_idx;
        if (index >= 0 && (size_t)index < checker->schema->leaf_count)
            continue;
        *ret_sound = false;
        LAM_TRY(lam_check_report(checker, LAM_RULE_SORTING_COLUMNS, location,
                                 "the row group is sorted by column %" PRId32 " of %zu", index,
                                 checker->schema->leaf_count));
    }
    return LAM_STATUS_OK;
}

/* Whether a leaf is among the sorting columns that are verified. */
static bool check_row_group_is_sorted_by(const lam_meta_row_group *group, size_t leaf_index) {
    for (uint32_t i = 0; i < group->sorting_columns.count && i < LAM_CHECK_SORTING_MOST; i++)
        if ((size_t)group->sorting_columns.items[i].column_idx == leaf_index)
            return true;
    return false;
}

/*
 * Compares the rows by their sorting columns, or says why not: a sorting column could not be read
 * although it has no fault, for example because of its codec.
 */
static lam_status check_order(lam_checker *checker, size_t index, lam_check_location location,
                              int32_t lost_column) {
    if (lost_column < 0)
        return lam_check_sorting(checker, index);
    location.column = lost_column;
    return lam_check_report(
        checker, LAM_RULE_SORTING_UNVERIFIED, location,
        "the order of the rows is not verified, because a sorting column was skipped");
}

/*
 * Decodes the row group and checks it. Ends early if the columns could not be assigned to leaves,
 * or the rows counted.
 */
static lam_status check_row_group(lam_checker *checker, size_t index) {
    const lam_meta_row_group *group = &checker->group;
    size_t leaves = checker->schema->leaf_count;
    lam_check_location location = lam_check_nowhere();
    /* unreachable: in a test, as this many row groups take a footer of 2 GiB */
    location.row_group = index <= INT32_MAX ? (int32_t)index : -1;
    checker->totals.row_groups++;
    checker->row_group = index;
    lam_arena_reset(&checker->group_arena);
    lam_error failure = lam_error_none();
    lam_status status = lam_meta_read_viewed_group(
        &checker->footer.meta, index, &checker->group_arena, &checker->group, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(checker, LAM_RULE_FOOTER, location, status, &failure);
    if (group->num_rows < 0)
        return lam_check_report(checker, LAM_RULE_ROW_GROUP_ROWS, location,
                                "the row group claims %" PRId64 " rows", group->num_rows);
    if ((group->has & LAM_META_ROW_GROUP_HAS_ORDINAL) != 0 && (size_t)group->ordinal != index)
        LAM_TRY(lam_check_report(checker, LAM_RULE_ROW_GROUP_ORDINAL, location,
                                 "row group %zu has the ordinal %d", index, (int)group->ordinal));
    /* Chunks belong to leaves by position: with another number, none can be assigned. */
    if (group->columns.count != leaves)
        return lam_check_report(checker, LAM_RULE_ROW_GROUP_COLUMNS, location,
                                "the row group has %" PRIu32
                                " column chunks, but the schema has %zu columns",
                                group->columns.count, leaves);
    /*
     * Something is there to be checked: if in the end no page was read, the file is reported as
     * unchecked.
     */
    checker->holds_rows |= group->num_rows > 0 && leaves > 0;
    LAM_TRY(check_sizes(checker, group, location));
    LAM_TRY(check_offset(checker, group, location));
    bool sorts;
    int32_t lost_column = -1; /* a sorting column that was not read completely */
    LAM_TRY(check_sorting_columns(checker, group, location, &sorts));
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        bool whole;
        /*
         * A column is sound if it was read completely and without an error; warnings and notes do
         * not count.
         */
        uint64_t errors = checker->totals.errors;
        LAM_TRY(lam_check_chunk(checker, index, leaf, &whole));
        checker->sound[leaf] = whole && checker->totals.errors == errors;
        if (whole || !sorts || !check_row_group_is_sorted_by(group, leaf))
            continue;
        sorts = checker->totals.errors == errors; /* damage has been reported with the column */
        lost_column = (int32_t)leaf;
    }
    /*
     * VARIANTs and sorting reread columns; both are bounded by the same limits as the first time.
     */
    LAM_TRY(lam_check_variants(checker, index, checker->sound));
    return sorts ? check_order(checker, index, location, lost_column) : LAM_STATUS_OK;
}

/*
 * Rows are added up with saturation: a claim of 2^63 rows twice must not wrap around to a small sum
 * and get under max_rows. A row group counts against the limit with all of its rows.
 */
lam_status lam_check_row_groups(lam_checker *checker) {
    const lam_meta_row_group_view_list *groups = &checker->footer.meta.row_groups;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        int64_t claimed = groups->items[i].num_rows;
        lam_check_location location = lam_check_nowhere();
        location.row_group = (int32_t)i;
        if (claimed > 0 && !lam_add_u64(rows, (uint64_t)claimed, &rows))
            rows = UINT64_MAX;
        if (rows > checker->max_rows)
            return lam_check_report(
                checker, LAM_RULE_LIMIT, location,
                "the row group extends past the first %" PRIu64
                " rows: neither it nor those after it are checked (option max_rows)",
                checker->max_rows);
        LAM_TRY(check_row_group(checker, i));
    }
    return LAM_STATUS_OK;
}
