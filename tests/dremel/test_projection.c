/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "reference/paper.h"

Test(projection, a_leaf_selects_itself_and_a_group_all_below) {
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    cr_assert_eq(lam_schema_select(schema, "Links.Forward", leaves, NULL), LAM_STATUS_OK);
    cr_assert(!leaves[0] && !leaves[1] && leaves[2] && !leaves[3] && !leaves[4] && !leaves[5]);
    cr_assert_eq(lam_schema_select(schema, "Name.Language", leaves, NULL), LAM_STATUS_OK);
    cr_assert(!leaves[0] && !leaves[1] && leaves[2] && leaves[3] && leaves[4] && !leaves[5]);
    cr_assert_eq(lam_schema_select(schema, "", leaves, NULL), LAM_STATUS_OK);
    cr_assert(leaves[0] && leaves[1] && leaves[2] && leaves[3] && leaves[4] && leaves[5]);
    lam_schema_destroy(schema);
}

Test(projection, a_path_to_nothing_is_not_found_and_marks_nothing) {
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_select(schema, "Name.Lang", leaves, &error), LAM_STATUS_NOT_FOUND);
    cr_assert_not_null(strstr(error.message, "Name.Lang"));
    cr_assert_eq(lam_schema_select(schema, "DocId.x", leaves, NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_schema_select(schema, NULL, leaves, &error), LAM_STATUS_NOT_FOUND);
    cr_assert_not_null(strstr(error.message, "(NULL)"));
    for (size_t i = 0; i < 6; i++)
        cr_assert_not(leaves[i]);
    lam_schema_destroy(schema);
}
