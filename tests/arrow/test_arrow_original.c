/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema that a writer stored beside its columns is put back over them as far as it fits. Where
 * it lies, the columns win.
 */
#include "arrow/schema/arrow_original.h"

#include <criterion/criterion.h>

#include "arrow/read/leaf_values.h"
#include "arrow_text.h"
#include "random_fields.h"
#include "schema/schema_texts.h"
#include "support/failing_alloc.h"

/* What reading a message gives when it was written from the schema `original`; free() it. */
static char *restored(const char *message, const char *original, const bool *leaves) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.leaves = leaves;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, &options, NULL, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(lam_arrow_original_restore(&plan, fields_of(&plan.arena, original), &error),
                 LAM_STATUS_OK);
    char *text = text_of(&plan.schema);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return text;
}

static void becomes(const char *message, const char *original, const char *expected) {
    char *text = restored(message, original, NULL);
    cr_expect_str_eq(text, expected, "%s from %s\nbecomes  %s\nexpected %s", message, original,
                     text, expected);
    free(text);
}

/* The original is what comes back. */
static void comes_back(const char *message, const char *original) {
    becomes(message, original, original);
}

/* The original does not fit, so that what comes back is as if there were none. */
static void is_ignored(const char *message, const char *original, const char *expected) {
    becomes(message, original, expected);
    becomes(message, "", expected);
}

/* --- Round trips ------------------------------------------------------------------------------ */

/* Everything that the writer takes and that is not run-end encoded. */
static const char *const schemas[] = {
    "a:n b?:b c:c d:C e:s f:S g:i h:I i?:l j:L k:e l:f m:g",
    "a:d:5,2,32 b:d:5,2,64 c:d:5,2 d:d:5,2,256 e:d:38,0 f:d:38,38,256 g:d:76,0,256",
    "a:tdD b:tdm c:tts d:ttm e:ttu f:ttn",
    "a:tss: b:tsm: c:tsu: d:tsn: e:tss:UTC f:tsm:Europe/Paris g:tsu:+05:30 h:tsn:Etc/GMT-14",
    "a:tDs b:tDm c:tDu d:tDn e:tiM f:tiD g:tin",
    "a:z b:Z c:vz d:u e:U f:vu g:w:1 h:w:16",
    "a:{c}u b:{C}z c:{s!}U d:{S}vu e:{i}w:3 f:{I}l g:{l}d:9,2 h:{L!}tsu:UTC i:{c}b j:{c}n",
    "a:+l[x?:i] b:+L[item:i] c?:+vl[element:u] d:+vL[e?:+w:2[f:z]] e:+w:0[any:f]",
    "a:+m[entries:+s[key:u value?:i]] b?:+m![x:+s[keys:{c}u values:+L[v:l]]]",
    "s?:+s[a:+s[b?:+l[c:+s[d?:vu e:+m[f:+s[g:vz h?:tdm]]]]]]",
    "a:i`k=v``l=w` b?:+l`outer=1`[x:i`inner=2`] c:+m`m=`[e:+s`entries=3`[k:u`q=r` v:u]]",
    "a:i@1 b:+l@2[x:+s@3[y:i@-4]] m:+m@5[e:+s@6[k:u@7 v:u@8]]",
    "a:w:16<arrow.uuid> b:u<arrow.json> c:vu<arrow.json|{}> d:c<arrow.bool8> e:{c}U<arrow.json>",
    "a:n<arrow.opaque|{\"type_name\":\"x\",\"vendor_name\":\"y\"}> b:tsu:<vendor.time|\"x\">",
    "t:+w:6<arrow.fixed_shape_tensor|{\"shape\":[2,3]}>[item:f] "
    "v:+s<arrow.variable_shape_tensor>[data:+l[item:f] shape:+w:2[item:i]]",
    "a:z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\"}> b:Z<geoarrow.wkb> c:vz<geoarrow.wkb|{ }> "
    "d:z<geoarrow.wkb|{\"edges\":\"spherical\",\"crs\":{\"id\":1}}>`k=v`",
    "v?:+s<arrow.parquet.variant>`k=v`[value?:vz metadata:{c}Z typed_value?:+L[e:+s[value?:z "
    "typed_value?:C] ]]",
    "v:+s<arrow.parquet.variant>[metadata:z typed_value?:+s[a:+s[typed_value?:S] "
    "b:+s[typed_value?:I] c:+s[typed_value?:w:16<arrow.uuid>]]]",
};

