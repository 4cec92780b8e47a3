/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format strings of the Arrow C data interface, both ways: every type, other spellings, and random
 * text that is refused or prints back.
 */
#include "arrow/field/arrow_format.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/texts.h"

static uint8_t room[LAM_ARROW_UNION_MAX];

static lam_arrow_type parsed(const char *format) {
    lam_arrow_type type;
    const char *fault = lam_arrow_format_parse(format, room, &type);
    cr_assert_null(fault, "%s: %s", format, fault);
    return type;
}

static void prints(const lam_arrow_type *type, const char *format) {
    char buffer[512];
    cr_assert_eq(lam_arrow_format_print(type, buffer, sizeof buffer), strlen(format));
    cr_assert_str_eq(buffer, format);
}

Test(arrow_format, every_type_is_read_and_printed) {
    static const struct {
        const char *format;
        lam_arrow_type type;
    } types[] = {
        {"n", {.kind = LAM_ARROW_NULL}},
        {"b", {.kind = LAM_ARROW_BOOL}},
        {"c", {.kind = LAM_ARROW_INT8}},
        {"C", {.kind = LAM_ARROW_UINT8}},
        {"s", {.kind = LAM_ARROW_INT16}},
        {"S", {.kind = LAM_ARROW_UINT16}},
        {"i", {.kind = LAM_ARROW_INT32}},
        {"I", {.kind = LAM_ARROW_UINT32}},
        {"l", {.kind = LAM_ARROW_INT64}},
        {"L", {.kind = LAM_ARROW_UINT64}},
        {"e", {.kind = LAM_ARROW_FLOAT16}},
        {"f", {.kind = LAM_ARROW_FLOAT32}},
        {"g", {.kind = LAM_ARROW_FLOAT64}},
        {"d:19,10", {.kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 19, .scale = 10}},
        {"d:38,-3", {.kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 38, .scale = -3}},
        {"d:9,9,32", {.kind = LAM_ARROW_DECIMAL, .bit_width = 32, .precision = 9, .scale = 9}},
        {"d:18,0,64", {.kind = LAM_ARROW_DECIMAL, .bit_width = 64, .precision = 18}},
        {"d:76,100,256",
         {.kind = LAM_ARROW_DECIMAL, .bit_width = 256, .precision = 76, .scale = 100}},
        {"tdD", {.kind = LAM_ARROW_DATE32}},
        {"tdm", {.kind = LAM_ARROW_DATE64}},
        {"tts", {.kind = LAM_ARROW_TIME32, .unit = LAM_ARROW_SECOND}},
        {"ttm", {.kind = LAM_ARROW_TIME32, .unit = LAM_ARROW_MILLISECOND}},
        {"ttu", {.kind = LAM_ARROW_TIME64, .unit = LAM_ARROW_MICROSECOND}},
        {"ttn", {.kind = LAM_ARROW_TIME64, .unit = LAM_ARROW_NANOSECOND}},
        {"tss:", {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_SECOND}},
        {"tsm:UTC",
         {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_MILLISECOND, .timezone = "UTC"}},
        {"tsu:Europe/Paris",
         {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_MICROSECOND, .timezone = "Europe/Paris"}},
        {"tsn:+07:30",
         {.kind = LAM_ARROW_TIMESTAMP, .unit = LAM_ARROW_NANOSECOND, .timezone = "+07:30"}},
        {"tDs", {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_SECOND}},
        {"tDm", {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_MILLISECOND}},
        {"tDu", {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_MICROSECOND}},
        {"tDn", {.kind = LAM_ARROW_DURATION, .unit = LAM_ARROW_NANOSECOND}},
        {"tiM", {.kind = LAM_ARROW_INTERVAL_MONTHS}},
        {"tiD", {.kind = LAM_ARROW_INTERVAL_DAY_TIME}},
        {"tin", {.kind = LAM_ARROW_INTERVAL_MONTH_DAY_NANO}},
        {"z", {.kind = LAM_ARROW_BINARY}},
        {"Z", {.kind = LAM_ARROW_LARGE_BINARY}},
        {"vz", {.kind = LAM_ARROW_BINARY_VIEW}},
        {"u", {.kind = LAM_ARROW_STRING}},
        {"U", {.kind = LAM_ARROW_LARGE_STRING}},
        {"vu", {.kind = LAM_ARROW_STRING_VIEW}},
        {"w:0", {.kind = LAM_ARROW_FIXED_SIZE_BINARY}},
        {"w:42", {.kind = LAM_ARROW_FIXED_SIZE_BINARY, .fixed_size = 42}},
        {"+l", {.kind = LAM_ARROW_LIST}},
        {"+L", {.kind = LAM_ARROW_LARGE_LIST}},
        {"+vl", {.kind = LAM_ARROW_LIST_VIEW}},
        {"+vL", {.kind = LAM_ARROW_LARGE_LIST_VIEW}},
        {"+w:2147483647", {.kind = LAM_ARROW_FIXED_SIZE_LIST, .fixed_size = INT32_MAX}},
        {"+s", {.kind = LAM_ARROW_STRUCT}},
        {"+m", {.kind = LAM_ARROW_MAP}},
        {"+r", {.kind = LAM_ARROW_RUN_END_ENCODED}},
        {"+us:", {.kind = LAM_ARROW_SPARSE_UNION}},
        {"+us:4,5", {.kind = LAM_ARROW_SPARSE_UNION, .union_ids = {(const uint8_t *)"\4\5", 2}}},
        {"+ud:127,0", {.kind = LAM_ARROW_DENSE_UNION, .union_ids = {(const uint8_t *)"\x7F\0", 2}}},
    };
    bool seen[LAM_ARROW_DENSE_UNION + 1] = {false};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        lam_arrow_type type = parsed(types[i].format);
        cr_assert(lam_arrow_type_equals(&type, &types[i].type), "%s", types[i].format);
        prints(&type, types[i].format);
        prints(&types[i].type, types[i].format);
        seen[type.kind] = true;
    }
    for (size_t i = 0; i < sizeof seen; i++)
        cr_assert(seen[i], "%s", lam_arrow_kind_name((lam_arrow_kind)i));
}

