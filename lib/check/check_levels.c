/*
 * Repetition and definition levels: in range, as many as they should be, such that a record could
 * have made them, and the same in all columns of a group as far as the group goes.
 * (README.md of the format, section "Nested Encoding")
 */
#include <inttypes.h>

#include "base/error.h"
#include "check/chunk_check.h"
#include "kernel/kernel.h"

/* --- Hashes -------------------------------------------------------------------------------- */

/*
 * The levels of a group are those triples of any leaf below that begin a new instance of it or say
 * why there is none: repetition levels up to its own, definition levels cut to its own. A hash of
 * their sequence is h <- h * FACTOR + pair, which n equal pairs take in log n steps.
 */
static const uint64_t FACTOR = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t hash_run(uint64_t hash, uint64_t pair, uint64_t count) {
    uint64_t factor = FACTOR, sum = pair; /* h -> h * factor + sum, doubled again and again */
    for (; count > 0; count >>= 1) {
        if (count & 1)
            hash = hash * factor + sum;
        sum = sum * factor + sum;
        factor *= factor;
    }
    return hash;
}

static void hash_levels(lam_level_check *levels, uint8_t r, uint8_t d, uint64_t count) {
    for (size_t i = 0; i < levels->group_count; i++) {
        lam_level_group *group = &levels->groups[i];
        if (r > group->max_repetition)
            continue;
        uint8_t cut = d < group->max_definition ? d : group->max_definition;
        uint64_t pair = ((uint64_t)r << 8 | cut) + 1;
        group->hash = count == 1 ? group->hash * FACTOR + pair : hash_run(group->hash, pair, count);
    }
}

void lam_level_check_init(lam_level_check *levels, const lam_field *leaf) {
    memset(levels, 0, sizeof *levels);
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field)) {
        const lam_field *parent = lam_parent_of(field);
        if (field->repetition == LAM_REPETITION_REPEATED)
            levels->least_definition[field->max_repetition] = field->max_definition;
        /* A required group has the levels of its parent. */
        if (field->leaf_count > 1 && (field->max_definition > parent->max_definition)) {
            lam_level_group group = {field->index, field->max_repetition, field->max_definition, 0};
            levels->groups[levels->group_count++] = group;
        }
    }
}

lam_status lam_check_shapes(lam_chunk_check *chunk) {
    lam_checker *checker = chunk->checker;
    for (size_t i = 0; i < chunk->levels.group_count; i++) {
        const lam_level_group *group = &chunk->levels.groups[i];
        lam_group_shape *shape = &checker->shapes[group->field_index];
        if (shape->row_group != chunk->row_group) {
            lam_group_shape first = {chunk->row_group, group->hash, chunk->leaf_index};
            *shape = first;
            continue;
        }
        if (shape->hash == group->hash)
            continue;
        char path[128];
        lam_field_path(&checker->schema->fields[group->field_index], path, sizeof path);
        return lam_check_tell(checker, LAM_RULE_LEVELS_AGREE, chunk->place,
                              "the levels tell another story of the group %s than those of "
                              "column %zu",
                              path, shape->leaf_index);
    }
    return LAM_STATUS_OK;
}

/* --- Levels of a page ---------------------------------------------------------------------- */

typedef struct level_reader {
    lam_chunk_check *chunk;
    lam_check_place place;
    lam_rle_decoder repetition;
    lam_rle_decoder definition;
    lam_page_levels levels;
    bool started; /* the page's first triple was seen */
    bool good;
} level_reader;

/* Adds `count` triples of the same levels. */
static lam_status add(level_reader *reader, uint8_t r, uint8_t d, uint64_t count) {
    lam_chunk_check *chunk = reader->chunk;
    lam_level_check *levels = &chunk->levels;
    if (!levels->started && r != 0) {
        reader->good = false;
        return lam_check_tell(chunk->checker, LAM_RULE_LEVELS_FIRST, reader->place,
                              "the first repetition level of the column chunk is %u", (unsigned)r);
    }
    if (r > 0 && d < levels->least_definition[r]) {
        reader->good = false;
        return lam_check_tell(chunk->checker, LAM_RULE_LEVELS_STRUCTURE, reader->place,
                              "repetition level %u with definition level %u, where the repeated "
                              "field is defined from level %u",
                              (unsigned)r, (unsigned)d, (unsigned)levels->least_definition[r]);
    }
    if (!reader->started)
        reader->levels.begins_row = r == 0;
    levels->started = true;
    reader->started = true;
    lam_value_summary_repetition(&chunk->page)[r] += count;
    lam_value_summary_definition(&chunk->page)[d] += count;
    reader->levels.rows += r == 0 ? count : 0;
    reader->levels.values += d == chunk->leaf->max_definition ? count : 0;
    hash_levels(levels, r, d, count);
    return LAM_STATUS_OK;
}

