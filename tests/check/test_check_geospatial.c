/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding boxes and lists of types against the geometries that they speak of. */
#include <lamella/record.h>
#include <math.h>
#include <stdio.h>

#include "check/forge.h"
#include "stats/wkb_text.h"
#include "support/whole_footer.h"

enum { GEOMETRIES_MOST = 8 };

typedef struct geo_file {
    const char *type;                   /* "GEOMETRY" */
    const char *texts[GEOMETRIES_MOST]; /* NULL ends them */
    bool has_box;
    lam_meta_bounding_box box;
    int32_t types[GEOMETRIES_MOST];
    uint32_t type_count;
} geo_file;

static void expect(const geo_file *wanted, const char *rules) {
    char text[80];
    lam_bytes values[GEOMETRIES_MOST];
    lam_buffer made[GEOMETRIES_MOST];
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_footer footer;
    size_t count = 0;
    for (; count < GEOMETRIES_MOST && wanted->texts[count] != NULL; count++) {
        lam_buffer_init(&made[count], &allocator);
        wkb_text_append(&made[count], wanted->texts[count]);
        values[count] = lam_buffer_bytes(&made[count]);
    }
    snprintf(text, sizeof text, "message m { required binary a (%s); }", wanted->type);
    lam_schema *schema = lam_test_schema(text);
    lam_triples column = {count, count, NULL, NULL, values};
    lam_buffer file = forge_triples(schema, NULL, &column, count);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
    lam_meta_geospatial_statistics statistics = {0};
    if (wanted->has_box)
        statistics.bbox = &wanted->box;
    if (wanted->type_count > 0)
        statistics.has = LAM_META_GEOSPATIAL_STATISTICS_HAS_GEOSPATIAL_TYPES;
    statistics.geospatial_types = (lam_meta_i32_list){wanted->types, wanted->type_count};
    ((lam_meta_column *)footer.meta.row_groups.items[0].columns.items[0].meta_data)
        ->geospatial_statistics = &statistics;
    file.size = (size_t)footer.offset;
    cr_assert_eq(lam_footer_write(&footer.meta, &file, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
    lam_arena_finish(&arena);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
    while (count > 0)
        lam_buffer_finish(&made[--count]);
}

/* Points at (10, 20), (30, 40) and nowhere, and a box around them. */
static geo_file three_points(const char *type) {
    geo_file file = {.type = type, .has_box = true, .box = {0, 10, 30, 20, 40, 0, 0, 0, 0}};
    file.texts[0] = "< 1 10.0 20.0";
    file.texts[1] = "> 1 30.0 40.0";
    file.texts[2] = "< 1 nan nan";
    return file;
}

/* --- The bounding box ------------------------------------------------------------------------ */

Test(check_geospatial, points_lie_within_the_box) {
    static const char *const types[] = {"GEOMETRY", "GEOGRAPHY"};
    for (size_t i = 0; i < 2; i++) {
        geo_file file = three_points(types[i]);
        expect(&file, "");
        file.box.xmin = 5;
        expect(&file, "");
        file.box.xmin = 11;
        expect(&file, "geospatial-bounds");
        file.box.xmin = 10;
        file.box.xmax = 29.5;
        expect(&file, "geospatial-bounds");
        file.box.xmax = 30;
        file.box.ymin = 20.25;
        expect(&file, "geospatial-bounds");
        file.box.ymin = 20;
        file.box.ymax = 39;
        expect(&file, "geospatial-bounds");
    }
}

Test(check_geospatial, x_may_wrap_around_and_y_may_not) {
    geo_file file = three_points("GEOGRAPHY");
    file.box.xmin = 29;
    file.box.xmax = 11;
    expect(&file, "");
    file.box.xmax = 9;
    expect(&file, "geospatial-bounds");
    file = three_points("GEOMETRY");
    file.box.ymin = 41;
    file.box.ymax = 19;
    expect(&file, "geospatial-bounds");
}

Test(check_geospatial, the_edges_of_a_geography_are_rounded) {
    geo_file file = three_points("GEOGRAPHY");
    file.box.xmin = nextafter(10, 11);
    expect(&file, "geospatial-rounding");
    file.texts[3] = "< 1 9.0 20.0";
    expect(&file, "geospatial-bounds geospatial-rounding");
    file = three_points("GEOMETRY");
    file.box.xmin = nextafter(10, 11);
    expect(&file, "geospatial-bounds");
}

Test(check_geospatial, a_box_has_numbers) {
    geo_file file = three_points("GEOMETRY");
    file.box.ymax = (double)NAN;
    expect(&file, "geospatial-bounds");
}

Test(check_geospatial, z_and_m_are_bounded_too) {
    geo_file file = {.type = "GEOMETRY", .has_box = true, .box = {0, 1, 5, 2, 6, 3, 7, 4, 8}};
    file.texts[0] = "< 3001 1.0 2.0 3.0 4.0";
    file.texts[1] = "< 3001 5.0 6.0 7.0 8.0";
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX |
                   LAM_META_BOUNDING_BOX_HAS_MMIN | LAM_META_BOUNDING_BOX_HAS_MMAX;
    expect(&file, "");
    file.box.zmax = 6;
    expect(&file, "geospatial-bounds");
    file.box.zmax = 7;
    file.box.mmin = 5;
    expect(&file, "geospatial-bounds");
    file.box.mmin = 9;
    expect(&file, "geospatial-bounds");
}

Test(check_geospatial, the_box_has_the_axes_of_the_points) {
    geo_file file = three_points("GEOMETRY");
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX;
    expect(&file, "geospatial-box");
    file.box.has = LAM_META_BOUNDING_BOX_HAS_MMAX;
    expect(&file, "geospatial-box");
    file.box.has = 0;
    file.texts[2] = "< 1001 10.0 20.0 nan";
    expect(&file, "");
    file.texts[2] = "< 1001 10.0 20.0 1.0";
    expect(&file, "geospatial-box");
    file.texts[0] = file.texts[1] = file.texts[2] = "< 1 10.0 nan";
    expect(&file, "geospatial-box");
}

/* What some geometry that cannot be read has is not known. */
Test(check_geospatial, a_geometry_that_cannot_be_read_is_held_against_nothing) {
    geo_file file = three_points("GEOMETRY");
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX;
    file.types[0] = 1;
    file.types[1] = 1002;
    file.type_count = 2;
    file.texts[2] = "< 1002 1 1.0";
    expect(&file, "wkb");
    file.texts[2] = "< 99";
    expect(&file, "unsupported");
}

Test(check_geospatial, longitudes_and_latitudes_have_their_degrees) {
    geo_file file = {.type = "GEOGRAPHY"};
    file.texts[0] = "< 1 -180.0 90.0";
    expect(&file, "");
    file.texts[1] = "< 1 180.5 0.0";
    expect(&file, "geographic-range");
    file.type = "GEOMETRY";
    expect(&file, "geographic-range");
    file.type = "GEOMETRY(srid:5070)";
    expect(&file, "");
    file.type = "GEOMETRY(OGC:CRS84)";
    file.texts[1] = "< 1 0.0 -91.0";
    expect(&file, "geographic-range");
    file.texts[1] = "< 3001 0.0 0.0 1000.0 -1000.0";
    expect(&file, "");
    file = three_points("GEOGRAPHY");
    file.box.xmin = -181;
    expect(&file, "geographic-range");
}

/* --- The types ------------------------------------------------------------------------------- */

Test(check_geospatial, the_list_has_all_types_once) {
    geo_file file = {.type = "GEOMETRY", .types = {1, 1002}, .type_count = 2};
    file.texts[0] = "< 1 1.0 2.0";
    file.texts[1] = "< 1002 0";
    expect(&file, "");
    file.types[1] = 2;
    expect(&file, "geospatial-types-unused geospatial-types");
    file.types[1] = 1002;
    file.types[2] = 7;
    file.type_count = 3;
    expect(&file, "geospatial-types-unused");
    file.types[2] = 1;
    expect(&file, "geospatial-types");
    file.types[2] = -1;
    expect(&file, "unsupported");
    file.type_count = 0;
    expect(&file, "");
}

/* The types in a collection are its own business. */
Test(check_geospatial, the_outermost_type_counts) {
    geo_file file = {.type = "GEOMETRY", .types = {7}, .type_count = 1};
    file.texts[0] = "< 7 1 < 1 1.0 2.0";
    expect(&file, "");
}

/* --- Half a box ------------------------------------------------------------------------------ */

Test(check_geospatial, a_box_without_a_number_is_none_at_either_end) {
    geo_file file = three_points("GEOMETRY");
    file.box.ymin = (double)NAN;
    expect(&file, "geospatial-bounds");
    file = three_points("GEOGRAPHY");
    file.box.xmin = (double)NAN;
    expect(&file, "geospatial-bounds");
}

Test(check_geospatial, one_end_of_an_axis_is_told_once) {
    geo_file file = three_points("GEOMETRY");
    file.texts[2] = "< 1001 10.0 20.0 1.0";
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMIN;
    expect(&file, "geospatial-box");
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMAX;
    expect(&file, "geospatial-box");
    file.texts[2] = NULL;
    file.box.has = LAM_META_BOUNDING_BOX_HAS_ZMIN;
    expect(&file, "geospatial-box");
}

Test(check_geospatial, what_comes_twice_in_the_list_is_told_once) {
    geo_file file = {.type = "GEOMETRY", .types = {1, 1002, 1, 1002}, .type_count = 4};
    file.texts[0] = "< 1 1.0 2.0";
    file.texts[1] = "< 1002 0";
    expect(&file, "geospatial-types");
    file.types[2] = -1;
    file.types[3] = -2;
    expect(&file, "unsupported");
}
