/* SPDX-License-Identifier: Apache-2.0 */
/* A visitor that keeps account of every byte: see byte_tiles.h. */
#include "byte_map/byte_tiles.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/stop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "support/ending_input.h"

enum { LEVELS = 80, FIRST_RANGES = 400, FIRST_TIMES = 2, FIRST_LABEL = 24, MANY_READS = 40 };

typedef struct tile_walk {
    lam_byte_tiles *tiles;
    const lam_input *input;
    const char *name;
    uint32_t open; /* levels; level 0 is the file */
    struct {
        uint64_t next;
        uint64_t end;
        bool is_in_body;
    } levels[LEVELS];
} tile_walk;

static void close_to(tile_walk *walk, uint32_t open) {
    while (walk->open > open) {
        walk->open--;
        cr_assert_eq(walk->levels[walk->open].next, walk->levels[walk->open].end,
                     "%s: depth %u ends at %" PRIu64 " instead of %" PRIu64, walk->name, walk->open,
                     walk->levels[walk->open].next, walk->levels[walk->open].end);
    }
}

static void expect_text(const tile_walk *walk, const char *text) {
    if (text == NULL)
        return;
    size_t size = strlen(text);
    cr_assert_eq(lam_utf8_prefix((const uint8_t *)text, size), size, "%s", walk->name);
}

