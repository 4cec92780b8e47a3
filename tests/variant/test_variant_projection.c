/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which columns and which parts of a VARIANT a projection reads; parts are found whatever the order
 * of fields, and damage does no harm.
 */
#include <lamella/projection.h>
#include <lamella/record.h>

#include "variant/shred/variant_projection.h"

#include "shred_trip.h"
#include "support/failing_alloc.h"
#include "support/record_text.h"
#include "variant/variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static const char EVENT[] =
    "message m { required int64 id; optional group event (VARIANT) {"
    "required binary metadata; optional binary value;"
    "optional group typed_value {"
    "required group kind { optional binary value; optional binary typed_value (STRING); }"
    "required group location { optional binary value; optional group typed_value {"
    "required group latitude { optional binary value; optional double typed_value; }"
    "required group longitude { optional double typed_value; } } }"
    "required group tags { optional group typed_value (LIST) { repeated group list {"
    "required group element { optional binary value; optional int32 typed_value; } } } }"
    "} } optional group other.one (VARIANT) { required binary metadata; required binary value; } }";

/* --- Which columns ---------------------------------------------------------------------------- */

/* The leaves of a projection, as the ends of their paths, with what they are needed for. */
static void expect_leaves(const char *text, const char *const *paths, const char *expected) {
    static const char *const marks[] = {"", "", "?", "+", "!"}; /* by lam_leaf_need */
    lam_schema *schema = schema_of(text);
    lam_projection *projection;
    char found[2048] = "";
    size_t at = 0;
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    for (; *paths != NULL; paths++)
        OK(lam_projection_add(projection, *paths, NULL));
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        char path[200];
        (void)lam_field_path(lam_schema_leaf(schema, i), path, sizeof path);
        cr_expect_eq(lam_projection_leaves(projection)[i], projection->needs[i] != LAM_NEED_NOT);
        if (projection->needs[i] != LAM_NEED_NOT)
            at += (size_t)snprintf(found + at, sizeof found - at, "%s%s ", path,
                                   marks[projection->needs[i]]);
    }
    cr_expect_str_eq(found, expected, "%s", found);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

#define LEAVES_OF(schema, expected, ...)                                                           \
    expect_leaves(schema, (const char *const[]){__VA_ARGS__, NULL}, expected)
#define LEAVES(expected, ...) LEAVES_OF(EVENT, expected, __VA_ARGS__)

Test(variant_projection, a_shredded_field_needs_its_own_columns_alone) {
    LEAVES("event.metadata+ event.typed_value.location.typed_value.latitude.value? "
           "event.typed_value.location.typed_value.latitude.typed_value ",
           "event.location.latitude");
    /* Without a value column nothing was made with the metadata. */
    LEAVES("event.typed_value.location.typed_value.longitude.typed_value ",
           "event.location.longitude");
}

Test(variant_projection, an_object_needs_all_columns_below_it) {
    LEAVES("event.metadata+ event.typed_value.location.value? "
           "event.typed_value.location.typed_value.latitude.value? "
           "event.typed_value.location.typed_value.latitude.typed_value "
           "event.typed_value.location.typed_value.longitude.typed_value ",
           "event.location");
}

Test(variant_projection, a_field_that_is_not_shredded_needs_the_value_around_it) {
    LEAVES("event.metadata+ event.value? ", "event.note.deep");
    LEAVES("event.metadata+ event.typed_value.location.value? ", "event.location.height");
    /* Behind a scalar only a value can be an object. */
    LEAVES("event.metadata+ event.typed_value.kind.value? ", "event.kind.x");
    LEAVES("\"other.one\".metadata+ \"other.one\".value? ", "other.one.a");
}

Test(variant_projection, a_path_to_nothing_needs_a_column_that_tells_where_the_variant_is) {
    LEAVES("event.typed_value.tags.typed_value.list.element.value! ", "event.tags.x");
    LEAVES("event.typed_value.location.typed_value.longitude.typed_value ",
           "event.location.longitude.x");
}

