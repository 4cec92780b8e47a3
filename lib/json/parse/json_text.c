/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a window over JSON text and finds where each record ends, without parsing it: a line ends
 * at a newline, a document at the bracket that closes it. Whether the text of a piece is JSON is
 * checked by the tokens.
 *
 * The window holds [begin, end) of the text, and LAM_STRUCTURAL_PADDING zero bytes after that, so
 * that a piece can be indexed in place. It grows only while one record does not fit, up to
 * longest_window, and shrinks again after a number of short ones.
 *
 *     data  | handed out | left: read, not yet handed out | padding |   room   |
 *           0          begin                             end                 capacity
 *
 * `line` counts newlines as `begin` passes them.
 */
#include "json/parse/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/error.h"
#include "json/parse/structural.h"

/* Bytes of the first window, and the most that one read asks for in a large window. */
enum {
    CHUNK = 256 * 1024,
    JSON_LARGE = 1 << 20 /* a longer window is given back when short records follow */
};

void lam_json_text_init(lam_json_text *text, const lam_json_source *source, size_t max_record,
                        const lam_allocator *allocator) {
    memset(text, 0, sizeof *text);
    text->allocator = *allocator;
    text->source = *source;
    text->max_record = max_record;
    text->line = 1;
}

void lam_json_text_finish(lam_json_text *text) {
    lam_free(&text->allocator, text->data, text->capacity);
    text->data = NULL;
    text->capacity = 0;
}

/* Bytes that are read and not yet handed out. */
static size_t left(const lam_json_text *text) {
    return text->end - text->begin;
}

static lam_status json_too_long(const lam_json_text *text, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT, "the record is longer than the limit of %zu bytes",
             text->max_record);
}

/* The longest window: a record of the greatest length, and a chunk after it. */
static size_t longest_window(const lam_json_text *text) {
    return text->max_record + CHUNK + 2 * LAM_STRUCTURAL_PADDING;
}

/* Copies the bytes that are left into a new window of another size. */
static lam_status change_window(lam_json_text *text, size_t capacity, lam_error *error) {
    void *data;
    LAM_TRY(lam_alloc(&text->allocator, capacity, &data, error));
    if (left(text) > 0)
        memcpy(data, text->data + text->begin, left(text));
    lam_free(&text->allocator, text->data, text->capacity);
    text->data = data;
    text->capacity = capacity;
    text->end = left(text);
    text->begin = 0;
    return LAM_STATUS_OK;
}

/*
 * Doubles small windows; grows large ones by half, so that a long record needs less memory while
 * both windows exist. Never beyond longest_window, where json_make_room fails before it gets here.
 */
static lam_status grow_window(lam_json_text *text, lam_error *error) {
    size_t most = longest_window(text);
    size_t capacity = text->capacity > JSON_LARGE ? text->capacity + text->capacity / 2
                                                  : text->capacity * 2 - LAM_STRUCTURAL_PADDING;
    void *data = text->data;
    capacity = capacity < most ? capacity : most;
    LAM_TRY(lam_realloc(&text->allocator, &data, text->capacity, capacity, error));
    text->data = data;
    text->capacity = capacity;
    return LAM_STATUS_OK;
}

/*
 * Makes room to read more: moves the remaining bytes to the beginning if that is cheap, and grows
 * otherwise. Cheap means that no more bytes move than were handed out since the last move, so that
 * moves cost a constant per byte of text. A window that grew for a long record is given back after
 * a number of refills that left little in it.
 */
static lam_status json_make_room(lam_json_text *text, lam_error *error) {
    enum { JSON_PATIENCE = 16 };
    const size_t first = CHUNK + LAM_STRUCTURAL_PADDING;
    if (text->capacity == 0)
        return change_window(text, first, error);
    bool is_short = text->capacity > JSON_LARGE && left(text) < CHUNK / 2;
    text->short_ones = is_short ? text->short_ones + 1 : 0;
    if (text->short_ones == JSON_PATIENCE)
        return change_window(text, first, error);
    size_t room = text->capacity - LAM_STRUCTURAL_PADDING - text->end;
    if (room >= CHUNK / 2)
        return LAM_STATUS_OK;
    if (left(text) > text->max_record)
        return json_too_long(text, error);
    /* At the longest window moving is the only way left, however much it costs. */
    if (text->begin > 0 && (text->begin >= left(text) || text->capacity >= longest_window(text))) {
        memmove(text->data, text->data + text->begin, left(text));
        text->end -= text->begin;
        text->begin = 0;
        return LAM_STATUS_OK;
    }
    return grow_window(text, error);
}

