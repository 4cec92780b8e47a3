/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the pages of a damaged chunk, where counts contradict each other or records go on. */
#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

#include "chunk/damaged_chunk.h"
#include "chunk/page_bench.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int32 a; }"
#define OPTIONAL "message m { optional int32 a; }"
#define REPEATED "message m { repeated int32 a; }"

static const lam_survey_hints nothing_known;

static uint8_t *last_byte(lam_page_bench *bench) {
    return bench->made.pages.data + bench->made.pages.size - 1;
}

/* --- Sums that are wrong --------------------------------------------------------------------- */

/* Adds a page of `count` nulls; their number in the header is another one. */
static void add_nulls(lam_page_bench *bench, uint32_t count, uint32_t stated) {
    lam_buffer levels;
    lam_rle_encoder encoder;
    lam_buffer_init(&levels, &bench->made.sample.allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 1, &levels);
    cr_assert_eq(lam_rle_write_run(&encoder, 0, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    lam_page_sections sections = {.value_count = stated, .row_count = stated};
    sections.definition = lam_buffer_bytes(&levels);
    lam_hand_made_data(&bench->made, &sections);
    lam_buffer_finish(&levels);
}

/* Adds a page of four values. */
static void add_values(lam_page_bench *bench) {
    static const uint8_t levels[] = {4 << 1, 1}, values[16] = {1};
    lam_page_sections sections = {.value_count = 4, .row_count = 4};
    sections.definition = (lam_bytes){levels, sizeof levels};
    sections.values = (lam_bytes){values, sizeof values};
    lam_hand_made_data(&bench->made, &sections);
}

Test(survey_rows, the_only_page_that_may_count_wrongly_is_repaired) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, OPTIONAL, 1);
    add_values(&bench);
    add_nulls(&bench, 100, 68); /* one bit less */
    add_values(&bench);
    lam_page_bench_state(&bench, 108, 108);
    lam_page_bench_survey(&bench, nothing_known);
    lam_page_bench_expect_losses(&bench, NULL, 0);
    cr_assert_eq(bench.survey->repaired, 1);
    lam_page_bench_finish(&bench);
}

Test(survey_rows, no_page_is_known_where_either_of_two_may_count_wrongly) {
    static const uint64_t all[][2] = {{0, 272}};
    lam_page_bench bench;
    lam_page_bench_start(&bench, OPTIONAL, 1);
    add_nulls(&bench, 100, 68);
    add_values(&bench);
    add_nulls(&bench, 100, 68);
    add_nulls(&bench, 100, 100);
    lam_page_bench_state(&bench, 272, 272); /* 32 more than the headers */
    lam_page_bench_survey(&bench, nothing_known);
    lam_page_bench_expect_losses(&bench, all, 1);
    cr_assert_eq(bench.survey->unplaced_pages, 4);
    cr_assert_eq(bench.survey->repaired, 0);
    lam_page_bench_finish(&bench);
}

/* Footers whose numbers no header can agree with. */
Test(survey_rows, pages_of_more_rows_than_the_chunk_are_all_lost) {
    static const int64_t numbers[][2] = {{4, 4}, {2, 1000}, {12, 5}, {5, 12}, {11, 12}, {13, 12}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        lam_page_bench bench;
        lam_page_bench_start(&bench, OPTIONAL, 1);
        for (int k = 0; k < 3; k++)
            add_values(&bench);
        lam_page_bench_state(&bench, numbers[i][0], (uint64_t)numbers[i][1]);
        lam_page_bench_survey(&bench, nothing_known);
        cr_assert_not_null(bench.survey);
        cr_assert_eq(bench.survey->lost_rows, (uint64_t)numbers[i][1], "%zu", i);
        cr_assert_eq(bench.survey->repaired, 0);
        lam_page_bench_finish(&bench);
    }
}

/* Three pages of four rows, of which one does not match its checksum. */
static void add_broken(lam_page_bench *bench, int broken) {
    bench->made.writer.crc = true;
    for (int i = 0; i < 3; i++) {
        add_values(bench);
        *last_byte(bench) ^= i == broken;
    }
}

