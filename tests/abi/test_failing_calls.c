/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of every public call fails, once and with all behind it: the call gives NOMEM
 * with a message, or does without, what it was to make is not made, everything can be destroyed,
 * and nothing leaks through the allocator.
 *
 * A public function that takes a lam_error can fail, and must be met: in a scenario here, which is
 * noted while it runs, or in the test that `elsewhere` names, which lets its allocations fail. One
 * that is in neither fails this test. What the calls take from the C library's heap fails in
 * cli_memory.py.
 */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/call_trial.h"
#include "abi/elsewhere.h"
#include "file/file_sample.h"

enum { FUNCTIONS_MOST = 400, NAME_SIZE = 64 };

static char met[FUNCTIONS_MOST][NAME_SIZE];
static size_t met_count;

static bool is_met(const char *function) {
    for (size_t i = 0; i < met_count; i++)
        if (strcmp(met[i], function) == 0)
            return true;
    return false;
}

lam_status call_note(call_trial *trial, const char *function, lam_status status) {
    if (!is_met(function)) {
        cr_assert_lt(met_count, FUNCTIONS_MOST);
        snprintf(met[met_count++], NAME_SIZE, "%s", function);
    }
    trial->status = status;
    return status;
}

/* --- The file that scenarios read ------------------------------------------------------------ */

static void put_row(call_trial *trial, const lam_record_sink *sink, int64_t number) {
    static const uint8_t metadata[] = {1, 0, 0}, value[] = {0};
    const lam_schema *schema = trial->schema;
    const lam_field *tags = lam_schema_find(schema, "tags"),
                    *variant = lam_schema_find(schema, "v");
    const lam_field *list = lam_field_child(tags, 0);
    CALL(lam_begin, sink);
    CALL(lam_put_int64, sink, lam_schema_leaf(schema, 0), number);
    CALL(lam_put_string, sink, lam_schema_leaf(schema, 1), number % 2 == 0 ? "name" : "other");
    CALL(lam_open, sink, tags);
    CALL(lam_open, sink, list);
    CALL(lam_put_int32, sink, lam_schema_leaf(schema, 3), (int32_t)number);
    CALL(lam_close, sink, list);
    CALL(lam_close, sink, tags);
    CALL(lam_open, sink, variant);
    CALL(lam_put_bytes, sink, lam_schema_leaf(schema, 4), metadata, sizeof metadata);
    CALL(lam_put_bytes, sink, lam_schema_leaf(schema, 5), value, sizeof value);
    CALL(lam_close, sink, variant);
    CALL(lam_end, sink);
out:
    return;
}

void call_put_rows(call_trial *trial, const lam_record_sink *sink) {
    for (int64_t i = 0; i < CALL_ROWS && trial->status == LAM_STATUS_OK; i++)
        put_row(trial, sink, i);
}

