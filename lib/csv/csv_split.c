/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits the delimited text in a window into records and fields (RFC 4180): gives the start and
 * size of each field, without the quotes around it, and with doubled ones made single in place.
 *
 * A kernel finds delimiters, line ends and quotes, 64 bytes at a time. A block that has no quotes
 * and is not within them gives its separators as they are; in other blocks each mark is visited:
 *
 *     outside   quote at the start of a field            quotes open
 *               quote right after one that closed them   quotes open again: it was doubled
 *               any other quote                          text
 *               separator                                the field ends
 *     inside    quote                                    quotes close
 *               separator                                text
 *     comment   line end                                 the line ends, as if it were one field
 *               quote, delimiter                         text
 *
 * A batch always has complete records only, and what follows them is still in the window,
 * unchanged. A record with text after a closing quote is bad. When a record is refused for its
 * quotes, they do not show where it ends: only its first line is left out.
 */
#include "csv/csv_split.h"

#include "base/error.h"
#include "base/thread/stop.h"

enum {
    CSV_BLOCK = 64,
    CSV_AHEAD_LEAST = 16 /* records that are split after one that failed */
};

void lam_csv_splitter_init(lam_csv_splitter *splitter, const lam_csv_source *source,
                           const lam_csv_options *options, const lam_allocator *allocator) {
    memset(splitter, 0, sizeof *splitter);
    splitter->kernels = lam_kernels_get();
    splitter->delimiter = (uint8_t)options->delimiter;
    splitter->quote = (uint8_t)options->quote;
    splitter->line_end = '\n';
    splitter->comment = (uint8_t)options->comment;
    splitter->skip_lines = options->skip_lines;
    splitter->skips_bad = options->skip_bad_lines;
    splitter->stop = options->stop;
    splitter->line = 1;
    size_t most = options->max_record_bytes == 0 ? (size_t)64 << 20 : options->max_record_bytes;
    lam_csv_text_init(&splitter->text, source, most, allocator);
    splitter->text.is_live = options->is_live;
    splitter->ahead = LAM_CSV_BATCH_RECORDS;
    LAM_LIST_INIT(&splitter->ends, allocator);
    LAM_LIST_INIT(&splitter->fields, allocator);
}

void lam_csv_splitter_finish(lam_csv_splitter *splitter) {
    lam_csv_text_finish(&splitter->text);
    LAM_LIST_FINISH(&splitter->ends);
    LAM_LIST_FINISH(&splitter->fields);
}

/* --- Where fields end ---------------------------------------------------------------------- */

/* The state between two blocks. */
typedef struct csv_scan {
    size_t field_start;
    size_t closed; /* where quotes were closed last; SIZE_MAX: nowhere */
    bool is_inside;
    bool is_comment;
    bool is_odd; /* there are quotes other than one before a field and one after it */
    size_t count;
} csv_scan;

/* Visits the marks of a block of `bytes`; positions count from `base`. */
static void csv_scan_marks(const lam_csv_splitter *splitter, csv_scan *scan, const uint8_t *bytes,
                           uint64_t separators, uint64_t quotes, size_t base, uint32_t *ends) {
    uint64_t marks = separators | quotes;
    for (; marks != 0; marks &= marks - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(marks);
        size_t position = base + bit;
        if (scan->is_comment && bytes[position] != splitter->line_end)
            continue;
        if (quotes >> bit & 1) {
            if (scan->is_inside) {
                scan->is_inside = false;
                scan->closed = position;
            } else {
                scan->is_odd = scan->is_odd || position != scan->field_start;
                scan->is_inside = position == scan->field_start || position == scan->closed + 1;
            }
        } else if (!scan->is_inside) {
            ends[scan->count++] = (uint32_t)position;
            scan->field_start = position + 1;
            scan->closed = SIZE_MAX - 1;
            scan->is_comment = bytes[position] == splitter->line_end &&
                               lam_csv_begins_comment(splitter, bytes + position + 1);
        }
    }
}