Test(arrow_original, every_schema_comes_back_from_its_columns) {
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        struct ArrowSchema schema = schema_of(schemas[i]);
        lam_arena arena = arrow_arena();
        lam_arrow_field original;
        lam_arrow_plan plan;
        lam_schema *parquet;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_field_import(&schema, &arena, &original, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, &error), LAM_STATUS_OK,
                     "%s: %s", schemas[i], error.message);
        char *expected = text_of(&original);
        arrow_file file = file_of_schema(parquet, NULL);
        cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, &error), LAM_STATUS_OK,
                     "%s: %s", schemas[i], error.message);
        cr_assert_eq(lam_arrow_original_restore(&plan, &original, NULL), LAM_STATUS_OK);
        char *found = text_of(&plan.schema);
        cr_expect_str_eq(found, expected, "%s\ncame back as %s", expected, found);
        free(expected);
        free(found);
        lam_arrow_plan_finish(&plan);
        close_file(&file);
        lam_arena_finish(&arena);
        schema.release(&schema);
    }
}

/* --- Files of other writers ------------------------------------------------------------------- */

Test(arrow_original, decimals_come_back_from_any_physical_type) {
    static const char *const columns[] = {"int32 a", "int64 a", "binary a",
                                          "fixed_len_byte_array(4) a",
                                          "fixed_len_byte_array(32) a"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char message[128];
        snprintf(message, sizeof message, "message m { required %s (DECIMAL(9,2)); }", columns[i]);
        comes_back(message, "a:d:9,2,32");
        comes_back(message, "a:d:9,2,64");
        comes_back(message, "a:d:9,2,256");
        is_ignored(message, "a:d:9,3,32", "a:d:9,2");
        is_ignored(message, "a:d:8,2,32", "a:d:9,2");
        is_ignored(message, "a:i", "a:d:9,2");
    }
}

Test(arrow_original, timestamps_in_another_unit_keep_the_zone) {
    static const char utc[] = "message m { required int64 a (TIMESTAMP(MICROS,true)); }";
    comes_back(utc, "a:tsu:Europe/Paris");
    becomes(utc, "a:tsn:Europe/Paris", "a:tsu:Europe/Paris");
    becomes(utc, "a:tss:Europe/Paris", "a:tsu:Europe/Paris");
    is_ignored(utc, "a:tsu:", "a:tsu:UTC");
    static const char local[] = "message m { required int64 a (TIMESTAMP(MICROS,false)); }";
    is_ignored(local, "a:tsu:UTC", "a:tsu:");
    is_ignored(local, "a:l", "a:tsu:");
    static const char coarse[] = "message m { required int64 a (TIMESTAMP(MILLIS,true)); }";
    comes_back(coarse, "a:tss:Europe/Paris");
    becomes(coarse, "a:tsu:Europe/Paris", "a:tsm:Europe/Paris");
}

/* INT96 says neither in what unit its values were counted nor whether they are adjusted to UTC. */
Test(arrow_original, old_timestamps_take_zone_and_unit) {
    static const char message[] = "message m { required int96 a; }";
    comes_back(message, "a:tsn:");
    comes_back(message, "a:tsn:Asia/Shanghai");
    comes_back(message, "a:tsu:UTC");
    comes_back(message, "a:tsm:");
    comes_back(message, "a:tss:UTC");
    is_ignored(message, "a:w:12", "a:tsn:");
}

/* Writers that knew no UUID, JSON or GEOMETRY wrote the storage alone. */
Test(arrow_original, extension_types_come_back_over_bare_storage) {
    comes_back("message m { required fixed_len_byte_array(16) a; }", "a:w:16<arrow.uuid>");
    comes_back("message m { required binary a (STRING); }", "a:U<arrow.json>");
    comes_back("message m { required binary a; }", "a:Z<geoarrow.wkb|{\"crs\":\"EPSG:1\"}>");
    comes_back("message m { required group a { required binary metadata; required binary value; } "
               "}",
               "a:+s<arrow.parquet.variant>[metadata:vz value:z]");
    comes_back("message m { required binary a; }", "a:z<geoarrow.wkb|{malformed>");
    comes_back("message m { required int32 a; }", "a:i<arrow.uuid|wrong>");
}