/* Where no column is read for sure one of them tells where the object is, empty or not. */
Test(variant_projection, one_column_tells_where_objects_and_arrays_without_values_are) {
    static const char schema[] =
        "message m { optional group v (VARIANT) { required binary metadata; optional group "
        "typed_value { required group o { optional group typed_value { required group l { "
        "optional group typed_value (LIST) { repeated group list { required group element { "
        "optional binary value; } } } } required group p { optional binary value; } } optional "
        "binary value; } required group q { optional group typed_value { required group r { "
        "optional binary value; } required group s { optional binary value; } } } } } }";
    LEAVES_OF(schema,
              "v.metadata+ v.typed_value.o.typed_value.l.typed_value.list.element.value! "
              "v.typed_value.o.typed_value.p.value? v.typed_value.o.value? ",
              "v.o");
    LEAVES_OF(schema,
              "v.metadata+ v.typed_value.q.typed_value.r.value! "
              "v.typed_value.q.typed_value.s.value? ",
              "v.q");
}

/* The metadata were not read for the values of a column that told where the VARIANT is, too. */
Test(variant_projection, a_column_that_tells_where_the_variant_is_has_values_too) {
    const char *both = "event.metadata+ event.typed_value.tags.typed_value.list.element.value! "
                       "event.typed_value.tags.typed_value.list.element.typed_value ";
    LEAVES(both, "event.tags.x", "event.tags");
    LEAVES(both, "event.tags", "event.tags.x");
}

Test(variant_projection, what_tells_where_a_variant_is_may_be_wanted_as_a_whole) {
    LEAVES("event.metadata event.value event.typed_value.kind.value "
           "event.typed_value.kind.typed_value event.typed_value.location.value "
           "event.typed_value.location.typed_value.latitude.value "
           "event.typed_value.location.typed_value.latitude.typed_value "
           "event.typed_value.location.typed_value.longitude.typed_value "
           "event.typed_value.tags.typed_value.list.element.value "
           "event.typed_value.tags.typed_value.list.element.typed_value ",
           "event.tags.x", "event");
}

Test(variant_projection, a_whole_variant_needs_all_of_its_columns_whatever_else_is_wanted) {
    const char *whole = "id \"other.one\".metadata \"other.one\".value ";
    LEAVES(whole, "other.one", "id");
    LEAVES(whole, "other.one", "other.one.a", "id");
    LEAVES(whole, "id", "other.one.a.b", "other.one");
}

