/* SPDX-License-Identifier: Apache-2.0 */
/* Whether first lines are names: those of files as they are found, with headers and without. */
#include "csv/inference_info_csv.h"
#include "csv_help.h"

enum { NAMES = LAM_CSV_FIRST_NAMES, DOUBTFUL = LAM_CSV_FIRST_DOUBTFUL, DATA = LAM_CSV_FIRST_DATA };

typedef struct first_case {
    const char *text;
    int expected;
} first_case;

static lam_csv_first_line first_line_of(const char *text, const lam_csv_options *options,
                                        size_t piece, uint64_t *ret_records) {
    lam_csv_inference *inference;
    lam_error error = lam_error_none();
    csv_pieces pieces = pieces_of(text, piece);
    lam_csv_source source = source_of(&pieces);
    cr_assert_eq(lam_csv_inference_create(options, NULL, &inference, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_csv_inference_add(inference, &source, false, &error), LAM_STATUS_OK, "%s: %s",
                 text, error.message);
    lam_csv_first_line line = lam_test_csv_info(inference).first_line;
    *ret_records = lam_test_csv_info(inference).records;
    lam_csv_inference_destroy(inference);
    return line;
}

static uint64_t lines_of(const char *text) {
    uint64_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n' || (*text != '\r' && text[1] == '\0');
    return lines;
}

static void expect_all(const first_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t piece = 0; piece < 2; piece++) {
            uint64_t records;
            lam_csv_first_line line = first_line_of(cases[i].text, NULL, piece, &records);
            cr_expect_eq((int)line, cases[i].expected, "%s gave %d", cases[i].text, (int)line);
            cr_expect_eq(records, lines_of(cases[i].text) - (line != LAM_CSV_FIRST_DATA), "%s",
                         cases[i].text);
        }
}

#define EXPECT_ALL(cases) expect_all(cases, sizeof(cases) / sizeof *(cases))

Test(csv_first, names_stay_names) {
    static const first_case cases[] = {
        {"id,name\n1,x\n2,y\n", NAMES},
        {"name,iso,code\nGermany,DE,D\nFrance,FR,F\nSpain,ES,E\n", NAMES},
        {"country,2019,2020\nDE,1.5,2.5\nFR,3,4\n", NAMES},
        {"country,2020,2019,2018\nDE,83,82,81\nFR,67,66,65\n", NAMES},
        {"year,2020\n1,2\n3,4\n", NAMES},
        {"name,2020\nx,2\ny,4\n", NAMES},
        {",0,1,2\n0,5.5,6,7\n1,8,9,9\n", NAMES},
        {"\"\",\"16.5\",\"17.25\"\n\"71\",0,1\n\"70\",2,3\n", NAMES},
        {",0\nx,1.5\ny,2\n", NAMES},
        {"Province,Lat,1/22/20,1/23/20\nHubei,30.9,444,444\nHenan,33.8,5,5\n", NAMES},
        {"Hubei,2020-01-22,2020-01-23\nx,444,444\ny,5,5\n", NAMES},
        {"a,b\n", NAMES},
        {"a,b", NAMES},
        {"day,sales\n2024-01-01,5\n2024-01-02,7\n", NAMES},
        {"n,NA,-\n1,2,3\n4,5,6\n", NAMES},
        {"id,1\n7,x\n8,y\n", NAMES},
        {"1,name\n2,5\n3,6\n", NAMES}, /* one name is enough */
        {"true_or_not,x\ntrue,1\nfalse,2\n", NAMES},
        {"red,blue\nred,blue\ngreen,black\n", NAMES}, /* a header that comes again */
        {"a,a\nb,c\nd,e\n", NAMES},
    };
    EXPECT_ALL(cases);
}

