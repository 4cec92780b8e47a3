/* SPDX-License-Identifier: Apache-2.0 */
/* Which Parquet column each Arrow type becomes, and which types become none, with the reason. */
#include "arrow/schema/arrow_to_parquet.h"

#include <criterion/criterion.h>

#include "arrow_text.h"
#include "support/failing_alloc.h"

/* The fields of a schema as message text on one line, without what is around them; free() it. */
static char *message_of(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0);
    char *text = malloc(size + 1);
    lam_schema_print(schema, text, size + 1);
    char *from = strchr(text, '{') + 1;
    *strrchr(text, '}') = '\0';
    char *to = text;
    for (; *from != '\0'; from++)
        if (*from != '\n' && *from != ' ')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
    return text;
}

static void becomes(const char *arrow, const char *expected) {
    struct ArrowSchema schema = schema_of(arrow);
    lam_schema *parquet;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, &error), LAM_STATUS_OK, "%s: %s",
                 arrow, error.message);
    char *message = message_of(parquet);
    cr_expect_str_eq(message, expected, "%s\nbecomes  %s\nexpected %s", arrow, message, expected);
    free(message);
    lam_schema_destroy(parquet);
    schema.release(&schema);
}

static void is_refused(const char *arrow, lam_status status, const char *message) {
    struct ArrowSchema schema = schema_of(arrow);
    lam_schema *parquet = NULL;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_arrow_import_schema(&schema, NULL, &parquet, &error), status, "%s: %s", arrow,
                 lam_status_name(error.status));
    cr_expect_str_eq(error.message, message);
    cr_expect_null(parquet);
    schema.release(&schema);
}

/* --- Types ------------------------------------------------------------------------------------ */

/* Each on a column `c` that is not nullable. */
static const struct {
    const char *format;
    const char *column;
} types[] = {
    {"n", "int32 c (UNKNOWN);"},
    {"b", "boolean c;"},
    {"c", "int32 c (INTEGER(8,true));"},
    {"C", "int32 c (INTEGER(8,false));"},
    {"s", "int32 c (INTEGER(16,true));"},
    {"S", "int32 c (INTEGER(16,false));"},
    {"i", "int32 c;"},
    {"I", "int32 c (INTEGER(32,false));"},
    {"l", "int64 c;"},
    {"L", "int64 c (INTEGER(64,false));"},
    {"e", "fixed_len_byte_array(2) c (FLOAT16);"},
    {"f", "float c;"},
    {"g", "double c;"},
    {"d:1,0,32", "int32 c (DECIMAL(1,0));"},
    {"d:9,9,32", "int32 c (DECIMAL(9,9));"},
    {"d:9,2,64", "int32 c (DECIMAL(9,2));"},
    {"d:10,2,64", "int64 c (DECIMAL(10,2));"},
    {"d:18,0", "int64 c (DECIMAL(18,0));"},
    {"d:19,0", "fixed_len_byte_array(9) c (DECIMAL(19,0));"},
    {"d:21,0", "fixed_len_byte_array(9) c (DECIMAL(21,0));"},
    {"d:22,0", "fixed_len_byte_array(10) c (DECIMAL(22,0));"},
    {"d:38,10", "fixed_len_byte_array(16) c (DECIMAL(38,10));"},
    {"d:9,2,256", "int32 c (DECIMAL(9,2));"},
    {"d:39,0,256", "fixed_len_byte_array(17) c (DECIMAL(39,0));"},
    {"d:76,76,256", "fixed_len_byte_array(32) c (DECIMAL(76,76));"},
    {"tdD", "int32 c (DATE);"},
    {"tdm", "int32 c (DATE);"},
    {"tts", "int32 c (TIME(MILLIS,false));"},
    {"ttm", "int32 c (TIME(MILLIS,false));"},
    {"ttu", "int64 c (TIME(MICROS,false));"},
    {"ttn", "int64 c (TIME(NANOS,false));"},
    {"tss:", "int64 c (TIMESTAMP(MILLIS,false));"},
    {"tsm:", "int64 c (TIMESTAMP(MILLIS,false));"},
    {"tsu:", "int64 c (TIMESTAMP(MICROS,false));"},
    {"tsn:", "int64 c (TIMESTAMP(NANOS,false));"},
    {"tss:Europe/Paris", "int64 c (TIMESTAMP(MILLIS,true));"},
    {"tsn:+05:30", "int64 c (TIMESTAMP(NANOS,true));"},
    {"tDs", "int64 c;"},
    {"tDn", "int64 c;"},
    {"tiM", "fixed_len_byte_array(12) c (INTERVAL);"},
    {"tiD", "fixed_len_byte_array(12) c (INTERVAL);"},
    {"tin", "fixed_len_byte_array(12) c (INTERVAL);"},
    {"z", "binary c;"},
    {"Z", "binary c;"},
    {"vz", "binary c;"},
    {"u", "binary c (STRING);"},
    {"U", "binary c (STRING);"},
    {"vu", "binary c (STRING);"},
    {"w:1", "fixed_len_byte_array(1) c;"},
    {"w:4096", "fixed_len_byte_array(4096) c;"},
    {"{c}u", "binary c (STRING);"},
    {"{L!}i", "int32 c;"},
    {"{s}n", "int32 c (UNKNOWN);"},
    {"w:16<arrow.uuid>", "fixed_len_byte_array(16) c (UUID);"},
    {"u<arrow.json>", "binary c (JSON);"},
    {"U<arrow.json|{}>", "binary c (JSON);"},
    {"{c}vu<arrow.json>", "binary c (JSON);"},
    {"c<arrow.bool8>", "int32 c (INTEGER(8,true));"},
    {"z<vendor.thing|any bytes>", "binary c;"},
    {"z<geoarrow.wkb|{\"crs\":\"OGC:CRS84\"}>", "binary c (GEOMETRY);"},
    {"Z<geoarrow.wkb|{\"crs\":\"EPSG:4326\"}>", "binary c (GEOMETRY(EPSG:4326));"},
    {"vz<geoarrow.wkb>", "binary c (GEOMETRY(srid:0));"},
    {"z<geoarrow.wkb|{\"edges\":\"karney\"}>", "binary c (GEOGRAPHY(srid:0,KARNEY));"},
    {"l@7", "int64 c = 7;"},
    {"l@-2147483648", "int64 c = -2147483648;"},
};