static void csv_scan_separators(csv_scan *scan, uint64_t separators, size_t base, uint32_t *ends) {
    uint32_t *end = ends + scan->count;
    if (separators == 0)
        return;
    for (; separators != 0; separators &= separators - 1)
        *end++ = (uint32_t)(base + (unsigned)__builtin_ctzll(separators));
    scan->count = (size_t)(end - ends);
    scan->field_start = (size_t)end[-1] + 1;
    scan->closed = SIZE_MAX - 1;
}

/* Scans `size` bytes until `room` less a block of ends are found. */
static size_t csv_scan_text(lam_csv_splitter *splitter, const uint8_t *bytes, size_t size,
                            size_t room, uint32_t *ends) {
    csv_scan scan = {.closed = SIZE_MAX - 1, .is_comment = lam_csv_begins_comment(splitter, bytes)};
    uint64_t separators[CSV_BLOCK], quotes[CSV_BLOCK];
    for (size_t base = 0; base < size; base += (size_t)CSV_BLOCK * CSV_BLOCK) {
        size_t left = size - base, blocks = (left + CSV_BLOCK - 1) / CSV_BLOCK;
        blocks = blocks > CSV_BLOCK ? CSV_BLOCK : blocks;
        splitter->kernels->match_u8(bytes + base, blocks, splitter->delimiter, splitter->line_end,
                                    splitter->quote, separators, quotes);
        if (left < blocks * CSV_BLOCK) {
            uint64_t mask = ((uint64_t)1 << left % CSV_BLOCK) - 1;
            separators[blocks - 1] &= mask;
            quotes[blocks - 1] &= mask;
        }
        for (size_t i = 0; i < blocks; i++) {
            if (room - scan.count < CSV_BLOCK) {
                splitter->has_odd_quotes = scan.is_odd;
                return scan.count;
            }
            if (quotes[i] == 0 && !scan.is_inside && splitter->comment == 0)
                csv_scan_separators(&scan, separators[i], base + i * CSV_BLOCK, ends);
            else
                csv_scan_marks(splitter, &scan, bytes, separators[i], quotes[i],
                               base + i * CSV_BLOCK, ends);
        }
    }
    splitter->has_odd_quotes = scan.is_odd;
    return scan.count;
}

/* At the end of the source a record without a line end gets one, in the padding. */
lam_status lam_csv_find_ends(lam_csv_splitter *splitter, size_t wanted, bool is_sample,
                             lam_error *error) {
    lam_csv_text *text = &splitter->text;
    size_t size = text->bytes.size - text->next;
    uint8_t *bytes = text->bytes.data + text->next;
    bool adds_end = size > 0 && text->is_at_end && bytes[size - 1] != splitter->line_end &&
                    !(is_sample && text->encoding != LAM_TEXT_UTF8);
    if (adds_end)
        bytes[size] = splitter->line_end;
    size_t room =
        (wanted > LAM_CSV_ENDS_AT_ONCE ? LAM_CSV_ENDS_AT_ONCE : wanted) + (size_t)2 * CSV_BLOCK;
    for (;; room *= 2) {
        splitter->ends.count = 0;
        LAM_TRY(LAM_LIST_RESERVE(&splitter->ends, room, error));
        uint32_t *ends = splitter->ends.items;
        splitter->end_count = csv_scan_text(splitter, bytes, size + adds_end, room, ends);
        if (room - splitter->end_count >= CSV_BLOCK)
            return LAM_STATUS_OK;
        for (size_t i = 0; i < splitter->end_count; i++)
            if (bytes[ends[i]] == splitter->line_end)
                return LAM_STATUS_OK;
    }
}

/* --- Records ------------------------------------------------------------------------------- */