/* A column that is a UUID, JSON or VARIANT is one, whatever is said of it. */
Test(arrow_original, extension_types_of_the_columns_stay) {
    static const char uuid[] = "message m { required fixed_len_byte_array(16) a (UUID); }";
    becomes(uuid, "a:w:16`k=v`", "a:w:16`k=v`<arrow.uuid>");
    becomes(uuid, "a:{s}w:16<vendor.id|1>", "a:{s}w:16<arrow.uuid>");
    becomes(uuid, "a:w:16<other.uuid>", "a:w:16<arrow.uuid>");
    static const char json[] = "message m { required binary a (JSON); }";
    becomes(json, "a:vu", "a:vu<arrow.json>");
    comes_back(json, "a:u<arrow.json|{ }>");
    static const char variant[] = "message m { required group a (VARIANT(1)) { required binary "
                                  "metadata; optional binary value; } }";
    becomes(variant, "a:+s[metadata:Z value?:vz]",
            "a:+s<arrow.parquet.variant>[metadata:Z value?:vz]");
}

Test(arrow_original, a_crs_of_the_column_stays_when_the_other_is_another) {
    static const char plain[] = "message m { required binary a (GEOMETRY); }";
    comes_back(plain, "a:z<geoarrow.wkb|{\"crs\": \"OGC:CRS84\"}>");
    static const char named[] = "message m { required binary a (GEOMETRY(OGC:CRS84)); }";
    comes_back(named, "a:vz<geoarrow.wkb|{\"crs\": \"OGC:CRS84\"}>");
    comes_back(plain, "a:z<geoarrow.wkb>");
    becomes(named, "a:z<geoarrow.wkb>",
            "a:z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}>");
    static const char *const others[] = {"|{\"crs\":\"EPSG:4326\"}", "|{broken",
                                         "|{\"crs\":\"OGC:CRS84\",\"edges\":\"karney\"}"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char original[128];
        snprintf(original, sizeof original, "a:Z<geoarrow.wkb%s>", others[i]);
        becomes(plain, original,
                "a:Z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}>");
    }
    static const char coded[] = "message m { required binary a (GEOMETRY(EPSG:3857)); }";
    static const char code[] =
        "a:Z<geoarrow.wkb|{\"crs\":\"EPSG:3857\",\"crs_type\":\"authority_code\"}>";
    becomes(coded, "a:Z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\"}>", code);
    becomes(coded, "a:Z<geoarrow.wkb|{\"crs\":\"EPSG:4326\"}>", code);
    becomes(coded, "a:Z<geoarrow.wkb|{}>", code);
    comes_back(coded, "a:Z<geoarrow.wkb|{\"crs\":\"EPSG:3857\"}>");
    static const char sphere[] = "message m { required binary a (GEOGRAPHY); }";
    becomes(sphere, "a:z<geoarrow.wkb|{\"edges\":\"vincenty\",\"crs\":\"OGC:CRS84\"}>",
            "a:z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\","
            "\"edges\":\"spherical\"}>");
    comes_back(sphere, "a:z<geoarrow.wkb|{\"edges\":\"spherical\",\"crs\":\"OGC:CRS84\"}>");
}

/* The id is the column's own, where the original one stood. */
Test(arrow_original, ids_are_those_of_the_columns) {
    becomes("message m { required int32 a = 7; }", "a:i`k=v`@3`l=w`", "a:i`k=v`@7`l=w`");
    becomes("message m { required int32 a = 7; }", "a:i`k=v`", "a:i`k=v`@7");
    becomes("message m { required int32 a; }", "a:i`k=v`@3", "a:i`k=v`");
}

Test(arrow_original, nullability_is_that_of_the_columns) {
    becomes("message m { optional int32 a; required group b (LIST) { repeated group list { "
            "optional int32 element; } } }",
            "a:i b?:+l[x:i]", "a?:i b:+l[x?:i]");
}

Test(arrow_original, lists_of_other_shapes_take_kind_and_name) {
    comes_back("message m { optional group a (LIST) { repeated int32 array; } }",
               "a?:+L[item:i`k=v`]");
    comes_back("message m { repeated int64 a; }", "a:+vl[item:tDs]");
    becomes("message m { repeated int32 a; }", "a:+vl[item:tDs]", "a:+vl[a:i]");
    comes_back("message m { repeated group a { repeated int64 b; } }", "a:+w:3[x:+s[b:+L[y:tDs]]]");
}

