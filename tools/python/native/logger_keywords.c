/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the options of a log out of a dict, by the names that lam_log_options has for them; the
 * Python side has made numbers of sizes and durations. What is None or missing keeps its default.
 */
#include "logger.h"

#include <stdlib.h>
#include <string.h>

#include "keywords.h"
#include "writer.h"

static int take_numbers(PyObject *dict, lam_log_options *options) {
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"sync_ms", &options->sync_ms},
                   {"checkpoint_rows", &options->checkpoint_rows},
                   {"checkpoint_bytes", &options->checkpoint_bytes},
                   {"checkpoint_ms", &options->checkpoint_ms},
                   {"rotate_bytes", &options->rotate_bytes},
                   {"rotate_ms", &options->rotate_ms},
                   {"keep_bytes", &options->keep_bytes},
                   {"keep_ms", &options->keep_ms},
                   {"keep_free_bytes", &options->keep_free_bytes},
                   {"keep_free_percent", &options->keep_free_percent},
                   {"memory_limit", &options->memory_limit},
                   {"journal_bytes", &options->journal_bytes},
                   {"queue_bytes", &options->queue_bytes}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (lampy_keyword_number(dict, numbers[i].name, numbers[i].number) < 0)
            return -1;
    return 0;
}

/* The place of a word in a list that ends with NULL, counted from 1; 0 for no word. */
static int take_word(lampy_state *state, PyObject *dict, const char *name, const char *const *words,
                     int *ret_place) {
    const char *text = NULL;
    *ret_place = 0;
    if (lampy_keyword_text(dict, name, &text, NULL) < 0)
        return -1;
    if (text == NULL)
        return 0;
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0) {
            *ret_place = i + 1;
            return 0;
        }
    PyErr_Format(state->error, "no %s %R", name, lampy_keyword(dict, name));
    return -1;
}

static int take_words(lampy_state *state, PyObject *dict, lam_log_options *options) {
    static const char *const syncs[] = {"never", "checkpoint", "interval", "record", NULL};
    static const char *const fulls[] = {"block", "drop_newest", "drop_oldest", NULL};
    static const char *const leftovers[] = {"recover", "keep", NULL};
    int sync, full, leftover;
    if (take_word(state, dict, "sync", syncs, &sync) < 0 ||
        take_word(state, dict, "when_full", fulls, &full) < 0 ||
        take_word(state, dict, "leftovers", leftovers, &leftover) < 0)
        return -1;
    options->sync = (lam_log_sync)sync;
    options->when_full = (lam_log_full)full;
    options->leftovers = (lam_log_leftovers)leftover;
    return 0;
}

static int take_texts(PyObject *dict, lam_log_options *options) {
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"prefix", &options->prefix},
                 {"partition_by", &options->partition_by},
                 {"partition_format", &options->partition_format}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (lampy_keyword_text(dict, texts[i].name, texts[i].text, NULL) < 0)
            return -1;
    return 0;
}

/* The dict "metadata" of str and str. */
static int take_key_values(PyObject *dict, lampy_log_keywords *keywords) {
    PyObject *metadata = lampy_keyword(dict, "metadata"), *key, *value;
    Py_ssize_t position = 0;
    size_t count = 0;
    if (metadata == NULL)
        return 0;
    keywords->key_values = calloc((size_t)PyDict_Size(metadata) + 1, sizeof(lam_log_key_value));
    if (keywords->key_values == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    while (PyDict_Next(metadata, &position, &key, &value)) {
        lam_log_key_value *pair = &keywords->key_values[count++];
        pair->key = PyUnicode_AsUTF8AndSize(key, NULL);
        pair->value = pair->key == NULL ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
        if (pair->value == NULL)
            return -1;
    }
    keywords->options.key_values = keywords->key_values;
    keywords->options.key_value_count = count;
    return 0;
}

int lampy_log_keywords_parse(lampy_state *state, PyObject *dict, lampy_log_keywords *ret_keywords) {
    memset(ret_keywords, 0, sizeof *ret_keywords);
    ret_keywords->options = lam_log_options_default();
    lam_log_options *options = &ret_keywords->options;
    options->background = true;
    if (lampy_writer_options(state, dict, &ret_keywords->writer) < 0 ||
        take_numbers(dict, options) < 0 || take_words(state, dict, options) < 0 ||
        take_texts(dict, options) < 0 ||
        lampy_keyword_flag(dict, "journal", &options->journal) < 0 ||
        lampy_keyword_flag(dict, "background", &options->background) < 0 ||
        lampy_keyword_flag(dict, "is_file", &ret_keywords->is_file) < 0 ||
        take_key_values(dict, ret_keywords) < 0) {
        free(ret_keywords->key_values);
        return -1;
    }
    options->writer = &ret_keywords->writer;
    return 0;
}
