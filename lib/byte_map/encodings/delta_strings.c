/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports byte arrays whose lengths are streams of differences.
 *
 *     DELTA_LENGTH_BYTE_ARRAY   lengths | bytes of each value
 *     DELTA_BYTE_ARRAY          prefix lengths | suffix lengths | bytes of each suffix
 *
 * The decoders are in encoding/. The bytes may be damaged. Adjacent values without bytes of their
 * own are always one range, and a page of many of them ends after a number of values that its size
 * bounds, so that few bytes never become many ranges. (Encodings.md, "Delta-length byte array" and
 * "Delta Strings")
 */
#include "byte_map/encodings/delta_strings.h"

#include <inttypes.h>
#include <string.h>

#include "byte_map/encodings/delta_ranges.h"
#include "byte_map/encodings/variant_ranges.h"
#include "byte_map/walk/byte_text.h"

enum {
    DELTA_BATCH = 256,                          /* lengths that are decoded together */
    DELTA_VALUES = 1 << 20,                     /* values of a page that are reported at least */
    DELTA_PREFIX_MOST = 4 + LAM_BYTE_TEXT_BYTES /* bytes of the last value that texts need */
};

/* Lengths of values, read in batches. */
typedef struct length_reader {
    lam_delta_decoder decoder;
    int32_t lengths[DELTA_BATCH];
    size_t at;
    size_t size;
    bool is_broken;
} length_reader;

static void length_reader_init(length_reader *reader, const lam_delta_decoder *decoder) {
    reader->decoder = *decoder;
    reader->at = 0;
    reader->size = 0;
    reader->is_broken = false;
}

/* Gives the next length; false at the end, and for one that is negative or cannot be read. */
static bool next_length(length_reader *reader, size_t *ret_length) {
    if (reader->at == reader->size) {
        size_t count = reader->decoder.left < DELTA_BATCH ? reader->decoder.left : DELTA_BATCH;
        /* unreachable: the end of the lengths was found, so that all of them can be read */
        if (count == 0 ||
            lam_delta_read(&reader->decoder, count, reader->lengths, NULL) != LAM_STATUS_OK)
            return false;
        reader->at = 0;
        reader->size = count;
    }
    int32_t length = reader->lengths[reader->at];
    if (length < 0)
        return false;
    reader->at++;
    *ret_length = (size_t)length;
    return true;
}

/* The bytes of values, one after the other. */
typedef struct string_walk {
    const lam_field *leaf;
    lam_byte_view view;
    size_t at;
    uint64_t first;  /* number of the next value */
    uint64_t empty;  /* equal values without bytes that wait to be reported */
    uint64_t budget; /* values that may still be reported */
    bool has_prefixes;
    lam_byte_variant variant;
    length_reader lengths; /* of what is in `view` */
    length_reader prefixes;
    uint8_t last[DELTA_PREFIX_MOST]; /* the beginning of the last value */
    size_t last_size;                /* all of its bytes */
} string_walk;

/* Puts the value together as far as texts need: its prefix is in `last` already. */
static void join_value(string_walk *strings, size_t prefix, size_t length) {
    if (prefix < sizeof strings->last) {
        size_t room = sizeof strings->last - prefix;
        if (length > 0)
            memcpy(strings->last + prefix, strings->view.data + strings->at,
                   length < room ? length : room);
    }
    strings->last_size = prefix + length;
}

/*
 * The text of a value: only the beginning of a long one is in memory, and the size in its text says
 * so.
 */
static void text_of_string(const string_walk *strings, size_t length, lam_byte_text *text) {
    if (!strings->has_prefixes) {
        lam_byte_text_of_value(strings->leaf, (lam_bytes){strings->view.data + strings->at, length},
                               text);
    } else if (strings->last_size <= sizeof strings->last) {
        lam_byte_text_of_value(strings->leaf, (lam_bytes){strings->last, strings->last_size}, text);
    } else {
        lam_byte_text_of_cut((lam_bytes){strings->last, sizeof strings->last}, strings->last_size,
                             text);
    }
}

