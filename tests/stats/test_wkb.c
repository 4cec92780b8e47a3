/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries in well-known binary, whole and broken. */
#include "stats/wkb.h"

#include <math.h>

#include "stats/wkb_text.h"
#include "support/failing_alloc.h"

/* The points of a geometry, summed by axis, and its traits. */
typedef struct seen {
    lam_wkb_traits traits;
    size_t points;
    double sums[LAM_WKB_AXES];
    size_t absent[LAM_WKB_AXES];
} seen;

static void add(void *state, const double axes[LAM_WKB_AXES]) {
    seen *all = state;
    all->points++;
    for (int axis = 0; axis < LAM_WKB_AXES; axis++)
        if (isnan(axes[axis]))
            all->absent[axis]++;
        else
            all->sums[axis] += axes[axis];
}

static lam_status check(lam_bytes geometry, seen *all, lam_error *error) {
    lam_buffer nesting;
    lam_allocator allocator = lam_allocator_default();
    const lam_wkb_sink sink = {all, add};
    /* In a block of its own, so that a step beyond it is seen. */
    uint8_t *exact = malloc(geometry.size + (geometry.size == 0));
    if (geometry.size > 0)
        memcpy(exact, geometry.data, geometry.size);
    lam_buffer_init(&nesting, &allocator);
    lam_bytes bytes = {exact, geometry.size};
    lam_wkb_traits traits;
    lam_status status = lam_wkb_read(bytes, &sink, &nesting, &traits, error);
    if (status == LAM_STATUS_OK) {
        cr_assert_neq(traits.kinds >> traits.kind & 1, 0);
        all->traits = traits;
    }
    lam_buffer_finish(&nesting);
    free(exact);
    return status;
}

static lam_buffer make(const char *text) {
    lam_buffer made;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&made, &allocator);
    wkb_text_append(&made, text);
    return made;
}

