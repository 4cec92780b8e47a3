/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow's extension types beside the storage and parameters that they ask for. What does not fit is
 * refused with its path.
 */
#include "arrow/extension/arrow_extension.h"

#include <criterion/criterion.h>

#include "arrow_text.h"
#include "support/texts.h"

/* The error of a schema, or NULL when there is none; static. */
static const char *checked(const char *arrow) {
    static lam_error error;
    lam_arena arena = arrow_arena();
    lam_arrow_field *root = fields_of(&arena, arrow);
    lam_arrow_path top = {NULL, NULL};
    error = lam_error_none();
    lam_status status = lam_arrow_extension_check(root, &arena, &top, &error);
    lam_arena_finish(&arena);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID);
    return status == LAM_STATUS_OK ? NULL : error.message;
}

static void is_good(const char *arrow) {
    const char *message = checked(arrow);
    cr_expect_null(message, "%s: %s", arrow, message);
}

static void is_bad(const char *arrow, const char *expected) {
    const char *message = checked(arrow);
    cr_expect_not_null(message, "%s", arrow);
    if (message != NULL)
        cr_expect_str_eq(message, expected, "%s: %s", arrow, message);
}

Test(arrow_extension, simple_ones_have_their_storage_and_parameters) {
    static const char *const good[] = {
        "a:w:16<arrow.uuid>",
        "a:{i}w:16<arrow.uuid>",
        "a:+r<arrow.uuid>[run_ends:i values:w:16]",
        "a:u<arrow.json>",
        "a:U<arrow.json|{}>",
        "a:vu<arrow.json| { }>",
        "a:c<arrow.bool8>",
        "a:n<arrow.opaque|{\"type_name\":\"varray\",\"vendor_name\":\"Oracle\"}>",
        "a:+s<arrow.opaque|{\"vendor_name\":\"\",\"future\":[],\"type_name\":\"x\"}>[b:i]",
        "a:z<geoarrow.wkb>",
        "a:i<>",
        "a:i<arrow.unheard_of|anything>",
        "a:+us:1[b:u<arrow.json>]",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        is_good(good[i]);
}

Test(arrow_extension, other_storage_and_parameters_are_refused_with_the_path) {
    static const struct {
        const char *arrow;
        const char *message;
    } cases[] = {
        {"a:+l[item:w:15<arrow.uuid>]", "a.item: arrow.uuid must be fixed_size_binary of 16 bytes"},
        {"a:u<arrow.uuid>", "a: arrow.uuid must be fixed_size_binary of 16 bytes"},
        {"a:w:16<arrow.uuid|{}>", "a: arrow.uuid takes no parameters"},
        {"a:z<arrow.json>", "a: arrow.json must be string, large_string or string_view"},
        {"a:u<arrow.json|[]>", "a: arrow.json takes no parameters, or an empty object"},
        {"a:u<arrow.json|{\"a\":1}>", "a: arrow.json takes no parameters, or an empty object"},
        {"a:C<arrow.bool8>", "a: arrow.bool8 must be int8"},
        {"a:b<arrow.bool8>", "a: arrow.bool8 must be int8"},
        {"a:c<arrow.bool8|x>", "a: arrow.bool8 takes no parameters"},
        {"a:n<arrow.opaque>", "a: the parameters of arrow.opaque are not a JSON object"},
        {"a:n<arrow.opaque|x>", "a: the parameters of arrow.opaque are not a JSON object"},
        {"a:n<arrow.opaque|{\"vendor_name\":\"x\"}>",
         "a: type_name of arrow.opaque is not one string"},
        {"a:n<arrow.opaque|{\"type_name\":\"x\",\"type_name\":\"x\",\"vendor_name\":\"x\"}>",
         "a: type_name of arrow.opaque is not one string"},
        {"a:n<arrow.opaque|{\"vendor_name\":\"x\",\"type_name\":\"x\",\"vendor_name\":\"x\"}>",
         "a: vendor_name of arrow.opaque is not one string"},
        {"a:n<arrow.opaque|{\"type_name\":1,\"vendor_name\":\"x\"}>",
         "a: type_name of arrow.opaque is not one string"},
        {"a:n<arrow.opaque|{\"type_name\":\"x\",\"vendor_name\":null}>",
         "a: vendor_name of arrow.opaque is not one string"},
        {"a:u<geoarrow.wkb>", "a: geoarrow.wkb must be binary, large_binary or binary_view"},
        {"a:z<geoarrow.wkb|{\"edges\":\"\"}>",
         "a: edges of geoarrow.wkb must be planar, spherical, vincenty, thomas, andoyer or karney"},
        {"a:+r[run_ends:i values:u<arrow.uuid>]",
         "a.values: arrow.uuid must be fixed_size_binary of 16 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        is_bad(cases[i].arrow, cases[i].message);
}

/* --- Tensors ---------------------------------------------------------------------------------- */

Test(arrow_extension, tensors_of_a_fixed_shape) {
    static const char *const good[] = {
        "{ \"shape\": [2, 5]}",
        "{\"shape\":[10],\"dim_names\":[\"\"]}",
        "{\"shape\":[1,10,1],\"dim_names\":[\"C\",\"H\",\"W\"],\"permutation\":[2,0,1]}",
        "{\"shape\":[5,2],\"dim_names\":null,\"permutation\":null,\"future\":{}}",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow, "t:+w:10<arrow.fixed_shape_tensor|%s>[item:f]", good[i]);
        is_good(arrow);
    }
    is_good("t:+w:1<arrow.fixed_shape_tensor|{\"shape\":[]}>[item:f]");
    is_good("t:+w:0<arrow.fixed_shape_tensor|{\"shape\":[2147483647,2147483647,0,3]}>[item:f]");
}

Test(arrow_extension, other_tensors_of_a_fixed_shape_are_refused) {
    static const struct {
        const char *parameters;
        const char *message;
    } cases[] = {
        {"", "t: the parameters of arrow.fixed_shape_tensor are not a JSON object"},
        {"{", "t: the parameters of arrow.fixed_shape_tensor are not a JSON object"},
        {"{}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":10}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[-2,-5]}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[2.0,5]}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[null]}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[2147483648]}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[10],\"shape\":[10]}", "t: shape of the tensor is not an array of sizes"},
        {"{\"shape\":[2,4]}",
         "t: the shape of the tensor does not have as many elements as its list"},
        {"{\"shape\":[]}", "t: the shape of the tensor does not have as many elements as its list"},
        /* 10 more than 2^64 elements */
        {"{\"shape\":[2147483647,2147483647,2147483647]}",
         "t: the shape of the tensor does not have as many elements as its list"},
        {"{\"shape\":[2,5],\"dim_names\":[\"x\"]}",
         "t: dim_names of the tensor are not one string for each dimension"},
        {"{\"shape\":[2,5],\"dim_names\":[\"x\",1]}",
         "t: dim_names of the tensor are not one string for each dimension"},
        {"{\"shape\":[2,5],\"dim_names\":\"xy\"}",
         "t: dim_names of the tensor are not one string for each dimension"},
        {"{\"shape\":[2,5],\"permutation\":[0]}",
         "t: permutation of the tensor is not each dimension's number once"},
        {"{\"shape\":[2,5],\"permutation\":[1,1]}",
         "t: permutation of the tensor is not each dimension's number once"},
        {"{\"shape\":[2,5],\"permutation\":[1,2]}",
         "t: permutation of the tensor is not each dimension's number once"},
        {"{\"shape\":[2,5],\"permutation\":[-1,0]}",
         "t: permutation of the tensor is not each dimension's number once"},
        {"{\"shape\":[2,5],\"permutation\":{}}",
         "t: permutation of the tensor is not each dimension's number once"},
        {"{\"shape\":[2,5],\"permutation\":[0,1],\"permutation\":[0,1]}",
         "t: permutation of the tensor is not each dimension's number once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow, "t:+w:10<arrow.fixed_shape_tensor|%s>[item:f]",
                 cases[i].parameters);
        is_bad(arrow, cases[i].message);
    }
    is_bad("t:+l<arrow.fixed_shape_tensor|{\"shape\":[1]}>[item:f]",
           "t: arrow.fixed_shape_tensor must be fixed_size_list");
}

