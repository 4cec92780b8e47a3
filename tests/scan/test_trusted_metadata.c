/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages have bounds that may be believed, by what wrote them and whether they contradict
 * themselves.
 */
#include "scan/prune/trusted_metadata.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "meta/known_faults.h"

/* The index of one page of ten rows of a double, with its bounds. */
static lam_trusted_metadata index_of(const lam_schema *schema, const lam_bytes *min,
                                     const lam_bytes *max, const bool *is_null) {
    static const lam_meta_page_location location = {0, 30, 100, 0};
    lam_trusted_metadata index = {.page_count = 1, .locations = &location, .has_bounds = true};
    index.claims.leaf = lam_schema_leaf(schema, 0);
    index.claims.order = lam_value_order_of(index.claims.leaf, LAM_META_COLUMN_ORDER_TYPE);
    index.claims.row_count = 10;
    index.facts = lam_filter_facts_none();
    index.bounds.null_pages.items = is_null;
    index.bounds.null_pages.count = 1;
    index.bounds.min_values = (lam_meta_bytes_list){min, 1};
    index.bounds.max_values = (lam_meta_bytes_list){max, 1};
    return index;
}

static lam_bytes number(double value, uint8_t bytes[8]) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    lam_store_le64(bytes, bits);
    return (lam_bytes){bytes, 8};
}

Test(trusted_metadata, a_page_has_bounds_where_they_order_its_values) {
    static const struct {
        double min, max;
        bool has_index, is_null, has_bounds;
    } cases[] = {
        {1, 2, true, false, true},
        {1, 2, false, false, false},
        {1, (double)NAN, true, false, false},
        {(double)NAN, 2, true, false, false},
        {2, 1, true, false, false},
        {1, 2, true, true, false},
    };
    lam_schema *schema = lam_test_schema("message m { optional double x; }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[2][8];
        const lam_bytes min = number(cases[i].min, bytes[0]), max = number(cases[i].max, bytes[1]);
        lam_trusted_metadata index = index_of(schema, &min, &max, &cases[i].is_null);
        index.has_bounds = cases[i].has_index;
        lam_filter_facts facts = lam_trusted_metadata_page_facts(&index, 0);
        cr_expect_eq(facts.has_bounds, cases[i].has_bounds, "case %zu", i);
        cr_expect_eq(facts.triple_count, cases[i].has_index ? 10 : -1, "case %zu", i);
    }
    lam_schema_destroy(schema);
}

/* The crate parquet takes pages for null pages that have as many nulls as rows, and values. */
Test(trusted_metadata, null_pages_of_lists_are_believed_from_sound_writers_alone) {
    static const bool is_null = true;
    static const lam_bytes none;
    for (int i = 0; i < 4; i++) {
        bool repeats = i % 2 == 1, is_sound = i / 2 == 1;
        lam_schema *schema = lam_test_schema(repeats ? "message m { repeated double x; }"
                                                     : "message m { optional double x; }");
        lam_trusted_metadata index = index_of(schema, &none, &none, &is_null);
        static const int64_t nulls = 10;
        index.bounds.has |= LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS;
        index.bounds.null_counts = (lam_meta_i64_list){&nulls, 1};
        index.has_bounds = true;
        index.claims.faults = is_sound ? 0 : LAM_FAULT_LIST_NULL_PAGES;
        lam_filter_facts facts = lam_trusted_metadata_page_facts(&index, 0);
        cr_expect_eq(lam_filter_facts_all_null(&facts), !repeats || is_sound, "case %d", i);
        lam_schema_destroy(schema);
    }
}

/* A column index needs the offset index, whether or not that is asked for. */
Test(trusted_metadata, each_kind_of_index_is_read_where_it_is_asked_for) {
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    options.page_rows = 5;
    lam_file_sample_init(&sample, lam_test_schema("message m { required int32 a; }"), 20, 100,
                         &random);
    lam_file_sample_write(&sample, &options, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (int kind = 0; kind < 4; kind++) {
        lam_claimed_bytes claimed;
        lam_trusted_metadata index;
        lam_arena arena = lam_reader_chunk_arena(reader);
        lam_claimed_bytes_init(&claimed, &reader->allocator);
        lam_claimed_bytes_move(&claimed, reader, 0);
        const lam_trusted_metadata_kinds kinds = {kind % 2 == 1, kind / 2 == 1, NULL, &claimed};
        cr_assert_eq(lam_trusted_metadata_read(reader, 0, 0, kinds, &arena, &index, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(index.page_count, kind > 0 ? 4 : 0, "kind %d: %zu", kind, index.page_count);
        cr_expect_eq(index.has_bounds, kind / 2 == 1, "kind %d", kind);
        lam_claimed_bytes_finish(&claimed);
        lam_arena_finish(&arena);
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
