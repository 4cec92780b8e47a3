/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a record by the values of its fields. Different values get different folders,
 * except where a name would be too long, and the calendar of the C library agrees.
 */
#include "dataset/partition/partition_folder.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/floor_divide.h"
#include "base/utf8.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#define NULL_FOLDER "__HIVE_DEFAULT_PARTITION__"

static lam_partition *create(const char *schema_text, const char *format) {
    lam_schema *schema = lam_test_schema(schema_text);
    lam_partition *partition;
    lam_error error = lam_error_none();
    lam_status status = lam_partition_create(schema, "a", format, NULL, &partition, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_schema_destroy(schema);
    return partition;
}

/* The folder; static. */
static const char *folder(const lam_partition *partition, const lam_value *value) {
    static char text[4000];
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_partition_folder(partition, value, &out, NULL), LAM_STATUS_OK);
    cr_assert(out.size < sizeof text);
    memcpy(text, out.data, out.size);
    text[out.size] = '\0';
    lam_buffer_finish(&out);
    return text;
}

static void expect(const char *schema, const char *format, lam_value value, const char *want) {
    lam_partition *partition = create(schema, format);
    cr_assert_str_eq(folder(partition, &value), want);
    lam_partition_destroy(partition);
}

#define TIMESTAMP(unit, utc) "message m { required int64 a (TIMESTAMP(" unit "," utc ")); }"
#define MICROS TIMESTAMP("MICROS", "true")
#define TEXT "message m { required binary a (STRING); }"

static lam_value integer(int64_t number) {
    return (lam_value){.int64 = number};
}

static lam_value text_value(const char *text) {
    return (lam_value){.bytes = {(const uint8_t *)text, strlen(text)}};
}

Test(partition_folder, timestamps_of_each_unit) {
    static const char format[] = "date=%Y-%m-%d/at=%H.%M.%S/day=%j";
    static const char want[] = "date=2026-11-23/at=00.45.59/day=327";
    expect(TIMESTAMP("MILLIS", "true"), format, integer(1795394759999), want);
    expect(TIMESTAMP("MICROS", "true"), format, integer(1795394759999999), want);
    expect(TIMESTAMP("NANOS", "true"), format, integer(1795394759999999999), want);
    expect(TIMESTAMP("MILLIS", "false"), format, integer(1795394759999), want);
    expect(MICROS, format, integer(-1), "date=1969-12-31/at=23.59.59/day=365");
    expect(MICROS, format, integer(0), "date=1970-01-01/at=00.00.00/day=001");
    expect(MICROS, format, integer(1735603200000000), "date=2024-12-31/at=00.00.00/day=366");
}

Test(partition_folder, whole_timestamps) {
    expect(MICROS, NULL, integer(1795394759999999), "a=2026-11-23T00%3A45%3A59.999999Z");
    expect(TIMESTAMP("MILLIS", "false"), NULL, integer(-1), "a=1969-12-31T23%3A59%3A59.999");
}

Test(partition_folder, years_without_four_digits_go_where_nulls_go) {
    static const char format[] = "all=x/y=%Y/h=%H";
    static const char lost[] = "all=x/y=" NULL_FOLDER "/h=" NULL_FOLDER;
    static const int64_t first = -62167219200000, end = 253402300800000;
    expect(TIMESTAMP("MILLIS", "true"), format, integer(first), "all=x/y=0000/h=00");
    expect(TIMESTAMP("MILLIS", "true"), format, integer(first - 1), lost);
    expect(TIMESTAMP("MILLIS", "true"), format, integer(end - 1), "all=x/y=9999/h=23");
    expect(TIMESTAMP("MILLIS", "true"), format, integer(end), lost);
    expect(TIMESTAMP("MILLIS", "true"), format, integer(INT64_MIN), lost);
    expect(TIMESTAMP("MILLIS", "true"), format, integer(INT64_MAX), lost);
    /* The text of a value has all digits of its year. */
    static const char both[] = "y=%Y/t=%v";
    expect(TIMESTAMP("MILLIS", "true"), NULL, integer(end), "a=+10000-01-01T00%3A00%3A00.000Z");
    expect(TIMESTAMP("MILLIS", "false"), both, integer(first - 1),
           "y=" NULL_FOLDER "/t=-0001-12-31T23%3A59%3A59.999");
    expect(MICROS, format, integer(INT64_MIN), lost);
    expect(MICROS, format, integer(INT64_MAX), lost);
    expect(TIMESTAMP("NANOS", "true"), format, integer(INT64_MIN), "all=x/y=1677/h=00");
    expect(TIMESTAMP("NANOS", "true"), format, integer(INT64_MAX), "all=x/y=2262/h=23");
}

