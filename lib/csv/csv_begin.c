/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins a text: finds which byte ends its lines, what precedes its first record, and which byte
 * divides its fields. Takes a splitter that has read nothing, and leaves it before the first
 * record. Records are never taken.
 */
#include "base/error.h"
#include "csv/csv_split.h"

enum { CSV_PROBED_RECORDS = 20 /* that show the delimiter */ };

/* The fields of up to CSV_PROBED_RECORDS records; 0 if they do not all have as many. */
static lam_status csv_probe(lam_csv_splitter *splitter, uint8_t delimiter, size_t *ret_first,
                            size_t *ret_all, lam_error *error) {
    const uint8_t *bytes = splitter->text.bytes.data + splitter->text.next;
    splitter->delimiter = delimiter;
    LAM_TRY(lam_csv_find_ends(splitter, LAM_CSV_ENDS_AT_ONCE, false, error));
    const uint32_t *ends = splitter->ends.items;
    size_t first = 0, count = 0, records = 0, start = 0;
    bool are_equal = true;
    for (size_t i = 0; i < splitter->end_count && records < CSV_PROBED_RECORDS; i++) {
        count++;
        if (bytes[ends[i]] != splitter->line_end)
            continue;
        bool is_comment = lam_csv_begins_comment(splitter, bytes + start);
        start = ends[i] + 1;
        if (is_comment) {
            count = 0;
            continue;
        }
        first = records++ == 0 ? count : first;
        are_equal = are_equal && count == first;
        count = 0;
    }
    *ret_first = first;
    *ret_all = are_equal ? first : 0;
    return LAM_STATUS_OK;
}

/* The delimiter that gives most fields, preferably the same number in all first records. */
static lam_status csv_find_delimiter(lam_csv_splitter *splitter, lam_error *error) {
    static const uint8_t candidates[] = {',', ';', '\t', '|'};
    uint8_t best = ',';
    size_t best_first = 1, best_all = 1;
    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t first, all;
        LAM_TRY(csv_probe(splitter, candidates[i], &first, &all, error));
        if (all > best_all || (best_all == 1 && first > best_first)) {
            best = candidates[i];
            best_first = first;
            best_all = all > best_all ? all : best_all;
        }
    }
    splitter->delimiter = best;
    return LAM_STATUS_OK;
}

/* Whether the first line end is complete; it may be one byte or two. */
static bool csv_shows_line_end(const lam_csv_text *text) {
    const uint8_t *bytes = text->bytes.data;
    const uint8_t *carriage_return = memchr(bytes, '\r', text->bytes.size);
    return memchr(bytes, '\n', text->bytes.size) != NULL ||
           (carriage_return != NULL && carriage_return + 1 < bytes + text->bytes.size);
}

/* Leaves out blank lines and comments in front of the first record. */
static lam_status csv_skip_blank(lam_csv_splitter *splitter, lam_error *error) {
    lam_csv_text *text = &splitter->text;
    for (;;) {
        if (text->next == text->bytes.size && !text->is_at_end)
            LAM_TRY(lam_csv_text_fill(text, error));
        if (text->next == text->bytes.size)
            return LAM_STATUS_OK;
        uint8_t byte = text->bytes.data[text->next];
        if (lam_csv_begins_comment(splitter, &byte)) {
            LAM_TRY(lam_csv_skip_line(splitter, error));
        } else if (byte == splitter->line_end || byte == '\r') {
            splitter->line += byte == splitter->line_end;
            text->next++;
        } else {
            return LAM_STATUS_OK;
        }
    }
}

lam_status lam_csv_splitter_begin(lam_csv_splitter *splitter, lam_error *error) {
    lam_csv_text *text = &splitter->text;
    do
        LAM_TRY(lam_csv_text_fill(text, error));
    while (text->is_live && !text->is_at_end && !csv_shows_line_end(text));
    const uint8_t *bytes = text->bytes.data;
    const uint8_t *line_feed = memchr(bytes, '\n', text->bytes.size);
    const uint8_t *carriage_return = memchr(bytes, '\r', text->bytes.size);
    if (carriage_return != NULL && line_feed == NULL)
        splitter->line_end = '\r';
    for (; splitter->skip_lines > 0; splitter->skip_lines--)
        LAM_TRY(lam_csv_skip_line(splitter, error));
    LAM_TRY(csv_skip_blank(splitter, error));
    return splitter->delimiter != 0 ? LAM_STATUS_OK : csv_find_delimiter(splitter, error);
}