/* With everything that `call_details` asks for. */
static lam_buffer make_file(call_trial *trial) {
    lam_test_writer made = lam_test_write_as(trial->schema, NULL);
    cr_assert_eq(lam_writer_set_bloom_filter(made.writer, "id", 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(made.writer, "id", "a", "b", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_sorting_column(made.writer, "id", false, false, NULL),
                 LAM_STATUS_OK);
    call_put_rows(trial, &made.sink);
    return lam_test_written(&made);
}

/* --- The sweep ------------------------------------------------------------------------------- */

/* A new disk and memory, of which request `fail_at` fails. */
static void run(call_scenario *scenario, call_trial *trial, size_t fail_at, bool fails_on) {
    trial->counter = (lam_failing_alloc){.fail_at = fail_at, .fails_on = fails_on};
    trial->allocator = lam_failing_allocator(&trial->counter);
    trial->error = lam_error_none();
    trial->status = LAM_STATUS_OK;
    trial->disk = lam_model_disk_create();
    scenario(trial);
    lam_model_disk_destroy(trial->disk);
    unlink(trial->target);
}

static size_t sweep(const char *name, call_scenario *scenario, call_trial *trial) {
    run(scenario, trial, 0, false);
    cr_assert_eq(trial->status, LAM_STATUS_OK, "%s: %s", name, trial->error.message);
    size_t count = trial->counter.requests, failed = 0;
    for (size_t i = 0; i < 2 * count; i += lam_test_step()) {
        run(scenario, trial, i / 2 + 1, i % 2 == 1);
        failed += trial->status != LAM_STATUS_OK;
        if (trial->status != LAM_STATUS_OK) {
            cr_assert_eq(trial->status, LAM_STATUS_NOMEM, "%s: allocation %zu: %s", name, i / 2 + 1,
                         trial->error.message);
            cr_assert_eq(trial->error.status, LAM_STATUS_NOMEM, "%s: %zu", name, i / 2 + 1);
            cr_assert(trial->error.message[0] != 0, "%s", name);
        }
        cr_assert_eq(trial->counter.live_bytes, 0, "%s: %zu leaks", name, i / 2 + 1);
        cr_assert_eq(trial->counter.wrong_sizes, 0, "%s: %zu", name, i / 2 + 1);
    }
    cr_assert(failed > 0 || count == 0, "%s", name);
    return count;
}

static const struct {
    const char *name;
    call_scenario *scenario;
} scenarios[] = {
    {"schemas", call_schemas},
    {"filters", call_filters},
    {"filters of VARIANTs", call_variant_filters},
    {"VARIANTs", call_variants},
    {"records in memory", call_memory_of_records},
    {"writing", call_writing},
    {"copying", call_copying},
    {"outputs", call_outputs},
    {"reading", call_reading},
    {"details", call_details},
    {"scans", call_scans},
    {"maps", call_maps},
    {"rewriting", call_rewriting},
    {"salvage", call_salvage},
    {"JSON", call_json},
    {"log", call_log},
    {"log of columns", call_log_columns},
};

/* --- Which functions there are --------------------------------------------------------------- */

static char *read_source(const char *path) {
    char full[1000];
    const char *root = getenv("LAMELLA_SOURCE");
    snprintf(full, sizeof full, "%s/%s", root, path);
    FILE *file = fopen(full, "rb");
    cr_assert_not_null(file, "%s", full);
    char *text = calloc(1, 1 << 20);
    cr_assert_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

static bool is_tested_elsewhere(const char *function) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        if (strcmp(elsewhere[i].function, function) != 0)
            continue;
        char *text = read_source(elsewhere[i].source);
        bool is = strstr(text, function) != NULL && strstr(text, "fail") != NULL;
        free(text);
        return is;
    }
    return false;
}

/* The lines "function NAME: TYPE (TYPES)" of layout.txt whose types have a lam_error. */
static void check_functions(void) {
    char *layout = read_source("tests/abi/layout.txt");
    size_t functions = 0, met_here = 0, unmet = 0;
    for (char *line = strtok(layout, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char name[NAME_SIZE];
        if (strstr(line, "lam_error *") == NULL || sscanf(line, "function %63[^:]", name) != 1)
            continue;
        functions++;
        met_here += is_met(name);
        if (is_met(name) || is_tested_elsewhere(name))
            continue;
        printf("memory fails in no test of %s\n", name);
        unmet++;
    }
    free(layout);
    cr_assert_gt(functions, 100);
    cr_assert_eq(unmet, 0);
    printf("%zu functions that can fail, %zu of them met here\n", functions, met_here);
}

Test(failing_calls, each_allocation_of_each_public_call_may_fail) {
    call_trial trial = {0};
    char path[] = "/tmp/lamella-call-XXXXXX", target[] = "/tmp/lamella-call-XXXXXX";
    int file = mkstemp(path), other = mkstemp(target);
    lam_schema *schema = lam_test_schema(CALL_SCHEMA);
    size_t allocations = 0;
    trial.schema = schema;
    lam_buffer bytes = make_file(&trial);
    trial.file = (lam_bytes){bytes.data, bytes.size};
    cr_assert_eq(write(file, bytes.data, bytes.size), (ssize_t)bytes.size);
    trial.path = path;
    trial.target = target;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        allocations += sweep(scenarios[i].name, scenarios[i].scenario, &trial);
    if (getenv("LAMELLA_SOURCE") != NULL)
        check_functions();
    printf("%zu allocations, each once and with all behind it\n", allocations);
    lam_buffer_finish(&bytes);
    lam_schema_destroy(schema);
    close(file);
    close(other);
    unlink(path);
    unlink(target);
}
