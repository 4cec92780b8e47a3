/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the columns of one group agree about it: in which records it is present, how often,
 * and from which level on it is missing. (README.md of the format, section "Nested Encoding")
 *
 * The levels of a group are those triples of any leaf below it that begin a new instance of it or
 * say why there is none: repetition levels up to the group's own, definition levels cut to its own.
 * In a repeated group g of a required leaf a and an optional leaf b, the records {g: [{a, b}, {a}]}
 * and {} have:
 *
 *   a    R D    0 1    1 1    0 0
 *   b    R D    0 2    1 1    0 0
 *   g    R D    0 1    1 1    0 0      both, with D cut to 1
 *
 * All leaves of a group must give the same sequence. It is kept as a hash of its runs, so that
 * columns are read one after the other; only if two differ both are read again, side by side, to
 * find the row.
 */
#include "check/chunk/check_level_digests.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/wrap.h"
#include "check/chunk/check_cursor.h"
#include "dremel/slots.h"

/* Per file: rereading columns for every group of a hostile one would take too long. */
enum { ROWS_FOUND_MOST = 16 };

/* --- Sequences ----------------------------------------------------------------------------- */

/*
 * Adds a word to a hash. Collisions hide a difference; they are improbable unless sought, and then
 * cost a finding, not memory.
 */
LAM_WRAPS static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/*
 * Adds the open run to the hash. Runs are as long as they can be, however the pages cut them, so
 * that equal sequences have equal runs. The levels are stored plus 1, so that (0, 0) counts too.
 */
static void end_run(lam_level_group *group) {
    if (group->count > 0)
        group->hash = mix(mix(group->hash, (uint64_t)group->run_levels + 1), group->count);
    group->count = 0;
}

void lam_check_add_level_digest(lam_level_check *levels, uint8_t r, uint8_t d, uint64_t count) {
    /*
     * Work is the number of shared groups for each run of levels, at most the depth of the schema.
     */
    for (size_t i = 0; i < levels->group_count; i++) {
        lam_level_group *group = &levels->groups[i];
        /* The triple continues an instance of the group: another element of a list inside. */
        if (r > group->max_repetition)
            continue;
        uint8_t cut = d < group->max_definition ? d : group->max_definition;
        uint16_t run_levels = (uint16_t)(r << 8 | cut);
        if (run_levels != group->run_levels)
            end_run(group);
        group->run_levels = run_levels;
        group->count += count;
    }
}

/* Goes up from the leaf to the root, so that the groups are stored from the innermost outwards. */
void lam_level_check_init(lam_level_check *levels, const lam_field *leaf) {
    memset(levels, 0, sizeof *levels);
    lam_slots_least(leaf, levels->least_definition);
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field)) {
        const lam_field *parent = lam_parent_of(field);
        /*
         * A required group has the levels of its parent, and a group of one leaf nothing to agree
         * with.
         */
        if (field->leaf_count > 1 && field->max_definition > parent->max_definition) {
            lam_level_group group = {
                field->index, field->max_repetition, field->max_definition, 0, 0, 0};
            levels->groups[levels->group_count++] = group;
        }
    }
}

/* --- Where two columns differ -------------------------------------------------------------- */

/* A column at a triple of the group, while two columns are compared. */
typedef struct digest_cursor {
    const lam_field *leaf;
    lam_column_cursor *reader;
    lam_triples batch;
    size_t at; /* in the batch: the triple after the current one */
    uint8_t r;
    uint8_t d;     /* cut to that of the group */
    uint64_t rows; /* begun so far */
    bool ended;    /* no triple of the group is left */
} digest_cursor;

/* Goes to the next triple that belongs to the sequence of the group. */
static lam_status check_level_digests_advance(digest_cursor *cursor, const lam_field *group,
                                              lam_error *failure) {
    do {
        if (cursor->at == cursor->batch.count) {
            LAM_TRY(lam_column_cursor_read(cursor->reader, SIZE_MAX, &cursor->batch, failure));
            cursor->at = 0;
            cursor->ended = cursor->batch.count == 0;
            if (cursor->ended)
                return LAM_STATUS_OK;
        }
        /* NULL means levels that are all 0, or all at the leaf's maximum. */
        const uint8_t *repetition = cursor->batch.repetition,
                      *definition = cursor->batch.definition;
        cursor->r = repetition == NULL ? 0 : repetition[cursor->at];
        cursor->d = definition == NULL ? cursor->leaf->max_definition : definition[cursor->at];
        cursor->at++;
    } while (cursor->r > group->max_repetition);
    cursor->d = cursor->d < group->max_definition ? cursor->d : group->max_definition;
    cursor->rows += cursor->r == 0;
    return LAM_STATUS_OK;
}