/* A good geometry: its points, their axes summed, and no prefix of it that is good too. */
static void expect_good(const char *text, unsigned code, size_t points, double x, double y,
                        double z, double m) {
    lam_buffer made = make(text);
    lam_error error = lam_error_none();
    seen all = {0}, rest = {0};
    cr_assert_eq(check(lam_buffer_bytes(&made), &all, &error), LAM_STATUS_OK, "%s: %s", text,
                 error.message);
    cr_assert_eq(all.traits.layout * 1000 + all.traits.kind, code, "%s", text);
    cr_assert_eq(all.points, points, "%s", text);
    cr_assert(all.sums[0] == x && all.sums[1] == y && all.sums[2] == z && all.sums[3] == m, "%s",
              text);
    for (size_t size = 0; size < made.size; size++)
        cr_assert_eq(check((lam_bytes){made.data, size}, &rest, &error), LAM_STATUS_INVALID,
                     "%s: %zu", text, size);
    cr_assert_eq(lam_buffer_append_byte(&made, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(check(lam_buffer_bytes(&made), &rest, &error), LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, "more after the geometry"), "%s", error.message);
    lam_buffer_finish(&made);
}

static void expect_bad(const char *text, lam_status status, const char *words) {
    lam_buffer made = make(text);
    lam_error error = lam_error_none();
    seen all = {.traits = {.kind = 99, .layout = 99}};
    cr_assert_eq(check(lam_buffer_bytes(&made), &all, &error), status, "%s: %s", text,
                 error.message);
    cr_assert_not_null(strstr(error.message, words), "%s: %s", text, error.message);
    cr_assert(all.traits.kind == 99 && all.traits.layout == 99);
    lam_buffer_finish(&made);
}

Test(wkb, points_have_the_axes_of_their_layout) {
    expect_good("< 1 30.0 10.0", 1, 1, 30, 10, 0, 0);
    expect_good("> 1 30.0 10.0", 1, 1, 30, 10, 0, 0);
    expect_good("< 1001 1.0 2.0 3.0", 1001, 1, 1, 2, 3, 0);
    expect_good("< 2001 1.0 2.0 3.0", 2001, 1, 1, 2, 0, 3);
    expect_good("> 3001 1.0 2.0 3.0 4.0", 3001, 1, 1, 2, 3, 4);
}

Test(wkb, an_empty_point_is_of_nans) {
    lam_buffer made = make("< 1 nan nan");
    seen all = {0};
    cr_assert_eq(check(lam_buffer_bytes(&made), &all, NULL), LAM_STATUS_OK);
    cr_assert(all.points == 1 && all.absent[0] == 1 && all.absent[1] == 1 && all.absent[2] == 1);
    lam_buffer_finish(&made);
}

Test(wkb, lines_and_polygons_are_points) {
    expect_good("< 2 2 1.0 2.0 3.0 4.0", 2, 2, 4, 6, 0, 0);
    expect_good("> 2 0", 2, 0, 0, 0, 0, 0);
    expect_good("< 8 1 1.0 2.0", 8, 1, 1, 2, 0, 0);
    expect_good("< 3 2 1 1.0 2.0 2 3.0 4.0 5.0 6.0", 3, 3, 9, 12, 0, 0);
    expect_good("< 3 0", 3, 0, 0, 0, 0, 0);
    expect_good("< 1017 1 1 1.0 2.0 3.0", 1017, 1, 1, 2, 3, 0);
}

Test(wkb, geometries_are_made_of_geometries) {
    expect_good("< 4 2 < 1 1.0 2.0 > 1 3.0 4.0", 4, 2, 4, 6, 0, 0);
    expect_good("< 5 1 < 2 1 1.0 2.0", 5, 1, 1, 2, 0, 0);
    expect_good("< 6 1 > 3 1 1 1.0 2.0", 6, 1, 1, 2, 0, 0);
    expect_good("> 7 3 < 1 1.0 2.0 < 7 1 < 1 3.0 4.0 > 4 0", 7, 2, 4, 6, 0, 0);
    expect_good("< 3007 1 < 3001 1.0 2.0 3.0 4.0", 3007, 1, 1, 2, 3, 4);
    expect_good("< 9 2 < 2 0 < 8 0", 9, 0, 0, 0, 0, 0);
    expect_good("< 10 2 < 9 0 < 2 0", 10, 0, 0, 0, 0, 0);
    expect_good("< 11 1 < 8 0", 11, 0, 0, 0, 0, 0);
    expect_good("< 12 2 < 10 0 < 3 0", 12, 0, 0, 0, 0, 0);
    expect_good("< 15 1 < 3 0", 15, 0, 0, 0, 0, 0);
    expect_good("< 16 1 < 17 0", 16, 0, 0, 0, 0, 0);
    expect_good("< 7 0", 7, 0, 0, 0, 0, 0);
}

Test(wkb, members_are_of_the_kinds_that_may_be) {
    const char *words = "a member before that the geometry around it cannot have";
    expect_bad("< 4 1 < 2 0", LAM_STATUS_INVALID, words);
    expect_bad("< 5 1 < 1 1.0 2.0", LAM_STATUS_INVALID, words);
    expect_bad("< 6 1 < 6 0", LAM_STATUS_INVALID, words);
    expect_bad("< 9 1 < 9 0", LAM_STATUS_INVALID, words);
    expect_bad("< 12 1 < 2 0", LAM_STATUS_INVALID, words);
    expect_bad("< 7 1 < 1001 1.0 2.0 3.0", LAM_STATUS_INVALID, "other axes");
    expect_bad("< 1007 1 < 1 1.0 2.0", LAM_STATUS_INVALID, "other axes");
}

Test(wkb, codes_are_those_of_the_iso_form) {
    expect_bad("< 0x20000001 4326 1.0 2.0", LAM_STATUS_INVALID, "code 0x20000001 of extended WKB");
    expect_bad("< 0x80000001 1.0 2.0 3.0", LAM_STATUS_INVALID, "extended WKB");
    static const char *const unknown[] = {"< 0",    "< 13",   "< 14", "< 18",
                                          "< 1000", "< 4001", "> 999"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        expect_bad(unknown[i], LAM_STATUS_UNSUPPORTED, "unknown code");
    lam_error error = lam_error_none();
    seen all = {0};
    const uint8_t order[5] = {2, 1, 0, 0, 0};
    cr_assert_eq(check((lam_bytes){order, 5}, &all, &error), LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, "a byte order"));
}

Test(wkb, counts_are_compared_with_the_bytes_that_they_take) {
    expect_bad("< 2 0xFFFFFFFF", LAM_STATUS_INVALID, "exceeds the bytes left");
    expect_bad("< 3 0xFFFFFFFF", LAM_STATUS_INVALID, "exceeds the bytes left");
    expect_bad("< 7 0xFFFFFFFF", LAM_STATUS_INVALID, "exceeds the bytes left");
    expect_bad("< 3 1 0x10000000 1.0", LAM_STATUS_INVALID, "exceeds the bytes left");
    expect_bad("> 7 2 < 1 1.0 2.0", LAM_STATUS_INVALID, "an end within the header");
}

Test(wkb, nesting_has_no_limit) {
    enum { DEPTH = 100000 };
    lam_buffer made = make("");
    for (int i = 0; i < DEPTH; i++)
        wkb_text_append(&made, "< 7 1");
    wkb_text_append(&made, "< 7 0");
    seen all = {0};
    cr_assert_eq(check(lam_buffer_bytes(&made), &all, NULL), LAM_STATUS_OK);
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer nesting;
    const lam_wkb_sink sink = {&all, add};
    lam_buffer_init(&nesting, &allocator);
    lam_wkb_traits traits;
    cr_assert_eq(lam_wkb_read(lam_buffer_bytes(&made), &sink, &nesting, &traits, NULL),
                 LAM_STATUS_NOMEM);
    lam_buffer_finish(&nesting);
    lam_buffer_finish(&made);
}

Test(wkb, the_kinds_of_all_members_are_told) {
    lam_buffer made = make("< 7 2 < 1 1.0 2.0 > 4 1 < 1 3.0 4.0");
    seen all = {0};
    cr_assert_eq(check(lam_buffer_bytes(&made), &all, NULL), LAM_STATUS_OK);
    cr_assert_eq(all.traits.kinds,
                 1u << LAM_WKB_POINT | 1u << LAM_WKB_MULTI_POINT | 1u << LAM_WKB_COLLECTION);
    lam_buffer_finish(&made);
}
