#include "arrow/arrow_plan.h"

#include <criterion/criterion.h>

#include "arrow_text.h"

/* --- Levels ----------------------------------------------------------------------------------- */

/* The nodes of reading a message. */
static void has_nodes(const char *message, const char *expected) {
    arrow_file file = file_of(message, NULL);
    lam_arrow_plan plan;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_read(&plan, file.reader, NULL, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    char *nodes = nodes_of(&plan);
    cr_assert_str_eq(nodes, expected, "%s\ngave\n%sexpected\n%s", message, nodes, expected);
    free(nodes);
    lam_arrow_plan_finish(&plan);
    close_file(&file);
}

Test(arrow_plan, the_drawing_at_its_head_is_what_comes_out) {
    has_nodes("message m { optional group a (LIST) { repeated group list { optional group element {"
              " required int32 x; optional binary y; } } } }",
              "a LIST slot 0/0 present 1 element 2 leaves 0+2\n"
              "a.element STRUCT slot 2/1 present 3 leaves 0+2\n"
              "a.element.x VALUE slot 2/1 present 3 leaves 0+1\n"
              "a.element.y VALUE slot 2/1 present 4 leaves 1+1\n");
}

Test(arrow_plan, the_plan_of_writing_has_the_same_levels_as_that_of_reading) {
    struct ArrowSchema schema = schema_of("a?:+l[item?:+s[x:i y?:z]]");
    lam_arrow_plan plan;
    lam_schema *parquet;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_plan_write(&plan, &schema, NULL, &parquet, &error), LAM_STATUS_OK, "%s",
                 error.message);
    schema.release(&schema);
    char *nodes = nodes_of(&plan);
    cr_assert_str_eq(nodes, "a LIST slot 0/0 present 1 element 2 leaves 0+2\n"
                            "a.item STRUCT slot 2/1 present 3 leaves 0+2\n"
                            "a.item.x VALUE slot 2/1 present 3 leaves 0+1\n"
                            "a.item.y VALUE slot 2/1 present 4 leaves 1+1\n");
    cr_assert_eq(plan.leaves[1]->leaf, lam_schema_leaf(parquet, 1));
    free(nodes);
    lam_arrow_plan_finish(&plan);
    lam_schema_destroy(parquet);
}
