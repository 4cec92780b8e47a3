/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of several kinds while each read of the source, or each request for memory, fails in turn:
 * a failure is reported as it is, and leaves nothing behind.
 */
#include "base/error.h"
#include "csv_help.h"
#include "support/failing_alloc.h"

/* A source whose read `fail_at`, from 1, fails; 0: none. */
typedef struct csv_faulty {
    csv_pieces pieces;
    size_t reads, fail_at;
} csv_faulty;

static lam_status read_faulty(void *state, void *buffer, size_t capacity, size_t *ret_size,
                              lam_error *error) {
    csv_faulty *faulty = state;
    if (++faulty->reads != faulty->fail_at)
        return read_piece(&faulty->pieces, buffer, capacity, ret_size, error);
    LAM_FAIL(error, LAM_STATUS_IO, "read %zu fails", faulty->fail_at);
}

typedef struct csv_case {
    const char *text;
    size_t size, piece;
    lam_switch header;
    bool is_live;
    const char *read;     /* records, and messages of those that are refused */
    const char *inferred; /* as the type of the last column; NULL: not inferred */
} csv_case;

#define TEXT(literal) literal, sizeof literal - 1

static const csv_case cases[] = {
    {TEXT("a,b\n1,x\n2,\"y\"\"z\"\n"), 3, LAM_SWITCH_DEFAULT, false, "1|x\n2|y\"z\n", "b (STRING)"},
    {TEXT("1,\"x\ny\"\n2,z\n"), 4, LAM_SWITCH_OFF, true, "1|x\ny\n2|z\n", "column2 (STRING)"},
    {TEXT("\xef\xbb\xbf"
          "a,b\r\n1,x\r\n"),
     1, LAM_SWITCH_DEFAULT, true, "1|x\n", "b (STRING)"},
    {TEXT("\xff\xfe"
          "a\0,\0b\0\n\0"
          "1\0,\0\xe9\0\n\0"),
     5, LAM_SWITCH_DEFAULT, false, "1|\xc3\xa9\n", "b (STRING)"},
    {TEXT("\xfe\xff"
          "\0a\0,\0b\0\n\0"
          "1\0,\0x\0\n"),
     1, LAM_SWITCH_DEFAULT, true, "1|x\n", "b (STRING)"},
    {TEXT("a,b\n1,x\n2,\"y\n"), 2, LAM_SWITCH_DEFAULT, false,
     "1|x\nline 3: a quote is not closed until the end of the text\n", NULL}};

/* Reads on behind records that are refused, whose messages are printed. */
static lam_status read_case(const lam_schema *schema, const csv_case *given, size_t fail_at,
                            const lam_allocator *allocator, char *out, lam_error *error) {
    csv_faulty faulty = {{given->text, given->size, given->piece}, 0, fail_at};
    lam_csv_source source = {&faulty, read_faulty};
    lam_csv_options options = lam_csv_options_default();
    lam_csv_reader *reader;
    const lam_triples *columns;
    size_t records = 1;
    options.header = given->header;
    options.is_live = given->is_live;
    options.max_record_bytes = 1 << 20;
    *out = '\0';
    lam_status status = lam_csv_reader_create(schema, &source, &options, allocator, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && records > 0) {
        status = lam_csv_reader_read(reader, &columns, &records, error);
        if (status == LAM_STATUS_INVALID || status == LAM_STATUS_LIMIT) {
            out += sprintf(out, "%s\n", error->message);
            status = LAM_STATUS_OK;
            records = 1;
        } else if (status == LAM_STATUS_OK && records > 0) {
            print_batch(schema, columns, records, &out);
        }
        *out = '\0';
    }
    lam_csv_reader_destroy(reader);
    return status;
}

