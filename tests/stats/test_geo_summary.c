/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes and types of geometries, and where none can be told. */
#include "stats/geo_summary.h"

#include <math.h>
#include <stdio.h>

#include "stats/wkb_text.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"

typedef struct fixture {
    lam_schema *schema;
    lam_geo_summary summary;
    lam_arena arena;
    lam_buffer bytes;
} fixture;

static fixture open(const char *type) {
    fixture it;
    char text[80];
    lam_allocator allocator = lam_allocator_default();
    snprintf(text, sizeof text, "message m { optional binary g (%s); }", type);
    it.schema = lam_test_parse(text);
    cr_assert(lam_geo_summary_takes(lam_schema_leaf(it.schema, 0)));
    lam_geo_summary_init(&it.summary, lam_schema_leaf(it.schema, 0), &allocator);
    lam_arena_init(&it.arena, &allocator, 0);
    lam_buffer_init(&it.bytes, &allocator);
    return it;
}

static void close(fixture *it) {
    lam_geo_summary_finish(&it->summary);
    lam_arena_finish(&it->arena);
    lam_buffer_finish(&it->bytes);
    lam_schema_destroy(it->schema);
}

static void add(fixture *it, const char *text) {
    lam_buffer_clear(&it->bytes);
    wkb_text_append(&it->bytes, text);
    lam_bytes value = lam_buffer_bytes(&it->bytes);
    cr_assert_eq(lam_geo_summary_add(&it->summary, &value, 1, NULL), LAM_STATUS_OK);
}

static const lam_meta_geospatial_statistics *statistics(fixture *it) {
    const lam_meta_geospatial_statistics *found;
    cr_assert_eq(lam_geo_summary_statistics(&it->summary, &it->arena, &found, NULL), LAM_STATUS_OK);
    return found;
}

/* What is told of some geometries as text: "1 2003 | x 1 2 y 3 4", without "|" when no box is. */
static void expect(const char *type, const char *const *texts, const char *wanted) {
    static const char names[] = "zm";
    char got[300];
    size_t size = 0;
    fixture it = open(type);
    for (; *texts != NULL; texts++)
        add(&it, *texts);
    const lam_meta_geospatial_statistics *found = statistics(&it);
    if (found == NULL) {
        cr_expect_str_eq("nothing", wanted);
        close(&it);
        return;
    }
    for (uint32_t i = 0; i < found->geospatial_types.count; i++)
        size += (size_t)snprintf(got + size, sizeof got - size, i == 0 ? "%d" : " %d",
                                 (int)found->geospatial_types.items[i]);
    if (found->bbox != NULL) {
        const lam_meta_bounding_box *box = found->bbox;
        const double ends[] = {box->zmin, box->zmax, box->mmin, box->mmax};
        const uint32_t bits = LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX;
        size += (size_t)snprintf(got + size, sizeof got - size, " | x %g %g y %g %g", box->xmin,
                                 box->xmax, box->ymin, box->ymax);
        for (int i = 0; i < 2; i++) {
            uint32_t has = box->has >> 2 * i & bits;
            cr_expect(has == 0 || has == bits);
            if (has != 0)
                size += (size_t)snprintf(got + size, sizeof got - size, " %c %g %g", names[i],
                                         ends[2 * i], ends[2 * i + 1]);
        }
    }
    cr_expect_str_eq(got, wanted);
    close(&it);
}

#define GEOMETRIES(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(geo_summary, the_box_holds_all_points_and_types_come_once) {
    expect("GEOMETRY", GEOMETRIES("< 1 1.0 2.0", "> 1 -3.0 5.0", "< 2 2 0.0 0.0 4.0 4.0"),
           "1 2 | x -3 4 y 0 5");
    expect("GEOMETRY", GEOMETRIES("< 7 2 < 1 1.0 2.0 > 3 1 1 7.0 8.0"), "7 | x 1 7 y 2 8");
}

Test(geo_summary, axes_are_those_that_points_have) {
    expect("GEOMETRY", GEOMETRIES("< 1001 1.0 2.0 3.0", "< 2001 1.0 2.0 9.0"),
           "1001 2001 | x 1 1 y 2 2 z 3 3 m 9 9");
    expect("GEOMETRY", GEOMETRIES("< 3001 1.0 2.0 3.0 4.0", "< 3001 0.0 2.0 5.0 -4.0"),
           "3001 | x 0 1 y 2 2 z 3 5 m -4 4");
}

Test(geo_summary, nans_are_skipped_axis_by_axis) {
    expect("GEOMETRY", GEOMETRIES("< 1 1.0 nan", "< 1 nan 2.0"), "1 | x 1 1 y 2 2");
    expect("GEOMETRY", GEOMETRIES("< 1 1.0 nan"), "1");
    expect("GEOMETRY", GEOMETRIES("< 1 nan nan", "< 2 0"), "1 2");
    expect("GEOMETRY", GEOMETRIES("< 1001 1.0 2.0 nan"), "1001 | x 1 1 y 2 2");
}

Test(geo_summary, arcs_go_beyond_their_points) {
    expect("GEOMETRY", GEOMETRIES("< 8 3 0.0 0.0 1.0 1.0 2.0 0.0"), "8");
    expect("GEOMETRY", GEOMETRIES("< 1 0.0 0.0", "< 9 1 < 8 3 0.0 0.0 1.0 1.0 2.0 0.0"), "1 9");
    expect("GEOMETRY", GEOMETRIES("< 9 1 < 2 2 0.0 0.0 1.0 1.0"), "9 | x 0 1 y 0 1");
}