/* The quote that closes a field; NULL when text follows it. */
static const uint8_t *csv_closing_quote(uint8_t quote, const uint8_t *start, const uint8_t *end) {
    /* unreachable: the scan ends no field inside quotes, so that one of them closes it */
    for (const uint8_t *at = start; (at = memchr(at, quote, (size_t)(end - at))) != NULL; at += 2) {
        if (at + 1 == end)
            return at;
        if (at[1] != quote)
            return NULL;
    }
    return NULL;
}

/* Removes the quotes of a field that has others inside, or text after them: false then. */
__attribute__((noinline)) static bool csv_unquote_odd(uint8_t quote, uint8_t *bytes,
                                                      lam_csv_field *field) {
    uint8_t *start = bytes + field->start + 1, *end = bytes + field->start + field->size;
    const uint8_t *last = csv_closing_quote(quote, start, end);
    if (last == NULL)
        return false;
    uint8_t *out = memchr(start, quote, (size_t)(end - start));
    for (const uint8_t *in = out; in < last;) {
        in += *in == quote;
        *out++ = *in++;
    }
    field->start++;
    field->size = (uint32_t)(out - start) & INT32_MAX;
    field->is_quoted = 1;
    memset(out, ' ', (size_t)(end - out));
    return true;
}

/* Takes quotes off a field that begins with one; false, unchanged, when text follows them. */
static inline bool csv_unquote(const lam_csv_splitter *splitter, uint8_t *bytes,
                               lam_csv_field *field) {
    if (splitter->has_odd_quotes || bytes[field->start + field->size - 1] != splitter->quote)
        return csv_unquote_odd(splitter->quote, bytes, field);
    field->start++;
    field->size = (field->size - 2) & INT32_MAX;
    field->is_quoted = 1;
    return true;
}

typedef enum csv_outcome { CSV_GOOD, CSV_BLANK, CSV_FEW, CSV_MANY, CSV_BROKEN } csv_outcome;

/* Whether no field has text after its closing quote. */
__attribute__((noinline)) static bool csv_has_good_quotes(const lam_csv_splitter *splitter,
                                                          const uint8_t *bytes, uint32_t start,
                                                          const uint32_t *ends) {
    for (size_t i = 0;; start = ends[i++] + 1) {
        uint32_t end = ends[i];
        bool is_last = bytes[end] == splitter->line_end;
        if (is_last && end > start && bytes[end - 1] == '\r')
            end--;
        if (i < splitter->field_count && end > start && bytes[start] == splitter->quote &&
            csv_closing_quote(splitter->quote, bytes + start + 1, bytes + end) == NULL)
            return false;
        if (is_last)
            return true;
    }
}

/*
 * Takes a complete record whose first end is `ends[0]`, and gives the number of its ends. A record
 * with broken quotes stays unchanged in the window.
 */
static size_t csv_take_record(const lam_csv_splitter *splitter, uint8_t *bytes, uint32_t start,
                              const uint32_t *ends, lam_csv_field *fields,
                              csv_outcome *ret_outcome) {
    const size_t most = splitter->field_count;
    size_t i = 0;
    if (lam_csv_begins_comment(splitter, bytes + start)) {
        *ret_outcome = CSV_BLANK;
        return 1;
    }
    bool is_good = !splitter->has_odd_quotes || csv_has_good_quotes(splitter, bytes, start, ends);
    *ret_outcome = is_good ? CSV_GOOD : CSV_BROKEN;
    for (bool is_last = false; !is_last; i++) {
        uint32_t end = ends[i], next = end + 1;
        is_last = bytes[end] == splitter->line_end;
        if (is_last && end > start && bytes[end - 1] == '\r')
            end--;
        if (i < most) {
            lam_csv_field field = {start, (end - start) & INT32_MAX, 0};
            if (is_good && end > start && bytes[start] == splitter->quote &&
                !csv_unquote(splitter, bytes, &field))
                *ret_outcome = CSV_BROKEN;
            fields[i] = field;
        }
        start = next;
    }
    if (*ret_outcome == CSV_GOOD && i != most)
        *ret_outcome = i > most                                                ? CSV_MANY
                       : i == 1 && fields[0].size == 0 && !fields[0].is_quoted ? CSV_BLANK
                                                                               : CSV_FEW;
    return i;
}