Test(csv_first, data_are_taken_as_data) {
    static const first_case cases[] = {
        {"1,\"Goroka Airport\",\"Goroka\",\"GKA\",-6.08,145.39,5282,10,\"U\"\n"
         "2,\"Madang Airport\",\"Madang\",\"MAG\",-5.2,145.78,20,10,\"U\"\n",
         DATA},
        {"-1,\"Unknown\",\\N,\"-\",\"N/A\",\\N,\"Y\"\n1,\"Private "
         "flight\",\\N,\"-\",\"N/A\",\"\",\"Y\"\n",
         DATA},
        {"2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\n", DATA},
        {"1,Goroka,\"PG\",5282\n2,Madang,\"PG\",20\n", DATA},
        {"x,\\N\ny,z\n", DATA},
        {"5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n", DATA},
        {"7,0,0,0,0\n2,0,0,1,0\n", DATA},
        {"1,foo\n2,bar\n3,baz\n", DATA},
        {"5,foo\n5,bar\n7,baz\n", DATA},
        {"2019-01-01,5\n2019-01-02,6\n", DATA},
        {"12:30,x\n12:31,y\n", DATA},
        {"2024-10-24T12:00:00Z,x\n2024-10-24T12:00:01Z,y\n", DATA},
        {"x,00112233-4455-6677-8899-aabbccddeeff\ny,00112233-4455-6677-8899-aabbccddee00\n", DATA},
        {"true,x\nfalse,y\n", DATA},
        {"2019,red\n2019,blue\n2020,red\n", DATA},
        {"2019,x\n2020,y\n2021,z\n", DATA},
        {"10,5,red\n11,6,blue\n", DATA},
        {"1,x\r2,y\r3,z\r", DATA},
    };
    for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++)
        expect_all(&cases[i], 1);
    uint64_t records;
    cr_expect_eq(
        (int)first_line_of(cases[sizeof cases / sizeof *cases - 1].text, NULL, 0, &records), DATA);
    cr_expect_eq(records, 3);
}

Test(csv_first, what_may_be_either_is_said) {
    static const first_case cases[] = {
        {"1,2,3\n4,5,6\n", DOUBTFUL},
        {"0,1,2\n5,6,7\n", DOUBTFUL},
        {"name,0.05,0.5\nx,1,2\ny,3,4\n", DOUBTFUL},
        {"1969,1687\n1970,1508\n1972,1507\n", DOUBTFUL},
        {"\"Bahamas\",\"BS\",\"BF\"\n\"Cuba\",\"CU\",\"CU\"\n\"Peru\",\"PE\",\"PE\"\n\"Chad\","
         "\"TD\",\\N\n\"Iran\",\"IR\",\"IR\"\n",
         DOUBTFUL},
        {"red,apple\nred,cherry\nblue,plum\n", DOUBTFUL},
        {"1,2\n", DOUBTFUL},
        {"2024-10-24,1.5\n", DOUBTFUL},
    };
    EXPECT_ALL(cases);
}

Test(csv_first, what_is_given_is_not_examined) {
    static const char text[] = "1,foo\n2,bar\n3,baz\n";
    uint64_t records;
    lam_csv_options options = lam_csv_options_default();
    options.header = LAM_SWITCH_ON;
    cr_expect_eq(first_line_of(text, &options, 0, &records), LAM_CSV_FIRST_NAMES);
    cr_expect_eq(records, 2);
    options.header = LAM_SWITCH_OFF;
    cr_expect_eq(first_line_of(text, &options, 0, &records), LAM_CSV_FIRST_NAMES);
    cr_expect_eq(records, 3);
    options.header = LAM_SWITCH_DEFAULT;
    options.null_text = "none";
    cr_expect_eq(first_line_of("id,x\nnone,y\n1,z\n", &options, 0, &records), LAM_CSV_FIRST_NAMES);
    options.decimal_mark = ',';
    cr_expect_eq(first_line_of("1,5;x\n0,5;y\n", &options, 0, &records), LAM_CSV_FIRST_DATA);
}

/* The first one decides for all, since all have the same columns. */
Test(csv_first, of_several_sources_the_first_with_a_line_is_examined) {
    lam_csv_inference *inference;
    lam_schema *schema;
    char printed[256];
    cr_assert_eq(lam_csv_inference_create(NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    static const char *const texts[] = {"", "7,x\n9,y\n11,z\n", "a,b\n"};
    for (size_t i = 0; i < 3; i++) {
        csv_pieces pieces = pieces_of(texts[i], 0);
        lam_csv_source source = source_of(&pieces);
        cr_assert_eq(lam_csv_inference_add(inference, &source, false, NULL), LAM_STATUS_OK);
    }
    cr_expect_eq(lam_test_csv_info(inference).first_line, LAM_CSV_FIRST_DATA);
    cr_expect_eq(lam_test_csv_info(inference).records, 4);
    cr_assert_eq(lam_csv_inference_schema(inference, "m", &schema, NULL), LAM_STATUS_OK);
    lam_schema_print(schema, printed, sizeof printed);
    cr_expect_not_null(strstr(printed, "binary column1 (STRING);"));
    lam_schema_destroy(schema);
    lam_csv_inference_destroy(inference);
}

Test(csv_first, lines_in_front_are_not_examined) {
    uint64_t records;
    lam_csv_options options = lam_csv_options_default();
    options.skip_lines = 2;
    options.comment = '#';
    cr_expect_eq(first_line_of("A title, and more\n\n# id, n\n7,x\n# \"5\n9,y\n8,z\n", &options, 0,
                               &records),
                 LAM_CSV_FIRST_DATA);
    cr_expect_eq(records, 3);
}
