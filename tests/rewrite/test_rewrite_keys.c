/* SPDX-License-Identifier: Apache-2.0 */
/* Key-value metadata of files that are merged: which keys a new file gets, and with which value. */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <string.h>

#include "arrow/schema/ipc_schema.h"
#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "support/failing_alloc.h"

TestSuite(rewrite_keys);

static const char SHAPE[] = "message m { required int64 a; optional int64 b; }";

typedef struct given_key {
    const char *key, *value; /* key NULL: none; value NULL: a key without one */
} given_key;

enum { KEYS = 3 };

static lam_buffer write_keys(const given_key *keys) {
    lam_test_writer file = lam_test_write(SHAPE, NULL);
    for (int i = 0; i < KEYS && keys[i].key != NULL; i++)
        cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, keys[i].key, keys[i].value, NULL),
                     LAM_STATUS_OK);
    const int64_t number = 1;
    const uint8_t definition = 1;
    const lam_triples columns[] = {{1, 1, NULL, NULL, &number}, {1, 1, NULL, &definition, &number}};
    lam_test_put_triples(&file, columns, 1);
    return lam_test_written(&file);
}

static lam_reader *open_bytes(const lam_buffer *file) {
    return lam_test_open(file->data, file->size, NULL);
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
    const bool leaves[] = {true, false, false};
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
    lam_reader *reader = open_bytes(&merged->bytes);
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
    {{{"pandas", NULL}}, {{"pandas", ""}}, false, ""},
    {{{"ARROW:schema", "not one"}, {"k", "1"}}, {{NULL, NULL}}, true, "k=1 "},
    {{{"geo", "{\"columns\":{\"a\":{ }}}"}},
     {{NULL, NULL}},
     true,
     "geo={\"columns\":{\"a\":{ }}} "},
    {{{"geo", "{}"}}, {{"geo", "{ }"}}, false, ""},
};

/* What describes the columns holds only for these columns, and where no file says otherwise. */
Test(rewrite_keys, the_first_value_stays_and_what_is_about_other_columns_goes) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_buffer inputs[2];
        lam_trial_output merged = {0};
        char words[100];
        inputs[0] = write_keys(cases[i].first);
        inputs[1] = write_keys(cases[i].second);
        const lam_reader *readers[] = {open_bytes(&inputs[0]), open_bytes(&inputs[1])};
        cr_assert_eq(merge(readers, cases[i].without_b, NULL, &merged), LAM_STATUS_OK);
        list_keys(&merged, words, sizeof words);
        cr_expect_str_eq(words, cases[i].merged, "case %zu: '%s'", i, words);
        lam_trial_output_free(&merged);
        for (int k = 0; k < 2; k++) {
            lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
            lam_buffer_finish(&inputs[k]);
        }
    }
}

static lam_buffer write_many_keys(size_t count) {
    char key[24];
    lam_test_writer file = lam_test_write(SHAPE, NULL);
    for (size_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%zu", i);
        cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, key, "v", NULL), LAM_STATUS_OK);
    }
    return lam_test_written(&file);
}

/* Each key was once compared with all before it: 300,000 took minutes. */
Test(rewrite_keys, many_keys_take_time_by_their_number, .timeout = 20) {
    enum { MANY = 300000 };
    lam_buffer inputs[2];
    lam_trial_output merged = {0};
    inputs[0] = write_many_keys(MANY);
    inputs[1] = write_many_keys(MANY);
    const lam_reader *readers[] = {open_bytes(&inputs[0]), open_bytes(&inputs[1])};
    cr_assert_eq(merge(readers, false, NULL, &merged), LAM_STATUS_OK);
    lam_reader *reader = open_bytes(&merged.bytes);
    cr_expect_eq(reader->footer.meta.key_value_metadata.count, MANY);
    lam_reader_close(reader);
    lam_trial_output_free(&merged);
    for (int k = 0; k < 2; k++) {
        lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
        lam_buffer_finish(&inputs[k]);
    }
}

Test(rewrite_keys, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    const given_key keys[KEYS] = {{"k", "1"}, {"l", "2"}};
    lam_buffer inputs[2];
    inputs[0] = write_keys(keys);
    inputs[1] = write_keys(keys);
    const lam_reader *readers[] = {open_bytes(&inputs[0]), open_bytes(&inputs[1])};
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
        lam_buffer_finish(&inputs[k]);
    }
}

#ifdef LAM_HAVE_ARROW_SCHEMA

/* --- ARROW:schema -------------------------------------------------------------------------- */

