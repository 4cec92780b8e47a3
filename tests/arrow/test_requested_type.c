/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a consumer asks for is given where the column's values allow it, and where not the field
 * stays as it is: types as texts, column by column, and the values of random schemas.
 */
#include "arrow/schema/requested_type.h"

#include <criterion/criterion.h>

#include "arrow/schema/arrow_original.h"
#include "arrow_text.h"
#include "support/failing_alloc.h"

/* --- Types ------------------------------------------------------------------------------------ */

/*
 * What reading gives when `requested` is asked for; `original` is the schema that the file was
 * written from, NULL for none. free() it.
 */
static char *given(const char *message, const char *original, const char *requested) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, NULL), LAM_STATUS_OK);
    if (original != NULL)
        cr_assert_eq(lam_arrow_original_restore(&plan, fields_of(&plan.arena, original), NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_original_request(&plan, fields_of(&plan.arena, requested), NULL),
                 LAM_STATUS_OK);
    char *text = text_of(&plan.schema);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
    return text;
}

static void gives(const char *message, const char *original, const char *requested,
                  const char *expected) {
    char *text = given(message, original, requested);
    cr_expect_str_eq(text, expected, "%s, %s, asked for %s\ngives    %s\nexpected %s", message,
                     original == NULL ? "no original" : original, requested, text, expected);
    free(text);
}

/* A column as a message has it, and the formats that it is given in on request, or is not. */
typedef struct column_case {
    const char *column;
    const char *original; /* the format that ARROW:schema has, NULL for none */
    const char *own;      /* the format without a request */
    const char *given;    /* separated by blanks */
    const char *ignored;
} column_case;

static const column_case columns[] = {
    {"boolean a", NULL, "b", "b {c}b", "c i"},
    {"int32 a", NULL, "i", "i", "c l I tdD f n"},
    {"int32 a (INTEGER(8,true))", NULL, "c", "c", "C s i"},
    {"int32 a (INTEGER(16,false))", NULL, "S", "S", "C s i"},
    {"int64 a", NULL, "l", "l tDs tDm tDu tDn {i}tDs", "L i tsm: g"},
    {"int64 a", "tDm", "tDm", "l tDm", "tDs tDu tDn L"},
    {"int64 a (INTEGER(64,false))", NULL, "L", "L", "l tDs"},
    {"int32 a (DATE)", NULL, "tdD", "tdD tdm", "i tsm: ttm"},
    {"int32 a (DATE)", "tdm", "tdm", "tdD tdm", "i"},
    {"int32 a (TIME(MILLIS,false))", NULL, "ttm", "ttm", "tts ttu ttn i"},
    {"int32 a (TIME(MILLIS,false))", "tts", "tts", "tts ttm", "ttu"},
    {"int64 a (TIME(MICROS,false))", NULL, "ttu", "ttu", "ttm ttn l"},
    {"int64 a (TIMESTAMP(MILLIS,true))", NULL, "tsm:UTC", "tsm:UTC tsm:Europe/Paris tsm:+05:30",
     "tsm: tss:UTC tsu:UTC tsn:UTC l"},
    {"int64 a (TIMESTAMP(MILLIS,true))", "tss:Asia/Tokyo", "tss:Asia/Tokyo",
     "tss:UTC tsm:UTC tsm:Asia/Tokyo", "tsu:UTC tss: tsm:"},
    {"int64 a (TIMESTAMP(MICROS,false))", NULL, "tsu:", "tsu:", "tsu:UTC tsn: tsm:"},
    {"int64 a (TIMESTAMP(NANOS,false))", NULL, "tsn:", "tsn: {i}tsn:", "tsn:UTC tsu:"},
    {"int96 a", NULL, "tsn:", "tsn: tsn:UTC tsn:Asia/Tokyo", "tsu: tsu:UTC w:12"},
    {"int96 a", "tss:UTC", "tss:UTC", "tss:UTC tss:Asia/Tokyo", "tsm:UTC tsn:UTC tss:"},
    {"float a", NULL, "f", "f {c}f", "g e"},
    {"double a", NULL, "g", "g", "f l"},
    {"fixed_len_byte_array(2) a (FLOAT16)", NULL, "e", "e", "f w:2"},
    {"int32 a (DECIMAL(5,2))", NULL, "d:5,2",
     "d:5,2 d:5,2,32 d:5,2,64 d:5,2,256 d:9,2,32 d:38,2 d:76,2,256", "d:4,2 d:5,1 d:6,3 d:9,3 i"},
    {"int64 a (DECIMAL(18,0))", "d:18,0,64", "d:18,0,64", "d:18,0 d:18,0,256 d:20,0", "d:17,0 l"},
    {"binary a (DECIMAL(40,10))", NULL, "d:40,10,256", "d:40,10,256 d:76,10,256", "d:38,10 z"},
    {"fixed_len_byte_array(12) a (INTERVAL)", NULL, "tin", "tin", "tiM tiD w:12"},
    {"fixed_len_byte_array(12) a (INTERVAL)", "tiM", "tiM", "tiM tin", "tiD"},
    {"fixed_len_byte_array(12) a (INTERVAL)", "tiD", "tiD", "tiD tin", "tiM"},
    {"binary a", NULL, "z", "z Z vz {i}z {l}Z {C}vz", "u U vu w:3"},
    {"binary a (STRING)", NULL, "u", "u U vu z Z vz {i}u {c}U {L}vu {s}z", "i w:3 n"},
    {"binary a (STRING)", "vu", "vu", "u U vu z Z vz {i}u", "w:3"},
    {"binary a (STRING)", "{c}u", "{c}u", "{c}u u vu {i}u {I}U z {l}vz", "i {c}i"},
    {"binary a (ENUM)", NULL, "u", "vu {i}u", "c"},
    {"fixed_len_byte_array(3) a", NULL, "w:3", "w:3 {i}w:3", "w:2 w:4 z"},
    {"int32 a (UNKNOWN)", NULL, "n", "n", "i u"},
};