static lam_status check_range(level_reader *reader, const char *kind, uint32_t level, uint8_t max) {
    if (level <= max)
        return LAM_STATUS_OK;
    reader->good = false;
    return lam_check_tell(reader->chunk->checker, LAM_RULE_LEVELS_RANGE, reader->place,
                          "%s level %" PRIu32 " where the maximum is %u", kind, level,
                          (unsigned)max);
}

/* A run ahead: what is left of the page where there are no such levels. */
typedef struct level_run {
    size_t length;
    uint32_t level;
    bool packed;
} level_run;

static lam_status peek(lam_rle_decoder *decoder, uint8_t max, size_t left, level_run *ret_run,
                       lam_error *error) {
    level_run run = {left, 0, false};
    if (max > 0)
        LAM_TRY(lam_rle_peek_run(decoder, left, &run.length, &run.level, &run.packed, error));
    *ret_run = run;
    return LAM_STATUS_OK;
}

/* Gives the next `count` levels one by one, those of a run too. */
static lam_status take(lam_rle_decoder *decoder, uint8_t max, size_t count, uint8_t *levels,
                       lam_error *error) {
    if (max > 0)
        return lam_rle_read_levels(decoder, count, levels, error);
    memset(levels, 0, count);
    return LAM_STATUS_OK;
}

static lam_status add_singly(level_reader *reader, size_t count) {
    lam_chunk_check *chunk = reader->chunk;
    const lam_kernels *kernels = lam_kernels_get();
    LAM_TRY(check_range(reader, "repetition", kernels->max_u8(chunk->repetition, count),
                        chunk->leaf->max_repetition));
    LAM_TRY(check_range(reader, "definition", kernels->max_u8(chunk->definition, count),
                        chunk->leaf->max_definition));
    for (size_t i = 0; i < count && reader->good; i++)
        LAM_TRY(add(reader, chunk->repetition[i], chunk->definition[i], 1));
    return LAM_STATUS_OK;
}

static lam_status add_run(level_reader *reader, const level_run *r, const level_run *d,
                          size_t count) {
    LAM_TRY(check_range(reader, "repetition", r->level, reader->chunk->leaf->max_repetition));
    if (reader->good)
        LAM_TRY(check_range(reader, "definition", d->level, reader->chunk->leaf->max_definition));
    if (reader->good)
        LAM_TRY(add(reader, (uint8_t)r->level, (uint8_t)d->level, count));
    return LAM_STATUS_OK;
}

/* Reads the next piece of at most `left` triples; `failure` is the levels' own. */
static lam_status read_piece(level_reader *reader, size_t left, size_t *ret_count, bool *ret_runs,
                             level_run *r, level_run *d, lam_error *failure) {
    lam_chunk_check *chunk = reader->chunk;
    uint8_t max_r = chunk->leaf->max_repetition, max_d = chunk->leaf->max_definition;
    LAM_TRY(peek(&reader->repetition, max_r, left, r, failure));
    LAM_TRY(peek(&reader->definition, max_d, left, d, failure));
    size_t count = r->length < d->length ? r->length : d->length;
    *ret_runs = !r->packed && !d->packed;
    if (*ret_runs) {
        if (max_r > 0)
            LAM_TRY(lam_rle_skip(&reader->repetition, count, failure));
        if (max_d > 0)
            LAM_TRY(lam_rle_skip(&reader->definition, count, failure));
    } else {
        count = count < LAM_CHECK_BATCH ? count : LAM_CHECK_BATCH;
        LAM_TRY(take(&reader->repetition, max_r, count, chunk->repetition, failure));
        LAM_TRY(take(&reader->definition, max_d, count, chunk->definition, failure));
    }
    *ret_count = count;
    return LAM_STATUS_OK;
}

lam_status lam_check_levels(lam_chunk_check *chunk, const lam_page *page, lam_check_place place,
                            lam_page_levels *ret_levels, bool *ret_good) {
    level_reader reader = {.chunk = chunk,
                           .place = place,
                           .repetition = page->repetition,
                           .definition = page->definition,
                           .good = true};
    size_t left = page->value_count;
    reader.levels.begins_row = true;
    while (left > 0 && reader.good) {
        size_t count;
        bool runs;
        level_run r, d;
        lam_error failure = lam_error_none();
        lam_status status = read_piece(&reader, left, &count, &runs, &r, &d, &failure);
        if (status != LAM_STATUS_OK) {
            *ret_good = false;
            return lam_check_tell_failure(chunk->checker, LAM_RULE_LEVELS, place, status, &failure);
        }
        LAM_TRY(runs ? add_run(&reader, &r, &d, count) : add_singly(&reader, count));
        left -= count;
    }
    *ret_levels = reader.levels;
    *ret_good = reader.good;
    return LAM_STATUS_OK;
}
