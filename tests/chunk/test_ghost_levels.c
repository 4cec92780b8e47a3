/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are not there, in the levels of lists that are null or empty: what is read is what
 * a right writer would have written, however it is cut into pages and read.
 */
#include "chunk/read/ghost_levels.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "chunk/hand_made.h"
#include "encoding/plain.h"
#include "support/random.h"
#include "support/test_file.h"

/* As DuckDB has an ARRAY of ARRAYs. */
#define DEEP                                                                                       \
    "message m { optional group a (LIST) { repeated group list { optional group element (LIST) {"  \
    " repeated group list { optional int32 element; } } } } }"

enum { MOST = 1 << 14, DEPTH = 2, DEFINED = 5, ROWS = 200 };

/* Levels with ghosts, and which of them are ghosts. */
typedef struct lists {
    lam_random random;
    unsigned ghost_percent; /* of lists without elements that have some */
    size_t count;
    size_t row_count;
    uint8_t repetition[MOST];
    uint8_t definition[MOST];
    bool is_ghost[MOST];
} lists;

static lists made;

static void emit(unsigned r, unsigned d, bool is_ghost) {
    cr_assert_lt(made.count, MOST);
    made.repetition[made.count] = (uint8_t)r;
    made.definition[made.count] = (uint8_t)d;
    made.is_ghost[made.count++] = is_ghost;
}

/* A list at some depth, or, below all lists, an element; its first triple has level `r`. */
static void emit_list(unsigned depth, unsigned r) {
    unsigned base = 2 * (depth - 1);
    if (depth > DEPTH) {
        emit(r, base + (unsigned)lam_random_below(&made.random, 2), false);
        return;
    }
    if (lam_random_chance(&made.random, 40)) {
        unsigned d = base + (unsigned)lam_random_below(&made.random, 2); /* null or empty */
        emit(r, d, false);
        while (lam_random_chance(&made.random, made.ghost_percent))
            emit(depth + (unsigned)lam_random_below(&made.random, DEPTH + 1 - depth), d, true);
        return;
    }
    do {
        emit_list(depth + 1, r);
        r = depth;
    } while (lam_random_chance(&made.random, 60));
}

static void make_lists(uint64_t seed, unsigned ghost_percent) {
    made.random = lam_random_start(seed);
    made.ghost_percent = ghost_percent;
    made.count = 0;
    made.row_count = 1 + (size_t)lam_random_below(&made.random, ROWS);
    for (size_t row = 0; row < made.row_count; row++)
        emit_list(1, 0);
}

static lam_hand_made hand;

