/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delimited text becomes columns: fields find their leaves, what does not fit is told by line and
 * column, and a refused record leaves the others.
 */
#include <inttypes.h>

#include "csv_help.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

#define FIELDS "optional int64 a; optional binary b (STRING);"

Test(csv_reader, columns_find_their_leaves_by_name) {
    expect_read(FIELDS, "b,a\nx,1\n", NULL, "1|x\n");
    expect_read(FIELDS, "b\nx\n", NULL, "|x\n");
    expect_refused(FIELDS, "a,c\n1,2\n", NULL, LAM_STATUS_INVALID,
                   "line 1: the schema has no column c");
    lam_csv_options options = lam_csv_options_default();
    options.ignore_unknown = true;
    expect_read(FIELDS, "a,c\n1,2\n", &options, "1|\n");
}

Test(csv_reader, without_a_header_by_position) {
    lam_csv_options options = lam_csv_options_default();
    options.header = LAM_SWITCH_OFF;
    expect_read(FIELDS, "1,x\n2,y", &options, "1|x\n2|y\n");
    expect_read(FIELDS, "", &options, "");
    expect_refused(FIELDS, "1,x,z\n", &options, LAM_STATUS_INVALID,
                   "line 1: the schema has no column column3");
}

Test(csv_reader, a_text_without_records_gives_none) {
    expect_read(FIELDS, "", NULL, "");
    expect_read(FIELDS, "\n\n", NULL, "");
    expect_read(FIELDS, "a,b\n", NULL, "");
    expect_read(FIELDS, "a,b", NULL, "");
}

Test(csv_reader, required_columns_need_their_values) {
    expect_read("required int64 a; required binary b (STRING);", "a,b\n1,\"\"\n", NULL, "1|\n");
    expect_refused("required int64 a; required int64 b;", "a\n1\n", NULL, LAM_STATUS_INVALID,
                   "line 1: required column b is missing");
    expect_refused("required int64 a;", "a\n1\n\n", NULL, LAM_STATUS_INVALID,
                   "line 3, column a: a required value is missing");
    expect_refused("required binary a (STRING);", "a\nx\n\n", NULL, LAM_STATUS_INVALID,
                   "line 3, column a: a required value is missing");
}

Test(csv_reader, a_double_keeps_integers_where_that_is_wanted) {
    const char *text = "a\n9007199254740993\n";
    lam_csv_options options = lam_csv_options_default();
    expect_read("optional double a;", text, &options, "9007199254740992\n");
    options.exact_integers = true;
    expect_refused("optional double a;", text, &options, LAM_STATUS_INVALID,
                   "line 2, column a: '9007199254740993' is not double");
    expect_read("optional double a;", "a\n9007199254740992\n-36028797018963968\n0.5\n2e20\n",
                &options, "9007199254740992\n-36028797018963968\n0.5\n2e+20\n");
}

Test(csv_reader, a_text_may_stand_for_null) {
    lam_csv_options options = lam_csv_options_default();
    options.null_text = "NA";
    expect_read(FIELDS, "a,b\nNA,NA\n1,\"NA\"\n", &options, "|\n1|NA\n");
    expect_read(FIELDS, "a,b\n12,NB\n", &options, "12|NB\n");
}

Test(csv_reader, behind_the_last_record_is_the_last_line) {
    csv_pieces pieces = pieces_of("a,b\n1,x\n2,\"y\nz\"\n", 0);
    lam_csv_source source = source_of(&pieces);
    lam_schema *schema = schema_of(FIELDS);
    lam_csv_reader *reader;
    const lam_triples *columns;
    lam_error error = lam_error_none();
    uint64_t lines[2];
    size_t records;
    cr_assert_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
    cr_expect_eq(records, 2);
    cr_expect_eq(lam_csv_reader_line(reader, 1), 3);
    lam_csv_reader_lines(reader, lines);
    cr_expect(lines[0] == 2 && lines[1] == 3);
    cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
    cr_expect_eq(records, 0);
    cr_expect_eq(lam_csv_reader_line(reader, 0), 5);
    lam_csv_reader_destroy(reader);
    lam_schema_destroy(schema);
}

