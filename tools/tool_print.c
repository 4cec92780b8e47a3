/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints for people and for machines: formats, texts and JSON become bytes of the two standard
 * streams. It is the only source that names these streams, which a style test checks, and its only
 * way for a text into them is put_text.
 *
 *     tool_say("lamella: %s: %s\n", "a\033[2Jb", ...)     lamella: a\u001b[2Jb: ...
 *
 * The invariant: a text that comes by %s, %c or a size is printed without invisible characters,
 * unless the format is a machine's and no terminal reads it. Printing needs no memory, so that a
 * lack of it can be reported.
 */
#define _POSIX_C_SOURCE 200809L
#include "tool_print.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"
#include "tool_progress.h"
#include "tool_screen.h"

/* How a text gets out. */
typedef enum print_manner {
    PRINT_EXACT,
    PRINT_VISIBLE,
    PRINT_ASCII /* all else is escaped */
} print_manner;

/* Bytes on their way into a stream, so that a message is mostly one write. */
typedef struct print_sink {
    FILE *file;
    print_manner manner;
    bool has_failed;
    size_t used;
    char room[1024];
} print_sink;

/* --- Streams ------------------------------------------------------------------------------- */

static int stdout_failure; /* the errno of the first write to standard output that failed */
static FILE *print_file;   /* its target instead; NULL: standard output */
static bool print_failed;
static bool is_for_machines;

static void note_print_failure(void) {
    if (print_file != NULL)
        print_failed = true;
    else if (stdout_failure == 0)
        stdout_failure = errno != 0 ? errno : EIO;
}

bool tool_stdout_failed(void) {
    return stdout_failure != 0;
}

void tool_print_into(FILE *file) {
    print_file = file;
    print_failed = false;
}

bool tool_print_is_whole(void) {
    return !print_failed;
}

void tool_print_exactly(bool is_exact) {
    is_for_machines = is_exact;
}

static print_manner manner_of_output(void) {
    const tool_screen *screen = tool_screen_of_program();
    if (print_file == NULL && screen->is_terminal)
        return screen->is_utf8 ? PRINT_VISIBLE : PRINT_ASCII;
    return is_for_machines ? PRINT_EXACT : PRINT_VISIBLE;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* The room is not cleared: it is larger than most printed texts. */
static void begin_sink(print_sink *sink, FILE *file, print_manner manner) {
    sink->file = file;
    sink->manner = manner;
    sink->has_failed = false;
    sink->used = 0;
}

static void sink_push(print_sink *sink) {
    sink->has_failed |= fwrite(sink->room, 1, sink->used, sink->file) != sink->used;
    sink->used = 0;
}

static void put_bytes(print_sink *sink, const char *bytes, size_t size) {
    if (size > sizeof sink->room - sink->used)
        sink_push(sink);
    if (size > sizeof sink->room) {
        sink->has_failed |= fwrite(bytes, 1, size, sink->file) != size;
        return;
    }
    memcpy(sink->room + sink->used, bytes, size);
    sink->used += size;
}

static void put_blanks(print_sink *sink, size_t count) {
    static const char blanks[] = "                                ";
    for (size_t size; count > 0; count -= size) {
        size = count < sizeof blanks - 1 ? count : sizeof blanks - 1;
        put_bytes(sink, blanks, size);
    }
}

/* Bytes from the start of a text that get out as they are. */
static size_t shown_prefix(print_manner manner, const char *text, size_t size) {
    size_t ascii = 0;
    if (manner == PRINT_EXACT)
        return size;
    if (manner == PRINT_VISIBLE)
        return lam_visible_prefix(text, size);
    while (ascii < size && text[ascii] >= ' ' && text[ascii] < 0x7F)
        ascii++;
    return ascii;
}

/* A text of anyone; with `keeps_lines`, line breaks and tabulators stay. */
static void put_text(print_sink *sink, const char *text, size_t size, bool keeps_lines) {
    for (size_t taken; size > 0; text += taken, size -= taken) {
        char escape[LAM_VISIBLE_ESCAPE_ROOM];
        taken = shown_prefix(sink->manner, text, size);
        if (taken == 0 && keeps_lines && (*text == '\n' || *text == '\t'))
            taken = 1;
        if (taken > 0) {
            put_bytes(sink, text, taken);
        } else {
            taken = lam_visible_escape(text, size, escape);
            put_bytes(sink, escape, strlen(escape));
        }
    }
}

/* --- Formats ------------------------------------------------------------------------------- */

/* Arguments on their way, which a function can take from for its caller. */
typedef struct print_arguments {
    va_list list;
} print_arguments;

/* One conversion of a format, as in "%-*.3s". */
typedef struct print_conversion {
    char flags[8];
    int width;     /* 0: none */
    int precision; /* -1: none */
    char length;   /* of an integer: 0, 'l', 'L' (ll), 'z'; others are not used */
    char letter;
} print_conversion;

/* A number of the format, or of the arguments if it is "*". */
static const char *read_number(const char *at, print_arguments *arguments, int *ret_number) {
    *ret_number = 0;
    if (*at == '*') {
        *ret_number = va_arg(arguments->list, int);
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++)
        *ret_number = 10 * *ret_number + (*at - '0');
    return at;
}

/* Reads the text after a "%"; gives the position after it. */
static const char *read_conversion(const char *at, print_arguments *arguments,
                                   print_conversion *ret_conversion) {
    print_conversion conversion = {.precision = -1};
    for (size_t i = 0; *at != '\0' && strchr("-+ #0", *at) != NULL; at++)
        if (i + 1 < sizeof conversion.flags)
            conversion.flags[i++] = *at;
    at = read_number(at, arguments, &conversion.width);
    if (*at == '.')
        at = read_number(at + 1, arguments, &conversion.precision);
    for (; *at == 'l' || *at == 'z'; at++)
        conversion.length = *at == 'l' && conversion.length == 'l' ? 'L' : *at;
    conversion.letter = *at;
    *ret_conversion = conversion;
    return at + (*at != '\0');
}

/* Fills up to the width, which is that of the text itself, as with printf. */
static void put_padded(print_sink *sink, const print_conversion *conversion, const char *text,
                       size_t size, bool is_strange) {
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t blanks = width > size ? width - size : 0;
    bool is_left = strchr(conversion->flags, '-') != NULL;
    put_blanks(sink, is_left ? 0 : blanks);
    if (is_strange)
        put_text(sink, text, size, false);
    else
        put_bytes(sink, text, size);
    put_blanks(sink, is_left ? blanks : 0);
}

/* The next argument of "%d" or "%u", as its magnitude. */
static uint64_t take_integer(const print_conversion *conversion, print_arguments *arguments,
                             bool *ret_negative) {
    const bool is_signed = conversion->letter == 'd';
    const char length = conversion->length;
    uint64_t bits = length == 'L'   ? va_arg(arguments->list, unsigned long long)
                    : length == 'l' ? va_arg(arguments->list, unsigned long)
                    : length == 'z' ? va_arg(arguments->list, size_t)
                                    : va_arg(arguments->list, unsigned);
    if (is_signed && length == 0)
        bits = (uint64_t)(int64_t)(int32_t)bits;
    *ret_negative = is_signed && bits > INT64_MAX;
    return *ret_negative ? ~bits + 1 : bits;
}

/* Most printed numbers: decimal, with at most a width. */
static void put_integer(print_sink *sink, const print_conversion *conversion,
                        print_arguments *arguments) {
    char digits[24], *at = digits + sizeof digits;
    bool is_negative;
    uint64_t left = take_integer(conversion, arguments, &is_negative);
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (is_negative)
        *--at = '-';
    put_padded(sink, conversion, at, (size_t)(digits + sizeof digits - at), false);
}

static void put_number(print_sink *sink, const print_conversion *conversion,
                       print_arguments *arguments) {
    char format[40], number[400], precision[16] = "";
    const char *length = conversion->length == 'L' ? "ll" : conversion->length == 'l' ? "l" : "z";
    if (conversion->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", conversion->precision);
    snprintf(format, sizeof format, "%%%s*%s%s%c", conversion->flags, precision,
             conversion->length == 0 ? "" : length, conversion->letter);
    int width = conversion->width, size;
    if (strchr("eEfgG", conversion->letter) != NULL)
        size = snprintf(number, sizeof number, format, width, va_arg(arguments->list, double));
    else if (conversion->length == 'L')
        size = snprintf(number, sizeof number, format, width, va_arg(arguments->list, long long));
    else if (conversion->length == 'l')
        size = snprintf(number, sizeof number, format, width, va_arg(arguments->list, long));
    else if (conversion->length == 'z')
        size = snprintf(number, sizeof number, format, width, va_arg(arguments->list, size_t));
    else
        size = snprintf(number, sizeof number, format, width, va_arg(arguments->list, int));
    if (size > 0)
        put_bytes(sink, number, (size_t)size < sizeof number ? (size_t)size : sizeof number - 1);
}

static void put_conversion(print_sink *sink, const print_conversion *conversion,
                           print_arguments *arguments) {
    if (conversion->letter == 's') {
        const char *text = va_arg(arguments->list, const char *);
        size_t most = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
        size_t size = most == SIZE_MAX ? strlen(text) : strnlen(text, most);
        put_padded(sink, conversion, text, size, true);
    } else if (conversion->letter == 'c') {
        char letter = (char)va_arg(arguments->list, int);
        put_padded(sink, conversion, &letter, 1, true);
    } else if (conversion->letter == '%') {
        put_bytes(sink, "%", 1);
    } else if ((conversion->letter == 'd' || conversion->letter == 'u') &&
               conversion->precision < 0 &&
               (conversion->flags[0] == '\0' || strcmp(conversion->flags, "-") == 0)) {
        put_integer(sink, conversion, arguments);
    } else {
        put_number(sink, conversion, arguments);
    }
}

static void put_format(print_sink *sink, const char *format, print_arguments *arguments) {
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        print_conversion conversion;
        put_bytes(sink, format, plain);
        format += plain;
        if (*format == '\0')
            break;
        format = read_conversion(format + 1, arguments, &conversion);
        put_conversion(sink, &conversion, arguments);
    }
}

/* --- Standard error ------------------------------------------------------------------------ */

static void begin_errors(print_sink *sink) {
    print_manner manner = !tool_screen_of_program()->is_utf8 && isatty(STDERR_FILENO) != 0
                              ? PRINT_ASCII
                              : PRINT_VISIBLE;
    tool_progress_hide();
    fflush(stdout);
    begin_sink(sink, stderr, manner);
}

void tool_say_arguments(const char *format, va_list arguments) {
    print_sink sink;
    begin_errors(&sink);
    print_arguments copy;
    va_copy(copy.list, arguments);
    put_format(&sink, format, &copy);
    va_end(copy.list);
    sink_push(&sink);
}

void tool_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tool_say_arguments(format, arguments);
    va_end(arguments);
}

const char *tool_s(uint64_t count) {
    return count == 1 ? "" : "s";
}

void tool_say_lines(const char *lines) {
    print_sink sink;
    begin_errors(&sink);
    put_text(&sink, lines, strlen(lines), true);
    sink_push(&sink);
}

/* --- Standard output ----------------------------------------------------------------------- */

/* The bytes at the end of a piece that begin a character and are not all of it; at most 3. */
static size_t size_of_cut(const char *piece, size_t size) {
    for (size_t i = 1; i <= 3 && i <= size; i++) {
        unsigned char byte = (unsigned char)piece[size - i];
        size_t whole = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if ((byte & 0xC0) != 0x80)
            return whole > i ? i : 0;
    }
    return 0;
}

/* The beginning of a character that the end of a piece of output has cut. */
static char cut_character[4];
static size_t cut_size;

static void begin_output(print_sink *sink) {
    begin_sink(sink, print_file == NULL ? stdout : print_file, manner_of_output());
    if (print_file == NULL && tool_screen_of_program()->is_terminal)
        tool_progress_hide();
    if (cut_size > 0)
        put_text(sink, cut_character, cut_size, true);
    cut_size = 0;
}

static bool end_output(print_sink *sink) {
    sink_push(sink);
    if (sink->has_failed)
        note_print_failure();
    return !sink->has_failed;
}

void tool_print(const char *format, ...) {
    print_sink sink;
    begin_output(&sink);
    print_arguments arguments;
    va_start(arguments.list, format);
    put_format(&sink, format, &arguments);
    va_end(arguments.list);
    (void)end_output(&sink);
}

void tool_print_shown(const char *text, size_t size) {
    print_sink sink;
    begin_output(&sink);
    put_text(&sink, text, size, false);
    (void)end_output(&sink);
}

void tool_print_beginning(const char *text, size_t size, size_t most) {
    size_t kept = size < most ? size : most;
    kept -= kept < size ? size_of_cut(text, kept) : 0;
    tool_print_shown(text, kept);
    tool_print("%s", kept < size ? "..." : "");
}

void tool_print_lines(const char *lines) {
    print_sink sink;
    begin_output(&sink);
    put_text(&sink, lines, strlen(lines), true);
    (void)end_output(&sink);
}

void tool_print_own(const char *text) {
    print_sink sink;
    begin_output(&sink);
    put_bytes(&sink, text, strlen(text));
    (void)end_output(&sink);
}

static lam_status stdout_write(void *state, const void *data, size_t size, lam_error *error) {
    (void)state;
    const char *piece = data;
    char joined[sizeof cut_character];
    size_t before = cut_size, taken = 0;
    memcpy(joined, cut_character, before);
    cut_size = 0;
    print_sink sink;
    begin_output(&sink);
    /* The rest of the character that was cut: it comes one byte after the other. */
    for (; before > 0 && taken < size && before < sizeof joined && (piece[taken] & 0xC0) == 0x80;)
        joined[before++] = piece[taken++];
    if (before > 0 && taken == size && size_of_cut(joined, before) == before) {
        memcpy(cut_character, joined, before);
        cut_size = before;
        before = 0;
    }
    put_text(&sink, joined, before, true);
    size_t cut = sink.manner == PRINT_EXACT ? 0 : size_of_cut(piece + taken, size - taken);
    put_text(&sink, piece + taken, size - taken - cut, true);
    if (cut > 0) {
        memcpy(cut_character, piece + size - cut, cut);
        cut_size = cut;
    }
    if (end_output(&sink))
        return LAM_STATUS_OK;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "cannot write: %s", strerror(errno));
    }
    return LAM_STATUS_IO;
}

