/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "import_choice.h"

#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool.h"

void import_choices_free(import_choices *choices) {
    free(choices->items);
    choices->items = NULL;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* The last "=" outside of quotation marks; NULL when there is none. */
static const char *last_equals(const char *text) {
    const char *last = NULL;
    for (size_t at = tool_mark_from(text, 0, '='); text[at] != '\0';
         at = tool_mark_from(text, at + 1, '='))
        last = text + at;
    return last;
}

/* Splits "PATH=NAME"; the name is one of the format's, in any case of letters. */
static bool parse_encoding(const char *text, size_t *ret_path_size, lam_encoding *ret_encoding) {
    const char *equals = last_equals(text);
    if (equals == NULL)
        return false;
    *ret_path_size = (size_t)(equals - text);
    for (int i = LAM_ENCODING_PLAIN; i <= LAM_ENCODING_ALP; i++)
        if (strcasecmp(equals + 1, lam_encoding_name((lam_encoding)i)) == 0) {
            *ret_encoding = (lam_encoding)i;
            return true;
        }
    return false;
}

/* Splits "PATH" or "PATH=FPP"; an FPP of 0 is the default. */
static bool parse_bloom(const char *text, size_t *ret_path_size, double *ret_fpp) {
    const char *equals = last_equals(text);
    char *end;
    *ret_path_size = equals == NULL ? strlen(text) : (size_t)(equals - text);
    *ret_fpp = 0;
    if (equals == NULL)
        return true;
    *ret_fpp = strtod(equals + 1, &end);
    return end != equals + 1 && *end == '\0' && *ret_fpp > 0 && *ret_fpp < 1;
}

/* True when the first `*size` bytes of a text end with another, which is then cut off. */
static bool cut_end(const char *text, size_t *size, const char *end) {
    size_t length = strlen(end);
    if (*size <= length || memcmp(text + *size - length, end, length) != 0)
        return false;
    *size -= length;
    return true;
}

/* A name that itself ends so is written between quotation marks, or with a direction after it. */
static void parse_sorted(const char *text, size_t *ret_path_size, bool *ret_descending,
                         bool *ret_nulls_first) {
    *ret_path_size = strlen(text);
    *ret_nulls_first = cut_end(text, ret_path_size, ":nulls-first");
    *ret_descending = cut_end(text, ret_path_size, ":desc");
    bool has_direction = *ret_descending || cut_end(text, ret_path_size, ":asc");
    if (has_direction && !*ret_nulls_first) /* either may come first */
        *ret_nulls_first = cut_end(text, ret_path_size, ":nulls-first");
}

/* The size of the key in "KEY=VALUE"; 0 when there is none. */
static size_t key_size(const char *text) {
    const char *equals = strchr(text, '=');
    return equals == NULL ? 0 : (size_t)(equals - text);
}

static bool has_key(const import_choices *choices, const char *key, size_t size) {
    for (int i = 0; i < choices->count; i++)
        if (choices->items[i].kind == IMPORT_META && key_size(choices->items[i].text) == size &&
            memcmp(choices->items[i].text, key, size) == 0)
            return true;
    return false;
}

bool import_choices_have_key(const import_choices *choices, const char *key) {
    return has_key(choices, key, strlen(key));
}

/* A key comes once. */
static bool is_free_key(const import_choices *choices, const char *text) {
    size_t size = key_size(text);
    return size > 0 && !has_key(choices, text, size);
}

static bool is_good(const import_choices *choices, import_choice_kind kind, const char *text) {
    size_t path_size;
    lam_encoding encoding;
    double fpp;
    switch (kind) {
    case IMPORT_ENCODING:
        return parse_encoding(text, &path_size, &encoding);
    case IMPORT_BLOOM:
        return parse_bloom(text, &path_size, &fpp);
    case IMPORT_META:
        return is_free_key(choices, text);
    default:
        return true;
    }
}

bool import_choices_add(import_choices *choices, import_choice_kind kind, const char *text) {
    if (!is_good(choices, kind, text))
        return false;
    choices->items =
        tool_reallocate(choices->items, (size_t)choices->count + 1, sizeof *choices->items);
    choices->items[choices->count++] = (import_choice){kind, text};
    return true;
}

/* --- The writer ---------------------------------------------------------------------------- */

/* `text` is a copy, which is cut where the path or the key ends. */
static lam_status apply(import_choice_kind kind, char *text, lam_writer *writer, lam_error *error) {
    size_t size = 0;
    lam_encoding encoding = LAM_ENCODING_PLAIN;
    double fpp = 0;
    bool descending, nulls_first;
    switch (kind) {
    case IMPORT_ENCODING:
        parse_encoding(text, &size, &encoding);
        text[size] = '\0';
        return lam_writer_set_encoding(writer, text, encoding, error);
    case IMPORT_BLOOM:
        parse_bloom(text, &size, &fpp);
        text[size] = '\0';
        return lam_writer_set_bloom_filter(writer, text, fpp, 0, error);
    case IMPORT_SORTED:
        parse_sorted(text, &size, &descending, &nulls_first);
        text[size] = '\0';
        return lam_writer_add_sorting_column(writer, text, descending, nulls_first, error);
    default:
        size = key_size(text);
        text[size] = '\0';
        return lam_writer_add_key_value(writer, NULL, text, text + size + 1, error);
    }
}

lam_status import_choices_apply(const import_choices *choices, lam_writer *writer,
                                lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (int i = 0; i < choices->count && status == LAM_STATUS_OK; i++) {
        char *text = tool_copy_text(choices->items[i].text);
        status = apply(choices->items[i].kind, text, writer, error);
        free(text);
    }
    return status;
}

bool import_parse_codec(const char *text, lam_writer_options *options) {
    static const struct {
        const char *name;
        lam_codec codec;
        uint64_t level_max; /* 0: no levels */
    } codecs[] = {{"zstd", LAM_CODEC_ZSTD, 22},       {"gzip", LAM_CODEC_GZIP, 12},
                  {"brotli", LAM_CODEC_BROTLI, 11},   {"snappy", LAM_CODEC_SNAPPY, 0},
                  {"lz4_raw", LAM_CODEC_LZ4_RAW, 0},  {"uncompressed", LAM_CODEC_UNCOMPRESSED, 0},
                  {"none", LAM_CODEC_UNCOMPRESSED, 0}};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        uint64_t level = 0;
        if (strlen(codecs[i].name) != length || strncmp(codecs[i].name, text, length) != 0)
            continue;
        if (text[length] == ':' && (!tool_parse_count(text + length + 1, &level) || level < 1 ||
                                    level > codecs[i].level_max))
            return false;
        options->codec = codecs[i].codec;
        options->codec_level = (int32_t)level;
        return true;
    }
    return false;
}

