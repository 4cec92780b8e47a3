/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the options of a writer out of a dict, by their names in Python. What is None or missing
 * keeps its default; names are checked by the Python side, which lists them.
 */
#include "writer.h"

#include <string.h>

#include "keywords.h"

/* Missing is the default, which is neither on nor off. */
static int take_switch(PyObject *dict, const char *name, lam_switch *ret) {
    bool is_on = false;
    if (lampy_keyword(dict, name) == NULL)
        return 0;
    if (lampy_keyword_flag(dict, name, &is_on) < 0)
        return -1;
    *ret = is_on ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    return 0;
}

/* ASCII letters of any case. */
static bool same_word(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if ((*a >= 'A' && *a <= 'Z' ? *a + 32 : *a) != (*b >= 'A' && *b <= 'Z' ? *b + 32 : *b))
            return false;
    return *a == *b;
}

static int take_codec(lampy_state *state, PyObject *dict, lam_codec *ret) {
    const char *name = NULL;
    if (lampy_keyword_text(dict, "compression", &name, NULL) < 0)
        return -1;
    if (name == NULL)
        return 0;
    if (same_word(name, "none")) {
        *ret = LAM_CODEC_UNCOMPRESSED;
        return 0;
    }
    if (same_word(name, "lz4")) { /* as pyarrow and Polars call the LZ4 of the format */
        *ret = LAM_CODEC_LZ4_RAW;
        return 0;
    }
    for (lam_codec codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++)
        if (same_word(name, lam_codec_name(codec))) {
            *ret = codec;
            return 0;
        }
    PyErr_Format(state->error, "no codec %R: zstd, snappy, gzip, brotli, lz4 or none",
                 lampy_keyword(dict, "compression"));
    return -1;
}

static int take_compat(lampy_state *state, PyObject *dict, lam_compat *ret) {
    static const struct {
        const char *name;
        lam_compat compat;
    } words[] = {
        {"max", LAM_COMPAT_MAX}, {"modern", LAM_COMPAT_MODERN}, {"newest", LAM_COMPAT_NEWEST}};
    const char *name = NULL;
    if (lampy_keyword_text(dict, "compat", &name, NULL) < 0)
        return -1;
    if (name == NULL)
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (same_word(name, words[i].name)) {
            *ret = words[i].compat;
            return 0;
        }
    PyErr_Format(state->error, "no compat %R: max, modern or newest",
                 lampy_keyword(dict, "compat"));
    return -1;
}

int lampy_writer_options(lampy_state *state, PyObject *dict, lam_writer_options *ret_options) {
    lam_writer_options options = lam_writer_options_default();
    uint64_t threads = 1, version = 0, level = 0;
    if (take_codec(state, dict, &options.codec) < 0 ||
        take_compat(state, dict, &options.compat) < 0 ||
        lampy_keyword_number(dict, "compression_level", &level) < 0 ||
        lampy_keyword_number(dict, "page_version", &version) < 0 ||
        lampy_keyword_number(dict, "row_group_rows", &options.row_group_rows) < 0 ||
        lampy_keyword_number(dict, "row_group_bytes", &options.row_group_bytes) < 0 ||
        lampy_keyword_number(dict, "page_bytes", &options.page_bytes) < 0 ||
        lampy_keyword_number(dict, "page_rows", &options.page_rows) < 0 ||
        lampy_keyword_number(dict, "threads", &threads) < 0 ||
        take_switch(dict, "dictionary", &options.dictionary) < 0 ||
        take_switch(dict, "statistics", &options.statistics) < 0 ||
        take_switch(dict, "page_index", &options.page_index) < 0 ||
        lampy_keyword_flag(dict, "check_sorting", &options.check_sorting) < 0)
        return -1;
    if (level > INT32_MAX || version > INT32_MAX || threads > 1024) {
        PyErr_SetString(state->error, "an option of the writer is out of range");
        return -1;
    }
    options.codec_level = (int32_t)level;
    options.data_page_version = (int32_t)version;
    options.thread_count = (uint32_t)threads;
    *ret_options = options;
    return 0;
}