/* --- Fields that are not where they were ------------------------------------------------------ */

Test(arrow_original, fields_are_found_by_name_when_they_moved) {
    becomes("message m { required int64 c; required int64 x; required int64 a; required int64 b; }",
            "a:tDs b:tDm c:tDu", "c:tDu x:l a:tDs b:tDm");
    becomes("message m { required group s { required int64 b; } }", "s:+s[a:tDs b:tDm c:tDu]",
            "s:+s[b:tDm]");
}

Test(arrow_original, of_several_fields_of_one_name_the_one_in_place_is_taken) {
    becomes("message m { required int64 x; required int64 a; }", "a:tDs a:tDm", "x:l a:tDm");
    becomes("message m { required int64 y; required int64 x; required int64 a; }", "a:tDs a:tDm",
            "y:l x:l a:tDs");
}

/* A file's siblings of one name share nothing of the original schema. */
Test(arrow_original, each_original_field_is_given_once) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_arrow_plan plan;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_INT64, NULL, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    arrow_file file = file_of_schema(schema, NULL);
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_original_restore(&plan, fields_of(&plan.arena, "x:l a:tDs"), NULL),
                 LAM_STATUS_OK);
    char *text = text_of(&plan.schema);
    cr_assert_str_eq(text, "a:tDs a:l a:l");
    free(text);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

Test(arrow_original, wide_schemas_are_matched_in_any_order) {
    enum { WIDTH = 20000 };
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_arrow_plan plan;
    void *memory;
    char name[16];
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = WIDTH; i > 0; i--) {
        snprintf(name, sizeof name, "c%d", i - 1);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_INT64, NULL, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    arrow_file file = file_of_schema(schema, NULL);
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    lam_arrow_field root = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}, .child_count = WIDTH};
    cr_assert_eq(lam_arena_array(&plan.arena, WIDTH, sizeof root, &memory, NULL), LAM_STATUS_OK);
    root.children = memory;
    for (int i = 0; i < WIDTH; i++) {
        char *copy;
        int size = snprintf(name, sizeof name, "c%d", i);
        cr_assert_eq(lam_arena_copy(&plan.arena, name, (size_t)size, &copy, NULL), LAM_STATUS_OK);
        root.children[i].name = copy;
        root.children[i].type.kind = LAM_ARROW_DURATION;
        root.children[i].type.unit = (lam_arrow_unit)(i % 4);
    }
    cr_assert_eq(lam_arrow_original_restore(&plan, &root, NULL), LAM_STATUS_OK);
    for (int i = 0; i < WIDTH; i++) {
        const lam_arrow_field *field = &plan.schema.children[i];
        cr_assert_eq(field->type.kind, LAM_ARROW_DURATION);
        cr_assert_eq((int)field->type.unit, (WIDTH - 1 - i) % 4);
    }
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

/* --- Projections ------------------------------------------------------------------------------ */

Test(arrow_original, a_projected_field_is_matched_by_its_place_in_the_file) {
    const bool leaves[] = {false, true, false, true};
    char *text = restored("message m { required int64 a; required int64 b; required group s { "
                          "required int64 c; required int64 d; } }",
                          "a:tDs b:tDm s:+s<vendor.pair>`k=v`[c:tDu d:tDn]", leaves);
    cr_assert_str_eq(text, "b:tDm s:+s`k=v`[d:tDn]");
    free(text);
}

/* Without its keys or its values a map is a list of what is left, which has its types. */
Test(arrow_original, half_a_map_keeps_the_types_and_names_of_its_half) {
    static const char message[] = "message m { optional group m (MAP) { repeated group key_value { "
                                  "required binary key (STRING); optional int64 value; } } }";
    static const char original[] = "m?:+m!`k=v`[es:+s`e=f`[ks:vu vs?:tDs]]";
    const bool keys[] = {true, false};
    const bool values[] = {false, true};
    char *text = restored(message, original, keys);
    cr_expect_str_eq(text, "m?:+l`k=v`[es:+s`e=f`[ks:vu]]");
    free(text);
    text = restored(message, original, values);
    cr_expect_str_eq(text, "m?:+l`k=v`[es:+s`e=f`[vs?:tDs]]");
    free(text);
    comes_back(message, original);
}