Test(arrow_extension, tensors_of_variable_shape) {
    static const char *const good[] = {
        "",
        "{}",
        "{ \"dim_names\": [\"C\", \"H\", \"W\"] }",
        "{ \"dim_names\": [\"H\", \"W\", \"C\"], \"uniform_shape\": [400, null, 3] }",
        "{ \"permutation\": [2, 0, 1] }",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow,
                 "t:+s<arrow.variable_shape_tensor|%s>[shape:+w:3[item:i] data?:+l[item?:g]]",
                 good[i]);
        is_good(arrow);
    }
    is_good("t:+s<arrow.variable_shape_tensor|{\"uniform_shape\":[]}>[data:+l[item:i] "
            "shape:+w:0[item:i]]");
}

Test(arrow_extension, other_tensors_of_variable_shape_are_refused) {
    static const char stored[] = "t: arrow.variable_shape_tensor must be a struct of data, a list, "
                                 "and shape, a fixed_size_list of int32";
    static const char *const fields[] = {
        "data:+l[item:f]",
        "data:+l[item:f] shape:+l[item:i]",
        "data:+l[item:f] shape:+w:2[item:l]",
        "data:+l[item:f] shape:+w:2[item:{c}i]",
        "data:+L[item:f] shape:+w:2[item:i]",
        "data:+l[item:f] Shape:+w:2[item:i]",
        "Data:+l[item:f] shape:+w:2[item:i]",
        "data:+l[item:f] shape:+w:2[item:i] more:i",
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow, "t:+s<arrow.variable_shape_tensor>[%s]", fields[i]);
        is_bad(arrow, stored);
    }
    is_bad("t:+l<arrow.variable_shape_tensor>[item:i]", stored);
    static const struct {
        const char *parameters;
        const char *message;
    } cases[] = {
        {"[]", "t: the parameters of arrow.variable_shape_tensor are not a JSON object"},
        {"{\"uniform_shape\":[1]}",
         "t: uniform_shape of the tensor is not a size or null for each dimension"},
        {"{\"uniform_shape\":[1,-1]}",
         "t: uniform_shape of the tensor is not a size or null for each dimension"},
        {"{\"uniform_shape\":[1,\"2\"]}",
         "t: uniform_shape of the tensor is not a size or null for each dimension"},
        {"{\"uniform_shape\":3}",
         "t: uniform_shape of the tensor is not a size or null for each dimension"},
        {"{\"uniform_shape\":[1,2],\"uniform_shape\":[1,2]}",
         "t: uniform_shape of the tensor is not a size or null for each dimension"},
        {"{\"dim_names\":null,\"dim_names\":null}",
         "t: dim_names of the tensor are not one string for each dimension"},
        {"{\"dim_names\":[\"x\"]}",
         "t: dim_names of the tensor are not one string for each dimension"},
        {"{\"permutation\":[0,0]}",
         "t: permutation of the tensor is not each dimension's number once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow,
                 "t:+s<arrow.variable_shape_tensor|%s>[data:+l[item:f] shape:+w:2[item:i]]",
                 cases[i].parameters);
        is_bad(arrow, cases[i].message);
    }
}

