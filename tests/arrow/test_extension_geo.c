/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coordinate systems and edges of geometries between Arrow's metadata and Parquet's logical types,
 * both ways.
 */
#include "arrow/extension/extension_geo.h"

#include <criterion/criterion.h>

#include "arrow_text.h"
#include "support/failing_alloc.h"

/* --- To Parquet ------------------------------------------------------------------------------- */

static void means(const char *parameters, lam_logical_kind kind, lam_edge_algorithm algorithm,
                  const char *crs) {
    lam_arena arena = arrow_arena();
    lam_logical_type logical;
    const char *fault = "untouched";
    cr_assert_eq(
        lam_extension_geo_logical(lam_arrow_text(parameters), &arena, &logical, &fault, NULL),
        LAM_STATUS_OK);
    cr_assert_null(fault, "%s: %s", parameters, fault);
    cr_assert_eq(logical.kind, kind, "%s", parameters);
    cr_assert_eq(logical.algorithm, algorithm, "%s", parameters);
    if (crs == NULL)
        cr_assert_null(logical.crs, "%s: %s", parameters, logical.crs);
    else
        cr_assert_str_eq(logical.crs, crs, "%s: %s", parameters, logical.crs);
    lam_arena_finish(&arena);
}

Test(extension_geo, a_crs_goes_to_parquet_as_text) {
    means("", LAM_LOGICAL_GEOMETRY, 0, "srid:0");
    means("{}", LAM_LOGICAL_GEOMETRY, 0, "srid:0");
    means("{\"crs\":null}", LAM_LOGICAL_GEOMETRY, 0, "srid:0");
    means("{\"crs\":\"OGC:CRS84\"}", LAM_LOGICAL_GEOMETRY, 0, NULL);
    means("{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}", LAM_LOGICAL_GEOMETRY, 0, NULL);
    means("{\"crs\":\"EPSG:4326\"}", LAM_LOGICAL_GEOMETRY, 0, "EPSG:4326");
    means("{\"crs\":\"0815\",\"crs_type\":\"srid\"}", LAM_LOGICAL_GEOMETRY, 0, "srid:0815");
    means("{\"crs\":{\"id\": {\"code\":\"CRS84\"}},\"crs_type\":\"projjson\"}",
          LAM_LOGICAL_GEOMETRY, 0, "{\"id\": {\"code\":\"CRS84\"}}");
    means("{\"crs\":\"GEOGCRS[\\\"WGS 84\\\"]\",\"crs_type\":\"wkt2:2019\",\"future\":1}",
          LAM_LOGICAL_GEOMETRY, 0, "GEOGCRS[\"WGS 84\"]");
    means("{\"crs\":\"\"}", LAM_LOGICAL_GEOMETRY, 0, "");
    means("{\"crs\":\"\",\"crs_type\":null}", LAM_LOGICAL_GEOMETRY, 0, "");
}

Test(extension_geo, edges_that_are_not_planar_make_a_geography) {
    means("{\"edges\":\"planar\"}", LAM_LOGICAL_GEOMETRY, 0, "srid:0");
    means("{\"edges\":null}", LAM_LOGICAL_GEOMETRY, 0, "srid:0");
    static const char *const names[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};
    for (int i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"edges\":\"%s\",\"crs\":\"OGC:CRS84\"}", names[i]);
        means(text, LAM_LOGICAL_GEOGRAPHY, (lam_edge_algorithm)(i + 1), NULL);
    }
}

