/* SPDX-License-Identifier: Apache-2.0 */
/* Pages without a footer are divided into chunks, only as far as a single division is possible. */
#include "damage/unfinished/page_division.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"

enum { PAGES_MOST = 32 };

/* A page for each letter: d a dictionary, i indexes, 1 to 9 so many rows of PLAIN int64. */
static size_t pages_of(const char *letters, lam_walked_page *pages) {
    uint64_t offset = 4;
    size_t count = strlen(letters);
    cr_assert_leq(count, PAGES_MOST);
    for (size_t i = 0; i < count; i++) {
        int32_t rows = letters[i] == 'd' ? 3 : letters[i] == 'i' ? 4 : letters[i] - '0';
        pages[i] = (lam_walked_page){
            .offset = offset,
            .header_size = 20,
            .compressed_size = 8 * rows,
            .uncompressed_size = 8 * rows,
            .type = letters[i] == 'd' ? LAM_PAGE_DICTIONARY : LAM_PAGE_DATA,
            .encoding = letters[i] == 'i' ? LAM_ENCODING_RLE_DICTIONARY : LAM_ENCODING_PLAIN,
            .value_count = rows,
            .is_sound = true,
            .begins_new = i == 0};
        offset = lam_walked_page_end(&pages[i]);
    }
    return count;
}

/* Divides pages of two columns of int64; `want` lists the first pages of chunks, and the end,
 * ':' for 10. */
static void expect_division(const char *letters, uint64_t group_rows, bool is_closed,
                            lam_status want_status, const char *want) {
    lam_walked_page pages[PAGES_MOST];
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema = lam_test_schema("message m { required int64 a; required int64 b; }");
    lam_page_division division = {pages,     pages_of(letters, pages),
                                  schema,    group_rows,
                                  is_closed, NULL,
                                  NULL,      &allocator,
                                  NULL,      NULL};
    lam_buffer starts;
    lam_buffer_init(&starts, &allocator);
    cr_assert_eq(lam_page_division_find(&division, &starts, NULL, NULL), want_status, "%s",
                 letters);
    if (want_status == LAM_STATUS_OK) {
        const size_t *items = (const size_t *)(void *)starts.data;
        cr_assert_eq(starts.size / sizeof *items, strlen(want), "%s: %zu", letters,
                     starts.size / sizeof *items);
        for (size_t i = 0; want[i] != '\0'; i++)
            cr_assert_eq(items[i], (size_t)(want[i] - '0'), "%s: %zu", letters, i);
    }
    lam_buffer_finish(&starts);
    lam_schema_destroy(schema);
}

Test(page_division, dictionaries_show_where_chunks_begin) {
    expect_division("diidii", 0, false, LAM_STATUS_OK, "036");
    expect_division("diididii", 0, false, LAM_STATUS_CORRUPT, ""); /* 8 rows beside 4 */
    expect_division("diidiid", 0, false, LAM_STATUS_OK, "036");
    expect_division("diidiidi", 0, false, LAM_STATUS_OK, "036");
    expect_division("diidiididi", 0, false, LAM_STATUS_OK, "0368:");
}

Test(page_division, rows_alone_are_ambiguous) {
    expect_division("55", 0, false, LAM_STATUS_CORRUPT, "");
    expect_division("55", 0, true, LAM_STATUS_OK, "012");
    expect_division("5555", 0, true, LAM_STATUS_CORRUPT, "");
    expect_division("5353", 0, true, LAM_STATUS_OK, "024");
}

Test(page_division, the_rows_of_other_row_groups_decide) {
    expect_division("5555", 5, false, LAM_STATUS_OK, "01234");
    expect_division("5555", 10, false, LAM_STATUS_OK, "024");
    expect_division("555533", 10, false, LAM_STATUS_OK, "024"); /* 3 rows may not be all */
    expect_division("555533", 10, true, LAM_STATUS_OK, "02456");
    expect_division("5555", 7, false, LAM_STATUS_CORRUPT, "");
}

Test(page_division, what_is_certain_is_given_up_to_what_is_not) {
    expect_division("diidii55", 0, false, LAM_STATUS_OK, "036");
    expect_division("diidiidi5", 0, false, LAM_STATUS_OK, "036");
}