/* `text` is a copy, which is cut where the path ends. */
static lam_status apply_to_rewrite(import_choice_kind kind, char *text, lam_rewrite *rewrite,
                                   lam_error *error) {
    size_t size = 0;
    lam_encoding encoding = LAM_ENCODING_PLAIN;
    double fpp = 0;
    bool descending = false, nulls_first = false;
    if (kind == IMPORT_ENCODING)
        parse_encoding(text, &size, &encoding);
    else if (kind == IMPORT_BLOOM)
        parse_bloom(text, &size, &fpp);
    else
        parse_sorted(text, &size, &descending, &nulls_first);
    text[size] = '\0';
    if (kind == IMPORT_ENCODING)
        return lam_rewrite_set_encoding(rewrite, text, encoding, error);
    if (kind == IMPORT_BLOOM)
        return lam_rewrite_set_bloom_filter(rewrite, text, fpp, 0, error);
    return lam_rewrite_add_sort_key(rewrite, text, descending, nulls_first, error);
}

/* Puts the option before a message about its value. */
static lam_status name_option(const char *option, lam_status status, lam_error *error) {
    char message[sizeof error->message];
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOT_FOUND ||
        error->code == LAM_ERROR_CODE_FILTER_LIMIT) {
        snprintf(message, sizeof message, "--%s: %.280s", option, error->message);
        memcpy(error->message, message, sizeof message);
    }
    return status;
}

lam_status import_choices_rewrite(const import_choices *choices, lam_rewrite *rewrite,
                                  lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (int i = 0; i < choices->count && status == LAM_STATUS_OK; i++) {
        char *text = tool_copy_text(choices->items[i].text);
        import_choice_kind kind = choices->items[i].kind;
        status = name_option(kind == IMPORT_ENCODING ? "encoding"
                             : kind == IMPORT_BLOOM  ? "bloom"
                                                     : "sort-by",
                             apply_to_rewrite(kind, text, rewrite, error), error);
        free(text);
    }
    return status;
}

void import_choices_say(const import_choices *choices, lam_compat compat) {
    for (int i = 0; i < choices->count && compat != LAM_COMPAT_NEWEST; i++) {
        const char *equals = strrchr(choices->items[i].text, '=');
        if (choices->items[i].kind != IMPORT_ENCODING || equals == NULL ||
            strcmp(equals, "=alp") != 0)
            continue;
        tool_say("lamella: --encoding %s: only the newest readers know ALP; DuckDB 2.0, Polars 2.1 "
                 "and pyarrow 26 do not (--compat newest leaves this line out)\n",
                 choices->items[i].text);
        return;
    }
}