Test(arrow_to_parquet, every_type_has_its_column) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char arrow[256];
        char column[256];
        snprintf(arrow, sizeof arrow, "c:%s", types[i].format);
        snprintf(column, sizeof column, "required %s", types[i].column);
        becomes(arrow, column);
        snprintf(arrow, sizeof arrow, "c?:%s", types[i].format);
        snprintf(column, sizeof column, "optional %s", types[i].column);
        becomes(arrow, column);
    }
}

Test(arrow_to_parquet, every_precision_takes_as_few_bytes_as_hold_its_digits) {
    for (int precision = 19; precision <= 76; precision++) {
        /* 10^precision - 1 <= 2^(8 bytes - 1) - 1, in long division by hand. */
        uint8_t power[40] = {1};
        for (int digit = 0; digit < precision; digit++)
            for (size_t i = 0, carry = 0; i < sizeof power; i++, carry >>= 8) {
                carry += power[i] * 10u;
                power[i] = (uint8_t)carry;
            }
        int bits = 8 * (int)sizeof power;
        while ((power[(bits - 1) / 8] >> ((bits - 1) % 8) & 1) == 0)
            bits--;
        char arrow[64], column[96];
        snprintf(arrow, sizeof arrow, "c:d:%d,0,256", precision);
        snprintf(column, sizeof column, "required fixed_len_byte_array(%d) c (DECIMAL(%d,0));",
                 bits / 8 + 1, precision);
        becomes(arrow, column);
    }
}

/* --- Nesting ---------------------------------------------------------------------------------- */

Test(arrow_to_parquet, every_list_has_three_levels) {
    static const char *const kinds[] = {"+l", "+L", "+vl", "+vL", "+w:3", "+w:0"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char arrow[64];
        snprintf(arrow, sizeof arrow, "a?:%s[any:i]", kinds[i]);
        becomes(arrow,
                "optional group a (LIST) { repeated group list { required int32 element; } }");
    }
    becomes("a:+l[item?:+L[item?:u]]",
            "required group a (LIST) { repeated group list { optional group element (LIST) { "
            "repeated group list { optional binary element (STRING); } } } }");
}

Test(arrow_to_parquet, a_map_has_key_and_value_whatever_they_are_called) {
    becomes("m?:+m[entries:+s[keys:u values?:i]]",
            "optional group m (MAP) { repeated group key_value { required binary key (STRING); "
            "optional int32 value; } }");
    becomes("m:+m![x:+s[k:+s[a?:i] v:+l[e:i]]]",
            "required group m (MAP) { repeated group key_value { required group key { optional "
            "int32 a; } required group value (LIST) { repeated group list { required int32 "
            "element; } } } }");
}