/* The schema as text of what Arrow calls a schema message: columns a, b and so on are int64. */
static const char *arrow_schema_text(lam_arena *arena, size_t count) {
    lam_arrow_field *children;
    lam_bytes value;
    void *memory;
    char *text;
    cr_assert_eq(lam_arena_array(arena, count, sizeof *children, &memory, NULL), LAM_STATUS_OK);
    children = memory;
    for (size_t i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        cr_assert_eq(lam_arena_copy(arena, name, 2, &text, NULL), LAM_STATUS_OK);
        children[i].name = text;
        children[i].type.kind = LAM_ARROW_INT64;
        children[i].nullable = true;
    }
    const lam_arrow_field schema = {
        .name = "", .type = {.kind = LAM_ARROW_STRUCT}, .child_count = count, .children = children};
    cr_assert_eq(lam_ipc_schema_write(&schema, arena, &value, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arena_copy(arena, value.data, value.size, &text, NULL), LAM_STATUS_OK);
    return text;
}

static lam_buffer write_with_schema(const char *shape, const char *arrow) {
    lam_test_writer file = lam_test_write(shape, NULL);
    if (arrow != NULL)
        cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "ARROW:schema", arrow, NULL),
                     LAM_STATUS_OK);
    return lam_test_written(&file);
}

/* The names of the columns that the ARROW:schema of a file has; "-" without one. */
static void list_arrow_columns(const lam_trial_output *merged, lam_arena *arena, char *names) {
    lam_reader *reader = open_bytes(&merged->bytes);
    const lam_meta_key_value_list *list = &reader->footer.meta.key_value_metadata;
    lam_arrow_field schema;
    strcpy(names, "-");
    if (list->count > 0) {
        cr_assert_eq(lam_ipc_schema_read(list->items[0].value, arena, &schema, NULL),
                     LAM_STATUS_OK);
        names[0] = '\0';
        for (size_t i = 0; i < schema.child_count; i++)
            strcat(names, schema.children[i].name);
    }
    lam_reader_close(reader);
}

#define TWO "message m { optional int64 a; optional int64 b; }"

/*
 * The first file has an Arrow schema; what the second file makes of the columns, or the choice of
 * them, decides whether it can be cut to be true.
 */
static const struct {
    const char *first, *second;
    size_t columns; /* of the Arrow schema */
    bool without_b;
    const char *names;
} arrow_cases[] = {
    {TWO, TWO, 2, false, "ab"},
    {TWO, TWO, 2, true, "a"},
    {TWO, TWO, 3, true, "-"}, /* it was not true before */
    {TWO, TWO, 1, true, "-"},
    {TWO, "message m { optional int64 a; optional int64 b; optional int64 c; }", 2, false, "-"},
    {"message m { optional int32 a; optional int64 b; }", TWO, 2, true, "-"}, /* wider */
    {"message m { required int64 a; optional int64 b; }", TWO, 2, true, "-"},
    {"message m { optional group a { optional int64 x; } optional int64 b; }",
     "message m { optional group a { optional int64 y; } optional int64 b; }", 2, false, "-"},
    {"message m { optional group a { optional fixed(3) x; } optional int64 b; }",
     "message m { optional group a { optional fixed(3) x; } optional int64 b; }", 2, true, "a"},
    {"message m { optional int64 a (TIMESTAMP(MILLIS,true)); optional int64 b; }",
     "message m { optional int64 a (TIMESTAMP(MILLIS,true)); optional int64 b; }", 2, true, "a"},
};

Test(rewrite_keys, an_arrow_schema_loses_the_columns_that_go_and_goes_where_others_change) {
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof arrow_cases / sizeof *arrow_cases; i++) {
        lam_buffer inputs[2];
        lam_trial_output merged = {0};
        lam_arena arena;
        char names[32];
        lam_arena_init(&arena, &allocator, 0);
        inputs[0] = write_with_schema(arrow_cases[i].first,
                                      arrow_schema_text(&arena, arrow_cases[i].columns));
        inputs[1] = write_with_schema(arrow_cases[i].second, NULL);
        const lam_reader *readers[] = {open_bytes(&inputs[0]), open_bytes(&inputs[1])};
        cr_assert_eq(merge(readers, arrow_cases[i].without_b, NULL, &merged), LAM_STATUS_OK);
        list_arrow_columns(&merged, &arena, names);
        cr_expect_str_eq(names, arrow_cases[i].names, "case %zu: %s", i, names);
        lam_trial_output_free(&merged);
        for (int k = 0; k < 2; k++) {
            lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
            lam_buffer_finish(&inputs[k]);
        }
        lam_arena_finish(&arena);
    }
}

Test(rewrite_keys, memory_that_runs_out_when_an_arrow_schema_is_cut_is_an_error) {
    lam_allocator heap = lam_allocator_default();
    lam_buffer inputs[2];
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    for (int k = 0; k < 2; k++)
        inputs[k] = write_with_schema(TWO, arrow_schema_text(&arena, 2));
    const lam_reader *readers[] = {open_bytes(&inputs[0]), open_bytes(&inputs[1])};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_trial_output merged = {0};
        char names[32];
        status = merge(readers, true, &allocator, &merged);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu", nth);
        cr_assert_eq(failing.live_bytes, 0, "request %zu", nth);
        if (status == LAM_STATUS_OK) {
            list_arrow_columns(&merged, &arena, names);
            cr_assert_str_eq(names, "a");
        }
        lam_trial_output_free(&merged);
    }
    for (int k = 0; k < 2; k++) {
        lam_reader_close((lam_reader *)(uintptr_t)readers[k]);
        lam_buffer_finish(&inputs[k]);
    }
    lam_arena_finish(&arena);
}

#endif