lam_output *tool_stdout(void) {
    static lam_output output = {NULL, stdout_write, NULL, NULL};
    return &output;
}

void tool_push(void) {
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        if (stdout_failure == 0)
            stdout_failure = errno != 0 ? errno : EIO;
    }
}

int tool_flush(void) {
    static bool is_reported;
    print_sink sink;
    begin_output(&sink);
    (void)end_output(&sink); /* a character that was cut has no rest */
    tool_push();
    if (stdout_failure == 0 || is_reported)
        return stdout_failure == 0 ? TOOL_OK : TOOL_BAD_INPUT;
    is_reported = true;
    tool_say("lamella: standard output: cannot write: %s\n", strerror(stdout_failure));
    return TOOL_BAD_INPUT;
}

/* --- JSON ---------------------------------------------------------------------------------- */

void tool_print_text(const char *text, size_t size) {
    lam_error error;
    if (lam_json_print_text(text, size, tool_stdout(), &error) == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error.message);
    /* tool_flush sees all other failures. */
}

static size_t value_most; /* bytes of a text; 0: any */
static size_t values_cut;

void tool_cut_values(size_t most) {
    value_most = most;
    values_cut = 0;
}

size_t tool_values_cut(void) {
    return values_cut;
}

/* The bytes of the escape or of the character of UTF-8 that begins here, in a JSON string. */
static size_t character_size(const uint8_t *at) {
    if (*at == '\\')
        return at[1] == 'u' ? 6 : 2;
    return *at < 0xC0 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
}