/* A key that may be null by its flag never is one: the format of maps says so. */
Test(arrow_to_parquet, entries_and_keys_are_never_null_whatever_their_flags) {
    becomes("m:+m[e?:+s[k?:i v:i]]",
            "required group m (MAP) { repeated group key_value { required int32 key; required "
            "int32 value; } }");
}

Test(arrow_to_parquet, ids_of_fields_go_to_their_groups) {
    becomes("s:+s@1[l:+l@2[item:i@3] m:+m@4[entries:+s@5[key:i@6 value:i@-7]]]",
            "required group s = 1 { required group l (LIST) = 2 { repeated group list { required "
            "int32 element = 3; } } required group m (MAP) = 4 { repeated group key_value = 5 { "
            "required int32 key = 6; required int32 value = -7; } } }");
}

Test(arrow_to_parquet, what_is_run_end_encoded_is_as_its_values) {
    becomes("a?:+r[run_ends:i values?:u]", "optional binary a (STRING);");
    becomes("a:+r[run_ends:s values?:+s[x:i y?:+r[run_ends:l values?:d:9,2]]]",
            "required group a { required int32 x; optional int32 y (DECIMAL(9,2)); }");
    becomes("a:+r[run_ends:s values:{c}u]", "required binary a (STRING);");
    becomes("a:+r@5[run_ends:s values:w:16<arrow.uuid>]",
            "required fixed_len_byte_array(16) a (UUID) = 5;");
}

Test(arrow_to_parquet, a_variant_is_a_group_of_its_parts) {
    becomes("v?:+s<arrow.parquet.variant>[metadata:z value?:z]",
            "optional group v (VARIANT(1)) { required binary metadata; optional binary value; }");
    becomes("v:+s<arrow.parquet.variant>[typed_value?:+l[e:+s[value?:vz typed_value?:u]] "
            "metadata:{c}z]",
            "required group v (VARIANT(1)) { optional group typed_value (LIST) { repeated group "
            "list { required group element { optional binary value; optional binary typed_value "
            "(STRING); } } } required binary metadata; }");
    becomes("v:+s<arrow.parquet.variant>[metadata:+r[run_ends:i values:z] typed_value?:tsn:UTC]",
            "required group v (VARIANT(1)) { required binary metadata; optional int64 typed_value "
            "(TIMESTAMP(NANOS,true)); }");
}

/* VARIANT has no unsigned numbers (VariantShredding.md, "Shredded Value Types"). */
Test(arrow_to_parquet, unsigned_numbers_in_a_variant_become_wider_signed_ones) {
    becomes("v:+s<arrow.parquet.variant>[metadata:z typed_value?:+s[a:+s[typed_value?:C] "
            "b:+s[typed_value?:S] c:+s[typed_value?:I]]]",
            "required group v (VARIANT(1)) { required binary metadata; optional group typed_value "
            "{ required group a { optional int32 typed_value (INTEGER(16,true)); } required group "
            "b { optional int32 typed_value; } required group c { optional int64 typed_value; } } "
            "}");
    becomes("v:+s[metadata:z typed_value?:C]", "required group v { required binary metadata; "
                                               "optional int32 typed_value (INTEGER(8,false)); }");
}

Test(arrow_to_parquet, a_schema_may_have_no_columns) {
    becomes("", "");
}

/* --- Refusals --------------------------------------------------------------------------------- */