/* --- Records that are refused -------------------------------------------------------------- */

/* Makes the text of a field as it was read: quotes around it, and those within it doubled. */
static void csv_requote(uint8_t quote, uint8_t *bytes, lam_csv_field *field) {
    uint8_t *content = bytes + field->start, *out = content + field->size + 1;
    for (size_t i = 0; i < field->size; i++)
        out += content[i] == quote;
    field->start--;
    size_t size = (size_t)(out - (bytes + field->start));
    *--out = quote;
    for (size_t i = field->size; i > 0; i--) {
        *--out = content[i - 1];
        if (content[i - 1] == quote)
            *--out = quote;
    }
    field->size = size & INT32_MAX;
    field->is_quoted = 0;
}

static void csv_requote_all(const lam_csv_splitter *splitter, uint8_t *bytes, lam_csv_field *fields,
                            size_t count) {
    for (size_t i = 0; i < count; i++)
        if (fields[i].is_quoted)
            csv_requote(splitter->quote, bytes, &fields[i]);
}

lam_bytes lam_csv_restore_record(lam_csv_splitter *splitter, size_t record) {
    const size_t count = splitter->field_count, start = splitter->starts[record];
    lam_csv_field *fields = splitter->fields.items + record * count;
    csv_requote_all(splitter, splitter->text.bytes.data, fields, count);
    const lam_csv_field *last = &fields[count - 1];
    return (lam_bytes){splitter->text.bytes.data + start, last->start + last->size - start};
}

void lam_csv_take_again(lam_csv_splitter *splitter, size_t record) {
    const size_t count = splitter->field_count;
    lam_csv_field *fields = splitter->fields.items + record * count;
    uint8_t *bytes = splitter->text.bytes.data;
    for (size_t i = 0; i < count; i++)
        if (fields[i].size > 0 && bytes[fields[i].start] == splitter->quote)
            (void)csv_unquote(splitter, bytes, &fields[i]);
}

/* The failure is the first line from there on, as far as it is in the window. */
static void csv_fail_line(lam_csv_splitter *splitter, size_t start) {
    const lam_csv_text *text = &splitter->text;
    const uint8_t *bytes = text->bytes.data + start;
    const uint8_t *end = memchr(bytes, splitter->line_end, text->bytes.size - start);
    size_t size = end != NULL ? (size_t)(end - bytes) : text->bytes.size - start;
    splitter->failed_start = start;
    splitter->failed_size = size - (size > 0 && bytes[size - 1] == '\r');
    splitter->skips_line = true;
}

/* Reports the bad record that ended the batch before. */
static lam_status csv_fail_record(lam_csv_splitter *splitter, lam_error *error) {
    size_t found = splitter->failed_fields;
    unsigned long long line = splitter->failed_line;
    splitter->failed_fields = 0;
    splitter->ahead = CSV_AHEAD_LEAST;
    if (found == SIZE_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu: text follows the quote that closes a field",
                 line);
    LAM_FAIL(error, LAM_STATUS_INVALID, "line %llu: %zu field%s, but the first record has %zu",
             line, found, found == 1 ? "" : "s", splitter->field_count);
}

static uint64_t csv_count_lines(const lam_csv_splitter *splitter, size_t from, size_t to) {
    return splitter->kernels->count_u8(splitter->text.bytes.data + from, to - from,
                                       splitter->line_end);
}

/* The fields of the first record say how many all others must have. */
static size_t csv_count_fields(const lam_csv_splitter *splitter, const uint8_t *bytes) {
    const uint32_t *ends = splitter->ends.items;
    for (size_t i = 0; i < splitter->end_count; i++)
        if (bytes[ends[i]] == splitter->line_end)
            return i + 1;
    return 0;
}