static void print_cut(lam_bytes text) {
    size_t end = 0;
    if (text.size > value_most && text.data[0] == '"')
        for (end = 1; end < value_most && end < text.size - 1;)
            end += character_size(text.data + end);
    const bool is_cut = end > 0 && end < text.size - 1;
    tool_print_shown((const char *)text.data, is_cut ? end : text.size);
    if (is_cut)
        tool_print("\xE2\x80\xA6\"");
    values_cut += is_cut;
}

lam_json_binary tool_binary_for_people(const lam_field *leaf) {
    if (lam_field_logical_type(leaf)->kind != LAM_LOGICAL_NONE)
        return LAM_JSON_BINARY_BASE64;
    for (const lam_field *at = lam_field_parent(leaf); at != NULL; at = lam_field_parent(at))
        if (lam_field_logical_type(at)->kind == LAM_LOGICAL_VARIANT)
            return LAM_JSON_BINARY_HEX;
    return LAM_JSON_BINARY_BASE64;
}

lam_status tool_print_value(const lam_field *leaf, lam_value value, lam_json_binary binary,
                            lam_error *error) {
    if (value_most == 0)
        return lam_json_print_value(leaf, value, binary, tool_stdout(), error);
    lam_output text;
    lam_status status = lam_output_memory(tool_allocator(), &text, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_json_print_value(leaf, value, binary, &text, error);
    if (status == LAM_STATUS_OK)
        print_cut(lam_output_memory_bytes(&text));
    lam_output_close(&text);
    return status;
}