/* --- Variants --------------------------------------------------------------------------------- */

Test(arrow_extension, variants_whole_or_in_parts_in_any_order) {
    static const char *const good[] = {
        "metadata:z value:z",
        "value?:Z metadata:vz",
        "metadata:{c}z value?:z",
        "metadata:+r[run_ends:s values:Z] value:z",
        "metadata:z typed_value?:l",
        "typed_value?:u value?:z metadata:z",
        "metadata:z value?:z typed_value?:+l[any:+s[value?:z typed_value?:u]]",
        "metadata:z value?:z typed_value?:+L[any:+s[typed_value?:u]]",
        "metadata:z value?:z typed_value?:+vl[any:+s[value?:z]]",
        "metadata:z typed_value?:+s[a:+s[value?:z typed_value?:u] b:+s[value?:z]]",
        "metadata:z typed_value?:+s[a:+s[typed_value?:+s[x:+s[value:z]]]]",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow, "v?:+s<arrow.parquet.variant>[%s]", good[i]);
        is_good(arrow);
    }
    static const char *const types[] =
        LAM_TEXTS("n", "b", "c", "C", "s", "S", "i", "I", "l", "f", "g", "d:9,2,32", "d:18,0,64",
                  "d:38,3", "tdD", "ttu", "tsu:", "tsn:UTC", "tsn:", "z", "Z", "vz", "u", "U", "vu",
                  "w:16<arrow.uuid>");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char arrow[128];
        snprintf(arrow, sizeof arrow, "v:+s<arrow.parquet.variant>[metadata:z typed_value?:%s]",
                 types[i]);
        is_good(arrow);
    }
}

