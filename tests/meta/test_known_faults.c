/* SPDX-License-Identifier: Apache-2.0 */
/* Who is known to err, by what files say of their writer. */
#include "meta/known_faults.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "meta/compact.h"
#include "support/test_file.h"

static uint32_t faults_of(const char *created_by) {
    return lam_known_faults((lam_bytes){(const uint8_t *)created_by, strlen(created_by)});
}

/* What nobody but the sound writers is trusted with. */
enum { DOUBTS = LAM_FAULT_TEXT_DECIMALS | LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES };

static bool has(const char *created_by, uint32_t fault) {
    return (faults_of(created_by) & fault) != 0;
}

Test(known_faults, a_fault_ends_with_the_version_that_mends_it) {
    cr_expect(has("parquet-mr version 1.7.0 (build abc)", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version 1.8.0rc3 (build abc)", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version 1.8.0-SNAPSHOT", LAM_FAULT_BYTE_BOUNDS));
    cr_expect_not(has("parquet-mr version 1.8.0 (build abc)", LAM_FAULT_BYTE_BOUNDS));
    cr_expect_not(has("parquet-mr version 1.10.0 (build abc)", LAM_FAULT_OLD_BOUNDS));
    cr_expect(has("parquet-mr version 1.9.1 (build abc)", LAM_FAULT_OLD_BOUNDS));
    cr_expect(has("parquet-mr version 1.2.8 (build abc)", LAM_FAULT_CHUNK_SIZES));
    cr_expect_not(has("parquet-mr version 1.2.9 (build abc)", LAM_FAULT_CHUNK_SIZES));
    cr_expect(has("DuckDB version v1.5.4 (build 1)", LAM_FAULT_SORTED_VARIANTS));
    cr_expect_not(has("DuckDB version v1.5.5 (build 1)", LAM_FAULT_SORTED_VARIANTS));
    cr_expect_not(has("DuckDB version v0.9.2 (build 1)", LAM_FAULT_ARRAY_LEVELS));
    cr_expect(has("DuckDB version v2.0.0 (build 1)", LAM_FAULT_ARRAY_LEVELS));
    cr_expect(has("DuckDB version v1.5.6 (build 1)", LAM_FAULT_LIST_NULL_COUNTS));
    cr_expect_not(has("DuckDB version v1.4.5 (build 1)", LAM_FAULT_LIST_NULL_COUNTS));
    cr_expect_not(has("DuckDB version v2.0.0 (build 1)", LAM_FAULT_LIST_NULL_COUNTS));
    cr_expect(has("parquet-mr version 1.7.0 (build abc)", LAM_FAULT_SEQUEL_PAGES));
    cr_expect_not(has("parquet-mr version 1.8.0 (build abc)", LAM_FAULT_SEQUEL_PAGES));
    cr_expect_not(has("parquet-rs version 19.0.0", LAM_FAULT_SEQUEL_PAGES));
    cr_expect(has("parquet-rs version 20.0.0", LAM_FAULT_SEQUEL_PAGES));
    cr_expect(has("parquet-rs version 30.0.1", LAM_FAULT_SEQUEL_PAGES));
    cr_expect_not(has("parquet-rs version 31.0.0", LAM_FAULT_SEQUEL_PAGES));
}

/* Files of parquet-mr 1.6 and 1.7 had no fault: all of this was taken for the name. */
Test(known_faults, a_build_without_a_version_is_no_part_of_the_name) {
    static const char by[] = "parquet-mr (build 32c46643845ea8a705c35d4ec8fc654cc8ff816d)";
    cr_expect_eq(faults_of(by), faults_of("parquet-mr"));
    cr_expect(has(by, LAM_FAULT_BYTE_BOUNDS));
    cr_expect_eq(faults_of("parquet-mr(build 1)"), DOUBTS);
}

Test(known_faults, a_fault_begins_with_a_version) {
    cr_expect_not(has("parquet-cpp-arrow version 5.0.0", LAM_FAULT_TEXT_BOUNDS));
    cr_expect(has("parquet-cpp-arrow version 5.0.0", LAM_FAULT_NULL_COUNTS));
    cr_expect(has("parquet-cpp-arrow version 6.0.1", LAM_FAULT_TEXT_BOUNDS));
    cr_expect_not(has("parquet-cpp-arrow version 6.0.1", LAM_FAULT_NULL_COUNTS));
    cr_expect(has("parquet-cpp-arrow version 10.0.1", LAM_FAULT_TEXT_BOUNDS));
    cr_expect_eq(faults_of("parquet-cpp-arrow version 11.0.0"),
                 LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES);
    cr_expect_eq(faults_of("parquet-cpp-arrow version 26.0.0"), LAM_FAULT_INT96_BOUNDS);
}