static lam_status infer_case(const csv_case *given, size_t fail_at, const lam_allocator *allocator,
                             char *out, lam_error *error) {
    csv_faulty faulty = {{given->text, given->size, given->piece}, 0, fail_at};
    lam_csv_source source = {&faulty, read_faulty};
    lam_csv_options options = lam_csv_options_default();
    lam_csv_inference *inference;
    lam_schema *schema = NULL;
    options.header = given->header;
    options.is_live = given->is_live;
    lam_status status = lam_csv_inference_create(&options, allocator, &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_csv_inference_add(inference, &source, false, error);
    if (status == LAM_STATUS_OK)
        status = lam_csv_inference_schema(inference, "m", &schema, error);
    if (status == LAM_STATUS_OK)
        lam_schema_print(schema, out, 1024);
    lam_schema_destroy(schema);
    lam_csv_inference_destroy(inference);
    return status;
}

/* Whether the schema that was printed has `inferred` in front of its end. */
static void expect_last(const char *printed, const char *inferred) {
    const char *found = strstr(printed, inferred);
    cr_assert_not_null(found, "%s is not in %s", inferred, printed);
    cr_expect_str_eq(found + strlen(inferred), ";\n}\n");
}

Test(csv_faults, each_read_of_a_source_may_fail) {
    lam_schema *schema = schema_of("optional int64 a; optional binary b (STRING);");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int infers = 0; infers <= (cases[i].inferred != NULL); infers++) {
            char printed[1024], message[64];
            lam_status status = LAM_STATUS_IO;
            for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
                lam_error error = lam_error_none();
                status = infers ? infer_case(&cases[i], fail_at, NULL, printed, &error)
                                : read_case(schema, &cases[i], fail_at, NULL, printed, &error);
                if (status == LAM_STATUS_OK)
                    break;
                snprintf(message, sizeof message, "read %zu fails", fail_at);
                cr_assert_eq(status, LAM_STATUS_IO, "case %zu, read %zu", i, fail_at);
                cr_assert_str_eq(error.message, message);
            }
            if (infers)
                expect_last(printed, cases[i].inferred);
            else
                cr_expect_str_eq(printed, cases[i].read, "case %zu gave\n%s", i, printed);
        }
    lam_schema_destroy(schema);
}

Test(csv_faults, each_request_for_memory_may_fail) {
    lam_schema *schema = schema_of("optional int64 a; optional binary b (STRING);");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int infers = 0; infers <= (cases[i].inferred != NULL); infers++) {
            char printed[1024];
            lam_status status = LAM_STATUS_NOMEM;
            for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
                lam_failing_alloc counter = {.fail_at = fail_at};
                lam_allocator allocator = lam_failing_allocator(&counter);
                lam_error error = lam_error_none();
                status = infers ? infer_case(&cases[i], 0, &allocator, printed, &error)
                                : read_case(schema, &cases[i], 0, &allocator, printed, &error);
                cr_assert_eq(counter.live_bytes, 0, "case %zu, request %zu", i, fail_at);
                cr_assert_eq(counter.wrong_sizes, 0);
                cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "case %zu: %s", i,
                          error.message);
            }
            if (infers)
                expect_last(printed, cases[i].inferred);
            else
                cr_expect_str_eq(printed, cases[i].read, "case %zu gave\n%s", i, printed);
        }
    lam_schema_destroy(schema);
}

/* What is left of a record that is too long is left out while it is read. */
Test(csv_faults, each_read_of_a_record_that_is_too_long_may_fail) {
    enum { LONG = 3 << 20 };
    char *text = malloc(LONG + 100), *out = text + sprintf(text, "a,b\n1,x\n2,");
    memset(out, 'y', LONG);
    sprintf(out + LONG, "\n3,z\n");
    csv_case given = {text, strlen(text), 100000, LAM_SWITCH_DEFAULT, true, NULL, NULL};
    lam_schema *schema = schema_of("optional int64 a; optional binary b (STRING);");
    lam_status status = LAM_STATUS_IO;
    char printed[1024];
    size_t fail_at = 1;
    for (; status != LAM_STATUS_OK; fail_at++) {
        lam_error error = lam_error_none();
        status = read_case(schema, &given, fail_at, NULL, printed, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%s", error.message);
    }
    cr_expect_gt(fail_at, LONG / 100000);
    cr_expect_str_eq(printed,
                     "1|x\nline 3: a record has more than 1048576 bytes, or its quotes are "
                     "not closed\n3|z\n");
    lam_schema_destroy(schema);
    free(text);
}

static lam_status read_too_much(void *state, void *buffer, size_t capacity, size_t *ret_size,
                                lam_error *error) {
    (void)state;
    (void)error;
    memset(buffer, 'a', capacity);
    *ret_size = capacity + 1;
    return LAM_STATUS_OK;
}

Test(csv_faults, a_source_that_gives_more_than_there_is_room_for_is_refused) {
    lam_csv_source source = {NULL, read_too_much};
    lam_schema *schema = schema_of("optional int64 a;");
    lam_csv_reader *reader = NULL;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_IO);
    cr_expect_eq(error.code, LAM_ERROR_CODE_CALLBACK);
    cr_expect_str_eq(error.message, "the source gave more bytes than requested");
    cr_expect_null(reader);
    lam_schema_destroy(schema);
}