static void one_gives(const column_case *one, const char *requested, const char *expected) {
    char message[160], original[160], wish[160], result[160];
    snprintf(message, sizeof message, "message m { optional %s; }", one->column);
    snprintf(original, sizeof original, "a?:%s", one->original == NULL ? "" : one->original);
    snprintf(wish, sizeof wish, "a:%s`k=v`", requested);
    snprintf(result, sizeof result, "a?:%s", expected);
    gives(message, one->original == NULL ? NULL : original, wish, result);
}

Test(requested_type, columns_are_given_as_what_holds_all_their_values) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (int ignored = 0; ignored < 2; ignored++) {
            const char *rest = ignored ? columns[i].ignored : columns[i].given;
            while (*rest != '\0') {
                char format[64];
                size_t size = strcspn(rest, " ");
                snprintf(format, sizeof format, "%.*s", (int)size, rest);
                one_gives(&columns[i], format, ignored ? columns[i].own : format);
                rest += size;
                rest += strspn(rest, " ");
            }
        }
}

Test(requested_type, lists_have_any_kind_but_a_fixed_size) {
    static const char message[] = "message m { optional group a (LIST) { repeated group list { "
                                  "optional binary element (STRING); } } }";
    static const char own[] = "a?:+l[element?:u]";
    static const char *const kinds[] = {"+l", "+L", "+vl", "+vL"};
    static const char *const originals[] = {NULL, "a?:+L[element?:u]", "a?:+w:2[element?:u]"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (size_t j = 0; j < sizeof originals / sizeof originals[0]; j++) {
            char wish[64], result[64];
            snprintf(wish, sizeof wish, "a:%s[item:vu]", kinds[i]);
            snprintf(result, sizeof result, "a?:%s[item?:vu]", kinds[i]);
            gives(message, originals[j], wish, result);
        }
    gives(message, NULL, "a:+w:2[item:vu]", own);
    gives(message, "a:+w:2[x:u]", "a:+w:2[item:vu]", "a?:+w:2[item?:vu]");
    gives(message, "a:+w:2[x:u]", "a:+w:3[item:vu]", "a?:+w:2[x?:u]");
    gives(message, NULL, "a:+L[item:i]", "a?:+L[element?:u]");
    gives(message, NULL, "a:u", own);
    gives(message, NULL, "a:+s[element:vu]", own);
    gives(message, NULL, "a:{i}+l[element:vu]", own);
    gives("message m { repeated binary a; }", NULL, "a:+vl[b:Z]", "a:+vl[b:Z]");
}

/* A row may have more strings than a narrow index numbers, which would end the stream. */
Test(requested_type, dictionaries_in_lists_have_wide_indexes) {
    static const char message[] = "message m { repeated binary a (STRING); }";
    gives(message, NULL, "a:+l[a:{c}u]", "a:+l[a:{i}u]");
    gives(message, NULL, "a:+l[a:{S}u]", "a:+l[a:{i}u]");
    gives(message, NULL, "a:+l[a:{I}u]", "a:+l[a:{I}u]");
    gives(message, NULL, "a:+l[a:{l}u]", "a:+l[a:{l}u]");
    gives(message, "a:+l[a:{c}u]", "a:+l[a:{c}U]", "a:+l[a:{c}U]");
    gives(message, "a:+l[a:{c}u]", "a:+l[a:{s}U]", "a:+l[a:{i}U]");
}

/* Nobody has looked whether they are. */
Test(requested_type, only_a_file_says_that_values_are_sorted) {
    static const char message[] = "message m { required binary a (STRING); }";
    gives(message, NULL, "a:{i!}u", "a:{i}u");
    gives(message, "a:{c}u", "a:{i!}u", "a:{i}u");
    gives(message, "a:{c!}u", "a:{i!}u", "a:{i!}u");
    gives(message, "a:{c!}u", "a:{i}u", "a:{i}u");
    static const char map[] = "message m { optional group m (MAP) { repeated group key_value { "
                              "required binary key (STRING); optional int64 value; } } }";
    gives(map, NULL, "m:+m![e:+s[k:vu v:tDs]]", "m?:+m[e:+s[k:vu v?:tDs]]");
    gives(map, "m?:+m![e:+s[k:vu v:l]]", "m:+m![x:+s[y:u z:tDs]]", "m?:+m![x:+s[y:u z?:tDs]]");
    gives(map, "m?:+m![e:+s[k:vu v:l]]", "m:+m[x:+s[y:u z:tDs]]", "m?:+m[x:+s[y:u z?:tDs]]");
    gives(map, NULL, "m:+m[x:+s[y:i z:u]]", "m?:+m[x:+s[key:u value?:l]]");
    gives(map, NULL, "m:+l[x:+s[key:vu]]", "m?:+m[key_value:+s[key:u value?:l]]");
}

Test(requested_type, fields_are_found_by_name_and_stay_where_they_are) {
    static const char message[] =
        "message m { required binary a (STRING); required group s { required binary b (STRING); "
        "optional group l (LIST) { repeated group list { required group element { required binary "
        "c (STRING); required int64 d; } } } } required int64 e; }";
    static const char own[] = "a:u s:+s[b:u l?:+l[element:+s[c:u d:l]]] e:l";
    gives(message, NULL, "", own);
    gives(message, NULL, "A:U x:i t:+s[b:U]", own);
    gives(message, NULL, "e:tDs a:U", "a:U s:+s[b:u l?:+l[element:+s[c:u d:l]]] e:tDs");
    gives(message, NULL, "x:i s:+s[l:+L[element:+s[d:tDs z:u]] y:i]",
          "a:u s:+s[b:u l?:+L[element:+s[c:u d:tDs]]] e:l");
    gives(message, NULL, "s:i e:+s[b:U]", own);
    gives(message, NULL, "s:+us:0[b:U] a:+r[run_ends:i values:u]", own);
    gives(message, "s:+s[b:{c}u l:+vl[item:+s[c:vu]]] e:tDm", "s:+s[b:u] e:l",
          "a:u s:+s[b:u l?:+vl[item:+s[c:vu d:l]]] e:l");
}

Test(requested_type, the_metadata_of_a_field_are_its_own) {
    gives("message m { required binary a (STRING) = 7; }", "a:u`k=v`", "a:U`x=y`@3", "a:U`k=v`@7");
}

Test(requested_type, extension_types_are_left_out_or_stay) {
    static const char json[] = "message m { required binary a (JSON); }";
    gives(json, NULL, "a:U", "a:U");
    gives(json, NULL, "a:z", "a:z");
    gives(json, NULL, "a:{i}u", "a:{i}u");
    gives(json, NULL, "a:U<arrow.json>", "a:U<arrow.json>");
    gives(json, NULL, "a:vu<arrow.json|{ }>", "a:vu<arrow.json>");
    gives(json, NULL, "a:i", "a:u<arrow.json>");
    gives(json, NULL, "a:z<arrow.json>", "a:u<arrow.json>");
    gives(json, NULL, "a:U<other.json>", "a:u<arrow.json>");
    static const char uuid[] = "message m { required fixed_len_byte_array(16) a (UUID); }";
    gives(uuid, NULL, "a:w:16", "a:w:16");
    gives(uuid, NULL, "a:w:16<arrow.uuid>", "a:w:16<arrow.uuid>");
    gives(uuid, NULL, "a:w:16<arrow.uuid|1>", "a:w:16<arrow.uuid>");
    gives(uuid, NULL, "a:w:15", "a:w:16<arrow.uuid>");
    gives("message m { required fixed_len_byte_array(16) a; }", NULL, "a:w:16<arrow.uuid>",
          "a:w:16");
    gives("message m { required int64 a; }", NULL, "a:tDs<arrow.uuid>", "a:l");
    static const char shape[] = "message m { required binary a (GEOMETRY(OGC:CRS84)); }";
    static const char wkb[] =
        "<geoarrow.wkb|{\"crs\":\"OGC:CRS84\",\"crs_type\":\"authority_code\"}>";
    char own[128], large[128];
    snprintf(own, sizeof own, "a:z%s", wkb);
    snprintf(large, sizeof large, "a:Z%s", wkb);
    gives(shape, NULL, large, large);
    gives(shape, NULL, "a:Z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\"}>", large);
    gives(shape, NULL, "a:Z<geoarrow.wkb|{\"crs\":\"EPSG:4326\"}>", own);
    gives(shape, NULL, "a:Z", "a:Z");
}

Test(requested_type, a_variant_stays_one_in_other_kinds_of_bytes) {
    static const char message[] =
        "message m { required group v (VARIANT(1)) { required binary metadata; optional binary "
        "value; optional int32 typed_value (INTEGER(16,true)); } }";
    static const char own[] = "v:+s<arrow.parquet.variant>[metadata:z value?:z typed_value?:s]";
    gives(message, NULL, "v:+s<arrow.parquet.variant>[value:vz metadata:{c}Z typed_value:s]",
          "v:+s<arrow.parquet.variant>[metadata:{c}Z value?:vz typed_value?:s]");
    gives(message, NULL, "v:+s<arrow.parquet.variant>[metadata:Z value?:Z]",
          "v:+s<arrow.parquet.variant>[metadata:Z value?:Z typed_value?:s]");
    /* Of unsigned numbers in 16 bits there are some that lie in 8, but not all. */
    gives(message, NULL, "v:+s<arrow.parquet.variant>[metadata:Z value?:Z typed_value:C]",
          "v:+s<arrow.parquet.variant>[metadata:Z value?:Z typed_value?:s]");
    gives(message, NULL, "v:+s[metadata:Z value?:{i}Z]",
          "v:+s[metadata:Z value?:{i}Z typed_value?:s]");
    gives(message, NULL, "v:+s<arrow.parquet.variant>[metadata:Z value?:{i}Z]", own);
    gives(message, NULL, "v:+s<vendor.variant>[metadata:Z value?:Z]", own);
}

/* --- Options ---------------------------------------------------------------------------------- */

static const char two_columns[] =
    "message m { required binary a (STRING); required int64 b; optional group c (LIST) { repeated "
    "group list { optional int32 element (DECIMAL(5,2)); } } }";

static char *exported(const char *message, const lam_arrow_read_options *given_options,
                      const char *requested) {
    lam_arrow_read_options options = *given_options;
    arrow_file file = file_of(message, NULL);
    struct ArrowSchema wish, schema;
    lam_arena arena = arrow_arena();
    lam_arrow_field root;
    if (requested != NULL) {
        wish = schema_of(requested);
        options.requested = &wish;
    }
    cr_assert_eq(lam_arrow_export_schema(file.reader, &options, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_field_import(&schema, &arena, &root, NULL), LAM_STATUS_OK);
    schema.release(&schema);
    char *text = text_of(&root);
    if (requested != NULL)
        wish.release(&wish);
    lam_arena_finish(&arena);
    close_file(&file);
    return text;
}

static void exports(const lam_arrow_read_options *options, const char *requested,
                    const char *expected) {
    char *text = exported(two_columns, options, requested);
    cr_expect_str_eq(text, expected, "%s\ngives    %s\nexpected %s", requested, text, expected);
    free(text);
}

Test(requested_type, other_options_go_before_the_request) {
    static const char wish[] = "a:vu b:tDs c:+L[item:d:5,2,32]";
    lam_arrow_read_options options = lam_arrow_read_options_default();
    exports(&options, wish, "a:vu b:tDs c?:+L[item?:d:5,2,32]");
    options.arrow_schema = LAM_SWITCH_OFF;
    exports(&options, wish, "a:vu b:tDs c?:+L[item?:d:5,2,32]");
    options.lenient = true;
    exports(&options, wish, "a:vu b:tDs c?:+L[element?:d:10,2]");
    exports(&options, "c:+l[x:d:10,2,64]", "a:u b:l c?:+l[x?:d:10,2,64]");
    const bool dictionaries[] = {true, false, false};
    options.dictionary_leaves = dictionaries;
    exports(&options, "a:vu", "a:{i}vu b:l c?:+l[element?:d:10,2]");
}

Test(requested_type, the_request_is_about_the_projection) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    const bool leaves[] = {false, true, true};
    options.leaves = leaves;
    exports(&options, "a:vu b:tDs", "b:tDs c?:+l[element?:d:5,2]");
}

Test(requested_type, no_dictionaries_are_given_if_none_are_wanted) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.dictionaries = LAM_SWITCH_OFF;
    exports(&options, "a:{i}vu b:{c}l c:+l[x:{i}d:5,2]", "a:vu b:l c?:+l[x?:d:5,2]");
    const bool none[] = {false, false, false};
    options.dictionary_leaves = none;
    exports(&options, NULL, "a:u b:l c?:+l[element?:d:5,2]");
    options.dictionaries = LAM_SWITCH_ON;
    exports(&options, "a:{i}u", "a:{i}u b:l c?:+l[element?:d:5,2]");
}