/* The columns of a record: `name` and its number, `,` between them. */
static char *print_columns(char *out, const char *name, int columns) {
    for (int i = 0; i < columns; i++)
        out += sprintf(out, "%s%s%d", i > 0 ? "," : "", name, i);
    return out + sprintf(out, "\n");
}

/* More fields in a record than are looked for at once, and fewer records in a batch. */
Test(csv_reader, records_may_have_many_columns) {
    enum { COLUMNS = 400, RECORDS = 2100 };
    char *text = malloc(COLUMNS * RECORDS * 4), *fields = malloc(COLUMNS * 32), *out = fields;
    for (int i = 0; i < COLUMNS; i++)
        out += sprintf(out, "optional int64 c%d;", i);
    out = print_columns(text, "c", COLUMNS);
    for (int i = 0; i < RECORDS; i++)
        out = print_columns(out, "", COLUMNS);
    char *whole = malloc(strlen(fields) + 32);
    sprintf(whole, "message m { %s }", fields);
    csv_pieces pieces = pieces_of(text, 0);
    lam_csv_source source = source_of(&pieces);
    lam_csv_reader *reader;
    const lam_triples *columns;
    lam_error error = lam_error_none();
    size_t records = 1, all = 0;
    lam_schema *schema = lam_test_parse(whole);
    cr_assert_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_OK);
    for (; records > 0; all += records) {
        cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
        for (size_t i = 0; i < COLUMNS * records; i++) {
            const int64_t *values = columns[i % COLUMNS].values;
            cr_assert_eq(values[i / COLUMNS], (int64_t)(i % COLUMNS));
        }
    }
    cr_expect_eq(all, RECORDS);
    lam_csv_reader_destroy(reader);
    lam_schema_destroy(schema);
    free(whole);
    free(fields);
    free(text);
}

Test(csv_reader, groups_and_repeated_fields_are_refused) {
    expect_refused("optional group g { optional int64 a; }", "a\n", NULL, LAM_STATUS_INVALID,
                   "g is not one value, and CSV has only those");
    expect_refused("repeated int64 a;", "a\n", NULL, LAM_STATUS_INVALID,
                   "a is not one value, and CSV has only those");
}

/* The line of a value far behind the first batch, with line ends inside of quotes before it. */
Test(csv_reader, a_value_that_does_not_fit_is_named_by_line_and_column) {
    enum { RECORDS = 40000 };
    char *text = malloc(RECORDS * 32), *out = text + sprintf(text, "b,a\n");
    for (int i = 0; i < RECORDS; i++)
        out += sprintf(out, "\"x\n\",%d\n", i);
    sprintf(out, "y,twelve\n");
    char message[128];
    snprintf(message, sizeof message, "line %d, column a: 'twelve' is not int64", 2 + 2 * RECORDS);
    char *printed = malloc(RECORDS * 32);
    uint64_t skipped;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(read_csv_bytes(schema, pieces_of(text, 0), NULL, NULL, printed, &skipped, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message);
    lam_csv_options options = lam_csv_options_default();
    options.skip_bad_lines = true;
    cr_expect_eq(
        read_csv_bytes(schema, pieces_of(text, 7000), &options, NULL, printed, &skipped, &error),
        LAM_STATUS_OK);
    cr_expect_eq(skipped, 1);
    lam_schema_destroy(schema);
    free(text);
    free(printed);
}

static lam_status fail_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    (void)state;
    (void)buffer;
    (void)capacity;
    (void)ret_size;
    error->status = LAM_STATUS_IO;
    return LAM_STATUS_IO;
}

Test(csv_reader, without_a_schema_or_a_source_there_is_none) {
    lam_csv_source source = {NULL, fail_read};
    lam_error error = lam_error_none();
    lam_csv_reader *reader = NULL;
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(lam_csv_reader_create(NULL, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema");
    cr_expect_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_IO);
    cr_expect_null(reader);
    lam_schema_destroy(schema);
}

Test(csv_reader, a_stop_ends_it) {
    lam_stop stop = {0, 0};
    lam_csv_options options = lam_csv_options_default();
    options.stop = &stop;
    expect_read(FIELDS, "a,b\n1,x\n", &options, "1|x\n");
    lam_stop_request(&stop);
    char printed[256];
    uint64_t skipped;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(read_csv_bytes(schema, pieces_of("a,b\n1,x\n", 0), &options, NULL, printed,
                                &skipped, &error),
                 LAM_STATUS_CANCELLED);
    lam_schema_destroy(schema);
}

Test(csv_reader, every_allocation_may_fail) {
    lam_schema *schema = schema_of(FIELDS);
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        char printed[256];
        uint64_t skipped;
        lam_status status = read_csv_bytes(schema, pieces_of("a,b\n1,\"x\"\"y\"\n2,z\n", 0), NULL,
                                           &allocator, printed, &skipped, &error);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", fail_at);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "request %zu: %s", fail_at, error.message);
    }
    lam_schema_destroy(schema);
}