Test(extension_geo, other_parameters_are_refused) {
    static const struct {
        const char *parameters;
        const char *fault;
    } cases[] = {
        {"x", "the parameters of geoarrow.wkb are not a JSON object"},
        {"[]", "the parameters of geoarrow.wkb are not a JSON object"},
        {"{\"crs\":1}", "crs of geoarrow.wkb is neither an object nor a string"},
        {"{\"crs\":[]}", "crs of geoarrow.wkb is neither an object nor a string"},
        {"{\"crs\":\"a\\u0000b\"}", "crs of geoarrow.wkb holds a NUL character"},
        {"{\"crs\":\"a\",\"crs\":\"b\"}",
         "the parameters of geoarrow.wkb have crs, crs_type or edges twice"},
        {"{\"crs_type\":null,\"crs_type\":null}",
         "the parameters of geoarrow.wkb have crs, crs_type or edges twice"},
        {"{\"edges\":null,\"edges\":null}",
         "the parameters of geoarrow.wkb have crs, crs_type or edges twice"},
        {"{\"crs_type\":\"wkt\"}",
         "crs_type of geoarrow.wkb must be projjson, wkt2:2019, authority_code or srid"},
        {"{\"edges\":\"round\"}",
         "edges of geoarrow.wkb must be planar, spherical, vincenty, thomas, andoyer or karney"},
        {"{\"edges\":1}",
         "edges of geoarrow.wkb must be planar, spherical, vincenty, thomas, andoyer or karney"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lam_arena arena = arrow_arena();
        lam_logical_type logical = {.kind = LAM_LOGICAL_DATE};
        const char *fault;
        cr_assert_eq(lam_extension_geo_logical(lam_arrow_text(cases[i].parameters), &arena,
                                               &logical, &fault, NULL),
                     LAM_STATUS_OK);
        cr_assert_not_null(fault, "%s", cases[i].parameters);
        cr_assert_str_eq(fault, cases[i].fault);
        cr_assert_eq(logical.kind, LAM_LOGICAL_DATE);
        lam_arena_finish(&arena);
    }
}

/* --- From Parquet ----------------------------------------------------------------------------- */

#define PROJJSON "{\"$schema\":\"x\",\"id\":[1]}"

static const char *const key_values[] = {"other",  "y", "crs-1", PROJJSON, "none", NULL,
                                         "broken", "{", "crs-1", "{}",     NULL};

static void gives(const lam_logical_type *logical, size_t budget, const char *expected) {
    arrow_file file = file_of("message m { required int32 a; }", key_values);
    lam_arena arena = arrow_arena();
    lam_extension_file source = {file.reader, budget};
    lam_bytes parameters;
    cr_assert_eq(lam_extension_geo_parameters(logical, &source, &arena, &parameters, NULL),
                 LAM_STATUS_OK);
    cr_assert(lam_arrow_bytes_equal(parameters, expected), "%s instead of %s",
              (const char *)parameters.data, expected);
    lam_arena_finish(&arena);
    close_file(&file);
}

static void crs_gives(const char *crs, const char *expected) {
    lam_logical_type logical = {.kind = LAM_LOGICAL_GEOMETRY, .crs = crs};
    gives(&logical, LAM_EXTENSION_FILE_BUDGET, expected);
}

Test(extension_geo, a_crs_comes_from_parquet_with_what_kind_it_is) {
    crs_gives(NULL, "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}");
    crs_gives("OGC:CRS84", "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}");
    crs_gives("EPSG:3857", "{\"crs\":\"EPSG:3857\",\"crs_type\":\"authority_code\"}");
    crs_gives("srid:0", "");
    crs_gives("srid:00", "{\"crs\":\"00\",\"crs_type\":\"srid\"}");
    crs_gives("srid:4326", "{\"crs\":\"4326\",\"crs_type\":\"srid\"}");
    crs_gives(PROJJSON, "{\"crs\":" PROJJSON ",\"crs_type\":\"projjson\"}");
    crs_gives("{not json", "{\"crs\":\"{not json\"}");
    crs_gives("GEOGCRS[\"WGS 84\"]", "{\"crs\":\"GEOGCRS[\\\"WGS 84\\\"]\"}");
    crs_gives("", "{\"crs\":\"\"}");
    crs_gives(":4326", "{\"crs\":\":4326\"}");
    crs_gives("EPSG:", "{\"crs\":\"EPSG:\"}");
    crs_gives("EPSG:43 26", "{\"crs\":\"EPSG:43 26\"}");
}

Test(extension_geo, a_crs_under_a_key_is_looked_up) {
    crs_gives("projjson:crs-1", "{\"crs\":" PROJJSON ",\"crs_type\":\"projjson\"}");
    crs_gives("projjson:none", "{\"crs\":\"projjson:none\"}");
    crs_gives("projjson:broken", "{\"crs\":\"projjson:broken\"}");
    crs_gives("projjson:other", "{\"crs\":\"projjson:other\"}");
}

/* A million columns may name the same long text under a key. */
Test(extension_geo, looking_for_keys_ends_with_the_budget) {
    lam_logical_type logical = {.kind = LAM_LOGICAL_GEOMETRY, .crs = "projjson:crs-1"};
    size_t needed = 5 + strlen(PROJJSON);
    gives(&logical, needed, "{\"crs\":" PROJJSON ",\"crs_type\":\"projjson\"}");
    gives(&logical, needed - 1, "{\"crs\":\"projjson:crs-1\"}");
    gives(&logical, 3, "{\"crs\":\"projjson:crs-1\"}");
}

Test(extension_geo, a_geography_says_its_edges) {
    lam_logical_type logical = {.kind = LAM_LOGICAL_GEOGRAPHY, .crs = "srid:0"};
    gives(&logical, 0, "{\"edges\":\"spherical\"}");
    logical.algorithm = LAM_EDGE_ALGORITHM_VINCENTY;
    gives(&logical, 0, "{\"edges\":\"vincenty\"}");
    logical.crs = NULL;
    gives(&logical, 0,
          "{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\",\"edges\":\"vincenty\"}");
}

/* Whatever a file says comes back to it, but for the default, which is then left out. */
Test(extension_geo, logical_types_come_back_from_their_parameters) {
    static const char *const texts[] = {NULL,      "srid:0",  "srid:1", "EPSG:4326",
                                        PROJJSON,  "x \"y\"", "",       "projjson:none",
                                        "{broken", "é",       "a:b:c",  "AUTH:code.1"};
    arrow_file file = file_of("message m { required int32 a; }", NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int algorithm = 0; algorithm <= LAM_EDGE_ALGORITHM_KARNEY; algorithm++) {
            lam_arena arena = arrow_arena();
            lam_extension_file source = {file.reader, LAM_EXTENSION_FILE_BUDGET};
            lam_logical_type logical = {.kind = algorithm == 0 ? LAM_LOGICAL_GEOMETRY
                                                               : LAM_LOGICAL_GEOGRAPHY,
                                        .crs = texts[i],
                                        .algorithm = (lam_edge_algorithm)algorithm};
            lam_bytes parameters;
            cr_assert_eq(lam_extension_geo_parameters(&logical, &source, &arena, &parameters, NULL),
                         LAM_STATUS_OK);
            means((const char *)parameters.data, logical.kind, logical.algorithm, logical.crs);
            lam_arena_finish(&arena);
        }
    close_file(&file);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(extension_geo, any_allocation_of_reading_parameters_may_fail) {
    static const char *const texts[] = {"{\"crs\":\"0815\",\"crs_type\":\"srid\"}",
                                        "{\"crs\":{\"id\":1}}", "{\"crs\":\"EPSG:3857\"}"};
    for (size_t i = 0; i < 3; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t n = 1;
        for (; status != LAM_STATUS_OK; n++) {
            lam_failing_alloc counter = {.fail_at = n};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_arena arena;
            lam_logical_type logical;
            const char *fault;
            void *rest;
            lam_arena_init(&arena, &allocator, 0);
            /* A full arena asks the allocator each time. */
            while (n > 1 && arena.left > 0)
                cr_assert_eq(lam_arena_alloc(&arena, 1, &rest, NULL), LAM_STATUS_OK);
            status =
                lam_extension_geo_logical(lam_arrow_text(texts[i]), &arena, &logical, &fault, NULL);
            cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
            lam_arena_finish(&arena);
            cr_assert_eq(counter.live_bytes, 0);
        }
        cr_assert_gt(n, 2);
    }
}

/* The text grows at other places for each length of the CRS. */
static void fail_parameters(const lam_reader *reader, const char *crs) {
    lam_logical_type logical = {.kind = LAM_LOGICAL_GEOGRAPHY, .crs = crs};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_extension_file source = {reader, LAM_EXTENSION_FILE_BUDGET};
        lam_arena arena;
        lam_bytes parameters = {NULL, 0};
        lam_arena_init(&arena, &allocator, 0);
        status = lam_extension_geo_parameters(&logical, &source, &arena, &parameters, NULL);
        cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        cr_assert_eq(status != LAM_STATUS_OK, parameters.data == NULL);
        lam_arena_finish(&arena);
        cr_assert_eq(counter.live_bytes, 0);
    }
}

Test(extension_geo, any_allocation_of_writing_parameters_may_fail) {
    static const char *const forms[] = {"%.*s", "srid:%.*s", "A:%.*s", "{\"a\":\"%.*s\"}"};
    enum { LENGTH_MOST = 140 };
    arrow_file file = file_of("message m { required int32 a; }", NULL);
    char fill[LENGTH_MOST + 1], crs[LENGTH_MOST + 20];
    memset(fill, '1', LENGTH_MOST);
    fill[LENGTH_MOST] = '\0';
    for (size_t form = 0; form < 4; form++)
        for (int length = 0; length < LENGTH_MOST; length++) {
            int size = snprintf(crs, sizeof crs, forms[form], length, fill);
            cr_assert(size >= length && size < (int)sizeof crs);
            fail_parameters(file.reader, crs);
        }
    close_file(&file);
}
