/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitions of a schema: which paths and formats can name folders, and the message for each that
 * cannot.
 */
#include "dataset/partition/partition.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

#define SCHEMA                                                                                     \
    "message m { required int64 t (TIMESTAMP(MICROS,true)); optional int32 d (DATE);"              \
    " optional group g { required binary s (STRING); repeated binary many (STRING); }"             \
    " optional boolean b; optional int32 i; optional binary raw; optional int96 old;"              \
    " optional int32 clock (TIME(MILLIS,true)); optional double x;"                                \
    " optional binary e (ENUM); optional int32 money (DECIMAL(5,2));"                              \
    " optional int64 \"a/b=c\"; optional int64 \"\"; optional binary j (JSON);"                    \
    " optional fixed_len_byte_array(16) u (UUID);"                                                 \
    " optional fixed_len_byte_array(12) wide (TIMESTAMP(NANOS,true)); }"

/* The message of a partition that must be refused; static. */
static const char *refusal(const char *path, const char *format) {
    static lam_error error;
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_partition *partition = NULL;
    error = lam_error_none();
    cr_assert_eq(lam_partition_create(schema, path, format, NULL, &partition, &error),
                 strcmp(path, "nothing") == 0 ? LAM_STATUS_NOT_FOUND : LAM_STATUS_INVALID, "%s %s",
                 path, format);
    cr_assert_null(partition);
    lam_schema_destroy(schema);
    return error.message;
}