/*
 * Keeps a bad record for a message, after the batch; gives the number of its ends that are not
 * taken: all of them if quotes are broken.
 */
static size_t csv_note_failure(lam_csv_splitter *splitter, uint32_t start, const uint32_t *ends,
                               size_t count, lam_csv_field *fields, csv_outcome outcome) {
    const size_t offset = splitter->text.next;
    splitter->failed_line = splitter->line + csv_count_lines(splitter, offset, offset + start);
    if (outcome == CSV_BROKEN) {
        splitter->failed_fields = SIZE_MAX;
        csv_fail_line(splitter, offset + start);
        return count;
    }
    uint8_t *bytes = splitter->text.bytes.data + offset;
    size_t known = count < splitter->field_count ? count : splitter->field_count;
    splitter->failed_fields = count;
    csv_requote_all(splitter, bytes, fields, known);
    splitter->failed_start = offset + start;
    splitter->failed_size = ends[count - 1] - start;
    if (splitter->failed_size > 0 && bytes[ends[count - 1] - 1] == '\r')
        splitter->failed_size--;
    return 0;
}

/* Takes records from the ends, and moves the text's `next` past them. */
static lam_status csv_take_records(lam_csv_splitter *splitter, size_t most, lam_error *error) {
    lam_csv_text *text = &splitter->text;
    uint8_t *bytes = text->bytes.data + text->next;
    const size_t offset = text->next;
    const uint32_t *ends = splitter->ends.items;
    size_t used = 0, count = splitter->end_count;
    /* An incomplete record must not be touched: it is split again. */
    while (count > 0 && bytes[ends[count - 1]] != splitter->line_end)
        count--;
    if (splitter->field_count == 0)
        splitter->field_count = csv_count_fields(splitter, bytes);
    LAM_TRY(LAM_LIST_RESERVE(&splitter->fields, most * splitter->field_count, error));
    lam_csv_field *fields = splitter->fields.items;
    while (splitter->record_count < most && used < count) {
        csv_outcome outcome;
        uint32_t start = used == 0 ? 0 : ends[used - 1] + 1;
        size_t taken = csv_take_record(splitter, bytes, start, ends + used, fields, &outcome);
        used += taken;
        if (outcome == CSV_GOOD) {
            for (size_t i = 0; i < splitter->field_count; i++)
                fields[i].start += (uint32_t)offset;
            splitter->starts[splitter->record_count++] = start + (uint32_t)offset;
            fields += splitter->field_count;
        } else if (outcome == CSV_BROKEN && splitter->skips_bad) {
            csv_fail_line(splitter, offset + start);
            splitter->skipped++;
            used -= taken;
            break;
        } else if (outcome != CSV_BLANK && !splitter->skips_bad) {
            used -= csv_note_failure(splitter, start, ends + used - taken, taken, fields, outcome);
            break;
        } else {
            splitter->skipped += outcome != CSV_BLANK;
        }
    }
    size_t end = used == 0 ? offset : offset + ends[used - 1] + 1;
    text->next = end > text->bytes.size ? text->bytes.size : end;
    return LAM_STATUS_OK;
}

lam_status lam_csv_skip_line(lam_csv_splitter *splitter, lam_error *error) {
    lam_csv_text *text = &splitter->text;
    for (;;) {
        const uint8_t *next = text->bytes.data + text->next;
        const uint8_t *end = memchr(next, splitter->line_end, text->bytes.size - text->next);
        text->next += end != NULL ? (size_t)(end - next) + 1 : text->bytes.size - text->next;
        splitter->line += end != NULL;
        splitter->skips_line = end == NULL && !text->is_at_end;
        if (!splitter->skips_line)
            return LAM_STATUS_OK;
        LAM_TRY(lam_csv_text_fill(text, error));
    }
}