static void refuses(const lam_arrow_read_options *options, const char *words) {
    arrow_file file = file_of(two_columns, NULL);
    struct ArrowSchema schema;
    struct ArrowArrayStream stream;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_export_schema(file.reader, options, &schema, &error),
                 LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, words), "%s", error.message);
    cr_assert_eq(lam_arrow_read_stream(file.reader, options, &stream, &error), LAM_STATUS_INVALID);
    close_file(&file);
}

Test(requested_type, options_that_contradict_each_other_are_refused) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    const bool some[] = {true, false, false};
    options.dictionaries = LAM_SWITCH_OFF;
    options.dictionary_leaves = some;
    refuses(&options, "no dictionaries, not both");
    options = lam_arrow_read_options_default();
    options.dictionaries = (lam_switch)77;
    refuses(&options, "dictionaries");
}

/* Leaves that are not read do not matter. */
Test(requested_type, a_dictionary_beside_the_projection_is_none) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    const bool some[] = {true, false, false}, leaves[] = {false, true, false};
    options.dictionaries = LAM_SWITCH_OFF;
    options.dictionary_leaves = some;
    options.leaves = leaves;
    exports(&options, NULL, "b:l");
}

static void release_nothing(struct ArrowSchema *schema) {
    schema->release = NULL;
}