Test(partition_folder, dates) {
    static const char schema[] = "message m { required int32 a (DATE); }";
    expect(schema, "y=%Y/m=%m/d=%d", (lam_value){.int32 = 20780}, "y=2026/m=11/d=23");
    expect(schema, NULL, (lam_value){.int32 = -1}, "a=1969-12-31");
    expect(schema, "j=%j", (lam_value){.int32 = -1}, "j=365");
    expect(schema, NULL, (lam_value){.int32 = 2932897}, "a=+10000-01-01");
    expect(schema, NULL, (lam_value){.int32 = INT32_MIN}, "a=-5877641-06-23");
    expect(schema, NULL, (lam_value){.int32 = INT32_MAX}, "a=+5881580-07-11");
    expect(schema, "y=%Y", (lam_value){.int32 = INT32_MAX}, "y=" NULL_FOLDER);
}

Test(partition_folder, numbers_to_the_ends_of_their_range) {
    expect("message m { required int64 a; }", NULL, integer(INT64_MIN), "a=-9223372036854775808");
    expect("message m { required int64 a; }", NULL, integer(INT64_MAX), "a=9223372036854775807");
    expect("message m { required int64 a; }", "n=%v", integer(0), "n=0");
    expect("message m { required int64 a (INTEGER(64,false)); }", NULL, integer(-1),
           "a=18446744073709551615");
    expect("message m { required int32 a (INTEGER(32,false)); }", NULL, (lam_value){.int32 = -1},
           "a=4294967295");
    expect("message m { required int32 a; }", NULL, (lam_value){.int32 = INT32_MIN},
           "a=-2147483648");
    expect("message m { required int32 a (INTEGER(8,true)); }", NULL, (lam_value){.int32 = -128},
           "a=-128");
    expect("message m { required boolean a; }", NULL, (lam_value){.boolean = true}, "a=true");
    expect("message m { required boolean a; }", NULL, (lam_value){.boolean = false}, "a=false");
}

Test(partition_folder, texts_are_escaped) {
    static const char *const rows[][2] = {
        {"plain-1.5_x", "plain-1.5_x"},
        {"a/b=c%d:e", "a%2Fb%3Dc%25d%3Ae"},
        {"\"#*?\\^[]{}'", "%22%23%2A%3F%5C%5E%5B%5D%7B%7D%27"},
        {"\x01\x1F\x7F\n", "%01%1F%7F%0A"},
        {"größe 上海 😀", "größe 上海 😀"},
        {"\xC3", "%C3"},
        {"\xC3(\xFF\xE4\xB8", "%C3(%FF%E4%B8"},
        {"\xED\xA0\x80", "%ED%A0%80"},
        {"..", ".."},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char want[300];
        snprintf(want, sizeof want, "a=%s", rows[i][1]);
        expect(TEXT, NULL, text_value(rows[i][0]), want);
    }
    expect(TEXT, NULL, (lam_value){.bytes = {(const uint8_t *)"a\0b", 3}}, "a=a%00b");
    expect("message m { required binary a (ENUM); }", "x=1/k=%v!/z=2", text_value("E"),
           "x=1/k=E!/z=2");
}

/* An empty text and the text that stands for a null were in the folder of nulls. */
Test(partition_folder, the_text_that_stands_for_a_null_is_no_null) {
    expect(TEXT, NULL, text_value(NULL_FOLDER), "a=%5F_HIVE_DEFAULT_PARTITION__");
    expect(TEXT, "a=__HIVE_%v__", text_value("DEFAULT_PARTITION"),
           "a=%5F_HIVE_DEFAULT_PARTITION__");
    expect(TEXT, "a=" NULL_FOLDER "/b=%v", text_value("x"), "a=" NULL_FOLDER "/b=x");
    expect(TEXT, NULL, text_value("%5F_HIVE_DEFAULT_PARTITION__"),
           "a=%255F_HIVE_DEFAULT_PARTITION__");
    expect(TEXT, NULL, text_value(NULL_FOLDER "x"), "a=" NULL_FOLDER "x");
    expect(TEXT, NULL, text_value("__HIVE_DEFAULT_PARTITION_"), "a=__HIVE_DEFAULT_PARTITION_");
}

