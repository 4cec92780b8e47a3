/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which shredded fields print as members of the object that their VARIANT is, by their columns
 * alone, and what stands in front of each.
 */
#include "json/write/json_member.h"

#include <lamella/projection.h>

#include "json_help.h"

#define SHREDDED                                                                                   \
    "optional group v (VARIANT(1)) { required binary metadata; optional binary value;"             \
    " optional group typed_value {"                                                                \
    "  required group a { optional binary value; optional int32 typed_value (INTEGER(8,true)); }"  \
    "  required group b { optional binary value; optional group typed_value {"                     \
    "   required group c { optional binary value; optional binary typed_value (STRING); }"         \
    "   required group d { optional binary value; optional int32 typed_value; } } }"               \
    "  required group l { optional binary value; optional group typed_value (LIST) {"              \
    "   repeated group list { required group element { optional binary value;"                     \
    "    optional int32 typed_value; } } } }"                                                      \
    " } }"

/* Leaves of the schema above. */
enum { METADATA, VALUE, A_VALUE, A, B_VALUE, C_VALUE, C, D_VALUE, D, L_VALUE, E_VALUE, E, LEAVES };

typedef struct wanted_members {
    lam_schema *schema;
    lam_projection *projection;
    const lam_projection_tree *tree;
} wanted_members;

static wanted_members want(const char *const *paths) {
    wanted_members wanted;
    wanted.schema = fields_of(SHREDDED);
    cr_assert_eq(lam_projection_create(wanted.schema, NULL, &wanted.projection, NULL),
                 LAM_STATUS_OK);
    for (; *paths != NULL; paths++)
        cr_assert_eq(lam_projection_add(wanted.projection, *paths, NULL), LAM_STATUS_OK);
    wanted.tree = lam_projection_tree_of(wanted.projection,
                                         lam_field_child(lam_schema_root(wanted.schema), 0));
    return wanted;
}

#define WANT(...) want((const char *const[]){__VA_ARGS__, NULL})

static void drop(wanted_members *wanted) {
    lam_projection_destroy(wanted->projection);
    lam_schema_destroy(wanted->schema);
}

static bool finds(const wanted_members *wanted, uint32_t leaf, lam_json_member *member) {
    return lam_json_member_find(wanted->tree, lam_schema_leaf(wanted->schema, leaf), member);
}

/* Whether the leaves that are marked by number print as members of their VARIANT. */
static bool are_apart(const wanted_members *wanted, uint32_t first, uint32_t second) {
    bool leaves[LEAVES] = {false};
    leaves[first] = true;
    leaves[second] = true;
    return lam_json_members_are_apart(wanted->tree, leaves);
}

Test(json_member, only_wanted_scalars_outside_of_arrays_are_members) {
    wanted_members wanted = WANT("v.a", "v.b.c", "v.l");
    lam_json_member member;
    cr_expect(finds(&wanted, A, &member));
    cr_expect_eq(member.depth, 1);
    cr_expect(finds(&wanted, C, &member));
    cr_assert_eq(member.depth, 2);
    cr_expect(member.names[0].size == 1 && member.names[0].data[0] == 'c');
    cr_expect(member.names[1].size == 1 && member.names[1].data[0] == 'b');
    cr_expect_not(finds(&wanted, D, &member), "no path");
    cr_expect_not(finds(&wanted, E, &member), "an element");
    cr_expect_not(finds(&wanted, A_VALUE, &member), "a value column");
    cr_expect_not(finds(&wanted, METADATA, &member));
    drop(&wanted);
}

/* An object that is wanted as a whole is there without members, too. */
Test(json_member, a_scalar_of_an_object_that_is_wanted_as_a_whole_is_no_member) {
    wanted_members wanted = WANT("v.b");
    lam_json_member member;
    cr_expect_not(finds(&wanted, C, &member));
    cr_expect_not(finds(&wanted, D, &member));
    drop(&wanted);
}

Test(json_member, members_are_apart_unless_an_object_has_two_of_them) {
    wanted_members wanted = WANT("v.a", "v.b.c", "v.b.d");
    bool none[LEAVES] = {false};
    cr_expect(are_apart(&wanted, A, A));
    cr_expect(are_apart(&wanted, A, C));
    cr_expect_not(are_apart(&wanted, C, D));
    cr_expect_not(are_apart(&wanted, A, B_VALUE));
    cr_expect_not(lam_json_members_are_apart(wanted.tree, none));
    drop(&wanted);
}

Test(json_member, a_lead_has_the_names_and_opens_the_objects_between_them) {
    lam_allocator allocator = lam_allocator_default();
    wanted_members wanted = WANT("v.b.c");
    lam_json_member member;
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    cr_assert(finds(&wanted, C, &member));
    cr_assert_eq(lam_json_member_lead(&member, &text, NULL), LAM_STATUS_OK);
    cr_expect_eq(text.size, strlen("\"b\":{\"c\":"));
    cr_expect_eq(memcmp(text.data, "\"b\":{\"c\":", text.size), 0);
    member.names[0] = (lam_bytes){(const uint8_t *)"\xFF", 1};
    cr_expect_eq(lam_json_member_lead(&member, &text, NULL), LAM_STATUS_INVALID);
    lam_buffer_finish(&text);
    drop(&wanted);
}

/* INT32 columns hold more than an INT8 of a VARIANT. */
Test(json_member, a_value_outside_of_its_kind_fails_the_check) {
    lam_allocator allocator = lam_allocator_default();
    wanted_members wanted = WANT("v.a", "v.b.d");
    lam_json_member member;
    lam_buffer scratch;
    lam_buffer_init(&scratch, &allocator);
    cr_assert(finds(&wanted, A, &member));
    cr_expect_eq(lam_json_member_check(member.node, (lam_value){.int32 = 127}, &scratch, NULL),
                 LAM_STATUS_OK);
    cr_expect_neq(lam_json_member_check(member.node, (lam_value){.int32 = 128}, &scratch, NULL),
                  LAM_STATUS_OK);
    cr_assert(finds(&wanted, D, &member));
    cr_expect_eq(lam_json_member_check(member.node, (lam_value){.int32 = 128}, &scratch, NULL),
                 LAM_STATUS_OK);
    lam_buffer_finish(&scratch);
    drop(&wanted);
}