/* Pages that end anywhere, of either version; values are numbers from 0 on. */
static void make_chunk(int32_t version) {
    static const lam_value_layout layout = {LAM_PHYSICAL_INT32, 4};
    int32_t value = 0;
    lam_hand_made_start(&hand, DEEP, version);
    for (size_t at = 0, count; at < made.count; at += count) {
        const uint8_t *levels[2] = {made.repetition + at, made.definition + at};
        const uint8_t most[2] = {DEPTH, DEFINED};
        lam_buffer out[3];
        lam_page_sections sections = {0};
        count = 1 + (size_t)lam_random_below(&made.random, 60);
        count = count < made.count - at ? count : made.count - at;
        for (size_t i = 0; i < 3; i++)
            lam_buffer_init(&out[i], &hand.sample.allocator);
        for (size_t i = 0; i < 2; i++) {
            lam_rle_encoder encoder;
            lam_rle_encoder_init(&encoder, lam_kernels_get(), lam_bit_width(most[i]), &out[i]);
            cr_assert_eq(lam_rle_write_levels(&encoder, levels[i], count, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
        }
        for (size_t i = 0; i < count; i++) {
            sections.row_count += levels[0][i] == 0;
            sections.null_count += levels[1][i] < DEFINED;
            if (levels[1][i] == DEFINED)
                cr_assert_eq(lam_plain_append(layout, &value, 1, &out[2], NULL), LAM_STATUS_OK);
            value += levels[1][i] == DEFINED;
        }
        sections.value_count = (uint32_t)count;
        sections.repetition = lam_buffer_bytes(&out[0]);
        sections.definition = lam_buffer_bytes(&out[1]);
        sections.values = lam_buffer_bytes(&out[2]);
        lam_hand_made_data(&hand, &sections);
        for (size_t i = 0; i < 3; i++)
            lam_buffer_finish(&out[i]);
    }
    lam_chunk_sample_set(&hand.sample, hand.pages.data, hand.pages.size, (int64_t)made.count,
                         made.row_count);
}

/* Where row `row` begins, and how many values are before it. */
static size_t start_of(size_t row, int32_t *ret_value) {
    size_t at = 0, begun = 0;
    *ret_value = 0;
    for (; at < made.count; at++) {
        begun += made.repetition[at] == 0;
        if (begun > row)
            break;
        *ret_value += made.definition[at] == DEFINED;
    }
    return at;
}

/* The triples of a run are those that come next and are no ghosts. */
static void expect_run(const lam_triples *run, size_t *at, int32_t *value) {
    const int32_t *values = run->values;
    size_t value_count = 0;
    for (size_t i = 0; i < run->count; i++, ++*at) {
        while (*at < made.count && made.is_ghost[*at])
            ++*at;
        cr_assert_lt(*at, made.count);
        unsigned r = run->repetition != NULL ? run->repetition[i] : 0;
        unsigned d = run->definition != NULL ? run->definition[i] : DEFINED;
        cr_assert_eq(r, made.repetition[*at]);
        cr_assert_eq(d, made.definition[*at]);
        if (d == DEFINED) {
            cr_assert_eq(values[value_count], *value);
            value_count++;
            ++*value;
        }
    }
    cr_assert_eq(run->value_count, value_count);
}

static void expect_any_way(bool has_ghosts) {
    lam_input input;
    lam_column_cursor *cursor;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&hand.sample, &input);
    chunk.has_ghosts = has_ghosts;
    cr_assert_eq(lam_column_cursor_create(&chunk, &hand.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    for (size_t row = 0; row < made.row_count;) {
        int32_t value;
        uint64_t rows = lam_random_below(&made.random, made.row_count - row + 1);
        lam_error error = lam_error_none();
        size_t at = start_of(row, &value);
        row += (size_t)rows;
        if (lam_random_chance(&made.random, 30)) {
            cr_assert_eq(lam_column_cursor_skip_to(cursor, row, &error), LAM_STATUS_OK, "%s",
                         error.message);
            continue;
        }
        for (lam_triples run = {.count = 1}; run.count > 0;) {
            size_t most = 1 + (size_t)lam_random_below(&made.random, 50);
            cr_assert_eq(lam_column_cursor_read_rows(cursor, most, &rows, &run, &error),
                         LAM_STATUS_OK, "%s", error.message);
            expect_run(&run, &at, &value);
        }
        while (at < made.count && made.is_ghost[at])
            at++;
        int32_t unused;
        cr_assert_eq(at, start_of(row, &unused)); /* the row to its last triple */
    }
    lam_column_cursor_destroy(cursor);
}

/* DuckDB's null ARRAYs were refused: "another element of a list that is empty". */
Test(ghost_levels, what_is_read_is_what_the_lists_hold) {
    uint64_t seed = lam_test_seed(41);
    for (uint64_t round = 0; round < 400; round++) {
        make_lists(seed + round, round % 4 == 3 ? 0 : 30 * (unsigned)(round % 4) + 20);
        make_chunk(round % 8 < 4 ? 1 : 2);
        expect_any_way(true);
        if (made.ghost_percent == 0)
            expect_any_way(false);
        lam_hand_made_finish(&hand);
    }
}

/* --- What is no ghost ------------------------------------------------------------------------ */

static void expect_dropped(const char *repetition, const char *definition, const char *kept_r,
                           const char *kept_d) {
    lam_ghost_levels ghosts;
    uint8_t r[16], d[16];
    size_t count = strlen(repetition);
    lam_schema *schema = lam_test_parse(DEEP);
    lam_ghost_levels_init(&ghosts, lam_leaf_at(schema, 0));
    for (size_t i = 0; i < count; i++) {
        r[i] = (uint8_t)(repetition[i] - '0');
        d[i] = (uint8_t)(definition[i] - '0');
    }
    cr_assert_eq(lam_ghost_levels_drop(&ghosts, r, d, count), strlen(kept_r), "%s", repetition);
    for (size_t i = 0; kept_r[i] != '\0'; i++) {
        cr_expect_eq(r[i], kept_r[i] - '0', "%s", repetition);
        cr_expect_eq(d[i], kept_d[i] - '0', "%s", repetition);
    }
    lam_schema_destroy(schema);
}

Test(ghost_levels, only_what_follows_a_list_without_elements_is_dropped) {
    expect_dropped("01212", "00000", "0", "0");
    expect_dropped("011", "522", "011", "522"); /* two lists that are null in one that is not */
    expect_dropped("0122", "5222", "01", "52");
    expect_dropped("02", "54", "02", "54");
}

/* They say that something is broken, and stay for the cursor of the levels to say what. */
Test(ghost_levels, what_cannot_be_a_ghost_stays) {
    expect_dropped("02", "53", "02", "53"); /* behind an element */
    expect_dropped("01", "05", "01", "05"); /* has a value */
    expect_dropped("02", "35", "02", "35");
}