/* Reads more of a record, unless it is too long. */
static lam_status csv_fill(lam_csv_splitter *splitter, lam_error *error) {
    lam_status status = lam_csv_text_fill(&splitter->text, error);
    if (status != LAM_STATUS_LIMIT)
        return status;
    csv_fail_line(splitter, splitter->text.next);
    if (splitter->skips_bad) {
        splitter->skipped++;
        return LAM_STATUS_OK;
    }
    splitter->failed_line = splitter->line;
    splitter->ahead = CSV_AHEAD_LEAST;
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT,
             "line %llu: a record has more than %zu bytes, or its quotes are not closed",
             (unsigned long long)splitter->line, splitter->text.max_bytes);
}

/* No more can be read: what remains is a field whose quotes are never closed, or nothing. */
static lam_status csv_end(lam_csv_splitter *splitter, bool is_sample, bool *ret_done,
                          lam_error *error) {
    lam_csv_text *text = &splitter->text;
    *ret_done = text->next == text->bytes.size || is_sample;
    if (*ret_done)
        return LAM_STATUS_OK;
    csv_fail_line(splitter, text->next);
    if (splitter->skips_bad) {
        splitter->skipped++;
        return LAM_STATUS_OK;
    }
    splitter->failed_line = splitter->line;
    LAM_FAIL(error, LAM_STATUS_INVALID,
             "line %llu: a quote is not closed until the end of the text",
             (unsigned long long)splitter->line);
}

lam_status lam_csv_split(lam_csv_splitter *splitter, size_t most, bool is_sample,
                         lam_error *error) {
    lam_csv_text *text = &splitter->text;
    most = most > splitter->ahead ? splitter->ahead : most;
    LAM_TRY(lam_stop_check(splitter->stop, error));
    splitter->line += splitter->batch_lines;
    splitter->record_count = 0;
    splitter->batch_lines = 0;
    if (splitter->failed_fields != 0)
        return csv_fail_record(splitter, error);
    if (splitter->ahead < LAM_CSV_BATCH_RECORDS)
        splitter->ahead *= 2;
    for (bool is_done = false; splitter->record_count == 0 && !is_done;) {
        if (splitter->skips_line)
            LAM_TRY(lam_csv_skip_line(splitter, error));
        size_t before = text->next;
        LAM_TRY(lam_csv_find_ends(splitter, most * splitter->field_count, is_sample, error));
        LAM_TRY(csv_take_records(splitter, most, error));
        splitter->batch_start = before;
        uint64_t lines = csv_count_lines(splitter, before, text->next);
        if (splitter->record_count > 0)
            splitter->batch_lines = lines;
        else
            splitter->line += lines;
        if (splitter->record_count == 0 && splitter->failed_fields != 0)
            return csv_fail_record(splitter, error);
        if (text->next > before || splitter->skips_line)
            continue;
        LAM_TRY(text->is_at_end ? csv_end(splitter, is_sample, &is_done, error)
                                : csv_fill(splitter, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_csv_count_first(lam_csv_splitter *splitter, lam_error *error) {
    lam_csv_text *text = &splitter->text;
    for (;;) {
        LAM_TRY(lam_csv_find_ends(splitter, 0, false, error));
        splitter->field_count = csv_count_fields(splitter, text->bytes.data + text->next);
        if (splitter->field_count > 0 || text->is_at_end)
            return LAM_STATUS_OK;
        LAM_TRY(lam_csv_text_fill(text, error));
    }
}

uint64_t lam_csv_line(const lam_csv_splitter *splitter, size_t record) {
    return splitter->line +
           csv_count_lines(splitter, splitter->batch_start, splitter->starts[record]);
}

void lam_csv_lines(const lam_csv_splitter *splitter, size_t first, size_t count,
                   uint64_t *ret_lines) {
    uint64_t line = splitter->line;
    size_t at = splitter->batch_start;
    for (size_t i = 0; i < count; i++) {
        line += csv_count_lines(splitter, at, splitter->starts[first + i]);
        at = splitter->starts[first + i];
        ret_lines[i] = line;
    }
}