Test(survey_rows, sound_pages_of_more_rows_than_the_chunk_have_no_place) {
    static const struct {
        int broken;
        int64_t values;
        uint64_t rows, lost;
    } cases[] = {
        {1, 12, 12, 4},  /* each page where it is */
        {1, 11, 12, 4},  /* by the rows, which add up */
        {1, 12, 7, 7},   /* those before and behind have eight */
        {2, 12, 7, 7},   /* those before have eight */
        {0, 12, 7, 7},   /* those behind */
        {1, 20, 20, 16}, /* those before: what is behind may be no pages */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lam_page_bench bench;
        lam_page_bench_start(&bench, OPTIONAL, 1);
        add_broken(&bench, cases[i].broken);
        lam_page_bench_state(&bench, cases[i].values, cases[i].rows);
        lam_page_bench_survey(&bench, nothing_known);
        cr_assert_not_null(bench.survey);
        cr_assert_eq(bench.survey->lost_rows, cases[i].lost, "%zu: %llu", i,
                     (unsigned long long)bench.survey->lost_rows);
        lam_page_bench_finish(&bench);
    }
}

Test(survey_rows, a_cut_chunk_has_its_pages_as_far_as_rows_go) {
    static const uint64_t rest[][2] = {{8, 10}};
    static const lam_survey_hints cut = {.is_cut = true};
    lam_page_bench bench;
    lam_page_bench_start(&bench, OPTIONAL, 1);
    for (int k = 0; k < 3; k++)
        add_values(&bench);
    lam_page_bench_state(&bench, 10, 10);
    lam_page_bench_survey(&bench, cut);
    lam_page_bench_expect_losses(&bench, rest, 1);
    cr_assert_eq(bench.survey->unplaced_pages, 1);
    lam_page_bench_state(&bench, 20, 20);
    lam_page_bench_survey(&bench, cut);
    cr_assert_eq(bench.survey->lost_rows, 8);
    lam_page_bench_finish(&bench);
}

/* A page that its header no longer shows may have been among them. */
Test(survey_rows, bytes_behind_the_last_page_are_counted_though_no_row_is_lost) {
    lam_page_bench bench;
    for (int version = 1; version <= 2; version++) {
        lam_page_bench_start(&bench, OPTIONAL, version);
        add_values(&bench);
        add_values(&bench);
        lam_page_bench_bytes(&bench, "?????", 5);
        lam_page_bench_state(&bench, 8, 8);
        lam_page_bench_survey(&bench, nothing_known);
        lam_page_bench_expect_losses(&bench, NULL, 0);
        cr_assert_eq(bench.survey->unknown_bytes, 5);
        lam_page_bench_finish(&bench);
    }
}

/* A page that stands in a value, found where a damaged size led, was counted from the end. */
Test(survey_rows, pages_that_bring_too_many_values_are_not_believed_behind_damage) {
    static const uint64_t all[][2] = {{4, 12}};
    lam_page_bench bench;
    lam_page_bench_start(&bench, OPTIONAL, 1);
    bench.made.writer.crc = true;
    add_values(&bench);
    add_values(&bench);
    *last_byte(&bench) ^= 1;
    add_values(&bench); /* one more than there are */
    add_values(&bench);
    lam_page_bench_state(&bench, 12, 12);
    lam_page_bench_survey(&bench, nothing_known);
    lam_page_bench_expect_losses(&bench, all, 1);
    lam_page_bench_finish(&bench);
}

/* The footer has fewer pages than there seem to be. */
Test(survey_rows, more_pages_than_the_footer_counts_are_not_believed_behind_damage) {
    static const uint64_t known[][2] = {{4, 8}}, fewer[][2] = {{4, 12}};
    for (int32_t stated = 2; stated <= 3; stated++) {
        lam_page_bench bench;
        const lam_meta_page_encoding_stats stats = {.count = stated};
        lam_page_bench_start(&bench, OPTIONAL, 1);
        add_broken(&bench, 1);
        lam_page_bench_state(&bench, 12, 12);
        bench.made.sample.column.encoding_stats = (lam_meta_page_encoding_stats_list){&stats, 1};
        lam_page_bench_survey(&bench, nothing_known);
        lam_page_bench_expect_losses(&bench, stated == 3 ? known : fewer, 1);
        lam_page_bench_finish(&bench);
    }
}

/* Adds a page whose last values, or bytes behind them, are the bytes of a page. */
static void add_host(lam_page_bench *bench, lam_bytes page, uint8_t count) {
    enum { HOST_VALUES = 40 };
    const uint8_t levels[] = {(uint8_t)(count << 1), 1};
    uint8_t values[HOST_VALUES * 4] = {0};
    lam_page_sections sections = {.value_count = count, .row_count = count};
    cr_assert_leq(page.size, sizeof values);
    memcpy(values + sizeof values - page.size, page.data, page.size);
    sections.definition = (lam_bytes){levels, sizeof levels};
    sections.values = (lam_bytes){values, sizeof values};
    lam_hand_made_data(&bench->made, &sections);
}