/* Where files have no other copy of a value, a name that is cut would lose it. */
Test(partition_folder, a_name_that_must_hold_its_value_is_not_cut) {
    lam_partition *partition = create(TEXT, "a=%v");
    lam_allocator heap = lam_allocator_default();
    char text[LAM_PARTITION_FOLDER_MAX + 1];
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    partition->holds_values = true;
    for (size_t size = LAM_PARTITION_FOLDER_MAX - 4; size < sizeof text; size++) {
        lam_error error = lam_error_none();
        size_t before = out.size;
        memset(text, 'x', size);
        text[size] = '\0';
        lam_value value = text_value(text);
        bool fits = size + 2 <= LAM_PARTITION_FOLDER_MAX;
        cr_assert_eq(lam_partition_folder(partition, &value, &out, &error),
                     fits ? LAM_STATUS_OK : LAM_STATUS_UNSUPPORTED, "%zu", size);
        cr_assert_eq(out.size, before + (fits ? size + 2 : 0));
        if (!fits)
            cr_assert_str_eq(error.message, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... of column a "
                                            "cannot name a folder, which has 200 bytes at most");
    }
    lam_buffer_finish(&out);
    lam_partition_destroy(partition);
}

/* The name alone read as the path of another field. */
Test(partition_folder, a_value_without_a_folder_is_said_to_be_of_a_path_that_leads_to_its_field) {
    lam_schema *schema = lam_test_schema("message m { required binary a.b (STRING); }");
    lam_allocator heap = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_partition *partition;
    char text[LAM_PARTITION_FOLDER_MAX + 1] = {0};
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    memset(text, 'x', LAM_PARTITION_FOLDER_MAX);
    lam_value value = text_value(text);
    cr_assert_eq(lam_partition_create(schema, "\"a.b\"", NULL, NULL, &partition, NULL),
                 LAM_STATUS_OK);
    partition->holds_values = true;
    cr_assert_eq(lam_partition_folder(partition, &value, &out, &error), LAM_STATUS_UNSUPPORTED);
    cr_assert(strstr(error.message, " of column \"a.b\" cannot") != NULL, "%s", error.message);
    lam_buffer_finish(&out);
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
}

Test(partition_folder, a_field_that_begins_with_a_dot_names_a_folder_that_readers_see) {
    lam_schema *schema = lam_test_schema("message m { required int64 .a; }");
    lam_partition *partition;
    lam_value value = integer(7);
    cr_assert_eq(lam_partition_create(schema, ".a", NULL, NULL, &partition, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(folder(partition, &value), "%2Ea=7");
    lam_partition_destroy(partition);
    lam_schema_destroy(schema);
}

Test(partition_folder, a_null_has_a_folder) {
    lam_partition *partition = create(MICROS, "all=x/date=%Y-%m-%d/hour=%H");
    cr_assert_str_eq(folder(partition, NULL), "all=x/date=" NULL_FOLDER "/hour=" NULL_FOLDER);
    lam_partition_destroy(partition);
}

/* %XX back to bytes; what Hive and its readers do. */
static size_t unescape(const char *text, size_t size, uint8_t *bytes) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned byte = (uint8_t)text[i];
        if (text[i] == '%') {
            cr_assert_eq(sscanf(text + i + 1, "%2x", &byte), 1);
            i += 2;
        }
        bytes[count++] = (uint8_t)byte;
    }
    return count;
}

