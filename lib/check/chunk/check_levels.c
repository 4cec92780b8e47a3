/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks repetition and definition levels: in range, as many as the page has triples, and such that
 * some record could have made them. Counts rows, values and the histograms on the way.
 *
 * Levels come in runs where the file has runs: a page of a million nulls is one step. The rule that
 * makes levels those of a record, for a field repeated at level 1, defined from level 2:
 *
 *   R D      0 2   1 2   another element of the same list
 *   R D      0 1   1 2   wrong: the list was empty, so it has no other element
 *   R D      0 2   1 1   wrong: an element that is not there
 *
 * (README.md of the format, section "Nested Encoding"; the Dremel paper, section 4.1)
 */
#include "check/chunk/check_levels.h"

#include <inttypes.h>

#include "base/error.h"
#include "check/chunk/check_level_digests.h"
#include "dremel/slots.h"
#include "kernel/kernel.h"

/* --- Levels of a page ---------------------------------------------------------------------- */

/* The levels of one page while they are read. */
typedef struct level_reader {
    lam_chunk_check *chunk;
    lam_check_location location;
    lam_rle_decoder repetition; /* a copy: the page's decoders stay where they are */
    lam_rle_decoder definition;
    lam_page_levels levels; /* counted so far */
    bool started;           /* the page's first triple has been read */
    bool good;              /* false after a finding that ends the page */
} level_reader;

/*
 * Adds the row of the last triple, if it is known: not after levels of an earlier page were lost.
 */
static lam_check_location here(const level_reader *reader) {
    const lam_chunk_check *chunk = reader->chunk;
    uint64_t rows = chunk->pages.rows + reader->levels.rows;
    return chunk->levels_read && rows > 0 ? lam_check_at_row(reader->location, rows - 1)
                                          : reader->location;
}

/*
 * Checks a triple with repetition level `r` > 0, another element of the field that is repeated at
 * that level. The element must exist (d reaches the field's definition level), and so must the
 * element before it.
 */
static lam_status check_repeated(level_reader *reader, uint8_t r, uint8_t d) {
    lam_chunk_check *chunk = reader->chunk;
    const lam_level_check *levels = &chunk->levels;
    unsigned least = levels->least_definition[r];
    reader->good = lam_slots_may_follow(levels->least_definition, levels->last_definition, r, d);
    if (d < least)
        return lam_check_report(chunk->checker, LAM_RULE_LEVELS_STRUCTURE, here(reader),
                                "repetition level %u with definition level %u, where the repeated "
                                "field is defined from level %u",
                                (unsigned)r, (unsigned)d, least);
    if (levels->last_definition < least)
        return lam_check_report(chunk->checker, LAM_RULE_LEVELS_STRUCTURE, here(reader),
                                "repetition level %u after definition level %u: another element of "
                                "a repeated field that has none",
                                (unsigned)r, (unsigned)levels->last_definition);
    return LAM_STATUS_OK;
}

/*
 * Adds `count` triples of equal levels. For count > 1 and r > 0 the triples follow each other, and
 * checking the first covers the others: each has the same definition level, which has just been
 * found to suffice.
 */
static lam_status check_levels_add(level_reader *reader, uint8_t r, uint8_t d, uint64_t count) {
    lam_chunk_check *chunk = reader->chunk;
    lam_level_check *levels = &chunk->levels;
    if (!levels->started && r != 0) {
        reader->good = false;
        return lam_check_report(chunk->checker, LAM_RULE_LEVELS_FIRST, reader->location,
                                "the first repetition level of the column chunk is %u",
                                (unsigned)r);
    }
    if (r > 0) {
        LAM_TRY(check_repeated(reader, r, d));
        if (!reader->good)
            return LAM_STATUS_OK;
    }
    if (!reader->started)
        reader->levels.begins_row = r == 0;
    levels->started = true;
    levels->last_definition = d;
    reader->started = true;
    lam_value_summary_repetition(&chunk->values.page)[r] += count;
    lam_value_summary_definition(&chunk->values.page)[d] += count;
    reader->levels.rows += r == 0 ? count : 0;
    reader->levels.values += d == chunk->leaf->max_definition ? count : 0;
    lam_check_add_level_digest(levels, r, d, count);
    return LAM_STATUS_OK;
}

/*
 * Levels fit their bit width, but maxima are not always 2^n - 1: level 3 needs no more bits than 2.
 */
static lam_status check_range(level_reader *reader, const char *kind, uint32_t level, uint8_t max) {
    if (level <= max)
        return LAM_STATUS_OK;
    reader->good = false;
    return lam_check_report(reader->chunk->checker, LAM_RULE_LEVELS_RANGE, reader->location,
                            "%s level %" PRIu32 " where the maximum is %u", kind, level,
                            (unsigned)max);
}

/* A run ahead; if the leaf has no levels of the kind, all that remains of the page, at level 0. */
typedef struct level_run {
    size_t length;
    uint32_t level;
    bool packed;
} level_run;

/* Gives the run ahead without consuming it. `packed` levels differ and must be read one by one. */
static lam_status check_levels_peek(lam_rle_decoder *decoder, uint8_t max, size_t left,
                                    level_run *ret_run, lam_error *error) {
    level_run run = {left, 0, false};
    if (max > 0)
        LAM_TRY(lam_rle_peek_run(decoder, left, &run.length, &run.level, &run.packed, error));
    *ret_run = run;
    return LAM_STATUS_OK;
}

/* Consumes and gives the next `count` levels one by one, also those of a repeated run. */
static lam_status check_levels_take(lam_rle_decoder *decoder, uint8_t max, size_t count,
                                    uint8_t *levels, lam_error *error) {
    if (max > 0)
        return lam_rle_read_levels(decoder, count, levels, error);
    memset(levels, 0, count);
    return LAM_STATUS_OK;
}

