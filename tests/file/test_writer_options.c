/* SPDX-License-Identifier: Apache-2.0 */
/* Options and types that a writer refuses: each by its message, and before a byte is written. */
#include "file/write/writer_options.h"

#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"
#include "schema/tree.h"

static lam_status check_for(const lam_schema *schema, lam_compat compat, lam_error *error) {
    lam_writer_options options = lam_writer_options_default();
    options.compat = compat;
    return lam_writer_options_check_schema(&options, schema, error);
}

/* parquet-format#601 */
Test(writer_options, a_timestamp_of_12_bytes_is_for_the_newest_readers) {
    lam_schema *schema =
        lam_test_schema("optional group g { required fixed(12) t (TIMESTAMP(NANOS,true)); }");
    lam_schema *others = lam_test_schema("required fixed(12) a; required fixed(12) b (INTERVAL); "
                                         "required int64 c (TIMESTAMP(NANOS,true));");
    for (int compat = LAM_COMPAT_DEFAULT; compat <= LAM_COMPAT_NEWEST; compat++) {
        lam_error error = lam_error_none();
        lam_status expected = compat == LAM_COMPAT_NEWEST ? LAM_STATUS_OK : LAM_STATUS_INVALID;
        cr_assert_eq(check_for(schema, (lam_compat)compat, &error), expected);
        if (expected != LAM_STATUS_OK)
            cr_assert_str_eq(error.message,
                             "field g.t is a TIMESTAMP on fixed_len_byte_array(12), which only the "
                             "newest readers know: it needs LAM_COMPAT_NEWEST (--compat newest)");
        cr_assert_eq(check_for(others, (lam_compat)compat, &error), LAM_STATUS_OK);
    }
    lam_schema_destroy(schema);
    lam_schema_destroy(others);
}

/*
 * Recovered and continued files were written for the newest readers, whatever their schema: doubles
 * of a journal became ALP, which the readers of the log's other files do not know.
 */
Test(writer_options, a_file_that_goes_on_is_for_the_readers_of_its_schema) {
    lam_schema *common = lam_test_schema("message m { required double v; }");
    lam_schema *newest = lam_test_schema(
        "message m { optional fixed_len_byte_array(12) t (TIMESTAMP(NANOS,true)); }");
    cr_assert_eq(lam_writer_compat_of(common), LAM_COMPAT_DEFAULT);
    cr_assert_eq(lam_writer_compat_of(newest), LAM_COMPAT_NEWEST);
    lam_schema_destroy(common);
    lam_schema_destroy(newest);
}

/* What is refused leaves the output with the caller, and nothing in it. */
Test(writer_options, a_schema_that_is_refused_writes_nothing) {
    lam_schema *schema = lam_test_schema("required fixed(12) t (TIMESTAMP(MILLIS,false));");
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer = NULL;
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_INVALID);
    cr_assert_null(writer);
    cr_assert_not_null(output.write);
    cr_assert_eq(trial.bytes.size, 0);
    lam_output_close(&output);
    lam_trial_output_free(&trial);
    lam_schema_destroy(schema);
}

/* parquet-format#592: the schema of a file may have one. */
Test(writer_options, a_vector_is_not_written) {
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_VECTOR,
                                             LAM_PHYSICAL_FLOAT, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(check_for(schema, LAM_COMPAT_NEWEST, NULL), LAM_STATUS_UNSUPPORTED);
    lam_schema_destroy(schema);
    lam_schema_builder_destroy(builder);
}

/* What is not set is a default; every other number is one of those that there are. */
Test(writer_options, a_number_that_there_is_not_is_refused) {
    static const struct {
        lam_writer_options options;
        const char *message;
    } cases[] = {
        {{.data_page_version = 3}, "data page version 3 is neither 1 nor 2"},
        {{.data_page_version = -1}, "data page version -1 is neither 1 nor 2"},
        {{.compat = (lam_compat)-1}, "unknown compat preset -1"},
        {{.compat = (lam_compat)(LAM_COMPAT_NEWEST + 1)}, "unknown compat preset "},
        {{.row_group_bytes = SIZE_MAX}, "row_group_bytes is "},
        {{.row_group_rows = UINT64_MAX}, "row_group_rows is "},
        {{.page_bytes = INT32_MAX}, "page_bytes is 2147483647, not between 1 and 1073741823"},
        {{.dictionary_bytes = INT32_MAX}, "dictionary_bytes is 2147483647, not between 1 and "},
        {{.dictionary = (lam_switch)7}, "dictionary"},
        {{.delta = (lam_switch)7}, "delta"},
        {{.page_crc = (lam_switch)7}, "page_crc"},
        {{.statistics = (lam_switch)7}, "statistics"},
        {{.page_index = (lam_switch)7}, "page_index"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_writer_options_check(&cases[i].options, LAM_CODEC_UNCOMPRESSED, &error),
                     LAM_STATUS_INVALID, "%zu", i);
        cr_assert(strstr(error.message, cases[i].message) != NULL, "%zu: %s", i, error.message);
    }
    lam_writer_options options = lam_writer_options_default();
    cr_assert_eq(lam_writer_options_check(&options, LAM_CODEC_UNCOMPRESSED, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_options_check(&options, (lam_codec)-1, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_options_check(&options, (lam_codec)(LAM_CODEC_LZ4_RAW + 1), NULL),
                 LAM_STATUS_INVALID);
}