Test(arrow_to_parquet, what_parquet_cannot_hold_is_refused_with_its_path) {
    static const struct {
        const char *arrow;
        const char *message;
    } cases[] = {
        {"a:+s[b:d:5,-2]", "a.b: Parquet has no decimals of negative scale"},
        {"a:+s[b:d:5,6]",
         "a.b: Parquet has no decimals whose scale is greater than their precision"},
        {"a:+l[item:w:0]", "a.item: Parquet has no binary of a fixed size of 0 bytes"},
        {"a:+s[b:i c?:+s]", "a.c: Parquet has no structs without fields"},
        {"a:+us:0,1[x:i y:u]", "a: Parquet has no unions"},
        {"a:+l[item:+ud:5[x:i]]", "a.item: Parquet has no unions"},
        {"a:+m[entries:+s[key:i value:+us:]]", "a.entries.value: Parquet has no unions"},
        {"a:{i}+s[x:i]", "a: Parquet has no dictionaries of nested values"},
        {"a:{i}+l[x:i]", "a: Parquet has no dictionaries of nested values"},
        {"a:+l[item:+r[run_ends:i values:+r[run_ends:i values:i]]]",
         "a.item: run ends inside run ends or of a dictionary"},
        {"a:{i}+r[run_ends:i values:i]", "a: run ends inside run ends or of a dictionary"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        is_refused(cases[i].arrow, LAM_STATUS_UNSUPPORTED, cases[i].message);
}

Test(arrow_to_parquet, ids_that_are_no_32_bit_number_are_refused) {
    static const char *const ids[] = {"",   "-",   "+1",         "1.0",         "0x1",
                                      "1 ", "abc", "2147483648", "-2147483649", "00000000000000"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char arrow[64];
        snprintf(arrow, sizeof arrow, "a:+l[item:i`PARQUET:field_id=%s`]", ids[i]);
        is_refused(arrow, LAM_STATUS_INVALID,
                   "a.item: PARQUET:field_id in its metadata is not a 32-bit number");
    }
    is_refused("a:+m[entries:+s`PARQUET:field_id=x`[key:i value:i]]", LAM_STATUS_INVALID,
               "a.entries: PARQUET:field_id in its metadata is not a 32-bit number");
    becomes("a:i`PARQUET:field_id=007`", "required int32 a = 7;");
    becomes("a:i`PARQUET:field_id=-0`", "required int32 a = 0;");
}

Test(arrow_to_parquet, siblings_of_one_name_are_refused) {
    is_refused("s:+s[a:i b:i a:u]", LAM_STATUS_INVALID,
               "s.a: two fields of one group have the name 'a'");
    is_refused("a:i a:i", LAM_STATUS_INVALID, "a: two fields of one group have the name 'a'");
}

/* A list takes two levels of a Parquet schema, so that 125 lists are the most. */
Test(arrow_to_parquet, what_nests_too_deep_for_parquet_is_refused) {
    for (int depth = 124; depth <= 125; depth++) {
        char arrow[1024] = "a:";
        for (int i = 0; i < depth; i++)
            strcat(arrow, "+l[x:");
        strcat(arrow, "i");
        for (int i = 0; i < depth; i++)
            strcat(arrow, "]");
        struct ArrowSchema schema = schema_of(arrow);
        lam_schema *parquet = NULL;
        lam_error error = lam_error_none();
        lam_status status = lam_arrow_import_schema(&schema, NULL, &parquet, &error);
        cr_assert_eq(status, depth == 124 ? LAM_STATUS_OK : LAM_STATUS_LIMIT, "%s", error.message);
        cr_assert(depth == 124 || strstr(error.message, "...: ") != NULL);
        cr_assert(depth == 124 || strstr(error.message, "lies deeper than 250 levels") != NULL,
                  "%s", error.message);
        lam_schema_destroy(parquet);
        schema.release(&schema);
    }
}

Test(arrow_to_parquet, the_root_is_a_struct) {
    lam_arena arena = arrow_arena();
    lam_allocator heap = lam_allocator_default();
    lam_arrow_field *root = fields_of(&arena, "a:i");
    root->type.kind = LAM_ARROW_LIST;
    for (int round = 0; round < 2; round++) {
        struct ArrowSchema schema;
        lam_schema *parquet;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_arrow_field_export(root, &heap, &schema, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_arrow_import_schema(&schema, NULL, &parquet, &error), LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message,
                         round == 0 ? "schema: it is list, not a struct of columns"
                                    : "schema: it is a dictionary of struct, not a struct of "
                                      "columns");
        schema.release(&schema);
        root->type.kind = LAM_ARROW_STRUCT;
        root->is_dictionary = true;
        root->index_kind = LAM_ARROW_INT8;
    }
    lam_arena_finish(&arena);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(arrow_to_parquet, any_allocation_may_fail) {
    struct ArrowSchema schema =
        schema_of("a?:+l[item?:+s[x:d:38,2@4 y?:{c}u<arrow.json>]] "
                  "g:z<geoarrow.wkb|{\"crs\":\"EPSG:3857\"}> r?:+r`k=v`[run_ends:i "
                  "values?:+m`l=w`[entries:+s[key:u value?:w:16<arrow.uuid>]]] "
                  "t:+w:6<arrow.fixed_shape_tensor|{\"shape\":[2,3],\"permutation\":[1,0]}>[x:f] "
                  "v:+s<arrow.variable_shape_tensor|{\"permutation\":[1,0]}>"
                  "[data:+l[x:f] shape:+w:2[x:i]]");
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_schema *parquet = NULL;
        lam_error error = lam_error_none();
        lam_status status = lam_arrow_import_schema(&schema, &allocator, &parquet, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
        cr_assert_eq(status == LAM_STATUS_OK, parquet != NULL);
        lam_schema_destroy(parquet);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK) {
            cr_assert_gt(n, 5);
            break;
        }
        cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    }
    schema.release(&schema);
}