/* The largest level of each kind is compared before any is used as an index of a histogram. */
static lam_status add_singly(level_reader *reader, size_t count) {
    lam_chunk_check *chunk = reader->chunk;
    const lam_kernels *kernels = chunk->checker->kernels;
    LAM_TRY(check_range(reader, "repetition", kernels->max_u8(chunk->levels.repetition, count),
                        chunk->leaf->max_repetition));
    LAM_TRY(check_range(reader, "definition", kernels->max_u8(chunk->levels.definition, count),
                        chunk->leaf->max_definition));
    for (size_t i = 0; i < count && reader->good; i++)
        LAM_TRY(
            check_levels_add(reader, chunk->levels.repetition[i], chunk->levels.definition[i], 1));
    return LAM_STATUS_OK;
}

/* The same for a run, in which only the two levels are compared. */
static lam_status add_run(level_reader *reader, const level_run *r, const level_run *d,
                          size_t count) {
    LAM_TRY(check_range(reader, "repetition", r->level, reader->chunk->leaf->max_repetition));
    if (reader->good)
        LAM_TRY(check_range(reader, "definition", d->level, reader->chunk->leaf->max_definition));
    if (reader->good)
        LAM_TRY(check_levels_add(reader, (uint8_t)r->level, (uint8_t)d->level, count));
    return LAM_STATUS_OK;
}

/*
 * Consumes the next triples, at most `left`: as a run when both kinds are repeated (`*ret_runs`),
 * else up to a batch into chunk->levels.repetition and chunk->levels.definition. The shorter of the
 * two runs ahead decides how many. `failure` says what is wrong with the levels.
 */
static lam_status read_piece(level_reader *reader, size_t left, size_t *ret_count, bool *ret_runs,
                             level_run *r, level_run *d, lam_error *failure) {
    lam_chunk_check *chunk = reader->chunk;
    uint8_t max_r = chunk->leaf->max_repetition, max_d = chunk->leaf->max_definition;
    LAM_TRY(check_levels_peek(&reader->repetition, max_r, left, r, failure));
    LAM_TRY(check_levels_peek(&reader->definition, max_d, left, d, failure));
    size_t count = r->length < d->length ? r->length : d->length;
    *ret_runs = !r->packed && !d->packed;
    if (*ret_runs) {
        if (max_r > 0)
            /* unreachable: this run is at least that long */
            LAM_TRY(lam_rle_skip(&reader->repetition, count, failure));
        if (max_d > 0)
            /* unreachable: this run is at least that long */
            LAM_TRY(lam_rle_skip(&reader->definition, count, failure));
    } else {
        count = count < LAM_CHECK_BATCH ? count : LAM_CHECK_BATCH;
        /* unreachable: the decoder has all of this run */
        LAM_TRY(check_levels_take(&reader->repetition, max_r, count, chunk->levels.repetition,
                                  failure));
        /* unreachable: the decoder has all of this run */
        LAM_TRY(check_levels_take(&reader->definition, max_d, count, chunk->levels.definition,
                                  failure));
    }
    *ret_count = count;
    return LAM_STATUS_OK;
}

/*
 * Says that bytes follow the last level. If the leaf has no levels of the kind, some writers put
 * runs of width 0 into V2 pages, which are not consumed yet. Readers ignore what follows; but the
 * sizes of a V2 header may lead two of them to different values.
 */
static lam_status check_levels_left(level_reader *reader, lam_rle_decoder *decoder, uint8_t max,
                                    size_t count, const char *finding) {
    bool good = true;
    if (max == 0 && decoder->next < decoder->end)
        good = lam_rle_skip(decoder, count, NULL) == LAM_STATUS_OK;
    if (good && decoder->next == decoder->end)
        return LAM_STATUS_OK;
    if (!lam_check_once(reader->chunk, LAM_RULE_LEVELS))
        return LAM_STATUS_OK;
    return lam_check_warn(reader->chunk->checker, LAM_RULE_LEVELS, reader->location, finding);
}

lam_status lam_check_levels(lam_chunk_check *chunk, const lam_page *page,
                            lam_check_location location, lam_page_levels *ret_levels,
                            bool *ret_good) {
    level_reader reader = {.chunk = chunk,
                           .location = location,
                           /* The decoders are plain data, so that copies read independently. */
                           .repetition = page->repetition,
                           .definition = page->definition,
                           .good = true};
    size_t left = page->value_count;
    reader.levels.begins_row = true;
    if (!chunk->levels_read)
        chunk->levels.last_definition = UINT8_MAX; /* a page before this one was lost */
    /* Each turn consumes at least one triple. */
    while (left > 0 && reader.good) {
        size_t count;
        bool runs;
        level_run r, d;
        lam_error failure = lam_error_none();
        LAM_TRY(lam_stop_check(chunk->checker->stop, chunk->checker->error));
        lam_status status = read_piece(&reader, left, &count, &runs, &r, &d, &failure);
        if (status != LAM_STATUS_OK) {
            *ret_good = false;
            return lam_check_report_failure(chunk->checker, LAM_RULE_LEVELS, location, status,
                                            &failure);
        }
        LAM_TRY(runs ? add_run(&reader, &r, &d, count) : add_singly(&reader, count));
        left -= count;
    }
    *ret_levels = reader.levels;
    *ret_good = reader.good;
    if (!reader.good || page->value_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(check_levels_left(&reader, &reader.repetition, chunk->leaf->max_repetition,
                              page->value_count, "bytes follow the repetition levels"));
    return check_levels_left(&reader, &reader.definition, chunk->leaf->max_definition,
                             page->value_count, "bytes follow the definition levels");
}
