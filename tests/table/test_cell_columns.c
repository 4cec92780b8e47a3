/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns the cells of a schema have: groups are flattened, and names stay apart. */
#include "table/cell_columns.h"
#include "table_help.h"

static void expect_columns(const char *fields, const char *selected, const char *expected) {
    lam_schema *schema = fields_of(fields);
    lam_json_shape shape;
    lam_cell_columns columns;
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    bool leaves[64] = {false};
    char text[1000] = "";
    if (selected != NULL)
        cr_assert_eq(lam_schema_select(schema, selected, leaves, NULL), LAM_STATUS_OK);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_json_shape_init(&shape, schema, selected == NULL ? NULL : leaves, NULL,
                                     &allocator, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_cell_columns_make(&shape, &arena, &columns, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < columns.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i == 0 ? "" : " ",
                 columns.names[i]);
    cr_expect_str_eq(text, expected);
    lam_json_shape_finish(&shape);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

Test(cell_columns, groups_are_flattened_and_lists_and_maps_are_not) {
    expect_columns(TABLE_FIELDS ";", NULL, "id user.name user.at.x tags m ok");
}

Test(cell_columns, only_what_is_projected_is_a_column) {
    expect_columns(TABLE_FIELDS ";", "user.at", "user.at.x");
    expect_columns(TABLE_FIELDS ";", "m", "m");
}

Test(cell_columns, a_repeated_group_is_one_column) {
    expect_columns("repeated group r { required int32 a; required int32 b; } repeated int32 s;",
                   NULL, "r s");
}

Test(cell_columns, columns_that_would_be_called_alike_are_called_by_their_paths) {
    expect_columns("required int32 \"full name\"; required int32 \"a.b\"; required int32 \"in\";"
                   "required group g { required int32 \"x y\"; }",
                   NULL, "full name a.b in g.x y");
    expect_columns(
        "required int32 \"a.b\"; required group a { required int32 b; required int32 c; }"
        "required int32 \"a.c.d\"; required int32 \"g.x y\";"
        "required group g { required int32 \"x y\"; }",
        NULL, "\"a.b\" a.b a.c a.c.d \"g.x y\" g.\"x y\"");
}