Test(requested_type, a_request_that_breaks_the_interface_is_refused) {
    struct ArrowSchema column = {.format = "u", .name = "a", .release = release_nothing};
    struct ArrowSchema *columns_of_root[] = {&column};
    struct ArrowSchema root = {
        .format = "+s", .n_children = 1, .children = columns_of_root, .release = release_nothing};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.requested = &root;
    char *text = exported(two_columns, &options, NULL);
    cr_assert_str_eq(text, "a:u b:l c?:+l[element?:d:5,2]");
    free(text);
    column.format = "vx";
    refuses(&options, "the requested schema: a: ");
    column.format = "+l";
    refuses(&options, "the requested schema: a: ");
    column.format = "u";
    column.name = "\xff";
    refuses(&options, "UTF-8");
    columns_of_root[0] = NULL;
    refuses(&options, "NULL");
    root.n_children = -1;
    refuses(&options, "negative");
    root.release = NULL;
    refuses(&options, "released");
}

Test(requested_type, a_request_of_another_shape_is_ignored) {
    static const char own[] = "a:u b:l c?:+l[element?:d:5,2]";
    struct ArrowSchema values = {.format = "u", .release = release_nothing};
    struct ArrowSchema indexes = {.format = "i", .dictionary = &values, .release = release_nothing};
    struct ArrowSchema outer = {
        .format = "i", .name = "a", .dictionary = &indexes, .release = release_nothing};
    struct ArrowSchema other = {.format = "l", .release = release_nothing};
    struct ArrowSchema *columns_of_root[] = {&outer};
    struct ArrowSchema root = {
        .format = "+s", .n_children = 1, .children = columns_of_root, .release = release_nothing};
    const struct ArrowSchema *const shapes[] = {&root, &other, &indexes};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.requested = shapes[i];
        char *text = exported(two_columns, &options, NULL);
        cr_expect_str_eq(text, own, "%s", text);
        free(text);
    }
}

Test(requested_type, any_allocation_may_fail) {
    static const char wish[] = "c:+L[item:d:5,2] b:tDs a:vu x:+s[y:+m[e:+s[k:u v:u]]]";
    arrow_file file = file_of(two_columns, NULL);
    struct ArrowSchema requested = schema_of(wish);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_status status = LAM_STATUS_NOMEM;
    options.requested = &requested;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        status = lam_arrow_plan_read(&plan, file.reader, &options, &allocator, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            lam_arrow_plan_finish(&plan);
        cr_assert_eq(counter.live_bytes, 0);
    }
    requested.release(&requested);
    close_file(&file);
}