Test(known_faults, clouderas_parquet_mr_was_mended_at_another_version) {
    cr_expect(
        has("parquet-mr version 1.5.0-cdh5.4.9 (build ${buildNumber})", LAM_FAULT_BYTE_BOUNDS));
    cr_expect_not(
        has("parquet-mr version 1.5.0-cdh5.5.0 (build ${buildNumber})", LAM_FAULT_BYTE_BOUNDS));
    cr_expect_not(has("parquet-mr version 1.5.0-cdh5.11.1", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version 1.5.0-cdh6", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version 1.5.0", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version 1.5.0-vendor5.5.0", LAM_FAULT_BYTE_BOUNDS));
}

Test(known_faults, a_version_that_is_not_told_may_be_any) {
    cr_expect(has("parquet-mr", LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_OLD_BOUNDS));
    cr_expect(has("parquet-mr version ", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("parquet-mr version unknown (build 1)", LAM_FAULT_BYTE_BOUNDS));
    cr_expect(has("github.com/segmentio/parquet-go", LAM_FAULT_UPPER_BOUNDS));
    cr_expect(
        has("github.com/segmentio/parquet-go version 0.0.0(build 5)", LAM_FAULT_UPPER_BOUNDS));
    cr_expect(has("Polars", LAM_FAULT_BYTE_DECIMALS));
}

/* Bounds of chunks are those of their last pages: conditions gave 0 of 2,650 rows. */
Test(known_faults, segmentios_parquet_go_has_no_bounds_of_byte_arrays_to_believe) {
    static const char *const writers[] = {
        "github.com/segmentio/parquet-go", "github.com/segmentio/parquet-go version 0.0.0(build )",
        "github.com/segmentio/parquet-go version 0.0.0(build 510764ae9e80)"};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        cr_expect(has(writers[i], LAM_FAULT_BYTE_BOUNDS), "%s", writers[i]);
}

Test(known_faults, writers_put_their_versions_in_many_ways) {
    cr_expect(has("Parquet.Net v4.4.6", LAM_FAULT_UUID_BOUNDS));
    cr_expect(has("Parquet.Net version 4.5.1 (build 1)", LAM_FAULT_UUID_BOUNDS));
    cr_expect(has("ClickHouse v24.3.1.1-testing", LAM_FAULT_NUMBER_DECIMALS));
    cr_expect_not(has("ClickHouse v25.9.1.1-testing", LAM_FAULT_NUMBER_DECIMALS));
    cr_expect_not(has("ClickHouse version 25.10.1 (build 5b1d)", LAM_FAULT_NUMBER_DECIMALS));
    cr_expect(has("flow-php parquet version 1.x-dev", LAM_FAULT_TEXT_BOUNDS));
    cr_expect(has("parquet-cpp version 1.5.1-SNAPSHOT", LAM_FAULT_V2_COMPRESSION));
    cr_expect(has("parquet-go version 18.4.1", LAM_FAULT_BLOOM_FILTERS));
    cr_expect_not(has("parquet-go version 18.4.1", LAM_FAULT_OFFSET_INDEX));
    cr_expect_not(has("parquet-go version 18.5.0", LAM_FAULT_BLOOM_FILTERS));
    cr_expect(has("parquet-go version latest", LAM_FAULT_OFFSET_INDEX));
    cr_expect(has("parquet-go version latest", LAM_FAULT_ALL_NULL_COUNTS));
    cr_expect_not(has("parquet-go version 18.4.1", LAM_FAULT_ALL_NULL_COUNTS));
    cr_expect(has("parquet-rs version 99999999999999999999.0.0", LAM_FAULT_TEXT_DECIMALS));
}

/* Conditions on lists lost rows of 12.0 to 18.8, and lists were cut in 18.1 to 18.7. */
Test(known_faults, lists_of_some_versions_have_no_bounds_or_no_pages_to_believe) {
    static const struct {
        const char *created_by;
        bool bounds, pages, is_unsigned;
    } cases[] = {
        {"parquet-go version 12.0.0", true, false, true},
        {"parquet-go version 17.0.0", true, false, true},
        {"parquet-go version 18.0.0", true, true, true},
        {"parquet-go version 18.1.0", true, true, false},
        {"parquet-go version 18.7.0", true, true, false},
        {"parquet-go version 18.8.0", true, false, false},
        {"parquet-go version 1.6.2", false, false, false},
        {"parquet-rs version 40.0.0", false, true, false},
        {"parquet-rs version 41.0.0", false, false, false},
        {"parquet-go version latest", true, true, true},
        {"github.com/parquet-go/parquet-go version 0.32.0(build )", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *by = cases[i].created_by;
        cr_expect_eq(has(by, LAM_FAULT_LIST_BOUNDS), cases[i].bounds, "%s", by);
        cr_expect_eq(has(by, LAM_FAULT_LIST_NULL_COUNTS), cases[i].bounds, "%s", by);
        cr_expect_eq(has(by, LAM_FAULT_LIST_PAGES), cases[i].pages, "%s", by);
        cr_expect_eq(has(by, LAM_FAULT_UNSIGNED_BOUNDS), cases[i].is_unsigned, "%s", by);
    }
}

Test(known_faults, other_writers_have_none) {
    static const char *const others[] = {"",
                                         " ",
                                         " version ",
                                         "version 1.0",
                                         "parquet-mr2 version 1.0.0",
                                         "xparquet-mr version 1.0.0",
                                         "impala version 2.9.0 (build 1)",
                                         "fastparquet-python version 0.8.0 (build 0)"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_eq(faults_of(others[i]), DOUBTS, "%s", others[i]);
    cr_expect_eq(faults_of("lamella version 0.1.0 (build 0.1.0)"), 0);
}

/* Six writers got the order of DECIMALs in BYTE_ARRAY wrong, and few are known to have it right. */
Test(known_faults, what_is_in_doubt_is_believed_from_sound_writers_alone) {
    static const struct {
        const char *created_by;
        uint32_t doubts;
    } cases[] = {
        {"lamella version 0.2.0 (build 1)", 0},
        {"lamella", DOUBTS},
        {"lamella2 version 1.0.0", DOUBTS},
        {"parquet-mr version 1.10.0 (build 031a6654)",
         LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES},
        {"parquet-mr version 1.10.1-vendor", LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES},
        {"parquet-mr version 1.11.0 (build 1)", LAM_FAULT_INT96_BOUNDS},
        {"parquet-mr version 1.10.0-SNAPSHOT", DOUBTS},
        {"parquet-mr version 1.9.0", DOUBTS},
        {"parquet-mr", DOUBTS},
        {"parquet-cpp-arrow version 4.0.0", LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES},
        {"parquet-cpp-arrow version 13.0.0", LAM_FAULT_INT96_BOUNDS},
        {"parquet-cpp-arrow version 3.0.0", DOUBTS},
        {"parquet-cpp version 1.5.1-SNAPSHOT", DOUBTS},
        {"parquet-rs version 60.0.0", DOUBTS},
        {"github.com/parquet-go/parquet-go version 0.32.0(build )", DOUBTS},
        {"DuckDB version v2.0.1 (build 1)", DOUBTS},
        {"", DOUBTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(faults_of(cases[i].created_by) & DOUBTS, cases[i].doubts, "%s",
                     cases[i].created_by);
    cr_expect_eq(lam_known_faults((lam_bytes){NULL, 0}), DOUBTS);
    cr_expect(
        has("github.com/parquet-go/parquet-go version 0.32.0(build )", LAM_FAULT_BYTE_DECIMALS));
}

/* Files of 1.44 have null_count of integers and dates in pages that is that of all pages. */
Test(known_faults, null_counts_of_polars_are_believed_of_no_leaf) {
    cr_expect(has("Polars", LAM_FAULT_ALL_NULL_COUNTS));
    cr_expect(
        has("github.com/parquet-go/parquet-go version 0.32.0(build )", LAM_FAULT_UPPER_BOUNDS));
}

/* Files of 0.10 count nulls of JSON as nulls of the column. */
Test(known_faults, null_counts_of_hyparquet_are_not_believed) {
    cr_expect(has("hyparquet", LAM_FAULT_NULL_COUNTS));
    cr_expect(has("hyparquet", LAM_FAULT_LIST_PAGES));
}

/* What is not NUL-terminated is read no further than its size. */
Test(known_faults, any_bytes_are_a_writer) {
    static const char text[] = "parquet-mr version 1.10.0-cdh5.5 v v1.2.3 version v";
    for (size_t from = 0; from < sizeof text; from++)
        for (size_t to = from; to < sizeof text; to++) {
            uint8_t *bytes = malloc(to - from + 1);
            memcpy(bytes, text + from, to - from);
            (void)lam_known_faults((lam_bytes){bytes, to - from});
            free(bytes);
        }
}

/* The empty text of a footer has no data at all, and 0 was added to them: undefined in C. */
Test(known_faults, an_empty_text_is_a_writer_that_nobody_knows) {
    cr_expect_eq(lam_known_faults((lam_bytes){NULL, 0}), DOUBTS);
    cr_expect_eq(faults_of(""), DOUBTS);
}

Test(known_faults, each_row_says_what_is_wrong_and_where_that_is_told) {
    for (size_t i = 0; i < lam_known_fault_count(); i++) {
        const lam_known_fault *fault = lam_known_fault_at(i);
        cr_expect_neq(fault->faults, 0);
        cr_expect_not_null(strchr(fault->text, '('), "%s", fault->text);
        cr_expect(strstr(fault->text, "PARQUET-") != NULL ||
                      strstr(fault->text, "ARROW-") != NULL || strchr(fault->text, '#') != NULL,
                  "%s", fault->text);
    }
}

/* --- What they concern ----------------------------------------------------------------------- */

Test(known_faults, a_fault_concerns_the_types_that_it_is_about) {
    static const char text[] =
        "message m { required int64 i; required int32 u (INTEGER(32, false));"
        " optional binary s (STRING); required binary d (DECIMAL(9, 2));"
        " required fixed_len_byte_array(9) f (DECIMAL(20, 2)); required int64 n (DECIMAL(9, 2));"
        " required fixed_len_byte_array(16) id (UUID);"
        " optional group a (LIST) { repeated group array { optional int32 element; } }"
        " required int96 t; }";
    lam_schema *schema = lam_test_parse(text);
    static const struct {
        uint32_t fault;
        const char *leaves; /* x: concerned */
    } cases[] = {
        {LAM_FAULT_BYTE_BOUNDS, "  xxx x  "},      {LAM_FAULT_TEXT_BOUNDS, "  xx     "},
        {LAM_FAULT_BYTE_DECIMALS, "   xx    "},    {LAM_FAULT_TEXT_DECIMALS, "   x     "},
        {LAM_FAULT_NUMBER_DECIMALS, "     x   "},  {LAM_FAULT_UUID_BOUNDS, "      x  "},
        {LAM_FAULT_UNSIGNED_BOUNDS, " x       "},  {LAM_FAULT_OLD_BOUNDS, " xxxx x  "},
        {LAM_FAULT_UPPER_BOUNDS, "  xxx x  "},     {LAM_FAULT_NULL_COUNTS, "  x      "},
        {LAM_FAULT_BLOOM_FILTERS, "xxxxxxxxx"},    {LAM_FAULT_ARRAY_LEVELS, "       x "},
        {LAM_FAULT_SORTED_VARIANTS, "         "},  {LAM_FAULT_ALL_NULL_COUNTS, "  x    x "},
        {LAM_FAULT_LIST_NULL_COUNTS, "       x "}, {LAM_FAULT_INT96_BOUNDS, "        x"},
        {LAM_FAULT_LIST_BOUNDS, "       x "},      {LAM_FAULT_LIST_PAGES, "       x "},
        {LAM_FAULT_LIST_NULL_PAGES, "       x "},  {LAM_FAULT_SEQUEL_PAGES, "  xxx x  "}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t leaf = 0; leaf < 9; leaf++)
            cr_expect_eq(lam_known_faults_of_leaf(cases[i].fault, lam_leaf_at(schema, leaf)) != 0,
                         cases[i].leaves[leaf] == 'x', "fault %#x, leaf %zu", cases[i].fault, leaf);
    cr_expect(lam_known_faults_spoil_column_index(LAM_FAULT_UPPER_BOUNDS, lam_leaf_at(schema, 2)));
    cr_expect_not(
        lam_known_faults_spoil_statistics(LAM_FAULT_UPPER_BOUNDS, lam_leaf_at(schema, 2)));
    cr_expect(lam_known_faults_spoil_statistics(LAM_FAULT_TEXT_BOUNDS, lam_leaf_at(schema, 2)));
    cr_expect_not(lam_known_faults_spoil_statistics(LAM_FAULT_TEXT_BOUNDS, lam_leaf_at(schema, 0)));
    cr_expect(lam_known_faults_spoil_column_index(LAM_FAULT_LIST_BOUNDS, lam_leaf_at(schema, 7)));
    cr_expect_not(
        lam_known_faults_spoil_column_index(LAM_FAULT_LIST_BOUNDS, lam_leaf_at(schema, 2)));
    lam_schema_destroy(schema);
}

Test(known_faults, a_repeated_field_is_in_a_list_only_below_one) {
    lam_schema *schema =
        lam_test_parse("message m { repeated int32 r; repeated group g { required int32"
                       " i; } optional group a (LIST) { repeated group list { optional"
                       " int32 element; } } }");
    for (size_t leaf = 0; leaf < 3; leaf++)
        cr_expect_eq(lam_known_faults_of_leaf(LAM_FAULT_ARRAY_LEVELS, lam_leaf_at(schema, leaf)),
                     leaf == 2 ? LAM_FAULT_ARRAY_LEVELS : 0, "leaf %zu", leaf);
    lam_schema_destroy(schema);
}

/* Without the order of times everybody ignores bounds of INT96: there is nothing to report. */
Test(known_faults, bounds_of_int96_are_wrong_only_in_the_order_of_times) {
    lam_schema *schema = lam_test_parse("message m { required int96 t; }");
    lam_allocator heap = lam_allocator_default();
    lam_meta_statistics bounds = {.has = LAM_META_STATISTICS_HAS_MAX_VALUE};
    lam_meta_column column = {.type = 3, .statistics = &bounds};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {.columns = {&chunk, 1}};
    lam_meta_column_order order = {.kind = LAM_META_COLUMN_ORDER_TYPE};
    lam_meta_file file = {.version = 2, .row_groups = {&group, 1}};
    static const lam_known_fault fault = {.faults = LAM_FAULT_INT96_BOUNDS};
    for (int round = 0; round < 3; round++) {
        lam_arena arena, scratch;
        lam_buffer bytes;
        lam_meta_file_view view;
        bool found;
        size_t leaf;
        lam_arena_init(&arena, &heap, 0);
        lam_arena_init(&scratch, &heap, 0);
        lam_buffer_init(&bytes, &heap);
        if (round > 0)
            file.has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
        if (round == 2)
            order.kind = LAM_META_COLUMN_ORDER_INT96_TIMESTAMP;
        file.column_orders = (lam_meta_column_order_list){&order, round > 0};
        cr_assert_eq(lam_meta_write_file(&file, &bytes, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_meta_read_file_view(lam_buffer_bytes(&bytes), &arena, &view, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_known_fault_find(&fault, &view, schema, &scratch, &found, &leaf, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(found, round == 2);
        lam_buffer_finish(&bytes);
        lam_arena_finish(&scratch);
        lam_arena_finish(&arena);
    }
    lam_schema_destroy(schema);
}

/* Files may have row groups of fewer chunks than leaves: those that are there are looked at. */
Test(known_faults, a_fault_is_found_in_the_row_groups_that_have_the_chunk) {
    lam_schema *schema =
        lam_test_parse("message m { required int64 i; required binary s; required binary t; }");
    lam_allocator heap = lam_allocator_default();
    lam_meta_statistics bounds = {.has = LAM_META_STATISTICS_HAS_MAX_VALUE};
    lam_meta_column bare = {.type = 6}, bounded = {.type = 6, .statistics = &bounds};
    lam_meta_column_chunk chunks[3] = {{.meta_data = &bare}, {.meta_data = &bare}};
    lam_meta_row_group groups[2] = {{.columns = {chunks, 1}}, {.columns = {chunks, 3}}};
    lam_meta_file file = {.version = 2, .row_groups = {groups, 2}};
    static const lam_known_fault fault = {.faults = LAM_FAULT_BYTE_BOUNDS};
    for (int round = 0; round < 2; round++) {
        lam_arena arena, scratch;
        lam_buffer bytes;
        lam_meta_file_view view;
        bool found = round == 0;
        size_t leaf = 4711;
        lam_arena_init(&arena, &heap, 0);
        lam_arena_init(&scratch, &heap, 0);
        lam_buffer_init(&bytes, &heap);
        chunks[2].meta_data = round == 0 ? &bare : &bounded;
        cr_assert_eq(lam_meta_write_file(&file, &bytes, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_meta_read_file_view(lam_buffer_bytes(&bytes), &arena, &view, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_known_fault_find(&fault, &view, schema, &scratch, &found, &leaf, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(found, round == 1);
        cr_assert_eq(leaf, round == 1 ? 2 : 4711);
        lam_buffer_finish(&bytes);
        lam_arena_finish(&scratch);
        lam_arena_finish(&arena);
    }
    lam_schema_destroy(schema);
}
