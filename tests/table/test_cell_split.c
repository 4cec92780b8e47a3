/* SPDX-License-Identifier: Apache-2.0 */
/* A line of JSON is split into cells, their kinds and their texts. */
#include "table/cell_split.h"
#include "table_help.h"

/* Kinds and texts of the cells of a line, between bars. */
static void expect_cells(const char *fields, const char *line, const char *expected) {
    static const char kinds[] = "0tnbjT";
    lam_schema *schema = fields_of(fields);
    lam_json_shape shape;
    lam_cell_columns columns;
    lam_cell cells[64];
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    char text[1000] = "", exact[1000];
    uint8_t *scratch = malloc(strlen(line)); /* as large as it must be, for the sanitizers */
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_json_shape_init(&shape, schema, NULL, NULL, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_cell_columns_make(&shape, &arena, &columns, NULL), LAM_STATUS_OK);
    snprintf(exact, sizeof exact, "%s\n", line);
    lam_cell_split(&columns, (const uint8_t *)exact, scratch, cells);
    for (size_t i = 0; i < columns.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%.*s|", kinds[cells[i].kind],
                 (int)cells[i].text.size, (const char *)cells[i].text.data);
    cr_expect_str_eq(text, expected);
    free(scratch);
    lam_json_shape_finish(&shape);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

Test(cell_split, each_kind_of_value) {
    expect_cells("optional int32 a; optional binary b (STRING); optional boolean c; "
                 "optional boolean d; repeated int32 e; optional double f; optional int32 g;",
                 "{\"a\":-17,\"b\":\"x, }\",\"c\":true,\"d\":false,\"e\":[1,2],\"f\":1.5e300,"
                 "\"g\":null}",
                 "n-17|tx, }|btrue|bfalse|j[1,2]|n1.5e300|0|");
}

Test(cell_split, escapes_are_undone_in_texts_and_kept_in_nested_values) {
    expect_cells("optional binary a (STRING); repeated binary b (STRING); "
                 "optional binary c (STRING);",
                 "{\"a\":\"\\\"\\\\\\n\\u0001\",\"b\":[\"\\\"]\"],\"c\":\"\\\\\"}",
                 "t\"\\\n\001|j[\"\\\"]\"]|t\\|");
}

Test(cell_split, times_are_those_of_the_schema) {
    expect_cells("optional int64 a (TIMESTAMP(MILLIS,true)); optional int32 b (TIME(MILLIS,true)); "
                 "optional int96 c; optional int32 d (DATE); optional binary e (STRING); "
                 "repeated int32 f (TIME(MILLIS,true)); optional int64 g (TIME(MICROS,true));",
                 "{\"a\":\"1T2.000Z\",\"b\":\"1.000\",\"c\":\"x\",\"d\":\"2024-10-24\",\"e\":"
                 "\"1.000\",\"f\":[\"1\"],\"g\":null}",
                 "T1T2.000Z|T1.000|Tx|t2024-10-24|t1.000|j[\"1\"]|0|");
}

Test(cell_split, a_group_that_is_null_has_nulls_in_all_columns) {
    const char *fields = "optional group a { optional group b { optional int32 x; optional int32 "
                         "y; } optional int32 z; } optional int32 w;";
    expect_cells(fields, "{\"a\":{\"b\":{\"x\":1,\"y\":2},\"z\":3},\"w\":4}", "n1|n2|n3|n4|");
    expect_cells(fields, "{\"a\":{\"b\":null,\"z\":3},\"w\":4}", "0|0|n3|n4|");
    expect_cells(fields, "{\"a\":null,\"w\":null}", "0|0|0|0|");
}

Test(cell_split, names_with_quotation_marks_and_brackets_are_passed_over) {
    expect_cells("optional group \"a\\\"}\" { optional int32 \":{\"; } optional int32 \",\";",
                 "{\"a\\\"}\":{\":{\":1},\",\":2}", "n1|n2|");
}
