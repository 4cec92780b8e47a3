/* SPDX-License-Identifier: Apache-2.0 */
/* Key-value metadata of files that are merged: which keys a new file gets, and with which value. */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <string.h>

#include "file/file_reader.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

TestSuite(rewrite_keys);

static const char SHAPE[] = "message m { required int64 a; optional int64 b; }";

typedef struct given_key {
    const char *key, *value; /* key NULL: none; value NULL: a key without one */
} given_key;

enum { KEYS = 3 };

static void write_keys(lam_trial_output *trial, const given_key *keys) {
    lam_schema *schema;
    lam_writer *writer;
    const int64_t number = 1;
    const uint8_t definition = 1;
    const lam_triples columns[] = {{1, 1, NULL, NULL, &number}, {1, 1, NULL, &definition, &number}};
    lam_output output = lam_trial_output_open(trial);
    cr_assert_eq(lam_schema_parse(SHAPE, strlen(SHAPE), NULL, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    for (int i = 0; i < KEYS && keys[i].key != NULL; i++)
        cr_assert_eq(lam_writer_add_key_value(writer, keys[i].key, keys[i].value, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_writer_write_triples(writer, columns, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
}

static lam_reader *read_trial(const lam_trial_output *trial) {
    lam_reader *reader;
    lam_input input = lam_input_memory(trial->bytes.data, trial->bytes.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    return reader;
}

static lam_status open_trial(void *state, const char *folder, uint64_t number,
                             lam_output *ret_output, lam_error *error) {
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(state);
    return LAM_STATUS_OK;
}

/* Merges two files; `without_b`: only column `a` goes into the new one. */
static lam_status merge(const lam_reader *const *readers, bool without_b,
                        const lam_allocator *allocator, lam_trial_output *merged) {
    const bool leaves[] = {true, false};
    const lam_rewrite_target target = {merged, open_trial};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *rewrite;
    options.allocator = allocator;
    lam_status status = lam_rewrite_create(&options, &rewrite, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    for (int i = 0; i < 2 && status == LAM_STATUS_OK; i++)
        status = lam_rewrite_add_reader(rewrite, readers[i], i == 0 ? "first" : "second", NULL);
    if (status == LAM_STATUS_OK && without_b)
        status = lam_rewrite_set_leaves(rewrite, leaves, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, NULL, NULL);
    lam_rewrite_destroy(rewrite);
    return status;
}

static void append(char *words, size_t room, lam_bytes bytes) {
    size_t size = strlen(words);
    cr_assert_lt(size + bytes.size, room);
    if (bytes.size > 0)
        memcpy(words + size, bytes.data, bytes.size);
    words[size + bytes.size] = '\0';
}

/* "key=value " for each key of a file; a key without a value has no "=". */
static void list_keys(const lam_trial_output *merged, char *words, size_t room) {
    lam_reader *reader = read_trial(merged);
    const lam_meta_key_value_list *list = &reader->footer.meta.key_value_metadata;
    words[0] = '\0';
    for (uint32_t i = 0; i < list->count; i++) {
        append(words, room, list->items[i].key);
        if ((list->items[i].has & LAM_META_KEY_VALUE_HAS_VALUE) != 0)
            append(words, room, (lam_bytes){(const uint8_t *)"=", 1});
        append(words, room, list->items[i].value);
        append(words, room, (lam_bytes){(const uint8_t *)" ", 1});
    }
    lam_reader_close(reader);
}

static const struct {
    given_key first[KEYS], second[KEYS];
    bool without_b;
    const char *merged;
} cases[] = {
    {{{"k", "1"}}, {{NULL, NULL}}, false, "k=1 "},
    {{{NULL, NULL}}, {{"k", "1"}}, false, "k=1 "},
    {{{"k", "1"}}, {{"k", "2"}}, false, "k=1 "},
    {{{"k", "1"}, {"k", "2"}}, {{"l", ""}}, false, "k=1 k=2 l= "},
    {{{"k", NULL}, {"", "e"}}, {{"", "f"}}, false, "k =e "},
    {{{"pandas", "p"}}, {{"pandas", "p"}}, false, "pandas=p "},
    {{{"pandas", "p"}}, {{"pandas", "q"}}, false, ""},
    {{{"pandas", "p"}}, {{"pandas", "pq"}}, false, ""},
    {{{"pandas", "p"}}, {{"pandas", NULL}}, false, ""},
    {{{"pandas", "p"}, {"k", "1"}}, {{NULL, NULL}}, true, "k=1 "},
    {{{"ARROW:schema", "not one"}, {"k", "1"}}, {{NULL, NULL}}, true, "k=1 "},
};

/* What describes the columns holds only for these columns, and where no file says otherwise. */
Test(rewrite_keys, the_first_value_stays_and_what_is_about_other_columns_goes) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_trial_output inputs[2] = {{0}}, merged = {0};
        char words[100];
        write_keys(&inputs[0], cases[i].first);
        write_keys(&inputs[1], cases[i].second);
        const lam_reader *readers[] = {read_trial(&inputs[0]), read_trial(&inputs[1])};
        cr_assert_eq(merge(readers, cases[i].without_b, NULL, &merged), LAM_STATUS_OK);
        list_keys(&merged, words, sizeof words);
        cr_expect_str_eq(words, cases[i].merged, "case %zu: '%s'", i, words);
        lam_trial_output_free(&merged);
        for (int k = 0; k < 2; k++) {
            lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
            lam_trial_output_free(&inputs[k]);
        }
    }
}

Test(rewrite_keys, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    const given_key keys[KEYS] = {{"k", "1"}, {"l", "2"}};
    lam_trial_output inputs[2] = {{0}};
    write_keys(&inputs[0], keys);
    write_keys(&inputs[1], keys);
    const lam_reader *readers[] = {read_trial(&inputs[0]), read_trial(&inputs[1])};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_trial_output merged = {0};
        status = merge(readers, true, &allocator, &merged);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu", nth);
        cr_assert_eq(failing.live_bytes, 0, "request %zu", nth);
        cr_assert_lt(nth, 5000);
        lam_trial_output_free(&merged);
    }
    for (int k = 0; k < 2; k++) {
        lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
        lam_trial_output_free(&inputs[k]);
    }
}