/* --- Lies ------------------------------------------------------------------------------------- */

Test(arrow_original, what_does_not_fit_is_ignored_field_by_field) {
    static const struct {
        const char *column;
        const char *expected;
    } columns[] = {
        {"boolean a", "a:b"},
        {"int32 a", "a:i"},
        {"int32 a (INTEGER(8,true))", "a:c"},
        {"int32 a (INTEGER(16,false))", "a:S"},
        {"int64 a (INTEGER(64,false))", "a:L"},
        {"int32 a (DATE)", "a:tdD"},
        {"int32 a (TIME(MILLIS,false))", "a:ttm"},
        {"int64 a (TIME(NANOS,false))", "a:ttn"},
        {"int32 a (UNKNOWN)", "a:n"},
        {"float a", "a:f"},
        {"double a", "a:g"},
        {"binary a", "a:z"},
        {"binary a (STRING)", "a:u"},
        {"fixed_len_byte_array(3) a", "a:w:3"},
        {"fixed_len_byte_array(2) a (FLOAT16)", "a:e"},
        {"fixed_len_byte_array(12) a (INTERVAL)", "a:tin"},
        {"group a { required int32 x; }", "a:+s[x:i]"},
        {"group a (LIST) { repeated group list { required int32 element; } }", "a:+l[element:i]"},
        {"group a (MAP) { repeated group key_value { required int32 key; required int32 value; } }",
         "a:+m[key_value:+s[key:i value:i]]"},
    };
    static const struct {
        const char *format;
        const char *fits; /* the columns that may have been of that type */
    } originals[] = {
        {"a:b`k=v`", "a:b"},
        {"a:{c}i`k=v`", "a:i"},
        {"a:c`k=v`", "a:c"},
        {"a:S`k=v`", "a:S"},
        {"a:L`k=v`", "a:L"},
        {"a:tDs`k=v`", ""},
        {"a:tdm`k=v`", "a:tdD"},
        {"a:tts`k=v`", "a:ttm"},
        {"a:ttn`k=v`", "a:ttn"},
        {"a:ttu`k=v`", ""},
        {"a:n`k=v`", "a:n"},
        {"a:f`k=v`", "a:f"},
        {"a:g`k=v`", "a:g"},
        {"a:vz`k=v`", "a:z"},
        {"a:{i}U`k=v`", "a:u"},
        {"a:w:3`k=v`", "a:w:3"},
        {"a:w:2`k=v`", ""},
        {"a:e`k=v`", "a:e"},
        {"a:tiM`k=v`", "a:tin"},
        {"a:d:9,0`k=v`", ""},
        {"a:tsu:`k=v`", ""},
        {"a:{c}+s`k=v`[x:i]", ""},
        {"a:{c}+l`k=v`[x:i]", ""},
        {"a:+us:`k=v`", ""},
        {"a:+r`k=v`[run_ends:i values:i]", ""},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (size_t j = 0; j < sizeof originals / sizeof originals[0]; j++) {
            char message[160];
            snprintf(message, sizeof message, "message m { required %s; }", columns[i].column);
            if (columns[i].expected[0] != '\0' &&
                strcmp(columns[i].expected, originals[j].fits) == 0)
                comes_back(message, originals[j].format);
            else
                becomes(message, originals[j].format, columns[i].expected);
        }
}

Test(arrow_original, a_lie_below_leaves_what_is_around_it) {
    becomes("message m { required group a { required int64 x; required int64 y; required group z "
            "(LIST) { repeated group list { required binary element; } } } }",
            "a:+s`k=v`[x:u y:tDs z:+L[item:u]]", "a:+s`k=v`[x:l y:tDs z:+L[element:z]]");
    becomes("message m { required group a (MAP) { repeated group key_value { required int32 key; "
            "required int64 value; } } }",
            "a:+m![e:+s[k:u v:tDs]]", "a:+m![e:+s[key:i v:tDs]]");
    becomes("message m { required group a (MAP) { repeated group key_value { required int32 key; "
            "required int64 value; } } }",
            "a:+l[e:+s[key:u value:tDs]]", "a:+m[key_value:+s[key:i value:l]]");
    becomes("message m { required group a (LIST) { repeated group list { required group element { "
            "required int32 key; required int64 value; } } } }",
            "a:+m[e:+s[key:i value:tDs]]", "a:+l[element:+s[key:i value:l]]");
}

/* A copy of a field of which some are replaced by others of the same name. */
static lam_arrow_field lying_copy(lam_random *random, lam_arena *arena,
                                  const lam_arrow_field *field) {
    lam_arrow_field copy = *field;
    void *memory;
    if (lam_random_chance(random, 25)) {
        copy = lam_random_field(random, arena, 3);
        copy.name = field->name;
        return copy;
    }
    copy.name = lam_random_chance(random, 10) ? "other" : field->name;
    copy.nullable = lam_random_chance(random, 50);
    cr_assert_eq(lam_arena_array(arena, copy.child_count, sizeof copy, &memory, NULL),
                 LAM_STATUS_OK);
    copy.children = memory;
    for (size_t i = 0; i < copy.child_count; i++)
        copy.children[i] = lying_copy(random, arena, &field->children[i]);
    if (copy.type.kind == LAM_ARROW_STRUCT && copy.child_count > 2 && lam_random_chance(random, 30))
        copy.child_count--;
    return copy;
}

/* Whether arrays of the fields can be made of the columns, as far as types go. */
static void is_readable(const lam_arrow_node *node, const lam_arrow_field *field) {
    lam_arrow_field copy = *field;
    cr_assert_null(lam_arrow_field_complete(&copy), "%s", lam_arrow_field_complete(&copy));
    cr_assert_eq(node->child_count, field->child_count);
    cr_assert_eq(node->shape == LAM_ARROW_NODE_STRUCT, field->type.kind == LAM_ARROW_STRUCT);
    if (node->shape == LAM_ARROW_NODE_VALUE) {
        lam_leaf_values values;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_leaf_values_init(&values, lam_kernels_get(), node->leaf, &field->type,
                                          NULL, &error),
                     LAM_STATUS_OK, "%s", error.message);
    }
    for (size_t i = 0; i < node->child_count; i++)
        is_readable(&node->children[i], &field->children[i]);
}