/* Puts the line before the message of a LIMIT, which the allocator's budget may have raised. */
static lam_status locate_limit(const lam_json_text *text, lam_status status, lam_error *error) {
    if (status != LAM_STATUS_LIMIT || error == NULL)
        return status;
    lam_error inner = *error;
    return lam_error_set(error, lam_error_kind(&inner), "line %" PRIu64 ": %s", text->line,
                         inner.message);
}

/* --- Encodings ----------------------------------------------------------------------------- */

/* What a source claims to have read is checked, as it is the caller's code. */
static lam_status json_read_bytes(lam_json_text *text, void *bytes, size_t room, size_t *ret_size,
                                  lam_error *error) {
    LAM_TRY(text->source.read(text->source.state, bytes, room, ret_size, error));
    if (*ret_size > room)
        LAM_FAIL(error, LAM_ERROR_CODE_CALLBACK, "the source returned more bytes than requested");
    return LAM_STATUS_OK;
}

/*
 * Names the place after the bytes that were read, by lines of the text and characters of the line.
 */
static lam_status json_fail_behind(const lam_json_text *text, const char *message,
                                   lam_error *error) {
    uint64_t line = text->line, column = 1;
    for (size_t i = text->begin; i < text->end; i++)
        line += text->data[i] == '\n';
    for (size_t i = text->end; i > 0 && text->data[i - 1] != '\n'; i--)
        column += ((unsigned char)text->data[i - 1] & 0xC0) != 0x80;
    LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "line %" PRIu64 ", column %" PRIu64 ": %s", line,
             column, message);
}

/*
 * Reads UTF-16 as UTF-8. A text that is broken is read up to there first, so that the records
 * before it are read, and the place is known.
 */
static lam_status json_read_utf16(lam_json_text *text, uint8_t *out, size_t *ret_size,
                                  lam_error *error) {
    uint8_t block[8192]; /* its UTF-8 is smaller than the room of any window (json_make_room) */
    size_t size = 0, used;
    lam_utf16_end end = LAM_UTF16_CUT;
    *ret_size = 0;
    while (*ret_size == 0 && !text->is_broken) {
        memcpy(block, text->rest, text->rest_size);
        LAM_TRY(json_read_bytes(text, block + text->rest_size, sizeof block - text->rest_size,
                                &size, error));
        if (size == 0 && text->rest_size == 0)
            return LAM_STATUS_OK;
        if (size == 0)
            return json_fail_behind(text, "the text ends inside a character of UTF-16", error);
        size += text->rest_size;
        *ret_size = lam_utf16_to_utf8(text->encoding, block, size, out, &used, &end);
        text->is_broken = end == LAM_UTF16_LONE;
        text->rest_size = size - used < sizeof text->rest ? size - used : sizeof text->rest;
        memcpy(text->rest, block + used, text->rest_size);
    }
    if (*ret_size > 0)
        return LAM_STATUS_OK;
    char message[80];
    snprintf(message, sizeof message, "the surrogate U+%04X has no other half in UTF-16",
             (unsigned)lam_utf16_unit(text->encoding, text->rest));
    return json_fail_behind(text, message, error);
}

/* The first bytes show the encoding; the mark of UTF-8 stays. */
static lam_status json_read_first(lam_json_text *text, uint8_t *out, size_t *ret_size,
                                  lam_error *error) {
    uint8_t first[3];
    size_t size = 0, got = 1, mark;
    while (size < sizeof first && got > 0) {
        LAM_TRY(json_read_bytes(text, first + size, sizeof first - size, &got, error));
        size += got;
    }
    text->encoding = lam_text_encoding_of(first, size, &mark);
    bool is_utf8 = text->encoding == LAM_TEXT_UTF8;
    *ret_size = is_utf8 ? size : 0;
    if (is_utf8) {
        memcpy(out, first, size);
    } else {
        text->rest_size = size - mark;
        memcpy(text->rest, first + mark, text->rest_size);
    }
    return LAM_STATUS_OK;
}