/*
 * Gives the row in which two columns first differ. One of them may have gone on to the next row
 * while the other still has elements in this one: the smaller count of rows is the row with the
 * difference.
 */
static lam_status find_row(digest_cursor *a, digest_cursor *b, const lam_field *group,
                           uint64_t *ret_row, lam_error *failure) {
    do {
        LAM_TRY(check_level_digests_advance(a, group, failure));
        LAM_TRY(check_level_digests_advance(b, group, failure));
    } while (!a->ended && !b->ended && a->r == b->r && a->d == b->d);
    uint64_t rows = a->rows < b->rows ? a->rows : b->rows;
    *ret_row = rows > 0 ? rows - 1 : 0;
    return LAM_STATUS_OK;
}

/*
 * Reads both columns again and adds the row to `location`. Failures to read have been reported when
 * each column was checked alone, so that only want of memory and a failed input count here.
 */
static lam_status check_level_digests_compare(lam_chunk_check *chunk, size_t first_leaf,
                                              const lam_field *group,
                                              lam_check_location *location) {
    lam_error failure = lam_error_none();
    lam_checker *checker = chunk->checker;
    digest_cursor a = {.leaf = lam_leaf_at(checker->schema, first_leaf)};
    digest_cursor b = {.leaf = chunk->leaf};
    uint64_t row;
    if (checker->rows_found == ROWS_FOUND_MOST)
        return LAM_STATUS_OK;
    checker->rows_found++;
    lam_status status = lam_check_open_cursor(checker, first_leaf, &a.reader, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_check_open_cursor(checker, chunk->leaf_index, &b.reader, &failure);
    if (status == LAM_STATUS_OK)
        status = find_row(&a, &b, group, &row, &failure);
    if (status == LAM_STATUS_OK)
        *location = lam_check_at_row(*location, row);
    lam_column_cursor_destroy(a.reader);
    lam_column_cursor_destroy(b.reader);
    if (status == LAM_STATUS_NOMEM || status == LAM_STATUS_IO)
        return lam_check_report_failure(checker, LAM_RULE_LEVELS_AGREE, *location, status,
                                        &failure);
    return LAM_STATUS_OK;
}

/* Reports the disagreement, with the row where it begins if that was found. */
static lam_status report_difference(lam_chunk_check *chunk, size_t first_leaf,
                                    const lam_field *group) {
    char path[128], other[128];
    lam_checker *checker = chunk->checker;
    lam_check_location location = chunk->location;
    LAM_TRY(check_level_digests_compare(chunk, first_leaf, group, &location));
    lam_field_path(group, path, sizeof path);
    lam_field_path(lam_leaf_at(checker->schema, first_leaf), other, sizeof other);
    return lam_check_report(checker, LAM_RULE_LEVELS_AGREE, location,
                            "the levels of the group %s differ from those in column %s", path,
                            other);
}

/*
 * Goes from the outermost group inwards and stops at the first that differs: the groups inside
 * differ then as well. The first leaf below a group in this row group sets the hash for the others.
 * The hash of an earlier row group is stale, as its number shows, so clearing is not needed.
 */
lam_status lam_check_level_digests(lam_chunk_check *chunk) {
    lam_checker *checker = chunk->checker;
    for (size_t i = chunk->levels.group_count; i > 0; i--) {
        lam_level_group *group = &chunk->levels.groups[i - 1];
        lam_level_digest *digest = &checker->digests[group->field_index];
        end_run(group);
        if (digest->row_group != chunk->row_group) {
            lam_level_digest first = {chunk->row_group, group->hash, chunk->leaf_index};
            *digest = first;
        } else if (digest->hash != group->hash) {
            return report_difference(chunk, digest->leaf_index,
                                     &checker->schema->fields[group->field_index]);
        }
    }
    return LAM_STATUS_OK;
}