Test(variant_projection, parts_are_told_from_wholes) {
    lam_schema *schema = schema_of(EVENT);
    lam_projection *projection;
    const lam_field *event = field_of(schema, "event"), *other = field_of(schema, "other.one");
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    cr_expect_not((lam_projection_tree_of(projection, event) != NULL));
    OK(lam_projection_add(projection, "event.kind", NULL));
    OK(lam_projection_add(projection, "other.one", NULL));
    cr_expect((lam_projection_tree_of(projection, event) != NULL));
    cr_expect_not((lam_projection_tree_of(projection, other) != NULL));
    cr_expect_not((lam_projection_tree_of(projection, NULL) != NULL));
    cr_expect_not((lam_projection_tree_of(NULL, event) != NULL));
    OK(lam_projection_add(projection, "", NULL)); /* the record as a whole */
    cr_expect_not((lam_projection_tree_of(projection, event) != NULL));
    lam_projection_destroy(projection);
    lam_projection_destroy(NULL);
    lam_error error = lam_error_none();
    cr_expect_eq(lam_projection_create(NULL, NULL, &projection, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema (NULL)");
    lam_schema_destroy(schema);
}

/* --- Paths ------------------------------------------------------------------------------------ */

static void expect_refusal(const char *path, lam_status status, const char *message) {
    lam_schema *schema = schema_of(EVENT);
    lam_projection *projection;
    lam_error error = lam_error_none();
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    cr_expect_eq(lam_projection_add(projection, path, &error), status, "%s", path);
    cr_expect(strncmp(error.message, message, strlen(message)) == 0, "%s: %s", path, error.message);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        cr_expect_not(lam_projection_leaves(projection)[i], "%s", path);
    cr_expect_not((lam_projection_tree_of(projection, field_of(schema, "event")) != NULL), "%s",
                  path);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

Test(variant_projection, paths_that_are_none_are_refused_and_leave_nothing) {
    expect_refusal("nothing", LAM_STATUS_NOT_FOUND, "no field 'nothing'");
    expect_refusal("id.x", LAM_STATUS_NOT_FOUND, "no field 'id.x'");
    expect_refusal("eventx", LAM_STATUS_NOT_FOUND, "no field");
    expect_refusal("even.t", LAM_STATUS_NOT_FOUND, "no field");
    expect_refusal("other.x", LAM_STATUS_NOT_FOUND, "no field");
    expect_refusal("event.", LAM_STATUS_INVALID, "a name that is empty is written \"\"");
    expect_refusal("event..a", LAM_STATUS_INVALID, "a name that is empty is written \"\"");
    expect_refusal("event.a.", LAM_STATUS_INVALID, "a name that is empty is written \"\"");
    expect_refusal("event.\"", LAM_STATUS_INVALID, "character 7: the name that begins");
    expect_refusal("event.\"a", LAM_STATUS_INVALID, "character 7: the name that begins");
    expect_refusal("event.\"a\"\"", LAM_STATUS_INVALID, "character 7: the name that begins");
    expect_refusal("event.\"a\"b", LAM_STATUS_INVALID, "character 10: expected a dot");
    expect_refusal("event.a[]", LAM_STATUS_INVALID, "a path into a VARIANT has names only");
}

/* The names before the one that was wrong stayed: the VARIANT counted as one with wanted children,
 * and bytes were looked at that nothing was wanted of. */
Test(variant_projection, a_path_that_is_refused_leaves_those_before_it_as_they_were) {
    lam_schema *schema = schema_of(EVENT);
    lam_projection *projection;
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    OK(lam_projection_add(projection, "event.location.latitude", NULL));
    cr_expect_eq(lam_projection_add(projection, "event.location.longitude.x.", NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_projection_add(projection, "event.a.b.\"", NULL), LAM_STATUS_INVALID);
    const lam_projection_tree *tree = lam_projection_tree_of(projection, field_of(schema, "event"));
    const lam_projection_node *location = tree->root.children;
    cr_expect_eq(location->name.size, 8);
    cr_expect_null(location->next);
    cr_expect_eq(location->children->name.size, 8);
    cr_expect_null(location->children->next);
    size_t known = 0;
    for (uint32_t i = 0; i < tree->plan.node_count; i++)
        known += tree->paths[i] != NULL;
    cr_expect_eq(known, 3, "the root, location and latitude");
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

Test(variant_projection, a_path_goes_on_behind_the_first_name_that_it_begins_with) {
    static const struct {
        const char *path, *group; /* NULL: no VARIANT is there */
    } cases[] = {{"a.c", "a"},    {"a.b.c", "a"},   {"\"a.b\".c", "\"a.b\""},
                 {"a.bb.c", "a"}, {"o.v.c", "o.v"}, {"o.v.v.c", "o.v"},
                 {"oxv.c", NULL}, {"o.w.c", NULL},  {"x.v.c", NULL},
                 {"v.c", NULL},   {"o.c", NULL}};
#define PAIR "(VARIANT) { required binary metadata; required binary value; } "
    lam_schema *schema = schema_of("message m { optional group a " PAIR "optional group o { "
                                   "optional group v " PAIR "} optional group a.b " PAIR "}");
    const char *const groups[] = {"a", "\"a.b\"", "o.v"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_projection *projection;
        OK(lam_projection_create(schema, NULL, &projection, NULL));
        cr_expect_eq(lam_projection_add(projection, cases[i].path, NULL),
                     cases[i].group == NULL ? LAM_STATUS_NOT_FOUND : LAM_STATUS_OK, "%s",
                     cases[i].path);
        for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
            cr_expect_eq((lam_projection_tree_of(projection, field_of(schema, groups[k])) != NULL),
                         cases[i].group != NULL && strcmp(cases[i].group, groups[k]) == 0,
                         "%s in %s", cases[i].path, groups[k]);
        lam_projection_destroy(projection);
    }
    lam_schema_destroy(schema);
}

Test(variant_projection, a_path_is_no_deeper_than_values_are) {
    char path[6 + 2 * LAM_VARIANT_DEPTH_MAX + 1] = "event";
    for (size_t i = 0; i < LAM_VARIANT_DEPTH_MAX - 1; i++)
        strcat(path, ".a");
    const char *names[] = {path, NULL};
    expect_leaves(EVENT, names, "event.metadata+ event.value? ");
    strcat(path, ".a");
    expect_refusal(path, LAM_STATUS_LIMIT, "a path of more than 1023 names");
}

static void expect_name(const char *path, const char *name, size_t size) {
    lam_schema *schema = schema_of(EVENT);
    lam_projection *projection;
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    OK(lam_projection_add(projection, path, NULL));
    const lam_projection_tree *tree = lam_projection_tree_of(projection, field_of(schema, "event"));
    cr_assert_not_null(tree);
    cr_assert_eq(tree->root.children->name.size, size, "%s", path);
    cr_expect(size == 0 || memcmp(tree->root.children->name.data, name, size) == 0, "%s", path);
    cr_expect(tree->root.children->is_wanted);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

Test(variant_projection, odd_names_stand_between_quotation_marks) {
    expect_name("event.plain", "plain", 5);
    expect_name("event.\"a.b\"", "a.b", 3);
    expect_name("event.\"\"", "", 0);
    expect_name("event.\"\"\"\"", "\"", 1);
    expect_name("event.\"say \"\"hi\"\".\"", "say \"hi\".", 9);
    expect_name("event.a\"b", "a\"b", 3);
    expect_name("event.typed_value", "typed_value", 11);
}

Test(variant_projection, parts_stand_in_the_order_of_their_names_and_beside_their_columns) {
    static const char *const paths[] = {"event.z",    "event.location.latitude", "event.a",
                                        "event.kind", "event.location.b",        "event.kind"};
    lam_schema *schema = schema_of(EVENT);
    lam_projection *projection;
    char found[256] = "";
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        OK(lam_projection_add(projection, paths[i], NULL));
    const lam_projection_tree *tree = lam_projection_tree_of(projection, field_of(schema, "event"));
    for (const lam_projection_node *part = tree->root.children; part != NULL; part = part->next) {
        bool shredded = part->node != LAM_VARIANT_NO_NODE;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%.*s%s%s ",
                 (int)part->name.size, (const char *)part->name.data, shredded ? "*" : "",
                 part->is_wanted ? "" : ">");
        if (shredded)
            cr_expect_eq(tree->paths[part->node], part);
    }
    cr_expect_str_eq(found, "a kind* location*> z ", "%s", found);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
}

/* --- Values ----------------------------------------------------------------------------------- */

/* One VARIANT, told as events of the columns that there are; gives its children, or why not. */
static lam_status assemble_parts(const char *path, bool has_metadata, bool has_typed,
                                 const char *value, kept_values *kept, lam_error *error) {
    lam_schema *schema = schema_of(EVENT);
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    lam_projection *projection;
    lam_variant_assembler *assembler;
    lam_bytes metadata = hex_bytes("01 01 00 01 61"), bytes = hex_bytes(value); /* "a" */
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    OK(lam_projection_add(projection, path, NULL));
    options.projection = projection;
    OK(lam_variant_assembler_create(schema, lam_projection_leaves(projection), &options, &next,
                                    NULL, &assembler, NULL));
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    const lam_field *event = field_of(schema, "event");
    const lam_field *typed = field_of(schema, "event.typed_value");
    const lam_field *kind = field_of(schema, "event.typed_value.kind");
    lam_status status = sink.begin(sink.state, error);
    status = status != LAM_STATUS_OK ? status : sink.open(sink.state, event, error);
    if (status == LAM_STATUS_OK && has_metadata)
        status = sink.put(sink.state, field_of(schema, "event.metadata"),
                          (lam_value){.bytes = metadata}, error);
    if (status == LAM_STATUS_OK && bytes.size > 0)
        status = sink.put(sink.state, field_of(schema, "event.value"), (lam_value){.bytes = bytes},
                          error);
    if (status == LAM_STATUS_OK && has_typed) {
        lam_value text = {.bytes = {(const uint8_t *)"x", 1}};
        OK(sink.open(sink.state, typed, error));
        OK(sink.open(sink.state, kind, error));
        OK(sink.put(sink.state, field_of(schema, "event.typed_value.kind.typed_value"), text,
                    error));
        OK(sink.close(sink.state, kind, error));
        OK(sink.close(sink.state, typed, error));
    }
    status = status != LAM_STATUS_OK ? status : sink.close(sink.state, event, error);
    status = status != LAM_STATUS_OK ? status : sink.end(sink.state, error);
    lam_variant_assembler_destroy(assembler);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
    free((void *)(uintptr_t)metadata.data);
    free((void *)(uintptr_t)bytes.data);
    return status;
}

static void expect_parts(const char *path, bool has_metadata, bool has_typed, const char *value,
                         const char *metadata, const char *expected) {
    kept_values kept = {0};
    lam_error error = lam_error_none();
    lam_variant wanted = hex_variant(metadata, expected);
    cr_assert_eq(assemble_parts(path, has_metadata, has_typed, value, &kept, &error), LAM_STATUS_OK,
                 "%s: %s", path, error.message);
    cr_assert_eq(kept.count, 1);
    cr_assert_eq(kept.values[0].metadata.size, wanted.metadata.size, "%s", path);
    cr_expect_arr_eq(kept.values[0].metadata.data, wanted.metadata.data, wanted.metadata.size);
    cr_assert_eq(kept.values[0].value.size, wanted.value.size, "%s", path);
    cr_expect_arr_eq(kept.values[0].value.data, wanted.value.data, wanted.value.size);
    free_variant(wanted);
    free_kept(&kept);
}

Test(variant_projection, parts_come_from_columns_without_metadata_and_from_a_value_with_it) {
    const char *a_5 = "02 01 00 00 02 0C05"; /* {"a":5} */
    expect_parts("event.kind", false, true, "", "01 01 00 04 6B696E64", "02 01 00 00 02 0578");
    expect_parts("event.a", true, false, a_5, "01 01 00 01 61", a_5);
    expect_parts("event.a", true, true, a_5, "01 02 00 01 05 61 6B696E64", a_5);
    expect_parts("event.a.b", true, false, a_5, "01 01 00 01 61", "02 00 00");
    expect_parts("event.b", true, false, a_5, "01 01 00 01 61", "02 00 00");
    expect_parts("event.b", false, false, "", "01 00 00", "02 00 00");
    expect_parts("event.a", true, false, "0C05", "01 01 00 01 61", "02 00 00");
}

Test(variant_projection, what_is_on_no_path_is_not_looked_at) {
    /* {"a":5} with a byte too many behind, which validation of the whole refuses. */
    expect_parts("event.b", true, false, "02 01 00 00 02 0C05 FF", "01 01 00 01 61", "02 00 00");
}

/* Fields that are not in the order of their names are found all the same, and put in it. */
Test(variant_projection, parts_are_found_whatever_the_order_of_fields) {
    static const char deep[] = "message m { optional group v (VARIANT) { required binary metadata; "
                               "required binary value; } }";
    static const struct {
        const char *paths[3], *expected;
    } cases[] = {{{"v.a"}, "02 01 01 00 02 0C06"},
                 {{"v.b"}, "02 01 00 00 02 0C05"},
                 {{"v.c"}, "02 00 00"},
                 {{"v.d"}, "02 01 03 00 0B 02 02 01 00 00 02 04 0C06 0C05"},
                 {{"v.d.b", "v.a"}, "02 02 01 03 00 02 09 0C06 02 01 00 00 02 0C05"}};
    /* The names b, a, c, d: {"b":5,"a":6,"d":{"b":5,"a":6}} in that order. */
    lam_variant whole =
        hex_variant("01 04 00 01 02 03 04 62 61 63 64", "02 03 00 01 03 00 02 04 0F 0C05 0C06 "
                                                        "02 02 00 01 00 02 04 0C05 0C06");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_schema *schema = schema_of(deep);
        lam_variant_assembler_options options = lam_variant_assembler_options_default();
        kept_values kept = {0};
        lam_variant_sink next = kept_sink(&kept);
        lam_projection *projection;
        lam_variant_assembler *assembler;
        lam_bytes expected = hex_bytes(cases[i].expected);
        OK(lam_projection_create(schema, NULL, &projection, NULL));
        for (size_t k = 0; cases[i].paths[k] != NULL; k++)
            OK(lam_projection_add(projection, cases[i].paths[k], NULL));
        options.projection = projection;
        OK(lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &assembler, NULL));
        lam_record_sink sink = lam_variant_assembler_sink(assembler);
        const lam_field *group = field_of(schema, "v");
        OK(sink.begin(sink.state, NULL));
        OK(sink.open(sink.state, group, NULL));
        OK(sink.put(sink.state, field_of(schema, "v.metadata"),
                    (lam_value){.bytes = whole.metadata}, NULL));
        OK(sink.put(sink.state, field_of(schema, "v.value"), (lam_value){.bytes = whole.value},
                    NULL));
        OK(sink.close(sink.state, group, NULL));
        OK(sink.end(sink.state, NULL));
        cr_assert_eq(kept.values[0].value.size, expected.size, "%s", cases[i].paths[0]);
        cr_expect_arr_eq(kept.values[0].value.data, expected.data, expected.size, "%s",
                         cases[i].paths[0]);
        free((void *)(uintptr_t)expected.data);
        free_kept(&kept);
        lam_variant_assembler_destroy(assembler);
        lam_projection_destroy(projection);
        lam_schema_destroy(schema);
    }
    free_variant(whole);
}

static void expect_failure(const char *path, bool has_metadata, bool has_typed, const char *value,
                           const char *message) {
    kept_values kept = {0};
    lam_error error = lam_error_none();
    cr_expect_eq(assemble_parts(path, has_metadata, has_typed, value, &kept, &error),
                 LAM_STATUS_CORRUPT, "%s", path);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    cr_expect_eq(kept.count, 0);
}

Test(variant_projection, bytes_on_the_way_and_at_its_end_are_checked) {
    expect_failure("event.a", true, false, "02 01 00 00 09 0C05",
                   "event.value: variant: a value ends early");
    expect_failure("event.a", true, false, "02 01 07 00 02 0C05",
                   "event.value: variant: a field id that the metadata does not have");
    expect_failure("event.a", true, false, "02 01 00 00 02 14FF",
                   "event.value: variant: a value ends early");
    expect_failure("event.a", true, true, "0C05",
                   "event: value and typed_value conflict: both are present");
    /* A value needs the metadata. */
    expect_failure("event.a", false, false, "02 01 00 00 02 0C05",
                   "event.metadata: null, but there is a value that needs it");
}

/* The path leads into a VARIANT whose typed_value is a number, so that only `value` can have it. */
static lam_status part_of_number(const char *events, bool tolerate, kept_values *kept,
                                 lam_error *error) {
    lam_schema *schema =
        schema_of("message m { optional group v (VARIANT) { required binary metadata; "
                  "optional binary value; optional int64 typed_value; } }");
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    lam_projection *projection;
    lam_variant_assembler *assembler;
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    OK(lam_projection_add(projection, "v.a", NULL));
    options.projection = projection;
    options.tolerate_conflicts = tolerate;
    OK(lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &assembler, NULL));
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    lam_status status = lam_tell(schema, &sink, events, error);
    lam_variant_assembler_destroy(assembler);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
    return status;
}

Test(variant_projection, a_number_has_no_parts) {
    static const char number[] = "{v: {metadata: x1101000161, typed_value: 5}}",
                      both[] =
                          "{v: {metadata: x1101000161, value: x02010000020C05, typed_value: 5}}";
    kept_values kept = {0};
    lam_error error = lam_error_none();
    OK(part_of_number(number, false, &kept, &error));
    OK(part_of_number(both, true, &kept, &error)); /* typed_value counts */
    cr_assert_eq(kept.count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(kept.values[i].value.size, 3);
        cr_expect_arr_eq(kept.values[i].value.data, "\x02\x00\x00", 3);
    }
    free_kept(&kept);
    cr_expect_eq(part_of_number(both, false, &kept, &error), LAM_STATUS_CORRUPT);
    cr_expect_str_eq(error.message, "v: value and typed_value conflict: both are present");
    cr_expect_eq(kept.count, 0);
}

/* What came out of children of pairs that were damaged, or not. */
typedef struct damage {
    size_t taken;
    size_t refused;
} damage;

static lam_status judge_part(void *state, const lam_field *group, lam_variant variant,
                             lam_error *error) {
    (void)group;
    cr_assert_eq(lam_variant_validate(variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS, error),
                 LAM_STATUS_OK);
    ((damage *)state)->taken++;
    return LAM_STATUS_OK;
}

static lam_status ignore_record(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void tell_damaged(const lam_record_sink *sink, const lam_schema *schema, lam_bytes metadata,
                         lam_bytes value, damage *seen) {
    const lam_field *group = field_of(schema, "v");
    OK(sink->begin(sink->state, NULL));
    OK(sink->open(sink->state, group, NULL));
    OK(sink->put(sink->state, field_of(schema, "v.metadata"), (lam_value){.bytes = metadata},
                 NULL));
    OK(sink->put(sink->state, field_of(schema, "v.value"), (lam_value){.bytes = value}, NULL));
    lam_status status = sink->close(sink->state, group, NULL);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
              status == LAM_STATUS_UNSUPPORTED);
    seen->refused += status != LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        OK(sink->end(sink->state, NULL));
}

Test(variant_projection, no_cut_and_no_change_of_a_byte_does_harm) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    lam_schema *schema = schema_of(
        "message m { optional group v (VARIANT) { required binary metadata; required binary "
        "value; } }");
    lam_variant whole = sample("object_nested");
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    damage seen = {0, 0};
    lam_variant_sink next = {{&seen, ignore_record, NULL, NULL, NULL, ignore_record, NULL},
                             judge_part};
    lam_projection *projection;
    lam_variant_assembler *assembler;
    OK(lam_projection_create(schema, NULL, &projection, NULL));
    OK(lam_projection_add(projection, "v.species.name", NULL));
    OK(lam_projection_add(projection, "v.observation.value", NULL));
    OK(lam_projection_add(projection, "v.id", NULL));
    options.projection = projection;
    OK(lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &assembler, NULL));
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    for (size_t cut = 0; cut < whole.metadata.size + whole.value.size; cut++) {
        bool in_value = cut >= whole.metadata.size;
        lam_bytes bytes = in_value ? whole.value : whole.metadata;
        size_t size = in_value ? cut - whole.metadata.size : cut;
        uint8_t *block = exact_block(bytes.data, size);
        lam_bytes short_of = {block, size};
        tell_damaged(&sink, schema, in_value ? whole.metadata : short_of,
                     in_value ? short_of : whole.value, &seen);
        free(block);
        uint8_t *byte = (uint8_t *)(uintptr_t)&bytes.data[size];
        for (unsigned change = 1; change < 256; change++) {
            *byte ^= (uint8_t)change;
            tell_damaged(&sink, schema, whole.metadata, whole.value, &seen);
            *byte ^= (uint8_t)change;
        }
    }
    cr_expect_gt(seen.taken, 1000, "%zu", seen.taken);
    cr_expect_gt(seen.refused, 1000, "%zu", seen.refused);
    lam_variant_assembler_destroy(assembler);
    lam_projection_destroy(projection);
    lam_schema_destroy(schema);
    free_variant(whole);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static lam_status add_some(const lam_schema *schema, const lam_allocator *allocator) {
    lam_projection *projection = NULL;
    lam_status status = lam_projection_create(schema, allocator, &projection, NULL);
    for (const char *path = "event.location.x\0event.\"a\"\0id\0"; status == LAM_STATUS_OK && *path;
         path += strlen(path) + 1)
        status = lam_projection_add(projection, path, NULL);
    lam_projection_destroy(projection);
    return status;
}

Test(variant_projection, a_failing_allocation_leaves_nothing_behind) {
    lam_schema *schema = schema_of(EVENT);
    lam_status status = LAM_STATUS_NOMEM;
    size_t n = 1;
    for (; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = add_some(schema, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 1000);
    }
    cr_expect_gt(n, 4);
    lam_schema_destroy(schema);
}