/* What the partition's names are, with directives as %x; static. */
static const char *names(const char *path, const char *format) {
    static char text[4000];
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_partition *partition;
    lam_error error = lam_error_none();
    lam_status status = lam_partition_create(schema, path, format, NULL, &partition, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_schema_destroy(schema);
    memcpy(text, partition->names.data, partition->names.size);
    text[partition->names.size] = '\0';
    for (size_t i = 0; i < partition->names.size; i++)
        text[i] = text[i] == 1 ? '@' : text[i];
    lam_partition_destroy(partition);
    return text;
}

Test(partition, a_path_without_a_single_value_is_refused) {
    cr_assert_str_eq(refusal("nothing", NULL), "no field 'nothing'");
    cr_assert_str_eq(refusal("g", NULL),
                     "the field \"g\" is a group, which has no value to partition by");
    cr_assert_str_eq(
        refusal("g.many", NULL),
        "the field \"g.many\" is repeated: a record has no single value to partition by");
}

Test(partition, a_type_that_cannot_name_folders_is_refused) {
    static const char *const rows[][2] = {
        {"raw", "binary"},
        {"old", "int96"},
        {"clock", "int32 (TIME(MILLIS,true))"},
        {"x", "double"},
        {"j", "binary (JSON)"},
        {"money", "int32 (DECIMAL(5,2))"},
        {"u", "fixed_len_byte_array (UUID)"},
        {"wide", "fixed_len_byte_array (TIMESTAMP(NANOS,true))"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char want[200];
        snprintf(want, sizeof want,
                 "the field \"%s\" is of type %s: partitions are by DATE, TIMESTAMP, STRING, ENUM, "
                 "integer or BOOLEAN",
                 rows[i][0], rows[i][1]);
        cr_assert_str_eq(refusal(rows[i][0], NULL), want);
    }
}

Test(partition, formats_become_names) {
    cr_assert_str_eq(names("t", "date=%Y-%m-%d/hour=%H"), "date=@Y-@m-@d/hour=@H");
    cr_assert_str_eq(names("t", "a=%j%%/b=%v=%M:%S"), "a=@j%25/b=@v%3D@M%3A@S");
    cr_assert_str_eq(names("d", "day=%Y%m%d%j%v"), "day=@Y@m@d@j@v");
    cr_assert_str_eq(names("g.s", "größe*=x%v"), "größe%2A=x@v");
    cr_assert_str_eq(names("b", "flag=%v"), "flag=@v");
    cr_assert_str_eq(names("i", "all=records"), "all=records");
    cr_assert_str_eq(names("t", "a=/b="), "a=/b=");
    cr_assert_str_eq(names("t", "a=.../b=.."), "a=.../b=..");
    cr_assert_str_eq(names("t", NULL), "t=@v");
    cr_assert_str_eq(names("g.s", NULL), "s=@v");
    cr_assert_str_eq(names("e", NULL), "e=@v");
    cr_assert_str_eq(names("a/b=c", NULL), "a%2Fb%3Dc=@v");
}

Test(partition, a_format_that_is_none_is_refused_with_the_reason) {
    static const char *const rows[][3] = {
        {"t", "a=%Y%", "the format \"a=%Y%\" ends with a single %"},
        {"t", "a=%y", "the format \"a=%y\" has %y, which is none of %Y %m %d %H %M %S %j %v %%"},
        {"t", "a=%", "the format \"a=%\" ends with a single %"},
        {"i", "a=%Y", "the format \"a=%Y\" has %Y, which only dates and timestamps have"},
        {"g.s", "a=%S", "the format \"a=%S\" has %S, which only dates and timestamps have"},
        {"b", "a=%j", "the format \"a=%j\" has %j, which only dates and timestamps have"},
        {"d", "a=%Y/b=%H", "the format \"a=%Y/b=%H\" has %H, which only timestamps have"},
        {"d", "a=%M", "the format \"a=%M\" has %M, which only timestamps have"},
        {"d", "a=%S", "the format \"a=%S\" has %S, which only timestamps have"},
        {"t", "", "the format \"\" has an empty folder"},
        {"t", "/a=%Y", "the format \"/a=%Y\" begins with '/'"},
        {"t", "a=%Y/", "the format \"a=%Y/\" has an empty folder"},
        {"t", "a=%Y//b=%m", "the format \"a=%Y//b=%m\" has an empty folder"},
        {"t", "a=%Y/./b=%m", "the folder \".\" of the format has no NAME="},
        {"t", "a=%Y/..", "the folder \"..\" of the format has no NAME="},
        {"t", "year", "the folder \"year\" of the format has no NAME="},
        {"t", "=%Y", "the folder \"=%Y\" of the format has no NAME before its '='"},
        {"t", "a=%Y/=%m", "the folder \"=%m\" of the format has no NAME before its '='"},
        {"t", "%Y", "the folder \"%Y\" of the format has a % before its '='"},
        {"t", "a=1/y%Y=%m", "the folder \"y%Y=%m\" of the format has a % before its '='"},
        {"t", "a=%Y/b=%m/a=%d", "the folder \"a=%d\" of the format has the NAME of an earlier one"},
        {"t", "a=/b=/c=/d=/e=/f=/g=/h=/i=",
         "the format \"a=/b=/c=/d=/e=/f=/g=/h=/i=\" has more than 8 folders"},
        {"t", "a=%v%v%v%v%v%v", "the folder \"a=%v%v%v%v%v%v\" of the format is too long"},
        {"", "x=%v", "the field \"\" is a group, which has no value to partition by"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_str_eq(refusal(rows[i][0], rows[i][1]), rows[i][2]);
    char format[200];
    memset(format, 'x', sizeof format);
    format[1] = '=';
    format[101] = '\0';
    cr_assert_not_null(strstr(refusal("g.s", format), "is too long"));
    format[100] = '\0';
    cr_assert_eq(strlen(names("g.s", format)), 100);
}

Test(partition, only_an_equal_name_is_an_earlier_one) {
    cr_assert_str_eq(names("t", "ab=%Y/b=%m/a=%d/abc=%H"), "ab=@Y/b=@m/a=@d/abc=@H");
}

Test(partition, a_partition_holds_its_schema) {
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_partition *partition;
    cr_assert_eq(lam_partition_create(schema, "a", NULL, NULL, &partition, NULL), LAM_STATUS_OK);
    lam_schema_destroy(schema);
    cr_assert_str_eq(lam_field_name(partition->leaf), "a");
    lam_partition_destroy(partition);
    lam_partition_destroy(NULL);
    cr_assert_eq(lam_partition_create(NULL, "a", NULL, NULL, &partition, NULL), LAM_STATUS_INVALID);
}

Test(partition, a_refused_request_for_memory_leaks_nothing) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_partition *partition = NULL;
        lam_status status = lam_partition_create(
            schema, "t", "date=%Y-%m-%d/hour=%H/a_folder_with_a_name_that_needs_more_room=%M%%",
            &allocator, &partition, NULL);
        cr_assert_eq(status == LAM_STATUS_OK, partition != NULL);
        lam_partition_destroy(partition);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    lam_schema_destroy(schema);
}

/* Formats of every length: whichever byte needs more memory for the names. */
Test(partition, a_name_that_finds_no_memory_is_refused_at_any_byte) {
    static const char *const ends[] = {"=%v", "=a%%%v", "=%v/b=c"};
    lam_schema *schema = lam_test_schema("message m { optional int32 i; }");
    char format[300];
    for (size_t size = 1; size <= 80; size++)
        for (size_t end = 0; end < 3; end++)
            for (size_t n = 1;; n++) {
                lam_failing_alloc counter = {.fail_at = n};
                lam_allocator allocator = lam_failing_allocator(&counter);
                lam_partition *partition = NULL;
                memset(format, 'x', size);
                snprintf(format + size, sizeof format - size, "%s", ends[end]);
                lam_status status =
                    lam_partition_create(schema, "i", format, &allocator, &partition, NULL);
                lam_partition_destroy(partition);
                cr_assert_eq(counter.live_bytes, 0);
                if (status == LAM_STATUS_OK || counter.requests < n)
                    break;
                cr_assert_eq(status, LAM_STATUS_NOMEM, "%s", format);
            }
    lam_schema_destroy(schema);
}

Test(partition, a_name_that_is_too_long_for_a_folder_needs_a_format) {
    char text[700], name[500];
    lam_partition *partition = NULL;
    lam_error error = lam_error_none();
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "message m { optional int32 %s; }", name);
    lam_schema *schema = lam_test_schema(text);
    cr_assert_eq(lam_partition_create(schema, name, NULL, NULL, &partition, &error),
                 LAM_STATUS_INVALID);
    cr_assert_not_null(strstr(error.message, "the name \"nnn"), "%s", error.message);
    cr_assert_eq(lam_partition_create(schema, name, "n=%v", NULL, &partition, &error),
                 LAM_STATUS_OK);
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
}

/* parquet-format#592 */
Test(partition, a_field_of_a_vector_has_no_single_value) {
    lam_schema *schema = lam_test_vector_schema();
    lam_partition *partition = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_partition_create(schema, "list.element", NULL, NULL, &partition, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "the field \"list.element\" is repeated: a record has no "
                                    "single value to partition by");
    lam_schema_destroy(schema);
}

Test(partition, a_field_without_a_name_needs_a_format) {
    lam_partition *partition = NULL;
    lam_error error = lam_error_none();
    lam_schema *schema = lam_test_schema("message m { optional group g { optional int64 \"\"; } }");
    cr_assert_eq(lam_partition_create(schema, "g.\"\"", NULL, NULL, &partition, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message,
                     "the name \"\" of the field cannot name a folder: give a format");
    cr_assert_eq(lam_partition_create(schema, "g.\"\"", "n=%v", NULL, &partition, &error),
                 LAM_STATUS_OK);
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
}