/* --- Records that are refused alone -------------------------------------------------------- */

/* Reads on behind each record that is refused; gives records, and the messages between them. */
static void expect_read_on(const char *fields, const char *text, bool is_live, size_t most,
                           const char *expected) {
    for (size_t piece = 0; piece < 6; piece++) {
        char printed[4096], *out = printed;
        lam_csv_options options = lam_csv_options_default();
        options.is_live = is_live;
        options.max_record_bytes = most;
        csv_pieces pieces = pieces_of(text, piece);
        lam_csv_source source = source_of(&pieces);
        lam_schema *schema = schema_of(fields);
        lam_error error = lam_error_none();
        lam_csv_reader *reader;
        const lam_triples *columns;
        size_t records = 1;
        cr_assert_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                     LAM_STATUS_OK, "%s", error.message);
        while (records > 0) {
            lam_status status = lam_csv_reader_read(reader, &columns, &records, &error);
            if (status == LAM_STATUS_OK && records > 0)
                print_batch(schema, columns, records, &out);
            else if (status != LAM_STATUS_OK)
                out += sprintf(out, "%" PRIu64 ": %s\n", lam_csv_reader_line(reader, 5),
                               strchr(error.message, ' ') + 1);
            records += status != LAM_STATUS_OK;
            cr_assert_lt(out, printed + 3000);
        }
        *out = '\0';
        cr_expect_str_eq(printed, expected, "%s in pieces of %zu gave\n%s", text, piece, printed);
        lam_csv_reader_destroy(reader);
        lam_schema_destroy(schema);
    }
}

Test(csv_reader, a_record_that_is_refused_leaves_the_others) {
    for (int is_live = 0; is_live < 2; is_live++) {
        expect_read_on(FIELDS, "a,b\n1,x\n2\n3,y\nfour,z\n5,6,7\n8,v\n", is_live, 0,
                       "1|x\n3: 3: 1 field, but the first record has 2\n3|y\n"
                       "5: 5, column a: 'four' is not int64\n"
                       "6: 6: 3 fields, but the first record has 2\n8|v\n");
        expect_read_on(FIELDS, "a,b\nx,x\ny,\"\n\"\n3,\nz,z\n", is_live, 0,
                       "2: 2, column a: 'x' is not int64\n3: 3, column a: 'y' is not int64\n"
                       "3|\n6: 6, column a: 'z' is not int64\n");
    }
}

/* Reads on with the schema that follows, when a value is refused. */
static void expect_widened(const char *text, const char *const *fields, const char *expected) {
    for (size_t piece = 0; piece < 6; piece++) {
        char printed[4096], *out = printed;
        lam_csv_options options = lam_csv_options_default();
        options.is_live = piece % 2 == 0;
        csv_pieces pieces = pieces_of(text, piece);
        lam_csv_source source = source_of(&pieces);
        lam_schema *schema = schema_of(fields[0]);
        lam_error error = lam_error_none();
        lam_csv_reader *reader;
        const lam_triples *columns;
        size_t records = 1, next = 1;
        cr_assert_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                     LAM_STATUS_OK);
        cr_expect_eq(lam_csv_reader_widen(reader, schema, NULL), LAM_STATUS_STATE);
        while (records > 0) {
            lam_status status = lam_csv_reader_read(reader, &columns, &records, &error);
            if (status == LAM_STATUS_OK && records > 0) {
                print_batch(schema, columns, records, &out);
                cr_expect_eq(lam_csv_reader_widen(reader, schema, NULL), LAM_STATUS_STATE);
                continue;
            }
            records += status != LAM_STATUS_OK;
            if (status == LAM_STATUS_OK || fields[next] == NULL)
                continue;
            out += sprintf(out, "%" PRIu64 "\n", lam_csv_reader_line(reader, 0));
            lam_schema_destroy(schema);
            schema = schema_of(fields[next++]);
            cr_assert_eq(lam_csv_reader_widen(reader, schema, &error), LAM_STATUS_OK, "%s",
                         error.message);
        }
        *out = '\0';
        cr_expect_str_eq(printed, expected, "in pieces of %zu gave\n%s", piece, printed);
        lam_csv_reader_destroy(reader);
        lam_schema_destroy(schema);
    }
}