/* What is left of the row group behind the whole ones; `want` as above, "" for nothing. */
static void expect_cut(const char *letters, uint64_t group_rows, const char *want) {
    lam_walked_page pages[PAGES_MOST];
    lam_allocator allocator = lam_allocator_default();
    lam_schema *schema =
        lam_test_schema("message m { required int64 a; required int64 b; required int64 c; }");
    lam_page_division division = {
        pages, pages_of(letters, pages), schema, group_rows, false, NULL, NULL, &allocator, NULL,
        NULL};
    lam_buffer starts, cut;
    lam_buffer_init(&starts, &allocator);
    lam_buffer_init(&cut, &allocator);
    cr_assert_eq(lam_page_division_find(&division, &starts, &cut, NULL), LAM_STATUS_OK, "%s",
                 letters);
    const size_t *items = (const size_t *)(void *)cut.data;
    cr_assert_eq(cut.size / sizeof *items, strlen(want), "%s: %zu", letters,
                 cut.size / sizeof *items);
    for (size_t i = 0; want[i] != '\0'; i++)
        cr_assert_eq(items[i], (size_t)(want[i] - '0'), "%s: %zu is %zu", letters, i, items[i]);
    lam_buffer_finish(&starts);
    lam_buffer_finish(&cut);
    lam_schema_destroy(schema);
}

Test(page_division, a_row_group_that_is_cut_has_the_chunks_that_all_divisions_share) {
    expect_cut("diidii", 0, "036");     /* and c is not there */
    expect_cut("diidi", 0, "035");      /* b goes on */
    expect_cut("diidiidi", 0, "0368");  /* c goes on */
    expect_cut("diidiid", 0, "036");    /* a dictionary alone is nothing */
    expect_cut("diidiidiidi", 0, "9;"); /* behind a whole one */
    expect_cut("di", 0, "02");
    expect_cut("d", 0, "");
    expect_cut("", 0, "");
    expect_cut("55", 0, "01"); /* the second page may be of a or of b */
    expect_cut("555", 0, "01");
    expect_cut("di55", 0, "03"); /* b cannot have 5 rows beside 4 */
    expect_cut("555", 5, "");    /* whole */
    expect_cut("5555", 10, "024");
    expect_cut("55555", 10, "0245");
    expect_cut("555", 10, "01"); /* perhaps of a last row group of 5 rows */
}

/* For each page that could be no chunk, all leaves behind it were gone through: 10^10 of them. */
Test(page_division, pages_of_many_leaves_are_tried_in_time_by_their_number, .timeout = 10) {
    enum { LEAVES = 100000 };
    lam_walked_page *pages = calloc(LEAVES, sizeof *pages);
    char *shape = malloc((size_t)LEAVES * 32), *end = shape;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer starts, cut;
    cr_assert(pages != NULL && shape != NULL);
    end += sprintf(end, "message m {");
    for (int i = 0; i < LEAVES; i++) {
        end += sprintf(end, " required int64 c%d;", i);
        pages_of(i % 2 == 0 ? "2" : "3", &pages[i]);
        pages[i].begins_new = i == 0;
    }
    sprintf(end, " }");
    lam_schema *schema = lam_test_schema(shape);
    const lam_page_division division = {pages, LEAVES, schema,     0,    false,
                                        NULL,  NULL,   &allocator, NULL, NULL};
    lam_buffer_init(&starts, &allocator);
    lam_buffer_init(&cut, &allocator);
    cr_expect_eq(lam_page_division_find(&division, &starts, &cut, NULL), LAM_STATUS_LIMIT);
    lam_buffer_finish(&starts);
    lam_buffer_finish(&cut);
    lam_schema_destroy(schema);
    free(shape);
    free(pages);
}

Test(page_division, nothing_is_divided_into_nothing) {
    expect_division("", 0, false, LAM_STATUS_OK, "0");
}

/* A file that ended behind the dictionary of a chunk without rows was refused as another one. */
Test(page_division, a_chunk_without_rows_may_be_cut_behind_its_dictionary) {
    expect_division("0d", 0, false, LAM_STATUS_OK, "0");
    expect_division("0d", 0, true, LAM_STATUS_CORRUPT, "");
}