/*
 * A page with a damaged size led into its own last value, to a page that took the next one for its
 * values. All sums were right, and a stranger's rows were given for true ones.
 */
Test(survey_rows, what_may_have_passed_over_another_page_is_not_believed_behind_damage) {
    static const uint64_t all[][2] = {{4, 48}}, its_own[][2] = {{4, 8}};
    for (int version = 1; version <= 2; version++)
        for (int has_rival = 0; has_rival <= 1; has_rival++) {
            lam_page_bench bench, other;
            lam_page_bench_start(&bench, OPTIONAL, version);
            lam_page_bench_start(&other, OPTIONAL, version);
            bench.made.writer.crc = true;
            add_values(&other);
            other.made.pages.data[0] ^= has_rival == 0; /* then it is no page */
            add_values(&bench);
            add_values(&bench);
            *last_byte(&bench) ^= 1;
            add_host(&bench, lam_buffer_bytes(&other.made.pages), 40);
            lam_page_bench_state(&bench, 48, 48);
            lam_page_bench_survey(&bench, nothing_known);
            lam_page_bench_expect_losses(&bench, has_rival ? all : its_own, 1);
            lam_page_bench_finish(&bench);
            lam_page_bench_finish(&other);
        }
}

/* Adds a page of four values with bytes behind them. */
static void add_odd(lam_page_bench *bench) {
    static const uint8_t levels[] = {4 << 1, 1}, values[28] = {1};
    lam_page_sections sections = {.value_count = 4, .row_count = 4};
    sections.definition = (lam_bytes){levels, sizeof levels};
    sections.values = (lam_bytes){values, sizeof values};
    lam_hand_made_data(&bench->made, &sections);
}

/* Where all pages have bytes behind their values, one in a value could have them, too. */
Test(survey_rows, pages_with_bytes_behind_their_values_are_followed_unless_others_lie_there) {
    static const uint64_t behind[][2] = {{4, 41}};
    for (int version = 1; version <= 2; version++)
        for (int has_rival = 0; has_rival <= 1; has_rival++) {
            lam_page_bench bench, other;
            lam_page_bench_start(&bench, OPTIONAL, version);
            lam_page_bench_start(&other, OPTIONAL, version);
            add_values(&other);
            other.made.pages.data[0] ^= has_rival == 0;
            add_odd(&bench);
            add_host(&bench, lam_buffer_bytes(&other.made.pages), 37);
            lam_page_bench_state(&bench, 41, 41);
            lam_page_bench_survey(&bench, nothing_known);
            lam_page_bench_expect_losses(&bench, behind, (size_t)has_rival);
            lam_page_bench_finish(&bench);
            lam_page_bench_finish(&other);
        }
}

/* Readers pass over bytes behind the last value, which were the beginning of the next page. */
Test(survey_rows, a_page_with_bytes_behind_its_last_value_is_damaged_where_others_have_none) {
    static const uint64_t odd[][2] = {{0, 4}};
    for (int version = 1; version <= 2; version++) {
        lam_page_bench bench;
        lam_page_bench_start(&bench, OPTIONAL, version);
        add_odd(&bench);
        add_values(&bench);
        lam_page_bench_state(&bench, 8, 8);
        lam_page_bench_survey(&bench, nothing_known);
        lam_page_bench_expect_losses(&bench, odd, 1);
        lam_page_bench_finish(&bench);
    }
}

/*
 * Readers pass the levels of a repetition that there is none of, and took values for definition
 * levels: four nulls. Headers are not summed.
 */
Test(survey_rows, a_length_of_levels_with_which_values_are_nulls_is_damage) {
    static const uint8_t lengths[] = {0x15, 2 * 2, 0x15,
                                      0}; /* of definition and repetition levels */
    static const uint8_t levels[] = {4 << 1, 1}, values[16] = {4 << 1, 0};
    for (int has_crc = 0; has_crc < 2; has_crc++) {
        lam_page_bench bench;
        lam_page_sections sections = {.value_count = 4, .row_count = 4};
        sections.definition = (lam_bytes){levels, sizeof levels};
        sections.values = (lam_bytes){values, sizeof values};
        lam_page_bench_start(&bench, OPTIONAL, 2);
        bench.made.writer.crc = has_crc;
        add_values(&bench);
        size_t at = bench.made.pages.size;
        lam_hand_made_data(&bench.made, &sections);
        while (memcmp(bench.made.pages.data + at, lengths, sizeof lengths) != 0)
            at++;
        bench.made.pages.data[at + 3] = 2 * 2;
        add_values(&bench);
        lam_page_bench_state(&bench, 12, 12);
        lam_page_bench_survey(&bench, nothing_known);
        cr_assert_not_null(bench.survey);
        lam_page_bench_expect_losses(&bench, NULL, 0);
        cr_assert_eq(bench.survey->repaired, 1);
        lam_page_bench_finish(&bench);
    }
}