Test(arrow_original, no_lie_makes_a_column_unreadable, .timeout = 120) {
    uint64_t seed = lam_test_seed(4003);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 3000; round++) {
        arrow_file file = file_of_schema(random_schema(&random, 12, 6), NULL);
        lam_arrow_plan plan;
        struct ArrowSchema schema;
        cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
        lam_arrow_field original = lying_copy(&random, &plan.arena, &plan.schema);
        if (original.type.kind == LAM_ARROW_STRUCT) {
            cr_assert_eq(lam_arrow_original_restore(&plan, &original, NULL), LAM_STATUS_OK,
                         "seed %llu, round %d", (unsigned long long)seed, round);
            is_readable(&plan.root, &plan.schema);
            lam_allocator heap = lam_allocator_default();
            cr_assert_eq(lam_arrow_field_export(&plan.schema, &heap, &schema, NULL), LAM_STATUS_OK);
            schema.release(&schema);
        }
        lam_arrow_plan_finish(&plan);
        close_file(&file);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(arrow_original, any_allocation_may_fail) {
    arrow_file file = file_of("message m { required int64 b; required binary a (GEOMETRY) = 1; "
                              "repeated group c = 3 { required int32 x; } required group m (MAP) "
                              "{ repeated group key_value = 4 { required int32 key; required int64 "
                              "value = 5; } } }",
                              NULL);
    lam_arena arena = arrow_arena();
    const lam_arrow_field *original =
        fields_of(&arena, "a:Z<geoarrow.wkb|{\"crs\":{}}>`k=v` b:tDs`l=w`@4 c:+L[y:+s<z>[x:i]] "
                          "m:+m`k=v`[e:+s`l=w`@6[k:i v:tDs`k=v`@7]]");
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, &allocator, NULL),
                     LAM_STATUS_OK);
        /* A full arena asks the allocator each time. */
        void *rest;
        while (plan.arena.left > 16)
            cr_assert_eq(lam_arena_alloc(&plan.arena, 16, &rest, NULL), LAM_STATUS_OK);
        counter.fail_at = counter.requests + n;
        lam_status status = lam_arrow_original_restore(&plan, original, &error);
        lam_arrow_plan_finish(&plan);
        cr_assert_eq(counter.live_bytes, 0);
        if (status == LAM_STATUS_OK) {
            cr_assert_gt(n, 1);
            break;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    lam_arena_finish(&arena);
    close_file(&file);
}
