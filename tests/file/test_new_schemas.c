/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that a writer refuses, unless they are those of files. */
#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"
#include "schema/tree.h"

/* The message for a schema that is refused before anything is written. */
static void expect_refused(const char *text, const char *words) {
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_error error = lam_error_none();
    lam_writer *writer;
    lam_schema *schema = lam_test_parse(text);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, &error), LAM_STATUS_INVALID, "%s",
                 text);
    cr_expect_not_null(strstr(error.message, words), "%s", error.message);
    cr_expect_eq(trial.bytes.size, 0);
    schema->is_of_file = true;
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_writer_close(writer);
    lam_trial_output_free(&trial);
    lam_schema_destroy(schema);
}

Test(new_schemas, a_new_schema_has_only_groups_that_readers_open) {
    expect_refused("required group p (VARIANT(1)) { required binary value; }",
                   "field 'p' is a VARIANT without a binary metadata; write group a (VARIANT(1))");
    expect_refused("required group p (VARIANT) { required int32 metadata; required binary value; }",
                   "is a VARIANT without a binary metadata");
    expect_refused("required group p (VARIANT) { required binary metadata; }",
                   "is a VARIANT without a value");
    expect_refused("required group p (VARIANT) { required binary metadata; required int32 value; }",
                   "is a VARIANT whose value is not binary");
    expect_refused("required group p (VARIANT) { required binary metadata; repeated int32"
                   " typed_value; }",
                   "is a VARIANT whose typed_value is repeated");
    expect_refused("required group p (VARIANT) { required binary metadata; optional group"
                   " typed_value { required int32 x; } }",
                   "p.typed_value.x: a field of a shredded object must be a group");
    expect_refused("required group p (VARIANT) { required binary metadata; required binary value;"
                   " required int32 x; }",
                   "is a VARIANT with fields beyond metadata, value and typed_value");
    expect_refused("optional group q { required group p (LIST) { required double element; } }",
                   "field 'q.p' is a LIST whose child is not repeated; write group a (LIST)");
    expect_refused("required group p (LIST) { repeated double a; repeated double b; }",
                   "is a LIST without exactly one child");
    expect_refused("repeated group p (LIST) { repeated double a; }",
                   "is a repeated LIST that is not an element of a LIST");
    expect_refused("required group p (MAP) { required int32 key; }",
                   "is a MAP without exactly one child that is a repeated group; write group a "
                   "(MAP)");
    expect_refused("repeated group p (MAP) { repeated group e { required int32 key; } }",
                   "is a MAP that is repeated itself");
    expect_refused("required group p (MAP_KEY_VALUE) { repeated group e { required int32 key;"
                   " repeated int32 value; } }",
                   "is a MAP whose key or value is repeated");
    expect_refused("required group p (MAP) { repeated group e { required int32 key; required int32"
                   " value; required int32 more; } }",
                   "is a MAP of more than key and value");
    expect_refused("required group p (FILE) { optional binary url (STRING); }",
                   "field 'p.url' is not a field of a FILE; write group a (FILE)");
    expect_refused("required group p (FILE) { optional int32 size; }",
                   "is a member of a FILE but has another type there");
    expect_refused("required group p (FILE) { required int64 size; }",
                   "is a member of a FILE but not optional");
}