Test(arrow_format, other_spellings_of_one_type_print_as_the_usual_one) {
    lam_arrow_type type = parsed("d:19,10,128");
    prints(&type, "d:19,10");
    type = parsed("d:038,-0,0256");
    prints(&type, "d:38,0,256");
    type = parsed("+us:01,2");
    prints(&type, "+us:1,2");
    type = parsed("d:5,-2147483648");
    prints(&type, "d:5,-2147483648");
}

Test(arrow_format, a_text_that_does_not_fit_is_cut) {
    lam_arrow_type type = parsed("tsu:Europe/Paris");
    char buffer[8];
    cr_assert_eq(lam_arrow_format_print(&type, buffer, sizeof buffer), 16);
    cr_assert_str_eq(buffer, "tsu:Eur");
    cr_assert_eq(lam_arrow_format_print(&type, NULL, 0), 16);
}

static void refused(const char *format, const char *fault) {
    lam_arrow_type type = {.kind = LAM_ARROW_MAP};
    const char *found = lam_arrow_format_parse(format, room, &type);
    cr_assert_not_null(found, "'%s' was taken", format);
    cr_assert_not_null(strstr(found, fault), "'%s': %s", format, found);
    cr_assert_eq(type.kind, LAM_ARROW_MAP);
}

Test(arrow_format, what_is_no_format_string_is_refused) {
    static const char *const formats[] = {
        "",     " ",      "x",  "ii",  "i ",  "N",    "v",    "vZ",  "vU",  "+",   "+x",
        "+ls",  "+v",     "t",  "td",  "tds", "tdDD", "tt",   "ttx", "ts",  "tss", "tsx:",
        "ts:",  "tssUTC", "tD", "tDx", "tiN", "+M",   "+S",   "+R",  "+sl", "+u",  "+ud",
        "+ux:", "d",      "w",  "+w",  "D:1", "W:1",  "+W:1", "ns",  "bb",  "e16", "\xC3\xA4",
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        refused(formats[i], "the format string is unknown");
}

Test(arrow_format, numbers_are_digits_alone_and_fit) {
    static const char *const formats[] = LAM_TEXTS(
        "d:", "d:19", "d:19,", "d:,10", "d:19,10,", "d:19,10,128,", "d:19,10 ", "d: 19,10",
        "d:+19,10", "d:19,+1", "d:19,--1", "d:19.0,1", "d:1e1,1", "d:19,10,0x80", "d:2147483648,1",
        "d:19,2147483648", "d:19,-2147483649", "d:99999999999999999999,1", "w:", "w:a", "w:1a",
        "w:2147483648", "w:4294967297", "+w:", "+w:,", "+us:,", "+us:1,", "+us:,1", "+us:1,,2",
        "+us:1 ,2", "+ud:a", "+ud:1;2", "d:19,10,12\xF0");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        refused(formats[i], "malformed");
}

Test(arrow_format, arguments_keep_to_their_limits) {
    static const char *const precisions[] = {"d:0,0",    "d:39,0",    "d:-1,0",     "d:10,0,32",
                                             "d:0,0,32", "d:19,0,64", "d:39,0,128", "d:77,0,256"};
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++)
        refused(precisions[i], "precision");
    static const char *const widths[] = {"d:5,0,0", "d:5,0,-128", "d:5,0,8", "d:5,0,129",
                                         "d:5,0,512"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        refused(widths[i], "32, 64, 128 or 256 bits");
    refused("w:-1", "must not be negative");
    refused("+w:-2147483648", "must not be negative");
    static const char *const ids[] = {"+us:128", "+us:-1", "+ud:1,1", "+ud:0,00", "+us:2147483647"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        refused(ids[i], "type ids");
    (void)parsed("d:9,0,32"), (void)parsed("d:18,0,64"), (void)parsed("d:76,0,256");
}

Test(arrow_format, a_union_has_at_most_128_children) {
    char format[1024] = "+ud:0";
    for (int i = 1; i < LAM_ARROW_UNION_MAX; i++)
        sprintf(format + strlen(format), ",%d", i);
    lam_arrow_type type = parsed(format);
    cr_assert_eq(type.union_ids.size, LAM_ARROW_UNION_MAX);
    prints(&type, format);
    strcat(format, ",5");
    refused(format, "type ids");
}

Test(arrow_format, random_text_of_its_letters_is_refused_or_prints_back) {
    static const char letters[] = "nbcCsSiIlLefgdztTDmuUvwrMW+:,-0129 ";
    uint64_t seed = lam_test_seed(4);
    lam_random random = lam_random_start(seed);
    size_t taken = 0;
    for (int round = 0; round < 200000; round++) {
        char format[12];
        size_t size = (size_t)lam_random_below(&random, sizeof format);
        for (size_t i = 0; i < size; i++)
            format[i] = letters[lam_random_below(&random, sizeof letters - 1)];
        format[size] = '\0';
        lam_arrow_type type, again;
        if (lam_arrow_format_parse(format, room, &type) != NULL)
            continue;
        taken++;
        char printed[64];
        uint8_t other_room[LAM_ARROW_UNION_MAX];
        cr_assert_lt(lam_arrow_format_print(&type, printed, sizeof printed), sizeof printed);
        cr_assert_null(lam_arrow_format_parse(printed, other_room, &again), "seed %llu: %s",
                       (unsigned long long)seed, format);
        cr_assert(lam_arrow_type_equals(&type, &again), "seed %llu: %s", (unsigned long long)seed,
                  format);
    }
    cr_assert_gt(taken, 1000);
}