/* Reports values without bytes of their own that are all equal: "", or the value before them. */
static lam_status report_empty(lam_byte_walk *walk, string_walk *strings, lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUE, strings->view, strings->at, 0);
    if (strings->empty == 0)
        return LAM_STATUS_OK;
    text_of_string(strings, 0, &text);
    range.first = (int64_t)(strings->first - strings->empty);
    range.count = (int64_t)strings->empty;
    range.label = strings->has_prefixes ? "suffix" : NULL;
    range.value = text.text;
    strings->empty = 0;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status inside_of_variant(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                    lam_error *error) {
    return lam_byte_variant_inside(walk, view, *(const lam_byte_variant *)what, error);
}

/* The inside of a VARIANT is reported if all of its bytes are here. */
static lam_status report_string(lam_byte_walk *walk, string_walk *strings, size_t prefix,
                                size_t length, lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUE, strings->view, strings->at, length);
    LAM_TRY(report_empty(walk, strings, error));
    join_value(strings, prefix, length);
    text_of_string(strings, length, &text);
    range.first = (int64_t)strings->first;
    range.count = 1;
    range.label = strings->has_prefixes ? "suffix" : NULL;
    range.value = text.text;
    range.is_expandable = strings->variant != LAM_BYTE_VARIANT_NONE && prefix == 0;
    lam_byte_view bytes = lam_byte_view_cut(strings->view, strings->at, length);
    strings->first++;
    strings->at += length;
    return lam_byte_enter_view(walk, &range, bytes, inside_of_variant, &strings->variant, error);
}

/* Reports values until the lengths or the bytes end. */
static lam_status report_strings(lam_byte_walk *walk, string_walk *strings, lam_error *error) {
    size_t length, prefix = 0;
    const char *fault = "bytes behind the last value";
    while (next_length(&strings->lengths, &length)) {
        if (strings->has_prefixes &&
            (!next_length(&strings->prefixes, &prefix) || prefix > strings->last_size)) {
            fault = "a prefix is longer than the value before";
            break;
        }
        if (length > strings->view.size - strings->at) {
            fault = "the bytes end inside a value";
            break;
        }
        if (strings->budget == 0) {
            fault = "more values than bytes explain";
            break;
        }
        strings->budget--;
        if (length > 0) {
            LAM_TRY(report_string(walk, strings, prefix, length, error));
            continue;
        }
        if (strings->empty > 0 && prefix != strings->last_size)
            LAM_TRY(report_empty(walk, strings, error));
        join_value(strings, prefix, 0);
        strings->empty++;
        strings->first++;
    }
    LAM_TRY(report_empty(walk, strings, error));
    return lam_byte_unknown(walk, strings->view, strings->at, strings->view.size - strings->at,
                            error, "%s", fault);
}

static string_walk strings_behind(lam_byte_view view, size_t at, const lam_field *leaf,
                                  const lam_delta_decoder *lengths) {
    string_walk strings = {.leaf = leaf, .view = lam_byte_view_cut(view, at, view.size - at)};
    strings.variant = lam_byte_variant_of_leaf(leaf);
    strings.budget = DELTA_VALUES + 8 * (uint64_t)view.size;
    length_reader_init(&strings.lengths, lengths);
    return strings;
}

lam_status lam_byte_delta_length(lam_byte_walk *walk, lam_byte_view view, const lam_field *leaf,
                                 lam_error *error) {
    lam_delta_decoder lengths;
    size_t size;
    LAM_TRY(lam_byte_deltas(walk, view, 32, "lengths", &size, &lengths, error));
    string_walk strings = strings_behind(view, size, leaf, &lengths);
    return report_strings(walk, &strings, error);
}

lam_status lam_byte_delta_byte_array(lam_byte_walk *walk, lam_byte_view view, const lam_field *leaf,
                                     lam_error *error) {
    lam_delta_decoder prefixes, suffixes;
    size_t prefix_size, suffix_size;
    LAM_TRY(lam_byte_deltas(walk, view, 32, "prefix lengths", &prefix_size, &prefixes, error));
    lam_byte_view rest = lam_byte_view_cut(view, prefix_size, view.size - prefix_size);
    LAM_TRY(lam_byte_deltas(walk, rest, 32, "suffix lengths", &suffix_size, &suffixes, error));
    string_walk strings = strings_behind(rest, suffix_size, leaf, &suffixes);
    length_reader_init(&strings.prefixes, &prefixes);
    strings.has_prefixes = true;
    return report_strings(walk, &strings, error);
}
