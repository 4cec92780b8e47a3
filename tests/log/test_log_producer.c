/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs of a log's producers that come at the wrong time, values of all kinds, and records that
 * are open when the log is to end. */
#include <criterion/criterion.h>
#include <lamella/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log_disk.h"

static lam_log *logged;
static lam_record_sink sink;

static void open_with(const char *text, lam_log_options options) {
    lam_log_disk_start_with(text);
    logged = lam_log_disk_open("a.parquet", false, options);
    sink = lam_log_sink(logged);
}

static void open_log(const char *text, bool background) {
    lam_log_options options = lam_log_options_default();
    options.background = background;
    open_with(text, options);
}

static void close_log(void) {
    lam_log_close(logged);
    lam_log_disk_stop();
}

static void finish(void) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_finish(logged, &error), LAM_STATUS_OK, "%s", error.message);
}

static uint64_t accepted(void) {
    return lam_log_disk_info(logged).accepted;
}

static const lam_field *field(const char *path) {
    const lam_field *found = lam_schema_find(log_schema, path);
    cr_assert_not_null(found, "%s", path);
    return found;
}

#define TWO "message m { required int64 number; optional group of { optional int64 inner; } }"

static lam_status put_number(const lam_record_sink *to, int64_t number, lam_error *error) {
    return to->put(to->state, field("number"), (lam_value){.int64 = number}, error);
}

Test(log_producer, verbs_outside_of_a_record_are_refused) {
    lam_error error = lam_error_none();
    open_log(TWO, false);
    cr_assert_eq(put_number(&sink, 1, &error), LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_NOT_OPEN, "%s", error.message);
    cr_assert_eq(sink.open(sink.state, field("of"), &error), LAM_STATUS_STATE);
    cr_assert_eq(sink.close(sink.state, field("of"), &error), LAM_STATUS_STATE);
    cr_assert_eq(sink.end(sink.state, &error), LAM_STATUS_STATE);
    cr_assert_eq(accepted(), 0);
    finish();
    close_log();
}