/* Reads more text after `end`, or sets `ended`, which must not be set yet. */
static lam_status json_refill(lam_json_text *text, lam_error *error) {
    LAM_TRY(json_make_room(text, error));
    size_t room = text->capacity - LAM_STRUCTURAL_PADDING - text->end;
    size_t size = 0;
    if (text->capacity > JSON_LARGE && room > CHUNK) /* touches no more memory than needed */
        room = CHUNK;
    uint8_t *out = (uint8_t *)text->data + text->end;
    if (text->encoding == LAM_TEXT_UNKNOWN)
        LAM_TRY(json_read_first(text, out, &size, error));
    if (size == 0 && text->encoding == LAM_TEXT_UTF8)
        LAM_TRY(json_read_bytes(text, out, room, &size, error));
    else if (size == 0)
        LAM_TRY(json_read_utf16(text, out, &size, error));
    text->end += size;
    memset(text->data + text->end, 0, LAM_STRUCTURAL_PADDING);
    text->ended = size == 0;
    return LAM_STATUS_OK;
}

/*
 * Moves `begin` to the next byte that is not white space, and gives that byte; NUL at the end. A
 * NUL in the text gives NUL too: callers that care check whether anything is left.
 */
static lam_status json_skip_space(lam_json_text *text, char *ret_byte, lam_error *error) {
    for (;;) {
        while (text->begin < text->end && lam_ascii_is_space(text->data[text->begin]))
            text->line += text->data[text->begin++] == '\n';
        if (text->begin < text->end) {
            *ret_byte = text->data[text->begin];
            return LAM_STATUS_OK;
        }
        if (text->ended) {
            *ret_byte = '\0';
            return LAM_STATUS_OK;
        }
        LAM_TRY(json_refill(text, error));
    }
}

/* Hands out the next `size` bytes, which have `lines` newlines. */
static lam_status json_take(lam_json_text *text, size_t size, uint64_t lines,
                            lam_json_piece *ret_piece, lam_error *error) {
    if (size > text->max_record)
        return json_too_long(text, error);
    ret_piece->text = text->data + text->begin;
    ret_piece->size = size;
    ret_piece->line = text->line;
    text->begin += size;
    text->line += lines;
    return LAM_STATUS_OK;
}

/*
 * Gives how many bytes are left before the next newline, or before the end of the text. Bytes that
 * were scanned are not scanned again after a refill, which may move the window.
 */
static lam_status find_newline(lam_json_text *text, size_t *ret_size, lam_error *error) {
    size_t scanned = 0;
    for (;;) {
        const char *from = text->data + text->begin;
        const char *newline = memchr(from + scanned, '\n', left(text) - scanned);
        scanned = newline != NULL ? (size_t)(newline - from) : left(text);
        if (newline != NULL || text->ended)
            break;
        LAM_TRY(json_refill(text, error));
    }
    *ret_size = scanned;
    return LAM_STATUS_OK;
}

/*
 * True for a line that holds an opening bracket alone, as the first line of a document often does.
 */
static bool opens_document(const char *line, size_t size) {
    while (size > 1 && lam_ascii_is_space(line[size - 1]))
        size--;
    return size == 1 && (*line == '{' || *line == '[');
}

/* Gives the next line; none if a document begins there, which sets the mode. */
static lam_status next_line(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error) {
    char first;
    size_t size;
    LAM_TRY(json_skip_space(text, &first, error));
    ret_piece->text = NULL;
    if (left(text) == 0)
        return LAM_STATUS_OK;
    LAM_TRY(find_newline(text, &size, error));
    if (!text->only_lines && text->begin + size < text->end &&
        opens_document(text->data + text->begin, size)) {
        text->mode = LAM_JSON_TEXT_DOCUMENTS;
        return LAM_STATUS_OK;
    }
    return json_take(text, size, 0, ret_piece, error);
}

/*
 * Scans one value byte by byte, across refills: its state is all that is known about the bytes
 * before `at`. It counts brackets without distinguishing [ from {, as the tokens check later that
 * they match.
 */