/* --- Records that go on ---------------------------------------------------------------------- */

static const uint8_t goes_on[] = {1, 1, 1, 1}, two_records[] = {0, 1, 0, 1}, whole[] = {0, 0, 0, 0};

/* Adds a page with a run of triples at one level, and the bytes of four values, whatever it has. */
static void add_run(lam_page_bench *bench, uint8_t count, uint8_t level) {
    static const uint8_t values[16] = {1};
    const uint8_t levels[] = {(uint8_t)(count << 1), level};
    lam_page_sections sections = {.value_count = count, .row_count = count};
    sections.definition = (lam_bytes){levels, sizeof levels};
    sections.values = (lam_bytes){values, sizeof values};
    lam_hand_made_data(&bench->made, &sections);
}

/* No reader looks behind the last value that levels and counts let it read. */
Test(survey_rows, bytes_behind_the_values_of_a_page_are_damage_beside_pages_without) {
    static const struct { uint8_t count, level; } pages[] = {{3, 1}, {4, 0}, {1, 0}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        const uint64_t lost[][2] = {{4, 4 + pages[i].count}};
        const uint64_t rows = 8 + pages[i].count;
        lam_page_bench bench;
        lam_page_bench_start(&bench, OPTIONAL, 1);
        add_values(&bench);
        add_run(&bench, pages[i].count, pages[i].level);
        add_values(&bench);
        lam_page_bench_state(&bench, (int64_t)rows, rows);
        lam_page_bench_survey(&bench, nothing_known);
        cr_assert_not_null(bench.survey, "%zu", i);
        lam_page_bench_expect_losses(&bench, lost, 1);
        lam_page_bench_finish(&bench);
    }
}

Test(survey_rows, bytes_behind_the_values_of_all_pages_are_their_writers_way) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, OPTIONAL, 1);
    add_run(&bench, 3, 1);
    add_run(&bench, 4, 0);
    lam_page_bench_state(&bench, 7, 7);
    lam_page_bench_survey(&bench, nothing_known);
    lam_page_bench_expect_losses(&bench, NULL, 0);
    lam_page_bench_finish(&bench);
}

Test(survey_rows, pages_in_which_no_record_begins_are_no_run) {
    static const lam_survey_hints cut = {.is_cut = true};
    static const uint64_t lost[][2] = {{1, 8}};
    lam_page_bench bench;
    for (int i = 0; i < 2; i++) {
        lam_page_bench_start(&bench, REPEATED, 1);
        if (i == 0)
            lam_page_bench_repeated(&bench, two_records, 4);
        else
            lam_page_bench_repeated(&bench, goes_on, 4); /* there is nothing before it */
        lam_page_bench_bytes(&bench, "?????", 5);
        lam_page_bench_repeated(&bench, goes_on, 4);
        lam_page_bench_state(&bench, 12, 8);
        lam_page_bench_survey(&bench, i == 0 ? nothing_known : cut);
        if (i == 0)
            lam_page_bench_expect_losses(&bench, lost, 1);
        cr_assert_eq(bench.survey->lost_rows, i == 0 ? 7 : 8);
        lam_page_bench_finish(&bench);
    }
}

/* --- The offset index ------------------------------------------------------------------------ */

enum { LOCATIONS = 80 };

/* The location of a page that is added next, which begins with a row. */
static void begin_location(const lam_page_bench *bench, lam_meta_page_location *location,
                           int64_t row) {
    *location = (lam_meta_page_location){.first_row_index = row};
    location->offset = (int64_t)lam_page_bench_end(bench);
}

static void end_location(const lam_page_bench *bench, lam_meta_page_location *location) {
    location->compressed_page_size =
        (int32_t)(lam_page_bench_end(bench) - (uint64_t)location->offset);
}

/*
 * Three pages, and a fourth of four rows, which is broken; the rows that an index has them begin
 * with; another page that is broken, or -1; and what is lost.
 */