static void expect_bytes(const tile_walk *walk, const lam_byte_range *range) {
    lam_error error = lam_error_none();
    if (range->bytes == NULL || range->is_in_body || range->length == 0 || walk->input == NULL)
        return;
    uint8_t *bytes = malloc((size_t)range->length);
    cr_assert_eq(walk->input->read_at(walk->input->state, range->begin, (size_t)range->length,
                                      bytes, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(memcmp(bytes, range->bytes, (size_t)range->length), 0, "%s: bytes at %" PRIu64,
                 walk->name, range->begin);
    free(bytes);
}

static lam_status tile_visit(void *state, const lam_byte_range *range, bool *expand,
                             lam_error *error) {
    tile_walk *walk = state;
    lam_byte_tiles *tiles = walk->tiles;
    cr_assert_lt(range->depth, walk->open, "%s", walk->name);
    close_to(walk, range->depth + 1);
    cr_assert_eq(range->begin, walk->levels[range->depth].next,
                 "%s: a %s at %" PRIu64 " not %" PRIu64, walk->name,
                 lam_byte_kind_name(range->kind), range->begin, walk->levels[range->depth].next);
    cr_assert_eq(range->is_in_body, walk->levels[range->depth].is_in_body, "%s", walk->name);
    cr_assert_leq(range->length, walk->levels[range->depth].end - range->begin, "%s: a %s",
                  walk->name, lam_byte_kind_name(range->kind));
    cr_assert_eq(*expand, range->is_expandable);
    walk->levels[range->depth].next += range->length;
    expect_text(walk, range->label);
    expect_text(walk, range->value);
    expect_text(walk, range->note);
    if (tiles->depth != 0 && range->depth + 1 >= tiles->depth)
        *expand = false;
    /* Outlines have the bytes of whole files in hand only where the walk has them anyway. */
    if (!*expand)
        expect_bytes(walk, range);
    tiles->ranges++;
    if (tiles->ranges == tiles->fail_at) {
        if (error != NULL)
            error->status = LAM_STATUS_STATE;
        return LAM_STATUS_STATE;
    }
    cr_assert((size_t)range->kind <= LAM_BYTE_VARIANT_NAME);
    tiles->counts[range->kind]++;
    if (range->kind == LAM_BYTE_UNKNOWN && tiles->unknown[0] == '\0')
        snprintf(tiles->unknown, sizeof tiles->unknown, "%" PRIu64 ": %s", range->begin,
                 range->note == NULL ? "?" : range->note);
    if (tiles->each != NULL && tiles->each(tiles->state, range) != LAM_STATUS_OK)
        *expand = false;
    if (!*expand)
        return LAM_STATUS_OK;
    cr_assert_lt(walk->open, LEVELS);
    bool is_packed = range->uncompressed_size >= 0;
    walk->levels[walk->open].next = is_packed ? 0 : range->begin;
    walk->levels[walk->open].end =
        is_packed ? (uint64_t)range->uncompressed_size : range->begin + range->length;
    walk->levels[walk->open].is_in_body = range->is_in_body || is_packed;
    walk->open++;
    return LAM_STATUS_OK;
}

lam_status lam_byte_tiles_walk(lam_byte_tiles *tiles, const lam_input *input,
                               const lam_byte_map_options *options, const char *name,
                               lam_error *error) {
    tile_walk walk = {.tiles = tiles, .name = name, .open = 1};
    walk.input = tiles->is_hands_off ? NULL : input;
    walk.levels[0].end = input->size;
    lam_status status = lam_byte_map_walk(input, options, tile_visit, &walk, error);
    if (status == LAM_STATUS_OK)
        close_to(&walk, 0);
    return status;
}

/* A walk over a VARIANT: the file is its metadata, then its value. */
typedef struct variant_tile_walk {
    tile_walk tiles;
    bool is_value;
    size_t value_size;
} variant_tile_walk;

static void turn_to_value(variant_tile_walk *walk) {
    close_to(&walk->tiles, 0);
    walk->is_value = true;
    walk->tiles.open = 1;
    walk->tiles.levels[0].next = 0;
    walk->tiles.levels[0].end = walk->value_size;
}

static lam_status variant_tile_visit(void *state, const lam_byte_range *range, bool *expand,
                                     lam_error *error) {
    variant_tile_walk *walk = state;
    if (range->depth == 0 && range->kind != LAM_BYTE_VARIANT_METADATA && !walk->is_value)
        turn_to_value(walk);
    return tile_visit(&walk->tiles, range, expand, error);
}

lam_status lam_byte_tiles_walk_variant(lam_byte_tiles *tiles, lam_bytes metadata, lam_bytes value,
                                       const lam_byte_map_options *options, const char *name,
                                       lam_error *error) {
    variant_tile_walk walk = {.tiles = {.tiles = tiles, .name = name, .open = 1},
                              .value_size = value.size};
    walk.tiles.levels[0].end = metadata.size;
    lam_status status =
        lam_byte_map_walk_variant(metadata, value, options, variant_tile_visit, &walk, error);
    if (status == LAM_STATUS_OK && !walk.is_value)
        turn_to_value(&walk);
    if (status == LAM_STATUS_OK)
        close_to(&walk.tiles, 0);
    return status;
}

void lam_byte_tiles_expect(lam_byte_tiles *tiles, lam_bytes file, const char *name) {
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file.data, file.size);
    cr_assert_eq(lam_byte_tiles_walk(tiles, &input, NULL, name, &error), LAM_STATUS_OK, "%s: %s",
                 name, error.message);
    lam_input_close(&input);
}

/* --- Ends ---------------------------------------------------------------------------------- */

/* The first ranges of each kind and label, by number from 1. */
typedef struct first_ranges {
    struct {
        lam_byte_kind kind;
        char label[FIRST_LABEL];
        int times;
    } seen[FIRST_RANGES];
    size_t seen_count;
    uint64_t numbers[FIRST_RANGES * FIRST_TIMES];
    size_t count;
    uint64_t ranges;
} first_ranges;

static lam_status note_first(void *state, const lam_byte_range *range) {
    first_ranges *firsts = state;
    char label[FIRST_LABEL];
    size_t at = 0;
    snprintf(label, sizeof label, "%s", range->label == NULL ? "" : range->label);
    firsts->ranges++;
    while (at < firsts->seen_count &&
           (firsts->seen[at].kind != range->kind || strcmp(firsts->seen[at].label, label) != 0))
        at++;
    if (at == FIRST_RANGES)
        return LAM_STATUS_OK;
    if (at == firsts->seen_count) {
        firsts->seen[at].kind = range->kind;
        memcpy(firsts->seen[at].label, label, sizeof label);
        firsts->seen_count++;
    }
    if (firsts->seen[at].times++ < FIRST_TIMES)
        firsts->numbers[firsts->count++] = firsts->ranges;
    return LAM_STATUS_OK;
}

/* Requests the stop at a range, so that the walk ends with the next. */
typedef struct stop_request {
    lam_stop stop;
    uint64_t left;
} stop_request;

static lam_status stop_at_range(void *state, const lam_byte_range *range) {
    stop_request *request = state;
    (void)range;
    if (--request->left == 0)
        lam_stop_request(&request->stop);
    return LAM_STATUS_OK;
}

void lam_byte_tiles_expect_ends(lam_bytes file, const char *name) {
    static first_ranges firsts;
    lam_ending_input source = {.file = file};
    lam_input input = lam_ending_input_of(&source);
    lam_byte_tiles all = {.each = note_first, .state = &firsts, .is_hands_off = true};
    memset(&firsts, 0, sizeof firsts);
    cr_assert_eq(lam_byte_tiles_walk(&all, &input, NULL, name, NULL), LAM_STATUS_OK, "%s", name);
    size_t reads = source.reads;
    for (size_t i = 0; i < firsts.count; i++) {
        lam_byte_tiles tiles = {.fail_at = firsts.numbers[i]};
        stop_request request = {.left = firsts.numbers[i]};
        lam_byte_tiles stopped = {.each = stop_at_range, .state = &request};
        lam_byte_map_options options = lam_byte_map_options_default();
        cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, NULL, name, NULL), LAM_STATUS_STATE,
                     "%s: range %" PRIu64, name, tiles.fail_at);
        cr_assert_eq(tiles.ranges, tiles.fail_at, "%s", name);
        options.stop = &request.stop;
        lam_status status = lam_byte_tiles_walk(&stopped, &input, &options, name, NULL);
        cr_assert_eq(status, stopped.ranges < all.ranges ? LAM_STATUS_CANCELLED : LAM_STATUS_OK,
                     "%s: range %" PRIu64, name, firsts.numbers[i]);
    }
    for (size_t n = 1; n <= reads; n += 1 + n / MANY_READS) {
        lam_byte_tiles tiles = {.is_hands_off = true};
        lam_ending_input_again(&source, n, 0);
        cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, NULL, name, NULL), LAM_STATUS_IO,
                     "%s: read %zu of %zu", name, n, reads);
        cr_assert_eq(source.reads, n, "%s", name);
    }
}