Test(geo_summary, edges_of_a_geography_go_beyond_their_ends) {
    expect("GEOGRAPHY", GEOMETRIES("< 1 0.0 1.0", "< 4 1 < 1 5.0 2.0"), "1 4 | x 0 5 y 1 2");
    expect("GEOGRAPHY", GEOMETRIES("< 1 0.0 1.0", "< 2 2 0.0 60.0 90.0 60.0"), "1 2");
    expect("GEOGRAPHY", GEOMETRIES("< 7 1 < 3 1 1 7.0 8.0"), "7");
}

Test(geo_summary, longitudes_of_a_geography_wrap_where_that_is_shorter) {
    expect("GEOGRAPHY", GEOMETRIES("< 1 170.0 0.0", "< 1 -170.0 0.0", "< 1 -175.0 1.0"),
           "1 | x 170 -170 y 0 1");
    expect("GEOMETRY", GEOMETRIES("< 1 170.0 0.0", "< 1 -170.0 0.0"), "1 | x -170 170 y 0 0");
    expect("GEOGRAPHY", GEOMETRIES("< 1 80.0 0.0", "< 1 -80.0 0.0"), "1 | x -80 80 y 0 0");
    expect("GEOGRAPHY", GEOMETRIES("< 1 180.0 0.0", "< 1 -180.0 0.0"), "1 | x 180 -180 y 0 0");
    expect("GEOGRAPHY", GEOMETRIES("< 1 170.0 0.0", "< 1 0.0 0.0", "< 1 -170.0 1.0"),
           "1 | x 0 -170 y 0 1");
}

Test(geo_summary, a_geography_beyond_the_degrees_has_no_box) {
    expect("GEOGRAPHY", GEOMETRIES("< 1 181.0 0.0"), "1");
    expect("GEOGRAPHY", GEOMETRIES("< 1 -181.0 0.0"), "1");
    expect("GEOGRAPHY", GEOMETRIES("< 1 0.0 -91.0"), "1");
    expect("GEOGRAPHY", GEOMETRIES("< 1 0.0 91.0"), "1");
    expect("GEOMETRY", GEOMETRIES("< 1 181.0 -91.0"), "1 | x 181 181 y -91 -91");
}

Test(geo_summary, what_is_no_geometry_may_be_anywhere_and_anything) {
    expect("GEOMETRY", GEOMETRIES("< 1 1.0 2.0", "< 1 1.0"), "nothing");
    expect("GEOMETRY", GEOMETRIES("< 99 1.0"), "nothing");
}

Test(geo_summary, a_restart_forgets_all) {
    fixture it = open("GEOGRAPHY");
    cr_expect_null(statistics(&it));
    add(&it, "< 99");
    lam_geo_summary_restart(&it.summary);
    cr_expect_null(statistics(&it));
    add(&it, "< 1 1.0 2.0");
    cr_expect_eq(statistics(&it)->bbox->xmax, 1);
    cr_expect(it.summary.is_geography);
    close(&it);
}

/* Whether a box has a longitude, going east from its first end. */
static bool goes_over(const lam_meta_bounding_box *box, double x) {
    if (box->xmin <= box->xmax)
        return x >= box->xmin && x <= box->xmax;
    return x >= box->xmin || x <= box->xmax;
}

Test(geo_summary, random_points_lie_in_a_box_that_no_end_can_leave) {
    for (uint64_t seed = 0; seed < 300; seed++) {
        enum { MOST = 12 };
        lam_random random = lam_random_start(seed);
        bool is_geography = seed % 2 == 0;
        size_t count = 1 + (size_t)lam_random_below(&random, MOST);
        double x[MOST], y[MOST], least = INFINITY, most = -INFINITY;
        bool west_end = false, east_end = false;
        fixture it = open(is_geography ? "GEOGRAPHY" : "GEOMETRY");
        for (size_t i = 0; i < count; i++) {
            char text[80];
            x[i] = (double)lam_random_below(&random, 361) - 180;
            y[i] = (double)lam_random_below(&random, 181) - 90;
            least = y[i] < least ? y[i] : least;
            most = y[i] > most ? y[i] : most;
            snprintf(text, sizeof text, "< 1 %.1f %.1f", x[i], y[i]);
            add(&it, text);
        }
        const lam_meta_bounding_box *box = statistics(&it)->bbox;
        cr_assert_eq(box->ymin, least);
        cr_assert_eq(box->ymax, most);
        cr_assert(is_geography || box->xmin <= box->xmax);
        for (size_t i = 0; i < count; i++) {
            cr_assert(goes_over(box, x[i]), "seed %d", (int)seed);
            west_end = west_end || x[i] == box->xmin;
            east_end = east_end || x[i] == box->xmax;
        }
        cr_assert(west_end && east_end, "seed %d", (int)seed);
        close(&it);
    }
}

Test(geo_summary, memory_may_run_out_anywhere) {
    for (uint64_t round = 2;; round++) { /* each request with words asked for, and without */
        fixture it = open("GEOMETRY");
        lam_failing_alloc counter = {.fail_at = round / 2};
        lam_allocator allocator = lam_failing_allocator(&counter);
        const lam_meta_geospatial_statistics *found = NULL;
        lam_error error = lam_error_none(), *asked = round % 2 == 0 ? NULL : &error;
        it.summary.nesting.allocator = allocator;
        it.arena.allocator = allocator;
        wkb_text_append(&it.bytes, "< 7 1 < 1 1.0 2.0");
        lam_bytes value = lam_buffer_bytes(&it.bytes);
        lam_status status = lam_geo_summary_add(&it.summary, &value, 1, asked);
        if (status == LAM_STATUS_OK)
            status = lam_geo_summary_statistics(&it.summary, &it.arena, &found, asked);
        close(&it);
        if (status == LAM_STATUS_OK)
            return;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_eq(error.status, asked == NULL ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
    }
}