Test(csv_reader, a_refused_record_is_read_again_with_wider_types) {
    static const char *const fields[] = {FIELDS, "optional double a; optional binary b (STRING);",
                                         "optional binary a (STRING); optional binary b (STRING);",
                                         NULL};
    expect_widened("b,a\nx,1\n\"say \"\"1\"\"\",\"1.5\"\ny,2\n,\"a\"\"b\"\nz,3\n", fields,
                   "1|x\n3\n1.5|say \"1\"\n2|y\n5\na\"b|\n3|z\n");
    expect_widened("a,b\n0.5,x", fields, "2\n0.5|x\n");
}

Test(csv_reader, without_memory_for_wider_types_nothing_changes) {
    lam_failing_alloc counter = {.fail_at = 0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    csv_pieces pieces = pieces_of("a,b\n1,q\nx,\"y\"\n2,z\n", 0);
    lam_csv_source source = source_of(&pieces);
    lam_schema *schema = schema_of(FIELDS);
    lam_schema *wider = schema_of("optional binary a (STRING); optional binary b (STRING);");
    lam_error error = lam_error_none();
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records;
    char printed[200], *out = printed;
    cr_assert_eq(lam_csv_reader_create(schema, &source, NULL, &allocator, &reader, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_INVALID);
    counter.fail_at = counter.requests + 1;
    cr_assert_eq(lam_csv_reader_widen(reader, wider, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(lam_csv_reader_widen(reader, wider, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
    print_batch(wider, columns, records, &out);
    *out = '\0';
    cr_expect_str_eq(printed, "x|y\n2|z\n");
    lam_csv_reader_destroy(reader);
    cr_expect_eq(counter.live_bytes, 0);
    lam_schema_destroy(wider);
    lam_schema_destroy(schema);
}

/* A value that fits none of the schemas leaves its record out, and a wider schema the others. */
Test(csv_reader, wider_types_are_of_the_same_columns) {
    static const char *const others[] = {
        "optional double a;", "optional double b; optional binary a (STRING);",
        "optional double a; optional binary b (STRING); optional int64 c;",
        "optional double a; repeated binary b (STRING);", "optional group a { optional int64 b; }"};
    csv_pieces pieces = pieces_of("a,b\nq,\"x\"\n1,y\n2\n", 0);
    lam_csv_source source = source_of(&pieces);
    lam_schema *schema = schema_of(FIELDS);
    lam_error error = lam_error_none();
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records;
    cr_assert_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_INVALID);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        lam_schema *other = schema_of(others[i]);
        cr_expect_eq(lam_csv_reader_widen(reader, other, &error), LAM_STATUS_INVALID, "%zu", i);
        lam_schema_destroy(other);
    }
    cr_expect_eq(lam_csv_reader_widen(reader, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_csv_reader_widen(reader, schema, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_INVALID);
    lam_bytes text = lam_csv_reader_text(reader);
    cr_expect(text.size == 5 && memcmp(text.data, "q,\"x\"", 5) == 0);
    cr_expect_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
    cr_expect_eq(records, 1);
    cr_expect_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_INVALID);
    cr_expect_eq(lam_csv_reader_widen(reader, schema, NULL), LAM_STATUS_STATE);
    lam_csv_reader_destroy(reader);
    lam_schema_destroy(schema);
}

/* What a quote that is broken takes in is not its own: only its line is left out. */
Test(csv_reader, broken_quotes_cost_one_line) {
    for (int is_live = 0; is_live < 2; is_live++) {
        expect_read_on(FIELDS, "a,b\n1,x\n2,\"y\n3,z\n4,w\"\"\n", is_live, 0,
                       "1|x\n3: 3: a quote is not closed until the end of the text\n"
                       "3|z\n4|w\"\"\n");
        expect_read_on(FIELDS, "a,b\n1,x\n2,\"y", is_live, 0,
                       "1|x\n3: 3: a quote is not closed until the end of the text\n");
        expect_read_on(FIELDS, "a,b\n2,\"half\n3,\"z\"\n\"4\",\"a\"\"\nb\"\n", is_live, 0,
                       "2: 2: text follows the quote that closes a field\n3|z\n4|a\"\nb\n");
        expect_read_on(FIELDS, "a,b\n\"2\",\"x\"\"\ny\"z\n3,\"\"\"\"\n", is_live, 0,
                       "2: 2: text follows the quote that closes a field\n"
                       "3: 3: 1 field, but the first record has 2\n3|\"\n");
    }
}

/* A record is given as soon as its line is whole, whatever the source has beyond it. */
typedef struct live_text {
    const char *const *pieces;
    size_t given, used; /* pieces, and bytes of the next */
} live_text;

static lam_status read_live(void *state, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    live_text *live = state;
    const char *piece = live->pieces[live->given];
    size_t left = piece == NULL ? 0 : strlen(piece) - live->used;
    size_t size = left < capacity ? left : capacity;
    (void)error;
    if (size > 0)
        memcpy(buffer, piece + live->used, size);
    live->used = size < left ? live->used + size : 0;
    live->given += piece != NULL && size == left;
    *ret_size = size;
    return LAM_STATUS_OK;
}

Test(csv_reader, a_live_text_gives_what_it_has) {
    static const char *const pieces[] = {"b,a\n",       "x,",       "1\n", "\"y\n",
                                         "z\",2\r\nw,", "3\nv,4\n", "u,5", NULL};
    /* Pieces that were read when each record is given. */
    static const size_t read[] = {3, 5, 6, 6, 7};
    live_text live = {pieces, 0, 0};
    lam_csv_source source = {&live, read_live};
    lam_csv_options options = lam_csv_options_default();
    lam_schema *schema = schema_of(FIELDS);
    lam_csv_reader *reader;
    const lam_triples *columns;
    lam_error error = lam_error_none();
    size_t records, given = 0;
    uint64_t line = 2;
    options.is_live = true;
    cr_assert_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                 LAM_STATUS_OK);
    cr_expect_eq(live.given, 1);
    do {
        cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
        for (size_t i = 0; i < records; i++) {
            cr_expect_eq(live.given, read[given]);
            cr_expect_eq(lam_csv_reader_line(reader, i), line);
            line += given == 1 ? 2 : 1;
            given++;
        }
    } while (records > 0);
    cr_expect_eq(given, 5);
    lam_csv_reader_destroy(reader);
    lam_schema_destroy(schema);
}

/* A line end of two bytes that comes in two pieces, a text that has none, and a refused piece. */
Test(csv_reader, a_live_text_waits_for_its_first_line_end) {
    static const char *const pieces[] = {"a,b\r", "\n1,x\r", "\n", NULL};
    static const char *const none[] = {"a,b", NULL};
    static const char *const returns[] = {"a,b\r", "1,x\r2,y\r", NULL};
    static const char *const refused[] = {"a,b\n", "x,y\n", "1,x\n", NULL};
    static const struct {
        const char *const *pieces;
        const char *expected;
    } cases[] = {{pieces, "1|x\n"}, {none, ""}, {returns, "1|x\n2|y\n"}, {refused, "1|x\n"}};
    lam_csv_options options = lam_csv_options_default();
    lam_schema *schema = schema_of(FIELDS);
    options.is_live = true;
    options.skip_bad_lines = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        live_text live = {cases[i].pieces, 0, 0};
        lam_csv_source source = {&live, read_live};
        lam_csv_reader *reader;
        const lam_triples *columns;
        lam_error error = lam_error_none();
        char printed[64], *out = printed;
        size_t records = 1;
        cr_assert_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                     LAM_STATUS_OK);
        while (records > 0) {
            cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
            if (records > 0)
                print_batch(schema, columns, records, &out);
        }
        *out = '\0';
        cr_expect_str_eq(printed, cases[i].expected);
        lam_csv_reader_destroy(reader);
    }
    lam_schema_destroy(schema);
}

/* Byte for byte, whatever became of its quotes; the first line where the end is not known. */
Test(csv_reader, the_text_of_a_refused_record_is_given_as_it_was) {
    static const struct {
        const char *text, *refused;
    } cases[] = {
        {"x,y\n", "x,y"},
        {"\"x\"\"1\",\"y\"\r\n", "\"x\"\"1\",\"y\""},
        {"x,\"a\"\"\"\"b\nc\"\n", "x,\"a\"\"\"\"b\nc\""},
        {"x,\"\"\n", "x,\"\""},
        {"x,y", "x,y"},
        {"\"1\"\"\"\r\n", "\"1\"\"\""},
        {"1,\"2\"\"\",\"3\"\"\"\r\n", "1,\"2\"\"\",\"3\"\"\""},
        {"\"1\"2,\"\"\"\"\r\n", "\"1\"2,\"\"\"\""},
        {"1,\"2\n", "1,\"2"},
    };
    lam_schema *schema = schema_of(FIELDS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 0; piece < 3; piece++) {
            char text[128];
            snprintf(text, sizeof text, "a,b\n1,\"z\"\"\"\n%s", cases[i].text);
            csv_pieces pieces = pieces_of(text, piece);
            lam_csv_source source = source_of(&pieces);
            lam_csv_reader *reader;
            const lam_triples *columns;
            size_t records = 1, refused = 0;
            lam_error error = lam_error_none();
            cr_assert_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                         LAM_STATUS_OK);
            while (records > 0) {
                lam_status status = lam_csv_reader_read(reader, &columns, &records, &error);
                lam_bytes given = lam_csv_reader_text(reader);
                cr_expect_eq(given.data == NULL, status == LAM_STATUS_OK);
                if (status == LAM_STATUS_OK)
                    continue;
                refused++;
                cr_expect(given.size == strlen(cases[i].refused) &&
                              memcmp(given.data, cases[i].refused, given.size) == 0,
                          "%s gave %.*s", cases[i].text, (int)given.size, (const char *)given.data);
            }
            cr_expect_eq(refused, 1, "%s", text);
            lam_csv_reader_destroy(reader);
        }
    lam_schema_destroy(schema);
}

/* A record that is too long, on one line or over several, with what follows it. */
Test(csv_reader, a_record_that_is_too_long_leaves_the_others) {
    enum { LONG = 3 << 20 };
    static const char fields[] = "optional int64 a; optional binary b (STRING);";
    for (int kind = 0; kind < 3; kind++) {
        char *text = malloc(LONG + 100),
             *out = text + sprintf(text, "a,b\n1,x\n2,%s", kind ? "\"" : "");
        memset(out, 'y', LONG);
        out[LONG / 2] = kind == 2 ? '\n' : 'y';
        sprintf(out + LONG, "%s\n3,z\n", kind == 1 ? "\"" : "");
        csv_pieces pieces = pieces_of(text, 70000);
        lam_csv_source source = source_of(&pieces);
        lam_csv_options options = lam_csv_options_default();
        lam_schema *schema = schema_of(fields);
        lam_csv_reader *reader;
        const lam_triples *columns;
        lam_error error = lam_error_none();
        size_t records;
        options.is_live = true;
        options.max_record_bytes = 1 << 20;
        cr_assert_eq(lam_csv_reader_create(schema, &source, &options, NULL, &reader, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
        cr_expect_eq(records, 1);
        cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_LIMIT);
        cr_expect_str_eq(error.message, "line 3: a record has more than 1048576 bytes, or its "
                                        "quotes are not closed");
        cr_expect_eq(lam_csv_reader_line(reader, 0), 3);
        if (kind == 2)
            cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_LIMIT);
        cr_assert_eq(lam_csv_reader_read(reader, &columns, &records, &error), LAM_STATUS_OK);
        cr_expect_eq(records, 1);
        cr_expect_eq(lam_csv_reader_line(reader, 0), kind == 2 ? 5 : 4);
        lam_csv_reader_destroy(reader);
        lam_schema_destroy(schema);
        free(text);
    }
}