Test(log_producer, verbs_in_a_wrong_order_end_their_record_alone) {
    lam_error error = lam_error_none();
    open_log(TWO, false);
    /* A second begin drops what the first had. */
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(put_number(&sink, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_neq(sink.end(sink.state, &error), LAM_STATUS_OK, "the number was of the first");
    /* A group that is not open is closed. */
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_neq(sink.close(sink.state, field("of"), &error), LAM_STATUS_OK);
    cr_assert_neq(sink.end(sink.state, &error), LAM_STATUS_OK);
    /* No leaf. */
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_neq(sink.put(sink.state, NULL, (lam_value){0}, &error), LAM_STATUS_OK);
    cr_assert_neq(sink.end(sink.state, &error), LAM_STATUS_OK);
    /* The caller gives one up, and then none. */
    lam_error own = {.status = LAM_STATUS_CANCELLED};
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    (void)sink.fail(sink.state, &own, &error);
    (void)sink.fail(sink.state, &own, &error);
    cr_assert_eq(accepted(), 0);
    /* The next one counts. */
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(put_number(&sink, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.end(sink.state, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(accepted(), 1);
    finish();
    close_log();
}

/* Of each kind that is known to be valid at a glance, and of others. */
Test(log_producer, values_of_all_kinds_are_checked) {
    static const char long_text[] =
        "a text of more than sixty-four bytes, all of them of ASCII, is checked by others";
    lam_error error = lam_error_none();
    open_log("message m { optional binary text (STRING); optional binary word (ENUM); optional "
             "binary json (JSON); optional int32 small (INTEGER(8,true)); optional int32 day "
             "(DATE); optional binary raw; }",
             false);
    const lam_bytes texts[] = {
        {(const uint8_t *)"", 0},         {NULL, 0},
        {(const uint8_t *)"a", 1},        {(const uint8_t *)"four", 4},
        {(const uint8_t *)"eight by", 8}, {(const uint8_t *)long_text, sizeof long_text - 1}};
    for (size_t i = 0; i < 6; i++) {
        lam_value value = {.bytes = texts[i]};
        cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("text"), value, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_assert_eq(sink.put(sink.state, field("word"), value, &error), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("raw"), value, &error), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("day"), (lam_value){.int32 = 1}, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, field("small"), (lam_value){.int32 = 127}, &error),
                     LAM_STATUS_OK, "%s", error.message);
        cr_assert_eq(sink.end(sink.state, &error), LAM_STATUS_OK, "%s", error.message);
    }
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, field("small"), (lam_value){.int32 = 128}, &error),
                 LAM_STATUS_INVALID);
    cr_assert_neq(sink.end(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(accepted(), 6);
    finish();
    close_log();
}

/* With a thread of its own the log waits a while for the threads of others. */
Test(log_producer, a_log_does_not_end_inside_of_a_record) {
    for (int background = 0; background < 2; background++) {
        lam_error error = lam_error_none();
        lam_log_producer *one, *other;
        open_log(TWO, background == 1);
        cr_assert_eq(lam_log_producer_create(logged, &one, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_producer_create(logged, &other, NULL), LAM_STATUS_OK);
        lam_record_sink open = lam_log_producer_sink(one);
        cr_assert_eq(open.begin(open.state, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_log_finish(logged, &error), LAM_STATUS_STATE);
        cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_OPEN, "%s", error.message);
        cr_assert_eq(put_number(&open, 1, &error), LAM_STATUS_OK);
        cr_assert_eq(open.end(open.state, &error), LAM_STATUS_OK);
        /* One that is given up with its producer is not in the way. */
        lam_record_sink lost = lam_log_producer_sink(other);
        cr_assert_eq(lost.begin(lost.state, &error), LAM_STATUS_OK);
        lam_log_producer_destroy(other);
        finish();
        cr_assert_eq(accepted(), 1);
        lam_log_producer_destroy(one);
        close_log();
    }
}

/* --- Triples --------------------------------------------------------------------------------- */

Test(log_producer, triples_of_empty_texts_and_of_nulls_alone_are_taken) {
    static const uint8_t zeros[3] = {0, 0, 0}, ones[3] = {1, 1, 1};
    const lam_bytes texts[3] = {{NULL, 0}, {(const uint8_t *)"", 0}, {(const uint8_t *)"x", 1}};
    lam_error error = lam_error_none();
    open_log("message m { optional int64 number; optional binary text; }", false);
    const lam_triples columns[] = {
        {.count = 3, .definition = zeros},
        {.count = 3, .value_count = 3, .definition = ones, .values = texts}};
    cr_assert_eq(lam_log_write_triples(logged, columns, 3, &error), LAM_STATUS_OK, "%s",
                 error.message);
    const lam_triples none[2] = {{0}};
    cr_assert_eq(lam_log_write_triples(logged, none, 0, &error), LAM_STATUS_OK);
    cr_assert_eq(accepted(), 3);
    finish();
    close_log();
}

Test(log_producer, triples_that_contradict_themselves_are_refused_with_their_column) {
    static const uint8_t levels[3] = {1, 0, 2};
    const int64_t numbers[3] = {1, 2, 3};
    lam_error error = lam_error_none();
    open_log("message m { required int64 number; optional int64 other; }", false);
    const lam_triples columns[] = {
        {.count = 3, .value_count = 3, .values = numbers},
        {.count = 3, .value_count = 2, .definition = levels, .values = numbers}};
    cr_assert_eq(lam_log_write_triples(logged, columns, 3, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.column_path, "other");
    cr_assert_eq(accepted(), 0);
    finish();
    close_log();
}

/* --- Logs that end or have no room ----------------------------------------------------------- */

Test(log_producer, a_producer_that_holds_a_batch_sees_that_its_log_has_ended) {
    lam_error error = lam_error_none();
    lam_log_producer *producer;
    open_log(TWO, false);
    cr_assert_eq(lam_log_producer_create(logged, &producer, NULL), LAM_STATUS_OK);
    lam_record_sink to = lam_log_producer_sink(producer);
    cr_assert_eq(to.begin(to.state, &error), LAM_STATUS_OK);
    cr_assert_eq(put_number(&to, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(to.end(to.state, &error), LAM_STATUS_OK);
    finish();
    cr_assert_eq(to.begin(to.state, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "the log is finished");
    cr_assert_eq(accepted(), 1);
    lam_log_producer_destroy(producer);
    close_log();
}

/* The batch is handed over behind a record that had no room, and the disk does not take it. */
Test(log_producer, a_batch_that_has_no_room_may_fail_to_be_written) {
    static char text[3 << 20];
    lam_log_options options = lam_log_options_default();
    lam_error error = lam_error_none();
    options.journal = true;
    options.memory_limit = 2 << 20;
    open_with("message m { required int64 number; optional binary text; }", options);
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(put_number(&sink, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.end(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(put_number(&sink, 2, &error), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, field("text"),
                          (lam_value){.bytes = {(const uint8_t *)text, sizeof text}}, &error),
                 LAM_STATUS_LIMIT);
    cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_LIMIT);
    lam_model_disk_set_fault(
        log_disk,
        (lam_model_fault){.at = lam_model_disk_counts(log_disk).operations + 1, .stays = true});
    cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_IO, "%s", error.message);
    cr_assert_eq(lam_log_finish(logged, &error), LAM_STATUS_IO);
    close_log();
}

/* Batches of many columns take more bytes; a checkpoint by very many rows waits for no batch. */
Test(log_producer, records_of_many_columns_are_taken) {
    enum { COLUMNS = 3000, RECORDS = 20 };
    lam_log_options options = lam_log_options_default();
    lam_error error = lam_error_none();
    char *text = malloc(COLUMNS * 32), *out = text + sprintf(text, "message m { ");
    for (int i = 0; i < COLUMNS; i++)
        out += sprintf(out, "optional int32 c%d; ", i);
    sprintf(out, "}");
    options.checkpoint_rows = UINT64_C(1) << 40;
    open_with(text, options);
    for (int i = 0; i < RECORDS; i++) {
        cr_assert_eq(sink.begin(sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, lam_schema_leaf(log_schema, (size_t)i),
                              (lam_value){.int32 = i}, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(sink.end(sink.state, &error), LAM_STATUS_OK, "%s", error.message);
    }
    cr_assert_eq(accepted(), RECORDS);
    finish();
    close_log();
    free(text);
}

/* Its batch is empty, so that the end of the log has not taken it. */
Test(log_producer, a_producer_with_an_empty_batch_sees_that_its_log_has_ended) {
    lam_error error = lam_error_none(), own = {.status = LAM_STATUS_CANCELLED};
    lam_log_producer *producer;
    open_log(TWO, false);
    cr_assert_eq(lam_log_producer_create(logged, &producer, NULL), LAM_STATUS_OK);
    lam_record_sink to = lam_log_producer_sink(producer);
    cr_assert_eq(to.begin(to.state, &error), LAM_STATUS_OK);
    (void)to.fail(to.state, &own, &error);
    finish();
    cr_assert_eq(to.begin(to.state, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "the log is finished");
    lam_log_producer_destroy(producer);
    close_log();
}

/* Batches of many producers take all memory, so that the next one finds none for its own. */
Test(log_producer, a_producer_without_room_for_a_batch_takes_no_record) {
    enum { MOST = 3000 };
    static lam_log_producer *producers[MOST];
    lam_log_options options = lam_log_options_default();
    lam_error error = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    size_t count = 0;
    uint64_t records = 0;
    options.memory_limit = 2 << 20;
    open_with(TWO, options);
    while (status == LAM_STATUS_OK) {
        cr_assert_lt(count, MOST);
        cr_assert_eq(lam_log_producer_create(logged, &producers[count], NULL), LAM_STATUS_OK);
        lam_record_sink to = lam_log_producer_sink(producers[count++]);
        status = to.begin(to.state, &error);
        for (int again = 0; again < 2 && status != LAM_STATUS_OK; again++) {
            cr_assert_eq(status, LAM_STATUS_LIMIT, "%s", error.message);
            status = to.begin(to.state, &error);
        }
        if (status != LAM_STATUS_OK)
            break;
        status = put_number(&to, 1, &error);
        if (status == LAM_STATUS_OK)
            status = to.end(to.state, &error);
        records += status == LAM_STATUS_OK;
    }
    cr_assert_eq(status, LAM_STATUS_LIMIT, "%s", error.message);
    cr_expect_eq(accepted(), records);
    for (size_t i = 0; i < count; i++)
        lam_log_producer_destroy(producers[i]);
    finish();
    cr_expect_eq(accepted(), records);
    close_log();
}
