/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the columns of delimited text, by its first record and the options: each gets a name that
 * no other column has.
 *
 * Without a header the first record is only counted: it is split again as data, unchanged.
 * Afterwards the splitter is always before the first record of data and knows the number of fields.
 */
#include "csv/csv_header.h"

#include <stdio.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/options.h"
#include "text/time_format.h"

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
    if (options.comment != 0 &&
        (!csv_is_mark(options.comment) || options.comment == options.quote ||
         options.comment == options.delimiter))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the mark of comments must be ASCII, and none of the others");
    if (options.max_record_bytes > (size_t)1 << 30)
        LAM_FAIL(error, LAM_STATUS_INVALID, "max_record_bytes must be at most 1 GiB");
    if ((unsigned)options.epoch > LAM_CSV_EPOCH_NANOS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "epoch is %d, which is not a lam_csv_epoch",
                 (int)options.epoch);
    LAM_TRY(lam_time_formats_check(
        (lam_time_formats){options.time_formats, options.time_format_count}, error));
    LAM_TRY(lam_switch_check(options.header, "header", error));
    LAM_TRY(lam_switch_check(options.infer_times, "infer_times", error));
    *ret_options = options;
    return LAM_STATUS_OK;
}

/* The names so far, while they are added. */
typedef struct csv_names {
    lam_csv_header header;
    lam_hash_index index;
    size_t *next; /* by name: the number to try after it, when it occurs again */
} csv_names;

/* The column of a name, LAM_HASH_INDEX_NONE if it is free; and its hash. */
static uint32_t csv_find_name(const csv_names *names, const char *name, uint32_t *ret_hash) {
    uint32_t found;
    *ret_hash = lam_hash_index_hash(&names->index, name, strlen(name));
    LAM_HASH_INDEX_FIND(&names->index, *ret_hash, found,
                        strcmp(names->header.names[found], name) == 0);
    return found;
}

/*
 * Adds a column; `name` may be empty. Names are never freed, so the numbers that were taken after
 * one need not be tried a second time: a header of equal names takes linear time.
 */
static lam_status csv_add_name(csv_names *names, const uint8_t *name, size_t size, lam_arena *arena,
                               lam_error *error) {
    const size_t column = names->header.count;
    if (memchr(name, '\0', size) != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "line 1: the name of column %zu holds a NUL",
                 column + 1);
    void *room;
    LAM_TRY(lam_arena_alloc(arena, size + CSV_NAME_ROOM, &room, error));
    char *text = room;
    memcpy(text, name, size);
    text[size] = '\0';
    if (size == 0)
        size = (size_t)snprintf(text, CSV_NAME_ROOM / 2, "column%zu", column + 1);
    uint32_t hash, same = csv_find_name(names, text, &hash), taken = same;
    while (taken != LAM_HASH_INDEX_NONE) {
        snprintf(text + size, CSV_NAME_ROOM / 2, "_%zu", ++names->next[same]);
        taken = csv_find_name(names, text, &hash);
    }
    LAM_TRY(lam_hash_index_add(&names->index, hash, (uint32_t)column, error));
    names->header.names[names->header.count++] = text;
    return LAM_STATUS_OK;
}

static lam_status csv_add_names(csv_names *names, const lam_csv_splitter *splitter, size_t count,
                                bool has_header, lam_arena *arena, lam_error *error) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = splitter->text.bytes.data;
        lam_csv_field field = {0, 0, 0};
        if (has_header)
            field = lam_csv_fields(splitter)[i];
        if (!splitter->kernels->is_utf8(bytes + field.start, field.size))
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "line %llu: the text is not UTF-8; iconv converts other encodings",
                     (unsigned long long)splitter->line);
        LAM_TRY(csv_add_name(names, bytes + field.start, field.size, arena, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_csv_header_read(lam_csv_splitter *splitter, bool has_header, lam_arena *arena,
                               lam_csv_header *ret_header, lam_error *error) {
    bool skips_bad = splitter->skips_bad;
    csv_names names = {0};
    /* A first record that is broken has no number of fields to compare others with. */
    splitter->skips_bad = false;
    LAM_TRY(has_header ? lam_csv_split(splitter, 1, false, error)
                       : lam_csv_count_first(splitter, error));
    splitter->skips_bad = skips_bad;
    size_t count = has_header && splitter->record_count == 0 ? 0 : splitter->field_count;
    if (count >= LAM_HASH_INDEX_NONE)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "line 1: there are %zu columns", count);
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &names.header.names, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, count, &names.next, error));
    lam_hash_index_init(&names.index, &arena->allocator);
    lam_status status = csv_add_names(&names, splitter, count, has_header, arena, error);
    lam_hash_index_finish(&names.index);
    if (status == LAM_STATUS_OK)
        *ret_header = names.header;
    return status;
}
