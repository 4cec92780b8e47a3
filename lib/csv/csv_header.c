/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the columns of delimited text. In: its first record, and the options. Out: one name for
 * each column, which no other column has.
 *
 * Without a header the first record is only counted: it is split again as data, unchanged. The
 * invariant: the splitter stands before the first record of data afterwards and knows the number of
 * fields.
 */
#include "csv/csv_header.h"

#include <stdio.h>

#include "base/error.h"
#include "base/options.h"

enum { CSV_NAME_ROOM = 64 }; /* for "column" or "_" and a number */

static bool csv_is_mark(char byte) {
    return (unsigned char)byte < 0x80 && byte != '\n' && byte != '\r';
}

lam_status lam_csv_options_check(const lam_csv_options *given, lam_csv_options *ret_options,
                                 lam_error *error) {
    lam_csv_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_csv_options, given, &options, error));
    options.quote = options.quote == 0 ? '"' : options.quote;
    options.decimal_mark = options.decimal_mark == 0 ? '.' : options.decimal_mark;
    if ((options.delimiter != 0 && !csv_is_mark(options.delimiter)) || !csv_is_mark(options.quote))
        LAM_FAIL(error, LAM_STATUS_INVALID, "delimiter and quote must be ASCII and no line ends");
    if (options.decimal_mark != '.' && options.decimal_mark != ',')
        LAM_FAIL(error, LAM_STATUS_INVALID, "the decimal mark must be a point or a comma");
    if (options.delimiter == options.quote || options.delimiter == '.')
        LAM_FAIL(error, LAM_STATUS_INVALID, "the delimiter must not be the quote or a point");
    if (options.max_record_bytes > (size_t)1 << 30)
        LAM_FAIL(error, LAM_STATUS_INVALID, "max_record_bytes must be at most 1 GiB");
    if ((unsigned)options.epoch > LAM_CSV_EPOCH_NANOS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "epoch is %d, which is not a lam_csv_epoch",
                 (int)options.epoch);
    LAM_TRY(lam_switch_check(options.header, "header", error));
    LAM_TRY(lam_switch_check(options.infer_times, "infer_times", error));
    *ret_options = options;
    return LAM_STATUS_OK;
}

static bool csv_is_taken(const lam_csv_header *header, const char *name) {
    for (size_t i = 0; i < header->count; i++)
        if (strcmp(header->names[i], name) == 0)
            return true;
    return false;
}

/* Adds a column; `name` may be empty. */
static lam_status csv_add_name(lam_csv_header *header, const uint8_t *name, size_t size,
                               lam_arena *arena, lam_error *error) {
    char *text;
    if (memchr(name, '\0', size) != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "line 1: the name of column %zu holds a NUL",
                 header->count + 1);
    void *room;
    LAM_TRY(lam_arena_alloc(arena, size + CSV_NAME_ROOM, &room, error));
    text = room;
    memcpy(text, name, size);
    text[size] = '\0';
    if (size == 0)
        size = (size_t)snprintf(text, CSV_NAME_ROOM / 2, "column%zu", header->count + 1);
    for (size_t i = 1; csv_is_taken(header, text); i++)
        snprintf(text + size, CSV_NAME_ROOM / 2, "_%zu", i);
    header->names[header->count++] = text;
    return LAM_STATUS_OK;
}

lam_status lam_csv_header_read(lam_csv_splitter *splitter, bool has_header, lam_arena *arena,
                               lam_csv_header *ret_header, lam_error *error) {
    lam_csv_header header = {0, NULL};
    bool skips_bad = splitter->skips_bad;
    void *names;
    /* A first record that is broken has no number of fields to compare others with. */
    splitter->skips_bad = false;
    LAM_TRY(has_header ? lam_csv_split(splitter, 1, false, error)
                       : lam_csv_count_first(splitter, error));
    splitter->skips_bad = skips_bad;
    size_t count = has_header && splitter->record_count == 0 ? 0 : splitter->field_count;
    LAM_TRY(lam_arena_array(arena, count, sizeof(char *), &names, error));
    header.names = names;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = splitter->text.bytes.data;
        lam_csv_field field = {0, 0, 0};
        if (has_header)
            field = lam_csv_fields(splitter)[i];
        if (!splitter->kernels->is_utf8(bytes + field.start, field.size))
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "line %llu: the text is not UTF-8; iconv converts other encodings",
                     (unsigned long long)splitter->line);
        LAM_TRY(csv_add_name(&header, bytes + field.start, field.size, arena, error));
    }
    *ret_header = header;
    return LAM_STATUS_OK;
}