Test(arrow_extension, other_variants_are_refused_with_the_path_of_what_is_wrong) {
    static const struct {
        const char *fields;
        const char *message;
    } cases[] = {
        {"value:z", "v: arrow.parquet.variant has no metadata"},
        {"metadata:z", "v: arrow.parquet.variant has neither value nor typed_value"},
        {"metadata?:z value:z",
         "v.metadata: metadata of arrow.parquet.variant must be binary and not nullable"},
        {"metadata:u value:z",
         "v.metadata: metadata of arrow.parquet.variant must be binary and not nullable"},
        {"metadata:{c}u value:z",
         "v.metadata: metadata of arrow.parquet.variant must be binary and not nullable"},
        {"metadata:+r[run_ends:i values:u] value:z",
         "v.metadata: metadata of arrow.parquet.variant must be binary and not nullable"},
        {"metadata:z value:u", "v.value: value of arrow.parquet.variant must be binary"},
        {"metadata:z value:{c}z", "v.value: value of arrow.parquet.variant must be binary"},
        {"metadata:z value:+r[run_ends:i values:z]",
         "v.value: value of arrow.parquet.variant must be binary"},
        {"metadata:z value:z Typed_Value:i",
         "v.Typed_Value: arrow.parquet.variant has no field of this name"},
        {"metadata:z value:z more:i", "v.more: arrow.parquet.variant has no field of this name"},
        {"metadata:z typed_value:L",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:e",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:w:16",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:u<arrow.json>",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:{c}u",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:d:39,0,256",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:tdm",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:ttn",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:tsm:",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:tsu:Europe/Paris",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:tDu",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:+w:2[x:+s[value:z]]",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:+vL[x:+s[value:z]]",
         "v.typed_value: arrow.parquet.variant has no typed_value of this type"},
        {"metadata:z typed_value:+l[x:u]",
         "v.typed_value.x: a shredded field of arrow.parquet.variant must be a struct and not "
         "nullable"},
        {"metadata:z typed_value:+l[x?:+s[value:z]]",
         "v.typed_value.x: a shredded field of arrow.parquet.variant must be a struct and not "
         "nullable"},
        {"metadata:z typed_value:+s[x:i]",
         "v.typed_value.x: a shredded field of arrow.parquet.variant must be a struct and not "
         "nullable"},
        {"metadata:z typed_value:+s[x?:+s[value:z]]",
         "v.typed_value.x: a shredded field of arrow.parquet.variant must be a struct and not "
         "nullable"},
        {"metadata:z typed_value:+s[x:{c}+s[value:z]]",
         "v.typed_value.x: a shredded field of arrow.parquet.variant must be a struct and not "
         "nullable"},
        {"metadata:z typed_value:+s[x:+s[metadata:z value:z]]",
         "v.typed_value.x.metadata: arrow.parquet.variant has no field of this name"},
        {"metadata:z typed_value:+l[x:+s[typed_value:+s[y:+s[typed_value:e]]]]",
         "v.typed_value.x.typed_value.y.typed_value: arrow.parquet.variant has no typed_value of "
         "this type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char arrow[256];
        snprintf(arrow, sizeof arrow, "v?:+s<arrow.parquet.variant>[%s]", cases[i].fields);
        is_bad(arrow, cases[i].message);
    }
    is_bad("v:z<arrow.parquet.variant>", "v: arrow.parquet.variant must be a struct");
    is_bad("v:{c}+s<arrow.parquet.variant>[metadata:z value:z]",
           "v: arrow.parquet.variant must be a struct");
    is_bad("v:+s<arrow.parquet.variant|{}>[metadata:z value:z]",
           "v: arrow.parquet.variant takes no parameters");
}