typedef struct line_scanner {
    size_t at;      /* bytes after `begin` that are scanned */
    uint64_t lines; /* newlines among them */
    size_t depth;   /* brackets that are open */
    bool in_string;
    bool escaped; /* the byte before was a backslash inside a string */
    bool whole;   /* `at` is at the end of the value */
} line_scanner;

/*
 * Scans inside a string to the byte after its closing quote; false at the end of the window. A
 * window may end after a backslash, hence `escaped`.
 */
static bool scan_string(line_scanner *scanner, const char *text, size_t size) {
    for (; scanner->at < size; scanner->at++) {
        char c = text[scanner->at];
        if (scanner->escaped) {
            scanner->escaped = false;
        } else if (c == '\\') {
            scanner->escaped = true;
        } else if (c == '"') {
            scanner->in_string = false;
            scanner->at++;
            return true;
        } else if (c == '\n') {
            scanner->lines++;
        }
    }
    return false;
}

/*
 * Scans to the end of the value, which sets `whole`, or to the end of the window. A number or word
 * has no end mark, and ends before white space, a comma or a closing bracket.
 */
static void scan_value(line_scanner *scanner, const char *text, size_t size) {
    while (scanner->at < size && !scanner->whole) {
        if (scanner->in_string) {
            scanner->whole = scan_string(scanner, text, size) && scanner->depth == 0;
            continue;
        }
        char c = text[scanner->at];
        if (scanner->depth == 0 && scanner->at > 0 &&
            (lam_ascii_is_space(c) || c == ',' || c == ']' || c == '}')) {
            scanner->whole = true; /* a number or a word ends */
            return;
        }
        scanner->at++;
        scanner->lines += c == '\n';
        scanner->in_string = c == '"';
        scanner->depth += c == '{' || c == '[';
        if (c == '}' || c == ']')
            scanner->whole = --scanner->depth == 0;
    }
}

/*
 * Gives the value that begins at `begin`. At the end of the text it may be incomplete; the tokens
 * then refuse it with the position.
 */
static lam_status next_value(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error) {
    line_scanner scanner = {0};
    for (;;) {
        scan_value(&scanner, text->data + text->begin, left(text));
        if (scanner.whole || text->ended)
            return json_take(text, scanner.at, scanner.lines, ret_piece, error);
        LAM_TRY(json_refill(text, error));
    }
}

static lam_status wrong_byte(const lam_json_text *text, char c, const char *expected,
                             lam_error *error) {
    if (c == '\0' && text->begin == text->end)
        LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "line %" PRIu64 ": expected %s, found the end",
                 text->line, expected);
    if (c > 0x20 && c < 0x7F)
        LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "line %" PRIu64 ": expected %s, found '%c'",
                 text->line, expected, c);
    LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "line %" PRIu64 ": expected %s, found byte 0x%02x",
             text->line, expected, (unsigned char)c);
}

/* False for bytes that cannot begin a value at all; for all others the tokens decide. */
static bool begins_value(char c) {
    return c != '\0' && c != ',' && c != ':' && c != ']' && c != '}';
}

/*
 * Gives the next document, or the next element of the open array. Only arrays on the outermost
 * level hold records: an array inside one is a record itself, for the caller to accept or refuse.
 * Empty arrays, and several arrays one after the other, are passed in the loop.
 */
static lam_status next_document(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error) {
    char c;
    LAM_TRY(json_skip_space(text, &c, error));
    if (text->mode == LAM_JSON_TEXT_ARRAY_NEXT && c == ',') {
        text->begin++;
        LAM_TRY(json_skip_space(text, &c, error));
        if (!begins_value(c))
            return wrong_byte(text, c, "a record after the comma", error);
        return next_value(text, ret_piece, error);
    }
    if (text->mode == LAM_JSON_TEXT_ARRAY_NEXT && c != ']')
        return wrong_byte(text, c, "a comma or ] after a record", error);
    while (text->mode == LAM_JSON_TEXT_DOCUMENTS ? c == '[' : c == ']') {
        text->mode = c == '[' ? LAM_JSON_TEXT_ARRAY_FIRST : LAM_JSON_TEXT_DOCUMENTS;
        text->begin++;
        LAM_TRY(json_skip_space(text, &c, error));
    }
    if (text->mode == LAM_JSON_TEXT_DOCUMENTS && c == '\0' && left(text) == 0) {
        ret_piece->text = NULL;
        return LAM_STATUS_OK;
    }
    if (!begins_value(c))
        return wrong_byte(text, c, "a record", error);
    if (text->mode == LAM_JSON_TEXT_ARRAY_FIRST)
        text->mode = LAM_JSON_TEXT_ARRAY_NEXT;
    return next_value(text, ret_piece, error);
}