Test(partition_folder, random_texts_stay_apart_and_come_back_unless_they_are_long) {
    static const char *const pieces[] = {"a", "ö", "上", "😀", "/", "%", "\xFF", "=", ".", "xyz"};
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_partition *partition = create(TEXT, "host=<%v>");
    size_t long_ones = 0;
    for (int round = 0; round < 20000; round++) {
        char text[2000] = "x", other[2000];
        size_t count = lam_random_below(&random, round % 2 == 0 ? 12 : 300);
        for (size_t i = 0; i < count; i++)
            strcat(text, pieces[lam_random_below(&random, 10)]);
        lam_value value = text_value(text);
        const char *name = folder(partition, &value);
        size_t size = strlen(name);
        cr_assert_leq(size, LAM_PARTITION_FOLDER_MAX, "seed %" PRIu64, seed);
        cr_assert_eq(lam_utf8_prefix((const uint8_t *)name, size), size, "seed %" PRIu64, seed);
        cr_assert_null(strchr(name, '/'));
        cr_assert_eq(strncmp(name, "host=<", 6), 0);
        uint8_t bytes[400];
        bool is_cut = name[size - 1] != '>';
        size_t kept = unescape(name + 6, size - 6 - (is_cut ? 17 : 1), bytes);
        cr_assert_eq(memcmp(bytes, text, kept), 0, "seed %" PRIu64 ": %s", seed, text);
        if (!is_cut) {
            cr_assert_eq(kept, strlen(text), "seed %" PRIu64 ": %s", seed, text);
            continue;
        }
        cr_assert_geq(size, LAM_PARTITION_FOLDER_MAX - 4);
        cr_assert_eq(name[size - 17], '~');
        long_ones++;
        strcat(strcpy(other, name), "");
        text[strlen(text) - 1] ^= 1;
        value = text_value(text);
        cr_assert_str_neq(folder(partition, &value), other);
    }
    cr_assert(long_ones > 5000 && long_ones < 15000, "%zu", long_ones);
    lam_partition_destroy(partition);
}

/* A name of exactly the most bytes is whole. */
Test(partition_folder, only_a_name_that_is_too_long_is_cut) {
    lam_partition *partition = create(TEXT, "a=%v/b=%v");
    char text[300], want[700];
    memset(text, 'x', sizeof text);
    text[LAM_PARTITION_FOLDER_MAX - 2] = '\0';
    lam_value value = text_value(text);
    snprintf(want, sizeof want, "a=%s/b=%s", text, text);
    cr_assert_str_eq(folder(partition, &value), want);
    text[LAM_PARTITION_FOLDER_MAX - 2] = 'x';
    text[LAM_PARTITION_FOLDER_MAX - 1] = '\0';
    const char *cut = folder(partition, &value);
    value = text_value(text);
    cut = folder(partition, &value);
    cr_assert_eq(strlen(cut), 2 * LAM_PARTITION_FOLDER_MAX + 1);
    cr_assert_eq(cut[LAM_PARTITION_FOLDER_MAX], '/');
    cr_assert_eq(cut[LAM_PARTITION_FOLDER_MAX - 17], '~');
    lam_partition_destroy(partition);
}

/* The C library's calendar knows the same days; and one folder is one period. */
Test(partition_folder, random_timestamps_agree_with_the_calendar_of_the_c_library) {
    static const char *const formats[] = {"y=%Y/m=%m", "y=%Y-%j", "t=%Y-%m-%d-%H", "t=%j %H.%M",
                                          "t=%d-%S"};
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    for (size_t i = 0; i < 5; i++) {
        lam_partition *partition = create(TIMESTAMP("MILLIS", "true"), formats[i]);
        for (int round = 0; round < 5000; round++) {
            /* Years 1000 to 9999: %Y of the C library does not pad. */
            int64_t seconds =
                -30610224000 + (int64_t)lam_random_below(&random, 253402300800 + 30610224000);
            lam_value value = integer(seconds * 1000 + (int64_t)lam_random_below(&random, 1000));
            char want[100];
            time_t time = (time_t)seconds;
            struct tm *tm = gmtime(&time);
            strftime(want, sizeof want, formats[i], tm);
            cr_assert_str_eq(folder(partition, &value), want, "seed %" PRIu64, seed);
            int64_t rest;
            lam_floor_divide(value.int64, partition->period, &rest);
            value.int64 += (int64_t)lam_random_below(&random, (uint64_t)partition->period) - rest;
            cr_assert_str_eq(folder(partition, &value), want, "seed %" PRIu64, seed);
        }
        lam_partition_destroy(partition);
    }
}

Test(partition_folder, a_refused_request_for_memory_leaves_the_buffer) {
    lam_partition *partition = create(MICROS, "a=%Y/b=%m/c=%d");
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_value value = integer(0);
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_buffer_append(&out, "before", 6, NULL), LAM_STATUS_OK);
    out.size = out.capacity - 8; /* room for one folder */
    counter.fail_at = counter.requests + 1;
    size_t before = out.size;
    cr_assert_eq(lam_partition_folder(partition, &value, &out, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(out.size, before);
    cr_assert_eq(lam_partition_folder(partition, &value, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(out.data + before, "a=1970/b=01/c=01", 16), 0);
    cr_assert_eq(out.size, before + 16);
    lam_buffer_finish(&out);
    lam_partition_destroy(partition);
}