static const struct {
    uint8_t levels[3][4];
    int64_t first[4];
    int broken;
    uint64_t lost[2][2];
    size_t lost_count;
} indexed[] = {
    /* A record that goes on counts with the page in which it begins, or with the one behind it. */
    {{{0, 1, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}}, {0, 2, 4, 6}, -1, {{5, 10}}, 1},
    {{{0, 1, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}}, {0, 1, 4, 6}, -1, {{5, 10}}, 1},
    {{{0, 1, 0, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}}, {0, 2, 4, 6}, -1, {{5, 10}}, 1},
    {{{0, 1, 0, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}}, {0, 1, 3, 6}, -1, {{5, 10}}, 1},
    {{{0, 1, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}, {0, 2, 4, 6}, 1, {{1, 4}, {5, 10}}, 2},
    /* Where all sound pages begin with records, a broken one does, too. */
    {{{0, 1, 0, 1}, {0, 0, 0, 1}, {0, 1, 0, 1}}, {0, 2, 5, 7}, -1, {{7, 11}}, 1},
    {{{0, 1, 0, 1}, {0, 0, 0, 1}, {0, 1, 0, 1}}, {0, 2, 5, 7}, 1, {{2, 5}, {7, 11}}, 2},
    /* A page that agrees with neither is not the one that was written. */
    {{{0, 1, 0, 1}, {1, 1, 0, 1}, {0, 1, 0, 1}}, {0, 2, 4, 6}, -1, {{2, 4}, {6, 10}}, 2},
    {{{1, 1, 0, 0}, {0, 1, 0, 1}, {0, 1, 0, 1}}, {0, 2, 4, 6}, -1, {{0, 2}, {6, 10}}, 2},
};

/* Such pages were refused where the index has them begin with records. */
Test(survey_rows, records_that_go_on_in_spite_of_an_index_are_counted_as_it_counts_them) {
    for (size_t i = 0; i < sizeof indexed / sizeof indexed[0]; i++)
        for (int version = 1; version <= 2; version++) {
            lam_page_bench bench;
            lam_meta_page_location locations[4];
            lam_survey_hints hints = {.locations = locations, .count = 4, .has_crcs = true};
            lam_page_bench_start(&bench, REPEATED, version);
            bench.made.writer.crc = true;
            for (int k = 0; k < 4; k++) {
                begin_location(&bench, &locations[k], indexed[i].first[k]);
                lam_page_bench_repeated(&bench, k < 3 ? indexed[i].levels[k] : whole, 4);
                *last_byte(&bench) ^= k == 3 || k == indexed[i].broken;
                end_location(&bench, &locations[k]);
            }
            lam_page_bench_state(&bench, 16, (uint64_t)indexed[i].first[3] + 4);
            lam_page_bench_survey(&bench, hints);
            lam_page_bench_expect_losses(&bench, indexed[i].lost, indexed[i].lost_count);
            lam_page_bench_finish(&bench);
        }
}

/* Adds a page that does not match its checksum, and its location. */
static void add_broken_location(lam_page_bench *bench, lam_meta_page_location *location,
                                int64_t row, bool is_flat) {
    begin_location(bench, location, row);
    if (is_flat)
        lam_page_bench_ints(bench, 4, 3);
    else
        lam_page_bench_repeated(bench, whole, 4);
    *last_byte(bench) ^= 1;
    end_location(bench, location);
}

/*
 * The index lacks a page. Where that begins with a record, the one before it is whole; else that
 * record is lost, too.
 */
Test(survey_rows, a_record_may_go_on_in_a_sound_page_without_rows) {
    for (size_t i = 0; i < 2; i++) {
        const uint64_t lost[][2] = {{3, 4}, {6, 10}};
        lam_page_bench bench;
        lam_meta_page_location locations[3];
        lam_survey_hints hints = {.locations = locations, .count = 3, .has_crcs = true};
        lam_page_bench_start(&bench, REPEATED, 1);
        bench.made.writer.crc = true;
        begin_location(&bench, &locations[0], 0);
        lam_page_bench_repeated(&bench, whole, 4);
        end_location(&bench, &locations[0]);
        lam_page_bench_repeated(&bench, i == 0 ? goes_on : two_records, 4);
        begin_location(&bench, &locations[1], 4);
        lam_page_bench_repeated(&bench, two_records, 4);
        end_location(&bench, &locations[1]);
        add_broken_location(&bench, &locations[2], 6, false);
        lam_page_bench_state(&bench, 16, 10);
        lam_page_bench_survey(&bench, hints);
        lam_page_bench_expect_losses(&bench, lost + i, 2 - i);
        cr_assert_eq(bench.survey->unplaced_pages, 1);
        lam_page_bench_finish(&bench);
    }
}

Test(survey_rows, a_location_inside_of_a_page_ends_the_run_before_it) {
    static const uint64_t lost[][2] = {{4, 5}, {9, 13}};
    lam_page_bench bench;
    lam_meta_page_location locations[4];
    lam_survey_hints hints = {.locations = locations, .count = 4, .has_crcs = true};
    lam_page_bench_start(&bench, REQUIRED, 1);
    bench.made.writer.crc = true;
    begin_location(&bench, &locations[0], 0);
    lam_page_bench_ints(&bench, 4, 1);
    end_location(&bench, &locations[0]);
    begin_location(&bench, &locations[1], 4); /* a page of one row that is not there */
    locations[1].offset -= 4;
    locations[1].compressed_page_size = 4;
    begin_location(&bench, &locations[2], 5);
    lam_page_bench_ints(&bench, 4, 2);
    end_location(&bench, &locations[2]);
    add_broken_location(&bench, &locations[3], 9, true);
    lam_page_bench_state(&bench, 13, 13);
    lam_page_bench_survey(&bench, hints);
    lam_page_bench_expect_losses(&bench, lost, 2);
    cr_assert_eq(bench.survey->sound_pages, 2);
    lam_page_bench_finish(&bench);
}

Test(survey_rows, counts_of_many_headers_are_repaired_but_not_of_any_number) {
    lam_page_bench bench;
    lam_meta_page_location locations[LOCATIONS];
    lam_survey_hints hints = {.locations = locations, .count = LOCATIONS, .has_crcs = true};
    lam_page_bench_start(&bench, OPTIONAL, 1);
    bench.made.writer.crc = true;
    for (size_t i = 0; i < LOCATIONS; i++) {
        begin_location(&bench, &locations[i], 100 * (int64_t)i);
        add_nulls(&bench, 100, 100 - 32);
        end_location(&bench, &locations[i]);
    }
    lam_page_bench_state(&bench, 100 * LOCATIONS, (uint64_t)100 * LOCATIONS);
    lam_page_bench_survey(&bench, hints);
    cr_assert_geq(bench.survey->repaired, 60);
    cr_assert_lt(bench.survey->repaired, LOCATIONS);
    uint64_t kept = LOCATIONS - bench.survey->lost_rows / 100; /* of pages as they were last seen */
    cr_assert(kept == bench.survey->repaired || kept + 1 == bench.survey->repaired);
    lam_page_bench_finish(&bench);
}

/* --- No dictionary, no memory ---------------------------------------------------------------- */

Test(survey_rows, indexes_without_any_dictionary_are_lost) {
    size_t count;
    lam_damaged_chunk chunk;
    lam_damaged_chunk_make(&chunk, OPTIONAL, 1, true, 1);
    lam_meta_column *column = &chunk.sample.column;
    column->has = 0;
    column->total_compressed_size -= (int64_t)chunk.sample.dictionary_size;
    lam_damaged_chunk_survey(&chunk);
    cr_assert_not_null(chunk.survey);
    cr_assert_eq(chunk.survey->lost_rows, LAM_DAMAGED_RECORDS);
    const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].error.code, LAM_ERROR_CODE_DICTIONARY_MISSING);
    cr_assert_eq(losses[0].offset, (uint64_t)chunk.locations[0].offset);
    lam_damaged_chunk_finish(&chunk);
}

Test(survey_rows, a_chunk_that_is_lost_as_a_whole_needs_memory_to_say_so) {
    lam_status status = LAM_STATUS_NOMEM;
    lam_error failure = lam_error_none();
    failure.status = LAM_STATUS_CORRUPT;
    failure.offset = 77;
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_page_survey *survey = NULL;
        status = lam_page_survey_create_lost(10, &failure, &allocator, &survey, NULL);
        cr_assert_eq(status == LAM_STATUS_OK, survey != NULL);
        if (status == LAM_STATUS_OK) {
            size_t count;
            cr_assert_gt(i, 2);
            cr_assert_eq(lam_page_survey_losses(survey, &count)->offset, 77);
            cr_assert_eq(count, 1);
            cr_assert_eq(survey->lost_rows, 10);
        }
        lam_page_survey_destroy(survey);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
}