/*
 * Skips a byte order mark, and decides by the first line whether lines or documents follow:
 *
 *     {"a":1}          lines             {"a":1} {"a":2}    documents
 *     {"a":1}x         lines, and the first is INVALID
 *     {"a":            documents         [                  documents
 *
 * The window must hold all of the first line for that. A line that ends inside a string is INVALID
 * in either mode, and stays a line, so that reading may go on after it.
 */
static lam_status detect_mode(lam_json_text *text, lam_error *error) {
    while (left(text) < 3 && !text->ended)
        LAM_TRY(json_refill(text, error));
    if (left(text) >= 3 && memcmp(text->data + text->begin, "\xEF\xBB\xBF", 3) == 0)
        text->begin += 3;
    char c;
    LAM_TRY(json_skip_space(text, &c, error));
    text->mode = c == '[' && !text->only_lines ? LAM_JSON_TEXT_DOCUMENTS : LAM_JSON_TEXT_LINES;
    if (c != '{' || text->only_lines)
        return LAM_STATUS_OK;
    size_t size;
    LAM_TRY(find_newline(text, &size, error));
    const char *line = text->data + text->begin;
    line_scanner scanner = {0};
    scan_value(&scanner, line, size);
    while (scanner.at < size && (line[scanner.at] == ' ' || line[scanner.at] == '\t'))
        scanner.at++;
    bool more_lines = text->begin + size < text->end;
    if (scanner.whole ? scanner.at < size && (line[scanner.at] == '{' || line[scanner.at] == '[')
                      : more_lines && !scanner.in_string)
        text->mode = LAM_JSON_TEXT_DOCUMENTS;
    return LAM_STATUS_OK;
}

/* Leaves out the remainder of a line, without keeping any of it. */
static lam_status json_skip_line(lam_json_text *text, lam_error *error) {
    for (;;) {
        const char *from = text->data + text->begin;
        const char *newline = memchr(from, '\n', left(text));
        text->begin += newline != NULL ? (size_t)(newline - from) : left(text);
        text->skips_line = newline == NULL && !text->ended;
        if (!text->skips_line)
            return LAM_STATUS_OK;
        LAM_TRY(json_refill(text, error));
    }
}

/* A line that is too long is passed over by the next call. */
static void pass_line(lam_json_text *text, lam_json_piece *ret_piece) {
    const char *newline = memchr(text->data + text->begin, '\n', left(text));
    ret_piece->text = text->data + text->begin;
    ret_piece->size = newline != NULL ? (size_t)(newline - ret_piece->text) : left(text);
    ret_piece->line = text->line;
    text->skips_line = true;
}

/* Lines may turn into documents within one call, hence the order of the steps. */
lam_status lam_json_text_next(lam_json_text *text, lam_json_piece *ret_piece, lam_error *error) {
    lam_status status = text->skips_line ? json_skip_line(text, error) : LAM_STATUS_OK;
    if (status == LAM_STATUS_OK && text->mode == LAM_JSON_TEXT_START)
        status = detect_mode(text, error);
    if (status == LAM_STATUS_OK && text->mode == LAM_JSON_TEXT_LINES)
        status = next_line(text, ret_piece, error);
    if (status == LAM_STATUS_OK && text->mode != LAM_JSON_TEXT_LINES)
        status = next_document(text, ret_piece, error);
    bool passes = status == LAM_STATUS_LIMIT && text->only_lines && text->data != NULL;
    if (passes)
        pass_line(text, ret_piece);
    text->failed = status != LAM_STATUS_OK && !passes;
    return locate_limit(text, status, error);
}
